//! Where clients come over HTTP, who may, and how much.

use super::{COUNT, SECONDS, SIZE, Setting, setting};

pub(super) const HTTP: &[Setting] = &[
    setting(
        "MCE_HOST",
        "IP address",
        "127.0.0.1",
        "Address the HTTP transport listens on; any but a loopback one needs a token.",
    ),
    setting(
        "MCE_PORT",
        "0 to 65535",
        "8000",
        "Port the HTTP transport listens on; 0 takes a free one.",
    ),
    setting(
        "MCE_HTTP_TOKEN",
        "at least 16 characters",
        "",
        "Token that clients over HTTP send as `Authorization: Bearer`.",
    ),
    setting(
        "MCE_HTTP_TOKEN_FILE",
        "path",
        "",
        "File that holds the token, in place of `MCE_HTTP_TOKEN`.",
    ),
    setting(
        "MCE_HTTP_TOKENS_FILE",
        "path",
        "",
        "TOML file of named tokens, hashed, each with the servers it may use; read again when it changes.",
    ),
    setting(
        "MCE_HTTP_ALLOWED_HOSTS",
        "names, or `name:port`, by commas",
        "",
        "Further names under which clients reach the HTTP transport (their header `Host`).",
    ),
    setting(
        "MCE_HTTP_ALLOWED_ORIGINS",
        "origins by commas",
        "",
        "Web pages that may call the HTTP transport, beside those of this machine.",
    ),
    setting(
        "MCE_HTTP_MAX_BODY_BYTES",
        SIZE,
        "4m",
        "Longest body of a request over HTTP.",
    ),
    setting(
        "MCE_HTTP_MAX_CONNECTIONS",
        COUNT,
        "16384",
        "Connections over HTTP at once, within what the system permits; of more, the one idle longest is closed.",
    ),
    setting(
        "MCE_HTTP_MAX_SESSIONS",
        COUNT,
        "1000",
        "MCP sessions over HTTP at once of each token; of more, the one idle longest is closed.",
    ),
    setting(
        "MCE_HTTP_SESSION_IDLE_SECONDS",
        SECONDS,
        "14400",
        "An MCP session over HTTP that was not used for so long ends.",
    ),
    setting(
        "MCE_HTTP_READ_SECONDS",
        SECONDS,
        "20",
        "Time for the head of a request over HTTP, and again for its body; a connection idle so long is closed.",
    ),
    setting(
        "MCE_HTTP_SHUTDOWN_SECONDS",
        SECONDS,
        "10",
        "Time that running requests over HTTP get to finish when the server is asked to stop.",
    ),
];
