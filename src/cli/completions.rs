//! `mce completions`.

use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;

use super::{Cli, Outcome, output};

const EXAMPLES: &str = "\
Examples:
  mce completions bash > ~/.local/share/bash-completion/completions/mce
  mce completions zsh > ~/.zfunc/_mce
  mce completions fish > ~/.config/fish/completions/mce.fish";

/// Arguments of `mce completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The shell
    shell: Shell,
}

pub(super) fn run(arguments: &Arguments) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "mce", &mut script);
    output::line(String::from_utf8_lossy(&script).trim_end())?;
    Ok(ExitCode::SUCCESS)
}
