//! Expressions that stand for types.

use crate::pysyntax::ast::{Expr, Operator};

/// Types that are subscripted only to make another type.
pub const GENERIC: &[&str] = &["dict", "frozenset", "list", "set", "tuple", "type"];

/// Names of `typing` and `collections.abc` that are subscripted to make a type.
const FORMS: &[&str] = &[
    "Annotated",
    "AsyncGenerator",
    "AsyncIterable",
    "AsyncIterator",
    "Awaitable",
    "Callable",
    "ClassVar",
    "Collection",
    "Coroutine",
    "DefaultDict",
    "Deque",
    "Dict",
    "Final",
    "FrozenSet",
    "Generator",
    "Iterable",
    "Iterator",
    "List",
    "Literal",
    "Mapping",
    "MutableMapping",
    "NotRequired",
    "Optional",
    "OrderedDict",
    "Required",
    "Sequence",
    "Set",
    "Tuple",
    "Type",
    "Union",
];

const PLAIN: &[&str] = &["bool", "bytes", "float", "int", "object", "str"];

/// Whether a value that is assigned looks like a type, so that its name may be one for annotations.
pub fn looks_like_type(expr: &Expr) -> bool {
    match expr {
        Expr::Subscript(subscript) => is_form(&subscript.value),
        Expr::BinOp(operation) if operation.op == Operator::BitOr => {
            is_type(&operation.left) || is_type(&operation.right)
        }
        Expr::Call(call) => {
            let callee = match &*call.func {
                Expr::Name(name) => name.id.as_str(),
                Expr::Attribute(attribute) => attribute.attr.as_str(),
                _ => return false,
            };
            matches!(callee, "TypeVar" | "ParamSpec" | "TypeVarTuple")
        }
        _ => false,
    }
}

/// Whether what is subscripted looks like a type.
pub fn is_form(expr: &Expr) -> bool {
    match expr {
        Expr::Name(name) => {
            let name = name.id.as_str();
            GENERIC.contains(&name) || FORMS.contains(&name)
        }
        Expr::Attribute(attribute) => FORMS.contains(&attribute.attr.as_str()),
        _ => false,
    }
}

fn is_type(expr: &Expr) -> bool {
    match expr {
        Expr::NoneLiteral(_) => true,
        Expr::Name(name) => {
            let name = name.id.as_str();
            PLAIN.contains(&name) || GENERIC.contains(&name)
        }
        other => looks_like_type(other),
    }
}
