//! What differs between the operations that two manifests leave out. They are part of the policy:
//! no other operation reaches one of them by what is filled into its path.

use std::collections::{HashMap, HashSet};

use super::server::{Key, key};
use super::{Change, Kind, Level, ServerDiff, short};
use crate::api::{Manifest, Skipped};

/// Why operations were left out.
pub(super) fn reasons(manifest: &Manifest) -> HashMap<Key<'_>, &str> {
    let skipped = manifest.skipped.iter();
    skipped
        .map(|skipped| (key_of(skipped), skipped.reason.as_str()))
        .collect()
}

fn by_key(manifest: &Manifest) -> HashMap<Key<'_>, &Skipped> {
    let skipped = manifest.skipped.iter();
    skipped.map(|skipped| (key_of(skipped), skipped)).collect()
}

fn key_of(skipped: &Skipped) -> Key<'_> {
    (&skipped.method, &skipped.path)
}

/// Operations without a function that are new or gone, or have none for another reason. Those that
/// became one, or were one, are told among the functions.
pub(super) fn compare(diff: &mut ServerDiff, before: &Manifest, after: &Manifest) {
    let compiled = |manifest: &'_ Manifest| -> HashSet<(String, String)> {
        let keys = manifest.functions.iter().map(key);
        keys.map(|(method, path)| (method.to_owned(), path.to_owned()))
            .collect()
    };
    let (was_compiled, is_compiled) = (compiled(before), compiled(after));
    let owned = |skipped: &Skipped| (skipped.method.clone(), skipped.path.clone());
    let say = |skipped: &Skipped, mut change: Change| {
        change.operation = Some(short(&format!("{} {}", skipped.method, skipped.path)));
        change
    };
    let (had, has) = (by_key(before), by_key(after));
    for skipped in &before.skipped {
        if has.contains_key(&key_of(skipped)) || is_compiled.contains(&owned(skipped)) {
            continue;
        }
        let change = Change::new(Level::Security, Kind::SkippedRemoved).from(&skipped.reason);
        diff.changes.push(say(skipped, change));
    }
    for skipped in &after.skipped {
        let earlier = had.get(&key_of(skipped)).copied();
        if earlier.is_none() && was_compiled.contains(&owned(skipped)) {
            continue;
        }
        let reason = earlier.map(|earlier| earlier.reason.as_str());
        if reason != Some(skipped.reason.as_str()) {
            let change = Change::new(Level::Other, Kind::SkippedChanged);
            let change = change.maybe_from(reason).to(&skipped.reason);
            diff.changes.push(say(skipped, change));
        }
        if let Some(earlier) = earlier
            && earlier.base_url != skipped.base_url
        {
            let change = Change::new(Level::Security, Kind::SkippedBaseUrlChanged)
                .maybe_from(earlier.base_url.as_deref())
                .maybe_to(skipped.base_url.as_deref());
            diff.changes.push(say(skipped, change));
        }
    }
}
