//! Credentials: which kinds a server has, and what is attached to a request. Secrets live in
//! `secrecy` types here and, for the proxy's URL, in the settings; the sandbox is never told any.
//!
//! # Which credential goes on which call
//!
//! A server has at most one value for `Authorization` (`auth` of the types `static`, `jwt` and
//! `basic`, or `MCE_<SERVER>_AUTH`), one API key (`auth` of the type `api_key`, or
//! `MCE_<SERVER>_API_KEY`), cookies (`MCE_<SERVER>_COOKIE`) and extra headers. Per operation the
//! manifest's `security` decides, see [`Vault::credentials`].

mod choice;
mod configured;

use std::collections::BTreeMap;
use std::sync::Arc;

use secrecy::{ExposeSecret as _, SecretString};

use crate::api::{Function, Manifest};
use crate::config::{Environment, ServerConfig};
use configured::Configured;

/// A secret below this many characters is found in innocent text by chance.
const SHORT: usize = 8;

/// Whether a secret is so short that it is found in innocent text by chance.
#[must_use]
pub fn is_short(secret: &str) -> bool {
    secret.chars().count() < SHORT
}

/// A credential ready to be attached to one request.
#[derive(Debug, Clone)]
pub enum Credential {
    /// A header, such as `Authorization`.
    Header {
        /// Name as it is sent.
        name: String,
        /// The whole value.
        value: SecretString,
    },
    /// A query parameter.
    Query {
        /// Name before percent-encoding.
        name: String,
        /// Value before percent-encoding.
        value: SecretString,
    },
    /// A cookie.
    Cookie {
        /// Name.
        name: String,
        /// Value as it is sent.
        value: SecretString,
    },
}

/// Why a server's credential cannot be used. Never holds a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A kind of a later version.
    #[error(
        "server `{server}`: `auth` of the type `{kind}` is not supported yet; use `static`, \
         `jwt`, `basic` or `api_key`, or set `{variable}`"
    )]
    NotSupported {
        /// The server.
        server: String,
        /// The type as the config spells it.
        kind: &'static str,
        /// `MCE_<SERVER>_AUTH`.
        variable: String,
    },
    /// A `${VAR}` that could not be expanded; the message names it and its place.
    #[error("server `{server}`: {message}")]
    Expansion {
        /// The server.
        server: String,
        /// The message of the config.
        message: String,
    },
    /// A value that cannot travel where it belongs.
    #[error("server `{server}`: the value of {place} {what}")]
    Value {
        /// The server.
        server: String,
        /// The variable, or `file:line:column`.
        place: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// An API key of which neither document nor config says where it goes.
    #[error(
        "server `{server}`: the document names no place for an API key; set `in` and `name` in \
         its `auth`"
    )]
    NoPlace {
        /// The server.
        server: String,
    },
}

/// The credentials of all servers, read once at start.
#[derive(Debug)]
pub struct Vault {
    servers: BTreeMap<String, Result<Configured, Error>>,
}

impl Vault {
    /// Reads what config and environment hold for these servers. A variable wins over the file:
    /// `MCE_<SERVER>_AUTH` over any `auth` that ends in `Authorization`, `_API_KEY` over
    /// `api_key`, `_EXTRA_HEADERS` over the header of the same name.
    ///
    /// What is wrong with one server leaves the others usable; see [`Vault::problems`].
    #[must_use]
    pub fn new(servers: &[Arc<ServerConfig>], env: &Environment) -> Self {
        let servers = servers
            .iter()
            .map(|server| (server.name.clone(), Configured::read(server, env)))
            .collect();
        Self { servers }
    }

    /// What is wrong, by server, to be reported at start.
    pub fn problems(&self) -> impl Iterator<Item = &Error> {
        self.servers
            .values()
            .filter_map(|server| server.as_ref().err())
    }

    /// What the user should know that is no error, to be reported at start.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let short = |configured: &Configured| {
            let mut secrets = configured.secrets.iter();
            secrets.any(|secret| is_short(secret.expose_secret()))
        };
        self.servers
            .iter()
            .filter(|(_, server)| server.as_ref().is_ok_and(short))
            .map(|(name, _)| {
                format!(
                    "server `{name}`: a secret is shorter than {SHORT} characters; it is removed \
                     from answers only where it is a whole text"
                )
            })
            .collect()
    }

    /// Whether anything secret is sent to a server.
    #[must_use]
    pub fn has_secrets(&self, server: &str) -> bool {
        let server = self.servers.get(server).map(Result::as_ref);
        matches!(server, Some(Ok(configured)) if !configured.secrets.is_empty())
    }

    /// The credentials of one call.
    ///
    /// - `security` of the operation lists alternatives: the one of which most is configured is
    ///   taken, an earlier one before a later one, complete ones before others. Schemes of the
    ///   types `http`, `oauth2` and `openIdConnect` take the value for `Authorization`; `apiKey`
    ///   takes the API key, at the place the document names.
    /// - Where no alternative takes anything, the value for `Authorization` is attached all the
    ///   same, and so is an API key whose place the config names: the user configured them for
    ///   this server. So it is for documents that name no security at all (`[{}]` in the
    ///   manifest).
    /// - An operation that opts out (`security: []`) gets none.
    /// - Cookies go on every call but those that opt out.
    ///
    /// # Errors
    /// What is wrong with this server's credential; the call must not be sent without it.
    #[expect(
        clippy::unused_async,
        reason = "kinds that fetch a token wait here; callers are written for it"
    )]
    pub async fn credentials(
        &self,
        target: &Manifest,
        function: &Function,
    ) -> Result<Vec<Credential>, Error> {
        match self.servers.get(&target.server) {
            None => Ok(Vec::new()),
            Some(Err(error)) => Err(error.clone()),
            Some(Ok(configured)) => choice::choose(configured, target, function),
        }
    }

    /// The headers that the user wants on every request of a server, by name as configured.
    ///
    /// # Errors
    /// What is wrong with this server's credential or headers.
    pub fn extra_headers(&self, server: &str) -> Result<&[(String, SecretString)], Error> {
        match self.servers.get(server) {
            None => Ok(&[]),
            Some(Err(error)) => Err(error.clone()),
            Some(Ok(configured)) => Ok(&configured.extra_headers),
        }
    }

    /// Every secret there is, for redaction: values, and the parts and forms of them that are
    /// secret by themselves (a token without its scheme, a password out of `Basic …`).
    #[must_use]
    pub fn secrets(&self) -> Vec<SecretString> {
        self.servers
            .values()
            .flatten()
            .flat_map(|configured| configured.secrets.iter().cloned())
            .collect()
    }
}
