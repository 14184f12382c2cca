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
            let path = self.settings.compiled_output_dir.join(name);
            // Only what has notes need be checked.
            if !tokio::fs::try_exists(path.join(SKILLS_FILE))
                .await
                .unwrap_or(false)
            {
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

    /// The notes on a server, if it is served and has any.
    pub async fn skills(&self, server: &str) -> Option<String> {
        let compiled = self.registry.server(server).await?.ok()?;
        compiled.skills.clone()
    }
}
