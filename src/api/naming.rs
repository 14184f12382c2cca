//! Gives operations, parameters and types their Python names. A committed manifest is the lock:
//! an operation found there keeps names that can be derived from it. Of those that collide, all
//! are renamed alike, from method and path, so that the order of the document does not matter.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use indexmap::IndexMap;
use serde_json::Value;

use super::identifiers::{
    Unique, is_function_name, method_and_path, short_hash, snake, suffixed, type_name,
};
use super::manifest::{Function, Location, Manifest};
use super::model::{Api, Operation};
use super::schema;

/// An [`Api`] whose operations, parameters and types have Python names. A `$ref` in any schema is
/// `#/types/<name>`.
#[derive(Debug, Clone)]
pub struct NamedApi {
    /// The API; its schemas and pointers are those of [`NamedApi::types`].
    pub api: Api,
    /// One entry for each operation of the API, in its order.
    pub names: Vec<OperationNames>,
    /// The schemas by type name.
    pub types: IndexMap<String, Value>,
}

/// The Python names of one operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationNames {
    /// The function.
    pub function: String,
    /// The parameters, in the operation's order.
    pub parameters: Vec<String>,
    /// The argument that is the body.
    pub body: Option<String>,
}

/// Why names could not be given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NamingError {
    /// A `rename` entry whose value is no name for a function.
    #[error(
        "`rename` of `{key}`: `{name}` is no function name; expected lower-case ASCII letters, digits and underscores, no Python keyword or builtin"
    )]
    NotAName {
        /// The entry's key.
        key: String,
        /// The entry's value.
        name: String,
    },
    /// A `rename` entry whose key names no operation.
    #[error("`rename` of `{key}`: no operation has this operationId or `METHOD /path`{advice}")]
    UnknownOperation {
        /// The entry's key.
        key: String,
        /// What may be meant; empty where nothing is near.
        advice: String,
    },
    /// A `rename` entry whose key names more than one operation.
    #[error(
        "`rename` of `{key}`: this operationId is that of `{first}` and of `{second}`; write `METHOD /path` in its place"
    )]
    Ambiguous {
        /// The entry's key.
        key: String,
        /// One operation.
        first: String,
        /// Another one.
        second: String,
    },
    /// Two `rename` entries for one operation.
    #[error("`rename` of `{key}`: `{other}` is the same operation; remove one of the entries")]
    Twice {
        /// The entry's key.
        key: String,
        /// The key of the other entry.
        other: String,
    },
    /// A `rename` entry whose value is another operation's name.
    #[error("`rename` of `{key}`: `{name}` is already the name of `{other}`")]
    Taken {
        /// The entry's key.
        key: String,
        /// The entry's value.
        name: String,
        /// The other operation.
        other: String,
    },
}

impl NamingError {
    /// The key of the entry that is wrong.
    #[must_use]
    pub fn key(&self) -> &str {
        match self {
            Self::NotAName { key, .. }
            | Self::UnknownOperation { key, .. }
            | Self::Ambiguous { key, .. }
            | Self::Twice { key, .. }
            | Self::Taken { key, .. } => key,
        }
    }
}

/// Names everything in an API.
///
/// # Errors
///
/// Every `rename` entry that is no name, names nothing, or is taken.
pub fn give_names(
    mut api: Api,
    lock: Option<&Manifest>,
    rename: &IndexMap<String, String>,
) -> Result<NamedApi, Vec<NamingError>> {
    let locked: HashMap<(&str, &str), &Function> = lock
        .into_iter()
        .flat_map(|manifest| &manifest.functions)
        .map(|function| ((function.method.as_str(), function.path.as_str()), function))
        .collect();
    let left_out = renamed_in_vain(&api, rename);
    api.warnings.extend(
        left_out
            .iter()
            .map(|key| format!("`rename` of `{key}` has no effect: that operation was left out")),
    );
    api.warnings.extend(repeated_ids(&api));
    let functions = function_names(&api, &locked, rename, &left_out)?;
    let names = api
        .operations
        .iter()
        .zip(functions)
        .map(|(operation, function)| {
            let lock = locked.get(&(operation.method.as_str(), operation.path.as_str()));
            let (parameters, body) = argument_names(operation, lock.copied());
            OperationNames {
                function,
                parameters,
                body,
            }
        })
        .collect();
    let types = name_types(&mut api);
    Ok(NamedApi { api, names, types })
}

/// Says which operationIds do not tell operations apart, as they should.
fn repeated_ids(api: &Api) -> Vec<String> {
    let mut bearers: BTreeMap<&str, usize> = BTreeMap::new();
    let ids = api
        .operations
        .iter()
        .filter_map(|it| it.operation_id.as_deref());
    for id in ids {
        *bearers.entry(id).or_default() += 1;
    }
    bearers.retain(|_, count| *count > 1);
    let said = bearers.into_iter().map(|(id, count)| {
        format!(
            "{count} operations have the operationId `{id}`; method and path are part of their names"
        )
    });
    said.collect()
}

/// One thing to be named: its candidates, each longer than the one before, and its fixed name.
struct Subject {
    candidates: Vec<String>,
    fixed: Option<String>,
}

/// Picks the first candidate of each; all members of a collision move on to their next one.
fn resolve(subjects: &[Subject]) -> Vec<String> {
    let mut levels = vec![0_usize; subjects.len()];
    let name_at = |index: usize, level: usize| -> String {
        let Some(subject) = subjects.get(index) else {
            return String::new();
        };
        subject
            .fixed
            .as_ref()
            .or(subject.candidates.get(level))
            .cloned()
            .unwrap_or_default()
    };
    loop {
        let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, level) in levels.iter().enumerate() {
            groups
                .entry(name_at(index, *level))
                .or_default()
                .push(index);
        }
        let mut moved = false;
        for members in groups.values().filter(|members| members.len() > 1) {
            for member in members {
                let Some(subject) = subjects.get(*member) else {
                    continue;
                };
                let Some(level) = levels.get_mut(*member) else {
                    continue;
                };
                if subject.fixed.is_none() && *level + 1 < subject.candidates.len() {
                    *level += 1;
                    moved = true;
                }
            }
        }
        if !moved {
            break;
        }
    }
    // Candidates end in a hash, so this is for hand-made collisions with it only.
    let mut unique = Unique::default();
    levels
        .iter()
        .enumerate()
        .map(|(index, level)| unique.take(&name_at(index, *level), "_"))
        .collect()
}

fn function_candidates(operation: &Operation) -> Vec<String> {
    let place = method_and_path(&operation.method, &operation.path);
    let hash = short_hash(&operation.label());
    match operation
        .operation_id
        .as_deref()
        .and_then(|id| snake(id, "fn_"))
    {
        Some(base) if base != place => {
            let longer = suffixed(&base, &place);
            let longest = suffixed(&base, &hash);
            vec![base, longer, longest]
        }
        _ => {
            let longer = suffixed(&place, &hash);
            vec![place, longer]
        }
    }
}

/// Keys of `rename` whose operation is in the document and was left out, as by the read-only rule:
/// switching that on must not ask for another config.
fn renamed_in_vain(api: &Api, rename: &IndexMap<String, String>) -> BTreeSet<String> {
    let is_kept = |key: &str| {
        let mut kept = api.operations.iter();
        kept.any(|it| it.operation_id.as_deref() == Some(key) || it.label() == key)
    };
    let is_known = |key: &String| {
        let mut skipped = api.skipped.iter();
        api.operation_ids.contains(key)
            || skipped.any(|it| format!("{} {}", it.method, it.path) == *key)
    };
    let keys = rename.keys();
    keys.filter(|key| !is_kept(key) && is_known(key))
        .cloned()
        .collect()
}

fn function_names(
    api: &Api,
    locked: &HashMap<(&str, &str), &Function>,
    rename: &IndexMap<String, String>,
    left_out: &BTreeSet<String>,
) -> Result<Vec<String>, Vec<NamingError>> {
    let mut errors = Vec::new();
    let mut given: BTreeMap<usize, (&str, &str)> = BTreeMap::new();
    for (key, name) in rename {
        if !is_function_name(name) {
            errors.push(NamingError::NotAName {
                key: key.clone(),
                name: name.clone(),
            });
            continue;
        }
        let mut matching = api.operations.iter().enumerate().filter(|(_, operation)| {
            operation.operation_id.as_deref() == Some(key) || operation.label() == *key
        });
        match (matching.next(), matching.next()) {
            // The read-only rule and filters may come and go without the names being rewritten.
            (None, _) if left_out.contains(key) => {}
            (None, _) => errors.push(NamingError::UnknownOperation {
                key: key.clone(),
                advice: super::near::advice(key, &api.operation_ids),
            }),
            (Some((index, _)), None) => {
                if let Some((other, _)) = given.insert(index, (key, name)) {
                    errors.push(NamingError::Twice {
                        key: key.clone(),
                        other: other.to_owned(),
                    });
                }
            }
            (Some((_, first)), Some((_, second))) => {
                errors.push(NamingError::Ambiguous {
                    key: key.clone(),
                    first: first.label(),
                    second: second.label(),
                });
            }
        }
    }
    let subjects: Vec<Subject> = api
        .operations
        .iter()
        .enumerate()
        .map(|(index, operation)| {
            let candidates = function_candidates(operation);
            let fixed = given
                .get(&index)
                .map(|(_, name)| (*name).to_owned())
                .or_else(|| {
                    let lock = locked.get(&(operation.method.as_str(), operation.path.as_str()))?;
                    candidates.contains(&lock.name).then(|| lock.name.clone())
                });
            Subject { candidates, fixed }
        })
        .collect();
    for (index, (key, name)) in &given {
        let other = subjects.iter().enumerate().find(|(place, subject)| {
            place != index
                && (subject.fixed.as_deref() == Some(name)
                    || subject.fixed.is_none()
                        && subject.candidates.first().map(String::as_str) == Some(name))
        });
        if let Some((place, _)) = other {
            errors.push(NamingError::Taken {
                key: (*key).to_owned(),
                name: (*name).to_owned(),
                other: api
                    .operations
                    .get(place)
                    .map(Operation::label)
                    .unwrap_or_default(),
            });
        }
    }
    if errors.is_empty() {
        Ok(resolve(&subjects))
    } else {
        Err(errors)
    }
}

fn location_word(location: Location) -> &'static str {
    match location {
        Location::Path => "path",
        Location::Query => "query",
        Location::Header => "header",
        Location::Cookie => "cookie",
    }
}

fn argument_names(operation: &Operation, lock: Option<&Function>) -> (Vec<String>, Option<String>) {
    let mut subjects: Vec<Subject> = operation
        .parameters
        .iter()
        .map(|parameter| {
            let base = snake(&parameter.wire_name, "p_").unwrap_or_else(|| "param".to_owned());
            let place = location_word(parameter.location);
            let longer = suffixed(&base, place);
            let longest = suffixed(
                &base,
                &short_hash(&format!("{place} {}", parameter.wire_name)),
            );
            let candidates = vec![base, longer, longest];
            let fixed = lock
                .and_then(|function| {
                    function.parameters.iter().find(|locked| {
                        locked.r#in == parameter.location && locked.wire_name == parameter.wire_name
                    })
                })
                .map(|locked| locked.name.clone())
                .filter(|name| candidates.contains(name));
            Subject { candidates, fixed }
        })
        .collect();
    if operation.body.is_some() {
        let candidates: Vec<String> = ["body", "request_body", "request_body_content"]
            .map(str::to_owned)
            .into();
        let fixed = lock
            .and_then(|function| function.body.as_ref())
            .map(|body| body.name.clone())
            .filter(|name| candidates.contains(name));
        subjects.push(Subject { candidates, fixed });
    }
    let mut names = resolve(&subjects);
    let body = if operation.body.is_some() {
        names.pop()
    } else {
        None
    };
    (names, body)
}

/// Names the schemas and rewrites every reference to `#/types/<name>`.
fn name_types(api: &mut Api) -> IndexMap<String, Value> {
    let mut groups: BTreeMap<String, BTreeSet<&String>> = BTreeMap::new();
    for pointer in api.schemas.keys() {
        groups
            .entry(type_name(&words_of_pointer(pointer)))
            .or_default()
            .insert(pointer);
    }
    let mut names: HashMap<String, String> = HashMap::new();
    let mut unique = Unique::default();
    // Those that collide are all renamed: a name that a new schema took over would silently mean
    // another type to the code that uses it.
    let (shared, single): (Vec<_>, Vec<_>) = groups
        .into_iter()
        .partition(|(_, pointers)| pointers.len() > 1);
    for (name, pointers) in single.into_iter().chain(shared) {
        let is_shared = pointers.len() > 1;
        for pointer in pointers {
            let name = if is_shared {
                type_name(&format!("{name}{}", short_hash(pointer)))
            } else {
                name.clone()
            };
            names.insert(pointer.clone(), unique.take(&name, ""));
        }
    }
    let mut rewrite = |reference: &mut String| {
        if let Some(name) = names.get(reference.as_str()) {
            *reference = format!("#/types/{name}");
        }
    };
    let mut types: IndexMap<String, Value> = IndexMap::new();
    for (pointer, mut value) in std::mem::take(&mut api.schemas) {
        schema::references_mut(&mut value, &mut rewrite);
        if let Some(name) = names.get(&pointer) {
            types.insert(name.clone(), value);
        }
    }
    types.sort_keys();
    for operation in &mut api.operations {
        for parameter in &mut operation.parameters {
            schema::references_mut(&mut parameter.schema, &mut rewrite);
        }
        if let Some(body) = &mut operation.body {
            for schema in body.schemas_mut() {
                schema::references_mut(schema, &mut rewrite);
            }
        }
        for response in &mut operation.responses {
            schema::references_mut(&mut response.schema, &mut rewrite);
        }
    }
    types
}

/// The telling parts of a pointer: `Pet` of `#/components/schemas/Pet`, `Pet/owner` of
/// `#/components/schemas/Pet/properties/owner`, `Pet` of the whole file `models/Pet.yaml#`.
fn words_of_pointer(pointer: &str) -> String {
    let (file, pointer) = pointer.split_once('#').unwrap_or(("", pointer));
    let pointer = pointer.replace("%25", "%");
    let inner = pointer.trim_start_matches('/');
    let named = ["components/schemas/", "definitions/", "$defs/"];
    let inner = named
        .iter()
        .find_map(|holder| inner.strip_prefix(holder))
        .unwrap_or(inner);
    // What has no name of its own in its file is called after the file.
    let first = inner.split('/').next().unwrap_or_default();
    let is_nameless = first.is_empty() || schema::is_keyword(first);
    let stem = (!file.is_empty() && is_nameless).then(|| stem(file));
    let words: Vec<String> = inner
        .split('/')
        .filter(|word| {
            !matches!(
                *word,
                "properties" | "items" | "components" | "paths" | "schema" | "content"
            )
        })
        .map(|word| word.replace("~1", "/").replace("~0", "~"))
        .collect();
    let words = stem
        .into_iter()
        .chain(words)
        .filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("/")
}

/// `Pet` of `models/Pet.yaml`.
fn stem(file: &str) -> String {
    let name = file.rsplit('/').next().unwrap_or_default();
    let (stem, _) = name.rsplit_once('.').unwrap_or((name, ""));
    stem.to_owned()
}

#[cfg(test)]
mod tests;
