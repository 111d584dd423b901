//! Recognises requests for another day or time: "move X to Friday", "X has been pushed back to 4", "put X on Monday".

use super::command::{Command, Destination};
use crate::language::Today;
use crate::language::text::past_forms;
use crate::language::text::phrases::{after, after_any, around, before_end, has_any};
use crate::language::text::tokens::Token;
use crate::language::text::vocabulary::{self, ADDING, MOVING, TO_DO, names_new};
use crate::language::text::words::{WordList, word_list};
use crate::language::values::shift::Shift;
use crate::language::values::times;
use crate::language::values::when::When;

pub fn moving(clause: &[Token], today: Today) -> Option<Command<'_>> {
    if let Some(target) = without_date(clause) {
        return Some(Command::Move { target, to: Destination::NoDate });
    }
    by_moving_verb(clause, today).or_else(|| by_other_words(clause, today))
}

/// Recognises "Take the date off X", "X has no deadline any more".
fn without_date(clause: &[Token]) -> Option<&[Token]> {
    let takes_off = "remove the date from|remove the due date from|clear the date of|clear the date from|unschedule|\
        remove the deadline from|take the date off|delete the date of|delete the date from|remove the date of";
    let has_none = "has no deadline|has no date|has no due date|has no deadline any more|has no due date any more|\
        no longer has a deadline|\
        no longer has a due date|no longer has a date|doesn't need a date|doesn't have a deadline|\
        has no date any more|needs no date";
    after_any(clause, takes_off).or_else(|| before_end(clause, has_none))
}

/// Recognises "Move X to Friday", "postpone X two days".
fn by_moving_verb(clause: &[Token], today: Today) -> Option<Command<'_>> {
    let of = |target, to| Some(Command::Move { target, to });
    // "Pop 'MOT' in the calendar" creates a record.
    let adds_there = after_any(clause, "pop|slide|drag|put|shove|leave|bring|carry").is_some()
        && (vocabulary::names_place(clause) || names_new(clause));
    // "Leave the keys at the office" does not move a record.
    let leaves = after_any(clause, "leave|hold").is_some_and(|rest| !has_any(rest, "until|till|for|to"));
    let rest = after_any(clause, &MOVING).filter(|_| !adds_there && !leaves)?;
    // "Nudge me tomorrow about the letter", "shift on Monday from 7 to 3".
    if rest.first().is_some_and(|next| next.is_one_of("me|us")) || vocabulary::begins_with_shift(clause) {
        return None;
    }
    if let Some((target, to)) = from_old(rest, today) {
        return of(target, Destination::When(to));
    }
    let rest = after_any(rest, DATE_OF).unwrap_or(rest);
    let particle = after_any(rest, "back|forward|up|off|out")
        .filter(|rest| rest.first().is_some_and(|next| next.is_one_of("the|my|our")));
    let rest = particle.unwrap_or(rest);
    let (target, to) = destination(rest, today);
    // In "Postpone it two days" the verb gives the direction.
    let implied = || shifted_by_verb(clause, rest);
    match to {
        Destination::Nowhere => implied().map_or_else(|| of(target, to), |(target, to)| of(target, to)),
        // "Bring forward by a day" means earlier, unless the words indicate otherwise.
        Destination::By(shift) => {
            let earlier = after_any(clause, "bring|advance|move forward").is_some() || particle_says_earlier(clause);
            of(target, Destination::By(Shift::read_towards(&rest[target.len()..], earlier).unwrap_or(shift)))
        }
        to => of(target, to),
    }
}

/// Recognises "X has been moved to Friday", "make the lunch at noon", "X -> Friday".
fn by_other_words(clause: &[Token], today: Today) -> Option<Command<'_>> {
    let of = |target, to| Some(Command::Move { target, to });
    let from_old_to_new =
        after_any(clause, "change|alter|update|adjust|make|set").and_then(|rest| from_old(rest, today));
    if let Some((target, to)) = from_old_to_new {
        return of(target, Destination::When(to));
    }
    if let Some((target, when)) = around(clause, "->|=>|→|-->").filter(|(target, _)| !target.is_empty()) {
        let read = When::read(when, today);
        return (read.has_schedule() && read.covers_all(when)).then(|| of(target, Destination::When(when))).flatten();
    }
    if let Some(rest) = after_any(clause, "put|make|set|start|have").filter(|_| !names_new(clause))
        && let (target, to @ (Destination::By(_) | Destination::When(_))) = destination(rest, today)
    {
        // "Make lunch at noon" is a todo, "make the lunch at noon" a change.
        let definite =
            (has_any(rest, "due") || rest[0].is_one_of("the|my|our|it|that")) && !clause[0].is_one_of("put|set|start");
        let repeats = matches!(to, Destination::When(when) if When::read(when, today).repeat.is_some());
        if matches!(to, Destination::By(_)) || (definite && !repeats) {
            return of(target, to);
        }
    }
    let is_noun = |token: &Token| vocabulary::kind_noun(&token.lower).is_some() && !token.quoted;
    let marked = matches!(clause, [noun, mark, ..] if is_noun(noun) && mark.is_mark());
    let adds = marked || after_any(clause, &TO_DO).or_else(|| after_any(clause, &ADDING)).is_some();
    // "Job fair on Saturday, starts at nine" describes a new record.
    let describes =
        |target: &[Token]| target.last().is_some_and(Token::is_mark) && When::read(target, today).date.is_some();
    // "Tidy the loft - to be done by 3 May" creates a record.
    let of_doing =
        |target: &[Token]| vocabulary::begins_with_task_verb(target) && target.iter().skip(2).any(Token::is_mark);
    let (target, found) = moved_statement(clause, today)
        .filter(|(target, _)| !of_doing(target))
        .map(|(target, found)| {
            (before_end(target, "now|only|actually|just|really|also|still").unwrap_or(target), found)
        })
        .filter(|(target, _)| !target.is_empty() && !adds && !describes(target))?;
    // "The water bill is due on the 20th" moves the record if it exists, else creates one.
    let is_due_statement = after_any(
        &clause[target.len()..],
        "is due|are due|is on|are on|is at|takes place on|starts on|begins on|falls on",
    )
    .is_some();
    if is_due_statement && let Destination::When(when) = found {
        let is_due = after_any(&clause[target.len()..], "is due|are due").is_some();
        let subject = after_any(clause, "the|my|our").filter(|_| is_due).unwrap_or(clause);
        return Some(Command::Place {
            target: if is_due { &subject[..target.len() + subject.len() - clause.len()] } else { target },
            when,
            subject,
        });
    }
    of(target, found)
}

/// Phrases for the date of a record: "push the deadline of X".
const DATE_OF: &str = "the deadline of|the deadline for|the deadline on|the due date of|the due date for|the date of|\
    the date for|the start of|\
    the time of|the day of|back the deadline of|back the deadline for|out the deadline for|forward the deadline of|\
    forward the deadline for|\
    the start time of";

/// Verb phrases which report that something is at another day or time: "has been pushed back to".
const AUXILIARIES: &str = "is|was|has|have|are|wait|waits|slips|slipped|shifts|shifted|changes|changed|needs|should|\
    must|can|\
    could|will|got|starts|\
        begins|moves|moved|happens|takes|be|ought|'s";

static PARTICIPLES: WordList = WordList::new(|| word_list(include_str!("../words/participles.txt")));

/// Recognises "X has been moved to Friday", "X should be at 4", "X needs to be done by Monday".
fn moved_statement(clause: &[Token], today: Today) -> Option<(&[Token], Destination<'_>)> {
    let whole = |words: &[Token]| {
        let read = When::read(words, today);
        !words.is_empty() && read.covers_all(words) && read.priority.is_none() && read.repeat.is_none()
    };
    let first = (1..clause.len()).find(|at| clause[*at].is_one_of(AUXILIARIES))?;
    let mut end = first + 1;
    while end < clause.len() {
        let waits = clause[end - 1].is("wait").then(|| Shift::read_towards(&clause[end..], false)).flatten();
        if let Some(shift) = waits.or_else(|| Shift::read(&clause[end..])) {
            return Some((&clause[..first], Destination::By(shift)));
        }
        // In "Is now at 11" a number is a time because of its preposition.
        if !clause[end].is("now") && whole(&clause[end..]) {
            return Some((&clause[..first], Destination::When(&clause[end..])));
        }
        // "Should be booked by Thursday".
        let participle = clause[end - 1].is_one_of("be|been") && !past_forms::presents(&clause[end].lower).is_empty();
        if !clause[end].is_one_of(&PARTICIPLES) && !clause[end].is("now") && !participle {
            return None;
        }
        end += 1;
    }
    None
}

/// Returns the second of two days or times: "from Friday to Monday", "from 10 to 11".
fn from_old(rest: &[Token], today: Today) -> Option<(&[Token], &[Token])> {
    let (target, spans) = around(rest, "from").filter(|(target, _)| !target.is_empty() && !has_any(target, "to"))?;
    let (old, new) = around(spans, "to|until|onto")?;
    let old = When::read_after("at", old, today);
    let read = When::read_after("at", new, today);
    let rules = old.repeat.is_some() && read.repeat.is_some();
    let same = rules || (old.date.is_some() && read.date.is_some()) || (old.time.is_some() && read.time.is_some());
    (same && read.end_time.is_none()).then_some((target, new))
}

/// Returns whether a particle means earlier: "move up the report by a day".
fn particle_says_earlier(clause: &[Token]) -> bool {
    clause.get(1).is_some_and(|particle| particle.is_one_of("forward|up"))
}

/// Recognises "postpone X two days", "bring X forward an hour".
fn shifted_by_verb<'t>(clause: &[Token], rest: &'t [Token]) -> Option<(&'t [Token], Destination<'t>)> {
    let later = after_any(
        clause,
        "postpone|push|delay|defer|put off|snooze|put back|hold off|push back|bump|shove|shift|slide|kick",
    )
    .is_some();
    let earlier = after_any(clause, "bring|advance|pull").is_some();
    let at =
        (1..rest.len()).filter(|_| later || earlier).find(|at| Shift::read_towards(&rest[*at..], earlier).is_some())?;
    Some((&rest[..at], Destination::By(Shift::read_towards(&rest[at..], earlier)?)))
}

/// Recognises "Water the plants every four days from now on".
pub fn from_now_on(clause: &[Token], today: Today) -> Option<Command<'_>> {
    let rest = before_end(clause, "from now on|going forward|henceforth|from here on")?;
    let repeats = (1..rest.len()).map(|at| &rest[at..]).find(|words| {
        let read = When::read(words, today);
        read.repeat.is_some() && read.covers_all(words)
    });
    if let Some(when) = repeats {
        let target = &rest[..rest.len() - when.len()];
        let target =
            before_end(target, "is|should be|will be|happens|takes place|repeats|should happen|runs").unwrap_or(target);
        return Some(Command::Repeat { target, when });
    }
    let moved = after_any(rest, &MOVING);
    match destination(moved.unwrap_or(rest), today) {
        (target, Destination::When(when)) if moved.is_some() => {
            Some(Command::Move { target, to: Destination::When(when) })
        }
        (target, Destination::When(when)) => Some(Command::Place { target, when, subject: rest }),
        _ => None,
    }
}

/// Recognises "Let's do lunch with Sara on Friday instead".
pub fn instead(clause: &[Token], today: Today) -> Option<Command<'_>> {
    let rest = before_end(clause, "instead")?;
    if after_any(clause, &ADDING).is_some() {
        return None;
    }
    let rest = after_any(
        rest,
        "let's do|lets do|we do|do|have|let's have|make it|make|let|can we do|could we do|can we have|\
            remind me about|remind me of|remind me to|let me",
    )
    .unwrap_or(rest);
    match destination(rest, today) {
        (target, to @ Destination::When(_)) => Some(Command::Move { target, to }),
        _ => None,
    }
}

/// Splits a target from its destination: the longest ending that is nothing but a day, a time or a shift.
pub(in crate::language) fn destination<'t>(tokens: &'t [Token], today: Today) -> (&'t [Token], Destination<'t>) {
    let particle = |target: &'t [Token]| {
        let shorter = before_end(target, "forward|back|up|off|over|out|ahead|down|along|across");
        shorter.filter(|shorter| !shorter.is_empty()).unwrap_or(target)
    };
    for at in 1..tokens.len() {
        if let Some(shift) = Shift::read(&tokens[at..]) {
            return (&tokens[..at], Destination::By(shift));
        }
        let rest = &tokens[at..];
        let when = after_any(rest, "to|until|till|onto|for|into").filter(|rest| !rest.is_empty()).unwrap_or(rest);
        let read = When::read(when, today);
        let is_hour = || when.len() < rest.len() && hour_alone(when, today);
        // "To 31 February" is a day that is asked about.
        let is_impossible = read.impossible.is_some() && read.used.iter().all(|used| *used);
        if (read.covers_all(when) && !read.is_ambiguous) || is_impossible || is_hour() {
            return (particle(&tokens[..at]), Destination::When(when));
        }
        // In "To thurs" a short name is a day because of the preposition.
        let when_after_to = When::read(rest, today);
        let part = when.len() < rest.len() && part_alone(when);
        if part
            || (when.len() < rest.len()
                && when_after_to.covers_all(rest)
                && !when_after_to.is_ambiguous
                && when_after_to.repeat.is_none())
        {
            return (particle(&tokens[..at]), Destination::When(if part { when } else { rest }));
        }
    }
    (tokens, Destination::Nowhere)
}

/// Matches "the afternoon", "early evening": a part of the day without a day.
pub(in crate::language) fn part_alone(words: &[Token]) -> bool {
    let words = after_any(words, "the").unwrap_or(words);
    words.len() == 1 && times::bare_part_of_day(words.first()).is_some()
}

/// Matches "to 11": a number that becomes a time after "at".
fn hour_alone(words: &[Token], today: Today) -> bool {
    let with_at = [&[Token::made("at")], words].concat();
    let read = When::read(&with_at, today);
    read.time.is_some() && read.covers_all(&with_at)
}

/// Matches what is put in a place and not on a day: "the turkey in the oven at 3", "the bins out this evening".
pub(super) fn is_put_somewhere(rest: &[Token], today: Today) -> bool {
    const POSITIONS: &str = "in|into|inside|on|onto|under|behind|over|out|away|together";
    let used = When::read(rest, today).used;
    let is_title = |at: usize| rest.get(at).is_some_and(|word| !used[at] && !word.is_mark());
    (1..rest.len()).any(|at| {
        let ends = rest[at].is_one_of("out|away|together") && !is_title(at + 1);
        rest[at].is_one_of(POSITIONS) && !used[at] && (ends || is_title(at + 1))
    })
}

pub fn placing(clause: &[Token], today: Today) -> Option<Command<'_>> {
    let rest = after_any(clause, "schedule|put|set|plan|fix")?;
    // "schedule a meeting" creates one.
    let is_new = names_new(clause);
    let names_place =
        has_any(rest, "calendar|list|agenda|diary") || has_any(&rest[..rest.len().min(2)], "goal|reminder");
    // "Put out the recycling".
    let of_doing = after_any(clause, "put|set").is_some()
        && rest.first().is_some_and(|next| next.is_one_of("out|away|up|together|off|on|back"));
    let writes_down = after_any(clause, &ADDING).is_some();
    if is_new
        || names_place
        || of_doing
        || writes_down
        || (after(clause, "put").is_some() && is_put_somewhere(rest, today))
        || after(clause, "plan").is_some()
        || after(clause, "fix").is_some()
    {
        return None;
    }
    let (target, to) = destination(rest, today);
    match to {
        Destination::When(when) => Some(Command::Place { target, when, subject: rest }),
        _ if after(clause, "schedule").is_some() => Some(Command::Place { target, when: &[], subject: rest }),
        _ => None,
    }
}
