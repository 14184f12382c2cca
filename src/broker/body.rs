//! The body of an answer, decompressed. It is done here and not by the client, which undoes one coding
//! and forgets that there were more: what is still encoded cannot be freed of secrets.

use std::io;
use std::pin::Pin;

use async_compression::tokio::bufread::{BrotliDecoder, GzipDecoder, ZlibDecoder};
use bytes::Bytes;
use futures::{Stream, StreamExt as _, TryStreamExt as _};
use reqwest::Response;
use reqwest::header::{CONTENT_ENCODING, HeaderMap, HeaderName, TRANSFER_ENCODING};
use tokio::io::AsyncRead;
use tokio_util::io::{ReaderStream, StreamReader};

/// Bytes that are decompressed at once.
const PIECE: usize = 64 << 10;

/// What stands in `Content-Encoding` without a byte being changed, by the standard or by mistake.
const UNCHANGED: [&str; 4] = ["", "identity", "none", "utf-8"];

/// How the bytes of a body are encoded (RFC 9110, section 8.4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    Plain,
    Gzip,
    Deflate,
    Brotli,
    /// In a way that was not asked for, or in several.
    Other,
}

/// Why there is no more of a body.
#[derive(Debug)]
pub(super) enum BodyError {
    /// The connection broke off.
    Client(reqwest::Error),
    /// The bytes are not what their coding says.
    Data(String),
    /// [`Coding::Other`].
    Encoded,
}

/// What is said of [`BodyError::Encoded`].
pub(super) const ENCODED: &str = "the answer is compressed in a way that was not asked for";

impl Coding {
    /// That of an answer.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let is_transfer_coded = codings(headers, &TRANSFER_ENCODING)
            .any(|coding| !matches!(coding.as_str(), "" | "chunked" | "identity"));
        let mut codings = codings(headers, &CONTENT_ENCODING)
            .filter(|coding| !UNCHANGED.contains(&coding.as_str()));
        let (first, second) = (codings.next(), codings.next());
        match first.as_deref() {
            _ if is_transfer_coded || second.is_some() => Self::Other,
            None => Self::Plain,
            Some("gzip" | "x-gzip") => Self::Gzip,
            Some("deflate") => Self::Deflate,
            Some("br") => Self::Brotli,
            Some(_) => Self::Other,
        }
    }
}

/// The items of all headers of a name, in lower case.
fn codings<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> impl Iterator<Item = String> + use<'a> {
    let values = headers.get_all(name).into_iter();
    let items = values.flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    items.map(|item| String::from_utf8_lossy(item.trim_ascii()).to_ascii_lowercase())
}

type Chunks = Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>>;

/// A body that is being read.
pub(super) enum Body {
    /// Nothing of it came yet.
    Begun(Option<Response>, Coding),
    Plain(Response),
    Decompressed(Chunks),
}

impl Body {
    /// That of an answer with these headers, which may have been taken out of it.
    pub(super) fn of(response: Response, headers: &HeaderMap) -> Self {
        match Coding::of(headers) {
            Coding::Plain => Self::Plain(response),
            coding => Self::Begun(Some(response), coding),
        }
    }

    /// The next bytes of it, decompressed; `None` at its end.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, BodyError> {
        if let Self::Begun(place, coding) = self {
            let coding = *coding;
            let Some(response) = place.as_mut() else {
                return Ok(None);
            };
            // There may be none, whatever the headers say of it: an answer to HEAD. Who waits may give up,
            // and come again: the answer stays in its place until something of it is there.
            let first = loop {
                match response.chunk().await {
                    Ok(Some(chunk)) if chunk.is_empty() => {}
                    Ok(Some(chunk)) => break chunk,
                    Ok(None) => {
                        *place = None;
                        return Ok(None);
                    }
                    Err(error) => {
                        *place = None;
                        return Err(BodyError::Client(error));
                    }
                }
            };
            let Some(response) = place.take() else {
                return Ok(None);
            };
            let rest = response.bytes_stream().map_err(io::Error::other);
            let all = futures::stream::once(async { Ok(first) }).chain(rest);
            *self = Self::Decompressed(decompressed(coding, Box::pin(all))?);
        }
        match self {
            Self::Plain(response) => response.chunk().await.map_err(BodyError::Client),
            Self::Decompressed(chunks) => match chunks.next().await {
                None => Ok(None),
                Some(Ok(chunk)) => Ok(Some(chunk)),
                Some(Err(error)) => Err(told(error)),
            },
            Self::Begun(..) => Ok(None),
        }
    }
}

fn decompressed(coding: Coding, chunks: Chunks) -> Result<Chunks, BodyError> {
    let reader = StreamReader::new(chunks);
    Ok(match coding {
        Coding::Gzip => {
            let mut decoder = GzipDecoder::new(reader);
            decoder.multiple_members(true);
            pieces(decoder)
        }
        Coding::Deflate => pieces(ZlibDecoder::new(reader)),
        Coding::Brotli => pieces(BrotliDecoder::new(reader)),
        Coding::Plain | Coding::Other => return Err(BodyError::Encoded),
    })
}

fn pieces(reader: impl AsyncRead + Send + 'static) -> Chunks {
    Box::pin(ReaderStream::with_capacity(reader, PIECE))
}

/// Whose fault an error is: those of the connection are wrapped.
fn told(error: io::Error) -> BodyError {
    let is_of_client = error
        .get_ref()
        .is_some_and(<dyn std::error::Error + Send + Sync>::is::<reqwest::Error>);
    let text = error.to_string();
    match error.into_inner() {
        Some(inner) if is_of_client => match inner.downcast() {
            Ok(error) => BodyError::Client(*error),
            Err(_) => BodyError::Data(text),
        },
        _ => BodyError::Data(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_coding_that_was_asked_for_is_undone_and_nothing_else() {
        let of = |lines: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in lines {
                headers.append(*name, value.parse().unwrap());
            }
            Coding::of(&headers)
        };
        let content = "content-encoding";
        for (lines, coding) in [
            (vec![], Coding::Plain),
            (vec![(content, "identity")], Coding::Plain),
            (vec![(content, "GZIP")], Coding::Gzip),
            (vec![(content, "x-gzip, identity")], Coding::Gzip),
            (vec![(content, "deflate")], Coding::Deflate),
            (vec![(content, "br")], Coding::Brotli),
            (vec![(content, "zstd")], Coding::Other),
            (vec![(content, "gzip, gzip")], Coding::Other),
            (vec![(content, "gzip"), (content, "gzip")], Coding::Other),
            (vec![(content, "gzip"), (content, "br")], Coding::Other),
            (vec![("transfer-encoding", "chunked")], Coding::Plain),
            (vec![("transfer-encoding", "gzip, chunked")], Coding::Other),
            (
                vec![("transfer-encoding", "chunked"), (content, "gzip")],
                Coding::Gzip,
            ),
        ] {
            assert_eq!(of(&lines), coding, "{lines:?}");
        }
    }
}
