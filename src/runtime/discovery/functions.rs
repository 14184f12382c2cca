//! Signatures and types of functions.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::super::Runtime;
use super::super::excerpt::{definition, excerpt};
use super::super::registry::Readable;
use super::{SearchRequest, nearest, one_line};

/// Bound on one function's signature and documentation, in bytes.
const SIGNATURE_BYTES: usize = 4_500;
/// What a function's signature and types may take together before types are left out, in bytes.
const SOURCE_BYTES: usize = 1_300;
/// Bound on one type that was asked for, in bytes.
const TYPE_BYTES: usize = 4_500;
/// Functions that one `get_functions` may ask for.
const MAX_FUNCTIONS: usize = 5;
/// Types that one `get_functions` may ask for.
const MAX_TYPES: usize = 10;
/// Omitted types that are named.
const NAMED_TYPES: usize = 12;

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
        #[serde(alias = "function_name", alias = "name")]
        function: String,
    },
}

/// The answer to `get_functions`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FunctionsAnswer {
    /// One answer for each function asked for, in that order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<FunctionAnswer>,
    /// One answer for each type asked for, in that order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<TypeAnswer>,
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
    /// Types that were left out for length: those the signature names first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub omitted_types: Vec<String>,
}

/// A type, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum TypeAnswer {
    /// The type.
    Found(TypeDetail),
    /// Why there is none.
    Problem(FunctionProblem),
}

/// A type of a server.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TypeDetail {
    /// The server.
    pub server: String,
    /// The type.
    pub r#type: String,
    /// Its definition, as Python.
    pub source: String,
    /// The types that it names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<String>,
}

/// Why a function or a type that was asked for is not there.
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

impl Runtime {
    /// Signature, types, documentation and an example of each function, and the definition of each
    /// type, which is named `server.Type`, or `Type` where one of the functions' servers has it. The
    /// answer has one entry for each name, in order.
    pub async fn get_functions(&self, names: &[FunctionName], types: &[String]) -> FunctionsAnswer {
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
                let shown = shown.entry(compiled.server()).or_default();
                match detail(compiled, function, shown) {
                    Ok(detail) => FunctionAnswer::Found(Box::new(detail)),
                    Err(problem) => FunctionAnswer::Problem(problem),
                }
            }
            Err(problem) => FunctionAnswer::Problem(problem.clone()),
        });
        let functions = functions.collect();
        let servers: Vec<_> = found.iter().flatten().map(|(served, _)| served).collect();
        let mut answers = Vec::new();
        for name in types.get(..MAX_TYPES).unwrap_or(types) {
            answers.push(match self.find_type(name, &servers).await {
                Ok(detail) => TypeAnswer::Found(detail),
                Err(problem) => TypeAnswer::Problem(problem),
            });
        }
        FunctionsAnswer {
            functions,
            types: answers,
        }
    }

    /// A function that was named without its server: what a search for its name finds.
    async fn without_server(&self, name: &str) -> FunctionProblem {
        let request = SearchRequest {
            query: name.to_owned(),
            ..SearchRequest::default()
        };
        let found = self.search_functions(&request).await.unwrap_or_default();
        let near = found.functions.into_iter();
        let near = near.map(|found| format!("{}.{}", found.server, found.name));
        FunctionProblem::new(
            name,
            "a function is named `server.function`",
            near.collect(),
        )
    }

    /// The server of this name, which `asked` names.
    async fn server_of(&self, asked: &str, server: &str) -> Result<Readable, FunctionProblem> {
        match self.registry.readable(server).await {
            Some(Ok(compiled)) => Ok(compiled),
            Some(Err(refused)) => {
                let reason = self.registry.told(&refused);
                let error = format!("server `{server}` is refused: {reason}");
                Err(FunctionProblem::new(asked, error, vec![]))
            }
            None => {
                let near = nearest(server, self.registry.names());
                let problem = FunctionProblem::new(asked, "there is no such server", near);
                Err(problem)
            }
        }
    }

    /// The server and the name of a function that was asked for.
    async fn find_function(
        &self,
        name: &FunctionName,
    ) -> Result<(Readable, String), FunctionProblem> {
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
        let compiled = self.server_of(&asked, server).await?;
        if compiled.marks(function).is_none() {
            let near = nearest(function, compiled.functions());
            let near = near.iter().map(|near| format!("{server}.{near}")).collect();
            let mut error = "there is no such function".to_owned();
            if let Some(left_out) = compiled.left_out() {
                error = format!("{error}; {left_out}");
            }
            return Err(FunctionProblem::new(&asked, error, near));
        }
        Ok((compiled, function.to_owned()))
    }

    async fn find_type(
        &self,
        asked: &str,
        servers: &[&Readable],
    ) -> Result<TypeDetail, FunctionProblem> {
        let read;
        let (compiled, name) = if let Some((server, name)) = asked.split_once('.') {
            read = self.server_of(asked, server).await?;
            (&read, name.strip_prefix("functions.").unwrap_or(name))
        } else {
            let having = servers
                .iter()
                .find(|server| server.module.definition(asked).is_some())
                .or(servers.first());
            let Some(server) = having else {
                let error = "a type is named `server.Type`";
                return Err(FunctionProblem::new(asked, error, vec![]));
            };
            (*server, asked)
        };
        let server = compiled.server();
        let Some(source) = definition(&compiled.module, name, TYPE_BYTES) else {
            let near = nearest(name, compiled.module.types());
            let near = near.iter().map(|near| format!("{server}.{near}")).collect();
            return Err(FunctionProblem::new(asked, "there is no such type", near));
        };
        let mut uses: Vec<String> = Vec::new();
        for used in compiled.module.types_of_type(name).take(NAMED_TYPES) {
            if !uses.iter().any(|named| named == used) {
                uses.push(used.to_owned());
            }
        }
        Ok(TypeDetail {
            server: server.to_owned(),
            r#type: name.to_owned(),
            source,
            uses,
        })
    }
}

fn detail<'s>(
    compiled: &'s Readable,
    function: &str,
    shown: &mut HashSet<&'s str>,
) -> Result<FunctionDetail, FunctionProblem> {
    let server = compiled.server();
    let lost = || {
        let asked = format!("{server}.{function}");
        FunctionProblem::new(&asked, "its text is not where it should be", vec![])
    };
    let marks = compiled.marks(function).ok_or_else(lost)?;
    let excerpt = excerpt(
        &compiled.module,
        function,
        SIGNATURE_BYTES,
        SOURCE_BYTES,
        shown,
    );
    let mut excerpt = excerpt.ok_or_else(lost)?;
    excerpt.omitted.truncate(NAMED_TYPES);
    Ok(FunctionDetail {
        server: server.to_owned(),
        function: function.to_owned(),
        import: format!("from {server}.functions import {function}"),
        source: excerpt.text,
        mutating: marks.mutating,
        deprecated: marks.deprecated,
        omitted_types: excerpt.omitted,
    })
}
