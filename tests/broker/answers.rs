//! What the sandbox gets of an answer.

use std::io::Write as _;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mce::sandbox::{Call, CallError, Reply};
use mce::wire::Value;
use serde_json::json;

use crate::capture::{Capture, response};
use crate::fixture::{Setup, Shop, function, given, manifest, parameter};

const JSON: (&str, &str) = ("content-type", "application/json");

async fn answering(
    answer: impl Fn(&crate::capture::Captured) -> Vec<u8> + Send + Sync + 'static,
) -> (Capture, Shop) {
    let api = Capture::start(answer).await;
    let shop = setup().at(&api.url()).build();
    (api, shop)
}

fn setup() -> Setup {
    let id = || parameter("id", "path", json!({}));
    Setup::new(manifest(
        vec![
            function("get", "GET", "/items/{id}", &[id()], json!([])),
            function("post", "POST", "/items/{id}", &[id()], json!([])),
        ],
        &[("GET", "/items/secret"), ("GET", "/admin")],
    ))
    .variable("MCE_SHOP_AUTH", "Bearer canary/secret+value 1")
}

async fn get(shop: &Shop) -> Result<Value, CallError> {
    shop.call("get", json!({"id": "1"})).await
}

#[tokio::test]
async fn an_error_status_carries_body_and_shown_headers() {
    let (_api, shop) = answering(|_| {
        response(
            429,
            &[
                JSON,
                ("Retry-After", "7"),
                ("X-RateLimit-Remaining", "0"),
                ("Set-Cookie", "a=b"),
                ("Server", "x"),
                ("Location", "/elsewhere"),
            ],
            r#"{"message": "slow down"}"#,
        )
    })
    .await;
    let Err(CallError::Api {
        status,
        message,
        body,
        headers,
    }) = get(&shop).await
    else {
        panic!("an error");
    };
    assert_eq!(status, 429);
    assert_eq!(message, "429 Too Many Requests: slow down");
    assert_eq!(body, json!({"message": "slow down"}).into());
    let headers: Vec<_> = headers.into_iter().collect();
    let expected = [JSON, ("retry-after", "7"), ("x-ratelimit-remaining", "0")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(headers, expected);
    let record = shop.records.all().remove(0);
    assert_eq!(record.status, Some(429));
    assert_eq!(record.error.as_deref(), Some("api"));
    assert_eq!(record.refusal, None);
}

#[tokio::test]
async fn an_echoing_api_yields_no_secret() {
    use base64::Engine as _;
    let secret = "canary/secret+value 1";
    let header = format!("Bearer {secret}");
    let base64 = base64::engine::general_purpose::STANDARD.encode(format!("x{header}y"));
    let hex = "63616e6172792f7365637265742b76616c75652031";
    let body = json!({
        "headers": {"Authorization": header},
        "escaped": "canary%2Fsecret%2Bvalue%201",
        "form": "canary%2Fsecret%2Bvalue+1",
        "json": "{\"a\": \"canary\\/secret+value 1\"}",
        "in part": "canary/secret%2Bvalue%201", "twice": "canary%252Fsecret%252Bvalue%25201",
        "base64": base64, "hex": hex, secret: 1,
    })
    .to_string();
    let link = format!("<https://x/?t={secret}>");
    for status in [200, 400] {
        let (body, link) = (body.clone(), link.clone());
        let (_api, shop) =
            answering(move |_| response(status, &[JSON, ("Link", &link)], &body)).await;
        let text = match get(&shop).await {
            Ok(value) => value.into_json().to_string(),
            Err(error) => format!("{error:?}"),
        };
        for spelling in ["canary", "Y2FuYXJ5", "jYW5hcn", "NhbmFye", hex] {
            assert!(!text.contains(spelling), "{spelling} in {text}");
        }
        assert!(text.contains("[redacted]"));
    }
}

#[tokio::test]
async fn an_api_that_reflects_what_it_received_yields_no_credential() {
    let api = Capture::start(|request| {
        let all = format!("{} {:?}", request.line, request.headers);
        let headers = [
            JSON,
            ("etag", all.as_str()),
            ("x-page-echo", request.header("authorization")[0]),
            ("set-cookie", "a=b"),
        ];
        response(
            418,
            &headers,
            json!({"message": all, "all": all}).to_string(),
        )
    })
    .await;
    let mut secured = manifest(
        vec![function(
            "f",
            "GET",
            "/f",
            &[],
            json!([{"all": [], "key": [], "ck": []}]),
        )],
        &[],
    );
    secured.security_schemes = serde_json::from_value(json!({
        "all": {"type": "http", "scheme": "basic", "in": null, "name": null},
        "key": {"type": "apiKey", "scheme": null, "in": "query", "name": "key"},
        "ck": {"type": "apiKey", "scheme": null, "in": "cookie", "name": "ck"},
    }))
    .unwrap();
    let shop = Setup::new(secured)
        .at(&api.url())
        .variable("MCE_SHOP_AUTH", "Basic dXNlcjpjYW5hcnktcGFzc3dvcmQ=")
        .variable("MCE_SHOP_API_KEY", "canary key/with=signs")
        .variable("MCE_SHOP_COOKIE", "sid=canary-session")
        .variable(
            "MCE_SHOP_EXTRA_HEADERS",
            r#"{"X-Extra": "canary-0123456789"}"#,
        )
        .build();
    let error = format!("{:?}", shop.call("f", json!({})).await.unwrap_err());
    let request = api.only();
    assert_eq!(
        request.line,
        "GET /f?key=canary%20key%2Fwith%3Dsigns HTTP/1.1"
    );
    assert_eq!(request.header("x-extra"), ["canary-0123456789"]);
    assert_eq!(
        request.header("cookie"),
        ["ck=canary key/with=signs; sid=canary-session"]
    );
    for secret in ["canary", "dXNlcjpjYW5h", "set-cookie"] {
        assert!(!error.contains(secret), "{secret} in {error}");
    }
    assert!(error.contains("418"), "{error}");
}

#[tokio::test]
async fn a_short_secret_is_removed_as_a_whole_text_or_header_value() {
    let api = Capture::start(|_| {
        let headers = [JSON, ("etag", "s3cret"), ("etag", "W/s3cret")];
        response(400, &headers, r#"{"a": "s3cret", "b": "is s3cret"}"#)
    })
    .await;
    let manifest = manifest(vec![function("f", "GET", "/f", &[], json!([]))], &[]);
    let shop = Setup::new(manifest)
        .at(&api.url())
        .variable("MCE_SHOP_API_KEY", "s3cret")
        .build();
    let Err(CallError::Api { body, headers, .. }) = shop.call("f", json!({})).await else {
        panic!("it is an error");
    };
    assert_eq!(body, json!({"a": "[redacted]", "b": "is s3cret"}).into());
    assert_eq!(headers["etag"], "[redacted], W/s3cret");
}

#[tokio::test]
async fn an_echo_that_is_compressed_and_cut_into_chunks_yields_no_secret() {
    let (_api, shop) = answering(|_| {
        let text = r#"{"a": "Bearer canary/secret+value 1"}"#;
        let mut bytes = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
            transfer-encoding: chunked\r\n\r\n"
            .to_vec();
        for byte in text.bytes() {
            bytes.extend_from_slice(&[b'1', b'\r', b'\n', byte, b'\r', b'\n']);
        }
        bytes.extend_from_slice(b"0\r\n\r\n");
        bytes
    })
    .await;
    assert_eq!(get(&shop).await.unwrap(), json!({"a": "[redacted]"}).into());
}

#[tokio::test]
async fn a_secret_at_the_cut_of_a_message_is_not_left_in_half() {
    let (_api, shop) = answering(|_| {
        let text = format!("{}canary/secret+value 1", "x".repeat(270));
        response(500, &[JSON], json!({"message": text}).to_string())
    })
    .await;
    let error = get(&shop).await.unwrap_err();
    assert!(!error.to_string().contains("can"), "{error}");
}

#[tokio::test]
async fn too_large_an_answer_is_refused_however_it_comes() {
    let mut setup_small = setup();
    setup_small.limits.max_response_bytes = 1000;
    let unfolding = {
        let mut zipped = flate(&vec![b' '; 1_000_000]);
        let mut head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\n\
             content-length: {}\r\n\r\n",
            zipped.len()
        )
        .into_bytes();
        head.append(&mut zipped);
        head
    };
    let announced = response(200, &[JSON], " ".repeat(1001));
    let mut unannounced = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
        transfer-encoding: chunked\r\n\r\n"
        .to_vec();
    for _ in 0..11 {
        let _ = write!(unannounced, "64\r\n{}\r\n", " ".repeat(100));
    }
    unannounced.extend_from_slice(b"0\r\n\r\n");
    for bytes in [unfolding, announced, unannounced] {
        let api = Capture::start(move |_| bytes.clone()).await;
        let mut setup = setup().at(&api.url());
        setup.limits.max_response_bytes = 1000;
        let shop = setup.build();
        let error = get(&shop).await.unwrap_err();
        assert_eq!(error.kind(), "network");
        assert!(
            error.to_string().contains("larger than 1000 bytes"),
            "{error}"
        );
    }
}

/// All of it was lost, as of any answer that is too large.
#[tokio::test]
async fn a_stream_beyond_the_limit_keeps_what_arrived_whole() {
    let mut bytes = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
        transfer-encoding: chunked\r\n\r\n"
        .to_vec();
    for number in 0..20 {
        let event = format!("id: {number}\ndata: {}\n\n", "x".repeat(85));
        let _ = write!(bytes, "{:x}\r\n{event}\r\n", event.len());
    }
    bytes.extend_from_slice(b"0\r\n\r\n");
    let api = Capture::start(move |_| bytes.clone()).await;
    let mut setup = setup().at(&api.url());
    setup.limits.max_response_bytes = 1000;
    let shop = setup.build();
    let reply = shop
        .host
        .perform(Call {
            server: "shop".to_owned(),
            function: "get".to_owned(),
            arguments: given(json!({"id": "1"})),
            content_type: None,
        })
        .await
        .unwrap();
    let Value::Array(events) = reply.value else {
        panic!("a list of events");
    };
    let Some(Value::Object(last)) = events.last() else {
        panic!("an event");
    };
    assert!((8..=10).contains(&events.len()), "{}", events.len());
    assert_eq!(last["data"], Value::String("x".repeat(85)));
    let cut = reply.stream.unwrap().cut.unwrap();
    assert_eq!(cut.kind(), "limit");
    assert!(cut.to_string().contains("1000 bytes"), "{cut}");
}

/// Both ended as if that had been all.
#[tokio::test]
async fn a_stream_that_breaks_off_or_goes_on_too_long_says_so() {
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked";
    for (end, kind, said) in [
        ("no size\r\n", "network", "the stream broke off"),
        ("", "limit", "`MCE_STREAM_SECONDS`"),
    ] {
        let bytes = format!("{head}\r\n\r\n5\r\n1\n2\n3\r\n{end}");
        let api = Capture::start(move |_| bytes.clone().into_bytes()).await;
        let mut setup = setup().at(&api.url());
        setup.limits.stream_time = Duration::from_millis(300);
        let reply = perform_get(&setup.build()).await;
        assert_eq!(reply.value.into_json().to_string(), "[1,2]");
        let cut = reply.stream.unwrap().cut.unwrap();
        assert_eq!(cut.kind(), kind, "{cut}");
        assert!(cut.to_string().contains(said), "{cut}");
    }
}

/// An item of a sequence may hold line ends: it is whole when the next begins.
#[tokio::test]
async fn a_sequence_that_is_cut_keeps_no_half_item() {
    let text = "\u{1e}{\"a\":\n1}\n\u{1e}{\"a\":\n".to_owned() + &"2".repeat(2000);
    let bytes = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json-seq\r\ncontent-length: {}\r\n\r\n{text}",
        text.len() + 1
    );
    let api = Capture::start(move |_| bytes.clone().into_bytes()).await;
    let mut setup = setup().at(&api.url());
    setup.limits.stream_time = Duration::from_millis(300);
    let reply = perform_get(&setup.build()).await;
    assert_eq!(reply.value.into_json().to_string(), "[{\"a\":1}]");
}

async fn perform_get(shop: &Shop) -> Reply {
    let call = Call {
        server: "shop".to_owned(),
        function: "get".to_owned(),
        arguments: given(json!({"id": "1"})),
        content_type: None,
    };
    shop.host.perform(call).await.unwrap()
}

/// Gzip without a library: stored blocks would not unfold, so runs of one byte are written as
/// the longest repeats of deflate's fixed codes.
pub fn flate(bytes: &[u8]) -> Vec<u8> {
    let byte = bytes[0];
    let mut bits: Vec<bool> = vec![true, true, false];
    let literal = 0x30 + u16::from(byte);
    let push = |bits: &mut Vec<bool>, value: u16, count: u32| {
        for index in (0..count).rev() {
            bits.push(value >> index & 1 == 1);
        }
    };
    push(&mut bits, literal, 8);
    for _ in 0..(bytes.len() - 1) / 258 {
        // Length 258 (code 285), distance 1 (code 0).
        push(&mut bits, 0b1100_0101, 8);
        push(&mut bits, 0, 5);
    }
    push(&mut bits, 0, 7);
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    for eight in bits.chunks(8) {
        let byte = eight
            .iter()
            .enumerate()
            .fold(0, |byte, (index, bit)| byte | u8::from(*bit) << index);
        out.push(byte);
    }
    // Checksum and length, never reached.
    out.extend_from_slice(&[0; 8]);
    out
}

#[tokio::test]
async fn a_slow_api_ends_in_a_clear_error() {
    let api = wiremock::MockServer::start().await;
    let slow = wiremock::ResponseTemplate::new(200).set_delay(std::time::Duration::from_secs(20));
    wiremock::Mock::given(wiremock::matchers::any())
        .respond_with(slow)
        .mount(&api)
        .await;
    let mut setup = setup().at(&api.uri());
    setup.config.timeout = Some(std::time::Duration::from_millis(200));
    let error = get(&setup.build()).await.unwrap_err();
    assert_eq!(error.to_string(), "`shop` gave no answer within 0.2 s");
    assert_eq!(error.kind(), "network");
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_an_error() {
    let (_api, shop) = answering(|_| b"nonsense\r\n\r\n".to_vec()).await;
    assert_eq!(get(&shop).await.unwrap_err().kind(), "network");
}

#[tokio::test]
async fn a_redirect_within_the_operation_is_followed() {
    let (api, shop) = answering(|request| {
        if request.line.starts_with("GET /items/1 ") {
            response(302, &[("location", "/items/2/")], "")
        } else {
            response(200, &[JSON], "true")
        }
    })
    .await;
    assert_eq!(get(&shop).await.unwrap(), Value::Bool(true));
    let lines: Vec<_> = api.requests().into_iter().map(|it| it.line).collect();
    assert_eq!(lines, ["GET /items/1 HTTP/1.1", "GET /items/2/ HTTP/1.1"]);
}

#[tokio::test]
async fn a_redirect_anywhere_else_is_the_answer() {
    let other = Capture::json("{}").await;
    let elsewhere = format!("{}/items/1", other.url());
    for location in [
        elsewhere.as_str(),
        "/admin",
        "/items/secret",
        "/items/a%2F..%2Fsecret",
        "/undocumented",
        "//169.254.169.254/items/1",
        "http://user@127.0.0.1/items/1",
        "file:///etc/passwd",
        "http://[",
    ] {
        let target = location.to_owned();
        let (api, shop) =
            answering(move |_| response(307, &[("location", &target)], "moved")).await;
        let Err(CallError::Api {
            status,
            headers,
            message,
            ..
        }) = get(&shop).await
        else {
            panic!("{location}: an error");
        };
        assert_eq!(status, 307, "{location}");
        assert!(message.contains("not followed"), "{message}");
        assert!(!headers.contains_key("location"));
        assert_eq!(api.requests().len(), 1, "{location}");
    }
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn a_write_is_never_repeated_by_a_redirect() {
    let (api, shop) = answering(|_| response(307, &[("location", "/items/2")], "")).await;
    let error = shop.call("post", json!({"id": "1"})).await.unwrap_err();
    assert!(matches!(error, CallError::Api { status: 307, .. }));
    assert_eq!(api.requests().len(), 1);
}

#[tokio::test]
async fn a_redirect_that_never_ends_does() {
    let (api, shop) = answering(|_| response(302, &[("location", "/items/1")], "")).await;
    let error = get(&shop).await.unwrap_err();
    assert!(matches!(error, CallError::Api { status: 302, .. }));
    assert_eq!(api.requests().len(), 6);
}

/// `serde_json` passes numbers to its reader as an object with a key of its own, and takes such an
/// object in a text for a number too.
#[tokio::test]
async fn an_object_with_a_key_of_the_json_parsers_own_is_data_like_any_other() {
    for body in [
        r#"{"$serde_json::private::Number":"12"}"#,
        r#"{"$serde_json::private::Number":"no number","b":1}"#,
        r#"{"a":{"$serde_json::private::RawValue":"{\"z\":1}"}}"#,
    ] {
        let (_api, shop) = answering(move |_| response(200, &[JSON], body)).await;
        assert_eq!(get(&shop).await.unwrap().into_json().to_string(), body);
    }
}

/// A value costs the host some hundred bytes: a body of a few MiB was worth gigabytes.
#[tokio::test]
async fn an_answer_of_millions_of_values_is_refused_before_it_fills_the_memory() {
    let (_api, shop) =
        answering(|_| response(200, &[JSON], format!("[{}0]", "0,".repeat(2_000_000)))).await;
    let Err(CallError::Api {
        status, message, ..
    }) = get(&shop).await
    else {
        panic!("an error");
    };
    assert_eq!(status, 200);
    assert_eq!(
        message,
        "200, but the answer cannot be read: the response is JSON of more than 1,000,000 values; \
         ask for fewer at once"
    );
}

/// What cannot be decompressed cannot be freed of secrets, and code could decompress it.
#[tokio::test]
async fn an_answer_in_an_encoding_that_was_not_asked_for_is_refused() {
    for encoding in ["gzip, gzip", "zstd", "compress", "aes128gcm"] {
        let header = ("content-encoding", encoding);
        let (_api, shop) = answering(move |_| response(200, &[JSON, header], "{}")).await;
        let Err(CallError::Network { message }) = get(&shop).await else {
            panic!("an error: {encoding}");
        };
        assert!(message.contains("compressed in a way"), "{message}");
    }
    let (_api, shop) =
        answering(|_| response(200, &[JSON, ("content-encoding", "Identity")], "{}")).await;
    assert_eq!(get(&shop).await.unwrap(), json!({}).into());
}

/// Of two header lines one coding was undone and both were forgotten: the credential went through.
#[tokio::test]
async fn an_answer_that_is_compressed_twice_is_refused_however_it_says_so() {
    let twice = [("content-encoding", "gzip"), ("content-encoding", "gzip")];
    let once = [("content-encoding", "gzip, gzip")];
    for headers in [twice.as_slice(), once.as_slice()] {
        let headers = [headers, &[JSON]].concat();
        let (_api, shop) =
            answering(move |_| response(200, &headers, flate(&vec![b'1'; 300]))).await;
        let error = get(&shop).await.unwrap_err().to_string();
        assert_eq!(
            error,
            "the answer is compressed in a way that was not asked for"
        );
    }
    // One coding under its other names is undone.
    for coding in ["gzip", "GZIP", "x-gzip"] {
        let (_api, shop) = answering(move |_| {
            let headers = [JSON, ("content-encoding", coding)];
            response(200, &headers, gzip(b"[1]"))
        })
        .await;
        assert_eq!(get(&shop).await.unwrap(), json!([1]).into(), "{coding}");
    }
}

/// Gzip of a few bytes, stored.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).unwrap();
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(&(!length).to_le_bytes());
    out.extend_from_slice(bytes);
    let mut checksum = !0_u32;
    for byte in bytes {
        checksum ^= u32::from(*byte);
        for _ in 0..8 {
            checksum = (checksum >> 1) ^ (0xedb8_8320 & (checksum & 1).wrapping_neg());
        }
    }
    out.extend_from_slice(&(!checksum).to_le_bytes());
    out.extend_from_slice(&u32::from(length).to_le_bytes());
    out
}

/// On the one thread of this test, reading the answer where calls wait would stop the ticking for
/// nearly all of the time: so were time limits missed by half a minute.
#[tokio::test]
async fn a_large_answer_is_read_without_holding_up_what_waits() {
    let body = format!("[{}0]", "{\"a\":\"b\"},".repeat(300_000));
    let (_api, shop) = answering(move |_| response(200, &[JSON], &body)).await;
    let started = Instant::now();
    let longest = Arc::new(Mutex::new(Duration::ZERO));
    let ticking = tokio::spawn({
        let longest = Arc::clone(&longest);
        async move {
            let mut last = Instant::now();
            loop {
                tokio::time::sleep(Duration::from_millis(2)).await;
                let mut longest = longest.lock().unwrap();
                *longest = last.elapsed().max(*longest);
                last = Instant::now();
            }
        }
    });
    tokio::task::yield_now().await;
    let answer = get(&shop).await.unwrap();
    let elapsed = started.elapsed();
    // One more tick ends the pause that the answer may have made.
    tokio::time::sleep(Duration::from_millis(10)).await;
    ticking.abort();
    assert!(matches!(answer, Value::Array(items) if items.len() == 300_001));
    let longest = *longest.lock().unwrap();
    assert!(longest * 2 < elapsed, "{longest:?} of {elapsed:?}");
}
