//! Renders the sample digests, and checks snapshots and what must never appear in them.

mod header;
mod on_terminal;
pub(crate) mod sample;

use std::path::Path;

use aha_core::digest::Digest;
use aha_core::ids::DigestId;
use aha_core::money::MicroCredits;
use aha_core::run::RunMode;
use aha_core::summary::SINGLE_SOURCE;
use aha_core::time::Timestamp;
use aha_core::verdict::Verdict;
use chrono_tz::Tz;
use insta::assert_snapshot;

use super::plots::plots;
use super::rss::{self, Entry, Feed};
use super::terminal::{Footer, Terminal};
use super::view::{final_score_in_words, printed_score};
use super::{Format, OldFiles, late_line, remove_old_files, render, terminal, write_files, write_missing_files};

#[test]
fn markdown() {
    assert_snapshot!("full_md", render(&sample::full(), Format::Markdown, None).unwrap());
    assert_snapshot!("quiet_md", render(&sample::quiet(), Format::Markdown, None).unwrap());
}

#[test]
fn terminal_without_colour() {
    let text = terminal::render(
        &sample::full(),
        Terminal::plain(80),
        Footer { html: Some(Path::new("digests/default/2026-11-19T0700.html")), is_latest: true },
    );
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
    assert!(text.lines().all(|line| super::wrap::columns(line) <= 80));
    assert_snapshot!("full_terminal", text);
    assert_snapshot!("quiet_terminal", terminal::render(&sample::quiet(), Terminal::plain(80), Footer::default()));
}

#[test]
fn rss() {
    let xml = render(&sample::full(), Format::Rss, None).unwrap();
    let feed = feed_rs::parser::parse(xml.as_bytes()).unwrap();
    assert_eq!(feed.entries.len(), sample::full().stories.len());
    assert_eq!(feed.entries[0].id, sample::full().stories[0].id.to_string());
    assert!(feed.entries.iter().all(|entry| entry.links.iter().all(|link| link.href.starts_with("https://"))));
    assert_snapshot!("full_rss", xml);
    assert_snapshot!("quiet_rss", render(&sample::quiet(), Format::Rss, None).unwrap());
}

#[test]
fn a_feed_that_has_an_address_contains_it_and_its_program() {
    let entry = Entry {
        id: "urn:uuid:1".to_owned(),
        title: "Ne\u{fffe}ws of the quay".to_owned(),
        link: None,
        published: Timestamp::from_millis(0),
        category: "",
        author: None,
        html: "<p>A &amp; B</p>".to_owned(),
    };
    let feed = Feed {
        title: "default: saved".to_owned(),
        description: "default: saved".to_owned(),
        home: "https://r.example/saved".to_owned(),
        address: Some("https://r.example/feeds/default/saved.rss".to_owned()),
        updated: Timestamp::from_millis(0),
        entries: vec![entry],
    };
    let xml = rss::write(&feed).unwrap();
    for part in [
        "<rss version=\"2.0\" xmlns:atom=\"http://www.w3.org/2005/Atom\">",
        "<atom:link rel=\"self\" type=\"application/rss+xml\" href=\"https://r.example/feeds/default/saved.rss\"/>",
        "<generator>aha-radar</generator>",
        "<title>News of the quay</title>",
        "<description>&lt;p&gt;A &amp;amp; B&lt;/p&gt;</description>",
    ] {
        assert!(xml.contains(part), "{part}: {xml}");
    }
    assert_eq!(feed_rs::parser::parse(xml.as_bytes()).unwrap().entries[0].id, "urn:uuid:1");
}

#[test]
fn html_stands_alone_and_runs_nothing() {
    let html = render(&sample::full(), Format::Html, None).unwrap();
    assert!(html.starts_with("<!DOCTYPE html>"));
    assert!(html.contains("<title>default, Thursday 19 November 2026 · Aha Radar</title>"));
    assert!(html.contains("content=\"default-src 'none'; style-src 'unsafe-inline'\""));
    let lower = html.to_lowercase();
    for never in
        ["<script", "javascript:", "data:", "<link", "<img", "src=", "@import", "url(", "(no title)", "onerror"]
    {
        assert!(!lower.contains(never), "{never}");
    }
    for href in html.split("href=\"").skip(1) {
        let file = href.split('"').next().unwrap_or("");
        let is_picture = Path::new(file).extension().is_some_and(|end| end == "svg") && !file.contains(['/', ':']);
        assert!(href.starts_with("https://") || href.starts_with('#') || is_picture, "{href:.40}");
    }
    assert_eq!(html.matches("href=\"https://").count(), html.matches("rel=\"noopener noreferrer\"").count());
    assert!(!html.contains(|c: char| c != '\n' && super::sanitise::is_hidden(c)));
    assert!(html.contains("not judged (the judgement failed)"));
    assert!(html.contains("not judged (the budget did not reach)"));
    assert!(html.contains("New since 14 Nov: now also told by LWN and Heise"));
}

#[test]
fn quiet_html_says_so() {
    let html = render(&sample::quiet(), Format::Html, None).unwrap();
    assert!(html.contains("Quiet: nothing was published between Wed 18 Nov 07:00 and Thu 19 Nov 07:00"));
    assert!(!html.contains("<article") && !html.contains("To scan"));
}

#[test]
fn json_is_the_digest() {
    let json = render(&sample::full(), Format::Json, None).unwrap();
    assert_eq!(serde_json::from_str::<Digest>(&json).unwrap(), sample::full());
    assert!(json.starts_with("{\n  \"digest\": {\n    \"id\": "));
    assert!(!json.contains(|c: char| c != '\n' && super::sanitise::is_hidden(c)));
}

#[test]
fn what_the_reason_and_the_sources_say_is_not_repeated_by_a_local_summary() {
    let mut digest = sample::full();
    let summary = digest.stories[0].summary.as_mut().unwrap();
    summary.why_it_matters =
        vec!["2 sources tell it independently.".to_owned(), "You asked for physics research.".to_owned()];
    summary.risks_or_caveats = vec![SINGLE_SOURCE.to_owned(), "The feed carries a teaser only.".to_owned()];
    digest.stories[0].triage = Some(Verdict {
        schema_version: "triage_v1".to_owned(),
        prompt_id: "triage_v1".to_owned(),
        provider: "local".to_owned(),
        model: "local".to_owned(),
        aha_score: 87,
        reason: "Matches physics research".to_owned(),
        is_relevant: true,
        is_novel: true,
        categories: Vec::new(),
        should_deep_summarize: true,
    });
    "Matches your “physics research”".clone_into(&mut digest.stories[0].reason);
    digest.stories[0].score_debug.evidence.matched_interests = vec!["physics research".to_owned()];
    for format in [Format::Markdown, Format::Html] {
        let text = render(&digest, format, None).unwrap();
        assert!(!text.contains("You asked for") && !text.contains("tell it independently"), "{text}");
        assert!(!text.contains("A single source"), "{text}");
        assert!(text.contains("The feed carries a teaser only."), "{text}");
    }
    "Told by 2 sources".clone_into(&mut digest.stories[0].reason);
    let text = render(&digest, Format::Markdown, None).unwrap();
    assert!(text.contains("You asked for physics research"), "the reason does not name the interest: {text}");
    "openai".clone_into(&mut digest.stories[0].triage.as_mut().unwrap().provider);
    let text = render(&digest, Format::Markdown, None).unwrap();
    assert!(text.contains("tell it independently") && text.contains("A single source"), "of a model: {text}");
}

#[test]
fn a_reason_that_names_the_rule_is_shown_as_it_is() {
    let mut digest = sample::full();
    digest.stories[0].score_debug.rule_boost = 1.5;
    let shown = |digest: &Digest| render(digest, Format::Markdown, None).unwrap();
    assert!(shown(&digest).contains("; boosted by a rule of yours"), "as an earlier version stored it");
    "A new kernel; +15: your rule boosts source:LWN".clone_into(&mut digest.stories[0].reason);
    assert!(
        !shown(&digest).contains("boosted by a rule of yours") && shown(&digest).contains("your rule boosts source")
    );
}

#[test]
fn the_printed_score_and_the_exact_one_are_shown_together() {
    let mut story = sample::full().stories.remove(0);
    for (exact, words) in [
        (68.9973, "68 of 100, rounded down from 68.9973"),
        (80.9999, "80 of 100, rounded down from 80.9999"),
        (81.0, "81 of 100"),
    ] {
        story.final_score = exact;
        assert_eq!(final_score_in_words(&story), words);
        assert!(words.starts_with(&format!("{} of 100", printed_score(&story).unwrap())));
    }
    story.aha_score = None;
    assert_eq!(final_score_in_words(&story), "81 of 100");
}

/// A window run does not take the files of another window, a cursor run does; nothing is lost either way.
#[test]
fn windows_with_the_same_end_have_files_of_their_own() {
    let output = tempfile::tempdir().unwrap();
    let cursor = sample::full();
    let mut window = sample::full();
    window.head.id = DigestId::of(&["window"]);
    window.head.mode = RunMode::Window;
    window.head.window_start = window.head.window_start.days_before(5);
    let id_in = |name: &str| {
        let text = std::fs::read_to_string(output.path().join("default").join(name)).unwrap();
        serde_json::from_str::<Digest>(&text).unwrap().head.id
    };
    let (end, long) = ("2026-11-19T0700.json", "2026-11-19T0700_from_2026-11-13T0700.json");
    write_files(output.path(), &window, None).unwrap();
    assert_eq!(id_in(end), window.head.id, "the name is free");
    write_missing_files(output.path(), &cursor, None).unwrap();
    assert_eq!((id_in(end), id_in(long)), (cursor.head.id, window.head.id));
    write_files(output.path(), &window, None).unwrap();
    assert_eq!((id_in(end), id_in(long)), (cursor.head.id, window.head.id));
    assert_eq!(std::fs::read_dir(output.path().join("default")).unwrap().count(), 12);
    let before = OldFiles { time: cursor.head.window_end.days_after(9), zone: Tz::UTC, newest: Some(&cursor) };
    assert_eq!(remove_old_files(output.path(), "default", &before, false).unwrap(), 0, "both end with the newest");
    let all = OldFiles { newest: None, ..before };
    assert_eq!(remove_old_files(output.path(), "default", &all, true).unwrap(), 12);
}

#[test]
fn what_came_late_is_counted_and_marked() {
    let mut digest = sample::full();
    assert_eq!(late_line(&digest), None);
    (digest.sources[0].late, digest.sources[1].late) = (11, 1);
    digest.stories[0].sources[0].late = true;
    let line = "Late: 12 items of LWN and Old Forge, which could not be read when due";
    assert_eq!(late_line(&digest).as_deref(), Some(line));
    let text = terminal::render(&digest, Terminal::plain(80), Footer::default());
    assert!(text.contains(line) && text.contains("(late)"), "{text}");
    for format in [Format::Markdown, Format::Html] {
        let text = render(&digest, format, None).unwrap();
        assert!(text.contains(line) && text.contains("late"), "{text}");
    }
}

#[test]
fn the_command_named_is_about_the_digests_topic() {
    let mut digest = sample::full();
    let command = |digest: &Digest| {
        let text = terminal::render(digest, Terminal::plain(100), Footer { html: None, is_latest: true });
        text.lines().last().unwrap().to_owned()
    };
    assert_eq!(command(&digest), "aha-radar item 1 tells why");
    "boats".clone_into(&mut digest.head.topic);
    assert_eq!(command(&digest), "aha-radar item 1 --topic boats tells why");
    "Ann's boats".clone_into(&mut digest.head.topic);
    assert_eq!(command(&digest), r"aha-radar item 1 --topic='Ann'\''s boats' tells why");
}

#[test]
fn cost_is_told_with_its_judges() {
    let mut digest = sample::full();
    digest.cost.microcredits = MicroCredits(1_250_000);
    let summary = digest.stories[0].summary.as_mut().unwrap();
    (summary.provider, summary.model) = ("openai".to_owned(), "gpt-5-mini".to_owned());
    let markdown = render(&digest, Format::Markdown, None).unwrap();
    assert!(markdown.contains("cost: 1.25 credits, judged by openai/gpt-5-mini"), "{markdown}");
}

#[test]
fn an_unknown_cost_is_not_told_as_nothing() {
    let mut digest = sample::full();
    let costs = |digest: &Digest, words: &str| {
        let terminal = terminal::render(digest, Terminal::plain(200), Footer::default());
        let others = [Format::Markdown, Format::Html].map(|format| render(digest, format, None).unwrap());
        for text in others.iter().chain([&terminal]) {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(text.contains(words), "{words}: {text}");
        }
    };
    digest.cost.unpriced_calls = 7;
    costs(&digest, "cost: unknown (7 calls without a price), judged");
    digest.cost.microcredits = MicroCredits(20_000);
    costs(&digest, "cost: 0.02 credits and an unknown amount (7 calls without a price), judged");
    digest.cost.unpriced_calls = 0;
    digest.cost.unsettled_calls = 1;
    costs(&digest, "; 1 call of unknown cost is in it, at the most that was set aside for it");
    digest.cost.unsettled_calls = 39;
    costs(&digest, "; 39 calls of unknown cost are in it, at the most that was set aside for them");
    let json = render(&digest, Format::Json, None).unwrap();
    assert!(json.contains("\"unsettled_calls\": 39"), "{json}");
    digest.cost.unsettled_calls = 0;
    digest.cost.overcharged_calls = 1;
    digest.cost.near_cap = Some("83 % of the daily budget of 2 credits is used".to_owned());
    costs(&digest, "; 1 call cost more than was reserved; 83 % of the daily budget of 2 credits is used");
}

#[test]
fn formats_are_known_by_name() {
    for (name, format) in
        [("md", Format::Markdown), ("html", Format::Html), ("json", Format::Json), ("rss", Format::Rss)]
    {
        assert_eq!(name.parse(), Ok(format));
    }
    let unknown = "pdf".parse::<Format>().unwrap_err().to_string();
    assert_eq!(unknown, "\"pdf\" is not a format of a digest; use md, html, json or rss");
}

#[test]
fn files_are_written_whole_and_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut digest = sample::full();
    for _ in 0..2 {
        let paths = write_files(folder.path(), &digest, None).unwrap();
        let names: Vec<_> =
            paths.iter().map(|path| path.strip_prefix(folder.path()).unwrap().to_str().unwrap()).collect();
        let stem = "default/2026-11-19T0700";
        assert_eq!(
            names,
            ["md", "html", "json", "xml", "scores.svg", "timeline.svg"].map(|extension| format!("{stem}.{extension}"))
        );
    }
    assert_eq!(std::fs::read_dir(folder.path().join("default")).unwrap().count(), 6);
    "../../escape".clone_into(&mut digest.head.topic);
    for path in write_files(folder.path(), &digest, None).unwrap() {
        assert!(path.canonicalize().unwrap().starts_with(folder.path().canonicalize().unwrap()));
    }
}

#[test]
fn files_link_to_feedback_where_the_pages_have_an_address() {
    let id = sample::full().stories[0].id.to_string();
    for format in [Format::Html, Format::Rss] {
        let without = render(&sample::full(), format, None).unwrap();
        let with = render(&sample::full(), format, Some("https://r.example/a")).unwrap();
        let link = format!("https://r.example/a/stories/{id}/say?kind=like");
        assert!(with.contains(&link) && !without.contains("/say?kind="), "{format:?}");
    }
}

#[test]
fn pictures_are_the_same_for_the_same_digest_and_there_are_none_of_a_quiet_day() {
    let digest = sample::full();
    let drawn = plots(&digest).unwrap();
    let again = plots(&digest).unwrap();
    assert_eq!(drawn.iter().map(|plot| plot.name).collect::<Vec<_>>(), ["scores", "timeline"]);
    for (plot, same) in drawn.iter().zip(&again) {
        assert_eq!(plot.svg, same.svg);
        assert!(plot.svg.starts_with("<svg") && plot.svg.trim_end().ends_with("</svg>"));
        assert!(!plot.svg.contains("<script") && !plot.svg.contains("NaN"), "{}", plot.svg);
    }
    let told: usize = digest.stories.iter().map(|story| story.sources.len()).sum();
    assert_eq!(drawn[1].svg.matches("<circle").count(), told);
    assert!(plots(&sample::quiet()).unwrap().is_empty());
}
