//! Holds the arrows between modules and who may use the libraries that only one module knows.
//!
//! ARCHITECTURE.md states them as invariants. Test code may reach further: the text below
//! `#[cfg(test)]` and files named `tests.rs` are not looked at.

#![expect(clippy::expect_used, reason = "a test may fail anywhere")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Which modules each module may use, from the table of the design.
const ARROWS: &[(&str, &[&str])] = &[
    ("address", &[]),
    ("api", &[]),
    (
        "broker",
        &[
            "address", "api", "config", "files", "headers", "sandbox", "vault", "wire",
        ],
    ),
    (
        "compile",
        &[
            "address",
            "api",
            "config",
            "files",
            "invisible",
            "openapi",
            "pysyntax",
            "python",
            "yaml",
        ],
    ),
    (
        "config",
        &[
            "address",
            "files",
            "headers",
            "invisible",
            "variables",
            "yaml",
        ],
    ),
    ("files", &[]),
    ("guard", &["invisible", "pysyntax"]),
    ("headers", &[]),
    ("invisible", &[]),
    (
        "openapi",
        &["address", "api", "files", "headers", "invisible", "yaml"],
    ),
    ("pysyntax", &[]),
    ("python", &["api", "invisible", "pysyntax", "variables"]),
    (
        "runtime",
        &[
            "api", "broker", "compile", "config", "guard", "python", "sandbox", "vault", "wire",
        ],
    ),
    ("sandbox", &["config", "wire"]),
    ("server", &["config", "guard", "runtime"]),
    ("variables", &[]),
    ("vault", &["api", "config", "headers"]),
    ("wire", &["api"]),
    ("yaml", &[]),
];

/// Of these modules, others may use these names only.
const NARROW: &[(&str, &str, &[&str])] = &[
    ("broker", "sandbox", &["CallError", "Host"]),
    ("sandbox", "config", &["Environment", "Settings"]),
    ("server", "config", &["Settings"]),
];

/// Words that may stand only in the code below these paths.
const ONLY: &[(&str, &[&str])] = &[
    ("ruff_python_ast", &["pysyntax"]),
    ("ruff_python_parser", &["pysyntax"]),
    ("ruff_text_size", &["pysyntax"]),
    ("rmcp", &["server"]),
    ("bollard", &["sandbox/docker"]),
    ("saphyr_parser", &["yaml"]),
    ("rusqlite", &["runtime"]),
    ("secrecy", &["vault", "broker"]),
    ("clap", &["cli"]),
    ("indicatif", &["cli"]),
    ("println!", &["cli"]),
    ("eprintln!", &["cli"]),
    ("print!", &["cli"]),
    ("stdout()", &["cli", "server"]),
    ("std::env::", &["config", "cli"]),
    ("env::var", &["config"]),
];

struct File {
    /// Below `src`, with `/`.
    path: String,
    /// The top-level module; empty for `lib.rs` and `main.rs`.
    module: String,
    code: String,
}

fn sources() -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root.clone()];
    let mut paths: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    paths
        .into_iter()
        .filter(|path| {
            !path.ends_with("tests.rs") && !path.components().any(|it| it.as_os_str() == "tests")
        })
        .map(|path| {
            let relative = path.strip_prefix(&root).expect("it is below src");
            let relative = relative.to_str().expect("UTF-8").replace('\\', "/");
            let first = relative.split(['/', '.']).next().unwrap_or_default();
            let module = if matches!(first, "lib" | "main") {
                ""
            } else {
                first
            };
            let text = fs::read_to_string(&path).expect("a readable source");
            File {
                module: module.to_owned(),
                code: code_of(&text),
                path: relative,
            }
        })
        .collect()
}

/// The text without comments, string contents and what follows `#[cfg(test)]`, so that only code
/// is judged.
fn code_of(text: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let mut code = String::new();
    for line in text.lines() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("//") {
            continue;
        }
        // Odd pieces between quotes are inside a string. Good enough for paths, which never
        // stand beside an escaped quote here.
        for (index, piece) in line.split('"').enumerate() {
            if index % 2 == 0 {
                code.push_str(piece.split("//").next().unwrap_or_default());
                code.push(' ');
            }
        }
        code.push('\n');
    }
    code
}

/// The names after each `crate::`, one level of braces opened: `crate::{api, wire::Value}` gives
/// `api` and `wire::Value`.
fn uses(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|it| it.is_alphanumeric() || it == '_') {
            continue;
        }
        let rest = &code[at + "crate::".len()..];
        let Some(inner) = rest.strip_prefix('{') else {
            found.push(path_at(rest));
            continue;
        };
        let mut depth = 0;
        let mut item = String::new();
        for character in inner.chars() {
            match character {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    found.push(path_at(item.trim()));
                    item.clear();
                    continue;
                }
                _ => {}
            }
            item.push(character);
        }
        if !item.trim().is_empty() {
            found.push(path_at(item.trim()));
        }
    }
    found
}

/// The path at the start of a text, braces kept: `wire::{Value, Request};` → `wire::{Value, Request}`.
fn path_at(text: &str) -> String {
    let end = text
        .find(|it: char| !(it.is_alphanumeric() || it == '_' || it == ':'))
        .unwrap_or(text.len());
    let (path, rest) = text.split_at(end);
    if path.ends_with("::")
        && let Some(close) = rest.strip_prefix('{').and_then(|inner| inner.find('}'))
    {
        return format!("{path}{}", &rest[..close + 2]);
    }
    path.to_owned()
}

#[test]
fn modules_use_only_what_their_arrows_allow() {
    let arrows: BTreeMap<_, _> = ARROWS.iter().copied().collect();
    let mut faults = Vec::new();
    for file in sources() {
        if matches!(file.module.as_str(), "" | "cli") {
            continue;
        }
        let allowed = arrows
            .get(file.module.as_str())
            .unwrap_or_else(|| panic!("{} has no row in ARROWS", file.path));
        for used in uses(&file.code) {
            let target = used.split("::").next().unwrap_or_default();
            if target != file.module && !allowed.contains(&target) {
                faults.push(format!("{}: crate::{used}", file.path));
            }
            for (module, narrow, names) in NARROW {
                if file.module != *module || target != *narrow {
                    continue;
                }
                let rest = used[target.len()..].trim_start_matches("::");
                let taken = rest.trim_matches(['{', '}']).split(',');
                for name in taken.map(str::trim).filter(|it| !it.is_empty()) {
                    let first = name.split("::").next().unwrap_or_default();
                    if !names.contains(&first) {
                        faults.push(format!("{}: crate::{narrow}::{name}", file.path));
                    }
                }
            }
        }
    }
    assert_eq!(faults, [""; 0], "not allowed by the arrows");
}

#[test]
fn libraries_are_known_by_one_module_each() {
    let mut faults = Vec::new();
    for file in sources() {
        if file.module.is_empty() {
            continue;
        }
        for (word, places) in ONLY {
            let allowed = places.iter().any(|place| {
                file.path == format!("{place}.rs") || file.path.starts_with(&format!("{place}/"))
            });
            let found = file.code.match_indices(word).any(|(at, _)| {
                let before = file.code[..at].chars().next_back();
                !before.is_some_and(|it| it.is_alphanumeric() || it == '_')
            });
            if found && !allowed {
                faults.push(format!("{}: {word}", file.path));
            }
        }
    }
    assert_eq!(faults, [""; 0], "used outside its module");
}

#[test]
fn every_module_has_a_row() {
    let found: BTreeSet<_> = sources().into_iter().map(|file| file.module).collect();
    let mut known: BTreeSet<String> = ARROWS.iter().map(|(name, _)| (*name).to_owned()).collect();
    known.extend(["cli".to_owned(), String::new()]);
    assert_eq!(found, known);
}

#[test]
fn the_scan_sees_groups_and_nested_paths() {
    assert_eq!(
        uses(
            "use crate::{api, wire::{Value, Request}};\nlet x = crate::yaml::read();\nmycrate::no();"
        ),
        ["api", "wire::{Value, Request}", "yaml::read"]
    );
    assert_eq!(
        code_of("// crate::a\nf(\"crate::b\") // crate::c\n#[cfg(test)]\ncrate::d"),
        "f( )  \n"
    );
}

/// With its feature `raw_value`, `serde_json` parses the text of such an object with a fresh depth
/// limit, so that a client's arguments could overflow the stack. Any dependency can turn it on.
#[test]
fn no_dependency_makes_serde_json_parse_text_within_text() {
    let text = r#"{"$serde_json::private::RawValue":"[1]"}"#;
    let value: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    assert!(value.is_object(), "{value}");
}
