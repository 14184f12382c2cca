//! Rules for keywords of calls, also those that stand in a dict after `**`: what a library keeps to
//! itself, and what makes a library read files, spawn processes or evaluate text.

use rustc_hash::FxHashMap as HashMap;

use crate::pysyntax::ast::{
    DictItem, Expr, ExprCall, ExprDict, Keyword, StmtClassDef, StmtFunctionDef,
};
use crate::pysyntax::{Ranged, TextRange};

use super::calls::called;
use super::check::{Checker, Keywords, is_dunder};
use super::finding::quoted;
use super::knowledge::{Known, is_of};
use super::libraries::CALLING_MODULES;
use super::policy::compiled_functions;
use super::rule;

/// How many definitions of one name are looked at.
const MAX_DEFINITIONS: usize = 8;

/// How many items of a named dict are looked at for each call that takes it as keywords.
pub(super) const MAX_ITEMS: usize = 200;

impl<'a> Checker<'a> {
    /// Keywords that a library keeps to itself, also those that are written as keys of `**{…}`.
    pub(super) fn check_private_keywords(&mut self, call: &ExprCall) {
        if call.arguments.keywords.is_empty() {
            return;
        }
        let own = match &*call.func {
            Expr::Attribute(attribute) => {
                self.scopes.own_attributes.contains(attribute.attr.as_str())
            }
            func => self.is_own_callable(func),
        };
        let known = self.known(&call.func);
        // Compiled functions have the parameters that their documents name.
        let own = own || !known.is_empty() && known.iter().all(|known| {
            matches!(known, Known::Name(module, _) if compiled_functions(module, self.names).is_some())
        });
        let makes_record = self.is_known(&call.func, "types", &["SimpleNamespace"]);
        let allowed = &self.policy.attributes.dunder_keywords;
        let is_refused = |name: &str| {
            if is_dunder(name) {
                !allowed.contains(name)
            } else {
                name.starts_with('_') && !own && !makes_record
            }
        };
        let mut refused = Vec::new();
        for keyword in &call.arguments.keywords {
            match &keyword.arg {
                // Dunder keywords are judged wherever keywords stand.
                Some(name) if is_dunder(name) => {}
                Some(name) => {
                    refused.extend(is_refused(name).then_some((name.as_str(), name.range)));
                }
                None => {
                    let own = own || makes_record;
                    if !self.begin_keywords(&keyword.value, Keywords::Private { own }) {
                        continue;
                    }
                    let items = self.dict_items(&keyword.value).into_iter();
                    let keys = items.filter_map(|item| item.key.as_ref()?.as_string_literal_expr());
                    let names = keys.map(|key| (key.value.to_str(), key.range));
                    refused.extend(names.filter(|(name, _)| is_refused(name)));
                }
            }
        }
        for (name, range) in refused {
            self.report_keyword(name, range);
        }
    }

    /// A dunder keyword, of a call or of a class.
    pub(super) fn check_dunder_keyword(&mut self, keyword: &Keyword) {
        if let Some(name) = &keyword.arg
            && is_dunder(name)
            && !self
                .policy
                .attributes
                .dunder_keywords
                .contains(name.as_str())
        {
            self.report_keyword(name, name.range);
        }
    }

    /// A keyword that code may not give.
    fn report_keyword(&mut self, name: &str, range: TextRange) {
        let message = format!("the keyword {} may not be used", quoted(name));
        self.report(rule::ARGUMENT_BLOCKED, range, message, "leave it out");
    }

    /// Keywords of a library's callables that may only have certain literals.
    pub(super) fn check_keywords(&mut self, call: &ExprCall) {
        if call.arguments.keywords.is_empty() {
            return;
        }
        let policy = self.policy;
        for (module, literals) in &policy.call_keywords {
            if self.imports(module) && self.may_take_keywords_of(call, module) {
                self.check_keywords_of(call, module, literals);
            }
        }
    }

    /// Whether a call may give keywords to a callable of a module: not one of another module, nor of
    /// the code, unless that hands keywords on or extends a class of the module.
    fn may_take_keywords_of(&self, call: &ExprCall, module: &str) -> bool {
        let known = self.known(called(&call.func));
        let calls_others = is_of(&known, &CALLING_MODULES);
        let other = !known.is_empty() && !calls_others && !is_of(&known, &[module]);
        let extends = |class: &&StmtClassDef| {
            class
                .bases()
                .iter()
                .any(|base| is_of(&self.known(base), &[module]) || self.is_own_class(base))
        };
        let own = self.binding_of(&call.func).is_some_and(|binding| {
            (1..=MAX_DEFINITIONS).contains(&binding.count)
                && binding.count == binding.classes.len()
                && !binding.classes.iter().any(extends)
        });
        !other && !own && !self.is_own_callable(&call.func)
    }

    /// Keywords of a call that may be one of a certain module, given the literals they may have.
    fn check_keywords_of(
        &mut self,
        call: &ExprCall,
        module: &'a str,
        literals: &HashMap<String, Vec<String>>,
    ) {
        // Also by `partial(Client, **options)`.
        let partial = self.is_known(&call.func, "functools", &["partial"]);
        let given = call.arguments.args.first().filter(|_| partial);
        let callees = std::iter::once(called(&call.func)).chain(given);
        let of_module = callees
            .into_iter()
            .any(|callee| is_of(&self.known(callee), &[module]));
        let mut refused = Vec::new();
        for keyword in &call.arguments.keywords {
            let value = &keyword.value;
            if let Some(name) = &keyword.arg {
                if self.is_refused(literals.get(name.as_str()), value) {
                    refused.push((name.as_str(), keyword.range));
                }
                continue;
            }
            if of_module && !self.are_known_keywords(value) {
                let message = format!("which keywords of `{module}` this sets cannot be told");
                let hint = "write the keywords out";
                self.report(rule::ARGUMENT_BLOCKED, value.range(), message, hint);
            }
            if !self.begin_keywords(value, Keywords::Of(module)) {
                continue;
            }
            for item in self.dict_items(value) {
                if let Some(Expr::StringLiteral(name)) = &item.key
                    && self.is_refused(literals.get(name.value.to_str()), &item.value)
                {
                    refused.push((name.value.to_str(), item.value.range()));
                }
            }
        }
        for (name, range) in refused {
            let message = format!("{} of `{module}` may not be set to this", quoted(name));
            let may = literals.get(name).into_iter().flatten();
            let may: Vec<String> = may.map(|literal| format!("`{literal}`")).collect();
            let hint = format!("leave it out; it may be {}", may.join(", "));
            self.report(rule::ARGUMENT_BLOCKED, range, message, hint);
        }
    }

    /// Whether a keyword may only have certain literals, and the value is none of them.
    fn is_refused(&self, literals: Option<&Vec<String>>, value: &Expr) -> bool {
        let text = self.source(value.range());
        // A text may stand in either kind of quotes.
        let quoted = value.as_string_literal_expr().map(|literal| {
            let value = literal.value.to_str();
            (format!("'{value}'"), format!("\"{value}\""))
        });
        let is_it = |literal: &String| match &quoted {
            Some((single, double)) => literal == single || literal == double,
            None => literal == text,
        };
        literals.is_some_and(|literals| !literals.iter().any(is_it))
    }

    /// Whether the keys of what stands after `**` are all literals, or those of `**keywords` of a
    /// function of the code, whose calls are judged.
    fn are_known_keywords(&self, value: &Expr) -> bool {
        let literal = |dict: &ExprDict| {
            dict.items.len() <= MAX_ITEMS
                && dict
                    .items
                    .iter()
                    .all(|item| item.key.as_ref().is_some_and(Expr::is_string_literal_expr))
        };
        match value {
            Expr::Dict(dict) => literal(dict),
            // Of more items than these not all are looked at.
            Expr::Name(_) => self.binding_of(value).is_some_and(|binding| {
                if binding.values.len() + binding.items.len() > MAX_ITEMS {
                    return false;
                }
                let values = binding
                    .values
                    .iter()
                    .all(|value| value.expr.as_dict_expr().is_some_and(literal));
                let items = binding.items.iter().all(|(key, _)| {
                    key.as_string_literal_expr().is_some_and(|key| {
                        !self
                            .policy
                            .call_keywords
                            .values()
                            .any(|keywords| keywords.contains_key(key.value.to_str()))
                    })
                });
                values && items && binding.count == binding.values.len() + binding.parameters
            }),
            _ => false,
        }
    }

    /// The items of a dict literal, or of those that a name is bound to.
    fn dict_items<'e>(&self, value: &'e Expr) -> Vec<&'e DictItem>
    where
        'a: 'e,
    {
        match value {
            Expr::Dict(dict) => dict.items.iter().collect(),
            Expr::Name(_) => {
                let values = self
                    .binding_of(value)
                    .into_iter()
                    .flat_map(|binding| &binding.values);
                let dicts = values.filter_map(|value| value.expr.as_dict_expr());
                dicts.flat_map(|dict| &dict.items).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether the code itself defines what is called, and does not hand keywords on.
    fn is_own_callable(&self, func: &Expr) -> bool {
        match func {
            Expr::Name(_) => self.binding_of(func).is_some_and(|binding| {
                let hands_on = |function: &&StmtFunctionDef| function.parameters.kwarg.is_some();
                let extends = |class: &&StmtClassDef| self.extends_library(class);
                (1..=MAX_DEFINITIONS).contains(&binding.count)
                    && binding.count == binding.functions.len() + binding.classes.len()
                    && !binding.functions.iter().any(hands_on)
                    && !binding.classes.iter().any(extends)
            }),
            Expr::Attribute(attribute) => self
                .binding_of(&attribute.value)
                .is_some_and(|binding| binding.receiver),
            _ => false,
        }
    }
}
