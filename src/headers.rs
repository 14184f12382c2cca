//! Names in requests: which headers are valid, which are never sent, whoever asks for them, and which
//! names of any place let a server take another method.

use percent_encoding::percent_decode_str;

/// Headers that belong to the connection, decide where a request goes, or let a server take one
/// request for another. `_` is read as `-`, as some servers do.
const FORBIDDEN: &[&str] = &[
    "-method",
    "connection",
    "content-length",
    "expect",
    "forwarded",
    "host",
    "http2-settings",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "x-forwarded",
    "x-http-method",
    "x-original-host",
    "x-original-url",
    "x-rewrite-url",
];

/// No server takes longer names, and no document means one.
const LONGEST: usize = 256;

/// Whether a header is never sent: `Host`, hop-by-hop and framing headers (RFC 9110, section
/// 7.6.1), forwarding and rewriting ones, and those that override the method.
#[must_use]
pub fn is_forbidden_header(name: &str) -> bool {
    let name = name.trim().to_ascii_lowercase().replace('_', "-");
    FORBIDDEN.contains(&name.as_str())
        || name.starts_with("x-forwarded-")
        || name.ends_with("method-override")
}

/// Whether a text is a token of at most 256 bytes (RFC 9110, section 5.6.2): the name of a header
/// or a cookie, or an authentication scheme.
#[must_use]
pub fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= LONGEST
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// What the encoder of a multipart body writes itself into the headers of a part.
const OF_PARTS: &[&str] = &[
    "content-disposition",
    "content-length",
    "content-transfer-encoding",
    "content-type",
];
/// Bytes of the value of a part's header.
const LONGEST_OF_PARTS: usize = 1_024;

/// Whether a document may give the parts of a multipart body a header of this name.
#[must_use]
pub fn is_part_header(name: &str) -> bool {
    let is_own = |own: &&str| name.eq_ignore_ascii_case(own);
    is_token(name) && !OF_PARTS.iter().any(is_own)
}

/// Whether a header of a part may have this value: visible ASCII, blanks only within it.
#[must_use]
pub fn is_part_header_value(text: &str) -> bool {
    text.len() <= LONGEST_OF_PARTS
        && text.chars().all(|it| matches!(it, ' '..='~'))
        && text.trim() == text
}

/// Whether a header, query parameter or form field is one by which servers take another method
/// than that of the request.
///
/// Names of parts may be percent-decoded by their reader, since browsers encode some of them.
#[must_use]
pub fn is_override(name: &str) -> bool {
    let decoded = percent_decode_str(name).decode_utf8_lossy();
    is_plain_override(name) || is_plain_override(&decoded)
}

fn is_plain_override(name: &str) -> bool {
    let name = normal(name);
    name == "_method" || name == "x_http_method" || name.ends_with("method_override")
}

/// A parameter's name as careless servers see it: without case, cut at `[` and NUL, with blanks, dots and
/// hyphens as underscores, without control characters.
#[must_use]
pub fn normal(name: &str) -> String {
    let name = name.split(['[', '\0']).next().unwrap_or(name);
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
    fn routing_and_framing_headers_are_never_sent() {
        for name in [
            "Host",
            "content-LENGTH",
            "Transfer-Encoding",
            "X-Forwarded-For",
            "X-Forwarded",
            "x_forwarded_host",
            "Forwarded",
            "X-HTTP-Method-Override",
            "X-Method-Override",
            "X_HTTP_METHOD_OVERRIDE",
            "X-HTTP-Method",
            "_method",
            "X-Original-URL",
            "X-Original-Host",
            "X-Rewrite-URL",
            "HTTP2-Settings",
            "Connection",
            "TE",
            "Upgrade",
            " Host ",
        ] {
            assert!(is_forbidden_header(name), "{name}");
        }
        for name in ["Cookie", "Authorization", "Accept", "X-Host", "X-Trace-Id"] {
            assert!(!is_forbidden_header(name), "{name}");
        }
    }

    #[test]
    fn names_that_override_the_method_do_so_however_they_are_spelt() {
        for name in [
            "_method",
            "_METHOD",
            "%5Fmethod",
            "_%6dethod",
            "_method[]",
            "_method\0x",
            "%5fmethod%00",
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
    fn tokens_are_ascii_without_separators() {
        for text in ["X-Trace", "a", "~!#$%&'*+.^_`|", &"x".repeat(256)] {
            assert!(is_token(text), "{text}");
        }
        for text in ["", "a b", "a:b", "a\r", "é", "a/b", "(a)", &"x".repeat(257)] {
            assert!(!is_token(text), "{text}");
        }
    }

    #[test]
    fn headers_of_parts_hold_no_line_and_none_that_the_encoder_writes() {
        for name in ["X-Kind", "x"] {
            assert!(is_part_header(name), "{name}");
        }
        for name in [
            "",
            "X-A\r\nX-B",
            "X A",
            "Content-Type",
            "CONTENT-disposition",
        ] {
            assert!(!is_part_header(name), "{name:?}");
        }
        for value in ["", "a b", "~", &"x".repeat(1_024)] {
            assert!(is_part_header_value(value), "{value}");
        }
        for value in ["a\r\nX: b", "a\0", " a", "a ", "\u{e9}", &"x".repeat(1_025)] {
            assert!(!is_part_header_value(value), "{value:?}");
        }
    }

    #[test]
    fn names_that_a_server_may_take_for_the_same_are_the_same() {
        for name in [
            "api_key",
            "API_KEY",
            "api_key[]",
            "api_key\0x",
            "api.key",
            "api key",
            "api-key\0",
        ] {
            assert_eq!(normal(name), "api_key", "{name}");
        }
    }
}
