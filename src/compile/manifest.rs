//! Puts a manifest together, all but its warnings and its fingerprint.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use indexmap::IndexMap;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{FUNCTIONS_FILE, SKILLS_FILE};
use crate::api::{
    Alternative, Body, Function, MANIFEST_VERSION, Manifest, NamedApi, Operation, OperationBody,
    OperationNames, Parameter, RUNTIME_ABI, Response, Spec, schema,
};
use crate::config::ServerConfig;
use crate::python::{Rendered, RenderedFunction};

/// The compiler as manifests name it.
pub(super) const COMPILER: &str = concat!("mce ", env!("CARGO_PKG_VERSION"));
/// A hash of the sources that the output depends on, see `build.rs`: one version has many states
/// while it is worked on.
pub(super) const SOURCES: &str = env!("COMPILER_SOURCES");

/// What a manifest is made of.
pub(super) struct Inputs<'a> {
    pub(super) server: &'a ServerConfig,
    pub(super) title: &'a str,
    pub(super) bytes: &'a [u8],
    /// The further documents it refers to, by name.
    pub(super) files: &'a BTreeMap<String, Vec<u8>>,
    pub(super) named: &'a NamedApi,
    pub(super) rendered: &'a Rendered,
    /// The text of `skills.md`.
    pub(super) skills: Option<&'a str>,
}

/// The manifest of a rendered API.
pub(super) fn assemble(inputs: &Inputs<'_>) -> Manifest {
    let Inputs {
        server,
        named,
        rendered,
        ..
    } = inputs;
    let mut copies = Copies::new();
    let mut nullable = Nullable {
        types: &named.types,
        known: HashMap::new(),
    };
    let functions: Vec<Function> = named
        .api
        .operations
        .iter()
        .zip(&named.names)
        .zip(&rendered.functions)
        .map(|((operation, names), rendered)| {
            function(
                named,
                operation,
                names,
                rendered,
                &mut copies,
                &mut nullable,
            )
        })
        .collect();
    let hashes = |(name, bytes): (&String, &Vec<u8>)| (name.clone(), sha256_hex(bytes));
    Manifest {
        manifest_version: MANIFEST_VERSION,
        runtime_abi: RUNTIME_ABI,
        server: server.name.clone(),
        title: inputs.title.to_owned(),
        description: named.api.description.clone(),
        spec: Spec {
            version: named.api.version.clone(),
            source: source_text(server),
            files: inputs.files.iter().map(hashes).collect(),
            sha256: sha256_hex(inputs.bytes),
        },
        compiler: COMPILER.to_owned(),
        fingerprint: String::new(),
        read_only: server.is_read_only,
        base_url: named.api.base_url.clone(),
        base_url_env: server.env_name("BASE_URL"),
        security_schemes: named.api.security_schemes.clone(),
        outputs: [
            (FUNCTIONS_FILE, Some(rendered.source.as_str())),
            (SKILLS_FILE, inputs.skills),
        ]
        .into_iter()
        .filter_map(|(name, text)| Some((name.to_owned(), sha256_hex(text?.as_bytes()))))
        .collect(),
        types: needed_types(named),
        functions,
        skipped: named.api.skipped.clone(),
        warnings: Vec::new(),
    }
}

fn function<'n>(
    named: &'n NamedApi,
    operation: &'n Operation,
    given: &OperationNames,
    rendered: &RenderedFunction,
    copies: &mut Copies,
    nullable: &mut Nullable<'n>,
) -> Function {
    let mut parameters: Vec<Parameter> = operation
        .parameters
        .iter()
        .zip(&given.parameters)
        .zip(&rendered.parameters)
        .map(|((parameter, name), kind)| {
            let keyword = |name| schema::keyword(&parameter.schema, name, &named.types);
            let nullable = nullable.of(&parameter.schema);
            Parameter {
                name: name.clone(),
                wire_name: parameter.wire_name.clone(),
                r#in: parameter.location,
                required: parameter.required,
                r#type: kind.clone(),
                style: parameter.style,
                explode: parameter.explode,
                allow_reserved: parameter.allow_reserved,
                items_styles: parameter.items_styles.clone(),
                content_type: parameter.content_type.clone(),
                nullable,
                default: keyword("default")
                    .filter(|value| copies.has_room_for(value))
                    .cloned(),
                r#enum: keyword("enum")
                    .filter(|value| copies.has_room_for(value))
                    .and_then(Value::as_array)
                    .map(|values| {
                        let mut values = values.clone();
                        if nullable && !values.iter().any(Value::is_null) {
                            values.push(Value::Null);
                        }
                        values
                    }),
                description: parameter.description.clone(),
                schema: schema::without_examples(&parameter.schema),
            }
        })
        .collect();
    parameters.sort_by_key(|parameter| !parameter.required);
    let body = operation.body.as_ref().map(|body| Body {
        name: given.body.clone().unwrap_or_default(),
        content_type: body.content_type.clone(),
        required: body.required,
        r#type: rendered.body.first().cloned().unwrap_or_default(),
        alternatives: body
            .alternatives
            .iter()
            .zip(rendered.body.iter().skip(1))
            .map(|(media, kind)| Alternative {
                content_type: media.content_type.clone(),
                r#type: kind.clone(),
                schema: schema::without_examples(&media.schema),
                encoding: media.encoding.clone(),
            })
            .collect(),
        encoding: body.encoding.clone(),
        schema: schema::without_examples(&body.schema),
    });
    Function {
        name: given.function.clone(),
        operation_id: operation.operation_id.clone(),
        method: operation.method.clone(),
        path: operation.path.clone(),
        base_url: operation.server.own().map(str::to_owned),
        tags: operation.tags.clone(),
        summary: rendered.summary.clone(),
        deprecated: operation.deprecated,
        parameters,
        body,
        returns: rendered.returns.clone(),
        responses: operation
            .responses
            .iter()
            .map(|response| Response {
                schema: schema::without_examples(&response.schema),
                ..response.clone()
            })
            .collect(),
        security: operation.security.clone(),
        pagination: rendered.pagination.clone(),
    }
}

/// Which schemas may be null. Many parameters may refer to one that lists thousands of values.
struct Nullable<'a> {
    types: &'a IndexMap<String, Value>,
    /// By the reference, where that is all of a schema.
    known: HashMap<&'a str, bool>,
}

impl<'a> Nullable<'a> {
    fn of(&mut self, schema: &'a Value) -> bool {
        let members = schema.as_object().filter(|members| members.len() == 1);
        let reference = members.and_then(|members| members.get("$ref")?.as_str());
        let is_nullable = || schema::is_nullable(schema, self.types);
        match reference {
            Some(reference) => *self.known.entry(reference).or_insert_with(is_nullable),
            None => is_nullable(),
        }
    }
}

/// Values that parameters may copy, each and all together.
const MOST_VALUES: usize = 500;
const MOST_VALUES_IN_ALL: usize = 500_000;
/// Bytes of their text.
const MOST_TEXT: usize = 16 << 10;
const MOST_TEXT_IN_ALL: usize = 16 << 20;

/// What parameters may still copy of defaults and legal values: many of them may refer to one
/// schema, which has these itself.
struct Copies {
    values: usize,
    text: usize,
}

impl Copies {
    fn new() -> Self {
        Self {
            values: MOST_VALUES_IN_ALL,
            text: MOST_TEXT_IN_ALL,
        }
    }

    /// Whether a value is small enough; if so, it counts.
    fn has_room_for(&mut self, value: &Value) -> bool {
        let (mut values, mut text) = (MOST_VALUES, MOST_TEXT);
        let mut parts = vec![value];
        while let Some(part) = parts.pop() {
            let bytes = match part {
                Value::String(text) => text.len(),
                Value::Number(number) => number.as_str().len(),
                Value::Array(items) if items.len() <= values => {
                    parts.extend(items);
                    0
                }
                Value::Object(members) if members.len() <= values => {
                    parts.extend(members.values());
                    members.keys().map(String::len).sum()
                }
                Value::Array(_) | Value::Object(_) => return false,
                Value::Null | Value::Bool(_) => 0,
            };
            let (Some(fewer), Some(less)) = (values.checked_sub(1), text.checked_sub(bytes)) else {
                return false;
            };
            (values, text) = (fewer, less);
        }
        let values = self.values.checked_sub(MOST_VALUES - values);
        let text = self.text.checked_sub(MOST_TEXT - text);
        let (Some(values), Some(text)) = (values, text) else {
            return false;
        };
        *self = Self { values, text };
        true
    }
}

/// The types that the kept operations reach.
fn needed_types(named: &NamedApi) -> IndexMap<String, Value> {
    let schemas = named.api.operations.iter().flat_map(|operation| {
        let parameters = operation.parameters.iter().map(|it| &it.schema);
        let body = operation.body.iter().flat_map(OperationBody::media);
        let responses = operation.responses.iter().map(|it| &it.schema);
        parameters
            .chain(body.map(|(_, schema)| schema))
            .chain(responses)
    });
    let needed = schema::reachable(schemas, &named.types);
    let kept = named
        .types
        .iter()
        .filter(|(name, _)| needed.contains(*name));
    kept.map(|(name, value)| (name.clone(), schema::without_examples(value)))
        .collect()
}

/// `swagger_url` as the config spells it: variables unexpanded and without their defaults, no
/// user name, password, query or fragment.
pub(super) fn shown(server: &ServerConfig) -> String {
    let mut text = String::new();
    let mut rest = server.swagger_url.text.trim();
    while let Some((before, inside)) = rest.split_once("${") {
        let (variable, after) = inside.split_once('}').unwrap_or((inside, ""));
        let name = variable.split(":-").next().unwrap_or_default();
        text.push_str(before);
        let _ = write!(text, "${{{name}}}");
        rest = after;
    }
    text.push_str(rest);
    let without_query = |text: &str| {
        let text = text.split(['?', '#']).next().unwrap_or_default();
        text.to_owned()
    };
    if let Some((scheme, rest)) = text.split_once("://") {
        let rest = without_query(rest);
        let end = rest.find('/').unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let host = authority.rsplit('@').next().unwrap_or_default();
        return format!("{scheme}://{host}{path}");
    }
    if text.contains("${") {
        // The variable may stand for the start of a URL, so that this is one too.
        return without_query(&text);
    }
    text
}

/// [`shown`], and of an absolute path the file's name only: what the manifest may hold.
pub(super) fn source_text(server: &ServerConfig) -> String {
    let text = shown(server);
    if text.starts_with(['/', '\\', '~']) || text.get(1..3) == Some(":\\") {
        return text
            .rsplit(['/', '\\'])
            .next()
            .unwrap_or_default()
            .to_owned();
    }
    text
}

/// SHA-256 in hexadecimal digits.
pub(super) fn sha256_hex(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Template;

    #[test]
    fn only_small_values_are_copied_and_not_without_end() {
        let mut copies = Copies::new();
        let list = |count: usize| Value::from(vec!["a"; count]);
        assert!(copies.has_room_for(&list(499)) && !copies.has_room_for(&list(500)));
        assert!(!copies.has_room_for(&Value::from("a".repeat(MOST_TEXT + 1))));
        assert!(!copies.has_room_for(&Value::from_iter([("a".repeat(MOST_TEXT + 1), 1)])));
        let kept = (0..2000).filter(|_| copies.has_room_for(&list(499)));
        assert_eq!(kept.count(), 999);
        assert!(!copies.has_room_for(&list(499)));
    }

    #[test]
    fn sources_hold_no_secret_and_no_machine_path() {
        for (spelt, expected) in [
            ("specs/api.yaml", "specs/api.yaml"),
            ("/home/me/specs/api.yaml", "api.yaml"),
            (
                "https://u:p@h.example/api.json?key=1#x",
                "https://h.example/api.json",
            ),
            (
                "${BASE:-https://u:p@h.example}/a.json?key=${KEY:-secret}",
                "${BASE}/a.json",
            ),
            ("${SPECDIR}/doc.json?p=hunter2", "${SPECDIR}/doc.json"),
            (
                "https://${USER}:${PASSWORD}@h.example/a",
                "https://h.example/a",
            ),
        ] {
            let server = ServerConfig {
                swagger_url: Template {
                    text: spelt.to_owned(),
                    place: String::new(),
                },
                ..ServerConfig::default()
            };
            assert_eq!(source_text(&server), expected);
        }
    }
}
