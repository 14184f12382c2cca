//! Rules for calls: attributes named by strings, classes made by calls, and arguments that make a
//! library read files, spawn processes or evaluate text.

use crate::pysyntax::ast::visitor::source_order::SourceOrderVisitor;
use crate::pysyntax::ast::{DictItem, Expr, ExprAttribute, ExprCall};
use crate::pysyntax::{Ranged, TextRange};

use super::check::{ATTRIBUTE_BUILTINS, Checker, Known, is_dunder, is_name};
use super::finding::quoted;
use super::walk::walk_expr;
use super::{literal, rule};

/// How many items of a named dict are looked at for each call that takes it as keywords.
const MAX_ITEMS: usize = 200;

/// Functions of `operator` that name attributes by strings.
const ATTRIBUTE_GETTERS: [&str; 2] = ["attrgetter", "methodcaller"];

impl<'a> Checker<'a> {
    pub(super) fn check_call(&mut self, expr: &'a Expr, call: &'a ExprCall) {
        if let Expr::Name(name) = &*call.func
            && ATTRIBUTE_BUILTINS.contains(&name.id.as_str())
            && self.may_be_builtin(name.id.as_str())
        {
            self.check_name_reference(name.id.as_str(), name.range);
            self.check_attribute_builtin(call, name.id.as_str());
            return;
        }
        if let Expr::Attribute(function) = &*call.func
            && function.attr.as_str() == "__setattr__"
            && self.is_builtin(&function.value, "object")
        {
            // How a frozen dataclass sets its own fields.
            self.check_name_reference("object", function.value.range());
            self.check_attribute_builtin(call, "setattr");
            return;
        }
        if let Expr::Attribute(hook) = &*call.func
            && self.calls_hook_on_itself(hook, call)
        {
            self.visit_expr(&hook.value);
            self.visit_arguments(&call.arguments);
            return;
        }
        let known = self.known(&call.func);
        if is_name(&known, "operator", &ATTRIBUTE_GETTERS) {
            self.check_attribute_getter(call);
            self.visit_arguments(&call.arguments);
            return;
        }
        self.check_class_call(call);
        self.check_keywords(call);
        if !known.is_empty() {
            self.check_wrapper(call, &known);
            self.check_pydantic_call(call, &known);
            self.check_type_call(call, &known);
        }
        walk_expr(self, expr);
    }

    /// `Base.__init__(self, …)` in a method, with a base that may be imported.
    fn calls_hook_on_itself(&self, hook: &ExprAttribute, call: &ExprCall) -> bool {
        self.policy.attributes.class_hooks.contains(hook.attr.as_str())
            && !self.is_builtin(&hook.value, "type")
            && hook.value.is_name_expr()
            && call.arguments.args.first().is_some_and(|argument| {
                matches!(argument, Expr::Name(name) if self.is_receiver(name.id.as_str()))
            })
    }

    /// `getattr(x, "name")` and the like.
    fn check_attribute_builtin(&mut self, call: &'a ExprCall, function: &str) {
        let positional = &call.arguments.args;
        let plain =
            call.arguments.keywords.is_empty() && !positional.iter().any(Expr::is_starred_expr);
        let names = match positional.get(1) {
            Some(name) if plain => self.texts(name).map(|texts| (texts, name.range())),
            _ => None,
        };
        let Some((names, range)) = names else {
            let message = format!(
                "the attribute of {} is not a literal name",
                quoted(function)
            );
            let hint = "write the attribute directly, or keep the values in a dict";
            self.report(rule::ATTRIBUTE_DYNAMIC, call.range(), message, hint);
            self.visit_arguments(&call.arguments);
            return;
        };
        let receiver = positional.first();
        let known = receiver
            .map(|receiver| self.known(receiver))
            .unwrap_or_default();
        let changes = matches!(function, "setattr" | "delattr");
        if changes && !known.is_empty() {
            let message = "an imported object is changed";
            let hint = "keep the value in a variable of your own";
            self.report(rule::MODULE_WRITE, call.range(), message, hint);
        }
        let mut on_module = false;
        for name in &names {
            for known in &known {
                if let Known::Module(module) = known {
                    on_module = true;
                    self.check_member(module, name, range);
                }
            }
            if !on_module {
                self.check_text_attribute(name, range, known.is_empty());
            }
        }
        for (index, argument) in positional.iter().enumerate() {
            if !(index == 0 && on_module) {
                self.visit_expr(argument);
            }
        }
    }

    /// The name of an attribute that is written as a string.
    fn check_text_attribute(&mut self, name: &str, range: TextRange, own: bool) {
        if matches!(name, "format" | "format_map") {
            let message = format!("{} takes a template that is not known here", quoted(name));
            self.report(rule::FORMAT_TEMPLATE, range, message, "use an f-string");
        } else {
            self.check_attribute_name(name, range, own);
        }
    }

    /// `operator.attrgetter("a.b", "c")` and `operator.methodcaller("a", …)`.
    fn check_attribute_getter(&mut self, call: &'a ExprCall) {
        let names = if self.is_known(&call.func, "operator", &["methodcaller"]) {
            call.arguments.args.get(..1).unwrap_or_default()
        } else {
            &call.arguments.args
        };
        for name in names {
            if let Some(texts) = self.texts(name) {
                for part in texts.iter().flat_map(|text| text.split('.')) {
                    self.check_text_attribute(part, name.range(), true);
                }
            } else {
                let message = "the attribute is not a literal name";
                let hint = "write the name as a string literal, or use a `lambda`";
                self.report(rule::ATTRIBUTE_DYNAMIC, name.range(), message, hint);
            }
        }
    }

    /// A getter function of `operator` that is not called directly.
    pub(super) fn check_attribute_getter_value(&mut self, known: &[Known], range: TextRange) {
        if is_name(known, "operator", &ATTRIBUTE_GETTERS) {
            let message =
                "the function names attributes by strings; it may only be called directly";
            let hint = "call it with literal names, or use a `lambda`";
            self.report(rule::ATTRIBUTE_DYNAMIC, range, message, hint);
        }
    }

    /// `type(name, bases, namespace)` and `type(x)(…)`, which make classes.
    fn check_class_call(&mut self, call: &ExprCall) {
        let makes_class = |func: &Expr| {
            match func {
            Expr::Call(inner) => {
                self.is_builtin(&inner.func, "type")
                    && !inner.arguments.args.first().is_some_and(|argument| {
                        matches!(argument, Expr::Name(name) if self.is_receiver(name.id.as_str()))
                    })
            }
            _ => self.is_builtin(func, "type"),
        }
        };
        let arguments = &call.arguments;
        let many = arguments.args.len() > 1
            || arguments.args.iter().any(Expr::is_starred_expr)
            || !arguments.keywords.is_empty();
        let class_call = matches!(&*call.func, Expr::Call(_)) && arguments.args.len() != 3;
        if many && !class_call && makes_class(&call.func) {
            let hint = "write a `class` statement";
            self.report(
                rule::METACLASS,
                call.range(),
                "a class is made by a call",
                hint,
            );
        }
    }

    /// Keywords of a library's callables that may only have certain literals.
    fn check_keywords(&mut self, call: &ExprCall) {
        let policy = self.policy;
        for (module, keywords) in &policy.call_keywords {
            if !self.scopes.imported_roots.contains(module) || self.is_own_callable(&call.func) {
                continue;
            }
            let mut problems = Vec::new();
            for keyword in &call.arguments.keywords {
                match (&keyword.arg, &keyword.value) {
                    (Some(name), value) => {
                        problems.extend(
                            self.refused_keyword(keywords.get(name.as_str()), value)
                                .then(|| (name.as_str().to_owned(), keyword.range)),
                        );
                    }
                    (None, value) => {
                        for item in self.dict_items(value) {
                            if let Some(Expr::StringLiteral(name)) = &item.key
                                && self
                                    .refused_keyword(keywords.get(name.value.to_str()), &item.value)
                            {
                                problems.push((name.value.to_str().to_owned(), item.value.range()));
                            }
                        }
                    }
                }
            }
            for (name, range) in problems {
                let message = format!("{} of `{module}` may not be set to this", quoted(&name));
                self.report(rule::ARGUMENT_BLOCKED, range, message, "leave it out");
            }
        }
    }

    /// The items of a dict literal, or of those that a name is bound to.
    fn dict_items<'e>(&self, value: &'e Expr) -> Vec<&'e DictItem>
    where
        'a: 'e,
    {
        match value {
            Expr::Dict(dict) => dict.items.iter().collect(),
            Expr::Name(name) => {
                let binding = self.resolve(name.id.as_str()).map(|(_, binding)| binding);
                let values = binding.into_iter().flat_map(|binding| &binding.values);
                let dicts = values.filter_map(|value| value.as_dict_expr());
                dicts.flat_map(|dict| &dict.items).take(MAX_ITEMS).collect()
            }
            _ => Vec::new(),
        }
    }

    fn refused_keyword(&self, literals: Option<&Vec<String>>, value: &Expr) -> bool {
        let text = self
            .code
            .get(value.range().start().to_usize()..value.range().end().to_usize());
        literals.is_some_and(|literals| {
            !literals
                .iter()
                .any(|literal| Some(literal.as_str()) == text)
        })
    }

    /// Whether the code itself defines what is called.
    fn is_own_callable(&self, func: &Expr) -> bool {
        match func {
            Expr::Name(name) => self.resolve(name.id.as_str()).is_some_and(|(_, binding)| {
                binding.imports.is_empty() && binding.values.is_empty() && !binding.receiver
            }),
            Expr::Attribute(attribute) => {
                matches!(&*attribute.value, Expr::Name(name)
                    if self.resolve(name.id.as_str()).is_some_and(|(_, binding)| binding.receiver))
            }
            _ => false,
        }
    }

    /// `functools.wraps(f, assigned=…)`, which names attributes by strings.
    fn check_wrapper(&mut self, call: &ExprCall, known: &[Known]) {
        let arguments = &call.arguments;
        let plain = if is_name(known, "functools", &["wraps"]) {
            1
        } else if is_name(known, "functools", &["update_wrapper"]) {
            2
        } else {
            return;
        };
        let named = |name: &str| matches!(name, "wrapped" | "wrapper");
        let starred = arguments.args.iter().any(Expr::is_starred_expr);
        let keywords = arguments.keywords.iter().all(|keyword| {
            keyword
                .arg
                .as_ref()
                .is_some_and(|name| named(name.as_str()))
        });
        if arguments.args.len() > plain || starred || !keywords {
            let message = "which attributes are copied may not be chosen";
            self.report(
                rule::ARGUMENT_BLOCKED,
                arguments.range,
                message,
                "leave it out",
            );
        }
    }

    /// Strings that typing and pydantic evaluate as types.
    fn check_type_call(&mut self, call: &ExprCall, known: &[Known]) {
        let arguments = &call.arguments;
        let (first, all_keywords) = if is_name(known, "typing", &["cast"]) {
            (0, false)
        } else if is_name(known, "typing", &["NewType", "NamedTuple", "TypedDict"])
            || is_name(known, "typing", &["TypeVar", "TypeVarTuple", "ParamSpec"])
        {
            (1, true)
        } else if is_name(known, "pydantic", &["TypeAdapter", "conlist", "conset"])
            || is_name(known, "pydantic", &["confrozenset", "InstanceOf"])
        {
            (0, false)
        } else if is_name(known, "pydantic", &["create_model"]) {
            (1, true)
        } else {
            return;
        };
        let last = if all_keywords {
            arguments.args.len()
        } else {
            first + 1
        };
        for argument in arguments.args.iter().take(last).skip(first) {
            self.check_type_value(argument);
        }
        for keyword in &arguments.keywords {
            let name = keyword.arg.as_ref().map_or("", |name| name.as_str());
            if all_keywords || matches!(name, "type" | "typ" | "item_type") {
                self.check_type_value(&keyword.value);
            }
        }
    }

    /// Keywords of pydantic that are types, and aliases, which name attributes where a model reads
    /// objects.
    fn check_pydantic_call(&mut self, call: &ExprCall, known: &[Known]) {
        let pydantic =
            |known: &Known| matches!(known, Known::Name(module, _) if module == "pydantic");
        if !known.iter().any(pydantic) {
            return;
        }
        for keyword in &call.arguments.keywords {
            match keyword.arg.as_ref().map_or("", |name| name.as_str()) {
                "return_type" | "json_schema_input_type" => self.check_type_text(&keyword.value),
                "alias" | "validation_alias" => self.check_alias_texts(&keyword.value),
                _ => {}
            }
        }
        if is_name(known, "pydantic", &["AliasChoices", "AliasPath"]) {
            call.arguments
                .args
                .iter()
                .for_each(|argument| self.check_alias_texts(argument));
        }
    }

    fn check_alias_texts(&mut self, value: &Expr) {
        for text in self.texts(value).unwrap_or_default() {
            if is_dunder(&text) || self.policy.attributes.internals.contains(&text) {
                self.check_attribute_name(&text, value.range(), false);
            }
        }
    }

    /// A value that is a type, a tuple that begins with one, or a dict or list of these.
    fn check_type_value(&mut self, value: &Expr) {
        match value {
            Expr::Tuple(tuple) => {
                if let Some(first) = tuple.elts.first() {
                    self.check_type_text(first);
                }
                // `NamedTuple("N", [("field", type)])` has the type second.
                if let Some(second) = tuple.elts.get(1)
                    && tuple.elts.len() == 2
                    && !second.is_ellipsis_literal_expr()
                    && literal::is_text(second)
                    && self.texts(second).is_none()
                {
                    self.check_type_text(second);
                }
            }
            Expr::List(list) => {
                for item in &list.elts {
                    if let Expr::Tuple(pair) = item
                        && let Some(second) = pair.elts.get(1)
                    {
                        self.check_type_text(second);
                    }
                }
            }
            Expr::Dict(dict) => {
                for item in &dict.items {
                    match &item.value {
                        Expr::Tuple(tuple) => {
                            if let Some(first) = tuple.elts.first() {
                                self.check_type_text(first);
                            }
                        }
                        other => self.check_type_text(other),
                    }
                }
            }
            _ => self.check_type_text(value),
        }
    }
}
