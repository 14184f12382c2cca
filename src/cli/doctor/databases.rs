//! Whether the audit, the code cache and the results can be opened and written.

use std::path::Path;

use super::super::output::absolute;
use super::Finding;
use crate::config::{AuditLog, Settings};
use crate::runtime::{
    DatabaseState, IN_MEMORY, look_at_audit, look_at_code_cache, look_at_results,
};

pub(super) fn look(settings: &Settings) -> Vec<Finding> {
    let path = &settings.audit_db_path;
    let mut findings = vec![of("audit", "MCE_AUDIT_DB_PATH", path, look_at_audit(path))];
    findings.push(if settings.cache_enabled {
        let path = &settings.cache_db_path;
        of("cache", "MCE_CACHE_DB_PATH", path, look_at_code_cache(path))
    } else {
        Finding::ok("cache", "switched off (`MCE_CACHE_ENABLED`)")
    });
    let path = &settings.results.db_path;
    let state = look_at_results(path);
    findings.push(of("results", "MCE_RESULTS_DB_PATH", path, state));
    if let Some(AuditLog::File(path)) = &settings.audit.log {
        findings.push(match path.metadata() {
            Ok(metadata) if !metadata.is_file() => {
                Finding::problem("audit log", format!("`{}` is no file", path.display()))
                    .advice("set `MCE_AUDIT_LOG` to another path")
            }
            _ => writable("audit log", "MCE_AUDIT_LOG", path),
        });
    }
    findings
}

fn of(
    check: &'static str,
    setting: &str,
    path: &Path,
    state: Result<DatabaseState, crate::runtime::DatabaseError>,
) -> Finding {
    if path == Path::new(IN_MEMORY) {
        return Finding::ok(check, "in memory");
    }
    match state {
        Ok(DatabaseState::Sound | DatabaseState::Missing) => writable(check, setting, path),
        Ok(DatabaseState::Damaged(what)) => {
            Finding::problem(check, format!("`{}` is damaged: {what}", path.display())).advice(
                format!(
                    "move it away, with what lies beside it (`-wal`, `-shm`), or set `{setting}`"
                ),
            )
        }
        Err(error) => {
            let otherwise = format!("move it away or set `{setting}`");
            Finding::of_message(check, &error.to_string(), &otherwise)
        }
    }
}

/// Whether a file can be written, or made where it does not exist.
fn writable(check: &'static str, setting: &str, path: &Path) -> Finding {
    let path = absolute(path);
    let exists = path.exists();
    let mut place = path.as_path();
    while !place.exists() {
        match place.parent() {
            Some(parent) => place = parent,
            None => break,
        }
    }
    let shown = path.display();
    if (exists || place.is_dir()) && may_write(place) {
        return Finding::ok(
            check,
            if exists {
                shown.to_string()
            } else {
                format!("{shown} (made when it is first used)")
            },
        );
    }
    Finding::problem(
        check,
        format!(
            "`{shown}` cannot be written: `{}` may not be, by this user",
            place.display()
        ),
    )
    .advice(format!("change its permissions, or set `{setting}`"))
}

#[cfg(unix)]
fn may_write(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

#[cfg(not(unix))]
fn may_write(path: &Path) -> bool {
    path.metadata().is_ok_and(|it| !it.permissions().readonly())
}
