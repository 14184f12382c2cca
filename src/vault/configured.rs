//! Reads one server's credentials from config and environment.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use indexmap::IndexMap;
use secrecy::{ExposeSecret as _, SecretString};

use super::Error;
use crate::config::{Auth, Environment, ServerConfig, Template, is_secret_name};
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
    /// The API key.
    pub(super) api_key: Option<ApiKey>,
    /// Cookies by name.
    pub(super) cookies: Vec<(String, SecretString)>,
    /// Headers of every request, each name once.
    pub(super) extra_headers: Vec<(String, SecretString)>,
    /// What must not be seen, see [`super::Vault::secrets`].
    pub(super) secrets: Vec<SecretString>,
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
    pub(super) fn read(server: &ServerConfig, env: &Environment) -> Result<Self, Error> {
        let reader = Reader { server, env };
        let mut this = Self::default();
        this.read_authorization(&reader)?;
        this.read_api_key(&reader)?;
        this.read_cookies(&reader)?;
        this.read_extra_headers(&reader)?;
        Ok(this)
    }

    fn read_authorization(&mut self, reader: &Reader<'_>) -> Result<(), Error> {
        let variable = reader.server.env_name("AUTH");
        let value = if let Some(value) = reader.variable(&variable) {
            reader.checked(&variable, without_name(value, "authorization"))?
        } else {
            match &reader.server.auth {
                None | Some(Auth::ApiKey { .. }) => return Ok(()),
                Some(Auth::Static { value }) => {
                    let text = reader.expanded(value)?;
                    reader.checked(&value.place, without_name(&text, "authorization"))?
                }
                Some(Auth::Jwt { token }) => {
                    let text = reader.expanded(token)?;
                    let bare = text
                        .split_at_checked("bearer ".len())
                        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer "))
                        .map_or(text.as_str(), |(_, token)| token);
                    reader.checked(&token.place, bare)?;
                    SecretString::from(format!("Bearer {bare}"))
                }
                Some(Auth::Basic { username, password }) => {
                    let user = reader.expanded(username)?;
                    let text = reader.expanded(password)?;
                    // One of the two may be empty: some APIs take their key as either.
                    if user.is_empty() || !text.is_empty() {
                        reader.checked(&password.place, &text)?;
                    }
                    if !user.is_empty() {
                        reader.checked(&username.place, &user)?;
                    }
                    if user.contains(':') {
                        return Err(reader.error(&username.place, "holds a `:`"));
                    }
                    let encoded = STANDARD.encode(format!("{user}:{text}"));
                    SecretString::from(format!("Basic {encoded}"))
                }
                Some(Auth::OAuth2 { .. }) => return Err(reader.not_supported("oauth2")),
                Some(Auth::Session { .. }) => return Err(reader.not_supported("session")),
            }
        };
        self.secrets.extend(parts(&value));
        self.authorization = Some(value);
        Ok(())
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
        let value = match (reader.variable(&variable), configured) {
            (Some(value), _) => reader.checked(&variable, value)?,
            (None, Some((value, ..))) => {
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
        let Some(value) = reader.variable(&variable) else {
            return Ok(());
        };
        for pair in without_name(value, "cookie").split(';') {
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
            self.secrets.push(value.clone());
            self.cookies.push((name.to_owned(), value));
        }
        Ok(())
    }

    fn read_extra_headers(&mut self, reader: &Reader<'_>) -> Result<(), Error> {
        for (name, template) in &reader.server.extra_headers {
            let text = reader.expanded(template)?;
            let value = reader.header(&template.place, name, &text)?;
            let is_variable = template.text.contains("${");
            self.set_extra_header(name, value, is_variable);
        }
        let variable = reader.server.env_name("EXTRA_HEADERS");
        if let Some(text) = reader.variable(&variable) {
            let headers: IndexMap<String, String> = serde_json::from_str(text).map_err(|_| {
                reader.error(
                    &variable,
                    "is not a JSON object of strings, such as `{\"X-Team\": \"a\"}`",
                )
            })?;
            for (name, text) in headers {
                let value = reader.header(&variable, &name, &text)?;
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

/// Reads values of one server, and words what is wrong with them without showing them.
struct Reader<'a> {
    server: &'a ServerConfig,
    env: &'a Environment,
}

impl Reader<'_> {
    /// A variable that is set to something; an empty one counts as unset, as compose files
    /// pass on unset variables that way.
    fn variable(&self, name: &str) -> Option<&str> {
        self.env.get(name).filter(|value| !value.is_empty())
    }

    fn expanded(&self, template: &Template) -> Result<String, Error> {
        template.expand(self.env).map_err(|error| Error::Expansion {
            server: self.server.name.clone(),
            message: error.to_string(),
        })
    }

    fn checked(&self, place: &str, value: &str) -> Result<SecretString, Error> {
        if value.trim().is_empty() {
            return Err(self.error(place, "is empty"));
        }
        if value.trim_end_matches(['\r', '\n']) != value {
            return Err(self.error(place, "ends in a line break"));
        }
        if value.chars().any(char::is_control) {
            return Err(self.error(place, "holds a line break or control character"));
        }
        Ok(SecretString::from(value))
    }

    fn header(&self, place: &str, name: &str, value: &str) -> Result<SecretString, Error> {
        if !is_token(name) {
            return Err(self.error(place, "belongs to a header whose name is not a token"));
        }
        self.checked(place, value)
    }

    fn error(&self, place: &str, what: &'static str) -> Error {
        Error::Value {
            server: self.server.name.clone(),
            place: format!("`{place}`"),
            what,
        }
    }

    fn not_supported(&self, kind: &'static str) -> Error {
        Error::NotSupported {
            server: self.server.name.clone(),
            kind,
            variable: self.server.env_name("AUTH"),
        }
    }
}

/// A value given as the whole header line, `Authorization: …`, without the name.
fn without_name<'text>(text: &'text str, name: &str) -> &'text str {
    match text.split_once(':') {
        Some((head, value)) if head.trim().eq_ignore_ascii_case(name) => value.trim(),
        _ => text,
    }
}

/// Whether a value of a header with an innocent name looks like a credential: 16 characters or
/// more without a space, or 8 or more that are letters and digits, both of them, and nothing else.
fn looks_secret(value: &str) -> bool {
    let is_mixed = value.chars().all(char::is_alphanumeric)
        && value.chars().any(char::is_alphabetic)
        && value.chars().any(char::is_numeric);
    let length = value.chars().count();
    !value.contains(char::is_whitespace) && (length >= 16 || length >= super::SHORT && is_mixed)
}

/// A header's value and what in it is secret by itself.
fn parts(value: &SecretString) -> Vec<SecretString> {
    let mut parts = vec![value.clone()];
    let Some((scheme, rest)) = value.expose_secret().split_once(' ') else {
        return parts;
    };
    let rest = rest.trim();
    if !is_token(scheme) || rest.is_empty() {
        return parts;
    }
    parts.push(SecretString::from(rest));
    if scheme.eq_ignore_ascii_case("basic")
        && let Ok(bytes) = STANDARD.decode(rest)
        && let Ok(pair) = String::from_utf8(bytes)
    {
        // A key given as the user name goes with an empty password.
        match pair.split_once(':') {
            Some((user, "")) => parts.push(SecretString::from(user)),
            Some((_, password)) => parts.push(SecretString::from(password)),
            None => {}
        }
        parts.push(SecretString::from(pair));
    }
    parts
}
