//! `mce serve`: the MCP server.

use std::net::{IpAddr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;

use clap::ValueEnum;

use super::opened::Callers;
use super::output::counted;
use super::startup::Startup;
use super::stop::{OrStop, Stop};
use super::{ConfigFile, Outcome, token};
use crate::config::HttpSettings;
use crate::runtime::{LOCAL_PRINCIPAL, Runtime};
use crate::server::{self, http};

const EXAMPLES: &str = "\
Over stdio an MCP client starts this as a subprocess; `mce mcp-config` prints what its configuration
needs. Over HTTP clients connect to http://HOST:PORT/mcp, with a token where HOST is not a loopback
address (`mce token new`). Logs go to stderr. Discovery answers at once; code waits until the sandbox
is proven.

Examples:
  mce serve
  mce serve --config config/swaggers.yaml --env-file .env
  mce serve --transport http --port 8000";

/// What to do where the tokens file is not as it should be.
const NEW_TOKEN: &str = "`mce token new NAME` prints an entry of that file";

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

    /// With `--transport http`: the address to listen on; else `MCE_HOST`
    #[arg(long, value_name = "ADDRESS")]
    host: Option<IpAddr>,

    /// With `--transport http`: the port to listen on, 0 for a free one; else `MCE_PORT`
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
}

/// `--transport`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Transport {
    /// Over stdin and stdout of this process
    Stdio,
    /// Over HTTP, for many clients
    Http,
}

pub(super) fn run(arguments: &Arguments, startup: &Startup) -> Outcome {
    let configured = startup.configured(arguments.config.path())?;
    if let Some(nothing) = configured.nothing_here() {
        return Err(Stop::failure(format!("nothing to serve: {nothing}")).hint(
            "start in the config's folder, or give `--config` and `MCE_COMPILED_OUTPUT_DIR`",
        ));
    }
    if arguments.transport == Transport::Stdio
        && (arguments.host.is_some() || arguments.port.is_some())
    {
        return Err(Stop::usage(
            "`--host` and `--port` are for `--transport http`",
        ));
    }
    let settings = Arc::clone(&configured.settings);
    if arguments.transport == Transport::Http {
        let host = arguments.host.unwrap_or(settings.http.host);
        let address = SocketAddr::from((host, arguments.port.unwrap_or(settings.http.port)));
        // The server reads them too; here what is wrong comes with advice.
        let tokens = settings.http.named_tokens();
        let tokens = tokens.map_err(|error| Stop::failure(error.to_string()).hint(NEW_TOKEN))?;
        for warning in token::of_no_server(&tokens, &configured) {
            tracing::warn!("{warning}");
        }
        let opened = configured.open_to_serve(Callers::Network)?;
        return opened
            .run_to_its_end(async |runtime| over_http(runtime, address, &settings.http).await);
    }
    let opened = configured.open_to_serve(Callers::Own)?;
    opened.run_to_its_end(async |runtime| {
        let announcing = tokio::spawn({
            let runtime = Arc::clone(&runtime);
            async move { announce(&runtime, "waiting for a client on stdin").await }
        });
        let served = server::serve_stdio(runtime, LOCAL_PRINCIPAL).await;
        announcing.abort();
        served.or_stop().map(|()| ExitCode::SUCCESS)
    })
}

async fn over_http(runtime: Arc<Runtime>, address: SocketAddr, settings: &HttpSettings) -> Outcome {
    let mut announcing = None;
    let served = server::http::serve_http(Arc::clone(&runtime), address, settings, |address| {
        announcing = Some(tokio::spawn(async move {
            let place = format!("listening on http://{address}/mcp");
            announce(&runtime, &place).await;
        }));
    })
    .await;
    if let Some(announcing) = announcing {
        announcing.abort();
    }
    served.map(|()| ExitCode::SUCCESS).map_err(|error| {
        let stop = Stop::failure(error.to_string());
        match error {
            http::Error::NoToken { .. } => stop.hint(
                "set `MCE_HTTP_TOKEN`, or `MCE_HTTP_TOKENS_FILE` (`mce token new` makes a token), or \
                 listen on 127.0.0.1",
            ),
            http::Error::Tokens(_) => stop.hint(NEW_TOKEN),
            http::Error::Listen { .. } => {
                stop.hint("`--host` and `--port` choose another place, port 0 a free one")
            }
            // What is to be done is said with it.
            http::Error::Promoted(_) => stop,
            http::Error::Sandbox(finding) => stop.hint(
                finding.hint.unwrap_or_else(|| "see `mce sandbox status`".to_owned()),
            ),
        }
    })
}

/// Says on the log what is served and where: on a terminal nothing else shows that it waits.
async fn announce(runtime: &Runtime, place: &str) {
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
        "serving {}, {}; {place}",
        counted(servers, "server"),
        counted(functions, "function")
    );
}
