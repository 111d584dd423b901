//! Whole runs over the example set: what comes out, that it comes out again, and that nothing but the input decides it.

mod labelled;
mod sections;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::support::radar::{Radar, repository};
use crate::support::rows::{self, Tables};

const NOW: &str = "2026-11-19T07:00:00Z";
const WINDOW: &str = "2026-11-16..2026-11-19";

fn import() -> String {
    repository("examples/sources.opml")
}

/// The README's first command.
fn first_command(radar: &Radar) -> String {
    radar.ok(&["--run-once", "--import", &import(), "--window", WINDOW])
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().unwrap()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap()
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

/// Stories of the top section.
fn top(digest: &Value) -> Vec<&Value> {
    list(digest, "stories").iter().filter(|story| story["section"] == "top").collect()
}

#[test]
fn the_readmes_first_command_makes_a_digest() {
    let radar = Radar::at(NOW);
    let printed = first_command(&radar);
    let digest = radar.digest();
    assert_eq!(digest["digest"]["status"], "complete");
    let stories = list(&digest, "stories");
    assert_eq!((top(&digest).len(), stories.len()), (10, 30));
    assert!(stories.iter().all(|story| printed.contains(&text(story, "title").chars().take(20).collect::<String>())));
    let mut of_source: BTreeMap<&str, usize> = BTreeMap::new();
    for story in top(&digest) {
        *of_source.entry(text(&list(story, "sources")[0], "name")).or_default() += 1;
    }
    assert!(of_source.len() >= 6, "{of_source:?}");
    assert!(of_source.values().all(|shown| *shown <= 2), "{of_source:?}");
    let ranks: Vec<u64> = stories.iter().map(|story| count(&story["rank"])).collect();
    assert_eq!(ranks, (1..=30).collect::<Vec<u64>>());
}

/// All but what it says that it leaves out.
#[test]
fn the_readme_shows_what_its_first_command_prints() {
    let radar = Radar::at(NOW);
    let printed = first_command(&radar).replace(&radar.output().display().to_string(), "digests");
    let readme = std::fs::read_to_string(repository("README.md")).unwrap();
    let shown = readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let is_left_out = |line: &&str| line.trim().starts_with('…') && line.ends_with("more …");
    assert_eq!(shown.lines().filter(is_left_out).count(), 2);
    let printed = printed.lines().map(without_id).chain([""]).collect::<Vec<_>>().join("\n");
    let mut rest = printed.as_str();
    for line in shown.lines().filter(|line| !is_left_out(line) && !line.is_empty()).map(without_id) {
        let at = rest.find(&format!("{line}\n")).unwrap_or_else(|| panic!("not printed there: {line}\n{printed}"));
        rest = &rest[at + line.len()..];
    }
}

/// A line without the short id at its end, which follows from where the examples lie.
fn without_id(line: &str) -> &str {
    let is_id = |id: &str| id.len() == 6 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    line.rsplit_once(' ').filter(|(_, id)| is_id(id)).map_or(line, |(rest, _)| rest.trim_end())
}

#[test]
fn no_story_and_no_item_is_shown_twice() {
    let radar = Radar::at(NOW);
    first_command(&radar);
    let digest = radar.digest();
    let stories = list(&digest, "stories");
    let clusters: BTreeSet<&str> = stories.iter().map(|story| text(story, "cluster_id")).collect();
    assert_eq!(clusters.len(), stories.len());
    let links: BTreeSet<&str> = stories.iter().filter_map(|story| story["url"].as_str()).collect();
    assert_eq!(links.len(), stories.len());
    let members: Vec<&str> = stories.iter().flat_map(|s| list(s, "sources")).map(|m| text(m, "item_id")).collect();
    assert_eq!(members.iter().collect::<BTreeSet<_>>().len(), members.len());
}

#[test]
fn every_link_shown_is_one_of_the_feeds_own() {
    let radar = Radar::at(NOW);
    first_command(&radar);
    let folder = repository("examples/feeds");
    let feeds: String = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap().replace("&amp;", "&"))
        .collect();
    let digest = radar.digest();
    for story in list(&digest, "stories") {
        let links = list(story, "sources").iter().map(|member| &member["url"]);
        let links = links.chain([&story["url"]]).chain(list(story, "discussions")).filter_map(Value::as_str);
        for link in links {
            assert!(feeds.contains(link), "{link} stands in no feed");
        }
    }
}

#[test]
fn every_item_of_the_window_is_accounted_for() {
    let radar = Radar::at(NOW);
    first_command(&radar);
    let digest = radar.digest();
    let skipped: u64 = digest["skipped"].as_object().unwrap().values().map(count).sum();
    let shown = u64::try_from(list(&digest, "stories").len()).unwrap();
    assert_eq!(count(&digest["digest"]["items"]), shown + skipped);
    let in_window = "SELECT count(*) FROM content_items WHERE item_time >= 1794787200000 AND item_time < 1795046400000";
    assert_eq!(i64::try_from(shown + skipped).unwrap(), rows::number(&radar, in_window));
    let of_sources: u64 = list(&digest, "sources").iter().map(|source| count(&source["items"])).sum();
    assert_eq!(of_sources, shown + skipped);
}

#[test]
fn a_digest_is_written_in_four_forms_with_two_pictures_and_no_more() {
    let radar = Radar::at(NOW);
    first_command(&radar);
    let (pictures, files): (Vec<_>, Vec<_>) = radar.files().into_iter().partition(|(name, _)| name.contains(".svg"));
    let names = |files: &[(String, String)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&files), ["html", "json", "md", "xml"].map(|end| format!("2026-11-19T0000.{end}")));
    assert_eq!(names(&pictures), ["scores", "timeline"].map(|what| format!("2026-11-19T0000.{what}.svg")));
    for (format, (_, written)) in ["html", "json", "md", "rss"].iter().zip(&files) {
        let printed = radar.ok(&["digest", "latest", "--format", format]);
        assert_eq!(printed.trim_end(), written.trim_end(), "{format}");
    }
}

/// Row counts of all tables but those that record each attempt.
fn sizes(radar: &Radar) -> BTreeMap<String, usize> {
    let tables = rows::all(radar).into_iter();
    let kept = tables.filter(|(name, _)| !["run_attempts", "fetch_runs"].contains(&name.as_str()));
    kept.map(|(name, rows)| (name, rows.len())).collect()
}

#[test]
fn the_same_command_again_changes_nothing_and_pays_nothing() {
    let radar = Radar::at(NOW);
    first_command(&radar);
    let (before, rows_before) = (radar.ok(&["digest", "latest", "--json"]), sizes(&radar));
    let paid = |radar: &Radar| (rows::table(radar, "provider_calls", &[]), rows::table(radar, "answers", &[]));
    let (paid_before, files_before) = (paid(&radar), radar.files());
    first_command(&radar);
    assert_eq!(radar.ok(&["digest", "latest", "--json"]), before);
    assert_eq!(sizes(&radar), rows_before);
    assert_eq!(paid(&radar), paid_before);
    assert_eq!(radar.files(), files_before);
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM run_attempts WHERE outcome = 'done'"), 2);
}

#[test]
fn rejudging_asks_again_and_comes_to_the_same() {
    let radar = Radar::at(NOW);
    first_command(&radar);
    let (before, judged) = (result(&radar), rows::number(&radar, "SELECT count(*) FROM answers"));
    let calls = rows::number(&radar, "SELECT count(*) FROM provider_calls");
    radar.ok(&["--run-once", "--window", WINDOW, "--rejudge"]);
    assert_eq!(result(&radar), before);
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM answers"), judged);
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM provider_calls WHERE state = 'ok'"), 2 * calls);
}

#[test]
fn what_the_plan_leaves_out_is_counted() {
    let radar = Radar::at(NOW);
    radar.ok(&["opml", "import", &import()]);
    radar.ok(&["topic", "set", "default", "--budget-tier", "low", "--depth", "0"]);
    first_command(&radar);
    let digest = radar.digest();
    let skipped = digest["skipped"].as_object().unwrap();
    assert!(count(&skipped["not_considered"]) > 0, "{skipped:?}");
    let shown = u64::try_from(list(&digest, "stories").len()).unwrap();
    assert_eq!(count(&digest["digest"]["items"]), shown + skipped.values().map(count).sum::<u64>());
    assert!(list(&digest, "stories").iter().all(|story| story["summary"].is_null()), "the low tier has no summaries");
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM answers WHERE task = 'triage'"), 65);
}

#[test]
fn days_are_those_of_the_topics_zone() {
    let radar = Radar::at(NOW);
    radar.ok(&["opml", "import", &import()]);
    radar.ok(&["topic", "set", "default", "--timezone", "Europe/Berlin"]);
    radar.ok(&["--run-once", "--window", "2026-11-16..2026-11-17"]);
    let head = &radar.digest()["digest"];
    assert_eq!(
        (text(head, "window_start"), text(head, "window_end")),
        ("2026-11-15T23:00:00Z", "2026-11-16T23:00:00Z")
    );
    assert_eq!(radar.files()[0].0, "2026-11-17T0000.html");
    radar.ok(&["--run-once", "--window", "2026-11-18..2026-11-18"]);
    assert_eq!(radar.digest()["digest"]["status"], "quiet", "from midnight to the same midnight is no time at all");
}

/// The clock stands still, so that only the order of the runs tells which digest was made last.
#[test]
fn of_windows_with_the_same_end_the_one_made_last_is_shown_and_each_has_files() {
    let radar = Radar::at(NOW);
    first_command(&radar);
    let wide = radar.digest();
    let names = |radar: &Radar| radar.files().into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    let of_wide = names(&radar);
    radar.ok(&["run", "--window", "2026-11-18..2026-11-19"]);
    let narrow = radar.digest();
    assert_eq!(text(&narrow["digest"], "window_start"), "2026-11-18T00:00:00Z");
    assert_eq!(radar.json(&["item", "1", "--json"])["id"], list(&narrow, "stories")[0]["id"]);
    assert_eq!(radar.json(&["digest", "list", "--json"])[0]["head"], narrow["digest"]);
    let stem = "2026-11-19T0000_from_2026-11-18T0000";
    let both = names(&radar);
    assert!(of_wide.iter().all(|name| both.contains(name)) && both.len() == 2 * of_wide.len(), "{both:?}");
    let file = |name: &str| radar.files().into_iter().find(|(of, _)| of == name).unwrap().1;
    let json = |name: &str| serde_json::from_str::<Value>(&file(name)).unwrap();
    assert_eq!(json("2026-11-19T0000.json"), wide, "the first is not overwritten");
    assert_eq!(json(&format!("{stem}.json")), narrow);
    let page = file(&format!("{stem}.html"));
    assert!(page.contains(&format!("{stem}.scores.svg")), "the page shows its own pictures");
    assert_eq!(radar.ok(&["digest", "latest", "--format", "html"]).trim_end(), page.trim_end());
    first_command(&radar);
    assert_eq!((radar.digest(), names(&radar)), (wide, both), "made again, it is the newest, under its name");
}

#[test]
fn the_hour_at_which_a_window_is_read_does_not_show() {
    let mut radar = Radar::at(NOW);
    first_command(&radar);
    let (before, paid) = (result(&radar), rows::table(&radar, "provider_calls", &[]));
    radar.set("AHA_NOW", "2026-11-25T19:30:00Z");
    first_command(&radar);
    assert_eq!(result(&radar), before);
    assert_eq!(rows::table(&radar, "provider_calls", &[]), paid);
}

#[test]
fn runs_of_the_two_kinds_do_not_show_in_one_another() {
    let cursor = |radar: &Radar| radar.ok(&["--run-once", "--import", &import(), "--json"]);
    let window = |radar: &Radar| radar.ok(&["--run-once", "--import", &import(), "--window", WINDOW, "--json"]);
    let (one, other) = (Radar::at(NOW), Radar::at(NOW));
    let window_first = (window(&one), cursor(&one));
    let cursor_first = (cursor(&other), window(&other));
    assert!(window_first == (cursor_first.1, cursor_first.0), "a digest differs");
    assert_eq!(schedule_state(&one), schedule_state(&other));
}

/// The digest and the members of each story.
fn result(radar: &Radar) -> (String, Vec<String>) {
    (radar.ok(&["digest", "latest", "--json"]), rows::table(radar, "cluster_items", &[]))
}

#[test]
fn batches_and_threads_do_not_show_in_the_digest() {
    let run = |batch: &str, concurrency: &str, threads: &str| {
        let radar = Radar::at(NOW)
            .with("AHA_TRIAGE_BATCH_SIZE", batch)
            .with("AHA_FETCH_CONCURRENCY", concurrency)
            .with("TOKIO_WORKER_THREADS", threads);
        first_command(&radar);
        result(&radar)
    };
    let plain = run("7", "1", "4");
    for (batch, concurrency, threads) in [("1", "16", "4"), ("50", "16", "1")] {
        assert_eq!(run(batch, concurrency, threads), plain, "{batch} {concurrency} {threads}");
    }
}

#[test]
fn overlapping_windows_find_the_same_stories_in_either_order() {
    let windows = ["2026-11-16..2026-11-18", "2026-11-17..2026-11-19"];
    let run = |order: [usize; 2]| {
        let radar = Radar::at(NOW);
        for window in order {
            radar.ok(&["--run-once", "--import", &import(), "--window", windows[window]]);
        }
        let stories = rows::table(&radar, "cluster_items", &[]);
        assert!(stories.len() > 100);
        (stories, rows::table(&radar, "clusters", &[]))
    };
    assert_eq!(run([0, 1]), run([1, 0]));
}

#[test]
fn a_window_without_items_is_a_quiet_day() {
    let radar = Radar::at(NOW);
    let printed = radar.ok(&["--run-once", "--import", &import(), "--window", "2020-01-01..2020-01-02"]);
    assert!(printed.to_lowercase().contains("quiet"), "{printed}");
    let digest = radar.digest();
    assert_eq!(digest["digest"]["status"], "quiet");
    assert!(list(&digest, "stories").is_empty());
    assert!(radar.files().is_empty(), "nobody has to open a file to learn that there was nothing");
}

#[test]
fn a_window_that_is_not_over_ends_with_this_minute_and_one_that_has_not_begun_is_refused() {
    let mut radar = Radar::at("2026-11-18T07:00:30Z");
    let run = |radar: &Radar, window: &str| {
        radar.ok(&["--run-once", "--import", &import(), "--window", window]);
        radar.digest()["digest"].clone()
    };
    let head = run(&radar, "2026-11-17..2026-11-20");
    assert_eq!(
        (text(&head, "window_start"), text(&head, "window_end")),
        ("2026-11-17T00:00:00Z", "2026-11-18T07:00:00Z")
    );
    assert!(count(&head["items"]) > 0, "{head}");
    radar.set("AHA_NOW", "2026-11-18T07:00:59Z");
    assert_eq!(run(&radar, "2026-11-17..2026-11-20"), head, "within a minute it is the same run");
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM runs"), 1);
    run(&radar, "2026-11-18T07:00:20Z..2026-11-19");
    let begun = "SELECT count(*) FROM runs WHERE window_start = window_end";
    assert_eq!(rows::number(&radar, begun), 1, "one that begins within this minute has no time yet");
    let before = rows::all(&radar);
    let refused = radar.run(&["--run-once", "--window", "2026-11-18T07:01:00Z..2026-11-20"]).exits(2);
    refused.says("the window begins at 2026-11-18T07:01:00Z, which is to come");
    radar.run(&["run", "--dry-run", "--window", "2026-11-19..2026-11-20"]).exits(2).says("which is to come");
    assert_eq!(rows::all(&radar), before);
    radar.set("AHA_NOW", "2026-11-18T08:00:00Z");
    radar.ok(&["--run-once"]);
    assert_eq!(radar.digest()["digest"]["mode"], "cursor", "the next run's digest is the latest");
}

#[test]
fn a_cursor_run_with_nothing_new_is_a_quiet_day() {
    let mut radar = Radar::at(NOW);
    radar.ok(&["--run-once", "--import", &import()]);
    let same_minute = radar.run(&["--run-once"]).exits(0);
    assert!(same_minute.stderr.contains("nothing to do"), "{same_minute:#?}");
    radar.set("AHA_NOW", "2026-11-19T08:00:00Z");
    radar.ok(&["--run-once"]);
    radar.set("AHA_NOW", "2026-11-19T09:00:00Z");
    let printed = radar.ok(&["--run-once"]);
    assert!(printed.to_lowercase().contains("quiet"), "{printed}");
    assert_eq!(radar.digest()["digest"]["status"], "quiet");
}

/// What the runs of the schedule live on.
fn schedule_state(radar: &Radar) -> Tables {
    let mut tables: Tables = rows::all(radar);
    tables.retain(|name, _| ["topic_items", "clusters"].contains(&name.as_str()));
    tables.insert("topics".to_owned(), rows::table(radar, "topics", &["lease_token"]));
    tables
}

#[test]
fn a_cursor_run_claims_delivers_and_moves_on_and_a_window_run_does_not() {
    let radar = Radar::at(NOW);
    radar.ok(&["--run-once", "--import", &import()]);
    let digest = radar.digest();
    let items = count(&digest["digest"]["items"]);
    let claimed = rows::number(&radar, "SELECT count(*) FROM topic_items WHERE state = 'assigned'");
    assert_eq!(i64::try_from(items).unwrap(), claimed);
    assert!(claimed > 0);
    assert_eq!(rows::query(&radar, "SELECT CAST(cursor_end AS TEXT) FROM topics"), ["1795071600000"]);
    let shown: BTreeSet<String> =
        list(&digest, "stories").iter().map(|story| text(story, "cluster_id").to_owned()).collect();
    let delivered = rows::query(&radar, "SELECT id FROM clusters WHERE delivered_at IS NOT NULL");
    assert_eq!(delivered.into_iter().collect::<BTreeSet<_>>(), shown);

    let before = schedule_state(&radar);
    radar.ok(&["--run-once", "--window", WINDOW]);
    assert_eq!(radar.digest()["digest"]["mode"], "cursor", "the digest with the latest window stays the latest");
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM digests"), 2);
    assert_eq!(schedule_state(&radar), before);
}

#[test]
fn a_first_window_run_leaves_the_schedule_untouched() {
    let radar = Radar::at(NOW);
    first_command(&radar);
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM topic_items"), 0);
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM clusters WHERE delivered_at IS NOT NULL"), 0);
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM topics WHERE cursor_end IS NOT NULL"), 0);
}
