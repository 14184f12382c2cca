//! The whole of `functions.py`.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::rc::Rc;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, context};
use serde_json::Value;

use super::check::{ModuleError, check_module};
use super::class_text::render_class;
use super::classes::{Classes, Types};
use super::code::{Code, WIDTH};
use super::examples::Examples;
use super::functions::{Argument, decorator, documentation, signature, summary};
use super::text::{docstring, one_line, prose, string_literal};
use super::types::{Alias, PythonType};
use crate::api::identifiers::type_name;
use crate::api::{
    Media, NamedApi, Operation, OperationBody, OperationNames, Pagination, ResponseKind, successes,
};
use crate::variables;

const TEMPLATE: &str = include_str!("../../templates/functions.py.jinja");
/// Classes of `mce_runtime` that stubs return.
const EVENT_STREAM: &str = "EventStream";
const ITEM_STREAM: &str = "ItemStream";
const LONGEST_TITLE: usize = 120;
const LONGEST_DESCRIPTION: usize = 2_000;

/// Which server a module is for.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The server's identifier.
    pub server: &'a str,
    /// What people call it.
    pub title: &'a str,
}

/// A rendered module.
#[derive(Debug, Clone)]
pub struct Rendered {
    /// The text of `functions.py`.
    pub source: String,
    /// One entry for each operation, in the order of the API.
    pub functions: Vec<RenderedFunction>,
    /// What was left out.
    pub warnings: Vec<String>,
}

/// The type texts of one stub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedFunction {
    /// One line on what it does.
    pub summary: String,
    /// The types of the operation's parameters, in its order.
    pub parameters: Vec<String>,
    /// The types of the body, one for each of its media types.
    pub body: Vec<String>,
    /// What is returned.
    pub returns: String,
    /// How further pages are reached.
    pub pagination: Option<Pagination>,
}

/// Renders an API.
///
/// # Errors
///
/// Where the rendered text is not what the closed grammar allows, which is a fault of the
/// renderer: nothing a document holds should bring it about.
pub fn render(api: &NamedApi, target: Target<'_>) -> Result<Rendered, ModuleError> {
    let rendered = render_unchecked(api, target)?;
    check_module(&rendered.source)?;
    Ok(rendered)
}

/// Renders an API for a caller that holds the text against the closed grammar itself, with
/// [`check_module`].
///
/// # Errors
///
/// Where the template cannot be filled in.
pub fn render_unchecked(api: &NamedApi, target: Target<'_>) -> Result<Rendered, ModuleError> {
    let mut types = Types::new(&api.types);
    for operation in &api.api.operations {
        for parameter in &operation.parameters {
            types.note_sent(&parameter.schema);
        }
        let media = operation.body.iter().flat_map(OperationBody::media);
        for (content_type, schema) in media {
            types.note_sent(schema);
            if is_form(content_type) {
                types.note_form(schema);
            }
        }
        for response in successes(&operation.responses) {
            types.note_received(&response.schema);
        }
    }
    let mut used: BTreeSet<String> = BTreeSet::new();
    let mut described = Vec::new();
    let mut functions = Vec::new();
    for (operation, names) in api.api.operations.iter().zip(&api.names) {
        let (stub, function) = type_stub(operation, names, &mut types, &mut used);
        described.push(stub);
        functions.push(function);
    }
    let Classes {
        by_name: classes,
        aliases,
        are_cut,
    } = types.into_classes();
    let mut warnings = Vec::new();
    if are_cut {
        warnings.push(
            "the document describes more object keys than a module can hold, most of them \
             inherited; further objects have the type `dict[str, Any]`"
                .to_owned(),
        );
    }
    let mut examples = Examples::new(&classes, &api.types);
    let stubs: Vec<minijinja::Value> = described
        .iter()
        .map(|stub| render_stub(api, stub, &mut examples))
        .collect();
    let alias_names = aliases.iter().map(|alias| alias.name.as_str());
    let class_names = classes.keys().map(String::as_str);
    let class_names: BTreeSet<&str> = class_names.chain(alias_names).collect();
    let rendered_classes: Vec<String> = classes
        .values()
        .map(|class| render_class(class, &class_names, &api.types, &mut used))
        .collect();
    let rendered_aliases = render_aliases(&aliases, &mut used);
    let mut environment = Environment::new();
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build()
        .map_err(|error| ModuleError::Template(error.to_string()))?;
    environment.set_syntax(syntax);
    let source = environment
        .render_named_str(
            "functions.py",
            TEMPLATE,
            context! {
                docstring => module_docstring(api, target),
                typing => typing_import(&used),
                streams => streams(&used),
                api => api_line(api, target),
                classes => rendered_classes,
                aliases => rendered_aliases,
                functions => stubs,
            },
        )
        .map_err(|error| ModuleError::Template(error.to_string()))?;
    let source = format!("{}\n", source.trim_end());
    Ok(Rendered {
        source,
        functions,
        warnings,
    })
}

/// The definitions of those names that are used. Python evaluates them, so they stand after all
/// classes.
fn render_aliases(aliases: &[Rc<Alias>], used: &mut BTreeSet<String>) -> Vec<String> {
    let mut rendered = Vec::new();
    for Alias { name, kind } in aliases.iter().rev().map(Rc::as_ref) {
        if used.contains(name) {
            kind.names(used);
            let definition = Code::around(format!("{name} = "), kind.code(), "");
            rendered.push(definition.laid_out(0, 0, 0));
        }
    }
    rendered.reverse();
    rendered
}

/// A stub whose types are known.
struct TypedStub<'a> {
    operation: &'a Operation,
    names: &'a OperationNames,
    arguments: Vec<Argument<'a>>,
    returns: PythonType,
    pagination: Option<Pagination>,
}

/// One operation's stub, for the template.
fn render_stub<'a>(
    api: &NamedApi,
    stub: &TypedStub<'a>,
    examples: &mut Examples<'a>,
) -> minijinja::Value {
    let TypedStub {
        operation,
        names,
        arguments,
        returns,
        pagination,
    } = stub;
    let pagination = pagination.as_ref();
    context! {
        decorator => decorator(api, operation, names, pagination),
        signature => signature(&names.function, arguments, returns),
        docstring => documentation(
            &names.function, operation, arguments, returns, pagination, examples, &api.types,
        ),
    }
}

/// One operation's stub with its types, and their texts. `used` gathers the names that the types
/// need.
fn type_stub<'a>(
    operation: &'a Operation,
    names: &'a OperationNames,
    types: &mut Types<'a>,
    used: &mut BTreeSet<String>,
) -> (TypedStub<'a>, RenderedFunction) {
    let camel = type_name(&names.function);
    types.set_purpose(true);
    let mut arguments: Vec<Argument<'_>> = operation
        .parameters
        .iter()
        .zip(&names.parameters)
        .map(|(parameter, name)| Argument {
            name,
            kind: types.of(&parameter.schema, &format!("{camel}{}", type_name(name))),
            required: parameter.required,
            description: &parameter.description,
            schema: &parameter.schema,
            media: Vec::new(),
        })
        .collect();
    let parameters = arguments
        .iter()
        .map(|argument| argument.kind.text())
        .collect();
    let mut body_types = Vec::new();
    if let (Some(body), Some(name)) = (&operation.body, &names.body) {
        let kinds = types_of_body(body, types, &format!("{camel}Body"));
        body_types = kinds.iter().map(PythonType::text).collect();
        let media = body.media().map(|(content_type, _)| content_type);
        let media = media.zip(kinds.iter().cloned()).collect();
        arguments.push(Argument {
            name,
            kind: PythonType::union(kinds),
            required: body.required,
            description: &body.description,
            schema: &body.schema,
            media,
        });
    }
    arguments.sort_by_key(|argument| !argument.required);
    types.set_purpose(false);
    let successes = successes(&operation.responses);
    let returns = if successes.is_empty() {
        PythonType::None
    } else {
        PythonType::union(successes.iter().map(|response| match response.kind {
            ResponseKind::Json => types.of(&response.schema, &format!("{camel}Response")),
            ResponseKind::Text => PythonType::name("str"),
            ResponseKind::Bytes => PythonType::name("bytes"),
            ResponseKind::Empty => PythonType::None,
            ResponseKind::Events => PythonType::stream(EVENT_STREAM, PythonType::name("str")),
            ResponseKind::JsonEvents => {
                let data = types.of(&response.schema, &format!("{camel}Event"));
                PythonType::stream(EVENT_STREAM, data)
            }
            ResponseKind::Items => {
                let item = types.of(&response.schema, &format!("{camel}Item"));
                PythonType::stream(ITEM_STREAM, item)
            }
        }))
    };
    for argument in &arguments {
        argument.kind.names(used);
    }
    returns.names(used);
    let pagination = crate::api::pagination(operation, names, types.named);
    let function = RenderedFunction {
        summary: summary(operation),
        parameters,
        body: body_types,
        returns: returns.text(),
        pagination: pagination.clone(),
    };
    let stub = TypedStub {
        operation,
        names,
        arguments,
        returns,
        pagination,
    };
    (stub, function)
}

/// Whether a media type is a form, whose bytes are files.
pub(super) fn is_form(content_type: &str) -> bool {
    matches!(Media::of(content_type), Media::Form | Media::Multipart)
}

/// The types of a body's media types. Many documents spell one schema out for each of them, which
/// is still one type.
fn types_of_body<'a>(
    body: &'a OperationBody,
    types: &mut Types<'a>,
    hint: &str,
) -> Vec<PythonType> {
    let media: Vec<(&str, &'a Value)> = body.media().collect();
    let schemas = distinct(media.iter().map(|(_, schema)| *schema));
    let of_forms: HashSet<usize> = media
        .iter()
        .zip(&schemas)
        .filter(|((name, _), _)| is_form(name))
        .map(|(_, index)| *index)
        .collect();
    let mut known: HashMap<usize, PythonType> = HashMap::new();
    let mut kinds = Vec::new();
    for ((content_type, schema), index) in media.into_iter().zip(schemas) {
        let kind = match Media::of(content_type) {
            Media::Text | Media::Events | Media::Lines => PythonType::name("str"),
            Media::Binary => PythonType::name("bytes"),
            Media::Range if has_format_binary(schema) => PythonType::name("bytes"),
            Media::Json | Media::Range | Media::Form | Media::Multipart => {
                if let Some(kind) = known.get(&index) {
                    kind.clone()
                } else {
                    let kind = if of_forms.contains(&index) {
                        types.of_form(schema, hint)
                    } else {
                        types.of(schema, hint)
                    };
                    // Whatever a document says of it, or not: a form has members.
                    let kind = match kind {
                        PythonType::Any if is_form(content_type) => PythonType::dict(kind),
                        kind => kind,
                    };
                    known.insert(index, kind.clone());
                    kind
                }
            }
        };
        kinds.push(kind);
    }
    kinds
}

/// For each of the schemas the place of the first one that it equals.
fn distinct<'a>(schemas: impl Iterator<Item = &'a Value>) -> Vec<usize> {
    let mut alike: HashMap<u64, Vec<(usize, &Value)>> = HashMap::new();
    let firsts = schemas.enumerate().map(|(index, schema)| {
        // Equal ones have one digest; that they are equal is still to be seen.
        let bearers = alike.entry(digest(schema)).or_default();
        let first = bearers.iter().find(|(_, other)| *other == schema);
        if let Some((first, _)) = first {
            return *first;
        }
        bearers.push((index, schema));
        index
    });
    firsts.collect()
}

/// A number that equal values have in common, whatever the order of their keys.
fn digest(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    match value {
        Value::Object(members) => {
            let members = members.iter().map(|(key, member)| {
                let mut hasher = DefaultHasher::new();
                (key, digest(member)).hash(&mut hasher);
                hasher.finish()
            });
            members.fold(0, u64::wrapping_add).hash(&mut hasher);
        }
        Value::Array(items) => items.iter().for_each(|item| digest(item).hash(&mut hasher)),
        Value::Number(number) => number.as_str().hash(&mut hasher),
        Value::String(text) => text.hash(&mut hasher),
        Value::Bool(value) => value.hash(&mut hasher),
        Value::Null => {}
    }
    hasher.finish()
}

fn has_format_binary(schema: &Value) -> bool {
    schema.get("format").and_then(Value::as_str) == Some("binary")
}

/// The import of what the module uses of `typing`; empty where that is nothing.
fn typing_import(used: &BTreeSet<String>) -> String {
    let names: Vec<&str> = ["Any", "Literal", "NotRequired", "TypedDict"]
        .into_iter()
        .filter(|name| used.contains(*name))
        .collect();
    if names.is_empty() {
        return String::new();
    }
    format!("from typing import {}", names.join(", "))
}

/// The classes of streams that the module uses, as the import names them.
fn streams(used: &BTreeSet<String>) -> Vec<&'static str> {
    let names = [EVENT_STREAM, ITEM_STREAM].into_iter();
    names.filter(|name| used.contains(*name)).collect()
}

fn module_docstring(api: &NamedApi, target: Target<'_>) -> String {
    let title = one_line(target.title, LONGEST_TITLE);
    let title = if title.is_empty() {
        target.server.to_owned()
    } else {
        title
    };
    let mut lines = vec![
        format!("Client of {title}."),
        String::new(),
        super::MODULE_MARK.to_owned(),
    ];
    let description = prose(&api.api.description, WIDTH, LONGEST_DESCRIPTION);
    if description.iter().any(|line| !line.is_empty()) {
        lines.push(String::new());
        lines.extend(description);
    }
    docstring(&lines, 0)
}

fn api_line(api: &NamedApi, target: Target<'_>) -> String {
    let mut items = vec![Code::Text(string_literal(target.server))];
    for (keyword, suffix) in [("base_url_env", "BASE_URL"), ("auth_env", "AUTH")] {
        let value = Code::Text(string_literal(&variables::of_server(target.server, suffix)));
        items.push(Code::around(format!("{keyword}="), value, ""));
    }
    if let Some(base_url) = &api.api.base_url {
        items.push(Code::around(
            "base_url=",
            Code::Text(string_literal(base_url)),
            "",
        ));
    }
    Code::around("_api = ", Code::call("Api", items), "").laid_out(0, 0, 0)
}
