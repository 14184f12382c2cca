//! The zip archive, read into memory within bounds.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use zip::ZipArchive;

/// Files of one wheel.
const MOST_FILES: usize = 50_000;
const LONGEST_PATH: usize = 512;
/// The bits of a Unix mode that say what a file is, and those of a regular one.
const KIND: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;

/// Every file with its content. Anything that is no regular file, or lies elsewhere than below the
/// archive's own folder, is an error.
pub(super) fn files(bytes: &[u8], room: usize) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let broken = |error: zip::result::ZipError| format!("it is no readable zip archive: {error}");
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
    if archive.len() > MOST_FILES {
        return Err(format!("it has more than {MOST_FILES} files"));
    }
    let mut files = BTreeMap::new();
    let mut room = room;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(broken)?;
        let path = std::str::from_utf8(entry.name_raw())
            .map_err(|_| "it has a path that is no UTF-8".to_owned())?
            .to_owned();
        if entry.is_dir() {
            check_path(path.trim_end_matches('/'))?;
            continue;
        }
        check_path(&path)?;
        if entry.encrypted() {
            return Err(format!("`{path}` is encrypted"));
        }
        let kind = entry.unix_mode().map_or(0, |mode| mode & KIND);
        if entry.is_symlink() || !matches!(kind, 0 | REGULAR) {
            return Err(format!("`{path}` is a link or device, no file"));
        }
        let mut content = Vec::new();
        let limit = u64::try_from(room).unwrap_or(u64::MAX);
        entry
            .by_ref()
            .take(limit.saturating_add(1))
            .read_to_end(&mut content)
            .map_err(|error| format!("`{path}` cannot be unpacked: {error}"))?;
        room = room
            .checked_sub(content.len())
            .ok_or_else(|| "the packages are too large to add".to_owned())?;
        if files.insert(path.clone(), content).is_some() {
            return Err(format!("`{path}` is there twice"));
        }
    }
    // A file cannot be a folder as well.
    for path in files.keys() {
        let mut rest = path.as_str();
        while let Some((folder, _)) = rest.rsplit_once('/') {
            if files.contains_key(folder) {
                return Err(format!("`{folder}` is both a file and a folder"));
            }
            rest = folder;
        }
    }
    Ok(files)
}

/// A path is names joined by `/`, none of which leads up or away.
fn check_path(path: &str) -> Result<(), String> {
    let outside = || format!("the path `{path}` leads out of its folder");
    if path.is_empty() || path.starts_with('/') || path.contains('\\') || path.contains(':') {
        return Err(outside());
    }
    if path.len() > LONGEST_PATH || path.chars().any(char::is_control) {
        return Err("it has a path that is too long or holds control characters".to_owned());
    }
    if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err(outside());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check_path;

    #[test]
    fn paths_stay_below_their_folder() {
        for path in ["a.py", "a/b.py", "a/..b/c...py", "ä/中.py"] {
            assert_eq!(check_path(path), Ok(()), "{path}");
        }
        for path in [
            "",
            "/etc/passwd",
            "../a.py",
            "a/../../b.py",
            "a/./b.py",
            "a//b.py",
            "a/",
            "C:/a.py",
            "a\\..\\b.py",
            "a\0b.py",
            "a\nb.py",
        ] {
            assert!(check_path(path).is_err(), "{path:?}");
        }
    }
}
