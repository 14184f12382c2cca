//! The settings of the audit beside where it is.

use std::path::PathBuf;
use std::time::Duration;

use super::settings::Lookup;
use super::settings_values::{Invalid, parse_path, whole};

/// Where the audit's lines of JSON go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuditLog {
    /// To standard error.
    Stderr,
    /// To the end of this file.
    File(PathBuf),
}

/// How the audit is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditSettings {
    /// `MCE_AUDIT_MAX_ROWS` of each table
    pub max_rows: usize,
    /// `MCE_AUDIT_LOG`
    pub log: Option<AuditLog>,
    /// `MCE_AUDIT_MAX_AGE_DAYS`
    pub max_age: Option<Duration>,
}

impl Lookup<'_> {
    pub(super) fn audit(&mut self) -> Option<AuditSettings> {
        let max_rows = self.required("MCE_AUDIT_MAX_ROWS", |text| whole(text, 100, 1_000_000_000));
        let log = self.optional("MCE_AUDIT_LOG", parse_log);
        let max_age = self.optional("MCE_AUDIT_MAX_AGE_DAYS", |text| {
            whole(text, 1, 36_500).map(|days: u64| Duration::from_hours(days * 24))
        });
        Some(AuditSettings {
            max_rows: max_rows?,
            log,
            max_age,
        })
    }
}

fn parse_log(text: &str) -> Result<AuditLog, Invalid> {
    match text {
        "-" => Ok(AuditLog::Stderr),
        path => parse_path(path).map(AuditLog::File),
    }
}
