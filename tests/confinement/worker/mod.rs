//! The worker's side of the tests.

#![expect(
    unsafe_code,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "does what is forbidden"
)]

use std::io::{Read, Write};
use std::process::ExitCode;

use libc::c_long;
use mce::sandbox::embedded::confine::{
    EXIT_UNCONFINED, FILTER_ERRNO, Limits, Weakness, enter_without,
};

pub fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let limits: Limits = serde_json::from_str(&arguments[2]).unwrap();
    let without: Vec<Weakness> = serde_json::from_str(&arguments[3]).unwrap();
    std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
    let action = arguments[4].as_str();
    match action {
        "second-thread" => drop(std::thread::spawn(std::thread::park)),
        "parent" => return parent(limits),
        _ => {}
    }
    let measured = match enter_without(&limits, &without) {
        Ok(measured) => measured,
        Err(failure) => {
            eprintln!("{failure}");
            return ExitCode::from(u8::try_from(EXIT_UNCONFINED).unwrap());
        }
    };
    frame(&serde_json::to_vec(&measured).unwrap());
    act(action)
}

fn frame(bytes: &[u8]) {
    let mut output = std::io::stdout().lock();
    output
        .write_all(&u32::try_from(bytes.len()).unwrap().to_be_bytes())
        .unwrap();
    output.write_all(bytes).unwrap();
    output.flush().unwrap();
}

/// Starts a worker that waits for input which stays open, and ends.
#[expect(clippy::zombie_processes, reason = "that is what is tested")]
fn parent(limits: Limits) -> ExitCode {
    let limits = Limits {
        parent: std::process::id(),
        ..limits
    };
    let limits = serde_json::to_string(&limits).unwrap();
    let (input, output) = std::io::pipe().unwrap();
    // Not closed by executing, so that only the signal can end the worker: it holds both ends.
    let mut worker = std::process::Command::new(std::env::current_exe().unwrap());
    worker
        .args(["worker", &limits, "[\"Descriptors\"]", "wait"])
        .env_clear()
        .stdin(input)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    rustix::io::fcntl_setfd(&output, rustix::io::FdFlags::empty()).unwrap();
    let mut worker = worker.spawn().unwrap();
    let mut length = [0; 4];
    worker
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut length)
        .unwrap();
    frame(worker.id().to_string().as_bytes());
    ExitCode::SUCCESS
}

fn call(number: c_long, arguments: [c_long; 6]) -> Result<c_long, i32> {
    let [first, second, third, fourth, fifth, sixth] = arguments;
    // SAFETY: tests pass null, or what the filter refuses.
    let result = unsafe { libc::syscall(number, first, second, third, fourth, fifth, sixth) };
    if result == -1 {
        Err(std::io::Error::last_os_error().raw_os_error().unwrap())
    } else {
        Ok(result)
    }
}

fn act(action: &str) -> ExitCode {
    match action {
        "exit" | "second-thread" => {}
        "wait" => drop(std::io::stdin().read_to_end(&mut Vec::new())),
        "exit-65" => return ExitCode::from(65),
        "exit-3" => return ExitCode::from(3),
        "panic" => panic!("on purpose"),
        "abort" => std::process::abort(),
        // SAFETY: none; this is the fault.
        "fault" => unsafe { std::ptr::without_provenance_mut::<u8>(64).write_volatile(1) },
        "recurse" => {
            std::hint::black_box(recurse(1));
        }
        "spin" => loop {
            std::hint::black_box(1);
        },
        "allocate" => {
            let mut all = Vec::new();
            loop {
                all.push(vec![1_u8; 1 << 20]);
                std::hint::black_box(&all);
            }
        }
        "every-call" => frame(&serde_json::to_vec(&every_call()).unwrap()),
        "arguments" => frame(&serde_json::to_vec(&arguments()).unwrap()),
        "call-getppid" => drop(call(libc::SYS_getppid, [0; 6])),
        "call-mmap" => drop(call(libc::SYS_mmap, [0, 4096, 5, 0x22, -1, 0])),
        "call-open" => drop(call(
            libc::SYS_openat,
            [-100, c"/".as_ptr() as c_long, 0, 0, 0, 0],
        )),
        "call-read-error-stream" => drop(call(libc::SYS_read, [2, 0, 0, 0, 0, 0])),
        "call-x32" => drop(call(0x4000_0000 | libc::SYS_getpid, [0; 6])),
        #[cfg(target_arch = "x86_64")]
        "call-i386" => {
            // SAFETY: `getpid` of the 32 bit interface, if it were let through.
            unsafe { std::arch::asm!("int 0x80", inout("rax") 20_u64 => _) };
        }
        other => panic!("unknown action `{other}`"),
    }
    ExitCode::SUCCESS
}

#[expect(unconditional_recursion, reason = "to use up the stack")]
fn recurse(depth: u64) -> u64 {
    std::hint::black_box(depth) + recurse(depth + 1)
}

/// Numbers that the filter lets through though they are not on this list.
fn every_call() -> Vec<i64> {
    let listed = [
        libc::SYS_read,
        libc::SYS_write,
        libc::SYS_writev,
        libc::SYS_close,
        libc::SYS_mmap,
        libc::SYS_mprotect,
        libc::SYS_mremap,
        libc::SYS_madvise,
        libc::SYS_munmap,
        libc::SYS_brk,
        libc::SYS_clock_gettime,
        libc::SYS_clock_nanosleep,
        libc::SYS_nanosleep,
        libc::SYS_gettimeofday,
        libc::SYS_getrandom,
        libc::SYS_futex,
        libc::SYS_sigaltstack,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_getpid,
        libc::SYS_gettid,
        libc::SYS_tgkill,
        libc::SYS_tkill,
        libc::SYS_exit,
        libc::SYS_exit_group,
        libc::SYS_fcntl,
    ];
    // The kernel lets `uretprobe` and `uprobe` past every filter; both are a fault (SIGILL) unless
    // made from code that the kernel itself placed.
    let probes = if cfg!(target_arch = "x86_64") {
        335..337
    } else {
        0..0
    };
    let plain = 0..2048;
    let x32 = 0x4000_0000..0x4000_0800;
    plain
        .chain(x32)
        .filter(|number| !probes.contains(number))
        .filter(|number| !listed.contains(number))
        .filter(|&number| call(number, [0; 6]) != Err(FILTER_ERRNO))
        .collect()
}

/// Calls with arguments that are let through, and should not be, or the other way round.
#[expect(clippy::too_many_lines, reason = "a list")]
fn arguments() -> Vec<String> {
    let mut wrong = Vec::new();
    let mut check = |name: &str, refused: bool, number: c_long, arguments: [c_long; 6]| {
        if (call(number, arguments) == Err(FILTER_ERRNO)) != refused {
            wrong.push(format!("{name} {arguments:?}"));
        }
    };
    for protection in 0..64 {
        let refused = protection & !3 != 0;
        check(
            "mmap",
            refused,
            libc::SYS_mmap,
            [0, 4096, protection, 0x22, -1, 0],
        );
        check(
            "mprotect",
            refused,
            libc::SYS_mprotect,
            [0, 0, protection, 0, 0, 0],
        );
    }
    for high in [1 << 32, 1 << 63, 0x0100_0000, 0x0200_0000] {
        check(
            "mmap",
            true,
            libc::SYS_mmap,
            [0, 4096, 3 | high, 0x22, -1, 0],
        );
        check(
            "mprotect",
            true,
            libc::SYS_mprotect,
            [0, 0, 3 | high, 0, 0, 0],
        );
    }
    for bit in 0..63 {
        let flags = 1 << bit;
        // Private, anonymous; not reserved and for a stack may be added.
        let refused = ![0x2, 0x20, 0x4000, 0x2_0000].contains(&flags);
        check(
            "mmap",
            refused,
            libc::SYS_mmap,
            [0, 4096, 3, 0x22 | flags, -1, 0],
        );
    }
    check("mmap", true, libc::SYS_mmap, [0, 4096, 3, 0x2, 0, 0]);
    check("mmap", true, libc::SYS_mmap, [0, 4096, 3, 0x20, -1, 0]);
    for descriptor in [-1, 1, 2, 4, 5, 100] {
        check("read", true, libc::SYS_read, [descriptor, 0, 0, 0, 0, 0]);
    }
    for descriptor in [-1, 0, 3, 4, 100] {
        check("write", true, libc::SYS_write, [descriptor, 0, 0, 0, 0, 0]);
        check(
            "writev",
            true,
            libc::SYS_writev,
            [descriptor, 0, 0, 0, 0, 0],
        );
    }
    for descriptor in 0..300 {
        for operation in 0..32 {
            let refused = descriptor > 2 || operation != 1;
            let refused = refused && (descriptor, operation) != (3, 1);
            check(
                "fcntl",
                refused,
                libc::SYS_fcntl,
                [descriptor, operation, 0, 0, 0, 0],
            );
        }
    }
    for operation in 0..512 {
        let refused = ![0, 1, 9, 10].contains(&(operation & !(128 | 256)));
        check(
            "futex",
            refused,
            libc::SYS_futex,
            [0, operation, 1, 0, 0, 0],
        );
    }
    for advice in 0..128 {
        let refused = ![4, 8].contains(&advice);
        check(
            "madvise",
            refused,
            libc::SYS_madvise,
            [0, 0, advice, 0, 0, 0],
        );
    }
    for flags in [0, 2, 3, 4, 5, 7] {
        check("mremap", true, libc::SYS_mremap, [0, 0, 0, flags, 0, 0]);
    }
    let own = c_long::from(std::process::id());
    for (process, signal, refused) in [
        (own, 0, true),
        (own, 9, true),
        (own, 19, true),
        (-1, 6, true),
        (0, 6, true),
        (1, 6, true),
        (own + 1, 6, true),
    ] {
        check(
            "tgkill",
            refused,
            libc::SYS_tgkill,
            [process, -1, signal, 0, 0, 0],
        );
    }
    check("tkill", true, libc::SYS_tkill, [own, 9, 0, 0, 0, 0]);
    check("tkill", true, libc::SYS_tkill, [1, 6, 0, 0, 0, 0]);
    let droppable = |protection| [0, 4096, protection, 0x28, -1, 0];
    check("mmap", false, libc::SYS_mmap, droppable(3));
    check("mmap", true, libc::SYS_mmap, droppable(5));
    check("tgkill", false, libc::SYS_tgkill, [own, -1, 6, 0, 0, 0]);
    for option in 0..100 {
        check(
            "prctl",
            option != 38,
            libc::SYS_prctl,
            [option, 1, 0, 0, 0, 0],
        );
    }
    check(
        "prctl",
        false,
        libc::SYS_prctl,
        [0x5356_4d41, 0, 0, 0, 0, 0],
    );
    check("prctl", true, libc::SYS_prctl, [0x5356_4d41, 1, 0, 0, 0, 0]);
    for operation in [0, 2, 3] {
        check(
            "seccomp",
            true,
            libc::SYS_seccomp,
            [operation, 0, 0, 0, 0, 0],
        );
    }
    wrong
}
