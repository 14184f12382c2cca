//! Security schemes and requirements.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::document::{Document, text};
use crate::api::{Security, SecurityScheme};
use crate::headers::{is_forbidden_header, is_token};
use crate::invisible::visible;

/// What a malformed requirement is read as.
const OPTIONAL: &str = "it is read as a credential that is optional";

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

/// The security of operations that name none of their own.
pub(super) fn of_document(document: &Document, warnings: &mut Vec<String>) -> Security {
    // Nothing is said: a credential may be needed, and does no harm.
    requirements(document.root.get("security"), &mut |text| {
        warnings.push(format!("the document's {text}"));
    })
    .unwrap_or_else(|| vec![BTreeMap::new()])
}

/// The effective security of an operation.
pub(super) fn of_operation(
    operation: &Map<String, Value>,
    inherited: &Security,
    warn: &mut dyn FnMut(String),
) -> Security {
    requirements(operation.get("security"), warn).unwrap_or_else(|| inherited.clone())
}

/// What a `security` says; `None` where it says nothing. What is malformed means that a
/// credential is optional, never that none is sent: that is for `[]` alone to say.
fn requirements(value: Option<&Value>, warn: &mut dyn FnMut(String)) -> Option<Security> {
    let value = value.filter(|value| !value.is_null())?;
    let Some(alternatives) = value.as_array() else {
        warn(format!("`security` is no list: {OPTIONAL}"));
        return Some(vec![BTreeMap::new()]);
    };
    let mut requirements = Vec::new();
    for alternative in alternatives {
        let Some(schemes) = alternative.as_object() else {
            warn(format!(
                "`security` has an entry that is no mapping: {OPTIONAL}"
            ));
            requirements.push(BTreeMap::new());
            continue;
        };
        let schemes = schemes.iter().map(|(name, scopes)| {
            let scopes = scopes.as_array().into_iter().flatten();
            let scopes = scopes.filter_map(Value::as_str).map(str::to_owned);
            (name.clone(), scopes.collect())
        });
        requirements.push(schemes.collect());
    }
    Some(requirements)
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
