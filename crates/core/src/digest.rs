//! A digest: the stories a run selected for the reader, and counts of everything it left out.
//!
//! Its serialised form is the product's JSON (`aha-radar digest --format json`).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fetch::SourceStatus;
use super::ids::{ClusterId, DigestId, DigestItemId, ItemId, RunId, SourceId};
use super::money::MicroCredits;
use super::run::RunMode;
use super::summary::Summary;
use super::time::Timestamp;
use super::verdict::Verdict;

pub use super::evidence::{Evidence, OtherWords, Relevance, ScoreDebug};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Digest {
    #[serde(rename = "digest")]
    pub head: DigestHead,
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
    /// Items in the run's scope.
    pub items: usize,
    /// Sources of these items.
    pub sources: usize,
    /// Minutes it takes to read the digest, at 230 words a minute (Brysbaert 2019, silent reading: 238).
    pub reading_minutes: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DigestStatus {
    /// Nothing that was requested is missing.
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

/// Why a story is included, as a label of one to three words. The first label that fits applies; the reader's own words
/// come before others.
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

    /// The label as shown to the reader.
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
    /// `None` if no label applies.
    pub label: Option<Label>,
    pub title: String,
    pub url: Option<String>,
    /// 0–100; `None` if there is no judgement.
    pub aha_score: Option<u8>,
    pub final_score: f64,
    /// Share of the ranked stories with a lower score, 0–100.
    pub percentile: u8,
    pub reason: String,
    /// If the story was delivered before: what has been added since.
    pub since: Option<Since>,
    /// Time of the newest item in the run's scope.
    pub published_at: Timestamp,
    /// Set if the story is from before the window and an earlier run of the topic had read all its items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_before: Option<ReadBefore>,
    pub author: Option<String>,
    pub teaser: bool,
    /// Verbatim opening of the representative text, for a line under the title; empty when there is no text.
    pub excerpt: String,
    pub triage: Option<Verdict>,
    pub summary: Option<Summary>,
    /// Summary of a text that the user pasted and saved with `deep-dive --promote`. It is shown instead of `summary`.
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
    /// Sets each story's `kept_summary`. `kept` lists summaries by item, the latest decision first.
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

/// What is known of a story that an earlier run of the topic had read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadBefore {
    /// An earlier digest shows their story without a judgement.
    NotJudged,
    /// It is not told why that run did not show them: their source may have had more items than one run takes.
    #[serde(alias = "left_over")]
    EarlierRun,
}

/// How often a returning story had been covered when it was last delivered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Since {
    pub delivered_at: Timestamp,
    pub sources_before: i64,
    /// Names of the sources that have covered it since.
    pub new_sources: Vec<String>,
}

/// One member of a story, as it was at the time of the judgement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StorySource {
    pub item_id: ItemId,
    pub name: String,
    pub url: Option<String>,
    pub title: String,
    pub published_at: Timestamp,
    /// False if the source gave no date; the time is then when the item was first fetched.
    pub dated: bool,
    /// A copy of another member's text.
    pub copy: bool,
    /// The item appears in a later run than it was due, because its source could not be read before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub late: bool,
    /// Other sources that published the same link.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_from: Vec<String>,
}

/// Outcome of one source in the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceReport {
    pub id: SourceId,
    pub name: String,
    pub url: String,
    /// Its items in the run's scope.
    pub items: usize,
    /// Of these, items that could not be fetched when they were due.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub late: usize,
    /// Shown stories that contain an item of this source.
    pub shown: usize,
    pub status: SourceStatus,
    pub error: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Why items are not shown. Together with the stories shown, the counts add up to all items of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Skipped {
    /// Belongs to a story that is shown through another item.
    pub folded: usize,
    /// Muted by the user's rules.
    pub muted: usize,
    /// In a story that an earlier digest showed and that has not grown since.
    pub already_delivered: usize,
    /// Ranked below the stories shown, of which there are as many as the topic allows.
    pub ranked_lower: usize,
    /// In a story with a score below the topic's minimum ([`DigestSizes::at_least`](super::topic::DigestSizes)).
    #[serde(default)]
    pub below_minimum: usize,
    /// Excluded before judgement by the plan's limit on candidates.
    pub not_considered: usize,
}

impl Skipped {
    #[must_use]
    pub const fn total(&self) -> usize {
        self.folded + self.left_out()
    }

    /// Items of stories that are not shown at all.
    #[must_use]
    pub const fn left_out(&self) -> usize {
        self.muted + self.already_delivered + self.ranked_lower + self.below_minimum + self.not_considered
    }
}

/// Ledger total of the run, whatever its outcome, and what was left out for lack of budget.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Cost {
    pub microcredits: MicroCredits,
    /// Calls whose cost is unknown because no price is set. The total is without them.
    #[serde(default, skip_serializing_if = "is_none_of_them")]
    pub unpriced_calls: usize,
    /// Calls that cost more than was reserved for them.
    #[serde(default, skip_serializing_if = "is_none_of_them")]
    pub overcharged_calls: usize,
    /// Calls whose cost is unknown because their outcome or usage is. The total has the most that each can cost.
    #[serde(default, skip_serializing_if = "is_none_of_them")]
    pub unsettled_calls: usize,
    /// Describes the cap of which most is used, if that is 80 % or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near_cap: Option<String>,
    /// Why something was left out for lack of credits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_exhausted: Option<String>,
    /// Task call limits that caused something to be left out. They end no other task.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls_used_up: Vec<String>,
    /// Stories that were due for judgement but were not judged for lack of budget.
    #[serde(default)]
    pub judgements_skipped: usize,
    /// The most frequent reason why the judgement of shown stories failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judgement_failure: Option<String>,
    /// Shown stories that were due for a summary but have none for lack of budget.
    #[serde(default)]
    pub summaries_skipped: usize,
    /// Shown stories whose summary failed.
    #[serde(default)]
    pub summaries_failed: usize,
    /// Why stories were clustered lexically only, although an embedding model was configured.
    #[serde(rename = "words_alone", default, skip_serializing_if = "Option::is_none")]
    pub lexical_only: Option<String>,
    /// Shown stories whose judgement or summary is by `local` because every requested model failed.
    #[serde(default, skip_serializing_if = "is_none_of_them")]
    pub local_fallbacks: usize,
    /// Models that the run stopped using, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given_up: Vec<String>,
    /// If no model was used: the estimated cost of using one, by task.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with_a_model: Vec<Estimate>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_none_of_them(count: &usize) -> bool {
    *count == 0
}

/// Estimated cost of one task for a window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimate {
    pub task: String,
    pub model: String,
    /// True for a model that the user configured, false for an example.
    pub configured: bool,
    pub stories: usize,
    pub calls: usize,
    pub input_tokens: i64,
    /// Typical count; the limits allow more.
    pub output_tokens: i64,
    /// `None` if the price is unknown.
    pub microcredits: Option<MicroCredits>,
    /// Amount reserved for all its calls before they are sent: the maximum cost if no call is repeated. `None` if the
    /// price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_microcredits: Option<MicroCredits>,
    /// The same for its most expensive call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dearest_microcredits: Option<MicroCredits>,
}

/// The story's share of the cost of the calls about it, rounded up.
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
