//! Whether what is committed is what the inputs give: `mce compile --check` and `mce diff`. Writes
//! nothing, and takes no fingerprint's word for it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::committed::{self, FileCheck, FileState};
use super::diff::{Change, Integrity, Level, ServerDiff, Side, compare};
use super::manifest::sha256_hex;
use super::origin::OnMove;
use super::{
    FolderError, Inputs, MANIFEST_FILE, Options, RUNTIME, RUNTIME_FILE, Run, each_server, folder,
    foreign, names, server,
};
use crate::config::{Config, Environment, ServerConfig};

/// What [`check`] found.
#[derive(Debug, Clone, Default, Serialize)]
pub struct CheckReport {
    /// One entry for each server that was to be checked, in the order of the config.
    pub servers: Vec<ServerCheck>,
    /// `mce_runtime.py`.
    pub runtime: Option<FileCheck>,
    /// Folders of servers that the config does not list.
    pub stale: Vec<Stale>,
    /// What mce did not write beside the servers' folders, and Python would run.
    pub beside: Vec<FileCheck>,
    /// What failed that concerns no single server.
    pub error: Option<String>,
}

/// What became of checking one server.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ServerCheck {
    /// Its identifier.
    pub server: String,
    /// Why it could not be compiled, so that nothing is known of it.
    pub error: Option<String>,
    /// Its files.
    pub files: Vec<FileCheck>,
    /// What the inputs would change in what is committed.
    pub diff: ServerDiff,
}

/// A folder of a server that the config does not list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stale {
    /// The folder.
    pub path: PathBuf,
    /// Why compiling would leave it; `None` where it would be removed.
    pub left: Option<String>,
    /// What is lost with it.
    pub diff: ServerDiff,
}

impl ServerCheck {
    /// Whether every file is what the inputs give, byte for byte.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        let is_equal = |file: &FileCheck| file.state == FileState::Equal;
        self.error.is_none() && self.files.iter().all(is_equal)
    }

    /// Whether one of its files is in this state.
    #[must_use]
    pub fn has(&self, state: FileState) -> bool {
        self.files.iter().any(|file| file.state == state)
    }
}

impl CheckReport {
    /// Whether everything is what the inputs give.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        let runtime = self.runtime.as_ref();
        self.error.is_none()
            && self.stale.is_empty()
            && self.beside.is_empty()
            && runtime.is_none_or(|file| file.state == FileState::Equal)
            && self.servers.iter().all(ServerCheck::is_equal)
    }

    /// What is otherwise than the inputs say that concerns no single server.
    #[must_use]
    pub fn shared(&self) -> Vec<Change> {
        let beside = self.beside.iter().map(|file| foreign_code(&file.path));
        self.runtime_changed().into_iter().chain(beside).collect()
    }

    fn runtime_changed(&self) -> Vec<Change> {
        let Some(runtime) = &self.runtime else {
            return Vec::new();
        };
        let found = match runtime.state {
            FileState::Equal => return Vec::new(),
            FileState::Missing => "missing",
            FileState::LineEnds => "that of this version, but for its line ends",
            FileState::Foreign | FileState::Beside => "a file that mce did not write",
            FileState::Edited => "changed since it was compiled",
            FileState::Stale => "not that of this version",
        };
        let is_harmless = matches!(runtime.state, FileState::Missing | FileState::LineEnds);
        vec![runtime_change(is_harmless, found, OF_THIS_VERSION)]
    }

    /// Whether anything failed, so that it is not known.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.error.is_some() || self.servers.iter().any(|server| server.error.is_some())
    }
}

/// Compiles the servers of a config in memory and compares them with what is in the output folder.
/// `progress` is told each server's name as soon as it is done.
pub async fn check(
    config: &Config,
    environment: &Environment,
    options: &Options,
    progress: &(dyn Fn(&str) + Sync),
) -> CheckReport {
    let mut report = CheckReport::default();
    if let Err(error) = folder::check_output(&options.output) {
        report.error = Some(error.to_string());
        return report;
    }
    let run = Run::new(options);
    let work = |server: &ServerConfig, loaded: Inputs, run: &Run, _: &_| {
        check_server(server, loaded, &run.options)
    };
    let done = each_server(config, environment, &run, |_, _, _, _| None, work, progress).await;
    let checks = done.into_iter().map(|done| {
        let outcome = done.outcome.and_then(|checked| checked);
        let mut check = outcome.unwrap_or_else(|error| ServerCheck {
            error: Some(error),
            ..ServerCheck::default()
        });
        check.diff.server.clone_from(&done.server);
        check.server = done.server;
        check
    });
    report.servers = checks.collect();
    report.beside = checks_of(foreign::beside(&options.output, &names(config)));
    let listed = options.only.is_empty().then(|| names(config));
    // Such a manifest vouches for the runtime of this version: it was written together with it.
    let is_manifest = |file: &FileCheck| file.path.ends_with(MANIFEST_FILE);
    let mut files = report.servers.iter().flat_map(|check| &check.files);
    let is_current = files.any(|file| is_manifest(file) && file.state == FileState::Equal);
    match check_shared(&options.output, listed.as_deref(), is_current) {
        Ok((runtime, stale)) => (report.runtime, report.stale) = (Some(runtime), stale),
        Err(error) => report.error = Some(error.to_string()),
    }
    report
}

/// What belongs to no single server; with `listed`, which servers there are. `is_current` says that
/// the runtime of this version was written.
fn check_shared(
    output: &Path,
    listed: Option<&[String]>,
    is_current: bool,
) -> Result<(FileCheck, Vec<Stale>), FolderError> {
    let path = output.join(RUNTIME_FILE);
    let found = folder::read_regular(&path)?;
    let state = match &found {
        Some(bytes) if !folder::is_runtime(bytes) => FileState::Foreign,
        // Else it may be an old one, of which it cannot be told whether it was changed.
        bytes => match committed::state(bytes.as_deref(), RUNTIME, |_| false) {
            FileState::Edited if !is_current => FileState::Stale,
            state => state,
        },
    };
    let mut unlisted = Vec::new();
    if let Some(listed) = listed {
        for (path, left) in folder::stale(output, listed)? {
            let name = path.file_name().and_then(|name| name.to_str());
            let name = name.unwrap_or_default();
            let committed = committed::read(output, name).unwrap_or_default();
            let mut diff = compare(name, committed.side(), None);
            diff.note_parts(&["folder"]);
            unlisted.push(Stale { path, left, diff });
        }
    }
    Ok((FileCheck { path, state }, unlisted))
}

/// Files of somebody else.
fn checks_of(paths: Vec<PathBuf>) -> Vec<FileCheck> {
    let checks = paths.into_iter().map(|path| FileCheck {
        path,
        state: FileState::Beside,
    });
    checks.collect()
}

fn foreign_code(path: &Path) -> Change {
    Change::of_foreign(&path.to_string_lossy(), None, None)
}

/// Compiles one server in memory and compares it with what is in its folder.
fn check_server(
    server: &ServerConfig,
    loaded: Inputs,
    options: &Options,
) -> Result<ServerCheck, String> {
    let committed =
        committed::read(&options.output, &server.name).map_err(|error| error.to_string())?;
    let lock = committed.manifest.as_ref();
    let on_move = if options.accept_origin {
        OnMove::Accept
    } else {
        OnMove::Show
    };
    let built =
        server::build(server, loaded, lock, on_move, options).map_err(|error| error.to_string())?;
    let new = Side {
        manifest: &built.manifest,
        functions: Some(&built.functions),
        integrity: Integrity::AsCompiled,
    };
    let mut files = committed.states(&built.functions, built.skills.as_deref(), &built.text);
    let mut diff = compare(&server.name, committed.side(), Some(new));
    let beside = foreign::of_server(&options.output.join(&server.name));
    diff.note(beside.iter().map(|path| foreign_code(path)));
    files.extend(checks_of(beside));
    let others: Vec<&str> = files
        .iter()
        .filter(|file| file.state != FileState::Equal)
        .filter_map(|file| file.path.file_name()?.to_str())
        .collect();
    diff.note_parts(&others);
    Ok(ServerCheck {
        server: server.name.clone(),
        error: None,
        files,
        diff,
    })
}

/// What differs between two folders of compiled servers.
#[derive(Debug, Clone, Default, Serialize)]
pub struct FolderDiff {
    /// The servers that either has, by name.
    pub servers: Vec<ServerDiff>,
    /// What concerns no single server: the runtime.
    pub shared: Vec<Change>,
}

impl FolderDiff {
    /// Whether nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shared.is_empty() && self.servers.iter().all(ServerDiff::is_empty)
    }
}

/// Compares two folders of compiled servers. `only` names the servers that matter; empty: all.
///
/// # Errors
///
/// Where one is no folder, or holds a manifest that cannot be read.
pub fn compare_folders(old: &Path, new: &Path, only: &[String]) -> Result<FolderDiff, FolderError> {
    let mut servers = BTreeSet::new();
    for folder in [old, new] {
        folder::check_output(folder)?;
        servers.extend(folder::compiled(folder)?);
    }
    servers.retain(|server| only.is_empty() || only.contains(server));
    let mut diff = FolderDiff::default();
    for server in servers {
        let [before, after] = [old, new].map(|output| {
            let folder = output.join(&server);
            foreign::hashes(&folder, &foreign::of_server(&folder))
        });
        let (old, new) = (
            committed::read(old, &server)?,
            committed::read(new, &server)?,
        );
        if old.manifest.is_some() || new.manifest.is_some() {
            let mut compared = compare(&server, old.side(), new.side());
            compared.note(compare_foreign(&before, &after));
            compared.note_parts(&old.differing(&new));
            diff.servers.push(compared);
        }
    }
    diff.shared = compare_runtimes(old, new)?;
    let beside = |output: &Path| -> Result<_, FolderError> {
        let found = foreign::beside(output, &folder::compiled(output)?);
        Ok(foreign::hashes(output, &found))
    };
    let (before, after) = (beside(old)?, beside(new)?);
    diff.shared.extend(compare_foreign(&before, &after));
    Ok(diff)
}

/// What differs in files of somebody else, by their names and hashes.
fn compare_foreign(old: &BTreeMap<String, String>, new: &BTreeMap<String, String>) -> Vec<Change> {
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let changes = names.into_iter().filter_map(|name| {
        let (before, after) = (old.get(name), new.get(name));
        let change =
            || Change::of_foreign(name, before.map(String::as_str), after.map(String::as_str));
        (before != after).then(change)
    });
    changes.collect()
}

/// The servers that a folder holds, compiled.
///
/// # Errors
///
/// Where it cannot be read.
pub fn compiled_servers(output: &Path) -> Result<Vec<String>, FolderError> {
    folder::check_output(output)?;
    folder::compiled(output)
}

fn compare_runtimes(old: &Path, new: &Path) -> Result<Vec<Change>, FolderError> {
    let before = folder::read_regular(&old.join(RUNTIME_FILE))?;
    let after = folder::read_regular(&new.join(RUNTIME_FILE))?;
    if before == after {
        return Ok(Vec::new());
    }
    let text = |bytes: &Option<Vec<u8>>| match bytes {
        None => "missing".to_owned(),
        Some(bytes) if bytes == RUNTIME.as_bytes() => OF_THIS_VERSION.to_owned(),
        Some(bytes) => {
            let mut hash = sha256_hex(bytes);
            hash.truncate(12);
            format!("not that of this version, SHA-256 {hash}…")
        }
    };
    // One that is new runs nothing otherwise, if it is the real one.
    let is_harmless = before.is_none() && after.as_deref() == Some(RUNTIME.as_bytes());
    Ok(vec![runtime_change(
        is_harmless,
        &text(&before),
        &text(&after),
    )])
}

/// What the runtime of this version is called beside others.
const OF_THIS_VERSION: &str = "that of this version";

fn runtime_change(is_harmless: bool, old: &str, new: &str) -> Change {
    let level = if is_harmless {
        Level::Other
    } else {
        Level::Security
    };
    Change::of_runtime(level, old, new)
}
