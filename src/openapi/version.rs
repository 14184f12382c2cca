//! Which version of the specification a document is written in.

use serde_json::{Map, Value};

use super::document::ReadError;
use crate::invisible::visible;

/// The specification's versions, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Dialect {
    /// Swagger 2.0.
    Swagger2,
    /// OpenAPI 3.0.
    V3_0,
    /// OpenAPI 3.1.
    V3_1,
    /// OpenAPI 3.2.
    V3_2,
}

impl Dialect {
    /// Whether keywords beside a schema's `$ref` count, as in JSON Schema 2020-12.
    pub(super) fn has_reference_siblings(self) -> bool {
        self >= Self::V3_1
    }

    /// Whether schemas have `$id`s and anchors, as in JSON Schema 2020-12.
    pub(super) fn has_named_schemas(self) -> bool {
        self >= Self::V3_1
    }

    /// Whether multipart bodies have styles, as URL-encoded ones do. 3.0 alone says that they have
    /// none.
    pub(super) fn has_multipart_styles(self) -> bool {
        self != Self::V3_0
    }

    /// Whether a media type without an encoding as text says that a string is bytes.
    pub(super) fn has_content_media_types(self) -> bool {
        self >= Self::V3_1
    }

    /// Whether a document may give itself a URI (`$self`).
    pub(super) fn has_own_uri(self) -> bool {
        self >= Self::V3_2
    }

    /// Whether path items have `query` and `additionalOperations`.
    pub(super) fn has_further_methods(self) -> bool {
        self >= Self::V3_2
    }
}

/// The dialect of a document, and its version as the document spells it.
pub(super) fn of(root: &Map<String, Value>) -> Result<(Dialect, String), ReadError> {
    let (key, value) = match (root.get("openapi"), root.get("swagger")) {
        (Some(_), Some(_)) => {
            return Err(ReadError::Version(
                "the document has both `openapi` and `swagger`; remove the one that is wrong"
                    .to_owned(),
            ));
        }
        (Some(value), None) => ("openapi", value),
        (None, Some(value)) => ("swagger", value),
        (None, None) => {
            return Err(ReadError::NotADocument(
                "its root has no `openapi` or `swagger` key with the version".to_owned(),
            ));
        }
    };
    let version = match value {
        Value::String(version) => version.trim().to_owned(),
        Value::Number(version) => version.to_string(),
        _ => {
            return Err(ReadError::Version(format!(
                "`{key}` must be a version such as `{}`",
                if key == "swagger" { "2.0" } else { "3.1.0" }
            )));
        }
    };
    let mut parts = version.split('.');
    let dialect = match (key, parts.next(), parts.next()) {
        // Unquoted, `2.0` may have become the number 2 on its way through some tool.
        ("swagger", Some("2"), Some("0") | None) => Some(Dialect::Swagger2),
        ("openapi", Some("3"), Some("0")) => Some(Dialect::V3_0),
        ("openapi", Some("3"), Some("1")) => Some(Dialect::V3_1),
        ("openapi", Some("3"), Some("2")) => Some(Dialect::V3_2),
        _ => None,
    };
    if let Some(dialect) = dialect.filter(|_| version.len() < 40) {
        return Ok((dialect, version));
    }
    let shown: String = visible(&version).chars().take(40).collect();
    Err(ReadError::Version(format!(
        "`{key}: {shown}` is not supported; expected Swagger 2.0 or OpenAPI 3.0, 3.1 or 3.2"
    )))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn dialect(root: &Value) -> Result<Dialect, String> {
        of(root.as_object().unwrap())
            .map(|(dialect, _)| dialect)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn versions_are_read_as_text_and_as_numbers() {
        for (root, expected) in [
            (json!({"swagger": "2.0"}), Dialect::Swagger2),
            (json!({"swagger": 2.0}), Dialect::Swagger2),
            (json!({"swagger": 2}), Dialect::Swagger2),
            (json!({"openapi": "3.0.4"}), Dialect::V3_0),
            (json!({"openapi": 3.1}), Dialect::V3_1),
            (json!({"openapi": "3.2.0-rc1"}), Dialect::V3_2),
        ] {
            assert_eq!(dialect(&root), Ok(expected), "{root}");
        }
        for root in [
            json!({"swagger": "1.2"}),
            json!({"swagger": "3.0.0"}),
            json!({"openapi": "2.0"}),
            json!({"openapi": "4.0.0"}),
            json!({"openapi": ["3.0.0"]}),
            json!({"openapi": "3.0.0", "swagger": "2.0"}),
            json!({}),
        ] {
            assert!(dialect(&root).is_err(), "{root}");
        }
    }
}
