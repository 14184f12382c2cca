//! How long the guard takes for 64 KiB: code such as people write, and the worst that is known.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use mce::guard::{CompiledNames, check};

#[path = "guard/texts.rs"]
mod texts;

/// That of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The longest code that a client may send, by default.
const LENGTH: usize = 64 * 1024;

fn names() -> CompiledNames {
    let named = ["get_forecast", "get_current", "list_cities"].map(str::to_owned);
    let functions = (0..1000).map(|number| format!("get_forecast_of_{number}"));
    let functions = functions.chain(named);
    CompiledNames::from([("weather".to_owned(), functions.collect::<BTreeSet<_>>())])
}

/// The least time of five checks.
fn best_of_five(code: &str, names: &CompiledNames) -> Duration {
    let times = (0..5).map(|_| {
        let started = Instant::now();
        std::hint::black_box(check(code, names));
        started.elapsed()
    });
    times.min().unwrap_or_default()
}

/// The limits for realistic code and for any: those of an optimised build, and of others such that
/// work which grows faster than the code still fails.
const LIMITS: (Duration, Duration) = if cfg!(debug_assertions) {
    (Duration::from_millis(300), Duration::from_millis(2500))
} else {
    (Duration::from_millis(3), Duration::from_millis(50))
};

#[test]
fn code_of_64_kib_is_judged_in_time() {
    let names = names();
    let realistic = texts::realistic(LENGTH);
    assert!(realistic.len() > LENGTH - 8192, "{}", realistic.len());
    let report = check(&realistic, &names);
    assert!(report.is_ok(), "{:?}", report.violations);

    let mut table = String::from("| code | KiB | ms | ms allowed |\n| --- | --- | --- | --- |\n");
    let mut late = Vec::new();
    let mut row = |name: &str, code: &str, limit: Duration| {
        let time = best_of_five(code, &names);
        let _ = writeln!(
            table,
            "| {name} | {} | {:.2} | {} |",
            code.len() / 1024,
            time.as_secs_f64() * 1000.0,
            limit.as_millis()
        );
        if time > limit {
            late.push(name.to_owned());
        }
    };
    row("realistic", &realistic, LIMITS.0);
    for (name, code) in texts::worst(LENGTH) {
        row(name, &code, LIMITS.1);
    }
    row("10,000 imports", &"import os\n".repeat(10_000), LIMITS.1);
    row(
        "10,000 different imports",
        &(0..10_000)
            .map(|number| format!("import a{number}\n"))
            .collect::<Vec<String>>()
            .concat(),
        LIMITS.1,
    );
    println!("{table}");
    assert!(late.is_empty(), "{late:?}\n{table}");
}
