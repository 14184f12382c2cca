//! Promoted functions as tools.

use std::collections::BTreeMap;

use rmcp::model::{Tool, ToolAnnotations};

use super::tools;
use crate::runtime::{PromotedFunction, Runtime};

/// The longest name that clients take for a tool.
const LONGEST_NAME: usize = 64;

/// A promoted function that cannot be a tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PromotedError {
    /// A tool of MCE has the name.
    #[error(
        "`top_level_functions` of `{server}`: `{name}` is the name of a tool of MCE; give the function another one by `rename`"
    )]
    BuiltIn {
        /// The server.
        server: String,
        /// The function.
        name: String,
    },
    /// Two promoted functions have one name.
    #[error(
        "`top_level_functions`: `{first}` and `{second}` both have a function `{name}`, and tools need names of their own; give one another name by `rename`"
    )]
    Twice {
        /// One server.
        first: String,
        /// The other.
        second: String,
        /// The function.
        name: String,
    },
    /// The name is too long for a tool.
    #[error(
        "`top_level_functions` of `{server}`: `{name}` has {} characters, and a tool's name may have {LONGEST_NAME}; give the function a shorter one by `rename`",
        name.len()
    )]
    TooLong {
        /// The server.
        server: String,
        /// The function.
        name: String,
    },
}

/// Checks that every promoted function of the config can be a tool. Meant to be asked before a
/// server begins; one that has none costs nothing.
///
/// # Errors
/// The first that cannot.
pub async fn check_promoted(runtime: &Runtime) -> Result<(), PromotedError> {
    judge(&runtime.promoted().await)
}

fn judge(promoted: &[PromotedFunction]) -> Result<(), PromotedError> {
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    for function in promoted {
        let (server, name) = (function.server.clone(), function.name.clone());
        if tools::NAMES.contains(&name.as_str()) {
            return Err(PromotedError::BuiltIn { server, name });
        }
        if name.len() > LONGEST_NAME {
            return Err(PromotedError::TooLong { server, name });
        }
        match names.insert(&function.name, &function.server) {
            Some(first) if first != function.server => {
                return Err(PromotedError::Twice {
                    first: first.to_owned(),
                    second: server,
                    name,
                });
            }
            // Listed twice: by its name and by its operationId.
            _ => {}
        }
    }
    Ok(())
}

/// The tools of promoted functions, each name once. What was compiled since the start may clash
/// now: the first has the name, as when it is called.
pub(super) async fn tools(runtime: &Runtime) -> Vec<Tool> {
    let mut tools: Vec<Tool> = Vec::new();
    for function in runtime.promoted().await {
        let is_taken = tools::NAMES.contains(&function.name.as_str())
            || tools.iter().any(|tool| tool.name == function.name);
        if !is_taken {
            tools.push(tool(function));
        }
    }
    tools
}

fn tool(function: PromotedFunction) -> Tool {
    let mut description = format!(
        "{} {} of the API `{}`.",
        function.method, function.path, function.server
    );
    if !function.summary.is_empty() {
        description.push_str(" Its document says: ");
        description.push_str(&function.summary);
    }
    if function.shortened {
        description.push_str(" (Arguments are shortened: `get_functions` has all.)");
    }
    let annotations = annotations(&function.method, function.mutating);
    Tool::new(function.name, description, function.arguments)
        .with_raw_output_schema(tools::result_schema())
        .with_annotations(annotations)
}

/// What a method does to the world (RFC 9110, 9.2).
fn annotations(method: &str, mutating: bool) -> ToolAnnotations {
    let reads = !mutating;
    ToolAnnotations::new()
        .read_only(reads)
        .destructive(!reads)
        .idempotent(reads || matches!(method, "PUT" | "DELETE"))
        .open_world(true)
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;

    fn promoted(server: &str, name: &str) -> PromotedFunction {
        PromotedFunction {
            server: server.to_owned(),
            name: name.to_owned(),
            method: "GET".to_owned(),
            path: "/".to_owned(),
            summary: String::new(),
            mutating: false,
            arguments: Map::new(),
            shortened: false,
        }
    }

    #[test]
    fn names_that_clash_are_told_with_what_to_do() {
        let judged = |all: &[PromotedFunction]| judge(all).map_err(|error| error.to_string());
        let (one, other) = (promoted("a", "get_pet"), promoted("b", "get_pet"));
        assert_eq!(judged(&[one.clone(), one.clone()]), Ok(()));
        let error = judged(&[one, other]).unwrap_err();
        assert!(
            error.contains("`a` and `b`") && error.contains("`rename`"),
            "{error}"
        );
        let error = judged(&[promoted("a", "execute_code")]).unwrap_err();
        assert!(error.contains("a tool of MCE"), "{error}");
        let error = judged(&[promoted("a", &"x".repeat(65))]).unwrap_err();
        assert!(error.contains("has 65 characters"), "{error}");
    }

    #[test]
    fn a_method_says_what_a_tool_does() {
        let hints = |method| {
            let annotations = annotations(method, method != "GET");
            [
                annotations.read_only_hint,
                annotations.destructive_hint,
                annotations.idempotent_hint,
                annotations.open_world_hint,
            ]
            .map(|hint| hint.unwrap())
        };
        assert_eq!(hints("GET"), [true, false, true, true]);
        assert_eq!(hints("POST"), [false, true, false, true]);
        assert_eq!(hints("PATCH"), [false, true, false, true]);
        assert_eq!(hints("PUT"), [false, true, true, true]);
        assert_eq!(hints("DELETE"), [false, true, true, true]);
    }
}
