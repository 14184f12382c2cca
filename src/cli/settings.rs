//! `mce settings`: the table of settings as text.

use std::fmt::Write as _;
use std::process::ExitCode;

use super::{Outcome, output};
use crate::config::SETTINGS;

pub(super) fn print() -> Outcome {
    output::line(table().trim_end())?;
    Ok(ExitCode::SUCCESS)
}

/// Every setting: name, kind, default, and below it the meaning and further names.
pub(super) fn table() -> String {
    let mut text = String::from("Settings (variables of the environment or of --env-file):\n");
    for setting in SETTINGS {
        let default = if setting.default.is_empty() {
            "unset"
        } else {
            setting.default
        };
        let _ = write!(
            text,
            "\n  {} <{}> [default: {default}]\n      {}\n",
            setting.name, setting.kind, setting.meaning
        );
        if let Some(why) = setting.ignored {
            let _ = writeln!(text, "      no effect: {why}");
        }
        if !setting.aliases.is_empty() {
            let _ = writeln!(text, "      also: {}", setting.aliases.join(", "));
        }
    }
    text.push_str(
        "\nFor each server of the config, MCE_<SERVER>_BASE_URL, _AUTH, _API_KEY, _COOKIE and\n\
         _EXTRA_HEADERS override what the config says. Each may be in a file that the variable of the\n\
         same name with _FILE names.\n\n\
         Examples:\n  mce settings | grep -A1 TIMEOUT\n  MCE_LOG_LEVEL=debug mce serve\n",
    );
    text
}
