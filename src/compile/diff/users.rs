//! Which functions a type matters to.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Change, Kind, Level, short};
use crate::api::schema::references;
use crate::api::{Function, Manifest};

/// How many functions a change names.
const MOST_NAMES: usize = 10;

/// Which types and functions refer to a type themselves.
pub(super) struct Users<'a> {
    types: BTreeMap<String, BTreeSet<&'a str>>,
    /// Functions that take values of a type.
    taking: BTreeMap<String, BTreeSet<&'a str>>,
    /// Functions that answer with values of a type.
    giving: BTreeMap<String, BTreeSet<&'a str>>,
}

impl<'a> Users<'a> {
    pub(super) fn of(manifest: &'a Manifest) -> Self {
        let mut users = Self {
            types: BTreeMap::new(),
            taking: BTreeMap::new(),
            giving: BTreeMap::new(),
        };
        for (name, schema) in &manifest.types {
            note(&mut users.types, name, schema);
        }
        for function in &manifest.functions {
            for schema in taken(function) {
                note(&mut users.taking, &function.name, schema);
            }
            for response in &function.responses {
                note(&mut users.giving, &function.name, &response.schema);
            }
        }
        users
    }

    /// Names the functions that a change of this type matters to.
    pub(super) fn name(&self, name: &str, change: &mut Change) {
        let (taking, giving) = match (change.level, change.kind) {
            (Level::Text, _) => return,
            (
                Level::Breaking,
                Kind::RequiredKeyAdded | Kind::KeyRequired | Kind::EnumValueRemoved,
            ) => (true, false),
            (Level::Breaking, Kind::KeyOptional) => (false, true),
            _ => (true, true),
        };
        let mut names = BTreeSet::new();
        for reached in self.reaching(name) {
            let of = |all: &BTreeMap<String, BTreeSet<&'a str>>| {
                all.get(reached)
                    .into_iter()
                    .flatten()
                    .copied()
                    .collect::<Vec<_>>()
            };
            if taking {
                names.extend(of(&self.taking));
            }
            if giving {
                names.extend(of(&self.giving));
            }
        }
        change.used_by = names
            .iter()
            .take(MOST_NAMES)
            .map(|name| short(name))
            .collect();
        change.used_by_more = names.len() - change.used_by.len();
    }

    /// A type and those that lead to it.
    fn reaching<'n>(&'n self, name: &'n str) -> BTreeSet<&'n str> {
        let mut found = BTreeSet::from([name]);
        let mut pending = vec![name];
        while let Some(name) = pending.pop() {
            for user in self.types.get(name).into_iter().flatten() {
                if found.insert(user) {
                    pending.push(user);
                }
            }
        }
        found
    }
}

/// The schemas of all that a function takes.
pub(super) fn taken(function: &Function) -> impl Iterator<Item = &Value> {
    let parameters = function
        .parameters
        .iter()
        .map(|parameter| &parameter.schema);
    let body = function.body.iter().flat_map(|body| {
        let alternatives = body.alternatives.iter().map(|media| &media.schema);
        std::iter::once(&body.schema).chain(alternatives)
    });
    parameters.chain(body)
}

fn note<'a>(all: &mut BTreeMap<String, BTreeSet<&'a str>>, user: &'a str, schema: &Value) {
    for reference in references(schema) {
        let name = reference.trim_start_matches("#/types/");
        all.entry(name.to_owned()).or_default().insert(user);
    }
}
