//! How well each sentence answers a question.

use super::Source;
use super::meaning::{Likeness, Meaning, Vector, dot};
use super::question::Question;
use super::vocabulary::{Vocabulary, as_f64};
use crate::relevance::word_vectors::{DIMENSIONS, Vector as TableVector, WordVectors, cosine};
use crate::stories::tokens::stem;

// All weights were found on the questions of `scripts/ask/` (tag `dev`) and on those of the acceptance set that are shown; those that are kept
// aside decide.

/// Words less alike than this say nothing about one another.
const LEAST_LIKENESS: f64 = 0.1;
/// What a word of the heading, the title, a neighbouring sentence and any sentence of the passage counts.
const OF_HEADING: f64 = 0.75;
const OF_TITLE: f64 = 0.5;
const OF_NEIGHBOUR: f64 = 0.55;
const OF_PASSAGE: f64 = 0.65;
/// Of what is met by the sentence itself, once more.
const OWN: f64 = 0.3;
/// Of the likeness of the mean vectors of question and sentence, and of question and passage.
const MEAN_OF_SENTENCE: f64 = 0.3;
const MEAN_OF_PASSAGE: f64 = 0.2;
/// The same by weights from a folder.
const WEIGHTS_OF_SENTENCE: f64 = 0.3;
const WEIGHTS_OF_PASSAGE: f64 = 0.3;
/// For having, or lacking, the kind of thing that is wanted.
const HAS_KIND: f64 = 0.1;
const LACKS_KIND: f64 = 0.15;
/// What words beyond the twentieth cost, for twenty of them.
const LENGTH: f64 = 0.1;
const USUAL_LENGTH: usize = 20;
/// Exponent of the rarity among the passages.
const RARITY: f64 = 1.5;

/// A sentence with its score.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scored {
    pub(super) unit: usize,
    pub(super) score: f64,
}

/// What a question's words are met by.
pub(super) struct Scoring {
    /// Of each term.
    pub(super) weights: Vec<f64>,
    /// Of each term, to each word: its likeness, and 1 where the stem is the same.
    pub(super) likeness: Vec<Vec<f64>>,
    /// Best first.
    pub(super) ranked: Vec<Scored>,
    /// Of the best sentence's passage, by weights.
    pub(super) passage_likeness: Option<f64>,
}

/// Scores all sentences.
pub(super) fn score(
    question: &Question,
    sources: &[Source<'_>],
    all: &Vocabulary<'_>,
    meaning: &Meaning<'_>,
) -> Scoring {
    let weights: Vec<f64> = question.terms.iter().map(|term| weight(term, all)).collect();
    let likeness = likenesses(question, all, meaning);
    let met = Met::of(&likeness, all);
    let means = Means::of(question, all);
    let by_weights = ByWeights::of(question, sources, all, meaning);
    let total = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let mut ranked = Vec::with_capacity(all.units.len());
    for (number, unit) in all.units.iter().enumerate() {
        let part = &all.parts[unit.passage];
        let (mut covered, mut own) = (0.0, 0.0);
        for (term, weight) in weights.iter().enumerate() {
            let itself = met.units[term][number].max(OF_HEADING * met.headings[term][unit.passage]);
            let before = number.checked_sub(1).filter(|before| part.units.contains(before));
            let after = Some(number + 1).filter(|after| part.units.contains(after));
            let around = before.into_iter().chain(after).map(|near| met.units[term][near]).fold(0.0, f64::max);
            let anywhere = OF_PASSAGE * met.passages[term][unit.passage];
            let title = OF_TITLE * met.titles[term][unit.passage];
            covered += weight * itself.max(OF_NEIGHBOUR * around).max(anywhere).max(title);
            own += weight * itself;
        }
        let mut score = (covered + OWN * own) / total + means.of_unit(number, unit.passage);
        score += by_weights.of_unit(number, unit.passage);
        score += match question.wanted {
            Some(kind) if kind.is_in(unit.text) => HAS_KIND,
            Some(_) => -LACKS_KIND,
            None => 0.0,
        };
        score -= LENGTH * as_f64(unit.length.saturating_sub(USUAL_LENGTH)) / as_f64(USUAL_LENGTH);
        ranked.push(Scored { unit: number, score });
    }
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.unit.cmp(&b.unit)));
    let passage_likeness = ranked.first().and_then(|best| by_weights.of_passage(all.units[best.unit].passage));
    Scoring { weights, likeness, ranked, passage_likeness }
}

/// The rarer a word is among the passages and in English at large, the more it says.
fn weight(term: &str, all: &Vocabulary<'_>) -> f64 {
    const UNLISTED_RANK: usize = 40_000;
    let rank = WordVectors::shipped().rank(term).unwrap_or(UNLISTED_RANK);
    let general = (as_f64(rank + 1).ln() / 30_000_f64.ln()).min(1.0);
    all.rarity(&stem(term)).powf(RARITY) * general
}

fn likenesses(question: &Question, all: &Vocabulary<'_>, meaning: &Meaning<'_>) -> Vec<Vec<f64>> {
    let mut likeness = Likeness::new(meaning);
    let has_digit = |word: &str| word.contains(|c: char| c.is_ascii_digit());
    let of_term = |term: &String| {
        let term_stem = stem(term);
        let pairs = all.words.iter().zip(&all.stems);
        pairs
            .map(|(word, stem)| match () {
                () if *stem == *term_stem => 1.0,
                // Numbers are the same or they are not.
                () if has_digit(term) || has_digit(word) => 0.0,
                () => likeness.of(term, word).min(0.999),
            })
            .collect()
    };
    question.terms.iter().map(of_term).collect()
}

/// How far each term is met: by each sentence, heading, title and passage.
struct Met {
    units: Vec<Vec<f64>>,
    headings: Vec<Vec<f64>>,
    titles: Vec<Vec<f64>>,
    passages: Vec<Vec<f64>>,
}

impl Met {
    fn of(likeness: &[Vec<f64>], all: &Vocabulary<'_>) -> Self {
        let met = |likeness: f64| ((likeness - LEAST_LIKENESS) / (1.0 - LEAST_LIKENESS)).clamp(0.0, 1.0);
        let best = |of: &[f64], words: &[usize]| words.iter().map(|word| met(of[*word])).fold(0.0, f64::max);
        let per_part = |words: fn(&super::vocabulary::Part) -> &[usize]| {
            likeness.iter().map(|of| all.parts.iter().map(|part| best(of, words(part))).collect()).collect()
        };
        let units: Vec<Vec<f64>> =
            likeness.iter().map(|of| all.units.iter().map(|unit| best(of, &unit.words)).collect()).collect();
        let highest = |of: &Vec<f64>| {
            all.parts.iter().map(|part| of[part.units.clone()].iter().copied().fold(0.0, f64::max)).collect()
        };
        let passages = units.iter().map(highest).collect();
        Self { headings: per_part(|part| &part.heading), titles: per_part(|part| &part.title), passages, units }
    }
}

/// Likeness of mean vectors by the table that ships.
struct Means {
    units: Vec<f64>,
    passages: Vec<f64>,
}

impl Means {
    fn of(question: &Question, all: &Vocabulary<'_>) -> Self {
        let table = WordVectors::shipped();
        let ranks: Vec<Option<usize>> = all.words.iter().map(|word| table.rank(word)).collect();
        let mean = |words: &mut dyn Iterator<Item = Option<usize>>| {
            let mut sum: TableVector = [0.0; DIMENSIONS];
            words.flatten().for_each(|rank| table.add(rank, table.weight(rank), &mut sum));
            sum
        };
        let asked = mean(&mut question.terms.iter().map(|term| table.rank(term)));
        let units = all.units.iter().map(|unit| {
            let heading = &all.parts[unit.passage].heading;
            cosine(&asked, &mean(&mut unit.words.iter().chain(heading).map(|word| ranks[*word])))
        });
        let passages = all.parts.iter().map(|part| {
            let inside = all.units[part.units.clone()].iter().flat_map(|unit| &unit.words);
            cosine(&asked, &mean(&mut inside.chain(&part.heading).chain(&part.title).map(|word| ranks[*word])))
        });
        Self { units: units.collect(), passages: passages.collect() }
    }

    fn of_unit(&self, unit: usize, passage: usize) -> f64 {
        MEAN_OF_SENTENCE * self.units[unit] + MEAN_OF_PASSAGE * self.passages[passage]
    }
}

/// Likeness by weights from a folder, where there are any.
struct ByWeights(Option<(Vec<f64>, Vec<f64>)>);

impl ByWeights {
    fn of(question: &Question, sources: &[Source<'_>], all: &Vocabulary<'_>, meaning: &Meaning<'_>) -> Self {
        let Some(asked) = meaning.text(&question.text) else { return Self(None) };
        let likeness = |text: &str| {
            let vector: Option<Vector> = meaning.text(text);
            vector.map_or(0.0, |vector| f64::from(dot(&asked, &vector)))
        };
        let section = |passage: usize| sources.get(passage).map_or("", |source| source.section);
        let units = all.units.iter().map(|unit| likeness(&format!("{}. {}", section(unit.passage), unit.text)));
        let passages = all.parts.iter().enumerate().map(|(passage, part)| {
            let texts: Vec<&str> = all.units[part.units.clone()].iter().map(|unit| unit.text).collect();
            likeness(&format!("{}. {}", section(passage), texts.join(" ")))
        });
        Self(Some((units.collect(), passages.collect())))
    }

    fn of_unit(&self, unit: usize, passage: usize) -> f64 {
        let Some((units, passages)) = &self.0 else { return 0.0 };
        WEIGHTS_OF_SENTENCE * units[unit] + WEIGHTS_OF_PASSAGE * passages[passage]
    }

    fn of_passage(&self, passage: usize) -> Option<f64> {
        self.0.as_ref().and_then(|(_, passages)| passages.get(passage).copied())
    }
}
