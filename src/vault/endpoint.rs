//! Exchanges with token and log-in endpoints: encrypted unless on this machine, never off their
//! origin, and bounded.

use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, COOKIE, HeaderMap,
    HeaderValue, LOCATION, USER_AGENT,
};
use reqwest::{Client, Method, Response, StatusCode};
use secrecy::{ExposeSecret as _, SecretString};
use url::{Host, Url};
use zeroize::Zeroizing;

use crate::address::{Reach, is_localhost, reach};
use crate::config::check_endpoint_url;
use crate::connect::{Failure, Permission, retry_after};

/// Bytes of an answer.
const LARGEST: usize = 1 << 20;

/// Bytes of a token. Servers take headers of eight to sixteen KiB.
const LONGEST_TOKEN: usize = 16 << 10;

/// A token as a header can hold it.
pub(super) fn checked_token(token: &str) -> Result<(), Problem> {
    let what = if token.len() > LONGEST_TOKEN {
        "its token is longer than any header"
    } else if token.is_empty() || !token.bytes().all(|byte| (0x21..0x7f).contains(&byte)) {
        "its token is empty or holds characters that no header holds"
    } else {
        return Ok(());
    };
    Err(Problem {
        is_final: true,
        ..what.into()
    })
}

/// An endpoint that may be asked.
#[derive(Debug, Clone)]
pub(super) struct Endpoint {
    pub(super) url: Url,
    pub(super) permission: Permission,
    /// Whether the host is an address that is not of the internet.
    pub(super) is_private_literal: bool,
}

impl Endpoint {
    /// The endpoint at a URL that the user wrote, or what is wrong with it. An address that is not of
    /// the internet is permitted where it is written; a name that leads to one, where `allow_private`.
    pub(super) fn new(text: &str, allow_private: bool) -> Result<Self, String> {
        let url = check_endpoint_url(text).map_err(|error| error.to_string())?;
        let (address, is_loopback) = match url.host() {
            Some(Host::Ipv4(address)) => (Some(address.into()), address.is_loopback()),
            Some(Host::Ipv6(address)) => (Some(address.into()), address.is_loopback()),
            Some(Host::Domain(name)) => (None, is_localhost(name)),
            None => return Err("names no host".to_owned()),
        };
        if url.scheme() != "https" && !is_loopback {
            return Err("is not encrypted: it has to begin with `https://`".to_owned());
        }
        let private = address.is_some_and(|address| reach(address) == Reach::Private);
        let permission = Permission {
            private: private || allow_private,
            // What a name leads to is seen when it is connected to.
            only_loopback: url.scheme() != "https",
        };
        if let Some(address) = address {
            permission
                .check(url.host_str().unwrap_or_default(), address)
                .map_err(|error| format!("is refused: {error}"))?;
        }
        Ok(Self {
            url,
            permission,
            is_private_literal: private,
        })
    }

    pub(super) fn host(&self) -> Option<Host<&str>> {
        self.url.host()
    }

    /// The URL without user information and query, which may be secret.
    pub(super) fn shown(&self) -> String {
        let mut url = self.url.clone();
        url.set_query(None);
        url.set_fragment(None);
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url.to_string()
    }
}

/// Why an endpoint gave no credential.
pub(super) struct Problem {
    pub(super) what: String,
    /// What the endpoint says of it. It may repeat what it was sent, so no log has it.
    pub(super) said: Option<String>,
    /// Whether it does not know the client, or not by the way in which that proved who it is.
    pub(super) is_unknown_client: bool,
    /// Whether it will say the same of the same request for a while.
    pub(super) is_final: bool,
    /// Whether the address is one that is not connected to.
    pub(super) is_refused_address: bool,
    /// When to come back, where the endpoint says so.
    pub(super) retry_after: Option<Duration>,
}

impl Problem {
    /// The same of an answer, with what that says beside its body.
    pub(super) fn of_answer(mut self, status: StatusCode, headers: &HeaderMap) -> Self {
        self.is_unknown_client |= status == StatusCode::UNAUTHORIZED;
        self.is_final |= matches!(status.as_u16(), 400 | 401 | 403 | 422);
        self.is_final |= status == StatusCode::TOO_MANY_REQUESTS;
        if matches!(status.as_u16(), 429 | 503) {
            self.retry_after = retry_after(headers);
        }
        self
    }
}

impl From<&reqwest::Error> for Problem {
    fn from(error: &reqwest::Error) -> Self {
        let failure = Failure::of(error);
        Self {
            is_refused_address: matches!(failure, Failure::Refused(_)),
            ..failure.to_string().into()
        }
    }
}

impl From<String> for Problem {
    fn from(what: String) -> Self {
        Self {
            what,
            said: None,
            is_unknown_client: false,
            is_final: false,
            is_refused_address: false,
            retry_after: None,
        }
    }
}

impl From<&str> for Problem {
    fn from(what: &str) -> Self {
        what.to_owned().into()
    }
}

/// What is sent.
pub(super) struct Sent {
    pub(super) content_type: &'static str,
    pub(super) body: Zeroizing<Vec<u8>>,
    pub(super) authorization: Option<SecretString>,
}

impl Sent {
    /// Sends it to a URL of the endpoint's origin.
    pub(super) async fn post(&self, client: &Client, url: &Url) -> Result<Response, Problem> {
        let body = Bytes::from_owner(self.body.clone());
        let mut request = client
            .request(Method::POST, url.clone())
            .headers(common())
            .header(CONTENT_TYPE, self.content_type)
            .body(body);
        if let Some(value) = &self.authorization {
            let mut value = HeaderValue::from_str(value.expose_secret())
                .map_err(|_| "the client's credential cannot be sent")?;
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        request.send().await.map_err(|error| Problem::from(&error))
    }
}

/// Asks for a page of the endpoint's origin with these cookies.
pub(super) async fn get(client: &Client, url: &Url, cookies: &str) -> Result<Response, Problem> {
    let mut request = client.request(Method::GET, url.clone()).headers(common());
    if !cookies.is_empty() {
        let mut value =
            HeaderValue::from_str(cookies).map_err(|_| "it set a cookie that cannot be sent")?;
        value.set_sensitive(true);
        request = request.header(COOKIE, value);
    }
    request.send().await.map_err(|error| Problem::from(&error))
}

fn common() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(USER_AGENT, HeaderValue::from_static(USER_AGENT_VALUE));
    headers.insert(
        ACCEPT,
        HeaderValue::from_static("application/json, */*;q=0.1"),
    );
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    headers
}

const USER_AGENT_VALUE: &str = concat!("mce/", env!("CARGO_PKG_VERSION"));

/// Where an answer redirects to: within the endpoint's origin, or `Err` with the words for elsewhere.
pub(super) fn redirect(
    endpoint: &Url,
    from: &Url,
    answer: &Response,
) -> Option<Result<Url, String>> {
    if !matches!(answer.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = answer.headers().get(LOCATION)?;
    let next = location.to_str().ok().and_then(|text| from.join(text).ok());
    Some(match next {
        Some(mut next) if next.origin() == endpoint.origin() && next.password().is_none() => {
            let _ = next.set_username("");
            next.set_fragment(None);
            Ok(next)
        }
        Some(_) => Err("it redirects to another origin, which is not followed".to_owned()),
        None => Err("it redirects to something that is no URL".to_owned()),
    })
}

/// The body of an answer.
pub(super) async fn read(mut answer: Response) -> Result<Zeroizing<Vec<u8>>, Problem> {
    let coding = answer.headers().get(CONTENT_ENCODING);
    if coding.is_some_and(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return Err("its answer is compressed, which was not asked for".into());
    }
    let mut body = Zeroizing::new(Vec::with_capacity(16 << 10));
    while let Some(chunk) = answer
        .chunk()
        .await
        .map_err(|error| Problem::from(&error))?
    {
        if body.len() + chunk.len() > LARGEST {
            return Err(format!("its answer is larger than {LARGEST} bytes").into());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// What an answer that is not the expected JSON is instead. Of its text nothing is repeated, which may be
/// what it was sent.
pub(super) fn not_json(status: StatusCode, headers: &HeaderMap) -> String {
    let content_type = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let content_type = content_type.unwrap_or_default().to_ascii_lowercase();
    let known = [
        "text/html",
        "text/plain",
        "application/json",
        "application/xml",
        "text/xml",
    ];
    let known = known
        .into_iter()
        .find(|known| content_type.starts_with(known));
    match known {
        Some(known) => format!(
            "it answered {} with `{known}` that is no JSON object",
            status.as_u16()
        ),
        None => format!("it answered {} without a JSON object", status.as_u16()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        Endpoint::new(text, false).map_or_else(|error| error, |_| "none".to_owned())
    }

    #[test]
    fn endpoints_are_encrypted_unless_on_this_machine() {
        for text in [
            "https://id.example/token",
            "http://127.0.0.1:9/token",
            "http://[::1]/token",
            "http://localhost:9/token",
            "https://10.0.0.1/token",
        ] {
            assert_eq!(problem(text), "none", "{text}");
        }
        for text in [
            "http://id.example/token",
            "http://10.0.0.1/token",
            "http://localhost.evil.example/",
            "http://127.0.0.1.evil.example/",
        ] {
            assert_eq!(
                problem(text),
                "is not encrypted: it has to begin with `https://`",
                "{text}"
            );
        }
    }

    #[test]
    fn a_metadata_address_is_no_endpoint() {
        for text in [
            "https://169.254.169.254/token",
            "https://2852039166/token",
            "https://[::ffff:169.254.169.254]/token",
            "https://metadata.google.internal/token",
        ] {
            assert!(
                problem(text).contains("metadata"),
                "{text}: {}",
                problem(text)
            );
        }
    }

    #[test]
    fn what_may_be_secret_in_a_url_is_not_shown() {
        let endpoint = Endpoint::new("https://id.example/token?key=canary", false).unwrap();
        assert_eq!(endpoint.shown(), "https://id.example/token");
    }
}
