//! Detects changes of a repeating record which leave open whether one occurrence or all are meant: "cancel stand-up",
//! "stand-up is at 10".
//!
//! Input: a clause with its operations. Output: nothing, or the question. Called by [`crate::language::reader`].

use crate::language::text::phrases::{around, before_end, has_any};
use crate::language::text::tokens::Token;
use crate::language::{Question, Reader};
use crate::matching::Candidate;
use crate::operation::{Action, Operation};
use crate::record::{Item, Kind};
use crate::recurrence::Rule;

/// Words which indicate that the whole series is meant.
const SERIES: &str = "every|each|all|always|series|habit|routine|daily|weekly|fortnightly|weekdays|recurring|repeating|\
    regular|altogether|completely|entirely|permanently|forever|anymore|longer|from|starting|now|should|ought|must|\
    whole|usually|generally|normally|future";

const SERIES_PHRASES: &str = "for good|any more|any longer|for ever|as of";

/// Verbs and sentence endings that cancel either one occurrence or the whole series.
const CALLING_OFF: &str = "cancel|call|cancelled|canceled|scratch|skip";
const CALLED_OFF: &str = "is cancelled|is canceled|was cancelled|was canceled|has been cancelled|has been canceled|\
    got cancelled|got canceled|are cancelled|are canceled|is called off|was called off|has been called off|\
    got called off|is off|are off|isn't happening|is not happening|isn't taking place|is not taking place|\
    won't take place|won't happen|fell through|has fallen through|cancelled|canceled|called off";

impl Reader<'_> {
    /// Asks if a change of a repeating record may be meant for one day only.
    pub(in crate::language) fn check_one_or_all(&self, clause: &[Token], made: &[Operation]) -> Result<(), Question> {
        if has_any(clause, SERIES) || around(clause, SERIES_PHRASES).is_some() {
            return Ok(());
        }
        for operation in made {
            let item = operation.id.and_then(|id| self.state.item(operation.kind, id));
            let Some(item) = item.filter(|item| item.recurrence.repeats()) else { continue };
            let chosen = self.selection.ids.contains(&item.id);
            let calls_off = operation.action == Action::Delete && calls_off(clause);
            if !chosen && (calls_off || self.moves_a_day(operation, item, has_any(clause, "instead"))) {
                let what = if calls_off { "deleted" } else { "changed" };
                let text = format!("\"{}\" repeats. Should all of it be {what}? One day alone cannot be.", item.title);
                return Err(Question::new(&text, vec![Candidate::from(item).option()]));
            }
        }
        Ok(())
    }

    /// Returns whether a record is moved while its rule stays the same. A record that repeats every few days may be
    /// postponed until its next occurrence, and the time of a habit applies to all its days.
    fn moves_a_day(&self, operation: &Operation, item: &Item, instead: bool) -> bool {
        if operation.action != Action::Update || operation.recurrence != Some(item.recurrence) {
            return false;
        }
        let day = operation.scheduled_for.flatten().filter(|day| Some(*day) != item.scheduled_for);
        let Some(day) = day else {
            let times = operation.start_time.or(operation.time_of_day);
            return (item.kind != Kind::Habit || instead) && times.is_some_and(|time| time != item.time());
        };
        let Rule::EveryNDays(interval) = item.recurrence.rule else { return true };
        // A series of every few weeks has its day of the week, as a weekly one does.
        if interval % 7 == 0 {
            return true;
        }
        let due = item.scheduled_for.and_then(|anchor| item.recurrence.next_from(anchor, self.today.date));
        due.is_none_or(|due| (day - due).num_days() >= i64::from(interval))
    }
}

fn calls_off(clause: &[Token]) -> bool {
    let by_verb = clause.iter().take(3).any(|word| word.is_one_of(CALLING_OFF));
    by_verb || before_end(clause, CALLED_OFF).is_some()
}
