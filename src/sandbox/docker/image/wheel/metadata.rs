//! What a package says of itself
//! ([Core metadata](https://packaging.python.org/en/latest/specifications/core-metadata/)).

use std::str::FromStr;

use pep440_rs::{Version, VersionSpecifiers};

use super::super::requirement::Requirement;
use crate::config::PackageName;

/// The parts of `METADATA` that count here.
#[derive(Debug, Clone)]
pub(in super::super) struct Metadata {
    pub(super) name: PackageName,
    pub(super) version: Version,
    /// What it needs.
    pub(in super::super) requires: Vec<Requirement>,
    /// The versions of Python it is made for.
    pub(in super::super) python: Option<VersionSpecifiers>,
}

impl Metadata {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut name = None;
        let mut version = None;
        let mut python = None;
        let mut requires = Vec::new();
        for (key, value) in headers(text) {
            let wrong = || format!("its metadata has `{key}: {value}`, which cannot be understood");
            match key.to_ascii_lowercase().as_str() {
                "name" => name = Some(PackageName::from_str(&value).map_err(|_| wrong())?),
                "version" => version = Some(Version::from_str(&value).map_err(|_| wrong())?),
                "requires-python" => {
                    python = Some(VersionSpecifiers::from_str(&value).map_err(|_| wrong())?);
                }
                "requires-dist" => {
                    requires.push(Requirement::from_str(&value).map_err(|()| wrong())?);
                }
                _ => {}
            }
        }
        Ok(Self {
            name: name.ok_or("its metadata has no `Name`")?,
            version: version.ok_or("its metadata has no `Version`")?,
            requires,
            python,
        })
    }
}

/// Holds `WHEEL` to the version of the format that is read here.
pub(super) fn check_format(text: &str) -> Result<(), String> {
    let version = headers(text)
        .find(|(key, _)| key.eq_ignore_ascii_case("Wheel-Version"))
        .map(|(_, value)| value);
    match version {
        Some(version) if version.split('.').next() == Some("1") => Ok(()),
        Some(version) => Err(format!("its format has the version `{version}`, not `1.0`")),
        None => Err("its `WHEEL` has no `Wheel-Version`".to_owned()),
    }
}

/// The headers before the first empty line, continued lines joined.
fn headers(text: &str) -> impl Iterator<Item = (&str, String)> {
    let mut lines = text.lines().take_while(|line| !line.is_empty()).peekable();
    std::iter::from_fn(move || {
        loop {
            let (key, value) = match lines.next()?.split_once(':') {
                Some((key, value)) if !key.starts_with([' ', '\t']) => (key, value.trim()),
                _ => continue,
            };
            let mut value = value.to_owned();
            while let Some(more) = lines.next_if(|line| line.starts_with([' ', '\t'])) {
                value.push(' ');
                value.push_str(more.trim());
            }
            return Some((key, value));
        }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn headers_end_at_the_empty_line_and_go_on_where_lines_are_indented() {
        let text = "Metadata-Version: 2.1\nName: Some.Thing\nVersion: 1.0\n\
                    Requires-Dist: a>=1;\n  python_version < '3'\nRequires-Python: >=3.8\n\n\
                    Requires-Dist: of-the-description\n";
        let metadata = Metadata::parse(text).unwrap();
        assert_eq!(metadata.name.to_string(), "some-thing");
        assert_eq!(metadata.requires.len(), 1);
        assert_eq!(metadata.requires[0].name.to_string(), "a");
        let python = BTreeMap::from([("python_version".to_owned(), "3.13".to_owned())]);
        assert!(!metadata.requires[0].applies(&python, None));
        assert_eq!(metadata.python.unwrap().to_string(), ">=3.8");
    }

    #[test]
    fn what_cannot_be_understood_is_said() {
        let parse = |text: &str| Metadata::parse(text).unwrap_err();
        assert!(parse("Version: 1\n").contains("no `Name`"));
        assert!(parse("Name: a\nVersion: one\n").contains("`Version: one`"));
        assert!(parse("Name: a\nVersion: 1\nRequires-Dist: =\n").contains("Requires-Dist: ="));
        assert!(
            check_format("Wheel-Version: 2.0\n")
                .unwrap_err()
                .contains("`2.0`")
        );
        assert!(check_format("Wheel-Version: 1.9\n").is_ok());
    }
}
