//! The lines above a digest: what was read, what is shown, why the rest is not, what is missing.
//!
//! Input: a digest. Output: one sentence each. Called by every rendering, by the command line and by logs.

use aha_content::numbers::count;
use aha_core::digest::{Cost, Digest, DigestStatus, DigestStory, ReadBefore, Section, Skipped, SourceReport};
use aha_core::fetch::SourceStatus;

use super::few_matches::few_matches_line;
use super::format::{Calendar, list};
use super::sanitise::short_text;

/// Characters shown of a provider's error message.
const REASON_CHARS: usize = 200;
/// Characters shown of a source's name.
const NAME_CHARS: usize = 80;
/// Late sources that are named; the rest are counted.
const LATE_NAMED: usize = 5;

/// Formats `218 items, 15 sources → 10 stories and 20 to scan, 4 min`, with the number of stories about the reader's
/// interests if there are any; or states that the day was quiet, or that nothing could be read.
#[must_use]
pub fn header_line(digest: &Digest) -> String {
    let head = &digest.head;
    if all_sources_failed(digest) {
        return failed_line(digest);
    }
    if is_quiet(digest) {
        return quiet_line(digest);
    }
    let came_in = format!("{}, {}", count(head.items, "item", "items"), count(head.sources, "source", "sources"));
    let interests = about_interests(digest).map(|about| format!("; {about}")).unwrap_or_default();
    format!("{came_in} → {}{interests}", shown(digest))
}

/// Formats `4 match your interests, 6 touch them`; `None` if the reader has no interests or nothing is shown.
fn about_interests(digest: &Digest) -> Option<String> {
    let evidence =
        || digest.stories.iter().map(|story| &story.score_debug.evidence).filter(|known| known.has_interests);
    evidence().next()?;
    let matching = evidence().filter(|known| !known.matched_interests.is_empty()).count();
    let touching =
        evidence().filter(|known| known.matched_interests.is_empty() && !known.touched_interests.is_empty()).count();
    let verb = |n: usize, plural: &str, singular: &str| format!("{n} {}", if n == 1 { singular } else { plural });
    Some(match (matching, touching) {
        (0, 0) => "none is about your interests".to_owned(),
        (n, 0) => format!("{} your interests", verb(n, "match", "matches")),
        (0, n) => format!("{} your interests", verb(n, "touch", "touches")),
        (n, m) => format!("{} your interests, {} them", verb(n, "match", "matches"), verb(m, "touch", "touches")),
    })
}

/// Formats `112 more in the stories shown · 20 muted by your rules · …`: why items are not shown.
#[must_use]
pub fn reasons_line(skipped: &Skipped) -> Option<String> {
    let parts = reason_list(skipped);
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// Returns the parts of [`reasons_line`].
pub(super) fn reason_list(skipped: &Skipped) -> Vec<String> {
    reasons(skipped).map(|(_, n, words)| format!("{n} {words}")).collect()
}

/// Returns key, number and description of each reason that applies to at least one item.
pub(super) fn reasons(skipped: &Skipped) -> impl Iterator<Item = (&'static str, usize, &'static str)> {
    [
        ("folded", skipped.folded, "more in the stories shown"),
        ("muted", skipped.muted, "muted by your rules"),
        ("before", skipped.already_delivered, "shown in an earlier digest"),
        ("lower", skipped.ranked_lower, "ranked below the stories shown"),
        ("low", skipped.below_minimum, "below the topic’s minimum score"),
        ("over", skipped.not_considered, "not judged: over the number that a run judges"),
    ]
    .into_iter()
    .filter(|(_, n, _)| *n > 0)
}

/// Formats what a partial digest lacks: `Partial: 2 sources could not be read; 1 story is not judged`.
#[must_use]
pub fn gaps_line(digest: &Digest) -> Option<String> {
    let mut gaps = gaps(digest);
    let unread = unread(digest).count();
    // A few of many sources are named in the footer only.
    if unread > 0 && digest.head.status == DigestStatus::Partial {
        gaps.insert(0, format!("{} could not be read", count(unread, "source", "sources")));
    }
    if gaps.is_empty() && digest.head.status == DigestStatus::Partial {
        gaps.push("something failed; aha-radar runs tells what".to_owned());
    }
    in_one_line(&gaps)
}

/// Like [`gaps_line`], without what [`header_line`] states already.
pub(super) fn other_gaps_line(digest: &Digest) -> Option<String> {
    if all_sources_failed(digest) { in_one_line(&gaps(digest)) } else { gaps_line(digest) }
}

fn in_one_line(gaps: &[String]) -> Option<String> {
    (!gaps.is_empty()).then(|| format!("Partial: {}", gaps.join("; ")))
}

/// Returns what a digest lacks, except for the sources.
fn gaps(digest: &Digest) -> Vec<String> {
    let cost = &digest.cost;
    // Stories left out because of the budget are counted separately, with the reason.
    let by_budget = |state: &str| state == "skipped_noise" || (state == "skipped_budget" && budget_gap(cost).is_some());
    let unjudged = digest.stories.iter().filter(|s| s.aha_score.is_none() && !by_budget(&s.state)).count();
    let mut gaps = Vec::new();
    if unjudged > 0 {
        let unjudged = count(unjudged, "story is not judged", "stories are not judged");
        // Models that were given up are named below, with the reason.
        gaps.push(match cost.judgement_failure.as_ref().filter(|_| cost.given_up.is_empty()) {
            Some(why) => format!("{unjudged}: {}", short_text(why, REASON_CHARS)),
            None => unjudged,
        });
    }
    if cost.summaries_failed > 0 {
        gaps.push(count(cost.summaries_failed, "summary failed", "summaries failed"));
    }
    gaps.extend(budget_gap(cost));
    if digest.head.status != DigestStatus::Complete {
        gaps.extend(given_up(digest));
    }
    if let Some(why) = &cost.lexical_only {
        gaps.push(format!("stories were put together by their words alone: {}", short_text(why, REASON_CHARS)));
    }
    gaps
}

/// Returns the models that the run stopped asking.
fn given_up(digest: &Digest) -> impl Iterator<Item = String> {
    digest.cost.given_up.iter().map(|why| format!("not asked any more: {}", short_text(why, REASON_CHARS)))
}

/// Returns what a reader should know of the stories shown: how few match the interests, which are late or older, and
/// which models were given up for others, if nothing is missing for it.
pub(super) fn notes_line(digest: &Digest) -> Option<String> {
    let is_complete = digest.head.status == DigestStatus::Complete;
    let replaced = given_up(digest).filter(|_| is_complete).map(|why| format!("Another model judged; {why}"));
    let notes: Vec<String> = few_matches_line(digest).into_iter().chain(late_line(digest)).chain(replaced).collect();
    (!notes.is_empty()).then(|| notes.join(". "))
}

/// Formats `Late: 12 items of Small Notes and LWN, which could not be read when due`, and what is older than the window.
#[must_use]
pub fn late_line(digest: &Digest) -> Option<String> {
    let late: Vec<&SourceReport> = digest.sources.iter().filter(|source| source.late > 0).collect();
    let items: usize = late.iter().map(|source| source.late).sum();
    let names: Vec<String> = late.iter().map(|source| short_text(&source.name, NAME_CHARS)).collect();
    let late = (items > 0).then(|| {
        let items = count(items, "item", "items");
        format!("Late: {items} of {}, which could not be read when due", list(&names, LATE_NAMED))
    });
    let lines: Vec<String> = late.into_iter().chain(older_line(digest)).collect();
    (!lines.is_empty()).then(|| lines.join(". "))
}

/// Formats `Older: 3 stories from before the window, since Tue 17 Feb 09:10, first read in this run`, or what is
/// known of them otherwise. Those first read are of sources that were added, or published with a delay. Late stories
/// are distinguished.
fn older_line(digest: &Digest) -> Option<String> {
    let head = &digest.head;
    let is_older = |story: &&DigestStory| {
        story.published_at < head.window_start && !story.sources.iter().any(|source| source.late)
    };
    let older: Vec<&DigestStory> = digest.stories.iter().filter(is_older).collect();
    let oldest = older.iter().map(|story| story.published_at).min()?;
    let stories = count(older.len(), "story", "stories");
    let since = Calendar::of(head).moment(oldest);
    let why = [
        (None, "first read in this run"),
        (Some(ReadBefore::NotJudged), "not judged last time, tried again"),
        (Some(ReadBefore::EarlierRun), "read by an earlier run"),
    ];
    let number = |wanted| older.iter().filter(|story| story.read_before == wanted).count();
    let parts = why.map(|(wanted, words)| (number(wanted), words)).into_iter().filter(|(number, _)| *number > 0);
    let parts: Vec<(usize, &str)> = parts.collect();
    let why = match parts.as_slice() {
        [(_, words)] => format!(", {words}"),
        several => {
            let several: Vec<String> = several.iter().map(|(number, words)| format!("{number} {words}")).collect();
            format!(": {}", several.join("; "))
        }
    };
    Some(format!("Older: {stories} from before the window, since {since}{why}"))
}

/// Formats `the daily budget of 2 credits is used up (…), so 14 stories are not judged and 3 have no summary`.
fn budget_gap(cost: &Cost) -> Option<String> {
    let why: Vec<&str> = cost.budget_exhausted.iter().chain(&cost.calls_used_up).map(String::as_str).collect();
    if why.is_empty() {
        return None;
    }
    let mut left_out = Vec::new();
    if cost.judgements_skipped > 0 {
        left_out.push(count(cost.judgements_skipped, "story is not judged", "stories are not judged"));
    }
    if cost.summaries_skipped > 0 {
        left_out.push(count(cost.summaries_skipped, "story has no summary", "stories have no summary"));
    }
    if left_out.is_empty() && !cost.calls_used_up.is_empty() {
        left_out.push("some details are missing".to_owned());
    }
    (!left_out.is_empty()).then(|| format!("{}, so {}", why.join(" and "), left_out.join(" and ")))
}

/// Returns the sources that the run could not read, for whatever reason.
pub(super) fn unread(digest: &Digest) -> impl Iterator<Item = &SourceReport> {
    digest.sources.iter().filter(|source| source.status != SourceStatus::Ok)
}

/// Returns whether nothing was published, as far as can be told.
pub(crate) fn is_quiet(digest: &Digest) -> bool {
    let is_empty = digest.stories.is_empty() && (digest.head.status == DigestStatus::Quiet || digest.head.items == 0);
    is_empty && !all_sources_failed(digest)
}

/// Returns whether there is nothing to read because no source could be read, which is no quiet day.
pub(crate) fn all_sources_failed(digest: &Digest) -> bool {
    let is_empty = digest.stories.is_empty() && digest.head.items == 0;
    // A source whose server had asked for no request at this time is not read either, but has not failed.
    let has_failure = digest.sources.iter().any(|source| source.status.is_failure());
    is_empty && has_failure && unread(digest).count() == digest.sources.len()
}

/// Formats `Nothing could be read: all 59 sources failed`.
fn failed_line(digest: &Digest) -> String {
    let failed = digest.sources.iter().filter(|source| source.status.is_failure()).count();
    let why = match (failed, digest.sources.len()) {
        (1, 1) => "the only source failed".to_owned(),
        (failed, all) if failed == all => format!("all {all} sources failed"),
        (failed, all) => {
            let waiting = all - failed;
            format!("of {all} sources {failed} failed, and {waiting} had asked for no request at this time")
        }
    };
    format!("Nothing could be read: {why}")
}

fn quiet_line(digest: &Digest) -> String {
    let calendar = Calendar::of(&digest.head);
    let (start, end) = (calendar.moment(digest.head.window_start), calendar.moment(digest.head.window_end));
    let line = format!("Quiet: nothing was published between {start} and {end}");
    match unread(digest).count() {
        0 => line,
        n => format!("{line}, as far as can be told: {} could not be read", count(n, "source", "sources")),
    }
}

fn shown(digest: &Digest) -> String {
    let of = |section| digest.stories.iter().filter(|story| story.section == section).count();
    let stories = match (of(Section::Top), of(Section::Scan)) {
        (0, 0) => return "no stories".to_owned(),
        (top, 0) => count(top, "story", "stories"),
        (0, scan) => format!("{scan} to scan"),
        (top, scan) => format!("{} and {scan} to scan", count(top, "story", "stories")),
    };
    match digest.head.reading_minutes {
        0 => format!("{stories}, under 1 min"),
        minutes => format!("{stories}, {minutes} min"),
    }
}
