//! A started container as the place of an execution.

use bytes::Bytes;
use tokio::sync::mpsc;

use super::container::Started;
use super::verdict;
use crate::sandbox::frames::{Assembler, Frame, pack};
use crate::sandbox::running::{Afterwards, CallLimits, Ended, Place, job_members, malformed};
use crate::sandbox::{Failure, Job};
use crate::wire::Value;

impl Place for Started {
    fn call_limits(&self) -> CallLimits {
        self.container.call_limits()
    }

    /// The code, and those of its modules that the container has not imported yet.
    fn job_message(&self, job: &Job, afterwards: Afterwards) -> Result<Vec<u8>, Failure> {
        let known = self.container.known_modules();
        let modules = job.modules.iter().filter(|module| !known.contains(module));
        let modules = modules
            .map(|module| (module.name.clone(), Value::String(module.source.clone())))
            .collect();
        let mut members = job_members(job, job.code.clone(), afterwards);
        members.insert("modules".to_owned(), Value::Object(modules));
        pack(&Value::Object(members)).map_err(|error| malformed(&error))
    }

    fn queue(&self) -> mpsc::Sender<Bytes> {
        self.writer.queue()
    }

    async fn next(&mut self) -> Result<Option<Frame>, String> {
        self.reader.next().await
    }

    fn diagnostics(&self) -> String {
        self.reader.diagnostics()
    }

    fn unfinished(&mut self) -> &mut Option<Assembler> {
        &mut self.unfinished
    }

    fn refused_process(&self) -> bool {
        let counters = self.container.counters();
        counters.is_some_and(|counters| counters.pids_refused > 0)
    }

    async fn no_word(&mut self, ended: &Ended) -> Failure {
        verdict::no_word(&self.container, ended).await
    }

    async fn lost(&mut self, reason: &str) -> Failure {
        verdict::lost(&self.container, reason).await
    }

    fn discard(&mut self) {
        self.container.discard();
    }

    fn note_pause(&mut self) {
        self.container.note_counters();
    }
}
