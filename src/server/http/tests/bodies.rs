//! Long bodies that arrive slowly, many at once.

use super::*;

const LONGEST: usize = 64 * 1024;

#[tokio::test]
async fn unfinished_long_bodies_keep_out_long_ones_and_no_short_ones() {
    let longest = LONGEST.to_string();
    let (_fixture, running) = simple(&[("MCE_HTTP_MAX_BODY_BYTES", &longest)]).await;
    let mut unfinished = Vec::new();
    for _ in 0..50 {
        let mut stream = TcpStream::connect(running.address).await.unwrap();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {LONGEST}\r\n\r\n",
            running.address
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(&vec![b' '; LONGEST - 1]).await.unwrap();
        unfinished.push(stream);
    }
    let long = async || {
        let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}});
        let body = format!("{}{list}", " ".repeat(LONGEST - 1024));
        answered(running.post().body(body)).await
    };
    let mut refused = long().await;
    for _ in 0..100 {
        if refused.status == 503 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
        refused = long().await;
    }
    assert_eq!(
        (refused.status, refused.text.as_str()),
        (503, "too many long messages arrive at once; try again")
    );
    running.begin("").await;

    drop(unfinished);
    let mut answer = long().await;
    for _ in 0..100 {
        if answer.status != 503 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
        answer = long().await;
    }
    assert_ne!(answer.status, 503, "{answer:?}");
    running.end().await;
}
