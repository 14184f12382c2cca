//! Security schemes and requirements.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::document::{Document, text};
use crate::api::{Security, SecurityScheme};
use crate::headers::{is_forbidden_header, is_token};
use crate::invisible::visible;

/// The document's schemes; those that cannot be used are left out with a warning.
pub(super) fn schemes(
    document: &Document,
    warnings: &mut Vec<String>,
) -> BTreeMap<String, SecurityScheme> {
    let declared = document
        .root
        .get("components")
        .and_then(|components| components.get("securitySchemes"))
        .and_then(Value::as_object);
    let mut schemes = BTreeMap::new();
    for (name, value) in declared.into_iter().flatten() {
        match document
            .resolve(value)
            .map_err(|error| error.to_string())
            .and_then(scheme)
        {
            Ok(scheme) => {
                schemes.insert(name.clone(), scheme);
            }
            Err(reason) => {
                warnings.push(format!(
                    "security scheme `{}` is left out: {reason}",
                    visible(name)
                ));
            }
        }
    }
    schemes
}

fn scheme(value: &Value) -> Result<SecurityScheme, String> {
    let members = value.as_object().ok_or("it is no mapping")?;
    let kind = text(members, "type");
    let mut scheme = SecurityScheme {
        r#type: kind.clone(),
        scheme: None,
        r#in: None,
        name: None,
    };
    match kind.as_str() {
        "apiKey" => {
            let location = text(members, "in");
            let name = text(members, "name");
            let usable = match location.as_str() {
                "header" => {
                    is_token(&name)
                        && !is_forbidden_header(&name)
                        && !name.eq_ignore_ascii_case("cookie")
                }
                "query" => !name.is_empty(),
                "cookie" => is_token(&name),
                _ => false,
            };
            if !usable {
                return Err(format!(
                    "no key is sent in {} `{}`",
                    visible(&location),
                    visible(&name)
                ));
            }
            scheme.r#in = Some(location);
            scheme.name = Some(name);
        }
        "http" => scheme.scheme = Some(text(members, "scheme").to_ascii_lowercase()),
        "oauth2" | "openIdConnect" | "mutualTLS" => {}
        other => return Err(format!("its type `{}` is unknown", visible(other))),
    }
    Ok(scheme)
}

/// The effective security of an operation.
pub(super) fn requirements(document: &Document, operation: &Map<String, Value>) -> Security {
    let value = operation
        .get("security")
        .or_else(|| document.root.get("security"));
    let Some(Value::Array(alternatives)) = value else {
        // Nothing is said: a credential may be needed, and does no harm.
        return vec![BTreeMap::new()];
    };
    alternatives
        .iter()
        .filter_map(Value::as_object)
        .map(|schemes| {
            schemes
                .iter()
                .map(|(name, scopes)| {
                    let scopes = scopes.as_array().into_iter().flatten();
                    let scopes = scopes
                        .filter_map(Value::as_str)
                        .map(str::to_owned)
                        .collect();
                    (name.clone(), scopes)
                })
                .collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_key_is_sent_in_a_header_that_the_config_refuses() {
        for name in ["X-Original-Host", "X-Forwarded", "x_original_url", "Host"] {
            let value = json!({"type": "apiKey", "in": "header", "name": name});
            assert!(scheme(&value).is_err(), "{name}");
        }
        let value = json!({"type": "apiKey", "in": "header", "name": "X-Api-Key"});
        assert!(scheme(&value).is_ok());
    }
}
