//! `RECORD`: every file of a wheel with its hash
//! ([Recording installed projects](https://packaging.python.org/en/latest/specifications/recording-installed-packages/)).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256, Sha384, Sha512};

/// Holds every file to its hash. Only the list itself and its signatures have none.
pub(super) fn check(
    record: &str,
    folder: &str,
    files: &BTreeMap<String, Vec<u8>>,
) -> Result<(), String> {
    let own = ["RECORD", "RECORD.jws", "RECORD.p7s"].map(|name| format!("{folder}/{name}"));
    let mut listed = BTreeSet::new();
    for line in record.lines().filter(|line| !line.trim().is_empty()) {
        // Only paths are ever quoted or hold commas.
        let mut fields = line.rsplitn(3, ',');
        let (Some(_size), Some(hash), Some(path)) = (fields.next(), fields.next(), fields.next())
        else {
            return Err("its `RECORD` has a line that is no path, hash and size".to_owned());
        };
        let path = unquoted(path);
        if own.contains(&path) {
            continue;
        }
        let Some(content) = files.get(&path) else {
            return Err(format!("`{path}` is on its `RECORD` but not in it"));
        };
        if !matches(hash, content) {
            return Err(format!(
                "`{path}` does not have the hash that its `RECORD` gives"
            ));
        }
        listed.insert(path);
    }
    match files
        .keys()
        .find(|path| !listed.contains(*path) && !own.contains(path))
    {
        Some(path) => Err(format!("`{path}` is not on its `RECORD`")),
        None => Ok(()),
    }
}

/// A list of these files and of itself.
pub(super) fn of(files: &BTreeMap<String, Vec<u8>>, own: &str) -> String {
    let mut text = String::new();
    for (path, content) in files {
        let hash = URL_SAFE_NO_PAD.encode(Sha256::digest(content));
        let _ = writeln!(text, "{},sha256={hash},{}", quoted(path), content.len());
    }
    let _ = writeln!(text, "{},,", quoted(own));
    text
}

fn quoted(path: &str) -> String {
    if path.contains([',', '"']) {
        format!("\"{}\"", path.replace('"', "\"\""))
    } else {
        path.to_owned()
    }
}

fn matches(hash: &str, content: &[u8]) -> bool {
    let Some((name, expected)) = hash.split_once('=') else {
        return false;
    };
    let found = match name {
        "sha256" => URL_SAFE_NO_PAD.encode(Sha256::digest(content)),
        "sha384" => URL_SAFE_NO_PAD.encode(Sha384::digest(content)),
        "sha512" => URL_SAFE_NO_PAD.encode(Sha512::digest(content)),
        _ => return false,
    };
    found == expected.trim_end_matches('=')
}

fn unquoted(field: &str) -> String {
    match field
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
    {
        Some(inner) => inner.replace("\"\"", "\""),
        None => field.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_has_its_hash_and_each_line_its_file() {
        let files = BTreeMap::from([
            ("a,b.py".to_owned(), b"x".to_vec()),
            ("p.dist-info/RECORD".to_owned(), Vec::new()),
        ]);
        assert_eq!(
            check(&of(&files, "p.dist-info/RECORD"), "p.dist-info", &files),
            Ok(())
        );
        let good = "sha256=LXEWQrcmsEQBYnyp-6wy9chTD7GQPMTbAiWHF5IaSIE";
        let check = |record: String| check(&record, "p.dist-info", &files);
        assert_eq!(
            check(format!("\"a,b.py\",{good},1\np.dist-info/RECORD,,\n")),
            Ok(())
        );
        for (record, reason) in [
            (
                "p.dist-info/RECORD,,\n".to_owned(),
                "`a,b.py` is not on its `RECORD`",
            ),
            (format!("\"a,b.py\",{good}x,1\n"), "does not have the hash"),
            ("\"a,b.py\",,\n".to_owned(), "does not have the hash"),
            (
                "\"a,b.py\",md5=nfXgaB_3Y7H0cnlCgm4tJQ,1\n".to_owned(),
                "does not have the hash",
            ),
            (
                format!("\"a,b.py\",{good},1\nc.py,{good},1\n"),
                "`c.py` is on its `RECORD` but not",
            ),
            ("nonsense\n".to_owned(), "no path, hash and size"),
        ] {
            let found = check(record.clone()).unwrap_err();
            assert!(found.contains(reason), "{record}: {found}");
        }
    }
}
