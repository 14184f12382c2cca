//! Credentials: which kinds a server has, and what is attached to a request. Secrets live in
//! `secrecy` types here and, for the proxy's URL, in the settings; the sandbox is never told any.
//!
//! # Which credential goes on which call
//!
//! A server has at most one value for `Authorization` (`auth` of the types `static`, `jwt` and
//! `basic`, one that is fetched by `oauth2`, `keycloak` or `session`, or `MCE_<SERVER>_AUTH`), one API key (`auth` of the type `api_key`, or
//! `MCE_<SERVER>_API_KEY`), cookies (`MCE_<SERVER>_COOKIE`) and extra headers. Per operation the
//! manifest's `security` decides, see [`Vault::credentials`].

mod choice;
mod configured;
mod endpoint;
mod fetched;
mod learnt;
mod login;
mod network;
mod parts;
mod reader;
mod token;

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};

use crate::api::{Function, Manifest};
use crate::config::{Environment, ServerConfig};
use configured::Configured;
use fetched::LONGEST_LIFE;
use learnt::Learnt;
pub use network::NetworkSettings;

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
    /// A credential that could not be fetched.
    #[error("server `{server}`: {what}")]
    Fetch {
        /// The server.
        server: String,
        /// The endpoint and what became of the request.
        what: String,
        /// What the endpoint says of it.
        said: Option<Said>,
    },
    /// The address of a token or log-in endpoint is one that is not connected to.
    #[error("server `{server}`: {what}")]
    Refused {
        /// The server.
        server: String,
        /// The endpoint and why.
        what: String,
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

/// What an endpoint said of its refusal. It may repeat what it was sent, and is shown without secrets only.
#[derive(Clone, PartialEq, Eq)]
pub struct Said(String);

impl std::fmt::Debug for Said {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Said(…)")
    }
}

/// Characters of it that are shown.
const SAID: usize = 200;

impl Error {
    /// The message, with what an endpoint said, from which `redact` removes secrets: before it is cut and
    /// escaped, as what is left of a secret then is not found.
    #[must_use]
    pub fn told(&self, redact: impl Fn(&str) -> String) -> String {
        let message = self.to_string();
        let Self::Fetch {
            said: Some(Said(said)),
            ..
        } = self
        else {
            return message;
        };
        let said: String = redact(said)
            .chars()
            .take(SAID)
            .map(|it| if it.is_control() { ' ' } else { it })
            .flat_map(|it| {
                let is_plain = it.is_alphanumeric() || it.is_ascii();
                let (plain, escaped) = (
                    is_plain.then_some(it),
                    (!is_plain).then(|| it.escape_unicode()),
                );
                plain.into_iter().chain(escaped.into_iter().flatten())
            })
            .collect();
        format!("{message} ({said})")
    }
}

/// A credential that a server has, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configuration {
    /// What it is, such as `oauth2`.
    pub what: String,
    /// The variable, or `file:line:column`.
    pub place: String,
}

/// What is attached to one request.
#[derive(Debug, Clone, Default)]
pub struct Credentials {
    list: Vec<Credential>,
    /// The number of the fetched one among them.
    fetched: Option<u64>,
}

impl Deref for Credentials {
    type Target = [Credential];

    fn deref(&self) -> &[Credential] {
        &self.list
    }
}

/// The credentials of all servers, read once at start.
#[derive(Debug)]
pub struct Vault {
    servers: BTreeMap<String, Result<Configured, Error>>,
    learnt: Arc<Learnt>,
}

/// What operations ask for and nothing gives.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Unmet {
    /// The alternatives.
    schemes: String,
    /// How many operations.
    functions: usize,
    /// One of them.
    example: String,
}

impl std::fmt::Display for Unmet {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            schemes,
            functions,
            example,
        } = self;
        let (noun, verb) = if *functions == 1 {
            ("function asks", "it is")
        } else {
            ("functions ask", "one is")
        };
        write!(
            formatter,
            "{functions} {noun} for {schemes}, which nothing here gives ({verb} `{example}`)"
        )
    }
}

impl Vault {
    /// Reads what config and environment hold for these servers. A variable wins over the file:
    /// `MCE_<SERVER>_AUTH` over any `auth` that ends in `Authorization`, `_API_KEY` over
    /// `api_key`, `_COOKIE` over a log-in that yields cookies, `_EXTRA_HEADERS` over the header of the
    /// same name. Each may stand in a file that the variable of the same name with `_FILE` names.
    ///
    /// What is wrong with one server leaves the others usable; see [`Vault::problems`]. Nothing is
    /// fetched before it is needed.
    #[must_use]
    pub fn new(servers: &[Arc<ServerConfig>], env: &Environment) -> Self {
        Self::with_network(servers, env, &NetworkSettings::default())
    }

    /// The same, with what the way to token and log-in endpoints is made of.
    #[must_use]
    pub fn with_network(
        servers: &[Arc<ServerConfig>],
        env: &Environment,
        network: &NetworkSettings,
    ) -> Self {
        let learnt = Arc::new(Learnt::default());
        let env = Arc::new(env.clone());
        let servers = servers
            .iter()
            .map(|server| {
                let configured = Configured::read(server, &env, network, &learnt);
                (server.name.clone(), configured)
            })
            .collect();
        Self { servers, learnt }
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

    /// What a server has, in the order in which it was read.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn configuration(&self, server: &str) -> Result<&[Configuration], Error> {
        match self.servers.get(server) {
            None => Ok(&[]),
            Some(Err(error)) => Err(error.clone()),
            Some(Ok(configured)) => Ok(&configured.configuration),
        }
    }

    /// Where a server's credentials do not fit what its document asks for: what operations ask for and
    /// nothing gives, and credentials of a kind that the document does not know.
    #[must_use]
    pub fn misfits(&self, manifest: &Manifest) -> Vec<String> {
        let none = Configured::default();
        let configured = match self.servers.get(&manifest.server) {
            Some(Ok(configured)) => configured,
            // What is wrong is told otherwise.
            Some(Err(_)) => return Vec::new(),
            None => &none,
        };
        let mut misfits: Vec<String> = choice::unmet(configured, manifest)
            .into_iter()
            .map(|it| it.to_string())
            .collect();
        for Configuration { what, place } in &configured.configuration {
            if choice::is_of_another_kind(what, manifest) {
                misfits.push(format!(
                    "the document knows no credential of the kind `{what}`, which {place} gives"
                ));
            }
        }
        misfits
    }

    /// The credentials of one call.
    ///
    /// - `security` of the operation lists alternatives: the one of which most is configured is
    ///   taken, an earlier one before a later one, complete ones before others. Schemes of the
    ///   types `http`, `oauth2` and `openIdConnect` take the value for `Authorization`; `apiKey`
    ///   takes the API key, at the place the document names.
    /// - Where no alternative is met or takes anything, the value for `Authorization` is attached all the
    ///   same, and so is an API key whose place the config names: the user configured them for
    ///   this server. So it is for documents that name no security at all (`[{}]` in the
    ///   manifest).
    /// - An operation that opts out (`security: []`) gets none.
    /// - Cookies go on every call but those that opt out.
    ///
    /// One that has to be fetched is, unless there is one that lasts.
    ///
    /// # Errors
    /// What is wrong with this server's credential; the call must not be sent without it.
    pub async fn credentials(
        &self,
        target: &Manifest,
        function: &Function,
    ) -> Result<Credentials, Error> {
        let configured = match self.servers.get(&target.server) {
            None => return Ok(Credentials::default()),
            Some(Err(error)) => return Err(error.clone()),
            Some(Ok(configured)) => configured,
        };
        let chosen = choice::choose(configured, target, function)?;
        let fetched = match &configured.fetched {
            Some(fetched) if choice::wants_fetched(configured, function, &chosen) => {
                Some(fetched.get().await?)
            }
            _ => None,
        };
        let live = fetched.as_ref().map(|fetched| &*fetched.live);
        Ok(Credentials {
            list: choice::fill(configured, function, chosen, live),
            fetched: fetched.as_ref().map(|fetched| fetched.number),
        })
    }

    /// Told that the API refused these credentials (401): whether [`Self::credentials`] would give
    /// others, so that it is worth while to ask again.
    #[must_use]
    pub fn renew(&self, server: &str, refused: &Credentials) -> bool {
        let Some(Ok(configured)) = self.servers.get(server) else {
            return false;
        };
        match (&configured.fetched, refused.fetched) {
            (Some(fetched), Some(number)) => fetched.renew(number),
            _ => false,
        }
    }

    /// Fetches a server's credential, if it is one that has to be fetched, and says how long it lasts.
    ///
    /// # Errors
    /// What is wrong with the server's credential, or why there is none.
    pub async fn fetch(&self, server: &str) -> Result<Option<Duration>, Error> {
        match self.servers.get(server) {
            None => Ok(None),
            Some(Err(error)) => Err(error.clone()),
            Some(Ok(configured)) => match &configured.fetched {
                None => Ok(None),
                Some(fetched) => Ok(Some(fetched.get().await?.live.lifetime.min(LONGEST_LIFE))),
            },
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

    /// Every secret there is by now, for redaction: values, and the parts and forms of them that are
    /// secret by themselves (a token without its scheme, a password out of `Basic …`).
    #[must_use]
    pub fn secrets(&self) -> Vec<SecretString> {
        let configured = self.servers.values().flatten();
        let mut secrets: Vec<_> = configured
            .flat_map(|configured| configured.secrets.iter().cloned())
            .collect();
        secrets.extend(self.learnt.all());
        secrets
    }

    /// Changes whenever there are other [`Self::secrets`]: a fetched one is among them before anybody
    /// can use it.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.learnt.revision()
    }
}
