//! Export of spans over OTLP, where the standard variables say where to. Only MCE's own spans, of
//! executions and calls, are exported: no line of the log, and nothing of what a library traces.

use std::sync::OnceLock;
use std::time::Duration;

use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::SpanExporter;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::{Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

use super::stop::{OrStop as _, Stop};
use crate::config::Environment;

/// What the spans of `runtime` and `broker` have as their target.
const TARGET: &str = "mce::span";

/// How long the end of the process waits for a collector.
const PATIENCE: Duration = Duration::from_secs(5);

static PROVIDER: OnceLock<SdkTracerProvider> = OnceLock::new();

/// A layer that exports, or none where no endpoint is set.
pub(super) fn layer<S>(environment: &Environment) -> Result<Option<impl Layer<S>>, Stop>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    let is_set = |name: &str| environment.get(name).is_some_and(|value| !value.is_empty());
    let has_endpoint =
        is_set("OTEL_EXPORTER_OTLP_ENDPOINT") || is_set("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
    if !has_endpoint || is_disabled(environment) {
        return Ok(None);
    }
    // The library reads where to, with which headers and how long to wait from the same variables.
    let exporter = SpanExporter::builder()
        .with_http()
        .build()
        .or_stop_with("cannot export spans (`OTEL_EXPORTER_OTLP_ENDPOINT`)")?;
    let mut resource = Resource::builder();
    if !is_set("OTEL_SERVICE_NAME") {
        resource = resource.with_service_name("mce");
    }
    let provider = SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_resource(resource.build())
        .build();
    let tracer = provider.tracer("mce");
    // A process starts logging once.
    let _ = PROVIDER.set(provider);
    let is_ours = |metadata: &Metadata<'_>| metadata.is_span() && metadata.target() == TARGET;
    let layer = tracing_opentelemetry::layer()
        .with_tracer(tracer)
        .with_location(false)
        .with_threads(false)
        .with_tracked_inactivity(false)
        .with_filter(filter_fn(is_ours));
    Ok(Some(layer))
}

/// `OTEL_SDK_DISABLED`, whose case does not count (OpenTelemetry, environment variables, booleans).
fn is_disabled(environment: &Environment) -> bool {
    let value = environment.get("OTEL_SDK_DISABLED");
    value.is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
}

/// Sends what is left.
pub(super) fn stop() {
    if let Some(provider) = PROVIDER.get()
        && let Err(error) = provider.shutdown_with_timeout(PATIENCE)
    {
        tracing::warn!(%error, "spans could not be exported");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_switched_off_in_whatever_case() {
        let is_disabled =
            |value| is_disabled(&Environment::from_pairs([("OTEL_SDK_DISABLED", value)]));
        assert!(["true", "TRUE", "True"].into_iter().all(is_disabled));
        assert!(!["false", "1", ""].into_iter().any(is_disabled));
    }
}
