//! Chooses the sentences that answer a question about a subject as a whole: those that define it, begin a passage about it
//! or mention it. Input: the recognised question and the passages found. Output: indexes of sentences, with a probability.
//! Called by [`super::extract`].

use std::collections::HashSet;

use super::CandidatePassage;
use super::overview::{Overview, OverviewKind};
use super::vocabulary::{MAX_WORDS, Part, Vocabulary, digits, words};
use crate::text::tokens::snowball_stem;

/// Sentences that answer an overview, best first, all of passages that may be quoted.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SubjectSentences {
    /// Indexes of the sentences.
    pub(super) units: Vec<usize>,
    pub(super) probability: f64,
    /// Set if even the newest of them is older than the period asked for: its date in Unix milliseconds.
    pub(super) older: Option<i64>,
}

/// How well a sentence tells of the subject, ascending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// Its passage, heading and title have the words of the subject between them.
    Context,
    /// It mentions the subject.
    Mention,
    /// It says in passing what the subject is: "X (an editor)", "X, a town in …", "the painter X".
    Explanation,
    /// It begins a passage under the subject as a heading.
    Lead,
    /// "X is a …".
    Definition,
}

/// Maximum number of sentences quoted.
const MAX_SENTENCES: usize = 3;

/// Returns the sentences that answer the overview; `None` if the subject does not occur, or for a definition is not
/// defined. `asked_at`: in Unix milliseconds, if that is known.
pub(super) fn sentences_about(
    overview: &Overview,
    asked_at: Option<i64>,
    candidates: &[CandidatePassage<'_>],
    in_force: &[bool],
    all: &Vocabulary<'_>,
) -> Option<SubjectSentences> {
    const MILLISECONDS_OF_DAY: i64 = 86_400_000;
    let since = overview.days.zip(asked_at).map(|(days, now)| now.saturating_sub(days * MILLISECONDS_OF_DAY));
    let is_recent = |part: &Part| since.is_none_or(|since| part.dated >= since);
    let mut fitting = fitting(overview, candidates, in_force, all);
    let part = |unit: usize| &all.parts[all.units[unit].passage];
    let by_fit = |a: &(Fit, usize), b: &(Fit, usize)| {
        let (one, other) = (part(a.1), part(b.1));
        let (fit, date) = (b.0.cmp(&a.0), other.dated.cmp(&one.dated));
        // A passage that only has the words somewhere is no news of the subject.
        let is_about = (b.0 > Fit::Context).cmp(&(a.0 > Fit::Context));
        let is_news = overview.kind == OverviewKind::News;
        let order = if is_news { is_about.then(date).then(fit) } else { fit.then(date) };
        is_recent(other).cmp(&is_recent(one)).then(order).then(a.1.cmp(&b.1))
    };
    fitting.sort_by(by_fit);
    let (fit, first) = *fitting.first()?;
    let older = (!is_recent(part(first))).then(|| part(first).dated);
    let others: &[(Fit, usize)] = if overview.kind == OverviewKind::News { &fitting[1..] } else { &[] };
    let others = others.iter().filter(|(fit, unit)| *fit > Fit::Context && is_recent(part(*unit)) == older.is_none());
    let probability = match fit {
        Fit::Definition | Fit::Lead => 0.9,
        Fit::Explanation => 0.8,
        Fit::Mention => 0.7,
        Fit::Context => 0.5,
    };
    Some(SubjectSentences { units: quoted(first, others.map(|(_, unit)| *unit), all), probability, older })
}

/// Returns the best sentence of each passage that tells of the subject.
fn fitting(
    overview: &Overview,
    candidates: &[CandidatePassage<'_>],
    in_force: &[bool],
    all: &Vocabulary<'_>,
) -> Vec<(Fit, usize)> {
    let stems: HashSet<String> = overview.terms().iter().map(|term| snowball_stem(term).into_owned()).collect();
    let mut fitting: Vec<(Fit, usize)> = Vec::new();
    if stems.is_empty() {
        return fitting;
    }
    for (passage, part) in all.parts.iter().enumerate().filter(|(passage, _)| in_force[*passage]) {
        let is_of_same = |before: usize| candidates[before].document == candidates[passage].document;
        let begins_item = candidates[passage].is_item && !passage.checked_sub(1).is_some_and(is_of_same);
        let quotable = part.units.clone().filter(|unit| all.units[*unit].length <= MAX_WORDS);
        let mut fits: Vec<(Fit, usize)> =
            quotable.filter_map(|unit| Some((fit(overview, &stems, unit, begins_item, all)?, unit))).collect();
        fits.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        // In "This section is for all staff. The notice period …" the beginning says nothing of the subject, nor does an
        // article's "If you like this, subscribe" before it names what its title does.
        let names = |unit: usize| has_all(&stems, &stems_of(&all.units[unit].words, all));
        let is_mention = |fit: Fit| matches!(fit, Fit::Mention | Fit::Explanation);
        let others_name = fits.iter().any(|(fit, _)| is_mention(*fit));
        let is_preface = |(fit, unit): &(Fit, usize)| *fit == Fit::Lead && !names(*unit) && others_name;
        let is_definition = overview.kind == OverviewKind::Definition;
        let naming = || fits.iter().find(|(fit, _)| is_mention(*fit) && !is_definition);
        fitting.extend(match fits.first() {
            Some(first) if is_preface(first) => naming().map(|(_, unit)| (Fit::Lead, *unit)),
            first => first.copied(),
        });
    }
    if overview.kind == OverviewKind::Definition {
        fitting.retain(|(fit, _)| *fit >= Fit::Explanation);
    }
    fitting
}

/// Returns the first sentence, sentences of other passages, and those that follow it in its own: up to
/// [`MAX_SENTENCES`] with at most [`MAX_WORDS`] words, those of a passage in their order.
fn quoted(first: usize, others: impl Iterator<Item = usize>, all: &Vocabulary<'_>) -> Vec<usize> {
    let of_passage = &all.parts[all.units[first].passage].units;
    let mut units: Vec<usize> = vec![first];
    let mut length = all.units[first].length;
    for unit in others.chain(first + 1..of_passage.end) {
        let next = &all.units[unit];
        let is_new = !units.iter().any(|known| all.units[*known].text == next.text);
        if units.len() < MAX_SENTENCES && is_new && length + next.length <= MAX_WORDS {
            length += next.length;
            units.push(unit);
        } else if of_passage.contains(&unit) {
            // The sentence after one that is left out may refer to it.
            break;
        }
    }
    let place = |unit: &usize| if of_passage.contains(unit) { (0, *unit) } else { (1, 0) };
    units.sort_by_key(place);
    units
}

/// Returns how well a sentence tells of the subject; `None` if it does not. `begins_item`: its passage begins an item,
/// which the title is about.
fn fit(
    overview: &Overview,
    stems: &HashSet<String>,
    unit: usize,
    begins_item: bool,
    all: &Vocabulary<'_>,
) -> Option<Fit> {
    let sentence = &all.units[unit];
    let part = &all.parts[sentence.passage];
    if overview.kind == OverviewKind::Naming && !has_in_order(sentence.text, &overview.subject) {
        return None;
    }
    let own = stems_of(&sentence.words, all);
    let (heading, title) = (stems_of(&part.heading, all), stems_of(&part.title, all));
    let has_all = |words: &HashSet<&str>| has_all(stems, words);
    let is_lead = unit == part.units.start;
    // For "What is X?" the heading has to be X itself: "Rules of X" do not say what it is.
    let is_heading = has_all(&heading) && (overview.kind != OverviewKind::Definition || heading.len() == stems.len());
    let is_title = overview.kind != OverviewKind::Definition && begins_item && has_all(&title);
    let has_each =
        stems.iter().all(|stem| [&own, &heading, &title].into_iter().any(|words| words.contains(stem.as_str())));
    match () {
        () if defines(sentence.text, &overview.subject) => Some(Fit::Definition),
        () if is_lead && (is_heading || is_title) => Some(Fit::Lead),
        () if has_all(&own) && explains(sentence.text, &overview.subject) => Some(Fit::Explanation),
        () if has_all(&own) => Some(Fit::Mention),
        () if has_each && stems.iter().any(|stem| own.contains(stem.as_str())) => Some(Fit::Context),
        () => None,
    }
}

fn has_all(stems: &HashSet<String>, words: &HashSet<&str>) -> bool {
    stems.iter().all(|stem| words.contains(stem.as_str()))
}

fn stems_of<'a>(words: &[usize], all: &'a Vocabulary<'_>) -> HashSet<&'a str> {
    words.iter().map(|word| all.stems[*word].as_str()).collect()
}

/// Whether a sentence says what the subject is where it names it: in brackets or between commas behind it, or by "called"
/// before it.
fn explains(sentence: &str, subject: &[String]) -> bool {
    let (sentence, subject) = (sentence.to_lowercase(), subject.join(" "));
    let Some(at) = sentence.find(&subject) else { return false };
    let (before, after) = (&sentence[..at], &sentence[at + subject.len()..]);
    let is_alone = !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric);
    let in_brackets = after.strip_prefix(" (").and_then(|after| after.split_once(')')).map(|(within, _)| within);
    // Of "X (2019)" or "X (see below)" nothing is learnt.
    let is_meaning = |within: &str| {
        let words = words(within);
        words.len() > 1
            && !words.iter().any(|word| digits(word).is_some())
            && !["see", "and", "or"].contains(&&*words[0])
    };
    let begins_meaning =
        |after: &str| ["a ", "an ", "the ", "one of "].iter().any(|article| after.starts_with(article));
    let is_apposition =
        [", ", " – ", " — ", " - "].iter().any(|mark| after.strip_prefix(mark).is_some_and(begins_meaning));
    // "In X, the mayor said …" goes on with something else.
    let is_place = ["in", "at", "on", "for", "to", "with", "by", "from"].contains(&before.trim());
    let is_called = ["called ", "named ", "known as ", "dubbed "].iter().any(|word| before.ends_with(word));
    is_alone && (in_brackets.is_some_and(is_meaning) || is_apposition && !is_place || is_called)
}

/// Whether a sentence has the subject's words next to each other: "the drop was dead" is about no dead drop.
fn has_in_order(sentence: &str, subject: &[String]) -> bool {
    let stems = |words: &[String]| words.iter().map(|word| snowball_stem(word).into_owned()).collect::<Vec<_>>();
    let (of_sentence, of_subject) = (stems(&words(sentence)), stems(subject));
    of_sentence.windows(of_subject.len().max(1)).any(|window| window == of_subject)
}

/// Whether a sentence begins with the subject and says what it is: "Rota is the portal …", "The period is three months",
/// or an entry of a glossary, "Zone: a delivery area with its own fee".
fn defines(sentence: &str, subject: &[String]) -> bool {
    const MIN_WORDS_OF_ENTRY: usize = 3;
    let is_article = |word: &&String| ["the", "a", "an", "our"].contains(&word.as_str());
    let begins = |words: &[&String]| {
        words.iter().zip(subject).all(|(word, of_subject)| snowball_stem(word) == snowball_stem(of_subject))
    };
    if is_row_of_glossary(sentence, subject) {
        return true;
    }
    if let Some((term, meaning)) = sentence.split_once(':') {
        let (term_words, meaning_words) = (words(term), words(meaning));
        let term_words: Vec<&String> = term_words.iter().skip_while(is_article).collect();
        // A row of a table has the names of its columns before its cells, too.
        let is_entry = meaning_words.len() >= MIN_WORDS_OF_ENTRY && !meaning.contains('·');
        if is_entry && term_words.len() == subject.len() && begins(&term_words) {
            return true;
        }
    }
    let words = words(sentence);
    let rest: Vec<&String> = words.iter().skip_while(is_article).collect();
    let is_subject = rest.len() > subject.len() && begins(&rest);
    let after = |at: usize| rest.get(subject.len() + at).map_or("", |word| word.as_str());
    let is_copula = matches!(after(0), "is" | "are" | "was" | "were");
    let says_what = || matches!(after(1), "a" | "an" | "the" | "any" | "our" | "another") || digits(after(1)).is_some();
    is_subject && (matches!(after(0), "means" | "denotes" | "describes") || is_copula && says_what())
}

/// Names of the first column of a glossary, and of the second.
const TERM_COLUMNS: [&str; 14] = [
    "word",
    "words",
    "term",
    "terms",
    "name",
    "abbreviation",
    "acronym",
    "concept",
    "expression",
    "begriff",
    "wort",
    "abkürzung",
    "terme",
    "mot",
];
const MEANING_COLUMNS: [&str; 9] =
    ["meaning", "definition", "description", "explanation", "means", "bedeutung", "erklärung", "sens", "définition"];

/// Whether a sentence is a row of a table that explains the subject: "word: zone · meaning: a delivery area".
fn is_row_of_glossary(sentence: &str, subject: &[String]) -> bool {
    let Some((first, rest)) = sentence.split_once(" · ") else { return false };
    let Some((column, term)) = first.split_once(": ") else { return false };
    let is_named = |column: &str, names: &[&str]| words(column).iter().all(|word| names.contains(&word.as_str()));
    let means = rest.split_once(": ").is_some_and(|(column, _)| is_named(column, &MEANING_COLUMNS));
    let stems = |words: &[String]| words.iter().map(|word| snowball_stem(word).into_owned()).collect::<Vec<_>>();
    (means || is_named(column, &TERM_COLUMNS)) && stems(&words(term)) == stems(subject)
}

#[cfg(test)]
mod tests;
