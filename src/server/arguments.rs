//! The arguments of the tools. Unknown ones are errors, so that a misspelt `timeout` is not
//! silently none.

use std::time::Duration;

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::runtime::{FunctionName, SearchRequest, SessionChoice};

/// The arguments of `list_servers`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListServers {
    #[serde(default)]
    pub(super) cursor: Option<String>,
}

/// The arguments of `get_functions`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GetFunctions {
    #[serde(default, deserialize_with = "one_to_five")]
    pub(super) functions: Vec<FunctionName>,
    #[serde(default, deserialize_with = "at_most_ten")]
    pub(super) types: Vec<String>,
}

/// The arguments of `search_functions`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchFunctions {
    pub(super) query: String,
    #[serde(default)]
    pub(super) server: Option<String>,
    #[serde(default)]
    pub(super) tag: Option<String>,
    #[serde(default)]
    pub(super) limit: Option<usize>,
    #[serde(default)]
    pub(super) detail: bool,
}

impl From<SearchFunctions> for SearchRequest {
    fn from(given: SearchFunctions) -> Self {
        Self {
            query: given.query,
            server: given.server,
            tag: given.tag,
            limit: given.limit,
            detail: given.detail,
        }
    }
}

/// The arguments of `execute_code`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExecuteCode {
    pub(super) code: String,
    pub(super) description: String,
    #[serde(default)]
    pub(super) timeout: Option<Seconds>,
    #[serde(default)]
    pub(super) dry_run: bool,
    #[serde(default)]
    pub(super) session_id: Option<String>,
}

/// The arguments of `run_cached_code`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunCachedCode {
    pub(super) cache_id: String,
    #[serde(default)]
    pub(super) params: Option<Map<String, Value>>,
    #[serde(default)]
    pub(super) timeout: Option<Seconds>,
    #[serde(default)]
    pub(super) session_id: Option<String>,
}

/// The arguments of `end_session`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EndSession {
    pub(super) session_id: String,
}

/// The session that an argument asks for.
pub(super) fn session(id: Option<String>) -> Option<SessionChoice> {
    id.map(|id| {
        if id == "new" {
            SessionChoice::New
        } else {
            SessionChoice::Existing(id)
        }
    })
}

/// A time limit: a positive number of seconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seconds(Duration);

impl Seconds {
    pub(super) fn length(self) -> Duration {
        self.0
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let given = Value::deserialize(deserializer)?;
        let seconds = given.as_f64();
        let length = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        length
            .filter(|length| !length.is_zero())
            .map(Self)
            .ok_or_else(|| {
                let given: String = given.to_string().chars().take(40).collect();
                D::Error::custom(format!(
                    "`timeout` is {given}, expected a number of seconds above 0, such as 30"
                ))
            })
    }
}

fn one_to_five<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<FunctionName>, D::Error> {
    let items = Vec::<Value>::deserialize(deserializer)?;
    if items.is_empty() || items.len() > 5 {
        let message = format!("`functions` has {} items, expected 1 to 5", items.len());
        return Err(D::Error::custom(message));
    }
    items
        .into_iter()
        .map(|item| {
            serde_json::from_value(item).map_err(|_| {
                D::Error::custom(
                    "an item of `functions` is neither `\"server.function\"` nor `{\"server\", \"name\"}`",
                )
            })
        })
        .collect()
}

fn at_most_ten<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let types = Vec::<String>::deserialize(deserializer)?;
    if types.len() > 10 {
        let message = format!("`types` has {} items, expected at most 10", types.len());
        return Err(D::Error::custom(message));
    }
    Ok(types)
}

/// The arguments, or what is wrong with them.
pub(super) fn parse<T: DeserializeOwned>(given: Map<String, Value>) -> Result<T, String> {
    let whole = Value::Object(given);
    // Read from a reference, so that what is wrong can be looked for afterwards.
    let error = match T::deserialize(&whole) {
        Ok(read) => return Ok(read),
        Err(error) => error.to_string(),
    };
    let Value::Object(given) = whole else {
        return Err(format!("arguments: {error}"));
    };
    // The complaint is about the one argument without which it would be another. To try them all
    // costs as many copies, and no tool has this many.
    let are_few = given.len() <= 16;
    let culprit = given.keys().filter(|_| are_few).find(|name| {
        let mut others = given.clone();
        others.remove(name.as_str());
        let missing = format!("missing field `{name}`");
        serde_json::from_value::<T>(Value::Object(others))
            .map_or_else(|error| error.to_string().contains(&missing), |_| true)
    });
    if let Some(name) = missing(&error) {
        return Err(format!("arguments: `{name}` is missing{}", purpose(name)));
    }
    Err(match culprit {
        Some(name) if !error.contains(&format!("`{name}`")) => {
            format!("arguments: `{name}`: {error}")
        }
        _ => format!("arguments: {error}"),
    })
}

/// The argument that an error of `serde` misses.
fn missing(error: &str) -> Option<&str> {
    let rest = error.strip_prefix("missing field `")?;
    rest.split_once('`').map(|(name, _)| name)
}

/// What an argument is for, to somebody who left it out.
fn purpose(name: &str) -> &'static str {
    match name {
        "code" => ": the Python to run, as text",
        "description" => {
            ": say in a few words what the code does, without the values of this run; it is kept \
             with the code in the cache"
        }
        "functions" => ": 1 to 5 names such as `\"server.function\"`",
        "cache_id" => ": a result of `execute_code` has it",
        "session_id" => ": a result of `execute_code` with `session_id: \"new\"` has it",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn very_many_unknown_arguments_are_answered_at_once() {
        let given = (0..100_000).map(|number| (format!("k{number}"), json!(0)));
        let started = std::time::Instant::now();
        assert!(parse::<Strict>(given.collect()).is_err());
        assert!(started.elapsed().as_secs() < 2);
    }

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its reading matters")]
    struct Strict {
        known: String,
    }

    fn parsed<T: DeserializeOwned>(given: Value) -> Result<T, String> {
        let Value::Object(given) = given else {
            panic!("an object");
        };
        parse(given)
    }

    #[test]
    fn a_misspelt_argument_is_an_error_that_names_it() {
        let error = parsed::<ExecuteCode>(json!({"code": "1", "description": "d", "time_out": 3}))
            .unwrap_err();
        assert!(error.contains("unknown field `time_out`"), "{error}");
        let error = parsed::<ExecuteCode>(json!({"code": "1"})).unwrap_err();
        assert!(
            error.starts_with("arguments: `description` is missing: say in a few words what"),
            "{error}"
        );
    }

    #[test]
    fn an_argument_of_the_wrong_type_is_named() {
        let error = parsed::<ExecuteCode>(json!({"code": null, "description": "d"})).unwrap_err();
        assert_eq!(
            error,
            "arguments: `code`: invalid type: null, expected a string"
        );
        let given = json!({"code": "1", "description": "d", "dry_run": "yes"});
        let error = parsed::<ExecuteCode>(given).unwrap_err();
        assert!(error.starts_with("arguments: `dry_run`: "), "{error}");
    }

    #[test]
    fn a_time_limit_is_a_positive_number_of_seconds() {
        let given = json!({"cache_id": "x", "timeout": 1.5, "params": null});
        let parsed_timeout = parsed::<RunCachedCode>(given).unwrap().timeout.unwrap();
        assert_eq!(parsed_timeout.length(), Duration::from_millis(1_500));
        for bad in [json!(0), json!(-1), json!("5"), json!(true)] {
            let given = json!({"cache_id": "x", "timeout": bad});
            let error = parsed::<RunCachedCode>(given).unwrap_err();
            let expected = format!(
                "arguments: `timeout` is {bad}, expected a number of seconds above 0, such as 30"
            );
            assert_eq!(error, expected);
        }
    }

    #[test]
    fn functions_are_named_either_way_and_are_one_to_five() {
        let given = json!({"functions": ["a.b", {"server": "a", "function": "c"}]});
        let GetFunctions { functions, .. } = parsed(given).unwrap();
        assert_eq!(functions[0], FunctionName::Dotted("a.b".to_owned()));
        assert!(matches!(&functions[1], FunctionName::Parts { function, .. } if function == "c"));
        // As `search_functions` gives them.
        let found =
            json!({"functions": [{"server": "a", "name": "c", "method": "GET", "path": "/c"}]});
        let GetFunctions { functions, .. } = parsed(found).unwrap();
        assert!(matches!(&functions[0], FunctionName::Parts { function, .. } if function == "c"));
        let error = parsed::<GetFunctions>(json!({"functions": []})).unwrap_err();
        assert!(error.contains("0 items, expected 1 to 5"), "{error}");
        let given = json!({"functions": ["a.b"], "types": vec!["T"; 11]});
        let error = parsed::<GetFunctions>(given).unwrap_err();
        assert!(error.contains("11 items, expected at most 10"), "{error}");
        let error = parsed::<GetFunctions>(json!({"functions": [7]})).unwrap_err();
        assert!(error.contains("neither"), "{error}");
    }

    /// `serde_json` keeps numbers as text here; they must come through structs and maps as numbers.
    #[test]
    fn numbers_keep_their_spelling() {
        let given: Map<String, Value> = serde_json::from_str(
            r#"{"cache_id": "x", "params": {"n": 12345678901234567890123, "f": 1.10}}"#,
        )
        .unwrap();
        let params = parse::<RunCachedCode>(given).unwrap().params.unwrap();
        assert_eq!(
            serde_json::to_string(&params).unwrap(),
            r#"{"n":12345678901234567890123,"f":1.10}"#
        );
    }
}
