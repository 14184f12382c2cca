//! `async with`, `async for` and asynchronous comprehensions.

use crate::pysyntax::ast::token::TokenKind;
use crate::pysyntax::ast::visitor::{self, Visitor};
use crate::pysyntax::ast::{Comprehension, Expr, StmtFor, StmtWith};
use crate::pysyntax::{Ranged, TextRange, TextSize};

use super::rewrite::Rewriter;

impl<'a> Rewriter<'_, 'a> {
    pub fn with(&mut self, with: &'a StmtWith) {
        if with.is_async {
            self.async_with(with);
            return;
        }
        for item in &with.items {
            self.visit_expr(&item.context_expr);
            if let Some(target) = &item.optional_vars {
                if with.items.len() > 1 && !target.is_name_expr() {
                    self.names_only(target);
                } else {
                    self.block_target(target, &with.body);
                }
            }
        }
        self.visit_body(&with.body);
    }

    fn names_only(&mut self, target: &'a Expr) {
        let mut later = Vec::new();
        self.pattern_of_target(target, &mut later);
        if later.iter().any(|step| step.contains(['.', '['])) {
            self.refuse("such a target in a `with` of several", target.start());
        }
    }

    /// The end of a block's header: where its colon ends.
    fn header_end(
        &self,
        from: TextSize,
        body: &'a [crate::pysyntax::ast::Stmt],
    ) -> Option<TextSize> {
        let first = body.first()?;
        let between = TextRange::new(from, first.start());
        self.source
            .first(between, TokenKind::Colon)
            .map(TextRange::end)
    }

    /// ```text
    /// _mce_manager_1 = EXPR; _mce_value_2 = await _mce_enter(_mce_manager_1); _mce_failed_3 = False
    /// try:
    ///     TARGET = _mce_value_2; BODY
    /// except BaseException as _mce_error_4:
    ///     _mce_failed_3 = True
    ///     if not await _mce_manager_1.__aexit__(type(_mce_error_4), _mce_error_4, None): raise
    /// finally:
    ///     if not _mce_failed_3: await _mce_manager_1.__aexit__(None, None, None)
    /// ```
    fn async_with(&mut self, with: &'a StmtWith) {
        let [item] = with.items.as_slice() else {
            self.refuse("`async with` of several", with.start());
            return;
        };
        let manager = self.name("manager");
        let value = self.name("value");
        let failed = self.name("failed");
        let error = self.name("error");
        let last = item
            .optional_vars
            .as_ref()
            .map_or_else(|| item.context_expr.end(), |it| it.end());
        let (Some(end), Some(body_end)) = (
            self.header_end(last, &with.body),
            with.body.last().map(Ranged::end),
        ) else {
            return;
        };
        let context = self.rendered(&item.context_expr);
        let indentation = self.line_break();
        let header = TextRange::new(with.start(), end);
        let before = format!(
            "{manager} = ({context}); {value} = await _mce_enter({manager}); {failed} = False"
        );
        let padding = self.padding(header, &before);
        let padding = if padding.is_empty() {
            String::new()
        } else {
            format!("({padding}); ")
        };
        self.edits
            .replace(header, format!("{padding}{before}{indentation}try:"));
        if let Some(target) = &item.optional_vars {
            let mut steps = Vec::new();
            self.assign_one(target, &value, &mut steps);
            self.at_start_of(&with.body, &steps);
        }
        self.visit_body(&with.body);
        let exit = format!("await {manager}.__aexit__");
        self.edits.after(
            body_end,
            format!(
                "{indentation}except BaseException as {error}:\
                 {indentation}    {failed} = True\
                 {indentation}    if not {exit}(_mce_type({error}), {error}, None): raise\
                 {indentation}finally:\
                 {indentation}    if not {failed}: {exit}(None, None, None)"
            ),
        );
    }

    /// ```text
    /// _mce_iterator_1 = _mce_aiter(ITERABLE)
    /// while _mce_type(_mce_item_2 := await _mce_anext(_mce_iterator_1)) is not _mce_Return:
    ///     TARGET = _mce_item_2; BODY
    /// ```
    pub fn async_for(&mut self, it: &'a StmtFor) {
        let Some(end) = self.header_end(it.iter.end(), &it.body) else {
            return;
        };
        let iterator = self.name("iterator");
        let item = self.name("item");
        self.generators = true;
        let iterable = self.rendered(&it.iter);
        let header = TextRange::new(it.start(), end);
        let before = format!("{iterator} = _mce_aiter(({iterable}))");
        let padding = self.padding(header, &before);
        let padding = if padding.is_empty() {
            String::new()
        } else {
            format!("({padding}); ")
        };
        let indentation = self.line_break();
        self.edits.replace(
            header,
            format!(
                "{padding}{before}{indentation}\
                 while _mce_type({item} := await _mce_anext({iterator})) is not _mce_Return:"
            ),
        );
        let mut steps = Vec::new();
        self.assign_one(&it.target, &item, &mut steps);
        self.at_start_of(&it.body, &steps);
        self.visit_body(&it.body);
        self.visit_body(&it.orelse);
    }

    /// `[x async for x in y]`: the helper goes over `y`, and the rest is a function.
    pub fn async_comprehension(&mut self, expr: &'a Expr, clauses: &'a [Comprehension]) {
        let [clause] = clauses else {
            self.refuse(
                "`async for` beside another in a comprehension",
                expr.start(),
            );
            return;
        };
        let mut waits = Waits { found: None };
        let elements: Vec<&'a Expr> = match expr {
            Expr::ListComp(it) => vec![&it.elt],
            Expr::SetComp(it) => vec![&it.elt],
            Expr::DictComp(it) => it
                .key
                .iter()
                .map(|key| &**key)
                .chain([&*it.value])
                .collect(),
            _ => Vec::new(),
        };
        for part in elements.iter().copied().chain(&clause.ifs) {
            waits.visit_expr(part);
        }
        if let Some((at, what)) = waits.found {
            self.refuse(format!("{what} in a comprehension with `async for`"), at);
            return;
        }
        self.generators = true;
        let iterable = self.rendered(&clause.iter);
        let mut produce = String::new();
        self.inside(expr.range(), |this| {
            let texts: Vec<String> = elements
                .iter()
                .map(|element| format!("({})", this.rendered(element)))
                .collect();
            let element = match texts.as_slice() {
                [one] => one.clone(),
                more => format!("({})", more.join(", ")),
            };
            produce = this.produce(clause, &element);
        });
        let helper = match expr {
            Expr::ListComp(_) => "_mce_async_list",
            Expr::SetComp(_) => "_mce_async_set",
            _ => "_mce_async_dict",
        };
        let text = format!("(await {helper}({produce}, ({iterable}))");
        let padding = self.padding(expr.range(), &text);
        self.edits
            .replace(expr.range(), format!("{text}{padding})"));
    }
}

/// Finds what cannot stand in a function of its own.
struct Waits {
    found: Option<(TextSize, &'static str)>,
}

impl<'a> Visitor<'a> for Waits {
    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Await(_) => {
                self.found.get_or_insert((expr.start(), "`await`"));
            }
            Expr::Named(_) => {
                self.found.get_or_insert((expr.start(), "`:=`"));
            }
            _ => visitor::walk_expr(self, expr),
        }
    }
}
