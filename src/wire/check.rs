//! Are these arguments a call of this function? Says so in the words of Python's `TypeError`.

use indexmap::IndexMap;
use serde_json::Value as Json;

use crate::api::{Function, Media, Parameter, schema};

use super::body::Chosen;
use super::value::is_integer;
use super::{ArgumentError, Arguments, Value};

/// As deep as an argument may be nested; encoding recurses as deep. The runner and the compiled
/// client (`templates/`) have the same number.
const MAX_DEPTH: usize = 100;
/// As many references are followed to find a schema's type.
const MAX_REFERENCES: usize = 16;
/// As many legal values are listed in an error.
const MAX_LISTED: usize = 10;

/// As many arguments of a function are listed in an error.
const MAX_NAMES: usize = 12;

type Types = IndexMap<String, Json>;

/// Checks names first, then types. Lenient where a schema is a union: the API judges that.
pub(super) fn check(
    function: &Function,
    types: &Types,
    arguments: &Arguments,
    body: Option<Chosen<'_>>,
) -> Result<(), ArgumentError> {
    check_names(function, arguments)?;
    for (name, value) in arguments {
        check_value(function, types, (name, value), body)
            .map_err(|problem| ArgumentError::argument(&function.name, name, &problem))?;
    }
    Ok(())
}

/// The argument that an unknown name probably stands for: the one of that wire name, or the one
/// most alike without regard to case and underscores.
fn nearest<'f>(function: &'f Function, name: &str, known: &[(&'f str, bool)]) -> Option<&'f str> {
    let by_wire_name = function
        .parameters
        .iter()
        .find(|parameter| parameter.wire_name == name);
    if let Some(parameter) = by_wire_name {
        return Some(&parameter.name);
    }
    let plain = |text: &str| text.replace(['_', '-'], "").to_lowercase();
    // The comparison is quadratic, and no name is this long.
    let name = plain(&name.chars().take(100).collect::<String>());
    known
        .iter()
        .map(|(known, _)| {
            (
                strsim::normalized_damerau_levenshtein(&plain(known), &name),
                *known,
            )
        })
        .filter(|(likeness, _)| *likeness >= 0.7)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, known)| known)
}

/// Which arguments a function takes, those that it needs first; in the words of the compiled client.
fn taken(known: &[(&str, bool)]) -> String {
    let needed = known.iter().filter(|(_, required)| *required);
    let optional = known.iter().filter(|(_, required)| !required);
    let names = needed.chain(optional).map(|(name, _)| format!("'{name}'"));
    let shown: Vec<String> = names.take(MAX_NAMES).collect();
    match (shown.is_empty(), known.len() > MAX_NAMES) {
        (true, _) => "it takes none".to_owned(),
        (_, false) => format!("it takes {}", shown.join(", ")),
        (_, true) => format!("it takes {}, …", shown.join(", ")),
    }
}

fn check_names(function: &Function, arguments: &Arguments) -> Result<(), ArgumentError> {
    let known: Vec<(&str, bool)> = function
        .parameters
        .iter()
        .map(|parameter| (parameter.name.as_str(), parameter.required))
        .chain(
            function
                .body
                .iter()
                .map(|body| (body.name.as_str(), body.required)),
        )
        .collect();
    let unknown = arguments
        .keys()
        .find(|name| known.iter().all(|(other, _)| other != name));
    if let Some(name) = unknown {
        let advice = match nearest(function, name, &known) {
            Some(near) => format!("did you mean '{near}'?"),
            None => taken(&known),
        };
        let message = format!(
            "{}() got an unexpected keyword argument '{name}'; {advice}",
            function.name
        );
        return Err(ArgumentError { message });
    }
    let missing: Vec<String> = known
        .iter()
        .filter(|(name, required)| *required && !arguments.contains_key(*name))
        .map(|(name, _)| format!("'{name}'"))
        .collect();
    let enumeration = match missing.as_slice() {
        [] => return Ok(()),
        [name] => name.clone(),
        [first, second] => format!("{first} and {second}"),
        [most @ .., last] => format!("{}, and {last}", most.join(", ")),
    };
    let plural = if missing.len() > 1 { "s" } else { "" };
    Err(ArgumentError {
        message: format!(
            "{}() missing {} required keyword-only argument{plural}: {enumeration}",
            function.name,
            missing.len(),
        ),
    })
}

fn check_value(
    function: &Function,
    types: &Types,
    (name, value): (&str, &Value),
    body: Option<Chosen<'_>>,
) -> Result<(), String> {
    if value.is_deeper_than(MAX_DEPTH) {
        return Err(format!("is nested deeper than {MAX_DEPTH} levels"));
    }
    if let Some(parameter) = function.parameters.iter().find(|item| item.name == name) {
        return check_parameter(parameter, types, value);
    }
    // What is not JSON has one type, whatever its schema says; the encoder knows which.
    let json = body.filter(|body| Media::of(body.content_type) == Media::Json);
    let Some(body) = json else {
        return Ok(());
    };
    check_plain(resolve(body.schema, types), None, value)
}

fn check_parameter(parameter: &Parameter, types: &Types, value: &Value) -> Result<(), String> {
    if parameter.nullable && *value == Value::Null {
        return Ok(());
    }
    let said = resolve(&parameter.schema, types);
    if let Value::Array(items) = value {
        check_type(said, value)?;
        let said = resolve(said.schema.get("items").unwrap_or(&Json::Null), types);
        for (index, item) in items.iter().enumerate() {
            check_plain(said, None, item).map_err(|problem| format!("item {index} {problem}"))?;
        }
        return Ok(());
    }
    check_plain(said, parameter.r#enum.as_ref(), value)
}

/// Type and legal values. Where the two of a document contradict each other (`type: string` with
/// `enum: [1.0]`, which YAML reads out of an unquoted version), a legal value is one.
fn check_plain(said: Said<'_>, listed: Option<&Vec<Json>>, value: &Value) -> Result<(), String> {
    if said.or_null && *value == Value::Null {
        return Ok(());
    }
    let only = said.schema.get("const").map(std::slice::from_ref);
    let legal = said.schema.get("enum").and_then(Json::as_array).or(listed);
    let legal = only.or(legal.map(Vec::as_slice));
    if legal.is_some_and(|legal| legal.iter().any(|item| equal(item, value))) {
        return Ok(());
    }
    check_type(said, value)?;
    check_legal(legal, said.or_null, value)
}

/// A schema that says something itself, and whether null is legal beside what it says.
#[derive(Clone, Copy)]
pub(crate) struct Said<'a> {
    /// It; null where nothing is said.
    pub(crate) schema: &'a Json,
    /// Whether null is legal too.
    pub(crate) or_null: bool,
}

/// Follows references, and the one alternative beside null, until a schema says something itself.
pub(crate) fn resolve<'a>(schema: &'a Json, types: &'a Types) -> Said<'a> {
    let mut said = Said {
        schema,
        or_null: false,
    };
    for _ in 0..MAX_REFERENCES {
        let schema = said.schema;
        if ["type", "enum", "const"]
            .iter()
            .any(|it| schema.get(it).is_some())
        {
            return said;
        }
        let beside_null = || {
            schema::beside_null(schema, "anyOf").or_else(|| schema::beside_null(schema, "oneOf"))
        };
        let next = match (schema.get("$ref"), schema.get("allOf")) {
            (Some(Json::String(reference)), _) => referred(reference, types),
            (None, Some(Json::Array(all))) if all.len() == 1 => all.first(),
            _ => match beside_null() {
                Some(next) => {
                    said.or_null = true;
                    Some(next)
                }
                None => return said,
            },
        };
        let Some(next) = next else {
            break;
        };
        said.schema = next;
    }
    Said {
        schema: &Json::Null,
        or_null: false,
    }
}

fn referred<'a>(reference: &str, types: &'a Types) -> Option<&'a Json> {
    let token = reference.strip_prefix("#/types/")?;
    let token = percent_encoding::percent_decode_str(token)
        .decode_utf8()
        .ok()?;
    types.get(&token.replace("~1", "/").replace("~0", "~"))
}

fn check_type(said: Said<'_>, value: &Value) -> Result<(), String> {
    let mut legal: Vec<&str> = match said.schema.get("type") {
        Some(Json::String(name)) => vec![name],
        Some(Json::Array(names)) => names.iter().filter_map(Json::as_str).collect(),
        _ => return Ok(()),
    };
    if legal.is_empty() || legal.iter().any(|name| is_of_type(name, value)) {
        return Ok(());
    }
    if said.or_null && !legal.contains(&"null") {
        legal.push("null");
    }
    let names: Vec<&str> = legal.iter().map(|name| python_name(name)).collect();
    Err(format!(
        "must be {}, not {}",
        names.join(" or "),
        value.type_name()
    ))
}

fn is_of_type(name: &str, value: &Value) -> bool {
    match name {
        "null" => matches!(value, Value::Null),
        "boolean" => matches!(value, Value::Bool(_)),
        "integer" => matches!(value, Value::Number(number) if is_integer(number)),
        "number" => matches!(value, Value::Number(_)),
        "string" => matches!(value, Value::String(_)),
        "array" => matches!(value, Value::Array(_)),
        "object" => matches!(value, Value::Object(_)),
        _ => true, // no type that JSON Schema knows: nothing to hold the value to
    }
}

fn python_name(name: &str) -> &'static str {
    match name {
        "null" => "None",
        "boolean" => "bool",
        "integer" => "int",
        "number" => "float",
        "string" => "str",
        "array" => "list",
        _ => "dict",
    }
}

fn check_legal(legal: Option<&[Json]>, or_null: bool, value: &Value) -> Result<(), String> {
    let Some(legal) = legal.filter(|legal| !legal.is_empty()) else {
        return Ok(());
    };
    if legal.iter().any(|item| equal(item, value)) {
        return Ok(());
    }
    let mut listed: Vec<String> = legal.iter().take(MAX_LISTED).map(shown).collect();
    if legal.len() > MAX_LISTED {
        listed.push("…".to_owned());
    }
    if or_null && !legal.contains(&Json::Null) {
        listed.push("None".to_owned());
    }
    let given = match value {
        Value::String(text) => quoted(text),
        Value::Number(number) => number.to_string(),
        other => other.type_name().to_owned(),
    };
    Err(format!("must be one of {}, not {given}", listed.join(", ")))
}

/// Numbers by value, all else exactly.
fn equal(legal: &Json, value: &Value) -> bool {
    match (legal, value) {
        (Json::Number(legal), Value::Number(value)) => {
            legal == value || (legal.as_f64().is_some() && legal.as_f64() == value.as_f64())
        }
        (Json::String(legal), Value::String(value)) => legal == value,
        (Json::Bool(legal), Value::Bool(value)) => legal == value,
        (Json::Null, Value::Null) => true,
        (Json::Array(_) | Json::Object(_), Value::Array(_) | Value::Object(_)) => {
            Value::from(legal.clone()) == *value
        }
        _ => false,
    }
}

/// A legal value as Python spells it.
fn shown(value: &Json) -> String {
    match value {
        Json::Null => "None".to_owned(),
        Json::Bool(true) => "True".to_owned(),
        Json::Bool(false) => "False".to_owned(),
        Json::String(text) => quoted(text),
        other => other.to_string().chars().take(80).collect(),
    }
}

fn quoted(text: &str) -> String {
    const LONGEST: usize = 80;
    let shortened: String = text.chars().take(LONGEST).collect();
    let ellipsis = if text.chars().nth(LONGEST).is_some() {
        "…"
    } else {
        ""
    };
    let escaped: String = shortened
        .chars()
        .flat_map(|character| {
            let is_plain = character == '"' || !character.is_ascii();
            let escaped = (!is_plain).then(|| character.escape_default());
            let plain = is_plain.then_some(character);
            plain.into_iter().chain(escaped.into_iter().flatten())
        })
        .collect();
    format!("'{escaped}{ellipsis}'")
}
