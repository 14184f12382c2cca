//! `mce search`: functions by what they do.

use std::process::ExitCode;

use super::output::{self, printable};
use super::startup::Startup;
use super::stop::{OrStop, Stop};
use super::{ConfigFile, Outcome, Shown};
use crate::runtime::{FoundFunction, SearchRequest};

const EXAMPLES: &str = "\
Searches as `search_functions` does for a model: by words, names of operations in any
spelling, paths with values in place of placeholders, parameters. Where nothing fits nothing
is printed, and standard error names functions that have something of it.

Exit codes: 0 something was found, 1 nothing was, 2 usage.

Examples:
  mce search books by genre
  mce search GET /orders/42
  mce search --server bookshop --limit 3 stock --json";

/// Arguments of `mce search`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    config: ConfigFile,

    /// What the function does, its name, or its path
    #[arg(value_name = "QUERY", required = true)]
    query: Vec<String>,

    /// Functions of this server alone
    #[arg(long, value_name = "NAME")]
    server: Option<String>,

    /// Functions with this tag alone
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,

    /// As many at most, 1 to 20
    #[arg(long, value_name = "COUNT", default_value = "10")]
    limit: usize,

    #[command(flatten)]
    shown: Shown,
}

pub(super) fn run(arguments: &Arguments, startup: &Startup) -> Outcome {
    let configured = startup.configured(arguments.config.path())?;
    if let Some(nothing) = configured.nothing_here() {
        return Err(Stop::failure(format!("nothing to search: {nothing}")).hint(
            "search from the config's folder, or give `--config` and `MCE_COMPILED_OUTPUT_DIR`",
        ));
    }
    let request = SearchRequest {
        query: arguments.query.join(" "),
        server: arguments.server.clone(),
        tag: arguments.tag.clone(),
        limit: Some(arguments.limit),
        detail: false,
    };
    let answer = configured
        .open()?
        .run(async |runtime| runtime.search_functions(&request).await.or_stop())?;
    if arguments.shown.is_json() {
        output::json(&answer)?;
    } else {
        for found in &answer.functions {
            output::line(printable(&described(found)))?;
        }
        if let Some(hint) = &answer.hint {
            output::aside(hint);
        }
    }
    Ok(ExitCode::from(u8::from(answer.functions.is_empty())))
}

fn described(found: &FoundFunction) -> String {
    let FoundFunction {
        server,
        name,
        method,
        path,
        summary,
        ..
    } = found;
    if summary.is_empty() {
        format!("{server}.{name}  {method} {path}")
    } else {
        format!("{server}.{name}  {method} {path}  {summary}")
    }
}
