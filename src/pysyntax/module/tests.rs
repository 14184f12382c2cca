use super::*;

const GOOD: &str = r#""""Client of X."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from mce_runtime import NULL as NULL, Api, ApiError as ApiError

_api = Api("x", base_url_env="MCE_X_BASE_URL", auth_env="MCE_X_AUTH")


class Pet(TypedDict):
    """A pet."""

    name: str
    kind: NotRequired[Literal["", "cat", -1] | None]


Odd = TypedDict("Odd", {"a b": "list[Pet]"}, total=False)


@_api.operation("GET", "/pets/{id}", path={"id_": ("simple", False, "id")})
def get_pet(*, id_: int, odd: Odd | None = None) -> dict[str, Any]:
    """Gets a pet."""
    ...
"#;

#[test]
fn a_compiled_module_is_read() {
    let facts = read(GOOD).unwrap();
    assert_eq!(facts.server, "x");
    let classes: Vec<&str> = facts.classes.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(classes, ["Pet", "Odd"]);
    assert_eq!(facts.classes[1].uses, ["Pet"]);
    assert!(GOOD[facts.classes[1].range.clone()].starts_with("Odd = TypedDict("));
    let stub = &facts.functions[0];
    assert_eq!(
        (stub.name.as_str(), stub.method.as_str(), stub.path.as_str()),
        ("get_pet", "GET", "/pets/{id}")
    );
    assert_eq!(stub.parameters, ["id_", "odd"]);
    assert_eq!(stub.required, ["id_"]);
    assert_eq!(
        (stub.uses.as_slice(), stub.uses_typing),
        (["Odd".to_owned()].as_slice(), true)
    );
    assert!(GOOD[stub.range.clone()].starts_with("@_api"));
    assert!(GOOD[stub.signature..].starts_with("def get_pet("));
    let path = serde_json::json!({"id_": ["simple", false, "id"]});
    assert_eq!(stub.arguments, Arguments::from([("path".into(), path)]));
    assert_eq!(facts.api["base_url_env"], "MCE_X_BASE_URL");
}

/// A module whose definitions before the stub end in this one.
fn with(definition: &str) -> String {
    GOOD.replacen("\n@_api", &format!("\n{definition}\n\n\n@_api"), 1)
}

#[test]
fn a_union_of_what_stands_above_may_have_a_name() {
    let source = with("Any1 = (\n    Pet\n    | list[Odd | None]\n    | Literal[\"a\"]\n)");
    let source = source.replace("-> dict[str, Any]", "-> Any1 | None");
    let facts = read(&source).unwrap();
    let union = &facts.classes[2];
    assert_eq!(
        (union.name.as_str(), union.uses.as_slice()),
        ("Any1", &["Pet".to_owned(), "Odd".to_owned()][..])
    );
    assert!(source[union.range.clone()].ends_with("| Literal[\"a\"]\n)"));
    assert_eq!(facts.functions[0].uses, ["Odd", "Any1"]);
}

/// Such a union is evaluated when the module is imported.
#[test]
fn a_union_of_anything_else_has_no_name() {
    for definition in [
        "Pet2 = Pet",
        "Pet2 = Pet | Later\n\n\nLater = Pet | Odd",
        "Pet2 = Pet | Pet2",
        "Pet2 = Pet | get_pet",
        "Pet2 = Pet | NULL",
        "Pet2 = Pet | ApiError",
        "Pet2 = Pet | _api",
        "Pet2 = Pet | NotRequired[Odd]",
        "Pet2 = Pet | print(1)",
        "Pet2 = Pet & Odd",
        "Pet2 = None | None | Pet",
        "Pet2 = Pet | (None | None)",
        "Pet2 = Pet | list[None | None]",
        "Pet = Pet | Odd",
        "pet2 = Pet | Odd",
        "Pet2 = Pet3 = Pet | Odd",
        "Pet2: Any = Pet | Odd",
    ] {
        assert!(read(&with(definition)).is_err(), "{definition}");
    }
    assert!(read(&with("Pet2 = Pet | Odd | None")).is_ok());
    let early = GOOD.replacen("_api = Api", "Pet2 = int | str\n_api = Api", 1);
    assert!(read(&early).is_err());
}

/// What the parser takes and `CPython` does not.
#[test]
fn what_python_would_refuse_to_compile_is_no_compiled_module() {
    let digits = "1".repeat(4_301);
    for (from, to) in [
        ("odd: Odd | None", "id_: Odd | None"),
        ("auth_env=\"MCE_X_AUTH\"", "base_url_env=\"MCE_X_AUTH\""),
        ("\"id\")}", "\"id\")}, path={}"),
        ("\"id\")}", "\"id\"), \"id_\": \"simple\"}"),
        ("\"cat\", -1", &format!("\"cat\", -{digits}")),
        ("\"cat\", -1", "\"cat\", -1.5"),
        ("from __future__ import annotations\n", "\n"),
        ("\"list[Pet]\"", "\"list[Pet\""),
    ] {
        let source = GOOD.replacen(from, to, 1);
        assert_ne!(source, GOOD, "{from}");
        assert!(read(&source).is_err(), "{to}");
    }
}

/// `typing.get_type_hints` evaluates them.
#[test]
fn a_type_as_text_is_held_to_the_same_grammar() {
    for text in [
        "\"print(1)\"",
        "\"list[Unknown]\"",
        "print",
        "\"Literal[print]\"",
    ] {
        let source = GOOD.replacen("\"list[Pet]\"", text, 1);
        assert_eq!(read(&source).unwrap_err().line, 19, "{text}");
    }
}

#[test]
fn anything_else_is_refused_with_its_line() {
    for (from, to, line) in [
        ("from mce_runtime import NULL", "from os import NULL", 7),
        ("from mce_runtime import NULL as NULL", "import os", 7),
        ("ApiError as ApiError", "ApiError as Api", 7),
        ("import Any,", "import Any, TYPE_CHECKING,", 5),
        ("    ...\n", "    return print(1)\n", 22),
        ("def get_pet(", "async def get_pet(", 22),
        ("id_: int,", "id_: int = print(1),", 23),
        ("id_: int,", "id_: print(1),", 23),
        ("id_: int,", "id_: Unknown,", 23),
        ("\"simple\"", "print(1)", 22),
        ("auth_env=\"MCE_X_AUTH\"", "auth_env=f\"{print(1)}\"", 9),
        ("    name: str\n", "    name: str = 1\n", 15),
        ("class Pet(TypedDict)", "class Pet(object)", 12),
        ("Odd = ", "get_pet = ", 19),
        ("(*, id_", "(id_", 23),
        ("total=False)", "total=False)\n\"\"\"A text.\"\"\"", 20),
    ] {
        let source = GOOD.replacen(from, to, 1);
        assert_ne!(source, GOOD, "{from}");
        let error = read(&source).unwrap_err();
        assert_eq!(error.line, line, "{to}: {error:?}");
    }
}

#[test]
fn deep_or_endless_expressions_never_reach_the_parser() {
    for text in [
        "(".repeat(100_000),
        "-".repeat(100_000),
        "not ".repeat(100_000),
        "a|".repeat(100_000),
    ] {
        assert!(read(&format!("{GOOD}\nx = {text}")).is_err());
    }
}
