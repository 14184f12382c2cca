//! The variables of the process and of `--env-file`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use super::Error;
use super::env_file::EnvFile;
use crate::files::{self, Links};

/// What the name of a variable ends in that names a file with the value.
pub(super) const FILE: &str = "_FILE";

/// Bytes of such a file.
const LARGEST_FILE: u64 = 64 << 10;

/// Why the value of a variable cannot be had from its file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the variable `{variable}` {what}")]
pub struct FileError {
    variable: String,
    what: String,
}

/// A snapshot of the environment, taken once at start. `Debug` shows names only.
///
/// What an env file adds lives in this snapshot alone: it is never put into the process's own
/// environment, so no child process sees it.
#[derive(Clone, Default)]
pub struct Environment {
    variables: BTreeMap<String, String>,
    not_unicode: BTreeSet<String>,
}

impl Environment {
    /// The variables of this process.
    #[must_use]
    pub fn from_process() -> Self {
        let mut environment = Self::default();
        for (name, value) in std::env::vars_os() {
            let Ok(name) = name.into_string() else {
                continue;
            };
            match value.into_string() {
                Ok(value) => {
                    environment.variables.insert(name, value);
                }
                Err(_) => {
                    environment.not_unicode.insert(name);
                }
            }
        }
        environment
    }

    /// Exactly these variables.
    #[must_use]
    pub fn from_pairs<N, V>(pairs: impl IntoIterator<Item = (N, V)>) -> Self
    where
        N: Into<String>,
        V: Into<String>,
    {
        Self {
            variables: pairs
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            not_unicode: BTreeSet::new(),
        }
    }

    /// These variables and, beneath them, those of an env file that it may set: `MCE_*`,
    /// `MCP_BRIDGE_*`, `MCP_SERVERS_CONFIG`, and those `allowed` permits (the ones the config
    /// names). The second value says which were left out.
    ///
    /// # Errors
    /// The file cannot be read or a line of it is malformed; the message names the line without
    /// its value.
    pub fn with_env_file(
        self,
        path: &Path,
        allowed: impl Fn(&str) -> bool,
    ) -> Result<(Self, Vec<String>), Error> {
        Ok(self.with(&EnvFile::read(path)?, allowed))
    }

    /// [`Environment::with_env_file`] for a file that was read already.
    #[must_use]
    pub fn with(mut self, file: &EnvFile, allowed: impl Fn(&str) -> bool) -> (Self, Vec<String>) {
        let (taken, warnings) = file.select(allowed);
        for (name, value) in taken {
            if !self.not_unicode.contains(name) {
                // An empty one hides nothing: clients pass on what was not filled in that way.
                let known = self.variables.entry(name.to_owned()).or_default();
                if known.is_empty() {
                    value.clone_into(known);
                }
            }
        }
        (self, warnings)
    }

    /// The value of a variable; `None` where it is not set or not UTF-8.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// The value of a variable that may stand in a file: of `NAME`, or of the file that `NAME_FILE`
    /// names, without the line break at its end. So Docker and Kubernetes hand secrets over. An empty
    /// variable counts as unset.
    ///
    /// # Errors
    /// Both are set, or the file cannot be read; the message names the variable and no content.
    pub fn value(&self, name: &str) -> Result<Option<Cow<'_, str>>, FileError> {
        let own = self.get(name);
        let file = format!("{name}{FILE}");
        let Some(path) = self.get(&file).filter(|path| !path.is_empty()) else {
            return Ok(own.map(Cow::Borrowed));
        };
        let fail = |what: String| FileError {
            variable: file.clone(),
            what,
        };
        if own.is_some_and(|own| !own.is_empty()) {
            return Err(fail(format!(
                "is set, and so is `{name}`; unset one of them"
            )));
        }
        let path = Path::new(path);
        let bytes = files::read_regular(path, LARGEST_FILE, Links::Followed)
            .map_err(|why| fail(format!("names `{}`, which {why}", path.display())))?;
        let text = String::from_utf8(bytes)
            .map_err(|_| fail("names a file that is not UTF-8".to_owned()))?;
        let end = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let end = end.strip_suffix('\n').unwrap_or(end);
        let end = end.strip_suffix('\r').unwrap_or(end);
        if end.is_empty() {
            return Err(fail("names a file that holds nothing".to_owned()));
        }
        Ok(Some(Cow::Owned(end.to_owned())))
    }

    /// The executable file that `PATH` has first under this name. Entries that are empty or relative
    /// are passed over: what they lead to depends on the working directory.
    #[must_use]
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        let folders = std::env::split_paths(self.get("PATH")?);
        let mut found = folders
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(&name));
        found.find(|path| is_executable(path))
    }

    /// The names of all variables.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.variables.keys().map(String::as_str)
    }

    /// Whether the variable is set to something that is not UTF-8.
    pub(super) fn is_not_unicode(&self, name: &str) -> bool {
        self.not_unicode.contains(name)
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.names()).finish()
    }
}

fn is_executable(path: &Path) -> bool {
    let Ok(metadata) = path.metadata() else {
        return false;
    };
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::mode(&metadata) & 0o111 == 0 {
        return false;
    }
    metadata.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_program_is_an_executable_file_of_an_absolute_folder() {
        use std::fs::Permissions;
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for (below, mode) in [("plain", 0o644), ("first", 0o755), ("second", 0o755)] {
            std::fs::create_dir(path(below)).unwrap();
            let program = path(below).join("tool");
            std::fs::write(&program, "").unwrap();
            std::fs::set_permissions(&program, Permissions::from_mode(mode)).unwrap();
        }
        std::fs::create_dir_all(path("nested/tool")).unwrap();
        let here = std::env::current_dir().unwrap();
        let above = "../".repeat(here.components().count());
        let relative = format!("{above}{}", path("second").display());
        assert!(Path::new(&relative).join("tool").is_file());
        let first = path("first").display().to_string();
        let program = |entries: &[&str]| {
            let environment = Environment::from_pairs([("PATH", entries.join(":"))]);
            environment.program("tool")
        };
        let of = |below: &str| path(below).display().to_string();
        assert_eq!(
            program(&[
                &relative,
                "",
                ".",
                &of("plain"),
                &of("nested"),
                &first,
                &of("second")
            ]),
            Some(path("first/tool"))
        );
        assert_eq!(program(&[&relative, "", "."]), None);
        assert_eq!(Environment::default().program("tool"), None);
    }

    #[test]
    fn a_value_may_stand_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        std::fs::write(&path, "two words\r\n").unwrap();
        let shown = path.display().to_string();
        let environment = |own: &str| Environment::from_pairs([("A", own), ("A_FILE", &shown)]);
        assert_eq!(environment("").value("A").unwrap().unwrap(), "two words");
        assert_eq!(environment("").value("B").unwrap(), None);
        let both = environment("x").value("A").unwrap_err().to_string();
        assert_eq!(
            both,
            "the variable `A_FILE` is set, and so is `A`; unset one of them"
        );
        std::fs::write(&path, "\u{feff}marked\n").unwrap();
        assert_eq!(environment("").value("A").unwrap().unwrap(), "marked");
        std::fs::write(&path, "\n").unwrap();
        let error = environment("").value("A").unwrap_err().to_string();
        assert_eq!(
            error,
            "the variable `A_FILE` names a file that holds nothing"
        );
        std::fs::write(&path, b"\xff").unwrap();
        let error = environment("").value("A").unwrap_err().to_string();
        assert_eq!(
            error,
            "the variable `A_FILE` names a file that is not UTF-8"
        );
        std::fs::remove_file(&path).unwrap();
        let error = environment("").value("A").unwrap_err().to_string();
        assert!(error.contains("/secret`, which cannot be read"), "{error}");
    }

    #[test]
    fn debug_shows_no_value() {
        let environment = Environment::from_pairs([("MCE_X_AUTH", "canary")]);
        assert_eq!(format!("{environment:?}"), r#"{"MCE_X_AUTH"}"#);
    }
}
