//! Which operations are compiled: the read-only rule, `include` and `exclude`.

use std::collections::{HashMap, HashSet};

use super::manifest::{Skipped, is_known_method, is_mutating};
use super::model::{Api, Operation, sent_path};
use super::near;

/// The rules of one server, as the config gives them.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// Whether mutating operations are left out.
    pub read_only: bool,
    /// Mutating operations kept all the same: method and path.
    pub read_only_allow: Vec<(String, String)>,
    /// Only these; everything where empty.
    pub include: Selection,
    /// Not these; wins over `include`.
    pub exclude: Selection,
}

/// `include` or `exclude`.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Tags.
    pub tags: Vec<String>,
    /// Globs over path templates: `*` within a segment, `**` across, `?` one character.
    pub paths: Vec<String>,
    /// operationIds.
    pub operation_ids: Vec<String>,
}

/// An entry of the rules that fits no operation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    /// In `read_only_allow`.
    #[error(
        "`read_only_allow`: `{entry}` is no operation of the document; write `METHOD /path` as the document spells it"
    )]
    UnknownAllowed {
        /// The entry.
        entry: String,
    },
    /// In `include` or `exclude`.
    #[error("`{list}`: `{entry}` matches no operation of the document{advice}")]
    MatchesNothing {
        /// Such as `exclude.tags`.
        list: String,
        /// The entry.
        entry: String,
        /// What may be meant, and of tags which there are; empty where nothing is near.
        advice: String,
    },
}

impl RuleError {
    /// The list that the entry is in, such as `exclude.tags`, and the entry.
    #[must_use]
    pub fn entry(&self) -> (&str, &str) {
        match self {
            Self::UnknownAllowed { entry } => ("read_only_allow", entry),
            Self::MatchesNothing { list, entry, .. } => (list, entry),
        }
    }
}

/// Moves the operations that the rules leave out to `skipped`. Gives every entry of the rules that
/// fits no operation of the document: each would otherwise silently leave in or out what its author
/// meant.
#[must_use]
pub fn apply(api: &mut Api, rules: &Rules) -> Vec<RuleError> {
    let mut errors = unknown_allowed(api, rules);
    errors.extend(unmatched_entries(api, &rules.include, "include"));
    errors.extend(unmatched_entries(api, &rules.exclude, "exclude"));
    let mut kept = Vec::new();
    for operation in std::mem::take(&mut api.operations) {
        let reason = if forbidden(rules, &operation.method, &operation.path) {
            Some("read_only")
        } else if selects(&rules.exclude, &operation)
            || !rules.include.is_empty() && !selects(&rules.include, &operation)
        {
            Some("excluded")
        } else {
            None
        };
        match reason {
            None => kept.push(operation),
            Some(reason) => api.skipped.push(Skipped {
                base_url: operation.server.own().map(str::to_owned),
                method: operation.method,
                path: operation.path,
                reason: reason.to_owned(),
            }),
        }
    }
    let mut excluded: HashMap<(&str, &str), &Skipped> = HashMap::new();
    let those = api.skipped.iter().filter(|it| it.reason == "excluded");
    for skipped in those {
        let request = (skipped.method.as_str(), sent_path(&skipped.path));
        excluded.entry(request).or_insert(skipped);
    }
    for operation in &kept {
        let request = (operation.method.as_str(), sent_path(&operation.path));
        let twin = excluded.get(&request);
        if let Some(twin) = twin {
            api.warnings.push(format!(
                "`{} {}` is excluded, yet `{}` is the same request but for a fragment, which is never sent",
                twin.method,
                twin.path,
                operation.label()
            ));
        }
    }
    api.operations = kept;
    for skipped in &mut api.skipped {
        // Of a method that is never compiled the first reason stays, which says more.
        if is_known_method(&skipped.method) && forbidden(rules, &skipped.method, &skipped.path) {
            "read_only".clone_into(&mut skipped.reason);
        }
    }
    errors
}

fn unknown_allowed(api: &Api, rules: &Rules) -> Vec<RuleError> {
    let known = api.operations.iter().map(|o| (&o.method, &o.path));
    let skipped = api.skipped.iter().map(|s| (&s.method, &s.path));
    let found: HashSet<(&String, &String)> = known.chain(skipped).collect();
    let allowed = rules.read_only_allow.iter();
    let unknown = allowed.filter(|(method, path)| !found.contains(&(method, path)));
    let errors = unknown.map(|(method, path)| RuleError::UnknownAllowed {
        entry: format!("{method} {path}"),
    });
    errors.collect()
}

fn forbidden(rules: &Rules, method: &str, path: &str) -> bool {
    rules.read_only
        && is_mutating(method)
        && !rules
            .read_only_allow
            .iter()
            .any(|(m, p)| m == method && p == path)
}

impl Selection {
    fn is_empty(&self) -> bool {
        self.tags.is_empty() && self.paths.is_empty() && self.operation_ids.is_empty()
    }
}

fn selects(selection: &Selection, operation: &Operation) -> bool {
    selection
        .tags
        .iter()
        .any(|tag| operation.tags.contains(tag))
        || selection
            .operation_ids
            .iter()
            .any(|id| operation.operation_id.as_ref() == Some(id))
        || selection
            .paths
            .iter()
            .any(|glob| glob_matches(glob, &operation.path))
}

fn unmatched_entries(api: &Api, selection: &Selection, list: &str) -> Vec<RuleError> {
    let tags = selection.tags.iter().filter(|it| !api.tags.contains(*it));
    let ids = selection.operation_ids.iter();
    let ids = ids.filter(|it| !api.operation_ids.contains(*it));
    let paths = selection.paths.iter().filter(|glob| {
        let kept = api.operations.iter().map(|operation| &operation.path);
        !kept
            .chain(api.skipped.iter().map(|s| &s.path))
            .any(|path| glob_matches(glob, path))
    });
    let entries = tags.map(|it| ("tags", it));
    let entries = entries.chain(ids.map(|it| ("operationIds", it)));
    let entries = entries.chain(paths.map(|it| ("paths", it)));
    let errors = entries.map(|(kind, entry)| RuleError::MatchesNothing {
        list: format!("{list}.{kind}"),
        entry: entry.clone(),
        advice: match kind {
            "tags" => near::advice_and_list(entry, &api.tags),
            "operationIds" => near::advice(entry, &api.operation_ids),
            _ => String::new(),
        },
    });
    errors.collect()
}

/// Matches in time proportional to the product of both lengths: `rows[i]` says whether the first
/// `i` characters of the path are matched by the part of the glob read so far.
fn glob_matches(glob: &str, path: &str) -> bool {
    let path: Vec<char> = path.chars().collect();
    let mut rows = vec![false; path.len() + 1];
    if let Some(first) = rows.first_mut() {
        *first = true;
    }
    let mut characters = glob.chars().peekable();
    while let Some(character) = characters.next() {
        let across = character == '*' && characters.peek() == Some(&'*');
        if across {
            characters.next();
        }
        let mut next = vec![false; rows.len()];
        let mut reached = false;
        for (index, slot) in next.iter_mut().enumerate() {
            let before = index.checked_sub(1);
            let here = before.and_then(|place| path.get(place)).copied();
            let came = before
                .and_then(|place| rows.get(place))
                .copied()
                .unwrap_or(false);
            *slot = match character {
                '*' => {
                    if here == Some('/') && !across {
                        reached = false;
                    }
                    reached |= rows.get(index).copied().unwrap_or(false);
                    reached
                }
                '?' => came && here.is_some_and(|c| c != '/'),
                literal => came && here == Some(literal),
            };
        }
        rows = next;
    }
    rows.last().copied().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn api(operations: &[(&str, &str)]) -> Api {
        Api {
            operations: operations
                .iter()
                .map(|(method, path)| Operation {
                    operation_id: None,
                    method: (*method).to_owned(),
                    path: (*path).to_owned(),
                    server: crate::api::OperationServer::Document,
                    tags: vec!["all".to_owned()],
                    summary: String::new(),
                    description: String::new(),
                    deprecated: false,
                    parameters: Vec::new(),
                    body: None,
                    responses: Vec::new(),
                    response_descriptions: std::collections::BTreeMap::new(),
                    success_headers: std::collections::BTreeSet::new(),
                    security: Vec::new(),
                })
                .collect(),
            tags: ["all".to_owned()].into(),
            ..Api::default()
        }
    }

    fn labels(api: &Api) -> Vec<String> {
        api.operations.iter().map(Operation::label).collect()
    }

    #[test]
    fn globs_stop_at_slashes_unless_doubled() {
        assert!(glob_matches("/users/*", "/users/{id}"));
        assert!(!glob_matches("/users/*", "/users/{id}/keys"));
        assert!(glob_matches("/users/**", "/users/{id}/keys"));
        assert!(glob_matches("**/keys", "/users/{id}/keys"));
        assert!(!glob_matches("/users", "/users/"));
        assert!(!glob_matches(&"*a".repeat(2000), &"a".repeat(1999)));
    }

    #[test]
    fn read_only_drops_all_but_what_is_allowed() {
        let mut api = api(&[
            ("GET", "/a"),
            ("POST", "/a"),
            ("POST", "/search"),
            ("DELETE", "/a"),
        ]);
        let rules = Rules {
            read_only: true,
            read_only_allow: vec![("POST".into(), "/search".into())],
            ..Rules::default()
        };
        assert_eq!(apply(&mut api, &rules), []);
        assert_eq!(labels(&api), ["GET /a", "POST /search"]);
        assert_eq!(api.skipped.len(), 2);
        assert!(
            api.skipped
                .iter()
                .all(|skipped| skipped.reason == "read_only")
        );
    }

    #[test]
    fn exclude_wins_over_include_and_must_match() {
        let mut kept = api(&[("GET", "/a"), ("GET", "/b")]);
        let mut rules = Rules {
            include: Selection {
                tags: vec!["all".into()],
                ..Selection::default()
            },
            exclude: Selection {
                paths: vec!["/b".into()],
                ..Selection::default()
            },
            ..Rules::default()
        };
        assert_eq!(apply(&mut kept, &rules), []);
        assert_eq!(labels(&kept), ["GET /a"]);
        rules.exclude.paths = vec!["/c".into()];
        rules.include.tags.push("none".into());
        let errors = apply(&mut api(&[("GET", "/a")]), &rules);
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(
            errors,
            [
                "`include.tags`: `none` matches no operation of the document; there are `all`",
                "`exclude.paths`: `/c` matches no operation of the document"
            ]
        );
    }

    #[test]
    fn an_allowed_operation_that_is_not_there_is_an_error() {
        let rules = Rules {
            read_only: true,
            read_only_allow: vec![("post".into(), "/a".into())],
            ..Rules::default()
        };
        let errors = apply(&mut api(&[("POST", "/a")]), &rules);
        assert_eq!(
            errors,
            [RuleError::UnknownAllowed {
                entry: "post /a".into()
            }]
        );
    }
}
