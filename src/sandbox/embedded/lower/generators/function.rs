//! A generator function: the function that stays, and the step function in it.

use std::collections::BTreeSet;

use crate::pysyntax::ast::StmtFunctionDef;
use crate::pysyntax::ast::token::TokenKind;
use crate::pysyntax::{Ranged, TextRange};

use super::Unsupported;
use super::body::Body;
use super::flow::STATE;
use super::module::Lowering;
use super::output::Line;
use super::scope::Bindings;

impl Lowering<'_> {
    /// Writes the lowered form of a generator function.
    pub fn generator(
        &mut self,
        function: &StmtFunctionDef,
        level: usize,
        lines: &mut Vec<Line>,
    ) -> Result<(), Unsupported> {
        let mut facts = self.generators.take(function);
        facts.has_regions |= self
            .closing
            .range(function.start()..function.end())
            .next()
            .is_some();
        let simple = !facts.has_yield_from && !facts.has_regions;
        if function.is_async {
            self.drop_async(function);
        }
        self.header(function.start(), &function.body, level, lines)?;

        let mut names = self.path.clone();
        names.push(function.name.to_string());
        let name = names.join(".");
        self.path.push(function.name.to_string());
        self.path.push("<locals>".to_owned());
        let mut body = Body::new(self, facts, function.is_async);
        body.statements(&function.body)?;
        let (steps, entry, temporaries) = body.finish(function.end());
        self.path.truncate(self.path.len().saturating_sub(2));

        let origin = self.source.line(function.name.start());
        let inner = level + 1;
        let bindings = Bindings::of(&function.body);
        let parameters: BTreeSet<&str> = function
            .parameters
            .iter()
            .map(|parameter| parameter.name().as_str())
            .collect();
        let mut variables: Vec<&str> = bindings
            .bound
            .iter()
            .map(String::as_str)
            .filter(|name| !parameters.contains(name))
            .collect();
        variables.extend(temporaries.iter().map(String::as_str));
        if !variables.is_empty() {
            // Makes them variables of this function without giving them values.
            let binding = format!("{} = None", variables.join(" = "));
            lines.push(Line::text(inner, origin, "if False:"));
            lines.push(Line::text(inner + 1, origin, binding));
        }
        lines.push(Line::text(inner, origin, format!("{STATE} = {entry}")));
        let (definition, class) = if function.is_async {
            ("async def", "_mce_AsyncGenerator")
        } else {
            ("def", "_mce_Generator")
        };
        let definition = format!("{definition} _mce_step(_mce_sent, _mce_thrown):");
        lines.push(Line::text(inner, origin, definition));
        let mut nonlocals: BTreeSet<&str> = bindings.bound.iter().map(String::as_str).collect();
        nonlocals.extend(temporaries.iter().map(String::as_str));
        nonlocals.extend(bindings.nonlocals.iter().map(String::as_str));
        nonlocals.insert(STATE);
        let nonlocals: Vec<&str> = nonlocals.into_iter().collect();
        let declaration = format!("nonlocal {}", nonlocals.join(", "));
        lines.push(Line::text(inner + 1, origin, declaration));
        if !bindings.globals.is_empty() {
            let globals: Vec<&str> = bindings.globals.iter().map(String::as_str).collect();
            let declaration = format!("global {}", globals.join(", "));
            lines.push(Line::text(inner + 1, origin, declaration));
        }
        lines.extend(steps.into_iter().map(|line| line.indented(inner + 1)));
        let simple = if simple { "True" } else { "False" };
        let result = format!("return {class}(_mce_step, \"{name}\", {simple})");
        lines.push(Line::text(inner, origin, result));
        Ok(())
    }

    fn drop_async(&mut self, function: &StmtFunctionDef) {
        let from = function
            .decorator_list
            .last()
            .map_or(function.start(), Ranged::end);
        let keyword = self.source.first_after(from, TokenKind::Async);
        let definition = self.source.first_after(from, TokenKind::Def);
        if let (Some(keyword), Some(definition)) = (keyword, definition) {
            let range = TextRange::new(keyword.start(), definition.start());
            self.edits.replace(range, Vec::new());
        }
    }
}
