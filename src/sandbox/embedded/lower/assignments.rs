//! Assignments of every form.

use crate::pysyntax::ast::{
    Expr, ExprSubscript, Operator, Stmt, StmtAnnAssign, StmtAssign, StmtAugAssign, StmtTypeAlias,
};
use crate::pysyntax::{Ranged, TextRange};

use super::infer::Kind;
use super::operators::is_positive;
use super::rewrite::Rewriter;
use super::types::{GENERIC, is_form, looks_like_type};

/// An expression that gives the same, and does nothing, each time that it is evaluated.
fn is_simple(expr: &Expr) -> bool {
    match expr {
        Expr::Name(_) | Expr::NumberLiteral(_) | Expr::StringLiteral(_) => true,
        Expr::Attribute(attribute) => is_simple(&attribute.value),
        _ => false,
    }
}

/// Whether a target holds others than names.
fn is_mixed(target: &Expr) -> bool {
    match target {
        Expr::Name(_) => false,
        Expr::Starred(starred) => is_mixed(&starred.value),
        Expr::Tuple(tuple) => tuple.elts.iter().any(is_mixed),
        Expr::List(list) => list.elts.iter().any(is_mixed),
        _ => true,
    }
}

fn is_sequence(target: &Expr) -> bool {
    matches!(target, Expr::Tuple(_) | Expr::List(_))
}

impl<'a> Rewriter<'_, 'a> {
    pub fn assign(&mut self, assign: &'a StmtAssign) {
        if let ([Expr::Name(name)], true) =
            (assign.targets.as_slice(), looks_like_type(&assign.value))
        {
            self.alias(name.id.as_str(), &assign.value);
            return;
        }
        let is_special = |target: &Expr| match target {
            Expr::Subscript(subscript) => subscript.slice.is_slice_expr(),
            Expr::Tuple(_) | Expr::List(_) => is_mixed(target),
            _ => false,
        };
        if !assign.targets.iter().any(is_special) {
            self.value(&assign.value, &assign.targets);
            for target in &assign.targets {
                self.target(target);
            }
            return;
        }
        if self.in_class_body() {
            self.refuse("this assignment in a class body", assign.start());
            return;
        }
        let value = self.rendered_by(assign.value.range(), |this| {
            this.value(&assign.value, &assign.targets);
        });
        // What is unpacked or starred has its own parentheses, but for a bare tuple.
        let mut steps = Vec::new();
        let mut source = format!("({value})");
        if let [target] = assign.targets.as_slice()
            && is_sequence(target)
        {
            self.unpack(target, &source, &mut steps);
        } else {
            let held = self.name("value");
            steps.push(format!("{held} = {source}"));
            source = held;
            for target in &assign.targets {
                self.assign_one(target, &source, &mut steps);
            }
        }
        let text = steps.join("; ");
        self.replace_statement(assign.range(), text);
    }

    /// Visits the value of an assignment, which unpacking takes as a whole.
    fn value(&mut self, value: &'a Expr, targets: &[Expr]) {
        if let [target] = targets
            && is_sequence(target)
        {
            self.consumed(value);
        } else {
            self.visit(value);
        }
    }

    /// Visits what of a target is evaluated.
    pub fn target(&mut self, target: &'a Expr) {
        match target {
            Expr::Name(_) => {}
            Expr::Starred(starred) => self.target(&starred.value),
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|element| self.target(element)),
            Expr::List(list) => list.elts.iter().for_each(|element| self.target(element)),
            Expr::Attribute(attribute) => {
                self.stored_attribute(attribute);
                self.visit(&attribute.value);
            }
            Expr::Subscript(subscript) => {
                self.visit(&subscript.value);
                self.visit(&subscript.slice);
            }
            other => self.visit(other),
        }
    }

    fn visit(&mut self, expr: &'a Expr) {
        use crate::pysyntax::ast::visitor::Visitor as _;
        self.visit_expr(expr);
    }

    /// Unpacks to variables, and puts their values where they belong in the order of the targets.
    fn unpack(&mut self, target: &'a Expr, source: &str, steps: &mut Vec<String>) {
        if !is_mixed(target) {
            steps.push(format!("{} = {source}", self.source.slice(target.range())));
            return;
        }
        let mut later = Vec::new();
        let pattern = self.pattern_of_target(target, &mut later);
        steps.push(format!("{pattern} = {source}"));
        steps.append(&mut later);
    }

    /// The text of an unpacking target of variables only, and what is then to be done with them.
    pub fn pattern_of_target(&mut self, target: &'a Expr, later: &mut Vec<String>) -> String {
        match target {
            Expr::Starred(starred) => {
                format!("*{}", self.pattern_of_target(&starred.value, later))
            }
            Expr::Tuple(_) | Expr::List(_) => {
                let elements = match target {
                    Expr::Tuple(tuple) => &tuple.elts,
                    Expr::List(list) => &list.elts,
                    _ => return String::new(),
                };
                let parts: Vec<String> = elements
                    .iter()
                    .map(|element| self.pattern_of_target(element, later))
                    .collect();
                format!("[{}]", parts.join(", "))
            }
            other => {
                let held = self.name("target");
                self.assign_one(other, &held, later);
                held
            }
        }
    }

    pub fn assign_one(&mut self, target: &'a Expr, source: &str, steps: &mut Vec<String>) {
        match target {
            Expr::Name(name) => steps.push(format!("{} = {source}", name.id)),
            Expr::Tuple(_) | Expr::List(_) => self.unpack(target, source, steps),
            Expr::Subscript(subscript) if subscript.slice.is_slice_expr() => {
                let container = self.rendered(&subscript.value);
                let key = self.key(&subscript.slice);
                steps.push(format!("_mce_set_item(({container}), {key}, {source})"));
            }
            other => {
                let text = self.rendered_by(other.range(), |this| this.target(other));
                // Outside of what it stood in, it may need brackets of its own.
                let text = if text.contains('\n') {
                    format!("({text})")
                } else {
                    text
                };
                steps.push(format!("{text} = {source}"));
            }
        }
    }

    pub fn annotated_assign(&mut self, assign: &'a StmtAnnAssign) {
        if let Some(value) = &assign.value {
            if let (Expr::Name(name), true) = (&*assign.target, looks_like_type(value)) {
                self.alias(name.id.as_str(), value);
                return;
            }
            self.visit(value);
            if matches!(&*assign.target, Expr::Subscript(it) if it.slice.is_slice_expr()) {
                self.refuse("an annotated slice", assign.start());
            }
        } else if !assign.target.is_name_expr() && !is_simple(&assign.target) {
            self.refuse("an annotation of this", assign.start());
        }
        self.target(&assign.target);
    }

    /// A name for a type: where only annotations use it, nobody sees its value.
    fn alias(&mut self, name: &str, value: &'a Expr) {
        let binding = self.scopes.resolve(self.scope, name);
        if binding.is_some_and(|binding| binding.loads == 0) && !self.in_class_body() {
            // A type variable is made by a call that does nothing else.
            if !value.is_call_expr() {
                self.evaluated_type(value, None);
            }
            let padding = self.padding(value.range(), "");
            let text = if padding.is_empty() {
                "None".to_owned()
            } else {
                format!("({padding}None)")
            };
            self.edits.replace(value.range(), text);
        } else {
            self.visit(value);
        }
    }

    pub fn type_alias(&mut self, alias: &'a StmtTypeAlias) {
        let loads = alias.name.as_name_expr().and_then(|name| {
            let binding = self.scopes.resolve(self.scope, name.id.as_str())?;
            Some(binding.loads)
        });
        if loads == Some(0) && !self.in_class_body() {
            self.replace_statement(alias.range(), "pass".to_owned());
        } else {
            self.refuse("`type` of a name that is used as a value", alias.start());
        }
    }

    pub fn augmented_assign(&mut self, assign: &'a StmtAugAssign) {
        let target = &*assign.target;
        if let Expr::Subscript(subscript) = target
            && subscript.slice.is_slice_expr()
        {
            self.refuse("an operation on a slice in place", assign.start());
            return;
        }
        let value = &*assign.value;
        if value.is_starred_expr() {
            self.refuse("such a value", value.start());
            return;
        }
        let (of_target, of_value) = (self.kind(target), self.kind(value));
        let helper = match assign.op {
            Operator::Add | Operator::Sub => {
                if of_target.is_never_number() || of_value.is_never_number() {
                    None
                } else if target.is_name_expr()
                    && !(of_target.is_never_bool() && of_value.is_never_bool())
                {
                    Some(if assign.op == Operator::Add {
                        "_mce_add_in_place"
                    } else {
                        "_mce_subtract_in_place"
                    })
                } else {
                    if !of_value.is_never_bool() {
                        let whole = self.grown(value.range(), assign.range());
                        // As an argument, what is yielded has parentheses of its own.
                        self.edits.wrap(whole, "_mce_number((", "))");
                    }
                    None
                }
            }
            Operator::BitOr if !of_value.is_number() && !of_target.is_number() => {
                Some("_mce_or_in_place")
            }
            Operator::Mod if !(of_target == Kind::Int && is_positive(value)) => {
                Some("_mce_percent")
            }
            Operator::FloorDiv if !(of_target == Kind::Int && is_positive(value)) => {
                Some("_mce_floor_divide")
            }
            Operator::Mult
                if !((of_target.is_number() || of_target == Kind::Text)
                    && (of_value.is_number() || of_value == Kind::Text)) =>
            {
                Some("_mce_multiply")
            }
            Operator::Div => Some("_mce_true_divide"),
            Operator::Pow => Some("_mce_power"),
            _ => None,
        };
        let Some(helper) = helper else {
            self.target(target);
            self.visit(value);
            return;
        };
        let can_repeat = match target {
            Expr::Name(_) => true,
            Expr::Attribute(attribute) => is_simple(&attribute.value),
            Expr::Subscript(subscript) => {
                is_simple(&subscript.value) && is_simple(&subscript.slice)
            }
            _ => false,
        };
        let target_text = self.rendered_by(target.range(), |this| this.target(target));
        if can_repeat {
            let value_range = self.grown(value.range(), assign.range());
            let between = TextRange::new(target.end(), value_range.start());
            let padding = self.padding(between, "");
            self.edits
                .replace(between, format!(" = {helper}({target_text}, {padding}("));
            self.visit(value);
            self.edits.after(assign.end(), "))");
            return;
        }
        // The parts of the target are evaluated once, before the value.
        let value = self.rendered(value);
        let (prologue, place) = match target {
            Expr::Subscript(subscript) => self.held(subscript),
            Expr::Attribute(attribute) => {
                let object = self.name("object");
                let text = self.rendered(&attribute.value);
                (
                    format!("{object} = ({text})"),
                    format!("{object}.{}", attribute.attr),
                )
            }
            other => {
                self.refuse("this assignment", other.start());
                return;
            }
        };
        let text = format!("{prologue}; {place} = {helper}({place}, ({value}))");
        self.replace_statement(assign.range(), text);
    }

    fn held(&mut self, subscript: &'a ExprSubscript) -> (String, String) {
        let (container, key) = (self.name("container"), self.name("key"));
        let container_text = self.rendered(&subscript.value);
        let key_text = self.key(&subscript.slice);
        (
            format!("{container} = ({container_text}); {key} = {key_text}"),
            format!("{container}[{key}]"),
        )
    }

    /// Visits a target of `for` or `with`, whose values are put where they belong at the start of the
    /// body.
    pub fn block_target(&mut self, target: &'a Expr, body: &'a [Stmt]) {
        if !is_mixed(target) {
            return;
        }
        let mut later = Vec::new();
        let pattern = self.pattern_of_target(target, &mut later);
        let padding = self.padding(target.range(), "");
        if !padding.is_empty() {
            self.refuse("a target of several lines", target.start());
        }
        self.edits.replace(target.range(), pattern);
        self.at_start_of(body, &later);
    }

    /// Puts simple statements before the first of a block.
    pub fn at_start_of(&mut self, body: &'a [Stmt], steps: &[String]) {
        let Some(first) = body.first() else {
            return;
        };
        let is_simple = !matches!(
            first,
            Stmt::FunctionDef(_)
                | Stmt::ClassDef(_)
                | Stmt::If(_)
                | Stmt::For(_)
                | Stmt::While(_)
                | Stmt::With(_)
                | Stmt::Try(_)
                | Stmt::Match(_)
        );
        let mut text = String::new();
        for step in steps {
            text.push_str(step);
            if is_simple {
                text.push_str("; ");
            } else {
                text.push('\n');
                text.push_str(self.source.indentation(first.start()));
            }
        }
        self.edits.before(first.start(), text);
    }

    /// Subscripts that are no look-up of an item.
    pub fn subscript(&mut self, subscript: &'a ExprSubscript) {
        if let Some(name) = self.builtin_name(&subscript.value)
            && GENERIC.contains(&name)
        {
            let feature = format!("`{name}[…]` as a value");
            self.refuse(feature, subscript.start());
            return;
        }
        if let Expr::Tuple(tuple) = &*subscript.slice
            && tuple.elts.iter().any(Expr::is_slice_expr)
        {
            self.refuse("several slices at once", tuple.start());
            return;
        }
        let class = subscript
            .value
            .as_name_expr()
            .and_then(|name| self.scopes.resolve(self.scope, name.id.as_str())?.class());
        if let Some(class) = class {
            if !self.is_generic(class) {
                self.refuse("`[…]` after a class", subscript.start());
            }
            // A class with types for its parameters is as good as the class.
            let arguments = TextRange::new(subscript.value.end(), subscript.end());
            let padding = self.padding(arguments, "");
            if !padding.is_empty() {
                self.edits.wrap(subscript.range(), "(", ")");
            }
            self.edits.replace(arguments, padding);
            return;
        }
        if is_form(&subscript.value) {
            let is_typing = match &*subscript.value {
                Expr::Name(name) => self
                    .scopes
                    .resolve(self.scope, name.id.as_str())
                    .is_some_and(|binding| binding.import().is_some()),
                Expr::Attribute(attribute) => self.module_path(&attribute.value).is_some(),
                _ => false,
            };
            if is_typing {
                self.refuse("a type as a value", subscript.start());
                return;
            }
        }
        self.visit(&subscript.value);
        self.visit(&subscript.slice);
    }
}
