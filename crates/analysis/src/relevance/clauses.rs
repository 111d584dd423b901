//! Builds clauses, some of them negated, from interests in natural language.
//!
//! Input: a text, which [`super::tokens`] splits into words, and [`super::parts`] and [`super::lists`] into what is
//! wanted, what is excluded, and who the reader is. Output: for each part its words, its places and, if it is German,
//! French or Spanish, its English wordings. A clause without a place takes the places named earlier in its sentence:
//! "Latin America: politics, trade", but not "heat pumps, tidal energy in Scotland".

use super::coordination::complete;
use super::lists::listed;
use super::parts::{Part, parts};
use super::phrases::{compound, is_anaphora};
use super::places::{PlaceId, Places};
use super::tokens::{Mark, Token, is_hyphenated, tokens};
use super::translations::{Language, Translations};
use super::wordings::{Wording, abbreviated, english};
use super::words::{is_content, is_function_word, is_modifier};

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
    /// Words expected in a text, in lower case. Abbreviations replace the phrases that they stand for.
    pub words: Vec<String>,
    /// Modifiers among the words, each with the word to which a hyphen joins it: ("self", "hosting").
    pub(super) modifiers: Vec<(String, String)>,
    /// Places that a text should be about.
    pub(super) places: Vec<PlaceId>,
    /// Places named earlier in its sentence, for a clause that names none.
    pub(super) scope: Vec<PlaceId>,
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
        let tokens = tokens(text);
        let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).filter(|word| !word.is_empty()).collect();
        let language = Translations::shipped().language(&words);
        let sentences = tokens.split(|token| token.mark == Mark::SentenceEnd);
        let mut clauses: Vec<Clause> = sentences.flat_map(|sentence| clauses(text, sentence, language)).collect();
        // Who the reader is says what they want only if nothing else does.
        if clauses.iter().any(|clause| !clause.denied && !clause.is_background) {
            clauses.retain(|clause| clause.denied || !clause.is_background);
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
    complete(&mut parts);
    let is_whole = parts.len() == 1;
    let parts = parts.into_iter().flat_map(|part| listed(part, is_whole));
    let mut clauses: Vec<Clause> = parts.filter_map(|part| clause(text, &part, language)).collect();
    add_scopes(&mut clauses);
    clauses
}

/// Gives wanted clauses that name no place the places named earlier in their sentence.
fn add_scopes(clauses: &mut [Clause]) {
    let mut places: Vec<PlaceId> = Vec::new();
    for clause in clauses.iter_mut().filter(|clause| !clause.denied) {
        let english = clause.english.first().map_or(&[][..], |wording| &wording.places);
        let own: Vec<PlaceId> = clause.places.iter().chain(english).cloned().collect();
        if own.is_empty() && clause.scope.is_empty() {
            clause.scope.clone_from(&places);
        }
        name_place(clause);
        for place in own {
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
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
        words: vec![],
        modifiers: modifiers(text, part),
        places: vec![],
        scope: shared_places.clone(),
        english: vec![],
    };
    let mut span: Option<(usize, usize)> = None;
    let mut kept: Vec<&str> = Vec::new();
    let sole_subject_at = sole_subject(&words);
    // The end of the most recent compound subject name.
    let mut named_until = 0;
    let mut at = 0;
    while at < part.len() {
        named_until = named_until.max(at + compound(&words[at..]));
        let found = if at < named_until { None } else { Places::shipped().find(&words[at..]) };
        let length = found.as_ref().map_or(1, |(_, length)| *length);
        let is_named = at < named_until && !is_function_word(words[at]);
        let is_lead_in =
            LEAD_IN_LENGTHS.contains(&words[at]) && words.get(at + 1).is_some_and(|next| LEAD_IN_TEXTS.contains(next));
        let is_content = found.is_some()
            || is_named
            || is_content(words[at]) && !is_lead_in
            || sole_subject_at == Some(at)
            || is_numeral(&words, at);
        if is_content {
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
    clause.english = language.map(|language| english(&words, language)).unwrap_or_default();
    clause.written = written(text, part, *seam, span?)?;
    Some(clause)
}

/// Returns the text from the first to the last content word, without the words left out at the seam.
fn written(text: &str, part: &[&Token], seam: Option<usize>, (start, end): (usize, usize)) -> Option<String> {
    let Some((before, after)) = seam.and_then(|seam| Some((part.get(seam.checked_sub(1)?)?, part.get(seam)?))) else {
        return text.get(start..end).map(str::to_owned);
    };
    Some(format!("{} {}", text.get(start..before.end)?, text.get(after.start..end)?))
}

/// Returns the modifiers of a clause, each with the word that a hyphen joins it to.
fn modifiers(text: &str, part: &[&Token]) -> Vec<(String, String)> {
    let pairs = part.windows(2).filter(|pair| is_modifier(&pair[0].word) && is_hyphenated(text, pair[0], pair[1]));
    pairs.map(|pair| (pair[0].word.clone(), pair[1].word.clone())).collect()
}

/// Whether a word is a digit of a name, as in "Formula 1".
fn is_numeral(words: &[&str], at: usize) -> bool {
    let is_digit = matches!(words[at].as_bytes(), [digit] if digit.is_ascii_digit());
    is_digit && at > 0 && is_content(words[at - 1])
}

/// "Short reads about …" introduces a subject.
const LEAD_IN_LENGTHS: [&str; 3] = ["short", "long", "quick"];
const LEAD_IN_TEXTS: [&str; 5] = ["read", "reads", "pieces", "articles", "posts"];

/// Words that introduce a subject ("I work with …", "I go to …"), but are the subject if they are alone ("sleep, work and
/// money", "chess and Go").
const SUBJECTS_ALONE: [&str; 4] = ["go", "reading", "work", "writing"];

/// Returns the index of such a word if it is the only content word.
fn sole_subject(words: &[&str]) -> Option<usize> {
    let may_be_subject = |word: &&str| !is_function_word(word) || SUBJECTS_ALONE.contains(word);
    let mut content_words = words.iter().enumerate().filter(|(_, word)| may_be_subject(word));
    let (at, word) = content_words.next()?;
    (content_words.next().is_none() && SUBJECTS_ALONE.contains(word)).then_some(at)
}

#[cfg(test)]
mod tests;
