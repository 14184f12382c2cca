//! Classes.

use crate::pysyntax::Ranged;
use crate::pysyntax::ast::visitor::Visitor as _;
use crate::pysyntax::ast::{Arguments, Expr, Stmt, StmtClassDef, StmtFunctionDef};

use super::rewrite::Rewriter;

/// The special methods that the interpreter calls, and those that lowered code does.
const METHODS: &[&str] = &[
    "__aenter__",
    "__aexit__",
    "__aiter__",
    "__anext__",
    "__contains__",
    "__enter__",
    "__eq__",
    "__exit__",
    "__hash__",
    "__init__",
    "__iter__",
    "__next__",
    "__repr__",
    "__str__",
];

/// The options of `dataclass` that the interpreter has.
const DATACLASS_OPTIONS: &[&str] = &["eq", "frozen"];

/// How many bases of a class, and how many classes from one to the next, are looked at.
const MAX_BASES: usize = 4;
const MAX_FOLLOWED: usize = 5;

const TYPING: &[&str] = &["typing", "typing_extensions"];

/// What a class is by its bases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bases {
    /// None that matter.
    Plain,
    Protocol,
    TypedDict,
    NamedTuple,
    Unsupported,
}

impl<'a> Rewriter<'_, 'a> {
    pub fn class(&mut self, class: &'a StmtClassDef) {
        let bases = self.bases(class, 0);
        if class.decorator_list.is_empty() {
            match bases {
                Bases::TypedDict => {
                    self.typed_dict(class);
                    return;
                }
                Bases::NamedTuple => {
                    self.named_tuple(class);
                    return;
                }
                Bases::Protocol if self.is_unused(class) => {
                    let text = format!("{} = None", class.name);
                    self.replace_statement(class.range(), text);
                    return;
                }
                _ => {}
            }
        }
        if !matches!(bases, Bases::Plain | Bases::Protocol) {
            self.refuse("inheritance of classes", class.start());
            return;
        }
        if self.in_class_body() {
            self.refuse("a class in a class body", class.start());
            return;
        }
        for decorator in &class.decorator_list {
            self.class_decorator(&decorator.expression);
        }
        if let Some(arguments) = &class.arguments {
            let padding = self.padding(arguments.range(), "");
            let text = if padding.is_empty() {
                String::new()
            } else {
                format!("({padding})")
            };
            self.edits.replace(arguments.range(), text);
        }
        let is_dataclass = self.is_dataclass(class);
        let Some(first) = class.body.first() else {
            return;
        };
        let outside = self.indent(first);
        self.inside(class.range(), |this| {
            for stmt in &class.body {
                this.class_member(stmt, is_dataclass);
            }
        });
        self.indentation = outside;
    }

    /// Whether nothing but annotations names a class.
    fn is_unused(&self, class: &StmtClassDef) -> bool {
        let binding = self.scopes.resolve(self.scope, class.name.as_str());
        binding.is_some_and(|binding| binding.loads == 0)
    }

    fn bases(&self, class: &StmtClassDef, depth: usize) -> Bases {
        let Some(arguments) = class.arguments.as_deref() else {
            return Bases::Plain;
        };
        if arguments.args.len() > MAX_BASES {
            return Bases::Unsupported;
        }
        let mut found = Bases::Plain;
        for base in &arguments.args {
            let kind = self.base(base, depth);
            found = match (found, kind) {
                (_, Bases::Unsupported) => return Bases::Unsupported,
                (Bases::Plain, kind) => kind,
                (found, Bases::Plain) => found,
                (found, kind) if found == kind => found,
                _ => return Bases::Unsupported,
            };
        }
        let is_total = |arguments: &Arguments| {
            arguments
                .keywords
                .iter()
                .all(|keyword| keyword.arg.as_deref() == Some("total"))
        };
        if arguments.keywords.is_empty() || (found == Bases::TypedDict && is_total(arguments)) {
            found
        } else {
            Bases::Unsupported
        }
    }

    fn base(&self, base: &Expr, depth: usize) -> Bases {
        let named = match base {
            Expr::Subscript(subscript) => &*subscript.value,
            other => other,
        };
        if self.is_member(named, TYPING, "TypedDict") {
            return Bases::TypedDict;
        }
        if self.is_member(named, TYPING, "NamedTuple") {
            return Bases::NamedTuple;
        }
        if self.is_member(named, TYPING, "Protocol") {
            return Bases::Protocol;
        }
        if self.is_builtin(base, "object")
            || self.is_member(named, TYPING, "Generic")
            || self.is_member(base, &["abc"], "ABC")
        {
            return Bases::Plain;
        }
        let class = base
            .as_name_expr()
            .and_then(|name| self.scopes.resolve(self.scope, name.id.as_str())?.class());
        match class {
            Some(class) if depth < MAX_FOLLOWED => match self.bases(class, depth + 1) {
                Bases::TypedDict => Bases::TypedDict,
                _ => Bases::Unsupported,
            },
            _ => Bases::Unsupported,
        }
    }

    /// Whether something that is no class stands for one.
    pub fn is_replaced(&self, class: &StmtClassDef) -> bool {
        !matches!(self.bases(class, 0), Bases::Plain)
    }

    /// Whether a class takes types for its parameters.
    pub fn is_generic(&self, class: &StmtClassDef) -> bool {
        let bases = class.arguments.as_deref().map_or(&[][..], |it| &it.args);
        self.bases(class, 0) == Bases::Plain
            && (class.type_params.is_some()
                || bases.iter().any(|base| {
                    base.as_subscript_expr()
                        .is_some_and(|base| self.is_member(&base.value, TYPING, "Generic"))
                }))
    }

    /// A `TypedDict` gives dicts.
    fn typed_dict(&mut self, class: &'a StmtClassDef) {
        for stmt in &class.body {
            let is_field = match stmt {
                Stmt::AnnAssign(field) => field.value.is_none(),
                other => is_empty(other),
            };
            if !is_field {
                self.refuse("such a body of a `TypedDict`", stmt.start());
                return;
            }
        }
        let text = format!("{} = _mce_typed_dict", class.name);
        self.replace_statement(class.range(), text);
    }

    fn named_tuple(&mut self, class: &'a StmtClassDef) {
        let mut fields = Vec::new();
        let mut defaults = Vec::new();
        for stmt in &class.body {
            match stmt {
                Stmt::AnnAssign(field) => {
                    let Expr::Name(name) = &*field.target else {
                        return;
                    };
                    if name.id.starts_with('_') {
                        self.refuse("such a field of a `NamedTuple`", name.start());
                    }
                    fields.push(format!("\"{}\"", name.id));
                    if let Some(value) = &field.value {
                        defaults.push(format!("({})", self.rendered(value)));
                    } else if !defaults.is_empty() {
                        self.refuse("a field without a default after one with", name.start());
                    }
                }
                other if is_empty(other) => {}
                other => {
                    self.refuse("methods of a `NamedTuple`", other.start());
                    return;
                }
            }
        }
        let text = format!(
            "{name} = _mce_namedtuple(\"{name}\", [{}], [{}])",
            fields.join(", "),
            defaults.join(", "),
            name = class.name,
        );
        self.replace_statement(class.range(), text);
    }

    pub fn is_dataclass(&self, class: &StmtClassDef) -> bool {
        class.decorator_list.iter().any(|decorator| {
            let named = match &decorator.expression {
                Expr::Call(call) => &*call.func,
                other => other,
            };
            self.is_member(named, &["dataclasses"], "dataclass")
        })
    }

    fn class_decorator(&mut self, decorator: &'a Expr) {
        if let Expr::Call(call) = decorator
            && self.is_member(&call.func, &["dataclasses"], "dataclass")
        {
            for keyword in &call.arguments.keywords {
                let name = keyword.arg.as_deref().unwrap_or("**");
                if !DATACLASS_OPTIONS.contains(&name) {
                    self.refuse(
                        format!("the option `{name}` of `dataclass`"),
                        keyword.start(),
                    );
                }
            }
        }
        self.visit_expr(decorator);
    }

    fn class_member(&mut self, stmt: &'a Stmt, is_dataclass: bool) {
        match stmt {
            Stmt::FunctionDef(method) => self.class_method(method),
            Stmt::Assign(assign) => {
                let [Expr::Name(name)] = assign.targets.as_slice() else {
                    self.refuse("this assignment in a class body", assign.start());
                    return;
                };
                let name = name.id.as_str();
                if name.starts_with("__") && name.ends_with("__") && name != "__match_args__" {
                    self.refuse(format!("`{name}` in a class body"), assign.start());
                }
                self.visit_stmt(stmt);
            }
            Stmt::AnnAssign(assign) => {
                if !assign.target.is_name_expr() {
                    self.refuse("this annotation in a class body", assign.start());
                }
                let annotation = self.source.slice(assign.annotation.range());
                if is_dataclass
                    && (annotation.contains("InitVar") || annotation.contains("ClassVar"))
                {
                    self.refuse("this annotation in a dataclass", assign.annotation.start());
                }
                self.visit_stmt(stmt);
            }
            other if is_empty(other) => {}
            other => self.refuse("such a statement in a class body", other.start()),
        }
    }

    fn class_method(&mut self, method: &'a StmtFunctionDef) {
        let name = method.name.as_str();
        if let Some(decorator) = method.decorator_list.first() {
            let text = self.source.slice(decorator.expression.range());
            let text = text.split(['\n', '(']).next().unwrap_or_default();
            self.refuse(
                format!("the decorator `{text}` of a method"),
                decorator.start(),
            );
        } else if name.starts_with("__") && name.ends_with("__") && !METHODS.contains(&name) {
            self.refuse(
                format!("the method `{name}` of a class"),
                method.name.start(),
            );
        }
        self.visit_function(method);
    }

    /// Whether some scope around is a class.
    pub fn is_in_class(&self) -> bool {
        let mut at = Some(self.scope);
        while let Some(scope) = at {
            if self.scopes.kind(scope) == super::scope::Kind::Class {
                return true;
            }
            at = self.scopes.parent(scope);
        }
        false
    }

    /// Refuses names that a class would mangle where that could be seen.
    pub fn check_private(&mut self, name: &str, at: crate::pysyntax::TextSize, is_attribute: bool) {
        let is_private = name.starts_with("__") && !name.ends_with("__");
        let is_mangled = name.starts_with('_')
            && !name.starts_with("__")
            && name.trim_start_matches('_').contains("__");
        // As attributes they are private in a class, and plain outside; names of a class body or a
        // method are mangled as well.
        if (is_private && is_attribute != self.is_in_class()) || (is_mangled && is_attribute) {
            self.refuse(format!("the private name `{name}` here"), at);
        }
    }
}

/// Whether a statement of a class body is nothing but words.
fn is_empty(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Pass(_) => true,
        Stmt::Expr(it) => matches!(
            &*it.value,
            Expr::StringLiteral(_) | Expr::EllipsisLiteral(_)
        ),
        _ => false,
    }
}
