//! Relevance of each story of a run to the reader's interests, from its best text and from how often its source matched
//! before.
//!
//! Input: the topic's interests, the run's stories, stored features of their sources' items. Output: [`Relevance`] and
//! the matching clauses, written into the evidence. Called by [`super::gather`].

use std::collections::HashMap;
use std::sync::Arc;

use aha_analysis::relevance::{
    ClauseMatch, Corpus, Degree, Interests, Meeting, MeetingWord, Query, StoredQuery, TextParts, as_written,
    is_function_word,
};
use aha_analysis::text::features::Features;
use aha_analysis::text::similarity::Frequencies;
use aha_analysis::text::written_form::written_form;
use aha_core::digest::{Evidence, OtherWords, Relevance};
use aha_core::ids::{ClusterId, ItemId, SourceId};
use aha_core::item::first_words;
use aha_core::story::{Story, StoryMember};
use rayon::prelude::*;

use super::naming::{Naming, meetings};
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
    /// Clauses that match, as written but without typing errors, best match first, and clauses that match only in part.
    met: Vec<String>,
    touched: Vec<String>,
    /// The clause that it comes nearest to by words, if it neither matches nor touches one.
    nearest: Option<String>,
    relevance: Relevance,
}

impl Relevances {
    /// Computed on the blocking pool, because it reads every word of the run's texts.
    pub(super) async fn of(context: &RunContext, history: &Arc<History>, stories: &[Story]) -> Result<Self, RunError> {
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
        let history = Arc::clone(history);
        let measuring = tokio::task::spawn_blocking(move || {
            Self::measure(&interests, &texts, sentences.as_deref(), &history.frequencies, &history.of_sources)
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
            (cluster, StoryRelevance::of(&query, text, &texts[text].3, &degree, prior))
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
    /// `number`: that of the text in the query's corpus.
    fn of(query: &Query<'_>, number: usize, text: &Text, degree: &Degree, source_prior: f64) -> Self {
        let meetings = meetings(query, number, degree);
        let named = |wanted: Naming| {
            let is_wanted = |(met, meeting): &&(&ClauseMatch, Meeting)| {
                Naming::of(&query.clauses()[met.clause], met, meeting, degree.allowed) == Some(wanted)
            };
            meetings.iter().filter(is_wanted).map(|(met, meeting)| (met.clause, meeting)).collect::<Vec<_>>()
        };
        let (met, mut touched, mut filed_under) = (named(Naming::Matched), named(Naming::Touched), Vec::new());
        let words = text.written_words(met.iter().chain(&touched).flat_map(|(_, meeting)| meeting.in_text()));
        if met.is_empty() && touched.is_empty() {
            touched = named(Naming::Filed);
            touched.retain(|(_, meeting)| text.category_of(meeting).is_some());
            filed_under = touched.iter().filter_map(|(_, meeting)| text.category_of(meeting)).collect();
            filed_under.dedup();
        }
        let is_named = !met.is_empty() || !touched.is_empty();
        let nearest = if is_named { None } else { nearest(query, number, degree) };
        let denied = degree.denied.iter().filter(|denied| denied.score >= MIN_DENIED);
        let relevance = Relevance {
            degree: round(degree.total(source_prior)),
            matched: round(degree.matched()),
            dense_similarity: round(degree.dense),
            sentence_similarity: degree.sentence.map(round),
            source_prior: round(source_prior),
            allowed: round(degree.allowed),
            words,
            other_words: other_words(query, text, &met),
            filed_under,
            near_words: nearest.map_or_else(Vec::new, |nearest| near_words(query, number, text, nearest)),
            meets_clause: meetings.iter().any(|(met, meeting)| met.is_met(degree.allowed) && !meeting.lacks_place),
            denied: denied.map(|denied| query.written(denied.clause)).collect(),
        };
        let nearest = nearest.map(|nearest| query.written(nearest.clause));
        let written = |named: &[(usize, &Meeting)]| named.iter().map(|(clause, _)| query.written(*clause)).collect();
        Self { met: written(&met), touched: written(&touched), nearest, relevance }
    }
}

/// Minimum part of the degree that a denied clause takes for the reason to name it.
const MIN_DENIED: f64 = 0.3;

/// Minimum cosine of a clause's subject and a text that comes near to it: below it, a text has nothing of the subject.
const MIN_NEARNESS: f64 = 0.1;

/// Returns the clause that a text comes nearest to by its words and its vector together, of those whose place, if any,
/// it has. Of 207 stories of 103 statements, a grader found that clause fair for 57 %; that nearest by the vector alone
/// for 50 % (`docs/RANKING.md`, "Comes near to").
fn nearest<'d>(query: &Query<'_>, number: usize, degree: &'d Degree) -> Option<&'d ClauseMatch> {
    // Without a vector it is 0. Of equal ones, the clause that counts most is taken.
    let is_near = |met: &&ClauseMatch| met.nearness >= MIN_NEARNESS || met.nearness.abs() <= f64::EPSILON;
    let has_its_place = |met: &&ClauseMatch| !query.meeting(number, met).lacks_place;
    let near = degree.clauses.iter().rev().filter(is_near).filter(has_its_place);
    let by_both = |met: &ClauseMatch| met.score + met.nearness;
    near.max_by(|one, other| by_both(one).total_cmp(&by_both(other)))
}

/// Maximum number of words that a text comes near to a clause by.
const NEAR_WORDS: usize = 2;

/// Returns the words of a text that count most for a clause, as it writes them, of forms of one word the first.
fn near_words(query: &Query<'_>, number: usize, text: &Text, nearest: &ClauseMatch) -> Vec<String> {
    let mut words = query.counting_words(number, nearest);
    words.retain(|word| !is_function_word(&word.text));
    let mut found: Vec<&MeetingWord> = Vec::new();
    for word in &words {
        if !found.iter().any(|known| known.is_form_of(word)) {
            found.push(word);
        }
    }
    found.iter().filter_map(|word| text.written(&word.text, word.is_place)).take(NEAR_WORDS).collect()
}

/// Returns the words of the text for the clauses that it meets by none of their own, unless they are words of another
/// clause that it meets.
fn other_words(query: &Query<'_>, text: &Text, met: &[(usize, &Meeting)]) -> Vec<OtherWords> {
    let is_own = |word: &MeetingWord| {
        let same = |own: &MeetingWord| own.is_own && own.text == word.text;
        met.iter().any(|(_, meeting)| meeting.in_text().any(same))
    };
    let by_others = met.iter().filter(|(_, meeting)| !meeting.in_text().any(|word| word.is_own || is_own(word)));
    let written = by_others.map(|(clause, meeting)| {
        let words: Vec<&MeetingWord> = meeting.in_text().collect();
        OtherWords { interest: query.written(*clause), words: text.written_names(&words) }
    });
    written.filter(|other| !other.words.is_empty()).collect()
}

/// Maximum number of words of a story that are written as in its text; a reason names fewer.
const WRITTEN_WORDS: usize = 8;
/// Maximum number of characters of a category.
const CATEGORY_CHARS: usize = 60;

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

    /// Returns a word that the query found as the title or body writes it; `None` if neither has it.
    fn written(&self, word: &str, is_place: bool) -> Option<String> {
        let found = as_written(word, &self.title).or_else(|| as_written(word, &self.body))?;
        // A place begins with a capital anywhere, and the normal form of a word is not what the text has ("ai").
        if is_place || found.to_lowercase() != word && !word.contains('-') {
            return Some(found.to_owned());
        }
        Some(written_form(word, &self.title, &self.body))
    }

    /// Returns the words without duplicates, the first of them as written.
    fn written_words<'w>(&self, words: impl Iterator<Item = &'w MeetingWord>) -> Vec<String> {
        let mut found: Vec<&MeetingWord> = Vec::new();
        for word in words {
            if !found.iter().any(|known| known.text == word.text) {
                found.push(word);
            }
        }
        let others = found.split_off(found.len().min(WRITTEN_WORDS));
        let written = found.into_iter().filter_map(|word| self.written(&word.text, word.is_place));
        written.chain(others.into_iter().map(|word| word.text.clone())).collect()
    }

    /// Returns the first names among the words as written: two words that stand together are one name ("facial
    /// recognition").
    fn written_names(&self, words: &[&MeetingWord]) -> Vec<String> {
        let joined = match words {
            [first, second, ..] => self.written(&format!("{} {}", first.text, second.text), false),
            _ => None,
        };
        let each =
            || words.iter().take(2).filter_map(|word| self.written(&word.text, word.is_place)).collect::<Vec<_>>();
        joined.map_or_else(each, |joined| vec![joined])
    }

    /// Returns the category of which words of the meeting are at least half: one that lists or names other things says
    /// little of the text ("Arts, Culture and Entertainment").
    fn category_of(&self, meeting: &Meeting) -> Option<String> {
        let is_content = |word: &&str| word.len() > 1 && !is_function_word(&word.to_lowercase());
        let is_about = |category: &&String| {
            let named = meeting.words.iter().filter(|word| as_written(&word.text, category).is_some());
            let named: usize = named.map(|word| word.text.split([' ', '-']).count()).sum();
            let words = category.split(|c: char| !c.is_alphanumeric()).filter(is_content).count();
            named > 0 && 2 * named >= words
        };
        self.categories.iter().find(is_about).map(|category| first_words(category, CATEGORY_CHARS))
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
