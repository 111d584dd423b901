//! `aha-radar copy`: the other database shows the same and goes on the same; what must not be copied is refused.

use std::time::Duration;

use aha_core::clock::Clock;
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, SqliteConnection};

use crate::support::postgres;
use crate::support::radar::{Radar, Ran, finish, repository};

/// An installation on that database; its folder stays its own.
fn on(url: &str, now: &str) -> Radar {
    Radar::at(now).with("DATABASE_URL", url)
}

/// Two runs: one over days, and the first one of the schedule.
fn with_runs(url: &str) {
    let radar = on(url, "2026-11-18T07:00:00Z");
    let examples = repository("examples/sources.opml");
    ends_well(radar.run(&["--run-once", "--import", &examples, "--window", "2026-11-16..2026-11-18"]));
    radar.ok(&["topic", "set", "default", "--interests", "ferries; heat pumps"]);
    ends_well(radar.run(&["run"]));
}

#[track_caller]
fn ends_well(ran: Ran) -> String {
    // 3: a digest exists and something is missing, which the digest says.
    assert!(matches!(ran.code, Some(0 | 3)), "{ran:?}");
    ran.stdout
}

/// What the reading commands say.
fn shown(url: &str) -> Vec<String> {
    let radar = on(url, "2026-11-18T08:00:00Z");
    let formats = ["md", "html", "json", "rss"];
    let mut shown: Vec<String> =
        formats.iter().map(|format| radar.ok(&["digest", "latest", "--format", format])).collect();
    for command in [&["item", "1", "--json"][..], &["runs", "--json"], &["topic", "list"], &["opml", "export"]] {
        shown.push(radar.ok(command));
    }
    shown
}

/// What the next day's run prints.
fn next_day(url: &str) -> String {
    ends_well(on(url, "2026-11-19T07:00:00Z").run(&["run", "--json"]))
}

#[track_caller]
fn copy(from: &str, to: &str) -> Vec<Value> {
    let radar = on(from, "2026-11-18T08:00:00Z");
    let copied = radar.json(&["copy", "--to", to, "--json"]);
    assert_eq!(copied["verified"], true);
    copied["tables"].as_array().unwrap().clone()
}

async fn alter(url: &str, sql: &str) {
    if url.starts_with("sqlite:") {
        SqliteConnection::connect(url).await.unwrap().execute(AssertSqlSafe(sql)).await.unwrap();
    } else {
        postgres::run(url, sql).await;
    }
}

async fn number(url: &str, sql: &str) -> i64 {
    let sql = AssertSqlSafe(sql);
    if url.starts_with("sqlite:") {
        sqlx::query_scalar(sql).fetch_one(&mut SqliteConnection::connect(url).await.unwrap()).await.unwrap()
    } else {
        sqlx::query_scalar(sql).fetch_one(&mut PgConnection::connect(url).await.unwrap()).await.unwrap()
    }
}

/// SQLite files in one folder.
struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn url(&self, name: &str) -> String {
        format!("sqlite://{}", self.0.path().join(name).display())
    }

    fn has(&self, name: &str) -> bool {
        self.0.path().join(name).exists()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_shows_the_same_and_goes_on_the_same() {
    let (files, postgres) = (Files::new(), postgres::empty_database().await);
    let (original, back, third) = (files.url("original.db"), files.url("back.db"), files.url("third.db"));
    with_runs(&original);
    let tables = copy(&original, &postgres);
    assert!(tables.iter().any(|table| table["table"] == "content_items" && table["rows"].as_u64() > Some(50)));
    assert_eq!(copy(&postgres, &back), tables);
    assert_eq!(copy(&back, &third), tables);
    let expected = shown(&original);
    assert!(expected[2].len() > 10_000);
    for url in [&postgres, &back, &third] {
        assert_eq!(shown(url), expected, "{url}");
    }
    let expected = next_day(&original);
    for url in [&postgres, &back, &third] {
        assert_eq!(next_day(url), expected, "{url}");
    }
    // What Postgres wrote itself comes back as well.
    let again = files.url("again.db");
    copy(&postgres, &again);
    assert_eq!(shown(&again), shown(&postgres));
    postgres::remove(&postgres).await;
}

#[test]
fn what_a_copy_lacks_is_said_there_and_by_doctor_until_it_is_made() {
    let files = Files::new();
    let (original, target) = (files.url("original.db"), files.url("target.db"));
    with_runs(&original);
    on(&original, "2026-11-18T08:00:00Z").run(&["copy", "--to", &target]).exits(0).says("run `aha-radar reindex` once");
    let copied = on(&target, "2026-11-18T08:00:00Z");
    copied.run(&["doctor"]).says("the index of searches and questions is incomplete");
    copied.ok(&["reindex"]);
    copied.run(&["doctor"]).says("the index of searches and questions is complete");
}

/// More rows than one statement writes, each naming one that comes later.
#[tokio::test(flavor = "multi_thread")]
async fn rows_that_refer_to_their_own_table_are_copied() {
    let (files, postgres) = (Files::new(), postgres::empty_database().await);
    let (original, back) = (files.url("original.db"), files.url("back.db"));
    on(&original, "2026-11-18T07:00:00Z").ok(&["init"]);
    let items = "
        INSERT INTO content_items (id, source_id, external_id, hash_text, fetched_at, item_time, time_basis)
        WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1200)
        SELECT printf('%04d', n), 's', 'é' || n, 'h', 1, 1, 'fetched' FROM n;
        UPDATE content_items SET duplicate_of = printf('%04d', id + 1) WHERE id < '1200';
        INSERT INTO clusters (id, topic_id, representative_item_id) SELECT 'c' || i.id, t.id, i.id FROM content_items i, topics t;
        UPDATE clusters SET merged_into = (SELECT max(id) FROM clusters) WHERE id < 'c0700';
        INSERT INTO embeddings (item_id, space, content_hash, vector) SELECT id, 's', 'h', x'00ff' FROM content_items";
    alter(&original, items).await;
    let tables = copy(&original, &postgres);
    assert_eq!(copy(&postgres, &back), tables);
    let of = |name: &str| tables.iter().find(|table| table["table"] == name).unwrap()["rows"].as_u64();
    assert_eq!((of("content_items"), of("clusters"), of("embeddings")), (Some(1200), Some(1200), Some(1200)));
    for url in [&postgres, &back] {
        assert_eq!(number(url, "SELECT count(*) FROM content_items WHERE duplicate_of > id").await, 1199, "{url}");
        assert_eq!(number(url, "SELECT count(*) FROM clusters WHERE merged_into = 'c1200'").await, 699, "{url}");
    }
    postgres::remove(&postgres).await;
}

/// A copy that is killed leaves an empty target, which can be copied into.
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_copy_is_copied_again() {
    let (files, postgres) = (Files::new(), postgres::empty_database().await);
    let original = files.url("original.db");
    on(&original, "2026-11-18T07:00:00Z").ok(&["source", "add", "https://a.example/feed"]);
    for target in [files.url("target.db"), postgres.clone()] {
        let killing = on(&original, "2026-11-18T07:00:00Z").with("AHA_FAILPOINT", "copy.before_commit");
        assert_eq!(finish(killing.start(&["copy", "--to", &target])).signal, Some(9));
        assert_eq!(number(&target, "SELECT count(*) FROM users").await, 0);
        copy(&original, &target);
        assert_eq!(number(&target, "SELECT count(*) FROM sources").await, 1);
    }
    postgres::remove(&postgres).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_with_rows_is_refused_and_left_alone() {
    let (files, postgres) = (Files::new(), postgres::empty_database().await);
    let original = files.url("original.db");
    let radar = on(&original, "2026-11-18T07:00:00Z");
    radar.ok(&["source", "add", "https://a.example/feed"]);
    for target in [files.url("target.db"), postgres.clone()] {
        on(&target, "2026-11-18T07:00:00Z").ok(&["init"]);
        let refused = radar.run(&["copy", "--to", &target]).exits(1);
        refused.says("holds rows already (topics 1, users 1)").says("name an empty database");
        assert_eq!(number(&target, "SELECT count(*) FROM sources").await, 0);
    }
    postgres::remove(&postgres).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_database_is_refused_under_any_name() {
    let (files, postgres) = (Files::new(), postgres::fresh_database().await);
    let original = files.url("original.db");
    let radar = on(&original, "2026-11-18T07:00:00Z");
    radar.ok(&["init"]);
    let (detour, link) = (files.url("../") + "/original.db", files.url("link.db"));
    std::os::unix::fs::symlink(files.0.path().join("original.db"), files.0.path().join("link.db")).unwrap();
    let detour = detour.replace("../", &format!("../{}", files.0.path().file_name().unwrap().to_string_lossy()));
    for same in [&original, &detour, &link] {
        radar.run(&["copy", "--to", same]).exits(2).says("name another one");
    }
    let other_name = postgres.replacen("postgres:", "postgresql:", 1).replacen("127.0.0.1", "localhost", 1);
    for same in [&postgres, &other_name] {
        on(&postgres, "2026-11-18T07:00:00Z").run(&["copy", "--to", same]).exits(2).says("name another one");
    }
    radar.run(&["copy", "--to", "mysql://me:secret@host/db"]).exits(2).says("not mysql");
    postgres::remove(&postgres).await;
}

/// Who is at work is named, and no file is made; a lease that ran out is not carried over.
#[tokio::test(flavor = "multi_thread")]
async fn a_topic_that_is_being_run_is_not_copied() {
    let (files, postgres) = (Files::new(), postgres::empty_database().await);
    for (original, target) in
        [(files.url("original.db"), files.url("target.db")), (postgres.clone(), files.url("other.db"))]
    {
        let radar = on(&original, "2026-11-18T07:00:00Z");
        radar.ok(&["init"]);
        let hold =
            "UPDATE topics SET lease_token = 7, lease_holder = 'elsewhere pid:4 start:1 ns:2', lease_expires_at = ";
        let held_until = Clock::system().wall() + Duration::from_mins(5);
        alter(&original, &format!("{hold} {}", held_until.as_millis())).await;
        radar.run(&["copy", "--to", &target]).exits(1).says("\"default\" is being run by elsewhere pid:4, until");
        assert!(!files.has("target.db") && !files.has("other.db") || original == postgres);
        alter(&original, &format!("{hold} 5")).await;
        copy(&original, &target);
        let free =
            "SELECT count(*) FROM topics WHERE lease_holder IS NULL AND lease_expires_at IS NULL AND lease_token = 7";
        assert_eq!(number(&target, free).await, 1);
        assert_eq!(number(&original, "SELECT count(*) FROM topics WHERE lease_expires_at = 5").await, 1);
    }
    postgres::remove(&postgres).await;
}

#[test]
fn a_missing_source_or_target_is_named() {
    let files = Files::new();
    let radar = on(&files.url("nothing.db"), "2026-11-18T07:00:00Z");
    radar.run(&["copy", "--to", &files.url("target.db")]).exits(1).says("there is no database at");
    assert!(!files.has("target.db") && !files.has("nothing.db"));
    on(&files.url("original.db"), "2026-11-18T07:00:00Z").ok(&["init"]);
    let radar = on(&files.url("original.db"), "2026-11-18T07:00:00Z");
    let ran = radar.run(&["copy", "--to", "postgres://me:secret@127.0.0.1:1/aha"]).exits(1).says("cannot be reached");
    assert!(!ran.stderr.contains("secret"), "{ran:?}");
    radar.run(&["copy"]).exits(2).says("--to");
}

/// The files of the copy may not grow, those of the database are only read.
#[test]
fn where_a_copy_cannot_be_written_is_named() {
    let files = Files::new();
    let radar = on(&files.url("original.db"), "2026-11-18T07:00:00Z");
    radar.ok(&["init"]);
    let full = |arguments: &[&str]| -> Ran {
        let mut command = radar.command_after("ulimit -S -f 64", arguments);
        command.env("TMPDIR", files.0.path()).output().unwrap().into()
    };
    let copied = full(&["copy", "--to", &files.url("target.db")]).exits(1);
    copied.says("aha-radar: the copy cannot be written: ");
    let previewed = full(&["run", "--dry-run"]).exits(1);
    previewed.says("no copy of the database can be made in").says("set TMPDIR");
}
