//! What people write in OpenAPI 3 as they did in 2.0, read as they mean it.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::document::{Document, text};
use super::parameters::{label, left_out};
use super::swagger::{self, Fields};
use super::version::Dialect;
use crate::api::{Location, OperationParameter, Style};
use crate::invisible::visible;

/// An operation's parameters, and its body and responses, as OpenAPI 3 writes them.
pub(super) struct Raised<'a> {
    pub(super) parameters: Vec<Map<String, Value>>,
    /// Where `requestBody` and `responses` stand.
    pub(super) contents: Cow<'a, Map<String, Value>>,
}

/// Raises what an operation declares; else why it cannot be called.
pub(super) fn raise<'a>(
    document: &Document,
    declared: Vec<Map<String, Value>>,
    operation: &'a Map<String, Value>,
    warn: &mut dyn FnMut(String),
) -> Result<Raised<'a>, String> {
    let is_2 = document.dialect == Dialect::Swagger2;
    let mut parameters = Vec::new();
    let mut fields = Fields::default();
    for members in declared {
        match text(&members, "in").as_str() {
            "body" => fields.whole.push(members),
            "formData" => fields.form.push(members),
            _ => parameters.extend(raised(is_2, members, warn)?),
        }
    }
    let first = fields.whole.first().or(fields.form.first());
    let Some(first) = first.filter(|_| !is_2) else {
        let contents = if is_2 {
            Cow::Owned(contents(document, fields, operation, warn)?)
        } else {
            Cow::Borrowed(operation)
        };
        return Ok(Raised {
            parameters,
            contents,
        });
    };
    let label = label(first);
    let mut contents = Cow::Borrowed(operation);
    if operation.get("requestBody").is_some_and(|it| !it.is_null()) {
        warn(format!(
            "the parameter {label}, a place of Swagger 2.0, is left out beside `requestBody`"
        ));
    } else {
        warn(format!(
            "the parameter {label} is read as Swagger 2.0 has it, as part of the body"
        ));
        let consumes = swagger::media_types(document, operation, "consumes", warn);
        if let Some(body) = fields.request_body(document, consumes, warn)? {
            let contents = contents.to_mut();
            contents.insert("requestBody".to_owned(), body);
        }
    }
    Ok(Raised {
        parameters,
        contents,
    })
}

/// A parameter that is no part of the body; none where it is not needed and cannot be sent.
fn raised(
    is_2: bool,
    mut members: Map<String, Value>,
    warn: &mut dyn FnMut(String),
) -> Result<Option<Map<String, Value>>, String> {
    if is_2 {
        return match swagger::parameter(&members) {
            Ok(members) => Ok(Some(members)),
            Err(reason) if super::parameters::is_required(&members) => {
                Err(format!("parameter {}: {reason}", label(&members)))
            }
            Err(reason) => {
                warn(left_out(&members, &reason));
                Ok(None)
            }
        };
    }
    let says_type = members.contains_key("type") || members.contains_key("items");
    if says_type && !members.contains_key("schema") && !members.contains_key("content") {
        warn(format!(
            "the parameter {} has its type beside `in`, which is read as its schema",
            label(&members)
        ));
        let schema = swagger::value_schema(&members);
        members.insert("schema".to_owned(), schema);
    }
    Ok(Some(members))
}

/// The body and responses of a 2.0 operation.
fn contents(
    document: &Document,
    fields: Fields,
    operation: &Map<String, Value>,
    warn: &mut dyn FnMut(String),
) -> Result<Map<String, Value>, String> {
    let mut contents = Map::new();
    let consumes = swagger::media_types(document, operation, "consumes", warn);
    if let Some(body) = fields.request_body(document, consumes, warn)? {
        contents.insert("requestBody".to_owned(), body);
    }
    if let Some(responses) = swagger::responses(document, operation, warn)? {
        contents.insert("responses".to_owned(), responses);
    }
    Ok(contents)
}

/// Makes query parameters of the placeholders that a path key has in its query, whatever place they
/// are declared in.
pub(super) fn match_query(
    placeholders: &[(&str, &str)],
    parameters: &mut Vec<OperationParameter>,
    warn: &mut dyn FnMut(String),
) {
    for (name, placeholder) in placeholders {
        let is_query = |it: &&mut OperationParameter| it.location == Location::Query;
        let mut queries = parameters.iter_mut().filter(is_query);
        if queries.any(|it| it.wire_name == *name) {
            continue;
        }
        warn(format!(
            "the placeholder `{{{}}}` in the query of the path is taken for a query parameter",
            visible(placeholder)
        ));
        let is_meant = |it: &&mut OperationParameter| {
            it.wire_name == *placeholder && matches!(it.location, Location::Path | Location::Query)
        };
        if let Some(meant) = parameters.iter_mut().find(is_meant) {
            meant.location = Location::Query;
            (*name).clone_into(&mut meant.wire_name);
            if meant.style == Style::Simple {
                meant.style = Style::Form;
                meant.explode = true;
            }
        } else {
            parameters.push(OperationParameter {
                location: Location::Query,
                style: Style::Form,
                explode: true,
                ..undeclared(name)
            });
        }
    }
}

/// Brings path parameters in line with the template: what it has and nobody declared is a text,
/// what it lacks cannot be sent.
pub(super) fn match_template(
    placeholders: &[String],
    parameters: &mut Vec<OperationParameter>,
    warn: &mut dyn FnMut(String),
) {
    parameters.retain(|parameter| {
        let has_place =
            parameter.location != Location::Path || placeholders.contains(&parameter.wire_name);
        if !has_place {
            warn(format!(
                "the path has no placeholder for the path parameter `{}`, which is left out",
                visible(&parameter.wire_name)
            ));
        }
        has_place
    });
    for placeholder in placeholders {
        let is_declared = parameters.iter().any(|parameter| {
            parameter.location == Location::Path && parameter.wire_name == *placeholder
        });
        if !is_declared {
            warn(format!(
                "the placeholder `{{{}}}` of the path is not declared as a parameter; it is taken \
                 for a text",
                visible(placeholder)
            ));
            parameters.push(undeclared(placeholder));
        }
    }
}

fn undeclared(placeholder: &str) -> OperationParameter {
    OperationParameter {
        wire_name: placeholder.to_owned(),
        location: Location::Path,
        required: true,
        style: Style::Simple,
        explode: false,
        allow_reserved: false,
        items_styles: Vec::new(),
        content_type: None,
        description: String::new(),
        schema: serde_json::json!({"type": "string"}),
    }
}
