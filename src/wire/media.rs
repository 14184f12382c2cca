//! What a media type becomes in Python.

use crate::api::Media;

/// The kinds of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Json,
    Text,
    Bytes,
}

/// `type/subtype` in lower case, without parameters.
pub(super) fn essence(content_type: &str) -> String {
    content_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
}

/// The kind of a media type.
pub(super) fn kind(content_type: &str) -> Kind {
    match Media::of(content_type) {
        Media::Json => Kind::Json,
        Media::Text | Media::Events | Media::Lines => Kind::Text,
        Media::Form | Media::Multipart | Media::Range | Media::Binary => Kind::Bytes,
    }
}

/// Whether a media type names one, and can stand in a header.
pub(super) fn is_concrete(content_type: &str) -> bool {
    is_sendable(content_type) && !content_type.contains('*')
}

/// Whether a text can stand in a header as a media type.
pub(super) fn is_sendable(content_type: &str) -> bool {
    content_type.contains('/')
        && content_type.chars().all(|it| matches!(it, ' '..='~'))
        && !content_type.starts_with(' ')
        && !content_type.ends_with(' ')
}

/// Whether a range covers an [`essence`].
pub(super) fn covers(range: &str, essence: &str) -> bool {
    match super::media::essence(range).as_str() {
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

/// The text of a body: by the charset where that is Latin-1, else as UTF-8; what is not UTF-8
/// becomes U+FFFD.
pub(super) fn text(content_type: &str, body: &[u8]) -> String {
    let is_latin = content_type.split(';').skip(1).any(|parameter| {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let value = value.trim().trim_matches(['"', '\'']).to_ascii_lowercase();
        name.trim().eq_ignore_ascii_case("charset")
            && matches!(
                value.as_str(),
                "iso-8859-1" | "iso8859-1" | "latin-1" | "latin1"
            )
    });
    if is_latin {
        return body.iter().copied().map(char::from).collect();
    }
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    String::from_utf8_lossy(body).into_owned()
}
