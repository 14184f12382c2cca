//! A document that is read before its server has a name, which is found in what it holds. It is read
//! once: another answer to the same URL might be another document.

use super::origin::OnMove;
use super::{Inputs, Options, Report, Run, each_server, run_in, server};
use crate::api::Manifest;
use crate::config::{Config, Environment, ServerConfig};

/// A document that was read, and what it would be compiled to.
#[derive(Debug)]
pub struct Examined {
    /// What would be written, under the name that its server had in the config.
    pub manifest: Manifest,
    inputs: Inputs,
}

/// Reads and compiles the document of the first server of a config, and writes nothing.
///
/// # Errors
/// What is wrong with the document, or that there is no server.
pub async fn examine(config: &Config, environment: &Environment) -> Result<Examined, String> {
    let run = Run::new(&Options::default());
    let work = |server: &ServerConfig, inputs: Inputs, run: &Run, _: &_| {
        let kept = inputs.clone();
        let built = server::build(server, inputs, None, OnMove::Accept, &run.options);
        let manifest = built.map_err(|error| error.to_string())?.manifest;
        Ok(Examined {
            manifest,
            inputs: kept,
        })
    };
    let done = each_server(config, environment, &run, |_, _, _, _| None, work, &|_| {}).await;
    let first = done.into_iter().next();
    let first = first.ok_or_else(|| format!("{}: no servers", config.path.display()))?;
    first.outcome?
}

/// As [`super::run`], but the document of the server of this name, which was read before, is not read again.
pub async fn run_examined(
    config: &Config,
    environment: &Environment,
    options: &Options,
    server: &str,
    examined: Examined,
) -> Report {
    let run = Run::of(options, Some((server.to_owned(), examined.inputs)));
    run_in(config, environment, run, &|_| {}).await
}
