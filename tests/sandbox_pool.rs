//! Containers that are held ready, on a real engine: each is used once, and there is always another.

#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

mod sandbox_support;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use sandbox_support::{
    Place, containers, docker, job, module, place_knowing, place_with, settings_with, value,
};
use serde_json::json;

/// The containers of a place.
fn own(place: &Place) -> Vec<String> {
    let inspected = place.sandbox.inspect();
    let instance = inspected["create"]["Labels"]["mce.instance"]
        .as_str()
        .unwrap();
    containers(&format!("label=mce.instance={instance}"))
}

async fn until(place: &Place, what: &str, mut holds: impl FnMut(&Place) -> bool) {
    let begun = Instant::now();
    while !holds(place) {
        assert!(begun.elapsed() < Duration::from_secs(40), "{what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn warm(pairs: &[(&str, &str)]) -> Place {
    let place = place_with(&settings_with(pairs)).await;
    place.sandbox.prove().await.unwrap();
    place
}

/// At whatever stage the next container is.
#[tokio::test(flavor = "multi_thread")]
async fn closing_waits_for_no_container_that_is_being_started() {
    for stage in 0..10 {
        let place = warm(&[]).await;
        for _ in 0..2 {
            assert_eq!(value(&place.run("1").await), &json!(1));
        }
        tokio::time::sleep(Duration::from_millis(50 + stage * 12)).await;
        let begun = Instant::now();
        let label = place.sandbox.inspect()["create"]["Labels"]["mce.instance"].clone();
        place.close().await;
        assert!(begun.elapsed() < Duration::from_secs(5), "{stage}");
        let label = format!("label=mce.instance={}", label.as_str().unwrap());
        assert_eq!(containers(&label), Vec::<String>::new(), "{stage}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_container_is_used_once_and_another_takes_its_place() {
    let place = warm(&[]).await;
    assert!(place.sandbox.ready() >= 1);
    let mut seen = BTreeSet::new();
    for number in 0..4 {
        until(&place, "one is ready", |place| place.sandbox.ready() > 0).await;
        let ready = own(&place);
        let leave = format!(
            "import pathlib\nfound = pathlib.Path('/tmp/left').exists()\n\
             pathlib.Path('/tmp/left').write_text('x')\n[found, {number}]"
        );
        assert_eq!(value(&place.run(&leave).await), &json!([false, number]));
        until(&place, "the used one goes", |place| {
            ready.iter().any(|it| !own(place).contains(it))
        })
        .await;
        let gone = ready.into_iter().filter(|it| !own(&place).contains(it));
        for id in gone {
            assert!(seen.insert(id));
        }
    }
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_all_code_imports_is_imported_before_it_comes() {
    let place = warm(&[]).await;
    let look = "import sys\nsorted({'httpx', 'pydantic', 'orjson'} & set(sys.modules))";
    let expected = json!(["httpx", "orjson", "pydantic"]);
    assert_eq!(value(&place.run(look).await), &expected);
    let threads = "import threading\nthreading.active_count()";
    assert_eq!(value(&place.run(threads).await), &json!(1));
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn modules_that_a_sandbox_knows_are_the_same_for_the_code() {
    let known = vec![module("known", "import sys\nVALUE = [1]\n")];
    let place = place_knowing(known.clone()).await;
    let with = |code: &str, modules| mce::sandbox::Job {
        modules,
        ..job(code)
    };
    let read = "import known\nknown.VALUE.append(2)\nknown.VALUE";
    for _ in 0..2 {
        let outcome = place.run_job(with(read, known.clone())).await;
        assert_eq!(value(&outcome), &json!([1, 2]));
    }
    // Another text under the same name is what the job says.
    let other = vec![module("known", "VALUE = [7]\n")];
    let outcome = place.run_job(with(read, other)).await;
    assert_eq!(value(&outcome), &json!([7, 2]));
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pool_follows_demand_and_lets_go_of_what_is_too_old() {
    let pairs = [
        ("MCE_WARM_POOL_SIZE", "3"),
        ("MCE_WARM_POOL_MINIMUM", "0"),
        ("MCE_WARM_POOL_MAX_AGE_SECONDS", "4"),
    ];
    let place = place_with(&settings_with(&pairs)).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!((place.sandbox.ready(), own(&place).len()), (0, 0));
    mce::sandbox::Sandbox::expect(&place.sandbox);
    until(&place, "one is made ready", |place| {
        place.sandbox.ready() >= 1
    })
    .await;
    for _ in 0..2 {
        assert_eq!(value(&place.run("1").await), &json!(1));
    }
    until(&place, "it grows", |place| place.sandbox.ready() == 3).await;
    let before: BTreeSet<String> = own(&place).into_iter().collect();
    until(&place, "all are replaced", |place| {
        let now: BTreeSet<String> = own(place).into_iter().collect();
        now.is_disjoint(&before) && place.sandbox.ready() == 3
    })
    .await;
    place.close().await;
}

/// A container that somebody removed was handed to the next execution, which failed.
#[tokio::test(flavor = "multi_thread")]
async fn a_container_that_was_removed_while_it_waited_is_not_used() {
    let place = warm(&[("MCE_WARM_POOL_SIZE", "1")]).await;
    for line in own(&place) {
        let id = line.split(' ').next().unwrap();
        let removed = docker(&["rm", "--force", id]).output();
        assert!(removed.unwrap().status.success());
    }
    assert_eq!(value(&place.run("2").await), &json!(2));
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn more_executions_than_containers_are_all_served() {
    let place = warm(&[]).await;
    let runs = (0..6).map(|number| {
        let code = number.to_string();
        let place = &place;
        async move { value(&place.run(&code).await).clone() }
    });
    let values = futures::future::join_all(runs).await;
    assert_eq!(
        values,
        (0..6).map(|number| json!(number)).collect::<Vec<_>>()
    );
    place.close().await;
}

/// Who waits for a container and goes away leaves it to the next.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_of_executions_that_were_given_up_while_they_waited() {
    let place = place_with(&settings_with(&[("MCE_SANDBOX_MODE", "cold")])).await;
    for wait in [0, 50, 200, 400, 700] {
        let run = place.run("1");
        let _ = tokio::time::timeout(Duration::from_millis(wait), run).await;
    }
    assert_eq!(value(&place.run("3").await), &json!(3));
    until(&place, "nothing is left", |place| own(place).is_empty()).await;
    place.close().await;
}
