//! What differs between two manifests of one server.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::Value;

use super::{
    Change, Integrity, Kind, Level, ServerDiff, Side, docstrings, function, short, skipped, types,
};
use crate::api::{Function, Manifest, SecurityScheme, is_mutating};
use crate::compile::SKILLS_FILE;
use crate::compile::tunnel::Signs;

/// Method and path.
pub(super) type Key<'a> = (&'a str, &'a str);

/// A server that is no longer compiled.
pub(super) fn removed(diff: &mut ServerDiff, old: &Manifest) {
    let functions = old.functions.iter();
    diff.removed = functions.map(|function| short(&function.name)).collect();
    diff.changes.push(
        Change::new(Level::Breaking, Kind::ServerRemoved)
            .from(format!("{} functions", old.functions.len())),
    );
}

/// A server that was not compiled before.
pub(super) fn added(diff: &mut ServerDiff, side: &Side<'_>) {
    let new = side.manifest;
    if let Integrity::Refused(reason) = &side.integrity {
        let change = Change::new(Level::Security, Kind::NotAsCompiled);
        diff.changes.push(change.to(reason));
    }
    diff.changes.push(
        Change::new(Level::Other, Kind::ServerAdded)
            .to(format!("{} functions", new.functions.len())),
    );
    origin(diff, None, new.base_url.as_deref());
    schemes(diff, &BTreeMap::new(), &new.security_schemes);
    let mut signs = Signs::new(&new.types);
    for function in &new.functions {
        diff.added.insert(short(&function.name));
        diff.changes
            .extend(function_added(function, &mut signs, None));
    }
    warnings(diff, &[], &new.warnings);
    if new.outputs.contains_key(SKILLS_FILE) {
        let change = Change::new(Level::Other, Kind::SkillsChanged);
        diff.changes.push(change.to(SKILLS_FILE));
    }
}

/// A server that both sides have.
pub(super) fn changed(diff: &mut ServerDiff, old: &Side<'_>, new: &Side<'_>) {
    let (before, after) = (old.manifest, new.manifest);
    integrity(diff, &old.integrity, &new.integrity);
    origin(diff, before.base_url.as_deref(), after.base_url.as_deref());
    schemes(diff, &before.security_schemes, &after.security_schemes);
    match (before.read_only, after.read_only) {
        (true, false) => diff
            .changes
            .push(Change::new(Level::Security, Kind::ReadOnlyEnded)),
        (false, true) => diff
            .changes
            .push(Change::new(Level::Security, Kind::ReadOnlyBegun)),
        _ => {}
    }
    functions(diff, old, new);
    types::compare(diff, before, after);
    skipped::compare(diff, before, after);
    about(diff, before, after);
    skills(diff, before, after);
    module(diff, old, new);
    if diff.changes.is_empty() {
        let names = differing_members(before, after);
        diff.note_parts(&names.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

/// Files that are not what was compiled, on either side.
fn integrity(diff: &mut ServerDiff, old: &Integrity, new: &Integrity) {
    let is_refused = |side: &Integrity| matches!(side, Integrity::Refused(_));
    if is_refused(old) || is_refused(new) {
        let change = Change::new(Level::Security, Kind::NotAsCompiled);
        diff.changes.push(change.from(old.text()).to(new.text()));
    } else if old != new {
        let change = Change::new(Level::Other, Kind::LineEndsConverted);
        diff.changes.push(change.from(old.text()).to(new.text()));
    }
}

/// The notes on the server, which models read.
fn skills(diff: &mut ServerDiff, before: &Manifest, after: &Manifest) {
    let hash = |manifest: &Manifest| {
        let hash = manifest.outputs.get(SKILLS_FILE)?;
        let digits: String = hash.chars().take(12).collect();
        Some(format!("SHA-256 {digits}…"))
    };
    let (old, new) = (hash(before), hash(after));
    if before.outputs.get(SKILLS_FILE) != after.outputs.get(SKILLS_FILE) {
        let change = Change::new(Level::Other, Kind::SkillsChanged);
        diff.changes.push(change.maybe_from(old).maybe_to(new));
    }
}

/// What a manifest vouches for, but the notes.
fn code(manifest: &Manifest) -> Vec<(&String, &String)> {
    let outputs = manifest.outputs.iter();
    outputs.filter(|(name, _)| *name != SKILLS_FILE).collect()
}

/// The text of the module as a whole. Where nothing else differs, nothing that was compiled
/// accounts for it.
fn module(diff: &mut ServerDiff, old: &Side<'_>, new: &Side<'_>) {
    let lines = match (old.functions, new.functions) {
        (Some(old), Some(new)) => docstrings::lines(old, new),
        _ => None,
    };
    let (had, has) = (code(old.manifest), code(new.manifest));
    if lines.is_none() && had == has {
        return;
    }
    let names = |outputs: &[(&String, &String)]| -> Vec<String> {
        outputs.iter().map(|(name, _)| (*name).clone()).collect()
    };
    let accounts = |change: &Change| change.kind != Kind::SkillsChanged;
    let level = if !diff.changes.iter().any(accounts) || names(&had) != names(&has) {
        Level::Security
    } else {
        Level::Text
    };
    let change = Change::new(level, Kind::ModuleChanged);
    diff.changes.push(match lines {
        // In the manifest's hash only.
        None => change,
        // Its texts are told function by function; alone, it has to speak for itself.
        Some(lines) => {
            let change = change.about(&counted(lines.count, "line"));
            if level == Level::Security {
                change.from(lines.old).to(lines.new)
            } else {
                change
            }
        }
    });
}

/// `1 line`, `2 lines`.
fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// The members of two manifests that differ, and those of `spec`.
fn differing_members(before: &Manifest, after: &Manifest) -> Vec<String> {
    let members = |manifest: &Manifest| match serde_json::to_value(manifest) {
        Ok(Value::Object(mut members)) => {
            if let Some(Value::Object(spec)) = members.remove("spec") {
                members.extend(
                    spec.into_iter()
                        .map(|(key, value)| (format!("spec.{key}"), value)),
                );
            }
            members
        }
        _ => serde_json::Map::new(),
    };
    let (before, after) = (members(before), members(after));
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    names
        .into_iter()
        .filter(|name| before.get(*name) != after.get(*name))
        .cloned()
        .collect()
}

fn origin(diff: &mut ServerDiff, old: Option<&str>, new: Option<&str>) {
    if old == new {
        return;
    }
    let origin_of = |text: Option<&str>| {
        let url = text.and_then(|text| url::Url::parse(text).ok());
        url.map(|url| url.origin().ascii_serialization())
    };
    let kind = if origin_of(old) == origin_of(new) {
        Kind::BaseUrlChanged
    } else {
        Kind::OriginMoved
    };
    let change = Change::new(Level::Security, kind);
    diff.changes.push(change.maybe_from(old).maybe_to(new));
}

fn schemes(
    diff: &mut ServerDiff,
    old: &BTreeMap<String, SecurityScheme>,
    new: &BTreeMap<String, SecurityScheme>,
) {
    let said = |scheme: &SecurityScheme| {
        let parts = [
            Some(&scheme.r#type),
            scheme.scheme.as_ref(),
            scheme.r#in.as_ref(),
            scheme.name.as_ref(),
        ];
        let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
        parts.join(" ")
    };
    for (name, scheme) in old {
        match new.get(name) {
            None => diff.changes.push(
                Change::new(Level::Security, Kind::SchemeRemoved)
                    .about(name)
                    .from(said(scheme)),
            ),
            Some(now) if now != scheme => diff.changes.push(
                Change::new(Level::Security, Kind::SchemeChanged)
                    .about(name)
                    .from(said(scheme))
                    .to(said(now)),
            ),
            Some(_) => {}
        }
    }
    for (name, scheme) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
        diff.changes.push(
            Change::new(Level::Security, Kind::SchemeAdded)
                .about(name)
                .to(said(scheme)),
        );
    }
}

/// The method and path of a function.
pub(super) fn key(function: &Function) -> Key<'_> {
    (&function.method, &function.path)
}

/// The change with the function it is of.
fn in_function(function: &Function, mut change: Change) -> Change {
    change.function = Some(short(&function.name));
    change.operation = Some(short(&format!("{} {}", function.method, function.path)));
    change
}

fn function_added(
    function: &Function,
    signs: &mut Signs<'_>,
    skipped_before: Option<&str>,
) -> Vec<Change> {
    let is_mutating = is_mutating(&function.method);
    let kind = if is_mutating {
        Kind::MutatingFunctionAdded
    } else {
        Kind::FunctionAdded
    };
    // What somebody ruled out may be called now.
    let is_ruled_in = matches!(skipped_before, Some("excluded" | "read_only"));
    let level = if is_mutating || is_ruled_in {
        Level::Security
    } else {
        Level::Other
    };
    let change = Change::new(level, kind).maybe_from(skipped_before);
    let mut changes = vec![in_function(function, change)];
    if let Some(sign) = signs.of(function) {
        let change = Change::new(Level::Security, Kind::TunnelAdded).to(sign.to_string());
        changes.push(in_function(function, change));
    }
    changes
}

fn functions(diff: &mut ServerDiff, old: &Side<'_>, new: &Side<'_>) {
    let (before, after) = (old.manifest, new.manifest);
    let had: HashMap<Key<'_>, &Function> = by_key(before);
    let has: HashMap<Key<'_>, &Function> = by_key(after);
    let (skipped_before, skipped_now) = (skipped::reasons(before), skipped::reasons(after));
    for function in &before.functions {
        if has.contains_key(&key(function)) {
            continue;
        }
        diff.removed.insert(short(&function.name));
        let why = skipped_now.get(&key(function)).copied();
        let why = why.unwrap_or("no longer in the document");
        let change = Change::new(Level::Breaking, Kind::FunctionRemoved).to(why);
        diff.changes.push(in_function(function, change));
    }
    let documented = match (old.functions, new.functions) {
        (Some(old), Some(new)) => {
            Some((docstrings::by_function(old), docstrings::by_function(new)))
        }
        _ => None,
    };
    let mut signs_before = Signs::new(&before.types);
    let mut signs = Signs::new(&after.types);
    for function in &after.functions {
        let Some(earlier) = had.get(&key(function)) else {
            let reason = skipped_before.get(&key(function)).copied();
            diff.added.insert(short(&function.name));
            let changes = function_added(function, &mut signs, reason);
            diff.changes.extend(changes);
            continue;
        };
        let mut changes = function::compare(earlier, function);
        if earlier.name != function.name {
            changes.push(
                Change::new(Level::Breaking, Kind::FunctionRenamed)
                    .from(&earlier.name)
                    .to(&function.name),
            );
        }
        // The signs are read off types too, which are compared elsewhere.
        if signs_before.of(earlier).is_none()
            && let Some(sign) = signs.of(function)
        {
            let change = Change::new(Level::Security, Kind::TunnelBegun);
            changes.push(change.to(sign.to_string()));
        }
        if let Some((had, has)) = &documented {
            let text = had.get(earlier.name.as_str()).copied().unwrap_or_default();
            let now = has.get(function.name.as_str()).copied().unwrap_or_default();
            changes.extend(docstrings::lines(text, now).map(|lines| {
                Change::new(Level::Text, Kind::DocstringChanged)
                    .about(&counted(lines.count, "line"))
                    .from(lines.old)
                    .to(lines.new)
            }));
        }
        if !changes.is_empty() {
            diff.changed.insert(short(&function.name));
        }
        let changes = changes.into_iter();
        diff.changes
            .extend(changes.map(|change| in_function(function, change)));
    }
    retargeted(diff, before, after);
}

fn by_key(manifest: &Manifest) -> HashMap<Key<'_>, &Function> {
    let functions = manifest.functions.iter();
    functions
        .map(|function| (key(function), function))
        .collect()
}

/// Names that call another operation than they did: no code that uses them would notice.
fn retargeted(diff: &mut ServerDiff, before: &Manifest, after: &Manifest) {
    let targets: HashMap<&str, Key<'_>> = before
        .functions
        .iter()
        .map(|function| (function.name.as_str(), key(function)))
        .collect();
    for function in &after.functions {
        if let Some((method, path)) = targets.get(function.name.as_str())
            && (*method, *path) != key(function)
        {
            let change = Change::new(Level::Security, Kind::FunctionRetargeted)
                .from(format!("{method} {path}"))
                .to(format!("{} {}", function.method, function.path));
            diff.changes.push(in_function(function, change));
        }
    }
}

/// What concerns the API as a whole.
fn about(diff: &mut ServerDiff, before: &Manifest, after: &Manifest) {
    let mut say = |level, kind, subject: &str, old: &str, new: &str| {
        if old != new {
            let change = Change::new(level, kind).about(subject);
            diff.changes.push(change.from(old).to(new));
        }
    };
    let (old, new) = (before, after);
    say(
        Level::Security,
        Kind::BaseUrlVariableChanged,
        "base_url_env",
        &old.base_url_env,
        &new.base_url_env,
    );
    let source = Kind::SourceChanged;
    let (source_before, source_after) = (&old.spec.source, &new.spec.source);
    say(Level::Other, source, "source", source_before, source_after);
    let (version, version_now) = (&old.spec.version, &new.spec.version);
    say(Level::Other, source, "version", version, version_now);
    let files = |manifest: &Manifest| -> String {
        let names: Vec<&str> = manifest.spec.files.keys().map(String::as_str).collect();
        names.join(", ")
    };
    say(Level::Other, source, "files", &files(old), &files(new));
    say(Level::Other, source, "server", &old.server, &new.server);
    let compiler = Kind::CompilerChanged;
    let (compiler_before, compiler_now) = (&old.compiler, &new.compiler);
    say(
        Level::Other,
        compiler,
        "compiler",
        compiler_before,
        compiler_now,
    );
    for (subject, old, new) in [
        ("runtime_abi", old.runtime_abi, new.runtime_abi),
        (
            "manifest_version",
            old.manifest_version,
            new.manifest_version,
        ),
    ] {
        let (old, new) = (old.to_string(), new.to_string());
        say(Level::Other, compiler, subject, &old, &new);
    }
    let text = Kind::DescriptionChanged;
    say(Level::Text, text, "title", &before.title, &after.title);
    let (old, new) = (&before.description, &after.description);
    say(Level::Text, text, "description", old, new);
    warnings(diff, &before.warnings, &after.warnings);
}

/// What was repaired or left out and was not before, and what is not any more.
fn warnings(diff: &mut ServerDiff, before: &[String], after: &[String]) {
    let had: HashSet<&String> = before.iter().collect();
    let has: HashSet<&String> = after.iter().collect();
    let new = after.iter().filter(|warning| !had.contains(warning));
    let come = new.map(|warning| Change::new(Level::Other, Kind::WarningAdded).to(warning));
    diff.changes.extend(come);
    let old = before.iter().filter(|warning| !has.contains(warning));
    let gone = old.map(|warning| Change::new(Level::Other, Kind::WarningRemoved).from(warning));
    diff.changes.extend(gone);
}
