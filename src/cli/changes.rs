//! What differs between two compilations, in words: Markdown that can be pasted into a pull
//! request and reads as well in a terminal.
//!
//! Texts of documents stand in code spans only, which nothing in them can end, so they are neither
//! links nor mentions nor HTML.

use std::fmt::Write as _;

use super::output::counted;
use crate::compile::diff::{Change, Kind, Level, ServerDiff};

/// Changes of each level that are written out, and bytes they may have. Comments on pull requests
/// hold 65,536 characters.
const MOST_CHANGES: usize = 100;
const MOST_BYTES: usize = 14_000;

/// Servers, and names of functions, that a line lists.
const MOST_NAMES: usize = 20;

/// All changes as Markdown, what matters most first, whichever server it is of. `failed` are the
/// servers that could not be compared, and why.
pub(super) fn markdown(diffs: &[&ServerDiff], failed: &[(&str, &str)]) -> String {
    let differing: Vec<&&ServerDiff> = diffs.iter().filter(|diff| !diff.is_empty()).collect();
    let mut text = String::from("## Changes of compiled APIs\n");
    if !failed.is_empty() {
        text.push_str("\n### Not compared\n\n");
        let lines = failed
            .iter()
            .map(|(server, error)| format!("- {}: {}", code(server), code(&cut(error))));
        section(&mut text, lines);
    }
    if differing.is_empty() {
        text.push_str("\nNothing differs.\n");
        return text;
    }
    text.push('\n');
    for diff in differing.iter().take(MOST_NAMES) {
        let _ = writeln!(text, "- {}: {}", code(&diff.server), counts(diff));
    }
    if let Some(more @ 1..) = differing.len().checked_sub(MOST_NAMES) {
        let _ = writeln!(text, "- and {}", counted(more, "more server"));
    }
    for (level, title) in [
        (Level::Security, "Security"),
        (Level::Breaking, "Breaking"),
        (Level::Other, "Additions and other changes"),
        (Level::Text, "Descriptions"),
    ] {
        let mut changes: Vec<(&str, &Change)> = Vec::new();
        for diff in &differing {
            changes.extend(diff.of(level).map(|change| (diff.server.as_str(), change)));
        }
        if changes.is_empty() {
            continue;
        }
        changes.sort_by_key(|(server, change)| (change.kind, *server));
        let _ = writeln!(text, "\n### {title}\n");
        let lines = changes
            .into_iter()
            .map(|(server, change)| format!("- {}", said(server, change)));
        section(&mut text, lines);
    }
    text
}

/// The lines of a section, as many as it may have.
fn section(text: &mut String, lines: impl Iterator<Item = String>) {
    let (mut written, mut bytes, mut left) = (0, 0, 0);
    for line in lines {
        bytes += line.len();
        if left > 0 || written == MOST_CHANGES || bytes > MOST_BYTES {
            left += 1;
        } else {
            written += 1;
            let _ = writeln!(text, "{line}");
        }
    }
    if left > 0 {
        let _ = writeln!(
            text,
            "- and {left} more; `mce diff --format json` lists all"
        );
    }
}

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
    format!("{place}: {}", what(change))
}

fn what(change: &Change) -> String {
    let subject = change.subject.as_deref().map(code).unwrap_or_default();
    let values = values(change);
    let old = change.old.as_deref().map(code).unwrap_or_default();
    let new = change.new.as_deref().map(code).unwrap_or_default();
    match change.kind {
        Kind::OriginMoved => match (&change.old, &change.new) {
            (None, Some(_)) => format!("**requests and credentials go to** {new}"),
            (_, None) => format!("the document names no server any more, was {old}"),
            _ => format!("**the API moved**, and credentials with it{values}"),
        },
        Kind::BaseUrlChanged => format!("the base URL has another path{values}"),
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
        Kind::ServerAdded => format!("new, with {new}"),
        Kind::FunctionAdded => match &change.old {
            None => "new".to_owned(),
            Some(_) => format!("new; was left out as {old}"),
        },
        Kind::ParameterAdded | Kind::BodyAdded => format!("new optional argument {subject}: {new}"),
        Kind::ParameterOptional | Kind::BodyOptional => format!("{subject} may be left out now"),
        Kind::EnumValueAdded => format!("{subject}: {new} is a value now"),
        Kind::BodyMediaTypeAdded => format!("{subject} can be sent as {new}"),
        Kind::EncodingChanged => format!("{subject} is spelt otherwise on the wire{values}"),
        Kind::DefaultChanged => format!("{subject} has another default{values}"),
        Kind::ConstraintsChanged => format!("{subject} has other limits"),
        Kind::ResponsesChanged => format!("documents other responses{values}"),
        Kind::PaginationChanged => "pages are reached otherwise".to_owned(),
        Kind::KeyAdded => format!("new key {subject}"),
        Kind::KeyOptional => format!("key {subject} is optional now"),
        Kind::DeprecationChanged => format!("is {new} now"),
        Kind::SkippedChanged => format!("has no function: {new}"),
        Kind::WarningAdded => format!("warning: {new}"),
        Kind::SourceChanged | Kind::CompilerChanged => format!("{subject} is another one{values}"),
        Kind::DescriptionChanged => format!("another {subject}{values}"),
        Kind::SummaryChanged => format!("another summary{values}"),
        Kind::DocstringChanged => format!("another docstring{values}"),
        Kind::ParameterDescriptionChanged => format!("{subject} is described otherwise{values}"),
        Kind::TypeDescriptionChanged => format!("type {subject} is described otherwise"),
        Kind::TagsChanged => format!("other tags{values}"),
    }
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

    #[test]
    fn a_section_is_bounded_and_says_what_is_left() {
        let mut text = String::new();
        section(&mut text, (0..250).map(|index| format!("- {index}")));
        assert_eq!(text.lines().count(), MOST_CHANGES + 1);
        assert!(text.ends_with("- and 150 more; `mce diff --format json` lists all\n"));
        let mut text = String::new();
        section(&mut text, (0..50).map(|_| "x".repeat(900)));
        assert!(text.len() < MOST_BYTES + 100);
    }
}
