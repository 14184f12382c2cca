//! What differs between two request bodies, one media type at a time.

use std::collections::BTreeMap;

use serde_json::Value;

use super::types::{Use, schema_changes, without_values};
use super::{Change, Kind, Level};
use crate::api::{Body, Encoding};

/// A body as one of its media types.
struct Media<'a> {
    content_type: &'a str,
    python_type: &'a str,
    schema: &'a Value,
    encoding: &'a BTreeMap<String, Encoding>,
}

/// All media types of a body, the default one first.
fn media(body: &Body) -> Vec<Media<'_>> {
    let default = Media {
        content_type: &body.content_type,
        python_type: &body.r#type,
        schema: &body.schema,
        encoding: &body.encoding,
    };
    let alternatives = body.alternatives.iter().map(|alternative| Media {
        content_type: &alternative.content_type,
        python_type: &alternative.r#type,
        schema: &alternative.schema,
        encoding: &alternative.encoding,
    });
    std::iter::once(default).chain(alternatives).collect()
}

pub(super) fn compare(old: Option<&Body>, new: Option<&Body>, changes: &mut Vec<Change>) {
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
        (Some(old), Some(new)) => compare_bodies(old, new, changes),
    }
}

fn compare_bodies(old: &Body, new: &Body, changes: &mut Vec<Change>) {
    let mut found = Vec::new();
    if old.name != new.name {
        let change = Change::new(Level::Breaking, Kind::BodyRenamed);
        found.push(change.from(&old.name).to(&new.name));
    }
    match (old.required, new.required) {
        (false, true) => found.push(Change::new(Level::Breaking, Kind::BodyRequired)),
        (true, false) => found.push(Change::new(Level::Other, Kind::BodyOptional)),
        _ => {}
    }
    if old.content_type != new.content_type {
        let change = Change::new(Level::Other, Kind::DefaultMediaTypeChanged);
        found.push(change.from(&old.content_type).to(&new.content_type));
    }
    let (had, has) = (media(old), media(new));
    for media in &had {
        if find(&has, media.content_type).is_none() {
            let change = Change::new(Level::Breaking, Kind::BodyMediaTypeRemoved);
            found.push(change.from(media.content_type));
        }
    }
    for media in &has {
        let Some(earlier) = find(&had, media.content_type) else {
            let change = Change::new(Level::Other, Kind::BodyMediaTypeAdded);
            found.push(change.to(media.content_type));
            continue;
        };
        let subject = if has.len() > 1 {
            format!("{} as {}", new.name, media.content_type)
        } else {
            new.name.clone()
        };
        compare_media(&subject, earlier, media, changes);
    }
    changes.extend(found.into_iter().map(|change| change.about(&new.name)));
}

fn find<'a>(all: &'a [Media<'a>], content_type: &str) -> Option<&'a Media<'a>> {
    all.iter().find(|media| media.content_type == content_type)
}

fn compare_media(subject: &str, old: &Media<'_>, new: &Media<'_>, changes: &mut Vec<Change>) {
    let is_other_type = without_values(old.python_type) != without_values(new.python_type)
        || old.python_type != new.python_type && old.schema == new.schema;
    if is_other_type {
        changes.push(
            Change::new(Level::Breaking, Kind::BodyTypeChanged)
                .about(subject)
                .from(old.python_type)
                .to(new.python_type),
        );
    }
    changes.extend(
        schema_changes(subject, Use::GIVEN, old.schema, new.schema)
            .into_iter()
            .filter(|change| !is_other_type || change.kind != Kind::ConstraintsChanged),
    );
    let names = old.encoding.keys().chain(new.encoding.keys());
    for name in names {
        let (before, after) = (old.encoding.get(name), new.encoding.get(name));
        if before != after {
            // Of a name that both have it is said twice, and kept once.
            changes.push(
                Change::new(Level::Other, Kind::EncodingChanged)
                    .about(&format!("{subject}.{name}"))
                    .from(encoding_text(before))
                    .to(encoding_text(after)),
            );
        }
    }
}

/// As the manifest has it.
fn encoding_text(encoding: Option<&Encoding>) -> String {
    encoding.map_or_else(
        || "by default".to_owned(),
        |encoding| serde_json::to_string(encoding).unwrap_or_default(),
    )
}
