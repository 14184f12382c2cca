//! The calls of one execution.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use indexmap::IndexMap;
use reqwest::StatusCode;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tracing::{Instrument as _, Span};

use super::exchange::{Answer, Exchange, goes_on};
use super::following;
use super::http::{self, Plain};
use super::names::{is_shown_header, quoted};
use super::outgoing::Parts;
use super::recording::{self, Recording};
use super::server::{Link, Server};
use super::{Broker, Redactor, Scope};
use crate::api::{Function, essence};
use crate::sandbox::{
    Call, CallError, Host, HttpPiece, HttpRequest, HttpResponse, Page, PageCall, Reply, Stream,
};
use crate::vault;
use crate::wire::{self, Streamed, Value};

/// Bytes of an answer that take long enough to read to be read elsewhere.
const LARGE: usize = 64 << 10;

/// What one execution may call, and how much of it is left.
pub(super) struct Execution {
    broker: Arc<Broker>,
    scope: Scope,
    calls: AtomicUsize,
    /// Calls refused without a record of their own.
    unrecorded: AtomicUsize,
    slots: Semaphore,
    http: Plain,
    /// That of the whole execution.
    span: Span,
}

impl Execution {
    pub(super) fn new(broker: Arc<Broker>, scope: Scope) -> Self {
        let slots = Semaphore::new(broker.limits.max_concurrent_calls.clamp(1, 1024));
        Self {
            http: Plain::new(&broker.limits),
            broker,
            scope,
            calls: AtomicUsize::new(0),
            unrecorded: AtomicUsize::new(0),
            slots,
            span: Span::current(),
        }
    }

    /// One call, its record under way.
    async fn make(&self, asked: &PageCall, recording: &mut Recording) -> Result<Reply, CallError> {
        let Call {
            server: server_name,
            function: function_name,
            ..
        } = &asked.call;
        self.count(recording)?;
        let (server, function) = self.allowed(server_name, function_name)?;
        let _slot = self
            .slots
            .acquire()
            .await
            .map_err(|_| CallError::Internal {
                message: "the execution has ended".into(),
            })?;
        let limits = &self.broker.limits;
        let timeout = server.target.config.timeout.unwrap_or(limits.call_timeout);
        // A stream that has no end must not run into the time limit, which would lose all of it.
        let end = Instant::now() + timeout.mul_f64(0.9);
        let answer = tokio::time::timeout(timeout, self.send(server, function, asked, end))
            .await
            .map_err(|_| CallError::Network {
                message: format!(
                    "`{server_name}` gave no answer within {} s",
                    timeout.as_secs_f64()
                ),
            })??;
        recording.answered(answer.status.as_u16());
        self.conclude(function, answer).await
    }

    /// Counts a call, if the execution may make another one.
    fn count(&self, recording: &mut Recording) -> Result<(), CallError> {
        let limit = self.broker.limits.max_calls;
        let before = self.calls.fetch_add(1, Ordering::Relaxed);
        if before >= limit {
            // Code that goes on all the same may not fill the audit with its attempts.
            if before >= limit.saturating_mul(2) {
                recording.forget();
                self.unrecorded.fetch_add(1, Ordering::Relaxed);
            }
            return Err(CallError::Limit {
                message: format!(
                    "an execution may make {limit} calls (`MCE_MAX_CALLS`); combine or page \
                     with fewer"
                ),
            });
        }
        Ok(())
    }

    /// The function, if this execution may call it.
    fn allowed(&self, server: &str, function: &str) -> Result<(&Server, &Function), CallError> {
        let refuse = |message: String| CallError::Egress { message };
        let rules = self.broker.rules;
        if rules.import && !self.scope.servers.contains(server) {
            return Err(refuse(format!(
                "the code does not import the server `{}`; add `from {}.functions import …`",
                quoted(server),
                quoted(server)
            )));
        }
        let Some(found) = self.broker.servers.get(server) else {
            return Err(refuse(format!("there is no server `{}`", quoted(server))));
        };
        let Some(function) = found.target.manifest.function(function) else {
            return Err(refuse(format!(
                "`{}` is not a compiled function of the server `{server}`",
                quoted(function)
            )));
        };
        if rules.read_only && found.refuses_to_change(function) {
            return Err(refuse(format!(
                "{}() is refused: the server `{server}` is read-only, and {} may change state",
                function.name, function.method
            )));
        }
        Ok((found, function))
    }

    async fn send(
        &self,
        server: &Server,
        function: &Function,
        asked: &PageCall,
        end: Instant,
    ) -> Result<Answer, CallError> {
        let Call {
            arguments,
            content_type,
            ..
        } = &asked.call;
        let broker = &*self.broker;
        let manifest = &*server.target.manifest;
        let Link { base, connections } =
            server.link.as_ref().map_err(|problem| CallError::Egress {
                message: problem.clone(),
            })?;
        let base = base
            .of_function(function)
            .map_err(|message| CallError::Egress { message })?;
        let base = &*base;
        let request = wire::encode(
            function,
            &manifest.types,
            arguments,
            content_type.as_deref(),
        )
        .map_err(|error| CallError::Argument {
            message: error.to_string(),
        });
        let extra_headers = broker
            .vault
            .extra_headers(&manifest.server)
            .map_err(|error| refusal(&broker.redactor(), &error))?;
        let exchange = Exchange {
            connections,
            base,
            routes: &server.routes,
            throttle: &server.throttle,
            template: &function.path,
            limits: &broker.limits,
            end,
        };
        let mut was_renewed = false;
        loop {
            let fetching = broker.vault.credentials(manifest, function);
            let credentials = tokio::time::timeout_at(end, fetching)
                .await
                .map_err(|_| CallError::Network {
                    message: format!(
                        "server `{}`: its token or log-in endpoint gave no answer in time",
                        manifest.server
                    ),
                })?
                .map_err(|error| refusal(&broker.redactor(), &error))?;
            let parts = Parts {
                base,
                routes: &server.routes,
                manifest,
                function,
                arguments,
                credentials: &credentials,
                extra_headers,
            };
            parts.check_keys()?;
            let request = request.clone()?;
            let request = match &asked.url {
                Some(url) => parts.followed(request, url)?,
                None => request,
            };
            let outgoing = parts.assemble(request)?;
            let limit = broker.limits.max_request_bytes;
            if outgoing.size() > limit {
                return Err(CallError::Limit {
                    message: format!(
                        "{}(): the request is larger than {limit} bytes (`MCE_MAX_REQUEST_BYTES`)",
                        function.name
                    ),
                });
            }
            let answer = exchange.send(outgoing).await?;
            // What a token lets nobody do, the server has not done.
            if answer.status == StatusCode::UNAUTHORIZED
                && !was_renewed
                && broker.vault.renew(&manifest.server, &credentials)
            {
                was_renewed = true;
                continue;
            }
            return Ok(Answer {
                was_anonymous: credentials.is_empty() && extra_headers.is_empty(),
                ..answer
            });
        }
    }

    /// What the sandbox gets of an answer. A large one is read beside the threads that wait for
    /// others, so that it holds up neither other calls nor a time limit.
    async fn conclude(&self, function: &Function, answer: Answer) -> Result<Reply, CallError> {
        if answer.body.len() < LARGE {
            return conclusion(&self.broker.redactor(), function, &answer);
        }
        let (broker, function) = (Arc::clone(&self.broker), function.clone());
        tokio::task::spawn_blocking(move || conclusion(&broker.redactor(), &function, &answer))
            .await
            .unwrap_or_else(|_| {
                Err(CallError::Internal {
                    message: "the answer could not be read".into(),
                })
            })
    }
}

/// What the sandbox gets of an answer: its value or error, without secrets.
fn conclusion(
    redactor: &Redactor,
    function: &Function,
    answer: &Answer,
) -> Result<Reply, CallError> {
    let content_type = answer
        .headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let status = answer.status.as_u16();
    let streamed = Streamed::of(&function.method, status, content_type);
    let mut is_cut = false;
    let decoded = match (streamed, content_type) {
        (Some(kind), Some(content_type)) => {
            let decoded = wire::decode_stream(function, status, content_type, &answer.body, kind);
            decoded.map(|(value, more)| {
                is_cut = more;
                value
            })
        }
        _ => wire::decode(function, status, content_type, &answer.body),
    };
    let (message, body) = match decoded {
        Ok(mut value) if answer.status.is_success() => {
            redactor.value(&mut value);
            let cut = answer
                .cut
                .clone()
                .or_else(|| is_cut.then(|| goes_on("as many values as the host keeps at once")));
            let cut = cut.map(|cut| redacted(redactor, cut));
            let stream = streamed.map(|kind| Stream { kind, cut });
            let next = following::next_of(function, &answer.headers);
            let next = next.map(|url| redactor.text(&url).into_owned());
            return Ok(Reply {
                value,
                stream,
                next,
            });
        }
        Err(error) if answer.status.is_success() => (
            format!("{status}, but the answer cannot be read: {error}"),
            readable(answer),
        ),
        decoded => {
            let mut body = decoded.unwrap_or_else(|_| readable(answer));
            // Before the message is cut out of it: half a secret is not found any more.
            redactor.value(&mut body);
            let message = match answer.not_followed {
                Some(why) => format!("{}: the redirect was not followed: {why}", answer.status),
                None if answer.was_anonymous && matches!(status, 401 | 403) => format!(
                    "{}; no credential was attached: the config has no `auth` that fits this operation",
                    error_message(status, content_type, &body)
                ),
                None => error_message(status, content_type, &body),
            };
            (message, body)
        }
    };
    let error = CallError::Api {
        status,
        message,
        body,
        headers: shown(redactor, &answer.headers),
    };
    Err(redacted(redactor, error))
}

#[async_trait]
impl Host for Execution {
    async fn perform(&self, call: Call) -> Result<Reply, CallError> {
        self.recorded(PageCall { call, url: None }).await
    }

    async fn page(&self, asked: PageCall) -> Result<Page, CallError> {
        let Reply {
            value,
            next,
            stream,
        } = self.recorded(asked).await?;
        // A page is a list: nothing in it could tell that it is less than the whole.
        match stream.and_then(|stream| stream.cut) {
            Some(cut) => Err(cut),
            None => Ok(Page { value, next }),
        }
    }

    async fn http(&self, request: HttpRequest) -> Result<HttpResponse, CallError> {
        let recorder = Arc::clone(&self.broker.recorder);
        let name = http::name_of(&request);
        let mut recording =
            Recording::start(recorder, &self.scope, http::SERVER, &name, &self.span);
        let result = match self.count(&mut recording) {
            Ok(()) => {
                let broker = &*self.broker;
                let sending = self.http.send(request, &broker.http, broker);
                sending.instrument(recording.span()).await
            }
            Err(error) => Err(error),
        };
        let result = result.map_err(|error| redacted(&self.broker.redactor(), error));
        if let Ok(response) = &result {
            recording.answered(response.status);
        }
        recording.ended(result.as_ref().err());
        result
    }

    async fn http_more(&self, stream: u64, read: Option<Duration>) -> Result<HttpPiece, CallError> {
        let piece = self
            .http
            .more(stream, read, &self.broker.http, &|| self.broker.redactor())
            .await;
        piece.map_err(|error| redacted(&self.broker.redactor(), error))
    }

    fn http_close(&self, stream: u64) {
        self.http.close(stream);
    }
}

impl Execution {
    /// A call and its record.
    async fn recorded(&self, asked: PageCall) -> Result<Reply, CallError> {
        let recorder = Arc::clone(&self.broker.recorder);
        let Call {
            server, function, ..
        } = &asked.call;
        let mut recording = Recording::start(recorder, &self.scope, server, function, &self.span);
        let span = recording.span();
        let result = self.make(&asked, &mut recording).instrument(span).await;
        let result = match result {
            // These were freed of secrets when the answer was read.
            Ok(_) | Err(CallError::Api { .. }) => result,
            Err(error) => Err(redacted(&self.broker.redactor(), error)),
        };
        recording.ended(result.as_ref().err());
        result
    }
}

impl Drop for Execution {
    /// One record for all the calls that got none.
    fn drop(&mut self) {
        let unrecorded = *self.unrecorded.get_mut();
        if unrecorded > 0 {
            self.broker
                .recorder
                .record(recording::further(&self.scope, unrecorded));
        }
    }
}

/// Why there is no credential: what is wrong with the config refuses the call, what is wrong with an
/// endpoint leaves it unanswered.
fn refusal(redactor: &Redactor, error: &vault::Error) -> CallError {
    let message = error.told(|said| redactor.text(said).into_owned());
    match error {
        vault::Error::Fetch { .. } => CallError::Network { message },
        _ => CallError::Egress { message },
    }
}

/// A body that could not be decoded, as text if it is any.
fn readable(answer: &Answer) -> Value {
    match std::str::from_utf8(&answer.body) {
        Ok(text) => Value::String(text.to_owned()),
        Err(_) => Value::Bytes(answer.body.clone()),
    }
}

/// The line for an error status, out of its body as the sandbox gets it.
fn error_message(status: u16, content_type: Option<&str>, body: &Value) -> String {
    match body {
        Value::String(text) => {
            // Decoded, so that its charset says nothing any more.
            let essence = content_type.map(essence);
            wire::error_message(status, essence.as_deref(), text.as_bytes())
        }
        Value::Bytes(bytes) => wire::error_message(status, content_type, bytes),
        other => {
            let text = other.clone().into_json().to_string();
            wire::error_message(status, Some("application/json"), text.as_bytes())
        }
    }
}

/// The headers that code may see, without secrets, several of a name joined.
fn shown(redactor: &Redactor, headers: &HeaderMap) -> IndexMap<String, String> {
    let mut shown = IndexMap::new();
    for name in headers.keys().filter(|name| is_shown_header(name.as_str())) {
        let values: Vec<_> = headers
            .get_all(name)
            .iter()
            .map(|value| {
                let value = String::from_utf8_lossy(value.as_bytes());
                // A short secret is found as the whole of a value only.
                redactor.text(&value).into_owned()
            })
            .collect();
        shown.insert(name.as_str().to_owned(), values.join(", "));
    }
    shown
}

/// Why a call has no value, without secrets.
fn redacted(redactor: &Redactor, mut error: CallError) -> CallError {
    let clean = |text: &mut String| *text = redactor.text(text).into_owned();
    match &mut error {
        CallError::Api {
            message,
            body,
            headers,
            ..
        } => {
            clean(message);
            redactor.value(body);
            headers.values_mut().for_each(clean);
        }
        CallError::Argument { message }
        | CallError::Network { message }
        | CallError::Http { message, .. }
        | CallError::Egress { message }
        | CallError::Limit { message }
        | CallError::Internal { message } => clean(message),
    }
    error
}
