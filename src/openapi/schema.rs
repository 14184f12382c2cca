//! Raises the schemas of Swagger 2.0 and OpenAPI 3 to JSON Schema 2020-12. Keywords that say nothing
//! about values (`xml`, `x-…`) are left out; malformed ones too.

mod keywords;
mod subtypes;

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

pub(super) use self::keywords::is_example;
use self::keywords::{exclusive_bounds, plain_keyword};
use self::subtypes::{Subtypes, leave_out};
use super::document::{Document, ReferenceError, cost};
use crate::api::Media;
use crate::api::schema::{
    SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS, references, type_names,
};

/// Nesting of schemas within one another; what lies deeper accepts everything. A manifest must
/// stay within the depth of 128 that JSON parsers commonly take.
const DEEPEST_SCHEMA: usize = 48;
/// Raises schemas and gathers those that they refer to.
pub(super) struct Schemas<'a> {
    document: &'a Document,
    subtypes: Subtypes<'a>,
    raised: RefCell<IndexMap<String, Result<Value, ReferenceError>>>,
    /// Pointers whose whole reach is raised, so that no operation walks it again.
    completed: RefCell<HashSet<Rc<str>>>,
    /// Pointers whose reach holds a failure, and the failure; one that leads nowhere only where
    /// there is no other.
    failed: RefCell<HashMap<Rc<str>, ReferenceError>>,
    /// The first reference that leads nowhere in the schema that is being raised.
    dangling: Cell<Option<ReferenceError>>,
}

impl<'a> Schemas<'a> {
    pub(super) fn new(document: &'a Document) -> Self {
        Self {
            document,
            subtypes: Subtypes::new(document),
            raised: RefCell::default(),
            completed: RefCell::default(),
            failed: RefCell::default(),
            dangling: Cell::default(),
        }
    }

    /// A schema in 2020-12 form; every `$ref` in it is a canonical pointer whose target, and
    /// whatever that refers to, is raised as well.
    pub(super) fn raise(&self, schema: &Value) -> Result<Value, ReferenceError> {
        let (raised, dangling) = self.raise_at_root(schema)?;
        match dangling {
            Some(error) => Err(error),
            None => self.complete(&raised).map(|()| raised),
        }
    }

    /// As [`Self::raise`], for bodies and answers, which are passed on as they are: where a
    /// reference within leads nowhere anything may stand, and `warn` is told. Where it is the whole
    /// schema nothing is known, which is an error.
    pub(super) fn raise_leniently(
        &self,
        schema: &Value,
        what: &str,
        warn: &mut dyn FnMut(String),
    ) -> Result<Value, ReferenceError> {
        let (raised, dangling) = self.raise_at_root(schema)?;
        let dangling = match (dangling, self.complete(&raised)) {
            (_, Err(error)) if !error.is_missing() => return Err(error),
            (Some(error), _) if raised.as_object().is_some_and(Map::is_empty) => return Err(error),
            (Some(error), _) | (None, Err(error)) => error,
            (None, Ok(())) => return Ok(raised),
        };
        warn(format!("{what} may hold anything where {dangling}"));
        Ok(raised)
    }

    /// A raised schema, and the first reference in it that leads nowhere.
    fn raise_at_root(
        &self,
        schema: &Value,
    ) -> Result<(Value, Option<ReferenceError>), ReferenceError> {
        self.dangling.take();
        let raised = self.raise_at(schema, 0)?;
        Ok((raised, self.dangling.take()))
    }

    /// The raised target of a canonical pointer.
    pub(super) fn target(&self, pointer: &str) -> Option<Value> {
        self.raised
            .borrow()
            .get(pointer)
            .and_then(|raised| raised.clone().ok())
    }

    /// All that was referred to and is needed by the given schemas.
    pub(super) fn into_needed<'s>(
        self,
        roots: impl Iterator<Item = &'s Value>,
    ) -> IndexMap<String, Value> {
        let mut raised = self.raised.into_inner();
        let mut pending: Vec<String> = roots.flat_map(references).collect();
        let mut needed = IndexMap::new();
        while let Some(pointer) = pending.pop() {
            if let Some(Ok(schema)) = raised.swap_remove(&pointer) {
                pending.extend(references(&schema));
                needed.insert(pointer, schema);
            }
        }
        needed
    }

    /// Raises all that a raised schema reaches; the first failure on the way is its failure.
    fn complete(&self, schema: &Value) -> Result<(), ReferenceError> {
        references(schema)
            .iter()
            .try_for_each(|pointer| self.complete_from(pointer))
    }

    /// Raises all that a pointer reaches. Every pointer of the document is walked once only,
    /// whichever operation comes first: what is walked ends up in `completed` or in `failed`.
    fn complete_from(&self, start: &str) -> Result<(), ReferenceError> {
        // Pointers may be long, and those to one place many: they are shared.
        let mut walked: HashSet<Rc<str>> = HashSet::new();
        let mut referrers: HashMap<Rc<str>, Vec<Rc<str>>> = HashMap::new();
        let mut failing: VecDeque<(Rc<str>, ReferenceError)> = VecDeque::new();
        let mut pending: Vec<Rc<str>> = vec![start.into()];
        while let Some(pointer) = pending.pop() {
            if self.completed.borrow().contains(&pointer) || walked.contains(&pointer) {
                continue;
            }
            if let Some(error) = self.failed.borrow().get(&pointer) {
                failing.push_back((pointer, error.clone()));
                continue;
            }
            walked.insert(pointer.clone());
            if !self.raised.borrow().contains_key(&*pointer) {
                let raised = self.raise_named(&pointer).map(|(raised, dangling)| {
                    failing.extend(dangling.map(|error| (pointer.clone(), error)));
                    raised
                });
                let key = pointer.to_string();
                self.raised.borrow_mut().insert(key, raised);
            }
            match self.raised.borrow().get(&*pointer) {
                Some(Ok(target)) => {
                    for reference in references(target) {
                        let reference: Rc<str> = reference.into();
                        let known = referrers.entry(Rc::clone(&reference)).or_default();
                        known.push(pointer.clone());
                        pending.push(reference);
                    }
                }
                Some(Err(error)) => failing.push_back((pointer, error.clone())),
                None => {}
            }
        }
        // From every failure back to all that reaches it; the one found first is told, but one that
        // some can do without only after those that nobody can.
        failing
            .make_contiguous()
            .sort_by_key(|(_, error)| error.is_missing());
        while let Some((pointer, error)) = failing.pop_front() {
            for referrer in referrers.remove(&pointer).into_iter().flatten() {
                match self.subtypes.base_of(&referrer) {
                    // Values of the base are there all the same.
                    Some(base) if base != &*pointer => {
                        let mut raised = self.raised.borrow_mut();
                        if let (Some(Ok(union)), false) =
                            (raised.get_mut(&*referrer), error.is_missing())
                        {
                            leave_out(union, &pointer);
                        }
                    }
                    _ => failing.push_back((referrer, error.clone())),
                }
            }
            walked.remove(&pointer);
            self.failed.borrow_mut().entry(pointer).or_insert(error);
        }
        self.completed.borrow_mut().extend(walked);
        match self.failed.borrow().get(start) {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }

    /// The raised schema of a canonical pointer, as [`Self::raise_at_root`].
    fn raise_named(
        &self,
        pointer: &str,
    ) -> Result<(Value, Option<ReferenceError>), ReferenceError> {
        if let Some(union) = self.subtypes.union(pointer) {
            self.document.charge(cost(&union))?;
            return Ok((union, None));
        }
        let (_, target) = self.document.schema_target(pointer)?;
        let (mut raised, dangling) = self.raise_at_root(target)?;
        if let Some(members) = raised.as_object_mut() {
            self.subtypes.inherit(members);
        }
        Ok((raised, dangling))
    }

    fn raise_at(&self, schema: &Value, depth: usize) -> Result<Value, ReferenceError> {
        let source = match schema {
            Value::Object(members) if depth < DEEPEST_SCHEMA => members,
            Value::Bool(value) => return Ok(Value::Bool(*value)),
            _ => return Ok(Value::Bool(true)),
        };
        let mut result = Map::new();
        if let Some(Value::String(reference)) = source.get("$ref") {
            match self.document.schema_target(reference) {
                Ok((pointer, _)) => {
                    let pointer = self.subtypes.as_value(pointer);
                    // A short name may stand for a long one, see [`Document::schema_target`].
                    let more = pointer.len().saturating_sub(reference.len());
                    self.document.charge(more)?;
                    result.insert("$ref".to_owned(), Value::String(pointer));
                }
                Err(error) if error.is_missing() => {
                    let first = self.dangling.take().unwrap_or(error);
                    self.dangling.set(Some(first));
                }
                Err(error) => return Err(error),
            }
            if let Some(description @ Value::String(_)) = source.get("description") {
                result.insert("description".to_owned(), description.clone());
            }
            if !self.document.dialect.has_reference_siblings() {
                return Ok(Self::nullable(source, result));
            }
        }
        for (keyword, value) in source {
            if let Some(value) = self.raise_keyword(source, keyword, value, depth)? {
                result.insert(keyword.clone(), value);
            }
        }
        if let Some(Value::Array(items)) = source.get("items") {
            let items: Result<Vec<Value>, _> = items
                .iter()
                .map(|item| self.raise_at(item, depth + 1))
                .collect();
            result.insert("prefixItems".to_owned(), Value::Array(items?));
        }
        // One part alone is how 3.0 says more of what a reference leads to.
        let parts = source.get("allOf").and_then(Value::as_array);
        if source.contains_key("properties") || parts.is_some_and(|it| it.len() > 1) {
            self.subtypes.inherit(&mut result);
        }
        // 3.0 has one where JSON Schema has a list.
        if let Some(example) = source.get("example").filter(|value| is_example(value)) {
            result.insert("examples".to_owned(), json!([example]));
        }
        exclusive_bounds(source, &mut result);
        // 2.0, and those who write 3.0 as they wrote 2.0.
        if source.get("type").and_then(Value::as_str) == Some("file") {
            result.insert("type".to_owned(), Value::from("string"));
            result.insert("format".to_owned(), Value::from("binary"));
        }
        if self.document.dialect.has_content_media_types() && says_bytes(source) {
            result.insert("type".to_owned(), Value::from("string"));
            result.insert("format".to_owned(), Value::from("binary"));
        }
        Ok(Self::nullable(source, result))
    }

    /// One keyword's value; `None` where it is left out.
    fn raise_keyword(
        &self,
        source: &Map<String, Value>,
        keyword: &str,
        value: &Value,
        depth: usize,
    ) -> Result<Option<Value>, ReferenceError> {
        if SCHEMA_KEYWORDS.contains(&keyword) {
            if !value.is_object() && !value.is_boolean() {
                return Ok(None);
            }
            return self.raise_at(value, depth + 1).map(Some);
        }
        if SCHEMA_LIST_KEYWORDS.contains(&keyword) {
            let Some(items) = value.as_array().filter(|items| !items.is_empty()) else {
                return Ok(None);
            };
            let items: Result<Vec<Value>, _> = items
                .iter()
                .map(|item| {
                    if keyword != "allOf" && is_only_nullable(item) {
                        return Ok(json!({"type": "null"}));
                    }
                    self.raise_at(item, depth + 1)
                })
                .collect();
            return items.map(|items| Some(Value::Array(items)));
        }
        if SCHEMA_MAP_KEYWORDS.contains(&keyword) {
            let Some(members) = value.as_object() else {
                return Ok(None);
            };
            let mut raised = Map::new();
            for (name, member) in members {
                raised.insert(name.clone(), self.raise_at(member, depth + 1)?);
            }
            return Ok(Some(Value::Object(raised)));
        }
        Ok(plain_keyword(source, keyword, value))
    }

    /// 3.0 says `nullable: true` where JSON Schema lists the type `null`, and tools wrote
    /// `x-nullable` into 2.0. Many 3.1 documents still do, and mean it.
    fn nullable(source: &Map<String, Value>, mut result: Map<String, Value>) -> Value {
        // 3.0 forbids siblings of `$ref`, yet `nullable` beside one is common and always meant.
        let is_nullable = |key| source.get(key) == Some(&Value::Bool(true));
        if !is_nullable("nullable") && !is_nullable("x-nullable") {
            return Value::Object(result);
        }
        let types: Vec<String> = type_names(&result).into_iter().map(str::to_owned).collect();
        if types.is_empty() {
            let mut outer = Map::new();
            for keyword in ["description", "title", "default", "deprecated"] {
                if let Some(value) = result.shift_remove(keyword) {
                    outer.insert(keyword.to_owned(), value);
                }
            }
            if !result.is_empty() {
                outer.insert(
                    "anyOf".to_owned(),
                    json!([Value::Object(result), {"type": "null"}]),
                );
            }
            return Value::Object(outer);
        }
        if !types.iter().any(|name| name == "null") {
            let mut types: Vec<Value> = types.into_iter().map(Value::String).collect();
            types.push(Value::String("null".to_owned()));
            result.insert("type".to_owned(), Value::Array(types));
        }
        if let Some(Value::Array(values)) = result.get_mut("enum")
            && !values.contains(&Value::Null)
        {
            values.push(Value::Null);
        }
        Value::Object(result)
    }
}

/// Whether an alternative is how tools write null in 3.0, where there is no such type.
fn is_only_nullable(schema: &Value) -> bool {
    schema.as_object().is_some_and(|members| {
        members.len() == 1 && members.get("nullable") == Some(&Value::Bool(true))
    })
}

/// 3.1 says by a media type, without an encoding as text, that a value is bytes.
fn says_bytes(source: &Map<String, Value>) -> bool {
    let media_type = source.get("contentMediaType").and_then(Value::as_str);
    media_type.is_some_and(|media_type| Media::of(media_type) == Media::Binary)
        && !source.contains_key("contentEncoding")
        && !source.contains_key("format")
        && matches!(
            source.get("type").map(Value::as_str),
            None | Some(Some("string"))
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::Position;

    fn raise(version: &str, schema: &Value) -> Value {
        let root = json!({"openapi": version, "paths": {}, "components": {"schemas": {
            "Pet": {"type": "object"}, "Alias": {"$ref": "#/components/schemas/Pet"},
            "Loop": {"$ref": "#/components/schemas/Loop"},
        }}});
        let document = Document::new(root, Position::default).unwrap();
        Schemas::new(&document).raise(schema).unwrap()
    }

    #[test]
    fn nullable_becomes_a_type() {
        assert_eq!(
            raise(
                "3.0.3",
                &json!({"type": "string", "nullable": true, "enum": ["a"]})
            ),
            json!({"type": ["string", "null"], "enum": ["a", null]})
        );
        assert_eq!(
            raise(
                "3.0.3",
                &json!({"$ref": "#/components/schemas/Alias", "nullable": true})
            ),
            json!({"anyOf": [{"$ref": "#/components/schemas/Pet"}, {"type": "null"}]})
        );
    }

    #[test]
    fn boolean_exclusive_bounds_become_numbers() {
        assert_eq!(
            raise(
                "3.0.3",
                &json!({"type": "integer", "minimum": 1, "exclusiveMinimum": true})
            ),
            json!({"type": "integer", "exclusiveMinimum": 1})
        );
        assert_eq!(
            raise("3.1.0", &json!({"maximum": 5, "exclusiveMaximum": false})),
            json!({"maximum": 5})
        );
    }

    #[test]
    fn data_is_not_searched_for_references_and_properties_may_be_called_ref() {
        let schema = json!({
            "type": "object",
            "default": {"$ref": "other.yaml"},
            "properties": {"$ref": {"type": "string"}},
        });
        assert_eq!(raise("3.1.0", &schema), schema);
    }

    #[test]
    fn malformed_keywords_are_left_out() {
        assert_eq!(
            raise(
                "3.1.0",
                &json!({"type": 7, "required": true, "items": "x", "allOf": {}, "x-a": 1})
            ),
            json!({})
        );
    }

    #[test]
    fn loops_of_references_are_an_error() {
        let root = json!({"openapi": "3.0.0", "components": {"schemas": {
            "A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"},
        }}});
        let document = Document::new(root, Position::default).unwrap();
        let error = Schemas::new(&document)
            .raise(&json!({"$ref": "#/components/schemas/A"}))
            .unwrap_err();
        assert!(matches!(error, ReferenceError::Endless(_)), "{error}");
    }
}
