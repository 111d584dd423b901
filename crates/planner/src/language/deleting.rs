//! Recognises sentences that delete a record.

use super::Today;
use super::command::Command;
use super::phrases::{after, after_any, before_end};
use super::tokens::Token;

/// Beginnings of sentences about something that is no longer needed.
const NOT_NEEDED: &str = "i don't want to be reminded about|i don't want to be reminded of|\
    i don't want to be reminded to|stop reminding me about|stop reminding me to|stop reminding me of|\
    don't remind me about|don't remind me to|don't remind me of|\
    no need to remind me about|no need to remind me to|i no longer need to|i no longer need|i no longer have to|\
    i don't need to|i don't need|\
    i don't have to|we no longer need to|we no longer need|we don't need|\
    we don't need to|we don't have to|no need to|no longer need to|i won't need to|i needn't|there's no need to|\
    i do not need to|\
    i do not have to|i'm not going to|not going to|i'm no longer going to|i am not going to|i don't want to|\
    i don't want|i do not want to|\
    i've given up on|i've given up|i gave up|\
    i'm giving up|i quit|i've stopped|we don't want to|i won't be going to|we're not going to|we no longer have to|\
    i won't|i've decided not to|\
    i decided not to|i'd rather not|i no longer want to|i no longer want|there's no need for|no more|we won't need|\
    i won't need|i don't plan to|we're no longer going to|\
    there is no need to|never mind about|never mind";

/// Ends of sentences about something that does not take place.
const CALLED_OFF: &str = "is cancelled|is canceled|was cancelled|was canceled|has been cancelled|has been canceled|\
    got cancelled|\
    is called off|was called off|has been called off|is no longer needed|is not needed anymore|isn't needed anymore|\
    is not needed|\
    isn't needed|is off|can go|can come off|can come off my list|can come off the list|comes off the list|\
    can be deleted|can be removed|can be dropped|can be scrapped|can be cancelled|\
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
    let leads = "delete|remove|cancel|erase|scrap|get rid of|give up on|i give up on|i'm giving up on|jack in|pack in|\
        drop|discard|scratch|call off|clear|wipe|purge|trash|i cancelled|\
        i've cancelled|i have cancelled|we cancelled|we've cancelled|we called off|i called off|forget about|forget|\
        bin off|bin|sack off|nix|kill off|kill|do away with|ditch|axe|throw out|throw away|chuck|chuck out|\
        i want to cancel|i'd like to cancel|i want to delete|i want to remove|i'd like to delete|i'd like to remove|\
        i need to cancel|eliminate";
    if let Some(target) = after_any(clause, NOT_NEEDED) {
        return of(before_end(target, "anymore|any more|any longer|after all").unwrap_or(target));
    }
    let called_off = before_end(clause, "for good|for ever|altogether").unwrap_or(clause);
    if let Some(target) = before_end(called_off, CALLED_OFF).filter(|target| !target.is_empty()) {
        return of(target);
    }
    if let Some(target) = after_any(clause, leads) {
        // "Chuck it on the list" adds it.
        if super::vocabulary::place_at(target).is_some_and(|(at, _)| target[at].is_one_of("on|onto|in|into|to")) {
            return None;
        }
        let place = "from my list|from the list|off my list|from my todo list|from my calendar|from the calendar|\
            from my todos|\
        from my tasks|from my agenda|off the list|from my schedule|from my habits|from my goals|from my events|\
        from the schedule|from my diary|from the diary|\
        from my to-do list|from my planner|out of my calendar|out of the calendar|off my calendar|off the calendar";
        let target = before_end(target, place).unwrap_or(target);
        return of(before_end(target, "any more|anymore|altogether|for good|completely|entirely").unwrap_or(target));
    }
    if let Some(pronoun) =
        before_end(clause, "out|off|away").filter(|rest| rest.len() == 2 && rest[1].is_one_of("it|that|this|them"))
    {
        return after(pronoun, "take").map(|target| Command::Delete { target });
    }
    if let Some(target) = after_any(clause, "call|sack|bin|blow")
        && let Some(target) = before_end(target, "off").filter(|target| !target.is_empty())
    {
        return of(target);
    }
    let taken = after_any(clause, "take|strike|get|scrub|wipe|pull|knock|have|kick|throw|rub")?;
    let taken = before_end(taken, "for good|altogether|completely|entirely|for ever|forever|please").unwrap_or(taken);
    let place = "off my list|off the list|off my calendar|off the calendar|off my todo list|off my agenda|\
        off my schedule|\
        off my plate|off the agenda|off my diary|off the schedule|off my to-do list|from my list|from the list|\
        from my calendar|from the calendar|out of my calendar|out of the calendar|out of my diary|out of my list|\
        out of my schedule|out of my life|off the books|out of the diary|out of my agenda";
    let object = before_end(taken, place);
    of(object.or_else(|| before_end(taken, "off").filter(|_| clause[0].is_one_of("take|scrub")))?)
}
