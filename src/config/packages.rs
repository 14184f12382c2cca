//! `MCE_SANDBOX_PACKAGES`: packages of the sandbox at exact versions.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use pep440_rs::Version;

use super::error::quote;
use super::package_name::PackageName;
use super::settings_values::Invalid;

/// A package at one version: `name==version` or `name[extra]==version`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Package {
    /// The name, normalised as PEP 503 says.
    pub name: PackageName,
    /// What is asked for beside the package itself.
    pub extras: BTreeSet<PackageName>,
    /// The version.
    pub version: Version,
}

impl Display for Package {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        for (index, extra) in self.extras.iter().enumerate() {
            write!(f, "{}{extra}", if index == 0 { "[" } else { "," })?;
        }
        if !self.extras.is_empty() {
            f.write_str("]")?;
        }
        write!(f, "=={}", self.version)
    }
}

/// Reads entries that are separated by spaces or commas; sorted by name.
pub(super) fn parse_packages(text: &str) -> Result<Vec<Package>, Invalid> {
    let mut packages: Vec<Package> = Vec::new();
    for entry in entries(text) {
        let package = package(entry).map_err(|wrong| {
            Invalid(format!(
                "`name==version` for each package, such as `tabulate==0.9.0`; {wrong}"
            ))
        })?;
        if let Some(other) = packages.iter().find(|other| other.name == package.name) {
            return Err(Invalid(format!(
                "each package once; `{other}` and `{package}` are the same package"
            )));
        }
        packages.push(package);
    }
    packages.sort();
    Ok(packages)
}

/// The entries. A comma between brackets is one of a list of extras.
fn entries(text: &str) -> impl Iterator<Item = &str> {
    let mut is_within = false;
    text.split(move |character: char| {
        match character {
            '[' => is_within = true,
            ']' => is_within = false,
            _ => {}
        }
        character.is_whitespace() || (character == ',' && !is_within)
    })
    .filter(|entry| !entry.is_empty())
}

fn package(entry: &str) -> Result<Package, String> {
    // What holds an address may hold a password, so it is not repeated.
    if entry.contains("://") || entry.contains('@') {
        return Err("an entry is a URL or names one".to_owned());
    }
    let shown = quote(entry);
    if entry.starts_with('-') {
        return Err(format!("{shown} is an option of pip"));
    }
    if entry.contains(';') {
        return Err(format!("{shown} has an environment marker"));
    }
    if entry.contains(['/', '\\']) {
        return Err(format!("{shown} is a path"));
    }
    if entry.contains(['<', '>', '~', '*']) || entry.contains("!=") {
        return Err(format!("{shown} is a range of versions"));
    }
    let Some((name, version)) = entry.split_once("==") else {
        return Err(format!("{shown} has no version"));
    };
    let (name, extras) = match name.split_once('[') {
        None => (name, ""),
        Some((name, extras)) => match extras.strip_suffix(']') {
            Some(extras) => (name, extras),
            None => return Err(format!("the extras of {shown} have no end")),
        },
    };
    let extras = extras.split(',').filter(|extra| !extra.is_empty());
    Ok(Package {
        name: PackageName::from_str(name)
            .map_err(|_| format!("{shown} does not begin with the name of a package"))?,
        extras: extras
            .map(PackageName::from_str)
            .collect::<Result<_, _>>()
            .map_err(|_| format!("the extras of {shown} are no names"))?,
        version: Version::from_str(version)
            .map_err(|_| format!("the version of {shown} is none"))?,
    })
}
