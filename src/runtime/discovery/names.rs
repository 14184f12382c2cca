//! Names and lines of text, as answers show them.

use crate::api::Manifest;
use crate::invisible::is_invisible;

/// Text of a document on one line, without characters that cannot be seen, capped.
pub(in crate::runtime) fn one_line(text: &str, characters: usize) -> String {
    let mut line = String::new();
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        let start = line.len();
        line.extend(word.chars().filter(|c| !is_invisible(*c)));
        if start > 0 && line.len() > start {
            line.insert(start, ' ');
        }
        if line.len() > characters * 4 {
            break;
        }
    }
    match line.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default().trim_end()),
        None => line,
    }
}

/// That operations of a read-only server were left out, where some were: a reader who misses one
/// should not look for it elsewhere.
pub(in crate::runtime) fn left_out(manifest: &Manifest) -> Option<String> {
    let skipped = manifest.skipped.iter();
    let count = skipped.filter(|it| it.reason == "read_only").count();
    (count > 0).then(|| {
        format!(
            "`{}` is read-only: operations that may change something were left out ({count})",
            manifest.server
        )
    })
}

/// The names most like `name`, best first.
pub(in crate::runtime) fn nearest<'a>(
    name: &str,
    names: impl Iterator<Item = &'a str>,
) -> Vec<String> {
    // The comparison is quadratic, and no name is this long.
    let name: String = name.chars().take(100).collect();
    let mut near: Vec<(f64, &str)> = names
        .map(|candidate| (likeness(&name, candidate), candidate))
        .filter(|(likeness, _)| *likeness >= 0.5)
        .collect();
    near.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(right.1)));
    near.into_iter()
        .take(5)
        .map(|(_, name)| name.to_owned())
        .collect()
}

/// The least of a name that another may hold to be near it.
const LEAST_PART: usize = 3;

/// How alike two names are: by their letters, or by the words they share, in whichever order; or
/// that one begins with the other, or holds it.
fn likeness(name: &str, candidate: &str) -> f64 {
    let words = |text: &str| -> Vec<String> {
        text.split('_')
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect()
    };
    let (mut asked, mut offered) = (words(name), words(candidate));
    asked.sort();
    offered.sort();
    let by_words = strsim::normalized_damerau_levenshtein(&asked.concat(), &offered.concat());
    let alike = strsim::normalized_damerau_levenshtein(name, candidate).max(by_words);
    let part = name.to_lowercase();
    let held = if part.len() < LEAST_PART {
        0.0
    } else if candidate.starts_with(&part) {
        0.8
    } else if candidate.contains(&part) {
        0.6
    } else {
        0.0
    };
    alike.max(held)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_no_breaks_and_nothing_invisible() {
        let text = "Pets\n\u{200b} of\u{202e}\t the\u{e0041} shop \u{feff}";
        assert_eq!(one_line(text, 50), "Pets of the shop");
        assert_eq!(one_line("abc def ghi", 8), "abc def…");
    }

    #[test]
    fn names_are_near_by_letters_by_words_and_by_parts() {
        let names = ["get_pet", "list_pets", "delete_owner"];
        assert_eq!(nearest("pet_get", names.into_iter())[0], "get_pet");
        assert_eq!(nearest("owner", names.into_iter()), ["delete_owner"]);
        assert!(nearest("zzz", names.into_iter()).is_empty());
    }
}
