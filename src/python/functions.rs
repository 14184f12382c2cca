//! One stub: its decorator, signature and docstring.

use std::fmt::Write as _;

use indexmap::{IndexMap, IndexSet};
use serde_json::Value;

use super::code::{Code, WIDTH};
use super::examples::{Examples, mapping};
use super::forms;
use super::remarks::{Format, discriminator, joined, limits};
use super::text::{begin, docstring, heading, one_line, prose, string_literal};
use super::types::PythonType;
use crate::api::{
    Location, Media, NamedApi, Operation, OperationNames, Pagination, Style, accept, successes,
};

/// Characters of a description that go into a docstring; the manifest has all of it.
const LONGEST_DESCRIPTION: usize = 2_000;
const LONGEST_ARGUMENT_DESCRIPTION: usize = 400;
/// Optional arguments that an example shows since the document gives values for them.
const MOST_OPTIONAL_ARGUMENTS: usize = 2;
/// Columns of prose in a docstring, its indentation taken off.
const PROSE: usize = WIDTH - 4;

/// An argument of a stub.
pub(super) struct Argument<'a> {
    pub(super) name: &'a str,
    pub(super) kind: PythonType,
    pub(super) required: bool,
    pub(super) description: &'a str,
    pub(super) schema: &'a Value,
    /// The media types that it can be sent as, with their types; none but for a body.
    pub(super) media: Vec<(&'a str, PythonType)>,
}

/// `@_api.operation(…)`.
pub(super) fn decorator(
    api: &NamedApi,
    operation: &Operation,
    names: &OperationNames,
    pagination: Option<&Pagination>,
) -> String {
    let mut items = vec![
        Code::Text(string_literal(&operation.method)),
        Code::Text(string_literal(&operation.path)),
    ];
    // In the order of the signature and the manifest, so that all backends send the same order.
    let mut parameters: Vec<_> = operation.parameters.iter().zip(&names.parameters).collect();
    parameters.sort_by_key(|(parameter, _)| !parameter.required);
    for (keyword, location) in [
        ("path", Location::Path),
        ("query", Location::Query),
        ("header", Location::Header),
        ("cookie", Location::Cookie),
    ] {
        let entries: Vec<Code> = parameters
            .iter()
            .filter(|(parameter, _)| parameter.location == location)
            .map(|(parameter, name)| {
                let key = format!("{}: ", string_literal(name));
                let style = Code::Text(string_literal(&spelt(parameter.style)));
                let explode = Code::text(if parameter.explode { "True" } else { "False" });
                let value = if parameter.wire_name != **name {
                    let wire_name = Code::Text(string_literal(&parameter.wire_name));
                    Code::call("", vec![style, explode, wire_name])
                } else if parameter.explode == (parameter.style == Style::Form) {
                    style
                } else {
                    Code::call("", vec![style, explode])
                };
                Code::around(key, value, "")
            })
            .collect();
        if !entries.is_empty() {
            items.push(keyword_argument(keyword, mapping(entries)));
        }
    }
    let with_names = || operation.parameters.iter().zip(&names.parameters);
    let reserved: Vec<Code> = with_names()
        .filter(|(parameter, _)| parameter.allow_reserved && parameter.location == Location::Query)
        .map(|(_, name)| Code::Text(string_literal(name)))
        .collect();
    if !reserved.is_empty() {
        items.push(keyword_argument("reserved", Code::call("", reserved)));
    }
    items.extend(items_styles(operation, names));
    let content: Vec<Code> = with_names()
        .filter_map(|(parameter, name)| {
            let content_type = Code::Text(string_literal(parameter.content_type.as_ref()?));
            Some(Code::around(
                format!("{}: ", string_literal(name)),
                content_type,
                "",
            ))
        })
        .collect();
    if !content.is_empty() {
        items.push(keyword_argument("content", mapping(content)));
    }
    if let (Some(body), Some(name)) = (&operation.body, &names.body) {
        let media = body.media().map(|(content_type, _)| content_type);
        let texts = std::iter::once(name.as_str()).chain(media);
        let texts = texts.map(|text| Code::Text(string_literal(text))).collect();
        items.push(keyword_argument("body", Code::call("", texts)));
        items.extend(forms::arguments(body));
    }
    if let Some(accept) = accept(&operation.responses) {
        items.push(keyword_argument(
            "accept",
            Code::Text(string_literal(&accept)),
        ));
    }
    if !operation.responses.is_empty() {
        let entries = operation
            .responses
            .iter()
            .map(|response| {
                let kind = Code::Text(string_literal(&spelt(response.kind)));
                Code::around(format!("{}: ", string_literal(&response.status)), kind, "")
            })
            .collect();
        items.push(keyword_argument("responses", mapping(entries)));
    }
    let places = api_key_places(api, operation);
    if !places.is_empty() {
        items.push(keyword_argument("api_key", Code::call("", places)));
    }
    if operation.security.is_empty() {
        items.push(keyword_argument("auth", Code::text("False")));
    }
    if let Some(url) = operation.server.own() {
        items.push(keyword_argument(
            "base_url",
            Code::Text(string_literal(url)),
        ));
    }
    items.extend(pagination.map(pages));
    Code::call("@_api.operation", items).laid_out(0, 0, 0)
}

/// `items`: how lists within the lists of parameters are spelt.
fn items_styles(operation: &Operation, names: &OperationNames) -> Option<Code> {
    let with_names = operation.parameters.iter().zip(&names.parameters);
    let styles = with_names.filter_map(|(parameter, name)| {
        let styles = parameter.items_styles.iter();
        let styles: Vec<Code> = styles
            .map(|style| Code::Text(string_literal(&spelt(style))))
            .collect();
        (!styles.is_empty()).then(|| forms::entry(name, Code::call("", styles)))
    });
    let styles: Vec<Code> = styles.collect();
    (!styles.is_empty()).then(|| keyword_argument("items", mapping(styles)))
}

/// `pages`: how further pages are reached.
fn pages(pagination: &Pagination) -> Code {
    let entries = pagination.texts().into_iter().map(|(key, text)| {
        let value = Code::Text(string_literal(&text));
        Code::around(format!("{}: ", string_literal(key)), value, "")
    });
    keyword_argument("pages", mapping(entries.collect()))
}

pub(super) fn keyword_argument(keyword: &str, value: Code) -> Code {
    Code::around(format!("{keyword}="), value, "")
}

/// Where the apiKey schemes that the operation's security names want the key, each place once.
fn api_key_places(api: &NamedApi, operation: &Operation) -> Vec<Code> {
    let mut places: IndexSet<(&str, &str)> = IndexSet::new();
    for name in operation
        .security
        .iter()
        .flat_map(std::collections::BTreeMap::keys)
    {
        let Some(scheme) = api.api.security_schemes.get(name) else {
            continue;
        };
        if let (Some(location), Some(name)) = (&scheme.r#in, &scheme.name) {
            places.insert((location, name));
        }
    }
    places
        .into_iter()
        .map(|(location, name)| {
            Code::call(
                "",
                [location, name]
                    .map(|text| Code::Text(string_literal(text)))
                    .into(),
            )
        })
        .collect()
}

/// The name of a style or kind, as manifests spell it.
pub(super) fn spelt(value: impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(name)) => name,
        _ => String::new(),
    }
}

/// `def name(*, …) -> …:`.
pub(super) fn signature(name: &str, arguments: &[Argument<'_>], returns: &PythonType) -> String {
    let mut items = Vec::new();
    if !arguments.is_empty() {
        items.push(Code::text("*"));
    }
    for argument in arguments {
        let before = format!("{}: ", argument.name);
        items.push(if argument.required {
            Code::around(before, argument.kind.code(), "")
        } else {
            Code::around(before, argument.kind.clone().optional().code(), " = None")
        });
    }
    let head = format!("def {name}");
    let returned = returns.code();
    let parameters = Code::call(&head, items);
    let whole = format!("{} -> {}:", parameters.flat(), returned.flat());
    if whole.chars().count() <= WIDTH {
        return whole;
    }
    if arguments.is_empty() {
        return format!("{head}() -> {}:", returned.laid_out(0, head.len() + 6, 1));
    }
    // Too long for one line, so every parameter gets its own, as formatters do it.
    let laid_out = parameters.laid_out(0, WIDTH, 0);
    format!("{laid_out} -> {}:", returned.laid_out(0, 5, 1))
}

/// The docstring: summary, description, Args, Returns, Raises, an example call.
pub(super) fn documentation<'a>(
    name: &str,
    operation: &Operation,
    arguments: &[Argument<'a>],
    returns: &PythonType,
    pagination: Option<&Pagination>,
    examples: &mut Examples<'a>,
    types: &IndexMap<String, Value>,
) -> String {
    let mut lines = vec![summary(operation)];
    let said = one_line(&operation.description, LONGEST_DESCRIPTION);
    if !said.is_empty()
        && said != one_line(&operation.summary, LONGEST_DESCRIPTION)
        && said != summary(operation)
    {
        lines.push(String::new());
        lines.extend(prose(&operation.description, PROSE, LONGEST_DESCRIPTION));
    }
    if operation.deprecated {
        lines.extend([
            String::new(),
            "Deprecated: the document advises against it.".to_owned(),
        ]);
    }
    if !arguments.is_empty() {
        begin(heading::ARGS, &mut lines);
        for argument in arguments {
            lines.extend(argument_lines(name, argument, types));
        }
    }
    let documented = match (returned(operation), returns) {
        (text, _) if !text.is_empty() => text,
        (_, PythonType::None) => "Nothing.".to_owned(),
        _ => "The answer.".to_owned(),
    };
    let told_apart = successes(&operation.responses)
        .into_iter()
        .find_map(|response| discriminator(&response.schema, types));
    let documented = joined(&documented, &told_apart.unwrap_or_default());
    begin(heading::RETURNS, &mut lines);
    lines.extend(indented(&documented, 4));
    if let Some(pagination) = pagination {
        begin(heading::PAGES, &mut lines);
        lines.extend(indented(&paging_note(name, pagination), 4));
    }
    begin(heading::RAISES, &mut lines);
    lines.extend(indented(&raises(operation), 4));
    begin(heading::EXAMPLE, &mut lines);
    lines.extend(example(name, arguments, examples));
    docstring(&lines, 4)
}

/// How all pages are gone through.
fn paging_note(name: &str, pagination: &Pagination) -> String {
    let pages = format!("`for page in {name}.pages(...)` goes through all pages");
    let items = match pagination.items {
        Some(_) => format!(", `{name}.items(...)` through their items"),
        None => String::new(),
    };
    format!("{pages}{items}; `async for` with `.aio`.")
}

/// One line on what an operation does: its summary, else the start of its description, else
/// `METHOD /path`.
pub(super) fn summary(operation: &Operation) -> String {
    let summary = one_line(&operation.summary, 200);
    if !summary.is_empty() {
        return summary;
    }
    let first = operation
        .description
        .trim()
        .split(['\n', '\r'])
        .next()
        .unwrap_or_default();
    let first = one_line(first, 160);
    if first.is_empty() {
        one_line(&operation.label(), 200)
    } else {
        first
    }
}

/// What the document says of the successes; where it says different things, with the status.
fn returned(operation: &Operation) -> String {
    let successes = successes(&operation.responses).into_iter();
    let documented: Vec<(&str, &String)> = successes
        .filter_map(|response| {
            let said = operation.response_descriptions.get(&response.status)?;
            (!said.trim().is_empty()).then_some((response.status.as_str(), said))
        })
        .collect();
    let Some((_, first)) = documented.first() else {
        return String::new();
    };
    if documented.iter().all(|(_, said)| said == first) {
        return one_line(first, LONGEST_ARGUMENT_DESCRIPTION);
    }
    let documented = documented.iter();
    let documented: Vec<String> = documented
        .map(|(status, said)| of_status(status, said))
        .collect();
    format!("{}.", documented.join("; "))
}

/// What the document says of a status, for an enumeration.
fn of_status(status: &str, said: &str) -> String {
    match one_line(said, 80) {
        said if said.is_empty() => status.to_owned(),
        said => format!("{status} {}", said.trim_end_matches('.')),
    }
}

fn raises(operation: &Operation) -> String {
    let mut text = "ApiError: The answer was not a success".to_owned();
    let documented: Vec<String> = operation
        .response_descriptions
        .iter()
        .filter(|(status, _)| status.starts_with(['4', '5']))
        .map(|(status, said)| of_status(status, said))
        .collect();
    if !documented.is_empty() {
        let _ = write!(text, " ({})", documented.join("; "));
    }
    text.push('.');
    text
}

fn argument_lines(
    function: &str,
    argument: &Argument<'_>,
    types: &IndexMap<String, Value>,
) -> Vec<String> {
    let mut said = one_line(argument.description, LONGEST_ARGUMENT_DESCRIPTION);
    if said.is_empty() {
        said = argument
            .schema
            .get("description")
            .and_then(Value::as_str)
            .map(|text| one_line(text, LONGEST_ARGUMENT_DESCRIPTION))
            .unwrap_or_default();
    }
    said = joined(&said, &limits(argument.schema, types, &said, Format::Any));
    if let Some(note) = discriminator(argument.schema, types) {
        said = joined(&said, &note);
    }
    let sent = media_note(function, &argument.media);
    said = joined(&said, &sent);
    if said.is_empty() {
        said = if argument.required {
            "Required.".to_owned()
        } else {
            "Optional.".to_owned()
        };
    }
    indented(&format!("{}: {said}", argument.name), 4)
}

/// What a body is sent as, where that is not simply JSON.
fn media_note(function: &str, media: &[(&str, PythonType)]) -> String {
    let Some(((default, _), others)) = media.split_first() else {
        return String::new();
    };
    let mut said = String::new();
    if !others.is_empty() || Media::of(default) != Media::Json {
        let _ = write!(said, "Sent as `{}`.", one_line(default, 80));
    }
    let others: Vec<String> = others
        .iter()
        .map(|(content_type, kind)| {
            let kind = one_line(&kind.text(), 60);
            format!("`{}` ({kind})", one_line(content_type, 80))
        })
        .collect();
    if let Some((last, most)) = others.split_last() {
        let most = most.join(", ");
        let or = if most.is_empty() { "" } else { " or " };
        let _ = write!(
            said,
            " `{function}.with_content_type(...)(...)` sends it as {most}{or}{last}."
        );
    }
    if media
        .iter()
        .any(|(name, _)| Media::of(name) == Media::Multipart)
    {
        said.push_str(" A file is bytes, (filename, bytes) or (filename, bytes, content type).");
    }
    said
}

/// A text wrapped into a hanging paragraph.
fn indented(text: &str, margin: usize) -> Vec<String> {
    let spaces = " ".repeat(margin);
    prose(text, PROSE - margin - 4, usize::MAX)
        .into_iter()
        .enumerate()
        .map(|(index, line)| {
            if index == 0 {
                format!("{spaces}{line}")
            } else {
                format!("{spaces}    {line}")
            }
        })
        .collect()
}

/// Whether an argument is a body of which something is known.
fn shows_more_than_braces(argument: &Argument<'_>) -> bool {
    !argument.media.is_empty() && !matches!(argument.kind, PythonType::Any | PythonType::Dict(_))
}

/// A call with the required arguments, the body, and what the document gives examples of.
fn example<'a>(name: &str, arguments: &[Argument<'a>], examples: &mut Examples<'a>) -> Vec<String> {
    examples.begin();
    let mut left = MOST_OPTIONAL_ARGUMENTS;
    let mut items: Vec<Code> = Vec::new();
    for argument in arguments {
        let value = if argument.required || shows_more_than_braces(argument) {
            examples.value(&argument.kind, argument.schema)
        } else if left > 0
            && argument.schema.get("examples").is_some()
            && let Some(given) = examples.given(&argument.kind, argument.schema)
        {
            left -= 1;
            given
        } else {
            continue;
        };
        items.push(keyword_argument(argument.name, value));
    }
    Code::call(name, items)
        .laid_out(8, 8, 0)
        .split('\n')
        .enumerate()
        .map(|(index, line)| {
            if index == 0 {
                format!("    {line}")
            } else {
                line.get(4..).unwrap_or(line).to_owned()
            }
        })
        .collect()
}
