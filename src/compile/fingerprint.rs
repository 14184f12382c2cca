//! The fingerprint of a manifest: whether a server would be compiled to what is there already.
//!
//! It has two halves of 32 hexadecimal digits. The first is of the inputs: the document and all that
//! it refers to, what of that is absent, effective config, compiler and its sources, and runtime.
//! The second is of the manifest's own text without the fingerprint, which vouches for
//! `functions.py` by its hash. So a manifest that was changed since, by hand or
//! by a conversion of line ends, is not taken for what was compiled. This finds slips, not
//! forgeries: whoever changes the manifest can compute the second half anew. `mce compile --check`
//! therefore never looks at it to decide what is right.

use std::collections::BTreeMap;
use std::ops::Range;

use url::Url;

use super::RUNTIME;
use super::manifest::{COMPILER, SOURCES, sha256_hex, source_text};
use crate::config::{Filter, ServerConfig};

/// Digits of each half.
const HALF: usize = 32;
/// What stands before the fingerprint. Two spaces: it is a member of the manifest itself, since no
/// text in JSON holds the end of a line.
const BEFORE: &[u8] = b"\n  \"fingerprint\": \"";

/// A document as the fingerprint sees it.
pub(super) struct Source<'a> {
    /// The hash of its bytes.
    pub(super) document: &'a str,
    /// Where it came from, if over http(s).
    pub(super) location: Option<&'a Url>,
    /// `None` where it refers to nothing outside itself.
    pub(super) parts: Option<Parts<'a>>,
    /// The text of the notes on the server.
    pub(super) skills: Option<&'a str>,
}

/// What a document refers to.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    /// What the parts may call the document.
    pub(super) file_name: Option<&'a str>,
    /// The hashes of what it refers to.
    pub(super) files: &'a BTreeMap<String, String>,
    /// What references name that is not there, and why: the output says it.
    pub(super) absent: &'a BTreeMap<String, String>,
    /// Whether other files may be meant tomorrow though these stay as they are
    /// ([`Loaded::detours`](crate::openapi::Loaded::detours)).
    pub(super) detours: bool,
}

/// The first half: of all that the output depends on, but for the committed names. With `place` it
/// matters where the document came from.
pub(super) fn of_inputs(server: &ServerConfig, source: &Source<'_>, place: bool) -> String {
    let filter =
        |filter: &Filter| serde_json::json!([filter.tags, filter.paths, filter.operation_ids]);
    let allow: Vec<String> = server
        .read_only_allow
        .iter()
        .map(|entry| format!("{} {}", entry.method, entry.path))
        .collect();
    let place = source.location.filter(|_| place).map(|url| {
        let origin = url.origin().ascii_serialization();
        // No query and no user name: they do not reach the output, and may be secret.
        format!("{origin}{}", url.path())
    });
    let effective = serde_json::json!({
        "compiler": [COMPILER, SOURCES],
        "document": source.document,
        "parts": source.parts.map(|parts| {
            serde_json::json!([parts.file_name, parts.files, parts.absent, parts.detours])
        }),
        "scheme": source.location.map(Url::scheme),
        "place": place,
        "runtime": sha256_hex(RUNTIME.as_bytes()),
        "server": server.name,
        "title": server.title,
        "source": source_text(server),
        "has_base_url": server.base_url.is_some(),
        "skills": source.skills.map(|text| sha256_hex(text.as_bytes())),
        "read_only": server.is_read_only,
        "read_only_allow": allow,
        "include": filter(&server.include),
        "exclude": filter(&server.exclude),
        "rename": server.rename,
        "top_level_functions": server.top_level_functions,
    });
    half(effective.to_string().as_bytes())
}

/// Puts the fingerprint in place: the manifest's text is that of one with an empty fingerprint.
pub(super) fn seal(text: &mut String, inputs: &str) -> Option<String> {
    let place = text.find(str::from_utf8(BEFORE).ok()?)? + BEFORE.len();
    let fingerprint = format!("{inputs}{}", half(text.as_bytes()));
    text.insert_str(place, &fingerprint);
    Some(fingerprint)
}

/// The first half of a manifest's fingerprint, if the second is that of its text.
pub(super) fn intact(text: &[u8]) -> Option<&str> {
    let place = find(text)?;
    let fingerprint = str::from_utf8(text.get(place.clone())?).ok()?;
    let (inputs, own) = fingerprint.split_at_checked(HALF)?;
    let mut hash = sha2::Sha256::default();
    sha2::Digest::update(&mut hash, text.get(..place.start)?);
    sha2::Digest::update(&mut hash, text.get(place.end..)?);
    let digest = sha2::Digest::finalize(hash);
    (hex::encode(digest).get(..HALF)? == own).then_some(inputs)
}

fn find(text: &[u8]) -> Option<Range<usize>> {
    let start = text.windows(BEFORE.len()).position(|it| it == BEFORE)? + BEFORE.len();
    let length = text.get(start..)?.iter().position(|byte| *byte == b'"')?;
    (length == 2 * HALF).then_some(start..start + length)
}

fn half(bytes: &[u8]) -> String {
    let mut text = sha256_hex(bytes);
    text.truncate(HALF);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{OperationRef, Template};

    fn of_inputs(server: &ServerConfig, bytes: &[u8], url: Option<&str>, place: bool) -> String {
        let url = url.map(|text| Url::parse(text).unwrap());
        let document = sha256_hex(bytes);
        let source = Source {
            document: &document,
            location: url.as_ref(),
            parts: None,
            skills: server
                .skills_url
                .as_ref()
                .map(|template| template.text.as_str()),
        };
        super::of_inputs(server, &source, place)
    }

    #[test]
    fn every_input_counts_and_credentials_do_not() {
        let server = ServerConfig {
            name: "a".to_owned(),
            ..ServerConfig::default()
        };
        let plain = of_inputs(&server, b"{}", None, true);
        assert_eq!(plain.len(), HALF);
        let filter = Filter {
            tags: vec!["x".to_owned()],
            ..Filter::default()
        };
        let changes: [fn(&mut ServerConfig, Filter); 11] = [
            |it, _| it.name = "b".to_owned(),
            |it, _| it.title = Some("B".to_owned()),
            |it, _| it.is_read_only = true,
            |it, filter| it.include = filter,
            |it, filter| it.exclude = filter,
            |it, _| it.base_url = Some(Template::default()),
            |it, _| it.rename = [("a".to_owned(), "b".to_owned())].into_iter().collect(),
            |it, _| it.skills_url = Some(Template::default()),
            |it, _| it.swagger_url.text = "other.json".to_owned(),
            |it, _| it.top_level_functions = vec!["a".to_owned()],
            |it, _| {
                it.read_only_allow = vec![OperationRef {
                    method: "POST".to_owned(),
                    path: "/search".to_owned(),
                }];
            },
        ];
        let mut seen = vec![plain.clone()];
        for change in changes {
            let mut other = server.clone();
            change(&mut other, filter.clone());
            seen.push(of_inputs(&other, b"{}", None, true));
        }
        seen.push(of_inputs(&server, b"{ }", None, true));
        let url = "https://u:p@a.example/x?key=1";
        seen.push(of_inputs(&server, b"{}", Some("http://a.example/x"), false));
        seen.push(of_inputs(&server, b"{}", Some(url), true));
        seen.push(of_inputs(&server, b"{}", Some(url), false));
        let (none, absent) = (
            BTreeMap::new(),
            ["there is no such file", "it is a folder"]
                .map(|reason| [("x.yaml".to_owned(), reason.to_owned())].into()),
        );
        let parts = Parts {
            file_name: Some("a.yaml"),
            files: &none,
            absent: &none,
            detours: false,
        };
        for parts in [
            parts,
            Parts {
                file_name: Some("b.yaml"),
                ..parts
            },
            Parts {
                files: &absent[0],
                ..parts
            },
            Parts {
                absent: &absent[0],
                ..parts
            },
            Parts {
                absent: &absent[1],
                ..parts
            },
            Parts {
                detours: true,
                ..parts
            },
        ] {
            let source = Source {
                document: &sha256_hex(b"{}"),
                location: None,
                parts: Some(parts),
                skills: None,
            };
            seen.push(super::of_inputs(&server, &source, true));
        }
        let count = seen.len();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), count);
        let elsewhere = "https://other:q@a.example/x?key=2";
        assert_eq!(
            of_inputs(&server, b"{}", Some(url), true),
            of_inputs(&server, b"{}", Some(elsewhere), true)
        );
        let mut secret = server;
        secret.swagger_headers = [("X-Key".to_owned(), Template::default())]
            .into_iter()
            .collect();
        assert_eq!(of_inputs(&secret, b"{}", None, true), plain);
    }

    #[test]
    fn a_text_that_was_changed_is_not_intact() {
        let inputs = "0123456789abcdef0123456789abcdef";
        let mut text = "{\n  \"title\": \"\\n  \\\"fingerprint\\\": \\\"\",\n  \"fingerprint\": \
                        \"\",\n  \"x\": 1\n}\n"
            .to_owned();
        seal(&mut text, inputs).unwrap();
        assert_eq!(intact(text.as_bytes()), Some(inputs));
        for changed in [
            text.replace("\"x\": 1", "\"x\": 2"),
            text.replace('\n', "\r\n"),
            text.replace("title", "Title"),
            text.replace("  \"x\"", " \"x\""),
        ] {
            assert_eq!(intact(changed.as_bytes()), None, "{changed}");
        }
        assert_eq!(intact(b"{}"), None);
    }
}
