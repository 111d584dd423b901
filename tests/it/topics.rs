//! Several topics beside each other: what a digest says of its own, one source in two of them, rules that are taken back, a topic
//! that is removed, and the folders of a list of sources.

use crate::support::feeds::{Post, feed};
use crate::support::radar::{Engine, Radar, files_below};

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
