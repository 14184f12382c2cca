//! What went wrong with a request, as `httpx` names it. No text holds the URL, whose query is the
//! code's business alone.

use std::error::Error as _;
use std::io;

use crate::connect::{Refused, root_cause};
use crate::sandbox::{CallError, HttpFailure};

/// A failure to get the head of an answer from a host.
pub(super) fn failed(error: &reqwest::Error, host: &str) -> CallError {
    if let Some(refused) = cause::<Refused>(error) {
        return self::refused(refused);
    }
    let text = root_cause(error);
    if error.is_connect() {
        return HttpFailure::Connect.because(format!("`{host}` could not be reached: {text}"));
    }
    if error.is_builder() {
        return HttpFailure::LocalProtocol.because(format!("the request is none: {text}"));
    }
    broken(error, &text)
}

/// A failure to get the rest of an answer.
pub(super) fn broke_off(error: &reqwest::Error) -> CallError {
    let text = root_cause(error);
    broken(error, &text)
}

fn broken(error: &reqwest::Error, text: &str) -> CallError {
    let is_of_network = cause::<io::Error>(error).is_some_and(|error| {
        use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, TimedOut};
        let kinds = [BrokenPipe, ConnectionAborted, ConnectionReset, TimedOut];
        kinds.contains(&error.kind())
    });
    if is_of_network {
        HttpFailure::Read.because(format!("the connection broke off: {text}"))
    } else {
        HttpFailure::RemoteProtocol.because(format!("no whole answer came: {text}"))
    }
}

/// The first cause of this type.
fn cause<E: std::error::Error + 'static>(error: &reqwest::Error) -> Option<&E> {
    let mut source = error.source();
    while let Some(cause) = source {
        if let Some(found) = cause.downcast_ref() {
            return Some(found);
        }
        source = cause.source();
    }
    None
}

/// An address that is not permitted.
pub(super) fn refused(why: &Refused) -> CallError {
    CallError::Egress {
        message: match why {
            Refused::Private { host } => format!(
                "`{host}` leads to an address that is not of the internet; `MCE_ALLOWED_DOMAINS` \
                 holds such addresses only as they are (such as `127.0.0.1:8080`)"
            ),
            other => other.to_string(),
        },
    }
}
