//! One call of a compiled function through the broker, without code and sandbox.

use std::collections::BTreeSet;
use std::time::Instant;

use tracing::Instrument as _;

use super::Runtime;
use super::audit::{Origin, Subject};
use super::discovery::{left_out, nearest};
use super::execution::{HINT, Running};
use super::result::{ErrorType, ExecutionResult, Refusal, milliseconds};
use super::stage::{Stage, Stages};
use crate::broker::Scope;
use crate::sandbox::{Call, CallError};
use crate::wire::Arguments;

/// One compiled function to call, without code and sandbox.
#[derive(Debug, Clone, Default)]
pub struct CallRequest {
    /// The server.
    pub server: String,
    /// The function.
    pub function: String,
    /// Its arguments by Python name.
    pub arguments: Arguments,
    /// Which of the declared media types the body is sent as; the first where this is absent.
    pub content_type: Option<String>,
    /// Who asks.
    pub principal: String,
    /// Whether an answer over `MCE_MAX_INLINE_BYTES` becomes its shape, first rows and a resource.
    /// Programs want the whole of it, models do not.
    pub preview: bool,
    /// Where it is told how far it has come.
    pub stages: Stages,
}

impl Runtime {
    /// Calls one compiled function through the broker.
    pub async fn call(&self, request: CallRequest) -> ExecutionResult {
        let running = match Running::begin(self, &request.principal, Origin::Call) {
            Ok(running) => running,
            Err(refusal) => return refusal.into(),
        };
        let principal = request.principal.clone();
        // A model that calls the same again is told; a person who does sees it.
        let what = request.preview.then(|| {
            format!(
                "{}.{} {:?}",
                request.server, request.function, request.arguments
            )
        });
        let span = running.span.clone();
        let outcome = self
            .call_one(&running.subject, request)
            .instrument(span)
            .await;
        let mut result = running.end(outcome);
        self.hint_of_credentials(&mut result);
        if let Some(what) = what {
            self.repeats.note(&principal, &what, &mut result);
        }
        result
    }

    async fn call_one(
        &self,
        subject: &Subject,
        request: CallRequest,
    ) -> Result<ExecutionResult, Refusal> {
        let CallRequest {
            server,
            function,
            arguments,
            content_type,
            preview,
            stages,
            ..
        } = request;
        let compiled = match self.registry.server(&server).await {
            Some(Ok(compiled)) => compiled,
            Some(Err(refused)) => {
                let reason = refused.for_operator();
                self.audit.load_refusal(subject, &server, reason);
                return Err(self.refused_server(&refused));
            }
            None => return Err(unknown_server(&server, self.registry.names())),
        };
        if compiled.manifest().function(&function).is_none() {
            let functions = compiled.manifest().functions.iter();
            let names = functions.map(|function| function.name.as_str());
            let mut refusal = unknown("function", &function, names);
            if let Some(note) = left_out(compiled.manifest()) {
                refusal.hint = Some(match refusal.hint {
                    Some(hint) => format!("{hint} {note}"),
                    None => note,
                });
            }
            return Err(refusal);
        }
        stages.reach(Stage::Waiting);
        // Of clients there may be many, whose answers need memory as those of executions do.
        let _place = if preview {
            Some(self.queue.take(&subject.principal, self.client).await?)
        } else {
            None
        };
        let scope = Scope {
            execution_id: subject.execution_id.clone(),
            principal: subject.principal.clone(),
            servers: BTreeSet::from([server.clone()]),
        };
        let targets = self.registry.targets_with([&compiled]);
        let host = self.egress.host(&targets, scope).await;
        stages.reach(Stage::Running);
        let started = Instant::now();
        let outcome = host
            .perform(Call {
                server,
                function,
                arguments,
                content_type,
            })
            .await;
        let mut result = ExecutionResult {
            execution_time_ms: Some(milliseconds(started.elapsed())),
            ..ExecutionResult::default()
        };
        match outcome {
            Ok(reply) => {
                let value = reply.value;
                result.success = true;
                result.data = Some(self.without_secrets(value.into_json()));
                match reply.stream.and_then(|stream| stream.cut) {
                    None => {}
                    // What arrived is shown, but nobody asked for less.
                    Some(limit @ CallError::Limit { .. }) => {
                        result.truncated = true;
                        result.hint = Some(self.egress.redact(&limit.to_string()));
                    }
                    Some(error) => {
                        result.success = false;
                        result.truncated = true;
                        result.error_type = Some(ErrorType::from(&error));
                        result.error = Some(self.egress.redact(&error.to_string()));
                    }
                }
            }
            Err(error) => {
                result.error_type = Some(ErrorType::from(&error));
                result.error = Some(self.egress.redact(&error.to_string()));
                part_hint(&mut result);
            }
        }
        if preview {
            self.bound(&subject.principal, &mut result).await;
        } else {
            self.limit(&mut result);
        }
        if result.error_type == Some(ErrorType::OutputLimit) {
            result.hint = Some("ask for less, or raise `MCE_MAX_OUTPUT_SIZE_BYTES`".to_owned());
        }
        Ok(result)
    }
}

/// Moves the line of advice at the end of a refusal of the host to its own member.
pub(super) fn part_hint(result: &mut ExecutionResult) {
    if result.error_type != Some(ErrorType::Egress) || result.hint.is_some() {
        return;
    }
    let parted = result.error.as_deref().and_then(|it| it.split_once(HINT));
    if let Some((error, hint)) = parted {
        let (error, hint) = (error.to_owned(), hint.replace(HINT, "; "));
        result.error = Some(error);
        result.hint = Some(hint);
    }
}

/// As many names as a hint lists.
const LISTED_NAMES: usize = 20;

/// Where no name is near, those that there are.
fn unknown_server<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Refusal {
    let names: Vec<&str> = names.collect();
    let refusal = unknown("server", name, names.iter().copied());
    if refusal.hint.is_some() || names.is_empty() {
        return refusal;
    }
    let shown = names.get(..LISTED_NAMES).unwrap_or(&names).join("`, `");
    refusal.hint(format!("there are `{shown}`"))
}

fn unknown<'a>(what: &str, name: &str, names: impl Iterator<Item = &'a str>) -> Refusal {
    let shown: String = name.chars().take(100).collect();
    let near = nearest(name, names);
    let refusal = Refusal::new(
        ErrorType::Validation,
        format!("there is no {what} `{shown}`"),
    );
    if near.is_empty() {
        refusal
    } else {
        refusal.hint(format!("did you mean `{}`?", near.join("`, `")))
    }
}
