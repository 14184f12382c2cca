//! The programs of this folder, as their heads describe them.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may fail anywhere"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    Alone,
    Beside,
    After,
}

#[derive(Debug)]
pub struct Program {
    pub name: String,
    pub head: BTreeMap<String, String>,
    pub relation: Relation,
    /// What the other execution runs.
    pub other: String,
    pub code: String,
}

impl Program {
    fn read(path: &Path) -> Option<Self> {
        let text = fs::read_to_string(path).unwrap();
        let head: BTreeMap<String, String> = text
            .lines()
            .map_while(|line| line.strip_prefix("# ")?.split_once(": "))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let parts = |mark: &str| text.split_once(mark);
        let (relation, other, code) = if let Some((other, code)) = parts("# --- beside ---\n") {
            (Relation::Beside, other, code)
        } else if let Some((other, code)) = parts("# --- after ---\n") {
            (Relation::After, other, code)
        } else {
            (Relation::Alone, "", text.as_str())
        };
        let program = Self {
            name: path.file_stem()?.to_str()?.to_owned(),
            relation,
            other: other.to_owned(),
            code: code.to_owned(),
            head,
        };
        let fits = program.head.get("machine");
        fits.is_none_or(|machine| machine == std::env::consts::ARCH)
            .then_some(program)
    }

    pub fn says(&self, name: &str) -> &str {
        let said = self.head.get(name);
        said.unwrap_or_else(|| panic!("{} does not say `{name}`", self.name))
    }

    pub fn weakness(&self) -> &str {
        self.says("weakness")
    }

    /// Whom the code runs as. Where executions can reach each other's processes, the end of one ends
    /// those of the same user: each program has a user of its own.
    pub fn user(&self, index: usize) -> String {
        match self.head.get("as") {
            Some(user) => user.clone(),
            None if self.weakness() == "host processes" => format!("{0}:{0}", 64_000 + index),
            None => "65534:65534".to_owned(),
        }
    }

    pub fn is_other_judged(&self) -> bool {
        self.head.get("judged").is_some_and(|who| who == "other")
    }
}

pub fn programs() -> Vec<Program> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sandbox_attacks");
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "py"))
        .filter(|path| path.file_name().unwrap() != "attack.py")
        .collect();
    paths.sort();
    paths
        .iter()
        .filter_map(|path| Program::read(path))
        .collect()
}
