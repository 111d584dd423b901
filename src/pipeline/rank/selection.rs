//! Selects the stories of the digest's sections by score, with variety among equals.
//!
//! Input: scored stories, the best first. Output: the same, each with its section. A story loses points for those of
//! its source, author or kind selected before, within its band.

use std::collections::{HashMap, HashSet};

use aha_analysis::relevance::STRONG;
use aha_core::digest::{Evidence, Section};
use aha_core::ids::SourceId;
use aha_core::ranking::Ranking;
use aha_core::source::{Source, SourceKind};
use aha_core::story::Story;
use aha_core::topic::DigestSizes;
use aha_llm::local;

use super::super::run_limits::TOP_OF_ONE_SOURCE;
use super::{Ranked, band, moved, round};

/// Counts of the stories selected so far, by kind, source and author.
#[derive(Default)]
struct DiversityCounts {
    kinds: HashMap<SourceKind, u32>,
    sources: HashMap<SourceId, u32>,
    authors: HashMap<String, u32>,
}

impl DiversityCounts {
    /// Returns the points that a story loses for stories selected before. A story with several sources is not penalised
    /// by source or author.
    fn points(&self, story: &Story, kind: SourceKind, ranking: &Ranking) -> f64 {
        let item = story.representative();
        let count = |n: Option<&u32>| f64::from(n.copied().unwrap_or(0));
        let author = item.author.as_ref().map(|author| author.to_lowercase());
        let of_one = if is_of_several(story) {
            0.0
        } else {
            ranking.same_source * count(self.sources.get(&item.source_id))
                + ranking.same_author * author.map_or(0.0, |author| count(self.authors.get(&author)))
        };
        ranking.same_kind * count(self.kinds.get(&kind)) + of_one
    }

    fn add(&mut self, story: &Story, kind: SourceKind) {
        let item = story.representative();
        *self.kinds.entry(kind).or_default() += 1;
        if is_of_several(story) {
            return;
        }
        *self.sources.entry(item.source_id).or_default() += 1;
        if let Some(author) = &item.author {
            *self.authors.entry(author.to_lowercase()).or_default() += 1;
        }
    }
}

fn is_of_several(story: &Story) -> bool {
    story.distinct_sources().len() >= 2
}

/// Maximum number of points that diversity subtracts from a story.
const MAX_DIVERSITY: f64 = 3.0;

/// Selects the stories one by one, each time the best by the score that will be shown. Each section is then in the order
/// of that score.
pub(super) struct Selection<'a> {
    pub(super) stories: &'a [Story],
    pub(super) sources: &'a HashMap<SourceId, &'a Source>,
    pub(super) ranking: &'a Ranking,
    pub(super) sizes: DigestSizes,
    /// Indices in `stories` of the stories that a model has judged.
    pub(super) judged: HashSet<usize>,
}

/// Minimum difference in points that makes one model judgement clearly better than another.
const CLEARLY_BETTER: f64 = 5.0;

/// The story to select next: its index among the open ones, and its score minus diversity points.
struct Next {
    open: usize,
    score: f64,
}

impl Selection<'_> {
    /// Returns top and scan, then the stories not shown. `open` is sorted by score and natural keys.
    pub(super) fn choose(&self, mut open: Vec<Ranked>) -> Vec<Ranked> {
        let mut counts = DiversityCounts::default();
        let mut order: Vec<Ranked> = Vec::new();
        let needs = self.needs_of_top(&open);
        for (section, max) in [(Section::Top, self.sizes.top), (Section::Scan, self.sizes.scan)] {
            let begin = order.len();
            for _ in 0..max {
                // Of those that remain, none belongs there: the section is shorter instead.
                if section == Section::Top && !open.iter().any(|ranked| self.meets(needs, ranked)) {
                    break;
                }
                let Some(next) = self.next(&counts, &open, section) else { break };
                let mut ranked = open.remove(next.open);
                ranked.debug.diversity = round(ranked.debug.final_score - next.score);
                ranked.debug.final_score = round(next.score);
                ranked.section = Some(section);
                let story = &self.stories[ranked.story];
                counts.add(story, self.kind(story));
                order.push(ranked);
            }
            // A story may have been passed over for a lower one of another source.
            if let Some(shown) = order.get_mut(begin..) {
                shown.sort_by(|a, b| b.debug.final_score.total_cmp(&a.debug.final_score));
            }
        }
        order.extend(open);
        order
    }

    /// What the last story of the top section must meet, so that it does not end in stories that nothing speaks for.
    fn needs_of_top(&self, open: &[Ranked]) -> Need {
        let has_interests = open.iter().any(|ranked| ranked.debug.evidence.has_interests);
        match (has_interests, open.iter().any(|ranked| self.meets(Need::Wanted, ranked))) {
            (false, _) => Need::Nothing,
            (true, true) => Need::Wanted,
            (true, false) => Need::SeveralSources,
        }
    }

    fn meets(&self, need: Need, ranked: &Ranked) -> bool {
        ranked.debug.final_score >= f64::from(self.sizes.at_least)
            && match need {
                Need::Nothing => true,
                Need::Wanted => self.is_wanted(ranked),
                Need::SeveralSources => ranked.debug.evidence.distinct_sources > 1,
            }
    }

    /// Whether the reader asked for the story: it is close to their interests, judged worth reading by a model, or related
    /// to them and raised by likes or rules.
    fn is_wanted(&self, ranked: &Ranked) -> bool {
        let evidence = &ranked.debug.evidence;
        let is_raised = evidence.preference > 0.0 || ranked.debug.rule_boost > 1.0;
        local::is_close_to_interests(evidence)
            || is_raised && local::matches_interests(evidence)
            || self.judged.contains(&ranked.story) && band(ranked.debug.final_score) >= 2
    }

    fn next(&self, counts: &DiversityCounts, open: &[Ranked], section: Section) -> Option<Next> {
        let mut best: Option<Next> = None;
        // The best of those whose source already has its maximum in the top section.
        let mut best_of_full: Option<Next> = None;
        for (index, ranked) in open.iter().enumerate().filter(|(_, ranked)| self.may_be_in(ranked, section)) {
            let story = &self.stories[ranked.story];
            let is_strong_match = is_strong_match(&ranked.debug.evidence);
            let of_source = counts.sources.get(&story.representative().source_id).copied().unwrap_or(0);
            let may_be_full = section == Section::Top && !is_strong_match && !is_of_several(story);
            let is_full = may_be_full && of_source as usize >= TOP_OF_ONE_SOURCE;
            let points = counts.points(story, self.kind(story), self.ranking).min(MAX_DIVERSITY);
            // No story is shown with a score below the reader's minimum, which it meets.
            let reduced = moved(ranked.debug.final_score, -points).max(f64::from(self.sizes.at_least));
            let score = if is_strong_match { ranked.debug.final_score } else { reduced };
            let highest = if is_full { &mut best_of_full } else { &mut best };
            // Strictly greater keeps the earlier of equals.
            if highest.as_ref().is_none_or(|highest| score > highest.score) {
                *highest = Some(Next { open: index, score });
            }
        }
        match (best, best_of_full) {
            // Variety applies only among equals: a story is not passed over for one of a lower band, or one that a
            // model judged clearly lower.
            (Some(best), Some(full)) if self.is_better(open, &full, &best) => Some(full),
            (best, full) => best.or(full),
        }
    }

    fn is_better(&self, open: &[Ranked], one: &Next, other: &Next) -> bool {
        let is_judged = |next: &Next| open.get(next.open).is_some_and(|ranked| self.judged.contains(&ranked.story));
        let is_clear = is_judged(one) && is_judged(other) && one.score - other.score >= CLEARLY_BETTER;
        band(one.score) > band(other.score) || is_clear
    }

    /// Whether a story may be in a section. For a reader with interests, a story that does not match them is never in
    /// the top section because of its own score alone.
    fn may_be_in(&self, ranked: &Ranked, section: Section) -> bool {
        let evidence = &ranked.debug.evidence;
        let is_unrelated =
            evidence.has_interests && !local::matches_interests(evidence) && evidence.distinct_sources < 2;
        let is_mild = band(ranked.debug.final_score) < 2;
        ranked.debug.final_score >= f64::from(self.sizes.at_least)
            && !(section == Section::Top && is_unrelated && is_mild)
    }

    fn kind(&self, story: &Story) -> SourceKind {
        self.sources.get(&story.representative().source_id).map_or(SourceKind::Feed, |source| source.kind)
    }
}

/// What a story of the top section must meet for more to be selected.
#[derive(Debug, Clone, Copy)]
enum Need {
    Nothing,
    Wanted,
    SeveralSources,
}

/// Whether the story strongly matches the reader's interests or, if there are none, strongly resembles liked stories.
fn is_strong_match(evidence: &Evidence) -> bool {
    let is_liked = !evidence.has_interests && evidence.preference >= STRONGLY_LIKED;
    is_liked || evidence.relevance.as_ref().is_some_and(|relevance| relevance.matched >= STRONG)
}

/// Minimum degree at which a story strongly resembles liked ones.
const STRONGLY_LIKED: f64 = 0.3;
