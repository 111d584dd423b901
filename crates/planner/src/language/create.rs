//! Operations that add a record, from the words that say what and when.

use chrono::NaiveDate;

use super::clauses::coordinated;
use super::guard::means_all;
use super::phrases::{after_any, has_any, listed, without_marks};
use super::repeats::Repeat;
use super::tokens::{Token, text_of};
use super::vocabulary::{EVENTS, TO_DO, asked_count, begins_with_doing, place_at};
use super::when::When;
use super::{Question, Reader};
use crate::operation::{Action, Operation};
use crate::record::{Kind, Priority};
use crate::recurrence::{Recurrence, Rule};
use crate::time_of_day::TimeOfDay;

/// Titles that say nothing.
const EMPTY_TITLES: &str = "something|thing|things|stuff|it|that|this|them|one|todo|task|event|habit|goal|item|the thing|anything|\
    reminder|it's|that's|it is|that is|this is|meeting|a meeting|the meeting|appointment|call|to|do|do it|do that|do the thing|do something|do this|\
    some stuff|these|those|a thing|new|another";

/// Plans themselves, which only a person can sort out.
const PLANS: &str = "week|day|schedule|calendar|agenda|list|todos|tasks|life|things|month|priorities";

/// Words after which no title ends.
const DANGLING: &str = "on|by|for|at|due|deadline|booked|scheduled|from|starting|and|to|with|in|until|of|the|a|as|is|that|about|beginning|before|-|–|every";

/// Words with which no title begins.
const LEADING: &str = "to|that|about|of|for|called|named|titled|on|at|by|and|-|–";

impl Reader<'_> {
    /// One record for each thing to do; with several days a week one for each. `certain`: it was asked for.
    pub fn create(
        &self,
        kind: Option<Kind>,
        priority: Option<Priority>,
        subject: &[Token],
        certain: bool,
    ) -> Result<Vec<Operation>, Question> {
        let subject = without_marks(subject);
        let kind = kind.or_else(|| names_calendar(subject).then_some(Kind::Event));
        let parts = coordinated(subject);
        let mut read: Vec<(Vec<Token>, When)> = parts
            .iter()
            .map(|part| {
                let words = without_place(part);
                let mut when = When::read(&words, self.today);
                pass_over_lead(&words, &mut when);
                (words, when)
            })
            .collect();
        // "call the bank and email Jo tomorrow": the day goes for both.
        if let Some((_, last)) = read.last().cloned()
            && read.len() > 1
            && read[..read.len() - 1].iter().all(|(_, when)| !when.is_said())
        {
            for (_, when) in &mut read {
                (when.date, when.repeat, when.until) = (last.date, last.repeat.clone(), last.until);
            }
        }
        let made: Result<Vec<Vec<Operation>>, Question> =
            read.iter().map(|(words, when)| self.create_one(kind, priority, words, when, certain)).collect();
        made.map(|made| made.into_iter().flatten().collect())
    }

    fn create_one(
        &self,
        kind: Option<Kind>,
        priority: Option<Priority>,
        words: &[Token],
        when: &When,
        certain: bool,
    ) -> Result<Vec<Operation>, Question> {
        let mut title = title(self.sentence, words, when);
        self.check_new(&title, words, when, certain)?;
        let kind = kind.unwrap_or_else(|| kind_of(&title, when));
        let mut location = None;
        if kind == Kind::Event {
            (title, location) = with_location(&title);
        }
        let mut operation = Operation::new(kind, Action::Create, None);
        operation.title = Some(title.clone());
        operation.priority = when.priority.or(priority);
        if kind == Kind::Goal {
            return Ok(vec![operation]);
        }
        operation.location = location.map(Some);
        set_times(&mut operation, when.time, when.end_time);
        let next = |time| if when.repeat.is_some() { self.today.date } else { self.today.next(time) };
        let date = when.date.or_else(|| when.time.map(next));
        if kind == Kind::Event && date.is_none() && when.repeat.is_none() {
            return Err(Question::new(&format!("When is \"{title}\"?"), Vec::new()));
        }
        self.days_of(operation, when, date)
    }

    /// The operation on its day, or for each of the days of the week on which it repeats.
    fn days_of(&self, operation: Operation, when: &When, date: Option<NaiveDate>) -> Result<Vec<Operation>, Question> {
        let Some(mut rules) = when.recurrences(date.unwrap_or(self.today.date)) else {
            return Err(unsupported(when));
        };
        if rules.is_empty() {
            let rule = if operation.kind == Kind::Habit { Rule::Daily } else { Rule::None };
            let day = if operation.kind == Kind::Habit { Some(date.unwrap_or(self.today.date)) } else { date };
            return Ok(vec![on(operation, day, Recurrence::of(rule))]);
        }
        rules.sort_by_key(|(day, _)| *day);
        Ok(rules.into_iter().map(|(day, rule)| on(operation.clone(), Some(day), rule)).collect())
    }

    /// What is too little to make a record of.
    fn check_new(&self, title: &str, words: &[Token], when: &When, certain: bool) -> Result<(), Question> {
        let lower = title.to_lowercase();
        let bare = lower.trim_start_matches("the ").trim_start_matches("a ").trim_start_matches("my ");
        if title.is_empty() || listed(EMPTY_TITLES, bare) || listed(EMPTY_TITLES, &lower) || only_pronouns(words, when)
        {
            return Err(Question::new("What should be added?", Vec::new()));
        }
        if when.vague {
            return Err(Question::new(&format!("On which day should \"{title}\" be?"), Vec::new()));
        }
        if when.several {
            return Err(Question::new(&format!("Which of the days should \"{title}\" be on?"), Vec::new()));
        }
        if asked_count(words).is_some_and(|count| count > 1) {
            return Err(Question::new("Records are added one by one. What should be the first?", Vec::new()));
        }
        // "The invoice thing is on Friday" says something of what should be there.
        let states =
            words[0].is_one_of("the|that|this|my|our") && has_any(words, "is|are|was|were|should|needs|has|isn't|will");
        if states && !certain {
            return Err(self.ask_what(title));
        }
        // "Swap the two meetings": done to what is there, by a verb that is not known.
        let acts_on_known = !certain
            && !begins_with_doing(words)
            && words.len() > 1
            && words[1].is_one_of("the|my|our|both|those|these")
            && self.touches_known(&words[2..]);
        if acts_on_known {
            return Err(self.ask_what(title));
        }
        if certain || when.is_said() || when.priority.is_some() || words.iter().any(|word| word.quoted) {
            return Ok(());
        }
        self.check_bare(title, words)
    }

    /// A sentence without a command, a day or a priority: something to do where it begins as one does.
    fn check_bare(&self, title: &str, words: &[Token]) -> Result<(), Question> {
        let about_plans = words.iter().any(|word| word.is_one_of("my|the|our"))
            && words.last().is_some_and(|word| word.is_one_of(PLANS));
        let points = words[0].is_one_of("the|that|this|those|these|my|our");
        let pronoun = has_any(
            words,
            "it|that|this|them|these|those|you|him|her|everything|stuff|usual|thing|things|something|someone",
        );
        let too_short = words.len() < 2;
        if about_plans
            || points
            || pronoun
            || too_short
            || means_all(words)
            || !(begins_with_doing(words) || words.len() <= MAX_BARE_WORDS)
        {
            return Err(self.ask_what(title));
        }
        Ok(())
    }

    fn ask_what(&self, title: &str) -> Question {
        let text = format!("What should be done with \"{title}\": add it, or change something that is there?");
        Question::new(&text, crate::matching::ranked_options(title, self.state.candidates(self.today.date, false)))
    }
}

/// "On Monday I need to …": what calls for something to do stands behind the day.
fn pass_over_lead(words: &[Token], when: &mut When) {
    let first = words.iter().zip(&when.used).position(|(word, used)| !*used && !word.is_mark()).unwrap_or(0);
    if first > 0
        && let Some(rest) = after_any(&words[first..], TO_DO)
    {
        let end = words.len() - rest.len();
        when.used[first..end].fill(true);
    }
}

/// "fix it", "do that", "call him": who or what is not said.
fn only_pronouns(words: &[Token], when: &When) -> bool {
    let said = words.iter().zip(&when.used).filter(|(word, used)| !**used && !word.is_mark()).map(|(word, _)| word);
    let said: Vec<&Token> =
        said.filter(|word| !word.is_one_of("instead|again|now|then|too|already|first|also")).collect();
    matches!(said[..], [verb, object] if !verb.quoted && object.is_one_of("it|that|this|them|him|her|those|these|stuff|something|things"))
}

/// A longer sentence that begins with no verb of doing is more likely talk than a task.
const MAX_BARE_WORDS: usize = 6;

/// The question for a rule that cannot be kept.
pub fn unsupported(when: &When) -> Question {
    let said = match &when.repeat {
        Some(Repeat::Unsupported(words)) => words.as_str(),
        _ => "that",
    };
    let text = format!(
        "Repeating \"{said}\" cannot be kept. It can be every day, on weekdays, every week, or every so many days. Which one?"
    );
    Question::new(&text, Vec::new())
}

fn on(mut operation: Operation, day: Option<NaiveDate>, recurrence: Recurrence) -> Operation {
    operation.scheduled_for = day.map(Some);
    operation.recurrence = Some(recurrence);
    operation
}

/// Times as the kind has them.
pub fn set_times(operation: &mut Operation, start: Option<TimeOfDay>, end: Option<TimeOfDay>) {
    if operation.kind == Kind::Event {
        operation.start_time = start.map(Some);
        operation.end_time = end.map(Some);
    } else {
        operation.time_of_day = start.map(Some);
    }
}

/// An event is what has an end, or is called by a noun for one and not by a verb.
fn kind_of(title: &str, when: &When) -> Kind {
    if when.end_time.is_some() {
        return Kind::Event;
    }
    let lower = title.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let head_end = words
        .iter()
        .position(|word| ["with", "w/", "w", "at", "in", "about", "for", "on", "and", "to", "of"].contains(word))
        .unwrap_or(words.len());
    let head = &words[..head_end];
    let is_event = head.last().is_some_and(|word| listed(EVENTS, word));
    let is_verb = head.first().is_some_and(|first| begins_with_doing(&super::tokens::tokens(first)));
    // "call with Anna" is an event, "call Anna" is not.
    if is_event
        && (!is_verb || (head.len() == 1 && words.get(1).is_some_and(|next| ["with", "w/", "w"].contains(next))))
    {
        Kind::Event
    } else {
        Kind::Todo
    }
}

/// The words that say what, cleaned at their ends.
fn title(sentence: &str, words: &[Token], when: &When) -> String {
    let kept: Vec<Token> =
        words.iter().zip(&when.used).filter(|(_, used)| !**used).map(|(word, _)| word.clone()).collect();
    let mut kept = without_marks(&kept);
    loop {
        let before = kept.len();
        if let [first, rest @ ..] = kept
            && first.is_one_of(LEADING)
            && !rest.is_empty()
        {
            kept = rest;
        }
        if let [rest @ .., last] = kept
            && last.is_one_of(DANGLING)
        {
            kept = rest;
        }
        if let [first, rest @ ..] = kept
            && (first.text == "a" || first.text == "an")
            && !rest.is_empty()
        {
            kept = rest;
        }
        kept = without_marks(kept);
        if kept.len() == before {
            break;
        }
    }
    if let [one] = kept {
        return one.text.clone();
    }
    let text = text_of(sentence, kept, |_| false);
    text.replace(" ,", ",").replace(" .", ".").replace(" :", ":")
}

/// "… at Luigi's" at the end of an event's title is where it is.
fn with_location(title: &str) -> (String, Option<String>) {
    match title.rsplit_once(" at ") {
        Some((what, place)) if place.starts_with(char::is_uppercase) || place.starts_with("the ") => {
            (what.to_owned(), Some(place.to_owned()))
        }
        _ => (title.to_owned(), None),
    }
}

fn names_calendar(tokens: &[Token]) -> bool {
    place_at(tokens).is_some_and(|(at, length)| has_any(&tokens[at..at + length], "calendar|agenda|diary|planner"))
}

fn without_place(tokens: &[Token]) -> Vec<Token> {
    match place_at(tokens) {
        Some((at, length)) => tokens[..at].iter().chain(&tokens[at + length..]).cloned().collect(),
        None => tokens.to_vec(),
    }
}
