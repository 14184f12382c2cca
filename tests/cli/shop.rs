//! A shop with one server, which only reads, and two shops that may be written to.

use std::fs;

use crate::folder::Folder;

pub const DOCUMENT: &str = "\
openapi: 3.0.3
info: {title: Shop, version: '1'}
servers: [{url: https://shop.example/v1}]
paths:
  /items:
    get:
      operationId: listItems
      parameters:
        - {name: limit, in: query, schema: {type: integer}}
      responses:
        '200':
          description: fine
          content: {application/json: {schema: {type: array, items: {type: string}}}}
    post:
      operationId: addItem
      responses: {'204': {description: fine}}
";

pub const CONFIG: &str = "\
servers:
  - name: shop
    swagger_url: shop.yaml
    is_read_only: true
";

/// A folder with a config and the document.
pub fn shop() -> Folder {
    Folder::new(&[("shop.yaml", DOCUMENT), ("swaggers.yaml", CONFIG)])
}

pub const WRITABLE: &str = "\
openapi: 3.0.3
info: {title: Shop, version: '1'}
servers: [{url: https://shop.example/v1}]
paths:
  /items:
    get:
      operationId: listItems
      summary: List items.
      parameters:
        - {name: limit, in: query, schema: {type: integer}}
      responses: {'204': {description: fine}}
    post:
      operationId: addItem
      responses: {'204': {description: fine}}
";

/// Two servers of the same document.
pub fn two_shops() -> Folder {
    Folder::new(&[
        ("shop.yaml", WRITABLE),
        ("other.yaml", WRITABLE),
        (
            "swaggers.yaml",
            "servers:\n  - {name: shop, swagger_url: shop.yaml}\n  - {name: other, swagger_url: \
             other.yaml}\n",
        ),
    ])
}

/// A project and a copy of what it compiled, in `before`.
pub fn compiled_twice() -> Folder {
    let project = two_shops().compiled();
    for file in ["shop/functions.py", "shop/manifest.json", "mce_runtime.py"] {
        let text = project.read(&format!("compiled/{file}"));
        project.write(&format!("before/{file}"), &text);
    }
    fs::remove_dir_all(project.path().join("compiled/other")).unwrap();
    assert_eq!(
        project
            .mce(&["diff", "--exit-code", "before", "compiled"])
            .code,
        0
    );
    project
}

/// The kinds of changes of a server.
pub fn kinds(server: &serde_json::Value) -> Vec<&str> {
    let changes = server["changes"].as_array().unwrap();
    changes
        .iter()
        .map(|change| change["kind"].as_str().unwrap())
        .collect()
}
