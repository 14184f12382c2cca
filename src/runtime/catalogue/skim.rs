//! One pass over a manifest that keeps what lists and search show, and passes over its schemas.
//!
//! A manifest is mostly schemas. Reading it whole takes several times its size in memory, and the
//! load check many times as long: a list of servers can wait for neither.

use std::collections::HashMap;
use std::fmt;

use indexmap::IndexMap;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::api::MANIFEST_VERSION;

/// What is read of a manifest.
#[derive(Debug, Deserialize)]
pub(super) struct Skimmed {
    manifest_version: u32,
    pub(super) server: String,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) read_only: bool,
    /// The members of each named schema.
    #[serde(default)]
    types: HashMap<String, Members>,
    pub(super) functions: Vec<SkimmedFunction>,
}

/// What is read of a function.
#[derive(Debug, Deserialize)]
pub(super) struct SkimmedFunction {
    pub(super) name: String,
    pub(super) operation_id: Option<String>,
    pub(super) method: String,
    pub(super) path: String,
    pub(super) tags: Vec<String>,
    pub(super) summary: String,
    pub(super) parameters: Vec<SkimmedParameter>,
    pub(super) body: Option<SkimmedBody>,
}

/// What is read of a parameter.
#[derive(Debug, Deserialize)]
pub(super) struct SkimmedParameter {
    pub(super) name: String,
    pub(super) wire_name: String,
    #[serde(default)]
    pub(super) description: String,
}

/// What is read of a body.
#[derive(Debug, Deserialize)]
pub(super) struct SkimmedBody {
    #[serde(default)]
    schema: Members,
}

/// The names of an object's members, and the named schemas that it is made of.
#[derive(Debug, Default)]
struct Members {
    names: Vec<String>,
    references: Vec<String>,
}

/// Bound on the members of a body that search knows of.
const MOST_FIELDS: usize = 80;
/// Named schemas within named schemas that are looked into.
const DEEPEST_REFERENCE: usize = 2;

impl Skimmed {
    /// Reads a manifest's text. What it leaves unread is not judged: only the load check says that a
    /// server can be used.
    ///
    /// # Errors
    /// It is no manifest, or that of another server or version.
    pub(super) fn read(bytes: &[u8], server: &str) -> Result<Self, String> {
        let skimmed: Self = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if skimmed.manifest_version != MANIFEST_VERSION || skimmed.server != server {
            return Err("it is that of another server or version".to_owned());
        }
        Ok(skimmed)
    }

    /// The members of a function's body, each once.
    pub(super) fn body_fields<'s>(&'s self, function: &'s SkimmedFunction) -> Vec<&'s str> {
        let mut fields = Vec::new();
        if let Some(body) = &function.body {
            self.collect(&body.schema, DEEPEST_REFERENCE, &mut fields);
        }
        fields
    }

    fn collect<'s>(&'s self, members: &'s Members, depth: usize, fields: &mut Vec<&'s str>) {
        for name in &members.names {
            if fields.len() < MOST_FIELDS && !fields.contains(&name.as_str()) {
                fields.push(name);
            }
        }
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        for reference in &members.references {
            if let Some(named) = self.types.get(reference)
                && fields.len() < MOST_FIELDS
            {
                self.collect(named, depth, fields);
            }
        }
    }
}

impl Members {
    fn add(&mut self, other: Self) {
        self.names.extend(other.names);
        self.references.extend(other.references);
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OfSchema)
    }
}

/// Reads a JSON Schema, which may be anything where it is not one.
struct OfSchema;

impl<'de> Visitor<'de> for OfSchema {
    type Value = Members;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON Schema")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Members, E> {
        Ok(Members::default())
    }

    fn visit_str<E>(self, _: &str) -> Result<Members, E> {
        Ok(Members::default())
    }

    fn visit_unit<E>(self) -> Result<Members, E> {
        Ok(Members::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Members, A::Error> {
        let mut members = Members::default();
        while let Some(item) = items.next_element::<Members>()? {
            members.add(item);
        }
        Ok(members)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
        let mut members = Members::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "properties" => {
                    let Properties(names) = map.next_value()?;
                    members.names.extend(names);
                }
                "$ref" => {
                    let Reference(named) = map.next_value()?;
                    members.references.extend(named);
                }
                "allOf" | "anyOf" | "oneOf" | "items" => members.add(map.next_value()?),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(members)
    }
}

/// The names of the members of an object; none where it is something else.
struct Properties(Vec<String>);

impl<'de> Deserialize<'de> for Properties {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = IndexMap::<String, IgnoredAny>::deserialize(deserializer)?;
        Ok(Self(members.into_keys().collect()))
    }
}

/// The name within `#/types/<name>`.
struct Reference(Option<String>);

impl<'de> Deserialize<'de> for Reference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let pointer = String::deserialize(deserializer)?;
        Ok(Self(pointer.strip_prefix("#/types/").map(|name| {
            // JSON Pointer, RFC 6901 section 4.
            name.replace("~1", "/").replace("~0", "~")
        })))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn manifest() -> serde_json::Value {
        json!({
            "manifest_version": 1, "server": "pets", "title": "Pets", "description": "",
            "read_only": false,
            "types": {
                "Pet": {"allOf": [{"$ref": "#/types/Base"}, {"properties": {"kind": {}}}]},
                "Base": {"properties": {"id": true}, "description": "x", "default": 12.50},
                "Loop": {"$ref": "#/types/Loop", "properties": {"again": {"$ref": "#/types/Pet"}}}
            },
            "functions": [
                {"name": "add", "operation_id": null, "method": "POST", "path": "/pets",
                 "tags": [], "summary": "", "parameters": [],
                 "body": {"schema": {"items": {"$ref": "#/types/Pet"}, "minItems": 1}}},
                {"name": "loop", "operation_id": "x", "method": "POST", "path": "/loop",
                 "tags": ["t"], "summary": "s",
                 "parameters": [{"name": "a", "wire_name": "A", "schema": {"deep": [[1]]}}],
                 "body": {"schema": {"$ref": "#/types/Loop"}}}
            ]
        })
    }

    fn fields(skimmed: &Skimmed, function: usize) -> Vec<&str> {
        let mut fields = skimmed.body_fields(&skimmed.functions[function]);
        fields.sort_unstable();
        fields
    }

    #[test]
    fn members_of_bodies_are_found_through_references_and_combinations() {
        let text = manifest().to_string();
        let skimmed = Skimmed::read(text.as_bytes(), "pets").unwrap();
        assert_eq!(fields(&skimmed, 0), ["id", "kind"]);
        assert_eq!(fields(&skimmed, 1), ["again"]);
        assert_eq!(skimmed.functions[1].parameters[0].wire_name, "A");
    }

    #[test]
    fn what_is_no_manifest_of_the_server_is_an_error() {
        let text = manifest().to_string();
        assert!(Skimmed::read(text.as_bytes(), "cats").is_err());
        assert!(Skimmed::read(b"{}", "pets").is_err());
        assert!(Skimmed::read(text.get(..40).unwrap().as_bytes(), "pets").is_err());
    }
}
