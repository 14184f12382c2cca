//! Long bodies that arrive slowly, many at once.

use super::*;

const LONGEST: usize = 64 * 1024;

/// Bodies that never come to their end, of one token.
async fn stalled(running: &Running, token: &str) -> Vec<TcpStream> {
    let mut unfinished = Vec::new();
    for _ in 0..50 {
        let mut stream = TcpStream::connect(running.address).await.unwrap();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Authorization: Bearer {token}\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {LONGEST}\r\n\r\n",
            running.address
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(&vec![b' '; LONGEST - 1]).await.unwrap();
        unfinished.push(stream);
    }
    unfinished
}

/// A long message that arrives whole.
async fn long(running: &Running, token: &str) -> Answer {
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}});
    let body = format!("{}{list}", " ".repeat(LONGEST - 1024));
    answered(running.post().bearer_auth(token).body(body)).await
}

/// A long message as soon as it is refused, or not.
async fn until(running: &Running, token: &str, is_refused: bool) -> Answer {
    let waiting = async {
        loop {
            let answer = long(running, token).await;
            if (answer.status == 503) == is_refused {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    soon("that", waiting).await
}

#[tokio::test]
async fn unfinished_long_bodies_keep_out_long_ones_of_their_token_and_no_others() {
    let (_file, variables) = tokens::two();
    let mut fixture = Fixture::new();
    fixture.variables.extend(variables);
    let longest = ("MCE_HTTP_MAX_BODY_BYTES".to_owned(), LONGEST.to_string());
    fixture.variables.push(longest);
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let running = run(&fixture, runtime).await;
    let unfinished = stalled(&running, "token-of-ada").await;
    let refused = until(&running, "token-of-ada", true).await;
    assert_eq!(
        refused.text,
        "too many long messages arrive at once; try again"
    );
    running.begin("token-of-ada").await;
    assert_ne!(long(&running, "token-of-bob").await.status, 503);
    drop(unfinished);
    until(&running, "token-of-ada", false).await;
    running.end().await;
}
