//! Gets the bytes of a document: from a regular file, or over http(s) from an address that is no
//! metadata service.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures::StreamExt;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use url::{Host, Url};

use crate::address::{Reach, is_metadata_name, reach};
use crate::files::{self, Links, ReadError};
use crate::yaml::Limits;

const TIMEOUT: Duration = Duration::from_secs(30);
const MOST_REDIRECTS: usize = 5;
const REFUSED: &str = "link-local, multicast, unspecified and metadata addresses are refused";
const MISSING: &str = "there is no such file";

/// What to load.
#[derive(Debug, Clone)]
pub struct Request {
    /// Path or http(s) URL, variables expanded. It may be secret and is in no message.
    pub source: String,
    /// The text as the config spells it, for messages.
    pub shown: String,
    /// The folder that relative paths are relative to.
    pub folder: PathBuf,
    /// Headers for http(s): name and value. They may be secret.
    pub headers: Vec<(String, String)>,
    /// Further root certificates (PEM).
    pub certificates: Option<Vec<u8>>,
}

/// A document's bytes.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Where they came from, if over http(s): what relative servers are resolved against.
    pub location: Option<Url>,
}

/// Why a document could not be loaded. No message repeats content, expanded variables, user
/// names, passwords or queries.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot load `{shown}`: {reason}")]
pub struct LoadError {
    /// The source as the config spells it.
    pub shown: String,
    /// What is wrong.
    pub reason: String,
}

/// Loads a document.
///
/// # Errors
///
/// Where it cannot be read, is no regular file, is larger than 64 MiB, takes longer than 30 s, or
/// where its address is refused.
pub async fn load(request: &Request) -> Result<Loaded, LoadError> {
    let error = |reason: String| LoadError {
        shown: request.shown.clone(),
        reason,
    };
    let source = request.source.trim();
    if source.is_empty() {
        return Err(error("it is empty".to_owned()));
    }
    certificates(request).map_err(error)?;
    let is_url = source.contains("://") || source.to_ascii_lowercase().starts_with("file:");
    if !is_url {
        let path = request.folder.join(source);
        let bytes = tokio::task::spawn_blocking(move || read_file(&path))
            .await
            .map_err(|_| error("reading it was interrupted".to_owned()))?
            .map_err(|reason| match reason {
                missing if missing == MISSING && Path::new(source).is_relative() => error(format!(
                    "{missing}; the path is relative to the config file"
                )),
                reason => error(reason),
            })?;
        return Ok(Loaded {
            bytes,
            location: None,
        });
    }
    let url = Url::parse(source).map_err(|reason| error(reason.to_string()))?;
    let fetched = tokio::time::timeout(TIMEOUT, fetch(url, request)).await;
    fetched
        .map_err(|_| error(format!("no complete answer within {} s", TIMEOUT.as_secs())))?
        .map_err(error)
}

/// Reads a regular file within the size limit. Devices, pipes and the like are refused before a
/// byte of them is read.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    let refused = "it is no regular file";
    let whole = std::fs::canonicalize(path).map_err(|error| file_reason(&error))?;
    if ["/proc", "/sys", "/dev"]
        .iter()
        .any(|root| whole.starts_with(root))
    {
        return Err(refused.to_owned());
    }
    let limit = u64::try_from(Limits::DOCUMENT.bytes).unwrap_or(u64::MAX);
    files::read_regular(&whole, limit, Links::Followed).map_err(|error| match error {
        ReadError::Io(error) => file_reason(&error),
        ReadError::Folder => "it is a folder; name the document in it".to_owned(),
        ReadError::NotRegular | ReadError::Link => refused.to_owned(),
        ReadError::TooLarge { .. } => too_large(),
    })
}

fn file_reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => MISSING.to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        kind => kind.to_string(),
    }
}

fn too_large() -> String {
    format!("it is larger than {} MiB", Limits::DOCUMENT.bytes >> 20)
}

async fn fetch(url: Url, request: &Request) -> Result<Loaded, String> {
    let mut headers = HeaderMap::new();
    for (name, value) in &request.headers {
        let name = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| "a name in `swagger_headers` is no header name".to_owned())?;
        let mut value = HeaderValue::from_str(value)
            .map_err(|_| format!("the value of `{name}` in `swagger_headers` cannot be sent"))?;
        value.set_sensitive(true);
        headers.append(name, value);
    }
    let mut url = url;
    for _ in 0..=MOST_REDIRECTS {
        let client = client(&url, request).await?;
        let sent = client
            .get(url.clone())
            .headers(headers.clone())
            .send()
            .await;
        let response = sent.map_err(|error| network_reason(&error))?;
        let status = response.status();
        if status.is_redirection() {
            let target = response
                .headers()
                .get(reqwest::header::LOCATION)
                .and_then(|value| value.to_str().ok())
                .and_then(|text| url.join(text).ok())
                .ok_or_else(|| format!("the server answered {status} without a target"))?;
            if target.origin() != url.origin() {
                return Err(format!(
                    "the server redirects to another origin, `{}`; name that one instead",
                    target.origin().ascii_serialization()
                ));
            }
            url = target;
            continue;
        }
        if !status.is_success() {
            return Err(format!("the server answered {status}"));
        }
        let bytes = read_body(response).await?;
        return Ok(Loaded {
            bytes,
            location: Some(url),
        });
    }
    Err(format!("more than {MOST_REDIRECTS} redirects"))
}

async fn read_body(response: reqwest::Response) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| network_reason(&error))?;
        if bytes.len() + chunk.len() > Limits::DOCUMENT.bytes {
            return Err(too_large());
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// A client whose name resolution is pinned to addresses that were looked at.
async fn client(url: &Url, request: &Request) -> Result<reqwest::Client, String> {
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
        Some(Host::Domain(name)) if is_metadata_name(name) => return Err(REFUSED.to_owned()),
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
    for certificate in certificates(request)? {
        builder = builder.add_root_certificate(certificate);
    }
    builder.build().map_err(|error| network_reason(&error))
}

/// The further root certificates; a file without any is a slip that would show only later.
fn certificates(request: &Request) -> Result<Vec<reqwest::Certificate>, String> {
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
        return Err(REFUSED.to_owned());
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

#[cfg(test)]
mod tests {
    use super::*;

    fn request(source: &str) -> Request {
        Request {
            source: source.to_owned(),
            shown: "${DOCUMENT}".to_owned(),
            folder: PathBuf::from("/"),
            headers: Vec::new(),
            certificates: None,
        }
    }

    #[tokio::test]
    async fn a_ca_file_without_certificates_is_refused_for_files_too() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("api.json"), "{}").unwrap();
        let mut request = request("api.json");
        folder.path().clone_into(&mut request.folder);
        assert!(load(&request).await.is_ok());
        for pem in ["", "{}", "-----BEGIN CERTIFICATE-----\nAAAA\n"] {
            request.certificates = Some(pem.into());
            let error = load(&request).await.unwrap_err();
            assert_eq!(error.reason, "`ca_file` holds no PEM certificates");
        }
    }

    #[tokio::test]
    async fn devices_process_files_and_other_schemes_are_refused_at_once() {
        for source in [
            "/dev/zero",
            "/proc/self/environ",
            "-",
            "",
            "file:///etc/passwd",
            "ftp://example.com/a",
            "http://169.254.169.254/latest",
            "http://[::ffff:a9fe:a9fe]/latest",
            "http://2852039166/",
        ] {
            let started = std::time::Instant::now();
            let error = load(&request(source)).await.unwrap_err();
            assert!(
                error.to_string().starts_with("cannot load `${DOCUMENT}`: "),
                "{error}"
            );
            assert!(started.elapsed() < Duration::from_secs(1), "{source}");
        }
    }

    #[tokio::test]
    async fn documents_are_not_fetched_from_metadata_services_in_any_notation() {
        for host in [
            "168.63.129.16",
            "192.0.0.192",
            "100.100.100.200",
            "0.0.0.0",
            "[fd20:ce::254]",
            "[fd00:ec2::254]",
            "[::169.254.169.254]",
            "[64:ff9b:1::a9fe:a9fe]",
            "[2001:0:1:2:3:4:5601:5601]",
            "metadata.google.internal",
        ] {
            let error = load(&request(&format!("http://{host}/x"))).await;
            assert_eq!(error.unwrap_err().reason, REFUSED, "{host}");
        }
    }
}
