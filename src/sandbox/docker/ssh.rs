//! A connection to the engine of another machine: `ssh` runs `docker system dial-stdio` there,
//! which joins its standard input and output to the engine's socket. So does Docker's own client.
//! Whom to believe and with which key is the business of `ssh` and its configuration; nobody is
//! asked anything, so an unknown machine is refused.

use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::process::Stdio;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::oneshot;

use super::address::Destination;

/// What is kept of what `ssh` says.
const WORDS: u64 = 4096;
/// How long its last words are waited for: a process it left behind may hold them back.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Makes connections over `ssh`.
#[derive(Debug, Clone)]
pub(super) struct Dialer {
    pub(super) program: PathBuf,
    pub(super) environment: Vec<(String, String)>,
    pub(super) destination: Destination,
}

impl Dialer {
    fn arguments(&self) -> Vec<String> {
        let Destination {
            user,
            host,
            port,
            socket,
        } = &self.destination;
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let mut arguments: Vec<String> =
            words(&["-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=20"]);
        if let Some(user) = user {
            arguments.extend(["-l".to_owned(), user.clone()]);
        }
        if let Some(port) = port {
            arguments.extend(["-p".to_owned(), port.to_string()]);
        }
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        arguments.extend(["--".to_owned(), bare.to_owned(), "docker".to_owned()]);
        if let Some(socket) = socket {
            arguments.extend(["--host".to_owned(), format!("unix://{socket}")]);
        }
        arguments.extend(["system".to_owned(), "dial-stdio".to_owned()]);
        arguments
    }

    fn dial(&self) -> io::Result<Dialled> {
        let mut command = Command::new(&self.program);
        command
            .args(self.arguments())
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        // A signal of the terminal is MCE's: the connection is still needed to remove containers.
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let piped = |what: &str| io::Error::other(format!("`ssh` has no {what}"));
        let input = child.stdin.take().ok_or_else(|| piped("input"))?;
        let output = child.stdout.take().ok_or_else(|| piped("output"))?;
        let words = child.stderr.take().ok_or_else(|| piped("messages"))?;
        let (sender, receiver) = oneshot::channel();
        tokio::spawn(listen(words, sender));
        let last_words = async {
            let said = tokio::time::timeout(LAST_WORDS, receiver).await;
            said.ok().and_then(Result::ok).unwrap_or_default()
        };
        Ok(Dialled {
            input: Some(input),
            output,
            answered: false,
            last_words: Box::pin(last_words),
            _child: child,
        })
    }
}

/// Reads all that `ssh` says, keeps the beginning of it and hands it on at the end.
async fn listen(mut words: ChildStderr, sender: oneshot::Sender<String>) {
    let mut kept = Vec::new();
    let _ = (&mut words).take(WORDS).read_to_end(&mut kept).await;
    let _ = tokio::io::copy(&mut words, &mut tokio::io::sink()).await;
    let text = String::from_utf8_lossy(&kept);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let _ = sender.send(lines.join(" ").trim().to_owned());
}

impl tower_service::Service<http::Uri> for Dialer {
    type Response = TokioIo<Dialled>;
    type Error = io::Error;
    type Future = std::future::Ready<io::Result<TokioIo<Dialled>>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: http::Uri) -> Self::Future {
        std::future::ready(self.dial().map(TokioIo::new))
    }
}

/// A connection that is open as long as its process runs.
pub(super) struct Dialled {
    input: Option<ChildStdin>,
    output: ChildStdout,
    /// Whether anything came.
    answered: bool,
    last_words: Pin<Box<dyn Future<Output = String> + Send>>,
    _child: Child,
}

impl AsyncRead for Dialled {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.output).poll_read(context, buffer))?;
        if buffer.filled().len() > before {
            self.answered = true;
        } else if !self.answered && buffer.remaining() > 0 {
            // It ended before it began: why is what the user has to know.
            let said = ready!(self.last_words.as_mut().poll(context));
            self.answered = true;
            if !said.is_empty() {
                return Poll::Ready(Err(io::Error::other(format!("ssh: {said}"))));
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl Dialled {
    fn input(&mut self) -> io::Result<Pin<&mut ChildStdin>> {
        let input = self.input.as_mut().map(Pin::new);
        input.ok_or_else(|| io::ErrorKind::BrokenPipe.into())
    }
}

impl AsyncWrite for Dialled {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.input()?.poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.input()?.poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The other side sees the end when the pipe is closed.
        self.input = None;
        Poll::Ready(Ok(()))
    }
}

impl Connection for Dialled {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(destination: Destination) -> String {
        let dialer = Dialer {
            program: "/ssh".into(),
            environment: Vec::new(),
            destination,
        };
        dialer.arguments().join(" ")
    }

    #[test]
    fn nothing_of_an_address_is_an_option_of_ssh() {
        let least = Destination {
            user: None,
            host: "-oProxyCommand=x".to_owned(),
            port: None,
            socket: None,
        };
        assert_eq!(
            arguments(least),
            "-T -o BatchMode=yes -o ConnectTimeout=20 -- -oProxyCommand=x docker system dial-stdio"
        );
        let most = Destination {
            user: Some("me".to_owned()),
            host: "[::1]".to_owned(),
            port: Some(2222),
            socket: Some("/run/x.sock".to_owned()),
        };
        assert_eq!(
            arguments(most),
            "-T -o BatchMode=yes -o ConnectTimeout=20 -l me -p 2222 -- ::1 \
             docker --host unix:///run/x.sock system dial-stdio"
        );
    }
}
