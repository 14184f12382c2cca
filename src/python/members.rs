//! What keys an object has: its own, those it inherits by `allOf`, and those of the alternatives
//! that `anyOf` and `oneOf` offer beside them.

use std::collections::{BTreeSet, HashSet};

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::classes::Types;
use crate::api::schema::{beside_null, stands_for, type_names};

/// Alternatives that each get a class of their own; of more, one class has all keys.
const MOST_VARIANTS: usize = 12;
/// Keys of all these classes together.
const MOST_VARIANT_KEYS: usize = 120;
/// Schemas of one key that are told apart.
const MOST_SCHEMAS: usize = 8;

/// A key on its way to become a field.
#[derive(Debug, Clone, Default)]
pub(super) struct Property<'a> {
    /// Its schemas, which hold all at once: those of the object itself first, then those it
    /// inherits in their order.
    pub(super) certain: Vec<&'a Value>,
    /// Its schemas in alternatives, of which one holds.
    pub(super) possible: Vec<&'a Value>,
    /// Whether it is always there.
    pub(super) required: bool,
}

/// The keys of an object.
#[derive(Debug, Clone, Default)]
pub(super) struct Members<'a> {
    pub(super) properties: IndexMap<&'a str, Property<'a>>,
    /// The schema of keys beyond these, where one is given.
    pub(super) further: Option<&'a Value>,
    /// What must be there, declared or not.
    required: BTreeSet<&'a str>,
    /// The lists of alternatives that were left aside.
    unions: Vec<&'a [Value]>,
}

/// What becomes of `anyOf` and `oneOf` on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unions {
    /// Their alternatives' keys are added as optional ones.
    Merged,
    /// They are left aside in [`Members::unions`].
    Aside,
}

/// An object as one class or several.
pub(super) enum Shape<'a> {
    /// One class with these keys.
    One(Members<'a>),
    /// One class for each alternative.
    Either(Vec<Variant<'a>>),
}

/// One alternative of an object.
pub(super) enum Variant<'a> {
    /// It is what this schema says.
    Known(&'a Value),
    /// It has these keys; the schema is what tells it apart from others.
    Own(&'a Value, Members<'a>),
}

impl<'a> Types<'a> {
    /// The keys of an object, alternatives told apart where they have keys of their own. `name` is
    /// the name of the schema. `None` where there is too much to look at.
    pub(super) fn shape(&mut self, schema: &'a Value, name: Option<&'a str>) -> Option<Shape<'a>> {
        let base = self.gather(&[schema], name, Unions::Aside)?;
        let mut unions = Vec::new();
        for alternatives in &base.unions {
            let mut has_keys = false;
            for alternative in *alternatives {
                let members = self.gather(&[alternative], None, Unions::Merged)?;
                has_keys |= !members.properties.is_empty();
            }
            // The others only say which of the keys go together.
            if has_keys {
                unions.push(*alternatives);
            }
        }
        let mut combinations: Vec<Vec<&'a Value>> = vec![Vec::new()];
        for alternatives in &unions {
            combinations = combinations
                .iter()
                .flat_map(|taken| {
                    alternatives.iter().map(|alternative| {
                        let mut taken = taken.clone();
                        taken.push(alternative);
                        taken
                    })
                })
                .take(MOST_VARIANTS + 1)
                .collect();
        }
        if unions.is_empty() || combinations.len() > MOST_VARIANTS {
            return self.merged(schema, name).map(Shape::One);
        }
        let mut keys = 0;
        let mut variants = Vec::new();
        for combination in combinations {
            let members = self.gather(&combination, None, Unions::Merged)?;
            let Some(first) = combination.first().copied() else {
                continue;
            };
            if combination.len() == 1 && covers(&members, &base) {
                variants.push(Variant::Known(first));
                continue;
            }
            let members = both(base.clone(), members);
            keys += members.properties.len();
            if keys > MOST_VARIANT_KEYS {
                return self.merged(schema, name).map(Shape::One);
            }
            variants.push(Variant::Own(first, members));
        }
        Some(Shape::Either(variants))
    }

    /// The keys of an object, those of all alternatives among them.
    fn merged(&mut self, schema: &'a Value, name: Option<&'a str>) -> Option<Members<'a>> {
        self.gather(&[schema], name, Unions::Merged)
    }

    /// The keys that several schemas have which hold all at once.
    pub(super) fn together(&mut self, schemas: &[&'a Value]) -> Option<Members<'a>> {
        self.gather(schemas, None, Unions::Merged)
    }

    /// Every schema is visited once, whatever refers to it how often.
    fn gather(
        &mut self,
        roots: &[&'a Value],
        name: Option<&'a str>,
        unions: Unions,
    ) -> Option<Members<'a>> {
        let mut found = Members::default();
        let mut visited: HashSet<&'a str> = name.into_iter().collect();
        let mut pending: Vec<(&'a Value, bool)> =
            roots.iter().rev().map(|root| (*root, true)).collect();
        while let Some((schema, certain)) = pending.pop() {
            let Value::Object(members) = schema else {
                continue;
            };
            if !self.work(1) {
                return None;
            }
            if let Some(properties) = members.get("properties").and_then(Value::as_object) {
                if !self.work(properties.len()) {
                    return None;
                }
                for (key, value) in properties {
                    let property = found.properties.entry(key).or_default();
                    let schemas = if certain {
                        &mut property.certain
                    } else {
                        &mut property.possible
                    };
                    let is_known = schemas.iter().any(|known| std::ptr::eq(*known, value));
                    if schemas.len() < MOST_SCHEMAS && !is_known {
                        schemas.push(value);
                    }
                }
            }
            if certain {
                let required = members.get("required").and_then(Value::as_array);
                let required = required.map(Vec::as_slice).unwrap_or_default();
                if !self.work(required.len()) {
                    return None;
                }
                found
                    .required
                    .extend(required.iter().filter_map(Value::as_str));
                let further = members.get("additionalProperties");
                let further = further.filter(|it| it.as_object().is_some_and(|it| !it.is_empty()));
                found.further = found.further.or(further);
            }
            // Reversed, since the last pushed is the next one visited.
            for keyword in ["oneOf", "anyOf"] {
                let parts = members.get(keyword).and_then(Value::as_array);
                let parts = parts.map(Vec::as_slice).unwrap_or_default();
                // A base that lists those which inherit from it: this is one of them.
                let leads_back = parts.iter().any(|part| {
                    let name = part.as_object().and_then(|part| self.reference(part));
                    name.is_some_and(|name| visited.contains(name))
                });
                if leads_back {
                    continue;
                }
                if let Some(only) = beside_null(schema, keyword) {
                    // Of one alternative beside null, an object has all.
                    pending.push((only, certain));
                } else if certain && unions == Unions::Aside && !parts.is_empty() {
                    found.unions.push(parts);
                } else {
                    pending.extend(parts.iter().rev().map(|part| (part, false)));
                }
            }
            let parts = members.get("allOf").and_then(Value::as_array);
            let parts = parts.into_iter().flatten().rev();
            pending.extend(parts.map(|part| (part, certain)));
            if let Some(name) = self.reference(members)
                && visited.insert(name)
                && let Some(target) = self.schema_named(name)
            {
                pending.push((target, certain));
            }
        }
        for (key, property) in &mut found.properties {
            property.required = found.required.contains(key);
        }
        Some(found)
    }

    /// Which of schemas that hold all at once says most; the object's own, which is the first,
    /// before those it inherits, and of these the last.
    pub(super) fn most_telling(&self, schemas: &[&'a Value]) -> Option<&'a Value> {
        let (first, others) = schemas.split_first()?;
        let mut best = *first;
        let mut most = self.telling(best);
        for schema in others.iter().rev() {
            let telling = self.telling(schema);
            if telling > most {
                (best, most) = (schema, telling);
            }
        }
        Some(best)
    }

    /// How much a schema says of a value: nothing, its type, its keys, the value itself.
    fn telling(&self, schema: &'a Value) -> u8 {
        let Some(members) = self.resolved(schema).as_object() else {
            return 0;
        };
        if members.contains_key("const") || members.contains_key("enum") {
            3
        } else if has_keys(members) {
            2
        } else {
            u8::from(
                !type_names(members).is_empty()
                    || ["anyOf", "oneOf", "items", "additionalProperties"]
                        .iter()
                        .any(|keyword| members.contains_key(*keyword)),
            )
        }
    }

    /// Whether all of the schemas are objects with keys.
    pub(super) fn are_objects(&self, schemas: &[&'a Value]) -> bool {
        schemas.iter().all(|schema| {
            let members = self.resolved(schema).as_object();
            members.is_some_and(has_keys)
        })
    }

    /// What a schema stands for.
    pub(super) fn resolved(&self, schema: &'a Value) -> &'a Value {
        let mut schema = schema;
        for _ in 0..16 {
            match stands_for(schema, self.schemas()) {
                Some(next) => schema = next,
                None => break,
            }
        }
        schema
    }
}

fn has_keys(members: &Map<String, Value>) -> bool {
    let properties = members.get("properties").and_then(Value::as_object);
    properties.is_some_and(|properties| !properties.is_empty()) || members.contains_key("allOf")
}

/// Whether one has all that the other has.
fn covers(members: &Members<'_>, base: &Members<'_>) -> bool {
    let mut keys = base.properties.keys();
    keys.all(|key| members.properties.contains_key(key))
        && base
            .required
            .iter()
            .all(|key| members.required.contains(key) || !base.properties.contains_key(key))
}

/// The keys of an object and of one of its alternatives.
fn both<'a>(base: Members<'a>, alternative: Members<'a>) -> Members<'a> {
    let mut members = base;
    for (key, property) in alternative.properties {
        let known = members.properties.entry(key).or_default();
        // What an alternative says is the narrower.
        let inherited = std::mem::replace(&mut known.certain, property.certain);
        known.certain.extend(inherited);
        known.possible.extend(property.possible);
    }
    members.required.extend(alternative.required);
    for (key, property) in &mut members.properties {
        property.required = members.required.contains(key);
    }
    members.further = members.further.or(alternative.further);
    members
}
