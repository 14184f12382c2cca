//! The code that the guard's tests hold: whole programs and cases.

use std::path::Path;

/// Code that the guard judges.
pub struct Corpus {
    /// Whole programs that pass.
    pub programs: Vec<String>,
    /// The cases, without the marks of violations; most are refused.
    pub cases: Vec<String>,
}

impl Corpus {
    /// Reads all of it. `root` is the project's folder.
    pub fn read(root: &Path) -> Self {
        let folder = root.join("tests/guard");
        let cases = texts(&folder.join("cases"), "txt").into_iter();
        let attacks = texts(&folder.join("cases/attacks"), "txt");
        let code_of = |case: &str| {
            case.split_inclusive('\n')
                .filter(|line| !line.trim_start().starts_with('^'))
                .collect()
        };
        Self {
            programs: texts(&folder.join("ordinary"), "py"),
            cases: cases
                .chain(attacks)
                .flat_map(|text| text.split("----\n").map(code_of).collect::<Vec<String>>())
                .collect(),
        }
    }
}

/// The files of a folder that have an extension, by name.
fn texts(folder: &Path, extension: &str) -> Vec<String> {
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| std::fs::read_to_string(path).unwrap_or_default())
        .collect()
}
