//! A manifest function and arguments become a request.

use std::collections::HashMap;

use indexmap::IndexMap;

use crate::api::{Function, Location, Parameter, Style};

use super::body::{self, Chosen};
use super::style::{self, Problem};
use super::{ArgumentError, Arguments, Request, check, percent};

/// Encodes a call of a function.
///
/// `types` is the manifest's table that schemas refer to as `#/types/<name>`. Nothing is sent that
/// was not given: no defaults, no body unless there is one. `content_type` selects one of the
/// body's media types; `None` is the first.
///
/// # Errors
/// Where an argument is unknown, missing, of the wrong type, or cannot be expressed; the text is
/// that of a Python `TypeError`.
pub fn encode(
    function: &Function,
    types: &IndexMap<String, serde_json::Value>,
    arguments: &Arguments,
    content_type: Option<&str>,
) -> Result<Request, ArgumentError> {
    let chosen = chosen(function, content_type)?;
    check::check(function, types, arguments, chosen)?;
    let mut segments: HashMap<&str, String> = HashMap::new();
    let mut query = Vec::new();
    let mut headers: Vec<(String, String)> = Vec::new();
    let mut cookies = Vec::new();
    let mut header_cookies = Vec::new();
    // By place, as the outside backend does: of several problems both report the same one.
    let in_order = [
        Location::Path,
        Location::Query,
        Location::Cookie,
        Location::Header,
    ];
    let parameters = in_order.iter().flat_map(|it| located(function, *it));
    for parameter in parameters {
        let Some(value) = arguments.get(&parameter.name) else {
            continue;
        };
        let fail =
            |problem: Problem| ArgumentError::argument(&function.name, &parameter.name, &problem);
        let value = &*style::with_items_joined(parameter, value).map_err(fail)?;
        match parameter.r#in {
            Location::Path => {
                let segment = style::segment(parameter, value).map_err(fail)?;
                segments.insert(&parameter.wire_name, segment);
            }
            Location::Query if parameter.style == Style::Whole => {
                query.push(style::whole(parameter, value).map_err(fail)?);
            }
            Location::Query => {
                let siblings = located(function, Location::Query);
                for (name, text) in style::pairs(parameter, value, siblings).map_err(fail)? {
                    query.push(format!(
                        "{}={text}",
                        percent::encode(&name, percent::STRICT)
                    ));
                }
            }
            Location::Cookie => {
                let siblings = located(function, Location::Cookie);
                for (name, text) in style::pairs(parameter, value, siblings).map_err(fail)? {
                    cookies.push((percent::encode(&name, percent::STRICT), text));
                }
            }
            Location::Header if parameter.wire_name.eq_ignore_ascii_case("cookie") => {
                let siblings = located(function, Location::Cookie);
                header_cookies.extend(style::cookie_header(value, &siblings).map_err(fail)?);
            }
            Location::Header => {
                if let Some(text) = style::header(parameter, value).map_err(fail)? {
                    headers.push((parameter.wire_name.clone(), text));
                }
            }
        }
    }
    cookies.append(&mut header_cookies);
    if let Some(accept) = function.accept() {
        push_unless_named(&mut headers, "Accept", accept);
    }
    let mut content = None;
    if let (Some(declared), Some(chosen)) = (&function.body, chosen)
        && let Some(value) = arguments.get(&declared.name)
    {
        let (content_type, bytes) = body::encode(chosen, value)
            .map_err(|problem| ArgumentError::argument(&function.name, &declared.name, &problem))?;
        push_unless_named(&mut headers, "Content-Type", content_type);
        content = Some(bytes);
    }
    let (path, mut fixed) = fill(function, &segments)?;
    fixed.append(&mut query);
    Ok(Request {
        method: function.method.clone(),
        path,
        query: fixed,
        headers,
        cookies,
        body: content,
    })
}

fn located(
    function: &Function,
    location: Location,
) -> impl Iterator<Item = &Parameter> + Clone + use<'_> {
    let parameters = function.parameters.iter();
    parameters.filter(move |parameter| parameter.r#in == location)
}

/// The media type of the body, if there is one.
fn chosen<'a>(
    function: &'a Function,
    wanted: Option<&'a str>,
) -> Result<Option<Chosen<'a>>, ArgumentError> {
    let name = &function.name;
    match (&function.body, wanted) {
        (Some(declared), wanted) => {
            body::choose(declared, wanted)
                .map(Some)
                .map_err(|error| ArgumentError {
                    message: format!(
                        "{name}() cannot send its body as {}, only as {}",
                        serde_json::Value::from(wanted.unwrap_or_default()),
                        error.known
                    ),
                })
        }
        (None, None) => Ok(None),
        (None, Some(_)) => Err(ArgumentError {
            message: format!("{name}() has no body, and so no content type to select"),
        }),
    }
}

/// A header parameter that the document declares under such a name goes before MCE's own.
fn push_unless_named(headers: &mut Vec<(String, String)>, name: &str, value: String) {
    if !headers
        .iter()
        .any(|(known, _)| known.eq_ignore_ascii_case(name))
    {
        headers.push((name.to_owned(), value));
    }
}

/// The template's path with its placeholders filled in, and its fixed query items: some documents
/// tell operations apart by a query (`/items?action=close`) or a fragment, which is never sent.
fn fill(
    function: &Function,
    segments: &HashMap<&str, String>,
) -> Result<(String, Vec<String>), ArgumentError> {
    let template = function.path.split('#').next().unwrap_or_default();
    let (mut rest, fixed) = template.split_once('?').unwrap_or((template, ""));
    let mut path = String::new();
    while let Some((literal, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else {
            break;
        };
        path.push_str(&percent::legal(literal));
        path.push_str(segments.get(name).ok_or_else(|| ArgumentError {
            message: format!(
                "{}() has no parameter for {{{name}}} of its path",
                function.name
            ),
        })?);
        rest = after;
    }
    path.push_str(&percent::legal(rest));
    if !path.starts_with('/') {
        path.insert(0, '/');
    }
    // An item with a placeholder (`/items?kind={kind}`) is a parameter like others.
    let is_fixed = |item: &&str| !item.is_empty() && !item.contains('{');
    let fixed = fixed.split('&').filter(is_fixed);
    let fixed = fixed.map(|item| percent::legal(item).replace('\'', "%27"));
    Ok((path, fixed.collect()))
}
