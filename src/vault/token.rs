//! OAuth 2 client credentials (RFC 6749, section 4.4).
//!
//! The request is put together here and not by a library, so that the secret and the token stand in
//! memory that is wiped, and answers that real endpoints give can be read: `expires_in` as text, no
//! `token_type`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::HeaderMap;
use reqwest::{Client, StatusCode};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use url::form_urlencoded;
use zeroize::Zeroizing;

use super::endpoint::{self, Endpoint, Problem, Sent};
use super::fetched::Live;
use crate::config::ClientAuthentication;

/// Redirects that are followed.
const HOPS: usize = 3;
/// How long a token lasts of which nobody says so.
const USUAL_LIFE: Duration = Duration::from_hours(1);

/// What is asked for, and by whom.
#[derive(Debug)]
pub(super) struct ClientCredentials {
    pub(super) endpoint: Endpoint,
    pub(super) client_id: String,
    pub(super) client_secret: SecretString,
    /// How the client proves who it is; both are tried where absent.
    pub(super) authentication: Option<ClientAuthentication>,
    /// `scope`, `audience` and further fields.
    pub(super) fields: Vec<(String, SecretString)>,
    /// Whether the endpoint is known to want the secret in the body.
    pub(super) wants_body: AtomicBool,
}

/// The errors of RFC 6749, section 5.2, and RFC 8707, section 2.
const ERRORS: [&str; 7] = [
    "invalid_client",
    "invalid_grant",
    "invalid_request",
    "invalid_scope",
    "invalid_target",
    "unauthorized_client",
    "unsupported_grant_type",
];

/// A successful answer (section 5.1).
#[derive(Deserialize)]
struct Granted {
    access_token: SecretString,
    token_type: Option<String>,
    expires_in: Option<serde_json::Value>,
}

/// An error (section 5.2).
#[derive(Deserialize)]
struct Denied {
    error: String,
    error_description: Option<String>,
}

impl ClientCredentials {
    /// The value that proves the client by `Authorization`: both parts are encoded as in a form first
    /// (section 2.3.1).
    pub(super) fn basic(&self) -> SecretString {
        let encoded = |text: &str| -> Zeroizing<String> {
            Zeroizing::new(form_urlencoded::byte_serialize(text.as_bytes()).collect())
        };
        let pair = Zeroizing::new(format!(
            "{}:{}",
            *encoded(&self.client_id),
            *encoded(self.client_secret.expose_secret())
        ));
        SecretString::from(format!("Basic {}", STANDARD.encode(pair.as_bytes())))
    }

    pub(super) async fn fetch(&self, client: &Client) -> Result<Live, Problem> {
        let first = self.authentication.unwrap_or({
            if self.wants_body.load(Ordering::Relaxed) {
                ClientAuthentication::Body
            } else {
                ClientAuthentication::Basic
            }
        });
        let first_problem = match self.ask(client, first).await {
            Ok(live) => return Ok(live),
            Err(problem) => problem,
        };
        if self.authentication.is_some()
            || first == ClientAuthentication::Body
            || !first_problem.is_unknown_client
        {
            return Err(first_problem);
        }
        // RFC 6749 has every endpoint take `Basic`; some take nothing but the body.
        match self.ask(client, ClientAuthentication::Body).await {
            Ok(live) => {
                self.wants_body.store(true, Ordering::Relaxed);
                Ok(live)
            }
            // It knew the client then, and has something else to say.
            Err(problem) if problem.is_final && !problem.is_unknown_client => Err(problem),
            Err(_) => Err(first_problem),
        }
    }

    async fn ask(
        &self,
        client: &Client,
        authentication: ClientAuthentication,
    ) -> Result<Live, Problem> {
        let sent = self.request(authentication);
        let mut url = self.endpoint.url.clone();
        for _ in 0..=HOPS {
            let answer = sent.post(client, &url).await?;
            match endpoint::redirect(&self.endpoint.url, &url, &answer) {
                // Others turn a POST into a GET, which no token endpoint answers.
                Some(next) if matches!(answer.status().as_u16(), 307 | 308) => url = next?,
                Some(_) => {
                    return Err(format!("it answered {}, a redirect", answer.status()).into());
                }
                None => {
                    let (status, headers) = (answer.status(), answer.headers().clone());
                    let body = endpoint::read(answer).await?;
                    return granted(status, &headers, &body);
                }
            }
        }
        Err("it redirects again and again".into())
    }

    fn request(&self, authentication: ClientAuthentication) -> Sent {
        let mut form = form_urlencoded::Serializer::new(String::with_capacity(8 << 10));
        form.append_pair("grant_type", "client_credentials");
        for (name, value) in &self.fields {
            form.append_pair(name, value.expose_secret());
        }
        let authorization = match authentication {
            ClientAuthentication::Basic => Some(self.basic()),
            ClientAuthentication::Body => {
                form.append_pair("client_id", &self.client_id);
                form.append_pair("client_secret", self.client_secret.expose_secret());
                None
            }
        };
        Sent {
            content_type: "application/x-www-form-urlencoded",
            body: Zeroizing::new(form.finish().into_bytes()),
            authorization,
        }
    }
}

/// The token of an answer.
fn granted(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Result<Live, Problem> {
    let denied = serde_json::from_slice::<Denied>(body).ok();
    let granted = serde_json::from_slice::<Granted>(body).ok();
    let Some(granted) = granted.filter(|_| status.is_success()) else {
        // Who does not say what is wrong may not have found the client.
        let code = denied.as_ref().map(|it| it.error.as_str());
        let is_unclear = matches!(status.as_u16(), 400 | 403)
            && !code.is_some_and(|code| ERRORS.contains(&code));
        let problem = match denied {
            Some(denied) => refused(status, &denied),
            None if serde_json::from_slice::<serde_json::Map<_, _>>(body).is_ok() => {
                format!("it answered {} without an `access_token`", status.as_u16()).into()
            }
            None => Problem::from(endpoint::not_json(status, headers)),
        };
        let problem = Problem {
            is_unknown_client: problem.is_unknown_client || is_unclear,
            ..problem
        };
        return Err(problem.of_answer(status, headers));
    };
    let token_type = granted.token_type.as_deref().unwrap_or("Bearer");
    if ["mac", "dpop", "pop"]
        .iter()
        .any(|it| token_type.eq_ignore_ascii_case(it))
    {
        let token_type = token_type.to_ascii_lowercase();
        return Err(format!("its tokens are of the type `{token_type}`, which needs a key").into());
    }
    let token = granted.access_token.expose_secret();
    endpoint::checked_token(token)?;
    Ok(Live {
        authorization: Some(SecretString::from(format!("Bearer {token}"))),
        cookies: Vec::new(),
        secrets: vec![granted.access_token.clone()],
        lifetime: lifetime(granted.expires_in.as_ref()),
    })
}

/// What a refusal says. Only codes of the standards are repeated where logs see them.
fn refused(status: StatusCode, denied: &Denied) -> Problem {
    let code = denied.error.as_str();
    let is_known = ERRORS.contains(&code);
    let description = denied.error_description.as_deref().unwrap_or_default();
    let said = [if is_known { "" } else { code }, description];
    let said = said.into_iter().filter(|it| !it.is_empty());
    let said: Vec<&str> = said.collect();
    let status = status.as_u16();
    let what = if is_known {
        format!("it answered {status} `{code}`")
    } else {
        format!("it answered {status}")
    };
    Problem {
        said: (!said.is_empty()).then(|| said.join(": ")),
        // Of a client that they do not find where they look, some say that the request is wrong.
        is_unknown_client: matches!(code, "invalid_client" | "invalid_request"),
        ..what.into()
    }
}

/// Seconds, as a number or as text; the usual where it is neither.
fn lifetime(expires_in: Option<&serde_json::Value>) -> Duration {
    let seconds = match expires_in {
        Some(serde_json::Value::Number(number)) => number.as_f64(),
        Some(serde_json::Value::String(text)) => text.trim().parse().ok(),
        _ => None,
    };
    match seconds {
        Some(seconds) if seconds > 0.0 => {
            Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
        }
        Some(seconds) if seconds <= 0.0 => Duration::ZERO,
        _ => USUAL_LIFE,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lifetimes_are_read_as_endpoints_write_them() {
        for (value, seconds) in [
            (json!(60), 60),
            (json!("60"), 60),
            (json!(60.5), 60),
            (json!(0), 0),
            (json!(-5), 0),
            (json!("soon"), 3600),
            (json!([1]), 3600),
            (json!("NaN"), 3600),
            (serde_json::Value::Null, 3600),
        ] {
            assert_eq!(lifetime(Some(&value)).as_secs(), seconds, "{value}");
        }
        assert_eq!(lifetime(Some(&json!(1e300))), Duration::MAX);
        assert_eq!(lifetime(None), USUAL_LIFE);
    }

    fn answered(status: u16, body: &str) -> Result<String, String> {
        let status = StatusCode::from_u16(status).unwrap();
        match granted(status, &HeaderMap::new(), body.as_bytes()) {
            Ok(live) => Ok(live.authorization.unwrap().expose_secret().to_owned()),
            Err(refusal) => {
                let said = refusal.said.map(|said| format!(" ({said})"));
                Err(format!("{}{}", refusal.what, said.unwrap_or_default()))
            }
        }
    }

    #[test]
    fn an_answer_is_a_token_or_says_why_not() {
        let token = |text: &str| Ok::<_, String>(text.to_owned());
        let error = |text: &str| Err::<String, _>(text.to_owned());
        for (status, body, expected) in [
            (
                200,
                r#"{"access_token":"a","token_type":"bearer"}"#,
                token("Bearer a"),
            ),
            (201, r#"{"access_token":"a"}"#, token("Bearer a")),
            (200, r#"{"access_token":"a","error":""}"#, token("Bearer a")),
            (
                401,
                r#"{"error":"invalid_client","error_description":"no\nsuch \u202eclient"}"#,
                error("it answered 401 `invalid_client` (no\nsuch \u{202e}client)"),
            ),
            (
                400,
                r#"{"error":"the secret is wrong"}"#,
                error("it answered 400 (the secret is wrong)"),
            ),
            (
                200,
                r#"{"token":"a"}"#,
                error("it answered 200 without an `access_token`"),
            ),
            (
                200,
                "<html>",
                error("it answered 200 without a JSON object"),
            ),
            (500, "", error("it answered 500 without a JSON object")),
            (
                403,
                r#"{"access_token":"a"}"#,
                error("it answered 403 without an `access_token`"),
            ),
            (
                200,
                r#"{"access_token":"a","token_type":"DPoP"}"#,
                error("its tokens are of the type `dpop`, which needs a key"),
            ),
            (
                200,
                r#"{"access_token":"a\r\nX: y"}"#,
                error("its token is empty or holds characters that no header holds"),
            ),
        ] {
            assert_eq!(answered(status, body), expected, "{status} {body}");
        }
    }
}
