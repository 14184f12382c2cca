//! Engines that come and go, fill up, and are elsewhere: each test has one of its own.

mod sandbox_support;

use std::fs;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use mce::sandbox::docker::{DockerSandbox, Error};
use mce::sandbox::{FailureKind, Outcome, Sandbox as _};
use sandbox_support::private_engine::PrivateEngine;
use sandbox_support::{FakeHost, Place, failure, job, kind, place_with, value};
use serde_json::json;

/// Does something to the engine while code runs. How the code ended, and how long after that was
/// begun.
async fn interrupted(place: &Place, act: impl FnOnce()) -> (Outcome, Duration) {
    let host = Arc::new(FakeHost::default());
    let code = "
import time, _mce_host
print('begun', flush=True)
_mce_host.call('s', 'echo', {})
time.sleep(25)
";
    let acting = async {
        while host.calls.load(Ordering::SeqCst) == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
        let begun = Instant::now();
        tokio::task::block_in_place(act);
        begun
    };
    let run = async {
        let outcome = place.sandbox.run(job(code), host.clone()).await;
        (outcome, Instant::now())
    };
    let ((outcome, ended), begun) = tokio::join!(run, acting);
    (outcome, ended.saturating_duration_since(begun))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_dies_is_reported_and_its_successor_is_used() {
    let mut engine = PrivateEngine::start();
    let place = place_with(&engine.settings()).await;
    assert_eq!(value(&place.run("1").await), &json!(1));
    let (outcome, after) = interrupted(&place, || engine.kill()).await;
    assert_eq!(kind(&outcome), FailureKind::Sandbox, "{outcome:?}");
    assert_eq!(
        failure(&outcome).message,
        "the container engine went away while the code ran"
    );
    assert_eq!(outcome.prints, "begun\n");
    assert!(after < Duration::from_secs(5), "{after:?}");

    // While there is none, that is what is said, at once.
    let begun = Instant::now();
    let outcome = place.run("2").await;
    assert_eq!(kind(&outcome), FailureKind::Sandbox, "{outcome:?}");
    assert!(begun.elapsed() < Duration::from_secs(5));

    tokio::task::block_in_place(|| engine.run());
    assert_eq!(value(&place.run("3").await), &json!(3));

    // One that restarts in the middle ends its containers.
    let (outcome, _) = interrupted(&place, || {
        engine.kill();
        engine.run();
    })
    .await;
    assert_eq!(kind(&outcome), FailureKind::Sandbox, "{outcome:?}");
    assert_eq!(value(&place.run("4").await), &json!(4));
    place.close().await;
    let left = engine.docker(&["ps", "--all", "--quiet"]).output().unwrap();
    assert_eq!(String::from_utf8(left.stdout).unwrap(), "");
}

/// Containers that waited are gone with the engine, and others take their place.
#[tokio::test(flavor = "multi_thread")]
async fn a_pool_is_filled_again_when_the_engine_is_back() {
    let mut engine = PrivateEngine::start();
    let address = engine.address();
    let pairs = [("MCE_DOCKER_HOST", address.as_str())];
    let place = place_with(&sandbox_support::settings_with(&pairs)).await;
    place.sandbox.prove().await.unwrap();
    assert_eq!(value(&place.run("1").await), &json!(1));
    engine.kill();
    tokio::task::block_in_place(|| engine.run());
    assert_eq!(value(&place.run("2").await), &json!(2));
    let begun = Instant::now();
    while place.sandbox.ready() == 0 {
        assert!(begun.elapsed() < Duration::from_mins(1));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(value(&place.run("3").await), &json!(3));
    place.close().await;
    let left = engine.docker(&["ps", "--all", "--quiet"]).output().unwrap();
    assert_eq!(String::from_utf8(left.stdout).unwrap(), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_of_the_engine_is_named_and_passes() {
    let engine = PrivateEngine::start_with(&[], Some(600 << 20));
    let place = place_with(&engine.settings()).await;
    assert_eq!(value(&place.run("1").await), &json!(1));
    let filler = engine.data().join("filler");
    let zeros = fs::File::open("/dev/zero").unwrap();
    let full = std::io::copy(
        &mut std::io::BufReader::with_capacity(1 << 20, zeros),
        &mut fs::File::create(&filler).unwrap(),
    );
    assert_eq!(full.unwrap_err().kind(), std::io::ErrorKind::StorageFull);
    for _ in 0..3 {
        let begun = Instant::now();
        let outcome = place.run("2").await;
        assert_eq!(kind(&outcome), FailureKind::Sandbox, "{outcome:?}");
        let message = &failure(&outcome).message;
        assert!(
            message.starts_with("the engine failed to ")
                && message.contains("no space left on device"),
            "{message}"
        );
        assert!(begun.elapsed() < Duration::from_secs(10));
    }
    fs::remove_file(filler).unwrap();
    assert_eq!(value(&place.run("3").await), &json!(3));
    place.close().await;
    let left = engine.docker(&["ps", "--all", "--quiet"]).output().unwrap();
    assert_eq!(String::from_utf8(left.stdout).unwrap(), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_is_given_is_not_left_for_another() {
    let state = tempfile::tempdir().unwrap();
    let settings = sandbox_support::settings_with(&[("MCE_DOCKER_HOST", "/nowhere/x.sock")]);
    let error = DockerSandbox::connect(&settings, state.path())
        .await
        .unwrap_err();
    let Error::Unreachable { places } = &error else {
        panic!("{error:?}");
    };
    let tried: Vec<_> = places
        .iter()
        .map(|it| (&*it.address, &*it.source))
        .collect();
    assert_eq!(tried, [("unix:///nowhere/x.sock", "`MCE_DOCKER_HOST`")]);
}
