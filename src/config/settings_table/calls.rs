//! What code may call, and how much.

use super::{COUNT, SECONDS, SIZE, Setting, setting};

pub(super) const CALLS: &[Setting] = &[
    setting(
        "MCE_ALLOWED_DOMAINS",
        "domains separated by commas, or a JSON list",
        "",
        "Hosts that plain `httpx` in code may call, and that compiled functions are bound to; sub-domains included. With a port only that one; without, plain `httpx` has the scheme's usual one. Unset, code has no plain `httpx`, and functions are bound by their server alone.",
    ),
    setting(
        "MCE_HTTPS_PROXY",
        "http(s) URL",
        "",
        "Proxy for calls of APIs; no other proxy variable counts.",
    ),
    setting(
        "MCE_MAX_CALLS",
        COUNT,
        "200",
        "Calls an execution may make.",
    ),
    setting(
        "MCE_MAX_CONCURRENT_CALLS",
        COUNT,
        "16",
        "Calls an execution may have under way at once.",
    ),
    setting(
        "MCE_MAX_REQUEST_BYTES",
        SIZE,
        "10m",
        "Largest request body sent.",
    ),
    setting(
        "MCE_MAX_RESPONSE_BYTES",
        SIZE,
        "25m",
        "Largest response body taken, decompressed.",
    ),
    setting(
        "MCE_CALL_TIMEOUT_SECONDS",
        SECONDS,
        "30",
        "Time a call has; `timeout_seconds` of a server wins.",
    ),
    setting(
        "MCE_STREAM_SECONDS",
        SECONDS,
        "10",
        "Time an answer that is a stream is read for, within that of its call.",
    ),
];
