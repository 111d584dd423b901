//! What readers tell of themselves and of their reasons, none of which is a wish: "so you can imagine the rain",
//! "because I commute", "I bake all day".

use super::super::phrases::{Phrase, find, is_conjunction, is_enthusiasm, is_other_person, is_reason_pronoun};
use super::super::places::Places;
use super::super::tokens::{Mark, Token};
use super::super::translations::Language;
use super::super::words::{is_content, is_function_word};
use super::{Part, Splitter, has_content};

impl Splitter<'_> {
    /// Returns the index after a reason whose first words are `length` at `at`. One that begins the sentence tells who
    /// the reader is: its places hold for what follows.
    pub(super) fn reason(&mut self, at: usize, length: usize) -> usize {
        let from = at + length;
        if self.names_no_reason(from) {
            return from + 2;
        }
        let begins = !has_content(&self.parts);
        let end = self.reason_end(from, begins);
        if begins
            && end < self.sentence.len()
            && let Some(part) = self.parts.last_mut().filter(|part| !part.denied)
        {
            part.tokens = self.sentence[from..end].iter().filter(|token| token.mark == Mark::None).collect();
            only_places(&mut part.tokens);
            part.is_background = true;
            self.explained = self.parts.len().checked_sub(1);
        }
        end
    }

    /// `is_change`: whether it tells what the reader did, as of a move to a place, from which their wishes follow.
    pub(super) fn begin_background(&mut self, is_change: bool) {
        if self.ends_denial() {
            self.turn();
            self.begin_part();
        }
        if let Some(part) = self.parts.last_mut()
            && part.tokens.is_empty()
            && !part.denied
        {
            part.is_background = true;
            self.explained = self.parts.len().checked_sub(1).filter(|_| is_change).or(self.explained);
        }
    }

    /// Whether "I" at `at` ends what the reader says of their role: "as a nurse I care about vaccines".
    pub(super) fn ends_role(&self, at: usize) -> bool {
        let begins_with_as = |first: &&Token| {
            let index = self.sentence.iter().position(|token| token.start == first.start);
            index.and_then(|index| self.words.get(index.checked_sub(2)?)) == Some(&"as")
        };
        ["i", "we"].contains(&self.words[at])
            && self
                .parts
                .last()
                .is_some_and(|part| part.is_background && part.tokens.first().is_some_and(begins_with_as))
    }

    /// Whether what follows "because" only points at what is said: "what Europe does because of it".
    fn names_no_reason(&self, from: usize) -> bool {
        let points = self.words.get(from) == Some(&"of")
            && self.words.get(from + 1).is_some_and(|word| ["it", "this", "that", "them"].contains(word));
        points && (self.ends_segment(from + 2) || is_function_word(self.words[from + 2]))
    }

    /// Returns the index of what ends a reason: a colon, the end of the brackets that it is in, "so I", or a comma that
    /// no further clause of it follows. `begins`: whether it begins the sentence, whose main clause the comma begins.
    fn reason_end(&self, from: usize, begins: bool) -> usize {
        let ends = |at: &usize| {
            let Token { mark, start, end, .. } = self.sentence[*at];
            if mark == Mark::None {
                return matches!(find(&self.words[*at..], self.language), Some((Phrase::Consequence, _)));
            }
            let pause = self.text.get(start..end).unwrap_or_default();
            pause.contains(':')
                || pause.contains(')') && self.after_bracket.is_some()
                || pause.contains([',', '、', '，', '•', '|']) && (begins || !self.continues_reason(*at + 1))
        };
        (from..self.sentence.len()).find(ends).unwrap_or(self.sentence.len())
    }

    /// Whether the speaker goes on with a reason after a comma ("…, and my boss asks me"), not with a wish ("I want").
    fn continues_reason(&self, after: usize) -> bool {
        let at = after + usize::from(self.words.get(after).is_some_and(|word| is_conjunction(word)));
        let begins_wish = |at: usize| {
            let found = self.words.get(at..).and_then(|words| find(words, self.language));
            let is_wish = |phrase: Phrase| {
                use Phrase::{Consequence, Denial, LeadIn, Turn, Wish};
                matches!(phrase, Wish | Turn | LeadIn | Consequence | Denial)
            };
            found.is_some_and(|(phrase, _)| is_wish(phrase))
        };
        self.words.get(at).is_some_and(|word| is_reason_pronoun(word)) && !begins_wish(at) && !begins_wish(at + 1)
    }

    /// Whether a choice that ends at `end` ("you choose") is all that its clause says.
    pub(super) fn is_whole_clause(&self, end: usize) -> bool {
        let is_filler = |part: &Part<'_>| part.tokens.iter().all(|token| is_function_word(&token.word));
        self.ends_segment(end) && self.parts.last().is_none_or(is_filler)
    }

    /// Begins what "so you can …" adds, which is no subject, if the word at `at` is this "so".
    pub(super) fn begin_purpose(&mut self, at: usize) -> bool {
        let is_purpose = self.words[at] == "so" && self.words.get(at + 1).is_some_and(|next| is_other_person(next));
        if is_purpose {
            if self.parts.last().is_some_and(|part| !part.tokens.is_empty()) {
                self.begin_part();
            }
            self.parts.last_mut().into_iter().for_each(|part| part.is_background = !part.denied);
        }
        is_purpose
    }
}

/// Whether a part tells who the reader is, and no enthusiasm of theirs.
pub(super) fn tells_of_reader(part: &Part<'_>) -> bool {
    part.is_background && !part.tokens.iter().any(|token| is_enthusiasm(&token.word))
}

/// Whether a part tells what others say or want: "my wife says I should".
pub(super) fn tells_of_others(part: &Part<'_>) -> bool {
    const VERBS: [&str; 9] = ["says", "say", "thinks", "think", "wants", "told", "suggests", "sagt", "meint"];
    part.is_background && part.tokens.iter().any(|token| VERBS.contains(&token.word.as_str()))
}

/// Leaves only the places of what introduces a subject. Beside other words they are those of the reader: "nurse from
/// Ghana interested in".
pub(super) fn tell_of_reader(part: &mut Part<'_>) {
    let content = |part: &Part<'_>| part.tokens.iter().filter(|token| is_content(&token.word)).count();
    let before = content(part);
    only_places(&mut part.tokens);
    part.is_background |= !part.denied && content(part) > 0 && content(part) < before;
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

/// Whether words after a negation and a pause say why it holds, and neither wish for nor deny anything: "no recipes, I
/// bake all day".
pub(super) fn tells_why(words: &[&str], language: Option<Language>) -> bool {
    let says_more = |from: usize| match find(&words[from..], language) {
        // "I. e." is no "I".
        Some((Phrase::Separator, _)) => from == 0,
        found => found.is_some(),
    };
    let is_of_denied = |first: &&str| ["it", "they", "that", "this", "these", "es", "das", "ça"].contains(first);
    let is_of_reader = |first: &&str| ["i", "we", "ich", "wir", "je", "nous"].contains(first);
    let says_only_why = |from: usize| match find(&words[from..], language) {
        Some((Phrase::TrailingDenial, _)) => true,
        _ => !says_more(from),
    };
    words.first().is_some_and(is_of_reader) && !(0..words.len()).any(says_more)
        || words.first().is_some_and(is_of_denied) && words.len() > 1 && (0..words.len()).all(says_only_why)
}
