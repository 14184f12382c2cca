//! Rules for imports and for what is taken from a module: default deny.

use crate::pysyntax::ast::{Alias, StmtImport, StmtImportFrom};
use crate::pysyntax::{Ranged, TextRange};

use super::check::Checker;
use super::finding::quoted;
use super::policy::{FUNCTIONS, compiled_functions};
use super::scope::ScopeKind;
use super::{LIBRARIES, hints, rule};

/// What every module of a compiled server offers beside its functions.
const SERVER_NAMES: [&str; 2] = ["ApiError", "NULL"];

/// How many similar names a hint lists.
const SUGGESTIONS: usize = 3;

impl Checker<'_> {
    /// Whether a dotted name is an allowed module, a compiled one, or a package of these.
    pub(super) fn is_module(&self, name: &str) -> bool {
        self.names.contains_key(name)
            || compiled_functions(name, self.names).is_some()
            || self.policy.is_module(name)
    }

    /// Whether a package has such a module of that name.
    pub(super) fn has_part(&self, package: &str, name: &str) -> bool {
        name == FUNCTIONS && self.names.contains_key(package) || self.policy.has_part(package, name)
    }

    /// `import a.b`.
    pub(super) fn check_import(&mut self, import: &StmtImport) {
        for alias in &import.names {
            self.check_module(alias.name.as_str(), alias.name.range);
        }
    }

    /// `from a import b`.
    pub(super) fn check_import_from(&mut self, import: &StmtImportFrom) {
        if import.level > 0 {
            let message = "relative imports have nothing to be relative to";
            let hint = "import the module by its full name";
            self.report(rule::IMPORT_RELATIVE, import.range, message, hint);
            return;
        }
        let Some(module) = &import.module else { return };
        if !self.check_module(module.as_str(), module.range) {
            return;
        }
        for alias in &import.names {
            if alias.name.as_str() == "*" {
                let message = "`import *` hides where names come from";
                let offering = if self.names.contains_key(module.as_str()) {
                    format!("{module}.functions")
                } else {
                    module.to_string()
                };
                let hint = format!("name what is used: `from {offering} import …`");
                self.report(rule::IMPORT_STAR, alias.range(), message, hint);
            } else {
                self.check_member(module.as_str(), alias.name.as_str(), alias.name.range);
            }
        }
    }

    /// An import in a class body, of which what it binds is an attribute that objects carry about.
    pub(super) fn check_import_in_class(&mut self, alias: &Alias) {
        if self.scopes.kind(self.scope()) == ScopeKind::Class {
            let message = "an import in a class makes what it imports an attribute";
            let hint = "move the import to the top of the code";
            self.report(rule::MODULE_VALUE, alias.range, message, hint);
        }
    }

    /// Judges a module that is imported, and notes the compiled servers.
    fn check_module(&mut self, module: &str, range: TextRange) -> bool {
        let server = module.split('.').next().unwrap_or(module);
        if self.names.contains_key(server) && !self.policy.allows(module) {
            self.facts.servers.insert(server.to_owned());
            if module == server || compiled_functions(module, self.names).is_some() {
                return true;
            }
            let message = format!("{} holds nothing but `functions`", quoted(server));
            let hint = format!("write `from {server}.functions import …`");
            self.report(rule::IMPORT_BLOCKED, range, message, hint);
            return false;
        }
        if self.policy.allows(module) {
            return true;
        }
        let message = format!("the module {} may not be imported", quoted(module));
        let hint = self.import_hint(module);
        self.report(rule::IMPORT_BLOCKED, range, message, hint);
        false
    }

    /// What to import instead of a module.
    fn import_hint(&mut self, module: &str) -> String {
        if let Some(hint) = self.policy.instead_of(module) {
            return hint.to_owned();
        }
        if module == "functions"
            && let Some(server) = self.names.keys().next()
        {
            return format!("name the server: `from {server}.functions import …`");
        }
        if !self.may_suggest() {
            return "use an allowed module".to_owned();
        }
        let package = module.split('.').next().unwrap_or(module);
        if package != module && self.policy.allows(package) {
            return format!("take what it has from `{package}`; submodules are allowed one by one");
        }
        let server = module.strip_suffix(".functions").unwrap_or(module);
        let servers = self.names.keys().map(String::as_str);
        if let Some(near) = nearest(server, servers).first() {
            return format!("did you mean `{near}.functions`?");
        }
        let modules = self.policy.importable();
        match nearest(module, modules.into_iter()).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => self.allowed_hint(),
        }
    }

    /// What may be imported at all.
    fn allowed_hint(&self) -> String {
        let libraries = LIBRARIES.into_iter();
        let libraries = libraries.filter(|library| self.policy.allows(library));
        let mut parts = vec!["the allowed standard library modules".to_owned()];
        parts.extend(libraries.map(|library| format!("`{library}`")));
        format!("use {} and compiled servers", parts.join(", "))
    }

    /// Looking for similar names takes time, so only hints that are shown do it.
    fn may_suggest(&mut self) -> bool {
        let left = self.suggestion_budget.checked_sub(1);
        self.suggestion_budget = left.unwrap_or_default();
        left.is_some()
    }

    /// Whether a name may be taken from a module.
    pub(super) fn may_be_taken(&self, module: &str, id: &str) -> bool {
        match compiled_functions(module, self.names) {
            Some(server) => {
                SERVER_NAMES.contains(&id)
                    || self
                        .names
                        .get(server)
                        .is_some_and(|names| names.contains(id))
            }
            None => self.policy.offers(module, id) || self.is_module(&format!("{module}.{id}")),
        }
    }

    /// Judges a name that is taken from a module that may be imported.
    pub(super) fn check_member(&mut self, module: &str, id: &str, range: TextRange) {
        if let Some(server) = compiled_functions(module, self.names) {
            self.check_function(server, id, range);
        } else if self.names.contains_key(module) && !self.policy.is_module(module) {
            if id != "functions" {
                let message = format!("{} holds nothing but `functions`", quoted(module));
                let known = self
                    .names
                    .get(module)
                    .is_some_and(|names| names.contains(id));
                let name = if known { id } else { "…" };
                let hint = format!("write `from {module}.functions import {name}`");
                self.report(rule::MODULE_NAME, range, message, hint);
            }
        } else if self.policy.is_module(module) {
            // Of another module the import itself was refused.
            let allowed = self.policy.offers(module, id);
            if allowed || self.policy.is_module(&format!("{module}.{id}")) {
                return;
            }
            let message = format!("{} may not be taken from {}", quoted(id), quoted(module));
            if let Some(hint) = hints::of_module(module, id) {
                self.report(rule::MODULE_NAME, range, message, hint);
                return;
            }
            let denied = self.policy.denies(module, id);
            let near = if !denied && self.may_suggest() {
                nearest(id, self.policy.listed(module))
            } else {
                Vec::new()
            };
            let hint = match near.first() {
                _ if denied => format!("the policy denies it; use what else `{module}` has"),
                Some(near) => format!("did you mean `{near}`?"),
                None if !self.policy.allows(module) => self
                    .policy
                    .instead_of(module)
                    .unwrap_or("use an allowed module")
                    .to_owned(),
                None => format!("it is not among the names of `{module}` that code may use"),
            };
            self.report(rule::MODULE_NAME, range, message, hint);
        }
    }

    /// Judges a function of a compiled server, and notes it.
    fn check_function(&mut self, server: &str, id: &str, range: TextRange) {
        let names = self.names;
        let Some(functions) = names.get(server) else {
            return;
        };
        if functions.contains(id) {
            self.facts
                .functions
                .insert((server.to_owned(), id.to_owned()));
            return;
        }
        if SERVER_NAMES.contains(&id) {
            return;
        }
        let suggest = self.may_suggest();
        let message = format!("{} has no function {}", quoted(server), quoted(id));
        let hint = if suggest {
            hints::of_function(id, functions)
        } else {
            String::new()
        };
        self.report(rule::UNKNOWN_FUNCTION, range, message, hint);
    }
}

/// The names most like `name`, best first.
pub(super) fn nearest<'n>(name: &str, candidates: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut scored: Vec<(f64, &str)> = candidates
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(score, _)| *score > 0.8)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored
        .into_iter()
        .take(SUGGESTIONS)
        .map(|(_, name)| name)
        .collect()
}
