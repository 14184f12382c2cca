//! From a job as it is given to the message for a worker.

use std::collections::{BTreeMap, BTreeSet};

use super::job::{self, Shape};
use super::library;
use super::lower::{Known, Lowered, TOP, Unsupported, lower};
use super::pool::Signatures;
use crate::pysyntax::ast::visitor::{Visitor, walk_expr, walk_stmt};
use crate::pysyntax::ast::{self, Expr, Stmt};
use crate::pysyntax::{Ranged as _, parse};
use crate::sandbox::running::{Afterwards, failure};
use crate::sandbox::{Failure, FailureKind, Job};
use crate::wire::Value;

/// How the module of a compiled server ends.
const FUNCTIONS: &str = ".functions";

/// The message that hands a job to a worker.
pub(super) fn prepare(
    job: &Job,
    signatures: &Signatures,
    afterwards: Afterwards,
) -> Result<Value, Failure> {
    // As in a file, a byte order mark is no part of the code.
    let source = job.code.strip_prefix('\u{feff}').unwrap_or(&job.code);
    let module = parse(source).map_err(|errors| {
        let message = errors.first().map_or_else(String::new, ToString::to_string);
        failure(FailureKind::Execution, format!("SyntaxError: {message}"))
    })?;
    let mut functions = BTreeMap::new();
    let mut names = BTreeMap::new();
    let mut types = BTreeMap::new();
    let mut streams = BTreeMap::new();
    for module in &job.modules {
        let Some(server) = module.name.strip_suffix(FUNCTIONS) else {
            continue;
        };
        let known = signatures.of(&module.source);
        let all = known.functions.keys().cloned();
        names.insert(server.to_owned(), all.collect::<BTreeSet<_>>());
        types.insert(server.to_owned(), known.types.clone());
        let streaming = known.functions.iter().filter(|(_, it)| it.streams);
        streams.insert(
            server.to_owned(),
            streaming.map(|(name, _)| name.clone()).collect(),
        );
        // Of a large server the code names few; no other can be called.
        let used = known
            .functions
            .iter()
            .filter(|(name, _)| source.contains(name.as_str()));
        functions.insert(
            server.to_owned(),
            used.map(|(name, signature)| (name.clone(), signature.clone()))
                .collect::<BTreeMap<_, _>>(),
        );
    }
    let marked = marked(source, &module);
    let known = Known {
        servers: &names,
        types: &types,
        streams: &streams,
        bridged: library::bridged(),
        native: library::native(),
    };
    let lowered = lower(&marked.text, &known).map_err(|found| unsupported(&found))?;
    let shape = shape(&marked, &lowered);
    let starts = [&shape.start, &shape.main].into_iter().flatten();
    let texts = starts.map(String::as_str).chain([lowered.code.as_str()]);
    let library = library::needed(texts);
    Ok(job::message(
        job, lowered, &library, shape, &functions, afterwards,
    ))
}

/// What runs the code and its `main`.
fn shape(marked: &Marked, lowered: &Lowered) -> Shape {
    // The loop of code that has one is there before anything runs in it.
    let run = if lowered.modules.contains("asyncio") {
        "_mce_module(\"asyncio\", _mce_module_asyncio)[\"run\"]"
    } else {
        "_mce_run"
    };
    Shape {
        start: lowered.awaits.then(|| format!("{run}({TOP}())")),
        main: marked.main.map(|main| match main {
            Main::Plain => "main()".to_owned(),
            Main::Async => format!("{run}(main())"),
        }),
        binds_result: marked.binds_result,
    }
}

/// Said of code that the interpreter has not all of.
fn unsupported(found: &Unsupported) -> Failure {
    Failure {
        hint: Some(
            "write it without that, or let the operator choose the docker sandbox \
             (`MCE_SANDBOX=docker`)"
                .to_owned(),
        ),
        ..failure(
            FailureKind::Unsupported,
            format!(
                "line {}: {} needs the docker sandbox",
                found.line, found.feature
            ),
        )
    }
}

/// How `main` is to be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Main {
    /// `main()`.
    Plain,
    /// `await main()`.
    Async,
}

/// Marked code, and what it defines.
#[derive(Debug)]
struct Marked {
    text: String,
    main: Option<Main>,
    binds_result: bool,
}

/// The code with a mark at the beginning of every `main`, so that it is not called a second time; and
/// what it defines. No line is added: the mark stands before the first statement, or, where that takes
/// lines of its own, in the header of a block around nothing.
fn marked(source: &str, module: &ast::ModModule) -> Marked {
    let mut places = Vec::new();
    let mut main = None;
    let mut blocks: Vec<&[Stmt]> = vec![&module.body];
    while let Some(block) = blocks.pop() {
        for statement in block {
            match statement {
                Stmt::FunctionDef(function) if function.name.as_str() == "main" => {
                    main = Some(if function.is_async {
                        Main::Async
                    } else {
                        Main::Plain
                    });
                    places.extend(first_place(function));
                }
                Stmt::If(it) => {
                    blocks.push(&it.body);
                    blocks.extend(it.elif_else_clauses.iter().map(|clause| &*clause.body));
                }
                Stmt::For(it) => blocks.extend([&*it.body, &*it.orelse]),
                Stmt::While(it) => blocks.extend([&*it.body, &*it.orelse]),
                Stmt::With(it) => blocks.push(&it.body),
                Stmt::Try(it) => {
                    blocks.extend([&*it.body, &*it.orelse, &*it.finalbody]);
                    for handler in &it.handlers {
                        let ast::ExceptHandler::ExceptHandler(handler) = handler;
                        blocks.push(&handler.body);
                    }
                }
                Stmt::Match(it) => blocks.extend(it.cases.iter().map(|case| &*case.body)),
                _ => {}
            }
        }
    }
    places.sort_by_key(|(place, _)| std::cmp::Reverse(*place));
    let mut text = source.to_owned();
    for (place, mark) in places {
        text.insert_str(place, mark);
    }
    Marked {
        text,
        main,
        binds_result: binds(module, "result"),
    }
}

/// Where the mark of a function goes, and what it is.
fn first_place(function: &ast::StmtFunctionDef) -> Option<(usize, &'static str)> {
    let is_text = |statement: &Stmt| matches!(statement, Stmt::Expr(it) if matches!(&*it.value, Expr::StringLiteral(_)));
    let simple = |statement: &&Stmt| {
        !matches!(
            statement,
            Stmt::FunctionDef(_)
                | Stmt::ClassDef(_)
                | Stmt::If(_)
                | Stmt::For(_)
                | Stmt::While(_)
                | Stmt::With(_)
                | Stmt::Try(_)
                | Stmt::Match(_)
        )
    };
    // After a docstring there may be a `;` or the end of a line; at the beginning of a simple statement
    // there is room in either case.
    let first = function.body.iter().find(|it| !is_text(it));
    let first = first.filter(simple);
    if let Some(statement) = first {
        return Some((statement.start().to_usize(), "_mce_main_started(); "));
    }
    // A compound statement comes first: a default of the function cannot tell, its condition can.
    match function.body.iter().find(|it| !is_text(it))? {
        Stmt::If(it) => Some((it.test.start().to_usize(), "_mce_main_started() or ")),
        Stmt::While(it) => Some((it.test.start().to_usize(), "_mce_main_started() or ")),
        Stmt::For(it) => Some((it.iter.start().to_usize(), "_mce_main_started() or ")),
        Stmt::Match(it) => Some((it.subject.start().to_usize(), "_mce_main_started() or ")),
        Stmt::With(it) => {
            let item = it.items.first()?;
            Some((
                item.context_expr.start().to_usize(),
                "_mce_main_started() or ",
            ))
        }
        Stmt::Try(it) => {
            let statement = it.body.first().filter(simple)?;
            Some((statement.start().to_usize(), "_mce_main_started(); "))
        }
        _ => None,
    }
}

/// Whether code at the top level, or a function by `global`, gives the name a value.
fn binds(module: &ast::ModModule, name: &str) -> bool {
    struct Binds<'a> {
        name: &'a str,
        depth: usize,
        found: bool,
    }
    impl<'a> Visitor<'a> for Binds<'_> {
        fn visit_stmt(&mut self, statement: &'a Stmt) {
            match statement {
                Stmt::FunctionDef(function) => {
                    self.found |= self.depth == 0 && function.name.as_str() == self.name;
                    self.depth += 1;
                    walk_stmt(self, statement);
                    self.depth -= 1;
                    return;
                }
                Stmt::ClassDef(class) => {
                    self.found |= self.depth == 0 && class.name.as_str() == self.name;
                    self.depth += 1;
                    walk_stmt(self, statement);
                    self.depth -= 1;
                    return;
                }
                Stmt::Global(global) => {
                    self.found |= global.names.iter().any(|it| it.as_str() == self.name);
                }
                Stmt::Import(import) if self.depth == 0 => {
                    self.found |= import.names.iter().any(|alias| {
                        let bound = alias.asname.as_ref().unwrap_or(&alias.name);
                        bound.split('.').next() == Some(self.name)
                    });
                }
                Stmt::ImportFrom(import) if self.depth == 0 => {
                    self.found |= import.names.iter().any(|alias| {
                        alias.asname.as_ref().unwrap_or(&alias.name).as_str() == self.name
                    });
                }
                _ => {}
            }
            walk_stmt(self, statement);
        }

        fn visit_expr(&mut self, expression: &'a Expr) {
            match expression {
                Expr::Name(it) if self.depth == 0 && it.id.as_str() == self.name => {
                    self.found |= it.ctx.is_store();
                }
                Expr::Lambda(_) => return,
                _ => {}
            }
            walk_expr(self, expression);
        }

        // Names of a comprehension are its own; those of `:=` are not.
        fn visit_comprehension(&mut self, comprehension: &'a ast::Comprehension) {
            self.visit_expr(&comprehension.iter);
            for condition in &comprehension.ifs {
                self.visit_expr(condition);
            }
        }

        fn visit_pattern(&mut self, pattern: &'a ast::Pattern) {
            let bound = match pattern {
                ast::Pattern::MatchAs(it) => it.name.as_ref(),
                ast::Pattern::MatchStar(it) => it.name.as_ref(),
                ast::Pattern::MatchMapping(it) => it.rest.as_ref(),
                _ => None,
            };
            self.found |= self.depth == 0 && bound.is_some_and(|it| it.as_str() == self.name);
            ast::visitor::walk_pattern(self, pattern);
        }
    }
    let mut binds = Binds {
        name,
        depth: 0,
        found: false,
    };
    binds.visit_body(&module.body);
    binds.found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(source: &str) -> Marked {
        let module = parse(source).unwrap();
        marked(source, &module)
    }

    #[test]
    fn every_main_says_that_it_runs_and_no_line_moves() {
        let cases = [
            (
                "def main():\n    return 1\n",
                "def main():\n    _mce_main_started(); return 1\n",
            ),
            (
                "def main(): return 1",
                "def main(): _mce_main_started(); return 1",
            ),
            (
                "if 1:\n    async def main():\n        'doc'\n        x = 1\n",
                "if 1:\n    async def main():\n        'doc'\n        _mce_main_started(); x = 1\n",
            ),
            (
                "def main():\n    for x in y:\n        pass\n",
                "def main():\n    for x in _mce_main_started() or y:\n        pass\n",
            ),
            (
                "def main():\n    try:\n        f()\n    except E: pass\n",
                "def main():\n    try:\n        _mce_main_started(); f()\n    except E: pass\n",
            ),
            (
                "class C:\n    def main(self): pass\n",
                "class C:\n    def main(self): pass\n",
            ),
        ];
        for (source, expected) in cases {
            assert_eq!(mark(source).text, expected);
        }
        assert_eq!(mark("async def main(): pass").main, Some(Main::Async));
        assert_eq!(mark("x = 1").main, None);
    }

    #[test]
    fn what_binds_a_result_is_seen() {
        for source in [
            "result = 1",
            "def f():\n    global result\n    result = 2",
            "for result in x: pass",
            "import a as result",
            "[(result := x) for x in y]",
            "match x:\n    case {**result}: pass",
        ] {
            assert!(mark(source).binds_result, "{source}");
        }
        for source in [
            "def f():\n    result = 1",
            "[result for result in x]",
            "print(result)",
            "lambda result: 1",
        ] {
            assert!(!mark(source).binds_result, "{source}");
        }
    }
}
