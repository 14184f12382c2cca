//! Which wheels are installed: those asked for and all that they need, each once, the packages of
//! the image left as they are.
//!
//! There is no search among versions: what asks for a package first decides, and whoever disagrees
//! later is an error. Where pip fetched the wheels it has searched already.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use pep440_rs::{VersionSpecifier, VersionSpecifiers};

use super::error::{PackageError, unreadable};
use super::examine::{Examination, Present};
use super::lock::{Entry, Lock};
use super::requirement::{Requirement, Source};
use super::tags::WheelName;
use super::wheel::Wheel;
use crate::config::{Package, PackageName};
use crate::files::{Links, read_regular};

/// The largest wheel that is read.
const LARGEST_WHEEL: u64 = 512 << 20;
/// All files of all packages together: they are held in memory.
const LARGEST: usize = 1 << 30;
/// Modules that Python imports by itself, or that are of MCE.
const RESERVED: [&str; 4] = ["sitecustomize", "usercustomize", "mce_runtime", "__main__"];

/// A folder of wheels.
#[derive(Debug)]
pub(super) struct Pool {
    folder: PathBuf,
    wheels: Vec<(String, WheelName)>,
    /// Everything else.
    others: Vec<String>,
}

impl Pool {
    /// Lists a folder. No file is opened.
    pub(super) fn of(folder: &Path) -> Result<Self, PackageError> {
        let unreadable = |source| PackageError::File {
            action: "list the folder of wheels",
            path: folder.to_owned(),
            source,
        };
        let mut pool = Self {
            folder: folder.to_owned(),
            wheels: Vec::new(),
            others: Vec::new(),
        };
        for entry in std::fs::read_dir(folder).map_err(unreadable)? {
            let file = entry.map_err(unreadable)?.file_name();
            let file = file.to_string_lossy().into_owned();
            match WheelName::parse(&file) {
                Some(name) => pool.wheels.push((file, name)),
                None => pool.others.push(file),
            }
        }
        // The order of a folder is no order.
        pool.wheels.sort_by(|a, b| a.0.cmp(&b.0));
        pool.others.sort();
        Ok(pool)
    }

    /// A file of a package that is no wheel.
    fn source(&self, name: &PackageName) -> Option<&str> {
        self.others
            .iter()
            .find(|file| {
                let stem = file
                    .strip_suffix(".tar.gz")
                    .or_else(|| file.strip_suffix(".zip"));
                let found = stem.and_then(|stem| stem.rsplit_once('-'));
                found.is_some_and(|(found, _)| found.parse::<PackageName>().as_ref() == Ok(name))
            })
            .map(String::as_str)
    }
}

/// What is asked for, and by whom.
struct Wanted {
    name: PackageName,
    extras: BTreeSet<PackageName>,
    versions: VersionSpecifiers,
    /// In words.
    by: Option<String>,
}

impl Wanted {
    fn requirement(&self) -> String {
        format!("{}{}", self.name, self.versions)
    }

    fn wanted_by(&self) -> String {
        self.by
            .clone()
            .unwrap_or_else(|| "`MCE_SANDBOX_PACKAGES`".to_owned())
    }
}

/// The wheels to install, by package.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) wheels: BTreeMap<PackageName, Wheel>,
}

impl Plan {
    /// Chooses and reads the wheels. With a lock, exactly its packages and files are installed.
    pub(super) fn make(
        asked: &[Package],
        image: &Examination,
        pool: &Pool,
        lock: Option<(&Path, &Lock)>,
    ) -> Result<Self, PackageError> {
        let mut planner = Planner {
            image,
            present: image.present(),
            pool,
            lock,
            wheels: BTreeMap::new(),
            queue: VecDeque::new(),
            seen: BTreeSet::new(),
            room: LARGEST,
        };
        for package in asked {
            planner.queue.push_back(Wanted {
                name: package.name.clone(),
                extras: package.extras.clone(),
                versions: equal(package),
                by: None,
            });
        }
        while let Some(wanted) = planner.queue.pop_front() {
            planner.add(&wanted)?;
        }
        planner.check_lock()?;
        planner.check_paths()?;
        Ok(Self {
            wheels: planner.wheels,
        })
    }

    /// The lock of what is installed.
    pub(super) fn lock(&self) -> Lock {
        let entries = self.wheels.iter().map(|(name, wheel)| {
            let entry = Entry {
                version: wheel.name.version.clone(),
                hashes: BTreeSet::from([wheel.sha256.clone()]),
            };
            (name.clone(), entry)
        });
        Lock {
            entries: entries.collect(),
        }
    }
}

struct Planner<'a> {
    image: &'a Examination,
    present: BTreeMap<PackageName, Present>,
    pool: &'a Pool,
    lock: Option<(&'a Path, &'a Lock)>,
    wheels: BTreeMap<PackageName, Wheel>,
    queue: VecDeque<Wanted>,
    /// Packages and extras whose requirements were looked at.
    seen: BTreeSet<(PackageName, Option<PackageName>)>,
    /// Bytes that further files may have.
    room: usize,
}

impl Planner<'_> {
    fn add(&mut self, wanted: &Wanted) -> Result<(), PackageError> {
        let conflict = |present: String| PackageError::Conflict {
            wanted_by: wanted.wanted_by(),
            requirement: wanted.requirement(),
            present,
        };
        let requires = if let Some(present) = self.present.get(&wanted.name) {
            if !wanted.versions.contains(&present.version) {
                return Err(conflict(format!(
                    "the image has `{}=={}`, which no added package may change",
                    wanted.name, present.version
                )));
            }
            present.requires.clone()
        } else {
            if !self.wheels.contains_key(&wanted.name) {
                let wheel = self.choose(wanted)?;
                self.room = self
                    .room
                    .saturating_sub(wheel.files.values().map(Vec::len).sum());
                self.wheels.insert(wanted.name.clone(), wheel);
            }
            let Some(wheel) = self.wheels.get(&wanted.name) else {
                return Ok(());
            };
            if !wanted.versions.contains(&wheel.name.version) {
                return Err(conflict(format!(
                    "`{}=={}` was chosen for others",
                    wanted.name, wheel.name.version
                )));
            }
            wheel.metadata.requires.clone()
        };
        self.require(wanted, &requires)
    }

    /// Asks for what a package needs, with the extras that are wanted of it.
    fn require(&mut self, wanted: &Wanted, requires: &[Requirement]) -> Result<(), PackageError> {
        let by = format!("`{}`", wanted.name);
        let extras = wanted.extras.iter().map(|extra| Some(extra.clone()));
        for extra in std::iter::once(None).chain(extras) {
            if !self.seen.insert((wanted.name.clone(), extra.clone())) {
                continue;
            }
            for requirement in requires {
                if !requirement.applies(&self.image.markers, extra.as_ref()) {
                    continue;
                }
                let versions = match &requirement.source {
                    Source::Versions(versions) => versions.clone(),
                    Source::Url => {
                        return Err(PackageError::Conflict {
                            wanted_by: by,
                            requirement: requirement.name.to_string(),
                            present: "from a URL, and nothing is installed from one".to_owned(),
                        });
                    }
                };
                self.queue.push_back(Wanted {
                    name: requirement.name.clone(),
                    extras: requirement.extras.clone(),
                    versions,
                    by: Some(by.clone()),
                });
            }
        }
        Ok(())
    }

    /// The best wheel for what is wanted: the highest version, then the one made for this Python.
    fn choose(&self, wanted: &Wanted) -> Result<Wheel, PackageError> {
        let locked = match self.lock {
            None => None,
            Some((path, lock)) => {
                let differs = |difference| PackageError::LockDiffers {
                    path: path.to_owned(),
                    difference,
                };
                let asks = format!("{} asks for `{}`", wanted.wanted_by(), wanted.requirement());
                let entry = lock.entries.get(&wanted.name).ok_or_else(|| {
                    differs(format!("{asks}, and the file has no `{}`", wanted.name))
                })?;
                if !wanted.versions.contains(&entry.version) {
                    return Err(differs(format!(
                        "{asks}, and the file has `{}=={}`",
                        wanted.name, entry.version
                    )));
                }
                Some((path, entry))
            }
        };
        let package = match locked {
            Some((_, entry)) => format!("{}=={}", wanted.name, entry.version),
            None => wanted.requirement(),
        };
        let named: Vec<_> = self
            .pool
            .wheels
            .iter()
            .filter(|(_, name)| name.name == wanted.name && wanted.versions.contains(&name.version))
            .filter(|(_, name)| locked.is_none_or(|(_, entry)| entry.version == name.version))
            .collect();
        if named.is_empty() {
            if let Some(file) = self.pool.source(&wanted.name) {
                return Err(PackageError::SourceOnly {
                    package,
                    file: file.to_owned(),
                });
            }
            return Err(PackageError::Missing {
                package,
                needed_by: wanted
                    .by
                    .as_ref()
                    .map_or_else(String::new, |by| format!(" ({by} needs it)")),
            });
        }
        let mut fitting: Vec<_> = named
            .iter()
            .filter_map(|(file, name)| Some((name.rank(&self.image.platform)?, file, name)))
            .collect();
        if fitting.is_empty() {
            let files: Vec<String> = named.iter().map(|(file, _)| format!("`{file}`")).collect();
            return Err(PackageError::Platform {
                package,
                image: self.image.platform.to_string(),
                files: files.join(", "),
            });
        }
        // A pre-release only where there is nothing else.
        fitting.sort_by(|a, b| {
            let key = |it: &(_, &String, &WheelName)| {
                (it.2.version.is_stable(), it.2.version.clone(), it.0)
            };
            key(b).cmp(&key(a))
        });
        let mut refused = None;
        for (_, file, name) in fitting {
            let wheel = self.read(file, name)?;
            let Some((path, entry)) = locked else {
                return Ok(wheel);
            };
            if entry.hashes.contains(&wheel.sha256) {
                return Ok(wheel);
            }
            refused = refused.or(Some(PackageError::Hash {
                file: wheel.file,
                package: package.clone(),
                found: wheel.sha256,
                lock: path.to_owned(),
            }));
        }
        Err(refused.unwrap_or(PackageError::Missing {
            package,
            needed_by: String::new(),
        }))
    }

    fn read(&self, file: &str, name: &WheelName) -> Result<Wheel, PackageError> {
        let path = self.pool.folder.join(file);
        let bytes = read_regular(&path, LARGEST_WHEEL, Links::Followed)
            .map_err(|error| unreadable("read the wheel", &path, error))?;
        let wheel = Wheel::read(file, name.clone(), &bytes, self.room)?;
        let python = &self.image.python;
        if let Some(versions) = &wheel.metadata.python
            && let Ok(version) = python.trim_end_matches('+').parse()
            && !versions.contains(&version)
        {
            return Err(PackageError::Wheel {
                file: file.to_owned(),
                reason: format!("it needs Python {versions}, and the image has {python}"),
            });
        }
        for module in &wheel.modules {
            if let Some(what) = self.hidden_by(module) {
                return Err(PackageError::Shadows {
                    file: file.to_owned(),
                    module: module.clone(),
                    what,
                });
            }
        }
        Ok(wheel)
    }

    /// What a module of an added package would take the place of.
    fn hidden_by(&self, module: &str) -> Option<&'static str> {
        if RESERVED.contains(&module) {
            Some("one that Python or MCE imports by itself")
        } else if self.image.standard_modules.contains(module) {
            Some("one of the standard library")
        } else if self.image.other_modules.contains(module) {
            Some("one that the image has already")
        } else {
            None
        }
    }

    /// The lock has nothing that nobody needs.
    fn check_lock(&self) -> Result<(), PackageError> {
        let Some((path, lock)) = self.lock else {
            return Ok(());
        };
        match lock
            .entries
            .iter()
            .find(|(name, _)| !self.wheels.contains_key(*name))
        {
            None => Ok(()),
            Some((name, entry)) => Err(PackageError::LockDiffers {
                path: path.to_owned(),
                difference: format!(
                    "the file has `{name}=={}`, which nothing asks for",
                    entry.version
                ),
            }),
        }
    }

    /// No two packages have the same file.
    fn check_paths(&self) -> Result<(), PackageError> {
        let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
        for wheel in self.wheels.values() {
            for path in wheel.files.keys() {
                if let Some(other) = owners.insert(path, &wheel.file) {
                    return Err(PackageError::Wheel {
                        file: wheel.file.clone(),
                        reason: format!("its `{path}` is one of `{other}` as well"),
                    });
                }
            }
        }
        Ok(())
    }
}

fn equal(package: &Package) -> VersionSpecifiers {
    VersionSpecifiers::from(VersionSpecifier::equals_version(package.version.clone()))
}
