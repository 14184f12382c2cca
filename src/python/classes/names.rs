//! The types of schemas that have names, which may lead back to themselves.

use serde_json::{Map, Value};

use super::{MOST_EXPANSIONS, Pending, Purpose, Types};
use crate::api::schema::{beside_null, type_names};
use crate::python::members::Shape;
use crate::python::types::{PythonType, enumeration};

impl<'a> Types<'a> {
    /// The name that a reference leads to.
    pub(in crate::python) fn reference(&self, members: &'a Map<String, Value>) -> Option<&'a str> {
        let reference = members.get("$ref")?.as_str()?;
        let name = reference.strip_prefix("#/types/")?;
        self.named.contains_key(name).then_some(name)
    }

    pub(super) fn named(&mut self, name: &'a str, depth: usize) -> PythonType {
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
        let mut kind = self.convert(schema, name, depth + 1);
        self.open.pop();
        // What was cut where it leads back to a name further out would be less elsewhere.
        let expansions = self.expansions.entry(name).or_default();
        *expansions = expansions.saturating_add(1);
        if self.closed_below >= place || *expansions >= MOST_EXPANSIONS {
            let alias;
            (kind, alias) = kind.named_if_long(name);
            self.aliases.extend(alias);
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
    pub(super) fn outline(&mut self, schema: &'a Value, depth: usize) -> PythonType {
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
