//! Names that travel: which headers of an answer are shown, and which names a free-form object
//! may not take. Which headers are never sent, [`crate::headers`] says.

use percent_encoding::percent_decode_str;

/// Response headers that code may see, beside those that begin like [`SHOWN_PREFIXES`].
const SHOWN: [&str; 14] = [
    "content-range",
    "content-type",
    "etag",
    "link",
    "ratelimit",
    "retry-after",
    "x-next-page",
    "x-page",
    "x-per-page",
    "x-prev-page",
    "x-total",
    "x-total-count",
    "x-total-pages",
    "x-count",
];

/// Beginnings of response headers that code may see.
const SHOWN_PREFIXES: [&str; 5] = [
    "ratelimit-",
    "x-page-",
    "x-pagination-",
    "x-rate-limit-",
    "x-ratelimit-",
];

/// How much of a name from outside a message repeats.
const QUOTED: usize = 100;

/// A name from outside, for a message.
pub(super) fn quoted(name: &str) -> String {
    let name: String = name.chars().take(QUOTED).collect();
    name.escape_default().to_string()
}

/// Whether code may see a response header. The name in lower case.
pub(super) fn is_shown_header(name: &str) -> bool {
    SHOWN.contains(&name) || SHOWN_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether a header, query parameter or form field is one by which servers take another method
/// than that of the request.
///
/// Names of parts may be percent-decoded by their reader, since browsers encode some of them.
pub(super) fn is_override(name: &str) -> bool {
    let decoded = percent_decode_str(name).decode_utf8_lossy();
    is_plain_override(name) || is_plain_override(&decoded)
}

fn is_plain_override(name: &str) -> bool {
    let name = normal(name);
    name == "_method" || name == "x_http_method" || name.ends_with("method_override")
}

/// A parameter's name as careless servers see it: without case, cut at `[`, with blanks, dots and
/// hyphens as underscores, without control characters.
pub(super) fn normal(name: &str) -> String {
    let name = name.split('[').next().unwrap_or(name);
    name.trim()
        .chars()
        .filter(|character| !character.is_control())
        .map(|character| match character {
            ' ' | '.' | '-' | '+' => '_',
            other => other.to_ascii_lowercase(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_and_credentials_of_an_answer_are_not_shown() {
        for name in [
            "set-cookie",
            "authorization",
            "www-authenticate",
            "location",
            "server",
        ] {
            assert!(!is_shown_header(name), "{name}");
        }
        assert!(is_shown_header("x-ratelimit-remaining"));
        assert!(is_shown_header("retry-after"));
    }

    /// `mce_runtime.py` is held to the same file: what code may see depends on no place it runs in.
    #[test]
    fn the_headers_shown_are_those_that_the_compiled_client_shows() {
        let listed = include_str!("../../tests/fixtures/shown_headers.json");
        let listed: serde_json::Value = serde_json::from_str(listed).unwrap();
        let mut names = SHOWN.to_vec();
        names.sort_unstable();
        assert_eq!(listed["names"], serde_json::json!(names));
        assert_eq!(listed["prefixes"], serde_json::json!(SHOWN_PREFIXES));
    }

    #[test]
    fn names_that_override_the_method_do_so_however_they_are_spelt() {
        for name in [
            "_method",
            "_METHOD",
            "%5Fmethod",
            "_%6dethod",
            "_method[]",
            "%5fmethod%5B%5D",
            "X-HTTP-Method-Override",
        ] {
            assert!(is_override(name), "{name}");
        }
        for name in ["method", "%255Fmethod", "a%_method"] {
            assert!(!is_override(name), "{name}");
        }
    }

    #[test]
    fn names_that_a_server_may_take_for_the_same_are_the_same() {
        for name in [
            "api_key",
            "API_KEY",
            "api_key[]",
            "api.key",
            "api key",
            "api-key\0",
        ] {
            assert_eq!(normal(name), "api_key", "{name}");
        }
    }
}
