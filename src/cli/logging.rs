//! Logs on stderr: for people, or one JSON object a line.

use std::io::{self, IsTerminal};
use std::sync::OnceLock;

use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

use super::LogFormat;
use super::stop::Stop;
use crate::config::Environment;

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
pub(super) fn start(
    format: LogFormat,
    filter: &str,
    no_colour: bool,
    environment: &Environment,
) -> Result<(), Stop> {
    // The protocol's library logs what clients send, whole and each time.
    let filter = match filter.split(',').next() {
        Some("info" | "warn" | "error") if !filter.contains("rmcp") => {
            format!("{filter},rmcp=off")
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
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr);
    let lines = match format {
        LogFormat::Json => lines.json().flatten_event(true).with_filter(filter).boxed(),
        LogFormat::Text => lines
            .with_target(false)
            .with_ansi(io::stderr().is_terminal() && !no_colour)
            .with_filter(filter)
            .boxed(),
    };
    let subscriber = tracing_subscriber::registry().with(lines);
    #[cfg(feature = "otlp")]
    let subscriber = subscriber.with(super::telemetry::layer(environment)?);
    #[cfg(not(feature = "otlp"))]
    let _ = environment;
    // Only one subscriber can be set, and a process starts logging once.
    let _ = subscriber.try_init();
    Ok(())
}

/// Sends what is left to be exported.
pub(super) fn stop() {
    #[cfg(feature = "otlp")]
    super::telemetry::stop();
}
