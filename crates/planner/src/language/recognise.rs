//! The forms in which changes of what is there are asked for: each function knows one command.

use super::Today;
use super::command::Command;
use super::phrases::{after, after_any, around, before_end, has_any, without_marks};
use super::priorities::{level, priority_phrase};
use super::tokens::Token;
use super::vocabulary::names_new;
use super::when::When;
use crate::record::Priority;

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

pub fn stop_repeating(clause: &[Token], _: Today) -> Option<Command<'_>> {
    let of = |target| Some(Command::StopRepeating { target });
    let leads = "stop repeating|don't repeat|do not repeat|no longer repeat|stop recurring|remove the repetition from|\
        remove the recurrence from|remove recurrence from|turn off repeating for|remove repeat from|\
        stop the repetition of";
    if let Some(target) = after_any(clause, leads) {
        return of(before_end(target, "any more|anymore|any longer|from now on").unwrap_or(target));
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
        return match around(rest, "to|as|into|->|=>|:") {
            Some((target, title)) => rename(target, title),
            None => rename(rest, &[]),
        };
    }
    // "Call 'X' 'Y' from now on": two titles side by side.
    if let Some([target, title, ..]) = after_any(clause, "call|name")
        && target.quoted
        && title.quoted
    {
        return rename(&clause[1..2], &clause[2..3]);
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
            is now called|is called now|is now named|is now titled|should now read|should read|should now be named|\
            gets the title|gets the name",
    )?;
    rename(target, title)
}

pub fn prioritising(clause: &[Token], _: Today) -> Option<Command<'_>> {
    let of = |target, priority| Some(Command::Prioritise { target, priority });
    let verb = after_any(
        clause,
        "set|change|raise|lower|increase|bump|make|put|update|drop|reduce|adjust|turn|bring|move|switch",
    );
    if let Some(rest) = verb
        && let Some(rest) = after_any(
            rest,
            "up the priority of|the priority of|the priority for|the priority on|priority of|priority for|the importance of",
        )
    {
        let (target, word) = around(rest, "up to|down to|to|as|:|=")?;
        return of(target, level(&without_marks(word).first()?.lower)?);
    }
    if let Some(target) = after_any(clause, "prioritise|prioritize") {
        return of(target, Priority::High);
    }
    if let Some(target) = after_any(clause, "deprioritise|deprioritize|de-prioritise|de-prioritize") {
        return of(target, Priority::Low);
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
        let undone = "as not done|not done|as undone|undone|as incomplete|incomplete|as open|as not completed|\
            as pending|\
        as unfinished";
        if let Some(target) = without_when(rest, undone) {
            return of(target, false);
        }
        let done = "as done|done|as complete|as completed|complete|completed|as finished|finished|to done|to completed|\
        as being done|off|as achieved|as ticked|as sorted|as handled";
        return of(without_when(rest, done)?, true);
    }
    let leads = "done with|complete|finish|check off|tick off|cross off|i'm done with|i am done with|i have finished|\
        i've finished|i finished|i have completed|i've completed|i completed|i have done|i've done|i did|finished|\
        completed|done|✓|✔|☑|check|tick|close|i just finished|i just did|i just completed|finished with|\
        i'm finished with|did|all done with|i'm through with|through with|just finished|just did|just completed|\
        finally finished|\
        finally did|i finally finished|we finished|we've finished|we're done with|we are done with|i wrapped up|\
        i've wrapped up|wrapped up|\
        i've ticked off|i ticked off|ticked off|knocked out|i've knocked out|i've dealt with|dealt with|i dealt with|\
        i took care of|\
        i've taken care of|that's|i've just finished|i've finally finished|i have just finished|i'm all done with|\
        i've been for|i went for|i've just done|strike off|i got|got|we got|i've got|we've got|i have got";
    if let Some(target) = after_any(clause, leads) {
        let target = before_end(target, "off|off my list|off the list").unwrap_or(target);
        // "That's the report done", "got the report done".
        let gets = after_any(clause, "that's|i got|got|we got|i've got|we've got|i have got").is_some();
        let done = before_end(target, "done|finished|sorted|out of the way|completed|ticked off");
        if gets && done.is_none() {
            return None;
        }
        let target = done.filter(|_| gets).unwrap_or(target);
        return of(after(target, ":").unwrap_or(target), true);
    }
    let ends = "is done|is finished|is complete|is completed|are done|has been done|was done|done|- done|is done now|\
        ✓|✔|☑|\
        is now done|completed|finished|has been completed|have been done|is all done|is sorted|is taken care of|\
        has been taken care of|\
        is done and dusted|are finished|is dealt with|all done|sorted|has been finished|are complete|is behind me|\
        is out of the way|\
        can be ticked off|can be checked off|can be crossed off|can be marked as done|is handled|has been handled|\
        has been sorted";
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
const NOT_NEEDED: &str = "i no longer need to|i no longer need|i no longer have to|i don't need to|i don't need|\
    i don't have to|we no longer need to|\
    we don't need to|we don't have to|no need to|no longer need to|i won't need to|i needn't|there's no need to|\
    i do not need to|\
    i do not have to|i'm not going to|i am not going to|i don't want to|i don't want|i do not want to|\
    i've given up on|i've given up|i gave up|\
    i'm giving up|i quit|i've stopped|we don't want to|i won't be going to|we're not going to|we no longer have to|\
    i won't|i've decided not to|\
    i decided not to|i'd rather not|i no longer want to|i no longer want|there's no need for|no more|we won't need|\
    i won't need|i don't plan to|we're no longer going to|\
    there is no need to|never mind about|never mind";

/// What ends a sentence about something that does not take place.
const CALLED_OFF: &str = "is cancelled|is canceled|was cancelled|was canceled|has been cancelled|has been canceled|\
    got cancelled|\
    is called off|was called off|has been called off|is no longer needed|is not needed anymore|isn't needed anymore|\
    is not needed|\
    isn't needed|is off|can go|can be deleted|can be removed|can be dropped|can be scrapped|can be cancelled|\
    can be canceled|be cancelled|be deleted|\
    be removed|be dropped|should be deleted|should be removed|should be cancelled|has been scrapped|has been dropped|\
    was scrapped|got called off|\
    isn't going to happen|is not going to happen|isn't taking place|is not taking place|won't take place|\
    no longer applies|is not on any more|isn't on any more|\
    has fallen through|is no longer happening|is no longer on|has become obsolete|isn't necessary any more|\
    isn't necessary anymore|\
    isn't needed any more|is not needed any more|is no longer relevant|no longer needed|cancelled|canceled|\
    isn't happening|is not happening|won't happen|is obsolete|is no longer necessary|fell through";

pub fn deleting(clause: &[Token], _: Today) -> Option<Command<'_>> {
    let of = |target| Some(Command::Delete { target });
    let leads = "delete|remove|cancel|erase|scrap|get rid of|drop|discard|scratch|call off|clear|wipe|purge|trash|i cancelled|\
        i've cancelled|i have cancelled|we cancelled|we've cancelled|we called off|i called off|forget about|forget|\
        bin|ditch|axe|throw out|throw away|chuck|chuck out|\
        i want to cancel|i'd like to cancel|i want to delete|i want to remove|i'd like to delete|i'd like to remove|\
        i need to cancel|eliminate";
    if let Some(target) = after_any(clause, NOT_NEEDED) {
        return of(before_end(target, "anymore|any more|any longer|after all").unwrap_or(target));
    }
    if let Some(target) = before_end(clause, CALLED_OFF).filter(|target| !target.is_empty()) {
        return of(target);
    }
    if let Some(target) = after_any(clause, leads) {
        let place = "from my list|from the list|off my list|from my todo list|from my calendar|from the calendar|\
            from my todos|\
        from my tasks|from my agenda|off the list|from my schedule";
        let target = before_end(target, place).unwrap_or(target);
        return of(before_end(target, "any more|anymore|altogether|for good|completely|entirely").unwrap_or(target));
    }
    if let Some(pronoun) =
        before_end(clause, "out|off|away").filter(|rest| rest.len() == 2 && rest[1].is_one_of("it|that|this|them"))
    {
        return after(pronoun, "take").map(|target| Command::Delete { target });
    }
    let taken = after_any(clause, "take|strike|cross")?;
    of(before_end(taken, "off my list|off the list|off my calendar|off|off my todo list|from my list")?)
}

pub fn repeating(clause: &[Token], today: Today) -> Option<Command<'_>> {
    if names_new(clause) {
        return None;
    }
    let lead = after_any(clause, "repeat|make|set|let|change|have|turn");
    let rest = lead.unwrap_or(clause);
    let said = "should repeat|should recur|to repeat|repeat|recur|repeats|recurring|into a habit|should be|\
        should happen|to|is|is now|happens|takes place|will be|runs|should take place|should now be|needs to be|\
        has to be|into";
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
