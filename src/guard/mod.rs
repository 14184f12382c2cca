//! The static guard for code a model wrote: violations that stop it before it runs, and facts the
//! runtime relies on. Pure. It is fast feedback and defence in depth; the boundary is the sandbox
//! and the table of operations.
//!
//! Every way to run code goes through [`Guard::check`]: there is no other source of [`Facts`], and
//! without facts no compiled function can be called.
//!
//! What happens to code, in this order; each step sees only what passed the one before:
//!
//! 1. `source`: the text itself, its length and its characters.
//! 2. [`crate::pysyntax`]: how deep it nests, whether it parses, and what Python refuses to
//!    compile.
//! 3. `binder`, over the whole module: the scopes (`scope`) with what each name is bound to. Then
//!    `following`: names that are bound to names have what those have from imports.
//! 4. `facts`: what stands at the top level.
//! 5. `visit`, over the whole module again, in the order of `walk`, which both passes share: the
//!    judgement. `check` is what it holds. On the way `branches` keeps what is certainly bound at
//!    a place, and `knowledge` what the imports bound names to last.
//!    `awaited` notes what could only fail after a call was made.
//! 6. `reachable`: the compiled functions that the code can name.
//!
//! The rules of the judgement are by what they look at: `imports`, `names`, `numbers`,
//! `decorators`, `attributes`, `named_attributes` (by strings), `templates`, `classes`, `calls`,
//! `keywords`, `annotations`, `type_arguments` and `models` (pydantic). They ask `texts` which
//! texts an expression can be, `receivers` whose object stands before a dot, `libraries` what
//! Python and libraries have, and `policy` what is allowed. A `finding` breaks a `rule`.

mod annotations;
mod attributes;
mod awaited;
mod binder;
mod branches;
mod calls;
mod check;
mod classes;
mod decorators;
mod facts;
mod finding;
mod following;
mod format;
mod hints;
mod imports;
mod keywords;
mod knowledge;
mod libraries;
mod literal;
mod models;
mod named_attributes;
mod names;
mod numbers;
mod parameters;
mod pieces;
mod policy;
mod position;
mod reachable;
mod receivers;
mod rule;
mod scope;
mod source;
mod templates;
mod texts;
mod type_arguments;
mod visit;
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use serde::Serialize;

use crate::pysyntax::{self, SyntaxError};
use finding::{Finding, violations};
use policy::Policy;

pub use literal::python_literal;
pub use parameters::{UnknownParameters, substitute};
pub use policy::{PolicyComplaint, PolicyError};
pub use rule::{Example, RULES, Rule};

/// The longest code that is looked at, in bytes. The runtime's own limit is lower.
pub const MAX_CODE_BYTES: usize = 1024 * 1024;

/// How many violations a report lists before it says how many more there are.
pub const MAX_VIOLATIONS: usize = 20;

/// What the sandbox image holds beside the standard library.
pub const LIBRARIES: [&str; 3] = ["httpx", "pydantic", "orjson"];

/// The names that compiled servers offer: server, then its functions.
pub type CompiledNames = BTreeMap<String, BTreeSet<String>>;

/// What the guard found.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Everything that stops the code, in the order of the text.
    pub violations: Vec<Violation>,
    /// What the code does, as far as its text tells; empty where it does not parse.
    pub facts: Facts,
}

impl Report {
    /// Whether the code may run.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.violations.is_empty()
    }
}

/// One reason not to run the code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// The rule's id, such as `import-blocked`.
    pub rule: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The offending text, cut to 80 characters.
    pub text: String,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
}

/// What the code does, from its syntax tree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Facts {
    /// Compiled servers that are imported.
    pub servers: BTreeSet<String>,
    /// Compiled functions that are named, as (server, function).
    pub functions: BTreeSet<(String, String)>,
    /// Functions of imported servers that the code can name in any way, more than it uses: those
    /// whose name is a name, an attribute or a text of the code. The guard refuses what reads an
    /// attribute of a module by a computed name. Libraries may read attributes by computed names of
    /// objects that they are given (pydantic's `alias_generator` with `from_attributes`), not of
    /// modules, which hold the functions: the host's own checks do not rest on this set.
    #[serde(skip)]
    pub reachable: BTreeSet<(String, String)>,
    /// Top-level assignments of a literal to one name, in order. A name that is bound more than
    /// once at the top level is not a parameter: which value would be meant cannot be told.
    pub parameters: Vec<TopLevelParameter>,
    /// Whether a top-level `main` is defined, and whether it is `async`.
    pub main: Option<MainFunction>,
    /// Whether `result` is assigned at the top level.
    pub assigns_result: bool,
    /// Whether `await` stands outside any function.
    pub top_level_await: bool,
    /// The first call of a compiled function that is awaited though it gives its value at once.
    #[serde(skip)]
    pub awaited: Option<Awaited>,
    /// Whether the code reads `_params` without defining it: the dict of all parameters given.
    pub reads_params: bool,
    /// The byte offset after the docstring and the `__future__` imports, where a statement may be
    /// inserted.
    pub prologue_end: usize,
}

/// A call of a compiled function that is awaited, which its value does not allow: Python would say so once the
/// call was made. Or one of `f.items` or `f.pages` that is gone over by `async for`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Awaited {
    /// The function.
    pub function: String,
    /// The byte of the code at which the call stands.
    pub offset: usize,
    /// What of it is awaited.
    pub awaiting: Awaiting,
}

/// What of a function is awaited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Awaiting {
    /// The value of `f(…)`.
    Value,
    /// What `f.items(…)` or `f.pages(…)` goes through, by the name of the attribute.
    Pages(&'static str),
}

/// The `main` that the code defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MainFunction {
    /// `def main`
    Sync,
    /// `async def main`
    Async,
}

/// A top-level name that `run_cached_code` can give another value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TopLevelParameter {
    /// The name.
    pub name: String,
    /// The bytes of the value expression in the code.
    pub span: Range<usize>,
}

/// A policy, and code judged by it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Guard {
    policy: Arc<Policy>,
}

#[expect(clippy::expect_used, reason = "the policy is part of the program")]
static BUILT_IN: LazyLock<Guard> = LazyLock::new(|| {
    let text = include_str!("../../config/guard.toml");
    let policy = Policy::parse(text, None).expect("a test holds `config/guard.toml`");
    Guard {
        policy: Arc::new(policy),
    }
});

impl Guard {
    /// The guard of the policy that is compiled into the program, `config/guard.toml`.
    #[must_use]
    pub fn built_in() -> Self {
        BUILT_IN.clone()
    }

    /// The guard of a policy file, which is TOML: one that changes the built-in policy
    /// (`extends = "built-in"`), or one that takes its place.
    ///
    /// ```
    /// use mce::guard::{CompiledNames, Guard};
    ///
    /// let guard = Guard::of_policy(
    ///     "extends = \"built-in\"\nblocked_modules.random = \"use `secrets`\"\n",
    /// )?;
    /// let report = guard.check("import random", &CompiledNames::new());
    /// assert_eq!(report.violations[0].hint.as_deref(), Some("use `secrets`"));
    /// # Ok::<(), mce::guard::PolicyError>(())
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong with the policy, each with its place: what cannot be read, rules
    /// that contradict each other, and rules that nothing can ever break.
    pub fn of_policy(text: &str) -> Result<Self, PolicyError> {
        let policy = Policy::parse(text, Some(&BUILT_IN.policy))?;
        Ok(Self {
            policy: Arc::new(policy),
        })
    }

    /// The modules that code may import, by name; those of compiled servers are not among them.
    #[must_use]
    pub fn importable(&self) -> Vec<&str> {
        self.policy.importable()
    }

    /// Judges code, given the functions that compiled servers offer.
    #[must_use]
    pub fn check(&self, code: &str, names: &CompiledNames) -> Report {
        self.check_pieces(code, &[], names)
    }

    /// Judges code that runs in pieces, which begin at these bytes: a piece may have been broken off
    /// anywhere before the next one begins, so that nothing of it is certain there.
    #[must_use]
    pub fn check_pieces(&self, code: &str, starts: &[usize], names: &CompiledNames) -> Report {
        let refused = |findings| Report {
            violations: violations(code, findings),
            ..Report::default()
        };
        let findings = source::check(code);
        if !findings.is_empty() {
            return refused(findings);
        }
        match pysyntax::parse(code) {
            Err(errors) => refused(errors.into_iter().map(syntax_finding).collect()),
            Ok(module) => {
                let (findings, facts) = check::judge(code, &module, starts, &self.policy, names);
                Report {
                    violations: violations(code, findings),
                    facts,
                }
            }
        }
    }
}

/// Judges code by the built-in policy.
///
/// ```
/// use mce::guard::{CompiledNames, check};
///
/// let report = check("import os\nprint(os.environ)", &CompiledNames::new());
/// assert_eq!((report.violations[0].rule.as_str(), report.violations[0].column), ("import-blocked", 8));
/// assert!(check("import json\nprint(json.dumps([1]))", &CompiledNames::new()).is_ok());
/// ```
#[must_use]
pub fn check(code: &str, names: &CompiledNames) -> Report {
    BUILT_IN.check(code, names)
}

fn syntax_finding(error: SyntaxError) -> Finding {
    if error.too_deep {
        let hint =
            "give parts of an expression names of their own, and blocks functions of their own";
        Finding::new(rule::TOO_DEEP, error.range, error.message, hint)
    } else {
        Finding::new(
            rule::SYNTAX,
            error.range,
            error.message,
            "correct the syntax (Python 3.13)",
        )
    }
}
