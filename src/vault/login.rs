//! A log-in that yields cookies or a token.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cookie::Cookie;
use reqwest::header::{HeaderMap, SET_COOKIE};
use reqwest::{Client, Response};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json_path::JsonPath;
use url::form_urlencoded;
use zeroize::Zeroizing;

use super::endpoint::{self, Endpoint, Problem, Sent};
use super::fetched::Live;
use super::parts::looks_secret;
use crate::config::is_secret_name;
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
struct Jar(Vec<Kept>);

struct Kept {
    name: String,
    value: SecretString,
    /// How long it lasts, where it says so.
    age: Option<Duration>,
    /// Whether its sender hides it from scripts, which is done to what is secret.
    is_hidden: bool,
}

impl Jar {
    /// Takes what an answer sets and removes. What it cannot send back is left out.
    fn take(&mut self, headers: &HeaderMap) {
        for header in headers.get_all(SET_COOKIE) {
            let cookie = header
                .to_str()
                .ok()
                .and_then(|text| Cookie::parse(text).ok());
            if let Some(cookie) = cookie {
                self.set(&cookie);
            }
        }
    }

    fn set(&mut self, cookie: &Cookie<'_>) {
        let (name, value) = (cookie.name(), cookie.value());
        let is_sendable = value
            .bytes()
            .all(|byte| (0x21..0x7f).contains(&byte) && byte != b';');
        if !is_token(name) || !is_sendable {
            return;
        }
        self.0.retain(|known| known.name != name);
        let age = age(cookie);
        if age.is_some_and(|age| age.is_zero()) || value.is_empty() {
            return;
        }
        let bytes: usize = self.0.iter().map(Kept::size).sum();
        let kept = Kept {
            name: name.to_owned(),
            value: SecretString::from(value),
            age,
            is_hidden: cookie.http_only() == Some(true),
        };
        if self.0.len() < MOST_COOKIES && bytes + kept.size() <= MOST_COOKIE_BYTES {
            self.0.push(kept);
        }
    }

    fn header(&self) -> Zeroizing<String> {
        let longest = MOST_COOKIE_BYTES + 4 * MOST_COOKIES;
        let mut header = Zeroizing::new(String::with_capacity(longest));
        for kept in &self.0 {
            if !header.is_empty() {
                header.push_str("; ");
            }
            header.push_str(&kept.name);
            header.push('=');
            header.push_str(kept.value.expose_secret());
        }
        header
    }
}

impl Kept {
    fn size(&self) -> usize {
        self.name.len() + self.value.expose_secret().len()
    }

    /// Whether it is a credential, and no preference such as `theme=dark`, which answers of any API hold.
    fn is_secret(&self) -> bool {
        self.is_hidden || is_secret_name(&self.name) || looks_secret(self.value.expose_secret())
    }
}

/// How long a cookie lasts (RFC 6265, section 4.1.2): no time where it is over.
fn age(cookie: &Cookie<'_>) -> Option<Duration> {
    if let Some(age) = cookie.max_age() {
        return Some(Duration::from_secs(
            u64::try_from(age.whole_seconds()).unwrap_or(0),
        ));
    }
    let expires = cookie.expires_datetime()?.unix_timestamp();
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Some(Duration::from_secs(u64::try_from(expires).unwrap_or(0)).saturating_sub(now))
}

impl Login {
    pub(super) async fn fetch(&self, client: &Client) -> Result<Live, Problem> {
        let mut jar = Jar::default();
        let answer = self.log_in(client, &mut jar).await?;
        let status = answer.status();
        if !status.is_success() && !status.is_redirection() {
            let what = format!("it answered {}", status.as_u16());
            return Err(Problem::from(what).of_answer(status, answer.headers()));
        }
        match &self.token_path {
            Some(path) => self.token(path, answer).await,
            None => self.cookies(jar),
        }
    }

    /// Sends the form and follows where it leads, as a browser does, but never elsewhere.
    async fn log_in(&self, client: &Client, jar: &mut Jar) -> Result<Response, Problem> {
        let sent = self.request();
        let mut url = self.endpoint.url.clone();
        let mut answer = sent.post(client, &url).await?;
        for hops in 0..=HOPS {
            jar.take(answer.headers());
            match endpoint::redirect(&self.endpoint.url, &url, &answer) {
                None => return Ok(answer),
                Some(Ok(_)) if hops == HOPS => break,
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
                Some(Err(_)) if self.token_path.is_none() && !jar.0.is_empty() => {
                    return Ok(answer);
                }
                Some(Err(why)) => return Err(why.into()),
            }
        }
        Err("it redirects again and again".into())
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
            .ok_or_else(|| {
                nothing(&format!(
                    "its answer has no text at `token_field`; it has {}",
                    members(&value)
                ))
            })?;
        endpoint::checked_token(token)?;
        Ok(Live {
            authorization: Some(SecretString::from(format!("Bearer {token}"))),
            cookies: Vec::new(),
            secrets: vec![SecretString::from(token)],
            lifetime: self.lifetime,
        })
    }

    fn cookies(&self, jar: Jar) -> Result<Live, Problem> {
        let mut kept = jar.0;
        if let Some(wanted) = &self.cookie_name {
            kept.retain(|it| it.name == *wanted);
            if kept.is_empty() {
                return Err(nothing(&format!("it set no cookie `{wanted}`")));
            }
        }
        if kept.is_empty() {
            return Err(nothing("it set no cookie"));
        }
        // Where none looks like a credential, any of them may be it.
        let is_any = self.cookie_name.is_some() || !kept.iter().any(Kept::is_secret);
        let counts = |it: &&Kept| is_any || it.is_secret();
        let ages = kept.iter().filter(counts).filter_map(|it| it.age);
        let shortest = ages.min().unwrap_or(self.lifetime);
        let secrets = kept.iter().filter(counts);
        let secrets = secrets.map(|it| it.value.clone()).collect();
        let cookies = kept.into_iter().map(|it| (it.name, it.value)).collect();
        Ok(Live {
            authorization: None,
            cookies,
            secrets,
            lifetime: shortest.min(self.lifetime),
        })
    }
}

/// Names that an answer is told by, at most.
const LISTED_MEMBERS: usize = 20;

/// Levels below which no name of an answer is told.
const LEVELS: usize = 3;

/// The places of an answer that hold a text, without any of their values.
fn members(value: &serde_json::Value) -> String {
    let mut places = Vec::new();
    list(value, "$", LEVELS, &mut places);
    if places.is_empty() {
        return "no text in any member".to_owned();
    }
    format!("text at {}", places.join(", "))
}

fn list(value: &serde_json::Value, place: &str, levels: usize, places: &mut Vec<String>) {
    let serde_json::Value::Object(members) = value else {
        return;
    };
    for (name, value) in members {
        // A name that is no word may be a secret itself, or steer a terminal.
        let is_word = name.len() <= 40
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        if !is_word || places.len() == LISTED_MEMBERS {
            continue;
        }
        let place = format!("{place}.{name}");
        match value {
            serde_json::Value::String(_) => places.push(format!("`{place}`")),
            _ if levels > 1 => list(value, &place, levels - 1, places),
            _ => {}
        }
    }
}

/// That the log-in gave nothing: some say so to a wrong password with a status of success.
fn nothing(what: &str) -> Problem {
    Problem {
        is_final: true,
        ..what.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_told_by_its_members_and_none_of_their_values() {
        let answer = serde_json::json!({
            "data": {"session": {"token": "canary", "deeper": {"more": "canary"}}, "expires": 60},
            "ok": true,
            "canary with\nspaces": "canary",
        });
        assert_eq!(members(&answer), "text at `$.data.session.token`");
        assert_eq!(
            members(&serde_json::json!(["canary"])),
            "no text in any member"
        );
    }

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
            "e=6; Expires=Fri, 01 Jan 2100 00:00:00 GMT; HttpOnly",
            "f=7; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
        ] {
            headers.append(SET_COOKIE, text.parse().unwrap());
        }
        let mut jar = Jar::default();
        jar.take(&headers);
        assert_eq!(jar.header().as_str(), "c=3; a=4; d=\"quoted\"; e=6");
        assert_eq!(jar.0[0].age, Some(Duration::from_secs(30)));
        assert_eq!(jar.0[1].age, None);
        assert!(jar.0[3].age > Some(Duration::from_hours(24)));
        let secret: Vec<_> = jar.0.iter().map(Kept::is_secret).collect();
        assert_eq!(secret, [false, false, false, true]);
    }
}
