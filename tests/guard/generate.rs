//! Code for the guard to judge: programs changed at random, piece by piece.

use proptest::prelude::RngExt as _;
use proptest::test_runner::{RngAlgorithm, TestRng};

use crate::corpus::Corpus;
use crate::pieces::PIECES;

/// Makes code, the same for the same seed.
pub struct Generator<'c> {
    corpus: &'c Corpus,
    random: TestRng,
}

impl<'c> Generator<'c> {
    /// `corpus` must not be empty.
    pub fn new(corpus: &'c Corpus, seed: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        Self {
            corpus,
            random: TestRng::from_seed(RngAlgorithm::ChaCha, &bytes),
        }
    }

    /// The next code.
    pub fn next_code(&mut self) -> String {
        let mut tokens = tokens(self.program());
        for _ in 0..self.below(6) + usize::from(self.below(8) > 0) {
            self.change(&mut tokens);
        }
        tokens.concat()
    }

    fn below(&mut self, end: usize) -> usize {
        self.random.random_range(0..end.max(1))
    }

    /// A program of the corpus: half of the time one that passes, since of the others little is
    /// accepted.
    fn program(&mut self) -> &'c str {
        let codes = if self.below(2) == 0 {
            &self.corpus.programs
        } else {
            &self.corpus.cases
        };
        &codes[self.below(codes.len())]
    }

    fn change(&mut self, tokens: &mut Vec<String>) {
        let at = self.below(tokens.len() + 1);
        let piece = PIECES[self.below(PIECES.len())].to_owned();
        match self.below(9) {
            0 | 1 => tokens.insert(at, piece),
            2 if at < tokens.len() => tokens[at] = piece,
            3 if at < tokens.len() => {
                tokens.remove(at);
            }
            // A token in the place of another one of the same program.
            4 if at < tokens.len() => {
                let other = self.below(tokens.len());
                let other = tokens[other].clone();
                tokens[at] = other;
            }
            5 if at < tokens.len() => {
                let other = self.below(tokens.len());
                tokens.swap(at, other);
            }
            // A line twice, or in another place, or one of another program.
            6 => {
                let mut lines = lines(tokens);
                let from = self.below(lines.len());
                let line = lines.get(from).cloned().unwrap_or_default();
                let to = self.below(lines.len() + 1);
                lines.insert(to, line);
                *tokens = self::tokens(&lines.concat());
            }
            7 => {
                let other = self::tokens(self.program());
                let mut other = lines(&other);
                let from = self.below(other.len());
                let line = if other.is_empty() {
                    String::new()
                } else {
                    other.swap_remove(from)
                };
                let mut lines = lines(tokens);
                let to = self.below(lines.len() + 1);
                lines.insert(to, line);
                *tokens = self::tokens(&lines.concat());
            }
            // All of it inside something else.
            _ => {
                let around = [
                    "def f():\n",
                    "async def f():\n",
                    "class A:\n",
                    "if x:\n",
                    "while x:\n",
                    "with x:\n",
                    "for x in y:\n",
                ];
                let around = around[self.below(around.len())];
                let inner = lines(tokens)
                    .iter()
                    .fold(String::new(), |inner, line| inner + "    " + line);
                *tokens = self::tokens(&format!("{around}{inner}"));
            }
        }
    }
}

fn lines(tokens: &[String]) -> Vec<String> {
    tokens
        .concat()
        .split_inclusive('\n')
        .map(str::to_owned)
        .collect()
}

/// Words, spaces and single signs.
fn tokens(code: &str) -> Vec<String> {
    let kind = |character: char| {
        if character.is_alphanumeric() || character == '_' {
            1
        } else if character == ' ' {
            2
        } else {
            0
        }
    };
    let mut tokens: Vec<String> = Vec::new();
    let mut last = 0;
    for character in code.chars() {
        let this = kind(character);
        match tokens.last_mut() {
            Some(token) if this != 0 && this == last => token.push(character),
            _ => tokens.push(character.to_string()),
        }
        last = this;
    }
    tokens
}
