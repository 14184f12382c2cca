//! Request bodies: `in: body`, or the fields of a form, with what the operation `consumes`.

use serde_json::{Map, Value, json};

use super::parameters::{encoding, has_lists_in_list, value_schema};
use crate::invisible::visible;
use crate::openapi::content::is_media_type;
use crate::openapi::document::{Document, cost, text};

const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";

/// Media types that are looked at of what an operation `consumes` or `produces`: the document's
/// list is repeated for every operation.
const MOST_MEDIA_TYPES: usize = 32;

/// What an operation `consumes` or `produces`, its own list before the document's; only what are
/// media types, each once.
pub(in crate::openapi) fn media_types(
    document: &Document,
    operation: &Map<String, Value>,
    key: &str,
    warn: &mut dyn FnMut(String),
) -> Vec<String> {
    let listed = operation.get(key).or_else(|| document.root.get(key));
    let listed = listed
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    if listed.len() > MOST_MEDIA_TYPES {
        warn(format!(
            "of the media types that `{key}` lists only the first {MOST_MEDIA_TYPES} are used"
        ));
    }
    let mut kept: Vec<String> = Vec::new();
    for media_type in listed.iter().take(MOST_MEDIA_TYPES) {
        if let Some(text) = media_type.as_str().filter(|text| is_media_type(text))
            && !kept.iter().any(|known| known == text)
        {
            kept.push(text.to_owned());
        }
    }
    kept
}

/// The parameters of an operation that make its body.
#[derive(Default)]
pub(in crate::openapi) struct Fields {
    /// Those `in: body`; more than one is an error.
    pub(in crate::openapi) whole: Vec<Map<String, Value>>,
    /// Those `in: formData`.
    pub(in crate::openapi) form: Vec<Map<String, Value>>,
}

impl Fields {
    /// The `requestBody` that OpenAPI 3 has for them; else why the operation cannot be called.
    pub(in crate::openapi) fn request_body(
        self,
        document: &Document,
        consumes: Vec<String>,
        warn: &mut dyn FnMut(String),
    ) -> Result<Option<Value>, String> {
        match (self.whole.as_slice(), self.form.is_empty()) {
            ([], true) => Ok(None),
            ([], false) => form(document, &self.form, consumes, warn),
            ([body], true) => whole(document, body, consumes).map(Some),
            (_, false) => Err("a body beside the fields of a form".to_owned()),
            (_, true) => Err("more than one body".to_owned()),
        }
    }
}

fn whole(
    document: &Document,
    body: &Map<String, Value>,
    mut consumes: Vec<String>,
) -> Result<Value, String> {
    if consumes.is_empty() {
        consumes.push(JSON.to_owned());
    }
    let media = json!({"schema": value_schema(body)});
    Ok(json!({
        "description": text(body, "description"),
        "required": body.get("required") == Some(&Value::Bool(true)),
        "content": for_each(document, consumes, &media)?,
    }))
}

/// What holds for every one of some media types.
fn for_each(
    document: &Document,
    media_types: Vec<String>,
    media: &Value,
) -> Result<Map<String, Value>, String> {
    let copies = media_types.len().saturating_sub(1);
    let charged = document.charge(cost(media).saturating_mul(copies));
    charged.map_err(|error| error.to_string())?;
    let entries = media_types.into_iter().map(|name| (name, media.clone()));
    Ok(entries.collect())
}

fn form(
    document: &Document,
    fields: &[Map<String, Value>],
    consumes: Vec<String>,
    warn: &mut dyn FnMut(String),
) -> Result<Option<Value>, String> {
    let mut properties = Map::new();
    let mut required: Vec<Value> = Vec::new();
    let mut encodings = Map::new();
    let mut has_file = false;
    for field in fields {
        let is_required = field.get("required") == Some(&Value::Bool(true));
        let name = text(field, "name");
        match encoding(field) {
            Ok(Some(encoding)) => {
                encodings.insert(name.clone(), encoding);
            }
            Ok(None) => {}
            Err(reason) if is_required => {
                return Err(format!("form field `{}`: {reason}", visible(&name)));
            }
            Err(reason) => {
                let name = visible(&name);
                warn(format!(
                    "the optional form field `{name}` is left out: {reason}"
                ));
                continue;
            }
        }
        let mut schema = value_schema(field);
        if has_lists_in_list(&schema) {
            let name = visible(&name);
            warn(format!(
                "lists within the list of the form field `{name}` are sent as JSON, whatever their `collectionFormat`"
            ));
        }
        has_file |= is_file(&schema) || schema.get("items").is_some_and(is_file);
        if let Some(members) = schema.as_object_mut()
            && let Some(description) = field.get("description")
        {
            members.insert("description".to_owned(), description.clone());
        }
        if is_required {
            required.push(Value::from(name.clone()));
        }
        properties.insert(name, schema);
    }
    if properties.is_empty() {
        return Ok(None);
    }
    let possible: &[&str] = if has_file {
        &[MULTIPART]
    } else {
        &[FORM, MULTIPART]
    };
    let is_possible = |media_type: &String| {
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        possible
            .iter()
            .any(|known| essence.eq_ignore_ascii_case(known))
    };
    let mut chosen: Vec<String> = consumes.into_iter().filter(is_possible).collect();
    if chosen.is_empty() {
        chosen = possible.iter().map(|known| (*known).to_owned()).collect();
    }
    let is_required = !required.is_empty();
    let media = json!({
        "schema": {"type": "object", "properties": properties, "required": required},
        "encoding": encodings,
    });
    Ok(Some(json!({
        "required": is_required,
        "content": for_each(document, chosen, &media)?,
    })))
}

fn is_file(schema: &Value) -> bool {
    let is = |key, value| schema.get(key).and_then(Value::as_str) == Some(value);
    is("type", "file") || is("format", "binary")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::Position;

    fn document(root: Value) -> Document {
        Document::new(root, Position::default).unwrap()
    }

    fn fields(whole: &[Value], form: &[Value]) -> Fields {
        let [whole, form] = [whole, form].map(|values| {
            let maps = values.iter().map(|it| it.as_object().unwrap().clone());
            maps.collect()
        });
        Fields { whole, form }
    }

    fn body(fields: Fields, consumes: &[&str]) -> Value {
        let consumes = consumes.iter().map(|it| (*it).to_owned()).collect();
        let document = document(json!({"swagger": "2.0"}));
        let body = fields.request_body(&document, consumes, &mut |_| {});
        let body = body.unwrap();
        body.unwrap_or_default()
    }

    fn content_types(body: &Value) -> Vec<String> {
        let content = body["content"].as_object().unwrap();
        content.keys().cloned().collect()
    }

    #[test]
    fn a_body_is_json_where_nothing_is_said() {
        let declared = json!({"name": "b", "in": "body", "schema": {"type": "string"}});
        assert_eq!(
            body(fields(std::slice::from_ref(&declared), &[]), &[]),
            json!({"description": "", "required": false,
                "content": {"application/json": {"schema": {"type": "string"}}}})
        );
        assert_eq!(
            content_types(&body(fields(&[declared], &[]), &["text/csv", "text/xml"])),
            ["text/csv", "text/xml"]
        );
    }

    #[test]
    fn a_file_makes_a_form_multipart() {
        let text = json!({"name": "a", "type": "string", "required": true});
        let file = json!({"name": "f", "type": "file"});
        let of = |form: &[&Value], consumes: &[&str]| {
            let form: Vec<Value> = form.iter().map(|it| (*it).clone()).collect();
            let body = body(fields(&[], &form), consumes);
            content_types(&body).join(" ")
        };
        assert_eq!(of(&[&text], &[]), format!("{FORM} {MULTIPART}"));
        assert_eq!(of(&[&text], &[JSON, MULTIPART]), MULTIPART);
        assert_eq!(
            of(&[&text], &["multipart/formData"]),
            format!("{FORM} {MULTIPART}")
        );
        assert_eq!(of(&[&text, &file], &[FORM]), MULTIPART);
    }

    #[test]
    fn form_fields_keep_how_lists_are_written() {
        let list = |name: &str, format: &str| {
            json!({"name": name, "in": "formData", "type": "array", "description": "d",
                "items": {"type": "integer"}, "collectionFormat": format})
        };
        let form = [
            list("m", "multi"),
            list("p", "pipes"),
            list("odd", "json"),
            json!({"name": "s", "in": "formData", "type": "string", "required": true}),
        ];
        let body = body(fields(&[], &form), &[FORM]);
        assert_eq!(body["required"], true);
        let media = &body["content"][FORM];
        assert_eq!(
            media["encoding"],
            json!({"m": {"style": "form", "explode": true},
                "p": {"style": "pipeDelimited", "explode": false}})
        );
        assert_eq!(
            media["schema"]["properties"]["p"],
            json!({"type": "array", "items": {"type": "integer"}, "description": "d"})
        );
        assert_eq!(media["schema"]["properties"]["odd"], Value::Null);
        assert_eq!(media["schema"]["required"], json!(["s"]));
    }

    #[test]
    fn two_bodies_and_a_body_beside_a_form_are_refused() {
        let one = json!({"name": "b", "in": "body"});
        for fields in [
            fields(&[one.clone(), one.clone()], &[]),
            fields(&[one], &[json!({"name": "f"})]),
        ] {
            let document = document(json!({"swagger": "2.0"}));
            let body = fields.request_body(&document, Vec::new(), &mut |_| {});
            assert!(body.is_err());
        }
    }

    #[test]
    fn a_list_of_media_types_is_bounded_and_each_counts_once() {
        let many: Vec<String> = (0..MOST_MEDIA_TYPES + 9)
            .map(|it| format!("a/b{it}"))
            .collect();
        let document = document(json!({"swagger": "2.0", "produces": many,
            "consumes": ["text/csv", "json", "text/csv", 3, "a/b c"]}));
        let mut warnings = Vec::new();
        let mut listed =
            |key| media_types(&document, &Map::new(), key, &mut |text| warnings.push(text));
        assert_eq!(listed("consumes"), ["text/csv"]);
        assert_eq!(listed("produces"), many[..MOST_MEDIA_TYPES]);
        let text = "of the media types that `produces` lists only the first 32 are used";
        assert_eq!(warnings, [text]);
    }
}
