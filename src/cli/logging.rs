//! Logs on stderr: for people, or one JSON object a line.

use std::io::{self, IsTerminal};
use std::sync::OnceLock;

use tracing_subscriber::EnvFilter;

use super::LogFormat;
use super::stop::Stop;

static NO_COLOUR: OnceLock<bool> = OnceLock::new();

/// Whether `NO_COLOR` (<https://no-color.org>) forbids colours; so it is until it is known.
pub(super) fn no_colour() -> bool {
    NO_COLOUR.get().copied().unwrap_or(true)
}

/// Says whether `NO_COLOR` is set.
pub(super) fn know_colours(no_colour: bool) {
    // It is known once, at start.
    let _ = NO_COLOUR.set(no_colour);
}

/// Starts logging what `filter` lets through; without this nothing is logged.
pub(super) fn start(format: LogFormat, filter: &str, no_colour: bool) -> Result<(), Stop> {
    // At this level the protocol's library dumps its own structures.
    let filter = match filter.split(',').next() {
        Some("info" | "warn" | "error") if !filter.contains("rmcp") => {
            format!("{filter},rmcp=warn")
        }
        _ => filter.to_owned(),
    };
    // And this one dumps what it sends, credentials among it.
    let filter = format!("{filter},h2=info");
    let filter = EnvFilter::try_new(filter).map_err(|error| {
        Stop::failure(format!("MCE_LOG_LEVEL: {error}")).hint(
            "use error, warn, info, debug or trace, or a filter such as `warn,mce::broker=debug`",
        )
    })?;
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr);
    // Only one subscriber can be set, and a process starts logging once.
    let _ = match format {
        LogFormat::Json => log.json().flatten_event(true).try_init(),
        LogFormat::Text => log
            .with_target(false)
            .with_ansi(io::stderr().is_terminal() && !no_colour)
            .try_init(),
    };
    Ok(())
}
