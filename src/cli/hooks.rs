//! Switches of the `test-hooks` feature: each takes one layer away, so that the next is attacked
//! alone. Never in a release.

use crate::runtime::Hooks;

/// The switches of `mce exec`.
#[derive(Debug, Clone, Copy, clap::Args)]
#[group(skip)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "one independent switch for each layer"
)]
pub(super) struct Arguments {
    /// Ignore the guard's verdict; its facts are still used
    #[arg(long)]
    no_guard: bool,

    /// Let code call servers it did not import
    #[arg(long)]
    no_import_rule: bool,

    /// Use compiled files unchecked
    #[arg(long)]
    no_load_check: bool,

    /// Switch the broker's read-only rule off
    #[arg(long)]
    no_broker_rule: bool,
}

impl From<Arguments> for Hooks {
    fn from(arguments: Arguments) -> Self {
        Self {
            no_guard: arguments.no_guard,
            no_import_rule: arguments.no_import_rule,
            no_load_check: arguments.no_load_check,
            no_broker_rule: arguments.no_broker_rule,
        }
    }
}
