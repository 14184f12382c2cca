//! Calls.

use crate::pysyntax::ast::token::TokenKind;
use crate::pysyntax::ast::visitor::Visitor as _;
use crate::pysyntax::ast::{Expr, ExprAttribute, ExprCall, ExprName, Operator};
use crate::pysyntax::{Ranged, TextRange};

use super::attributes::bound;
use super::builtins::is_exception;
use super::infer::Kind;
use super::laziness::Search;
use super::methods::BUILTIN_METHODS;
use super::rewrite::Rewriter;

/// Methods that helpers do, whatever they are called with.
pub const METHODS: &[&str] = &[
    "as_integer_ratio",
    "astimezone",
    "bit_count",
    "bit_length",
    "capitalize",
    "casefold",
    "combine",
    "conjugate",
    "ctime",
    "difference_update",
    "dst",
    "expand",
    "format_map",
    "from_bytes",
    "fromisocalendar",
    "fromordinal",
    "fromtimestamp",
    "hex",
    "indices",
    "intersection_update",
    "is_integer",
    "isocalendar",
    "isoformat",
    "isprintable",
    "maketrans",
    "now",
    "strftime",
    "strptime",
    "symmetric_difference_update",
    "timestamp",
    "timetuple",
    "timetz",
    "title",
    "to_bytes",
    "today",
    "toordinal",
    "total_seconds",
    "translate",
    "tzname",
    "utcfromtimestamp",
    "utcnow",
    "utcoffset",
    "utctimetuple",
];

/// Methods of sets that the interpreter has for one argument.
const OF_ONE: &[&str] = &["difference", "intersection", "union", "update"];

/// Methods of matches that the interpreter has for numbered groups.
const OF_MATCHES: &[&str] = &["end", "groups", "span", "start"];

/// Methods whose helper takes keywords.
const WITH_KEYWORDS: &[&str] = &[
    "astimezone",
    "combine",
    "format_map",
    "from_bytes",
    "fromisocalendar",
    "fromtimestamp",
    "groups",
    "hex",
    "isoformat",
    "isprintable",
    "maketrans",
    "now",
    "replace",
    "sort",
    "strftime",
    "to_bytes",
    "translate",
    "update",
];

/// Builtins that take all of an iterable before they return.
const CONSUMERS: &[&str] = &[
    "dict",
    "frozenset",
    "list",
    "max",
    "min",
    "set",
    "sorted",
    "sum",
    "tuple",
];

/// The types of which `isinstance` needs no helper.
const PLAIN_TYPES: &[&str] = &[
    "bool",
    "bytes",
    "dict",
    "float",
    "frozenset",
    "int",
    "list",
    "set",
    "str",
    "tuple",
];

impl<'a> Rewriter<'_, 'a> {
    pub fn call(&mut self, call: &'a ExprCall) {
        if self.call_for_iterator(call) {
            return;
        }
        if self.is_member(&call.func, &["datetime"], "timedelta") {
            let padding = self.padding(call.func.range(), "");
            self.edits
                .replace(call.func.range(), format!("_mce_timedelta{padding}"));
            self.arguments(call, false);
            return;
        }
        if let Some(name) = self.builtin_name(&call.func) {
            let Expr::Name(callee) = &*call.func else {
                return;
            };
            self.call_of_builtin(call, callee, name);
        } else if let Expr::Attribute(attribute) = &*call.func {
            if self.is_member(&call.func, &["typing", "typing_extensions"], "TypeVar") {
                self.refuse("a type variable that is used as a value", call.start());
            } else if self
                .module_path(&attribute.value)
                .is_some_and(|path| !self.is_type(&path))
            {
                self.call_of_member(call);
            } else {
                self.call_of_method(call, attribute);
            }
        } else {
            if self.is_api_error(&call.func) {
                self.refuse("making an error of a compiled server", call.start());
            }
            self.call_of_member(call);
        }
    }

    fn call_of_member(&mut self, call: &'a ExprCall) {
        let consumes = ["Counter", "deque", "OrderedDict"]
            .iter()
            .any(|name| self.is_member(&call.func, &["collections"], name));
        if let Expr::Attribute(attribute) = &*call.func {
            self.attribute(attribute, true);
        } else {
            self.visit_expr(&call.func);
        }
        if self.is_member(&call.func, &["typing", "typing_extensions"], "cast")
            && let [kind, value] = &*call.arguments.args
            && call.arguments.keywords.is_empty()
        {
            let padding = self.padding(kind.range(), "");
            self.edits.replace(kind.range(), format!("{padding}None"));
            self.visit_expr(value);
            return;
        }
        self.arguments(call, consumes);
    }

    /// Visits the arguments; where the first is taken as a whole before anything else is done, as such.
    pub fn arguments(&mut self, call: &'a ExprCall, consumes: bool) {
        for (index, argument) in call.arguments.args.iter().enumerate() {
            if consumes && index == 0 {
                self.consumed(argument);
            } else {
                self.visit_expr(argument);
            }
        }
        for keyword in &call.arguments.keywords {
            self.visit_expr(&keyword.value);
        }
    }

    fn call_of_builtin(&mut self, call: &'a ExprCall, callee: &'a ExprName, name: &'a str) {
        let (args, keywords) = (&*call.arguments.args, &*call.arguments.keywords);
        let has_star = args.iter().any(Expr::is_starred_expr);
        match name {
            "isinstance" => {
                if let [_, types] = args
                    && !self.are_plain_types(types)
                {
                    self.rename(callee, "_mce_isinstance");
                }
                if let [value, types @ Expr::BinOp(union)] = args
                    && union.op == Operator::BitOr
                    && self.is_plain_union(types)
                {
                    self.visit_expr(value);
                    self.union(types);
                    return;
                }
            }
            "bytes" | "float" if !args.is_empty() => {
                let helper = if name == "bytes" {
                    "_mce_bytes"
                } else {
                    "_mce_float"
                };
                self.rename(callee, helper);
            }
            "object" => self.rename(callee, "_mce_object"),
            "sorted" | "min" | "max" if self.facts.compares => {
                let helper = format!("_mce_{name}");
                self.rename(callee, &helper);
            }
            "type" if args.len() != 1 => {
                self.refuse("`type` with three arguments", call.start());
                return;
            }
            "print" if keywords.iter().any(|it| it.arg.as_deref() == Some("file")) => {
                let file = keywords
                    .iter()
                    .find(|it| it.arg.as_deref() == Some("file"))
                    .map(|it| &it.value);
                if file.is_some_and(|file| self.may_be_stream(file)) {
                    self.refuse("`print(file=…)`", call.start());
                    return;
                }
                self.rename(callee, "_mce_print");
            }
            "getattr" | "hasattr" | "setattr" => self.named_attribute(call, callee, name),
            "any" | "all" | "next" => {
                if self.search(call, callee, name) {
                    return;
                }
            }
            "map" | "filter" | "zip" | "enumerate" | "reversed" => {
                self.lazy_call(call, callee, name);
                return;
            }
            _ if is_exception(name) => self.exception(call),
            _ => self.visit_expr(&call.func),
        }
        let consumes = CONSUMERS.contains(&name)
            && !has_star
            && (args.len() == 1 || matches!(name, "sum" | "dict"))
            && !(matches!(name, "min" | "max")
                && keywords.iter().any(|it| it.arg.as_deref() == Some("key")));
        self.arguments(call, consumes);
    }

    fn may_be_stream(&self, file: &Expr) -> bool {
        matches!(file, Expr::Attribute(attribute) if self.module_path(&attribute.value).is_some())
            || self.known.bridged.get("io").is_none()
    }

    /// Whether the second argument of `isinstance` is a type, or a tuple of types, that the interpreter
    /// takes.
    fn are_plain_types(&self, types: &Expr) -> bool {
        match types {
            Expr::Name(name) => {
                let binding = self.scopes.resolve(self.scope, name.id.as_str());
                match binding {
                    None => {
                        let name = name.id.as_str();
                        PLAIN_TYPES.contains(&name) || is_exception(name)
                    }
                    Some(binding) => binding.class().is_some(),
                }
            }
            Expr::Tuple(tuple) => tuple
                .elts
                .iter()
                .all(|element| self.are_plain_types(element)),
            Expr::BinOp(_) => self.is_plain_union(types),
            _ => false,
        }
    }

    fn is_plain_union(&self, types: &Expr) -> bool {
        match types {
            Expr::BinOp(union) => {
                union.op == Operator::BitOr
                    && self.is_plain_union(&union.left)
                    && self.is_plain_union(&union.right)
            }
            Expr::NoneLiteral(_) => true,
            Expr::Name(_) => self.are_plain_types(types),
            _ => false,
        }
    }

    /// `int | str | None` as a tuple of types.
    fn union(&mut self, types: &'a Expr) {
        let mut parts = Vec::new();
        members(types, &mut parts);
        let text: Vec<&str> = parts
            .iter()
            .map(|part| match part {
                Expr::NoneLiteral(_) => "_mce_type(None)",
                other => self.source.slice(other.range()),
            })
            .collect();
        let text = format!("({})", text.join(", "));
        let padding = self.padding(types.range(), "");
        self.edits
            .replace(types.range(), format!("{padding}{text}"));
    }

    /// `getattr(x, "name")` and such: what is refused of attributes is refused here as well.
    fn named_attribute(&mut self, call: &'a ExprCall, callee: &'a ExprName, name: &str) {
        if name == "hasattr" {
            self.rename(callee, "_mce_has");
        }
        let Some(attribute) = call.arguments.args.get(1) else {
            return;
        };
        let Expr::StringLiteral(literal) = attribute else {
            return;
        };
        let text = literal.value.to_str();
        if text.starts_with("__") && name != "hasattr" || text.starts_with("_mce_") {
            self.refuse(
                format!("the attribute `{text}` by its text"),
                attribute.start(),
            );
        } else if name == "getattr"
            && (self.facts.has_api_errors || BUILTIN_METHODS.binary_search(&text).is_ok())
        {
            self.rename(callee, "_mce_get_bound");
            let make = if text.chars().all(|c| c.is_alphanumeric() || c == '_') {
                bound(text)
            } else {
                "None".to_owned()
            };
            self.edits.after(attribute.end(), format!(", {make}"));
        }
    }

    /// Exceptions of the interpreter hold at most one text.
    fn exception(&mut self, call: &'a ExprCall) {
        self.visit_expr(&call.func);
        let args = &*call.arguments.args;
        if !call.arguments.keywords.is_empty() || args.len() > 1 {
            self.refuse("an exception with several arguments", call.start());
            return;
        }
        let Some(message) = args.first() else {
            return;
        };
        let is_exit = call
            .func
            .as_name_expr()
            .is_some_and(|it| it.id == "SystemExit");
        if let Expr::NumberLiteral(number) = message
            && is_exit
            && number.value.is_int()
        {
            // The host reads the status from the text.
            self.edits.wrap(message.range(), "\"", "\"");
            return;
        }
        let is_text = match self.kind(message) {
            Kind::Unknown | Kind::Text | Kind::NotBool => !message.is_bytes_literal_expr(),
            _ => false,
        };
        let is_caught = message.is_name_expr() && self.is_exception_name(message);
        if !is_text || is_caught || message.is_starred_expr() {
            self.refuse(
                "an exception with an argument that is no text",
                message.start(),
            );
        }
    }

    fn is_exception_name(&self, expr: &Expr) -> bool {
        let binding = expr
            .as_name_expr()
            .and_then(|name| self.scopes.resolve(self.scope, name.id.as_str()));
        binding.is_some_and(|binding| {
            binding
                .sites
                .iter()
                .any(|site| matches!(site, super::scope::Site::Exception))
        })
    }

    fn call_of_method(&mut self, call: &'a ExprCall, attribute: &'a ExprAttribute) {
        let name = attribute.attr.as_str();
        let (args, keywords) = (&*call.arguments.args, &*call.arguments.keywords);
        let unpacks = args.iter().any(Expr::is_starred_expr);
        if name == "extend" && self.extend(call, attribute) {
            return;
        }
        let is_helped = METHODS.contains(&name)
            || (OF_ONE.contains(&name) && (args.len() != 1 || unpacks))
            || (OF_MATCHES.contains(&name) && !(args.is_empty() && keywords.is_empty()))
            // Texts replace two positional arguments, dates and times others.
            || (name == "replace" && (args.len() != 2 || unpacks || !keywords.is_empty()))
            || (name == "sort" && self.facts.compares);
        let is_helped = is_helped && !self.is_server(&attribute.value);
        if is_helped && (keywords.is_empty() || WITH_KEYWORDS.contains(&name)) {
            let empty = args.is_empty() && keywords.is_empty();
            let helper = format!("_mce_method_{name}");
            self.method(call, attribute, &helper, if empty { "" } else { ", " });
            self.visit_expr(&attribute.value);
            if let [argument @ Expr::Generator(generator)] = args
                && !generator.parenthesized
            {
                self.edits.wrap(argument.range(), "(", ")");
            }
            self.arguments(call, false);
            return;
        }
        self.attribute(attribute, true);
        self.arguments(call, name == "join" && args.len() == 1);
    }

    /// Makes a method's receiver the first argument of a helper.
    pub fn method(
        &mut self,
        call: &'a ExprCall,
        attribute: &'a ExprAttribute,
        helper: &str,
        comma: &str,
    ) {
        let between = TextRange::new(attribute.value.end(), attribute.attr.start());
        let Some(dot) = self.source.last(between, TokenKind::Dot) else {
            return;
        };
        let after = TextRange::new(attribute.end(), call.end());
        let Some(open) = self.source.first(after, TokenKind::Lpar) else {
            return;
        };
        self.edits.wrap(call.range(), format!("{helper}("), "");
        let gap = TextRange::new(dot.start(), open.end());
        let padding = self.padding(gap, "");
        self.edits.replace(gap, format!("{padding}{comma}"));
    }

    /// `any`, `all` and `next` of a generator expression, which stop at the first item that tells.
    fn search(&mut self, call: &'a ExprCall, callee: &'a ExprName, name: &str) -> bool {
        let (args, keywords) = (&*call.arguments.args, &*call.arguments.keywords);
        let search = match (name, args) {
            ("any", [Expr::Generator(_)]) => Search::Any,
            ("all", [Expr::Generator(_)]) => Search::All,
            ("next", [Expr::Generator(_)] | [Expr::Generator(_), _]) => Search::First,
            _ => return false,
        };
        let Some(Expr::Generator(generator)) = args.first() else {
            return false;
        };
        if !keywords.is_empty() {
            return false;
        }
        self.found(callee, generator, search);
        for argument in args.iter().skip(1) {
            self.visit_expr(argument);
        }
        true
    }
}

fn members<'e>(types: &'e Expr, into: &mut Vec<&'e Expr>) {
    match types {
        Expr::BinOp(union) => {
            members(&union.left, into);
            members(&union.right, into);
        }
        other => into.push(other),
    }
}
