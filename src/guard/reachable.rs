//! Which compiled functions code can name at all.
//!
//! What a name of the code is bound to cannot always be told, so this asks less: a function that
//! is called must be named somewhere, as a name, after a dot, as a keyword, or as a text for
//! `getattr` and its like, which take literals only. Libraries that read attributes by names of
//! their own do so of the objects that they are given, and modules, which hold the functions, are
//! none that code hands about.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet as HashSet;

use crate::pysyntax::ast::visitor::source_order::{self, SourceOrderVisitor};
use crate::pysyntax::ast::{Alias, Expr, Keyword, ModModule, Pattern};

use super::CompiledNames;

/// The functions of these servers that the code can name.
pub(super) fn reachable(
    module: &ModModule,
    servers: &BTreeSet<String>,
    names: &CompiledNames,
) -> BTreeSet<(String, String)> {
    if servers.is_empty() {
        return BTreeSet::new();
    }
    let mut words = Words(HashSet::default());
    for stmt in &module.body {
        words.visit_stmt(stmt);
    }
    let servers = servers
        .iter()
        .filter_map(|server| names.get_key_value(server));
    servers
        .flat_map(|(server, functions)| {
            let known = functions.iter().filter(|it| words.0.contains(it.as_str()));
            known.map(|function| (server.clone(), function.clone()))
        })
        .collect()
}

/// Everything in the code that could be the name of an attribute.
struct Words<'a>(HashSet<&'a str>);

impl<'a> SourceOrderVisitor<'a> for Words<'a> {
    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(name) => {
                self.0.insert(name.id.as_str());
            }
            Expr::Attribute(attribute) => {
                self.0.insert(attribute.attr.as_str());
            }
            // `attrgetter("functions.get_pet")` takes several names in one text.
            Expr::StringLiteral(literal) => self.0.extend(literal.value.to_str().split('.')),
            _ => {}
        }
        source_order::walk_expr(self, expr);
    }

    fn visit_alias(&mut self, alias: &'a Alias) {
        self.0.extend(alias.name.as_str().split('.'));
    }

    fn visit_keyword(&mut self, keyword: &'a Keyword) {
        self.0.extend(keyword.arg.as_deref());
        source_order::walk_keyword(self, keyword);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        if let Pattern::MatchClass(class) = pattern {
            let keywords = class.arguments.keywords.iter();
            self.0.extend(keywords.map(|keyword| keyword.attr.as_str()));
        }
        source_order::walk_pattern(self, pattern);
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    fn reached(code: &str) -> Vec<String> {
        let functions = ["get_pet", "list_pets", "add_pet"].map(str::to_owned);
        let names = CompiledNames::from([
            ("pets".to_owned(), BTreeSet::from(functions.clone())),
            ("cats".to_owned(), BTreeSet::from(functions)),
        ]);
        let report = check(code, &names);
        let reachable = report.facts.reachable.into_iter();
        let dotted = reachable.map(|(server, function)| format!("{server}.{function}"));
        dotted.collect()
    }

    #[test]
    fn however_a_function_is_named_it_is_reachable() {
        for code in [
            "from pets.functions import get_pet as g\ng(pet_id=1)",
            "import pets.functions\npets.functions.get_pet(pet_id=1)",
            "from pets import functions as f\ngetattr(f, 'get_pet')(pet_id=1)",
            // What the name is bound to cannot be told here.
            "try:\n    import pets.functions as f\nexcept ImportError:\n    f = None\nf.get_pet()",
            "import pets.functions as f\na = f\nb = a\nc = b\nd = c\ne = d\ne.get_pet()",
            "import pets.functions as f\nname = 'get_pet'\ngetattr(f, name)()",
            // Python reads compatibility characters of names as plain ones.
            "from pets.functions import ｇet_pet",
        ] {
            assert_eq!(reached(code), ["pets.get_pet"], "{code}");
        }
    }

    #[test]
    fn only_imported_servers_and_named_functions_are() {
        assert_eq!(reached("get_pet = 1"), Vec::<String>::new());
        let code = "from pets.functions import get_pet, list_pets\nget_pet()\n# add_pet";
        assert_eq!(reached(code), ["pets.get_pet", "pets.list_pets"]);
    }
}
