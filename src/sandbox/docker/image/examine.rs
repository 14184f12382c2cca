//! What an image holds, as a container of it tells, and what must hold of it.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use pep440_rs::Version;
use serde::{Deserialize, Serialize};

use super::DOCKERFILE;
use super::requirement::{Environment, Requirement};
use super::tags::Platform;
use crate::config::PackageName;

/// The program that looks. Its arguments are modules to import.
pub(super) const PROGRAM: &str = include_str!("../../../../templates/examine.py");
/// The oldest Python that the runner works with.
const OLDEST: (u32, u32) = (3, 11);
/// The Python whose syntax the guard reads.
pub const GUARDED: (u32, u32) = (3, 13);

/// A package of an image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Installed {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The top-level names that can be imported.
    pub modules: Vec<String>,
    /// Whether it was added by `MCE_SANDBOX_PACKAGES`.
    pub added: bool,
    #[serde(default, skip_serializing)]
    requires: Vec<String>,
}

/// What an image holds.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Examination {
    pub(super) python: String,
    pub(super) platform: Platform,
    /// What environment markers are judged by.
    pub(super) markers: Environment,
    pub(super) standard_modules: BTreeSet<String>,
    pub(super) other_modules: BTreeSet<String>,
    pub(super) distributions: Vec<Installed>,
    not_compiled: Vec<String>,
    pub(super) pip: bool,
}

/// A package that stays as it is.
#[derive(Debug)]
pub(super) struct Present {
    pub(super) version: Version,
    pub(super) requires: Vec<Requirement>,
}

/// What became of importing modules: nothing, or an error.
pub(super) type Imports = BTreeMap<String, Option<String>>;

/// Reads what [`PROGRAM`] wrote.
pub(super) fn parse(output: &[u8]) -> Result<(Examination, Imports), String> {
    let mut lines = output.split(|byte| *byte == b'\n');
    let mut line = || {
        let line = lines.next().filter(|line| !line.is_empty());
        line.ok_or_else(|| "it ended early".to_owned())
    };
    let examination = serde_json::from_slice(line()?).map_err(|error| error.to_string())?;
    let imports = serde_json::from_slice(line()?).map_err(|error| error.to_string())?;
    Ok((examination, imports))
}

impl Examination {
    /// The packages that were there before any was added.
    pub(super) fn present(&self) -> BTreeMap<PackageName, Present> {
        let kept = self.distributions.iter().filter(|it| !it.added);
        kept.filter_map(|it| {
            let requires = it.requires.iter();
            let present = Present {
                version: Version::from_str(&it.version).ok()?,
                requires: requires
                    .filter_map(|text| Requirement::from_str(text).ok())
                    .collect(),
            };
            Some((PackageName::from_str(&it.name).ok()?, present))
        })
        .collect()
    }

    /// What must hold of every image and does not.
    pub(super) fn problems(&self, imports: &Imports) -> Vec<String> {
        let mut problems = Vec::new();
        let python = self.platform.python;
        if python < OLDEST {
            problems.push(format!(
                "it has Python {}, and {}.{} or newer is needed",
                self.python, OLDEST.0, OLDEST.1
            ));
        }
        for (name, version) in pinned() {
            let found = self
                .distributions
                .iter()
                .find(|it| it.name.eq_ignore_ascii_case(name));
            match found {
                None => problems.push(format!("it has no {name}")),
                Some(found) if found.version != version => problems.push(format!(
                    "it has {name} {}, and {version} is needed",
                    found.version
                )),
                Some(_) => {}
            }
            if let Some(Some(error)) = imports.get(name) {
                problems.push(format!("{name} cannot be imported: {error}"));
            }
        }
        if !self.not_compiled.is_empty() {
            problems.push(format!(
                "it lacks byte code, without which imports are slow: {}",
                self.not_compiled.join(", ")
            ));
        }
        problems
    }

    /// What is worth knowing.
    pub(super) fn warnings(&self, imports: &Imports) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.platform.python != GUARDED {
            warnings.push(format!(
                "the image has Python {}, and the guard reads code as Python {}.{}: what only one \
                 of them understands fails",
                self.python, GUARDED.0, GUARDED.1
            ));
        }
        for (module, error) in imports {
            if let Some(error) = error
                && !pinned().any(|(name, _)| name == module)
            {
                warnings.push(format!(
                    "`{module}` cannot be imported in the image: {error}"
                ));
            }
        }
        warnings
    }
}

/// The packages of every image, with the versions that the recipe names.
pub(super) fn pinned() -> impl Iterator<Item = (&'static str, &'static str)> {
    DOCKERFILE
        .lines()
        .find_map(|line| line.strip_prefix("ARG PACKAGES=\"")?.strip_suffix('"'))
        .unwrap_or_default()
        .split_whitespace()
        .filter_map(|pin| pin.split_once("=="))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recipe_pins_what_every_image_has() {
        let names: Vec<&str> = pinned().map(|(name, _)| name).collect();
        assert_eq!(names, ["httpx", "pydantic", "orjson"]);
    }

    #[test]
    fn an_image_that_is_not_as_it_must_be_is_told_with_every_reason() {
        let text = r#"{"python":"3.10.2","platform":{"python":[3,10],"machine":"x86_64","libc":{"musl":[1,2]}},
            "markers":{"implementation_name":"cpython","implementation_version":"3.10.2","os_name":"posix",
            "platform_machine":"x86_64","platform_python_implementation":"CPython","platform_release":"1",
            "platform_system":"Linux","platform_version":"1","python_full_version":"3.10.2","python_version":"3.10",
            "sys_platform":"linux"},"standard_modules":[],"other_modules":[],
            "distributions":[{"name":"HTTPX","version":"0.1","requires":[],"modules":["httpx"],"added":false},
            {"name":"orjson","version":"3.13.0","requires":[],"modules":["orjson"],"added":false}],
            "not_compiled":["/a.py"],"pip":false}"#
            .replace('\n', " ");
        let output = format!("{text}\n{{\"orjson\":\"ImportError: x\",\"other\":\"E: y\"}}\n");
        let (found, imports) = parse(output.as_bytes()).unwrap();
        assert_eq!(
            found.problems(&imports),
            [
                "it has Python 3.10.2, and 3.11 or newer is needed",
                "it has HTTPX 0.1, and 0.28.1 is needed",
                "it has no pydantic",
                "orjson cannot be imported: ImportError: x",
                "it lacks byte code, without which imports are slow: /a.py",
            ]
            .map(|text| text.replace("HTTPX", "httpx"))
        );
        let warnings = found.warnings(&imports);
        assert!(warnings[0].contains("Python 3.10.2"), "{warnings:?}");
        assert_eq!(warnings[1], "`other` cannot be imported in the image: E: y");
        assert_eq!(warnings.len(), 2);
        assert!(parse(b"{}\n").is_err());
    }
}
