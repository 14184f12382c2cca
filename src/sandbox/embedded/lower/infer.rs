//! What a value is known to be, from the text alone.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::pysyntax::ast::{Expr, ExprCall, Number, Operator, UnaryOp};

use super::scope::{ScopeId, Scopes, Site, is_arithmetic};

/// What a value is known to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Unknown,
    /// Anything but a bool.
    NotBool,
    Bool,
    Int,
    Float,
    /// An int or a float.
    Number,
    Text,
    Set,
    /// A value that takes part in no arithmetic on numbers: a list, a tuple, a dict.
    Container,
    None,
}

impl Kind {
    pub fn is_never_bool(self) -> bool {
        !matches!(self, Self::Unknown | Self::Bool)
    }

    pub fn is_number(self) -> bool {
        matches!(self, Self::Int | Self::Float | Self::Number)
    }

    /// Whether it is certainly neither a number nor a bool.
    pub fn is_never_number(self) -> bool {
        matches!(self, Self::Text | Self::Set | Self::Container | Self::None)
    }

    fn join(self, other: Self) -> Self {
        if self == other {
            self
        } else if self.is_number() && other.is_number() {
            Self::Number
        } else if self.is_never_bool() && other.is_never_bool() {
            Self::NotBool
        } else {
            Self::Unknown
        }
    }
}

/// How many names are followed from one to the next.
const MAX_FOLLOWED: usize = 24;

/// Infers kinds, each name once.
pub struct Inference<'s, 'a> {
    scopes: &'s Scopes<'a>,
    known: RefCell<HashMap<(ScopeId, String), Kind>>,
}

impl<'s, 'a> Inference<'s, 'a> {
    pub fn new(scopes: &'s Scopes<'a>) -> Self {
        Self {
            scopes,
            known: RefCell::default(),
        }
    }

    pub fn kind(&self, scope: ScopeId, expr: &Expr) -> Kind {
        self.expr(scope, expr, MAX_FOLLOWED)
    }

    fn expr(&self, scope: ScopeId, expr: &Expr, left: usize) -> Kind {
        match expr {
            Expr::BooleanLiteral(_) | Expr::Compare(_) => Kind::Bool,
            Expr::NumberLiteral(literal) => match literal.value {
                Number::Int(_) => Kind::Int,
                Number::Float(_) => Kind::Float,
                Number::Complex { .. } => Kind::NotBool,
            },
            Expr::StringLiteral(_) | Expr::FString(_) | Expr::BytesLiteral(_) => Kind::Text,
            Expr::List(_)
            | Expr::ListComp(_)
            | Expr::Tuple(_)
            | Expr::Dict(_)
            | Expr::DictComp(_)
            | Expr::Generator(_)
            | Expr::Lambda(_) => Kind::Container,
            Expr::Set(_) | Expr::SetComp(_) => Kind::Set,
            Expr::NoneLiteral(_) => Kind::None,
            Expr::UnaryOp(operation) => match operation.op {
                UnaryOp::Not => Kind::Bool,
                _ => match self.expr(scope, &operation.operand, left) {
                    kind @ (Kind::Int | Kind::Float | Kind::Number) => kind,
                    Kind::Bool => Kind::Int,
                    _ => Kind::NotBool,
                },
            },
            Expr::BinOp(operation) => {
                let of = |expr| self.expr(scope, expr, left);
                arithmetic(operation.op, of(&operation.left), of(&operation.right))
            }
            Expr::If(it) => {
                let body = self.expr(scope, &it.body, left);
                body.join(self.expr(scope, &it.orelse, left))
            }
            Expr::BoolOp(it) => it
                .values
                .iter()
                .map(|value| self.expr(scope, value, left))
                .reduce(Kind::join)
                .unwrap_or(Kind::Unknown),
            Expr::Named(named) => self.expr(scope, &named.value, left),
            Expr::Call(call) => self.call(scope, call, left),
            Expr::Name(name) => self.name(scope, name.id.as_str(), left),
            _ => Kind::Unknown,
        }
    }

    fn call(&self, scope: ScopeId, call: &ExprCall, left: usize) -> Kind {
        match &*call.func {
            Expr::Name(name) if self.scopes.resolve(scope, name.id.as_str()).is_none() => {
                match name.id.as_str() {
                    "len" | "int" | "ord" | "hash" => Kind::Int,
                    "float" => Kind::Float,
                    "round" if call.arguments.args.len() == 1 => Kind::Int,
                    "str" | "repr" | "format" | "chr" | "hex" | "bin" | "oct" | "ascii"
                    | "bytes" => Kind::Text,
                    "list" | "tuple" | "dict" | "sorted" | "range" | "zip" | "enumerate"
                    | "map" | "filter" | "reversed" => Kind::Container,
                    "set" | "frozenset" => Kind::Set,
                    "sum" | "abs" | "round" | "pow" => Kind::NotBool,
                    "min" | "max" => call
                        .arguments
                        .args
                        .iter()
                        .filter(|_| call.arguments.args.len() > 1)
                        .map(|argument| self.expr(scope, argument, left))
                        .reduce(Kind::join)
                        .unwrap_or(Kind::Unknown),
                    _ => Kind::Unknown,
                }
            }
            // Of these names only text has methods.
            Expr::Attribute(attribute)
                if matches!(
                    attribute.attr.as_str(),
                    "join" | "strip" | "upper" | "lower" | "ljust" | "rjust" | "zfill" | "strftime"
                ) && self.expr(scope, &attribute.value, left) == Kind::Text =>
            {
                Kind::Text
            }
            _ => Kind::Unknown,
        }
    }

    fn name(&self, scope: ScopeId, name: &str, left: usize) -> Kind {
        let Some(owner) = self.scopes.owner(scope, name) else {
            return Kind::Unknown;
        };
        let key = (owner, name.to_owned());
        if let Some(kind) = self.known.borrow().get(&key) {
            return *kind;
        }
        let Some(left) = left.checked_sub(1) else {
            return Kind::Unknown;
        };
        // What a name adds to itself does not count; a bool cannot come from that.
        self.known.borrow_mut().insert(key.clone(), Kind::Unknown);
        let kind = self.binding(owner, name, left);
        self.known.borrow_mut().insert(key, kind);
        kind
    }

    fn binding(&self, owner: ScopeId, name: &str, left: usize) -> Kind {
        let Some(binding) = self.scopes.resolve(owner, name) else {
            return Kind::Unknown;
        };
        let mut joined: Option<Kind> = None;
        for site in &binding.sites {
            let kind = match site {
                Site::Value(value, scope) => self.expr(*scope, value, left),
                Site::Augmented(assign, scope) => {
                    let value = self.expr(*scope, &assign.value, left);
                    // The other operand is one of the values joined here.
                    match (is_arithmetic(assign.op), joined) {
                        (true, Some(kind)) => arithmetic(assign.op, kind, value),
                        (true, None) => Kind::NotBool,
                        (false, _) => Kind::Unknown,
                    }
                }
                Site::Item(iter, scope) => self.item(*scope, iter, "range"),
                Site::First(iter, scope) => self.item(*scope, iter, "enumerate"),
                Site::Function | Site::Class(_) => Kind::Container,
                _ => Kind::Unknown,
            };
            joined = Some(joined.map_or(kind, |joined| joined.join(kind)));
            if joined == Some(Kind::Unknown) {
                break;
            }
        }
        match joined {
            // Deleted names have no other value.
            Some(Kind::Int | Kind::Float) if is_augmented(&binding.sites) => Kind::Number,
            Some(kind) => kind,
            None => Kind::Unknown,
        }
    }

    fn item(&self, scope: ScopeId, iter: &Expr, callee: &str) -> Kind {
        match iter {
            Expr::Call(call) => match &*call.func {
                Expr::Name(name)
                    if name.id.as_str() == callee
                        && self.scopes.resolve(scope, callee).is_none() =>
                {
                    Kind::Int
                }
                _ => Kind::Unknown,
            },
            _ => Kind::Unknown,
        }
    }
}

fn is_augmented(sites: &[Site<'_>]) -> bool {
    sites.iter().any(|site| matches!(site, Site::Augmented(..)))
}

fn arithmetic(operator: Operator, left: Kind, right: Kind) -> Kind {
    match operator {
        Operator::Add | Operator::Sub | Operator::Mult | Operator::FloorDiv => {
            match (left, right) {
                (Kind::Int, Kind::Int) => Kind::Int,
                (Kind::Float, other) | (other, Kind::Float) if other.is_number() => Kind::Float,
                (left, right) if left.is_number() && right.is_number() => Kind::Number,
                (Kind::Text, _) | (_, Kind::Text) if operator == Operator::Add => Kind::Text,
                (Kind::Text, _) | (_, Kind::Text) if operator == Operator::Mult => Kind::Text,
                (Kind::Container, _) | (_, Kind::Container) => Kind::Container,
                (Kind::Set, _) | (_, Kind::Set) if operator == Operator::Sub => Kind::Set,
                _ => Kind::NotBool,
            }
        }
        Operator::Div if left.is_number() && right.is_number() => Kind::Float,
        Operator::Mod if left == Kind::Text => Kind::Text,
        Operator::BitOr | Operator::BitAnd | Operator::BitXor => match (left, right) {
            (Kind::Int, _) | (_, Kind::Int) => Kind::Int,
            (Kind::Set, _) | (_, Kind::Set) => Kind::Set,
            (left, right) if left.is_never_bool() || right.is_never_bool() => Kind::NotBool,
            _ => Kind::Unknown,
        },
        _ => Kind::NotBool,
    }
}
