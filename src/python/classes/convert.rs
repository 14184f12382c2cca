//! The type of a schema, keyword by keyword.

use serde_json::{Map, Value};

use super::{DEEPEST, Types};
use crate::api::identifiers::type_name;
use crate::api::schema::type_names;
use crate::python::members::{Shape, Variant};
use crate::python::types::{PythonType, enumeration};

/// What the name of a base's union has more than that of the base.
const UNION_SUFFIX: &str = "AnyOf";

impl<'a> Types<'a> {
    pub(super) fn convert(&mut self, schema: &'a Value, hint: &str, depth: usize) -> PythonType {
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
    pub(super) fn either(&mut self, parts: &'a [Value], hint: &str, depth: usize) -> PythonType {
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

    /// The type of an object with properties but no name.
    fn object(&mut self, schema: &'a Value, hint: &str, depth: usize) -> PythonType {
        match self.shape(schema, None) {
            Some(shape) => self.of_shape(schema, shape, hint, depth),
            None => PythonType::dict(PythonType::Any),
        }
    }

    /// The name of the base, where a reference leads to the union of one and its subtypes.
    fn base_of_union(&self, part: &'a Value) -> Option<&'a str> {
        let union = self.reference(part.as_object()?)?;
        let base = union.strip_suffix(UNION_SUFFIX)?;
        self.named.contains_key(base).then_some(base)
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
                    let hint = match self.base_of_union(part) {
                        Some(base) => format!("{hint}{base}"),
                        None => alternative(hint, part, index),
                    };
                    let is_described = part.get("description").is_some();
                    let described = if is_described { part } else { schema };
                    self.hoisted(described, members, &hint)
                }
            })
            .collect();
        PythonType::union(kinds)
    }
}

/// What names the class of an alternative that has no name of its own.
pub(super) fn alternative(hint: &str, part: &Value, index: usize) -> String {
    let title = part.get("title").and_then(Value::as_str);
    let reference = part.get("$ref").and_then(Value::as_str);
    let reference = reference.and_then(|reference| reference.rsplit('/').next());
    match title.or(reference) {
        Some(title) => format!("{hint}{}", type_name(title)),
        None if index == 0 => hint.to_owned(),
        None => format!("{hint}Option{}", index + 1),
    }
}
