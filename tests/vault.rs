//! The vault: what it reads, what it says is wrong, and what it never shows.

use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use mce::config::{Auth, Environment, ServerConfig, Template};
use mce::vault::{Error, Vault};
use secrecy::ExposeSecret as _;

fn template(text: &str) -> Template {
    Template {
        text: text.into(),
        place: "swaggers.yaml:7:9".into(),
    }
}

fn server(name: &str, auth: Option<Auth>) -> Arc<ServerConfig> {
    Arc::new(ServerConfig {
        name: name.into(),
        auth,
        ..ServerConfig::default()
    })
}

fn environment(pairs: &[(&str, &str)]) -> Environment {
    Environment::from_pairs(pairs.iter().map(|(name, value)| (*name, *value)))
}

fn secrets(vault: &Vault) -> Vec<String> {
    vault
        .secrets()
        .iter()
        .map(|secret| secret.expose_secret().to_owned())
        .collect()
}

fn session() -> Auth {
    Auth::Session {
        login_url: template("https://api.example/login"),
        username: template("u"),
        password: template("${P}"),
        username_field: "username".into(),
        password_field: "password".into(),
        form: false,
        cookie_name: None,
        token_field: None,
        expires: Duration::from_hours(1),
    }
}

fn oauth2() -> Auth {
    Auth::OAuth2 {
        token_url: template("https://api.example/token"),
        client_id: template("c"),
        client_secret: template("${S}"),
        scope: None,
        audience: None,
        extra: IndexMap::new(),
    }
}

#[test]
fn a_kind_of_a_later_version_is_named_with_its_server_and_leaves_the_others() {
    let servers = [
        server("one", Some(oauth2())),
        server("two", Some(session())),
        server(
            "three",
            Some(Auth::Jwt {
                token: template("t"),
            }),
        ),
    ];
    let vault = Vault::new(&servers, &environment(&[]));
    let problems: Vec<String> = vault.problems().map(ToString::to_string).collect();
    assert_eq!(problems.len(), 2);
    assert!(
        problems[0].starts_with("server `one`: `auth` of the type `oauth2` is not supported yet")
    );
    assert!(
        problems[1].starts_with("server `two`: `auth` of the type `session` is not supported yet")
    );
    assert!(problems[1].contains("`MCE_TWO_AUTH`"));
    assert_eq!(secrets(&vault), ["Bearer t", "t"]);
}

#[test]
fn a_variable_stands_in_for_a_kind_of_a_later_version() {
    let servers = [server("one", Some(oauth2()))];
    let vault = Vault::new(&servers, &environment(&[("MCE_ONE_AUTH", "Bearer x")]));
    assert_eq!(vault.problems().count(), 0);
}

#[test]
fn an_unset_variable_is_named() {
    let auth = Auth::Basic {
        username: template("u"),
        password: template("${MISSING_ONE}"),
    };
    let vault = Vault::new(&[server("one", Some(auth))], &environment(&[]));
    let problem = vault.problems().next().unwrap();
    assert!(matches!(problem, Error::Expansion { .. }));
    assert!(problem.to_string().contains("MISSING_ONE"));
}

#[test]
fn what_is_secret_within_a_value_is_known_by_itself() {
    let auth = Auth::Basic {
        username: template("user"),
        password: template("pass-word"),
    };
    let env = environment(&[
        ("MCE_ONE_API_KEY", "the-key"),
        ("MCE_ONE_COOKIE", "Cookie: sid=the-session; theme=dark"),
        (
            "MCE_ONE_EXTRA_HEADERS",
            r#"{"X-Secret": "the-extra", "X-Api-Version": "2024-01-01"}"#,
        ),
    ]);
    let vault = Vault::new(&[server("one", Some(auth))], &env);
    assert_eq!(
        secrets(&vault),
        [
            "Basic dXNlcjpwYXNzLXdvcmQ=",
            "dXNlcjpwYXNzLXdvcmQ=",
            "pass-word",
            "user:pass-word",
            "the-key",
            "the-session",
            "dark",
            "the-extra",
        ]
    );
}

#[test]
fn a_key_given_as_the_user_name_needs_no_password_and_is_a_secret() {
    let basic = |username: &str, password: &str| {
        Some(Auth::Basic {
            username: template(username),
            password: template(password),
        })
    };
    let env = environment(&[]);
    let vault = Vault::new(&[server("one", basic("the-key", ""))], &env);
    assert_eq!(vault.problems().count(), 0);
    assert_eq!(
        secrets(&vault),
        ["Basic dGhlLWtleTo=", "dGhlLWtleTo=", "the-key", "the-key:"]
    );
    for (username, password) in [("", ""), ("a:b", "c"), ("a", "b\n"), ("a\tb", "c")] {
        let vault = Vault::new(&[server("one", basic(username, password))], &env);
        assert_eq!(vault.problems().count(), 1, "{username:?} {password:?}");
    }
}

#[test]
fn a_jwt_given_with_its_scheme_is_not_sent_with_two() {
    let auth = Auth::Jwt {
        token: template("bearer abc"),
    };
    let vault = Vault::new(&[server("one", Some(auth))], &environment(&[]));
    assert_eq!(secrets(&vault), ["Bearer abc", "abc"]);
}

#[test]
fn debug_shows_no_secret() {
    let auth = Auth::Jwt {
        token: template("${T}"),
    };
    let env = environment(&[("T", "canary-1"), ("MCE_ONE_COOKIE", "a=canary-2")]);
    let vault = Vault::new(&[server("one", Some(auth))], &env);
    assert!(!format!("{vault:?} {:?}", vault.secrets()).contains("canary"));
}

#[test]
fn a_short_secret_is_warned_of_by_server() {
    let jwt = |token: &str| {
        Some(Auth::Jwt {
            token: template(token),
        })
    };
    let servers = [
        server("one", jwt("0123456")),
        server("two", jwt("01234567")),
        server("three", None),
    ];
    let vault = Vault::new(&servers, &environment(&[]));
    let warnings = vault.warnings();
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].starts_with("server `one`: a secret is shorter than 8 characters"));
    assert!(!warnings[0].contains("0123456"));
    assert!(vault.has_secrets("one") && !vault.has_secrets("three"));
}

#[test]
fn an_empty_variable_counts_as_unset() {
    let auth = Auth::Jwt {
        token: template("file"),
    };
    let vault = Vault::new(
        &[server("one", Some(auth))],
        &environment(&[("MCE_ONE_AUTH", ""), ("MCE_ONE_EXTRA_HEADERS", "")]),
    );
    assert_eq!(vault.problems().count(), 0);
    assert_eq!(secrets(&vault), ["Bearer file", "file"]);
}

/// `allow_literal: true` lets a credential stand in the file. It was sent, and not redacted.
#[test]
fn a_literal_in_a_header_that_is_named_like_a_secret_is_one() {
    let mut with_header = ServerConfig {
        name: "one".into(),
        ..ServerConfig::default()
    };
    for (name, value) in [
        ("X-Api-Token", "Token literalcanary77"),
        ("X-Team", "literal-team-that-is-long"),
    ] {
        with_header
            .extra_headers
            .insert(name.into(), template(value));
    }
    let vault = Vault::new(&[Arc::new(with_header)], &environment(&[]));
    assert_eq!(
        secrets(&vault),
        ["Token literalcanary77", "literalcanary77"]
    );
}

/// With every value a secret, `production` vanished from the answers of every API.
#[test]
fn a_value_in_a_header_with_an_innocent_name_is_secret_only_if_it_looks_like_one() {
    let env = environment(&[(
        "MCE_ONE_EXTRA_HEADERS",
        r#"{"X-Env": "production", "X-Region": "eu-west-1", "X-Team": "red team of sixteen",
            "X-A": "0123456789abcdef", "X-B": "a8f3k2b9", "X-C": "a8f3k2b"}"#,
    )]);
    let vault = Vault::new(&[server("one", None)], &env);
    assert_eq!(secrets(&vault), ["0123456789abcdef", "a8f3k2b9"]);
}
