//! The lock file: every added package with its version and the hashes of its wheels, in the format
//! of requirements files, so that `pip install --require-hashes -r sandbox.lock` reads it as well.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::Path;
use std::str::FromStr;

use pep440_rs::Version;
use sha2::{Digest, Sha256};

use super::error::{PackageError, unreadable};
use crate::config::PackageName;
use crate::files::{Links, ReadError, read_regular, replace};

const HEAD: &str = "\
# Written by `mce sandbox build` for MCE_SANDBOX_PACKAGES. Commit it: the image is built from these
# files and no others.
";
/// More is no lock file.
const LONGEST: u64 = 4 << 20;

/// What a lock file says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::sandbox::docker) struct Lock {
    pub(super) entries: BTreeMap<PackageName, Entry>,
}

/// One package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) version: Version,
    /// SHA-256 in hex, of every wheel that may be installed.
    pub(super) hashes: BTreeSet<String>,
}

impl Lock {
    /// Reads a lock file; `None` where there is none.
    pub(in crate::sandbox::docker) fn read(path: &Path) -> Result<Option<Self>, PackageError> {
        let bytes = match read_regular(path, LONGEST, Links::Followed) {
            Ok(bytes) => bytes,
            Err(ReadError::Io(error)) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable("read the lock file", path, error)),
        };
        let text = String::from_utf8_lossy(&bytes);
        let lock = Self::parse(&text).map_err(|(line, reason)| PackageError::Lock {
            path: path.to_owned(),
            line,
            reason,
        })?;
        Ok(Some(lock))
    }

    fn parse(text: &str) -> Result<Self, (usize, String)> {
        let mut lock = Self::default();
        let mut lines = text.lines().enumerate();
        while let Some((index, line)) = lines.next() {
            let number = index + 1;
            let mut whole = without_comment(line).to_owned();
            while let Some(rest) = whole.trim_end().strip_suffix('\\') {
                let next = lines.next().map_or("", |(_, next)| without_comment(next));
                whole = format!("{rest} {next}");
            }
            let mut words = whole.split_whitespace();
            let Some(pin) = words.next() else { continue };
            let (name, entry) = entry(pin, words).map_err(|reason| (number, reason))?;
            if lock.entries.insert(name.clone(), entry).is_some() {
                return Err((number, format!("`{name}` is there twice")));
            }
        }
        Ok(lock)
    }

    /// The text of the file.
    pub(super) fn text(&self) -> String {
        format!("{HEAD}{}", self.body())
    }

    fn body(&self) -> String {
        let mut text = String::new();
        for (name, entry) in &self.entries {
            let _ = write!(text, "{name}=={}", entry.version);
            for hash in &entry.hashes {
                let _ = write!(text, " \\\n    --hash=sha256:{hash}");
            }
            text.push('\n');
        }
        text
    }

    /// A hash of what the file says, not of how it says it.
    pub(in crate::sandbox::docker) fn digest(&self) -> String {
        hex::encode(Sha256::digest(self.body()))
    }

    /// Writes the file, whole or not at all.
    pub(super) fn write(&self, path: &Path) -> Result<(), PackageError> {
        // A file to be committed, not a secret.
        let written = replace(path, self.text().as_bytes(), 0o666);
        written.map_err(|source| PackageError::File {
            action: "write the lock file",
            path: path.to_owned(),
            source,
        })
    }

    /// Takes over the hashes that another lock has for the same versions: those of wheels for other
    /// kinds of machines.
    pub(super) fn keep_hashes_of(&mut self, other: &Self) {
        for (name, entry) in &mut self.entries {
            if let Some(old) = other.entries.get(name)
                && old.version == entry.version
            {
                entry.hashes.extend(old.hashes.iter().cloned());
            }
        }
    }
}

/// Comments begin a line or stand after a space.
fn without_comment(line: &str) -> &str {
    if line.trim_start().starts_with('#') {
        return "";
    }
    line.split_once(" #").map_or(line, |(code, _)| code)
}

fn entry<'t>(
    pin: &str,
    words: impl Iterator<Item = &'t str>,
) -> Result<(PackageName, Entry), String> {
    let wrong = || "expected `name==version --hash=sha256:…`".to_owned();
    let (name, version) = pin.split_once("==").ok_or_else(wrong)?;
    let name = PackageName::from_str(name).map_err(|_| wrong())?;
    let version = Version::from_str(version).map_err(|_| wrong())?;
    let mut hashes = BTreeSet::new();
    for word in words {
        let hash = word.strip_prefix("--hash=sha256:").ok_or_else(wrong)?;
        let is_hash = hash.len() == 64 && hash.bytes().all(|it| it.is_ascii_hexdigit());
        if !is_hash {
            return Err(format!("`{name}` has a hash that is none of SHA-256"));
        }
        hashes.insert(hash.to_ascii_lowercase());
    }
    if hashes.is_empty() {
        return Err(format!("`{name}` has no hash"));
    }
    Ok((name, Entry { version, hashes }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(digit: char) -> String {
        digit.to_string().repeat(64)
    }

    #[test]
    fn what_was_written_is_read_and_comments_do_not_count() {
        let text = format!(
            "# by hand\nZeta.Two==1.0 --hash=sha256:{} # why\n\nalpha==2 \\\n    --hash=sha256:{} \\\n    --hash=sha256:{}\n    # via zeta\n",
            hash('A'),
            hash('c'),
            hash('b'),
        );
        let lock = Lock::parse(&text).unwrap();
        assert_eq!(
            lock.text(),
            format!(
                "{HEAD}alpha==2 \\\n    --hash=sha256:{} \\\n    --hash=sha256:{}\nzeta-two==1.0 \\\n    --hash=sha256:{}\n",
                hash('b'),
                hash('c'),
                hash('a')
            )
        );
        assert_eq!(Lock::parse(&lock.text()).unwrap(), lock);
        assert_eq!(Lock::parse(&lock.text()).unwrap().digest(), lock.digest());
    }

    #[test]
    fn what_is_no_pin_with_a_hash_is_named_by_line() {
        let good = format!("a==1 --hash=sha256:{}\n", hash('a'));
        for (line, reason) in [
            ("b>=1 --hash=sha256:x", "expected `name==version"),
            ("b==1", "`b` has no hash"),
            ("b==1 --hash=md5:abc", "expected `name==version"),
            ("b==1 --hash=sha256:abc", "none of SHA-256"),
            ("--index-url https://example.com", "expected `name==version"),
            ("-r other.txt", "expected `name==version"),
            (good.trim_end(), "`a` is there twice"),
        ] {
            let (number, found) = Lock::parse(&format!("{good}{line}\n")).unwrap_err();
            assert_eq!(number, 2, "{line}");
            assert!(found.contains(reason), "{line}: {found}");
        }
    }

    #[test]
    fn hashes_for_other_machines_stay_while_the_version_does() {
        let lock = |version: &str, digit| {
            Lock::parse(&format!("a=={version} --hash=sha256:{}", hash(digit))).unwrap()
        };
        let mut new = lock("1", 'b');
        new.keep_hashes_of(&lock("1", 'a'));
        assert_eq!(new.body().matches("--hash").count(), 2);
        let mut newer = lock("2", 'b');
        newer.keep_hashes_of(&lock("1", 'a'));
        assert_eq!(newer, lock("2", 'b'));
    }
}
