//! What a media type becomes in Python.

use crate::api::{Media, MediaType};

pub(super) use crate::api::essence;

/// The kinds of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Json,
    Text,
    Bytes,
}

/// The kind of a media type.
pub(super) fn kind(content_type: &str) -> Kind {
    match Media::of(content_type) {
        Media::Json => Kind::Json,
        Media::Text | Media::Events | Media::Lines => Kind::Text,
        Media::Form | Media::Multipart | Media::Range | Media::Binary => Kind::Bytes,
    }
}

/// Whether a text is one media type and no range, and so can stand in a header.
pub(super) fn is_concrete(content_type: &str) -> bool {
    MediaType::parse(content_type).is_some_and(|it| it.is_concrete())
}

/// Whether a range covers an [`essence`].
pub(super) fn covers(range: &str, essence: &str) -> bool {
    match self::essence(range).as_str() {
        "*/*" | "*" => true,
        "application/*+json" => essence.starts_with("application/") && essence.ends_with("+json"),
        range => range
            .strip_suffix('*')
            .is_some_and(|start| start.ends_with('/') && essence.starts_with(start)),
    }
}

/// Whether an [`essence`] says nothing about the content.
pub(super) fn is_generic(essence: &str) -> bool {
    matches!(
        essence,
        "" | "application/octet-stream" | "binary/octet-stream"
    )
}
