//! The check before a compiled server is used: what is reviewed is what is enforced.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::committed::without_returns;
use super::folder::{self, FolderError, parse_manifest};
use super::manifest::sha256_hex;
use super::skills::MOST_BYTES;
use super::{FUNCTIONS_FILE, MANIFEST_FILE, SKILLS_FILE, agree};
use crate::api::{Function, Manifest, RUNTIME_ABI, is_known_method, is_mutating};
use crate::headers::{is_part_header, is_part_header_value};
use crate::invisible::visible;
use crate::python::{CompiledModule, ModuleError, check_module};

/// Times that a folder is read which does not fit together.
const MOST_ATTEMPTS: u32 = 4;

/// A compiled server that passed the check: the very bytes that were checked.
#[derive(Debug, Clone)]
pub struct Verified {
    /// Its manifest.
    pub manifest: Manifest,
    /// Its `functions.py`.
    pub functions: CompiledModule,
    /// Its `skills.md`, if it has one.
    pub skills: Option<String>,
}

/// Why a compiled server is refused. Every message says to run `mce compile`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A file is missing.
    #[error("`{path}` is missing; run `mce compile`")]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// A file cannot be read.
    #[error("{0}; run `mce compile`")]
    Folder(#[from] FolderError),
    /// The manifest is none, or one of another version.
    #[error("`{path}` is no manifest that this version knows ({reason}); run `mce compile`")]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A file is not the one that was compiled.
    #[error(
        "`{path}` is not the file that its manifest was compiled with; restore both from version control or run `mce compile`"
    )]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A file is the one that was compiled, but for its line ends.
    #[error(
        "the line ends of `{path}` were converted, most likely by git's autocrlf; add `compiled/** -text` to .gitattributes and check it out again, or run `mce compile`"
    )]
    LineEnds {
        /// The file.
        path: PathBuf,
    },
    /// The module holds something else than compiled functions.
    #[error("`{path}`: {error}; run `mce compile`")]
    Module {
        /// The module.
        path: PathBuf,
        /// What is wrong.
        error: ModuleError,
    },
    /// The module and the manifest disagree.
    #[error("`{server}`: functions.py and manifest.json disagree on {what}; run `mce compile`")]
    Disagree {
        /// The server.
        server: String,
        /// On what.
        what: String,
    },
    /// A read-only server with an operation that may change state.
    #[error(
        "`{server}` is read-only, yet its manifest holds `{operation}`, which `read_only_allow` does not list; run `mce compile`"
    )]
    NotReadOnly {
        /// The server.
        server: String,
        /// `METHOD /path`.
        operation: String,
    },
}

impl VerifyError {
    /// The same with its path below the folder of compiled output, for who is not to know where that
    /// is.
    #[must_use]
    pub fn below(mut self, output: &Path) -> Self {
        let path = match &mut self {
            Self::Missing { path }
            | Self::Manifest { path, .. }
            | Self::Changed { path }
            | Self::LineEnds { path }
            | Self::Module { path, .. }
            | Self::Folder(
                FolderError::Link { path }
                | FolderError::Manifest { path, .. }
                | FolderError::Foreign { path }
                | FolderError::Io { path, .. },
            ) => path,
            Self::Disagree { .. } | Self::NotReadOnly { .. } => return self,
        };
        if let Ok(below) = path.strip_prefix(output) {
            *path = below.to_owned();
        }
        self
    }

    /// The message without what to do.
    pub(super) fn reason(&self) -> String {
        let text = self.to_string();
        match text.rsplit_once("; ") {
            Some((reason, _)) => reason.to_owned(),
            None => text,
        }
    }
}

/// Reads a compiled server and checks it. What is returned are the very bytes that were checked.
///
/// # Errors
///
/// Where a file is missing, was changed since it was compiled, or is of another version, and
/// where module and manifest do not say the same of a function.
pub fn verify(output: &Path, server: &str) -> Result<Verified, VerifyError> {
    let mut attempts = 1;
    loop {
        match check(output, server) {
            // The folder may have been exchanged for a newly compiled one between two reads.
            Err(VerifyError::Changed { .. } | VerifyError::Missing { .. })
                if attempts < MOST_ATTEMPTS =>
            {
                attempts += 1;
            }
            checked => return checked,
        }
    }
}

fn check(output: &Path, server: &str) -> Result<Verified, VerifyError> {
    let is_plain = Path::new(server)
        .file_name()
        .is_some_and(|plain| plain == server);
    let folder = output.join(server);
    let manifest_path = folder.join(MANIFEST_FILE);
    if !is_plain {
        return Err(VerifyError::Missing {
            path: manifest_path,
        });
    }
    if std::fs::symlink_metadata(&folder).is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(FolderError::Link { path: folder }.into());
    }
    let bytes = folder::read_regular(&manifest_path)?.ok_or_else(|| VerifyError::Missing {
        path: manifest_path.clone(),
    })?;
    let refuse = |reason: String| VerifyError::Manifest {
        path: manifest_path.clone(),
        reason,
    };
    let manifest = parse_manifest(&bytes).map_err(refuse)?;
    if manifest.runtime_abi != RUNTIME_ABI {
        return Err(refuse(format!(
            "`runtime_abi` is {}, expected {RUNTIME_ABI}",
            manifest.runtime_abi
        )));
    }
    if manifest.server != server {
        return Err(refuse(format!(
            "it is that of `{}`",
            visible(&manifest.server)
        )));
    }
    for function in &manifest.functions {
        if !is_known_method(&function.method) {
            let (name, method) = (visible(&function.name), visible(&function.method));
            return Err(refuse(format!("the method of `{name}` is `{method}`")));
        }
        let is_here = function.base_url.as_deref().is_none_or(|own| {
            let root = manifest.base_url.as_deref();
            root.is_some_and(|root| is_same_origin(own, root))
        });
        if !is_here {
            return Err(refuse(format!(
                "the `base_url` of `{}` is on another origin than the server's",
                visible(&function.name)
            )));
        }
        if let Some(header) = unfit_header(function) {
            return Err(refuse(format!(
                "the body of `{}` has parts with the header `{}`, which cannot be sent",
                visible(&function.name),
                visible(header)
            )));
        }
    }
    let Outputs { functions, skills } = outputs(&folder, &manifest, &refuse)?;
    let path = folder.join(FUNCTIONS_FILE);
    let functions =
        functions.ok_or_else(|| refuse(format!("`outputs` lacks `{FUNCTIONS_FILE}`")))?;
    let facts = check_module(&functions).map_err(|error| VerifyError::Module { path, error })?;
    if let Some(what) = agree::disagreement(&manifest, &facts) {
        return Err(VerifyError::Disagree {
            server: server.to_owned(),
            what,
        });
    }
    Ok(Verified {
        manifest,
        functions: CompiledModule::new(functions, facts),
        skills,
    })
}

/// The `functions.py` of a server that was checked, read again; `None` where it cannot be read, or is
/// not the text any more whose SHA-256 is given.
#[must_use]
pub fn reread(output: &Path, server: &str, sha256: &str) -> Option<String> {
    let bytes = folder::read_regular(&output.join(server).join(FUNCTIONS_FILE)).ok()??;
    if sha256_hex(&bytes) != sha256 {
        return None;
    }
    String::from_utf8(bytes).ok()
}

/// The texts that a manifest vouches for.
struct Outputs {
    functions: Option<String>,
    skills: Option<String>,
}

/// Reads the files that a manifest lists, each of which has to be the one that was compiled.
fn outputs(
    folder: &Path,
    manifest: &Manifest,
    refuse: &dyn Fn(String) -> VerifyError,
) -> Result<Outputs, VerifyError> {
    let (mut functions, mut skills) = (None, None);
    for (file, sha256) in &manifest.outputs {
        if Path::new(file)
            .file_name()
            .is_none_or(|plain| plain != file.as_str())
        {
            return Err(refuse(format!(
                "`outputs` lists `{}`, which is no plain file name",
                visible(file)
            )));
        }
        let path = folder.join(file);
        let bytes = folder::read_regular(&path)?
            .ok_or_else(|| VerifyError::Missing { path: path.clone() })?;
        if sha256_hex(&bytes) != *sha256 {
            return Err(if sha256_hex(&without_returns(&bytes)) == *sha256 {
                VerifyError::LineEnds { path }
            } else {
                VerifyError::Changed { path }
            });
        }
        if file == FUNCTIONS_FILE {
            let text = String::from_utf8(bytes).map_err(|_| VerifyError::Changed { path })?;
            functions = Some(text);
        } else if file == SKILLS_FILE {
            if bytes.len() > MOST_BYTES {
                return Err(refuse(format!(
                    "`{SKILLS_FILE}` has {} bytes, expected at most {MOST_BYTES}",
                    bytes.len()
                )));
            }
            let text = String::from_utf8(bytes).map_err(|_| VerifyError::Changed { path })?;
            skills = Some(text);
        }
    }
    Ok(Outputs { functions, skills })
}

/// A header of the parts of a multipart body that is no line of its own, or the encoder's to write.
fn unfit_header(function: &Function) -> Option<&str> {
    let body = function.body.as_ref()?;
    let alternatives = body.alternatives.iter().map(|it| &it.encoding);
    let mut headers = std::iter::once(&body.encoding)
        .chain(alternatives)
        .flat_map(BTreeMap::values)
        .flat_map(|encoding| &encoding.headers);
    let unfit = headers.find(|(name, value)| !is_part_header(name) || !is_part_header_value(value));
    unfit.map(|(name, _)| name.as_str())
}

/// Whether credentials for one URL may go to the other, which names no user and has no query.
fn is_same_origin(own: &str, root: &str) -> bool {
    let (Ok(own), Ok(root)) = (url::Url::parse(own), url::Url::parse(root)) else {
        return false;
    };
    let is_plain = own.username().is_empty()
        && own.password().is_none()
        && own.query().is_none()
        && own.fragment().is_none();
    is_plain && matches!(own.scheme(), "http" | "https") && own.origin() == root.origin()
}

impl Verified {
    /// Holds the read-only rule against what was compiled, with the config of today.
    /// `allowed` are the entries of `read_only_allow`: method and path.
    ///
    /// # Errors
    ///
    /// Where config or manifest say read-only and a function may change state all the same.
    pub fn check_read_only<'a>(
        &self,
        read_only: bool,
        allowed: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Result<(), VerifyError> {
        if !read_only && !self.manifest.read_only {
            return Ok(());
        }
        let allowed: Vec<(&str, &str)> = allowed.collect();
        for function in &self.manifest.functions {
            if is_mutating(&function.method)
                && !allowed.contains(&(function.method.as_str(), function.path.as_str()))
            {
                return Err(VerifyError::NotReadOnly {
                    server: self.manifest.server.clone(),
                    operation: format!("{} {}", function.method, function.path),
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_its_folder_no_error_says_where_that_is() {
        let path = PathBuf::from("/home/ada/compiled/pets/manifest.json");
        let reason = String::new;
        let folder = |error: FolderError| VerifyError::Folder(error);
        for error in [
            VerifyError::Missing { path: path.clone() },
            VerifyError::Manifest {
                path: path.clone(),
                reason: reason(),
            },
            VerifyError::Changed { path: path.clone() },
            VerifyError::LineEnds { path: path.clone() },
            VerifyError::Module {
                path: path.clone(),
                error: check_module("import os").unwrap_err(),
            },
            folder(FolderError::Link { path: path.clone() }),
            folder(FolderError::Manifest {
                path: path.clone(),
                reason: reason(),
            }),
            folder(FolderError::Foreign { path: path.clone() }),
            folder(FolderError::Io {
                action: "read",
                path: path.clone(),
                reason: reason(),
            }),
        ] {
            let whole = error.to_string();
            assert!(
                whole.contains("`/home/ada/compiled/pets/manifest.json`"),
                "{whole}"
            );
            let below = error.below(Path::new("/home/ada/compiled")).to_string();
            assert_eq!(below, whole.replace("/home/ada/compiled/", ""));
        }
    }
}
