//! The file of named tokens (`MCE_HTTP_TOKENS_FILE`): TOML that holds no token, only their SHA-256.
//!
//! ```toml
//! [[token]]
//! name = "ada"
//! sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
//! servers = ["weather"]  # left out: all servers
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, value};

use super::error::quote;
use super::names::is_free_name;
use crate::files::{self, Links};

/// Bytes of the file.
const LARGEST: u64 = 1 << 20;

/// Characters of a token's name.
const LONGEST_NAME: usize = 64;

/// Names that stand for who comes without a named token.
const RESERVED: &[&str] = &["local", "token"];

/// A token, and what it is good for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedToken {
    /// Who holds it: the principal of what is done with it.
    pub name: String,
    /// SHA-256 of the token.
    pub digest: [u8; 32],
    /// The servers it may use; `None` for all.
    pub servers: Option<BTreeSet<String>>,
}

/// Why there are no tokens.
#[derive(Debug, thiserror::Error)]
#[error("the tokens file `{}` {what}", path.display())]
pub struct TokensError {
    path: PathBuf,
    what: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TokensFile {
    #[serde(default)]
    token: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    sha256: String,
    servers: Option<BTreeSet<String>>,
}

/// What stands in the file for a token.
#[must_use]
pub fn digest_of(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// The lines of the file for a token.
///
/// # Errors
/// No token can have this name, or no server one of these; why.
pub fn entry_of(
    name: &str,
    token: &str,
    servers: Option<&BTreeSet<String>>,
) -> Result<String, String> {
    check_name(name)?;
    let mut entry = Table::new();
    entry.insert("name", value(name));
    entry.insert("sha256", value(hex::encode(digest_of(token))));
    if let Some(servers) = servers {
        if let Some(none) = servers.iter().find(|server| !is_free_name(server)) {
            return Err(format!(
                "has a token for the server {}, a name that no server has",
                quote(none)
            ));
        }
        entry.insert("servers", value(servers.iter().collect::<Array>()));
    }
    let mut entries = ArrayOfTables::new();
    entries.push(entry);
    let mut document = DocumentMut::new();
    document.insert("token", Item::ArrayOfTables(entries));
    Ok(document.to_string())
}

/// Reads the file.
///
/// # Errors
/// It cannot be read, or is no such file; the message holds nothing that could be a token.
pub fn read_tokens(path: &Path) -> Result<Vec<NamedToken>, TokensError> {
    read_tokens_beside(path, None)
}

/// [`read_tokens`] beside a token without a name (`MCE_HTTP_TOKEN`), given by its digest.
///
/// # Errors
/// As [`read_tokens`], and where one of them is that token: it would stand for two principals.
pub fn read_tokens_beside(
    path: &Path,
    nameless: Option<&[u8; 32]>,
) -> Result<Vec<NamedToken>, TokensError> {
    let fail = |what: String| TokensError {
        path: path.to_owned(),
        what,
    };
    let bytes = files::read_regular(path, LARGEST, Links::Followed)
        .map_err(|error| fail(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| fail("is not UTF-8".to_owned()))?;
    let tokens = parse(&text).map_err(fail)?;
    match tokens.iter().find(|it| Some(&it.digest) == nameless) {
        Some(NamedToken { name, .. }) => Err(fail(format!(
            "has as `{name}` the token of `MCE_HTTP_TOKEN`, which may use all servers; \
             `mce token new` makes another"
        ))),
        None => Ok(tokens),
    }
}

fn parse(text: &str) -> Result<Vec<NamedToken>, String> {
    let file: TokensFile = toml::from_str(text).map_err(|error| {
        // Its excerpt of the file may hold a token that somebody wrote down there.
        let line = error.span().map_or(1, |span| {
            text.get(..span.start)
                .unwrap_or_default()
                .matches('\n')
                .count()
                + 1
        });
        // So may what its message repeats of it.
        let message = error.message();
        let message = if message.starts_with("unknown field") {
            "an unknown field; a token has `name`, `sha256` and `servers`"
        } else if message.starts_with("missing field") {
            message
        } else if message.starts_with("invalid type") {
            "a value of another type is expected"
        } else {
            "it is no TOML"
        };
        format!("is not valid in line {line}: {message}")
    })?;
    let (mut names, mut digests) = (BTreeSet::new(), BTreeMap::new());
    let mut tokens = Vec::new();
    for entry in file.token {
        check_name(&entry.name)?;
        let digest: [u8; 32] = hex::decode(&entry.sha256)
            .ok()
            .and_then(|bytes| bytes.try_into().ok())
            .ok_or_else(|| {
                format!(
                    "has no SHA-256 of 64 hexadecimal digits as `sha256` of the token `{}`; \
                     `mce token new` writes the entry",
                    entry.name
                )
            })?;
        if !names.insert(entry.name.clone()) {
            return Err(format!("has two tokens `{}`", entry.name));
        }
        // Which of two principals came, with the rights of which, could not be told.
        if let Some(other) = digests.insert(digest, entry.name.clone()) {
            return Err(format!(
                "has the same token as `{other}` and as `{}`; `mce token new` makes another",
                entry.name
            ));
        }
        tokens.push(NamedToken {
            name: entry.name,
            digest,
            servers: entry.servers,
        });
    }
    if tokens.is_empty() {
        return Err("holds no `[[token]]`; `mce token new` writes one".to_owned());
    }
    Ok(tokens)
}

fn check_name(name: &str) -> Result<(), String> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-._@".contains(&byte);
    if name.is_empty() || name.len() > LONGEST_NAME || !name.bytes().all(fits) {
        return Err(format!(
            "has a token whose name is not 1 to {LONGEST_NAME} letters, digits or `-._@`"
        ));
    }
    if RESERVED.contains(&name) {
        return Err(format!(
            "has a token `{name}`, a name that stands for who comes without a named token"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_for_a_token_is_read_as_that_token() {
        let servers = BTreeSet::from(["weather".to_owned(), "shop".to_owned()]);
        let mut text = entry_of("ada", "a-token", Some(&servers)).unwrap();
        text.push_str(&entry_of("bob@example", "another", None).unwrap());
        let tokens = parse(&text).unwrap();
        assert_eq!(
            tokens,
            [
                NamedToken {
                    name: "ada".to_owned(),
                    digest: digest_of("a-token"),
                    servers: Some(servers),
                },
                NamedToken {
                    name: "bob@example".to_owned(),
                    digest: digest_of("another"),
                    servers: None,
                },
            ]
        );
        assert!(!text.contains("a-token"), "{text}");
    }

    #[test]
    fn a_file_that_could_be_misread_is_refused_and_nothing_of_it_is_repeated() {
        let one = entry_of("ada", "t", None).unwrap();
        for (text, expected) in [
            (format!("{one}{one}"), "has two tokens `ada`"),
            (
                one.replace("sha256", "token"),
                "is not valid in line 3: an unknown field",
            ),
            (
                "[[token]]\nname = \"a\"\nmy-secret = 1\n".to_owned(),
                "is not valid in line 3: an unknown field; a token has",
            ),
            (
                "[[token]]\nmy-secret = 1\nmy-secret = 1\n".to_owned(),
                "is not valid in line 3: it is no TOML",
            ),
            (
                format!("{one}{}", one.replace("ada", "bob")),
                "has the same token as `ada` and as `bob`",
            ),
            (one.replace("ada", "local"), "a name that stands for"),
            (one.replace("ada", "a/b"), "whose name is not"),
            (
                "[[token]]\nname = \"a\"\nsha256 = \"my-secret\"\n".to_owned(),
                "has no SHA-256",
            ),
            ("token = \"my-secret\"".to_owned(), "is not valid in line 1"),
            (String::new(), "holds no `[[token]]`"),
        ] {
            let error = parse(&text).unwrap_err();
            assert!(error.contains(expected), "{error}");
            assert!(!error.contains("my-secret"), "{error}");
        }
    }

    /// The one that came last counted, so that one who may use one server could use all.
    #[test]
    fn the_token_without_a_name_is_none_with_a_name() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let servers = BTreeSet::from(["shop".to_owned()]);
        let entry = entry_of("ada", "a-token", Some(&servers)).unwrap();
        std::fs::write(file.path(), entry).unwrap();
        let read = |token| read_tokens_beside(file.path(), Some(&digest_of(token)));
        assert_eq!(read("another").unwrap().len(), 1);
        let error = read("a-token").unwrap_err().to_string();
        assert!(error.contains("has as `ada` the token of"), "{error}");
    }

    /// Escapes of Rust, such as `\u{202e}`, are none of TOML.
    #[test]
    fn a_server_that_no_server_is_called_is_refused() {
        for server in ["\u{202e}", "a\"b", "My API", "", "class"] {
            let servers = BTreeSet::from([server.to_owned()]);
            let error = entry_of("ada", "t", Some(&servers)).unwrap_err();
            assert!(error.contains("a name that no server has"), "{error}");
            assert!(!error.contains('\u{202e}'), "{error}");
        }
    }
}
