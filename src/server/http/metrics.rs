//! What Prometheus reads: the numbers of the runtime and those of this transport.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{
    DescriptorEncoder, EncodeLabelSet, EncodeMetric as _, NoLabelSet,
};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

use crate::runtime::{DURATION_CLASSES, Runtime, Snapshot};

/// The type of [`Metrics::text`], version 0.0.4 of Prometheus' text format.
pub(super) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Requests by path and status.
type Requests = BTreeMap<(&'static str, u16), u64>;

/// The numbers of one server.
pub(super) struct Metrics {
    runtime: Option<Arc<Runtime>>,
    requests: Mutex<Requests>,
}

/// What the transport knows at the moment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Now {
    pub(super) connections: usize,
    pub(super) sessions: usize,
}

/// All numbers, at one moment.
struct Moment {
    runtime: Option<Snapshot>,
    requests: Requests,
    now: Now,
}

impl Metrics {
    /// Of a transport, and of the runtime behind it where there is one.
    pub(super) fn new(runtime: Option<Arc<Runtime>>) -> Self {
        Self {
            runtime,
            requests: Mutex::default(),
        }
    }

    /// Counts a request that was answered.
    pub(super) fn answered(&self, path: &'static str, status: u16) {
        *self.requests().entry((path, status)).or_default() += 1;
    }

    /// All numbers as text.
    pub(super) fn text(&self, now: Now) -> Result<String, fmt::Error> {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(Moment {
            runtime: self.runtime.as_ref().map(|runtime| runtime.snapshot()),
            requests: self.requests().clone(),
            now,
        }));
        let mut text = String::new();
        prometheus_client::encoding::prometheus_text::encode(&mut text, &registry)?;
        Ok(text)
    }

    fn requests(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Moment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Moment")
    }
}

impl Collector for Moment {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let version = [("version", env!("CARGO_PKG_VERSION"))];
        gauges(
            &mut encoder,
            "mce_build_info",
            "The build, as labels.",
            [(version, 1)],
        )?;
        let requests = self.requests.iter();
        let requests = requests.map(|((path, status), count)| {
            let labels = [("path", (*path).to_owned()), ("status", status.to_string())];
            (labels, *count)
        });
        let help = "Requests that were answered.";
        counters(&mut encoder, "mce_http_requests", help, requests)?;
        let connections = number(self.now.connections);
        gauge(
            &mut encoder,
            "mce_http_connections",
            "Connections.",
            connections,
        )?;
        let sessions = number(self.now.sessions);
        gauge(&mut encoder, "mce_http_sessions", "MCP sessions.", sessions)?;
        match &self.runtime {
            Some(snapshot) => of_runtime(&mut encoder, snapshot),
            None => Ok(()),
        }
    }
}

fn of_runtime(encoder: &mut DescriptorEncoder, snapshot: &Snapshot) -> fmt::Result {
    let executions = snapshot.executions.iter();
    let executions = executions.map(|(outcome, count)| ([("outcome", *outcome)], *count));
    let help = "Executions that ended; `busy` were turned away.";
    counters(encoder, "mce_executions", help, executions)?;
    let durations = &snapshot.durations;
    // What took longer is in the last bucket, which the encoder makes of `count`.
    let ends = DURATION_CLASSES.iter().copied();
    let buckets: Vec<(f64, u64)> = ends.zip(durations.counts).collect();
    let count = durations.counts.iter().sum();
    let help = "Time that executions took, waiting included.";
    encoder
        .encode_descriptor("mce_execution_seconds", help, None, MetricType::Histogram)?
        .encode_histogram::<NoLabelSet>(durations.seconds, count, &buckets, None)?;
    let calls = snapshot.calls.iter().map(|((server, outcome), count)| {
        let labels = [("server", server.clone()), ("outcome", outcome.clone())];
        (labels, *count)
    });
    let help = "Calls of APIs that executions made, or that were refused.";
    counters(encoder, "mce_calls", help, calls)?;
    for (name, help, value) in [
        (
            "mce_executions_in_progress",
            "Executions that have not ended.",
            snapshot.in_progress,
        ),
        (
            "mce_executions_waiting",
            "Executions that wait for a place.",
            snapshot.waiting,
        ),
        (
            "mce_execution_places",
            "Executions that may run at once.",
            snapshot.places,
        ),
        (
            "mce_execution_places_free",
            "Places that are free.",
            snapshot.free_places,
        ),
        (
            "mce_sandbox_up",
            "Whether there is a proven sandbox.",
            u64::from(snapshot.ready.is_some()),
        ),
        (
            "mce_sandbox_pool_ready",
            "Containers held ready.",
            snapshot.ready.unwrap_or_default(),
        ),
    ] {
        gauge(
            encoder,
            name,
            help,
            i64::try_from(value).unwrap_or(i64::MAX),
        )?;
    }
    Ok(())
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn gauge(encoder: &mut DescriptorEncoder, name: &str, help: &str, value: i64) -> fmt::Result {
    let metric = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
    ConstGauge::new(value).encode(metric)
}

fn gauges<Labels: EncodeLabelSet>(
    encoder: &mut DescriptorEncoder,
    name: &str,
    help: &str,
    values: impl IntoIterator<Item = (Labels, i64)>,
) -> fmt::Result {
    let mut family = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
    for (labels, value) in values {
        ConstGauge::new(value).encode(family.encode_family(&labels)?)?;
    }
    Ok(())
}

fn counters<Labels: EncodeLabelSet>(
    encoder: &mut DescriptorEncoder,
    name: &str,
    help: &str,
    values: impl IntoIterator<Item = (Labels, u64)>,
) -> fmt::Result {
    let mut family = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
    for (labels, value) in values {
        ConstCounter::new(value).encode(family.encode_family(&labels)?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_has_what_was_counted() {
        let metrics = Metrics::new(None);
        metrics.answered("/mcp", 200);
        metrics.answered("/mcp", 200);
        metrics.answered("/mcp", 401);
        let now = Now {
            connections: 7,
            sessions: 3,
        };
        let text = metrics.text(now).unwrap();
        for line in [
            "# TYPE mce_http_requests_total counter",
            "mce_http_requests_total{path=\"/mcp\",status=\"200\"} 2",
            "mce_http_requests_total{path=\"/mcp\",status=\"401\"} 1",
            "mce_http_connections 7",
            "mce_http_sessions 3",
        ] {
            assert!(
                text.lines().any(|it| it == line),
                "{line} is not in\n{text}"
            );
        }
    }

    #[test]
    fn durations_are_a_cumulative_histogram() {
        let mut snapshot = Snapshot::default();
        snapshot.durations.counts[0] = 2;
        snapshot.durations.counts[DURATION_CLASSES.len()] = 1;
        snapshot.durations.seconds = 200.5;
        snapshot.executions.insert("success", 3);
        let mut registry = Registry::default();
        registry.register_collector(Box::new(Moment {
            runtime: Some(snapshot),
            requests: Requests::new(),
            now: Now {
                connections: 0,
                sessions: 0,
            },
        }));
        let mut text = String::new();
        prometheus_client::encoding::prometheus_text::encode(&mut text, &registry).unwrap();
        for line in [
            "mce_execution_seconds_bucket{le=\"120\"} 2",
            "mce_execution_seconds_bucket{le=\"+Inf\"} 3",
            "mce_execution_seconds_count 3",
            "mce_execution_seconds_sum 200.5",
            "mce_executions_total{outcome=\"success\"} 3",
            "mce_sandbox_up 0",
        ] {
            assert!(
                text.lines().any(|it| it == line),
                "{line} is not in\n{text}"
            );
        }
    }
}
