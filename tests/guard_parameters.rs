//! Running code again with other values: what is replaced, and that nothing else is.

use mce::guard::{CompiledNames, check, python_literal, substitute};
use serde_json::{Map, Value, json};

/// The code with other values, or the names that are unknown.
fn changed(code: &str, params: &Value) -> Result<String, String> {
    let facts = check(code, &CompiledNames::new()).facts;
    let params: Map<String, Value> = params.as_object().cloned().unwrap_or_default();
    substitute(code, &facts, &params).map_err(|error| error.to_string())
}

#[test]
fn values_change_and_nothing_else_does() {
    let rows = [
        ("x = 1; y = 2\n", json!({"x": 5}), "x = 5; y = 2\n"),
        (
            "city: str = 'a'  # city = 'b'\n",
            json!({"city": "é"}),
            "city: str = \"\\u00e9\"  # city = 'b'\n",
        ),
        (
            "x = [\n  1,\n  2,\n]\ny = x\n",
            json!({"x": null}),
            "x = None\ny = x\n",
        ),
        (
            "'''x = 1'''\nx = 1\n",
            json!({"x": 2}),
            "'''x = 1'''\nx = 2\n",
        ),
        ("x = (1)\n", json!({"x": [true]}), "x = ([True])\n"),
        ("x = ('a'\n  'b')\n", json!({"x": "c"}), "x = (\"c\")\n"),
        (
            "a, b = 1, 2\n",
            json!({"b": {"k": 1.5}}),
            "a, b = 1, {\"k\": 1.5}\n",
        ),
        ("é = 'ß'; x = 'ß'\n", json!({"x": 1}), "é = 'ß'; x = 1\n"),
        (
            "x = 1\ndef f(x=1):\n    y = 2\n    return x\n",
            json!({"x": 3}),
            "x = 3\ndef f(x=1):\n    y = 2\n    return x\n",
        ),
        (
            "p = 'C:\\\\t'\n",
            json!({"p": "C:\\temp\\1new"}),
            "p = \"C:\\\\temp\\\\1new\"\n",
        ),
    ];
    for (code, params, expected) in rows {
        assert_eq!(changed(code, &params).as_deref(), Ok(expected), "{code}");
    }
}

#[test]
fn names_that_are_no_parameters_are_listed_with_those_that_are() {
    let code = "x = 1\ny = x + 1\nz = 1\nz = 2\nresult = 3\n";
    let error = changed(code, &json!({"x": 2, "z": 1, "y": 1, "nope": 0})).unwrap_err();
    assert_eq!(
        error,
        "the code has no parameter `nope`, `y`, `z`; its parameters are `x`"
    );
    let error = changed("print(1)\n", &json!({"x = 1; import os #": 2})).unwrap_err();
    let expected = "the code has no parameter `x = 1; import os #`; \
                    no top-level name is assigned a literal exactly once";
    assert_eq!(error, expected);
}

#[test]
fn code_that_reads_the_dict_of_parameters_gets_it_behind_its_prologue() {
    let params = json!({"days": 3, "x": 2});
    let literal = "{\"days\": 3, \"x\": 2}";
    let rows = [
        (
            "\"\"\"Doc.\"\"\"\nfrom __future__ import annotations  # note\nx = 1\nprint(_params)\n",
            format!(
                "\"\"\"Doc.\"\"\"\nfrom __future__ import annotations; _params = {literal}  # note\nx = 2\nprint(_params)\n"
            ),
        ),
        (
            "# note\nprint(_params.get('days'))\n",
            format!("_params = {literal}  # note\nprint(_params.get('days'))\n"),
        ),
        (
            "def main():\n    return _params['days']\n",
            format!("_params = {literal}\ndef main():\n    return _params['days']\n"),
        ),
    ];
    for (code, expected) in rows {
        let changed = changed(code, &params).unwrap();
        assert_eq!(changed, expected);
        let report = check(&changed, &CompiledNames::new());
        assert!(report.is_ok(), "{:?}", report.violations);
    }
    let own = "_params = {'days': 1}\nprint(_params)\n";
    assert!(
        changed(own, &json!({"days": 1})).is_err(),
        "a dict of the code's own is left alone"
    );
}

#[test]
fn literals_keep_what_json_says() {
    let rows = [
        (
            "123456789012345678901234567890",
            "123456789012345678901234567890",
        ),
        ("-1.5e-300", "-1.5e-300"),
        (
            "0.1000000000000000055511151231257827",
            "0.1000000000000000055511151231257827",
        ),
        ("[]", "[]"),
        (
            "{\"a\": {\"b\": [null, false]}}",
            "{\"a\": {\"b\": [None, False]}}",
        ),
        (
            "\"\\u0000\\u007f\\u2028\\\\\"",
            "\"\\u0000\\u007f\\u2028\\\\\"",
        ),
    ];
    for (document, expected) in rows {
        let value: Value = serde_json::from_str(document).unwrap();
        assert_eq!(python_literal(&value), expected);
    }
}

/// Thousands of names in one message fill a model's context.
#[test]
fn an_error_lists_few_of_many_names_and_none_whole_that_is_long() {
    let many: Vec<String> = (0..5_000).map(|n| format!("\"p{n:04}\": 1")).collect();
    let mut params: Map<String, Value> =
        serde_json::from_str(&format!("{{{}}}", many.join(","))).unwrap();
    params.insert("a".repeat(10_000), Value::Null);
    let lines: Vec<String> = (0..3_000).map(|n| format!("x{n} = 1")).collect();
    let code = lines.join("\n");
    let message = changed(&code, &Value::Object(params)).unwrap_err();
    assert!(message.len() < 1_000, "{} bytes", message.len());
    assert!(message.starts_with(&format!(
        "the code has no parameter `{}…`, `p0000`",
        "a".repeat(80)
    )));
    assert!(message.contains("`p0018`, 4981 more; its parameters are `x0`, "));
    assert!(message.ends_with("`x19`, 2980 more"));
}
