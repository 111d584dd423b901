//! What a budget or a limit leaves of vectors.

use super::*;

#[test]
fn without_a_budget_words_alone_serve() {
    let model = OpenAi::start();
    let radar = with(&model).with("AHA_BUDGET_RUN_CREDITS", "0.000001");
    run(&radar, WINDOW).exits(4).says("AHA_BUDGET_RUN_CREDITS");
    assert_eq!((model.calls().len(), dense(&radar)), (0, 0));
    assert_eq!(stories(&radar), by_words(Engine::Sqlite));
    assert!(radar.digest()["cost"]["words_alone"].as_str().unwrap().contains("run's budget"));
}

/// Vectors that no budget reaches for are the last that is asked for where the policy says so.
#[test]
fn the_policy_stop_holds_for_vectors() {
    for (policy, judged) in [("warn", true), ("stop", false)] {
        let model = OpenAi::start();
        let radar = model
            .serve_vectors(model.serve(Radar::at(NOW)))
            .with("OPENAI_EMBED_CREDITS_PER_1K_INPUT_TOKENS", "10000")
            .with("AHA_BUDGET_RUN_CREDITS", "100")
            .with("AHA_BUDGET_POLICY", policy);
        std::fs::write(radar.folder().join("one.json"), feed("One", &[post(1, "2026-11-19T05:00:00Z")])).unwrap();
        radar.add(&["one.json"]);
        radar.run(&["run"]).exits(4).says("AHA_BUDGET_RUN_CREDITS");
        assert_eq!(!model.calls().is_empty(), judged, "{policy}");
        assert!(!model.calls().iter().any(Call::is_embedding), "{policy}");
    }
}

#[test]
fn a_run_has_no_more_vectors_made_than_it_may() {
    let model = OpenAi::start();
    let radar = with(&model).with("OPENAI_EMBED_MAX_ITEMS_PER_RUN", "20").with("OPENAI_EMBED_MAX_INPUT_CHARS", "50");
    run(&radar, WINDOW).exits(0);
    let asked = texts(&model);
    assert_eq!(asked.len(), 20);
    assert!(asked.iter().all(|text| text.chars().count() <= 50));
    let newest = "SELECT i.title FROM content_items i JOIN embeddings e ON e.item_id = i.id WHERE e.dimensions = 64
                  ORDER BY i.item_time LIMIT 1";
    let oldest_asked = rows::query(&radar, newest);
    let others =
        "SELECT count(*) FROM content_items i WHERE i.item_time > (SELECT min(o.item_time) FROM content_items o
                  JOIN embeddings e ON e.item_id = o.id WHERE e.dimensions = 64)
                  AND NOT EXISTS (SELECT 1 FROM embeddings e WHERE e.item_id = i.id AND e.dimensions = 64)";
    assert_eq!(rows::number(&radar, others), 0, "the newest: {oldest_asked:?}");
    run(&radar, WINDOW).exits(0);
    assert_eq!(texts(&model).len(), 20, "all have their story");
}

/// The limit is one of each pass, as that of calls is.
#[test]
fn a_window_run_again_has_its_new_items_embedded() {
    let model = OpenAi::start();
    let mut radar = with(&model).with("OPENAI_EMBED_MAX_ITEMS_PER_RUN", "2");
    let write = |radar: &Radar, numbers: std::ops::RangeInclusive<usize>| {
        let posts: Vec<Post> = numbers.map(|n| post(n, "2026-11-18T05:00:00Z")).collect();
        std::fs::write(radar.folder().join("feed.json"), feed("The Feed", &posts)).unwrap();
    };
    write(&radar, 1..=2);
    radar.add(&["feed.json"]);
    radar.ok(&["run", "--window", "2026-11-18"]);
    write(&radar, 1..=5);
    radar.set("AHA_NOW", "2026-11-20T09:00:00Z");
    radar.ok(&["run", "--window", "2026-11-18"]);
    assert_eq!(texts(&model).len(), 4);
}

/// The pass of a window that is run again has a limit of its own, whatever the number of tries of its calls.
#[test]
fn a_pass_that_is_killed_and_continued_keeps_its_limit() {
    let model = OpenAi::start();
    let mut radar = with(&model)
        .with("OPENAI_EMBED_MAX_ITEMS_PER_RUN", "4")
        .with("OPENAI_EMBED_BATCH_SIZE", "2")
        .with("AHA_LLM_CONCURRENCY", "1");
    let write = |radar: &Radar, count: usize| {
        let posts: Vec<Post> = (1..=count).map(|n| post(n, "2026-11-18T05:00:00Z")).collect();
        std::fs::write(radar.folder().join("feed.json"), feed("The Feed", &posts)).unwrap();
    };
    write(&radar, 2);
    radar.add(&["feed.json"]);
    radar.ok(&["run", "--window", "2026-11-18"]);
    write(&radar, 12);
    radar.set("AHA_NOW", "2026-11-20T09:00:00Z");
    let mut command = radar.command(&["run", "--window", "2026-11-18"]);
    let killed = Ran::from(command.env("AHA_FAILPOINT", "settle_call.after_commit:1").output().unwrap());
    assert!(killed.signal.is_some(), "{killed:#?}");
    radar.ok(&["run", "--window", "2026-11-18"]);
    assert_eq!(dense(&radar), 2 + 4);
}
