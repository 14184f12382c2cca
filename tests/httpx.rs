//! Plain `httpx` in the sandbox, by the host, to a server on loopback. Needs the engine.

#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

mod sandbox_support;
#[path = "httpx/server.rs"]
mod server;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use assert_cmd::cargo::CommandCargoExt as _;
use mce::broker::{Broker, CallRecord, Limits, Recorder, Scope};
use mce::config::{Environment, ServerConfig};
use mce::python::RUNTIME_SOURCE;
use mce::sandbox::{FailureKind, Host, Outcome, Sandbox as _};
use mce::vault::Vault;
use sandbox_support::{Place, failure, job, kind, module, place_knowing, value};
use serde_json::json;
use server::{BOMB, Server};

#[derive(Default)]
struct Records(Mutex<Vec<CallRecord>>);

impl Recorder for Records {
    fn record(&self, call: CallRecord) {
        self.0.lock().unwrap().push(call);
    }
}

/// A sandbox, a server that code may call, and the place of a compiled server that it may not.
struct Setting {
    place: Place,
    server: Server,
    records: Arc<Records>,
    limits: Limits,
}

impl Setting {
    async fn new() -> Self {
        let server = Server::start().await;
        let place = place_knowing(vec![module("mce_runtime", RUNTIME_SOURCE)]).await;
        let allowed = vec![
            format!("127.0.0.1:{}", server.port),
            // Where the compiled server is.
            "127.0.0.1:9".to_owned(),
        ];
        Self {
            place,
            server,
            records: Arc::default(),
            limits: Limits {
                allowed_domains: Some(allowed),
                ..Limits::default()
            },
        }
    }

    fn host(&self) -> Arc<dyn Host> {
        let environment = Environment::from_pairs([
            ("MCE_SHOP_BASE_URL", "http://127.0.0.1:9/v1"),
            ("MCE_SHOP_AUTH", "Bearer canary-canary"),
        ]);
        let config = Arc::new(ServerConfig {
            name: "shop".to_owned(),
            ..ServerConfig::default()
        });
        let broker = Broker::new(
            BTreeMap::new(),
            Arc::new(Vault::new(std::slice::from_ref(&config), &environment)),
            &environment,
            Arc::clone(&self.records) as Arc<dyn Recorder>,
            self.limits.clone(),
        );
        let broker = Arc::new(broker.keeping_off(&[config], Path::new("nowhere"), &environment));
        broker.host(Scope {
            execution_id: "e".to_owned(),
            principal: "p".to_owned(),
            servers: BTreeSet::new(),
        })
    }

    /// Runs code in which `BASE` is the server's origin.
    async fn run(&self, code: &str) -> Outcome {
        let code = format!(
            "import asyncio, httpx, json\nBASE = '{}'\n{code}",
            self.server.origin()
        );
        self.place.sandbox.run(job(&code), self.host()).await
    }

    async fn gives(&self, code: &str, expected: serde_json::Value) {
        let outcome = self.run(code).await;
        assert_eq!(value(&outcome), &expected, "{code}\n{outcome:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_of_both_kinds_send_and_keep_what_httpx_keeps() {
    let setting = Setting::new().await;
    let code = r#"
async def main():
    seen = {}
    first = httpx.get(BASE + "/json?a=1", params={"b": "é"})
    seen["get"] = [first.status_code, first.http_version, first.json()["line"], str(first.url)[-12:]]
    sent = first.json()["headers"]
    seen["own"] = [sent["user-agent"][:4], sent["accept-encoding"], sent["accept"]]
    with httpx.Client(base_url=BASE, params={"p": "1"}, headers={"X-A": "b"}, timeout=httpx.Timeout(5.0),
                      limits=httpx.Limits(max_connections=3), follow_redirects=True, http2=False) as client:
        client.get("/cookie")
        answer = client.request("DELETE", "/x")
        told = answer.json()
        seen["client"] = [told["line"], told["headers"]["x-a"], told["headers"]["cookie"]]
        moved = httpx.get(BASE + "/to?/json", follow_redirects=True)
        seen["moved"] = [moved.status_code, moved.url.path, [str(it.status_code) for it in moved.history]]
        seen["basic"] = client.get("/x", auth=("u", "p")).json()["headers"]["authorization"]
    seen["user"] = httpx.get(BASE.replace("//", "//u:p@") + "/x").json()["headers"]["authorization"]
    seen["zipped"] = [len(httpx.get(BASE + "/zipped").content), "content-encoding" in httpx.get(BASE + "/zipped").headers]
    async with httpx.AsyncClient(base_url=BASE) as client:
        answers = await asyncio.gather(*(client.get("/slow", params={"n": n}) for n in range(20)))
        seen["gathered"] = [it.text for it in answers] == [f"n={n}" for n in range(20)]
        head = await client.head("/json")
        seen["head"] = [head.status_code, head.text, int(head.headers["content-length"]) > 10]
    missing = httpx.get(BASE + "/missing")
    try:
        missing.raise_for_status()
    except httpx.HTTPStatusError as error:
        seen["missing"] = [error.response.text, missing.reason_phrase]
    return seen
"#;
    let begun = Instant::now();
    setting
        .gives(
            code,
            json!({
                "get": [200, "HTTP/1.1", "GET /json?b=%C3%A9 HTTP/1.1", "son?b=%C3%A9"],
                "own": ["mce/", "gzip,deflate,br", "*/*"],
                "client": ["DELETE /x?p=1 HTTP/1.1", "b", "seen=yes"],
                "moved": [200, "/json", ["302"]],
                "basic": "Basic dTpw",
                "user": "Basic dTpw",
                "zipped": [10, false],
                "gathered": true,
                "head": [200, "", true],
                "missing": ["gone", "Not Found"],
            }),
        )
        .await;
    assert!(begun.elapsed() < Duration::from_secs(20));
    let most = setting.server.most_at_once();
    assert!((8..=16).contains(&most), "{most} at once");
    let recorded = setting.records.0.lock().unwrap().len();
    assert_eq!(recorded, setting.server.lines().len());
    setting.place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_streamed_as_they_come_and_ended_when_the_code_leaves() {
    let setting = Setting::new().await;
    let code = r#"
async def main():
    seen = {}
    with httpx.stream("GET", BASE + "/endless") as answer:
        lines = []
        for line in answer.iter_lines():
            lines.append(line)
            if len(lines) == 30:
                break
        seen["lines"] = [answer.status_code, lines[0], lines[29]]
    with httpx.stream("GET", BASE + "/large?3000000") as answer:
        seen["bytes"] = [sum(map(len, answer.iter_bytes())), answer.num_bytes_downloaded]
    with httpx.stream("GET", BASE + "/large?70000") as answer:
        seen["raw"] = len(b"".join(answer.iter_raw(1000)))
    with httpx.stream("GET", BASE + "/json") as answer:
        answer.read()
        seen["read"] = answer.json()["line"]
    async with httpx.AsyncClient() as client:
        async with client.stream("GET", BASE + "/endless") as answer:
            lines = []
            async for line in answer.aiter_lines():
                lines.append(line)
                if len(lines) == 10:
                    break
            seen["alines"] = lines[9]
        async with client.stream("GET", BASE + "/large?100000") as answer:
            seen["aread"] = len(await answer.aread())
        # Left in the middle, and never begun.
        try:
            await asyncio.wait_for(client.get(BASE + "/never"), 0.3)
        except TimeoutError:
            seen["cancelled"] = True
    left = httpx.Client().send(httpx.Request("GET", BASE + "/endless"), stream=True)
    seen["left"] = left.status_code
    return seen
"#;
    setting
        .gives(
            code,
            json!({
                "lines": [200, "line 0", "line 29"],
                "bytes": [3_000_000, 3_000_000],
                "raw": 70_000,
                "read": "GET /json HTTP/1.1",
                "alines": "line 9",
                "aread": 100_000,
                "cancelled": true,
                "left": 200,
            }),
        )
        .await;
    // Two that the code left, and the one that it left open.
    assert!(setting.server.broken_off(3).await);
    setting.place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_of_every_kind_are_sent() {
    let setting = Setting::new().await;
    let code = r#"
async def main():
    def told(answer):
        body = answer.json()
        return [body["body"], body["headers"].get("content-type"), body["headers"].get("content-length")]
    def parts():
        yield b"a"
        yield b"bc"
    async def later():
        for part in (b"x", b"yz"):
            await asyncio.sleep(0)
            yield part
    seen = {
        "json": told(httpx.post(BASE, json={"a": 1})),
        "data": told(httpx.post(BASE, data={"a": "b c"})),
        "bytes": told(httpx.put(BASE, content=b"raw")),
        "parts": told(httpx.post(BASE, content=parts())),
        "none": told(httpx.post(BASE)),
    }
    files = told(httpx.post(BASE, files={"f": ("a.txt", b"text")}))
    seen["files"] = ['filename="a.txt"' in files[0], files[1].split(";")[0]]
    async with httpx.AsyncClient() as client:
        seen["later"] = told(await client.post(BASE, content=later()))
        seen["patch"] = told(await client.patch(BASE, json=[1]))
    large = httpx.post(BASE, content=b"x" * 5_000_000).json()
    seen["large"] = len(large["body"])
    def without_end():
        while True:
            yield b"x" * 1_000_000
    for name, content in (("over", b"x" * 11_000_000), ("endless", without_end())):
        try:
            httpx.post(BASE, content=content)
        except httpx.TransportError as error:
            seen[name] = "MCE_MAX_REQUEST_BYTES" in str(error)
    return seen
"#;
    setting
        .gives(
            code,
            json!({
                "json": ["{\"a\":1}", "application/json", "7"],
                "data": ["a=b+c", "application/x-www-form-urlencoded", "5"],
                "bytes": ["raw", null, "3"],
                "parts": ["abc", null, "3"],
                "none": ["", null, "0"],
                "files": [true, "multipart/form-data"],
                "later": ["xyz", null, "3"],
                "patch": ["[1]", "application/json", "3"],
                "large": 5_000_000,
                "over": true,
                "endless": true,
            }),
        )
        .await;
    setting.place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_of_the_network_are_errors_of_httpx() {
    let setting = Setting::new().await;
    let code = r#"
async def main():
    seen = {}
    def note(name, action):
        try:
            action()
        except httpx.HTTPError as error:
            seen[name] = [type(error).__name__, error.request.url.path]
    note("never", lambda: httpx.get(BASE + "/never", timeout=0.2))
    note("stalls", lambda: httpx.get(BASE + "/stalls", timeout=httpx.Timeout(5, read=0.2)))
    note("breaks", lambda: httpx.get(BASE + "/breaks"))
    note("garbage", lambda: httpx.get(BASE + "/garbage"))
    note("ftp", lambda: httpx.get("ftp://example.com/x"))
    note("lines", lambda: httpx.get(BASE + "/x", headers={"X-A": "a\r\nX-B: c"}))
    note("loop", lambda: httpx.get(BASE + "/to?/to?", follow_redirects=True))
    note("bomb", lambda: httpx.get(BASE + "/bomb"))
    client = httpx.Client(transport=httpx.MockTransport(lambda request: httpx.Response(204)))
    seen["mock"] = client.get("https://anywhere.example").status_code
    with httpx.stream("GET", BASE + "/bomb") as answer:
        read = 0
        for part in answer.iter_bytes():
            read += len(part)
            if read > 1_000_000:
                break
        seen["part of it"] = read > 1_000_000
    class Counted(httpx.HTTPTransport):
        def handle_request(self, request):
            seen["own"] = request.url.path
            return super().handle_request(request)
    seen["own status"] = httpx.Client(transport=Counted(retries=3)).get(BASE + "/x").status_code
    return seen
"#;
    setting
        .gives(
            code,
            json!({
                "never": ["ReadTimeout", "/never"],
                "stalls": ["ReadTimeout", "/stalls"],
                "breaks": ["RemoteProtocolError", "/breaks"],
                "garbage": ["RemoteProtocolError", "/garbage"],
                "ftp": ["UnsupportedProtocol", "/x"],
                "lines": ["LocalProtocolError", "/x"],
                "loop": ["TooManyRedirects", "/to"],
                "bomb": ["EgressReadError", "/bomb"],
                "mock": 204,
                "part of it": true,
                "own": "/x",
                "own status": 200,
            }),
        )
        .await;
    assert!(BOMB << 20 > setting.limits.max_response_bytes);
    setting.place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_host_refuses_is_an_error_of_both() {
    let setting = Setting::new().await;
    let code = r#"
from mce_runtime import EgressError

PORT = BASE.rpartition(":")[2]
refused = []
for url, options in [
    ("https://other.example/", {}),
    (f"http://127.0.0.1:9/v1/x", {}),
    (f"http://localhost:9/v1/x", {}),
    (f"http://localhost:{PORT}/", {}),
    ("http://169.254.169.254/latest/", {}),
    ("http://2852039166/", {}),
    ("http://0xa9fea9fe/", {}),
    ("http://metadata.google.internal/", {}),
    (f"http://127.0.0.1:{PORT}@other.example/", {}),
    (BASE, {"headers": {"Host": "other.example"}}),
    (BASE, {"headers": {"X-Forwarded-For": "127.0.0.1"}}),
    (BASE, {"headers": {"X-HTTP-Method-Override": "DELETE"}}),
    (BASE + "/to?http://169.254.169.254/", {"follow_redirects": True}),
    (BASE + "/to?http://127.0.0.1:9/v1/x", {"follow_redirects": True}),
]:
    try:
        refused.append([url, httpx.get(url, **options).status_code])
    except httpx.ConnectError as error:
        if not isinstance(error, EgressError) or error.request is None:
            refused.append([url, repr(error)])
for url in (f"http://127.0.0.1:{PORT}\\@other.example/", "http://0251.0376.0251.0376/"):
    try:
        refused.append([url, httpx.get(url).status_code])
    except (httpx.TransportError, httpx.InvalidURL):
        pass
result = refused
"#;
    setting.gives(code, json!([])).await;
    assert!(
        setting.server.lines().iter().all(|it| it.contains("/to?")),
        "{:?}",
        setting.server.lines()
    );
    let outcome = setting.run("httpx.get('http://127.0.0.1:9/v1/x')").await;
    assert_eq!(kind(&outcome), FailureKind::Egress, "{outcome:?}");
    let message = &failure(&outcome).message;
    assert!(
        message
            .contains("GET http://127.0.0.1:9 is refused: it goes to the compiled server `shop`"),
        "{message}"
    );
    let outcome = setting
        .run("httpx.get(BASE + '/missing').raise_for_status()")
        .await;
    assert_eq!(kind(&outcome), FailureKind::Execution, "{outcome:?}");
    setting.place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_number_of_requests_and_their_size_are_limited() {
    let mut setting = Setting::new().await;
    setting.limits.max_calls = 3;
    setting.limits.max_response_bytes = 1_000;
    let code = r#"
seen = []
for path in ("/large?1000", "/large?1001", "/x", "/x"):
    try:
        seen.append(len(httpx.get(BASE + path, timeout=None).content) > 0)
    except httpx.TransportError as error:
        seen.append(str(error).rpartition("(")[2])
result = seen
"#;
    setting
        .gives(
            code,
            json!([
                true,
                "`MCE_MAX_RESPONSE_BYTES`)",
                true,
                "`MCE_MAX_CALLS`); combine or page with fewer",
            ]),
        )
        .await;
    setting.place.close().await;
}

/// Requests that nobody waits for any more are not sent when their turn comes, and hold no place. Those
/// that hold one are given up last: what is given up after its turn came was sent.
#[tokio::test(flavor = "multi_thread")]
async fn requests_that_were_given_up_before_their_turn_are_not_sent() {
    let setting = Setting::new().await;
    let code = r#"
async def main():
    async with httpx.AsyncClient(timeout=20) as client:
        never = [asyncio.create_task(client.get(BASE + "/never")) for _ in range(16)]
        late = [asyncio.create_task(client.get(BASE + f"/late/{n}")) for n in range(10)]
        await asyncio.sleep(0.5)
        for task in late + never:
            task.cancel()
        ends = await asyncio.gather(*never, *late, return_exceptions=True)
        return [len([it for it in ends if isinstance(it, asyncio.CancelledError)]),
                (await client.get(BASE + "/x")).status_code]
"#;
    setting.gives(code, json!([26, 200])).await;
    let lines = setting.server.lines();
    assert!(!lines.iter().any(|it| it.contains("/late")), "{lines:?}");
    setting.place.close().await;
}

/// More streams than places are waited for one after the other, not given up.
#[tokio::test(flavor = "multi_thread")]
async fn more_large_answers_than_places_all_arrive() {
    let setting = Setting::new().await;
    let code = r#"
async def main():
    async with httpx.AsyncClient(timeout=20) as client:
        async def read(n):
            async with client.stream("GET", f"{BASE}/large?{1_000_000 + n}") as answer:
                return sum([len(part) async for part in answer.aiter_bytes()])
        return [n - 1_000_000 for n in await asyncio.gather(*map(read, range(40)))]
"#;
    setting
        .gives(code, json!((0..40).collect::<Vec<_>>()))
        .await;
    setting.place.close().await;
}

/// A body belongs to the execution that opened it: the next one of the session has other limits.
#[tokio::test(flavor = "multi_thread")]
async fn in_a_session_clients_stay_and_open_bodies_do_not() {
    let setting = Setting::new().await;
    let mut session = setting.place.sandbox.open().await.unwrap();
    let first = format!(
        "import httpx\nclient = httpx.Client(base_url='{}')\nclient.get('/cookie')\n\
         left = client.send(client.build_request('GET', '/endless'), stream=True)\n\
         lines = left.iter_lines()\nnext(lines)",
        setting.server.origin()
    );
    let outcome = session.run(job(&first), setting.host()).await;
    assert_eq!(value(&outcome), &json!("line 0"));
    assert!(setting.server.broken_off(1).await);
    let second = "
try:
    seen = len(list(lines)) > 0
except httpx.ReadError as error:
    seen = str(error)
[seen, client.get('/x').json()['headers']['cookie']]";
    let outcome = session.run(job(second), setting.host()).await;
    assert_eq!(
        value(&outcome),
        &json!(["there is no such answer", "seen=yes"])
    );
    drop(session);
    setting.place.close().await;
}

/// The code can write any bytes where the transport writes messages.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_request_ends_the_execution_and_nothing_else() {
    let setting = Setting::new().await;
    let good = r#"{"stream": 1, "method": "GET", "url": BASE, "headers": [], "body": b"", "timeouts": {}}"#;
    for change in [
        r#"told["stream"] = -1"#,
        r#"told["stream"] = "1""#,
        r#"told["headers"] = [["a"]]"#,
        r#"told["headers"] = {"a": 1}"#,
        r#"told["body"] = "text""#,
        r#"told["timeouts"] = {"read": "x"}"#,
        r#"told["other"] = 1"#,
        r#"del told["url"]"#,
        r#"told["method"] = None"#,
    ] {
        let code = format!("import _mce_host\ntold = {good}\n{change}\n_mce_host.http(told)");
        let outcome = setting.run(&code).await;
        let message = &failure(&outcome).message;
        assert!(message.contains("it is no call"), "{change}: {message}");
    }
    for word in [
        r#"_mce_host.more("x", None)"#,
        r#"_mce_host.more(1, "x")"#,
        "_mce_host.more([1] * 1000, None)",
        "_mce_host.more(-1, None)",
    ] {
        let outcome = setting.run(&format!("import _mce_host\n{word}")).await;
        let message = &failure(&outcome).message;
        assert!(message.contains("stream"), "{word}: {message}");
    }
    // Numbers that nobody gave are errors of that call, and closing them is nothing.
    let code = format!(
        "import _mce_host\n_mce_host.close_stream(5)\ntold = {good}\n\
         result = [_mce_host.more(7, None)[0], _mce_host.http(told)[0]]"
    );
    setting.gives(&code, json!(["error", "ok"])).await;
    setting.place.close().await;
}

const DOCUMENT: &str = "\
openapi: 3.0.3
info: {title: Zoo, version: '1'}
servers: [{url: http://127.0.0.1:9/v1}]
paths:
  /pets/{id}:
    get:
      operationId: getPet
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      responses: {'200': {description: fine, content: {application/json: {schema: {}}}}}
";

/// The code imports nothing of the server, of which only the manifest says where it is.
#[tokio::test(flavor = "multi_thread")]
async fn exec_sends_to_listed_hosts_and_keeps_off_servers_that_the_code_does_not_import() {
    let server = Server::start().await;
    let folder = tempfile::tempdir().unwrap();
    let config = "servers:\n  - {name: zoo, swagger_url: zoo.yaml, allow_private_network: true}\n";
    fs::write(folder.path().join("swaggers.yaml"), config).unwrap();
    fs::write(folder.path().join("zoo.yaml"), DOCUMENT).unwrap();
    let code = format!(
        "import httpx\nseen = [httpx.get('{}/x').json()['line']]\n\
         try:\n    httpx.get('http://127.0.0.1:9/v1/pets/7')\n\
         except httpx.ConnectError as error:\n    seen.append(str(error))\nresult = seen\n",
        server.origin()
    );
    fs::write(folder.path().join("code.py"), code).unwrap();
    let allowed = format!("127.0.0.1:{},127.0.0.1:9", server.port);
    let mce = |arguments: &'static [&'static str], allowed: Option<&str>| {
        let mut command = Command::cargo_bin("mce").unwrap();
        command
            .args(arguments)
            .current_dir(folder.path())
            .env_clear()
            .env("XDG_STATE_HOME", folder.path().join("state"))
            .env("MCE_CACHE_DB_PATH", folder.path().join("cache.db"))
            .env("MCE_AUDIT_DB_PATH", folder.path().join("audit.db"))
            .envs(allowed.map(|allowed| ("MCE_ALLOWED_DOMAINS", allowed)));
        for name in ["PATH", "HOME", "DOCKER_HOST"] {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        tokio::task::spawn_blocking(move || command.output().unwrap())
    };
    let done = mce(&["compile"], None).await.unwrap();
    assert!(done.status.success(), "{done:?}");
    let done = mce(&["exec", "code.py"], Some(&allowed)).await.unwrap();
    let result: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(
        result["data"],
        json!([
            "GET /x HTTP/1.1",
            "GET http://127.0.0.1:9 is refused: it goes to the compiled server `zoo`; call its \
             function: `from zoo.functions import get_pet`"
        ]),
        "{result}"
    );
    let calls = result["calls"].as_array().unwrap();
    let named = |call: &serde_json::Value| [call["server"].clone(), call["function"].clone()];
    assert_eq!(
        calls.iter().map(named).collect::<Vec<_>>(),
        [
            [json!("http"), json!(format!("GET {}", server.origin()))],
            [json!("http"), json!("GET http://127.0.0.1:9")]
        ]
    );
    let done = mce(&["exec", "code.py"], None).await.unwrap();
    let result: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(result["error_type"], json!("egress"), "{result}");
    assert!(
        result["error"]
            .as_str()
            .unwrap()
            .contains("plain `httpx` is off"),
        "{result}"
    );
}
