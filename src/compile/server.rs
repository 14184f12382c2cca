//! One server: from the document's bytes to the files of its folder.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::deadline::Gate;
use super::facts::Facts;
use super::fingerprint::{Read, Source};
use super::folder::{self, FolderError};
use super::manifest::{self, Inputs};
use super::{Options, Run, ServerReport, advice, fingerprint, json, shortcut, tunnel};
use crate::api::filter::{self, RuleError, Rules, Selection};
use crate::api::{Api, Manifest, NamedApi, NamingError, OperationServer, Skipped, give_names};
use crate::config::{Environment, Filter, ServerConfig};
use crate::invisible::visible;
use crate::openapi::{self, LoadError, Loaded, ReadError};
use crate::python::{self, ModuleError, Target};

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
    #[error("{place}: {error}")]
    Rule { place: String, error: RuleError },
    #[error("{place}: {error}")]
    Naming { place: String, error: NamingError },
    #[error(
        "{place}: `top_level_functions`: `{entry}` is no function or operationId that was compiled"
    )]
    TopLevel { place: String, entry: String },
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

/// What is done about a document that moves the API to another origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnMove {
    /// It is an error.
    Refuse,
    /// It is what the user wants.
    Accept,
    /// It is compiled all the same, since nothing is written.
    Show,
}

/// A server as it should be.
pub(super) struct Built {
    pub(super) manifest: Manifest,
    /// The text of `manifest.json`.
    pub(super) text: String,
    /// The text of `functions.py`.
    pub(super) functions: String,
}

/// Reports what is there of a server that is up to date by its fingerprint; `false` where it is
/// not known to be.
pub(super) fn reuse(
    server: &ServerConfig,
    source: &Source<'_>,
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
    let Some(facts) = shortcut::find(&options.output, server, source) else {
        return Ok(false);
    };
    report.describe(&facts);
    report.warnings.extend(advice::of(server, &facts));
    if !gate.pass() {
        return Err(CompileError::Late);
    }
    run.write_runtime()?;
    report.paths = folder::paths(&options.output, &server.name).into();
    report.up_to_date = true;
    Ok(true)
}

/// Compiles a loaded document and writes the server's folder, if the gate lets it.
pub(super) fn compile(
    server: &ServerConfig,
    loaded: Loaded,
    run: &Run,
    gate: &Gate,
    report: &mut ServerReport,
) -> Result<(), CompileError> {
    let options = &run.options;
    // One that stands alone was looked at before it was read.
    if !loaded.alone && reuse(server, &Read::of(&loaded).source(), run, gate, report)? {
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
    if !gate.pass() {
        return Err(CompileError::Late);
    }
    run.write_runtime()?;
    let written = folder::write(
        &options.output,
        &server.name,
        lock.as_ref(),
        &built.functions,
        &built.text,
        options.dry_run,
    )?;
    report.paths = written.paths;
    report.changed = written.changed;
    Ok(())
}

/// Compiles a loaded document. `lock` is the committed manifest.
pub(super) fn build(
    server: &ServerConfig,
    loaded: Loaded,
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
        alone,
        document,
    } = loaded;
    let read = document.read(&bytes, location.as_ref());
    let mut api = read.map_err(|error| CompileError::Read {
        source_shown: visible(&manifest::shown(server)),
        error,
    })?;
    settle_servers(server, lock, on_move, &mut api)?;
    let read_only = server.is_read_only;
    #[cfg(feature = "test-hooks")]
    let read_only = read_only && !options.no_filter;
    filter::apply(&mut api, &rules(server, read_only)).map_err(|error| CompileError::Rule {
        place: server.place.clone(),
        error,
    })?;
    if server.skills_url.is_some() {
        api.warnings.push("`skills_url` is not used yet".to_owned());
    }
    let named = give_names(api, lock, &server.rename).map_err(|error| CompileError::Naming {
        place: server.place_of_rename(error.key()).to_owned(),
        error,
    })?;
    check_top_level(server, &named)?;
    let title = server
        .title
        .clone()
        .unwrap_or_else(|| named.api.title.clone());
    let target = Target {
        server: &server.name,
        title: &title,
    };
    let rendered = python::render(&named, target)?;
    let mut manifest = manifest::assemble(&Inputs {
        server,
        title: &title,
        bytes: &bytes,
        files: &files,
        named: &named,
        rendered: &rendered,
        read_only: server.is_read_only,
    });
    // What lets calls through that nobody sees comes first.
    manifest.warnings = tunnel::warnings(server, &manifest);
    manifest.warnings.extend(named.api.warnings);
    manifest.warnings.extend(rendered.warnings);
    let mut text = json::to_text(&manifest);
    let source = Source {
        document: &manifest.spec.sha256,
        location: location.as_ref(),
        files: (!alone).then_some(&manifest.spec.files),
    };
    let place = fingerprint::depends_on_place(&text, &source);
    let inputs = fingerprint::of_inputs(server, &source, place);
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
    })
}

/// Where calls go: what the document says of it, held against the config and what was committed.
fn settle_servers(
    server: &ServerConfig,
    lock: Option<&Manifest>,
    on_move: OnMove,
    api: &mut Api,
) -> Result<(), Moved> {
    if api.base_url.is_none() && server.base_url.is_none() {
        let has_reason = api
            .warnings
            .iter()
            .any(|warning| warning.contains("`base_url`"));
        if !has_reason {
            api.warnings
                .push("the document names no server; set `base_url`".to_owned());
        }
    } else if server.base_url.is_some() {
        // Where the config says it, the document's servers do not matter.
        api.warnings
            .retain(|warning| !warning.contains("set `base_url`"));
    }
    if on_move != OnMove::Accept {
        match keep_origin(server, lock, api) {
            Err(moved) if on_move == OnMove::Refuse => return Err(moved),
            _ => {}
        }
    }
    own_servers(server, api);
    Ok(())
}

/// Every entry of `top_level_functions` must be a function.
fn check_top_level(server: &ServerConfig, named: &NamedApi) -> Result<(), CompileError> {
    for entry in &server.top_level_functions {
        let known = named.names.iter().any(|names| names.function == *entry)
            || named
                .api
                .operations
                .iter()
                .any(|o| o.operation_id.as_ref() == Some(entry));
        if !known {
            return Err(CompileError::TopLevel {
                place: server.place.clone(),
                entry: visible(entry),
            });
        }
    }
    Ok(())
}

/// Another origin than that of the committed manifest.
#[derive(Debug, thiserror::Error)]
#[error(
    "the document moves the API from {} to `{new}`, where credentials would then be sent; if that is right, compile with `--accept-origin`",
    said(old.as_deref())
)]
pub(super) struct Moved {
    old: Option<String>,
    new: String,
}

fn said(origin: Option<&str>) -> String {
    origin.map_or_else(
        || "no server of its own".to_owned(),
        |origin| format!("`{origin}`"),
    )
}

/// Holds an API to the origin that was committed. Where the config says where credentials go, a move
/// is a warning and the committed server stays in the manifest: nobody consented to the new one,
/// and the day `base_url` goes from the config this has to fail.
fn keep_origin(server: &ServerConfig, lock: Option<&Manifest>, api: &mut Api) -> Result<(), Moved> {
    let Err(moved) = check_origin(lock, api.base_url.as_deref()) else {
        return Ok(());
    };
    if server.base_url.is_none() {
        return Err(moved);
    }
    let Moved { old, new } = moved;
    api.warnings.push(format!(
        "the document moves the API from {} to `{new}`; `base_url` of the config is used all the \
         same",
        said(old.as_deref())
    ));
    api.base_url = lock.and_then(|manifest| manifest.base_url.clone());
    Ok(())
}

/// A document may not move the place that credentials go to without somebody's consent.
fn check_origin(lock: Option<&Manifest>, new: Option<&str>) -> Result<(), Moved> {
    let (Some(manifest), Some(new)) = (lock, new) else {
        return Ok(());
    };
    let old = manifest.base_url.as_deref().and_then(origin);
    match origin(new) {
        Some(new) if old.as_ref() != Some(&new) => Err(Moved { old, new }),
        _ => Ok(()),
    }
}

/// Operations that the document has elsewhere: a configured base URL is the whole prefix of every
/// path, and without one nothing, credentials least of all, goes to another origin.
fn own_servers(server: &ServerConfig, api: &mut Api) {
    let root = api.base_url.as_deref().and_then(origin);
    let mut elsewhere: BTreeMap<String, usize> = BTreeMap::new();
    let mut kept = Vec::new();
    for mut operation in std::mem::take(&mut api.operations) {
        if let OperationServer::Own(url) = &operation.server
            && origin(url) != root
        {
            // The committed origin was kept, see [`keep_origin`].
            operation.server = OperationServer::Elsewhere(format!("`{}`", visible(url)));
        }
        let OperationServer::Elsewhere(servers) = &operation.server else {
            kept.push(operation);
            continue;
        };
        if server.base_url.is_some() {
            *elsewhere.entry(servers.clone()).or_default() += 1;
            kept.push(operation);
            continue;
        }
        api.skipped.push(Skipped {
            reason: format!(
                "unsupported: its own server {servers} is on another origin than the document's; \
                 with `base_url` it is called there"
            ),
            method: operation.method,
            path: operation.path,
            base_url: None,
        });
    }
    api.operations = kept;
    for (servers, count) in elsewhere {
        let verb = if count == 1 {
            "operation has"
        } else {
            "operations have"
        };
        api.warnings.push(format!(
            "{count} {verb} a server of its own ({servers}), which is not used: `base_url` is"
        ));
    }
}

fn origin(text: &str) -> Option<String> {
    let url = url::Url::parse(text).ok()?;
    Some(url.origin().ascii_serialization())
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
            .map(|entry| {
                (
                    entry.method.clone(),
                    entry.path.clone(),
                    entry.place.clone(),
                )
            })
            .collect(),
        include: selection(&server.include),
        exclude: selection(&server.exclude),
    }
}
