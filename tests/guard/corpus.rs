//! The code that the guard's tests hold: whole programs and cases.

use std::path::Path;

/// Every program and every case, without the marks of violations. `root` is the project's folder.
pub fn read(root: &Path) -> Vec<String> {
    let folder = root.join("tests/guard");
    let mut found = Vec::new();
    for (name, extension) in [
        ("ordinary", "py"),
        ("cases", "txt"),
        ("cases/attacks", "txt"),
    ] {
        let mut paths: Vec<_> = std::fs::read_dir(folder.join(name))
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|found| found == extension))
            .collect();
        paths.sort();
        for path in paths {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            for case in text.split("----\n") {
                let lines = case
                    .split_inclusive('\n')
                    .filter(|line| !line.trim_start().starts_with('^'));
                found.push(lines.collect());
            }
        }
    }
    found
}
