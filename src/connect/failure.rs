//! Why no answer came, told without the URL, which may hold a credential.

use std::error::Error as _;

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
    /// There was no connection.
    #[error("no connection: {0}")]
    Unreachable(String),
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
        if error.is_timeout() {
            Self::Late
        } else if error.is_connect() {
            Self::Unreachable(cause)
        } else if error.is_decode() || error.is_body() {
            Self::Broken(cause)
        } else {
            Self::Other(cause)
        }
    }

    /// Whether nothing was sent.
    #[must_use]
    pub fn was_before_sending(&self) -> bool {
        matches!(self, Self::Late | Self::Unreachable(_))
    }
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
