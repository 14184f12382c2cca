//! What came of the sandbox as an answer: without secrets, within bounds.

use std::time::SystemTime;

use serde_json::{Map, Value};

use super::calling::part_hint;
use super::kept::{KeptResult, Owner, ResultPiece};
use super::result::{ErrorType, ExecutionResult, milliseconds};
use super::{Runtime, preview};
use crate::sandbox::Outcome;

/// Bound on an error's text and on a traceback, which code can make as long as it likes.
const MESSAGE_BYTES: usize = 4_000;

impl Runtime {
    /// What came of the sandbox, without secrets and within bounds; what of it is too large to
    /// inline is kept for the principal.
    pub(super) async fn answer(&self, principal: &str, outcome: Outcome) -> ExecutionResult {
        let cut_by_sandbox = outcome.truncated;
        let mut result = ExecutionResult {
            prints: self.egress.redact(&outcome.prints),
            stderr: self.egress.redact(&outcome.stderr),
            truncated: outcome.truncated,
            execution_time_ms: Some(milliseconds(outcome.elapsed)),
            ..ExecutionResult::default()
        };
        match outcome.result {
            Ok(value) => {
                result.success = true;
                result.data = Some(self.without_secrets(value));
            }
            Err(failure) => {
                let clean = |text: String| self.egress.redact(&text);
                result.error = Some(clean(failure.message));
                result.error_type = Some(failure.kind.into());
                result.hint = failure.hint.map(clean);
                result.traceback = failure.traceback.map(clean);
                part_hint(&mut result);
            }
        }
        if cut_by_sandbox {
            result.advise(format!(
                "the output is cut at `MCE_MAX_OUTPUT_SIZE_BYTES` ({} bytes): print less",
                self.settings.max_output_bytes
            ));
        }
        self.bound(principal, &mut result).await;
        result
    }

    /// The value without secrets, in names too.
    pub(super) fn without_secrets(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.egress.redact(&text)),
            Value::Array(items) => items
                .into_iter()
                .map(|item| self.without_secrets(item))
                .collect(),
            Value::Object(members) => {
                let mut clean = Map::new();
                for (key, member) in members {
                    let key = self.egress.redact_name(&key);
                    // Two that are alike then stay two.
                    let mut name = key.clone();
                    let mut count = 1;
                    while clean.contains_key(&name) {
                        count += 1;
                        name = format!("{key} {count}");
                    }
                    clean.insert(name, self.without_secrets(member));
                }
                clean.into()
            }
            scalar => scalar,
        }
    }

    /// Keeps the result within `MCE_MAX_OUTPUT_SIZE_BYTES`, and its messages within reason.
    /// Gives the size of its data.
    pub(super) fn limit(&self, result: &mut ExecutionResult) -> usize {
        for text in [&mut result.error, &mut result.hint, &mut result.traceback] {
            let shown = text
                .as_deref()
                .and_then(|text| preview::ends(text, MESSAGE_BYTES));
            if shown.is_some() {
                *text = shown;
            }
        }
        let size = result
            .data
            .as_ref()
            .map_or(0, |data| data.to_string().len());
        let whole = size + result.prints.len() + result.stderr.len();
        let limit = self.settings.max_output_bytes;
        if whole > limit {
            let message = format!("result and output have {whole} bytes, the limit is {limit}");
            result.success = false;
            result.data = None;
            result.error_type = Some(ErrorType::OutputLimit);
            result.error = Some(message);
            result.hint = Some("return and print less: select fields, filter, count".to_owned());
            return 0;
        }
        size
    }

    /// Keeps the result within its limit, and what of it is inlined within
    /// `MCE_MAX_INLINE_BYTES`. Text gives way first, down to a quarter each for prints and stderr;
    /// all of the data is then a resource.
    pub(super) async fn bound(&self, principal: &str, result: &mut ExecutionResult) {
        let size = self.limit(result);
        let budget = self.settings.max_inline_bytes;
        if size + result.prints.len() + result.stderr.len() <= budget {
            return;
        }
        let mut cut = Vec::new();
        for (name, text) in [
            ("prints", &mut result.prints),
            ("stderr", &mut result.stderr),
        ] {
            if let Some(shown) = preview::ends(text, budget / 4) {
                *text = shown;
                cut.push(format!("`{name}`"));
            }
        }
        if !cut.is_empty() {
            result.truncated = true;
            result.advise(format!(
                "of {} only the ends are shown (`MCE_MAX_INLINE_BYTES`, {budget} bytes): print less",
                cut.join(" and ")
            ));
        }
        let rest = budget.saturating_sub(result.prints.len() + result.stderr.len());
        if let Some(data) = result.data.as_mut().filter(|_| size > rest) {
            let whole = data.to_string();
            *data = preview::preview(data, size, rest);
            result.truncated = true;
            result.resource = self.keep_result(principal, whole).await;
            result.advise(if result.resource.is_some() {
                "`data` is only the shape and first rows of the result: return fewer rows or fields, \
                 or read all of it as the resource `resource.uri`"
            } else {
                "`data` is only the shape and first rows of the result: return fewer rows or fields"
            });
        }
    }

    /// Keeps a result that is too large to inline. The result counts without it too.
    async fn keep_result(&self, principal: &str, whole: String) -> Option<KeptResult> {
        self.kept
            .store(&self.owner(principal), whole, SystemTime::now())
            .await
            .inspect_err(|error| tracing::error!(%error, "a large result could not be kept"))
            .ok()
            .flatten()
    }

    fn owner(&self, principal: &str) -> Owner {
        Owner {
            principal: principal.to_owned(),
            servers: self.registry.shown(),
        }
    }

    /// A piece of a result that is kept for the principal; `None` where it has none of this id, or
    /// none that goes on at `offset`. Whoever asks learns nothing of results of others.
    pub async fn kept_result(
        &self,
        principal: &str,
        id: &str,
        offset: usize,
        length: usize,
    ) -> Option<ResultPiece> {
        self.kept
            .read(
                &self.owner(principal),
                id,
                offset,
                length,
                SystemTime::now(),
            )
            .await
            .inspect_err(|error| tracing::error!(%error, "a kept result could not be read"))
            .ok()
            .flatten()
    }
}
