//! Finds the type of each schema and gathers the classes that those types name.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::types::{PythonType, enumeration};
use crate::api::identifiers::{Unique, type_name};
use crate::api::schema::{beside_null, references, type_names};

/// Aliases and unions within one another.
const DEEPEST: usize = 40;
/// Work on the classes of one module: a unit for each schema looked at, for each key of a class
/// and for each part of that key's type. Inheritance multiplies: every class repeats the keys of
/// all that it inherits from.
const MOST_WORK: usize = 400_000;

/// A `TypedDict`.
#[derive(Debug, Clone)]
pub(super) struct Class<'a> {
    pub(super) name: String,
    pub(super) description: &'a str,
    pub(super) fields: Vec<Field<'a>>,
}

/// A key of a [`Class`].
#[derive(Debug, Clone)]
pub(super) struct Field<'a> {
    pub(super) key: &'a str,
    pub(super) kind: PythonType,
    pub(super) required: bool,
    pub(super) description: &'a str,
}

/// The classes of a module, by name.
pub(super) struct Classes<'a> {
    pub(super) by_name: BTreeMap<String, Class<'a>>,
    /// Whether some objects became `dict[str, Any]` since describing them is too much work.
    pub(super) are_cut: bool,
}

/// A property on its way to become a [`Field`].
struct Property<'a> {
    schema: &'a Value,
    required: bool,
}

type Properties<'a> = IndexMap<&'a str, Property<'a>>;

/// A class whose fields have no types yet.
struct Pending<'a> {
    name: String,
    description: &'a str,
    properties: Properties<'a>,
    /// Whether bytes among the properties are files of a form.
    holds_files: bool,
}

/// Turns schemas into types. `named` are the schemas with names, by the names their classes bear.
pub(super) struct Types<'a> {
    named: &'a IndexMap<String, Value>,
    known: HashMap<&'a str, PythonType>,
    unique: Unique,
    pending: VecDeque<Pending<'a>>,
    work: Work,
    /// The schemas with names that forms are made of.
    of_forms: HashSet<&'a str>,
    /// Whether what is being converted is part of a form.
    in_form: bool,
}

/// What is left of [`MOST_WORK`].
struct Work {
    left: usize,
}

impl Work {
    /// Takes some of it; whether there was as much.
    fn take(&mut self, units: usize) -> bool {
        match self.left.checked_sub(units) {
            Some(left) => self.left = left,
            None => self.left = 0,
        }
        self.left > 0
    }
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
            work: Work { left: MOST_WORK },
            of_forms: HashSet::new(),
            in_form: false,
        }
    }

    /// Notes that a schema, with all that it refers to, is that of a form: bytes in it are files.
    /// To be done before any type is asked for.
    pub(super) fn note_form(&mut self, schema: &Value) {
        let mut pending = references(schema);
        while let Some(reference) = pending.pop() {
            let name = reference.trim_start_matches("#/types/");
            if let Some((name, target)) = self.named.get_key_value(name)
                && self.of_forms.insert(name)
            {
                pending.extend(references(target));
            }
        }
    }

    /// As [`Self::of`], for the schema of a form.
    pub(super) fn of_form(&mut self, schema: &'a Value, hint: &str) -> PythonType {
        self.in_form = true;
        let kind = self.convert(schema, hint, 0);
        self.in_form = false;
        kind
    }

    /// The type of a schema. `hint` names the class of an object that has no name of its own.
    pub(super) fn of(&mut self, schema: &'a Value, hint: &str) -> PythonType {
        self.convert(schema, hint, 0)
    }

    /// Every class that the types found so far need, by name.
    pub(super) fn into_classes(mut self) -> Classes<'a> {
        let mut by_name = BTreeMap::new();
        // A queue, not recursion: how far classes lead is for the document to say.
        while let Some(pending) = self.pending.pop_front() {
            let class = self.class(pending);
            by_name.insert(class.name.clone(), class);
        }
        Classes {
            by_name,
            are_cut: self.work.left == 0,
        }
    }

    fn convert(&mut self, schema: &'a Value, hint: &str, depth: usize) -> PythonType {
        let Value::Object(members) = schema else {
            return PythonType::Any;
        };
        if depth > DEEPEST || !self.work.take(1) {
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
            "string"
                if self.in_form
                    && members.get("format").and_then(Value::as_str) == Some("binary") =>
            {
                PythonType::file()
            }
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
                    return self.object(schema, hint);
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
        match self.properties(schema) {
            None => return optional(PythonType::dict(PythonType::Any)),
            Some(properties) if !properties.is_empty() => {
                return optional(self.hoisted(schema, properties, hint));
            }
            Some(_) => {}
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
        let around = std::mem::replace(&mut self.in_form, self.of_forms.contains(name));
        let kind = self.first_named(name, schema, depth);
        self.in_form = around;
        kind
    }

    /// As [`Self::named`], where the name comes up for the first time.
    fn first_named(&mut self, name: &'a str, schema: &'a Value, depth: usize) -> PythonType {
        if let Some(object) = object_of(schema) {
            match self.properties(object.schema) {
                None => {
                    let kind = PythonType::dict(PythonType::Any);
                    self.known.insert(name, kind.clone());
                    return kind;
                }
                Some(properties) if !properties.is_empty() => {
                    let class = PythonType::name(name);
                    let kind = if object.is_nullable {
                        class.optional()
                    } else {
                        class
                    };
                    self.known.insert(name, kind.clone());
                    let own = description(schema);
                    self.pending.push_back(Pending {
                        name: name.to_owned(),
                        description: if own.is_empty() {
                            description(object.schema)
                        } else {
                            own
                        },
                        properties,
                        holds_files: self.in_form,
                    });
                    return kind;
                }
                Some(_) => {}
            }
        }
        // What refers to itself without a class in between has no finite type.
        self.known.insert(name, PythonType::Any);
        let kind = self.convert(schema, name, depth + 1);
        self.known.insert(name, kind.clone());
        kind
    }

    /// The type of an object with properties but no name.
    fn object(&mut self, schema: &'a Value, hint: &str) -> PythonType {
        match self.properties(schema) {
            Some(properties) => self.hoisted(schema, properties, hint),
            None => PythonType::dict(PythonType::Any),
        }
    }

    /// A class for an object without a name.
    fn hoisted(&mut self, schema: &'a Value, properties: Properties<'a>, hint: &str) -> PythonType {
        let name = self.unique.take(&type_name(hint), "");
        self.pending.push_back(Pending {
            name: name.clone(),
            description: description(schema),
            properties,
            holds_files: self.in_form,
        });
        PythonType::Name(name)
    }

    fn class(&mut self, pending: Pending<'a>) -> Class<'a> {
        let Pending {
            name,
            description: documented,
            properties,
            holds_files,
        } = pending;
        self.in_form = holds_files;
        let fields = properties
            .into_iter()
            .map(|(key, property)| {
                let hint = format!("{name}{}", type_name(key));
                let kind = self.convert(property.schema, &hint, 0);
                // The parts of a type are repeated wherever the key is inherited.
                let kind = if self.work.take(kind.weight()) {
                    kind
                } else {
                    PythonType::Any
                };
                Field {
                    key,
                    kind,
                    required: property.required,
                    description: description(property.schema),
                }
            })
            .collect();
        Class {
            name,
            description: documented,
            fields,
        }
    }

    /// The properties of an object, those of `allOf` and (as optional ones) of `anyOf` and
    /// `oneOf` with it. Every schema is visited once, whatever refers to it how often. `None`
    /// where there is too much to look at.
    fn properties(&mut self, schema: &'a Value) -> Option<Properties<'a>> {
        let mut found: Properties<'a> = IndexMap::new();
        let mut required: BTreeSet<&'a str> = BTreeSet::new();
        let mut visited: HashSet<&'a str> = HashSet::new();
        let mut pending: Vec<(&'a Value, bool)> = vec![(schema, true)];
        while let Some((schema, certain)) = pending.pop() {
            let Value::Object(members) = schema else {
                continue;
            };
            if !self.work.take(1) {
                return None;
            }
            if let Some(name) = self.reference(members) {
                if visited.insert(name)
                    && let Some(target) = self.named.get(name)
                {
                    pending.push((target, certain));
                }
                continue;
            }
            if let Some(properties) = members.get("properties").and_then(Value::as_object) {
                if !self.work.take(properties.len()) {
                    return None;
                }
                for (key, value) in properties {
                    found.entry(key).or_insert(Property {
                        schema: value,
                        required: false,
                    });
                }
            }
            if certain && let Some(names) = members.get("required").and_then(Value::as_array) {
                if !self.work.take(names.len()) {
                    return None;
                }
                required.extend(names.iter().filter_map(Value::as_str));
            }
            // Reversed, since the last pushed is the next one visited.
            for keyword in ["oneOf", "anyOf"] {
                let parts = members.get(keyword).and_then(Value::as_array);
                // Of one alternative beside null, an object has all.
                let certain = certain && beside_null(schema, keyword).is_some();
                pending.extend(
                    parts
                        .into_iter()
                        .flatten()
                        .rev()
                        .map(|part| (part, certain)),
                );
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
        Some(found)
    }
}

/// The object that a named schema describes.
struct Object<'a> {
    schema: &'a Value,
    is_nullable: bool,
}

/// The object that a named schema is, so that the class bears that name: an object that has or
/// inherits properties and nothing beside it, or such a one or null.
fn object_of(schema: &Value) -> Option<Object<'_>> {
    let members = schema.as_object()?;
    let outer = ["anyOf", "oneOf"]
        .iter()
        .filter(|_| !members.contains_key("properties") && !members.contains_key("allOf"))
        .find_map(|keyword| beside_null(schema, keyword));
    let inner = outer.unwrap_or(schema);
    let members = inner.as_object()?;
    let names = type_names(members);
    let is_object = !["$ref", "enum", "const"]
        .iter()
        .any(|keyword| members.contains_key(*keyword))
        && names.iter().all(|name| matches!(*name, "object" | "null"))
        && names != ["null"]
        && (members.contains_key("properties")
            || members
                .get("allOf")
                .and_then(Value::as_array)
                .is_some_and(|parts| parts.len() > 1));
    is_object.then(|| Object {
        schema: inner,
        is_nullable: outer.is_some() || names.contains(&"null"),
    })
}

fn description(schema: &Value) -> &str {
    schema
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default()
}
