//! The header of a digest: what was read, how much of it matches, and what could not be read.

use aha_core::digest::{Digest, DigestStatus, ReadBefore, Section, Skipped, SourceReport};
use aha_core::fetch::{FetchErrorKind, SourceStatus};
use aha_core::time::{HOUR_MS, Timestamp};

use super::super::few_matches::few_matches_line;
use super::super::terminal::{self, Footer, Terminal};
use super::super::{Format, all_sources_failed, gaps_line, header_line, is_quiet, late_line, reasons_line, render};
use super::sample;

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
    digest.cost.judgement_failure = Some("openai/m: the server is overloaded (503: no)".to_owned());
    let with_cause = "2 stories are not judged: openai/m: the server is overloaded (503: no)";
    assert!(gaps_line(&digest).is_some_and(|line| line.ends_with(with_cause)), "{:?}", gaps_line(&digest));
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
    let mut east = sample::full();
    east.head.window_start = Timestamp::parse_rfc3339("2026-11-17T23:00:00Z").unwrap();
    "Europe/Berlin".clone_into(&mut east.head.timezone);
    assert!(terminal::render(&east, Terminal::plain(80), latest).contains("--since 2026-11-17 "));
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
fn stories_that_an_earlier_run_had_read_are_not_said_to_be_first_read() {
    let mut digest = sample::full();
    for story in &mut digest.stories[..3] {
        story.published_at = Timestamp::from_millis(digest.head.window_start.as_millis() - HOUR_MS);
        story.read_before = Some(ReadBefore::NotJudged);
    }
    let older = "Older: 3 stories from before the window, since Wed 18 Nov 06:00";
    assert_eq!(late_line(&digest), Some(format!("{older}, not judged last time, tried again")));
    digest.stories[0].read_before = None;
    digest.stories[1].read_before = Some(ReadBefore::EarlierRun);
    let why = "1 first read in this run; 1 not judged last time, tried again; 1 read by an earlier run";
    assert_eq!(late_line(&digest), Some(format!("{older}: {why}")));
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
fn a_model_that_another_one_replaced_is_no_gap() {
    let mut digest = sample::full();
    digest.cost.given_up = vec!["judge/m2 is not asked any more in this run: 500".to_owned()];
    let text = |digest: &Digest| terminal::render(digest, Terminal::plain(100), Footer::default());
    digest.head.status = DigestStatus::Partial;
    assert!(gaps_line(&digest).unwrap().contains("not asked any more: judge/m2"), "{:?}", gaps_line(&digest));
    assert!(!text(&digest).contains("Another model judged"));
    digest.head.status = DigestStatus::Complete;
    assert!(gaps_line(&digest).is_none_or(|line| !line.contains("judge/m2")), "{:?}", gaps_line(&digest));
    assert!(text(&digest).contains("Another model judged; not asked any more: judge/m2"), "{}", text(&digest));
}
