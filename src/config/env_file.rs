//! The `--env-file`: `NAME=value` lines, taken as data. Nothing is substituted or run.

use std::collections::BTreeMap;
use std::path::Path;

use super::Error;
use super::error::{Complaint, escape, quote};
use super::template::is_variable_name;
use crate::files::{self, Links};

/// Size of the file in bytes.
const FILE_BYTES: u64 = 1 << 20;
/// Size of one value in bytes.
const VALUE_BYTES: usize = 32 << 10;

/// Names an env file never sets, even if the config names them: they steer programs and libraries
/// (a star stands for anything).
const NEVER: &[&str] = &[
    "PATH",
    "HOME",
    "TMPDIR",
    "LD_*",
    "DYLD_*",
    "PYTHON*",
    "DOCKER_*",
    "CONTAINER_HOST",
    "XDG_RUNTIME_DIR",
    "*_PROXY",
    "SSL_*",
    "SSLKEYLOGFILE",
];

/// The variables of an env file, before it is decided which of them count.
#[derive(Clone, Default)]
pub struct EnvFile {
    path: String,
    variables: BTreeMap<String, (String, usize)>,
    warnings: Vec<String>,
}

impl EnvFile {
    /// Reads a file.
    ///
    /// # Errors
    /// It is not a regular file, too big, or has a malformed line.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let shown = escape(&path.to_string_lossy(), 300);
        let bytes = files::read_regular(path, FILE_BYTES, Links::Followed)
            .map_err(|why| Complaint::at(&shown, why.to_string()))?;
        Self::parse(&bytes, &shown)
    }

    /// Parses the content of a file; `path` is for messages.
    ///
    /// # Errors
    /// A malformed line.
    pub fn parse(bytes: &[u8], path: &str) -> Result<Self, Error> {
        let mut file = Self {
            path: path.to_owned(),
            ..Self::default()
        };
        let mut complaints = Vec::new();
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            let number = index + 1;
            match parse_line(line) {
                Ok(None) => {}
                Ok(Some((name, value))) => {
                    if let Some((_, earlier)) = file.variables.insert(name.clone(), (value, number))
                    {
                        file.warnings.push(format!(
                            "{path}:{number}: `{name}` is set again (before in line {earlier}); \
                             the last one counts"
                        ));
                    }
                }
                Err(why) => complaints.push(
                    Complaint::at(format!("{path}:{number}"), why)
                        .hint("write `NAME=value`, one a line, quoted where it holds `#`"),
                ),
            }
        }
        match Error::from_complaints(complaints) {
            Some(error) => Err(error),
            None => Ok(file),
        }
    }

    /// What may be taken, and warnings about what may not.
    pub(super) fn select(
        &self,
        allowed: impl Fn(&str) -> bool,
    ) -> (Vec<(&str, &str)>, Vec<String>) {
        let mut taken = Vec::new();
        let mut warnings = self.warnings.clone();
        for (name, (value, line)) in &self.variables {
            let ours = name.starts_with("MCE_")
                || name.starts_with("MCP_BRIDGE_")
                || name == "MCP_SERVERS_CONFIG";
            if ours {
                taken.push((name.as_str(), value.as_str()));
            } else if is_never_set(name) {
                warnings.push(format!(
                    "{}:{line}: `{name}` is ignored: an env file never sets it",
                    self.path
                ));
            } else if allowed(name) {
                taken.push((name.as_str(), value.as_str()));
            } else {
                warnings.push(format!(
                    "{}:{line}: `{name}` is ignored: it is no variable of mce and the config does \
                     not name it",
                    self.path
                ));
            }
        }
        (taken, warnings)
    }
}

/// Whether a name is one that no env file sets, even if the config names it.
#[must_use]
pub fn is_never_set(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    NEVER.iter().any(
        |pattern| match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
            (Some(end), _) => name.ends_with(end),
            (_, Some(start)) => name.starts_with(start),
            _ => name == *pattern,
        },
    )
}

/// The variable a line sets; `None` for a blank line or a comment.
fn parse_line(line: &[u8]) -> Result<Option<(String, String)>, String> {
    let line = std::str::from_utf8(line).map_err(|_| "is not UTF-8".to_owned())?;
    let line = line.trim();
    if line.contains('\0') {
        return Err("holds a NUL character".to_owned());
    }
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let line = match line.strip_prefix("export") {
        Some(rest) if rest.starts_with([' ', '\t']) => rest.trim_start(),
        _ => line,
    };
    let (name, value) = line
        .split_once('=')
        .ok_or_else(|| "has no `=`".to_owned())?;
    let name = name.trim_end();
    if !is_variable_name(name) {
        // Only what could be a name is repeated: a stray line may be a piece of a secret.
        return Err(match name {
            "" => "has no name before the `=`".to_owned(),
            name if name.contains(' ') && name.len() <= 40 => {
                format!("{} is no name of a variable", quote(name))
            }
            _ => "has no valid name before the `=`".to_owned(),
        });
    }
    let value = parse_value(value.trim_start()).map_err(|why| format!("`{name}` {why}"))?;
    if value.len() > VALUE_BYTES {
        return Err(format!("`{name}` is longer than {VALUE_BYTES} bytes"));
    }
    Ok(Some((name.to_owned(), value)))
}

fn parse_value(text: &str) -> Result<String, String> {
    let Some(quote) = text
        .chars()
        .next()
        .filter(|first| matches!(first, '\'' | '"'))
    else {
        // A comment starts at a `#` after white space: `a#b` is a value.
        let end = text
            .match_indices('#')
            .map(|(at, _)| at)
            .find(|at| {
                text.get(..*at)
                    .is_some_and(|before| before.is_empty() || before.ends_with([' ', '\t']))
            })
            .unwrap_or(text.len());
        return Ok(text.get(..end).unwrap_or(text).trim_end().to_owned());
    };
    let mut value = String::new();
    let mut characters = text.chars();
    characters.next();
    loop {
        match characters.next() {
            None => return Err(format!("has a {quote} that is not closed in its line")),
            Some(character) if character == quote => break,
            Some('\\') if quote == '"' => match characters.next() {
                Some('n') => value.push('\n'),
                Some('r') => value.push('\r'),
                Some('t') => value.push('\t'),
                Some(escaped @ ('"' | '\\' | '$' | '`')) => value.push(escaped),
                Some(other) => value.extend(['\\', other]),
                None => return Err(format!("has a {quote} that is not closed in its line")),
            },
            Some(character) => value.push(character),
        }
    }
    let rest = characters.as_str().trim_start();
    if rest.is_empty() || rest.starts_with('#') {
        Ok(value)
    } else {
        Err("has something after the closing quote".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Environment;

    fn read(text: &[u8]) -> Environment {
        let file = EnvFile::parse(text, ".env").unwrap();
        Environment::default().with(&file, |_| true).0
    }

    #[test]
    fn usual_spellings_are_read() {
        let environment = read(
            b"\xef\xbb\xbfMCE_A=one\r\n# comment\n\nexport MCE_B = two words # note\nMCE_C='a # \"b\" \\n' # c\n\
              MCE_D=\"x\\ty\\\"z\\$\"\nMCE_E=\nMCE_F=a#b=c\nMCE_G=\xc3\xa9\n\texport\tMCE_H=h\n",
        );
        let values: Vec<_> = ["A", "B", "C", "D", "E", "F", "G", "H"]
            .iter()
            .map(|name| environment.get(&format!("MCE_{name}")).unwrap())
            .collect();
        assert_eq!(
            values,
            [
                "one",
                "two words",
                "a # \"b\" \\n",
                "x\ty\"z$",
                "",
                "a#b=c",
                "é",
                "h"
            ]
        );
    }

    #[test]
    fn nothing_is_substituted() {
        let environment = read(
            b"MCE_A=$(touch x)\nMCE_B=`echo x`\nMCE_C=${MCE_D}\nMCE_D=\"$(id) ${MCE_A}\"\nexport MCE_E=1; touch \"$X\"",
        );
        assert_eq!(environment.get("MCE_A"), Some("$(touch x)"));
        assert_eq!(environment.get("MCE_B"), Some("`echo x`"));
        assert_eq!(environment.get("MCE_C"), Some("${MCE_D}"));
        assert_eq!(environment.get("MCE_D"), Some("$(id) ${MCE_A}"));
        assert_eq!(environment.get("MCE_E"), Some("1; touch \"$X\""));
    }

    #[test]
    fn the_real_environment_wins() {
        let file = EnvFile::parse(b"MCE_A=file\nMCE_B=file", ".env").unwrap();
        let (environment, warnings) =
            Environment::from_pairs([("MCE_A", "real")]).with(&file, |_| false);
        assert_eq!(environment.get("MCE_A"), Some("real"));
        assert_eq!(environment.get("MCE_B"), Some("file"));
        assert!(warnings.is_empty());
    }

    #[test]
    fn only_permitted_names_are_taken() {
        let text = b"PATH=/x\nHOME=/x\nLD_PRELOAD=x\nPYTHONPATH=x\nDOCKER_HOST=x\nhttps_proxy=x\nSSL_CERT_FILE=x\n\
                     SSLKEYLOGFILE=x\nAPI_TOKEN=t\nOTHER=canary\nMCE_HTTPS_PROXY=p\nMCP_BRIDGE_IMAGE=i\nMCP_SERVERS_CONFIG=c\nMCP_OTHER=o";
        let file = EnvFile::parse(text, ".env").unwrap();
        // Even a config that names them all does not let the dangerous ones through.
        let (environment, warnings) =
            Environment::default().with(&file, |name| !name.contains("OTHER"));
        assert_eq!(
            environment.names().collect::<Vec<_>>(),
            [
                "API_TOKEN",
                "MCE_HTTPS_PROXY",
                "MCP_BRIDGE_IMAGE",
                "MCP_SERVERS_CONFIG"
            ]
        );
        assert_eq!(warnings.len(), 10);
        assert!(
            warnings
                .iter()
                .any(|warning| warning.starts_with(".env:10: `OTHER` is ignored"))
        );
        assert!(!warnings.join("\n").contains("canary"));
    }

    #[test]
    fn broken_lines_are_named_without_their_value() {
        let mut text = b"MCE_OK=1\nMCE_B='canary never closed\nMCE_C=canary\0b\n=canary\ncanarycanary\nMCE_D=canary\xff\nMCE_E=".to_vec();
        text.extend(vec![b'x'; 70_000]);
        text.extend(b"\nMCE_F=\"a\"canary");
        let error = EnvFile::parse(&text, ".env").err().unwrap();
        let lines: Vec<_> = error
            .complaints()
            .iter()
            .map(|complaint| complaint.place.as_str())
            .collect();
        assert_eq!(
            lines,
            [
                ".env:2", ".env:3", ".env:4", ".env:5", ".env:6", ".env:7", ".env:8"
            ]
        );
        assert!(!error.to_string().contains("canary"), "{error}");
    }

    #[test]
    fn a_folder_or_missing_file_is_one_clear_error() {
        let folder = tempfile::tempdir().unwrap();
        let error = EnvFile::read(folder.path()).err().unwrap().to_string();
        assert!(error.contains("no regular file"), "{error}");
        let error = EnvFile::read(&folder.path().join("x")).err().unwrap();
        assert!(error.to_string().contains("cannot be read"), "{error}");
    }
}
