//! A digest: what a run found worth a person's time, and what became of everything else.
//!
//! Its serialised form is the product's JSON (`aha-radar digest --format json`).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ids::{ClusterId, DigestId, DigestItemId, ItemId, RunId, SourceId};
use super::money::MicroCredits;
use super::run::RunMode;
use super::summary::Summary;
use super::time::Timestamp;
use super::verdict::Verdict;

pub use super::evidence::{Evidence, Relevance, ScoreDebug};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Digest {
    pub digest: DigestHead,
    pub stories: Vec<DigestStory>,
    pub sources: Vec<SourceReport>,
    pub skipped: Skipped,
    pub cost: Cost,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DigestHead {
    pub id: DigestId,
    pub run_id: RunId,
    pub topic: String,
    pub mode: RunMode,
    pub window_start: Timestamp,
    pub window_end: Timestamp,
    /// IANA zone in which times are shown.
    pub timezone: String,
    pub status: DigestStatus,
    /// Items that the run was about.
    pub items: usize,
    /// Sources that these items came from.
    pub sources: usize,
    /// Minutes it takes to read the digest, at 230 words a minute (Brysbaert 2019, silent reading: 238).
    pub reading_minutes: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DigestStatus {
    /// Everything asked for is in it.
    Complete,
    /// Something is missing: a source or a judgement failed.
    Partial,
    /// Nothing was published in the window.
    Quiet,
}

impl DigestStatus {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Partial => "partial",
            Self::Quiet => "quiet",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    Top,
    Scan,
}

impl Section {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Top => "top",
            Self::Scan => "scan",
        }
    }
}

/// Why a story is here, in one word: the first that fits, your words before others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Label {
    ToldBySeveral,
    YourWords,
    RareVoices,
}

impl Label {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ToldBySeveral => "told_by_several",
            Self::YourWords => "your_words",
            Self::RareVoices => "rare_voices",
        }
    }

    /// As a person reads it.
    #[must_use]
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::ToldBySeveral => "told by several",
            Self::YourWords => "your words",
            Self::RareVoices => "rare voice",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DigestStory {
    pub id: DigestItemId,
    /// From 1, across both sections.
    pub rank: usize,
    pub section: Section,
    /// Nothing where no label tells something of it.
    pub label: Option<Label>,
    pub title: String,
    pub url: Option<String>,
    /// 0–100, or nothing when no judgement was to be had.
    pub aha_score: Option<u8>,
    pub final_score: f64,
    /// Share of the ranked stories that this one beats, 0–100.
    pub percentile: u8,
    pub reason: String,
    /// When it was delivered before: what has come since.
    pub since: Option<Since>,
    /// Newest of the items that the run is about.
    pub published_at: Timestamp,
    pub author: Option<String>,
    pub teaser: bool,
    /// Verbatim opening of the representative text, for a line under the title; empty when there is no text.
    pub excerpt: String,
    pub triage: Option<Verdict>,
    pub summary: Option<Summary>,
    /// Of a text that the owner pasted and whose summary was kept (`deep-dive --promote`); it is shown in the place of `summary`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_summary: Option<Summary>,
    pub entities: Option<Value>,
    pub sources: Vec<StorySource>,
    pub discussions: Vec<String>,
    pub cluster_id: ClusterId,
    /// `judged`, or why there is no judgement (`failed`, `skipped_budget`, `skipped_noise`).
    pub state: String,
    #[serde(default, skip_serializing_if = "StoryCost::is_nothing")]
    pub cost: StoryCost,
    pub score_debug: ScoreDebug,
}

impl Digest {
    /// Gives each story the summary that was kept for it. `kept`: by item, the last decision first.
    pub fn add_kept(&mut self, kept: &[(ItemId, Summary)]) {
        for story in &mut self.stories {
            let is_of = |item: &ItemId| story.sources.iter().any(|source| source.item_id == *item);
            story.kept_summary = kept.iter().find(|(item, _)| is_of(item)).map(|(_, summary)| summary.clone());
        }
    }
}

impl DigestStory {
    /// The summary that is shown.
    #[must_use]
    pub fn shown_summary(&self) -> Option<&Summary> {
        self.kept_summary.as_ref().or(self.summary.as_ref())
    }
}

/// Where a story that comes back stood before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Since {
    pub delivered_at: Timestamp,
    pub sources_before: i64,
    /// Names of the sources that told it since.
    pub new_sources: Vec<String>,
}

/// One member of a story, as it was judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StorySource {
    pub item_id: ItemId,
    pub name: String,
    pub url: Option<String>,
    pub title: String,
    pub published_at: Timestamp,
    /// False where the source gave no date and the time is when we first saw it.
    pub dated: bool,
    /// A copy of another member's text.
    pub copy: bool,
    /// It came with a later run than it was due, as its source could not be read before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub late: bool,
    /// Other sources that brought the very same link.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_from: Vec<String>,
}

/// What became of a source in the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceReport {
    pub id: SourceId,
    pub name: String,
    pub url: String,
    /// Items of it that the run was about.
    pub items: usize,
    /// Of these, the ones that it could not give when they were due.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub late: usize,
    /// Stories shown that it tells.
    pub shown: usize,
    /// `ok`, `waiting` (asked us to come back later), or the kind of failure.
    pub status: String,
    pub error: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Where the items that are not shown went; with the stories shown they add up to all items of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Skipped {
    /// Told by a story that is shown through another item.
    pub folded: usize,
    /// Muted by the owner's rules.
    pub muted: usize,
    /// In a story that an earlier digest showed and that has not grown since.
    pub already_delivered: usize,
    /// Judged, and ranked below what is shown.
    pub ranked_lower: usize,
    /// Left out before judgement: the plan's limit on candidates.
    pub not_considered: usize,
}

impl Skipped {
    #[must_use]
    pub const fn total(&self) -> usize {
        self.folded + self.muted + self.already_delivered + self.ranked_lower + self.not_considered
    }
}

/// What stands in the ledger for the run, whatever came of it, and what was left out for lack of budget.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Cost {
    pub microcredits: MicroCredits,
    /// Why something was left out for lack of credits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_exhausted: Option<String>,
    /// Limits on a task's calls that left something out; they end no other task.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls_used_up: Vec<String>,
    /// Stories that were to be judged and were not, for lack of budget.
    #[serde(default)]
    pub judgements_skipped: usize,
    /// Stories shown that were to have a summary and have none, for lack of budget.
    #[serde(default)]
    pub summaries_skipped: usize,
    /// Stories shown whose summary failed.
    #[serde(default)]
    pub summaries_failed: usize,
    /// Why stories were put together by their words alone, though a model for vectors was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words_alone: Option<String>,
    /// Stories shown whose judgement or summary is by `local` because every model that was asked has failed.
    #[serde(default, skip_serializing_if = "is_none_of_them")]
    pub local_fallbacks: usize,
    /// Models that were not asked any more in this run, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given_up: Vec<String>,
    /// Where no model was asked: what it would take to ask one, by task.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with_a_model: Vec<Estimate>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_none_of_them(count: &usize) -> bool {
    *count == 0
}

/// What one task of a window would take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimate {
    pub task: String,
    pub model: String,
    /// Whether the model is one that the owner configured, or an example.
    pub configured: bool,
    pub stories: usize,
    pub calls: usize,
    pub input_tokens: i64,
    /// What is usual; the limits allow more.
    pub output_tokens: i64,
    /// `None` where the price is not known.
    pub microcredits: Option<MicroCredits>,
    /// What is set aside for all its calls before they are sent, the most they can cost when none is repeated. `None` where the price is
    /// not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_microcredits: Option<MicroCredits>,
    /// The same of the dearest of its calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dearest_microcredits: Option<MicroCredits>,
}

/// What a story's own share of the calls about it cost, rounded up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StoryCost {
    pub triage_microcredits: MicroCredits,
    pub summary_microcredits: MicroCredits,
}

impl StoryCost {
    #[must_use]
    pub const fn is_nothing(&self) -> bool {
        self.triage_microcredits.0 == 0 && self.summary_microcredits.0 == 0
    }
}
