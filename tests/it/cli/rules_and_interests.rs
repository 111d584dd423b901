//! A user's rules and interests, and the terms that a story's score is made of.

use serde_json::Value;

use super::{USAGE, WINDOW, stories, with_examples, with_posts};
use crate::support::feeds::Post;
use crate::support::radar::Radar;
use crate::support::rows;

#[test]
fn muted_words_are_left_out_and_counted() {
    let radar = with_examples();
    radar.ok(&WINDOW);
    let all = radar.digest();
    assert_eq!(all["skipped"]["muted"], 0);
    radar.ok(&[
        "topic",
        "set",
        "default",
        "--mute",
        "word:hearing aids|triptych",
        "--mute",
        "source:^Linkyard$",
        "--mute",
        "author:crewe",
    ]);
    radar.ok(&WINDOW);
    let digest = radar.digest();
    let shown = stories(&digest).iter().map(ToString::to_string).collect::<String>().to_lowercase();
    for word in ["hearing aids", "triptych", "\"name\":\"linkyard\"", "crewe"] {
        assert!(!shown.contains(word), "{word}");
        assert!(all.to_string().to_lowercase().contains(word), "{word} would not have been shown anyway");
    }
    let muted = "SELECT count(*) FROM content_items i JOIN sources s ON s.id = i.source_id
                 WHERE i.item_time >= 1794787200000 AND i.item_time < 1795046400000
                   AND (lower(i.title || ' ' || i.body_text) LIKE '%hearing aids%'
                     OR lower(i.title || ' ' || i.body_text) LIKE '%triptych%'
                     OR s.title = 'Linkyard' OR i.author LIKE '%crewe%')";
    assert_eq!(digest["skipped"]["muted"], rows::number(&radar, muted));
    let skipped: u64 = digest["skipped"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(digest["digest"]["items"], u64::try_from(stories(&digest).len()).unwrap() + skipped);
    assert_eq!(digest["digest"]["items"], all["digest"]["items"]);
    radar.ok(&["topic", "set", "default", "--clear-rules"]);
    radar.ok(&WINDOW);
    assert_eq!(radar.digest(), all);
}

#[test]
fn a_rule_that_finds_no_source_says_so() {
    let radar = with_examples();
    let set = |rule| {
        let ran = radar.run(&["topic", "set", "default", "--mute", rule]);
        assert_eq!(ran.code, Some(0), "{ran:#?}");
        ran.stderr
    };
    assert!(set("source:^Linkyard$").is_empty());
    let notes = set("source:nosuch");
    assert!(notes.contains("mute source:nosuch finds no source of this topic"), "{notes}");
    assert!(!notes.contains("Linkyard"), "{notes}");
    assert!(set("word:horoscope").is_empty(), "the rule that finds none was there before");
}

#[test]
fn a_boost_multiplies_the_final_score() {
    let posts = ["one", "two", "three"].map(|id| Post::about_nothing_else(id, "2026-11-18T05:00:00Z"));
    let radar = with_posts(&posts);
    let score = |radar: &Radar, post: &Post| {
        let digest = radar.digest();
        let story = stories(&digest).iter().find(|story| story["url"] == post.url).unwrap().clone();
        let term = |name: &str| story["score_debug"][name].as_f64().unwrap();
        // Before what it lost for stories of its source that were taken first.
        (term("final_score") + term("diversity"), term("rule_boost"))
    };
    radar.ok(&WINDOW);
    let before = posts.each_ref().map(|post| score(&radar, post).0);
    let word = posts[1].title.split(' ').next().unwrap();
    radar.ok(&["topic", "set", "default", "--boost", &format!("word:{word}")]);
    radar.ok(&WINDOW);
    assert_eq!(posts.each_ref().map(|post| score(&radar, post).1.to_bits()), [1.0, 1.5, 1.0].map(f64::to_bits));
    assert!((score(&radar, &posts[1]).0 - 1.5 * before[1]).abs() < 2e-6);
    assert!((score(&radar, &posts[0]).0 - before[0]).abs() < 2e-6);
    assert_eq!(radar.digest()["stories"][0]["url"], posts[1].url);
    let reason = radar.digest()["stories"][0]["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains('+') && reason.ends_with(&format!(": your rule boosts word:{word}")), "{reason}");
    let told = radar.ok(&["digest"]).to_lowercase();
    assert_eq!((told.matches("your rule boosts").count(), told.matches("boosted by a rule").count()), (1, 0));
}

#[test]
fn interests_can_be_tried_on_what_is_stored() {
    let post = |id: &str, title: &str| Post::new(id, title, "Nothing else.", "2026-11-18T05:00:00Z");
    let posts = [post("1", "Zebrafish regrow their hearts"), post("2", "A ferry sinks"), post("3", "Opera in Skerrow")];
    let radar = with_posts(&posts);
    radar.ok(&WINDOW);
    let said = radar.ok(&["topic", "interests", "--try", "zebrafish, a bit of opera, no ferries"]);
    let line =
        |words: &str| said.lines().find(|line| line.contains(words)).unwrap_or_else(|| panic!("{words}: {said}"));
    assert!(line("wanted less").contains("opera") && line("not wanted").contains("ferries"), "{said}");
    assert!(line("Zebrafish regrow").contains("asked for"), "{said}");
    assert!(said.contains("of 3 items from 2026-") && !said.contains("ferry sinks"), "{said}");
    let welcome = "nothing is asked for; all else is ranked by general worth";
    assert!(!said.contains(welcome), "{said}");
    let excluding = radar.ok(&["topic", "interests", "--try", "Everything except ferries and war"]);
    assert!(excluding.contains(welcome) && !excluding.contains("what you ask for"), "{excluding}");
    assert!(excluding.contains("1 is of what you do not want"), "{excluding}");
    let named = ["topic", "interests", "default", "--try", "zebrafish, a bit of opera, no ferries"];
    assert_eq!(radar.ok(&named), said, "the topic is named as for the other commands");
    let found: Value =
        serde_json::from_str(&radar.ok(&["topic", "interests", "--try", "zebrafish", "--json"])).unwrap();
    assert_eq!((&found["strong"], &found["clauses"][0]["items"]), (&1.into(), &1.into()), "{found}");
}

#[test]
fn interests_are_labelled_and_given_as_the_reason() {
    let radar = with_examples();
    radar.ok(&["topic", "set", "default", "--interests", "hearing aids; spell checkers"]);
    radar.ok(&WINDOW);
    let digest = radar.digest();
    let labelled: Vec<&Value> = stories(&digest).iter().filter(|story| story["label"] == "your_words").collect();
    assert!(!labelled.is_empty());
    for story in &labelled {
        assert!(!story["score_debug"]["evidence"]["matched_interests"].as_array().unwrap().is_empty(), "{story:#}");
    }
    let aids = labelled.iter().find(|story| story["title"].as_str().unwrap().contains("hearing aids")).unwrap();
    assert!(aids["reason"].as_str().unwrap().contains("hearing"), "{aids:#}");
    assert_eq!(aids["triage"]["is_relevant"], true);
    assert_eq!(aids["section"], "top");
    // What is asked for by `topic interests` is what the digest says.
    let found = radar.json(&["topic", "interests", "--json"]);
    let asked = found["best"].as_array().unwrap().iter().filter(|item| item["clauses"] != serde_json::json!([]));
    let asked: Vec<&Value> = asked.map(|item| &item["title"]).collect();
    let titles = |story: &&Value| story["sources"].as_array().unwrap().iter().any(|of| asked.contains(&&of["title"]));
    assert!(labelled.iter().any(titles), "{found:#}");
    for story in stories(&digest).iter().filter(titles) {
        let evidence = &story["score_debug"]["evidence"];
        assert!(!evidence["matched_interests"].as_array().unwrap().is_empty(), "{story:#}");
    }
    let others = stories(&digest).iter().find(|story| story["triage"]["is_relevant"] == false);
    assert!(others.is_some(), "with interests set, not everything is relevant");
}

#[test]
fn item_prints_the_score_that_the_digest_prints() {
    let radar = with_examples();
    radar.ok(&WINDOW);
    let (told, printed) = (radar.ok(&["item", "1"]), radar.ok(&["digest", "latest"]));
    let bar = printed.lines().find(|line| line.contains('▕')).unwrap();
    let score = bar.split_whitespace().find(|word| word.parse::<u8>().is_ok()).unwrap();
    assert!(told.contains(&format!("Final score   {score} of 100")), "{bar}\n{told}");
}

#[test]
fn item_names_every_term_and_the_terms_add_up() {
    let radar = with_examples();
    radar.ok(&WINDOW);
    let told = radar.ok(&["item", "1"]);
    for term in [
        "Aha score",
        "Label",
        "Reason",
        "Judged by",
        "Final score",
        "judgement: 1 ×",
        "heuristic: ",
        "0.6 × recency",
        "0.4 × engagement",
        "preference:",
        "= base",
        "novelty: ",
        "source weight",
        "rule boost",
        "decay",
        "before the window's end",
        "/ 72 h\n    (the topic's decay time, or the length of the window if that is longer)",
        "= final score",
        "diversity",
        "independent sources",
        "Told by",
        "cluster",
    ] {
        assert!(told.contains(term), "{term} is missing in\n{told}");
    }
    let digest = radar.digest();
    for story in stories(&digest) {
        let debug = &story["score_debug"];
        let term = |name: &str| debug[name].as_f64().unwrap();
        let decay = (-term("age_hours") / term("decay_hours")).exp();
        let shift = 3.0 * (0.6 * term("recency") + 0.4 * term("engagement") - 0.5) + (term("novelty") - 0.5)
            - 3.0 * (1.0 - decay)
            + term("preference");
        assert!((shift - term("shift")).abs() < 1e-3, "{shift} {debug:#}");
        // No band is left: the contract's end where the next begins.
        let bands = [(0.0, 20.99), (21.0, 50.99), (51.0, 80.99), (81.0, 100.0)];
        let aha = story["aha_score"].as_f64().unwrap();
        let (begin, end) = bands.into_iter().find(|(begin, end)| (*begin..=*end).contains(&aha)).unwrap();
        let base = (term("stand_in").clamp(begin, end) + shift).clamp(begin, end);
        assert!((base - term("base")).abs() < 1e-3, "{base} {debug:#}");
        let expected = base * term("source_weight") * term("rule_boost") - term("diversity");
        assert!((expected - story["final_score"].as_f64().unwrap()).abs() < 1e-3, "{expected} {debug:#}");
        assert!((term("ai") * 100.0 - story["aha_score"].as_f64().unwrap()).abs() < 1e-9);
    }
    let first = &digest["stories"][0];
    for name in ["1", first["id"].as_str().unwrap()] {
        let mut shown = radar.json(&["item", name, "--json"]);
        let sources = shown["sources"].as_array_mut().unwrap();
        let markups: Vec<_> = sources.iter_mut().filter_map(|s| s.as_object_mut().unwrap().remove("html")).collect();
        assert!(markups.iter().any(|html| html.as_str().unwrap().starts_with('<')), "{markups:?}");
        assert_eq!(&shown, first);
    }
    radar.run(&["item", "31"]).exits(USAGE).says("1 to 30");
    radar.run(&["item", "first"]).exits(USAGE);
}
