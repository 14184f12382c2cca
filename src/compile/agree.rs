//! Whether `functions.py` and the manifest say the same.
//!
//! What is reviewed is the module, what is enforced is the manifest. So everything that the module
//! states of where a request goes and what is in it is held against the manifest: base URL and
//! variables, and of each function method, path, parameters with place, style and name on the
//! wire, body, `Accept`, responses, and credentials.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::api::{Body, Encoding, Function, Location, Manifest, Style};
use crate::pysyntax::module::{Arguments, ModuleFacts, Stub};
use crate::variables;

/// The first thing that the two disagree on.
pub(super) fn disagreement(manifest: &Manifest, module: &ModuleFacts) -> Option<String> {
    if module.server != manifest.server {
        return Some("the server's name".to_owned());
    }
    let api = api(manifest);
    if module.api != api {
        let names = api.keys().chain(module.api.keys());
        let differs = |name: &&String| module.api.get(*name) != api.get(*name);
        return names.into_iter().find(differs).map(|it| format!("`{it}`"));
    }
    if module.functions.len() != manifest.functions.len() {
        return Some("the number of functions".to_owned());
    }
    module
        .functions
        .iter()
        .zip(&manifest.functions)
        .find(|(stub, function)| !agree(manifest, stub, function))
        .map(|(_, function)| format!("`{}`", function.name))
}

/// The arguments of `Api(…)` that the manifest asks for.
fn api(manifest: &Manifest) -> Arguments {
    let auth = variables::of_server(&manifest.server, "AUTH");
    let mut arguments = Arguments::from([
        (
            "base_url_env".to_owned(),
            Value::from(manifest.base_url_env.as_str()),
        ),
        ("auth_env".to_owned(), Value::from(auth)),
    ]);
    if let Some(base_url) = &manifest.base_url {
        arguments.insert("base_url".to_owned(), Value::from(base_url.as_str()));
    }
    arguments
}

fn agree(manifest: &Manifest, stub: &Stub, function: &Function) -> bool {
    let parameters = function.parameters.iter();
    let declared = parameters.map(|it| (it.name.as_str(), it.required));
    let body = function.body.iter();
    let declared = declared.chain(body.map(|it| (it.name.as_str(), it.required)));
    let (mut all, mut required) = (Vec::new(), Vec::new());
    for (name, is_required) in declared {
        all.push(name);
        if is_required {
            required.push(name);
        }
    }
    (&stub.name, &stub.method, &stub.path) == (&function.name, &function.method, &function.path)
        && sorted(all) == sorted(stub.parameters.iter().map(String::as_str).collect())
        && sorted(required) == sorted(stub.required.iter().map(String::as_str).collect())
        && canonical(&stub.arguments) == canonical(&decorator(manifest, function))
}

/// How the properties of a form are spelt: a media type, or style, explode and allowReserved.
fn encoding_of_form(encoding: &BTreeMap<String, Encoding>) -> Value {
    let properties = encoding.iter().filter_map(|(property, encoding)| {
        let stated = match (encoding.style, &encoding.content_type) {
            (Some(style), _) => {
                let explode = encoding.explode.unwrap_or(style == Style::Form);
                json!([style, explode, encoding.allow_reserved])
            }
            (None, Some(content_type)) => json!(content_type),
            (None, None) => return None,
        };
        Some((property.clone(), stated))
    });
    Value::Object(properties.collect())
}

/// The headers that the parts of a form's properties have.
fn headers_of_form(encoding: &BTreeMap<String, Encoding>) -> Value {
    let with_headers = encoding.iter().filter(|(_, it)| !it.headers.is_empty());
    let stated = with_headers.map(|(property, it)| (property.clone(), json!(it.headers)));
    Value::Object(stated.collect())
}

/// What some statement says of each media type, where it says anything.
fn of_media(body: &Body, of: impl Fn(&BTreeMap<String, Encoding>) -> Value) -> Value {
    let others = body.alternatives.iter();
    let stated = std::iter::once((&body.content_type, &body.encoding))
        .chain(others.map(|it| (&it.content_type, &it.encoding)))
        .map(|(content_type, encoding)| (content_type.clone(), of(encoding)))
        .filter(|(_, stated)| stated.as_object().is_some_and(|it| !it.is_empty()));
    Value::Object(stated.collect())
}

fn sorted(mut names: Vec<&str>) -> Vec<&str> {
    names.sort_unstable();
    names
}

/// The arguments of the decorator that the manifest asks for.
fn decorator(manifest: &Manifest, function: &Function) -> Arguments {
    let mut arguments = Arguments::new();
    let mut say = |keyword: &str, value: Value| {
        let is_empty = match &value {
            Value::Array(items) => items.is_empty(),
            Value::Object(members) => members.is_empty(),
            _ => false,
        };
        if !is_empty {
            arguments.insert(keyword.to_owned(), value);
        }
    };
    let parameters = &function.parameters;
    for (keyword, location) in [
        ("path", Location::Path),
        ("query", Location::Query),
        ("header", Location::Header),
        ("cookie", Location::Cookie),
    ] {
        let there = parameters.iter().filter(|it| it.r#in == location);
        let stated = there.map(|it| (it.name.clone(), json!([it.style, it.explode, it.wire_name])));
        say(keyword, Value::Object(stated.collect()));
    }
    let reserved = parameters
        .iter()
        .filter(|it| it.allow_reserved && it.r#in == Location::Query)
        .map(|it| Value::from(it.name.as_str()));
    say("reserved", reserved.collect());
    let items = parameters.iter().filter(|it| !it.items_styles.is_empty());
    let items = items.map(|it| (it.name.clone(), json!(it.items_styles)));
    say("items", Value::Object(items.collect()));
    let content = parameters.iter().filter_map(|it| {
        let content_type = it.content_type.as_deref()?;
        Some((it.name.clone(), Value::from(content_type)))
    });
    say("content", Value::Object(content.collect()));
    if let Some(body) = &function.body {
        let others = body.alternatives.iter();
        let media = std::iter::once(&body.content_type).chain(others.map(|it| &it.content_type));
        let stated = std::iter::once(&body.name).chain(media);
        say(
            "body",
            stated.map(|text| Value::from(text.as_str())).collect(),
        );
        say("encoding", of_media(body, encoding_of_form));
        say("part_headers", of_media(body, headers_of_form));
    }
    if let Some(accept) = function.accept() {
        say("accept", Value::from(accept));
    }
    let responses = function.responses.iter();
    let responses = responses.map(|it| (it.status.clone(), json!(it.kind)));
    say("responses", Value::Object(responses.collect()));
    let mut places: Vec<Value> = Vec::new();
    for name in function.security.iter().flat_map(|schemes| schemes.keys()) {
        let scheme = manifest.security_schemes.get(name);
        if let Some((place, name)) =
            scheme.and_then(|scheme| Some((scheme.r#in.as_ref()?, scheme.name.as_ref()?)))
        {
            let stated = json!([place, name]);
            if !places.contains(&stated) {
                places.push(stated);
            }
        }
    }
    say("api_key", Value::Array(places));
    if function.security.is_empty() {
        say("auth", Value::Bool(false));
    }
    if let Some(base_url) = &function.base_url {
        say("base_url", Value::from(base_url.as_str()));
    }
    if let Some(pagination) = &function.pagination {
        let texts = pagination.texts().into_iter();
        say(
            "pages",
            Value::Object(
                texts
                    .map(|(key, text)| (key.to_owned(), text.into()))
                    .collect(),
            ),
        );
    }
    arguments
}

/// The same arguments with every default written out, and in an order of their own where order
/// means nothing.
fn canonical(arguments: &Arguments) -> Arguments {
    let mut arguments = arguments.clone();
    for keyword in ["path", "query", "header", "cookie"] {
        if let Some(Value::Object(members)) = arguments.get_mut(keyword) {
            let stated = std::mem::take(members);
            for (name, value) in stated {
                let value = parameter(&name, value);
                members.insert(name, value);
            }
        }
    }
    if let Some(Value::Object(forms)) = arguments.get_mut("encoding") {
        let properties = forms.values_mut().filter_map(Value::as_object_mut);
        for value in properties.flat_map(serde_json::Map::values_mut) {
            *value = property(value.take());
        }
    }
    for keyword in ["reserved", "api_key"] {
        if let Some(Value::Array(items)) = arguments.get_mut(keyword) {
            items.sort_by_cached_key(Value::to_string);
        }
    }
    arguments
}

/// A media type, or `"style"`, `(style, explode)` or `(style, explode, allow_reserved)`, always as
/// the last.
fn property(stated: Value) -> Value {
    let items = match stated {
        Value::String(text) if text.contains('/') => return Value::String(text),
        Value::Array(items) => items,
        other => vec![other],
    };
    match items.as_slice() {
        [style] => json!([style, *style == json!(Style::Form), false]),
        [style, explode] => json!([style, explode, false]),
        _ => Value::Array(items),
    }
}

/// `"style"`, `(style, explode)` or `(style, explode, name)`, always as the last.
fn parameter(name: &str, stated: Value) -> Value {
    let items = match stated {
        Value::Array(items) => items,
        other => vec![other],
    };
    match items.as_slice() {
        [style] => json!([style, *style == json!(Style::Form), name]),
        [style, explode] => json!([style, explode, name]),
        _ => Value::Array(items),
    }
}
