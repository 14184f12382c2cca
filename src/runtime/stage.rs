//! How far an execution has come, for a client that wants to be told while it waits.

use tokio::sync::watch;

/// How far an execution has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stage {
    /// The code is looked at.
    #[default]
    Checking,
    /// It waits for a sandbox, or for a place among those that run.
    Waiting,
    /// It runs.
    Running,
}

impl Stage {
    /// What the execution does, in words.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Checking => "checking the code",
            Self::Waiting => "waiting for a sandbox",
            Self::Running => "running",
        }
    }
}

/// Where an execution says how far it has come. Nobody need listen.
#[derive(Debug, Clone, Default)]
pub struct Stages(watch::Sender<Stage>);

impl Stages {
    pub(super) fn reach(&self, stage: Stage) {
        self.0.send_replace(stage);
    }

    /// What is told from now on.
    #[must_use]
    pub fn follow(&self) -> watch::Receiver<Stage> {
        self.0.subscribe()
    }
}
