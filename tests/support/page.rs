//! Pages of `docs/` that are made of what the program knows.

use std::path::Path;

/// Holds that a page is what the program says; `MCE_UPDATE_DOCS=1` writes it. `test` is what to give
/// `cargo test` for that.
pub fn assert_is_current(name: &str, page: &str, test: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("docs")
        .join(name);
    if std::env::var_os("MCE_UPDATE_DOCS").is_some() {
        std::fs::write(&path, page).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == page,
        "docs/{name} is stale: run `MCE_UPDATE_DOCS=1 cargo test {test}`"
    );
}
