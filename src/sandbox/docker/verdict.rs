//! What the end of a container means where the code said nothing: judged by what the host observed.

use std::time::Duration;

use super::container::Container;
use crate::sandbox::running::{Ended, failure, out_of_memory, signal_name};
use crate::sandbox::{Failure, FailureKind};

/// The process ended without a word of its own: what made it?
pub(super) async fn no_word(container: &Container, ended: &Ended) -> Failure {
    match (ended.signal, ended.exit_code) {
        (Some(9), _) => {
            let ran_out = match container.counters() {
                Some(counters) => counters.oom_kills > 0,
                None => was_out_of_memory(container).await,
            };
            if ran_out {
                out_of_memory()
            } else {
                failure(
                    FailureKind::Execution,
                    "the code was killed by a signal (SIGKILL)",
                )
            }
        }
        (Some(signal), _) => Failure {
            hint: Some("native code crashed or the code sent itself a signal".to_owned()),
            ..failure(
                FailureKind::Execution,
                format!("the code was killed by {}", signal_name(signal)),
            )
        },
        (None, code) => Failure {
            hint: Some(
                "let the code run to its end, or raise an error; do not call `os._exit`".to_owned(),
            ),
            ..failure(
                FailureKind::Execution,
                format!(
                    "the code ended its process (exit code {}) before it had a result",
                    code.unwrap_or(0)
                ),
            )
        },
    }
}

/// The stream broke off: the supervisor is gone too.
pub(super) async fn lost(container: &Container, reason: &str) -> Failure {
    if !container.engine().answers().await {
        return Failure {
            hint: Some(
                "run it again once the engine is back; `mce sandbox status` shows".to_owned(),
            ),
            ..failure(
                FailureKind::Sandbox,
                "the container engine went away while the code ran",
            )
        };
    }
    if was_out_of_memory(container).await {
        return out_of_memory();
    }
    let mut message = "the container ended before the code did".to_owned();
    if let Some(last) = reason.lines().last() {
        message = format!("{message}: {last}");
    }
    failure(FailureKind::Sandbox, message)
}

/// Kills the container and asks the engine whether memory had run out before.
async fn was_out_of_memory(container: &Container) -> bool {
    container.kill().await;
    for _ in 0..40 {
        let Ok(inspected) = container.inspect().await else {
            return false;
        };
        let state = inspected.state.unwrap_or_default();
        if state.oom_killed == Some(true) {
            return true;
        }
        if state.running != Some(true) {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    false
}
