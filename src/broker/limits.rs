//! The settings that bound every call.

use std::time::Duration;

use secrecy::SecretString;

use crate::config::Settings;

/// What bounds every call: caps, the domains that may be reached, and the way out.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Calls of one execution, refused ones included.
    pub max_calls: usize,
    /// Calls of one execution at the same time; further ones wait.
    pub max_concurrent_calls: usize,
    /// Bytes of one request: URL, headers and body.
    pub max_request_bytes: usize,
    /// Bytes of one response body, after decompression.
    pub max_response_bytes: usize,
    /// Time for one call, where the server's config gives none.
    pub call_timeout: Duration,
    /// Time a stream is read for at most, within that of its call.
    pub stream_time: Duration,
    /// `MCE_HTTPS_PROXY`, which may hold a password.
    pub https_proxy: Option<SecretString>,
    /// `MCE_ALLOWED_DOMAINS`; any where `None`.
    pub allowed_domains: Option<Vec<String>>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_calls: 200,
            max_concurrent_calls: 16,
            max_request_bytes: 10 << 20,
            max_response_bytes: 25 << 20,
            call_timeout: Duration::from_secs(30),
            stream_time: Duration::from_secs(10),
            https_proxy: None,
            allowed_domains: None,
        }
    }
}

impl From<&Settings> for Limits {
    fn from(settings: &Settings) -> Self {
        Self {
            max_calls: settings.max_calls,
            max_concurrent_calls: settings.max_concurrent_calls,
            max_request_bytes: settings.max_request_bytes,
            max_response_bytes: settings.max_response_bytes,
            call_timeout: settings.call_timeout,
            stream_time: settings.stream_time,
            https_proxy: settings.https_proxy.clone(),
            allowed_domains: settings.allowed_domains.clone(),
        }
    }
}
