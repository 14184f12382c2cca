//! Holds the arrows between modules and who may use the libraries that only one module knows.
//!
//! ARCHITECTURE.md states them as invariants. Test code may reach further: items below
//! `#[cfg(test)]`, and the files of modules declared so and below those, are not looked at.

#![expect(clippy::expect_used, reason = "a test may fail anywhere")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Which modules each module may use, from the table of the design.
const ARROWS: &[(&str, &[&str])] = &[
    ("address", &[]),
    ("allocator", &[]),
    ("api", &[]),
    (
        "broker",
        &[
            "address", "api", "config", "connect", "files", "domains", "headers", "sandbox",
            "vault", "wire",
        ],
    ),
    (
        "compile",
        &[
            "address",
            "api",
            "config",
            "files",
            "headers",
            "invisible",
            "openapi",
            "pysyntax",
            "python",
            "variables",
        ],
    ),
    (
        "config",
        &[
            "address",
            "domains",
            "files",
            "headers",
            "invisible",
            "variables",
            "yaml",
        ],
    ),
    ("domains", &[]),
    ("files", &[]),
    ("guard", &["invisible", "pysyntax"]),
    ("headers", &[]),
    ("invisible", &[]),
    ("connect", &["address", "config", "files"]),
    (
        "openapi",
        &["address", "api", "files", "headers", "invisible", "yaml"],
    ),
    ("pysyntax", &[]),
    ("python", &["api", "invisible", "pysyntax", "variables"]),
    (
        "runtime",
        &[
            "api",
            "broker",
            "compile",
            "config",
            "files",
            "guard",
            "invisible",
            "pysyntax",
            "python",
            "sandbox",
            "search",
            "vault",
            "wire",
        ],
    ),
    (
        "sandbox",
        &["allocator", "config", "files", "pysyntax", "wire"],
    ),
    ("search", &[]),
    ("server", &["config", "runtime", "signals"]),
    ("signals", &[]),
    ("variables", &[]),
    ("vault", &["address", "api", "config", "connect", "headers"]),
    ("wire", &["api", "headers"]),
    ("yaml", &[]),
];

/// Of these modules, others may use these names only.
const NARROW: &[(&str, &str, &[&str])] = &[
    (
        "broker",
        "sandbox",
        &[
            "Call",
            "CallError",
            "Host",
            "HttpFailure",
            "HttpPiece",
            "HttpRequest",
            "HttpResponse",
            "HttpTimeouts",
            "Page",
            "PageCall",
            "Reply",
            "Stream",
        ],
    ),
    (
        "sandbox",
        "config",
        &[
            "EngineVariables",
            "Environment",
            "Package",
            "PackageName",
            "SandboxMode",
            "Settings",
        ],
    ),
    (
        "server",
        "config",
        &[
            "HttpSettings",
            "NamedToken",
            "OutputMode",
            "TokensError",
            "digest_of",
            "is_loopback",
            "read_tokens",
            "read_tokens_beside",
        ],
    ),
];

/// Words that may stand only in the code below these paths.
const ONLY: &[(&str, &[&str])] = &[
    ("ruff_python_ast", &["pysyntax"]),
    ("ruff_python_parser", &["pysyntax"]),
    ("ruff_text_size", &["pysyntax"]),
    ("rmcp", &["server"]),
    ("bollard", &["sandbox/docker"]),
    ("hyper_rustls", &["sandbox/docker"]),
    ("hyper", &["sandbox/docker", "server/http"]),
    ("hyper_util", &["sandbox/docker", "server/http"]),
    ("libyaml_safer", &["yaml"]),
    ("jsonc_parser", &["cli"]),
    ("toml_edit", &["cli", "config/tokens"]),
    ("opentelemetry", &["cli"]),
    ("minijinja", &["python"]),
    ("miette", &["cli"]),
    ("reqwest", &["broker", "connect", "openapi/source", "vault"]),
    ("rusqlite", &["runtime"]),
    ("rust_stemmers", &["search"]),
    (
        "secrecy",
        &[
            "vault",
            "broker",
            "config/settings",
            "config/settings_http",
            "connect",
            "server/http/keys",
        ],
    ),
    ("clap", &["cli"]),
    ("indicatif", &["cli"]),
    ("println!", &["cli"]),
    ("eprintln!", &["cli"]),
    ("print!", &["cli"]),
    ("monty", &["allocator", "sandbox/embedded/worker"]),
    ("monty_types", &["allocator", "sandbox/embedded/worker"]),
    (
        "stdout()",
        &[
            "cli",
            "sandbox/embedded/confine",
            "sandbox/embedded/worker",
            "server",
        ],
    ),
    ("std::env::", &["config", "cli", "sandbox/embedded/confine"]),
    ("env::var", &["config", "sandbox/embedded/confine"]),
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
    let texts: Vec<(PathBuf, String)> = paths
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a readable source");
            (path, text)
        })
        .collect();
    let of_tests: BTreeSet<PathBuf> = texts
        .iter()
        .flat_map(|(path, text)| {
            // The files of a module stand beside `mod.rs`, else in a folder named after the file.
            let folder = if path.ends_with("mod.rs") {
                path.with_file_name("")
            } else {
                path.with_extension("")
            };
            let names = without_tests(text).1.into_iter();
            names.map(move |name| folder.join(format!("{name}.rs")))
        })
        .collect();
    assert!(of_tests.iter().all(|path| path.is_file()), "{of_tests:?}");
    texts
        .into_iter()
        .filter(|(path, _)| {
            // What a module of tests has below it is tests too.
            let mut of_tests = of_tests.iter();
            !of_tests.any(|it| path == it || path.starts_with(it.with_extension("")))
        })
        .map(|(path, text)| {
            let relative = path.strip_prefix(&root).expect("it is below src");
            let relative = relative.to_str().expect("UTF-8").replace('\\', "/");
            let first = relative.split(['/', '.']).next().unwrap_or_default();
            let module = if matches!(first, "lib" | "main") {
                ""
            } else {
                first
            };
            File {
                module: module.to_owned(),
                code: code_of(&text),
                path: relative,
            }
        })
        .collect()
}

/// The text without the items below `#[cfg(test)]`, and the names of the modules among them that
/// have a file of their own. `rustfmt` ends an item at the indentation where it began.
fn without_tests(text: &str) -> (String, Vec<String>) {
    let mut kept = String::new();
    let mut modules = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(indent) = line
            .strip_suffix("#[cfg(test)]")
            .filter(|it| it.trim().is_empty())
        else {
            kept.push_str(line);
            kept.push('\n');
            continue;
        };
        for line in lines.by_ref() {
            let words = line
                .split_whitespace()
                .skip_while(|it| it.starts_with("pub"));
            if let ["mod", name] = words.collect::<Vec<_>>()[..]
                && let Some(name) = name.strip_suffix(';')
            {
                modules.push(name.to_owned());
            }
            let is_its_own = line
                .strip_prefix(indent)
                .is_some_and(|it| !it.starts_with([' ', '#', '/']));
            if is_its_own && line.ends_with([';', '}', ',']) {
                break;
            }
        }
    }
    (kept, modules)
}

/// The text without comments, string contents and the items of tests, so that only code is judged.
fn code_of(text: &str) -> String {
    let (text, _) = without_tests(text);
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

/// What `compile` uses decides what is compiled, so the fingerprint of a manifest covers all of it.
#[test]
fn the_hash_of_the_compilers_sources_covers_all_that_it_uses() {
    let mut modules = BTreeSet::from(["compile"]);
    let mut pending = vec!["compile"];
    while let Some(module) = pending.pop() {
        let used = ARROWS.iter().filter(|(user, _)| *user == module);
        for used in used.flat_map(|(_, used)| *used) {
            if modules.insert(used) {
                pending.push(used);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = |module: &&str| {
        let folder = format!("src/{module}");
        if root.join(&folder).is_dir() {
            folder
        } else {
            format!("{folder}.rs")
        }
    };
    let mut wanted: Vec<String> = modules.iter().map(source).collect();
    wanted.push("templates".to_owned());
    let text = fs::read_to_string(root.join("build.rs")).expect("the build script");
    let listed = text
        .split_once("const SOURCES: &[&str] = &[")
        .and_then(|(_, rest)| rest.split_once("];"))
        .expect("the list of sources")
        .0;
    let listed: Vec<&str> = listed.split('"').skip(1).step_by(2).collect();
    assert_eq!(listed, wanted);
}

#[expect(dead_code, clippy::print_stdout, reason = "a script that cargo runs")]
#[path = "../build.rs"]
mod build_script;

#[test]
fn what_tools_leave_beside_the_sources_is_not_hashed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    fs::create_dir_all(path("a/.mypy_cache")).expect("a folder");
    fs::create_dir_all(path("a/__pycache__")).expect("a folder");
    for name in [
        "a/b.py",
        "a/c.rs",
        "a/d.jinja",
        "a/tests.rs",
        "a/b.py~",
        "a/.#b.py",
        "a/.mypy_cache/x.py",
        "a/__pycache__/b.pyc",
    ] {
        fs::write(path(name), "").expect("a file");
    }
    let mut files = Vec::new();
    build_script::list(&path("a"), &mut files).expect("the sources");
    files.sort();
    assert_eq!(files, [path("a/b.py"), path("a/c.rs"), path("a/d.jinja")]);
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
        code_of("// crate::a\nf(\"crate::b\") // crate::c\n"),
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

#[test]
fn what_follows_an_item_of_tests_is_looked_at() {
    let text = "\
#[cfg(test)]
mod wire_tests;
#[cfg(test)]
pub(crate) mod fixture;
use crate::a;
impl X {
    #[cfg(test)]
    #[expect(dead_code)]
    fn b() {
        crate::b();
    }
    crate::c
}
#[cfg(test)]
mod tests {
    use crate::d;
}
crate::e
";
    let (kept, modules) = without_tests(text);
    assert_eq!(uses(&kept), ["a", "c", "e"]);
    assert_eq!(modules, ["wire_tests", "fixture"]);
}

#[test]
fn architecture_md_states_the_same_arrows() {
    let text = include_str!("../ARCHITECTURE.md");
    let mut stated: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for row in text.lines() {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let (name, targets) = match cells[..] {
            ["", name, _, targets, ""] => (name, targets),
            ["", name, _, ""] => (name, ""),
            _ => continue,
        };
        let Some(name) = name.strip_prefix('`').and_then(|it| it.strip_suffix('`')) else {
            continue;
        };
        // What stands in parentheses says how narrow the arrow is.
        let names = targets.split(['(', ')']).step_by(2);
        let names = names.flat_map(|it| it.split('`').skip(1).step_by(2));
        stated.insert(name, names.collect());
    }
    assert_eq!(stated.remove("cli"), Some(BTreeSet::new()), "everything");
    let held = ARROWS
        .iter()
        .map(|(name, targets)| (*name, targets.iter().copied().collect()));
    assert_eq!(stated, held.collect());
}

#[test]
fn no_arrow_is_without_use() {
    let needed: BTreeSet<(String, String)> = sources()
        .into_iter()
        .flat_map(|file| {
            let targets = uses(&file.code).into_iter();
            targets.map(move |used| {
                let target = used.split("::").next().unwrap_or_default();
                (file.module.clone(), target.to_owned())
            })
        })
        .collect();
    let unused: Vec<String> = ARROWS
        .iter()
        .flat_map(|(module, targets)| targets.iter().map(move |target| (module, target)))
        .filter(|(module, target)| {
            !needed.contains(&((**module).to_owned(), (**target).to_owned()))
        })
        .map(|(module, target)| format!("{module} → {target}"))
        .collect();
    assert_eq!(unused, [""; 0], "nothing needs these arrows");
}

/// `runtime::admission` gives a job only for code that passed the guard, which the compiler holds
/// as long as nothing else makes one.
#[test]
fn jobs_for_the_sandbox_are_made_behind_the_guard() {
    let places: Vec<String> = sources()
        .into_iter()
        .filter(|file| file.code.replace("struct Job {", "").contains("Job {"))
        .map(|file| file.path)
        .collect();
    assert_eq!(places, ["runtime/admission.rs"]);
}
