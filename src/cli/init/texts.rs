//! The text of the files that a project begins with.

use std::fmt::Write as _;

use super::credentials::{self, Credentials};
use super::place::{self, Permit, Place};
use crate::api::Manifest;
use crate::config::is_never_set;
use crate::invisible::visible;
use crate::variables::of_server;

/// A variable that is to be set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) meaning: String,
}

/// What a project begins with.
pub(super) struct Project {
    /// The server's name.
    pub(super) name: String,
    /// What is to be set.
    pub(super) variables: Vec<Variable>,
    source: String,
    read_only: bool,
    title: String,
    /// Where calls go.
    pub(super) place: Place,
    credentials: Credentials,
}

impl Project {
    /// `name` is one that a server has as it stands.
    pub(super) fn new(name: &str, source: &str, read_only: bool, manifest: &Manifest) -> Self {
        let credentials = credentials::of(manifest, name);
        let mut variables = credentials.variables.clone();
        let place = place::of(manifest, source);
        if place == Place::Unknown {
            variables.insert(
                0,
                Variable {
                    name: variable(name, "URL"),
                    meaning: "where the API is, such as https://api.example/v1".to_owned(),
                },
            );
        }
        Self {
            name: name.to_owned(),
            variables,
            source: source.to_owned(),
            read_only,
            title: manifest.title.clone(),
            place,
            credentials,
        }
    }

    /// `swaggers.yaml`.
    pub(super) fn config(&self) -> String {
        let mut text = format!(
            "# {}\n# docs/configuration.md says what else can stand here.\n{}",
            comment(&self.title),
            bare(&self.name, &self.source, self.read_only)
        );
        if !self.read_only {
            text.push_str(
                "    # Leave out every operation that may change something:\n    \
                 # is_read_only: true\n",
            );
        }
        text.push_str(&self.place_lines());
        if !self.credentials.auth.is_empty() {
            text.push_str("    auth:\n");
            for line in &self.credentials.auth {
                let _ = writeln!(text, "      {line}");
            }
        }
        for line in &self.credentials.comments {
            let _ = writeln!(text, "    # {}", comment(line));
        }
        text
    }

    /// What `swaggers.yaml` says of where the API is.
    fn place_lines(&self) -> String {
        let permitting = |url: &str, permit, begin: &str| {
            let base_url = format!("{begin}base_url: {}\n", quoted(url));
            let private = format!("{begin}allow_private_network: true\n");
            match permit {
                Permit::BaseUrl => base_url,
                Permit::Named => base_url + &private,
                Permit::PrivateNetwork => private,
            }
        };
        match &self.place {
            Place::Document(url) => format!(
                "    # Where the API is, if not where the document says:\n    # base_url: {}\n",
                quoted(url)
            ),
            Place::Permitted(url, permit) => format!(
                "    # Calls may go to {}:\n{}",
                comment(&permit.what(url)),
                permitting(url, *permit, "    ")
            ),
            Place::Refused(url, permit) => format!(
                "    # Calls may not go to {}, without:\n{}",
                comment(&permit.what(url)),
                permitting(url, *permit, "    # ")
            ),
            Place::Unknown => {
                let name = self.variables.first().map(|it| it.name.as_str());
                format!(
                    "    # The document does not say where the API is.\n    base_url: ${{{}}}\n",
                    name.unwrap_or_default()
                )
            }
        }
    }

    /// `.env.example`.
    pub(super) fn env_example(&self) -> String {
        let mut text = "# What swaggers.yaml names. Copy this to `.env`, which mce reads in this \
                        folder, fill it in, and\n# keep that out of version control.\n"
            .to_owned();
        for Variable { name, meaning } in &self.variables {
            let _ = writeln!(text, "\n# {}\n{name}=", comment(meaning));
        }
        if self.variables.is_empty() {
            let _ = writeln!(
                text,
                "\n# Nothing has to be set: the document says of no operation that it wants a \
                 credential. Where the\n# API wants one all the same, this is the value of \
                 `Authorization`:\n# {}=",
                of_server(&self.name, "AUTH")
            );
        }
        text.push_str(
            "\n# Settings stand here too: `mce settings` lists them.\n# MCE_LOG_LEVEL=warn\n",
        );
        text
    }
}

/// The variable of a server that the config names. Where an env file would not set that, as it steers
/// programs and libraries, one that steers none.
pub(super) fn variable(server: &str, suffix: &str) -> String {
    let name = format!("{}_{suffix}", server.to_ascii_uppercase());
    if is_never_set(&name) {
        format!("API_{name}")
    } else {
        name
    }
}

/// A config that says no more than where the document is.
pub(super) fn bare(name: &str, source: &str, read_only: bool) -> String {
    let mut text = format!(
        "servers:\n  - name: {}\n    swagger_url: {}\n",
        quoted(name),
        quoted(source)
    );
    if read_only {
        text.push_str("    is_read_only: true\n");
    }
    text
}

/// A text as YAML takes it: bare where that is plain, else as JSON spells it.
fn quoted(text: &str) -> String {
    let starts_plain = text.starts_with(|first: char| first.is_ascii_alphabetic());
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || "_-./".contains(character);
    let is_url = |text: &str| {
        text.strip_prefix("https://")
            .or_else(|| text.strip_prefix("http://"))
            .is_some_and(|rest| rest.chars().all(|it| is_plain(it) || it == ':'))
            && !text.ends_with(':')
    };
    let words = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let is_word = words.contains(&text.to_ascii_lowercase().as_str());
    if starts_plain && !is_word && (text.chars().all(is_plain) || is_url(text)) {
        return text.to_owned();
    }
    crate::invisible::json_visible(&serde_json::Value::from(text).to_string())
}

/// A text from outside as one line of a comment.
fn comment(text: &str) -> String {
    visible(&text.chars().take(200).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{EnvFile, Environment, server_name};

    /// They were named in `.env.example`, and ignored in `.env`.
    #[test]
    fn every_variable_is_one_that_an_env_file_sets() {
        for title in [
            "Docker Engine",
            "Python Package Index",
            "SSL Labs",
            "LD Relay",
            "DYLD",
            "Path",
            "Home",
            "Container Host",
            "Task",
        ] {
            for suffix in [
                "URL",
                "API_KEY",
                "TOKEN",
                "USERNAME",
                "PASSWORD",
                "AUTHORIZATION",
                "CLIENT_SECRET",
            ] {
                let name = variable(&server_name(title), suffix);
                let file = EnvFile::parse(format!("{name}=x").as_bytes(), ".env").unwrap();
                let (environment, warnings) = Environment::default().with(&file, |it| it == name);
                assert_eq!(environment.get(&name), Some("x"), "{warnings:?}");
            }
        }
        assert_eq!(variable("task", "TOKEN"), "TASK_TOKEN");
        assert_eq!(
            variable("docker_engine", "TOKEN"),
            "API_DOCKER_ENGINE_TOKEN"
        );
    }
}
