//! One `TypedDict` as text.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use indexmap::IndexMap;
use serde_json::Value;

use super::classes::{Class, Field};
use super::code::{Code, WIDTH};
use super::remarks::{Format, discriminator, joined, limits};
use super::text::{begin, docstring, heading, one_line, prose, string_literal};
use crate::api::identifiers::type_name;
use crate::api::schema::keyword;

/// Characters of what a class or a key is said to be.
const LONGEST_DESCRIPTION: usize = 500;
const LONGEST_KEY_DESCRIPTION: usize = 160;

/// Names that a class body must not bind, since annotations beside them use them.
const USED_IN_ANNOTATIONS: &[&str] = &[
    "Any",
    "Literal",
    "NotRequired",
    "Required",
    "TypedDict",
    "bool",
    "bytes",
    "dict",
    "float",
    "int",
    "list",
    "str",
    "tuple",
];
const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// Whether a key can be an attribute of a class body without changing what others mean: no
/// keyword, not mangled, not a name that annotations use.
fn fits_class_body(key: &str, classes: &BTreeSet<&str>) -> bool {
    let mut characters = key.chars();
    characters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !key.starts_with("__")
        && !KEYWORDS.contains(&key)
        && !USED_IN_ANNOTATIONS.contains(&key)
        && !classes.contains(key)
}

/// The definition of a class. `used` gathers the names that its types need.
pub(super) fn render_class(
    class: &Class<'_>,
    classes: &BTreeSet<&str>,
    types: &IndexMap<String, Value>,
    used: &mut BTreeSet<String>,
) -> String {
    let any_required = class.fields.iter().any(|field| field.required);
    let kind = |field: &Field<'_>| {
        if any_required && !field.required {
            Code::subscript("NotRequired", vec![field.kind.code()])
        } else {
            field.kind.code()
        }
    };
    used.insert("TypedDict".to_owned());
    for field in &class.fields {
        field.kind.names(used);
        if any_required && !field.required {
            used.insert("NotRequired".to_owned());
        }
    }
    let mut fields = class.fields.iter();
    if fields.all(|field| fits_class_body(field.key, classes)) {
        let total = if any_required { "" } else { ", total=False" };
        let mut text = format!("class {}(TypedDict{total}):\n", class.name);
        if let Some(lines) = documentation(class, types) {
            text.push_str(&docstring(&lines, 4));
            text.push_str("\n\n");
        }
        for field in &class.fields {
            let line = Code::around(format!("{}: ", field.key), kind(field), "");
            let _ = writeln!(text, "    {}", line.laid_out(4, 4, 0));
        }
        return text.trim_end().to_owned();
    }
    let fields = class
        .fields
        .iter()
        .map(|field| {
            let key = format!("{}: ", string_literal(field.key));
            Code::around(key, Code::Text(string_literal(&kind(field).flat())), "")
        })
        .collect();
    let mut items = vec![
        Code::Text(string_literal(&class.name)),
        Code::Bracket {
            head: String::new(),
            open: '{',
            items: fields,
            close: '}',
        },
    ];
    if !any_required {
        items.push(Code::text("total=False"));
    }
    let call = Code::call("TypedDict", items);
    // Nothing documents it: a text of its own would be one more kind of statement in the grammar.
    Code::around(format!("{} = ", class.name), call, "").laid_out(0, 0, 0)
}

/// What a class is, which key tells its kinds apart, and what its keys are.
fn documentation(class: &Class<'_>, types: &IndexMap<String, Value>) -> Option<Vec<String>> {
    let said = keyword(class.schema, "description", types).and_then(Value::as_str);
    let title = keyword(class.schema, "title", types).and_then(Value::as_str);
    let title = title.filter(|title| type_name(title) != class.name);
    let said = said.filter(|said| !said.trim().is_empty()).or(title);
    let mut lines = prose(said.unwrap_or_default(), WIDTH - 4, LONGEST_DESCRIPTION);
    if lines.iter().all(String::is_empty) {
        lines.clear();
    }
    let mut notes = Vec::new();
    // What inherits from such a class is one of those that are told apart.
    if class.schema.get("discriminator").is_some() {
        notes.extend(discriminator(class.schema, types));
    }
    if let Some(further) = &class.further {
        notes.push(format!(
            "Further keys are of the type `{}`.",
            further.text()
        ));
    }
    for note in notes {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(prose(&note, WIDTH - 4, usize::MAX));
    }
    let keys: Vec<String> = class
        .fields
        .iter()
        .filter_map(|field| {
            let said = key_documentation(class, field, types);
            (!said.is_empty()).then(|| format!("{}: {said}", one_line(field.key, 80)))
        })
        .collect();
    if keys.is_empty() && lines.is_empty() {
        return None;
    }
    if lines.is_empty() {
        lines = vec![format!("The keys of {}.", class.name)];
    }
    if !keys.is_empty() {
        begin(heading::KEYS, &mut lines);
        for key in keys {
            let wrapped = prose(&key, WIDTH - 12, usize::MAX);
            lines.extend(wrapped.into_iter().enumerate().map(|(index, line)| {
                if index == 0 {
                    format!("    {line}")
                } else {
                    format!("        {line}")
                }
            }));
        }
    }
    Some(lines)
}

fn key_documentation(
    class: &Class<'_>,
    field: &Field<'_>,
    types: &IndexMap<String, Value>,
) -> String {
    // What a named class is stands there; of other values only the schema tells.
    let own = field.schema.get("description").and_then(Value::as_str);
    let mut said = one_line(own.unwrap_or_default(), LONGEST_KEY_DESCRIPTION);
    let is_a_class = field.schema.get("$ref").is_some();
    if !is_a_class && let Some(note) = discriminator(field.schema, types) {
        said = joined(&said, &note);
    }
    if class.sent {
        let note = if field.is_read_only(types) {
            "Not to be sent.".to_owned()
        } else {
            limits(field.schema, types, &said, Format::OfTimes)
        };
        said = joined(&said, &note);
    }
    said
}
