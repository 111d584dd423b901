//! The texts of a digest, ready for layout: text from outside cleaned, links checked, times in the digest's zone.
//!
//! Input: a digest. Output: a [`Page`]. Called by the Markdown, HTML, RSS and terminal renderings, which only escape
//! and arrange, so that their content is the same.

use std::collections::{BTreeSet, HashMap};

use aha_core::digest::{Digest, DigestHead, DigestStory, Label, Section, Since, SourceReport, StorySource};
use aha_core::failures::{Failure, group_failures};
use aha_core::fetch::SourceStatus;
use aha_core::summary::{SINGLE_SOURCE, Summary};
use aha_core::time::Timestamp;
use aha_core::topic::{DEFAULT_TOPIC, topic_option};
use aha_llm::local;

use super::cost_summary;
use super::format::{Calendar, list};
use super::header::{all_sources_failed, header_line, notes_line, other_gaps_line, reason_list, unread};
use super::quote::Quote;
use super::sanitise::{Link, short_text, text};

/// Longest title or message shown.
const MAX_CHARS: usize = 300;

#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) topic: String,
    /// `Thursday 19 November 2026`: the last day of the window, or `16 – 19 November 2026` for several.
    pub(crate) day: String,
    pub(crate) window: String,
    pub(crate) header: String,
    pub(crate) reasons: Vec<String>,
    pub(crate) gaps: Option<String>,
    /// How few stories match the interests, and which are late or older than the window.
    pub(crate) late: Option<String>,
    pub(crate) top: Vec<Story>,
    pub(crate) scan: Vec<Story>,
    pub(crate) failing: Vec<Failing>,
    /// Number of sources that could not be read.
    pub(crate) unread: usize,
    has_only_failed_sources: bool,
    pub(crate) cost: String,
    pub(crate) digest_id: String,
    /// `aha-radar item RANK`, with the topic unless it is the default one.
    pub(crate) item_command: String,
}

/// A digest's first line, and only the titles and links of its stories.
#[derive(Debug)]
pub(crate) struct Overview {
    pub(crate) topic: String,
    pub(crate) day: String,
    pub(crate) header: String,
    pub(crate) top: Vec<(String, Link)>,
    pub(crate) scan: Vec<(String, Link)>,
}

impl Overview {
    pub(crate) fn of(digest: &Digest) -> Self {
        let head = &digest.head;
        let section = |wanted| {
            let stories = digest.stories.iter().filter(move |story| story.section == wanted);
            stories.map(|story| (story_title(story), Link::of(story.url.as_deref()))).collect()
        };
        Self {
            topic: short_text(&head.topic, MAX_CHARS),
            day: Calendar::of(head).days(head.window_start, head.window_end),
            header: header_line(digest),
            top: section(Section::Top),
            scan: section(Section::Scan),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Story {
    pub(crate) id: String,
    pub(crate) rank: usize,
    pub(crate) title: String,
    pub(crate) link: Link,
    pub(crate) label: &'static str,
    pub(crate) score: Option<u8>,
    /// `82 of 100`, or why there is no score.
    pub(crate) score_words: String,
    /// The id by which commands find the story in any digest.
    pub(crate) short_id: String,
    pub(crate) reason: String,
    pub(crate) since: Option<String>,
    pub(crate) lead: Option<Quote>,
    pub(crate) points: Vec<Quote>,
    pub(crate) matters: Vec<String>,
    pub(crate) caveats: Vec<String>,
    pub(crate) followups: Vec<String>,
    pub(crate) author: Option<String>,
    pub(crate) teaser: bool,
    pub(crate) published: String,
    pub(crate) published_at: Timestamp,
    pub(crate) sources: Vec<Source>,
    pub(crate) discussions: Vec<Link>,
    /// The model that wrote it and its cost; `None` if it was `local`.
    pub(crate) cost_summary: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) name: String,
    /// The id of its item.
    pub(crate) item: String,
    pub(crate) title: String,
    pub(crate) link: Link,
    /// `Tue 17 Nov 09:10`, or `first seen …` if the source gave no date.
    pub(crate) time: String,
    pub(crate) machine_time: String,
    pub(crate) copy: bool,
    pub(crate) late: bool,
    pub(crate) also_from: Option<String>,
}

/// A source that could not be read, or several for the same reason.
#[derive(Debug)]
pub(crate) struct Failing {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) message: String,
}

impl Page {
    pub(crate) fn of(digest: &Digest) -> Self {
        let head = &digest.head;
        let calendar = Calendar::of(head);
        let (start, end) = (calendar.moment(head.window_start), calendar.moment(head.window_end));
        let section = |wanted| {
            let stories = digest.stories.iter().filter(move |story| story.section == wanted);
            stories.map(|story| Story::of(story, calendar)).collect()
        };
        Self {
            topic: short_text(&head.topic, MAX_CHARS),
            day: calendar.days(head.window_start, head.window_end),
            window: format!("{start} – {end}, {}", calendar.zone_name()),
            header: header_line(digest),
            reasons: reason_list(&digest.skipped),
            gaps: other_gaps_line(digest),
            late: notes_line(digest),
            top: section(Section::Top),
            scan: section(Section::Scan),
            failing: Failing::all(digest),
            unread: unread(digest).count(),
            has_only_failed_sources: all_sources_failed(digest),
            cost: cost_summary::of_digest(digest),
            digest_id: head.id.to_string(),
            item_command: item_command("RANK", &head.topic),
        }
    }

    /// Returns whether there is nothing to read because no source could be read.
    pub(crate) const fn all_sources_failed(&self) -> bool {
        self.has_only_failed_sources
    }
}

impl Story {
    pub(crate) fn of(story: &DigestStory, calendar: Calendar) -> Self {
        let lines = |pick: fn(&Summary) -> &Vec<String>| {
            let lines = story.shown_summary().into_iter().flat_map(pick).map(|line| text(line));
            lines.filter(|line| !line.is_empty()).collect::<Vec<_>>()
        };
        // What the reason and the list of sources state already is not repeated.
        let is_by_local = is_judged_and_summarised_by_local(story);
        let is_caveat = |line: &String| !is_by_local || line != SINGLE_SOURCE;
        let matched = &story.score_debug.evidence.matched_interests;
        let unstated: Vec<&String> = matched.iter().filter(|interest| !story.reason.contains(*interest)).collect();
        let is_unstated = |line: &String| !is_by_local || unstated.iter().any(|interest| line.contains(*interest));
        let title = story_title(story);
        Self {
            id: story.id.to_string(),
            rank: story.rank,
            // A post without a title is titled with its first words, which should not be repeated.
            lead: Quote::lead(story).filter(|lead| lead.text != title),
            title,
            link: Link::of(story.url.as_deref()),
            label: story.label.map_or("", Label::in_words),
            score: printed_score(story),
            score_words: printed_score(story)
                .map_or_else(|| not_judged(&story.state), |score| format!("{score} of 100")),
            short_id: short_id(&story.id.to_string()),
            reason: text(&reason(story)),
            since: story.since.as_ref().map(|since| since_line(since, story, calendar)),
            points: Quote::points(story),
            matters: lines(|summary| &summary.why_it_matters).into_iter().filter(is_unstated).collect(),
            caveats: lines(|summary| &summary.risks_or_caveats).into_iter().filter(is_caveat).collect(),
            followups: lines(|summary| &summary.suggested_followups),
            author: story.author.as_deref().map(|author| short_text(author, 80)).filter(|author| !author.is_empty()),
            teaser: story.teaser,
            published: calendar.moment(story.published_at),
            published_at: story.published_at,
            sources: each_once_first(&story.sources).map(|source| Source::of(source, calendar)).collect(),
            discussions: story.discussions.iter().map(|url| Link::of(Some(url))).collect(),
            cost_summary: cost_summary::of_story(story),
        }
    }

    /// Formats `Wireline News`, or `Wireline News and 2 more` for several sources.
    pub(crate) fn told_by(&self) -> String {
        match self.first_source() {
            (first, 0) => first.to_owned(),
            (first, others) => format!("{first} and {others} more"),
        }
    }

    /// Returns the name of the first source, and the number of others that published a report of their own.
    pub(crate) fn first_source(&self) -> (&str, usize) {
        let first = self.sources.first().map_or("", |source| source.name.as_str());
        let own = self.sources.iter().filter(|source| !source.copy).map(|source| source.name.as_str());
        let others: BTreeSet<&str> = own.filter(|name| *name != first).collect();
        (first, others.len())
    }

    /// Returns score, label and short id, as far as available.
    pub(crate) fn facts(&self) -> Vec<String> {
        let id = format!("id {}", self.short_id);
        [self.label.to_owned(), id].into_iter().filter(|fact| !fact.is_empty()).collect()
    }
}

/// Returns the reports of a story, further ones of a source after the first of each: the list may show only a few.
fn each_once_first(reports: &[StorySource]) -> impl Iterator<Item = &StorySource> {
    let mut seen = BTreeSet::new();
    let (first, further): (Vec<_>, Vec<_>) = reports.iter().partition(|report| seen.insert(&report.name));
    first.into_iter().chain(further)
}

impl Source {
    fn of(source: &StorySource, calendar: Calendar) -> Self {
        let moment = calendar.moment(source.published_at);
        let also: Vec<String> = source.also_from.iter().map(|name| text(name)).collect();
        Self {
            name: or_else(short_text(&source.name, 80), || "unnamed source".to_owned()),
            item: source.item_id.to_string(),
            title: titled(&source.title).unwrap_or_default(),
            link: Link::of(source.url.as_deref()),
            time: if source.dated { moment } else { format!("first seen {moment}") },
            machine_time: calendar.machine(source.published_at),
            copy: source.copy,
            late: source.late,
            also_from: (!also.is_empty()).then(|| format!("also from {}", list(&also, 5))),
        }
    }

    /// Returns `copy`, `late`, `also from X`: how this source differs from one that published its own report in time.
    pub(crate) fn notes(&self) -> Vec<&str> {
        let words = [self.copy.then_some("copy"), self.late.then_some("late")];
        words.into_iter().flatten().chain(self.also_from.as_deref()).collect()
    }
}

/// Sources up to this number are listed one by one, although they failed for the same reason.
const MAX_ALIKE: usize = 3;

impl Failing {
    /// Returns the sources of a digest that could not be read.
    fn all(digest: &Digest) -> Vec<Self> {
        let reports: HashMap<&str, &SourceReport> =
            unread(digest).map(|report| (report.url.as_str(), report)).collect();
        let failures = unread(digest).map(|report| Failure {
            url: &report.url,
            kind: report.status.as_str(),
            reason: report.error.as_deref().unwrap_or_default(),
        });
        let mut failing = Vec::new();
        for group in group_failures(failures) {
            let of_group: Vec<&SourceReport> = group.urls.iter().filter_map(|url| reports.get(url).copied()).collect();
            if of_group.len() <= MAX_ALIKE {
                failing.extend(of_group.into_iter().map(Self::of));
                continue;
            }
            let named: Vec<String> = of_group.iter().take(MAX_ALIKE).map(|report| Self::of(report).name).collect();
            let shared = SourceReport { error: Some(group.reason.into_owned()), ..of_group[0].clone() };
            let name = format!("{} and {} more", named.join(", "), of_group.len() - MAX_ALIKE);
            failing.push(Self { name, ..Self::of(&shared) });
        }
        failing
    }

    fn of(report: &SourceReport) -> Self {
        let message = report.error.as_deref().map(|error| short_text(error, MAX_CHARS)).unwrap_or_default();
        Self {
            name: or_else(short_text(&report.name, 80), || short_text(&report.url, 80)),
            kind: text(report.status.as_str()).replace('_', " "),
            message: match report.status {
                SourceStatus::Waiting => or_else(message, || "asked us to come back later".to_owned()),
                SourceStatus::Ok | SourceStatus::Failing | SourceStatus::Failed(_) => message,
            },
        }
    }
}

/// Returns the command that lists all items since the window of a digest began, also those that are left out.
pub(crate) fn search_command(head: &DigestHead) -> String {
    let option = match head.topic.as_str() {
        DEFAULT_TOPIC => format!(" --topic {DEFAULT_TOPIC}"),
        other => topic_option(&short_text(other, MAX_CHARS)),
    };
    // A date given to a search is its midnight in UTC, which is not later than the window's start.
    let since: String = head.window_start.to_string().chars().take(10).collect();
    format!("aha-radar search{option} --since {since}")
}

/// Returns the command that explains a story by its rank. Without a topic the command uses the default one.
pub(crate) fn item_command(rank: &str, topic: &str) -> String {
    format!("aha-radar item {rank}{}", topic_option(&short_text(topic, MAX_CHARS)))
}

/// Returns the number by which a section is ordered; `None` for a story that was not judged.
pub(crate) fn printed_score(story: &DigestStory) -> Option<u8> {
    let judged = story.aha_score?;
    // Digests of the first versions have final scores between about 0 and 1.
    Some(if story.final_score > FIRST_VERSIONS_SCORE { whole(story.final_score) } else { judged })
}

const FIRST_VERSIONS_SCORE: f64 = 2.0;

/// Returns a score as it is printed wherever it stands alone.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0..=100 before")]
pub(crate) fn whole(score: f64) -> u8 {
    // Rounded down: 50.9 must not become 51, which is in the next band.
    score.floor().clamp(0.0, 100.0) as u8
}

/// Formats `68 of 100, rounded down from 68.9973`: the printed score, and the exact one by which stories are ordered.
pub(crate) fn final_score_in_words(story: &DigestStory) -> String {
    let exact = story.final_score;
    let shown = printed_score(story).unwrap_or_else(|| whole(exact));
    if exact <= FIRST_VERSIONS_SCORE || (exact - f64::from(shown)).abs() < 0.000_05 {
        return format!("{shown} of 100");
    }
    format!("{shown} of 100, rounded down from {exact:.4}")
}

/// Hexadecimal digits shown of an id.
const SHORT_ID: usize = 6;

/// Returns the first digits of an id, as digests show it.
pub(crate) fn short_id(id: &str) -> String {
    id.chars().take(SHORT_ID).collect()
}

/// What a reason says before the name of the rule that boosts a story.
pub(crate) const RULE_BOOSTS: &str = "your rule boosts";

/// Returns why a story is shown; empty if nothing but its existence speaks for it.
fn reason(story: &DigestStory) -> String {
    // Reasons that earlier versions stored name no rule.
    let is_boosted = story.score_debug.rule_boost > 1.0 && !story.reason.contains(RULE_BOOSTS);
    match (is_generic_reason(&story.reason), is_boosted) {
        (true, false) => String::new(),
        (true, true) => "Boosted by a rule of yours".to_owned(),
        (false, false) => story.reason.clone(),
        (false, true) => format!("{}; boosted by a rule of yours", story.reason.trim_end_matches('.')),
    }
}

/// Returns whether `local` gave the reason, and the summary repeats what it counted for it.
fn is_judged_and_summarised_by_local(story: &DigestStory) -> bool {
    let is_judged = story.triage.as_ref().is_some_and(|verdict| verdict.provider == local::PROVIDER);
    let is_summarised = story.summary.as_ref().is_some_and(|summary| summary.provider == local::PROVIDER);
    is_judged && is_summarised && story.kept_summary.is_none()
}

/// Returns whether a reason of `local` is a generic one, which does not distinguish the story.
pub(crate) fn is_generic_reason(reason: &str) -> bool {
    [local::NO_EVIDENCE, local::NO_INTEREST_MATCHED].contains(&reason) || EARLIER_GENERIC_REASONS.contains(&reason)
}

/// The same, as earlier versions stored them.
const EARLIER_GENERIC_REASONS: [&str; 2] = [
    "One source tells it, and none of your interests is met",
    "One source tells it, and it names none of your interests",
];

/// Returns the title if it is worth showing; feeds and readers without one write "(No title)".
fn titled(raw: &str) -> Option<String> {
    let title = short_text(raw, MAX_CHARS);
    let bare = title.trim_matches(['(', ')', '[', ']', '<', '>']).to_lowercase();
    (!matches!(bare.as_str(), "" | "no title" | "untitled" | "no subject")).then_some(title)
}

fn story_title(story: &DigestStory) -> String {
    let of_a_source = || story.sources.iter().find_map(|source| titled(&source.title));
    let of_the_text = || Some(short_text(&story.excerpt, 90)).filter(|words| !words.is_empty());
    let of_the_link = || Some(short_text(story.url.as_deref()?, 90)).filter(|link| !link.is_empty());
    let found = titled(&story.title).or_else(of_a_source).or_else(of_the_text).or_else(of_the_link);
    found.unwrap_or_else(|| format!("A post without words, {}", story.id))
}

fn not_judged(state: &str) -> String {
    match state {
        "" | "judged" => "not judged".to_owned(),
        "failed" => "not judged (the judgement failed)".to_owned(),
        "skipped_budget" => "not judged (the budget did not reach)".to_owned(),
        "skipped_noise" => "not judged (a headline of noise)".to_owned(),
        other => format!("not judged ({})", text(other).replace('_', " ")),
    }
}

fn since_line(since: &Since, story: &DigestStory, calendar: Calendar) -> String {
    let day = calendar.short_last_day(since.delivered_at);
    if since.new_sources.is_empty() {
        let own = story.sources.iter().filter(|source| !source.copy).map(|source| source.name.as_str());
        let now = own.collect::<BTreeSet<_>>().len().max(1);
        return format!("Shown on {day}, told by {} then; now by {now}", since.sources_before);
    }
    let names: Vec<String> = since.new_sources.iter().map(|name| short_text(name, 80)).collect();
    format!("New since {day}: now also told by {}", list(&names, 5))
}

fn or_else(text: String, other: impl FnOnce() -> String) -> String {
    if text.is_empty() { other() } else { text }
}

#[cfg(test)]
mod tests {
    use super::each_once_first;
    use crate::digest::tests::sample;

    #[test]
    fn each_source_comes_once_before_further_reports() {
        let reports = ["Wireline", "Wireline", "Field Lab", "Wireline", "Field Lab", "Linkyard"].map(sample::source);
        let names: Vec<&str> = each_once_first(&reports).map(|report| report.name.as_str()).collect();
        assert_eq!(names, ["Wireline", "Field Lab", "Linkyard", "Wireline", "Wireline", "Field Lab"]);
    }
}
