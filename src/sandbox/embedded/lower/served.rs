//! Calls of compiled functions for pages and streams, which are iterators that helpers make.

use crate::pysyntax::ast::token::TokenKind;
use crate::pysyntax::ast::visitor::Visitor as _;
use crate::pysyntax::ast::{Expr, ExprCall};
use crate::pysyntax::{Ranged as _, TextRange};

use super::imports::FUNCTIONS;
use super::rewrite::Rewriter;

impl<'a> Rewriter<'_, 'a> {
    /// Lowers a call for pages or for a stream; `false` where it is none.
    pub fn call_for_iterator(&mut self, call: &'a ExprCall) -> bool {
        let Some((function, helper, word)) = self.iterator(&call.func) else {
            return false;
        };
        let after = TextRange::new(call.func.end(), call.end());
        let Some(open) = self.source.first(after, TokenKind::Lpar) else {
            return false;
        };
        let gap = TextRange::new(function.end(), open.end());
        if self.source.slice(gap).trim_start().starts_with(')') {
            self.refuse("a compiled function in parentheses", call.start());
            return true;
        }
        let arguments = &call.arguments;
        let has_none = arguments.args.is_empty() && arguments.keywords.is_empty();
        let padding = self.padding(gap, "");
        self.edits.wrap(call.range(), format!("{helper}("), "");
        let comma = if has_none { "" } else { ", " };
        self.edits.replace(gap, format!("{word}{padding}{comma}"));
        self.generators = true;
        self.visit_expr(function);
        self.arguments(call, false);
        true
    }

    /// The compiled function that is called for pages or for a stream, the helper that does that, and
    /// what the helper is told of it.
    fn iterator(&self, callee: &'a Expr) -> Option<(&'a Expr, &'static str, &'static str)> {
        let method = |expr: &'a Expr| {
            let attribute = expr.as_attribute_expr()?;
            Some((&*attribute.value, attribute.attr.as_str()))
        };
        let word = |name: &str| match name {
            "items" => Some(", \"items\""),
            "pages" => Some(", \"pages\""),
            _ => None,
        };
        if self.is_served(callee, true) {
            return Some((callee, "_mce_stream", ""));
        }
        let (value, name) = method(callee)?;
        if let Some(word) = word(name)
            && self.is_served(value, false)
        {
            return Some((value, "_mce_pages", word));
        }
        if name != "aio" {
            return None;
        }
        if self.is_served(value, true) {
            return Some((value, "_mce_stream_aio", ""));
        }
        let (function, name) = method(value)?;
        let word = word(name).filter(|_| self.is_served(function, false))?;
        Some((function, "_mce_pages_aio", word))
    }

    /// Whether an expression surely is a compiled function, or one whose answers are streams.
    fn is_served(&self, expr: &Expr, streams: bool) -> bool {
        let named = match expr {
            Expr::Name(name) => self
                .scopes
                .resolve(self.scope, name.id.as_str())
                .and_then(super::scope::Binding::import)
                .and_then(|(module, name)| Some((module.to_owned(), name?.to_owned()))),
            Expr::Attribute(attribute) => self
                .module_path(&attribute.value)
                .map(|module| (module, attribute.attr.to_string())),
            _ => None,
        };
        let Some((module, function)) = named else {
            return false;
        };
        let functions = if streams {
            self.known.streams
        } else {
            self.known.servers
        };
        self.server(&module).is_some_and(|(server, rest)| {
            rest == Some(FUNCTIONS)
                && functions
                    .get(server)
                    .is_some_and(|functions| functions.contains(&function))
        })
    }
}
