//! `aha-radar retain`: what is old goes and does not come back, and the next digest is the same.

use serde_json::Value;

use crate::support::feeds::{Post, feed};
use crate::support::postgres;
use crate::support::radar::Radar;
use crate::support::rows;
use crate::support::site::Site;

/// At that time, with a feed of these posts, on that database or on a file of its own.
struct Owner {
    radar: Radar,
}

impl Owner {
    fn new(database: Option<&str>) -> Self {
        let mut radar = Radar::at("2026-07-01T07:00:00Z").with("AHA_RETAIN_DIGESTS_DAYS", "30");
        radar.set("AHA_RETAIN_ITEMS_DAYS", "60");
        if let Some(url) = database {
            radar.set("DATABASE_URL", url);
        }
        Self { radar }
    }

    fn at(&mut self, now: &str, posts: &[Post]) {
        self.radar.set("AHA_NOW", now);
        std::fs::write(self.radar.folder().join("feed.json"), feed("The Feed", posts)).unwrap();
    }

    /// Old posts, one of them without a date, that the feed lists for good; then two newer days.
    fn reads_until_november(&mut self) -> Vec<Post> {
        let mut posts: Vec<Post> = (1..=3)
            .map(|n| Post::about_nothing_else(&format!("old {n}"), &format!("2026-06-30T0{n}:00:00Z")))
            .collect();
        posts.push(Post::about_nothing_else("undated", "2026-01-01T00:00:00Z").undated());
        self.at("2026-07-01T07:00:00Z", &posts);
        self.radar.add(&["feed.json"]);
        self.radar.run(&["run"]).exits(0);
        self.at("2026-07-02T07:00:00Z", &posts);
        self.radar.run(&["run"]).exits(0);
        posts.push(Post::about_nothing_else("new 1", "2026-11-16T10:00:00Z"));
        self.at("2026-11-17T07:00:00Z", &posts);
        self.radar.run(&["run"]).exits(0);
        posts.push(Post::about_nothing_else("new 2", "2026-11-17T10:00:00Z"));
        self.at("2026-11-18T07:00:00Z", &posts);
        posts
    }

    /// What a run tells, without ids: these come from the folder's name.
    fn next_digest(&self) -> Vec<Value> {
        let digest = self.radar.json(&["run", "--json"]);
        let told = ["title", "label", "aha_score", "final_score", "percentile", "reason", "score_debug"];
        let stories = digest["stories"].as_array().unwrap();
        assert!(!stories.is_empty() || digest["digest"]["window_end"] == "2026-11-19T07:00:00Z");
        let told = stories.iter().flat_map(|story| told.map(|field| story[field].clone()));
        told.chain([digest["skipped"].clone(), digest["digest"]["items"].clone()]).collect()
    }

    fn rows(&self, arguments: &[&str]) -> Vec<i64> {
        let kinds = self.radar.json(&[&["retain", "--json"], arguments].concat())["kinds"].clone();
        kinds.as_array().unwrap().iter().map(|kind| kind["rows"].as_i64().unwrap()).collect()
    }
}

fn what_is_old_goes_and_the_next_digest_is_the_same(database: Option<&str>) {
    let (mut one, mut other) = (Owner::new(None), Owner::new(database));
    let posts = one.reads_until_november();
    other.reads_until_november();
    // digests, items, vectors, source checks, calls, files of digests. Items of a digest that goes first count only
    // once it is gone.
    let files = |names: &[&str]| {
        let ours = ["html", "json", "md", "scores.svg", "timeline.svg", "xml"];
        names.iter().flat_map(|stem| ours.map(|end| format!("{stem}.{end}"))).collect::<Vec<_>>()
    };
    let written = |owner: &Owner| owner.radar.files().into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(written(&other), files(&["2026-07-01T0700", "2026-11-17T0700"]));
    let dry = other.rows(&["--dry-run"]);
    assert_eq!((dry[0], dry[6]), (2, 6));
    assert_eq!(written(&other).len(), 12, "a dry run removes nothing");
    let note = other.radar.output().join("default/2026-07-01T0700.txt");
    std::fs::write(&note, "mine").unwrap();
    other.radar.run(&["retain", "--dry-run"]).exits(0).says("would go").says("source checks");
    let removed = other.rows(&[]);
    assert_eq!((&removed[..4], removed[6]), (&[2, 4, 4, 2][..], 6));
    assert_eq!(other.rows(&[]), [0; 7], "nothing is left to remove");
    assert!(note.exists(), "a file of somebody else's");
    std::fs::remove_file(note).unwrap();
    assert_eq!(written(&other), files(&["2026-11-17T0700"]));
    assert_eq!(one.next_digest(), other.next_digest());
    // Another feed lists them too, under other names: they are what they were.
    let renamed: Vec<Post> = posts.iter().map(|post| post.clone().named(&format!("{} again", post.id))).collect();
    for owner in [&mut one, &mut other] {
        std::fs::write(owner.radar.folder().join("second.json"), feed("A second feed", &renamed)).unwrap();
        owner.radar.add(&["second.json"]);
        owner.radar.set("AHA_NOW", "2026-11-19T07:00:00Z");
    }
    assert_eq!(one.next_digest(), other.next_digest());
}

#[test]
fn what_is_old_goes_on_sqlite() {
    what_is_old_goes_and_the_next_digest_is_the_same(None);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_old_goes_on_postgres() {
    let url = postgres::empty_database().await;
    what_is_old_goes_and_the_next_digest_is_the_same(Some(&url));
    postgres::remove(&url).await;
}

#[test]
fn what_was_saved_keeps_its_text_and_its_address() {
    let mut owner = Owner::new(None);
    let posts = (1..=2).map(|n| Post::about_nothing_else(&format!("old {n}"), &format!("2026-06-30T0{n}:00:00Z")));
    owner.at("2026-07-01T07:00:00Z", &posts.collect::<Vec<_>>());
    owner.radar.add(&["feed.json"]);
    owner.radar.run(&["run"]).exits(0);
    owner.radar.run(&["feedback", "1", "save"]).exits(0);
    owner.at("2026-11-18T07:00:00Z", &[Post::about_nothing_else("new", "2026-11-17T10:00:00Z")]);
    owner.radar.run(&["run"]).exits(0);
    let removed = owner.rows(&[]);
    assert_eq!(removed[..2], [1, 1], "a digest, and of its two items the one that nobody saved");
    let listed = owner.radar.json(&["feedback", "list", "--json"]);
    assert_eq!(listed["events"].as_array().unwrap().len(), 1, "{listed}");
}

#[test]
fn a_run_is_shown_after_its_digest_was_removed() {
    let mut owner = Owner::new(None);
    owner.reads_until_november();
    assert_eq!(owner.rows(&[])[0], 2, "digests");
    let without = "SELECT id FROM runs WHERE status = 'done' AND id NOT IN (SELECT run_id FROM digests)";
    let runs = rows::query(&owner.radar, without);
    assert_eq!(runs.len(), 2);
    let site = Site::start(&mut owner.radar);
    for run in &runs {
        let page = site.get(&format!("/runs/default/{run}"));
        assert!(page.status == 200 && !page.body.contains("/digests/"), "{page:?}");
    }
    let listed = site.get("/runs").body;
    assert!(runs.iter().all(|run| listed.contains(run)), "{listed}");
    let links: Vec<&str> =
        listed.split("href=\"/digests/").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(links.len(), 1, "{listed}");
    assert_eq!(site.get(&format!("/digests/{}", links[0])).status, 200);
}

#[test]
fn days_that_would_take_what_a_run_needs_are_refused() {
    let radar = Radar::at("2026-11-18T07:00:00Z").with("AHA_RETAIN_ITEMS_DAYS", "30");
    radar.run(&["retain"]).exits(2).says("AHA_RETAIN_ITEMS_DAYS").says("60 or more");
}

#[test]
fn what_was_removed_is_reported_although_a_file_could_not_be() {
    let mut owner = Owner::new(None);
    owner.reads_until_november();
    let html = owner.radar.output().join("default/2026-07-01T0700.html");
    std::fs::remove_file(&html).unwrap();
    std::fs::create_dir(&html).unwrap();
    let ran = owner.radar.run(&["retain"]).exits(1).says("not all old files could be removed");
    assert!(ran.stdout.contains("items (texts)"), "{}", ran.stdout);
    std::fs::remove_dir(&html).unwrap();
    owner.radar.run(&["retain"]).exits(0);
    assert_eq!(owner.rows(&[]), [0; 7], "nothing is left to remove");
}
