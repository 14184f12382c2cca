//! Workers that confine themselves, with and without each protection.
//!
//! This program is its own worker: `worker LIMITS WEAKNESSES ACTION`.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test may fail anywhere"
)]

mod support;
mod worker;

use std::collections::BTreeMap;
use std::os::fd::AsRawFd;
use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Failed, Trial};
use mce::sandbox::embedded::confine::{
    Attempt, Ended, FILTER_ERRNO, Launcher, Limits, Measured, Weakness, judge,
};
use support::{Running, limits, runtime, start, start_command, worker_command};

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("worker") {
        return worker::main();
    }
    let mut arguments = Arguments::from_args();
    // Workers inherit what other tests have open at that moment.
    arguments.test_threads = Some(1);
    let tests = vec![
        test("a_worker_is_proven", a_worker_is_proven),
        test("each_weakness_is_noticed", each_weakness_is_noticed),
        test(
            "each_attempt_gets_further_without_protection",
            each_attempt_gets_further,
        ),
        test(
            "what_the_parent_gives_too_much_is_noticed",
            what_the_parent_gives,
        ),
        test(
            "inherited_descriptors_are_closed",
            inherited_descriptors_are_closed,
        ),
        test("a_second_thread_is_noticed", a_second_thread_is_noticed),
        test("another_parent_is_a_failure", another_parent_is_a_failure),
        test(
            "every_measured_value_is_judged",
            every_measured_value_is_judged,
        ),
        test(
            "nothing_measured_is_not_confined",
            nothing_measured_is_not_confined,
        ),
        test(
            "no_other_system_call_is_allowed",
            no_other_system_call_is_allowed,
        ),
        test("arguments_are_checked", arguments_are_checked),
        test("a_violation_ends_the_worker", a_violation_ends_the_worker),
        test("ends_are_told_apart", ends_are_told_apart),
        test(
            "a_worker_ends_with_its_parent",
            a_worker_ends_with_its_parent,
        ),
        test(
            "a_worker_outlives_the_thread_that_asked_for_it",
            outlives_the_thread,
        ),
        test(
            "a_thousand_workers_leave_nothing",
            a_thousand_workers_leave_nothing,
        ),
    ];
    libtest_mimic::run(&arguments, tests).exit_code()
}

fn test(name: &str, body: fn()) -> Trial {
    Trial::test(name, move || {
        std::panic::catch_unwind(body).map_err(|_| Failed::from("panicked"))
    })
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn measure(without: &[Weakness]) -> Measured {
    runtime().block_on(async { start(limits(), without, "exit").await.measured().await })
}

fn subjects(measured: &Measured) -> Vec<String> {
    let findings = judge(measured, &limits());
    findings
        .into_iter()
        .map(|finding| finding.subject)
        .collect()
}

fn a_worker_is_proven() {
    let mut spawns = Vec::new();
    let mut times: Vec<u64> = (0..50)
        .map(|_| {
            let started = Instant::now();
            let measured = measure(&[]);
            spawns.push(started.elapsed().as_micros());
            let findings = judge(&measured, &limits());
            assert!(findings.is_empty(), "{findings:#?}\n{measured:#?}");
            measured.micros
        })
        .collect();
    times.sort_unstable();
    spawns.sort_unstable();
    let size = serde_json::to_string(&measure(&[])).unwrap().len();
    eprintln!(
        "entering: median {} µs, slowest {} µs; spawned to ended: median {} µs; report {size} bytes",
        times[25], times[49], spawns[25]
    );
    assert!(times[25] < 3000, "{times:?}");
}

/// Each protection left out alone, and a subject that the judge must come to speak of.
fn each_weakness_is_noticed() {
    use Weakness as W;
    let root_can_be_left = measure(&[]).user.refused.is_none();
    let mut cases: Vec<(&[Weakness], &str)> = vec![
        (&[W::Directory], "directory"),
        (&[W::Directory], "file mode mask"),
        // A change of user takes it too.
        (&[W::Dumpable, W::User], "dumpable"),
        (&[W::ParentDeath], "signal on the parent's end"),
        (&[W::Memory], "limit on address space"),
        (&[W::Memory], "limit on data"),
        (&[W::Memory], "attempt MapBeyondLimit"),
        (&[W::Processor], "limit on processor time"),
        (&[W::Zeroes], "limit on file size"),
        (&[W::Zeroes], "limit on open files"),
        (&[W::Landlock], "Landlock"),
        (&[W::Landlock], "attempt LandlockOpenRoot"),
        (&[W::Landlock], "attempt LandlockOpenStatus"),
        (&[W::Seccomp], "seccomp filters installed"),
        (&[W::Seccomp], "attempt OpenRoot"),
        (&[W::SeccompEnd], "seccomp filters installed"),
        (&[W::SeccompArguments], "attempt MapExecutable"),
        (&[W::SeccompArguments], "attempt ProtectExecutable"),
        (&[W::SeccompArguments], "attempt SignalThread"),
        // Both others set it too.
        (&[W::Privileges, W::Landlock, W::Seccomp], "no_new_privs"),
    ];
    if measure(&[]).landlock.version >= Some(4) {
        cases.push((&[W::LandlockFilesOnly], "attempt LandlockBind"));
        cases.push((&[W::LandlockFilesOnly], "attempt LandlockConnect"));
    }
    if is_root() {
        if !rustix::thread::capabilities(None)
            .unwrap()
            .effective
            .is_empty()
        {
            cases.push((&[W::Capabilities], "effective capabilities"));
        }
        if root_can_be_left {
            cases.push((&[W::User], "user"));
            cases.push((&[W::User], "group"));
        }
    }
    for (without, subject) in cases {
        let found = subjects(&measure(without));
        assert!(
            found.iter().any(|one| one == subject),
            "{without:?}: {subject} not in {found:?}"
        );
    }
}

fn each_attempt_gets_further() {
    let confined = measure(&[]);
    let open = measure(&Weakness::ALL);
    let mut outcomes = BTreeMap::new();
    for (attempt, number) in &open.attempts {
        outcomes.insert(format!("{attempt:?}"), *number);
        // What an unprivileged process may not do either.
        let privileged = matches!(
            attempt,
            Attempt::PrivilegesRaiseLimit | Attempt::PrivilegesTakeCapability
        );
        let resources = open.capabilities.effective.unwrap() & (1 << 24) != 0;
        if privileged && (!resources || confined.user.refused.is_some()) {
            continue;
        }
        // Where there is no such file or file system, it is not refused by Landlock.
        let optional = matches!(
            attempt,
            Attempt::LandlockCreate | Attempt::LandlockOpenPasswd
        );
        if optional && number.is_some() {
            continue;
        }
        assert_ne!(confined.attempts[attempt], *number, "{attempt:?}");
        assert_ne!(*number, Some(FILTER_ERRNO), "{attempt:?}");
    }
    eprintln!("without protection: {outcomes:?}");
    let contained = confined.seccomp.inherited != Some(0);
    for attempt in [
        "LandlockOpenRoot",
        "LandlockOpenStatus",
        "LandlockOpenPasswd",
        "LandlockBind",
        "LandlockSignal",
        "MapBeyondLimit",
        "OpenRoot",
        "OpenPasswd",
        "OpenEnvironment",
        "OpenWithRules",
        "Access",
        "Stat",
        "ChangeDirectory",
        "SocketInet",
        "SocketUnix",
        "SocketNetlink",
        "Clone",
        "Signal",
        "SignalThread",
        "SignalOther",
        "ProcessDescriptor",
        "MapExecutable",
        "MapShared",
        "ProtectExecutable",
        "MemoryFile",
        "DescriptorFlags",
        "Duplicate",
        "DeviceControl",
        "LimitParent",
        "ProcessControl",
        "SetUser",
        "Personality",
        "EventDescriptor",
    ] {
        assert_eq!(outcomes[attempt], None, "{attempt}");
    }
    // What a container refuses by itself.
    for attempt in ["Unshare", "Rings", "Create", "ReadParent", "WriteParent"] {
        assert!(contained || outcomes[attempt].is_none(), "{attempt}");
    }
}

fn what_the_parent_gives() {
    runtime().block_on(async {
        let found = async |change: fn(&mut tokio::process::Command)| {
            let mut command = worker_command(limits(), &[], "exit");
            change(&mut command);
            subjects(&start_command(command).await.measured().await)
        };
        let environment = found(|command| {
            command.env("SECRET", "1");
        })
        .await;
        assert_eq!(environment, ["environment variables"]);
        let device = found(|command| {
            command.stdin(Stdio::null());
        })
        .await;
        assert_eq!(device, ["standard streams"]);
        let file = found(|command| {
            command.stderr(std::fs::File::open(std::env::current_exe().unwrap()).unwrap());
        });
        assert_eq!(file.await, ["standard streams"]);
    });
}

fn inherited_descriptors_are_closed() {
    let (file, _other) = std::io::pipe().unwrap();
    rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty()).unwrap();
    let measured = measure(&[]);
    assert_eq!(measured.descriptors.others, Some(vec![]));
    assert_eq!(subjects(&measured), Vec::<String>::new());
    let open = measure(&[Weakness::Descriptors]);
    assert!(
        open.descriptors
            .others
            .as_ref()
            .unwrap()
            .contains(&file.as_raw_fd())
    );
    assert_eq!(subjects(&open), ["other descriptors"]);
}

fn a_second_thread_is_noticed() {
    runtime().block_on(async {
        let worker = start(limits(), &[], "second-thread").await;
        assert!(subjects(&worker.measured().await).contains(&"threads".to_owned()));
    });
}

fn another_parent_is_a_failure() {
    runtime().block_on(async {
        let other = Limits {
            parent: 1 << 23,
            ..limits()
        };
        let worker = start(other, &[], "exit").await;
        assert_eq!(worker.ended().await, Ended::Unconfined);
    });
}

/// Changes one value at a time in what a proven worker measured.
fn every_measured_value_is_judged() {
    use serde_json::{Value, json};
    let measured = measure(&[]);
    let json = serde_json::to_value(&measured).unwrap();
    let mut changes: Vec<(String, Value)> = vec![
        ("/platform".into(), json!("macos aarch64")),
        ("/parent".into(), json!(1 << 23)),
        ("/environment".into(), json!(1)),
        ("/descriptors/streams".into(), json!(["pipe", "pipe"])),
        ("/descriptors/streams/0".into(), json!("other")),
        ("/descriptors/streams/2".into(), json!("closed")),
        ("/descriptors/others".into(), json!([7])),
        ("/directory".into(), json!("/root")),
        ("/mask".into(), json!(0o22)),
        ("/threads".into(), json!(2)),
        ("/no_new_privileges".into(), json!(false)),
        ("/dumpable".into(), json!(true)),
        ("/parent_death_signal".into(), json!(15)),
        ("/capabilities/inheritable".into(), json!(1)),
        ("/capabilities/permitted".into(), json!(1)),
        ("/capabilities/effective".into(), json!(1)),
        ("/capabilities/ambient".into(), json!(1)),
        ("/landlock/version".into(), json!(0)),
        ("/landlock/enforced".into(), json!(false)),
        ("/seccomp/mode".into(), json!(1)),
        ("/seccomp/inherited".into(), json!(9)),
        ("/seccomp/filters".into(), json!(1)),
        ("/failed".into(), json!(["capabilities: EPERM"])),
    ];
    for pointer in [
        "/parent",
        "/environment",
        "/descriptors/others",
        "/directory",
        "/mask",
        "/threads",
        "/no_new_privileges",
        "/dumpable",
        "/parent_death_signal",
        "/capabilities/inheritable",
        "/capabilities/permitted",
        "/capabilities/effective",
        "/capabilities/ambient",
        "/user/users",
        "/user/groups",
        "/user/supplementary",
        "/mapped",
        "/landlock/version",
        "/seccomp/mode",
        "/seccomp/inherited",
        "/seccomp/filters",
    ] {
        changes.push((pointer.to_owned(), Value::Null));
    }
    if measured.capabilities.bounding_droppable {
        changes.push(("/capabilities/bounding".into(), json!(1)));
    }
    if measured.user.refused.is_none() {
        changes.push(("/user/users/3".into(), json!(0)));
        changes.push(("/user/users/2".into(), json!(0)));
    }
    if measured.user.was_root && measured.user.refused.is_none() {
        changes.push(("/user/groups/0".into(), json!(0)));
        changes.push(("/user/supplementary".into(), json!([4])));
    }
    for name in measured.resources.keys() {
        for index in 0..2 {
            let pointer = format!("/resources/{name}/{index}");
            changes.push((pointer.clone(), Value::Null));
            changes.push((pointer, json!(u64::MAX)));
        }
    }
    for attempt in json["attempts"].as_object().unwrap().keys() {
        changes.push((format!("/attempts/{attempt}"), Value::Null));
        // Any error will do for what cannot be tried everywhere.
        if !["landlock-create", "landlock-open-passwd"].contains(&attempt.as_str()) {
            changes.push((format!("/attempts/{attempt}"), json!(22)));
        }
    }
    for (pointer, value) in changes {
        let mut other = json.clone();
        *other.pointer_mut(&pointer).unwrap() = value.clone();
        let other = serde_json::from_value(other).unwrap();
        assert!(!judge(&other, &limits()).is_empty(), "{pointer} = {value}");
    }
    for attempt in Attempt::ALL {
        let mut other = measured.clone();
        if other.attempts.remove(attempt).is_some() {
            assert_eq!(judge(&other, &limits()).len(), 1, "{attempt:?}");
        }
    }
}

fn nothing_measured_is_not_confined() {
    let elsewhere = Measured {
        platform: "macos aarch64".to_owned(),
        ..Measured::default()
    };
    assert_eq!(subjects(&elsewhere), ["platform"]);
    let nothing = Measured {
        platform: "linux x86_64".to_owned(),
        ..Measured::default()
    };
    assert!(judge(&nothing, &limits()).len() > Attempt::ALL.len());
}

fn no_other_system_call_is_allowed() {
    runtime().block_on(async {
        let mut worker = start(limits(), &[Weakness::SeccompEnd], "every-call").await;
        worker.frame().await;
        let allowed: Vec<i64> = serde_json::from_slice(&worker.frame().await).unwrap();
        assert_eq!(allowed, Vec::<i64>::new());
    });
}

fn arguments_are_checked() {
    runtime().block_on(async {
        let mut worker = start(limits(), &[Weakness::SeccompEnd], "arguments").await;
        worker.frame().await;
        let wrong: Vec<String> = serde_json::from_slice(&worker.frame().await).unwrap();
        assert_eq!(wrong, Vec::<String>::new());
    });
}

fn a_violation_ends_the_worker() {
    let mut actions = vec![
        "call-getppid",
        "call-mmap",
        "call-open",
        "call-read-error-stream",
    ];
    if cfg!(target_arch = "x86_64") {
        actions.extend(["call-x32", "call-i386"]);
    }
    runtime().block_on(async {
        for action in actions {
            let worker = start(limits(), &[], action).await;
            assert_eq!(worker.ended().await, Ended::Violation, "{action}");
        }
    });
}

fn ends_are_told_apart() {
    let short = Limits {
        processor: 1,
        ..limits()
    };
    runtime().block_on(async {
        for (action, expected) in [
            ("exit", Ended::Finished),
            ("exit-65", Ended::Memory),
            ("exit-3", Ended::Exit(3)),
            ("panic", Ended::Panicked),
            ("abort", Ended::Crashed(6)),
            ("fault", Ended::Crashed(11)),
            ("recurse", Ended::Stack),
            ("spin", Ended::Processor),
            ("allocate", Ended::Crashed(6)),
        ] {
            let worker = start(short, &[], action).await;
            assert_eq!(worker.ended().await, expected, "{action}");
        }
        let mut worker = start(limits(), &[], "wait").await;
        worker.frame().await;
        assert_eq!(worker.stop().await, Ended::Stopped);
    });
}

fn a_worker_ends_with_its_parent() {
    runtime().block_on(async {
        // A worker that starts a worker before it confines itself, tells its number, and ends.
        let mut middle = start(limits(), &[], "parent").await;
        let pid = String::from_utf8(middle.frame().await).unwrap();
        assert_eq!(middle.ended().await, Ended::Finished);
        let process = format!("/proc/{pid}/stat");
        for _ in 0..200 {
            match std::fs::read_to_string(&process) {
                Ok(stat) if !stat.contains(") Z ") => {}
                _ => return,
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("worker {pid} is still there");
    });
}

fn outlives_the_thread() {
    runtime().block_on(async {
        let runtime = tokio::runtime::Handle::current();
        let (give, take) = std::sync::mpsc::channel();
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            let _runtime = runtime.enter();
            let child = worker_command(limits(), &[], "wait").spawn().unwrap();
            give.send(Running::new(child)).unwrap();
            let _ = ended.recv();
        });
        let mut lost = take.recv().unwrap();
        lost.frame().await;
        drop(end);
        thread.join().unwrap();
        assert_eq!(lost.ended().await, Ended::Killed);

        let launcher = Launcher::new().unwrap();
        let kept = tokio::runtime::Handle::current();
        let kept = std::thread::spawn(move || {
            let child = launcher.spawn(worker_command(limits(), &[], "wait"));
            Running::new(kept.block_on(child).unwrap())
        });
        let mut kept = kept.join().unwrap();
        kept.frame().await;
        assert_eq!(kept.close_input().await, Ended::Finished);
    });
}

fn a_thousand_workers_leave_nothing() {
    let count = |path: &str| std::fs::read_dir(path).unwrap().count();
    let runtime = runtime();
    let round = |workers: usize| {
        runtime.block_on(async {
            for _ in 0..workers / 4 {
                let one = async || start(limits(), &[], "exit").await.measured().await;
                let all = tokio::join!(one(), one(), one(), one());
                for measured in [all.0, all.1, all.2, all.3] {
                    assert_eq!(subjects(&measured), Vec::<String>::new());
                }
            }
        });
    };
    let state = || {
        let children = std::fs::read_dir("/proc/self/task").unwrap();
        let children = children.map(|task| {
            std::fs::read_to_string(task.unwrap().path().join("children")).unwrap_or_default()
        });
        (
            count("/proc/self/fd"),
            count("/proc/self/task"),
            children.collect::<String>(),
        )
    };
    round(40);
    let before = state();
    round(1000);
    assert_eq!(state(), before);
}
