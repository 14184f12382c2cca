//! A catalogue of three servers, and queries of each kind.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::{Document, Hit, Index, MAX_QUERY_BYTES, Named, Query};

/// Server, title; then a line a function: method, path, operationId, tag, summary, names of parameters
/// and fields, a description.
const LIBRARY: &str = "\
GET|/v1/books|listBooks|books|List all books|page per_page genre|
POST|/v1/books|createBook|books|Create a book|title isbn_number page_count|
GET|/v1/books/{book_id}|getBook|books|Get a book|book_id|
PATCH|/v1/books/{book_id}|updateBook|books|Update a book|book_id title|
DELETE|/v1/books/{book_id}|deleteBook|books|Delete a book|book_id|
GET|/v1/books/{book_id}/copies|listBookCopies|copies|List copies of a book|book_id|
POST|/v1/books/{book_id}/copies|addBookCopy|copies|Add a copy of a book|book_id shelf_mark|
GET|/v1/authors|listAuthors|authors|List authors||
GET|/v1/authors/{author_id}|getAuthor|authors|Get an author|author_id|
POST|/v1/loans|createLoan|loans|Lend a book to a reader|due_date reader_id|
POST|/v1/loans/{loan_id}/renew|renewLoan|loans|Renew a loan|loan_id|Puts the due date off by two weeks.
POST|/v1/loans/{loan_id}/return|returnLoan|loans|Take a book back|loan_id|
GET|/v1/readers|listReaders|readers|List readers|with_overdue_loans|
POST|/v1/readers|createReader|readers|Register a reader|birth_date|
GET|/v1/readers/{reader_id}/fines|listReaderFines|fines|List the fines of a reader|reader_id|
POST|/v1/webhooks|createWebhook|webhooks|Create a webhook|callback_url|
GET|/v1/rate_limit|getRateLimit|meta|Get the rate limit||";

const GARAGE: &str = "\
GET|/cars|cars.list|cars|List cars|fuel_type seats|
POST|/cars|cars.create|cars|Register a car|license_plate|
GET|/cars/{car}|cars.get|cars|Get a car|car|
DELETE|/cars/{car}|cars.delete|cars|Remove a car|car|
GET|/cars/{car}/mileage|cars.getMileage|cars|Get the mileage of a car|car|
POST|/cars/{car}/repairs|repairs.create|repairs|Order a repair|car urgency|
GET|/cars/{car}/repairs/{repair}|repairs.get|repairs|Get a repair|car repair|
POST|/rentals|rentals.create|rentals|Rent a car to a customer|pickup_time|
POST|/rentals/{rental}/extend|rentals.extend|rentals|Extend a rental|rental|
POST|/rentals/{rental}/invoice|rentals.invoice|invoices|Send the invoice of a rental|rental|
GET|/invoices|invoices.list|invoices|List invoices||
POST|/invoices/{invoice}/refund|invoices.refund|invoices|Refund an invoice|invoice amount_cents|
GET|/regions|regions.list|regions|List regions||
POST|/hooks|webhooks.create|webhooks|Create a webhook|target|
GET|/health|health|meta|Whether the service is up||";

const POST_OFFICE: &str = "\
POST|/chat.postMessage|chat_postMessage|chat|Send a message to a channel|channel text|
POST|/chat.delete|chat_delete|chat|Delete a message|channel ts|
GET|/conversations.list|conversations_list|conversations|List channels|exclude_archived|
POST|/conversations.archive|conversations_archive|conversations|Archive a channel|channel|
POST|/conversations.rename|conversations_rename|conversations|Rename a channel|channel name|
GET|/users.lookupByEmail|users_lookupByEmail|users|Find a user by e-mail address|email|
GET|/users.list|users_list|users|List users||
POST|/users.setPhoto|users_setPhoto|users|Set the photo of a user|crop_x crop_y|
POST|/reminders.add|reminders_add|reminders|Create a reminder|time|
POST|/files.upload|files_upload|files|Upload a file|initial_comment|
GET|/config_maps/{name}|getConfigMap|configuration|Get a configmap|name|
POST|/rollback|applicationRollback|deploys|Undo the last deployment||
GET|/team.info|team_info|team|Get information about the team||";

fn documents() -> Vec<Document> {
    let servers = [
        ("library", "Town Library API", LIBRARY),
        ("garage", "Car Rental", GARAGE),
        ("post_office", "Messages and Channels", POST_OFFICE),
    ];
    let lines = servers.iter().flat_map(|(server, title, functions)| {
        functions.lines().map(move |line| (*server, *title, line))
    });
    lines.map(document).collect()
}

fn document((server, title, line): (&str, &str, &str)) -> Document {
    let cells: Vec<&str> = line.split('|').collect();
    let named = |name: &str| Named {
        name: name.to_owned(),
        ..Named::default()
    };
    Document {
        server: server.to_owned(),
        title: title.to_owned(),
        function: cells[2].to_lowercase().replace('.', "_"),
        operation_id: cells[2].to_owned(),
        method: cells[0].to_owned(),
        path: cells[1].to_owned(),
        tags: vec![cells[3].to_owned()],
        summary: cells[4].to_owned(),
        description: cells[6].to_owned(),
        parameters: cells[5].split(' ').map(named).collect(),
        body_fields: Vec::new(),
    }
}

/// The `METHOD path` of hits.
fn found(index: &Index, documents: &[Document], query: &Query<'_>) -> Vec<String> {
    let hits = index.search(query);
    hits.iter()
        .map(|hit| {
            let document = &documents[hit.document];
            format!("{} {}", document.method, document.path)
        })
        .collect()
}

/// Each query's best hit.
fn best(queries: &[(&str, &str)]) {
    let documents = documents();
    let index = Index::build(&documents);
    let wrong: Vec<_> = queries
        .iter()
        .map(|(text, wanted)| (text, wanted, found(&index, &documents, &Query::new(text))))
        .filter(|(_, wanted, found)| found.first().is_none_or(|it| it != *wanted))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn sentences_find_what_they_describe() {
    best(&[
        ("lend a book to somebody", "POST /v1/loans"),
        (
            "which fines does a reader have",
            "GET /v1/readers/{reader_id}/fines",
        ),
        ("get the mileage of my car", "GET /cars/{car}/mileage"),
        ("send a message to a channel", "POST /chat.postMessage"),
        ("delete a message", "POST /chat.delete"),
        (
            "two weeks more before it is due",
            "POST /v1/loans/{loan_id}/renew",
        ),
    ]);
}

#[test]
fn one_or_two_words_find_the_plainest() {
    best(&[
        ("authors", "GET /v1/authors"),
        ("rate limit", "GET /v1/rate_limit"),
        ("create book", "POST /v1/books"),
        ("refund", "POST /invoices/{invoice}/refund"),
        ("regions", "GET /regions"),
    ]);
}

#[test]
fn identifiers_are_found_in_any_spelling() {
    best(&[
        ("listBookCopies", "GET /v1/books/{book_id}/copies"),
        ("list_book_copies", "GET /v1/books/{book_id}/copies"),
        ("list-book-copies", "GET /v1/books/{book_id}/copies"),
        ("ListBookCopies", "GET /v1/books/{book_id}/copies"),
        ("list book copies", "GET /v1/books/{book_id}/copies"),
        ("listbookcopies", "GET /v1/books/{book_id}/copies"),
        ("chat.postMessage", "POST /chat.postMessage"),
        ("repairs create", "POST /cars/{car}/repairs"),
        ("users.lookupByEmail", "GET /users.lookupByEmail"),
        ("config map", "GET /config_maps/{name}"),
        ("roll back", "POST /rollback"),
    ]);
}

#[test]
fn paths_are_found_with_placeholders_values_and_gaps() {
    best(&[
        (
            "/v1/books/{book_id}/copies",
            "GET /v1/books/{book_id}/copies",
        ),
        (
            "POST /v1/books/{id}/copies",
            "POST /v1/books/{book_id}/copies",
        ),
        ("GET /v1/loans/42/renew", "POST /v1/loans/{loan_id}/renew"),
        ("/cars/7/repairs/9", "GET /cars/{car}/repairs/{repair}"),
        ("cars/.../repairs", "POST /cars/{car}/repairs"),
        (
            "https://garage.example/cars/7/mileage?unit=km",
            "GET /cars/{car}/mileage",
        ),
        ("/api/regions", "GET /regions"),
        (
            "invoices/{invoice}/refund",
            "POST /invoices/{invoice}/refund",
        ),
    ]);
}

#[test]
fn misspelt_words_find_what_was_meant() {
    best(&[
        ("create a remindr", "POST /reminders.add"),
        ("refnud an invoice", "POST /invoices/{invoice}/refund"),
        ("list athors", "GET /v1/authors"),
        ("get the milaege", "GET /cars/{car}/mileage"),
        ("rename a chanel", "POST /conversations.rename"),
    ]);
}

#[test]
fn parameters_are_found_by_their_names() {
    best(&[
        ("isbn_number and page_count", "POST /v1/books"),
        ("license plate", "POST /cars"),
        ("exclude_archived", "GET /conversations.list"),
        ("with overdue loans", "GET /v1/readers"),
        ("cropX and cropY", "POST /users.setPhoto"),
    ]);
}

#[test]
fn the_name_of_a_server_decides_between_servers() {
    best(&[
        ("library create webhook", "POST /v1/webhooks"),
        ("garage create webhook", "POST /hooks"),
        ("car rental webhook", "POST /hooks"),
        ("town library webhook", "POST /v1/webhooks"),
    ]);
}

#[test]
fn synonyms_stand_for_words() {
    best(&[
        ("automobiles", "GET /cars"),
        ("set the picture of a user", "POST /users.setPhoto"),
    ]);
}

#[test]
fn what_nothing_fits_finds_nothing() {
    let documents = documents();
    let index = Index::build(&documents);
    for text in [
        "knit a woollen jumper",
        "tomorrow's weather in Lisbon",
        "blood pressure of a patient",
        "how tall is the Eiffel tower",
        "",
        "   ",
        "///",
        "{}",
    ] {
        assert_eq!(
            found(&index, &documents, &Query::new(text)),
            [""; 0],
            "{text}"
        );
    }
}

#[test]
fn filters_narrow_and_unknown_ones_find_nothing() {
    let documents = documents();
    let index = Index::build(&documents);
    let query = Query::new("create a webhook");
    let of_server = |server| Query {
        server: Some(server),
        ..query
    };
    let of_tag = |tag| Query {
        tag: Some(tag),
        ..query
    };
    assert_eq!(
        found(&index, &documents, &of_server("garage")),
        ["POST /hooks"]
    );
    assert_eq!(found(&index, &documents, &of_server("nowhere")), [""; 0]);
    let tagged = found(&index, &documents, &of_tag("WEBHOOKS"));
    assert_eq!(tagged, ["POST /hooks", "POST /v1/webhooks"]);
    assert_eq!(found(&index, &documents, &of_tag("nothing")), [""; 0]);
    let refund = Query {
        server: Some("library"),
        ..Query::new("refund an invoice")
    };
    assert_eq!(found(&index, &documents, &refund), [""; 0]);
    let loose = Query {
        is_loose: true,
        ..Query::new("zebra crossings of a webhook")
    };
    let nearest = found(&index, &documents, &loose);
    assert!(nearest.starts_with(&["POST /v1/webhooks".to_owned(), "POST /hooks".to_owned()]));
    let strict = Query {
        is_loose: false,
        ..loose
    };
    assert_eq!(found(&index, &documents, &strict), [""; 0]);
    let one = Query { limit: 1, ..query };
    assert_eq!(index.search(&one).len(), 1);
    assert_eq!(
        index.search(&Query { limit: 0, ..query }),
        Vec::<Hit>::new()
    );
}

#[test]
fn an_index_of_nothing_finds_nothing() {
    let index = Index::build(&[]);
    assert!(index.is_empty());
    assert_eq!(
        index.search(&Query::new("GET /v1/books")),
        Vec::<Hit>::new()
    );
}

#[test]
fn a_query_of_a_megabyte_is_read_to_its_limit_only() {
    let documents = documents();
    let index = Index::build(&documents);
    for piece in ["books ", "/books", "qwertyuiop", "\u{1f4da}", "listBooks_"] {
        let text = piece.repeat((1 << 20) / piece.len());
        let begun = Instant::now();
        let hits = index.search(&Query::new(&text));
        assert!(begun.elapsed() < Duration::from_secs(1), "{piece}");
        let end = (0..=MAX_QUERY_BYTES)
            .rev()
            .find(|it| text.is_char_boundary(*it));
        let read = end.and_then(|end| text.get(..end)).unwrap_or_default();
        assert_eq!(hits, index.search(&Query::new(read)), "{piece}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_query_has_ordered_hits_and_the_same_again(text in ".{0,80}", word in "[a-z/{}. ]{0,40}") {
        let documents = documents();
        let index = Index::build(&documents);
        for text in [&text, &word] {
            let query = Query { limit: 50, ..Query::new(text) };
            let hits = index.search(&query);
            prop_assert!(hits.iter().all(|it| it.score > 0.0 && it.score.is_finite()));
            let are_ordered = hits.is_sorted_by(|one, other| {
                one.score > other.score
                    || (one.score >= other.score && one.document < other.document)
            });
            prop_assert!(are_ordered);
            prop_assert_eq!(hits, Index::build(&documents).search(&query));
        }
    }

    #[test]
    fn any_document_can_be_indexed(text in ".{0,60}", path in "[/{}a-z%.:]{0,30}") {
        let document = Document {
            server: text.clone(),
            operation_id: text.clone(),
            path,
            tags: vec![text.clone()],
            summary: text.clone(),
            ..Document::default()
        };
        let index = Index::build(&[document]);
        prop_assert!(index.search(&Query::new(&text)).len() <= 1);
    }
}
