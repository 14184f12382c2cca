//! Schemas that are told from their base by a discriminator and name it themselves (`allOf`), where
//! the base does not list them (OpenAPI 3.1.1, section 4.8.25): a value of the base is one of them.
//!
//! A reference to such a base becomes one to a schema of its own, the union of the base and its
//! subtypes, whose pointer is `<base>/anyOf`: the document has nothing there.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::keywords::discriminator;
use crate::openapi::document::Document;
use crate::openapi::pointer::escaped;

/// Subtypes of one base that are told apart; any other is what the base says.
const MOST_SUBTYPES: usize = 50;
/// What a union's pointer ends in.
const UNION: &str = "/anyOf";

/// The bases of a document and the schemas that inherit from them, by canonical pointer.
#[derive(Debug, Default)]
pub(super) struct Subtypes<'a> {
    bases: HashMap<String, &'a Map<String, Value>>,
    /// Those that name a schema in their `allOf`, in the document's order.
    heirs: HashMap<String, Vec<Heir<'a>>>,
}

/// A schema that names another one in its `allOf`.
#[derive(Debug, Clone)]
struct Heir<'a> {
    name: &'a str,
    pointer: String,
}

impl<'a> Subtypes<'a> {
    pub(super) fn new(document: &'a Document) -> Self {
        let mut found = Self::default();
        let named = || named_schemas(document);
        for (_, pointer, schema) in named() {
            if is_base(schema) {
                found.bases.insert(pointer, schema);
            }
        }
        if found.bases.is_empty() {
            return found;
        }
        for (name, pointer, schema) in named() {
            if is_nullable_alias(schema) {
                continue;
            }
            let parts = schema.get("allOf").and_then(Value::as_array);
            for part in parts.into_iter().flatten() {
                let reference = part.get("$ref").and_then(Value::as_str);
                let target = reference.and_then(|it| document.schema_target(it).ok());
                if let Some((parent, _)) = target {
                    let pointer = pointer.clone();
                    let heirs = found.heirs.entry(parent).or_default();
                    // However often it names this parent.
                    if heirs.last().is_none_or(|last| last.pointer != pointer) {
                        heirs.push(Heir { name, pointer });
                    }
                }
            }
        }
        let heirs = &found.heirs;
        found.bases.retain(|base, _| heirs.contains_key(base));
        found
    }

    /// What a reference to a schema leads to where a value of that schema is meant.
    pub(super) fn as_value(&self, pointer: String) -> String {
        if self.bases.contains_key(&pointer) {
            pointer + UNION
        } else {
            pointer
        }
    }

    /// Makes what a raised schema has in `allOf`, or refers to beside keywords of its own, what it
    /// inherits from, and no union.
    pub(super) fn inherit(&self, members: &mut Map<String, Value>) {
        let to_base = |reference: Option<&mut Value>| {
            if let Some(Value::String(reference)) = reference
                && let Some(base) = self.base_of(reference)
            {
                *reference = base.to_owned();
            }
        };
        let has_more = members.contains_key("properties") || members.contains_key("allOf");
        to_base(members.get_mut("$ref").filter(|_| has_more));
        let parts = members.get_mut("allOf").and_then(Value::as_array_mut);
        for part in parts.into_iter().flatten() {
            to_base(part.get_mut("$ref"));
        }
    }

    /// The base whose union has this pointer.
    pub(super) fn base_of<'p>(&self, pointer: &'p str) -> Option<&'p str> {
        let base = pointer.strip_suffix(UNION)?;
        self.bases.contains_key(base).then_some(base)
    }

    /// The raised schema of a union's pointer.
    pub(super) fn union(&self, pointer: &str) -> Option<Value> {
        let base = self.base_of(pointer)?;
        let schema = self.bases.get(base)?;
        let heirs = self.all_heirs(base);
        let mut union = Map::new();
        for keyword in ["type", "description"] {
            let value = schema.get(keyword).and_then(Value::as_str);
            if let Some(value) = value.filter(|it| keyword != "type" || *it == "object") {
                union.insert(keyword.to_owned(), Value::from(value));
            }
        }
        // Null is what the base says, within the union.
        if is_nullable(schema) {
            union.remove("type");
        }
        let pointers = heirs.iter().map(|heir| heir.pointer.as_str());
        let parts = pointers.chain([base]).map(|it| json!({"$ref": it}));
        union.insert("anyOf".to_owned(), parts.collect());
        let mut discriminator = discriminator(schema.get("discriminator")?)?;
        let members = discriminator.as_object_mut()?;
        let mapping = members.entry("mapping").or_insert_with(|| json!({}));
        let mapping = mapping.as_object_mut()?;
        for heir in heirs {
            // What has no other value goes by its name.
            if !mapping.values().any(|target| *target == heir.pointer) {
                let target = Value::from(heir.pointer.as_str());
                mapping.entry(heir.name).or_insert(target);
            }
        }
        union.insert("discriminator".to_owned(), discriminator);
        Some(Value::Object(union))
    }

    /// Those that inherit from a base, themselves or by way of others: the nearest first.
    fn all_heirs(&self, base: &str) -> Vec<&Heir<'a>> {
        let mut found: Vec<&Heir<'a>> = Vec::new();
        let mut seen = HashSet::from([base]);
        let mut next = 0;
        let mut parent = base;
        loop {
            for heir in self.heirs.get(parent).into_iter().flatten() {
                // Of a base that many inherit from, only these are looked at.
                if found.len() == MOST_SUBTYPES {
                    return found;
                }
                if seen.insert(&heir.pointer) {
                    found.push(heir);
                }
            }
            match found.get(next) {
                Some(heir) => parent = &heir.pointer,
                None => return found,
            }
            next += 1;
        }
    }
}

/// Takes a part out of a union that is of no use.
pub(super) fn leave_out(union: &mut Value, pointer: &str) {
    if let Some(parts) = union.get_mut("anyOf").and_then(Value::as_array_mut) {
        parts.retain(|part| part.get("$ref").and_then(Value::as_str) != Some(pointer));
    }
}

/// The schemas that the document names, with their canonical pointers.
fn named_schemas(document: &Document) -> impl Iterator<Item = (&str, String, &Map<String, Value>)> {
    let components = document.root.get("components");
    let holders = [
        (
            "components/schemas",
            components.and_then(|it| it.get("schemas")),
        ),
        ("definitions", document.root.get("definitions")),
    ];
    holders.into_iter().flat_map(|(holder, schemas)| {
        let schemas = schemas.and_then(Value::as_object);
        schemas
            .into_iter()
            .flatten()
            .filter_map(move |(name, schema)| {
                let pointer = format!("#/{holder}/{}", escaped(name));
                Some((name.as_str(), pointer, schema.as_object()?))
            })
    })
}

/// Whether a schema tells others apart without listing them.
fn is_base(schema: &Map<String, Value>) -> bool {
    let lists = ["oneOf", "anyOf", "$ref"];
    schema
        .get("discriminator")
        .and_then(discriminator)
        .is_some()
        && !lists.iter().any(|keyword| schema.contains_key(*keyword))
}

/// Whether a schema only says that another one may be null, as 3.0 must.
fn is_nullable_alias(schema: &Map<String, Value>) -> bool {
    let parts = schema.get("allOf").and_then(Value::as_array);
    is_nullable(schema)
        && parts.is_some_and(|parts| parts.len() == 1)
        && !schema.contains_key("properties")
}

fn is_nullable(schema: &Map<String, Value>) -> bool {
    let says = |keyword| schema.get(keyword) == Some(&Value::Bool(true));
    says("nullable") || says("x-nullable")
}

#[cfg(test)]
mod tests {
    use super::super::Schemas;
    use super::*;
    use crate::yaml::Position;

    /// What a reference to `Pet`, whose document has these schemas beside it, becomes; and the
    /// schemas that it needs.
    fn raised(others: Value) -> (Value, indexmap::IndexMap<String, Value>) {
        let mut schemas = others;
        schemas["Pet"] = json!({
            "type": "object",
            "discriminator": {"propertyName": "kind", "mapping": {"dog": "#/components/schemas/Dog"}},
            "properties": {"friend": {"$ref": "#/components/schemas/Pet"}},
        });
        let root = json!({"openapi": "3.0.3", "components": {"schemas": schemas}});
        let document = Document::new(root, Position::default).unwrap();
        let schemas = Schemas::new(&document);
        let value = schemas
            .raise(&json!({"$ref": "#/components/schemas/Pet"}))
            .unwrap();
        let needed = schemas.into_needed([&value].into_iter());
        (value, needed)
    }

    fn of_pets(others: Value) -> Vec<String> {
        let (value, needed) = raised(others);
        assert_eq!(value, json!({"$ref": "#/components/schemas/Pet/anyOf"}));
        let parts = needed["#/components/schemas/Pet/anyOf"]["anyOf"].as_array();
        let parts = parts.unwrap().iter();
        let names = parts.map(|part| part["$ref"].as_str().unwrap().rsplit('/').next().unwrap());
        names.map(str::to_owned).collect()
    }

    #[test]
    fn a_value_of_a_base_is_one_of_those_that_inherit_from_it() {
        let base = json!({"$ref": "#/components/schemas/Pet"});
        let of = |parent: &str| {
            json!({"allOf": [
                {"$ref": format!("#/components/schemas/{parent}")}, {"type": "object"},
            ]})
        };
        let others = json!({
            "Cat": {"allOf": [base]}, "Puppy": of("Dog"), "Dog": of("Pet"), "Stone": of("Rock"),
            "Rock": {"type": "object"},
        });
        assert_eq!(of_pets(others.clone()), ["Cat", "Dog", "Puppy", "Pet"]);
        let (_, needed) = raised(others);
        let union = &needed["#/components/schemas/Pet/anyOf"];
        assert_eq!(
            union["discriminator"]["mapping"],
            json!({
                "dog": "#/components/schemas/Dog",
                "Cat": "#/components/schemas/Cat",
                "Puppy": "#/components/schemas/Puppy",
            })
        );
        // What is inherited from is the base, and what is held is any.
        let pointers = |name: &str| {
            crate::api::schema::references(&needed[&format!("#/components/schemas/{name}")])
        };
        assert_eq!(pointers("Cat"), ["#/components/schemas/Pet"]);
        assert_eq!(pointers("Dog"), ["#/components/schemas/Pet"]);
        assert_eq!(pointers("Pet"), ["#/components/schemas/Pet/anyOf"]);
    }

    #[test]
    fn a_base_without_heirs_or_with_a_list_of_its_own_stays_as_it_is() {
        let (value, _) = raised(json!({"Cat": {"type": "object"}}));
        assert_eq!(value, json!({"$ref": "#/components/schemas/Pet"}));
        let reference = json!({"$ref": "#/components/schemas/Pet"});
        let (value, _) = raised(json!({"Maybe": {"nullable": true, "allOf": [reference]}}));
        assert_eq!(value, json!({"$ref": "#/components/schemas/Pet"}));
    }

    #[test]
    fn a_subtype_that_cannot_be_read_does_not_cost_the_base() {
        let base = json!({"$ref": "#/components/schemas/Pet"});
        let broken = json!({"properties": {"a": {"$ref": "other.yaml#/A"}}});
        let names = of_pets(json!({
            "Cat": {"allOf": [base, broken]}, "Dog": {"allOf": [base]},
            "Bird": {"allOf": [base, {"properties": {"a": {"$ref": "#/nowhere"}}}]},
        }));
        assert_eq!(names, ["Dog", "Bird", "Pet"]);
    }

    #[test]
    fn of_many_subtypes_the_first_are_told_apart() {
        let base = json!({"$ref": "#/components/schemas/Pet"});
        let many = (0..80).map(|it| (format!("Kind{it:02}"), json!({"allOf": [base]})));
        let names = of_pets(many.collect());
        assert_eq!(names.len(), MOST_SUBTYPES + 1);
        assert_eq!(names[49], "Kind49");
        assert_eq!(names[50], "Pet");
    }
}
