//! The program as people start it, on both databases: what it shows is the same byte for byte.

use std::path::Path;
use std::process::Output;

use assert_cmd::Command;

use crate::support::postgres;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/sources.opml");

/// Runs the program in a folder of its own, with these settings and no others.
fn radar(folder: &Path, database: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aha-radar"));
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).current_dir(folder);
    command.env("DATABASE_URL", database).env("AHA_NOW", "2026-11-19T07:00:00Z");
    command.args(arguments).output().unwrap()
}

fn succeeds(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    // 3: a digest exists and something is missing, which the digest says.
    assert!(matches!(output.status.code(), Some(0 | 3)), "{:?}: {said}", output.status);
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// What the runs and the reading commands print, and the files that were written.
fn shown(database: &str) -> Vec<(String, String)> {
    let folder = tempfile::tempdir().unwrap();
    let days = ["--run-once", "--import", EXAMPLES, "--window", "2026-11-16..2026-11-19"];
    let runs: [&[&str]; 4] =
        [&days, &days, &["topic", "set", "default", "--interests", "ferries; heat pumps"], &["run", "--json"]];
    let readings: [&[&str]; 5] = [
        &["digest", "latest", "--json"],
        &["digest", "latest", "--format", "md"],
        &["item", "1", "--json"],
        &["opml", "export"],
        &["topic", "list"],
    ];
    let mut shown: Vec<_> = runs
        .iter()
        .chain(&readings)
        .map(|arguments| (arguments.join(" "), succeeds(&radar(folder.path(), database, arguments))))
        .collect();
    let topic = folder.path().join("digests/default");
    let mut files: Vec<_> = std::fs::read_dir(topic).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    shown.extend(files.iter().map(|file| {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(file).unwrap())
    }));
    shown
}

#[tokio::test]
async fn both_databases_give_the_same_digests() {
    let postgres = postgres::empty_database().await;
    let folder = tempfile::tempdir().unwrap();
    let sqlite = format!("sqlite://{}", folder.path().join("aha-radar.db").display());
    let on_sqlite = shown(&sqlite);
    let on_postgres = shown(&postgres);
    assert!(on_sqlite.iter().any(|(name, text)| name == "digest latest --json" && text.len() > 10_000));
    assert_eq!(on_sqlite.len(), on_postgres.len());
    for (here, there) in on_sqlite.iter().zip(&on_postgres) {
        assert!(here == there, "{} differs:\n{}\n---\n{}", here.0, here.1, there.1);
    }
    postgres::remove(&postgres).await;
}

#[tokio::test]
async fn a_password_is_nowhere_shown() {
    let folder = tempfile::tempdir().unwrap();
    let nobody = "postgres://me:secret@127.0.0.1:1/aha";
    for arguments in [&["doctor"][..], &["migrate"], &["init"], &["digest", "latest"]] {
        let output = radar(folder.path(), nobody, arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        assert!(said.contains("127.0.0.1:1") && !said.contains("secret"), "{arguments:?}: {said}");
    }
    let migrated = postgres::empty_database().await;
    let with_password = migrated.replacen("://aha@", "://aha:secret@", 1);
    for arguments in [&["init"][..], &["migrate"], &["doctor"]] {
        let output = radar(folder.path(), &with_password, arguments);
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        assert!(said.contains(&with_password.replacen("secret", "***", 1)), "{arguments:?}: {said}");
        assert!(!said.contains("secret"), "{arguments:?}: {said}");
    }
    postgres::remove(&migrated).await;
}
