//! Makes up arguments for every function of compiled servers and writes, a line of JSON each, what
//! `wire` makes of them. `agreement.py` asks the outside backend the same; see `scripts/agreement`.
//!
//! Usage: `agreement COMPILED SEED SETS`. The same seed gives the same arguments.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a tool for developers, whose output is its only effect"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use indexmap::IndexMap;
use mce::api::{Body, Function, Location, Manifest, Media};
use mce::wire::{self, Arguments, Value};
use serde_json::{Map, Value as Json, json};

/// How deep made-up values are nested.
const DEEPEST: usize = 5;

/// Texts that break careless encoders. Neither `.` nor `..`: no URL can hold those as a segment.
const TEXTS: &[&str] = &[
    "",
    "plain",
    "two words",
    "a/b?c=d&e#f",
    "100%",
    "%2F%zz",
    "a+b",
    "ünïcödé ☃ 𝄞",
    "quote\"'\\",
    "line\r\nbreak\ttab",
    "[x]{y}|z^`",
    ":/?#[]@!$&'()*+,;=",
    "a,b;c|d e",
    "null",
    "true",
    "<xml>&amp;</xml>",
    "\u{feff}\u{2028}\u{0}",
    "%22; filename=\"x",
    "--boundary",
];
/// Texts that fit everywhere, headers included.
const PLAIN: &[&str] = &["a", "plain", "two words", "x-1_2.3~", "(a)=b", "*/*"];
/// Numbers as Python spells them.
const INTEGERS: &[&str] = &[
    "0",
    "1",
    "-7",
    "42",
    "9007199254740993",
    "123456789012345678901234567890",
];
const FLOATS: &[&str] = &["0.1", "-0.0", "2.5", "1e-07", "1e+16", "123456.789", "3.0"];

/// How demanding a set of arguments is.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    /// What must be given, plainly.
    Required,
    /// Everything, plainly.
    All,
    /// Everything, at its worst.
    Awkward,
}

/// The generator `SplitMix64`.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % (bound.max(1) as u64)).unwrap_or(0)
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }
}

/// A number of the document in the spelling it has once Python has read it: `1e3` is `1000.0`.
fn as_python_spells(value: &Json) -> Json {
    match value {
        Json::Number(number) if number.as_str().contains(['e', 'E']) => number
            .as_f64()
            .filter(|float| (1e-4..1e16).contains(&float.abs()))
            .and_then(|float| serde_json::from_str(&format!("{float:?}")).ok())
            .unwrap_or(Json::from(0)),
        other => other.clone(),
    }
}

/// Makes up values of schemas.
struct Sampler<'a> {
    types: &'a IndexMap<String, Json>,
    random: Random,
    mode: Mode,
    /// Whether bytes are possible: in forms.
    takes_files: bool,
}

impl Sampler<'_> {
    fn text(&mut self) -> String {
        let pool = if self.mode == Mode::Awkward {
            TEXTS
        } else {
            PLAIN
        };
        self.random
            .pick(pool)
            .copied()
            .unwrap_or_default()
            .to_owned()
    }

    fn number(&mut self, pool: &[&str]) -> Json {
        let spelt = self.random.pick(pool).copied().unwrap_or("0");
        serde_json::from_str(spelt).unwrap_or(Json::Null)
    }

    fn file(&mut self) -> Json {
        let bytes = json!({"$bytes": BASE64.encode(self.text())});
        match self.random.below(3) {
            0 => bytes,
            1 => json!([self.text(), bytes]),
            _ => json!([self.text(), bytes, "image/png"]),
        }
    }

    fn of(&mut self, schema: &Json, depth: usize) -> Json {
        let Json::Object(members) = schema else {
            return self.anything(depth);
        };
        if let Some(name) = members.get("$ref").and_then(Json::as_str) {
            let name = name.trim_start_matches("#/types/");
            return match self.types.get(name).filter(|_| depth < DEEPEST) {
                Some(target) => {
                    let target = target.clone();
                    self.of(&target, depth + 1)
                }
                None => Json::Object(Map::new()),
            };
        }
        if let Some(value) = members.get("const") {
            return as_python_spells(value);
        }
        if let Some(Json::Array(values)) = members.get("enum") {
            return self
                .random
                .pick(values)
                .map_or(Json::Null, as_python_spells);
        }
        // Beside a type or properties, alternatives mostly say which keys belong together.
        let is_typed = ["type", "properties", "items"]
            .iter()
            .any(|keyword| members.contains_key(*keyword));
        for keyword in ["oneOf", "anyOf"].iter().filter(|_| !is_typed).copied() {
            if let Some(Json::Array(parts)) = members.get(keyword)
                && let Some(part) = self.random.pick(parts).cloned()
                && depth < DEEPEST
            {
                return self.of(&part, depth + 1);
            }
        }
        if let Some(Json::Array(parts)) = members.get("allOf")
            && depth < DEEPEST
        {
            let mut merged = Map::new();
            for part in parts {
                match self.of(part, depth + 1) {
                    Json::Object(found) => merged.extend(found),
                    other if parts.len() == 1 => return other,
                    _ => {}
                }
            }
            merged.extend(self.object(members, depth));
            return Json::Object(merged);
        }
        let names: Vec<&str> = match members.get("type") {
            Some(Json::String(name)) => vec![name],
            Some(Json::Array(names)) => names.iter().filter_map(Json::as_str).collect(),
            _ if members.contains_key("properties") => vec!["object"],
            _ if members.contains_key("items") => vec!["array"],
            _ => return self.anything(depth),
        };
        let kind = self.random.pick(&names).copied().unwrap_or("null");
        self.typed(kind, members, depth)
    }

    fn typed(&mut self, kind: &str, members: &Map<String, Json>, depth: usize) -> Json {
        let is_file = members.get("format").and_then(Json::as_str) == Some("binary");
        match kind {
            "boolean" => json!(self.random.below(2) == 0),
            "integer" => self.number(INTEGERS),
            "number" if self.random.below(2) == 0 => self.number(INTEGERS),
            "number" => self.number(FLOATS),
            "string" if is_file && self.takes_files => self.file(),
            "string" => json!(self.text()),
            "array" if depth >= DEEPEST => json!([]),
            "array" => {
                let items = members.get("items").cloned().unwrap_or(Json::Bool(true));
                let count = if self.mode == Mode::Required {
                    1
                } else {
                    self.random.below(4)
                };
                (0..count).map(|_| self.of(&items, depth + 1)).collect()
            }
            "object" => Json::Object(self.object(members, depth)),
            _ => Json::Null,
        }
    }

    fn object(&mut self, members: &Map<String, Json>, depth: usize) -> Map<String, Json> {
        let mut object = Map::new();
        let required: Vec<&str> = members
            .get("required")
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
            .filter_map(Json::as_str)
            .collect();
        let properties = members.get("properties").and_then(Json::as_object);
        for (name, property) in properties.into_iter().flatten() {
            let is_wanted = match self.mode {
                Mode::Required => false,
                Mode::All => depth < DEEPEST,
                Mode::Awkward => depth < DEEPEST && self.random.below(3) > 0,
            };
            if required.contains(&name.as_str()) || is_wanted {
                object.insert(name.clone(), self.of(property, depth + 1));
            }
        }
        if self.mode == Mode::Awkward && properties.is_none() {
            let further = members.get("additionalProperties").cloned();
            for _ in 0..self.random.below(3) {
                let key = self.text();
                let value = self.of(&further.clone().unwrap_or(Json::Bool(true)), depth + 1);
                object.insert(key, value);
            }
        }
        object
    }

    fn anything(&mut self, depth: usize) -> Json {
        match self.random.below(if depth < DEEPEST { 7 } else { 5 }) {
            0 => Json::Null,
            1 => self.number(INTEGERS),
            2 => self.number(FLOATS),
            3 => json!(true),
            4 => json!(self.text()),
            5 => json!([self.text(), self.anything(depth + 1)]),
            _ => json!({self.text(): self.anything(depth + 1)}),
        }
    }
}

/// One set of arguments, as the vectors write them.
fn arguments(
    function: &Function,
    media: Option<(&str, &Json)>,
    sampler: &mut Sampler<'_>,
) -> Map<String, Json> {
    let mut arguments = Map::new();
    let mode = sampler.mode;
    for parameter in &function.parameters {
        if !parameter.required && mode == Mode::Required {
            continue;
        }
        if mode == Mode::Awkward && matches!(parameter.r#in, Location::Header | Location::Cookie) {
            // Mostly what a header can hold; now and then what it cannot, to compare refusals.
            sampler.mode = if sampler.random.below(4) == 0 {
                Mode::Awkward
            } else {
                Mode::All
            };
        }
        let value = match &parameter.r#enum {
            Some(values) => {
                let value = sampler.random.pick(values);
                value.map_or(Json::Null, as_python_spells)
            }
            None => sampler.of(&parameter.schema, 0),
        };
        sampler.mode = mode;
        arguments.insert(parameter.name.clone(), value);
    }
    if let (Some(body), Some((content_type, schema))) = (&function.body, media)
        && (body.required || mode != Mode::Required)
    {
        arguments.insert(body.name.clone(), body_value(content_type, schema, sampler));
    }
    arguments
}

fn body_value(content_type: &str, schema: &Json, sampler: &mut Sampler<'_>) -> Json {
    match Media::of(content_type) {
        Media::Text | Media::Events | Media::Lines => json!(sampler.text()),
        Media::Binary => json!({"$bytes": BASE64.encode(sampler.text())}),
        Media::Json | Media::Range => sampler.of(schema, 0),
        Media::Form | Media::Multipart => {
            sampler.takes_files = Media::of(content_type) == Media::Multipart;
            let value = sampler.of(schema, 0);
            sampler.takes_files = false;
            match value {
                // The others are refused by both; once in a while is enough.
                other @ (Json::Object(_) | Json::Null) => other,
                other => json!({"x": other}),
            }
        }
    }
}

/// A vector's value as an argument.
fn unpacked(value: &Json) -> Value {
    match value {
        Json::Object(members) => match members.get("$bytes").and_then(Json::as_str) {
            Some(text) => Value::Bytes(BASE64.decode(text).unwrap_or_default().into()),
            None => Value::Object(
                members
                    .iter()
                    .map(|(key, value)| (key.clone(), unpacked(value)))
                    .collect(),
            ),
        },
        Json::Array(items) => Value::Array(items.iter().map(unpacked).collect()),
        other => Value::from(other.clone()),
    }
}

/// What is selected, and the media type with its schema that a body is made up for.
type Selection<'a> = (Option<String>, Option<(&'a str, &'a Json)>);

/// The media types a body is asked for as: `None` unasked, and every other one by name.
fn selections(body: Option<&Body>) -> Vec<Selection<'_>> {
    let Some(body) = body else {
        return vec![(None, None)];
    };
    let mut found = vec![(None, Some((body.content_type.as_str(), &body.schema)))];
    for other in &body.alternatives {
        let name = match other.content_type.as_str() {
            "*/*" => "application/x-made-up".to_owned(),
            name => name.replace('*', "x-made-up"),
        };
        found.push((Some(name), Some((&other.content_type, &other.schema))));
    }
    found
}

fn encoded(
    function: &Function,
    types: &IndexMap<String, Json>,
    given: &Map<String, Json>,
    selected: Option<&str>,
) -> Json {
    let arguments: Arguments = given
        .iter()
        .map(|(name, value)| (name.clone(), unpacked(value)))
        .collect();
    match wire::encode(function, types, &arguments, selected) {
        Err(error) => json!({"error": error.to_string()}),
        Ok(request) => {
            let mut headers: BTreeMap<String, String> = request
                .headers
                .into_iter()
                .map(|(name, value)| (name.to_ascii_lowercase(), value))
                .collect();
            let cookies: Vec<String> = request
                .cookies
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            if !cookies.is_empty() {
                headers.insert("cookie".to_owned(), cookies.join("; "));
            }
            // A document may declare these as parameters, which then go first.
            for (name, value) in [
                ("user-agent", wire::USER_AGENT),
                ("accept-encoding", wire::ACCEPT_ENCODING),
            ] {
                headers
                    .entry(name.to_owned())
                    .or_insert_with(|| value.to_owned());
            }
            let mut target = request.path;
            if !request.query.is_empty() {
                target.push('?');
                target.push_str(&request.query.join("&"));
            }
            json!({
                "method": request.method, "target": target, "headers": headers,
                "body": request.body.map(|body| BASE64.encode(body)),
            })
        }
    }
}

fn server(folder: &Path, seed: u64, sets: usize) -> Result<(), String> {
    let text = std::fs::read_to_string(folder.join("manifest.json"));
    let text = text.map_err(|error| error.to_string())?;
    let manifest: Manifest = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    for (index, function) in manifest.functions.iter().enumerate() {
        for (number, (selected, media)) in selections(function.body.as_ref()).iter().enumerate() {
            for set in 0..sets {
                let mode = match set {
                    0 => Mode::Required,
                    1 => Mode::All,
                    _ => Mode::Awkward,
                };
                let position = [index, number, set].map(|part| part as u64);
                let mut sampler = Sampler {
                    types: &manifest.types,
                    random: Random(position.iter().fold(seed, |mixed, part| {
                        Random(mixed ^ part.wrapping_mul(0x2545_f491_4f6c_dd1d)).next()
                    })),
                    mode,
                    takes_files: false,
                };
                let given = arguments(function, *media, &mut sampler);
                let outcome = encoded(function, &manifest.types, &given, selected.as_deref());
                let line = json!({
                    "server": manifest.server, "function": function.name,
                    "arguments": given, "select": selected, "wire": outcome,
                });
                println!("{line}");
            }
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, seed, sets] = arguments.as_slice() else {
        eprintln!("usage: agreement COMPILED SEED SETS");
        return ExitCode::from(2);
    };
    let (Ok(seed), Ok(sets)) = (seed.parse(), sets.parse()) else {
        eprintln!("SEED and SETS are numbers");
        return ExitCode::from(2);
    };
    let Ok(entries) = std::fs::read_dir(folder) else {
        eprintln!("cannot read {folder}");
        return ExitCode::from(2);
    };
    let mut folders: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    for folder in folders
        .iter()
        .filter(|it| it.join("manifest.json").is_file())
    {
        if let Err(error) = server(folder, seed, sets) {
            eprintln!("{}: {error}", folder.display());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
