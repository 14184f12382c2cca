use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proptest::prelude::*;

use super::*;

const PATHS: [&str; 12] = [
    "/users",
    "/users/{id}",
    "/users/export",
    "/users/{id}/admin",
    "/users/{id}/posts/{post}",
    "/users/me/posts/{post}",
    "/files/{path}",
    "/reports/{name}.json",
    "/reports/{name}",
    "/reports/daily-{day}.json",
    "/jobs/{id}:cancel",
    "/jobs/{id}",
];

fn routes() -> Routes {
    Routes::of(PATHS.into_iter())
}

#[track_caller]
fn refused(path: &str, called: &str, other: &str) {
    assert_eq!(
        routes().check(path, &[], called),
        Err(PathError::Other {
            other: other.into(),
            template: called.into()
        }),
        "{path}"
    );
}

#[test]
fn an_argument_may_not_be_a_siblings_literal() {
    assert_eq!(routes().check("/users/7", &[], "/users/{id}"), Ok(()));
    assert_eq!(
        routes().check("/users/export", &[], "/users/export"),
        Ok(())
    );
    for path in [
        "/users/export",
        "/users/%65xport",
        "/users/EXPORT",
        "/users/export%3Bx",
        "/users/export.",
        "/users/export%20",
        "/users/export%3Fx",
        "/users/export%23",
        "/users/%2565xport",
        "/users/%2Fexport",
        "/users/export%2F",
        "/users/%EF%BD%85xport",
        "/users/export%EF%BC%8F",
    ] {
        refused(path, "/users/{id}", "/users/export");
    }
    refused(
        "/users/me/posts/1",
        "/users/{id}/posts/{post}",
        "/users/me/posts/{post}",
    );
}

#[test]
fn encoded_slashes_may_not_lead_to_another_operation() {
    refused("/users/1%2Fadmin", "/users/{id}", "/users/{id}/admin");
    refused("/users/1%2fadmin", "/users/{id}", "/users/{id}/admin");
    // The backslash is a value here, which a split at backslashes too would lose.
    refused("/users/%5C%2Fadmin", "/users/{id}", "/users/{id}/admin");
    refused("/users/1%5Cadmin", "/users/{id}", "/users/{id}/admin");
    refused("/users/1%252Fadmin", "/users/{id}", "/users/{id}/admin");
    refused("/users/1%2Fadmin%3Fx", "/users/{id}", "/users/{id}/admin");
    refused("/users/1%2F%2Fadmin%2F", "/users/{id}", "/users/{id}/admin");
}

/// The error said that `n="100%AB"` is not UTF-8, which it is.
#[test]
fn a_per_cent_sign_in_an_argument_need_not_begin_an_escape() {
    let check = |path: &str| routes().check(path, &[], "/users/{id}");
    assert_eq!(check("/users/100%25AB"), Ok(()));
    assert_eq!(check("/users/%25"), Ok(()));
    assert_eq!(check("/users/100%2525FF%25"), Ok(()));
    assert_eq!(check("/users/100%AB"), Err(PathError::Encoding));
    // A full stop in two, three and four bytes.
    for dot in ["%25C0%25AE", "%25E0%2580%25AE", "%25F0%2580%2580%25AE"] {
        let path = format!("/users/{dot}{dot}");
        assert_eq!(check(&path), Err(PathError::Encoding), "{path}");
    }
}

#[test]
fn a_path_with_slashes_that_reaches_nothing_else_is_sent() {
    assert_eq!(
        routes().check("/files/src%2Fmain.rs", &[], "/files/{path}"),
        Ok(())
    );
}

#[test]
fn dots_are_refused_in_every_disguise() {
    for path in [
        "/files/..",
        "/files/.",
        "/files/%2e%2e",
        "/files/a%2F..%2Fb",
        "/files/a%5C..%5Cb",
        "/files/%252e%252e",
        "/files/..%3Bx",
        "/files/..%20",
        "/files/a%2F..%3B%2Fb",
        "/files/%EF%BC%8E%EF%BC%8E",
        "/files/%E2%80%A5",
        "/files/a%EF%BC%8F%E2%80%A4.%EF%BC%BCb",
    ] {
        assert_eq!(
            routes().check(path, &[], "/files/{path}"),
            Err(PathError::Dots),
            "{path}"
        );
    }
    assert_eq!(routes().check("/files/..a", &[], "/files/{path}"), Ok(()));
    assert_eq!(routes().check("/files/...", &[], "/files/{path}"), Ok(()));
}

#[test]
fn an_empty_argument_does_not_fit_its_template() {
    let error = PathError::Template {
        template: "/users/{id}".into(),
    };
    assert_eq!(
        routes().check("/users/", &[], "/users/{id}"),
        Err(error.clone())
    );
    assert_eq!(routes().check("/users", &[], "/users/{id}"), Err(error));
    let error = PathError::Template {
        template: "/users/{id}/admin".into(),
    };
    assert_eq!(
        routes().check("/users//admin", &[], "/users/{id}/admin"),
        Err(error)
    );
}

#[test]
fn control_characters_are_refused() {
    assert_eq!(
        routes().check("/users/export%00", &[], "/users/{id}"),
        Err(PathError::Control)
    );
}

#[test]
fn the_more_concrete_of_two_partial_segments_is_served() {
    assert_eq!(
        routes().check("/reports/daily-1.json", &[], "/reports/daily-{day}.json"),
        Ok(())
    );
    refused(
        "/reports/daily-1.json",
        "/reports/{name}.json",
        "/reports/daily-{day}.json",
    );
    refused("/reports/a.json", "/reports/{name}", "/reports/{name}.json");
    refused("/jobs/7:cancel", "/jobs/{id}", "/jobs/{id}:cancel");
    refused("/jobs/7%3Acancel", "/jobs/{id}", "/jobs/{id}:cancel");
    assert_eq!(
        routes().check("/jobs/7:cancel", &[], "/jobs/{id}:cancel"),
        Ok(())
    );
}

#[test]
fn two_templates_of_which_neither_is_more_concrete_refuse_what_both_match() {
    let routes = Routes::of(["/a/{x}/c", "/a/b/{y}"].into_iter());
    assert!(routes.check("/a/b/c", &[], "/a/{x}/c").is_err());
    assert!(routes.check("/a/b/c", &[], "/a/b/{y}").is_err());
    assert_eq!(routes.check("/a/d/c", &[], "/a/{x}/c"), Ok(()));
}

#[test]
fn a_fixed_query_tells_operations_apart() {
    let paths = [
        "/items",
        "/items?action=close",
        "/items#list",
        "/{any}?action=close",
    ];
    let routes = Routes::of(paths.into_iter());
    let query = |text: &str| vec![text.to_owned()];
    assert_eq!(routes.check("/items", &[], "/items"), Ok(()));
    assert_eq!(routes.check("/items", &[], "/items#list"), Ok(()));
    assert_eq!(
        routes.check("/items", &query("action=open"), "/items"),
        Ok(())
    );
    for spelt in [
        "action=close",
        "ACTION=close",
        "%61ction=cl%6fse",
        "action[]=close",
    ] {
        assert_eq!(
            routes.check("/items", &query(spelt), "/items"),
            Err(PathError::Other {
                other: "/items?action=close".into(),
                template: "/items".into()
            }),
            "{spelt}"
        );
    }
    let called = "/items?action=close";
    assert_eq!(
        routes.check("/items", &query("action=close"), called),
        Ok(())
    );
}

#[test]
fn a_literal_path_that_ends_in_a_slash_is_more_concrete_than_an_expression() {
    let routes = Routes::of(["/{mount}/roles/", "/{mount}/{path}"].into_iter());
    assert_eq!(routes.check("/a/roles/", &[], "/{mount}/roles/"), Ok(()));
    assert!(routes.check("/a/roles", &[], "/{mount}/{path}").is_err());
}

#[test]
fn a_trailing_slash_and_other_names_make_no_other_operation() {
    let routes = Routes::of(["/u/{id}", "/u/{name}", "/u/{id}/", "/u"].into_iter());
    assert_eq!(routes.check("/u/1", &[], "/u/{id}"), Ok(()));
    assert_eq!(routes.check("/u/1/", &[], "/u/{id}/"), Ok(()));
}

/// A server that splits, decodes once, and serves the most concrete template by exact case.
fn serve(path: &str, decode_first: bool) -> Option<&'static str> {
    let whole = percent_decode_str(path).decode_utf8_lossy().into_owned();
    let segments: Vec<String> = if decode_first {
        whole.split('/').map(str::to_owned).collect()
    } else {
        path.split('/')
            .map(|s| percent_decode_str(s).decode_utf8_lossy().into_owned())
            .collect()
    };
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let mut found: Vec<Template> = PATHS.iter().map(|path| Template::new(path)).collect();
    found.retain(|template| template.matches(&segments, Case::Exact));
    found.sort_by_key(|template| {
        let literals: usize = template
            .segments
            .iter()
            .flat_map(|segment| &segment.literals)
            .map(String::len)
            .sum();
        std::cmp::Reverse(literals)
    });
    let first = found.into_iter().next()?;
    PATHS.into_iter().find(|path| *path == first.text)
}

fn argument() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("export".to_owned()),
        Just("me".to_owned()),
        Just("admin".to_owned()),
        Just("posts".to_owned()),
        Just("..".to_owned()),
        Just("/".to_owned()),
        Just("%2F".to_owned()),
        Just("\\".to_owned()),
        Just(";".to_owned()),
        Just(".json".to_owned()),
        Just(":cancel".to_owned()),
        Just("daily-".to_owned()),
        "[a-z0-9]{0,2}",
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]
    #[test]
    fn no_argument_reaches_another_template(
        called in prop::sample::select(PATHS.to_vec()),
        first in argument(),
        second in argument(),
    ) {
        let mut path = called.to_owned();
        for argument in [&first, &second] {
            if let (Some(open), Some(close)) = (path.find('{'), path.find('}')) {
                let encoded = utf8_percent_encode(argument, NON_ALPHANUMERIC).to_string();
                path.replace_range(open..=close, &encoded);
            }
        }
        if routes().check(&path, &[], called).is_ok() {
            prop_assert_eq!(serve(&path, false), Some(called));
            let careless = serve(&path, true);
            prop_assert!(careless.is_none() || careless == Some(called), "{path}");
            let whole = percent_decode_str(&path).decode_utf8_lossy().into_owned();
            prop_assert!(!whole.split(['/', '\\']).any(|piece| piece == ".." || piece == "."));
        }
    }
}
