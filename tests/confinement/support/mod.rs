//! Starts this program as a worker and talks to it.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    reason = "each test uses a part of it, and may fail anywhere"
)]

use mce::sandbox::embedded::confine::{
    Ended, Launcher, Limits, Measured, Weakness, command, verdict,
};
use std::sync::OnceLock;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::runtime::Runtime;

pub fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| Runtime::new().unwrap())
}

fn launcher() -> &'static Launcher {
    static LAUNCHER: OnceLock<Launcher> = OnceLock::new();
    LAUNCHER.get_or_init(|| Launcher::new().unwrap())
}

pub fn limits() -> Limits {
    Limits {
        parent: std::process::id(),
        memory: 256 << 20,
        processor: 20,
    }
}

pub fn worker_command(limits: Limits, without: &[Weakness], action: &str) -> Command {
    let limits = serde_json::to_string(&limits).unwrap();
    let without = serde_json::to_string(without).unwrap();
    let program = std::env::current_exe().unwrap();
    command(&program, ["worker", &limits, &without, action])
}

pub async fn start(limits: Limits, without: &[Weakness], action: &str) -> Running {
    start_command(worker_command(limits, without, action)).await
}

pub async fn start_command(command: Command) -> Running {
    Running::new(launcher().spawn(command).await.unwrap())
}

pub struct Running {
    child: Child,
}

impl Running {
    pub fn new(child: Child) -> Self {
        Self { child }
    }

    /// The next frame: its length in four bytes, most significant first, and as many bytes.
    pub async fn next_frame(&mut self) -> Option<Vec<u8>> {
        let output = self.child.stdout.as_mut().unwrap();
        let length = output.read_u32().await.ok()?;
        let mut frame = vec![0; length as usize];
        output.read_exact(&mut frame).await.ok()?;
        Some(frame)
    }

    pub async fn frame(&mut self) -> Vec<u8> {
        match self.next_frame().await {
            Some(frame) => frame,
            None => panic!("no frame: {}", self.describe().await),
        }
    }

    async fn describe(&mut self) -> String {
        let status = self.child.wait().await.unwrap();
        let mut text = String::new();
        if let Some(stderr) = self.child.stderr.as_mut() {
            let _ = stderr.read_to_string(&mut text).await;
        }
        format!("{status}, {text}")
    }

    pub async fn send(&mut self, frame: &[u8]) {
        let input = self.child.stdin.as_mut().unwrap();
        input
            .write_u32(u32::try_from(frame.len()).unwrap())
            .await
            .unwrap();
        input.write_all(frame).await.unwrap();
    }

    /// What the worker measured; it ends by itself then.
    pub async fn measured(mut self) -> Measured {
        let frame = self.frame().await;
        drop(self.child.stdin.take());
        self.child.wait().await.unwrap();
        serde_json::from_slice(&frame).unwrap()
    }

    /// How the worker ends when nothing more is asked of it.
    pub async fn ended(mut self) -> Ended {
        self.finish(false).await
    }

    pub async fn stop(mut self) -> Ended {
        self.child.start_kill().unwrap();
        self.finish(true).await
    }

    pub async fn close_input(mut self) -> Ended {
        drop(self.child.stdin.take());
        self.finish(false).await
    }

    async fn finish(&mut self, stopped: bool) -> Ended {
        let mut stderr = Vec::new();
        let mut stdout = Vec::new();
        let mut errors = self.child.stderr.take().unwrap();
        let mut output = self.child.stdout.take().unwrap();
        let (one, other) = tokio::join!(
            errors.read_to_end(&mut stderr),
            output.read_to_end(&mut stdout)
        );
        one.unwrap();
        other.unwrap();
        let status = self.child.wait().await.unwrap();
        verdict(status, stopped, &stderr)
    }
}
