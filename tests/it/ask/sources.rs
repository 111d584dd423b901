//! Answers limited to sources, with the source of each sentence.

use serde_json::{Value, json};

use super::{ask, with_documents};
use crate::support::radar::{Engine, Radar};
use crate::support::site::Site;

/// Adds the folders `north` and `south`, in each of which a document states its own price of a night.
fn with_two_sources(engine: Engine) -> Radar {
    let radar = Radar::at("2026-11-19T07:00:00Z").on(engine);
    for (name, price) in [("north", "nine"), ("south", "eleven")] {
        let folder = radar.folder().join("ports").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let text = format!("# Prices (2026)\n\n## Fees\n\nA night at the quay costs {price} euros.\n");
        std::fs::write(folder.join("prices.md"), text).unwrap();
        radar.ok(&["source", "add", folder.to_str().unwrap(), "--type", "documents"]);
    }
    radar
}

#[test]
fn a_question_is_answered_from_the_named_sources_alone() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let radar = with_two_sources(engine);
        let answered = |sources: &[&str]| {
            let arguments = [&["ask", "--json", "What does a night at the quay cost?"][..], sources].concat();
            radar.run(&arguments).exits(0).json()
        };
        for (source, price, other) in [("ports/north", "nine", "eleven"), ("Ports/South", "eleven", "nine")] {
            let answer = answered(&["--source", source]);
            let text = answer["answer"].as_str().unwrap();
            assert!(text.contains(price) && !text.contains(other), "{engine:?} {answer}");
            for citation in answer["citations"].as_array().unwrap() {
                let side = source.to_lowercase();
                assert_eq!(citation["document"], format!("prices.md ({side})"), "{answer}");
            }
        }
        let both = answered(&["--source", "ports/north", "--source", "ports/south"]);
        let text = both["answer"].as_str().unwrap();
        assert!(text.contains("nine") && text.contains("eleven"), "any of the names applies: {engine:?} {both}");
        let unknown = ["ask", "--source", "ports/north", "--source", "ports/nowhere", "What does a night cost?"];
        radar.run(&unknown).exits(2).says("no source's name or address contains 'ports/nowhere'");
        let refused = ["ask", "--source", "ports/north", "Which orchestra plays in Vienna on Thursday?"];
        radar.run(&refused).exits(1).says("leave out --topic, --source and --since");
    }
}

#[test]
fn the_sources_of_a_question_are_sent_to_the_api_and_with_the_form() {
    let mut radar = with_two_sources(Engine::Sqlite);
    let site = Site::start(&mut radar);
    let question = "What does a night at the quay cost?";
    let send =
        |path: &str, body: &Value| site.send("POST", path, &[("content-type", "application/json")], &body.to_string());
    let south = json!({ "questions": [question], "source": ["nothing", "ports/south"] });
    let failed = send("/api/v1/ask/batch", &south).json();
    assert_eq!(failed["answers"][0]["failure"]["error"], "INVALID_REQUEST", "{failed}");
    let batch = send("/api/v1/ask/batch", &json!({ "questions": [question], "source": ["ports/south"] })).json();
    let answer = &batch["answers"][0]["answer"];
    let sentence = json!({ "text": "A night at the quay costs eleven euros.", "citations": [0] });
    assert_eq!(answer["sentences"][0], sentence, "{batch}");
    assert_eq!(answer["citations"][0]["time"], "2026-01-01T00:00:00Z", "{batch}");
    let stream = send("/api/v1/ask/stream", &json!({ "question": question, "source": ["ports/south"] }));
    assert!(stream.body.contains("eleven euros") && !stream.body.contains("nine euros"), "{}", stream.body);
    for path in ["/ask", "/v1/ask"] {
        let reply = send(path, &json!({ "question": question, "source": ["ports/south"] })).json();
        let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert!(keys(&reply).iter().all(|key| ["answer", "citations", "note"].contains(&key.as_str())), "{reply}");
        let mut keys_of_citation = keys(&reply["citations"][0]);
        keys_of_citation.sort();
        assert_eq!(keys_of_citation, ["document", "relevance_score", "section"], "by the contract: {reply}");
        assert_eq!(send(path, &json!({ "question": question })).json(), reply, "unknown fields have no effect");
    }
    let page = site.get("/ask");
    let fields = [("question", question), ("source", "ports/south"), ("source", "")];
    let form = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
    let body = site.post_form("/ask/answer", &page, &form).body;
    assert!(body.contains("eleven euros.<sup>") && body.contains(">[1]</a></sup>"), "{body}");
    assert!(body.contains("<time datetime=\"2026-01-01T00:00:00Z\">1 Jan 2026</time>"), "{body}");
    assert!(body.contains("name=\"source\" value=\"ports/south\""), "the form keeps what was chosen: {body}");
    let streamed = site.post_form("/ask/stream", &page, &form).body;
    assert!(streamed.contains("eleven euros") && !streamed.contains("nine euros"), "{streamed}");
}

#[test]
fn each_sentence_is_printed_with_the_number_of_its_source() {
    let radar = with_documents(Engine::Sqlite);
    let asked = radar.run(&["ask", "What does a night at the quay cost?"]).exits(0);
    let asked = asked.says("A night at the quay costs nine euros. [1]");
    asked.says("\n  [1] rules-2026.md, \"Mooring Fees\", 2026-03-01\n");
    let answer = ask(&radar, "What does a night at the quay cost?");
    let sentence = &answer["sentences"][0];
    assert!(answer["answer"].as_str().unwrap().starts_with(sentence["text"].as_str().unwrap()), "{answer}");
    let time = &answer["citations"][0]["time"];
    assert_eq!((&sentence["citations"], time), (&json!([0]), &json!("2026-03-01T00:00:00Z")));
}

#[test]
fn a_refusal_suggests_a_search_for_the_words_of_the_question_that_occur() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let radar = with_documents(engine);
        let question = "Which orchestra plays in the harbour in winter?";
        let refused = radar.run(&["ask", question]).exits(1).says("nothing to cite");
        refused.says("to see what has any of its words: aha-radar search 'harbour OR winter'\n");
        radar.run(&["search", "harbour OR winter"]).exits(0).says("*winter*");
        let refused = radar.run(&["ask", "Which orchestra plays in Vienna on Thursday?"]).exits(1);
        assert!(!refused.stderr.contains("aha-radar search"), "{engine:?}: {refused:#?}");
    }
}

#[test]
fn the_page_of_a_refusal_links_to_a_search() {
    let mut radar = with_documents(Engine::Sqlite);
    let question = "Which orchestra plays in the harbour in winter?";
    let query = "harbour OR winter";
    let site = Site::start(&mut radar);
    let page = site.get("/ask");
    assert!(page.body.contains("Without a model it sometimes quotes something only similar"), "{}", page.body);
    let form = url::form_urlencoded::Serializer::new(String::new()).append_pair("question", question).finish();
    let body = site.post_form("/ask/answer", &page, &form).body;
    assert!(body.contains("/search?q=harbour%20OR%20winter\""), "{body}");
    assert!(body.contains(&format!("<bdi>{query}</bdi>")), "{body}");
}

#[test]
fn a_row_of_a_table_is_a_line_of_its_own_on_the_page() {
    let mut radar = with_documents(Engine::Sqlite);
    let site = Site::start(&mut radar);
    let page = site.get("/ask");
    let question = "Which colour has the lamp on the north pier?";
    let form = url::form_urlencoded::Serializer::new(String::new()).append_pair("question", question).finish();
    let body = site.post_form("/ask/answer", &page, &form).body;
    assert!(body.contains("<span class=\"cells\">Lamp: North pier · Colour: green<sup>"), "{body}");
}
