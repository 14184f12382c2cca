//! `$self` of OpenAPI 3.2 (section 4.1.2.2.1): the URI that a document gives itself.
//!
//! It says what the document is called, not where anything is to be had. References that spell it
//! stay within the document; it is the base of relative references and servers only on the origin
//! that the document came from, or, for servers, where it came from a file. That of the root document
//! counts, and of no part.

use serde_json::{Map, Value};
use url::{ParseError, Url};

use super::places::Place;
use super::version;

/// The URI of a document, absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OwnUri(Url);

impl OwnUri {
    /// That of a document which lies at a place; `None` where it gives itself none.
    pub(super) fn at(root: &Map<String, Value>, place: &Place) -> Option<Self> {
        match place {
            Place::Web(url) => Self::of(root, Some(url)),
            Place::File(path) => Self::of(root, Url::from_file_path(path).ok().as_ref()),
        }
    }

    /// That of a document which came from this URL; `None` where it gives itself none.
    pub(super) fn of(root: &Map<String, Value>, location: Option<&Url>) -> Option<Self> {
        let text = root.get("$self")?.as_str()?;
        let (dialect, _) = version::of(root).ok()?;
        if !dialect.has_own_uri() {
            return None;
        }
        let mut url = match (Url::parse(text), location) {
            (Ok(url), _) => url,
            (Err(ParseError::RelativeUrlWithoutBase), Some(location)) => {
                location.join(text).ok()?
            }
            _ => return None,
        };
        url.set_fragment(None);
        // Who the user is, the config says and no document.
        let is_bare = url.set_username("").is_ok() && url.set_password(None).is_ok();
        (is_bare || url.host().is_none()).then_some(Self(url))
    }

    /// Whether the part of a reference before `#` spells it. `is_within`: the reference stands in
    /// the document itself.
    pub(super) fn is_spelt(&self, target: &str, is_within: bool) -> bool {
        match Url::parse(target) {
            // Such a reference is refused, whatever it leads to.
            Ok(url) => url.scheme() != "file" && url == self.0,
            Err(ParseError::RelativeUrlWithoutBase) if is_within => {
                self.0.join(target).is_ok_and(|url| url == self.0)
            }
            Err(_) => false,
        }
    }

    /// The place that it names, from a document at `location`: references that lead there lead into
    /// the document. `None` on another origin.
    pub(super) fn place(&self, location: &Place) -> Option<Place> {
        match location {
            Place::Web(url) => self.base_at(url).map(Place::Web),
            Place::File(_) => {
                let path = Some(&self.0).filter(|own| own.scheme() == "file")?;
                path.to_file_path().ok().map(Place::File)
            }
        }
    }

    /// The base of what is relative in a document from the web; `None` on another origin.
    pub(super) fn base_at(&self, location: &Url) -> Option<Url> {
        let mut base = self.0.clone();
        let is_here = base.origin() == location.origin();
        let has_user = base.set_username(location.username()).is_ok()
            && base.set_password(location.password()).is_ok();
        (is_here && has_user).then_some(base)
    }

    /// The base of relative servers in a document from a file.
    pub(super) fn base_of_file(&self) -> Option<&Url> {
        matches!(self.0.scheme(), "http" | "https").then_some(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn own(text: &str, location: Option<&str>) -> Option<OwnUri> {
        let root = json!({"openapi": "3.2.0", "$self": text});
        let location = location.map(|it| Url::parse(it).unwrap());
        OwnUri::of(root.as_object().unwrap(), location.as_ref())
    }

    #[test]
    fn it_is_absolute_and_names_no_user() {
        let expected = own("https://a.example/api/openapi.yaml", None).unwrap();
        let from = Some("https://a.example/x/y.yaml?key=1");
        assert_eq!(
            own("https://u:p@a.example/api/openapi.yaml#/x", None),
            Some(expected.clone())
        );
        assert_eq!(own("/api/openapi.yaml", from), Some(expected));
        for (text, location) in [("/api/openapi.yaml", None), ("http://", from)] {
            assert_eq!(own(text, location), None, "{text}");
        }
        let earlier = json!({"openapi": "3.1.0", "$self": "https://a.example/"});
        assert_eq!(OwnUri::of(earlier.as_object().unwrap(), None), None);
    }

    #[test]
    fn it_is_a_base_on_the_origin_of_the_document_only() {
        let location = Url::parse("https://u:p@a.example/x/y.yaml").unwrap();
        let own = |text| own(text, Some(location.as_str())).unwrap();
        let base = own("/api/openapi.yaml").base_at(&location);
        assert_eq!(
            base.unwrap().as_str(),
            "https://u:p@a.example/api/openapi.yaml"
        );
        for text in [
            "https://b.example/",
            "http://a.example/",
            "https://a.example:8443/",
            "urn:a:b",
        ] {
            let other = super::tests::own(text, Some(location.as_str()));
            assert!(
                other.is_none_or(|it| it.base_at(&location).is_none()),
                "{text}"
            );
        }
    }

    #[test]
    fn it_is_spelt_absolutely_or_relative_to_itself() {
        let own = own("https://a.example/api/openapi.yaml", None).unwrap();
        assert!(own.is_spelt("https://a.example/api/openapi.yaml", false));
        assert!(own.is_spelt("https://A.example:443/api/x/../openapi.yaml", false));
        assert!(own.is_spelt("openapi.yaml", true));
        assert!(!own.is_spelt("openapi.yaml", false));
        assert!(!own.is_spelt("https://a.example/api/openapi.yaml?x", true));
        assert!(!own.is_spelt("other.yaml", true));
        let name = super::tests::own("urn:example:api", None).unwrap();
        assert!(name.is_spelt("urn:example:api", false));
        assert!(!name.is_spelt("openapi.yaml", true));
    }
}
