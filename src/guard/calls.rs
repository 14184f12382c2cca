//! Rules for calls: attributes named by strings, classes made by calls, and arguments that make a
//! library read files, spawn processes or evaluate text.

use crate::pysyntax::ast::visitor::source_order::SourceOrderVisitor;
use rustc_hash::FxHashSet as HashSet;

use crate::pysyntax::ast::{
    DictItem, Expr, ExprAttribute, ExprCall, ExprDict, InterpolatedStringElement, Keyword,
    Operator, StmtClassDef, StmtFunctionDef,
};
use crate::pysyntax::{Ranged, TextRange};

use super::check::{ATTRIBUTE_BUILTINS, Checker, is_dunder};
use super::finding::quoted;
use super::knowledge::{Known, is_name};
use super::scope::{Value, string_items};
use super::texts::Purpose;
use super::walk::walk_expr;
use super::{format, literal, rule};

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
        self.check_class_call(call);
        self.check_keywords(call);
        let mut known = self.known(called(&call.func));
        if let Expr::Attribute(hook) = &*call.func
            && self.calls_hook_on_itself(hook, call)
        {
            known = self.known(&hook.value);
            self.check_library_call(call, &known);
            self.visit_expr(&hook.value);
            self.visit_arguments(&call.arguments);
            return;
        }
        self.check_library_call(call, &known);
        self.note_direct_uses(call);
        walk_expr(self, expr);
    }

    /// What depends on which callable of a library is called.
    fn check_library_call(&mut self, call: &'a ExprCall, known: &[Known]) {
        self.check_private_keywords(call);
        self.check_reference_template(call);
        self.check_registration(call);
        if known.is_empty() {
            return;
        }
        if is_name(known, "operator", &ATTRIBUTE_GETTERS) {
            self.check_attribute_getter(call);
        }
        self.check_wrapper(call, known);
        self.check_pydantic_call(call, known);
        self.check_type_call(call, known);
        self.check_fields(call, known);
    }

    /// Where functions that may only be called, and `type`, may stand as what they are.
    fn note_direct_uses(&mut self, call: &'a ExprCall) {
        let arguments = &call.arguments;
        self.direct.insert(called(&call.func).range());
        let plain =
            arguments.keywords.is_empty() && !arguments.args.iter().any(Expr::is_starred_expr);
        match (&*call.func, &*arguments.args) {
            (Expr::Name(name), [_, types])
                if plain && matches!(name.id.as_str(), "isinstance" | "issubclass") =>
            {
                match types {
                    Expr::Tuple(tuple) => self.direct.extend(tuple.elts.iter().map(Ranged::range)),
                    _ => {
                        self.direct.insert(types.range());
                    }
                }
            }
            (Expr::Name(name), [function, _])
                if plain && name.id.as_str() == "map" && self.is_builtin(&call.func, "map") =>
            {
                if self.may_be(function, "type") {
                    self.direct.insert(function.range());
                }
            }
            _ => {}
        }
        let sorts = ["sorted", "min", "max"]
            .iter()
            .any(|name| self.is_builtin(&call.func, name))
            || self.is_surely(&call.func, "itertools", &["groupby"]);
        for keyword in &arguments.keywords {
            if sorts && keyword.arg.as_deref() == Some("key") && self.may_be(&keyword.value, "type")
            {
                self.direct.insert(keyword.value.range());
            }
        }
    }

    /// Keywords that a library keeps to itself, also those that are written as keys of `**{…}`.
    fn check_private_keywords(&mut self, call: &ExprCall) {
        let own = match &*call.func {
            Expr::Attribute(attribute) => {
                self.scopes.own_attributes.contains(attribute.attr.as_str())
            }
            func => self.is_own_callable(func),
        };
        let makes_record = self.is_known(&call.func, "types", &["SimpleNamespace"]);
        let allowed = &self.policy.attributes.dunder_keywords;
        let refused = |name: &str| {
            if is_dunder(name) {
                !allowed.contains(name)
            } else {
                name.starts_with('_') && !own && !makes_record
            }
        };
        let mut found = Vec::new();
        for keyword in &call.arguments.keywords {
            match &keyword.arg {
                // Dunder keywords are judged wherever keywords stand.
                Some(name) if !is_dunder(name) && refused(name) => {
                    found.push((name.to_string(), name.range));
                }
                Some(_) => {}
                None => {
                    for item in self.dict_items(&keyword.value) {
                        if let Some(Expr::StringLiteral(name)) = &item.key
                            && refused(name.value.to_str())
                        {
                            found.push((name.value.to_str().to_owned(), name.range));
                        }
                    }
                }
            }
        }
        for (name, range) in found {
            let message = format!("the keyword {} may not be used", quoted(&name));
            self.report(rule::ARGUMENT_BLOCKED, range, message, "leave it out");
        }
    }

    /// `Own.register(Library)`: class patterns of the own class would read the other one's objects.
    fn check_registration(&mut self, call: &ExprCall) {
        let Expr::Attribute(function) = &*call.func else {
            return;
        };
        if function.attr.as_str() == "register"
            && let Expr::Name(class) = &*function.value
            && self
                .resolve(class.id.as_str())
                .is_some_and(|(_, binding)| !binding.classes.is_empty())
            && let Some(argument) = call.arguments.args.first()
            && (!self.known(argument).is_empty() || argument.is_call_expr())
        {
            let message = "a class of a library is made one of the code's own";
            self.report(
                rule::CLASS_HOOK,
                call.range(),
                message,
                "check for both classes",
            );
        }
    }

    /// The fields of `namedtuple("P", "x y")`, which class patterns read by their place.
    fn check_fields(&mut self, call: &ExprCall, known: &[Known]) {
        if !is_name(known, "collections", &["namedtuple"]) {
            return;
        }
        let Some(fields) = call.arguments.find_argument_value("field_names", 1) else {
            return;
        };
        for text in string_items(fields) {
            for name in text.split([',', ' ', '\n', '\t']) {
                if self.policy.attributes.internals.contains(name) {
                    self.check_attribute_name(name, fields.range(), false);
                }
            }
        }
    }

    /// `Base.__init__(self, …)` in a method, with a base that may be imported.
    fn calls_hook_on_itself(&self, hook: &ExprAttribute, call: &ExprCall) -> bool {
        self.policy.attributes.class_hooks.contains(hook.attr.as_str())
            && !self.may_be(&hook.value, "type")
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
            Some(name) if plain => {
                if positional
                    .first()
                    .is_some_and(|receiver| self.known(receiver).is_empty())
                    && (self.begins_own_attribute(name) || self.is_field_name(name))
                {
                    self.visit_arguments(&call.arguments);
                    return;
                }
                self.texts(name, Purpose::Name)
                    .map(|texts| (texts, name.range()))
            }
            _ => None,
        };
        let Some((names, range)) = names else {
            let message = format!(
                "the attribute of {} is not a literal name",
                quoted(function)
            );
            let hint = "write the attribute directly, loop over a tuple of literal names, or keep the \
                        values in a dict";
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
                    if self.is_module(&format!("{module}.{name}")) {
                        let message = format!("the module {} is used as a value", quoted(name));
                        self.report(
                            rule::MODULE_VALUE,
                            range,
                            message,
                            "name what is used of it",
                        );
                    }
                }
            }
            if !on_module {
                let own = known.is_empty() && receiver.is_some_and(|it| self.may_be_own(it, name));
                self.check_text_attribute(name, range, own);
            }
        }
        for (index, argument) in positional.iter().enumerate() {
            if !(index == 0 && on_module) {
                self.visit_expr(argument);
            }
        }
    }

    /// Whether a computed name begins with a text that begins an attribute of the code's own and
    /// nothing that is denied: `f"visit_{kind}"`.
    fn begins_own_attribute(&self, name: &Expr) -> bool {
        let prefix = match name {
            Expr::FString(text) => match text.value.elements().next() {
                Some(InterpolatedStringElement::Literal(literal)) => &*literal.value,
                _ => return false,
            },
            Expr::BinOp(operation) if operation.op == Operator::Add => {
                match operation.left.as_string_literal_expr() {
                    Some(literal) => literal.value.to_str(),
                    None => return false,
                }
            }
            _ => return false,
        };
        let rules = &self.policy.attributes;
        let begins = |names: &HashSet<String>| names.iter().any(|name| name.starts_with(prefix));
        let denied = prefix.starts_with("__")
            || prefix.starts_with(|first: char| !first.is_ascii_alphabetic() && first != '_')
            || prefix.len() < 3
            || begins(&rules.denied)
            || begins(&rules.internals)
            || begins(&rules.modules)
            || begins(&rules.of_event_loops)
            || rules
                .internal_prefixes
                .iter()
                .any(|internal| prefix.starts_with(internal.as_str()))
            || "format_map".starts_with(prefix);
        !denied
            && self
                .scopes
                .own_attributes
                .iter()
                .any(|name| name.starts_with(prefix))
    }

    /// `field.name`, where the loop is over `dataclasses.fields(…)`.
    fn is_field_name(&self, name: &Expr) -> bool {
        let Expr::Attribute(attribute) = name else {
            return false;
        };
        let Expr::Name(field) = &*attribute.value else {
            return false;
        };
        attribute.attr.as_str() == "name"
            && !self.scopes.stores_attribute("name")
            && self.resolve(field.id.as_str()).is_some_and(|(_, binding)| {
                binding.count > 0
                    && binding.count == binding.iterables.len()
                    && binding
                        .iterables
                        .iter()
                        .all(|(iterable, _)| match iterable.expr {
                            Expr::Call(call) => {
                                self.is_surely(&call.func, "dataclasses", &["fields"])
                            }
                            _ => false,
                        })
            })
    }

    /// The name of an attribute that is written as a string.
    pub(super) fn check_text_attribute(&mut self, name: &str, range: TextRange, own: bool) {
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
            if let Some(texts) = self.texts(name, Purpose::Name) {
                for part in texts.iter().flat_map(|text| text.split('.')) {
                    let asyncio = self.scopes.imported_roots.contains("asyncio");
                    let own = !(asyncio && self.policy.attributes.of_event_loops.contains(part));
                    self.check_text_attribute(part, name.range(), own);
                }
            } else {
                let message = "the attribute is not a literal name";
                let hint = "write the name as a string literal, or use a `lambda`";
                self.report(rule::ATTRIBUTE_DYNAMIC, name.range(), message, hint);
            }
        }
    }

    /// A function or class that acts on names or texts which only a direct call shows.
    pub(super) fn check_direct_use(&mut self, known: &[Known], range: TextRange) {
        if known.is_empty() {
            return;
        }
        if self.annotations == 0
            && is_name(known, "abc", &["ABCMeta"])
            && !self.metaclasses.contains(&range)
        {
            let hint = "write a `class` statement with `abc.ABC` as its base";
            let message = "the metaclass may only stand after `metaclass=`";
            self.report(rule::METACLASS, range, message, hint);
        }
        if self.direct.contains(&range) {
            return;
        }
        let getter = is_name(known, "operator", &ATTRIBUTE_GETTERS)
            || is_name(known, "functools", &["update_wrapper", "wraps"]);
        let makes_types =
            self.annotations == 0 && is_name(known, "pydantic", &["TypeAdapter", "create_model"]);
        if getter {
            let message =
                "the function names attributes by strings; it may only be called directly";
            let hint = "call it with literal names, or use a `lambda`";
            self.report(rule::ATTRIBUTE_DYNAMIC, range, message, hint);
        } else if makes_types {
            let message =
                "what is called here evaluates texts as types; it may only be called directly";
            self.report(
                rule::ANNOTATION,
                range,
                message,
                "call it where it is needed",
            );
        }
    }

    /// `type` other than in `type(x)`: whoever gets it can make classes.
    pub(super) fn check_type_reference(&mut self, range: TextRange) {
        if self.annotations == 0 && !self.direct.contains(&range) {
            let message = "`type` is used as a value, which could make classes";
            let hint =
                "call `type(x)` where the type is needed; write a `class` statement for a class";
            self.report(rule::METACLASS, range, message, hint);
        }
    }

    /// `type(name, bases, namespace)` and `type(x)(…)`, which make classes.
    fn check_class_call(&mut self, call: &ExprCall) {
        let arguments = &call.arguments;
        let starred = arguments.args.iter().any(Expr::is_starred_expr);
        let makes_class = match &*call.func {
            func if self.may_be(func, "type") => {
                let one = arguments.args.len() == 1 && !starred && arguments.keywords.is_empty();
                self.direct.insert(func.range());
                !one
            }
            Expr::Name(name) => match self
                .resolve(name.id.as_str())
                .and_then(|(_, binding)| binding.only_value())
            {
                // A class that is asked of something is called by another name.
                Some(Value {
                    expr: Expr::Call(inner),
                    ..
                }) if self.may_be(&inner.func, "type") => inner
                    .arguments
                    .args
                    .iter()
                    .any(|argument| self.comes_of_library(argument)),
                _ => false,
            },
            Expr::Call(inner) if self.may_be(&inner.func, "type") => {
                let own = matches!(&*inner.arguments.args, [Expr::Name(name)] if self.is_receiver(name.id.as_str()));
                if !own {
                    arguments
                        .args
                        .iter()
                        .for_each(|argument| self.check_made_type(argument));
                }
                starred && !own
                    || arguments.args.len() == 3
                        && self.may_be_namespace(arguments.args.get(2), own)
            }
            Expr::Attribute(attribute) if attribute.attr.as_str() == "__class__" => {
                arguments.args.len() == 3 && self.may_be_namespace(arguments.args.get(2), true)
            }
            _ => false,
        };
        if makes_class {
            let hint = "write a `class` statement";
            self.report(
                rule::METACLASS,
                call.range(),
                "a class is made by a call",
                hint,
            );
        }
    }

    /// Whether a value is a class of a library, or comes out of a call of one.
    fn comes_of_library(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Subscript(subscript) => self.comes_of_library(&subscript.value),
            Expr::Attribute(attribute) if self.known(expr).is_empty() => {
                self.comes_of_library(&attribute.value)
            }
            Expr::Call(call) => {
                let libraries = ["typing", "pydantic", "functools"];
                self.known(&call.func).iter().any(|known| {
                    matches!(known, Known::Name(module, _) if libraries.contains(&module.as_str()))
                })
            }
            _ => !self.known(expr).is_empty(),
        }
    }

    /// A text that the type of something else may evaluate.
    fn check_made_type(&mut self, argument: &Expr) {
        let evaluates = ["typing", "pydantic"];
        if evaluates
            .iter()
            .any(|root| self.scopes.imported_roots.contains(*root))
            && argument.is_string_literal_expr()
        {
            self.check_type_text(argument);
        }
    }

    /// Whether the third argument of a class that may be `type` can be the members of a new class.
    fn may_be_namespace(&self, argument: Option<&Expr>, own: bool) -> bool {
        match argument {
            Some(Expr::BinOp(operation)) => operation.op == Operator::BitOr,
            Some(Expr::Name(name)) => {
                !own || self.resolve(name.id.as_str()).is_none_or(|(_, binding)| {
                    binding.count != binding.values.len()
                        || binding.values.iter().any(|value| {
                            !matches!(value.expr, Expr::BinOp(_) | Expr::NumberLiteral(_))
                        })
                })
            }
            Some(Expr::Attribute(attribute)) => !own || !attribute.value.is_name_expr(),
            Some(other) => {
                !(other.is_literal_expr()
                    || matches!(
                        other,
                        Expr::UnaryOp(_) | Expr::FString(_) | Expr::Compare(_)
                    ))
            }
            None => false,
        }
    }

    /// Keywords of a library's callables that may only have certain literals.
    fn check_keywords(&mut self, call: &ExprCall) {
        let policy = self.policy;
        for (module, keywords) in &policy.call_keywords {
            if !self.scopes.imported_roots.contains(module) || self.is_own_callable(&call.func) {
                continue;
            }
            let of_module = self
                .known(called(&call.func))
                .iter()
                .any(|known| matches!(known, Known::Name(found, _) if found == module));
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
                        if of_module && !self.are_known_keywords(value) {
                            let message =
                                format!("which keywords of `{module}` this sets cannot be told");
                            let hint = "write the keywords out";
                            self.report(rule::ARGUMENT_BLOCKED, value.range(), message, hint);
                        }
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

    /// Whether the keys of what stands after `**` are all literals, or those of `**keywords` of a
    /// function of the code, whose calls are judged.
    fn are_known_keywords(&self, value: &Expr) -> bool {
        let literal = |dict: &ExprDict| {
            dict.items
                .iter()
                .all(|item| item.key.as_ref().is_some_and(Expr::is_string_literal_expr))
        };
        match value {
            Expr::Dict(dict) => literal(dict),
            Expr::Name(name) => self.resolve(name.id.as_str()).is_some_and(|(_, binding)| {
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
            Expr::Name(name) => {
                let binding = self.resolve(name.id.as_str()).map(|(_, binding)| binding);
                let values = binding.into_iter().flat_map(|binding| &binding.values);
                let dicts = values.filter_map(|value| value.expr.as_dict_expr());
                dicts.flat_map(|dict| &dict.items).take(MAX_ITEMS).collect()
            }
            _ => Vec::new(),
        }
    }

    fn refused_keyword(&self, literals: Option<&Vec<String>>, value: &Expr) -> bool {
        let text = self.source(value.range());
        literals.is_some_and(|literals| !literals.iter().any(|literal| literal == text))
    }

    /// Whether the code itself defines what is called, and does not hand keywords on.
    fn is_own_callable(&self, func: &Expr) -> bool {
        match func {
            Expr::Name(name) => self.resolve(name.id.as_str()).is_some_and(|(_, binding)| {
                let hands_on = |function: &&StmtFunctionDef| function.parameters.kwarg.is_some();
                let extends = |class: &&StmtClassDef| {
                    class
                        .bases()
                        .iter()
                        .any(|base| !self.known(base).is_empty())
                };
                binding.count > 0
                    && binding.count == binding.functions.len() + binding.classes.len()
                    && !binding.functions.iter().any(hands_on)
                    && !binding.classes.iter().any(extends)
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

    /// Keywords of pydantic that are types or templates, and aliases, which name attributes where a
    /// model reads objects.
    fn check_pydantic_call(&mut self, call: &ExprCall, known: &[Known]) {
        let pydantic =
            |known: &Known| matches!(known, Known::Name(module, _) if module == "pydantic");
        if !known.iter().any(pydantic) {
            return;
        }
        let reads_objects = self.reads_objects();
        for keyword in &call.arguments.keywords {
            match keyword.arg.as_ref().map_or("", |name| name.as_str()) {
                "return_type" | "json_schema_input_type" => self.check_type_text(&keyword.value),
                "alias" | "validation_alias" => {
                    self.check_alias_texts(&keyword.value, reads_objects)
                }
                "alias_generator" if reads_objects && self.known(&keyword.value).is_empty() => {
                    let message =
                        "where models read attributes, names of attributes may not be computed";
                    let hint = "give each field its `alias`, or validate a dict";
                    self.report(rule::ARGUMENT_BLOCKED, keyword.range, message, hint);
                }
                _ => {}
            }
        }
        if is_name(known, "pydantic", &["AliasChoices", "AliasPath"]) {
            for argument in &call.arguments.args {
                self.check_alias_texts(argument, reads_objects);
            }
        }
        if is_name(known, "pydantic", &["PlainSerializer", "WrapSerializer"])
            && let Some(text) = call.arguments.args.get(1)
        {
            self.check_type_text(text);
        }
    }

    fn reads_objects(&self) -> bool {
        self.code.contains("from_attributes")
    }

    /// `alias_generator=` of a model that reads attributes of any object.
    pub(super) fn check_alias_generator(&mut self, keyword: &Keyword) {
        let named = keyword
            .arg
            .as_ref()
            .is_some_and(|name| name.as_str() == "alias_generator");
        if named && self.reads_objects() && self.known(&keyword.value).is_empty() {
            let message = "where models read attributes, names of attributes may not be computed";
            let hint = "give each field its `alias`, or validate a dict";
            self.report(rule::ARGUMENT_BLOCKED, keyword.range, message, hint);
        }
    }

    /// `ref_template=`, which pydantic formats.
    pub(super) fn check_reference_template(&mut self, call: &ExprCall) {
        let Some(keyword) = call.arguments.find_keyword("ref_template") else {
            return;
        };
        let templates = self.texts(&keyword.value, Purpose::Template);
        let plain = templates.is_some_and(|texts| {
            texts
                .iter()
                .all(|text| format::attribute_field(text).is_none())
        });
        if !plain && self.scopes.imported_roots.contains("pydantic") {
            let message = "the template is not a literal, or reads an attribute";
            let hint = "write a literal with `{model}` as its only field";
            self.report(rule::FORMAT_TEMPLATE, keyword.range, message, hint);
        }
    }

    fn check_alias_texts(&mut self, value: &Expr, reads_objects: bool) {
        let Some(texts) = self.texts(value, Purpose::Name) else {
            let made = matches!(
                value,
                Expr::BinOp(_) | Expr::FString(_) | Expr::Name(_) | Expr::Subscript(_)
            );
            if reads_objects && made {
                let message = "where models read attributes, the alias must be a literal";
                self.report(
                    rule::ATTRIBUTE_DYNAMIC,
                    value.range(),
                    message,
                    "write the name as a string literal",
                );
            }
            return;
        };
        for text in texts {
            let rules = &self.policy.attributes;
            let private = reads_objects && (text.starts_with('_') || rules.denied.contains(&text));
            if is_dunder(&text) || rules.internals.contains(&text) || private {
                self.check_attribute_name(&text, value.range(), false);
            }
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
        } else if is_name(known, "operator", &["getitem"]) {
            if let Some(item) = arguments.args.get(1)
                && arguments
                    .args
                    .first()
                    .is_some_and(|value| self.is_generic(value))
            {
                self.check_type_text(item);
            }
            return;
        } else {
            return;
        };
        let last = if all_keywords {
            arguments.args.len()
        } else {
            first + 1
        };
        for (index, argument) in arguments.args.iter().enumerate() {
            if argument.is_starred_expr() {
                self.report_annotation(argument.range());
            } else if (first..last).contains(&index) {
                self.check_type_value(argument);
            }
        }
        for keyword in &arguments.keywords {
            let name = keyword.arg.as_ref().map(|name| name.as_str());
            match name {
                Some("alias" | "validation_alias") => {}
                Some(name) if all_keywords || matches!(name, "type" | "typ" | "item_type") => {
                    self.check_type_value(&keyword.value);
                }
                Some(_) => {}
                None => self.check_type_values(&keyword.value),
            }
        }
    }

    /// The types in a dict that is given as keywords.
    fn check_type_values(&mut self, value: &Expr) {
        match value {
            Expr::Dict(_) => self.check_type_value(value),
            Expr::DictComp(comp) => self.check_type_value(&comp.value),
            Expr::Name(name) => {
                let Some((_, binding)) = self.resolve(name.id.as_str()) else {
                    return;
                };
                for value in binding.values.iter().take(MAX_ITEMS) {
                    match value.expr {
                        Expr::Dict(_) | Expr::DictComp(_) => self.check_type_values(value.expr),
                        _ => self.report_annotation(name.range),
                    }
                }
                for (_, value) in binding.items.iter().take(MAX_ITEMS) {
                    self.check_type_value(value.expr);
                }
            }
            _ => self.report_annotation(value.range()),
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
                    && self.texts(second, Purpose::Name).is_none()
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
            Expr::Call(call)
                if self.is_builtin(&call.func, "tuple") || self.is_builtin(&call.func, "list") =>
            {
                self.report_annotation(value.range());
            }
            Expr::Name(name) => {
                // The fields of `TypedDict("T", FIELDS)`.
                let binding = self.resolve(name.id.as_str()).map(|(_, binding)| binding);
                let values = binding.into_iter().flat_map(|binding| &binding.values);
                for value in values.take(MAX_ITEMS) {
                    if matches!(value.expr, Expr::Dict(_) | Expr::List(_) | Expr::Tuple(_)) {
                        self.check_type_value(value.expr);
                    }
                }
                self.check_type_text(value);
            }
            _ => self.check_type_text(value),
        }
    }
}

/// What is called, without the type arguments: `Adapter[T](…)`.
fn called(func: &Expr) -> &Expr {
    match func {
        Expr::Subscript(subscript) => &subscript.value,
        _ => func,
    }
}
