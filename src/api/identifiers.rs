//! Python identifiers from document names: ASCII `[a-z_][a-z0-9_]*` for functions and parameters,
//! `[A-Z][A-Za-z0-9]*` for types.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use heck::{ToSnakeCase, ToUpperCamelCase};
use sha2::{Digest, Sha256};

/// Longer names are cut and end in a hash.
const LONGEST: usize = 80;

/// Keywords, soft keywords, builtins and the names that a compiled module holds itself.
const RESERVED: &[&str] = &[
    "abs",
    "aiter",
    "all",
    "and",
    "anext",
    "annotations",
    "any",
    "as",
    "ascii",
    "assert",
    "async",
    "await",
    "bin",
    "bool",
    "break",
    "breakpoint",
    "bytearray",
    "bytes",
    "callable",
    "case",
    "chr",
    "class",
    "classmethod",
    "compile",
    "complex",
    "continue",
    "copyright",
    "credits",
    "def",
    "del",
    "delattr",
    "dict",
    "dir",
    "divmod",
    "elif",
    "else",
    "enumerate",
    "eval",
    "except",
    "exec",
    "exit",
    "false",
    "filter",
    "finally",
    "float",
    "for",
    "format",
    "from",
    "frozenset",
    "getattr",
    "global",
    "globals",
    "hasattr",
    "hash",
    "help",
    "hex",
    "id",
    "if",
    "import",
    "in",
    "input",
    "int",
    "is",
    "isinstance",
    "issubclass",
    "iter",
    "lambda",
    "len",
    "license",
    "list",
    "locals",
    "map",
    "match",
    "max",
    "mce_runtime",
    "memoryview",
    "min",
    "next",
    "none",
    "nonlocal",
    "not",
    "object",
    "oct",
    "open",
    "or",
    "ord",
    "pass",
    "pow",
    "print",
    "property",
    "quit",
    "raise",
    "range",
    "repr",
    "return",
    "reversed",
    "round",
    "self",
    "set",
    "setattr",
    "slice",
    "sorted",
    "staticmethod",
    "str",
    "sum",
    "super",
    "true",
    "try",
    "tuple",
    "type",
    "typing",
    "vars",
    "while",
    "with",
    "yield",
    "zip",
];

/// Type names that a compiled module or Python itself gives another meaning.
const RESERVED_TYPES: &[&str] = &[
    "Any",
    "Api",
    "ApiError",
    "Ellipsis",
    "EventStream",
    "Exception",
    "False",
    "ItemStream",
    "Literal",
    "None",
    "NotImplemented",
    "NotRequired",
    "Required",
    "True",
    "TypedDict",
    "Warning",
    "NULL",
];

/// Whether a text is a name that a function or parameter may bear.
#[must_use]
pub fn is_function_name(name: &str) -> bool {
    name.len() <= LONGEST
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        && !RESERVED.contains(&name)
}

/// Snake case of the ASCII letters and digits of a text; `None` where it has none or holds other
/// letters, which no transliteration is attempted for.
pub(super) fn snake(text: &str, digit_prefix: &str) -> Option<String> {
    if !text.is_ascii() {
        return None;
    }
    let words: String = text
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let name = words.to_snake_case();
    if name.is_empty() {
        return None;
    }
    let name = if name.starts_with(|first: char| first.is_ascii_digit()) {
        format!("{digit_prefix}{name}")
    } else {
        name
    };
    Some(unreserved(shortened(name)))
}

/// `get_users_id` of `GET /users/{id}`.
pub(super) fn method_and_path(method: &str, path: &str) -> String {
    let words: String = path
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let text = format!("{}_{words}", method.to_ascii_lowercase());
    snake(&text, "fn_").unwrap_or_else(|| "endpoint".to_owned())
}

/// A type name of the ASCII letters and digits of a text.
pub(crate) fn type_name(text: &str) -> String {
    // A name that is one already keeps its capitals.
    let is_type_name = text.starts_with(|first: char| first.is_ascii_uppercase())
        && text.chars().all(|c| c.is_ascii_alphanumeric());
    let mut name = if is_type_name {
        text.to_owned()
    } else {
        let words: String = text
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        words.to_upper_camel_case()
    };
    if name.is_empty() {
        "Type".clone_into(&mut name);
    }
    if name.starts_with(|first: char| first.is_ascii_digit()) {
        name.insert(0, 'T');
    }
    if name.len() > LONGEST {
        let hash = short_hash(&name);
        name.truncate(LONGEST - hash.len());
        name.push_str(&hash);
    }
    if RESERVED_TYPES.contains(&name.as_str()) || name.ends_with("Error") && name.len() < 20 {
        name.push_str("Type");
    }
    name
}

/// Names that are given once each; those that are taken get a number.
#[derive(Debug, Default)]
pub(crate) struct Unique {
    taken: HashSet<String>,
    next: HashMap<String, usize>,
}

impl Unique {
    /// The name, or the first `name` + `separator` + number that nobody has.
    pub(crate) fn take(&mut self, name: &str, separator: &str) -> String {
        if self.taken.insert(name.to_owned()) {
            return name.to_owned();
        }
        // Counted on from the last one, or many alike would take a square of their number.
        let next = self.next.entry(name.to_owned()).or_insert(2);
        loop {
            let numbered = format!("{name}{separator}{next}");
            *next += 1;
            if self.taken.insert(numbered.clone()) {
                return numbered;
            }
        }
    }
}

/// A name made longer, within the bound.
pub(super) fn suffixed(name: &str, suffix: &str) -> String {
    unreserved(shortened(format!(
        "{}_{suffix}",
        name.trim_end_matches('_')
    )))
}

/// Eight hexadecimal digits that tell texts apart.
pub(crate) fn short_hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(4).fold(String::new(), |mut hash, byte| {
        let _ = write!(hash, "{byte:02x}");
        hash
    })
}

fn shortened(mut name: String) -> String {
    if name.len() > LONGEST {
        let hash = short_hash(&name);
        name.truncate(LONGEST - 1 - hash.len());
        name = format!("{}_{hash}", name.trim_end_matches('_'));
    }
    name
}

fn unreserved(mut name: String) -> String {
    if RESERVED.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_and_python_words_get_an_underscore() {
        assert_eq!(
            snake("getHTTPResponse", "fn_").as_deref(),
            Some("get_http_response")
        );
        assert_eq!(snake("filter[x]", "p_").as_deref(), Some("filter_x"));
        assert_eq!(snake("class", "p_").as_deref(), Some("class_"));
        assert_eq!(snake("list", "fn_").as_deref(), Some("list_"));
        assert_eq!(snake("2fa", "fn_").as_deref(), Some("fn_2fa"));
        assert_eq!(snake("__init__", "fn_").as_deref(), Some("init"));
        assert_eq!(snake("$%&", "fn_"), None);
        assert_eq!(snake("größe", "fn_"), None);
        assert_eq!(method_and_path("GET", "/users/{id}"), "get_users_id");
        assert_eq!(method_and_path("GET", "/"), "get");
    }

    #[test]
    fn long_names_are_cut_and_stay_distinct() {
        let a = snake(&format!("{}a", "x".repeat(200)), "fn_").unwrap();
        let b = snake(&format!("{}b", "x".repeat(200)), "fn_").unwrap();
        assert!(a.len() <= LONGEST && a != b, "{a} {b}");
    }

    #[test]
    fn type_names_are_camel_case_and_shadow_nothing() {
        assert_eq!(type_name("pet_store.Pet"), "PetStorePet");
        assert_eq!(type_name("Any"), "AnyType");
        assert_eq!(type_name("3d model"), "T3dModel");
        assert_eq!(type_name("HTTPHeaders"), "HTTPHeaders");
        assert_eq!(type_name("雪"), "Type");
    }
}
