//! Answers of which the code reads one piece after the other. What it does not ask for is not read, so
//! that an answer without end is as good as any.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::BytesMut;
use reqwest::header::{HeaderMap, HeaderName};
use reqwest::{Response, Version};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::Instant;

use super::super::body::{Body, BodyError, Coding, ENCODED};
use super::super::limits::Limits;
use super::super::{Redactor, Scrubber};
use super::failure::broke_off;
use crate::headers::is_forbidden_header;
use crate::sandbox::{CallError, HttpFailure, HttpPiece, HttpResponse};

/// A piece is handed over when it has so many bytes, if not before.
const PIECE: usize = 256 << 10;
/// How long the body of a short answer is waited for, so that it goes along with the head.
const WITH_THE_HEAD: Duration = Duration::from_millis(10);
/// How long a piece that has something waits for more.
const TOGETHER: Duration = Duration::from_millis(2);

/// Numbers that are remembered though nothing of them is known yet.
const MOST_CLOSED: usize = 1_024;

/// The answers under way, by the code's numbers.
#[derive(Debug, Default)]
pub(super) struct Streams(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    open: HashMap<u64, Arc<Stream>>,
    /// Closed before their requests arrived: those wait their turn, and closing does not.
    closed: HashSet<u64>,
}

#[derive(Debug)]
struct Stream {
    closed: watch::Sender<bool>,
    reading: tokio::sync::Mutex<Option<Reading>>,
}

/// That code asked for an answer which it then wanted no more.
pub(super) fn closed() -> CallError {
    HttpFailure::Read.because("the answer was closed")
}

fn held(known: &Mutex<Known>) -> MutexGuard<'_, Known> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Streams {
    /// Takes a number for an answer that is to come.
    pub(super) fn begin(&self, number: u64) -> Result<Opening, CallError> {
        let mut known = held(&self.0);
        if known.closed.remove(&number) {
            return Err(closed());
        }
        if known.open.contains_key(&number) {
            return Err(HttpFailure::LocalProtocol
                .because(format!("there is an answer of the number {number} already")));
        }
        let stream = Arc::new(Stream {
            closed: watch::Sender::new(false),
            reading: tokio::sync::Mutex::new(None),
        });
        known.open.insert(number, Arc::clone(&stream));
        Ok(Opening {
            known: Arc::clone(&self.0),
            number,
            stream,
            is_kept: false,
        })
    }

    /// The next piece of an answer.
    pub(super) async fn more(
        &self,
        number: u64,
        wait: Duration,
        redactor: &(dyn Fn() -> Redactor + Sync),
    ) -> Result<HttpPiece, CallError> {
        let stream = held(&self.0).open.get(&number).cloned();
        let stream = stream.ok_or_else(|| HttpFailure::Read.because("there is no such answer"))?;
        let Ok(mut reading) = stream.reading.try_lock() else {
            return Err(
                HttpFailure::LocalProtocol.because("a piece of the answer is waited for already")
            );
        };
        let Some(answer) = reading.as_mut() else {
            return Err(HttpFailure::Read.because("the answer has not begun"));
        };
        let piece = stream
            .unless_closed(answer.piece(Instant::now() + wait, redactor))
            .await
            .ok_or_else(closed)
            .and_then(|piece| match piece {
                Ok(Some(piece)) => Ok(piece),
                Ok(None) => Err(HttpFailure::ReadTimeout.because(format!(
                    "no more of the answer within {:.1} s",
                    wait.as_secs_f64()
                ))),
                Err(error) => Err(error),
            });
        if !piece.as_ref().is_ok_and(|piece| piece.more) {
            held(&self.0).open.remove(&number);
        }
        piece
    }

    /// Ends an answer, or the wait for it.
    pub(super) fn close(&self, number: u64) {
        let mut known = held(&self.0);
        match known.open.remove(&number) {
            Some(stream) => {
                stream.closed.send_replace(true);
            }
            None if known.closed.len() < MOST_CLOSED => {
                known.closed.insert(number);
            }
            None => {}
        }
    }
}

impl Stream {
    /// What comes of a future, unless the stream is closed first.
    async fn unless_closed<T>(&self, waiting: impl Future<Output = T>) -> Option<T> {
        let mut closed = self.closed.subscribe();
        tokio::select! {
            biased;
            _ = closed.wait_for(|closed| *closed) => None,
            value = waiting => Some(value),
        }
    }
}

/// A number of an answer that has not begun. It is free again when this is dropped.
pub(super) struct Opening {
    known: Arc<Mutex<Known>>,
    number: u64,
    stream: Arc<Stream>,
    is_kept: bool,
}

impl Opening {
    pub(super) async fn unless_closed<T>(&self, waiting: impl Future<Output = T>) -> Option<T> {
        self.stream.unless_closed(waiting).await
    }

    /// The answer goes on; or it was short, and none is left.
    pub(super) fn keep(mut self, reading: Option<Reading>) {
        if reading.is_some()
            && let Ok(mut place) = self.stream.reading.try_lock()
        {
            *place = reading;
            self.is_kept = true;
        }
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        if !self.is_kept {
            held(&self.known).open.remove(&self.number);
        }
    }
}

/// A body that is being read.
pub(super) struct Reading {
    body: Body,
    scrubber: Scrubber,
    /// Bytes that may still come.
    left: usize,
    limit: usize,
    /// Why there will be no more, told when all that came before was handed over.
    failed: Option<CallError>,
    _place: OwnedSemaphorePermit,
}

impl std::fmt::Debug for Reading {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Reading(…)")
    }
}

impl Reading {
    /// The head and what came of the body with it; and the rest, if there is more.
    pub(super) async fn begin(
        mut response: Response,
        limits: &Limits,
        redactor: &(dyn Fn() -> Redactor + Sync),
        place: OwnedSemaphorePermit,
    ) -> (HttpResponse, Option<Self>) {
        let status = response.status().as_u16();
        let version = version_of(&response);
        let headers = std::mem::take(response.headers_mut());
        let limit = limits.max_response_bytes;
        let mut reading = Self {
            body: Body::of(response, &headers),
            scrubber: redactor().stream(),
            left: limit,
            limit,
            failed: None,
            _place: place,
        };
        let piece = match reading
            .piece(Instant::now() + WITH_THE_HEAD, redactor)
            .await
        {
            Ok(Some(piece)) => piece,
            Ok(None) => HttpPiece::to_come(),
            // The head is there; what happened then is told to who reads on.
            Err(error) => {
                reading.failed = Some(error);
                HttpPiece::to_come()
            }
        };
        let rest = piece.more.then_some(reading);
        let response = HttpResponse {
            status,
            version,
            headers: shown(&headers, &redactor()),
            piece,
        };
        (response, rest)
    }

    /// The next piece; none where nothing came in time.
    async fn piece(
        &mut self,
        until: Instant,
        redactor: &(dyn Fn() -> Redactor + Sync),
    ) -> Result<Option<HttpPiece>, CallError> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let mut bytes = BytesMut::new();
        let mut until = until;
        loop {
            let chunk = tokio::time::timeout_at(until, self.body.chunk()).await;
            // A secret may have been fetched meanwhile.
            self.scrubber.know(redactor());
            let more = match chunk {
                Ok(Ok(Some(chunk))) if chunk.len() <= self.left => {
                    self.left -= chunk.len();
                    let was_empty = bytes.is_empty();
                    bytes.extend_from_slice(&self.scrubber.push(&chunk));
                    if bytes.len() < PIECE {
                        if was_empty && !bytes.is_empty() {
                            until = until.min(Instant::now() + TOGETHER);
                        }
                        continue;
                    }
                    true
                }
                Ok(Ok(Some(_))) => {
                    self.left = 0;
                    self.failed = Some(CallError::Limit {
                        message: format!(
                            "the answer is larger than {} bytes (`MCE_MAX_RESPONSE_BYTES`)",
                            self.limit
                        ),
                    });
                    true
                }
                Ok(Ok(None)) => {
                    bytes.extend_from_slice(&self.scrubber.finish());
                    false
                }
                Ok(Err(error)) => {
                    self.left = 0;
                    self.failed = Some(unread(error));
                    true
                }
                Err(_) if bytes.is_empty() => return Ok(None),
                Err(_) => true,
            };
            if bytes.is_empty()
                && let Some(error) = self.failed.take()
            {
                return Err(error);
            }
            return Ok(Some(HttpPiece {
                bytes: bytes.freeze(),
                more,
            }));
        }
    }
}

/// Why there is no more of a body.
fn unread(error: BodyError) -> CallError {
    match error {
        BodyError::Client(error) => broke_off(&error),
        BodyError::Data(text) => {
            HttpFailure::Decoding.because(format!("the body cannot be decompressed: {text}"))
        }
        BodyError::Encoded => HttpFailure::Decoding.because(ENCODED),
    }
}

fn version_of(response: &Response) -> &'static str {
    match response.version() {
        Version::HTTP_09 => "HTTP/0.9",
        Version::HTTP_10 => "HTTP/1.0",
        Version::HTTP_2 => "HTTP/2",
        Version::HTTP_3 => "HTTP/3",
        _ => "HTTP/1.1",
    }
}

/// The headers that code gets: all but those of the connection, without secrets. The length is that
/// of what was sent, where nothing was compressed.
fn shown(headers: &HeaderMap, redactor: &Redactor) -> Vec<(String, String)> {
    let is_plain = Coding::of(headers) == Coding::Plain;
    let is_of_connection = |name: &HeaderName| match name.as_str() {
        "content-encoding" => true,
        "content-length" => !is_plain,
        name => is_forbidden_header(name),
    };
    headers
        .iter()
        .filter(|(name, _)| !is_of_connection(name))
        .map(|(name, value)| {
            let value = bytes::Bytes::copy_from_slice(value.as_bytes());
            let clean = redactor.bytes(&value);
            let name = redactor.text(name.as_str()).into_owned();
            (name, clean.iter().copied().map(char::from).collect())
        })
        .collect()
}
