//! `mce init`: from a document to a project. Everything is tried before anything is written, each file
//! is written whole, and the config, by which a folder is known for a project, comes last.

mod credentials;
mod naming;
mod place;
mod texts;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::output::{self, absolute, counted, printable};
use super::startup::{Configured, Startup, block_on};
use super::stop::{OrStop, Stop};
use super::{Outcome, compile as compiling};
use crate::compile::{self, Examined, Options, Report};
use crate::config::{Config, server_name};
use crate::files;

use place::Place;
use texts::Project;

const EXAMPLES: &str = "\
Writes swaggers.yaml and .env.example into this folder, compiles the document, and says what to set.
Overwrites nothing without `--force`, and asks nothing.

Examples:
  mce init openapi.yaml
  mce init https://api.example/openapi.json --name tasks --read-only";

/// The config that is written.
const CONFIG_FILE: &str = "swaggers.yaml";

/// The example of an env file that is written.
const ENV_FILE: &str = ".env.example";

/// The name a document is compiled under to see what it holds.
const TRIAL: &str = "trial";

/// Arguments of `mce init`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The OpenAPI document: a path or an http(s) URL
    #[arg(value_name = "URL|FILE")]
    source: String,

    /// What the server is called: a folder, and the Python package that code imports; else the
    /// document's title says
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// Leave out every operation that may change something
    #[arg(long)]
    read_only: bool,

    /// Overwrite swaggers.yaml and .env.example
    #[arg(long)]
    force: bool,
}

pub(super) fn run(arguments: &Arguments, startup: &Startup) -> Outcome {
    if !arguments.force {
        refuse_existing()?;
    }
    let source = source(&arguments.source)?;
    let examined = block_on(examined(&source, arguments.read_only, startup))?;
    let manifest = &examined.manifest;
    let name = match &arguments.name {
        Some(name) => named(name)?,
        None => naming::name_of(&manifest.title, &source),
    };
    let project = Project::new(&name, &source, arguments.read_only, manifest);
    let config = project.config();
    let parsed = Config::parse(&config, Path::new(CONFIG_FILE)).or_stop()?;
    let name = project.name.clone();
    let configured = configured(startup, parsed);
    let report = block_on(async {
        let options = Options {
            output: configured.settings.compiled_output_dir.clone(),
            // What else was compiled there is not this command's to remove.
            only: vec![name.clone()],
            ..Options::default()
        };
        let config = compiling::servers_of(&configured)?;
        let report =
            compile::run_examined(config, &configured.environment, &options, &name, examined).await;
        compiling::verdict(&report)?;
        Ok(report)
    })?;
    for (file, text) in [(ENV_FILE, project.env_example()), (CONFIG_FILE, config)] {
        write(Path::new(file), &text, arguments.force)?;
    }
    output::line(printable(
        told(&project, &report, &configured, startup).trim_end(),
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// Nothing that is there is overwritten.
fn refuse_existing() -> Result<(), Stop> {
    let there = |file: &&str| Path::new(file).symlink_metadata().is_ok();
    let files: Vec<&str> = [CONFIG_FILE, ENV_FILE].into_iter().filter(there).collect();
    if files.is_empty() {
        return Ok(());
    }
    let here = absolute(Path::new("."));
    Err(Stop::failure(format!(
        "{} already in {}",
        match files.as_slice() {
            [file] => format!("{file} is"),
            files => format!("{} are", files.join(" and ")),
        },
        here.display()
    ))
    .hint("add a server to the config by hand, or give `--force` to overwrite"))
}

/// The document as the config names it: a URL, or a path from this folder.
fn source(text: &str) -> Result<String, Stop> {
    let text = text.trim();
    if text.contains("${") {
        return Err(Stop::usage(
            "the document's place holds `${`, which the config would expand",
        ));
    }
    let lower = text.to_ascii_lowercase();
    if lower.starts_with("http://") || lower.starts_with("https://") {
        let url = url::Url::parse(text).map_err(|error| Stop::usage(format!("{text}: {error}")))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(
                Stop::usage("the URL holds a password, which the config would hold").hint(
                    "write the config by hand: `swagger_headers` takes variables, such as \
                 `Authorization: ${DOCUMENT_AUTH}`",
                ),
            );
        }
        return Ok(text.to_owned());
    }
    let path = Path::new(text);
    if !path.is_file() {
        return Err(Stop::failure(format!("there is no file `{text}`"))
            .hint("name an OpenAPI document by its path, or by its http(s) URL"));
    }
    // What lies below this folder is named from it, so that the folder can be moved.
    let (here, there) = (absolute(Path::new(".")), absolute(path));
    let below = there.strip_prefix(&here).map(Path::to_owned);
    let path: PathBuf = below.unwrap_or(there);
    path.into_os_string().into_string().map_err(|_| {
        Stop::usage("the path is not UTF-8")
            .hint("rename the document, or write the config by hand")
    })
}

/// A name that was given, as everything that is made of it spells it.
fn named(name: &str) -> Result<String, Stop> {
    let server = server_name(name);
    if server.is_empty() {
        return Err(Stop::usage(format!(
            "`{}` holds no letter or digit of ASCII, of which a server's name is made",
            printable(name)
        )));
    }
    Ok(server)
}

/// Reads and compiles the document, and writes nothing.
async fn examined(source: &str, read_only: bool, startup: &Startup) -> Result<Examined, Stop> {
    let config = texts::bare(TRIAL, source, read_only);
    let config = Config::parse(config, Path::new(CONFIG_FILE)).or_stop()?;
    let spinner = output::spinner(format!("reading {source}"));
    let examined = compile::examine(&config, &startup.environment).await;
    spinner.finish_and_clear();
    examined.map_err(Stop::failure)
}

fn configured(startup: &Startup, config: Config) -> Configured {
    Configured {
        config: Some(config),
        settings: std::sync::Arc::new(startup.settings.clone()),
        environment: std::sync::Arc::new(startup.environment.clone()),
        env_file: None,
    }
}

/// Writes a file whole. Where it may not be overwritten, also not one that came meanwhile.
fn write(path: &Path, text: &str, force: bool) -> Result<(), Stop> {
    let what = format!("cannot write {}", path.display());
    if force {
        return files::replace(path, text.as_bytes(), 0o666).or_stop_with(what);
    }
    files::create(path, text.as_bytes(), 0o666).or_stop_with(what)
}

/// What was written, and what is to be done.
fn told(project: &Project, report: &Report, configured: &Configured, startup: &Startup) -> String {
    let functions: usize = report.servers.iter().map(|it| it.functions).sum();
    let output = configured.settings.compiled_output_dir.display();
    let mut text = format!(
        "{CONFIG_FILE}: written, with the server `{}`\n{ENV_FILE}: written\n{output}: {}\n",
        project.name,
        counted(functions, "function")
    );
    for server in &report.servers {
        text.push_str(&compiling::remarks(server));
    }
    for warning in &report.warnings {
        let _ = writeln!(text, "warning: {warning}");
    }
    if let Place::Permitted(url, permit) = &project.place {
        let _ = writeln!(
            text,
            "calls may go to {}, by {} in {CONFIG_FILE}",
            permit.what(url),
            permit.keys()
        );
    }
    let mut steps = Vec::new();
    if let Place::Refused(url, permit) = &project.place {
        steps.push(format!(
            "if calls may go to {}: take the `#` off {} in {CONFIG_FILE}, then `mce compile`",
            permit.what(url),
            permit.keys()
        ));
    }
    if project.variables.is_empty() {
        steps.push("nothing has to be set: no operation asks for a credential".to_owned());
    } else {
        let set: Vec<String> = project
            .variables
            .iter()
            .map(|it| format!("{} ({})", it.name, it.meaning))
            .collect();
        steps.push(format!(
            "copy {ENV_FILE} to .env, and set there:\n     {}",
            set.join("\n     ")
        ));
    }
    steps.push("put `.env`, `data/` and files of clients that hold secrets, such as `.mcp.json`, into .gitignore, \
         and commit the rest".to_owned());
    steps.push("look whether all is in order: `mce doctor`".to_owned());
    steps.push(format!(
        "see what there is to call: `mce call {}`",
        project.name
    ));
    steps.push("give it to a client: `mce mcp-config --help`".to_owned());
    if startup.settings.swagger_config_file.is_some() {
        steps.push(format!(
            "unset `MCE_SWAGGER_CONFIG_FILE`, which names another config than {CONFIG_FILE}"
        ));
    }
    text.push_str("\nnext:\n");
    for (number, step) in steps.iter().enumerate() {
        let _ = writeln!(text, "  {}. {step}", number + 1);
    }
    text
}
