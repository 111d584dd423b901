//! Interprets English sentences by rules, without a model (`local`).
//!
//! Input: a sentence, the records, today, and the user's selection from an earlier question. Output: operations; or one
//! question with options; or the result that the sentence is not a plan. It never guesses which record is meant, never
//! changes several records that were not named one by one, and accepts no instructions about itself. Called by the
//! assistant when no model is configured.
//!
//! The folders are in the order of the data: `text` (words), `values` (days and times), `commands` (what a
//! clause asks for), `clauses` (a sentence in clauses, each in the order of a command), `operations` (what is
//! changed) and `checks` (what is asked instead). Each imports only from those before it, and calls only methods of
//! `Reader` that are defined in itself or before it; `tests/layers.rs` checks both. `reader` calls them for each
//! clause, and `command_order` tries out what a clause would change; `questions`, `record_questions`, `asked_days` and
//! `asked_hours` are about what is asked, and `assumed` about what was taken for granted.

mod asked_days;
mod asked_hours;
mod assumed;
mod checks;
mod clauses;
mod command_order;
mod commands;
mod operations;
mod questions;
mod reader;
mod record_questions;
mod text;
mod values;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::MAX_OPERATIONS;
use crate::matching::ClarifyOption;
use crate::operation::{Action, Operation};
use crate::record::{Kind, Priority};
use crate::shape::readable;
use crate::state::State;
use crate::time_of_day::TimeOfDay;
use crate::validate::validate_proposal;
pub use asked_hours::AskedHours;
pub use assumed::assumed_days;
use commands::command::{Command, Destination};
pub use questions::{AskedPart, Inquiry, asked_parts, inquiry};
pub use record_questions::asked_records;
use text::tokens::Token;
use text::words::{WordList, word_list};

/// Longer sentences are not interpreted.
pub const MAX_SENTENCE_CHARS: usize = 2_000;

/// Sentences with more words are not interpreted; a quoted text counts as one word. The rules are tried at each
/// position of a clause, which is slow for long clauses.
const MAX_SENTENCE_WORDS: usize = 200;
const MAX_CLAUSE_WORDS: usize = 80;

/// Verbs that begin a change of a record or a new todo.
static ALSO_DOING: WordList = WordList::new(|| word_list(include_str!("words/also_doing.txt")));

/// Words for records and their fields. They indicate a change.
static RECORD_NOUNS: WordList = WordList::new(|| word_list(include_str!("words/record_nouns.txt")));

/// Those of them that mostly change a record.
const EDITING: &str =
    "advance|cancel|change|delete|edit|exchange|extend|lower|raise|relocate|set|swap|switch|transfer|update";

/// Verbs of removal that are also things to do on a day: "remove the stitches on Friday".
const CLEARING: &str = "remove|wipe|kill|discard|purge|trash|scrap";

/// The user's local date and time.
#[derive(Debug, Clone, Copy)]
pub struct Today {
    pub date: NaiveDate,
    pub time: TimeOfDay,
    /// The next clock changes, in their order.
    pub clock_changes: [Option<ClockChange>; 2],
}

/// A change of the clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockChange {
    /// In how many minutes from now it occurs.
    pub in_minutes: i64,
    /// By how many minutes the clocks are put forward; negative if they are put back.
    pub forward_minutes: i64,
}

impl Today {
    /// Returns a date and time of a zone without clock changes.
    #[must_use]
    pub const fn new(date: NaiveDate, time: TimeOfDay) -> Self {
        Self { date, time, clock_changes: [None; 2] }
    }

    /// Returns the day on which that time occurs next.
    #[must_use]
    pub fn next(self, time: TimeOfDay) -> NaiveDate {
        if time < self.time { self.date.succ_opt().unwrap_or(self.date) } else { self.date }
    }

    /// Returns the local day and time when so many minutes have passed.
    #[must_use]
    pub fn in_minutes(self, minutes: i64) -> Option<(NaiveDate, TimeOfDay)> {
        let passed = self.clock_changes.iter().flatten().filter(|change| change.in_minutes <= minutes);
        let forward: i64 = passed.map(|change| change.forward_minutes).sum();
        let of_today = i64::from(self.time.hour()) * 60 + i64::from(self.time.minute()) + minutes + forward;
        let date = self.date.checked_add_signed(chrono::TimeDelta::try_days(of_today.div_euclid(24 * 60))?)?;
        let of_day = u16::try_from(of_today.rem_euclid(24 * 60)).ok()?;
        Some((date, TimeOfDay::new(of_day / 60, of_day % 60)?))
    }
}

/// The user's selection from the options of a question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Selection {
    pub ids: Vec<i64>,
    pub date: Option<NaiveDate>,
    pub priority: Option<Priority>,
}

impl Selection {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty() && self.date.is_none() && self.priority.is_none()
    }
}

/// A question to the user, and its options.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Question {
    pub question: String,
    /// Records of which one is meant. A selected one is taken into account when the sentence is read again.
    pub options: Vec<ClarifyOption>,
    /// Operations of the clauses that were understood, if the question is about others and has no options. Empty if
    /// there are none, or if what was not understood may take them back.
    #[serde(skip)]
    pub understood: Vec<Operation>,
}

impl Question {
    #[must_use]
    pub fn new(question: &str, options: Vec<ClarifyOption>) -> Self {
        Self { question: question.to_owned(), options, understood: Vec::new() }
    }
}

/// Result of reading a sentence.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    Plan(Vec<Operation>),
    Clarify(Question),
    /// A question or a greeting.
    Chat,
}

/// Reads a sentence.
#[must_use]
pub fn read(sentence: &str, state: &State, today: Today, selection: &Selection) -> Reading {
    let ask = |text: &str| Reading::Clarify(Question::new(text, Vec::new()));
    let refuse = || ask("That reads like orders to the program, which are not taken. What should be planned?");
    if sentence.chars().count() > MAX_SENTENCE_CHARS {
        return ask("That is long. What is the first thing to plan?");
    }
    let sentence = &readable(sentence, false);
    if commands::guard::is_order(sentence) {
        return refuse();
    }
    let words = text::compounds::normalised(&text::tokens::tokens(sentence));
    if has_too_many_words(&words) {
        return ask("That is long. What is the first thing to plan?");
    }
    if let Some(word) = text::german::german_word(&words) {
        return ask(&format!(
            "Without a model only English is read, and \"{}\" is German. Say it in English, put a German title in \
             quotation marks, or configure a model for the tasks `assistant_…`.",
            word.text
        ));
    }
    if questions::of_tokens(&words, today).is_some() {
        return Reading::Chat;
    }
    let plain_words = text::courtesy::without_adverbs(&words);
    let expanded = clauses::lists::without_intro(&clauses::lists::corrected(&plain_words, today), today);
    let dated = clauses::lists::with_shared_day(&expanded, today);
    let repeated = clauses::gapping::with_repeated_verbs(&dated, today);
    let tokens = clauses::lists::with_items_apart(&repeated, today);
    let reader = Reader { sentence, state, today, selection, context: ClauseContext::default(), is_only_clause: false };
    let reading = reader.read(&tokens);
    let only_adds = || {
        clauses::split::is_certain_create(&tokens, today)
            && matches!(&reading, Reading::Plan(made) if all_are_new(made))
    };
    if commands::guard::is_order_unless_added(sentence) && !only_adds() { refuse() } else { reading }
}

fn has_too_many_words(words: &[Token]) -> bool {
    let marks = |token: &Token| token.is_one_of(".|,|;|!|?|:");
    words.len() > MAX_SENTENCE_WORDS || words.split(marks).any(|part| part.len() > MAX_CLAUSE_WORDS)
}

fn all_are_new(operations: &[Operation]) -> bool {
    operations.iter().all(|operation| operation.action == Action::Create)
}

/// Returns the changes with the end of the day for "is due at midnight".
fn with_due_time(mut made: Vec<Operation>, words: &[Token]) -> Vec<Operation> {
    let is_due =
        text::phrases::after_any(words, "is due|are due").is_some() && text::phrases::has_any(words, "midnight");
    let end_of_day = TimeOfDay::new(23, 59).filter(|_| is_due);
    for one in &mut made {
        for time in [&mut one.start_time, &mut one.time_of_day] {
            let is_midnight = time.flatten().is_some_and(|time| (time.hour(), time.minute()) == (0, 0));
            *time = end_of_day.filter(|_| is_midnight).map(Some).or(*time);
        }
    }
    made
}

/// What the clauses before establish for the next one.
#[derive(Debug, Clone, Copy, Default)]
struct ClauseContext {
    /// Record of the command before, which "it" refers to.
    previous_id: Option<i64>,
    /// Record named in the preceding reason, which "our meeting" refers to.
    mentioned_id: Option<i64>,
    /// Day of the preceding completions.
    completion_day: Option<NaiveDate>,
}

/// A sentence and the context in which it is read.
#[derive(Debug, Clone, Copy)]
struct Reader<'a> {
    sentence: &'a str,
    state: &'a State,
    today: Today,
    selection: &'a Selection,
    context: ClauseContext,
    /// Whether the sentence has a single clause, so that a selection can only answer a question about it.
    is_only_clause: bool,
}

impl Reader<'_> {
    fn plan(&self, mut operations: Vec<Operation>) -> Reading {
        if let Some(priority) = self.selection.priority {
            operations
                .iter_mut()
                .filter(|one| one.kind != Kind::Goal)
                .for_each(|one| one.priority = one.priority.or(Some(priority)));
        }
        match operations.len() {
            0 => Reading::Clarify(Question::new("What should be planned?", Vec::new())),
            1..=MAX_OPERATIONS if self.are_valid(&operations) => Reading::Plan(operations),
            1..=MAX_OPERATIONS => {
                Reading::Clarify(Question::new("That was not understood. What should be planned?", Vec::new()))
            }
            _ => {
                let text = format!("That would be more than {MAX_OPERATIONS} changes. Which ones come first?");
                Reading::Clarify(Question::new(&text, Vec::new()))
            }
        }
    }

    /// Returns whether the operations pass validation. A title may be too long, for example.
    fn are_valid(&self, operations: &[Operation]) -> bool {
        let written: Result<Vec<_>, _> = operations.iter().map(serde_json::to_value).collect();
        written.is_ok_and(|written| validate_proposal(&written, self.state).is_valid())
    }

    /// Interprets a clause. `follows_todo`: the clause follows todos, so that "and cancel the card" may be another one.
    /// `follows_completion`: the clause before reports something done.
    fn operations(
        &self,
        clause: &[Token],
        command: Command<'_>,
        follows_todo: bool,
        follows_completion: bool,
    ) -> operations::change::Changes {
        let destructive = matches!(
            command,
            Command::Delete { .. }
                | Command::Complete { .. }
                | Command::CompleteOn { .. }
                | Command::Move { .. }
                | Command::Place { .. }
                | Command::Change { .. }
        );
        let is_bare = matches!(command, Command::Create { certain: false, .. });
        if let Some(done) =
            (is_bare || self.reports_past(clause)).then(|| self.done_in_past(clause, follows_completion)).flatten()
        {
            return done;
        }
        let made = self.carry_out(command);
        if made.is_err()
            && !checks::unclear_change::changes_to(clause, self.today)
            && self.is_something_new(clause, command)
        {
            let new = self.create(None, None, clause, false);
            return if new.is_ok() || self.repeats_unsupported(clause) { new } else { made };
        }
        match made {
            Err(question) if destructive && follows_todo && text::vocabulary::begins_with_task_verb(clause) => {
                self.create(Some(Kind::Todo), None, clause, true).map_err(|_| question)
            }
            made => made,
        }
    }

    /// Returns whether no existing record is named and the verb can also begin a todo: "Change the bed sheets every two
    /// weeks", "bring the projector on Friday".
    fn is_something_new(&self, clause: &[Token], command: Command<'_>) -> bool {
        // "Move the car before 8", "cancel Netflix by the 30th": records are not moved or deleted with these
        // prepositions.
        let moves = clause.first().is_some_and(|first| first.is_one_of("move|shift|push"))
            && !text::phrases::has_any(clause, "to|until|till|for|back|forward|by|up|off|into|->|=>|later|earlier");
        let when = values::when::When::read(clause, self.today);
        let begins = |verbs: &str| clause.first().is_some_and(|first| first.is_one_of(verbs));
        let removes = (begins("cancel|delete|remove|rename") && text::phrases::has_any(clause, "by|before"))
            || (begins(CLEARING) && when.date.is_some());
        let verb = moves || removes || clause.first().is_some_and(|first| first.is_one_of(&ALSO_DOING));
        let repeats = matches!(command, Command::Repeat { when, .. } if !when.is_empty());
        let changes = !matches!(
            command,
            Command::Create { .. } | Command::Chat | Command::StopRepeating { .. } | Command::Rename { .. }
        );
        let content_words: Vec<Token> = clause
            .iter()
            .skip(1)
            .zip(when.used.iter().skip(1))
            .filter(|(_, used)| !**used)
            .map(|(word, _)| word.clone())
            .collect();
        // In "check the oven every day" the day is no field of a record.
        let named = if when.repeat.is_some() { &content_words[..] } else { &clause[1..] };
        let of_records = text::phrases::has_any(named, &RECORD_NOUNS) || commands::guard::means_all(&content_words);
        // "Change Sara to Sam" changes a record with that word, "drop Max off at nursery" is none of Max's records.
        let edits = moves || begins(EDITING);
        let is_known = if edits { self.mentions_existing(&content_words) } else { self.names_existing(&content_words) };
        verb && changes && clause.len() > 1 && (repeats || !of_records) && !is_known
    }

    /// Returns whether the clause contains a repetition that no rule can express.
    fn repeats_unsupported(&self, clause: &[Token]) -> bool {
        matches!(values::when::When::read(clause, self.today).repeat, Some(values::repeats::Repeat::Unsupported(_)))
    }

    fn carry_out(&self, command: Command<'_>) -> operations::change::Changes {
        match command {
            Command::Create { kind, priority, subject, certain } => self.create(kind, priority, subject, certain),
            Command::Place { target, when, subject } => self.place(target, when, subject),
            Command::Move { target, to } => self.shift_or_move(target, to),
            Command::Rename { target, title } => self.rename(target, title),
            Command::Prioritise { target, priority } => self.prioritise(target, priority),
            Command::Complete { target, done } => self.complete(target, done),
            Command::CompleteOn { target, day } => self.complete_on(target, day),
            Command::Delete { target } => self.delete(target),
            Command::Repeat { target, when } => self.repeat(target, when),
            Command::StopRepeating { target } => self.stop_repeating(target),
            Command::Change { target, to } => self.change(target, to),
            Command::Field { target, field, text } => self.set_field(target, field, text),
            Command::End { target, words } => self.end(target, words),
            Command::Lengthen { target, minutes } => self.lengthen(target, minutes),
            Command::Swap { one, other } => self.swap(one, other),
            Command::AddToGoal { item, goal } => self.put_under(item, goal),

            Command::Chat | Command::Unclear => Err(Question::new("What should be changed, and to what?", Vec::new())),
        }
    }

    /// Handles "schedule X for Friday", "put X on Friday": moves X if it exists; else "schedule" creates it.
    fn place(&self, target: &[Token], when: &[Token], subject: &[Token]) -> operations::change::Changes {
        let definite = target.first().is_some_and(|token| token.is_one_of("the|my|it|this|that|our|them"));
        // "The dentist is on Friday" names the record before the time.
        let stands_alone = std::ptr::eq(target.as_ptr(), subject.as_ptr());
        let to = if when.is_empty() { Destination::Nowhere } else { Destination::When(when) };
        let states = subject.get(target.len()).is_some_and(|verb| verb.is_one_of("is|are|takes|starts|begins|falls"));
        if states && self.is_one(target) && !self.is_named(target) {
            return Err(self.ask_what(&self.text(subject)));
        }
        match self.shift_or_move(target, to) {
            Err(question)
                if stands_alone && (self.matches_any_title(target) || clauses::topic::verb_of(target).is_some()) =>
            {
                Err(question)
            }
            Err(_) if !definite => self.create(None, None, subject, true),
            moved => moved.map(|made| with_due_time(made, &subject[target.len()..])),
        }
    }
}
