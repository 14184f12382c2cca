//! `mce token`: tokens for the HTTP transport.

use std::collections::BTreeSet;
use std::process::ExitCode;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::output::{self, aside};
use super::startup::Configured;
use super::stop::{OrStop as _, Stop};
use super::{Outcome, compile};
use crate::config::{NamedToken, entry_of};
use crate::invisible::visible;
use crate::runtime::served_names;

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

/// Characters of a server's name that is told of.
const LONGEST_NAME: usize = 100;

/// Servers of one token that are told of.
const MOST_NAMED: usize = 3;

/// What is to be said of tokens that are good for servers which do not exist.
pub(super) fn of_no_server(tokens: &[NamedToken], configured: &Configured) -> Vec<String> {
    let known = served_names(&configured.settings, configured.config.as_ref());
    of_none_of(tokens, &known)
}

fn of_none_of(tokens: &[NamedToken], known: &BTreeSet<String>) -> Vec<String> {
    let names: Vec<&str> = known.iter().map(String::as_str).collect();
    let shown = |server: &String| {
        let near = compile::nearest(server, &names);
        let near = near.map_or_else(String::new, |near| format!(" (there is `{near}`)"));
        let short: String = server.chars().take(LONGEST_NAME).collect();
        format!("`{}`{near}", visible(&short))
    };
    let of_token = |token: &NamedToken| {
        let absent = token.servers.iter().flatten();
        let absent: Vec<_> = absent.filter(|it| !known.contains(*it)).collect();
        let first: Vec<String> = absent.iter().copied().take(MOST_NAMED).map(shown).collect();
        let more = match absent.len().saturating_sub(first.len()) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!absent.is_empty()).then(|| {
            format!(
                "the token `{}` is for servers that do not exist: {}{more}; put its entry in the \
                 tokens file right",
                token.name,
                first.join(", "),
            )
        })
    };
    tokens.iter().filter_map(of_token).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who held such a token saw no server, and nobody was told why.
    #[test]
    fn a_token_for_a_server_that_does_not_exist_is_told_of_with_the_nearest_name() {
        let token = |name: &str, servers: Option<&[&str]>| NamedToken {
            name: name.to_owned(),
            digest: [0; 32],
            servers: servers.map(|it| it.iter().map(|it| (*it).to_owned()).collect()),
        };
        let known = ["shop", "weather"].map(str::to_owned).into();
        let tokens = [
            token("ada", Some(&["shop", "wether"])),
            token("bob", Some(&["shop"])),
            token("eve", None),
            token("kim", Some(&["a\u{202e}", "b", "c", "d", "e"])),
            token("zoe", Some(&[])),
        ];
        let end = "; put its entry in the tokens file right";
        let begin = |name| format!("the token `{name}` is for servers that do not exist: ");
        assert_eq!(
            of_none_of(&tokens, &known),
            [
                format!("{}`wether` (there is `weather`){end}", begin("ada")),
                format!("{}`a\\u{{202e}}`, `b`, `c` and 2 more{end}", begin("kim")),
            ]
        );
    }
}
