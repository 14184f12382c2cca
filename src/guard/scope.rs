//! Which names the code binds, where, and to what: the pass before the judgement.

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::pysyntax::TextRange;
use crate::pysyntax::ast::visitor::source_order::{self, SourceOrderVisitor};
use crate::pysyntax::ast::{
    Alias, Comprehension, ExceptHandler, Expr, ExprCall, ExprContext, ModModule, Parameters,
    Pattern, Stmt, StmtClassDef, StmtFunctionDef, TypeParam,
};

use super::walk::{ScopeNode, ScopedVisitor, walk_expr, walk_stmt};

/// The number of a scope in [`Scopes`].
pub(super) type ScopeId = usize;

/// What a scope belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScopeKind {
    Module,
    Class,
    Function,
    Lambda,
    Comprehension,
    /// A generator expression: a comprehension that runs later than where it stands.
    Generator,
    TypeParameters,
}

impl ScopeKind {
    /// Whether a name bound in the scope is a local slot, so that a load never falls through to
    /// the built-in of that name.
    pub(super) fn has_slots(self) -> bool {
        !matches!(self, Self::Module | Self::Class)
    }
}

/// What an import binds a name to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Imported {
    /// A module, by its full dotted name.
    Module(String),
    /// A name of a module, which may be a module itself.
    Name(String, String),
}

impl Imported {
    /// The name that an import binds, and what it binds it to. `module` is that of `from … import`.
    pub(super) fn by<'a>(alias: &'a Alias, module: Option<&str>) -> (&'a str, Self) {
        let name = alias.name.as_str();
        match (module, &alias.asname) {
            (Some(module), asname) => (
                asname.as_ref().map_or(name, |asname| asname.as_str()),
                Self::Name(short(module), short(name)),
            ),
            (None, Some(asname)) => (asname.as_str(), Self::Module(short(name))),
            (None, None) => {
                let root = name.split('.').next().unwrap_or(name);
                (root, Self::Module(short(root)))
            }
        }
    }

    /// What an attribute of it is.
    fn member(&self, name: &str) -> Self {
        let module = match self {
            Self::Module(module) => module.clone(),
            Self::Name(module, outer) => short(&format!("{module}.{outer}")),
        };
        Self::Name(module, short(name))
    }
}

/// The most of a name that is kept. What is longer names nothing that exists, and is refused where it
/// is imported; put together again at every use it would cost much.
const MAX_NAME: usize = 256;

fn short(name: &str) -> String {
    let end = name.floor_char_boundary(MAX_NAME);
    name.get(..end).unwrap_or_default().to_owned()
}

/// An expression and the scope that it is evaluated in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value<'a> {
    pub(super) scope: ScopeId,
    pub(super) expr: &'a Expr,
}

/// Everything that is known of one name in one scope.
#[derive(Debug, Default)]
pub(super) struct Binding<'a> {
    /// How often the name is bound.
    pub(super) count: usize,
    /// What the name can be through imports, directly or by other names.
    pub(super) imports: Vec<Imported>,
    /// How many of the bindings are imports.
    pub(super) import_count: usize,
    /// The values of the plain assignments among these.
    pub(super) values: Vec<Value<'a>>,
    /// What a loop goes over whose target the name is, or the item of the target of that number.
    pub(super) iterables: Vec<(Value<'a>, Option<usize>)>,
    /// The context managers that a `with` binds to the name.
    pub(super) contexts: Vec<Value<'a>>,
    /// What is assigned to items of the name (`name[…] = value`).
    pub(super) items: Vec<(&'a Expr, Value<'a>)>,
    /// The annotations of the parameters among the bindings.
    pub(super) annotations: Vec<&'a Expr>,
    /// How many of the bindings are parameters.
    pub(super) parameters: usize,
    /// Whether a function binds the name of a scope that is not its own.
    pub(super) shared: bool,
    /// The classes among these.
    pub(super) classes: Vec<&'a StmtClassDef>,
    /// The functions among these.
    pub(super) functions: Vec<&'a StmtFunctionDef>,
    /// Whether the name is unbound somewhere (`del`, the end of an `except … as`).
    pub(super) deleted: bool,
    /// Whether it is the first parameter of a method.
    pub(super) receiver: bool,
    /// Whether an `except … as` binds it.
    pub(super) exception: bool,
}

impl<'a> Binding<'a> {
    fn merge(&mut self, other: Binding<'a>) {
        self.count += other.count;
        self.imports.extend(other.imports);
        self.import_count += other.import_count;
        self.values.extend(other.values);
        self.iterables.extend(other.iterables);
        self.contexts.extend(other.contexts);
        self.items.extend(other.items);
        self.parameters += other.parameters;
        self.shared = true;
        self.classes.extend(other.classes);
        self.functions.extend(other.functions);
        self.deleted |= other.deleted;
        self.receiver &= other.receiver;
        self.exception |= other.exception;
    }

    /// The only value that the name ever has, where that is an expression.
    pub(super) fn only_value(&self) -> Option<Value<'a>> {
        match self.values.as_slice() {
            [value] if self.count == 1 => Some(*value),
            _ => None,
        }
    }
}

/// One scope.
#[derive(Debug)]
pub(super) struct Scope<'a> {
    pub(super) kind: ScopeKind,
    parent: Option<ScopeId>,
    bindings: HashMap<&'a str, Binding<'a>>,
    globals: HashSet<&'a str>,
    nonlocals: HashSet<&'a str>,
}

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

/// All scopes of a module, in the order in which [`super::walk`] enters them; the first is the
/// module's.
#[derive(Debug)]
pub(super) struct Scopes<'a> {
    all: Vec<Scope<'a>>,
    /// Attribute names that the code's own classes and instances have.
    pub(super) own_attributes: HashSet<&'a str>,
    /// Names that are used otherwise than by reading an item of them.
    escaped: HashSet<&'a str>,
    /// Names that are read.
    read: HashSet<&'a str>,
    /// Attributes that are assigned to anything but the first parameter of a method.
    stored_attributes: HashSet<&'a str>,
    /// Attributes that are read, and texts that could name them.
    words: HashSet<&'a str>,
    /// What class bodies bind names to; `None` where it is not a plain assignment.
    class_values: HashMap<&'a str, Vec<Option<&'a Expr>>>,
    /// First components of all imported modules.
    pub(super) imported_roots: HashSet<String>,
}

impl<'a> Scopes<'a> {
    /// Binds the names of a module.
    pub(super) fn of(module: &'a ModModule) -> Self {
        let mut binder = Binder {
            scopes: Scopes {
                all: vec![Scope::new(ScopeKind::Module, None)],
                own_attributes: HashSet::default(),
                escaped: HashSet::default(),
                read: HashSet::default(),
                stored_attributes: HashSet::default(),
                words: HashSet::default(),
                class_values: HashMap::default(),
                imported_roots: HashSet::default(),
            },
            stack: vec![0],
            import_run: None,
            harmless: HashSet::default(),
        };
        for stmt in &module.body {
            // Of imports that follow each other the last one of a name counts: nothing runs between.
            if matches!(stmt, Stmt::Import(_) | Stmt::ImportFrom(_)) {
                binder.import_run.get_or_insert_default();
            } else {
                binder.import_run = None;
            }
            binder.visit_stmt(stmt);
        }
        binder.scopes.move_nonlocals();
        binder.scopes.follow_names();
        binder.scopes
    }

    /// Gives names what the names are that they are bound to, until nothing changes.
    fn follow_names(&mut self) {
        let mut followers: HashMap<(ScopeId, &'a str), Vec<Follower<'a>>> = HashMap::default();
        let mut waiting = Vec::new();
        for (scope, found) in self.all.iter().enumerate() {
            for (name, binding) in &found.bindings {
                if !binding.imports.is_empty() {
                    waiting.push((scope, *name));
                }
                for value in &binding.values {
                    let Some((root, path)) = dotted(value.expr) else {
                        continue;
                    };
                    for owner in self.owners(value.scope, root) {
                        let follower = Follower {
                            scope,
                            name,
                            path: path.clone(),
                        };
                        followers.entry((owner, root)).or_default().push(follower);
                    }
                }
            }
        }
        while let Some((scope, name)) = waiting.pop() {
            let Some(following) = followers.get(&(scope, name)) else {
                continue;
            };
            let imports = self.binding(scope, name).map(|it| it.imports.clone());
            for imported in imports.iter().flatten() {
                for follower in following {
                    let imported = follower
                        .path
                        .iter()
                        .rev()
                        .fold(imported.clone(), |imported, name| imported.member(name));
                    let binding = self
                        .all
                        .get_mut(follower.scope)
                        .and_then(|found| found.bindings.get_mut(follower.name));
                    if let Some(binding) = binding
                        && binding.imports.len() <= MAX_IMPORTS
                        && !binding.imports.contains(&imported)
                    {
                        binding.imports.push(imported);
                        waiting.push((follower.scope, follower.name));
                    }
                }
            }
        }
    }

    /// The scopes whose binding of a name a load may reach: that of a class body falls through to
    /// those around it while the name is not bound yet.
    pub(super) fn owners(&self, from: ScopeId, name: &str) -> Vec<ScopeId> {
        let mut owners = Vec::new();
        let mut next = self.resolve(from, name).map(|(owner, _)| owner);
        while let Some(owner) = next {
            owners.push(owner);
            let scope = self.all.get(owner);
            next = match scope.filter(|scope| scope.kind == ScopeKind::Class) {
                Some(class) => class
                    .parent
                    .and_then(|parent| self.resolve(parent, name))
                    .map(|(owner, _)| owner),
                None => None,
            };
        }
        owners
    }

    /// Gives what functions bind by `nonlocal` to the scope that owns the name. It may come later
    /// in the text, so this waits until all names are bound.
    fn move_nonlocals(&mut self) {
        for id in 0..self.all.len() {
            let Some(scope) = self.all.get_mut(id) else {
                continue;
            };
            let Some(parent) = scope.parent else { continue };
            let nonlocals = std::mem::take(&mut scope.nonlocals);
            for name in nonlocals {
                let moved = self
                    .all
                    .get_mut(id)
                    .and_then(|scope| scope.bindings.remove(name));
                let owner = self.resolve(parent, name).map(|(owner, _)| owner);
                let (Some(moved), Some(owner)) = (moved, owner) else {
                    continue;
                };
                if let Some(scope) = self.all.get_mut(owner) {
                    scope.bindings.entry(name).or_default().merge(moved);
                }
            }
        }
    }

    /// The kind of a scope.
    pub(super) fn kind(&self, id: ScopeId) -> ScopeKind {
        self.all
            .get(id)
            .map_or(ScopeKind::Module, |scope| scope.kind)
    }

    /// The binding of a name in exactly one scope.
    pub(super) fn binding(&self, id: ScopeId, name: &str) -> Option<&Binding<'a>> {
        self.all.get(id)?.bindings.get(name)
    }

    /// Resolves a name as Python does: the scope itself, then enclosing functions, then the module.
    /// `None` is a built-in, or nothing.
    pub(super) fn resolve(&self, from: ScopeId, name: &str) -> Option<(ScopeId, &Binding<'a>)> {
        let mut id = from;
        // The parameters of a type belong to the class around it.
        let mut direct = true;
        loop {
            let scope = self.all.get(id)?;
            // What a class body declares global does not concern its functions.
            let visible = direct || scope.kind != ScopeKind::Class;
            if visible && scope.globals.contains(name) {
                return self
                    .all
                    .first()?
                    .bindings
                    .get(name)
                    .map(|binding| (0, binding));
            }
            if visible && let Some(binding) = scope.bindings.get(name) {
                return Some((id, binding));
            }
            direct &= scope.kind == ScopeKind::TypeParameters;
            id = scope.parent?;
        }
    }

    /// Whether the code assigns an attribute of the name, other than a method to its own object.
    pub(super) fn stores_attribute(&self, name: &str) -> bool {
        self.stored_attributes.contains(name)
    }

    /// What the class bodies bind the name to, where it is a plain assignment each time.
    pub(super) fn class_values(&self, name: &str) -> Option<Vec<&'a Expr>> {
        self.class_values.get(name)?.iter().copied().collect()
    }

    /// The innermost class whose body, or a function of it, the scope is.
    pub(super) fn class_around(&self, mut id: ScopeId) -> Option<ScopeId> {
        loop {
            let scope = self.all.get(id)?;
            if scope.kind == ScopeKind::Class {
                return Some(id);
            }
            id = scope.parent?;
        }
    }

    /// Whether the code reads an attribute of the name, by whatever spelling.
    pub(super) fn reads_attribute(&self, name: &str) -> bool {
        self.words.contains(name)
    }

    /// Whether the name is read anywhere.
    pub(super) fn reads(&self, name: &str) -> bool {
        self.read.contains(name)
    }

    /// Whether an object bound to the name may have been changed after it was made.
    pub(super) fn escapes(&self, name: &str) -> bool {
        self.escaped.contains(name)
    }
}

impl Scope<'_> {
    fn new(kind: ScopeKind, parent: Option<ScopeId>) -> Self {
        Self {
            kind,
            parent,
            bindings: HashMap::default(),
            globals: HashSet::default(),
            nonlocals: HashSet::default(),
        }
    }
}

/// Methods that read a dict or list without handing out the object itself.
const READERS: [&str; 5] = ["get", "items", "keys", "values", "index"];

/// Built-ins that give their arguments to nothing else.
const ONLY_READING: [&str; 10] = [
    "all",
    "any",
    "enumerate",
    "len",
    "max",
    "min",
    "print",
    "sorted",
    "sum",
    "zip",
];

struct Binder<'a> {
    scopes: Scopes<'a>,
    stack: Vec<ScopeId>,
    /// The names that the imports just before bind, while statements of the module are imports, and
    /// how many imports each had before these.
    import_run: Option<HashMap<&'a str, usize>>,
    /// Where containers stand that are looped over, or given to a built-in that only reads them.
    harmless: HashSet<TextRange>,
}

impl<'a> Binder<'a> {
    fn current(&self) -> ScopeId {
        self.stack.last().copied().unwrap_or_default()
    }

    /// The scope in which a store to `name` at this place lands.
    fn target(&self, name: &str, skip_comprehensions: bool) -> ScopeId {
        let mut id = self.current();
        while let Some(scope) = self.scopes.all.get(id) {
            let parent = scope.parent.unwrap_or_default();
            let comprehension =
                matches!(scope.kind, ScopeKind::Comprehension | ScopeKind::Generator);
            if skip_comprehensions && comprehension {
                id = parent;
            } else if scope.globals.contains(name) {
                return 0;
            } else {
                return id;
            }
        }
        0
    }

    fn bind(&mut self, name: &'a str) -> Option<&mut Binding<'a>> {
        let id = self.target(name, false);
        self.bind_in(id, name)
    }

    fn bind_in(&mut self, id: ScopeId, name: &'a str) -> Option<&mut Binding<'a>> {
        let shared = id != self.current();
        let scope = self.scopes.all.get_mut(id)?;
        if scope.kind == ScopeKind::Class {
            self.scopes.own_attributes.insert(name);
            self.scopes.class_values.entry(name).or_default().push(None);
        }
        let binding = scope.bindings.entry(name).or_default();
        binding.count += 1;
        binding.shared |= shared;
        Some(binding)
    }

    fn bind_parameters(&mut self, parameters: &'a Parameters, method: bool) {
        for (index, parameter) in parameters.iter().enumerate() {
            if let Some(binding) = self.bind(parameter.name().as_str()) {
                binding.receiver = method && index == 0;
                binding.parameters += 1;
                binding
                    .annotations
                    .extend(parameter.as_parameter().annotation());
            }
        }
    }

    fn bind_import(&mut self, alias: &'a Alias, module: Option<&str>) {
        let name = alias.name.as_str();
        let (bound, imported) = Imported::by(alias, module);
        let root = module.unwrap_or(name).split('.').next().unwrap_or_default();
        self.scopes.imported_roots.insert(root.to_owned());
        let before = self
            .scopes
            .binding(0, bound)
            .map_or(0, |it| it.imports.len());
        let run = self.import_run.as_mut();
        let again = run.and_then(|run| {
            run.insert(bound, before).inspect(|first| {
                run.insert(bound, *first);
            })
        });
        if let Some(binding) = self.bind(bound) {
            if let Some(before) = again {
                binding.imports.truncate(before);
                binding.count -= 1;
            } else {
                binding.import_count += 1;
            }
            if !binding.imports.contains(&imported) && binding.imports.len() <= MAX_IMPORTS {
                binding.imports.push(imported);
            }
        }
    }

    /// `_x`, `os` and the like are legal attributes where the code assigns them to its own objects.
    fn own_attribute(&mut self, receiver: &'a Expr, attribute: &'a str) {
        let binding = match receiver {
            Expr::Name(name) => self.scopes.resolve(self.current(), name.id.as_str()),
            _ => None,
        };
        let binding = binding.map(|(_, binding)| binding);
        let receiver = binding.is_some_and(|binding| binding.receiver);
        let own = binding.is_some_and(|it| it.imports.is_empty() && !it.exception);
        if !receiver {
            self.scopes.stored_attributes.insert(attribute);
        }
        if own {
            self.scopes.own_attributes.insert(attribute);
        }
    }

    /// The names that records made by the code have as attributes: the keywords of
    /// `SimpleNamespace(…)`, the fields of `namedtuple(…)`.
    fn record_fields(&mut self, call: &'a ExprCall) {
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
                for fields in call
                    .arguments
                    .args
                    .get(1)
                    .into_iter()
                    .flat_map(string_items)
                {
                    let names = fields.split([',', ' ', '\n', '\t']);
                    let names = names.filter(|name| !name.starts_with('_'));
                    self.scopes.own_attributes.extend(names);
                }
            }
            // `super().__setattr__("name", …)`, `object.__setattr__(self, "name", …)`
            "__setattr__" => {
                let arguments = &call.arguments.args;
                if let Some(Expr::StringLiteral(name)) =
                    arguments.iter().find(|it| it.is_string_literal_expr())
                {
                    self.scopes.own_attributes.insert(name.value.to_str());
                }
            }
            _ => {}
        }
    }

    /// Records what the targets of a loop are bound to.
    fn record_loop(&mut self, target: &'a Expr, iterable: &'a Expr) {
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
    fn record(
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
        let scope = self.scopes.all.get_mut(id);
        if let Some(binding) = scope.and_then(|scope| scope.bindings.get_mut(name.id.as_str())) {
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
        let scope = self.scopes.all.get_mut(id);
        if let Some(scope) = scope {
            let binding = scope.bindings.get_mut(name.id.as_str());
            binding
                .into_iter()
                .for_each(|binding| binding.items.push((&subscript.slice, value)));
        }
    }

    /// A container that is read here, without the container itself being handed on.
    fn only_read(&mut self, expr: &Expr) {
        if let Expr::Name(name) = expr {
            self.harmless.insert(name.range);
        }
    }

    fn visit_comprehension_of(&mut self, expr: &'a Expr, generators: &'a [Comprehension]) {
        for generator in generators {
            self.only_read(&generator.iter);
        }
        walk_expr(self, expr);
    }

    fn read(&mut self, expr: &'a Expr) {
        if let Expr::Name(name) = expr {
            self.scopes.read.insert(name.id.as_str());
        }
    }

    fn record_value(&mut self, target: &'a Expr, value: &'a Expr) {
        if let Expr::Name(name) = target {
            let id = self.target(name.id.as_str(), false);
            if name.id.as_str() == "__slots__" {
                for literal in string_items(value) {
                    self.scopes.own_attributes.insert(literal);
                }
            }
            if self.scopes.kind(id) == ScopeKind::Class {
                let values = self.scopes.class_values.get_mut(name.id.as_str());
                if let Some(last) = values.and_then(|values| values.last_mut()) {
                    *last = Some(value);
                }
            }
        }
        self.record(target, |binding, value| binding.values.push(value), value);
        self.record_item(target, value);
    }
}

/// The strings of a literal string, tuple, list or set of them.
pub(super) fn string_items(value: &Expr) -> Vec<&str> {
    let items = match value {
        Expr::Tuple(tuple) => &tuple.elts,
        Expr::List(list) => &list.elts,
        Expr::Set(set) => &set.elts,
        Expr::StringLiteral(literal) => return vec![literal.value.to_str()],
        _ => return Vec::new(),
    };
    items
        .iter()
        .filter_map(|item| {
            item.as_string_literal_expr()
                .map(|literal| literal.value.to_str())
        })
        .collect()
}

impl<'a> ScopedVisitor<'a> for Binder<'a> {
    fn enter_scope(&mut self, node: ScopeNode<'a>) {
        let parent = self.current();
        let kind = match node {
            ScopeNode::Function(_) => ScopeKind::Function,
            ScopeNode::Lambda(_) => ScopeKind::Lambda,
            ScopeNode::Class(_) => ScopeKind::Class,
            ScopeNode::Comprehension => ScopeKind::Comprehension,
            ScopeNode::Generator => ScopeKind::Generator,
            ScopeNode::TypeParameters => ScopeKind::TypeParameters,
        };
        self.stack.push(self.scopes.all.len());
        self.scopes.all.push(Scope::new(kind, Some(parent)));
        match node {
            ScopeNode::Function(function) => {
                let is_static = function.decorator_list.iter().any(|decorator| {
                    matches!(&decorator.expression, Expr::Name(name) if name.id.as_str() == "staticmethod")
                });
                let method = self.scopes.kind(parent) == ScopeKind::Class && !is_static;
                self.bind_parameters(&function.parameters, method);
            }
            ScopeNode::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.bind_parameters(parameters, false);
                }
            }
            _ => {}
        }
    }

    fn leave_scope(&mut self) {
        self.stack.pop();
    }

    fn comprehension_bound(&mut self, comprehension: &'a Comprehension) {
        self.record_loop(&comprehension.target, &comprehension.iter);
    }
}

impl<'a> SourceOrderVisitor<'a> for Binder<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::For(statement) => self.only_read(&statement.iter),
            Stmt::AugAssign(assign) if assign.target.is_attribute_expr() => {
                // What is added to is there before, so it does not become the code's own.
                if let Expr::Attribute(attribute) = &*assign.target {
                    self.scopes
                        .stored_attributes
                        .insert(attribute.attr.as_str());
                    self.visit_expr(&attribute.value);
                }
                self.visit_expr(&assign.value);
                return;
            }
            Stmt::FunctionDef(function) => {
                if let Some(binding) = self.bind(function.name.as_str()) {
                    binding.functions.push(function);
                }
            }
            Stmt::ClassDef(class) => {
                if let Some(binding) = self.bind(class.name.as_str()) {
                    binding.classes.push(class);
                }
            }
            Stmt::Import(import) => {
                for alias in &import.names {
                    self.bind_import(alias, None);
                }
            }
            Stmt::ImportFrom(import) => {
                let module = import.module.as_ref().map_or("", |module| module.as_str());
                for alias in &import.names {
                    self.bind_import(alias, Some(module));
                }
            }
            Stmt::Global(statement) => {
                let id = self.current();
                for name in &statement.names {
                    if let Some(scope) = self.scopes.all.get_mut(id) {
                        scope.globals.insert(name.as_str());
                    }
                }
            }
            Stmt::Nonlocal(statement) => {
                let id = self.current();
                for name in &statement.names {
                    if let Some(scope) = self.scopes.all.get_mut(id) {
                        scope.nonlocals.insert(name.as_str());
                    }
                }
            }
            _ => {}
        }
        walk_stmt(self, stmt);
        match stmt {
            Stmt::Assign(assign) => {
                for target in &assign.targets {
                    self.record_value(target, &assign.value);
                }
            }
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    self.record_value(&assign.target, value);
                }
            }
            Stmt::For(statement) => self.record_loop(&statement.target, &statement.iter),
            Stmt::With(statement) => {
                for item in &statement.items {
                    if let Some(target) = &item.optional_vars {
                        let add = |binding: &mut Binding<'a>, value| binding.contexts.push(value);
                        self.record(target, add, &item.context_expr);
                    }
                }
            }
            _ => {}
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(name) => match name.ctx {
                ExprContext::Store => {
                    self.bind(name.id.as_str());
                }
                ExprContext::Del => {
                    if let Some(binding) = self.bind(name.id.as_str()) {
                        binding.deleted = true;
                    }
                }
                _ => {
                    self.scopes.read.insert(name.id.as_str());
                    if !self.harmless.contains(&name.range) {
                        self.scopes.escaped.insert(name.id.as_str());
                    }
                }
            },
            Expr::Named(named) => {
                if let Expr::Name(target) = &*named.target {
                    let id = self.target(target.id.as_str(), true);
                    self.bind_in(id, target.id.as_str());
                }
                self.visit_expr(&named.value);
            }
            Expr::Subscript(subscript)
                if subscript.ctx == ExprContext::Load && subscript.value.is_name_expr() =>
            {
                self.read(&subscript.value);
                self.visit_expr(&subscript.slice);
            }
            Expr::StringLiteral(text) => self.scopes.words.extend(text.value.to_str().split('.')),
            Expr::Attribute(attribute) => {
                self.scopes.words.insert(attribute.attr.as_str());
                if attribute.ctx != ExprContext::Load {
                    self.own_attribute(&attribute.value, attribute.attr.as_str());
                }
                let reads = attribute.ctx == ExprContext::Load
                    && READERS.contains(&attribute.attr.as_str())
                    && attribute.value.is_name_expr();
                if reads {
                    self.read(&attribute.value);
                } else {
                    self.visit_expr(&attribute.value);
                }
            }
            Expr::Compare(compare) => {
                for operand in &compare.comparators {
                    self.only_read(operand);
                }
                walk_expr(self, expr);
            }
            Expr::ListComp(comp) => self.visit_comprehension_of(expr, &comp.generators),
            Expr::SetComp(comp) => self.visit_comprehension_of(expr, &comp.generators),
            Expr::DictComp(comp) => self.visit_comprehension_of(expr, &comp.generators),
            Expr::Generator(comp) => self.visit_comprehension_of(expr, &comp.generators),
            Expr::Call(call) => {
                self.record_fields(call);
                if let Expr::Name(function) = &*call.func
                    && ONLY_READING.contains(&function.id.as_str())
                    && self
                        .scopes
                        .resolve(self.current(), function.id.as_str())
                        .is_none()
                {
                    for argument in &call.arguments.args {
                        self.only_read(argument);
                    }
                }
                walk_expr(self, expr);
            }
            _ => walk_expr(self, expr),
        }
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        if let Some(name) = &inner.name
            && let Some(binding) = self.bind(name.as_str())
        {
            binding.deleted = true;
            binding.exception = true;
        }
        source_order::walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        let name = match pattern {
            Pattern::MatchAs(pattern) => pattern.name.as_ref(),
            Pattern::MatchStar(pattern) => pattern.name.as_ref(),
            Pattern::MatchMapping(pattern) => pattern.rest.as_ref(),
            _ => None,
        };
        if let Some(name) = name {
            self.bind(name.as_str());
        }
        source_order::walk_pattern(self, pattern);
    }

    fn visit_type_param(&mut self, parameter: &'a TypeParam) {
        self.bind(parameter.name().as_str());
        source_order::walk_type_param(self, parameter);
    }
}
