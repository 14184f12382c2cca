//! Names followed to names: what an import binds, every name has that is bound to that one.

use rustc_hash::FxHashMap as HashMap;

use crate::pysyntax::ast::Expr;

use super::scope::{BindingId, ScopeId, Scopes};

/// A name that is bound to another, or to a path of attributes from it, last first.
struct Follower<'a> {
    scope: ScopeId,
    name: &'a str,
    path: Vec<&'a str>,
}

/// How many different imports are kept of one name; one more tells that there are too many.
pub(super) const MAX_IMPORTS: usize = 8;

/// The longest path of attributes that is followed.
const MAX_PATH: usize = 6;

/// The names that are bound to a name, by the scope and the name itself.
type Followers<'a> = HashMap<BindingId<'a>, Vec<Follower<'a>>>;

/// Gives names what the names are that they are bound to, until nothing changes.
pub(super) fn follow_names(scopes: &mut Scopes<'_>) {
    let (followers, mut waiting) = followers(scopes);
    while let Some((scope, name)) = waiting.pop() {
        let Some(following) = followers.get(&(scope, name)) else {
            continue;
        };
        let imports = scopes.binding(scope, name).map(|it| it.imports.clone());
        for imported in imports.iter().flatten() {
            for follower in following {
                let path = follower.path.iter().rev();
                let imported = path.fold(imported.clone(), |imported, name| imported.member(name));
                let binding = scopes.binding_mut(follower.scope, follower.name);
                let Some(binding) = binding else { continue };
                if binding.imports.contains(&imported) {
                    continue;
                }
                if binding.imports.len() < MAX_IMPORTS {
                    binding.imports.push(imported);
                    waiting.push((follower.scope, follower.name));
                } else {
                    binding.too_many = true;
                }
            }
        }
    }
}

/// All names that are bound to names, and the names that imports bind, from which to begin.
fn followers<'a>(scopes: &Scopes<'a>) -> (Followers<'a>, Vec<BindingId<'a>>) {
    let mut followers = Followers::default();
    let mut imported = Vec::new();
    for (scope, found) in scopes.all.iter().enumerate() {
        for (name, binding) in &found.bindings {
            if !binding.imports.is_empty() {
                imported.push((scope, *name));
            }
            for value in &binding.values {
                let Some((root, path)) = dotted(value.expr) else {
                    continue;
                };
                for owner in scopes.owners(value.scope, root) {
                    let path = path.clone();
                    let follower = Follower { scope, name, path };
                    followers.entry((owner, root)).or_default().push(follower);
                }
            }
        }
    }
    (followers, imported)
}

/// The name at the root of an expression such as `a.b.c`, and the attributes, last first.
pub(super) fn dotted(expr: &Expr) -> Option<(&str, Vec<&str>)> {
    let mut path = Vec::new();
    let mut root = expr;
    while let Expr::Attribute(attribute) = root {
        path.push(attribute.attr.as_str());
        root = &attribute.value;
        if path.len() > MAX_PATH {
            return None;
        }
    }
    let name = root.as_name_expr()?;
    Some((name.id.as_str(), path))
}
