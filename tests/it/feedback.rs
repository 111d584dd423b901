//! Likes and dislikes: they move what is like them, are told, and leave nothing behind when they are taken back.

use serde_json::Value;

use crate::support::feeds::{Post, feed, unlike_any_other};
use crate::support::radar::{Engine, Radar, finish};
use crate::support::responses::OpenAi;
use crate::support::rows;

const FIRST_DAY: &str = "2026-11-17..2026-11-18";
const SECOND_DAY: &str = "2026-11-18..2026-11-19";

/// Themes with words of their own; the third is neither liked nor disliked.
const THEMES: [&str; 3] = ["ferry harbour", "football transfer", "granite lichen"];
const SOURCES: usize = 6;

/// Thirty posts a day, ten a theme, in turn, each with words that no other has.
fn posts(source: usize) -> Vec<Post> {
    let all = (0..60).map(|number| {
        let (day, theme) = (17 + number / 30, THEMES[number % 3]);
        let own = |count: usize| (0..count).map(|n| format!("q{number}w{n}")).collect::<Vec<_>>().join(" ");
        let at = format!("2026-11-{day}T{:02}:{:02}:00Z", 1 + (number % 30) * 2 / 3, number % 60);
        Post::new(&format!("post {number}"), &format!("About {theme} {}", own(4)), &own(40), &at)
    });
    all.enumerate().filter(|(number, _)| (number / 3) % SOURCES == source).map(|(_, post)| post).collect()
}

fn radar(engine: Engine) -> Radar {
    let radar = Radar::at("2026-11-19T07:00:00Z").on(engine);
    for source in 0..SOURCES {
        let name = format!("feed{source}.json");
        std::fs::write(radar.folder().join(&name), feed(&format!("Feed {source}"), &posts(source))).unwrap();
        radar.add(&[&name]);
    }
    // What is disliked falls among the noise, which is not shown otherwise.
    radar.ok(&["topic", "set", "default", "--at-least", "0"]);
    radar
}

fn run(radar: &Radar, day: &str) -> Vec<Value> {
    let digest = radar.json(&["run", "--window", day, "--json"]);
    digest["stories"].as_array().unwrap().clone()
}

fn is_about(story: &Value, theme: &str) -> bool {
    story["title"].as_str().unwrap().contains(theme)
}

#[expect(clippy::cast_precision_loss, reason = "thirty ranks")]
fn mean_rank(stories: &[Value], theme: &str) -> f64 {
    let ranks: Vec<u64> =
        stories.iter().filter(|story| is_about(story, theme)).map(|story| story["rank"].as_u64().unwrap()).collect();
    assert_eq!(ranks.len(), 10, "{theme}");
    ranks.iter().sum::<u64>() as f64 / 10.0
}

/// Likes the first theme's stories and dislikes the second's, or takes it back.
fn say(radar: &Radar, stories: &[Value], undo: bool) {
    for (theme, kind) in [(THEMES[0], "like"), (THEMES[1], "dislike")] {
        for story in stories.iter().filter(|story| is_about(story, theme)) {
            let mut arguments = vec!["feedback", story["id"].as_str().unwrap(), kind];
            arguments.extend(undo.then_some("--undo"));
            let said = radar.ok(&arguments);
            assert!(said.contains(if undo { "removed" } else { "noted" }), "{said}");
        }
    }
}

fn likes_move_ranks(engine: Engine) {
    let radar = radar(engine);
    let before = run(&radar, SECOND_DAY);
    let said_of = run(&radar, FIRST_DAY);
    say(&radar, &said_of, false);
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM feedback_events"), 20);
    let after = run(&radar, SECOND_DAY);
    let moved = |theme| mean_rank(&after, theme) - mean_rank(&before, theme);
    assert!(moved(THEMES[0]) < -5.0, "liked: {}", moved(THEMES[0]));
    assert!(moved(THEMES[1]) > 5.0, "disliked: {}", moved(THEMES[1]));
    for story in &after {
        let debug = &story["score_debug"];
        let preference = debug["evidence"]["preference"].as_f64().unwrap();
        assert!(preference.abs() <= 1.0, "{debug}");
        assert_eq!(preference > 0.1, is_about(story, THEMES[0]), "{debug}");
        assert_eq!(preference < -0.1, is_about(story, THEMES[1]), "{debug}");
    }
    let liked = after.iter().find(|story| is_about(story, THEMES[0])).unwrap();
    let leaning = &liked["score_debug"]["leaning"];
    assert!(leaning["degree"].as_f64().unwrap() > 0.1, "{leaning}");
    let words: Vec<&str> = leaning["because"].as_array().unwrap().iter().map(|one| one[0].as_str().unwrap()).collect();
    assert!(words.contains(&"ferry") && words.contains(&"harbour"), "{words:?}");
    say(&radar, &said_of, true);
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM feedback_events"), 0);
    assert_eq!(run(&radar, SECOND_DAY), before);
}

#[test]
fn ten_likes_and_ten_dislikes_move_the_ranks_and_undone_leave_no_trace_on_sqlite() {
    likes_move_ranks(Engine::Sqlite);
}

#[test]
fn ten_likes_and_ten_dislikes_move_the_ranks_and_undone_leave_no_trace_on_postgres() {
    likes_move_ranks(Engine::Postgres);
}

/// Texts of a first day that are liked, and of a second day: one of the same subject without a word in common, and
/// others.
const LIKED: [&str; 3] = [
    "The orchestra plays a symphony in the concert hall",
    "A pianist and her conductor rehearse Mozart and Brahms",
    "Opera singers and a choir perform at the festival",
];
const NEAR: &str = "Cello quartet, violin sonata: chamber musicians record an album of Haydn";
const OTHERS: [&str; 8] = [
    "The striker scored twice before half time, says his coach",
    "Inflation falls as banks cut interest rates on mortgages",
    "Sourdough bread needs flour, salt and a warm oven",
    "Astronomers measure a comet through their telescope",
    "Diesel trucks and their engines overheat on motorways",
    "Malaria vaccine trials begin with patients of two hospitals",
    "Parliament votes on a law about pensions and taxes",
    "Farmers harvest wheat and potatoes earlier after drought",
];

#[test]
fn likes_raise_what_says_the_same_in_other_words() {
    let radar = Radar::at("2026-11-19T07:00:00Z");
    let post = |(number, text): (usize, &&str), day: &str| {
        Post::new(&format!("{day} {number}"), text, text, &format!("2026-11-{day}T{:02}:00:00Z", 2 + number))
    };
    let liked = LIKED.iter().enumerate().map(|one| post(one, "17"));
    let second = [NEAR].iter().chain(&OTHERS).enumerate().map(|one| post(one, "18")).collect::<Vec<_>>();
    std::fs::write(radar.folder().join("feed.json"), feed("Feed", &liked.chain(second).collect::<Vec<_>>())).unwrap();
    radar.add(&["feed.json"]);
    radar.ok(&["topic", "set", "default", "--at-least", "0"]);
    for story in run(&radar, FIRST_DAY) {
        radar.ok(&["feedback", story["id"].as_str().unwrap(), "like"]);
    }
    let after = run(&radar, SECOND_DAY);
    let leaning = |story: &Value| story["score_debug"]["leaning"].clone();
    let degree = |story: &Value| leaning(story)["degree"].as_f64().unwrap();
    let (near, others): (Vec<&Value>, Vec<&Value>) = after.iter().partition(|story| story["title"] == NEAR);
    assert!(degree(near[0]) > 0.2, "{}", leaning(near[0]));
    assert!(others.len() == OTHERS.len() && others.iter().all(|story| degree(story) < 0.1), "{others:?}");
    let reason = &near[0]["score_debug"]["evidence"]["preference_reason"];
    assert_eq!(reason, "near in meaning to what you liked", "{}", leaning(near[0]));
    let told = radar.ok(&["item", near[0]["id"].as_str().unwrap()]);
    assert!(told.contains("meaning +0."), "{told}");
}

#[test]
fn a_saying_counts_once_and_its_opposite_takes_it_back() {
    let radar = radar(Engine::Sqlite);
    run(&radar, SECOND_DAY);
    radar.run(&["feedback", "1", "like"]).exits(0).says("noted");
    radar.run(&["feedback", "1", "like"]).exits(0).says("counts once");
    radar.run(&["feedback", "1", "save"]).exits(0).says("noted");
    radar.run(&["feedback", "1", "dislike"]).exits(0).says("noted");
    assert_eq!(rows::query(&radar, "SELECT kind FROM feedback_events ORDER BY kind"), ["dislike", "save"]);
    radar.run(&["feedback", "1", "like", "--undo"]).exits(0).says("nothing to undo");
    radar.run(&["feedback", "99", "like"]).exits(2).says("the ranks 1 to 30");
    radar.run(&["feedback", "1", "love"]).exits(2).says("like, dislike, save, skip or read");
    assert_eq!(rows::number(&radar, "SELECT events FROM topic_preference_profiles"), 2);
}

#[test]
fn the_profile_is_of_all_that_several_processes_said_at_the_same_time() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let radar = radar(engine);
        run(&radar, SECOND_DAY);
        let given = ["1", "2", "3", "4", "5", "6"].map(|rank| radar.start(&["feedback", rank, "like"]));
        for child in given {
            finish(child).exits(0).says("noted");
        }
        assert_eq!(rows::number(&radar, "SELECT count(*) FROM feedback_events"), 6);
        assert_eq!(rows::number(&radar, "SELECT events FROM topic_preference_profiles"), 6);
    }
}

#[test]
fn feedback_on_a_story_that_no_digest_has_any_more_is_undone_by_the_id_that_the_list_shows() {
    let radar = radar(Engine::Sqlite);
    run(&radar, SECOND_DAY);
    radar.run(&["feedback", "1", "dislike"]).exits(0).says("noted");
    rows::execute(&radar, "DELETE FROM digest_items");
    let item = rows::query(&radar, "SELECT item_id FROM feedback_events").remove(0);
    let short: String = item.chars().take(6).collect();
    let listed = radar.ok(&["feedback", "list"]);
    assert!(listed.contains(&short), "{listed}");
    radar.run(&["feedback", &short, "like", "--undo"]).exits(2).says("no digest has");
    radar.run(&["feedback", &short, "dislike", "--undo"]).exits(0).says("removed");
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM feedback_events"), 0);
    assert_eq!(rows::number(&radar, "SELECT events FROM topic_preference_profiles"), 0);
}

/// An account of one event by a feed; each has words of its own.
fn account(teller: &str, published: &str) -> String {
    let text = format!("{} {}", unlike_any_other("the event", 30), unlike_any_other(&format!("told by {teller}"), 6));
    let title = format!("{} {teller}", unlike_any_other("the event's name", 4));
    feed(teller, &[Post::new(&format!("event-{teller}"), &title, &text, published)])
}

/// A story of two digests that another item leads in the second: its lines there.
pub(crate) fn story_that_goes_on(engine: Engine) -> (Radar, [Value; 2]) {
    let mut radar = Radar::at("2026-11-16T07:00:00Z").on(engine);
    let write = |radar: &Radar, name: &str, feed: &str| std::fs::write(radar.folder().join(name), feed).unwrap();
    write(&radar, "a.json", &account("a", "2026-11-15T12:00:00Z"));
    write(&radar, "b.json", &feed("b", &[]));
    radar.add(&["a.json", "b.json"]);
    radar.ok(&["--run-once"]);
    let first = radar.digest()["stories"][0].clone();
    write(&radar, "b.json", &account("b", "2026-11-16T12:00:00Z"));
    radar.set("AHA_NOW", "2026-11-17T07:00:00Z");
    radar.ok(&["--run-once"]);
    let second = radar.digest()["stories"][0].clone();
    let leads = |story: &Value| story["sources"][0]["item_id"].clone();
    assert_eq!(first["cluster_id"], second["cluster_id"]);
    assert!(leads(&first) != leads(&second), "the same item leads both");
    let members = second["sources"].as_array().unwrap();
    assert!(members.iter().any(|member| member["item_id"] == leads(&first)), "{second}");
    (radar, [first, second])
}

#[test]
fn feedback_on_a_story_that_goes_on_counts_once_and_is_undone_from_its_later_digest() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let (radar, stories) = story_that_goes_on(engine);
        let [first, second] = stories.each_ref().map(|story| story["id"].as_str().unwrap());
        let given = || rows::query(&radar, "SELECT kind FROM feedback_events ORDER BY kind");
        let learnt_from = || rows::number(&radar, "SELECT events FROM topic_preference_profiles");
        radar.run(&["feedback", first, "like"]).exits(0).says("noted");
        radar.run(&["feedback", first, "read"]).exits(0).says("noted");
        radar.run(&["feedback", second, "like"]).exits(0).says("counts once");
        assert_eq!((given(), learnt_from()), (vec!["like".to_owned(), "read".to_owned()], 2));
        radar.run(&["feedback", second, "dislike"]).exits(0).says("noted");
        assert_eq!((given(), learnt_from()), (vec!["dislike".to_owned(), "read".to_owned()], 2));
        radar.run(&["feedback", second, "like", "--undo"]).exits(0).says("nothing to undo");
        for kind in ["dislike", "read"] {
            radar.run(&["feedback", second, kind, "--undo"]).exits(0).says("removed");
        }
        assert_eq!((given(), learnt_from()), (Vec::new(), 0));
    }
}

/// As it is stored by versions that stored feedback on a story anew with each of its digests.
#[test]
fn feedback_on_several_items_of_a_story_is_undone_together() {
    let (radar, stories) = story_that_goes_on(Engine::Sqlite);
    let [_, second] = stories.each_ref().map(|story| story["id"].as_str().unwrap());
    let given = || rows::query(&radar, "SELECT kind FROM feedback_events ORDER BY kind");
    let line = |story: &Value, kind: &str| {
        let item = story["sources"][0]["item_id"].as_str().unwrap();
        format!("{{\"item_id\":\"{item}\",\"kind\":\"{kind}\",\"given_at\":\"2026-11-17T07:00:00Z\"}}\n")
    };
    let import = |kinds: [&str; 2]| {
        let lines: Vec<String> = stories.iter().zip(kinds).map(|(story, kind)| line(story, kind)).collect();
        std::fs::write(radar.folder().join("said.jsonl"), lines.concat()).unwrap();
        radar.run(&["feedback", "import", "said.jsonl"]).exits(0).says("2 added");
    };
    import(["save", "save"]);
    radar.run(&["feedback", second, "save", "--undo"]).exits(0).says("removed");
    assert_eq!(given(), Vec::<String>::new());
    import(["like", "dislike"]);
    radar.run(&["feedback", second, "like"]).exits(0).says("noted");
    assert_eq!(given(), ["like"]);
}

#[test]
fn what_was_said_moves_to_another_database() {
    let radar = radar(Engine::Sqlite);
    run(&radar, SECOND_DAY);
    for (rank, kind) in [("1", "like"), ("2", "skip"), ("3", "save")] {
        radar.ok(&["feedback", rank, kind]);
    }
    let exported = radar.ok(&["feedback", "export"]);
    assert_eq!(exported.lines().count(), 3);
    let other = Radar::at("2026-11-19T07:00:00Z");
    other.ok(&["init"]);
    std::fs::write(other.folder().join("said.jsonl"), &exported).unwrap();
    other.run(&["feedback", "import", "said.jsonl"]).exits(0).says("3 added, 0 already known");
    other.run(&["feedback", "import", "said.jsonl"]).exits(0).says("0 added, 3 already known");
    let changed_mind = ["like", "dislike"].map(|kind| {
        let at = if kind == "like" { "2026-11-18T09:00:00Z" } else { "2026-11-18T08:00:00Z" };
        let (item, of) = ("0".repeat(31) + "7", "\"title\":\"Trams\",\"terms\":[\"tram\"]");
        format!("{{\"item_id\":\"{item}\",\"kind\":\"{kind}\",\"given_at\":\"{at}\",{of}}}\n")
    });
    std::fs::write(other.folder().join("both.jsonl"), changed_mind.concat()).unwrap();
    other.run(&["feedback", "import", "both.jsonl"]).exits(0).says("1 added, 1 already known");
    assert_eq!(rows::query(&other, "SELECT kind FROM feedback_events WHERE title = 'Trams'"), ["like"]);
    other.ok(&["feedback", "0000000", "like", "--undo"]);
    assert_eq!(other.ok(&["feedback", "export"]), exported);
    // What is learnt from it may differ: the texts themselves are not there.
    let events = |radar: &Radar| radar.json(&["feedback", "list", "--json"])["events"].clone();
    assert_eq!(events(&other), events(&radar));
    std::fs::write(other.folder().join("broken.jsonl"), "{\"kind\":\"like\"}\n").unwrap();
    other.run(&["feedback", "import", "broken.jsonl"]).exits(1).says("object 1 of broken.jsonl is no feedback");
}

#[test]
fn item_ids_alone_are_enough_for_an_import() {
    let radar = radar(Engine::Sqlite);
    let stories = run(&radar, SECOND_DAY);
    let line =
        |item: &str| format!("{{\"item_id\":\"{item}\",\"kind\":\"like\",\"given_at\":\"2026-11-18T07:00:00Z\"}}\n");
    let known = stories[0]["sources"][0]["item_id"].as_str().unwrap();
    let unknown = "00000000-0000-5000-8000-000000000000";
    std::fs::write(radar.folder().join("ids.jsonl"), line(known) + &line(unknown)).unwrap();
    radar
        .run(&["feedback", "import", "ids.jsonl"])
        .exits(3)
        .says("1 added, 0 already known or contradicted here, 1 left out");
    let listed = radar.json(&["feedback", "list", "--json"]);
    assert_eq!(listed["events"][0]["title"], stories[0]["title"]);
    assert_eq!(listed["events"][0]["source"], stories[0]["sources"][0]["name"]);
    assert!(!listed["events"][0]["terms"].as_array().unwrap().is_empty());
}

#[test]
fn a_story_of_any_digest_is_named_by_the_beginning_of_its_id() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let radar = radar(engine);
        let first = run(&radar, FIRST_DAY);
        run(&radar, SECOND_DAY);
        let short = &first[0]["id"].as_str().unwrap()[..6];
        radar.run(&["feedback", short, "save"]).exits(0).says(first[0]["title"].as_str().unwrap());
        radar.run(&["item", &short.to_uppercase()]).exits(0).says(first[0]["title"].as_str().unwrap());
        radar.run(&["feedback", "list"]).exits(0).says(short);
        radar.run(&["feedback", "abc", "save"]).exits(2).says("4 or more of its first digits");
        radar.run(&["feedback", "zzzzzz", "save"]).exits(2).says("neither a rank");
        let twin = format!("{}ffffff-0000-5000-8000-000000000000", &short[..2]);
        let other = format!("{}ffffff-1111-5000-8000-000000000000", &short[..2]);
        for (id, place) in [(&twin, 1), (&other, 2)] {
            let latest = "SELECT id FROM digests ORDER BY window_end DESC LIMIT 1";
            rows::execute(
                &radar,
                &format!("UPDATE digest_items SET id = '{id}' WHERE rank = {place} AND digest_id = ({latest})"),
            );
        }
        radar.run(&["item", &twin[..8]]).exits(2).says("give more of it").says(&twin).says(&other).says("2026-11-19");
    }
}

#[test]
fn a_story_that_its_digest_shows_no_longer_is_named_by_the_id_that_it_had() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let radar = radar(engine);
        let before = run(&radar, SECOND_DAY);
        let story = before.iter().find(|story| is_about(story, THEMES[0])).unwrap();
        let (short, title) = (&story["id"].as_str().unwrap()[..6], story["title"].as_str().unwrap());
        radar.ok(&["topic", "set", "default", "--mute", "word:ferry"]);
        let again = run(&radar, SECOND_DAY);
        assert!(again.iter().all(|other| other["id"] != story["id"]), "made again, the digest does not show it");
        radar.run(&["item", short]).exits(0).says(title).says("shows this story no longer");
        radar.run(&["feedback", short, "like"]).exits(0).says(&format!("noted for {title}"));
        assert_eq!(rows::number(&radar, "SELECT count(*) FROM feedback_events"), 1);
        radar.run(&["feedback", short, "like", "--undo"]).exits(0).says("removed");
        assert_eq!(rows::number(&radar, "SELECT count(*) FROM feedback_events"), 0);
    }
}

#[test]
fn what_was_learnt_is_listed_in_words_and_unlearnt_one_by_one() {
    let radar = radar(Engine::Sqlite);
    let before = run(&radar, SECOND_DAY);
    let said_of = run(&radar, FIRST_DAY);
    say(&radar, &said_of, false);
    let learnt = |side: &str| -> Vec<String> {
        let listed = radar.json(&["feedback", "list", "--json"]);
        let names = listed["learnt"][side].as_array().unwrap();
        names.iter().map(|one| one[0].as_str().unwrap().to_owned()).collect()
    };
    let after = run(&radar, SECOND_DAY);
    assert_ne!(after, before);
    assert_eq!(learnt("more_of")[..2], ["ferry", "harbour"]);
    assert_eq!(learnt("less_of")[..2], ["football", "transfer"]);
    radar.run(&["feedback", "list"]).exits(0).says("more of: ferry 74, harbour 74").says("less of: football 100");
    radar.run(&["feedback", "forget", "ferries"]).exits(0).says("unlearnt");
    assert!(!learnt("more_of").contains(&"ferry".to_owned()));
    assert_eq!(radar.ok(&["feedback", "forget", "--list"]).trim(), "ferries");
    assert_ne!(run(&radar, SECOND_DAY), after);
    radar.run(&["feedback", "forget", "lentils"]).exits(2).says("nothing was learnt");
    radar.run(&["feedback", "forget", "ferry", "--undo"]).exits(0).says("learnt again");
    radar.run(&["feedback", "forget", "ferry", "--undo"]).exits(0).says("nothing to undo");
    assert_eq!(run(&radar, SECOND_DAY), after);
}

#[test]
fn noise_is_not_paid_for_unless_it_is_wanted_and_the_judge_is_told_of_likes() {
    let model = OpenAi::start();
    let radar = model.serve(Radar::at("2026-11-19T07:00:00Z"));
    let noisy = "19 Things You Will Only Understand If You Are Obsessed With Cheese";
    let interview = "Interview: the harbour pilot who never learned to swim";
    let posts = [
        Post::new("bait", noisy, "Cheddar, brie and gouda are three of them.", "2026-11-18T08:00:00Z"),
        Post::new("news", "Parliament votes on harbour fees", "The vote was close.", "2026-11-18T09:00:00Z"),
        Post::new("talk", interview, "She steered for forty years.", "2026-11-18T10:00:00Z"),
    ];
    std::fs::write(radar.folder().join("feed.json"), feed("The Feed", &posts)).unwrap();
    radar.add(&["feed.json"]);
    // Noise is not shown otherwise.
    radar.ok(&["topic", "set", "default", "--at-least", "0"]);
    let stories = run(&radar, SECOND_DAY);
    let of = |stories: &[Value], title: &str| stories.iter().find(|story| story["title"] == title).unwrap().clone();
    let left_out = of(&stories, noisy);
    assert_eq!((&left_out["state"], &left_out["aha_score"]), (&Value::from("skipped_noise"), &Value::Null));
    assert!(left_out["reason"].as_str().unwrap().contains("too likely noise"), "{left_out}");
    for told in ["Parliament votes on harbour fees", interview] {
        assert_eq!(of(&stories, told)["state"], "judged");
    }
    let asked = || model.calls().iter().map(|call| call.body.to_string()).collect::<String>();
    assert!(!asked().contains("Obsessed With Cheese"));
    assert!(radar.digest()["digest"]["status"] == "complete");

    radar.ok(&["feedback", left_out["id"].as_str().unwrap(), "like"]);
    assert_eq!(of(&run(&radar, SECOND_DAY), noisy)["state"], "judged");
    assert!(asked().contains("Obsessed With Cheese") && asked().contains("liked: "), "{}", asked());
}
