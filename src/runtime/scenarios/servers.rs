//! Which servers and functions there are, and calls without code.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::USES_PETS;
use crate::runtime::fixture::{Fixture, code, returned};
use crate::runtime::*;
use crate::wire::Arguments;

#[tokio::test]
async fn without_a_sandbox_discovery_works_and_executions_tell_the_finding() {
    let fixture = Fixture::new();
    let provider = SandboxProvider::new(|| {
        std::future::ready(Err(Finding {
            message: "no engine answers".to_owned(),
            hint: Some("start it".to_owned()),
        }))
    });
    let runtime = fixture.runtime_with(provider, Switches::default());
    let result = runtime.execute(code("1")).await;
    assert_eq!(result.error_type, Some(ErrorType::Sandbox));
    assert_eq!(result.error.as_deref(), Some("no engine answers"));
    assert_eq!(result.hint.as_deref(), Some("start it"));
    assert_eq!(runtime.list_servers(None).await.unwrap().servers.len(), 1);
}

#[tokio::test]
async fn tampered_servers_are_refused_and_the_others_go_on() {
    let fixture = Fixture::new();
    for server in ["text", "hash", "list", "version", "writes"] {
        fixture.compile(server, &[("get_it", "GET")]);
    }
    let text = fixture.server_folder("text").join("functions.py");
    let changed = std::fs::read_to_string(&text)
        .unwrap()
        .replace("Does", "Doesn't");
    std::fs::write(&text, changed).unwrap();
    fixture.tamper("hash", |manifest| {
        manifest["outputs"]["functions.py"] = json!("00");
    });
    fixture.tamper("list", |manifest| {
        manifest["functions"][0]["name"] = json!("get_other");
    });
    fixture.tamper("version", |manifest| {
        manifest["manifest_version"] = json!(2);
    });
    fixture.compile("writes", &[("drop_it", "DELETE")]);
    fixture.tamper("writes", |manifest| manifest["read_only"] = json!(true));

    let (runtime, sandbox) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let page = runtime.list_servers(None).await.unwrap();
    let served: Vec<_> = page.servers.iter().map(|server| &server.name).collect();
    assert_eq!(served, ["pets"]);
    let refused: Vec<_> = page
        .refused
        .iter()
        .map(|server| server.name.as_str())
        .collect();
    assert_eq!(refused, ["hash", "list", "text", "version", "writes"]);
    for server in &page.refused {
        assert!(server.reason.contains("mce compile"), "{server:?}");
    }

    let result = runtime
        .execute(code(
            "from writes.functions import drop_it\ndrop_it(pet_id=1)",
        ))
        .await;
    assert_eq!(result.error_type, Some(ErrorType::Security));
    assert!(result.error.unwrap().contains("`writes` is refused"));
    assert!(sandbox.jobs.lock().unwrap().is_empty());
    assert!(runtime.execute(code(USES_PETS)).await.success);

    // Compiling again mends it without a restart.
    fixture.compile("text", &[("get_it", "GET")]);
    assert_eq!(runtime.list_servers(None).await.unwrap().servers.len(), 2);
}

#[tokio::test]
async fn only_servers_of_the_config_are_served() {
    let mut fixture = Fixture::new();
    fixture.compile("extra", &[("get_it", "GET")]);
    fixture.config = Some(Config {
        servers: ["pets", "absent"]
            .map(|name| ServerConfig {
                name: name.to_owned(),
                is_read_only: true,
                ..ServerConfig::default()
            })
            .to_vec(),
        ..Config::default()
    });
    let mut settings = Settings::clone(&fixture.settings());
    let names = |settings: &Settings, config| {
        let registry = registry::Registry::find(settings, config, load::check);
        registry.names().map(str::to_owned).collect::<Vec<_>>()
    };
    let config = fixture.config.as_ref();
    // The folder was chosen (by the fixture) and the config was not: all of the folder.
    assert_eq!(names(&settings, config), ["extra", "pets"]);
    assert_eq!(names(&settings, None), ["extra", "pets"]);
    settings.swagger_config_file = Some(fixture.path("swaggers.yaml"));
    assert_eq!(names(&settings, config), ["absent", "pets"]);
    let registry = registry::Registry::find(&settings, config, load::check);
    let absent = registry.server("absent").await.unwrap().unwrap_err();
    assert!(
        absent.for_operator().contains("run `mce compile`"),
        "{absent:?}"
    );
    let pets = registry.server("pets").await.unwrap().unwrap();
    assert!(pets.target.read_only, "config or manifest");
}

#[tokio::test]
async fn one_function_can_be_called_without_code() {
    let fixture = Fixture::new();
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let call = |server: &str, function: &str| CallRequest {
        server: server.to_owned(),
        function: function.to_owned(),
        arguments: Arguments::new(),
        principal: "ada".to_owned(),
        ..CallRequest::default()
    };
    let result = runtime.call(call("pets", "get_pet")).await;
    assert_eq!(result.data, Some(json!({"id": 7, "echo": "[redacted]"})));
    assert_eq!(result.calls.len(), 1);
    let result = runtime.call(call("pets", "get_pets")).await;
    assert_eq!(result.error_type, Some(ErrorType::Validation));
    assert!(result.hint.unwrap().contains("`get_pet`"));
    let result = runtime.call(call("pet", "get_pet")).await;
    assert_eq!(result.error.as_deref(), Some("there is no server `pet`"));
    assert_eq!(result.hint.as_deref(), Some("did you mean `pets`?"));
}

/// `mce call` printed whatever an API sent, however long.
#[tokio::test]
async fn a_call_without_code_is_held_to_the_output_limit() {
    let call = CallRequest {
        server: "pets".to_owned(),
        function: "get_pet".to_owned(),
        arguments: Arguments::from_iter([(
            "pet_id".to_owned(),
            crate::wire::Value::String("x".repeat(2_000)),
        )]),
        principal: "ada".to_owned(),
        ..CallRequest::default()
    };
    let fixture = Fixture::new().set("MCE_MAX_INLINE_BYTES", 1024);
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let whole = runtime.call(call.clone()).await;
    assert_eq!(whole.data.unwrap()["given"].as_array().unwrap().len(), 1);
    assert!(!whole.truncated);

    let fixture = Fixture::new().set("MCE_MAX_OUTPUT_SIZE_BYTES", 1024);
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let result = runtime.call(call).await;
    assert_eq!(result.error_type, Some(ErrorType::OutputLimit));
    assert_eq!(result.data, None);
}

#[tokio::test]
async fn functions_are_shown_with_types_import_and_example() {
    let fixture = Fixture::new();
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let answer = runtime
        .get_functions(
            &[
                FunctionName::Dotted("pets.get_pet".to_owned()),
                FunctionName::Dotted("pets.pet_get".to_owned()),
                FunctionName::Dotted("cats.get_pet".to_owned()),
                FunctionName::Dotted("get_pet".to_owned()),
            ],
            &["Pet".to_owned(), "pets.Pot".to_owned()],
        )
        .await;
    let FunctionAnswer::Found(detail) = &answer.functions[0] else {
        panic!("{answer:?}");
    };
    assert_eq!(detail.import, "from pets.functions import get_pet");
    assert_eq!(
        detail.source,
        "class Pet(TypedDict, total=False):\n    \"\"\"A pet.\"\"\"\n\n    id: int\n\n\
         def get_pet(*, pet_id: int) -> Pet:\n    \"\"\"Does get_pet.\"\"\""
    );
    let problems: Vec<_> = answer.functions[1..]
        .iter()
        .map(|answer| match answer {
            FunctionAnswer::Problem(problem) => (problem.error.as_str(), problem.nearest.clone()),
            FunctionAnswer::Found(_) => panic!("{answer:?}"),
        })
        .collect();
    assert_eq!(problems[0].0, "there is no such function");
    assert_eq!(problems[0].1[0], "pets.get_pet");
    assert_eq!(problems[1].0, "there is no such server");
    assert_eq!(problems[2].0, "a function is named `server.function`");
    assert_eq!(problems[2].1, ["pets.get_pet", "pets.find_pets"]);
    let TypeAnswer::Found(pet) = &answer.types[0] else {
        panic!("{answer:?}");
    };
    assert_eq!((pet.server.as_str(), pet.r#type.as_str()), ("pets", "Pet"));
    assert!(pet.source.starts_with("class Pet(TypedDict"), "{pet:?}");
    let TypeAnswer::Problem(problem) = &answer.types[1] else {
        panic!("{answer:?}");
    };
    assert_eq!(problem.error, "there is no such type");
    assert_eq!(problem.nearest, ["pets.Pet"]);
}

#[tokio::test]
async fn servers_come_in_pages_and_functions_inline_while_few() {
    let fixture = Fixture::new();
    for n in 0..24 {
        fixture.compile(&format!("s{n:02}"), &[("get_a", "GET"), ("get_b", "GET")]);
    }
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let first = runtime.list_servers(None).await.unwrap();
    assert_eq!(first.servers.len(), 20);
    assert!(!first.sandbox_libraries.is_empty());
    assert_eq!(first.servers[0].name, "pets");
    assert_eq!(first.servers[0].description, "All about pets.");
    assert_eq!(
        first.servers[0].functions[0],
        InlineFunction::Described {
            name: "get_pet".to_owned(),
            summary: "Does get_pet.".to_owned()
        }
    );
    let second = runtime.list_servers(first.next_cursor.as_deref());
    let second = second.await.unwrap();
    let names: Vec<_> = second.servers.iter().map(|server| &server.name).collect();
    assert_eq!(names, ["s19", "s20", "s21", "s22", "s23"]);
    assert_eq!(second.next_cursor, None);
    assert!(second.sandbox_libraries.is_empty());
}

/// It used to give the first page, so that a client that spoilt its cursor never came to an end.
#[tokio::test]
async fn a_cursor_that_no_page_gave_is_an_error() {
    let (runtime, _) = Fixture::new().runtime(|_, _| async { returned(json!(1)) });
    for odd in ["no cursor", "", "AAAA", "_w"] {
        let error = runtime.list_servers(Some(odd)).await.unwrap_err();
        assert!(error.to_string().starts_with("`cursor` is no"), "{odd}");
    }
}

#[tokio::test]
async fn functions_are_listed_whole_or_not_at_all() {
    let fixture = Fixture::new();
    let names: Vec<String> = (0..500).map(|n| format!("get_number_{n}")).collect();
    let functions: Vec<_> = names.iter().map(|name| (name.as_str(), "GET")).collect();
    fixture.compile("numbers", &functions);
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let page = runtime.list_servers(None).await.unwrap();
    assert_eq!(page.servers[0].function_count, 500);
    assert!(page.servers[0].functions.is_empty());
    let names = ["get_pet", "find_pets"].map(|name| InlineFunction::Name(name.to_owned()));
    assert_eq!(page.servers[1].functions, names);
}

/// What a page may take is counted in bytes: servers have long titles, descriptions and tags.
#[tokio::test]
async fn pages_of_servers_that_say_much_are_shorter_and_leave_none_out() {
    let fixture = Fixture::new();
    for n in 0..50 {
        let name = format!("s{n:02}");
        fixture.compile(&name, &[("get_a", "GET")]);
        fixture.tamper(&name, |manifest| {
            manifest["title"] = json!("A title \u{200b}that goes on and on ".repeat(50));
            manifest["description"] = json!("第一".repeat(5_000));
        });
    }
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let mut cursor = None;
    let mut seen = Vec::new();
    loop {
        let page = runtime.list_servers(cursor.as_deref()).await.unwrap();
        assert!(serde_json::to_string(&page).unwrap().len() < 5_000);
        assert!(page.refused.is_empty(), "{page:?}");
        seen.extend(page.servers.into_iter().map(|server| server.name));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    let expected = (0..50).map(|n| format!("s{n:02}"));
    let expected: Vec<_> = std::iter::once("pets".to_owned()).chain(expected).collect();
    assert_eq!(seen, expected);
}

#[tokio::test]
async fn a_server_that_is_compiled_anew_is_served_anew_and_what_runs_goes_on() {
    let fixture = Fixture::new();
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let watching = tokio::spawn(Arc::clone(&runtime).watch());
    let first = runtime.execute(code(USES_PETS)).await;
    let page = runtime.list_servers(None).await.unwrap();
    assert_eq!(page.servers[0].function_count, 2);
    let before = runtime.registry.server("pets").await.unwrap().unwrap();
    fixture.compile(
        "pets",
        &[
            ("get_pet", "GET"),
            ("find_pets", "GET"),
            ("get_more", "GET"),
        ],
    );
    fixture.tamper("pets", |manifest| manifest["fingerprint"] = json!("pets-2"));
    until(async || {
        let page = runtime.list_servers(None).await.unwrap();
        let listed = page.servers.first();
        listed.is_some_and(|server| server.function_count == 3)
            && runtime.registry.verdict("pets") == registry::Verdict::Passed
    })
    .await;
    assert!(*runtime.changes().borrow() > 0);
    let more = "from pets.functions import get_more\nget_more(pet_id=1)";
    assert!(runtime.execute(code(more)).await.success);
    assert_eq!(before.manifest().functions.len(), 2);
    // What an execution began with is what it can call, whatever became of the server.
    let targets = runtime.registry.targets_with([&before]);
    assert_eq!(targets["pets"].manifest.functions.len(), 2);
    // Code that was cached with the server as it was is not run again.
    let again = CachedRequest {
        cache_id: first.cache_id.unwrap(),
        principal: "ada".to_owned(),
        ..CachedRequest::default()
    };
    let again = runtime.run_cached(again).await;
    assert_eq!(again.error_type, Some(ErrorType::CacheMiss));

    std::fs::remove_dir_all(fixture.server_folder("pets")).unwrap();
    until(async || runtime.list_servers(None).await.unwrap().refused.len() == 1).await;
    watching.abort();
}

/// Waits for what happens beside the test.
async fn until(mut happened: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !happened().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), waiting)
        .await
        .unwrap();
}

fn search(query: &str) -> SearchRequest {
    SearchRequest {
        query: query.to_owned(),
        ..SearchRequest::default()
    }
}

fn names(answer: &SearchAnswer) -> Vec<(&str, &str)> {
    let functions = answer.functions.iter();
    functions
        .map(|found| (found.server.as_str(), found.name.as_str()))
        .collect()
}

#[tokio::test]
async fn found_functions_are_those_that_the_caller_may_use_and_that_are_served() {
    let fixture = Fixture::new();
    for server in ["cats", "dogs"] {
        fixture.compile(server, &[("get_feeding_plan", "GET")]);
    }
    // Whatever many a refused server has, they are in nobody's way.
    let many: Vec<String> = (0..300).map(|n| format!("get_feeding_plan_{n}")).collect();
    let many: Vec<_> = many.iter().map(|name| (name.as_str(), "GET")).collect();
    fixture.compile("fish", &many);
    fixture.tamper("fish", |manifest| {
        manifest["outputs"]["functions.py"] = json!("00");
    });
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    runtime.list_servers(None).await.unwrap();
    let found = runtime.search_functions(&search("feeding plan")).await;
    let expected = [("cats", "get_feeding_plan"), ("dogs", "get_feeding_plan")];
    assert_eq!(names(&found.unwrap()), expected);
    let seen = runtime.seen_by(Client::default(), Some(&["dogs".to_owned()].into()));
    let found = seen.search_functions(&search("feeding plan")).await;
    assert_eq!(names(&found.unwrap()), [("dogs", "get_feeding_plan")]);
    let of_another = SearchRequest {
        server: Some("cats".to_owned()),
        ..search("feeding plan")
    };
    let error = seen.search_functions(&of_another).await.unwrap_err();
    assert!(error.to_string().starts_with("there is no server `cats`"));
}

/// With few functions every word that none of them has weighs much, and what was meant was not even named.
#[tokio::test]
async fn where_nothing_fits_the_hint_names_what_has_something_of_it() {
    let fixture = Fixture::new();
    for server in ["cats", "dogs"] {
        fixture.compile(server, &[("get_feeding_plan", "GET")]);
    }
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let asked = search("plan somebody's whole week off without interruptions");
    let found = runtime.search_functions(&asked).await.unwrap();
    assert_eq!(names(&found), []);
    assert_eq!(
        found.hint.as_deref(),
        Some(
            "nothing fits; use other or fewer words; has something of it: \
             `cats.get_feeding_plan`, `dogs.get_feeding_plan`"
        )
    );
    let seen = runtime.seen_by(Client::default(), Some(&["dogs".to_owned()].into()));
    let found = seen.search_functions(&asked).await.unwrap();
    let hint = found.hint.unwrap();
    assert!(
        hint.ends_with("has something of it: `dogs.get_feeding_plan`"),
        "{hint}"
    );
    let nothing = search("quantum zebra");
    let found = runtime.search_functions(&nothing).await.unwrap();
    assert_eq!(
        found.hint.as_deref(),
        Some("nothing fits; use other or fewer words")
    );
}

/// Mentioning a server had it checked, which told by the time it took that there is one.
#[tokio::test]
async fn code_that_mentions_a_server_it_may_not_use_does_nothing_to_it() {
    let fixture = Fixture::new();
    fixture.compile("cats", &[("get_cat", "GET")]);
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let seen = runtime.seen_by(Client::default(), Some(&["pets".to_owned()].into()));
    let mentions = "from cats.functions import get_cat\nget_cat(pet_id=1)";
    let result = seen.execute(code(mentions)).await;
    assert_eq!(result.error_type, Some(ErrorType::Security));
    let unknown = registry::Verdict::Unknown;
    assert_eq!(runtime.registry.verdict("cats"), unknown);
    assert_ne!(runtime.registry.verdict("pets"), registry::Verdict::Passed);
    assert!(runtime.execute(code(mentions)).await.success);
}

/// It was listed as before until somebody used it.
#[tokio::test]
async fn a_server_that_is_tampered_with_while_serving_is_refused_before_anybody_asks() {
    let fixture = Fixture::new();
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let watching = tokio::spawn(Arc::clone(&runtime).watch());
    runtime.list_servers(None).await.unwrap();
    fixture.tamper("pets", |manifest| {
        manifest["outputs"]["functions.py"] = json!("00");
    });
    let refused = || {
        matches!(
            runtime.registry.verdict("pets"),
            registry::Verdict::Refused(_)
        )
    };
    until(async || refused()).await;
    watching.abort();
}

/// With the names of a small server, a search must not be longer than what it is to save.
#[tokio::test]
async fn an_answer_is_short_whatever_the_functions_are_called() {
    let fixture = Fixture::new();
    let names: Vec<String> = (0..30)
        .map(|n| format!("get_{}_{n}", "feeding_plan_of_animals_".repeat(6)))
        .collect();
    let functions: Vec<_> = names.iter().map(|name| (name.as_str(), "GET")).collect();
    fixture.compile("animals", &functions);
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let found = runtime
        .search_functions(&search("feeding plan"))
        .await
        .unwrap();
    assert!(!found.functions.is_empty());
    assert!(serde_json::to_string(&found).unwrap().len() < 1_500);
}
