//! One server: from the document's bytes to the files of its folder.

use std::collections::HashMap;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};

use super::deadline::Gate;
use super::facts::Facts;
use super::fingerprint::{Parts, Source};
use super::folder::{self, FolderError};
use super::manifest::{self, Inputs};
use super::origin::{self, Moved, OnMove};
use super::{
    FUNCTIONS_FILE, MANIFEST_FILE, Options, Run, SKILLS_FILE, ServerReport, advice, fingerprint,
    foreign, shortcut, tunnel,
};
use crate::api::filter::{self, RuleError, Rules, Selection};
use crate::api::{Api, Function, Manifest, NamedApi, give_names};
use crate::config::{Environment, Filter, ServerConfig};
use crate::invisible::{json_visible, visible};
use crate::openapi::{self, LoadError, Loaded, ReadError};
use crate::python::{self, ModuleError, Target};

/// Functions of other operations than before that are named one by one.
const MOST_OTHERS: usize = 5;

/// Why a server could not be compiled.
#[derive(Debug, thiserror::Error)]
pub(super) enum CompileError {
    #[error(transparent)]
    Config(#[from] crate::config::Error),
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error("`{source_shown}`: {error}")]
    Read {
        source_shown: String,
        error: ReadError,
    },
    /// Entries that do not fit the document, one in a line, each with its place.
    #[error("{0}")]
    Entries(String),
    #[error(transparent)]
    Module(#[from] ModuleError),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    OriginMoved(#[from] Moved),
    #[error("it took too long, so nothing was written")]
    Late,
}

/// Says how a server's document is loaded.
pub(super) async fn request(
    server: &ServerConfig,
    folder: PathBuf,
    environment: &Environment,
) -> Result<openapi::Request, CompileError> {
    let source = server.swagger_url.expand(environment)?;
    let mut headers = Vec::new();
    for (name, value) in &server.swagger_headers {
        headers.push((name.clone(), value.expand(environment)?));
    }
    let mut certificates = None;
    if let Some(file) = &server.ca_file {
        let path = folder.join(file.expand(environment)?);
        let read = tokio::task::spawn_blocking(move || openapi::read_file(&path)).await;
        let read = read.unwrap_or_else(|error| Err(error.to_string()));
        certificates = Some(read.map_err(|reason| LoadError {
            shown: format!("ca_file: {}", visible(&file.text)),
            reason,
        })?);
    }
    Ok(openapi::Request {
        source,
        shown: visible(&manifest::shown(server)),
        folder,
        headers,
        certificates,
        limit: openapi::TIMEOUT,
    })
}

/// A server as it should be.
pub(super) struct Built {
    pub(super) manifest: Manifest,
    /// The text of `manifest.json`.
    pub(super) text: String,
    /// The text of `functions.py`.
    pub(super) functions: String,
    /// The text of `skills.md`, if there is one.
    pub(super) skills: Option<String>,
}

impl Built {
    /// Its files and their texts, the manifest last.
    pub(super) fn files(&self) -> Vec<(&'static str, &str)> {
        let skills = self.skills.as_deref().map(|text| (SKILLS_FILE, text));
        [(FUNCTIONS_FILE, self.functions.as_str())]
            .into_iter()
            .chain(skills)
            .chain([(MANIFEST_FILE, self.text.as_str())])
            .collect()
    }
}

/// Reports what is there of a server that is up to date by its fingerprint, if `find` finds that it
/// is; `false` where it is not known to be.
pub(super) fn reuse(
    server: &ServerConfig,
    find: impl FnOnce(&Path) -> Option<Facts>,
    run: &Run,
    gate: &Gate,
    report: &mut ServerReport,
) -> Result<bool, CompileError> {
    let options = &run.options;
    let has_shortcut = !options.accept_origin;
    #[cfg(feature = "test-hooks")]
    let has_shortcut = has_shortcut && !options.no_filter;
    if !has_shortcut {
        return Ok(false);
    }
    let Some(facts) = find(&options.output) else {
        return Ok(false);
    };
    report.describe(&facts);
    report.warnings.extend(advice::of(server, &facts));
    let outputs: Vec<&str> = facts.outputs.keys().map(String::as_str).collect();
    if !gate.pass() {
        return Err(CompileError::Late);
    }
    run.write_runtime()?;
    warn_of_foreign(server, options, report);
    report.paths = folder::paths(&options.output, &server.name, &outputs);
    report.up_to_date = true;
    Ok(true)
}

/// Compiles a loaded document and writes the server's folder, if the gate lets it.
pub(super) fn compile(
    server: &ServerConfig,
    loaded: super::Inputs,
    run: &Run,
    gate: &Gate,
    report: &mut ServerReport,
) -> Result<(), CompileError> {
    let options = &run.options;
    // One that stands alone was looked at before it was read.
    let find = |output: &Path| {
        shortcut::after_reading(output, server, &loaded.document, loaded.skills.as_deref())
    };
    if !loaded.document.alone && reuse(server, find, run, gate, report)? {
        return Ok(());
    }
    let lock = folder::lock(&options.output, &server.name)?;
    let on_move = if options.accept_origin {
        OnMove::Accept
    } else {
        OnMove::Refuse
    };
    let built = build(server, loaded, lock.as_ref(), on_move, options)?;
    let facts = Facts::from(&built.manifest);
    report.describe(&facts);
    report.warnings.extend(advice::of(server, &facts));
    let others = lock.iter().flat_map(|lock| now_others(lock, &built));
    report.warnings.splice(0..0, others);
    if !gate.pass() {
        return Err(CompileError::Late);
    }
    run.write_runtime()?;
    let written = folder::write(
        &options.output,
        &server.name,
        lock.as_ref(),
        &built.files(),
        options.dry_run,
    )?;
    warn_of_foreign(server, options, report);
    report.paths = written.paths;
    report.changed = written.changed;
    Ok(())
}

/// Functions that call another operation than the committed ones of their names do.
fn now_others(lock: &Manifest, built: &Built) -> Vec<String> {
    let operations = lock.functions.iter();
    let committed: HashMap<&str, String> = operations
        .map(|it| (it.name.as_str(), operation(it)))
        .collect();
    let functions = built.manifest.functions.iter();
    let mut others: Vec<String> = functions
        .filter_map(|function| {
            let (new, old) = (operation(function), committed.get(function.name.as_str())?);
            (new != *old).then(|| {
                format!(
                    "`{}` calls {} now, and called {} before",
                    visible(&function.name),
                    visible(&new),
                    visible(old)
                )
            })
        })
        .collect();
    let more = others.len().saturating_sub(MOST_OTHERS);
    if more > 0 {
        others.truncate(MOST_OTHERS);
        others.push(format!(
            "{more} more functions call another operation than before; `mce diff` before compiling \
             lists them"
        ));
    }
    others
}

/// `METHOD /path`.
fn operation(function: &Function) -> String {
    format!("{} {}", function.method, function.path)
}

fn warn_of_foreign(server: &ServerConfig, options: &Options, report: &mut ServerReport) {
    let found = foreign::of_server(&options.output.join(&server.name));
    let warnings = found.iter().map(|path| foreign::warning(path));
    report.warnings.splice(0..0, warnings);
}

/// Compiles a loaded document. `lock` is the committed manifest.
pub(super) fn build(
    server: &ServerConfig,
    loaded: super::Inputs,
    lock: Option<&Manifest>,
    on_move: OnMove,
    #[cfg_attr(
        not(feature = "test-hooks"),
        expect(unused_variables, reason = "only hooks of tests matter here")
    )]
    options: &Options,
) -> Result<Built, CompileError> {
    let Loaded {
        bytes,
        location,
        files,
        absent,
        alone,
        detours,
        file_name,
        document,
    } = loaded.document;
    let skills = loaded.skills;
    let read = document.read(&bytes, location.as_ref());
    let mut api = read.map_err(|error| CompileError::Read {
        source_shown: visible(&manifest::shown(server)),
        error,
    })?;
    let depends_on_place = api.depends_on_location;
    origin::settle(server, lock, on_move, &mut api)?;
    let read_only = server.is_read_only;
    #[cfg(feature = "test-hooks")]
    let read_only = read_only && !options.no_filter;
    let unfit = filter::apply(&mut api, &rules(server, read_only));
    let named = name(server, lock, api, &unfit)?;
    let title = server
        .title
        .clone()
        .unwrap_or_else(|| named.api.title.clone());
    let target = Target {
        server: &server.name,
        title: &title,
    };
    let rendered = python::render_unchecked(&named, target)?;
    let inputs = Inputs {
        server,
        title: &title,
        bytes: &bytes,
        files: &files,
        named: &named,
        rendered: &rendered,
        skills: skills.as_deref(),
    };
    let (mut manifest, mut text) = checked_beside(&rendered.source, || describe(&inputs))?;
    let source = Source {
        document: &manifest.spec.sha256,
        location: location.as_ref(),
        parts: (!alone).then_some(Parts {
            file_name: file_name.as_deref(),
            files: &manifest.spec.files,
            absent: &absent,
            detours,
        }),
        skills: skills.as_deref(),
    };
    let inputs = fingerprint::of_inputs(server, &source, depends_on_place);
    #[cfg(feature = "test-hooks")]
    let inputs = if options.no_filter {
        // Never what a compilation without hooks takes for its own.
        "0".repeat(inputs.len())
    } else {
        inputs
    };
    manifest.fingerprint = fingerprint::seal(&mut text, &inputs).unwrap_or_default();
    Ok(Built {
        manifest,
        text,
        functions: rendered.source,
        skills,
    })
}

/// The manifest and its text, all but its fingerprint.
fn describe(inputs: &Inputs<'_>) -> (Manifest, String) {
    let mut manifest = manifest::assemble(inputs);
    // What lets calls through that nobody sees comes first.
    manifest.warnings = tunnel::warnings(inputs.server, &manifest);
    manifest
        .warnings
        .extend_from_slice(&inputs.named.api.warnings);
    manifest
        .warnings
        .extend_from_slice(&inputs.rendered.warnings);
    // Its keys are strings and its numbers are finite, so this cannot fail.
    let text = serde_json::to_string_pretty(&manifest).unwrap_or_default();
    let text = json_visible(&text) + "\n";
    (manifest, text)
}

/// What `work` gives, if the module, which another thread looks at meanwhile, is in the closed
/// grammar.
fn checked_beside<T>(source: &str, work: impl FnOnce() -> T) -> Result<T, ModuleError> {
    let check = || python::check_module(source);
    std::thread::scope(|scope| {
        let other = std::thread::Builder::new().spawn_scoped(scope, check);
        let outcome = work();
        match other {
            Ok(other) => other.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // The system allows no further thread.
            Err(_) => check(),
        }?;
        Ok(outcome)
    })
}

/// Names what is left of an API; `unfit` are the entries of the rules that fit nothing of it. All
/// that is wrong is said at once.
fn name(
    server: &ServerConfig,
    lock: Option<&Manifest>,
    api: Api,
    unfit: &[RuleError],
) -> Result<NamedApi, CompileError> {
    let located = |(list, entry): (&str, &str), error: &dyn std::fmt::Display| {
        format!("{}: {error}", server.place_of(list, entry))
    };
    let rules = unfit.iter().map(|error| {
        let (_, entry) = error.entry();
        let fault = located(error.entry(), error);
        if lock.is_some_and(|lock| has_operation(lock, entry)) {
            format!(
                "{fault}; the committed manifest has it, so the document has lost or changed it"
            )
        } else {
            fault
        }
    });
    let mut faults: Vec<String> = rules.collect();
    let named = give_names(api, lock, &server.rename);
    match &named {
        // Where a rule is wrong nobody knows which functions there should be.
        Ok(named) if faults.is_empty() => {
            faults.extend(unknown_top_level(server, named).map(|entry| {
                let error = format!(
                    "`top_level_functions`: `{}` is no function or operationId that was compiled",
                    visible(entry)
                );
                located(("top_level_functions", entry), &error)
            }));
        }
        Ok(_) => {}
        Err(errors) => {
            let renamed = errors.iter();
            faults.extend(renamed.map(|error| located(("rename", error.key()), error)));
        }
    }
    named
        .ok()
        .filter(|_| faults.is_empty())
        .ok_or_else(|| CompileError::Entries(faults.join("\n")))
}

/// Whether an entry of the config stands for an operation of a manifest.
fn has_operation(manifest: &Manifest, entry: &str) -> bool {
    manifest.functions.iter().any(|function| {
        function.operation_id.as_deref() == Some(entry) || operation(function) == entry
    })
}

/// Every entry of `top_level_functions` must be a function.
fn unknown_top_level<'s>(
    server: &'s ServerConfig,
    named: &NamedApi,
) -> impl Iterator<Item = &'s String> {
    server.top_level_functions.iter().filter(|entry| {
        !named.names.iter().any(|names| names.function == **entry)
            && !named
                .api
                .operations
                .iter()
                .any(|o| o.operation_id.as_ref() == Some(*entry))
    })
}

fn rules(server: &ServerConfig, read_only: bool) -> Rules {
    let selection = |filter: &Filter| Selection {
        tags: filter.tags.clone(),
        paths: filter.paths.clone(),
        operation_ids: filter.operation_ids.clone(),
    };
    Rules {
        read_only,
        read_only_allow: server
            .read_only_allow
            .iter()
            .map(|entry| (entry.method.clone(), entry.path.clone()))
            .collect(),
        include: selection(&server.include),
        exclude: selection(&server.exclude),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outcome_beside_a_module_that_is_refused_is_lost() {
        let module = "import os\n";
        let refused = checked_beside(module, || "a manifest");
        assert_eq!(refused, python::check_module(module).map(|_| ""));
        assert!(matches!(refused, Err(ModuleError::NotInGrammar { .. })));
    }

    #[test]
    #[should_panic(expected = "while it was described")]
    fn a_panic_beside_the_check_is_that_of_the_whole() {
        let _ = checked_beside("", || panic!("while it was described"));
    }
}
