//! Ways that no look at the text can tell from ordinary code: the guard lets them through, and the
//! sandbox stops them. Needs the engine.

mod sandbox_support;

use mce::guard::{CompiledNames, check};
use sandbox_support::{place, value};
use serde_json::{Value, json};

/// A text that comes out of data, evaluated as a type by pydantic: any expression at all.
fn evaluated(expression: &str) -> String {
    let text = serde_json::Value::from(expression).to_string();
    let data = serde_json::Value::from(format!("[{text}]")).to_string();
    format!(
        "import json\nfrom typing import Literal\nfrom pydantic import TypeAdapter\n\n\
         kind = json.loads({data})[0]\n\n\n\
         def main():\n    \
             try:\n        \
                 return TypeAdapter(kind).json_schema()\n    \
             except Exception as error:\n        \
                 return type(error).__name__\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_guard_cannot_see_finds_nothing_in_the_sandbox() {
    let rows: [(&str, Value); 5] = [
        // It does evaluate, so that the others mean something.
        ("Literal[6 * 7]", json!({"const": 42, "type": "integer"})),
        ("__import__('socket').socket()", json!("PermissionError")),
        ("open('/etc/mce', 'w')", json!("OSError")),
        ("__import__('os').setuid(0)", json!("PermissionError")),
        (
            "Literal[str([name for name in __import__('os').environ if 'MCE' in name])]",
            json!({"const": "[]", "type": "string"}),
        ),
    ];
    let place = place().await;
    for (expression, expected) in rows {
        let code = evaluated(expression);
        let report = check(&code, &CompiledNames::new());
        assert!(report.is_ok(), "{expression}: {:?}", report.violations);
        let outcome = place.run(&code).await;
        assert_eq!(value(&outcome), &expected, "{expression}");
    }
    place.close().await;
}
