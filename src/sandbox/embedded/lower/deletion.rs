//! `del`.

use crate::pysyntax::ast::{Expr, StmtDelete};
use crate::pysyntax::{Ranged, TextRange};

use super::rewrite::Rewriter;

/// Whether a target is a variable, or holds one.
pub fn names_a_variable(target: &Expr) -> bool {
    match target {
        Expr::Name(_) => true,
        Expr::Tuple(tuple) => tuple.elts.iter().any(names_a_variable),
        Expr::List(list) => list.elts.iter().any(names_a_variable),
        _ => false,
    }
}

impl<'a> Rewriter<'_, 'a> {
    pub fn delete(&mut self, delete: &'a StmtDelete) {
        if self.in_class_body() {
            self.refuse("`del` in a class body", delete.start());
            return;
        }
        let mut steps = Vec::new();
        for target in &delete.targets {
            self.delete_target(target, &mut steps);
        }
        if steps.is_empty() {
            // `del ()` deletes nothing.
            steps.push("pass".to_owned());
        }
        let takes_lines = delete.targets.iter().any(names_a_variable);
        if takes_lines {
            let text = steps.join(&self.line_break());
            self.edits.replace(delete.range(), text);
        } else {
            self.replace_statement(delete.range(), steps.join("; "));
        }
    }

    fn delete_target(&mut self, target: &'a Expr, steps: &mut Vec<String>) {
        match target {
            Expr::Name(name) => {
                let at = name.start();
                let name = name.id.as_str();
                let binding = self.scopes.resolve(self.scope, name);
                if binding.is_none_or(|binding| binding.sites.is_empty()) {
                    self.refuse(
                        format!("`del` of `{name}`, which the code does not bind"),
                        at,
                    );
                }
                // The end of an `except` clause unbinds its name.
                steps.push(name.to_owned());
                steps.push("try: raise _mce_Deleted".to_owned());
                steps.push(format!("except _mce_Deleted as {name}: pass"));
            }
            Expr::Tuple(tuple) => {
                for element in &tuple.elts {
                    self.delete_target(element, steps);
                }
            }
            Expr::List(list) => {
                for element in &list.elts {
                    self.delete_target(element, steps);
                }
            }
            Expr::Subscript(subscript) => {
                let container = self.rendered(&subscript.value);
                let key = self.key(&subscript.slice);
                steps.push(format!("_mce_delete_item(({container}), {key})"));
            }
            Expr::Attribute(attribute) => {
                self.refuse("`del` of an attribute", attribute.start());
            }
            other => self.refuse("`del` of this", other.start()),
        }
    }

    /// The text of what stands between the brackets of a subscript, as an argument.
    pub fn key(&mut self, slice: &'a Expr) -> String {
        match slice {
            Expr::Slice(slice) => {
                let parts = [&slice.lower, &slice.upper, &slice.step];
                let parts = parts.map(|part| {
                    part.as_ref().map_or_else(
                        || "None".to_owned(),
                        |part| format!("({})", self.rendered(part)),
                    )
                });
                format!("_mce_slice({})", parts.join(", "))
            }
            Expr::Tuple(tuple) if tuple.elts.iter().any(Expr::is_slice_expr) => {
                self.refuse("several slices at once", tuple.start());
                String::new()
            }
            Expr::Tuple(tuple) if !tuple.parenthesized && tuple.elts.len() == 1 => {
                let text = self.rendered(slice);
                format!("({},)", text.trim_end_matches([',', ' ']))
            }
            other => format!("({})", self.rendered(other)),
        }
    }

    /// The range of a node with all parentheses around it in a statement.
    pub fn grown(&self, range: TextRange, statement: TextRange) -> TextRange {
        self.source.with_parentheses(range, statement)
    }
}
