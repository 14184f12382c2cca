//! `mce audit`: what was run, by whom, and what was refused.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use chrono::{DateTime, NaiveDate};

use super::output::{self, printable};
use super::startup::Startup;
use super::stop::{OrStop, Stop};
use super::{Outcome, Shown};
use crate::invisible::visible;
use crate::runtime::{AuditFilter, AuditReader, AuditedDetail, AuditedExecution};

const EXAMPLES: &str = "\
Lists executions, the latest first. Reads the database of MCE_AUDIT_DB_PATH, also while a server
writes it. `running` is what is left of an execution whose process was killed.

Examples:
  mce audit --since 2h                    Those of the last two hours
  mce audit --refused --server bookshop   Those that were refused something, and used this server
  mce audit --outcome timeout --json | jq length
  mce audit --execution 4f1c              One, with its calls and refusals";

/// Characters of a column of the table, at most; longer cells stand out of it.
const WIDEST: usize = 60;

/// Arguments of `mce audit`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Begun since then: `90s`, `30m`, `2h` or `7d` ago, a day such as 2026-11-30, or a time such as
    /// 2026-11-30T12:00:00Z; UTC where nothing else is said
    #[arg(long, value_name = "WHEN", value_parser = since)]
    since: Option<SystemTime>,

    /// Of this principal
    #[arg(long, value_name = "NAME")]
    principal: Option<String>,

    /// That called this server, or were refused it
    #[arg(long, value_name = "NAME")]
    server: Option<String>,

    /// That called this function, or were refused it; also as SERVER.FUNCTION
    #[arg(long, value_name = "NAME")]
    function: Option<String>,

    /// That ended so: `success`, `running`, or the `error_type` of the result
    #[arg(long, value_name = "OUTCOME")]
    outcome: Option<String>,

    /// In which something was refused
    #[arg(long)]
    refused: bool,

    /// Only this one, with its calls and refusals; the beginning of its id is enough
    #[arg(long, value_name = "ID", conflicts_with_all = [
        "since", "principal", "server", "function", "outcome", "refused", "limit",
    ])]
    execution: Option<String>,

    /// As many at most
    #[arg(long, value_name = "COUNT", default_value_t = 50)]
    limit: usize,

    #[command(flatten)]
    shown: Shown,
}

pub(super) fn run(arguments: &Arguments, startup: &Startup) -> Outcome {
    let path = &startup.settings.audit_db_path;
    if !path.exists() {
        return Err(Stop::failure(format!(
            "there is no audit at `{}`: nothing was run here yet",
            output::absolute(path).display()
        ))
        .hint("call from the folder the server runs in, or set `MCE_AUDIT_DB_PATH`"));
    }
    let reader = AuditReader::open(path).or_stop()?;
    if let Some(beginning) = &arguments.execution {
        let detail = one(&reader, beginning)?;
        if arguments.shown.is_json() {
            output::json(&detail)?;
        } else {
            output::line(printable(described(&detail).trim_end()))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let found = reader.executions(&arguments.filter()).or_stop()?;
    if arguments.shown.is_json() {
        output::json(&found)?;
    } else if found.is_empty() {
        output::line("no such execution")?;
    } else {
        output::line(printable(table(&found).trim_end()))?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    fn filter(&self) -> AuditFilter {
        let (of_function, function) = match self.function.as_deref() {
            Some(name) => match name.split_once('.') {
                Some((server, function)) => (Some(server), Some(function)),
                None => (None, Some(name)),
            },
            None => (None, None),
        };
        AuditFilter {
            since: self.since,
            principal: self.principal.clone(),
            server: self.server.clone().or(of_function.map(str::to_owned)),
            function: function.map(str::to_owned),
            outcome: self.outcome.clone(),
            refused: self.refused,
            limit: self.limit,
        }
    }
}

fn one(reader: &AuditReader, beginning: &str) -> Result<AuditedDetail, Stop> {
    let mut found = reader.details(beginning).or_stop()?;
    match (found.pop(), found.is_empty()) {
        (Some(detail), true) => Ok(detail),
        (Some(_), false) => Err(Stop::usage(format!(
            "several executions have an id that begins with `{beginning}`"
        ))
        .hint("give more of it")),
        (None, _) => Err(
            Stop::failure(format!("the audit has no execution `{beginning}`"))
                .hint("`mce audit` lists the latest; the oldest go in time (`MCE_AUDIT_MAX_ROWS`)"),
        ),
    }
}

/// A text on one line, with all that nobody would see of it, so that none can pass for others: the
/// file may have been written to by somebody else.
fn flat(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    visible(&lines.collect::<Vec<_>>().join("; "))
}

fn length(ms: Option<i64>) -> String {
    ms.map_or_else(|| "-".to_owned(), |ms| format!("{ms} ms"))
}

/// One line of each, in columns as wide as what stands in them.
fn table(found: &[AuditedExecution]) -> String {
    let head = [
        "TIME",
        "EXECUTION",
        "PRINCIPAL",
        "ORIGIN",
        "OUTCOME",
        "TOOK",
        "CALLS",
        "REFUSED",
    ];
    let mut rows = vec![head.map(str::to_owned)];
    rows.extend(found.iter().map(|it| {
        [
            flat(&it.time),
            flat(&it.id),
            flat(&it.principal),
            flat(&it.origin),
            flat(&it.outcome),
            length(it.ms),
            it.calls.to_string(),
            it.refusals.to_string(),
        ]
    }));
    let widths: Vec<usize> = (0..head.len())
        .map(|column| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            let longest = cells.map(|cell| cell.chars().count()).max();
            // A formatter takes no more than 65,535, and no table is read that wide.
            longest.unwrap_or(0).min(WIDEST)
        })
        .collect();
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(line, "{cell:<width$}  ");
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

fn described(detail: &AuditedDetail) -> String {
    let it = &detail.execution;
    let none = || "-".to_owned();
    let mut text = format!(
        "execution  {}\ntime       {}\nprincipal  {}\norigin     {}\ncode       {}\nverdict    {}\n\
         outcome    {}\ntook       {}\n",
        flat(&it.id),
        flat(&it.time),
        flat(&it.principal),
        flat(&it.origin),
        it.code_sha256
            .as_ref()
            .map_or_else(none, |hash| format!("sha256:{}", flat(hash))),
        it.verdict.as_deref().map_or_else(none, flat),
        flat(&it.outcome),
        length(it.ms)
    );
    let _ = writeln!(text, "calls      {}", detail.calls.len());
    for call in &detail.calls {
        let came = match (call.status, &call.error) {
            (Some(status), None) => status.to_string(),
            (Some(status), Some(error)) => format!("{status} {}", flat(error)),
            (None, Some(error)) => flat(error),
            (None, None) => none(),
        };
        let _ = writeln!(
            text,
            "  {}  {}.{}  {came}  {} ms",
            flat(&call.time),
            flat(&call.server),
            flat(&call.function),
            call.ms
        );
    }
    let _ = writeln!(text, "refusals   {}", detail.refusals.len());
    for refusal in &detail.refusals {
        let reason = flat(&refusal.reason);
        let named = match (&refusal.server, &refusal.function) {
            (Some(server), Some(function)) => format!("{}.{}: ", flat(server), flat(function)),
            (Some(server), None) => format!("{}: ", flat(server)),
            _ => String::new(),
        };
        let _ = writeln!(
            text,
            "  {}  {}: {named}{}",
            flat(&refusal.time),
            flat(&refusal.layer),
            reason
        );
    }
    text
}

/// A time, or how long ago it is.
fn since(text: &str) -> Result<SystemTime, String> {
    let expected = || {
        "expected a length of time such as `2h`, or a time such as 2026-11-30 or \
         2026-11-30T12:00:00Z"
            .to_owned()
    };
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Ok(time.into());
    }
    if let Ok(day) = NaiveDate::parse_from_str(text, "%Y-%m-%d") {
        let midnight = day.and_hms_opt(0, 0, 0).ok_or_else(expected)?;
        return Ok(midnight.and_utc().into());
    }
    let unit = text.chars().next_back().ok_or_else(expected)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        'w' => 604_800,
        _ => return Err(expected()),
    };
    let number = text.strip_suffix(unit).unwrap_or_default();
    let number: u64 = number.parse().map_err(|_| expected())?;
    let length = number.checked_mul(seconds).ok_or_else(expected)?;
    SystemTime::now()
        .checked_sub(Duration::from_secs(length))
        .ok_or_else(expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line feed in a cell began what looked like a row of its own.
    #[test]
    fn every_execution_is_one_line_whatever_its_row_holds() {
        let hostile = "x\n2026  forged\r\u{1b}[2J\u{202e}\u{2028}y".to_owned();
        let execution = AuditedExecution {
            id: hostile.clone(),
            time: hostile.clone(),
            principal: hostile.clone(),
            origin: hostile.clone(),
            code_sha256: Some(hostile.clone()),
            verdict: Some(hostile.clone()),
            outcome: hostile,
            ms: None,
            calls: 0,
            refusals: 0,
        };
        let cell = r"x; 2026  forged\u{d}\u{1b}[2J\u{202e}\u{2028}y";
        let listed = table(std::slice::from_ref(&execution));
        let lines: Vec<&str> = listed.lines().collect();
        assert_eq!(lines.len(), 2, "{listed}");
        assert_eq!(lines[1].matches(cell).count(), 5, "{listed}");
        let described = described(&AuditedDetail {
            execution,
            calls: Vec::new(),
            refusals: Vec::new(),
        });
        assert_eq!(described.lines().count(), 10, "{described}");
        assert_eq!(described.matches(cell).count(), 7, "{described}");
        assert_eq!(crate::invisible::visible_lines(&described), described);
    }

    #[test]
    fn a_time_is_a_length_a_day_or_a_moment() {
        let of = |text: &str| {
            let since = since(text).unwrap();
            since
                .duration_since(SystemTime::UNIX_EPOCH)
                .unwrap()
                .as_secs()
        };
        assert_eq!(of("1970-01-02"), 86_400);
        assert_eq!(of("1970-01-01T01:00:00+01:00"), 0);
        assert_eq!(of("1970-01-01T00:00:07Z"), 7);
        let now = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap()
            .as_secs();
        assert!((7_200..7_210).contains(&(now - of("2h"))));
        for text in [
            "",
            "h",
            "2",
            "2y",
            "-2h",
            "99999999999999999d",
            "2026-13-01",
            "é",
        ] {
            assert!(since(text).is_err(), "{text}");
        }
    }
}
