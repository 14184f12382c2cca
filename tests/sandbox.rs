//! Code in containers, on a real engine: what it can return, print and call.

mod sandbox_support;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use mce::sandbox::{FailureKind, Sandbox};
use sandbox_support::{
    FakeHost, failure, job, kind, module, place, place_with, settings_with, value,
};
use serde_json::json;

/// Runs each snippet in a container of its own and compares its value.
async fn values(cases: &[(&str, serde_json::Value)]) {
    let place = place().await;
    let outcomes = futures::future::join_all(cases.iter().map(|(code, _)| place.run(code))).await;
    for ((code, expected), outcome) in cases.iter().zip(&outcomes) {
        assert_eq!(value(outcome), expected, "{code}");
    }
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_value_is_main_or_result_or_the_last_expression() {
    values(&[
        ("print('hello')\n1 + 1", json!(2)),
        ("x = 1", json!(null)),
        (
            "\u{feff}'after a byte order mark'",
            json!("after a byte order mark"),
        ),
        ("", json!(null)),
        ("result = [1]\n5", json!([1])),
        ("def main():\n    return 'm'", json!("m")),
        ("def main():\n    return 'm'\n7", json!("m")),
        ("def main():\n    return 'm'\nresult = 7", json!("m")),
        ("def main():\n    global result\n    result = 5", json!(5)),
        ("main = lambda: 'm'", json!("m")),
        ("async def main():\n    return 'a'", json!("a")),
        (
            "import asyncio\nawait asyncio.sleep(0)\n'top'",
            json!("top"),
        ),
        ("async def f():\n    return 3\nresult = f()", json!(3)),
        ("x = 0\nfor x in range(3): pass\nx", json!(2)),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn main_runs_once_however_it_is_called() {
    let count = "n = 0\ndef main():\n    '''Doc.'''\n    global n\n    n += 1\n    return n\n";
    let count_async = "n = 0\nasync def main():\n    global n\n    n += 1\n    return n\n";
    let codes = [
        format!("{count}result = main()"),
        format!("{count}main()"),
        format!("{count}if __name__ == '__main__':\n    main()\n    result = n"),
        format!("{count}result = main() and n"),
        "n = 0\ndef f(by=1):\n    global n\n    n += by\n    return n\nmain = f\nresult = main()".to_owned(),
        "n = 0\nmatch 1:\n    case 1:\n        def main():\n            global n\n            n += 1\n            return n\nresult = main()".to_owned(),
        format!("{count}print(main())\nresult = n"),
        count.to_owned(),
        count_async.to_owned(),
        format!("{count_async}await main()"),
        format!("{count_async}main()"),
        format!("{count_async}import asyncio\nasyncio.run(main())\nresult = n"),
        format!("{count_async}result = main()"),
    ];
    let cases: Vec<_> = codes.iter().map(|code| (code.as_str(), json!(1))).collect();
    values(&cases).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_iterator_as_the_result_is_what_it_gives() {
    let codes = [
        "def main():\n    yield 1\n    yield 2",
        "async def main():\n    yield 1\n    yield 2",
        "result = iter([1, 2])",
        "(number for number in (1, 2))",
    ];
    let cases: Vec<_> = codes.map(|code| (code, json!([1, 2]))).into();
    values(&cases).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_object_has_a_json_form() {
    let code = r"
import dataclasses, datetime, decimal, enum, uuid, collections, pathlib
import pydantic

@dataclasses.dataclass
class Point:
    x: int
    label: str | None = None

class Pet(pydantic.BaseModel):
    name: str
    born: datetime.date

class Colour(enum.Enum):
    RED = 'red'

class Level(enum.IntEnum):
    HIGH = 3

class Odd:
    def __repr__(self):
        return '<odd>'

class Broken:
    def __repr__(self):
        raise ValueError

result = {
    'dataclass': Point(1),
    'pydantic': Pet(name='Rex', born=datetime.date(2020, 1, 2)),
    'datetime': datetime.datetime(2020, 1, 2, 3, 4, 5, tzinfo=datetime.UTC),
    'time': datetime.time(3, 4),
    'delta': datetime.timedelta(minutes=1.5),
    'decimal': decimal.Decimal('1.10'),
    'decimal_nan': decimal.Decimal('NaN'),
    'uuid': uuid.UUID(int=1),
    'enum': [Colour.RED, Level.HIGH],
    'set': {3, 1, 2},
    'mixed_set': len({1, 'a'}),
    'tuple': (1, (2,)),
    'named': collections.namedtuple('Spot', 'x y')(1, 2),
    'deque': collections.deque([1]),
    'range': range(3),
    'keys': {'a': 1}.keys(),
    'bytes': b'\x00\xff',
    'nan': float('nan'),
    'inf': [float('inf'), -float('inf')],
    'float': [1.0, 0.1, 1e300],
    'big': 2 ** 200,
    'bool': True,
    'none': None,
    'path': pathlib.Path('/tmp'),
    'odd': Odd(),
    'broken': Broken(),
    'counter': collections.Counter('aab'),
    'surrogate': 'a\ud800b',
    1: 'int key', None: 'none key', True: 'never reached' if False else 'bool key',
    (1, 2): 'tuple key', Colour.RED: 'enum key',
}
";
    let place = place().await;
    let outcome = place.run(code).await;
    let text = serde_json::to_string(value(&outcome)).unwrap();
    let expected = concat!(
        r#"{"dataclass":{"x":1,"label":null},"pydantic":{"name":"Rex","born":"2020-01-02"},"#,
        r#""datetime":"2020-01-02T03:04:05+00:00","time":"03:04:00","delta":90.0,"#,
        r#""decimal":1.10,"decimal_nan":"NaN","uuid":"00000000-0000-0000-0000-000000000001","#,
        r#""enum":["red",3],"set":[1,2,3],"mixed_set":2,"tuple":[1,[2]],"named":{"x":1,"y":2},"deque":[1],"#,
        r#""range":[0,1,2],"keys":["a"],"bytes":"AP8=","nan":"NaN","#,
        r#""inf":["Infinity","-Infinity"],"float":[1.0,0.1,1e+300],"#,
        r#""big":1606938044258990275541962092341162602522202993782792835301376,"#,
        r#""bool":true,"none":null,"path":"/tmp","odd":"<odd>","broken":"<Broken object>","#,
        r#""counter":{"a":2,"b":1},"surrogate":"a�b","1":"bool key","null":"none key","#,
        r#""(1, 2)":"tuple key","red":"enum key"}"#,
    );
    assert_eq!(text, expected);
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_value_without_a_json_form_is_an_error_that_says_so() {
    let place = place().await;
    for (code, message) in [
        (
            "a = []\na.append(a)\nresult = a",
            "the value contains itself",
        ),
        (
            "a = []\nfor _ in range(5000): a = [a]\nresult = a",
            "nested deeper than 100 levels",
        ),
        (
            "result = {1: 'a', '1': 'b'}",
            "two keys of one object are both written as '1'",
        ),
        ("result = 10 ** 5000", "more than 4300 digits"),
    ] {
        let outcome = place.run(code).await;
        assert_eq!(kind(&outcome), FailureKind::Execution, "{code}");
        assert!(
            failure(&outcome).message.contains(message),
            "{:?}",
            failure(&outcome)
        );
    }
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_traceback_shows_the_lines_of_the_code_only_and_prints_are_kept() {
    let place = place().await;
    let code = "import json\nprint('before')\ndef f(text):\n    return json.loads(text)\nf('{')\n";
    let outcome = place.run(code).await;
    let found = failure(&outcome);
    assert_eq!(found.kind, FailureKind::Execution);
    assert!(
        found
            .message
            .starts_with("json.decoder.JSONDecodeError: Expecting property name")
    );
    let traceback = found.traceback.as_deref().unwrap();
    assert!(
        traceback.contains("File \"<code>\", line 5, in <module>\n    f('{')"),
        "{traceback}"
    );
    assert!(
        traceback.contains("File \"<code>\", line 4, in f"),
        "{traceback}"
    );
    assert!(!traceback.contains("json/decoder.py") && !traceback.contains("<runner>"));
    assert_eq!(outcome.prints, "before\n");

    let outcome = place.run("x = 1\nif x\n").await;
    assert!(
        failure(&outcome).message.contains("SyntaxError"),
        "{outcome:?}"
    );
    assert!(
        failure(&outcome)
            .traceback
            .as_deref()
            .unwrap()
            .contains("line 2")
    );

    let outcome = place.run("import sys\nprint('kept')\nsys.exit(0)").await;
    assert_eq!(
        (value(&outcome), outcome.prints.as_str()),
        (&json!(null), "kept\n")
    );
    let outcome = place.run("import sys\nsys.exit('no luck')").await;
    assert_eq!(
        failure(&outcome).message,
        "the code exited with `'no luck'`"
    );
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_recursion_is_an_error_of_the_code() {
    let place = place().await;
    let outcome = place.run("def f(): return f()\nf()").await;
    assert_eq!(kind(&outcome), FailureKind::Execution);
    assert!(failure(&outcome).message.starts_with("RecursionError"));
    assert!(failure(&outcome).traceback.as_deref().unwrap().len() < 4000);
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn output_of_child_processes_and_of_c_code_is_captured_too() {
    let place = place().await;
    let code = "
import ctypes, subprocess, sys
print('python')
subprocess.run(['sh', '-c', 'echo shell; echo oops >&2'], check=True)
libc = ctypes.CDLL(None)
libc.puts(b'from C')
print('err', file=sys.stderr)
";
    let outcome = place.run(code).await;
    assert_eq!(outcome.prints, "python\nshell\nfrom C\n", "{outcome:?}");
    assert_eq!(outcome.stderr, "oops\nerr\n");
    assert!(!outcome.truncated);
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn modules_come_from_memory_with_packages_around_them() {
    let place = place().await;
    let mut wanted = job("
import inspect
from weather.functions import f
import weather, mce_runtime, a.b.c, sales
try:
    f(0)
except mce_runtime.ApiError as error:
    caught = str(error)
result = [f(2), weather.__name__, a.b.c.x, sales.functions.total, caught, 'return 1 / n' in inspect.getsource(f)]
");
    wanted.modules = vec![
        module(
            "mce_runtime",
            "class ApiError(Exception): pass\nclass EgressError(RuntimeError): pass\n",
        ),
        module(
            "weather.functions",
            "import mce_runtime\ndef f(n):\n    if not n: raise mce_runtime.ApiError('404')\n    return 1 / n\n",
        ),
        module("a.b.c", "x = 5\n"),
        module("sales.functions", "total = 7\n"),
    ];
    let outcome = place.run_job(wanted.clone()).await;
    assert_eq!(value(&outcome), &json!([0.5, "weather", 5, 7, "404", true]));

    for (error, expected) in [
        ("ApiError", FailureKind::Api),
        ("EgressError", FailureKind::Egress),
    ] {
        wanted.code = format!("import mce_runtime\nraise mce_runtime.{error}('x')");
        assert_eq!(kind(&place.run_job(wanted.clone()).await), expected);
    }
    wanted.code = "import nowhere".to_owned();
    let outcome = place.run_job(wanted).await;
    assert!(failure(&outcome).message.contains("ModuleNotFoundError"));
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_reach_the_host_and_values_and_bytes_survive_both_ways() {
    let place = place().await;
    let outcome = place
        .run(
            r"
import _mce_host
status, value = _mce_host.call('pets', 'echo', {
    'raw': bytes(range(256)), 'nested': [{'b': b'x'}, b''], 'text': 'é\u2028', 'big': 2 ** 100,
    'exact': _mce_host.RawNumber('1.10'), 'none': None, 'list': [1, 2.5, True],
})
assert status == 'ok', value
assert value['raw'] == bytes(range(256))
assert value['nested'] == [{'b': b'x'}, b'']
assert value['text'] == 'é\u2028' and value['big'] == 2 ** 100 and value['none'] is None
assert value['exact'] == 1.1 and value['list'] == [1, 2.5, True]
result = [
    _mce_host.call('pets', 'server', {}),
    _mce_host.call('pets', 'api', {}),
    _mce_host.call('pets', 'egress', {}),
    _mce_host.call('pets', 'nope', {}),
    _mce_host.call('pets', 'panics', {}),
]
",
        )
        .await;
    let empty = json!({"status": 0, "body": null, "headers": {}});
    let error = |kind: &str, message: &str| {
        let mut error = json!({"kind": kind, "message": message});
        for (name, value) in empty.as_object().unwrap() {
            error[name] = value.clone();
        }
        json!(["error", error])
    };
    assert_eq!(
        value(&outcome),
        &json!([
            ["ok", "pets"],
            ["error", {
                "kind": "api", "message": "404 no such pet", "status": 404,
                "body": {"code": 7}, "headers": {"etag": "x"},
            }],
            error("egress", "not imported"),
            error("argument", "nope() is unknown"),
            error("internal", "the host failed to make the call"),
        ])
    );
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_of_tasks_and_of_threads_run_side_by_side() {
    let place = place().await;
    let host = Arc::new(FakeHost::default());
    let code = "
import asyncio, concurrent.futures, _mce_host
async def main():
    calls = [_mce_host.call_async('s', 'slow', {'n': n}) for n in range(8)]
    tasks = [value for _, value in await asyncio.gather(*calls)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        calls = pool.map(lambda n: _mce_host.call('s', 'slow', {'n': n}), range(8))
        threads = [value for _, value in calls]
    return [tasks, threads]
";
    let outcome = place.sandbox.run(job(code), host.clone()).await;
    let numbers: Vec<i32> = (0..8).collect();
    assert_eq!(value(&outcome), &json!([numbers, numbers]));
    assert_eq!(host.calls.load(Ordering::SeqCst), 16);
    assert_eq!(host.most_at_once.load(Ordering::SeqCst), 8);
    assert!(
        outcome.elapsed < Duration::from_secs(3),
        "{:?}",
        outcome.elapsed
    );
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_on_their_way_are_over_before_the_outcome_is_there() {
    let place = place().await;
    let host = Arc::new(FakeHost::default());
    let code = "
import threading, time, _mce_host
for _ in range(4):
    threading.Thread(target=_mce_host.call, args=('s', 'never', {}), daemon=True).start()
time.sleep(0.5)
result = 1
";
    let outcome = place.sandbox.run(job(code), host.clone()).await;
    assert_eq!(value(&outcome), &json!(1));
    assert_eq!(host.calls.load(Ordering::SeqCst), 4);
    assert_eq!(host.cut_off.load(Ordering::SeqCst), 4);
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_calls_at_once_are_all_answered() {
    let place = place().await;
    let host = Arc::new(FakeHost::default());
    let code = "
import asyncio, _mce_host
async def main():
    calls = [_mce_host.call_async('s', 'echo', {'n': n}) for n in range(10_000)]
    return sum(value['n'] for _, value in await asyncio.gather(*calls))
";
    let outcome = place.sandbox.run(job(code), host.clone()).await;
    assert_eq!(value(&outcome), &json!(49_995_000));
    assert_eq!(host.calls.load(Ordering::SeqCst), 10_000);
    place.close().await;
}

/// As many calls as may be on their way at once never end, and more wait behind them.
#[tokio::test(flavor = "multi_thread")]
async fn calls_without_an_answer_hold_up_no_result() {
    let place = place().await;
    let host = Arc::new(FakeHost::default());
    let at_once = settings_with(&[]).max_concurrent_calls;
    let code = format!(
        "
import threading, time, _mce_host
def ask():
    _mce_host.call('s', 'never', {{}})
for _ in range({at_once} + 5):
    threading.Thread(target=ask, daemon=True).start()
time.sleep(0.5)
print('said')
result = 'done'
"
    );
    let begun = Instant::now();
    let outcome = place.sandbox.run(job(&code), host.clone()).await;
    assert_eq!(value(&outcome), &json!("done"));
    assert_eq!(outcome.prints, "said\n");
    assert!(begun.elapsed() < Duration::from_secs(10));
    assert_eq!(host.calls.load(Ordering::SeqCst), at_once);
    assert_eq!(host.cut_off.load(Ordering::SeqCst), at_once);
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_megabytes_pass_in_every_direction() {
    let place = place().await;
    let mut wanted = job("
import _mce_host
_, blob = _mce_host.call('s', 'blob', {'size': 20 << 20})
_, back = _mce_host.call('s', 'echo', {'blob': blob[: 9 << 20]})
assert back['blob'] == blob[: 9 << 20] and blob[250:253] == bytes([250, 0, 1])
result = 'x' * (20 << 20)
");
    wanted.max_output_bytes = 25 << 20;
    let outcome = place.run_job(wanted.clone()).await;
    assert_eq!(value(&outcome).as_str().unwrap().len(), 20 << 20);

    wanted.max_output_bytes = 1 << 20;
    let outcome = place.run_job(wanted).await;
    assert_eq!(kind(&outcome), FailureKind::OutputLimit);
    assert_eq!(
        failure(&outcome).message,
        "the result is larger than 1048576 bytes"
    );
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_is_no_result_that_is_too_large() {
    let place = place().await;
    let mut wanted = job("
def f(n):
    if n:
        return f(n - 1)
    raise ValueError('a' * 300)
f(3)
");
    wanted.max_output_bytes = 200;
    let outcome = place.run_job(wanted.clone()).await;
    assert_eq!(kind(&outcome), FailureKind::Execution, "{outcome:?}");
    assert!(failure(&outcome).message.starts_with("ValueError: aaa"));
    // Bytes are counted, not characters.
    wanted.code = "result = 'é' * 150".to_owned();
    let outcome = place.run_job(wanted).await;
    assert_eq!(kind(&outcome), FailureKind::OutputLimit, "{outcome:?}");
    assert!(failure(&outcome).traceback.is_some() || failure(&outcome).hint.is_some());
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_larger_than_any_request_is_refused_and_the_code_goes_on() {
    let settings = settings_with(&[
        ("MCE_MAX_REQUEST_BYTES", "1048576"),
        ("MCE_SANDBOX_MODE", "cold"),
    ]);
    let place = place_with(&settings).await;
    let code = "
import _mce_host
refused, error = _mce_host.call('s', 'echo', {'blob': bytes(3 << 20)})
fine, value = _mce_host.call('s', 'echo', {'blob': bytes(1 << 20)})
result = [refused, error['kind'], error['message'], fine, len(value['blob'])]
";
    let message = "the arguments of the call are larger than a request of 1048576 bytes can be \
                   (`MCE_MAX_REQUEST_BYTES`)";
    let outcome = place.run(code).await;
    assert_eq!(
        value(&outcome),
        &json!(["error", "limit", message, "ok", 1 << 20])
    );
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_of_too_many_values_is_refused_and_the_code_goes_on() {
    let place = place().await;
    let code = "
import _mce_host
refused, error = _mce_host.call('s', 'echo', {'many': [0] * 1_100_000})
fine, value = _mce_host.call('s', 'echo', {'many': [0]})
result = [refused, error['kind'], fine, value]
";
    let outcome = place.run(code).await;
    assert_eq!(
        value(&outcome),
        &json!(["error", "limit", "ok", {"many": [0]}])
    );
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_call_that_has_to_wait_holds_up_no_other_task() {
    let place = place().await;
    // With so many calls on their way the host takes nothing more.
    let code = "
import asyncio, time, _mce_host
longest = 0.0
async def tick():
    global longest
    last = time.monotonic()
    while True:
        await asyncio.sleep(0.01)
        longest = max(longest, time.monotonic() - last)
        last = time.monotonic()
async def main():
    ticking = asyncio.create_task(tick())
    slow = [asyncio.create_task(_mce_host.call_async('s', 'slower', {})) for _ in range(16)]
    await asyncio.sleep(0.3)
    status, _ = await _mce_host.call_async('s', 'echo', {'blob': bytes(9 << 20)})
    await asyncio.gather(*slow)
    ticking.cancel()
    return [status, longest]
";
    let outcome = place.run(code).await;
    assert_eq!(value(&outcome)[0], "ok");
    let longest = value(&outcome)[1].as_f64().unwrap();
    assert!(longest < 1.0, "{longest}");
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_and_results_may_be_as_deep_as_each_other() {
    let place = place().await;
    let code = "
import _mce_host
def deep(levels):
    value = None
    for _ in range(levels): value = [value]
    return value
status, value = _mce_host.call('s', 'echo', {'n': deep(100)})
try:
    _mce_host.call('s', 'echo', {'n': deep(101)})
    refused = None
except ValueError as error:
    refused = str(error)
assert refused == 'the value is nested deeper than 100 levels', refused
result = value['n']
";
    let outcome = place.run(code).await;
    let mut found = value(&outcome);
    for _ in 0..100 {
        found = &found[0];
    }
    assert_eq!(found, &json!(null));
    place.close().await;
}

#[test]
fn every_part_has_the_same_bound_on_depth() {
    for (name, text, line) in [
        (
            "runner.py",
            include_str!("../templates/runner.py"),
            "\nMAX_DEPTH = 100\n",
        ),
        (
            "mce_runtime.py",
            mce::compile::RUNTIME,
            "\n_MAX_DEPTH = 100\n",
        ),
        (
            "check.rs",
            include_str!("../src/wire/check.rs"),
            "\nconst MAX_DEPTH: usize = 100;\n",
        ),
    ] {
        assert!(text.contains(line), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn prints_without_end_are_cut_and_the_code_goes_on() {
    let place = place().await;
    let mut wanted = job("
import sys
for _ in range(200):
    sys.stdout.write('x' * 100_000)
result = 'done'
");
    wanted.max_output_bytes = 10_000;
    let outcome = place.run_job(wanted).await;
    assert_eq!(value(&outcome), &json!("done"));
    assert!(outcome.truncated);
    assert_eq!(outcome.prints.len(), 10_000 - "\"done\"".len());
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undefined_name_is_answered_with_the_names_that_there_are() {
    let place = place().await;
    let outcome = place
        .run("TOTAL = 1\n_own = 2\ndef main():\n    other = 3\n    return Totl\n")
        .await;
    let hint = failure(&outcome).hint.as_deref();
    assert_eq!(
        hint,
        Some("defined there: other, TOTAL, main"),
        "{outcome:?}"
    );
    let outcome = place
        .run("def main():\n    if False:\n        x = 1\n    return x\n")
        .await;
    let hint = failure(&outcome).hint.as_deref();
    assert!(hint.unwrap().contains("assign it first"), "{outcome:?}");
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_libraries_of_the_image_import_and_httpx_asks_the_host() {
    let place = place().await;
    let outcome = place
        .run("import httpx, pydantic, orjson\nhttpx.get('http://192.0.2.1/')")
        .await;
    let message = &failure(&outcome).message;
    assert!(
        message.contains("EgressConnectError: plain HTTP requests are not made from here"),
        "{outcome:?}"
    );
    let outcome = place
        .run("import httpcore\nhttpcore.request('GET', 'http://192.0.2.1/')")
        .await;
    let hint = failure(&outcome).hint.as_deref();
    assert!(hint.unwrap().contains("no network"), "{outcome:?}");
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_execution_sees_nothing_of_the_one_before() {
    let place = place().await;
    let write = "
import builtins
open('/tmp/left', 'w').write('x')
open('/workspace/left', 'w').write('x')
builtins.left = 1
";
    assert_eq!(value(&place.run(write).await), &json!(null));
    let read = "
import builtins, os
result = [os.listdir('/tmp'), os.listdir('/workspace'), hasattr(builtins, 'left')]
";
    assert_eq!(value(&place.run(read).await), &json!([[], [], false]));
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn status_proves_a_container_and_inspect_shows_the_request() {
    let place = place().await;
    let begun = Instant::now();
    let status = place.sandbox.status().await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert!(status.proof.findings.len() > 30, "{status:#?}");
    assert!(status.proof.failures().is_empty());
    assert!(status.proof.python.starts_with("3.13."));
    assert!(status.image_id.starts_with("sha256:"));
    let request = place.sandbox.inspect();
    let host = &request["create"]["HostConfig"];
    assert_eq!(host["NetworkMode"], "none");
    assert_eq!(host["MemorySwap"], host["Memory"]);
    assert_eq!(host["CapDrop"], json!(["ALL"]));
    assert_eq!(host["Binds"], json!([]));
    assert_eq!(request["create"]["Image"], status.image_id);
    assert_eq!(host["CpuQuota"], json!(500_000));
    assert_eq!(host["CpuPeriod"], json!(1_000_000));
    place.close().await;
}

/// What it has in a period does not cover the imports: it is set when they are done.
#[tokio::test(flavor = "multi_thread")]
async fn a_small_processor_quota_is_in_force_for_code() {
    let settings = settings_with(&[
        ("MCE_SANDBOX_MODE", "cold"),
        ("MCE_SANDBOX_CPUS", "0.1234567"),
    ]);
    let place = place_with(&settings).await;
    let status = place.sandbox.status().await.unwrap();
    assert!(status.proof.failures().is_empty(), "{status:#?}");
    let found = |check: &str| {
        let found = status.proof.findings.iter().find(|it| it.check == check);
        found.map(|finding| finding.found.clone())
    };
    assert_eq!(found("HostConfig.CpuQuota").as_deref(), Some("123457"));
    assert_eq!(value(&place.run("1 + 1").await), &json!(2));
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_text_of_any_length_and_with_any_character_is_handed_over() {
    let place = place().await;
    let outcome = place
        .run("raise ValueError('\\ud800' + 'x' * 5_000_000)")
        .await;
    assert_eq!(kind(&outcome), FailureKind::Execution);
    let message = &failure(&outcome).message;
    assert!(message.starts_with("ValueError: \u{fffd}xxx"), "{message}");
    assert!(message.len() < 5_000 && message.ends_with("xxx"));
    let outcome = place
        .run("class E(Exception):\n    def __str__(self): raise KeyboardInterrupt\nraise E")
        .await;
    assert_eq!(kind(&outcome), FailureKind::Execution, "{outcome:?}");
    place.close().await;
}
