//! The notes on a server (`skills_url`): fetched when compiling and committed as `skills.md`, so that
//! what a model may read was reviewed like the rest.

use std::path::PathBuf;

use url::Url;

use super::server::{self, CompileError};
use crate::config::{Environment, ServerConfig, Template};
use crate::invisible::{is_invisible, visible};
use crate::openapi::{self, LoadError};

/// The notes on a server.
pub const SKILLS_FILE: &str = "skills.md";

/// Bound on the text, in bytes.
pub(super) const MOST_BYTES: usize = 32 * 1024;

/// Fetches the notes on a server by the loader of documents and its rules, and cleans them; `None`
/// where the config names none.
pub(super) async fn fetch(
    server: &ServerConfig,
    folder: PathBuf,
    environment: &Environment,
) -> Result<Option<String>, CompileError> {
    let Some(template) = &server.skills_url else {
        return Ok(None);
    };
    let shown = format!("skills_url: {}", shown(template));
    let mut request = server::request(server, folder, environment).await?;
    let document = std::mem::replace(&mut request.source, template.expand(environment)?);
    // What is sent with the document is meant for its origin alone.
    if !is_same_origin(&document, &request.source) {
        request.headers.clear();
    }
    request.shown.clone_from(&shown);
    let bytes = openapi::fetch(&request).await?.bytes;
    let text = clean(&bytes).map_err(|reason| LoadError { shown, reason })?;
    Ok(Some(text))
}

/// As the config spells it, without what may be secret.
fn shown(template: &Template) -> String {
    let text = template.text.split(['?', '#']).next().unwrap_or_default();
    match text.split_once("://") {
        Some((scheme, rest)) => {
            let end = rest.find('/').unwrap_or(rest.len());
            let (authority, path) = rest.split_at(end);
            let host = authority.rsplit('@').next().unwrap_or_default();
            visible(&format!("{scheme}://{host}{path}"))
        }
        None => visible(text),
    }
}

fn is_same_origin(one: &str, other: &str) -> bool {
    let origin = |text: &str| Url::parse(text.trim()).ok().map(|url| url.origin());
    let origin_of_one = origin(one);
    origin_of_one.is_some() && origin_of_one == origin(other)
}

/// The text without invisible characters, its lines ended by `\n`.
fn clean(bytes: &[u8]) -> Result<String, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        format!(
            "expected text in UTF-8, found other bytes at byte {}",
            error.valid_up_to()
        )
    })?;
    let mut clean: String = text
        .chars()
        .map(|character| if character == '\t' { ' ' } else { character })
        .filter(|character| *character == '\n' || !is_invisible(*character))
        .collect();
    clean.truncate(clean.trim_end().len());
    if clean.trim().is_empty() {
        return Err("it is empty".to_owned());
    }
    clean.push('\n');
    if clean.len() > MOST_BYTES {
        return Err(format!(
            "it has {} bytes, expected at most {MOST_BYTES}; shorten it",
            clean.len()
        ));
    }
    Ok(clean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_is_removed_and_lines_end_alike() {
        let text = "\u{feff}# Pets\r\n\tUse\u{200b} it\u{202e}.\r\n\u{e0041}\n\n";
        assert_eq!(clean(text.as_bytes()).unwrap(), "# Pets\n Use it.\n");
    }

    #[test]
    fn what_is_no_text_empty_or_too_long_is_told() {
        assert!(clean(b"a\xff").unwrap_err().contains("at byte 1"));
        assert_eq!(clean("\u{200b} \n".as_bytes()).unwrap_err(), "it is empty");
        assert!(clean("x".repeat(MOST_BYTES - 1).as_bytes()).is_ok());
        let error = clean("x".repeat(MOST_BYTES).as_bytes()).unwrap_err();
        assert_eq!(
            error,
            "it has 32769 bytes, expected at most 32768; shorten it"
        );
    }

    #[test]
    fn headers_are_for_the_origin_of_the_document() {
        let document = "https://a.example/openapi.json";
        assert!(is_same_origin(document, "https://a.example/notes.md"));
        assert!(!is_same_origin(document, "https://b.example/notes.md"));
        assert!(!is_same_origin(document, "notes.md"));
        assert!(!is_same_origin("a.json", "b.md"));
    }

    #[test]
    fn no_message_has_a_query_or_a_user() {
        let template = Template {
            text: "https://u:p@h.example/a.md?key=${KEY}".to_owned(),
            place: String::new(),
        };
        assert_eq!(shown(&template), "https://h.example/a.md");
    }
}
