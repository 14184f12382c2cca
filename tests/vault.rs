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
        authentication: None,
        extra: IndexMap::new(),
    }
}

#[test]
fn what_is_sent_to_an_endpoint_is_secret() {
    let servers = [
        server("one", Some(oauth2())),
        server("two", Some(session())),
    ];
    let env = environment(&[("S", "client secret/1"), ("P", "pass-word")]);
    let vault = Vault::new(&servers, &env);
    assert_eq!(vault.problems().count(), 0);
    assert_eq!(
        secrets(&vault),
        [
            "client secret/1",
            "Basic YzpjbGllbnQrc2VjcmV0JTJGMQ==",
            "YzpjbGllbnQrc2VjcmV0JTJGMQ==",
            "client+secret%2F1",
            "c:client+secret%2F1",
            "pass-word",
        ]
    );
    assert!(!format!("{vault:?}").contains("secret/1"));
}

#[test]
fn what_is_wrong_with_an_endpoint_leaves_the_other_servers() {
    let with_url = |url: &str| match oauth2() {
        Auth::OAuth2 {
            client_id,
            client_secret,
            scope,
            audience,
            authentication,
            extra,
            ..
        } => Some(Auth::OAuth2 {
            token_url: template(url),
            client_id,
            client_secret,
            scope,
            audience,
            authentication,
            extra,
        }),
        other => panic!("{other:?}"),
    };
    let jwt = Auth::Jwt {
        token: template("t"),
    };
    let servers = [
        server("one", with_url("http://${H}/token?key=canary")),
        server("two", with_url("https://169.254.169.254/token")),
        server("three", Some(jwt)),
    ];
    let env = environment(&[("S", "s"), ("H", "id.example")]);
    let vault = Vault::new(&servers, &env);
    let problems: Vec<String> = vault.problems().map(ToString::to_string).collect();
    assert_eq!(
        problems[0],
        "server `one`: the URL of `swaggers.yaml:7:9` is not encrypted: it has to begin with \
         `https://`"
    );
    assert!(problems[1].contains("metadata"), "{problems:?}");
    assert_eq!(problems.len(), 2);
    assert_eq!(secrets(&vault), ["Bearer t", "t"]);
}

#[test]
fn variables_stand_in_for_what_would_be_fetched() {
    let servers = [
        server("one", Some(oauth2())),
        server("two", Some(session())),
    ];
    let env = environment(&[("MCE_ONE_AUTH", "Bearer x"), ("MCE_TWO_COOKIE", "sid=abc")]);
    let vault = Vault::new(&servers, &env);
    assert_eq!(vault.problems().count(), 0);
    assert_eq!(secrets(&vault), ["Bearer x", "x", "abc"]);
}

#[test]
fn a_variable_may_stand_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let auth = Auth::Jwt {
        token: template("${T}"),
    };
    let (token, key) = (file("token", "from-a-file\n"), file("key", "the-key"));
    let env = environment(&[("T_FILE", &token), ("MCE_ONE_API_KEY_FILE", &key)]);
    let vault = Vault::new(&[server("one", Some(auth.clone()))], &env);
    assert_eq!(
        secrets(&vault),
        ["Bearer from-a-file", "from-a-file", "the-key"]
    );
    let missing = folder.path().join("missing").display().to_string();
    let env = environment(&[("T", "t"), ("MCE_ONE_AUTH_FILE", &missing)]);
    let vault = Vault::new(&[server("one", Some(auth))], &env);
    let problem = vault.problems().next().unwrap().to_string();
    assert!(
        problem.starts_with("server `one`: the variable `MCE_ONE_AUTH_FILE` names `"),
        "{problem}"
    );
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
            "the-session",
            "dark",
            "Basic dXNlcjpwYXNzLXdvcmQ=",
            "dXNlcjpwYXNzLXdvcmQ=",
            "pass-word",
            "user:pass-word",
            "the-key",
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
