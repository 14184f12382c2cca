//! Code for the guard to judge: programs changed at random, piece by piece.

#![allow(dead_code, reason = "not every user of the file needs all of it")]

use proptest::prelude::RngExt as _;
use proptest::test_runner::{RngAlgorithm, TestRng};

/// Pieces that change what code means, or whether it is any.
const PIECES: &[&str] = &[
    "x",
    "self",
    "_a",
    "__class__",
    "__x",
    "os",
    "eval",
    "type",
    "getattr",
    "json",
    "weather",
    "'a'",
    "\"{0.a}\"",
    "f'{x!r:>{y}}'",
    "b'a'",
    "1",
    "0x1f",
    "1e5",
    "1j",
    "0777",
    "1_0",
    "é",
    "ｅval",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ":",
    ",",
    ".",
    ";",
    "=",
    ":=",
    "+",
    "-",
    "*",
    "**",
    "|",
    "@",
    "->",
    "!",
    "%",
    "//",
    "~",
    "...",
    "\n",
    "\n    ",
    "\n        ",
    "\t",
    " ",
    "\\\n",
    "#",
    "'",
    "\"\"\"",
    "\r\n",
    "\u{feff}",
    "\u{a0}",
    "\0",
    "def f(): ",
    "class A: ",
    "async ",
    "await ",
    "lambda: ",
    "lambda *a, b=1, **c: ",
    "import x\n",
    "from a import b\n",
    "from __future__ import annotations\n",
    " as y",
    "if x: ",
    " else ",
    "elif ",
    "for x in y: ",
    "while x: ",
    "try: ",
    "except: ",
    "except* E: ",
    "finally: ",
    "with x as y: ",
    "match x:\n case 1: pass\n",
    "case _: ",
    "case {**r}: ",
    "case [a, *b]: ",
    "type X = ",
    "[T]",
    "[T: int = str]",
    "[*Ts]",
    "[**P]",
    "global x\n",
    "nonlocal x\n",
    "return ",
    "yield ",
    "yield from ",
    "raise ",
    "del ",
    "not ",
    " is ",
    " in ",
    " and ",
    " or ",
    "pass",
    "break",
    "continue",
    "assert ",
    "None",
    "True",
    "print",
    "__debug__",
    "*x",
    "**x",
    "@f\n",
    "(yield)",
    "(x := 1)",
    "[y for y in z]",
    "[await y async for y in z]",
    "{k: v for k, v in z}",
    "(y for y in z)",
    "x if y else z",
    "x: int",
    "x: int = 1",
    "/, ",
    "*, ",
    "\\N{DASH}",
    "rb''",
    "t'{x}'",
    "f'{x=}'",
    "f'{'a'}'",
];

/// Makes code, the same for the same seed.
pub struct Generator<'c> {
    corpus: &'c [String],
    random: TestRng,
}

impl<'c> Generator<'c> {
    /// `corpus` must not be empty.
    pub fn new(corpus: &'c [String], seed: u64) -> Self {
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

    /// A program of the corpus. What comes first in it are whole programs that pass: these half of
    /// the time, since of the others little is accepted.
    fn program(&mut self) -> &'c str {
        let end = if self.below(2) == 0 {
            self.corpus.len()
        } else {
            self.corpus.len().min(60)
        };
        let index = self.below(end);
        &self.corpus[index]
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
