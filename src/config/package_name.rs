//! Names of Python packages.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// The name of a package or of an extra: letters, digits, and between them runs of `-`, `_` and `.`
/// (PEP 508). Normalised as PEP 503 says, so that different spellings are equal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackageName(String);

/// It is no name of a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no name of a package")]
pub struct InvalidName;

impl FromStr for PackageName {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, InvalidName> {
        let is_plain = |character: char| character.is_ascii_alphanumeric();
        let is_separator = |character: char| matches!(character, '-' | '_' | '.');
        let is_name = text.starts_with(is_plain)
            && text.ends_with(is_plain)
            && text.chars().all(|it| is_plain(it) || is_separator(it));
        if !is_name {
            return Err(InvalidName);
        }
        let parts = text.split(is_separator).filter(|part| !part.is_empty());
        let parts: Vec<String> = parts.map(str::to_ascii_lowercase).collect();
        Ok(Self(parts.join("-")))
    }
}

impl Display for PackageName {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name_are_equal() {
        let name = |text: &str| text.parse::<PackageName>().map(|name| name.to_string());
        assert_eq!(name("Foo.-_Bar"), Ok("foo-bar".to_owned()));
        assert_eq!(name("a"), Ok("a".to_owned()));
        for text in ["", "-a", "a-", ".", "a b", "a/b", "ä"] {
            assert_eq!(name(text), Err(InvalidName), "{text}");
        }
    }
}
