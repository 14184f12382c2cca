//! Finds the type of each schema and gathers the classes that those types name.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::members::{Members, Property, Shape, Variant};
use super::types::{PythonType, enumeration};
use crate::api::identifiers::{Unique, type_name};
use crate::api::schema::{beside_null, keyword, references, type_names};

/// Aliases and unions within one another.
const DEEPEST: usize = 40;
/// Work on the classes of one module: a unit for each schema looked at, for each key of a class
/// and for each part of that key's type. Inheritance multiplies: every class repeats the keys of
/// all that it inherits from.
const MOST_WORK: usize = 400_000;
/// How often a type that leads back to itself is written out anew.
const MOST_EXPANSIONS: u8 = 4;

/// A `TypedDict`.
#[derive(Debug, Clone)]
pub(super) struct Class<'a> {
    pub(super) name: String,
    /// What it describes.
    pub(super) schema: &'a Value,
    pub(super) fields: Vec<Field<'a>>,
    /// The type of keys beyond the fields, where the document gives one.
    pub(super) further: Option<PythonType>,
    /// Whether requests hold it.
    pub(super) sent: bool,
}

/// A key of a [`Class`].
#[derive(Debug, Clone)]
pub(super) struct Field<'a> {
    pub(super) key: &'a str,
    pub(super) kind: PythonType,
    /// Whether it is there in whatever the class is used for.
    pub(super) required: bool,
    pub(super) schema: &'a Value,
}

impl Field<'_> {
    /// Whether only answers hold it.
    pub(super) fn is_read_only(&self, types: &IndexMap<String, Value>) -> bool {
        keyword(self.schema, "readOnly", types) == Some(&Value::Bool(true))
    }
}

/// The classes of a module, by name.
pub(super) struct Classes<'a> {
    pub(super) by_name: BTreeMap<String, Class<'a>>,
    /// Whether some objects became `dict[str, Any]` since describing them is too much work.
    pub(super) are_cut: bool,
}

/// A class whose fields have no types yet.
struct Pending<'a> {
    name: String,
    schema: &'a Value,
    members: Members<'a>,
    purpose: Purpose,
}

/// What a type is used for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct Purpose {
    /// It is part of a request.
    pub(super) sent: bool,
    /// It is part of an answer.
    pub(super) received: bool,
    /// It is part of a form, where bytes are files.
    pub(super) form: bool,
}

/// Turns schemas into types. `named` are the schemas with names, by the names their classes bear.
pub(super) struct Types<'a> {
    pub(super) named: &'a IndexMap<String, Value>,
    known: HashMap<&'a str, PythonType>,
    /// The names whose types are being found, each within the one before.
    open: Vec<&'a str>,
    /// How many of the outermost names in `open` what is being converted does not lead back to.
    closed_below: usize,
    expansions: HashMap<&'a str, u8>,
    unique: Unique,
    /// The classes of objects without names, by the address of their schema.
    hoisted: HashMap<(usize, Purpose), String>,
    pending: VecDeque<Pending<'a>>,
    /// The schemas with names that forms are made of.
    of_forms: HashSet<&'a str>,
    left: usize,
    sent: HashSet<&'a str>,
    received: HashSet<&'a str>,
    /// What the schema that is being converted is used for, where it has no name.
    purpose: Purpose,
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
            open: Vec::new(),
            closed_below: usize::MAX,
            expansions: HashMap::new(),
            unique,
            hoisted: HashMap::new(),
            pending: VecDeque::new(),
            left: MOST_WORK,
            sent: HashSet::new(),
            received: HashSet::new(),
            of_forms: HashSet::new(),
            purpose: Purpose::default(),
        }
    }

    /// Notes that requests hold a schema and all that it refers to. To be done before any type is
    /// asked for.
    pub(super) fn note_sent(&mut self, schema: &Value) {
        note(self.named, &mut self.sent, schema);
    }

    /// Notes that answers hold a schema and all that it refers to.
    pub(super) fn note_received(&mut self, schema: &Value) {
        note(self.named, &mut self.received, schema);
    }

    /// What the types that are asked for next are used for.
    pub(super) fn set_purpose(&mut self, sent: bool) {
        self.purpose = Purpose {
            sent,
            received: !sent,
            form: false,
        };
    }

    /// Notes that a schema, with all that it refers to, is that of a form: bytes in it are files.
    pub(super) fn note_form(&mut self, schema: &Value) {
        note(self.named, &mut self.of_forms, schema);
    }

    /// As [`Self::of`], for the schema of a form.
    pub(super) fn of_form(&mut self, schema: &'a Value, hint: &str) -> PythonType {
        self.purpose.form = true;
        let kind = self.convert(schema, hint, 0);
        self.purpose.form = false;
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
            are_cut: self.left == 0,
        }
    }

    /// Takes some of [`MOST_WORK`]; whether there was as much.
    pub(super) fn work(&mut self, units: usize) -> bool {
        self.left = self.left.saturating_sub(units);
        self.left > 0
    }

    /// The schemas with names.
    pub(super) fn schemas(&self) -> &'a IndexMap<String, Value> {
        self.named
    }

    /// The schema of this name.
    pub(super) fn schema_named(&self, name: &str) -> Option<&'a Value> {
        self.named.get(name)
    }

    fn convert(&mut self, schema: &'a Value, hint: &str, depth: usize) -> PythonType {
        let Value::Object(members) = schema else {
            return PythonType::Any;
        };
        if depth > DEEPEST || !self.work(1) {
            return PythonType::Any;
        }
        if let Some(name) = self.reference(members) {
            if members.contains_key("properties") || members.contains_key("allOf") {
                // What stands beside a reference holds too (2020-12).
                return self.object(schema, hint, depth);
            }
            return self.named(name, depth);
        }
        if let Some(value) = members.get("const") {
            return enumeration(std::slice::from_ref(value), members);
        }
        if let Some(Value::Array(values)) = members.get("enum") {
            return enumeration(values, members);
        }
        if let Some(parts) = members.get("allOf").and_then(Value::as_array) {
            return self.all_of(schema, members, parts, hint, depth);
        }
        let names = type_names(members);
        let has_properties = members.contains_key("properties");
        for keyword in ["anyOf", "oneOf"] {
            if let Some(parts) = members.get(keyword).and_then(Value::as_array)
                && !has_properties
            {
                let union = self.either(parts, hint, depth);
                // Alternatives that only say which keys go together are no types.
                if union != PythonType::Any || names.is_empty() {
                    return if names.contains(&"null") {
                        union.optional()
                    } else {
                        union
                    };
                }
            }
        }
        let names = if names.is_empty() {
            let of_object = ["properties", "additionalProperties", "patternProperties"];
            if of_object.iter().any(|it| members.contains_key(*it)) {
                vec!["object"]
            } else if members.contains_key("items") || members.contains_key("prefixItems") {
                vec!["array"]
            } else {
                return PythonType::Any;
            }
        } else {
            names
        };
        let kinds: Vec<PythonType> = names
            .into_iter()
            .map(|name| self.plain(name, schema, members, hint, depth))
            .collect();
        PythonType::union(kinds)
    }

    /// The union of alternatives.
    fn either(&mut self, parts: &'a [Value], hint: &str, depth: usize) -> PythonType {
        let kinds: Vec<PythonType> = parts
            .iter()
            .enumerate()
            .map(|(index, part)| self.convert(part, &alternative(hint, part, index), depth + 1))
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
                if self.purpose.form
                    && members.get("format").and_then(Value::as_str) == Some("binary") =>
            {
                PythonType::file()
            }
            "string" => PythonType::name("str"),
            "integer" => PythonType::name("int"),
            "number" => PythonType::name("float"),
            "boolean" => PythonType::name("bool"),
            "null" => PythonType::None,
            "array" => self.array(members, hint, depth),
            "object" => {
                if members
                    .get("properties")
                    .and_then(Value::as_object)
                    .is_some_and(|p| !p.is_empty())
                {
                    return self.object(schema, hint, depth);
                }
                let patterns = members.get("patternProperties").and_then(Value::as_object);
                let further = members.get("additionalProperties");
                let values: Vec<&'a Value> = further
                    .filter(|value| value.is_object())
                    .into_iter()
                    .chain(patterns.into_iter().flat_map(Map::values))
                    .collect();
                let hint = format!("{hint}Value");
                let kinds: Vec<PythonType> = values
                    .into_iter()
                    .enumerate()
                    .map(|(index, value)| {
                        self.convert(value, &alternative(&hint, value, index), depth + 1)
                    })
                    .collect();
                PythonType::dict(PythonType::union(kinds))
            }
            _ => PythonType::Any,
        }
    }

    /// A list; also where the document says what stands at which place, since that is how JSON
    /// arrays arrive.
    fn array(&mut self, members: &'a Map<String, Value>, hint: &str, depth: usize) -> PythonType {
        let hint = format!("{hint}Item");
        let places = members.get("prefixItems").and_then(Value::as_array);
        let items = members.get("items");
        let Some(places) = places else {
            return PythonType::list(match items {
                Some(items) => self.convert(items, &hint, depth + 1),
                None => PythonType::Any,
            });
        };
        let kinds: Vec<PythonType> = places
            .iter()
            // Without `items` there may be more of any kind, though nobody means it.
            .chain(items.filter(|items| items.is_object()))
            .enumerate()
            .map(|(index, item)| self.convert(item, &alternative(&hint, item, index), depth + 1))
            .collect();
        PythonType::list(PythonType::union(kinds))
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
        let stands_alone = ["properties", "anyOf", "oneOf"]
            .iter()
            .all(|keyword| !members.contains_key(*keyword));
        if let [only] = parts
            && stands_alone
        {
            return optional(self.convert(only, hint, depth + 1));
        }
        match self.shape(schema, None) {
            None => return optional(PythonType::dict(PythonType::Any)),
            Some(Shape::One(members)) if members.properties.is_empty() => {}
            Some(shape) => return optional(self.of_shape(schema, shape, hint, depth)),
        }
        let parts: Vec<&'a Value> = parts.iter().collect();
        let kind = match self.most_telling(&parts) {
            Some(part) => self.convert(part, hint, depth + 1),
            None => PythonType::Any,
        };
        optional(kind)
    }

    /// The name that a reference leads to.
    pub(super) fn reference(&self, members: &'a Map<String, Value>) -> Option<&'a str> {
        let reference = members.get("$ref")?.as_str()?;
        let name = reference.strip_prefix("#/types/")?;
        self.named.contains_key(name).then_some(name)
    }

    fn named(&mut self, name: &'a str, depth: usize) -> PythonType {
        if let Some(kind) = self.known.get(name) {
            return kind.clone();
        }
        if let Some(place) = self.open.iter().position(|open| *open == name) {
            // What leads back to itself without a class in between has no finite type.
            self.closed_below = self.closed_below.min(place);
            return match self.named.get(name) {
                Some(schema) => self.outline(schema, 0),
                None => PythonType::Any,
            };
        }
        let Some(schema) = self.named.get(name) else {
            return PythonType::Any;
        };
        let purpose = Purpose {
            sent: self.sent.contains(name),
            received: self.received.contains(name),
            form: self.of_forms.contains(name),
        };
        let around = std::mem::replace(&mut self.purpose, purpose);
        let kind = self.first_named(name, schema, depth);
        self.purpose = around;
        kind
    }

    /// As [`Self::named`], where the name comes up for the first time.
    fn first_named(&mut self, name: &'a str, schema: &'a Value, depth: usize) -> PythonType {
        if let Some(object) = object_of(schema) {
            match self.shape(object.schema, Some(name)) {
                None => {
                    let kind = PythonType::dict(PythonType::Any);
                    self.known.insert(name, kind.clone());
                    return kind;
                }
                Some(Shape::One(members)) if !members.properties.is_empty() => {
                    let class = PythonType::name(name);
                    let kind = if object.is_nullable {
                        class.optional()
                    } else {
                        class
                    };
                    self.known.insert(name, kind.clone());
                    self.pending.push_back(Pending {
                        name: name.to_owned(),
                        schema,
                        members,
                        purpose: self.purpose,
                    });
                    return kind;
                }
                Some(_) => {}
            }
        }
        let place = self.open.len();
        let around = std::mem::replace(&mut self.closed_below, usize::MAX);
        self.open.push(name);
        let kind = self.convert(schema, name, depth + 1);
        self.open.pop();
        // What was cut where it leads back to a name further out would be less elsewhere.
        let expansions = self.expansions.entry(name).or_default();
        *expansions = expansions.saturating_add(1);
        if self.closed_below >= place || *expansions >= MOST_EXPANSIONS {
            self.known.insert(name, kind.clone());
        }
        self.closed_below = if self.closed_below >= place {
            around
        } else {
            around.min(self.closed_below)
        };
        kind
    }

    /// The type without what is within it, but for classes.
    fn outline(&mut self, schema: &'a Value, depth: usize) -> PythonType {
        const DEEPEST: usize = 4;
        let Value::Object(members) = schema else {
            return PythonType::Any;
        };
        if depth > DEEPEST || !self.work(1) {
            return PythonType::Any;
        }
        if let Some(name) = self.reference(members) {
            let Some(target) = self.named.get(name) else {
                return PythonType::Any;
            };
            if self.known.contains_key(name) || object_of(target).is_some() {
                return self.named(name, 0);
            }
            return self.outline(target, depth + 1);
        }
        if let Some(Value::Array(values)) = members.get("enum") {
            return enumeration(values, members);
        }
        if members.contains_key("properties") || members.contains_key("allOf") {
            return PythonType::Any;
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(parts) = members.get(keyword).and_then(Value::as_array) {
                let parts: Vec<PythonType> = parts
                    .iter()
                    .map(|part| self.outline(part, depth + 1))
                    .collect();
                return PythonType::union(parts);
            }
        }
        let kinds = type_names(members).into_iter().map(|name| match name {
            "string" => PythonType::name("str"),
            "integer" => PythonType::name("int"),
            "number" => PythonType::name("float"),
            "boolean" => PythonType::name("bool"),
            "null" => PythonType::None,
            "array" => PythonType::list(PythonType::Any),
            "object" => PythonType::dict(PythonType::Any),
            _ => PythonType::Any,
        });
        PythonType::union(kinds)
    }

    /// The type of an object with properties but no name.
    fn object(&mut self, schema: &'a Value, hint: &str, depth: usize) -> PythonType {
        match self.shape(schema, None) {
            Some(shape) => self.of_shape(schema, shape, hint, depth),
            None => PythonType::dict(PythonType::Any),
        }
    }

    fn of_shape(
        &mut self,
        schema: &'a Value,
        shape: Shape<'a>,
        hint: &str,
        depth: usize,
    ) -> PythonType {
        let variants = match shape {
            Shape::One(members) => return self.hoisted_once(schema, members, hint),
            Shape::Either(variants) => variants,
        };
        let kinds: Vec<PythonType> = variants
            .into_iter()
            .enumerate()
            .map(|(index, variant)| match variant {
                Variant::Known(part) => {
                    self.convert(part, &alternative(hint, part, index), depth + 1)
                }
                Variant::Own(part, members) => {
                    let hint = alternative(hint, part, index);
                    let is_described = part.get("description").is_some();
                    let described = if is_described { part } else { schema };
                    self.hoisted(described, members, &hint)
                }
            })
            .collect();
        PythonType::union(kinds)
    }

    /// The class of an object without a name. Whatever inherits or repeats the object has the same.
    fn hoisted_once(&mut self, schema: &'a Value, members: Members<'a>, hint: &str) -> PythonType {
        let place = std::ptr::from_ref(schema).addr();
        if let Some(name) = self.hoisted.get(&(place, self.purpose)) {
            return PythonType::name(name);
        }
        let kind = self.hoisted(schema, members, hint);
        if let PythonType::Name(name) = &kind {
            self.hoisted.insert((place, self.purpose), name.clone());
        }
        kind
    }

    /// A class for an object without a name.
    fn hoisted(&mut self, schema: &'a Value, members: Members<'a>, hint: &str) -> PythonType {
        let name = self.unique.take(&type_name(hint), "");
        self.pending.push_back(Pending {
            name: name.clone(),
            schema,
            members,
            purpose: self.purpose,
        });
        PythonType::Name(name)
    }

    fn class(&mut self, pending: Pending<'a>) -> Class<'a> {
        let Pending {
            name,
            schema,
            members,
            purpose,
        } = pending;
        self.purpose = purpose;
        let Members {
            properties,
            further,
            ..
        } = members;
        // It is only spoken of, so it gets no class of its own.
        let further = further
            .filter(|further| !self.are_objects(&[*further]))
            .map(|further| self.convert(further, &format!("{name}Value"), 0))
            .filter(|kind| *kind != PythonType::Any);
        let fields = properties
            .into_iter()
            .filter_map(|(key, property)| {
                let hint = format!("{name}{}", type_name(key));
                let kind = self.property(&property, &hint);
                // The parts of a type are repeated wherever the key is inherited.
                let kind = if self.work(kind.weight()) {
                    kind
                } else {
                    PythonType::Any
                };
                let all = property.certain.iter().chain(&property.possible);
                let is = |word: &str| {
                    let mut all = all.clone();
                    all.any(|schema| keyword(schema, word, self.named) == Some(&Value::Bool(true)))
                };
                // Callers cannot give the one, and answers do not hold the other.
                let one_sided =
                    purpose.sent && is("readOnly") || purpose.received && is("writeOnly");
                Some(Field {
                    key,
                    kind,
                    required: property.required && !one_sided,
                    schema: all
                        .clone()
                        .find(|schema| schema.get("description").is_some())
                        .or(all.clone().next())
                        .copied()?,
                })
            })
            .collect();
        Class {
            name,
            schema,
            fields,
            further,
            sent: purpose.sent,
        }
    }

    /// The type of a key.
    fn property(&mut self, property: &Property<'a>, hint: &str) -> PythonType {
        match property.certain.as_slice() {
            [] => {
                let possible = property.possible.iter().enumerate();
                let kinds: Vec<PythonType> = possible
                    .map(|(index, schema)| {
                        self.convert(schema, &alternative(hint, schema, index), 0)
                    })
                    .collect();
                PythonType::union(kinds)
            }
            [only] => self.convert(only, hint, 0),
            [first, others @ ..]
                if others
                    .iter()
                    .all(|other| std::ptr::eq(self.resolved(other), self.resolved(first))) =>
            {
                self.convert(first, hint, 0)
            }
            several if self.are_objects(several) => match self.together(several) {
                Some(members) => match several.first() {
                    Some(first) => self.hoisted(first, members, hint),
                    None => PythonType::Any,
                },
                None => PythonType::dict(PythonType::Any),
            },
            several => match self.most_telling(several) {
                Some(schema) => self.convert(schema, hint, 0),
                None => PythonType::Any,
            },
        }
    }
}

/// What names the class of an alternative that has no name of its own.
fn alternative(hint: &str, part: &Value, index: usize) -> String {
    let title = part.get("title").and_then(Value::as_str);
    let reference = part.get("$ref").and_then(Value::as_str);
    let reference = reference.and_then(|reference| reference.rsplit('/').next());
    match title.or(reference) {
        Some(title) => format!("{hint}{}", type_name(title)),
        None if index == 0 => hint.to_owned(),
        None => format!("{hint}Option{}", index + 1),
    }
}

/// Adds the names of all that a schema refers to.
fn note<'a>(named: &'a IndexMap<String, Value>, found: &mut HashSet<&'a str>, schema: &Value) {
    let mut pending = references(schema);
    while let Some(reference) = pending.pop() {
        let name = reference.trim_start_matches("#/types/");
        if let Some((name, target)) = named.get_key_value(name)
            && found.insert(name)
        {
            pending.extend(references(target));
        }
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
