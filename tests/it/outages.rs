//! A database that fails for a while, as the table "When the database fails" in docs/OPERATING.md says: a command says
//! what failed and what to do, and a daemon goes on by itself when the cause is gone.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::kill::on_both_databases;
use crate::support::daemon::Daemon;
use crate::support::feeds::{Post, feed};
use crate::support::postgres;
use crate::support::proxy::Proxy;
use crate::support::radar::{Engine, Radar, finish, signal, stands_still};
use crate::support::responses::OpenAi;
use crate::support::rows::{self, OpenTransaction};

const SIGKILL: i32 = 9;

/// An installation with a feed that takes some room, and little patience.
fn radar(engine: Engine) -> Radar {
    let radar = Radar::at("2026-11-19T07:00:00Z").on(engine).with("AHA_RETRY_MS", "200");
    let posts: Vec<Post> =
        (0..100).map(|n| Post::about_nothing_else(&format!("post {n}"), "2026-11-19T05:00:00Z")).collect();
    std::fs::write(radar.folder().join("feed.json"), feed("A", &posts)).unwrap();
    radar.add(&["feed.json"]);
    radar
}

/// A command that meets the trouble says so and how to go on, leaving the rows as they were.
#[track_caller]
fn command_fails(radar: &Radar, what: &str, next_step: &str) {
    let before = rows::all(radar);
    radar.run(&["--run-once"]).exits(1).says(what).says(next_step);
    assert_eq!(rows::all(radar), before);
}

#[track_caller]
fn is_done_by_itself(daemon: Daemon, radar: &Radar) {
    daemon.wait_for("done", |health| health["last_run"]["outcome"] == "done");
    rows::wait_for(radar, "SELECT count(*) FROM topics WHERE lease_holder IS NULL AND next_run_at IS NOT NULL");
    daemon.end().0.exits(0);
    assert_eq!(rows::number(radar, "SELECT count(*) FROM digests"), 1);
    assert!(rows::damage(radar).is_empty());
}

/// SQLite is still read, by whoever wants to; a locked table of Postgres is not.
fn a_lock_of_another_program(engine: Engine) {
    let mut radar = radar(engine);
    let lock = OpenTransaction::of(
        &radar,
        match engine {
            Engine::Sqlite => "BEGIN EXCLUSIVE",
            Engine::Postgres => "BEGIN; LOCK TABLE topics IN EXCLUSIVE MODE",
        },
    );
    let daemon = Daemon::start(&mut radar);
    command_fails(&radar, "locked by another program", "close that program");
    if engine == Engine::Sqlite {
        let health = daemon.wait_for("unable to write", |health| health["status"] == "degraded");
        assert!(health["problems"].to_string().contains("locked by another program"), "{health}");
    }
    drop(lock);
    is_done_by_itself(daemon, &radar);
}

/// No user can be kept from writing a file here, since tests may run as root: so the URL says it.
fn a_database_that_takes_no_writes(engine: Engine) {
    let mut radar = radar(engine);
    let (how, what, next_step) = match engine {
        Engine::Sqlite => ("?mode=ro", "read-only", "give this user the right"),
        Engine::Postgres => ("?options=-cdefault_transaction_read_only%3Don", "takes no writes", "name the primary"),
    };
    let url = radar.database_url();
    radar.set("DATABASE_URL", &format!("{url}{how}"));
    command_fails(&radar, what, next_step);
    radar.set("DATABASE_URL", &url);
    radar.ok(&["--run-once"]);
}

/// The calls of a run are reserved, sent and answered, and then their rows cannot be changed for a moment.
fn a_paid_answer_that_cannot_be_stored_at_once(engine: Engine) {
    let api = OpenAi::start();
    let radar = api
        .serve(Radar::at("2026-11-19T07:00:00Z").on(engine))
        .with("AHA_LLM_CONCURRENCY", "1")
        .with("AHA_FAILPOINT", "call.after_answer")
        .with("AHA_FAILPOINT_SIGNAL", "STOP")
        .with("AHA_LOG", "warn");
    let posts = [Post::about_nothing_else("one", "2026-11-19T05:00:00Z")];
    std::fs::write(radar.folder().join("feed.json"), feed("A", &posts)).unwrap();
    radar.add(&["feed.json"]);
    let mut run = radar.start(&["--run-once"]);
    assert!(stands_still(&mut run));
    let (refuse, allow) = match engine {
        Engine::Sqlite => (
            "CREATE TRIGGER refused BEFORE UPDATE ON provider_calls BEGIN SELECT RAISE(ABORT, 'not now'); END",
            "DROP TRIGGER refused",
        ),
        Engine::Postgres => (
            "ALTER TABLE provider_calls ADD CONSTRAINT refused CHECK (state = 'reserved') NOT VALID",
            "ALTER TABLE provider_calls DROP CONSTRAINT refused",
        ),
    };
    rows::execute(&radar, refuse);
    signal(&run, "CONT");
    let mut log = BufReader::new(run.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(log.any(|line| line.contains("the call is settled again")), "the settlement is not tried again");
    rows::execute(&radar, allow);
    log.for_each(drop);
    finish(run).exits(0);
    assert_eq!(rows::query(&radar, "SELECT DISTINCT state FROM provider_calls"), ["ok"]);
    let calls = rows::number(&radar, "SELECT count(*) FROM provider_calls");
    assert_eq!(calls, i64::try_from(api.calls().len()).unwrap(), "nothing is paid for twice");
}

on_both_databases!(
    a_lock_of_another_program,
    a_database_that_takes_no_writes,
    a_paid_answer_that_cannot_be_stored_at_once,
);

#[test]
fn a_disk_that_is_full() {
    let mut radar = radar(Engine::Sqlite);
    let pages = rows::query(&radar, "SELECT CAST(page_count AS TEXT) FROM pragma_page_count").concat();
    radar.set("AHA_SQLITE_MAX_PAGES", &pages);
    radar.run(&["--run-once"]).exits(1).says("the disk with the database is full").says("free some space");
    assert!(rows::damage(&radar).is_empty());
    radar.set("AHA_SQLITE_MAX_PAGES", "");
    radar.ok(&["--run-once"]);
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM digests"), 1);
}

/// A limit on the size of files is met by the write-ahead log, and lifted while the daemon tries again and again.
#[test]
fn a_file_that_may_not_grow() {
    const LIMIT_KIB: u64 = 64;
    let mut radar = radar(Engine::Sqlite);
    let mut daemon = Daemon::start_after(&format!("ulimit -S -f {LIMIT_KIB}"), &mut radar);
    let log = radar.folder().join("aha-radar.db-wal");
    let is_full = || std::fs::metadata(&log).is_ok_and(|log| log.len() + 8192 > LIMIT_KIB * 1024);
    let begun = Instant::now();
    while !is_full() {
        assert!(begun.elapsed() < Duration::from_mins(2), "the log does not come to its limit");
        assert!(daemon.process().try_wait().unwrap().is_none(), "the daemon goes on");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM digests"), 0);
    let lift = ["--pid", &daemon.process().id().to_string(), "--fsize=unlimited"];
    assert!(Command::new("prlimit").args(lift).status().unwrap().success());
    is_done_by_itself(daemon, &radar);
}

#[test]
fn a_file_that_is_removed_under_a_daemon() {
    let mut radar = radar(Engine::Sqlite);
    let daemon = Daemon::start(&mut radar);
    daemon.wait_for("done", |health| health["last_run"]["outcome"] == "done");
    let file = radar.folder().join("aha-radar.db");
    std::fs::remove_file(&file).unwrap();
    let health = daemon.wait_for("without its database", |health| health["status"] == "error");
    assert!(health["problems"].to_string().contains("removed or replaced"), "{health}");
    assert!(!file.exists(), "no empty file takes its place");
}

#[test]
fn a_log_left_by_a_killed_process() {
    let mut radar = radar(Engine::Sqlite);
    radar.set("AHA_FAILPOINT", "commit_fetch.after_commit");
    assert_eq!(radar.run(&["--run-once"]).signal, Some(SIGKILL));
    assert!(std::fs::metadata(radar.folder().join("aha-radar.db-wal")).unwrap().len() > 0);
    radar.set("AHA_FAILPOINT", "");
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM content_items"), 100);
    radar.ok(&["--run-once"]);
    assert!(rows::damage(&radar).is_empty());
}

#[test]
fn a_server_that_is_away_at_the_start() {
    let mut radar = radar(Engine::Postgres);
    let proxy = Proxy::to(&radar.database_url());
    radar.set("DATABASE_URL", proxy.url());
    proxy.close();
    let mut daemon = Daemon::start(&mut radar);
    command_fails(&radar, "cannot be reached", "check that it runs");
    assert!(daemon.process().try_wait().unwrap().is_none(), "the daemon waits");
    proxy.open();
    is_done_by_itself(daemon, &radar);
}

#[test]
fn a_daemon_that_waits_for_its_server_ends_when_asked() {
    let mut radar = radar(Engine::Postgres).with("AHA_RETRY_MS", "600000");
    let proxy = Proxy::to(&radar.database_url());
    radar.set("DATABASE_URL", proxy.url());
    proxy.close();
    let mut daemon = Daemon::start(&mut radar);
    proxy.wait_for_refusals(3);
    assert!(daemon.process().try_wait().unwrap().is_none(), "the daemon waits");
    daemon.end().0.exits(0);
}

#[test]
fn a_server_that_goes_away_in_a_run() {
    let mut radar = radar(Engine::Postgres).with("AHA_LOG", "info");
    let proxy = Proxy::to(&radar.database_url());
    radar.set("DATABASE_URL", proxy.url());
    radar.set("AHA_FAILPOINT", "triage");
    radar.set("AHA_FAILPOINT_SIGNAL", "STOP");
    let mut daemon = Daemon::start(&mut radar);
    assert!(stands_still(daemon.process()));
    proxy.close();
    signal(daemon.process(), "CONT");
    daemon.wait_for("without its database", |health| health["status"] == "error");
    proxy.open();
    is_done_by_itself(daemon, &radar);
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM runs"), 1);
}

/// A run that stands still in its middle, and what carries its rows, which carries nothing from now on: as behind a
/// network that drops all packets, or before a frozen server, no connection ends.
fn run_before_a_silent_server(radar: &mut Radar) -> (Child, Proxy) {
    let proxy = Proxy::to(&radar.database_url());
    radar.set("DATABASE_URL", proxy.url());
    radar.set("AHA_FAILPOINT", "triage");
    radar.set("AHA_FAILPOINT_SIGNAL", "STOP");
    let mut run = radar.start(&["--run-once"]);
    assert!(stands_still(&mut run));
    proxy.freeze();
    signal(&run, "CONT");
    (run, proxy)
}

#[test]
fn a_server_that_falls_silent_in_a_run() {
    let mut radar = radar(Engine::Postgres).with("AHA_HEARTBEAT_MS", "100").with("AHA_DATABASE_SILENCE_MS", "1000");
    let (mut run, proxy) = run_before_a_silent_server(&mut radar);
    let mut said = BufReader::new(run.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(said.any(|line| line.contains("the database has not answered for 75 s")), "it waits on");
    proxy.thaw();
    said.for_each(drop);
    finish(run).exits(0);
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM digests"), 1);
    assert!(rows::damage(&radar).is_empty());
}

#[test]
fn a_run_is_stopped_although_the_server_is_silent() {
    let mut radar = radar(Engine::Postgres);
    let (run, proxy) = run_before_a_silent_server(&mut radar);
    let asked = Instant::now();
    signal(&run, "TERM");
    finish(run).exits(130);
    assert!(asked.elapsed() < Duration::from_mins(1), "{:?}", asked.elapsed());
    proxy.thaw();
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM digests"), 0);
    assert!(rows::damage(&radar).is_empty());
}

/// Makes a role with these options, and lets the program connect as it. Returns the role.
fn connect_as_role(radar: &mut Radar, options: &str, rights: &str) -> String {
    static ROLES: AtomicU32 = AtomicU32::new(0);
    let role = format!("aha_outage_{}_{}", std::process::id(), ROLES.fetch_add(1, Ordering::Relaxed));
    let make = format!(
        "CREATE ROLE {role} LOGIN {options}; GRANT ALL ON SCHEMA public TO {role};
         GRANT {rights} ON ALL TABLES IN SCHEMA public TO {role}"
    );
    rows::execute(radar, &make);
    let mut url = url::Url::parse(&radar.database_url()).unwrap();
    url.set_username(&role).unwrap();
    radar.set("DATABASE_URL", url.as_str());
    role
}

fn drop_role(radar: &Radar, role: &str) {
    let (url, drop) = (radar.database_url(), format!("DROP OWNED BY {role}; DROP ROLE {role}"));
    rows::block_on(|| async move { postgres::run(&url, &drop).await });
}

#[test]
fn a_server_that_has_no_connection_left() {
    let mut radar = radar(Engine::Postgres);
    let role = connect_as_role(&mut radar, "CONNECTION LIMIT 0", "ALL");
    let mut daemon = Daemon::start(&mut radar);
    command_fails(&radar, "has no connection left (too many connections for role", "the limit of its user");
    assert!(daemon.process().try_wait().unwrap().is_none(), "the daemon waits");
    rows::execute(&radar, &format!("ALTER ROLE {role} CONNECTION LIMIT -1"));
    is_done_by_itself(daemon, &radar);
    drop_role(&radar, &role);
}

#[test]
fn a_user_without_rights() {
    let mut radar = radar(Engine::Postgres);
    let role = connect_as_role(&mut radar, "", "SELECT");
    command_fails(&radar, "may not do this (permission denied for table topics)", "let its owner grant it all rights");
    radar.ok(&["source", "list"]);
    drop_role(&radar, &role);
}

/// The image's health check gives up after 5 s, as `healthcheck` itself does; the lock is waited for 10 s.
#[test]
fn health_is_reported_in_time_while_the_database_keeps_it_waiting() {
    let mut radar = radar(Engine::Postgres);
    let daemon = Daemon::start(&mut radar);
    daemon.wait_for("done", |health| health["last_run"]["outcome"] == "done");
    let lock = OpenTransaction::of(&radar, "BEGIN; LOCK TABLE topics IN ACCESS EXCLUSIVE MODE");
    // A report is used again for two seconds.
    std::thread::sleep(Duration::from_millis(2_100));
    radar.run(&["healthcheck"]).exits(1).says("the database does not answer");
    drop(lock);
    daemon.wait_for("with its database", |health| health["status"] != "error");
    daemon.end().0.exits(0);
}

/// The server ends all connections in the middle of a run: the same process goes on.
#[test]
fn connections_that_are_ended_in_a_run() {
    let mut radar = radar(Engine::Postgres);
    radar.set("AHA_FAILPOINT", "commit_fetch.before_commit");
    radar.set("AHA_FAILPOINT_SIGNAL", "STOP");
    let mut run = radar.start(&["--run-once"]);
    assert!(stands_still(&mut run));
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
               WHERE datname = current_database() AND application_name = 'aha-radar'";
    rows::execute(&radar, cut);
    // A connection is told to end, and may first answer what was sent to it.
    let left = "SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND application_name = 'aha-radar'";
    let ended = Instant::now() + Duration::from_secs(30);
    while rows::number(&radar, left) > 0 {
        assert!(Instant::now() < ended, "the connections were not ended");
        std::thread::sleep(Duration::from_millis(20));
    }
    signal(&run, "CONT");
    finish(run).exits(0).says("the connection to the Postgres server broke").says("retrying automatically");
    assert_eq!(rows::query(&radar, "SELECT outcome FROM run_attempts ORDER BY attempt"), ["failed", "done"]);
}
