//! Results that are too large to inline, kept on disk for a while so that a client can read them
//! piece by piece. Each belongs to the principal whose code made it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rusqlite::{OptionalExtension as _, params};
use serde::Serialize;
use tokio::sync::OnceCell;

use super::clock;
use super::database::{self, Database, DatabaseState, Error, IN_MEMORY, Schema, execute};
use super::identifier;
use crate::config::ResultSettings;

const SCHEMA: Schema = Schema {
    purpose: "results",
    setting: "MCE_RESULTS_DB_PATH",
    application_id: 0x4d43_4552,
    version: 1,
    tables: "
        CREATE TABLE IF NOT EXISTS results (
            id TEXT PRIMARY KEY,
            principal TEXT NOT NULL,
            servers TEXT,
            created_ms INTEGER NOT NULL,
            size INTEGER NOT NULL,
            body BLOB NOT NULL
        ) STRICT;
        CREATE INDEX IF NOT EXISTS results_created ON results (created_ms);
    ",
};

/// Looks whether the results that are kept are whole. Nothing is made or changed.
///
/// # Errors
/// A file that holds no results of this version.
pub fn look_at_results(path: &Path) -> Result<DatabaseState, Error> {
    database::look(path, &SCHEMA)
}

/// Drops what expired, and of what is too much the oldest of whoever has most: one who keeps much
/// takes no room from one who keeps little.
const MAKE_ROOM: &str = "
    DELETE FROM results WHERE created_ms <= ?1 OR rowid IN (
        SELECT row FROM (
            SELECT row, sum(size) OVER (ORDER BY own, created_ms DESC, row DESC) AS held FROM (
                SELECT rowid AS row, size, created_ms,
                    sum(size) OVER (
                        PARTITION BY principal ORDER BY created_ms DESC, rowid DESC
                    ) AS own
                FROM results
            )
        ) WHERE held > ?2
    )";

/// Who keeps or reads a result.
#[derive(Debug, Clone, Default)]
pub(super) struct Owner {
    /// The principal.
    pub(super) principal: String,
    /// The servers that it may use; `None` for all.
    pub(super) servers: Option<BTreeSet<String>>,
}

impl Owner {
    fn servers_as_text(&self) -> Option<String> {
        let servers = self.servers.as_ref()?;
        // No name of a server holds a comma.
        Some(servers.iter().cloned().collect::<Vec<_>>().join(","))
    }

    /// Whether it may still use all that the code could use which made a result.
    fn may_use(&self, made_with: Option<&str>) -> bool {
        let Some(servers) = &self.servers else {
            return true;
        };
        made_with.is_some_and(|made_with| {
            let mut made_with = made_with.split(',').filter(|name| !name.is_empty());
            made_with.all(|name| servers.contains(name))
        })
    }
}

/// What comes before the id in the URI of a result.
pub const RESULT_URI: &str = "mce://result/";

/// The most that one read gives, in bytes.
pub const PIECE_BYTES: usize = 256 * 1024;

/// Where all of a result is, as the result that stands in for it says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeptResult {
    /// Read by `resources/read`.
    pub uri: String,
    /// Of the JSON text, in bytes.
    pub size_bytes: usize,
    /// How long it is kept.
    pub ttl_seconds: u64,
}

/// A piece of a result's JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultPiece {
    /// The text; it begins and ends between characters.
    pub text: String,
    /// Where it begins, in bytes.
    pub offset: usize,
    /// How many bytes the whole has.
    pub size: usize,
    /// Where the next piece begins; `None` where this is the last.
    pub next: Option<usize>,
    /// Milliseconds until the result is gone.
    pub ttl_ms: u64,
}

/// The results that are kept. The file is made with the first of them.
pub(super) struct Kept {
    path: PathBuf,
    ttl: Duration,
    most_bytes: usize,
    database: OnceCell<Database>,
}

impl Kept {
    pub(super) fn new(settings: &ResultSettings) -> Self {
        Self {
            path: settings.db_path.clone(),
            ttl: settings.ttl,
            most_bytes: settings.most_bytes,
            database: OnceCell::new(),
        }
    }

    async fn open(&self) -> Result<&Database, Error> {
        let path = self.path.clone();
        self.database
            .get_or_try_init(async || {
                let opening = tokio::task::spawn_blocking(move || Database::open(&path, &SCHEMA));
                opening.await.unwrap_or(Err(Error::Closed))
            })
            .await
    }

    /// The database, if there is one.
    async fn existing(&self) -> Result<Option<&Database>, Error> {
        if let Some(database) = self.database.get() {
            return Ok(Some(database));
        }
        let in_memory = self.path.as_os_str() == IN_MEMORY;
        if in_memory || !tokio::fs::try_exists(&self.path).await.unwrap_or(false) {
            return Ok(None);
        }
        self.open().await.map(Some)
    }

    /// The time at which results of this age are gone.
    fn expired(&self, now: SystemTime) -> i64 {
        clock::milliseconds(now).saturating_sub(clock::span(self.ttl))
    }

    /// Drops what expired while nobody looked.
    pub(super) async fn clean(&self, now: SystemTime) -> Result<(), Error> {
        let expired = self.expired(now);
        let Some(database) = self.existing().await? else {
            return Ok(());
        };
        database
            .run(move |connection| {
                execute(
                    connection,
                    "DELETE FROM results WHERE created_ms <= ?1",
                    [expired],
                )
            })
            .await?;
        Ok(())
    }

    /// Keeps a result and says where it is; `None` where it is more than all may be together.
    pub(super) async fn store(
        &self,
        owner: &Owner,
        text: String,
        now: SystemTime,
    ) -> Result<Option<KeptResult>, Error> {
        let size = text.len();
        if size > self.most_bytes {
            return Ok(None);
        }
        let id = identifier::random()
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.to_string().into()))?;
        let uri = format!("{RESULT_URI}{id}");
        let (principal, servers) = (owner.principal.clone(), owner.servers_as_text());
        let (created, expired) = (clock::milliseconds(now), self.expired(now));
        let most = i64::try_from(self.most_bytes).unwrap_or(i64::MAX);
        let database = self.open().await?;
        database
            .run(move |connection| {
                let transaction = connection.transaction()?;
                execute(
                    &transaction,
                    "INSERT INTO results (id, principal, servers, created_ms, size, body)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                    params![
                        id,
                        principal,
                        servers,
                        created,
                        i64::try_from(size).unwrap_or(i64::MAX),
                        text.into_bytes()
                    ],
                )?;
                execute(&transaction, MAKE_ROOM, [expired, most])?;
                transaction.commit()
            })
            .await?;
        Ok(Some(KeptResult {
            uri,
            size_bytes: size,
            ttl_seconds: self.ttl.as_secs(),
        }))
    }

    /// A piece of a result from `offset` on, of at most `length` bytes; `None` where the principal
    /// has none of this id, or it has no character at `offset`.
    pub(super) async fn read(
        &self,
        owner: &Owner,
        id: &str,
        offset: usize,
        length: usize,
        now: SystemTime,
    ) -> Result<Option<ResultPiece>, Error> {
        let Some(database) = self.existing().await? else {
            return Ok(None);
        };
        let (principal, id) = (owner.principal.clone(), id.to_owned());
        let expired = self.expired(now);
        let from = i64::try_from(offset).unwrap_or(i64::MAX).saturating_add(1);
        let bytes = i64::try_from(length.clamp(4, PIECE_BYTES)).unwrap_or(4);
        let row = database
            .run(move |connection| {
                connection
                    .prepare_cached(
                        "SELECT size, created_ms, substr(body, ?3, ?4), servers FROM results
                         WHERE id = ?1 AND principal = ?2 AND created_ms > ?5",
                    )?
                    .query_row(params![id, principal, from, bytes, expired], |row| {
                        Ok((
                            row.get::<_, i64>(0)?,
                            row.get::<_, i64>(1)?,
                            row.get::<_, Vec<u8>>(2)?,
                            row.get::<_, Option<String>>(3)?,
                        ))
                    })
                    .optional()
            })
            .await?;
        let Some((size, created, bytes, servers)) = row else {
            return Ok(None);
        };
        if !owner.may_use(servers.as_deref()) {
            return Ok(None);
        }
        let size = usize::try_from(size).unwrap_or_default();
        let Some(text) = whole_characters(bytes) else {
            return Ok(None);
        };
        if offset > 0 && text.is_empty() {
            return Ok(None);
        }
        let end = offset.saturating_add(text.len());
        Ok(Some(ResultPiece {
            offset,
            size,
            next: (end < size).then_some(end),
            ttl_ms: u64::try_from(created.saturating_sub(expired)).unwrap_or_default(),
            text,
        }))
    }

    /// Waits until everything is written.
    pub(super) async fn flush(&self) {
        if let Some(database) = self.database.get() {
            database.flush().await;
        }
    }
}

/// The text of bytes, less what is the beginning of a further character; `None` where they begin
/// within one.
fn whole_characters(mut bytes: Vec<u8>) -> Option<String> {
    if let Err(error) = std::str::from_utf8(&bytes) {
        if error.error_len().is_some() {
            return None;
        }
        bytes.truncate(error.valid_up_to());
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(principal: &str) -> Owner {
        Owner {
            principal: principal.to_owned(),
            servers: None,
        }
    }

    #[test]
    fn a_result_is_of_who_may_use_what_its_maker_could() {
        let of = |servers: &[&str]| Owner {
            principal: "ada".to_owned(),
            servers: Some(servers.iter().map(|name| (*name).to_owned()).collect()),
        };
        let both = of(&["alpha", "beta"]).servers_as_text();
        assert!(owner("ada").may_use(both.as_deref()));
        assert!(of(&["beta", "alpha", "gamma"]).may_use(both.as_deref()));
        assert!(!of(&["alpha"]).may_use(both.as_deref()));
        assert!(!of(&["alpha"]).may_use(None));
        assert!(of(&["alpha"]).may_use(of(&[]).servers_as_text().as_deref()));
    }

    const TTL: Duration = Duration::from_mins(1);

    fn kept(folder: &tempfile::TempDir, most_bytes: usize) -> Kept {
        Kept {
            path: folder.path().join("results.db"),
            ttl: TTL,
            most_bytes,
            database: OnceCell::new(),
        }
    }

    fn id(stored: &KeptResult) -> &str {
        stored.uri.strip_prefix(RESULT_URI).unwrap()
    }

    #[tokio::test]
    async fn pieces_put_together_are_the_whole_and_only_for_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let kept = kept(&folder, 1 << 20);
        let now = SystemTime::now();
        assert_eq!(
            kept.read(&owner("ada"), "x", 0, 10, now).await.unwrap(),
            None
        );
        assert!(!folder.path().join("results.db").exists());
        let text = format!("[\"{}\"]", "é…x".repeat(50));
        let stored = kept
            .store(&owner("ada"), text.clone(), now)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(stored.size_bytes, text.len());
        let (mut whole, mut next) = (String::new(), Some(0));
        while let Some(offset) = next {
            let piece = kept.read(&owner("ada"), id(&stored), offset, 7, now).await;
            let piece = piece.unwrap().unwrap();
            assert_eq!((piece.offset, piece.size), (offset, text.len()));
            whole.push_str(&piece.text);
            next = piece.next;
        }
        assert_eq!(whole, text);
        for (principal, id, offset) in [
            ("bob", id(&stored), 0),
            ("ada", "0123", 0),
            ("ada", id(&stored), 3),
            ("ada", id(&stored), text.len()),
        ] {
            let read = kept
                .read(&owner(principal), id, offset, 7, now)
                .await
                .unwrap();
            assert_eq!(read, None, "{principal} {id} {offset}");
        }
    }

    #[tokio::test]
    async fn results_outlive_the_process_and_not_their_time() {
        let folder = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        let first = kept(&folder, 1 << 20);
        let stored = first
            .store(&owner("ada"), "[1]".to_owned(), now)
            .await
            .unwrap();
        let stored = stored.unwrap();
        drop(first);
        let second = kept(&folder, 1 << 20);
        let read = async |kept: &Kept, at| {
            kept.read(&owner("ada"), id(&stored), 0, 10, at)
                .await
                .unwrap()
        };
        let piece = read(&second, now + TTL / 2).await.unwrap();
        assert_eq!((piece.text.as_str(), piece.ttl_ms), ("[1]", 30_000));
        assert_eq!(read(&second, now + TTL).await, None);
        second.clean(now + TTL).await.unwrap();
        assert_eq!(read(&second, now).await, None);
    }

    #[tokio::test]
    async fn the_oldest_make_room_and_what_never_fits_is_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let kept = kept(&folder, 100);
        let now = SystemTime::now();
        let mut stored = Vec::new();
        for second in 0..3 {
            let at = now + Duration::from_secs(second);
            let result = kept.store(&owner("ada"), "x".repeat(40), at).await.unwrap();
            stored.push(result.unwrap());
        }
        let mut there = Vec::new();
        for stored in &stored {
            let read = kept
                .read(&owner("ada"), id(stored), 0, 10, now)
                .await
                .unwrap();
            there.push(read.is_some());
        }
        assert_eq!(there, [false, true, true]);
        assert_eq!(
            kept.store(&owner("ada"), "x".repeat(101), now)
                .await
                .unwrap(),
            None
        );
    }

    #[tokio::test]
    async fn who_keeps_much_takes_no_room_from_who_keeps_little() {
        let folder = tempfile::tempdir().unwrap();
        let kept = kept(&folder, 100);
        let now = SystemTime::now();
        let mut stored = Vec::new();
        for (second, who) in ["bob", "ada", "ada", "ada", "ada"].into_iter().enumerate() {
            let at = now + Duration::from_secs(u64::try_from(second).unwrap());
            let result = kept.store(&owner(who), "x".repeat(30), at).await.unwrap();
            stored.push((who, result.unwrap()));
        }
        let mut there = Vec::new();
        for (who, stored) in &stored {
            let read = kept
                .read(&owner(who), id(stored), 0, 10, now)
                .await
                .unwrap();
            there.push(read.is_some());
        }
        assert_eq!(there, [true, false, false, true, true]);
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn only_the_owner_of_the_process_can_read_the_file() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let kept = kept(&folder, 100);
        let now = SystemTime::now();
        kept.store(&owner("ada"), "1".to_owned(), now)
            .await
            .unwrap();
        for file in std::fs::read_dir(folder.path()).unwrap() {
            let mode = file.unwrap().metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }
}
