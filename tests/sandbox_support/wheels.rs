//! Wheels, right ones and wrong ones, made without any index.

#![allow(dead_code, reason = "each test binary uses its part")]
#![expect(
    clippy::unwrap_used,
    reason = "tests may fail in the middle; the lints do not see that this is one"
)]

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// A wheel to be written.
#[derive(Clone)]
pub struct Wheel {
    name: String,
    version: String,
    tag: String,
    metadata: String,
    files: Vec<(String, Vec<u8>)>,
    links: Vec<(String, String)>,
    /// Not on the list of files.
    unlisted: Option<String>,
    /// Listed with another hash.
    forged: Option<String>,
}

impl Wheel {
    /// A package with one module of the same name.
    pub fn new(name: &str, version: &str) -> Self {
        let module = name.replace('-', "_");
        Self {
            name: module.clone(),
            version: version.to_owned(),
            tag: "py3-none-any".to_owned(),
            metadata: format!("Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"),
            files: Vec::new(),
            links: Vec::new(),
            unlisted: None,
            forged: None,
        }
        .file(
            &format!("{module}/__init__.py"),
            &format!("VERSION = {version:?}\n"),
        )
    }

    pub fn tag(mut self, tag: &str) -> Self {
        tag.clone_into(&mut self.tag);
        self
    }

    pub fn header(mut self, line: &str) -> Self {
        writeln!(self.metadata, "{line}").unwrap();
        self
    }

    pub fn file(mut self, path: &str, text: &str) -> Self {
        self.files.push((path.to_owned(), text.as_bytes().to_vec()));
        self
    }

    pub fn link(mut self, path: &str, target: &str) -> Self {
        self.links.push((path.to_owned(), target.to_owned()));
        self
    }

    pub fn unlisted(mut self, path: &str) -> Self {
        self.unlisted = Some(path.to_owned());
        self
    }

    pub fn forged(mut self, path: &str) -> Self {
        self.forged = Some(path.to_owned());
        self
    }

    /// Writes the wheel into a folder and returns its file name.
    pub fn write(&self, folder: &Path) -> String {
        let info = format!("{}-{}.dist-info", self.name, self.version);
        let mut files = self.files.clone();
        files.push((format!("{info}/METADATA"), self.metadata.clone().into()));
        let format = format!(
            "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {}\n",
            self.tag
        );
        files.push((format!("{info}/WHEEL"), format.into()));
        let mut record = String::new();
        let links = self.links.iter();
        let links = links.map(|(path, target)| (path.clone(), target.clone().into_bytes()));
        for (path, content) in files.iter().cloned().chain(links) {
            if self.unlisted.as_ref() == Some(&path) {
                continue;
            }
            let is_forged = self.forged.as_ref() == Some(&path);
            let hashed = if is_forged {
                b"other"
            } else {
                content.as_slice()
            };
            let hash = URL_SAFE_NO_PAD.encode(Sha256::digest(hashed));
            writeln!(record, "{path},sha256={hash},{}", content.len()).unwrap();
        }
        writeln!(record, "{info}/RECORD,,").unwrap();
        files.push((format!("{info}/RECORD"), record.into()));

        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default().unix_permissions(0o644);
        for (path, content) in &files {
            archive.start_file(path.as_str(), options).unwrap();
            archive.write_all(content).unwrap();
        }
        for (path, target) in &self.links {
            archive
                .add_symlink(path.as_str(), target.as_str(), options)
                .unwrap();
        }
        let bytes = archive.finish().unwrap().into_inner();
        let file = format!("{}-{}-{}.whl", self.name, self.version, self.tag);
        std::fs::write(folder.join(&file), bytes).unwrap();
        file
    }
}
