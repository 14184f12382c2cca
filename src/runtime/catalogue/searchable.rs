//! The index over the functions of all servers.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::super::docstrings::descriptions;
use super::super::own_thread::own_thread;
use super::super::searched::search_document;
use super::{Entry, Listed, bytes};
use crate::api::Manifest;
use crate::compile::{FUNCTIONS_FILE, MANIFEST_FILE, parse_manifest};
use crate::search::{Index, Query};

/// The index, and what is shown of what it finds.
pub(in crate::runtime) struct Searchable {
    index: Index,
    /// Server and number of the function, of each document.
    places: Vec<(u32, u32)>,
    servers: Vec<(String, Entry)>,
}

impl Searchable {
    /// Reads all servers below the folder of compiled output. Those without a manifest that can be
    /// read are left out.
    fn read(output: &Path, names: &[String]) -> Self {
        let mut documents = Vec::new();
        let mut places = Vec::new();
        let mut servers = Vec::new();
        for name in names {
            let Some(manifest) = read(output, name) else {
                continue;
            };
            let module = bytes(output, name, FUNCTIONS_FILE).unwrap_or_default();
            let module = String::from_utf8_lossy(&module);
            let descriptions = descriptions(&module);
            let server = u32::try_from(servers.len()).unwrap_or(u32::MAX);
            for (number, function) in manifest.functions.iter().enumerate() {
                let (title, types) = (&manifest.title, &manifest.types);
                let description = descriptions.get(function.name.as_str());
                let description = description.map(String::as_str).unwrap_or_default();
                documents.push(search_document(name, title, types, function, description));
                places.push((server, u32::try_from(number).unwrap_or(u32::MAX)));
            }
            servers.push((name.clone(), Entry::of(&manifest)));
        }
        Self {
            index: Index::build(&documents),
            places,
            servers,
        }
    }

    /// The functions that fit, best first, each with its server.
    pub(in crate::runtime) fn search(
        &self,
        query: &Query<'_>,
    ) -> impl Iterator<Item = (&str, &Listed)> {
        let hits = self.index.search(query);
        hits.into_iter().filter_map(|hit| {
            let (server, function) = self.places.get(hit.document)?;
            let (name, entry) = self.servers.get(usize::try_from(*server).ok()?)?;
            let function = entry.functions.get(usize::try_from(*function).ok()?)?;
            Some((name.as_str(), function))
        })
    }
}

/// A server's manifest, schemas and all; `None` where it cannot be read.
fn read(output: &Path, server: &str) -> Option<Manifest> {
    let manifest = parse_manifest(&bytes(output, server, MANIFEST_FILE)?).ok()?;
    (manifest.server == server).then_some(manifest)
}

/// The index in use. It is made when it is first needed, and made anew beside the one in use.
pub(in crate::runtime) struct Catalogue {
    output: PathBuf,
    names: Vec<String>,
    current: Mutex<Option<Arc<Searchable>>>,
    /// Held while it is made, so that it is made once.
    making: tokio::sync::Mutex<()>,
}

impl Catalogue {
    /// The catalogue of these servers below a folder of compiled output. Nothing is read yet.
    pub(in crate::runtime) fn new(output: PathBuf, names: Vec<String>) -> Self {
        Self {
            output,
            names,
            current: Mutex::default(),
            making: tokio::sync::Mutex::default(),
        }
    }

    fn current(&self) -> Option<Arc<Searchable>> {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        current.clone()
    }

    /// What can be searched; made now where it was not yet.
    pub(in crate::runtime) async fn searchable(&self) -> Option<Arc<Searchable>> {
        if let Some(current) = self.current() {
            return Some(current);
        }
        let _making = self.making.lock().await;
        match self.current() {
            Some(current) => Some(current),
            None => self.make().await,
        }
    }

    /// Reads everything anew, where it was read before.
    pub(in crate::runtime) async fn renew(&self) {
        let _making = self.making.lock().await;
        if self.current().is_some() {
            self.make().await;
        }
    }

    async fn make(&self) -> Option<Arc<Searchable>> {
        let (output, names) = (self.output.clone(), self.names.clone());
        let made = own_thread(move || Searchable::read(&output, &names)).await;
        if made.is_none() {
            tracing::error!("the functions could not be indexed");
        }
        let made = Arc::new(made?);
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        *current = Some(Arc::clone(&made));
        Some(made)
    }
}
