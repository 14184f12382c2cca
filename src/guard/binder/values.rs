//! What is known of what names are bound to: values, what loops go over, items, and the attributes
//! that the code gives its own objects.

use super::Binder;
use crate::guard::literal::{field_names, string_items};
use crate::guard::scope::{Binding, ScopeKind, Value};
use crate::pysyntax::ast::{Expr, ExprCall};

impl<'a> Binder<'a> {
    /// Records that an assignment gives a target a value.
    pub(super) fn record_value(&mut self, target: &'a Expr, value: &'a Expr) {
        if let Expr::Name(name) = target {
            let id = self.target(name.id.as_str(), false);
            if name.id.as_str() == "__slots__" {
                for literal in string_items(value) {
                    self.scopes.own_attributes.insert(literal);
                }
            }
            if self.scopes.kind(id) == ScopeKind::Class {
                let values = self.scopes.class_values.get_mut(name.id.as_str());
                if let Some(last) = values.and_then(|values| values.last_mut())
                    && self.plain_classes.last() == Some(&true)
                {
                    *last = Some(value);
                }
            }
        }
        self.record(target, |binding, value| binding.values.push(value), value);
        self.record_item(target, value);
    }

    /// Records what the targets of a loop are bound to.
    pub(super) fn record_loop(&mut self, target: &'a Expr, iterable: &'a Expr) {
        let items = match target {
            Expr::Tuple(tuple) => tuple.elts.as_slice(),
            target => {
                let add = |binding: &mut Binding<'a>, value| binding.iterables.push((value, None));
                return self.record(target, add, iterable);
            }
        };
        if items.iter().any(Expr::is_starred_expr) {
            return;
        }
        for (index, item) in items.iter().enumerate() {
            let add =
                |binding: &mut Binding<'a>, value| binding.iterables.push((value, Some(index)));
            self.record(item, add, iterable);
        }
    }

    /// Records what a target is bound to.
    pub(super) fn record(
        &mut self,
        target: &'a Expr,
        add: impl Fn(&mut Binding<'a>, Value<'a>),
        expr: &'a Expr,
    ) {
        let Expr::Name(name) = target else { return };
        let value = Value {
            scope: self.current(),
            expr,
        };
        let id = self.target(name.id.as_str(), false);
        if let Some(binding) = self.scopes.binding_mut(id, name.id.as_str()) {
            add(binding, value);
        }
    }

    /// Records what the items of a container are: `rows[key] = value`.
    fn record_item(&mut self, target: &'a Expr, expr: &'a Expr) {
        let Expr::Subscript(subscript) = target else {
            return;
        };
        let Expr::Name(name) = &*subscript.value else {
            return;
        };
        let value = Value {
            scope: self.current(),
            expr,
        };
        let id = self.target(name.id.as_str(), false);
        if let Some(binding) = self.scopes.binding_mut(id, name.id.as_str()) {
            binding.items.push((&subscript.slice, value));
        }
    }

    /// The names that records made by the code have as attributes: the keywords of
    /// `SimpleNamespace(…)`, the fields of `namedtuple(…)`.
    pub(super) fn record_fields(&mut self, call: &'a ExprCall) {
        let function = match &*call.func {
            Expr::Name(name) => name.id.as_str(),
            Expr::Attribute(attribute) => attribute.attr.as_str(),
            _ => return,
        };
        match function {
            "SimpleNamespace" => {
                for keyword in &call.arguments.keywords {
                    if let Some(name) = &keyword.arg {
                        self.scopes.own_attributes.insert(name.as_str());
                        self.scopes.stored_attributes.insert(name.as_str());
                    }
                }
            }
            "namedtuple" => {
                let texts = call
                    .arguments
                    .args
                    .get(1)
                    .into_iter()
                    .flat_map(string_items);
                let names = texts.flat_map(field_names);
                let public = names.filter(|name| !name.starts_with('_'));
                self.scopes.own_attributes.extend(public);
            }
            // `super().__setattr__("name", …)`, `object.__setattr__(self, "name", …)`
            "__setattr__" | "setattr" => {
                let names = call.arguments.args.iter().take(2);
                let names = names.filter_map(Expr::as_string_literal_expr);
                for name in names.map(|name| name.value.to_str()) {
                    self.scopes.stored_attributes.insert(name);
                    if function == "__setattr__" {
                        self.scopes.own_attributes.insert(name);
                    }
                }
            }
            _ => {}
        }
    }

    /// `_x`, `os` and the like are legal attributes where the code assigns them to its own objects.
    pub(super) fn own_attribute(&mut self, receiver: &'a Expr, attribute: &'a str) {
        let binding = match receiver {
            Expr::Name(name) => self.scopes.resolve(self.current(), name.id.as_str()),
            _ => None,
        };
        let binding = binding.map(|(_, binding)| binding);
        let receiver = binding.is_some_and(|binding| binding.receiver);
        let own = binding.is_some_and(|it| it.imports.is_empty() && !it.exception);
        let parameter = binding.is_some_and(|it| it.parameters > 0 && !it.receiver);
        self.scopes.changed_attributes.insert(attribute);
        if !receiver {
            self.scopes.stored_attributes.insert(attribute);
        }
        // What a parameter is given may be anything, and so may be what has the attribute already.
        if own && !(parameter && attribute.starts_with('_')) {
            self.scopes.own_attributes.insert(attribute);
        }
    }
}
