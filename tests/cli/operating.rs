//! `mce audit` and `mce doctor`, without an engine.

use std::fs;

use serde_json::Value;

use crate::folder::{Folder, has};
use crate::shop::{DOCUMENT, shop};

/// A project in which one call was refused: the engine is not there, the API neither.
fn used() -> Folder {
    let folder = shop().compiled();
    folder.write(
        "swaggers.yaml",
        &folder.read("swaggers.yaml").replace(
            "    is_read_only",
            "    base_url: http://127.0.0.1:1\n    is_read_only",
        ),
    );
    folder.mce(&["call", "shop.list_items"]);
    folder.write("bad.py", "import os\n");
    folder.mce(&["exec", "bad.py"]);
    folder
}

#[test]
fn executions_are_listed_filtered_and_told() {
    let folder = used();
    let (code, all) = folder.json(&["audit", "--json"]);
    assert_eq!(code, 0);
    let all = all.as_array().unwrap();
    let outcomes: Vec<_> = all
        .iter()
        .map(|it| it["outcome"].as_str().unwrap())
        .collect();
    assert_eq!(outcomes, ["security", "api"]);
    assert_eq!(all[0]["verdict"], "refused");
    assert_eq!(all[1]["principal"], "local");
    let (_, refused) = folder.json(&["audit", "--refused", "--since", "1h", "--format", "json"]);
    assert_eq!(refused.as_array().unwrap().len(), 1);
    for arguments in [
        ["audit", "--function", "shop.list_items"],
        ["audit", "--outcome", "api"],
        ["audit", "--server", "shop"],
    ] {
        let seen = folder.mce(&arguments);
        assert_eq!(seen.stdout.lines().count(), 2, "{}", seen.stdout);
        has(&seen.stdout, all[1]["id"].as_str().unwrap());
    }
    let id = all[0]["id"].as_str().unwrap();
    let seen = folder.mce(&["audit", "--execution", &id[..8]]);
    has(&seen.stdout, "guard: import-blocked at line 1");
    let seen = folder.mce(&["audit", "--execution", "zz"]);
    assert_eq!(seen.code, 1);
    has(&seen.stderr, "the audit has no execution `zz`");
    let seen = folder.mce(&["audit", "--principal", "nobody"]);
    assert_eq!(
        (seen.code, seen.stdout.as_str()),
        (0, "no such execution\n")
    );
}

#[test]
fn where_nothing_ran_that_is_said_and_nothing_is_made() {
    let folder = shop();
    let before = folder.everything();
    let seen = folder.mce(&["audit"]);
    assert_eq!(seen.code, 1);
    has(&seen.stderr, "nothing was run here yet");
    let seen = folder.mce(&["audit", "--since", "yesterday"]);
    assert_eq!(seen.code, 2);
    has(&seen.stderr, "expected a length of time such as `2h`");
    assert_eq!(folder.everything(), before);
}

/// Names that code chose must not steer a terminal, nor look like lines of their own.
#[test]
fn what_code_chose_is_shown_harmless() {
    let folder = used();
    let database = rusqlite::Connection::open(folder.path().join("data/audit.db")).unwrap();
    database
        .execute(
            "UPDATE calls SET function = ?1",
            ["x\u{1b}[2J\n  forged  line\u{202e}"],
        )
        .unwrap();
    let id: String = database
        .query_row("SELECT execution_id FROM calls", (), |row| row.get(0))
        .unwrap();
    let seen = folder.mce(&["audit", "--execution", &id]);
    assert!(!seen.stdout.contains('\u{1b}'), "{}", seen.stdout);
    assert!(!seen.stdout.contains('\u{202e}'), "{}", seen.stdout);
    assert!(!seen.stdout.contains("\n  forged"), "{}", seen.stdout);
    has(&seen.stdout, r"x\u{1b}[2J; forged  line\u{202e}");
}

#[test]
fn lines_are_written_beside_the_database() {
    let folder = shop().compiled();
    let mut command = folder.command(&["call", "shop.list_items"]);
    command
        .env("MCE_AUDIT_LOG", "audit.jsonl")
        .output()
        .unwrap();
    let text = folder.read("audit.jsonl");
    let events: Vec<String> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|line| line["event"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(events.first().unwrap(), "began", "{text}");
    assert_eq!(events.last().unwrap(), "ended", "{text}");
    let seen = folder.command(&["call", "shop.list_items"]);
    let mut seen = seen;
    let done = seen.env("MCE_AUDIT_LOG", "-").output().unwrap();
    has(
        &String::from_utf8_lossy(&done.stderr),
        "\"event\":\"ended\"",
    );
    // A log that was asked for and cannot be written stops the command.
    let mut command = folder.command(&["call", "shop.list_items"]);
    let done = command.env("MCE_AUDIT_LOG", "compiled").output().unwrap();
    assert_eq!(done.status.code(), Some(1));
    has(&String::from_utf8_lossy(&done.stderr), "MCE_AUDIT_LOG");
}

fn findings(value: &Value, check: &str) -> Vec<(String, String)> {
    let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
    let findings = value["findings"].as_array().unwrap().iter();
    let findings = findings.filter(|it| it["check"] == check);
    findings
        .map(|it| {
            let found = format!("{} -> {}", text(&it["found"]), text(&it["advice"]));
            (text(&it["state"]), found)
        })
        .collect()
}

#[test]
fn the_doctor_says_what_is_wrong_and_what_to_do_and_changes_nothing() {
    let folder = shop().compiled();
    let before = folder.everything();
    let (code, value) = folder.json(&["doctor", "--json", "--no-engine"]);
    assert_eq!((code, &value["ok"]), (0, &Value::from(true)), "{value}");
    assert_eq!(findings(&value, "compiled")[0].0, "ok");
    assert_eq!(findings(&value, "up to date")[0].0, "ok");
    let (code, value) = folder.json(&["doctor", "--json"]);
    assert_eq!(code, 0, "workers do for an engine: {value}");
    assert_eq!(findings(&value, "engine")[0].0, "warning");
    let isolation = findings(&value, "isolation");
    assert_eq!(isolation[0].0, "ok");
    has(&isolation[0].1, "worker");
    let mut command = folder.command(&["doctor", "--json"]);
    let done = command.env("MCE_SANDBOX", "docker").output().unwrap();
    assert_eq!(done.status.code(), Some(1), "there is no engine");
    let value: Value = serde_json::from_slice(&done.stdout).unwrap();
    let engine = findings(&value, "engine");
    assert_eq!(engine[0].0, "problem");
    has(&engine[0].1, "-> start Docker or Podman");
    assert_eq!(findings(&value, "isolation")[0].0, "skipped");
    assert_eq!(folder.everything(), before);
}

#[test]
fn the_doctor_finds_what_was_changed_what_is_stale_and_what_is_missing() {
    let folder = shop().compiled();
    folder.change(
        "compiled/shop/functions.py",
        "def list_items",
        "def  list_items",
    );
    folder.change(
        "shop.yaml",
        "operationId: listItems",
        "operationId: allItems",
    );
    folder.write(
        "swaggers.yaml",
        "servers:\n  - {name: shop, swagger_url: shop.yaml, is_read_only: true, auth: {type: jwt, \
         token: '${TOKEN}'}}\n",
    );
    fs::create_dir_all(folder.path().join("data")).unwrap();
    folder.write("data/audit.db", "no database\n");
    let mut command = folder.command(&["doctor", "--json", "--no-engine"]);
    let done = command
        .env("MCE_LINT_ENABLED", "true")
        .env("MCE_USER_TOOLS", "true")
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(1));
    let value: Value = serde_json::from_slice(&done.stdout).unwrap();
    for (check, state, wanted) in [
        (
            "compiled",
            "problem",
            "is not the file that its manifest was compiled with",
        ),
        (
            "up to date",
            "problem",
            "-> see `mce diff`, then run `mce compile`",
        ),
        (
            "credentials",
            "problem",
            "the variable `TOKEN` is not set -> set `TOKEN`",
        ),
        ("audit", "problem", "audit.db` cannot be used"),
        ("ruff", "problem", "-> install ruff"),
        ("config", "warning", "`MCE_USER_TOOLS` has no effect"),
    ] {
        let found = findings(&value, check);
        let fits = |it: &(String, String)| it.0 == state && it.1.contains(wanted);
        assert!(found.iter().any(fits), "{check}: {found:?}");
    }
}

#[test]
fn the_doctor_looks_at_results_and_at_who_may_come_over_http() {
    let folder = shop().compiled();
    let look = |pairs: &[(&str, &str)]| {
        let mut command = folder.command(&["doctor", "--json", "--no-engine"]);
        command.envs(pairs.iter().copied());
        let value: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
        let of = |check| findings(&value, check).remove(0);
        (of("results"), of("http"))
    };
    let (results, http) = look(&[]);
    assert_eq!((results.0.as_str(), http.0.as_str()), ("ok", "ok"));
    folder.write("data/results.db", "no database at all\n");
    let (results, http) = look(&[("MCE_HOST", "0.0.0.0")]);
    assert_eq!(results.0, "problem");
    let wanted = "results.db` cannot be used: file is not a database -> move it away";
    has(&results.1, wanted);
    assert_eq!(http.0, "problem");
    has(&http.1, "no token is set -> set `MCE_HTTP_TOKEN`");
    let token = ("MCE_HTTP_TOKEN", "0123456789abcdef");
    let (_, http) = look(&[("MCE_HOST", "0.0.0.0"), token]);
    assert_eq!(http.0, "ok");
    let file = ("MCE_HTTP_TOKENS_FILE", "tokens.toml");
    let (_, http) = look(&[file]);
    assert_eq!(http.0, "problem");
    has(&http.1, "the tokens file `tokens.toml` cannot be read");
    // Neither may the token without a name have one.
    let digest = hex::encode(<sha2::Sha256 as sha2::Digest>::digest(token.1));
    folder.write(
        "tokens.toml",
        &format!("[[token]]\nname = \"ada\"\nsha256 = \"{digest}\"\nservers = [\"shop\"]\n"),
    );
    assert_eq!(look(&[file]).1.0, "ok");
    let (_, http) = look(&[file, token]);
    assert_eq!(http.0, "problem");
    has(&http.1, "has as `ada` the token of `MCE_HTTP_TOKEN`");
    let mut command = folder.command(&["serve", "--transport", "http", "--port", "0"]);
    let done = command.envs([file, token]).output().unwrap();
    assert_eq!(done.status.code(), Some(1));
    has(&String::from_utf8_lossy(&done.stderr), "has as `ada`");
    // One for a server that does not exist.
    folder.change("tokens.toml", "[\"shop\"]", "[\"shopp\"]");
    let mut command = folder.command(&["doctor", "--json", "--no-engine"]);
    let done = command.envs([file]).output().unwrap();
    let value: Value = serde_json::from_slice(&done.stdout).unwrap();
    let told = findings(&value, "http").remove(1);
    let unknown = "the token `ada` is for servers that do not exist: `shopp` (there is `shop`)";
    assert_eq!(told.0, "warning");
    assert_eq!(
        told.1,
        format!("{unknown} -> put its entry in the tokens file right")
    );
    let mut command = folder.command(&["serve", "--transport", "http", "--port", "0"]);
    let done = command.envs([file, ("MCE_LOG_LEVEL", "warn")]).output();
    has(&String::from_utf8_lossy(&done.unwrap().stderr), unknown);
    // A message must not repeat it, however short it is.
    let mut command = folder.command(&["doctor", "--no-engine"]);
    let done = command.env("MCE_HTTP_TOKEN", "canary").output().unwrap();
    let text = String::from_utf8_lossy(&done.stdout);
    has(&text, "PROBLEM  settings  MCE_HTTP_TOKEN");
    assert!(!text.contains("canary"), "{text}");
}

/// `serve` warned and `call` refused where the doctor found nothing wrong.
#[test]
fn the_doctor_says_whose_calls_can_go_nowhere() {
    let folder = shop();
    let look = |servers: &str, entry: &str, pairs: &[(&str, &str)]| {
        folder.write(
            "shop.yaml",
            &DOCUMENT.replace("servers: [{url: https://shop.example/v1}]", servers),
        );
        let config = format!("servers:\n  - {{name: shop, swagger_url: shop.yaml{entry}}}\n");
        folder.write("swaggers.yaml", &config);
        let seen = folder.mce(&["compile", "--accept-origin"]);
        assert_eq!(seen.code, 0, "{}", seen.stderr);
        let mut command = folder.command(&["doctor", "--json", "--no-engine"]);
        command.envs(pairs.iter().copied());
        let done = command.output().unwrap();
        let value: Value = serde_json::from_slice(&done.stdout).unwrap();
        let found = findings(&value, "base URL");
        assert_eq!(found.len(), 1, "{value}");
        let (state, text) = found.into_iter().next().unwrap();
        assert_eq!(state == "problem", done.status.code() == Some(1), "{value}");
        (state, text, value)
    };
    let public = "servers: [{url: https://shop.example/v1}]";
    let here = "servers: [{url: 'http://127.0.0.1:8000'}]";
    let by_name = "servers: [{url: 'http://localhost:8000'}]";
    let domains = [("MCE_ALLOWED_DOMAINS", "api.example")];
    for (servers, entry, pairs, found, advice) in [
        (
            here,
            "",
            &[][..],
            "server `shop`: the document's server `http://127.0.0.1:8000` is a private address",
            "to allow it add `base_url: http://127.0.0.1:8000` to `shop` in swaggers.yaml",
        ),
        (
            by_name,
            "",
            &[],
            "server `shop`: `localhost` leads to an address that is not of the internet",
            "set `allow_private_network: true` for this server",
        ),
        (
            public,
            ", base_url: '${SHOP_URL}'",
            &[],
            "the variable `SHOP_URL` is not set",
            "set `SHOP_URL`",
        ),
        (
            "",
            "",
            &[],
            "server `shop` has no base URL",
            "set `MCE_SHOP_BASE_URL` or `base_url` in the config",
        ),
        (
            public,
            "",
            &domains,
            "leads to `shop.example`, which `MCE_ALLOWED_DOMAINS` does not hold",
            "add `shop.example` to it",
        ),
    ] {
        let (state, text, _) = look(servers, entry, pairs);
        assert_eq!(state, "problem", "{text}");
        let (before, after) = text.split_once(" -> ").unwrap();
        has(before, found);
        assert!(after.starts_with(advice), "{after}");
    }
    for (servers, entry, pairs) in [
        (public, "", &[][..]),
        (here, ", base_url: 'http://127.0.0.1:8000'", &[]),
        (by_name, ", allow_private_network: true", &[]),
        ("", "", &[("MCE_SHOP_BASE_URL", "https://shop.example")]),
    ] {
        let (state, text, _) = look(servers, entry, pairs);
        assert_eq!(state, "ok", "{text}");
        has(&text, "calls of 1 server go to 1 origin");
    }
    let (_, _, value) = look(
        "servers: [{url: 'http://shop.example'}]",
        "",
        &[("MCE_SHOP_AUTH", "Bearer canary-canary")],
    );
    let (state, text) = findings(&value, "credentials").remove(0);
    assert_eq!(state, "warning");
    assert_eq!(
        text,
        "server `shop`: credentials go to `shop.example` unencrypted -> use `https://`"
    );
}

/// Any database passed for that of results, however damaged.
#[test]
fn the_doctor_looks_at_all_databases_alike() {
    let folder = shop().compiled();
    fs::create_dir_all(folder.path().join("data")).unwrap();
    for (check, file, setting) in [
        ("audit", "audit.db", "MCE_AUDIT_DB_PATH"),
        ("cache", "cache.db", "MCE_CACHE_DB_PATH"),
        ("results", "results.db", "MCE_RESULTS_DB_PATH"),
    ] {
        let path = folder.path().join("data").join(file);
        let other = rusqlite::Connection::open(&path).unwrap();
        other.execute("CREATE TABLE other (n INTEGER)", ()).unwrap();
        drop(other);
        let (_, value) = folder.json(&["doctor", "--json", "--no-engine"]);
        let found = findings(&value, check).remove(0);
        assert_eq!(found.0, "problem", "{value}");
        has(&found.1, "it holds what `mce` did not make for this");
        has(&found.1, &format!("-> move it away or set `{setting}`"));
        let mut command = folder.command(&["doctor", "--json", "--no-engine"]);
        let done = command.env(setting, ":memory:").output().unwrap();
        let value: Value = serde_json::from_slice(&done.stdout).unwrap();
        let found = findings(&value, check).remove(0);
        assert_eq!(found, ("ok".to_owned(), "in memory -> ".to_owned()));
    }
}

/// In a container only what was compiled is mounted.
#[test]
fn the_doctor_needs_no_document_where_what_was_compiled_is_sound() {
    let folder = shop().compiled();
    fs::remove_file(folder.path().join("shop.yaml")).unwrap();
    let (code, value) = folder.json(&["doctor", "--json", "--no-engine"]);
    let found = findings(&value, "up to date");
    assert_eq!((code, found[0].0.as_str()), (0, "skipped"), "{value}");
    has(&found[0].1, "shop.yaml` is not here");
    folder.change("compiled/shop/functions.py", "def ", "def  ");
    let (code, value) = folder.json(&["doctor", "--json", "--no-engine"]);
    assert_eq!(code, 1);
    assert_eq!(findings(&value, "up to date")[0].0, "problem", "{value}");
}

#[test]
fn a_token_is_made_only_for_servers_that_there_can_be() {
    let folder = Folder::new(&[]);
    let seen = folder.mce(&["token", "new", "ada", "--server", "shop"]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    has(&seen.stdout, "servers = [\"shop\"]");
    let seen = folder.mce(&["token", "new", "ada", "--server", "a\u{202e}"]);
    assert_eq!((seen.code, seen.stdout.as_str()), (2, ""));
    has(&seen.stderr, "a name that no server has");
}

#[test]
fn the_doctor_works_where_settings_or_config_are_broken_or_nothing_is_there() {
    let empty = Folder::new(&[]);
    let (code, value) = empty.json(&["doctor", "--json", "--no-engine"]);
    assert_eq!(code, 1);
    has(&findings(&value, "config")[0].1, "mce init");
    has(&findings(&value, "compiled")[0].1, "mce compile");
    let broken = Folder::new(&[("swaggers.yaml", "servers: 1\n")]);
    let (code, value) = broken.json(&["doctor", "--json", "--no-engine"]);
    assert_eq!(code, 1);
    assert_eq!(findings(&value, "config")[0].0, "problem");
    let mut command = broken.command(&["doctor"]);
    let done = command.env("MCE_SANDBOX_MEMORY", "lots").output().unwrap();
    assert_eq!(done.status.code(), Some(1));
    has(
        &String::from_utf8_lossy(&done.stdout),
        "PROBLEM  settings  MCE_SANDBOX_MEMORY",
    );
}
