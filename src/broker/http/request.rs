//! A plain request as it came out of the sandbox, judged and turned into one that can be sent.

use bytes::Bytes;
use reqwest::Method;
use reqwest::header::{ACCEPT_ENCODING, HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use url::Url;

use super::super::limits::Limits;
use super::super::names::quoted;
use super::origin_of;
use crate::headers::{is_forbidden_header, is_token};
use crate::sandbox::{CallError, HttpFailure, HttpRequest};
use crate::wire;

/// The codings that are undone, see `super::super::body`.
const CODINGS: &str = "gzip,deflate,br";

/// More headers than any server takes.
const MOST_HEADERS: usize = 500;
/// Bytes of a URL; those of the host are repeated in messages and records.
const LONGEST_URL: usize = 60_000;
const LONGEST_HOST: usize = 255;
/// The longest name of a method.
const LONGEST_METHOD: usize = 32;
/// Methods that make a tunnel of the connection, or give back what was sent.
const NEVER: [&str; 3] = ["CONNECT", "TRACE", "TRACK"];

/// A request in which nothing speaks against sending it, wherever that is.
#[derive(Debug)]
pub(in crate::broker) struct Judged {
    pub(in crate::broker) method: Method,
    pub(in crate::broker) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Judged {
    /// The request in messages.
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.method, origin_of(&self.url))
    }
}

/// Judges a request by itself.
pub(super) fn judged(request: HttpRequest, limits: &Limits) -> Result<Judged, CallError> {
    let HttpRequest {
        method,
        url,
        headers,
        body,
        ..
    } = request;
    let head: usize = headers
        .iter()
        .map(|(name, value)| name.len() + value.len())
        .sum();
    let limit = limits.max_request_bytes;
    if url.len().saturating_add(head).saturating_add(body.len()) > limit {
        return Err(CallError::Limit {
            message: format!("the request is larger than {limit} bytes (`MCE_MAX_REQUEST_BYTES`)"),
        });
    }
    if headers.len() > MOST_HEADERS {
        return Err(CallError::Limit {
            message: format!("the request has more than {MOST_HEADERS} headers"),
        });
    }
    let method = method_of(&method)?;
    let url = url_of(&url)?;
    let headers = headers_of(headers, &url, body.len())?;
    Ok(Judged {
        method,
        url,
        headers,
        body,
    })
}

fn method_of(text: &str) -> Result<Method, CallError> {
    let is_never = NEVER.iter().any(|never| text.eq_ignore_ascii_case(never));
    if is_never {
        return Err(CallError::Egress {
            message: format!("the method `{}` is never sent", quoted(text)),
        });
    }
    let method = Some(text).filter(|text| text.len() <= LONGEST_METHOD && is_token(text));
    method
        .and_then(|text| Method::from_bytes(text.as_bytes()).ok())
        .ok_or_else(|| {
            HttpFailure::LocalProtocol.because(format!("`{}` is no method", quoted(text)))
        })
}

/// The URL. What two readers may read differently (blanks, backslashes, characters that are not of
/// ASCII) is in none that `httpx` writes.
pub(super) fn url_of(text: &str) -> Result<Url, CallError> {
    let invalid =
        |what: &str| HttpFailure::LocalProtocol.because(format!("the URL of the request {what}"));
    if text.len() > LONGEST_URL {
        return Err(invalid(&format!("is longer than {LONGEST_URL} bytes")));
    }
    if !text
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b'\\')
    {
        return Err(invalid("holds characters that belong percent-encoded"));
    }
    let scheme = text.split(':').next().unwrap_or_default();
    if !["http", "https"]
        .iter()
        .any(|it| scheme.eq_ignore_ascii_case(it))
    {
        return Err(HttpFailure::UnsupportedProtocol.because(format!(
            "the URL begins with `{}:`; only `http://` and `https://` are sent",
            quoted(scheme)
        )));
    }
    let mut url = Url::parse(text).map_err(|error| invalid(&format!("is none: {error}")))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(invalid("holds a user; give it as `auth`"));
    }
    let starts = text.get(scheme.len()..).unwrap_or_default();
    if !url.has_host() || !starts.starts_with("://") || starts.starts_with(":///") {
        return Err(invalid("names no host"));
    }
    if url.host_str().is_some_and(|host| host.len() > LONGEST_HOST) {
        return Err(invalid("names a host that is longer than any"));
    }
    url.set_fragment(None);
    Ok(url)
}

/// The headers that are sent: what `httpx` says of the connection is dropped, the host's own words
/// stand in its place.
fn headers_of(
    given: Vec<(String, String)>,
    url: &Url,
    body: usize,
) -> Result<HeaderMap, CallError> {
    let mut headers = HeaderMap::with_capacity(given.len());
    for (name, value) in given {
        if !is_token(&name) {
            return Err(HttpFailure::LocalProtocol
                .because(format!("`{}` is no name of a header", quoted(&name))));
        }
        let lower = name.to_ascii_lowercase();
        if is_own(&lower, &value, url, body) {
            continue;
        }
        if is_forbidden_header(&lower) {
            return Err(CallError::Egress {
                message: format!("the header `{name}: {}` is never sent", quoted(&value)),
            });
        }
        let name = HeaderName::from_bytes(lower.as_bytes());
        let value = latin(&value).and_then(|value| HeaderValue::from_bytes(&value).ok());
        let (Ok(known), Some(value)) = (name, value) else {
            return Err(HttpFailure::LocalProtocol.because(format!(
                "the value of the header `{lower}` holds a character that none may hold"
            )));
        };
        headers.append(known, value);
    }
    headers.insert(USER_AGENT, HeaderValue::from_static(wire::USER_AGENT));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(CODINGS));
    Ok(headers)
}

/// Whether a header says what the host says itself.
fn is_own(name: &str, value: &str, url: &Url, body: usize) -> bool {
    match name {
        "accept-encoding" | "user-agent" => true,
        "host" => is_host_of(value, url),
        "connection" => ["keep-alive", "close"]
            .iter()
            .any(|it| value.eq_ignore_ascii_case(it)),
        "content-length" => value == body.to_string(),
        "transfer-encoding" => value.eq_ignore_ascii_case("chunked"),
        _ => false,
    }
}

/// Whether a `Host` is that of the URL, its usual port spelt out or not.
fn is_host_of(value: &str, url: &Url) -> bool {
    let Ok(named) = Url::parse(&format!("{}://{value}", url.scheme())) else {
        return false;
    };
    let is_bare = named.path() == "/"
        && named.query().is_none()
        && named.fragment().is_none()
        && named.username().is_empty()
        && named.password().is_none();
    is_bare && !value.contains(['/', '\\', '@', '?', '#']) && named.origin() == url.origin()
}

/// The bytes that the characters stand for.
fn latin(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|it| u8::try_from(it).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(url: &str, headers: &[(&str, &str)]) -> HttpRequest {
        let pairs = headers.iter();
        HttpRequest {
            method: "POST".into(),
            url: url.into(),
            headers: pairs
                .map(|(name, value)| ((*name).into(), (*value).into()))
                .collect(),
            body: Bytes::from_static(b"12345"),
            ..HttpRequest::default()
        }
    }

    fn judge(url: &str, headers: &[(&str, &str)]) -> Result<Judged, CallError> {
        judged(request(url, headers), &Limits::default())
    }

    #[test]
    fn what_httpx_says_of_the_connection_is_dropped() {
        let sent = judge(
            "https://API.example:443/x?q=1#part",
            &[
                ("Host", "api.example"),
                ("Accept", "*/*"),
                ("Accept-Encoding", "gzip, zstd"),
                ("Connection", "keep-alive"),
                ("User-Agent", "python-httpx/0.28.1"),
                ("Content-Length", "5"),
                ("Transfer-Encoding", "chunked"),
                ("Authorization", "Bearer of-the-code"),
                ("X-A", "1"),
                ("x-a", "\u{e9}"),
            ],
        )
        .unwrap();
        assert_eq!(sent.url.as_str(), "https://api.example/x?q=1");
        let headers: Vec<_> = sent
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_bytes()))
            .collect();
        assert_eq!(
            headers,
            [
                ("accept", b"*/*".as_slice()),
                ("authorization", b"Bearer of-the-code"),
                ("x-a", b"1"),
                ("x-a", b"\xe9"),
                ("user-agent", wire::USER_AGENT.as_bytes()),
                ("accept-encoding", CODINGS.as_bytes()),
            ]
        );
    }

    #[test]
    fn what_would_lead_elsewhere_or_hide_the_method_is_refused() {
        for (name, value) in [
            ("Host", "other.example"),
            ("host", "api.example:8443"),
            ("Host", "api.example@evil.example"),
            ("Host", "evil.example#api.example"),
            ("Host", "api.example/"),
            ("Host", ""),
            ("Connection", "upgrade"),
            ("Connection", "close, x-secret"),
            ("Content-Length", "6"),
            ("Content-Length", "+5"),
            ("Transfer-Encoding", "gzip, chunked"),
            ("X-Forwarded-For", "127.0.0.1"),
            ("x_forwarded_host", "evil.example"),
            ("Forwarded", "for=127.0.0.1"),
            ("X-Original-URL", "/admin"),
            ("X-HTTP-Method-Override", "DELETE"),
            ("Proxy-Authorization", "Basic eDp5"),
            ("TE", "trailers"),
            ("Upgrade", "h2c"),
            ("Expect", "100-continue"),
        ] {
            let error = judge("https://api.example/", &[(name, value)]).unwrap_err();
            assert_eq!(error.kind(), "egress", "{name}: {value}: {error}");
        }
        for value in ["api.example", "API.example:443"] {
            assert!(
                judge("https://api.example/", &[("Host", value)]).is_ok(),
                "{value}"
            );
        }
    }

    fn failure(error: &CallError) -> Option<HttpFailure> {
        match error {
            CallError::Http { failure, .. } => Some(*failure),
            _ => None,
        }
    }

    #[test]
    fn what_is_no_request_is_a_local_error() {
        for url in [
            "https://allowed.example\\@evil.example/",
            "https://allowed.example@evil.example/",
            "https://user:password@api.example/",
            "https://api.example/a b",
            "https://api.example/\r\nX: y",
            "https://bücher.example/",
            "https://api.example:99999/",
            "https:api.example/",
            "https:///api.example/",
            "https://",
            "https://exa%00mple/",
        ] {
            let error = judge(url, &[]).unwrap_err();
            assert_eq!(
                failure(&error),
                Some(HttpFailure::LocalProtocol),
                "{url}: {error}"
            );
        }
        for url in [
            "ftp://api.example/",
            "file:///etc/passwd",
            "//api.example/",
            "",
        ] {
            let error = judge(url, &[]).unwrap_err();
            let expected = Some(HttpFailure::UnsupportedProtocol);
            assert_eq!(failure(&error), expected, "{url}: {error}");
        }
        for (name, value) in [
            ("X-A", "a\r\nHost: evil.example"),
            ("X-A", "a\nb"),
            ("X-A", "a\0"),
            ("X-A", "\u{100}"),
            ("X A", "b"),
            ("X-A\r\nX-B", "b"),
            ("", "b"),
        ] {
            let error = judge("https://api.example/", &[(name, value)]).unwrap_err();
            let expected = Some(HttpFailure::LocalProtocol);
            assert_eq!(failure(&error), expected, "{name:?}: {value:?}");
        }
    }

    /// The host stands in messages and in records, of which there is one a request.
    #[test]
    fn a_url_and_a_host_of_any_length_are_not_repeated() {
        for url in [
            format!("https://{}.example/", "a".repeat(300)),
            format!("https://{}/", "a.".repeat(20_000)),
            format!("https://a.example/{}", "a".repeat(60_000)),
        ] {
            let error = judge(&url, &[]).unwrap_err();
            assert_eq!(failure(&error), Some(HttpFailure::LocalProtocol));
            assert!(error.to_string().len() < 200, "{error}");
        }
    }

    #[test]
    fn tunnels_and_echoes_are_never_asked_for() {
        for (method, kind) in [
            ("CONNECT", "egress"),
            ("connect", "egress"),
            ("TRACE", "egress"),
            ("GET /x HTTP/1.1\r\nX:", "network"),
            ("", "network"),
        ] {
            let mut request = request("https://api.example/", &[]);
            request.method = method.into();
            let error = judged(request, &Limits::default()).unwrap_err();
            assert_eq!(error.kind(), kind, "{method:?}");
        }
    }

    #[test]
    fn a_request_is_bounded_whole() {
        let limits = Limits {
            max_request_bytes: 100,
            ..Limits::default()
        };
        let mut large = request("https://api.example/", &[("x-a", "1")]);
        large.body = Bytes::from(vec![0; 76]);
        assert!(judged(large.clone(), &limits).is_ok());
        large.body = Bytes::from(vec![0; 77]);
        assert_eq!(judged(large, &limits).unwrap_err().kind(), "limit");
        let many = vec![("x-a", "1"); 501];
        assert_eq!(
            judge("https://api.example/", &many).unwrap_err().kind(),
            "limit"
        );
    }
}
