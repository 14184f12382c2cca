//! One server: from the document's bytes to the files of its folder.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::advice;
use super::deadline::Gate;
use super::folder::{self, FolderError, Lock};
use super::manifest::{self, Inputs};
use super::{Run, ServerReport, json};
use crate::api::filter::{self, RuleError, Rules, Selection};
use crate::api::{Api, Manifest, NamingError, OperationServer, Skipped, give_names};
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

/// Fetches a server's document.
pub(super) async fn load(
    server: &ServerConfig,
    folder: PathBuf,
    environment: &Environment,
) -> Result<Loaded, CompileError> {
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
    let request = openapi::Request {
        source,
        shown: visible(&manifest::shown(server)),
        folder,
        headers,
        certificates,
        limit: openapi::TIMEOUT,
    };
    Ok(openapi::load(&request).await?)
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
    let lock = folder::lock(&options.output, &server.name)?;
    let Loaded {
        bytes,
        location,
        files,
        document,
    } = loaded;
    let read = document.read(&bytes, location.as_ref());
    let mut api = read.map_err(|error| CompileError::Read {
        source_shown: visible(&manifest::shown(server)),
        error,
    })?;
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
    if !options.accept_origin {
        keep_origin(server, &lock, &mut api)?;
    }
    own_servers(server, &mut api);
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
    let named = give_names(api, lock.manifest.as_ref(), &server.rename).map_err(|error| {
        CompileError::Naming {
            place: server.place.clone(),
            error,
        }
    })?;
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
    let title = server
        .title
        .clone()
        .unwrap_or_else(|| named.api.title.clone());
    let target = Target {
        server: &server.name,
        title: &title,
    };
    let rendered = python::render(&named, target)?;
    let manifest = manifest::assemble(&Inputs {
        server,
        title: &title,
        bytes: &bytes,
        files: &files,
        named: &named,
        rendered: &rendered,
        read_only: server.is_read_only,
    });
    let warnings = [named.api.warnings.as_slice(), &rendered.warnings].concat();
    describe(&manifest, &warnings, report);
    report.warnings.extend(advice::of(server, &manifest));
    if !gate.pass() {
        return Err(CompileError::Late);
    }
    run.runtime
        .get_or_init(|| folder::write_runtime(&options.output, options.dry_run))
        .clone()?;
    let written = folder::write(
        &options.output,
        &server.name,
        &rendered.source,
        &json::to_text(&manifest),
        options.dry_run,
    )?;
    report.paths = written.paths;
    report.changed = written.changed;
    Ok(())
}

/// Says in the report what was compiled and what was not.
fn describe(manifest: &Manifest, warnings: &[String], report: &mut ServerReport) {
    report.functions = manifest.functions.len();
    for skipped in &manifest.skipped {
        match skipped.reason.as_str() {
            "read_only" => report.read_only += 1,
            "excluded" => report.excluded += 1,
            reason => report.unsupported.push(visible(&format!(
                "{} {}: {}",
                skipped.method,
                skipped.path,
                reason.trim_start_matches("unsupported: ")
            ))),
        }
    }
    report.warnings = warnings.iter().map(|warning| visible(warning)).collect();
    if manifest.functions.is_empty() {
        report
            .warnings
            .push("no operation of the document was compiled".to_owned());
    }
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
fn keep_origin(server: &ServerConfig, lock: &Lock, api: &mut Api) -> Result<(), Moved> {
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
    let committed = lock.manifest.as_ref();
    api.base_url = committed.and_then(|manifest| manifest.base_url.clone());
    Ok(())
}

/// A document may not move the place that credentials go to without somebody's consent.
fn check_origin(lock: &Lock, new: Option<&str>) -> Result<(), Moved> {
    let (Some(manifest), Some(new)) = (&lock.manifest, new) else {
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
