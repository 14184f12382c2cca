//! The index: what is kept of documents so that searching them is quick.

use rustc_hash::{FxHashMap, FxHashSet};

use super::document::Document;
use super::fields::Field;
use super::identifiers::Identifiers;
use super::paths::Paths;
use super::postings::{Collected, Postings, Vocabulary, inverse_frequency, number_of};
use super::query::{Hit, Query};
use super::rank;
use super::stops::is_stop;
use super::words;

/// An index over documents. It holds no text of theirs but words and names.
pub struct Index {
    pub(super) vocabulary: Vocabulary,
    pub(super) postings: Postings,
    pub(super) identifiers: Identifiers,
    pub(super) paths: Paths,
    pub(super) servers: Servers,
    /// The server of each document.
    pub(super) server_of: Vec<u32>,
    pub(super) methods: Vec<Box<str>>,
    /// The documents of each tag, in lower case.
    pub(super) tags: FxHashMap<String, Vec<u32>>,
}

/// The servers, by name and by the words of name and title.
#[derive(Debug, Default)]
pub(super) struct Servers {
    numbers: FxHashMap<String, u32>,
    /// The servers of each term.
    terms: FxHashMap<u32, Vec<u32>>,
}

impl Servers {
    /// A server's number.
    pub(super) fn number(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether a server goes by a term.
    pub(super) fn has(&self, term: u32) -> bool {
        self.terms.contains_key(&term)
    }

    /// The servers that go by a term, and how much it tells of a server.
    pub(super) fn by(&self, term: u32) -> (&[u32], f32) {
        let found = self.terms.get(&term).map_or(&[][..], Vec::as_slice);
        (found, inverse_frequency(found.len(), self.len()))
    }
}

impl std::fmt::Debug for Index {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Index")
            .field("documents", &self.len())
            .field("terms", &self.vocabulary.len())
            .finish_non_exhaustive()
    }
}

impl Index {
    /// The index over these documents, which hits name by their numbers.
    #[must_use]
    pub fn build(documents: &[Document]) -> Self {
        let mut building = Building::default();
        for document in documents {
            building.add(document);
        }
        building.finish()
    }

    /// How many documents there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.server_of.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.server_of.is_empty()
    }

    /// The documents that answer a query, best first; of those that answer alike, the earlier.
    /// Empty where nothing fits.
    #[must_use]
    pub fn search(&self, query: &Query<'_>) -> Vec<Hit> {
        rank::search(self, query)
    }
}

struct Building {
    vocabulary: Vocabulary,
    collected: Collected,
    identifiers: Identifiers,
    paths: Paths,
    servers: Servers,
    server_of: Vec<u32>,
    methods: Vec<Box<str>>,
    tags: FxHashMap<String, Vec<u32>>,
}

impl Default for Building {
    fn default() -> Self {
        Self {
            vocabulary: Vocabulary::new(),
            collected: Collected::default(),
            identifiers: Identifiers::default(),
            paths: Paths::default(),
            servers: Servers::default(),
            server_of: Vec::new(),
            methods: Vec::new(),
            tags: FxHashMap::default(),
        }
    }
}

impl Building {
    fn add(&mut self, document: &Document) {
        let number = number_of(self.server_of.len());
        let server = self.add_server(document);
        self.server_of.push(server);
        self.methods.push(document.method.as_str().into());
        self.identifiers.add(number, document);
        self.paths.add(&document.path);
        for tag in &document.tags {
            let found = self.tags.entry(tag.to_lowercase()).or_default();
            if found.last() != Some(&number) {
                found.push(number);
            }
            self.add_text(tag, Field::Tags);
        }
        // A function is mostly named after its operation, which is then not counted twice.
        self.add_text(
            if document.operation_id.is_empty() {
                &document.function
            } else {
                &document.operation_id
            },
            Field::Name,
        );
        self.add_text(&without_placeholders(&document.path), Field::Path);
        self.add_text(&document.summary, Field::Summary);
        self.add_text(&document.description, Field::Description);
        for named in document.parameters.iter().chain(&document.body_fields) {
            self.add_text(&named.name, Field::Parameters);
            for value in &named.values {
                self.add_text(value, Field::Parameters);
            }
            self.add_text(&named.description, Field::ParameterText);
        }
        self.collected.end();
    }

    fn add_server(&mut self, document: &Document) -> u32 {
        let next = number_of(self.servers.numbers.len());
        if let Some(number) = self.servers.number(&document.server) {
            return number;
        }
        self.servers.numbers.insert(document.server.clone(), next);
        let mut terms = FxHashSet::default();
        for text in [&document.server, &document.title] {
            let mut before = String::new();
            words::each(text, |word, is_glued| {
                if is_glued {
                    terms.insert(self.vocabulary.add(&format!("{before}{word}"), false));
                }
                if !is_stop(word) {
                    terms.insert(self.vocabulary.add(word, true));
                }
                word.clone_into(&mut before);
            });
        }
        for term in terms {
            self.servers.terms.entry(term).or_default().push(next);
        }
        next
    }

    /// Names keep words that say little: `me` is all that some are.
    fn add_text(&mut self, text: &str, field: Field) {
        let is_name = matches!(field, Field::Name | Field::Path | Field::Parameters);
        let mut before = String::new();
        words::each(text, |word, is_glued| {
            if is_glued {
                let joined = self.vocabulary.add(&format!("{before}{word}"), false);
                self.collected.add(joined, field);
            }
            word.clone_into(&mut before);
            if !is_name && is_stop(word) {
                return;
            }
            let term = self.vocabulary.add(word, true);
            self.collected.add(term, field);
            self.collected.lengthen(field);
        });
    }

    fn finish(mut self) -> Index {
        let parts = self.vocabulary.parts();
        let mut of_parts: Vec<(u32, u32)> = Vec::new();
        for (term, servers) in &self.servers.terms {
            if let Some((first, second)) = parts.get(*term as usize).copied().flatten() {
                of_parts.extend(servers.iter().flat_map(|it| [(first, *it), (second, *it)]));
            }
        }
        for (term, server) in of_parts {
            let found = self.servers.terms.entry(term).or_default();
            if !found.contains(&server) {
                found.push(server);
            }
        }
        Index {
            postings: self.collected.postings(&parts),
            vocabulary: self.vocabulary,
            identifiers: self.identifiers,
            paths: self.paths,
            servers: self.servers,
            server_of: self.server_of,
            methods: self.methods,
            tags: self.tags,
        }
    }
}

/// A path without what stands in braces, which is searched as names of parameters.
fn without_placeholders(path: &str) -> String {
    let mut depth = 0_usize;
    path.chars()
        .filter(|it| {
            match it {
                '{' => depth += 1,
                '}' => {
                    depth = depth.saturating_sub(1);
                    return false;
                }
                _ => {}
            }
            depth == 0
        })
        .collect()
}
