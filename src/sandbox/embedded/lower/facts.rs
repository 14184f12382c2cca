//! What the code as a whole does, for rules that depend on it.

use super::Known;
use super::imports::RUNTIME;
use super::scope::{Scopes, Site};

/// Facts on a module.
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are independent of each other"
)]
pub struct Facts {
    /// Whether it imports a compiled server, so that any value may be an error with fields.
    pub has_api_errors: bool,
    /// Whether `asyncio` comes from the bridge, whose tasks and futures are no native awaitables.
    pub bridges_asyncio: bool,
    /// Whether what is gone over may do something while that happens.
    pub has_iterators: bool,
    /// Whether annotations are not evaluated.
    pub postpones: bool,
    /// Whether a `key` may be what `functools.cmp_to_key` gives.
    pub compares: bool,
}

impl Facts {
    pub fn of(source: &str, scopes: &Scopes<'_>, known: &Known<'_>) -> Self {
        let mut has_api_errors = false;
        let mut bridges_asyncio = false;
        let mut postpones = false;
        let mut has_iterators = ["yield", "__next__", "__iter__", "iter(", "itertools", "csv"]
            .iter()
            .any(|word| source.contains(word));
        for (_, binding) in scopes.bindings() {
            for site in &binding.sites {
                if let Site::Import(module, name) = site {
                    postpones |= *module == "__future__" && *name == Some("annotations");
                    let top = module.split('.').next().unwrap_or(module);
                    if known.servers.contains_key(top) || top == RUNTIME {
                        has_api_errors = true;
                        // Its functions may give streams and pages.
                        has_iterators = true;
                    }
                    bridges_asyncio |= top == "asyncio" && known.bridged.contains_key("asyncio");
                }
            }
        }
        Self {
            has_api_errors,
            bridges_asyncio,
            has_iterators,
            postpones,
            compares: source.contains("cmp_to_key"),
        }
    }
}
