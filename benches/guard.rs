//! The guard on 64 KiB: code such as people write, and what makes it work hardest.

use std::collections::BTreeSet;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mce::guard::{CompiledNames, Guard};

#[path = "../tests/guard/texts.rs"]
mod texts;

/// That of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const LENGTH: usize = 64 * 1024;

fn judge(criterion: &mut Criterion) {
    let functions = ["get_forecast", "get_current", "list_cities"].map(str::to_owned);
    let names = CompiledNames::from([("weather".to_owned(), BTreeSet::from(functions))]);
    let guard = Guard::built_in();
    let mut group = criterion.benchmark_group("guard");
    let realistic = ("realistic", texts::realistic(LENGTH));
    for (name, code) in std::iter::once(realistic).chain(texts::worst(LENGTH)) {
        group.throughput(Throughput::Bytes(code.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| black_box(guard.check(black_box(&code), &names)));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(std::time::Duration::from_secs(1));
    targets = judge
}
criterion_main!(benches);
