//! The command line: one file per subcommand. Prints; knows how nothing works.
//!
//! Arguments as they were typed become a `Startup` in one step; a subcommand takes that and its
//! own arguments and answers with an exit code or a `Stop`. Exit codes: 0 it worked, 1 it did
//! not, 2 it was asked for in a way that makes no sense, 130 it was interrupted.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

mod audit;
mod auth;
mod call;
mod changes;
mod check;
mod clean;
mod client;
mod compile;
mod completions;
mod demo;
mod diff;
mod doctor;
mod excerpt;
mod exec;
mod guard;
#[cfg(feature = "test-hooks")]
mod hooks;
mod init;
mod logging;
mod mcp_config;
mod opened;
mod output;
mod run;
mod sandbox;
mod search;
mod serve;
mod settings;
mod startup;
mod stop;
#[cfg(feature = "otlp")]
mod telemetry;
mod token;
#[cfg(feature = "embedded")]
mod worker;

use startup::Startup;
use stop::Stop;

/// What a subcommand comes to.
type Outcome = Result<ExitCode, Stop>;

const EXAMPLES: &str = "\
Examples:
  mce demo                        See a snippet, a write attempt and a break-out attempt run
  mce init openapi.yaml           Begin a project with an API of your own
  mce compile                     Write compiled/ from swaggers.yaml
  mce diff                        Show what compiling would change in it
  mce doctor                      Check that everything is in order
  mce serve                       Offer compiled/ to an MCP client over stdio
  mce exec report.py              Run a file as a client's code would run
  mce call bookshop.list_books genre=mystery
                                  Call one function, without any code
  mce guard snippets/*.py         Judge files without running them

`mce help COMMAND` explains a command, `mce help settings` lists every variable.";

/// Compiles OpenAPI documents into Python clients and lets sandboxed code call the operations
/// they hold, and nothing else.
#[derive(Debug, Parser)]
#[command(
    name = "mce",
    version,
    max_term_width = 100,
    after_help = EXAMPLES
)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Options that every subcommand takes, before or after its name.
#[derive(Debug, Args)]
struct Global {
    /// Read variables from this file; the real environment wins over it
    #[arg(long, global = true, value_name = "FILE")]
    env_file: Option<PathBuf>,

    /// How logs and errors are written to stderr
    #[arg(long, global = true, value_name = "FORMAT", default_value = "text")]
    log_format: LogFormat,
}

/// `--log-format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// For people
    Text,
    /// One JSON object a line
    Json,
}

impl LogFormat {
    /// What a command line asks for that need not make sense otherwise.
    fn of(arguments: &[OsString]) -> Self {
        let pairs = arguments.iter().zip(arguments.iter().skip(1));
        let is_json = arguments.iter().any(|it| it == "--log-format=json")
            || pairs
                .into_iter()
                .any(|pair| pair.0 == "--log-format" && pair.1 == "json");
        if is_json { Self::Json } else { Self::Text }
    }
}

/// `--format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

/// `--format`, for which `--json` is short.
#[derive(Debug, Clone, Args)]
struct Shown {
    /// How the answer is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// The same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl Shown {
    fn is_json(&self) -> bool {
        self.json || self.format == Format::Json
    }
}

/// `--config`.
#[derive(Debug, Clone, Default, Args)]
struct ConfigFile {
    /// The config; else `MCE_SWAGGER_CONFIG_FILE`, ./swaggers.yaml or ./config/swaggers.yaml
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl ConfigFile {
    fn path(&self) -> Option<&Path> {
        self.config.as_deref()
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Begin a project: write swaggers.yaml for a document, and compile it
    Init(init::Arguments),
    /// Write compiled/ from the documents that swaggers.yaml names
    Compile(compile::Arguments),
    /// Show what compiling would change, or what differs between two compilations
    Diff(diff::Arguments),
    /// Offer the compiled functions to an MCP client
    Serve(serve::Arguments),
    /// Compile, then serve
    Run(run::Arguments),
    /// Remove what compile wrote, and the code cache
    Clean(clean::Arguments),
    /// Run a file exactly as a client's code would run, and print the result as JSON
    Exec(exec::Arguments),
    /// Call one compiled function, and print the result as JSON
    Call(call::Arguments),
    /// Find compiled functions by what they do
    Search(search::Arguments),
    /// Judge files as code is judged before it runs
    Guard(guard::Arguments),
    /// Look at the credentials of servers
    Auth(auth::Arguments),
    /// List what was run, by whom, and what was refused
    Audit(audit::Arguments),
    /// Print what an MCP client is configured with, or write it into the client's file
    McpConfig(mcp_config::Arguments),
    /// Check that everything is in order, and say what to do where it is not
    Doctor(doctor::Arguments),
    /// Build and look at the container sandbox
    Sandbox(sandbox::Arguments),
    /// Show every layer at work on a bundled example
    Demo(demo::Arguments),
    /// Make tokens for clients over HTTP
    Token(token::Arguments),
    /// List every setting, its default and its meaning
    #[command(after_long_help = settings::table())]
    Settings,
    /// Print a completion script for a shell
    Completions(completions::Arguments),
}

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    #[cfg(feature = "embedded")]
    if let Some(code) = worker::run(&arguments) {
        return code;
    }
    stop::report_panics(LogFormat::of(&arguments));
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() && LogFormat::of(&arguments) == LogFormat::Json => {
            return Stop::usage(error.render().to_string().trim_end()).report(LogFormat::Json);
        }
        Err(error) => {
            // Help and version come this way too. A reader that went away is no failure.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let format = cli.global.log_format;
    let answers = answers_in_json(&cli);
    let outcome = dispatch(cli);
    logging::stop();
    match outcome {
        Ok(code) => code,
        Err(stop) => {
            if answers {
                stop.answer();
            }
            stop.report(format)
        }
    }
}

/// Whether whoever reads stdout expects a result in JSON, whatever goes wrong, and is no person.
fn answers_in_json(cli: &Cli) -> bool {
    let answers = match &cli.command {
        Some(Command::Exec(_)) => true,
        Some(Command::Call(arguments)) => arguments.names_a_function(),
        _ => false,
    };
    answers && !std::io::IsTerminal::is_terminal(&std::io::stdout())
}

fn dispatch(cli: Cli) -> Outcome {
    let Some(command) = cli.command else {
        output::line(Cli::command().render_help().to_string().trim_end())?;
        return Ok(ExitCode::SUCCESS);
    };
    // These need neither environment nor settings, so nothing wrong there can stop them.
    match command {
        Command::Settings => return settings::print(),
        Command::Completions(arguments) => return completions::run(&arguments),
        Command::Token(arguments) => return token::run(&arguments),
        // This says itself what is wrong there.
        Command::Doctor(arguments) => return doctor::run(&arguments, &cli.global),
        _ => {}
    }
    // What is wrong with a server stands in the result of these; it need not be logged as well.
    let answers = matches!(
        command,
        Command::Call(_) | Command::Exec(_) | Command::Auth(_)
    );
    let startup = Startup::new(&cli.global, answers)?;
    match command {
        Command::Init(arguments) => init::run(&arguments, &startup),
        Command::Compile(arguments) => compile::run(&arguments, &startup),
        Command::Diff(arguments) => diff::run(&arguments, &startup),
        Command::Serve(arguments) => serve::run(&arguments, &startup),
        Command::Run(arguments) => run::run(&arguments, &startup),
        Command::Clean(arguments) => clean::run(&arguments, &startup),
        Command::Exec(arguments) => exec::run(&arguments, &startup),
        Command::Call(arguments) => call::run(&arguments, &startup),
        Command::Search(arguments) => search::run(&arguments, &startup),
        Command::Guard(arguments) => guard::run(&arguments, &startup),
        Command::Auth(arguments) => auth::run(&arguments, &startup),
        Command::McpConfig(arguments) => mcp_config::run(&arguments, &startup),
        Command::Audit(arguments) => audit::run(&arguments, &startup),
        Command::Sandbox(arguments) => sandbox::run(&arguments, &startup),
        Command::Demo(arguments) => demo::run(&arguments, &startup),
        Command::Doctor(_) | Command::Settings | Command::Completions(_) | Command::Token(_) => {
            Ok(ExitCode::SUCCESS)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_env_file_stands_before_or_after_the_subcommand() {
        for line in [
            ["mce", "--env-file", "a.env", "compile"],
            ["mce", "compile", "--env-file", "a.env"],
        ] {
            let cli = Cli::try_parse_from(line).expect("it parses");
            assert_eq!(cli.global.env_file, Some(PathBuf::from("a.env")));
        }
    }
}
