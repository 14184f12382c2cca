//! `mce exec`: code from a file, the same way a client's code goes.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use super::startup::Startup;
use super::stop::Stop;
use super::{ConfigFile, Outcome, output};
use crate::files::{Links, read_regular};
use crate::runtime::{ErrorType, ExecuteRequest, LOCAL_PRINCIPAL};

const EXAMPLES: &str = "\
Prints the result as JSON: what `execute_code` answers an MCP client.

Exit codes: 0 the code ran to its end, 1 it did not, 2 the file cannot be read.

Examples:
  mce exec report.py
  mce exec report.py | jq .data
  echo 'result = 6 * 7' | mce exec -";

/// Arguments of `mce exec`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    config: ConfigFile,

    /// End the code after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: Option<u64>,

    #[cfg(feature = "test-hooks")]
    #[command(flatten)]
    hooks: super::hooks::Arguments,

    /// A Python file; `-` is stdin
    file: PathBuf,
}

pub(super) fn run(arguments: &Arguments, startup: &Startup) -> Outcome {
    let code = read(&arguments.file, startup.settings.max_code_bytes)?;
    let configured = startup.configured(arguments.config.path())?;
    let request = ExecuteRequest {
        code,
        description: arguments.file.display().to_string(),
        principal: LOCAL_PRINCIPAL.to_owned(),
        timeout: arguments.timeout.map(Duration::from_secs),
        ..ExecuteRequest::default()
    };
    #[cfg(feature = "test-hooks")]
    let opened = configured.open_with_hooks(arguments.hooks.into())?;
    #[cfg(not(feature = "test-hooks"))]
    let opened = configured.open()?;
    let mut result = opened.run(async |runtime| {
        let spinner = output::spinner("running the code");
        let result = runtime.execute(request).await;
        spinner.finish_and_clear();
        Ok(result)
    })?;
    if result.error_type == Some(ErrorType::Security)
        && let Some(nothing) = configured.nothing_here()
    {
        result.hint = Some(format!("{nothing}, so code can import no server"));
    }
    output::json(&result)?;
    Ok(ExitCode::from(u8::from(!result.success)))
}

/// So much more than the limit is read, so that the true length can be told and an endless file
/// ends.
const BEYOND: u64 = 16 << 20;

/// The code, or as much of it as shows that it is too long: how long code may be is not for here
/// to say.
fn read(file: &Path, limit: usize) -> Result<String, Stop> {
    let name = file.display();
    let most = u64::try_from(limit)
        .unwrap_or(u64::MAX)
        .saturating_add(BEYOND);
    let bytes = if file == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin()
            .lock()
            .take(most)
            .read_to_end(&mut bytes)
            .map_err(|error| Stop::usage(format!("cannot read `{name}`: {error}")))?;
        bytes
    } else {
        read_regular(file, most, Links::Followed).map_err(|error| {
            Stop::usage(format!("`{name}` {error}")).hint("`-` reads standard input")
        })?
    };
    match String::from_utf8(bytes) {
        Ok(code) => Ok(code),
        // A character cut in two at the very end is no fault of the file.
        Err(error) if error.as_bytes().len() > limit => {
            Ok(String::from_utf8_lossy(error.as_bytes()).into_owned())
        }
        Err(error) => Err(Stop::usage(format!(
            "`{name}` is not UTF-8 at byte {}",
            error.utf8_error().valid_up_to()
        ))
        .hint("save the file as UTF-8")),
    }
}
