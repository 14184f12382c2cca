//! The closed grammar of compiled modules: a docstring, three fixed imports, `_api = Api(…)` of
//! literals, `TypedDict` classes, names of unions of them, and stubs decorated with
//! `@_api.operation(…)` of literals whose body is a docstring and `...`. Nothing in it can run
//! anything but what the decorator does.

mod alias;
mod calls;
mod scan;

use std::collections::HashSet;
use std::ops::Range;

use ruff_python_ast::{
    Expr, ExprStringLiteral, Operator, Parameters, Stmt, StmtClassDef, StmtFunctionDef,
    StmtImportFrom,
};
use ruff_text_size::{Ranged, TextSize};

use super::semantics;

pub use calls::Arguments;

/// What a compiled module holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModuleFacts {
    /// The name given to `Api`.
    pub server: String,
    /// The keyword arguments given to `Api`.
    pub api: Arguments,
    /// The stubs in order.
    pub functions: Vec<Stub>,
    /// The `TypedDict` classes and the names of unions, in order.
    pub classes: Vec<Class>,
    /// The docstring and the imports in order.
    pub prologue: Vec<Prologue>,
    /// The bytes of `_api = Api(…)`.
    pub api_range: Range<usize>,
}

/// A statement before `_api`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prologue {
    /// The module that is imported from; `None` for the docstring.
    pub module: Option<String>,
    /// Its bytes.
    pub range: Range<usize>,
}

/// One `TypedDict`, or the name of a union.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub range: Range<usize>,
    /// The classes of the module that it names, each once, in order.
    pub uses: Vec<String>,
}

/// One decorated function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stub {
    /// Its name.
    pub name: String,
    /// The method given to the decorator.
    pub method: String,
    /// The path template given to the decorator.
    pub path: String,
    /// The keyword arguments given to the decorator.
    pub arguments: Arguments,
    /// Its parameters in order.
    pub parameters: Vec<String>,
    /// Those of them that have no default.
    pub required: Vec<String>,
    /// Its bytes, from the decorator on.
    pub range: Range<usize>,
    /// Where `def` stands.
    pub signature: usize,
    /// The classes of the module that its types name, each once, in order.
    pub uses: Vec<String>,
    /// Whether its types name anything of `typing`.
    pub uses_typing: bool,
}

/// Why a text is no compiled module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotInGrammar {
    /// Line, from 1.
    pub line: usize,
    /// What was expected.
    pub message: String,
}

/// Names of `typing` that a module may import.
const TYPING: &[&str] = &["Any", "Literal", "NotRequired", "Required", "TypedDict"];
/// Builtins that annotations may name.
const BUILTINS: &[&str] = &[
    "bool", "bytes", "dict", "float", "int", "list", "str", "tuple",
];

/// Reads a module that was compiled.
///
/// # Errors
///
/// At the first thing that the closed grammar does not allow.
pub fn read(source: &str) -> Result<ModuleFacts, NotInGrammar> {
    scan::scan(source)?;
    let parsed = ruff_python_parser::parse_module(source).map_err(|error| NotInGrammar {
        line: line_of(source, error.location.start()),
        message: "it is no Python".to_owned(),
    })?;
    if let Some(error) = semantics::errors(source, parsed.syntax()).first() {
        return Err(NotInGrammar {
            line: line_of(source, error.range.start()),
            message: format!("it is no Python: {error}"),
        });
    }
    let mut reader = Reader {
        source,
        facts: ModuleFacts::default(),
        names: HashSet::new(),
        types: HashSet::new(),
        forward: Vec::new(),
    };
    reader
        .module(&parsed.syntax().body)
        .map_err(|(place, message)| NotInGrammar {
            line: line_of(source, place),
            message: message.to_owned(),
        })?;
    Ok(reader.facts)
}

fn line_of(source: &str, place: TextSize) -> usize {
    let end = usize::from(place).min(source.len());
    source
        .as_bytes()
        .iter()
        .take(end)
        .filter(|byte| **byte == b'\n')
        .count()
        + 1
}

type Refusal = (TextSize, &'static str);

struct Reader<'a> {
    source: &'a str,
    facts: ModuleFacts,
    names: HashSet<String>,
    /// Those of them that are classes and names of unions.
    types: HashSet<String>,
    /// Names that annotations use, to be defined somewhere in the module.
    forward: Vec<(TextSize, String)>,
}

impl Reader<'_> {
    fn module(&mut self, body: &[Stmt]) -> Result<(), Refusal> {
        let mut statements = body.iter();
        let first = statements
            .next()
            .ok_or((TextSize::new(0), "the module is empty"))?;
        if !is_docstring(first) {
            return Err((first.start(), "expected a docstring"));
        }
        self.facts.prologue.push(Prologue {
            module: None,
            range: bytes(first),
        });
        let mut is_bound = false;
        // Without it annotations would be evaluated, and names in them used before they are bound.
        let mut is_postponed = false;
        for statement in statements {
            match statement {
                Stmt::ImportFrom(import) if !is_bound => {
                    is_postponed |= import.module.as_deref() == Some("__future__");
                    self.import(import)?;
                }
                Stmt::Assign(assign) => {
                    let [Expr::Name(target)] = assign.targets.as_slice() else {
                        return Err((assign.start(), "expected an assignment to one name"));
                    };
                    if is_bound && assign.value.is_bin_op_expr() {
                        self.alias(target.start(), target.id.as_str(), assign)?;
                        continue;
                    }
                    let Expr::Call(call) = assign.value.as_ref() else {
                        return Err((assign.start(), "expected `Api(…)` or `TypedDict(…)`"));
                    };
                    let called = name_of(&call.func).unwrap_or_default();
                    if called == "Api" && target.id.as_str() == "_api" && !is_bound {
                        is_bound = true;
                        self.facts.api_range = bytes(assign);
                        (self.facts.server, self.facts.api) = calls::api(&call.arguments)?;
                    } else if called == "TypedDict" && is_bound {
                        let known = self.forward.len();
                        for text in calls::typed_dict(target.id.as_str(), &call.arguments)? {
                            self.text_annotation(text)?;
                        }
                        self.class_name(target.start(), target.id.as_str())?;
                        self.note_class(target.id.as_str(), bytes(assign), known);
                    } else {
                        return Err((assign.start(), "expected `_api = Api(…)` or a `TypedDict`"));
                    }
                }
                Stmt::ClassDef(class) if is_bound => self.class(class)?,
                Stmt::FunctionDef(function) if is_bound => self.function(function)?,
                other => return Err((other.start(), "this statement is not allowed here")),
            }
        }
        if !is_bound {
            return Err((TextSize::new(0), "expected `_api = Api(…)`"));
        }
        if !is_postponed {
            return Err((
                TextSize::new(0),
                "expected `from __future__ import annotations`",
            ));
        }
        self.keep_classes_only();
        for (place, name) in &self.forward {
            if !BUILTINS.contains(&name.as_str()) && !self.names.contains(name) {
                return Err((
                    *place,
                    "an annotation names what the module does not define",
                ));
            }
        }
        Ok(())
    }

    fn import(&mut self, import: &StmtImportFrom) -> Result<(), Refusal> {
        let allowed: &[&str] = match import.module.as_deref() {
            Some("__future__") => &["annotations"],
            Some("typing") => TYPING,
            Some("mce_runtime") => &["Api", "ApiError", "EventStream", "ItemStream", "NULL"],
            _ => return Err((import.start(), "this module is not imported from")),
        };
        if import.level != 0
            || import.names.iter().any(|alias| {
                // `X as X` marks a name that the module hands on (PEP 484).
                alias
                    .asname
                    .as_ref()
                    .is_some_and(|to| to.as_str() != alias.name.as_str())
                    || !allowed.contains(&alias.name.as_str())
            })
        {
            return Err((import.start(), "this name is not imported"));
        }
        self.facts.prologue.push(Prologue {
            module: import.module.as_ref().map(ToString::to_string),
            range: bytes(import),
        });
        let imported = import.names.iter().map(|alias| alias.name.to_string());
        self.names
            .extend(imported.filter(|name| name != "annotations"));
        Ok(())
    }

    fn class_name(&mut self, place: TextSize, name: &str) -> Result<(), Refusal> {
        let mut characters = name.chars();
        let is_legal = characters.next().is_some_and(|c| c.is_ascii_uppercase())
            && characters.all(|c| c.is_ascii_alphanumeric());
        if !is_legal || !self.names.insert(name.to_owned()) {
            return Err((place, "the name of a class is malformed or taken"));
        }
        Ok(())
    }

    /// Notes a class or the name of a union, whose types are what was read since `known`.
    fn note_class(&mut self, name: &str, range: Range<usize>, known: usize) {
        let uses = self.names_since(known);
        self.types.insert(name.to_owned());
        self.facts.classes.push(Class {
            name: name.to_owned(),
            range,
            uses,
        });
    }

    /// The names that types read since `known` hold, each once.
    fn names_since(&self, known: usize) -> Vec<String> {
        let mut seen = HashSet::new();
        let names = self.forward.iter().skip(known);
        names
            .filter(|(_, name)| seen.insert(name.as_str()))
            .map(|(_, name)| name.clone())
            .collect()
    }

    /// Leaves only classes among the names that definitions use.
    fn keep_classes_only(&mut self) {
        for class in &mut self.facts.classes {
            class.uses.retain(|name| self.types.contains(name));
        }
        for stub in &mut self.facts.functions {
            stub.uses.retain(|name| self.types.contains(name));
        }
    }

    fn class(&mut self, class: &StmtClassDef) -> Result<(), Refusal> {
        self.class_name(class.start(), &class.name)?;
        let known = self.forward.len();
        let arguments = class.arguments.as_deref();
        let is_typed_dict = arguments.is_some_and(|arguments| {
            matches!(arguments.args.as_ref(), [base] if name_of(base) == Some("TypedDict"))
                && arguments.keywords.iter().all(|keyword| {
                    keyword.arg.as_deref() == Some("total")
                        && matches!(keyword.value, Expr::BooleanLiteral(_))
                })
        });
        if !is_typed_dict || !class.decorator_list.is_empty() || class.type_params.is_some() {
            return Err((class.start(), "expected a `TypedDict`"));
        }
        for (index, statement) in class.body.iter().enumerate() {
            match statement {
                Stmt::AnnAssign(field) if field.simple && field.value.is_none() => {
                    if name_of(&field.target).is_none() {
                        return Err((field.start(), "expected a key"));
                    }
                    self.annotation(&field.annotation)?;
                }
                docstring if index == 0 && is_docstring(docstring) => {}
                other => return Err((other.start(), "expected a key and its type")),
            }
        }
        self.note_class(&class.name, bytes(class), known);
        Ok(())
    }

    fn function(&mut self, function: &StmtFunctionDef) -> Result<(), Refusal> {
        let place = function.start();
        let name = function.name.as_str();
        let is_legal = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if !is_legal || !self.names.insert(name.to_owned()) {
            return Err((place, "the name of a function is malformed or taken"));
        }
        if function.is_async || function.type_params.is_some() {
            return Err((place, "expected a plain function"));
        }
        let [decorator] = function.decorator_list.as_slice() else {
            return Err((place, "expected one decorator"));
        };
        let calls::Operation {
            method,
            path,
            arguments,
        } = calls::operation(&decorator.expression)?;
        let known = self.forward.len();
        let (parameters, required) = self.parameters(&function.parameters)?;
        let returns = function
            .returns
            .as_deref()
            .ok_or((place, "expected a return type"))?;
        self.annotation(returns)?;
        let is_stub = matches!(function.body.as_slice(), [docstring, Stmt::Expr(last)]
            if is_docstring(docstring) && matches!(last.value.as_ref(), Expr::EllipsisLiteral(_)));
        if !is_stub {
            return Err((place, "expected a docstring and `...` as body"));
        }
        let uses = self.names_since(known);
        let uses_typing = uses.iter().any(|name| TYPING.contains(&name.as_str()));
        self.facts.functions.push(Stub {
            name: name.to_owned(),
            method,
            path,
            arguments,
            parameters,
            required,
            range: bytes(function),
            signature: self.signature(decorator.end()),
            uses,
            uses_typing,
        });
        Ok(())
    }

    /// Where the line after a decorator begins.
    fn signature(&self, decorator: TextSize) -> usize {
        let end = usize::from(decorator);
        let rest = self.source.get(end..).unwrap_or_default();
        end + rest.len() - rest.trim_start().len()
    }

    /// The names of all parameters, and of those that have no default.
    fn parameters(
        &mut self,
        parameters: &Parameters,
    ) -> Result<(Vec<String>, Vec<String>), Refusal> {
        if !parameters.posonlyargs.is_empty()
            || !parameters.args.is_empty()
            || parameters.vararg.is_some()
            || parameters.kwarg.is_some()
        {
            return Err((parameters.start(), "expected keyword-only parameters"));
        }
        let (mut names, mut required) = (Vec::new(), Vec::new());
        for parameter in &parameters.kwonlyargs {
            let annotation = parameter.parameter.annotation.as_deref();
            let annotation = annotation.ok_or((parameter.start(), "expected a type"))?;
            self.annotation(annotation)?;
            if parameter
                .default
                .as_deref()
                .is_some_and(|value| !value.is_none_literal_expr())
            {
                return Err((parameter.start(), "expected no default but `None`"));
            }
            let name = parameter.parameter.name.to_string();
            if parameter.default.is_none() {
                required.push(name.clone());
            }
            names.push(name);
        }
        Ok((names, required))
    }

    /// The type that a text spells. Python compiles such a text when the module is imported, and
    /// runs it for whoever resolves the annotations.
    fn text_annotation(&mut self, text: &ExprStringLiteral) -> Result<(), Refusal> {
        let parsed = super::parse_expression(text.value.to_str());
        let parsed = parsed.ok_or((text.start(), "expected the text of a type"))?;
        let known = self.forward.len();
        // Places in the text mean nothing in the module.
        self.annotation(&parsed)
            .map_err(|(_, message)| (text.start(), message))?;
        for (place, _) in self.forward.iter_mut().skip(known) {
            *place = text.start();
        }
        Ok(())
    }

    /// A type: names, `|`, and subscripts of them. The scan has bounded its depth.
    fn annotation(&mut self, annotation: &Expr) -> Result<(), Refusal> {
        match annotation {
            Expr::Name(name) => {
                self.forward.push((name.start(), name.id.to_string()));
                Ok(())
            }
            Expr::NoneLiteral(_) => Ok(()),
            Expr::BinOp(union) if union.op == Operator::BitOr => {
                self.annotation(&union.left)?;
                self.annotation(&union.right)
            }
            Expr::Subscript(subscript) => {
                let name = name_of(&subscript.value).unwrap_or_default();
                self.forward.push((subscript.start(), name.to_owned()));
                let items = match subscript.slice.as_ref() {
                    Expr::Tuple(tuple) => tuple.elts.as_slice(),
                    other => std::slice::from_ref(other),
                };
                match name {
                    "Literal" => items.iter().try_for_each(calls::literal),
                    "list" | "dict" | "tuple" | "EventStream" | "ItemStream" | "NotRequired"
                    | "Required" => items.iter().try_for_each(|item| self.annotation(item)),
                    _ => Err((subscript.start(), "this type has no parameters")),
                }
            }
            other => Err((other.start(), "expected a type")),
        }
    }
}

fn bytes(node: &impl Ranged) -> Range<usize> {
    node.start().to_usize()..node.end().to_usize()
}

fn is_docstring(statement: &Stmt) -> bool {
    matches!(statement, Stmt::Expr(statement) if statement.value.is_string_literal_expr())
}

fn name_of(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Name(name) => Some(name.id.as_str()),
        _ => None,
    }
}

fn text_of(expression: &Expr) -> Option<String> {
    match expression {
        Expr::StringLiteral(literal) => Some(literal.value.to_str().to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
