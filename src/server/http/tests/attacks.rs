//! What hostile pages and clients send.

use std::io;
use std::sync::Mutex;

use super::*;

#[tokio::test]
async fn a_page_of_another_origin_can_send_no_form_and_no_message() {
    let (_fixture, running) = simple(&[]).await;
    // What a browser sends without asking first.
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
    ] {
        let form = running
            .http
            .post(running.url("/mcp"))
            .header("content-type", kind)
            .header("accept", "*/*")
            .body(hello().to_string());
        assert_eq!(answered(form).await.status, 415, "{kind}");
    }
    for origin in [
        "https://evil.example",
        "null",
        "http://127.0.0.1.evil.example",
    ] {
        let message = running
            .post()
            .header("origin", origin)
            .body(hello().to_string());
        let answer = answered(message).await;
        assert_eq!((answer.status, answer.session), (403, None), "{origin}");
    }
    let own = running.post().header("origin", "http://localhost:6274");
    assert_eq!(answered(own.body(hello().to_string())).await.status, 200);
    running.end().await;
}

#[tokio::test]
async fn a_name_that_was_rebound_to_this_machine_reaches_nothing() {
    let (_fixture, running) = simple(&[]).await;
    for path in ["/mcp", "/healthz", "/metrics", "/"] {
        let request = running.http.get(running.url(path));
        let answer = answered(request.header("host", "evil.example:8000")).await;
        assert_eq!(answer.status, 403, "{path}");
    }
    let port = running.address.port();
    for (host, status) in [
        (format!("Host: localhost:{port}\r\n"), "HTTP/1.1 200"),
        (String::new(), "HTTP/1.1 400"),
        (
            "Host: localhost\r\nHost: localhost\r\n".to_owned(),
            "HTTP/1.1 400",
        ),
    ] {
        let request = format!("GET /healthz HTTP/1.1\r\n{host}Connection: close\r\n\r\n");
        let answer = running.raw(request.as_bytes()).await;
        assert!(answer.starts_with(status), "{host}: {answer}");
    }
    running.end().await;
}

#[tokio::test]
async fn bodies_that_are_too_long_malformed_or_no_message_are_told_so() {
    let (_fixture, running) = simple(&[("MCE_HTTP_MAX_BODY_BYTES", "2k")]).await;
    let long =
        json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "y".repeat(3000)}});
    assert_eq!(running.send("", None, long.clone()).await.status, 413);
    let port = running.address.port();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    );
    let mut chunked = head.clone().into_bytes();
    for _ in 0..40 {
        chunked.extend_from_slice(format!("64\r\n{}\r\n", "a".repeat(100)).as_bytes());
    }
    let answer = running.raw(&chunked).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");

    for (body, code) in [
        ("{", -32700),
        ("\u{0}", -32700),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
        (r#"{"id":1,"method":"ping"}"#, -32600),
        ("null", -32600),
        ("\"ping\"", -32600),
    ] {
        let answer = answered(running.post().body(body)).await;
        assert_eq!(answer.status, 400, "{body}");
        assert_eq!(answer.message()["error"]["code"], code, "{body}");
    }
    let deep = answered(running.post().body("[".repeat(2000))).await;
    assert_eq!(deep.status, 400);
    // The server is as it was.
    running.begin("").await;
    running.end().await;
}

#[tokio::test]
async fn a_body_that_never_ends_and_a_head_that_never_ends_are_given_up() {
    let (_fixture, running) = simple(&[("MCE_HTTP_READ_SECONDS", "0.3")]).await;
    let port = running.address.port();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{{\"a\r\n"
    );
    let answer = running.raw(head.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    for begun in ["", "POST /mcp HTTP/1.1\r\nHost: loc"] {
        let answer = running.raw(begun.as_bytes()).await;
        assert!(!answer.contains("200"), "{answer}");
    }
    let many = "X-Many: 1\r\n".repeat(200);
    let answer = running
        .raw(format!("GET /healthz HTTP/1.1\r\nHost: localhost\r\n{many}\r\n").as_bytes())
        .await;
    assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
    running.end().await;
}

#[tokio::test]
async fn methods_that_mean_nothing_here_are_refused() {
    let (_fixture, running) = simple(&[]).await;
    let request = async |method: &str, path: &str| {
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        let request = running.http.request(method, running.url(path));
        answered(request.header("accept", "text/event-stream"))
            .await
            .status
    };
    for method in ["PUT", "PATCH", "OPTIONS", "TRACE", "PROPFIND"] {
        assert_eq!(request(method, "/mcp").await, 405, "{method}");
    }
    for method in ["POST", "DELETE"] {
        for path in ["/healthz", "/metrics"] {
            assert_eq!(request(method, path).await, 405, "{method} {path}");
        }
    }
    assert_eq!(request("GET", "/mcp/../admin").await, 404);
    assert_eq!(request("GET", "/mcp/").await, 404);
    // Without a session there is nothing to follow, and nothing to end.
    assert!((400..500).contains(&request("GET", "/mcp").await));
    assert!((400..500).contains(&request("DELETE", "/mcp").await));
    // A method in a header of another request than the body's.
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}});
    let smuggled = running
        .modern("", "tools/list", list["params"].clone())
        .header("x-http-method-override", "DELETE");
    assert_eq!(answered(smuggled).await.status, 200);
    running.end().await;
}

#[tokio::test]
async fn thousands_of_silent_connections_keep_nobody_out() {
    let (_fixture, running) = simple(&[("MCE_HTTP_MAX_CONNECTIONS", "4000")]).await;
    let mut silent = Vec::new();
    for _ in 0..2000 {
        silent.push(TcpStream::connect(running.address).await.unwrap());
    }
    let begun = std::time::Instant::now();
    running.begin("").await;
    assert!(
        begun.elapsed() < Duration::from_secs(2),
        "{:?}",
        begun.elapsed()
    );
    drop(silent);
    running.end().await;
}

#[tokio::test]
async fn of_too_many_connections_the_one_idle_longest_makes_room() {
    let (_fixture, running) = simple(&[("MCE_HTTP_MAX_CONNECTIONS", "3")]).await;
    let mut idle = Vec::new();
    for _ in 0..8 {
        idle.push(TcpStream::connect(running.address).await.unwrap());
    }
    let health = answered(running.http.get(running.url("/healthz"))).await;
    assert_eq!(health.status, 200);
    let mut closed = 0;
    for mut stream in idle {
        let mut byte = [0];
        let reading = tokio::time::timeout(Duration::from_millis(50), stream.read(&mut byte));
        closed += usize::from(matches!(reading.await, Ok(Ok(0) | Err(_))));
    }
    assert!(closed >= 6, "{closed} of 8 were closed");
    running.end().await;
}

#[tokio::test]
async fn pages_that_are_listed_may_ask_and_read_and_no_others() {
    let (_fixture, running) = simple(&[("MCE_HTTP_ALLOWED_ORIGINS", "https://app.example")]).await;
    let ask = async |origin: &str| {
        let question = running
            .http
            .request(reqwest::Method::OPTIONS, running.url("/mcp"))
            .header("origin", origin)
            .header("access-control-request-method", "POST")
            .header(
                "access-control-request-headers",
                "content-type, authorization",
            );
        question.send().await.unwrap()
    };
    let listed = ask("https://app.example").await;
    assert_eq!(listed.status(), 204);
    let headers = listed.headers();
    assert_eq!(
        headers["access-control-allow-origin"],
        "https://app.example"
    );
    let allowed = headers["access-control-allow-headers"].to_str().unwrap();
    assert!(allowed.contains("authorization") && allowed.contains("mcp-session-id"));
    // Of this machine, but not listed; and of elsewhere.
    for (origin, status) in [
        ("http://localhost:3000", 405),
        ("https://evil.example", 403),
    ] {
        let answer = ask(origin).await;
        assert_eq!(answer.status(), status, "{origin}");
        let permitted = answer.headers().get("access-control-allow-origin");
        assert_eq!(permitted, None, "{origin}");
    }
    let message = running.post().header("origin", "https://app.example");
    let answer = message.body(hello().to_string()).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(
        answer.headers()["access-control-allow-origin"],
        "https://app.example"
    );
    running.end().await;
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::Write::write(&mut *self.0.lock().unwrap(), bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// They were numbers of the metrics alone.
#[tokio::test]
async fn a_refused_request_is_on_the_log_with_where_it_came_from_and_no_token() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    let _subscribed = tracing::subscriber::set_default(subscriber);
    let (_fixture, running) = simple(&[("MCE_HTTP_TOKEN", "0123456789abcdef")]).await;
    for _ in 0..20 {
        assert_eq!(
            running.send("canary-token", None, hello()).await.status,
            401
        );
        assert_eq!(running.send("", None, hello()).await.status, 401);
        let page = running.post().header("origin", "https://canary.example");
        assert_eq!(answered(page).await.status, 403);
    }
    running.end().await;
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let lines: Vec<&str> = text
        .lines()
        .filter(|it| it.contains("was refused"))
        .collect();
    for reason in [
        "reason=the token is none of this server",
        "reason=a token is needed",
        "reason=pages of this `Origin` may not call this server",
    ] {
        let of_reason: Vec<_> = lines.iter().filter(|it| it.contains(reason)).collect();
        // More than one only where the machine takes more than ten seconds for all of it.
        assert!((1..=6).contains(&of_reason.len()), "{reason}: {text}");
        for line in of_reason {
            assert!(
                line.contains(" WARN ") && line.contains("peer=127.0.0.1:"),
                "{line}"
            );
        }
    }
    assert!(!text.contains("canary"), "{text}");
}
