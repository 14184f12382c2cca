//! What a stub's decorator says of the properties of forms.

use std::collections::BTreeMap;

use super::code::Code;
use super::examples::mapping;
use super::functions::{keyword_argument, spelt};
use super::text::string_literal;
use crate::api::{Encoding, OperationBody, Style};

/// The arguments `encoding` and `part_headers`, where there is something to say.
pub(super) fn arguments(body: &OperationBody) -> Vec<Code> {
    let said = [
        ("encoding", of_media(body, encoding)),
        ("part_headers", of_media(body, headers)),
    ];
    let said = said.into_iter().filter(|(_, entries)| !entries.is_empty());
    said.map(|(keyword, entries)| keyword_argument(keyword, mapping(entries)))
        .collect()
}

/// What is said of each property of each media type.
fn of_media(body: &OperationBody, of: impl Fn(&Encoding) -> Option<Code>) -> Vec<Code> {
    let entries_of = |(content_type, properties): (&String, &BTreeMap<String, Encoding>)| {
        let properties = properties.iter();
        let entries = properties.filter_map(|(name, it)| Some(entry(name, of(it)?)));
        let entries: Vec<Code> = entries.collect();
        (!entries.is_empty()).then(|| entry(content_type, mapping(entries)))
    };
    let default = (&body.content_type, &body.encoding);
    let others = body.alternatives.iter();
    std::iter::once(default)
        .chain(others.map(|it| (&it.content_type, &it.encoding)))
        .filter_map(entries_of)
        .collect()
}

/// An item of a dictionary.
pub(super) fn entry(key: &str, value: Code) -> Code {
    Code::around(format!("{}: ", string_literal(key)), value, "")
}

/// The headers that the parts of a property have.
fn headers(encoding: &Encoding) -> Option<Code> {
    let headers = encoding.headers.iter();
    let entries = headers.map(|(name, text)| entry(name, Code::Text(string_literal(text))));
    (!encoding.headers.is_empty()).then(|| mapping(entries.collect()))
}

/// How a property is spelt, where not by default: `"style"`, `(style, explode)`,
/// `(style, explode, allow_reserved)`, or a media type.
fn encoding(encoding: &Encoding) -> Option<Code> {
    let Some(style) = encoding.style else {
        let content_type = encoding.content_type.as_deref()?;
        return Some(Code::Text(string_literal(content_type)));
    };
    let word = |is_true| Code::text(if is_true { "True" } else { "False" });
    let explode = encoding.explode.unwrap_or(style == Style::Form);
    let style_text = Code::Text(string_literal(&spelt(style)));
    Some(if encoding.allow_reserved {
        Code::call("", vec![style_text, word(explode), word(true)])
    } else if explode == (style == Style::Form) {
        style_text
    } else {
        Code::call("", vec![style_text, word(explode)])
    })
}
