//! The clients: where each keeps its configuration, and how it spells a server.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Map, Value, json};

use super::super::client::Launch;
use crate::config::Environment;

/// The variable that holds the token of a server over HTTP.
pub(super) const TOKEN: &str = "MCE_HTTP_TOKEN";

/// The member of an entry that holds headers, where a client takes some.
pub(super) const HEADERS: &str = "headers";

/// A client whose configuration is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Client {
    /// Claude Desktop
    ClaudeDesktop,
    /// Claude Code: `.mcp.json` of the project
    ClaudeCode,
    /// Cursor
    Cursor,
    /// Visual Studio Code
    #[value(name = "vscode")]
    VsCode,
    /// Windsurf
    Windsurf,
    /// Codex CLI
    Codex,
    /// Gemini CLI
    Gemini,
    /// `OpenCode`
    #[value(name = "opencode")]
    OpenCode,
    /// Zed
    Zed,
}

/// The system a client runs on, as far as its files lie elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum System {
    Linux,
    Mac,
    Windows,
}

impl System {
    pub(super) fn here() -> Self {
        match std::env::consts::OS {
            "macos" => Self::Mac,
            "windows" => Self::Windows,
            _ => Self::Linux,
        }
    }
}

/// How a client reaches the server.
pub(super) enum Way {
    /// It starts it.
    Stdio(Launch),
    /// It finds it at a URL; where a token is wanted, by the variable that holds it.
    Http {
        /// Of the server.
        url: String,
        /// Whether it is shown a token.
        token: bool,
    },
}

/// A server as a client spells it.
pub(super) struct Entry {
    /// Its members.
    pub(super) members: Map<String, Value>,
    /// What the client asks the user for, once: VS Code's `inputs`.
    pub(super) input: Option<Value>,
    /// What people should know.
    pub(super) notes: Vec<String>,
}

impl Client {
    /// Its name for people.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "Claude Desktop",
            Self::ClaudeCode => "Claude Code",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Windsurf => "Windsurf",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::OpenCode => "OpenCode",
            Self::Zed => "Zed",
        }
    }

    /// The member that holds its servers.
    pub(super) fn servers(self) -> &'static str {
        match self {
            Self::VsCode => "servers",
            Self::Codex => "mcp_servers",
            Self::OpenCode => "mcp",
            Self::Zed => "context_servers",
            _ => "mcpServers",
        }
    }

    /// The member of an entry that holds variables.
    pub(super) fn variables(self) -> &'static str {
        match self {
            Self::OpenCode => "environment",
            _ => "env",
        }
    }

    /// The file of the user, or of the project in the working directory; `None` where there is no such,
    /// or where the folder of the user is not known.
    pub(super) fn file(
        self,
        project: bool,
        system: System,
        environment: &Environment,
    ) -> Option<PathBuf> {
        let folder = |name: &str| {
            let value = environment.get(name).filter(|value| !value.is_empty());
            value.map(PathBuf::from)
        };
        if project || self == Self::ClaudeCode {
            let file = match self {
                Self::ClaudeCode => ".mcp.json",
                Self::Cursor => ".cursor/mcp.json",
                Self::VsCode => ".vscode/mcp.json",
                Self::Gemini => ".gemini/settings.json",
                Self::OpenCode => "opencode.json",
                Self::Zed => ".zed/settings.json",
                Self::Codex => ".codex/config.toml",
                Self::ClaudeDesktop | Self::Windsurf => return None,
            };
            return Some(PathBuf::from(file));
        }
        let home = match system {
            System::Windows => folder("USERPROFILE"),
            _ => folder("HOME"),
        };
        // Where programs of this system keep what they are configured with.
        let settings = match system {
            System::Linux => {
                folder("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")))
            }
            System::Mac => home
                .as_ref()
                .map(|it| it.join("Library/Application Support")),
            System::Windows => folder("APPDATA"),
        };
        let below_home = |below: &str| home.as_ref().map(|home| home.join(below));
        let below_settings = |below: &str| settings.as_ref().map(|it| it.join(below));
        // These are where they are on Linux on every system with a home folder.
        let dotted = |below: &str| {
            let xdg = folder("XDG_CONFIG_HOME").map(|it| it.join(below));
            xdg.or_else(|| Some(home.as_ref()?.join(".config").join(below)))
        };
        match self {
            Self::ClaudeDesktop => below_settings("Claude/claude_desktop_config.json"),
            Self::ClaudeCode => None,
            Self::Cursor => below_home(".cursor/mcp.json"),
            Self::VsCode => below_settings("Code/User/mcp.json"),
            Self::Windsurf => below_home(".codeium/windsurf/mcp_config.json"),
            Self::Codex => folder("CODEX_HOME")
                .map(|it| it.join("config.toml"))
                .or_else(|| below_home(".codex/config.toml")),
            Self::Gemini => below_home(".gemini/settings.json"),
            Self::OpenCode => existing_or_first([
                dotted("opencode/opencode.json"),
                dotted("opencode/opencode.jsonc"),
            ]),
            Self::Zed => match system {
                System::Windows => below_settings("Zed/settings.json"),
                _ => dotted("zed/settings.json"),
            },
        }
    }

    /// How it spells a server. The error says why it cannot.
    pub(super) fn entry(self, way: &Way) -> Result<Entry, String> {
        match way {
            Way::Stdio(launch) => Ok(self.started(launch)),
            Way::Http { url, token } => self.found(url, *token),
        }
    }

    fn started(self, launch: &Launch) -> Entry {
        let members = match self {
            Self::OpenCode => {
                let whole: Vec<&String> = std::iter::once(&launch.command)
                    .chain(&launch.arguments)
                    .collect();
                let variables = launch.environment();
                json!({"type": "local", "command": whole, "environment": variables, "enabled": true})
            }
            Self::ClaudeCode | Self::Cursor | Self::VsCode => {
                let mut members = launch.entry();
                members.shift_insert(0, "type".to_owned(), "stdio".into());
                members.into()
            }
            _ => launch.entry().into(),
        };
        let empty: Vec<&str> = launch
            .variables
            .iter()
            .filter(|(_, value)| value.is_empty())
            .map(|(name, _)| name.as_str())
            .collect();
        let mut notes = Vec::new();
        if !empty.is_empty() {
            notes.push(format!(
                "empty in it, and taken from the file that `--env-file` names if that has them: {}; \
                 with a secret filled in, keep it out of version control",
                empty.join(", ")
            ));
        }
        Entry::new(members, notes)
    }

    fn found(self, url: &str, token: bool) -> Result<Entry, String> {
        let bearer = |reference: &str| json!({"Authorization": format!("Bearer {reference}")});
        let (mut members, reference) = match self {
            Self::ClaudeDesktop => {
                return Err(
                    "Claude Desktop takes servers with a URL in its own settings, under \
                     Connectors, and not in its file"
                        .to_owned(),
                );
            }
            Self::ClaudeCode => (
                json!({"type": "http", "url": url}),
                Some(format!("${{{TOKEN}}}")),
            ),
            Self::Cursor => (json!({"url": url}), Some(format!("${{env:{TOKEN}}}"))),
            Self::VsCode => (
                json!({"type": "http", "url": url}),
                Some("${input:mce-http-token}".to_owned()),
            ),
            Self::Windsurf => (json!({"serverUrl": url}), Some(format!("${{env:{TOKEN}}}"))),
            Self::Gemini => (json!({"httpUrl": url}), Some(format!("${TOKEN}"))),
            Self::OpenCode => (
                json!({"type": "remote", "url": url, "enabled": true}),
                Some(format!("{{env:{TOKEN}}}")),
            ),
            // Codex has a member of its own for that.
            Self::Codex | Self::Zed => (json!({"url": url}), None),
        };
        let mut notes = Vec::new();
        let mut input = None;
        if token && let Some(object) = members.as_object_mut() {
            match (self, reference) {
                (Self::Codex, _) => {
                    object.insert("bearer_token_env_var".to_owned(), TOKEN.into());
                    notes.push(format!("set `{TOKEN}` where {} runs", self.title()));
                }
                (_, Some(reference)) => {
                    object.insert(HEADERS.to_owned(), bearer(&reference));
                    if self == Self::VsCode {
                        input = Some(json!({
                            "type": "promptString",
                            "id": "mce-http-token",
                            "description": format!("The server's {TOKEN}"),
                            "password": true
                        }));
                        notes.push("VS Code asks for the token, and keeps it".to_owned());
                    } else {
                        notes.push(format!("set `{TOKEN}` where {} runs", self.title()));
                    }
                }
                (_, None) => notes.push(format!(
                    "{} knows no variables here: where the server asks for a token, add \
                     `\"headers\": {{\"Authorization\": \"Bearer …\"}}` by hand",
                    self.title()
                )),
            }
        }
        Ok(Entry {
            input,
            ..Entry::new(members, notes)
        })
    }

    /// Whether its file is TOML; else it is JSON with comments.
    pub(super) fn is_toml(self) -> bool {
        self == Self::Codex
    }
}

impl Way {
    /// Members of the other way, which must not stay beside the new ones.
    pub(super) fn obsolete(&self) -> &'static [&'static str] {
        match self {
            Self::Stdio(_) => &[
                "url",
                "serverUrl",
                "httpUrl",
                "headers",
                "bearer_token_env_var",
            ],
            Self::Http { .. } => &["command", "args", "env", "environment", "cwd"],
        }
    }
}

impl Entry {
    fn new(members: Value, notes: Vec<String>) -> Self {
        let members = match members {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        Self {
            members,
            input: None,
            notes,
        }
    }
}

fn existing_or_first(paths: [Option<PathBuf>; 2]) -> Option<PathBuf> {
    let [first, second] = paths;
    match (first, second) {
        (Some(first), Some(second)) if !first.exists() && second.exists() => Some(second),
        (first, _) => first,
    }
}

/// A path as people read it.
pub(super) fn shown(path: &Path) -> String {
    super::super::output::absolute(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_is_where_its_client_looks_for_it() {
        let environment = Environment::from_pairs([
            ("HOME", "/home/ada"),
            ("USERPROFILE", "/u/ada"),
            ("APPDATA", "/u/ada/roaming"),
        ]);
        let file = |client: Client, system| {
            let file = client.file(false, system, &environment).unwrap();
            file.to_string_lossy().replace('\\', "/")
        };
        for (client, linux, mac, windows) in [
            (
                Client::ClaudeDesktop,
                "/home/ada/.config/Claude/claude_desktop_config.json",
                "/home/ada/Library/Application Support/Claude/claude_desktop_config.json",
                "/u/ada/roaming/Claude/claude_desktop_config.json",
            ),
            (
                Client::VsCode,
                "/home/ada/.config/Code/User/mcp.json",
                "/home/ada/Library/Application Support/Code/User/mcp.json",
                "/u/ada/roaming/Code/User/mcp.json",
            ),
            (
                Client::Cursor,
                "/home/ada/.cursor/mcp.json",
                "/home/ada/.cursor/mcp.json",
                "/u/ada/.cursor/mcp.json",
            ),
            (
                Client::Zed,
                "/home/ada/.config/zed/settings.json",
                "/home/ada/.config/zed/settings.json",
                "/u/ada/roaming/Zed/settings.json",
            ),
            (
                Client::Codex,
                "/home/ada/.codex/config.toml",
                "/home/ada/.codex/config.toml",
                "/u/ada/.codex/config.toml",
            ),
        ] {
            assert_eq!(file(client, System::Linux), linux);
            assert_eq!(file(client, System::Mac), mac);
            assert_eq!(file(client, System::Windows), windows);
        }
        let project = Client::VsCode.file(true, System::Linux, &environment);
        assert_eq!(project.unwrap(), Path::new(".vscode/mcp.json"));
        let none = Environment::default();
        assert_eq!(Client::Cursor.file(false, System::Linux, &none), None);
    }

    #[test]
    fn a_token_is_named_and_never_written() {
        for client in Client::value_variants() {
            let way = Way::Http {
                url: "https://mce.example/mcp".to_owned(),
                token: true,
            };
            let Ok(entry) = client.entry(&way) else {
                assert_eq!(*client, Client::ClaudeDesktop);
                continue;
            };
            let text = Value::from(entry.members).to_string();
            assert!(text.contains("https://mce.example/mcp"), "{text}");
            let named = text.contains(TOKEN) || text.contains("input:mce-http-token");
            assert_eq!(named, *client != Client::Zed, "{text}");
        }
    }
}
