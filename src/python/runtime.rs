//! The text of `mce_runtime.py`, put together of its parts.

/// What stands in the docstring of `mce_runtime.py`, whatever version wrote it.
pub const RUNTIME_MARK: &str = "What compiled clients run on. Written by mce; do not edit.";

/// The parts one after the other, two empty lines between them.
macro_rules! assembled {
    ($first:literal $(, $part:literal)*) => {
        concat!(
            include_str!(concat!("../../templates/mce_runtime/", $first)),
            $("\n\n", include_str!(concat!("../../templates/mce_runtime/", $part)),)*
        )
    };
}

/// The text of `mce_runtime.py`, which every compiled module imports: one file, so that nobody has
/// to read a package to review it.
pub const RUNTIME_SOURCE: &str = assembled!(
    "head.py",
    "streams.py",
    "operations.py",
    "pages.py",
    "plain.py",
    "encoding.py",
    "bodies.py",
    "decoding.py",
    "errors.py",
    "following.py",
    "outside.py"
);

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::RUNTIME_SOURCE;

    #[test]
    fn every_part_is_in_the_runtime_once() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/mce_runtime");
        let mut length = 0;
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let part = fs::read_to_string(&path).unwrap();
            let found = RUNTIME_SOURCE.matches(&part).count();
            assert_eq!(found, 1, "{}", path.display());
            assert!(
                part.ends_with('\n') && !part.ends_with("\n\n"),
                "{}: two empty lines are put between parts",
                path.display()
            );
            length += part.len() + "\n\n".len();
        }
        assert_eq!(length - "\n\n".len(), RUNTIME_SOURCE.len());
    }
}
