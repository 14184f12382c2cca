//! Why no answer came, told without the URL, which may hold a credential.

use std::error::Error as _;
use std::io::{self, ErrorKind};

use super::Refused;

/// Why no answer came.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The address is not permitted.
    #[error("{0}")]
    Refused(Refused),
    /// The connection took too long.
    #[error("no connection in time")]
    Late,
    /// Nobody was there, or nobody knows where.
    #[error("no connection: {0}")]
    Unreachable(String),
    /// Somebody was there, and TLS or the proxy came to no connection.
    #[error("no connection: {0}")]
    Rejected(String),
    /// The answer ended before its end, or is not compressed in the way it says.
    #[error("the answer broke off or cannot be decompressed: {0}")]
    Broken(String),
    /// Anything else.
    #[error("no answer: {0}")]
    Other(String),
}

impl Failure {
    /// What an error of the client means.
    #[must_use]
    pub fn of(error: &reqwest::Error) -> Self {
        let mut source = error.source();
        while let Some(cause) = source {
            if let Some(refused) = cause.downcast_ref::<Refused>() {
                return Self::Refused(refused.clone());
            }
            source = cause.source();
        }
        let cause = root_cause(error);
        if error.is_connect() {
            if error.is_timeout() {
                Self::Late
            } else if nobody_was_there(error) {
                Self::Unreachable(cause)
            } else {
                Self::Rejected(plain(&cause).map_or(cause, str::to_owned))
            }
        } else if error.is_decode() || error.is_body() || error.is_timeout() {
            Self::Broken(cause)
        } else {
            // Some alerts come when the request was sent.
            Self::Other(plain(&cause).map_or(cause, str::to_owned))
        }
    }
}

/// What the commonest refusals of TLS mean.
fn plain(cause: &str) -> Option<&'static str> {
    const MEANINGS: [(&str, &str); 5] = [
        (
            "UnknownIssuer",
            "its certificate is not of a known authority (`ca_file` names further ones): UnknownIssuer",
        ),
        (
            "CaUsedAsEndEntity",
            "its certificate is that of an authority, which no server can have as its own",
        ),
        (
            "InvalidContentType",
            "it does not speak TLS; its URL may have to begin with `http://`",
        ),
        (
            "CertificateRequired",
            "it asks for the client's certificate (`client_cert_file`)",
        ),
        (
            "received fatal alert: UnknownCA",
            "it does not take the client's certificate (`client_cert_file`)",
        ),
    ];
    let known = MEANINGS.iter().find(|(part, _)| cause.contains(part));
    known.map(|(_, meaning)| *meaning)
}

/// Whether a connection failed for what may be otherwise in a moment.
fn nobody_was_there(error: &reqwest::Error) -> bool {
    let mut source = error.source();
    while let Some(cause) = source {
        // `hyper-util` has no type for it.
        if cause.to_string() == "dns error" {
            return true;
        }
        if let Some(error) = cause.downcast_ref::<io::Error>()
            && matches!(
                error.kind(),
                ErrorKind::ConnectionRefused
                    | ErrorKind::ConnectionReset
                    | ErrorKind::ConnectionAborted
                    | ErrorKind::HostUnreachable
                    | ErrorKind::NetworkUnreachable
                    | ErrorKind::AddrNotAvailable
            )
        {
            return true;
        }
        source = cause.source();
    }
    false
}

/// The innermost error's text. `reqwest`'s own, which may show the URL, is never it.
#[must_use]
pub fn root_cause(error: &reqwest::Error) -> String {
    let mut cause = error.source();
    let mut text = None;
    while let Some(error) = cause {
        if error.downcast_ref::<reqwest::Error>().is_none() {
            text = Some(error.to_string());
        }
        cause = error.source();
    }
    text.unwrap_or_else(|| "the request failed".into())
}
