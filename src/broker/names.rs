//! Names that travel: which headers of an answer are shown, and which names a free-form object
//! may not take. Which headers are never sent, [`crate::headers`] says.

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
}
