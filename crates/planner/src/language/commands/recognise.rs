//! Recognises the commands that change existing records, with one function for each.

use super::command::{Command, Field};
use crate::language::Today;
use crate::language::text::phrases::{after, after_any, around, before_end, has_any, without_marks};
use crate::language::text::tokens::Token;
use crate::language::text::vocabulary::names_new;
use crate::language::values::priorities::{level, priority_phrase};
use crate::language::values::when::When;
use crate::record::Priority;

pub fn note(clause: &[Token], today: Today) -> Option<Command<'_>> {
    let rest = after_any(
        clause,
        "add a note to|add note to|add notes to|add a comment to|note for|add a note for|attach a note to",
    )?;
    let at = (1..rest.len()).find(|at| rest[*at].is_one_of(":|saying|that") || rest[*at].quoted)?;
    let text = if rest[at].quoted { &rest[at..] } else { &rest[at + 1..] };
    // "Note for Friday: …" creates a todo.
    let only_when = When::read(&rest[..at], today);
    let target = &rest[..at];
    let is_meant = !text.is_empty() && !only_when.covers_all(target);
    is_meant.then_some(Command::Field { target, field: Field::Notes, text })
}

pub fn goal_items(clause: &[Token], _: Today) -> Option<Command<'_>> {
    let rest = after_any(clause, "add|put|link|attach|connect|assign")?;
    let phrases = "to the goal|to goal|to my goal|under the goal|under goal|under my goal|with the goal|with goal|\
        with my goal";
    let (item, goal) = around(rest, phrases)?;
    (!item.is_empty() && !goal.is_empty()).then_some(Command::AddToGoal { item, goal })
}

pub fn stop_repeating(clause: &[Token], _: Today) -> Option<Command<'_>> {
    let of = |target| Some(Command::StopRepeating { target });
    let leads = "stop repeating|don't repeat|do not repeat|no longer repeat|stop recurring|remove the repetition from|\
        remove the recurrence from|remove recurrence from|turn off repeating for|remove repeat from|\
        stop the repetition of|remove the repeat from|drop the repetition from|drop the repeat from|\
        cancel the repetition of|\
        take the repetition off|take the repeat off|take the recurrence off|turn off the repeat for|\
        turn off the repetition of|\
        turn off repeat for|switch off the repeat for|end the repetition of|remove repetition from";
    if let Some(target) = after_any(clause, leads) {
        return of(before_end(target, "any more|anymore|any longer|from now on").unwrap_or(target));
    }
    let ends = "should no longer repeat|should not repeat|shouldn't repeat|not repeat|not repeating|non-repeating|\
        stop repeating|no longer repeats|should stop repeating|not recurring|non-recurring|from repeating|\
        is a one-off|is now a one-off|should be a one-off|is just a one-off|a one-off|one-off|is not recurring|\
        isn't recurring|\
        doesn't repeat|does not repeat";
    let clause = before_end(clause, "any more|anymore|any longer").unwrap_or(clause);
    if let Some(target) =
        after_any(clause, "stop").and_then(|rest| before_end(rest, "from repeating|from recurring|repeating|recurring"))
    {
        return (!target.is_empty()).then_some(Command::StopRepeating { target });
    }
    let target = before_end(clause, ends)?;
    of(after_any(target, "make|stop|let|set").unwrap_or(target))
}

/// Recognises "Give X another name", "X needs a new date": the new value is missing.
pub fn missing_value(clause: &[Token], _: Today) -> Option<Command<'_>> {
    let what = "another|a new|a different|a better|some other|a shorter|a fresh";
    let noun = "name|title|date|day|time|slot|priority|deadline|place|location|venue";
    let begins = after_any(clause, "give|find|set|pick|choose|i want|change").is_some()
        || around(clause, "needs|should have|should get|could do with|wants|deserves|requires").is_some();
    let (_, missing) = around(clause, what).filter(|_| begins)?;
    (missing.len() == 1 && missing[0].is_one_of(noun)).then_some(Command::Unclear)
}

pub fn renaming(clause: &[Token], _: Today) -> Option<Command<'_>> {
    let rename = |target, title| Some(Command::Rename { target, title });
    if let Some(rest) = after_any(clause, "give") {
        let named = "the name|the title|a new name :|the new name|the new title|a new title :|a new name ,|\
            a different name :|\
            a better name :|another name :|the new name of";
        if let Some((target, title)) = around(rest, named) {
            return rename(target, after(title, ":").unwrap_or(title));
        }
    }
    if let Some(rest) = after_any(clause, "rename|retitle|re-name") {
        return match around(rest, "to|as|into|->|=>|:") {
            Some((target, title)) => rename(target, title),
            None => rename(rest, &[]),
        };
    }
    // "Call 'X' 'Y' from now on": two titles next to each other.
    if let Some([target, title, ..]) = after_any(clause, "call|name")
        && target.quoted
        && title.quoted
    {
        return rename(&clause[1..2], &clause[2..3]);
    }
    let leads = "change the title of|change title of|change the name of|change name of|set the title of|set title of|\
        edit the title of|edit the name of|alter the title of|modify the title of|correct the title of|\
        update the name of|\
        update the title of";
    if let Some(rest) = after_any(clause, leads) {
        let (target, title) = around(rest, "to|as|into")?;
        return rename(target, title);
    }
    let (target, title) = around(
        clause,
        "should be called|should be named|should be titled|should be renamed to|should now be called|\
            is now called|is called now|is now named|is now titled|should now read|should read|should now be named|\
            gets the title|gets the name|should say|should now say|ought to be called|is to be called|to be called|\
            must be called|\
            now reads|becomes|should rather be called|would be better called",
    )?;
    rename(target, title)
}

/// Returns the command for a target and the words of its priority. Words of another request after these are no part of
/// it, so the clause is not understood as a whole.
fn prioritised<'t>(target: &'t [Token], words: &[Token]) -> Option<Command<'t>> {
    let (first, more) = without_marks(words).split_first()?;
    let priority = level(&first.lower)?;
    let is_all = !has_any(more, "and|&|then|plus");
    Some(if is_all { Command::Prioritise { target, priority } } else { Command::Unclear })
}

/// Recognises "Raise the priority of X to high", "priority of X: high", "deprioritise X".
fn priority_named(clause: &[Token]) -> Option<Command<'_>> {
    let of = |target, priority| Some(Command::Prioritise { target, priority });
    let verb = after_any(
        clause,
        "set|change|up|raise|lower|increase|bump|make|put|update|drop|reduce|adjust|turn|bring|move|switch",
    );
    if let Some(rest) = verb
        && let Some(rest) = after_any(
            rest,
            "up the priority of|the priority of|the priority for|the priority on|priority of|priority for|\
                the importance of",
        )
    {
        let (target, level) = around(rest, "up to|down to|to|as|:|=")?;
        return prioritised(target, level);
    }
    // "Priority of X: high", "set priority high on X".
    if let Some((target, level)) = after_any(clause, "the priority of|priority of|priority for")
        .and_then(|rest| around(rest, ":|is|to|should be|="))
    {
        return prioritised(target, level);
    }
    let leading = after_any(clause, "set|give|put").and_then(|rest| {
        let rest = after_any(rest, "a|the").unwrap_or(rest);
        let (length, priority) = priority_phrase(rest)?;
        Some((after_any(&rest[length..], "on|for|to")?, priority))
    });
    if let Some((target, priority)) = leading.filter(|(target, _)| !target.is_empty()) {
        return of(target, priority);
    }
    if let Some(target) = after_any(clause, "prioritise|prioritize") {
        return of(target, Priority::High);
    }
    if let Some(target) = after_any(clause, "deprioritise|deprioritize|de-prioritise|de-prioritize") {
        return of(target, Priority::Low);
    }
    None
}

pub fn prioritising(clause: &[Token], _: Today) -> Option<Command<'_>> {
    let of = |target, priority| Some(Command::Prioritise { target, priority });
    if let Some(named) = priority_named(clause) {
        return Some(named);
    }
    if names_new(clause) {
        return None;
    }
    // "Drop it down to low priority".
    if let Some(rest) = after_any(
        clause,
        "drop|bump|move|put|push|bring|knock|take|reduce|downgrade|upgrade|switch|shift|turn|demote|promote",
    ) && let Some((target, level)) =
        around(rest, "down to|up to|to|down|up").filter(|(target, _)| !target.is_empty())
        && let Some(priority) = only_priority(level)
    {
        return of(target, priority);
    }
    let asking = "make|set|mark|give|change|flag|raise|lower|treat|consider|regard|class|rank";
    let (rest, asked) = after_any(clause, asking).map_or((clause, false), |rest| (rest, true));
    let at = (1..rest.len()).find(|at| only_priority(&rest[*at..]).is_some())?;
    let (target, priority) = (&rest[..at], only_priority(&rest[at..])?);
    let verbs = "should be|should now be|can be|must be|ought to be|needs to be|is now|are now|has become|is|are|as|to|\
        to be|a|should have|has";
    let (target, has_verb) = before_end(target, verbs).map_or((target, false), |shorter| (shorter, true));
    // "fix the roof, urgent" is a new todo; "the roof is urgent" is about an existing record.
    let is_said_of =
        asked || rest[at].is("is") || (has_verb && has_any(&rest[..at], "is|are|should|has|can|must|ought|needs"));
    (is_said_of && !has_any(target, "todo|task")).then(|| of(target, priority)).flatten()
}

/// Parses a priority that makes up all the tokens.
fn only_priority(tokens: &[Token]) -> Option<Priority> {
    // "Make it low".
    if let [only] = tokens
        && only.is_one_of("high|low|medium|urgent|important")
    {
        return level(&only.lower).or(Some(Priority::High));
    }
    let tokens = after_any(tokens, "as|to").unwrap_or(tokens);
    let (length, priority) = priority_phrase(tokens)?;
    (length == tokens.len()).then_some(priority)
}

pub fn repeating(clause: &[Token], today: Today) -> Option<Command<'_>> {
    if names_new(clause) {
        return None;
    }
    let lead = after_any(clause, "repeat|make|set|let|change|have|turn");
    let rest = lead.unwrap_or(clause);
    let repeat_phrases = "should repeat|should recur|to repeat|repeat|recur|repeats|recurring|into a habit|should be|\
        should happen|to|is|is now|happens|takes place|will be|runs|should take place|should now be|needs to be|\
        has to be|into a task|into a todo|into an event|into a thing|a thing|into a|a|into";
    let rest = before_end(rest, "task|todo|thing|event|reminder|item|one|job|chore")
        .filter(|shorter| lead.is_some() && !shorter.is_empty())
        .unwrap_or(rest);
    for at in 1..rest.len() {
        let after_target = &rest[at..];
        let when_words = after_any(after_target, repeat_phrases).unwrap_or(after_target);
        let when = When::read(when_words, today);
        if when.repeat.is_some() && when.covers_all(when_words) {
            let is_explicit = lead.is_some() || !std::ptr::eq(when_words, after_target);
            return is_explicit.then_some(Command::Repeat { target: &rest[..at], when: when_words });
        }
    }
    let asked = lead.and_then(|rest| before_end(rest, "repeat|recur|repeating|recurring|to repeat"));
    asked.or_else(|| after(clause, "repeat")).map(|target| Command::Repeat { target, when: &[] })
}

/// Returns "the report" for "the report's date".
fn without_its_date(target: &[Token]) -> &[Token] {
    let owner = before_end(target, "due date|date|day|start time|time");
    owner.filter(|owner| owner.last().is_some_and(|last| last.lower.ends_with("'s"))).unwrap_or(target)
}

pub fn changing(clause: &[Token], _: Today) -> Option<Command<'_>> {
    if names_new(clause) || after_any(clause, "set aside|set off|set out").is_some() {
        return None;
    }
    let rest = after_any(clause, "change|update|edit|modify|set|turn")?;
    match around(rest, "to|into") {
        Some((target, to)) => Some(Command::Change { target: without_its_date(target), to }),
        None => Some(Command::Unclear),
    }
}
