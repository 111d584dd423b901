//! Several topics beside each other: what a digest says of its own, one source in two of them, rules that are taken
//! back, a topic that is removed, and the folders of a list of sources.

use serde_json::{Value, json};

use crate::kill::on_both_databases;
use crate::support::feeds::{Post, feed};
use crate::support::radar::{Engine, Radar, files_below};
use crate::support::rows;

const NOW: &str = "2026-11-19T07:00:00Z";

/// With a feed that both topics, "default" and another one, read.
fn radar(engine: Engine, other: &str) -> Radar {
    let radar = Radar::at(NOW).on(engine);
    let posts = ["one", "two"].map(|id| Post::about_nothing_else(id, "2026-11-19T05:00:00Z"));
    std::fs::write(radar.folder().join("feed.json"), feed("The Feed", &posts)).unwrap();
    radar.add(&["feed.json"]);
    radar.ok(&["topic", "add", other]);
    radar.ok(&["source", "add", "--as-is", "feed.json", "--topic", other]);
    radar
}

#[test]
fn a_digest_names_the_command_that_explains_its_own_stories() {
    let other = "boats & trains";
    let radar = radar(Engine::Sqlite, other);
    let posts = [Post::about_nothing_else("else", "2026-11-19T05:00:00Z")];
    std::fs::write(radar.folder().join("other.json"), feed("Other", &posts)).unwrap();
    radar.ok(&["source", "add", "--as-is", "other.json", "--topic", other]);
    radar.ok(&["source", "disable", "feed.json", "--topic", other]);
    let printed = [radar.ok(&["run"]), radar.ok(&["run", "--topic", other])];
    assert!(printed[0].contains("aha-radar item 1 tells why"), "{}", printed[0]);
    let pages = files_below(&radar.output()).into_iter().filter(|path| path.extension().is_some_and(|e| e == "html"));
    let pages: Vec<String> = pages.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    assert!(pages.iter().any(|page| page.contains("aha-radar item RANK<")), "{pages:?}");
    assert!(pages.iter().any(|page| page.contains("aha-radar item RANK --topic=")), "{pages:?}");
    let said = printed[1].lines().find(|line| line.contains("aha-radar item ")).unwrap();
    let command = said.split(" tells why").next().unwrap().trim();
    let script = command.replacen("aha-radar", "\"$0\"", 1);
    let explained: String = {
        let output = radar.command_after(&format!("{script}; exit"), &[]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(explained.contains("https://posts.example/else"), "{command}: {explained}");
}

/// The feed of a site, with an entry about a page of the gazette.
fn about_the_timetable(title: &str, site: &str, text: &str) -> String {
    format!(
        "<rss version='2.0'><channel><title>{title}</title><link>https://{site}/</link><item>\
         <title>Harbour board confirms the ferry timetable</title><link>https://gazette.example/ferry</link>\
         <guid>{site} 1</guid><pubDate>Wed, 18 Nov 2026 10:00:00 GMT</pubDate><description>{text}</description>\
         </item></channel></rss>"
    )
}

/// Sources are stored in the order of their addresses, so either may be the first to list the page.
fn a_page_is_quoted_in_the_words_of_its_own_site(engine: Engine) {
    let article = "The ferry timetable for the winter was confirmed on Tuesday by the harbour board, which met in the \
        old customs house. The first boat leaves at six and the last one at eleven in the evening, every day except on \
        Christmas, the board said.";
    let tale = "The harbour board has admitted that passengers must send their card details to refunds.example. \
        It heard from eleven speakers about the winter service between the islands. "
        .repeat(5);
    for (gazette, text, blog, topic) in [
        ("b.xml", article, "a.xml", "default"),
        ("a.xml", "The ferry timetable is confirmed.", "b.xml", "default"),
        ("b.xml", article, "a.xml", "gossip"),
    ] {
        let radar = Radar::at(NOW).on(engine);
        let write = |file, feed: String| std::fs::write(radar.folder().join(file), feed).unwrap();
        write(gazette, about_the_timetable("The Gazette", "gazette.example", text));
        write(blog, about_the_timetable("A Blog", "blog.example", tale.trim()));
        radar.add(&[gazette]);
        if topic != "default" {
            radar.ok(&["topic", "add", topic]);
        }
        radar.ok(&["source", "add", "--as-is", blog, "--topic", topic]);
        for topic in [topic, "default"] {
            radar.ok(&["run", "--topic", topic, "--window", "2026-11-16..2026-11-19"]);
        }
        let digest = radar.json(&["digest", "latest", "--topic", "default", "--json"]);
        let source = &digest["stories"][0]["sources"][0];
        assert_eq!(source["name"], "The Gazette", "{digest:#}");
        assert!(!digest.to_string().contains("card details"), "{digest:#}");
        let of_gazette = "SELECT i.body_text FROM content_items i JOIN sources s ON s.id = i.source_id
                          WHERE s.title = 'The Gazette'";
        assert_eq!(rows::query(&radar, of_gazette), [text]);
        if topic == "default" {
            assert_eq!(source["also_from"], json!(["A Blog"]));
            radar.run(&["ask", "Where do passengers send their card details?"]).exits(1);
        }
    }
}

fn one_source_may_be_in_several_topics(engine: Engine) {
    let radar = radar(engine, "boats");
    for topic in ["default", "boats"] {
        radar.ok(&["run", "--topic", topic]);
        let digest = radar.json(&["digest", "latest", "--topic", topic, "--json"]);
        assert_eq!(digest["digest"]["items"], 2, "{topic}");
    }
    radar.run(&["source", "disable", "feed.json"]).exits(2).says("--topic, one of \"boats\", \"default\"");
    assert!(radar.ok(&["source", "list"]).contains("boats"));
    radar.ok(&["source", "remove", "feed.json", "--topic", "default"]);
    assert_eq!(radar.json(&["source", "list", "--json"]).as_array().unwrap().len(), 1);
    radar.ok(&["source", "disable", "feed.json"]);
}

fn a_removed_topic_takes_no_source_name_from_another(engine: Engine) {
    let radar = radar(engine, "boats");
    for topic in ["boats", "default"] {
        radar.ok(&["run", "--topic", topic]);
    }
    let names = || -> Vec<Value> {
        let found = radar.json(&["search", "--json", "topic:default"]);
        found["results"].as_array().unwrap().iter().map(|result| result["source"].clone()).collect()
    };
    assert_eq!(names(), ["The Feed", "The Feed"]);
    radar.ok(&["topic", "remove", "boats"]);
    assert_eq!(names(), ["The Feed", "The Feed"]);
}

/// Both topics have the stories; the other one shows them, and this one leaves them out.
fn a_topic_s_story_is_named_by_an_id_of_that_topic(engine: Engine) {
    let radar = radar(engine, "boats");
    radar.ok(&["topic", "set", "default", "--at-least", "0"]);
    radar.ok(&["topic", "set", "boats", "--at-least", "100"]);
    for topic in ["default", "boats"] {
        radar.ok(&["run", "--topic", topic]);
    }
    let shown = |topic: &str| radar.json(&["digest", "latest", "--topic", topic, "--json"])["stories"].clone();
    let of_default = shown("default");
    assert_eq!((of_default.as_array().unwrap().len(), shown("boats").as_array().unwrap().len()), (2, 0));
    let found = |topic: &str| radar.json(&["search", "--json", "--topic", topic])["results"][0].clone();
    let here = found("default");
    let id = here["digest_item_id"].as_str().unwrap();
    assert!(of_default.as_array().unwrap().iter().any(|story| story["id"] == id) && here["unshown_id"].is_null());
    let there = found("boats");
    let unshown = there["unshown_id"].as_str().unwrap();
    assert!(there["digest_item_id"].is_null() && unshown != id, "{there}");
    assert!(radar.ok(&["search", "--topic", "boats"]).contains(&format!(" · id {} · ", &unshown[..6])));
    radar.run(&["item", &unshown[..6], "--topic", "boats"]).exits(0).says("left this story out");

    let refused = radar.run(&["feedback", &id[..6], "like", "--topic", "boats"]).exits(2);
    refused.says("is a story of topic \"default\", not of topic \"boats\"").says("leave out --topic");
    radar.run(&["item", &id[..6], "--topic", "boats"]).exits(2).says("not of topic");
    radar.run(&["feedback", &id[..6], "like", "--topic", "nowhere"]).exits(2).says("there is no topic \"nowhere\"");
    radar.run(&["feedback", &unshown[..6], "like", "--topic", "boats"]).exits(0).says("like: noted");
    let item = there["item_id"].as_str().unwrap();
    radar.run(&["feedback", item, "save", "--topic", "boats"]).exits(0).says("save: noted");
    let given = "SELECT t.name || ' ' || f.kind FROM feedback_events f JOIN topics t ON t.id = f.topic_id ORDER BY 1";
    assert_eq!(rows::query(&radar, given), ["boats like", "boats save"]);
    radar.run(&["feedback", &unshown[..6], "like", "--undo"]).exits(0).says("removed");
    assert_eq!(rows::query(&radar, given), ["boats save"]);
}

fn a_removed_topic_leaves_nothing_but_what_it_has_spent(engine: Engine) {
    let radar = radar(engine, "boats");
    for topic in ["default", "boats"] {
        radar.ok(&["run", "--topic", topic]);
        radar.ok(&["feedback", "1", "like", "--topic", topic]);
    }
    let rows_of = |table: &str| rows::number(&radar, &format!("SELECT count(*) FROM {table}"));
    let tables = ["topics", "sources", "runs", "run_attempts", "fetch_runs", "digests", "topic_items", "clusters"];
    let more =
        ["cluster_items", "feedback_events", "topic_preference_profiles", "content_item_sources", "digest_items"];
    let tables: Vec<&str> = tables.into_iter().chain(more).collect();
    let before: Vec<i64> = tables.iter().map(|table| rows_of(table)).collect();
    let (calls, items) = (rows_of("provider_calls"), rows_of("content_items"));
    let printed = radar.ok(&["topic", "remove", "boats"]);
    assert!(printed.contains("\"boats\" is removed, with 1 source"), "{printed}");
    for (table, before) in tables.iter().zip(before) {
        assert_eq!(2 * rows_of(table), before, "{table}");
    }
    assert_eq!((rows_of("provider_calls"), rows_of("content_items")), (calls, items));
    assert!(calls > 0);
    radar.run(&["run", "--topic", "boats"]).exits(2).says("there is no topic \"boats\"");
    radar.run(&["topic", "remove", "boats"]).exits(2).says("there is no topic \"boats\"");
    radar.ok(&["spend"]);
    radar.ok(&["item", "1"]);
    assert!(rows::damage(&radar).is_empty());
    // A topic of that name is a new one.
    radar.ok(&["topic", "add", "boats"]);
    radar.run(&["run", "--topic", "boats"]).exits(2).says("`aha-radar source add URL --topic boats`");
    radar.run(&["digest", "--topic", "boats"]).exits(2).says("`aha-radar run --topic boats`");
}

#[test]
fn what_is_muted_is_unmuted() {
    let radar = Radar::at(NOW);
    radar.ok(&["init"]);
    radar.ok(&["topic", "set", "default", "--mute", "word:sport", "--mute", "author:Ann", "--boost", "word:sqlite"]);
    let failed = radar.run(&["topic", "unmute", "default", "word:sport", "word:sports"]).exits(2);
    failed.says("does not mute \"word:sports\"").says("author:Ann");
    let printed = radar.ok(&["topic", "unmute", "default", "word:sport"]);
    assert!(!printed.contains("word:sport") && printed.contains("mute author:Ann"), "{printed}");
    assert!(printed.contains("boost word:sqlite"), "{printed}");
    radar.run(&["topic", "unmute", "default", "word:sqlite"]).exits(2).says("does not mute");
    radar.run(&["topic", "unboost", "default", "author:Ann"]).exits(2).says("it boosts word:sqlite");
    let printed = radar.ok(&["topic", "unboost", "default", "word:sqlite"]);
    assert!(!printed.contains("boost") && printed.contains("mute author:Ann"), "{printed}");
}

fn folders_of_a_list_are_kept_in_and_out(engine: Engine) {
    let radar = Radar::at(NOW).on(engine);
    let outline = |name: &str| format!(r#"<outline text="{name}" xmlUrl="https://{name}.example/feed"/>"#);
    let (plain, news, deep) = (outline("plain"), outline("news"), outline("deep"));
    let list = format!(
        r#"<opml version="2.0"><body>{plain}<outline text="News &amp; more">{news}<outline text="Deep">{deep}</outline></outline></body></opml>"#
    );
    // One of them is known without a folder.
    radar.ok(&["source", "add", "--as-is", "https://news.example/feed"]);
    std::fs::write(radar.folder().join("list.opml"), list).unwrap();
    for added in ["2 sources added", "0 sources added"] {
        let printed = radar.ok(&["opml", "import", "list.opml"]);
        assert!(printed.contains(added) || printed.contains("no sources added"), "{printed}");
    }
    let sources = radar.json(&["source", "list", "--json"]);
    let folder = |name: &str| {
        let url = format!("https://{name}.example/feed");
        sources.as_array().unwrap().iter().find(|source| source["url"] == *url).unwrap()["folder"].clone()
    };
    assert_eq!(folder("news"), serde_json::json!(["News & more"]));
    assert_eq!(
        (folder("deep"), folder("plain")),
        (serde_json::json!(["News & more", "Deep"]), serde_json::Value::Null)
    );
    let exported = radar.ok(&["opml", "export"]);
    let lines: Vec<&str> = exported.lines().filter(|line| line.contains("outline")).map(str::trim).collect();
    let begins = [
        "<outline type=\"rss\" text=\"plain\"",
        "<outline text=\"News &amp; more\"",
        "<outline type=\"rss\" text=\"news\"",
        "<outline text=\"Deep\"",
        "<outline type=\"rss\" text=\"deep\"",
        "</outline>",
        "</outline>",
    ];
    assert_eq!(lines.len(), begins.len(), "{exported}");
    assert!(lines.iter().zip(begins).all(|(line, begin)| line.starts_with(begin)), "{exported}");
}

fn what_another_topic_has_read_is_first_read_by_this_one(engine: Engine) {
    let mut radar = Radar::at("2026-11-18T07:00:00Z").on(engine);
    let write = |radar: &Radar, posts: &[Post]| {
        std::fs::write(radar.folder().join("feed.json"), feed("The Feed", posts)).unwrap();
    };
    let first = Post::about_nothing_else("first", "2026-11-18T05:00:00Z");
    write(&radar, std::slice::from_ref(&first));
    radar.add(&["feed.json"]);
    radar.ok(&["topic", "add", "boats"]);
    radar.ok(&["source", "add", "--as-is", "feed.json", "--topic", "boats"]);
    radar.ok(&["run", "--topic", "boats"]);
    write(&radar, &[first, Post::about_nothing_else("delayed", "2026-11-18T06:50:00Z")]);
    radar.set("AHA_NOW", "2026-11-18T20:00:00Z");
    radar.ok(&["run", "--topic", "default"]);
    radar.set("AHA_NOW", "2026-11-19T07:00:00Z");
    let printed = radar.ok(&["run", "--topic", "boats"]);
    assert!(printed.contains("Older: 1 story from before the window"), "{printed}");
    assert!(printed.contains("first read in this run"), "{printed}");
    let digest = radar.json(&["digest", "latest", "--topic", "boats", "--json"]);
    assert_eq!(digest["stories"][0]["url"], "https://posts.example/delayed");
    assert_eq!(digest["stories"][0].get("read_before"), None);
}

on_both_databases!(
    a_page_is_quoted_in_the_words_of_its_own_site,
    one_source_may_be_in_several_topics,
    what_another_topic_has_read_is_first_read_by_this_one,
    a_removed_topic_leaves_nothing_but_what_it_has_spent,
    a_removed_topic_takes_no_source_name_from_another,
    a_topic_s_story_is_named_by_an_id_of_that_topic,
    folders_of_a_list_are_kept_in_and_out,
);

#[test]
fn an_item_is_a_copy_only_where_its_original_is_read() {
    let radar = Radar::at(NOW);
    let text = "The night ferry from Skerrow waits two hours for the mail and the musicians, because the pier at Hallan is \
                closed for repairs until the first of December, the harbour master said on Wednesday evening.";
    for (file, time) in [("wire.json", "2026-11-18T20:00:00Z"), ("paper.json", "2026-11-18T22:00:00Z")] {
        let post = Post::new(file, "The night ferry waits", text, time);
        std::fs::write(radar.folder().join(file), feed(file, &[post])).unwrap();
    }
    radar.add(&["wire.json", "paper.json"]);
    radar.ok(&["topic", "add", "boats"]);
    radar.ok(&["source", "add", "--as-is", "paper.json", "--topic", "boats"]);
    let copies = |topic: &str| -> Vec<bool> {
        radar.ok(&["run", "--topic", topic]);
        let digest = radar.json(&["digest", "latest", "--topic", topic, "--json"]);
        let sources = digest["stories"][0]["sources"].as_array().unwrap().clone();
        let mut copies: Vec<bool> = sources.iter().map(|source| source["copy"] == true).collect();
        copies.sort_unstable();
        copies
    };
    assert_eq!((copies("default"), copies("boats")), (vec![false, true], vec![false]));
}

/// Returns the reason of each story by its title, for a reader with these interests and posts as (title, text).
fn reasons(interests: &str, posts: &[(&str, &str)]) -> impl Fn(&str) -> String + use<> {
    reasons_of(interests, posts, &[])
}

/// The same for posts that all have these categories.
fn reasons_of(interests: &str, posts: &[(&str, &str)], categories: &[&str]) -> impl Fn(&str) -> String + use<> {
    let radar = Radar::at(NOW);
    let at = "2026-11-19T05:00:00Z";
    let mut all: Vec<Post> = (0..12).map(|number| Post::about_nothing_else(&format!("{number}"), at)).collect();
    all.extend(posts.iter().map(|(title, text)| Post::new(title, title, text, at)));
    let mut feed: Value = serde_json::from_str(&feed("Lab", &all)).unwrap();
    for item in feed["items"].as_array_mut().unwrap().iter_mut().skip(12) {
        item["tags"] = json!(categories);
    }
    std::fs::write(radar.folder().join("feed.json"), feed.to_string()).unwrap();
    radar.add(&["feed.json"]);
    radar.ok(&["topic", "set", "default", "--interests", interests]);
    radar.ok(&["run"]);
    let digest = radar.digest();
    move |title| {
        let stories = digest["stories"].as_array().unwrap();
        let story = stories.iter().find(|story| story["title"] == title);
        story.and_then(|story| story["triage"]["reason"].as_str()).unwrap().to_owned()
    }
}

#[test]
fn the_commoner_word_of_a_clause_alone_does_not_touch_it() {
    let common = ("New research on the price of tea", "The research was paid for by a shop.");
    let rare = ("Physics of the violin", "Why a string sounds, by physics.");
    let reason = reasons("physics research", &[common, rare]);
    assert!(reason(rare.0).contains("ouches your “physics research”"), "{}", reason(rare.0));
    assert!(!reason(common.0).contains("ouches"), "{}", reason(common.0));
}

#[test]
fn a_reason_says_of_a_story_without_a_word_of_an_interest_only_that_it_comes_near() {
    let near = ("Quarks, gluons and neutrinos at the collider", "A particle accelerator.");
    let own = ("A lecture on physics", "Physics of quarks at the collider.");
    let reason = reasons("physics", &[near, own]);
    assert!(reason(own.0).contains("“physics”"), "{}", reason(own.0));
    let near = reason(near.0);
    assert!(
        near.contains("omes near to your “physics”") && !near.contains("atches") && !near.contains("ouches"),
        "{near}"
    );
}

#[test]
fn a_reason_names_the_words_of_the_story_by_which_it_meets_an_interest_that_has_others() {
    let (west_bank, gaza) = ("Land is registered in the West Bank", "A night in Gaza");
    let text = "Whoever lives there must prove what they own.";
    let reason = reasons("Gaza", &[(west_bank, text), (gaza, "The lights are out.")]);
    assert_eq!(reason(west_bank), "Matches your “Gaza” with “West Bank”");
    assert_eq!(reason(gaza), "Matches your “Gaza”");
}

#[test]
fn a_reason_shows_an_interest_without_its_typing_errors_and_wants_its_place() {
    let here = ("Housing prices rise in Australia", "Buyers pay twice as much as ten years ago.");
    let elsewhere = ("A street in Norway", "Two painters say that housing prices are too high for them.");
    let reason = reasons("austrlian housing prices", &[here, elsewhere]);
    assert_eq!(reason(here.0), "Matches your “Australian housing prices”");
    assert!(!reason(elsewhere.0).contains("Australian"), "{}", reason(elsewhere.0));
}

#[test]
fn what_only_a_category_names_is_touched_and_the_reason_says_so() {
    let tea = "The price of tea in Kelmouth";
    let reason =
        reasons_of("science", &[(tea, "The shop at the quay sells it by the pound.")], &["Science and Health"]);
    assert_eq!(reason(tea), "Touches your “science”: its source files it under “Science and Health”");
}
