//! Which compiled functions code can name at all.
//!
//! What a name of the code is bound to cannot always be told, so this asks less: a function that
//! is called must be named somewhere, as a name, after a dot, as a keyword, or as a text for
//! `getattr` and its like, which take literals only. Libraries that read attributes by names of
//! their own do so of the objects that they are given, and modules, which hold the functions, are
//! none that code hands about.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap as HashMap;

use crate::pysyntax::ast::visitor::source_order::{self, SourceOrderVisitor};
use crate::pysyntax::ast::{Alias, Expr, Keyword, ModModule, Pattern};

use super::CompiledNames;

/// The functions of these servers that the code can name.
pub(super) fn reachable(
    module: &ModModule,
    servers: &BTreeSet<String>,
    names: &CompiledNames,
) -> BTreeSet<(String, String)> {
    let mut words = Words::default();
    for server in servers {
        for function in names.get(server).into_iter().flatten() {
            words.want(function);
        }
    }
    if words.wanted.is_empty() {
        return BTreeSet::new();
    }
    for stmt in &module.body {
        words.visit_stmt(stmt);
    }
    let servers = servers
        .iter()
        .filter_map(|server| names.get_key_value(server));
    servers
        .flat_map(|(server, functions)| {
            let known = functions
                .iter()
                .filter(|it| words.wanted.get(it.as_str()) == Some(&true));
            known.map(|function| (server.clone(), function.clone()))
        })
        .collect()
}

/// Which functions something in the code could be the name of.
#[derive(Default)]
struct Words<'n> {
    /// The names of functions, and whether they were found.
    wanted: HashMap<&'n str, bool>,
    /// The [`trait_of`] of each of them. Most words have another, and are not looked up.
    traits: u64,
}

impl<'n> Words<'n> {
    fn want(&mut self, function: &'n str) {
        self.traits |= trait_of(function);
        self.wanted.entry(function).or_default();
    }

    fn find(&mut self, word: &str) {
        if self.traits & trait_of(word) != 0
            && let Some(found) = self.wanted.get_mut(word)
        {
            *found = true;
        }
    }
}

/// One of 64 bits, by the length of a word and its last letter.
fn trait_of(word: &str) -> u64 {
    let last = word.bytes().next_back().unwrap_or_default();
    1 << ((word.len() * 8 + usize::from(last)) % 64)
}

impl<'a> SourceOrderVisitor<'a> for Words<'_> {
    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(name) => self.find(&name.id),
            Expr::Attribute(attribute) => self.find(&attribute.attr),
            // `attrgetter("functions.get_pet")` takes several names in one text.
            Expr::StringLiteral(literal) => {
                literal
                    .value
                    .to_str()
                    .split('.')
                    .for_each(|word| self.find(word));
            }
            _ => {}
        }
        source_order::walk_expr(self, expr);
    }

    fn visit_alias(&mut self, alias: &'a Alias) {
        alias.name.split('.').for_each(|word| self.find(word));
    }

    fn visit_keyword(&mut self, keyword: &'a Keyword) {
        if let Some(name) = &keyword.arg {
            self.find(name);
        }
        source_order::walk_keyword(self, keyword);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        if let Pattern::MatchClass(class) = pattern {
            for keyword in &class.arguments.keywords {
                self.find(&keyword.attr);
            }
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
