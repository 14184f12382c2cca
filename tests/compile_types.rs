//! What schemas become in Python, and that `CPython` and type checkers agree.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::process::Command;

use mce::{api, openapi, python};
use serde_json::{Value, json};

fn rendered(document: Value) -> (api::NamedApi, python::Rendered) {
    let api = openapi::read_value(document, None).expect("it is a document");
    let named = api::give_names(api, None, &indexmap::IndexMap::new()).expect("no entries");
    let target = python::Target {
        server: "types",
        title: "Types",
    };
    let rendered = python::render(&named, target).expect("the module is in the grammar");
    (named, rendered)
}

/// A document of one operation that answers with the first of these schemas.
fn answering(schemas: &Value) -> Value {
    let first = schemas
        .as_object()
        .and_then(|schemas| schemas.keys().next())
        .expect("there is one");
    json!({
        "openapi": "3.1.0",
        "paths": {"/a": {"get": {"operationId": "a", "responses": {"200": {"content": {
            "application/json": {"schema": {"$ref": format!("#/components/schemas/{first}")}}}}}}}},
        "components": {"schemas": schemas},
    })
}

/// What an answer with the first of these schemas is in Python, and the text of its module.
fn type_of(schemas: &Value) -> (String, String) {
    let (_, rendered) = rendered(answering(schemas));
    (rendered.functions[0].returns.clone(), rendered.source)
}

/// The keys of a class with their types.
fn keys(source: &str, class: &str) -> Vec<String> {
    let head = format!("class {class}(TypedDict");
    let (_, rest) = source.split_once(&head).expect("the module has the class");
    let body = rest.split("\n\n\n").next().expect("there is a first part");
    let body = body.split("\"\"\"").last().expect("there is a last part");
    let lines = body.lines().map(str::trim);
    lines
        .filter(|line| line.contains(": ") && !line.starts_with(')'))
        .map(str::to_owned)
        .collect()
}

#[test]
fn types_that_lead_back_to_themselves_are_written_out_as_far_as_classes_allow() {
    let object = |properties: Value| json!({"type": "object", "properties": properties});
    let (returns, source) = type_of(&json!({
        "Tree": {"oneOf": [{"$ref": "#/components/schemas/Leaf"}, {"$ref": "#/components/schemas/Branch"}]},
        "Leaf": object(json!({"name": {"type": "string"}})),
        "Branch": object(json!({"below": {"$ref": "#/components/schemas/Forest"}})),
        "Forest": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}},
    }));
    assert_eq!(returns, "Leaf | Branch");
    assert_eq!(keys(&source, "Branch"), ["below: list[Leaf | Branch]"]);

    // No class is in between, so one turn is all there can be; it is not lost to whatever else
    // names one of the two.
    let (returns, source) = type_of(&json!({
        "A": object(json!({
            "rows": {"$ref": "#/components/schemas/Rows"},
            "cell": {"$ref": "#/components/schemas/Cell"},
        })),
        "Rows": {"type": "array", "items": {"$ref": "#/components/schemas/Cell"}},
        "Cell": {"anyOf": [{"type": "string"}, {"$ref": "#/components/schemas/Rows"}]},
    }));
    assert_eq!(returns, "A");
    assert_eq!(
        keys(&source, "A"),
        [
            "rows: list[str | list[Any]]",
            "cell: str | list[str | list[Any]]"
        ]
    );
}

#[test]
fn alternatives_beside_properties_are_told_apart() {
    let (returns, source) = type_of(&json!({
        "Event": {
            "type": "object",
            "required": ["id"],
            "properties": {"id": {"type": "integer"}},
            "oneOf": [
                {"title": "Opened", "required": ["by"], "properties": {"by": {"type": "string"}}},
                {"title": "Closed", "properties": {"at": {"type": "string"}}},
            ],
        },
    }));
    assert_eq!(returns, "EventOpened | EventClosed");
    assert_eq!(keys(&source, "EventOpened"), ["id: int", "by: str"]);
    assert_eq!(
        keys(&source, "EventClosed"),
        ["id: int", "at: NotRequired[str]"]
    );

    // These only say which keys go together.
    let (returns, _) = type_of(&json!({
        "Event": {
            "type": "object",
            "properties": {"id": {"type": "integer"}, "name": {"type": "string"}},
            "anyOf": [{"required": ["id"]}, {"required": ["name"]}],
        },
    }));
    assert_eq!(returns, "Event");
}

#[test]
fn all_of_a_union_is_a_union() {
    let (returns, source) = type_of(&json!({
        "Pet": {"allOf": [
            {"oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}]},
            {"type": "object", "required": ["tag"], "properties": {"tag": {"type": "string"}}},
        ]},
        "Cat": {"type": "object", "properties": {"lives": {"type": "integer"}}},
        "Dog": {"type": "object", "properties": {"barks": {"type": "boolean"}}},
    }));
    assert_eq!(returns, "PetCat | PetDog");
    assert_eq!(
        keys(&source, "PetCat"),
        ["tag: str", "lives: NotRequired[int]"]
    );
}

#[test]
fn a_base_that_lists_what_inherits_from_it_gives_each_its_own_keys() {
    let inherits = |key: &str| {
        json!({"allOf": [{"$ref": "#/components/schemas/Pet"},
            {"type": "object", "properties": {key: {"type": "integer"}}}]})
    };
    let (returns, source) = type_of(&json!({
        "Pet": {
            "type": "object",
            "required": ["kind"],
            "properties": {"kind": {"type": "string"}},
            "discriminator": {"propertyName": "kind", "mapping": {"cat": "Cat", "dog": "#/components/schemas/Dog"}},
            "oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
        },
        "Cat": inherits("lives"),
        "Dog": inherits("tricks"),
    }));
    assert_eq!(returns, "Cat | Dog");
    assert_eq!(
        keys(&source, "Cat"),
        ["kind: str", "lives: NotRequired[int]"]
    );
    assert!(
        source.contains("`kind` tells which it is: `cat` for Cat, `dog` for Dog."),
        "{source}"
    );
}

#[test]
fn of_conflicting_types_the_narrower_holds() {
    let (_, source) = type_of(&json!({
        "Cat": {"allOf": [
            {"$ref": "#/components/schemas/Pet"},
            {"type": "object", "properties": {
                "kind": {"const": "cat"},
                "owner": {"type": "object", "properties": {"chip": {"type": "string"}}},
                "note": {},
            }},
        ]},
        "Pet": {"type": "object", "required": ["kind"], "properties": {
            "kind": {"type": "string"},
            "owner": {"type": "object", "properties": {"name": {"type": "string"}}},
            "note": {"type": "string"},
        }},
    }));
    assert_eq!(
        keys(&source, "Cat"),
        [
            "kind: Literal[\"cat\"]",
            "owner: NotRequired[CatOwner]",
            "note: NotRequired[str]"
        ]
    );
    assert_eq!(keys(&source, "CatOwner"), ["name: str", "chip: str"]);
}

#[test]
fn lists_maps_and_enumerations_of_every_kind() {
    let of = |schema: Value| type_of(&json!({"A": schema})).0;
    for (schema, expected) in [
        (
            json!({"prefixItems": [{"type": "number"}, {"type": "string"}]}),
            "list[float | str]",
        ),
        (
            json!({"type": "array", "prefixItems": [{"type": "number"}], "items": {"type": "string"}}),
            "list[float | str]",
        ),
        (
            json!({"type": "array", "prefixItems": [{"type": "number"}], "items": false}),
            "list[float]",
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "integer"}}),
            "dict[str, int]",
        ),
        (
            json!({"patternProperties": {"^a": {"type": "integer"}, "^b": {"type": "string"}}}),
            "dict[str, int | str]",
        ),
        (
            json!({"type": ["string", "integer", "null"]}),
            "str | int | None",
        ),
        (
            json!({"type": "integer", "enum": [1.0, 2, null]}),
            "Literal[1, 2] | None",
        ),
        (
            json!({"type": "object", "anyOf": [{"required": ["a"]}]}),
            "dict[str, Any]",
        ),
        (
            json!({"not": {"type": "string"}, "if": {"type": "integer"}}),
            "Any",
        ),
    ] {
        assert_eq!(of(schema.clone()), expected, "{schema}");
    }
    // How tools write null in 3.0, where there is no such type.
    let mut document =
        answering(&json!({"A": {"anyOf": [{"type": "string"}, {"nullable": true}]}}));
    document["openapi"] = json!("3.0.3");
    assert_eq!(rendered(document).1.functions[0].returns, "str | None");
}

/// A document that uses most of what there is.
fn zoo() -> Value {
    let reference = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    let content = |schema: &Value| json!({"application/json": {"schema": schema}});
    json!({
        "openapi": "3.1.0",
        "paths": {
            "/animals": {
                "get": {
                    "operationId": "listAnimals",
                    "summary": "List the animals",
                    "parameters": [
                        {"name": "born", "in": "query", "description": "Born on this day",
                            "schema": {"type": "string", "format": "date"}, "example": "2019-05-04"},
                        {"name": "limit", "in": "query",
                            "schema": {"type": "integer", "minimum": 1, "maximum": 50, "default": 20}},
                    ],
                    "responses": {"200": {"description": "The animals", "content":
                        content(&json!({"type": "array", "items": reference("Animal")}))}},
                },
                "post": {
                    "operationId": "addAnimal",
                    "requestBody": {"content": {"application/json": {"schema": reference("Keeper"),
                        "examples": {"one": {"value": {"name": "Ada", "since": "2020-01-31"}}}}}},
                    "responses": {
                        "200": {"description": "It was there", "content": content(&reference("Keeper"))},
                        "201": {"description": "It is new", "content": content(&json!({"type": "string"}))},
                        "204": {"description": "Nobody needs it"},
                    },
                },
            },
            "/animals/{id}/weight": {"put": {
                "operationId": "weigh",
                "parameters": [{"name": "id", "in": "path", "required": true,
                    "schema": {"type": "string", "format": "uuid"}}],
                "requestBody": {"required": true, "content": content(&json!({
                    "type": "object", "required": ["kilograms", "id", "unit"], "properties": {
                        "id": {"type": "string", "readOnly": true},
                        "kilograms": {"type": "number", "exclusiveMinimum": 0, "example": 4.2},
                        "unit": {"type": "string", "example": 7, "default": "kg"},
                        "at": {"type": "string", "format": "date-time"},
                    }}))},
                "responses": {"200": {"description": "Done", "content":
                    content(&reference("Tree"))}},
            }},
        },
        "components": {"schemas": {
            "Animal": {"oneOf": [reference("Cat"), reference("Bird")],
                "discriminator": {"propertyName": "kind", "mapping": {"cat": "Cat", "bird": "Bird"}}},
            "Cat": {"type": "object", "description": "Purrs.", "required": ["kind", "parents"], "properties": {
                "kind": {"const": "cat"}, "parents": {"type": "array", "items": reference("Animal")},
                "for": {"type": "string", "description": "Whom it is for"}}},
            "Bird": {"type": "object", "required": ["kind"], "additionalProperties": {"type": "integer"},
                "properties": {"kind": {"const": "bird"}, "home": reference("Tree")}},
            "Keeper": {"type": "object", "required": ["id", "name", "secret"], "properties": {
                "id": {"type": "integer", "readOnly": true, "description": "Given by the zoo"},
                "name": {"type": "string", "maxLength": 40},
                "secret": {"type": "string", "writeOnly": true},
                "post": reference("Enclosure"),
                "since": {"type": "string", "format": "date"}}},
            "Enclosure": {"type": "object", "required": ["kind"], "discriminator": {"propertyName": "kind"},
                "properties": {"kind": {"type": "string"}, "beside": reference("Enclosure")}},
            "AviaryForTropicalBirds": {"allOf": [reference("Enclosure"),
                {"type": "object", "required": ["height"], "properties": {"height": {"type": "number"}}}]},
            "TerrariumForLargeReptiles": {"allOf": [reference("Enclosure"),
                {"type": "object", "required": ["lamp warmth"], "properties": {"lamp warmth": {"type": "number"}}}]},
            "Tree": {"type": "array", "items": {"anyOf": [{"type": "string"}, reference("Tree"), reference("Cat")]}},
        }},
    })
}

#[test]
fn the_module_of_a_zoo_reads_well() {
    insta::assert_snapshot!("zoo_functions", rendered(zoo()).1.source);
}

#[test]
fn examples_are_not_part_of_the_manifests_schemas() {
    let (named, _) = rendered(zoo());
    let keeper = &named.api.operations[1]
        .body
        .as_ref()
        .expect("it has one")
        .schema;
    assert!(keeper.get("examples").is_some());
    assert_eq!(
        api::schema::without_examples(keeper),
        json!({"$ref": "#/types/Keeper"})
    );
}

/// The Python that has mypy, where `scripts/test` runs this; else any, which only compiles.
fn interpreter() -> String {
    std::env::var("MCE_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

/// What calls the module, right and wrong: the comment says what a type checker finds.
const CALLER: &str = r#"
from types_api.functions import EnclosureAnyOf, add_animal, list_animals, weigh

for animal in list_animals(born="2019-05-04"):
    if animal["kind"] == "cat":
        for parent in animal["parents"]:
            print(parent["kind"])
answer = add_animal(body={"name": "Ada"})
if answer is not None and not isinstance(answer, str):
    print(answer["id"] + 1)
    print(answer["post"]["height"])  # error: typeddict-item
post: EnclosureAnyOf = {"kind": "aviary", "height": 3.5, "beside": {"kind": "cage", "lamp warmth": 31}}
add_animal(body={"name": "Ada", "post": post})
weigh(id_="1", body={"kilograms": 4.2, "unit": "kg"})
weigh(id_="1", body={"kilograms": "4.2", "unit": "kg"})  # error: typeddict-item
weigh(id_="1", body={"unit": "kg"})  # error: typeddict-item
weigh(id_=1, body={"kilograms": 1, "unit": "kg"})  # error: arg-type
"#;

#[test]
fn python_compiles_the_module_and_every_slice_and_a_type_checker_takes_them() {
    let (_, rendered) = rendered(zoo());
    let module = python::CompiledModule::read(rendered.source.clone()).expect("it is a module");
    let folder = tempfile::tempdir().expect("there is a temporary folder");
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        let parent = path.parent().expect("it has a folder");
        std::fs::create_dir_all(parent).expect("it can be made");
        std::fs::write(path, text).expect("it can be written");
    };
    write("mce_runtime.py", python::RUNTIME_SOURCE);
    write("types_api/functions.py", &rendered.source);
    write("caller.py", CALLER);
    let mut checks = String::from("import typing, sys\nsys.path.insert(0, '.')\n");
    for name in ["list_animals", "add_animal", "weigh"] {
        write(&format!("types_{name}/functions.py"), &module.slice([name]));
        // Every name that the annotations use is in the slice.
        writeln!(
            checks,
            "import types_{name}.functions as m\n\
             typing.get_type_hints(m.{name}.__wrapped__)\n\
             for it in vars(m).values():\n    if typing.is_typeddict(it): typing.get_type_hints(it)"
        )
        .expect("a text takes any text");
    }
    let python = |arguments: &[&str]| {
        let done = Command::new(interpreter())
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .expect("Python runs");
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        (
            done.status.success(),
            text,
            String::from_utf8_lossy(&done.stderr).into_owned(),
        )
    };
    let (compiles, _, error) = python(&["-c", &checks]);
    assert!(compiles, "{error}");
    let words = "import builtins, keyword; \
                 print(*dir(builtins), *keyword.kwlist, *keyword.softkwlist, 'self')";
    for word in python(&["-c", words]).1.split_whitespace() {
        assert!(!api::identifiers::is_function_name(word), "{word}");
    }
    if !python(&["-c", "import mypy"]).0 {
        return;
    }
    let modules = [
        "types_api",
        "types_list_animals",
        "types_add_animal",
        "types_weigh",
    ];
    let mut arguments = vec![
        "-m",
        "mypy",
        "--strict",
        "--no-error-summary",
        "--namespace-packages",
        "--explicit-package-bases",
        "--python-version=3.11",
    ];
    let files: Vec<String> = modules
        .iter()
        .map(|it| format!("{it}/functions.py"))
        .collect();
    arguments.extend(files.iter().map(String::as_str));
    arguments.push("caller.py");
    let (_, found, error) = python(&arguments);
    let found: Vec<(usize, String)> = found
        .lines()
        .filter(|line| line.contains(": error: "))
        .map(|line| {
            let place = line
                .strip_prefix("caller.py:")
                .unwrap_or_else(|| panic!("{line}"));
            let (number, _) = place.split_once(':').expect("there is a line");
            let code = line.rsplit('[').next().expect("there is a last part");
            (
                number.parse().expect("it is a number"),
                code.trim_end_matches(']').to_owned(),
            )
        })
        .collect();
    let expected: Vec<(usize, String)> = CALLER
        .lines()
        .enumerate()
        .filter_map(|(index, line)| Some((index + 1, line.split_once("# error: ")?.1.to_owned())))
        .collect();
    assert_eq!(found, expected, "{error}");
}

#[test]
fn a_base_that_a_discriminator_tells_apart_is_the_union_of_its_subtypes() {
    let (returns, source) = type_of(&json!({
        "Pets": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}},
        "Pet": {"type": "object", "required": ["kind"], "discriminator": {"propertyName": "kind"},
            "properties": {"kind": {"type": "string"}, "friend": {"$ref": "#/components/schemas/Pet"}}},
        "Cat": {"allOf": [{"$ref": "#/components/schemas/Pet"},
            {"type": "object", "properties": {"lives": {"type": "integer"}}}]},
        "Dog": {"allOf": [{"$ref": "#/components/schemas/Pet"},
            {"type": "object", "properties": {"pack": {"$ref": "#/components/schemas/Pack"}}}]},
        "Pack": {"type": "object", "properties": {"size": {"type": "integer"}}},
        "Stray": {"type": "object", "properties": {"id": {"type": "string"}}},
    }));
    assert_eq!(returns, "list[Cat | Dog | Pet]");
    assert_eq!(
        keys(&source, "Cat"),
        [
            "kind: str",
            "friend: NotRequired[Cat | Dog | Pet]",
            "lives: NotRequired[int]"
        ]
    );
    assert_eq!(
        keys(&source, "Pet"),
        ["kind: str", "friend: NotRequired[Cat | Dog | Pet]"]
    );
    assert!(source.contains("class Pack("));
    assert!(!source.contains("class Stray("), "nothing leads to it");
    assert!(source.contains("`kind` tells which it is: `Cat`, `Dog`."));
}

#[test]
fn a_long_union_is_written_once() {
    let reference = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    let kind = |number: usize| {
        (
            format!("KindOfPet{number:02}"),
            json!({"allOf": [
        reference("Pet"), {"type": "object", "properties": {"lives": {"type": "integer"}}}]}),
        )
    };
    let mut schemas: serde_json::Map<String, Value> = [
        // Of such a class the name says what it is of.
        (
            "Owner".to_owned(),
            json!({"type": "object", "properties": {"name": {"type": "string"}},
            "oneOf": [reference("Pet"), reference("Pets")]}),
        ),
        (
            "Pets".to_owned(),
            json!({"type": "object", "properties": {
            "all": {"type": "array", "items": reference("Some")}}}),
        ),
        (
            "Some".to_owned(),
            json!({"oneOf": [reference("KindOfPet03"), reference("Pet"), {"type": "null"}]}),
        ),
        (
            "Pet".to_owned(),
            json!({"type": ["object", "null"], "discriminator": {"propertyName": "kind"},
            "properties": {"kind": {"type": "string"}, "friend": reference("Pet")}}),
        ),
    ]
    .into_iter()
    .collect();
    schemas.extend((0..20).map(kind));
    let (returns, source) = type_of(&Value::Object(schemas));
    assert_eq!(returns, "OwnerPet | OwnerPets");
    let friend = "friend: PetAnyOf | None";
    assert_eq!(keys(&source, "Pet"), ["kind: str", friend]);
    assert_eq!(
        keys(&source, "KindOfPet07"),
        ["kind: str", friend, "lives: int"]
    );
    // What a name stands for is not said beside it.
    assert_eq!(
        keys(&source, "OwnerPets"),
        ["name: str", "all: list[PetAnyOf | None]"]
    );
    let (classes, definition) = source
        .split_once("\n\n\nPetAnyOf = (\n    KindOfPet00\n")
        .expect("it has a name");
    assert!(
        definition.contains("    | KindOfPet19\n    | Pet\n)\n\n\n@_api"),
        "{definition}"
    );
    assert!(!classes.contains(" | KindOfPet"), "{classes}");
}

#[test]
fn an_event_stream_yields_the_data_of_the_event_that_is_described() {
    let of = |media: Value| {
        let (_, rendered) = rendered(json!({
            "openapi": "3.2.0",
            "paths": {"/a": {"get": {"operationId": "a", "responses": {"200": {"content": {
                "text/event-stream": media}}}}}},
            "components": {"schemas": {"Chunk": {"type": "object", "properties": {"n": {"type": "integer"}}}}},
        }));
        rendered.functions[0].returns.clone()
    };
    let chunk = json!({"$ref": "#/components/schemas/Chunk"});
    let text = json!({"type": "string"});
    let encoded =
        json!({"type": "string", "contentMediaType": "application/json", "contentSchema": chunk});
    let event =
        |data: &Value| json!({"type": "object", "properties": {"event": text, "data": data}});
    assert_eq!(of(json!({"schema": chunk})), "EventStream[Chunk]");
    assert_eq!(of(json!({"schema": event(&chunk)})), "EventStream[Chunk]");
    assert_eq!(of(json!({"schema": event(&text)})), "EventStream[str]");
    assert_eq!(
        of(json!({"itemSchema": event(&encoded)})),
        "EventStream[Chunk]"
    );
    let either = json!({"itemSchema": {"oneOf": [event(&encoded), event(&text)]}});
    assert_eq!(of(either), "EventStream[Chunk | str]");
}
