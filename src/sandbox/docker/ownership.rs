//! Whose a container is. Every container carries the id of the MCE process that made it and of
//! the machine it ran on; every process holds a lock named by its id. What a process that died
//! left behind is removed by the next one: only containers of this machine, and only where the
//! lock is free. A process that kept its state elsewhere, or ran before the last boot, has no lock
//! to be seen: of it only containers that ended long ago are removed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bollard::models::{ContainerSummary, ContainerSummaryStateEnum};
use bollard::query_parameters::{ListContainersOptionsBuilder, RemoveContainerOptionsBuilder};
use sha2::{Digest, Sha256};

use super::engine::{Engine, EngineKind};
use super::error::{EngineContext, Error};

const INSTANCE: &str = "mce.instance";
const MACHINE: &str = "mce.machine";
/// The machine without its boot.
const HOST: &str = "mce.host";
/// How often a list of Podman's may be written while a container in it comes to its end.
const OVERTAKEN: usize = 30;
/// A container that has ended so long after it was made is nobody's: no session lives longer than a day.
const FORGOTTEN_AFTER: Duration = Duration::from_hours(25);

/// What is written into the lock file of a process that is found gone.
const FOUND_GONE: &str = "gone\n";
/// How long after that a container can still come that it asked for.
const LAST_CREATION: Duration = Duration::from_mins(10);

/// This process as the owner of containers. Dropping it frees the lock
/// but leaves the file: without it the next process could not tell whose containers are left.
#[derive(Debug)]
pub(super) struct Instance {
    id: String,
    machine: String,
    host: String,
    folder: PathBuf,
    _lock: File,
}

impl Instance {
    /// Takes a new id and its lock, in `state_dir`.
    pub(super) fn new(state_dir: &Path) -> Result<Self, Error> {
        let folder = state_dir.join("instances");
        let state = |path: &Path| {
            let path = path.to_owned();
            move |source: io::Error| Error::State { path, source }
        };
        fs::create_dir_all(&folder).map_err(state(&folder))?;
        let mut random = [0_u8; 16];
        getrandom::fill(&mut random).map_err(|error| Error::Internal(error.to_string()))?;
        let id = hex::encode(random);
        // Locked under another name first: whoever sees the file finds it locked.
        let path = lock_path(&folder, &id);
        let draft = path.with_extension("new");
        let lock = File::create(&draft).map_err(state(&draft))?;
        lock.try_lock()
            .map_err(io::Error::from)
            .map_err(state(&draft))?;
        fs::rename(&draft, &path).map_err(state(&path))?;
        Ok(Self {
            id,
            machine: hash_of(&[MACHINE_ID, BOOT_ID]),
            host: hash_of(&[MACHINE_ID]),
            folder,
            _lock: lock,
        })
    }

    /// The labels of this process's containers.
    pub(super) fn labels(&self) -> BTreeMap<String, String> {
        BTreeMap::from([
            (INSTANCE.to_owned(), self.id.clone()),
            (MACHINE.to_owned(), self.machine.clone()),
            (HOST.to_owned(), self.host.clone()),
        ])
    }

    /// The beginning of this process's container names.
    pub(super) fn name(&self) -> String {
        format!("mce-{}", self.id.get(..12).unwrap_or(&self.id))
    }

    /// Removes what dead processes of this machine left behind; returns how many.
    pub(super) async fn sweep(&self, engine: &Engine) -> Result<usize, Error> {
        let mut removed = 0;
        let mut dead = BTreeSet::new();
        for container in self.containers(engine, MACHINE, &self.machine).await? {
            let Some((container, instance)) = id_and_instance(container) else {
                continue;
            };
            if instance == self.id || !(dead.contains(&instance) || self.is_dead(&instance)) {
                continue;
            }
            remove(engine, &container).await;
            removed += 1;
            dead.insert(instance);
        }
        for container in self.containers(engine, HOST, &self.host).await? {
            if is_forgotten(&container, SystemTime::now())
                && let Some((container, instance)) = id_and_instance(container)
                && instance != self.id
            {
                remove(engine, &container).await;
                removed += 1;
            }
        }
        self.remove_free_locks();
        Ok(removed)
    }

    /// Removes the lock files of processes that were found gone a while ago: the engine may be creating
    /// a container still that one of them asked for last. Best effort: one that stays has no use.
    fn remove_free_locks(&self) {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let instance = name.to_str().and_then(|name| name.strip_suffix(".lock"));
            if !instance.is_some_and(|instance| self.is_dead(instance)) {
                continue;
            }
            let Ok(file) = entry.metadata() else { continue };
            if file.len() == 0 {
                let _ = fs::write(entry.path(), FOUND_GONE);
            } else if age(&file).is_some_and(|age| age > LAST_CREATION) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Removes every container of this process; returns how many.
    pub(super) async fn remove_own(&self, engine: &Engine) -> Result<usize, Error> {
        let own = self.containers(engine, INSTANCE, &self.id).await?;
        let count = own.len();
        for (container, _) in own.into_iter().filter_map(id_and_instance) {
            remove(engine, &container).await;
        }
        Ok(count)
    }

    /// The containers with a label.
    async fn containers(
        &self,
        engine: &Engine,
        label: &str,
        value: &str,
    ) -> Result<Vec<ContainerSummary>, Error> {
        let mut filters = HashMap::from([("label", vec![format!("{label}={value}")])]);
        if engine.kind() == EngineKind::Podman {
            // Beside these it has `stopped`, on the way to `exited`, for which Docker has no word.
            let states = ["created", "running", "paused", "exited"];
            filters.insert("status", states.map(str::to_owned).to_vec());
        }
        let filters: HashMap<String, Vec<String>> = filters
            .into_iter()
            .map(|(name, values)| (name.to_owned(), values))
            .collect();
        let options = ListContainersOptionsBuilder::new()
            .all(true)
            .filters(&filters)
            .build();
        for _ in 0..OVERTAKEN {
            match engine.docker.list_containers(Some(options.clone())).await {
                // It was the one when it was chosen and the other when it was written down.
                Err(bollard::errors::Error::JsonDataError { .. })
                    if engine.kind() == EngineKind::Podman =>
                {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
                listed => return listed.while_trying_to("list its containers"),
            }
        }
        let listed = engine.docker.list_containers(Some(options)).await;
        listed.while_trying_to("list its containers")
    }

    /// Whether the process of this id is known to be gone. A lock file that does not exist says
    /// nothing: the process may keep its state elsewhere.
    fn is_dead(&self, instance: &str) -> bool {
        if instance.is_empty() || !instance.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return false;
        }
        let Ok(file) = File::open(lock_path(&self.folder, instance)) else {
            return false;
        };
        match file.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
        }
    }
}

impl Instance {
    /// Forgets this process: nothing of it is left on the engine.
    pub(super) fn forget(&self) {
        let _ = fs::remove_file(lock_path(&self.folder, &self.id));
    }
}

/// How long an engine that does not answer is asked again to remove a container: as long as one takes
/// to start again.
const REMOVAL: Duration = Duration::from_mins(2);

/// Removes a container, running or not. That it is gone already is as good. An engine that is away
/// for a while, or busy with the container, is asked again.
pub(super) async fn remove(engine: &Engine, container: &str) {
    let begun = Instant::now();
    let mut pause = Duration::from_millis(200);
    while let Err(error) = try_to_remove(engine, container).await {
        // The engine's own answer will be the same again.
        if super::error::is_answer(&error) || begun.elapsed() > REMOVAL {
            tracing::warn!(container, %error, "removing a container failed");
            return;
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_secs(5));
    }
}

async fn try_to_remove(engine: &Engine, container: &str) -> Result<(), bollard::errors::Error> {
    let options = RemoveContainerOptionsBuilder::new()
        .force(true)
        .v(true)
        .build();
    let removed = engine
        .docker
        .remove_container(container, Some(options))
        .await;
    removed.or_else(|error| {
        if super::error::is_missing(&error) {
            Ok(())
        } else {
            Err(error)
        }
    })
}

fn id_and_instance(container: ContainerSummary) -> Option<(String, String)> {
    let instance = container.labels?.remove(INSTANCE)?;
    Some((container.id?, instance))
}

/// Whether a container has ended, or never began, and is older than any execution.
fn is_forgotten(container: &ContainerSummary, now: SystemTime) -> bool {
    let runs_not = matches!(
        container.state,
        Some(
            ContainerSummaryStateEnum::EXITED
                | ContainerSummaryStateEnum::DEAD
                | ContainerSummaryStateEnum::CREATED
        )
    );
    let created = container.created.and_then(|at| u64::try_from(at).ok());
    let age = created
        .map(|at| UNIX_EPOCH + Duration::from_secs(at))
        .and_then(|at| now.duration_since(at).ok());
    runs_not && age.is_some_and(|age| age > FORGOTTEN_AFTER)
}

fn age(file: &fs::Metadata) -> Option<Duration> {
    file.modified().ok()?.elapsed().ok()
}

fn lock_path(folder: &Path, instance: &str) -> PathBuf {
    folder.join(format!("{instance}.lock"))
}

const MACHINE_ID: &str = "/etc/machine-id";
/// Another after each boot, when no lock means anything any more.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// A hash of what stands in files.
fn hash_of(paths: &[&str]) -> String {
    let mut hash = Sha256::new();
    for path in paths {
        hash.update(fs::read(path).unwrap_or_default());
        hash.update([0]);
    }
    hex::encode(hash.finalize().get(..16).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_living_instance_is_not_dead_and_a_dropped_one_is() {
        let folder = tempfile::tempdir().unwrap();
        let mine = Instance::new(folder.path()).unwrap();
        let other = Instance::new(folder.path()).unwrap();
        assert!(!mine.is_dead(&other.id));
        let id = other.id.clone();
        drop(other);
        assert!(mine.is_dead(&id));
    }

    #[test]
    fn only_what_ended_and_is_older_than_any_session_is_forgotten() {
        let now = UNIX_EPOCH + Duration::from_secs(1_000_000);
        let forgotten = |state, created| {
            let container = ContainerSummary {
                state: Some(state),
                created: Some(created),
                ..ContainerSummary::default()
            };
            is_forgotten(&container, now)
        };
        let exited = ContainerSummaryStateEnum::EXITED;
        assert!(forgotten(exited, 1_000_000 - 90_001));
        assert!(!forgotten(exited, 1_000_000 - 89_999));
        assert!(!forgotten(exited, 1_000_500));
        assert!(!forgotten(ContainerSummaryStateEnum::RUNNING, 0));
        assert!(forgotten(ContainerSummaryStateEnum::CREATED, 0));
    }

    #[test]
    fn the_lock_of_a_process_that_is_gone_stays_until_no_container_of_it_can_come() {
        let folder = tempfile::tempdir().unwrap();
        let mine = Instance::new(folder.path()).unwrap();
        let gone = Instance::new(folder.path()).unwrap().id;
        let lock = lock_path(&mine.folder, &gone);
        mine.remove_free_locks();
        mine.remove_free_locks();
        assert!(mine.is_dead(&gone));
        let long_ago = SystemTime::now() - LAST_CREATION - Duration::from_secs(1);
        let file = File::options().write(true).open(&lock).unwrap();
        file.set_modified(long_ago).unwrap();
        drop(file);
        mine.remove_free_locks();
        assert!(!lock.exists());
        assert!(lock_path(&mine.folder, &mine.id).exists());
    }

    #[test]
    fn an_instance_without_a_lock_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let mine = Instance::new(folder.path()).unwrap();
        assert!(!mine.is_dead("00000000000000000000000000000000"));
        assert!(!mine.is_dead("../../etc/passwd"));
        assert!(!mine.is_dead(""));
    }
}
