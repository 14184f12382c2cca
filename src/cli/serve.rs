//! `mce serve`: the MCP server.

use std::process::ExitCode;
use std::sync::Arc;

use clap::ValueEnum;

use super::output::counted;
use super::startup::Startup;
use super::stop::{OrStop, Stop};
use super::{ConfigFile, Outcome};
use crate::runtime::{LOCAL_PRINCIPAL, Runtime};
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
    let configured = startup.configured(arguments.config.path())?;
    if let Some(nothing) = configured.nothing_here() {
        return Err(Stop::failure(format!("nothing to serve: {nothing}")).hint(
            "start in the config's folder, or give `--config` and `MCE_COMPILED_OUTPUT_DIR`",
        ));
    }
    let opened = configured.open_to_serve()?;
    opened.run_to_its_end(async |runtime| {
        let announcing = tokio::spawn({
            let runtime = Arc::clone(&runtime);
            async move { announce(&runtime).await }
        });
        let Transport::Stdio = arguments.transport;
        let served = server::serve_stdio(runtime, LOCAL_PRINCIPAL).await;
        announcing.abort();
        served.or_stop().map(|()| ExitCode::SUCCESS)
    })
}

/// Says on the log what is served: on a terminal nothing else shows that it waits.
async fn announce(runtime: &Runtime) {
    let (mut servers, mut functions) = (0, 0);
    let mut cursor = None;
    loop {
        let Ok(page) = runtime.list_servers(cursor.as_deref()).await else {
            break;
        };
        servers += page.servers.len();
        functions += page
            .servers
            .iter()
            .map(|server| server.function_count)
            .sum::<usize>();
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    tracing::info!(
        "serving {}, {}; waiting for a client on stdin",
        counted(servers, "server"),
        counted(functions, "function")
    );
}
