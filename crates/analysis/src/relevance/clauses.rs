//! Builds clauses, some of them negated, from interests in natural language.
//!
//! Input: a text, which [`super::tokens`] splits into words, and [`super::parts`] and [`super::lists`] into what is
//! wanted, what is excluded, and who the reader is. Output: for each part its words, its places and, if it is German,
//! French or Spanish, its English wordings. A clause without a place takes the places named earlier in its sentence
//! that hold for it ([`super::scopes`]).

mod roles;

use self::roles::{
    is_kind_of_work, is_non, is_numeral, is_related, kind_before_subject, leads_in, relation, sole_subject,
};
use super::coordination::{Meaning, complete};
use super::lists::listed;
use super::parts::{Part, parts};
use super::phrases::{compound, is_anaphora, is_article, kind_of_text};
use super::places::{PlaceId, Places};
use super::programming::{Sense, add_capitals, is_letter, is_name_by_next, senses};
use super::scopes::{Subject, inherited};
use super::sentence_ends::{join_sentences, number_lists};
use super::tokens::{Mark, Token, is_hyphenated, tokens};
use super::translations::{Language, Translations};
use super::wordings::{Wording, abbreviated, english};
use super::words::{is_content, is_function_word, is_modifier, is_unspecific};

/// A subject that a reader wants or excludes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    /// As written, without introductory words.
    pub written: String,
    /// Whether the reader excludes it.
    pub denied: bool,
    /// Whether it tells who the reader is.
    is_background: bool,
    /// Whether it is wanted less than others.
    pub(super) is_minor: bool,
    /// Number of words of the phrase that it is taken from, including those that are left out, but without articles.
    phrase_words: usize,
    /// Words expected in a text, in lower case but for names such as "WHO" and "Go". Abbreviations replace the phrases
    /// that they stand for.
    pub words: Vec<String>,
    /// In which sense they are meant.
    pub(super) sense: Sense,
    /// Modifiers among the words, each with the word to which a hyphen joins it: ("self", "hosting").
    pub(super) modifiers: Vec<(String, String)>,
    /// Places that a text should be about.
    pub(super) places: Vec<PlaceId>,
    /// Places named earlier in its sentence, for a clause that names none.
    pub(super) scope: Vec<PlaceId>,
    /// What a text has to name for the clause to count: "Amazon" for "not the company".
    pub(super) only_with: Option<Wording>,
    /// English wordings, best first, if the clause is in another supported language.
    pub(super) english: Vec<Wording>,
}

/// Parsed interests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Interests {
    pub clauses: Vec<Clause>,
}

impl Interests {
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut tokens = tokens(text);
        number_lists(text, &mut tokens);
        join_sentences(text, &mut tokens);
        let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).filter(|word| !word.is_empty()).collect();
        let language = Translations::shipped().language(&words);
        let sentences = tokens.split(|token| token.mark == Mark::SentenceEnd);
        let mut clauses: Vec<Clause> = sentences.flat_map(|sentence| clauses(text, sentence, language)).collect();
        find_languages(&mut clauses);
        // Who the reader is says what they want only if nothing else does.
        if clauses.iter().any(|clause| !clause.denied && !clause.is_background) {
            clauses.retain(|clause| clause.denied || !clause.is_background);
        }
        // What names no subject is part of a longer sentence: "and how it actually works".
        if clauses.iter().any(|clause| !clause.denied && !clause.is_remainder()) {
            clauses.retain(|clause| !clause.is_remainder());
        }
        // A kind of text says what is wanted only if nothing else does.
        if clauses.iter().any(|clause| !clause.denied && !clause.is_minor && !clause.is_kind_of_text()) {
            clauses.retain(|clause| clause.denied || !clause.is_kind_of_text());
        }
        Self { clauses }
    }

    /// Returns whether nothing is wanted; negated clauses alone want nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.clauses.iter().all(|clause| clause.denied)
    }

    pub fn wanted(&self) -> impl Iterator<Item = &Clause> {
        self.clauses.iter().filter(|clause| !clause.denied)
    }

    pub fn denied(&self) -> impl Iterator<Item = &Clause> {
        self.clauses.iter().filter(|clause| clause.denied)
    }
}

impl Clause {
    /// Returns whether it is wanted less than others.
    #[must_use]
    pub const fn is_minor(&self) -> bool {
        self.is_minor
    }

    /// Whether it names a kind of text, and nothing that it is about: "interviews".
    fn is_kind_of_text(&self) -> bool {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        !words.is_empty() && self.places.is_empty() && kind_of_text(&words) == words.len()
    }

    /// Whether it is what remains of a longer phrase, and names no subject: "actually" of "how it actually works".
    fn is_remainder(&self) -> bool {
        if self.denied && self.is_kind_of_text() {
            return false;
        }
        let has_one_unspecific = matches!(&self.words[..], [word] if is_unspecific(word));
        has_one_unspecific && self.places.is_empty() && self.phrase_words > 1
    }

    /// Returns the words that name no subject by themselves, if others do: "decide" of "decide on a heat pump".
    pub(super) fn beside_subject(&self) -> Vec<&String> {
        let (unspecific, others): (Vec<_>, Vec<_>) = self.words.iter().partition(|word| is_unspecific(word));
        if others.is_empty() && self.places.is_empty() { Vec::new() } else { unspecific }
    }

    /// Returns whether these words of a text name something of the clause. Of a clause of several words, a single one
    /// in another form is too little: "program" of "functional programming", "house" of "housing costs".
    #[must_use]
    pub fn is_named_by(&self, found: &[String]) -> bool {
        let own = self.all_words();
        let has_several = self.words.len() + self.places.len() > 1;
        let mut only: Option<&str> = None;
        !has_several
            || !found.iter().all(|word| {
                let alike = own.iter().find(|own| is_other_form(own, word));
                alike.is_some_and(|alike| *only.get_or_insert(alike.as_str()) == alike.as_str())
            })
    }

    /// Returns the display names of its places.
    #[must_use]
    pub fn place_names(&self) -> Vec<String> {
        let places = self.places.iter().chain(&self.scope);
        places.map(|place| Places::shipped().title(place)).collect()
    }

    /// Returns the names and words of which a text has to have one for the clause to count; none if it always does.
    #[must_use]
    pub fn required_names(&self) -> Vec<String> {
        let Some(Wording { words, places }) = &self.only_with else { return Vec::new() };
        words.iter().cloned().chain(places.iter().map(|place| Places::shipped().title(place))).collect()
    }

    /// Returns its words and those of its English wordings, without duplicates, for display.
    #[must_use]
    pub fn all_words(&self) -> Vec<String> {
        let english = self.english.iter().flat_map(|wording| {
            let places = wording.places.iter().map(|place| Places::shipped().title(place));
            wording.words.iter().cloned().chain(places)
        });
        let mut found: Vec<String> = Vec::new();
        for word in self.words.iter().cloned().chain(english) {
            if !found.contains(&word) {
                found.push(word);
            }
        }
        found
    }
}

/// Returns whether two words begin alike and differ by more than a plural.
fn is_other_form(one: &str, other: &str) -> bool {
    const MIN_ALIKE: usize = 4;
    let singular = |word: &str| {
        let word = word.to_lowercase();
        let stem = ["ies", "es", "s"].iter().find_map(|ending| word.strip_suffix(ending));
        stem.map_or_else(|| word.clone(), |stem| stem.trim_end_matches('i').to_owned())
    };
    let (one, other) = (singular(one), singular(other));
    let (longer, shorter) = if one.len() > other.len() { (&one, &other) } else { (&other, &one) };
    let is_plural = longer.starts_with(shorter.as_str()) && matches!(&longer[shorter.len()..], "" | "e" | "y");
    let alike = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    alike >= MIN_ALIKE && !is_plural
}

/// Splits a sentence into clauses.
fn clauses(text: &str, sentence: &[Token], language: Option<Language>) -> Vec<Clause> {
    let mut parts = parts(text, sentence, language);
    complete(&mut parts, language);
    let is_whole = parts.len() == 1;
    let parts = parts.into_iter().enumerate().flat_map(|(number, part)| {
        let (explains, only_with) = (part.explains, part.only_with);
        listed(part, is_whole).into_iter().map(move |part| (Origin { number, explains, only_with }, part))
    });
    let (origins, mut clauses): (Vec<Origin>, Vec<Clause>) =
        parts.filter_map(|(origin, part)| Some((origin, clause(text, &part, language)?))).unzip();
    add_scopes(&mut clauses, &origins);
    for at in 0..clauses.len() {
        let named = origins[at].only_with.and_then(|with| origins.iter().position(|origin| origin.number == with));
        if let Some(named) = named.map(|named| &clauses[named]) {
            // "Teacher in Georgia, the country".
            let is_place = !named.places.is_empty() && origins[at].explains.is_some();
            let words = if is_place { Vec::new() } else { named.words.clone() };
            clauses[at].only_with = Some(Wording { words, places: named.places.clone() });
        }
    }
    clauses
}

/// The part that a clause comes from.
#[derive(Debug, Clone, Copy)]
struct Origin {
    number: usize,
    /// The number of the part that it explains.
    explains: Option<usize>,
    /// The number of the part that a text has to name for it to count.
    only_with: Option<usize>,
}

/// Gives wanted clauses that name no place the places named earlier in their sentence that hold for them.
fn add_scopes(clauses: &mut [Clause], origins: &[Origin]) {
    let wanted: Vec<usize> = (0..clauses.len()).filter(|at| !clauses[*at].denied).collect();
    let last_of = |part: usize| wanted.iter().rposition(|at| origins[*at].number <= part);
    let subjects: Vec<Subject> =
        wanted.iter().map(|at| subject(&clauses[*at], origins[*at].explains.and_then(last_of))).collect();
    for (at, places) in wanted.into_iter().zip(inherited(&subjects)) {
        let clause = &mut clauses[at];
        if clause.scope.is_empty() {
            clause.scope = places;
        }
        name_place(clause);
    }
}

/// Returns what a clause is about, in English if it is in another supported language.
fn subject(clause: &Clause, explains: Option<usize>) -> Subject {
    let english = clause.english.first();
    let english_places = english.map_or(&[][..], |wording| &wording.places);
    let words = english.map_or(&clause.words, |wording| &wording.words);
    Subject {
        words: words.clone(),
        meaning: Meaning::of(words),
        places: clause.places.iter().chain(english_places).cloned().collect(),
        is_background: clause.is_background,
        explains,
    }
}

/// Finds the clauses that mean a programming language. A single letter that means none is dropped.
fn find_languages(clauses: &mut Vec<Clause>) {
    // Places and translations are of other subjects.
    let may_be = |clause: &Clause| clause.places.is_empty() && clause.english.is_empty();
    let words: Vec<&[String]> =
        clauses.iter().map(|clause| if may_be(clause) { &clause.words[..] } else { &[] }).collect();
    let senses = senses(&words);
    for (clause, sense) in clauses.iter_mut().zip(senses) {
        clause.sense = sense;
        if sense == Sense::Programming {
            add_capitals(&mut clause.words);
        }
    }
    clauses.retain(|clause| {
        let words: Vec<&str> = clause.words.iter().map(String::as_str).collect();
        clause.sense == Sense::Programming || !is_letter(&words)
    });
}

/// Replaces a word that stands for a place named before by that place: "I moved to Spain and try to understand the
/// country".
fn name_place(clause: &mut Clause) {
    if clause.places.is_empty() && matches!(&clause.words[..], [word] if is_anaphora(word)) && !clause.scope.is_empty()
    {
        clause.words.clear();
        clause.places = std::mem::take(&mut clause.scope);
        let titles = clause.places.iter().map(|place| Places::shipped().title(place));
        clause.written = titles.map(|title| capitalised(&title)).collect::<Vec<_>>().join(", ");
    }
}

/// Returns a name with capitals at the beginning of its words.
fn capitalised(name: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect::<String>()
    };
    name.split(' ').map(capital).collect::<Vec<_>>().join(" ")
}

/// Builds a clause; `None` if no content words or places remain.
fn clause(text: &str, part: &Part<'_>, language: Option<Language>) -> Option<Clause> {
    let Part { tokens: part, denied, is_background, is_minor, seam, shared_places, .. } = part;
    let words: Vec<&str> = part.iter().map(|token| token.word.as_str()).collect();
    let mut clause = Clause {
        written: String::new(),
        denied: *denied,
        is_background: *is_background,
        is_minor: *is_minor,
        phrase_words: words.iter().filter(|word| !is_article(word)).count(),
        words: vec![],
        sense: Sense::Usual,
        modifiers: modifiers(text, part),
        places: vec![],
        scope: shared_places.clone(),
        only_with: None,
        english: vec![],
    };
    let mut span: Option<(usize, usize)> = None;
    let mut kept: Vec<&str> = Vec::new();
    let sole_subject_at = sole_subject(&words);
    let relation_at = relation(&words, language);
    let kind = if *denied { 0..0 } else { kind_before_subject(&words) };
    // The end of the most recent compound subject name.
    let mut named_until = 0;
    let mut at = 0;
    while at < part.len() {
        named_until = named_until.max(at + compound(&words[at..]));
        let found = if at < named_until { None } else { Places::shipped().find(&words[at..]) };
        let length = found.as_ref().map_or(1, |(_, length)| *length);
        let is_named = at < named_until && !is_function_word(words[at]);
        let is_content = relation_at != Some(at)
            && !kind.contains(&at)
            && (found.is_some()
                || is_named
                || is_content(words[at]) && !leads_in(&words, at)
                || sole_subject_at == Some(at)
                || is_numeral(&words, at)
                || is_non(&clause.modifiers, &words, at)
                || is_kind_of_work(&words, at)
                || is_letter(&words)
                || is_name_by_next(&words, at)
                || relation_at.is_some_and(|of| is_related(&words, of, at)));
        if is_content || relation_at == Some(at) {
            let end = part[at + length - 1].end;
            span = Some((span.map_or(part[at].start, |(start, _)| start), end));
        }
        match found {
            Some((place, _)) if !clause.places.contains(&place) => clause.places.push(place),
            None if is_content => kept.push(words[at]),
            Some(_) | None => {}
        }
        at += length;
    }
    clause.words = abbreviated(&kept);
    let says_what = |at: &usize| relation_at != Some(*at) && !kind.contains(at);
    let said: Vec<&str> = (0..words.len()).filter(says_what).map(|at| words[at]).collect();
    clause.english = language.map(|language| english(&said, language)).unwrap_or_default();
    clause.written = written(text, part, *seam, span?)?;
    Some(clause)
}

/// Returns the text from the first to the last content word, without the words left out at the seam.
fn written(text: &str, part: &[&Token], seam: Option<usize>, (start, end): (usize, usize)) -> Option<String> {
    let around = seam.and_then(|seam| Some((part.get(seam.checked_sub(1)?)?, part.get(seam)?)));
    let Some((before, after)) = around.filter(|(_, after)| start < after.start) else {
        return text.get(start..end).map(str::to_owned);
    };
    Some(format!("{} {}", text.get(start..before.end)?, text.get(after.start..end)?))
}

/// Returns the modifiers of a clause, each with the word that a hyphen joins it to.
fn modifiers(text: &str, part: &[&Token]) -> Vec<(String, String)> {
    let pairs = part.windows(2).filter(|pair| is_modifier(&pair[0].word) && is_hyphenated(text, pair[0], pair[1]));
    pairs.map(|pair| (pair[0].word.clone(), pair[1].word.clone())).collect()
}

#[cfg(test)]
mod tests;
