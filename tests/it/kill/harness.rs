//! The two kinds of runs that are disturbed, and what an undisturbed one leaves.

use std::process::{Child, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use aha_radar::pipeline::STAGES;

use crate::support::http::Answer;
use crate::support::radar::{Engine, Radar, finish, repository};
use crate::support::rows::{self, Tables};
use crate::support::web::Web;

pub const SIGKILL: i32 = 9;

/// Stages at which a run is not killed again and again: none of its sources is a search, so `search` does nothing, and
/// `publish` follows the end of the run, so a kill there loses no attempt.
const NOT_KILLED_REPEATEDLY: [&str; 2] = ["search", "publish"];

/// The names of all stages, in their order.
pub fn stages() -> impl Iterator<Item = &'static str> {
    STAGES.into_iter().map(|spec| spec.name)
}

/// The names of the stages at which a run can be killed again and again, in their order.
pub fn stages_killed_repeatedly() -> impl Iterator<Item = &'static str> {
    stages().filter(|name| !NOT_KILLED_REPEATEDLY.contains(name))
}

/// The window run reads all example feeds from files, the cursor run the six shortest from a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Window,
    Cursor,
}

/// A kind of run on a kind of database.
#[derive(Debug, Clone, Copy)]
pub struct Setup {
    pub kind: Kind,
    pub engine: Engine,
}

/// What an undisturbed run leaves, how long it takes, and the failpoints it passes with how often it does.
#[derive(Debug)]
pub struct Undisturbed {
    pub outcome: Outcome,
    pub took: Duration,
    pub passes: Vec<(String, u32)>,
}

impl Setup {
    /// A new installation.
    pub fn radar(self) -> Radar {
        self.set_up(self.clock().on(self.engine))
    }

    /// One whose database nothing has migrated yet.
    pub fn radar_on_empty(self) -> Radar {
        self.set_up(self.clock().on_empty(self.engine))
    }

    fn clock(self) -> Radar {
        Radar::at(match self.kind {
            Kind::Window => "2026-11-19T07:00:00Z",
            Kind::Cursor => "2026-11-17T07:00:00Z",
        })
    }

    fn set_up(self, radar: Radar) -> Radar {
        if self.kind == Kind::Window {
            return radar;
        }
        std::fs::write(radar.folder().join("sources.opml"), shortest_feeds()).unwrap();
        radar.with("AHA_FETCH_ALLOW", "127.0.0.1").with("AHA_FETCH_HOST_GAP_MS", "0")
    }

    pub fn start(self, radar: &Radar, settings: &[(&str, &str)]) -> Child {
        let all = repository("examples/sources.opml");
        let mut command = match self.kind {
            Kind::Window => radar.command(&["--run-once", "--import", &all, "--window", "2026-11-16..2026-11-19"]),
            Kind::Cursor => radar.command(&["--run-once", "--import", "sources.opml"]),
        };
        command.envs(settings.iter().copied());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Runs in a new installation and is killed at that failpoint.
    #[track_caller]
    pub fn killed_at(self, failpoint: &str) -> Radar {
        let radar = self.radar();
        self.kill(&radar, failpoint);
        radar
    }

    #[track_caller]
    pub fn kill(self, radar: &Radar, failpoint: &str) {
        let killed = finish(self.start(radar, &[("AHA_FAILPOINT", failpoint), OFTEN]));
        assert_eq!(killed.signal, Some(SIGKILL), "{self:?} never comes to {failpoint}: {killed:#?}");
    }

    pub fn undisturbed(self) -> &'static Undisturbed {
        static KNOWN: [[OnceLock<Undisturbed>; 2]; 2] = [const { [const { OnceLock::new() }; 2] }; 2];
        KNOWN[self.kind as usize][self.engine as usize].get_or_init(|| {
            let radar = self.radar();
            let begun = Instant::now();
            finish(self.start(&radar, &[])).exits(0);
            let took = begun.elapsed();
            let outcome = Outcome::of(&radar);
            assert!(outcome.tables.values().all(|rows| !rows.is_empty()), "{outcome:#?}");
            Undisturbed { outcome, took, passes: self.passes() }
        })
    }

    /// The failpoints on a run's way, in the order in which it first comes to each.
    fn passes(self) -> Vec<(String, u32)> {
        let radar = self.radar();
        let log = radar.folder().join("passed.log");
        finish(self.start(&radar, &[("AHA_FAILPOINT_LOG", log.to_str().unwrap()), OFTEN])).exits(0);
        let mut passes: Vec<(String, u32)> = Vec::new();
        for name in std::fs::read_to_string(log).unwrap().lines() {
            match passes.iter_mut().find(|(known, _)| known == name) {
                Some((_, hits)) => *hits += 1,
                None => passes.push((name.to_owned(), 1)),
            }
        }
        passes
    }
}

/// So that a run of a second comes to renew its lease, too.
const OFTEN: (&str, &str) = ("AHA_HEARTBEAT_MS", "100");

/// Served by one server for all tests, so that their addresses are the same in every run.
fn shortest_feeds() -> String {
    static SERVER: OnceLock<Web> = OnceLock::new();
    let names = [
        "/rope-and-kettle.xml",
        "/ward-round.json",
        "/tramstop.json",
        "/touchline-and-stage.xml",
        "/field-lab.xml",
        "/grid-and-tide.xml",
    ];
    let web = SERVER.get_or_init(|| {
        let body = |name: &str| std::fs::read(repository(&format!("examples/feeds{name}"))).unwrap();
        Web::serve(names.map(|name| (name, Answer::ok(body(name)))).into())
    });
    let outline = |name: &str| format!(r#"<outline type="rss" xmlUrl="{}"/>"#, web.url(name));
    format!(r#"<opml version="2.0"><body>{}</body></opml>"#, names.map(outline).concat())
}

/// What has to be the same, however a run was disturbed on the way.
#[derive(Debug)]
pub struct Outcome {
    pub digest: String,
    pub tables: Tables,
    /// Without what a kill may leave of a half-written file.
    pub files: Vec<(String, String)>,
}

impl Outcome {
    pub fn of(radar: &Radar) -> Self {
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
        Self { digest: radar.run(&["digest", "latest", "--json"]).stdout, tables, files }
    }
}
