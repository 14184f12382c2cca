//! The system calls that the profile does not allow, and how they are made from inside.

#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

use std::collections::{BTreeMap, BTreeSet};

use syscalls::Sysno;

/// Makes each call in a process of its own and says how that ended.
pub const CALL_EACH: &str = "
import ctypes, json, os
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def call_each(calls):
    ends = {}
    for name, numbers in json.loads(calls).items():
        child = os.fork()
        if child == 0:
            returned = libc.syscall(*map(ctypes.c_long, numbers))
            os._exit(200 if returned >= 0 else ctypes.get_errno())
        ends[name] = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return ends
";

/// What the profile allows whatever the arguments, and what it allows with some.
fn allowed() -> (BTreeSet<String>, BTreeSet<String>) {
    let profile: serde_json::Value =
        serde_json::from_str(include_str!("../../config/seccomp.json")).unwrap();
    let (mut always, mut sometimes) = (BTreeSet::new(), BTreeSet::new());
    for rule in profile["syscalls"].as_array().unwrap() {
        if rule["action"] == "SCMP_ACT_ALLOW" {
            let names = rule["names"].as_array().unwrap();
            let names = names.iter().map(|name| name.as_str().unwrap().to_owned());
            if rule.get("args").is_some() {
                sometimes.extend(names);
            } else {
                always.extend(names);
            }
        }
    }
    (always, sometimes)
}

/// The system calls that the profile does not allow.
pub fn refused() -> Vec<Sysno> {
    let (always, sometimes) = allowed();
    let is_refused =
        |call: &Sysno| !always.contains(call.name()) && !sometimes.contains(call.name());
    let refused: Vec<Sysno> = Sysno::iter().filter(is_refused).collect();
    assert!(refused.len() > 100, "{}", refused.len());
    refused
}

/// Those, and others with arguments that the profile does not allow: number and arguments by name.
pub fn refused_calls(refused: &[Sysno]) -> BTreeMap<String, Vec<u64>> {
    let mut calls: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for call in refused {
        calls.insert(
            call.name().to_owned(),
            vec![u64::try_from(call.id()).unwrap()],
        );
    }
    let number = |call: Sysno| u64::try_from(call.id()).unwrap();
    for flag in [
        0x80_u64,
        0x0002_0000,
        0x0200_0000,
        0x0400_0000,
        0x0800_0000,
        0x1000_0000,
        0x2000_0000,
        0x4000_0000,
    ] {
        // Of these, CLONE_NEWTIME (0x80) is one of `clone3` and `unshare` alone.
        if flag != 0x80 {
            calls.insert(
                format!("clone {flag:#x}"),
                vec![number(Sysno::clone), flag | 0x11],
            );
        }
        calls.insert(
            format!("unshare {flag:#x}"),
            vec![number(Sysno::unshare), flag],
        );
    }
    for family in (0..46).filter(|family| *family != 1) {
        let pair = vec![number(Sysno::socketpair), family, 1, 0, 0];
        calls.insert(format!("socketpair {family}"), pair);
    }
    for family in 0..46 {
        calls.insert(
            format!("socket {family}"),
            vec![number(Sysno::socket), family, 1, 0],
        );
    }
    calls.insert(
        "prlimit64 1".to_owned(),
        vec![number(Sysno::prlimit64), 1, 7, 0, 0],
    );
    for persona in [0x004_0000, 0x010_0000, 8] {
        let call = vec![number(Sysno::personality), persona];
        calls.insert(format!("personality {persona:#x}"), call);
    }
    // Numbers that no system call has, and on x86-64 those of the x32 programs.
    for unknown in (600..700).chain([1 << 20]) {
        calls.insert(format!("number {unknown}"), vec![unknown]);
    }
    if cfg!(target_arch = "x86_64") {
        for call in refused {
            let wide = vec![0x4000_0000 | u64::try_from(call.id()).unwrap()];
            calls.insert(format!("x32 {}", call.name()), wide);
        }
    }
    calls
}
