//! Code that misbehaves, on a real engine with the guard out of the way: it ends as what it is,
//! it gets nowhere, and the next execution is unaffected.

#![expect(
    clippy::unwrap_used,
    reason = "the lint does not see that the functions beside the tests are of them"
)]

mod sandbox_support;

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mce::sandbox::docker::{DockerSandbox, Error};
use mce::sandbox::{FailureKind, Sandbox};
use sandbox_support::{
    FakeHost, Place, containers, docker, engine, failure, job, kind, place, place_with, settings,
    settings_with, value,
};
use serde_json::json;

fn label(place: &Place) -> String {
    let labels = &place.sandbox.inspect()["create"]["Labels"];
    format!(
        "label=mce.instance={}",
        labels["mce.instance"].as_str().unwrap()
    )
}

async fn none_left(filter: &str, within: Duration) {
    let begun = Instant::now();
    while !containers(filter).is_empty() {
        assert!(
            begun.elapsed() < within,
            "still there: {:?}",
            containers(filter)
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn code_that_catches_everything_is_killed_in_time() {
    let place = place().await;
    let mut wanted = job("
print('begun', flush=True)
while True:
    try:
        while True: pass
    except BaseException:
        pass
");
    wanted.timeout = Duration::from_secs(1);
    let outcome = place.run_job(wanted).await;
    assert_eq!(kind(&outcome), FailureKind::Timeout);
    assert_eq!(
        failure(&outcome).message,
        "the code ran longer than 1 seconds and was killed"
    );
    assert_eq!(outcome.prints, "begun\n");
    assert!(
        outcome.elapsed < Duration::from_millis(1500),
        "{:?}",
        outcome.elapsed
    );
    none_left(&label(&place), Duration::from_secs(5)).await;
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn running_out_of_memory_is_told_apart_from_being_killed() {
    let place = place().await;
    let outcome = place
        .run("print('x', flush=True)\na = []\nwhile True: a.append('x' * 1_000_000 + str(len(a)))")
        .await;
    assert_eq!(kind(&outcome), FailureKind::Memory, "{outcome:?}");
    assert_eq!(outcome.prints, "x\n");
    let outcome = place
        .run("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
        .await;
    assert_eq!(kind(&outcome), FailureKind::Execution);
    assert_eq!(
        failure(&outcome).message,
        "the code was killed by a signal (SIGKILL)"
    );
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_abrupt_end_is_reported_as_what_it_is() {
    let place = place().await;
    for (code, message) in [
        (
            "import os\nprint('p', flush=True)\nos._exit(0)",
            "(exit code 0) before it had a result",
        ),
        (
            "import os\nprint('p', flush=True)\nos._exit(3)",
            "(exit code 3) before it had a result",
        ),
        (
            "import ctypes\nprint('p', flush=True)\nctypes.string_at(0)",
            "signal 11 (SIGSEGV)",
        ),
        (
            "import os\nprint('p', flush=True)\nos.abort()",
            "signal 6 (SIGABRT)",
        ),
    ] {
        let outcome = place.run(code).await;
        assert_eq!(kind(&outcome), FailureKind::Execution, "{code}");
        assert!(
            failure(&outcome).message.contains(message),
            "{:?}",
            failure(&outcome)
        );
        assert_eq!(outcome.prints, "p\n");
    }
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fork_bomb_is_bounded() {
    let place = place().await;
    let code = "
import os, time
n = 0
while True:
    if os.fork() == 0:
        time.sleep(60)
        os._exit(0)
    n += 1
    print(n, flush=True)
";
    let outcome = place.run(code).await;
    assert_eq!(kind(&outcome), FailureKind::Pids, "{outcome:?}");
    let last: u32 = outcome.prints.lines().last().unwrap().parse().unwrap();
    assert!((100..128).contains(&last), "{last}");
    assert!(outcome.elapsed < Duration::from_secs(10));

    let mut wild =
        job("import os\nwhile True:\n    try: os.fork()\n    except BaseException: pass");
    wild.timeout = Duration::from_secs(2);
    assert_eq!(kind(&place.run_job(wild).await), FailureKind::Timeout);
    assert_eq!(value(&place.run("1").await), &json!(1));
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_every_descriptor_ends_nothing_but_the_execution() {
    let place = place().await;
    let outcome = place
        .run("import os\nprint('p', flush=True)\nos.closerange(0, 1024)\nresult = 1")
        .await;
    assert_eq!(kind(&outcome), FailureKind::Execution, "{outcome:?}");
    assert_eq!(outcome.prints, "p\n");
    assert_eq!(value(&place.run("2").await), &json!(2));
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn frames_on_stdout_are_prints_and_garbage_to_the_host_ends_the_execution() {
    let place = place().await;
    let forged = r#"
import os, sys
body = b'\x00\x00\x00\x20{"message":{"result":666},"bytes":[]}'
frame = (7 + len(body)).to_bytes(4, 'big') + b'\x01\x07\x01\x00\x00\x00\x00' + body
os.write(1, frame)
os.write(2, frame)
result = 'mine'
"#;
    let outcome = place.run(forged).await;
    assert_eq!(value(&outcome), &json!("mine"));
    assert!(outcome.prints.contains("666") && outcome.stderr.contains("666"));

    // The descriptor of the host channel can be found; only calls and results pass there.
    let garbage = |bytes: &str| {
        format!(
            "
import os, time
for fd in range(3, 64):
    try: os.write(fd, {bytes})
    except OSError: pass
time.sleep(20)
"
        )
    };
    for bytes in [
        "b'garbage' * 100",
        r"b'\xff' * 64",
        // `Ended`, which only the supervisor may say.
        r"b'\x00\x00\x00\x09\x01\x08\x01\x00\x00\x00\x00{}'",
        // A call that is none.
        r"b'\x00\x00\x00\x0d\x01\x03\x01\x00\x00\x00\x01\x00\x00\x00\x02{}'",
    ] {
        let outcome = place.run(&garbage(bytes)).await;
        assert_eq!(
            kind(&outcome),
            FailureKind::Execution,
            "{bytes}: {outcome:?}"
        );
        assert!(
            failure(&outcome).message.contains("does not belong there"),
            "{outcome:?}"
        );
        assert!(outcome.elapsed < Duration::from_secs(10), "{bytes}");
    }
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn there_is_no_way_out_of_the_container() {
    let place = place().await;
    let code = r"
import ctypes, errno, os, socket
libc = ctypes.CDLL(None, use_errno=True)
opened = []
for family in range(64):
    for kind in range(1, 11):
        fd = libc.socket(family, kind, 0)
        if fd >= 0 or ctypes.get_errno() != errno.EPERM:
            opened.append((family, kind, ctypes.get_errno()))
pair = socket.socketpair()
pair[0].send(b'x')
assert pair[1].recv(1) == b'x'

def attempt(f):
    try:
        f()
        return 'done'
    except OSError as error:
        return errno.errorcode[error.errno]

status = dict(line.split(':', 1) for line in open('/proc/self/status') if ':' in line)
syscalls = {}
for name, number in {'ptrace': 101, 'mount': 165, 'keyctl': 250, 'unshare': 272, 'bpf': 321,
                     'userfaultfd': 323, 'io_uring_setup': 425, 'perf_event_open': 298,
                     'process_vm_readv': 310, 'pidfd_getfd': 438, 'setns': 308}.items():
    returned = libc.syscall(number, 0, 0, 0, 0, 0, 0)
    syscalls[name] = 'done' if returned >= 0 else errno.errorcode[ctypes.get_errno()]
result = {
    'opened': opened,
    'writes': [attempt(lambda p=p: open(p, 'w')) for p in
               ('/x', '/etc/passwd', '/usr/x', '/opt/mce/site/x', '/proc/sys/kernel/core_pattern')],
    'caps': status['CapEff'].strip(),
    'nnp': status['NoNewPrivs'].strip(),
    'seccomp': status['Seccomp'].strip(),
    'ids': [os.getuid(), os.getgid()],
    'environment': dict(os.environ),
    'syscalls': set(syscalls.values()),
    'exec': attempt(lambda: (open('/tmp/x', 'w').write('#!/bin/sh'), os.chmod('/tmp/x', 0o755),
                             os.execv('/tmp/x', ['x']))),
    'interfaces': [line.split(':')[0].strip() for line in open('/proc/net/dev') if ':' in line],
}
";
    let outcome = place.run(code).await;
    assert_eq!(
        value(&outcome),
        &json!({
            "opened": [],
            "writes": ["EROFS", "EROFS", "EROFS", "EROFS", "EROFS"],
            "caps": "0000000000000000", "nnp": "1", "seccomp": "2", "ids": [65534, 65534],
            "environment": {
                "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                "LANG": "C.UTF-8", "HOME": "/workspace", "TMPDIR": "/tmp",
            },
            "syscalls": ["EPERM"],
            "exec": "EACCES",
            "interfaces": ["lo"],
        })
    );
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_but_two_folders_can_be_written_and_nothing_written_can_be_run() {
    let place = place().await;
    let code = r"
import ctypes, errno, os, shutil, subprocess
written = []
for folder, folders, files in os.walk('/'):
    folders[:] = [name for name in folders if os.path.join(folder, name) not in ('/proc', '/sys')]
    try:
        os.close(os.open(os.path.join(folder, 'probe'), os.O_CREAT | os.O_WRONLY))
        written.append(folder)
    except OSError:
        pass
    for name in files:
        path = os.path.join(folder, name)
        try:
            if os.path.isfile(path) and name != 'probe':
                os.close(os.open(path, os.O_WRONLY))
                written.append(path)
        except OSError:
            pass
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, *arguments):
    if getattr(libc, name)(*arguments) >= 0:
        return 'done'
    return errno.errorcode[ctypes.get_errno()]
def run(path):
    try:
        return subprocess.run([path], pass_fds=[program]).returncode
    except OSError as error:
        return errno.errorcode[error.errno]
shutil.copy('/bin/true', '/workspace/true')
os.chmod('/workspace/true', 0o755)
program = os.open('/workspace/true', os.O_RDONLY)
result = [
    sorted(written),
    attempt('memfd_create', b'x', 0),
    attempt('syscall', 322, program, b'', None, None, 0x1000),
    run('/workspace/true'),
    run(f'/proc/self/fd/{program}'),
]
";
    let outcome = place.run(code).await;
    assert_eq!(
        value(&outcome),
        &json!([["/tmp", "/workspace"], "EPERM", "EPERM", "EACCES", "EACCES"])
    );
    place.close().await;
}

/// A program of MCE that is told to end while its sandbox is being connected or proven.
#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_ends_early_leaves_no_container_behind() {
    engine();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("code.py"), "while True: pass\n").unwrap();
    std::fs::create_dir(folder.path().join("compiled")).unwrap();
    for arguments in [&["sandbox", "status"][..], &["exec", "code.py"]] {
        for milliseconds in [0, 40, 100, 250, 500] {
            let state = tempfile::tempdir().unwrap();
            let mut child = Command::new(env!("CARGO_BIN_EXE_mce"))
                .args(arguments)
                .current_dir(folder.path())
                .env("XDG_STATE_HOME", state.path())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let instance = loop {
                let locks = std::fs::read_dir(state.path().join("mce/instances"));
                let names = locks.into_iter().flatten().flatten();
                let mut names = names.filter_map(|entry| entry.file_name().into_string().ok());
                let id = names.find_map(|name| Some(name.strip_suffix(".lock")?.to_owned()));
                if let Some(id) = id {
                    break id;
                }
                assert!(child.try_wait().unwrap().is_none(), "{arguments:?}");
                tokio::time::sleep(Duration::from_millis(5)).await;
            };
            tokio::time::sleep(Duration::from_millis(milliseconds)).await;
            let id = child.id().to_string();
            Command::new("kill").args(["-TERM", &id]).status().unwrap();
            child.wait().unwrap();
            let left = containers(&format!("label=mce.instance={instance}"));
            assert!(
                left.is_empty(),
                "{arguments:?} after {milliseconds} ms: {left:?}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sandbox_that_is_shut_down_starts_nothing_more() {
    let place = place().await;
    place.sandbox.shutdown().await.unwrap();
    let outcome = place.run("1").await;
    assert_eq!(kind(&outcome), FailureKind::Sandbox, "{outcome:?}");
    assert!(matches!(place.sandbox.prove().await, Err(Error::Closed)));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_failed_proof_found_is_shown_and_nothing_runs() {
    engine();
    let image = "mce-sandbox:with-a-volume";
    let mut build = docker(&["build", "--quiet", "--tag", image, "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let recipe = format!("FROM {}\nVOLUME /data\n", settings().docker_image);
    build
        .stdin
        .take()
        .unwrap()
        .write_all(recipe.as_bytes())
        .unwrap();
    assert!(build.wait().unwrap().success());
    let weak = settings_with(&[("MCE_DOCKER_IMAGE", image), ("MCE_SANDBOX_MODE", "cold")]);
    let place = place_with(&weak).await;
    let outcome = place.run("1").await;
    assert_eq!(kind(&outcome), FailureKind::Sandbox, "{outcome:?}");
    assert!(matches!(
        place.sandbox.prove().await,
        Err(Error::NotProven { .. })
    ));
    let failures = place.sandbox.status().await.unwrap().proof.failures();
    let found: Vec<_> = failures.iter().map(|it| (&*it.check, &*it.found)).collect();
    // Podman shows it in other fields as well.
    assert!(found.contains(&("mounts", "/data")), "{found:?}");
    assert!(found.iter().all(|it| it.1.contains("/data")), "{found:?}");
    place.close().await;

    let shown = Command::new(env!("CARGO_BIN_EXE_mce"))
        .args(["sandbox", "status"])
        .env("MCE_DOCKER_IMAGE", image)
        .output()
        .unwrap();
    let text = String::from_utf8(shown.stdout).unwrap();
    assert!(
        text.contains("FAILED  mounts: /data (must be none of the host)"),
        "{text}"
    );
    assert_eq!(shown.status.code(), Some(1));
    docker(&["image", "rm", image]).output().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_supervisor_cannot_be_opened_stopped_or_signalled() {
    let place = place().await;
    let code = r"
import errno, os, resource, signal, time
def attempt(f):
    try:
        f()
        return 'done'
    except OSError as error:
        return errno.errorcode[error.errno]
result = {name: attempt(lambda: open(f'/proc/1/{name}', 'rb').read(1))
          for name in ('mem', 'environ', 'maps', 'auxv', 'syscall')}
result['fd'] = attempt(lambda: os.listdir('/proc/1/fd'))
result['fd/0'] = attempt(lambda: os.open('/proc/1/fd/0', os.O_RDWR))
result['root'] = attempt(lambda: os.listdir('/proc/1/root'))
result['limits'] = attempt(lambda: resource.prlimit(1, resource.RLIMIT_AS, (0, 0)))
resource.setrlimit(resource.RLIMIT_NOFILE, (512, 512))
for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGINT, signal.SIGHUP,
               signal.SIGSEGV, signal.SIGCHLD, signal.SIGPIPE, signal.SIGUSR1, signal.SIGALRM):
    os.kill(1, number)
time.sleep(0.3)
";
    let outcome = place.run(code).await;
    for (name, found) in value(&outcome).as_object().unwrap() {
        assert!(found == "EACCES" || found == "EPERM", "{name}: {found}");
    }
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_left_behind_neither_hold_up_the_end_nor_outlive_it() {
    let place = place().await;
    let code = "
import os, subprocess, threading, time
subprocess.Popen(['sh', '-c', 'while true; do echo left; sleep 0.1; done'])
if os.fork() == 0:
    while True: time.sleep(1)
threading.Thread(target=time.sleep, args=(60,)).start()
result = 'done'
";
    let outcome = place.run(code).await;
    assert_eq!(value(&outcome), &json!("done"));
    assert!(
        outcome.elapsed < Duration::from_secs(5),
        "{:?}",
        outcome.elapsed
    );
    none_left(&label(&place), Duration::from_secs(5)).await;
    place.close().await;
}

/// Nothing of what is over the limit reaches the host, whose memory would grow by it.
#[tokio::test(flavor = "multi_thread")]
async fn a_gigabyte_of_prints_is_cut_while_it_streams() {
    let place = place().await;
    let memory = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:"));
        let kibibytes = line.unwrap().split_whitespace().nth(1).unwrap();
        kibibytes.parse::<u64>().unwrap() / 1024
    };
    let before = memory();
    let code = "import os\nblock = b'x' * (1 << 20)\n\
                for _ in range(1024):\n    os.write(1, block)\n'done'";
    let outcome = place.run(code).await;
    assert_eq!(value(&outcome), &json!("done"));
    assert!(outcome.truncated);
    // Short of the limit by no more than the mark of the cut.
    let kept = (1 << 20) - outcome.prints.len();
    assert!(kept < 16, "{kept}");
    let grown = memory() - before;
    assert!(grown < 100, "{grown} MiB");
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_of_fifty_megabytes_is_refused_where_it_is_made() {
    let place = place().await;
    for code in [
        "'x' * (50 << 20)",
        "['x' * 50 for _ in range(1_000_000)]",
        "{n: 'x' * 500 for n in range(100_000)}",
    ] {
        let outcome = place.run(code).await;
        assert_eq!(
            kind(&outcome),
            FailureKind::OutputLimit,
            "{code}: {outcome:?}"
        );
    }
    assert_eq!(value(&place.run("4").await), &json!(4));
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_gigabytes_of_memory_are_not_there() {
    let place = place().await;
    let outcome = place.run("x = bytearray(10 << 30)\nlen(x)").await;
    let failed = failure(&outcome);
    // The system may refuse at once, or kill what begins to use it.
    let is_told = failed.kind == FailureKind::Memory || failed.message.starts_with("MemoryError");
    assert!(is_told, "{failed:?}");
    let used = "x = []\nwhile True:\n    x.append(bytes(range(256)) * 40_000)";
    let outcome = place.run(used).await;
    assert_eq!(kind(&outcome), FailureKind::Memory, "{outcome:?}");
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_temporary_folder_is_an_error_that_says_so() {
    let place = place().await;
    let code = "
with open('/tmp/x', 'wb') as file:
    while True: file.write(bytes(1 << 20))
";
    let outcome = place.run(code).await;
    assert_eq!(kind(&outcome), FailureKind::Disk, "{outcome:?}");
    assert!(
        failure(&outcome).message.contains("No space left"),
        "{outcome:?}"
    );
    assert!(
        failure(&outcome)
            .hint
            .as_deref()
            .unwrap()
            .contains("64 MiB")
    );
    // Nothing is full: whoever says so did not fill it.
    let outcome = place.run("raise OSError(28, 'pretended')").await;
    assert_eq!(kind(&outcome), FailureKind::Execution, "{outcome:?}");
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dropping_the_future_removes_the_container_at_any_moment() {
    let place = place().await;
    for milliseconds in [1, 30, 100, 300, 800, 1500] {
        let run = place
            .sandbox
            .run(job("while True: pass"), Arc::new(FakeHost::default()));
        let dropped = tokio::time::timeout(Duration::from_millis(milliseconds), run).await;
        assert!(dropped.is_err());
    }
    // One that is being created is removed as soon as it is there.
    tokio::time::sleep(Duration::from_secs(2)).await;
    none_left(&label(&place), Duration::from_secs(10)).await;
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_container_removed_by_hand_is_reported_and_the_next_one_runs() {
    let place = place().await;
    let filter = label(&place);
    let run = place.run("import time\nprint('up', flush=True)\ntime.sleep(30)");
    let by_hand = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        let found = containers(&filter);
        let id = found.first().unwrap().split(' ').next().unwrap().to_owned();
        docker(&["rm", "--force", &id]).output().unwrap();
    };
    let (outcome, ()) = tokio::join!(run, by_hand);
    assert_eq!(kind(&outcome), FailureKind::Sandbox, "{outcome:?}");
    assert!(outcome.elapsed < Duration::from_secs(10));
    assert_eq!(value(&place.run("3").await), &json!(3));
    place.close().await;
}

/// The process that [`a_killed_process_leaves_no_running_container`] kills; nothing by itself.
#[tokio::test(flavor = "multi_thread")]
async fn victim() {
    let Ok(state) = std::env::var("MCE_TEST_VICTIM_STATE") else {
        return;
    };
    // One that runs, and one that waits.
    let settings = settings_with(&[("MCE_WARM_POOL_SIZE", "1")]);
    let sandbox = DockerSandbox::connect(&settings, state.as_ref())
        .await
        .unwrap();
    println!(
        "{}",
        sandbox.inspect()["create"]["Labels"]["mce.instance"]
            .as_str()
            .unwrap()
    );
    sandbox
        .run(job("while True: pass"), Arc::new(FakeHost::default()))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_process_leaves_no_running_container_and_the_next_sweeps() {
    engine();
    let state = tempfile::tempdir().unwrap();
    let log = state.path().join("out");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "victim", "--nocapture"])
        .env("MCE_TEST_VICTIM_STATE", state.path())
        .stdout(std::fs::File::create(&log).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let instance = loop {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let said = std::fs::read_to_string(&log).unwrap();
        let id = said
            .lines()
            .find(|line| line.len() == 32 && !line.contains(' '));
        if let Some(id) = id {
            break id.to_owned();
        }
        assert!(child.try_wait().unwrap().is_none(), "{said}");
    };
    let filter = format!("label=mce.instance={instance}");
    let running = |line: &&String| line.ends_with("running");
    while containers(&filter).iter().filter(running).count() < 2 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    tokio::time::sleep(Duration::from_millis(700)).await;

    // A second process on the same engine takes nothing from a living one.
    let second = DockerSandbox::connect(&settings(), state.path())
        .await
        .unwrap();
    assert_eq!(containers(&filter).len(), 2);
    second.shutdown().await.unwrap();

    child.kill().unwrap();
    child.wait().unwrap();
    let killed = Instant::now();
    while containers(&filter)
        .iter()
        .any(|line| line.ends_with("running"))
    {
        assert!(killed.elapsed() < Duration::from_secs(10));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let third = DockerSandbox::connect(&settings(), state.path())
        .await
        .unwrap();
    assert_eq!(containers(&filter), Vec::<String>::new());
    third.shutdown().await.unwrap();
    // Of the killed one a container may come still, for a while.
    let locks = std::fs::read_dir(state.path().join("instances")).unwrap();
    let locks: Vec<_> = locks.map(|lock| lock.unwrap().file_name()).collect();
    assert_eq!(locks, [format!("{instance}.lock").as_str()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_image_and_a_missing_engine_are_errors_that_say_what_to_do() {
    engine();
    let state = tempfile::tempdir().unwrap();
    let mut settings = settings();
    settings.docker_image = "mce-no-such-image:latest".to_owned();
    let error = DockerSandbox::connect(&settings, state.path())
        .await
        .unwrap_err();
    assert!(matches!(error, Error::ImageMissing { .. }), "{error}");
    assert!(error.to_string().contains("mce sandbox build"), "{error}");

    settings.docker_host = Some("unix:///nowhere/docker.sock".to_owned());
    let error = DockerSandbox::connect(&settings, state.path())
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Unreachable { .. }), "{error}");
    assert!(
        error.to_string().contains("start Docker or Podman"),
        "{error}"
    );

    settings.docker_host = Some("ftp://x".to_owned());
    let error = DockerSandbox::connect(&settings, state.path())
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Address { .. }), "{error}");
}
