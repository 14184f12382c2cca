//! What differs between two manifests of one server.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use indexmap::IndexMap;
use serde_json::Value;

use super::schema::Difference;
use super::{Change, Kind, Level, ServerDiff, Side, docstrings, function, schema, short};
use crate::api::schema::reachable;
use crate::api::{Function, Manifest, SecurityScheme, is_mutating};
use crate::compile::tunnel;

/// Method and path.
type Key<'a> = (&'a str, &'a str);

/// A server that is no longer compiled.
pub(super) fn removed(diff: &mut ServerDiff, old: &Manifest) {
    diff.removed = old.functions.iter().map(|it| short(&it.name)).collect();
    diff.changes.push(
        Change::new(Level::Breaking, Kind::ServerRemoved)
            .from(format!("{} functions", old.functions.len())),
    );
}

/// A server that was not compiled before.
pub(super) fn added(diff: &mut ServerDiff, new: &Manifest) {
    diff.changes.push(
        Change::new(Level::Other, Kind::ServerAdded)
            .to(format!("{} functions", new.functions.len())),
    );
    origin(diff, None, new.base_url.as_deref());
    schemes(diff, &BTreeMap::new(), &new.security_schemes);
    for function in &new.functions {
        diff.added.insert(short(&function.name));
        diff.changes
            .extend(function_added(function, &new.types, None));
    }
    warnings(diff, &[], &new.warnings);
}

/// A server that both sides have.
pub(super) fn changed(diff: &mut ServerDiff, old: Side<'_>, new: Side<'_>) {
    let (before, after) = (old.manifest, new.manifest);
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
    types(diff, before, after);
    skipped(diff, before, after);
    about(diff, before, after);
}

fn origin(diff: &mut ServerDiff, old: Option<&str>, new: Option<&str>) {
    if old == new {
        return;
    }
    let of = |text: Option<&str>| {
        let url = text.and_then(|text| url::Url::parse(text).ok());
        url.map(|url| url.origin().ascii_serialization())
    };
    let kind = if of(old) == of(new) {
        Kind::BaseUrlChanged
    } else {
        Kind::OriginMoved
    };
    let mut change = Change::new(Level::Security, kind);
    if let Some(old) = old {
        change = change.from(old);
    }
    if let Some(new) = new {
        change = change.to(new);
    }
    diff.changes.push(change);
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
            Some(other) if other != scheme => diff.changes.push(
                Change::new(Level::Security, Kind::SchemeChanged)
                    .about(name)
                    .from(said(scheme))
                    .to(said(other)),
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

fn key(function: &Function) -> Key<'_> {
    (&function.method, &function.path)
}

/// The change with the function it is of.
fn of(function: &Function, mut change: Change) -> Change {
    change.function = Some(short(&function.name));
    change.operation = Some(short(&format!("{} {}", function.method, function.path)));
    change
}

fn function_added(
    function: &Function,
    types: &IndexMap<String, Value>,
    skipped_before: Option<&str>,
) -> Vec<Change> {
    let (level, kind) = if is_mutating(&function.method) {
        (Level::Security, Kind::MutatingFunctionAdded)
    } else {
        (Level::Other, Kind::FunctionAdded)
    };
    let mut change = Change::new(level, kind);
    if let Some(reason) = skipped_before {
        change = change.from(reason);
    }
    let mut changes = vec![of(function, change)];
    if let Some(sign) = tunnel::sign(function, types) {
        changes.push(of(
            function,
            Change::new(Level::Security, Kind::TunnelAdded).to(sign.to_string()),
        ));
    }
    changes
}

fn functions(diff: &mut ServerDiff, old: Side<'_>, new: Side<'_>) {
    let (before, after) = (old.manifest, new.manifest);
    let had: HashMap<Key<'_>, &Function> =
        before.functions.iter().map(|it| (key(it), it)).collect();
    let has: HashMap<Key<'_>, &Function> = after.functions.iter().map(|it| (key(it), it)).collect();
    let reasons = |manifest: &'_ Manifest| -> HashMap<(String, String), String> {
        let all = manifest.skipped.iter();
        all.map(|it| ((it.method.clone(), it.path.clone()), it.reason.clone()))
            .collect()
    };
    let owned = |(method, path): Key<'_>| (method.to_owned(), path.to_owned());
    let (skipped_before, skipped_now) = (reasons(before), reasons(after));
    for function in &before.functions {
        if has.contains_key(&key(function)) {
            continue;
        }
        diff.removed.insert(short(&function.name));
        let why = skipped_now.get(&owned(key(function)));
        let why = why.map_or("no longer in the document", String::as_str);
        let change = Change::new(Level::Breaking, Kind::FunctionRemoved).to(why);
        diff.changes.push(of(function, change));
    }
    let documented = [old, new].map(|side| side.functions.map(docstrings::of));
    for function in &after.functions {
        let Some(earlier) = had.get(&key(function)) else {
            let reason = skipped_before.get(&owned(key(function)));
            diff.added.insert(short(&function.name));
            let changes = function_added(function, &after.types, reason.map(String::as_str));
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
        let [one, other] = &documented;
        let one = one.as_ref().and_then(|all| all.get(earlier.name.as_str()));
        let other = other
            .as_ref()
            .and_then(|all| all.get(function.name.as_str()));
        if let (Some(one), Some(other)) = (one, other)
            && one != other
            && changes.is_empty()
        {
            let (one, other) = docstrings::first_difference(one, other);
            let change = Change::new(Level::Text, Kind::DocstringChanged);
            changes.push(change.from(one).to(other));
        }
        if !changes.is_empty() {
            diff.changed.insert(short(&function.name));
        }
        diff.changes
            .extend(changes.into_iter().map(|change| of(function, change)));
    }
    retargeted(diff, before, after);
}

/// Names that call another operation than they did: no code that uses them would notice.
fn retargeted(diff: &mut ServerDiff, before: &Manifest, after: &Manifest) {
    let targets: HashMap<&str, Key<'_>> = before
        .functions
        .iter()
        .map(|it| (it.name.as_str(), key(it)))
        .collect();
    for function in &after.functions {
        if let Some((method, path)) = targets.get(function.name.as_str())
            && (*method, *path) != key(function)
        {
            let change = Change::new(Level::Security, Kind::FunctionRetargeted)
                .from(format!("{method} {path}"))
                .to(format!("{} {}", function.method, function.path));
            diff.changes.push(of(function, change));
        }
    }
}

/// Types that both sides have under one name.
fn types(diff: &mut ServerDiff, before: &Manifest, after: &Manifest) {
    let inputs = inputs(after);
    for (name, old) in &before.types {
        let Some(new) = after.types.get(name) else {
            continue;
        };
        let given = inputs.contains(name);
        for difference in schema::compare(old, new) {
            diff.changes.push(in_type(name, given, difference));
        }
    }
}

/// A difference in a type, which code may have to give or only reads.
fn in_type(name: &str, given: bool, difference: Difference) -> Change {
    let within = |key: &str| format!("{name}.{key}");
    let of_values = |key: Option<String>| key.map_or_else(|| name.to_owned(), |key| within(&key));
    let where_given = if given { Level::Breaking } else { Level::Other };
    match difference {
        Difference::KeyRemoved(key) => {
            Change::new(Level::Breaking, Kind::KeyRemoved).about(&within(&key))
        }
        Difference::KeyAdded {
            key,
            required: true,
        } if given => Change::new(Level::Breaking, Kind::RequiredKeyAdded).about(&within(&key)),
        Difference::KeyAdded { key, .. } => {
            Change::new(Level::Other, Kind::KeyAdded).about(&within(&key))
        }
        Difference::KeyRequired(key) => {
            Change::new(where_given, Kind::KeyRequired).about(&within(&key))
        }
        // Code that reads it could rely on it.
        Difference::KeyOptional(key) => {
            let level = if given { Level::Other } else { Level::Breaking };
            Change::new(level, Kind::KeyOptional).about(&within(&key))
        }
        Difference::KeyChanged { key, old, new } => Change::new(Level::Breaking, Kind::KeyChanged)
            .about(&within(&key))
            .from(old.to_string())
            .to(new.to_string()),
        Difference::ValueRemoved { key, value } => Change::new(where_given, Kind::EnumValueRemoved)
            .about(&of_values(key))
            .from(value.to_string()),
        Difference::ValueAdded { key, value } => Change::new(Level::Other, Kind::EnumValueAdded)
            .about(&of_values(key))
            .to(value.to_string()),
        Difference::Other { old, new } => Change::new(Level::Breaking, Kind::TypeChanged)
            .about(name)
            .from(old.to_string())
            .to(new.to_string()),
        Difference::Text => Change::new(Level::Text, Kind::TypeDescriptionChanged).about(name),
    }
}

/// The types that arguments are made of.
fn inputs(manifest: &Manifest) -> BTreeSet<String> {
    let schemas = manifest.functions.iter().flat_map(|function| {
        let parameters = function
            .parameters
            .iter()
            .map(|parameter| &parameter.schema);
        let body = function.body.iter().map(|body| &body.schema);
        parameters.chain(body)
    });
    reachable(schemas, &manifest.types)
}

/// Operations without a function that are new, or have none for another reason.
fn skipped(diff: &mut ServerDiff, before: &Manifest, after: &Manifest) {
    let had: HashMap<Key<'_>, &str> = before
        .skipped
        .iter()
        .map(|it| ((it.method.as_str(), it.path.as_str()), it.reason.as_str()))
        .collect();
    let compiled: BTreeSet<Key<'_>> = before.functions.iter().map(key).collect();
    for one in &after.skipped {
        let place = (one.method.as_str(), one.path.as_str());
        // Those that were compiled are among the functions that are gone.
        if compiled.contains(&place) || had.get(&place) == Some(&one.reason.as_str()) {
            continue;
        }
        let mut change = Change::new(Level::Other, Kind::SkippedChanged).to(&one.reason);
        if let Some(reason) = had.get(&place) {
            change = change.from(reason);
        }
        change.operation = Some(short(&format!("{} {}", one.method, one.path)));
        diff.changes.push(change);
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
    let (source, compiler) = (Kind::SourceChanged, Kind::CompilerChanged);
    let (old, new) = (&before.spec, &after.spec);
    say(Level::Other, source, "source", &old.source, &new.source);
    say(Level::Other, source, "version", &old.version, &new.version);
    let (old, new) = (before, after);
    say(
        Level::Other,
        compiler,
        "compiler",
        &old.compiler,
        &new.compiler,
    );
    let (old, new) = (
        before.runtime_abi.to_string(),
        after.runtime_abi.to_string(),
    );
    say(Level::Other, compiler, "runtime_abi", &old, &new);
    let text = Kind::DescriptionChanged;
    say(Level::Text, text, "title", &before.title, &after.title);
    let (old, new) = (&before.description, &after.description);
    say(Level::Text, text, "description", old, new);
    warnings(diff, &before.warnings, &after.warnings);
}

/// What was repaired or left out, and was not before.
fn warnings(diff: &mut ServerDiff, before: &[String], after: &[String]) {
    let new = after.iter().filter(|warning| !before.contains(warning));
    let changes = new.map(|warning| Change::new(Level::Other, Kind::WarningAdded).to(warning));
    diff.changes.extend(changes);
}
