//! Where documents lie, and which places a reference may lead to.
//!
//! References of a file stay in its own folder or the config's; those of a document from the web
//! stay on its origin. What else a reference may say is either refused, which is an error for the
//! whole document, or cannot be resolved, which costs the operations that need it.

use std::borrow::Cow;
use std::net::IpAddr;
use std::path::{Component, Path, PathBuf};

use percent_encoding::percent_decode_str;
use url::{Host, Url};

use crate::address::{Reach, is_metadata_name, reach};

pub(super) const ADDRESS_REFUSED: &str =
    "link-local, multicast, unspecified and metadata addresses are refused";
pub(super) const OUTSIDE: &str = "it leads out of the folders of the document and of the config";
const OTHER_ORIGIN: &str = "it leads to another origin than the document's";

/// Where a document lies.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Place {
    /// An absolute path without `.` and `..`.
    File(PathBuf),
    /// An http(s) URL without a fragment.
    Web(Url),
}

/// Why a reference leads to no document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    /// It is not permitted: an error for the whole document.
    Refused(String),
    /// There is nothing to be found: the operations that need it are left out.
    Unresolved(String),
}

fn refused<T>(reason: &str) -> Result<T, Failure> {
    Err(Failure::Refused(reason.to_owned()))
}

/// Which places the references of one document and of its parts may lead to.
#[derive(Debug, Clone)]
pub(super) enum Bounds {
    /// The root is a file: what lies in one of these folders, symbolic links followed.
    Folders(Vec<PathBuf>),
    /// The root is from the web: what lies on the origin of this URL.
    Origin(Url),
}

impl Bounds {
    /// Those of a file in `own`, named by a config in `config`; both without symbolic links.
    pub(super) fn of_file(own: PathBuf, config: Option<PathBuf>) -> Self {
        let folders = std::iter::once(own).chain(config);
        // What lies at the root of the file system must not open all of it.
        Self::Folders(folders.filter(|folder| folder.parent().is_some()).collect())
    }

    /// Whether a path, symbolic links followed, may be read.
    pub(super) fn permit(&self, path: &Path) -> bool {
        match self {
            // What is hidden is no document: `.env` and `.git` lie beside the config.
            Self::Folders(folders) => folders.iter().any(|folder| {
                let below = path.strip_prefix(folder);
                below.is_ok_and(|below| !below.components().any(|part| is_hidden(&part)))
            }),
            Self::Origin(_) => false,
        }
    }

    /// The place that the part of a reference before `#` means in a document at `base`.
    pub(super) fn locate(&self, base: &Place, target: &str) -> Result<Place, Failure> {
        let decoded = percent_decode_str(target).decode_utf8_lossy();
        if target.chars().any(char::is_control) || decoded.chars().any(char::is_control) {
            return refused("it holds a control character");
        }
        match (scheme(target), base) {
            (Some("http" | "https"), Place::File(_)) => no_web(target),
            (Some("http" | "https") | None, Place::Web(base)) => self.on_the_web(base, target),
            (Some(scheme), _) => refused(&format!(
                "`{scheme}:` is refused; expected a relative path{}",
                match base {
                    Place::File(_) => "",
                    Place::Web(_) => " or http(s)",
                }
            )),
            (None, Place::File(base)) => self.beside(base, target),
        }
    }

    fn on_the_web(&self, base: &Url, target: &str) -> Result<Place, Failure> {
        let Self::Origin(root) = self else {
            return refused(OTHER_ORIGIN);
        };
        let Ok(mut url) = base.join(target) else {
            return Err(Failure::Unresolved("it is no URL".to_owned()));
        };
        if is_never_reached(&url) {
            return refused(ADDRESS_REFUSED);
        }
        if url.origin() != root.origin() {
            return refused(OTHER_ORIGIN);
        }
        url.set_fragment(None);
        // Who the user is, the config says and no document.
        let set =
            url.set_username(root.username()).is_ok() && url.set_password(root.password()).is_ok();
        if set {
            Ok(Place::Web(url))
        } else {
            Err(Failure::Unresolved("it is no URL".to_owned()))
        }
    }

    fn beside(&self, base: &Path, target: &str) -> Result<Place, Failure> {
        if target.starts_with("//") || target.starts_with('\\') {
            return refused("names of machines are refused; expected a relative path");
        }
        let Some(path) = path_in(target) else {
            return Err(Failure::Unresolved("its path is not UTF-8".to_owned()));
        };
        if path.contains('\\') {
            let reason = "`\\` separates no folders; expected `/`";
            return Err(Failure::Unresolved(reason.to_owned()));
        }
        let folder = base.parent().unwrap_or(base);
        let path = plain(&folder.join(path.as_ref()));
        // Before anything is looked at: whether it exists is nobody's business either.
        if self.permit(&path) {
            Ok(Place::File(path))
        } else {
            refused(OUTSIDE)
        }
    }
}

fn is_hidden(part: &Component<'_>) -> bool {
    part.as_os_str().as_encoded_bytes().starts_with(b".")
}

/// The path of a file that a reference names. A query says nothing of a file.
fn path_in(target: &str) -> Option<Cow<'_, str>> {
    let path = target.split('?').next().unwrap_or_default();
    percent_decode_str(path).decode_utf8().ok()
}

/// Whether it depends on the folders above the root document where a reference in the document at
/// `base` leads, which is `place`: an absolute path, or one that leaves a folder and comes back to
/// it by its name, means another file once the folder is moved.
pub(super) fn depends_on_folders(root: &Place, base: &Place, target: &str, place: &Place) -> bool {
    let (Place::File(root), Place::File(base), Place::File(place)) = (root, base, place) else {
        return false;
    };
    let folder = |path: &Path| path.parent().map(PathBuf::from).unwrap_or_default();
    let root = folder(root);
    let from = relative(&folder(base), &root);
    let Some(path) = path_in(target) else {
        return true;
    };
    let mut way: Vec<&str> = Vec::new();
    for name in from.split('/').chain(path.split('/')) {
        match (name, way.last()) {
            ("" | ".", _) => {}
            ("..", Some(last)) if *last != ".." => {
                way.pop();
            }
            _ => way.push(name),
        }
    }
    path.starts_with('/') || way.join("/") != relative(place, &root)
}

/// A URL in a document that is a file: nothing is ever fetched on its word.
fn no_web(target: &str) -> Result<Place, Failure> {
    match Url::parse(target) {
        Ok(url) if is_never_reached(&url) => refused(ADDRESS_REFUSED),
        _ => Err(Failure::Unresolved(
            "nothing is fetched for a document that is a file".to_owned(),
        )),
    }
}

fn is_never_reached(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => reach(IpAddr::V4(address)) == Reach::Never,
        Some(Host::Ipv6(address)) => reach(IpAddr::V6(address)) == Reach::Never,
        Some(Host::Domain(name)) => is_metadata_name(name),
        None => false,
    }
}

/// The scheme of a URI reference (RFC 3986, section 3.1); letters in any case stand for themselves.
fn scheme(target: &str) -> Option<&str> {
    let (scheme, _) = target.split_once(':')?;
    let mut characters = scheme.chars();
    let is_scheme = characters.next().is_some_and(|c| c.is_ascii_alphabetic())
        && characters.all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    is_scheme.then_some(match scheme {
        _ if scheme.eq_ignore_ascii_case("http") => "http",
        _ if scheme.eq_ignore_ascii_case("https") => "https",
        other => other,
    })
}

/// A path without `.` and `..`, by its text alone, as in a URL.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// What a place is called in messages and in the manifest: relative to the root document, or a URL
/// without user name, password and query. Never an absolute path.
pub(super) fn name(place: &Place, root: &Place, hides_url: bool) -> String {
    let name = match (place, root) {
        (Place::File(path), Place::File(root)) => {
            relative(path, root.parent().unwrap_or(Path::new("")))
        }
        (Place::File(path), Place::Web(_)) => path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default(),
        (Place::Web(url), root) => {
            let mut url = url.clone();
            url.set_query(None);
            let relative = match root {
                Place::Web(root) if hides_url => root.make_relative(&url),
                _ => None,
            };
            relative.unwrap_or_else(|| without_user(&mut url))
        }
    };
    // The fragment begins at the first `#` of a reference.
    name.replace('#', "%23")
}

/// The path of the file that [`name`] calls so, if it can be told from the name: two may be called
/// alike where one has a `#` in its name, or where long names lost their beginning.
pub(super) fn path_of(name: &str, root: &Place) -> Option<PathBuf> {
    let Place::File(of_root) = root else {
        return None;
    };
    if name.contains("%23") || name.starts_with('…') {
        return None;
    }
    let path = plain(&of_root.parent()?.join(name));
    let place = Place::File(path);
    let is_same = self::name(&place, root, false) == name;
    match place {
        Place::File(path) if is_same => Some(path),
        _ => None,
    }
}

fn without_user(url: &mut Url) -> String {
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.to_string()
}

fn relative(path: &Path, folder: &Path) -> String {
    let mut to = path.components().peekable();
    let mut from = folder.components().peekable();
    while to.peek().is_some() && to.peek() == from.peek() {
        to.next();
        from.next();
    }
    let up = from.map(|_| "..".to_owned());
    let down = to.map(|component| component.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> (Bounds, Place) {
        let bounds = Bounds::of_file("/specs/api".into(), Some("/specs".into()));
        (bounds, Place::File("/specs/api/parts/root.yaml".into()))
    }

    fn located(target: &str) -> Result<String, Failure> {
        let (bounds, base) = files();
        bounds.locate(&base, target).map(|place| match place {
            Place::File(path) => path.to_string_lossy().into_owned(),
            Place::Web(url) => url.to_string(),
        })
    }

    #[test]
    fn relative_paths_are_decoded_and_stay_in_the_folders() {
        for (target, path) in [
            ("a%20b.yaml", "/specs/api/parts/a b.yaml"),
            ("./x/../y.yaml", "/specs/api/parts/y.yaml"),
            ("../../shared/e.yaml?v=1", "/specs/shared/e.yaml"),
            ("/specs/whole.yaml", "/specs/whole.yaml"),
            ("a:b.yaml/../x.yaml", ""),
        ] {
            match located(target) {
                Ok(found) => assert_eq!(found, path),
                Err(_) => assert_eq!(path, "", "{target}"),
            }
        }
        for target in [
            "../../../etc/passwd",
            "%2e%2e/%2e%2e/%2e%2e/etc/passwd",
            "/etc/passwd",
            "/specs/../etc/passwd",
            "file:///specs/x.yaml",
            "FILE:x",
            "C:\\x.yaml",
            "data:application/json,{}",
            "//host/x.yaml",
            "\\\\host\\x",
            "x%00.yaml",
            "x\u{0}.yaml",
            "http://169.254.169.254/latest",
            "http://[::ffff:a9fe:a9fe]/latest",
            "http://metadata.google.internal/",
        ] {
            assert!(
                matches!(located(target), Err(Failure::Refused(_))),
                "{target}"
            );
        }
        for target in ["https://h.example/x.yaml", "parts\\x.yaml", "%ff"] {
            assert!(
                matches!(located(target), Err(Failure::Unresolved(_))),
                "{target}"
            );
        }
    }

    #[test]
    fn references_that_another_folder_would_lead_elsewhere_are_told() {
        let (bounds, base) = files();
        let root = Place::File("/specs/api/api.yaml".into());
        let depends = |base: &Place, target: &str| {
            let place = bounds.locate(base, target).unwrap();
            depends_on_folders(&root, base, target, &place)
        };
        for target in [
            "x.yaml",
            "./a/../x.yaml",
            "../x.yaml",
            "../../common/x.yaml?v",
            "a%20b",
        ] {
            assert!(!depends(&base, target), "{target}");
        }
        for target in [
            "/specs/x.yaml",
            "../../api/x.yaml",
            "../../../specs/x.yaml",
            "%2fspecs/x",
        ] {
            assert!(depends(&base, target), "{target}");
        }
        let common = Place::File("/specs/common/x.yaml".into());
        assert!(!depends(&common, "../common/y.yaml"));
        assert!(depends(&common, "../api/y.yaml"));
    }

    #[test]
    fn a_config_at_the_root_of_the_file_system_opens_nothing() {
        let bounds = Bounds::of_file("/specs".into(), Some("/".into()));
        assert!(!bounds.permit(Path::new("/etc/x.yaml")));
        assert!(bounds.permit(Path::new("/specs/x.yaml")));
        assert!(!bounds.permit(Path::new("/specs2/x.yaml")));
        for hidden in [".env", ".git/config", "a/.ssh/id", ".aws/a/b.yaml"] {
            assert!(
                !bounds.permit(&Path::new("/specs").join(hidden)),
                "{hidden}"
            );
        }
        let hidden = Bounds::of_file("/home/.work/specs".into(), None);
        assert!(hidden.permit(Path::new("/home/.work/specs/x.yaml")));
    }

    #[test]
    fn a_document_at_the_root_of_the_file_system_opens_nothing() {
        let bounds = Bounds::of_file("/".into(), Some("/etc/mce".into()));
        let base = Place::File("/openapi.yaml".into());
        let refused = Err(Failure::Refused(OUTSIDE.to_owned()));
        assert_eq!(bounds.locate(&base, "etc/shadow"), refused);
        assert_eq!(bounds.locate(&base, "part.yaml"), refused);
        assert!(!bounds.permit(Path::new("/etc/shadow")));
        assert!(bounds.permit(Path::new("/etc/mce/part.yaml")));
    }

    #[test]
    fn references_of_a_remote_document_stay_on_its_origin_with_its_user() {
        let root = Url::parse("https://u:p@h.example/v1/api.yaml?key=1").unwrap();
        let bounds = Bounds::Origin(root.clone());
        let base = Place::Web(root);
        let locate = |target: &str| bounds.locate(&base, target);
        let at = |text: &str| Ok(Place::Web(Url::parse(text).unwrap()));
        assert_eq!(
            locate("x.yaml?v=2"),
            at("https://u:p@h.example/v1/x.yaml?v=2")
        );
        assert_eq!(
            locate("HTTPS://a:b@H.example:443/x"),
            at("https://u:p@h.example/x")
        );
        assert_eq!(locate("//h.example/x"), at("https://u:p@h.example/x"));
        for target in [
            "http://h.example/x",
            "https://h.example:8443/x",
            "https://other.example/x",
            "//other.example/x",
            "\\\\other.example\\x",
            "https://h.example@other.example/x",
            "file:///etc/passwd",
            "http://169.254.169.254/x",
        ] {
            assert!(
                matches!(locate(target), Err(Failure::Refused(_))),
                "{target}"
            );
        }
    }

    #[test]
    fn names_are_relative_or_urls_without_secrets() {
        let (_, base) = files();
        let named = |path: &str| name(&Place::File(path.into()), &base, false);
        assert_eq!(named("/specs/api/parts/x.yaml"), "x.yaml");
        assert_eq!(named("/specs/shared/a#b.yaml"), "../../shared/a%23b.yaml");
        let root = Place::Web(Url::parse("https://u:p@h.example/v1/api.yaml").unwrap());
        let part = Place::Web(Url::parse("https://u:p@h.example/v1/p/x.yaml?k=1").unwrap());
        assert_eq!(name(&part, &root, false), "https://h.example/v1/p/x.yaml");
        assert_eq!(name(&part, &root, true), "p/x.yaml");
    }
}
