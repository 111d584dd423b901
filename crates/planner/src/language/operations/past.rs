//! Recognises completions by a verb in the past: "I've paid the electricity bill", "bought the milk".

use chrono::NaiveDate;

use super::change;
use crate::language::clauses::needs::DOING_IT;
use crate::language::commands::target::TargetFilter;
use crate::language::text::past_forms::{SUBJECTS, presents};
use crate::language::text::phrases::{self, after_any, before_end, listed, without_marks};
use crate::language::text::tokens::{self, Token};
use crate::language::text::vocabulary::{TASK_VERBS, TO_DO, begins_with_task_verb};
use crate::language::text::words::{WordList, word_list};
use crate::language::values::when::When;
use crate::language::{Question, Reader};
use crate::matching::{Candidate, matches, matches_by_meaning, ranked_options};
use crate::record::Kind;

const OPEN: TargetFilter = TargetFilter { done: false, goals: false };

/// Verbs whose past tense equals their present tense. Only "I have" shows that the past is meant.
const SAME_PAST_TENSE: &str = "read|cut|put|set|shut";

/// Verbs in the past whose object was not done.
static NOT_DONE: WordList = WordList::new(|| word_list(include_str!("../words/not_done.txt")));

impl Reader<'_> {
    /// Returns the completion if the clause reports something done, else `None`. `follows_completion`: the clause
    /// before also reported something done.
    pub(in crate::language) fn done_in_past(
        &self,
        clause: &[Token],
        follows_completion: bool,
    ) -> Option<change::Changes> {
        if let Some(done) = self.done_in_passive(clause) {
            return Some(done);
        }
        let clause = self.with_day_after_past(clause);
        let subject = after_any(&clause, SUBJECTS);
        let is_report = subject.is_some() || follows_completion || self.reports_past(&clause);
        let rest = without_marks(subject.unwrap_or(&clause));
        let (verb, object) = rest.split_first().filter(|(verb, _)| !verb.quoted)?;
        let bases = presents(&verb.lower);
        if bases.is_empty() || (!is_report && verb.is_one_of(SAME_PAST_TENSE)) {
            return None;
        }
        if bases.iter().any(|base| listed(&NOT_DONE, base)) {
            return self.not_done(object);
        }
        let object = before_end(object, "already|now|just now|too|as well").unwrap_or(object);
        let object = after_any(object, PAST_VERB_PARTICLES).filter(|rest| !rest.is_empty()).unwrap_or(object);
        let (object, days) = self.with_days(object, true);
        let days = if days.is_empty() && follows_completion {
            self.context.completion_day.into_iter().collect()
        } else {
            days
        };
        let object = before_end(&object, PAST_VERB_PARTICLES)
            .filter(|_| !is_report || object.len() > 1)
            .map_or(object.clone(), <[Token]>::to_vec);
        let found = self.done_records(&bases, &object);
        let asked = match found.len() {
            1 => return Some(self.completions(&found, true, &days)),
            0 if is_report && self.goal_reached(&bases, &object).is_some() => {
                return self.goal_reached(&bases, &object).map(Ok);
            }
            0 => self.not_found(&verb.lower, &bases, &object, is_report, days.first().copied())?,
            _ => {
                let text = self.text(&object);
                let options = ranked_options(&text, found.iter().copied());
                Err(Question::new(&format!("Several match \"{text}\". Which one is done?"), options))
            }
        };
        let chosen = if found.is_empty() { self.selected_for_unknown(OPEN) } else { self.selected(found) };
        Some(if chosen.is_empty() { asked } else { self.completions(&chosen, true, &days) })
    }

    /// Matches "Put the bins out last night": a verb whose past tense equals its present tense, with a day in the past.
    pub(in crate::language) fn reports_past(&self, clause: &[Token]) -> bool {
        clause.first().is_some_and(|verb| verb.is_one_of(SAME_PAST_TENSE))
            && When::read(clause, self.today).date.is_some_and(|day| day < self.today.date)
    }

    /// Handles "Skipped my run yesterday", which names an existing record that was not done.
    fn not_done(&self, object: &[Token]) -> Option<change::Changes> {
        let (object, _) = self.with_days(object, true);
        let open = self.state.candidates(self.today.date, false);
        let found = if object.is_empty() { Vec::new() } else { matches(&self.text(&object), open) };
        let ask =
            || Question::new("What should be changed, and to what?", found.iter().map(Candidate::option).collect());
        (!found.is_empty()).then(|| Err(ask()))
    }

    /// Returns the open records that match the verb and its object, else those that match the object alone and may be
    /// what was done.
    fn done_records(&self, bases: &[String], object: &[Token]) -> Vec<Candidate<'_>> {
        let text = self.text(object);
        let open = || self.state.candidates(self.today.date, false).filter(|one| one.kind != Kind::Goal);
        let literal = bases.iter().map(|base| matches(&format!("{base} {text}"), open()));
        let by_meaning = bases.iter().map(|base| matches_by_meaning(&format!("{base} {text}"), open()));
        literal
            .chain(by_meaning)
            .find(|found| !found.is_empty())
            .unwrap_or_else(|| self.records_of_object(bases, object))
    }

    /// Returns the open records that match the object. A single one must be what was done: the object itself, or a todo
    /// or habit for which no other action is named. "I emailed Tom" does not complete "Meeting with Tom".
    fn records_of_object(&self, bases: &[String], object: &[Token]) -> Vec<Candidate<'_>> {
        let text = self.text(object);
        let open = self.state.candidates(self.today.date, false).filter(|one| one.kind != Kind::Goal);
        let found = if object.is_empty() { Vec::new() } else { matches(&text, open) };
        let is_general = bases.iter().any(|base| listed(DOING_IT, base));
        let is_done = |one: &Candidate<'_>| {
            let is_object = crate::matching::tokens(one.title) == crate::matching::tokens(&text);
            let title = tokens::tokens(one.title);
            // "Got the flights booked".
            let is_named = |said: &Token| title.first().is_some_and(|verb| presents(&said.lower).contains(&verb.lower));
            let names_action = !is_general && begins_with_task_verb(&title) && !object.iter().any(is_named);
            is_object || (one.kind != Kind::Event && !names_action)
        };
        if matches!(found[..], [ref one] if !is_done(one)) { Vec::new() } else { found }
    }

    /// Completes a goal that matches all the words: "I ran the marathon".
    fn goal_reached(&self, bases: &[String], object: &[Token]) -> Option<Vec<crate::operation::Operation>> {
        let goals = || self.state.candidates(self.today.date, false).filter(|one| one.kind == Kind::Goal);
        let title_words = |base: &String| crate::matching::tokens(&format!("{base} {}", self.text(object)));
        let found = bases.iter().find_map(|base| {
            goals().find(|one| crate::matching::tokens(one.title) == title_words(base)).map(|one| one.id)
        })?;
        let mut operation = crate::operation::Operation::new(Kind::Goal, crate::operation::Action::Update, Some(found));
        operation.status = Some(crate::record::GoalStatus::Completed);
        Some(vec![operation])
    }

    /// Handles a completion without a matching record. "Fed Ex parcel" may be a new todo; a report of something the
    /// user did is not.
    fn not_found(
        &self,
        verb: &str,
        bases: &[String],
        object: &[Token],
        is_report: bool,
        day: Option<NaiveDate>,
    ) -> Option<change::Changes> {
        let open = || self.state.candidates(self.today.date, false).filter(|one| one.kind != Kind::Goal);
        let text = self.text(object);
        let has_passed = day.is_some_and(|day| day <= self.today.date);
        let verb_is_known = || verb.ends_with("ed") && bases.iter().any(|base| !matches(base, open()).is_empty());
        let of_doing =
            bases.iter().any(|base| listed(&TASK_VERBS, base)) && day.is_none() && object.len() < MAX_OBJECT_WORDS;
        if !(is_report || has_passed || verb_is_known() || of_doing) {
            return None;
        }
        let query = if text.is_empty() { bases.join(" ") } else { text.clone() };
        let question = if text.is_empty() {
            "Which one is done, and on which day?".to_owned()
        } else {
            format!("Nothing open is called \"{text}\". Which one is done?")
        };
        Some(Err(Question::new(&question, ranked_options(&query, open()))))
    }

    /// Moves the day to the end: "Yesterday I meditated".
    fn with_day_after_past(&self, clause: &[Token]) -> Vec<Token> {
        let moved = (1..clause.len().min(5)).find_map(|at| {
            let (day, rest) = clause.split_at(at);
            let rest = without_marks(rest);
            let when = When::read(day, self.today);
            let has_subject = after_any(rest, SUBJECTS)
                .is_some_and(|rest| rest.first().is_some_and(|verb| !presents(&verb.lower).is_empty()));
            let is_to_do = after_any(rest, &TO_DO).is_some();
            (has_subject && !is_to_do && when.covers_all(day) && when.date.is_some()).then(|| [rest, day].concat())
        });
        moved.unwrap_or_else(|| clause.to_vec())
    }
}

/// Maximum number of words of an object. A longer one is more likely a title.
const MAX_OBJECT_WORDS: usize = 4;

/// Particles of a verb that a title need not contain: "put the bins out".
const PAST_VERB_PARTICLES: &str = "out|off|up|back|away|down|in|over";

impl Reader<'_> {
    /// Recognises "The flights to Oslo are booked", with an open record "book flights to Oslo".
    fn done_in_passive(&self, clause: &[Token]) -> Option<change::Changes> {
        let clause = phrases::before_end(clause, "already|now").unwrap_or(clause);
        let (words, days) = self.with_days(clause, false);
        let clause = &words[..];
        let without_particle = before_end(clause, PAST_VERB_PARTICLES)
            .filter(|shorter| shorter.last().is_some_and(|verb| !verb.quoted && !presents(&verb.lower).is_empty()));
        let (verb, before) = without_particle.unwrap_or(clause).split_last().filter(|(verb, _)| !verb.quoted)?;
        let object = phrases::before_end(
            before,
            "is|are|was|were|has been|have been|got|is being|\
            has just been|have just been|been|is now|are now|has finally been|is finally|are finally|is all|are all|\
            has now been",
        )
        .unwrap_or(before);
        if object.is_empty() || object[0].is_one_of("i|we|i've|we've") {
            return None;
        }
        // In "Dentist rang" the subject is the one who acted.
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
