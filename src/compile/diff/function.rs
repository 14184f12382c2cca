//! What differs between two functions of one operation.

use serde_json::Value;

use super::{Change, Kind, Level, schema};
use crate::api::{Body, Function, Parameter, Response, Security};
use crate::compile::media_types;

/// Everything that differs, names of functions excepted.
pub(super) fn compare(old: &Function, new: &Function) -> Vec<Change> {
    let mut changes = Vec::new();
    if old.security != new.security {
        changes.push(
            Change::new(Level::Security, Kind::SecurityChanged)
                .from(security(&old.security))
                .to(security(&new.security)),
        );
    }
    if old.base_url != new.base_url {
        let mut change = Change::new(Level::Security, Kind::FunctionBaseUrlChanged);
        if let Some(old) = &old.base_url {
            change = change.from(old);
        }
        if let Some(new) = &new.base_url {
            change = change.to(new);
        }
        changes.push(change);
    }
    parameters(old, new, &mut changes);
    body(old.body.as_ref(), new.body.as_ref(), &mut changes);
    if old.returns != new.returns {
        changes.push(
            Change::new(Level::Breaking, Kind::ReturnTypeChanged)
                .from(&old.returns)
                .to(&new.returns),
        );
    }
    responses(old, new, &mut changes);
    if old.pagination != new.pagination {
        changes.push(Change::new(Level::Other, Kind::PaginationChanged));
    }
    if old.deprecated != new.deprecated {
        let word = |deprecated| {
            if deprecated {
                "deprecated"
            } else {
                "not deprecated"
            }
        };
        changes.push(
            Change::new(Level::Other, Kind::DeprecationChanged)
                .from(word(old.deprecated))
                .to(word(new.deprecated)),
        );
    }
    if old.summary != new.summary {
        changes.push(
            Change::new(Level::Text, Kind::SummaryChanged)
                .from(&old.summary)
                .to(&new.summary),
        );
    }
    if old.tags != new.tags {
        changes.push(
            Change::new(Level::Text, Kind::TagsChanged)
                .from(old.tags.join(", "))
                .to(new.tags.join(", ")),
        );
    }
    changes
}

/// `key or (token and tenant)`, scopes in brackets.
pub(super) fn security(security: &Security) -> String {
    if security.is_empty() {
        return "no credential".to_owned();
    }
    let alternatives: Vec<String> = security
        .iter()
        .map(|schemes| {
            let all: Vec<String> = schemes
                .iter()
                .map(|(name, scopes)| {
                    if scopes.is_empty() {
                        name.clone()
                    } else {
                        format!("{name} [{}]", scopes.join(" "))
                    }
                })
                .collect();
            if all.is_empty() {
                "no credential".to_owned()
            } else {
                all.join(" and ")
            }
        })
        .collect();
    alternatives.join(", or ")
}

fn parameters(old: &Function, new: &Function, changes: &mut Vec<Change>) {
    let place = |one: &Parameter| (one.r#in, one.wire_name.clone());
    let find = |all: &[Parameter], wanted: &Parameter| {
        let key = place(wanted);
        all.iter().find(|one| place(one) == key).cloned()
    };
    for one in &old.parameters {
        match find(&new.parameters, one) {
            Some(other) => parameter(one, &other, changes),
            None => {
                changes.push(Change::new(Level::Breaking, Kind::ParameterRemoved).about(&one.name));
            }
        }
    }
    for one in &new.parameters {
        if find(&old.parameters, one).is_some() {
            continue;
        }
        let (level, kind) = if one.required {
            (Level::Breaking, Kind::RequiredParameterAdded)
        } else {
            (Level::Other, Kind::ParameterAdded)
        };
        changes.push(Change::new(level, kind).about(&one.name).to(&one.r#type));
    }
}

fn parameter(old: &Parameter, new: &Parameter, changes: &mut Vec<Change>) {
    let mut say = |change: Change| changes.push(change.about(&new.name));
    if old.name != new.name {
        say(Change::new(Level::Breaking, Kind::ParameterRenamed)
            .from(&old.name)
            .to(&new.name));
    }
    match (old.required, new.required) {
        (false, true) => say(Change::new(Level::Breaking, Kind::ParameterRequired)),
        (true, false) => say(Change::new(Level::Other, Kind::ParameterOptional)),
        _ => {}
    }
    let nullable = |one: &Parameter| if one.nullable { ", nullable" } else { "" };
    let kind = |one: &Parameter| format!("{}{}", one.r#type, nullable(one));
    let values = enumerations(old, new);
    let is_narrowed = old.nullable && !new.nullable;
    if values.is_empty() && old.r#type != new.r#type || is_narrowed {
        say(Change::new(Level::Breaking, Kind::ParameterTypeChanged)
            .from(kind(old))
            .to(kind(new)));
    } else if values.is_empty() && !schema::is_same(&old.schema, &new.schema) {
        say(Change::new(Level::Other, Kind::ConstraintsChanged));
    }
    for change in values {
        say(change);
    }
    if encoding(old) != encoding(new) {
        say(Change::new(Level::Other, Kind::EncodingChanged)
            .from(encoding(old))
            .to(encoding(new)));
    }
    if old.default != new.default {
        say(with_values(
            Change::new(Level::Other, Kind::DefaultChanged),
            old.default.as_ref(),
            new.default.as_ref(),
        ));
    }
    if old.description != new.description {
        say(Change::new(Level::Text, Kind::ParameterDescriptionChanged)
            .from(&old.description)
            .to(&new.description));
    }
}

fn with_values(change: Change, old: Option<&Value>, new: Option<&Value>) -> Change {
    let change = match old {
        Some(old) => change.from(old.to_string()),
        None => change,
    };
    match new {
        Some(new) => change.to(new.to_string()),
        None => change,
    }
}

/// Values that came and went; nothing where one of the two has no list of them.
fn enumerations(old: &Parameter, new: &Parameter) -> Vec<Change> {
    let (Some(before), Some(after)) = (&old.r#enum, &new.r#enum) else {
        return Vec::new();
    };
    let gone = before.iter().filter(|value| !after.contains(value));
    let come = after.iter().filter(|value| !before.contains(value));
    let gone = gone
        .map(|value| Change::new(Level::Breaking, Kind::EnumValueRemoved).from(value.to_string()));
    let come =
        come.map(|value| Change::new(Level::Other, Kind::EnumValueAdded).to(value.to_string()));
    gone.chain(come).collect()
}

/// How a value is spelt on the wire, in words of the document.
fn encoding(parameter: &Parameter) -> String {
    if let Some(content_type) = &parameter.content_type {
        return content_type.clone();
    }
    let style = serde_json::to_value(parameter.style).unwrap_or_default();
    let explode = if parameter.explode { ", explode" } else { "" };
    let reserved = if parameter.allow_reserved {
        ", allowReserved"
    } else {
        ""
    };
    format!("{}{explode}{reserved}", style.as_str().unwrap_or_default())
}

fn body(old: Option<&Body>, new: Option<&Body>, changes: &mut Vec<Change>) {
    match (old, new) {
        (None, None) => {}
        (Some(old), None) => {
            changes.push(Change::new(Level::Breaking, Kind::BodyRemoved).about(&old.name));
        }
        (None, Some(new)) => {
            let (level, kind) = if new.required {
                (Level::Breaking, Kind::RequiredBodyAdded)
            } else {
                (Level::Other, Kind::BodyAdded)
            };
            changes.push(Change::new(level, kind).about(&new.name).to(&new.r#type));
        }
        (Some(old), Some(new)) => bodies(old, new, changes),
    }
}

fn bodies(old: &Body, new: &Body, changes: &mut Vec<Change>) {
    let mut say = |change: Change| changes.push(change.about(&new.name));
    if old.name != new.name {
        say(Change::new(Level::Breaking, Kind::BodyRenamed)
            .from(&old.name)
            .to(&new.name));
    }
    match (old.required, new.required) {
        (false, true) => say(Change::new(Level::Breaking, Kind::BodyRequired)),
        (true, false) => say(Change::new(Level::Other, Kind::BodyOptional)),
        _ => {}
    }
    if old.r#type != new.r#type {
        say(Change::new(Level::Breaking, Kind::BodyTypeChanged)
            .from(&old.r#type)
            .to(&new.r#type));
    } else if !schema::is_same(&old.schema, &new.schema) {
        say(Change::new(Level::Other, Kind::ConstraintsChanged));
    }
    let (had, has) = (media_types(old), media_types(new));
    for gone in had.iter().filter(|one| !has.contains(one)) {
        say(Change::new(Level::Breaking, Kind::BodyMediaTypeRemoved).from(gone));
    }
    for come in has.iter().filter(|one| !had.contains(one)) {
        say(Change::new(Level::Other, Kind::BodyMediaTypeAdded).to(come));
    }
    if old.content_type != new.content_type || old.encoding != new.encoding {
        say(Change::new(Level::Other, Kind::EncodingChanged)
            .from(&old.content_type)
            .to(&new.content_type));
    }
}

fn responses(old: &Function, new: &Function, changes: &mut Vec<Change>) {
    let said = |responses: &[Response]| {
        let one = |response: &Response| {
            let kinds = response.content_types.join(" ");
            format!("{} {kinds}", response.status).trim_end().to_owned()
        };
        responses.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    let kinds = |responses: &[Response]| -> Vec<_> {
        responses.iter().map(|response| response.kind).collect()
    };
    let (had, has) = (said(&old.responses), said(&new.responses));
    if had != has || kinds(&old.responses) != kinds(&new.responses) {
        changes.push(
            Change::new(Level::Other, Kind::ResponsesChanged)
                .from(had)
                .to(has),
        );
    } else if old.returns == new.returns {
        let mut pairs = old.responses.iter().zip(&new.responses);
        if pairs.any(|(old, new)| !schema::is_same(&old.schema, &new.schema)) {
            changes.push(Change::new(Level::Other, Kind::ConstraintsChanged).about("the answer"));
        }
    }
}
