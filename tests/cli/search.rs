//! `mce search`.

use serde_json::Value;

use crate::folder::Folder;

const DOCUMENT: &str = "\
openapi: 3.0.3
info: {title: Zoo, version: '1'}
servers: [{url: https://zoo.example}]
paths:
  /animals/{id}/diet:
    get:
      operationId: getDiet
      summary: What an animal eats
      tags: [feeding]
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {'204': {description: fine}}
  /tickets:
    post:
      operationId: buyTicket
      summary: Buy a ticket
      responses: {'204': {description: fine}}
";

fn zoo() -> Folder {
    let config = "servers:\n  - {name: zoo, swagger_url: zoo.yaml}\n";
    Folder::new(&[("zoo.yaml", DOCUMENT), ("swaggers.yaml", config)]).compiled()
}

#[test]
fn a_function_is_found_by_words_by_name_and_by_path() {
    let zoo = zoo();
    for query in ["what does an animal eat", "get-diet", "GET /animals/7/diet"] {
        let found = zoo.mce(&["search", query]);
        assert_eq!(found.code, 0, "{query}: {found:?}");
        let line = "zoo.get_diet  GET /animals/{id}/diet  What an animal eats\n";
        assert!(found.stdout.starts_with(line), "{query}: {found:?}");
    }
    let found = zoo.mce(&["search", "--json", "--tag", "feeding", "animal", "diet"]);
    let answer: Value = serde_json::from_str(&found.stdout).unwrap();
    assert_eq!(answer["functions"][0]["name"], "get_diet");
    assert_eq!(answer["functions"].as_array().unwrap().len(), 1);
}

#[test]
fn what_is_not_found_is_no_success() {
    let zoo = zoo();
    let nothing = zoo.mce(&["search", "quarterly tax return"]);
    assert_eq!(nothing.code, 1, "{nothing:?}");
    assert_eq!(nothing.stdout, "");
    let elsewhere = zoo.mce(&["search", "--server", "zoos", "ticket"]);
    assert_eq!(elsewhere.code, 1, "{elsewhere:?}");
    assert!(
        elsewhere.stderr.contains("did you mean `zoo`?"),
        "{elsewhere:?}"
    );
}
