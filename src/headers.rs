//! Names of header fields: which are valid, and which are never sent, whoever asks for them.

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
    fn tokens_are_ascii_without_separators() {
        for text in ["X-Trace", "a", "~!#$%&'*+.^_`|", &"x".repeat(256)] {
            assert!(is_token(text), "{text}");
        }
        for text in ["", "a b", "a:b", "a\r", "é", "a/b", "(a)", &"x".repeat(257)] {
            assert!(!is_token(text), "{text}");
        }
    }
}
