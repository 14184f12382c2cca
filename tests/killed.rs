//! A server that is killed at random moments under load leaves nothing broken: the script of the long
//! form, in short. Needs the engine.

use std::process::Command;

#[test]
fn a_server_killed_under_load_leaves_nothing_broken() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts");
    let status = Command::new(format!("{folder}/engine")).status().unwrap();
    assert!(status.success(), "scripts/engine failed");
    let done = Command::new("python3")
        .arg(format!("{folder}/soak-killed"))
        .args(["--times", "5", "--mce", env!("CARGO_BIN_EXE_mce")])
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&done.stdout);
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{told}{errors}");
    assert!(told.contains("| 5 | "), "{told}");
}
