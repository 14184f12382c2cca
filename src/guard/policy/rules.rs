//! What is wrong in a file whose types are right: rules that contradict each other, and rules that
//! nothing can ever break, which is most often a slip of the keyboard.

use rustc_hash::FxHashSet as HashSet;

use super::build::{is_within, root};
use super::file::{Entry, File, ModuleFile, Reader, Word, nearest};
use super::words::{builtins, is_dotted, is_identifier, is_keyword};
use super::{Policy, is_dunder};
use crate::guard::decorators::MAX_NAME;
use crate::guard::finding::{MAX_TEXT, quoted};
use crate::invisible::is_invisible;
use crate::pysyntax::ast::{Expr, UnaryOp};
use crate::pysyntax::parse_expression;

/// Lists of dunder names.
const DUNDERS: [&str; 7] = [
    "names.readable",
    "names.assignable",
    "attributes.dunder_readable",
    "attributes.dunder_assignable",
    "attributes.dunder_keywords",
    "attributes.class_hooks",
    "attributes.operators",
];

/// Lists of `[attributes]` that permit a name.
const PERMITTING: [&str; 5] = [
    "dunder_readable",
    "dunder_assignable",
    "dunder_keywords",
    "class_hooks",
    "private_readable",
];

/// Complains about everything that is wrong. `policy` is what the file and its base come to.
pub(super) fn check(reader: &mut Reader, file: &File, base: Option<&Policy>, policy: &Policy) {
    let mut rules = Rules {
        reader,
        file,
        base,
        policy,
    };
    rules.denied_names();
    rules.denied_decorators();
    rules.denied_bases();
    rules.lists();
    rules.allowed();
    rules.attributes();
    rules.blocked_modules();
    for entry in &file.modules {
        rules.module(entry);
    }
    rules.call_keywords();
    for table in [
        &file.denied_names,
        &file.denied_decorators,
        &file.denied_bases,
        &file.blocked_modules,
    ] {
        for entry in table {
            rules.message(entry);
        }
    }
}

struct Rules<'r, 't> {
    reader: &'r mut Reader<'t>,
    file: &'r File,
    base: Option<&'r Policy>,
    policy: &'r Policy,
}

impl Rules<'_, '_> {
    fn complain(&mut self, word: &Word, message: String, hint: impl Into<String>) {
        self.reader.complain(word.at, message, hint.into());
    }

    fn message(&mut self, entry: &Entry<Word>) {
        let Word { text, .. } = &entry.value;
        let shown = quoted(&entry.key.text);
        if text.trim().is_empty() {
            let message = format!("the message for {shown} is empty");
            self.complain(&entry.value, message, "say what to write instead");
        } else if text.chars().any(is_invisible) {
            let message = format!("the message for {shown} holds a control or invisible character");
            self.complain(&entry.value, message, "write one line of visible text");
        } else if text.chars().count() > MAX_TEXT {
            let message = format!("the message for {shown} is longer than {MAX_TEXT} characters");
            self.complain(&entry.value, message, "say it shorter");
        }
    }

    /// Whether a word is a plain name; else that is complained about.
    fn identifier(&mut self, word: &Word) -> bool {
        if is_identifier(&word.text) {
            return true;
        }
        let shown = quoted(&word.text);
        if is_keyword(&word.text) {
            let message = format!("{shown} is a keyword and no name");
            self.complain(word, message, "remove it");
        } else if word.text.contains('.') {
            let message = format!("{shown} is a dotted name where a plain one belongs");
            self.complain(word, message, "write the last part alone");
        } else {
            let message = format!("{shown} is no name");
            let hint = "names are letters, digits and `_` of ASCII, and begin with no digit";
            self.complain(word, message, hint);
        }
        false
    }

    /// Whether a word is a dotted name; else that is complained about.
    fn dotted(&mut self, word: &Word, what: &str) -> bool {
        let valid = is_dotted(&word.text);
        if !valid {
            let message = format!("{} is no name of {what}", quoted(&word.text));
            let hint = "write names of ASCII letters, digits and `_`, joined by dots";
            self.complain(word, message, hint);
        }
        valid
    }

    fn built_in(&mut self, word: &Word) {
        if !builtins().any(|name| name == word.text) {
            let message = format!("Python has no built-in {}", quoted(&word.text));
            let hint = nearest(&word.text, builtins()).map_or_else(
                || "names that the code does not define do not exist anyway; remove it".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            self.complain(word, message, hint);
        }
    }

    fn denied_names(&mut self) {
        for entry in &self.file.denied_names {
            if !self.identifier(&entry.key) {
                continue;
            }
            self.built_in(&entry.key);
            if has(self.file.names("readable"), &entry.key.text) {
                let message = format!("{} is both denied and readable", quoted(&entry.key.text));
                self.complain(
                    &entry.key,
                    message,
                    "remove it from `names.readable`, or here",
                );
            }
        }
    }

    fn denied_bases(&mut self) {
        for Entry { key, .. } in &self.file.denied_bases {
            let module = key.text.rsplit_once('.').map(|(module, _)| module);
            if !is_dotted(&key.text) || module.is_none() {
                let message = format!("{} is no class of a module", quoted(&key.text));
                self.complain(key, message, "write it as `module.Class`");
            } else if let Some(module) = module
                && !self.policy.allows(module)
            {
                let message = format!(
                    "{} may not be imported, so nothing of it is extended",
                    quoted(module)
                );
                self.complain(key, message, "remove it");
            }
        }
    }

    fn denied_decorators(&mut self) {
        for Entry { key, .. } in &self.file.denied_decorators {
            if !self.dotted(key, "a decorator") {
                continue;
            }
            if key.text.len() > MAX_NAME {
                let message = format!("{} is longer than {MAX_NAME} bytes", quoted(&key.text));
                self.complain(key, message, "no decorator has such a name; remove it");
            }
            if !key.text.contains('.') {
                self.built_in(key);
                continue;
            }
            // What an allowed module does not offer cannot be written, so a slip would deny nothing.
            let policy = self.policy;
            let dots = key.text.rmatch_indices('.');
            let mut parts = dots.filter_map(|(dot, _)| {
                let (module, rest) = key.text.split_at_checked(dot)?;
                Some((module, rest.trim_start_matches('.')))
            });
            let Some((module, rest)) = parts.find(|(module, _)| policy.allows(module)) else {
                continue;
            };
            let name = root(rest);
            if policy.offers(module, name) || policy.denies(module, name) {
                continue;
            }
            let message = format!("{} offers no {}", quoted(module), quoted(name));
            let hint = nearest(name, policy.listed(module)).map_or_else(
                || "it cannot be used anyway; remove it".to_owned(),
                |near| format!("did you mean `{module}.{near}`?"),
            );
            self.complain(key, message, hint);
        }
    }

    fn lists(&mut self) {
        for (list, words) in self.file.lists() {
            for word in words {
                if word.text.is_empty() && list == "attributes.internal_prefixes" {
                    let message = "an empty prefix is one of every name".to_owned();
                    self.complain(word, message, "remove it");
                } else if self.identifier(word) {
                    self.kind_of_name(&list, word);
                }
            }
        }
    }

    fn kind_of_name(&mut self, list: &str, word: &Word) {
        let name = word.text.as_str();
        let shown = quoted(name);
        if DUNDERS.contains(&list) && !is_dunder(name) {
            let message = format!("{shown} in `{list}` is no dunder name");
            self.complain(word, message, "such a name begins and ends with `__`");
        } else if list == "attributes.private_readable"
            && (!name.starts_with('_') || is_dunder(name))
        {
            let message = format!("{shown} in `{list}` is no private name");
            let hint = "names that begin with no `_` are readable anyway, dunder names by \
                        `dunder_readable`";
            self.complain(word, message, hint);
        } else if list == "attributes.denied" && name.starts_with('_') {
            let was_readable = self.base.is_some_and(|base| {
                let rules = &base.attributes;
                [
                    &rules.dunder_readable,
                    &rules.dunder_assignable,
                    &rules.private_readable,
                ]
                .iter()
                .any(|names| names.contains(name))
            });
            if !was_readable {
                let message = format!("the attribute {shown} is denied anyway");
                let hint = "names that begin with `_` are, but for those of the lists of readable \
                            ones; remove it";
                self.complain(word, message, hint);
            }
        }
    }

    /// `allowed`, which takes names off lists that the base has.
    fn allowed(&mut self) {
        let (names, attributes) = (self.file.names("allowed"), self.file.attributes("allowed"));
        for word in names.iter().chain(attributes) {
            if self.base.is_none() {
                let message = format!(
                    "there is nothing from which to allow {}",
                    quoted(&word.text)
                );
                self.complain(word, message, "remove it from the lists of this file");
            }
        }
        let Some(base) = self.base else { return };
        for word in names {
            if !base.denied_names.contains_key(&word.text) {
                let known = base.denied_names.keys().map(String::as_str);
                self.never_denied(word, nearest(&word.text, known));
            }
            if self
                .file
                .denied_names
                .iter()
                .any(|entry| entry.key.text == word.text)
            {
                self.both(word);
            }
        }
        for word in attributes {
            let rules = &base.attributes;
            if !rules.denied.contains(&word.text) && !rules.modules.contains(&word.text) {
                let known = rules
                    .denied
                    .iter()
                    .chain(&rules.modules)
                    .map(String::as_str);
                self.never_denied(word, nearest(&word.text, known));
            }
            let denied = [
                self.file.attributes("denied"),
                self.file.attributes("modules"),
            ];
            if denied.iter().any(|list| has(list, &word.text)) {
                self.both(word);
            }
        }
    }

    fn never_denied(&mut self, word: &Word, near: Option<&str>) {
        let message = format!(
            "{} is not denied by the built-in policy",
            quoted(&word.text)
        );
        let hint = near.map_or_else(
            || "remove it".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        self.complain(word, message, hint);
    }

    fn both(&mut self, word: &Word) {
        let message = format!("{} is both allowed and denied", quoted(&word.text));
        self.complain(word, message, "remove one of them");
    }

    fn attributes(&mut self) {
        let rules = &self.policy.attributes;
        for list in PERMITTING {
            for word in self.file.attributes(list) {
                if rules.internals.contains(&word.text) {
                    self.contradiction(word, list, "internals");
                }
            }
        }
        for word in self.file.attributes("internals") {
            let permitting = PERMITTING.into_iter().zip([
                &rules.dunder_readable,
                &rules.dunder_assignable,
                &rules.dunder_keywords,
                &rules.class_hooks,
                &rules.private_readable,
            ]);
            for (list, names) in permitting {
                // What stands in both lists of the file was complained about above.
                if names.contains(&word.text) && !has(self.file.attributes(list), &word.text) {
                    self.contradiction(word, "internals", list);
                }
            }
        }
        for list in ["denied", "modules"] {
            for word in self.file.attributes(list) {
                if rules.private_readable.contains(&word.text) {
                    self.contradiction(word, list, "private_readable");
                }
                if list == "denied"
                    && (rules.dunder_readable.contains(&word.text)
                        || rules.dunder_assignable.contains(&word.text))
                {
                    self.contradiction(word, list, "the lists of dunder names");
                }
            }
        }
    }

    fn contradiction(&mut self, word: &Word, list: &str, other: &str) {
        let message = format!(
            "{} is in `attributes.{list}` and in `{other}`, which says the opposite",
            quoted(&word.text)
        );
        self.complain(word, message, "remove it from one of them");
    }

    fn blocked_modules(&mut self) {
        for Entry { key, .. } in &self.file.blocked_modules {
            self.dotted(key, "a module");
            self.no_server(key);
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

    /// `SERVER.functions`, which is there whatever a policy says.
    fn no_server(&mut self, key: &Word) {
        if key.text.split('.').count() == 2 && key.text.ends_with(".functions") {
            let message = format!("{} is a compiled server", quoted(&key.text));
            let hint = "what it offers is for `include` and `exclude` in swaggers.yaml to say";
            self.complain(key, message, hint);
        }
    }

    fn module(&mut self, entry: &Entry<ModuleFile>) {
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

    fn not_listed(&mut self, word: &Word, module: &str, near: Option<&str>) {
        let message = format!("{} does not list {}", quoted(module), quoted(&word.text));
        let hint = near.map_or_else(
            || "what is not listed is denied anyway; remove it".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        self.complain(word, message, hint);
    }

    fn call_keywords(&mut self) {
        for Entry { key, value } in &self.file.call_keywords {
            let module = key.text.as_str();
            let policy = self.policy;
            let mut allowed = policy
                .modules
                .keys()
                .filter(|it| is_within(it, root(module)));
            if !is_dotted(module) {
                self.dotted(key, "a module");
            } else if allowed.next().is_none() {
                let message = format!("the module {} is not allowed", quoted(module));
                let roots = policy.modules.keys().map(|module| root(module));
                let hint = nearest(module, roots).map_or_else(
                    || "allow it in `modules`, or remove its keywords".to_owned(),
                    |near| format!("did you mean `{near}`?"),
                );
                self.complain(key, message, hint);
            } else if module.contains('.') {
                let message = format!("the keywords of {} count for its package", quoted(module));
                let hint = format!("write `[call_keywords.{}]`", root(module));
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

fn has(words: &[Word], name: &str) -> bool {
    words.iter().any(|word| word.text == name)
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
