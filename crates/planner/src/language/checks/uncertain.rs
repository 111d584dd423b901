//! Detects clauses that are only a question or a statement about a person, not a command: "report done?", "Tom
//! cancelled", "lunch another day".
//!
//! Input: a clause with its operations. Output: nothing, or the question. Called by [`crate::language::reader`].

use crate::language::text::phrases::{after_any, around, before_end, has_any};
use crate::language::text::tokens::Token;
use crate::language::text::vocabulary::NOT_TO_DO;
use crate::language::{Question, Reader};
use crate::operation::{Action, Operation};

/// Verbs that request a completion even if a question mark follows.
const ORDERING: &str = "mark|tick|check|cross|complete|close|finish|set|strike|log|record|sign|flag|put|note";

impl Reader<'_> {
    /// Asks if a record would be changed by a sentence that may not request it. `sentence` contains all its words.
    pub(in crate::language) fn check_certain(
        &self,
        sentence: &[Token],
        clause: &[Token],
        made: &[Operation],
    ) -> Result<(), Question> {
        let asked = sentence.last().is_some_and(|last| last.is("?")) && sentence.len() < clause.len() + 2;
        let adds = has_any(clause, "remind|reminder|add|put|note|book|schedule|make|set");
        if asked && !adds && made.iter().all(|one| one.action == Action::Create) {
            return Err(self.ask_what(&self.text(clause)));
        }
        let chosen = |one: &Operation| one.id.is_some_and(|id| self.selection.ids.contains(&id));
        let changed = made.iter().find(|one| one.action != Action::Create && !chosen(one));
        let Some(changed) = changed else { return Ok(()) };
        let completes = matches!(changed.action, Action::Complete | Action::CompleteOccurrence);
        let asks = completes && asked && after_any(clause, ORDERING).is_none();
        let either = changed.location.as_ref().and_then(Option::as_ref).is_some_and(|place| place.contains(" or "));
        let unclear = asks
            || either
            || some_other_day(clause, changed)
            || (changed.action == Action::Delete && self.called_off_by_somebody(clause, changed));
        if unclear { Err(self.ask_what(&self.text(clause))) } else { Ok(()) }
    }

    /// Asks if a record would be deleted or completed by a sentence that may mean less.
    pub(in crate::language) fn check_meant(&self, clause: &[Token], made: &[Operation]) -> Result<(), Question> {
        for operation in made {
            let is_completed = operation.action == Action::Complete && operation.completed.is_none();
            let is_deleted = operation.action == Action::Delete;
            let is_not_to_do = after_any(clause, NOT_TO_DO).is_some_and(|rest| after_any(rest, "remind me").is_none());
            let is_unsure = (is_deleted && (is_not_to_do || refuses_reminder(clause)))
                || (is_completed && self.finishes_later(clause));
            let known = self.state.candidates(self.today.date, false).find(|one| Some(one.id) == operation.id);
            let Some(of) = known.filter(|of| is_unsure && !self.selection.ids.contains(&of.id)) else { continue };
            let text = if is_deleted && is_not_to_do {
                format!(
                    "Should \"{0}\" be deleted? To postpone it, say, for example, \"move {0} to Friday\".",
                    of.title
                )
            } else if is_deleted {
                format!("There is no reminder apart from \"{}\" itself. Should it be deleted?", of.title)
            } else {
                format!("Is \"{}\" done already, or should it be moved to another day?", of.title)
            };
            return Err(Question::new(&text, vec![of.option()]));
        }
        Ok(())
    }

    /// Matches "finish the report on Sunday", before that day.
    fn finishes_later(&self, clause: &[Token]) -> bool {
        let target = after_any(clause, "finish|complete|close|check");
        // "Check off the run for Monday" reports it.
        let target = target.filter(|target| target.first().is_none_or(|next| !next.is("off")));
        let day = target.and_then(|target| self.with_day(target, false).1);
        day.is_some_and(|day| day > self.today.date)
    }

    /// Asks if a record would be moved in the other direction than the verb says: "postpone the report to Friday",
    /// where it is on the Monday after. A day that has passed does not count, and a repeating record has several.
    pub(in crate::language) fn check_direction(&self, clause: &[Token], made: &[Operation]) -> Result<(), Question> {
        let Some(earlier) = says_earlier(clause) else { return Ok(()) };
        for operation in made {
            let item = operation.id.and_then(|id| self.state.item(operation.kind, id));
            let Some(item) = item.filter(|item| !item.recurrence.repeats()) else { continue };
            let known = item.scheduled_for.filter(|day| *day >= self.today.date);
            let (Some(old), Some(new)) = (known, operation.scheduled_for.flatten()) else { continue };
            let changes_time = operation.start_time.or(operation.time_of_day).is_some();
            let is_as_said = if earlier { new < old } else { new > old };
            if !is_as_said && (new != old || !changes_time) {
                let wanted = if earlier { "earlier" } else { "later" };
                let text = format!(
                    "\"{0}\" is on {old}, so {new} is not {wanted}. To which day should it be moved? \
                     \"move {0} to {new}\" moves it there.",
                    item.title
                );
                return Err(Question::new(&text, Vec::new()));
            }
        }
        Ok(())
    }

    /// Matches "Tom cancelled", which does not make clear whether to delete the meeting with Tom.
    fn called_off_by_somebody(&self, clause: &[Token], deleted: &Operation) -> bool {
        let Some([who]) = before_end(clause, "has cancelled|has canceled|just cancelled|cancelled|canceled") else {
            return false;
        };
        let title = deleted.id.and_then(|id| self.state.item(deleted.kind, id)).map(|item| item.title.to_lowercase());
        title.is_some_and(|title| title.contains(&format!("with {}", who.lower)))
    }
}

/// Matches "don't remind me about the rent": the rent may still have to be paid. "Any more" says that it has not.
fn refuses_reminder(clause: &[Token]) -> bool {
    const REFUSALS: &str = "don't remind me|no need to remind me|i don't want to be reminded";
    let no_longer = before_end(clause, "any more|anymore|any longer|after all").is_some();
    after_any(clause, REFUSALS).is_some() && !no_longer
}

/// Returns whether the verb says that something will be earlier, or later. `None` if it says neither.
fn says_earlier(clause: &[Token]) -> Option<bool> {
    const LATER: &str = "postpone|delay|defer|put off|hold off|push back|put back";
    const EARLIER: &str = "bring forward|pull forward|move up|bring up|advance";
    // "I need to postpone the report".
    const MAX_LEAD_WORDS: usize = 4;
    // In "the advance payment" it is no verb.
    let is_noun = |lead: &[Token]| lead.last().is_some_and(|word| word.is_one_of("the|my|our|a|an|this|that"));
    let follows =
        |phrases: &str| around(clause, phrases).filter(|(lead, _)| lead.len() <= MAX_LEAD_WORDS && !is_noun(lead));
    let with_particle = |verbs: &str, particle: &str| {
        follows(verbs).is_some_and(|(_, rest)| around(rest, particle).is_some_and(|(target, _)| !target.is_empty()))
    };
    if follows(EARLIER).is_some() || with_particle("bring|pull", "forward to|forward until|forward") {
        return Some(true);
    }
    let is_later = follows(LATER).is_some() || with_particle("push|put", "back to|back until|back till");
    is_later.then_some(false)
}

/// Matches "Could we do lunch another day", which names no day.
fn some_other_day(clause: &[Token], changed: &Operation) -> bool {
    let ends = "another day|another time|some other day|some other time|a different day|a different time";
    let by = "give|by|postpone|push|delay|put|defer|extend|wait|need|allow|back|off";
    changed.action == Action::Update && before_end(clause, ends).is_some() && !has_any(clause, by)
}
