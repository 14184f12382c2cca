//! Names that code may not use.

use crate::pysyntax::ast::token::TokenKind;
use crate::pysyntax::{Ranged, TextRange, TextSize};

use super::Unsupported;
use super::source::Source;

/// What the names of helpers start with.
const RESERVED: &str = "_mce_";

/// What marks the start of a `main`. Code that writes it says no more than a call of `main` does.
const MAIN_STARTED: &str = "_mce_main_started";

/// Refuses names that stand for helpers, names that Python would normalise and the interpreter would
/// not, and text whose lines are not ended as they seem.
pub fn check(source: &Source<'_>) -> Result<(), Unsupported> {
    let text = source.text();
    let whole = TextRange::up_to(TextSize::of(text));
    let bytes = text.as_bytes();
    let lone = |(at, byte): &(usize, &u8)| **byte == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    if let Some((at, _)) = bytes.iter().enumerate().find(lone) {
        let at = TextSize::try_from(at).unwrap_or_default();
        return Err(source.unsupported("a carriage return without a line feed", at));
    }
    let mut offset = TextSize::default();
    for line in text.split_inclusive('\n') {
        if line.trim() == "\\" {
            // Where such a line starts a statement, its indentation is told by nothing else.
            return Err(source.unsupported("a line with nothing but a backslash", offset));
        }
        offset += TextSize::of(line);
    }
    for token in source.tokens(whole) {
        if token.kind() != TokenKind::Name {
            continue;
        }
        let name = source.slice(token.range());
        if name.starts_with(RESERVED) && name != MAIN_STARTED {
            return Err(source.unsupported(format!("the name `{name}`"), token.start()));
        }
        if !name.chars().all(is_stable) {
            let feature = format!("the name `{name}`, which Python reads in another form");
            return Err(source.unsupported(feature, token.start()));
        }
    }
    Ok(())
}

/// Whether NFKC surely leaves a character of a name as it is, whatever stands beside it.
fn is_stable(c: char) -> bool {
    matches!(c,
        '\0'..='\x7f'
        | '\u{c0}'..='\u{131}'
        | '\u{134}'..='\u{13e}'
        | '\u{141}'..='\u{148}'
        | '\u{14a}'..='\u{17e}'
        | '\u{391}'..='\u{3c9}'
        | '\u{400}'..='\u{481}'
        | '\u{48a}'..='\u{52f}'
        | '\u{5d0}'..='\u{5ea}'
        | '\u{620}'..='\u{64a}'
        | '\u{3041}'..='\u{3096}'
        | '\u{30a1}'..='\u{30fa}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}')
}
