//! Rules for attributes that are named by strings: `getattr(x, "name")`, `attrgetter("name")`, the
//! fields of `namedtuple`. What a string names is judged like what stands after a dot, so it must
//! be a literal.

use rustc_hash::FxHashSet as HashSet;

use crate::pysyntax::ast::visitor::source_order::SourceOrderVisitor;
use crate::pysyntax::ast::{Expr, ExprCall, InterpolatedStringElement, Keyword};
use crate::pysyntax::{Ranged, TextRange};

use super::check::{Checker, are_plain};
use super::finding::quoted;
use super::knowledge::{Known, is_name};
use super::libraries::{FORMAT_METHODS, NAMES_OF_ATTRIBUTES};
use super::literal::{field_names, string_items};
use super::rule;
use super::scope::ScopeKind;
use super::texts::Purpose;

/// How many loops bind the name of a field.
const MAX_LOOPS: usize = 8;

impl<'a> Checker<'a> {
    /// `getattr(x, "name")` and the like.
    pub(super) fn check_attribute_builtin(&mut self, call: &'a ExprCall, function: &str) {
        let (receiver, name) = match &*call.arguments.args {
            [receiver, name, ..] if are_plain(&call.arguments) => (receiver, name),
            _ => return self.report_unknown_name(call, function),
        };
        let known = self.known(receiver);
        if known.is_empty()
            && (self.begins_own_attribute(name, receiver) || self.is_field_name(name))
        {
            self.visit_arguments(&call.arguments);
            return;
        }
        let Some(names) = self.texts(name, Purpose::Name) else {
            return self.report_unknown_name(call, function);
        };
        let changes = matches!(function, "setattr" | "delattr");
        let describes = self.describes_fields(receiver);
        if changes && (describes || !known.is_empty()) {
            self.report_change(call.range());
        }
        let modules: Vec<&str> = known.iter().filter_map(Known::as_module).collect();
        for text in &names {
            for module in &modules {
                self.check_named_member(module, text, name.range());
            }
            if modules.is_empty() {
                let own = known.is_empty() && self.may_be_own(receiver, text);
                self.check_text_attribute(text, name.range(), own);
            }
        }
        // A module's own name is fine before a dot, and so it is here.
        let of_module = !modules.is_empty() && !names.is_empty();
        let judged = usize::from(of_module);
        for argument in call.arguments.args.iter().skip(judged) {
            self.visit_expr(argument);
        }
    }

    /// A call of `getattr` or its like of which it is not known which attribute it names.
    fn report_unknown_name(&mut self, call: &'a ExprCall, function: &str) {
        let message = format!(
            "the attribute of {} is not a literal name",
            quoted(function)
        );
        let hint = "write the attribute directly, loop over a tuple of literal names, or keep the \
                    values in a dict";
        self.report(rule::ATTRIBUTE_DYNAMIC, call.range(), message, hint);
        self.visit_arguments(&call.arguments);
    }

    /// `getattr(module, "name")`, which must not give a module.
    fn check_named_member(&mut self, module: &str, name: &str, range: TextRange) {
        self.check_member(module, name, range);
        if self.is_module(&format!("{module}.{name}")) {
            let message = format!("the module {} is used as a value", quoted(name));
            let hint = "name what is used of it";
            self.report(rule::MODULE_VALUE, range, message, hint);
        }
    }

    /// Whether a computed name begins with a text that begins an attribute of the code's own and
    /// nothing that is denied: `f"visit_{kind}"`.
    fn begins_own_attribute(&self, name: &Expr, receiver: &Expr) -> bool {
        let prefix = match name {
            Expr::FString(text) => match text.value.elements().next() {
                Some(InterpolatedStringElement::Literal(literal)) => &*literal.value,
                _ => return false,
            },
            _ => return false,
        };
        let rules = &self.policy.attributes;
        let begins = |names: &HashSet<String>| names.iter().any(|name| name.starts_with(prefix));
        let private = prefix.starts_with('_');
        let denied = prefix.starts_with("__")
            || private && !(self.is_own_receiver(receiver) || self.is_own_instance(receiver))
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
        let rules = &self.policy.attributes;
        // Names of fields are names of attributes that the code has, of which some lead elsewhere.
        let harmless = |name: &&str| {
            !(rules.denied.contains(*name)
                || rules.of_event_loops.contains(*name)
                || rules.modules.contains(*name))
        };
        attribute.attr.as_str() == "name"
            && !self.scopes.changes_attribute("name")
            && self.scopes.own_attributes.iter().all(harmless)
            && self.binding_of(&attribute.value).is_some_and(|binding| {
                binding.count > 0
                    && binding.count == binding.iterables.len()
                    && binding.count <= MAX_LOOPS
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
        if FORMAT_METHODS.contains(&name) {
            let message = format!("{} takes a template that is not known here", quoted(name));
            self.report(rule::FORMAT_TEMPLATE, range, message, "use an f-string");
        } else {
            self.check_attribute_name(name, range, |_| own);
        }
    }

    /// `operator.attrgetter("a.b", "c")` and `operator.methodcaller("a", …)`.
    pub(super) fn check_attribute_getter(&mut self, call: &'a ExprCall) {
        let names = if self.is_known(&call.func, "operator", &["methodcaller"]) {
            call.arguments.args.get(..1).unwrap_or_default()
        } else {
            &call.arguments.args
        };
        for name in names {
            if let Some(texts) = self.texts(name, Purpose::Name) {
                for part in texts.iter().flat_map(|text| text.split('.')) {
                    let own = !self.may_lead_to_event_loop(part);
                    self.check_text_attribute(part, name.range(), own);
                }
            } else {
                let message = "the attribute is not a literal name";
                let hint = "write the name as a string literal, or use a `lambda`";
                self.report(rule::ATTRIBUTE_DYNAMIC, name.range(), message, hint);
            }
        }
    }

    /// `functools.wraps(f, assigned=…)`, which names attributes by strings.
    pub(super) fn check_wrapper(&mut self, call: &ExprCall, known: &[Known]) {
        let arguments = &call.arguments;
        let plain = if is_name(known, "functools", &["wraps"]) {
            1
        } else if is_name(known, "functools", &["update_wrapper"]) {
            2
        } else {
            return;
        };
        let named =
            |keyword: &Keyword| matches!(keyword.arg.as_deref(), Some("wrapped" | "wrapper"));
        let starred = arguments.args.iter().find(|it| it.is_starred_expr());
        let positional = starred.or(arguments.args.get(plain)).map(Ranged::range);
        let keyword = arguments.keywords.iter().find(|keyword| !named(keyword));
        if let Some(place) = positional.or(keyword.map(|keyword| keyword.range)) {
            let message = "which attributes are copied may not be chosen";
            self.report(rule::ARGUMENT_BLOCKED, place, message, "leave it out");
        }
    }

    /// The fields of `namedtuple("P", "x y")`, which class patterns read by their place.
    pub(super) fn check_fields(&mut self, call: &ExprCall, known: &[Known]) {
        if !is_name(known, "collections", &["namedtuple"]) {
            return;
        }
        let Some(fields) = call.arguments.find_argument_value("field_names", 1) else {
            return;
        };
        for text in string_items(fields) {
            for name in field_names(text) {
                if self.policy.attributes.internals.contains(name) {
                    self.check_attribute_name(name, fields.range(), |_| false);
                }
            }
        }
    }

    /// `__slots__` and `__match_args__`, whose strings are attribute names.
    pub(super) fn check_class_attribute(&mut self, target: &Expr, value: &Expr) {
        let Expr::Name(name) = target else { return };
        if self.scopes.kind(self.scope()) != ScopeKind::Class
            || !NAMES_OF_ATTRIBUTES.contains(&name.id.as_str())
        {
            return;
        }
        let items = match value {
            Expr::Tuple(tuple) => tuple.elts.as_slice(),
            Expr::List(list) => list.elts.as_slice(),
            _ => std::slice::from_ref(value),
        };
        for item in items {
            if let Expr::StringLiteral(literal) = item {
                // An object may be said to have these; that reads neither.
                let declared = name.id.as_str() == "__slots__"
                    && matches!(literal.value.to_str(), "__dict__" | "__weakref__");
                if !declared {
                    self.check_text_attribute(literal.value.to_str(), literal.range, true);
                }
            } else {
                let message = format!("{} holds more than literal names", quoted(&name.id));
                let hint = "write the names as string literals";
                self.report(rule::ATTRIBUTE_DYNAMIC, item.range(), message, hint);
            }
        }
    }
}
