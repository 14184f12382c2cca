//! Finds, reads and validates `swaggers.yaml`.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use super::error::{Complaint, escape, quote};
use super::reader::Reader;
use super::{Auth, Config, Error, ServerConfig, Settings, Template, server};
use crate::files::{self, Links};
use crate::variables;
use crate::yaml::{self, Limits, Node, NodeValue, Position};

/// The keys of the file.
const KEYS: &[&str] = &["servers", "mcp_servers"];

/// What to do about a config without servers.
const EXAMPLE: &str =
    "start with `servers:` and a list, such as `- {name: tasks, swagger_url: openapi.yaml}`";

/// Where the file is looked for when nobody says where it is.
const USUAL_PLACES: &[&str] = &["swaggers.yaml", "config/swaggers.yaml"];

impl Config {
    /// Reads and validates a file.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with file, line and column.
    pub fn load(path: &Path) -> Result<Self, Error> {
        Self::parse(&read_file(path)?, path)
    }

    /// Validates the text of a file; `path` is for messages and for relative paths in it.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with file, line and column.
    pub fn parse(text: impl AsRef<[u8]>, path: &Path) -> Result<Self, Error> {
        let mut reader = Reader::new(shown(path));
        let text = text.as_ref();
        if is_blank(text) {
            let start = Position { line: 1, column: 1 };
            reader.advise(start, "the config is empty: no servers", EXAMPLE);
            return Err(reader.complaints.swap_remove(0).into());
        }
        let root = match yaml::read(text, &Limits::CONFIG) {
            Ok(root) => root,
            Err(error) => {
                reader.complain(error.position, escape(&error.message, 300));
                return Err(reader.complaints.swap_remove(0).into());
            }
        };
        let servers = read_root(&mut reader, &root);
        match Error::from_complaints(reader.complaints) {
            Some(error) => Err(error),
            None => Ok(Self {
                path: path.to_owned(),
                servers,
                warnings: reader.warnings,
            }),
        }
    }

    /// Where the file is: `explicit` (`--config`), `MCE_SWAGGER_CONFIG_FILE`, `./swaggers.yaml`,
    /// `./config/swaggers.yaml`, in that order. `None` where there is none.
    ///
    /// # Errors
    /// The file that was asked for does not exist.
    pub fn find(explicit: Option<&Path>, settings: &Settings) -> Result<Option<PathBuf>, Error> {
        let asked_for = [
            (explicit, "`--config`"),
            (
                settings.swagger_config_file.as_deref(),
                "`MCE_SWAGGER_CONFIG_FILE`",
            ),
        ];
        for (path, who) in asked_for {
            let Some(path) = path else { continue };
            return match fs::metadata(path) {
                Ok(_) => Ok(Some(path.to_owned())),
                Err(error) => Err(Complaint::at(
                    shown(path),
                    format!("the file {who} names cannot be read: {error}"),
                )
                .hint(
                    "check the path; a config begins with `servers:` and a list, such as \
                     `- {name: tasks, swagger_url: openapi.yaml}`",
                )
                .into()),
            };
        }
        Ok(USUAL_PLACES
            .iter()
            .map(PathBuf::from)
            .find(|path| path.is_file()))
    }

    /// The server of this name.
    #[must_use]
    pub fn server(&self, name: &str) -> Option<&ServerConfig> {
        self.servers.iter().find(|server| server.name == name)
    }

    /// Every variable that a template of the config names: what an env file may set besides the
    /// settings.
    #[must_use]
    pub fn variables(&self) -> BTreeSet<String> {
        self.servers
            .iter()
            .flat_map(ServerConfig::templates)
            .flat_map(Template::variables)
            .map(str::to_owned)
            .collect()
    }
}

impl ServerConfig {
    /// `MCE_<SERVER>_<SUFFIX>`, the variable that configures this server from outside.
    #[must_use]
    pub fn env_name(&self, suffix: &str) -> String {
        variables::of_server(&self.name, suffix)
    }

    /// Where an entry stands that names something of the document. `list` is where it is, such as
    /// `rename` or `exclude.tags`.
    #[must_use]
    pub fn place_of(&self, list: &str, entry: &str) -> &str {
        let key = (list.to_owned(), entry.to_owned());
        self.places.get(&key).unwrap_or(&self.place)
    }

    /// Every template of the entry.
    fn templates(&self) -> Vec<&Template> {
        let mut templates = vec![&self.swagger_url];
        templates.extend(self.swagger_headers.values());
        templates.extend(self.extra_headers.values());
        templates.extend(
            [
                &self.base_url,
                &self.skills_url,
                &self.ca_file,
                &self.client_cert_file,
                &self.client_key_file,
            ]
            .into_iter()
            .flatten(),
        );
        templates.extend(self.auth.iter().flat_map(Auth::templates));
        templates
    }
}

impl Auth {
    /// Every template of the credential.
    #[must_use]
    pub fn templates(&self) -> Vec<&Template> {
        match self {
            Self::Static { value } | Self::ApiKey { value, .. } => vec![value],
            Self::Jwt { token } => vec![token],
            Self::Basic { username, password } => vec![username, password],
            Self::OAuth2 {
                token_url,
                client_id,
                client_secret,
                scope,
                audience,
                extra,
                ..
            } => {
                let mut templates = vec![token_url, client_id, client_secret];
                templates.extend([scope, audience].into_iter().flatten());
                templates.extend(extra.values());
                templates
            }
            Self::Session {
                login_url,
                username,
                password,
                ..
            } => vec![login_url, username, password],
        }
    }
}

/// Whether a text holds nothing but comments.
fn is_blank(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    text.split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .all(|line| line.is_empty() || line.starts_with(b"#"))
}

/// A path as messages spell it.
fn shown(path: &Path) -> String {
    escape(&path.to_string_lossy(), 300)
}

fn read_file(path: &Path) -> Result<Vec<u8>, Error> {
    files::read_regular(path, Limits::CONFIG.bytes as u64, Links::Followed)
        .map_err(|why| Complaint::at(shown(path), why.to_string()).into())
}

fn read_root(reader: &mut Reader, root: &Node) -> Vec<ServerConfig> {
    if matches!(root.value, NodeValue::Null) {
        reader.advise(root.position, "the config is empty: no servers", EXAMPLE);
        return Vec::new();
    }
    let Some(fields) = reader.fields(root, "the config", KEYS) else {
        return Vec::new();
    };
    if fields.get("mcp_servers").is_some() {
        reader.advise(
            fields.position_of("mcp_servers"),
            "`mcp_servers` is not supported yet by this version",
            "remove the key; bridged MCP servers come with a later version",
        );
    }
    let Some(list) = fields.get("servers") else {
        reader.advise(root.position, "the config has no `servers`", EXAMPLE);
        return Vec::new();
    };
    if let NodeValue::Mapping(_) = list.value {
        reader.advise(
            list.position,
            "`servers` must be a list, found a mapping",
            "write each server as `- name: …`",
        );
        return Vec::new();
    }
    let items = reader.list(list, "`servers`");
    if items.is_empty() && reader.complaints.is_empty() {
        reader.warn(list.position, "`servers` is empty: no servers");
    }
    let mut servers = Vec::new();
    let mut lines: HashMap<String, usize> = HashMap::new();
    for item in items {
        let Some(server) = server::read(reader, item) else {
            continue;
        };
        // Without a name it was complained about already.
        if !server.name.is_empty()
            && let Some(line) = lines.insert(server.name.clone(), item.position.line)
        {
            reader.complain(
                item.position,
                format!(
                    "the name {} is that of the server in line {line} as well",
                    quote(&server.name)
                ),
            );
        }
        servers.push(server);
    }
    servers
}
