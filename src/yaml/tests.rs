use serde_json::json;

use super::*;

fn value(text: &str) -> Value {
    read(text.as_bytes(), &Limits::DOCUMENT)
        .unwrap()
        .into_json()
}

fn error(text: &str) -> String {
    read(text.as_bytes(), &Limits::DOCUMENT)
        .unwrap_err()
        .to_string()
}

#[test]
fn plain_scalars_follow_the_core_schema_without_its_surprises() {
    let text = "[~, null, true, False, yes, NO, on, 010, 0x1F, 0o17, +5, .5, 1., 1e3, .inf, 2024-01-01, 12:30, '5', 1_000, -]";
    assert_eq!(
        serde_json::to_string(&value(text.replace(", -]", "]").as_str())).unwrap(),
        r#"[null,null,true,false,"yes","NO","on","010",31,15,5,0.5,1.0,1e+3,".inf","2024-01-01","12:30","5","1_000"]"#
    );
}

#[test]
fn numbers_beyond_64_bits_keep_their_spelling() {
    let text = "a: -9223372036854776000000\nb: 1.10\n";
    assert_eq!(
        serde_json::to_string(&value(text)).unwrap(),
        r#"{"a":-9223372036854776000000,"b":1.10}"#
    );
    let json = r#"{"a":-9223372036854776000000,"b":[1.10,1E400,-0]}"#;
    let read = read_value(json.as_bytes(), &Limits::DOCUMENT).unwrap();
    assert_eq!(
        serde_json::to_string(&read).unwrap(),
        r#"{"a":-9223372036854776000000,"b":[1.10,1E400,-0]}"#
            .replace("1E400", &read["b"][1].to_string())
    );
}

#[test]
fn keys_are_strings_as_spelt() {
    assert_eq!(
        value("200: a\ntrue: b\n~: c\n"),
        json!({"200": "a", "true": "b", "~": "c"})
    );
}

#[test]
fn merge_keys_yield_to_own_members_and_earlier_sources() {
    let text =
        "a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc:\n  <<: [*a, *b]\n  x: 9\nd:\n  '<<': plain\n";
    assert_eq!(
        value(text),
        json!({"a": {"x": 1, "y": 1}, "b": {"y": 2, "z": 2}, "c": {"x": 9, "y": 1, "z": 2}, "d": {"<<": "plain"}})
    );
}

#[test]
fn duplicate_keys_name_both_lines_in_yaml_and_json() {
    assert_eq!(
        error("a: 1\nb: 2\na: 3\n"),
        "3:1: duplicate key `a`, first at line 1"
    );
    let json = "{\n \"a\": 1,\n \"a\": 2}";
    let error = read_value(json.as_bytes(), &Limits::DOCUMENT).unwrap_err();
    assert_eq!(error.to_string(), "3:2: duplicate key `a`, first at line 2");
}

#[test]
fn alias_bombs_end_at_the_node_limit() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..20 {
        let previous = format!("*a{}", level - 1);
        let items = vec![previous; 10].join(", ");
        text = format!("{text}a{level}: &a{level} [{items}]\n");
    }
    let started = std::time::Instant::now();
    let error = read(text.as_bytes(), &Limits::CONFIG).unwrap_err();
    assert!(error.message.contains("100000 values"), "{error}");
    assert!(started.elapsed().as_secs() < 2);
}

#[test]
fn long_text_that_aliases_repeat_ends_at_the_byte_limit() {
    let text = format!(
        "a: &a {}\nb: [{}]\n",
        "y".repeat(10_000),
        "*a, ".repeat(200)
    );
    let error = read(text.as_bytes(), &Limits::CONFIG).unwrap_err();
    assert_eq!(
        error.message,
        "expected at most 1048576 bytes of text copied by anchors and aliases, found more"
    );
}

#[test]
fn anchors_around_anchors_end_at_the_copy_limit() {
    let inner = format!("[{}]", "1, ".repeat(20_000));
    let text = (0..20).fold(inner, |text, level| format!("&a{level} [{text}]"));
    let error = read(text.as_bytes(), &Limits::CONFIG).unwrap_err();
    assert!(
        error.message.contains("100000 values copied by anchors"),
        "{error}"
    );
}

#[test]
fn too_many_json_values_are_refused_where_they_are() {
    let text = format!("[\n{}1]", "1,".repeat(Limits::CONFIG.nodes));
    let error = read_value(text.as_bytes(), &Limits::CONFIG).unwrap_err();
    assert_eq!(
        error.to_string(),
        "2:200000: expected at most 100000 values, found more"
    );
    let nested = "[".repeat(20) + &"[[1],".repeat(10);
    assert!(read_value(nested.as_bytes(), &Limits::CONFIG).is_err());
}

#[test]
fn nesting_ends_at_the_depth_limit_without_recursion() {
    for text in [
        "[".repeat(100_000),
        "- ".repeat(100_000),
        "{a: ".repeat(100_000),
    ] {
        let started = std::time::Instant::now();
        assert!(read(text.as_bytes(), &Limits::DOCUMENT).is_err());
        assert!(read_value(text.as_bytes(), &Limits::DOCUMENT).is_err());
        assert!(started.elapsed().as_secs() < 2, "{}", &text[..4]);
    }
    let deep = format!("{}1{}", "[".repeat(250), "]".repeat(250));
    assert!(read_value(deep.as_bytes(), &Limits::DOCUMENT).is_ok());
}

#[test]
fn a_key_of_an_enclosing_anchor_is_refused() {
    assert!(error("a: &a\n  b: *a\n").contains("finished value"));
}

#[test]
fn complex_keys_and_several_documents_are_refused() {
    assert!(error("? [a]\n: b\n").contains("scalar as key"));
    assert!(error("a: 1\n---\nb: 2\n").contains("one document"));
}

#[test]
fn control_characters_and_other_encodings_are_refused_by_line() {
    assert_eq!(
        error("a: 1\nb: \u{0}x\n"),
        "2:4: expected text, found a control character"
    );
    let error = read(b"a: 1\nb: \xff\n", &Limits::DOCUMENT).unwrap_err();
    assert_eq!(error.position.line, 2);
}

#[test]
fn byte_order_mark_and_crlf_are_read() {
    assert_eq!(
        value("\u{feff}a: 1\r\nb: |\r\n  x\r\n  y\r\n"),
        json!({"a": 1, "b": "x\ny\n"})
    );
}

#[test]
fn tagged_scalars_follow_their_tag() {
    assert_eq!(
        value("[!!str 5, !!int '5', !custom 5]"),
        json!(["5", 5, "5"])
    );
}

#[test]
fn a_json_text_is_not_retried_as_yaml() {
    for text in [
        "{\"a\": 1,}",
        "{ // comment\n\"a\": 1}",
        "{/* comment */ a: 1}",
        "{",
        "[1,]",
    ] {
        let error = read_value(text.as_bytes(), &Limits::DOCUMENT).unwrap_err();
        assert!(
            error.message.starts_with("expected JSON"),
            "{text}: {error}"
        );
    }
}

#[test]
fn a_flow_mapping_whose_keys_are_in_no_double_quotes_is_yaml() {
    for text in [
        "{a: {b: \"c\"},}",
        "{\n  'a': {b: c}}",
        "{ # comment\n \"a\": {b: c}}",
    ] {
        let found = read_value(text.as_bytes(), &Limits::DOCUMENT).unwrap();
        assert_eq!(found, json!({"a": {"b": "c"}}), "{text}");
    }
}

#[test]
fn unicode_line_separators_end_no_comment_and_fold_no_string() {
    let text = "a: 1 # x \u{2028}b: 2 \u{85}c: 3\nd: \"p\u{2029}q\"\n";
    assert_eq!(value(text), json!({"a": 1, "d": "p\u{2029}q"}));
}

#[test]
fn a_closing_bracket_left_of_its_parent_is_read_as_libyaml_does() {
    let text = "a:\n  b: {\n    c: 1\n  }\nd: 2\n";
    assert_eq!(value(text), json!({"a": {"b": {"c": 1}}, "d": 2}));
}

#[test]
fn syntax_errors_are_placed_from_one() {
    assert_eq!(
        error("a: 1\nb: [1\nc: @x\n").split(": ").next(),
        Some("3:2")
    );
}

#[test]
fn no_text_can_pass_for_a_merge_key() {
    let text = r#"{"a": 1, "\0<<": {"a": 2, "b": 3}}"#;
    assert_eq!(value(text), json!({"a": 1, "\u{0}<<": {"a": 2, "b": 3}}));
}

#[test]
fn a_duplicate_key_is_named_where_the_json_is_no_yaml() {
    let json = "{\"a\": \"\\ud83d\\ude00\",\n \"b\": 1,\n \"b\": 2}";
    let error = read_value(json.as_bytes(), &Limits::DOCUMENT).unwrap_err();
    assert_eq!(error.to_string(), "3:4: duplicate key `b`");
}

#[test]
fn a_text_may_end_anywhere_without_a_panic() {
    let text = "a: |\n  one\n\n  two\nb: >-\n  x\n  y\nc: {d: [1, \"e\\n\", 'f'], g: *h}\n? k\n: |+2\n    \
                l\nm: &n !!str o # p\nq: \"r\n  s\"\nt:\r\n  u\r- v\n%YAML 1.2\n--- \n...\n";
    for (end, _) in text.char_indices() {
        let _ = read_value(&text.as_bytes()[..end], &Limits::DOCUMENT);
    }
    let read = read_value(b"a: |\n  one", &Limits::DOCUMENT).unwrap();
    assert_eq!(read["a"].as_str().unwrap().trim_end(), "one");
}
