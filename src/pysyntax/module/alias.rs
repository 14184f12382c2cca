//! Names of unions: `Animal = Cat | Dog`. Unlike annotations they are evaluated when the module is
//! imported, so they hold nothing but types that are bound above them.

use ruff_python_ast::{Expr, StmtAssign};
use ruff_text_size::{Ranged, TextSize};

use super::{BUILTINS, Reader, Refusal, bytes, name_of};

/// Names of `typing` that may be evaluated in a union.
const TYPING: &[&str] = &["Any", "Literal"];

impl Reader<'_> {
    pub(super) fn alias(
        &mut self,
        place: TextSize,
        name: &str,
        assign: &StmtAssign,
    ) -> Result<(), Refusal> {
        let known = self.forward.len();
        self.annotation(&assign.value)?;
        for (place, name) in self.forward.iter().skip(known) {
            let name = name.as_str();
            let is_bound = BUILTINS.contains(&name)
                || self.types.contains(name)
                || TYPING.contains(&name) && self.names.contains(name);
            if !is_bound {
                return Err((*place, "a union names what is not defined above it"));
            }
        }
        if !is_evaluable(&assign.value) {
            return Err((assign.start(), "expected `None` last"));
        }
        self.class_name(place, name)?;
        self.note_class(name, bytes(assign), known);
        Ok(())
    }
}

/// Whether no `|` of a type has `None` before it: Python has no such operator for two of them.
fn is_evaluable(annotation: &Expr) -> bool {
    match annotation {
        Expr::BinOp(union) => {
            !union.left.is_none_literal_expr()
                && is_evaluable(&union.left)
                && is_evaluable(&union.right)
        }
        Expr::Subscript(subscript) if name_of(&subscript.value) != Some("Literal") => {
            match subscript.slice.as_ref() {
                Expr::Tuple(tuple) => tuple.elts.iter().all(is_evaluable),
                other => is_evaluable(other),
            }
        }
        _ => true,
    }
}
