//! Pages of servers.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures::StreamExt as _;
use serde::Serialize;

use super::super::Runtime;
use super::super::catalogue::Entry;
use super::super::registry::{READS_AT_ONCE, Verdict, is_identifier};
use super::one_line;
use crate::guard::{Guard, LIBRARIES};

/// Most servers on one page.
const PAGE: usize = 20;
/// What a page may take, in bytes of JSON; one server is always on it.
const PAGE_BYTES: usize = 4_600;
/// With no more functions than this on a page, each is listed with its summary.
const DESCRIBED_FUNCTIONS: usize = 40;
/// While the load check of a page's servers was not made yet: bytes of compiled files that a page
/// waits for. Larger ones are listed unchecked, and checked in the background.
const CHECKED_AT_ONCE: u64 = 1 << 20;

const TITLE_CHARS: usize = 60;
const DESCRIPTION_CHARS: usize = 140;
const SUMMARY_CHARS: usize = 100;
const TAGS: usize = 6;
const TAG_CHARS: usize = 30;

/// One page of `list_servers`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ServersPage {
    /// The servers, by name.
    pub servers: Vec<ServerSummary>,
    /// Servers that are there but not served.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedServer>,
    /// What code may import beside the standard library, and what else a policy file allows; on the
    /// first page.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sandbox_libraries: Vec<String>,
    /// Where `httpx` may send requests; on the first page.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_domains: Vec<String>,
    /// What to do where functions are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<&'static str>,
    /// Gives the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
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
    /// Where its notes are read, if it has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skills: Option<String>,
    /// The tags of most functions, while not all functions are listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
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

/// A `cursor` that no page gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`cursor` is no `next_cursor` of `list_servers`; leave it out for the first page")]
pub struct UnknownCursor;

impl Runtime {
    /// The servers after `cursor`, which a page before gave.
    ///
    /// # Errors
    /// `cursor` is none that a page gave.
    pub async fn list_servers(&self, cursor: Option<&str>) -> Result<ServersPage, UnknownCursor> {
        let after = match cursor {
            Some(cursor) => read_cursor(cursor).ok_or(UnknownCursor)?,
            None => String::new(),
        };
        let mut names = self.registry.names_after(&after);
        let page: Vec<String> = names.by_ref().take(PAGE).map(str::to_owned).collect();
        let mut is_last = names.next().is_none();
        self.check_few(&page).await;
        let mut listed: Vec<_> = futures::stream::iter(page)
            .map(|name| self.listed(name))
            .buffered(READS_AT_ONCE)
            .collect()
            .await;

        let mut answer = ServersPage::default();
        if cursor.is_none() {
            if self.engine.has_libraries() {
                answer.sandbox_libraries = libraries(&self.guard);
            }
            answer.allowed_domains = self.allowed_domains();
        }
        let mut room = PAGE_BYTES.saturating_sub(length(&answer));
        let mut entries = Vec::new();
        let mut last = None;
        while !listed.is_empty() {
            let is_first = last.is_none();
            let (name, outcome) = listed.remove(0);
            let needed = match &outcome {
                Ok((entry, summary)) => {
                    entries.push(Arc::clone(entry));
                    length(summary)
                }
                Err(refused) => length(refused),
            };
            if needed > room && !is_first {
                is_last = false;
                if outcome.is_ok() {
                    entries.pop();
                }
                break;
            }
            room = room.saturating_sub(needed);
            match outcome {
                Ok((_, summary)) => answer.servers.push(summary),
                Err(refused) => answer.refused.push(refused),
            }
            last = Some(name);
        }
        if !is_last {
            answer.next_cursor = last.as_deref().map(write_cursor);
        }
        list_functions(&mut answer.servers, &entries, room);
        let is_partly = answer
            .servers
            .iter()
            .any(|server| server.functions.len() < server.function_count);
        answer.hint = is_partly.then_some("`search_functions` finds functions");
        Ok(answer)
    }

    /// A server as it stands on a page, or why it is not served.
    async fn listed(
        &self,
        name: String,
    ) -> (String, Result<(Arc<Entry>, ServerSummary), RefusedServer>) {
        let outcome = match (
            self.registry.verdict(&name),
            self.registry.entry(&name).await,
        ) {
            (Verdict::Unknown | Verdict::Passed, Some(entry)) => {
                let read_only = entry.read_only || self.registry.is_configured_read_only(&name);
                let summary = summary(&name, &entry, read_only);
                Ok((entry, summary))
            }
            // What was refused may have been mended.
            _ => match self.registry.examine(&name).await {
                Some(Err(refused)) => Err(self.registry.told(&refused).to_owned()),
                Some(Ok(served)) => {
                    let entry = Arc::new(Entry::of(served.manifest()));
                    let summary = summary(&name, &entry, served.target.read_only);
                    Ok((entry, summary))
                }
                None => Err("it is not there any more".to_owned()),
            },
        };
        let outcome = outcome.map_err(|reason| RefusedServer {
            name: name.clone(),
            reason,
        });
        (name, outcome)
    }

    /// Makes the load checks that are quickly made, so that what is refused is not listed.
    async fn check_few(&self, page: &[String]) {
        let unknown = page
            .iter()
            .filter(|name| self.registry.verdict(name) == Verdict::Unknown);
        let unknown: Vec<String> = unknown.cloned().collect();
        let bytes = unknown.iter().map(|name| self.registry.bytes(name));
        if bytes.fold(0, u64::saturating_add) <= CHECKED_AT_ONCE {
            futures::stream::iter(unknown)
                .map(|name| self.check_one(name))
                .buffered(READS_AT_ONCE)
                .collect::<()>()
                .await;
        }
    }

    async fn check_one(&self, name: String) {
        self.registry.examine(&name).await;
    }

    fn allowed_domains(&self) -> Vec<String> {
        let domains = self.settings.allowed_domains.iter().flatten();
        domains.cloned().collect()
    }
}

/// Of the libraries of the image those that the policy allows, and the modules that it adds to the
/// built-in one.
pub(in crate::runtime) fn libraries(guard: &Guard) -> Vec<String> {
    let built_in = Guard::built_in();
    let usual = built_in.importable();
    let modules = guard.importable();
    let of_image = LIBRARIES.into_iter();
    let of_image = of_image.filter(|library| modules.contains(library));
    let added = modules.iter().copied().filter(|it| !usual.contains(it));
    of_image.chain(added).map(str::to_owned).collect()
}

fn summary(name: &str, entry: &Entry, read_only: bool) -> ServerSummary {
    let title = one_line(&entry.title, TITLE_CHARS);
    let description = one_line(&entry.description, DESCRIPTION_CHARS);
    let tags = entry.tags.iter().take(TAGS);
    ServerSummary {
        name: name.to_owned(),
        title: Some(title)
            .filter(|title| !title.eq_ignore_ascii_case(name) && *title != description),
        description,
        read_only,
        function_count: entry.functions.len(),
        skills: entry.has_skills.then(|| format!("skills://{name}")),
        tags: tags.map(|tag| one_line(tag, TAG_CHARS)).collect(),
        functions: Vec::new(),
    }
}

/// Lists functions while those of the whole page are few, and names while they fit into `room`
/// bytes. All of a server or none: part of a list would be taken for the whole.
fn list_functions(servers: &mut [ServerSummary], entries: &[Arc<Entry>], mut room: usize) {
    let total: usize = entries.iter().map(|entry| entry.functions.len()).sum();
    let share = room / servers.len().max(1);
    for (server, entry) in servers.iter_mut().zip(entries) {
        let described = entry
            .functions
            .iter()
            .map(|function| InlineFunction::Described {
                name: function.name.clone(),
                summary: one_line(&function.summary, SUMMARY_CHARS),
            });
        let named = entry.functions.iter();
        let named = named.map(|function| InlineFunction::Name(function.name.clone()));
        let described: Vec<_> = if total <= DESCRIBED_FUNCTIONS {
            described.collect()
        } else {
            Vec::new()
        };
        let (functions, most) = if !described.is_empty() && length(&described) <= room {
            (described, room)
        } else {
            (named.collect(), share)
        };
        let needed = length(&functions);
        if needed <= most {
            room = room.saturating_sub(needed);
            server.functions = functions;
            server.tags = Vec::new();
        }
    }
}

/// Bytes as JSON.
fn length(value: &impl Serialize) -> usize {
    serde_json::to_string(value).map_or(usize::MAX, |text| text.len())
}

fn write_cursor(name: &str) -> String {
    URL_SAFE_NO_PAD.encode(name)
}

/// The name within a cursor. The server of that name may be gone by now: any name will do.
fn read_cursor(cursor: &str) -> Option<String> {
    let name = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
    is_identifier(&name).then_some(name)
}
