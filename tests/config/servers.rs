//! The entries of `servers`, key by key.

use std::time::Duration;

use mce::config::Auth;

use super::{accept, assert_refused, parse, refuse, refuse_text, with};

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
client_cert_file: c.pem
client_key_file: ${KEY}
max_concurrent_requests: 8
requests_per_second: 0.5
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
    let place = server.place_of("read_only_allow", "POST /search");
    assert!(place.starts_with("f.yaml:8:"), "{place}");
    assert_eq!(server.client_cert_file.as_ref().unwrap().text, "c.pem");
    assert_eq!(server.client_key_file.as_ref().unwrap().text, "${KEY}");
    assert_eq!(server.max_concurrent_requests, Some(8));
    assert_eq!(server.requests_per_second, Some(0.5));
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
fn limits_are_numbers_that_mean_something() {
    let count = "must be a whole number from 1 to 10000";
    let rate = "must be a number from 0.001 to 1000000";
    assert_refused(&[
        ("max_concurrent_requests: 0", "4:30", count),
        ("max_concurrent_requests: 1.5", "4:30", count),
        ("max_concurrent_requests: 1e9", "4:30", count),
        ("max_concurrent_requests: '8'", "4:30", count),
        ("requests_per_second: 0", "4:26", rate),
        ("requests_per_second: .nan", "4:26", rate),
        ("requests_per_second: ${R}", "4:26", rate),
    ]);
}

#[test]
fn a_certificate_needs_its_key() {
    assert_refused(&[
        ("client_cert_file: c.pem", "4:5", "needs `client_key_file`"),
        ("client_key_file: k.pem", "4:5", "needs `client_cert_file`"),
    ]);
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
            "swagger_headers: {X-Key: \"a\\ue000\"}",
            "4:30",
            "invisible",
        ),
        (
            "base_url: ${A:-${B}}",
            "4:15",
            "`base_url`: a `${` stands inside another",
        ),
        ("base_url: https://${}.h", "4:15", "no name"),
        (
            "base_url: https://${a b}.h",
            "4:15",
            "`a b` names no variable",
        ),
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
