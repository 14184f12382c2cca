//! The `auth` block, and secrets where they do not belong.

use std::time::Duration;

use mce::config::{Auth, ClientAuthentication, token_path};

use super::{accept, assert_refused, parse, refuse, with};

#[test]
fn every_type_of_auth_is_read() {
    let auth = |text: &str| accept(&format!("auth: {text}")).auth.unwrap();
    assert!(
        matches!(auth("{type: static, value: 'Token ${T}'}"), Auth::Static { value } if value.text == "Token ${T}")
    );
    match auth("{type: api_key, key: '${K}', in: query, name: api_key}") {
        Auth::ApiKey {
            value,
            location,
            name,
        } => {
            assert_eq!(value.text, "${K}");
            assert_eq!(location.as_deref(), Some("query"));
            assert_eq!(name.as_deref(), Some("api_key"));
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(
        auth("{type: api_key, value: '${K}'}"),
        Auth::ApiKey {
            location: None,
            name: None,
            ..
        }
    ));
    match auth("{type: basic, username: me, password: '${P}'}") {
        Auth::Basic { username, password } => {
            assert_eq!((username.text, password.text), ("me".into(), "${P}".into()));
        }
        other => panic!("{other:?}"),
    }
    match auth(
        "{type: oauth2, token_url: 'https://id.example.com/token', client_id: me, client_secret: '${S}', \
         scope: 'a b', audience: api, extra: {resource: r}}",
    ) {
        Auth::OAuth2 {
            token_url,
            scope,
            audience,
            extra,
            ..
        } => {
            assert_eq!(token_url.text, "https://id.example.com/token");
            assert_eq!(scope.unwrap().text, "a b");
            assert_eq!(audience.unwrap().text, "api");
            assert_eq!(extra["resource"].text, "r");
        }
        other => panic!("{other:?}"),
    }
    match auth(
        "{type: session, login_url: 'https://h/login', username: u, password: '${P}', content_type: form, \
         cookie_name: sid, expires_seconds: 60}",
    ) {
        Auth::Session {
            username_field,
            password_field,
            form,
            cookie_name,
            token_field,
            expires,
            ..
        } => {
            assert_eq!(username_field, "username");
            assert_eq!(password_field, "password");
            assert!(form);
            assert_eq!(cookie_name.as_deref(), Some("sid"));
            assert_eq!(token_field, None);
            assert_eq!(expires, Duration::from_mins(1));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn how_a_client_proves_who_it_is_has_the_names_of_the_standard() {
    for (text, method) in [
        ("client_secret_basic", Some(ClientAuthentication::Basic)),
        ("client_secret_post", Some(ClientAuthentication::Body)),
        ("''", None),
    ] {
        let line = format!(
            "auth: {{type: oauth2, token_url: 'https://h/t', client_id: c, client_secret: '${{S}}', \
             token_endpoint_auth_method: {text}}}"
        );
        let Some(Auth::OAuth2 { authentication, .. }) = accept(&line).auth else {
            panic!("{text}");
        };
        assert_eq!(authentication, method, "{text}");
    }
    assert_refused(&[(
        "auth: {type: oauth2, token_url: 'https://h/t', client_id: c, client_secret: '${S}', token_endpoint_auth_method: none}",
        "4:117",
        "must be `client_secret_basic` or `client_secret_post`",
    )]);
}

#[test]
fn the_field_of_a_token_is_a_json_path() {
    for text in ["a", "a.b[0].c", "$.a", "$['a b']", "access-token", "[0]"] {
        assert!(token_path(text).is_ok(), "{text}");
    }
    for text in ["$.", "a..", "a[", "'"] {
        assert!(token_path(text).is_err(), "{text}");
    }
    assert_refused(&[(
        "auth: {type: session, login_url: 'https://h/l', username: u, password: '${P}', token_field: 'a['}",
        "4:97",
        "`auth.token_field` is no JSON path",
    )]);
}

#[test]
fn keycloak_becomes_client_credentials() {
    let server = accept(
        "auth: {type: keycloak, base_url: '${KC}/', realm: main, client_id: c, client_secret: '${S}', scope: ''}",
    );
    match server.auth.unwrap() {
        Auth::OAuth2 {
            token_url, scope, ..
        } => {
            assert_eq!(
                token_url.text,
                "${KC}/realms/main/protocol/openid-connect/token"
            );
            assert_eq!(scope, None);
        }
        other => panic!("{other:?}"),
    }
    assert_refused(&[(
        "auth: {type: keycloak, base_url: 'https://h', realm: '../admin', client_id: c, client_secret: '${S}'}",
        "4:58",
        "`auth.realm`",
    )]);
}

#[test]
fn the_legacy_header_is_a_static_credential_and_auth_wins() {
    let text = |lines: &str| match accept(lines).auth {
        Some(Auth::Static { value }) => value.text,
        other => panic!("{other:?}"),
    };
    assert_eq!(text("auth_header: Bearer ${T}"), "Bearer ${T}");
    assert_eq!(
        text("auth_header: 'Authorization: Bearer ${T}'"),
        "Bearer ${T}"
    );
    assert!(accept("auth_header: ''").auth.is_none());
    let config = parse(&with("auth_header: ${A}\nauth: {type: jwt, token: '${B}'}")).unwrap();
    assert!(matches!(config.servers[0].auth, Some(Auth::Jwt { .. })));
    assert!(config.warnings[0].starts_with("f.yaml:4:5: `auth_header` is ignored"));
}

#[test]
fn mistakes_in_auth_name_the_field() {
    assert_refused(&[
        ("auth: Bearer", "4:11", "must be a mapping with a `type`"),
        ("auth:", "4:10", "`auth` has no value"),
        ("auth: {token: '${T}'}", "4:11", "no `type`"),
        (
            "auth: {type: jvt, token: '${T}'}",
            "4:18",
            "did you mean `jwt`?",
        ),
        ("auth: {type: jwt}", "4:11", "has no `token`"),
        (
            "auth: {type: jwt, tokn: '${T}', token: '${T}'}",
            "4:23",
            "did you mean `token`?",
        ),
        ("auth: {type: jwt, token: 12}", "4:30", "put it in quotes"),
        ("auth: {type: jwt, token: ''}", "4:30", "is empty"),
        (
            "auth: {type: api_key, value: '${K}', in: body}",
            "4:46",
            "found `body`",
        ),
        (
            "auth: {type: api_key, value: '${K}', in: header, name: Host}",
            "4:60",
            "never sent",
        ),
        (
            "auth: {type: api_key, value: '${K}', in: header, name: 'a b'}",
            "4:60",
            "no header can have",
        ),
        (
            "auth: {type: api_key, value: '${K}', key: '${K}'}",
            "4:42",
            "both `value` and `key`",
        ),
        (
            "auth: {type: oauth2, token_url: 'ftp://h', client_id: a, client_secret: '${S}'}",
            "4:37",
            "the scheme `ftp`",
        ),
        (
            "auth: {type: oauth2, token_url: 'https://h', client_id: a, client_secret: '${S}', extra: {grant_type: x}}",
            "4:95",
            "set by mce",
        ),
        (
            "auth: {type: session, login_url: 'https://h', username: u, password: '${P}', expires_seconds: 0}",
            "4:99",
            "above 0",
        ),
        (
            "auth: {type: session, login_url: 'https://h', username: u, password: '${P}', content_type: xml}",
            "4:96",
            "`json` or `form`",
        ),
    ]);
}

#[test]
fn literal_secrets_are_refused_and_never_repeated() {
    for lines in [
        "auth: {type: jwt, token: canary_1}",
        "auth: {type: static, value: Bearer canary_1}",
        "auth: {type: api_key, key: canary_1}",
        "auth: {type: basic, username: u, password: canary_1}",
        "auth: {type: oauth2, token_url: 'https://h', client_id: a, client_secret: canary_1}",
        "auth: {type: oauth2, token_url: 'https://h?token=canary_1', client_id: a, client_secret: '${S}'}",
        "auth: {type: oauth2, token_url: 'https://h', client_id: a, client_secret: '${S}', extra: {client_assertion: canary_1}}",
        "auth: {type: session, login_url: 'https://h', username: u, password: canary_1}",
        "auth_header: ${UNSET:-Bearer canary_1}",
        "auth_header: ${A}canary_canary_canary_1",
        "extra_headers: {Authorization: Bearer canary_1}",
        "extra_headers: {X-Api-Key: canary_1}",
        "extra_headers: {Cookie: sid=canary_1}",
        "swagger_headers: {X-Token: '${T:-canary_1}'}",
        "headers: '[X-Client-Secret:canary_1]'",
        "skills_url: https://u:canary_1@h/skills.md",
        "skills_url: https://h/skills.md?api_key=canary_1",
    ] {
        let message = refuse(lines);
        assert!(
            message.contains("literal secret")
                && message.contains("${VAR}")
                && message.contains("allow_literal")
                && message.starts_with("f.yaml:4:"),
            "{lines}: {message}"
        );
        assert!(!message.contains("canary"), "{lines}: {message}");
        accept(&format!("{lines}\nallow_literal: true"));
    }
    accept("auth: {type: jwt, token: abc, allow_literal: true}");
    accept("extra_headers: {X-Api-Key: {value: abc, allow_literal: true}}");
    refuse("extra_headers: {X-Api-Key: {value: abc, allow_literal: false}}");
    refuse("allow_literal: true\nauth: {type: jwt, token: abc, allow_literal: false}");
}

#[test]
fn secrets_in_wrong_types_and_broken_variables_are_not_repeated() {
    for lines in [
        "auth: {type: jwt, token: [canary]}",
        "auth: canary",
        "auth_header: {canary: 1}",
        "auth: {type: jwt, token: \"canary\\u0007\"}",
        "headers: 'X-Key:${K},canary rest'",
        "base_url: https://canary:${X}@h/",
    ] {
        let message = refuse(lines);
        assert!(!message.contains("canary"), "{lines}: {message}");
    }
}
