//! Where a server's requests go: the base URL, from environment, config or manifest.

use std::borrow::Cow;
use std::net::IpAddr;

use url::{Host, Url};

use super::Target;
use super::limits::Limits;
use crate::address::{Reach, is_localhost, reach};
use crate::api::Function;
use crate::config::{Environment, ServerConfig, check_base_url};
use crate::connect::{Permission, Refused};
use crate::domains::Domain;

/// Where a server's calls go, as far as that is known before names are looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// Scheme, host and port.
    pub origin: String,
    /// What is to be said of credentials that go there: they are not encrypted.
    pub in_the_clear: Option<String>,
}

impl Target {
    /// Where the calls of this server go.
    ///
    /// # Errors
    /// Why they go nowhere, and after `; ` what to do. Holds no secret.
    pub fn destination(&self, env: &Environment, limits: &Limits) -> Result<Destination, String> {
        let base = Base::of(self, env, limits)?;
        base.check_name()?;
        Ok(Destination {
            origin: base.origin.origin().ascii_serialization(),
            in_the_clear: base.in_the_clear(),
        })
    }
}

/// A base URL that may be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Base {
    /// The server, for messages.
    server: String,
    /// The variable that says where the server is, for messages.
    variable: String,
    /// Scheme, host and port, as they begin every URL.
    origin: Url,
    /// The path of the base URL without a trailing slash.
    prefix: String,
    /// What goes before a path to tell operations apart: the prefix where operations have base
    /// URLs of their own, which count.
    pub(super) route_prefix: String,
    /// Whether operations have base URLs of their own, and those count.
    has_own: bool,
    /// What addresses the user permitted.
    pub(super) permission: Permission,
    /// Whether the host is an address that the user wrote and that is not of the internet.
    pub(super) is_private_literal: bool,
}

/// Who named the base URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// Environment or config: the user.
    User,
    /// The manifest: the document, as it was reviewed.
    Document,
}

impl Base {
    /// The base URL of a server: `MCE_<SERVER>_BASE_URL`, else the config's `base_url`, else the
    /// manifest's; see [`Self::of_function`]. Credentials only ever go to the origin found here, which is therefore one that
    /// the user wrote or that was committed.
    pub(super) fn of(target: &Target, env: &Environment, limits: &Limits) -> Result<Self, String> {
        let server = &target.manifest.server;
        let variable = target.config.env_name("BASE_URL");
        let named = env
            .value(&variable)
            .map_err(|error| format!("server `{server}`: {error}"))?
            .filter(|value| !value.is_empty());
        let (text, place, source) = if let Some(value) = named {
            (value.into_owned(), variable.clone(), Source::User)
        } else if let Some(template) = &target.config.base_url {
            let text = template.expand(env).map_err(|error| error.to_string())?;
            (text, template.place.clone(), Source::User)
        } else if let Some(text) = &target.manifest.base_url {
            let place = "the manifest's base_url".to_owned();
            (text.clone(), place, Source::Document)
        } else {
            return Err(format!(
                "server `{server}` has no base URL; set `{variable}` or `base_url` in the config"
            ));
        };
        let fail = |what: &str| format!("server `{server}`: the base URL in `{place}` {what}");

        let url = check_base_url(&text).map_err(|error| fail(&error.to_string()))?;
        let Some(host) = url.host() else {
            return Err(fail("names no host"));
        };
        if let Some(domains) = &limits.allowed_domains
            && !domains.iter().any(|domain| holds(domain, &url))
        {
            return Err(fail(&format!(
                "leads to `{0}`, which `MCE_ALLOWED_DOMAINS` does not hold; add `{0}` to it (plain \
                 `httpx` still does not get there)",
                shown_host(&url)
            )));
        }

        let mut permission = Permission {
            private: target.config.allow_private_network,
            only_loopback: false,
        };
        let mut is_private_literal = false;
        if let Some(address) = literal(&host) {
            is_private_literal = source == Source::User && reach(address) == Reach::Private;
            // Permits exactly this address and port: the client of this server connects nowhere
            // but to this origin.
            permission.private |= is_private_literal;
            permission
                .check(&host.to_string(), address)
                .map_err(|error| match (&error, source) {
                    (Refused::Private { .. }, Source::Document) => format!(
                        "server `{server}`: the document's server `{text}` is a private address; \
                         to allow it add `base_url: {text}` to `{server}` in swaggers.yaml, or \
                         set `{variable}`"
                    ),
                    _ => fail(&format!("is refused: {error}")),
                })?;
        }
        let prefix = prefix(&url);
        let mut origin = url;
        origin.set_path("");
        let functions = target.manifest.functions.iter().map(|it| &it.base_url);
        let skipped = target.manifest.skipped.iter().map(|it| &it.base_url);
        let has_own = source == Source::Document && functions.chain(skipped).any(Option::is_some);
        Ok(Self {
            server: server.clone(),
            variable,
            origin,
            route_prefix: if has_own {
                prefix.clone()
            } else {
                String::new()
            },
            has_own,
            prefix,
            permission,
            is_private_literal,
        })
    }

    /// The base URL of a function: its own, where nobody configured another. It never leaves the
    /// origin that credentials go to.
    pub(super) fn of_function(&self, function: &Function) -> Result<Cow<'_, Self>, String> {
        let Some(own) = function.base_url.as_deref().filter(|_| self.has_own) else {
            return Ok(Cow::Borrowed(self));
        };
        let url = check_base_url(own)
            .map_err(|error| format!("the base URL of {}() {error}", function.name))?;
        if url.origin() != self.origin.origin() {
            return Err(format!(
                "the base URL of {}() is on another origin than the server's",
                function.name
            ));
        }
        let prefix = prefix(&url);
        Ok(Cow::Owned(Self {
            route_prefix: prefix.clone(),
            prefix,
            ..self.clone()
        }))
    }

    /// What goes before the path of an operation with this base URL of its own, see
    /// [`Self::route_prefix`].
    pub(super) fn route_prefix_of(&self, own: Option<&str>) -> String {
        match own.filter(|_| self.has_own).map(Url::parse) {
            Some(Ok(url)) => prefix(&url),
            _ => self.route_prefix.clone(),
        }
    }

    /// What is to be said of credentials that go there, where they are not encrypted.
    pub(super) fn in_the_clear(&self) -> Option<String> {
        let is_open = !self.is_https() && !self.is_private_literal;
        (is_open && !is_localhost(self.host())).then(|| {
            format!(
                "server `{}`: credentials go to `{}` unencrypted; use `https://`",
                self.server,
                self.host()
            )
        })
    }

    /// Judges a name that is known to lead to a private address without looking it up.
    fn check_name(&self) -> Result<(), String> {
        if is_localhost(self.host()) && !self.permission.private {
            let host = self.host().to_owned();
            return Err(self.refusal(&Refused::Private { host }));
        }
        Ok(())
    }

    /// A failure to connect, in words.
    pub(super) fn unreachable(&self, cause: &str) -> String {
        format!(
            "server `{}` could not be reached: {cause}; `{}` or `base_url` says where it is",
            self.server, self.variable
        )
    }

    /// A failure to get an answer over a connection that came about, in words.
    pub(super) fn unanswered(&self, cause: &str) -> String {
        format!("server `{}` gave no answer: {cause}", self.server)
    }

    /// That a call waited for others until its time was over, in words.
    pub(super) fn no_turn(&self) -> String {
        format!(
            "server `{}`: the call had no turn in time: the server has as many requests as \
             `max_concurrent_requests` or `requests_per_second` lets it have",
            self.server
        )
    }

    /// That there is no client for the server, in words: certificate and key may not fit.
    pub(super) fn no_client(&self, cause: &str) -> String {
        format!(
            "server `{}`: {cause}; see `client_cert_file`, `client_key_file` and `ca_file`",
            self.server
        )
    }

    /// A refusal of the address, in words.
    pub(super) fn refusal(&self, why: &Refused) -> String {
        format!("server `{}`: {why}", self.server)
    }

    /// The host, for look-ups and messages.
    pub(super) fn host(&self) -> &str {
        self.origin.host_str().unwrap_or_default()
    }

    /// The host as a name, to be looked up, or an address.
    pub(super) fn url_host(&self) -> Option<Host<&str>> {
        self.origin.host()
    }

    /// Whether requests are encrypted.
    pub(super) fn is_https(&self) -> bool {
        self.origin.scheme() == "https"
    }

    /// The URL of an encoded path and query. `None` where they would change anything but what
    /// stands below the base URL.
    pub(super) fn url(&self, path: &str, query: &[String]) -> Option<Url> {
        let mut text = format!(
            "{}{}",
            self.origin.as_str().trim_end_matches('/'),
            self.prefix
        );
        text.push_str(path);
        if !query.is_empty() {
            text.push('?');
            text.push_str(&query.join("&"));
        }
        let url = Url::parse(&text).ok()?;
        (self.below(&url) == Some(path) && url.fragment().is_none()).then_some(url)
    }

    /// `http` or `https`.
    pub(super) fn scheme(&self) -> &str {
        self.origin.scheme()
    }

    /// Scheme, host and port.
    pub(super) fn origin(&self) -> &Url {
        &self.origin
    }

    /// Whether a URL is on the origin that is called.
    pub(super) fn has_origin_of(&self, url: &Url) -> bool {
        url.origin() == self.origin.origin()
    }

    /// The whole path of a path below the base URL.
    pub(super) fn path_of(&self, below: &str) -> String {
        format!("{}{below}", self.prefix)
    }

    /// What stands below the base URL in a whole path.
    pub(super) fn below_prefix<'path>(&self, path: &'path str) -> Option<&'path str> {
        path.strip_prefix(self.prefix.as_str())
            .filter(|below| below.starts_with('/'))
    }

    /// The path below the base URL, where a URL keeps its origin and prefix.
    pub(super) fn below<'url>(&self, url: &'url Url) -> Option<&'url str> {
        let clean = url.username().is_empty() && url.password().is_none();
        let below = url.path().strip_prefix(self.prefix.as_str())?;
        (clean && url.origin() == self.origin.origin() && below.starts_with('/')).then_some(below)
    }
}

/// Every base URL that environment and config give a server.
///
/// # Errors
/// Why one of them cannot be had, so that nobody knows where the server is.
pub(super) fn configured_urls(
    config: &ServerConfig,
    env: &Environment,
) -> Result<Vec<String>, String> {
    let of_env = env
        .value(&config.env_name("BASE_URL"))
        .map_err(|error| error.to_string())?
        .filter(|value| !value.is_empty());
    let of_config = config.base_url.as_ref();
    let of_config = of_config.map(|template| template.expand(env)).transpose();
    let of_config = match of_config {
        Ok(of_config) => of_config,
        // What the environment says counts, and this not.
        Err(_) if of_env.is_some() => None,
        Err(error) => return Err(error.to_string()),
    };
    let of_env = of_env.map(Cow::into_owned);
    Ok(of_env.into_iter().chain(of_config).collect())
}

/// The path of a base URL without a trailing slash.
fn prefix(url: &Url) -> String {
    url.path().trim_end_matches('/').to_owned()
}

/// The address that a host is.
fn literal(host: &Host<&str>) -> Option<IpAddr> {
    match host {
        Host::Domain(_) => None,
        Host::Ipv4(address) => Some(IpAddr::V4(*address)),
        Host::Ipv6(address) => Some(IpAddr::V6(*address)),
    }
}

/// Whether an entry of the allow-list holds the server with this base URL.
fn holds(entry: &str, url: &Url) -> bool {
    entry
        .parse()
        .is_ok_and(|domain: Domain| domain.holds_server(url))
}

/// Host and port as the allow-list spells them.
fn shown_host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}
