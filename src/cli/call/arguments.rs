//! The arguments of `mce call` as they were typed, read as what the function declares.

use std::path::Path;

use indexmap::IndexMap;
use indexmap::map::Entry;
use serde_json::Value as Json;

use super::super::stop::Stop;
use crate::api::{Function, Manifest, Media};
use crate::files::{Links, ReadError, read_regular};
use crate::wire::{Arguments, Said, Value, parse_json, resolve};

/// Dots in a name: as deep may a member of an argument be set by itself.
const MOST_DOTS: usize = 20;
/// Schemas that are looked into for a member.
const MOST_PARTS: usize = 50;

/// The function that is called, with the types of its manifest.
#[derive(Clone, Copy)]
pub(super) struct Declared<'a> {
    pub(super) manifest: &'a Manifest,
    pub(super) function: &'a Function,
}

/// What is read, and how.
pub(super) struct Reader<'a> {
    /// The function; where it is not known, what is JSON is read as that.
    pub(super) declared: Option<Declared<'a>>,
    /// The media type that was asked for.
    pub(super) content_type: Option<&'a str>,
    /// Bytes that a file may have.
    pub(super) limit: usize,
}

/// What is declared of an argument, or of a member of one.
#[derive(Clone, Copy)]
struct Place<'a> {
    said: Said<'a>,
    /// Whether it is sent as text, whatever its schema says.
    is_text: bool,
    /// Whether a file arrives with its name: in a multipart body.
    is_named: bool,
}

const NOTHING: Place<'_> = Place {
    said: Said {
        schema: &Json::Null,
        or_null: false,
    },
    is_text: false,
    is_named: false,
};

/// `NAME=VALUE`, in two.
pub(super) fn parted(item: &str) -> Result<(&str, &str), Stop> {
    item.split_once('=')
        .ok_or_else(|| Stop::usage(format!("expected NAME=VALUE, found `{item}`")))
}

impl<'a> Reader<'a> {
    pub(super) fn read(&self, items: &[String]) -> Result<Arguments, Stop> {
        let mut arguments = Arguments::new();
        for item in items {
            let (name, text) = parted(item)?;
            let (argument, rest) = match name.split_once('.') {
                Some((argument, rest)) => (argument, Some(rest)),
                None => (name, None),
            };
            let mut place = self.argument(argument);
            let mut members = &mut arguments;
            let mut key = argument;
            if let Some(rest) = rest {
                if rest.matches('.').count() >= MOST_DOTS {
                    return Err(Stop::usage(format!("`{name}` is too deep")));
                }
                let mut rest = Some(rest);
                while let Some(path) = rest {
                    let (next, further) = self.step(place, path);
                    let outer = members
                        .entry(key.to_owned())
                        .or_insert_with(|| Value::Object(IndexMap::new()));
                    let Value::Object(inner) = outer else {
                        return Err(Stop::usage(format!(
                            "`{name}` is a member of what was given as {}",
                            outer.type_name()
                        )));
                    };
                    members = inner;
                    place = self.member(place, next);
                    key = next;
                    rest = further;
                }
            }
            self.put(members, (name, key), place, text)?;
        }
        Ok(arguments)
    }

    /// Sets a value, or adds it to the list that was begun.
    fn put(
        &self,
        members: &mut IndexMap<String, Value>,
        (name, key): (&str, &str),
        place: Place<'a>,
        text: &str,
    ) -> Result<(), Stop> {
        match members.entry(key.to_owned()) {
            Entry::Vacant(entry) => {
                entry.insert(self.value(place, text)?);
            }
            Entry::Occupied(mut entry) => match entry.get_mut() {
                Value::Array(items) if is_list(place.said) => {
                    items.push(self.single(self.item(place), text)?);
                }
                _ => return Err(Stop::usage(format!("`{name}` is given twice"))),
            },
        }
        Ok(())
    }

    /// A value; of a list that was given as one item, the list.
    fn value(&self, place: Place<'a>, text: &str) -> Result<Value, Stop> {
        if !is_list(place.said) || may_be_null(place.said) && text == "null" {
            return self.single(place, text);
        }
        match parse_json(text.as_bytes()) {
            Ok(list @ Value::Array(_)) => Ok(list),
            _ => Ok(Value::Array(vec![self.single(self.item(place), text)?])),
        }
    }

    fn single(&self, place: Place<'a>, text: &str) -> Result<Value, Stop> {
        if let Some(rest) = text.strip_prefix('@') {
            if rest.starts_with('@') {
                return Ok(Value::String(rest.to_owned()));
            }
            return self.file(rest, place.is_named);
        }
        let is_null = may_be_null(place.said) && text == "null";
        if !is_null && (place.is_text || is_text(place.said)) {
            return Ok(Value::String(text.to_owned()));
        }
        Ok(parse_json(text.as_bytes()).unwrap_or_else(|_| Value::String(text.to_owned())))
    }

    fn file(&self, file: &str, is_named: bool) -> Result<Value, Stop> {
        let limit = self.limit;
        let most = u64::try_from(limit).unwrap_or(u64::MAX);
        let path = Path::new(file);
        let bytes = match read_regular(path, most, Links::Followed) {
            Ok(bytes) => Value::Bytes(bytes.into()),
            Err(ReadError::TooLarge { .. }) => {
                return Err(Stop::usage(format!(
                    "`{file}` is longer than {limit} bytes, the most a request may hold"
                ))
                .hint("raise MCE_MAX_REQUEST_BYTES"));
            }
            Err(error) => return Err(Stop::usage(format!("`{file}` {error}"))),
        };
        Ok(match path.file_name() {
            Some(name) if is_named => {
                Value::Array(vec![Value::String(name.to_string_lossy().into()), bytes])
            }
            _ => bytes,
        })
    }

    fn said(&self, schema: Option<&'a Json>) -> Said<'a> {
        match (schema, self.declared) {
            (Some(schema), Some(declared)) => resolve(schema, &declared.manifest.types),
            _ => NOTHING.said,
        }
    }

    /// What is declared of an argument.
    fn argument(&self, name: &str) -> Place<'a> {
        let Some(Declared { function, .. }) = self.declared else {
            return NOTHING;
        };
        let mut parameters = function.parameters.iter();
        if let Some(parameter) = parameters.find(|parameter| parameter.name == name) {
            let mut said = self.said(Some(&parameter.schema));
            said.or_null |= parameter.nullable;
            return Place { said, ..NOTHING };
        }
        let Some(body) = function.body.as_ref().filter(|body| body.name == name) else {
            return NOTHING;
        };
        let asked = body.alternatives.iter().find(|other| {
            self.content_type
                .is_some_and(|wanted| wanted.eq_ignore_ascii_case(&other.content_type))
        });
        let schema = asked.map_or(&body.schema, |other| &other.schema);
        let media = Media::of(self.content_type.unwrap_or(&body.content_type));
        Place {
            said: self.said(Some(schema)),
            is_text: media == Media::Text,
            is_named: media == Media::Multipart,
        }
    }

    /// The name of the next member on a path, and what is left of the path: a property may have
    /// dots in its own name.
    fn step<'p>(&self, place: Place<'a>, path: &'p str) -> (&'p str, Option<&'p str>) {
        match path.split_once('.') {
            Some((next, rest)) if self.property(place.said.schema, path).is_none() => {
                (next, Some(rest))
            }
            _ => (path, None),
        }
    }

    /// What is declared of a member.
    fn member(&self, place: Place<'a>, name: &str) -> Place<'a> {
        Place {
            said: self.said(self.property(place.said.schema, name)),
            is_text: false,
            ..place
        }
    }

    /// What is declared of the items of a list.
    fn item(&self, place: Place<'a>) -> Place<'a> {
        Place {
            said: self.said(place.said.schema.get("items")),
            is_text: false,
            ..place
        }
    }

    /// The schema of a property, wherever among the parts of an object's schema it stands.
    fn property(&self, schema: &'a Json, name: &str) -> Option<&'a Json> {
        let mut pending = vec![schema];
        for _ in 0..MOST_PARTS {
            let schema = pending.pop()?;
            let properties = schema.get("properties");
            if let Some(found) = properties.and_then(|properties| properties.get(name)) {
                return Some(found);
            }
            let parts = schema.get("allOf").and_then(Json::as_array);
            let parts = parts.into_iter().flatten().take(MOST_PARTS);
            pending.extend(parts.map(|part| self.said(Some(part)).schema));
        }
        None
    }

    /// What to do about a name that is no argument but a property of the body: to be told where the
    /// call was refused.
    pub(super) fn advice(&self, items: &[String]) -> Option<String> {
        let function = self.declared?.function;
        let body = function.body.as_ref()?;
        let place = self.argument(&body.name);
        items.iter().find_map(|item| {
            let (name, _) = parted(item).ok()?;
            let is_argument =
                name == body.name || function.parameters.iter().any(|it| it.name == name);
            let is_member = !is_argument && self.property(place.said.schema, name).is_some();
            is_member.then(|| format!("`{}.{name}=…` sets a member of the body", body.name))
        })
    }

    /// The name of an argument that begins as JSON does, is none, and is not meant to be text.
    pub(super) fn broken_json<'i>(&self, items: &'i [String]) -> Option<&'i str> {
        items.iter().find_map(|item| {
            let (name, text) = parted(item).ok()?;
            let place = self.argument(name);
            let is_meant = text.trim_start().starts_with(['{', '[', '"'])
                && !(place.is_text || is_text(place.said));
            (is_meant && parse_json(text.as_bytes()).is_err()).then_some(name)
        })
    }
}

fn types(schema: &Json) -> Vec<&str> {
    match schema.get("type") {
        Some(Json::String(name)) => vec![name],
        Some(Json::Array(names)) => names.iter().filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    }
}

fn may_be_null(said: Said<'_>) -> bool {
    said.or_null || types(said.schema).contains(&"null")
}

/// Whether a value is text and nothing else, null excepted.
fn is_text(said: Said<'_>) -> bool {
    let only = said.schema.get("const").map(std::slice::from_ref);
    let listed = said.schema.get("enum").and_then(Json::as_array);
    let listed = only.or(listed.map(Vec::as_slice));
    let is_of_texts = |values: &[Json]| values.iter().all(|it| it.is_string() || it.is_null());
    let names = types(said.schema);
    let is_of_type = match names.as_slice() {
        [] => listed.is_some_and(|values| !values.is_empty()),
        names => names.iter().all(|name| matches!(*name, "string" | "null")),
    };
    is_of_type && listed.is_none_or(is_of_texts)
}

/// Whether a value is a list and nothing else, null excepted.
fn is_list(said: Said<'_>) -> bool {
    let names = types(said.schema);
    names.contains(&"array") && names.iter().all(|name| matches!(*name, "array" | "null"))
}

#[cfg(test)]
mod tests;
