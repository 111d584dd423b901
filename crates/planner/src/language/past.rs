//! What is said to be done by a verb in the past: "I've paid the electricity bill", "bought the milk".

use chrono::NaiveDate;

use super::past_forms::{SUBJECTS, presents};
use super::phrases::{after_any, before_end, listed, without_marks};
use super::tokens::Token;
use super::vocabulary::{DOING, TO_DO};
use super::when::When;
use super::{Question, Reader, change};
use crate::matching::{Candidate, matches, matches_by_meaning, ranked_options};
use crate::record::Kind;

/// Verbs whose past reads like their present: only "I have" tells.
const ALIKE: &str = "read|cut|put|set|shut";

/// Verbs after which what they are said of is not done.
const NOT_DONE: &str = "skip|miss|forget|start|begin|cancel|postpone|delay|move|reject|plan|schedule|add|create|\
    delete|remove|want|need|hate|like|\
    love|ask|try|discuss|mention|lose|break|see|find|pause|stop|fail|refuse|hope|wait|decide|change|rename|swap|shift|\
    push|avoid|drop|notice|leave";

impl Reader<'_> {
    /// Where the clause says that something was done, its completion; `None` where it says something else. `goes_on`:
    /// the clause before said
    /// so too.
    pub(super) fn done_in_past(&self, clause: &[Token], goes_on: bool) -> Option<change::Changes> {
        if let Some(done) = self.done_in_passive(clause) {
            return Some(done);
        }
        let clause = self.day_behind_past(clause);
        let subject = after_any(&clause, SUBJECTS);
        let spoken = subject.is_some() || goes_on || self.says_past(&clause);
        let rest = without_marks(subject.unwrap_or(&clause));
        let (verb, object) = rest.split_first().filter(|(verb, _)| !verb.quoted)?;
        let bases = presents(&verb.lower);
        if bases.is_empty() || (!spoken && verb.is_one_of(ALIKE)) {
            return None;
        }
        if bases.iter().any(|base| listed(NOT_DONE, base)) {
            return self.not_done(object);
        }
        let object = before_end(object, "already|now|just now|too|as well").unwrap_or(object);
        let object = after_any(object, PARTICLES).filter(|rest| !rest.is_empty()).unwrap_or(object);
        let (object, days) = self.with_days(object, true);
        let days = if days.is_empty() && goes_on { self.day_before.into_iter().collect() } else { days };
        let object = before_end(&object, PARTICLES)
            .filter(|_| !spoken || object.len() > 1)
            .map_or(object.clone(), <[Token]>::to_vec);
        let found = self.done_records(&bases, &object);
        match found.len() {
            1 => Some(self.completions(&found, true, &days)),
            0 if spoken && self.goal_reached(&bases, &object).is_some() => self.goal_reached(&bases, &object).map(Ok),
            0 => self.not_found(&verb.lower, &bases, &object, spoken, days.first().copied()),
            _ => {
                let text = self.text(&object);
                let options = ranked_options(&text, found);
                Some(Err(Question::new(&format!("Several match \"{text}\". Which one is done?"), options)))
            }
        }
    }

    /// "Put the bins out last night": a verb whose past reads like its present, with a day that has passed.
    pub(super) fn says_past(&self, clause: &[Token]) -> bool {
        clause.first().is_some_and(|verb| verb.is_one_of(ALIKE))
            && When::read(clause, self.today).date.is_some_and(|day| day < self.today.date)
    }

    /// "Skipped my run yesterday": said of a record that is there, but not that it is done.
    fn not_done(&self, object: &[Token]) -> Option<change::Changes> {
        let (object, _) = self.with_days(object, true);
        let open = self.state.candidates(self.today.date, false);
        let found = if object.is_empty() { Vec::new() } else { matches(&self.text(&object), open) };
        let ask =
            || Question::new("What should be changed, and to what?", found.iter().map(Candidate::option).collect());
        (!found.is_empty()).then(|| Err(ask()))
    }

    /// Open records that the verb and its object name, else those that the object names alone.
    fn done_records(&self, bases: &[String], object: &[Token]) -> Vec<Candidate<'_>> {
        let text = self.text(object);
        let open = || self.state.candidates(self.today.date, false).filter(|one| one.kind != Kind::Goal);
        let literal = bases.iter().map(|base| matches(&format!("{base} {text}"), open()));
        let by_meaning = bases.iter().map(|base| matches_by_meaning(&format!("{base} {text}"), open()));
        literal
            .chain(by_meaning)
            .find(|found| !found.is_empty())
            .unwrap_or_else(|| if object.is_empty() { Vec::new() } else { matches(&text, open()) })
    }

    /// "I ran the marathon": a goal that all the words name.
    fn goal_reached(&self, bases: &[String], object: &[Token]) -> Option<Vec<crate::operation::Operation>> {
        let goals = || self.state.candidates(self.today.date, false).filter(|one| one.kind == Kind::Goal);
        let said = |base: &String| crate::matching::tokens(&format!("{base} {}", self.text(object)));
        let found = bases
            .iter()
            .find_map(|base| goals().find(|one| crate::matching::tokens(one.title) == said(base)).map(|one| one.id))?;
        let mut operation = crate::operation::Operation::new(Kind::Goal, crate::operation::Action::Update, Some(found));
        operation.status = Some(crate::record::GoalStatus::Completed);
        Some(vec![operation])
    }

    /// What was said to be done is not there. "Fed Ex parcel" may be a thing to do; what somebody says that they did
    /// is none.
    fn not_found(
        &self,
        verb: &str,
        bases: &[String],
        object: &[Token],
        spoken: bool,
        day: Option<NaiveDate>,
    ) -> Option<change::Changes> {
        let open = || self.state.candidates(self.today.date, false).filter(|one| one.kind != Kind::Goal);
        let text = self.text(object);
        let has_passed = day.is_some_and(|day| day <= self.today.date);
        let verb_is_known = || verb.ends_with("ed") && bases.iter().any(|base| !matches(base, open()).is_empty());
        let of_doing = bases.iter().any(|base| listed(DOING, base)) && day.is_none() && object.len() < MAX_OBJECT_WORDS;
        if !(spoken || has_passed || verb_is_known() || of_doing) {
            return None;
        }
        let asked = if text.is_empty() { bases.join(" ") } else { text.clone() };
        let question = if text.is_empty() {
            "Which one is done, and on which day?".to_owned()
        } else {
            format!("Nothing open is called \"{text}\". Which one is done?")
        };
        Some(Err(Question::new(&question, ranked_options(&asked, open()))))
    }

    /// "Yesterday I meditated": the day behind the rest.
    fn day_behind_past(&self, clause: &[Token]) -> Vec<Token> {
        let moved = (1..clause.len().min(5)).find_map(|at| {
            let (day, rest) = clause.split_at(at);
            let rest = without_marks(rest);
            let when = When::read(day, self.today);
            let says_past = after_any(rest, SUBJECTS)
                .is_some_and(|rest| rest.first().is_some_and(|verb| !presents(&verb.lower).is_empty()));
            let is_to_do = after_any(rest, TO_DO).is_some();
            (says_past && !is_to_do && when.is_all(day) && when.date.is_some()).then(|| [rest, day].concat())
        });
        moved.unwrap_or_else(|| clause.to_vec())
    }
}

/// What is said in more words is rather a title.
const MAX_OBJECT_WORDS: usize = 4;

/// Particles of the verb that no title needs: "put the bins out".
const PARTICLES: &str = "out|off|up|back|away|down|in|over";

impl Reader<'_> {
    /// "The flights to Oslo are booked", where something open is called "book flights to Oslo".
    fn done_in_passive(&self, clause: &[Token]) -> Option<change::Changes> {
        let clause = super::phrases::before_end(clause, "already|now").unwrap_or(clause);
        let (words, days) = self.with_days(clause, false);
        let clause = &words[..];
        let without_particle = before_end(clause, PARTICLES)
            .filter(|shorter| shorter.last().is_some_and(|verb| !verb.quoted && !presents(&verb.lower).is_empty()));
        let (verb, before) = without_particle.unwrap_or(clause).split_last().filter(|(verb, _)| !verb.quoted)?;
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
        // "Dentist rang": the subject did it.
        if object.len() == before.len() && verb.is_one_of("rang|phoned|called|texted|emailed|wrote|replied|answered") {
            return None;
        }
        let text = self.text(object);
        let candidates = || self.state.candidates(self.today.date, false);
        let found = presents(&verb.lower)
            .iter()
            .map(|base| matches(&format!("{base} {text}"), candidates()))
            .chain(presents(&verb.lower).iter().map(|base| matches_by_meaning(&format!("{base} {text}"), candidates())))
            .find(|found| found.len() == 1)?;
        Some(self.completions(&found, true, &days))
    }
}
