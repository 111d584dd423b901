//! Detects clauses that seem to change or refer to a record, while the rules could only create a new one: "the train an
//! hour earlier", "yoga at 6 instead of 7", "the other one on Friday".
//!
//! Input: a clause that only created records. Output: whether to ask. Called by [`crate::language::reader`].

use crate::language::text::numbers::figures;
use crate::language::text::phrases::{self, after_any, around, before_end, has_any, without_marks};
use crate::language::text::tokens::Token;
use crate::language::text::vocabulary::{EVENTS, TO_DO, begins_with_shift, begins_with_task_verb};
use crate::language::values::shift::Shift;
use crate::language::values::when::When;
use crate::language::{Question, Reader, Today};
use crate::matching::matches;
use crate::operation::{Action, Operation};
use crate::record::Kind;

/// Phrases that refer to a record without words of its title.
const POINTERS: &str = "the other one|the other ones|the other two|the usual one|the usual|the same again|the same one|\
    the same|same again|the first one|the second one|the last one|the next one|that one|this one|those two|these two|\
    the two of them|both of them|all of them|one of them|the latter|the former|one of those|either of them|all of it|\
    the rest|\
    neither of them|that other one|both";

/// Verbs that change a record if a day or a time follows "to".
const CHANGING: &str = "change|switch|move|shift|update|alter|amend|adjust|push|slide|relocate|bump|advance|modify";

const SAID_AT_END: &str = "slipped|has slipped|has moved|was moved|moved|got moved|has changed|got changed|changed|\
    postponed|delayed|\
    rescheduled|brought forward|pushed back|put back|put off|got bumped|shifted";

impl Reader<'_> {
    /// Asks about a record that seems to exist but was not found.
    pub(in crate::language) fn check_new_change(&self, clause: &[Token], made: &[Operation]) -> Result<(), Question> {
        let is_new = |one: &Operation| one.action == Action::Create && one.kind != Kind::Goal;
        if made.is_empty() || !made.iter().all(is_new) {
            return Ok(());
        }
        let clause = without_marks(clause);
        let unclear = compares(clause, self.today)
            || points(clause, self.today)
            || changes_to(clause, self.today)
            || is_unfinished(clause)
            || is_now(clause, self.today)
            || is_moved_statement(clause)
            || self.replaces_known(clause)
            || self.adds_to_known(clause)
            || self.points_at_known(made)
            || of_priority(clause, self.today)
            || no_such_time(clause, self.today)
            || number_alone(clause, self.today)
            || either_time(clause, self.today)
            || super::wishes::is_vague(clause, self.today);
        if unclear { Err(self.ask_what(&self.text(clause))) } else { Ok(()) }
    }
}

impl Reader<'_> {
    /// Matches "Book flights to Bergen instead of Oslo", with an open record for flights to Oslo.
    fn replaces_known(&self, clause: &[Token]) -> bool {
        let replaced = around(clause, "instead of|rather than").is_some_and(|(_, after)| self.mentions_existing(after));
        replaced || before_end(clause, "instead").is_some()
    }

    /// Matches "Add Tom to lunch", "add a location to the meeting".
    fn adds_to_known(&self, clause: &[Token]) -> bool {
        let Some((_, known)) = after_any(clause, "add|link|attach|put").and_then(|rest| around(rest, "to")) else {
            return false;
        };
        let known = after_any(known, "the|my|our").unwrap_or(known);
        !known.is_empty() && self.matches_any_title(known)
    }

    /// Matches "Set a reminder for the dentist", "squeeze in the review": an existing record without a time.
    fn points_at_known(&self, made: &[Operation]) -> bool {
        let names = |title: &str| {
            let open = self.state.candidates(self.today.date, false).filter(|one| one.kind != Kind::Goal);
            let lower = title.to_lowercase();
            let known = ["the ", "my ", "our "].iter().find_map(|word| lower.strip_prefix(word));
            known.is_some_and(|known| !matches(known, open).is_empty())
        };
        let undated = |one: &&Operation| one.scheduled_for.flatten().is_none();
        made.iter().filter(undated).any(|one| one.title.as_deref().is_some_and(names))
    }
}

/// Matches "Lower the priority", "priority of the review high".
fn of_priority(clause: &[Token], today: Today) -> bool {
    let used = When::read(clause, today).used;
    let verbs = "lower|raise|drop|increase|reduce|change|set|up|bump|adjust";
    let rest = after_any(clause, verbs).and_then(|rest| after_any(rest, "the|its|my")).unwrap_or(clause);
    rest.first().is_some_and(|first| first.is("priority")) && !used[clause.len() - rest.len()]
}

/// Matches "At 6 instead of 7", "on Friday instead", "the train an hour earlier".
fn compares(clause: &[Token], today: Today) -> bool {
    let names_time = |words: &[Token]| {
        let when = When::read_after("at", words, today);
        when.has_schedule() && when.used.first() == Some(&true)
    };
    if let Some((before, after)) = around(clause, "instead of|rather than")
        && !before.is_empty()
        && names_time(after)
    {
        return true;
    }
    let alone = |before: &[Token]| before.len() == 1 && names_time(before);
    if before_end(clause, "instead").is_some_and(|before| alone(before) || When::read(before, today).has_schedule()) {
        return true;
    }
    let definite = |words: &[Token]| {
        words.iter().any(|word| word.is_one_of("the|my|our|his|her|their") || word.text.contains("'s"))
    };
    let compared = clause.last().is_some_and(|last| last.is_one_of("earlier|later|sooner"));
    let by_span = (1..clause.len()).find(|at| Shift::read(&clause[*at..]).is_some());
    let shifted = by_span.or_else(|| {
        before_end(clause, "a bit earlier|a bit later|a little earlier|a little later").map(<[Token]>::len)
    });
    compared && shifted.is_some_and(|at| definite(&clause[..at]))
}

/// Matches "The other one on Friday", "the usual at 7", "same again": the noun phrase ends after the pointer.
fn points(clause: &[Token], today: Today) -> bool {
    let used = When::read(clause, today).used;
    let ends = |at: usize| {
        clause.get(at).is_none_or(|next| {
            used[at] || next.is_mark() || next.is_one_of("for|on|at|in|with|to|by|again|as|too|back|off|out|up|please")
        })
    };
    let pointed = (0..clause.len()).any(|at| {
        let definite = |rest: &[Token]| ends(clause.len() - rest.len());
        // "Restore the deleted one".
        let described = || {
            matches!(&clause[at..], [the, kind, one, ..]
            if the.is_one_of("the|that|this|those") && !kind.quoted && one.is_one_of("one|ones") && ends(at + 3))
        };
        after_any(&clause[at..], POINTERS).is_some_and(definite) || described()
    });
    let rest = after_any(clause, "do|have|put|make|book|add|let's do|one").unwrap_or(clause);
    let again = after_any(
        rest,
        "again on|again at|again for|again next|again this|again tomorrow|again today|same as|same for|\
        same with|like last time|as before|as last|as usual|more time|\
        back to normal|back on|back to",
    )
    .is_some_and(|after| after.len() < rest.len());
    // "Meet again" has no object.
    let remaining: Vec<&Token> = clause.iter().zip(&used).filter(|(_, used)| !**used).map(|(word, _)| word).collect();
    let bare_again = remaining.len() == 2 && remaining[1].is("again");
    let after_lead = after_any(clause, &TO_DO);
    let bare_again = bare_again
        || after_lead.is_some_and(|rest| matches!(rest, [only] if only.is_one_of("again|earlier|later|sooner")));
    pointed || again || bare_again || clause[0].is("same")
}

/// Matches "Change Pilates to 6pm", "put the haircut back to Thursday".
pub(in crate::language) fn changes_to(clause: &[Token], today: Today) -> bool {
    let Some((target, when)) = around(clause, "to") else { return false };
    let read = When::read_after("at", when, today);
    if target.len() < 2 || begins_with_shift(clause) || !(read.has_schedule() && read.used.iter().all(|used| *used)) {
        return false;
    }
    let ends_event = target.last().is_some_and(|last| phrases::listed(&EVENTS, &last.lower) && !last.quoted);
    let definite = has_any(&target[1..2], "the|my|our");
    after_any(clause, CHANGING).is_some()
        || (after_any(clause, "put|set|bring|pull|take").is_some()
            && (ends_event || (definite && has_any(target, "back|forward"))))
}

/// Matches "I need to change it to": the new value is missing.
fn is_unfinished(clause: &[Token]) -> bool {
    let rest = after_any(clause, &TO_DO).unwrap_or(clause);
    let changes = after_any(rest, CHANGING).or_else(|| after_any(rest, "set|edit|turn")).is_some();
    changes && clause.last().is_some_and(|last| last.is_one_of("to|into"))
}

/// Matches "Choir is on Wednesday now": it was at another time before.
fn is_now(clause: &[Token], today: Today) -> bool {
    let Some((subject, rest)) = around(clause, "is now|are now|is|are|starts|begins|happens|comes") else {
        return false;
    };
    let now = rest.last().is_some_and(|last| last.is("now")) || around(clause, "is now|are now").is_some();
    now && !subject.is_empty() && !begins_with_task_verb(clause) && When::read_after("at", rest, today).has_schedule()
}

/// Matches "Dentist moved": neither the record nor the new time is clear.
fn is_moved_statement(clause: &[Token]) -> bool {
    let subject = before_end(clause, SAID_AT_END);
    subject.is_some_and(|words| {
        !words.is_empty() && !begins_with_task_verb(words) && !words[0].is_one_of("have|get|need|want|having|getting")
    })
}

/// Matches "Call at 13pm", "yoga most days".
fn no_such_time(clause: &[Token], today: Today) -> bool {
    let often = "most days|some days|some weekdays|a few times a week|several times a week|now and again|\
        every now and again|once in a while";
    let used = When::read(clause, today).used;
    let hour = |word: &Token| {
        let number = word.lower.strip_suffix("pm").or_else(|| word.lower.strip_suffix("am"));
        !word.quoted && number.is_some_and(|number| figures(number, 2).is_some())
    };
    let unread = (1..clause.len()).any(|at| !used[at] && clause[at - 1].is("at") && hour(&clause[at]));
    unread || before_end(clause, often).is_some()
}

/// Matches "Call Bob in 10", which could be minutes, hours or days.
fn number_alone(clause: &[Token], today: Today) -> bool {
    let used = When::read(clause, today).used;
    let [.., lead, number] = clause else { return false };
    lead.is_one_of("in|within|after")
        && !number.quoted
        && !used[used.len() - 1]
        && number.lower.len() < 3
        && figures(&number.lower, 2).is_some()
}

/// Matches "At 3 or 4", "on Monday or Tuesday".
fn either_time(clause: &[Token], today: Today) -> bool {
    let used = When::read(clause, today).used;
    (1..clause.len().saturating_sub(1)).any(|at| {
        let after = When::read_after("at", &clause[at + 1..], today);
        let names_time = after.used.first() == Some(&true) && (after.date.is_some() || after.time.is_some());
        let next = &clause[at + 1];
        clause[at].is("or") && used[at - 1] && (names_time || (!next.quoted && figures(&next.lower, 2).is_some()))
    })
}
