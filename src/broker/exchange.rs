//! Sends a request and reads the answer, within the limits and without leaving the origin.

use bytes::{Bytes, BytesMut};
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::{Method, Response, StatusCode};
use secrecy::ExposeSecret as _;
use tokio::time::Instant;
use url::Url;

use super::base::Base;
use super::body::{Body, BodyError, ENCODED};
use super::limits::Limits;
use super::outgoing::Outgoing;
use super::retry::Retries;
use super::routes::Routes;
use super::throttle::Throttle;
use crate::api::essence;
use crate::connect::{Connections, Failure, Unknown};
use crate::sandbox::CallError;
use crate::wire::Streamed;

/// How many redirects are followed.
const HOPS: usize = 5;

/// What came back: status, headers, and the whole body, decompressed.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    /// Why a redirect was not followed.
    pub(super) not_followed: Option<&'static str>,
    /// Why the answer, a stream, was not read to its end.
    pub(super) cut: Option<CallError>,
    /// Whether the request went without credential and without extra header.
    pub(super) was_anonymous: bool,
}

/// What a request of an operation is sent by and bounded by.
pub(super) struct Exchange<'a> {
    pub(super) connections: &'a Connections,
    pub(super) base: &'a Base,
    pub(super) routes: &'a Routes,
    pub(super) throttle: &'a Throttle,
    /// The operation's path template.
    pub(super) template: &'a str,
    pub(super) limits: &'a Limits,
    /// When a stream is not read any further, and nothing is sent once more.
    pub(super) end: Instant,
}

impl Exchange<'_> {
    /// Sends a request and follows redirects that stay within the operation: same origin, below the
    /// base URL, `GET` or `HEAD`, a path of the same operation.
    pub(super) async fn send(&self, outgoing: Outgoing) -> Result<Answer, CallError> {
        let Self {
            connections,
            base,
            routes,
            template,
            end,
            ..
        } = *self;
        check_proxied(connections, base).await?;
        let client = connections.client().map_err(|message| CallError::Egress {
            message: base.no_client(message),
        })?;
        let Outgoing {
            method,
            mut url,
            headers,
            body,
            secret_query,
        } = outgoing;
        let mut retries = Retries::new(&method, end);
        let mut hops = 0;
        loop {
            let turn = tokio::time::timeout_at(end, self.throttle.turn())
                .await
                .map_err(|_| CallError::Limit {
                    message: base.no_turn(),
                })?;
            let mut request = client
                .request(method.clone(), url.clone())
                .headers(headers.clone());
            if let Some(body) = &body {
                request = request.body(body.clone());
            } else if [Method::POST, Method::PUT, Method::PATCH].contains(&method) {
                // RFC 9110, section 8.6: some servers answer 411 where a method that gives a body a
                // meaning has none and does not say so.
                request = request.header(CONTENT_LENGTH, 0);
            }
            let sent = request.send().await;
            let again = match &sent {
                Ok(response) => retries.after_answer(response.status(), response.headers()),
                Err(error) => retries.after_failure(&Failure::of(error)),
            };
            if let Some(wait) = again {
                drop((sent, turn));
                tokio::time::sleep(wait).await;
                continue;
            }
            let response = sent.map_err(|error| network(&error, base))?;
            let status = response.status();
            let mut not_followed = None;
            if is_redirect(status)
                && let Some(location) = response.headers().get(LOCATION)
            {
                let next = location
                    .to_str()
                    .ok()
                    .and_then(|location| url.join(location).ok());
                match next.ok_or("its target is not a URL").and_then(|next| {
                    if hops == HOPS {
                        return Err("there were too many");
                    }
                    follow(&method, next, base, routes, template)
                }) {
                    Ok(mut next) => {
                        for item in &secret_query {
                            add_query(&mut next, item.expose_secret());
                        }
                        url = next;
                        hops += 1;
                        continue;
                    }
                    Err(why) => not_followed = Some(why),
                }
            }
            let body = self.body(&method, response).await?;
            return Ok(Answer {
                not_followed,
                ..body
            });
        }
    }

    /// Reads an answer to its end, or of a stream what comes in time.
    async fn body(&self, method: &Method, mut response: Response) -> Result<Answer, CallError> {
        let status = response.status();
        let headers = std::mem::take(response.headers_mut());
        let content_type = headers
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok());
        let is_stream = Streamed::of(method.as_str(), status.as_u16(), content_type).is_some();
        let announced = response.content_length();
        let body = Body::of(response, &headers);
        let (body, cut) = if is_stream {
            // Items of a sequence begin with a mark; others end with a line.
            let is_marked = content_type.is_some_and(|it| essence(it) == "application/json-seq");
            read_stream(body, self.base, is_marked, self.limits, self.end).await
        } else {
            let limit = self.limits.max_response_bytes;
            let body = read(body, announced, self.base, limit).await?;
            (body, None)
        };
        Ok(Answer {
            status,
            headers,
            body,
            not_followed: None,
            cut,
            was_anonymous: false,
        })
    }
}

fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// The URL to go to, or why not.
fn follow(
    method: &Method,
    mut next: Url,
    base: &Base,
    routes: &Routes,
    template: &str,
) -> Result<Url, &'static str> {
    if !matches!(*method, Method::GET | Method::HEAD) {
        return Err("only those of `GET` and `HEAD` are");
    }
    next.set_fragment(None);
    let Some(path) = base.below(&next) else {
        return Err("it leads away from the server's base URL");
    };
    // Frameworks redirect between `/a` and `/a/`.
    let other = path
        .strip_suffix('/')
        .map_or_else(|| format!("{path}/"), str::to_owned);
    let query: Vec<String> = next
        .query()
        .into_iter()
        .flat_map(|it| it.split('&'))
        .map(str::to_owned)
        .collect();
    let prefix = &base.route_prefix;
    let template = format!("{prefix}{template}");
    let reaches_it = |path: &str| {
        let path = format!("{prefix}{path}");
        routes.check(&path, &query, &template).is_ok()
    };
    if !reaches_it(path) && !reaches_it(&other) {
        return Err("it leads to something other than the operation that was called");
    }
    Ok(next)
}

/// Appends a query item unless an item of its name is there.
fn add_query(url: &mut Url, item: &str) {
    let name = item.split('=').next().unwrap_or(item);
    let query = url.query().unwrap_or_default();
    let known = query
        .split('&')
        .any(|known| known.split('=').next() == Some(name));
    if !known {
        let separator = if query.is_empty() { "" } else { "&" };
        let query = format!("{query}{separator}{item}");
        url.set_query(Some(&query));
    }
}

/// Reads a stream to its end, up to the limits, and says why not to its end. What arrived whole by
/// then counts, whatever comes next.
async fn read_stream(
    mut chunks: Body,
    base: &Base,
    is_marked: bool,
    limits: &Limits,
    end: Instant,
) -> (Bytes, Option<CallError>) {
    let begun = Instant::now();
    let deadline = end.min(begun + limits.stream_time);
    let limit = limits.max_response_bytes;
    let mut body = BytesMut::new();
    let cut = loop {
        match tokio::time::timeout_at(deadline, chunks.chunk()).await {
            Ok(Ok(Some(chunk))) if body.len() + chunk.len() <= limit => {
                body.extend_from_slice(&chunk);
            }
            Ok(Ok(None)) => return (body.freeze(), None),
            Ok(Ok(Some(_))) => {
                break goes_on(&format!("{limit} bytes of it (`MCE_MAX_RESPONSE_BYTES`)"));
            }
            Ok(Err(error)) => {
                break match unread(error, base) {
                    CallError::Network { message } => CallError::Network {
                        message: format!("the stream broke off: {message}"),
                    },
                    other => other,
                };
            }
            Err(_) => {
                let setting = if deadline < end {
                    "`MCE_STREAM_SECONDS`"
                } else {
                    "nine tenths of the call's timeout"
                };
                let seconds = begun.elapsed().as_secs_f64();
                break goes_on(&format!("{seconds:.1} s of it ({setting})"));
            }
        }
    };
    // What is left of a line may be half an item.
    let whole = body.iter().rposition(|byte| match byte {
        0x1e => is_marked,
        b'\n' | b'\r' => !is_marked,
        _ => false,
    });
    body.truncate(whole.map_or(0, |end| end + 1));
    (body.freeze(), Some(cut))
}

/// That a stream has more than is kept.
pub(super) fn goes_on(most: &str) -> CallError {
    CallError::Limit {
        message: format!("the stream goes on, but the host takes only {most}"),
    }
}

/// Reads a body up to a limit, counted after decompression, so that a small answer cannot
/// unfold into a large one.
async fn read(
    mut chunks: Body,
    announced: Option<u64>,
    base: &Base,
    limit: usize,
) -> Result<Bytes, CallError> {
    let too_large = || CallError::Network {
        message: format!("the answer is larger than {limit} bytes"),
    };
    if usize::try_from(announced.unwrap_or(0)).map_or(true, |announced| announced > limit) {
        return Err(too_large());
    }
    let mut body = BytesMut::new();
    while let Some(chunk) = chunks.chunk().await.map_err(|error| unread(error, base))? {
        if body.len() + chunk.len() > limit {
            return Err(too_large());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

/// Words why there is no more of a body.
fn unread(error: BodyError, base: &Base) -> CallError {
    let message = match error {
        BodyError::Client(error) => return network(&error, base),
        BodyError::Data(text) => Failure::Broken(text).to_string(),
        BodyError::Encoded => ENCODED.to_owned(),
    };
    CallError::Network { message }
}

/// What a name leads to, judged before a proxy is asked to look it up.
async fn check_proxied(connections: &Connections, base: &Base) -> Result<(), CallError> {
    let refuse = |message: String| CallError::Egress { message };
    match connections.check_proxied(base.url_host()).await {
        Ok(()) => Ok(()),
        Err(Unknown::Refused(refused)) => Err(refuse(base.refusal(&refused))),
        Err(Unknown::Nowhere) => Err(refuse(format!(
            "`{}` cannot be looked up here, so that nobody knows where the proxy would connect to; \
             set `allow_private_network: true` for this server in swaggers.yaml to let the proxy \
             decide",
            base.host()
        ))),
    }
}

/// Words a failure without the URL, which may hold a credential.
fn network(error: &reqwest::Error, base: &Base) -> CallError {
    let message = match Failure::of(error) {
        Failure::Refused(refused) => {
            return CallError::Egress {
                message: base.refusal(&refused),
            };
        }
        Failure::Unreachable(cause) | Failure::Rejected(cause) => base.unreachable(&cause),
        late @ Failure::Late => base.unreachable(&late.to_string()),
        Failure::Other(cause) => base.unanswered(&cause),
        other => other.to_string(),
    };
    CallError::Network { message }
}
