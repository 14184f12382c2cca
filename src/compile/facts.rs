//! What a report says of a manifest, read from it without the rest: schemas are most of it.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::api::{Manifest, Security, SecurityScheme, Skipped};

/// The parts of a manifest that reports and advice need.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Facts {
    pub(super) base_url: Option<String>,
    pub(super) security_schemes: BTreeMap<String, SecurityScheme>,
    pub(super) spec: Documents,
    pub(super) outputs: BTreeMap<String, String>,
    pub(super) functions: Vec<Called>,
    pub(super) skipped: Vec<Skipped>,
    #[serde(default)]
    pub(super) warnings: Vec<String>,
}

/// The documents.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Documents {
    /// The hashes of all further ones, by their names.
    pub(super) files: BTreeMap<String, String>,
}

/// A function.
#[derive(Debug, Deserialize)]
pub(super) struct Called {
    pub(super) security: Security,
}

impl From<&Manifest> for Facts {
    fn from(manifest: &Manifest) -> Self {
        let called = |function: &crate::api::Function| Called {
            security: function.security.clone(),
        };
        Self {
            base_url: manifest.base_url.clone(),
            security_schemes: manifest.security_schemes.clone(),
            spec: Documents {
                files: manifest.spec.files.clone(),
            },
            outputs: manifest.outputs.clone(),
            functions: manifest.functions.iter().map(called).collect(),
            skipped: manifest.skipped.clone(),
            warnings: manifest.warnings.clone(),
        }
    }
}
