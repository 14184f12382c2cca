//! An upper bound of a tree's depth, counted on tokens.
//!
//! Parsing, walking and dropping a tree all recurse as deep as it is, and a left-associative chain
//! (`a + a + …`, `a.b.b.…`) grows a deep tree without recursion in the parser. So each open bracket,
//! each indentation and each operator since the last separator of its bracket counts as a level.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::Mode;
use ruff_python_parser::lexer::lex;
use ruff_text_size::TextSize;

/// The deepest tree that is parsed.
pub const MAX_DEPTH: usize = 200;

/// What opened a level that holds a chain of operators.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opener {
    /// A bracket, or the quote of an interpolated string.
    Bracket,
    /// `lambda`, until its `:`; its body belongs to the level around it.
    Lambda,
}

/// Counts levels token by token.
struct Counter {
    open: Vec<(Opener, usize)>,
    chain: usize,
    /// The sum of all chains in `open`.
    below: usize,
    indents: usize,
}

impl Counter {
    fn depth(&self) -> usize {
        self.indents + self.below + self.open.len() + self.chain
    }

    fn open(&mut self, opener: Opener) {
        self.open.push((opener, self.chain));
        self.below += self.chain;
        self.chain = 0;
    }

    /// Goes back to the level around the innermost one.
    fn close(&mut self) -> Option<Opener> {
        let (opener, chain) = self.open.pop()?;
        self.below -= chain;
        self.chain = chain + 1;
        Some(opener)
    }

    fn reset(&mut self) {
        self.open.clear();
        self.below = 0;
        self.chain = 0;
    }

    fn token(&mut self, kind: TokenKind) {
        match kind {
            TokenKind::Lpar
            | TokenKind::Lsqb
            | TokenKind::Lbrace
            | TokenKind::FStringStart
            | TokenKind::TStringStart => self.open(Opener::Bracket),
            TokenKind::Rpar
            | TokenKind::Rsqb
            | TokenKind::Rbrace
            | TokenKind::FStringEnd
            | TokenKind::TStringEnd => while self.close() == Some(Opener::Lambda) {},
            TokenKind::Lambda => {
                self.chain += 1;
                self.open(Opener::Lambda);
            }
            TokenKind::Colon if matches!(self.open.last(), Some((Opener::Lambda, _))) => {
                self.close();
            }
            TokenKind::Comma | TokenKind::Semi => self.chain = 0,
            TokenKind::Newline => self.reset(),
            TokenKind::Indent => self.indents += 1,
            TokenKind::Dedent => self.indents = self.indents.saturating_sub(1),
            TokenKind::Name
            | TokenKind::Int
            | TokenKind::Float
            | TokenKind::Complex
            | TokenKind::String
            | TokenKind::FStringMiddle
            | TokenKind::TStringMiddle
            | TokenKind::Comment
            | TokenKind::NonLogicalNewline
            | TokenKind::EndOfFile => {}
            _ => self.chain += 1,
        }
    }
}

fn exceeds(source: &str) -> bool {
    let mut lexer = lex(source, Mode::Module);
    let mut counter = Counter {
        open: Vec::new(),
        chain: 0,
        below: 0,
        indents: 0,
    };
    loop {
        let kind = lexer.next_token();
        if kind == TokenKind::EndOfFile {
            return false;
        }
        counter.token(kind);
        if counter.depth() > MAX_DEPTH {
            return true;
        }
    }
}

/// Where a source becomes deeper than [`MAX_DEPTH`], if it does.
pub(super) fn exceeded_at(source: &str) -> Option<TextSize> {
    if !exceeds(source) {
        return None;
    }
    // The lexer does not tell positions, so the shortest prefix that is too deep is searched for.
    let (mut low, mut high) = (0, source.len());
    while low + 1 < high {
        let middle = source.floor_char_boundary(usize::midpoint(low, high));
        if middle == low {
            break;
        }
        if source.get(..middle).is_some_and(exceeds) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(TextSize::try_from(low).unwrap_or_default())
}
