//! `.ci/run`, with a test script that only waits.
#![cfg(target_os = "linux")]

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::support::radar::repository;

/// A checkout whose tests last as long as the file `HOLD` exists, on a machine where everything has 25 GB.
fn checkout() -> tempfile::TempDir {
    let checkout = tempfile::tempdir().unwrap();
    for folder in [".ci", "scripts", "programs"] {
        std::fs::create_dir(checkout.path().join(folder)).unwrap();
    }
    std::fs::copy(repository(".ci/run"), checkout.path().join(".ci/run")).unwrap();
    let tests = "touch started; while [[ -e $HOLD ]]; do sleep 0.05; done";
    std::fs::write(checkout.path().join("scripts/test.sh"), tests).unwrap();
    let du = checkout.path().join("programs/du");
    std::fs::write(&du, "#!/bin/sh\nprintf '25\\tall'\n").unwrap();
    std::fs::set_permissions(&du, std::fs::Permissions::from_mode(0o755)).unwrap();
    checkout
}

fn run(checkout: &Path, hold: &str) -> Command {
    let mut command = Command::new("bash");
    let path = std::env::var("PATH").unwrap();
    command.arg(checkout.join(".ci/run")).env("PATH", format!("{}:{path}", checkout.join("programs").display()));
    command.env("XDG_CACHE_HOME", checkout.join("cache")).env("HOLD", checkout.join(hold));
    command
}

#[test]
fn a_run_removes_no_folder_that_another_one_builds_in() {
    let checkout = checkout();
    let (hold, target) = (checkout.path().join("hold"), checkout.path().join("cache/aha-radar/target"));
    std::fs::write(&hold, "").unwrap();
    let mut first = run(checkout.path(), "hold").spawn().unwrap();
    for _ in 0..200 {
        if checkout.path().join("started").exists() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    std::fs::create_dir(&target).unwrap();
    assert!(run(checkout.path(), "none").status().unwrap().success());
    let is_kept = target.exists();
    std::fs::remove_file(&hold).unwrap();
    assert!(first.wait().unwrap().success());
    assert!(is_kept, "the first run was building in it");
    assert!(run(checkout.path(), "none").status().unwrap().success());
    assert!(!target.exists(), "nobody builds in it");
}
