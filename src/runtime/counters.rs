//! What happened so far, in numbers: for whoever watches a server.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::result::{CallSummary, ErrorType};

/// Upper ends of the classes of durations, in seconds. What takes longer is in a last class.
pub const DURATION_CLASSES: [f64; 12] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0, 120.0,
];

/// How long things took.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Durations {
    /// How many fell in each of [`DURATION_CLASSES`], and how many took longer.
    pub counts: [u64; DURATION_CLASSES.len() + 1],
    /// All of them together, in seconds.
    pub seconds: f64,
}

impl Durations {
    fn add(&mut self, took: Duration) {
        let seconds = took.as_secs_f64();
        let class = DURATION_CLASSES.iter().position(|end| seconds <= *end);
        let class = class.unwrap_or(DURATION_CLASSES.len());
        if let Some(count) = self.counts.get_mut(class) {
            *count += 1;
        }
        self.seconds += seconds;
    }
}

/// Everything since the process began, and what is going on now.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Snapshot {
    /// Executions that ended, by outcome: `success` or the name of an [`ErrorType`].
    pub executions: BTreeMap<&'static str, u64>,
    /// How long they took, waiting included.
    pub durations: Durations,
    /// Calls that executions made, by server and outcome: `success` or the class of the failure.
    pub calls: BTreeMap<(String, String), u64>,
    /// Executions that have begun and not ended.
    pub in_progress: u64,
    /// Of these, those that wait for a place.
    pub waiting: u64,
    /// Places for executions that run.
    pub places: u64,
    /// Of these, those that are free.
    pub free_places: u64,
    /// Containers that are held ready; `None` before there is a sandbox.
    pub ready: Option<u64>,
}

/// The numbers of one process.
#[derive(Default)]
pub(super) struct Counters(Mutex<Snapshot>);

impl Counters {
    pub(super) fn begun(&self) {
        self.numbers().in_progress += 1;
    }

    /// Counts an execution that ended. Calls count under a server's name where it `is_known`: whatever
    /// else code names as a server is no label, since labels are kept for good.
    pub(super) fn ended(
        &self,
        outcome: Option<ErrorType>,
        took: Duration,
        calls: &[CallSummary],
        is_known: impl Fn(&str) -> bool,
    ) {
        let mut numbers = self.numbers();
        numbers.in_progress = numbers.in_progress.saturating_sub(1);
        let outcome = outcome.map_or("success", ErrorType::name);
        *numbers.executions.entry(outcome).or_default() += 1;
        numbers.durations.add(took);
        for call in calls {
            let outcome = call.error.as_deref().unwrap_or("success").to_owned();
            let server = if is_known(&call.server) {
                call.server.clone()
            } else {
                String::new()
            };
            let count = u64::try_from(call.count).unwrap_or(u64::MAX);
            *numbers.calls.entry((server, outcome)).or_default() += count;
        }
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        self.numbers().clone()
    }

    fn numbers(&self) -> MutexGuard<'_, Snapshot> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ended_is_counted_by_outcome_duration_and_calls() {
        let counters = Counters::default();
        for _ in 0..3 {
            counters.begun();
        }
        let call = |server: &str, error: Option<&str>, count| CallSummary {
            server: server.to_owned(),
            function: "f".to_owned(),
            status: None,
            error: error.map(str::to_owned),
            ms: 1,
            count,
        };
        let calls = [
            call("pets", None, 3),
            call("pets", Some("api"), 1),
            call("no-such", Some("egress"), 1),
        ];
        let known = |name: &str| name == "pets";
        counters.ended(None, Duration::from_millis(20), &calls, known);
        counters.ended(Some(ErrorType::Busy), Duration::from_mins(10), &[], known);
        let numbers = counters.snapshot();
        assert_eq!(numbers.in_progress, 1);
        assert_eq!(
            numbers.executions,
            BTreeMap::from([("busy", 1), ("success", 1)])
        );
        assert_eq!(
            numbers.durations.counts,
            [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
        );
        assert!((numbers.durations.seconds - 600.02).abs() < 1e-9);
        let calls: Vec<_> = numbers
            .calls
            .iter()
            .map(|((s, o), n)| (s.as_str(), o.as_str(), *n))
            .collect();
        assert_eq!(
            calls,
            [
                ("", "egress", 1),
                ("pets", "api", 1),
                ("pets", "success", 3)
            ]
        );
    }

    /// Calls beyond `MCE_MAX_CALLS` are recorded before anything is asked of their server.
    #[test]
    fn made_up_names_are_no_labels_whatever_refused_their_calls() {
        let counters = Counters::default();
        for number in 0..1_000 {
            let call = |error: &str| CallSummary {
                server: format!("made-up-{number}"),
                function: "f".to_owned(),
                status: None,
                error: Some(error.to_owned()),
                ms: 1,
                count: 1,
            };
            let calls = [call("limit"), call("egress"), call("cancelled")];
            counters.ended(None, Duration::ZERO, &calls, |name| name == "pets");
        }
        let calls = counters.snapshot().calls;
        let expected = ["cancelled", "egress", "limit"]
            .map(|outcome| ((String::new(), outcome.to_owned()), 1_000));
        assert_eq!(calls, BTreeMap::from(expected));
    }
}
