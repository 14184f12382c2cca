//! What can be wrong with added packages.

use std::path::{Path, PathBuf};

use crate::files::ReadError;

/// Why packages are not added to an image.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackageError {
    /// A file or folder cannot be read or written.
    #[error("cannot {action} `{}`: {source}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// There is no wheel of a package.
    #[error("there is no wheel of `{package}`{needed_by} among those at hand")]
    Missing {
        /// Name, and which versions would do.
        package: String,
        /// ` (NAME needs it)`, or nothing.
        needed_by: String,
    },
    /// A package is there as source only.
    #[error(
        "`{package}` is there as source only (`{file}`); wheels alone are installed, since a \
         source runs its own code to be built"
    )]
    SourceOnly {
        /// The package.
        package: String,
        /// The file.
        file: String,
    },
    /// No wheel of a package fits the image.
    #[error("no wheel of `{package}` fits the image, which has {image}; found {files}")]
    Platform {
        /// The package.
        package: String,
        /// What the image has.
        image: String,
        /// The wheels.
        files: String,
    },
    /// A wheel is not as a wheel must be.
    #[error("the wheel `{file}` is refused: {reason}")]
    Wheel {
        /// The file.
        file: String,
        /// Why.
        reason: String,
    },
    /// The hash of a wheel is not among those of the lock file.
    #[error(
        "the wheel `{file}` has the hash sha256:{found}, which `{}` does not hold for `{package}`; \
         if the file is right, such as for another kind of machine, add it with \
         `mce sandbox build --update-lock`", lock.display()
    )]
    Hash {
        /// The file.
        file: String,
        /// The package.
        package: String,
        /// The hash of the file.
        found: String,
        /// The lock file.
        lock: PathBuf,
    },
    /// A package would hide modules of Python or of the image.
    #[error("the wheel `{file}` is refused: its module `{module}` has the name of {what}")]
    Shadows {
        /// The file.
        file: String,
        /// The module.
        module: String,
        /// What it would hide.
        what: &'static str,
    },
    /// A package needs another version of one that is there.
    #[error("{wanted_by} needs `{requirement}`, but {present}")]
    Conflict {
        /// Who needs it.
        wanted_by: String,
        /// What is needed.
        requirement: String,
        /// What is there and why it stays.
        present: String,
    },
    /// The lock file cannot be understood.
    #[error("`{}`, line {line}: {reason}; write it anew with `mce sandbox build --update-lock`", path.display())]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// The lock file is one for other packages.
    #[error(
        "`{}` does not fit `MCE_SANDBOX_PACKAGES`: {difference}; write it anew with \
         `mce sandbox build --update-lock`", path.display()
    )]
    LockDiffers {
        /// The lock file.
        path: PathBuf,
        /// What each of both says.
        difference: String,
    },
    /// The image cannot fetch packages.
    #[error(
        "the base has no pip to fetch packages with; fetch them with\n  {command}\nand build with \
         `mce sandbox build --wheels wheels`"
    )]
    NoPip {
        /// What fetches them.
        command: String,
    },
    /// pip failed.
    #[error(
        "fetching the packages failed: {message}\nwhere containers reach no package index, fetch \
         them with\n  {command}\nand build with `mce sandbox build --wheels wheels`"
    )]
    Pip {
        /// The end of what pip said.
        message: String,
        /// What fetches them on the host.
        command: String,
    },
}

/// The error of a file that cannot be read.
pub(super) fn unreadable(action: &'static str, path: &Path, error: ReadError) -> PackageError {
    PackageError::File {
        action,
        path: path.to_owned(),
        source: match error {
            ReadError::Io(error) => error,
            error => std::io::Error::other(format!("it {error}")),
        },
    }
}
