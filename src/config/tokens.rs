//! The file of named tokens (`MCE_HTTP_TOKENS_FILE`): TOML that holds no token, only their SHA-256.
//!
//! ```toml
//! [[token]]
//! name = "ada"
//! sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
//! servers = ["weather"]  # left out: all servers
//! ```

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest as _, Sha256};

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
/// No token can have this name; why.
pub fn entry_of(
    name: &str,
    token: &str,
    servers: Option<&BTreeSet<String>>,
) -> Result<String, String> {
    check_name(name)?;
    let digest = hex::encode(digest_of(token));
    let mut entry = format!("[[token]]\nname = \"{name}\"\nsha256 = \"{digest}\"\n");
    if let Some(servers) = servers {
        let servers: Vec<String> = servers.iter().map(|it| format!("{it:?}")).collect();
        let _ = writeln!(entry, "servers = [{}]", servers.join(", "));
    }
    Ok(entry)
}

/// Reads the file.
///
/// # Errors
/// It cannot be read, or is no such file; the message holds nothing that could be a token.
pub fn read_tokens(path: &Path) -> Result<Vec<NamedToken>, TokensError> {
    let fail = |what: String| TokensError {
        path: path.to_owned(),
        what,
    };
    let bytes = files::read_regular(path, LARGEST, Links::Followed)
        .map_err(|error| fail(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| fail("is not UTF-8".to_owned()))?;
    parse(&text).map_err(fail)
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
        let message = error.message();
        let message = if message.starts_with("invalid ") {
            "a value of another type is expected"
        } else {
            message
        };
        format!("is not valid in line {line}: {message}")
    })?;
    let mut names = BTreeSet::new();
    let mut tokens = Vec::new();
    for entry in file.token {
        check_name(&entry.name)?;
        let digest = hex::decode(&entry.sha256)
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
                "is not valid in line 3: unknown field",
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
}
