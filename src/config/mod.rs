//! `swaggers.yaml`, the settings table and the environment. Nothing else reads a variable or the
//! config file.
//!
//! - [`Environment`]: the process's variables and those of `--env-file`, read once at start.
//! - [`Settings`]: every `MCE_*` / `MCP_BRIDGE_*` variable, typed, from the one table in `settings`.
//! - [`Config`]: `swaggers.yaml`, typed and validated, with places for every complaint.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use indexmap::IndexMap;

mod auth;
mod engine;
mod env_file;
mod environment;
mod error;
mod headers;
mod meant;
mod names;
mod open;
mod package_name;
mod packages;
mod reader;
mod secrets;
mod server;
mod settings;
mod settings_audit;
mod settings_capacity;
mod settings_http;
mod settings_results;
mod settings_table;
mod settings_values;
mod swaggers;
mod template;
mod tokens;
mod urls;

pub use auth::token_path;
pub use engine::EngineVariables;
pub use env_file::{EnvFile, is_never_set};
pub use environment::{Environment, FileError};
pub use error::{Complaint, Error};
pub use names::{is_free_name, server_name};
pub use open::{Opened, open};
pub use package_name::{InvalidName, PackageName};
pub use packages::Package;
pub(crate) use secrets::is_secret_name;
pub use settings::{SandboxChoice, SandboxMode, Settings};
pub use settings_audit::{AuditLog, AuditSettings};
pub use settings_http::{HttpSettings, is_loopback};
pub use settings_results::{OutputMode, ResultSettings};
pub use settings_table::{SETTINGS, Setting};
pub use template::Template;
pub use tokens::{NamedToken, TokensError, digest_of, entry_of, read_tokens, read_tokens_beside};
pub use urls::{UrlError, check_base_url, check_endpoint_url};

/// A validated `swaggers.yaml`.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// The file; its folder is what relative paths are relative to.
    pub path: PathBuf,
    /// The servers, names already sanitised and unique.
    pub servers: Vec<ServerConfig>,
    /// Things the user should know that are no error, each with its place.
    pub warnings: Vec<String>,
}

/// One entry of `servers`.
#[derive(Debug, Clone, Default)]
pub struct ServerConfig {
    /// `file:line:column` of the entry, for messages.
    pub place: String,
    /// The identifier: folder, Python package, part of variable names.
    pub name: String,
    /// The name as the file spells it, where that was sanitised.
    pub title: Option<String>,
    /// Path (relative to the config) or http(s) URL of the document. Expanded at compile time.
    pub swagger_url: Template,
    /// Headers for fetching the document. Expanded at compile time.
    pub swagger_headers: IndexMap<String, Template>,
    /// The whole prefix of every request. Expanded at run time.
    pub base_url: Option<Template>,
    /// The credential. Expanded at run time. `auth_header` becomes [`Auth::Static`].
    pub auth: Option<Auth>,
    /// Whether mutating operations are left out.
    pub is_read_only: bool,
    /// Mutating operations that are kept all the same, as (method in upper case, path template).
    pub read_only_allow: Vec<OperationRef>,
    /// Only these operations; everything where empty.
    pub include: Filter,
    /// Not these; wins over `include`.
    pub exclude: Filter,
    /// Python names by operationId or `METHOD /path`.
    pub rename: IndexMap<String, String>,
    /// Headers of every request. Expanded at run time. `headers` (legacy) is merged in.
    pub extra_headers: IndexMap<String, Template>,
    /// Markdown notes for users of the API. Expanded at compile time.
    pub skills_url: Option<Template>,
    /// Functions offered as tools of their own, by operationId or function name.
    pub top_level_functions: Vec<String>,
    /// Whether names may resolve to private addresses.
    pub allow_private_network: bool,
    /// Further root certificates (PEM), relative to the config. Expanded at compile time.
    pub ca_file: Option<Template>,
    /// The client's certificate for mutual TLS (PEM), relative to the config. Expanded at run time.
    pub client_cert_file: Option<Template>,
    /// Its private key.
    pub client_key_file: Option<Template>,
    /// Bound on one call.
    pub timeout: Option<Duration>,
    /// Requests to the server at the same time, of all executions; any where absent.
    pub max_concurrent_requests: Option<usize>,
    /// Requests to the server a second, of all executions; any where absent.
    pub requests_per_second: Option<f64>,
    /// Where entries stand that name something of the document: by the list (such as
    /// `exclude.tags`) and the entry, for messages.
    pub places: HashMap<(String, String), String>,
}

/// `METHOD /path` in the config.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationRef {
    /// The method in upper case.
    pub method: String,
    /// The path template as the document spells it.
    pub path: String,
}

/// `include` or `exclude`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Tags.
    pub tags: Vec<String>,
    /// Globs over path templates (`*` within a segment, `**` across).
    pub paths: Vec<String>,
    /// operationIds.
    pub operation_ids: Vec<String>,
}

/// How a client proves who it is to a token endpoint (RFC 6749, section 2.3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientAuthentication {
    /// `client_secret_basic`: by `Authorization: Basic …`.
    Basic,
    /// `client_secret_post`: by fields of the body.
    Body,
}

/// A credential of a server. Every [`Template`] is expanded on the host at run time only.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Auth {
    /// The whole value of `Authorization`.
    Static {
        /// The value.
        value: Template,
    },
    /// `Authorization: Bearer <token>`.
    Jwt {
        /// The token.
        token: Template,
    },
    /// A key in a header, query parameter or cookie; where is the document's to say unless given.
    ApiKey {
        /// The key.
        value: Template,
        /// `header`, `query` or `cookie`.
        location: Option<String>,
        /// The header's, parameter's or cookie's name.
        name: Option<String>,
    },
    /// `Authorization: Basic …`.
    Basic {
        /// User name.
        username: Template,
        /// Password.
        password: Template,
    },
    /// OAuth 2 client credentials (RFC 6749, section 4.4). `keycloak` becomes this.
    OAuth2 {
        /// Token endpoint.
        token_url: Template,
        /// Client id.
        client_id: Template,
        /// Client secret.
        client_secret: Template,
        /// Scope.
        scope: Option<Template>,
        /// Audience.
        audience: Option<Template>,
        /// How the client proves who it is; whatever the endpoint takes where absent.
        authentication: Option<ClientAuthentication>,
        /// Further form fields.
        extra: IndexMap<String, Template>,
    },
    /// A log-in that yields cookies or a token.
    Session {
        /// Log-in endpoint.
        login_url: Template,
        /// User name.
        username: Template,
        /// Password.
        password: Template,
        /// Field of the user name.
        username_field: String,
        /// Field of the password.
        password_field: String,
        /// Whether the fields are sent as a form rather than as JSON.
        form: bool,
        /// The cookie to keep; all where absent.
        cookie_name: Option<String>,
        /// JSON path of the token.
        token_field: Option<String>,
        /// How long a session lasts.
        expires: Duration,
    },
}
