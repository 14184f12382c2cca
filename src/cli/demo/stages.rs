//! The snippets of the demo, and what must come of each.

use serde_json::{Value, json};

use crate::runtime::{ErrorType, ExecutionResult};

use super::api::Received;

/// One snippet, and what must come of it.
pub(super) struct Stage {
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    pub(super) code: &'static str,
    pub(super) expected: Expected,
    /// What the API must have received, sorted: nothing else, and all of it with the key.
    pub(super) received: &'static [&'static str],
}

/// What must come of a snippet.
pub(super) enum Expected {
    /// This value.
    Data(fn() -> Value),
    /// A failure of one of these classes.
    Failure(&'static [ErrorType]),
}

/// The stages, in order.
pub(super) const STAGES: [Stage; 4] = [
    Stage {
        title: "Useful work: two functions combined in one piece of code",
        about: "The calls leave the sandbox as names and arguments; the host sends them.",
        code: include_str!("combine.py"),
        expected: Expected::Data(|| {
            json!([
                {"title": "The Locked Lighthouse", "copies": 1},
                {"title": "Der stille Kanal", "copies": 7},
            ])
        }),
        received: &[
            "GET /books/9780000000017/stock",
            "GET /books/9780000000031/stock",
            "GET /books?genre=mystery&maxPrice=20",
        ],
    },
    Stage {
        title: "A write, where the config says `is_read_only: true`",
        about: "`placeOrder` is in the document but was not compiled, so there is nothing to call.",
        code: include_str!("write.py"),
        expected: Expected::Failure(&[ErrorType::Security, ErrorType::Execution]),
        received: &[],
    },
    Stage {
        title: "Sending what was read to somewhere else",
        about: "There is no network inside the sandbox. The host sends what `httpx` sends, and only to allowed hosts.",
        code: include_str!("exfiltrate.py"),
        expected: Expected::Failure(&[
            ErrorType::Security,
            ErrorType::Execution,
            ErrorType::Egress,
            ErrorType::Unsupported,
        ]),
        received: &["GET /books?genre=travel"],
    },
    Stage {
        title: "A forbidden import",
        about: "The guard answers before anything runs, with a reason the author can act on.",
        code: include_str!("forbidden.py"),
        expected: Expected::Failure(&[ErrorType::Security]),
        received: &[],
    },
];

impl Stage {
    /// What is not as it must be; empty where everything is.
    pub(super) fn judge(&self, result: &ExecutionResult, received: &[Received]) -> Vec<String> {
        let mut faults = Vec::new();
        match &self.expected {
            Expected::Data(data) if result.success => {
                let data = data();
                if result.data.as_ref() != Some(&data) {
                    faults.push(format!("the result should be {data}"));
                }
            }
            Expected::Data(_) => faults.push("the code should have succeeded".to_owned()),
            Expected::Failure(_) if result.success => {
                faults.push("the code should have failed".to_owned());
            }
            Expected::Failure(classes) => {
                if !result.error_type.is_some_and(|it| classes.contains(&it)) {
                    faults.push(format!(
                        "the failure is of the wrong class: {}",
                        result.error_type.map_or("none", ErrorType::name)
                    ));
                }
            }
        }
        let mut lines: Vec<_> = received.iter().map(|it| it.line.as_str()).collect();
        lines.sort_unstable();
        // Code that cannot run at all makes no call: where there is no `httpx`, that is told before.
        let is_refused = result.error_type == Some(ErrorType::Unsupported);
        let expected = if is_refused { &[] } else { self.received };
        if lines != expected {
            faults.push(format!(
                "the API should have received {expected:?}, it received {lines:?}"
            ));
        }
        faults.extend(
            received
                .iter()
                .filter(|it| !it.authorised)
                .map(|it| format!("`{}` came without the right key", it.line)),
        );
        faults
    }
}
