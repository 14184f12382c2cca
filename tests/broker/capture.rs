//! An API on loopback that keeps every byte it receives.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A request as it arrived.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// `GET /path HTTP/1.1`
    pub line: String,
    /// In order, names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Captured {
    /// All values of a header.
    pub fn header(&self, name: &str) -> Vec<&str> {
        self.headers
            .iter()
            .filter(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
            .collect()
    }

    /// The names of all headers, sorted.
    pub fn header_names(&self) -> Vec<&str> {
        let mut names: Vec<_> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names
    }
}

/// Gives the bytes of a whole response.
type Answer = dyn Fn(&Captured) -> Vec<u8> + Send + Sync;

/// The API. Ends when dropped.
pub struct Capture {
    port: u16,
    requests: Arc<Mutex<Vec<Captured>>>,
    connections: Arc<AtomicUsize>,
    accepting: JoinHandle<()>,
}

impl Drop for Capture {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Capture {
    pub async fn start(answer: impl Fn(&Captured) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let answer: Arc<Answer> = Arc::new(answer);
        let kept = Arc::clone(&requests);
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream, Arc::clone(&kept), Arc::clone(&answer)));
            }
        });
        Self {
            port,
            requests,
            connections,
            accepting,
        }
    }

    /// How many connections there were.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// One that answers everything with this JSON.
    pub async fn json(body: &'static str) -> Self {
        Self::start(move |_| response(200, &[("content-type", "application/json")], body)).await
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn requests(&self) -> Vec<Captured> {
        self.requests.lock().unwrap().clone()
    }

    /// The one request there was.
    #[track_caller]
    pub fn only(&self) -> Captured {
        let mut requests = self.requests();
        assert_eq!(requests.len(), 1, "{requests:?}");
        requests.remove(0)
    }
}

/// A response with a content length.
pub fn response(status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let mut bytes = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        let _ = write!(bytes, "{name}: {value}\r\n");
    }
    bytes.push_str("\r\n");
    let mut bytes = bytes.into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

async fn serve(mut stream: TcpStream, kept: Arc<Mutex<Vec<Captured>>>, answer: Arc<Answer>) {
    let mut received = Vec::new();
    loop {
        let Some(end) = received.windows(4).position(|four| four == b"\r\n\r\n") else {
            let mut chunk = [0; 4096];
            match stream.read(&mut chunk).await {
                Ok(0) | Err(_) => return,
                Ok(count) => received.extend_from_slice(&chunk[..count]),
            }
            continue;
        };
        let head = String::from_utf8_lossy(&received[..end]).into_owned();
        received.drain(..end + 4);
        let mut lines = head.split("\r\n");
        let mut request = Captured {
            line: lines.next().unwrap_or_default().to_owned(),
            ..Captured::default()
        };
        for line in lines {
            let (name, value) = line.split_once(':').unwrap();
            request
                .headers
                .push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let length = request
            .header("content-length")
            .first()
            .map_or(0, |length| length.parse().unwrap());
        while received.len() < length {
            let mut chunk = [0; 8192];
            match stream.read(&mut chunk).await {
                Ok(0) | Err(_) => return,
                Ok(count) => received.extend_from_slice(&chunk[..count]),
            }
        }
        request.body = received.drain(..length).collect();
        let bytes = answer(&request);
        kept.lock().unwrap().push(request);
        if stream.write_all(&bytes).await.is_err() {
            return;
        }
    }
}
