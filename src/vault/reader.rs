//! Values of one server, read from config and environment and checked for where they travel.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use secrecy::SecretString;

use super::Error;
use super::endpoint::Endpoint;
use crate::config::{Environment, ServerConfig, Template};
use crate::headers::is_token;

/// Reads values of one server, and words what is wrong with them without showing them.
pub(super) struct Reader<'a> {
    pub(super) server: &'a ServerConfig,
    pub(super) env: &'a Environment,
}

impl Reader<'_> {
    /// A variable that is set to something; an empty one counts as unset, as compose files
    /// pass on unset variables that way.
    pub(super) fn variable(&self, name: &str) -> Result<Option<Cow<'_, str>>, Error> {
        match self.env.value(name) {
            Ok(value) => Ok(value.filter(|value| !value.is_empty())),
            Err(error) => Err(Error::Expansion {
                server: self.server.name.clone(),
                message: error.to_string(),
            }),
        }
    }

    /// A secret that travels in a body, where every character can.
    pub(super) fn text(&self, template: &Template) -> Result<SecretString, Error> {
        let text = self.expanded(template)?;
        if text.is_empty() {
            return Err(self.error(&template.place, "is empty"));
        }
        Ok(SecretString::from(text))
    }

    pub(super) fn endpoint(&self, template: &Template) -> Result<Endpoint, Error> {
        let text = self.expanded(template)?;
        Endpoint::new(&text, self.server.allow_private_network).map_err(|what| Error::Expansion {
            server: self.server.name.clone(),
            message: format!("the URL of `{}` {what}", template.place),
        })
    }

    pub(super) fn basic(
        &self,
        username: &Template,
        password: &Template,
    ) -> Result<SecretString, Error> {
        let user = self.expanded(username)?;
        let text = self.expanded(password)?;
        // One of the two may be empty: some APIs take their key as either.
        if user.is_empty() || !text.is_empty() {
            self.checked(&password.place, &text)?;
        }
        if !user.is_empty() {
            self.checked(&username.place, &user)?;
        }
        if user.contains(':') {
            return Err(self.error(&username.place, "holds a `:`"));
        }
        let encoded = STANDARD.encode(format!("{user}:{text}"));
        Ok(SecretString::from(format!("Basic {encoded}")))
    }

    pub(super) fn expanded(&self, template: &Template) -> Result<String, Error> {
        template.expand(self.env).map_err(|error| Error::Expansion {
            server: self.server.name.clone(),
            message: error.to_string(),
        })
    }

    pub(super) fn checked(&self, place: &str, value: &str) -> Result<SecretString, Error> {
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

    pub(super) fn header(
        &self,
        place: &str,
        name: &str,
        value: &str,
    ) -> Result<SecretString, Error> {
        if !is_token(name) {
            return Err(self.error(place, "belongs to a header whose name is not a token"));
        }
        self.checked(place, value)
    }

    pub(super) fn error(&self, place: &str, what: &'static str) -> Error {
        Error::Value {
            server: self.server.name.clone(),
            place: format!("`{place}`"),
            what,
        }
    }
}
