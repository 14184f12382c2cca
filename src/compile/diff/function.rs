//! What differs between two functions of one operation.

use std::collections::BTreeSet;

use super::types::{Use, schema_changes};
use super::{Change, Kind, Level, body, parameter};
use crate::api::{Function, Pagination, Response, ResponseKind, Security};

/// Everything that differs, names of functions excepted.
pub(super) fn compare(old: &Function, new: &Function) -> Vec<Change> {
    let mut changes = Vec::new();
    // Parts are found by their names, of which a document may have two alike.
    if old == new {
        return changes;
    }
    let mut say = |level, kind, old: Option<String>, new: Option<String>| {
        if old != new {
            changes.push(Change::new(level, kind).maybe_from(old).maybe_to(new));
        }
    };
    say(
        Level::Security,
        Kind::SecurityChanged,
        Some(security_text(&old.security)),
        Some(security_text(&new.security)),
    );
    say(
        Level::Security,
        Kind::FunctionBaseUrlChanged,
        old.base_url.clone(),
        new.base_url.clone(),
    );
    say(
        Level::Breaking,
        Kind::ReturnTypeChanged,
        Some(old.returns.clone()),
        Some(new.returns.clone()),
    );
    say(
        Level::Other,
        Kind::OperationIdChanged,
        old.operation_id.clone(),
        new.operation_id.clone(),
    );
    let deprecation = |deprecated| {
        if deprecated {
            "deprecated"
        } else {
            "not deprecated"
        }
    };
    say(
        Level::Other,
        Kind::DeprecationChanged,
        Some(deprecation(old.deprecated).to_owned()),
        Some(deprecation(new.deprecated).to_owned()),
    );
    say(
        Level::Text,
        Kind::SummaryChanged,
        Some(old.summary.clone()),
        Some(new.summary.clone()),
    );
    say(
        Level::Text,
        Kind::TagsChanged,
        Some(old.tags.join(", ")),
        Some(new.tags.join(", ")),
    );
    parameter::compare(old, new, &mut changes);
    body::compare(old.body.as_ref(), new.body.as_ref(), &mut changes);
    responses(old, new, &mut changes);
    pagination(old, new, &mut changes);
    changes
}

/// `key, or token and tenant`, scopes in brackets; `nothing` where a credential is optional.
fn security_text(security: &Security) -> String {
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
                "nothing".to_owned()
            } else {
                all.join(" and ")
            }
        })
        .collect();
    alternatives.join(", or ")
}

fn responses(old: &Function, new: &Function, changes: &mut Vec<Change>) {
    if response_texts(&old.responses) != response_texts(&new.responses) {
        // What a success becomes in Python is what code was written for.
        let is_breaking = success_kinds(old) != success_kinds(new);
        let level = if is_breaking {
            Level::Breaking
        } else {
            Level::Other
        };
        changes.push(
            Change::new(level, Kind::ResponsesChanged)
                .from(response_texts(&old.responses))
                .to(response_texts(&new.responses)),
        );
    }
    for response in &new.responses {
        let mut earlier = old.responses.iter();
        let Some(earlier) = earlier.find(|earlier| earlier.status == response.status) else {
            continue;
        };
        let subject = format!("answer {}", response.status);
        let found = schema_changes(&subject, Use::READ, &earlier.schema, &response.schema);
        changes.extend(found);
    }
}

/// The kinds of the documented successes that have content, whatever their statuses.
fn success_kinds(function: &Function) -> BTreeSet<String> {
    let successes = crate::api::successes(&function.responses);
    let kinds = successes.iter().map(|response| kind_text(response.kind));
    kinds.filter(|kind| kind != "empty").collect()
}

fn kind_text(kind: ResponseKind) -> String {
    let text = serde_json::to_value(kind).unwrap_or_default();
    text.as_str().unwrap_or_default().to_owned()
}

/// `200 application/json (json), 404 (empty)`.
fn response_texts(responses: &[Response]) -> String {
    let text = |response: &Response| {
        let media_types = response.content_types.join(" ");
        let start = format!("{} {media_types}", response.status);
        format!("{} ({})", start.trim_end(), kind_text(response.kind))
    };
    responses.iter().map(text).collect::<Vec<_>>().join(", ")
}

/// `cursor, parameter=after`; that pages are followed to where answers say is for security.
fn pagination(old: &Function, new: &Function, changes: &mut Vec<Change>) {
    if old.pagination == new.pagination {
        return;
    }
    let text = |pagination: &Pagination| {
        let parts = pagination.texts().into_iter();
        let parts: Vec<String> = parts.map(|(key, text)| format!("{key}={text}")).collect();
        parts.join(", ")
    };
    let is_followed = |function: &Function| {
        let pagination = function.pagination.as_ref();
        pagination.is_some_and(|pagination| pagination.kind.is_followed())
    };
    let level = if is_followed(new) && !is_followed(old) {
        Level::Security
    } else if old.pagination.is_some() && new.pagination.is_none() {
        Level::Breaking
    } else {
        Level::Other
    };
    changes.push(
        Change::new(level, Kind::PaginationChanged)
            .maybe_from(old.pagination.as_ref().map(text))
            .maybe_to(new.pagination.as_ref().map(text)),
    );
}
