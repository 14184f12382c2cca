//! A policy file as it is written: every entry with its place in the text.

/// A text and the byte offset where it stands.
#[derive(Debug, Clone)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) at: usize,
}

/// A name and what is said about it.
#[derive(Debug)]
pub(super) struct Entry<T> {
    pub(super) key: Word,
    pub(super) value: T,
}

/// `[modules.NAME]`.
#[derive(Debug)]
pub(super) struct ModuleFile {
    pub(super) names: Option<Vec<Word>>,
    pub(super) denied: Option<Vec<Word>>,
    /// Whether nothing in it was complained about.
    pub(super) is_readable: bool,
}

/// A policy file.
#[derive(Debug, Default)]
pub(super) struct File {
    /// Whether the file changes the built-in policy rather than taking its place.
    pub(super) extends: bool,
    pub(super) denied_names: Vec<Entry<Word>>,
    pub(super) denied_decorators: Vec<Entry<Word>>,
    pub(super) denied_bases: Vec<Entry<Word>>,
    pub(super) blocked_modules: Vec<Entry<Word>>,
    /// Module, keyword, literals.
    pub(super) call_keywords: Vec<Entry<Vec<Entry<Vec<Word>>>>>,
    pub(super) modules: Vec<Entry<ModuleFile>>,
    pub(super) names: Vec<Entry<Vec<Word>>>,
    pub(super) attributes: Vec<Entry<Vec<Word>>>,
}

impl File {
    /// A list of `[names]`; empty where the file has none.
    pub(super) fn names(&self, list: &str) -> &[Word] {
        list_of(&self.names, list)
    }

    /// A list of `[attributes]`.
    pub(super) fn attributes(&self, list: &str) -> &[Word] {
        list_of(&self.attributes, list)
    }

    /// All lists of `[names]` and `[attributes]`, with their names.
    pub(super) fn lists(&self) -> impl Iterator<Item = (String, &[Word])> {
        let of = |table: &'static str, lists| {
            let lists: &[Entry<Vec<Word>>] = lists;
            lists.iter().map(move |list| {
                let name = format!("{table}.{}", list.key.text);
                (name, list.value.as_slice())
            })
        };
        of("names", &self.names).chain(of("attributes", &self.attributes))
    }
}

/// The list of that name; empty where there is none.
fn list_of<'f>(lists: &'f [Entry<Vec<Word>>], name: &str) -> &'f [Word] {
    lists
        .iter()
        .find(|list| list.key.text == name)
        .map_or(&[], |list| list.value.as_slice())
}
