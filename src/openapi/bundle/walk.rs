//! Finds the references of trees, and what is known of schemas that have names of their own.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use serde_json::{Map, Value};
use url::Url;

use super::Tree;
use super::names::Names;
use crate::openapi::own_uri::OwnUri;
use crate::openapi::places::{self, Bounds, Failure, Place};
use crate::openapi::pointer::{decoded, escaped, reaches};
use crate::openapi::positions::Kind;

/// Bytes of references that are spelt anew, of pointers to schemas that have names, and of places
/// that are still to be looked at.
const MOST_SPELT: usize = 64 << 20;
/// Bytes of an `$id`, resolved, that is still followed: every reference below is joined to it.
const LONGEST_ID: usize = 4 << 10;

/// The address of a node of a tree that is not changed meanwhile.
pub(super) type Address = usize;

pub(super) fn address(value: &Value) -> Address {
    std::ptr::from_ref(value).addr()
}

/// Within which tree, and which schema resource of it, a reference stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Base {
    pub(super) tree: usize,
    /// The pointer to the schema whose `$id` is in force; empty for the whole tree.
    pub(super) resource: Arc<str>,
    /// That `$id`, resolved.
    pub(super) id: Option<Arc<Url>>,
}

/// A reference whose target is to be walked.
#[derive(Debug)]
pub(super) struct Wanted {
    /// The text of the reference, if it has to be spelt anew.
    pub(super) text: Option<Address>,
    /// The pointer to the schema resource that the fragment is relative to; empty for the tree.
    pub(super) resource: Arc<str>,
    /// What stands behind `#`, percent-encoded as written.
    pub(super) fragment: String,
    /// A further way from what the reference leads to, escaped as in a pointer.
    pub(super) rest: String,
    pub(super) kind: Kind,
    pub(super) hops: usize,
}

impl Wanted {
    pub(super) fn at(text: &Value, kind: Kind) -> Self {
        Self {
            text: Some(address(text)),
            resource: Arc::default(),
            fragment: String::new(),
            rest: String::new(),
            kind,
            hops: 0,
        }
    }
}

/// A reference that is not permitted.
pub(super) struct Refused {
    pub(super) tree: usize,
    pub(super) text: Address,
    pub(super) reference: String,
    pub(super) reason: String,
}

/// The way from the root of a tree to a node.
pub(super) struct Trail<'a> {
    pub(super) parent: Option<&'a Trail<'a>>,
    pub(super) tokens: &'a [&'a str],
}

impl Trail<'_> {
    pub(super) fn then<'t>(&'t self, tokens: &'t [&'t str]) -> Trail<'t> {
        Trail {
            parent: Some(self),
            tokens,
        }
    }

    pub(super) fn pointer(&self) -> String {
        let mut pointer = self.parent.map(Trail::pointer).unwrap_or_default();
        for token in self.tokens {
            pointer.push('/');
            pointer.push_str(&escaped(token));
        }
        pointer
    }
}

/// What is gathered while trees are walked.
#[derive(Debug)]
pub(super) struct Walk {
    bounds: Bounds,
    /// Where the trees lie: what their relative references start from.
    places: Vec<Place>,
    /// The URI that the root document gives itself.
    own: Option<OwnUri>,
    /// Whether schemas are those of JSON Schema 2020-12, with `$id` and `$anchor`.
    has_anchors: bool,
    visited: HashSet<(Address, Kind)>,
    /// References into trees that are there.
    pub(super) pending: VecDeque<(usize, Wanted)>,
    /// References to other places.
    pub(super) elsewhere: Vec<(Place, Wanted)>,
    /// References by their addresses, spelt anew.
    pub(super) spelt: HashMap<Address, String>,
    /// Schemas by `$id`: their tree and pointer.
    ids: HashMap<Url, (usize, Arc<str>)>,
    /// Schemas by tree, resource and anchor; `None` where two claim one.
    anchors: HashMap<(usize, Arc<str>, String), Option<String>>,
    /// Whether a reference leads elsewhere once the folders of the root document are others.
    pub(super) depends_on_folders: bool,
    /// Bytes that pointers and references may still take that the document does not spell itself.
    room: usize,
    pub(super) names: Names,
}

impl Walk {
    pub(super) fn new(bounds: Bounds, has_anchors: bool, names: Names) -> Self {
        Self {
            bounds,
            places: Vec::new(),
            own: None,
            has_anchors,
            visited: HashSet::new(),
            pending: VecDeque::new(),
            elsewhere: Vec::new(),
            spelt: HashMap::new(),
            ids: HashMap::new(),
            anchors: HashMap::new(),
            depends_on_folders: false,
            room: MOST_SPELT,
            names,
        }
    }

    /// Notes where a tree lies, and which of its schemas have names of their own.
    pub(super) fn begin(&mut self, tree: &Value, place: Place, may_have_anchors: bool) {
        let index = self.places.len();
        let place = if index == 0 {
            self.begin_root(tree, place)
        } else {
            place
        };
        self.places.push(place);
        if self.has_anchors && may_have_anchors {
            let whole = Trail {
                parent: None,
                tokens: &[],
            };
            self.index(tree, self.base(index), &whole);
        }
    }

    /// Where the references of the root document start from.
    fn begin_root(&mut self, tree: &Value, place: Place) -> Place {
        let members = tree.as_object();
        self.own = members.and_then(|it| OwnUri::at(it, &place));
        let text = members
            .and_then(|it| it.get("$self"))
            .and_then(Value::as_str);
        if matches!(place, Place::File(_)) && self.own_place(&place).is_some() {
            self.depends_on_folders |= !text.is_some_and(is_downward);
        }
        match (&place, self.own_place(&place)) {
            // What lies beside a file is what its references mean.
            (Place::Web(_), Some(own)) => own,
            _ => place,
        }
    }

    /// The place that the root document, which lies at another, says it has.
    pub(super) fn own_place(&self, place: &Place) -> Option<Place> {
        self.own.as_ref()?.place(place)
    }

    /// Whether the document made more of its references than any that is meant well.
    pub(super) fn is_full(&self) -> bool {
        self.room == 0
    }

    /// Spells a reference anew.
    pub(super) fn spell(&mut self, text: Address, spelt: String) {
        self.spend(spelt.len());
        self.spelt.insert(text, spelt);
    }

    /// Takes room for what is gathered; whether there is any left.
    pub(super) fn spend(&mut self, bytes: usize) -> bool {
        self.room = self.room.saturating_sub(bytes + 1);
        self.room > 0
    }

    /// Notes the references of a node and of all below it.
    pub(super) fn walk(
        &mut self,
        node: &Value,
        kind: Kind,
        base: &Base,
        trail: &Trail<'_>,
    ) -> Result<(), Refused> {
        let Value::Object(members) = node else {
            return Ok(());
        };
        if !self.visited.insert((address(node), kind)) {
            return Ok(());
        }
        let entered = (kind == Kind::Schema && self.is_resource(node)).then(|| {
            let mut own = base.clone();
            self.enter(&mut own, node, || trail.pointer());
            own
        });
        let own = entered.as_ref().unwrap_or(base);
        if let Some(reference) = self.reference(members, kind)
            && let Value::String(text) = reference
        {
            self.refer(own, text, Wanted::at(reference, kind))?;
            if !kind.has_siblings() {
                return Ok(());
            }
        }
        kind.children(members, |tokens, child, kind| {
            self.walk(child, kind, own, &trail.then(tokens))
        })
    }

    /// The text of the reference that stands in a node's place. A `$dynamicRef` leads, as far as
    /// can be told without knowing who refers to its schema, to where a `$ref` would.
    fn reference<'v>(&self, members: &'v Map<String, Value>, kind: Kind) -> Option<&'v Value> {
        let reference = members.get("$ref").filter(|_| kind.may_be_reference());
        let dynamic = || {
            let is_meant = kind == Kind::Schema && self.has_anchors;
            members.get("$dynamicRef").filter(|_| is_meant)
        };
        reference.or_else(dynamic)
    }

    /// The base of the references of a tree.
    pub(super) fn base(&self, tree: usize) -> Base {
        let place = self.places.get(tree).filter(|_| self.has_anchors);
        Base {
            tree,
            resource: Arc::default(),
            id: place.and_then(uri).map(Arc::new),
        }
    }

    fn is_resource(&self, node: &Value) -> bool {
        self.has_anchors && node.get("$id").is_some_and(Value::is_string)
    }

    /// Enters a node that may be a schema resource of its own.
    pub(super) fn enter(
        &mut self,
        base: &mut Base,
        node: &Value,
        pointer: impl FnOnce() -> String,
    ) {
        if self.has_anchors
            && let Some(Value::String(id)) = node.get("$id")
            && self.room > 0
        {
            let joined = base.id.as_ref().and_then(|base| base.join(id).ok());
            // Most name no file but are URLs, and lead to nothing but themselves.
            let is_of_file = joined.as_ref().is_some_and(|url| url.scheme() == "file");
            self.depends_on_folders |= is_of_file && !is_downward(id);
            let joined = joined.filter(|url| url.as_str().len() <= LONGEST_ID);
            base.id = joined.map(Arc::new);
            base.resource = pointer().into();
            self.spend(base.resource.len());
        }
    }

    /// Notes one reference.
    pub(super) fn refer(
        &mut self,
        base: &Base,
        text: &str,
        mut wanted: Wanted,
    ) -> Result<(), Refused> {
        if self.is_full() {
            // The walk goes on for a while, but nothing is gathered any more.
            return Ok(());
        }
        let (target, fragment) = text.split_once('#').unwrap_or((text, ""));
        fragment.clone_into(&mut wanted.fragment);
        if let Some((tree, resource)) = self.resource(base, target) {
            let is_plain = tree == 0 && target.is_empty() && resource.is_empty();
            if is_plain && fragment.starts_with('/') {
                // A reference of the root document to itself is right as it stands.
                wanted.text = None;
            }
            wanted.resource = resource;
            self.pending.push_back((tree, wanted));
            return Ok(());
        }
        let Some(place) = self.places.get(base.tree) else {
            return Ok(());
        };
        match self.bounds.locate(place, target) {
            Ok(found) => {
                let root = self.places.first().unwrap_or(place);
                self.depends_on_folders |= places::depends_on_folders(root, place, target, &found);
                let place = found;
                self.spend(length(&place));
                self.elsewhere.push((place, wanted));
            }
            Err(Failure::Refused(reason)) => {
                return Err(Refused {
                    tree: base.tree,
                    text: wanted.text.unwrap_or_default(),
                    reference: text.to_owned(),
                    reason,
                });
            }
            Err(Failure::Unresolved(reason)) => {
                let name = self.names.of_failed(target, reason);
                if let Some(text) = wanted.text {
                    self.spell(text, format!("{name}#{fragment}"));
                }
            }
        }
        Ok(())
    }

    /// The tree and schema resource that the part of a reference before `#` names, if that can be
    /// told without looking elsewhere.
    fn resource(&self, base: &Base, target: &str) -> Option<(usize, Arc<str>)> {
        if target.is_empty() {
            return Some((base.tree, Arc::clone(&base.resource)));
        }
        let is_within = base.tree == 0 && base.resource.is_empty();
        let own = self.own.as_ref();
        if own.is_some_and(|own| own.is_spelt(target, is_within)) {
            return Some((0, Arc::default()));
        }
        if self.ids.is_empty() {
            return None;
        }
        let mut id = base.id.as_ref()?.join(target).ok()?;
        id.set_fragment(None);
        self.ids.get(&id).cloned()
    }

    /// The pointer, percent-encoded, to what a reference into a tree means.
    pub(super) fn pointer(&self, index: usize, tree: &Tree, wanted: &Wanted) -> String {
        let Wanted {
            resource, fragment, ..
        } = wanted;
        if fragment.is_empty() {
            return resource.to_string();
        }
        if fragment.starts_with('/') {
            let within = format!("{resource}{fragment}");
            // Many write an `$id` and mean pointers from the root of the file all the same.
            if !resource.is_empty() && reaches(&tree.root, &within) {
                return within;
            }
            return fragment.clone();
        }
        let anchor = decoded(fragment).and_then(|name| {
            let key = (index, Arc::clone(resource), name);
            self.anchors.get(&key).cloned().flatten()
        });
        anchor.unwrap_or_else(|| fragment.clone())
    }

    /// Notes the `$id`s and anchors of a tree. What only looks like one does no harm, as long as
    /// nothing refers to it.
    fn index(&mut self, node: &Value, mut base: Base, trail: &Trail<'_>) {
        match node {
            Value::Object(members) => {
                if let Some(Value::String(_)) = members.get("$id") {
                    self.enter(&mut base, node, || trail.pointer());
                    if let Some(mut id) = base.id.as_deref().cloned() {
                        id.set_fragment(None);
                        let place = (base.tree, Arc::clone(&base.resource));
                        self.ids.entry(id).or_insert(place);
                    }
                }
                for keyword in ["$anchor", "$dynamicAnchor"] {
                    if let Some(Value::String(name)) = members.get(keyword) {
                        let pointer = trail.pointer();
                        if !self.spend(pointer.len()) {
                            return;
                        }
                        let key = (base.tree, Arc::clone(&base.resource), name.clone());
                        let known = self.anchors.entry(key);
                        known
                            .and_modify(|other| {
                                if other.as_ref() != Some(&pointer) {
                                    *other = None;
                                }
                            })
                            .or_insert_with(|| Some(pointer.clone()));
                    }
                }
                for (key, member) in members {
                    let tokens = [key.as_str()];
                    self.index(member, base.clone(), &trail.then(&tokens));
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let index = index.to_string();
                    let tokens = [index.as_str()];
                    self.index(item, base.clone(), &trail.then(&tokens));
                }
            }
            _ => {}
        }
    }
}

/// Whether a relative reference stays below the folder that it starts from.
fn is_downward(reference: &str) -> bool {
    let is_absolute = reference.starts_with('/') || Url::parse(reference).is_ok();
    !is_absolute && !reference.contains("..") && !reference.contains("%2")
}

/// The base of what stands at a place, as a URL that `$id`s are joined to.
fn uri(place: &Place) -> Option<Url> {
    match place {
        Place::File(path) => Url::from_file_path(path).ok(),
        Place::Web(url) => Some(url.clone()),
    }
}

fn length(place: &Place) -> usize {
    match place {
        Place::File(path) => path.as_os_str().len(),
        Place::Web(url) => url.as_str().len(),
    }
}
