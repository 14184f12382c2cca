//! A session: one container for one job after the other, with the same Python state.

use std::sync::Arc;

use async_trait::async_trait;

use super::container::Started;
use crate::sandbox::running::{Afterwards, execute_in};
use crate::sandbox::{Failure, FailureKind, Host, Job, Outcome, Session};

/// A session in a container. It is over when the container is gone, whatever ended it.
pub(super) struct DockerSession {
    started: Option<Started>,
}

impl DockerSession {
    /// A session in a container that nothing ran in.
    pub(super) fn new(started: Started) -> Self {
        Self {
            started: Some(started),
        }
    }
}

#[async_trait]
impl Session for DockerSession {
    async fn run(&mut self, job: Job, host: Arc<dyn Host>) -> Outcome {
        // Who goes away in the middle takes the container along.
        let Some(mut started) = self.started.take() else {
            return Outcome::not_started(Failure {
                kind: FailureKind::Sandbox,
                message: "the session has ended".to_owned(),
                traceback: None,
                hint: None,
            });
        };
        let (outcome, afterwards) = execute_in(&mut started, &job, host, Afterwards::Waits).await;
        match afterwards {
            Afterwards::Waits => self.started = Some(started),
            Afterwards::Ends => started.end_later(),
        }
        outcome
    }

    fn is_open(&self) -> bool {
        self.started.is_some()
    }
}
