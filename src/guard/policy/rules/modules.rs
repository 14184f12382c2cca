//! What is wrong in the tables of modules: `[modules]`, `[blocked_modules]` and `[call_keywords]`.

use rustc_hash::FxHashSet as HashSet;

use super::{Rules, has};
use crate::guard::finding::quoted;
use crate::guard::policy::build::{is_within, root_package};
use crate::guard::policy::file::{Entry, ModuleFile, Word};
use crate::guard::policy::spelling::{did_you_mean, nearest};
use crate::guard::policy::words::is_dotted;
use crate::pysyntax::ast::{Expr, UnaryOp};
use crate::pysyntax::parse_expression;

impl Rules<'_, '_> {
    /// `[blocked_modules]`.
    pub(super) fn blocked_modules(&mut self) {
        for Entry { key, .. } in &self.file.blocked_modules {
            self.dotted(key, "a module");
            self.no_server(key);
            self.misspelt(key);
            if self
                .file
                .modules
                .iter()
                .any(|entry| entry.key.text == key.text)
            {
                let message = format!(
                    "the module {} is both allowed and blocked",
                    quoted(&key.text)
                );
                self.complain(key, message, "remove it from `modules`, or here");
            }
        }
    }

    /// A module that is blocked anyway, and is spelt almost like one that is allowed.
    fn misspelt(&mut self, key: &Word) {
        let known = |policy: &crate::guard::policy::Policy| {
            policy.allows(&key.text) || policy.instead_of(&key.text).is_some()
        };
        if self.base.is_none_or(known) {
            return;
        }
        let allowed = || self.policy.importable().into_iter();
        let package = key.text.rsplit_once('.').map(|(package, _)| package);
        if let Some(package) = package.filter(|package| self.policy.allows(package)) {
            let message = format!("{} is no module of its own", quoted(&key.text));
            let hint =
                format!("for a name of `{package}` write `[modules.{package}]` with `denied`");
            self.complain(key, message, hint);
        } else if let Some(near) = nearest(&key.text, allowed()) {
            let message = format!("there is no module {} to block", quoted(&key.text));
            self.complain(key, message, format!("did you mean `{near}`?"));
        }
    }

    /// `SERVER.functions`, which is there whatever a policy says.
    fn no_server(&mut self, key: &Word) {
        if key.text.split('.').count() == 2 && key.text.ends_with(".functions") {
            let message = format!("{} is a compiled server", quoted(&key.text));
            let hint = "what it offers is for `include` and `exclude` in swaggers.yaml to say";
            self.complain(key, message, hint);
        }
    }

    /// `[modules.NAME]`.
    pub(super) fn module(&mut self, entry: &Entry<ModuleFile>) {
        let Entry { key, value } = entry;
        let module = key.text.as_str();
        self.no_server(key);
        let private = |part: &str| part.starts_with('_') && module != "__future__";
        if self.dotted(key, "a module") && module.split('.').any(private) {
            let message = format!("the module {} is private", quoted(module));
            self.complain(key, message, "allow the public module that stands for it");
        }
        let names = value.names.as_deref().unwrap_or_default();
        let denied = value.denied.as_deref().unwrap_or_default();
        if !value.is_readable {
            // What it says was not understood.
        } else if value.names.is_none() && value.denied.is_none() {
            let message = format!(
                "the module {} says neither `names` nor `denied`",
                quoted(module)
            );
            let hint = "`names = […]` allows these names, `denied = […]` all public ones but these";
            self.complain(key, message, hint);
        } else if self
            .policy
            .modules
            .get(module)
            .is_some_and(|rules| rules.names.as_ref().is_some_and(HashSet::is_empty))
        {
            let message = format!("nothing may be taken from {}", quoted(module));
            let hint = "give `names`, or block the module in `blocked_modules`";
            self.complain(key, message, hint);
        }
        for word in names {
            self.allowed_name(module, word, denied);
        }
        for word in denied {
            if !has(names, &word.text) && self.identifier(word) {
                self.denied_name(module, word, names);
            }
        }
    }

    /// A name in `names` of a module.
    fn allowed_name(&mut self, module: &str, word: &Word, denied: &[Word]) {
        if !self.identifier(word) {
            return;
        }
        let name = word.text.as_str();
        let (shown, of) = (quoted(name), quoted(module));
        if has(denied, name) {
            let message = format!("{shown} of {of} is both allowed and denied");
            self.complain(word, message, "remove it from `names` or from `denied`");
        } else if name.starts_with('_') {
            let message = format!("{shown} of {of} is private");
            self.complain(word, message, "allow public names only");
        } else if self.policy.attributes.modules.contains(name) {
            let message =
                format!("{shown} of {of} is the name of a module in `attributes.modules`");
            let hint = format!("allow what is used of it by `[modules.\"{module}.{name}\"]`");
            self.complain(word, message, hint);
        }
    }

    /// A name in `denied` of a module.
    fn denied_name(&mut self, module: &str, word: &Word, names: &[Word]) {
        let name = word.text.as_str();
        let (shown, of) = (quoted(name), quoted(module));
        let before = self.base.and_then(|base| base.modules.get(module));
        let listed = before.and_then(|rules| rules.names.as_ref());
        if let Some(listed) = listed {
            if !listed.contains(name) {
                let near = nearest(name, listed.iter().map(String::as_str));
                self.not_listed(word, module, near);
            }
        } else if !names.is_empty() {
            let near = nearest(name, names.iter().map(|word| word.text.as_str()));
            self.not_listed(word, module, near);
        } else if self.policy.is_module(&format!("{module}.{name}")) {
            let message = format!("{shown} of {of} is an allowed module");
            let hint = format!("block `{module}.{name}` in `blocked_modules`");
            self.complain(word, message, hint);
        } else if !self.policy.is_public(name) {
            let message = format!("{shown} of {of} is denied anyway");
            let hint =
                "`denied` is for public names that `[attributes]` does not refuse; remove it";
            self.complain(word, message, hint);
        }
    }

    /// Complains that a name is denied which the module does not list anyway.
    fn not_listed(&mut self, word: &Word, module: &str, near: Option<&str>) {
        let message = format!("{} does not list {}", quoted(module), quoted(&word.text));
        let hint = near.map_or_else(
            || "what is not listed is denied anyway; remove it".to_owned(),
            did_you_mean,
        );
        self.complain(word, message, hint);
    }

    /// `[call_keywords]`.
    pub(super) fn call_keywords(&mut self) {
        for Entry { key, value } in &self.file.call_keywords {
            let module = key.text.as_str();
            let policy = self.policy;
            let mut allowed = policy
                .modules
                .keys()
                .filter(|it| is_within(it, root_package(module)));
            if !is_dotted(module) {
                self.dotted(key, "a module");
            } else if allowed.next().is_none() {
                let message = format!("the module {} is not allowed", quoted(module));
                let roots = policy.modules.keys().map(|module| root_package(module));
                let hint = nearest(module, roots).map_or_else(
                    || "allow it in `modules`, or remove its keywords".to_owned(),
                    did_you_mean,
                );
                self.complain(key, message, hint);
            } else if module.contains('.') {
                let message = format!("the keywords of {} count for its package", quoted(module));
                let hint = format!("write `[call_keywords.{}]`", root_package(module));
                self.complain(key, message, hint);
            }
            for keyword in value {
                self.identifier(&keyword.key);
                for word in &keyword.value {
                    if !parse_expression(&word.text).is_some_and(|expr| is_literal(&expr)) {
                        let message = format!("{} is no literal of Python", quoted(&word.text));
                        let hint = "write it as the code would, such as `True` or `'text'`";
                        self.complain(word, message, hint);
                    }
                }
            }
        }
    }
}

/// Whether an expression is a value that is written out.
fn is_literal(expr: &Expr) -> bool {
    match expr {
        Expr::UnaryOp(operation) => {
            operation.op == UnaryOp::USub && operation.operand.is_number_literal_expr()
        }
        Expr::Tuple(tuple) => tuple.elts.iter().all(is_literal),
        Expr::List(list) => list.elts.iter().all(is_literal),
        Expr::Dict(dict) => dict
            .items
            .iter()
            .all(|item| item.key.as_ref().is_some_and(is_literal) && is_literal(&item.value)),
        _ => expr.is_literal_expr(),
    }
}
