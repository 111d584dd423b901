//! Relevance of each story of a run to the reader's interests, from its best text and from how often its source matched
//! before.
//!
//! Input: the topic's interests, the run's stories, stored features of their sources' items. Output: [`Relevance`] and
//! the matching clauses, written into the evidence. Called by [`super::gather`].

use std::collections::HashMap;
use std::sync::Arc;

use aha_analysis::relevance::{
    ClauseMatch, Corpus, Degree, Interests, MET_SHARE, Query, StoredQuery, TextParts, WEAK, light_stem,
};
use aha_analysis::text::features::Features;
use aha_analysis::text::similarity::Frequencies;
use aha_analysis::text::written_form::written_form;
use aha_core::digest::{Evidence, Relevance};
use aha_core::ids::{ClusterId, ItemId, SourceId};
use aha_core::story::{Story, StoryMember};
use rayon::prelude::*;

use super::sentence_similarity::similarities;
use super::{History, round, share_of};
use crate::pipeline::{RunContext, RunError};

/// Relevance of each story.
#[derive(Debug, Default)]
pub(super) struct Relevances {
    has_interests: bool,
    by_story: HashMap<ClusterId, StoryRelevance>,
}

/// Relevance of the story's best text.
#[derive(Debug)]
struct StoryRelevance {
    /// Clauses that match, as written, best match first, and clauses that match only in part.
    met: Vec<String>,
    touched: Vec<String>,
    /// The clause that it comes nearest to by words, if it neither matches nor touches one.
    nearest: Option<String>,
    relevance: Relevance,
}

impl Relevances {
    /// Computed on the blocking pool, because it reads every word of the run's texts.
    pub(super) async fn of(context: &RunContext, history: &History, stories: &[Story]) -> Result<Self, RunError> {
        let interests = Interests::parse(&context.run.settings.interests);
        if interests.clauses.is_empty() {
            return Ok(Self::default());
        }
        let texts: Vec<(ClusterId, ItemId, SourceId, Text)> = stories
            .iter()
            .flat_map(|story| story.in_scope().map(|member| (story.cluster_id, member)))
            .map(|(cluster, member)| (cluster, member.item.id, member.item.source_id, Text::of(member)))
            .collect();
        let parts = texts.iter().map(|(_, _, _, text)| (&*text.title, &*text.body));
        let sentences = similarities(context, &interests, parts).await?;
        let (frequencies, of_sources) = (history.frequencies.clone(), history.of_sources.clone());
        let measuring = tokio::task::spawn_blocking(move || {
            Self::measure(&interests, &texts, sentences.as_deref(), &frequencies, &of_sources)
        });
        Ok(measuring.await?)
    }

    fn measure(
        interests: &Interests,
        texts: &[(ClusterId, ItemId, SourceId, Text)],
        sentences: Option<&[f64]>,
        frequencies: &Frequencies,
        of_sources: &[(ItemId, SourceId, Arc<Features>)],
    ) -> Self {
        let parts: Vec<TextParts<'_>> = texts.iter().map(|(_, _, _, text)| text.parts()).collect();
        let corpus = Corpus::of(&parts);
        let query = Query::new(interests, &corpus, frequencies);
        let priors = SourcePriors::of(&StoredQuery::of(&query), of_sources);
        let mut degrees = query.degrees();
        for (degree, cosine) in degrees.iter_mut().zip(sentences.unwrap_or_default()) {
            degree.sentence = Some(*cosine);
        }
        let has_only_denials = interests.is_empty();
        let mut best: HashMap<ClusterId, (usize, f64)> = HashMap::new();
        let mut denials: HashMap<ClusterId, Denials> = HashMap::new();
        for (text, ((cluster, item, source, _), degree)) in texts.iter().zip(&degrees).enumerate() {
            let prior = priors.without(*source, *item);
            denials.entry(*cluster).or_default().add(text, degree.allowed);
            let is_better = |(best, its_prior): &(usize, f64)| degree.wanted(prior) > degrees[*best].wanted(*its_prior);
            if best.get(cluster).is_none_or(is_better) {
                best.insert(*cluster, (text, prior));
            }
        }
        let by_story = best.into_iter().map(|(cluster, (text, prior))| {
            let mut degree = degrees[text].clone();
            if let Some(denials) = denials.get(&cluster) {
                // One report of what the reader does not want is enough. If they want nothing else, all reports count.
                degree.allowed = if has_only_denials { denials.mean() } else { denials.least };
                degree.denied.clone_from(&degrees[denials.text].denied);
            }
            let mut found = StoryRelevance::of(interests, &query, text, &degree, prior);
            found.write_words_as(&texts[text].3);
            (cluster, found)
        });
        Self { has_interests: !interests.is_empty(), by_story: by_story.collect() }
    }

    pub(super) const fn has_interests(&self) -> bool {
        self.has_interests
    }

    pub(super) fn describe(&self, story: ClusterId, evidence: &mut Evidence) {
        evidence.has_interests = self.has_interests;
        if let Some(found) = self.by_story.get(&story) {
            evidence.matched_interests.clone_from(&found.met);
            evidence.touched_interests.clone_from(&found.touched);
            evidence.nearest_interest.clone_from(&found.nearest);
            evidence.relevance = Some(found.relevance.clone());
        }
    }
}

/// How much of a story's texts denied clauses leave.
#[derive(Debug)]
struct Denials {
    sum: f64,
    count: usize,
    /// The least share of a text, and that text.
    least: f64,
    text: usize,
}

impl Default for Denials {
    fn default() -> Self {
        Self { sum: 0.0, count: 0, least: f64::INFINITY, text: 0 }
    }
}

impl Denials {
    fn add(&mut self, text: usize, allowed: f64) {
        self.sum += allowed;
        self.count += 1;
        if allowed < self.least {
            (self.least, self.text) = (allowed, text);
        }
    }

    fn mean(&self) -> f64 {
        self.sum * share_of(1, self.count)
    }
}

impl StoryRelevance {
    fn of(interests: &Interests, query: &Query<'_>, text: usize, degree: &Degree, source_prior: f64) -> Self {
        let written = |met: &ClauseMatch| interests.clauses[met.clause].written.clone();
        // What a text says in other words alone is near to a clause, but names nothing of it.
        let named = degree.clauses.iter().filter(|met| met.score * degree.allowed >= WEAK).filter_map(|met| {
            let words = query.meeting_words(text, met);
            (!words.is_empty()).then_some((met, words))
        });
        let (met, touched): (Vec<_>, Vec<_>) = named.partition(|(met, _)| met.is_met(degree.allowed));
        let is_named = |(part, words): &(&ClauseMatch, Vec<String>)| {
            part.share >= min_touched_share(words) && interests.clauses[part.clause].is_named_by(words)
        };
        let partial: Vec<_> = touched.into_iter().filter(is_named).collect();
        let mut words: Vec<String> = Vec::new();
        for word in met.iter().chain(&partial).flat_map(|(_, words)| words) {
            if !words.contains(word) {
                words.push(word.clone());
            }
        }
        let relevance = Relevance {
            degree: round(degree.total(source_prior)),
            matched: round(degree.matched()),
            dense_similarity: round(degree.dense),
            sentence_similarity: degree.sentence.map(round),
            source_prior: round(source_prior),
            allowed: round(degree.allowed),
            words,
            denied: degree.denied.iter().filter(|met| met.share >= MET_SHARE).map(written).collect(),
        };
        let all_written =
            |matches: &[(&ClauseMatch, Vec<String>)]| matches.iter().map(|(met, _)| written(met)).collect();
        let names_none = met.is_empty() && partial.is_empty();
        let nearest = degree.clauses.first().filter(|_| names_none).map(written);
        Self { met: all_written(&met), touched: all_written(&partial), nearest, relevance }
    }

    fn write_words_as(&mut self, text: &Text) {
        for word in self.relevance.words.iter_mut().take(WRITTEN_WORDS) {
            *word = written_form(word, &text.title, &text.body);
        }
    }
}

/// Maximum number of words of a story that are written as in its text; a reason names fewer.
const WRITTEN_WORDS: usize = 8;

/// Minimum share of a clause's term weight for it to be named as a partial match: of "US Supreme Court", a text about
/// the United States matches only the country.
const TOUCHED_SHARE: f64 = 0.3;
/// The same if only one of its words is met: “research” alone is not what “physics research” is about. Below it, 21 of 102
/// such stories were of interest to the readers of the development labels, above it 23 of 44.
const TOUCHED_SHARE_BY_ONE_WORD: f64 = 0.55;

/// `words`: those of the text that meet the clause, in all their forms.
fn min_touched_share(words: &[String]) -> f64 {
    let mut stems = words.iter().map(|word| light_stem(&word.to_lowercase()));
    let first = stems.next();
    if stems.all(|stem| Some(stem) == first) { TOUCHED_SHARE_BY_ONE_WORD } else { TOUCHED_SHARE }
}

/// The searched parts of an item.
#[derive(Debug)]
struct Text {
    title: String,
    body: String,
    categories: Vec<String>,
    is_english: bool,
}

/// Maximum number of characters searched of a body.
const SEARCHED_CHARS: usize = 16_000;

impl Text {
    fn of(member: &StoryMember) -> Self {
        let item = &member.item;
        Self {
            title: item.title.clone().unwrap_or_default(),
            body: item.body_text.chars().take(SEARCHED_CHARS).collect(),
            categories: item.metadata.categories.clone(),
            is_english: item.is_english(),
        }
    }

    fn parts(&self) -> TextParts<'_> {
        TextParts { title: &self.title, body: &self.body, categories: &self.categories, is_english: self.is_english }
    }
}

/// The share of each source's stored items that matched, smoothed: Σ of degrees / (items + 3).
#[derive(Debug)]
struct SourcePriors {
    matched: HashMap<ItemId, f64>,
    of_source: HashMap<SourceId, (f64, usize)>,
}

/// Smoothing: number of items without a match added to every source.
const SMOOTHING_ITEMS: usize = 3;

impl SourcePriors {
    fn of(query: &StoredQuery<'_>, items: &[(ItemId, SourceId, Arc<Features>)]) -> Self {
        let mean_length = share_of(items.iter().map(|(_, _, features)| features.length()).sum(), items.len().max(1));
        let degrees: Vec<f64> = items.par_iter().map(|(_, _, features)| query.matched(features, mean_length)).collect();
        let mut of_source: HashMap<SourceId, (f64, usize)> = HashMap::new();
        for ((_, source, _), degree) in items.iter().zip(&degrees) {
            let (sum, count) = of_source.entry(*source).or_default();
            *sum += degree;
            *count += 1;
        }
        let matched = items.iter().zip(degrees).map(|((item, _, _), degree)| (*item, degree)).collect();
        Self { matched, of_source }
    }

    /// Returns the share among the source's other items.
    fn without(&self, source: SourceId, item: ItemId) -> f64 {
        let (sum, count) = self.of_source.get(&source).copied().unwrap_or_default();
        let own = self.matched.get(&item);
        let others = count - usize::from(own.is_some());
        (sum - own.copied().unwrap_or(0.0)).max(0.0) * share_of(1, others + SMOOTHING_ITEMS)
    }
}
