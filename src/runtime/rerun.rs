//! Code that ran well, kept and run again.

use std::time::SystemTime;

use super::Runtime;
use super::audit::Subject;
use super::cache::{Entry, Fingerprints};
use super::discovery::one_line;
use super::execution::{CachedRequest, Keep, Work};
use super::result::{ErrorType, ExecutionResult, Refusal};
use crate::guard;

impl Runtime {
    /// Keeps code that ran well and gives its id. Code that holds a secret is not kept: it would
    /// not run without it, and no secret is written down.
    pub(super) async fn keep(
        &self,
        subject: &Subject,
        code: &str,
        keep: Keep<'_>,
        fingerprints: Fingerprints,
    ) -> Option<String> {
        let description = match keep {
            Keep::Stored(id) => return Some(id),
            Keep::Store(description) => description,
        };
        if self.egress.redact(code) != code {
            return None;
        }
        let entry = Entry {
            code: code.to_owned(),
            description: self.egress.redact(description),
            fingerprints,
        };
        let cache = self.cache.as_ref()?;
        // The code ran; a cache that cannot be written is no reason to withhold its result.
        cache
            .store(&subject.principal, entry, SystemTime::now())
            .await
            .inspect_err(|error| tracing::error!(%error, "code could not be cached"))
            .ok()
    }

    /// Runs code of the cache with other values for its parameters.
    pub(super) async fn run_again(
        &self,
        subject: &Subject,
        request: &CachedRequest,
    ) -> Result<ExecutionResult, Refusal> {
        let entry = self.cached(subject, &request.cache_id).await?;
        let code = if request.params.is_empty() {
            entry.code
        } else {
            let facts = self.inspect(&entry.code).await.report.facts;
            guard::substitute(&entry.code, &facts, &request.params).map_err(|error| {
                Refusal::new(ErrorType::Validation, error.to_string()).hint(
                    "only names assigned a literal at the top level can be given other values",
                )
            })?
        };
        let work = Work {
            code: &code,
            timeout: request.timeout,
            dry_run: false,
            session: request.session.as_ref(),
            keep: Keep::Stored(request.cache_id.clone()),
            stages: &request.stages,
        };
        self.pipeline(subject, work).await
    }

    /// The cached code, unless a server it used was compiled anew since.
    async fn cached(&self, subject: &Subject, id: &str) -> Result<Entry, Refusal> {
        let Some(cache) = &self.cache else {
            return Err(Refusal::new(
                ErrorType::CacheMiss,
                "the code cache is off (`MCE_CACHE_ENABLED`)",
            )
            .hint("send the code by `execute_code`"));
        };
        let entry = cache
            .fetch(&subject.principal, id, SystemTime::now())
            .await
            .map_err(|error| Refusal::internal(&error))?;
        match entry {
            Some(entry) if self.is_current(&entry.fingerprints).await => Ok(entry),
            _ => Err(self.cache_miss(subject, id).await),
        }
    }

    /// Whether the servers are those that code was cached with.
    pub(super) async fn is_current(&self, fingerprints: &Fingerprints) -> bool {
        for (server, fingerprint) in fingerprints {
            match self.registry.server(server).await {
                Some(Ok(served)) if served.manifest().fingerprint == *fingerprint => {}
                // A refused server is told as what it is when the code is looked at.
                Some(Err(_)) => {}
                _ => return false,
            }
        }
        true
    }

    /// One text for unknown, foreign, expired and outdated ids: they must look alike. What was asked
    /// for may be words of a description, so the code that they describe is named.
    async fn cache_miss(&self, subject: &Subject, id: &str) -> Refusal {
        let shown: String = id.chars().take(64).collect();
        let message = format!(
            "no cached code has the id `{shown}`: it expired, its servers changed, or it never was"
        );
        let refusal = Refusal::new(ErrorType::CacheMiss, message);
        let words: String = id.chars().take(MOST_ASKED).collect();
        let near = self.cached_code(&subject.principal, &words).await;
        let near: Vec<String> = near
            .iter()
            .take(MOST_NAMED)
            .map(|code| format!("`{}` ({})", code.cache_id, one_line(&code.description, 100)))
            .collect();
        if near.is_empty() {
            return refusal.hint("send the code again by `execute_code`");
        }
        refusal.hint(format!(
            "your cached code with words like these: {}",
            near.join(", ")
        ))
    }
}

/// Characters of what was asked for that are looked for.
const MOST_ASKED: usize = 300;
/// Pieces of code that a miss names.
const MOST_NAMED: usize = 5;
