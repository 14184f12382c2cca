//! `mce call`: one compiled function, without any code.

use std::path::Path;
use std::process::ExitCode;

use super::startup::Startup;
use super::stop::Stop;
use super::{ConfigFile, Outcome, output};
use crate::files::{Links, ReadError, read_regular};
use crate::runtime::{CallRequest, ErrorType, LOCAL_PRINCIPAL};
use crate::wire::{Arguments as CallArguments, Value, parse_json};

const EXAMPLES: &str = "\
A value is read as JSON where it is JSON, and as text where it is not: `limit=5` is a number,
`name=Ada` text, `'isbn=\"9780000000017\"'` text that looks like a number. `cover=@front.png`
gives a file's bytes, `q=@@home` the text `@home`.

Prints a result of the same form as `mce exec` does; `data` in it is the API's answer.

Exit codes: 0 the API answered with success, 1 it did not or the call was refused, 2 usage.

Examples:
  mce call bookshop.list_books genre=mystery max_price=20
  mce call bookshop.list_books | jq .data
  mce call bookshop.get_book 'isbn=\"9780000000017\"'
  mce call bookshop.place_order 'body={\"isbn\": \"9780000000017\", \"copies\": 2}'";

/// Arguments of `mce call`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    config: ConfigFile,

    /// The function, as SERVER.FUNCTION
    #[arg(value_name = "SERVER.FUNCTION")]
    function: String,

    /// Send the body as this media type, one of those that the document lists
    #[arg(long, value_name = "TYPE")]
    content_type: Option<String>,

    /// Its arguments
    #[arg(value_name = "NAME=VALUE")]
    values: Vec<String>,
}

pub(super) fn run(arguments: &Arguments, startup: &Startup) -> Outcome {
    let Some((server, function)) = arguments.function.split_once('.') else {
        return Err(Stop::usage(format!(
            "expected SERVER.FUNCTION, found `{}`",
            arguments.function
        ))
        .hint("such as `mce call bookshop.list_books`"));
    };
    let request = CallRequest {
        server: server.to_owned(),
        function: function.to_owned(),
        arguments: parse(&arguments.values, startup.settings.max_request_bytes)?,
        content_type: arguments.content_type.clone(),
        principal: LOCAL_PRINCIPAL.to_owned(),
    };
    let configured = startup.configured(arguments.config.path())?;
    if let Some(nothing) = configured.nothing_here() {
        return Err(
            Stop::failure(format!("there is no server `{server}`: {nothing}")).hint(
                "call from the config's folder, or give `--config` and `MCE_COMPILED_OUTPUT_DIR`",
            ),
        );
    }
    let opened = configured.open()?;
    let mut result = opened.run(async |runtime| {
        let spinner = output::spinner(format!("calling {}", arguments.function));
        let result = runtime.call(request).await;
        spinner.finish_and_clear();
        Ok(result)
    })?;
    if result.error_type == Some(ErrorType::Validation)
        && result.hint.is_none()
        && let Some(name) = arguments.values.iter().find_map(|item| broken_json(item))
    {
        result.hint = Some(format!(
            "`{name}` is not valid JSON, so it was taken as text"
        ));
    }
    output::json(&result)?;
    Ok(ExitCode::from(u8::from(!result.success)))
}

fn parse(items: &[String], limit: usize) -> Result<CallArguments, Stop> {
    let mut arguments = CallArguments::new();
    for item in items {
        let Some((name, text)) = item.split_once('=') else {
            return Err(Stop::usage(format!("expected NAME=VALUE, found `{item}`")));
        };
        if arguments.contains_key(name) {
            return Err(Stop::usage(format!("`{name}` is given twice")));
        }
        arguments.insert(name.to_owned(), value(text, limit)?);
    }
    Ok(arguments)
}

fn value(text: &str, limit: usize) -> Result<Value, Stop> {
    if let Some(rest) = text.strip_prefix('@') {
        if rest.starts_with('@') {
            return Ok(Value::String(rest.to_owned()));
        }
        return read(rest, limit);
    }
    Ok(parse_json(text.as_bytes()).unwrap_or_else(|_| Value::String(text.to_owned())))
}

/// The name of an argument that begins as JSON does and is none.
fn broken_json(item: &str) -> Option<&str> {
    let (name, text) = item.split_once('=')?;
    let is_meant = text.trim_start().starts_with(['{', '[', '"']);
    (is_meant && parse_json(text.as_bytes()).is_err()).then_some(name)
}

fn read(file: &str, limit: usize) -> Result<Value, Stop> {
    let most = u64::try_from(limit).unwrap_or(u64::MAX);
    match read_regular(Path::new(file), most, Links::Followed) {
        Ok(bytes) => Ok(Value::Bytes(bytes.into())),
        Err(ReadError::TooLarge { .. }) => Err(Stop::usage(format!(
            "`{file}` is longer than {limit} bytes, the most a request may hold"
        ))
        .hint("raise MCE_MAX_REQUEST_BYTES")),
        Err(error) => Err(Stop::usage(format!("`{file}` {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn parsed(items: &[&str]) -> Result<CallArguments, Stop> {
        let items: Vec<String> = items.iter().map(|item| (*item).to_owned()).collect();
        parse(&items, 100)
    }

    #[test]
    fn a_value_is_json_where_it_can_be_and_text_otherwise() {
        let arguments = parsed(&[
            "limit=5",
            "isbn=\"05\"",
            "name=Ada",
            "filter=a=b",
            "body={\"x\": [1.50]}",
            "empty=",
            "nothing=null",
            "handle=@@ada",
        ])
        .expect("it parses");
        let json: Vec<_> = arguments.into_iter().map(|(_, value)| value).collect();
        assert_eq!(
            json,
            [
                Value::from(serde_json::json!(5)),
                Value::String("05".to_owned()),
                Value::String("Ada".to_owned()),
                Value::String("a=b".to_owned()),
                parse_json(b"{\"x\": [1.50]}").expect("JSON"),
                Value::String(String::new()),
                Value::Null,
                Value::String("@ada".to_owned()),
            ]
        );
    }

    #[test]
    fn a_file_gives_its_bytes_up_to_the_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("cover.png");
        fs::write(&file, [0_u8, 255, 10]).expect("a file");
        let item = format!("cover=@{}", file.display());
        let arguments = parsed(&[&item]).expect("it parses");
        assert_eq!(arguments["cover"], Value::Bytes(vec![0, 255, 10].into()));
        fs::write(&file, [0_u8; 101]).expect("a file");
        assert!(matches!(parsed(&[&item]), Err(Stop::Usage(_))));
    }

    /// Opening a pipe waited for a writer for good, and no signal ended that.
    #[test]
    fn a_pipe_is_no_file_to_send() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};

        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe");
        let item = format!("cover=@{}", pipe.display());
        assert!(matches!(parsed(&[&item]), Err(Stop::Usage(_))));
    }

    #[test]
    fn a_name_given_twice_is_a_usage_error() {
        assert!(matches!(parsed(&["a=1", "a=2"]), Err(Stop::Usage(_))));
        assert!(matches!(parsed(&["a"]), Err(Stop::Usage(_))));
    }
}
