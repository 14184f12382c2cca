//! Security schemes and requirements.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::document::{Document, cost_of_text, text};
use super::swagger;
use super::version::Dialect;
use crate::api::{Api, Security, SecurityScheme};
use crate::headers::{is_forbidden_header, is_token};
use crate::invisible::visible;

/// Schemes that one warning names.
const NAMED: usize = 5;
/// What a malformed requirement is read as.
const OPTIONAL: &str = "it is read as a credential that is optional";

/// Alternatives of one requirement that count.
const MOST_ALTERNATIVES: usize = 100;
/// Schemes of one alternative.
const MOST_SCHEMES: usize = 20;
/// Scopes of one scheme that count.
const MOST_SCOPES: usize = 500;
/// What the table of an alternative costs in memory, in bytes.
const TABLE_COST: usize = 640;

/// What a copy of a requirement costs, see [`Document::charge`].
pub(super) fn cost(security: &Security) -> usize {
    let of_scopes = |scopes: &Vec<String>| scopes.iter().map(|it| cost_of_text(it)).sum::<usize>();
    let schemes = security.iter().flatten();
    let inner = schemes.map(|(name, scopes)| cost_of_text(name) + of_scopes(scopes));
    security.len() * TABLE_COST + inner.sum::<usize>()
}

fn declared(document: &Document) -> Option<&Map<String, Value>> {
    if document.dialect == Dialect::Swagger2 {
        return document.root.get("securityDefinitions")?.as_object();
    }
    let components = document.root.get("components")?;
    components.get("securitySchemes")?.as_object()
}

/// The document's schemes; those that cannot be used are left out with a warning.
pub(super) fn schemes(
    document: &Document,
    warnings: &mut Vec<String>,
) -> BTreeMap<String, SecurityScheme> {
    let is_2 = document.dialect == Dialect::Swagger2;
    let mut schemes = BTreeMap::new();
    let mut unsupported = Vec::new();
    for (name, value) in declared(document).into_iter().flatten() {
        let read = document
            .resolve(value)
            .map_err(|error| error.to_string())
            .and_then(|value| {
                value
                    .as_object()
                    .ok_or_else(|| "it is no mapping".to_owned())
            });
        let read = read.and_then(|members| {
            let raised = is_2.then(|| swagger::scheme(members));
            let members = raised
                .as_ref()
                .and_then(Value::as_object)
                .unwrap_or(members);
            unsupported.extend(not_obtained(members).map(|what| (name, what)));
            scheme(members)
        });
        match read {
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
    if !unsupported.is_empty() {
        warnings.push(format!(
            "a token for {} is not fetched; give one that you have by `auth`",
            listed(
                unsupported
                    .iter()
                    .map(|(name, what)| format!("`{}` ({what})", visible(name)))
            )
        ));
    }
    schemes
}

/// What kind of scheme it is, where MCE gets no credential for it by itself.
fn not_obtained(members: &Map<String, Value>) -> Option<String> {
    match text(members, "type").as_str() {
        "mutualTLS" => Some("mutual TLS".to_owned()),
        "openIdConnect" => Some("OpenID Connect".to_owned()),
        "http" => {
            let scheme = text(members, "scheme").to_ascii_lowercase();
            let is_known = matches!(scheme.as_str(), "basic" | "bearer");
            (!is_known).then(|| format!("HTTP {}", visible(&scheme)))
        }
        "oauth2" => {
            let flows = members.get("flows").and_then(Value::as_object);
            let flows: Vec<&str> = flows
                .into_iter()
                .flatten()
                .map(|(flow, _)| flow.as_str())
                .collect();
            let is_known = flows.contains(&"clientCredentials");
            (!is_known).then(|| format!("OAuth 2.0 {}", visible(&flows.join(", "))))
        }
        _ => None,
    }
}

/// The first of some names, and how many more there are.
fn listed(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<String> = names.collect();
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    let shown = names.join(", ");
    if more == 0 {
        shown
    } else {
        format!("{shown} and {more} more")
    }
}

/// Names schemes that operations want and the document does not have, once for all of them.
pub(super) fn check_names(document: &Document, api: &mut Api) {
    let declared = declared(document);
    let wanted = api
        .operations
        .iter()
        .flat_map(|operation| &operation.security);
    let wanted = wanted.flat_map(BTreeMap::keys);
    let unknown: BTreeSet<&String> = wanted
        .filter(|name| declared.is_none_or(|declared| !declared.contains_key(*name)))
        .collect();
    if !unknown.is_empty() {
        let names = unknown.iter().map(|name| format!("`{}`", visible(name)));
        let text = format!(
            "operations want the security schemes {}, which the document does not declare",
            listed(names)
        );
        api.warnings.push(text);
    }
}

fn scheme(members: &Map<String, Value>) -> Result<SecurityScheme, String> {
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

/// The security that an operation states itself; `None` where it states none.
pub(super) fn of_operation(
    operation: &Map<String, Value>,
    warn: &mut dyn FnMut(String),
) -> Option<Security> {
    requirements(operation.get("security"), warn)
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
    let mut has_cut_scopes = false;
    for (index, alternative) in alternatives.iter().enumerate() {
        if index == MOST_ALTERNATIVES {
            warn(format!(
                "`security` has more than {MOST_ALTERNATIVES} alternatives: the rest is left out"
            ));
            break;
        }
        let Some(schemes) = alternative.as_object() else {
            warn(format!(
                "`security` has an entry that is no mapping: {OPTIONAL}"
            ));
            requirements.push(BTreeMap::new());
            continue;
        };
        if schemes.len() > MOST_SCHEMES {
            // A part of its schemes would not be enough.
            warn(format!(
                "`security` has an alternative of more than {MOST_SCHEMES} schemes, which is left out"
            ));
            continue;
        }
        let mut read = BTreeMap::new();
        for (name, scopes) in schemes {
            let scopes = scopes.as_array().map(Vec::as_slice).unwrap_or_default();
            has_cut_scopes |= scopes.len() > MOST_SCOPES;
            let scopes = scopes.iter().take(MOST_SCOPES).filter_map(Value::as_str);
            read.insert(name.clone(), scopes.map(str::to_owned).collect());
        }
        requirements.push(read);
    }
    if has_cut_scopes {
        warn(format!(
            "`security` names more than {MOST_SCOPES} scopes of a scheme: the rest is left out"
        ));
    }
    if requirements.is_empty() && !alternatives.is_empty() {
        requirements.push(BTreeMap::new());
    }
    Some(requirements)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: &Value) -> (Security, Vec<String>) {
        let mut warnings = Vec::new();
        let security = requirements(Some(value), &mut |text| warnings.push(text));
        (security.unwrap(), warnings)
    }

    #[test]
    fn endless_requirements_are_cut_and_none_becomes_no_credential() {
        let scopes = vec!["s"; 501];
        let (security, warnings) = read(&Value::Array(vec![json!({"a": scopes}); 101]));
        assert_eq!(security.len(), 100);
        assert!(security.iter().all(|it| it["a"].len() == 500));
        assert_eq!(warnings.len(), 2, "{warnings:?}");
        let schemes: Map<String, Value> = (0..21).map(|it| (it.to_string(), json!([]))).collect();
        // A credential is optional, where `[]` would say that none is sent.
        let (security, warnings) = read(&json!([schemes]));
        assert_eq!((security, warnings.len()), (vec![BTreeMap::new()], 1));
        assert_eq!(read(&json!([])), (Vec::new(), Vec::new()));
    }

    #[test]
    fn no_key_is_sent_in_a_header_that_the_config_refuses() {
        for name in ["X-Original-Host", "X-Forwarded", "x_original_url", "Host"] {
            let value = json!({"type": "apiKey", "in": "header", "name": name});
            assert!(scheme(value.as_object().unwrap()).is_err(), "{name}");
        }
        let value = json!({"type": "apiKey", "in": "header", "name": "X-Api-Key"});
        assert!(scheme(value.as_object().unwrap()).is_ok());
    }
}
