//! The text that is lowered, with its tokens and lines.

use crate::pysyntax::ast::token::{Token, TokenKind, Tokens};
use crate::pysyntax::{Ranged, TextRange, TextSize};

use super::Unsupported;

/// A source text with what is needed to find places in it.
pub struct Source<'a> {
    text: &'a str,
    tokens: &'a Tokens,
    /// Where each physical line starts.
    lines: Vec<TextSize>,
}

impl<'a> Source<'a> {
    pub fn new(text: &'a str, tokens: &'a Tokens) -> Self {
        let mut lines = vec![TextSize::new(0)];
        lines.extend(
            text.match_indices('\n')
                .filter_map(|(at, _)| TextSize::try_from(at + 1).ok()),
        );
        Self {
            text,
            tokens,
            lines,
        }
    }

    pub fn text(&self) -> &'a str {
        self.text
    }

    pub fn slice(&self, range: TextRange) -> &'a str {
        self.text.get(range.to_std_range()).unwrap_or_default()
    }

    /// The line of an offset, counted from 1.
    pub fn line(&self, offset: TextSize) -> u32 {
        u32::try_from(self.lines.partition_point(|start| *start <= offset)).unwrap_or(u32::MAX)
    }

    /// How many line breaks a range holds.
    pub fn breaks(&self, range: TextRange) -> usize {
        let line = |offset| self.lines.partition_point(|start| *start <= offset);
        line(range.end()) - line(range.start())
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
        let line = self.slice(TextRange::new(start, TextSize::of(self.text)));
        let length = line
            .find(|c: char| c != ' ' && c != '\t' && c != '\x0c')
            .unwrap_or(line.len());
        line.get(..length).unwrap_or_default()
    }

    /// Whether a statement is the first of its logical line.
    pub fn starts_line(&self, offset: TextSize) -> bool {
        let before = self.index_at(offset).checked_sub(1);
        let before = before.and_then(|index| self.tokens.get(index));
        before.is_none_or(|token| {
            matches!(
                token.kind(),
                TokenKind::Newline
                    | TokenKind::NonLogicalNewline
                    | TokenKind::Indent
                    | TokenKind::Dedent
                    | TokenKind::Comment
            )
        })
    }

    fn index_at(&self, offset: TextSize) -> usize {
        self.tokens.partition_point(|token| token.start() < offset)
    }

    /// The tokens that start in a range.
    pub fn tokens(&self, range: TextRange) -> &'a [Token] {
        let tokens: &'a [Token] = self.tokens;
        tokens
            .get(self.index_at(range.start())..self.index_at(range.end()))
            .unwrap_or_default()
    }

    /// The first token of `kind` that starts in a range.
    pub fn first(&self, range: TextRange, kind: TokenKind) -> Option<TextRange> {
        self.tokens(range)
            .iter()
            .find(|token| token.kind() == kind)
            .map(Ranged::range)
    }

    /// The last token of `kind` that starts in a range.
    pub fn last(&self, range: TextRange, kind: TokenKind) -> Option<TextRange> {
        self.tokens(range)
            .iter()
            .rev()
            .find(|token| token.kind() == kind)
            .map(Ranged::range)
    }

    /// `range` with the parentheses around it, no further than `limit`.
    pub fn with_parentheses(&self, range: TextRange, limit: TextRange) -> TextRange {
        let mut grown = range;
        let before = self.tokens(TextRange::new(
            limit.start(),
            range.start().max(limit.start()),
        ));
        let after = self.tokens(TextRange::new(range.end().min(limit.end()), limit.end()));
        let solid = |token: &&Token| !token.kind().is_trivia();
        let before = before.iter().rev().filter(solid);
        let after = after.iter().filter(solid);
        for (open, close) in before.zip(after) {
            if open.kind() != TokenKind::Lpar || close.kind() != TokenKind::Rpar {
                break;
            }
            grown = TextRange::new(open.start(), close.end());
        }
        grown
    }
}
