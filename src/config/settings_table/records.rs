//! What is kept of executions: the code cache and the audit.

use super::{BOOLEAN, COUNT, SECONDS, Setting, setting};

pub(super) const RECORDS: &[Setting] = &[
    setting(
        "MCE_CACHE_ENABLED",
        BOOLEAN,
        "true",
        "Keeps code that succeeded for `run_cached_code`.",
    ),
    setting(
        "MCE_CACHE_TTL_SECONDS",
        SECONDS,
        "3600",
        "How long code is kept.",
    ),
    setting(
        "MCE_CACHE_MAX_ENTRIES",
        COUNT,
        "500",
        "How many pieces of code are kept; the least recently used go first.",
    ),
    setting(
        "MCE_CACHE_DB_PATH",
        "path",
        "./data/cache.db",
        "Database of the code cache.",
    ),
    setting(
        "MCE_AUDIT_DB_PATH",
        "path",
        "./data/audit.db",
        "Database of the audit log.",
    ),
    setting(
        "MCE_AUDIT_MAX_ROWS",
        COUNT,
        "100000",
        "Rows that each table of the audit log keeps; the oldest go first.",
    ),
    setting(
        "MCE_AUDIT_MAX_AGE_DAYS",
        COUNT,
        "",
        "After this rows of the audit log go, however few there are.",
    ),
    setting(
        "MCE_AUDIT_LOG",
        "path, or `-` for standard error",
        "",
        "File that the audit is written to as lines of JSON too, at its end; opened anew when it was renamed.",
    ),
];
