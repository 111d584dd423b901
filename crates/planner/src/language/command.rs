//! What a clause asks for: its command and the words that belong to each part of it. Nothing is looked up here.

use super::Today;
use super::numbers::count;
use super::phrases::{after, after_any, around, before_end, has_any, without_marks};
use super::shift::Shift;
use super::tokens::Token;
use super::when::{When, level, priority_phrase};
use crate::record::{Kind, Priority};

/// A command with the words of its parts.
#[derive(Debug, Clone, PartialEq)]
pub enum Command<'t> {
    /// `subject` holds what and when. `certain`: it was asked for by "add", "remind me to" and the like.
    Create {
        kind: Option<Kind>,
        priority: Option<Priority>,
        subject: &'t [Token],
        certain: bool,
    },
    /// To move what is there, else to create: "schedule", "put … on Friday".
    Place {
        target: &'t [Token],
        when: &'t [Token],
        subject: &'t [Token],
    },
    Move {
        target: &'t [Token],
        to: Destination<'t>,
    },
    Rename {
        target: &'t [Token],
        title: &'t [Token],
    },
    Prioritise {
        target: &'t [Token],
        priority: Priority,
    },
    Complete {
        target: &'t [Token],
        done: bool,
    },
    Delete {
        target: &'t [Token],
    },
    Repeat {
        target: &'t [Token],
        when: &'t [Token],
    },
    StopRepeating {
        target: &'t [Token],
    },
    /// "change X to Y": a new date, rule, priority or title, whichever Y is.
    Change {
        target: &'t [Token],
        to: &'t [Token],
    },
    Note {
        target: &'t [Token],
        text: &'t [Token],
    },
    AddToGoal {
        item: &'t [Token],
        goal: &'t [Token],
    },
    Progress {
        goal: &'t [Token],
        value: f64,
    },
    /// A question or a greeting: to be answered, not planned.
    Chat,
    /// What is meant is not said.
    Unclear,
}

/// Where something is moved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Destination<'t> {
    When(&'t [Token]),
    By(Shift),
    NoDate,
    /// It was not said.
    Nowhere,
}

const ADDING: [&str; 16] = [
    "add",
    "create",
    "new",
    "enter",
    "insert",
    "jot down",
    "write down",
    "put down",
    "set up",
    "i want to add",
    "i'd like to add",
    "log",
    "register",
    "set me",
    "make me",
    "i would like to add",
];

/// What begins a sentence about something to do.
const TO_DO: [&str; 38] = [
    "remind me to",
    "remind me that",
    "remind me about",
    "remind me of",
    "remind me",
    "remind us to",
    "i need to",
    "i have to",
    "i must",
    "i've got to",
    "i gotta",
    "i should",
    "i will",
    "i'll",
    "i want to",
    "i'd like to",
    "i ought to",
    "we need to",
    "we have to",
    "we should",
    "need to",
    "have to",
    "gotta",
    "don't forget to",
    "dont forget to",
    "do not forget to",
    "don't let me forget to",
    "remember to",
    "make sure to",
    "make sure i",
    "make sure that i",
    "be sure to",
    "note to self",
    "it's time to",
    "don't forget",
    "dont forget",
    "remember",
    "must",
];

const MOVING: [&str; 16] = [
    "move",
    "reschedule",
    "postpone",
    "push",
    "delay",
    "shift",
    "defer",
    "snooze",
    "bring",
    "put off",
    "re-schedule",
    "advance",
    "change the date of",
    "change the time of",
    "change the day of",
    "change the due date of",
];

const QUESTIONS: [&str; 40] = [
    "what",
    "what's",
    "whats",
    "when",
    "when's",
    "which",
    "how",
    "who",
    "why",
    "where",
    "do i",
    "am i",
    "is there",
    "are there",
    "show",
    "list",
    "tell me",
    "hello",
    "hi",
    "hey",
    "thanks",
    "thank you",
    "good morning",
    "good evening",
    "did i",
    "have i",
    "can i",
    "should i",
    "help",
    "give me",
    "could i",
    "how's",
    "who's",
    "yes",
    "no",
    "summarise",
    "summarize",
    "explain",
    "what are",
    "is my",
];

type Recogniser = for<'t> fn(&'t [Token], Today) -> Option<Command<'t>>;

/// The command of a clause without its courtesies.
#[must_use]
pub fn command<'t>(clause: &'t [Token], today: Today) -> Command<'t> {
    let clause = without_marks(clause);
    const RECOGNISERS: [Recogniser; 12] = [
        note,
        goal_items,
        stop_repeating,
        renaming,
        prioritising,
        completing,
        moving,
        progress,
        repeating,
        placing,
        deleting,
        changing,
    ];
    RECOGNISERS
        .into_iter()
        .find_map(|recognise| recognise(clause, today))
        .or_else(|| creating(clause))
        .unwrap_or_else(|| bare(clause))
}

fn bare(clause: &[Token]) -> Command<'_> {
    if after_any(clause, &QUESTIONS).is_some() {
        return Command::Chat;
    }
    Command::Create { kind: None, priority: None, subject: clause, certain: false }
}

fn note(clause: &[Token], _: Today) -> Option<Command<'_>> {
    let rest = after_any(
        clause,
        &[
            "add a note to",
            "add note to",
            "add notes to",
            "add a comment to",
            "note for",
            "add a note for",
            "attach a note to",
        ],
    )?;
    let at = (1..rest.len()).find(|at| rest[*at].is(":") || rest[*at].quoted)?;
    let text = if rest[at].is(":") { &rest[at + 1..] } else { &rest[at..] };
    (!text.is_empty()).then_some(Command::Note { target: &rest[..at], text })
}

fn goal_items(clause: &[Token], _: Today) -> Option<Command<'_>> {
    let rest = after_any(clause, &["add", "put", "link", "attach", "connect", "assign"])?;
    let phrases = [
        "to the goal",
        "to goal",
        "to my goal",
        "under the goal",
        "under goal",
        "under my goal",
        "with the goal",
        "with goal",
        "with my goal",
    ];
    let (item, goal) = around(rest, &phrases)?;
    (!item.is_empty() && !goal.is_empty()).then_some(Command::AddToGoal { item, goal })
}

fn progress(clause: &[Token], _: Today) -> Option<Command<'_>> {
    let rest = after_any(clause, &["set", "update", "change", "log", "record"])?;
    let rest = after_any(
        rest,
        &["the progress of", "progress of", "the progress on", "progress on", "progress for", "the goal", "goal"],
    )?;
    let (goal, value) = around(rest, &["progress to", "to", "at"])?;
    let [value] = without_marks(value) else { return None };
    let value =
        value.lower.trim_end_matches('%').parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0)?;
    Some(Command::Progress { goal: before_end(goal, &["progress"]).unwrap_or(goal), value })
}

fn stop_repeating(clause: &[Token], _: Today) -> Option<Command<'_>> {
    let of = |target| Some(Command::StopRepeating { target });
    let leads = [
        "stop repeating",
        "don't repeat",
        "do not repeat",
        "no longer repeat",
        "stop recurring",
        "remove the repetition from",
        "remove the recurrence from",
        "remove recurrence from",
        "turn off repeating for",
        "remove repeat from",
        "stop the repetition of",
    ];
    if let Some(target) = after_any(clause, &leads) {
        return of(target);
    }
    let ends = [
        "should no longer repeat",
        "should not repeat",
        "shouldn't repeat",
        "not repeat",
        "not repeating",
        "non-repeating",
        "stop repeating",
        "no longer repeats",
        "should stop repeating",
        "not recurring",
        "non-recurring",
        "from repeating",
        "a one-off",
        "one-off",
    ];
    let target = before_end(clause, &ends)?;
    of(after_any(target, &["make", "stop", "let", "set"]).unwrap_or(target))
}

fn renaming(clause: &[Token], _: Today) -> Option<Command<'_>> {
    let rename = |target, title| Some(Command::Rename { target, title });
    if let Some(rest) = after_any(clause, &["rename", "retitle", "re-name"]) {
        return match around(rest, &["to", "as", "into", "->", "=>"]) {
            Some((target, title)) => rename(target, title),
            None => rename(rest, &[]),
        };
    }
    let leads = [
        "change the title of",
        "change title of",
        "change the name of",
        "change name of",
        "set the title of",
        "set title of",
        "update the title of",
    ];
    if let Some(rest) = after_any(clause, &leads) {
        let (target, title) = around(rest, &["to", "as", "into"])?;
        return rename(target, title);
    }
    let (target, title) = around(
        clause,
        &[
            "should be called",
            "should be named",
            "should be titled",
            "should be renamed to",
            "should now be called",
            "is now called",
            "is called now",
        ],
    )?;
    rename(target, title)
}

fn prioritising(clause: &[Token], _: Today) -> Option<Command<'_>> {
    let of = |target, priority| Some(Command::Prioritise { target, priority });
    let leads = [
        "set the priority of",
        "set priority of",
        "change the priority of",
        "change priority of",
        "set the priority for",
        "set priority for",
        "raise the priority of",
        "lower the priority of",
        "increase the priority of",
        "make the priority of",
    ];
    if let Some(rest) = after_any(clause, &leads) {
        let (target, word) = around(rest, &["to", "as"])?;
        return of(target, level(&without_marks(word).first()?.lower)?);
    }
    if let Some(target) = after_any(clause, &["prioritise", "prioritize"]) {
        return of(target, Priority::High);
    }
    let (rest, asked) = match after_any(clause, &["make", "set", "mark", "give", "change", "flag", "raise", "lower"]) {
        Some(rest) => (rest, true),
        None => (clause, false),
    };
    let at = (1..rest.len()).find(|at| whole_priority(&rest[*at..]).is_some())?;
    let (target, priority) = (&rest[..at], whole_priority(&rest[at..])?);
    let target = before_end(target, &["should be", "is", "as", "to", "to be", "a", "should have", "has"])
        .map_or((target, false), |shorter| (shorter, true));
    // "fix the roof, urgent" is something to do; "the roof is urgent" is said of one that is there.
    let said_of = asked || (target.1 && has_any(&rest[..at], &["is", "should", "has"]));
    (said_of && !has_any(target.0, &["todo", "task"])).then(|| of(target.0, priority)).flatten()
}

/// Nothing but a priority.
fn whole_priority(tokens: &[Token]) -> Option<Priority> {
    let tokens = after_any(tokens, &["as", "to"]).unwrap_or(tokens);
    let (length, priority) = priority_phrase(tokens)?;
    (length == tokens.len()).then_some(priority)
}

fn completing(clause: &[Token], _: Today) -> Option<Command<'_>> {
    let of = |target, done| Some(Command::Complete { target, done });
    if let Some(target) = after_any(clause, &["reopen", "uncheck", "untick", "unmark", "re-open", "uncomplete"]) {
        return of(target, false);
    }
    if let Some(rest) = after_any(clause, &["mark", "set", "flag"]) {
        let undone = [
            "as not done",
            "not done",
            "as undone",
            "undone",
            "as incomplete",
            "incomplete",
            "as open",
            "as not completed",
            "as pending",
            "as unfinished",
        ];
        if let Some(target) = without_when(rest, &undone) {
            return of(target, false);
        }
        let done = [
            "as done",
            "done",
            "as complete",
            "as completed",
            "complete",
            "completed",
            "as finished",
            "finished",
            "to done",
            "to completed",
            "as being done",
            "off",
        ];
        return of(without_when(rest, &done)?, true);
    }
    let leads = [
        "done with",
        "complete",
        "check off",
        "tick off",
        "cross off",
        "i'm done with",
        "i am done with",
        "i have finished",
        "i've finished",
        "i finished",
        "i have completed",
        "i've completed",
        "i completed",
        "i have done",
        "i've done",
        "i did",
        "finished",
        "completed",
        "done",
        "check",
        "tick",
        "close",
        "i just finished",
        "i just did",
        "i just completed",
        "finished with",
        "i'm finished with",
    ];
    if let Some(target) = after_any(clause, &leads) {
        let target = before_end(target, &["off", "off my list", "off the list"]).unwrap_or(target);
        return of(after(target, ":").unwrap_or(target), true);
    }
    let ends = [
        "is done",
        "is finished",
        "is complete",
        "is completed",
        "are done",
        "has been done",
        "was done",
        "done",
        "- done",
        "is done now",
        "is now done",
        "completed",
        "finished",
        "has been completed",
    ];
    of(without_when(clause, &ends)?, true)
}

/// The words before one of the phrases, which stand at the end or before a day: "… as done yesterday". With that day, where it is said.
fn without_when<'t>(tokens: &'t [Token], phrases: &[&str]) -> Option<&'t [Token]> {
    if let Some(before) = before_end(tokens, phrases) {
        return Some(before);
    }
    let day_words = ["for", "today", "yesterday", "on", "tomorrow"];
    let longest_first = |at: &usize| {
        phrases.iter().any(|phrase| {
            after(&tokens[*at..], phrase)
                .is_some_and(|rest| rest.first().is_some_and(|next| next.is_one_of(&day_words)))
        })
    };
    (1..tokens.len()).find(longest_first).map(|_| tokens)
}

fn deleting(clause: &[Token], _: Today) -> Option<Command<'_>> {
    let of = |target| Some(Command::Delete { target });
    let leads = [
        "delete",
        "remove",
        "cancel",
        "erase",
        "scrap",
        "get rid of",
        "drop",
        "discard",
        "call off",
        "clear",
        "wipe",
        "purge",
        "trash",
        "i cancelled",
        "forget about",
    ];
    if let Some(target) = after_any(clause, &leads) {
        let place = [
            "from my list",
            "from the list",
            "off my list",
            "from my todo list",
            "from my calendar",
            "from the calendar",
            "from my todos",
            "from my tasks",
            "from my agenda",
            "off the list",
            "from my schedule",
        ];
        return of(before_end(target, &place).unwrap_or(target));
    }
    let taken = after_any(clause, &["take", "strike", "cross"])?;
    of(before_end(
        taken,
        &["off my list", "off the list", "off my calendar", "off", "off my todo list", "from my list"],
    )?)
}

fn moving(clause: &[Token], today: Today) -> Option<Command<'_>> {
    let of = |target, to| Some(Command::Move { target, to });
    let takes_off = [
        "remove the date from",
        "remove the due date from",
        "clear the date of",
        "clear the date from",
        "unschedule",
        "remove the deadline from",
        "take the date off",
        "delete the date of",
        "delete the date from",
        "remove the date of",
    ];
    if let Some(target) = after_any(clause, &takes_off) {
        return of(target, Destination::NoDate);
    }
    if let Some(rest) = after_any(clause, &MOVING) {
        let (target, to) = destination(rest, today);
        return of(target, to);
    }
    let said = [
        "should be due",
        "should be on",
        "should be moved to",
        "is now on",
        "is moved to",
        "is due",
        "is postponed to",
        "has been moved to",
        "should be at",
        "should move to",
        "should happen",
        "was moved to",
        "got moved to",
        "is now at",
        "is rescheduled to",
        "should be",
    ];
    let (target, when) = around(clause, &said)?;
    (When::read(when, today).is_all(when) && !When::read(when, today).priority.is_some())
        .then(|| of(target, Destination::When(when)))
        .flatten()
}

/// Parts a target from where it is moved: the longest end that says nothing but when, or by how much.
fn destination<'t>(tokens: &'t [Token], today: Today) -> (&'t [Token], Destination<'t>) {
    let particle = |target: &'t [Token]| {
        let shorter = before_end(target, &["forward", "back", "up", "off", "over", "out", "ahead"]);
        shorter.filter(|shorter| !shorter.is_empty()).unwrap_or(target)
    };
    for at in 1..tokens.len() {
        if let Some(shift) = Shift::read(&tokens[at..]) {
            return (&tokens[..at], Destination::By(shift));
        }
        let rest = &tokens[at..];
        let when = after_any(rest, &["to", "until", "till", "onto", "for", "into"])
            .filter(|rest| !rest.is_empty())
            .unwrap_or(rest);
        let read = When::read(when, today);
        if read.is_all(when) && !read.several {
            return (particle(&tokens[..at]), Destination::When(when));
        }
    }
    (tokens, Destination::Nowhere)
}

fn repeating(clause: &[Token], today: Today) -> Option<Command<'_>> {
    let lead = after_any(clause, &["repeat", "make", "set", "let", "change", "have", "turn"]);
    let rest = lead.unwrap_or(clause);
    let said = [
        "should repeat",
        "should recur",
        "to repeat",
        "repeat",
        "recur",
        "repeats",
        "recurring",
        "into a habit",
        "should be",
        "should happen",
        "to",
    ];
    for at in 1..rest.len() {
        let after_target = &rest[at..];
        let when_words = after_any(after_target, &said).unwrap_or(after_target);
        let when = When::read(when_words, today);
        if when.repeat.is_some() && when.is_all(when_words) {
            let spoken = lead.is_some() || !std::ptr::eq(when_words, after_target);
            return spoken.then_some(Command::Repeat { target: &rest[..at], when: when_words });
        }
    }
    after(clause, "repeat").map(|target| Command::Repeat { target, when: &[] })
}

fn placing(clause: &[Token], today: Today) -> Option<Command<'_>> {
    let rest = after_any(clause, &["schedule", "put", "set", "plan", "fix"])?;
    // "schedule a meeting" is a new one.
    let is_new = rest.first().is_some_and(|token| token.is_one_of(&["a", "an", "another", "up", "new"]));
    let names_place = has_any(rest, &["calendar", "list", "agenda", "diary"])
        || has_any(&rest[..rest.len().min(2)], &["goal", "reminder"]);
    if is_new || names_place || after(clause, "plan").is_some() || after(clause, "fix").is_some() {
        return None;
    }
    let (target, to) = destination(rest, today);
    match to {
        Destination::When(when) => Some(Command::Place { target, when, subject: rest }),
        _ if after(clause, "schedule").is_some() => Some(Command::Place { target, when: &[], subject: rest }),
        _ => None,
    }
}

fn changing(clause: &[Token], _: Today) -> Option<Command<'_>> {
    let rest = after_any(clause, &["change", "update", "edit", "modify", "set", "turn"])?;
    match around(rest, &["to", "into"]) {
        Some((target, to)) => Some(Command::Change { target, to }),
        None => Some(Command::Unclear),
    }
}

fn creating(clause: &[Token]) -> Option<Command<'_>> {
    if let Some(subject) = after_any(clause, &TO_DO) {
        return Some(Command::Create { kind: Some(Kind::Todo), priority: None, subject, certain: true });
    }
    let verb = after_any(clause, &ADDING);
    let placed = || {
        after_any(
            clause,
            &[
                "schedule", "put", "plan", "start", "build", "set", "book", "make", "begin", "arrange", "organise",
                "organize", "track",
            ],
        )
    };
    let (rest, verb_is_title) = match verb {
        Some(rest) => (rest, false),
        None => match placed() {
            Some(rest) => (rest, true),
            None => (clause, true),
        },
    };
    let noun = Noun::read(rest);
    let is_thing = noun.kind.is_some() || noun.place;
    match (verb_is_title, is_thing) {
        (false, _) => Some(noun.create(true)),
        // "Book a table" keeps its verb; "book a meeting" and "todo: …" do not.
        (true, true) if rest.len() < clause.len() || noun.marked => Some(noun.create(true)),
        (true, _) if after_any(clause, &["put", "schedule"]).is_some() => Some(noun.create(true)),
        _ => None,
    }
}

/// What is to be added: "a high priority task to …", "event: …", "a goal of …".
struct Noun<'t> {
    kind: Option<Kind>,
    priority: Option<Priority>,
    subject: &'t [Token],
    /// A mark or "to" parts the noun from its subject.
    marked: bool,
    /// The calendar or the list is named.
    place: bool,
}

impl<'t> Noun<'t> {
    fn read(tokens: &'t [Token]) -> Self {
        let place = super::create::names_place(tokens);
        let mut noun = Self { kind: None, priority: None, subject: tokens, marked: false, place };
        let mut rest = tokens;
        while let Some(first) = rest.first() {
            if let Some((length, priority)) = priority_phrase(rest).filter(|_| noun.kind.is_none()) {
                noun.priority = Some(priority);
                rest = &rest[length..];
            } else if first.is_one_of(&[
                "a",
                "an",
                "the",
                "new",
                "another",
                "my",
                "me",
                "one",
                "this",
                "following",
                "up",
                "urgent",
                "important",
            ]) {
                noun.priority = noun.priority.or(first.is_one_of(&["urgent", "important"]).then_some(Priority::High));
                rest = &rest[1..];
            } else {
                break;
            }
        }
        let named = rest.first().and_then(|token| kind_noun(&token.lower).filter(|_| !token.quoted));
        let Some(kind) = named else {
            // "add urgent: …": the mark parts it too.
            noun.subject = if noun.priority.is_some() { rest } else { tokens };
            return noun;
        };
        rest = &rest[1..];
        rest = after_any(rest, &["item", "entry"]).unwrap_or(rest);
        noun.kind = Some(kind);
        let parted = [
            "to",
            "for",
            "called",
            "named",
            "titled",
            ":",
            "that",
            "of",
            "about",
            "with the title",
            "-",
            "–",
            "saying",
            "which says",
        ];
        if let Some(after_mark) = after_any(rest, &parted) {
            noun.marked = true;
            rest = after_mark;
        }
        noun.subject = rest;
        noun
    }

    fn create(self, certain: bool) -> Command<'t> {
        Command::Create { kind: self.kind, priority: self.priority, subject: self.subject, certain }
    }
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
