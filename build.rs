//! Tells the compiler of documents which sources it is made of, so that what an earlier state of
//! the same version compiled is not taken for current.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What the compiled output depends on: `compile` and all that it uses.
const SOURCES: &[&str] = &[
    "src/address.rs",
    "src/api",
    "src/compile",
    "src/config",
    "src/domains.rs",
    "src/files.rs",
    "src/headers.rs",
    "src/invisible.rs",
    "src/openapi",
    "src/pysyntax",
    "src/python",
    "src/variables.rs",
    "src/yaml",
    "templates",
];

/// The extensions of sources.
const KINDS: &[&str] = &["rs", "py", "jinja"];

fn main() -> io::Result<()> {
    let mut files = Vec::new();
    for source in SOURCES {
        println!("cargo::rerun-if-changed={source}");
        list(Path::new(source), &mut files)?;
    }
    files.sort();
    let mut digest = Digest::default();
    for file in files {
        // The same on every system, whatever ends a line or separates folders there.
        for part in file.components() {
            digest.add(part.as_os_str().as_encoded_bytes());
        }
        let mut bytes = fs::read(&file)?;
        bytes.retain(|byte| *byte != b'\r');
        digest.add(&bytes);
    }
    // Not `MCE_…`: whatever cargo runs has it in its environment.
    println!("cargo::rustc-env=COMPILER_SOURCES={:016x}", digest.0);
    Ok(())
}

/// The sources below a path. What tools and editors leave beside them must not tell two builds of one
/// state apart.
pub(crate) fn list(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default();
    if name.as_encoded_bytes().starts_with(b".") {
        return Ok(());
    }
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            list(&entry?.path(), files)?;
        }
    } else if KINDS
        .iter()
        .any(|kind| path.extension() == Some(kind.as_ref()))
        && !path.ends_with("tests.rs")
    {
        files.push(path.to_owned());
    }
    Ok(())
}

/// FNV-1a: nobody has to be kept from finding two states that are alike.
struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    fn add(&mut self, bytes: &[u8]) {
        let length = bytes.len().to_le_bytes();
        for byte in bytes.iter().chain(&length) {
            self.0 ^= u64::from(*byte);
            self.0 = self.0.wrapping_mul(0x0100_0000_01b3);
        }
    }
}
