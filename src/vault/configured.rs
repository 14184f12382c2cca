//! Reads one server's credentials from config and environment.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use indexmap::IndexMap;
use secrecy::{ExposeSecret as _, SecretString};

use super::fetched::{Fetched, Source};
use super::learnt::Learnt;
use super::login::Login;
use super::network::{Network, NetworkSettings};
use super::parts::{looks_secret, parts, with_readings};
use super::reader::Reader;
use super::token::ClientCredentials;
use super::{Configuration, Error};
use crate::config::{Auth, Environment, ServerConfig, is_secret_name, token_path};
use crate::headers::is_token;

/// Headers whose values are no secrets, wherever they were configured.
const PLAIN_HEADERS: [&str; 10] = [
    "accept",
    "accept-encoding",
    "accept-language",
    "cache-control",
    "content-language",
    "from",
    "origin",
    "prefer",
    "referer",
    "user-agent",
];

/// What one server has.
#[derive(Debug, Default)]
pub(super) struct Configured {
    /// The whole value of `Authorization`.
    pub(super) authorization: Option<SecretString>,
    /// A credential that has to be fetched first.
    pub(super) fetched: Option<Arc<Fetched>>,
    /// The API key.
    pub(super) api_key: Option<ApiKey>,
    /// Whether the client has a certificate.
    pub(super) has_certificate: bool,
    /// Cookies by name.
    pub(super) cookies: Vec<(String, SecretString)>,
    /// Headers of every request, each name once.
    pub(super) extra_headers: Vec<(String, SecretString)>,
    /// What must not be seen, see [`super::Vault::secrets`].
    pub(super) secrets: Vec<SecretString>,
    /// What there is, for people.
    pub(super) configuration: Vec<Configuration>,
}

/// An API key.
#[derive(Debug)]
pub(super) struct ApiKey {
    pub(super) value: SecretString,
    /// Where it goes, where the config says so.
    pub(super) place: Option<(Place, String)>,
}

/// Where an API key travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Header,
    Query,
    Cookie,
}

impl Place {
    /// From `header`, `query`, `cookie`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        match text {
            "header" => Some(Self::Header),
            "query" => Some(Self::Query),
            "cookie" => Some(Self::Cookie),
            _ => None,
        }
    }
}

impl Configured {
    /// Reads one server's values.
    pub(super) fn read(
        server: &Arc<ServerConfig>,
        env: &Arc<Environment>,
        network: &NetworkSettings,
        learnt: &Arc<Learnt>,
    ) -> Result<Self, Error> {
        let reader = Reader { server, env };
        let mut this = Self {
            has_certificate: server.client_cert_file.is_some(),
            ..Self::default()
        };
        this.read_cookies(&reader)?;
        let source = this.read_authorization(&reader)?;
        this.read_api_key(&reader)?;
        this.read_extra_headers(&reader)?;
        if let Some(file) = &server.client_cert_file {
            this.describe("client certificate", &file.place);
        }
        this.fetched = source.map(|source| {
            let network = Network {
                settings: network.clone(),
                server: Arc::clone(server),
                environment: Arc::clone(env),
            };
            Arc::new(Fetched::new(
                &server.name,
                source,
                network,
                Arc::clone(learnt),
            ))
        });
        Ok(this)
    }

    /// Whether there is a value of `Authorization`, or will be when it was fetched.
    pub(super) fn has_authorization(&self) -> bool {
        let fetched = self.fetched.as_ref();
        self.authorization.is_some() || fetched.is_some_and(|it| it.gives_authorization())
    }

    /// Whether a cookie of this name may come of a log-in.
    pub(super) fn may_fetch_cookie(&self, name: &str) -> bool {
        match self.fetched.as_ref().map(|it| &it.source) {
            Some(Source::Login(login)) if login.token_path.is_none() => {
                login.cookie_name.as_ref().is_none_or(|it| it == name)
            }
            _ => false,
        }
    }

    fn describe(&mut self, what: &str, place: &str) {
        self.configuration.push(Configuration {
            what: what.to_owned(),
            place: place.to_owned(),
        });
    }

    /// Reads `Authorization`, or what it has to be fetched from.
    fn read_authorization(&mut self, reader: &Reader<'_>) -> Result<Option<Source>, Error> {
        let variable = reader.server.env_name("AUTH");
        let value = if let Some(value) = reader.variable(&variable)? {
            self.describe("`Authorization`", &variable);
            let value = reader.checked(&variable, without_name(&value, "authorization"))?;
            self.secrets.extend(parts(&value));
            self.authorization = Some(value);
            // What yields cookies goes beside it.
            return match &reader.server.auth {
                Some(Auth::Session {
                    token_field: None, ..
                }) => self.session(reader),
                _ => Ok(None),
            };
        } else {
            match &reader.server.auth {
                None | Some(Auth::ApiKey { .. }) => return Ok(None),
                Some(Auth::Static { value }) => {
                    self.describe("static", &value.place);
                    let text = reader.expanded(value)?;
                    reader.checked(&value.place, without_name(&text, "authorization"))?
                }
                Some(Auth::Jwt { token }) => {
                    self.describe("jwt", &token.place);
                    let text = reader.expanded(token)?;
                    let bare = text
                        .split_at_checked("bearer ".len())
                        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer "))
                        .map_or(text.as_str(), |(_, token)| token);
                    reader.checked(&token.place, bare)?;
                    SecretString::from(format!("Bearer {bare}"))
                }
                Some(Auth::Basic { username, password }) => {
                    self.describe("basic", &password.place);
                    reader.basic(username, password)?
                }
                Some(auth @ Auth::OAuth2 { client_secret, .. }) => {
                    self.describe("oauth2", &client_secret.place);
                    let source = self.client_credentials(reader, auth)?;
                    return Ok(source.map(Source::Token));
                }
                Some(Auth::Session { .. }) => return self.session(reader),
            }
        };
        self.secrets.extend(parts(&value));
        self.authorization = Some(value);
        Ok(None)
    }

    /// The log-in of a server that has one. Cookies from the environment stand in for those of it.
    fn session(&mut self, reader: &Reader<'_>) -> Result<Option<Source>, Error> {
        let Some(
            auth @ Auth::Session {
                token_field,
                password,
                ..
            },
        ) = &reader.server.auth
        else {
            return Ok(None);
        };
        if token_field.is_none() && !self.cookies.is_empty() {
            return Ok(None);
        }
        self.describe("session", &password.place);
        Ok(self.login(reader, auth)?.map(Source::Login))
    }

    fn client_credentials(
        &mut self,
        reader: &Reader<'_>,
        auth: &Auth,
    ) -> Result<Option<ClientCredentials>, Error> {
        let Auth::OAuth2 {
            token_url,
            client_id,
            client_secret,
            scope,
            audience,
            authentication,
            extra,
        } = auth
        else {
            return Ok(None);
        };
        let secret = reader.text(client_secret)?;
        self.secrets.push(secret.clone());
        let mut fields = Vec::new();
        for (name, template) in [("scope", scope), ("audience", audience)] {
            if let Some(template) = template {
                let value = reader.expanded(template)?;
                if !value.is_empty() {
                    fields.push((name.to_owned(), SecretString::from(value)));
                }
            }
        }
        for (name, template) in extra {
            let value = SecretString::from(reader.expanded(template)?);
            let text = value.expose_secret();
            let is_secret =
                is_secret_name(name) || template.text.contains("${") && looks_secret(text);
            if is_secret && !text.is_empty() {
                self.secrets.push(value.clone());
            }
            fields.push((name.clone(), value));
        }
        let credentials = ClientCredentials {
            endpoint: reader.endpoint(token_url)?,
            client_id: reader.expanded(client_id)?,
            client_secret: secret,
            authentication: *authentication,
            fields,
            wants_body: AtomicBool::new(false),
        };
        self.secrets.extend(parts(&credentials.basic()));
        Ok(Some(credentials))
    }

    fn login(&mut self, reader: &Reader<'_>, auth: &Auth) -> Result<Option<Login>, Error> {
        let Auth::Session {
            login_url,
            username,
            password,
            username_field,
            password_field,
            form,
            cookie_name,
            token_field,
            expires,
        } = auth
        else {
            return Ok(None);
        };
        let secret = reader.text(password)?;
        self.secrets.push(secret.clone());
        let path = token_field.as_deref().map(token_path).transpose();
        let token_path = path.map_err(|_| {
            reader.error(
                &login_url.place,
                "goes with a `token_field` that is no JSON path",
            )
        })?;
        Ok(Some(Login {
            endpoint: reader.endpoint(login_url)?,
            username: SecretString::from(reader.expanded(username)?),
            password: secret,
            username_field: username_field.clone(),
            password_field: password_field.clone(),
            form: *form,
            cookie_name: cookie_name.clone(),
            token_path,
            lifetime: *expires,
        }))
    }

    fn read_api_key(&mut self, reader: &Reader<'_>) -> Result<(), Error> {
        let variable = reader.server.env_name("API_KEY");
        let configured = match &reader.server.auth {
            Some(Auth::ApiKey {
                value,
                location,
                name,
            }) => Some((value, location, name)),
            _ => None,
        };
        let value = match (reader.variable(&variable)?, configured) {
            (Some(value), _) => {
                self.describe("API key", &variable);
                reader.checked(&variable, &value)?
            }
            (None, Some((value, ..))) => {
                self.describe("api_key", &value.place);
                let text = reader.expanded(value)?;
                reader.checked(&value.place, &text)?
            }
            (None, None) => return Ok(()),
        };
        let place = configured.and_then(|(_, location, name)| {
            let place = Place::parse(location.as_deref().unwrap_or("header"))?;
            Some((place, name.clone()?))
        });
        self.secrets.push(value.clone());
        self.api_key = Some(ApiKey { value, place });
        Ok(())
    }

    fn read_cookies(&mut self, reader: &Reader<'_>) -> Result<(), Error> {
        let variable = reader.server.env_name("COOKIE");
        let Some(value) = reader.variable(&variable)? else {
            return Ok(());
        };
        self.describe("cookies", &variable);
        for pair in without_name(&value, "cookie").split(';') {
            let pair = pair.trim();
            if pair.is_empty() {
                continue;
            }
            let Some((name, value)) = pair.split_once('=') else {
                return Err(reader.error(&variable, "is not of the form `name=value; name=value`"));
            };
            if !is_token(name) {
                return Err(reader.error(&variable, "holds a cookie name that is not a token"));
            }
            if self.cookies.iter().any(|(known, _)| known == name) {
                return Err(reader.error(&variable, "names a cookie twice"));
            }
            let value = reader.checked(&variable, value)?;
            self.secrets.extend(with_readings(&value));
            self.cookies.push((name.to_owned(), value));
        }
        Ok(())
    }

    fn read_extra_headers(&mut self, reader: &Reader<'_>) -> Result<(), Error> {
        for (name, template) in &reader.server.extra_headers {
            let text = reader.expanded(template)?;
            let value = reader.header(&template.place, name, &text)?;
            let is_variable = template.text.contains("${");
            self.describe(&format!("header `{name}`"), &template.place);
            self.set_extra_header(name, value, is_variable);
        }
        let variable = reader.server.env_name("EXTRA_HEADERS");
        if let Some(text) = reader.variable(&variable)? {
            let headers: IndexMap<String, String> = serde_json::from_str(&text).map_err(|_| {
                reader.error(
                    &variable,
                    "is not a JSON object of strings, such as `{\"X-Team\": \"a\"}`",
                )
            })?;
            for (name, text) in headers {
                let value = reader.header(&variable, &name, &text)?;
                self.describe(&format!("header `{name}`"), &variable);
                self.set_extra_header(&name, value, true);
            }
        }
        Ok(())
    }

    /// Keeps a header. Its value counts as a secret
    ///
    /// - where the header's name says so (`X-Api-Token`), wherever the value was written: with
    ///   `allow_literal` it may stand in the file; a scheme is split off then,
    /// - where it came from a variable and looks like a credential, see [`looks_secret`].
    ///
    /// Every secret is replaced in the answers of every API, so that counting `production` as
    /// one would spoil innocent text.
    fn set_extra_header(&mut self, name: &str, value: SecretString, is_variable: bool) {
        let lower = name.to_ascii_lowercase();
        if !PLAIN_HEADERS.contains(&lower.as_str()) && !lower.ends_with("version") {
            if is_secret_name(&lower) {
                self.secrets.extend(parts(&value));
            } else if is_variable && looks_secret(value.expose_secret()) {
                self.secrets.push(value.clone());
            }
        }
        self.extra_headers
            .retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.extra_headers.push((name.to_owned(), value));
    }
}

/// A value given as the whole header line, `Authorization: …`, without the name.
fn without_name<'text>(text: &'text str, name: &str) -> &'text str {
    match text.split_once(':') {
        Some((head, value)) if head.trim().eq_ignore_ascii_case(name) => value.trim(),
        _ => text,
    }
}
