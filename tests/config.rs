//! `swaggers.yaml`: what is accepted, what is refused, and what the message says.

use std::path::Path;
use std::time::Duration;

use mce::config::{Auth, Config, Environment, Error, ServerConfig, Settings, Template};
use proptest::prelude::*;

const FILE: &str = "f.yaml";

/// A config with one server `x` and these lines in it.
fn with(lines: &str) -> String {
    let mut text = "servers:\n  - name: x\n    swagger_url: ./a.yaml\n".to_owned();
    for line in lines.lines() {
        text.push_str("    ");
        text.push_str(line);
        text.push('\n');
    }
    text
}

fn parse(text: &str) -> Result<Config, Error> {
    Config::parse(text, Path::new(FILE))
}

fn accept(lines: &str) -> ServerConfig {
    match parse(&with(lines)) {
        Ok(mut config) => config.servers.remove(0),
        Err(error) => panic!("{lines}\n{error}"),
    }
}

fn refuse(lines: &str) -> String {
    refuse_text(&with(lines))
}

fn refuse_text(text: &str) -> String {
    match parse(text) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(error) => error.to_string(),
    }
}

/// Each input is refused with a message that starts with the place and holds the text.
fn assert_refused(cases: &[(&str, &str, &str)]) {
    for (lines, place, holds) in cases {
        let message = refuse(lines);
        assert!(
            message.starts_with(&format!("{FILE}:{place}: ")) && message.contains(holds),
            "{lines}\nexpected {place} … {holds}\nfound    {message}"
        );
    }
}

#[test]
fn every_key_is_read() {
    let server = accept(
        r#"swagger_headers: {X-Key: "${DOC_KEY}"}
base_url: https://${HOST:-api.example.com}/v1
auth: {type: jwt, token: "${TOKEN}"}
is_read_only: true
read_only_allow: [POST /search]
include: {tags: [a], paths: ["/v1/**"], operationIds: [getA]}
exclude: {operationIds: [getB]}
rename: {getA: fetch_a, GET /b: fetch_b}
extra_headers: {X-Trace: on, X-Secret: "${S}", Accept-Language: de}
headers: "[X-A:b:c, X-B : d]"
skills_url: ./skills.md
top_level_functions: [getA, fetch_b]
allow_private_network: true
ca_file: ${CA}
timeout_seconds: 2.5"#,
    );
    assert_eq!(server.name, "x");
    assert_eq!(server.title, None);
    assert_eq!(server.place, "f.yaml:2:5");
    assert_eq!(server.swagger_url.place, "f.yaml:3:18");
    assert_eq!(server.swagger_headers["X-Key"].text, "${DOC_KEY}");
    assert_eq!(
        server.base_url.as_ref().unwrap().text,
        "https://${HOST:-api.example.com}/v1"
    );
    assert!(matches!(&server.auth, Some(Auth::Jwt { token }) if token.text == "${TOKEN}"));
    assert!(server.is_read_only && server.allow_private_network);
    let allowed = &server.read_only_allow[0];
    assert_eq!(
        (allowed.method.as_str(), allowed.path.as_str()),
        ("POST", "/search")
    );
    assert!(allowed.place.starts_with("f.yaml:8:"), "{}", allowed.place);
    assert_eq!(server.include.tags, ["a"]);
    assert_eq!(server.include.paths, ["/v1/**"]);
    assert_eq!(server.include.operation_ids, ["getA"]);
    assert_eq!(server.exclude.operation_ids, ["getB"]);
    assert_eq!(server.rename["GET /b"], "fetch_b");
    let headers: Vec<_> = server
        .extra_headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.text.as_str()))
        .collect();
    assert_eq!(
        headers,
        [
            ("X-Trace", "on"),
            ("X-Secret", "${S}"),
            ("Accept-Language", "de"),
            ("X-A", "b:c"),
            ("X-B", "d")
        ]
    );
    assert_eq!(server.skills_url.unwrap().text, "./skills.md");
    assert_eq!(server.top_level_functions, ["getA", "fetch_b"]);
    assert_eq!(server.timeout, Some(Duration::from_millis(2500)));
    let config = parse(&with(
        "base_url: ${A}\nca_file: ${B}\nauth: {type: basic, username: '${C}', password: '${D}'}",
    ))
    .unwrap();
    assert_eq!(
        config.variables().into_iter().collect::<Vec<_>>(),
        ["A", "B", "C", "D"]
    );
    assert_eq!(config.server("x").unwrap().env_name("AUTH"), "MCE_X_AUTH");
    assert!(config.server("y").is_none());
}

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

#[test]
fn unknown_and_repeated_keys_name_place_and_remedy() {
    assert_refused(&[
        ("is_readonly: true", "4:5", "did you mean `is_read_only`?"),
        ("isReadOnly: true", "4:5", "did you mean `is_read_only`?"),
        ("colour: red", "4:5", "valid keys are name, swagger_url"),
        ("${KEY}: true", "4:5", "keys are not expanded"),
        (
            "include: {operation_ids: [a]}",
            "4:15",
            "did you mean `operationIds`?",
        ),
    ]);
    let message = refuse("timeout_seconds: 1\ntimeout_seconds: 2");
    assert!(
        message.starts_with("f.yaml:5:5: ") && message.contains("line 4"),
        "{message}"
    );
    let message = refuse_text("servrs: []\n");
    assert!(message.contains("did you mean `servers`?"), "{message}");
}

#[test]
fn booleans_are_true_or_false() {
    assert_refused(&[
        ("is_read_only: yes", "4:19", "write `true`"),
        ("is_read_only: 'true'", "4:19", "write `true`"),
        ("is_read_only: off", "4:19", "write `false`"),
        ("is_read_only: 1", "4:19", "found a number"),
        ("is_read_only:", "4:18", "has no value"),
        ("is_read_only: ${RO}", "4:19", "not expanded in booleans"),
        ("allow_private_network: maybe", "4:28", "found `maybe`"),
    ]);
    assert!(accept("is_read_only: TRUE").is_read_only);
}

#[test]
fn timeouts_are_finite() {
    for lines in [
        "timeout_seconds: .inf",
        "timeout_seconds: .nan",
        "timeout_seconds: 0",
        "timeout_seconds: -1",
        "timeout_seconds: 601",
        "timeout_seconds: 1e400",
        "timeout_seconds: 1e-300",
        "timeout_seconds: '30'",
        "timeout_seconds: ${T}",
        "timeout_seconds: true",
    ] {
        let message = refuse(lines);
        assert!(
            message.starts_with("f.yaml:4:22: `timeout_seconds` must be a number of seconds"),
            "{lines}: {message}"
        );
    }
    assert_eq!(
        accept("timeout_seconds: 600").timeout,
        Some(Duration::from_mins(10))
    );
}

#[test]
fn urls_are_checked_where_they_stand() {
    assert_refused(&[
        ("base_url: unix:///run/x.sock", "4:15", "the scheme `unix`"),
        ("base_url: https://h/v1?x=#f", "4:15", "a query"),
        ("base_url: \"https://h/\\r\\nX: 1\"", "4:15", "control"),
        ("base_url: \"https://h/\\u202e\"", "4:15", "invisible"),
        (
            "base_url: ${A:-${B}}",
            "4:15",
            "`base_url`: a `${` stands inside another",
        ),
        ("base_url: https://${}.h", "4:15", "names no variable"),
        (
            "skills_url: file:///etc/passwd",
            "4:17",
            "the scheme `file`",
        ),
    ]);
    let url = |url: &str| refuse_text(&format!("servers:\n  - name: x\n    swagger_url: {url}\n"));
    for (text, holds) in [
        ("'-'", "standard input"),
        ("''", "is empty"),
        ("file:///etc/passwd", "the scheme `file`"),
        ("http://169.254.169.254/x", "metadata"),
        ("http://u:canary@h/x", "literal secret"),
        ("./${A", "not closed"),
        ("7", "put it in quotes"),
    ] {
        let message = url(text);
        assert!(
            message.starts_with("f.yaml:3:18: `swagger_url`") && message.contains(holds),
            "{text}: {message}"
        );
    }
}

#[test]
fn headers_that_steer_requests_are_each_named() {
    let message = refuse(
        "extra_headers: {Host: h, Content-Length: '0', Transfer-Encoding: chunked, X-Forwarded-For: a, \
         X-HTTP-Method-Override: DELETE, X-Fine: a}",
    );
    for name in [
        "Host",
        "Content-Length",
        "Transfer-Encoding",
        "X-Forwarded-For",
        "X-HTTP-Method-Override",
    ] {
        assert!(message.contains(&format!("`{name}`")), "{message}");
    }
    assert!(!message.contains("X-Fine"), "{message}");
    assert_refused(&[
        ("extra_headers: {'X Y': a}", "4:21", "no header can have"),
        ("extra_headers: {X-A: é}", "4:26", "not printable ASCII"),
        ("extra_headers: {X-A: \"a\\r\\nX: b\"}", "4:26", "control"),
        ("extra_headers: {X-A: 1}", "4:26", "put it in quotes"),
        ("extra_headers: {X-A: a, x-a: b}", "4:29", "given twice"),
        ("extra_headers: [X-A]", "4:20", "must be a mapping"),
        (
            "extra_headers: {authorization: '${A}'}\nauth: {type: jwt, token: '${T}'}",
            "2:5",
            "contradicts `auth`",
        ),
        ("swagger_headers: {Host: h}", "4:23", "never sent"),
    ]);
}

#[test]
fn the_legacy_headers_string_is_checked_entry_by_entry() {
    let message = refuse("headers: '[Host:evil,X-A:b:c,:empty,NoColon,X-B:]'");
    for holds in [
        "entry 1 of `headers`, `Host`, is never sent",
        "entry 3 of `headers` has no name",
        "entry 4 of `headers` has no `:`",
        "entry 5 of `headers`, `X-B`, has no value",
    ] {
        assert!(message.contains(holds), "{message}");
    }
    assert_refused(&[
        ("headers: \"[X-A:a\\r\\nX-B: 1]\"", "4:14", "control"),
        ("headers: {X-A: a}", "4:14", "called `extra_headers`"),
        (
            "extra_headers: {X-A: a}\nheaders: x-a:b",
            "5:14",
            "given twice",
        ),
    ]);
    assert!(accept("headers: ''").extra_headers.is_empty());
    assert!(accept("headers: '[]'").extra_headers.is_empty());
}

#[test]
fn names_are_sanitised_with_a_warning_or_refused() {
    let named = |name: &str| parse(&format!("servers: [{{name: {name}, swagger_url: a}}]"));
    let config = named("'Open-Meteo Weather'").unwrap();
    assert_eq!(config.servers[0].name, "open_meteo_weather");
    assert_eq!(
        config.servers[0].title.as_deref(),
        Some("Open-Meteo Weather")
    );
    assert_eq!(
        config.warnings,
        ["f.yaml:1:18: the name `Open-Meteo Weather` is used as `open_meteo_weather`"]
    );
    let config = named("\"../../b\\u202e\"").unwrap();
    assert_eq!(config.servers[0].name, "b");
    assert!(config.warnings[0].contains(r"`../../b\u{202e}`"));
    for (name, holds) in [
        ("os", "standard library"),
        ("OS", "standard library"),
        ("httpx", "of the sandbox"),
        ("class", "keyword"),
        ("mce_runtime", "runtime module"),
        ("MCE-Runtime", "runtime module"),
        ("mcp_github", "bridged MCP servers"),
        ("llm", "`MCE_LLM_API_KEY`"),
        ("'!!!'", "no ASCII letter"),
        ("''", "is empty"),
        ("123", "put it in quotes"),
        ("'${NAME}'", "not expanded here"),
        (&"n".repeat(65), "up to 64 characters"),
        (&"n".repeat(300), "up to 64 characters"),
    ] {
        let message = named(name).unwrap_err().to_string();
        assert!(
            message.starts_with("f.yaml:1:18: ") && message.contains(holds),
            "{name}: {message}"
        );
        assert!(message.len() < 400, "{message}");
    }
}

#[test]
fn two_names_alike_are_an_error_with_both_lines() {
    let message = refuse_text(
        "servers:\n  - {name: my-api, swagger_url: a}\n  - {name: b, swagger_url: a}\n  - {name: My API, swagger_url: a}\n",
    );
    assert!(
        message.starts_with("f.yaml:4:5: ")
            && message.contains("`my_api`")
            && message.contains("line 2"),
        "{message}"
    );
}

#[test]
fn read_only_exceptions_are_exact() {
    assert_refused(&[
        (
            "is_read_only: true\nread_only_allow: [pOsT /items]",
            "5:23",
            "the entry `pOsT /items` of `read_only_allow` needs its method in upper case: POST",
        ),
        (
            "is_read_only: true\nread_only_allow: ['* /items']",
            "5:23",
            "`* /items`",
        ),
        (
            "is_read_only: true\nread_only_allow: [GET /items]",
            "5:23",
            "does not start with `POST`",
        ),
        (
            "is_read_only: true\nread_only_allow: [POST items]",
            "5:23",
            "does not start with `/`",
        ),
        (
            "is_read_only: true\nread_only_allow: [POST /a/../b]",
            "5:23",
            "`POST /a/../b`",
        ),
        (
            "is_read_only: true\nread_only_allow: [{POST: /items}]",
            "5:23",
            r#"found `{"POST":"/items"}`"#,
        ),
        (
            "is_read_only: true\nread_only_allow: POST /items",
            "5:22",
            "must be a list",
        ),
        (
            "is_read_only: true\nread_only_allow: ['POST /${X}']",
            "5:23",
            "not expanded",
        ),
    ]);
    let config = parse(&with("read_only_allow: [POST /a]")).unwrap();
    assert!(config.warnings[0].contains("no effect without `is_read_only: true`"));
}

#[test]
fn filters_that_select_nothing_are_errors() {
    assert_refused(&[
        ("include: {}", "4:14", "selects nothing"),
        (
            "exclude: {tags: []}",
            "4:21",
            "`tags` of `exclude` is empty",
        ),
        ("exclude:", "4:13", "`exclude` has no value"),
        ("exclude: {tags: a}", "4:21", "must be a list"),
        ("exclude: {tags: [1]}", "4:22", "must be a string"),
        ("exclude: {paths: [items/**]}", "4:15", "matches nothing"),
        ("exclude: {tags: ['${T}']}", "4:22", "not expanded"),
    ]);
}

#[test]
fn new_names_are_identifiers() {
    let message = refuse(
        "rename: {a: 'x(): pass', b: __import__, c: class, d: getIt, e: fine, f: fine, g: _private}",
    );
    for holds in [
        "`a` in `rename`, `x(): pass`, cannot be used",
        "`__import__`",
        "`class`, cannot be used: it is a keyword",
        "`getIt`",
        "`fine`, was given to another operation in line 4",
        "`_private`",
    ] {
        assert!(message.contains(holds), "{message}");
    }
}

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
        text.push_str(&format!("a{level}: &a{level} [{before}]\n"));
    }
    text.push_str("servers: *a9\n");
    let started = std::time::Instant::now();
    refuse_text(&text);
    assert!(started.elapsed() < Duration::from_secs(2));
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
    let text = include_str!("../swaggers.yaml.example");
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
    let file = mce::config::EnvFile::parse(include_bytes!("../.env.example"), ".env.example");
    let (environment, warnings) =
        Environment::default().with(&file.unwrap(), |name| name == "WEATHER_TOKEN");
    assert_eq!(warnings, Vec::<String>::new());
    assert!(environment.get("WEATHER_TOKEN").is_some());
    let (_, warnings) = Settings::from_environment(&environment).unwrap();
    assert_eq!(warnings, Vec::<String>::new());
}

/// Pieces of configs, odd ones among them, in any order.
fn yamlish() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("servers:\n"),
        Just("  - name: x\n"),
        Just("    swagger_url: ./a\n"),
        Just("    auth: {type: jwt, token: ${T}}\n"),
        Just("    auth:\n"),
        Just("      type: session\n"),
        Just("    headers: '[a:b,'\n"),
        Just("    extra_headers: {Host: *a}\n"),
        Just("    rename: {a: &a b, c: *a}\n"),
        Just("    timeout_seconds: 1e999\n"),
        Just("    base_url: https://${${}\u{202e}\n"),
        Just("    <<: {is_read_only: true}\n"),
        Just("? [a]\n"),
        Just("${"),
        Just("}"),
        Just(": "),
        Just("- "),
        Just("{"),
        Just("]"),
        Just("'"),
        Just("\t"),
        Just("\u{0}"),
        Just("é\u{85}\u{2028}"),
        Just("\n"),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_the_reader_panic_or_speak_in_controls(text in yamlish()) {
        if let Err(error) = parse(&text) {
            let message = error.to_string();
            let all_placed = error
                .complaints()
                .iter()
                .all(|complaint| complaint.place.starts_with("f.yaml"));
            prop_assert!(all_placed);
            let raw = message.contains(['\u{202e}', '\u{2028}', '\u{85}', '\0']);
            prop_assert!(!raw);
        }
    }

    #[test]
    fn no_bytes_make_the_readers_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Config::parse(&bytes, Path::new(FILE));
        let _ = mce::config::EnvFile::parse(&bytes, ".env");
    }

    #[test]
    fn text_without_variables_expands_to_itself(text in "[^$]{0,40}") {
        let template = Template::parse(&text, "p").unwrap();
        prop_assert_eq!(template.expand(&Environment::default()).unwrap(), text);
    }

    #[test]
    fn values_are_never_expanded_again(value in "[${}A:-]{0,12}") {
        let environment = Environment::from_pairs([("A", value.as_str())]);
        let template = Template::parse("<${A}>", "p").unwrap();
        prop_assert_eq!(template.expand(&environment).unwrap(), format!("<{value}>"));
    }
}
