//! Who may come: the bearer tokens and the principals they stand for.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use secrecy::ExposeSecret as _;
use subtle::{Choice, ConditionallySelectable as _, ConstantTimeEq as _};

use crate::config::{HttpSettings, NamedToken, TokensError, digest_of, read_tokens_beside};
use crate::runtime::LOCAL_PRINCIPAL;

/// How often the file of tokens is looked at.
pub(super) const LOOK_EVERY: Duration = Duration::from_secs(2);

/// The principal of the one token that has no name (`MCE_HTTP_TOKEN`).
const NAMELESS: &str = "token";

/// Who asks, and what for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The name of the token; `local` where none is needed.
    pub name: String,
    /// The servers it may use; `None` for all.
    pub servers: Option<BTreeSet<String>>,
}

/// The tokens that open this server.
pub(super) struct Keys {
    nameless: Option<[u8; 32]>,
    file: Option<PathBuf>,
    /// What the file looked like just before it was read for the first time.
    opened: Option<Stamp>,
    current: RwLock<Arc<Vec<Arc<Key>>>>,
}

/// A token, by which it can be told from the one before it, and who comes with it.
#[derive(PartialEq, Eq)]
pub(super) struct Key {
    /// SHA-256 of the token; zeros where none is needed.
    digest: [u8; 32],
    pub(super) principal: Principal,
}

/// What changes with a file: its length and when it was written.
///
/// Two files can have one size and one time: a link is led elsewhere, or times are all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    length: u64,
    modified: SystemTime,
    #[cfg(unix)]
    file: (u64, u64),
    #[cfg(unix)]
    changed: (i64, i64),
}

/// Why a request is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub(super) enum Denied {
    /// It has no token.
    #[error("a token is needed: `Authorization: Bearer TOKEN`")]
    Missing,
    /// Its token is none of this server, or it has several.
    #[error("the token is none of this server")]
    Wrong,
}

impl Keys {
    /// Reads the tokens.
    pub(super) fn open(settings: &HttpSettings) -> Result<Self, TokensError> {
        let nameless = settings.token.as_ref();
        let file = settings.tokens_file.clone();
        let keys = Self {
            nameless: nameless.map(|token| digest_of(token.expose_secret())),
            opened: file.as_deref().and_then(stamp),
            file,
            current: RwLock::default(),
        };
        let beside = |file| read_tokens_beside(file, keys.nameless.as_ref());
        let named = keys.file.as_deref().map(beside).transpose()?;
        keys.replace(named.unwrap_or_default());
        Ok(keys)
    }

    /// Whether a token is needed.
    pub(super) fn are_needed(&self) -> bool {
        self.nameless.is_some() || self.file.is_some()
    }

    /// Which of them comes with a request.
    pub(super) fn key(&self, headers: &HeaderMap) -> Result<Arc<Key>, Denied> {
        if !self.are_needed() {
            return Ok(Arc::new(Key {
                digest: [0; 32],
                principal: Principal {
                    name: LOCAL_PRINCIPAL.to_owned(),
                    servers: None,
                },
            }));
        }
        let mut given = headers.get_all(AUTHORIZATION).iter();
        let header = given.next().ok_or(Denied::Missing)?;
        if given.next().is_some() {
            return Err(Denied::Wrong);
        }
        // RFC 9110, section 11.1: the scheme's case does not count.
        let token = header
            .to_str()
            .ok()
            .and_then(|value| value.split_once(' '))
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
            .map(|(_, token)| token.trim())
            .ok_or(Denied::Wrong)?;
        self.find(token).ok_or(Denied::Wrong)
    }

    /// Looks at every key whichever fits, so that the time taken says nothing of them.
    fn find(&self, token: &str) -> Option<Arc<Key>> {
        let digest = digest_of(token);
        let keys = self.current();
        let (mut found, mut place) = (Choice::from(0), 0_u32);
        for (number, key) in (0..).zip(keys.iter()) {
            let fits = key.digest.ct_eq(&digest);
            place.conditional_assign(&number, fits);
            found |= fits;
        }
        let place = usize::try_from(place).ok()?;
        let key = keys.get(place).filter(|_| bool::from(found))?;
        Some(Arc::clone(key))
    }

    /// Looks at the file `every` so often, reads it again where it changed, and calls `changed` then. Never ends.
    pub(super) async fn follow(&self, every: Duration, changed: impl Fn()) {
        let Some(path) = &self.file else {
            return std::future::pending().await;
        };
        let mut last = self.opened;
        loop {
            tokio::time::sleep(every).await;
            let (file, nameless) = (path.clone(), self.nameless);
            let looking = tokio::task::spawn_blocking(move || {
                // What is written while it is read has another stamp the next time.
                let now = stamp(&file);
                let read = || read_tokens_beside(&file, nameless.as_ref());
                (now, (now != last).then(read))
            });
            let Ok((now, Some(read))) = looking.await else {
                continue;
            };
            last = now;
            match read {
                Ok(named) => {
                    self.replace(named);
                    tracing::info!("the tokens were read again");
                    changed();
                }
                Err(error) => {
                    tracing::error!(%error, "the tokens that were read before still count");
                }
            }
        }
    }

    fn replace(&self, named: Vec<NamedToken>) {
        let nameless = self.nameless.map(|digest| NamedToken {
            name: NAMELESS.to_owned(),
            digest,
            servers: None,
        });
        let keys = nameless.into_iter().chain(named).map(|token| {
            let principal = Principal {
                name: token.name,
                servers: token.servers,
            };
            Arc::new(Key {
                digest: token.digest,
                principal,
            })
        });
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        *current = Arc::new(keys.collect());
    }

    /// All there are by now.
    pub(super) fn current(&self) -> Arc<Vec<Arc<Key>>> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&current)
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    #[cfg(unix)]
    use std::os::unix::fs::MetadataExt as _;
    let metadata = std::fs::metadata(path).ok()?;
    Some(Stamp {
        length: metadata.len(),
        modified: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
        #[cfg(unix)]
        file: (metadata.dev(), metadata.ino()),
        #[cfg(unix)]
        changed: (metadata.ctime(), metadata.ctime_nsec()),
    })
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;
    use crate::config::{Environment, Settings, entry_of};

    fn keys(pairs: &[(&str, &str)]) -> Keys {
        let environment = Environment::from_pairs(pairs.iter().copied());
        let (settings, _) = Settings::from_environment(&environment).unwrap();
        Keys::open(&settings.http).unwrap()
    }

    fn ask(keys: &Keys, values: &[&str]) -> Result<String, Denied> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        }
        keys.key(&headers).map(|it| it.principal.name.clone())
    }

    #[test]
    fn without_tokens_everyone_is_the_local_user() {
        assert_eq!(ask(&keys(&[]), &[]).as_deref(), Ok("local"));
    }

    #[test]
    fn each_token_stands_for_its_principal_and_others_for_none() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let servers = BTreeSet::from(["pets".to_owned()]);
        let entries = entry_of("ada", "token-of-ada", Some(&servers)).unwrap()
            + &entry_of("bob", "token-of-bob", None).unwrap();
        std::fs::write(file.path(), entries).unwrap();
        let keys = keys(&[
            ("MCE_HTTP_TOKEN", "0123456789abcdef"),
            ("MCE_HTTP_TOKENS_FILE", file.path().to_str().unwrap()),
        ]);
        for (header, name) in [
            ("Bearer token-of-ada", "ada"),
            ("bearer token-of-bob", "bob"),
            ("Bearer 0123456789abcdef", "token"),
        ] {
            assert_eq!(ask(&keys, &[header]).as_deref(), Ok(name));
        }
        assert_eq!(keys.current()[1].principal.servers, Some(servers));
        assert_eq!(ask(&keys, &[]), Err(Denied::Missing));
        for wrong in [
            &["Bearer token-of-eve"][..],
            &["Bearer "],
            &["token-of-ada"],
            &["Basic token-of-ada"],
            &["Bearer token-of-ada", "Bearer token-of-ada"],
            &["Bearer token-of-adam"],
        ] {
            assert_eq!(ask(&keys, wrong), Err(Denied::Wrong), "{wrong:?}");
        }
    }

    #[tokio::test]
    async fn a_file_that_changes_is_read_again_and_one_that_breaks_changes_nothing() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), entry_of("ada", "token-of-ada", None).unwrap()).unwrap();
        let keys = keys(&[("MCE_HTTP_TOKENS_FILE", file.path().to_str().unwrap())]);
        let (sender, mut changed) = tokio::sync::mpsc::unbounded_channel();
        let every = Duration::from_millis(20);
        let following = keys.follow(every, || sender.send(()).unwrap());
        let checking = async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            std::fs::write(file.path(), "[[token]]\nname = 1").unwrap();
            tokio::time::sleep(Duration::from_millis(100)).await;
            assert_eq!(ask(&keys, &["Bearer token-of-ada"]).as_deref(), Ok("ada"));
            std::fs::write(file.path(), entry_of("eve", "token-of-eve", None).unwrap()).unwrap();
            changed.recv().await.unwrap();
            assert_eq!(ask(&keys, &["Bearer token-of-ada"]), Err(Denied::Wrong));
            assert_eq!(ask(&keys, &["Bearer token-of-eve"]).as_deref(), Ok("eve"));
        };
        tokio::select! {
            () = following => unreachable!(),
            () = checking => {}
        }
    }

    /// What was written between the first reading and the first look was never read.
    #[tokio::test]
    async fn a_file_that_changed_before_it_is_followed_is_read_again() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), entry_of("ada", "token-of-ada", None).unwrap()).unwrap();
        let keys = keys(&[("MCE_HTTP_TOKENS_FILE", file.path().to_str().unwrap())]);
        std::fs::write(
            file.path(),
            entry_of("eve", "a-token-of-eve", None).unwrap(),
        )
        .unwrap();
        let (sender, mut changed) = tokio::sync::mpsc::unbounded_channel();
        let every = Duration::from_millis(5);
        tokio::select! {
            () = keys.follow(every, || sender.send(()).unwrap()) => unreachable!(),
            () = tokio::time::sleep(Duration::from_secs(10)) => panic!("it is not read"),
            _ = changed.recv() => {}
        }
        assert_eq!(ask(&keys, &["Bearer a-token-of-eve"]).as_deref(), Ok("eve"));
    }

    /// A link that is led to another file of the same size and time was taken for the same tokens.
    #[cfg(unix)]
    #[test]
    fn another_file_of_the_same_size_and_time_has_another_stamp() {
        let folder = tempfile::tempdir().unwrap();
        let [one, two, link] = ["one", "two", "link"].map(|name| folder.path().join(name));
        for (path, text) in [(&one, "a"), (&two, "b")] {
            std::fs::write(path, text).unwrap();
            let file = std::fs::File::open(path).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        }
        std::os::unix::fs::symlink(&one, &link).unwrap();
        let before = stamp(&link);
        assert_eq!(before, stamp(&link));
        std::fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(&two, &link).unwrap();
        assert_ne!(before, stamp(&link));
    }
}
