//! `migrate --check`, and what commands say about a database of another version; on both databases.

use std::path::Path;

use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, SqliteConnection};

use crate::support::postgres;
use crate::support::radar::{Radar, Ran};

const CHECK: [&str; 3] = ["migrate", "--check", "--json"];

fn at(url: &str) -> Radar {
    Radar::at("2026-11-19T07:00:00Z").with("DATABASE_URL", url)
}

async fn alter(url: &str, sql: &str) {
    if url.starts_with("sqlite:") {
        SqliteConnection::connect(url).await.unwrap().execute(AssertSqlSafe(sql)).await.unwrap();
    } else {
        postgres::run(url, sql).await;
    }
}

async fn tables(url: &str) -> i64 {
    let count = "SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = current_schema()";
    sqlx::query_scalar(count).fetch_one(&mut PgConnection::connect(url).await.unwrap()).await.unwrap()
}

#[track_caller]
fn is(radar: &Radar, state: &str, code: i32) -> serde_json::Value {
    let found = radar.run(&CHECK).exits(code).json();
    assert_eq!(found["state"], state, "{found}");
    found
}

/// From a database without tables to one of the future.
async fn goes_through_all_states(url: &str) {
    let radar = at(url);
    let new = is(&radar, "pending", 1);
    assert_eq!((new["applied"].as_i64(), &new["pending"][0]["name"]), (Some(0), &"pipeline".into()));
    radar.run(&["migrate", "--check"]).exits(1).says("this program brings").says("aha-radar migrate");
    radar.ok(&["migrate"]);
    let ready = is(&radar, "up_to_date", 0);
    let known = ready["known"].as_i64().unwrap();
    assert_eq!((ready["applied"].as_i64(), ready["pending"].as_array().unwrap().len()), (Some(known), 0));

    alter(url, &format!("UPDATE _sqlx_migrations SET version = 9000 WHERE version = {known}")).await;
    assert_eq!(is(&radar, "newer", 1)["applied"], 9000);
    refused_by_every_command(&radar, &format!("schema version 9000, newer than the {known} this program knows"));

    alter(url, &format!("UPDATE _sqlx_migrations SET version = {known} WHERE version = 9000")).await;
    alter(url, "UPDATE _sqlx_migrations SET checksum = ''").await;
    is(&radar, "changed", 1);
    refused_by_every_command(&radar, "differs from the one in this program");

    alter(url, &format!("DELETE FROM _sqlx_migrations WHERE version = {known}")).await;
    let left = at(url).run(&CHECK).exits(1).json();
    assert_eq!(left["pending"].as_array().unwrap().len(), 1, "{left}");
}

#[track_caller]
fn refused_by_every_command(radar: &Radar, why: &str) {
    for command in [&["run"][..], &["daemon"], &["migrate"], &["topic", "list"], &["digest"], &["doctor"]] {
        let ran: Ran = radar.run(command).exits(1);
        ran.says(why).says("use the ");
    }
    radar.run(&["migrate", "--check"]).exits(1).says(why);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_tells_the_version_on_sqlite_and_makes_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("aha-radar.db");
    let url = format!("sqlite://{}", file.display());
    is(&at(&url), "pending", 1);
    assert!(!Path::new(&file).exists());
    std::fs::write(&file, "").unwrap();
    goes_through_all_states(&url).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_tells_the_version_on_postgres_and_makes_no_table() {
    let url = postgres::empty_database().await;
    is(&at(&url), "pending", 1);
    assert_eq!(tables(&url).await, 0);
    goes_through_all_states(&url).await;
    postgres::remove(&url).await;
}

/// The migrations from the 31st on can be repeated on SQLite.
#[tokio::test(flavor = "multi_thread")]
async fn doctor_migrates_nothing_and_who_does_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("aha-radar.db").display());
    let radar = at(&url);
    radar.ok(&["init"]);
    alter(&url, "DELETE FROM _sqlx_migrations WHERE version >= 31").await;
    for _ in 0..2 {
        radar.run(&["doctor"]).exits(0).says("has schema version 30").says("pending").says("aha-radar migrate");
        assert_eq!(is(&radar, "pending", 1)["applied"], 30);
    }
    radar.run(&["runs"]).exits(0).says("the database was migrated to this program's schema");
    is(&radar, "up_to_date", 0);
    let again = radar.run(&["runs"]).exits(0);
    assert!(!again.stderr.contains("migrated"), "{again:?}");
}

#[test]
fn json_is_for_the_check() {
    at("sqlite://nothing.db").run(&["migrate", "--json"]).exits(2).says("--check");
}
