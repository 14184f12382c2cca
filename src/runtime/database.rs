//! A SQLite file with a thread of its own, so that no asynchronous task ever waits on the disk.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, TrySendError};
use std::thread;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use tokio::sync::oneshot;

use super::private_file::{self, Access};

/// Why a database cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file or its folder cannot be made or read.
    #[error("cannot open the {purpose} database `{}`: {source}; check the folder's permissions or set `{setting}`", path.display())]
    File {
        /// What the database is for.
        purpose: &'static str,
        /// The file.
        path: PathBuf,
        /// The setting that says where it is.
        setting: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The file is not what it should be.
    #[error("the {purpose} database `{}` cannot be used: {source}; move it away or set `{setting}`", path.display())]
    Content {
        /// What the database is for.
        purpose: &'static str,
        /// The file.
        path: PathBuf,
        /// The setting that says where it is.
        setting: &'static str,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// A statement failed while the process was running.
    #[error("a statement on a database failed: {0}")]
    Statement(#[from] rusqlite::Error),
    /// The database was closed.
    #[error("the database is closed")]
    Closed,
}

/// Which file, what for, and its tables.
#[derive(Clone)]
pub(super) struct Schema {
    /// What the database is for, in messages.
    pub(super) purpose: &'static str,
    /// The setting that says where it is.
    pub(super) setting: &'static str,
    /// `PRAGMA application_id`, by which a file is known for one that MCE made for this purpose.
    pub(super) application_id: i32,
    /// `PRAGMA user_version`; a file with another one is refused, not guessed at.
    pub(super) version: i64,
    /// `CREATE … IF NOT EXISTS`.
    pub(super) tables: &'static str,
}

/// The path of a database that lives in this process alone and leaves no file.
pub const IN_MEMORY: &str = ":memory:";

/// Pieces of work that may wait for the thread. A disk that hangs must not take the memory too.
const QUEUE: usize = 10_000;
/// How long [`Database::run`] waits before it looks again whether there is room.
const RETRY: Duration = Duration::from_millis(10);

/// How long a statement waits for other processes that write the same file.
const BUSY: Duration = Duration::from_secs(5);

type Work = Box<dyn FnOnce(&mut Connection) + Send>;

/// A handle on the thread that owns the connection. The thread ends, its work done, when the last
/// handle is gone.
#[derive(Clone)]
pub(super) struct Database {
    work: mpsc::SyncSender<Work>,
    /// Pieces of work that found no room, or that the disk refused.
    lost: Arc<AtomicUsize>,
}

impl Database {
    /// Opens the file (mode 0600, write-ahead log) and makes its tables.
    pub(super) fn open(path: &Path, schema: &Schema) -> Result<Self, Error> {
        if path != Path::new(IN_MEMORY) {
            create_private(path).map_err(|source| Error::File {
                purpose: schema.purpose,
                path: path.to_owned(),
                setting: schema.setting,
                source,
            })?;
        }
        let connection = connect(path, schema).map_err(|source| Error::Content {
            purpose: schema.purpose,
            path: path.to_owned(),
            setting: schema.setting,
            source,
        })?;
        let mut file = Followed::new(path, schema);
        let (sender, receiver) = mpsc::sync_channel::<Work>(QUEUE);
        thread::Builder::new()
            .name(format!("mce-{}", schema.purpose))
            .spawn(move || {
                let mut connection = connection;
                while let Ok(work) = receiver.recv() {
                    file.follow(&mut connection);
                    work(&mut connection);
                }
            })
            .map_err(|source| Error::File {
                purpose: schema.purpose,
                path: path.to_owned(),
                setting: schema.setting,
                source,
            })?;
        Ok(Self {
            work: sender,
            lost: Arc::default(),
        })
    }

    /// Runs `work` on the thread and waits for what it gives.
    pub(super) async fn run<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        let (answer, waiting) = oneshot::channel();
        let mut work: Work = Box::new(move |connection| {
            // Nobody waits any more when the request was cancelled: the work counts all the same.
            let _ = answer.send(work(connection));
        });
        loop {
            match self.work.try_send(work) {
                Ok(()) => break,
                Err(TrySendError::Full(refused)) => work = refused,
                Err(TrySendError::Disconnected(_)) => return Err(Error::Closed),
            }
            tokio::time::sleep(RETRY).await;
        }
        Ok(waiting.await.map_err(|_| Error::Closed)??)
    }

    /// Queues `work` and returns at once. A failure is logged and counted: there is nobody to tell. So
    /// is what was lost because the queue was full. A disk that stays full does not fill the log.
    pub(super) fn post<F>(&self, work: F)
    where
        F: FnOnce(&mut Connection) -> rusqlite::Result<()> + Send + 'static,
    {
        let lost = Arc::clone(&self.lost);
        let queued = self.work.try_send(Box::new(move |connection| {
            if let Err(error) = work(connection) {
                count_loss(&lost, &error);
            }
        }));
        match queued {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => count_loss(&self.lost, &"the database is too slow"),
            Err(TrySendError::Disconnected(_)) => {
                count_loss(&self.lost, &"the database is closed");
            }
        }
    }

    /// How many pieces of work were posted and not done so far.
    pub(super) fn lost(&self) -> usize {
        self.lost.load(Ordering::Relaxed)
    }

    /// Waits until everything queued so far is written.
    pub(super) async fn flush(&self) {
        // The only error is a closed database, which has nothing left to write.
        let _ = self.run(|_| Ok(())).await;
    }
}

/// The file of a database, which somebody may remove while it is open: what is written then would be
/// gone with the process.
struct Followed {
    path: PathBuf,
    schema: Schema,
    identity: Option<Identity>,
    failures: AtomicUsize,
}

/// What the file system knows a file by.
type Identity = (u64, u64);

impl Followed {
    fn new(path: &Path, schema: &Schema) -> Self {
        Self {
            path: path.to_owned(),
            schema: schema.clone(),
            identity: identity(path),
            failures: AtomicUsize::new(0),
        }
    }

    /// Opens the file anew where it is not the one that was opened.
    fn follow(&mut self, connection: &mut Connection) {
        if self.identity.is_none() || identity(&self.path) == self.identity {
            return;
        }
        // SQLite removes the log beside the old file by its name when it closes: that comes first.
        match Connection::open_in_memory() {
            Ok(nothing) => drop(std::mem::replace(connection, nothing)),
            Err(error) => return count_loss(&self.failures, &error),
        }
        let opened = create_private(&self.path)
            .map_err(|error| error.to_string())
            .and_then(|()| connect(&self.path, &self.schema).map_err(|error| error.to_string()));
        match opened {
            Ok(opened) => {
                *connection = opened;
                self.identity = identity(&self.path);
                let (purpose, path) = (self.schema.purpose, self.path.display());
                tracing::error!(purpose, %path, "a database was removed or replaced, and begun anew");
            }
            Err(error) => count_loss(&self.failures, &error),
        }
    }
}

/// Of a database in memory there is none.
#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Path) -> Option<Identity> {
    None
}

/// Counts what was lost, and says so the first time, the second, the fourth, and so on.
pub(super) fn count_loss(lost: &AtomicUsize, why: &dyn std::fmt::Display) {
    let lost = lost.fetch_add(1, Ordering::Relaxed).saturating_add(1);
    if lost.is_power_of_two() {
        tracing::error!(lost, %why, "rows could not be written");
    }
}

/// Runs a statement, which the connection keeps compiled: most are run again and again.
pub(super) fn execute(
    connection: &Connection,
    sql: &str,
    params: impl rusqlite::Params,
) -> rusqlite::Result<usize> {
    connection.prepare_cached(sql)?.execute(params)
}

/// Makes the file and its folder where they are missing, readable by the owner only. SQLite gives
/// the `-wal` and `-shm` files that it makes the mode of the main one; those it finds are seen to here.
fn create_private(path: &Path) -> io::Result<()> {
    private_file::open(path, Access::Database)?;
    for name in ["-wal", "-shm"].map(|suffix| beside(path, suffix)) {
        if name.exists() {
            private_file::open(&name, Access::Database)?;
        }
    }
    Ok(())
}

/// The file that SQLite keeps beside a database.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = std::ffi::OsString::from(path);
    name.push(suffix);
    name.into()
}

/// Whether a database is empty, or one that MCE made for this purpose.
fn is_ours(connection: &Connection, schema: &Schema) -> rusqlite::Result<bool> {
    let id: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let count = "SELECT count(*) FROM sqlite_schema";
    let tables: i64 = connection.query_row(count, (), |row| row.get(0))?;
    Ok(id == schema.application_id || (id == 0 && tables == 0))
}

/// Removes a database with what it keeps beside itself, if MCE made it for this purpose; `false`
/// where there is none.
pub(super) fn remove(path: &Path, schema: &Schema) -> Result<bool, Error> {
    let content = |source| Error::Content {
        purpose: schema.purpose,
        path: path.to_owned(),
        setting: schema.setting,
        source,
    };
    let file = |source| Error::File {
        purpose: schema.purpose,
        path: path.to_owned(),
        setting: schema.setting,
        source,
    };
    match std::fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        // A pipe or a device would be waited for.
        Ok(metadata) if !metadata.is_file() => return Err(file(private_file::no_file())),
        _ => {}
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    let connection = Connection::open_with_flags(path, flags).map_err(content)?;
    expect_ours(&connection, schema).map_err(content)?;
    drop(connection);
    for suffix in ["-wal", "-shm", ""] {
        match std::fs::remove_file(beside(path, suffix)) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(file(source));
            }
            _ => {}
        }
    }
    Ok(true)
}

/// Opens a database to be read, while other processes may write it. Nothing is made or changed.
pub(super) fn open_to_read(path: &Path, schema: &Schema) -> Result<Connection, Error> {
    let metadata = std::fs::metadata(path).and_then(|it| {
        if it.is_file() {
            Ok(it)
        } else {
            Err(private_file::no_file())
        }
    });
    if let Err(source) = metadata {
        return Err(Error::File {
            purpose: schema.purpose,
            path: path.to_owned(),
            setting: schema.setting,
            source,
        });
    }
    let open = || {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(BUSY)?;
        expect_ours(&connection, schema)?;
        let found = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        expect_version(found, schema)?;
        Ok(connection)
    };
    open().map_err(|source| Error::Content {
        purpose: schema.purpose,
        path: path.to_owned(),
        setting: schema.setting,
        source,
    })
}

/// How a database is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatabaseState {
    /// There is none yet.
    Missing,
    /// It is whole.
    Sound,
    /// SQLite finds faults in it.
    Damaged(String),
}

/// Looks whether a database is whole. Nothing is made or changed.
pub(super) fn look(path: &Path, schema: &Schema) -> Result<DatabaseState, Error> {
    if path == Path::new(IN_MEMORY) || !path.exists() {
        return Ok(DatabaseState::Missing);
    }
    let connection = open_to_read(path, schema)?;
    let found: String = connection.query_row("PRAGMA quick_check(1)", (), |row| row.get(0))?;
    Ok(if found == "ok" {
        DatabaseState::Sound
    } else {
        DatabaseState::Damaged(found)
    })
}

fn expect_ours(connection: &Connection, schema: &Schema) -> rusqlite::Result<()> {
    if is_ours(connection, schema)? {
        return Ok(());
    }
    Err(rusqlite::Error::SqliteFailure(
        rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_NOTADB),
        Some("it holds what `mce` did not make for this".to_owned()),
    ))
}

/// A version of 0 is that of a file without tables.
fn expect_version(found: i64, schema: &Schema) -> rusqlite::Result<()> {
    if found == 0 || found == schema.version {
        return Ok(());
    }
    Err(rusqlite::Error::SqliteFailure(
        rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_SCHEMA),
        Some(format!(
            "it has the format {found}, this `mce` knows {}",
            schema.version
        )),
    ))
}

fn connect(path: &Path, schema: &Schema) -> rusqlite::Result<Connection> {
    let mut connection = Connection::open(path)?;
    // Other `mce` processes may have the same file open.
    connection.busy_timeout(BUSY)?;
    expect_ours(&connection, schema)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let found: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    expect_version(found, schema)?;
    transaction.execute_batch(schema.tables)?;
    transaction.pragma_update(None, "application_id", schema.application_id)?;
    transaction.pragma_update(None, "user_version", schema.version)?;
    transaction.commit()?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: Schema = Schema {
        purpose: "test",
        setting: "MCE_TEST",
        application_id: 1,
        version: 1,
        tables: "CREATE TABLE IF NOT EXISTS t (n INTEGER) STRICT;",
    };

    /// What was written went to a file that had no name any more, and nobody was told.
    #[cfg(unix)]
    #[tokio::test]
    async fn a_file_that_is_removed_while_it_is_open_is_begun_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let database = Database::open(&path, &SCHEMA).unwrap();
        let insert = |database: &Database| {
            let database = database.clone();
            async move {
                database
                    .run(|connection| connection.execute("INSERT INTO t VALUES (1)", []))
                    .await
                    .unwrap()
            }
        };
        insert(&database).await;
        for name in ["a.db", "a.db-wal", "a.db-shm"] {
            let _ = std::fs::remove_file(folder.path().join(name));
        }
        insert(&database).await;
        insert(&database).await;
        let other = Connection::open(&path).unwrap();
        let count: i64 = other
            .query_row("SELECT count(*) FROM t", [], |row| row.get(0))
            .unwrap();
        assert_eq!(count, 2);
    }
}
