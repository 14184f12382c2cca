//! The pass that binds: which names the code binds, where, and to what.

mod values;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::pysyntax::TextRange;
use crate::pysyntax::ast::visitor::source_order::{self, SourceOrderVisitor};
use crate::pysyntax::ast::{
    Alias, Comprehension, ExceptHandler, Expr, ExprContext, ExprName, Identifier, ModModule,
    Parameters, Pattern, Stmt, StmtFunctionDef, TypeParam,
};

use super::check::PARAMS;
use super::following::{MAX_IMPORTS, follow_names};
use super::libraries::{READING_BUILTINS, READING_METHODS};
use super::pieces::Pieces;
use super::policy::root_package;
use super::scope::{Binding, Imported, Scope, ScopeId, ScopeKind, Scopes};
use super::walk::{ScopeNode, ScopedVisitor, captured, walk_expr, walk_stmt};

/// Binds the names of a module.
pub(super) fn bind<'a>(module: &'a ModModule, starts: &[usize]) -> Scopes<'a> {
    let mut binder = Binder {
        scopes: Scopes::new(),
        stack: vec![0],
        import_run: None,
        harmless: HashSet::default(),
        given: Vec::new(),
        plain_classes: Vec::new(),
    };
    let mut pieces = Pieces::new(starts);
    for stmt in &module.body {
        if pieces.begins_with(stmt) {
            binder.import_run = None;
        }
        // Of imports that follow each other the last one of a name counts: nothing runs between.
        if matches!(stmt, Stmt::Import(_) | Stmt::ImportFrom(_)) {
            binder.import_run.get_or_insert_default();
        } else {
            binder.import_run = None;
        }
        binder.visit_stmt(stmt);
    }
    binder.move_nonlocals();
    binder.look_for_own_functions();
    follow_names(&mut binder.scopes);
    binder.scopes
}

/// What the first parameter of a method is called.
pub(super) const RECEIVERS: [&str; 4] = ["self", "cls", "mcs", "_self"];

/// What the pass holds while it walks the code.
struct Binder<'a> {
    scopes: Scopes<'a>,
    /// The scopes around, the innermost last.
    stack: Vec<ScopeId>,
    /// The names that the imports just before bind, while statements of the module are imports, and
    /// how many imports each had before these.
    import_run: Option<HashMap<&'a str, usize>>,
    /// Where containers stand that are looped over, or given to a built-in that only reads them.
    harmless: HashSet<TextRange>,
    /// The names of such built-ins, and of what they are given: whether the code has a function of
    /// that name is known at the end only.
    given: Vec<(&'a str, &'a str)>,
    /// Of the classes around, whether they have neither bases nor decorators.
    plain_classes: Vec<bool>,
}

impl<'a> Binder<'a> {
    /// The scope around.
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

    /// Gives what functions bind by `nonlocal` to the scope that owns the name. It may come later
    /// in the text, so this waits until all names are bound.
    fn move_nonlocals(&mut self) {
        for id in 0..self.scopes.all.len() {
            let Some(scope) = self.scopes.all.get_mut(id) else {
                continue;
            };
            let Some(parent) = scope.parent else { continue };
            for name in std::mem::take(&mut scope.nonlocals) {
                self.move_nonlocal(id, parent, name);
            }
        }
    }

    /// What is given to a function of the code that has the name of a built-in is handed on.
    fn look_for_own_functions(&mut self) {
        let is_own = |name: &&&str| {
            let mut scopes = self.scopes.all.iter();
            scopes.any(|scope| scope.bindings.contains_key(**name))
        };
        let own: Vec<&str> = READING_BUILTINS.iter().filter(is_own).copied().collect();
        for (function, given) in std::mem::take(&mut self.given) {
            if own.contains(&function) {
                self.scopes.escaped.insert(given);
            }
        }
    }

    /// Gives one such name to the scope that owns it, seen from the parent of the function.
    fn move_nonlocal(&mut self, from: ScopeId, parent: ScopeId, name: &'a str) {
        let scope = self.scopes.all.get_mut(from);
        let moved = scope.and_then(|scope| scope.bindings.remove(name));
        let owner = self.scopes.resolve(parent, name).map(|(owner, _)| owner);
        if let (Some(moved), Some(owner)) = (moved, owner)
            && let Some(scope) = self.scopes.all.get_mut(owner)
        {
            scope.bindings.entry(name).or_default().merge(moved);
        }
    }

    /// Counts a name as bound at this place.
    fn bind(&mut self, name: &'a str) -> Option<&mut Binding<'a>> {
        let id = self.target(name, false);
        self.bind_in(id, name)
    }

    /// Counts a name as bound in a scope; `None` where there is no such scope.
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

    /// Binds parameters; `method` tells whether the first one is the object of a method.
    fn bind_parameters(&mut self, parameters: &'a Parameters, method: bool) {
        for (index, parameter) in parameters.iter().enumerate() {
            if let Some(binding) = self.bind(parameter.name().as_str()) {
                let first = method && index == 0;
                binding.receiver = first && RECEIVERS.contains(&parameter.name().as_str());
                binding.parameters += 1;
                binding
                    .annotations
                    .extend(parameter.as_parameter().annotation());
            }
        }
    }

    /// Binds what an import gives a name to; `module` is that of `from … import`.
    fn bind_import(&mut self, alias: &'a Alias, module: Option<&'a str>) {
        let bound = Imported::bound_by(alias, module);
        let imported = Imported::by(alias, module);
        self.scopes
            .imported_roots
            .insert(root_package(module.unwrap_or(&alias.name)));
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
            if binding.imports.contains(&imported) {
                // The same import again.
            } else if binding.imports.len() < MAX_IMPORTS {
                binding.imports.push(imported);
            } else {
                binding.too_many = true;
            }
        }
    }

    /// Notes names that the scope around declares to be those of another one.
    fn declare(
        &mut self,
        names: &'a [Identifier],
        declared: impl for<'s> FnOnce(&'s mut Scope<'a>) -> &'s mut HashSet<&'a str>,
    ) {
        let id = self.current();
        if let Some(scope) = self.scopes.all.get_mut(id) {
            declared(scope).extend(names.iter().map(Identifier::as_str));
        }
    }

    /// A container that is read here, without the container itself being handed on.
    fn only_read(&mut self, expr: &'a Expr) {
        if let Expr::Name(name) = expr {
            self.harmless.insert(name.range);
            self.scopes.looped_over.insert(name.id.as_str());
        }
    }

    /// The items of a container are given to somebody, who may change them.
    fn hand_on(&mut self, expr: &'a Expr) {
        if let Expr::Name(name) = expr {
            self.scopes.handed_on.insert(name.id.as_str());
        }
    }

    /// Visits a comprehension, which only reads what it goes over.
    fn visit_comprehension_of(&mut self, expr: &'a Expr, generators: &'a [Comprehension]) {
        for generator in generators {
            self.only_read(&generator.iter);
        }
        walk_expr(self, expr);
    }

    /// Of the names that are read only one matters by itself.
    fn note_read(&mut self, name: &ExprName) {
        self.scopes.reads_params |= name.id.as_str() == PARAMS;
    }

    /// Notes that a name is read, other than to hand on what it is bound to.
    fn read(&mut self, expr: &'a Expr) {
        if let Expr::Name(name) = expr {
            self.note_read(name);
        }
    }
}

/// The name that an item or attribute is of, however far.
fn root(expr: &Expr) -> Option<&str> {
    let mut root = expr;
    loop {
        root = match root {
            Expr::Name(name) => return Some(name.id.as_str()),
            Expr::Subscript(subscript) => &subscript.value,
            Expr::Attribute(attribute) => &attribute.value,
            Expr::Call(call) => &call.func,
            _ => return None,
        };
    }
}

/// Whether a function of a class takes no object of it.
fn is_static(function: &StmtFunctionDef) -> bool {
    function.decorator_list.iter().any(|decorator| {
        matches!(&decorator.expression, Expr::Name(name) if name.id.as_str() == "staticmethod")
    })
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
        if let ScopeNode::Class(class) = node {
            // Decorators and bases can make attributes of constants, and others of those.
            let plain = class.bases().is_empty() && class.decorator_list.is_empty();
            self.plain_classes.push(plain);
        }
        self.stack.push(self.scopes.all.len());
        self.scopes.all.push(Scope::new(kind, Some(parent)));
        match node {
            ScopeNode::Function(function) => {
                let method = self.scopes.kind(parent) == ScopeKind::Class && !is_static(function);
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
        if self.scopes.kind(self.current()) == ScopeKind::Class {
            self.plain_classes.pop();
        }
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
                self.declare(&statement.names, |scope| &mut scope.globals);
            }
            Stmt::Nonlocal(statement) => {
                self.declare(&statement.names, |scope| &mut scope.nonlocals);
            }
            _ => {}
        }
        walk_stmt(self, stmt);
        match stmt {
            Stmt::Assign(assign) => {
                for target in &assign.targets {
                    self.record_value(target, &assign.value);
                    // Two names for one container: what one changes, the other sees.
                    if let Expr::Name(name) = target
                        && assign.targets.len() > 1
                    {
                        self.scopes.escaped.insert(name.id.as_str());
                    }
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
                    self.note_read(name);
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
            Expr::Subscript(subscript) if subscript.ctx != ExprContext::Load => {
                // Whatever the item is of, it is of what the name at the root holds.
                if let Some(name) = root(&subscript.value) {
                    self.scopes.escaped.insert(name);
                }
                walk_expr(self, expr);
            }
            Expr::Subscript(subscript) if subscript.value.is_name_expr() => {
                self.read(&subscript.value);
                self.hand_on(&subscript.value);
                self.visit_expr(&subscript.slice);
            }
            // An item of an item, of which the item itself is handed to nobody.
            Expr::Subscript(outer)
                if outer
                    .value
                    .as_subscript_expr()
                    .is_some_and(|inner| inner.value.is_name_expr()) =>
            {
                if let Expr::Subscript(inner) = &*outer.value {
                    self.read(&inner.value);
                    self.visit_expr(&inner.slice);
                }
                self.visit_expr(&outer.slice);
            }
            Expr::Attribute(attribute) => {
                if attribute.ctx != ExprContext::Load {
                    self.own_attribute(&attribute.value, attribute.attr.as_str());
                }
                let reads = attribute.ctx == ExprContext::Load
                    && READING_METHODS.contains(&attribute.attr.as_str())
                    && attribute.value.is_name_expr();
                if reads {
                    self.read(&attribute.value);
                    self.hand_on(&attribute.value);
                } else {
                    self.visit_expr(&attribute.value);
                }
            }
            Expr::Compare(compare) => {
                for (op, operand) in compare.ops.iter().zip(&compare.comparators) {
                    if op.is_in() || op.is_not_in() {
                        self.only_read(operand);
                    }
                }
                walk_expr(self, expr);
            }
            Expr::ListComp(comp) => self.visit_comprehension_of(expr, &comp.generators),
            Expr::SetComp(comp) => self.visit_comprehension_of(expr, &comp.generators),
            Expr::DictComp(comp) => self.visit_comprehension_of(expr, &comp.generators),
            Expr::Generator(comp) => self.visit_comprehension_of(expr, &comp.generators),
            Expr::Call(call) => {
                self.record_fields(call);
                for keyword in &call.arguments.keywords {
                    self.scopes.stored_attributes.extend(keyword.arg.as_deref());
                }
                if let Expr::Name(function) = &*call.func
                    && READING_BUILTINS.contains(&function.id.as_str())
                {
                    for argument in &call.arguments.args {
                        self.only_read(argument);
                        self.hand_on(argument);
                        if let Expr::Name(name) = argument {
                            self.given.push((function.id.as_str(), name.id.as_str()));
                        }
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
        if let Some(name) = captured(pattern) {
            self.bind(name.as_str());
        }
        source_order::walk_pattern(self, pattern);
    }

    fn visit_type_param(&mut self, parameter: &'a TypeParam) {
        self.bind(parameter.name().as_str());
        source_order::walk_type_param(self, parameter);
    }
}
