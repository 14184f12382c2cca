//! When a call is sent once more, and how many are sent at all.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use indexmap::IndexMap;
use mce::sandbox::CallError;
use serde_json::json;
use tokio::net::TcpListener;

use crate::capture::{Capture, response};
use crate::fixture::{Setup, function, manifest, scope};

const JSON: (&str, &str) = ("content-type", "application/json");

fn setup() -> Setup {
    Setup::new(manifest(
        vec![
            function("get", "GET", "/get", &[], json!([])),
            function("put", "PUT", "/put", &[], json!([])),
            function("add", "POST", "/add", &[], json!([])),
        ],
        &[],
    ))
}

/// An API that is busy `times` times, with this header.
async fn busy(times: usize, status: u16, header: (&'static str, &'static str)) -> Capture {
    let count = AtomicUsize::new(0);
    Capture::start(move |_| {
        if count.fetch_add(1, Ordering::SeqCst) < times {
            response(status, &[header], "")
        } else {
            response(200, &[JSON], "1")
        }
    })
    .await
}

#[tokio::test]
async fn an_api_that_says_when_to_come_back_is_asked_again() {
    for (name, status) in [("get", 429), ("get", 503), ("put", 503)] {
        let api = busy(2, status, ("retry-after", "0")).await;
        let shop = setup().at(&api.url()).build();
        shop.call(name, json!({})).await.unwrap();
        assert_eq!(api.requests().len(), 3, "{name} {status}");
        assert_eq!(shop.records.all().len(), 1, "one call");
    }
}

#[tokio::test]
async fn what_is_not_to_be_sent_again_is_not() {
    for (name, status, header) in [
        ("add", 503, ("retry-after", "0")),
        ("get", 500, ("retry-after", "0")),
        ("get", 503, ("x-other", "0")),
        ("get", 429, ("retry-after", "3600")),
    ] {
        let api = busy(9, status, header).await;
        let shop = setup().at(&api.url()).build();
        let error = shop.call(name, json!({})).await.unwrap_err();
        let CallError::Api {
            status: given,
            headers,
            ..
        } = error
        else {
            panic!("{error:?}");
        };
        assert_eq!(given, status);
        assert_eq!(api.requests().len(), 1, "{name} {status} {header:?}");
        assert_eq!(
            headers.get("retry-after").map(String::as_str),
            (header.0 == "retry-after").then_some(header.1)
        );
    }
}

#[tokio::test]
async fn an_api_that_stays_busy_is_asked_three_times() {
    let api = busy(9, 503, ("retry-after", "0")).await;
    let shop = setup().at(&api.url()).build();
    let error = shop.call("get", json!({})).await.unwrap_err();
    assert!(
        matches!(error, CallError::Api { status: 503, .. }),
        "{error:?}"
    );
    assert_eq!(api.requests().len(), 3);
}

#[tokio::test]
async fn an_api_that_comes_up_in_a_moment_is_reached() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let url = format!("http://{address}");
    let shop = Arc::new(setup().at(&url).build());
    let calling = {
        let shop = Arc::clone(&shop);
        tokio::spawn(async move { shop.call("get", json!({})).await })
    };
    tokio::time::sleep(Duration::from_millis(60)).await;
    let listener = TcpListener::bind(address).await.unwrap();
    let serving = tokio::spawn(async move {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.read(&mut [0; 4096]).await;
        let _ = stream.write_all(&response(200, &[JSON], "1")).await;
    });
    calling.await.unwrap().unwrap();
    serving.await.unwrap();

    // Nobody there: said after three attempts, and of a POST after one.
    for (name, least, most) in [("get", 400, 3_000), ("add", 0, 300)] {
        let begun = Instant::now();
        let error = shop.call(name, json!({})).await.unwrap_err();
        let took = begun.elapsed();
        assert!(matches!(error, CallError::Network { .. }), "{error:?}");
        assert!(took >= Duration::from_millis(least), "{name}: {took:?}");
        assert!(took < Duration::from_millis(most), "{name}: {took:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_gets_no_more_requests_at_once_than_the_config_says() {
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (at_once, peak) = (Arc::clone(&now), Arc::clone(&most));
    tokio::spawn(async move {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        while let Ok((mut stream, _)) = listener.accept().await {
            let (at_once, peak) = (Arc::clone(&at_once), Arc::clone(&peak));
            tokio::spawn(async move {
                while stream.read(&mut [0; 4096]).await.is_ok_and(|read| read > 0) {
                    let count = at_once.fetch_add(1, Ordering::SeqCst) + 1;
                    peak.fetch_max(count, Ordering::SeqCst);
                    tokio::time::sleep(Duration::from_millis(10)).await;
                    at_once.fetch_sub(1, Ordering::SeqCst);
                    let _ = stream.write_all(&response(200, &[JSON], "1")).await;
                }
            });
        }
    });
    let mut setup = setup().at(&url);
    setup.config.max_concurrent_requests = Some(3);
    let shop = setup.build();
    // Of several executions together.
    let calls = (0..24).map(|_| {
        let host = shop.broker.host(scope(&["shop"]));
        tokio::spawn(async move { host.call("shop", "get", IndexMap::new()).await })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap().unwrap();
    }
    assert_eq!(most.load(Ordering::SeqCst), 3);
}

/// A place that is lost with a call that is given up would be missing for ever.
#[tokio::test]
async fn a_call_that_is_given_up_gives_back_its_place() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        // The first is never answered.
        let (_held, _) = listener.accept().await.unwrap();
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.read(&mut [0; 4096]).await;
        let _ = stream.write_all(&response(200, &[JSON], "1")).await;
    });
    let mut setup = setup().at(&url);
    setup.config.max_concurrent_requests = Some(1);
    setup.config.timeout = Some(Duration::from_secs(2));
    let shop = setup.build();
    // The first has the place, the second waits for it; both are given up.
    let both = async { tokio::join!(shop.call("get", json!({})), shop.call("get", json!({}))) };
    let given_up = tokio::time::timeout(Duration::from_millis(100), both).await;
    assert!(given_up.is_err());
    shop.call("get", json!({})).await.unwrap();
}

/// Who waits too long for a turn is told which setting made it wait.
#[tokio::test]
async fn a_call_that_has_no_turn_in_time_says_so() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut setup = setup().at(&format!("http://{}", silent.local_addr().unwrap()));
    setup.config.max_concurrent_requests = Some(1);
    setup.config.timeout = Some(Duration::from_millis(400));
    let shop = setup.build();
    // All have one deadline, at which the place of the first becomes free: one of the others may still
    // get it.
    let calls = (0..8).map(|_| shop.call("get", json!({})));
    let ended = futures::future::join_all(calls).await;
    let errors: Vec<_> = ended.into_iter().map(Result::unwrap_err).collect();
    assert_eq!(errors[0].kind(), "network");
    let without_turn: Vec<_> = errors.iter().filter(|it| it.kind() == "limit").collect();
    assert!(!without_turn.is_empty(), "{errors:?}");
    for error in without_turn {
        let text = error.to_string();
        assert!(text.contains("`max_concurrent_requests`"), "{text}");
    }
}

#[tokio::test]
async fn a_server_gets_no_more_requests_a_second_than_the_config_says() {
    let api = Capture::json("1").await;
    let mut setup = setup().at(&api.url());
    setup.config.requests_per_second = Some(20.0);
    let shop = setup.build();
    let begun = Instant::now();
    for _ in 0..30 {
        shop.call("get", json!({})).await.unwrap();
    }
    // Twenty at once, and ten more at a twentieth of a second each.
    let took = begun.elapsed();
    assert!(took >= Duration::from_millis(450), "{took:?}");
    assert!(took < Duration::from_secs(3), "{took:?}");
}
