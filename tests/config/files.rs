//! The file as a whole: found, read, empty, hostile; and the examples that are shipped.

use std::path::Path;
use std::time::Duration;

use mce::config::{Config, EnvFile, Environment, Settings};

use super::{parse, refuse_text, with};

#[test]
fn all_complaints_come_at_once() {
    let error = parse(
        "servers:\n  - {nme: a, is_read_only: yes}\n  - {name: os, swagger_url: '-'}\n  - 7\n",
    )
    .unwrap_err();
    let places: Vec<_> = error
        .complaints()
        .iter()
        .map(|complaint| {
            let position = complaint.position.unwrap();
            (position.line, position.column)
        })
        .collect();
    assert_eq!(
        places,
        [(2, 6), (2, 5), (2, 5), (2, 28), (3, 12), (3, 29), (4, 5)]
    );
}

#[test]
fn a_config_without_servers_says_so() {
    for (text, holds) in [
        ("", "no servers"),
        ("# all commented out\n", "no servers"),
        ("{}", "no `servers`"),
        ("servers:\n", "`servers` has no value"),
        (
            "servers: {a: {swagger_url: b}}",
            "must be a list, found a mapping",
        ),
        ("servers: x", "must be a list, found a string"),
        ("[]", "must be a mapping, found a list"),
        ("servers: []\nmcp_servers: {}", "not supported yet"),
        ("servers: [", "f.yaml:"),
        ("a: *b", "f.yaml:1:"),
        ("servers: []\nservers: []", "f.yaml:2:1"),
    ] {
        let message = refuse_text(text);
        assert!(
            message.starts_with("f.yaml:") && message.contains(holds),
            "{text}: {message}"
        );
    }
    let config = parse("servers: []").unwrap();
    assert!(config.servers.is_empty());
    assert!(config.warnings[0].contains("no servers"));
}

#[test]
fn an_alias_bomb_is_refused_at_once() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        let before = format!("*a{}, ", level - 1).repeat(10);
        text.extend([
            "a",
            &level.to_string(),
            ": &a",
            &level.to_string(),
            " [",
            &before,
            "]\n",
        ]);
    }
    text.push_str("servers: *a9\n");
    let started = std::time::Instant::now();
    refuse_text(&text);
    assert!(started.elapsed() < Duration::from_secs(2));
}

#[test]
fn a_config_of_many_entries_is_judged_quickly() {
    let many = |entry: &dyn Fn(usize) -> String| (0..40_000).map(entry).collect::<String>();
    let texts = [
        with(&format!(
            "extra_headers:\n{}",
            many(&|n| format!("  h{n}: a\n"))
        )),
        with(&format!(
            "rename:\n{}",
            many(&|n| format!("  o{n}: f{n}\n"))
        )),
        with(&format!(
            "top_level_functions:\n{}",
            many(&|n| format!("- f{n}\n"))
        )),
        with(&many(&|n| format!("is_read_onl{n}: 1\n"))),
        format!("servers:\n{}", many(&|n| format!("- {{name: a{n}}}\n"))),
    ];
    for text in texts {
        let started = std::time::Instant::now();
        let _ = parse(&text);
        assert!(
            started.elapsed() < Duration::from_secs(4),
            "{}",
            &text[..90]
        );
    }
}

#[test]
fn files_are_found_in_order_and_read_with_care() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.yaml");
    let missing = folder.path().join("b.yaml");
    std::fs::write(&file, with("")).unwrap();
    let settings = |pairs: &[(&str, &str)]| {
        Settings::from_environment(&Environment::from_pairs(pairs.iter().copied()))
            .unwrap()
            .0
    };
    let none = settings(&[]);
    assert_eq!(
        Config::find(Some(&file), &none).unwrap().as_deref(),
        Some(file.as_path())
    );
    let message = Config::find(Some(&missing), &none).unwrap_err().to_string();
    assert!(
        message.contains("b.yaml") && message.contains("--config"),
        "{message}"
    );
    let set = settings(&[("MCE_SWAGGER_CONFIG_FILE", missing.to_str().unwrap())]);
    let message = Config::find(None, &set).unwrap_err().to_string();
    assert!(message.contains("MCE_SWAGGER_CONFIG_FILE"), "{message}");
    assert_eq!(
        Config::find(Some(&file), &set).unwrap().as_deref(),
        Some(file.as_path())
    );
    assert_eq!(Config::load(&file).unwrap().servers.len(), 1);
    let message = Config::load(folder.path()).unwrap_err().to_string();
    assert!(message.contains("no regular file"), "{message}");
    std::fs::write(&file, vec![b'#'; (1 << 20) + 1]).unwrap();
    let message = Config::load(&file).unwrap_err().to_string();
    assert!(message.contains("larger than"), "{message}");
    std::fs::write(&file, b"servers: []\n# \xff\n").unwrap();
    let message = Config::load(&file).unwrap_err().to_string();
    assert!(
        message.contains(":2:1: ") && message.contains("UTF-8"),
        "{message}"
    );
}

#[test]
fn the_example_is_valid_and_shows_every_key() {
    let text = include_str!("../../swaggers.yaml.example");
    let config = Config::parse(text, Path::new("swaggers.yaml.example")).unwrap();
    assert_eq!(config.warnings, Vec::<String>::new());
    for key in [
        "name",
        "swagger_url",
        "swagger_headers",
        "base_url",
        "auth",
        "auth_header",
        "is_read_only",
        "read_only_allow",
        "include",
        "exclude",
        "rename",
        "extra_headers",
        "headers",
        "skills_url",
        "top_level_functions",
        "allow_private_network",
        "ca_file",
        "timeout_seconds",
        "allow_literal",
    ] {
        assert!(
            text.lines().any(|line| line
                .trim_start_matches([' ', '#', '-', ':'])
                .starts_with(&format!("{key}:"))),
            "{key}"
        );
    }
    // What is commented out is valid as well.
    let uncommented: String = text
        .lines()
        .map(|line| match line.split_once("#: ") {
            Some((indent, key)) if indent.trim().is_empty() => format!("{indent}{key}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    assert_ne!(uncommented, text);
    Config::parse(uncommented, Path::new("swaggers.yaml.example")).unwrap();
}

#[test]
fn the_example_env_file_is_valid() {
    let file = EnvFile::parse(include_bytes!("../../.env.example"), ".env.example");
    let (environment, warnings) =
        Environment::default().with(&file.unwrap(), |name| name == "WEATHER_TOKEN");
    assert_eq!(warnings, Vec::<String>::new());
    assert!(environment.get("WEATHER_TOKEN").is_some());
    let (_, warnings) = Settings::from_environment(&environment).unwrap();
    assert_eq!(warnings, Vec::<String>::new());
}
