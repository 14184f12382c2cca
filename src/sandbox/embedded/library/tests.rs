use super::*;

#[test]
fn every_source_is_lowered_and_every_name_of_it_is_defined_or_of_the_host() {
    let mut defined: BTreeSet<&str> = DEFINED.keys().copied().collect();
    defined.extend(crate::sandbox::embedded::worker::HOST_NAMES);
    let kept = crate::sandbox::embedded::lower::keep_builtins();
    defined.extend(words(&kept));
    for source in LIBRARY.iter() {
        assert!(!source.parts().is_empty(), "{:?}", source.names());
        for part in source.parts() {
            let text = part.text().lines().filter(|line| !line.starts_with('#'));
            let text = text.collect::<Vec<_>>().join("\n");
            for name in words(&text) {
                // Names within a statement are its own.
                let is_known =
                    defined.contains(name) || is_bound(name, &text) || is_attribute(name);
                assert!(is_known, "{name} in {text}");
            }
        }
    }
}

/// Whether an object of the library has an attribute of that name.
fn is_attribute(name: &str) -> bool {
    let forms = [format!(".{name} = "), format!("    def {name}(")];
    let texts = sources::SOURCES.iter().map(|(_, text)| text);
    texts
        .into_iter()
        .any(|text| forms.iter().any(|form| text.contains(form)))
}

/// Whether a text gives a name a value, or takes it as a parameter.
fn is_bound(name: &str, text: &str) -> bool {
    let after = text.match_indices(name).filter_map(|(at, _)| {
        let before = text.get(..at)?.trim_end_matches([' ', '*']);
        let after = text.get(at + name.len()..)?.trim_start();
        let is_value =
            after.starts_with("= ") || after.starts_with(":=") || after.starts_with("in ");
        let is_parameter = before.ends_with(['(', ',']) && after.starts_with([',', ')', '=']);
        let is_named = ["def", "as", "for", "nonlocal", "class"];
        Some(is_value || is_parameter || is_named.iter().any(|word| before.ends_with(word)))
    });
    after.into_iter().any(|it| it)
}

#[test]
fn code_is_given_what_it_uses_and_what_that_uses() {
    assert_eq!(needed(["print(1)"]), []);
    let found = needed(["m = _mce_module(\"bisect\", _mce_module_bisect)"]);
    let text: String = found.iter().map(|piece| piece.text).collect();
    assert!(text.contains("def _mce_module(name, factory)"));
    assert!(text.contains("def _mce_module_bisect("));
    assert!(!text.contains("_mce_module_json"));
    assert!(found.is_sorted_by_key(|piece| piece.number));
}

#[test]
fn every_bridged_module_has_a_source() {
    for module in bridged().keys() {
        let name = format!("_mce_module_{}", module.replace('.', "_"));
        assert!(DEFINED.contains_key(name.as_str()), "{name}");
    }
}
