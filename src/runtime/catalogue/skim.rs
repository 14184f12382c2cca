//! One pass over a manifest that keeps what lists and search show, and passes over its schemas.
//!
//! A manifest is mostly schemas. Reading it whole takes several times its size in memory, and the
//! load check many times as long: a list of servers can wait for neither.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::api::MANIFEST_VERSION;

/// What is read of a manifest.
#[derive(Debug, Deserialize)]
pub(super) struct Skimmed {
    manifest_version: u32,
    pub(super) server: String,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) fingerprint: String,
    pub(super) read_only: bool,
    #[serde(default)]
    pub(super) outputs: BTreeMap<String, String>,
    pub(super) functions: Vec<SkimmedFunction>,
}

/// What is read of a function.
#[derive(Debug, Deserialize)]
pub(super) struct SkimmedFunction {
    pub(super) name: String,
    pub(super) method: String,
    pub(super) path: String,
    pub(super) tags: Vec<String>,
    pub(super) summary: String,
}

impl Skimmed {
    /// Reads a manifest's text. What it leaves unread is not judged: only the load check says that a
    /// server can be used.
    ///
    /// # Errors
    /// It is no manifest, or that of another server or version.
    pub(super) fn read(bytes: &[u8], server: &str) -> Result<Self, String> {
        let skimmed: Self = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if skimmed.manifest_version != MANIFEST_VERSION || skimmed.server != server {
            return Err("it is that of another server or version".to_owned());
        }
        Ok(skimmed)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_and_lines_are_read_and_schemas_passed_over() {
        let manifest = json!({
            "manifest_version": 1, "server": "pets", "title": "Pets", "description": "",
            "fingerprint": "f", "read_only": true, "types": {"Pet": {"properties": {"id": {"default": 12.50}}}},
            "functions": [{"name": "add", "method": "POST", "path": "/pets", "tags": ["t"],
                           "summary": "Adds", "body": {"schema": [1]}}],
        });
        let text = manifest.to_string();
        let skimmed = Skimmed::read(text.as_bytes(), "pets").unwrap();
        assert_eq!(skimmed.functions[0].summary, "Adds");
        assert!(skimmed.read_only);
        assert!(Skimmed::read(text.as_bytes(), "cats").is_err());
        assert!(Skimmed::read(b"{}", "pets").is_err());
        assert!(Skimmed::read(text.get(..40).unwrap().as_bytes(), "pets").is_err());
    }
}
