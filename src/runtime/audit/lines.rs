//! The audit as lines of JSON, for whoever collects logs. Written by a thread of its own, so that no
//! task ever waits for the disk, and only ever at the end of the file.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, TrySendError};
use std::thread;

use tokio::sync::oneshot;

use super::super::database::count_loss;
use super::super::private_file::{self, Access};
use crate::config::AuditLog;

/// Why the audit's lines cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot open the audit log `{}`: {source}; check the folder's permissions or set `MCE_AUDIT_LOG`", path.display())]
pub struct LogError {
    path: PathBuf,
    source: io::Error,
}

/// Lines that may wait for the thread.
const QUEUE: usize = 10_000;

enum Message {
    Line(String),
    Flush(oneshot::Sender<()>),
}

/// A handle on the thread, which ends when it is gone.
pub(super) struct Lines {
    sender: mpsc::SyncSender<Message>,
    lost: Arc<AtomicUsize>,
}

impl Lines {
    /// Opens the file, so that one that cannot be written is known at start.
    pub(super) fn open(log: &AuditLog) -> Result<Self, LogError> {
        let fail = |source| LogError {
            path: match log {
                AuditLog::Stderr => PathBuf::from("-"),
                AuditLog::File(path) => path.clone(),
            },
            source,
        };
        let mut sink = match log {
            AuditLog::Stderr => Sink::Stderr,
            AuditLog::File(path) => Sink::File(Appended::open(path).map_err(fail)?),
        };
        let (sender, receiver) = mpsc::sync_channel(QUEUE);
        let lost = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&lost);
        thread::Builder::new()
            .name("mce-audit-log".to_owned())
            .spawn(move || {
                while let Ok(message) = receiver.recv() {
                    match message {
                        Message::Line(line) => {
                            if let Err(error) = sink.write(&line) {
                                count_loss(&counted, &format!("the audit log: {error}"));
                            }
                        }
                        // Nobody may wait any more.
                        Message::Flush(done) => drop(done.send(())),
                    }
                }
            })
            .map_err(fail)?;
        Ok(Self { sender, lost })
    }

    /// Queues a line.
    pub(super) fn post(&self, line: String) {
        match self.sender.try_send(Message::Line(line)) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => count_loss(&self.lost, &"the audit log is too slow"),
            Err(TrySendError::Disconnected(_)) => {
                count_loss(&self.lost, &"the audit log is closed");
            }
        }
    }

    /// How many lines were lost so far.
    pub(super) fn lost(&self) -> usize {
        self.lost.load(Ordering::Relaxed)
    }

    /// Waits until everything queued so far is written.
    pub(super) async fn flush(&self) {
        let (done, waiting) = oneshot::channel();
        let mut message = Message::Flush(done);
        while let Err(TrySendError::Full(refused)) = self.sender.try_send(message) {
            message = refused;
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        // The only error is a thread that ended, which has nothing left to write.
        let _ = waiting.await;
    }
}

enum Sink {
    Stderr,
    File(Appended),
}

impl Sink {
    fn write(&mut self, line: &str) -> io::Result<()> {
        match self {
            Self::Stderr => io::stderr().lock().write_all(line.as_bytes()),
            Self::File(file) => file.write(line),
        }
    }
}

/// A file that is written at its end, and opened anew when another one takes its place: so it is
/// rotated, by whoever renames it.
struct Appended {
    path: PathBuf,
    file: File,
    /// Times that it could not be opened anew.
    failures: usize,
    /// Whether the last line has no end: the disk was full, or the process was killed.
    is_open_line: bool,
}

impl Appended {
    fn open(path: &Path) -> io::Result<Self> {
        let mut file = private_file::open(path, Access::Append)?;
        let is_open_line = ends_within_a_line(&mut file)?;
        Ok(Self {
            path: path.to_owned(),
            file,
            failures: 0,
            is_open_line,
        })
    }

    fn write(&mut self, line: &str) -> io::Result<()> {
        if self.was_replaced() {
            // Where that fails, what is open still holds the line.
            match Self::open(&self.path) {
                Ok(opened) => *self = opened,
                // A path that stays unusable does not fill the log.
                Err(error) => {
                    let failed = self.failures.saturating_add(1);
                    self.failures = failed;
                    if failed.is_power_of_two() {
                        tracing::warn!(%error, failed, "the audit log was moved and cannot be opened anew");
                    }
                }
            }
        }
        // In one piece: other processes may write the same file.
        let written = if self.is_open_line {
            self.file.write_all(format!("\n{line}").as_bytes())
        } else {
            self.file.write_all(line.as_bytes())
        };
        self.is_open_line = match written {
            Ok(()) => false,
            // How much of it was written is unknown.
            Err(_) => ends_within_a_line(&mut self.file).unwrap_or(true),
        };
        written
    }

    #[cfg(unix)]
    fn was_replaced(&self) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        let Ok(open) = self.file.metadata() else {
            return true;
        };
        !std::fs::metadata(&self.path)
            .is_ok_and(|there| (there.dev(), there.ino()) == (open.dev(), open.ino()))
    }

    #[cfg(not(unix))]
    fn was_replaced(&self) -> bool {
        !self.path.exists()
    }
}

/// Whether a file holds something and its last byte ends no line.
fn ends_within_a_line(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn written(path: &Path) -> String {
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn a_file_that_was_renamed_is_made_anew_and_is_its_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let mut log = Appended::open(&path).unwrap();
        log.write("one\n").unwrap();
        let rotated = folder.path().join("audit.jsonl.1");
        std::fs::rename(&path, &rotated).unwrap();
        log.write("two\n").unwrap();
        assert_eq!(
            (written(&rotated), written(&path)),
            ("one\n".into(), "two\n".into())
        );
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        // One that was emptied where it stands (`copytruncate`) goes on from its start.
        File::create(&path).unwrap();
        log.write("three\n").unwrap();
        assert_eq!(written(&path), "three\n");
    }

    #[test]
    fn where_no_new_file_can_be_made_the_old_one_is_written_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let mut log = Appended::open(&path).unwrap();
        let rotated = folder.path().join("audit.jsonl.1");
        std::fs::rename(&path, &rotated).unwrap();
        std::fs::create_dir(&path).unwrap();
        log.write("kept\n").unwrap();
        assert_eq!(written(&rotated), "kept\n");
    }

    #[test]
    fn a_line_that_was_cut_off_does_not_spoil_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        std::fs::write(&path, "{\"half\":").unwrap();
        let mut log = Appended::open(&path).unwrap();
        log.write("{}\n").unwrap();
        log.write("{}\n").unwrap();
        assert_eq!(written(&path), "{\"half\":\n{}\n{}\n");
    }

    #[tokio::test]
    async fn a_full_disk_is_counted_and_ends_nothing() {
        let mut sink = Sink::File(Appended {
            path: PathBuf::from("/dev/full"),
            file: std::fs::OpenOptions::new()
                .read(true)
                .append(true)
                .open("/dev/full")
                .unwrap(),
            is_open_line: false,
            failures: 0,
        });
        let error = sink.write("line\n").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        let lost = AtomicUsize::new(0);
        count_loss(&lost, &error);
        assert_eq!(lost.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn what_is_no_file_is_refused_at_start() {
        let error = Lines::open(&AuditLog::File("/dev/null".into())).err();
        let told = error.unwrap().to_string();
        assert!(told.contains("it is no regular file"), "{told}");
        assert!(told.contains("MCE_AUDIT_LOG"), "{told}");
    }
}
