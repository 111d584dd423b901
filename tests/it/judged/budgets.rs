//! Runs that may not spend what they need.

use std::collections::BTreeSet;

use super::{NOW, WINDOW, of_schema, run, spent, stories, the_books_agree, with};
use crate::support::feeds::{Post, feed, unlike_any_other};
use crate::support::radar::Radar;
use crate::support::responses::{KEY, MODEL, OpenAi};
use crate::support::rows;

#[test]
fn a_budget_of_a_tenth_judges_the_best_first_and_says_what_is_left_out() {
    let model = OpenAi::start();
    let radar = with(&model);
    run(&radar, WINDOW).exits(0);
    let needed = spent(&radar);
    let tenth = format!("0.{:06}", needed / 10);
    let poor = OpenAi::start();
    let radar = with(&poor).with("AHA_BUDGET_RUN_CREDITS", &tenth).with("AHA_LLM_CONCURRENCY", "1");
    run(&radar, WINDOW).exits(4).says("AHA_BUDGET_RUN_CREDITS");
    assert!(spent(&radar) <= needed / 10, "{} of {}", spent(&radar), needed / 10);
    let digest = radar.digest();
    assert_eq!(stories(&digest).len(), 30);
    let states: BTreeSet<&str> = stories(&digest).iter().map(|story| story["state"].as_str().unwrap()).collect();
    assert!(states.contains("skipped_budget"), "{states:?}");
    assert!(digest["cost"]["judgements_skipped"].as_u64().unwrap() > 0);
    // Those asked about are the first of the order in which a richer run asked.
    let titles = |model: &OpenAi| -> Vec<String> {
        of_schema(model, "triage_v1").iter().flat_map(|c| c.stories().unwrap()).map(|s| s.title).collect()
    };
    let first = OpenAi::start();
    let rich = with(&first).with("AHA_LLM_CONCURRENCY", "1");
    run(&rich, WINDOW).exits(0);
    let asked = titles(&poor);
    assert!(!asked.is_empty(), "a tenth is enough for some");
    assert_eq!(asked, titles(&first)[..asked.len()]);
    the_books_agree(&radar, &poor);
}

/// Nothing tells the stories apart but their words, and the judge finds one subject worth reading.
#[test]
fn what_the_judge_found_worth_reading_is_asked_about_first() {
    let subject = |number: usize| if number.is_multiple_of(2) { "orchestra symphony" } else { "bond market" };
    let posts: Vec<Post> = (0..24)
        .map(|number| {
            let about = subject(number);
            let title = format!("{} {about} {}", unlike_any_other(&format!("{number}"), 3), number);
            let text = format!("{} {about} {about}", unlike_any_other(&format!("text {number}"), 40));
            Post::new(&format!("{number}"), &title, &text, "2026-11-18T06:00:00Z")
        })
        .collect();
    let asked = |calls: &str| -> Vec<bool> {
        let model = OpenAi::start();
        model.score("orchestra", 90);
        model.score("bond", 10);
        let radar = with(&model)
            .with("AHA_TRIAGE_BATCH_SIZE", "1")
            .with("AHA_LLM_CONCURRENCY", "2")
            .with("OPENAI_TRIAGE_MAX_CALLS_PER_RUN", calls);
        std::fs::write(radar.folder().join("posts.json"), feed("Posts", &posts)).unwrap();
        radar.ok(&["source", "add", "./posts.json"]);
        radar.run(&["run", "--window", WINDOW]);
        let calls = of_schema(&model, "triage_v1");
        calls.iter().flat_map(|call| call.stories().unwrap()).map(|story| story.title.contains("orchestra")).collect()
    };
    let few = asked("12");
    assert_eq!(few.len(), 12);
    let worth = few[4..].iter().filter(|is_worth| **is_worth).count();
    assert!(worth >= 7, "of the eight after the first round: {few:?}");
    assert_eq!(asked("24").len(), 24, "where all may be asked about");
}

#[test]
fn a_cap_on_calls_is_kept() {
    let model = OpenAi::start();
    let radar = with(&model).with("OPENAI_TRIAGE_MAX_CALLS_PER_RUN", "2");
    run(&radar, WINDOW).exits(3).says("OPENAI_TRIAGE_MAX_CALLS_PER_RUN").says("67 stories");
    assert_eq!(of_schema(&model, "triage_v1").len(), 2);
    run(&radar, WINDOW).exits(3);
    assert_eq!(of_schema(&model, "triage_v1").len(), 4, "a new pass may make as many again");
}

/// It is no budget: what is judged is summarised, whatever the policy.
#[test]
fn a_cap_on_the_calls_of_one_task_ends_no_other() {
    let model = OpenAi::start();
    let radar = with(&model)
        .with("OPENAI_TRIAGE_MAX_CALLS_PER_RUN", "2")
        .with("AHA_TRIAGE_BATCH_SIZE", "3")
        .with("AHA_BUDGET_POLICY", "stop");
    run(&radar, WINDOW).exits(3);
    assert_eq!(of_schema(&model, "triage_v1").len(), 2);
    let digest = radar.digest();
    assert!(digest["cost"].get("budget_exhausted").is_none(), "{}", digest["cost"]);
    assert!(digest["cost"]["calls_used_up"].to_string().contains("OPENAI_TRIAGE_MAX_CALLS_PER_RUN"));
    let states = |state: &str| stories(&digest).iter().filter(|story| story["state"] == state).count();
    assert!((1..=6).contains(&states("judged")));
    assert!(states("skipped_budget") > 0);
    assert!(!of_schema(&model, "deep_summary_v1").is_empty(), "summaries go on");
    the_books_agree(&radar, &model);
}

/// Twelve stories with the score that the judge gives them, and a model for entities.
fn with_entities(model: &OpenAi, score: u8) -> Radar {
    let posts: Vec<Post> =
        (0..12).map(|number| Post::about_nothing_else(&format!("{number}"), "2026-11-18T06:00:00Z")).collect();
    for post in &posts {
        model.score(&post.title, score);
    }
    let radar = with(model).with("OPENAI_ENTITY_EXTRACT_MODEL", "namer").with("AHA_LLM_CONCURRENCY", "1");
    std::fs::write(radar.folder().join("posts.json"), feed("Posts", &posts)).unwrap();
    radar.ok(&["source", "add", "./posts.json"]);
    radar
}

/// The calls reserve so much that the last of them do not fit although most of the cap is unspent.
#[test]
fn no_entities_are_paid_for_once_stories_are_not_judged_for_want_of_budget() {
    const CAP: i64 = 30_000;
    for policy in ["warn", "fallback_low", "stop"] {
        let model = OpenAi::start();
        let radar = with_entities(&model, 50)
            .with("AHA_TRIAGE_BATCH_SIZE", "1")
            .with("OPENAI_TRIAGE_MAX_OUTPUT_TOKENS", "5000")
            .with("AHA_BUDGET_RUN_CREDITS", &format!("0.{CAP:06}"))
            .with("AHA_BUDGET_POLICY", policy);
        radar.run(&["run", "--window", WINDOW]).exits(4);
        let digest = radar.digest();
        let states = |state: &str| stories(&digest).iter().filter(|story| story["state"] == state).count();
        assert!(states("judged") > 0 && states("skipped_budget") > 0, "{policy}: {digest:#}");
        let why = digest["cost"]["budget_exhausted"].to_string();
        assert!(why.contains("credits are left of the run's budget"), "{policy}: {why}");
        assert!(spent(&radar) * 10 < CAP * 8, "{policy}: {}", spent(&radar));
        assert!(of_schema(&model, "entities_v1").is_empty(), "{policy}");
        the_books_agree(&radar, &model);
    }
}

#[test]
fn no_entities_are_paid_for_of_a_story_that_is_not_judged() {
    let model = OpenAi::start();
    let radar =
        with_entities(&model, 90).with("AHA_TRIAGE_BATCH_SIZE", "2").with("OPENAI_TRIAGE_MAX_CALLS_PER_RUN", "1");
    radar.run(&["run", "--window", WINDOW]).exits(3);
    let digest = radar.digest();
    let judged = stories(&digest).iter().filter(|story| story["section"] == "top" && story["state"] == "judged");
    let judged = judged.count();
    assert!(judged > 0, "{digest:#}");
    assert_eq!(of_schema(&model, "entities_v1").len(), judged);
    the_books_agree(&radar, &model);
}

/// Running a window again is the same run, under the same cap.
#[test]
fn the_cap_of_a_run_holds_for_all_its_passes() {
    let model = OpenAi::start();
    let radar = with(&model);
    run(&radar, WINDOW).exits(0);
    let cap = spent(&radar) / 2;
    let second = OpenAi::start();
    let mut radar = with(&second).with("AHA_BUDGET_RUN_CREDITS", &format!("0.{cap:06}"));
    for _ in 0..3 {
        run(&radar, WINDOW).exits(4).says("AHA_BUDGET_RUN_CREDITS");
        assert!(spent(&radar) <= cap, "{} of {cap}", spent(&radar));
    }
    radar.run(&["run", "--window", WINDOW, "--rejudge"]).exits(4);
    assert!(spent(&radar) <= cap, "{} of {cap}", spent(&radar));
    radar.set("AHA_BUDGET_RUN_CREDITS", "1000");
    run(&radar, WINDOW).exits(0);
    the_books_agree(&radar, &second);
}

#[test]
fn near_the_cap_the_low_tier_is_asked_when_the_owner_wants_that() {
    // Small calls: what one may cost at most has to fit into the last fifth of the cap.
    let model = OpenAi::start();
    let radar = with(&model).with("AHA_TRIAGE_BATCH_SIZE", "2");
    run(&radar, WINDOW).exits(0);
    let judging = rows::number(&radar, "SELECT sum(cost_microcredits) FROM provider_calls WHERE purpose = 'triage'");
    let cap = judging * 3 / 4;
    let second = OpenAi::start();
    let mut radar = with(&second)
        .with("AHA_BUDGET_POLICY", "fallback_low")
        .with("AHA_TRIAGE_BATCH_SIZE", "2")
        .with("OPENAI_TRIAGE_MODEL_LOW", "small")
        .with("AHA_LLM_CONCURRENCY", "1")
        .with("AHA_BUDGET_RUN_CREDITS", &format!("0.{cap:06}"));
    run(&radar, WINDOW);
    let models: Vec<String> = of_schema(&second, "triage_v1").iter().map(|call| call.model().to_owned()).collect();
    assert_eq!(models.first().map(String::as_str), Some(MODEL));
    let small = models.iter().filter(|model| *model == "small").count();
    assert!(small > 0, "{models:?}");
    for call in of_schema(&second, "triage_v1") {
        let tier = if call.model() == "small" { "Budget tier: low" } else { "Budget tier: normal" };
        assert!(call.prompt().contains(tier), "{}", call.prompt());
    }
    let degraded = "SELECT count(*) FROM provider_calls WHERE degraded_from = 'normal' AND model = 'small'";
    assert_eq!(rows::number(&radar, degraded), i64::try_from(small).unwrap());
    assert!(spent(&radar) <= cap);
    let titles = || -> Vec<String> {
        of_schema(&second, "triage_v1").iter().flat_map(|c| c.stories().unwrap()).map(|story| story.title).collect()
    };
    let asked = titles();
    radar.set("AHA_BUDGET_RUN_CREDITS", "1000");
    run(&radar, WINDOW);
    assert!(titles().len() > asked.len(), "the rest is asked about under a higher cap");
    let again = titles().split_off(asked.len());
    assert!(again.iter().all(|title| !asked.contains(title)), "answers of the degraded run are used again: {again:?}");
    the_books_agree(&radar, &second);
}

#[test]
fn a_cap_without_a_price_is_an_error_of_configuration() {
    let radar =
        Radar::at(NOW).with("OPENAI_API_KEY", KEY).with("OPENAI_MODEL", MODEL).with("AHA_BUDGET_DAILY_CREDITS", "1");
    run(&radar, WINDOW).exits(2).says("OPENAI_CREDITS_PER_1K_INPUT_TOKENS");
}
