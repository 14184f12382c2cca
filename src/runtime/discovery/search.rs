//! Functions by what they do.

use std::collections::BTreeSet;

use serde::Serialize;

use super::super::Runtime;
use super::super::catalogue::Listed;
use super::super::excerpt::one_line_signature;
use super::super::registry::Verdict;
use super::{nearest, one_line};
use crate::search::Query;

/// Functions that are found unless the request says how many.
const USUAL_LIMIT: usize = 5;
/// Most functions that are found.
const MOST: usize = 20;
/// What a found function may take on average, in bytes of JSON.
const FUNCTION_BYTES: usize = 270;
const PATH_CHARS: usize = 100;
const SUMMARY_CHARS: usize = 80;
const SIGNATURE_CHARS: usize = 300;
/// Functions that are named where nothing fits.
const NEAREST: usize = 3;

/// A search for functions.
#[derive(Debug, Clone, Default)]
pub struct SearchRequest {
    /// Words, a name, or a path.
    pub query: String,
    /// Functions of this server alone.
    pub server: Option<String>,
    /// Functions with this tag alone.
    pub tag: Option<String>,
    /// At most that many, 1 to 20.
    pub limit: Option<usize>,
    /// Whether signatures are wanted.
    pub detail: bool,
}

/// The answer to `search_functions`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SearchAnswer {
    /// The functions, best first; none where nothing fits.
    pub functions: Vec<FoundFunction>,
    /// What to do where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// A function that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FoundFunction {
    /// The server.
    pub server: String,
    /// The function.
    pub name: String,
    /// The HTTP method.
    pub method: String,
    /// The path template.
    pub path: String,
    /// One line on what it does.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// Its signature on one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// What is wrong with a search.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// There is no server of that name.
    #[error("there is no server `{name}`{}", did_you_mean(.nearest))]
    UnknownServer {
        /// The name, capped.
        name: String,
        /// The nearest names there are.
        nearest: Vec<String>,
    },
    /// The limit is out of its bounds.
    #[error("`limit` is {0}, expected 1 to {MOST}")]
    Limit(usize),
}

fn did_you_mean(nearest: &[String]) -> String {
    nearest.first().map_or_else(
        || "; `list_servers` names them".to_owned(),
        |name| format!("; did you mean `{name}`?"),
    )
}

impl Runtime {
    /// The functions that fit a query best.
    ///
    /// # Errors
    /// The server is none, or the limit is out of its bounds.
    pub async fn search_functions(
        &self,
        request: &SearchRequest,
    ) -> Result<SearchAnswer, SearchError> {
        let limit = request.limit.unwrap_or(USUAL_LIMIT);
        if !(1..=MOST).contains(&limit) {
            return Err(SearchError::Limit(limit));
        }
        if let Some(server) = &request.server
            && !self.registry.names().any(|name| name == server)
        {
            return Err(SearchError::UnknownServer {
                name: one_line(server, 100),
                nearest: nearest(server, self.registry.names()),
            });
        }
        let Some(searchable) = self.catalogue.searchable().await else {
            return Ok(SearchAnswer::default());
        };
        let is_refused = |name: &str| matches!(self.registry.verdict(name), Verdict::Refused(_));
        let served = self.registry.names().filter(|name| !is_refused(name));
        let served: BTreeSet<String> = served.map(str::to_owned).collect();
        let query = Query {
            text: &request.query,
            server: request.server.as_deref(),
            among: Some(&served),
            tag: request.tag.as_deref(),
            limit,
            is_loose: false,
        };
        let mut functions = Vec::new();
        let mut room = FUNCTION_BYTES * limit;
        for (server, listed) in searchable.search(&query) {
            let mut found = found(server, listed);
            if request.detail {
                found.signature = self.signature(server, &listed.name).await;
                room += SIGNATURE_CHARS;
            }
            let needed = serde_json::to_string(&found).map_or(0, |text| text.len());
            if needed > room && !functions.is_empty() {
                break;
            }
            room = room.saturating_sub(needed);
            functions.push(found);
        }
        let hint = functions.is_empty().then(|| {
            let loose = Query {
                limit: NEAREST,
                is_loose: true,
                ..query
            };
            let nearest = searchable.search(&loose);
            no_match(nearest, request.server.is_some() || request.tag.is_some())
        });
        Ok(SearchAnswer { functions, hint })
    }

    /// A function's signature on one line.
    async fn signature(&self, server: &str, function: &str) -> Option<String> {
        let compiled = self.registry.readable(server).await?.ok()?;
        one_line_signature(&compiled.module, function, SIGNATURE_CHARS)
    }
}

/// What to do where nothing fits: what comes nearest may be what is meant, and is no match.
fn no_match<'a>(nearest: impl Iterator<Item = (&'a str, &'a Listed)>, is_narrowed: bool) -> String {
    let mut hint = if is_narrowed {
        "nothing fits there; leave out `server` and `tag`, or use other or fewer words".to_owned()
    } else {
        "nothing fits; use other or fewer words".to_owned()
    };
    let names =
        nearest.map(|(server, listed)| format!("`{server}.{}`", one_line(&listed.name, 100)));
    let names = names.collect::<Vec<_>>().join(", ");
    if !names.is_empty() {
        hint.push_str("; has something of it: ");
        hint.push_str(&names);
    }
    hint
}

fn found(server: &str, function: &Listed) -> FoundFunction {
    let mut summary = one_line(&function.summary, SUMMARY_CHARS);
    if summary == format!("{} {}", function.method, function.path) {
        summary.clear();
    }
    FoundFunction {
        server: server.to_owned(),
        name: function.name.clone(),
        method: function.method.clone(),
        path: one_line(&function.path, PATH_CHARS),
        summary,
        signature: None,
    }
}
