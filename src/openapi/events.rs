//! What the items of a stream are: JSON values, or the data of server-sent events.
//!
//! OpenAPI 3.2 describes the whole event (section 4.14.4: `itemSchema`, whose `data` is a text that
//! `contentMediaType` and `contentSchema` say more of). Others give the schema of an event as
//! `schema`, or that of its data. Clients yield events, so what is wanted is the type of the data.

use serde_json::{Map, Value, json};

use super::document::{Document, ReferenceError, cost};
use crate::api::Media;

/// What an event consists of (WHATWG HTML, section 9.2.6).
const FIELDS: &[&str] = &["data", "event", "id", "retry"];
/// Those that payloads have not: many a payload is an object of `data`, or of `id` and `data`.
const TELLING: &[&str] = &["event", "retry"];
/// Schemas, and references to them, looked at to find what one stream consists of.
const MOST_LOOKS: usize = 256;
/// Schemas of events within one another: alternatives, and what is inherited.
const DEEPEST: usize = 8;
/// Types that a schema may list: JSON has no more.
const MOST_TYPES: usize = 7;

/// The items of a stream.
#[derive(Debug, PartialEq)]
pub(super) struct Items {
    /// The schema of an item, or of an event's data.
    pub(super) schema: Value,
    /// Whether that is JSON.
    pub(super) is_json: bool,
}

/// The items of a media type that is a stream; an error where all operations together take copies
/// of too much.
pub(super) fn items(
    document: &Document,
    name: &str,
    media: &Value,
) -> Result<Items, ReferenceError> {
    let mut walk = Walk {
        document,
        left: MOST_LOOKS,
        was_referred: false,
        is_event: true,
        is_told: false,
    };
    let items = walk.items(name, media);
    // What stands in the media type itself is nobody else's.
    if walk.was_referred {
        document.charge(cost(&items.schema))?;
    }
    Ok(items)
}

/// Any text.
fn unknown() -> Items {
    Items {
        schema: Value::Bool(true),
        is_json: false,
    }
}

/// Goes through the schema of an event.
struct Walk<'a> {
    document: &'a Document,
    left: usize,
    /// Whether anything was looked at that stands elsewhere.
    was_referred: bool,
    /// Whether all properties so far are fields of events.
    is_event: bool,
    /// Whether any is one that payloads have not.
    is_told: bool,
}

impl<'a> Walk<'a> {
    fn items(&mut self, name: &str, media: &'a Value) -> Items {
        let item = media.get("itemSchema");
        let schema = item.or_else(|| Some(self.item_of(media.get("schema")?)));
        let Some(schema) = schema else {
            return unknown();
        };
        if Media::of(name) != Media::Events {
            return Items {
                schema: schema.clone(),
                is_json: true,
            };
        }
        let found = self.data(schema, &[], DEEPEST);
        let is_event = item.is_some() || (self.is_event && self.is_told);
        match (is_event, found.is_empty()) {
            // Nothing is known of the data of an event.
            (true, true) if item.is_some() => unknown(),
            (true, false) => self.of_data(&found),
            _ => self.of_data(&[schema]),
        }
    }

    /// What a schema stands for, if there is anything left to look at: nothing is copied, so
    /// references are free of charge.
    fn look(&mut self, schema: &'a Value) -> Option<&'a Value> {
        let mut current = schema;
        loop {
            self.left = self.left.checked_sub(1)?;
            let Some(reference) = current.get("$ref").and_then(Value::as_str) else {
                return Some(current);
            };
            self.was_referred = true;
            current = self.document.look_at(reference).ok()?;
        }
    }

    /// A stream that is described as a list is one of its items.
    fn item_of(&mut self, schema: &'a Value) -> &'a Value {
        let target = self.look(schema).unwrap_or(schema);
        let is_list = target.get("type").and_then(Value::as_str) == Some("array");
        target.get("items").filter(|_| is_list).unwrap_or(schema)
    }

    /// The schemas that data may have; `inherited` are those that hold where an alternative says
    /// nothing of its own.
    fn data(&mut self, schema: &'a Value, inherited: &[&'a Value], depth: usize) -> Vec<&'a Value> {
        let Some(depth) = depth.checked_sub(1) else {
            return inherited.to_vec();
        };
        let Some(members) = self.look(schema).and_then(Value::as_object) else {
            return inherited.to_vec();
        };
        let mut found = inherited.to_vec();
        for part in parts(members, "allOf") {
            if self.left == 0 {
                break;
            }
            found = self.data(part, &found, depth);
        }
        let properties = members.get("properties").and_then(Value::as_object);
        if let Some(properties) = properties {
            let mut names = properties.keys();
            self.is_event &= names.all(|name| FIELDS.contains(&name.as_str()));
            self.is_told |= TELLING.iter().any(|name| properties.contains_key(*name));
            found = properties.get("data").map_or(found, |data| vec![data]);
        }
        for keyword in ["oneOf", "anyOf"] {
            let mut either: Vec<&'a Value> = Vec::new();
            for part in parts(members, keyword) {
                if self.left == 0 {
                    break;
                }
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

    /// What the texts are that have one of these schemas.
    fn of_data(&mut self, schemas: &[&'a Value]) -> Items {
        let mut is_json = false;
        let mut kinds: Vec<Value> = Vec::new();
        for schema in schemas {
            let items = self.one(schema);
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
    fn one(&mut self, schema: &'a Value) -> Items {
        let target = self.look(schema).unwrap_or(schema);
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
                is_json: !self.is_text(members, 2),
            },
        }
    }

    /// Whether a schema is that of a text and of nothing else; `depth` bounds the alternatives
    /// within one another that are looked at.
    fn is_text(&mut self, members: &'a Map<String, Value>, depth: usize) -> bool {
        if let Some(kind) = members.get("type") {
            let is_string = |name: &Value| name.as_str() == Some("string");
            let is_null = |name: &Value| name.as_str() == Some("null");
            return match kind {
                Value::Array(names) => {
                    names.len() <= MOST_TYPES
                        && names.iter().any(is_string)
                        && names.iter().all(|it| is_string(it) || is_null(it))
                }
                name => is_string(name),
            };
        }
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        let mut alternatives = ["oneOf", "anyOf"]
            .into_iter()
            .flat_map(|it| parts(members, it))
            .peekable();
        // Where nothing is left to look at, the first that is not seen ends it.
        alternatives.peek().is_some()
            && alternatives.all(|part| {
                let target = self.look(part).and_then(Value::as_object);
                target.is_some_and(|members| self.is_text(members, depth))
            })
    }
}

fn parts<'a>(members: &'a Map<String, Value>, keyword: &str) -> impl Iterator<Item = &'a Value> {
    let parts = members.get(keyword).and_then(Value::as_array);
    parts.into_iter().flatten()
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
        let found = items(&document, "text/event-stream", media).unwrap();
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
            json!({"properties": {"data": chunk(), "retry": {"type": "integer"}}}),
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
        let text = json!({"type": "string"});
        for properties in [
            json!({"data": text}),
            json!({"id": text, "data": text}),
            json!({"data": chunk()}),
        ] {
            let payload = json!({"type": "object", "properties": properties});
            let as_schema = items_of(&json!({"schema": payload}));
            assert_eq!(as_schema, (payload.clone(), true));
            // `itemSchema` is always that of the event.
            let of_item = items_of(&json!({"itemSchema": payload}));
            let data = properties["data"].clone();
            assert_eq!(of_item, (data.clone(), data == chunk()));
        }
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

    #[test]
    fn a_schema_that_is_only_looked_at_is_free_and_a_copy_of_it_is_not() {
        let many: Vec<Value> = (0..2_000)
            .map(|it| json!({"properties": {"event": {"const": it}, "data": {"type": "string"}}}))
            .collect();
        let large: Vec<Value> = (0..20_000).map(|it| json!({"const": it})).collect();
        let root = json!({"openapi": "3.1.0", "components": {"schemas": {
            "Payload": {"oneOf": large},
            "Event": {"oneOf": many},
            "Whole": {"properties": {"event": {}, "data": {"enum": large}}},
        }}});
        let document = Document::new(root, Position::default).unwrap();
        let of = |name: &str| {
            let schema = json!({"$ref": format!("#/components/schemas/{name}")});
            let found = items(&document, "text/event-stream", &json!({"schema": schema}))?;
            Ok::<_, ReferenceError>((found.schema == schema, found.is_json))
        };
        for _ in 0..1_000 {
            assert_eq!(of("Payload"), Ok((true, true)));
            assert_eq!(of("Event"), Ok((false, false)));
        }
        let mut copies = (0..1_000).map(|_| of("Whole"));
        assert_eq!(
            copies.find_map(Result::err),
            Some(ReferenceError::TooMuchRepeated)
        );
    }
}
