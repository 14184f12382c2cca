//! Plain HTTP requests of the code, as the host is asked for them.

use std::time::Duration;

use bytes::Bytes;

use super::CallError;

/// A request that code makes with `httpx`, not with a compiled function.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HttpRequest {
    /// The code's number for the answer's body, of which pieces are asked for by it. None is in use twice
    /// at once.
    pub stream: u64,
    /// The method.
    pub method: String,
    /// Scheme, host, port, path and query.
    pub url: String,
    /// In order. Each character of a value is a byte (Latin-1).
    pub headers: Vec<(String, String)>,
    /// The whole body.
    pub body: Bytes,
    /// How long the code is willing to wait.
    pub timeouts: HttpTimeouts,
}

/// How long code is willing to wait for what; the host's own limits where it does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HttpTimeouts {
    /// For a place among the answers that are read at once.
    pub pool: Option<Duration>,
    /// For a connection.
    pub connect: Option<Duration>,
    /// For a part of the request to be taken.
    pub write: Option<Duration>,
    /// For the head of the answer, and for a piece of it.
    pub read: Option<Duration>,
}

/// The head of an answer, whatever its status, and the first piece of its body.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpResponse {
    /// The status.
    pub status: u16,
    /// Such as `HTTP/1.1`.
    pub version: &'static str,
    /// In order, names in lower case. Each character of a value is a byte (Latin-1).
    pub headers: Vec<(String, String)>,
    /// What came of the body with the head.
    pub piece: HttpPiece,
}

/// A piece of a body, without compression.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HttpPiece {
    /// The bytes.
    pub bytes: Bytes,
    /// Whether the body goes on.
    pub more: bool,
}

impl HttpPiece {
    /// Nothing yet, but more to come.
    #[must_use]
    pub fn to_come() -> Self {
        Self {
            bytes: Bytes::new(),
            more: true,
        }
    }
}

/// Which error of `httpx` a failed request is raised as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpFailure {
    /// `PoolTimeout`
    PoolTimeout,
    /// `ConnectTimeout`
    ConnectTimeout,
    /// `ConnectError`
    Connect,
    /// `WriteTimeout`
    WriteTimeout,
    /// `ReadTimeout`
    ReadTimeout,
    /// `ReadError`
    Read,
    /// `DecodingError`
    Decoding,
    /// `RemoteProtocolError`: the server does not speak HTTP, or hung up.
    RemoteProtocol,
    /// `LocalProtocolError`: the request is none.
    LocalProtocol,
    /// `UnsupportedProtocol`
    UnsupportedProtocol,
}

impl HttpFailure {
    /// The name of the class.
    #[must_use]
    pub fn class(self) -> &'static str {
        match self {
            Self::PoolTimeout => "PoolTimeout",
            Self::ConnectTimeout => "ConnectTimeout",
            Self::Connect => "ConnectError",
            Self::WriteTimeout => "WriteTimeout",
            Self::ReadTimeout => "ReadTimeout",
            Self::Read => "ReadError",
            Self::Decoding => "DecodingError",
            Self::RemoteProtocol => "RemoteProtocolError",
            Self::LocalProtocol => "LocalProtocolError",
            Self::UnsupportedProtocol => "UnsupportedProtocol",
        }
    }

    /// An error of this class.
    pub fn because(self, message: impl Into<String>) -> CallError {
        CallError::Http {
            failure: self,
            message: message.into(),
        }
    }
}

/// What a host answers that makes no plain requests.
pub(super) fn refused() -> CallError {
    CallError::Egress {
        message: "plain HTTP requests are not made from here; call compiled functions".to_owned(),
    }
}
