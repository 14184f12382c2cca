//! The variables of the process and of `--env-file`.

use std::collections::BTreeMap;

/// A snapshot of the environment, taken once at start. `Debug` shows names only.
#[derive(Clone, Default)]
#[expect(dead_code, reason = "read by the parts that follow")]
pub struct Environment {
    variables: BTreeMap<String, String>,
}
