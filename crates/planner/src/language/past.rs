//! What is said to be done by a verb in the past: "I've paid the electricity bill", "bought the milk".

use super::past_forms::{SUBJECTS, presents};
use super::phrases::{after_any, without_marks};
use super::tokens::Token;
use super::{Question, Reader, change};
use crate::matching::matches;
use crate::record::Kind;

/// Verbs whose past reads like their present: only "I have" tells.
const ALIKE: &str = "read|cut|put|set|shut";

/// Verbs after which what they are said of is not done.
const NOT_DONE: &str = "skip|miss|forget|start|begin|cancel|postpone|delay|move|reject|plan|schedule|add|create|delete|remove|want|need|hate|like|\
    love|ask|try|discuss|mention|lose|break|see|find|pause|stop|fail|refuse|hope|wait|decide|change|rename|swap|shift|push|avoid|drop|notice|leave";

impl Reader<'_> {
    /// Where the clause says that something was done, its completion; `None` where it says something else.
    pub(super) fn done_in_past(&self, clause: &[Token]) -> Option<change::Changes> {
        if let Some(done) = self.done_in_passive(clause) {
            return Some(done);
        }
        let spoken = after_any(clause, SUBJECTS);
        let rest = without_marks(spoken.unwrap_or(clause));
        let (verb, object) = rest.split_first().filter(|(verb, _)| !verb.quoted)?;
        let bases = presents(&verb.lower);
        if bases.iter().any(|base| super::phrases::listed(NOT_DONE, base) && spoken.is_some()) {
            return None;
        }
        if bases.is_empty() || (spoken.is_none() && verb.is_one_of(ALIKE)) {
            return None;
        }
        let object = super::phrases::before_end(object, "already|now|just now").unwrap_or(object);
        let (object, day) = self.with_day(object, true);
        // What was done on Monday was done on the last one.
        let week = chrono::Days::new(7);
        let day = day.map(|day| if day > self.today.date && day - week <= self.today.date { day - week } else { day });
        let text = self.text(&object);
        let candidates = || self.state.candidates(self.today.date, false).filter(|one| one.kind != Kind::Goal);
        let by = |words: &str| matches(words, candidates());
        let found = bases
            .iter()
            .map(|base| by(&format!("{base} {text}")))
            .find(|found| !found.is_empty())
            .unwrap_or_else(|| if object.is_empty() { Vec::new() } else { by(&text) });
        match (found.len(), spoken) {
            // "Fed Ex parcel" may be a thing to do; what somebody says that they did is none.
            (0, None)
                if bases.iter().any(|base| !by(base).is_empty())
                    && by(&text).is_empty()
                    && verb.lower.ends_with("ed") =>
            {
                let options = crate::matching::ranked_options(&bases.join(" "), candidates());
                Some(Err(Question::new("Which one is done, and on which day?", options)))
            }
            (0, None) => None,
            (0, Some(_)) => {
                let text = format!("Nothing open is called \"{text}\". Which one is done?");
                Some(Err(Question::new(&text, crate::matching::ranked_options(&text, candidates()))))
            }
            (1, _) => Some(found.iter().map(|of| self.completion(of, true, day)).collect()),
            _ => {
                let options = crate::matching::ranked_options(&text, found);
                Some(Err(Question::new(&format!("Several match \"{text}\". Which one is done?"), options)))
            }
        }
    }
}

impl Reader<'_> {
    /// "The flights to Oslo are booked", where something open is called "book flights to Oslo".
    fn done_in_passive(&self, clause: &[Token]) -> Option<change::Changes> {
        let clause = super::phrases::before_end(clause, "already|now").unwrap_or(clause);
        let (verb, before) = clause.split_last().filter(|(verb, _)| !verb.quoted)?;
        let object = super::phrases::before_end(
            before,
            "is|are|was|were|has been|have been|got|is being|\
            has just been|have just been|been|is now|are now|has finally been|is finally|are finally|is all|are all|\
            has now been",
        )
        .unwrap_or(before);
        if object.is_empty() || object[0].is_one_of("i|we|i've|we've") {
            return None;
        }
        let text = self.text(object);
        let candidates = || self.state.candidates(self.today.date, false);
        let found = presents(&verb.lower)
            .iter()
            .map(|base| matches(&format!("{base} {text}"), candidates()))
            .find(|found| found.len() == 1)?;
        Some(found.iter().map(|of| self.completion(of, true, None)).collect())
    }
}
