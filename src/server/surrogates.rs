//! Lone surrogates among what a client sends.
//!
//! JSON can spell half a character (`"\ud83d"`), and models do. No Rust string can hold one, so
//! that the SDK would drop the whole line and the client wait for ever. U+FFFD takes its place: it
//! is spelt with as many bytes.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

/// `\uXXXX`
const ESCAPE: usize = 6;
const REPLACEMENT: &[u8; ESCAPE] = br"\ufffd";
const READ: usize = 8 << 10;

/// A stream of JSON texts with lone surrogates replaced.
pub(super) struct Repaired<Input> {
    input: Input,
    /// Bytes that were read; those before `settled` are as they will be passed on.
    bytes: Vec<u8>,
    settled: usize,
    ended: bool,
}

impl<Input> Repaired<Input> {
    /// Over a stream.
    pub(super) fn new(input: Input) -> Self {
        Self {
            input,
            bytes: Vec::new(),
            settled: 0,
            ended: false,
        }
    }

    /// Settles what can be told by now; the rest, part of an escape, waits for more.
    fn settle(&mut self) {
        while let Some(rest) = self
            .bytes
            .get(self.settled..)
            .filter(|rest| !rest.is_empty())
        {
            let (length, lone) = match step(rest) {
                Step::Keep(length) => (length, false),
                Step::Replace => (ESCAPE, true),
                Step::Wait if self.ended => (rest.len(), false),
                Step::Wait => return,
            };
            if let Some(escape) = self.bytes.get_mut(self.settled..self.settled + length)
                && lone
            {
                escape.copy_from_slice(REPLACEMENT);
            }
            self.settled += length;
        }
    }
}

/// A whole JSON text with lone surrogates replaced.
pub(super) fn replaced(text: Vec<u8>) -> Vec<u8> {
    let mut repaired = Repaired {
        input: (),
        bytes: text,
        settled: 0,
        ended: true,
    };
    repaired.settle();
    repaired.bytes
}

/// What to do with the start of a text.
enum Step {
    /// Pass on so many bytes.
    Keep(usize),
    /// Replace an escape.
    Replace,
    /// It depends on what follows.
    Wait,
}

fn step(text: &[u8]) -> Step {
    if text.first() != Some(&b'\\') {
        let plain = text.iter().position(|byte| *byte == b'\\');
        return Step::Keep(plain.unwrap_or(text.len()));
    }
    match unit(text) {
        Unit::Unfinished => Step::Wait,
        Unit::Other => Step::Keep(2),
        Unit::Of(0xd800..=0xdbff) => match text.get(ESCAPE..).map_or(Unit::Unfinished, unit) {
            Unit::Unfinished => Step::Wait,
            Unit::Of(0xdc00..=0xdfff) => Step::Keep(2 * ESCAPE),
            _ => Step::Replace,
        },
        Unit::Of(0xdc00..=0xdfff) => Step::Replace,
        Unit::Of(_) => Step::Keep(ESCAPE),
    }
}

/// What stands at the start of a text.
enum Unit {
    /// `\uXXXX`
    Of(u32),
    /// Something else.
    Other,
    /// It may become an escape.
    Unfinished,
}

fn unit(text: &[u8]) -> Unit {
    let mut value = 0;
    for place in 0..ESCAPE {
        let Some(byte) = text.get(place) else {
            return Unit::Unfinished;
        };
        let fits = match place {
            0 => *byte == b'\\',
            1 => *byte == b'u',
            _ => {
                let digit = char::from(*byte).to_digit(16);
                value = (value << 4) | digit.unwrap_or(0);
                digit.is_some()
            }
        };
        if !fits {
            return Unit::Other;
        }
    }
    Unit::Of(value)
}

impl<Input: AsyncRead + Unpin> AsyncRead for Repaired<Input> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        while this.settled == 0 && !this.ended {
            let mut space = [0; READ];
            let mut read = ReadBuf::new(&mut space);
            ready!(Pin::new(&mut this.input).poll_read(context, &mut read))?;
            this.ended = read.filled().is_empty();
            this.bytes.extend_from_slice(read.filled());
            this.settle();
        }
        let length = this.settled.min(out.remaining());
        if let Some(part) = this.bytes.get(..length) {
            out.put_slice(part);
        }
        this.bytes.drain(..length);
        this.settled -= length;
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    /// The text as it comes out when it arrives in two parts.
    async fn repaired(text: &str, cut: usize) -> String {
        let (first, second) = text.as_bytes().split_at(cut);
        let mut stream = Repaired::new(first.chain(second));
        let mut out = String::new();
        stream.read_to_string(&mut out).await.unwrap();
        out
    }

    #[tokio::test]
    async fn lone_surrogates_are_replaced_and_nothing_else_is() {
        for (text, expected) in [
            (r#""\ud83d""#, r#""\ufffd""#),
            (r#""\uDE00 \uD83D\u0041""#, r#""\ufffd \ufffd\u0041""#),
            (
                r#""\ud83d\ud83d\ude00\ude00""#,
                r#""\ufffd\ud83d\ude00\ufffd""#,
            ),
            (r#""\\ud83d \\\ud83d""#, r#""\\ud83d \\\ufffd""#),
            ("\"\\ud83d\"\n\"\\ud8\n\\", "\"\\ufffd\"\n\"\\ud8\n\\"),
            (
                r#"{"a":"é\u00e9\n\"\ud83d\ude00"}"#,
                r#"{"a":"é\u00e9\n\"\ud83d\ude00"}"#,
            ),
            ("", ""),
        ] {
            for cut in 0..=text.len() {
                assert_eq!(repaired(text, cut).await, expected, "{cut}");
            }
        }
    }

    #[tokio::test]
    async fn a_finished_line_is_not_held_back() {
        let (mut near, far) = tokio::io::duplex(100);
        let mut stream = Repaired::new(far);
        tokio::io::AsyncWriteExt::write_all(&mut near, b"\"\\ud83d\"\n")
            .await
            .unwrap();
        let mut line = [0; 9];
        stream.read_exact(&mut line).await.unwrap();
        assert_eq!(&line, b"\"\\ufffd\"\n");
    }
}
