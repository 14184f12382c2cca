//! Request bodies that are or list calls, by the names of their properties.

use std::collections::{HashMap, HashSet, VecDeque};

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::Sign;
use crate::api::schema::references;
use crate::api::{Function, is_mutating};

/// How deep a body is searched.
const DEPTH: usize = 6;
/// Schemas that are looked at in one body.
const MOST_SCHEMAS: usize = 5_000;

const METHODS: &[&str] = &["method", "httpmethod", "requestmethod", "verb"];
const TARGETS: &[&str] = &[
    "path",
    "uri",
    "url",
    "relativeurl",
    "relativeuri",
    "endpoint",
];

/// Where a schema stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    /// It is the whole body, or one form of it.
    Body,
    /// It is an item of a list or a map.
    Item,
    /// It is one property among others.
    Property,
}

/// What is known of the bodies of a server's functions, of which many may be of one type.
pub(super) struct Bodies<'a> {
    types: &'a IndexMap<String, Value>,
    /// The types that lead to a property whose name may tell something.
    telling: HashSet<&'a str>,
    /// What bodies show, by the text of their schemas.
    known: HashMap<String, Option<Sign>>,
}

impl<'a> Bodies<'a> {
    pub(super) fn new(types: &'a IndexMap<String, Value>) -> Self {
        Self {
            types,
            telling: telling(types),
            known: HashMap::new(),
        }
    }

    /// What in a function's body shows that it carries other operations.
    pub(super) fn sign(&mut self, function: &Function) -> Option<Sign> {
        let body = function.body.as_ref()?;
        if !is_mutating(&function.method) {
            return None;
        }
        let others = body.alternatives.iter().map(|other| &other.schema);
        let schemas: Vec<&Value> = std::iter::once(&body.schema).chain(others).collect();
        let texts: Vec<String> = schemas.iter().map(ToString::to_string).collect();
        let text = texts.join("\n");
        if let Some(known) = self.known.get(&text) {
            return known.clone();
        }
        let mut search = Search {
            types: self.types,
            telling: &self.telling,
            left: MOST_SCHEMAS,
            seen: HashSet::new(),
            queue: VecDeque::new(),
        };
        for schema in schemas {
            search.add(schema, Place::Body, DEPTH);
        }
        let sign = search.run();
        self.known.insert(text, sign.clone());
        sign
    }
}

/// The types that have, or lead to, a property whose name may tell something.
fn telling(types: &IndexMap<String, Value>) -> HashSet<&str> {
    let mut referrers: HashMap<String, Vec<&str>> = HashMap::new();
    let mut pending: Vec<&str> = Vec::new();
    for (name, schema) in types {
        for reference in references(schema) {
            let target = reference.trim_start_matches("#/types/").to_owned();
            referrers.entry(target).or_default().push(name);
        }
        if tells(schema) {
            pending.push(name);
        }
    }
    let mut telling = HashSet::new();
    while let Some(name) = pending.pop() {
        if telling.insert(name) {
            pending.extend(referrers.remove(name).into_iter().flatten());
        }
    }
    telling
}

/// Whether a property of a schema, or of one within it, has a name that may tell something. The
/// depth of schemas is capped when they are read.
fn tells(schema: &Value) -> bool {
    match schema {
        Value::Array(items) => items.iter().any(tells),
        Value::Object(members) => {
            let properties = members.get("properties").and_then(Value::as_object);
            let mut names = properties.into_iter().flat_map(Map::keys);
            names.any(|name| is_telling(&plain(name))) || members.values().any(tells)
        }
        _ => false,
    }
}

/// Whether a plain name is one of those that are looked for.
fn is_telling(name: &str) -> bool {
    let calls = ["jsonrpc", "method", "query", "operationname", "variables"];
    calls.contains(&name) || METHODS.contains(&name) || TARGETS.contains(&name)
}

/// A search in breadth: of two ways to a type the shorter one counts, so each type is looked at
/// once per place that it stands at.
struct Search<'a> {
    types: &'a IndexMap<String, Value>,
    telling: &'a HashSet<&'a str>,
    left: usize,
    seen: HashSet<(&'a str, Place)>,
    queue: VecDeque<(&'a Map<String, Value>, Place, usize)>,
}

impl<'a> Search<'a> {
    fn add(&mut self, schema: &'a Value, place: Place, depth: usize) {
        let Some(mut members) = schema.as_object() else {
            return;
        };
        // A reference to a reference is rare; one to itself ends by what was seen.
        while let Some(reference) = members.get("$ref").and_then(Value::as_str) {
            if !self.seen.insert((reference, place)) {
                return;
            }
            match referred(reference, self.types) {
                Some((name, target)) if self.telling.contains(name) => members = target,
                _ => return,
            }
        }
        if self.left > 0 {
            self.left -= 1;
            self.queue.push_back((members, place, depth));
        }
    }

    fn run(&mut self) -> Option<Sign> {
        while let Some((members, place, depth)) = self.queue.pop_front() {
            if place != Place::Property
                && let Some(sign) = self.judged(members, place)
            {
                return Some(sign);
            }
            let Some(below) = depth.checked_sub(1) else {
                continue;
            };
            for keyword in ["oneOf", "anyOf", "allOf"] {
                for part in listed(members, keyword) {
                    self.add(part, place, below);
                }
            }
            for keyword in ["items", "additionalProperties"] {
                if let Some(item) = members.get(keyword) {
                    self.add(item, Place::Item, below);
                }
            }
            for item in listed(members, "prefixItems") {
                self.add(item, Place::Item, below);
            }
            let properties = members.get("properties").and_then(Value::as_object);
            for property in properties.into_iter().flat_map(Map::values) {
                self.add(property, Place::Property, below);
            }
        }
        None
    }

    /// Whether an object is a call or an item is a request.
    fn judged(&mut self, members: &'a Map<String, Value>, place: Place) -> Option<Sign> {
        let names = self.names(members).into_iter();
        let names = names.map(|name| (name, plain(name)));
        let names: Vec<_> = names.filter(|(_, plain)| is_telling(plain)).collect();
        let having = |wanted: &[&str]| {
            let found = names.iter().find(|(_, plain)| wanted.contains(&&**plain));
            found.map(|(name, _)| (*name).to_owned())
        };
        if place == Place::Item
            && let (Some(method), Some(target)) = (having(METHODS), having(TARGETS))
        {
            return Some(Sign::Requests(method, target));
        }
        if let (Some(version), Some(method)) = (having(&["jsonrpc"]), having(&["method"])) {
            return Some(Sign::Call(version, method));
        }
        if let (Some(query), Some(further)) = (
            having(&["query"]),
            having(&["operationname"]).or_else(|| having(&["variables"])),
        ) {
            return Some(Sign::Call(query, further));
        }
        None
    }

    /// The names of an object's properties, with those of what it is composed of.
    fn names(&mut self, members: &'a Map<String, Value>) -> Vec<&'a str> {
        let mut names = Vec::new();
        let mut parts = vec![members];
        let mut seen = HashSet::new();
        while let Some(part) = parts.pop() {
            let properties = part.get("properties").and_then(Value::as_object);
            names.extend(
                properties
                    .into_iter()
                    .flat_map(Map::keys)
                    .map(String::as_str),
            );
            let referred = part
                .get("$ref")
                .and_then(Value::as_str)
                .filter(|reference| seen.insert(*reference))
                .and_then(|reference| referred(reference, self.types))
                .filter(|(name, _)| self.telling.contains(name))
                .map(|(_, target)| target);
            let composed = listed(part, "allOf").iter().filter_map(Value::as_object);
            for further in referred.into_iter().chain(composed) {
                if self.left == 0 {
                    return names;
                }
                self.left -= 1;
                parts.push(further);
            }
        }
        names
    }
}

fn listed<'a>(members: &'a Map<String, Value>, keyword: &str) -> &'a [Value] {
    let list = members.get(keyword).and_then(Value::as_array);
    list.map(Vec::as_slice).unwrap_or_default()
}

/// A name without what is written differently from API to API.
fn plain(name: &str) -> String {
    let kept = name.chars().filter(char::is_ascii_alphanumeric);
    kept.collect::<String>().to_ascii_lowercase()
}

/// The type that a reference leads to, with its name.
fn referred<'a>(
    reference: &str,
    types: &'a IndexMap<String, Value>,
) -> Option<(&'a str, &'a Map<String, Value>)> {
    let (name, schema) = types.get_key_value(reference.trim_start_matches("#/types/"))?;
    Some((name, schema.as_object()?))
}

#[cfg(test)]
mod tests;
