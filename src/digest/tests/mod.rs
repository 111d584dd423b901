//! Renders the sample digests, and checks snapshots and what must never appear in them.

pub(crate) mod sample;

use std::path::Path;

use aha_core::digest::{Digest, DigestStatus, Section, Skipped, SourceReport};
use aha_core::fetch::{FetchErrorKind, SourceStatus};
use aha_core::ids::DigestId;
use aha_core::money::MicroCredits;
use aha_core::run::RunMode;
use aha_core::summary::SINGLE_SOURCE;
use aha_core::time::{HOUR_MS, Timestamp};
use aha_core::verdict::Verdict;
use chrono_tz::Tz;
use insta::assert_snapshot;
use unicode_width::UnicodeWidthStr as _;

use super::few_matches::few_matches_line;
use super::plots::plots;
use super::terminal::{Footer, Terminal};
use super::view::{final_score_in_words, printed_score};
use super::{
    Format, OldFiles, all_sources_failed, gaps_line, header_line, is_quiet, late_line, reasons_line, remove_old_files,
    render, terminal, write_files, write_missing_files,
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
        Terminal::plain(80),
        Footer { html: Some(Path::new("digests/default/2026-11-19T0700.html")), is_latest: true },
    );
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
    assert!(text.lines().all(|line| super::wrap::columns(line) <= 80));
    assert_snapshot!("full_terminal", text);
    assert_snapshot!("quiet_terminal", terminal::render(&sample::quiet(), Terminal::plain(80), Footer::default()));
}

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
        let widest = text.lines().map(super::wrap::columns).max();
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

/// With no item and two sources, both of which failed.
fn nothing_read() -> Digest {
    let mut digest = sample::quiet();
    digest.head.status = DigestStatus::Partial;
    let mut other = digest.sources[0].clone();
    "Heise".clone_into(&mut other.name);
    "https://heise.example/feed".clone_into(&mut other.url);
    digest.sources.push(other);
    for source in &mut digest.sources {
        source.status = SourceStatus::Failed(FetchErrorKind::Dns);
        source.error = Some("the name could not be resolved".to_owned());
    }
    digest
}

#[test]
fn a_digest_of_which_no_source_could_be_read_is_not_quiet() {
    let mut digest = nothing_read();
    let line = "Nothing could be read: all 2 sources failed";
    assert_eq!(header_line(&digest), line);
    assert!(!is_quiet(&digest) && all_sources_failed(&digest));
    let text = terminal::render(&digest, Terminal::plain(80), Footer::default());
    assert!(text.contains(line) && text.contains("Wed 18 Nov 07:00 – Thu 19 Nov 07:00"), "{text}");
    assert!(!text.contains("Quiet") && !text.contains("2 sources could not be read"), "said once: {text}");
    for format in [Format::Markdown, Format::Html, Format::Rss] {
        let text = render(&digest, format, None).unwrap();
        assert!(text.contains(line) && !text.contains("Quiet") && !text.contains("silence"), "{text}");
    }
    digest.sources[0].status = SourceStatus::Waiting;
    let line = "Nothing could be read: of 2 sources 1 failed, and 1 had asked for no request at this time";
    assert_eq!(header_line(&digest), line);
    digest.sources[0].status = SourceStatus::Ok;
    let line = "Quiet: nothing was published between Wed 18 Nov 07:00 and Thu 19 Nov 07:00, as far as can be told: 1 \
                source could not be read";
    assert_eq!(header_line(&digest), line);
    digest.sources.remove(0);
    assert_eq!(header_line(&digest), "Nothing could be read: the only source failed");
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
    assert!(header_line(&digest).ends_with("4 min; none is about your interests"), "{}", header_line(&digest));
    digest.stories[0].score_debug.evidence.matched_interests = vec!["ferries".to_owned()];
    assert!(header_line(&digest).ends_with("; 1 matches your interests"), "{}", header_line(&digest));
    for story in &mut digest.stories[1..3] {
        story.score_debug.evidence.touched_interests = vec!["tidal energy".to_owned()];
    }
    assert!(header_line(&digest).ends_with("; 1 matches your interests, 2 touch them"), "{}", header_line(&digest));
}

#[test]
fn a_digest_says_how_few_of_the_stories_at_the_top_match() {
    let mut digest = sample::full();
    assert_eq!(few_matches_line(&digest), None, "without interests");
    digest.stories.retain(|story| story.section == Section::Top);
    digest.stories.push(digest.stories[0].clone());
    for story in &mut digest.stories {
        let evidence = &mut story.score_debug.evidence;
        (evidence.has_interests, evidence.distinct_sources) = (true, 2);
    }
    let line = "None of the 4 stories at the top matches your interests; they are what several sources report";
    assert_eq!(few_matches_line(&digest).as_deref(), Some(line));
    digest.stories[0].score_debug.evidence.matched_interests = vec!["ferries".to_owned()];
    let line = "1 of 4 stories at the top matches your interests; the others are what several sources report";
    assert_eq!(few_matches_line(&digest).as_deref(), Some(line));
    digest.stories[3].score_debug.evidence.distinct_sources = 1;
    digest.stories[3].score_debug.rule_boost = 1.5;
    let line = "1 of 4 stories at the top matches your interests; of the others, 1 is boosted by a rule of yours and 2 are \
                what several sources report";
    assert_eq!(few_matches_line(&digest).as_deref(), Some(line));
    let terminal = terminal::render(&digest, Terminal::plain(100), Footer::default());
    let others = [Format::Markdown, Format::Html].map(|format| render(&digest, format, None).unwrap());
    for text in others.iter().chain([&terminal]) {
        assert!(text.contains("1 of 4 stories at the top matches your interests; of the others"), "{text}");
    }
    digest.stories[1].score_debug.evidence.touched_interests = vec!["tides".to_owned()];
    assert_eq!(few_matches_line(&digest), None, "half of them match or touch the interests");
    digest.stories.truncate(1);
    digest.stories[0].score_debug.evidence.matched_interests.clear();
    let line = "The story at the top matches none of your interests; it is what several sources report";
    assert_eq!(few_matches_line(&digest).as_deref(), Some(line));
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
fn header_lines_count_right() {
    let mut digest = sample::full();
    assert_eq!(header_line(&digest), "218 items, 15 sources → 3 stories and 4 to scan, 4 min");
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
    assert_eq!(header_line(&digest), "1 item, 1 source → 1 story, 4 min");
    digest.stories[0].section = Section::Scan;
    assert_eq!(header_line(&digest), "1 item, 1 source → 1 to scan, 4 min");
    assert_eq!(reasons_line(&digest.skipped), None);
}

#[test]
fn a_story_below_the_minimum_is_not_said_to_be_ranked_below_others() {
    let mut digest = sample::full();
    digest.stories.truncate(1);
    (digest.head.items, digest.head.sources) = (3, 1);
    digest.skipped = Skipped { folded: 1, below_minimum: 1, ..Skipped::default() };
    assert_eq!(header_line(&digest), "3 items, 1 source → 1 story, 4 min");
    let reasons = reasons_line(&digest.skipped);
    assert_eq!(reasons.as_deref(), Some("1 more in the stories shown · 1 below the topic’s minimum score"));
}

#[test]
fn the_command_that_lists_what_is_left_out_names_topic_and_first_day() {
    let mut digest = sample::full();
    let latest = Footer { html: None, is_latest: true };
    let hint = "aha-radar search --topic default --since 2026-11-18 lists what is left out too";
    assert!(terminal::render(&digest, Terminal::plain(80), latest).contains(hint));
    let older = terminal::render(&digest, Terminal::plain(80), Footer::default());
    assert!(!older.contains("left out too"), "not the latest");
    "Ann's boats".clone_into(&mut digest.head.topic);
    let text = terminal::render(&digest, Terminal::plain(100), latest);
    assert!(text.contains(r"aha-radar search --topic='Ann'\''s boats' --since 2026-11-18"), "{text}");
    digest.skipped = Skipped { folded: 3, ..Skipped::default() };
    assert!(!terminal::render(&digest, Terminal::plain(80), latest).contains("left out too"), "nothing is left out");
}

#[test]
fn a_few_unread_sources_of_many_are_named_at_the_foot_alone() {
    let mut digest = sample::full();
    digest.head.status = DigestStatus::Complete;
    assert_eq!(gaps_line(&digest).as_deref(), Some("Partial: 2 stories are not judged"));
    let text = terminal::render(&digest, Terminal::plain(80), Footer::default());
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
    let text = terminal::render(&digest, Terminal::plain(100), Footer::default());
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
fn a_quiet_day_with_unread_sources_admits_it() {
    let mut digest = sample::quiet();
    assert_eq!(gaps_line(&digest), None);
    digest.sources.push(digest.sources[0].clone());
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
