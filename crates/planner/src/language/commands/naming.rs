//! Decides whether a statement without a verb of change names a record, or only shares a word with its title.
//!
//! "I'm off on Friday" does not name "drop off the library card", and an essay is not the record "essay writing about
//! Kant". A command such as "move the essay to Friday" may be shorter, and is not checked here.

use super::target::TargetFilter;
use crate::language::Reader;
use crate::language::text::phrases::{after_any, without_marks};
use crate::language::text::tokens::{Token, tokens};
use crate::language::text::vocabulary::{PREPOSITIONS, begins_with_task_verb};
use crate::matching::{contains_meaning, coverage, matches_by_meaning, tokens as title_words};

const WITH_GOALS: TargetFilter = TargetFilter { done: false, goals: true };

/// Words between the verb and the object of a title.
const BEFORE_OBJECT: &str = "off|out|up|in|on|down|away|back|over|round|through|at|to|for|of|with|from|about|the|a|an|\
    my|our|your|his|her|their|some";

impl Reader<'_> {
    /// Returns whether the words name exactly one record, if necessary by the user's selection among several matches.
    pub(in crate::language) fn is_one(&self, words: &[Token]) -> bool {
        !words.is_empty() && self.resolve_named(words, WITH_GOALS).is_ok_and(|found| found.len() == 1)
    }

    /// Like [`Self::is_one`], for the words of a statement: they must contain the noun of the record's title.
    pub(in crate::language) fn is_named(&self, words: &[Token]) -> bool {
        if words.is_empty() {
            return false;
        }
        let found = self.resolve_named(words, WITH_GOALS).unwrap_or_default();
        let [of] = found[..] else { return false };
        let said = title_words(&self.text(words));
        // Words that are not those of the title refer to it otherwise: "it", "todo 8", "the meeting on Friday".
        let is_by_title = coverage(&said, &title_words(of.title)) >= 1.0;
        !is_by_title || self.selection.ids.contains(&of.id) || names_noun(&self.text(words), words, of.title)
    }

    /// Returns whether the title of an open record contains all these words, or synonyms of them.
    pub(in crate::language) fn names_existing(&self, words: &[Token]) -> bool {
        const INDISTINCT: &str = "out|off|back|away|down|over|up";
        let significant: Vec<Token> =
            words.iter().filter(|word| !word.is_mark() && !word.is_one_of(INDISTINCT)).cloned().collect();
        let text = self.text(&significant);
        let open = self.state.candidates(self.today.date, false);
        !significant.is_empty() && !matches_by_meaning(&text, open).is_empty()
    }

    /// Returns whether the word is the whole title of one open record.
    pub(in crate::language) fn is_whole_title(&self, word: &Token) -> bool {
        let found = self.resolve_named(std::slice::from_ref(word), WITH_GOALS).unwrap_or_default();
        matches!(found[..], [of] if title_words(of.title).len() == 1)
    }
}

/// Returns whether the words contain the noun of the title, its verb as a noun ("the review"), or a name: "Tom at 11"
/// is the meeting with Tom.
fn names_noun(text: &str, words: &[Token], title: &str) -> bool {
    let title = tokens(title);
    let noun = noun_of(&title).map_or("", |noun| &*noun.lower);
    let is_definite = after_any(words, "the|my|our|this|that").is_some();
    let verb = title.first().filter(|_| is_definite && has_verb(&title)).map_or("", |verb| &*verb.lower);
    let contains = |word: &str| !word.is_empty() && contains_meaning(text, word);
    let is_name = |word: &&Token| word.text.starts_with(char::is_uppercase);
    let names = title.iter().skip(1).filter(is_name).any(|name| contains(&name.lower));
    noun.is_empty() || contains(noun) || contains(verb) || names
}

/// Returns whether a title begins with the verb of what is to be done.
fn has_verb(title: &[Token]) -> bool {
    let is_other_verb = title.first().is_some_and(|first| first.is_one_of("work|go"));
    title.len() > 1 && (begins_with_task_verb(title) || is_other_verb)
}

/// Returns the noun that a title is about: "card" of "drop off the library card", "writing" of "essay writing about
/// Kant".
fn noun_of(title: &[Token]) -> Option<&Token> {
    let mut rest = without_marks(title);
    if has_verb(rest) {
        rest = &rest[1..];
        while let Some(after) = after_any(rest, BEFORE_OBJECT).filter(|after| !after.is_empty()) {
            rest = after;
        }
    }
    let end = rest.iter().skip(1).position(|word| word.is_mark() || word.is_one_of(PREPOSITIONS));
    let phrase = &rest[..end.map_or(rest.len(), |end| end + 1)];
    // "Take the bins out".
    phrase.iter().rev().find(|word| !word.is_one_of(BEFORE_OBJECT)).or(phrase.last())
}
