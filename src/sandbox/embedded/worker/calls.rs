//! Calls of compiled functions, as code makes them.

use std::io::{Read, Write};

use indexmap::IndexMap;
use monty_types::{ExcType, ExtFunctionResult, MontyException, MontyObject, MontyType};

use super::channel::{Gone, Timed};
use super::objects::Object;
use super::running::{Answer, Running, Waited};
use super::values::{argument, exception, from_host};
use crate::sandbox::embedded::signatures::{AWAITED, STANDS_IN};
use crate::wire::Value;

/// Names and values.
pub(super) type Pairs = Vec<(MontyObject, MontyObject)>;

/// What an answer becomes in the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// The value alone.
    Value,
    /// A list of the value and the URL of the next page.
    Page,
    /// A list of what arrived and, where there would have been more, why it was cut: the kind of the
    /// error and its message.
    Stream,
}

/// A compiled function, perhaps with a media type chosen for its body.
pub(super) struct Operation {
    pub(super) server: String,
    pub(super) function: String,
    pub(super) content_type: Option<String>,
}

impl<R: Read + Timed, W: Write> Running<R, W> {
    /// Makes a call of a compiled function.
    pub(super) fn perform(
        &mut self,
        operation: &Operation,
        positional: &[MontyObject],
        named: Pairs,
        is_awaited: bool,
    ) -> Result<Answer, Gone> {
        let is_awaited = is_awaited || self.stands_in(operation, AWAITED);
        match self.call_message(operation, positional, named) {
            Ok(message) => self.ask(message, Form::Value, is_awaited),
            Err(error) => Ok(Answer::error(error)),
        }
    }

    /// Does what a helper asks for in the name of a compiled function; `None` where it asks for
    /// something else.
    pub(super) fn serve(
        &mut self,
        name: &str,
        arguments: &[MontyObject],
    ) -> Option<Result<Answer, Gone>> {
        let operation = self.operation(arguments.first()?)?;
        Some(match (name, arguments) {
            ("_mce_host_paging", [_]) => Ok(Answer::value(self.paging(&operation))),
            (
                "_mce_host_page" | "_mce_host_page_later",
                [
                    _,
                    MontyObject::Dict(named),
                    url,
                    MontyObject::Bool(is_linked),
                ],
            ) => {
                let message =
                    self.call_message(&operation, &[], named.clone().into_iter().collect());
                let mut message = match message {
                    Ok(message) => message,
                    Err(error) => return Some(Ok(Answer::error(error))),
                };
                if *is_linked {
                    let url = match url {
                        MontyObject::String(url) => Value::String(url.clone()),
                        _ => Value::Null,
                    };
                    message.insert("url".to_owned(), url);
                }
                self.ask(message, Form::Page, name == "_mce_host_page_later")
            }
            ("_mce_host_stream" | "_mce_host_stream_later", [_, MontyObject::Dict(named)]) => {
                match self.call_message(&operation, &[], named.clone().into_iter().collect()) {
                    Ok(message) => {
                        self.ask(message, Form::Stream, name == "_mce_host_stream_later")
                    }
                    Err(error) => Ok(Answer::error(error)),
                }
            }
            _ => return None,
        })
    }

    /// The function that an object stands for.
    fn operation(&self, object: &MontyObject) -> Option<Operation> {
        let MontyObject::Type(MontyType::Instance(class)) = object else {
            return None;
        };
        match self.objects.of(class.id)? {
            Object::Operation {
                server,
                function,
                content_type,
            } => Some(Operation {
                server: server.clone(),
                function: function.clone(),
                content_type: content_type.clone(),
            }),
            _ => None,
        }
    }

    /// `[name, how further pages are reached or None]`.
    fn paging(&self, operation: &Operation) -> MontyObject {
        let text = |text: &str| MontyObject::String(text.to_owned());
        let signature = self
            .objects
            .signature(&operation.server, &operation.function);
        let pages = signature.and_then(|signature| signature.pages.as_ref());
        let pages = pages.map_or(MontyObject::None, |pages| {
            let pairs = pages.iter().map(|(name, value)| (text(name), text(value)));
            MontyObject::dict(pairs.collect::<Vec<_>>())
        });
        MontyObject::List(vec![text(&operation.function), pages])
    }

    /// Asks the host, and waits for the answer unless the code does.
    fn ask(
        &mut self,
        message: IndexMap<String, Value>,
        form: Form,
        is_awaited: bool,
    ) -> Result<Answer, Gone> {
        self.prints.flush();
        let number = self.channel.borrow_mut().call(&Value::Object(message))?;
        if is_awaited {
            return Ok(Answer::Later(Waited::Answer(number, form)));
        }
        let answer = self.channel.borrow_mut().answer(number)?;
        Ok(Answer::Now(self.outcome(answer, form)))
    }

    /// Whether a function is one of a test, and `mark` is said of it.
    fn stands_in(&self, operation: &Operation, mark: &str) -> bool {
        let signature = self
            .objects
            .signature(&operation.server, &operation.function);
        cfg!(feature = "test-hooks")
            && signature.is_some_and(|it| it.nullable.iter().any(|it| it == mark))
    }

    fn call_message(
        &self,
        operation: &Operation,
        positional: &[MontyObject],
        named: Pairs,
    ) -> Result<IndexMap<String, Value>, MontyException> {
        let Operation {
            server,
            function,
            content_type,
        } = operation;
        let stands_in = self.stands_in(operation, STANDS_IN);
        let signature = self.objects.signature(server, function);
        let nullable = signature.map_or(&[][..], |it| it.nullable.as_slice());
        if !positional.is_empty() && !stands_in {
            let count = positional.len();
            let verb = if count == 1 { "was" } else { "were" };
            return Err(exception(
                ExcType::TypeError,
                format!("{function}() takes 0 positional arguments but {count} {verb} given"),
            ));
        }
        let mut given = IndexMap::new();
        let numbered = positional.iter().enumerate();
        let numbered = numbered
            .map(|(number, value)| (MontyObject::String(number.to_string()), value.clone()));
        for (name, value) in numbered.chain(named) {
            let MontyObject::String(name) = name else {
                return Err(exception(ExcType::TypeError, "keywords must be strings"));
            };
            if matches!(value, MontyObject::None) && !stands_in && !nullable.contains(&name) {
                continue;
            }
            if self.objects.is_null(&value) {
                given.insert(name, Value::Null);
                continue;
            }
            let value = argument(value).map_err(|unfit| {
                exception(
                    unfit.class,
                    format!(
                        "{function}() argument {} {}",
                        MontyObject::String(name.clone()).py_repr(),
                        unfit.text
                    ),
                )
            })?;
            given.insert(name, value);
        }
        let mut message = IndexMap::from([
            ("server".to_owned(), Value::String(server.clone())),
            ("function".to_owned(), Value::String(function.clone())),
            ("arguments".to_owned(), Value::Object(given)),
        ]);
        if let Some(content_type) = content_type {
            message.insert(
                "content_type".to_owned(),
                Value::String(content_type.clone()),
            );
        }
        Ok(message)
    }

    /// What an answer of the host is in the code.
    pub(super) fn outcome(&mut self, answer: Value, form: Form) -> ExtFunctionResult {
        let nothing = || ExtFunctionResult::Error(exception(ExcType::RuntimeError, "no answer"));
        let Value::Array(parts) = answer else {
            return nothing();
        };
        let mut parts = parts.into_iter();
        let (Some(Value::String(word)), Some(value)) = (parts.next(), parts.next()) else {
            return nothing();
        };
        match (word.as_str(), value) {
            ("ok", value) => {
                let value = from_host(value);
                ExtFunctionResult::Return(match form {
                    Form::Value => value,
                    Form::Page => {
                        let next = parts.next().map_or(MontyObject::None, from_host);
                        MontyObject::List(vec![value, next])
                    }
                    Form::Stream => MontyObject::List(vec![value, MontyObject::None]),
                })
            }
            (word @ ("events" | "items"), Value::Array(stream)) => {
                self.stream(word == "events", stream, form)
            }
            (_, error) => ExtFunctionResult::Error(self.errors.borrow_mut().raised(error)),
        }
    }

    /// What of a stream arrived. Where nothing can tell that it was cut, that is an error.
    fn stream(&mut self, is_events: bool, stream: Vec<Value>, form: Form) -> ExtFunctionResult {
        let mut stream = stream.into_iter();
        let (items, cut) = (stream.next(), stream.next());
        let Some(Value::Array(items)) = items else {
            return ExtFunctionResult::Return(MontyObject::List(Vec::new()));
        };
        let is_cut = !matches!(cut, Some(Value::Null) | None);
        if is_cut && form != Form::Stream {
            let error = self.errors.borrow_mut().raised(cut.unwrap_or_default());
            return ExtFunctionResult::Error(error);
        }
        let items = items.into_iter();
        let items = MontyObject::List(if is_events && form != Form::Page {
            items.map(event).collect()
        } else {
            items.map(from_host).collect()
        });
        if form == Form::Value {
            return ExtFunctionResult::Return(items);
        }
        let why = if is_cut {
            let error = self.errors.borrow_mut().raised(cut.unwrap_or_default());
            let kind = self.errors.borrow().kind(&error).to_owned();
            let message = error.message().unwrap_or_default().to_owned();
            MontyObject::List([kind, message].map(MontyObject::String).into())
        } else {
            MontyObject::None
        };
        ExtFunctionResult::Return(MontyObject::List(vec![items, why]))
    }
}

/// A server-sent event, as `mce_runtime.Event`.
fn event(event: Value) -> MontyObject {
    let Value::Object(mut members) = event else {
        return from_host(event);
    };
    let mut field = |name: &str, usual: MontyObject| {
        let found = members.shift_remove(name);
        (name.to_owned(), found.map_or(usual, from_host))
    };
    let text = |text: &str| MontyObject::String(text.to_owned());
    let fields = [
        field("data", MontyObject::None),
        field("event", text("message")),
        field("id", text("")),
        field("retry", MontyObject::None),
    ];
    let (field_names, values) = fields.into_iter().unzip();
    MontyObject::NamedTuple {
        type_name: "Event".to_owned(),
        field_names,
        values,
    }
}
