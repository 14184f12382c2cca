//! Which operation a path reaches. The broker sends a path only where every reasonable reading
//! of it (decoded once, decoded again, encoded slashes taken for slashes, full-width characters for
//! those of ASCII, `;…` cut off) leads to the operation that was called, among **all** operations of
//! the document: those that were compiled and those that were left out.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use percent_encoding::percent_decode_str;

use super::base::Base;
use super::templates::{Case, Item, Template, trimmed};
use crate::api::Manifest;

/// How often a path is decoded when looking for what a careless proxy would make of it.
const DECODINGS: usize = 3;

/// Why a path is not sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum PathError {
    /// A `.` or `..`, which servers and proxies resolve.
    #[error("a path argument may not be, or hold between slashes, `.` or `..`")]
    Dots,
    /// A control character.
    #[error("a path argument may not hold control characters")]
    Control,
    /// Text that is not UTF-8 once decoded.
    #[error("a path argument must be UTF-8")]
    Encoding,
    /// A path that does not fit the operation's own template.
    #[error("the path does not match `{template}`; path arguments must not be empty")]
    Template {
        /// The template.
        template: String,
    },
    /// A path that (also) reaches another operation.
    #[error("these path arguments would reach `{other}` rather than `{template}`")]
    Other {
        /// The template of the other operation.
        other: String,
        /// The template of the operation called.
        template: String,
    },
}

/// The path templates of all operations of one document.
#[derive(Debug)]
pub(super) struct Routes {
    /// By number of segments, so that a call looks at few.
    templates: BTreeMap<usize, Vec<Template>>,
}

impl Routes {
    /// Of every operation in the manifest, whatever its method. Where operations have base URLs of
    /// their own, the path of that goes before each template, and has to before what is checked.
    pub(super) fn new(manifest: &Manifest, base: Option<&Base>) -> Self {
        let functions = manifest.functions.iter();
        let functions = functions.map(|it| (&it.base_url, &it.path));
        let skipped = manifest.skipped.iter();
        let skipped = skipped.map(|it| (&it.base_url, &it.path));
        let paths = functions.chain(skipped).map(|(own, path)| {
            let prefix = base.map(|base| base.route_prefix_of(own.as_deref()));
            format!("{}{path}", prefix.unwrap_or_default())
        });
        let paths: Vec<String> = paths.collect();
        Self::of(paths.iter().map(String::as_str))
    }

    fn of<'path>(paths: impl Iterator<Item = &'path str>) -> Self {
        let mut templates: BTreeMap<usize, Vec<Template>> = BTreeMap::new();
        for path in paths.collect::<BTreeSet<_>>() {
            let template = Template::new(path);
            let count = trimmed(&template.segments).len();
            templates.entry(count).or_default().push(template);
        }
        Self { templates }
    }

    /// Whether an encoded path, below the base URL, with these encoded query items, reaches the
    /// operation with this template and no other one.
    pub(super) fn check(
        &self,
        path: &str,
        query: &[String],
        called: &str,
    ) -> Result<(), PathError> {
        let called = Template::new(called);
        let query: Vec<Item> = query.iter().map(|item| Item::new(item)).collect();
        let segments = decoded(path)?;
        if segments
            .iter()
            .any(|segment| segment.chars().any(char::is_control))
        {
            return Err(PathError::Control);
        }
        let segments: Vec<&str> = segments.iter().map(AsRef::as_ref).collect();
        if !called.matches(&segments, Case::Exact) {
            return Err(PathError::Template {
                template: called.text,
            });
        }
        self.only(&segments, &query, &called, Reading::Plain)?;

        let mut text = Cow::Borrowed(path);
        for _ in 0..DECODINGS {
            // That it is UTF-8 when decoded once was seen above. Decoded again, an argument such as
            // `100%AB` need not be, and whoever decodes it so reads the replacement character;
            // unless it is an ASCII character in too many bytes, which a few take for that one.
            let bytes: Vec<u8> = percent_decode_str(&text).collect();
            if is_overlong(&bytes) {
                return Err(PathError::Encoding);
            }
            let once = String::from_utf8_lossy(&bytes).into_owned();
            for text in [Some(once.clone()), folded(&once)].into_iter().flatten() {
                if text.split(['/', '\\']).any(is_dots) {
                    return Err(PathError::Dots);
                }
                for reading in readings(&text) {
                    if trimmed(&reading) != trimmed(&segments) {
                        self.only(&reading, &query, &called, Reading::Careless)?;
                    }
                }
            }
            if once == text {
                break;
            }
            text = Cow::Owned(once);
        }
        Ok(())
    }

    /// Whether no other template claims these segments.
    fn only(
        &self,
        segments: &[&str],
        query: &[Item],
        called: &Template,
        reading: Reading,
    ) -> Result<(), PathError> {
        let candidates = self.templates.get(&trimmed(segments).len());
        for other in candidates.into_iter().flatten() {
            let claims =
                other.matches(trimmed(segments), Case::Ignored) && other.is_asked_by(query);
            if !claims {
                continue;
            }
            let is_less_concrete =
                called.is_same(other) || (reading == Reading::Plain && called.is_within(other));
            if !is_less_concrete || !other.is_asked_by(&called.fixed) {
                return Err(PathError::Other {
                    other: other.text.clone(),
                    template: called.text.clone(),
                });
            }
        }
        Ok(())
    }
}

/// How a path was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// As RFC 3986 has it: split, then decoded once. A more general template may match as well,
    /// since the most concrete one is served.
    Plain,
    /// As a careless server might: nothing but the called operation may match.
    Careless,
}

/// Whether a character that needs fewer bytes is spelt in two, three or four of them.
fn is_overlong(bytes: &[u8]) -> bool {
    bytes.windows(2).any(|pair| {
        matches!(
            pair,
            [0xC0 | 0xC1, 0x80..=0xBF] | [0xE0, 0x80..=0x9F] | [0xF0, 0x80..=0x8F]
        )
    })
}

/// The segments of an encoded path after its leading slash, each decoded once.
fn decoded(path: &str) -> Result<Vec<Cow<'_, str>>, PathError> {
    path.split('/')
        .map(|segment| {
            percent_decode_str(segment)
                .decode_utf8()
                .map_err(|_| PathError::Encoding)
        })
        .collect()
}

/// What careless servers may make of a decoded path: encoded slashes are slashes, backslashes too or
/// not, the path ends at `?` or `#`, what [`bare`] cuts off is, and empty segments are dropped.
fn readings(path: &str) -> Vec<Vec<&str>> {
    let until_query = path.split(['?', '#']).next().unwrap_or(path);
    let mut readings = Vec::new();
    let mut splits = Vec::new();
    for path in [path, until_query] {
        splits.push(path.split(['/', '\\']).collect::<Vec<&str>>());
        if path.contains('\\') {
            splits.push(path.split('/').collect());
        }
    }
    for pieces in splits {
        let cut: Vec<&str> = pieces.iter().map(|piece| bare(piece)).collect();
        for pieces in [pieces, cut] {
            let mut merged = vec![""];
            merged.extend(pieces.iter().filter(|piece| !piece.is_empty()));
            readings.extend([pieces, merged]);
        }
    }
    readings
}

/// The text with what compatibility forms and "best fit" tables make ASCII of: full-width
/// characters, and the dots and slashes that look like those of ASCII. None where there are none.
fn folded(text: &str) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let mut folded = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\u{2024}' | '\u{fe52}' => folded.push('.'),
            '\u{2025}' => folded.push_str(".."),
            '\u{2044}' | '\u{2215}' => folded.push('/'),
            '\u{2216}' | '\u{29f5}' | '\u{fe68}' => folded.push('\\'),
            // Full-width forms of `!` to `~` stand in the same order.
            '\u{ff01}'..='\u{ff5e}' => {
                folded.extend(char::from_u32(u32::from(character) - 0xff01 + 0x21));
            }
            other => folded.push(other),
        }
    }
    (folded != text).then_some(folded)
}

/// `.` or `..`, also between blanks, and before a `;`, which some servers cut off only after
/// looking for dots.
fn is_dots(segment: &str) -> bool {
    let before = segment.split(';').next().unwrap_or_default();
    matches!(before.trim(), "." | "..")
}

/// A segment without `;…`, and without the dots and blanks at its end that Windows drops. One that
/// is nothing else (style `matrix`) is kept.
fn bare(segment: &str) -> &str {
    let before = segment.split(';').next().unwrap_or_default();
    match before.trim_end_matches(['.', ' ']) {
        "" => segment,
        bare => bare,
    }
}

#[cfg(test)]
mod tests {
    use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
    use proptest::prelude::*;

    use super::*;

    const PATHS: [&str; 12] = [
        "/users",
        "/users/{id}",
        "/users/export",
        "/users/{id}/admin",
        "/users/{id}/posts/{post}",
        "/users/me/posts/{post}",
        "/files/{path}",
        "/reports/{name}.json",
        "/reports/{name}",
        "/reports/daily-{day}.json",
        "/jobs/{id}:cancel",
        "/jobs/{id}",
    ];

    fn routes() -> Routes {
        Routes::of(PATHS.into_iter())
    }

    #[track_caller]
    fn refused(path: &str, called: &str, other: &str) {
        assert_eq!(
            routes().check(path, &[], called),
            Err(PathError::Other {
                other: other.into(),
                template: called.into()
            }),
            "{path}"
        );
    }

    #[test]
    fn an_argument_may_not_be_a_siblings_literal() {
        assert_eq!(routes().check("/users/7", &[], "/users/{id}"), Ok(()));
        assert_eq!(
            routes().check("/users/export", &[], "/users/export"),
            Ok(())
        );
        for path in [
            "/users/export",
            "/users/%65xport",
            "/users/EXPORT",
            "/users/export%3Bx",
            "/users/export.",
            "/users/export%20",
            "/users/export%3Fx",
            "/users/export%23",
            "/users/%2565xport",
            "/users/%2Fexport",
            "/users/export%2F",
            "/users/%EF%BD%85xport",
            "/users/export%EF%BC%8F",
        ] {
            refused(path, "/users/{id}", "/users/export");
        }
        refused(
            "/users/me/posts/1",
            "/users/{id}/posts/{post}",
            "/users/me/posts/{post}",
        );
    }

    #[test]
    fn encoded_slashes_may_not_lead_to_another_operation() {
        refused("/users/1%2Fadmin", "/users/{id}", "/users/{id}/admin");
        refused("/users/1%2fadmin", "/users/{id}", "/users/{id}/admin");
        // The backslash is a value here, which a split at backslashes too would lose.
        refused("/users/%5C%2Fadmin", "/users/{id}", "/users/{id}/admin");
        refused("/users/1%5Cadmin", "/users/{id}", "/users/{id}/admin");
        refused("/users/1%252Fadmin", "/users/{id}", "/users/{id}/admin");
        refused("/users/1%2Fadmin%3Fx", "/users/{id}", "/users/{id}/admin");
        refused("/users/1%2F%2Fadmin%2F", "/users/{id}", "/users/{id}/admin");
    }

    /// The error said that `n="100%AB"` is not UTF-8, which it is.
    #[test]
    fn a_per_cent_sign_in_an_argument_need_not_begin_an_escape() {
        let check = |path: &str| routes().check(path, &[], "/users/{id}");
        assert_eq!(check("/users/100%25AB"), Ok(()));
        assert_eq!(check("/users/%25"), Ok(()));
        assert_eq!(check("/users/100%2525FF%25"), Ok(()));
        assert_eq!(check("/users/100%AB"), Err(PathError::Encoding));
        // A full stop in two, three and four bytes.
        for dot in ["%25C0%25AE", "%25E0%2580%25AE", "%25F0%2580%2580%25AE"] {
            let path = format!("/users/{dot}{dot}");
            assert_eq!(check(&path), Err(PathError::Encoding), "{path}");
        }
    }

    #[test]
    fn a_path_with_slashes_that_reaches_nothing_else_is_sent() {
        assert_eq!(
            routes().check("/files/src%2Fmain.rs", &[], "/files/{path}"),
            Ok(())
        );
    }

    #[test]
    fn dots_are_refused_in_every_disguise() {
        for path in [
            "/files/..",
            "/files/.",
            "/files/%2e%2e",
            "/files/a%2F..%2Fb",
            "/files/a%5C..%5Cb",
            "/files/%252e%252e",
            "/files/..%3Bx",
            "/files/..%20",
            "/files/a%2F..%3B%2Fb",
            "/files/%EF%BC%8E%EF%BC%8E",
            "/files/%E2%80%A5",
            "/files/a%EF%BC%8F%E2%80%A4.%EF%BC%BCb",
        ] {
            assert_eq!(
                routes().check(path, &[], "/files/{path}"),
                Err(PathError::Dots),
                "{path}"
            );
        }
        assert_eq!(routes().check("/files/..a", &[], "/files/{path}"), Ok(()));
        assert_eq!(routes().check("/files/...", &[], "/files/{path}"), Ok(()));
    }

    #[test]
    fn an_empty_argument_does_not_fit_its_template() {
        let error = PathError::Template {
            template: "/users/{id}".into(),
        };
        assert_eq!(
            routes().check("/users/", &[], "/users/{id}"),
            Err(error.clone())
        );
        assert_eq!(routes().check("/users", &[], "/users/{id}"), Err(error));
        let error = PathError::Template {
            template: "/users/{id}/admin".into(),
        };
        assert_eq!(
            routes().check("/users//admin", &[], "/users/{id}/admin"),
            Err(error)
        );
    }

    #[test]
    fn control_characters_are_refused() {
        assert_eq!(
            routes().check("/users/export%00", &[], "/users/{id}"),
            Err(PathError::Control)
        );
    }

    #[test]
    fn the_more_concrete_of_two_partial_segments_is_served() {
        assert_eq!(
            routes().check("/reports/daily-1.json", &[], "/reports/daily-{day}.json"),
            Ok(())
        );
        refused(
            "/reports/daily-1.json",
            "/reports/{name}.json",
            "/reports/daily-{day}.json",
        );
        refused("/reports/a.json", "/reports/{name}", "/reports/{name}.json");
        refused("/jobs/7:cancel", "/jobs/{id}", "/jobs/{id}:cancel");
        refused("/jobs/7%3Acancel", "/jobs/{id}", "/jobs/{id}:cancel");
        assert_eq!(
            routes().check("/jobs/7:cancel", &[], "/jobs/{id}:cancel"),
            Ok(())
        );
    }

    #[test]
    fn two_templates_of_which_neither_is_more_concrete_refuse_what_both_match() {
        let routes = Routes::of(["/a/{x}/c", "/a/b/{y}"].into_iter());
        assert!(routes.check("/a/b/c", &[], "/a/{x}/c").is_err());
        assert!(routes.check("/a/b/c", &[], "/a/b/{y}").is_err());
        assert_eq!(routes.check("/a/d/c", &[], "/a/{x}/c"), Ok(()));
    }

    #[test]
    fn a_fixed_query_tells_operations_apart() {
        let paths = [
            "/items",
            "/items?action=close",
            "/items#list",
            "/{any}?action=close",
        ];
        let routes = Routes::of(paths.into_iter());
        let query = |text: &str| vec![text.to_owned()];
        assert_eq!(routes.check("/items", &[], "/items"), Ok(()));
        assert_eq!(routes.check("/items", &[], "/items#list"), Ok(()));
        assert_eq!(
            routes.check("/items", &query("action=open"), "/items"),
            Ok(())
        );
        for spelt in [
            "action=close",
            "ACTION=close",
            "%61ction=cl%6fse",
            "action[]=close",
        ] {
            assert_eq!(
                routes.check("/items", &query(spelt), "/items"),
                Err(PathError::Other {
                    other: "/items?action=close".into(),
                    template: "/items".into()
                }),
                "{spelt}"
            );
        }
        let called = "/items?action=close";
        assert_eq!(
            routes.check("/items", &query("action=close"), called),
            Ok(())
        );
    }

    #[test]
    fn a_literal_path_that_ends_in_a_slash_is_more_concrete_than_an_expression() {
        let routes = Routes::of(["/{mount}/roles/", "/{mount}/{path}"].into_iter());
        assert_eq!(routes.check("/a/roles/", &[], "/{mount}/roles/"), Ok(()));
        assert!(routes.check("/a/roles", &[], "/{mount}/{path}").is_err());
    }

    #[test]
    fn a_trailing_slash_and_other_names_make_no_other_operation() {
        let routes = Routes::of(["/u/{id}", "/u/{name}", "/u/{id}/", "/u"].into_iter());
        assert_eq!(routes.check("/u/1", &[], "/u/{id}"), Ok(()));
        assert_eq!(routes.check("/u/1/", &[], "/u/{id}/"), Ok(()));
    }

    /// A server that splits, decodes once, and serves the most concrete template by exact case.
    fn serve(path: &str, decode_first: bool) -> Option<&'static str> {
        let whole = percent_decode_str(path).decode_utf8_lossy().into_owned();
        let segments: Vec<String> = if decode_first {
            whole.split('/').map(str::to_owned).collect()
        } else {
            path.split('/')
                .map(|s| percent_decode_str(s).decode_utf8_lossy().into_owned())
                .collect()
        };
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        let mut found: Vec<Template> = PATHS.iter().map(|path| Template::new(path)).collect();
        found.retain(|template| template.matches(&segments, Case::Exact));
        found.sort_by_key(|template| {
            let literals: usize = template
                .segments
                .iter()
                .flat_map(|segment| &segment.literals)
                .map(String::len)
                .sum();
            std::cmp::Reverse(literals)
        });
        let first = found.into_iter().next()?;
        PATHS.into_iter().find(|path| *path == first.text)
    }

    fn argument() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("export".to_owned()),
            Just("me".to_owned()),
            Just("admin".to_owned()),
            Just("posts".to_owned()),
            Just("..".to_owned()),
            Just("/".to_owned()),
            Just("%2F".to_owned()),
            Just("\\".to_owned()),
            Just(";".to_owned()),
            Just(".json".to_owned()),
            Just(":cancel".to_owned()),
            Just("daily-".to_owned()),
            "[a-z0-9]{0,2}",
            any::<char>().prop_map(String::from),
        ];
        prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn no_argument_reaches_another_template(
            called in prop::sample::select(PATHS.to_vec()),
            first in argument(),
            second in argument(),
        ) {
            let mut path = called.to_owned();
            for argument in [&first, &second] {
                if let (Some(open), Some(close)) = (path.find('{'), path.find('}')) {
                    let encoded = utf8_percent_encode(argument, NON_ALPHANUMERIC).to_string();
                    path.replace_range(open..=close, &encoded);
                }
            }
            if routes().check(&path, &[], called).is_ok() {
                prop_assert_eq!(serve(&path, false), Some(called));
                let careless = serve(&path, true);
                prop_assert!(careless.is_none() || careless == Some(called), "{path}");
                let whole = percent_decode_str(&path).decode_utf8_lossy().into_owned();
                prop_assert!(!whole.split(['/', '\\']).any(|piece| piece == ".." || piece == "."));
            }
        }
    }
}
