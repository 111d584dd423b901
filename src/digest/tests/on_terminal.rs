//! The digest on a terminal: widths, colour and links.

use unicode_width::UnicodeWidthStr as _;

use super::super::terminal::{self, Footer, Terminal};
use super::super::wrap;
use super::sample;

#[test]
fn colour_says_nothing_new() {
    let colouring = Terminal { colour: true, ..Terminal::plain(80) };
    let coloured = terminal::render(&sample::full(), colouring, Footer::default());
    assert!(coloured.contains('\u{1b}') && !coloured.contains("\u{1b}[31m") && !coloured.contains("\u{1b}[5m"));
    let plain = anstream::adapter::strip_str(&coloured).to_string();
    assert_eq!(plain, terminal::render(&sample::full(), Terminal::plain(80), Footer::default()));
}

#[test]
fn the_header_names_the_window_and_whether_it_is_the_newest() {
    let header = |is_latest| {
        let text = terminal::render(&sample::full(), Terminal::plain(80), Footer { html: None, is_latest });
        text.lines().nth(1).unwrap().to_owned()
    };
    assert_eq!(header(false), "Wed 18 Nov 07:00 – Thu 19 Nov 07:00, Europe/Berlin");
    assert_eq!(header(true), "Wed 18 Nov 07:00 – Thu 19 Nov 07:00, Europe/Berlin, the newest window");
}

#[test]
fn every_width_fits() {
    for width in [0, 24, 25, 32, 39, 40, 41, 57, 100, 500] {
        let text = terminal::render(&sample::full(), Terminal::plain(width), Footer { html: None, is_latest: true });
        let widest = text.lines().map(wrap::columns).max();
        assert!(widest <= Some(width.clamp(24, 100)), "{width}: {widest:?}");
    }
}

#[test]
fn a_title_to_scan_keeps_its_room_on_a_narrow_terminal() {
    let narrow = terminal::render(&sample::full(), Terminal::plain(32), Footer::default());
    assert!(narrow.contains("\n 5   51  Rust 1.99 is out\n         Planet… · id 949ece\n"), "{narrow}");
    let wide = terminal::render(&sample::full(), Terminal::plain(80), Footer::default());
    assert!(wide.lines().any(|line| line.contains("Rust 1.99 is out") && line.ends_with("949ece")), "{wide}");
}

#[test]
fn titles_are_hyperlinks_where_the_terminal_has_them() {
    let linking = Terminal { colour: true, hyperlinks: true, ..Terminal::plain(80) };
    let text = terminal::render(&sample::full(), linking, Footer::default());
    let links = text.split("\u{1b}]8;;").skip(1);
    let targets: Vec<&str> = links.map(|rest| rest.split('\u{1b}').next().unwrap()).collect();
    // Each link is followed by its end, which has no address. A title of two lines is two links.
    let linked: Vec<&str> = targets.iter().copied().filter(|target| !target.is_empty()).collect();
    assert_eq!(linked.len() * 2, targets.len());
    assert!(linked.iter().all(|target| target.starts_with("https://news.example/")), "no javascript: {linked:?}");
    assert_eq!(linked.first(), Some(&"https://news.example/1"));
    let titles_only = Terminal { hyperlinks: true, ..Terminal::plain(80) };
    let unlinked = terminal::render(&sample::full(), titles_only, Footer::default());
    let unlinked = anstream::adapter::strip_str(&unlinked).to_string();
    assert_eq!(unlinked, terminal::render(&sample::full(), Terminal::plain(80), Footer::default()));
}

#[test]
fn addresses_are_printed_whole_if_asked_for() {
    let mut digest = sample::full();
    let long = format!("https://news.example/{}", "a-long-path/".repeat(10));
    digest.stories[0].url = Some(long.clone());
    let with_addresses = Terminal { addresses: true, ..Terminal::plain(80) };
    let text = terminal::render(&digest, with_addresses, Footer::default());
    for address in [long.as_str(), "https://news.example/5"] {
        assert!(text.lines().any(|line| line.trim() == address), "{address}: {text}");
    }
    assert!(!terminal::render(&digest, Terminal::plain(80), Footer::default()).contains("https://"));
}

#[test]
fn the_whole_of_an_older_digest_is_explained_by_short_ids() {
    let text = terminal::render(&sample::full(), Terminal::plain(80), Footer::default());
    assert!(text.contains("\naha-radar item e5029a tells why"), "{text}");
}

#[test]
fn a_line_with_a_title_of_wide_emoji_is_as_wide_as_the_screen() {
    let mut digest = sample::full();
    digest.stories[4].title = "✅⚡⭐🟢 ".repeat(20);
    let text = terminal::render(&digest, Terminal::plain(80), Footer::default());
    let line = text.lines().find(|line| line.contains("✅⚡⭐🟢")).unwrap();
    assert_eq!(line.width(), 80, "{line}");
}
