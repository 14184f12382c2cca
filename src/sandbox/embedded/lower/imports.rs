//! Imports: of compiled servers, of bridged modules, of what the interpreter has.

use crate::pysyntax::ast::{Alias, Expr, StmtImport, StmtImportFrom};
use crate::pysyntax::{Ranged, TextRange, TextSize};

use super::rewrite::Rewriter;

/// The module of a server that holds its functions.
pub const FUNCTIONS: &str = "functions";

/// What compiled modules import.
pub const RUNTIME: &str = "mce_runtime";

/// What of it code may want.
fn of_runtime(name: &str) -> Option<String> {
    match name {
        "Event" | "EventStream" | "ItemStream" => Some("_mce_typed_dict".to_owned()),
        _ => ALWAYS.contains(&name).then(|| format!("_mce_{name}")),
    }
}

/// What of a compiled module is no function.
const ALWAYS: &[&str] = &["ApiError", "EgressError", "NULL"];

/// Modules whose names are for annotations and bases mostly, so that those which are nothing else need
/// no value.
const TYPING: &[&str] = &["abc", "collections.abc", "typing", "typing_extensions"];

/// A value that stands for an import, and whether the interpreter's own import does.
enum Imported {
    Native,
    Value(String),
}

/// The helper that a name of a module becomes, wherever it is imported.
pub fn helper(module: &str, name: &str) -> Option<&'static str> {
    match (module, name) {
        ("typing" | "typing_extensions", "cast") => Some("_mce_cast"),
        ("typing" | "typing_extensions", "NewType") => Some("_mce_new_type"),
        ("contextlib", "contextmanager") => Some("_mce_contextmanager"),
        ("contextlib", "asynccontextmanager") => Some("_mce_asynccontextmanager"),
        _ => None,
    }
}

impl<'a> Rewriter<'_, 'a> {
    pub fn import(&mut self, import: &'a StmtImport) {
        let mut values = Vec::new();
        for alias in &import.names {
            let path = alias.name.as_str();
            let Some(value) = self.imported_module(path, alias) else {
                return;
            };
            let bound = alias.asname.as_ref().map_or(path, |name| name.as_str());
            let value = match value {
                Imported::Native if alias.asname.is_some() => format!("import {path} as {bound}"),
                Imported::Native => format!("import {path}"),
                Imported::Value(value) if alias.asname.is_some() => format!("{bound} = {value}"),
                Imported::Value(value) => {
                    let top = path.split('.').next().unwrap_or(path);
                    format!("{top} = {value}")
                }
            };
            values.push(value);
        }
        if values.iter().any(|value| value.contains(" = ")) {
            self.replace_import(import.range(), &values);
        }
    }

    pub fn import_from(&mut self, import: &'a StmtImportFrom) {
        let module = import.module.as_ref().map_or("", |name| name.as_str());
        if import.level > 0 {
            self.refuse("a relative import", import.start());
            return;
        }
        if module == "__future__" {
            // All of these are as they are in the Python that is meant.
            self.replace_import(import.range(), &["pass".to_owned()]);
            return;
        }
        let mut values = Vec::new();
        for alias in &import.names {
            let name = alias.name.as_str();
            if name == "*" {
                self.refuse("`import *`", alias.start());
                return;
            }
            let bound = alias.asname.as_ref().map_or(name, |name| name.as_str());
            match self.member(module, name, bound, alias.start()) {
                None => return,
                Some(Imported::Value(value)) => values.push(format!("{bound} = {value}")),
                Some(Imported::Native) if alias.asname.is_some() => {
                    values.push(format!("from {module} import {name} as {bound}"));
                }
                Some(Imported::Native) => values.push(format!("from {module} import {name}")),
            }
        }
        if values.iter().any(|value| value.contains(" = ")) {
            self.replace_import(import.range(), &values);
        }
    }

    /// Puts simple statements in the place of an import, on as many lines.
    fn replace_import(&mut self, range: TextRange, values: &[String]) {
        self.replace_statement(range, values.join("; "));
    }

    /// The value of `import path`: with a name for it, of the module itself, else of what its first
    /// name is bound to.
    fn imported_module(&mut self, path: &str, alias: &Alias) -> Option<Imported> {
        let whole = alias.asname.is_some() || !path.contains('.');
        if let Some((server, rest)) = self.server(path) {
            let functions = format!("_mce_functions(\"{server}\")");
            return match rest {
                Some(FUNCTIONS) if whole => Some(Imported::Value(functions)),
                Some(FUNCTIONS) => {
                    let object = format!("_mce_module_object({{\"{FUNCTIONS}\": {functions}}})");
                    Some(Imported::Value(object))
                }
                _ => {
                    self.refuse(format!("the module `{path}`"), alias.start());
                    None
                }
            };
        }
        if self.known.bridged.contains_key(path) {
            return if whole {
                let names = self.bridged(path);
                Some(Imported::Value(format!("_mce_module_object({names})")))
            } else {
                self.package(path, alias)
            };
        }
        if self.known.native.contains_key(path) && whole {
            return Some(Imported::Native);
        }
        if TYPING.contains(&path) && whole && self.is_never_loaded(alias) {
            return Some(Imported::Value("None".to_owned()));
        }
        self.refuse(format!("the module `{path}`"), alias.start());
        None
    }

    /// The object that `import top.sub` binds, with all bridged modules under it: they are loaded only
    /// when they are used.
    fn package(&mut self, path: &str, alias: &Alias) -> Option<Imported> {
        let top = path.split('.').next().unwrap_or(path);
        let is_known = self.known.bridged.contains_key(top) || self.known.native.contains_key(top);
        let mut parts = path.split('.').skip(1);
        let (Some(sub), None) = (parts.next(), parts.next()) else {
            self.refuse(format!("the module `{path}`"), alias.start());
            return None;
        };
        if is_known && self.known.native.contains_key(top) {
            // What the interpreter's own module holds cannot be put beside the bridged one.
            self.refuse(
                format!("`import {path}` without a name for it"),
                alias.start(),
            );
            return None;
        }
        let names = self.bridged(path);
        let module = format!("\"{sub}\": _mce_module_object({names})");
        let object = if is_known {
            let package = self.bridged(top);
            format!("_mce_module_object({{**{package}, {module}}})")
        } else {
            format!("_mce_module_object({{{module}}})")
        };
        Some(Imported::Value(object))
    }

    /// The names of a bridged module.
    fn bridged(&mut self, path: &str) -> String {
        self.modules.insert(path.to_owned());
        let factory = path.replace('.', "_");
        format!("_mce_module(\"{path}\", _mce_module_{factory})")
    }

    /// The server that a path starts with, and what follows.
    pub fn server<'p>(&self, path: &'p str) -> Option<(&'p str, Option<&'p str>)> {
        let (server, rest) = match path.split_once('.') {
            Some((server, rest)) => (server, Some(rest)),
            None => (path, None),
        };
        self.known
            .servers
            .contains_key(server)
            .then_some((server, rest))
    }

    fn is_never_loaded(&self, alias: &Alias) -> bool {
        let bound = alias.asname.as_ref().unwrap_or(&alias.name);
        self.loads(bound.as_str()) == 0
    }

    fn loads(&self, name: &str) -> usize {
        let binding = self.scopes.resolve(self.scope, name);
        binding.map_or(0, |binding| binding.loads)
    }

    /// The value of `from module import name`.
    fn member(&mut self, module: &str, name: &str, bound: &str, at: TextSize) -> Option<Imported> {
        if module == RUNTIME {
            let value = of_runtime(name);
            if value.is_none() {
                self.refuse(format!("`{module}.{name}`"), at);
            }
            return value.map(Imported::Value);
        }
        if let Some((server, rest)) = self.server(module) {
            let value = match rest {
                None if name == FUNCTIONS => Some(format!("_mce_functions(\"{server}\")")),
                Some(FUNCTIONS) => self.server_member(server, name),
                _ => None,
            };
            if value.is_none() {
                self.refuse(format!("`{module}.{name}`"), at);
            }
            return value.map(Imported::Value);
        }
        let path = format!("{module}.{name}");
        if self.known.bridged.contains_key(&path) {
            let names = self.bridged(&path);
            return Some(Imported::Value(format!("_mce_module_object({names})")));
        }
        if let Some(helper) = helper(module, name) {
            return Some(Imported::Value(helper.to_owned()));
        }
        let has = |names: &super::Names| names.get(module).map(|names| names.contains(name));
        let (bridged, native) = (has(self.known.bridged), has(self.known.native));
        if bridged == Some(true) {
            let names = self.bridged(module);
            return Some(Imported::Value(format!("{names}[\"{name}\"]")));
        }
        // A bridged module stands for the native one as a whole.
        if bridged.is_none() && native == Some(true) {
            return Some(Imported::Native);
        }
        if TYPING.contains(&module) && self.loads(bound) == 0 {
            return Some(Imported::Value("None".to_owned()));
        }
        let is_module = bridged.is_some() || native.is_some() || TYPING.contains(&module);
        let feature = if is_module {
            format!("`{module}.{name}`")
        } else {
            format!("the module `{module}`")
        };
        self.refuse(feature, at);
        None
    }

    fn server_member(&self, server: &str, name: &str) -> Option<String> {
        let functions = self.known.servers.get(server)?;
        if functions.contains(name) {
            return Some(format!("_mce_function(\"{server}\", \"{name}\")"));
        }
        self.type_of_server(&format!("{server}.{FUNCTIONS}"), name)
    }

    /// What of the module of a server is no function.
    pub fn type_of_server(&self, module: &str, name: &str) -> Option<String> {
        if module == RUNTIME {
            return of_runtime(name);
        }
        let (server, rest) = self.server(module)?;
        if rest != Some(FUNCTIONS) {
            None
        } else if ALWAYS.contains(&name) {
            Some(format!("_mce_{name}"))
        } else {
            let types = self.known.types.get(server)?;
            types.contains(name).then(|| "_mce_typed_dict".to_owned())
        }
    }

    /// The dotted name of the module that an expression surely is.
    pub fn module_path(&self, expr: &Expr) -> Option<String> {
        match expr {
            Expr::Name(name) => {
                let binding = self.scopes.resolve(self.scope, name.id.as_str())?;
                let path = match binding.import()? {
                    (module, None) => module.to_owned(),
                    (module, Some(name)) => format!("{module}.{name}"),
                };
                self.is_module(&path).then_some(path)
            }
            Expr::Attribute(attribute) => {
                let path = format!("{}.{}", self.module_path(&attribute.value)?, attribute.attr);
                self.is_module(&path).then_some(path)
            }
            _ => None,
        }
    }

    /// Whether an expression surely is the module of a server.
    pub fn is_server(&self, expr: &Expr) -> bool {
        let path = self.module_path(expr);
        path.is_some_and(|path| self.server(&path).is_some())
    }

    fn is_module(&self, path: &str) -> bool {
        let is_listed = |names: &super::Names| names.contains_key(path);
        if is_listed(self.known.bridged) || is_listed(self.known.native) || TYPING.contains(&path) {
            return true;
        }
        if let Some((_, rest)) = self.server(path) {
            return matches!(rest, None | Some(FUNCTIONS));
        }
        let prefix = format!("{path}.");
        let next = self.known.bridged.range(prefix.clone()..).next();
        next.is_some_and(|(name, _)| name.starts_with(&prefix))
    }

    /// Whether what is listed as a module is a type of one: its names are methods and constants.
    pub fn is_type(&self, path: &str) -> bool {
        path.rsplit_once('.').is_some_and(|(module, name)| {
            [self.known.bridged, self.known.native]
                .iter()
                .any(|names| names.get(module).is_some_and(|names| names.contains(name)))
        })
    }

    /// Whether a module has a name, or may have it.
    pub fn has_member(&self, module: &str, name: &str) -> bool {
        if self.is_module(&format!("{module}.{name}")) {
            return true;
        }
        if let Some((server, rest)) = self.server(module) {
            return rest == Some(FUNCTIONS) && self.server_member(server, name).is_some();
        }
        let names = self.known.bridged.get(module);
        names
            .or_else(|| self.known.native.get(module))
            .is_some_and(|names| names.contains(name))
    }

    /// Whether an expression surely is a name of a module of the standard library.
    pub fn is_member(&self, expr: &Expr, modules: &[&str], name: &str) -> bool {
        match expr {
            Expr::Name(it) => self
                .scopes
                .resolve(self.scope, it.id.as_str())
                .and_then(super::scope::Binding::import)
                .is_some_and(|(module, member)| modules.contains(&module) && member == Some(name)),
            Expr::Attribute(it) => {
                it.attr.as_str() == name
                    && self
                        .module_path(&it.value)
                        .is_some_and(|path| modules.contains(&path.as_str()))
            }
            _ => false,
        }
    }

    /// Whether a test is `TYPE_CHECKING`, which is never true.
    pub fn is_type_checking(&self, test: &Expr) -> bool {
        self.is_member(test, &["typing", "typing_extensions"], "TYPE_CHECKING")
    }
}
