//! One run of a program: text in, text out, bounded in time by whoever waits and in size here.

use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;

/// The most that is taken of what the program writes, in bytes of stdout and of stderr.
const WRITTEN: usize = 4 << 20;

/// How much of stderr is told, in characters.
const TOLD: usize = 300;

/// Why there is no answer of the program.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// It did not start.
    #[error("it did not start: {0}")]
    Start(#[source] io::Error),
    /// Its pipes broke.
    #[error("it could not be read: {0}")]
    Pipe(#[source] io::Error),
    /// It took too long and was killed.
    #[error("it did not end within {} seconds", .0.as_secs_f64())]
    Time(Duration),
    /// It wrote too much and was killed.
    #[error("it wrote more than {WRITTEN} bytes")]
    Size,
    /// It ended in another way than a linter does.
    #[error("it ended with {0}: {1}")]
    Ended(ExitStatus, String),
    /// What it wrote is not what a linter writes.
    #[error("it wrote something else than findings: {0}")]
    Written(#[source] serde_json::Error),
}

/// What the program wrote to stdout. It and all that it started are killed when the future is
/// dropped.
///
/// # Errors
/// It did not run to its end, or ended with another code than 0 and 1.
pub(super) async fn run(
    program: &Path,
    arguments: &[&str],
    input: &str,
) -> Result<Vec<u8>, Failure> {
    let mut command = Command::new(program);
    command
        .args(arguments)
        // A folder without anything of the user's; the program's variables are none of its business.
        .current_dir(program.ancestors().last().unwrap_or(program))
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    let mut child = command.spawn().map_err(Failure::Start)?;
    // Dropped before the child, so that the group's number is still its own.
    let group = Group::of(child.id());
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let write = async {
        if let Some(mut stdin) = stdin {
            // A program that ends without reading is judged by how it ended.
            let _ = stdin.write_all(input.as_bytes()).await;
        }
        Ok(())
    };
    let ((), stdout, stderr) = tokio::try_join!(write, read(stdout), read(stderr))?;
    let status = child.wait().await.map_err(Failure::Pipe)?;
    group.ended();
    if matches!(status.code(), Some(0 | 1)) {
        return Ok(stdout);
    }
    let told = String::from_utf8_lossy(&stderr);
    let told = told.trim().chars().take(TOLD).collect();
    Err(Failure::Ended(status, told))
}

async fn read(pipe: Option<impl AsyncRead + Unpin>) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        let most = u64::try_from(WRITTEN).unwrap_or(u64::MAX).saturating_add(1);
        pipe.take(most)
            .read_to_end(&mut bytes)
            .await
            .map_err(Failure::Pipe)?;
    }
    if bytes.len() > WRITTEN {
        return Err(Failure::Size);
    }
    Ok(bytes)
}

/// The process group of a child that nobody has waited for yet; killed with the value.
struct Group(
    #[cfg_attr(not(unix), expect(dead_code, reason = "only Unix has groups"))] Option<u32>,
);

impl Group {
    fn of(child: Option<u32>) -> Self {
        Self(child)
    }

    /// The number may be another's from now on.
    fn ended(mut self) {
        self.0 = None;
    }
}

#[cfg(unix)]
impl Drop for Group {
    fn drop(&mut self) {
        let leader = self.0.and_then(|id| i32::try_from(id).ok());
        if let Some(leader) = leader.and_then(rustix::process::Pid::from_raw) {
            // There may be nobody left in it.
            let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
    }
}
