//! The process in which code runs: this program, started again for nothing else.
//!
//! It hears of jobs on its standard input and tells of calls and results on its standard output, in the
//! frames of `sandbox::frames`. It is confined before any code comes, and of what it says nothing is
//! believed but its exit status.

mod calls;
mod channel;
mod endings;
mod errors;
mod host;
mod objects;
mod prints;
mod running;
mod values;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::process::ExitCode;
use std::rc::Rc;

use indexmap::IndexMap;
use monty::MontyRepl;
use monty_types::{
    AssertMessageAnnotations, CompileOptions, ExcType, MontyException, MontyObject, ResourceLimits,
    ResourceTracker,
};

use super::job::Task;
use super::lower::keep_builtins;
use super::{WorkerLimits, confine};
use crate::sandbox::frames::Kind;
use crate::wire::Value;
use channel::{Channel, Gone, Input, Output, Timed};
use endings::{Sources, failed};
use errors::Errors;
use objects::Objects;
use running::Running;
use values::NoResult;

#[cfg(test)]
pub(super) use host::NAMES as HOST_NAMES;

/// Calls within calls, as many as in `CPython`.
const RECURSION: usize = 1_000;

/// The life of a worker.
pub(crate) fn run(limits: &WorkerLimits) -> ExitCode {
    // A panic is an end like others: no backtrace, for which files would be opened.
    std::panic::set_hook(Box::new(|_| {}));
    let mut channel = Channel::new(Input, Output);
    let Ok(measured) = confine::enter(&limits.confinement()) else {
        return status(confine::EXIT_UNCONFINED);
    };
    let Ok(hello) = serde_json::to_value(&measured).map(Value::from) else {
        return ExitCode::FAILURE;
    };
    if channel.send(Kind::Hello, 0, &hello).is_err() {
        return ExitCode::FAILURE;
    }
    crate::allocator::limit(limits.memory);
    let mut worker = Worker::new(channel, limits);
    if worker.keep_builtins().is_err() {
        return ExitCode::FAILURE;
    }
    // The host ends the stream when it wants no more.
    while let Ok(true) = worker.work() {}
    if worker.is_out_of_memory {
        return status(confine::EXIT_MEMORY);
    }
    // Ends at once: what was left behind goes with the process.
    ExitCode::SUCCESS
}

fn status(code: i32) -> ExitCode {
    u8::try_from(code).map_or(ExitCode::FAILURE, ExitCode::from)
}

struct Worker<R, W> {
    channel: Rc<RefCell<Channel<R, W>>>,
    errors: Rc<RefCell<Errors>>,
    /// `None` while code runs.
    repl: Option<MontyRepl>,
    objects: Option<Objects>,
    sources: Sources,
    /// The pieces of the library that were run before.
    loaded: BTreeSet<u32>,
    is_out_of_memory: bool,
}

/// What a job came to.
enum End {
    Value(MontyObject),
    Raised(MontyException),
}

impl<R: Read + Timed, W: Write> Worker<R, W> {
    fn new(channel: Channel<R, W>, limits: &WorkerLimits) -> Self {
        let tracker = ResourceLimits::default()
            .max_memory(limits.memory)
            .max_recursion_depth(RECURSION)
            .max_suspensions(usize::MAX);
        let options = CompileOptions {
            assert_message_annotations: AssertMessageAnnotations::Off,
        };
        let repl = MontyRepl::new("<code>", ResourceTracker::new(tracker), options);
        Self {
            channel: Rc::new(RefCell::new(channel)),
            errors: Rc::default(),
            repl: Some(repl),
            objects: Some(Objects::default()),
            sources: Sources::default(),
            loaded: BTreeSet::new(),
            is_out_of_memory: false,
        }
    }

    /// Keeps the builtins for the library.
    fn keep_builtins(&mut self) -> Result<(), Gone> {
        let (repl, objects) = (self.repl.take(), self.objects.take());
        let (Some(repl), Some(objects)) = (repl, objects) else {
            return Err(Gone::Ended);
        };
        let (channel, errors) = (Rc::clone(&self.channel), Rc::clone(&self.errors));
        let mut running = Running::new(channel, errors, objects, 0);
        self.sources.add_library();
        let (repl, kept) = running.run(repl, &keep_builtins())?;
        kept.map_err(|error| std::io::Error::other(error.to_string()))?;
        self.repl = Some(repl);
        self.objects = Some(running.objects);
        Ok(())
    }

    /// Does one job. Whether there may be another.
    fn work(&mut self) -> Result<bool, Gone> {
        let message = self.channel.borrow_mut().task()?;
        let job = Task::read(message).map_err(std::io::Error::other)?;
        let (repl, objects) = (self.repl.take(), self.objects.take());
        let (Some(repl), Some(mut objects)) = (repl, objects) else {
            return Err(Gone::Ended);
        };
        objects.add(job.functions.clone());
        let mut running = Running::new(
            Rc::clone(&self.channel),
            Rc::clone(&self.errors),
            objects,
            job.max_output_bytes,
        );
        let (repl, end) = self.execute(&mut running, repl, &job)?;
        if let End::Raised(error) = &end
            && Self::ran_out(error)
        {
            self.is_out_of_memory = true;
            running.prints.flush();
            return Ok(false);
        }
        running.prints.flush();
        let is_cut = running.prints.is_cut;
        let said = self.said(end, job.max_output_bytes);
        self.channel.borrow_mut().send(Kind::Result, 0, &said)?;
        let ending = Value::from(serde_json::json!({
            "exit_code": 0, "signal": null, "violation": null, "truncated": is_cut, "full": [],
        }));
        let kind = if job.is_session {
            Kind::Paused
        } else {
            Kind::Ended
        };
        self.channel.borrow_mut().send(kind, 0, &ending)?;
        self.repl = Some(repl);
        self.objects = Some(running.objects);
        Ok(job.is_session)
    }

    /// Whether an exception is that of the interpreter's own bound on memory.
    fn ran_out(error: &MontyException) -> bool {
        error.exc_type() == ExcType::MemoryError
            && error
                .message()
                .is_some_and(|message| message.starts_with("memory limit exceeded"))
    }

    /// Runs the code, then `main()` where that is still to do, and finds what it has to say.
    fn execute(
        &mut self,
        running: &mut Running<R, W>,
        mut repl: MontyRepl,
        job: &Task,
    ) -> Result<(MontyRepl, End), Gone> {
        let pieces = job.library.iter();
        let library: String = pieces
            .filter(|(number, _)| self.loaded.insert(*number))
            .flat_map(|(_, text)| [text.as_str(), "\n"])
            .collect();
        if !library.is_empty() {
            self.sources.add_library();
            let (after, ran) = running.run(repl, &library)?;
            repl = after;
            if let Err(error) = ran {
                return Ok((repl, End::Raised(error)));
            }
        }
        self.sources.add_code(job);
        let (after, ran) = running.run(repl, &job.code)?;
        repl = after;
        let mut last = match ran {
            Ok(value) => value,
            Err(error) => return Ok((repl, Self::ended(error))),
        };
        if let Some(start) = &job.shape.start {
            self.sources.add_library();
            let (after, ran) = running.run(repl, start)?;
            repl = after;
            last = match ran {
                Ok(value) => value,
                Err(error) => return Ok((repl, Self::ended(error))),
            };
        }
        let has_result = job.shape.binds_result;
        if let Some(call) = &job.shape.main
            && !running.main_started
        {
            self.sources.add_library();
            let (after, ran) = running.run(repl, call)?;
            repl = after;
            match ran {
                Ok(MontyObject::None) if has_result => {}
                Ok(value) => return Ok((repl, End::Value(value))),
                Err(error) => return Ok((repl, Self::ended(error))),
            }
        }
        if !has_result {
            return Ok((repl, End::Value(last)));
        }
        self.sources.add_library();
        let (after, ran) = running.run(repl, "result")?;
        // Where it is bound on no path that was taken.
        Ok((after, End::Value(ran.unwrap_or(last))))
    }

    /// What an exception means that nothing caught: `exit()` is an end like any other.
    fn ended(error: MontyException) -> End {
        let is_exit = error.exc_type() == ExcType::SystemExit;
        let is_good = error
            .message()
            .is_none_or(|code| code.is_empty() || code == "0");
        if is_exit && is_good {
            End::Value(MontyObject::None)
        } else {
            End::Raised(error)
        }
    }

    /// `{"result": …}` or `{"failure": …}`.
    fn said(&self, end: End, limit: usize) -> Value {
        let errors = self.errors.borrow();
        let (name, value) = match end {
            End::Value(value) => match values::result(value, limit) {
                Ok(value) => ("result", without_marks(value, &errors)),
                Err(NoResult::TooLarge) => ("failure", endings::too_large()),
                Err(NoResult::NoForm(message)) => ("failure", endings::no_form(&message)),
            },
            End::Raised(error) => ("failure", failed(&error, &errors, &self.sources)),
        };
        Value::Object(IndexMap::from([(name.to_owned(), value)]))
    }
}

/// A result without what nobody sees.
fn without_marks(value: Value, errors: &Errors) -> Value {
    match value {
        Value::String(text) => Value::String(errors.without_marks(text)),
        Value::Array(items) => {
            let items = items.into_iter().map(|item| without_marks(item, errors));
            Value::Array(items.collect())
        }
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .map(|(name, item)| (errors.without_marks(name), without_marks(item, errors)))
                .collect(),
        ),
        other => other,
    }
}
