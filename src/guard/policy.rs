//! What code may use: `config/guard.toml`, or a file that changes it or takes its place.
//!
//! - `reader`: from the text to a `file`, with the place of every entry.
//! - `build`: from a file, and the policy it extends, to the policy.
//! - `rules`: what is wrong in a file whose types are right.
//! - `words` and `spelling`: which names there are, and what a misspelt one was meant to be.

mod build;
mod error;
mod file;
mod reader;
mod rules;
mod spelling;
mod words;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use super::CompiledNames;

pub(super) use build::root_package;
pub use error::{PolicyComplaint, PolicyError};

/// What code may use.
#[derive(Debug, Clone, Default)]
pub(super) struct Policy {
    /// Built-in names that may not be referred to, with what to do instead.
    pub(super) denied_names: HashMap<String, String>,
    pub(super) names: Names,
    pub(super) attributes: Attributes,
    /// Classes of modules that may not be extended, by their full names, with what to do instead.
    pub(super) denied_bases: HashMap<String, String>,
    /// Decorators by their full names, with what to do instead.
    pub(super) denied_decorators: HashMap<String, String>,
    /// Per module, keywords of its callables and the literals they may have.
    pub(super) call_keywords: HashMap<String, HashMap<String, Vec<String>>>,
    blocked_modules: HashMap<String, String>,
    modules: HashMap<String, Module>,
    /// Packages of the modules, with the last part of the name of what is in them.
    packages: HashMap<String, HashSet<String>>,
}

/// Rules for dunder names.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    pub(super) readable: HashSet<String>,
    pub(super) assignable: HashSet<String>,
}

/// Rules for attributes of objects that are not modules.
#[derive(Debug, Clone, Default)]
pub(super) struct Attributes {
    pub(super) dunder_readable: HashSet<String>,
    pub(super) dunder_assignable: HashSet<String>,
    pub(super) class_hooks: HashSet<String>,
    /// Those of them that methods may call of their own object.
    pub(super) operators: HashSet<String>,
    pub(super) dunder_keywords: HashSet<String>,
    pub(super) private_readable: HashSet<String>,
    pub(super) internals: HashSet<String>,
    pub(super) internal_prefixes: Vec<String>,
    pub(super) denied: HashSet<String>,
    /// Those of the denied or private names that lead from objects of asyncio to its event loop.
    pub(super) of_event_loops: HashSet<String>,
    pub(super) modules: HashSet<String>,
}

/// What may be taken from a module.
#[derive(Debug, Clone, Default)]
struct Module {
    /// These names; where there is no list, every public one.
    names: Option<HashSet<String>>,
    /// But not these.
    denied: HashSet<String>,
}

impl Policy {
    /// Reads a policy file; `built_in` is what it may extend.
    pub(super) fn parse(text: &str, built_in: Option<&Self>) -> Result<Self, PolicyError> {
        let mut reader = reader::Reader::new(text);
        let mut policy = Self::default();
        if let Some(file) = reader.file(text) {
            let base = built_in.filter(|_| file.extends);
            policy = build::policy(&file, base);
            rules::check(&mut reader, &file, base, &policy);
        }
        reader.finish()?;
        Ok(policy)
    }

    /// Whether a module may be imported.
    pub(super) fn allows(&self, module: &str) -> bool {
        self.modules.contains_key(module)
    }

    /// Whether a name is an allowed module or a package of one.
    pub(super) fn is_module(&self, name: &str) -> bool {
        self.allows(name) || self.packages.contains_key(name)
    }

    /// Whether a name may be taken from a module.
    pub(super) fn offers(&self, module: &str, name: &str) -> bool {
        let Some(rules) = self.modules.get(module) else {
            return false;
        };
        match &rules.names {
            Some(names) => names.contains(name),
            None => self.is_public(name) && !rules.denied.contains(name),
        }
    }

    /// Whether a package has an allowed module, or a package of one, of that name.
    pub(super) fn has_part(&self, package: &str, name: &str) -> bool {
        let parts = self.packages.get(package);
        parts.is_some_and(|parts| parts.contains(name))
    }

    /// Whether a name is one that a module offers where it has no list: not private, not another
    /// module, and nothing that may not be used on any object.
    fn is_public(&self, name: &str) -> bool {
        let rules = &self.attributes;
        let refused = [&rules.modules, &rules.denied, &rules.internals];
        !name.starts_with('_') && !refused.iter().any(|names| names.contains(name))
    }

    /// Whether a name was taken off the list of its module.
    pub(super) fn denies(&self, module: &str, name: &str) -> bool {
        let module = self.modules.get(module);
        module.is_some_and(|rules| rules.denied.contains(name))
    }

    /// The names that a module lists.
    pub(super) fn listed(&self, module: &str) -> impl Iterator<Item = &str> {
        let names = self.modules.get(module).and_then(|it| it.names.as_ref());
        names.into_iter().flatten().map(String::as_str)
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

/// The module of a compiled server that holds its functions.
pub(super) const FUNCTIONS: &str = "functions";

/// A module of a compiled server: `Some(server)` for `server.functions`.
pub(super) fn compiled_functions<'n>(module: &'n str, names: &CompiledNames) -> Option<&'n str> {
    let (server, part) = module.rsplit_once('.')?;
    (part == FUNCTIONS && names.contains_key(server)).then_some(server)
}

#[cfg(test)]
mod tests;
