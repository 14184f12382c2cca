//! A server on loopback for plain requests: it echoes, streams without end, redirects, sets cookies, and
//! keeps every request line.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// Mebibytes of zeros in the answer to `/bomb`.
pub const BOMB: usize = 64;

#[derive(Default)]
struct Seen {
    lines: Mutex<Vec<String>>,
    now: AtomicUsize,
    most_at_once: AtomicUsize,
    /// Streams without end that were closed by the client.
    broken_off: AtomicUsize,
    bomb: Vec<u8>,
}

/// The server. Ends when dropped.
pub struct Server {
    pub port: u16,
    seen: Arc<Seen>,
    accepting: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Server {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Seen {
            bomb: zipped(BOMB << 20),
            ..Seen::default()
        });
        let shared = Arc::clone(&seen);
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&shared)));
            }
        });
        Self {
            port,
            seen,
            accepting,
        }
    }

    pub fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn lines(&self) -> Vec<String> {
        self.seen.lines.lock().unwrap().clone()
    }

    pub fn most_at_once(&self) -> usize {
        self.seen.most_at_once.load(Ordering::SeqCst)
    }

    /// Waits until so many endless streams were closed.
    pub async fn broken_off(&self, count: usize) -> bool {
        for _ in 0..500 {
            if self.seen.broken_off.load(Ordering::SeqCst) >= count {
                return true;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        false
    }
}

/// So many zeros, compressed by gzip.
fn zipped(zeros: usize) -> Vec<u8> {
    let mut gzip = Command::new("gzip")
        .arg("-c")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = gzip.stdin.take().unwrap();
    let writing = std::thread::spawn(move || input.write_all(&vec![0; zeros]).unwrap());
    let output = gzip.wait_with_output().unwrap();
    writing.join().unwrap();
    output.stdout
}

struct Request {
    line: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

async fn read(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<Request> {
    let end = loop {
        if let Some(end) = buffer.windows(4).position(|it| it == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
    buffer.drain(..end + 4);
    let mut lines = head.split("\r\n");
    let line = lines.next().unwrap().to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let mut request = Request {
        line,
        headers,
        body: Vec::new(),
    };
    let length: usize = request
        .header("content-length")
        .map_or(0, |length| length.parse().unwrap());
    while buffer.len() < length {
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
    request.body = buffer.drain(..length).collect();
    Some(request)
}

async fn serve(mut stream: TcpStream, seen: Arc<Seen>) {
    let mut buffer = Vec::new();
    while let Some(request) = read(&mut stream, &mut buffer).await {
        seen.lines.lock().unwrap().push(request.line.clone());
        let now = seen.now.fetch_add(1, Ordering::SeqCst) + 1;
        seen.most_at_once.fetch_max(now, Ordering::SeqCst);
        let goes_on = answer(&mut stream, &request, &seen).await;
        seen.now.fetch_sub(1, Ordering::SeqCst);
        if !goes_on {
            return;
        }
    }
}

async fn answer(stream: &mut TcpStream, request: &Request, seen: &Seen) -> bool {
    let target = request.line.split(' ').nth(1).unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let text = |headers: &str, body: &[u8]| {
        let mut bytes = format!(
            "HTTP/1.1 200 OK\r\n{headers}content-length: {}\r\n\r\n",
            body.len()
        )
        .into_bytes();
        bytes.extend_from_slice(body);
        bytes
    };
    let bytes = match path {
        "/endless" => return endless(stream, seen).await,
        "/never" => {
            tokio::time::sleep(Duration::from_mins(1)).await;
            return false;
        }
        "/stalls" => {
            let _ = stream
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbegun")
                .await;
            tokio::time::sleep(Duration::from_mins(1)).await;
            return false;
        }
        "/breaks" => {
            let begun = b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbegun";
            let _ = stream.write_all(begun).await;
            return false;
        }
        "/garbage" => {
            let _ = stream.write_all(b"SSH-2.0-nothing\r\n\r\n").await;
            return false;
        }
        "/slow" => {
            tokio::time::sleep(Duration::from_millis(300)).await;
            text("", query.as_bytes())
        }
        "/large" => text("", &vec![b'x'; query.parse().unwrap()]),
        "/bomb" => text("content-encoding: gzip\r\n", &seen.bomb),
        "/zipped" => text("content-encoding: gzip\r\n", &zipped(10)),
        "/to" => format!("HTTP/1.1 302 Found\r\nlocation: {query}\r\ncontent-length: 0\r\n\r\n")
            .into_bytes(),
        "/cookie" => text("set-cookie: seen=yes; Path=/\r\n", b"set"),
        "/missing" => b"HTTP/1.1 404 Not Found\r\ncontent-length: 4\r\n\r\ngone".to_vec(),
        _ => {
            let headers: serde_json::Map<_, _> = request
                .headers
                .iter()
                .map(|(name, value)| (name.clone(), json!(value)))
                .collect();
            let body = json!({
                "line": request.line, "headers": headers,
                "body": String::from_utf8_lossy(&request.body),
            });
            text(
                "content-type: application/json\r\n",
                body.to_string().as_bytes(),
            )
        }
    };
    stream.write_all(&bytes).await.is_ok()
}

/// Lines without end, one each few milliseconds.
async fn endless(stream: &mut TcpStream, seen: &Seen) -> bool {
    let head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-type: text/plain\r\n\r\n";
    let mut is_there = stream.write_all(head).await.is_ok();
    let mut number = 0;
    while is_there {
        let line = format!("line {number}\n");
        let chunk = format!("{:x}\r\n{line}\r\n", line.len());
        is_there = stream.write_all(chunk.as_bytes()).await.is_ok();
        number += 1;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    seen.broken_off.fetch_add(1, Ordering::SeqCst);
    false
}
