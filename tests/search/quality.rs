//! How good the ranked search is, by labelled queries. `scripts/search-quality` runs it.
//!
//! `search_quality COMPILED QUERIES` reads the manifests below the folder `COMPILED`, indexes their
//! functions, and asks each query of the table `QUERIES`: tab-separated, with a header that names at
//! least `id`, `query`, `scope`, `source`, `method`, `path`, `alternatives` and `kind`. `source` is the
//! folder of the document that has the answer, below `specs` or the folder of the config. With
//! `--misses` it says what each missed query found in place of the answer. With `KIND=SHARE` it fails
//! where fewer queries of the kind (`all`, `negative` too) find their answer among the first five.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a tool for developers: what goes wrong ends it"
)]

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use mce::api::Manifest;
use mce::runtime::{descriptions, search_document};
use mce::search::{Document, Hit, Index, Query};

/// That of the product.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How far down a hit is still found.
const RANKS: usize = 5;
/// How far down it counts for the mean reciprocal rank.
const DEPTH: usize = 100;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [compiled, queries, rest @ ..] = &arguments[..] else {
        println!("usage: search_quality COMPILED QUERIES [--misses] [KIND=SHARE ...]");
        return ExitCode::from(2);
    };
    let limits = rest.iter().filter_map(|it| it.split_once('='));
    let limits: Vec<(&str, f64)> = limits
        .map(|(kind, share)| (kind, share.parse().expect("a share")))
        .collect();
    let says_misses = rest.iter().any(|it| it == "--misses");
    let catalog = Catalog::read(Path::new(compiled));
    let before = resident();
    let begun = Instant::now();
    let index = Index::build(&catalog.documents);
    let built = begun.elapsed();
    let rows = rows(&fs::read_to_string(queries).expect("the table of queries"));
    let mut kinds: BTreeMap<&str, Figures> = BTreeMap::new();
    let mut halves = [Figures::default(), Figures::default()];
    let mut durations = Vec::new();
    let mut negatives = Negatives::default();
    for (number, row) in rows.iter().enumerate() {
        let begun = Instant::now();
        let hits = index.search(&asked(&row["query"], None, DEPTH));
        durations.push(begun.elapsed());
        if row["kind"] == "negative" {
            negatives.add(&catalog, &index, row, &hits, says_misses);
            continue;
        }
        let rank = hits.iter().position(|hit| catalog.answers(hit, row));
        kinds.entry(&row["kind"]).or_default().add(rank);
        halves[number % 2].add(rank);
        if says_misses && rank.is_none_or(|rank| rank >= RANKS) {
            println!(
                "{} {}: {} {} at {rank:?}",
                row["kind"], row["query"], row["method"], row["path"]
            );
            for hit in hits.iter().take(RANKS) {
                println!("    {:6.2} {}", hit.score, catalog.describe(hit));
            }
        }
    }
    println!(
        "{:12} {:>4} {:>8} {:>8} {:>6}",
        "kind", "rows", "recall@1", "recall@5", "MRR"
    );
    let mut all = Figures::default();
    for (kind, figures) in &kinds {
        figures.print(kind);
        all.join(figures);
    }
    all.print("all");
    halves[0].print("even rows");
    halves[1].print("odd rows");
    negatives.print();
    durations.sort();
    let at = |percent: usize| milliseconds(durations[durations.len() * percent / 100]);
    println!(
        "query ms: p50 {:.2}, p95 {:.2}, max {:.2}",
        at(50),
        at(95),
        milliseconds(*durations.last().expect("a query"))
    );
    println!(
        "index: {} functions of {} servers in {:.0} ms, {:.0} MiB",
        index.len(),
        catalog.servers,
        milliseconds(built),
        resident() - before
    );
    let mut code = ExitCode::SUCCESS;
    for (kind, least) in limits {
        let share = match kind {
            "all" => all.recall(),
            "negative" => negatives.share(),
            _ => kinds.get(kind).expect("a kind of query").recall(),
        };
        if share < least {
            println!("missed: {kind} {share:.3}, wanted {least}");
            code = ExitCode::FAILURE;
        }
    }
    code
}

fn asked<'a>(text: &'a str, server: Option<&'a str>, limit: usize) -> Query<'a> {
    Query {
        text,
        server,
        among: None,
        tag: None,
        limit,
        is_loose: false,
    }
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// Resident memory in MiB, where the system says.
fn resident() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|it| it.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|it| it.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kilobytes.unwrap_or_default() / 1024.0
}

/// The documents, and the folder that the source of each stands in.
struct Catalog {
    documents: Vec<Document>,
    sources: Vec<String>,
    servers: usize,
}

impl Catalog {
    fn read(folder: &Path) -> Self {
        let entries = fs::read_dir(folder).expect("the folder of compiled servers");
        let mut paths: Vec<_> = entries
            .map(|it| it.unwrap().path().join("manifest.json"))
            .filter(|it| it.is_file())
            .collect();
        paths.sort();
        let mut catalog = Self {
            documents: Vec::new(),
            sources: Vec::new(),
            servers: paths.len(),
        };
        for path in paths {
            let bytes = fs::read(&path).expect("a manifest");
            let manifest: Manifest = serde_json::from_slice(&bytes).expect("a manifest");
            let source = manifest.spec.source.trim_start_matches("specs/");
            let source = source.split('/').next().unwrap_or_default();
            let module = fs::read_to_string(path.with_file_name("functions.py"));
            let module = module.expect("the module of a manifest");
            let descriptions = descriptions(&module);
            for function in &manifest.functions {
                let description = descriptions.get(function.name.as_str());
                catalog.sources.push(source.to_owned());
                catalog.documents.push(search_document(
                    &manifest.server,
                    &manifest.title,
                    &manifest.types,
                    function,
                    description.map_or("", String::as_str),
                ));
            }
        }
        catalog
    }

    /// Whether a hit is the answer of a row or one of its alternatives.
    fn answers(&self, hit: &Hit, row: &Row) -> bool {
        let document = &self.documents[hit.document];
        let is_one = |method: &str, path: &str| document.method == method && document.path == path;
        let alternatives = row["alternatives"].split(" | ");
        let mut alternatives = alternatives.filter_map(|it| it.split_once(' '));
        self.sources[hit.document] == row["source"]
            && (is_one(&row["method"], &row["path"])
                || alternatives.any(|(method, path)| is_one(method, path)))
    }

    fn describe(&self, hit: &Hit) -> String {
        let document = &self.documents[hit.document];
        format!(
            "{} {} {} {} ({})",
            document.server,
            document.method,
            document.path,
            document.operation_id,
            document.summary
        )
    }

    fn servers_of(&self, source: &str) -> HashSet<&str> {
        let all = self.documents.iter().zip(&self.sources);
        all.filter(|(_, it)| *it == source)
            .map(|(document, _)| document.server.as_str())
            .collect()
    }
}

type Row = HashMap<String, String>;

fn rows(text: &str) -> Vec<Row> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().expect("a header").split('\t').collect();
    let row = |line: &str| {
        let cells = line.split('\t').map(ToOwned::to_owned);
        names.iter().map(|it| (*it).to_owned()).zip(cells).collect()
    };
    lines.filter(|it| !it.is_empty()).map(row).collect()
}

/// How queries with an answer did.
#[derive(Default)]
struct Figures {
    rows: f64,
    first: f64,
    found: f64,
    reciprocal: f64,
}

impl Figures {
    fn add(&mut self, rank: Option<usize>) {
        self.rows += 1.0;
        if let Some(rank) = rank {
            self.first += f64::from(u8::from(rank == 0));
            self.found += f64::from(u8::from(rank < RANKS));
            self.reciprocal += 1.0 / (rank + 1) as f64;
        }
    }

    fn join(&mut self, other: &Self) {
        self.rows += other.rows;
        self.first += other.first;
        self.found += other.found;
        self.reciprocal += other.reciprocal;
    }

    /// The share of rows whose answer is among the first hits.
    fn recall(&self) -> f64 {
        self.found / self.rows.max(1.0)
    }

    fn print(&self, name: &str) {
        let share = |it: f64| it / self.rows.max(1.0);
        println!(
            "{name:12} {:4} {:8.3} {:8.3} {:6.3}",
            self.rows,
            share(self.first),
            share(self.found),
            share(self.reciprocal)
        );
    }
}

/// Queries that nothing fits. One about a source is asked of its servers, as whoever asks it would:
/// another's may fit.
#[derive(Default)]
struct Negatives {
    rows: usize,
    empty: usize,
    empty_everywhere: usize,
}

impl Negatives {
    fn add(&mut self, catalog: &Catalog, index: &Index, row: &Row, hits: &[Hit], says: bool) {
        self.rows += 1;
        self.empty_everywhere += usize::from(hits.is_empty());
        let found = if row["scope"].is_empty() {
            hits.first().copied()
        } else {
            let servers = catalog.servers_of(&row["scope"]);
            let mut hits = servers
                .into_iter()
                .flat_map(|it| index.search(&asked(&row["query"], Some(it), 1)));
            hits.next()
        };
        self.empty += usize::from(found.is_none());
        if let Some(hit) = found.filter(|_| says) {
            println!(
                "negative {}: {:.2} {}",
                row["query"],
                hit.score,
                catalog.describe(&hit)
            );
        }
    }

    fn share(&self) -> f64 {
        self.empty as f64 / (self.rows.max(1)) as f64
    }

    fn print(&self) {
        println!(
            "negative     {:4} nothing found for {} in their scope, for {} everywhere",
            self.rows, self.empty, self.empty_everywhere
        );
    }
}
