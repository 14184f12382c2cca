//! The bookshop that the demo serves on loopback: a real API that checks its key, answers, and
//! keeps every request that reaches it.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::{Path, Query, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::task::JoinHandle;

/// The header of the document's `shopKey` scheme.
const KEY_HEADER: &str = "x-shop-key";

/// A request as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Received {
    /// `METHOD /path?query`.
    pub(super) line: String,
    /// Whether it carried the right key, and carried it once.
    pub(super) authorised: bool,
}

/// A bookshop that has an address and does not answer yet.
#[derive(Debug)]
pub(super) struct Closed {
    listener: TcpListener,
    address: SocketAddr,
    key: String,
}

/// A bookshop that answers until it is dropped.
#[derive(Debug)]
pub(super) struct Bookshop {
    shop: Arc<Shop>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Shop {
    key: String,
    received: Mutex<Vec<Received>>,
}

#[derive(Debug, Clone, Copy, Serialize)]
struct Book {
    isbn: &'static str,
    title: &'static str,
    author: Option<&'static str>,
    genre: &'static str,
    language: &'static str,
    price: f64,
}

/// The catalogue, cheapest first.
const BOOKS: [Book; 4] = [
    Book {
        isbn: "9780000000017",
        title: "The Locked Lighthouse",
        author: Some("M. Arden"),
        genre: "mystery",
        language: "en",
        price: 9.5,
    },
    Book {
        isbn: "9780000000024",
        title: "Soup for Every Weather",
        author: None,
        genre: "cookery",
        language: "en",
        price: 12.0,
    },
    Book {
        isbn: "9780000000031",
        title: "Der stille Kanal",
        author: Some("J. Vogt"),
        genre: "mystery",
        language: "de",
        price: 14.25,
    },
    Book {
        isbn: "9780000000048",
        title: "A Murder of Crows",
        author: Some("E. Lind"),
        genre: "mystery",
        language: "en",
        price: 31.0,
    },
];

impl Closed {
    /// Takes a free port of the loopback address.
    pub(super) fn new(key: String) -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        Ok(Self {
            address: listener.local_addr()?,
            listener,
            key,
        })
    }

    /// Where it will be.
    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Begins to answer.
    pub(super) fn open(self) -> std::io::Result<Bookshop> {
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let shop = Arc::new(Shop {
            key: self.key,
            received: Mutex::default(),
        });
        // Writes are answered as if they were done: were one to get through, it should be seen.
        let routes = Router::new()
            .route("/books", get(list_books).post(written))
            .route("/books/{isbn}", get(get_book).delete(written))
            .route("/books/{isbn}/stock", get(get_stock))
            .route("/books/{isbn}/cover", get(get_cover).put(written))
            .route("/orders/{id}", get(no_order))
            .fallback(written)
            .layer(middleware::from_fn_with_state(Arc::clone(&shop), admit))
            // No key is wanted there, nor sent.
            .route("/health", get(StatusCode::NO_CONTENT))
            .with_state(Arc::clone(&shop));
        let task = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, routes).await {
                tracing::error!(%error, "the demo's API ended");
            }
        });
        Ok(Bookshop { shop, task })
    }
}

impl Bookshop {
    /// What arrived since this was last asked, in order.
    pub(super) fn take_received(&self) -> Vec<Received> {
        std::mem::take(&mut *self.shop.received())
    }
}

impl Drop for Bookshop {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Shop {
    fn received(&self) -> std::sync::MutexGuard<'_, Vec<Received>> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps the request, and lets it in only with the key.
async fn admit(State(shop): State<Arc<Shop>>, request: Request, next: Next) -> Response {
    let keys: Vec<_> = request.headers().get_all(KEY_HEADER).iter().collect();
    let authorised = matches!(keys.as_slice(), [key] if key.as_bytes() == shop.key.as_bytes());
    let target = request.uri().path_and_query().map_or("/", |it| it.as_str());
    shop.received().push(Received {
        line: format!("{} {target}", request.method()),
        authorised,
    });
    if authorised {
        next.run(request).await
    } else {
        problem(StatusCode::UNAUTHORIZED, "the key is missing or wrong")
    }
}

#[derive(Debug, Deserialize)]
struct Wanted {
    genre: Option<String>,
    #[serde(rename = "maxPrice")]
    max_price: Option<f64>,
    limit: Option<usize>,
    page: Option<usize>,
}

async fn list_books(Query(wanted): Query<Wanted>, uri: Uri) -> Response {
    // `language` may be repeated, which the query type above cannot hold.
    let languages: Vec<_> = uri
        .query()
        .unwrap_or_default()
        .split('&')
        .filter_map(|item| item.strip_prefix("language="))
        .collect();
    let limit = wanted.limit.unwrap_or(20);
    let books = BOOKS
        .into_iter()
        .filter(|book| wanted.genre.as_deref().is_none_or(|it| it == book.genre))
        .filter(|book| wanted.max_price.is_none_or(|it| book.price <= it))
        .filter(|book| languages.is_empty() || languages.contains(&book.language))
        .skip(limit.saturating_mul(wanted.page.unwrap_or(1).saturating_sub(1)))
        .take(limit);
    json_response(&books.collect::<Vec<_>>())
}

async fn get_book(Path(isbn): Path<String>) -> Response {
    match BOOKS.iter().find(|book| book.isbn == isbn) {
        Some(book) => json_response(&book),
        None => problem(StatusCode::NOT_FOUND, "there is no such book"),
    }
}

/// One grey point.
const COVER: &[u8] =
    b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\
    \x00\x00\x00\x00:~\x9bU\x00\x00\x00\x0aIDATx\xdac\xa8\x07\x00\x00\x81\x00\x80~\x1c)\xc7\x00\x00\
    \x00\x00IEND\xaeB`\x82";

async fn get_cover(Path(isbn): Path<String>) -> Response {
    if BOOKS.iter().any(|book| book.isbn == isbn) {
        ([(CONTENT_TYPE, "image/png")], COVER).into_response()
    } else {
        problem(StatusCode::NOT_FOUND, "there is no such book")
    }
}

async fn get_stock(Path(isbn): Path<String>, headers: HeaderMap) -> Response {
    let branch = headers.get("x-branch").and_then(|it| it.to_str().ok());
    let position = BOOKS.iter().position(|book| book.isbn == isbn);
    let (Some(position), Some(branch)) = (position, branch) else {
        return problem(StatusCode::NOT_FOUND, "there is no such book or branch");
    };
    let copies = if branch == "harbour" {
        3 * position + 1
    } else {
        position
    };
    json_response(&json!({"isbn": isbn, "branch": branch, "copies": copies}))
}

async fn no_order() -> Response {
    problem(StatusCode::NOT_FOUND, "there is no such order")
}

async fn written() -> Response {
    (StatusCode::CREATED, json_response(&json!({"done": true}))).into_response()
}

fn problem(status: StatusCode, message: &str) -> Response {
    (status, json_response(&json!({"message": message}))).into_response()
}

/// JSON, without axum's own: its feature makes `serde_json` take an object with a certain key for
/// JSON text to parse, everywhere in the program.
fn json_response(value: &impl Serialize) -> Response {
    let text = serde_json::to_string(value).unwrap_or_default();
    ([(CONTENT_TYPE, "application/json")], text).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_shop_checks_its_key_and_keeps_what_arrived() {
        let closed = Closed::new("right".to_owned()).expect("a port");
        let url = format!(
            "{}/books?genre=mystery&maxPrice=20&language=de&language=en",
            closed.url()
        );
        let shop = closed.open().expect("it opens");
        let client = reqwest::Client::builder()
            .no_proxy()
            .build()
            .expect("a client");
        let get = |key: &'static str| client.get(&url).header("X-Shop-Key", key).send();
        assert_eq!(get("wrong").await.expect("an answer").status(), 401);
        let books: serde_json::Value = get("right")
            .await
            .expect("an answer")
            .json()
            .await
            .expect("JSON");
        let titles: Vec<_> = books
            .as_array()
            .expect("a list")
            .iter()
            .map(|book| book["title"].as_str().expect("a title"))
            .collect();
        assert_eq!(titles, ["The Locked Lighthouse", "Der stille Kanal"]);

        let line = "GET /books?genre=mystery&maxPrice=20&language=de&language=en".to_owned();
        assert_eq!(
            shop.take_received(),
            [
                Received {
                    line: line.clone(),
                    authorised: false
                },
                Received {
                    line,
                    authorised: true
                },
            ]
        );
        assert_eq!(shop.take_received(), []);

        let health = format!("{}/health", url.split("/books").next().unwrap_or_default());
        let health = client.get(health).send().await.expect("an answer");
        assert_eq!(health.status(), 204);

        // The document says a picture; the answer was that of a write.
        let url = url.replace("/books?genre=mystery&", "/books/9780000000017/cover?");
        let cover = client.get(&url).header("X-Shop-Key", "right").send().await;
        let cover = cover.expect("an answer");
        assert_eq!(cover.headers()[CONTENT_TYPE], "image/png");
        assert!(cover.bytes().await.expect("bytes").starts_with(b"\x89PNG"));
    }
}
