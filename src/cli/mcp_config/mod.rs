//! `mce mcp-config`: the configuration of a client, printed or merged into its file.

mod clients;
mod document;
mod file;
mod json;
mod toml;

use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use serde_json::json;
use url::Url;

use clients::{Client, Entry, HEADERS, System, Way, shown};
use document::Addition;

use super::client::{self, Launch};
use super::output::{self, printable};
use super::startup::{Configured, Startup};
use super::stop::Stop;
use super::{ConfigFile, Outcome};

const EXAMPLES: &str = "\
Prints what a client is configured with. With `--write` it is merged into the client's own file: what
else stands there stays as it is, comments too, and so does what was filled in; a copy of the file as
it was is kept beside it. No secret is ever written: variables that the config names are left empty,
and a token is named by the variable that holds it.

Examples:
  mce mcp-config                       The `mcpServers` object that most clients take
  mce mcp-config claude-desktop        What Claude Desktop takes, and where
  mce mcp-config cursor --write        Put it there
  mce mcp-config vscode --project --write
  mce mcp-config codex --transport http --url https://mce.example/mcp";

/// Bytes of a client's file.
const LARGEST: u64 = 16 << 20;

/// Arguments of `mce mcp-config`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The client
    #[arg(value_name = "CLIENT")]
    client: Option<Client>,

    /// Merge it into the client's file
    #[arg(long, requires = "client")]
    write: bool,

    /// The file of the project in this folder, in place of the user's
    #[arg(long, requires = "client", conflicts_with = "file")]
    project: bool,

    /// Another file of the same form
    #[arg(long, value_name = "FILE", requires = "write")]
    file: Option<PathBuf>,

    /// What the server is called there
    #[arg(long, value_name = "NAME", default_value = client::NAME, value_parser = name)]
    name: String,

    /// How the client reaches the server
    #[arg(long, value_name = "TRANSPORT", default_value = "stdio")]
    transport: Transport,

    /// Where the server is; needs `--transport http`
    #[arg(long, value_name = "URL", value_parser = url)]
    url: Option<String>,

    /// The server asks for no token
    #[arg(long)]
    no_token: bool,

    #[command(flatten)]
    config: ConfigFile,
}

/// `--transport`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Transport {
    /// The client starts the server
    Stdio,
    /// The server runs, and has a URL
    Http,
}

fn name(text: &str) -> Result<String, String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if (1..=64).contains(&text.len()) && text.bytes().all(is_plain) {
        Ok(text.to_owned())
    } else {
        Err("expected 1 to 64 letters, digits, `-` and `_`".to_owned())
    }
}

fn url(text: &str) -> Result<String, String> {
    let url = Url::parse(text).map_err(|error| error.to_string())?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("expected `http://` or `https://`".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a password does not belong into a client's file".to_owned());
    }
    Ok(text.to_owned())
}

pub(super) fn run(arguments: &Arguments, startup: &Startup) -> Outcome {
    let configured = startup.configured(arguments.config.path())?;
    if arguments.transport == Transport::Stdio && arguments.url.is_some() {
        return Err(Stop::usage(
            "`--url` is of a server that runs: give `--transport http`",
        ));
    }
    let Some(client) = arguments.client else {
        return generic(arguments, &configured);
    };
    let way = arguments.way(&configured);
    let entry = client
        .entry(&way)
        .map_err(|why| Stop::usage(why).hint("`--transport stdio` has the client start it"))?;
    let file = arguments.file_of(client, &configured);
    if !arguments.write {
        output::line(printed(client, &arguments.name, &entry)?.trim_end())?;
        let place = match &file {
            Ok(file) => format!("goes into {}; `--write` puts it there", shown(file)),
            Err(_) => format!("goes into the file of {}", client.title()),
        };
        tell(&place);
        for note in &entry.notes {
            tell(note);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let file = file?;
    let addition = Addition {
        servers: client.servers(),
        name: &arguments.name,
        members: &entry.members,
        merged: &[client.variables(), HEADERS],
        obsolete: way.obsolete(),
        input: entry.input.as_ref(),
    };
    let written = file::change(&file, LARGEST, |text| {
        if client.is_toml() {
            toml::add(text, &addition)
        } else {
            json::add(text, &addition)
        }
    })
    .map_err(|error| {
        Stop::failure(format!("{}: {error}", file.display()))
            .hint("the file is as it was; without `--write` the entry is printed, to paste")
    })?;
    let path = shown(&file);
    output::line(printable(&match written {
        file::Written::Unchanged => format!("{path}: has it already"),
        file::Written::Made => format!("{path}: made"),
        file::Written::Changed { backup } => {
            format!("{path}: changed; as it was: {}", shown(&backup))
        }
    }))?;
    for note in &entry.notes {
        tell(note);
    }
    tell(&format!("restart {} for it to count", client.title()));
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    fn way(&self, configured: &Configured) -> Way {
        match self.transport {
            Transport::Stdio => Way::Stdio(Launch::of(configured)),
            Transport::Http => Way::Http {
                url: self.url.clone().unwrap_or_else(|| {
                    let settings = &configured.settings;
                    // A server that listens everywhere is found here.
                    let host = match settings.http.host {
                        IpAddr::V4(host) if host.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
                        IpAddr::V6(host) if host.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
                        host => host,
                    };
                    let address = SocketAddr::new(host, settings.http.port);
                    format!("http://{address}/mcp")
                }),
                token: !self.no_token,
            },
        }
    }

    fn file_of(&self, client: Client, configured: &Configured) -> Result<PathBuf, Stop> {
        if let Some(file) = &self.file {
            return Ok(file.clone());
        }
        let environment = &configured.environment;
        client
            .file(self.project, System::here(), environment)
            .ok_or_else(|| {
                let title = client.title();
                let what = if self.project {
                    format!("{title} has no file of a project")
                } else {
                    format!("the folder in which {title} keeps its file is not known")
                };
                Stop::usage(what).hint("name the file with `--file`")
            })
    }
}

/// What most clients take.
fn generic(arguments: &Arguments, configured: &Configured) -> Outcome {
    if arguments.transport == Transport::Http {
        let names: Vec<_> = Client::value_variants()
            .iter()
            .filter_map(|client| Some(client.to_possible_value()?.get_name().to_owned()))
            .collect();
        return Err(Stop::usage(
            "`--transport http` is spelt by each client otherwise: name the client",
        )
        .hint(format!("there are {}", names.join(", "))));
    }
    let value = client::configuration(configured, &arguments.name);
    output::json(&value)?;
    Ok(ExitCode::SUCCESS)
}

/// What would stand in the file if nothing else did.
fn printed(client: Client, name: &str, entry: &Entry) -> Result<String, Stop> {
    let fail = |error: &dyn std::fmt::Display| Stop::failure(format!("cannot be written: {error}"));
    if client.is_toml() {
        let addition = Addition {
            servers: client.servers(),
            name,
            members: &entry.members,
            merged: &[client.variables(), HEADERS],
            obsolete: &[],
            input: None,
        };
        return toml::add("", &addition).map_err(|error| fail(&error));
    }
    let mut value = json!({client.servers(): {name: entry.members}});
    if let (Some(input), Some(members)) = (&entry.input, value.as_object_mut()) {
        members.insert("inputs".to_owned(), json!([input]));
    }
    serde_json::to_string_pretty(&value).map_err(|error| fail(&error))
}

/// A line for people beside what is printed.
fn tell(text: &str) {
    // Nobody may be listening.
    let _ = writeln!(io::stderr(), "{}", printable(text));
}

/// The path beside a file at which a copy of it is kept.
fn copy_of(path: &Path, number: usize) -> PathBuf {
    let mut name = std::ffi::OsString::from(path);
    name.push(match number {
        1 => ".bak".to_owned(),
        number => format!(".bak.{number}"),
    });
    name.into()
}
