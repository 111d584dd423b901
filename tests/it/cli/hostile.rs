//! Nothing that strangers wrote steers a terminal.

use super::{NOW, WINDOW, stories, with_examples};
use crate::support::feeds::{Post, feed};
use crate::support::radar::Radar;

#[test]
fn nothing_steers_a_terminal_when_piped() {
    let radar = with_examples();
    let commands: [&[&str]; 12] = [
        &WINDOW,
        &["digest"],
        &["digest", "--format", "md"],
        &["item", "1"],
        &["runs"],
        &["doctor"],
        &["source", "list"],
        &["topic", "list"],
        &["opml", "export"],
        &["source", "test", "/nowhere.xml"],
        &["--help"],
        &["run", "--window", "x"],
    ];
    for command in commands {
        let ran = radar.run(command);
        assert!(!ran.stdout.contains('\u{1b}') && !ran.stderr.contains('\u{1b}'), "{command:?}: {ran:#?}");
        assert!(!ran.stdout.contains('\r') && !ran.stderr.contains('\r'), "{command:?}: {ran:#?}");
    }
}

/// Marks that would steer a terminal or turn the direction of a text.
fn is_steering(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t')) || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[test]
fn hostile_feeds_are_shown_clean() {
    let attack = "\u{1b}]0;owned\u{7}\u{1b}[31mRed\u{1b}[0m\u{9b}2J <script>alert('x')</script> \u{202e}desrever\u{202c} \u{2066}x";
    let mut post = Post::new(
        "\u{1b}[2Jid",
        attack,
        &format!("{attack} {}", "and so on and on ".repeat(30)),
        "2026-11-18T05:00:00Z",
    );
    post.url = "javascript:alert(document.domain)".to_owned();
    let link = Post::about_nothing_else("link", "2026-11-18T06:00:00Z")
        .at_url("https://posts.example/\"><script>alert(1)</script>");
    let radar = Radar::at(NOW);
    std::fs::write(radar.folder().join("feed.json"), feed(attack, &[post, link])).unwrap();
    radar.add(&["feed.json"]);
    let outputs: [&[&str]; 12] = [
        &WINDOW,
        &["digest"],
        &["digest", "--json"],
        &["source", "list", "--json"],
        &["digest", "--format", "md"],
        &["digest", "--format", "html"],
        &["digest", "--format", "rss"],
        &["item", "1"],
        &["item", "2"],
        &["source", "list"],
        &["source", "test", "feed.json"],
        &["source", "test", "feed.json", "--json"],
    ];
    for command in outputs {
        let printed = radar.ok(command);
        let found: Vec<char> = printed.chars().filter(|c| is_steering(*c)).collect();
        assert!(found.is_empty(), "{command:?}: {found:?} in {printed}");
    }
    assert_eq!(stories(&radar.digest()).len(), 2);
    for format in ["html", "rss", "md"] {
        let printed = radar.ok(&["digest", "--format", format]).to_lowercase();
        assert!(!printed.contains("<script"), "{format}: {printed}");
        assert!(
            !printed.contains("href=\"javascript:")
                && !printed.contains("(javascript:")
                && !printed.contains(">javascript:"),
            "{format}: {printed}"
        );
    }
}
