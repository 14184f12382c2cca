//! A look at a module's characters before the parser, which recurses, sees them.

use super::NotInGrammar;

/// The first line of a compiled module.
const FIRST_LINE: &str = "# mypy: disable-error-code=\"empty-body\"";

/// Bounds the text before a recursive parser sees it, and refuses what is never rendered.
pub(super) fn scan(source: &str) -> Result<(), NotInGrammar> {
    const DEEPEST: usize = 90;
    const MOST_TOKENS: usize = 2_000;
    let mut line = 1_usize;
    let mut depth = 0_usize;
    let mut tokens = 0_usize;
    let mut at_line_start = true;
    let mut in_word = false;
    // The one comment: stubs have no bodies, which type checkers should take as meant.
    let mut rest = source.strip_prefix(FIRST_LINE).unwrap_or(source);
    let fail = |line: usize, message: &str| {
        Err(NotInGrammar {
            line,
            message: message.to_owned(),
        })
    };
    while let Some(character) = rest.chars().next() {
        rest = rest.get(character.len_utf8()..).unwrap_or_default();
        let word = character.is_ascii_alphanumeric() || character == '_';
        match character {
            '"' => {
                let (end, lines) = string_end(rest).ok_or(NotInGrammar {
                    line,
                    message: "a string is not closed".to_owned(),
                })?;
                rest = rest.get(end..).unwrap_or_default();
                line += lines;
                tokens += 1;
            }
            '\n' => {
                line += 1;
                if depth == 0 {
                    tokens = 0;
                }
            }
            '(' | '[' | '{' => {
                depth += 1;
                tokens = 0;
                if depth > DEEPEST {
                    return fail(line, "brackets are nested too deeply");
                }
            }
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' => tokens = 0,
            ' ' => {
                if at_line_start && depth == 0 && rest.starts_with("    ") {
                    return fail(line, "a block within a block");
                }
            }
            c if !c.is_ascii() || c.is_ascii_control() || "'#`$?!;\\".contains(c) => {
                return fail(
                    line,
                    "a character that compiled modules never hold outside strings",
                );
            }
            _ if word => tokens += usize::from(!in_word),
            _ => tokens += 1,
        }
        if tokens > MOST_TOKENS {
            return fail(line, "an expression is too long");
        }
        at_line_start = character == '\n';
        in_word = word;
    }
    Ok(())
}

/// Where the string that has just been opened ends, in bytes, and the line ends in it.
fn string_end(rest: &str) -> Option<(usize, usize)> {
    let is_triple = rest.starts_with("\"\"");
    let bytes = rest.as_bytes();
    let (mut index, closing): (usize, &[u8]) = if is_triple {
        (2, b"\"\"\"")
    } else {
        (0, b"\"")
    };
    let mut lines = 0;
    while let Some(byte) = bytes.get(index) {
        if *byte == b'\\' {
            if bytes.get(index + 1) == Some(&b'\n') {
                lines += 1;
            }
            index += 2;
        } else if bytes
            .get(index..)
            .is_some_and(|tail| tail.starts_with(closing))
        {
            return Some((index + closing.len(), lines));
        } else {
            if *byte == b'\n' {
                if !is_triple {
                    return None;
                }
                lines += 1;
            }
            index += 1;
        }
    }
    None
}
