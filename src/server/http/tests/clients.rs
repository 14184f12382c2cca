//! Many clients, and clients that go away.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// Code that runs until it is dropped, which is counted.
struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// A server whose code runs until it is given up; what tells of starts, and the count of ends.
async fn endless() -> (
    Fixture,
    Running,
    tokio::sync::mpsc::UnboundedReceiver<()>,
    Arc<AtomicUsize>,
) {
    let fixture = fixture(&[]);
    let (started, starting) = tokio::sync::mpsc::unbounded_channel();
    let dropped = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&dropped);
    let (runtime, _) = fixture.runtime(move |_, _| {
        let guard = Dropped(Arc::clone(&counted));
        let started = started.clone();
        async move {
            let _guard = guard;
            started.send(()).unwrap();
            std::future::pending().await
        }
    });
    let running = run(&fixture, runtime).await;
    (fixture, running, starting, dropped)
}

async fn until(dropped: &AtomicUsize, count: usize) {
    soon("the end of an execution", async {
        while dropped.load(Ordering::SeqCst) < count {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn an_execution_ends_with_its_client_in_both_eras() {
    let (_fixture, running, mut starting, dropped) = endless().await;
    let params = json!({"name": "execute_code", "arguments": execute("1")});
    let modern = tokio::spawn(running.modern("", "tools/call", params).send());
    starting.recv().await.unwrap();
    modern.abort();
    until(&dropped, 1).await;

    let session = running.begin("").await;
    let message = call("execute_code", execute("1")).to_string();
    let legacy = running
        .post()
        .header("mcp-session-id", &session)
        .body(message);
    let answer = legacy.send().await.unwrap();
    starting.recv().await.unwrap();
    drop(answer);
    until(&dropped, 2).await;
    // The session is there still.
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_eq!(running.send("", Some(&session), ping).await.status, 200);
    running.end().await;
}

/// Asks for what does not end, as the request `id`, and gives the stream and the id of its first event.
async fn asked(running: &Running, session: &str, id: u64) -> (reqwest::Response, String) {
    let mut message = call("execute_code", execute("1"));
    message["id"] = json!(id);
    let request = running.post().header("mcp-session-id", session);
    let mut answer = request.body(message.to_string()).send().await.unwrap();
    let event = soon("the first event", first_event(&mut answer)).await;
    (answer, event)
}

async fn first_event(answer: &mut reqwest::Response) -> String {
    let mut text = String::new();
    loop {
        let mut lines = text.lines().filter(|_| text.contains("\n\n"));
        if let Some(id) = lines.find_map(|line| line.strip_prefix("id:")) {
            return id.trim().to_owned();
        }
        let piece = answer.chunk().await.unwrap().expect("the stream goes on");
        text.push_str(std::str::from_utf8(&piece).unwrap());
    }
}

async fn resume(running: &Running, session: &str, event: &str) -> reqwest::Response {
    let request = running
        .http
        .get(running.url("/mcp"))
        .header("accept", "text/event-stream")
        .header("mcp-session-id", session)
        .header("last-event-id", event);
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 200);
    answer
}

/// Longer than a client has to come back.
const LATER: Duration = Duration::from_millis(500);

/// A stream that was taken up again was not watched: the execution ran to its time limit.
#[tokio::test]
async fn a_client_that_comes_back_keeps_its_execution_until_it_leaves_again() {
    let (_fixture, running, mut starting, dropped) = endless().await;
    let session = running.begin("").await;
    let (mut stream, event) = asked(&running, &session, 1).await;
    starting.recv().await.unwrap();
    for _ in 0..2 {
        drop(stream);
        stream = resume(&running, &session, &event).await;
        tokio::time::sleep(LATER).await;
        assert_eq!(dropped.load(Ordering::SeqCst), 0);
    }
    drop(stream);
    until(&dropped, 1).await;
    running.end().await;
}

/// One stream taken up again counted for all requests of its session.
#[tokio::test]
async fn who_comes_back_for_one_request_has_left_the_others() {
    let (_fixture, running, mut starting, dropped) = endless().await;
    let session = running.begin("").await;
    let (left, _) = asked(&running, &session, 1).await;
    starting.recv().await.unwrap();
    let (broken, event) = asked(&running, &session, 2).await;
    starting.recv().await.unwrap();
    drop((left, broken));
    let resumed = resume(&running, &session, &event).await;
    until(&dropped, 1).await;
    tokio::time::sleep(LATER).await;
    assert_eq!(dropped.load(Ordering::SeqCst), 1, "the other one goes on");
    drop(resumed);
    until(&dropped, 2).await;
    running.end().await;
}

/// The stream from before ends when another takes over, which is no answer.
#[tokio::test]
async fn a_stream_that_is_taken_over_while_it_goes_on_is_watched_too() {
    let (_fixture, running, mut starting, dropped) = endless().await;
    let session = running.begin("").await;
    let (first, event) = asked(&running, &session, 1).await;
    starting.recv().await.unwrap();
    let second = resume(&running, &session, &event).await;
    tokio::time::sleep(LATER).await;
    drop(first);
    tokio::time::sleep(LATER).await;
    assert_eq!(dropped.load(Ordering::SeqCst), 0);
    drop(second);
    until(&dropped, 1).await;
    running.end().await;
}

#[tokio::test]
async fn an_execution_ends_when_its_client_cancels_it_or_ends_its_session() {
    let (_fixture, running, mut starting, dropped) = endless().await;
    let session = running.begin("").await;
    let message = call("execute_code", execute("1")).to_string();
    let begin = || {
        let request = running.post().header("mcp-session-id", &session);
        tokio::spawn(answered(request.body(message.clone())))
    };
    let asked = begin();
    starting.recv().await.unwrap();
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
                        "params": {"requestId": 1}});
    assert_eq!(running.send("", Some(&session), cancel).await.status, 202);
    until(&dropped, 1).await;
    asked.abort();

    let asked = begin();
    starting.recv().await.unwrap();
    let ended = running
        .http
        .delete(running.url("/mcp"))
        .header("mcp-session-id", &session);
    assert!(answered(ended).await.status < 300);
    until(&dropped, 2).await;
    asked.abort();
    running.end().await;
}

#[tokio::test]
async fn of_too_many_sessions_the_one_idle_longest_makes_room() {
    let (_fixture, running) = simple(&[("MCE_HTTP_MAX_SESSIONS", "2")]).await;
    let first = running.begin("").await;
    let second = running.begin("").await;
    let ping = || json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_eq!(running.send("", Some(&first), ping()).await.status, 200);
    let third = running.begin("").await;
    let mut statuses = Vec::new();
    for session in [&first, &second, &third] {
        statuses.push(running.send("", Some(session), ping()).await.status);
    }
    assert_eq!(statuses, [200, 404, 200]);
    running.end().await;
}

#[tokio::test]
async fn many_clients_at_once_are_all_answered() {
    let fixture = fixture(&[
        ("MCE_MAX_CONCURRENT_EXECUTIONS", "4"),
        ("MCE_MAX_QUEUED_EXECUTIONS", "200"),
    ]);
    let (runtime, _) = fixture.runtime(|_, _| async {
        tokio::time::sleep(Duration::from_millis(2)).await;
        returned(json!(1))
    });
    let running = Arc::new(run(&fixture, runtime).await);
    let mut clients = Vec::new();
    for number in 0..60 {
        let running = Arc::clone(&running);
        clients.push(tokio::spawn(async move {
            let session = running.begin("").await;
            for _ in 0..3 {
                let listed = running.call("", &session, "list_servers", json!({})).await;
                assert_eq!(listed["servers"][0]["name"], "pets");
                let code = execute(&format!("{number}"));
                let ran = running.call("", &session, "execute_code", code).await;
                assert_eq!(ran["success"], true, "{ran}");
            }
        }));
    }
    for client in clients {
        client.await.unwrap();
    }
    assert_eq!(running.runtime.snapshot().executions["success"], 180);
    Arc::into_inner(running).unwrap().end().await;
}
