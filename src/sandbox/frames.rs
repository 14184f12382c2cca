//! The stream between host and container: frames, the messages they carry, and nothing else. Pure.
//!
//! A frame is `length:u32 version:u8 kind:u8 flags:u8 message:u32 chunk`, numbers big-endian, the
//! length counting what follows it. Chunks of one message are joined until [`LAST`]; chunks of
//! several messages may alternate. A message is `length:u32 json segment…`, the JSON being
//! `{"message": …, "bytes": [[path, length], …]}`: each path leads to the place in the message
//! that holds the next segment as a byte string, so that no text can pass for bytes.
//!
//! `templates/runner.py` holds the other end. Whatever arrives was written by an adversary: every
//! length is checked before anything is kept, and an error ends one execution, never more.

use std::collections::HashMap;

use bytes::{Buf, BufMut, Bytes, BytesMut};

use crate::wire::{JsonError, Value, parse_json};

/// The version of the format.
pub const VERSION: u8 = 1;
/// The most a frame may carry.
pub const CHUNK: usize = 1 << 20;
/// The flag of a message's last chunk.
pub const LAST: u8 = 1;

const HEADER: usize = 11;
const HEADER_AFTER_LENGTH: usize = HEADER - 4;
/// What an unfinished message costs beside its bytes.
const COST: usize = 64;
/// The deepest value that is packed. What Python reads is bounded by its own parser.
const MAX_DEPTH: usize = 256;

/// What a frame is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// From the supervisor: what the container is like.
    Hello = 1,
    /// From the host: the code.
    Job = 2,
    /// From the code: a call of a compiled function, or a plain HTTP request.
    Call = 3,
    /// From the host: what came of the call, or of the piece asked for, of the same number.
    Answer = 4,
    /// From the supervisor: bytes the code wrote to stdout.
    Stdout = 5,
    /// From the supervisor: bytes the code wrote to stderr.
    Stderr = 6,
    /// From the code: its value, or the error it ended with.
    Result = 7,
    /// From the supervisor: the code has a result, or how its process ended without one.
    Ended = 8,
    /// From the supervisor: the code of a session ended, and its process waits for more.
    Paused = 9,
    /// From the code: a piece of the body of an answer that it asks for, or that it wants no more.
    Stream = 10,
}

impl Kind {
    fn from_byte(byte: u8) -> Option<Self> {
        Some(match byte {
            1 => Self::Hello,
            2 => Self::Job,
            3 => Self::Call,
            4 => Self::Answer,
            5 => Self::Stdout,
            6 => Self::Stderr,
            7 => Self::Result,
            8 => Self::Ended,
            9 => Self::Paused,
            10 => Self::Stream,
            _ => return None,
        })
    }
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// What it is about.
    pub kind: Kind,
    /// Whether the message ends here.
    pub last: bool,
    /// The message's number; a call and its answer share one.
    pub message: u32,
    /// The bytes.
    pub chunk: Bytes,
}

/// Why a stream or a message cannot be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// Another version of the format, or no frame at all.
    #[error("expected a frame of version {VERSION}, found version {found}")]
    Version {
        /// The byte in the place of the version.
        found: u8,
    },
    /// A kind or flag that does not exist.
    #[error("found a frame of unknown kind {kind} or flags {flags}")]
    Kind {
        /// The byte in the place of the kind.
        kind: u8,
        /// The byte in the place of the flags.
        flags: u8,
    },
    /// A length no frame can have.
    #[error("found a frame of {found} bytes; the most is {CHUNK} and a header")]
    Length {
        /// The length given.
        found: usize,
    },
    /// More unfinished messages, or longer ones, than are kept.
    #[error("unfinished messages hold more than {limit} bytes")]
    Budget {
        /// The bound.
        limit: usize,
    },
    /// A message that does not follow the format.
    #[error("a message is malformed: {0}")]
    Message(String),
    /// A message that holds more values than are kept.
    #[error("a message holds more than a million values")]
    TooMany,
    /// A value nested too deeply to be packed.
    #[error("a value is nested deeper than {MAX_DEPTH} levels")]
    Depth,
}

/// Cuts a stream of bytes into frames.
#[derive(Debug, Default)]
pub struct Decoder {
    buffer: BytesMut,
}

impl Decoder {
    /// Takes bytes as they came.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next complete frame.
    ///
    /// # Errors
    /// [`FrameError`] where the stream holds something else; it cannot be read any further.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, FrameError> {
        let mut header = self.buffer.as_ref();
        if header.len() < HEADER {
            return Ok(None);
        }
        let length = header.get_u32() as usize;
        let version = header.get_u8();
        let (kind, flags) = (header.get_u8(), header.get_u8());
        let message = header.get_u32();
        if version != VERSION {
            return Err(FrameError::Version { found: version });
        }
        let known = Kind::from_byte(kind).filter(|_| flags & !LAST == 0);
        let known = known.ok_or(FrameError::Kind { kind, flags })?;
        if !(HEADER_AFTER_LENGTH..=HEADER_AFTER_LENGTH + CHUNK).contains(&length) {
            return Err(FrameError::Length { found: length });
        }
        if self.buffer.len() < 4 + length {
            return Ok(None);
        }
        let mut frame = self.buffer.split_to(4 + length);
        Ok(Some(Frame {
            kind: known,
            last: flags & LAST != 0,
            message,
            chunk: frame.split_off(HEADER).freeze(),
        }))
    }
}

/// Joins the chunks of messages that travel side by side, within a bound on all of them.
#[derive(Debug)]
pub struct Assembler {
    limit: usize,
    /// The most that one message of a kind may hold.
    most: Option<(Kind, usize)>,
    held: usize,
    parts: HashMap<(Kind, u32), Part>,
}

/// The beginning of a message.
#[derive(Debug)]
enum Part {
    Kept(BytesMut),
    /// It outgrew its bound; what still comes is dropped.
    Dropped,
}

/// What a frame made of its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assembled {
    /// More frames are to come.
    Unfinished,
    /// It is complete.
    Whole(Bytes),
    /// It has ended, and was larger than one of its kind may be.
    TooLarge,
}

impl Assembler {
    /// An assembler that holds at most `limit` bytes of unfinished messages.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            most: None,
            held: 0,
            parts: HashMap::new(),
        }
    }

    /// The same with a bound on each message of one kind. One that is larger is not kept, and is
    /// no error of the stream.
    #[must_use]
    pub fn with_most(mut self, kind: Kind, bytes: usize) -> Self {
        self.most = Some((kind, bytes));
        self
    }

    /// Takes a frame.
    ///
    /// # Errors
    /// [`FrameError::Budget`] where the unfinished messages outgrow the bound.
    pub fn add(&mut self, frame: Frame) -> Result<Assembled, FrameError> {
        let key = (frame.kind, frame.message);
        let most = self.most_of(frame.kind);
        if frame.last && frame.chunk.len() <= most && !self.parts.contains_key(&key) {
            return Ok(Assembled::Whole(frame.chunk));
        }
        let held = match self.parts.get(&key) {
            Some(Part::Kept(part)) => part.len(),
            Some(Part::Dropped) => most,
            // A message costs something even while it is empty.
            None => {
                self.hold(COST)?;
                0
            }
        };
        if held.saturating_add(frame.chunk.len()) > most {
            if let Some(Part::Kept(part)) = self.parts.insert(key, Part::Dropped) {
                self.held = self.held.saturating_sub(part.len());
            }
        } else {
            self.hold(frame.chunk.len())?;
            let empty = || Part::Kept(BytesMut::new());
            if let Part::Kept(part) = self.parts.entry(key).or_insert_with(empty) {
                part.extend_from_slice(&frame.chunk);
            }
        }
        if !frame.last {
            return Ok(Assembled::Unfinished);
        }
        self.held = self.held.saturating_sub(COST);
        Ok(match self.parts.remove(&key) {
            Some(Part::Kept(part)) => {
                self.held = self.held.saturating_sub(part.len());
                Assembled::Whole(part.freeze())
            }
            Some(Part::Dropped) | None => Assembled::TooLarge,
        })
    }

    fn most_of(&self, kind: Kind) -> usize {
        self.most
            .filter(|(bounded, _)| *bounded == kind)
            .map_or(usize::MAX, |(_, most)| most)
    }

    fn hold(&mut self, bytes: usize) -> Result<(), FrameError> {
        if self.held.saturating_add(bytes) > self.limit {
            return Err(FrameError::Budget { limit: self.limit });
        }
        self.held += bytes;
        Ok(())
    }
}

/// Splits a message into frames.
pub fn frames(kind: Kind, message: u32, payload: &[u8]) -> impl Iterator<Item = Bytes> {
    let count = payload.len().div_ceil(CHUNK).max(1);
    (0..count).map(move |index| {
        let start = index * CHUNK;
        let end = payload.len().min(start + CHUNK);
        let chunk = payload.get(start..end).unwrap_or_default();
        let mut frame = BytesMut::with_capacity(HEADER + chunk.len());
        // A chunk is at most 1 MiB.
        frame.put_u32(u32::try_from(HEADER_AFTER_LENGTH + chunk.len()).unwrap_or(u32::MAX));
        frame.put_u8(VERSION);
        frame.put_u8(kind as u8);
        frame.put_u8(if index + 1 == count { LAST } else { 0 });
        frame.put_u32(message);
        frame.extend_from_slice(chunk);
        frame.freeze()
    })
}

#[derive(serde::Serialize)]
struct Head<'a> {
    message: serde_json::Value,
    bytes: Vec<(Vec<serde_json::Value>, usize)>,
    #[serde(skip)]
    segments: Vec<&'a Bytes>,
}

/// Packs a message.
///
/// # Errors
/// [`FrameError::Depth`] where the value is nested too deeply.
pub fn pack(value: &Value) -> Result<Vec<u8>, FrameError> {
    let mut head = Head {
        message: serde_json::Value::Null,
        bytes: Vec::new(),
        segments: Vec::new(),
    };
    let mut path = Vec::new();
    head.message = lower(value, &mut path, &mut head.bytes, &mut head.segments)?;
    let json = serde_json::to_vec(&head).map_err(|error| FrameError::Message(error.to_string()))?;
    let length = u32::try_from(json.len())
        .map_err(|_| FrameError::Message("its JSON is larger than 4 GiB".to_owned()))?;
    let segments: usize = head.segments.iter().map(|segment| segment.len()).sum();
    let mut packed = Vec::with_capacity(4 + json.len() + segments);
    packed.extend_from_slice(&length.to_be_bytes());
    packed.extend_from_slice(&json);
    for segment in head.segments {
        packed.extend_from_slice(segment);
    }
    Ok(packed)
}

/// The JSON of a value, null in the place of byte strings. Recursion is bounded by [`MAX_DEPTH`].
fn lower<'a>(
    value: &'a Value,
    path: &mut Vec<serde_json::Value>,
    places: &mut Vec<(Vec<serde_json::Value>, usize)>,
    segments: &mut Vec<&'a Bytes>,
) -> Result<serde_json::Value, FrameError> {
    if path.len() > MAX_DEPTH {
        return Err(FrameError::Depth);
    }
    Ok(match value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(value) => (*value).into(),
        Value::Number(value) => value.clone().into(),
        Value::String(value) => value.as_str().into(),
        Value::Bytes(value) => {
            places.push((path.clone(), value.len()));
            segments.push(value);
            serde_json::Value::Null
        }
        Value::Array(items) => {
            let mut lowered = Vec::with_capacity(items.len());
            for (index, item) in items.iter().enumerate() {
                path.push(index.into());
                lowered.push(lower(item, path, places, segments)?);
                path.pop();
            }
            lowered.into()
        }
        Value::Object(members) => {
            let mut lowered = serde_json::Map::with_capacity(members.len());
            for (key, item) in members {
                path.push(key.as_str().into());
                lowered.insert(key.clone(), lower(item, path, places, segments)?);
                path.pop();
            }
            lowered.into()
        }
    })
}

struct ReceivedHead {
    message: Value,
    bytes: Vec<Value>,
}

/// Unpacks a message.
///
/// # Errors
/// [`FrameError::Message`] where it does not follow the format.
pub fn unpack(payload: &Bytes) -> Result<Value, FrameError> {
    let (head, mut segments) = split(payload)?;
    let mut message = head.message;
    for place in &head.bytes {
        let (path, length) = place_and_length(place)
            .ok_or_else(|| malformed("the place of a byte string is none"))?;
        if segments.len() < length {
            return Err(malformed("its byte strings are shorter than it says"));
        }
        let place = find(&mut message, path)
            .filter(|place| **place == Value::Null)
            .ok_or_else(|| malformed("a byte string has no place"))?;
        *place = Value::Bytes(segments.split_to(length));
    }
    if segments.is_empty() {
        Ok(message)
    } else {
        Err(malformed("its byte strings are longer than it says"))
    }
}

/// Unpacks a message without byte strings into a type.
///
/// # Errors
/// [`FrameError::Message`] where it does not follow the format or the type.
pub fn unpack_json<T: serde::de::DeserializeOwned>(payload: &Bytes) -> Result<T, FrameError> {
    serde_json::from_value(unpack_plain(payload)?.into_json())
        .map_err(|error| FrameError::Message(error.to_string()))
}

/// Unpacks a message without byte strings.
///
/// # Errors
/// [`FrameError::Message`] where it does not follow the format.
pub fn unpack_plain(payload: &Bytes) -> Result<Value, FrameError> {
    let (head, segments) = split(payload)?;
    if segments.is_empty() && head.bytes.is_empty() {
        Ok(head.message)
    } else {
        Err(malformed("it holds byte strings where none can be"))
    }
}

fn split(payload: &Bytes) -> Result<(ReceivedHead, Bytes), FrameError> {
    let mut rest = payload.clone();
    if rest.len() < 4 {
        return Err(malformed("it is shorter than its own length"));
    }
    let length = rest.get_u32() as usize;
    if rest.len() < length {
        return Err(malformed("its JSON is shorter than it says"));
    }
    let json = rest.split_to(length);
    let head = parse_json(&json).map_err(|error| match error {
        JsonError::TooMany => FrameError::TooMany,
        error => FrameError::Message(error.to_string()),
    })?;
    let Value::Object(mut head) = head else {
        return Err(malformed("it is no object"));
    };
    match (
        head.shift_remove("message"),
        head.shift_remove("bytes"),
        head.is_empty(),
    ) {
        (Some(message), Some(Value::Array(bytes)), true) => {
            Ok((ReceivedHead { message, bytes }, rest))
        }
        _ => Err(malformed("it has other members than `message` and `bytes`")),
    }
}

/// `[path, length]`.
fn place_and_length(place: &Value) -> Option<(&[Value], usize)> {
    match place {
        Value::Array(pair) => match pair.as_slice() {
            [Value::Array(path), Value::Number(length)] => {
                Some((path, usize::try_from(length.as_u64()?).ok()?))
            }
            _ => None,
        },
        _ => None,
    }
}

fn malformed(what: &str) -> FrameError {
    FrameError::Message(what.to_owned())
}

fn find<'a>(message: &'a mut Value, path: &[Value]) -> Option<&'a mut Value> {
    path.iter()
        .try_fold(message, |place, step| match (place, step) {
            (Value::Array(items), Value::Number(index)) => {
                items.get_mut(usize::try_from(index.as_u64()?).ok()?)
            }
            (Value::Object(members), Value::String(key)) => members.get_mut(key),
            _ => None,
        })
}

#[cfg(test)]
mod tests;
