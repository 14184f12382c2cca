//! A document and the parts it refers to, put together so that one look-up finds everything.
//!
//! Trees are walked from the root along the positions that hold references, and only what those
//! lead to is loaded. Then every reference is spelt anew: `#/…` leads into the root document,
//! `name#/…` into the part of that name. Trees are walked before anything in them is changed, so a
//! node is told from others by its address.

mod census;
mod names;
mod walk;

use std::collections::HashMap;

use indexmap::IndexMap;
use serde_json::Value;

pub(super) use self::census::Census;
use self::names::Names;
use self::walk::{Address, Refused, Trail, Walk, Wanted, address};
use super::document::{ReadError, parse_tree, shown};
use super::places::{Bounds, Place};
use super::pointer::{LONGEST_REFERENCE, MOST_HOPS, pointer_of, step, token};
use super::positions::Kind;
use super::version;
use crate::yaml::Limits;

/// References in a document and all its parts.
pub(super) const MOST_REFERENCES: usize = 200_000;
/// Parts of one document.
const MOST_FILES: usize = 2_000;

/// The parts of a document that lie elsewhere.
#[derive(Debug, Clone, Default)]
pub(super) struct Parts {
    /// By the name that references spell before `#`.
    pub(super) trees: HashMap<String, Value>,
    /// Names that lead nowhere, and why.
    pub(super) unresolved: HashMap<String, String>,
}

/// A part that was looked for.
#[derive(Debug)]
pub(super) struct Found {
    /// Where it really lies, redirects and symbolic links followed.
    pub(super) place: Place,
    pub(super) bytes: Vec<u8>,
}

/// A tree by the name that references to it spell; the root document's is empty.
#[derive(Debug)]
struct Tree {
    root: Box<Value>,
    name: String,
}

/// The way to a node, to say where it is.
fn find(value: &Value, wanted: Address) -> Option<Vec<String>> {
    if address(value) == wanted {
        return Some(Vec::new());
    }
    let (key, mut rest) = match value {
        Value::Object(members) => members
            .iter()
            .find_map(|(key, member)| Some((key.clone(), find(member, wanted)?)))?,
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(index, item)| Some((index.to_string(), find(item, wanted)?)))?,
        _ => return None,
    };
    rest.insert(0, key);
    Some(rest)
}

/// What a place has turned out to be.
#[derive(Debug, Clone)]
enum Outcome {
    Tree(usize),
    Unresolved(String),
}

/// Puts a document together.
#[derive(Debug)]
pub(super) struct Bundle {
    trees: Vec<Tree>,
    walk: Walk,
    outcomes: HashMap<Place, Outcome>,
    /// Names that lead nowhere, and why.
    unresolved: HashMap<String, String>,
    /// Places of which no one has been asked for yet, in the order of the references to them.
    waiting: IndexMap<Place, Vec<Wanted>>,
    files: usize,
    nodes: usize,
    references: usize,
    /// Whether every reference of the root document is a pointer into it.
    alone: bool,
}

impl Bundle {
    /// Begins with the root document. `hides_url`: names of parts must not tell where it is from.
    ///
    /// # Errors
    ///
    /// Why the document cannot be used: a reference that is not permitted, or too many of them.
    pub(super) fn new(
        root: Value,
        place: &Place,
        bounds: Bounds,
        hides_url: bool,
    ) -> Result<Self, String> {
        let has_anchors = root
            .as_object()
            .and_then(|members| version::of(members).ok())
            .is_some_and(|(dialect, _)| dialect.has_named_schemas());
        let names = Names::new(place.clone(), hides_url);
        let mut bundle = Self {
            trees: Vec::new(),
            walk: Walk::new(bounds, has_anchors, names),
            outcomes: HashMap::new(),
            unresolved: HashMap::new(),
            waiting: IndexMap::new(),
            files: 0,
            nodes: 0,
            references: 0,
            alone: true,
        };
        let census = Census::of(&root);
        bundle.alone = !census.leads_elsewhere;
        let is_document = root.get("openapi").is_some() || root.get("swagger").is_some();
        bundle.outcomes.insert(place.clone(), Outcome::Tree(0));
        bundle.push(root, place.clone(), String::new(), &census)?;
        if let Some(own) = bundle.walk.own_place(place) {
            bundle.outcomes.insert(own, Outcome::Tree(0));
        }
        // Most documents refer to nothing but themselves, and are right as they stand.
        if is_document && (census.leads_elsewhere || has_anchors && census.has_anchors) {
            let whole = Wanted {
                text: None,
                ..Wanted::at(&Value::Null, Kind::Document)
            };
            bundle.walk.pending.push_back((0, whole));
            bundle.proceed()?;
        }
        Ok(bundle)
    }

    /// Whether the root document refers to nothing outside itself, wherever it came from.
    pub(super) fn stands_alone(&self) -> bool {
        self.alone
    }

    /// Whether a reference leads elsewhere once the folders of the root document are others.
    pub(super) fn depends_on_folders(&self) -> bool {
        self.walk.depends_on_folders
    }

    /// The places to load next, in the order of the references to them. Every one of them is to
    /// be [`add`](Self::add)ed.
    ///
    /// # Errors
    ///
    /// Where there are too many.
    pub(super) fn missing(&mut self) -> Result<Vec<Place>, String> {
        self.files += self.waiting.len();
        if self.files > MOST_FILES {
            return Err(format!("it refers to more than {MOST_FILES} other files"));
        }
        Ok(self.waiting.keys().cloned().collect())
    }

    /// Adds what was found at the [`missing`](Self::missing) places, in their order, and walks
    /// it. Returns the names and bytes of the new parts.
    ///
    /// # Errors
    ///
    /// As [`Bundle::new`].
    pub(super) fn add(
        &mut self,
        found: Vec<(Place, Result<Found, String>)>,
    ) -> Result<Vec<(String, Vec<u8>)>, String> {
        let mut new = Vec::new();
        for (place, found) in found {
            let outcome = match found {
                Err(reason) => Outcome::Unresolved(reason),
                Ok(found) => {
                    // Two ways to one file: it keeps the name it was found under first.
                    if let Some(known) = self.outcomes.get(&found.place) {
                        known.clone()
                    } else {
                        let outcome = self.part(&place, &found)?;
                        self.outcomes.insert(found.place, outcome.clone());
                        new.push((self.walk.names.of(&place), found.bytes));
                        outcome
                    }
                }
            };
            if let Outcome::Unresolved(reason) = &outcome {
                let name = self.walk.names.of(&place);
                self.unresolved.insert(name, reason.clone());
            }
            self.outcomes.insert(place, outcome);
        }
        for (place, wanted) in std::mem::take(&mut self.waiting) {
            for wanted in wanted {
                self.settle(&place, wanted);
            }
        }
        self.proceed()?;
        Ok(new)
    }

    /// The message that a place which is referred to was not to be had.
    pub(super) fn told_of(&self, place: &Place, reason: &str) -> String {
        let name = self.walk.names.plain(place);
        format!("`{}`, which it refers to: {reason}", shown(&name))
    }

    /// The root document and its parts, all references spelt anew.
    pub(super) fn finish(self) -> (Value, Parts) {
        let Self {
            trees,
            mut walk,
            mut unresolved,
            ..
        } = self;
        let mut parts = Parts::default();
        let mut root = Value::Null;
        for (index, tree) in trees.into_iter().enumerate() {
            let mut value = tree.root;
            if !walk.spelt.is_empty() {
                respell(&mut value, &mut walk.spelt);
            }
            if index == 0 {
                root = *value;
            } else {
                parts.trees.insert(tree.name, *value);
            }
        }
        unresolved.extend(walk.names.into_failed());
        parts.unresolved = unresolved;
        (root, parts)
    }

    /// Reads a part. What cannot be read leads nowhere; what exceeds a limit is an error.
    fn part(&mut self, place: &Place, found: &Found) -> Result<Outcome, String> {
        let mut limits = Limits::DOCUMENT;
        limits.nodes = limits.nodes.saturating_sub(self.nodes);
        let root = match parse_tree(&found.bytes, &limits) {
            Ok(root) => root,
            Err(ReadError::Limit { message, .. }) => {
                let name = self.walk.names.of(place);
                return Err(format!("`{}`: {message}", shown(&name)));
            }
            Err(error) => return Ok(Outcome::Unresolved(error.to_string())),
        };
        let name = self.walk.names.of(place);
        let census = Census::of(&root);
        // Its relative references start from the way to it, as they do in a URL.
        let base = match &found.place {
            Place::Web(_) => found.place.clone(),
            Place::File(_) => place.clone(),
        };
        self.push(root, base, name, &census).map(Outcome::Tree)
    }

    fn push(
        &mut self,
        root: Value,
        place: Place,
        name: String,
        census: &Census,
    ) -> Result<usize, String> {
        self.nodes += census.nodes;
        self.references += census.references;
        if self.references > MOST_REFERENCES {
            return Err(format!(
                "the document and its parts hold more than {MOST_REFERENCES} references (`$ref`)"
            ));
        }
        let index = self.trees.len();
        self.walk.begin(&root, place, census.has_anchors);
        self.trees.push(Tree {
            root: Box::new(root),
            name,
        });
        Ok(index)
    }

    /// Walks whatever references into known trees have led to.
    fn proceed(&mut self) -> Result<(), String> {
        loop {
            loop {
                if self.walk.is_full() {
                    return Err("its references take too much room".to_owned());
                }
                let Some((tree, wanted)) = self.walk.pending.pop_front() else {
                    break;
                };
                self.follow(tree, &wanted)?;
            }
            if self.walk.elsewhere.is_empty() {
                return Ok(());
            }
            for (place, wanted) in std::mem::take(&mut self.walk.elsewhere) {
                if self.outcomes.contains_key(&place) {
                    self.settle(&place, wanted);
                } else {
                    self.waiting.entry(place).or_default().push(wanted);
                }
            }
        }
    }

    /// Spells a reference to a place whose outcome is known.
    fn settle(&mut self, place: &Place, wanted: Wanted) {
        if let Some(Outcome::Tree(index)) = self.outcomes.get(place) {
            self.walk.pending.push_back((*index, wanted));
        } else if let Some(text) = wanted.text {
            let name = self.walk.names.of(place);
            let spelt = format!("{name}#{}", wanted.fragment);
            self.walk.spell(text, spelt);
        }
    }

    /// Finds what a reference leads to, through references on the way, and walks it.
    fn follow(&mut self, index: usize, wanted: &Wanted) -> Result<(), String> {
        let Some(tree) = self.trees.get(index) else {
            return Ok(());
        };
        let pointer = self.walk.pointer(index, tree, wanted);
        if pointer.len() + wanted.rest.len() > LONGEST_REFERENCE {
            return Err(format!(
                "a reference of it leads through names of more than {} KiB",
                LONGEST_REFERENCE >> 10
            ));
        }
        if let Some(text) = wanted.text {
            let spelt = format!("{}#{pointer}", tree.name);
            self.walk.spell(text, spelt);
        }
        if !self.walk.spend(wanted.rest.len()) {
            return Ok(());
        }
        let way = format!("{pointer}{}", wanted.rest);
        let mut base = self.walk.base(index);
        let mut node: &Value = &tree.root;
        let mut tokens: Vec<String> = Vec::new();
        for (at, _) in way.match_indices('/') {
            let rest = way.get(at..).unwrap_or_default();
            let written = rest.split('/').nth(1).unwrap_or_default();
            let Some(token) = token(written) else {
                return Ok(());
            };
            self.walk.enter(&mut base, node, || pointer_of(&tokens));
            if let Some(next) = step(node, &token) {
                node = next;
                tokens.push(token);
                continue;
            }
            // What is not there may be where the reference in its place leads to.
            let Some(reference @ Value::String(text)) = node.get("$ref") else {
                return Ok(());
            };
            if wanted.hops >= MOST_HOPS {
                return Ok(());
            }
            let hop = Wanted {
                rest: rest.to_owned(),
                hops: wanted.hops + 1,
                ..Wanted::at(reference, wanted.kind)
            };
            let noted = self.walk.refer(&base, text, hop);
            return noted.map_err(|refused| self.told(&refused));
        }
        // A name in place of a pointer that nothing bears.
        if !pointer.is_empty() && !pointer.starts_with('/') {
            return Ok(());
        }
        let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
        let trail = Trail {
            parent: None,
            tokens: &tokens,
        };
        let walked = self.walk.walk(node, wanted.kind, &base, &trail);
        walked.map_err(|refused| self.told(&refused))
    }

    /// A refusal with the place of the reference.
    fn told(&self, refused: &Refused) -> String {
        let tree = self.trees.get(refused.tree);
        let pointer = tree
            .and_then(|tree| find(&tree.root, refused.text))
            .map(|tokens| pointer_of(tokens.split_last().map_or(&[], |(_, node)| node)));
        let place = match (pointer, tree) {
            (Some(pointer), Some(tree)) => {
                format!(" at `{}`", shown(&format!("{}#{pointer}", tree.name)))
            }
            _ => String::new(),
        };
        format!(
            "the reference `{}`{place} is refused: {}",
            shown(&refused.reference),
            refused.reason
        )
    }
}

/// Replaces the texts of references; a `$dynamicRef` among them becomes a `$ref`.
fn respell(value: &mut Value, spelt: &mut HashMap<Address, String>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| respell(item, spelt)),
        Value::Object(members) => {
            let mut dynamic = None;
            for (key, member) in members.iter_mut() {
                match spelt.remove(&address(member)) {
                    Some(text) if key == "$dynamicRef" => dynamic = Some(text),
                    Some(text) => *member = Value::String(text),
                    None => respell(member, spelt),
                }
            }
            if let Some(text) = dynamic {
                members.shift_remove("$dynamicRef");
                members.insert("$ref".to_owned(), Value::String(text));
            }
        }
        _ => {}
    }
}
