//! Splits a sentence of interests into parts: what the reader wants, what they exclude, and who they are.

mod appositions;
mod comparisons;
mod meaning;
mod narrowing;
mod reader;

use std::slice;

use self::appositions::{leave_out_appositions, limit_to_names};
use self::narrowing::narrow;
use self::reader::{tell_of_reader, tells_of_others, tells_of_reader, tells_why};
use super::phrases::{
    Phrase, begins_remark, begins_with_role, compound, describes_kind, find, is_comparative, is_conjunction,
    is_consequence, is_enthusiasm, is_less, is_light_verb, is_or, is_wish, past,
};
use super::places::PlaceId;
use super::tokens::{Mark, Token, is_hyphenated};
use super::translations::Language;
use super::words::is_content;

/// Words of a sentence that make up one clause.
#[derive(Debug, Clone)]
pub(super) struct Part<'t> {
    pub(super) tokens: Vec<&'t Token>,
    pub(super) denied: bool,
    /// Whether it tells who the reader is.
    pub(super) is_background: bool,
    /// Whether it is wanted less than others.
    pub(super) is_minor: bool,
    /// The index of the part that it narrows: "golf" of "golf only when it is the Open".
    pub(super) narrows: Option<usize>,
    /// The index of the part before it, if an "and" or "or" joins it to that.
    pub(super) joined_to: Option<usize>,
    /// The index of the part that it explains, after a colon, "especially" or in brackets: "the Olympics in Italy:
    /// skaters, hockey".
    pub(super) explains: Option<usize>,
    /// The index of the part that texts have to name for this one to count: that of "Amazon" for "not the company".
    pub(super) only_with: Option<usize>,
    /// The number of its words before those of the sentence that it leaves out: 2 of "AI in \[schools and\] workplaces".
    pub(super) seam: Option<usize>,
    /// The places of the parts after it that are its own too: those of "migrants and refugees in Europe".
    pub(super) shared_places: Vec<PlaceId>,
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
        is_told_in_bracket: false,
        denial_here: None,
        denial_at: 0,
        comparison: None,
        is_minor_list: false,
        narrows: None,
        explained: None,
        explained_here: None,
        segment: 0,
        last_segment: 0,
    };
    splitter.split();
    for part in &mut splitter.parts {
        part.is_background &= !part.tokens.iter().any(|token| is_enthusiasm(&token.word));
    }
    narrow(&mut splitter.parts);
    leave_out_appositions(text, &mut splitter.parts);
    limit_to_names(text, &mut splitter.parts);
    splitter.parts
}

/// How a negation is worded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Denial {
    No,
    /// "Less", which a "more" ends: "less sport more science".
    Less,
}

/// How a comparison is worded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    More,
    Prefer,
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
    /// The values of `denied` and `explained` after the open bracket, if one is open.
    after_bracket: Option<(bool, Option<usize>)>,
    /// Whether the open bracket adds to what the reader tells of themselves.
    is_told_in_bracket: bool,
    /// The negation that stands since the last pause or "and".
    denial_here: Option<Denial>,
    /// The index of the last word that denies.
    denial_at: usize,
    /// The comparative ("more") since the last pause.
    comparison: Option<Comparison>,
    /// Whether all that follows in the sentence is wanted less: "low priority: golf, chess".
    is_minor_list: bool,
    /// The part that a condition narrows, until the next pause.
    narrows: Option<usize>,
    /// The part before the last colon or the open bracket, which what follows explains.
    explained: Option<usize>,
    /// The same for "especially" and the like, until the next pause.
    explained_here: Option<usize>,
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
            if self.ends_role(at) {
                self.begin_part();
            }
            match self.phrase(at) {
                Some((Phrase::Reason, length)) => at = self.reason(at, length),
                Some((phrase, length)) => {
                    self.apply(phrase, at, length);
                    at += length;
                }
                None => at += self.word(at),
            }
        }
    }

    fn begin_part(&mut self) {
        self.parts.push(Part {
            tokens: vec![],
            denied: self.denied,
            is_background: self.is_told_in_bracket && !self.denied,
            is_minor: self.is_minor_list && !self.denied,
            narrows: self.narrows.filter(|_| !self.denied),
            joined_to: None,
            explains: self.explained_here.or(self.explained),
            only_with: None,
            seam: None,
            shared_places: vec![],
        });
    }

    /// Returns the number of tokens that are read: a remark after the pause is skipped.
    fn pause(&mut self, at: usize) -> usize {
        (self.last_segment, self.segment) = (self.segment, self.parts.len());
        self.denied = self.from_pause.take().unwrap_or(self.denied);
        (self.denial_here, self.comparison, self.narrows, self.explained_here) = (None, None, None, None);
        self.bracket_or_colon(at);
        self.begin_part();
        let rest = &self.sentence[at + 1..];
        let is_remark =
            |token: &Token| begins_remark(&token.word) && self.text.get(token.start..token.end) == Some(&token.word);
        let is_consequence = matches!(find(&self.words[at + 1..], self.language), Some((Phrase::Consequence, _)));
        let length = rest.iter().take_while(|token| token.mark != Mark::Pause).count();
        let segment = &self.words[at + 1..at + 1 + length];
        let explains_denial = self.denied && tells_why(segment, self.language);
        let describes = describes_kind(segment);
        if explains_denial || describes || !is_consequence && rest.first().is_some_and(is_remark) {
            1 + length
        } else {
            1
        }
    }

    /// Restores what held before a bracket at its end: a negation within it ends there. What a bracket or a colon
    /// begins explains what stands before.
    fn bracket_or_colon(&mut self, at: usize) {
        let Token { start, end, .. } = self.sentence[at];
        let mark = self.text.get(start..end).unwrap_or_default();
        if mark.contains(')') {
            (self.denied, self.explained) = self.after_bracket.take().unwrap_or((self.denied, self.explained));
            self.is_told_in_bracket = false;
        }
        if mark.contains('(') {
            self.is_told_in_bracket = self.parts.last().is_some_and(tells_of_reader);
            self.after_bracket = Some((self.denied, self.explained));
        }
        if mark.contains(['(', ':']) {
            self.explained = self.parts.len().checked_sub(1);
        }
    }

    /// Whether the sentence pauses or ends at `end`.
    fn ends_segment(&self, end: usize) -> bool {
        self.sentence.get(end).is_none_or(|next| next.mark == Mark::Pause)
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
        if self.begin_purpose(at) || length == 1 && self.is_light_verb(at) {
            return 1;
        }
        if is_consequence(self.words[at], self.words.get(at + 1).copied()) {
            let follows_role = begins_with_role(&self.words);
            if follows_role {
                self.parts.iter_mut().for_each(|part| part.is_background = !part.denied);
            }
            if follows_role || self.parts.last().is_some_and(|part| !part.tokens.is_empty()) {
                self.begin_part();
                return 1;
            }
        }
        self.parts.last_mut().into_iter().for_each(|part| part.tokens.extend(&self.sentence[at..at + length]));
        length
    }

    /// Whether a verb that adds nothing to its object stands at `at`: "was die Polizei mit Kindern macht". With a
    /// capital it is a noun in German.
    fn is_light_verb(&self, at: usize) -> bool {
        let Token { word, start, end, .. } = &self.sentence[at];
        self.language.is_some() && is_light_verb(word) && self.text.get(*start..*end) == Some(word.as_str())
    }

    fn apply(&mut self, phrase: Phrase, at: usize, length: usize) {
        self.comparison = self.comparison_in(at, length).or(self.comparison);
        match phrase {
            Phrase::FalseDenial | Phrase::Reason | Phrase::Choice => return,
            Phrase::Aside => {
                let is_enthusiastic = self.words[at..at + length].iter().any(|word| is_enthusiasm(word));
                self.parts.last_mut().into_iter().for_each(|part| part.is_background &= !is_enthusiastic);
                return;
            }
            Phrase::Minor | Phrase::Lesser => return self.minor(at + length),
            Phrase::Than => return self.lesser(at),
            Phrase::Wish if !self.ends_denial() && !self.is_more_after_less(at) => return,
            Phrase::Background => return self.begin_background(past(&self.words[at..]).is_some()),
            Phrase::LeadIn => {
                let is_of_others = self.parts.last().is_some_and(tells_of_others);
                self.parts.last_mut().into_iter().for_each(tell_of_reader);
                if is_of_others {
                    self.begin_part();
                    return self.begin_background(false);
                }
                if self.ends_denial() && is_wish(self.words[at]) {
                    self.turn();
                }
            }
            Phrase::Consequence => {
                self.parts.iter_mut().for_each(|part| part.is_background = true);
                self.explained = self.last_with_content();
                self.turn();
            }
            Phrase::Exception if self.denied || self.is_after_denied() => self.turn(),
            Phrase::Denial | Phrase::EitherDenial | Phrase::Exception => {
                let is_less = is_less(self.words[at]) == Some(true) || self.words[at] == "fewer";
                (self.denied, self.denial_here) = (true, Some(if is_less { Denial::Less } else { Denial::No }));
                self.denial_at = at;
            }
            Phrase::ShortDenial => {
                self.from_pause.get_or_insert(self.denied);
                (self.denied, self.denial_here) = (true, Some(Denial::No));
            }
            Phrase::Wish | Phrase::Turn => {
                self.turn();
                self.segment = self.parts.len();
            }
            Phrase::TrailingDenial => self.answer(true),
            Phrase::TrailingWish => self.answer(false),
            Phrase::TrailingMinor => {
                let from = self.object().unwrap_or(self.segment);
                self.parts[from..].iter_mut().for_each(|part| part.is_minor = !part.denied);
            }
            Phrase::Separator => {
                self.denial_here = self.denial_here.filter(|_| is_or(self.words[at]));
                return self.separate(at, length);
            }
            Phrase::Condition if self.ends_denial() => self.turn(),
            Phrase::Condition => self.narrows = self.narrowed(at),
        }
        self.begin_part();
    }

    /// Begins a part that the phrase at `at` joins to the one before, or that is an example of it.
    fn separate(&mut self, at: usize, length: usize) {
        let last = self.parts.len().checked_sub(1);
        // "E.g." begins like the Spanish "e".
        let joins = length == 1 && is_conjunction(self.words[at]);
        if !joins && self.words[at] != "plus" {
            self.explained_here = last;
        }
        self.begin_part();
        self.parts.last_mut().into_iter().for_each(|part| part.joined_to = last.filter(|_| joins));
    }

    /// Whether what stands before is denied: "politics bores me, except in Peru".
    fn is_after_denied(&self) -> bool {
        self.last_with_content().is_some_and(|last| self.parts[last].denied)
    }

    fn last_with_content(&self) -> Option<usize> {
        self.parts.iter().rposition(|part| has_content(slice::from_ref(part)))
    }

    /// Whether a wish here ends a negation: the negation stands before the last pause or "and".
    const fn ends_denial(&self) -> bool {
        self.denied && self.denial_here.is_none()
    }

    /// Whether the word at `at` ends a "less": "less sport more science".
    fn is_more_after_less(&self, at: usize) -> bool {
        self.denial_here == Some(Denial::Less)
            && is_comparative(self.words[at])
            && self.parts.last().is_some_and(|part| has_content(slice::from_ref(part)))
    }

    const fn turn(&mut self) {
        (self.denied, self.from_pause, self.denial_here, self.is_told_in_bracket) = (false, None, None, false);
    }

    /// Returns the first part that an answer ("sport: no") refers to; `None` if there is none before it.
    fn object(&self) -> Option<usize> {
        [self.segment, self.last_segment].into_iter().find(|from| has_content(&self.parts[*from..]))
    }

    fn answer(&mut self, is_denied: bool) {
        let from = self.object().unwrap_or(self.segment);
        self.parts[from..].iter_mut().for_each(|part| part.denied = is_denied);
        self.denied &= is_denied;
    }
}

/// Whether a word of some part may name a subject.
fn has_content(parts: &[Part<'_>]) -> bool {
    parts.iter().flat_map(|part| &part.tokens).any(|token| is_content(&token.word))
}

#[cfg(test)]
mod tests;
