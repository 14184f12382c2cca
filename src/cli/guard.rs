//! `mce guard`: judges files without running them.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::{Deserialize, Serialize};

use super::excerpt;
use super::output::{self, colours, counted, printable};
use super::startup::Startup;
use super::stop::Stop;
use super::{Format, Outcome};
use crate::files::{Links, ReadError, read_regular};
use crate::guard::{CompiledNames, Violation};
use crate::runtime::{compiled_folders, guard_of};

const EXAMPLES: &str = "\
The names that code may import are those of every folder with a manifest.json in
MCE_COMPILED_OUTPUT_DIR (./compiled), whatever the config says. MCE_GUARD_POLICY names a policy of
your own.

Exit codes: 0 all files pass, 1 at least one is rejected, 2 a file cannot be read or the policy is
not valid.

Examples:
  mce guard report.py
  mce guard --format json snippets/*.py
  git diff --name-only --diff-filter=d -z '*.py' | xargs -0 -r mce guard";

/// A manifest is text that people review; more than this is not one.
const LARGEST_MANIFEST: u64 = 256 << 20;

/// Arguments of `mce guard`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// How verdicts are written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Python files; `-` is stdin
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// What the guard says of one file.
#[derive(Debug, Serialize)]
struct Verdict {
    file: String,
    ok: bool,
    violations: Vec<Violation>,
    /// What the violations are shown in; `None` where it is no text.
    #[serde(skip)]
    code: Option<String>,
}

pub(super) fn run(arguments: &Arguments, startup: &Startup) -> Outcome {
    let guard = guard_of(&startup.settings)?;
    let names = compiled_names(&startup.settings.compiled_output_dir)?;
    let mut verdicts = Vec::with_capacity(arguments.files.len());
    let mut unreadable = None;
    for file in &arguments.files {
        let code = match read(file, startup.settings.max_code_bytes) {
            Ok(code) => code,
            Err(stop) => {
                // The verdicts on the others are told first.
                unreadable.get_or_insert(stop);
                continue;
            }
        };
        let (violations, code) = match code {
            Code::Text(text) => (guard.check(&text, &names).violations, Some(text)),
            Code::Unfit(violation) => (vec![violation], None),
        };
        verdicts.push(Verdict {
            file: file.display().to_string(),
            ok: violations.is_empty(),
            violations,
            code,
        });
    }
    match arguments.format {
        Format::Json => output::json(&verdicts)?,
        Format::Text => print(&verdicts)?,
    }
    if let Some(stop) = unreadable {
        return Err(stop);
    }
    Ok(ExitCode::from(u8::from(
        !verdicts.iter().all(|verdict| verdict.ok),
    )))
}

fn print(verdicts: &[Verdict]) -> Result<(), Stop> {
    for verdict in verdicts {
        if verdict.ok {
            output::line(format_args!("{}: ok", printable(&verdict.file)))?;
        }
        for violation in &verdict.violations {
            let code = verdict.code.as_deref();
            output::line(excerpt::render(&verdict.file, code, violation, colours()))?;
        }
    }
    let rejected = verdicts.iter().filter(|verdict| !verdict.ok).count();
    output::line(format_args!(
        "{} judged, {rejected} rejected",
        counted(verdicts.len(), "file")
    ))
}

/// What a file holds.
enum Code {
    Text(String),
    /// Nothing that could run, for the reason given.
    Unfit(Violation),
}

fn read(file: &Path, limit: usize) -> Result<Code, Stop> {
    let most = u64::try_from(limit).unwrap_or(u64::MAX);
    let bytes = if file == Path::new("-") {
        let mut bytes = Vec::new();
        // One byte more tells an input at the limit from one beyond it, and an endless one ends.
        std::io::stdin()
            .lock()
            .take(most.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|error| Stop::usage(format!("cannot read `-`: {error}")))?;
        Some(bytes).filter(|bytes| bytes.len() <= limit)
    } else {
        match read_regular(file, most, Links::Followed) {
            Ok(bytes) => Some(bytes),
            Err(ReadError::TooLarge { .. }) => None,
            Err(error) => {
                return Err(Stop::usage(format!("`{}` {error}", file.display()))
                    .hint("`-` reads standard input"));
            }
        }
    };
    let Some(bytes) = bytes else {
        return Ok(Code::Unfit(unfit(
            "size",
            format!("the code is longer than {limit} bytes"),
            "split it, or raise MCE_MAX_CODE_SIZE_BYTES",
        )));
    };
    Ok(match String::from_utf8(bytes) {
        Ok(text) => Code::Text(text),
        Err(error) => Code::Unfit(unfit(
            "encoding",
            format!(
                "the code is not UTF-8 at byte {}",
                error.utf8_error().valid_up_to()
            ),
            "save the file as UTF-8",
        )),
    })
}

fn unfit(rule: &str, message: String, hint: &str) -> Violation {
    Violation {
        rule: rule.to_owned(),
        line: 1,
        column: 1,
        text: String::new(),
        message,
        hint: Some(hint.to_owned()),
    }
}

/// The two fields of a manifest that give names; manifests of older versions have them too.
#[derive(Debug, Deserialize)]
struct Names {
    server: String,
    functions: Vec<FunctionName>,
}

#[derive(Debug, Deserialize)]
struct FunctionName {
    name: String,
}

/// The names of every folder that holds a manifest. No folder at all: no names.
fn compiled_names(folder: &Path) -> Result<CompiledNames, Stop> {
    let mut names = CompiledNames::new();
    let servers = match compiled_folders(folder) {
        Ok(servers) => servers,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            tracing::warn!(
                folder = %folder.display(),
                "nothing is compiled here, so code can import no server"
            );
            return Ok(names);
        }
        Err(error) => {
            return Err(Stop::usage(format!(
                "cannot read `{}`: {error}",
                folder.display()
            )));
        }
    };
    for server in servers {
        let path = folder.join(server).join("manifest.json");
        let manifest = read_regular(&path, LARGEST_MANIFEST, Links::Followed)
            .map_err(|error| Stop::usage(format!("`{}` {error}", path.display())))?;
        let read: Names = serde_json::from_slice(&manifest).map_err(|error| {
            Stop::usage(format!("`{}` is no manifest: {error}", path.display()))
                .hint("run `mce compile`, or remove the folder")
        })?;
        let functions: BTreeSet<_> = read.functions.into_iter().map(|it| it.name).collect();
        if let Some(name) = functions.iter().find(|name| !is_function_name(name)) {
            let message = format!(
                "`{}`: `{}` is no name of a function",
                path.display(),
                printable(name)
            );
            return Err(Stop::usage(message).hint("run `mce compile`, or remove the folder"));
        }
        let server = printable(&read.server);
        if names.insert(read.server, functions).is_some() {
            let message = format!(
                "`{}`: there is another manifest of server `{server}`",
                path.display()
            );
            return Err(Stop::usage(message).hint("remove one of the folders"));
        }
    }
    Ok(names)
}

/// Whether a name is one that `mce compile` gives functions.
fn is_function_name(name: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    name.bytes().all(is_word)
        && name
            .bytes()
            .next()
            .is_some_and(|first| !first.is_ascii_digit())
        && !(name.starts_with("__") && name.ends_with("__"))
}
