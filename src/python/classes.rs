//! Finds the type of each schema and gathers the classes that those types name.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::types::{PythonType, enumeration};
use crate::api::identifiers::{Unique, type_name};
use crate::api::schema::type_names;

/// Aliases and unions within one another.
const DEEPEST: usize = 40;

/// A `TypedDict`.
#[derive(Debug, Clone)]
pub(super) struct Class {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) fields: Vec<Field>,
}

/// A key of a [`Class`].
#[derive(Debug, Clone)]
pub(super) struct Field {
    pub(super) key: String,
    pub(super) kind: PythonType,
    pub(super) required: bool,
    pub(super) description: String,
}

/// A property on its way to become a [`Field`].
struct Property<'a> {
    schema: &'a Value,
    required: bool,
}

/// Turns schemas into types. `named` are the schemas with names, by the names their classes bear.
pub(super) struct Types<'a> {
    named: &'a IndexMap<String, Value>,
    known: HashMap<&'a str, PythonType>,
    unique: Unique,
    pending: VecDeque<(String, &'a Value)>,
    classes: BTreeMap<String, Class>,
}

impl<'a> Types<'a> {
    pub(super) fn new(named: &'a IndexMap<String, Value>) -> Self {
        let mut unique = Unique::default();
        for name in named.keys() {
            unique.take(name, "");
        }
        Self {
            named,
            known: HashMap::new(),
            unique,
            pending: VecDeque::new(),
            classes: BTreeMap::new(),
        }
    }

    /// The type of a schema. `hint` names the class of an object that has no name of its own.
    pub(super) fn of(&mut self, schema: &'a Value, hint: &str) -> PythonType {
        self.convert(schema, hint, 0)
    }

    /// Every class that the types found so far need, by name.
    pub(super) fn into_classes(mut self) -> BTreeMap<String, Class> {
        // A queue, not recursion: how far classes lead is for the document to say.
        while let Some((name, schema)) = self.pending.pop_front() {
            let class = self.class(name, schema);
            self.classes.insert(class.name.clone(), class);
        }
        self.classes
    }

    fn convert(&mut self, schema: &'a Value, hint: &str, depth: usize) -> PythonType {
        let Value::Object(members) = schema else {
            return PythonType::Any;
        };
        if depth > DEEPEST {
            return PythonType::Any;
        }
        if let Some(name) = self.reference(members) {
            return self.named(name, depth);
        }
        if let Some(value) = members.get("const") {
            return enumeration(std::slice::from_ref(value));
        }
        if let Some(Value::Array(values)) = members.get("enum") {
            return enumeration(values);
        }
        if let Some(parts) = members.get("allOf").and_then(Value::as_array) {
            return self.all_of(schema, members, parts, hint, depth);
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(parts) = members.get(keyword).and_then(Value::as_array)
                && !members.contains_key("properties")
            {
                let kinds: Vec<PythonType> = parts
                    .iter()
                    .enumerate()
                    .map(|(index, part)| {
                        let title = part.get("title").and_then(Value::as_str);
                        let hint = match title {
                            Some(title) => format!("{hint}{}", type_name(title)),
                            None if index == 0 => hint.to_owned(),
                            None => format!("{hint}Option{}", index + 1),
                        };
                        self.convert(part, &hint, depth + 1)
                    })
                    .collect();
                let union = PythonType::union(kinds);
                return if type_names(members).contains(&"null") {
                    union.optional()
                } else {
                    union
                };
            }
        }
        let mut names = type_names(members);
        if names.is_empty() {
            if members.contains_key("properties") || members.contains_key("additionalProperties") {
                names.push("object");
            } else if members.contains_key("items") || members.contains_key("prefixItems") {
                names.push("array");
            } else {
                return PythonType::Any;
            }
        }
        let kinds: Vec<PythonType> = names
            .into_iter()
            .map(|name| self.plain(name, schema, members, hint, depth))
            .collect();
        PythonType::union(kinds)
    }

    fn plain(
        &mut self,
        name: &str,
        schema: &'a Value,
        members: &'a Map<String, Value>,
        hint: &str,
        depth: usize,
    ) -> PythonType {
        match name {
            "string" => PythonType::name("str"),
            "integer" => PythonType::name("int"),
            "number" => PythonType::name("float"),
            "boolean" => PythonType::name("bool"),
            "null" => PythonType::None,
            "array" => match members.get("items") {
                Some(items) if !members.contains_key("prefixItems") => {
                    PythonType::list(self.convert(items, &format!("{hint}Item"), depth + 1))
                }
                _ => PythonType::list(PythonType::Any),
            },
            "object" => {
                if members
                    .get("properties")
                    .and_then(Value::as_object)
                    .is_some_and(|p| !p.is_empty())
                {
                    return self.hoisted(schema, hint);
                }
                match members.get("additionalProperties") {
                    Some(value @ Value::Object(_)) => {
                        PythonType::dict(self.convert(value, &format!("{hint}Value"), depth + 1))
                    }
                    _ => PythonType::dict(PythonType::Any),
                }
            }
            _ => PythonType::Any,
        }
    }

    fn all_of(
        &mut self,
        schema: &'a Value,
        members: &'a Map<String, Value>,
        parts: &'a [Value],
        hint: &str,
        depth: usize,
    ) -> PythonType {
        let null = type_names(members).contains(&"null");
        let optional = |kind: PythonType| if null { kind.optional() } else { kind };
        // `allOf` with one reference is how 3.0 writes a reference with a description.
        if let [only] = parts
            && !members.contains_key("properties")
        {
            return optional(self.convert(only, hint, depth + 1));
        }
        if !self.properties(schema).is_empty() {
            return optional(self.hoisted(schema, hint));
        }
        let known = parts
            .iter()
            .map(|part| self.convert(part, hint, depth + 1))
            .find(|kind| *kind != PythonType::Any);
        optional(known.unwrap_or(PythonType::Any))
    }

    /// The name that a reference leads to.
    fn reference(&self, members: &'a Map<String, Value>) -> Option<&'a str> {
        let reference = members.get("$ref")?.as_str()?;
        let name = reference.strip_prefix("#/types/")?;
        self.named.contains_key(name).then_some(name)
    }

    fn named(&mut self, name: &'a str, depth: usize) -> PythonType {
        if let Some(kind) = self.known.get(name) {
            return kind.clone();
        }
        let named = self.named;
        let Some(schema) = named.get(name) else {
            return PythonType::Any;
        };
        if self.is_class(schema) {
            let kind = PythonType::name(name);
            self.known.insert(name, kind.clone());
            self.pending.push_back((name.to_owned(), schema));
            return kind;
        }
        // What refers to itself without a class in between has no finite type.
        self.known.insert(name, PythonType::Any);
        let kind = self.convert(schema, name, depth + 1);
        self.known.insert(name, kind.clone());
        kind
    }

    /// Whether a named schema is a class: an object with properties and nothing beside it.
    fn is_class(&self, schema: &'a Value) -> bool {
        let Value::Object(members) = schema else {
            return false;
        };
        let names = type_names(members);
        !members.contains_key("$ref")
            && !members.contains_key("enum")
            && !members.contains_key("const")
            && (members.contains_key("properties") || members.contains_key("allOf"))
            && (names.is_empty() || names == ["object"])
            && (members.contains_key("properties")
                || members
                    .get("allOf")
                    .and_then(Value::as_array)
                    .is_some_and(|p| p.len() > 1))
            && !self.properties(schema).is_empty()
    }

    /// A class for an object without a name.
    fn hoisted(&mut self, schema: &'a Value, hint: &str) -> PythonType {
        let name = self.unique.take(&type_name(hint), "");
        self.pending.push_back((name.clone(), schema));
        PythonType::Name(name)
    }

    fn class(&mut self, name: String, schema: &'a Value) -> Class {
        let properties = self.properties(schema);
        let fields = properties
            .into_iter()
            .map(|(key, property)| {
                let hint = format!("{name}{}", type_name(key));
                let description = property
                    .schema
                    .get("description")
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                Field {
                    key: key.to_owned(),
                    kind: self.convert(property.schema, &hint, 0),
                    required: property.required,
                    description: description.to_owned(),
                }
            })
            .collect();
        let description = schema
            .get("description")
            .and_then(Value::as_str)
            .unwrap_or_default();
        Class {
            name,
            description: description.to_owned(),
            fields,
        }
    }

    /// The properties of an object, those of `allOf` and (as optional ones) of `anyOf` and
    /// `oneOf` with it. Every schema is visited once, whatever refers to it how often.
    fn properties(&self, schema: &'a Value) -> IndexMap<&'a str, Property<'a>> {
        let mut found: IndexMap<&'a str, Property<'a>> = IndexMap::new();
        let mut required: BTreeSet<&'a str> = BTreeSet::new();
        let mut visited: HashSet<&'a str> = HashSet::new();
        let mut pending: Vec<(&'a Value, bool)> = vec![(schema, true)];
        while let Some((schema, certain)) = pending.pop() {
            let Value::Object(members) = schema else {
                continue;
            };
            if let Some(name) = self.reference(members) {
                if visited.insert(name)
                    && let Some(target) = self.named.get(name)
                {
                    pending.push((target, certain));
                }
                continue;
            }
            for (key, value) in members
                .get("properties")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
            {
                found.entry(key).or_insert(Property {
                    schema: value,
                    required: false,
                });
            }
            if certain {
                let names = members.get("required").and_then(Value::as_array);
                required.extend(names.into_iter().flatten().filter_map(Value::as_str));
            }
            // Reversed, since the last pushed is the next one visited.
            for keyword in ["oneOf", "anyOf"] {
                let parts = members.get(keyword).and_then(Value::as_array);
                pending.extend(parts.into_iter().flatten().rev().map(|part| (part, false)));
            }
            let parts = members.get("allOf").and_then(Value::as_array);
            pending.extend(
                parts
                    .into_iter()
                    .flatten()
                    .rev()
                    .map(|part| (part, certain)),
            );
        }
        for (key, property) in &mut found {
            property.required = required.contains(key);
        }
        found
    }
}
