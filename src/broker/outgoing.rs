//! Puts a request together from what `wire` encoded, the vault holds and the user configured, and
//! refuses whatever was not declared.

mod keys;

use std::collections::{BTreeSet, HashSet};

use bytes::Bytes;
use percent_encoding::utf8_percent_encode;
use reqwest::Method;
use reqwest::header::{ACCEPT_ENCODING, COOKIE, HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use super::base::Base;
use super::names::quoted;
use super::routes::Routes;
use super::templates::{Item, Template, decoded_item};
use crate::api::{Function, Location, Manifest, Style};
use crate::headers::{is_forbidden_header, is_override, normal};
use crate::sandbox::CallError;
use crate::vault::Credential;
use crate::wire::{self, Arguments, COMPONENT, Request};

/// The longest URL that is sent; most servers take far less.
pub(super) const LONGEST_URL: usize = 60_000;

/// The most bytes of headers from arguments; most servers take far less.
const LONGEST_HEADERS: usize = 60_000;

/// A request ready to be sent. No `Debug`: the URL may hold a credential.
pub(super) struct Outgoing {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Bytes>,
    /// Encoded query items that are credentials, for a redirect that lost them.
    pub(super) secret_query: Vec<SecretString>,
}

impl Outgoing {
    /// Bytes of URL, headers and body.
    pub(super) fn size(&self) -> usize {
        let headers: usize = self
            .headers
            .iter()
            .map(|(name, value)| name.as_str().len() + value.len() + 4)
            .sum();
        self.url.as_str().len() + headers + self.body.as_ref().map_or(0, Bytes::len)
    }
}

/// All that a request is made of.
pub(super) struct Parts<'a> {
    pub(super) base: &'a Base,
    pub(super) routes: &'a Routes,
    pub(super) manifest: &'a Manifest,
    pub(super) function: &'a Function,
    pub(super) arguments: &'a Arguments,
    pub(super) credentials: &'a [Credential],
    pub(super) extra_headers: &'a [(String, SecretString)],
}

impl Parts<'_> {
    /// The request, or why it is not sent.
    pub(super) fn assemble(&self, request: Request) -> Result<Outgoing, CallError> {
        let method = Method::from_bytes(request.method.as_bytes())
            .ok()
            .filter(|method| method.as_str() == self.function.method && *method != Method::CONNECT)
            .ok_or_else(|| self.refuse("its method cannot be sent"))?;
        if request.body.is_some() && self.function.body.is_none() {
            return Err(self.refuse("it has a body that is not declared"));
        }
        // Before anything looks closer: what follows may not be made slow by its size.
        let url_length = request
            .query
            .iter()
            .map(|item| item.len() + 1)
            .sum::<usize>();
        if url_length + request.path.len() > LONGEST_URL {
            return Err(self.refuse(&format!("its URL is longer than {LONGEST_URL} bytes")));
        }
        let cookies = request.cookies.iter();
        let cookies: usize = cookies
            .map(|(name, value)| name.len() + value.len() + 3)
            .sum();
        let headers = request.headers.iter();
        let headers: usize = headers
            .map(|(name, value)| name.len() + value.len() + 4)
            .sum();
        if cookies + headers > LONGEST_HEADERS {
            return Err(self.refuse(&format!(
                "its headers are longer than {LONGEST_HEADERS} bytes"
            )));
        }
        let prefix = &self.base.route_prefix;
        self.routes
            .check(
                &format!("{prefix}{}", request.path),
                &request.query,
                &format!("{prefix}{}", self.function.path),
            )
            .map_err(|error| self.refuse(&error.to_string()))?;

        let (query, secret_query) = self.query(request.query)?;
        let url = self
            .base
            .url(&request.path, &query)
            .ok_or_else(|| self.refuse("its URL would leave the base URL"))?;
        let mut headers = self.headers(request.headers)?;
        if let Some(cookies) = self.cookies(&request.cookies)? {
            headers.insert(COOKIE, cookies);
        }
        Ok(Outgoing {
            method,
            url,
            headers,
            body: request.body,
            secret_query,
        })
    }

    pub(super) fn refuse(&self, why: &str) -> CallError {
        CallError::Egress {
            message: format!("{}() is refused: {why}", self.function.name),
        }
    }

    /// The query: only declared names, then the credentials.
    fn query(&self, items: Vec<String>) -> Result<(Vec<String>, Vec<SecretString>), CallError> {
        let mut secrets = Vec::new();
        let mut replaced = BTreeSet::new();
        for credential in self.credentials {
            if let Credential::Query { name, value } = credential {
                if is_override(name) {
                    return Err(self.refuse(
                        "the document wants a credential in a parameter that is never sent",
                    ));
                }
                let name = utf8_percent_encode(name, COMPONENT);
                let value = utf8_percent_encode(value.expose_secret(), COMPONENT);
                replaced.insert(name.to_string());
                secrets.push(SecretString::from(format!("{name}={value}")));
            }
        }
        let fixed = Template::new(&self.function.path).fixed;
        let free = self.all_free_keys(Location::Query);
        let mut query = Vec::with_capacity(items.len() + secrets.len());
        for item in items {
            if item.contains(['&', '#']) || item.chars().any(|it| it.is_control() || it == ' ') {
                return Err(self.refuse("a query value holds a bare `&`, `#` or blank"));
            }
            let spelt = item.split('=').next().unwrap_or_default();
            let name = decoded_item(spelt);
            let is_fixed = fixed.contains(&Item::new(&item));
            if !is_fixed && fixed.iter().any(|fixed| fixed.name == normal(&name)) {
                return Err(self.refuse("a query parameter repeats one that its path fixes"));
            }
            let is_declared =
                is_fixed || free.contains(name.as_str()) || self.is_declared_query(&name);
            let is_whole = !is_fixed && self.is_whole_query(&item);
            if is_whole && self.is_meant_otherwise(&name) {
                return Err(
                    self.refuse("the query is the name of another parameter or of a credential")
                );
            }
            let is_declared = is_declared || is_whole;
            if !is_declared || is_override(&name) {
                return Err(self.refuse("a query parameter is not declared"));
            }
            // Arguments are sent with their `;` encoded, but one in a document's template stands as
            // it is there, and a second item behind it was in nobody's review.
            let hides_another = names_after_semicolons(&item).any(|name| {
                is_override(&name)
                    || self.credential_names(Location::Query).contains(&name)
                    || self
                        .parameters(Location::Query)
                        .any(|other| normal(&other.wire_name) == name)
            });
            if hides_another {
                return Err(self.refuse("a query value holds another parameter after `;`"));
            }
            // The user's credential stands in for a declared parameter of its name.
            let is_replaced = replaced.iter().any(|known| decoded_item(known) == name);
            if !is_replaced {
                query.push(item);
            }
        }
        query.extend(secrets.iter().map(|it| it.expose_secret().to_owned()));
        Ok((query, secrets))
    }

    /// Whether an item is the query as a whole, which its argument alone decides. JSON holds no
    /// bare `=`; but `true`, `null` and numbers have no quotes either, and could be names: see
    /// [`Self::is_meant_otherwise`].
    fn is_whole_query(&self, item: &str) -> bool {
        let mut declared = self.parameters(Location::Query);
        declared.any(|it| it.style == Style::Whole && it.content_type.is_some())
            && !item.contains('=')
    }

    /// Whether the query as a whole is what a server may take for a parameter that another argument
    /// or a credential decides.
    fn is_meant_otherwise(&self, whole: &str) -> bool {
        let name = normal(whole);
        let mut others = self
            .parameters(Location::Query)
            .filter(|it| it.style != Style::Whole);
        self.credential_names(Location::Query).contains(&name)
            || others.any(|other| normal(&other.wire_name) == name)
    }

    pub(super) fn is_declared_query(&self, name: &str) -> bool {
        self.parameters(Location::Query).any(|parameter| {
            let wire_name = parameter.wire_name.as_str();
            name == wire_name
                || (parameter.style == Style::DeepObject
                    && name
                        .strip_prefix(wire_name)
                        .is_some_and(|rest| rest.starts_with('[')))
        })
    }

    /// The headers but `Cookie`.
    ///
    /// A header that the user configured stands in for a declared parameter of its name, so that
    /// documents which declare their API key as a parameter too stay usable and code cannot
    /// replace the credential.
    fn headers(&self, given: Vec<(String, String)>) -> Result<HeaderMap, CallError> {
        let mut headers = HeaderMap::new();
        headers.insert(USER_AGENT, HeaderValue::from_static(wire::USER_AGENT));
        headers.insert(
            ACCEPT_ENCODING,
            HeaderValue::from_static(wire::ACCEPT_ENCODING),
        );
        for (name, value) in given {
            let is_own = ["accept", "content-type"]
                .iter()
                .any(|own| name.eq_ignore_ascii_case(own));
            let declared = is_own
                || self
                    .parameters(Location::Header)
                    .any(|parameter| parameter.wire_name.eq_ignore_ascii_case(&name));
            if !declared {
                return Err(self.refuse("a header is not declared"));
            }
            if is_forbidden_header(&name) || name.eq_ignore_ascii_case("cookie") {
                return Err(self.refuse(&format!("the header `{name}` is never sent")));
            }
            if name.eq_ignore_ascii_case("accept-encoding") {
                // What MCE decodes is MCE's to say; an answer it cannot read cannot be checked.
                continue;
            }
            let (name, value) = self.header(&name, &value)?;
            headers.insert(name, value);
        }
        for credential in self.credentials {
            if let Credential::Header { name, value } = credential
                && !name.eq_ignore_ascii_case("cookie")
            {
                if is_forbidden_header(name) {
                    return Err(self.refuse(&format!(
                        "the document wants a credential in the header `{name}`, which is never \
                         sent"
                    )));
                }
                let (name, mut value) = self.header(name, value.expose_secret())?;
                value.set_sensitive(true);
                headers.insert(name, value);
            }
        }
        for (name, value) in self.extra_headers {
            if name.eq_ignore_ascii_case("cookie") {
                continue;
            }
            let (name, mut value) = self.header(name, value.expose_secret())?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Ok(headers)
    }

    fn header(&self, name: &str, value: &str) -> Result<(HeaderName, HeaderValue), CallError> {
        let invalid = || CallError::Argument {
            message: format!(
                "{}(): the value of the header `{}` holds a line break or control character",
                self.function.name,
                quoted(name)
            ),
        };
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| invalid())?;
        let value = HeaderValue::from_bytes(value.as_bytes()).map_err(|_| invalid())?;
        Ok((header, value))
    }

    /// One `Cookie` header of the declared cookie parameters, the header parameter `Cookie` (both
    /// as `wire` gives them), the vault's cookies and a configured extra header `Cookie`.
    fn cookies(&self, given: &[(String, String)]) -> Result<Option<HeaderValue>, CallError> {
        let secret: Vec<(&str, &str)> = self.secret_cookies().collect();
        if secret.iter().any(|(_, value)| value.contains(';')) {
            return Err(self.refuse("a credential that travels as a cookie holds `;`"));
        }
        let mut free = self.all_free_keys(Location::Cookie);
        free.extend(
            self.parameters(Location::Cookie)
                .map(|it| it.wire_name.as_str()),
        );
        let of_header: HashSet<&str> = self.cookie_header().map(|(name, _)| name).collect();
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        for (name, value) in given {
            let is_declared =
                of_header.contains(name.as_str()) || free.contains(decoded_item(name).as_str());
            if !is_declared {
                return Err(self.refuse("a cookie is not declared"));
            }
            let hides = |text: &str| text.contains([';', ' ']) || text.contains(char::is_control);
            if hides(name) || hides(value) {
                return Err(self.refuse("a cookie holds `;`, a blank or control character"));
            }
            // The user's credential stands in for a declared parameter of its name.
            if !secret.iter().any(|(known, _)| known == name) {
                pairs.push((name, value));
            }
        }
        pairs.extend(secret);
        if pairs.is_empty() {
            return Ok(None);
        }
        let pairs: Vec<String> = pairs
            .into_iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let (_, mut value) = self.header("cookie", &pairs.join("; "))?;
        value.set_sensitive(true);
        Ok(Some(value))
    }
}

/// The names that an encoded query item holds beside its own for servers that take `;` for `&`.
fn names_after_semicolons(item: &str) -> impl Iterator<Item = String> {
    item.split(';')
        .skip(1)
        .map(|piece| normal(&decoded_item(piece.split('=').next().unwrap_or_default())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_behind_semicolons_are_seen_as_old_servers_see_them() {
        let names = |item| names_after_semicolons(item).collect::<Vec<_>>();
        assert_eq!(
            names("a=1;Admin=2;b%2Dc;%5Fmethod=PUT"),
            ["admin", "b_c", "_method"]
        );
        assert_eq!(names("a=1%3Badmin=2"), Vec::<String>::new());
    }
}
