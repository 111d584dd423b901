//! What calls cost, as their owner sees and corrects it: `calls`, `spend`, `spend adjust`, and what `doctor` says of
//! models.

use serde_json::Value;

use crate::support::feeds::{Post, feed};
use crate::support::radar::{Radar, finish};
use crate::support::responses::{Fault, KEY, MODEL, OpenAi, Reported, When};
use crate::support::rows;
use crate::support::site::Site;

const NOW: &str = "2026-11-16T12:00:00Z";
const FAILED: i32 = 1;
const USAGE: i32 = 2;

/// With a feed of three stories, nothing asked yet.
fn with_stories(radar: Radar) -> Radar {
    let posts: Vec<Post> =
        (1..=3).map(|n| Post::about_nothing_else(&format!("post {n}"), "2026-11-16T05:00:00Z")).collect();
    std::fs::write(radar.folder().join("feed.json"), feed("The Feed", &posts)).unwrap();
    radar.add(&["feed.json"]);
    radar
}

/// After a run whose only calls were three of triage, one of them unsettled. Deep summaries are not asked for.
fn with_an_unsettled_call(api: &OpenAi) -> Radar {
    let radar = api.serve(with_stories(Radar::at(NOW).with("AHA_TRIAGE_BATCH_SIZE", "1")));
    for n in 1..=3 {
        api.score(&Post::about_nothing_else(&format!("post {n}"), NOW).title, 20);
    }
    api.fault(When::call(2), Fault::Usage(Reported::Missing));
    radar.ok(&["run"]);
    radar
}

fn calls(radar: &Radar, arguments: &[&str]) -> Vec<Value> {
    radar.json(&[&["calls", "--json"], arguments].concat()).as_array().unwrap().clone()
}

fn day(radar: &Radar) -> i64 {
    rows::number(radar, "SELECT settled_microcredits FROM budget_counters WHERE counter = 'day:2026-11-16'")
}

#[test]
fn calls_are_listed_with_what_they_cost() {
    let api = OpenAi::start();
    let radar = with_an_unsettled_call(&api);
    let all = calls(&radar, &[]);
    assert_eq!(all.len(), 3, "{all:#?}");
    let unsettled = calls(&radar, &["--state", "unsettled"]);
    let [call] = &unsettled[..] else { panic!("{unsettled:#?}") };
    assert_eq!(call["started_at"], NOW);
    assert_eq!((&call["cost_microcredits"], &call["purpose"]), (&Value::Null, &"triage".into()));
    let text = radar.ok(&["calls"]);
    let reserved = call["reserved_microcredits"].as_i64().unwrap();
    assert!(text.contains(format!("(0.{reserved:06}").trim_end_matches('0')), "{text}");
    assert!(text.contains(&format!("openai/{MODEL}")) && text.contains(&call["id"].as_str().unwrap()[..8]), "{text}");
    assert_eq!(calls(&radar, &["--state", "ok"]).len(), 2);
    assert_eq!(calls(&radar, &["--limit", "1"]).len(), 1);
    assert_eq!(calls(&radar, &["--purpose", "deep_summary"]), Vec::<Value>::new());
    let digest = radar.digest();
    for id in [&digest["digest"]["id"], &digest["digest"]["run_id"]] {
        assert_eq!(calls(&radar, &["--run", id.as_str().unwrap()]).len(), 3);
    }
    assert_eq!(calls(&radar, &["--run", call["id"].as_str().unwrap()]).len(), 0);
    radar.run(&["calls", "--run", "first"]).exits(USAGE).says("aha-radar runs");
    radar.run(&["calls", "--state", "lost"]).exits(USAGE).says("unsettled");
}

#[test]
fn what_a_provider_says_steers_no_terminal() {
    let api = OpenAi::start();
    let radar = with_an_unsettled_call(&api);
    let stored =
        "UPDATE provider_calls SET error = 'a' || char(27) || '[2Jb' || char(10) || 'c', model = char(155) || 'm'";
    rows::execute(&radar, stored);
    for command in [&["calls"][..], &["spend", "--by", "model"]] {
        let text = radar.ok(command);
        assert!(!text.contains(['\u{1b}', '\u{9b}']), "{text:?}");
    }
    assert!(radar.ok(&["calls"]).contains("ab c"));
}

#[test]
fn spend_adds_up_to_what_the_ledger_says() {
    let api = OpenAi::start();
    let radar = with_an_unsettled_call(&api).with("AHA_BUDGET_DAILY_CREDITS", "0.01");
    let charged =
        rows::number(&radar, "SELECT sum(coalesce(cost_microcredits, reserved_microcredits)) FROM provider_calls");
    let aside = rows::number(&radar, "SELECT sum(reserved_microcredits) FROM provider_calls WHERE state = 'unsettled'");
    assert_eq!(day(&radar), charged);
    for (by, key) in [("day", "2026-11-16"), ("purpose", "triage"), ("model", "openai/gpt-mock"), ("topic", "default")]
    {
        let spent = radar.json(&["spend", "--by", by, "--json"]);
        let [row] = &spent["rows"].as_array().unwrap()[..] else { panic!("{spent:#}") };
        assert_eq!(row["key"], key, "{spent:#}");
        assert_eq!((&row["calls"], &row["unsettled"]), (&3.into(), &1.into()), "{spent:#}");
        assert_eq!(row["microcredits"], charged);
        assert_eq!(row["reserved_microcredits"], aside);
        assert_eq!(spent["budget"]["day"]["used_microcredits"], charged);
        assert_eq!(spent["budget"]["month_projected_microcredits"], charged * 30 * 24 / (15 * 24 + 12));
        assert_eq!(spent["budget"]["day"]["cap_microcredits"], 10_000);
    }
    let text = radar.ok(&["spend"]);
    for part in
        ["2026-11-16", "█", "are only set aside", "of 0.01 credits", "AHA_BUDGET_MONTHLY_CREDITS", "at this pace"]
    {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
}

#[test]
fn a_budget_that_comes_to_its_end_raises_an_alert() {
    let api = OpenAi::start();
    let mut radar = with_an_unsettled_call(&api);
    let used = day(&radar);
    let cap = |share: i64| format!("0.{:06}", used * 100 / share);
    for (share, said) in [(70, None), (81, Some("over 80 %")), (96, Some("over 95 %"))] {
        radar.set("AHA_BUDGET_DAILY_CREDITS", &cap(share));
        let alerts = radar.json(&["spend", "--json"])["alerts"].to_string();
        assert_eq!(alerts.contains("over "), said.is_some(), "{share}: {alerts}");
        if let Some(said) = said {
            assert!(alerts.contains(said), "{alerts}");
            radar.run(&["doctor"]).exits(0).says(said);
        }
    }
    radar.set("AHA_BUDGET_MONTHLY_CREDITS", &format!("0.{:06}", used * 3 / 2));
    radar.run(&["spend"]).exits(0).says("do not reach to its end");
}

#[test]
fn a_run_says_when_it_comes_near_to_a_cap() {
    let api = OpenAi::start();
    let mut radar = api.serve(with_stories(Radar::at(NOW)));
    for n in 1..=3 {
        api.score(&Post::about_nothing_else(&format!("post {n}"), NOW).title, 20);
    }
    let run = ["run", "--window", "2026-11-16T00:00:00Z..2026-11-16T12:00:00Z"];
    radar.ok(&run);
    let used = day(&radar);
    for (share, is_near) in [(70, false), (81, true), (96, true)] {
        // All is paid for already.
        radar.set("AHA_BUDGET_DAILY_CREDITS", &format!("0.{:06}", used * 100 / share));
        let ran = radar.run(&run).exits(0);
        for text in [&ran.stdout, &ran.stderr] {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(text.contains(&format!("{share} % of the daily budget of")), is_near, "{share}: {text}");
        }
        assert_eq!(radar.digest()["cost"]["near_cap"].is_string(), is_near, "{share}");
    }
}

#[test]
fn an_adjustment_moves_the_budget_and_keeps_its_reason() {
    let api = OpenAi::start();
    let radar = with_an_unsettled_call(&api);
    let before = day(&radar);
    let call = calls(&radar, &["--state", "unsettled"])[0].clone();
    let (id, reserved) = (call["id"].as_str().unwrap(), call["reserved_microcredits"].as_i64().unwrap());
    let ran = radar.run(&["spend", "adjust", &id[..8], "0.000321", "--reason", "the bill"]).exits(0);
    ran.says("→ 0.000321 credits, error").says("unsettled");
    assert_eq!(day(&radar), before - reserved + 321);
    assert_eq!(calls(&radar, &["--state", "unsettled"]).len(), 0);
    let kept = "SELECT reason || ' ' || from_microcredits || ' ' || to_microcredits FROM budget_adjustments";
    assert_eq!(rows::query(&radar, kept), [format!("the bill {reserved} 321")]);
    let again = radar.json(&["spend", "adjust", id, "0", "--reason", "a gift", "--json"]);
    assert_eq!((&again["before"]["cost_microcredits"], &again["after"]["cost_microcredits"]), (&321.into(), &0.into()));
    assert_eq!(day(&radar), before - reserved);
}

/// Of a run that was killed, and of one that gave up waiting for them and released its topic.
#[test]
fn calls_of_a_run_that_ended_are_unsettled_at_once_and_can_be_corrected() {
    for released in [false, true] {
        let api = OpenAi::start();
        api.fault(When::always(), Fault::StallBeforeFirstByte);
        let radar = api.serve(with_stories(Radar::at(NOW)));
        let mut run = radar.start(&["run"]);
        rows::wait_for(&radar, "SELECT count(*) FROM provider_calls WHERE state = 'reserved'");
        assert_eq!(calls(&radar, &["--state", "unsettled"]).len(), 0, "it is still under way");
        run.kill().unwrap();
        finish(run);
        if released {
            rows::execute(&radar, "UPDATE topics SET lease_holder = NULL, lease_expires_at = NULL");
        } else {
            assert_eq!(calls(&radar, &["--state", "reserved"]).len(), 0);
        }
        let open = calls(&radar, &["--state", "unsettled"]);
        assert_eq!(open[0]["error_kind"], "interrupted", "{open:#?}");
        let id = open[0]["id"].as_str().unwrap();
        radar.ok(&["spend", "adjust", id, "0.000321", "--reason", "the bill"]);
    }
}

#[test]
fn an_unsettled_call_is_put_right_on_the_page_of_spending() {
    let api = OpenAi::start();
    let mut radar = with_an_unsettled_call(&api);
    let id = calls(&radar, &["--state", "unsettled"])[0]["id"].as_str().unwrap().to_owned();
    let site = Site::start(&mut radar);
    let page = site.get("/spend?by=purpose");
    assert!(page.body.contains(&id) && page.body.contains("triage"), "{}", page.body);
    let adjust =
        |credits: &str| site.post_form("/spend/adjust", &page, &format!("call={id}&credits={credits}&reason=the+bill"));
    let wrong = adjust("much");
    assert!(wrong.status == 422 && wrong.body.contains("at most six decimals"), "{}", wrong.body);
    assert_eq!(adjust("0.000321").status, 303);
    assert!(!site.get("/spend").body.contains(&id));
    assert_eq!(rows::query(&radar, "SELECT reason FROM budget_adjustments"), ["the bill"]);
}

#[test]
fn an_adjustment_that_cannot_be_is_refused_and_changes_nothing() {
    let api = OpenAi::start();
    let radar = with_an_unsettled_call(&api);
    let id = calls(&radar, &[])[0]["id"].as_str().unwrap().to_owned();
    let before = rows::all(&radar);
    let adjust =
        |id: &str, credits: &str, reason: &str| radar.run(&["spend", "adjust", id, credits, "--reason", reason]);
    adjust(&id, "-1", "x").exits(USAGE).says("from 0");
    adjust(&id, "much", "x").exits(USAGE).says("0.0125");
    adjust(&id, "99999999999", "x").exits(USAGE).says("billion");
    adjust(&id, "1", " ").exits(USAGE).says("--reason");
    adjust("00000000", "1", "x").exits(USAGE).says("no call begins with 00000000");
    adjust("a", "1", "x").exits(USAGE).says("aha-radar calls");
    adjust("%%%%", "1", "x").exits(USAGE).says("aha-radar calls");
    assert_eq!(rows::all(&radar), before);
    rows::execute(&radar, "UPDATE provider_calls SET state = 'reserved', error_kind = NULL, cost_microcredits = NULL");
    rows::hold_elsewhere(&radar);
    adjust(&id, "1", "x").exits(FAILED).says("still under way");
    let alike = "INSERT INTO provider_calls (id, purpose, provider, model, prompt_id, attempt, state, started_at)
        SELECT substr(id, 1, 35) || '~', purpose, provider, model, prompt_id, attempt, 'reserved', started_at FROM provider_calls";
    rows::execute(&radar, alike);
    adjust(&id[..8], "1", "x").exits(USAGE).says("several calls begin with");
}

#[test]
fn what_only_local_answered_cost_nothing_and_this_is_said() {
    let radar = with_stories(Radar::at(NOW));
    radar.run(&["spend"]).exits(0).says("no call in the last 30 days");
    radar.ok(&["run"]);
    radar.run(&["spend"]).exits(0).says("Nothing was spent").says("`local`");
    let report = radar.json(&["spend", "--json"]);
    assert_eq!(report["total"]["microcredits"], 0);
    assert_eq!(report["alerts"], serde_json::json!([]));
}

#[test]
fn calls_without_a_price_are_counted() {
    let api = OpenAi::start();
    let mut radar = api.serve(with_stories(Radar::at(NOW)));
    radar.set("OPENAI_CREDITS_PER_1K_INPUT_TOKENS", "");
    let said = "no price set: the spend is unknown (a price is both, OPENAI_CREDITS_PER_1K_INPUT_TOKENS and";
    radar.run(&["doctor"]).exits(0).says(said);
    let printed = radar.ok(&["run"]);
    let report = radar.json(&["spend", "--json"]);
    assert_eq!(report["total"]["unpriced"], report["total"]["calls"], "{report:#}");
    assert!(printed.contains("cost: unknown ("), "{printed}");
    assert_eq!(radar.digest()["cost"]["unpriced_calls"], report["total"]["calls"]);
    assert!(report["total"]["calls"].as_i64().unwrap() > 0);
    radar.run(&["spend"]).exits(0).says("without a known price");
}

#[test]
fn doctor_tells_who_is_asked_and_never_the_key() {
    let api = OpenAi::start();
    let radar = with_an_unsettled_call(&api)
        .with("OPENAI_TRIAGE_MODEL_LOW", "gpt-small")
        .with("AHA_BUDGET_MONTHLY_CREDITS", "30")
        .with("AHA_BUDGET_POLICY", "fallback_low");
    let ran = radar.run(&["doctor"]).exits(0);
    let ran = ran
        .says(&format!("{}/v1/responses", api.base()))
        .says("ends in ffee")
        .says("low openai/gpt-small, then gpt-mock");
    let ran = ran.says("0.001 credits for 1,000 tokens in, 0.004 out").says("a month 30 credits").says("fallback_low");
    let ran = ran.says("1 call has an unknown outcome and counts").says("OPENAI_ENTITY_EXTRACT_MODEL turns it on");
    assert!(!format!("{ran:?}").contains(&KEY[..KEY.len() - 5]), "{ran:#?}");
    let short = with_stories(Radar::at(NOW)).with("OPENAI_API_KEY", "short-key").with("OPENAI_MODEL", "m");
    assert!(!short.ok(&["doctor"]).contains("-key"));
}

#[test]
fn a_key_without_a_model_and_prompts_of_ones_own_are_told() {
    let mut radar = with_stories(Radar::at(NOW)).with("OPENAI_API_KEY", KEY);
    radar.run(&["doctor"]).exits(0).says("a key is set and no model");
    let ran = radar.run(&["run"]).exits(0);
    assert_eq!(ran.stderr.matches("a key is set and no model").count(), 1, "{ran:#?}");
    let prompts = radar.folder().join("prompts");
    std::fs::create_dir_all(prompts.join("triage_v1")).unwrap();
    std::fs::write(prompts.join("triage_v1/system.md"), "Be strict.").unwrap();
    radar.set("AHA_PROMPTS", prompts.to_str().unwrap());
    radar.run(&["doctor"]).exits(0).says("triage is asked by your own, triage_v1@");
    std::fs::write(prompts.join("triage_v1/system.md"), "{% nonsense").unwrap();
    radar.run(&["doctor"]).exits(FAILED).says("cannot be used");
}
