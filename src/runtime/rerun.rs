//! Code that ran well, kept and run again.

use std::time::SystemTime;

use super::Runtime;
use super::audit::Subject;
use super::cache::{Entry, Fingerprints};
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
            .map_err(|error| Refusal::internal(&error))?
            .ok_or_else(|| cache_miss(id))?;
        for (server, fingerprint) in &entry.fingerprints {
            match self.registry.server(server).await {
                Some(Ok(served)) if served.manifest().fingerprint == *fingerprint => {}
                // A refused server is told as what it is when the code is looked at.
                Some(Err(_)) => {}
                _ => return Err(cache_miss(id)),
            }
        }
        Ok(entry)
    }
}

/// One text for unknown, foreign, expired and outdated ids: they must look alike.
fn cache_miss(id: &str) -> Refusal {
    let id: String = id.chars().take(64).collect();
    Refusal::new(
        ErrorType::CacheMiss,
        format!(
            "no cached code has the id `{id}`: it expired, its servers changed, or it never was"
        ),
    )
    .hint("send the code again by `execute_code`")
}
