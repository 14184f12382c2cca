//! Literal secrets where a `${VAR}` belongs.

use super::reader::Reader;
use super::template::{DEFAULTED, Segment, Template, VARIABLE};
use crate::yaml::Position;

/// Literal characters in a row that, beside a variable, still look like a secret of their own.
/// Schemes (`Bearer`, `Token token=`) and cookie names stay below.
const SUSPICIOUS_RUN: usize = 20;

/// Words in the name of a header, parameter or field whose value is a secret.
const SECRET_WORDS: &[&str] = &[
    "authorization",
    "token",
    "key",
    "secret",
    "password",
    "passwd",
    "cookie",
    "credential",
    "session",
    "signature",
    "assertion",
];

/// Whether a name is one whose value is a secret.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace('_', "-");
    SECRET_WORDS.iter().any(|word| name.contains(word))
        || name.split('-').any(|part| matches!(part, "auth" | "sig"))
}

/// Complains about a secret spelt out in the file, without repeating it.
pub(super) fn refuse_literal(
    reader: &mut Reader,
    position: Position,
    what: &str,
    template: &Template,
) {
    if is_literal(template) {
        complain(reader, position, what);
    }
}

/// Complains about secrets in the user information and the query of a URL.
pub(super) fn refuse_literal_in_url(
    reader: &mut Reader,
    position: Position,
    what: &str,
    template: &Template,
) {
    if has_literal_in_url(&template.masked()) {
        complain(reader, position, what);
    }
}

fn complain(reader: &mut Reader, position: Position, what: &str) {
    reader.advise(
        position,
        format!("{what} holds a literal secret"),
        "put it in an environment variable and write `${VAR}` here (without a default), or say \
         `allow_literal: true` in this entry",
    );
}

/// Whether a text that is a secret as a whole is spelt out, wholly or in part.
fn is_literal(template: &Template) -> bool {
    let Ok(segments) = template.segments() else {
        return false;
    };
    let mut has_variable = false;
    for segment in segments {
        match segment {
            Segment::Text(text) if longest_run(text) >= SUSPICIOUS_RUN => return true,
            Segment::Text(_) => {}
            Segment::Variable { default, .. } => {
                if default.is_some_and(|default| !default.is_empty()) {
                    return true;
                }
                has_variable = true;
            }
        }
    }
    !has_variable
}

fn longest_run(text: &str) -> usize {
    text.split(|character: char| {
        !(character.is_ascii_alphanumeric() || "-_+/=.~".contains(character))
    })
    .map(str::len)
    .max()
    .unwrap_or(0)
}

fn has_literal_in_url(masked: &str) -> bool {
    let after_scheme = masked.split_once("://").map_or("", |(_, rest)| rest);
    let authority = after_scheme
        .split(['/', '?', '#', '\\'])
        .next()
        .unwrap_or_default();
    if let Some((userinfo, _)) = authority.rsplit_once('@') {
        // `user:secret@`, or a token alone before the `@`.
        let secret = userinfo.split_once(':').map_or(userinfo, |(_, it)| it);
        if secret.is_empty() || secret.chars().any(|character| character != VARIABLE) {
            return true;
        }
    }
    let query = masked.split_once('?').map_or("", |(_, query)| query);
    query.split(['&', ';', '#']).any(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        is_secret_name(name)
            && !value.is_empty()
            && (value.contains(DEFAULTED)
                || !value.contains(VARIABLE)
                || longest_run(value) >= SUSPICIOUS_RUN)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(text: &str) -> bool {
        is_literal(&Template::parse(text, "").unwrap())
    }

    fn literal_in_url(text: &str) -> bool {
        has_literal_in_url(&Template::parse(text, "").unwrap().masked())
    }

    #[test]
    fn a_variable_with_a_scheme_is_no_literal() {
        for text in [
            "${T}",
            "Bearer ${T}",
            "Token token=\"${T}\"",
            "${A}:${B}",
            "session_id=${S}",
            "${T:-}",
        ] {
            assert!(!literal(text), "{text}");
        }
    }

    #[test]
    fn spelt_out_and_defaulted_ones_are() {
        for text in [
            "abc",
            "Bearer abc",
            "$TOKEN",
            "${T:-abc}",
            "${A}${B:-x}",
            "eyJhbGciOiJIUzI1NiJ9abc${EMPTY}",
        ] {
            assert!(literal(text), "{text}");
        }
    }

    #[test]
    fn urls_are_searched_for_user_information_and_secret_parameters() {
        for text in [
            "http://user:pass@h/x",
            "https://token@h/",
            "https://${U}:${P:-pass}@h/",
            "https://h/x?token=abc",
            "https://h/x?a=1&api_key=abc",
            "https://h/x?sig=${S:-abc}",
            "${B}://u:p@h",
        ] {
            assert!(literal_in_url(text), "{text}");
        }
        for text in [
            "https://${U}:${P}@h/x",
            "https://u:${P}@h/x",
            "https://h/x?token=${T}&page=1",
            "https://h/a@b?c=d",
            "./spec.yaml",
            "https://h/x?version=abc",
        ] {
            assert!(!literal_in_url(text), "{text}");
        }
    }

    #[test]
    fn secret_names() {
        for name in [
            "Authorization",
            "X-Api-Key",
            "x_auth_user",
            "Cookie",
            "X-Access-Token",
            "client_secret",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            "Accept-Language",
            "X-Request-Id",
            "X-Api-Version",
            "X-Author",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
