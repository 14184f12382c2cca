//! The notes on servers (`skills.md`) that were compiled with them. They are texts of others: data
//! for a reader, never instructions of the server.

use super::Runtime;
use super::discovery::one_line;
use super::registry::is_identifier;
use crate::compile::SKILLS_FILE;

/// Servers of one page.
const PAGE: usize = 50;

/// A server that has notes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skills {
    /// The server.
    pub server: String,
    /// The title of its document.
    pub title: String,
    /// Bytes of the text.
    pub size: usize,
}

/// A page of the servers that have notes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillsPage {
    /// The servers, by name.
    pub skills: Vec<Skills>,
    /// Gives the next page.
    pub next_cursor: Option<String>,
}

impl Runtime {
    /// The servers after `cursor` that have notes; `None` where no page gave that cursor.
    pub async fn list_skills(&self, cursor: Option<&str>) -> Option<SkillsPage> {
        let after = cursor.unwrap_or_default();
        if !after.is_empty() && !is_identifier(after) {
            return None;
        }
        let mut page = SkillsPage::default();
        let mut names = Vec::new();
        for name in self.registry.names_after(after) {
            // Only what has notes need be checked.
            if !self.has_skills(name).await {
                continue;
            }
            if names.len() == PAGE {
                page.next_cursor = names.last().cloned();
                break;
            }
            names.push(name.to_owned());
        }
        for (server, served) in self.registry.servers(names).await {
            let Ok(served) = served else { continue };
            if let Some(text) = &served.skills {
                page.skills.push(Skills {
                    server,
                    title: one_line(&served.manifest().title, 200),
                    size: text.len(),
                });
            }
        }
        Some(page)
    }

    /// The servers that may be used, begin like this and have notes, by name.
    pub async fn servers_with_skills(&self, beginning: &str) -> Vec<String> {
        let mut names = Vec::new();
        for name in self.registry.names() {
            if name.starts_with(beginning) && self.has_skills(name).await {
                names.push(name.to_owned());
            }
        }
        names
    }

    /// Whether a server was compiled with notes, whatever becomes of its load check.
    async fn has_skills(&self, name: &str) -> bool {
        let path = self.settings.compiled_output_dir.join(name);
        let found = tokio::fs::try_exists(path.join(SKILLS_FILE)).await;
        found.unwrap_or(false)
    }

    /// The notes on a server, if it is served and has any.
    pub async fn skills(&self, server: &str) -> Option<String> {
        let compiled = self.registry.server(server).await?.ok()?;
        compiled.skills.clone()
    }
}
