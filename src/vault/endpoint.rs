//! Exchanges with token and log-in endpoints: encrypted unless on this machine, never off their
//! origin, and bounded.

use bytes::Bytes;
use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, COOKIE, HeaderMap, HeaderValue, LOCATION, USER_AGENT,
};
use reqwest::{Client, Method, Response, StatusCode};
use secrecy::{ExposeSecret as _, SecretString};
use url::{Host, Url};
use zeroize::Zeroizing;

use crate::address::{Reach, reach};
use crate::config::check_endpoint_url;
use crate::connect::{Failure, Permission};

/// Bytes of an answer.
const LARGEST: usize = 1 << 20;

/// An endpoint that may be asked.
#[derive(Debug, Clone)]
pub(super) struct Endpoint {
    pub(super) url: Url,
    pub(super) permission: Permission,
}

impl Endpoint {
    /// The endpoint at a URL that the user wrote, or what is wrong with it. An address that is not of
    /// the internet is permitted where it is written; a name that leads to one, where `allow_private`.
    pub(super) fn new(text: &str, allow_private: bool) -> Result<Self, String> {
        let url = check_endpoint_url(text).map_err(|error| error.to_string())?;
        let (address, is_loopback) = match url.host() {
            Some(Host::Ipv4(address)) => (Some(address.into()), address.is_loopback()),
            Some(Host::Ipv6(address)) => (Some(address.into()), address.is_loopback()),
            Some(Host::Domain(name)) => {
                let name = name.trim_end_matches('.');
                (None, name == "localhost" || name.ends_with(".localhost"))
            }
            None => return Err("names no host".to_owned()),
        };
        if url.scheme() != "https" && !is_loopback {
            return Err("is not encrypted: it has to begin with `https://`".to_owned());
        }
        let private = address.is_some_and(|address| reach(address) == Reach::Private);
        let permission = Permission {
            private: private || allow_private,
        };
        if let Some(address) = address {
            permission
                .check(url.host_str().unwrap_or_default(), address)
                .map_err(|error| format!("is refused: {error}"))?;
        }
        Ok(Self { url, permission })
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
    /// Whether it knows the client, or its way to prove who it is, as a wrong one.
    pub(super) is_refusal: bool,
}

impl From<String> for Problem {
    fn from(what: String) -> Self {
        Self {
            what,
            said: None,
            is_refusal: false,
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
    pub(super) async fn post(&self, client: &Client, url: &Url) -> Result<Response, String> {
        let body = Bytes::from_owner(self.body.clone());
        let mut request = client
            .request(Method::POST, url.clone())
            .headers(common())
            .header(CONTENT_TYPE, self.content_type)
            .body(body);
        if let Some(value) = &self.authorization {
            let mut value = HeaderValue::from_str(value.expose_secret())
                .map_err(|_| "the client's credential cannot be sent".to_owned())?;
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        request.send().await.map_err(|error| worded(&error))
    }
}

/// Asks for a page of the endpoint's origin with these cookies.
pub(super) async fn get(client: &Client, url: &Url, cookies: &str) -> Result<Response, String> {
    let mut request = client.request(Method::GET, url.clone()).headers(common());
    if !cookies.is_empty() {
        let mut value = HeaderValue::from_str(cookies)
            .map_err(|_| "it set a cookie that cannot be sent".to_owned())?;
        value.set_sensitive(true);
        request = request.header(COOKIE, value);
    }
    request.send().await.map_err(|error| worded(&error))
}

fn common() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(USER_AGENT, HeaderValue::from_static(USER_AGENT_VALUE));
    headers.insert(
        ACCEPT,
        HeaderValue::from_static("application/json, */*;q=0.1"),
    );
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
pub(super) async fn read(mut answer: Response) -> Result<Zeroizing<Vec<u8>>, String> {
    let mut body = Zeroizing::new(Vec::with_capacity(16 << 10));
    while let Some(chunk) = answer.chunk().await.map_err(|error| worded(&error))? {
        if body.len() + chunk.len() > LARGEST {
            return Err(format!("its answer is larger than {LARGEST} bytes"));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// What an answer that is not the expected JSON is instead.
pub(super) fn not_json(status: StatusCode, headers: &HeaderMap) -> String {
    let content_type = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .map(|value| value.split(';').next().unwrap_or_default().trim());
    match content_type {
        Some(content_type) if !content_type.is_empty() => format!(
            "it answered {} with `{}` that is no JSON object",
            status.as_u16(),
            cleaned(content_type)
        ),
        _ => format!("it answered {} without a JSON object", status.as_u16()),
    }
}

/// A text of the endpoint for a message: short, on one line.
pub(super) fn cleaned(text: &str) -> String {
    text.chars()
        .take(200)
        .map(|character| {
            if character.is_control() {
                ' '
            } else {
                character
            }
        })
        .collect::<String>()
        .escape_default()
        .to_string()
        .replace("\\'", "'")
        .replace("\\\"", "\"")
}

fn worded(error: &reqwest::Error) -> String {
    Failure::of(error).to_string()
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
