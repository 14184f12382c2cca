//! What is wrong in a file whose types are right: rules that contradict each other, and rules that
//! nothing can ever break, which is most often a slip of the keyboard.

mod lists;
mod modules;

use super::Policy;
use super::build::root_package;
use super::file::{Entry, File, Word};
use super::reader::Reader;
use super::spelling::{did_you_mean, nearest};
use super::words::{builtins, is_dotted, is_identifier, is_keyword};
use crate::guard::decorators::MAX_NAME;
use crate::guard::finding::{MAX_TEXT, quoted};
use crate::invisible::is_invisible;

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
    /// Notes what is wrong with a word, and what to do about it.
    fn complain(&mut self, word: &Word, message: String, hint: impl Into<String>) {
        self.reader.complain(word.at, message, hint.into());
    }

    /// A message is one visible line, not too long.
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

    /// Complains about a name that is none of a built-in.
    fn built_in(&mut self, word: &Word) {
        if !builtins().any(|name| name == word.text) {
            let message = format!("Python has no built-in {}", quoted(&word.text));
            let hint = nearest(&word.text, builtins()).map_or_else(
                || "names that the code does not define do not exist anyway; remove it".to_owned(),
                did_you_mean,
            );
            self.complain(word, message, hint);
        }
    }

    /// `[denied_names]`.
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

    /// `[denied_bases]`.
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

    /// `[denied_decorators]`.
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
            // What an allowed module does not offer cannot be written, so a slip would deny
            // nothing.
            let policy = self.policy;
            let dots = key.text.rmatch_indices('.');
            let mut parts = dots.filter_map(|(dot, _)| {
                let (module, rest) = key.text.split_at_checked(dot)?;
                Some((module, rest.trim_start_matches('.')))
            });
            let Some((module, rest)) = parts.find(|(module, _)| policy.allows(module)) else {
                continue;
            };
            let name = root_package(rest);
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
}

/// Whether a list has a name.
fn has(words: &[Word], name: &str) -> bool {
    words.iter().any(|word| word.text == name)
}
