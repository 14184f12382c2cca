//! The items of lists, tuples, sets and dicts that are written out, by subscripts and by loops.

use super::{From, Place, Search, Unknown};
use crate::guard::scope::ScopeId;
use crate::pysyntax::ast::Expr;

/// Which part of a dict a loop goes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum View {
    /// The container itself.
    Whole,
    Values,
    Items,
}

impl<'a> Search<'_, 'a> {
    /// The displays that an expression can be: lists, tuples, sets and dicts that nothing changes.
    fn displays(
        &mut self,
        expr: &Expr,
        scope: ScopeId,
        steps: usize,
    ) -> Result<Vec<Place<'a>>, Unknown> {
        self.budget.spend(0)?;
        let Expr::Name(name) = expr else {
            return Err(Unknown::NotLiteral);
        };
        let mut found = Vec::new();
        for ((value, scope, steps), from) in self.values(name.id.as_str(), scope, steps)? {
            let id = name.id.as_str();
            let fixed = value.is_tuple_expr() && all_fixed(value) || !self.scopes.escapes(id);
            // A loop over a dict hands on its keys alone.
            let looped = !value.is_dict_expr() && self.scopes.looped_over.contains(id);
            let items = all_fixed(value) || !self.scopes.handed_on.contains(id) && !looped;
            if from != From::Value || !fixed || !items {
                return Err(Unknown::NotLiteral);
            }
            found.push((value, scope, steps));
        }
        Ok(found)
    }

    /// What `container[…]` can be.
    pub(super) fn items<'e>(
        &mut self,
        container: &'e Expr,
        scope: ScopeId,
        steps: usize,
    ) -> Result<Vec<Place<'e>>, Unknown>
    where
        'a: 'e,
    {
        self.budget.spend(0)?;
        let inner = |expr: &'e Expr| -> Option<Vec<&'e Expr>> {
            match expr {
                Expr::Dict(dict) => Some(dict.items.iter().map(|item| &item.value).collect()),
                Expr::List(list) => Some(list.elts.iter().collect()),
                Expr::Tuple(tuple) => Some(tuple.elts.iter().collect()),
                _ => None,
            }
        };
        let displays: Vec<Place<'e>> = match container {
            Expr::Name(_) => self.displays(container, scope, steps)?,
            // An item of an item: `texts[language]["title"]`.
            Expr::Subscript(subscript) => {
                let steps = steps.checked_sub(1).ok_or(Unknown::NotLiteral)?;
                self.items(&subscript.value, scope, steps)?
            }
            _ => vec![(container, scope, steps)],
        };
        let mut found = Vec::new();
        for (display, scope, steps) in displays {
            let items = inner(display).ok_or(Unknown::NotLiteral)?;
            self.budget.spend(items.len())?;
            found.extend(items.into_iter().map(|item| (item, scope, steps)));
        }
        Ok(found)
    }

    /// What a loop over an expression gives.
    pub(super) fn items_of_loop<'e>(
        &mut self,
        iterable: &'e Expr,
        scope: ScopeId,
        steps: usize,
        from: From,
    ) -> Result<Vec<Place<'e>>, Unknown>
    where
        'a: 'e,
    {
        self.budget.spend(0)?;
        let (container, view) = view(iterable);
        let displays: Vec<Place<'e>> = match container {
            Expr::Name(_) => self.displays(container, scope, steps)?,
            _ => vec![(container, scope, steps)],
        };
        let mut found = Vec::new();
        for (display, scope, steps) in displays {
            let items = items_of_display(display, view, from).ok_or(Unknown::NotLiteral)?;
            self.budget.spend(items.len())?;
            found.extend(items.into_iter().map(|item| (item, scope, steps)));
        }
        Ok(found)
    }
}

/// The container that is looped over, by itself or by one of the methods of dicts.
fn view(iterable: &Expr) -> (&Expr, View) {
    if let Expr::Call(call) = iterable
        && call.arguments.is_empty()
        && let Expr::Attribute(method) = &*call.func
    {
        let view = match method.attr.as_str() {
            "keys" => View::Whole,
            "values" => View::Values,
            "items" => View::Items,
            _ => return (iterable, View::Whole),
        };
        return (&method.value, view);
    }
    (iterable, View::Whole)
}

/// What a loop gives of a container that is written out.
fn items_of_display(display: &Expr, view: View, from: From) -> Option<Vec<&Expr>> {
    let items: Vec<&Expr> = match display {
        Expr::Dict(dict) => {
            let keys: Option<Vec<&Expr>> =
                dict.items.iter().map(|item| item.key.as_ref()).collect();
            let values = dict.items.iter().map(|item| &item.value).collect();
            return match (view, from) {
                (View::Whole, From::Loop) | (View::Items, From::LoopItem(0)) => keys,
                (View::Values, From::Loop) | (View::Items, From::LoopItem(1)) => {
                    keys.map(|_| values)
                }
                _ => None,
            };
        }
        Expr::List(list) => list.elts.iter().collect(),
        Expr::Tuple(tuple) => tuple.elts.iter().collect(),
        Expr::Set(set) => set.elts.iter().collect(),
        _ => return None,
    };
    match (view, from) {
        (View::Whole, From::Loop) => Some(items),
        (View::Whole, From::LoopItem(index)) => {
            let parts = items.into_iter().map(|item| match item {
                Expr::Tuple(tuple) => tuple.elts.get(index),
                Expr::List(list) => list.elts.get(index),
                _ => None,
            });
            parts.collect()
        }
        _ => None,
    }
}

/// Whether the items of a container that is written out cannot be changed.
fn all_fixed(display: &Expr) -> bool {
    let fixed = |item: &Expr| {
        item.is_literal_expr()
            || item.is_f_string_expr()
            || item.is_name_expr()
            || item.is_bin_op_expr()
            || item.is_tuple_expr() && all_fixed(item)
    };
    match display {
        Expr::Dict(dict) => dict.items.iter().all(|item| fixed(&item.value)),
        Expr::List(list) => list.elts.iter().all(fixed),
        Expr::Tuple(tuple) => tuple.elts.iter().all(fixed),
        Expr::Set(set) => set.elts.iter().all(fixed),
        _ => false,
    }
}
