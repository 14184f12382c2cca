//! What differs between the parameters of two functions of one operation.

use std::collections::BTreeSet;

use serde_json::Value;

use super::types::{Use, schema_changes, without_values};
use super::{Change, Kind, Level};
use crate::api::{Function, Parameter};

pub(super) fn compare(old: &Function, new: &Function, changes: &mut Vec<Change>) {
    for parameter in &old.parameters {
        match counterpart(parameter, old, new) {
            Some(later) => compare_parameters(parameter, later, changes),
            None => changes
                .push(Change::new(Level::Breaking, Kind::ParameterRemoved).about(&parameter.name)),
        }
    }
    for parameter in &new.parameters {
        if counterpart(parameter, new, old).is_some() {
            continue;
        }
        let (level, kind) = if parameter.required {
            (Level::Breaking, Kind::RequiredParameterAdded)
        } else {
            (Level::Other, Kind::ParameterAdded)
        };
        changes.push(
            Change::new(level, kind)
                .about(&parameter.name)
                .to(&parameter.r#type),
        );
    }
}

/// The parameter of the same name on the wire at the same place; else that of the same name in
/// Python, where neither of the two has one of the first kind.
fn counterpart<'a>(
    parameter: &Parameter,
    own: &Function,
    other: &'a Function,
) -> Option<&'a Parameter> {
    on_the_wire(&other.parameters, parameter).or_else(|| {
        let mut others = other.parameters.iter();
        let namesake = others.find(|other| other.name == parameter.name)?;
        let is_free = on_the_wire(&own.parameters, namesake).is_none();
        is_free.then_some(namesake)
    })
}

fn on_the_wire<'a>(all: &'a [Parameter], wanted: &Parameter) -> Option<&'a Parameter> {
    all.iter()
        .find(|parameter| parameter.r#in == wanted.r#in && parameter.wire_name == wanted.wire_name)
}

fn compare_parameters(old: &Parameter, new: &Parameter, changes: &mut Vec<Change>) {
    compare_values(old, new, changes);
    let mut say = |change: Change| changes.push(change.about(&new.name));
    if old.name != new.name {
        say(Change::new(Level::Breaking, Kind::ParameterRenamed)
            .from(&old.name)
            .to(&new.name));
    }
    if wire_text(old) != wire_text(new) {
        say(Change::new(Level::Other, Kind::WireNameChanged)
            .from(wire_text(old))
            .to(wire_text(new)));
    }
    match (old.required, new.required) {
        (false, true) => say(Change::new(Level::Breaking, Kind::ParameterRequired)),
        (true, false) => say(Change::new(Level::Other, Kind::ParameterOptional)),
        _ => {}
    }
    if encoding_text(old) != encoding_text(new) {
        say(Change::new(Level::Other, Kind::EncodingChanged)
            .from(encoding_text(old))
            .to(encoding_text(new)));
    }
    if old.default != new.default {
        let text = |value: &Option<Value>| value.as_ref().map(Value::to_string);
        say(Change::new(Level::Other, Kind::DefaultChanged)
            .maybe_from(text(&old.default))
            .maybe_to(text(&new.default)));
    }
    if old.description != new.description {
        say(Change::new(Level::Text, Kind::ParameterDescriptionChanged)
            .from(&old.description)
            .to(&new.description));
    }
}

/// Type, legal values and limits, each on its own: one that differs hides no other.
fn compare_values(old: &Parameter, new: &Parameter, changes: &mut Vec<Change>) {
    let type_text = |parameter: &Parameter| {
        let nullable = if parameter.nullable { ", nullable" } else { "" };
        format!("{}{nullable}", parameter.r#type)
    };
    let type_change = |level, kind| {
        Change::new(level, kind)
            .about(&new.name)
            .from(type_text(old))
            .to(type_text(new))
    };
    let listed = match (&old.r#enum, &new.r#enum) {
        (Some(before), Some(after)) => Some((value_set(before), value_set(after))),
        _ => None,
    };
    let is_list_new = old.r#enum.is_none() && new.r#enum.is_some();
    let is_null_gone = old.nullable && !new.nullable;
    // A type's text names the values too; those are compared as a set.
    let is_other_text = old.r#type != new.r#type
        && (without_values(&old.r#type) != without_values(&new.r#type)
            || old.schema == new.schema && old.r#enum == new.r#enum);
    let is_other_type = is_other_text || is_list_new || is_null_gone;
    if is_other_type {
        changes.push(type_change(Level::Breaking, Kind::ParameterTypeChanged));
    } else if old.nullable != new.nullable || old.r#enum.is_some() != new.r#enum.is_some() {
        changes.push(type_change(Level::Other, Kind::ConstraintsChanged));
    }
    if let Some((before, after)) = &listed {
        let gone = before.difference(after).map(|value| {
            Change::new(Level::Breaking, Kind::EnumValueRemoved)
                .about(&new.name)
                .from(value)
        });
        let come = after.difference(before).map(|value| {
            Change::new(Level::Other, Kind::EnumValueAdded)
                .about(&new.name)
                .to(value)
        });
        changes.extend(gone.chain(come));
    }
    let mut found = schema_changes(&new.name, Use::GIVEN, &old.schema, &new.schema);
    found.retain(|change| match change.kind {
        Kind::ConstraintsChanged => !is_other_type,
        // Said already, of the same list.
        Kind::EnumValueRemoved | Kind::EnumValueAdded => {
            listed.is_none() || change.subject.as_deref() != Some(new.name.as_str())
        }
        _ => true,
    });
    let is_reordered = listed.is_some_and(|(before, after)| before == after)
        && old.r#enum != new.r#enum
        && found.is_empty();
    if is_reordered {
        found.push(Change::new(Level::Text, Kind::TypeDescriptionChanged).about(&new.name));
    }
    changes.extend(found);
}

fn value_set(values: &[Value]) -> BTreeSet<String> {
    values.iter().map(Value::to_string).collect()
}

/// `query per_page`: where a value travels, and under which name.
fn wire_text(parameter: &Parameter) -> String {
    let place = serde_json::to_value(parameter.r#in).unwrap_or_default();
    let place = place.as_str().unwrap_or_default();
    format!("{place} {}", parameter.wire_name)
}

/// How a value is spelt on the wire, in words of the document.
fn encoding_text(parameter: &Parameter) -> String {
    let style = serde_json::to_value(parameter.style).unwrap_or_default();
    let explode = if parameter.explode { ", explode" } else { "" };
    let reserved = if parameter.allow_reserved {
        ", allowReserved"
    } else {
        ""
    };
    let content_type = match &parameter.content_type {
        Some(content_type) => format!("{content_type}, "),
        None => String::new(),
    };
    let style = style.as_str().unwrap_or_default();
    format!("{content_type}{style}{explode}{reserved}")
}
