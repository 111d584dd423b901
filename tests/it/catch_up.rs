//! Sources that are away for days, in runs of the schedule: each item is offered once, in the first digest after its
//! source could be read again, and reported there as late. And what a first fetch and a repeated run take for news.

use std::collections::BTreeMap;
use std::sync::Arc;

use aha_core::digest::Digest;
use aha_core::ids::TopicId;
use aha_core::source::NewSource;
use aha_core::time::{DAY_MS, Timestamp};
use aha_core::topic::{BudgetTier, DigestSizes, Topic};
use aha_radar::app::App;
use aha_radar::config::Config;
use aha_radar::pipeline::StopSignal;
use aha_radar::pipeline::progress::Silent;
use aha_radar::pipeline::runner::{self, RunRequest};
use aha_store::{OpenMode, SharedStore, TopicReset};
use serde_json::Value;

use crate::kill::on_both_databases;
use crate::support::feeds::{Post, Random, feed, unlike_any_other};
use crate::support::radar::{Engine, Radar};
use crate::support::rows;

/// 2026-11-16T07:00:00Z, the first run; one a day follows.
const FIRST_RUN: i64 = 1_794_812_400_000;
/// Runs of a simulation: two days after a week, so that every outage is over in the end.
const RUNS: i64 = 9;
const SOURCES: u64 = 5;

/// What a source publishes, and the runs at which it cannot be read.
struct Source {
    name: String,
    posts: Vec<(Timestamp, String)>,
    away: std::ops::Range<i64>,
}

impl Source {
    fn random(name: String, random: &mut Random) -> Self {
        let days = i64::try_from(random.below(6)).unwrap();
        let begins = i64::try_from(random.below(u64::try_from(RUNS - 1 - days).unwrap())).unwrap();
        let count = 6 + random.below(14);
        let times = (0..count).map(|_| Timestamp::from_millis(FIRST_RUN - DAY_MS + time_below(RUNS * DAY_MS, random)));
        let posts = times.enumerate().map(|(n, at)| (at, format!("{name}-{n}"))).collect();
        Self { name, posts, away: begins..begins + days }
    }

    /// The run that has to offer a post: the first that reads the source after it was published.
    fn due(&self, published: Timestamp) -> i64 {
        (first_run_after(published)..RUNS).find(|run| !self.away.contains(run)).unwrap()
    }
}

fn time_below(limit: i64, random: &mut Random) -> i64 {
    i64::try_from(random.below(u64::try_from(limit / 1000).unwrap())).unwrap() * 1000
}

fn run_time(run: i64) -> Timestamp {
    Timestamp::from_millis(FIRST_RUN + run * DAY_MS)
}

fn first_run_after(published: Timestamp) -> i64 {
    (0..RUNS).find(|run| published < run_time(*run)).unwrap()
}

/// An installation that runs in this process, which is much faster than a process a run.
struct Simulation {
    radar: Radar,
    store: SharedStore,
    sources: Vec<Source>,
}

impl Simulation {
    async fn new(radar: Radar, sources: Vec<Source>) -> Self {
        let store = aha_store::open(&radar.database_url(), OpenMode::CreateIfMissing).await.unwrap();
        let made = store.ensure_topic("default", run_time(0)).await.unwrap();
        let sizes = DigestSizes { top: 200, scan: 200, at_least: 0 };
        let topic = Topic { sizes, budget_tier: Some(BudgetTier::High), depth: 100, ..made.clone() };
        assert!(store.save_topic(&made, &topic, TopicReset::default()).await.unwrap());
        let simulation = Self { radar, store, sources };
        let new: Vec<NewSource> = simulation.sources.iter().map(|source| simulation.listed(source)).collect();
        simulation.store.add_sources(topic.id, &new, run_time(0)).await.unwrap();
        simulation
    }

    fn path(&self, source: &Source) -> std::path::PathBuf {
        self.radar.folder().join(format!("{}.json", source.name))
    }

    fn listed(&self, source: &Source) -> NewSource {
        let url = url::Url::from_file_path(self.path(source)).unwrap().into();
        NewSource { url, title: Some(source.name.clone()), ..NewSource::default() }
    }

    /// What each source gives at that run: all that it has published, or no document at all.
    fn publish(&self, run: i64) {
        for source in &self.sources {
            let published = source.posts.iter().filter(|(at, _)| *at < run_time(run));
            let posts: Vec<Post> = published.map(|(at, id)| Post::about_nothing_else(id, &at.to_string())).collect();
            let path = self.path(source);
            if source.away.contains(&run) {
                drop(std::fs::remove_file(path));
            } else {
                std::fs::write(path, feed(&source.name, &posts)).unwrap();
            }
        }
    }

    async fn run(&self, run: i64, scheduled: bool) -> Digest {
        self.publish(run);
        self.store.set_next_run(TopicId::of(&["default"]), Some(run_time(run))).await.unwrap();
        let output = self.radar.output().display().to_string();
        let settings = [("AHA_NOW", run_time(run).to_string()), ("AHA_OUTPUT_DIR", output)];
        let config = Config::from_pairs(settings.map(|(name, value)| (name.to_owned(), value)).into_iter()).unwrap();
        let request = RunRequest {
            topic: "default".to_owned(),
            window: None,
            scheduled,
            rejudge: false,
            progress: Arc::new(Silent),
            stop: StopSignal::default(),
        };
        let app = App::new(config, Arc::clone(&self.store)).unwrap();
        let mut made = Box::pin(runner::run(&app, &request)).await.unwrap().outputs;
        assert_eq!(made.len(), 1, "run {run}");
        made.remove(0).digest
    }
}

/// The runs that showed a post, and whether as late.
type Offered = BTreeMap<String, Vec<(i64, bool)>>;

fn note(offered: &mut Offered, run: i64, digest: &Digest) {
    for member in digest.stories.iter().flat_map(|story| &story.sources) {
        let id = member.url.as_deref().unwrap().rsplit('/').next().unwrap();
        offered.entry(id.to_owned()).or_default().push((run, member.late));
    }
    let late = digest.stories.iter().flat_map(|story| &story.sources).filter(|member| member.late).count();
    assert_eq!(digest.sources.iter().map(|source| source.late).sum::<usize>(), late, "run {run}");
}

async fn a_week_of_outages(engine: Engine, seed: u64) {
    let mut random = Random(seed);
    let sources = (0..SOURCES).map(|n| Source::random(format!("s{seed}-{n}"), &mut random)).collect();
    let simulation = Simulation::new(Radar::at(&run_time(0).to_string()).on(engine), sources).await;
    let mut offered = Offered::new();
    for run in 0..RUNS {
        note(&mut offered, run, &simulation.run(run, seed.is_multiple_of(2)).await);
    }
    for source in &simulation.sources {
        for (published, id) in &source.posts {
            let due = source.due(*published);
            let expected = vec![(due, due > first_run_after(*published))];
            assert_eq!(offered.get(id), Some(&expected), "seed {seed}: {id} of {published}, away {:?}", source.away);
        }
    }
}

fn every_item_is_offered_once_whatever_its_source_does(engine: Engine) {
    let seeds = if engine == Engine::Sqlite { 0..5 } else { 5..7 };
    seeds.for_each(|seed| rows::block_on(|| a_week_of_outages(engine, seed)));
}

on_both_databases!(every_item_is_offered_once_whatever_its_source_does);

#[test]
#[ignore = "takes minutes; scripts/acceptance.sh runs it"]
fn two_hundred_weeks_of_outages() {
    let workers: Vec<_> = (0..4)
        .map(|worker| {
            let seeds = (0..50).map(move |n| 100 + 50 * worker + n);
            std::thread::spawn(|| seeds.for_each(|seed| rows::block_on(|| a_week_of_outages(Engine::Sqlite, seed))))
        })
        .collect();
    for worker in workers {
        worker.join().unwrap();
    }
}

/// The stories of a run over one feed, by their links: Aha score, reason and whether they are new.
fn stories(radar: &Radar) -> BTreeMap<String, (Value, String, bool)> {
    let digest = radar.digest();
    let story = |story: &Value| {
        let (reason, novel) = (story["reason"].as_str().unwrap(), story["triage"]["is_novel"].as_bool().unwrap());
        (story["url"].to_string(), (story["aha_score"].clone(), reason.to_owned(), novel))
    };
    digest["stories"].as_array().unwrap().iter().map(story).collect()
}

#[test]
fn what_no_digest_has_shown_continues_nothing_and_is_worth_as_much_as_it_was() {
    let posts: Vec<Post> = (0..6)
        .map(|n| {
            let published = format!("2026-11-16T0{n}:00:00Z");
            // Two of them have much in common.
            let text = unlike_any_other(&format!("text {}", n / 2), 30);
            Post::new(&format!("p{n}"), &unlike_any_other(&format!("title {n}"), 5), &text, &published)
        })
        .collect();
    let publish = |radar: &Radar| std::fs::write(radar.folder().join("feed.json"), feed("A", &posts)).unwrap();
    let undisturbed = Radar::at("2026-11-16T07:05:00Z");
    publish(&undisturbed);
    undisturbed.add(&["feed.json"]);
    undisturbed.ok(&["run"]);

    let mut radar = Radar::at("2026-11-16T07:00:00Z");
    publish(&radar);
    radar.add(&["feed.json"]);
    std::fs::remove_file(radar.folder().join("feed.json")).unwrap();
    radar.run(&["run"]).exits(3);
    publish(&radar);
    radar.set("AHA_NOW", "2026-11-16T07:05:00Z");
    radar.ok(&["run"]);
    let again = stories(&radar);
    assert_eq!(again, stories(&undisturbed));
    assert!(again.values().all(|(_, reason, novel)| *novel && !reason.contains("ontinues")), "{again:#?}");
    let final_scores = |radar: &Radar| -> Vec<f64> {
        let digest = radar.digest();
        digest["stories"].as_array().unwrap().iter().map(|story| story["final_score"].as_f64().unwrap()).collect()
    };
    for (again, before) in final_scores(&radar).iter().zip(final_scores(&undisturbed)) {
        assert!((again - before).abs() < 0.1, "{again} and {before}");
    }
}

#[test]
fn undated_pages_of_a_first_fetch_are_no_news_and_later_ones_count_from_their_fetch() {
    let mut radar = Radar::at("2026-11-16T07:00:00Z");
    let page = |id: &str| Post::about_nothing_else(id, "").undated();
    let mut posts =
        vec![page("about"), page("search-results"), Post::about_nothing_else("dated", "2026-11-16T05:00:00Z")];
    let mut run = |now: &str, posts: &[Post]| {
        std::fs::write(radar.folder().join("site.json"), feed("Site", posts)).unwrap();
        radar.set("AHA_NOW", now);
        if !radar.database().exists() {
            radar.add(&["site.json"]);
        }
        radar.ok(&["run"]);
        let digest = radar.digest();
        let links = digest["stories"].as_array().unwrap().iter().map(|story| story["url"].as_str().unwrap().to_owned());
        let shown: Vec<String> = links.map(|url| url.rsplit('/').next().unwrap().to_owned()).collect();
        (shown, digest["digest"]["items"].as_u64().unwrap())
    };
    let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
    assert_eq!(run("2026-11-16T07:00:00Z", &posts), (ids(&["dated"]), 1));
    posts.push(page("news"));
    assert_eq!(run("2026-11-17T07:00:00Z", &posts), (ids(&[]), 0));
    assert_eq!(run("2026-11-18T07:00:00Z", &posts), (ids(&["news"]), 1));
    assert_eq!(run("2026-11-19T07:00:00Z", &posts), (ids(&[]), 0));
    let seen = "SELECT i.external_id FROM topic_items t JOIN content_items i ON i.id = t.item_id
                WHERE t.state = 'seen' ORDER BY i.external_id";
    assert_eq!(rows::query(&radar, seen), ["about", "search-results"]);
}
