//! `run --dry-run`: it tells what a run would ask and cost, asks nobody, and leaves everything as it was.

use serde_json::Value;

use crate::support::feeds::{Post, feed, unlike_any_other};
use crate::support::radar::{Engine, Radar, repository};
use crate::support::responses::OpenAi;
use crate::support::rows;

const NOW: &str = "2026-11-16T12:00:00Z";
const USAGE: i32 = 2;
const DRY: [&str; 3] = ["run", "--dry-run", "--json"];

fn post(n: usize) -> Post {
    Post::about_nothing_else(&format!("post {n}"), "2026-11-16T05:00:00Z")
}

/// With a feed of five stories, of which a model thinks little, and a folder of its own for what goes with a command.
fn with_stories(api: &OpenAi, engine: Engine) -> Radar {
    with_posts(api, engine, &(1..=5).map(post).collect::<Vec<Post>>(), 20)
}

fn with_posts(api: &OpenAi, engine: Engine, posts: &[Post], score: u8) -> Radar {
    let radar = Radar::at(NOW).on(engine).with("AHA_TRIAGE_BATCH_SIZE", "2");
    for post in posts {
        api.score(&post.title, score);
    }
    std::fs::write(radar.folder().join("feed.json"), feed("The Feed", posts)).unwrap();
    let tmp = radar.folder().join("tmp");
    std::fs::create_dir(&tmp).unwrap();
    let radar = api.serve(radar).with("TMPDIR", tmp.to_str().unwrap());
    radar.add(&["feed.json"]);
    radar
}

fn task<'a>(report: &'a Value, name: &str) -> &'a Value {
    let all = report["estimates"].as_array().unwrap();
    all.iter().find(|one| one["task"] == name).unwrap_or_else(|| panic!("no {name} in {report:#}"))
}

/// Nothing is left behind, nowhere.
fn assert_untouched(radar: &Radar, before: &rows::Tables, api: &OpenAi) {
    assert_eq!(&rows::all(radar), before);
    assert_eq!(api.calls().len(), 0);
    assert!(!radar.output().exists());
    assert_eq!(std::fs::read_dir(radar.folder().join("tmp")).unwrap().count(), 0, "the copy is gone");
}

fn what_a_run_asks_is_foretold(engine: Engine) {
    let api = OpenAi::start();
    let radar = with_stories(&api, engine);
    let before = rows::all(&radar);
    let report = radar.json(&DRY);
    assert_untouched(&radar, &before, &api);
    let triage = task(&report, "triage").clone();
    assert_eq!((&triage["calls"], &triage["stories"]), (&3.into(), &5.into()), "{report:#}");
    assert_eq!((&triage["configured"], &triage["model"]), (&true.into(), &"gpt-mock".into()));
    assert_eq!(report["windows"][0]["items"], 5);

    radar.ok(&["run"]);
    assert_eq!(api.calls().len(), 3, "as foretold");
    let sent = i64::try_from(api.bill().total.input_tokens).unwrap();
    let foretold = triage["input_tokens"].as_i64().unwrap();
    assert!((sent - foretold).abs() * 50 <= sent, "{foretold} tokens foretold, {sent} sent");

    // The same window again: its stories are answered and paid for, and what a model thinks of them asks for no
    // summary.
    let window = ["--window", "2026-11-16T00:00:00Z..2026-11-16T12:00:00Z"];
    let report = radar.json(&[&DRY[..], &window].concat());
    assert_eq!(report["estimates"], serde_json::json!([]), "{report:#}");
    assert_eq!(report["windows"][0]["items"], 5);
    radar.run(&[&DRY[..2], &window].concat()).exits(0).says("No model would be asked");
    let again = radar.json(&[&DRY[..], &window, &["--rejudge"]].concat());
    assert_eq!(task(&again, "triage")["stories"], 5);
    assert_eq!(api.calls().len(), 3);
}

#[test]
fn what_a_run_asks_is_foretold_on_sqlite() {
    what_a_run_asks_is_foretold(Engine::Sqlite);
}

#[test]
fn what_a_run_asks_is_foretold_on_postgres() {
    what_a_run_asks_is_foretold(Engine::Postgres);
}

/// What the dry run says of the run's cap: whether all fits for certain, and whether it likely does.
fn verdict(radar: &Radar) -> (bool, bool) {
    let report = radar.json(&DRY);
    let room = &report["left"][0];
    assert_eq!(room["of"], "run", "{report:#}");
    (room["fits"].as_bool().unwrap(), room["likely_fits"].as_bool().unwrap())
}

/// Under whatever cap: what fits for certain ends with 0, and a run that ends with 4 was not said to fit.
#[test]
fn what_is_said_to_fit_does() {
    const BUDGET_EXHAUSTED: i32 = 4;
    let whole = with_stories(&OpenAi::start(), Engine::Sqlite).json(&DRY)["total"].clone();
    let (usual, most) = (whole["microcredits"].as_i64().unwrap(), whole["most_microcredits"].as_i64().unwrap());
    assert!(0 < usual && usual < most, "{whole}");
    let mut verdicts = Vec::new();
    for cap in [usual / 2, usual, i64::midpoint(usual, most), most - 1, most] {
        let api = OpenAi::start();
        let radar = with_stories(&api, Engine::Sqlite).with("AHA_BUDGET_RUN_CREDITS", &format!("0.{cap:06}"));
        let (fits, likely) = verdict(&radar);
        let code = radar.run(&["run"]).code.unwrap();
        assert!(!fits || (likely && code == 0), "{cap} of {whole}: {fits} {likely}, exit {code}");
        assert!(code == 0 || code == BUDGET_EXHAUSTED, "{code}");
        verdicts.push((fits, likely, code));
    }
    assert_eq!(verdicts[0], (false, false, BUDGET_EXHAUSTED));
    assert_eq!((verdicts[1].0, verdicts[1].1), (false, false), "the usual costs alone leave no room for a reservation");
    assert_eq!(verdicts[3], (false, true, 0));
    assert_eq!(verdicts[4], (true, true, 0));
}

/// `local` asks for no summary of a text that is short, a model may.
#[test]
fn the_summaries_that_a_model_may_ask_for_are_in_what_fits_for_certain() {
    let teasers: Vec<Post> = (1..=5).map(|n| Post { text: unlike_any_other(&format!("{n}"), 8), ..post(n) }).collect();
    let liked = |api: &OpenAi| with_posts(api, Engine::Sqlite, &teasers, 90);
    let report = liked(&OpenAi::start()).json(&DRY);
    let most = |of: &Value| of["most_microcredits"].as_i64().unwrap();
    let (judging, whole) = (most(task(&report, "triage")), most(&report["total"]));
    let summaries = task(&report, "deep_summary");
    assert_eq!((&summaries["stories"], &summaries["microcredits"]), (&0.into(), &0.into()), "{report:#}");
    assert_eq!(whole, judging + most(summaries), "{report:#}");
    for (cap, expected) in [(judging, false), (whole - 1, false), (whole, true)] {
        let api = OpenAi::start();
        let radar = liked(&api).with("AHA_BUDGET_RUN_CREDITS", &format!("0.{cap:06}"));
        assert_eq!(verdict(&radar).0, expected, "{cap} of {whole}");
        let code = radar.run(&["run"]).code.unwrap();
        assert!(!expected || code == 0, "exit {code}");
        assert!(!expected || api.bill().by_schema["deep_summary_v1"].calls == 5, "{:?}", api.bill());
    }
}

#[test]
fn it_is_held_against_what_is_left_of_each_budget() {
    let api = OpenAi::start();
    let mut radar = with_stories(&api, Engine::Sqlite);
    let total = radar.json(&DRY)["total"]["microcredits"].as_i64().unwrap();
    radar.set("AHA_BUDGET_RUN_CREDITS", "3");
    radar.set("AHA_BUDGET_DAILY_CREDITS", &format!("0.{:06}", total - 1));
    let report = radar.json(&DRY);
    let fits: Vec<(&str, bool)> = report["left"]
        .as_array()
        .unwrap()
        .iter()
        .map(|room| (room["of"].as_str().unwrap(), room["fits"].as_bool().unwrap()))
        .collect();
    assert_eq!(fits, [("run", true), ("day", false)]);
    let ran = radar.run(&DRY[..2]).exits(0);
    ran.says("daily budget has").says("some would be left out").says("The run's budget has 3 credits left");
    radar.set("AHA_BUDGET_DAILY_CREDITS", "3");
    radar.ok(&["topic", "set", "default", "--budget-share", "50"]);
    let report = radar.json(&DRY);
    let left = report["left"].as_array().unwrap().iter().find(|room| room["of"] == "topic_day").unwrap();
    assert_eq!((&left["left_microcredits"], &left["fits"]), (&1_500_000.into(), &true.into()), "{report:#}");
}

/// A share of the day's budget that is too small leaves stories of its topic out, and takes nothing from another topic.
#[test]
fn a_topic_spends_its_share_of_the_budget_alone() {
    let api = OpenAi::start();
    let radar = with_stories(&api, Engine::Sqlite).with("AHA_BUDGET_DAILY_CREDITS", "3");
    let dearest = radar.json(&DRY)["estimates"][0]["dearest_microcredits"].as_i64().unwrap();
    assert!(dearest * 100 > 3, "{dearest}");
    let radar = radar.with("AHA_BUDGET_DAILY_CREDITS", &format!("0.{:06}", dearest * 4));
    radar.ok(&["topic", "set", "default", "--budget-share", "1"]);
    radar.run(&["run"]).exits(4).says("topic's share of the daily budget");
    let why = radar.digest()["cost"]["budget_exhausted"].to_string();
    assert!(why.contains("credits are left of the topic's share") && why.contains("the next call may cost"), "{why}");
    assert_eq!(api.calls().len(), 0, "1 % is less than a call");
    radar.ok(&["topic", "add", "other"]);
    radar.ok(&["source", "add", "--topic", "other", "feed.json"]);
    radar.run(&["run", "--topic", "other"]);
    assert!(!api.calls().is_empty(), "the other topic has what is left");
}

#[test]
fn entities_are_foretold_where_they_are_asked_for() {
    let api = OpenAi::start();
    let radar = with_stories(&api, Engine::Sqlite).with("OPENAI_ENTITY_EXTRACT_MODEL", "gpt-names");
    // Noise is not shown, and which stories are noise only the judge will say.
    radar.ok(&["topic", "set", "default", "--at-least", "0"]);
    let before = rows::all(&radar);
    let report = radar.json(&DRY);
    assert_untouched(&radar, &before, &api);
    let entities = task(&report, "entity_extract").clone();
    assert_eq!((&entities["model"], &entities["calls"]), (&"gpt-names".into(), &entities["stories"]));
    radar.ok(&["run"]);
    let asked = api.bill().by_model["gpt-names"].calls;
    assert_eq!(entities["calls"], asked, "a call a story of the top section");
}

#[test]
fn without_a_price_no_amount_is_told() {
    let api = OpenAi::start();
    let radar = with_stories(&api, Engine::Sqlite).with("OPENAI_CREDITS_PER_1K_INPUT_TOKENS", "");
    assert_eq!(radar.json(&DRY)["total"]["microcredits"], Value::Null);
    radar.run(&DRY[..2]).exits(0).says("No price is set");
}

#[test]
fn it_works_before_the_first_run() {
    let radar = Radar::at("2026-11-19T07:00:00Z");
    let first =
        ["run", "--dry-run", "--import", &repository("examples/sources.opml"), "--window", "2026-11-16..2026-11-19"];
    radar.run(&first).exits(0).says("No model is configured").says("gpt-5-mini").says("Nothing was spent");
    assert!(!radar.database().exists() && !radar.output().exists());
    radar.run(&["run", "--dry-run"]).exits(USAGE).says("has no source yet");
    radar.run(&["run", "--dry-run", "--topic", "nope"]).exits(USAGE).says("there is no topic");
    assert!(!radar.database().exists());
}
