//! Splits a sentence of interests into parts: what the reader wants, what they exclude, and who they are.

use super::phrases::{
    Phrase, begins_remark, compound, find, is_consequence, is_enthusiasm, is_no, is_or, is_wish, is_yes,
};
use super::places::Places;
use super::tokens::{Mark, Token, is_hyphenated};
use super::translations::Language;

/// Words of a sentence that make up one clause.
#[derive(Debug, Clone)]
pub(super) struct Part<'t> {
    pub(super) tokens: Vec<&'t Token>,
    pub(super) denied: bool,
    /// Whether it tells who the reader is.
    pub(super) is_background: bool,
}

/// Returns the parts of a sentence, in order; some may be empty.
pub(super) fn parts<'t>(text: &'t str, sentence: &'t [Token], language: Option<Language>) -> Vec<Part<'t>> {
    let words = sentence.iter().map(|token| token.word.as_str()).collect();
    let mut splitter = Splitter {
        text,
        sentence,
        words,
        language,
        parts: vec![],
        denied: false,
        from_pause: None,
        after_bracket: None,
        denies_here: false,
        segment: 0,
        last_segment: 0,
    };
    splitter.split();
    for part in &mut splitter.parts {
        part.is_background &= !part.tokens.iter().any(|token| is_enthusiasm(&token.word));
    }
    splitter.parts.into_iter().flat_map(place_by_place).collect()
}

struct Splitter<'t> {
    text: &'t str,
    sentence: &'t [Token],
    words: Vec<&'t str>,
    language: Option<Language>,
    parts: Vec<Part<'t>>,
    /// Whether what follows is excluded.
    denied: bool,
    /// The value of `denied` from the next pause on, if a negation ends there.
    from_pause: Option<bool>,
    /// The value of `denied` after the open bracket, if one is open.
    after_bracket: Option<bool>,
    /// Whether a negation stands since the last pause or "and".
    denies_here: bool,
    /// The first part since the last pause, and since the one before: what follows an object applies from here.
    segment: usize,
    last_segment: usize,
}

impl Splitter<'_> {
    fn split(&mut self) {
        self.begin_part();
        let mut at = 0;
        while at < self.sentence.len() {
            if self.sentence[at].mark == Mark::Pause {
                at += self.pause(at);
                continue;
            }
            match self.phrase(at) {
                Some((Phrase::Reason, _)) => break,
                Some((phrase, length)) => {
                    self.apply(phrase, at, length);
                    at += length;
                }
                None => at += self.word(at),
            }
        }
    }

    fn begin_part(&mut self) {
        self.parts.push(Part { tokens: vec![], denied: self.denied, is_background: false });
    }

    /// Returns the number of tokens that are read: a remark after the pause is skipped.
    fn pause(&mut self, at: usize) -> usize {
        (self.last_segment, self.segment) = (self.segment, self.parts.len());
        self.denied = self.from_pause.take().unwrap_or(self.denied);
        self.denies_here = false;
        self.bracket(at);
        self.begin_part();
        let rest = &self.sentence[at + 1..];
        let is_remark =
            |token: &Token| begins_remark(&token.word) && self.text.get(token.start..token.end) == Some(&token.word);
        let is_consequence = matches!(find(&self.words[at + 1..], self.language), Some((Phrase::Consequence, _)));
        if is_consequence || !rest.first().is_some_and(is_remark) {
            return 1;
        }
        1 + rest.iter().take_while(|token| token.mark != Mark::Pause).count()
    }

    /// Restores what held before a bracket at its end: a negation within it ends there.
    fn bracket(&mut self, at: usize) {
        let Token { start, end, .. } = self.sentence[at];
        let mark = self.text.get(start..end).unwrap_or_default();
        if mark.contains(')') {
            self.denied = self.after_bracket.take().unwrap_or(self.denied);
        }
        if mark.contains('(') {
            self.after_bracket = Some(self.denied);
        }
    }

    /// Returns the phrase at `at`, and its number of words.
    fn phrase(&self, at: usize) -> Option<(Phrase, usize)> {
        let ends_segment = self.sentence.get(at + 1).is_none_or(|next| next.mark == Mark::Pause);
        if ends_segment && self.object().is_some() {
            if is_no(self.words[at]) {
                return Some((Phrase::TrailingDenial, 1));
            }
            if is_yes(self.words[at]) {
                return Some((Phrase::TrailingWish, 1));
            }
        }
        let named = self.subject_name(at);
        find(&self.words[at..], self.language).filter(|(_, length)| named == 0 || *length > named)
    }

    /// Returns the number of words at `at` that are part of a subject's name whatever they mean elsewhere: a compound
    /// ("hate speech"), or the first part of a hyphenated word ("no-code").
    fn subject_name(&self, at: usize) -> usize {
        let next = self.sentence.get(at + 1).filter(|next| next.mark == Mark::None);
        let is_joined = next.is_some_and(|next| is_hyphenated(self.text, &self.sentence[at], next));
        compound(&self.words[at..]).max(usize::from(is_joined))
    }

    fn word(&mut self, at: usize) -> usize {
        let length = self.subject_name(at).max(1);
        let Some(part) = self.parts.last_mut() else { return length };
        if !part.tokens.is_empty() && is_consequence(self.words[at], self.words.get(at + 1).copied()) {
            self.begin_part();
            return 1;
        }
        part.tokens.extend(&self.sentence[at..at + length]);
        length
    }

    fn apply(&mut self, phrase: Phrase, at: usize, length: usize) {
        match phrase {
            Phrase::FalseDenial | Phrase::Reason => return,
            Phrase::Aside => {
                let is_enthusiastic = self.words[at..at + length].iter().any(|word| is_enthusiasm(word));
                self.parts.last_mut().into_iter().for_each(|part| part.is_background &= !is_enthusiastic);
                return;
            }
            Phrase::Wish if !self.ends_denial() => return,
            Phrase::Background => return self.begin_background(),
            Phrase::LeadIn => {
                self.parts.last_mut().into_iter().for_each(|part| only_places(&mut part.tokens));
                if self.ends_denial() && is_wish(self.words[at]) {
                    self.turn();
                }
            }
            Phrase::Consequence => {
                self.parts.iter_mut().for_each(|part| part.is_background = true);
                self.turn();
            }
            Phrase::Exception if self.denied => self.turn(),
            Phrase::Denial | Phrase::Exception => (self.denied, self.denies_here) = (true, true),
            Phrase::ShortDenial => {
                self.from_pause.get_or_insert(self.denied);
                (self.denied, self.denies_here) = (true, true);
            }
            Phrase::Wish | Phrase::Turn => {
                self.turn();
                self.segment = self.parts.len();
            }
            Phrase::TrailingDenial => self.answer(true),
            Phrase::TrailingWish => self.answer(false),
            Phrase::Separator => self.denies_here &= is_or(self.words[at]),
        }
        self.begin_part();
    }

    /// Whether a wish here ends a negation: the negation stands before the last pause or "and".
    const fn ends_denial(&self) -> bool {
        self.denied && !self.denies_here
    }

    const fn turn(&mut self) {
        (self.denied, self.from_pause, self.denies_here) = (false, None, false);
    }

    fn begin_background(&mut self) {
        if let Some(part) = self.parts.last_mut()
            && part.tokens.is_empty()
            && !part.denied
        {
            part.is_background = true;
        }
    }

    /// Returns the first part that an answer ("sport: no") refers to; `None` if there is none before it.
    fn object(&self) -> Option<usize> {
        let has_words = |from: &usize| self.parts[*from..].iter().any(|part| !part.tokens.is_empty());
        [self.segment, self.last_segment].into_iter().find(has_words)
    }

    fn answer(&mut self, is_denied: bool) {
        let from = self.object().unwrap_or(self.segment);
        self.parts[from..].iter_mut().for_each(|part| part.denied = is_denied);
        self.denied &= is_denied;
    }
}

/// Empties a part that names no place.
fn only_places(part: &mut Vec<&Token>) {
    let words: Vec<&str> = part.iter().map(|token| token.word.as_str()).collect();
    let first = (0..words.len()).find_map(|at| Places::shipped().find(&words[at..]).map(|(_, length)| (at, length)));
    match first {
        Some((at, length)) => *part = part[at..at + length].to_vec(),
        None => part.clear(),
    }
}

/// Fewer places without commas may be one subject, such as the relations of two countries.
const MIN_LISTED_PLACES: usize = 3;

/// Splits a list of places without commas ("Israel Gaza Lebanon Iran").
fn place_by_place(part: Part<'_>) -> Vec<Part<'_>> {
    let words: Vec<&str> = part.tokens.iter().map(|token| token.word.as_str()).collect();
    let mut listed = Vec::new();
    let mut at = 0;
    while let Some((_, length)) = Places::shipped().find(&words[at..]) {
        listed.push(Part { tokens: part.tokens[at..at + length].to_vec(), ..part.clone() });
        at += length;
    }
    if at == words.len() && listed.len() >= MIN_LISTED_PLACES { listed } else { vec![part] }
}
