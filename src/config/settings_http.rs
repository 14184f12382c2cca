//! The settings of the HTTP transport.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};

use super::settings::{LONGEST, Lookup};
use super::settings_values::{GIB, Invalid, parse_host, parse_path, seconds, size, whole};
use super::tokens::{NamedToken, TokensError, digest_of, read_tokens_beside};

/// The fewest characters of a token: one that can be guessed is none.
const SHORTEST_TOKEN: usize = 16;

/// Where clients come over HTTP, who may, and how much.
#[derive(Debug, Clone)]
pub struct HttpSettings {
    /// `MCE_HOST`
    pub host: IpAddr,
    /// `MCE_PORT`
    pub port: u16,
    /// `MCE_HTTP_TOKEN`
    pub token: Option<SecretString>,
    /// `MCE_HTTP_TOKENS_FILE`
    pub tokens_file: Option<PathBuf>,
    /// `MCE_HTTP_ALLOWED_HOSTS`: names or `name:port`, in lower case.
    pub allowed_hosts: Vec<String>,
    /// `MCE_HTTP_ALLOWED_ORIGINS` as browsers spell them.
    pub allowed_origins: Vec<String>,
    /// `MCE_HTTP_MAX_BODY_BYTES`
    pub max_body_bytes: usize,
    /// `MCE_HTTP_MAX_CONNECTIONS`
    pub max_connections: usize,
    /// `MCE_HTTP_MAX_SESSIONS` of each principal
    pub max_sessions: usize,
    /// `MCE_HTTP_SESSION_IDLE_SECONDS`
    pub session_idle: Duration,
    /// `MCE_HTTP_READ_SECONDS` for the head of a request, and again for its body
    pub read: Duration,
    /// `MCE_HTTP_SHUTDOWN_SECONDS`
    pub shutdown: Duration,
}

impl HttpSettings {
    /// The tokens that have names; none where no file is set.
    ///
    /// # Errors
    /// The file cannot be read, is no such file, or holds the token that has no name.
    pub fn named_tokens(&self) -> Result<Vec<NamedToken>, TokensError> {
        let nameless = self.token.as_ref();
        let nameless = nameless.map(|token| digest_of(token.expose_secret()));
        match &self.tokens_file {
            Some(file) => read_tokens_beside(file, nameless.as_ref()),
            None => Ok(Vec::new()),
        }
    }
}

impl Lookup<'_> {
    pub(super) fn http(&mut self) -> Option<HttpSettings> {
        let host = self.required("MCE_HOST", parse_host);
        let port = self.required("MCE_PORT", |text| whole(text, 0, u16::MAX));
        let token = self.secret("MCE_HTTP_TOKEN", parse_token);
        let tokens_file = self.optional("MCE_HTTP_TOKENS_FILE", parse_path);
        let allowed_hosts = self.optional("MCE_HTTP_ALLOWED_HOSTS", parse_hosts);
        let allowed_origins = self.optional("MCE_HTTP_ALLOWED_ORIGINS", parse_origins);
        let max_body_bytes = self.required("MCE_HTTP_MAX_BODY_BYTES", |text| size(text, 1024, GIB));
        let max_connections =
            self.required("MCE_HTTP_MAX_CONNECTIONS", |text| whole(text, 1, 1_000_000));
        let max_sessions = self.required("MCE_HTTP_MAX_SESSIONS", |text| whole(text, 1, 1_000_000));
        let session_idle = self.required("MCE_HTTP_SESSION_IDLE_SECONDS", |text| {
            seconds(text, LONGEST)
        });
        let read = self.required("MCE_HTTP_READ_SECONDS", |text| seconds(text, 600.0));
        let shutdown = self.required("MCE_HTTP_SHUTDOWN_SECONDS", |text| seconds(text, 600.0));
        Some(HttpSettings {
            host: host?,
            port: port?,
            token: token.map(SecretString::from),
            tokens_file,
            allowed_hosts: allowed_hosts.unwrap_or_default(),
            allowed_origins: allowed_origins.unwrap_or_default(),
            max_body_bytes: max_body_bytes?,
            max_connections: max_connections?,
            max_sessions: max_sessions?,
            session_idle: session_idle?,
            read: read?,
            shutdown: shutdown?,
        })
    }
}

/// What a header `Authorization: Bearer` can carry (RFC 6750, section 2.1).
fn parse_token(text: &str) -> Result<String, Invalid> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
    if text.len() < SHORTEST_TOKEN || !text.bytes().all(fits) {
        return Err(Invalid(format!(
            "at least {SHORTEST_TOKEN} letters, digits or `-._~+/=` (`mce token new` makes one)"
        )));
    }
    Ok(text.to_owned())
}

fn parse_hosts(text: &str) -> Result<Vec<String>, Invalid> {
    let items = text.split(',').map(str::trim).filter(|it| !it.is_empty());
    items
        .map(|item| {
            let authority: Option<http::uri::Authority> = item.parse().ok();
            authority
                .filter(|it| !it.as_str().contains('@') && !it.host().is_empty())
                .map(|it| it.as_str().to_ascii_lowercase())
                .ok_or_else(|| {
                    Invalid(
                        "names separated by commas, such as `mce.example.com`, or with a port"
                            .to_owned(),
                    )
                })
        })
        .collect()
}

fn parse_origins(text: &str) -> Result<Vec<String>, Invalid> {
    let items = text.split(',').map(str::trim).filter(|it| !it.is_empty());
    items
        .map(|item| {
            let url = url::Url::parse(item).ok();
            url.filter(|it| matches!(it.scheme(), "http" | "https") && it.has_host())
                .filter(|it| it.path() == "/" && it.query().is_none() && it.username().is_empty())
                .map(|it| it.origin().ascii_serialization())
                .ok_or_else(|| {
                    Invalid(
                        "origins separated by commas, such as `https://app.example.com`".to_owned(),
                    )
                })
        })
        .collect()
}

/// Whether only this machine reaches an address.
#[must_use]
pub fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use crate::config::{Environment, Error, Settings};

    fn settings(pairs: &[(&str, &str)]) -> Result<Settings, Error> {
        let environment = Environment::from_pairs(pairs.iter().copied());
        Settings::from_environment(&environment).map(|(settings, _)| settings)
    }

    #[test]
    fn a_token_stands_in_the_variable_or_in_a_file() {
        let own = settings(&[("MCE_HTTP_TOKEN", "0123456789abcdef")]).unwrap();
        assert_eq!(own.http.token.unwrap().expose_secret(), "0123456789abcdef");

        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        std::fs::write(&file, "fedcba9876543210\n").unwrap();
        let path = file.to_str().unwrap();
        let read = settings(&[("MCE_HTTP_TOKEN_FILE", path)]).unwrap();
        assert_eq!(read.http.token.unwrap().expose_secret(), "fedcba9876543210");

        let both = settings(&[("MCE_HTTP_TOKEN_FILE", path), ("MCE_HTTP_TOKEN", "x")]);
        assert!(both.unwrap_err().to_string().contains("unset one of them"));
    }

    #[test]
    fn a_token_that_can_be_guessed_is_refused_and_not_repeated() {
        for token in ["hunter2", "a-b.c", "with spaces in it, and long"] {
            let error = settings(&[("MCE_HTTP_TOKEN", token)]).unwrap_err();
            let text = error.to_string();
            assert!(text.contains("at least 16"), "{text}");
            assert!(!text.contains(token), "{text}");
        }
        // A proxy may hold a password.
        let error = settings(&[("MCE_HTTPS_PROXY", "me:hunter2")]).unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }

    #[test]
    fn hosts_and_origins_are_lists() {
        let found = settings(&[
            ("MCE_HTTP_ALLOWED_HOSTS", "MCE.example.com, b.example:8443"),
            (
                "MCE_HTTP_ALLOWED_ORIGINS",
                "https://App.example.com:443,http://x:80/",
            ),
        ])
        .unwrap();
        assert_eq!(
            found.http.allowed_hosts,
            ["mce.example.com", "b.example:8443"]
        );
        assert_eq!(
            found.http.allowed_origins,
            ["https://app.example.com", "http://x"]
        );
        for wrong in ["null", "*", "app.example.com", "https://a/b"] {
            assert!(
                settings(&[("MCE_HTTP_ALLOWED_ORIGINS", wrong)]).is_err(),
                "{wrong}"
            );
        }
        assert!(settings(&[("MCE_HTTP_ALLOWED_HOSTS", "a b")]).is_err());
    }
}
