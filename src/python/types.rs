//! JSON Schema as Python types: `TypedDict` classes for objects with known keys, `Literal` for
//! enumerations, unions, lists and dictionaries for the rest. Everything a schema can blow up is
//! bounded: nesting, the size of a union, the number of literals, the work on all classes together.

use std::collections::HashSet;
use std::rc::Rc;

use serde_json::{Map, Value};

use super::code::Code;
use super::text::string_literal;
use crate::api::schema::type_names;

/// Brackets within one another; `CPython` takes 200.
const DEEPEST: usize = 16;
/// Parts of one type.
const LARGEST: usize = 120;
/// Values of one `Literal`, and the length of its text.
const MOST_LITERALS: usize = 400;
pub(super) const LONGEST_LITERAL: usize = 12_000;
/// Characters of a union with a name that is written out wherever it stands: not much more than the
/// document takes to refer to it, since all that inherit a key repeat its type.
const LONGEST_UNION: usize = 60;
/// Names of unions in one union that are looked into.
const MOST_ALIASES: usize = 8;
/// Digits of an integer literal; `CPython` takes 4,300.
const MOST_DIGITS: usize = 40;

/// A Python type.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PythonType {
    /// `Any`: nothing is known, or more than can be said.
    Any,
    /// `None`.
    None,
    /// A builtin or a class of the module.
    Name(String),
    /// `list[…]`.
    List(Box<PythonType>),
    /// `dict[str, …]`.
    Dict(Box<PythonType>),
    /// Another class with type arguments, such as `tuple[…]`.
    Generic(&'static str, Vec<PythonType>),
    /// `Literal[…]` of literals as they are written.
    Literal(Vec<String>),
    /// `a | b`.
    Union(Vec<PythonType>),
    /// What the module writes once, under a name.
    Alias(Rc<Alias>),
}

/// A name for a type.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Alias {
    pub(super) name: String,
    pub(super) kind: PythonType,
}

impl PythonType {
    pub(super) fn name(name: &str) -> Self {
        Self::Name(name.to_owned())
    }

    /// What a form takes as a file: bytes, with a file name, with a media type.
    pub(super) fn file() -> Self {
        let tuple = |names: &[&str]| {
            Self::Generic("tuple", names.iter().map(|it| Self::name(it)).collect())
        };
        Self::Union(vec![
            Self::name("bytes"),
            tuple(&["str", "bytes"]),
            tuple(&["str", "bytes", "str"]),
        ])
    }

    /// A class of `mce_runtime` that is a stream of items.
    pub(super) fn stream(class: &'static str, item: Self) -> Self {
        Self::Generic(class, vec![item])
    }

    pub(super) fn list(item: Self) -> Self {
        if item.depth() < DEEPEST {
            Self::List(Box::new(item))
        } else {
            Self::Any
        }
    }

    pub(super) fn dict(value: Self) -> Self {
        if value.depth() < DEEPEST {
            Self::Dict(Box::new(value))
        } else {
            Self::Any
        }
    }

    /// The union of types: flat, without repetitions, `None` last.
    pub(super) fn union(members: impl IntoIterator<Item = Self>) -> Self {
        let mut flat: Vec<Self> = Vec::new();
        let mut literals: Vec<String> = Vec::new();
        let mut is_optional = false;
        let mut pending: Vec<Self> = members.into_iter().collect();
        pending.reverse();
        while let Some(member) = pending.pop() {
            match member {
                Self::Any => return Self::Any,
                Self::None => is_optional = true,
                Self::Union(inner) => pending.extend(inner.into_iter().rev()),
                Self::Literal(values) => {
                    if literals.is_empty() {
                        // Holds the place of all literals.
                        flat.push(Self::Literal(Vec::new()));
                    }
                    if literals.len() > MOST_LITERALS {
                        return Self::Any;
                    }
                    for value in values {
                        if !literals.contains(&value) {
                            literals.push(value);
                        }
                    }
                }
                _ if flat.len() > LARGEST || literals.len() > MOST_LITERALS => return Self::Any,
                other if flat.contains(&other) => {}
                other => flat.push(other),
            }
        }
        if literals.len() > MOST_LITERALS {
            return Self::Any;
        }
        if let Some(place) = flat
            .iter_mut()
            .find(|member| matches!(member, Self::Literal(_)))
        {
            *place = Self::Literal(literals);
        }
        // What a name among them stands for is not said beside it.
        let aliases = flat.iter().filter_map(|member| match member {
            Self::Alias(alias) => Some(Rc::clone(alias)),
            _ => None,
        });
        for alias in aliases.take(MOST_ALIASES).collect::<Vec<_>>() {
            if let Self::Union(within) = &alias.kind {
                flat.retain(|member| !within.contains(member));
            }
        }
        if is_optional {
            flat.push(Self::None);
        }
        let size: usize = flat.iter().map(Self::size).sum();
        match flat.len() {
            0 => Self::Any,
            1 => flat.pop().unwrap_or(Self::Any),
            _ if size > LARGEST => Self::Any,
            _ => Self::Union(flat),
        }
    }

    /// The type or `None`.
    pub(super) fn optional(self) -> Self {
        match self {
            Self::Any => Self::Union(vec![Self::Any, Self::None]),
            other => Self::union([other, Self::None]),
        }
    }

    /// The type by a name, but for `None`, which is to be seen wherever it may stand. The second is
    /// what the name is for; there is none where the type is short enough to be written out.
    pub(super) fn named_if_long(self, name: &str) -> (Self, Option<Rc<Alias>>) {
        let Self::Union(mut members) = self else {
            return (self, None);
        };
        let is_optional = members.last() == Some(&Self::None);
        if is_optional {
            members.pop();
        }
        let kind = Self::union(members);
        let is_long = matches!(kind, Self::Union(_)) && kind.text().len() > LONGEST_UNION;
        let (kind, alias) = if is_long {
            let name = name.to_owned();
            let alias = Rc::new(Alias { name, kind });
            (Self::Alias(Rc::clone(&alias)), Some(alias))
        } else {
            (kind, None)
        };
        let kind = if is_optional { kind.optional() } else { kind };
        (kind, alias)
    }

    fn depth(&self) -> usize {
        match self {
            Self::List(inner) | Self::Dict(inner) => 1 + inner.depth(),
            Self::Union(members) => members.iter().map(Self::depth).max().unwrap_or(0),
            Self::Generic(_, items) => 1 + items.iter().map(Self::depth).max().unwrap_or(0),
            Self::Literal(_) => 1,
            Self::Any | Self::None | Self::Name(_) | Self::Alias(_) => 0,
        }
    }

    fn size(&self) -> usize {
        match self {
            Self::List(inner) | Self::Dict(inner) => 1 + inner.size(),
            Self::Union(members) => members.iter().map(Self::size).sum(),
            Self::Generic(_, items) => 1 + items.iter().map(Self::size).sum::<usize>(),
            Self::Any | Self::None | Self::Name(_) | Self::Alias(_) | Self::Literal(_) => 1,
        }
    }

    /// About how much text the type is, in words.
    pub(super) fn weight(&self) -> usize {
        match self {
            Self::List(inner) | Self::Dict(inner) => 1 + inner.weight(),
            Self::Union(members) => members.iter().map(Self::weight).sum(),
            Self::Generic(_, items) => 1 + items.iter().map(Self::weight).sum::<usize>(),
            Self::Literal(values) => values.iter().map(|value| 1 + value.len() / 16).sum(),
            Self::Any | Self::None | Self::Name(_) | Self::Alias(_) => 1,
        }
    }

    /// The names in the type, those of `typing` among them.
    pub(super) fn names(&self, found: &mut std::collections::BTreeSet<String>) {
        match self {
            Self::Any => {
                found.insert("Any".to_owned());
            }
            Self::None => {}
            Self::Name(name) => {
                found.insert(name.clone());
            }
            Self::Alias(alias) => {
                found.insert(alias.name.clone());
            }
            Self::List(inner) => {
                found.insert("list".to_owned());
                inner.names(found);
            }
            Self::Dict(inner) => {
                found.extend(["dict".to_owned(), "str".to_owned()]);
                inner.names(found);
            }
            Self::Literal(_) => {
                found.insert("Literal".to_owned());
            }
            Self::Generic(name, items) => {
                found.insert((*name).to_owned());
                for item in items {
                    item.names(found);
                }
            }
            Self::Union(members) => members.iter().for_each(|member| member.names(found)),
        }
    }

    pub(super) fn code(&self) -> Code {
        match self {
            Self::Any => Code::text("Any"),
            Self::None => Code::text("None"),
            Self::Name(name) => Code::text(name),
            Self::Alias(alias) => Code::text(&alias.name),
            Self::List(inner) => Code::subscript("list", vec![inner.code()]),
            Self::Dict(inner) => Code::subscript("dict", vec![Code::text("str"), inner.code()]),
            Self::Literal(values) => {
                Code::subscript("Literal", values.iter().map(Code::text).collect())
            }
            Self::Generic(name, items) => {
                Code::subscript(name, items.iter().map(Self::code).collect())
            }
            Self::Union(members) => Code::Union(members.iter().map(Self::code).collect()),
        }
    }

    /// The type on one line, as manifests give it.
    pub(super) fn text(&self) -> String {
        self.code().flat()
    }
}

/// The type of an enumeration; `members` is the schema that has it.
pub(super) fn enumeration(values: &[Value], members: &Map<String, Value>) -> PythonType {
    let is_integer = type_names(members).contains(&"integer");
    let mut literals: Vec<String> = Vec::new();
    let mut seen = HashSet::new();
    let mut others = Vec::new();
    let mut plain = Vec::new();
    for value in values {
        let (literal, kind) = match value {
            Value::Null => {
                others.push(PythonType::None);
                continue;
            }
            Value::String(text) => (string_literal(text), "str"),
            Value::Bool(value) => ((if *value { "True" } else { "False" }).to_owned(), "bool"),
            Value::Number(number) => {
                let spelt = number.as_str();
                let Some(digits) = integer(spelt, is_integer) else {
                    let is_whole = !spelt.contains(['.', 'e', 'E']);
                    others.push(PythonType::name(if is_whole { "int" } else { "float" }));
                    continue;
                };
                (digits, "int")
            }
            Value::Array(_) => {
                others.push(PythonType::list(PythonType::Any));
                continue;
            }
            Value::Object(_) => {
                others.push(PythonType::dict(PythonType::Any));
                continue;
            }
        };
        plain.push(PythonType::name(kind));
        if seen.insert(literal.clone()) {
            literals.push(literal);
        }
    }
    let length: usize = literals.iter().map(String::len).sum();
    let both = seen.contains("True") && seen.contains("False") && literals.len() == 2;
    let known = if literals.is_empty() {
        None
    } else if both || literals.len() > MOST_LITERALS || length > LONGEST_LITERAL {
        Some(PythonType::union(plain))
    } else {
        Some(PythonType::Literal(literals))
    };
    PythonType::union(known.into_iter().chain(others))
}

/// A number as an integer literal. Where the schema says that it is an integer, `2.0` is one too.
fn integer(spelt: &str, is_integer: bool) -> Option<String> {
    let whole = match spelt.split_once('.') {
        Some((whole, fraction)) if is_integer && fraction.chars().all(|c| c == '0') => whole,
        Some(_) => return None,
        None => spelt,
    };
    let digits = whole.trim_start_matches('-');
    let is_whole = !digits.is_empty()
        && digits.chars().all(|c| c.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'))
        && digits.len() <= MOST_DIGITS;
    let literal = if whole == "-0" { "0" } else { whole };
    is_whole.then(|| literal.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unions_are_flat_and_end_in_none() {
        let union = PythonType::union([
            PythonType::None,
            PythonType::name("str"),
            PythonType::Union(vec![PythonType::name("int"), PythonType::name("str")]),
        ]);
        assert_eq!(union.text(), "str | int | None");
        assert_eq!(
            PythonType::union([PythonType::Any, PythonType::None]).text(),
            "Any"
        );
        assert_eq!(PythonType::Any.optional().text(), "Any | None");
    }

    #[test]
    fn a_long_union_goes_by_its_name_and_shows_its_none() {
        let names = ["Cat", "Dog"].map(|it| it.repeat(15)).map(PythonType::Name);
        let long = PythonType::union(names.clone());
        let (kind, alias) = long.clone().optional().named_if_long("Pet");
        assert_eq!(kind.text(), "Pet | None");
        assert_eq!(alias.unwrap().kind, long);
        let both = PythonType::union([names[1].clone(), kind, PythonType::name("str")]);
        assert_eq!(both.text(), "Pet | str | None");
        let short = PythonType::union([PythonType::name("str"), PythonType::name("int")]);
        assert_eq!(short.clone().named_if_long("Id"), (short, None));
        // One alone needs no other name.
        let [cat, _] = names.map(PythonType::optional);
        assert_eq!(cat.clone().named_if_long("Pet"), (cat, None));
    }

    #[test]
    fn enumerations_of_every_kind() {
        let of_type = |value: Value, members: Value| {
            enumeration(value.as_array().unwrap(), members.as_object().unwrap()).text()
        };
        let of = |value: Value| of_type(value, json!({}));
        assert_eq!(
            of(json!(["a", "a", 1, true, null])),
            "Literal[\"a\", 1, True] | None"
        );
        assert_eq!(of(json!([1.5])), "float");
        assert_eq!(of(json!([1.0, 2.0])), "float");
        assert_eq!(of(json!([true, false, null])), "bool | None");
        let integers = json!({"type": "integer"});
        assert_eq!(
            of_type(json!([1.0, -2.0, 3]), integers.clone()),
            "Literal[1, -2, 3]"
        );
        assert_eq!(of_type(json!([1.5]), integers), "float");
        assert_eq!(of(json!([[1]])), "list[Any]");
        let many: Vec<Value> = (0..5000).map(|n| json!(format!("v{n}"))).collect();
        assert_eq!(of(Value::Array(many)), "str");
    }

    #[test]
    fn nesting_is_cut() {
        let deep = (0..300).fold(PythonType::name("int"), |inner, _| PythonType::list(inner));
        assert!(deep.depth() <= DEEPEST);
    }
}
