//! Word lists shared by several steps: beginnings of todos, events and commands, and nouns for a record's kind or
//! place.

use super::numbers::count;
use super::phrases::after_any;
use super::tokens::Token;
use super::words::{WordList, word_list};
use crate::record::Kind;

pub(in crate::language) static ADDING: WordList = WordList::new(|| word_list(include_str!("../words/adding.txt")));

/// Beginnings of sentences that create a todo.
pub(in crate::language) static TO_DO: WordList = WordList::new(|| word_list(include_str!("../words/to_do.txt")));

/// Beginnings of sentences about something that is already arranged.
pub(in crate::language) static ARRANGED: WordList = WordList::new(|| word_list(include_str!("../words/arranged.txt")));

/// The same, only together with a day and time; otherwise the sentence may report something done.
pub(in crate::language) const HAVING: &str =
    "i've got|i have|we've got|we have|i've|we've|i'm|we're|i am|we are|i'll be|we'll be|i will be|we will be|i got";

/// Nouns for events.
pub(in crate::language) static EVENTS: WordList = WordList::new(|| word_list(include_str!("../words/events.txt")));

/// Verbs that begin todos, so that "call the bank and email Jo" is two todos.
pub(in crate::language) static TASK_VERBS: WordList =
    WordList::new(|| word_list(include_str!("../words/task_verbs.txt")));

/// Beginnings of sentences about something that should not be done.
pub(in crate::language) const NOT_TO_DO: &str = "don't|dont|do not";

/// Words that occur in reasons.
pub(in crate::language) const WHY: &str = "not|can't|cannot|won't|don't|doesn't|isn't|aren't|no|longer|ill|sick|away|\
    busy|going|called|cancelled|canceled|\
    off|broken|closed|changed|forgot|fell|gave|decided|unwell|poorly|late|never|already|couldn't|didn't|wasn't|ran";

pub(in crate::language) static MOVING: WordList = WordList::new(|| word_list(include_str!("../words/moving.txt")));

/// Beginnings of a place without a noun such as "location".
pub(in crate::language) const ROOMS: &str = "room|office|hall|zoom|teams|studio|library|cafe|café|building|\
    online|conference|meeting-room|auditorium|\
    lobby|canteen|reception|boardroom|classroom|gym|floor";

/// Words after which a noun phrase begins that describes the noun before: "lunch with Sara".
pub(in crate::language) const PREPOSITIONS: &str =
    "with|w/|for|about|on|at|of|in|to|from|by|and|&|before|after|until|till|into|onto|over|under";

/// Returns whether the tokens begin like a todo.
#[must_use]
pub fn begins_with_task_verb(tokens: &[Token]) -> bool {
    tokens.first().is_some_and(|first| first.is_one_of(&TASK_VERBS))
}

/// Returns the kind that a noun names.
#[must_use]
pub fn kind_noun(word: &str) -> Option<Kind> {
    match word {
        "todo" | "to-do" | "task" | "reminder" | "todos" | "tasks" => Some(Kind::Todo),
        "event" | "events" => Some(Kind::Event),
        "habit" | "habits" | "routine" | "ritual" => Some(Kind::Habit),
        "goal" | "goals" | "objective" => Some(Kind::Goal),
        _ => None,
    }
}

/// Returns how many records are requested at once: "500 todos".
#[must_use]
pub fn asked_count(tokens: &[Token]) -> Option<u32> {
    let at = tokens.iter().position(|token| kind_noun(&token.lower).is_some() && token.lower.ends_with('s'))?;
    count(&tokens.get(at.checked_sub(1)?)?.lower)
}

/// Matches "set up a meeting", "make a todo", "put an event": the record does not exist yet.
pub fn names_new(clause: &[Token]) -> bool {
    let rest = after_any(clause, "set|make|put|schedule|plan|change|turn|have|let|pop|slide|drag|bring|carry")
        .unwrap_or_default();
    rest.first().is_some_and(|token| token.is_one_of("a|an|another|up|new|me|myself|us"))
}

/// Words for the list or the calendar.
const PLACES: &str = "list|calendar|agenda|schedule|todos|tasks|planner|diary|todo-list|to-dos";

/// Returns the position and length of "to my list", "on the calendar".
pub fn place_at(tokens: &[Token]) -> Option<(usize, usize)> {
    (0..tokens.len()).find_map(|at| {
        let rest = after_any(&tokens[at..], "to|on|onto|in|into|from")?;
        let rest = after_any(rest, "my|the|our")?;
        let rest = after_any(rest, "todo|to-do|task|to do").unwrap_or(rest);
        let named = rest.first().is_some_and(|token| token.is_one_of(PLACES));
        named.then(|| (at, tokens.len() - at - rest.len() + 1))
    })
}

/// Returns whether a list is named that is none of todos or of things to buy: "to the guest list".
pub fn names_other_list(tokens: &[Token]) -> bool {
    let of_other = |at: usize| {
        let rest = after_any(&tokens[at..], "to|on|onto|from").and_then(|rest| after_any(rest, "my|the|our"));
        matches!(rest, Some([kind, noun, ..]) if noun.is("list") && !kind.is_one_of("shopping|grocery|groceries"))
    };
    !names_place(tokens) && (0..tokens.len()).any(of_other)
}

/// Returns whether the tokens begin with a noun that is also a verb of change, without an object: "shift on Monday".
pub fn begins_with_shift(tokens: &[Token]) -> bool {
    const NO_OBJECTS: &str = "on|from|at|tomorrow|today|tonight|this|next|every";
    matches!(tokens, [first, next, ..] if first.is("shift") && next.is_one_of(NO_OBJECTS))
}

/// Nouns after which "book" is no verb: "book club".
pub(in crate::language) const OF_BOOKS: &str =
    "club|group|fair|launch|sale|festival|circle|swap|signing|exchange|reading|market|night|week|shop";

/// Returns whether the tokens begin with a compound of which the first word is no verb: "book club on Friday".
pub fn begins_with_compound(tokens: &[Token]) -> bool {
    matches!(tokens, [first, second, ..] if first.is("book") && second.is_one_of(OF_BOOKS))
}

/// Returns whether the list or the calendar is named.
pub fn names_place(tokens: &[Token]) -> bool {
    place_at(tokens).is_some()
}
