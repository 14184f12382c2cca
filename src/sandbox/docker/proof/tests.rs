use serde_json::json;

use super::*;
use crate::config::{Environment, Settings};

fn request() -> ContainerRequest {
    let pairs: [(&str, &str); 0] = [];
    let settings = Settings::from_environment(&Environment::from_pairs(pairs))
        .unwrap()
        .0;
    ContainerRequest::new(&settings, "sha256:x".to_owned(), BTreeMap::new())
}

fn good() -> serde_json::Value {
    let none = "0000000000000000";
    json!({
        "python": "3.13.5", "pid": 1,
        "uid": [65534, 65534, 65534], "gid": [65534, 65534, 65534], "groups": [65534],
        "status": {
            "CapInh": none, "CapPrm": none, "CapEff": none, "CapBnd": none, "CapAmb": none,
            "NoNewPrivs": "1", "Seccomp": "2",
        },
        "environment": {"LANG": "C.UTF-8", "PYTHON_VERSION": "3.13"},
        "sockets": {"EPERM": 138},
        "root": "EROFS", "root_read_only": true, "interfaces": ["lo"],
        "writable": {
            "/tmp": ["rw", "nosuid", "nodev", "noexec", "relatime"],
            "/workspace": ["rw", "noexec", "nosuid", "nodev"],
        },
        "options_shown": ["nodev", "noexec", "nosuid", "relatime", "ro", "rw"],
        "programs_from_memory": "EPERM", "uncovered": [], "changeable": [],
        "limits": {"memory": "268435456", "pids": "128"},
    })
}

/// The checks that failed.
fn failed(findings: Findings) -> Vec<String> {
    let failed = findings.all.into_iter().filter(|finding| !finding.ok);
    failed.map(|finding| finding.check).collect()
}

fn failures(hello: serde_json::Value) -> Vec<String> {
    let hello: Hello = serde_json::from_value(hello).unwrap();
    let image = ["PYTHON_VERSION=3.13".to_owned()];
    let mut findings = Findings::new(false);
    inside::judge(&mut findings, &hello, &request(), &image);
    failed(findings)
}

#[test]
fn a_sound_container_passes_and_each_weakness_is_named() {
    assert_eq!(failures(good()), Vec::<String>::new());
    for (pointer, value, check) in [
        ("/status/CapBnd", json!("00000000a80425fb"), "CapBnd"),
        ("/status/NoNewPrivs", json!("0"), "NoNewPrivs"),
        ("/status/Seccomp", json!("0"), "Seccomp"),
        ("/uid", json!([0, 65534, 65534]), "uid"),
        ("/gid", json!([65534, 65534, 0]), "gid"),
        ("/groups", json!([65534, 0]), "groups"),
        ("/pid", json!(7), "pid"),
        (
            "/sockets",
            json!({"EPERM": 137, "created:2": 1}),
            "sockets of any family",
        ),
        (
            "/sockets",
            json!({"EAFNOSUPPORT": 138}),
            "sockets of any family",
        ),
        ("/sockets", json!({}), "sockets of any family"),
        ("/root", json!("created"), "writing `/`"),
        ("/root_read_only", json!(false), "`/` is mounted read-only"),
        ("/interfaces", json!(["lo", "eth0"]), "network interfaces"),
        ("/environment", json!({"TOKEN": "x"}), "environment"),
        ("/environment", json!({"container": "x"}), "environment"),
        (
            "/programs_from_memory",
            json!("created"),
            "files in memory that could be run",
        ),
        (
            "/uncovered",
            json!(["/proc/keys"]),
            "places of the kernel that are seen",
        ),
        (
            "/writable/~1tmp",
            json!(["rw", "nosuid", "nodev"]),
            "places that can be written",
        ),
        (
            "/writable",
            json!({
                "/dev/shm": ["rw", "noexec", "nosuid", "nodev"],
                "/tmp": ["rw", "noexec", "nosuid", "nodev"],
                "/workspace": ["rw", "noexec", "nosuid", "nodev"],
            }),
            "places that can be written",
        ),
        (
            "/environment",
            json!({"PYTHON_VERSION": "other"}),
            "environment",
        ),
        (
            "/limits/memory",
            json!("9223372036854771712"),
            "limit in force: memory",
        ),
        ("/limits/pids", json!("max"), "limit in force: pids"),
    ] {
        let mut hello = good();
        *hello.pointer_mut(pointer).unwrap() = value;
        assert_eq!(failures(hello), vec![check.to_owned()], "{pointer}");
    }
}

#[test]
fn what_gvisor_does_not_show_is_judged_by_what_it_does() {
    let mut hello = good();
    hello["status"].as_object_mut().unwrap().remove("CapAmb");
    hello["root"] = json!("EACCES");
    hello["options_shown"] = json!(["noexec", "ro", "rw"]);
    for path in ["/tmp", "/workspace"] {
        hello["writable"][path] = json!(["rw", "noexec"]);
    }
    assert_eq!(failures(hello.clone()), Vec::<String>::new());
    for (pointer, value, checks) in [
        (
            "/status/CapPrm",
            json!("0000000000000001"),
            &["CapPrm", "CapAmb"][..],
        ),
        (
            "/root_read_only",
            json!(false),
            &["writing `/`", "`/` is mounted read-only"],
        ),
        (
            "/writable/~1tmp",
            json!(["rw"]),
            &["places that can be written"],
        ),
        (
            "/options_shown",
            json!(["nosuid"]),
            &["places that can be written"],
        ),
    ] {
        let mut hello = hello.clone();
        *hello.pointer_mut(pointer).unwrap() = value;
        assert_eq!(failures(hello), checks, "{pointer}");
    }
}

fn inspected(change: impl FnOnce(&mut serde_json::Value)) -> Vec<String> {
    let mut container = json!({ "HostConfig": request().final_host_config(), "Mounts": [] });
    container["HostConfig"]["ReadonlyPaths"] = json!(["/proc/sys"]);
    change(&mut container);
    let container = serde_json::from_value(container).unwrap();
    let mut hello: Hello = serde_json::from_value(good()).unwrap();
    hello.changeable = vec!["/proc/sys".to_owned()];
    let mut findings = Findings::new(false);
    outside::judge(&mut findings, &container, &hello, &request());
    failed(findings)
}

#[test]
fn what_the_engine_changed_is_found() {
    assert_eq!(inspected(|_| ()), Vec::<String>::new());
    let set = |name: &'static str, value: serde_json::Value| {
        inspected(move |container| container["HostConfig"][name] = value)
    };
    assert_eq!(
        set("NetworkMode", json!("bridge")),
        ["HostConfig.NetworkMode"]
    );
    assert_eq!(set("MemorySwap", json!(-1)), ["HostConfig.MemorySwap"]);
    assert_eq!(
        set("ReadonlyPaths", json!([])),
        ["places of the kernel that can be changed"]
    );
    assert_eq!(set("CpuQuota", json!(0)), ["HostConfig.CpuQuota"]);
    assert_eq!(
        set("ReadonlyRootfs", json!(false)),
        ["HostConfig.ReadonlyRootfs"]
    );
    assert_eq!(set("CapAdd", json!(["SYS_ADMIN"])), ["HostConfig.CapAdd"]);
    assert_eq!(set("Binds", json!(["/:/host"])), ["HostConfig.Binds"]);
    assert_eq!(set("Privileged", json!(true)), ["HostConfig.Privileged"]);
    assert_eq!(set("PidMode", json!("host")), ["HostConfig.PidMode"]);
    assert_eq!(
        set(
            "SecurityOpt",
            json!(["no-new-privileges", "seccomp=unconfined"])
        ),
        ["HostConfig.SecurityOpt"]
    );
    let mount = json!([{"Type": "volume", "Destination": "/data"}]);
    assert_eq!(
        inspected(|container| container["Mounts"] = mount),
        ["mounts"]
    );
}

#[test]
fn a_limit_that_nobody_can_see_is_not_taken_for_one_in_force() {
    let unseen = |limits: &Limits, change: &dyn Fn(&mut Hello)| -> Vec<String> {
        let mut hello = serde_json::from_value(good()).unwrap();
        change(&mut hello);
        let mut findings = Findings::new(false);
        kernel::judge(&mut findings, limits, &hello, &request());
        let failed = findings.all.into_iter().filter(|finding| !finding.ok);
        failed.map(|finding| finding.check).collect()
    };
    let none = Limits::default();
    assert_eq!(unseen(&none, &|_| ()), Vec::<String>::new());
    assert_eq!(
        unseen(&none, &|hello| hello.limits.clear()),
        ["limit in force: memory", "limit in force: pids"]
    );
    let seen = Limits {
        memory: Some("268435456".to_owned()),
        pids: Some("128".to_owned()),
        cpu: Some("50000 100000".to_owned()),
    };
    assert_eq!(
        unseen(&seen, &|hello| hello.limits.clear()),
        Vec::<String>::new()
    );
}

#[test]
fn the_processor_time_is_computed_from_quota_and_period() {
    let failed = |cpu: &str| {
        let limits = Limits {
            cpu: Some(cpu.to_owned()),
            ..Limits::default()
        };
        let hello = serde_json::from_value(good()).unwrap();
        let mut findings = Findings::new(false);
        kernel::judge(&mut findings, &limits, &hello, &request());
        findings.all.iter().any(|finding| !finding.ok)
    };
    assert!(!failed("50000 100000"));
    assert!(!failed("500000 1000000"));
    assert!(failed("-1 100000") && failed("max 100000") && failed("100000 100000"));
}

#[test]
fn groups_without_a_limit_of_processor_time_are_found() {
    let limits = Limits {
        memory: Some("268435456".to_owned()),
        pids: Some("128".to_owned()),
        cpu: None,
    };
    let hello = serde_json::from_value(good()).unwrap();
    let mut findings = Findings::new(false);
    kernel::judge(&mut findings, &limits, &hello, &request());
    let failed = findings.all.iter().filter(|finding| !finding.ok);
    let failed: Vec<&str> = failed.map(|finding| &*finding.check).collect();
    assert_eq!(failed, ["cgroup: processor time (µs/s)"]);
}

/// What Podman 4.3 says, as root, of a container that is as it should be.
fn of_podman() -> serde_json::Value {
    json!({ "Mounts": [], "HostConfig": {
        "Binds": [], "LogConfig": {"Type": "none", "Config": null}, "NetworkMode": "none",
        "RestartPolicy": {"Name": "no", "MaximumRetryCount": 0}, "AutoRemove": false,
        "CapAdd": [], "CapDrop": ["AUDIT_WRITE", "CHOWN", "NET_RAW"], "CgroupnsMode": "",
        "Dns": ["127.0.0.1"], "DnsSearch": ["."], "GroupAdd": [], "IpcMode": "shareable",
        "PidMode": "private", "UTSMode": "private", "Privileged": false, "ReadonlyRootfs": true,
        "SecurityOpt": ["no-new-privileges", "seccomp=/state/seccomp.json"],
        "Tmpfs": {
            "/dev/mqueue": "ro,noexec,nosuid,nodev,size=4k,rprivate,tmpcopyup",
            "/run": "ro,noexec,nosuid,nodev,size=4k,rprivate,tmpcopyup",
            "/tmp": "rw,noexec,nosuid,nodev,size=64m,uid=65534,gid=65534,rprivate",
            "/var/tmp": "ro,noexec,nosuid,nodev,size=4k,rprivate,tmpcopyup",
            "/workspace": "rw,noexec,nosuid,nodev,size=128m,uid=65534,gid=65534,rprivate",
        },
        "Runtime": "oci", "Memory": 268_435_456, "MemorySwap": 268_435_456, "PidsLimit": 128,
        "CpuPeriod": 1_000_000, "CpuQuota": 500_000, "Devices": [],
        "Ulimits": [
            {"Name": "RLIMIT_NOFILE", "Hard": 1024, "Soft": 1024},
            {"Name": "RLIMIT_CORE", "Hard": 0, "Soft": 0},
            {"Name": "RLIMIT_NPROC", "Hard": 4096, "Soft": 4096},
        ],
    }})
}

/// What is found of a container of Podman, and which of that is tolerated.
fn podman_findings(
    allow_weak_limits: bool,
    change: &[(&str, serde_json::Value)],
) -> [Vec<String>; 2] {
    let mut container = of_podman();
    for (name, value) in change {
        container["HostConfig"][*name] = value.clone();
    }
    let container = serde_json::from_value(container).unwrap();
    let request = request().of_podman("/state/seccomp.json".to_owned(), 4096);
    let mut findings = Findings::new(allow_weak_limits);
    outside::judge(&mut findings, &container, &Hello::default(), &request);
    let of = |tolerated: bool| {
        let wanted = |it: &&Finding| !it.ok && it.tolerated == tolerated;
        let checks = findings.all.iter().filter(wanted);
        checks.map(|finding| finding.check.clone()).collect()
    };
    [of(false), of(true)]
}

#[test]
fn podmans_words_for_the_same_are_taken_and_for_less_are_not() {
    let none = Vec::<String>::new();
    assert_eq!(podman_findings(false, &[]), [none.clone(), none.clone()]);
    for (name, value) in [
        ("CapDrop", json!([])),
        ("CapAdd", json!(["SYS_ADMIN"])),
        ("IpcMode", json!("host")),
        ("IpcMode", json!("container:abc")),
        (
            "Ulimits",
            json!([{"Name": "RLIMIT_NPROC", "Hard": 4096, "Soft": 4096}]),
        ),
        (
            "Ulimits",
            json!([
                {"Name": "RLIMIT_NOFILE", "Hard": 4096, "Soft": 1024},
                {"Name": "RLIMIT_CORE", "Hard": 0, "Soft": 0},
            ]),
        ),
        (
            "Tmpfs",
            json!({"/tmp": "rw,noexec,nosuid,nodev,size=64m,uid=65534,gid=65534"}),
        ),
        (
            "SecurityOpt",
            json!(["no-new-privileges", "seccomp=/other.json"]),
        ),
        ("SecurityOpt", json!(["no-new-privileges"])),
        ("NetworkMode", json!("slirp4netns")),
    ] {
        let found = podman_findings(false, &[(name, value.clone())]);
        assert_eq!(
            found,
            [vec![format!("HostConfig.{name}")], vec![]],
            "{value}"
        );
    }
    let mut copied = of_podman()["HostConfig"]["Tmpfs"].clone();
    copied["/tmp"] =
        json!("rw,noexec,nosuid,nodev,size=64m,uid=65534,gid=65534,rprivate,tmpcopyup");
    let found = podman_findings(false, &[("Tmpfs", copied)]);
    assert_eq!(found[0], ["HostConfig.Tmpfs"]);
}

#[test]
fn limits_that_rootless_podman_ignores_are_refused_unless_weak_ones_are_allowed() {
    // As it says on control groups of version 1, and as the container measures.
    let ignored = [
        ("Memory", json!(0)),
        ("MemorySwap", json!(0)),
        ("PidsLimit", json!(0)),
        ("CpuPeriod", json!(0)),
        ("CpuQuota", json!(0)),
        ("Ulimits", json!([])),
    ];
    let names = [
        "CpuPeriod",
        "CpuQuota",
        "Memory",
        "MemorySwap",
        "PidsLimit",
        "Ulimits",
    ];
    let mut names = names.map(|name| format!("HostConfig.{name}")).to_vec();
    let sorted = |[refused, tolerated]: [Vec<String>; 2]| {
        let sort = |mut names: Vec<String>| {
            names.sort();
            names
        };
        [sort(refused), sort(tolerated)]
    };
    assert_eq!(
        sorted(podman_findings(false, &ignored)),
        [names.clone(), vec![]]
    );
    assert_eq!(
        sorted(podman_findings(true, &ignored)),
        [vec![], names.clone()]
    );
    // Nothing else is tolerated beside them.
    let mut worse = ignored.to_vec();
    worse.push(("NetworkMode", json!("host")));
    let network = vec!["HostConfig.NetworkMode".to_owned()];
    assert_eq!(
        sorted(podman_findings(true, &worse)),
        [network, names.clone()]
    );

    let mut hello = good();
    hello["limits"] = json!({"memory": "9223372036854771712"});
    let container = serde_json::from_value(of_podman()).unwrap();
    let mut request = request().of_podman("/state/seccomp.json".to_owned(), 4096);
    let mut prove = |allow: bool| {
        request.allow_weak_limits = allow;
        let hello = serde_json::from_value(hello.clone()).unwrap();
        let image = ["PYTHON_VERSION=3.13".to_owned()];
        Proof::of(hello, &container, &Limits::default(), &request, &image)
    };
    names = vec![
        "limit in force: memory".to_owned(),
        "limit in force: pids".to_owned(),
    ];
    let checks = |findings: Vec<Finding>| -> Vec<String> {
        findings.into_iter().map(|finding| finding.check).collect()
    };
    assert_eq!(checks(prove(false).failures()), names);
    let weak = prove(true);
    assert_eq!(weak.failures(), []);
    assert_eq!(checks(weak.weak_limits().cloned().collect()), names);
}
