//! Names as a whole: `createIssue`, `create_issue`, `create-issue` and `create issue` are one.

use rustc_hash::FxHashMap;

use super::document::Document;

/// Which documents go by a name.
#[derive(Debug, Default)]
pub(super) struct Identifiers {
    documents: FxHashMap<String, Vec<u32>>,
}

impl Identifiers {
    /// Adds the names of a document.
    pub(super) fn add(&mut self, number: u32, document: &Document) {
        for name in [&document.operation_id, &document.function, &document.path] {
            let key = squeezed(name);
            if key.is_empty() {
                continue;
            }
            let found = self.documents.entry(key).or_default();
            if found.last() != Some(&number) {
                found.push(number);
            }
        }
    }

    /// The documents that have the text for a name.
    pub(super) fn named(&self, text: &str) -> &[u32] {
        self.documents
            .get(&squeezed(text))
            .map_or(&[], Vec::as_slice)
    }
}

/// A text's letters and digits, in lower case.
fn squeezed(text: &str) -> String {
    text.chars()
        .filter(|it| it.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}
