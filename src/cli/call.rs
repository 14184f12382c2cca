//! `mce call`: one compiled function, without any code.

mod arguments;
mod listing;

use std::process::ExitCode;
use std::sync::Arc;

use arguments::{Declared, Reader, parted};

use super::startup::{Configured, Startup};
use super::stop::Stop;
use super::{ConfigFile, Outcome, output};
use crate::runtime::{CallRequest, ErrorType, ExecutionResult, LOCAL_PRINCIPAL, Runtime, Stages};

const EXAMPLES: &str = "\
Where the function declares text, a value is taken as it was typed. Where it declares a list, one
that is no JSON list makes a list of one, and a name may be repeated: `tag=a tag=b`. Else a value is
read as JSON where it is JSON, and as text where it is not.

`cover=@front.png` gives a file's bytes, `q=@@home` the text `@home`. `body.title=Emma` sets a member
of an argument that is an object; of a multipart body, `body.file=@notes.txt` is that file with its
name.

Without a function, those of the server are listed.

Prints a result of the same form as `mce exec` does; `data` in it is the API's answer.

Exit codes: 0 the API answered with success, 1 it did not or the call was refused, 2 usage.

Examples:
  mce call bookshop
  mce call bookshop.list_books genre=mystery max_price=20
  mce call bookshop.list_books | jq .data
  mce call bookshop.get_book isbn=9780000000017
  mce call bookshop.place_order body.isbn=9780000000017 body.copies=2
  mce call bookshop.place_order 'body={\"isbn\": \"9780000000017\", \"copies\": 2}'";

/// Arguments of `mce call`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    config: ConfigFile,

    /// The function, as SERVER.FUNCTION; a server alone lists its functions
    #[arg(value_name = "SERVER.FUNCTION")]
    function: String,

    /// Send the body as this media type, one of those that the document lists
    #[arg(long, value_name = "TYPE")]
    content_type: Option<String>,

    /// Its arguments
    #[arg(value_name = "NAME=VALUE")]
    values: Vec<String>,
}

impl Arguments {
    /// Whether a function is to be called; else those of a server are listed.
    pub(super) fn names_a_function(&self) -> bool {
        self.function.contains('.')
    }
}

pub(super) fn run(arguments: &Arguments, startup: &Startup) -> Outcome {
    for item in &arguments.values {
        parted(item)?;
    }
    let configured = startup.configured(arguments.config.path())?;
    let Some((server, function)) = arguments.function.split_once('.') else {
        return list(arguments, &configured);
    };
    if let Some(nothing) = configured.nothing_here() {
        return Err(
            Stop::failure(format!("there is no server `{server}`: {nothing}")).hint(
                "call from the config's folder, or give `--config` and `MCE_COMPILED_OUTPUT_DIR`",
            ),
        );
    }
    let limit = configured.settings.max_request_bytes;
    let opened = configured.open()?;
    let result = opened.run(async |runtime| {
        let spinner = output::spinner(format!("calling {}", arguments.function));
        let result = call(&runtime, arguments, (server, function), limit).await;
        spinner.finish_and_clear();
        result
    })?;
    output::json(&result)?;
    Ok(ExitCode::from(u8::from(!result.success)))
}

async fn call(
    runtime: &Arc<Runtime>,
    arguments: &Arguments,
    (server, function): (&str, &str),
    limit: usize,
) -> Result<ExecutionResult, Stop> {
    let manifest = runtime.manifest(server).await;
    let declared = manifest.as_deref().and_then(|manifest| {
        let function = manifest.function(function)?;
        Some(Declared { manifest, function })
    });
    let reader = Reader {
        declared,
        content_type: arguments.content_type.as_deref(),
        limit,
    };
    let request = CallRequest {
        server: server.to_owned(),
        function: function.to_owned(),
        arguments: reader.read(&arguments.values)?,
        content_type: arguments.content_type.clone(),
        principal: LOCAL_PRINCIPAL.to_owned(),
        preview: false,
        stages: Stages::default(),
    };
    let mut result = runtime.call(request).await;
    if result.error_type == Some(ErrorType::Validation) && result.hint.is_none() {
        let values = &arguments.values;
        result.hint = if manifest.is_some() && declared.is_none() {
            Some(format!("`mce call {server}` lists what there is"))
        } else if let Some(name) = reader.broken_json(values) {
            Some(format!(
                "`{name}` is not valid JSON, so it was taken as text"
            ))
        } else {
            reader.advice(values)
        };
    }
    Ok(result)
}

/// `mce call SERVER`.
fn list(arguments: &Arguments, configured: &Configured) -> Outcome {
    let server = arguments.function.as_str();
    let missing = || Stop::usage(format!("expected SERVER.FUNCTION, found `{server}`"));
    if configured.nothing_here().is_some() || !arguments.values.is_empty() {
        return Err(missing().hint("such as `mce call bookshop.list_books`"));
    }
    let listed = configured.open()?.run(async |runtime| {
        if let Some(manifest) = runtime.manifest(server).await {
            return Ok(listing::listing(&manifest));
        }
        let page = runtime.list_servers(None).await.unwrap_or_default();
        if let Some(refused) = page.refused.iter().find(|refused| refused.name == server) {
            let reason = &refused.reason;
            return Err(Stop::failure(format!(
                "server `{server}` is refused: {reason}"
            )));
        }
        let names: Vec<_> = page.servers.iter().map(|it| it.name.as_str()).collect();
        Err(missing().hint(format!(
            "no server has that name; there are: {}",
            names.join(", ")
        )))
    })?;
    output::line(output::printable(&listed))?;
    Ok(ExitCode::SUCCESS)
}
