//! `mce token`: tokens for the HTTP transport.

use std::collections::BTreeSet;
use std::process::ExitCode;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::Outcome;
use super::output::{self, aside};
use super::stop::{OrStop as _, Stop};
use crate::config::entry_of;

const EXAMPLES: &str = "\
The token goes to stderr, once: it is written down nowhere. Its entry, which holds only its SHA-256,
goes to stdout, for the file that `MCE_HTTP_TOKENS_FILE` names. A running server reads that again.

Examples:
  mce token new ada >> tokens.toml
  mce token new nightly-report --server weather --server shop >> tokens.toml";

/// Bytes of a token, as random as keys are.
const BYTES: usize = 32;

/// What a token begins with, so that people and scanners of repositories know it.
const PREFIX: &str = "mce_";

/// Arguments of `mce token`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Make a token, and its entry for the tokens file
    New(New),
}

/// Arguments of `mce token new`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
struct New {
    /// Who is to hold it
    #[arg(value_name = "NAME")]
    name: String,

    /// A server that it may use, again for each; without any it may use all
    #[arg(long = "server", value_name = "SERVER")]
    servers: Vec<String>,
}

pub(super) fn run(arguments: &Arguments) -> Outcome {
    let Command::New(new) = &arguments.command;
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).or_stop_with("the system gives no random bytes")?;
    let token = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes));
    let servers: BTreeSet<String> = new.servers.iter().cloned().collect();
    let servers = (!servers.is_empty()).then_some(&servers);
    let entry = entry_of(&new.name, &token, servers)
        .map_err(|what| Stop::usage(format!("a tokens file that {what} is not valid")))?;
    output::line(entry.trim_end())?;
    aside(format!("token of `{}`, shown this once: {token}", new.name));
    Ok(ExitCode::SUCCESS)
}
