//! Code and calls, as far as they need no engine.

use std::fs;

use crate::seen::snapshot;
use crate::shop::{CONFIG, shop};

#[test]
fn an_engine_that_does_not_run_is_said_with_what_to_do() {
    let folder = shop().compiled();
    folder.write("code.py", "result = 6 * 7\n");
    let in_containers = |arguments: &[&str]| {
        let mut command = folder.command(arguments);
        command.env("MCE_SANDBOX", "docker");
        command
    };
    snapshot!(folder, in_containers(&["exec", "code.py"]));
    snapshot!(folder, in_containers(&["sandbox", "status"]));
    snapshot!(folder, in_containers(&["demo"]));
}

#[test]
fn code_beyond_the_limit_is_refused() {
    let folder = shop().compiled();
    folder.write("code.py", &format!("{}\nresult = 1\n", "#".repeat(65_536)));
    snapshot!(folder, folder.command(&["exec", "code.py"]));
    snapshot!(folder, folder.command(&["guard", "code.py"]));
}

#[test]
fn code_that_is_missing_or_no_text_is_said() {
    let folder = shop().compiled();
    snapshot!(folder, folder.command(&["exec", "nowhere.py"]));
    fs::write(folder.path().join("latin.py"), b"name = '\xe9'\n").unwrap();
    snapshot!(folder, folder.command(&["exec", "latin.py"]));
}

#[test]
fn changed_output_is_not_served() {
    let folder = shop().compiled();
    let functions = folder.path().join("compiled/shop/functions.py");
    let text = fs::read_to_string(&functions).unwrap();
    fs::write(&functions, text.replace("/items", "/admin")).unwrap();
    snapshot!(folder, folder.command(&["call", "shop.list_items"]));
}

#[test]
fn a_changed_manifest_is_not_served() {
    let folder = shop().compiled();
    let manifest = folder.path().join("compiled/shop/manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("\"list_items\"", "\"list_others\"")).unwrap();
    snapshot!(folder, folder.command(&["call", "shop.list_others"]));
    fs::write(&manifest, "{").unwrap();
    snapshot!(folder, folder.command(&["call", "shop.list_items"]));
}

#[test]
fn a_call_is_checked_before_it_leaves() {
    let folder = shop().compiled();
    snapshot!(
        folder,
        folder.command(&["call", "shop.list_items", "limit=many"])
    );
    snapshot!(
        folder,
        folder.command(&["call", "shop.list_items", "page=2"])
    );
    snapshot!(folder, folder.command(&["call", "shop.add_item"]));
    snapshot!(folder, folder.command(&["call", "nowhere.list_items"]));
    snapshot!(folder, folder.command(&["call", "list_items"]));
}

#[test]
fn guard_judges_by_file_line_and_column() {
    let folder = shop().compiled();
    folder.write(
        "good.py",
        "from shop.functions import list_items\nresult = list_items()\n",
    );
    folder.write("bad.py", "import os\nresult = os.environ\n");
    snapshot!(folder, folder.command(&["guard", "good.py", "bad.py"]));
    snapshot!(folder, folder.command(&["guard", "good.py"]));
    snapshot!(folder, folder.command(&["guard", "nowhere.py"]));

    let done = folder
        .command(&["guard", "--format", "json", "good.py", "bad.py"])
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(1));
    let verdicts: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(verdicts[0]["file"], "good.py");
    assert_eq!(verdicts[0]["ok"], true);
    assert_eq!(verdicts[0]["violations"], serde_json::json!([]));
    assert_eq!(verdicts[1]["ok"], false);
    assert_eq!(verdicts[1]["violations"][0]["line"], 1);
}

#[test]
fn guard_needs_but_names_of_a_manifest_whatever_the_config() {
    let folder = shop();
    folder.write("swaggers.yaml", "this is: [no config");
    fs::create_dir_all(folder.path().join("stubs/crm")).unwrap();
    folder.write(
        "stubs/crm/manifest.json",
        r#"{"server": "crm", "functions": [{"name": "list_leads"}]}"#,
    );
    folder.write(
        "code.py",
        "from crm.functions import list_leads\nresult = list_leads()\n",
    );
    let mut command = folder.command(&["guard", "code.py"]);
    let done = command
        .env("MCE_COMPILED_OUTPUT_DIR", "stubs")
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(0), "{done:?}");
}

#[test]
fn guard_takes_no_names_from_a_manifest_that_compile_never_gives() {
    let folder = shop();
    folder.write("code.py", "result = 1\n");
    for (first, second, wanted) in [
        (
            "crm",
            r#"{"server": "crm", "functions": [{"name": "__builtins__"}]}"#,
            "no name of a function",
        ),
        (
            "crm",
            r#"{"server": "crm", "functions": [{"name": "A.b"}]}"#,
            "no name of a function",
        ),
        (
            "other",
            r#"{"server": "crm", "functions": []}"#,
            "another manifest of server `crm`",
        ),
    ] {
        let stubs = folder.path().join("stubs");
        let _ = fs::remove_dir_all(&stubs);
        fs::create_dir_all(stubs.join("crm")).unwrap();
        fs::create_dir_all(stubs.join(first)).unwrap();
        folder.write(
            "stubs/crm/manifest.json",
            r#"{"server": "crm", "functions": []}"#,
        );
        folder.write(&format!("stubs/{first}/manifest.json"), second);
        let mut command = folder.command(&["guard", "code.py"]);
        let done = command
            .env("MCE_COMPILED_OUTPUT_DIR", "stubs")
            .output()
            .unwrap();
        assert_eq!(done.status.code(), Some(2), "{second}");
        let said = String::from_utf8(done.stderr).unwrap();
        assert!(said.contains(wanted), "{said}");
    }
}

#[test]
fn a_variable_that_only_the_env_file_sets_reaches_the_config_and_no_message() {
    let folder = shop().compiled();
    folder.write(
        "swaggers.yaml",
        &format!("{CONFIG}    base_url: http://127.0.0.1:9\n    auth: {{type: jwt, token: '${{TOKEN_OF_SHOP}}'}}\n"),
    );
    folder.write("secrets.env", "TOKEN_OF_SHOP=canary-31d4aa9e\n");
    let call = ["call", "shop.list_items"];
    let unset = folder.command(&call).output().unwrap();
    let unset = String::from_utf8(unset.stdout).unwrap();
    assert!(unset.contains("TOKEN_OF_SHOP"), "{unset}");
    let set = folder
        .command(&[&["--env-file", "secrets.env"], &call[..]].concat())
        .output()
        .unwrap();
    let text = format!(
        "{}{}",
        String::from_utf8(set.stdout).unwrap(),
        String::from_utf8(set.stderr).unwrap()
    );
    assert!(text.contains("\"network\""), "{text}");
    assert!(!text.contains("canary-31d4aa9e"), "{text}");
}
