//! A process that is killed, stopped or doubled: the next one ends up where an undisturbed one would have.

use std::process::Child;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use aha_radar::clock::Clock;
use aha_radar::store::{LEASE_SECONDS, LeaseAttempt};

use crate::support::feeds::{Post, Random, feed};
use crate::support::http::Answer;
use crate::support::radar::{Radar, finish, repository, signal};
use crate::support::rows::{self, Tables};
use crate::support::web::Web;

const SIGKILL: i32 = 9;

/// The two kinds of runs: the window run over all example feeds, the cursor run over the six shortest.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Window,
    Cursor,
}

impl Kind {
    fn radar(self) -> Radar {
        match self {
            Self::Window => Radar::at("2026-11-19T07:00:00Z"),
            Self::Cursor => {
                let radar = Radar::at("2026-11-17T07:00:00Z");
                std::fs::write(radar.folder().join("sources.opml"), shortest_feeds()).unwrap();
                radar
            }
        }
    }

    fn start(self, radar: &Radar, failpoint: Option<&str>) -> Child {
        let all = repository("examples/sources.opml");
        let mut command = match self {
            Self::Window => radar.command(&["--run-once", "--import", &all, "--window", "2026-11-16..2026-11-19"]),
            Self::Cursor => radar.command(&["--run-once", "--import", "sources.opml"]),
        };
        command.envs(failpoint.map(|failpoint| ("AHA_FAILPOINT", failpoint)));
        let piped = std::process::Stdio::piped;
        command.stdin(std::process::Stdio::null()).stdout(piped()).stderr(piped()).spawn().unwrap()
    }

    /// What an undisturbed run leaves, and how long it takes.
    fn undisturbed(self) -> &'static (Outcome, Duration) {
        static OUTCOMES: [OnceLock<(Outcome, Duration)>; 2] = [OnceLock::new(), OnceLock::new()];
        OUTCOMES[self as usize].get_or_init(|| {
            let radar = self.radar();
            let begun = Instant::now();
            finish(self.start(&radar, None)).exits(0);
            let took = begun.elapsed();
            let outcome = Outcome::of(&radar);
            assert!(outcome.tables.values().all(|rows| !rows.is_empty()), "{outcome:#?}");
            (outcome, took)
        })
    }

    /// Runs again after a kill and compares with an undisturbed run.
    #[track_caller]
    fn recovers(self, radar: &Radar, what: &str) {
        finish(self.start(radar, None)).exits(0);
        let (expected, _) = self.undisturbed();
        let found = Outcome::of(radar);
        assert_eq!(found.digest, expected.digest, "{self:?} {what}: the digest differs");
        for (table, rows) in &expected.tables {
            assert_eq!(&found.tables[table], rows, "{self:?} {what}: {table} differs");
        }
        assert_eq!(found.files, expected.files, "{self:?} {what}: the files differ");
        assert_eq!(rows::query(radar, "PRAGMA integrity_check"), ["ok"], "{self:?} {what}");
        assert_eq!(rows::query(radar, "PRAGMA foreign_key_check").len(), 0, "{self:?} {what}");
        let left = "SELECT (SELECT count(*) FROM topics WHERE lease_holder IS NOT NULL)
                         + (SELECT count(*) FROM run_attempts WHERE outcome = 'running')
                         + (SELECT count(*) FROM runs WHERE status <> 'done')";
        assert_eq!(rows::number(radar, left), 0, "{self:?} {what}: a lease, an attempt or a run is left open");
    }

    /// Kills at each point, each time in a new installation.
    fn survives(self, failpoints: &[&str]) {
        for failpoint in failpoints {
            let radar = self.radar();
            let killed = finish(self.start(&radar, Some(failpoint)));
            assert_eq!(killed.signal, Some(SIGKILL), "{self:?} never comes to {failpoint}: {killed:#?}");
            self.recovers(&radar, failpoint);
        }
    }
}

fn shortest_feeds() -> String {
    let names = [
        "rope-and-kettle.xml",
        "ward-round.json",
        "tramstop.json",
        "touchline-and-stage.xml",
        "field-lab.xml",
        "grid-and-tide.xml",
    ];
    let outline =
        |name: &str| format!(r#"<outline type="rss" xmlUrl="{}"/>"#, repository(&format!("examples/feeds/{name}")));
    format!(r#"<opml version="2.0"><body>{}</body></opml>"#, names.map(outline).concat())
}

/// What has to be the same, however often a run was killed on the way.
#[derive(Debug)]
struct Outcome {
    digest: String,
    tables: Tables,
    /// Without what a kill may leave of a half-written file.
    files: Vec<(String, String)>,
}

impl Outcome {
    fn of(radar: &Radar) -> Self {
        // A call's id tells the attempt that made it.
        let same = [
            ("content_items", &[][..]),
            ("content_item_sources", &[]),
            ("cluster_items", &[]),
            ("clusters", &[]),
            ("embeddings", &[]),
            ("answers", &["provider_call_id"]),
            ("digest_items", &[]),
            ("digests", &[]),
            ("topics", &["lease_token"]),
        ];
        let tables = same.map(|(name, without)| (name.to_owned(), rows::table(radar, name, without)));
        let mut tables = Tables::from(tables);
        let claimed = rows::table(radar, "topic_items", &[]);
        if !claimed.is_empty() {
            tables.insert("topic_items".to_owned(), claimed);
        }
        let files = radar.files().into_iter().filter(|(name, _)| !name.starts_with('.')).collect();
        Self { digest: radar.ok(&["digest", "latest", "--json"]), tables, files }
    }
}

const STAGES: [&str; 11] =
    ["ingest", "assign", "rules", "embed", "dedupe", "cluster", "select", "triage", "rank", "deep_summary", "digest"];

#[test]
fn a_window_run_killed_at_a_stage_is_continued() {
    Kind::Window.survives(&STAGES);
}

#[test]
fn a_cursor_run_killed_at_a_stage_is_continued() {
    Kind::Cursor.survives(&STAGES);
}

#[test]
fn a_window_run_killed_around_a_commit_of_its_beginning_is_continued() {
    Kind::Window.survives(&[
        "ensure_topic.before_commit",
        "add_sources.before_commit",
        "add_sources.after_commit",
        "acquire_lease.after_commit",
        "open_run.after_commit",
        "begin_attempt.after_commit",
        "note_stage.before_commit:1",
        "commit_fetch.after_commit:1",
        "commit_fetch.before_commit:7",
        "commit_fetch.after_commit:10",
        "pin_snapshot.after_commit",
    ]);
}

#[test]
fn a_window_run_killed_around_a_commit_of_its_end_is_continued() {
    Kind::Window.survives(&[
        "commit_embeddings.before_commit",
        "commit_embeddings.after_commit",
        "commit_duplicates.after_commit",
        "commit_clusters.before_commit",
        "commit_clusters.after_commit",
        "call.after_reserve",
        "call.after_answer:2",
        "settle_call.before_commit:3",
        "settle_call.after_commit:5",
        "commit_digest.before_commit",
        "commit_digest.after_commit",
        "release_lease.before_commit",
    ]);
}

#[test]
fn a_cursor_run_killed_around_a_commit_is_continued() {
    Kind::Cursor.survives(&[
        "open_run.after_commit",
        "begin_attempt.before_commit",
        "commit_fetch.before_commit:2",
        "commit_fetch.after_commit:6",
        "pin_snapshot.after_commit",
        "assign_items.before_commit",
        "assign_items.after_commit",
        "note_stage.after_commit:4",
        "commit_embeddings.before_commit",
        "commit_clusters.after_commit",
        "call.after_reserve",
        "call.after_answer",
        "settle_call.before_commit:2",
        "settle_call.after_commit",
        "commit_digest.before_commit",
        "commit_digest.after_commit",
        "release_lease.before_commit",
    ]);
}

#[test]
fn a_run_killed_again_and_again_gets_there_in_the_end() {
    let radar = Kind::Cursor.radar();
    for failpoint in STAGES {
        let killed = finish(Kind::Cursor.start(&radar, Some(failpoint)));
        assert_eq!(killed.signal, Some(SIGKILL), "{failpoint}: {killed:#?}");
    }
    Kind::Cursor.recovers(&radar, "at every stage");
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM run_attempts WHERE outcome = 'lost'"), 11);
}

#[test]
fn a_run_killed_yesterday_is_finished_before_todays() {
    const TOMORROW: &str = "2026-11-18T07:00:00Z";
    let mut undisturbed = Kind::Cursor.radar();
    finish(Kind::Cursor.start(&undisturbed, None)).exits(0);
    undisturbed.set("AHA_NOW", TOMORROW);
    finish(Kind::Cursor.start(&undisturbed, None)).exits(0);
    for failpoint in ["triage", "commit_digest.before_commit", "commit_digest.after_commit"] {
        let mut radar = Kind::Cursor.radar();
        assert_eq!(finish(Kind::Cursor.start(&radar, Some(failpoint))).signal, Some(SIGKILL));
        radar.set("AHA_NOW", TOMORROW);
        finish(Kind::Cursor.start(&radar, None)).exits(0);
        assert_eq!(radar.digest(), undisturbed.digest(), "{failpoint}");
        for (table, without) in [("topic_items", &[][..]), ("digest_items", &[]), ("digests", &["created_at"])] {
            let rows = |radar: &Radar| rows::table(radar, table, without);
            assert_eq!(rows(&radar), rows(&undisturbed), "{failpoint}: {table}");
        }
        assert_eq!(radar.files(), undisturbed.files(), "{failpoint}");
    }
}

#[test]
fn a_run_killed_at_any_moment_is_continued() {
    let seed = std::env::var("AHA_TEST_SEED").ok().map_or(u64::from(std::process::id()), |seed| seed.parse().unwrap());
    let mut random = Random(seed);
    for round in 0..25 {
        let kind = [Kind::Window, Kind::Cursor][round % 2];
        let (_, took) = kind.undisturbed();
        let radar = kind.radar();
        let mut child = kind.start(&radar, None);
        let delay = Duration::from_millis(random.below(u64::try_from(took.as_millis()).unwrap().max(1)));
        std::thread::sleep(delay);
        child.kill().unwrap();
        finish(child);
        kind.recovers(&radar, &format!("after {delay:?}, round {round}, AHA_TEST_SEED={seed}"));
    }
}

/// An installation with one source, whose server takes its time.
fn waiting_on(web: &Web) -> Radar {
    let radar =
        Radar::at("2026-11-17T07:00:00Z").with("AHA_FETCH_ALLOW", "127.0.0.1").with("AHA_FETCH_HOST_GAP_MS", "0");
    radar.add(&[&web.url("/slow")]);
    radar
}

fn slow_feed(delay: Duration) -> Web {
    let posts = [Post::about_nothing_else("one", "2026-11-17T01:00:00Z")];
    Web::serve(vec![("/slow", Answer::ok(feed("Slow", &posts)).after(delay))])
}

#[test]
fn a_stopped_process_that_was_replaced_commits_nothing() {
    let web = slow_feed(Duration::from_secs(2));
    let radar = waiting_on(&web);
    let stale = radar.start(&["--run-once"]);
    web.wait_for("/slow");
    signal(&stale, "STOP");
    let later = Clock::system().wall() + Duration::from_secs(LEASE_SECONDS + 1);
    let taken = rows::with_store(&radar, |store| async move {
        let topic = store.topic("default").await.unwrap().unwrap();
        store.acquire_lease(topic.id, "another machine", later, None).await.unwrap()
    });
    assert!(matches!(taken, LeaseAttempt::Acquired(_)), "{taken:?}");
    let before = rows::all(&radar);
    signal(&stale, "CONT");
    finish(stale).exits(1).says("took this topic's lease over").says("committed nothing");
    let mut after = rows::all(&radar);
    assert_eq!(rows::query(&radar, "SELECT outcome FROM run_attempts"), ["lost"]);
    after.insert("run_attempts".to_owned(), before["run_attempts"].clone());
    assert_eq!(after, before);
    assert_eq!(rows::query(&radar, "SELECT lease_holder FROM topics"), ["another machine"]);
    assert!(radar.files().is_empty());
}

#[test]
fn a_second_process_waits_and_then_names_the_first() {
    let web = slow_feed(Duration::from_secs(9));
    let radar = waiting_on(&web);
    let first = radar.start(&["--run-once"]);
    web.wait_for("/slow");
    let begun = Instant::now();
    let second = radar.run(&["--run-once"]).exits(1);
    let waited = begun.elapsed();
    assert!(waited >= Duration::from_secs(5) && waited < Duration::from_secs(8), "{waited:?}");
    second.says("is being run by").says(&format!("pid:{}", first.id()));
    assert_eq!(web.requests("/slow").len(), 1);
    finish(first).exits(0);
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM run_attempts"), 1);
}

#[test]
fn a_second_process_goes_on_when_the_first_is_done_in_time() {
    let web = slow_feed(Duration::from_secs(2));
    let radar = waiting_on(&web);
    let first = radar.start(&["--run-once"]);
    web.wait_for("/slow");
    radar.ok(&["--run-once"]);
    finish(first).exits(0);
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM digests"), 1);
}

#[test]
fn two_processes_that_make_the_database_at_once_both_succeed() {
    for _ in 0..3 {
        let radar = Kind::Cursor.radar();
        let processes = [(); 3].map(|()| Kind::Cursor.start(&radar, None));
        for process in processes {
            finish(process).exits(0);
        }
        assert_eq!(rows::number(&radar, "SELECT count(*) FROM digests"), 1);
        assert_eq!(rows::query(&radar, "PRAGMA integrity_check"), ["ok"]);
    }
}

#[test]
fn an_interrupted_run_ends_soon_says_130_and_is_continued() {
    let web = slow_feed(Duration::from_secs(12));
    let radar = waiting_on(&web);
    let run = radar.start(&["--run-once"]);
    web.wait_for("/slow");
    let begun = Instant::now();
    signal(&run, "INT");
    finish(run).exits(130).says("it continues where it stopped");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert_eq!(rows::query(&radar, "SELECT outcome FROM run_attempts"), ["interrupted"]);
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM topics WHERE lease_holder IS NOT NULL"), 0);
}
