//! The guard's policy, read from `config/guard.toml`.

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

use super::CompiledNames;

static BUILT_IN: LazyLock<Result<Policy, toml::de::Error>> =
    LazyLock::new(|| Policy::parse(include_str!("../../config/guard.toml")));

/// What code may use.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Policy {
    /// Built-in names that may not be referred to, with what to do instead.
    pub(super) denied_names: HashMap<String, String>,
    pub(super) names: Names,
    pub(super) attributes: Attributes,
    /// Per module, keywords of its callables and the literals they may have.
    pub(super) call_keywords: HashMap<String, HashMap<String, Vec<String>>>,
    blocked_modules: HashMap<String, String>,
    modules: HashMap<String, Module>,
    /// Packages of the modules.
    #[serde(skip)]
    packages: HashSet<String>,
}

/// Rules for dunder names.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Names {
    pub(super) readable: HashSet<String>,
    pub(super) assignable: HashSet<String>,
}

/// Rules for attributes of objects that are not modules.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Attributes {
    pub(super) dunder_readable: HashSet<String>,
    pub(super) dunder_assignable: HashSet<String>,
    pub(super) class_hooks: HashSet<String>,
    pub(super) dunder_keywords: HashSet<String>,
    pub(super) private_readable: HashSet<String>,
    pub(super) internals: HashSet<String>,
    pub(super) internal_prefixes: Vec<String>,
    pub(super) denied: HashSet<String>,
    pub(super) modules: HashSet<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Module {
    names: HashSet<String>,
}

impl Policy {
    /// The policy compiled into the binary.
    pub(super) fn built_in() -> Result<&'static Self, &'static toml::de::Error> {
        BUILT_IN.as_ref()
    }

    fn parse(text: &str) -> Result<Self, toml::de::Error> {
        let mut policy: Self = toml::from_str(text)?;
        for module in policy.modules.keys() {
            let dots = module.match_indices('.');
            let packages = dots
                .filter_map(|(end, _)| module.get(..end))
                .map(str::to_owned);
            policy.packages.extend(packages);
        }
        Ok(policy)
    }

    /// Whether a module may be imported.
    pub(super) fn allows(&self, module: &str) -> bool {
        self.modules.contains_key(module)
    }

    /// Whether a name is an allowed module or a package of one.
    pub(super) fn is_module(&self, name: &str) -> bool {
        self.allows(name) || self.packages.contains(name)
    }

    /// The names that may be taken from a module.
    pub(super) fn names_of(&self, module: &str) -> Option<&HashSet<String>> {
        self.modules.get(module).map(|module| &module.names)
    }

    /// What to do instead of importing a module: the message of the module or of a package of it.
    pub(super) fn instead_of(&self, module: &str) -> Option<&str> {
        let mut name = module;
        loop {
            if let Some(hint) = self.blocked_modules.get(name) {
                return Some(hint);
            }
            name = name.rsplit_once('.')?.0;
        }
    }

    /// All modules that may be imported, sorted.
    pub(super) fn importable(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.modules.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }
}

/// A module of a compiled server: `Some(server)` for `server.functions`.
pub(super) fn compiled_functions<'n>(module: &'n str, names: &CompiledNames) -> Option<&'n str> {
    let server = module.strip_suffix(".functions")?;
    names.contains_key(server).then_some(server)
}

#[cfg(test)]
mod tests {
    use super::Policy;

    #[test]
    fn compiled_in_policy_is_readable_and_consistent() {
        let policy = Policy::built_in().unwrap();
        assert!(policy.allows("urllib.parse") && !policy.allows("urllib"));
        assert!(policy.is_module("urllib"));
        assert!(
            policy.blocked_modules.len() >= 70,
            "both seeds' lists have messages"
        );
        for module in policy.blocked_modules.keys() {
            assert!(
                !policy.allows(module),
                "{module} is both allowed and blocked"
            );
        }
        for (module, entry) in &policy.modules {
            for name in &entry.names {
                assert!(
                    !policy.attributes.modules.contains(name),
                    "{module}.{name} is a module"
                );
                assert!(!name.starts_with('_'), "{module}.{name} is private");
            }
        }
    }

    #[test]
    fn unknown_key_of_a_policy_is_an_error() {
        let text = format!("typo = 1\n{}", include_str!("../../config/guard.toml"));
        let error = Policy::parse(&text).unwrap_err().to_string();
        assert!(error.contains("typo"), "{error}");
    }
}
