//! The sandbox of this process: connected in the background, asked for by every execution.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use tokio::sync::Mutex;

use crate::sandbox::Sandbox;

/// How long a failure stands before the next execution tries again: whoever starts the engine
/// need not restart `mce`, and nobody waits for a dead engine more often than this.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// How long connecting and proving may take altogether. It takes a few seconds, and longer where
/// many processes do it at once; an engine that hangs must not make everyone wait for good.
const PATIENCE: Duration = Duration::from_mins(1);

/// Why there is no sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What was found.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

type Connect =
    dyn Fn() -> BoxFuture<'static, Result<Arc<dyn Sandbox>, Finding>> + Send + Sync + 'static;

/// Connects and proves a sandbox. It is asked again after a failure, never after a success.
pub struct SandboxProvider(Box<Connect>);

impl SandboxProvider {
    /// A provider that runs `connect`.
    pub fn new<F, Connecting>(connect: F) -> Self
    where
        F: Fn() -> Connecting + Send + Sync + 'static,
        Connecting: Future<Output = Result<Arc<dyn Sandbox>, Finding>> + Send + 'static,
    {
        Self(Box::new(move || Box::pin(connect())))
    }

    /// A provider of a sandbox that is there already.
    #[must_use]
    pub fn ready(sandbox: Arc<dyn Sandbox>) -> Self {
        Self::new(move || std::future::ready(Ok(Arc::clone(&sandbox))))
    }
}

impl fmt::Debug for SandboxProvider {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SandboxProvider")
    }
}

type Connection = Result<Arc<dyn Sandbox>, Finding>;

/// The one sandbox, or why there is none.
pub(super) struct Engine {
    provider: SandboxProvider,
    patience: Duration,
    connection: Mutex<Option<(Instant, Connection)>>,
    /// The same once it is there, for those who must not wait for who connects or asks.
    connected: OnceLock<Arc<dyn Sandbox>>,
}

impl Engine {
    pub(super) fn new(provider: SandboxProvider) -> Self {
        Self {
            provider,
            patience: PATIENCE,
            connection: Mutex::new(None),
            connected: OnceLock::new(),
        }
    }

    /// The sandbox. Whoever comes while it is being connected waits for the same connection.
    pub(super) async fn sandbox(&self) -> Connection {
        let mut connection = self.connection.lock().await;
        if let Some((at, outcome)) = connection.as_ref()
            && (outcome.is_ok() || at.elapsed() < RETRY_AFTER)
        {
            return outcome.clone();
        }
        let connecting = tokio::time::timeout(self.patience, (self.provider.0)());
        let outcome = connecting.await.unwrap_or_else(|_| {
            Err(Finding {
                message: format!(
                    "the sandbox was not ready within {} seconds",
                    self.patience.as_secs_f64()
                ),
                hint: Some("see `mce sandbox status`".to_owned()),
            })
        });
        match &outcome {
            Ok(sandbox) => {
                self.connected.get_or_init(|| Arc::clone(sandbox));
            }
            Err(finding) => {
                tracing::warn!(finding = %finding.message, "there is no sandbox");
            }
        }
        *connection = Some((Instant::now(), outcome.clone()));
        outcome
    }
}

impl Engine {
    /// How many executions need not wait for their place to start; `None` where there is no sandbox yet.
    pub(super) fn ready(&self) -> Option<u64> {
        let sandbox = self.connected.get()?;
        u64::try_from(sandbox.ready()).ok()
    }

    /// Whether code may import libraries; where no sandbox is there yet, those of an image are expected.
    pub(super) fn has_libraries(&self) -> bool {
        self.connected
            .get()
            .is_none_or(|sandbox| sandbox.has_libraries())
    }

    /// Somebody will soon run code: where there is a sandbox, one place in it is made ready.
    pub(super) fn expect(&self) {
        if let Some(sandbox) = self.connected.get() {
            sandbox.expect();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use serde_json::Value;

    use super::*;
    use crate::runtime::fixture::{FakeSandbox, returned};

    /// Whoever looked at the numbers while an execution asked for the sandbox was told that there is none.
    #[tokio::test]
    async fn a_sandbox_that_is_there_is_told_of_while_somebody_asks_for_it() {
        let sandbox = FakeSandbox::new(|_, _| async { returned(Value::Null) });
        let engine = Engine::new(SandboxProvider::ready(Arc::new(sandbox)));
        assert_eq!(engine.ready(), None);
        assert!(engine.sandbox().await.is_ok());
        let _asking = engine.connection.lock().await;
        assert_eq!(engine.ready(), Some(0));
    }

    #[tokio::test]
    async fn a_failure_stands_for_a_while_and_is_not_asked_for_by_everyone() {
        let attempts = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&attempts);
        let engine = Engine::new(SandboxProvider::new(move || {
            counted.fetch_add(1, Ordering::SeqCst);
            std::future::ready(Err(Finding {
                message: "no engine".to_owned(),
                hint: None,
            }))
        }));
        for _ in 0..3 {
            assert_eq!(engine.sandbox().await.err().unwrap().message, "no engine");
        }
        assert_eq!(attempts.load(Ordering::SeqCst), 1);
    }

    /// Every execution waited for as long as the engine did not answer.
    #[tokio::test]
    async fn an_engine_that_hangs_is_given_up_and_that_stands_for_a_while() {
        let attempts = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&attempts);
        let mut engine = Engine::new(SandboxProvider::new(move || {
            counted.fetch_add(1, Ordering::SeqCst);
            std::future::pending()
        }));
        engine.patience = Duration::from_millis(20);
        for _ in 0..2 {
            let finding = engine.sandbox().await.err().unwrap();
            assert!(finding.message.contains("within 0.02 s"), "{finding:?}");
        }
        assert_eq!(attempts.load(Ordering::SeqCst), 1);
    }
}
