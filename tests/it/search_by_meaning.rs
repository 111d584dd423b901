//! Searching by meaning with a provider's model: when it is asked for the vector of a query, what that costs, and what is
//! found without it.

use std::time::Duration;

use serde_json::Value;

use crate::judged::{NOW, spent, the_books_agree};
use crate::kill::on_both_databases;
use crate::support::feeds::{Post, feed};
use crate::support::radar::{Engine, Radar};
use crate::support::responses::{Call, Fault, OpenAi, When};
use crate::support::rows;
use crate::support::site::Site;

/// No item has all of its words; two have one of them.
const QUERY: &str = "ferry harbour mishap";

/// A database with two items about a ferry and twelve others, after a run.
fn with_items(model: &OpenAi, engine: Engine) -> Radar {
    let radar = model.serve_vectors(Radar::at(NOW)).on(engine);
    let at = "2026-11-19T05:00:00Z";
    let mut posts: Vec<Post> = (1..=12).map(|n| Post::about_nothing_else(&format!("post {n}"), at)).collect();
    posts.push(Post::new("a", "ferry stranded", "", at));
    posts.push(Post::new("b", "harbour vessel aground", "", at));
    std::fs::write(radar.folder().join("feed.json"), feed("The Feed", &posts)).unwrap();
    radar.add(&["feed.json"]);
    radar.ok(&["run"]);
    radar
}

/// The texts of all embedding calls with one text: items are sent several in a call.
fn queries(model: &OpenAi) -> Vec<String> {
    let inputs = model.calls().into_iter().filter(Call::is_embedding).map(|call| call.body["input"].clone());
    let single = inputs.filter(|input| input.as_array().is_none_or(|texts| texts.len() == 1));
    single.map(|input| input[0].as_str().or(input.as_str()).unwrap().to_owned()).collect()
}

fn titles(found: &Value) -> Vec<&str> {
    found["results"].as_array().unwrap().iter().map(|result| result["title"].as_str().unwrap()).collect()
}

fn path(by: &str) -> String {
    format!("/api/v1/search?by={by}&q={}", QUERY.replace(' ', "+"))
}

fn a_query_is_embedded_once_and_paid_for_like_any_call(engine: Engine) {
    let model = OpenAi::start();
    let mut radar = with_items(&model, engine);
    let (calls, cost) = (model.calls().len(), spent(&radar));
    let site = Site::start(&mut radar);
    assert!(titles(&site.get(&path("words")).json()).is_empty());
    assert_eq!(model.calls().len(), calls, "words are compared without a model");
    for by in ["both", "meaning", "both"] {
        let found = site.get(&path(by)).json();
        let mut nearest = titles(&found);
        nearest.truncate(2);
        nearest.sort_unstable();
        assert_eq!(nearest, ["ferry stranded", "harbour vessel aground"], "{by}: {found}");
        assert_eq!(found["by_words_alone"], Value::Null);
    }
    assert_eq!(queries(&model), [QUERY]);
    assert!(spent(&radar) > cost);
    let row = "SELECT purpose || ' ' || prompt_id || ' ' || state FROM provider_calls WHERE run_id IS NULL";
    assert_eq!(rows::query(&radar, row), ["embed text_v1 ok"]);
    let vectors = "SELECT count(*) FROM embeddings WHERE dimensions IS NOT NULL";
    assert_eq!(rows::number(&radar, vectors), 14, "that of the query is not stored");
    the_books_agree(&radar, &model);
}

on_both_databases!(a_query_is_embedded_once_and_paid_for_like_any_call);

#[test]
fn what_a_model_refuses_is_found_by_words_with_a_note() {
    let model = OpenAi::start();
    let mut radar = with_items(&model, Engine::Sqlite);
    model.fault(When::always().schema("embeddings"), Fault::Status(400));
    let site = Site::start(&mut radar);
    let found = site.get("/api/v1/search?q=ferry").json();
    assert_eq!(titles(&found), ["ferry stranded"]);
    let note = found["by_words_alone"].as_str().unwrap();
    assert!(note.starts_with("found by words alone: openai/text-embedding-mock: "), "{note}");
    assert!(site.get("/search?q=ferry").body.contains("Found by words alone"));
    let refused = site.get("/api/v1/search?q=ferry&by=meaning");
    assert!(refused.status == 502 && refused.body.contains("text-embedding-mock"), "{refused:?}");
    the_books_agree(&radar, &model);
}

#[test]
fn a_budget_that_is_used_up_leaves_words() {
    let model = OpenAi::start();
    let radar = with_items(&model, Engine::Sqlite);
    let calls = model.calls().len();
    let radar = radar.with("AHA_BUDGET_MONTHLY_CREDITS", "0.000001");
    let found =
        radar.run(&["search", "ferry"]).exits(0).says("found by words alone").says("AHA_BUDGET_MONTHLY_CREDITS");
    assert!(found.stdout.contains("ferry stranded"), "{found:?}");
    radar.run(&["search", "ferry", "--by", "meaning"]).exits(4).says("AHA_BUDGET_MONTHLY_CREDITS");
    assert_eq!(model.calls().len(), calls);
}

/// A search is a GET request, which any page can have a browser make.
#[test]
fn another_site_s_page_and_a_prefetch_ask_no_model() {
    let model = OpenAi::start();
    let mut radar = with_items(&model, Engine::Sqlite);
    let site = Site::start(&mut radar);
    let calls = model.calls().len();
    for header in [("sec-fetch-site", "cross-site"), ("sec-purpose", "prefetch")] {
        for path in ["/search?q=ferry", "/api/v1/search?q=ferry&by=meaning"] {
            assert_eq!(site.send("GET", path, &[header], "").status, 200, "{path}");
        }
    }
    assert_eq!(model.calls().len(), calls);
    site.send("GET", "/search?q=ferry", &[("sec-fetch-site", "same-origin")], "");
    assert_eq!(model.calls().len(), calls + 1);
}

/// A refused query says nothing about whether the model makes vectors of items.
#[test]
fn a_refused_query_leaves_the_vectors_of_runs() {
    let model = OpenAi::start();
    let mut radar = with_items(&model, Engine::Sqlite);
    model.fault(When::always().schema("embeddings").first(1), Fault::Status(400));
    radar.run(&["search", "ferry"]).exits(0).says("found by words alone");
    assert!(!radar.run(&["doctor"]).stdout.contains("refused the last call"));
    let posts = [Post::new("c", "a ferry is late", "", "2026-11-20T05:00:00Z")];
    std::fs::write(radar.folder().join("feed.json"), feed("The Feed", &posts)).unwrap();
    radar.set("AHA_NOW", "2026-11-20T07:00:00Z");
    radar.ok(&["run"]);
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM embeddings WHERE dimensions IS NOT NULL"), 15);
}

/// A command waits for a call that it no longer needs, so that its cost is known.
#[test]
fn a_late_vector_is_paid_for_once_and_known() {
    let model = OpenAi::start();
    let radar = with_items(&model, Engine::Sqlite);
    model.fault(When::always().schema("embeddings"), Fault::Late(Duration::from_secs(7)));
    let found = radar.run(&["search", "ferry"]).exits(0).says("has not answered within 5 s");
    assert!(found.stdout.contains("ferry stranded") && found.stderr.contains("the model is late"), "{found:?}");
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM provider_calls WHERE state = 'reserved'"), 0);
    the_books_agree(&radar, &model);
}

#[test]
fn nothing_is_asked_where_no_item_has_a_vector_of_the_model() {
    let model = OpenAi::start();
    let radar = model.serve_vectors(Radar::at(NOW)).with("OPENAI_EMBED_MAX_ITEMS_PER_RUN", "0");
    let posts = [Post::new("a", "ferry stranded", "", "2026-11-19T05:00:00Z")];
    std::fs::write(radar.folder().join("feed.json"), feed("The Feed", &posts)).unwrap();
    radar.add(&["feed.json"]);
    radar.ok(&["run"]);
    let radar = radar.with("OPENAI_EMBED_MAX_ITEMS_PER_RUN", "100");
    assert!(radar.ok(&["search", "ferry"]).contains("ferry stranded"));
    radar.run(&["search", "ferry", "--by", "meaning"]).exits(2).says("no item has one of this model");
    assert!(model.calls().is_empty());
    let none = Radar::at(NOW);
    none.ok(&["init"]);
    none.run(&["search", "ferry", "--by", "meaning"]).exits(2).says("AHA_EMBED_MODEL_DIR");
}
