//! Code that awaits outside of functions, as the body of one: what it awaits may need a loop that runs
//! for as long as the code does.

use super::Lowered;
use super::scope::Scopes;
use crate::pysyntax::ast::visitor::{Visitor, walk_expr, walk_stmt};
use crate::pysyntax::ast::{Expr, Stmt};
use crate::pysyntax::{Ranged as _, TextRange, parse};

/// The function that the code becomes the body of.
pub const TOP: &str = "_mce_top";

/// Makes a function of code that awaits outside of functions. Its names stay those of the module, and
/// what its last expression gives is returned.
pub fn wrapped(mut lowered: Lowered) -> Lowered {
    let Ok(module) = parse(&lowered.code) else {
        return lowered;
    };
    let mut found = Found::default();
    found.visit_body(&module.body);
    if !found.awaits {
        return lowered;
    }
    let scopes = Scopes::of(&module.body);
    let names: Vec<&str> = scopes.names_of_module().collect();
    let last = match module.body.last() {
        Some(Stmt::Expr(last)) => Some(last.start().to_usize()),
        _ => None,
    };
    let mut code = format!("async def {TOP}():\n");
    let mut lines = vec![1];
    if !names.is_empty() {
        code.extend([" global ", names.join(", ").as_str(), "\n"]);
        lines.push(1);
    }
    let mut at = 0;
    for line in lowered.code.split_inclusive('\n') {
        if !found.is_within_text(at) {
            code.push(' ');
        }
        match last.and_then(|last| line.split_at_checked(last.checked_sub(at)?)) {
            Some((before, after)) if !after.is_empty() => {
                code.extend([before, "return ", after]);
            }
            _ => code.push_str(line),
        }
        at += line.len();
    }
    lines.append(&mut lowered.lines);
    Lowered {
        code,
        lines,
        awaits: true,
        ..lowered
    }
}

#[derive(Default)]
struct Found {
    awaits: bool,
    depth: usize,
    /// Literals that reach over several lines.
    texts: Vec<TextRange>,
}

impl Found {
    /// Whether a place is within a literal, where white space counts.
    fn is_within_text(&self, at: usize) -> bool {
        self.texts
            .iter()
            .any(|text| text.start().to_usize() < at && at < text.end().to_usize())
    }
}

impl<'a> Visitor<'a> for Found {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        let is_scope = matches!(statement, Stmt::FunctionDef(_) | Stmt::ClassDef(_));
        self.depth += usize::from(is_scope);
        walk_stmt(self, statement);
        self.depth -= usize::from(is_scope);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Await(_) => self.awaits |= self.depth == 0,
            Expr::StringLiteral(_)
            | Expr::BytesLiteral(_)
            | Expr::FString(_)
            | Expr::TString(_) => self.texts.push(expression.range()),
            _ => {}
        }
        let is_scope = matches!(expression, Expr::Lambda(_));
        self.depth += usize::from(is_scope);
        walk_expr(self, expression);
        self.depth -= usize::from(is_scope);
    }
}
