//! Determines the command of a clause from its words alone, without looking up records.

use super::command::Command;
use super::completing;
use super::deleting;
use super::fields;
use super::moving;
use super::recognise as form;
use crate::language::Today;
use crate::language::text::numbers;
use crate::language::text::past_forms;
use crate::language::text::phrases::{after_any, before_end, has_any, listed, without_marks};
use crate::language::text::tokens::Token;
use crate::language::text::vocabulary::{self, ADDING, ARRANGED, EVENTS, HAVING, TO_DO, kind_noun, names_place};
use crate::language::text::words::{WordList, word_list};
use crate::language::values::priorities::priority_phrase;
use crate::language::values::when::When;
use crate::record::{Kind, Priority};

/// Beginnings of sentences that set a goal.
const GOALS: &str = "set myself a goal :|set myself a goal to|set myself the goal of|set myself the goal to|\
    set myself a goal of|\
    i set myself the goal of|i set myself a goal :|i'm setting myself the goal of|i've set myself the goal of|\
    i've set myself the goal to|i set myself the target of|i set a goal to|my goal :|my new goal :|our goal is|\
    my objective is to|our aim is to|i aim to|i'm aiming to|my new goal is to|my goal is to|our goal is to|\
    a new goal is to|a goal of mine is to|\
    my goal for this year is to|\
    my new goal is|my goal is|my aim is to|i want my goal to be to|i'm setting myself the goal to|\
    i set myself the goal to";

/// Verbs that create the record named by the following noun. Otherwise they are the first word of a title: "log working
/// hours".
static PLACING: WordList = WordList::new(|| word_list(include_str!("../words/placing.txt")));

static QUESTIONS: WordList = WordList::new(|| word_list(include_str!("../words/questions.txt")));

/// The recognisers in the order in which they are tried, the most specific first.
const RECOGNISERS: [Recogniser; 17] = [
    moving::from_now_on,
    form::missing_value,
    form::note,
    fields::field,
    fields::swap,
    fields::ending,
    form::goal_items,
    form::stop_repeating,
    form::renaming,
    form::prioritising,
    completing::completing,
    moving::moving,
    form::repeating,
    moving::instead,
    moving::placing,
    deleting::deleting,
    form::changing,
];

type Recogniser = for<'t> fn(&'t [Token], Today) -> Option<Command<'t>>;

/// Returns the command of a clause whose courtesies were removed.
#[must_use]
pub fn command(clause: &[Token], today: Today) -> Command<'_> {
    let clause = without_marks(clause);
    let changing =
        before_end(clause, "now|already|again|instead|for me").filter(|shorter| !shorter.is_empty()).unwrap_or(clause);
    RECOGNISERS
        .into_iter()
        .find_map(|recognise| recognise(changing, today).or_else(|| recognise(clause, today)))
        .or_else(|| time_block(clause, today))
        .or_else(|| creating(clause, today))
        .unwrap_or_else(|| bare(clause))
}

fn bare(clause: &[Token]) -> Command<'_> {
    if after_any(clause, "what a|what an|how nice|how lovely|how awful|how annoying").is_some() {
        return Command::Unclear;
    }
    if after_any(clause, &QUESTIONS).is_some() {
        return Command::Chat;
    }
    if after_any(clause, "skip|undo|redo").is_some() {
        return Command::Unclear;
    }
    Command::Create { kind: None, priority: None, subject: clause, certain: false }
}

/// Recognises "Block Friday 9-12 for deep work": reserves a time.
fn time_block(clause: &[Token], today: Today) -> Option<Command<'_>> {
    let subject = after_any(clause, "block out|block off|block|keep|hold|reserve|set aside|save")?;
    let subject = after_any(subject, "my calendar|my diary|the calendar|out my calendar|my time").unwrap_or(subject);
    let when = When::read(subject, today);
    let begins = when.used.first() == Some(&true) && (when.date.is_some() || when.time.is_some());
    let names = has_any(subject, "for|:");
    (begins && names).then_some(Command::Create { kind: Some(Kind::Event), priority: None, subject, certain: true })
}

fn creating(clause: &[Token], today: Today) -> Option<Command<'_>> {
    // "I'll be doing my taxes on Sunday from 2 to 4".
    let continues = after_any(clause, "i'll be|we'll be|i will be|we will be")
        .is_some_and(|rest| rest.first().is_some_and(|first| first.lower.ends_with("ing")));
    if continues && has_on_a_day(clause, today) {
        return Some(Command::Create { kind: Some(Kind::Event), priority: None, subject: clause, certain: true });
    }
    if let Some(subject) = after_any(clause, &TO_DO) {
        // "I need to add a task to …" asks for a task.
        let of_kind = subject.iter().take(4).any(|word| !word.quoted && kind_noun(&word.lower).is_some());
        let adds = after_any(subject, &ADDING).is_some() || (vocabulary::names_new(subject) && of_kind);
        let sets_up =
            |command: &Command<'_>| matches!(command, Command::Create { kind: Some(Kind::Habit | Kind::Goal), .. });
        let arranges = after_any(subject, "schedule|book|arrange|organise|organize|set up|plan|have|fix").is_some()
            && When::read(subject, today).time.is_some();
        let requested = creating(subject, today).filter(|command| {
            adds || sets_up(command) || (arranges && matches!(command, Command::Create { kind: Some(Kind::Event), .. }))
        });
        return requested.or(Some(Command::Create { kind: Some(Kind::Todo), priority: None, subject, certain: true }));
    }
    if let Some(known) = of_known_kind(clause, today) {
        return Some(known);
    }
    if after_any(clause, &ARRANGED).is_some_and(|rest| !rest.is_empty()) || has_on_a_day(clause, today) {
        return Some(Command::Create { kind: None, priority: None, subject: clause, certain: true });
    }
    if keeps_verb(clause, today) {
        let certain = !clause[0].is("put");
        return Some(Command::Create { kind: None, priority: None, subject: clause, certain });
    }
    let (rest, verb_is_title) = match after_any(clause, &ADDING) {
        Some(rest) => (rest, false),
        None => (after_any(clause, &PLACING).unwrap_or(clause), true),
    };
    let noun = Noun::read(rest);
    let is_thing = noun.kind.is_some() || noun.place;
    // "Book a haircut" without a day is a todo.
    let to_book = after_any(clause, "book|arrange|organise|organize|plan").is_some()
        && clause.len() < MAX_BOOKING_WORDS
        && !names_time(clause);
    if verb_is_title
        && !to_book
        && let Some(subject) = arranged_event(rest, arranges(clause, today)).filter(|_| rest.len() < clause.len())
    {
        return Some(Command::Create { kind: Some(Kind::Event), priority: None, subject, certain: true });
    }
    match (verb_is_title, is_thing) {
        (false, _) => Some(noun.create(true)),
        // "Book a table" keeps its verb in the title; "book a meeting" and "todo: …" do not.
        (true, true) if rest.len() < clause.len() || noun.marked => Some(noun.create(true)),
        // "Todo buy eggs": only the noun, at the beginning.
        (true, true) if first_is_noun(clause) => Some(noun.create(true)),
        // "Put the bins out" also keeps its verb.
        (true, _) if after_any(clause, "put|schedule").is_some() && !ends_in_particle(rest, today) => {
            Some(noun.create(true))
        }
        _ => None,
    }
}

/// Matches words that ask for a record elsewhere and are a part of the title here: "new shoes for Lena", "set up the
/// crib", "book club on Friday", "add Tom to the guest list".
fn keeps_verb(clause: &[Token], today: Today) -> bool {
    const NOUNS: &str = "appointment|meeting|entry|item|call|one";
    let is_event = |rest: &[Token]| rest.iter().take(3).any(|word| !word.quoted && listed(&EVENTS, &word.lower));
    let is_kind = |rest: &[Token]| rest.iter().take(4).any(|word| !word.quoted && kind_noun(&word.lower).is_some());
    if let Some([next, ..]) = after_any(clause, "new") {
        let begins = next.is_mark() || next.quoted || vocabulary::begins_with_task_verb(std::slice::from_ref(next));
        return !(begins || next.is_one_of(NOUNS) || is_kind(&clause[1..]) || names_place(clause));
    }
    if let Some(rest) = after_any(clause, "set up|put in|put down|take down|throw in").filter(|rest| !rest.is_empty()) {
        let is_definite = rest[0].is_one_of("the|my|our|his|her|their|your");
        let adds = is_event(rest) || is_kind(rest) || names_place(rest) || rest[0].is_mark() || rest[0].quoted;
        return !adds && (is_definite || (clause[0].is("set") && !rest[0].is_one_of("a|an|another")));
    }
    let lists = after_any(clause, "add|put|write").is_some() && vocabulary::names_other_list(clause);
    let puts = after_any(clause, "put").filter(|rest| !rest.is_empty()).is_some_and(|rest| {
        let is_known = names_place(rest) || is_kind(rest) || rest[0].quoted || rest.iter().any(|word| word.is("list"));
        !is_known && after_any(clause, &ADDING).is_none() && moving::is_put_somewhere(rest, today)
    });
    lists || puts || vocabulary::begins_with_compound(clause)
}

/// Recognises a record whose kind is given by a goal or calendar phrase: "add X to my goals", "diary entry: X", "my
/// goal is to X".
fn of_known_kind(clause: &[Token], today: Today) -> Option<Command<'_>> {
    const TO_GOALS: &str = "to my goals|to the goals|as a goal|to my list of goals|as a new goal";
    let of = |kind, subject| Some(Command::Create { kind, priority: None, subject, certain: true });
    let to_goals = after_any(clause, &ADDING).and_then(|rest| before_end(rest, TO_GOALS));
    if let Some(subject) = to_goals.or_else(|| after_any(clause, GOALS)) {
        return of(Some(Kind::Goal), subject);
    }
    if let Some(subject) = put_on(clause) {
        return of(None, subject);
    }
    // "Pencil the permit in for the 19th".
    let pencilled = after_any(clause, "pencil|slot|squeeze").filter(|rest| {
        !rest.first().is_some_and(|first| first.is_one_of("me|us|in")) && rest.iter().skip(1).any(|word| word.is("in"))
    });
    if let Some(subject) = pencilled {
        return of(None, subject);
    }
    let subject = calendar_entry(clause).or_else(|| dated_entry(clause, today))?;
    of(Some(Kind::Event), subject)
}

/// Matches "I've got yoga on Sunday at 10": a scheduled event, not a completion.
fn has_on_a_day(clause: &[Token], today: Today) -> bool {
    let whole = When::read(clause, today);
    let lead = whole.used.iter().zip(clause).take_while(|(used, word)| **used || word.is_mark()).count();
    let Some(rest) = after_any(&clause[lead..], HAVING) else { return false };
    let when = if lead > 0 { whole.clone() } else { When::read(rest, today) };
    let used = &whole.used[clause.len() - rest.len()..];
    let first = rest.iter().zip(used).find(|(word, used)| !**used && !word.is_mark()).map(|(word, _)| word);
    let has_day_and_time = (when.date.is_some() || when.repeat.is_some()) && when.time.is_some();
    let is_thing = |word: &Token| word.quoted || past_forms::presents(&word.lower).is_empty();
    has_day_and_time && first.is_some_and(|word| is_thing(word) && !word.is_one_of("to|been|until|the|it|no|not|never"))
}

/// Matches words that end in a particle, such as "the bins out on Friday".
fn ends_in_particle(rest: &[Token], today: Today) -> bool {
    let when = When::read(rest, today);
    if rest.len() > 1 && rest[0].is_one_of("out|away|back|together|up|off") {
        return true;
    }
    let last = rest.iter().zip(&when.used).rfind(|(word, used)| !**used && !word.is_mark());
    last.is_some_and(|(word, _)| word.is_one_of("out|away|back|together|up|outside|on|off"))
}

/// Recognises "Stick 'renew MOT' on for Friday": a quoted title after the verb.
fn put_on(clause: &[Token]) -> Option<&[Token]> {
    let rest = after_any(clause, "stick|pop|put|throw|chuck|pencil|bung|whack|get|jot|note")?;
    let title = rest.first().filter(|title| title.quoted)?;
    let particle = after_any(&rest[1..], "on|in|down|up")?;
    let continues = particle.first().is_some_and(|next| next.is_one_of("for|on|at|by|tomorrow|today|every"));
    (continues && !title.text.is_empty()).then_some(rest)
}

/// Returns the words after "calendar entry please:", "for the diary -", "appointment:".
fn calendar_entry(clause: &[Token]) -> Option<&[Token]> {
    let rest = after_any(clause, "for|in|on|to|another|a|one").unwrap_or(clause);
    let rest = after_any(rest, "the|my|our|new").unwrap_or(rest);
    let book = after_any(rest, "calendar|diary|agenda|planner");
    let entry = book.map(|rest| after_any(rest, "entry|item|event|note|appointment").unwrap_or(rest));
    let rest = entry.or_else(|| after_any(rest, "appointment|save the date"))?;
    let rest = after_any(rest, "please").unwrap_or(rest);
    after_any(rest, ":|-|–|—|,").filter(|subject| !subject.is_empty())
}

/// Recognises "Diary entry for the second Tuesday of April: governors' meeting".
fn dated_entry(clause: &[Token], today: Today) -> Option<&[Token]> {
    let rest = after_any(clause, "a|new|another|the").unwrap_or(clause);
    let rest = after_any(
        rest,
        "diary entry|calendar entry|diary|calendar|agenda|calendar event|calendar item|appointment|diary note|\
            in the diary|in my diary|\
            in the calendar|in my calendar|save the date",
    )?;
    let mark = rest.iter().take(MAX_DAY_WORDS).position(|word| word.is_one_of(":|-|–|—|,"))?;
    let when = When::read(&rest[..mark], today);
    (when.has_schedule() && when.covers_all(&rest[..mark]) && mark + 1 < rest.len()).then_some(rest)
}

/// Maximum number of words for a day and time.
const MAX_DAY_WORDS: usize = 9;

/// Maximum number of words of a sentence that only asks to book something.
const MAX_BOOKING_WORDS: usize = 5;

/// Returns whether a word may be a day or a time.
fn names_time(clause: &[Token]) -> bool {
    let day = |token: &Token| numbers::weekday(&token.lower, true).or_else(|| numbers::weekdays_plural(&token.lower));
    clause.iter().any(|token| {
        token.text.contains(|c: char| c.is_ascii_digit()) || day(token).is_some() || token.is_one_of(TIME_WORDS)
    })
}

const TIME_WORDS: &str = "on|at|for|by|tomorrow|today|tonight|next|this|every|daily|weekly|noon|morning|afternoon|\
    evening|later|sometime|soon";

fn first_is_noun(clause: &[Token]) -> bool {
    matches!(clause, [first, _, ..] if first.is_one_of("todo|to-do|task|reminder"))
}

/// Returns whether the verb precedes an event without an article: "arrange coffee with Bea on Monday at 11".
fn arranges(clause: &[Token], today: Today) -> bool {
    let verb = after_any(clause, "arrange|organise|organize|schedule|book|plan|set up|fix|fix up|pencil in");
    after_any(clause, "have").is_some() || verb.is_some_and(|rest| When::read(rest, today).time.is_some())
}

/// Returns "a meeting with Ann" after "book", "arrange" and the like; with `has` also "lunch with Ann" after "have".
fn arranged_event(rest: &[Token], has: bool) -> Option<&[Token]> {
    let is_event = |word: &Token| listed(&EVENTS, &word.lower) && !word.quoted;
    let continues = |next: &Token| {
        next.is_one_of("with|w/|on|at|for|next|tomorrow|today|this|tonight")
            || numbers::weekday(&next.lower, true).is_some()
    };
    let bare = || {
        rest.first().filter(|first| has && is_event(first)).map(|_| rest).filter(|_| rest.get(1).is_none_or(continues))
    };
    let subject = after_any(rest, "a|an|another|the").or_else(bare)?;
    let named = subject.iter().take(2).any(|token| listed(&EVENTS, &token.lower) && !token.quoted);
    named.then_some(subject)
}

/// A noun phrase that names what to add: "a high priority task to …", "event: …", "a goal of …".
struct Noun<'t> {
    kind: Option<Kind>,
    priority: Option<Priority>,
    subject: &'t [Token],
    /// Whether a punctuation mark or "to" separates the noun from its subject.
    marked: bool,
    /// Whether the calendar or the list is named.
    place: bool,
}

impl<'t> Noun<'t> {
    fn read(tokens: &'t [Token]) -> Self {
        let place = names_place(tokens);
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
            // In "add urgent: …" the colon also separates.
            noun.subject = if noun.priority.is_some() { rest } else { tokens };
            return noun;
        };
        rest = &rest[1..];
        rest = after_any(rest, "item|entry").unwrap_or(rest);
        // In "a reminder in for Monday" the particle belongs to the verb.
        let particle = after_any(rest, "in|down|up")
            .filter(|rest| rest.first().is_some_and(|next| next.is_one_of("for|on|to|:|that")));
        rest = particle.unwrap_or(rest);
        noun.kind = Some(kind);
        // In "Event on 14 April: spring fair" the colon is after the day.
        let day_first = rest.first().is_some_and(|next| {
            next.is_one_of("on|for|at|due|by|tomorrow|today|every|each|daily|weekly|from|starting")
        });
        noun.marked = rest.first().is_some_and(|next| next.quoted)
            || day_first && rest.iter().take(MAX_DAY_WORDS).any(|next| next.is(":"));
        let separators = "for me to|for me about|for me :|for us to|to|for|called|named|titled|:|that|of|about|\
            with the title|-|–|\
                —|saying|which says|where i|so i|so that i";
        if let Some(after_mark) = after_any(rest, separators) {
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
