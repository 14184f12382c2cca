//! The packages of an image, and which of them code cannot import.

use std::fmt::Write as _;

use super::super::output::printable;
use super::super::stop::Stop;
use crate::config::Settings;
use crate::runtime::unguarded;
use crate::sandbox::docker::Installed;

/// A line with what every image has, and one with what was added.
pub(super) fn lines(packages: &[Installed]) -> String {
    let mut text = String::new();
    for (title, added) in [("packages", false), ("added", true)] {
        let names: Vec<String> = packages
            .iter()
            .filter(|package| package.added == added)
            .map(|package| format!("{} {}", package.name, package.version))
            .collect();
        if !names.is_empty() {
            let _ = writeln!(text, "{title:<10}{}", names.join(", "));
        }
    }
    text
}

/// Warns of modules of added packages that the guard's policy does not let code import.
pub(super) fn tell_unguarded(settings: &Settings, packages: &[Installed]) -> Result<(), Stop> {
    let added = packages.iter().filter(|package| package.added);
    let modules = added
        .flat_map(|package| &package.modules)
        .map(String::as_str);
    let unusable: Vec<&str> = unguarded(settings, modules)?.into_iter().collect();
    if !unusable.is_empty() {
        tracing::warn!("{}", printable(&advice(&unusable, settings)));
    }
    Ok(())
}

/// What to write into which file, so that code may import modules.
fn advice(modules: &[&str], settings: &Settings) -> String {
    let mut text = format!(
        "unguarded: the guard's policy does not know {}, so code cannot import {}; to allow what \
         you have looked at, ",
        quoted(modules),
        if modules.len() == 1 { "it" } else { "them" },
    );
    let place = match &settings.guard_policy {
        Some(file) => format!("add to `{}`:", file.display()),
        None => "set `MCE_GUARD_POLICY` to a file with:\n\nextends = \"built-in\"".to_owned(),
    };
    let _ = writeln!(text, "{place}\n");
    for module in modules {
        let _ = writeln!(
            text,
            "[modules.{module}]\nnames = [\"NAME\"]  # the names that code may take from it\n"
        );
    }
    text.trim_end().to_owned()
}

fn quoted(modules: &[&str]) -> String {
    let quoted: Vec<String> = modules.iter().map(|module| format!("`{module}`")).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Environment;
    use crate::guard::Guard;

    fn settings(pairs: &[(&str, &str)]) -> Settings {
        let environment = Environment::from_pairs(pairs.iter().copied());
        Settings::from_environment(&environment).unwrap().0
    }

    #[test]
    fn the_advice_is_a_policy_once_the_names_are_filled_in() {
        let advice = advice(&["tabulate", "yaml"], &settings(&[]));
        assert!(
            advice.starts_with("unguarded: the guard's policy does not know `tabulate`, `yaml`")
        );
        let policy = advice.split("a file with:\n\n").nth(1).unwrap();
        let guard = Guard::of_policy(&policy.replace("NAME", "load")).unwrap();
        assert!(guard.importable().contains(&"tabulate") && guard.importable().contains(&"yaml"));
    }

    #[test]
    fn a_policy_that_there_is_gets_the_lines() {
        let advice = advice(&["yaml"], &settings(&[("MCE_GUARD_POLICY", "guard.toml")]));
        assert!(advice.contains("cannot import it;") && advice.contains("add to `guard.toml`:"));
        assert!(!advice.contains("extends"), "{advice}");
    }

    #[test]
    fn what_was_added_has_a_line_of_its_own() {
        let package = |name: &str, added| {
            let value =
                serde_json::json!({"name": name, "version": "1", "modules": [], "added": added});
            serde_json::from_value::<Installed>(value).unwrap()
        };
        assert_eq!(
            lines(&[package("b", true), package("a", false), package("c", false)]),
            "packages  a 1, c 1\nadded     b 1\n"
        );
    }
}
