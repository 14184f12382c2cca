//! A wheel: a zip archive of files to install
//! ([Binary distribution format](https://packaging.python.org/en/latest/specifications/binary-distribution-format/)).
//!
//! Nothing in it is believed: every path is one below the folder of packages, every file is a
//! regular one and has the hash that the wheel's own list gives, and the list names every file.

mod archive;
mod metadata;
mod record;

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};

pub(super) use metadata::Metadata;

use super::error::PackageError;
use super::tags::WheelName;

/// A wheel that was read and found to be one.
#[derive(Debug)]
pub(super) struct Wheel {
    /// The file's name.
    pub(super) file: String,
    /// What the file's name says.
    pub(super) name: WheelName,
    /// SHA-256 of the file, in hex.
    pub(super) sha256: String,
    /// What the package says of itself.
    pub(super) metadata: Metadata,
    /// What is installed: path below the folder of packages, and content.
    pub(super) files: BTreeMap<String, Vec<u8>>,
    /// The top-level names that can be imported.
    pub(super) modules: BTreeSet<String>,
}

impl Wheel {
    /// Reads a wheel that has this file name. `room` is how many bytes its files may have
    /// together.
    pub(super) fn read(
        file: &str,
        name: WheelName,
        bytes: &[u8],
        room: usize,
    ) -> Result<Self, PackageError> {
        let refused = |reason| PackageError::Wheel {
            file: file.to_owned(),
            reason,
        };
        let archived = archive::files(bytes, room).map_err(refused)?;
        let folder = dist_info(&archived, &name).map_err(refused)?;
        let text = |member: &str| {
            let found = archived.get(&format!("{folder}/{member}"));
            let bytes = found.ok_or_else(|| refused(format!("it has no `{member}`")))?;
            std::str::from_utf8(bytes).map_err(|_| refused(format!("its `{member}` is no UTF-8")))
        };
        metadata::check_format(text("WHEEL")?).map_err(refused)?;
        let metadata = Metadata::parse(text("METADATA")?).map_err(refused)?;
        if metadata.name != name.name || metadata.version != name.version {
            return Err(refused(format!(
                "by its metadata it is `{}=={}`",
                metadata.name, metadata.version
            )));
        }
        record::check(text("RECORD")?, &folder, &archived).map_err(refused)?;
        let files = installed(archived, &folder).map_err(refused)?;
        Ok(Self {
            file: file.to_owned(),
            modules: modules(files.keys().map(String::as_str)),
            files,
            sha256: hex::encode(Sha256::digest(bytes)),
            name,
            metadata,
        })
    }
}

/// The one `NAME-VERSION.dist-info` folder, which must be that of the wheel.
fn dist_info(files: &BTreeMap<String, Vec<u8>>, name: &WheelName) -> Result<String, String> {
    let folders: BTreeSet<&str> = files
        .keys()
        .filter_map(|path| path.split_once('/'))
        .map(|(folder, _)| folder)
        .filter(|folder| folder.ends_with(".dist-info"))
        .collect();
    let mut folders = folders.into_iter();
    let (Some(folder), None) = (folders.next(), folders.next()) else {
        return Err("it does not have one `.dist-info` folder".to_owned());
    };
    let stem = folder.strip_suffix(".dist-info").unwrap_or(folder);
    // The same as the file's name, so the same rules read it.
    let own = WheelName::parse(&format!("{stem}-py3-none-any.whl"));
    if own.is_none_or(|own| own.name != name.name || own.version != name.version) {
        return Err(format!("`{folder}` is the folder of another package"));
    }
    Ok(folder.to_owned())
}

/// From where files lie in the archive to where they are installed. Commands, headers and data are
/// left out, since there is nothing in the sandbox to use them; byte code is made anew; and files
/// that Python would run at every start have no place there.
fn installed(
    archived: BTreeMap<String, Vec<u8>>,
    folder: &str,
) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let data = format!(
        "{}.data/",
        folder.strip_suffix(".dist-info").unwrap_or(folder)
    );
    let mut files = BTreeMap::new();
    for (path, bytes) in archived {
        let path = match path.strip_prefix(&data) {
            None => path,
            Some(rest) => match rest.split_once('/') {
                Some(("purelib" | "platlib", rest)) => rest.to_owned(),
                Some(("scripts" | "headers" | "data", _)) => continue,
                _ => return Err(format!("`{path}` has no place")),
            },
        };
        let is_startup_file = !path.contains('/') && extension(&path) == "pth";
        if is_startup_file || path.split('/').any(|part| part == "__pycache__") {
            continue;
        }
        if files.insert(path.clone(), bytes).is_some() {
            return Err(format!("`{path}` is there twice"));
        }
    }
    // The list of what is installed, not of what was in the archive.
    let list = format!("{folder}/RECORD");
    files.remove(&list);
    let record = record::of(&files, &list);
    files.insert(list, record.into_bytes());
    Ok(files)
}

/// What stands behind the last dot.
fn extension(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// The top-level names that Python could import from files at these paths.
fn modules<'p>(paths: impl Iterator<Item = &'p str>) -> BTreeSet<String> {
    paths
        .filter_map(|path| {
            let is_module = matches!(extension(path), "py" | "pyc" | "so");
            let first = path.split('/').next().unwrap_or(path);
            // `name.cpython-313-x86_64-linux-gnu.so` is the module `name`.
            let name = if path.contains('/') {
                first
            } else {
                first.split('.').next().unwrap_or(first)
            };
            (is_module && !name.is_empty() && !name.contains(['.', '-'])).then(|| name.to_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_what_the_files_are_not_what_a_list_says() {
        let paths = [
            "six.py",
            "yaml/__init__.py",
            "yaml/loader.py",
            "_yaml.cpython-313-x86_64-linux-gnu.so",
            "space/inner/deep.py",
            "numpy.libs/libgfortran.so",
            "pkg-1.0.dist-info/METADATA",
            "README.md",
            "data/table.csv",
            "old.pyc",
        ];
        let found = modules(paths.into_iter());
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        assert_eq!(found, ["_yaml", "old", "six", "space", "yaml"]);
    }
}
