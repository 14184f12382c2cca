//! Any text: an error at most, never a panic.

use std::path::Path;

use mce::config::{Config, EnvFile, Environment, Template};
use proptest::prelude::*;

use super::{FILE, parse};

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
        let _ = EnvFile::parse(&bytes, ".env");
    }

    #[test]
    fn text_without_variables_expands_to_itself(text in "[^$]{0,40}") {
        let template = Template::parse(&text, "p").unwrap();
        prop_assert_eq!(template.expand(&Environment::default()).unwrap(), text);
    }

    #[test]
    fn values_are_never_expanded_again(value in "[${}A:-]{1,12}") {
        let environment = Environment::from_pairs([("A", value.as_str())]);
        let template = Template::parse("<${A}>", "p").unwrap();
        prop_assert_eq!(template.expand(&environment).unwrap(), format!("<{value}>"));
    }
}
