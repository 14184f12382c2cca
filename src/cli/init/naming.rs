//! A name for a server out of what its document is called.

use crate::config::is_free_name;

/// Words that say nothing of what an API is for.
const EMPTY_WORDS: &[&str] = &[
    "a",
    "an",
    "and",
    "api",
    "apis",
    "doc",
    "docs",
    "document",
    "documentation",
    "for",
    "http",
    "json",
    "of",
    "open",
    "openapi",
    "public",
    "reference",
    "rest",
    "restful",
    "s",
    "schema",
    "service",
    "services",
    "spec",
    "specification",
    "swagger",
    "the",
    "v",
    "version",
    "web",
    "www",
    "yaml",
    "yml",
    "com",
    "org",
    "net",
    "io",
    "dev",
    "latest",
    "index",
    "https",
    "localhost",
];

/// Words that a name is made of.
const MOST_WORDS: usize = 3;

/// Characters of a name.
const LONGEST: usize = 40;

/// The name where nothing says another.
const UNNAMED: &str = "api_server";

/// The name of a server: what its title says, else its host or file; at last `api_server`.
pub(super) fn name_of(title: &str, source: &str) -> String {
    let place = match source.split_once("://") {
        Some((_, rest)) => rest.split(['/', '?', '#', ':']).next().unwrap_or_default(),
        None => source.rsplit(['/', '\\']).next().unwrap_or_default(),
    };
    let name = [title, place].into_iter().find_map(words);
    let name = name.unwrap_or_else(|| UNNAMED.to_owned());
    // Modules of Python and of the sandbox have some of these names, and what begins like mce's own is
    // none of a server.
    let names = [name.clone(), format!("{name}_api"), format!("api_{name}")];
    let free = names.into_iter().find(|name| is_free_name(name));
    free.unwrap_or_else(|| UNNAMED.to_owned())
}

fn words(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let words = lower
        .split(|character: char| !character.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty() && !EMPTY_WORDS.contains(word))
        .filter(|word| !is_version(word))
        .take(MOST_WORDS);
    let mut name = words.collect::<Vec<_>>().join("_");
    name.truncate(LONGEST);
    let name = name.trim_matches('_');
    match name.chars().next() {
        None => None,
        Some(first) if first.is_ascii_digit() => Some(format!("api_{name}")),
        Some(_) => Some(name.to_owned()),
    }
}

/// Whether a word is a number, or one after a `v`.
fn is_version(word: &str) -> bool {
    let number = word.strip_prefix('v').unwrap_or(word);
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_what_tells_an_api_from_others() {
        for (title, source, name) in [
            ("Swagger Petstore - OpenAPI 3.0", "a.yaml", "petstore"),
            ("The Bookshop's API v2", "a.yaml", "bookshop"),
            (
                "API",
                "https://api.tracker.example/v1/openapi.json",
                "tracker_example",
            ),
            ("", "/somewhere/tasks-v2.yaml", "tasks"),
            ("雪", "openapi.yaml", "api_server"),
            ("2Captcha", "a.yaml", "api_2captcha"),
            ("Calendar", "a.yaml", "calendar_api"),
            ("Class", "a.yaml", "class_api"),
            // Both began as names of mce's own do, so that the config was refused.
            ("MCE runtime", "a.yaml", "api_mce_runtime"),
            ("MCP Gateway", "a.yaml", "api_mcp_gateway"),
            ("MCP", "a.yaml", "api_mcp"),
            ("httpx", "a.yaml", "httpx_api"),
            ("LLM", "a.yaml", "llm_api"),
        ] {
            assert_eq!(name_of(title, source), name, "{title} {source}");
            assert!(is_free_name(name), "{name}");
        }
    }
}
