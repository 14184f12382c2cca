//! What policies come to, and what is said of those that are wrong.

use super::Policy;

const BUILT_IN: &str = include_str!("../../../config/guard.toml");

/// What the sources of this product block by name.
const ANCESTORS: &str = "
    os sys subprocess shutil socket ctypes pty tty termios signal resource multiprocessing threading
    concurrent pickle marshal shelve importlib pkgutil pathlib glob tempfile builtins gc inspect dis
    code codeop pdb trace profile pstats timeit ast tokenize token symtable urllib xmlrpc ftplib
    smtplib poplib imaplib telnetlib requests aiohttp tornado flask django fastapi starlette cffi
    mmap fcntl grp pwd crypt spwd nis syslog platform posix posixpath nt ntpath
";

fn built_in() -> Policy {
    Policy::parse(BUILT_IN, None).unwrap()
}

fn extended(text: &str) -> Policy {
    let text = format!("extends = \"built-in\"\n{text}");
    Policy::parse(&text, Some(&built_in())).unwrap()
}

fn complaints(text: &str) -> String {
    Policy::parse(text, Some(&built_in()))
        .unwrap_err()
        .to_string()
}

#[test]
fn the_built_in_policy_says_of_each_module_people_reach_for_what_to_write() {
    let policy = built_in();
    assert!(policy.allows("urllib.parse") && !policy.allows("urllib"));
    assert!(policy.is_module("urllib"));
    for module in ANCESTORS.split_whitespace() {
        assert!(policy.instead_of(module).is_some(), "{module}");
        assert!(!policy.allows(module), "{module}");
    }
    for name in "eval exec compile __import__ open input breakpoint vars dir globals locals"
        .split_whitespace()
    {
        assert!(policy.denied_names.contains_key(name), "{name}");
    }
    for name in
        "environ system popen spawn exec_ execve fork kill getenv setenv putenv".split_whitespace()
    {
        assert!(policy.attributes.denied.contains(name), "{name}");
    }
}

#[test]
fn an_extending_file_adds_and_takes_away() {
    let policy = extended(
        r#"
        blocked_modules.json = "not here"
        denied_names.sorted = "no order"
        denied_names.dir = "no"
        names.allowed = ["vars"]
        attributes.denied = ["to_dict", "_asdict"]
        attributes.allowed = ["gen", "ssl"]
        call_keywords.httpx.verify = ["True", "1"]
        [modules.numpy]
        names = ["array"]
        [modules."scipy.stats"]
        denied = ["kde"]
        [modules.math]
        names = ["signbit"]
        denied = ["pi"]
        "#,
    );
    // A package is blocked with all that is in it.
    assert!(!policy.allows("json") && !policy.allows("json.decoder"));
    assert!(!policy.is_module("json"));
    assert_eq!(policy.instead_of("json.decoder"), Some("not here"));
    assert!(policy.allows("orjson") && policy.allows("re"));
    assert_eq!(policy.denied_names["dir"], "no");
    assert!(policy.denied_names.contains_key("sorted") && policy.denied_names.contains_key("eval"));
    assert!(!policy.denied_names.contains_key("vars"));
    assert!(!policy.attributes.private_readable.contains("_asdict"));
    assert!(policy.attributes.denied.contains("to_dict"));
    assert!(!policy.attributes.denied.contains("gen"));
    assert!(!policy.attributes.modules.contains("ssl"));
    assert_eq!(policy.call_keywords["httpx"]["verify"], ["True", "1"]);
    assert_eq!(policy.call_keywords["httpx"]["cert"], ["None"]);
    assert!(policy.offers("numpy", "array") && !policy.offers("numpy", "load"));
    assert_eq!(policy.instead_of("numpy"), None);
    assert!(policy.is_module("scipy") && !policy.allows("scipy"));
    assert!(policy.offers("scipy.stats", "norm"));
    for name in ["kde", "_stats", "os", "environ", "gi_frame"] {
        assert!(!policy.offers("scipy.stats", name), "{name}");
    }
    assert!(policy.offers("math", "signbit") && policy.offers("math", "tau"));
    assert!(!policy.offers("math", "pi") && policy.denies("math", "pi"));
}

#[test]
fn a_module_that_goes_takes_its_keywords_along() {
    let policy = extended("blocked_modules.httpx = \"no requests\"");
    assert!(!policy.allows("httpx") && policy.call_keywords.is_empty());
}

#[test]
fn a_file_that_extends_nothing_is_all_there_is() {
    let text = format!(
        "{}\n",
        BUILT_IN.replace("[modules.random]", "[modules.chance]")
    );
    let policy = Policy::parse(&text, Some(&built_in())).unwrap();
    assert!(policy.allows("chance") && !policy.allows("random"));
}

/// What a policy of its own forgets it would permit.
#[test]
fn a_policy_of_its_own_says_everything() {
    let text = complaints("[modules.json]\nnames = [\"loads\"]\n[attributes]\ndenied = []\n");
    insta::assert_snapshot!(text, @r#"
    1:1: the policy has no `denied_names`
      hint: write it, or begin with `extends = "built-in"` to change the built-in policy
    1:1: the policy has no `names`
      hint: write it, or begin with `extends = "built-in"` to change the built-in policy
    1:1: the policy has no `denied_decorators`
      hint: write it, or begin with `extends = "built-in"` to change the built-in policy
    1:1: the policy has no `denied_bases`
      hint: write it, or begin with `extends = "built-in"` to change the built-in policy
    1:1: the policy has no `call_keywords`
      hint: write it, or begin with `extends = "built-in"` to change the built-in policy
    3:2: `attributes` has no `dunder_readable`, `dunder_assignable`, `dunder_keywords`, `class_hooks`, `operators`, `private_readable`, `internals`, `internal_prefixes`, `of_event_loops`, `modules`
      hint: write it, or begin with `extends = "built-in"` to change the built-in policy
    "#);
}

#[test]
fn what_is_no_toml_has_a_place() {
    insta::assert_snapshot!(complaints("extends = \"built-in\"\n[modules.json\n"), @r#"
    2:14: this is not TOML: unclosed table, expected `]`
    "#);
}

#[test]
fn unknown_keys_are_told_with_the_nearest_valid_one() {
    let text = complaints(
        "extends = \"builtin\"\nblocked_module = {}\n[modules.random]\ndeny = []\n\
         [attributes]\nprivate = []\n[modules.urllib.request]\nnames = []\n\
         [blocked_modules]\nurllib.error = \"no\"\n[names]\ncolour = []\n",
    );
    insta::assert_snapshot!(text, @r#"
    1:11: there is no policy `builtin` to extend
      hint: write `extends = "built-in"`, or leave it out
    2:1: the policy has no key `blocked_module`
      hint: did you mean `blocked_modules`?
    4:1: the module `random` has no key `deny`
      hint: valid keys are names, denied
    6:1: `attributes` has no key `private`
      hint: valid keys are dunder_readable, dunder_assignable, dunder_keywords, class_hooks, operators, private_readable, internals, internal_prefixes, denied, of_event_loops, modules, allowed
    7:17: the module `urllib` has no key `request`
      hint: for a module `urllib.request` write `[modules."urllib.request"]`
    10:1: `urllib` of `blocked_modules` must be a message, found a table
      hint: a dotted name stands in quotes, as in `"a.b" = "…"`
    12:1: `names` has no key `colour`
      hint: valid keys are readable, assignable, allowed
    "#);
}

#[test]
fn types_are_told() {
    let text = complaints(
        "extends = true\ndenied_names = []\n[modules]\nrandom = 1\n[modules.math]\nnames = \"pi\"\n\
         denied = [1, \"e\", \"e\"]\n[call_keywords]\nhttpx = {verify = true}\n",
    );
    insta::assert_snapshot!(text, @r#"
    1:11: `extends` must be a text in quotes, found a boolean
    2:16: `denied_names` must be a table, found a list
    4:10: the module `random` must be a table, found a number
    6:9: `names` of the module `math` must be a list of texts, found a text
    7:11: an item of `denied` of the module `math` must be a text in quotes, found a number
    7:19: `denied` of the module `math` has `e` twice
      hint: remove one of them
    9:19: the list of literals for `verify` must be a list of texts, found a boolean
    "#);
}

/// Each line of a file that extends the built-in policy, and what is said of it.
#[test]
fn rules_that_are_impossible_are_errors() {
    let lines = [
        r#"denied_names.evall = "no""#,
        r#"denied_names.lambda = "no""#,
        r#"denied_names."os.system" = "no""#,
        r#"denied_names."ｅval" = "no""#,
        r#"denied_names.print = " ""#,
        r#"denied_names.print = "a\u001b[2J""#,
        r#"denied_names.__name__ = "no"
names.readable = ["__name__"]"#,
        r#"names.allowed = ["print"]"#,
        r#"names.allowed = ["evall"]"#,
        r#"names.assignable = ["all"]"#,
        r#"attributes.allowed = ["environn"]"#,
        r#"attributes.allowed = ["gen"]
attributes.denied = ["gen"]"#,
        r#"attributes.denied = ["a.b"]"#,
        r#"attributes.denied = ["__mro__"]"#,
        r#"attributes.denied = ["_secret"]"#,
        r#"attributes.dunder_readable = ["name"]"#,
        r#"attributes.dunder_readable = ["__code__"]
attributes.internals = ["__code__"]"#,
        r#"attributes.internals = ["_asdict"]"#,
        r#"attributes.private_readable = ["name"]"#,
        r#"attributes.modules = ["_asdict"]"#,
        r#"attributes.internal_prefixes = [""]"#,
        r#"denied_decorators."functools.singledispach" = "no""#,
        r#"denied_decorators.propety = "no""#,
        r#"denied_decorators."a b" = "no""#,
        r#"blocked_modules."a-b" = "no""#,
        r#"blocked_modules.htpx = "no""#,
        r#"blocked_modules.HTTPX = "no""#,
        r#"blocked_modules."httpx.Client" = "no""#,
        r#"denied_bases.HTMLParser = "no""#,
        r#"blocked_modules.json = "no"
modules.json.names = ["loads"]"#,
        r#"blocked_modules."bookshop.functions" = "no""#,
        r#"modules."bookshop.functions".denied = ["place_order"]"#,
        r"modules.numpy = {}",
        r"modules.numpy.names = []",
        r#"modules._socket.names = ["x"]"#,
        r#"modules."numpy._core".names = ["x"]"#,
        r#"modules."a-b".names = ["x"]"#,
        r#"modules.numpy.names = ["_x", "linalg.norm", "io", "if"]"#,
        r#"modules.random = {names = ["seed"], denied = ["seed"]}"#,
        r#"modules.random.denied = ["sed"]"#,
        r#"modules.numpy = {names = ["array"], denied = ["load"]}"#,
        r#"modules.numpy.denied = ["_x", "os"]"#,
        r#"modules = {numpy.denied = ["linalg"], "numpy.linalg".denied = []}"#,
        r#"call_keywords.http = {verify = ["True"], "a b" = []}"#,
        r#"call_keywords.httpy.verify = ["True"]"#,
        r#"call_keywords."urllib.parse".safe = ["''"]"#,
        r#"call_keywords.httpx.verify = ["true", "1 +", "-1", "(1, 'a')"]"#,
    ];
    let said: Vec<String> = lines
        .iter()
        .map(|line| {
            let text = format!("extends = \"built-in\"\n{line}\n");
            format!("{line}\n{}\n", complaints(&text))
        })
        .collect();
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn an_error_lists_twenty_and_counts_the_rest() {
    let names: Vec<String> = (0..23).map(|n| format!("\"a.{n}\"")).collect();
    let error = complaints(&format!(
        "extends = \"built-in\"\nattributes.denied = [{}]\n",
        names.join(", ")
    ));
    assert!(error.ends_with("\nand 3 more"), "{error}");
}

proptest::proptest! {
    /// Whatever a file holds, it is a policy or an error with a place.
    #[test]
    fn any_text_is_a_policy_or_an_error(
        pieces in proptest::collection::vec(
            proptest::sample::select(vec![
                "extends", "=", "\"built-in\"", "\n", "[", "]", "{", "}", ".", "modules", "names",
                "denied", "allowed", "attributes", "internals", "call_keywords", "httpx", "\"\"",
                "blocked_modules", "denied_names", "denied_decorators", "\"a.b\"", "\"_x\"", "\"é\"",
                "\"__x__\"", "\"random\"", "\"\\u0000\"", ",", "1", "é", "\u{feff}", "\r\n", "'",
                "\n[modules.random]\n", "names = [\"seed\"]\n", "denied = [\"seed\"]\n", "#",
            ]),
            0..24,
        )
    ) {
        let text = pieces.concat();
        if let Err(error) = Policy::parse(&text, Some(&Policy::default())) {
            proptest::prop_assert!(!error.complaints().is_empty());
            for complaint in error.complaints() {
                let lines = text.split('\n').count();
                proptest::prop_assert!((1..=lines).contains(&complaint.line), "{complaint}");
            }
        }
    }
}
