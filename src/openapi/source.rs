//! Gets the bytes of a document and of the parts it refers to: from regular files, or over http(s)
//! from addresses that are no metadata service.

mod http;
mod local;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};

use futures::StreamExt;
use serde_json::Value;
use url::Url;

use super::bundle::{Bundle, Found, Parts};
use super::document::{Document, ReadError, parse_tree};
use super::operations;
use super::places::{self, Bounds, Place};
use crate::api::Api;
use crate::yaml::Limits;

pub(crate) use local::read_file;

/// The time that loading a document with all its parts may take.
pub const TIMEOUT: Duration = Duration::from_secs(30);
/// Parts fetched at once.
const CONCURRENT: usize = 8;

/// What to load.
#[derive(Debug, Clone)]
pub struct Request {
    /// Path or http(s) URL, variables expanded. It may be secret and is in no message.
    pub source: String,
    /// The text as the config spells it, for messages.
    pub shown: String,
    /// The folder that relative paths are relative to, and that files may refer into.
    pub folder: PathBuf,
    /// Headers for http(s): name and value. They may be secret.
    pub headers: Vec<(String, String)>,
    /// Further root certificates (PEM).
    pub certificates: Option<Vec<u8>>,
    /// The time that loading all of it may take, such as [`TIMEOUT`].
    pub limit: Duration,
}

/// A document's bytes, and those of the parts it refers to.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Where they came from, if over http(s): what relative servers are resolved against.
    pub location: Option<Url>,
    /// The bytes of every further document that was referred to, by its path relative to this one
    /// or its URL without user name, password and query.
    pub files: BTreeMap<String, Vec<u8>>,
    /// What references name in place of a further document and is not there, and why.
    pub absent: BTreeMap<String, String>,
    /// Whether it refers to nothing outside itself, so that its own bytes are all that matters.
    pub alone: bool,
    /// Whether the same documents may refer to other ones tomorrow: one lies elsewhere than
    /// references say, by a symbolic link or a redirect, or references lead elsewhere once the
    /// document's folder is moved.
    pub detours: bool,
    /// The name of the document's file, if it is one.
    pub file_name: Option<String>,
    /// The document with its parts, read.
    pub document: Parsed,
}

/// A document's own bytes, before anything that it refers to is loaded.
pub struct Fetched {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Where they came from, if over http(s).
    pub location: Option<Url>,
    reader: Reader,
    place: Place,
    bounds: Bounds,
    /// What the parts may still hold.
    left: Arc<AtomicUsize>,
    /// How long loading took so far. What is done between that and the rest takes none of its time.
    spent: Duration,
}

/// A document that was read together with its parts, or why it could not be.
#[derive(Debug, Clone)]
pub struct Parsed(Result<(Value, Parts), ReadError>);

impl Parsed {
    /// Normalises the document into one model. `bytes` and `location` are those of [`Loaded`].
    ///
    /// # Errors
    ///
    /// As [`super::read`].
    pub fn read(self, bytes: &[u8], location: Option<&Url>) -> Result<Api, ReadError> {
        let (root, parts) = self.0?;
        let mut document = Document::of(root, bytes)?;
        document.parts = parts;
        operations::normalise(&document, location)
    }
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

/// Why one document is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Miss {
    /// There is nothing to be found. A part that is referred to costs the operations that need it.
    Absent(String),
    /// It may be there and is not to be had, or was refused.
    Failed(String),
}

impl Miss {
    fn reason(self) -> String {
        match self {
            Self::Absent(reason) | Self::Failed(reason) => reason,
        }
    }
}

/// Loads a document and all that it refers to.
///
/// # Errors
///
/// Where it cannot be read, is no regular file, is larger than 64 MiB with its parts, takes longer
/// than its limit, where its address is refused, or where it holds a reference that is.
pub async fn load(request: &Request) -> Result<Loaded, LoadError> {
    fetch(request).await?.gather(request).await
}

/// Loads a document's own bytes; [`Fetched::gather`] does the rest.
///
/// # Errors
///
/// As [`load`].
pub async fn fetch(request: &Request) -> Result<Fetched, LoadError> {
    in_time(request, request.limit, root(request)).await
}

impl Fetched {
    /// The name of the document's file, if it is one.
    #[must_use]
    pub fn file_name(&self) -> Option<String> {
        file_name(&self.place)
    }

    /// The bytes of the part that [`Loaded::files`] called by `name`, if it is a file to which no
    /// symbolic link leads.
    #[must_use]
    pub fn part(&self, name: &str) -> Option<Vec<u8>> {
        let path = places::path_of(name, &self.place)?;
        local::unmoved(&path, &self.bounds).ok()
    }

    /// Reads the document and loads all that it refers to. `request` is the one it came by.
    ///
    /// # Errors
    ///
    /// As [`load`].
    pub async fn gather(self, request: &Request) -> Result<Loaded, LoadError> {
        let left = request.limit.saturating_sub(self.spent);
        in_time(request, left, gather(self, request)).await
    }
}

async fn in_time<T>(
    request: &Request,
    limit: Duration,
    work: impl Future<Output = Result<T, String>>,
) -> Result<T, LoadError> {
    let error = |reason: String| LoadError {
        shown: request.shown.clone(),
        reason,
    };
    let late = |_| error(format!("it was not all there within {:?}", request.limit));
    let done = tokio::time::timeout(limit, work).await;
    done.map_err(late)?.map_err(error)
}

/// How the parts of a document are had.
enum Reader {
    Files,
    Web(http::Session),
}

async fn root(request: &Request) -> Result<Fetched, String> {
    let begun = Instant::now();
    let source = request.source.trim();
    if source.is_empty() {
        return Err("it is empty".to_owned());
    }
    let certificates = http::certificates(request)?;
    // What the document and its parts may still hold.
    let left = Arc::new(AtomicUsize::new(Limits::DOCUMENT.bytes));
    let is_url = source.contains("://") || source.to_ascii_lowercase().starts_with("file:");
    let (reader, root, bounds, location) = if is_url {
        let url = Url::parse(source).map_err(|reason| reason.to_string())?;
        let session = http::Session::open(&url, request, certificates).await?;
        let root = session.get(url, &left).await.map_err(Miss::reason)?;
        let Place::Web(location) = root.place.clone() else {
            return Err("internal error: it is from no URL".to_owned());
        };
        let bounds = Bounds::Origin(location.clone());
        (Reader::Web(session), root, bounds, Some(location))
    } else {
        let path = request.folder.join(source);
        let (config, budget) = (request.folder.clone(), Arc::clone(&left));
        let read = blocking(move || local::root(&path, &config, &budget)).await?;
        let (root, bounds) = read.map_err(|miss| match miss {
            Miss::Absent(reason) if reason == local::MISSING && Path::new(source).is_relative() => {
                format!("{reason}; the path is relative to the config file")
            }
            miss => miss.reason(),
        })?;
        (Reader::Files, root, bounds, None)
    };
    let Found { place, bytes } = root;
    Ok(Fetched {
        bytes,
        location,
        reader,
        place,
        bounds,
        left,
        spent: begun.elapsed(),
    })
}

async fn gather(fetched: Fetched, request: &Request) -> Result<Loaded, String> {
    let Fetched {
        bytes,
        location,
        reader,
        place,
        bounds,
        left,
        ..
    } = fetched;
    let hides_url = request.shown.contains("${");
    let file_name = file_name(&place);
    let mut files = BTreeMap::new();
    let inner = bounds.clone();
    // Reading trees is work for a processor, not for the event loop.
    let (bytes, begun) = blocking(move || {
        let begun = match parse_tree(&bytes, &Limits::DOCUMENT) {
            Ok(root) => Ok(Bundle::new(root, &place, inner, hides_url)),
            Err(error) => Err(error),
        };
        (bytes, begun)
    })
    .await?;
    let mut alone = true;
    let mut detours = false;
    let document = match begun {
        Err(error) => Parsed(Err(error)),
        Ok(bundle) => {
            let mut bundle = bundle?;
            alone = bundle.stands_alone();
            loop {
                let places = bundle.missing()?;
                if places.is_empty() {
                    break;
                }
                let found = parts(&reader, places, &bounds, &left, &bundle).await?;
                detours |= found.iter().any(|(asked, found)| {
                    let found = found.as_ref();
                    found.is_ok_and(|found| found.place != *asked)
                });
                let (grown, new) = blocking(move || {
                    let new = bundle.add(found);
                    (bundle, new)
                })
                .await?;
                bundle = grown;
                files.extend(new?);
            }
            detours |= bundle.depends_on_folders();
            Parsed(Ok(blocking(move || bundle.finish()).await?))
        }
    };
    let absent = match &document {
        Parsed(Ok((_, parts))) => {
            let unresolved = parts.unresolved.iter();
            let pairs = unresolved.map(|(name, reason)| (name.clone(), reason.clone()));
            pairs.collect()
        }
        Parsed(Err(_)) => BTreeMap::new(),
    };
    Ok(Loaded {
        bytes,
        location,
        files,
        absent,
        alone,
        detours,
        file_name,
        document,
    })
}

fn file_name(place: &Place) -> Option<String> {
    match place {
        Place::File(path) => Some(path.file_name()?.to_string_lossy().into_owned()),
        Place::Web(_) => None,
    }
}

type Looked = (Place, Result<Found, String>);

/// Gets parts at once, in order. One that is not there is told; one that failed is an error.
async fn parts(
    reader: &Reader,
    places: Vec<Place>,
    bounds: &Bounds,
    left: &Arc<AtomicUsize>,
    bundle: &Bundle,
) -> Result<Vec<Looked>, String> {
    let looked: Vec<(Place, Result<Found, Miss>)> = match reader {
        Reader::Files => {
            let (bounds, left) = (bounds.clone(), Arc::clone(left));
            blocking(move || {
                let read = |place: Place| {
                    let found = match &place {
                        Place::File(path) => local::part(path, &bounds, &left),
                        Place::Web(_) => Err(Miss::Absent("it is no file".to_owned())),
                    };
                    (place, found)
                };
                places.into_iter().map(read).collect()
            })
            .await?
        }
        Reader::Web(session) => {
            let fetch = |place: Place| async {
                let found = match &place {
                    Place::Web(url) => session.get(url.clone(), left).await,
                    Place::File(_) => Err(Miss::Failed("it is no URL".to_owned())),
                };
                (place, found)
            };
            let fetches = futures::stream::iter(places).map(fetch);
            fetches.buffered(CONCURRENT).collect().await
        }
    };
    let mut found = Vec::with_capacity(looked.len());
    for (place, outcome) in looked {
        let outcome = match outcome {
            Ok(part) => Ok(part),
            Err(Miss::Absent(reason)) => Err(reason),
            Err(Miss::Failed(reason)) => return Err(bundle.told_of(&place, &reason)),
        };
        found.push((place, outcome));
    }
    Ok(found)
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| "reading it was interrupted".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::places::ADDRESS_REFUSED;

    fn request(source: &str) -> Request {
        Request {
            source: source.to_owned(),
            shown: "${DOCUMENT}".to_owned(),
            folder: PathBuf::from("/"),
            headers: Vec::new(),
            certificates: None,
            limit: TIMEOUT,
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

    /// Notes on the server that were fetched slowly once took the time of the document's parts.
    #[tokio::test]
    async fn what_is_done_between_fetching_and_gathering_takes_no_time_of_either() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("api.json"), "{}").unwrap();
        let mut request = request("api.json");
        folder.path().clone_into(&mut request.folder);
        request.limit = Duration::from_secs(2);
        let fetched = fetch(&request).await.unwrap();
        tokio::time::sleep(request.limit).await;
        assert!(fetched.gather(&request).await.is_ok());
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
            assert_eq!(error.unwrap_err().reason, ADDRESS_REFUSED, "{host}");
        }
    }
}
