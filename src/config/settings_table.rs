//! Every setting in one table. `--help`, `docs/settings.md` and the parser all come from it.

mod calls;
mod http;
mod ignored;
mod records;
mod results;
mod sandbox;

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// The variable's name.
    pub name: &'static str,
    /// Further names with the same meaning (the seeds' spellings).
    pub aliases: &'static [&'static str],
    /// What a value looks like, for people.
    pub kind: &'static str,
    /// The default as one would write it; empty where there is none.
    pub default: &'static str,
    /// One sentence.
    pub meaning: &'static str,
    /// Why it has no effect, where it is accepted and has none.
    pub ignored: Option<&'static str>,
}

const fn setting(
    name: &'static str,
    kind: &'static str,
    default: &'static str,
    meaning: &'static str,
) -> Setting {
    Setting {
        name,
        aliases: &[],
        kind,
        default,
        meaning,
        ignored: None,
    }
}

const fn ignored(
    name: &'static str,
    kind: &'static str,
    meaning: &'static str,
    why: &'static str,
) -> Setting {
    Setting {
        ignored: Some(why),
        ..setting(name, kind, "", meaning)
    }
}

impl Setting {
    const fn or(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    /// Accepted and checked, but without effect for now.
    const fn without_effect(self, why: &'static str) -> Self {
        Self {
            ignored: Some(why),
            ..self
        }
    }
}

const BOOLEAN: &str = "`true` or `false`";
const SECONDS: &str = "seconds";
const SIZE: &str = "bytes, or with `k`, `m`, `g`";
const COUNT: &str = "whole number";

/// What is of no other group.
const GENERAL: &[Setting] = &[
    setting(
        "MCE_LOG_LEVEL",
        "`error`, `warn`, `info`, `debug`, `trace`, or a filter like `mce=debug,info`",
        "info",
        "How much is logged to standard error.",
    )
    .or(&["MCP_BRIDGE_LOG_LEVEL"]),
    setting(
        "MCE_DEBUG",
        BOOLEAN,
        "false",
        "Adds tracebacks of the submitted code to results.",
    )
    .without_effect("tracebacks of the submitted code are always given"),
    setting(
        "MCE_SWAGGER_CONFIG_FILE",
        "path",
        "",
        "The config; else `./swaggers.yaml`, then `./config/swaggers.yaml`.",
    ),
    setting(
        "MCE_COMPILED_OUTPUT_DIR",
        "path",
        "./compiled",
        "Folder of the compiled servers.",
    ),
    setting(
        "MCE_GUARD_POLICY",
        "path",
        "",
        "TOML file that changes what code may use, or says all of it; unset, the built-in policy counts.",
    ),
    setting(
        "MCE_LINT_ENABLED",
        BOOLEAN,
        "false",
        "Refuses code in which `ruff`, where it is on `PATH`, finds a mistake; style does not count.",
    ),
    setting(
        "MCE_MAX_CODE_SIZE_BYTES",
        SIZE,
        "64k",
        "Longest code accepted, in bytes of UTF-8.",
    ),
];

const GROUPS: &[&[Setting]] = &[
    http::HTTP,
    GENERAL,
    sandbox::SANDBOX,
    results::RESULTS,
    records::RECORDS,
    calls::CALLS,
    ignored::IGNORED,
];

/// How many there are.
const ALL: usize = {
    let (mut rows, mut groups) = (0, GROUPS);
    while let [group, others @ ..] = groups {
        rows += group.len();
        groups = others;
    }
    rows
};

/// The table, a group after the other.
pub const SETTINGS: &[Setting] = &{
    let mut table = [setting("", "", "", ""); ALL];
    let (mut left, mut groups) = (table.as_mut_slice(), GROUPS);
    while let [group, others @ ..] = groups {
        let (own, rest) = left.split_at_mut(group.len());
        own.copy_from_slice(group);
        left = rest;
        groups = others;
    }
    table
};

/// Whether a variable is that of a setting, by its name or an alias.
pub(super) fn is_setting(name: &str) -> bool {
    SETTINGS
        .iter()
        .any(|setting| setting.name == name || setting.aliases.contains(&name))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_name_stands_for_one_setting() {
        let names: Vec<_> = SETTINGS
            .iter()
            .flat_map(|row| std::iter::once(row.name).chain(row.aliases.iter().copied()))
            .collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        for name in names {
            assert!(
                name.starts_with("MCE_") || name.starts_with("MCP_"),
                "{name}"
            );
        }
    }
}
