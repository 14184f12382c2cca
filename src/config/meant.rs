//! Keys that other programs have for the same thing, which spelling does not lead to.

/// Names in use elsewhere, and the key that means it here.
const ELSEWHERE: &[(&str, &str)] = &[
    ("ca", "ca_file"),
    ("ca_bundle", "ca_file"),
    ("ca_cert", "ca_file"),
    ("cert", "client_cert_file"),
    ("cert_file", "client_cert_file"),
    ("concurrency", "max_concurrent_requests"),
    ("credentials", "auth"),
    ("authentication", "auth"),
    ("api_key", "auth"),
    ("token", "auth"),
    ("bearer_token", "auth"),
    ("document", "swagger_url"),
    ("file", "swagger_url"),
    ("openapi", "swagger_url"),
    ("openapi_url", "swagger_url"),
    ("openapi_file", "swagger_url"),
    ("spec", "swagger_url"),
    ("spec_url", "swagger_url"),
    ("schema_url", "swagger_url"),
    ("host", "base_url"),
    ("server_url", "base_url"),
    ("endpoint", "base_url"),
    ("key_file", "client_key_file"),
    ("max_connections", "max_concurrent_requests"),
    ("max_concurrency", "max_concurrent_requests"),
    ("parallelism", "max_concurrent_requests"),
    ("rate", "requests_per_second"),
    ("rate_limit", "requests_per_second"),
    ("ratelimit", "requests_per_second"),
    ("rps", "requests_per_second"),
    ("throttle", "requests_per_second"),
    ("requests_per_minute", "requests_per_second"),
    ("private_network", "allow_private_network"),
    ("allow_private", "allow_private_network"),
    ("read_only", "is_read_only"),
    ("readonly", "is_read_only"),
    ("request_timeout", "timeout_seconds"),
    ("timeout", "timeout_seconds"),
    ("timeout_ms", "timeout_seconds"),
    ("tools", "top_level_functions"),
    ("names", "rename"),
    ("aliases", "rename"),
    ("only", "include"),
    ("skip", "exclude"),
    ("ignore", "exclude"),
];

/// The key that a name from elsewhere means.
pub(super) fn meant(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase().replace('-', "_");
    let found = ELSEWHERE.iter().find(|(name, _)| *name == word);
    found.map(|(_, key)| *key)
}
