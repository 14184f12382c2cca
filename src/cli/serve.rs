//! `mce serve`: the MCP server.

use std::process::ExitCode;

use clap::ValueEnum;

use super::startup::Startup;
use super::stop::OrStop;
use super::{ConfigFile, Outcome};
use crate::runtime::LOCAL_PRINCIPAL;
use crate::server;

const EXAMPLES: &str = "\
An MCP client starts this as a subprocess; `mce compile` prints what its configuration needs.
Logs go to stderr. Discovery answers at once; code waits until the sandbox is proven.

Examples:
  mce serve
  mce serve --config config/swaggers.yaml --env-file .env";

/// Arguments of `mce serve`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[group(skip)]
pub(super) struct Arguments {
    #[command(flatten)]
    pub(super) config: ConfigFile,

    /// How clients connect
    #[arg(long, value_name = "TRANSPORT", default_value = "stdio")]
    transport: Transport,
}

/// `--transport`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Transport {
    /// Over stdin and stdout of this process
    Stdio,
}

pub(super) fn run(arguments: &Arguments, startup: &Startup) -> Outcome {
    let opened = startup.configured(arguments.config.path())?.open()?;
    opened.run_to_its_end(async |runtime| {
        let Transport::Stdio = arguments.transport;
        let served = server::serve_stdio(runtime, LOCAL_PRINCIPAL).await;
        served.or_stop().map(|()| ExitCode::SUCCESS)
    })
}
