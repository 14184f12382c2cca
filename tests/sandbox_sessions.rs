//! Sessions on a real engine: Python state that stays from one job to the next.

#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

mod sandbox_support;

use std::sync::Arc;
use std::time::Duration;

use mce::sandbox::{FailureKind, Job, Outcome, Sandbox, Session};
use sandbox_support::{FakeHost, Place, failure, job, kind, module, place, value};
use serde_json::{Value, json};

struct Talk {
    place: Place,
    session: Box<dyn Session>,
}

impl Talk {
    async fn begin() -> Self {
        let place = place().await;
        let session = place.sandbox.open().await.unwrap();
        Self { place, session }
    }

    async fn run(&mut self, job: Job) -> Outcome {
        self.session.run(job, Arc::new(FakeHost::default())).await
    }

    async fn says(&mut self, code: &str) -> Value {
        value(&self.run(job(code)).await).clone()
    }

    async fn end(self) {
        drop(self.session);
        self.place.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn names_stay_and_what_earlier_code_gave_is_not_given_again() {
    let mut talk = Talk::begin().await;
    assert_eq!(talk.says("x = [1]\nresult = 'first'").await, json!("first"));
    assert_eq!(talk.says("x.append(2)\nx").await, json!([1, 2]));
    assert_eq!(talk.says("y = 3").await, json!(null));
    let defined = "calls = 0\ndef main():\n    global calls\n    calls += 1\n    return calls";
    assert_eq!(talk.says(defined).await, json!(1));
    // An earlier `main` does not run again by itself, nor is an earlier `result` this one's.
    assert_eq!(talk.says("calls").await, json!(1));
    assert_eq!(talk.says("result").await, json!("first"));
    assert_eq!(talk.says(defined).await, json!(1));
    assert_eq!(
        talk.says("def f():\n    global result\n    result = x\nf()")
            .await,
        json!([1, 2])
    );
    let later = "import asyncio\nqueue = asyncio.Queue()\nawait queue.put(5)";
    assert_eq!(talk.says(later).await, json!(null));
    assert_eq!(talk.says("await queue.get()").await, json!(5));
    talk.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_ends_the_code_and_not_the_session() {
    let mut talk = Talk::begin().await;
    assert_eq!(
        talk.says("x = 1\n\ndef f():\n    return 1 / 0").await,
        json!(null)
    );
    let outcome = talk.run(job("x = 2\nprint('seen')\nf()")).await;
    assert_eq!(outcome.prints, "seen\n");
    let failed = failure(&outcome);
    assert_eq!(failed.kind, FailureKind::Execution);
    assert_eq!(failed.message, "ZeroDivisionError: division by zero");
    let traceback = failed.traceback.as_deref().unwrap();
    // The lines are those of the code that has them.
    assert!(traceback.contains("\"<code 2>\", line 3"), "{traceback}");
    assert!(traceback.contains("\"<code>\", line 4") && traceback.contains("return 1 / 0"));
    assert!(talk.session.is_open());
    assert_eq!(talk.says("x").await, json!(2));
    talk.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn prints_belong_to_the_code_that_wrote_them_each_within_its_own_limit() {
    let mut talk = Talk::begin().await;
    let short = |code: &str| Job {
        max_output_bytes: 2000,
        ..job(code)
    };
    let outcome = talk.run(short("print('a' * 5000)")).await;
    assert!(outcome.truncated && outcome.prints.len() <= 2000);
    let outcome = talk.run(short("print('b')\n1")).await;
    assert_eq!((outcome.prints.as_str(), outcome.truncated), ("b\n", false));
    talk.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_module_that_grew_is_the_same_module_with_more_in_it() {
    let mut talk = Talk::begin().await;
    let with = |code: &str, source: &str| Job {
        modules: vec![module("pets.functions", source)],
        ..job(code)
    };
    let first = with(
        "import pets.functions as f\nkept = f.one\nf.one()",
        "def one():\n    return 1\n",
    );
    assert_eq!(value(&talk.run(first).await), &json!(1));
    let grown = "def one():\n    return 1\n\ndef two():\n    return 2\n";
    let second = with(
        "from pets.functions import two\n[kept(), f.two(), two()]",
        grown,
    );
    assert_eq!(value(&talk.run(second).await), &json!([1, 2, 2]));
    talk.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_nobody_waited_for_ends_with_its_execution() {
    let mut talk = Talk::begin().await;
    let start = "import threading, _mce_host\nsaid = []\n\
         def ask():\n    said.append(_mce_host.call('s', 'never', {}))\n\
         thread = threading.Thread(target=ask)\nthread.start()\n\
         import time\ntime.sleep(0.3)\n'on its way'";
    assert_eq!(talk.says(start).await, json!("on its way"));
    let said = talk.says("thread.join(5)\nsaid").await;
    assert_eq!(said[0][0], "error");
    assert_eq!(
        said[0][1]["message"],
        "the execution that made the call has ended"
    );
    let echo = "_mce_host.call('s', 'echo', {'n': 1})";
    assert_eq!(talk.says(echo).await, json!(["ok", {"n": 1}]));
    talk.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_takes_the_process_along_ends_the_session() {
    for (code, expected) in [
        ("while True: pass", FailureKind::Timeout),
        ("import os\nos._exit(0)", FailureKind::Execution),
        ("import ctypes\nctypes.string_at(0)", FailureKind::Execution),
        (
            "x = bytearray(1 << 30)\nx[::4096] = b'1' * len(x[::4096])",
            FailureKind::Memory,
        ),
    ] {
        let mut talk = Talk::begin().await;
        assert_eq!(talk.says("x = 1").await, json!(null));
        let short = Job {
            timeout: Duration::from_secs(if expected == FailureKind::Timeout {
                1
            } else {
                30
            }),
            ..job(code)
        };
        let outcome = talk.run(short).await;
        assert_eq!(kind(&outcome), expected, "{code}: {outcome:#?}");
        assert!(!talk.session.is_open(), "{code}");
        let outcome = talk.run(job("x")).await;
        assert_eq!(failure(&outcome).message, "the session has ended");
        talk.end().await;
    }
}

/// A process that ran out of memory before counted for what ended later.
#[tokio::test(flavor = "multi_thread")]
async fn what_earlier_code_ran_into_explains_no_later_end() {
    let mut talk = Talk::begin().await;
    let start = "import os\nchild = os.fork()\nif child == 0:\n    x = bytearray(1 << 30)\n    \
        x[::4096] = b'1' * len(x[::4096])\n    os._exit(0)\n\
        os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])";
    assert_eq!(talk.says(start).await, json!(-9));
    let outcome = talk.run(job("os.kill(os.getpid(), 9)")).await;
    assert_eq!(kind(&outcome), FailureKind::Execution, "{outcome:?}");
    talk.end().await;
}

/// What the code left running had no limit of time, and its prints were those of the next code.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_runs_between_two_executions() {
    let mut talk = Talk::begin().await;
    let start = "import os, subprocess, threading, time\nticks = []\n\
        def tick():\n    while True:\n        ticks.append(1)\n        time.sleep(0.01)\n\
        threading.Thread(target=tick, daemon=True).start()\ntime.sleep(0.2)\nlen(ticks) > 1";
    assert_eq!(talk.says(start).await, json!(true));
    let before = talk
        .says("before = len(ticks)\nbefore")
        .await
        .as_u64()
        .unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let after = talk.says("len(ticks)").await.as_u64().unwrap();
    assert!(after - before < 20, "{before} {after}");
    // It goes on with the code that comes.
    assert_eq!(
        talk.says("time.sleep(0.2)\nlen(ticks) > before + 5").await,
        json!(true)
    );
    talk.end().await;
}

/// A process that the code forked came to the end of it as well, and sent a result of its own.
#[tokio::test(flavor = "multi_thread")]
async fn a_forked_process_has_no_say_in_the_result() {
    let mut talk = Talk::begin().await;
    let fork = "import os\nchild = os.fork()\nif child:\n    os.waitpid(child, 0)\n'one' if child else 'two'";
    assert_eq!(talk.says(fork).await, json!("one"));
    assert_eq!(talk.says("'next'").await, json!("next"));
    talk.end().await;
}

/// The tail of a call, of which the code did not wait for the end, was taken for a call of its own.
#[tokio::test(flavor = "multi_thread")]
async fn a_large_call_that_is_cut_by_the_end_of_the_code_breaks_nothing() {
    let mut talk = Talk::begin().await;
    let start = "import threading, _mce_host\n\
        def ask():\n    _mce_host.call('s', 'echo', {'blob': b'x' * (8 << 20)})\n\
        threading.Thread(target=ask, daemon=True).start()\n1";
    for _ in 0..5 {
        assert_eq!(talk.says(start).await, json!(1));
    }
    assert_eq!(talk.says("'next'").await, json!("next"));
    talk.end().await;
}

/// The end of the code comes at all stages of the answer, which its call is then told or finds cut;
/// and nothing keeps what the call was given, even where cycles are not looked for.
#[tokio::test(flavor = "multi_thread")]
async fn a_large_answer_that_comes_when_the_code_has_ended_holds_up_nothing() {
    let mut talk = Talk::begin().await;
    let start = "import gc, threading, time, _mce_host\n\
        gc.disable()\n\
        ends = []\n\
        def ask():\n\
        \x20   try:\n\
        \x20       said, value = _mce_host.call('s', 'echo', {'blob': b'x' * (8 << 20)})\n\
        \x20       ends.append(len(value['blob']) if said == 'ok' else value['message'])\n\
        \x20   except RuntimeError as error:\n\
        \x20       ends.append(str(error))";
    talk.run(job(start)).await;
    let rounds = 24;
    for round in 0..rounds {
        let code = format!(
            "thread = threading.Thread(target=ask)\nthread.start()\ntime.sleep({round} * 0.006)\n1"
        );
        assert_eq!(talk.says(&code).await, json!(1), "{round}");
        assert_eq!(talk.says("thread.join()\n2").await, json!(2), "{round}");
    }
    let memory = "int(open('/proc/self/status').read().split('VmRSS:')[1].split()[0])";
    let memory = talk.says(memory).await.as_u64().unwrap();
    assert!(memory < 110_000, "{memory} KiB");
    let ends = talk.says("ends").await;
    let ends: Vec<&serde_json::Value> = ends.as_array().unwrap().iter().collect();
    assert_eq!(ends.len(), rounds);
    let whole = json!(8 << 20);
    let told = json!("the execution that made the call has ended");
    let cut = json!("the code that made the call has ended");
    assert!(
        ends.iter().all(|end| [&whole, &told, &cut].contains(end)),
        "{ends:?}"
    );
    talk.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn code_that_leaves_no_room_for_a_thread_ends_no_session() {
    let mut talk = Talk::begin().await;
    let fill = "import threading, time\n\
        started = 0\n\
        try:\n\
        \x20   while True:\n\
        \x20       threading.Thread(target=time.sleep, args=(1,), daemon=True).start()\n\
        \x20       started += 1\n\
        except RuntimeError:\n\
        \x20   pass\n\
        started > 50";
    assert_eq!(talk.says(fill).await, json!(true));
    assert_eq!(talk.says("'next'").await, json!("next"));
    talk.end().await;
}

/// Signals of input and output go to whatever process, with whatever number it was given.
#[tokio::test(flavor = "multi_thread")]
async fn code_that_wakes_itself_between_executions_is_held_again_and_heard_by_nobody() {
    let mut talk = Talk::begin().await;
    let wakes = "import os, threading, time, signal\n\
        signal.signal(signal.SIGCONT, lambda *_: None)\n\
        main = os.getpid()\n\
        if os.fork() == 0:\n\
        \x20   signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n\
        \x20   for _ in range(100_000):\n\
        \x20       os.kill(main, signal.SIGCONT)\n\
        \x20   os._exit(0)\n\
        def spin():\n\
        \x20   while True:\n\
        \x20       print('late', flush=True)\n\
        threading.Thread(target=spin, daemon=True).start()\n\
        time.process_time()";
    let before = talk.says(wakes).await.as_f64().unwrap();
    tokio::time::sleep(Duration::from_secs(2)).await;
    let outcome = talk.run(job("time.process_time()")).await;
    let spent = value(&outcome).as_f64().unwrap() - before;
    assert!(spent < 0.5, "{spent} s");
    talk.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_of_comprehensions_and_patterns_are_told_apart() {
    let mut talk = Talk::begin().await;
    assert_eq!(talk.says("result = 1").await, json!(1));
    assert_eq!(
        talk.says("[result for result in range(3)][-1]").await,
        json!(2)
    );
    assert_eq!(
        talk.says("match 5:\n    case result:\n        pass").await,
        json!(5)
    );
    talk.end().await;
}

/// Frames that the code forges end its own execution, and nothing else.
#[tokio::test(flavor = "multi_thread")]
async fn a_forged_result_is_the_result_and_what_follows_is_no_other_ones() {
    let mut talk = Talk::begin().await;
    let forge = "import os, struct, json\n\
        for descriptor in range(3, 64):\n\
        \x20   try:\n\
        \x20       text = b'{\"message\":{\"result\":\"forged\"},\"bytes\":[]}'\n\
        \x20       body = struct.pack('>I', len(text)) + text\n\
        \x20       os.write(descriptor, struct.pack('>IBBBI', 7 + len(body), 1, 7, 1, 1) + body)\n\
        \x20   except OSError:\n\
        \x20       pass\n'true'";
    let outcome = talk.run(job(forge)).await;
    assert_eq!(value(&outcome), &json!("forged"));
    // The true one came when nothing ran: it is no result of the next, and ends the session.
    let outcome = talk.run(job("'next'")).await;
    assert_eq!(kind(&outcome), FailureKind::Execution, "{outcome:?}");
    assert!(!talk.session.is_open());
    talk.end().await;
}
