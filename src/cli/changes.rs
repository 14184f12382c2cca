//! What differs between two compilations, in words: Markdown that can be pasted into a pull
//! request and reads as well in a terminal.
//!
//! Texts of documents stand in code spans only, which nothing in them can end, so they are neither
//! links nor mentions nor HTML.

use std::fmt::Write as _;

use super::output::counted;
use crate::compile::diff::{Change, Kind, Level, ServerDiff};
use crate::compile::{FolderDiff, RUNTIME_FILE};

/// Bytes of the whole text. Comments on pull requests hold 65,536 characters.
const MOST_BYTES: usize = 60_000;
/// Bytes that are kept for each section that is still to come.
const LEAST_BYTES: usize = 6_000;
/// Bytes of a section's title, and of the line on what is left out.
const FRAME_BYTES: usize = 200;
/// Lines of a section.
const MOST_LINES: usize = 100;

/// Servers, and names of functions, that a line or list names.
const MOST_NAMES: usize = 20;
/// Functions that a change of a type names.
const MOST_USERS: usize = 3;

/// A text of sections, bounded as a whole.
#[derive(Default)]
struct Sections {
    text: String,
}

impl Sections {
    /// Writes a section's lines, as many as there is room for when each of the sections `to_come`
    /// gets some too.
    fn write(&mut self, title: &str, lines: impl Iterator<Item = String>, to_come: usize) {
        let reserved = to_come * LEAST_BYTES + self.text.len() + FRAME_BYTES;
        let room = MOST_BYTES.saturating_sub(reserved);
        self.text.push_str(title);
        let (mut written, mut bytes, mut left) = (0, 0, 0);
        for line in lines {
            bytes += line.len() + 1;
            if left > 0 || written == MOST_LINES || bytes > room {
                left += 1;
            } else {
                written += 1;
                let _ = writeln!(self.text, "{line}");
            }
        }
        if left > 0 {
            let _ = writeln!(
                self.text,
                "- and {left} more; `mce diff --format json` lists all"
            );
        }
    }
}

/// All changes as Markdown, what matters most first, whichever server it is of. `failed` are the
/// servers that could not be compared, and why.
pub(super) fn markdown(diff: &FolderDiff, failed: &[(&str, &str)]) -> String {
    let differing: Vec<&ServerDiff> = diff.servers.iter().filter(|it| !it.is_empty()).collect();
    let mut changes: Vec<(&str, &Change)> = Vec::new();
    let shared = diff.shared.iter().map(|change| match change.kind {
        Kind::RuntimeChanged => (RUNTIME_FILE, change),
        _ => ("beside the servers", change),
    });
    changes.extend(shared);
    for diff in &differing {
        let server = diff.server.as_str();
        changes.extend(diff.changes.iter().map(|change| (server, change)));
    }
    changes.sort_by_key(|(server, change)| (change.level, change.kind, *server));
    let mut sections = Sections::default();
    sections.text.push_str("## Changes of compiled APIs\n");
    if !failed.is_empty() {
        let lines = failed.iter().map(|(server, error)| {
            format!(
                "- {}: {}",
                code(server),
                code(&cut(&error.replace('\n', "; ")))
            )
        });
        sections.write("\n### Not compared\n\n", lines, LEVELS.len() + 1);
    }
    if changes.is_empty() {
        let nothing = if failed.is_empty() {
            "Nothing differs."
        } else {
            "Nothing of the others differs."
        };
        let _ = writeln!(sections.text, "\n{nothing}");
        return sections.text;
    }
    if !differing.is_empty() {
        let more = differing.len().saturating_sub(MOST_NAMES);
        let more = (more > 0).then(|| format!("- and {}", counted(more, "more server")));
        let lines = differing
            .iter()
            .take(MOST_NAMES)
            .map(|diff| format!("- {}: {}", code(&diff.server), counts(diff)))
            .chain(more);
        sections.write("\n", lines, LEVELS.len());
    }
    for (index, (level, title)) in LEVELS.iter().enumerate() {
        let mut lines = changes
            .iter()
            .filter(|(_, change)| change.level == *level)
            .map(|(server, change)| format!("- {}", said(server, change)))
            .peekable();
        if lines.peek().is_some() {
            let to_come = LEVELS.len() - index - 1;
            sections.write(&format!("\n### {title}\n\n"), lines, to_come);
        }
    }
    sections.text
}

/// The levels in order, each a section.
const LEVELS: [(Level, &str); 4] = [
    (Level::Security, "Security"),
    (Level::Breaking, "Breaking"),
    (Level::Other, "Additions and other changes"),
    (Level::Text, "Descriptions"),
];

/// `2 functions added, 1 removed`.
pub(super) fn counts(diff: &ServerDiff) -> String {
    let mut parts = Vec::new();
    for (names, what) in [
        (&diff.added, "added"),
        (&diff.removed, "removed"),
        (&diff.changed, "changed"),
    ] {
        match (names.len(), parts.is_empty()) {
            (0, _) => {}
            (count, true) => parts.push(format!("{} {what}", counted(count, "function"))),
            (count, false) => parts.push(format!("{count} {what}")),
        }
    }
    if parts.is_empty() {
        "the same functions".to_owned()
    } else {
        parts.join(", ")
    }
}

/// Names in code spans, the first of many.
pub(super) fn listed<'a>(names: impl ExactSizeIterator<Item = &'a String>) -> String {
    let more = names.len().saturating_sub(MOST_NAMES);
    let names: Vec<String> = names.take(MOST_NAMES).map(|name| code(name)).collect();
    match more {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// A change in one line.
pub(super) fn said(server: &str, change: &Change) -> String {
    let place = match (&change.function, &change.operation) {
        (Some(function), Some(operation)) => {
            format!(
                "{} ({})",
                code(&format!("{server}.{function}")),
                code(operation)
            )
        }
        (None, Some(operation)) => format!("{} {}", code(server), code(operation)),
        _ => code(server),
    };
    format!("{place}: {}{}", what(change), users(change))
}

/// The functions that a change of a type matters to.
fn users(change: &Change) -> String {
    if change.used_by.is_empty() {
        return String::new();
    }
    let count = change.used_by.len() + change.used_by_more;
    let mut names: Vec<String> = change.used_by.iter().map(|name| code(name)).collect();
    names.truncate(MOST_USERS);
    let more = match count - names.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("; used by {}{more}", names.join(", "))
}

fn what(change: &Change) -> String {
    let subject = change.subject.as_deref().map(code).unwrap_or_default();
    let values = values(change);
    let old = change.old.as_deref().map(code).unwrap_or_default();
    let new = change.new.as_deref().map(code).unwrap_or_default();
    match change.kind {
        Kind::OriginMoved => moved(change),
        Kind::BaseUrlChanged => format!("the base URL has another path{values}"),
        Kind::NotAsCompiled => match &change.old {
            None => format!("**would not be served**: {new}"),
            Some(_) => format!("**its files are not what was compiled**{values}"),
        },
        Kind::ForeignCode => foreign(change, &subject),
        Kind::RuntimeChanged => format!("**the runtime differs**{values}"),
        Kind::BaseUrlVariableChanged => format!("another variable gives the base URL{values}"),
        Kind::FunctionBaseUrlChanged => format!("its own base URL is another one{values}"),
        Kind::ReadOnlyEnded => "**no longer read-only**".to_owned(),
        Kind::ReadOnlyBegun => "read-only now".to_owned(),
        Kind::SchemeAdded => format!("new security scheme {subject}: credentials go to {new}"),
        Kind::SchemeChanged => format!("security scheme {subject} differs{values}"),
        Kind::SchemeRemoved => format!("security scheme {subject} is gone, was {old}"),
        Kind::FunctionRetargeted => format!("**this name now calls another operation**{values}"),
        Kind::MutatingFunctionAdded => match &change.old {
            None => "new, and may change state".to_owned(),
            Some(_) => format!("new, and may change state; was left out as {old}"),
        },
        Kind::TunnelAdded => {
            // The sign is a sentence of ours with its own code spans; here it is one.
            format!("new, and can carry other operations: {new}")
        }
        Kind::TunnelBegun => format!("can carry other operations now: {new}"),
        Kind::SkippedRemoved => {
            format!("was left out as {old} and is gone: its path is kept from no other operation")
        }
        Kind::SkippedBaseUrlChanged => format!("left out, and at another base URL{values}"),
        Kind::SecurityChanged => format!("wants other credentials{values}"),
        Kind::ServerRemoved => format!("no longer compiled, with {old}"),
        Kind::FunctionRemoved => format!("gone: {new}"),
        Kind::FunctionRenamed => format!("renamed{values}"),
        Kind::ParameterRemoved => format!("parameter {subject} is gone"),
        Kind::ParameterRenamed | Kind::BodyRenamed => format!("an argument is renamed{values}"),
        Kind::RequiredParameterAdded | Kind::RequiredBodyAdded => {
            format!("new argument {subject} must be given: {new}")
        }
        Kind::ParameterRequired | Kind::BodyRequired => {
            format!("{subject} must be given now")
        }
        Kind::ParameterTypeChanged | Kind::BodyTypeChanged => {
            format!("{subject} has another type{values}")
        }
        Kind::EnumValueRemoved => format!("{subject}: {old} is no longer a value"),
        Kind::BodyRemoved => format!("takes no {subject} any more"),
        Kind::BodyMediaTypeRemoved => format!("{subject} is no longer sent as {old}"),
        Kind::ReturnTypeChanged => format!("returns another type{values}"),
        Kind::KeyRemoved => format!("key {subject} is gone"),
        Kind::KeyRequired => format!("key {subject} is required now"),
        Kind::RequiredKeyAdded => format!("new key {subject} is required"),
        Kind::KeyChanged => format!("key {subject} differs{values}"),
        Kind::TypeChanged => format!("type {subject} differs{values}"),
        Kind::TypeRemoved => format!("type {subject} is gone"),
        Kind::ServerAdded => format!("new, with {new}"),
        Kind::FunctionAdded => match &change.old {
            None => "new".to_owned(),
            Some(_) => format!("new; was left out as {old}"),
        },
        Kind::ParameterAdded | Kind::BodyAdded => format!("new optional argument {subject}: {new}"),
        Kind::ParameterOptional | Kind::BodyOptional => format!("{subject} may be left out now"),
        Kind::EnumValueAdded => format!("{subject}: {new} is a value now"),
        Kind::BodyMediaTypeAdded => format!("{subject} can be sent as {new}"),
        Kind::DefaultMediaTypeChanged => {
            format!("{subject} is sent as another media type by default{values}")
        }
        Kind::WireNameChanged => format!("{subject} is sent under another name{values}"),
        Kind::EncodingChanged => format!("{subject} is spelt otherwise on the wire{values}"),
        Kind::DefaultChanged => format!("{subject} has another default{values}"),
        Kind::ConstraintsChanged => format!("{subject} has other limits{values}"),
        Kind::ResponsesChanged => format!("documents other responses{values}"),
        Kind::PaginationChanged => format!("pages are reached otherwise{values}"),
        Kind::KeyAdded => format!("new key {subject}"),
        Kind::KeyOptional => format!("key {subject} is optional now"),
        Kind::DeprecationChanged => format!("is {new} now"),
        Kind::SkippedChanged => format!("has no function: {new}"),
        Kind::OperationIdChanged => format!("has another operationId{values}"),
        Kind::WarningAdded => format!("warning: {new}"),
        Kind::WarningRemoved => format!("no longer a warning: {old}"),
        Kind::SkillsChanged => format!("other notes for models, `skills.md`{values}"),
        Kind::ManifestChanged => format!("differs in {subject}"),
        Kind::LineEndsConverted => format!("line ends are converted{values}"),
        Kind::SourceChanged | Kind::CompilerChanged => format!("{subject} is another one{values}"),
        Kind::DescriptionChanged => format!("another {subject}{values}"),
        Kind::SummaryChanged => format!("another summary{values}"),
        Kind::DocstringChanged => format!("another docstring, {subject}{values}"),
        Kind::ParameterDescriptionChanged => format!("{subject} is described otherwise{values}"),
        Kind::TypeDescriptionChanged => format!("type {subject} is described otherwise"),
        Kind::ModuleChanged => match &change.subject {
            None => "`functions.py` has another hash".to_owned(),
            Some(_) => format!("`functions.py` has another text, {subject}{values}"),
        },
        Kind::TagsChanged => format!("other tags{values}"),
    }
}

fn moved(change: &Change) -> String {
    match (&change.old, &change.new) {
        (None, Some(new)) => format!(
            "**requests and credentials go to** {}, unless `base_url` or a variable says otherwise",
            code(new)
        ),
        (Some(old), None) => format!("the document names no server any more, was {}", code(old)),
        _ => format!(
            "**the API moved**, and credentials with it{}",
            values(change)
        ),
    }
}

fn foreign(change: &Change, name: &str) -> String {
    if change.old.is_some() && change.new.is_none() {
        return format!("{name} is gone, which mce did not write");
    }
    let values = values(change);
    format!("**{name} was not written by mce, and Python would run it**{values}")
}

/// `: a → b`.
fn values(change: &Change) -> String {
    let said = |value: &Option<String>| value.as_deref().map_or_else(|| "none".to_owned(), code);
    if change.old.is_none() && change.new.is_none() {
        return String::new();
    }
    format!(": {} → {}", said(&change.old), said(&change.new))
}

/// A code span: whatever the text is, it ends where the text does.
pub(super) fn code(text: &str) -> String {
    if text.is_empty() {
        return "(empty)".to_owned();
    }
    let text = crate::invisible::visible(text);
    let mut longest = 0;
    let mut run = 0;
    for character in text.chars() {
        run = if character == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    if longest == 0 {
        return format!("`{text}`");
    }
    let fence = "`".repeat(longest + 1);
    format!("{fence} {text} {fence}")
}

fn cut(text: &str) -> String {
    text.chars().take(500).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_span_ends_where_its_text_does() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code(""), "(empty)");
        assert_eq!(code("a`b"), "`` a`b ``");
        assert_eq!(code("``"), "``` `` ```");
        assert_eq!(
            code("a\n# b\u{202e}<script>@team"),
            "`a\\u{a}# b\\u{202e}<script>@team`"
        );
    }

    /// As many changes of every level, all as long as they get, and servers that failed.
    fn huge(changes_of_each: usize) -> (FolderDiff, Vec<(String, String)>) {
        let long = "\u{1F600}\u{202e}`".repeat(66);
        let change = |level, kind, index: usize| {
            let mut change = Change::new(level, kind);
            change.function = Some(format!("{index}{long}"));
            change.operation = Some(long.clone());
            change.subject = Some(long.clone());
            change.old = Some(long.clone());
            change.new = Some(long.clone());
            change
        };
        let mut servers = Vec::new();
        for server in 0..50 {
            let mut diff = ServerDiff {
                server: format!("{server}{long}"),
                ..ServerDiff::default()
            };
            for (level, kind) in [
                (Level::Security, Kind::SchemeChanged),
                (Level::Breaking, Kind::KeyChanged),
                (Level::Other, Kind::EncodingChanged),
                (Level::Text, Kind::ParameterDescriptionChanged),
            ] {
                let all = (0..changes_of_each).map(|index| change(level, kind, index));
                diff.changes.extend(all);
            }
            servers.push(diff);
        }
        let failed = (0..50).map(|it| (format!("{it}{long}"), long.repeat(9)));
        let shared = Vec::new();
        (FolderDiff { servers, shared }, failed.collect())
    }

    #[test]
    fn the_text_is_bounded_with_all_sections_at_once() {
        let (diff, failed) = huge(10);
        let failed: Vec<(&str, &str)> = failed
            .iter()
            .map(|(server, error)| (server.as_str(), error.as_str()))
            .collect();
        let text = markdown(&diff, &failed);
        assert!(text.len() <= MOST_BYTES, "{}", text.len());
        // Each section has room for something.
        for section in text.split("\n### ").skip(1) {
            let lines = section
                .lines()
                .filter(|line| line.starts_with("- "))
                .count();
            assert!(lines > 1, "{section}");
            assert!(
                section.contains("more; `mce diff --format json`"),
                "{section}"
            );
        }
        assert_eq!(text.matches("\n### ").count(), 5);
    }

    #[test]
    fn a_section_is_bounded_in_lines_and_says_what_is_left() {
        let mut sections = Sections::default();
        sections.write("", (0..250).map(|index| format!("- {index}")), 0);
        assert_eq!(sections.text.lines().count(), MOST_LINES + 1);
        let end = "- and 150 more; `mce diff --format json` lists all\n";
        assert!(sections.text.ends_with(end));
    }
}
