//! What a clause can ask for: a command with the words that belong to each part of it.

use super::Today;
use super::fields;
use super::moving;
use super::numbers::count;
use super::phrases::{after_any, before_end, has_any, listed, without_marks};
use super::priorities::priority_phrase;
use super::recognise as form;
use super::shift::Shift;
use super::tokens::Token;
use super::when::When;
use crate::record::{Kind, Priority};

/// A command with the words of its parts.
#[derive(Debug, Clone, Copy, PartialEq)]
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
    /// How long an event takes, or when it ends.
    End {
        target: &'t [Token],
        words: &'t [Token],
    },
    /// Where something takes place, or a note on it.
    Field {
        target: &'t [Token],
        field: Field,
        text: &'t [Token],
    },
    /// "swap X and Y": each takes the other's day and time.
    Swap {
        one: &'t [Token],
        other: &'t [Token],
    },
    /// A question or a greeting: to be answered, not planned.
    Chat,
    /// What is meant is not said.
    Unclear,
}

/// What a record has besides its title and its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    Location,
    Notes,
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

pub(super) const ADDING: &str = "add|create|new|jot down|write down|put down|note down|set up|i want to add|\
    i'd like to add|\
    set me|make me|i would like to add|pencil in|make a note of|take down";

/// What begins the sentence in which somebody sets a goal.
const GOALS: &str = "set myself a goal :|set myself a goal to|set myself the goal of|set myself the goal to|set myself a goal of|\
    i set myself the goal of|i set myself a goal :|i'm setting myself the goal of|i've set myself the goal of|\
    i've set myself the goal to|i set myself the target of|i set a goal to|my goal :|my new goal :|our goal is|\
    my objective is to|our aim is to|i aim to|i'm aiming to|my new goal is to|my goal is to|our goal is to|a new goal is to|a goal of mine is to|\
    my goal for this year is to|\
    my new goal is|my goal is|my aim is to|i want my goal to be to|i'm setting myself the goal to|\
    i set myself the goal to";

/// Verbs that add what a noun after them names, and else are the first word of a title: "log working hours".
const PLACING: &str = "schedule|put|plan|start|build|set|book|make|begin|arrange|organise|organize|track|log|\
    register|enter|insert|record|\
    reserve|open|drop|place|pencil|i want|i'd like|i would like|i need|we need|we want|give me|stick|pop|throw|include";

/// What begins a sentence about something that is arranged already.
pub(super) const ARRANGED: &str = "i have a|i have an|i've got a|i've got an|there's a|there's an|there is a|\
    there is an|we have a|we have an|\
    we've got a|we've got an|i'm having a|i am having a|there will be a|there will be an|there'll be a|there'll be an|\
    there's going to be a|we're having a|we are having a|i've a|we've a|i've an|there's the|i'm going to a|\
    we're going to a";

/// What begins a sentence about something to do.
pub(super) const TO_DO: &str = "remind me to|remind me that|remind me about|remind me of|remind me|remind us to|\
    ping me|nudge me|alert me|notify me|notify me to|tell me to|be reminded to|i need to|i have to|i must|\
    i've got to|i gotta|i got to|i should|i will|i'll|i want to|i'd like to|i would like to|i ought to|we need to|\
    we have to|we should|we must|\
    we've got to|we ought to|we'd better|i'd better|i had better|i better|i shall|i wanna|i'm supposed to|\
    i am supposed to|\
    i'm meant to|i mustn't forget to|i must not forget to|i must remember to|i need to remember to|\
    i have to remember to|\
    i shouldn't forget to|i can't forget to|i don't want to forget to|i'm going to|i am going to|i'm planning to|\
    i plan to|\
    i intend to|i promised to|i'm to|need to|have to|got to|gotta|want to|don't forget to|do not forget to|\
    don't let me forget to|don't let me forget about|don't let me forget that|don't let me forget|\
    help me remember to|help me to remember to|never forget to|\
    give me a reminder to|give me a reminder about|send me a reminder to|ping me to|ping me about|nudge me to|\
    nudge me about|\
    alert me to|let me remember to|remember to|keep in mind to|keep in mind that|make a note to|make a note that|\
    make a note that|\
    make a note :|make a note about|take a note to|note :|note that|make sure to|make sure i|make sure that i|\
    make sure we|be sure to|note to self|\
    memo to self|memo :|it's time to|time to|don't forget about|don't forget that|don't forget|remember|must|\
    it's necessary to|to do :|\
    remind myself to|i need a reminder to|i need a reminder about|i need reminding to|i'd like a reminder to|\
    i'd like to be reminded to|\
    i want to be reminded to|i need to be reminded to|on my list :|not to forget :|better not forget to|\
    mustn't forget to|must remember to";

const QUESTIONS: &str = "what|what's|whats|when|when's|which|how|who|why|where|do i|am i|is there|are there|show|\
    list|tell me|hello|hi|\
    hey|thanks|thank you|good morning|good evening|did i|have i|can i|should i|help|give me|could i|how's|who's|\
    yes|no|summarise|summarize|explain|what are|is my|do you|are you|will i|did you";

/// In the order in which they are tried: what is said more closely first.
const RECOGNISERS: [Recogniser; 16] = [
    moving::from_now_on,
    form::note,
    fields::field,
    fields::swap,
    fields::ending,
    form::goal_items,
    form::stop_repeating,
    form::renaming,
    form::prioritising,
    form::completing,
    moving::moving,
    form::repeating,
    moving::instead,
    moving::placing,
    form::deleting,
    form::changing,
];

type Recogniser = for<'t> fn(&'t [Token], Today) -> Option<Command<'t>>;

/// The command of a clause without its courtesies.
#[must_use]
pub fn command(clause: &[Token], today: Today) -> Command<'_> {
    let clause = without_marks(clause);
    let changing =
        before_end(clause, "now|already|again|instead").filter(|shorter| !shorter.is_empty()).unwrap_or(clause);
    RECOGNISERS
        .into_iter()
        .find_map(|recognise| recognise(changing, today).or_else(|| recognise(clause, today)))
        .or_else(|| blocking(clause, today))
        .or_else(|| creating(clause))
        .unwrap_or_else(|| bare(clause))
}

fn bare(clause: &[Token]) -> Command<'_> {
    if after_any(clause, QUESTIONS).is_some() {
        return Command::Chat;
    }
    if after_any(clause, "skip|undo|redo").is_some() {
        return Command::Unclear;
    }
    Command::Create { kind: None, priority: None, subject: clause, certain: false }
}

/// "Block Friday 9-12 for deep work": a time that is kept.
fn blocking(clause: &[Token], today: Today) -> Option<Command<'_>> {
    let subject = after_any(clause, "block out|block off|block|keep|hold|reserve|set aside|save")?;
    let when = When::read(subject, today);
    let begins = when.used.first() == Some(&true) && (when.date.is_some() || when.time.is_some());
    let names = has_any(subject, "for");
    (begins && names).then_some(Command::Create { kind: Some(Kind::Event), priority: None, subject, certain: true })
}

fn creating(clause: &[Token]) -> Option<Command<'_>> {
    if let Some(subject) = after_any(clause, TO_DO) {
        // "I need to add a task to …" asks for a task.
        let adds = after_any(subject, ADDING).is_some();
        let sets_up =
            |command: &Command<'_>| matches!(command, Command::Create { kind: Some(Kind::Habit | Kind::Goal), .. });
        let asked = creating(subject).filter(|command| adds || sets_up(command));
        return asked.or(Some(Command::Create { kind: Some(Kind::Todo), priority: None, subject, certain: true }));
    }
    if let Some(subject) = after_any(clause, GOALS) {
        return Some(Command::Create { kind: Some(Kind::Goal), priority: None, subject, certain: true });
    }
    if after_any(clause, ARRANGED).is_some_and(|rest| !rest.is_empty()) {
        return Some(Command::Create { kind: None, priority: None, subject: clause, certain: true });
    }
    let verb = after_any(clause, ADDING);
    let placed = || after_any(clause, PLACING);
    let (rest, verb_is_title) = match verb {
        Some(rest) => (rest, false),
        None => match placed() {
            Some(rest) => (rest, true),
            None => (clause, true),
        },
    };
    let noun = Noun::read(rest);
    let is_thing = noun.kind.is_some() || noun.place;
    if verb_is_title && let Some(subject) = arranged_event(rest).filter(|_| rest.len() < clause.len()) {
        return Some(Command::Create { kind: Some(Kind::Event), priority: None, subject, certain: true });
    }
    match (verb_is_title, is_thing) {
        (false, _) => Some(noun.create(true)),
        // "Book a table" keeps its verb; "book a meeting" and "todo: …" do not.
        (true, true) if rest.len() < clause.len() || noun.marked => Some(noun.create(true)),
        // "Todo buy eggs": the noun alone at the beginning.
        (true, true) if first_is_noun(clause) => Some(noun.create(true)),
        (true, _) if after_any(clause, "put|schedule").is_some() => Some(noun.create(true)),
        _ => None,
    }
}

fn first_is_noun(clause: &[Token]) -> bool {
    matches!(clause, [first, _, ..] if first.is_one_of("todo|to-do|task|reminder"))
}

/// "a meeting with Ann" after "book", "arrange" and the like.
fn arranged_event(rest: &[Token]) -> Option<&[Token]> {
    let subject = after_any(rest, "a|an|another|the")?;
    let named = subject.iter().take(2).any(|token| listed(super::titles::EVENTS, &token.lower) && !token.quoted);
    named.then_some(subject)
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
            } else if first.is_one_of(
                "a|an|the|new|another|my|me|one|this|following|up|urgent|important|recurring|repeating|quick|regular|\
                    little|small|short|big|simple|single",
            ) {
                noun.priority = noun.priority.or(first.is_one_of("urgent|important").then_some(Priority::High));
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
        rest = after_any(rest, "item|entry").unwrap_or(rest);
        // "a reminder in for Monday": the particle of the verb.
        let particle = after_any(rest, "in|down|up")
            .filter(|rest| rest.first().is_some_and(|next| next.is_one_of("for|on|to|:|that")));
        rest = particle.unwrap_or(rest);
        noun.kind = Some(kind);
        let parted =
            "to|for|called|named|titled|:|that|of|about|with the title|-|–|—|saying|which says|where i|so i|so that i";
        if let Some(after_mark) = after_any(rest, parted) {
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
        "habit" | "habits" | "routine" | "ritual" => Some(Kind::Habit),
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
