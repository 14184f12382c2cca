//! From the text of a policy to its entries: the schema, which judges nothing but types.

use std::collections::BTreeSet;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{PolicyComplaint, PolicyError};
use super::file::{Entry, File, ModuleFile, Word};
use super::spelling::{did_you_mean, nearest};
use crate::guard::finding::quoted;
use crate::guard::position::Lines;

/// What `extends` may say.
pub(super) const BUILT_IN: &str = "built-in";

/// The tables of a policy.
const TABLES: &[&str] = &[
    "extends",
    "denied_names",
    "names",
    "attributes",
    "denied_decorators",
    "denied_bases",
    "call_keywords",
    "blocked_modules",
    "modules",
];
/// The tables that a policy cannot do without.
const NEEDED: &[&str] = &[
    "denied_names",
    "names",
    "attributes",
    "denied_decorators",
    "denied_bases",
    "call_keywords",
    "modules",
];
/// The lists of `[names]`; the last one may be missing, and has a meaning in extending files only.
const NAME_LISTS: &[&str] = &["readable", "assignable", "allowed"];
/// The lists of `[attributes]`; of the last one as of [`NAME_LISTS`].
const ATTRIBUTE_LISTS: &[&str] = &[
    "dunder_readable",
    "dunder_assignable",
    "dunder_keywords",
    "class_hooks",
    "operators",
    "private_readable",
    "internals",
    "internal_prefixes",
    "denied",
    "of_event_loops",
    "modules",
    "allowed",
];

/// Nobody reads more complaints than this, and each takes a while.
const MOST_COMPLAINTS: usize = 200;

/// Reads a file and collects what is wrong with it.
pub(super) struct Reader<'t> {
    lines: Lines<'t>,
    complaints: Vec<PolicyComplaint>,
}

/// A table, in the order of the text.
type Items<'v> = Vec<(Word, &'v Spanned<DeValue<'v>>)>;

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            lines: Lines::of(text),
            complaints: Vec::new(),
        }
    }

    /// Everything that was complained about.
    pub(super) fn finish(self) -> Result<(), PolicyError> {
        PolicyError::from_complaints(self.complaints).map_or(Ok(()), Err)
    }

    /// Notes an error at a byte offset, and what to do about it.
    pub(super) fn complain(
        &mut self,
        at: usize,
        message: impl Into<String>,
        hint: impl Into<Option<String>>,
    ) {
        if self.complaints.len() == MOST_COMPLAINTS {
            return;
        }
        let (line, column) = self.lines.position(at);
        self.complaints.push(PolicyComplaint {
            line,
            column,
            message: message.into(),
            hint: hint.into(),
        });
    }

    /// Reads the tables of a file. `None` where it is no TOML.
    pub(super) fn file(&mut self, text: &str) -> Option<File> {
        let root = match DeTable::parse(text) {
            Ok(root) => root,
            Err(error) => {
                let at = error.span().map_or(0, |span| span.start);
                self.complain(at, format!("this is not TOML: {}", error.message()), None);
                return None;
            }
        };
        let items = self.known(items(root.get_ref()), "the policy", TABLES);
        let mut file = File::default();
        for (key, value) in &items {
            match key.text.as_str() {
                "extends" => file.extends = self.extends(value),
                "names" => file.names = self.lists(value, "names", NAME_LISTS),
                "attributes" => {
                    file.attributes = self.lists(value, "attributes", ATTRIBUTE_LISTS);
                }
                "call_keywords" => file.call_keywords = self.call_keywords(value),
                "modules" => file.modules = self.modules(value),
                "denied_names" => file.denied_names = self.messages(value, &key.text),
                "denied_bases" => file.denied_bases = self.messages(value, &key.text),
                "denied_decorators" => file.denied_decorators = self.messages(value, &key.text),
                _ => file.blocked_modules = self.messages(value, &key.text),
            }
        }
        let has_extends = items.iter().any(|(key, _)| key.text == "extends");
        if !has_extends {
            self.demand_everything(&file, &items);
        }
        Some(file)
    }

    /// A policy of its own that forgets a list would permit what nobody meant to permit.
    fn demand_everything(&mut self, file: &File, items: &Items) {
        let hint = || {
            Some(format!(
                "write it, or begin with `extends = \"{BUILT_IN}\"` to change the built-in policy"
            ))
        };
        let table_at = |name: &str| {
            let item = items.iter().find(|(key, _)| key.text == name);
            item.map(|(key, _)| key.at)
        };
        for table in NEEDED {
            if table_at(table).is_none() {
                self.complain(0, format!("the policy has no `{table}`"), hint());
            }
        }
        for (table, lists, wanted) in [
            ("names", &file.names, NAME_LISTS),
            ("attributes", &file.attributes, ATTRIBUTE_LISTS),
        ] {
            let Some(at) = table_at(table) else { continue };
            let missing: Vec<String> = wanted
                .iter()
                .filter(|list| **list != "allowed")
                .filter(|list| !lists.iter().any(|found| found.key.text == **list))
                .map(|list| format!("`{list}`"))
                .collect();
            if !missing.is_empty() {
                let message = format!("`{table}` has no {}", missing.join(", "));
                self.complain(at, message, hint());
            }
        }
    }

    /// Whether the file changes the built-in policy; what else it says here is complained about.
    fn extends(&mut self, value: &Spanned<DeValue>) -> bool {
        let expected = || Some(format!("write `extends = \"{BUILT_IN}\"`, or leave it out"));
        match self.text(value, "`extends`") {
            Some(word) if word.text != BUILT_IN => {
                let message = format!("there is no policy {} to extend", quoted(&word.text));
                self.complain(word.at, message, expected());
            }
            _ => {}
        }
        // What else is wrong is told as of the file that this one wants to be.
        true
    }

    /// A table of lists.
    fn lists(
        &mut self,
        value: &Spanned<DeValue>,
        table: &str,
        keys: &[&str],
    ) -> Vec<Entry<Vec<Word>>> {
        let what = format!("`{table}`");
        let items = self.table(value, &what);
        self.known(items, &what, keys)
            .into_iter()
            .map(|(key, value)| {
                let what = format!("`{table}.{}`", key.text);
                let value = self.words(value, &what).unwrap_or_default();
                Entry { key, value }
            })
            .collect()
    }

    /// A table of names with messages.
    fn messages(&mut self, value: &Spanned<DeValue>, table: &str) -> Vec<Entry<Word>> {
        let items = self.table(value, &format!("`{table}`"));
        let entries = items.into_iter().filter_map(|(key, value)| {
            if matches!(value.get_ref(), DeValue::Table(_)) {
                let message = format!(
                    "{} of `{table}` must be a message, found a table",
                    quoted(&key.text)
                );
                let hint = "a dotted name stands in quotes, as in `\"a.b\" = \"…\"`";
                self.complain(key.at, message, hint.to_owned());
                return None;
            }
            let what = format!("the message for {}", quoted(&key.text));
            let value = self.text(value, &what)?;
            Some(Entry { key, value })
        });
        entries.collect()
    }

    /// A table of modules, of tables of keywords, of lists of literals.
    fn call_keywords(&mut self, value: &Spanned<DeValue>) -> Vec<Entry<Vec<Entry<Vec<Word>>>>> {
        let modules = self.table(value, "`call_keywords`");
        let entries = modules.into_iter().map(|(module, value)| {
            let what = format!("`call_keywords.{}`", module.text);
            let keywords = self.table(value, &what);
            let keywords = keywords.into_iter().filter_map(|(keyword, value)| {
                let what = format!("the list of literals for {}", quoted(&keyword.text));
                let value = self.words(value, &what)?;
                Some(Entry {
                    key: keyword,
                    value,
                })
            });
            let value = keywords.collect();
            Entry { key: module, value }
        });
        entries.collect()
    }

    /// A table of modules.
    fn modules(&mut self, value: &Spanned<DeValue>) -> Vec<Entry<ModuleFile>> {
        const KEYS: &[&str] = &["names", "denied"];
        let modules = self.table(value, "`modules`");
        let entries = modules.into_iter().map(|(module, value)| {
            let what = format!("the module {}", quoted(&module.text));
            let before = self.complaints.len();
            let mut entry = ModuleFile {
                names: None,
                denied: None,
                is_readable: true,
            };
            let fields = self.table(value, &what);
            for (key, value) in fields {
                if matches!(value.get_ref(), DeValue::Table(_)) {
                    let dotted = format!("{}.{}", module.text, key.text);
                    let message = format!("{what} has no key {}", quoted(&key.text));
                    let hint = format!(
                        "for a module {0} write `[modules.\"{dotted}\"]`",
                        quoted(&dotted)
                    );
                    self.complain(key.at, message, hint);
                    continue;
                }
                let list = format!("{} of {what}", quoted(&key.text));
                match key.text.as_str() {
                    "names" => entry.names = self.words(value, &list),
                    "denied" => entry.denied = self.words(value, &list),
                    _ => self.unknown(&key, &what, KEYS),
                }
            }
            entry.is_readable = self.complaints.len() == before;
            Entry {
                key: module,
                value: entry,
            }
        });
        entries.collect()
    }

    /// The items of a table.
    fn table<'v>(&mut self, value: &'v Spanned<DeValue<'v>>, what: &str) -> Items<'v> {
        match value.get_ref() {
            DeValue::Table(table) => items(table),
            other => {
                let message = format!("{what} must be a table, found {}", kind(other));
                self.complain(value.span().start, message, None);
                Vec::new()
            }
        }
    }

    /// A text, with its place.
    fn text(&mut self, value: &Spanned<DeValue>, what: &str) -> Option<Word> {
        let at = value.span().start;
        if let DeValue::String(text) = value.get_ref() {
            let text = text.clone().into_owned();
            return Some(Word { text, at });
        }
        let message = format!(
            "{what} must be a text in quotes, found {}",
            kind(value.get_ref())
        );
        self.complain(at, message, None);
        None
    }

    /// A list of texts. One that stands in it twice is a slip.
    fn words(&mut self, value: &Spanned<DeValue>, what: &str) -> Option<Vec<Word>> {
        let DeValue::Array(array) = value.get_ref() else {
            let message = format!(
                "{what} must be a list of texts, found {}",
                kind(value.get_ref())
            );
            self.complain(value.span().start, message, None);
            return None;
        };
        let mut words = Vec::with_capacity(array.len());
        let mut seen = BTreeSet::new();
        for item in array {
            let Some(word) = self.text(item, &format!("an item of {what}")) else {
                continue;
            };
            if seen.insert(word.text.clone()) {
                words.push(word);
            } else {
                let message = format!("{what} has {} twice", quoted(&word.text));
                self.complain(word.at, message, "remove one of them".to_owned());
            }
        }
        Some(words)
    }

    /// The items whose keys are known; the others are complained about.
    fn known<'v>(&mut self, items: Items<'v>, what: &str, keys: &[&str]) -> Items<'v> {
        let (known, unknown): (Items, Items) = items
            .into_iter()
            .partition(|(key, _)| keys.contains(&key.text.as_str()));
        for (key, _) in &unknown {
            self.unknown(key, what, keys);
        }
        known
    }

    /// Complains about a key that the schema does not have.
    fn unknown(&mut self, key: &Word, what: &str, keys: &[&str]) {
        let hint = nearest(&key.text, keys.iter().copied()).map_or_else(
            || format!("valid keys are {}", keys.join(", ")),
            did_you_mean,
        );
        let message = format!("{what} has no key {}", quoted(&key.text));
        self.complain(key.at, message, hint);
    }
}

/// The items of a table in the order of the text.
fn items<'v>(table: &'v DeTable<'v>) -> Items<'v> {
    let mut items: Items = table
        .iter()
        .map(|(key, value)| {
            let text = key.get_ref().clone().into_owned();
            let at = key.span().start;
            (Word { text, at }, value)
        })
        .collect();
    items.sort_by_key(|(key, _)| key.at);
    items
}

/// What a value is, in words.
fn kind(value: &DeValue) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
