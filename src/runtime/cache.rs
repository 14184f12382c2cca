//! The cache of code that ran well, to be run again by id. It holds code, never results.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, SystemTime};

use rusqlite::{OptionalExtension as _, params};
use sha2::{Digest as _, Sha256};

use super::clock;
use super::database::{self, Database, DatabaseState, Error, Schema, execute};

const SCHEMA: Schema = Schema {
    purpose: "cache",
    setting: "MCE_CACHE_DB_PATH",
    application_id: 0x4d43_4543,
    version: 1,
    tables: "
        CREATE TABLE IF NOT EXISTS code (
            id TEXT PRIMARY KEY,
            principal TEXT NOT NULL,
            description TEXT NOT NULL,
            code TEXT NOT NULL,
            servers TEXT NOT NULL,
            created_ms INTEGER NOT NULL,
            used_ms INTEGER NOT NULL,
            uses INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX IF NOT EXISTS code_used ON code (used_ms);
    ",
};

/// Looks whether the code cache is whole. Nothing is made or changed.
///
/// # Errors
/// A file that is no code cache of this version.
pub fn look_at_code_cache(path: &Path) -> Result<DatabaseState, Error> {
    database::look(path, &SCHEMA)
}

/// Removes the code cache; `false` where there is none.
///
/// # Errors
/// A file that is no code cache of MCE, which stays as it is.
pub fn remove_code_cache(path: &Path) -> Result<bool, Error> {
    database::remove(path, &SCHEMA)
}

/// Removes what expired before `?1`, and of more than `?2` entries those longest unused of the
/// principal who has most, so that nobody's code goes for what another stores.
const MAKE_ROOM: &str = "
    DELETE FROM code WHERE used_ms <= ?1 OR rowid IN (
        SELECT row FROM (
            SELECT rowid AS row, used_ms,
                row_number() OVER (PARTITION BY principal ORDER BY used_ms DESC, rowid DESC) AS own
            FROM code WHERE used_ms > ?1
        ) ORDER BY own, used_ms DESC, row DESC LIMIT -1 OFFSET ?2
    )";

/// Bound on a stored description, in characters.
const DESCRIPTION_CHARS: usize = 300;

/// Server name to the fingerprint it had when the code ran.
pub(super) type Fingerprints = BTreeMap<String, String>;

/// Code as it was stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// The code as the model sent it.
    pub(super) code: String,
    /// What the model said it does.
    pub(super) description: String,
    /// The servers it used.
    pub(super) fingerprints: Fingerprints,
}

/// Code as it is found by what it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    /// Its id.
    pub(super) id: String,
    /// What the model said it does.
    pub(super) description: String,
    /// The servers it used.
    pub(super) fingerprints: Fingerprints,
}

/// Pieces of code among which one is looked for.
const MOST_LISTED: usize = 500;

/// The code cache.
pub(super) struct Cache {
    database: Database,
    ttl: Duration,
    max_entries: usize,
}

impl Cache {
    /// Opens the cache and drops what expired meanwhile.
    pub(super) fn open(path: &Path, ttl: Duration, max_entries: usize) -> Result<Self, Error> {
        let database = Database::open(path, &SCHEMA)?;
        let expired = clock::milliseconds(SystemTime::now()).saturating_sub(clock::span(ttl));
        database.post(move |connection| {
            execute(
                connection,
                "DELETE FROM code WHERE used_ms <= ?1",
                [expired],
            )?;
            Ok(())
        });
        Ok(Self {
            database,
            ttl,
            max_entries,
        })
    }

    /// Stores code and gives its id. The same code of the same principal over the same servers has
    /// the same id, and storing it again renews it.
    pub(super) async fn store(
        &self,
        principal: &str,
        entry: Entry,
        now: SystemTime,
    ) -> Result<String, Error> {
        let id = identify(principal, &entry.code, &entry.fingerprints);
        let stored = id.clone();
        let principal = principal.to_owned();
        let description: String = entry.description.chars().take(DESCRIPTION_CHARS).collect();
        let servers = serde_json::to_string(&entry.fingerprints)
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
        let now = clock::milliseconds(now);
        let expired = now.saturating_sub(clock::span(self.ttl));
        let keep = i64::try_from(self.max_entries).unwrap_or(i64::MAX);
        self.database
            .run(move |connection| {
                let transaction = connection.transaction()?;
                execute(
                    &transaction,
                    "INSERT INTO code
                     (id, principal, description, code, servers, created_ms, used_ms, uses)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, 0)
                     ON CONFLICT (id) DO UPDATE
                     SET used_ms = excluded.used_ms, description = excluded.description",
                    params![stored, principal, description, entry.code, servers, now],
                )?;
                execute(&transaction, MAKE_ROOM, [expired, keep])?;
                transaction.commit()
            })
            .await?;
        Ok(id)
    }

    /// The code of this id, if it is the principal's and has not expired; using it renews it.
    pub(super) async fn fetch(
        &self,
        principal: &str,
        id: &str,
        now: SystemTime,
    ) -> Result<Option<Entry>, Error> {
        let principal = principal.to_owned();
        let id = id.to_owned();
        let now = clock::milliseconds(now);
        let expired = now.saturating_sub(clock::span(self.ttl));
        self.database
            .run(move |connection| {
                let transaction = connection.transaction()?;
                let row = transaction
                    .prepare_cached(
                        "UPDATE code SET used_ms = ?3, uses = uses + 1
                         WHERE id = ?1 AND principal = ?2 AND used_ms > ?4
                         RETURNING code, description, servers",
                    )?
                    .query_row(params![id, principal, now, expired], |row| {
                        Ok((
                            row.get::<_, String>(0)?,
                            row.get::<_, String>(1)?,
                            row.get::<_, String>(2)?,
                        ))
                    })
                    .optional()?;
                transaction.commit()?;
                let Some((code, description, servers)) = row else {
                    return Ok(None);
                };
                let fingerprints = serde_json::from_str(&servers).map_err(|error| {
                    rusqlite::Error::FromSqlConversionFailure(
                        2,
                        rusqlite::types::Type::Text,
                        Box::new(error),
                    )
                })?;
                Ok(Some(Entry {
                    code,
                    description,
                    fingerprints,
                }))
            })
            .await
    }

    /// The principal's code that has not expired, what was used last first.
    pub(super) async fn list(
        &self,
        principal: &str,
        now: SystemTime,
    ) -> Result<Vec<Listed>, Error> {
        let principal = principal.to_owned();
        let expired = clock::milliseconds(now).saturating_sub(clock::span(self.ttl));
        let most = i64::try_from(MOST_LISTED).unwrap_or(i64::MAX);
        let rows = self
            .database
            .run(move |connection| {
                connection
                    .prepare_cached(
                        "SELECT id, description, servers FROM code
                         WHERE principal = ?1 AND used_ms > ?2
                         ORDER BY used_ms DESC, rowid DESC LIMIT ?3",
                    )?
                    .query_map(params![principal, expired, most], |row| {
                        Ok((
                            row.get::<_, String>(0)?,
                            row.get::<_, String>(1)?,
                            row.get::<_, String>(2)?,
                        ))
                    })?
                    .collect::<rusqlite::Result<Vec<_>>>()
            })
            .await?;
        let listed = rows.into_iter().filter_map(|(id, description, servers)| {
            Some(Listed {
                id,
                description,
                fingerprints: serde_json::from_str(&servers).ok()?,
            })
        });
        Ok(listed.collect())
    }

    /// Waits until everything is written.
    pub(super) async fn flush(&self) {
        self.database.flush().await;
    }
}

/// Each part is preceded by its length, so that no two different triples spell the same bytes.
fn identify(principal: &str, code: &str, fingerprints: &Fingerprints) -> String {
    let mut digest = Sha256::new();
    let mut add = |part: &str| {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part.as_bytes());
    };
    add(principal);
    add(code);
    for (server, fingerprint) in fingerprints {
        add(server);
        add(fingerprint);
    }
    let digest = digest.finalize();
    hex::encode(digest.get(..16).unwrap_or(&digest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TTL: Duration = Duration::from_mins(1);

    fn entry(code: &str) -> Entry {
        Entry {
            code: code.to_owned(),
            description: "adds".to_owned(),
            fingerprints: Fingerprints::from([("pets".to_owned(), "f1".to_owned())]),
        }
    }

    fn start() -> SystemTime {
        SystemTime::now()
    }

    #[tokio::test]
    async fn code_comes_back_to_its_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(&folder.path().join("cache.db"), TTL, 10).unwrap();
        let now = start();
        let id = cache.store("ada", entry("1 + 1"), now).await.unwrap();
        assert_eq!(id.len(), 32);
        assert_eq!(
            cache.fetch("ada", &id, now).await.unwrap(),
            Some(entry("1 + 1"))
        );
        assert_eq!(cache.fetch("bob", &id, now).await.unwrap(), None);
        assert_eq!(cache.fetch("ada", "nothing", now).await.unwrap(), None);
    }

    #[tokio::test]
    async fn the_id_depends_on_owner_code_and_fingerprints() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(&folder.path().join("cache.db"), TTL, 10).unwrap();
        let now = start();
        let first = cache.store("ada", entry("1"), now).await.unwrap();
        assert_eq!(first, cache.store("ada", entry("1"), now).await.unwrap());
        assert_ne!(first, cache.store("bob", entry("1"), now).await.unwrap());
        assert_ne!(first, cache.store("ada", entry("2"), now).await.unwrap());
        let mut recompiled = entry("1");
        recompiled
            .fingerprints
            .insert("pets".to_owned(), "f2".to_owned());
        assert_ne!(first, cache.store("ada", recompiled, now).await.unwrap());
    }

    #[tokio::test]
    async fn a_principal_is_listed_its_own_code_that_has_not_expired() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(&folder.path().join("cache.db"), TTL, 10).unwrap();
        let now = start();
        let at = |seconds| now + Duration::from_secs(seconds);
        cache.store("ada", entry("1"), at(0)).await.unwrap();
        let second = cache.store("ada", entry("2"), at(20)).await.unwrap();
        let third = cache.store("ada", entry("3"), at(30)).await.unwrap();
        cache.store("bob", entry("4"), at(30)).await.unwrap();
        let listed = cache.list("ada", at(60)).await.unwrap();
        let ids: Vec<_> = listed.iter().map(|entry| entry.id.as_str()).collect();
        assert_eq!(ids, [third, second]);
        assert_eq!(listed[0].description, "adds");
        assert_eq!(listed[0].fingerprints, entry("3").fingerprints);
    }

    #[tokio::test]
    async fn use_renews_an_entry_and_disuse_ends_it() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(&folder.path().join("cache.db"), TTL, 10).unwrap();
        let now = start();
        let id = cache.store("ada", entry("1"), now).await.unwrap();
        let later = now + Duration::from_secs(50);
        assert!(cache.fetch("ada", &id, later).await.unwrap().is_some());
        let renewed = later + Duration::from_secs(59);
        assert!(cache.fetch("ada", &id, renewed).await.unwrap().is_some());
        let expired = renewed + TTL;
        assert_eq!(cache.fetch("ada", &id, expired).await.unwrap(), None);
    }

    #[tokio::test]
    async fn the_least_recently_used_entry_makes_room() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(&folder.path().join("cache.db"), TTL, 2).unwrap();
        let now = start();
        let at = |seconds| now + Duration::from_secs(seconds);
        let first = cache.store("ada", entry("1"), at(0)).await.unwrap();
        let second = cache.store("ada", entry("2"), at(1)).await.unwrap();
        assert!(cache.fetch("ada", &first, at(2)).await.unwrap().is_some());
        let third = cache.store("ada", entry("3"), at(3)).await.unwrap();
        assert!(cache.fetch("ada", &first, at(4)).await.unwrap().is_some());
        assert_eq!(cache.fetch("ada", &second, at(4)).await.unwrap(), None);
        assert!(cache.fetch("ada", &third, at(4)).await.unwrap().is_some());
    }

    /// A killed process never closes its connection; what it had stored must be there.
    #[tokio::test]
    async fn entries_outlive_a_connection_that_was_never_closed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache.db");
        let first = Cache::open(&path, TTL, 10).unwrap();
        let id = first.store("ada", entry("1"), start()).await.unwrap();
        let copy = folder.path().join("killed.db");
        for suffix in ["", "-wal"] {
            let name = |base: &Path| format!("{}{suffix}", base.display());
            std::fs::copy(name(&path), name(&copy)).unwrap();
        }
        let second = Cache::open(&copy, TTL, 10).unwrap();
        assert!(second.fetch("ada", &id, start()).await.unwrap().is_some());
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn only_the_owner_of_the_process_can_read_the_files() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deeper").join("cache.db");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        let cache = Cache::open(&path, TTL, 10).unwrap();
        cache.store("ada", entry("1"), start()).await.unwrap();
        let mut checked = 0;
        for file in std::fs::read_dir(path.parent().unwrap()).unwrap() {
            let mode = file.unwrap().metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
            checked += 1;
        }
        assert!(checked >= 2, "the database and its log");
    }

    #[test]
    fn a_file_that_is_no_database_is_named_with_its_setting() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache.db");
        std::fs::write(&path, "this is no database, whatever its name says").unwrap();
        let Err(error) = Cache::open(&path, TTL, 10) else {
            panic!("opened");
        };
        let text = error.to_string();
        assert!(text.contains("cache.db"), "{text}");
        assert!(text.contains("set `MCE_CACHE_DB_PATH`"), "{text}");
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            "this is no database, whatever its name says"
        );
    }

    /// The oldest of all went, so that one who stored much emptied everybody's cache.
    #[tokio::test]
    async fn who_stores_much_pushes_out_only_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(&folder.path().join("cache.db"), TTL, 4).unwrap();
        let now = SystemTime::now();
        let entry = |code: &str| Entry {
            code: code.to_owned(),
            description: String::new(),
            fingerprints: Fingerprints::new(),
        };
        let quiet = cache.store("quiet", entry("1"), now).await.unwrap();
        let mut last = String::new();
        for number in 0..10u32 {
            let later = now + Duration::from_millis(u64::from(number) + 1);
            let code = entry(&number.to_string());
            last = cache.store("loud", code, later).await.unwrap();
        }
        let later = now + Duration::from_millis(20);
        assert!(cache.fetch("quiet", &quiet, later).await.unwrap().is_some());
        assert!(cache.fetch("loud", &last, later).await.unwrap().is_some());
        let left = cache.list("loud", later).await.unwrap();
        assert_eq!(left.len(), 3);
    }
}
