//! The parent's side: how a worker is started.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc;

use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// A command that starts a worker: no environment, three pipes, a process group of its own (so
/// that an interrupt at the terminal is the parent's alone), killed when the handle is dropped.
pub fn command(program: &Path, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    command
}

/// A thread that starts workers and lives as long as the process.
///
/// The kernel takes the thread that started a process for its parent where it is to be killed with
/// the parent. A thread of the runtime's pool may end long before the process does (it becomes one
/// after `block_in_place`, for example), and would take its workers along.
#[derive(Debug, Clone)]
pub struct Launcher {
    requests: mpsc::Sender<Request>,
}

struct Request {
    command: Command,
    runtime: Handle,
    reply: oneshot::Sender<io::Result<Child>>,
}

impl Launcher {
    /// Starts the thread. It ends with the process; one launcher is enough.
    ///
    /// # Errors
    ///
    /// Where the system gives no thread.
    pub fn new() -> io::Result<Self> {
        let (requests, received) = mpsc::channel::<Request>();
        // Kept open here too: the thread must not end with the last launcher.
        let open = requests.clone();
        std::thread::Builder::new()
            .name("launcher".to_owned())
            .spawn(move || {
                let _open = open;
                for mut request in received {
                    let _runtime = request.runtime.enter();
                    let child = request.command.spawn();
                    drop(request.reply.send(child));
                }
            })?;
        Ok(Self { requests })
    }

    /// Starts a worker. To be called within a tokio runtime, which reaps it.
    ///
    /// # Errors
    ///
    /// As of [`Command::spawn`].
    pub async fn spawn(&self, command: Command) -> io::Result<Child> {
        let (reply, child) = oneshot::channel();
        let request = Request {
            command,
            runtime: Handle::current(),
            reply,
        };
        self.requests
            .send(request)
            .map_err(|_| io::Error::other("the thread that starts workers has ended"))?;
        child
            .await
            .map_err(|_| io::Error::other("the thread that starts workers has ended"))?
    }
}
