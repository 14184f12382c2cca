//! What the items of a stream are: JSON values, or the data of server-sent events.
//!
//! OpenAPI 3.2 describes the whole event (section 4.14.4: `itemSchema`, whose `data` is a text that
//! `contentMediaType` and `contentSchema` say more of). Others give the schema of an event as
//! `schema`, or that of its data. Clients yield events, so what is wanted is the type of the data.

use serde_json::{Map, Value, json};

use super::document::Document;
use crate::api::Media;

/// What an event consists of (WHATWG HTML, section 9.2.6).
const FIELDS: &[&str] = &["data", "event", "id", "retry"];
/// Schemas looked at to find the data of one event.
const MOST_SCHEMAS: usize = 64;
/// Schemas of events within one another: alternatives, and what is inherited.
const DEEPEST: usize = 8;

/// The items of a stream.
#[derive(Debug, PartialEq)]
pub(super) struct Items {
    /// The schema of an item, or of an event's data.
    pub(super) schema: Value,
    /// Whether that is JSON.
    pub(super) is_json: bool,
}

/// The items of a media type that is a stream.
pub(super) fn items(document: &Document, name: &str, media: &Value) -> Items {
    let item = media.get("itemSchema");
    let schema = item.or_else(|| Some(item_of(document, media.get("schema")?)));
    let Some(schema) = schema else {
        return unknown();
    };
    if Media::of(name) != Media::Events {
        return Items {
            schema: schema.clone(),
            is_json: true,
        };
    }
    let mut walk = Walk {
        document,
        left: MOST_SCHEMAS,
        is_event: true,
    };
    let found = walk.data(schema, &[], DEEPEST);
    match (item.is_some() || walk.is_event, found.is_empty()) {
        // Nothing is known of the data of an event.
        (true, true) if item.is_some() => unknown(),
        (true, false) => of_data(document, &found),
        _ => of_data(document, &[schema]),
    }
}

/// Any text.
fn unknown() -> Items {
    Items {
        schema: Value::Bool(true),
        is_json: false,
    }
}

/// A stream that is described as a list is one of its items.
fn item_of<'a>(document: &'a Document, schema: &'a Value) -> &'a Value {
    let target = document.resolve(schema).unwrap_or(schema);
    let is_list = target.get("type").and_then(Value::as_str) == Some("array");
    target.get("items").filter(|_| is_list).unwrap_or(schema)
}

/// Goes through the schema of an event.
struct Walk<'a> {
    document: &'a Document,
    left: usize,
    /// Whether all properties so far are fields of events.
    is_event: bool,
}

impl<'a> Walk<'a> {
    /// The schemas that data may have; `inherited` are those that hold where an alternative says
    /// nothing of its own.
    fn data(&mut self, schema: &'a Value, inherited: &[&'a Value], depth: usize) -> Vec<&'a Value> {
        let target = self.document.resolve(schema).ok();
        let (Some(members), Some(depth), Some(left)) = (
            target.and_then(Value::as_object),
            depth.checked_sub(1),
            self.left.checked_sub(1),
        ) else {
            return inherited.to_vec();
        };
        self.left = left;
        let mut found = inherited.to_vec();
        for part in parts(members, "allOf") {
            found = self.data(part, &found, depth);
        }
        let properties = members.get("properties").and_then(Value::as_object);
        if let Some(properties) = properties {
            let mut names = properties.keys();
            self.is_event &= names.all(|name| FIELDS.contains(&name.as_str()));
            found = properties.get("data").map_or(found, |data| vec![data]);
        }
        for keyword in ["oneOf", "anyOf"] {
            let mut either: Vec<&'a Value> = Vec::new();
            for part in parts(members, keyword) {
                for data in self.data(part, &found, depth) {
                    if !either.iter().any(|known| std::ptr::eq(*known, data)) {
                        either.push(data);
                    }
                }
            }
            if !either.is_empty() {
                found = either;
            }
        }
        found
    }
}

fn parts<'a>(members: &'a Map<String, Value>, keyword: &str) -> impl Iterator<Item = &'a Value> {
    let parts = members.get(keyword).and_then(Value::as_array);
    parts.into_iter().flatten()
}

/// What the texts are that have one of these schemas.
fn of_data(document: &Document, schemas: &[&Value]) -> Items {
    let read = schemas.iter().map(|schema| one(document, schema));
    let mut is_json = false;
    let mut kinds: Vec<Value> = Vec::new();
    for items in read {
        is_json |= items.is_json;
        if !kinds.contains(&items.schema) {
            kinds.push(items.schema);
        }
    }
    let schema = match kinds.len() {
        1 => kinds.pop().unwrap_or(Value::Bool(true)),
        _ => json!({"anyOf": kinds}),
    };
    Items { schema, is_json }
}

/// What a text is that has this schema: JSON but for a mere text, or where nothing is said.
fn one(document: &Document, schema: &Value) -> Items {
    let target = document.resolve(schema).unwrap_or(schema);
    let Some(members) = target.as_object().filter(|members| !members.is_empty()) else {
        return unknown();
    };
    let media_type = members.get("contentMediaType").and_then(Value::as_str);
    let says_json = media_type.is_none_or(|name| Media::of(name) == Media::Json);
    match members.get("contentSchema") {
        Some(content) if says_json => Items {
            schema: content.clone(),
            is_json: true,
        },
        _ if media_type.is_some() && says_json => Items {
            schema: Value::Bool(true),
            is_json: true,
        },
        _ => Items {
            schema: schema.clone(),
            is_json: !is_text(document, members, 2),
        },
    }
}

/// Whether a schema is that of a text and of nothing else; `depth` bounds the alternatives within
/// one another that are looked at.
fn is_text(document: &Document, members: &Map<String, Value>, depth: usize) -> bool {
    if let Some(kind) = members.get("type") {
        let is_string = |name: &Value| name.as_str() == Some("string");
        let is_null = |name: &Value| name.as_str() == Some("null");
        return match kind {
            Value::Array(names) => {
                names.iter().any(is_string) && names.iter().all(|it| is_string(it) || is_null(it))
            }
            name => is_string(name),
        };
    }
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    let alternatives = ["oneOf", "anyOf"]
        .into_iter()
        .flat_map(|it| parts(members, it));
    let mut alternatives = alternatives.take(MOST_SCHEMAS).peekable();
    alternatives.peek().is_some()
        && alternatives.all(|part| {
            let target = document.resolve(part).ok().and_then(Value::as_object);
            target.is_some_and(|members| is_text(document, members, depth))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::Position;

    fn items_of(media: &Value) -> (Value, bool) {
        let root = json!({"openapi": "3.2.0", "components": {"schemas": {
            "Chunk": {"type": "object", "properties": {"text": {"type": "string"}}},
            "Event": {"type": "object", "properties": {
                "event": {"type": "string"}, "data": {"$ref": "#/components/schemas/Chunk"}}},
            "Events": {"type": "array", "items": {"$ref": "#/components/schemas/Event"}},
            "Loop": {"oneOf": [{"$ref": "#/components/schemas/Loop"}, {"$ref": "#/components/schemas/Loop"}]},
        }}});
        let document = Document::new(root, Position::default).unwrap();
        let found = items(&document, "text/event-stream", media);
        (found.schema, found.is_json)
    }

    fn chunk() -> Value {
        json!({"$ref": "#/components/schemas/Chunk"})
    }

    #[test]
    fn a_schema_of_the_whole_event_is_that_of_its_data() {
        for schema in [
            json!({"$ref": "#/components/schemas/Event"}),
            json!({"$ref": "#/components/schemas/Events"}),
            json!({"properties": {"data": chunk()}, "required": ["data"]}),
            json!({"allOf": [{"properties": {"id": {"type": "string"}}}, {"$ref": "#/components/schemas/Event"}]}),
        ] {
            assert_eq!(
                items_of(&json!({"schema": schema})),
                (chunk(), true),
                "{schema}"
            );
        }
        let text = json!({"type": "string"});
        let schema = json!({"properties": {"event": text, "data": text}});
        assert_eq!(items_of(&json!({"schema": schema})), (text, false));
    }

    #[test]
    fn a_payload_that_has_data_among_other_keys_is_no_event() {
        let payload =
            json!({"type": "object", "properties": {"data": {"type": "string"}, "total": {}}});
        assert_eq!(items_of(&json!({"schema": payload})), (payload, true));
        assert_eq!(items_of(&json!({"schema": chunk()})), (chunk(), true));
        assert_eq!(items_of(&json!({"schema": {}})), (Value::Bool(true), false));
    }

    #[test]
    fn alternatives_of_events_are_alternatives_of_data() {
        let text = json!({"type": "string"});
        let media = json!({"itemSchema": {
            "properties": {"event": text, "data": text, "extra": text},
            "oneOf": [
                {"properties": {"event": {"const": "text"}}},
                {"properties": {"event": {"const": "chunk"}, "data": {
                    "type": "string", "contentMediaType": "application/json", "contentSchema": chunk()}}},
            ],
        }});
        assert_eq!(items_of(&media), (json!({"anyOf": [text, chunk()]}), true));
    }

    #[test]
    fn json_without_a_schema_may_be_anything_and_other_media_are_texts() {
        let of = |media_type: &str| {
            let data = json!({"type": "string", "contentMediaType": media_type});
            items_of(&json!({"itemSchema": {"properties": {"data": data}}}))
        };
        assert_eq!(of("application/json"), (Value::Bool(true), true));
        let text = json!({"type": "string", "contentMediaType": "text/html"});
        assert_eq!(of("text/html"), (text, false));
        assert_eq!(
            items_of(&json!({"itemSchema": {"properties": {"event": {}}}})),
            (Value::Bool(true), false)
        );
        let either = json!({"anyOf": [{"type": "string"}, {"type": ["string", "null"]}]});
        assert_eq!(items_of(&json!({"schema": either})), (either, false));
    }

    #[test]
    fn alternatives_that_lead_back_to_themselves_come_to_an_end() {
        let looped = json!({"$ref": "#/components/schemas/Loop"});
        assert!(items_of(&json!({"itemSchema": looped})).0.is_boolean());
    }
}
