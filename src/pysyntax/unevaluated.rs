//! The parts of a module that Python reads and never evaluates, where a name that nothing defines
//! does no harm.

use std::ops::Range;

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Expr, Stmt, TypeParam};
use ruff_text_size::{Ranged as _, TextRange};

use super::parse;

/// The ranges, in bytes, of texts, of type aliases and parameters, and of annotations that Python
/// 3.13 does not evaluate: those of local variables, and all where `from __future__ import
/// annotations` stands. Empty where the code does not parse.
#[must_use]
pub fn unevaluated(source: &str) -> Vec<Range<usize>> {
    let Ok(module) = parse(source) else {
        return Vec::new();
    };
    let mut visitor = Unevaluated {
        postponed: module.body.iter().any(postpones),
        in_function: false,
        ranges: Vec::new(),
    };
    visitor.visit_body(&module.body);
    visitor.ranges
}

fn postpones(stmt: &Stmt) -> bool {
    let Stmt::ImportFrom(import) = stmt else {
        return false;
    };
    import.module.as_deref() == Some("__future__")
        && import.names.iter().any(|it| &*it.name == "annotations")
}

struct Unevaluated {
    postponed: bool,
    /// Whether the innermost scope is a function's.
    in_function: bool,
    ranges: Vec<Range<usize>>,
}

impl Unevaluated {
    fn take(&mut self, range: TextRange) {
        self.ranges
            .push(range.start().to_usize()..range.end().to_usize());
    }
}

impl<'a> Visitor<'a> for Unevaluated {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        let outside = self.in_function;
        match stmt {
            // Annotated assignments of this statement are those of its body.
            Stmt::FunctionDef(_) => self.in_function = true,
            Stmt::ClassDef(_) => self.in_function = false,
            Stmt::AnnAssign(assignment) if self.in_function => {
                self.take(assignment.annotation.range());
            }
            Stmt::TypeAlias(alias) => self.take(alias.value.range()),
            _ => {}
        }
        visitor::walk_stmt(self, stmt);
        self.in_function = outside;
    }

    fn visit_annotation(&mut self, annotation: &'a Expr) {
        if self.postponed {
            self.take(annotation.range());
        }
        visitor::walk_annotation(self, annotation);
    }

    fn visit_type_param(&mut self, parameter: &'a TypeParam) {
        self.take(parameter.range());
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if expression.is_string_literal_expr() {
            self.take(expression.range());
        }
        visitor::walk_expr(self, expression);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of the names `X1`, `X2`, … stand where Python does not look them up.
    fn harmless(source: &str) -> Vec<&str> {
        let ranges = unevaluated(source);
        let places = source.match_indices('X');
        places
            .filter(|(at, _)| ranges.iter().any(|range| range.contains(at)))
            .map(|(at, _)| &source[at..at + 2])
            .collect()
    }

    #[test]
    fn annotations_are_those_that_python_skips() {
        let source = "
a: X1 = 1
def f(b: X2, c: 'X3' = X4) -> X5:
    d: X6 = X7
    class C:
        e: X8
type T[U: X9] = X0
";
        assert_eq!(harmless(source), ["X3", "X6", "X9", "X0"]);
        let postponed = format!("from __future__ import annotations{source}");
        assert_eq!(
            harmless(&postponed),
            ["X1", "X2", "X3", "X5", "X6", "X8", "X9", "X0"]
        );
    }

    #[test]
    fn names_in_the_braces_of_a_text_are_evaluated() {
        assert_eq!(harmless("cast('X1', f'X2 {X3}', [X4])"), ["X1"]);
    }
}
