//! What is wrong in the lists of `[names]` and `[attributes]`: names of the wrong kind, and lists
//! that contradict each other.

use super::{Rules, has};
use crate::guard::check::is_dunder;
use crate::guard::finding::quoted;
use crate::guard::policy::file::Word;
use crate::guard::policy::spelling::{did_you_mean, nearest};

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

impl Rules<'_, '_> {
    /// Every name of every list is a name, and of the kind that the list is for.
    pub(super) fn lists(&mut self) {
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

    /// Whether a name is of the kind that its list is for.
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
    pub(super) fn allowed(&mut self) {
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

    /// Complains that a name is allowed which nothing denies.
    fn never_denied(&mut self, word: &Word, near: Option<&str>) {
        let message = format!(
            "{} is not denied by the built-in policy",
            quoted(&word.text)
        );
        let hint = near.map_or_else(|| "remove it".to_owned(), did_you_mean);
        self.complain(word, message, hint);
    }

    /// Complains that a name is allowed and denied.
    fn both(&mut self, word: &Word) {
        let message = format!("{} is both allowed and denied", quoted(&word.text));
        self.complain(word, message, "remove one of them");
    }

    /// Lists that permit a name, and lists that forbid it.
    pub(super) fn attributes(&mut self) {
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

    /// Complains that a name is in two lists that say the opposite.
    fn contradiction(&mut self, word: &Word, list: &str, other: &str) {
        let message = format!(
            "{} is in `attributes.{list}` and in `{other}`, which says the opposite",
            quoted(&word.text)
        );
        self.complain(word, message, "remove it from one of them");
    }
}
