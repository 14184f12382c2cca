//! What there is to call. Answers are bounded whatever the catalogue, and text that comes from
//! documents is data: capped, one line where one line is meant.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use super::Runtime;
use super::excerpt::excerpt;
use super::registry::{Served, is_identifier};
use crate::api::{Manifest, is_mutating};
use crate::guard::{Guard, LIBRARIES};

/// Servers on one page.
const PAGE: usize = 20;
/// With no more functions than this on a page, each is listed with its summary.
const INLINE_FUNCTIONS: usize = 40;
/// Otherwise as many names are listed as fit into this many bytes.
const INLINE_NAMES_BYTES: usize = 4_000;
/// Bound on a server's description and on a function's summary, in characters.
const DESCRIPTION_CHARS: usize = 200;
/// Bound on one function's text with its types, in bytes.
const SOURCE_BYTES: usize = 6_000;
/// Functions that one `get_functions` may ask for.
pub(super) const MAX_FUNCTIONS: usize = 5;

/// One page of `list_servers`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ServersPage {
    /// The servers, by name.
    pub servers: Vec<ServerSummary>,
    /// Servers that are there but not served.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedServer>,
    /// What code may import beside the standard library, and what else a policy file allows.
    pub sandbox_libraries: Vec<String>,
    /// Gives the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Of the libraries of the image those that the policy allows, and the modules that it adds to the
/// built-in one.
fn libraries(guard: &Guard) -> Vec<String> {
    let built_in = Guard::built_in();
    let usual = built_in.importable();
    let modules = guard.importable();
    let of_image = LIBRARIES.into_iter();
    let of_image = of_image.filter(|library| modules.contains(library));
    let added = modules.iter().copied().filter(|it| !usual.contains(it));
    of_image.chain(added).map(str::to_owned).collect()
}

/// A server that can be imported.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ServerSummary {
    /// The name in `from <name>.functions import …`.
    pub name: String,
    /// Its title, where that says more than the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Whether it only reads.
    pub read_only: bool,
    /// How many functions it has.
    pub function_count: usize,
    /// Its functions, while they are few.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<InlineFunction>,
}

/// A function in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum InlineFunction {
    /// Its name alone, where there are many.
    Name(String),
    /// Its name and what it does.
    Described {
        /// The name.
        name: String,
        /// One line.
        summary: String,
    },
}

/// A server that is not served.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefusedServer {
    /// The server.
    pub name: String,
    /// Why, and what to do.
    pub reason: String,
}

/// A function as `get_functions` asks for it: `"server.function"` or both members.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum FunctionName {
    /// `server.function`.
    Dotted(String),
    /// Both by name.
    Parts {
        /// The server.
        #[serde(alias = "server_name")]
        server: String,
        /// The function.
        #[serde(alias = "function_name")]
        function: String,
    },
}

/// The answer to `get_functions`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FunctionsAnswer {
    /// One answer for each function asked for, in that order.
    pub functions: Vec<FunctionAnswer>,
}

/// A function, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum FunctionAnswer {
    /// The function.
    Found(Box<FunctionDetail>),
    /// Why there is none.
    Problem(FunctionProblem),
}

/// What one needs to call a function.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FunctionDetail {
    /// The server.
    pub server: String,
    /// The function.
    pub function: String,
    /// The line that imports it.
    pub import: String,
    /// Types, signature and documentation with an example, as Python. Types that an earlier
    /// function of the same answer has are not repeated.
    pub source: String,
    /// Whether it may change something.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub mutating: bool,
    /// Whether the document calls it deprecated.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deprecated: bool,
    /// Types of the signature that were left out for length.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub omitted_types: Vec<String>,
}

/// Why a function that was asked for is not there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FunctionProblem {
    /// What was asked for.
    pub name: String,
    /// What is wrong with it.
    pub error: String,
    /// The nearest names there are, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<String>,
}

impl FunctionProblem {
    fn new(name: &str, error: impl Into<String>, nearest: Vec<String>) -> Self {
        Self {
            name: one_line(name, 200),
            error: error.into(),
            nearest,
        }
    }
}

/// A `cursor` that no page gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`cursor` is no `next_cursor` of `list_servers`; leave it out for the first page")]
pub struct UnknownCursor;

impl Runtime {
    /// The manifest of a server as it was checked; `None` where there is no such server, or it is
    /// refused.
    pub async fn manifest(&self, server: &str) -> Option<Arc<Manifest>> {
        let compiled = self.registry.server(server).await?.ok()?;
        Some(Arc::clone(&compiled.target.manifest))
    }

    /// The servers after `cursor`, which a page before gave.
    ///
    /// # Errors
    /// `cursor` is none that a page gave.
    pub async fn list_servers(&self, cursor: Option<&str>) -> Result<ServersPage, UnknownCursor> {
        let after = match cursor {
            Some(cursor) => read_cursor(cursor).ok_or(UnknownCursor)?,
            None => String::new(),
        };
        let mut page = self.registry.names_after(&after, PAGE + 1);
        let more = page.len() > PAGE;
        page.truncate(PAGE);
        let mut answer = ServersPage {
            sandbox_libraries: libraries(&self.guard),
            ..ServersPage::default()
        };
        if more {
            answer.next_cursor = page.last().map(|name| write_cursor(name));
        }
        let mut passed = Vec::new();
        for (name, outcome) in self.registry.servers(page).await {
            match outcome {
                Ok(served) => passed.push(served),
                Err(refused) => answer.refused.push(RefusedServer {
                    name,
                    reason: refused.reason,
                }),
            }
        }
        let total: usize = passed
            .iter()
            .map(|served| served.manifest().functions.len())
            .sum();
        let share = INLINE_NAMES_BYTES / passed.len().max(1);
        for served in passed {
            let functions = if total <= INLINE_FUNCTIONS {
                described(&served)
            } else {
                names_within(&served, share)
            };
            answer.servers.push(summary(&served, functions));
        }
        Ok(answer)
    }

    /// Signature, types, documentation and an example of each function; the answer has one entry
    /// for each name, in order.
    pub async fn get_functions(&self, names: &[FunctionName]) -> FunctionsAnswer {
        // Who reads a signature is about to run code.
        self.engine.expect();
        let names = names.get(..MAX_FUNCTIONS).unwrap_or(names);
        let mut found = Vec::new();
        for name in names {
            found.push(self.find_function(name).await);
        }
        // Types that several of the functions need are shown with the first of them.
        let mut shown: HashMap<&str, HashSet<&str>> = HashMap::new();
        let functions = found.iter().map(|found| match found {
            Ok((compiled, function)) => {
                let shown = shown.entry(&compiled.manifest().server).or_default();
                match detail(compiled, function, shown) {
                    Ok(detail) => FunctionAnswer::Found(Box::new(detail)),
                    Err(problem) => FunctionAnswer::Problem(problem),
                }
            }
            Err(problem) => FunctionAnswer::Problem(problem.clone()),
        });
        FunctionsAnswer {
            functions: functions.collect(),
        }
    }

    /// A function that was named without its server: those that have one of that name.
    async fn without_server(&self, name: &str) -> FunctionProblem {
        let servers = self
            .registry
            .names()
            .take(PAGE)
            .map(str::to_owned)
            .collect();
        let servers = self.registry.servers(servers).await;
        let served: Vec<_> = servers
            .iter()
            .filter_map(|(_, it)| it.as_ref().ok())
            .collect();
        let all = || {
            served.iter().flat_map(|served| {
                let functions = served.manifest().functions.iter();
                functions.map(|function| (served.manifest(), function.name.as_str()))
            })
        };
        let near = nearest(name, all().map(|(_, function)| function));
        let near = near.iter().flat_map(|near| {
            all()
                .filter(move |(_, function)| function == near)
                .map(|(manifest, function)| format!("{}.{function}", manifest.server))
        });
        let mut near: Vec<_> = near.take(5).collect();
        near.dedup();
        FunctionProblem::new(name, "a function is named `server.function`", near)
    }

    /// The server and the name of a function that was asked for.
    async fn find_function(
        &self,
        name: &FunctionName,
    ) -> Result<(Arc<Served>, String), FunctionProblem> {
        let (server, function) = match name {
            FunctionName::Parts { server, function } => (server.as_str(), function.as_str()),
            FunctionName::Dotted(dotted) => match dotted.split_once('.') {
                Some(parts) => parts,
                None => return Err(self.without_server(dotted).await),
            },
        };
        // `weather.functions.get_forecast` is how code imports it.
        let function = function.strip_prefix("functions.").unwrap_or(function);
        let asked = format!("{server}.{function}");
        let compiled = match self.registry.server(server).await {
            Some(Ok(compiled)) => compiled,
            Some(Err(refused)) => {
                let error = format!("server `{server}` is refused: {}", refused.reason);
                return Err(FunctionProblem::new(&asked, error, vec![]));
            }
            None => {
                let near = nearest(server, self.registry.names());
                return Err(FunctionProblem::new(
                    &asked,
                    "there is no such server",
                    near,
                ));
            }
        };
        if compiled.manifest().function(function).is_none() {
            let functions = compiled.manifest().functions.iter();
            let near = nearest(function, functions.map(|function| function.name.as_str()));
            let near = near.iter().map(|near| format!("{server}.{near}")).collect();
            return Err(FunctionProblem::new(
                &asked,
                "there is no such function",
                near,
            ));
        }
        Ok((compiled, function.to_owned()))
    }
}

fn detail<'s>(
    compiled: &'s Served,
    function: &str,
    shown: &mut HashSet<&'s str>,
) -> Result<FunctionDetail, FunctionProblem> {
    let server = &compiled.manifest().server;
    let lost = || {
        let asked = format!("{server}.{function}");
        FunctionProblem::new(&asked, "its text is not where it should be", vec![])
    };
    let function = compiled.manifest().function(function).ok_or_else(lost)?;
    let excerpt = excerpt(&compiled.module, &function.name, SOURCE_BYTES, shown);
    let excerpt = excerpt.ok_or_else(lost)?;
    Ok(FunctionDetail {
        server: server.clone(),
        function: function.name.clone(),
        import: format!("from {server}.functions import {}", function.name),
        source: excerpt.text,
        mutating: is_mutating(&function.method),
        deprecated: function.deprecated,
        omitted_types: excerpt.omitted,
    })
}

fn summary(served: &Served, functions: Vec<InlineFunction>) -> ServerSummary {
    let manifest = served.manifest();
    let title = one_line(&manifest.title, DESCRIPTION_CHARS);
    let description = one_line(&manifest.description, DESCRIPTION_CHARS);
    ServerSummary {
        name: manifest.server.clone(),
        title: Some(title)
            .filter(|title| !title.eq_ignore_ascii_case(&manifest.server) && *title != description),
        description,
        read_only: served.target.read_only,
        function_count: manifest.functions.len(),
        functions,
    }
}

fn described(served: &Served) -> Vec<InlineFunction> {
    let functions = served.manifest().functions.iter();
    functions
        .map(|function| InlineFunction::Described {
            name: function.name.clone(),
            summary: one_line(&function.summary, DESCRIPTION_CHARS / 2),
        })
        .collect()
}

fn names_within(served: &Served, mut budget: usize) -> Vec<InlineFunction> {
    let functions = served.manifest().functions.iter();
    functions
        .map(|function| function.name.clone())
        .take_while(|name| {
            let fits = name.len() + 3 <= budget;
            budget = budget.saturating_sub(name.len() + 3);
            fits
        })
        .map(InlineFunction::Name)
        .collect()
}

/// Text of a document on one line, without control characters, capped.
pub(super) fn one_line(text: &str, characters: usize) -> String {
    let mut line = String::new();
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if !word.is_empty() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        if line.len() > characters * 4 {
            break;
        }
    }
    match line.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default().trim_end()),
        None => line,
    }
}

/// The names most like `name`, best first.
pub(super) fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    // The comparison is quadratic, and no name is this long.
    let name: String = name.chars().take(100).collect();
    let mut near: Vec<(f64, &str)> = names
        .map(|candidate| (likeness(&name, candidate), candidate))
        .filter(|(likeness, _)| *likeness >= 0.5)
        .collect();
    near.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(right.1)));
    near.into_iter()
        .take(5)
        .map(|(_, name)| name.to_owned())
        .collect()
}

/// The least of a name that another may hold to be near it.
const LEAST_PART: usize = 3;

/// How alike two names are: by their letters, or by the words they share, in whichever order; or
/// that one begins with the other, or holds it.
fn likeness(name: &str, candidate: &str) -> f64 {
    let words = |text: &str| -> Vec<String> {
        text.split('_')
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect()
    };
    let (mut asked, mut offered) = (words(name), words(candidate));
    asked.sort();
    offered.sort();
    let by_words = strsim::normalized_damerau_levenshtein(&asked.concat(), &offered.concat());
    let alike = strsim::normalized_damerau_levenshtein(name, candidate).max(by_words);
    let part = name.to_lowercase();
    let held = if part.len() < LEAST_PART {
        0.0
    } else if candidate.starts_with(&part) {
        0.8
    } else if candidate.contains(&part) {
        0.6
    } else {
        0.0
    };
    alike.max(held)
}

fn write_cursor(name: &str) -> String {
    URL_SAFE_NO_PAD.encode(name)
}

/// The name within a cursor. The server of that name may be gone by now: any name will do.
fn read_cursor(cursor: &str) -> Option<String> {
    let name = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
    is_identifier(&name).then_some(name)
}
