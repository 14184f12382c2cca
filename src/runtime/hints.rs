//! What to do about the usual mistakes, told by what the host knows: the functions that there are,
//! their signatures, the libraries of the sandbox, the variable of a credential.

use super::Runtime;
use super::discovery::{libraries, nearest};
use super::excerpt::one_line_signature;
use super::result::{ErrorType, ExecutionResult};
use crate::broker::Target;
use crate::guard::Facts;

/// Bound on a signature, in characters.
const SIGNATURE_CHARS: usize = 600;
/// Names that a hint lists.
const LISTED: usize = 10;

impl Runtime {
    /// Adds what to do about an error that names something which the host knows better than the
    /// sandbox.
    pub(super) async fn hint_of_names(&self, result: &mut ExecutionResult, facts: &Facts) {
        if result.error_type != Some(ErrorType::Execution) {
            return;
        }
        let Some(error) = result.error.clone() else {
            return;
        };
        if let Some(name) = undefined_name(&error) {
            if let Some(hint) = self.hint_of_name(name, facts).await {
                result.advise(hint);
            }
        } else if let Some(function) = called_wrongly(&error) {
            if let Some(hint) = self.hint_of_signature(function, facts).await {
                result.advise(hint);
            }
        } else if error.contains("can't be used in 'await' expression")
            || error.contains("requires an object with __aiter__")
        {
            // The call was made before its value turned out to be no awaitable.
            result.advise(
                "`f(...)` gives its value at once; await `f.aio(...)`, loop over `f.items.aio(...)`; \
                 the calls in `calls` were made: do not repeat one that changes something",
            );
        } else if error.starts_with("ModuleNotFoundError") {
            result.advise(self.hint_of_modules());
        }
    }

    /// Where a name that the code did not define is a function, or is like one.
    async fn hint_of_name(&self, name: &str, facts: &Facts) -> Option<String> {
        let imported: Vec<String> = facts.servers.iter().cloned().collect();
        let imported = self.registry.servers(imported).await;
        let manifests = imported
            .iter()
            .filter_map(|(_, served)| Some(served.as_ref().ok()?.manifest()));
        let functions: Vec<(&str, &str)> = manifests
            .flat_map(|manifest| {
                let functions = manifest.functions.iter();
                functions.map(|function| (manifest.server.as_str(), function.name.as_str()))
            })
            .collect();
        if let Some((server, _)) = functions.iter().find(|(_, function)| *function == name) {
            return Some(format!(
                "`{name}` is a function of `{server}`: `from {server}.functions import {name}`"
            ));
        }
        let near = nearest(name, functions.iter().map(|(_, function)| *function));
        if near.is_empty() {
            return None;
        }
        let near = near.iter().filter_map(|near| {
            let (server, function) = functions.iter().find(|(_, it)| it == near)?;
            Some(format!("`{server}.{function}`"))
        });
        let near: Vec<_> = near.collect();
        Some(format!("functions with names like it: {}", near.join(", ")))
    }

    /// The signature of a function that was called with the wrong arguments.
    async fn hint_of_signature(&self, function: &str, facts: &Facts) -> Option<String> {
        let (server, function) = facts.functions.iter().find(|(_, it)| it == function)?;
        let compiled = self.registry.readable(server).await?.ok()?;
        let line = one_line_signature(&compiled.module, function, SIGNATURE_CHARS)?;
        Some(format!("its signature: `{line}`"))
    }

    /// What can be imported, really.
    fn hint_of_modules(&self) -> String {
        let has_libraries = self.engine.has_libraries();
        let servers: Vec<&str> = self.registry.names().take(LISTED).collect();
        let mut hint = if has_libraries {
            let libraries = libraries(&self.guard).join(", ");
            format!("the sandbox has the standard library and {libraries}")
        } else {
            "the embedded sandbox has a part of the standard library".to_owned()
        };
        if !servers.is_empty() {
            hint.push_str(" and, as `SERVER.functions`, ");
            hint.push_str(&servers.join(", "));
            if self.registry.names().nth(LISTED).is_some() {
                hint.push_str(", …");
            }
        }
        if has_libraries {
            hint.push_str("; the operator adds packages by `MCE_SANDBOX_PACKAGES`");
        }
        hint
    }

    /// Adds what to do about calls whose credential an API refused. The variable is named, nothing
    /// of its value is known here.
    pub(super) fn hint_of_credentials(&self, result: &mut ExecutionResult) {
        if result.error_type != Some(ErrorType::Api) {
            return;
        }
        let refused = result.calls.iter().rev();
        let refused = refused.filter_map(|call| Some((call, call.status?)));
        let Some((call, status)) = refused
            .clone()
            .find(|(_, status)| matches!(status, 401 | 403))
        else {
            return;
        };
        let targets = self.registry.targets();
        let Some(target) = targets.get(&call.server) else {
            return;
        };
        let hint = credential_hint(target, &call.function, status);
        result.advise(hint);
    }
}

fn credential_hint(target: &Target, function: &str, status: u16) -> String {
    let manifest = &target.manifest;
    let security = manifest.function(function).map(|it| it.security.as_slice());
    let mut schemes = security
        .into_iter()
        .flatten()
        .flat_map(|alternative| alternative.keys())
        .filter_map(|name| manifest.security_schemes.get(name));
    let is_key = schemes.next().is_some_and(|first| {
        first.r#type == "apiKey" && schemes.all(|other| other.r#type == "apiKey")
    });
    let variable = target
        .config
        .env_name(if is_key { "API_KEY" } else { "AUTH" });
    let server = &manifest.server;
    if target.config.auth.is_some() {
        format!(
            "`{server}` refused the credential ({status}): the operator checks `auth` of `{server}` \
             in swaggers.yaml; code cannot change it"
        )
    } else {
        format!(
            "`{server}` wants a credential, or another one ({status}): the operator sets \
             `{variable}`; code cannot"
        )
    }
}

/// The name of `NameError: name 'x' is not defined`.
fn undefined_name(error: &str) -> Option<&str> {
    let rest = error.strip_prefix("NameError: name '")?;
    let (name, _) = rest.split_once('\'')?;
    is_name(name).then_some(name)
}

/// The function of `TypeError: f() got an unexpected keyword argument` and its like.
fn called_wrongly(error: &str) -> Option<&str> {
    let rest = error.strip_prefix("TypeError: ")?;
    let (name, _) = rest.split_once("()")?;
    is_name(name).then_some(name)
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.len() <= 200 && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::fixture;

    fn target(auth: Option<crate::config::Auth>, scheme: &str) -> Target {
        let mut manifest = fixture::manifest("pets", &[("get_pet", "GET")], "");
        manifest["security_schemes"]["s"] =
            serde_json::json!({"type": scheme, "scheme": null, "in": null, "name": null});
        manifest["functions"][0]["security"] = serde_json::json!([{"s": []}]);
        Target {
            manifest: std::sync::Arc::new(serde_json::from_value(manifest).unwrap()),
            config: std::sync::Arc::new(crate::config::ServerConfig {
                name: "pets".to_owned(),
                auth,
                ..crate::config::ServerConfig::default()
            }),
            read_only: false,
        }
    }

    #[test]
    fn a_refused_credential_names_the_variable_that_holds_it() {
        assert_eq!(
            credential_hint(&target(None, "http"), "get_pet", 401),
            "`pets` wants a credential, or another one (401): the operator sets `MCE_PETS_AUTH`; \
             code cannot"
        );
        let hint = credential_hint(&target(None, "apiKey"), "get_pet", 403);
        assert!(hint.contains("`MCE_PETS_API_KEY`"), "{hint}");
        let auth = crate::config::Auth::Jwt {
            token: crate::config::Template::default(),
        };
        let hint = credential_hint(&target(Some(auth), "http"), "get_pet", 403);
        assert!(hint.contains("checks `auth` of `pets`"), "{hint}");
    }

    #[test]
    fn names_are_read_from_the_errors_of_python() {
        assert_eq!(
            undefined_name("NameError: name 'get_pett' is not defined. Did you mean: 'get_pet'?"),
            Some("get_pett")
        );
        assert_eq!(undefined_name("NameError: name '`; x' is"), None);
        assert_eq!(undefined_name("ValueError: name 'x' is"), None);
        assert_eq!(
            called_wrongly("TypeError: get_pet() got an unexpected keyword argument 'id'"),
            Some("get_pet")
        );
        assert_eq!(called_wrongly("TypeError: unhashable type: 'list'"), None);
    }
}
