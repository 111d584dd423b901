//! Words that several steps of the reading go by: how things to do, events and commands begin, and what names a record's kind or place.

use super::numbers::count;
use super::phrases::after_any;
use super::tokens::Token;
use crate::record::Kind;

/// Words that add something.
pub(super) const ADDING: &str = "add|create|new|jot down|write down|put down|note down|set up|i want to add|i'd like to add|\
    set me|make me|i would like to add";

/// What begins a sentence about something to do.
pub(super) const TO_DO: &str = "remind me to|remind me that|remind me about|remind me of|remind me|remind us to|i need to|i have to|i must|\
    i've got to|i gotta|i should|i will|i'll|i want to|i'd like to|i ought to|we need to|we have to|we should|\
    need to|have to|gotta|don't forget to|dont forget to|do not forget to|don't let me forget to|remember to|\
    note :|note that|make sure to|make sure i|make sure that i|be sure to|note to self|it's time to|don't forget|dont forget|\
    remember|must";

/// Nouns of what takes place at a time.
pub(super) const EVENTS: &str = "meeting|appointment|lunch|dinner|breakfast|brunch|party|concert|conference|interview|flight|wedding|webinar|\
    workshop|lecture|ceremony|standup|stand-up|retrospective|retro|seminar|reception|check-up|checkup|catch-up|\
    catchup|sync|1:1|one-on-one|birthday|festival|exam|rehearsal|match|game|picnic|barbecue|bbq|coffee|drinks|\
    demo|keynote|call|class|session|date|haircut|training|gig|graduation|massage|physio|inspection|tour|hike|viewing|party";

/// Verbs with which things to do begin, so that "call the bank and email Jo" is two of them.
pub(super) const DOING: &str = "call|email|buy|book|send|write|read|pay|clean|wash|cook|bake|fix|pick|order|check|prepare|review|finish|\
    submit|plan|organise|organize|visit|meet|ask|text|message|water|feed|walk|take|bring|get|return|renew|update|\
    file|print|sign|schedule|cancel|post|drop|collect|ring|research|draft|study|practice|practise|iron|vacuum|mow|\
    sort|pack|phone|reply|answer|paint|repair|replace|confirm|register|apply|invite|charge|tidy|empty|measure|\
    download|back";

/// Words that name the list or the calendar as the place of a record.
const PLACES: &str = "list|calendar|agenda|schedule|todos|tasks|planner|diary|todo-list|to-dos";

/// Where "to my list", "on the calendar" stands, and how long it is.
pub(super) fn place_at(tokens: &[Token]) -> Option<(usize, usize)> {
    (0..tokens.len()).find_map(|at| {
        let rest = after_any(&tokens[at..], "to|on|onto|in|into|from")?;
        let rest = after_any(rest, "my|the|our")?;
        let rest = after_any(rest, "todo|to-do|task|to do").unwrap_or(rest);
        let named = rest.first().is_some_and(|token| token.is_one_of(PLACES));
        named.then(|| (at, tokens.len() - at - rest.len() + 1))
    })
}

/// Whether the list or the calendar is named.
pub fn names_place(tokens: &[Token]) -> bool {
    place_at(tokens).is_some()
}

/// Whether it begins as a thing to do does.
#[must_use]
pub fn begins_with_doing(tokens: &[Token]) -> bool {
    tokens.first().is_some_and(|first| first.is_one_of(DOING))
}

/// The kind that a noun names.
#[must_use]
pub fn kind_noun(word: &str) -> Option<Kind> {
    match word {
        "todo" | "to-do" | "task" | "reminder" | "todos" | "tasks" => Some(Kind::Todo),
        "event" | "events" => Some(Kind::Event),
        "habit" | "habits" | "routine" => Some(Kind::Habit),
        "goal" | "goals" | "objective" => Some(Kind::Goal),
        _ => None,
    }
}

/// How many are asked for at once: "500 todos".
#[must_use]
pub fn asked_count(tokens: &[Token]) -> Option<u32> {
    let at = tokens.iter().position(|token| kind_noun(&token.lower).is_some() && token.lower.ends_with('s'))?;
    count(&tokens.get(at.checked_sub(1)?)?.lower)
}
