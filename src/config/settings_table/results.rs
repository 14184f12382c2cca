//! What results look like, and how long large ones are kept.

use super::{SECONDS, SIZE, Setting, setting};

pub(super) const RESULTS: &[Setting] = &[
    setting(
        "MCE_OUTPUT_MODE",
        "`json`, `toon` or `compact`",
        "json",
        "Form of the text of results; their structured content is the same in each.",
    )
    .or(&["MCP_BRIDGE_OUTPUT_MODE"]),
    setting(
        "MCE_MAX_INLINE_BYTES",
        SIZE,
        "24k",
        "A larger result is answered with its shape, first rows and a resource that has all of it; longer output with its ends.",
    ),
    setting(
        "MCE_MAX_OUTPUT_SIZE_BYTES",
        SIZE,
        "1m",
        "A larger result ends the execution with `output_limit`.",
    ),
    setting(
        "MCE_RESULTS_DB_PATH",
        "path",
        "",
        "Database of results too large to inline, which clients read as resources; else `results.db` beside the code cache.",
    ),
    setting(
        "MCE_RESULT_TTL_SECONDS",
        SECONDS,
        "3600",
        "How long such a result is kept.",
    ),
    setting(
        "MCE_RESULTS_MAX_BYTES",
        SIZE,
        "256m",
        "What all of them may hold together; the oldest of the caller who has most go first.",
    ),
];
