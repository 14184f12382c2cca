//! From a file, and the policy it extends, to the policy.

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use super::file::{Entry, File, Word};
use super::{Attributes, Module, Policy};

/// The policy of a file. What a file says wins over what it extends: a module that it blocks is no
/// longer allowed, one that it allows no longer blocked.
pub(super) fn policy(file: &File, base: Option<&Policy>) -> Policy {
    let mut policy = base.cloned().unwrap_or_default();
    names(&mut policy, file);
    attributes(&mut policy.attributes, file);
    modules(&mut policy, file);
    policy
        .denied_decorators
        .extend(messages(&file.denied_decorators));
    policy.denied_bases.extend(messages(&file.denied_bases));
    for entry in &file.call_keywords {
        let keywords = entry.value.iter().map(|keyword| {
            let literals = keyword.value.iter().map(|word| word.text.clone());
            (keyword.key.text.clone(), literals.collect())
        });
        let module = entry.key.text.clone();
        policy
            .call_keywords
            .entry(module)
            .or_default()
            .extend(keywords);
    }
    policy
}

/// What the file says of built-ins and dunder names.
fn names(policy: &mut Policy, file: &File) {
    for word in file.names("allowed") {
        policy.denied_names.remove(&word.text);
    }
    policy.denied_names.extend(messages(&file.denied_names));
    add(&mut policy.names.readable, file.names("readable"));
    add(&mut policy.names.assignable, file.names("assignable"));
}

/// What the file says of attributes; a name that it denies is on no list of readable ones.
fn attributes(rules: &mut Attributes, file: &File) {
    for word in file.attributes("allowed") {
        rules.denied.remove(&word.text);
        rules.modules.remove(&word.text);
    }
    for word in file.attributes("denied") {
        rules.dunder_readable.remove(&word.text);
        rules.dunder_assignable.remove(&word.text);
        rules.private_readable.remove(&word.text);
    }
    for (set, list) in [
        (&mut rules.dunder_readable, "dunder_readable"),
        (&mut rules.dunder_assignable, "dunder_assignable"),
        (&mut rules.dunder_keywords, "dunder_keywords"),
        (&mut rules.class_hooks, "class_hooks"),
        (&mut rules.operators, "operators"),
        (&mut rules.of_event_loops, "of_event_loops"),
        (&mut rules.private_readable, "private_readable"),
        (&mut rules.internals, "internals"),
        (&mut rules.denied, "denied"),
        (&mut rules.modules, "modules"),
    ] {
        add(set, file.attributes(list));
    }
    let prefixes = file.attributes("internal_prefixes").iter();
    rules
        .internal_prefixes
        .extend(prefixes.map(|word| word.text.clone()));
}

/// What the file allows and blocks.
fn modules(policy: &mut Policy, file: &File) {
    for entry in &file.blocked_modules {
        let blocked = entry.key.text.as_str();
        policy
            .modules
            .retain(|module, _| !is_within(module, blocked));
    }
    policy
        .blocked_modules
        .extend(messages(&file.blocked_modules));
    for entry in &file.modules {
        policy.blocked_modules.remove(&entry.key.text);
        let before = policy.modules.remove(&entry.key.text);
        // A module that lists names goes on listing them.
        let listed =
            entry.value.names.is_some() || before.as_ref().is_some_and(|it| it.names.is_some());
        let mut module = before.unwrap_or_default();
        add(
            &mut module.denied,
            entry.value.denied.as_deref().unwrap_or_default(),
        );
        if listed {
            let names = module.names.get_or_insert_default();
            for word in entry.value.names.as_deref().unwrap_or_default() {
                module.denied.remove(&word.text);
                names.insert(word.text.clone());
            }
            for word in entry.value.denied.as_deref().unwrap_or_default() {
                names.remove(&word.text);
            }
        }
        policy.modules.insert(entry.key.text.clone(), module);
    }
    policy.packages = packages(&policy.modules);
    let roots: HashSet<&str> = policy
        .modules
        .keys()
        .map(|module| root_package(module))
        .collect();
    policy
        .call_keywords
        .retain(|module, _| roots.contains(module.as_str()));
}

/// The first component of a dotted name.
pub(in crate::guard) fn root_package(module: &str) -> &str {
    module.split('.').next().unwrap_or(module)
}

/// Whether a module is another one or lies within it.
pub(super) fn is_within(module: &str, package: &str) -> bool {
    let rest = module.strip_prefix(package);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The packages of modules, with the last part of the name of what is in them.
fn packages(modules: &HashMap<String, Module>) -> HashMap<String, HashSet<String>> {
    let mut packages: HashMap<String, HashSet<String>> = HashMap::default();
    for module in modules.keys() {
        let mut rest = module.as_str();
        while let Some((package, part)) = rest.rsplit_once('.') {
            let parts = packages.entry(package.to_owned()).or_default();
            parts.insert(part.to_owned());
            rest = package;
        }
    }
    packages
}

fn add(set: &mut HashSet<String>, words: &[Word]) {
    set.extend(words.iter().map(|word| word.text.clone()));
}

/// Names, with what to do instead.
fn messages(entries: &[Entry<Word>]) -> impl Iterator<Item = (String, String)> {
    entries
        .iter()
        .map(|entry| (entry.key.text.clone(), entry.value.text.clone()))
}
