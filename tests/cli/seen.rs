//! Snapshots of what people see: stdout, stderr and the exit code.

use std::fs;
use std::process::Command;

use crate::folder::Folder;

macro_rules! snapshot {
    ($folder:expr, $command:expr) => {
        insta::assert_snapshot!($crate::seen::seen(&$folder, &mut $command))
    };
}
pub(crate) use snapshot;

/// Code, stdout and stderr as one text, with what differs from run to run replaced.
pub fn seen(folder: &Folder, command: &mut Command) -> String {
    let done = command.output().unwrap();
    let stdout = String::from_utf8(done.stdout).unwrap();
    let stderr = String::from_utf8(done.stderr).unwrap();
    let text = format!(
        "exit: {}\n----- stdout\n{stdout}----- stderr\n{stderr}",
        done.status.code().expect("no signal")
    );
    let text = text
        .replace(&folder.path().display().to_string(), "[FOLDER]")
        .replace(
            &fs::canonicalize(command.get_program())
                .unwrap()
                .display()
                .to_string(),
            "[MCE]",
        )
        .replace(env!("CARGO_PKG_VERSION"), "[VERSION]");
    let text = replace_times(&text);
    replace_values(&text, &["execution_id", "execution_time_ms", "ms"])
}

/// Replaces the number in every `, 12 ms)`.
fn replace_times(text: &str) -> String {
    let mut parts = text.split(" ms)");
    let mut replaced = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = replaced
            .trim_end_matches(|it: char| it.is_ascii_digit())
            .len();
        replaced.truncate(digits);
        replaced.push_str("[MS] ms)");
        replaced.push_str(part);
    }
    replaced
}

/// Replaces the values of these JSON members.
fn replace_values(text: &str, members: &[&str]) -> String {
    let line = |line: &str| {
        let name = line.trim_start().strip_prefix('"')?;
        let (name, _) = name.split_once("\": ")?;
        members.contains(&name).then(|| {
            let indent = &line[..line.len() - line.trim_start().len()];
            let comma = if line.ends_with(',') { "," } else { "" };
            format!("{indent}\"{name}\": [{name}]{comma}")
        })
    };
    let lines: Vec<_> = text
        .lines()
        .map(|it| line(it).unwrap_or_else(|| it.to_owned()))
        .collect();
    lines.join("\n")
}
