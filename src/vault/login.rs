//! A log-in that yields cookies or a token.

use std::time::Duration;

use cookie::Cookie;
use reqwest::header::{HeaderMap, SET_COOKIE};
use reqwest::{Client, Response};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json_path::JsonPath;
use url::form_urlencoded;
use zeroize::Zeroizing;

use super::endpoint::{self, Endpoint, Problem, Sent};
use super::fetched::Live;
use crate::headers::is_token;

/// Redirects that are followed.
const HOPS: usize = 5;
/// Cookies that are kept.
const MOST_COOKIES: usize = 50;
/// Bytes of all of them together.
const MOST_COOKIE_BYTES: usize = 16 << 10;

/// Where to log in, as whom, and what comes of it.
#[derive(Debug)]
pub(super) struct Login {
    pub(super) endpoint: Endpoint,
    pub(super) username: SecretString,
    pub(super) password: SecretString,
    pub(super) username_field: String,
    pub(super) password_field: String,
    /// Whether the fields are sent as a form rather than as JSON.
    pub(super) form: bool,
    /// The cookie to keep; all where absent.
    pub(super) cookie_name: Option<String>,
    /// Where in the answer the token is; cookies are kept where absent.
    pub(super) token_path: Option<JsonPath>,
    /// How long a session lasts.
    pub(super) lifetime: Duration,
}

/// Cookies of one origin.
#[derive(Default)]
struct Jar {
    cookies: Vec<(String, SecretString)>,
    /// What the first of them to expire says.
    max_age: Option<Duration>,
}

impl Jar {
    /// Takes what an answer sets and removes. What it cannot send back is left out.
    fn take(&mut self, headers: &HeaderMap) {
        for header in headers.get_all(SET_COOKIE) {
            let Some(cookie) = header
                .to_str()
                .ok()
                .and_then(|text| Cookie::parse(text).ok())
            else {
                continue;
            };
            let (name, value) = (cookie.name(), cookie.value());
            let is_sendable = value
                .bytes()
                .all(|byte| (0x21..0x7f).contains(&byte) && byte != b';');
            if !is_token(name) || !is_sendable {
                continue;
            }
            self.cookies.retain(|(known, _)| known != name);
            let age = cookie.max_age().map(cookie::time::Duration::whole_seconds);
            if age.is_some_and(|age| age <= 0) || value.is_empty() {
                continue;
            }
            let bytes: usize = self
                .cookies
                .iter()
                .map(|(name, value)| name.len() + value.expose_secret().len())
                .sum();
            if self.cookies.len() == MOST_COOKIES
                || bytes + name.len() + value.len() > MOST_COOKIE_BYTES
            {
                continue;
            }
            if let Some(age) = age.and_then(|age| u64::try_from(age).ok()) {
                let age = Duration::from_secs(age);
                self.max_age = Some(self.max_age.map_or(age, |known| known.min(age)));
            }
            self.cookies
                .push((name.to_owned(), SecretString::from(value)));
        }
    }

    fn header(&self) -> Zeroizing<String> {
        let mut header =
            Zeroizing::new(String::with_capacity(MOST_COOKIE_BYTES + 4 * MOST_COOKIES));
        for (name, value) in &self.cookies {
            if !header.is_empty() {
                header.push_str("; ");
            }
            header.push_str(name);
            header.push('=');
            header.push_str(value.expose_secret());
        }
        header
    }
}

impl Login {
    pub(super) async fn fetch(&self, client: &Client) -> Result<Live, Problem> {
        let mut jar = Jar::default();
        let answer = self.log_in(client, &mut jar).await?;
        let status = answer.status();
        if !status.is_success() && !status.is_redirection() {
            return Err(Problem {
                is_refusal: status.is_client_error(),
                ..format!("it answered {}", status.as_u16()).into()
            });
        }
        match &self.token_path {
            Some(path) => self.token(path, answer).await,
            None => self.cookies(jar),
        }
    }

    /// Sends the form and follows where it leads, as a browser does, but never elsewhere.
    async fn log_in(&self, client: &Client, jar: &mut Jar) -> Result<Response, String> {
        let sent = self.request();
        let mut url = self.endpoint.url.clone();
        let mut answer = sent.post(client, &url).await?;
        for _ in 0..HOPS {
            jar.take(answer.headers());
            match endpoint::redirect(&self.endpoint.url, &url, &answer) {
                None => return Ok(answer),
                Some(Ok(next)) => {
                    let again = matches!(answer.status().as_u16(), 307 | 308);
                    url = next;
                    answer = if again {
                        sent.post(client, &url).await?
                    } else {
                        endpoint::get(client, &url, &jar.header()).await?
                    };
                }
                // The log-in itself is over; where it leads is for people.
                Some(Err(_)) if self.token_path.is_none() && !jar.cookies.is_empty() => {
                    return Ok(answer);
                }
                Some(Err(why)) => return Err(why),
            }
        }
        Err("it redirects again and again".to_owned())
    }

    fn request(&self) -> Sent {
        let (username, password) = (self.username.expose_secret(), self.password.expose_secret());
        let fields = [
            (&self.username_field, username),
            (&self.password_field, password),
        ];
        let (content_type, body) = if self.form {
            let mut form = form_urlencoded::Serializer::new(String::with_capacity(4 << 10));
            form.extend_pairs(fields);
            (
                "application/x-www-form-urlencoded",
                form.finish().into_bytes(),
            )
        } else {
            let fields: std::collections::BTreeMap<_, _> = fields.into_iter().collect();
            let body = serde_json::to_vec(&fields).unwrap_or_default();
            ("application/json", body)
        };
        Sent {
            content_type,
            body: Zeroizing::new(body),
            authorization: None,
        }
    }

    async fn token(&self, path: &JsonPath, answer: Response) -> Result<Live, Problem> {
        let (status, headers) = (answer.status(), answer.headers().clone());
        let body = endpoint::read(answer).await?;
        let value: serde_json::Value =
            serde_json::from_slice(&body).map_err(|_| endpoint::not_json(status, &headers))?;
        let token = path
            .query(&value)
            .exactly_one()
            .ok()
            .and_then(serde_json::Value::as_str)
            .filter(|token| !token.is_empty())
            .ok_or("its answer has no text at `token_field`")?;
        if !token.bytes().all(|byte| (0x21..0x7f).contains(&byte)) {
            return Err("its token holds characters that no header holds".into());
        }
        Ok(Live {
            authorization: Some(SecretString::from(format!("Bearer {token}"))),
            cookies: Vec::new(),
            lifetime: self.lifetime,
        })
    }

    fn cookies(&self, jar: Jar) -> Result<Live, Problem> {
        let mut cookies = jar.cookies;
        if let Some(wanted) = &self.cookie_name {
            cookies.retain(|(name, _)| name == wanted);
            if cookies.is_empty() {
                return Err(format!("it set no cookie `{wanted}`").into());
            }
        }
        if cookies.is_empty() {
            return Err("it set no cookie".into());
        }
        Ok(Live {
            authorization: None,
            cookies,
            lifetime: jar
                .max_age
                .map_or(self.lifetime, |age| age.min(self.lifetime)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jar_keeps_what_is_set_and_drops_what_is_removed() {
        let mut headers = HeaderMap::new();
        for text in [
            "a=1; Path=/; HttpOnly",
            "b=2; Max-Age=60",
            "c=3; max-age=30; Secure",
            "a=4",
            "b=; Max-Age=0",
            "bad name=5",
            "d=\"quoted\"",
            "nothing",
        ] {
            headers.append(SET_COOKIE, text.parse().unwrap());
        }
        let mut jar = Jar::default();
        jar.take(&headers);
        assert_eq!(jar.header().as_str(), "c=3; a=4; d=\"quoted\"");
        assert_eq!(jar.max_age, Some(Duration::from_secs(30)));
    }
}
