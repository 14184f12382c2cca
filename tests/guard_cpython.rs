//! What the guard accepts compiles in the sandbox's `CPython`. Needs the engine and the image.

use std::collections::BTreeSet;
use std::path::Path;

use mce::guard::{CompiledNames, check};

#[path = "guard/corpus.rs"]
mod corpus;
#[path = "guard/cpython.rs"]
mod cpython;
#[path = "guard/generate.rs"]
mod generate;
#[path = "guard/pieces.rs"]
mod pieces;
#[path = "guard/texts.rs"]
mod texts;

use corpus::Corpus;
use cpython::Cpython;

fn names() -> CompiledNames {
    let functions = ["get_forecast", "get_current", "list_cities"].map(str::to_owned);
    CompiledNames::from([("weather".to_owned(), BTreeSet::from(functions))])
}

/// Programs that pass, the cases of the guard's tests, and a few thousand changed at random.
#[test]
fn what_the_guard_accepts_compiles_in_the_sandbox() {
    let corpus = Corpus::read(Path::new(env!("CARGO_MANIFEST_DIR")));
    let mut generator = generate::Generator::new(&corpus, 1);
    let generated = std::iter::repeat_with(|| generator.next_code()).take(4000);
    let large = texts::worst(16 * 1024).into_iter().map(|(_, text)| text);
    let large = large.chain([texts::realistic(64 * 1024)]);
    let whole = corpus.programs.iter().chain(&corpus.cases);
    let codes: Vec<String> = whole.cloned().chain(large).chain(generated).collect();

    let mut python = Cpython::start().unwrap();
    let mut accepted = 0;
    let mut wrong = Vec::new();
    for code in &codes {
        if check(code, &names()).is_ok() {
            accepted += 1;
            let refused = python
                .refuses(code)
                .unwrap_or_else(|error| panic!("{error} at\n{code}"));
            if let Some(error) = refused {
                wrong.push(format!("{error}\n{code}"));
            }
        }
    }
    assert!(accepted > 300, "{accepted} of {} accepted", codes.len());
    assert!(
        wrong.is_empty(),
        "{} wrong, such as\n{}",
        wrong.len(),
        wrong[0]
    );
}
