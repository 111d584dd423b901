//! The top section of a reader with interests: it ends where nothing speaks for more.

use serde_json::Value;

use crate::support::feeds::{Post, feed};
use crate::support::radar::Radar;

const NOW: &str = "2026-11-19T07:00:00Z";
const PUBLISHED: &str = "2026-11-19T05:00:00Z";

/// Returns the digest's titles by section, for a reader with these interests. Four posts are about physics, two sources report
/// one event, and six posts are about nothing.
fn sections(interests: &str) -> impl Fn(&str) -> Vec<String> + use<> {
    let radar = Radar::at(NOW);
    let physics = [
        ("A violin is built of spruce", "Physics of wood, measured."),
        ("What a string sounds", "The physics of strings."),
        ("Bells and their tones", "A bell, by the physics of metal."),
        ("Why organ pipes are long", "Air in a pipe, and its physics."),
    ];
    let mut posts: Vec<Post> = physics.iter().map(|(title, text)| Post::new(title, title, text, PUBLISHED)).collect();
    posts.extend((0..6).map(|number| Post::about_nothing_else(&format!("{number}"), PUBLISHED)));
    std::fs::write(radar.folder().join("lab.json"), feed("Lab", &posts)).unwrap();
    let text = "The harbour of Skerrow is closed for repairs until the first of December, the harbour master said on \
                Wednesday evening, and the night ferry waits two hours for the mail.";
    for (name, text) in [("Wire", text.to_owned()), ("Paper", text.replace("waits", "has to wait"))] {
        let post = Post::new(name, "The harbour of Skerrow is closed", &text, PUBLISHED);
        std::fs::write(radar.folder().join(format!("{name}.json")), feed(name, &[post])).unwrap();
    }
    radar.add(&["lab.json", "Wire.json", "Paper.json"]);
    radar.ok(&["topic", "set", "default", "--interests", interests]);
    radar.ok(&["run"]);
    let stories: Vec<Value> = radar.digest()["stories"].as_array().unwrap().clone();
    move |section| {
        let of_section = stories.iter().filter(|story| story["section"] == section);
        of_section.map(|story| story["title"].as_str().unwrap().to_owned()).collect()
    }
}

#[test]
fn the_top_section_ends_with_the_last_story_that_the_reader_asked_for() {
    let titles = sections("physics");
    let top = titles("top");
    assert_eq!(top.len(), 4, "{top:?}");
    assert!(!top.iter().any(|title| title.contains("harbour")), "{top:?}");
    assert!(titles("scan").iter().any(|title| title == "The harbour of Skerrow is closed"), "it is not left out");
}

#[test]
fn of_unrelated_stories_those_of_several_sources_are_on_top() {
    let titles = sections("income tax");
    assert_eq!(titles("top"), ["The harbour of Skerrow is closed"]);
    assert_eq!(titles("scan").len(), 10);
}
