//! Documents from the web: one origin, its addresses looked at once and pinned.

use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::StreamExt;
use reqwest::StatusCode;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use url::{Host, Origin, Url};

use super::local::too_large;
use super::{Miss, Request};
use crate::address::{Reach, is_metadata_name, reach};
use crate::openapi::bundle::Found;
use crate::openapi::places::{ADDRESS_REFUSED, Place};

/// The time that one request may take.
const TIMEOUT: Duration = Duration::from_secs(30);
const MOST_REDIRECTS: usize = 5;

/// What is sent to the origin of a document, and to no other.
pub(super) struct Session {
    client: reqwest::Client,
    headers: HeaderMap,
    origin: Origin,
}

impl Session {
    /// Resolves and judges the host of a document's URL. Nothing is sent yet.
    pub(super) async fn open(
        url: &Url,
        request: &Request,
        certificates: Vec<reqwest::Certificate>,
    ) -> Result<Self, String> {
        let client = client(url, certificates).await?;
        let mut headers = HeaderMap::new();
        for (name, value) in &request.headers {
            let name = HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| "a name in `swagger_headers` is no header name".to_owned())?;
            let mut value = HeaderValue::from_str(value).map_err(|_| {
                format!("the value of `{name}` in `swagger_headers` cannot be sent")
            })?;
            value.set_sensitive(true);
            headers.append(name, value);
        }
        Ok(Self {
            client,
            headers,
            origin: url.origin(),
        })
    }

    /// Fetches one document. `left` is what all of them may still hold.
    pub(super) async fn get(&self, url: Url, left: &AtomicUsize) -> Result<Found, Miss> {
        let mut url = url;
        let failed = |reason: String| Err(Miss::Failed(reason));
        for _ in 0..=MOST_REDIRECTS {
            // The client's addresses are pinned for this origin alone, and the headers are meant
            // for no other.
            if url.origin() != self.origin {
                return failed(format!(
                    "the server redirects to another origin, `{}`; name that one instead",
                    url.origin().ascii_serialization()
                ));
            }
            let request = self.client.get(url.clone()).headers(self.headers.clone());
            let sent = request.send().await;
            let response = sent.map_err(|error| Miss::Failed(network_reason(&error)))?;
            let status = response.status();
            if status.is_redirection() {
                let target = response
                    .headers()
                    .get(reqwest::header::LOCATION)
                    .and_then(|value| value.to_str().ok())
                    .and_then(|text| url.join(text).ok());
                let Some(mut target) = target else {
                    return failed(format!("the server answered {status} without a target"));
                };
                target.set_fragment(None);
                url = target;
                continue;
            }
            if !status.is_success() {
                let reason = format!("the server answered {status}");
                return Err(if is_absence(status) {
                    Miss::Absent(reason)
                } else {
                    Miss::Failed(reason)
                });
            }
            let bytes = body(response, left).await.map_err(Miss::Failed)?;
            return Ok(Found {
                place: Place::Web(url),
                bytes,
            });
        }
        failed(format!("more than {MOST_REDIRECTS} redirects"))
    }
}

/// Whether an answer says that there is nothing. Any other may be different in a minute or with a
/// credential that has not expired, and must not cost operations that were there yesterday.
fn is_absence(status: StatusCode) -> bool {
    matches!(status, StatusCode::NOT_FOUND | StatusCode::GONE)
}

async fn body(response: reqwest::Response, left: &AtomicUsize) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| network_reason(&error))?;
        let order = Ordering::Relaxed;
        let taken = left.fetch_update(order, order, |left| left.checked_sub(chunk.len()));
        taken.map_err(|_| too_large())?;
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// A client whose name resolution is pinned to addresses that were looked at.
async fn client(
    url: &Url,
    certificates: Vec<reqwest::Certificate>,
) -> Result<reqwest::Client, String> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!(
            "`{}:` URLs are refused; expected a path or http(s)",
            url.scheme()
        ));
    }
    let port = url.port_or_known_default().unwrap_or(443);
    let mut builder = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("mce/", env!("CARGO_PKG_VERSION")))
        .timeout(TIMEOUT);
    match url.host() {
        None => return Err("the URL names no host".to_owned()),
        Some(Host::Ipv4(address)) => refuse(IpAddr::V4(address))?,
        Some(Host::Ipv6(address)) => refuse(IpAddr::V6(address))?,
        Some(Host::Domain(name)) if is_metadata_name(name) => {
            return Err(ADDRESS_REFUSED.to_owned());
        }
        Some(Host::Domain(name)) => {
            let found: Vec<_> = tokio::net::lookup_host((name, port))
                .await
                .map_err(|_| "the host's name cannot be resolved".to_owned())?
                .collect();
            for address in &found {
                refuse(address.ip())?;
            }
            builder = builder.resolve_to_addrs(name, &found);
        }
    }
    for certificate in certificates {
        builder = builder.add_root_certificate(certificate);
    }
    builder.build().map_err(|error| network_reason(&error))
}

/// The further root certificates; a file without any is a slip that would show only later.
pub(super) fn certificates(request: &Request) -> Result<Vec<reqwest::Certificate>, String> {
    let Some(pem) = &request.certificates else {
        return Ok(Vec::new());
    };
    match reqwest::Certificate::from_pem_bundle(pem) {
        Ok(certificates) if !certificates.is_empty() => Ok(certificates),
        _ => Err("`ca_file` holds no PEM certificates".to_owned()),
    }
}

/// Refuses addresses that never serve documents. Private ones may: documents are often served on
/// the machine or network where they are written.
fn refuse(address: IpAddr) -> Result<(), String> {
    if reach(address) == Reach::Never {
        return Err(ADDRESS_REFUSED.to_owned());
    }
    Ok(())
}

/// What went wrong, without the URL, which may hold a secret.
fn network_reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "the server did not answer in time".to_owned();
    }
    let mut reason = if error.is_connect() {
        "no connection to the server".to_owned()
    } else if error.is_decode() || error.is_body() {
        "the answer broke off or could not be decoded".to_owned()
    } else {
        "the request failed".to_owned()
    };
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        if inner.source().is_none() {
            reason = format!("{reason}: {inner}");
        }
        cause = inner.source();
    }
    reason
}
