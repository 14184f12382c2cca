//! Names of a document that a name in the config, which fits none, may stand for.

use std::collections::BTreeSet;

/// Names that are offered.
const MOST_NEAR: usize = 3;
/// Names that are listed.
const MOST_LISTED: usize = 10;
/// Characters of a name that is compared or listed; what is longer is neither.
const LONGEST_NAME: usize = 100;
/// Names that are compared: the comparison is quadratic in their lengths.
const MOST_COMPARED: usize = 5_000;

/// `; did you mean …?`, or nothing.
pub(super) fn advice(name: &str, known: &BTreeSet<String>) -> String {
    let near = nearest(name, known);
    if near.is_empty() {
        return String::new();
    }
    format!("; did you mean `{}`?", near.join("` or `"))
}

/// [`advice`], and which names there are.
pub(super) fn advice_and_list(name: &str, known: &BTreeSet<String>) -> String {
    let advice = advice(name, known);
    let shown: Vec<&str> = shown(known).take(MOST_LISTED).collect();
    if shown.is_empty() {
        return advice;
    }
    let start = if advice.is_empty() {
        "; there are"
    } else {
        " There are"
    };
    let more = match known.len() - shown.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{advice}{start} `{}`{more}", shown.join("`, `"))
}

/// Names that can stand in a line.
fn shown(known: &BTreeSet<String>) -> impl Iterator<Item = &str> {
    known
        .iter()
        .map(String::as_str)
        .filter(|name| name.chars().count() <= LONGEST_NAME && !name.chars().any(char::is_control))
}

/// The names that are alike, or hold the other, but for case, `_`, `-` and blanks; best first.
fn nearest<'k>(name: &str, known: &'k BTreeSet<String>) -> Vec<&'k str> {
    let plain = |text: &str| text.replace(['_', '-', ' '], "").to_lowercase();
    let short: String = name.chars().take(LONGEST_NAME).collect();
    let wanted = plain(&short);
    let mut near: Vec<(f64, &str)> = shown(known)
        .take(MOST_COMPARED)
        .map(|candidate| {
            let other = plain(candidate);
            let is_part = wanted.len() > 2 && other.contains(&wanted);
            let held = if is_part { 0.7 } else { 0.0 };
            let alike = strsim::normalized_damerau_levenshtein(&wanted, &other);
            (alike.max(held), candidate)
        })
        .filter(|(likeness, _)| *likeness >= 0.6)
        .collect();
    near.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
    near.truncate(MOST_NEAR);
    near.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn what_is_alike_or_holds_the_name_is_offered() {
        let known = names(&["notes", "users", "user-keys", "a\nb"]);
        assert_eq!(advice("note", &known), "; did you mean `notes`?");
        assert_eq!(
            advice("User", &known),
            "; did you mean `users` or `user-keys`?"
        );
        assert_eq!(advice("xyz", &known), "");
    }

    #[test]
    fn a_list_is_bounded_and_holds_no_line_of_its_own() {
        let list = |known: &BTreeSet<String>| advice_and_list("xyz", known);
        assert_eq!(list(&names(&[])), "");
        assert_eq!(list(&names(&["b", "a"])), "; there are `a`, `b`");
        let many: BTreeSet<String> = (10..40).map(|it| it.to_string()).collect();
        assert!(list(&many).ends_with("`19` and 20 more"));
        assert!(!list(&names(&["a", "b\nc"])).contains('\n'));
    }
}
