//! What is kept of a checked server that left memory: where its functions and types are in its text, so
//! that they can be shown without another load check.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::super::discovery::left_out;
use crate::api::{Manifest, is_mutating};
use crate::compile::{self, FUNCTIONS_FILE};
use crate::python::{CompiledModule, Outline};

/// What is told of a function beside its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::runtime) struct Marks {
    /// Whether it may change something.
    pub(in crate::runtime) mutating: bool,
    /// Whether the document calls it deprecated.
    pub(in crate::runtime) deprecated: bool,
}

/// What a checked manifest says that is told beside the module.
#[derive(Debug)]
pub(in crate::runtime) struct About {
    server: String,
    /// Of `functions.py`.
    sha256: String,
    functions: HashMap<String, Marks>,
    left_out: Option<String>,
}

impl About {
    pub(in crate::runtime) fn of(manifest: &Manifest) -> Self {
        let functions = manifest.functions.iter().map(|function| {
            let marks = Marks {
                mutating: is_mutating(&function.method),
                deprecated: function.deprecated,
            };
            (function.name.clone(), marks)
        });
        let sha256 = manifest.outputs.get(FUNCTIONS_FILE);
        Self {
            server: manifest.server.clone(),
            sha256: sha256.cloned().unwrap_or_default(),
            functions: functions.collect(),
            left_out: left_out(manifest),
        }
    }
}

/// A checked server without its text.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) about: Arc<About>,
    pub(super) outline: Arc<Outline>,
}

impl Known {
    /// With its text, where that is still the one that was checked.
    pub(super) fn read(self, output: &Path) -> Option<Readable> {
        let text = compile::reread(output, &self.about.server, &self.about.sha256)?;
        Some(Readable {
            module: CompiledModule::of(text, self.outline),
            about: self.about,
        })
    }
}

/// A checked server as far as it is shown.
#[derive(Debug)]
pub(in crate::runtime) struct Readable {
    /// Its `functions.py`.
    pub(in crate::runtime) module: CompiledModule,
    pub(super) about: Arc<About>,
}

impl Readable {
    /// Its name.
    pub(in crate::runtime) fn server(&self) -> &str {
        &self.about.server
    }

    /// What is told of a function; `None` where there is none of this name.
    pub(in crate::runtime) fn marks(&self, function: &str) -> Option<Marks> {
        self.about.functions.get(function).copied()
    }

    /// The names of all functions.
    pub(in crate::runtime) fn functions(&self) -> impl Iterator<Item = &str> {
        self.about.functions.keys().map(String::as_str)
    }

    /// That functions were left out, where some were.
    pub(in crate::runtime) fn left_out(&self) -> Option<&str> {
        self.about.left_out.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::super::super::fixture::Fixture;
    use super::super::super::load::{self, Problem};
    use super::super::{READS_AT_ONCE, Registry, Served, Verdict};
    use super::*;
    use crate::config::ServerConfig;

    static CHECKS: AtomicUsize = AtomicUsize::new(0);

    fn counted(output: &Path, server: &str, config: &Arc<ServerConfig>) -> Result<Served, Problem> {
        CHECKS.fetch_add(1, Ordering::Relaxed);
        load::check(output, server, config)
    }

    #[tokio::test]
    async fn a_server_that_left_memory_is_shown_without_another_check_until_its_text_changes() {
        let fixture = Fixture::new();
        let functions = [("get_pet", "GET"), ("drop_pet", "DELETE")];
        fixture.compile("pets", &functions);
        let registry = Registry::find(&fixture.settings(), None, counted);
        let first = registry.readable("pets").await.unwrap().unwrap();
        registry.memory().remove("pets");
        registry.drop_from_memory("pets");

        let again = registry.readable("pets").await.unwrap().unwrap();
        assert_eq!(CHECKS.load(Ordering::Relaxed), 1);
        assert_eq!(again.module.text(), first.module.text());
        assert_eq!(
            again.module.signature("get_pet"),
            Some("def get_pet(*, pet_id: int) -> Pet:\n    \"\"\"Does get_pet.\"\"\"")
        );
        let marks = ["get_pet", "drop_pet", "no_pet"].map(|function| again.marks(function));
        let marked = |mutating| {
            Some(Marks {
                mutating,
                deprecated: false,
            })
        };
        assert_eq!(marks, [marked(false), marked(true), None]);

        let file = fixture.server_folder("pets").join(FUNCTIONS_FILE);
        let changed = first.module.text().replace("Does", "Doesn't");
        std::fs::write(file, changed).unwrap();
        let refused = registry.readable("pets").await.unwrap().unwrap_err();
        assert!(
            refused.for_operator().contains("is not the file"),
            "{}",
            refused.for_operator()
        );
        assert_eq!(CHECKS.load(Ordering::Relaxed), 2);
    }

    fn broken(_: &Path, _: &str, _: &Arc<ServerConfig>) -> Result<Served, Problem> {
        panic!("on purpose")
    }

    #[tokio::test]
    async fn a_check_that_could_not_be_made_says_nothing_of_the_server() {
        let fixture = Fixture::new();
        fixture.compile("pets", &[("get_pet", "GET")]);
        let registry = Registry::find(&fixture.settings(), None, broken);
        let refused = registry.server("pets").await.unwrap().unwrap_err();
        assert_eq!(
            refused.for_clients(),
            "the load check could not be made; try again"
        );
        assert_eq!(registry.verdict("pets"), Verdict::Unknown);
    }

    #[tokio::test]
    async fn reads_that_nobody_waits_for_any_more_count_until_they_end() {
        let fixture = Fixture::new();
        let registry = Registry::find(&fixture.settings(), None, counted);
        let running = Arc::new(AtomicUsize::new(0));
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let ended = Arc::new(std::sync::Mutex::new(ended));
        for _ in 0..READS_AT_ONCE {
            let (running, ended) = (Arc::clone(&running), Arc::clone(&ended));
            let read = registry.read(move || {
                running.fetch_add(1, Ordering::Relaxed);
                let _ = ended.lock().unwrap().recv();
            });
            let given_up = tokio::time::timeout(Duration::from_millis(10), read).await;
            assert!(given_up.is_err());
        }
        let another = registry.read(|| 1);
        let waited = tokio::time::timeout(Duration::from_millis(50), another).await;
        assert!(waited.is_err(), "a fifth read runs");
        drop(end);
        assert_eq!(registry.read(|| 2).await, Some(2));
        assert_eq!(running.load(Ordering::Relaxed), READS_AT_ONCE);
    }
}
