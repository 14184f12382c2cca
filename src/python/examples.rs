//! Values for the worked example of a stub: those of the document where they fit the type, else
//! made-up ones.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::classes::{Class, Field};
use super::code::Code;
use super::text::string_literal;
use super::types::{LONGEST_LITERAL, PythonType};
use crate::api::schema::keyword;

/// Objects within one another and their keys in what is made up.
const DEEPEST: usize = 4;
const MOST_KEYS: usize = 30;
/// Characters of a value of the document, and of one text in it.
const LONGEST: usize = 1_000;
const LONGEST_TEXT: usize = 160;
/// Parts of a value of the document that are looked at.
const MOST_PARTS: usize = 200;
/// Keys of a class that is looked through for an example.
const LARGEST_CLASS: usize = 500;
/// Keys that are shown of an object that requires none.
const MOST_OPTIONAL_KEYS: usize = 2;

/// Texts of a format.
const FORMATS: &[(&str, &str)] = &[
    ("byte", "ZGF0YQ=="),
    ("date", "2024-01-31"),
    ("date-time", "2024-01-31T12:00:00Z"),
    ("datetime", "2024-01-31T12:00:00Z"),
    ("duration", "PT1H"),
    ("email", "ada@example.com"),
    ("hostname", "example.com"),
    ("ipv4", "192.0.2.1"),
    ("ipv6", "2001:db8::1"),
    ("time", "12:00:00Z"),
    ("uri", "https://example.com/"),
    ("url", "https://example.com/"),
    ("uuid", "123e4567-e89b-12d3-a456-426614174000"),
];

/// Makes the values of examples.
pub(super) struct Examples<'a> {
    classes: &'a BTreeMap<String, Class<'a>>,
    types: &'a IndexMap<String, Value>,
    /// How many more keys may be made up.
    left: usize,
    /// The keys that are shown of a class, by its name and whether it is the outermost one: many
    /// functions take the same.
    shown: HashMap<(&'a str, bool), Rc<[&'a Field<'a>]>>,
}

impl<'a> Examples<'a> {
    pub(super) fn new(
        classes: &'a BTreeMap<String, Class<'a>>,
        types: &'a IndexMap<String, Value>,
    ) -> Self {
        Self {
            classes,
            types,
            left: MOST_KEYS,
            shown: HashMap::new(),
        }
    }

    /// Begins the next example.
    pub(super) fn begin(&mut self) {
        self.left = MOST_KEYS;
    }

    /// A value of a type.
    pub(super) fn value(&mut self, kind: &PythonType, schema: &'a Value) -> Code {
        self.made(kind, schema, 0)
    }

    /// What the document gives as an example, where it fits.
    pub(super) fn given(&self, kind: &PythonType, schema: &'a Value) -> Option<Code> {
        let examples = keyword(schema, "examples", self.types)?.as_array()?;
        examples.iter().find_map(|value| self.fitting(value, kind))
    }

    fn fitting(&self, value: &Value, kind: &PythonType) -> Option<Code> {
        if value.is_null() || !self.fits(value, kind, &mut { MOST_PARTS }) {
            return None;
        }
        let code = literal(value);
        (code.flat().len() <= LONGEST).then_some(code)
    }

    fn made(&mut self, kind: &PythonType, schema: &'a Value, depth: usize) -> Code {
        if let Some(given) = self.given(kind, schema) {
            return given;
        }
        let default = keyword(schema, "default", self.types);
        if let Some(default) = default.and_then(|value| self.fitting(value, kind)) {
            return default;
        }
        let text = match kind {
            PythonType::Name(name) => match name.as_str() {
                "str" => return Code::Text(string_literal(self.text(schema))),
                "int" => return Code::Text(self.integer(schema)),
                "float" => "1.5",
                "bool" => "True",
                "bytes" => "b\"data\"",
                class => return self.object(class, depth),
            },
            PythonType::Literal(values) => values.first().map_or("None", String::as_str),
            PythonType::List(inner) => {
                let items = keyword(schema, "items", self.types).unwrap_or(&Value::Null);
                return Code::subscript("", vec![self.made(inner, items, depth)]);
            }
            PythonType::Alias(alias) => return self.made(&alias.kind, &Value::Null, depth),
            PythonType::Union(members) => {
                let Some(first) = members.first() else {
                    return Code::text("None");
                };
                // Which alternative that is cannot be told, unless there is one beside null.
                let alone = members.len() == 2 && members.contains(&PythonType::None);
                let schema = if alone { schema } else { &Value::Null };
                return self.made(first, schema, depth);
            }
            PythonType::Generic(_, items) => {
                let items = items.iter();
                let items = items.map(|item| self.made(item, &Value::Null, depth));
                return Code::call("", items.collect());
            }
            PythonType::Any | PythonType::Dict(_) => "{}",
            PythonType::None => "None",
        };
        Code::text(text)
    }

    fn text(&self, schema: &Value) -> &'static str {
        let format = keyword(schema, "format", self.types).and_then(Value::as_str);
        let known = format.and_then(|format| FORMATS.iter().find(|(name, _)| *name == format));
        known.map_or("text", |(_, text)| text)
    }

    fn integer(&self, schema: &Value) -> String {
        let bound = |word: &str| keyword(schema, word, self.types).and_then(Value::as_i64);
        let above = bound("exclusiveMinimum").map(|bound| bound.saturating_add(1));
        let below = bound("exclusiveMaximum").map(|bound| bound.saturating_sub(1));
        let lowest = [bound("minimum"), above].into_iter().flatten();
        let highest = [bound("maximum"), below].into_iter().flatten();
        let lowest = lowest.fold(1, i64::max);
        highest.fold(lowest, i64::min).to_string()
    }

    /// The required keys of a class; a few where none is required.
    fn object(&mut self, class: &str, depth: usize) -> Code {
        let mut items = Vec::new();
        for field in self.keys(class, depth == 0).iter() {
            if depth >= DEEPEST || self.left == 0 {
                // More than an example is worth: the reader fills in the rest.
                return Code::text("{...}");
            }
            self.left -= 1;
            let value = self.made(&field.kind, field.schema, depth + 1);
            items.push(Code::around(
                format!("{}: ", string_literal(field.key)),
                value,
                "",
            ));
        }
        mapping(items)
    }

    /// The keys that are shown of a class, or more than there is room for.
    fn keys(&mut self, class: &str, is_outermost: bool) -> Rc<[&'a Field<'a>]> {
        let Some((class, Class { fields, .. })) = self.classes.get_key_value(class) else {
            return Rc::default();
        };
        let place = (class.as_str(), is_outermost);
        if let Some(known) = self.shown.get(&place) {
            return Rc::clone(known);
        }
        let required = fields.iter().filter(|field| field.required);
        let mut keys: Vec<&'a Field<'a>> = required.take(MOST_KEYS + 1).collect();
        if keys.is_empty() && is_outermost {
            let has_example = |field: &&Field<'a>| self.given(&field.kind, field.schema).is_some();
            let looked_at = fields.iter().take(LARGEST_CLASS);
            keys.extend(looked_at.filter(has_example).take(MOST_OPTIONAL_KEYS));
            if keys.is_empty() {
                let sent = fields.iter().filter(|it| !it.is_read_only(self.types));
                keys.extend(sent.take(MOST_OPTIONAL_KEYS));
            }
        }
        let keys: Rc<[_]> = keys.into();
        self.shown.insert(place, Rc::clone(&keys));
        keys
    }

    /// Whether a value of the document is of a type.
    fn fits(&self, value: &Value, kind: &PythonType, left: &mut usize) -> bool {
        match left.checked_sub(1) {
            Some(rest) => *left = rest,
            None => return false,
        }
        match (kind, value) {
            (PythonType::Any, _) => parts(value, left),
            (PythonType::None, Value::Null) => true,
            (PythonType::Name(name), value) => match (name.as_str(), value) {
                ("str", Value::String(text)) => is_short(text),
                ("bool", Value::Bool(_)) => true,
                ("int", Value::Number(number)) => number.is_i64() || number.is_u64(),
                ("float", Value::Number(number)) => number.as_str().len() <= 40,
                (class, Value::Object(members)) => self.fits_class(members, class, left),
                _ => false,
            },
            (PythonType::Literal(_), Value::Array(_) | Value::Object(_)) => false,
            (PythonType::Literal(_), Value::String(text)) if text.len() > LONGEST_LITERAL => false,
            (PythonType::Literal(values), value) => {
                let spelt = literal(value).flat();
                values.contains(&spelt)
            }
            (PythonType::List(inner), Value::Array(items)) => {
                items.iter().all(|item| self.fits(item, inner, left))
            }
            (PythonType::Dict(inner), Value::Object(members)) => {
                members.values().all(|item| self.fits(item, inner, left))
            }
            (PythonType::Alias(alias), value) => self.fits(value, &alias.kind, left),
            (PythonType::Union(members), value) => {
                members.iter().any(|member| self.fits(value, member, left))
            }
            _ => false,
        }
    }

    fn fits_class(&self, members: &Map<String, Value>, class: &str, left: &mut usize) -> bool {
        let class = self.classes.get(class);
        let Some(class) = class.filter(|class| class.fields.len() <= LARGEST_CLASS) else {
            return false;
        };
        let is_field = |key: &String| class.fields.iter().any(|field| field.key == key);
        let mut fields = class.fields.iter();
        members.keys().all(is_field)
            && fields.all(|field| match members.get(field.key) {
                Some(value) => self.fits(value, &field.kind, left),
                None => !field.required,
            })
    }
}

fn is_short(text: &str) -> bool {
    text.chars().nth(LONGEST_TEXT).is_none()
}

/// Whether a value has no more parts than are looked at, and no very long one.
fn parts(value: &Value, left: &mut usize) -> bool {
    match left.checked_sub(1) {
        Some(rest) => *left = rest,
        None => return false,
    }
    match value {
        Value::String(text) => is_short(text),
        Value::Number(number) => number.as_str().len() <= 40,
        Value::Array(items) => items.iter().all(|item| parts(item, left)),
        Value::Object(members) => members.values().all(|item| parts(item, left)),
        Value::Null | Value::Bool(_) => true,
    }
}

/// JSON as Python. The depth of what documents give as examples is capped when they are read.
fn literal(value: &Value) -> Code {
    match value {
        Value::Null => Code::text("None"),
        Value::Bool(value) => Code::text(if *value { "True" } else { "False" }),
        Value::Number(number) => Code::text(number.as_str()),
        Value::String(text) => Code::Text(string_literal(text)),
        Value::Array(items) => Code::subscript("", items.iter().map(literal).collect()),
        Value::Object(members) => mapping(
            members
                .iter()
                .map(|(key, value)| {
                    Code::around(format!("{}: ", string_literal(key)), literal(value), "")
                })
                .collect(),
        ),
    }
}

/// `{…}`.
pub(super) fn mapping(items: Vec<Code>) -> Code {
    Code::Bracket {
        head: String::new(),
        open: '{',
        items,
        close: '}',
    }
}
