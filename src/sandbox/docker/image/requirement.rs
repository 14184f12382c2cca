//! What a package needs: `name[extras] >=1,<2 ; marker`
//! ([Dependency specifiers](https://packaging.python.org/en/latest/specifications/dependency-specifiers/)).
//!
//! The crates that read these bring a dependency under a licence that is not on our list.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use pep440_rs::{Version, VersionSpecifiers};

use crate::config::PackageName;

/// Markers within brackets within brackets: more is no marker that people write.
const DEEPEST: usize = 16;
/// Longest first, so that none is taken for the beginning of another.
const COMPARISONS: [&str; 8] = ["===", "~=", "==", "!=", "<=", ">=", "<", ">"];

/// Another package that is needed.
#[derive(Debug, Clone)]
pub(super) struct Requirement {
    pub(super) name: PackageName,
    pub(super) extras: BTreeSet<PackageName>,
    pub(super) source: Source,
    marker: Option<Marker>,
}

/// Where it is to come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    /// These versions of it.
    Versions(VersionSpecifiers),
    /// A URL.
    Url,
}

/// When it is needed.
#[derive(Debug, Clone)]
enum Marker {
    All(Vec<Marker>),
    Any(Vec<Marker>),
    Comparison(Value, String, Value),
}

#[derive(Debug, Clone)]
enum Value {
    Variable(String),
    Text(String),
}

/// Values of the variables of markers, but for `extra`.
pub(super) type Environment = BTreeMap<String, String>;

impl Requirement {
    /// Whether it is needed, with the extra of the package that needs it.
    pub(super) fn applies(&self, environment: &Environment, extra: Option<&PackageName>) -> bool {
        self.marker
            .as_ref()
            .is_none_or(|marker| marker.holds(environment, extra))
    }
}

impl FromStr for Requirement {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let is_of_name = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | '.');
        let text = text.trim();
        let end = text.find(|it| !is_of_name(it)).unwrap_or(text.len());
        let (name, mut rest) = text.split_at_checked(end).ok_or(())?;
        rest = rest.trim_start();
        let mut extras = BTreeSet::new();
        if let Some(list) = rest.strip_prefix('[') {
            let (list, behind) = list.split_once(']').ok_or(())?;
            for extra in list.split(',').map(str::trim).filter(|it| !it.is_empty()) {
                extras.insert(extra.parse().map_err(drop)?);
            }
            rest = behind.trim_start();
        }
        let (source, marker) = if let Some(url) = rest.strip_prefix('@') {
            // A semicolon may be part of the URL, which ends at a space.
            let url = url.trim_start();
            let behind = url.split_once(char::is_whitespace).map_or("", |(_, it)| it);
            (Source::Url, behind.trim_start().strip_prefix(';'))
        } else {
            let (versions, marker) = match rest.split_once(';') {
                Some((versions, marker)) => (versions, Some(marker)),
                None => (rest, None),
            };
            let versions = versions.trim();
            let inner = versions
                .strip_prefix('(')
                .and_then(|it| it.strip_suffix(')'));
            let versions = inner.unwrap_or(versions).trim();
            let versions = match versions {
                "" => VersionSpecifiers::empty(),
                _ => VersionSpecifiers::from_str(versions).map_err(drop)?,
            };
            (Source::Versions(versions), marker)
        };
        Ok(Self {
            name: name.parse().map_err(drop)?,
            extras,
            source,
            marker: marker.map(Marker::from_str).transpose()?,
        })
    }
}

impl FromStr for Marker {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut reader = Reader {
            rest: text.trim(),
            depth: 0,
        };
        let marker = reader.any()?;
        if reader.rest.is_empty() {
            Ok(marker)
        } else {
            Err(())
        }
    }
}

/// Reads a marker from the left.
struct Reader<'t> {
    rest: &'t str,
    depth: usize,
}

impl Reader<'_> {
    fn any(&mut self) -> Result<Marker, ()> {
        let mut parts = vec![self.all()?];
        while self.takes_word("or") {
            parts.push(self.all()?);
        }
        Ok(Marker::Any(parts))
    }

    fn all(&mut self) -> Result<Marker, ()> {
        let mut parts = vec![self.one()?];
        while self.takes_word("and") {
            parts.push(self.one()?);
        }
        Ok(Marker::All(parts))
    }

    fn one(&mut self) -> Result<Marker, ()> {
        if !self.takes("(") {
            let left = self.value()?;
            let operator = self.operator()?;
            return Ok(Marker::Comparison(left, operator, self.value()?));
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(());
        }
        let inner = self.any()?;
        self.depth -= 1;
        if self.takes(")") { Ok(inner) } else { Err(()) }
    }

    fn operator(&mut self) -> Result<String, ()> {
        if let Some(found) = COMPARISONS.into_iter().find(|it| self.takes(it)) {
            return Ok(found.to_owned());
        }
        if self.takes_word("in") {
            return Ok("in".to_owned());
        }
        let is_not_in = self.takes_word("not") && self.takes_word("in");
        is_not_in.then(|| "not in".to_owned()).ok_or(())
    }

    fn value(&mut self) -> Result<Value, ()> {
        for quote in ['\'', '"'] {
            if let Some(inner) = self.rest.strip_prefix(quote) {
                let (text, rest) = inner.split_once(quote).ok_or(())?;
                self.rest = rest.trim_start();
                return Ok(Value::Text(text.to_owned()));
            }
        }
        let end = self.word_end();
        let (word, rest) = self.rest.split_at_checked(end).ok_or(())?;
        if word.is_empty() {
            return Err(());
        }
        self.rest = rest.trim_start();
        // The spelling before PEP 508.
        Ok(Value::Variable(word.replace('.', "_")))
    }

    fn word_end(&self) -> usize {
        let is_of_word = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '.');
        self.rest
            .find(|it| !is_of_word(it))
            .unwrap_or(self.rest.len())
    }

    fn takes(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn takes_word(&mut self, word: &str) -> bool {
        self.rest.get(..self.word_end()) == Some(word) && self.takes(word)
    }
}

impl Marker {
    fn holds(&self, environment: &Environment, extra: Option<&PackageName>) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(|part| part.holds(environment, extra)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(environment, extra)),
            Self::Comparison(left, operator, right) => {
                let is_extra =
                    |value: &Value| matches!(value, Value::Variable(name) if name == "extra");
                let own = extra.map(ToString::to_string).unwrap_or_default();
                if is_extra(left) || is_extra(right) {
                    let other = if is_extra(left) { right } else { left };
                    let other = match other {
                        Value::Text(text) => text.parse::<PackageName>().ok(),
                        Value::Variable(_) => None,
                    };
                    let is_same = other.is_some_and(|other| other.to_string() == own);
                    return match operator.as_str() {
                        "==" => is_same,
                        "!=" => !is_same,
                        _ => false,
                    };
                }
                let value = |value: &Value| match value {
                    Value::Text(text) => text.clone(),
                    Value::Variable(name) => environment.get(name).cloned().unwrap_or_default(),
                };
                compare(&value(left), operator, &value(right))
            }
        }
    }
}

/// As versions where both are some, else as texts.
fn compare(left: &str, operator: &str, right: &str) -> bool {
    match operator {
        "in" => return right.contains(left),
        "not in" => return !right.contains(left),
        _ => {}
    }
    if let (Ok(version), Ok(versions)) = (
        Version::from_str(left),
        VersionSpecifiers::from_str(&format!("{operator}{right}")),
    ) {
        return versions.contains(&version);
    }
    match operator {
        "==" | "===" => left == right,
        "!=" => left != right,
        "<=" => left <= right,
        ">=" => left >= right,
        "<" => left < right,
        ">" => left > right,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment() -> Environment {
        [
            ("python_version", "3.13"),
            ("python_full_version", "3.13.5"),
            ("sys_platform", "linux"),
            ("platform_release", "6.18.44-fc"),
            ("platform_python_implementation", "CPython"),
            ("os_name", "posix"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into()
    }

    #[test]
    fn the_parts_of_a_requirement() {
        let read = |text: &str| Requirement::from_str(text).unwrap();
        let found = read("Some.Thing [One, two] (>=1.0, <2) ; os_name == 'nt'");
        assert_eq!(found.name.to_string(), "some-thing");
        let extras: Vec<String> = found.extras.iter().map(ToString::to_string).collect();
        assert_eq!(extras, ["one", "two"]);
        let Source::Versions(versions) = &found.source else {
            panic!("{found:?}");
        };
        assert_eq!(versions.to_string(), ">=1.0, <2");
        assert!(!found.applies(&environment(), None));
        assert_eq!(
            read("a").source,
            Source::Versions(VersionSpecifiers::empty())
        );
        assert_eq!(read("a@ https://example.com/a;b.whl").source, Source::Url);
        assert!(!read("a @ https://example.com/a ; os_name=='nt'").applies(&environment(), None));
        let deep = format!("a; {}os_name == 'nt'{}", "(".repeat(99), ")".repeat(99));
        for text in [
            "",
            "=",
            "a >",
            "a; os_name",
            "a; os_name ==",
            "a; == 'nt'",
            "a; os_name == 'nt",
            "a[b",
            "a; (os_name == 'nt'",
            "a; os_name == 'nt' or",
            "a; os_name not 'nt'",
            &deep,
        ] {
            assert!(Requirement::from_str(text).is_err(), "{text}");
        }
    }

    #[test]
    fn markers_hold_by_version_text_and_extra() {
        for (marker, expected) in [
            ("python_version < '3.9'", false),
            ("python_version >= '3.9'", true),
            ("python_version<'3.15'", true),
            ("'3.9' < python_version", true),
            ("python_full_version == '3.13.*'", true),
            ("python_version ~= '3.12'", true),
            ("sys_platform == 'win32'", false),
            ("sys.platform != 'win32'", true),
            ("sys_platform in 'linux darwin'", true),
            ("sys_platform not in 'linux darwin'", false),
            ("'nux' in sys_platform", true),
            ("platform_release >= '6'", true),
            (
                "os_name == 'nt' or sys_platform == 'linux' and python_version > '3'",
                true,
            ),
            (
                "(os_name == 'nt' or sys_platform == 'linux') and python_version < '3'",
                false,
            ),
            ("extra == 'More'", true),
            ("'more' == extra", true),
            ("extra == 'other'", false),
            ("extra != 'more'", false),
            ("(python_version > '3') and extra == 'more'", true),
            ("unknown == 'x'", false),
        ] {
            let requirement = Requirement::from_str(&format!("a; {marker}")).unwrap();
            let extra: PackageName = "more".parse().unwrap();
            let found = requirement.applies(&environment(), Some(&extra));
            assert_eq!(found, expected, "{marker}");
        }
        let requirement = Requirement::from_str("a; extra == 'more'").unwrap();
        assert!(!requirement.applies(&environment(), None));
    }
}
