//! The forms in which changes of what is there are asked for: each function knows one command.

use super::Today;
use super::command::{Command, Destination};
use super::phrases::{after, after_any, around, before_end, has_any, without_marks};
use super::shift::Shift;
use super::tokens::Token;
use super::vocabulary::{ADDING, TO_DO};
use super::when::{When, level, priority_phrase};
use crate::record::Priority;

const MOVING: &str = "move|reschedule|postpone|push|delay|shift|defer|snooze|bring|put off|re-schedule|advance|change the date of|\
    change the time of|change the day of|change the due date of";

/// "set up a meeting", "make a todo", "put an event": of what is not there yet.
fn names_new(clause: &[Token]) -> bool {
    let rest = after_any(clause, "set|make|put|schedule|plan|change|turn|have|let").unwrap_or_default();
    rest.first().is_some_and(|token| token.is_one_of("a|an|another|up|new|me"))
}

pub fn note(clause: &[Token], _: Today) -> Option<Command<'_>> {
    let rest = after_any(
        clause,
        "add a note to|add note to|add notes to|add a comment to|note for|add a note for|attach a note to",
    )?;
    let at = (1..rest.len()).find(|at| rest[*at].is(":") || rest[*at].quoted)?;
    let text = if rest[at].is(":") { &rest[at + 1..] } else { &rest[at..] };
    (!text.is_empty()).then_some(Command::Note { target: &rest[..at], text })
}

pub fn goal_items(clause: &[Token], _: Today) -> Option<Command<'_>> {
    let rest = after_any(clause, "add|put|link|attach|connect|assign")?;
    let phrases = "to the goal|to goal|to my goal|under the goal|under goal|under my goal|with the goal|with goal|\
        with my goal";
    let (item, goal) = around(rest, phrases)?;
    (!item.is_empty() && !goal.is_empty()).then_some(Command::AddToGoal { item, goal })
}

pub fn progress(clause: &[Token], _: Today) -> Option<Command<'_>> {
    let rest = after_any(clause, "set|update|change|log|record")?;
    let rest = after_any(rest, "the progress of|progress of|the progress on|progress on|progress for|the goal|goal")?;
    let (goal, value) = around(rest, "progress to|to|at")?;
    let [value] = without_marks(value) else { return None };
    let value =
        value.lower.trim_end_matches('%').parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0)?;
    Some(Command::Progress { goal: before_end(goal, "progress").unwrap_or(goal), value })
}

pub fn stop_repeating(clause: &[Token], _: Today) -> Option<Command<'_>> {
    let of = |target| Some(Command::StopRepeating { target });
    let leads = "stop repeating|don't repeat|do not repeat|no longer repeat|stop recurring|remove the repetition from|\
        remove the recurrence from|remove recurrence from|turn off repeating for|remove repeat from|\
        stop the repetition of";
    if let Some(target) = after_any(clause, leads) {
        return of(target);
    }
    let ends = "should no longer repeat|should not repeat|shouldn't repeat|not repeat|not repeating|non-repeating|\
        stop repeating|no longer repeats|should stop repeating|not recurring|non-recurring|from repeating|\
        a one-off|one-off";
    let target = before_end(clause, ends)?;
    of(after_any(target, "make|stop|let|set").unwrap_or(target))
}

pub fn renaming(clause: &[Token], _: Today) -> Option<Command<'_>> {
    let rename = |target, title| Some(Command::Rename { target, title });
    if let Some(rest) = after_any(clause, "rename|retitle|re-name") {
        return match around(rest, "to|as|into|->|=>") {
            Some((target, title)) => rename(target, title),
            None => rename(rest, &[]),
        };
    }
    let leads = "change the title of|change title of|change the name of|change name of|set the title of|set title of|\
        update the title of";
    if let Some(rest) = after_any(clause, leads) {
        let (target, title) = around(rest, "to|as|into")?;
        return rename(target, title);
    }
    let (target, title) = around(
        clause,
        "should be called|should be named|should be titled|should be renamed to|should now be called|\
            is now called|is called now",
    )?;
    rename(target, title)
}

pub fn prioritising(clause: &[Token], _: Today) -> Option<Command<'_>> {
    let of = |target, priority| Some(Command::Prioritise { target, priority });
    let leads = "set the priority of|set priority of|change the priority of|change priority of|set the priority for|\
        set priority for|raise the priority of|lower the priority of|increase the priority of|make the priority of";
    if let Some(rest) = after_any(clause, leads) {
        let (target, word) = around(rest, "to|as")?;
        return of(target, level(&without_marks(word).first()?.lower)?);
    }
    if let Some(target) = after_any(clause, "prioritise|prioritize") {
        return of(target, Priority::High);
    }
    if names_new(clause) {
        return None;
    }
    let (rest, asked) = match after_any(clause, "make|set|mark|give|change|flag|raise|lower") {
        Some(rest) => (rest, true),
        None => (clause, false),
    };
    let at = (1..rest.len()).find(|at| whole_priority(&rest[*at..]).is_some())?;
    let (target, priority) = (&rest[..at], whole_priority(&rest[at..])?);
    let target = before_end(target, "should be|is|as|to|to be|a|should have|has")
        .map_or((target, false), |shorter| (shorter, true));
    // "fix the roof, urgent" is something to do; "the roof is urgent" is said of one that is there.
    let said_of = asked || rest[at].is("is") || (target.1 && has_any(&rest[..at], "is|should|has"));
    (said_of && !has_any(target.0, "todo|task")).then(|| of(target.0, priority)).flatten()
}

/// Nothing but a priority.
fn whole_priority(tokens: &[Token]) -> Option<Priority> {
    let tokens = after_any(tokens, "as|to").unwrap_or(tokens);
    let (length, priority) = priority_phrase(tokens)?;
    (length == tokens.len()).then_some(priority)
}

pub fn completing(clause: &[Token], _: Today) -> Option<Command<'_>> {
    let of = |target, done| Some(Command::Complete { target, done });
    if let Some(target) = after_any(clause, "reopen|uncheck|untick|unmark|re-open|uncomplete|undo") {
        return of(target, false);
    }
    if let Some(rest) = after_any(clause, "mark|set|flag") {
        let undone = "as not done|not done|as undone|undone|as incomplete|incomplete|as open|as not completed|as pending|\
        as unfinished";
        if let Some(target) = without_when(rest, undone) {
            return of(target, false);
        }
        let done = "as done|done|as complete|as completed|complete|completed|as finished|finished|to done|to completed|\
        as being done|off";
        return of(without_when(rest, done)?, true);
    }
    let leads = "done with|complete|finish|check off|tick off|cross off|i'm done with|i am done with|i have finished|\
        i've finished|i finished|i have completed|i've completed|i completed|i have done|i've done|i did|finished|\
        completed|done|check|tick|close|i just finished|i just did|i just completed|finished with|\
        i'm finished with|did";
    if let Some(target) = after_any(clause, leads) {
        let target = before_end(target, "off|off my list|off the list").unwrap_or(target);
        return of(after(target, ":").unwrap_or(target), true);
    }
    let ends = "is done|is finished|is complete|is completed|are done|has been done|was done|done|- done|is done now|\
        is now done|completed|finished|has been completed";
    of(without_when(clause, ends)?, true)
}

/// The words before one of the phrases, which stand at the end or before a day: "… as done yesterday". With that day, where it is said.
fn without_when<'t>(tokens: &'t [Token], phrases: &str) -> Option<&'t [Token]> {
    if let Some(before) = before_end(tokens, phrases) {
        return Some(before);
    }
    let day_words = "for|today|yesterday|on|tomorrow";
    let longest_first = |at: &usize| {
        phrases.split('|').any(|phrase| {
            after(&tokens[*at..], phrase).is_some_and(|rest| rest.first().is_some_and(|next| next.is_one_of(day_words)))
        })
    };
    (1..tokens.len()).find(longest_first).map(|_| tokens)
}

/// What begins a sentence about something that need not be done.
const NOT_NEEDED: &str = "i no longer need to|i no longer need|i no longer have to|i don't need to|i don't need|i don't have to|we no longer need to|\
    we don't need to|we don't have to|no need to|no longer need to|i won't need to|i needn't|there's no need to|i do not need to|\
    i do not have to|i'm not going to|i am not going to";

/// What ends a sentence about something that does not take place.
const CALLED_OFF: &str = "is cancelled|is canceled|was cancelled|was canceled|has been cancelled|has been canceled|got cancelled|\
    is called off|was called off|has been called off|is no longer needed|is not needed anymore|isn't needed anymore|is not needed|\
    isn't needed|is off|isn't happening|is not happening|won't happen|is obsolete|is no longer necessary|fell through";

pub fn deleting(clause: &[Token], _: Today) -> Option<Command<'_>> {
    let of = |target| Some(Command::Delete { target });
    let leads = "delete|remove|cancel|erase|scrap|get rid of|drop|discard|call off|clear|wipe|purge|trash|i cancelled|\
        forget about";
    if let Some(target) = after_any(clause, NOT_NEEDED) {
        return of(before_end(target, "anymore|any more|any longer|after all").unwrap_or(target));
    }
    if let Some(target) = before_end(clause, CALLED_OFF).filter(|target| !target.is_empty()) {
        return of(target);
    }
    if let Some(target) = after_any(clause, leads) {
        let place = "from my list|from the list|off my list|from my todo list|from my calendar|from the calendar|from my todos|\
        from my tasks|from my agenda|off the list|from my schedule";
        return of(before_end(target, place).unwrap_or(target));
    }
    let taken = after_any(clause, "take|strike|cross")?;
    of(before_end(taken, "off my list|off the list|off my calendar|off|off my todo list|from my list")?)
}

pub fn moving(clause: &[Token], today: Today) -> Option<Command<'_>> {
    let of = |target, to| Some(Command::Move { target, to });
    let takes_off = "remove the date from|remove the due date from|clear the date of|clear the date from|unschedule|\
        remove the deadline from|take the date off|delete the date of|delete the date from|remove the date of";
    if let Some(target) = after_any(clause, takes_off) {
        return of(target, Destination::NoDate);
    }
    if let Some(rest) = after_any(clause, MOVING) {
        let particle = after_any(rest, "back|forward|up|off|out")
            .filter(|rest| rest.first().is_some_and(|next| next.is_one_of("the|my|our")));
        let rest = particle.unwrap_or(rest);
        let (target, to) = destination(rest, today);
        return of(target, to);
    }
    if let Some((target, when)) = around(clause, "->|=>|→|-->").filter(|(target, _)| !target.is_empty()) {
        return When::read(when, today).is_all(when).then(|| of(target, Destination::When(when))).flatten();
    }
    if let Some(rest) = after_any(clause, "put|make|set|start|have").filter(|_| !names_new(clause))
        && let (target, to @ Destination::By(_)) = destination(rest, today)
    {
        return of(target, to);
    }
    let said = "can wait|can happen|can be moved to|can move to|should wait|needs to be done|has to be done|should be done|must be done|\
        needs to be finished|should be finished|must be finished|should be ready|should be due|should be on|should be moved to|is now on|is now at|is now|is moved to|is due|is postponed to|\
        has been moved to|should be at|should move to|should happen|was moved to|got moved to|has moved to|moved to|\
        is rescheduled to|should start|should begin|starts|begins|will be|takes place|is happening|needs to be|has to be|\
        must be|should be|is";
    let adds = after_any(clause, TO_DO).or_else(|| after_any(clause, ADDING)).is_some();
    let (target, when) = around(clause, said).filter(|(target, _)| !target.is_empty() && !adds)?;
    // "is now at 11": a number alone is a time with its preposition.
    let with_preposition = &clause[clause.len() - when.len() - 1..];
    let whole = |words: &[Token]| {
        let read = When::read(words, today);
        read.is_all(words) && read.priority.is_none() && read.repeat.is_none()
    };
    let found = [when, with_preposition].into_iter().find(|words| !words.is_empty() && whole(words))?;
    // "The water bill is due on the 20th": moves it where it is there, else says that there is one.
    let says_due = after_any(&clause[target.len()..], "is due").is_some();
    if says_due {
        return Some(Command::Place { target, when: found, subject: clause });
    }
    of(target, Destination::When(found))
}

/// "Water the plants every four days from now on".
pub fn from_now_on(clause: &[Token], today: Today) -> Option<Command<'_>> {
    let rest = before_end(clause, "from now on|going forward|henceforth|from here on")?;
    let when = (1..rest.len()).map(|at| &rest[at..]).find(|words| {
        let read = When::read(words, today);
        read.repeat.is_some() && read.is_all(words)
    })?;
    Some(Command::Repeat { target: &rest[..rest.len() - when.len()], when })
}

/// "Let's do lunch with Sara on Friday instead".
pub fn instead(clause: &[Token], today: Today) -> Option<Command<'_>> {
    let rest = before_end(clause, "instead")?;
    let rest = after_any(rest, "let's do|lets do|we do|do|have|let's have|make it|make").unwrap_or(rest);
    match destination(rest, today) {
        (target, to @ Destination::When(_)) => Some(Command::Move { target, to }),
        _ => None,
    }
}

/// Parts a target from where it is moved: the longest end that says nothing but when, or by how much.
fn destination<'t>(tokens: &'t [Token], today: Today) -> (&'t [Token], Destination<'t>) {
    let particle = |target: &'t [Token]| {
        let shorter = before_end(target, "forward|back|up|off|over|out|ahead");
        shorter.filter(|shorter| !shorter.is_empty()).unwrap_or(target)
    };
    for at in 1..tokens.len() {
        if let Some(shift) = Shift::read(&tokens[at..]) {
            return (&tokens[..at], Destination::By(shift));
        }
        let rest = &tokens[at..];
        let when = after_any(rest, "to|until|till|onto|for|into").filter(|rest| !rest.is_empty()).unwrap_or(rest);
        let read = When::read(when, today);
        if read.is_all(when) && !read.several {
            return (particle(&tokens[..at]), Destination::When(when));
        }
    }
    (tokens, Destination::Nowhere)
}

pub fn repeating(clause: &[Token], today: Today) -> Option<Command<'_>> {
    if names_new(clause) {
        return None;
    }
    let lead = after_any(clause, "repeat|make|set|let|change|have|turn");
    let rest = lead.unwrap_or(clause);
    let said = "should repeat|should recur|to repeat|repeat|recur|repeats|recurring|into a habit|should be|should happen|\
        to";
    for at in 1..rest.len() {
        let after_target = &rest[at..];
        let when_words = after_any(after_target, said).unwrap_or(after_target);
        let when = When::read(when_words, today);
        if when.repeat.is_some() && when.is_all(when_words) {
            let spoken = lead.is_some() || !std::ptr::eq(when_words, after_target);
            return spoken.then_some(Command::Repeat { target: &rest[..at], when: when_words });
        }
    }
    let asked = lead.and_then(|rest| before_end(rest, "repeat|recur|repeating|recurring|to repeat"));
    asked.or_else(|| after(clause, "repeat")).map(|target| Command::Repeat { target, when: &[] })
}

pub fn placing(clause: &[Token], today: Today) -> Option<Command<'_>> {
    let rest = after_any(clause, "schedule|put|set|plan|fix")?;
    // "schedule a meeting" is a new one.
    let is_new = names_new(clause);
    let names_place =
        has_any(rest, "calendar|list|agenda|diary") || has_any(&rest[..rest.len().min(2)], "goal|reminder");
    let writes_down = after_any(clause, ADDING).is_some();
    if is_new || names_place || writes_down || after(clause, "plan").is_some() || after(clause, "fix").is_some() {
        return None;
    }
    let (target, to) = destination(rest, today);
    match to {
        Destination::When(when) => Some(Command::Place { target, when, subject: rest }),
        _ if after(clause, "schedule").is_some() => Some(Command::Place { target, when: &[], subject: rest }),
        _ => None,
    }
}

/// "the report's date": the report.
fn without_its_date(target: &[Token]) -> &[Token] {
    let owner = before_end(target, "due date|date|day|start time|time");
    owner.filter(|owner| owner.last().is_some_and(|last| last.lower.ends_with("'s"))).unwrap_or(target)
}

pub fn changing(clause: &[Token], _: Today) -> Option<Command<'_>> {
    if names_new(clause) {
        return None;
    }
    let rest = after_any(clause, "change|update|edit|modify|set|turn")?;
    match around(rest, "to|into") {
        Some((target, to)) => Some(Command::Change { target: without_its_date(target), to }),
        None => Some(Command::Unclear),
    }
}
