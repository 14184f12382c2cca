//! Running a piece of code to its end: whatever it asks for on the way is answered.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{Read, Write};
use std::rc::Rc;
use std::time::{Duration, Instant};

use monty::{MontyRepl, ReplFunctionCall, ReplProgress, ReplResolveFutures, ReplStartError};
use monty_types::{
    ExcType, ExtFunctionResult, MontyException, MontyObject, NameLookupResult, OsFunctionCall,
    PrintWriter,
};

use super::calls::{Form, Operation};
use super::channel::{Channel, Gone, Timed};
use super::errors::Errors;
use super::host::{self, Local};
use super::objects::{Object, Objects};
use super::prints::Prints;
use super::values::exception;

/// A reason for which nothing more can be run: without the host there is nobody to tell.
pub(super) type Ran = Result<(MontyRepl, Result<MontyObject, MontyException>), Gone>;

/// What a call under way is waited for by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Waited {
    /// The answer of this number, and what it becomes.
    Answer(u32, Form),
    /// A moment.
    Until(Instant),
    /// `_mce_host_resolve` of this id.
    Resolved(i64),
}

/// The surroundings of code that runs.
pub(super) struct Running<R, W> {
    pub(super) channel: Rc<RefCell<Channel<R, W>>>,
    pub(super) errors: Rc<RefCell<Errors>>,
    pub(super) objects: Objects,
    pub(super) prints: Prints<R, W>,
    /// Whether `main` began to run.
    pub(super) main_started: bool,
    waited: HashMap<u32, Waited>,
    /// Ids that were resolved before anybody waited for them.
    resolved: Vec<i64>,
    /// Ids that are resolved by themselves, and when.
    timers: Vec<(i64, Instant)>,
}

/// What is done with a call.
pub(super) enum Answer {
    Now(ExtFunctionResult),
    /// The code goes on, and may await it.
    Later(Waited),
}

impl Answer {
    pub(super) fn value(value: MontyObject) -> Self {
        Self::Now(ExtFunctionResult::Return(value))
    }

    pub(super) fn error(error: MontyException) -> Self {
        Self::Now(ExtFunctionResult::Error(error))
    }
}

impl<R: Read + Timed, W: Write> Running<R, W> {
    pub(super) fn new(
        channel: Rc<RefCell<Channel<R, W>>>,
        errors: Rc<RefCell<Errors>>,
        objects: Objects,
        limit: usize,
    ) -> Self {
        Self {
            prints: Prints::new(Rc::clone(&channel), Rc::clone(&errors), limit),
            channel,
            errors,
            objects,
            main_started: false,
            waited: HashMap::new(),
            resolved: Vec::new(),
            timers: Vec::new(),
        }
    }

    /// Runs code in what earlier code left.
    pub(super) fn run(&mut self, repl: MontyRepl, code: &str) -> Ran {
        self.waited.clear();
        let mut step = repl.feed_start(code, Vec::new(), PrintWriter::Callback(&mut self.prints));
        loop {
            let progress = match step {
                Ok(progress) => progress,
                Err(ended) => {
                    let ReplStartError { repl, error } = *ended;
                    return Ok((repl, Err(error)));
                }
            };
            step = match progress {
                ReplProgress::Complete { repl, value } => return Ok((repl, Ok(value))),
                ReplProgress::FunctionCall(mut call) => match self.answer(&mut call)? {
                    Answer::Now(result) => {
                        call.resume(result, PrintWriter::Callback(&mut self.prints))
                    }
                    Answer::Later(waited) => {
                        self.waited.insert(call.call_id, waited);
                        call.resume_pending(PrintWriter::Callback(&mut self.prints))
                    }
                },
                ReplProgress::OsCall(call) => {
                    let print = PrintWriter::Callback(&mut self.prints);
                    call.resume_with(print, |asked| system(&asked))
                }
                ReplProgress::NameLookup(lookup) => {
                    let found = match lookup.object_id() {
                        Some(id) => self
                            .objects
                            .of(id)
                            .cloned()
                            .and_then(|object| self.objects.attribute(&object, &lookup.name)),
                        None => host::is_known(&lookup.name).then(|| MontyObject::Function {
                            name: lookup.name.clone(),
                            docstring: None,
                        }),
                    };
                    let found = found.map_or(NameLookupResult::Undefined, NameLookupResult::Value);
                    lookup.resume(found, PrintWriter::Callback(&mut self.prints))
                }
                ReplProgress::ResolveFutures(waiting) => self.resolve(waiting)?,
            };
        }
    }

    /// Answers a call, or sees to it that its answer comes.
    fn answer(&mut self, call: &mut ReplFunctionCall) -> Result<Answer, Gone> {
        let arguments = std::mem::take(&mut call.args);
        let named = std::mem::take(&mut call.kwargs);
        let Some(id) = call.object_id else {
            if let Some(answer) = self.serve(&call.function_name, &arguments) {
                return answer;
            }
            return Ok(self.local(&call.function_name, arguments));
        };
        let object = self.objects.of(id).cloned();
        match (object, call.function_name.as_str()) {
            (
                Some(Object::Operation {
                    server,
                    function,
                    content_type,
                }),
                method,
            ) => {
                let operation = Operation {
                    server,
                    function,
                    content_type,
                };
                match method {
                    "__call__" | "aio" => {
                        let is_awaited = method == "aio";
                        self.perform(&operation, &arguments, named, is_awaited)
                    }
                    "with_content_type" => Ok(self.with_content_type(operation, arguments)),
                    "items" | "pages" => Ok(Answer::error(unsupported(&format!(
                        "`{}.{method}(...)` of a function that the code does not name there",
                        operation.function
                    )))),
                    _ => Ok(Answer::error(no_attribute(&operation.function, method))),
                }
            }
            // A function is called as an attribute of its module.
            (Some(object), name) => match self.objects.attribute(&object, name) {
                Some(MontyObject::Type(monty_types::MontyType::Instance(class))) => {
                    match self.objects.of(class.id).cloned() {
                        Some(Object::Operation {
                            server,
                            function,
                            content_type,
                        }) => {
                            let operation = Operation {
                                server,
                                function,
                                content_type,
                            };
                            self.perform(&operation, &arguments, named, false)
                        }
                        _ => Ok(Answer::error(no_attribute("module", name))),
                    }
                }
                _ => Ok(Answer::error(exception(
                    ExcType::AttributeError,
                    format!("module has no attribute '{name}'"),
                ))),
            },
            (None, name) => Ok(Answer::error(no_attribute("object", name))),
        }
    }

    fn with_content_type(
        &mut self,
        operation: Operation,
        mut arguments: Vec<MontyObject>,
    ) -> Answer {
        match (arguments.pop(), arguments.is_empty()) {
            (Some(MontyObject::String(content_type)), true) => {
                Answer::value(self.objects.object(Object::Operation {
                    server: operation.server,
                    function: operation.function,
                    content_type: Some(content_type),
                }))
            }
            _ => Answer::error(exception(
                ExcType::TypeError,
                "with_content_type() takes one media type",
            )),
        }
    }

    /// Answers what the worker itself does.
    fn local(&mut self, name: &str, mut arguments: Vec<MontyObject>) -> Answer {
        match (name, arguments.as_mut_slice()) {
            ("_mce_main_started", []) => {
                self.main_started = true;
                Answer::value(MontyObject::None)
            }
            ("_mce_function", [MontyObject::String(server), MontyObject::String(function)]) => {
                match self.objects.function(server, function) {
                    Some(function) => Answer::value(function),
                    None => Answer::error(exception(
                        ExcType::ImportError,
                        format!("cannot import name '{function}' from '{server}.functions'"),
                    )),
                }
            }
            ("_mce_functions", [MontyObject::String(server)]) => {
                let module = Object::Module(std::mem::take(server));
                Answer::value(self.objects.object(module))
            }
            ("_mce_null", []) => Answer::value(self.objects.object(Object::Null)),
            (
                "_mce_host_error_field",
                [
                    MontyObject::Exception { exc_type, arg },
                    MontyObject::String(field),
                ],
            ) => {
                let found = arg
                    .as_deref()
                    .and_then(|it| self.errors.borrow().field(it, field));
                if let Some(value) = found {
                    return Answer::value(value);
                }
                let class = self.errors.borrow().class(*exc_type, arg.as_deref());
                Answer::error(no_attribute(&class, field))
            }
            ("_mce_host_type_name", [MontyObject::Exception { exc_type, arg }]) => {
                let class = self.errors.borrow().class(*exc_type, arg.as_deref());
                Answer::value(MontyObject::String(class))
            }
            ("_mce_host_future", [MontyObject::Int(id)]) => Answer::Later(Waited::Resolved(*id)),
            ("_mce_host_resolve", [MontyObject::Int(id)]) => {
                self.resolved.push(*id);
                Answer::value(MontyObject::None)
            }
            _ => match host::local(name, &arguments) {
                Local::Value(value) => Answer::value(value),
                Local::Error(error) => Answer::error(error),
                Local::Sleep(time) => {
                    self.prints.flush();
                    std::thread::sleep(time);
                    Answer::value(MontyObject::None)
                }
                Local::Wake(time) => Answer::Later(Waited::Until(Instant::now() + time)),
                Local::Resolve(id, time) => {
                    self.timers.push((id, Instant::now() + time));
                    Answer::value(MontyObject::None)
                }
                Local::Unknown => Answer::Now(ExtFunctionResult::NotFound(name.to_owned())),
            },
        }
    }

    /// Waits until some of what the code waits for has happened.
    fn resolve(
        &mut self,
        waiting: ReplResolveFutures,
    ) -> Result<Result<ReplProgress, Box<ReplStartError>>, Gone> {
        self.prints.flush();
        let pending: Vec<(u32, Waited)> = waiting
            .pending_call_ids()
            .iter()
            .filter_map(|id| Some((*id, *self.waited.get(id)?)))
            .collect();
        let results = loop {
            let mut results = Vec::new();
            let now = Instant::now();
            let resolved = &mut self.resolved;
            self.timers.retain(|(id, moment)| {
                let is_due = *moment <= now;
                if is_due {
                    resolved.push(*id);
                }
                !is_due
            });
            for (id, waited) in &pending {
                match waited {
                    Waited::Until(moment) if *moment <= Instant::now() => {
                        results.push((*id, ExtFunctionResult::Return(MontyObject::None)));
                    }
                    Waited::Resolved(number) => {
                        if let Some(at) = self.resolved.iter().position(|it| it == number) {
                            self.resolved.swap_remove(at);
                            results.push((*id, ExtFunctionResult::Return(MontyObject::None)));
                        }
                    }
                    _ => {}
                }
            }
            let numbers: Vec<u32> = pending
                .iter()
                .filter_map(|(_, waited)| match waited {
                    Waited::Answer(number, _) => Some(*number),
                    _ => None,
                })
                .collect();
            let soonest = pending.iter().filter_map(|(_, waited)| match waited {
                Waited::Until(moment) => Some(*moment),
                Waited::Resolved(number) => {
                    let own = self.timers.iter().filter(|(id, _)| id == number);
                    own.map(|(_, moment)| *moment).min()
                }
                Waited::Answer(..) => None,
            });
            let soonest = soonest.min();
            let patience = if results.is_empty() {
                soonest.map(|moment| moment.saturating_duration_since(Instant::now()))
            } else {
                Some(Duration::ZERO)
            };
            if numbers.is_empty() {
                if !results.is_empty() {
                    break results;
                }
                let Some(patience) = patience else {
                    let print = PrintWriter::Callback(&mut self.prints);
                    let error = exception(
                        ExcType::RuntimeError,
                        "every task waits for something that nothing will bring about",
                    );
                    return Ok(waiting.abort(error, print));
                };
                std::thread::sleep(patience);
                continue;
            }
            let answers = self.channel.borrow_mut().answers(&numbers, patience)?;
            for (number, answer) in answers {
                let found = pending.iter().find_map(|(id, waited)| match waited {
                    Waited::Answer(found, form) if *found == number => Some((*id, *form)),
                    _ => None,
                });
                if let Some((id, form)) = found {
                    results.push((id, self.outcome(answer, form)));
                }
            }
            if !results.is_empty() {
                break results;
            }
        };
        for (id, _) in &results {
            self.waited.remove(id);
        }
        Ok(waiting.resume(results, PrintWriter::Callback(&mut self.prints)))
    }
}

/// What the code asks of the system. It has a clock and nothing else.
fn system(asked: &OsFunctionCall) -> ExtFunctionResult {
    host::clock(asked).map_or_else(
        || {
            ExtFunctionResult::Error(exception(
                ExcType::PermissionError,
                "[Errno 1] the sandbox has no files and no environment",
            ))
        },
        ExtFunctionResult::Return,
    )
}

/// Said of what only containers do, where it is found when the code runs.
pub(super) fn unsupported(feature: &str) -> MontyException {
    exception(
        ExcType::NotImplementedError,
        format!("{feature} needs the docker sandbox"),
    )
}

fn no_attribute(of: &str, name: &str) -> MontyException {
    exception(
        ExcType::AttributeError,
        format!("'{of}' object has no attribute '{name}'"),
    )
}
