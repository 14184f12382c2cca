//! What a worker is given to run.

use indexmap::IndexMap;

use super::library::Piece;
use super::lower::Lowered;
use super::signatures::Functions;
use crate::sandbox::running::{Afterwards, job_members};
use crate::wire::Value;

/// One piece of code and what it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Task {
    /// What the interpreter is handed.
    pub(super) code: String,
    /// The code as it was given.
    pub(super) source: String,
    /// For each line of `code` the line of `source`.
    pub(super) lines: Vec<u32>,
    /// The pieces of the library that it uses, by number.
    pub(super) library: Vec<(u32, String)>,
    /// The functions that it may call.
    pub(super) functions: Functions,
    pub(super) shape: Shape,
    /// Bound on result and prints, in bytes.
    pub(super) max_output_bytes: usize,
    /// Whether more code may follow.
    pub(super) is_session: bool,
}

/// What is to be done with code beside handing it over.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Shape {
    /// What runs the code, where handing it over does not.
    pub(super) start: Option<String>,
    /// What calls its `main`, where it has one.
    pub(super) main: Option<String>,
    /// Whether it gives `result` a value.
    pub(super) binds_result: bool,
}

/// The message of a job.
pub(super) fn message(
    job: &crate::sandbox::Job,
    lowered: Lowered,
    library: &[Piece],
    shape: Shape,
    functions: &Functions,
    afterwards: Afterwards,
) -> Value {
    let text = |text: String| Value::String(text);
    let mut members = job_members(job, lowered.code, afterwards);
    let lines = lowered.lines.into_iter();
    let library = library.iter().map(|piece| {
        let number = Value::Number(piece.number.into());
        Value::Array(vec![number, text(piece.text.to_owned())])
    });
    members.extend([
        ("source".to_owned(), text(job.code.clone())),
        (
            "lines".to_owned(),
            Value::Array(lines.map(|line| Value::Number(line.into())).collect()),
        ),
        ("library".to_owned(), Value::Array(library.collect())),
        (
            "functions".to_owned(),
            serde_json::to_value(functions).map_or(Value::Null, Value::from),
        ),
        ("start".to_owned(), shape.start.map_or(Value::Null, text)),
        ("main".to_owned(), shape.main.map_or(Value::Null, text)),
        ("result".to_owned(), Value::Bool(shape.binds_result)),
    ]);
    Value::Object(members)
}

impl Task {
    /// Reads the message of a job. The host wrote it: what does not fit is a fault.
    pub(super) fn read(message: Value) -> Result<Self, String> {
        let Value::Object(mut members) = message else {
            return Err("the job is no object".to_owned());
        };
        let job = Self::of(&mut members);
        job.ok_or_else(|| "the job lacks a member".to_owned())
    }

    fn of(members: &mut IndexMap<String, Value>) -> Option<Self> {
        let mut take = |name: &str| members.shift_remove(name);
        let functions = serde_json::from_value(take("functions")?.into_json()).ok()?;
        let Value::Array(lines) = take("lines")? else {
            return None;
        };
        let lines = lines.into_iter().map(number);
        let Value::Array(library) = take("library")? else {
            return None;
        };
        Some(Self {
            functions,
            library: library.into_iter().map(piece).collect::<Option<_>>()?,
            lines: lines.collect::<Option<_>>()?,
            code: text(take("code")?)?,
            source: text(take("source")?)?,
            shape: Shape {
                start: text(take("start")?),
                main: text(take("main")?),
                binds_result: take("result")? == Value::Bool(true),
            },
            max_output_bytes: match take("max_output_bytes")? {
                Value::Number(limit) => usize::try_from(limit.as_u64()?).ok()?,
                _ => return None,
            },
            is_session: take("session")? == Value::Bool(true),
        })
    }
}

fn number(value: Value) -> Option<u32> {
    match value {
        Value::Number(number) => u32::try_from(number.as_u64()?).ok(),
        _ => None,
    }
}

fn piece(value: Value) -> Option<(u32, String)> {
    let Value::Array(parts) = value else {
        return None;
    };
    let mut parts = parts.into_iter();
    Some((number(parts.next()?)?, text(parts.next()?)?))
}

fn text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use super::*;
    use crate::sandbox::embedded::signatures::Signature;

    #[test]
    fn a_job_arrives_as_it_was_sent() {
        let sent = crate::sandbox::Job {
            execution_id: "e".to_owned(),
            code: "import statistics\nf()".to_owned(),
            modules: Vec::new(),
            timeout: Duration::from_secs(1),
            max_output_bytes: 100,
        };
        let lowered = Lowered {
            code: "x\ny\nf()".to_owned(),
            lines: vec![1, 1, 2],
            modules: ["statistics".to_owned()].into(),
            awaits: false,
        };
        let library = [Piece {
            number: 7,
            text: "def _mce_f(): pass",
        }];
        let signature = Signature {
            nullable: vec!["note".to_owned()],
            ..Signature::default()
        };
        let functions = BTreeMap::from([(
            "shop".to_owned(),
            BTreeMap::from([("f".to_owned(), signature)]),
        )]);
        let shape = Shape {
            start: None,
            main: Some("main()".to_owned()),
            binds_result: true,
        };
        let message = message(
            &sent,
            lowered,
            &library,
            shape,
            &functions,
            Afterwards::Waits,
        );
        let task = Task::read(message).unwrap();
        assert_eq!(
            task,
            Task {
                code: "x\ny\nf()".to_owned(),
                source: sent.code,
                lines: vec![1, 1, 2],
                library: vec![(7, "def _mce_f(): pass".to_owned())],
                functions,
                shape: Shape {
                    start: None,
                    main: Some("main()".to_owned()),
                    binds_result: true,
                },
                max_output_bytes: 100,
                is_session: true,
            }
        );
        assert!(Task::read(Value::Null).is_err());
    }
}
