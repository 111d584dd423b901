//! Renders the sample digests, and checks snapshots and what must never appear in them.

pub(crate) mod sample;

use std::path::Path;

use aha_core::digest::{Digest, DigestStatus, Section, Skipped, SourceReport};
use aha_core::fetch::{FetchErrorKind, SourceStatus};
use aha_core::ids::DigestId;
use aha_core::money::MicroCredits;
use aha_core::run::RunMode;
use aha_core::time::{HOUR_MS, Timestamp};
use chrono_tz::Tz;
use insta::assert_snapshot;
use unicode_width::UnicodeWidthStr as _;

use super::plots::plots;
use super::terminal::Footer;
use super::view::{final_score_in_words, printed_score};
use super::{
    Format, OldFiles, gaps_line, header_line, late_line, reasons_line, remove_old_files, render, terminal, write_files,
    write_missing_files,
};

#[test]
fn markdown() {
    assert_snapshot!("full_md", render(&sample::full(), Format::Markdown, None).unwrap());
    assert_snapshot!("quiet_md", render(&sample::quiet(), Format::Markdown, None).unwrap());
}

#[test]
fn terminal_without_colour() {
    let text = terminal::render(
        &sample::full(),
        80,
        false,
        Footer { html: Some(Path::new("digests/default/2026-11-19T0700.html")), is_latest: true },
    );
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
    assert!(text.lines().all(|line| super::wrap::columns(line) <= 80));
    assert_snapshot!("full_terminal", text);
    assert_snapshot!("quiet_terminal", terminal::render(&sample::quiet(), 80, false, Footer::default()));
}

#[test]
fn colour_says_nothing_new() {
    let coloured = terminal::render(&sample::full(), 80, true, Footer::default());
    assert!(coloured.contains('\u{1b}') && !coloured.contains("\u{1b}[31m") && !coloured.contains("\u{1b}[5m"));
    let plain = anstream::adapter::strip_str(&coloured).to_string();
    assert_eq!(plain, terminal::render(&sample::full(), 80, false, Footer::default()));
}

#[test]
fn the_header_names_the_window_and_whether_it_is_the_newest() {
    let header = |is_latest| {
        let text = terminal::render(&sample::full(), 80, false, Footer { html: None, is_latest });
        text.lines().nth(1).unwrap().to_owned()
    };
    assert_eq!(header(false), "Wed 18 Nov 07:00 – Thu 19 Nov 07:00, Europe/Berlin");
    assert_eq!(header(true), "Wed 18 Nov 07:00 – Thu 19 Nov 07:00, Europe/Berlin, the newest window");
}

#[test]
fn every_width_fits() {
    for width in [0, 40, 41, 57, 100, 500] {
        let text = terminal::render(&sample::full(), width, false, Footer { html: None, is_latest: true });
        let widest = text.lines().map(super::wrap::columns).max();
        assert!(widest <= Some(width.clamp(40, 100)), "{width}: {widest:?}");
    }
}

#[test]
fn a_line_with_a_title_of_wide_emoji_is_as_wide_as_the_screen() {
    let mut digest = sample::full();
    digest.stories[4].title = "✅⚡⭐🟢 ".repeat(20);
    let text = terminal::render(&digest, 80, false, Footer::default());
    let line = text.lines().find(|line| line.contains("✅⚡⭐🟢")).unwrap();
    assert_eq!(line.width(), 80, "{line}");
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
    assert!(html.contains("not judged (the judgement failed)") && html.contains("not judged (the budget was used up)"));
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
fn a_reader_with_interests_is_told_how_many_stories_are_about_them() {
    let mut digest = sample::full();
    for story in &mut digest.stories {
        story.score_debug.evidence.has_interests = true;
        story.score_debug.evidence.matched_interests.clear();
    }
    assert!(header_line(&digest).contains("4 min; none is about your interests; 99"), "{}", header_line(&digest));
    digest.stories[0].score_debug.evidence.matched_interests = vec!["ferries".to_owned()];
    assert!(header_line(&digest).contains("; 1 matches your interests;"), "{}", header_line(&digest));
    for story in &mut digest.stories[1..3] {
        story.score_debug.evidence.touched_interests = vec!["tidal energy".to_owned()];
    }
    assert!(header_line(&digest).contains("; 1 matches your interests, 2 touch them;"), "{}", header_line(&digest));
}

#[test]
fn header_lines_count_right() {
    let mut digest = sample::full();
    assert_eq!(header_line(&digest), "218 items, 15 sources → 3 stories and 4 to scan, 4 min; 99 items left out");
    assert_eq!(
        reasons_line(&digest.skipped).as_deref(),
        Some(
            "112 more in the stories shown · 20 muted by your rules · 31 shown in an earlier digest · \
             48 ranked below the stories shown"
        )
    );
    assert_eq!(gaps_line(&digest).as_deref(), Some("Partial: 2 sources could not be read; 2 stories are not judged"));
    digest.stories.truncate(1);
    (digest.head.items, digest.head.sources, digest.skipped) = (1, 1, Skipped::default());
    assert_eq!(header_line(&digest), "1 item, 1 source → 1 story, 4 min; nothing left out");
    digest.stories[0].section = Section::Scan;
    assert_eq!(header_line(&digest), "1 item, 1 source → 1 to scan, 4 min; nothing left out");
    assert_eq!(reasons_line(&digest.skipped), None);
}

#[test]
fn a_story_below_the_minimum_is_not_said_to_be_ranked_below_others() {
    let mut digest = sample::full();
    digest.stories.truncate(1);
    (digest.head.items, digest.head.sources) = (3, 1);
    digest.skipped = Skipped { folded: 1, below_minimum: 1, ..Skipped::default() };
    assert_eq!(header_line(&digest), "3 items, 1 source → 1 story, 4 min; 1 item left out");
    let reasons = reasons_line(&digest.skipped);
    assert_eq!(reasons.as_deref(), Some("1 more in the stories shown · 1 below the topic’s minimum score"));
}

#[test]
fn the_command_that_lists_what_is_left_out_names_topic_and_first_day() {
    let mut digest = sample::full();
    let latest = Footer { html: None, is_latest: true };
    let hint = "aha-radar search --topic default --since 2026-11-18 lists what is left out too";
    assert!(terminal::render(&digest, 80, false, latest).contains(hint));
    assert!(!terminal::render(&digest, 80, false, Footer::default()).contains("left out too"), "not the latest");
    "Ann's boats".clone_into(&mut digest.head.topic);
    let text = terminal::render(&digest, 100, false, latest);
    assert!(text.contains(r"aha-radar search --topic='Ann'\''s boats' --since 2026-11-18"), "{text}");
    digest.skipped = Skipped { folded: 3, ..Skipped::default() };
    assert!(!terminal::render(&digest, 80, false, latest).contains("left out too"), "nothing is left out");
}

#[test]
fn a_few_unread_sources_of_many_are_named_at_the_foot_alone() {
    let mut digest = sample::full();
    digest.head.status = DigestStatus::Complete;
    assert_eq!(gaps_line(&digest).as_deref(), Some("Partial: 2 stories are not judged"));
    let text = terminal::render(&digest, 80, false, Footer::default());
    assert_eq!(text.matches("2 sources could not be read").count(), 1);
}

#[test]
fn sources_that_fail_alike_are_listed_together() {
    let mut digest = sample::full();
    let failed = digest.sources.iter().find(|source| source.status != SourceStatus::Ok).unwrap().clone();
    for number in 0..5 {
        let host = format!("host{number}.example");
        let error = Some(format!("the name {host} could not be resolved"));
        let (url, name) = (format!("https://{host}/feed"), format!("Feed {number}"));
        digest.sources.push(SourceReport {
            url,
            name,
            status: SourceStatus::Failed(FetchErrorKind::Dns),
            error,
            ..failed.clone()
        });
    }
    let text = terminal::render(&digest, 100, false, Footer::default());
    assert!(text.contains("7 sources could not be read"), "{text}");
    assert!(text.contains("Feed 0, Feed 1, Feed 2 and 2 more — dns: the name … could not be resolved"), "{text}");
    assert!(text.contains("Old Forge — timeout"), "{text}");
}

#[test]
fn stories_from_before_the_window_are_counted_with_the_reason() {
    let mut digest = sample::full();
    for (story, hours) in digest.stories.iter_mut().zip([30, 20]) {
        story.published_at = Timestamp::from_millis(digest.head.window_end.as_millis() - (24 + hours) * HOUR_MS);
    }
    let line = "Older: 2 stories from before the window, since Tue 17 Nov 01:00, first read in this run";
    assert_eq!(late_line(&digest).as_deref(), Some(line));
    for format in [Format::Markdown, Format::Html] {
        assert!(render(&digest, format, None).unwrap().contains(line), "{format:?}");
    }
    digest.stories[0].sources[0].late = true;
    digest.sources[0].late = 1;
    let late = late_line(&digest).unwrap();
    assert!(late.starts_with("Late: 1 item of LWN, ") && late.contains(". Older: 1 story "), "{late}");
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
    let text = terminal::render(&digest, 80, false, Footer::default());
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
        let text = terminal::render(digest, 100, false, Footer { html: None, is_latest: true });
        text.lines().last().unwrap().to_owned()
    };
    assert_eq!(command(&digest), "aha-radar item 1 tells why");
    "boats".clone_into(&mut digest.head.topic);
    assert_eq!(command(&digest), "aha-radar item 1 --topic boats tells why");
    "Ann's boats".clone_into(&mut digest.head.topic);
    assert_eq!(command(&digest), r"aha-radar item 1 --topic='Ann'\''s boats' tells why");
}

#[test]
fn a_quiet_day_with_unread_sources_admits_it() {
    let mut digest = sample::quiet();
    assert_eq!(gaps_line(&digest), None);
    digest.sources[0].status = SourceStatus::Failed(FetchErrorKind::Timeout);
    assert!(header_line(&digest).ends_with("07:00, as far as can be told: 1 source could not be read"));
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
