//! The text that is lowered: its tokens, its lines and their indentation.

use crate::pysyntax::ast::token::{Token, TokenKind, Tokens};
use crate::pysyntax::{Ranged, TextRange, TextSize};

use super::Unsupported;

/// A source text with what is needed to copy parts of it.
pub struct Source<'a> {
    text: &'a str,
    tokens: &'a Tokens,
    /// Where each physical line starts.
    lines: Vec<TextSize>,
    /// Where each logical line starts, past its indentation.
    logical: Vec<TextSize>,
}

impl<'a> Source<'a> {
    pub fn new(text: &'a str, tokens: &'a Tokens) -> Self {
        let mut lines = vec![TextSize::new(0)];
        lines.extend(
            text.match_indices('\n')
                .filter_map(|(at, _)| TextSize::try_from(at + 1).ok()),
        );
        let mut logical = Vec::new();
        let mut at_start = true;
        for token in tokens {
            match token.kind() {
                TokenKind::Newline => at_start = true,
                TokenKind::Indent
                | TokenKind::Dedent
                | TokenKind::NonLogicalNewline
                | TokenKind::Comment => {}
                _ if at_start => {
                    logical.push(token.start());
                    at_start = false;
                }
                _ => {}
            }
        }
        Self {
            text,
            tokens,
            lines,
            logical,
        }
    }

    pub fn slice(&self, range: TextRange) -> &'a str {
        self.text.get(range.to_std_range()).unwrap_or_default()
    }

    /// The line of an offset, counted from 1.
    pub fn line(&self, offset: TextSize) -> u32 {
        u32::try_from(self.lines.partition_point(|start| *start <= offset)).unwrap_or(u32::MAX)
    }

    pub fn unsupported(&self, feature: impl Into<String>, at: TextSize) -> Unsupported {
        Unsupported {
            feature: feature.into(),
            line: self.line(at),
        }
    }

    /// The white space that the line of `offset` starts with.
    pub fn indentation(&self, offset: TextSize) -> &'a str {
        let index = self.lines.partition_point(|start| *start <= offset);
        let start = index
            .checked_sub(1)
            .and_then(|index| self.lines.get(index).copied())
            .unwrap_or_default();
        let line = self.slice(TextRange::new(start, self.end()));
        let length = line
            .find(|c: char| c != ' ' && c != '\t')
            .unwrap_or(line.len());
        line.get(..length).unwrap_or_default()
    }

    /// The start of the logical line that starts on the physical line beginning at `line_start`.
    pub fn logical_start(&self, line_start: TextSize) -> Option<TextSize> {
        let index = self.logical.partition_point(|start| *start < line_start);
        let start = self.logical.get(index).copied()?;
        let between = self.slice(TextRange::new(line_start, start));
        (!between.contains('\n')).then_some(start)
    }

    /// The next line break at or after `from` and before `to`.
    pub fn line_break(&self, from: TextSize, to: TextSize) -> Option<TextSize> {
        let index = self.lines.partition_point(|start| *start <= from);
        let next = self.lines.get(index).copied()?;
        let at = next.checked_sub(TextSize::new(1))?;
        (at < to).then_some(at)
    }

    pub fn end(&self) -> TextSize {
        TextSize::of(self.text)
    }

    fn index_at(&self, offset: TextSize) -> usize {
        self.tokens.partition_point(|token| token.start() < offset)
    }

    /// The start of the first token at or after `offset` that belongs to a statement.
    pub fn next_token(&self, offset: TextSize) -> TextSize {
        self.tokens
            .get(self.index_at(offset)..)
            .unwrap_or_default()
            .iter()
            .find(|token| {
                !matches!(
                    token.kind(),
                    TokenKind::Newline
                        | TokenKind::NonLogicalNewline
                        | TokenKind::Indent
                        | TokenKind::Dedent
                        | TokenKind::Comment
                        | TokenKind::Semi
                )
            })
            .map_or(self.end(), Ranged::start)
    }

    /// The last token of `kind` that starts before `offset`.
    pub fn last_before(&self, offset: TextSize, kind: TokenKind) -> Option<TextRange> {
        self.tokens
            .get(..self.index_at(offset))
            .unwrap_or_default()
            .iter()
            .rev()
            .find(|token| token.kind() == kind)
            .map(Ranged::range)
    }

    /// The first token of `kind` that starts at or after `offset`.
    pub fn first_after(&self, offset: TextSize, kind: TokenKind) -> Option<TextRange> {
        self.tokens
            .get(self.index_at(offset)..)
            .unwrap_or_default()
            .iter()
            .find(|token| token.kind() == kind)
            .map(Token::range)
    }

    /// `range` with the parentheses around it, no further than `limit`.
    pub fn with_parentheses(&self, range: TextRange, limit: TextRange) -> TextRange {
        let mut grown = range;
        let mut left = self.index_at(range.start());
        let mut right = self.index_at(range.end());
        loop {
            let before = loop {
                let Some(index) = left.checked_sub(1) else {
                    return grown;
                };
                left = index;
                match self.tokens.get(left) {
                    Some(token) if token.kind().is_trivia() => {}
                    Some(token) => break token,
                    None => return grown,
                }
            };
            let after = loop {
                match self.tokens.get(right) {
                    Some(token) if token.kind().is_trivia() => right += 1,
                    Some(token) => break token,
                    None => return grown,
                }
            };
            right += 1;
            let outer = TextRange::new(before.start(), after.end().max(before.start()));
            if before.kind() != TokenKind::Lpar
                || after.kind() != TokenKind::Rpar
                || !limit.contains_range(outer)
            {
                return grown;
            }
            grown = outer;
        }
    }
}
