//! The guard's policy in a file of one's own.

use crate::folder::{Folder, Seen};
use crate::seen::snapshot;
use crate::shop::shop;

fn with(policy: &str) -> Folder {
    let folder = shop().compiled();
    folder.write("policy.toml", policy);
    folder.write("code.py", "import random\nresult = random.random()\n");
    folder
}

fn run(folder: &Folder, arguments: &[&str], policy: &str) -> Seen {
    let mut command = folder.command(arguments);
    let done = command.env("MCE_GUARD_POLICY", policy).output().unwrap();
    Seen {
        code: done.status.code().unwrap(),
        stdout: String::from_utf8(done.stdout).unwrap(),
        stderr: String::from_utf8(done.stderr).unwrap(),
    }
}

#[test]
fn a_policy_of_ones_own_changes_the_verdict() {
    let folder = with("extends = \"built-in\"\nblocked_modules.random = \"use `secrets`\"\n");
    assert_eq!(folder.mce(&["guard", "code.py"]).code, 0);
    let mut command = folder.command(&["guard", "code.py"]);
    snapshot!(folder, command.env("MCE_GUARD_POLICY", "policy.toml"));

    let seen = run(&folder, &["exec", "code.py"], "policy.toml");
    let result: serde_json::Value = serde_json::from_str(&seen.stdout).unwrap();
    assert_eq!((seen.code, &result["error_type"]), (1, &"security".into()));
    assert_eq!(result["hint"], "use `secrets`");
}

#[test]
fn a_policy_that_is_not_valid_is_told_by_place_and_nothing_is_judged() {
    let folder = with(
        "extends = \"built-in\"\n[module.numpy]\nnames = [\"array\"]\n[modules.random]\n\
         denied = [\"sed\"]\n",
    );
    for arguments in [&["guard", "code.py"], &["exec", "code.py"]] {
        let mut command = folder.command(arguments);
        snapshot!(folder, command.env("MCE_GUARD_POLICY", "policy.toml"));
    }
    for command in ["serve", "run"] {
        let seen = run(&folder, &[command], "policy.toml");
        assert_eq!((seen.code, seen.stdout.as_str()), (2, ""), "{command}");
        assert!(seen.stderr.contains("policy.toml:2:2: "), "{}", seen.stderr);
    }
}

#[test]
fn a_policy_that_cannot_be_read_is_told() {
    let folder = with("");
    for (policy, why) in [
        ("nowhere.toml", "cannot be read"),
        ("compiled", "is a folder"),
        ("/dev/zero", "is no regular file"),
        ("large.toml", "is larger than 131072 bytes"),
        ("latin.toml", "is not UTF-8 at byte 2"),
        // Empty, and so a policy of its own that permits nothing and denies nothing.
        ("policy.toml", "the policy has no `denied_names`"),
    ] {
        folder.write("large.toml", &"#".repeat((128 << 10) + 1));
        std::fs::write(folder.path().join("latin.toml"), b"# \xe9\n").unwrap();
        let seen = run(&folder, &["guard", "code.py"], policy);
        assert_eq!(seen.code, 2, "{policy}: {}", seen.stderr);
        assert_eq!(seen.stdout, "", "{policy}");
        assert!(
            seen.stderr.contains(why) && seen.stderr.contains(policy),
            "{policy}: {}",
            seen.stderr
        );
    }
}
