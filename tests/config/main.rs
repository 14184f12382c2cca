//! `swaggers.yaml`, the settings and the env file: what is accepted, what is refused, and what the
//! message says.
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed expectation of a test"
)]

use std::path::Path;

use mce::config::{Config, Error, ServerConfig};

mod auth;
mod files;
mod properties;
mod servers;
mod settings;

/// The name of the config in messages.
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
