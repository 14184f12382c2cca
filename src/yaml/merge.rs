//! Merge keys (`<<`).

use std::collections::{HashMap, HashSet};

use super::{Error, Key, Node, NodeValue};

/// Applies merge keys: members of the mapping itself win, then earlier sources.
pub(super) fn merge(
    members: Vec<(Key, Node)>,
    merges: Vec<(usize, Node)>,
) -> Result<Vec<(Key, Node)>, Error> {
    if merges.is_empty() {
        return Ok(members);
    }
    let mut seen: HashSet<String> = members.iter().map(|(key, _)| key.text.clone()).collect();
    let mut inserts: HashMap<usize, Vec<(Key, Node)>> = HashMap::new();
    for (at, source) in merges {
        let position = source.position;
        let sources = match source.value {
            NodeValue::Sequence(items) => items,
            value => vec![Node { value, position }],
        };
        for source in sources {
            let NodeValue::Mapping(entries) = source.value else {
                return Err(Error::new(
                    source.position,
                    "expected a mapping to merge (`<<`), found another value",
                ));
            };
            let slot = inserts.entry(at).or_default();
            slot.extend(
                entries
                    .into_iter()
                    .filter(|(key, _)| seen.insert(key.text.clone())),
            );
        }
    }
    let end = members.len();
    let mut all = Vec::with_capacity(seen.len());
    for (at, member) in members.into_iter().enumerate() {
        all.extend(inserts.remove(&at).unwrap_or_default());
        all.push(member);
    }
    all.extend(inserts.remove(&end).unwrap_or_default());
    Ok(all)
}
