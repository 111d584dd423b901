//! Builds operations that change or delete existing records.

use chrono::NaiveDate;

use super::create::{set_times, unsupported};
use super::create_checks::days_left_out;
use crate::language::commands::command::Destination;
use crate::language::commands::fields::end_of;
use crate::language::commands::moving;
use crate::language::commands::target::{self, TargetFilter};
use crate::language::text::phrases::{self, without_marks};
use crate::language::text::tokens::Token;
use crate::language::values::durations::is_length;
use crate::language::values::exceptions::leaves_days_out;
use crate::language::values::priorities::level;
use crate::language::values::repeats::Repeat;
use crate::language::values::shift::Shift;
use crate::language::values::when::{Impossible, When};
use crate::language::{Question, Reader};
use crate::matching::{self, Candidate};
use crate::operation::{Action, Operation};
use crate::record::{Item, Kind, Priority};
use crate::recurrence::{Recurrence, Rule};
use crate::time_of_day::TimeOfDay;

pub type Changes = Result<Vec<Operation>, Question>;

const OPEN: TargetFilter = TargetFilter { done: false, goals: false };
const WITH_GOALS: TargetFilter = TargetFilter { done: false, goals: true };

impl Reader<'_> {
    /// Builds one operation for each record that the words refer to.
    fn each(
        &self,
        target: &[Token],
        filter: TargetFilter,
        make: impl Fn(&Candidate<'_>) -> Result<Operation, Question>,
    ) -> Changes {
        self.resolve(target, filter)?.iter().map(make).collect()
    }

    pub fn delete(&self, target: &[Token]) -> Changes {
        let words = target::without_possessive(target);
        let names_day = When::read(&words, self.today).date.is_some();
        let names_period = target::without_period(&words, self.today).is_some();
        // "The yoga until January", "the yoga over Christmas".
        let limited = phrases::around(&words, "until|till|for|over|during|from|between|through").map(|(name, _)| name);
        let delete = |of: &Candidate<'_>| {
            // "Cancel today's run" and "cancel the run this week" refer to some days, not to the whole series. "Friday
            // drinks" is a title.
            let is_limited = limited.is_some_and(|name| self.is_covered_by(name, of.title));
            let names_days = (names_day || names_period || is_limited) && !self.is_covered_by(target, of.title);
            if names_days && self.item(of).is_ok_and(|item| item.recurrence.repeats()) {
                let what = if names_period || is_limited { "some days" } else { "one day" };
                let text = format!(
                    "\"{0}\" repeats, and {what} of it alone cannot be deleted. Say \"delete {0}\" to delete all of \
                     it.",
                    of.title
                );
                return Err(Question::new(&text, vec![of.option()]));
            }
            Ok(Operation::new(of.kind, Action::Delete, Some(of.id)))
        };
        self.resolve_within(target, WITH_GOALS)?.iter().map(delete).collect()
    }

    /// Returns whether all the words occur in the title.
    fn is_covered_by(&self, words: &[Token], title: &str) -> bool {
        matching::coverage(&matching::tokens(&self.text(words)), &matching::tokens(title)) >= 1.0
    }

    /// Handles "rename X to Y". A day or time after a title in quotation marks is that of the record.
    pub fn rename(&self, target: &[Token], title: &[Token]) -> Changes {
        let is_move = |words: &[Token]| {
            let when = When::read(words, self.today);
            let is_clear = when.repeat.is_none() && !when.vague && !when.is_ambiguous;
            when.has_schedule() && when.covers_all(words) && is_clear
        };
        let (title, moved) = match title {
            [one] => (one.text.clone(), None),
            [quoted, words @ ..] if quoted.quoted && is_move(words) => (quoted.text.clone(), Some(words)),
            words => (self.text(words), None),
        };
        self.each(target, WITH_GOALS, |of| {
            if title.is_empty() {
                return Err(Question::new(&format!("What should \"{}\" be called?", of.title), vec![of.option()]));
            }
            let mut operation = match moved {
                Some(words) => self.moved(of, &When::read(words, self.today), words)?,
                None => self.update(of)?,
            };
            operation.title = Some(title.clone());
            Ok(operation)
        })
    }

    pub fn prioritise(&self, target: &[Token], priority: Priority) -> Changes {
        self.each(target, OPEN, |of| {
            let mut operation = self.update(of)?;
            operation.priority = Some(priority);
            Ok(operation)
        })
    }

    pub fn shift_or_move(&self, target: &[Token], to: Destination<'_>) -> Changes {
        if phrases::has_any(target, "or") {
            return Err(Question::new("Which one do you mean?", Vec::new()));
        }
        match to {
            Destination::When(words) => self.move_to(target, words),
            Destination::By(shift) if shift.minutes().is_some() => self.shift_time(target, shift),
            Destination::By(shift) => self.each(target, OPEN, |of| {
                let day = self.item(of)?.scheduled_for.unwrap_or(self.today.date);
                self.dated(of, shift.from(day))
            }),
            Destination::NoDate => self.each(target, OPEN, |of| self.dated(of, None)),
            Destination::Nowhere => match self.selection.date {
                Some(day) => self.each(target, OPEN, |of| self.dated(of, Some(day))),
                None => self.ask_when(target),
            },
        }
    }

    /// Shifts the time by some minutes, within the same day. The duration stays the same, with the end at 23:59 at the
    /// latest.
    fn shift_time(&self, target: &[Token], shift: Shift) -> Changes {
        self.each(target, OPEN, |of| {
            let item = self.item(of)?;
            let moved = |time: TimeOfDay| {
                let minutes = i32::from(time.hour()) * 60 + i32::from(time.minute()) + shift.minutes().unwrap_or(0);
                let minutes = u16::try_from(minutes).ok()?;
                TimeOfDay::new(minutes / 60, minutes % 60)
            };
            let Some(start) = item.time().and_then(moved) else {
                return Err(Question::new(&format!("At what time should \"{}\" be?", of.title), vec![of.option()]));
            };
            let mut operation = self.update(of)?;
            set_times(&mut operation, Some(start), kept_end(item, Some(start)));
            Ok(operation)
        })
    }

    fn ask_when(&self, target: &[Token]) -> Changes {
        self.ask_where_to(target, "which day")
    }

    /// Asks to "which day" or "what time" the records should be moved.
    fn ask_where_to(&self, target: &[Token], asked: &str) -> Changes {
        let found = self.resolve(target, OPEN)?;
        let titles: Vec<String> = found.iter().map(|of| format!("\"{}\"", of.title)).collect();
        let text = format!("To {asked} should {} be moved?", titles.join(" and "));
        Err(Question::new(&text, found.iter().map(Candidate::option).collect()))
    }

    /// Asks where to move the records instead of a day or time that cannot be used.
    fn ask_instead_of(&self, target: &[Token], found: &Impossible) -> Changes {
        let asked = if found.is_time { "what time" } else { "which day" };
        self.ask_where_to(target, asked).map_err(|question| {
            let text = format!("{} {}", found.why, question.question);
            Question { question: text, ..question }
        })
    }

    fn dated(&self, of: &Candidate<'_>, day: Option<NaiveDate>) -> Result<Operation, Question> {
        let mut operation = self.update(of)?;
        if day.is_none() && self.item(of)?.recurrence.repeats() {
            let text = format!("\"{}\" repeats, so it needs a day. On which should it be?", of.title);
            return Err(Question::new(&text, vec![of.option()]));
        }
        operation.scheduled_for = Some(day);
        Ok(operation)
    }

    /// Moves records to a day, a time or both. With a rule, they repeat from then on.
    pub fn move_to(&self, target: &[Token], words: &[Token]) -> Changes {
        let when = self.when_without_preposition(words);
        let answer = self.selection.date.filter(|_| self.is_only_clause);
        let answers = |day: &NaiveDate| when.vague && when.answered(words, *day, self.today).is_some();
        if let Some(day) = answer.filter(answers) {
            return self.each(target, OPEN, |of| self.dated(of, Some(day)));
        }
        if let Some(found) = &when.impossible {
            return self.ask_instead_of(target, found);
        }
        if !when.has_schedule() || when.vague || when.is_ambiguous || phrases::has_any(words, "or") {
            return self.ask_when(target);
        }
        if when.repeat.is_some() {
            return self.repeat(target, words);
        }
        self.each(target, OPEN, |of| self.moved(of, &when, words))
    }

    /// Moves a record to a day, a time or both.
    pub(in crate::language) fn moved(
        &self,
        of: &Candidate<'_>,
        when: &When,
        words: &[Token],
    ) -> Result<Operation, Question> {
        let mut operation = self.update(of)?;
        let item = self.item(of)?;
        let mut when = when.clone();
        if let Some(old) = item.time() {
            when.resolve_half_by(old, words);
        }
        operation.priority = when.priority;
        if let Some(day) = when.date {
            operation.scheduled_for = Some(Some(day));
        } else if item.scheduled_for.is_none() {
            operation.scheduled_for = Some(when.time.map(|time| self.today.next(time)));
        }
        if when.no_date {
            operation.scheduled_for = Some(None);
        }
        if when.time.is_some() {
            set_times(&mut operation, when.time, when.end_time.or_else(|| kept_end(item, when.time)));
        }
        Ok(operation)
    }

    /// Parses a day or a time without its preposition: "11" as "at 11", "the afternoon" as "in the afternoon".
    fn when_without_preposition(&self, words: &[Token]) -> When {
        if moving::part_alone(words) {
            let words = phrases::after_any(words, "the").unwrap_or(words);
            let with_preposition = [&[Token::made("in"), Token::made("the")], words].concat();
            return When::read(&with_preposition, self.today);
        }
        When::read_after("at", words, self.today)
    }

    pub fn repeat(&self, target: &[Token], words: &[Token]) -> Changes {
        let when = When::read(words, self.today);
        if leaves_days_out(words) {
            return Err(days_left_out(self.resolve(target, OPEN)?.first().map_or("it", |of| of.title)));
        }
        if let Some(found) = &when.impossible {
            return self.ask_instead_of(target, found);
        }
        if when.repeat.is_none() {
            let found = self.resolve(target, OPEN)?;
            let text = "How often should it repeat: every day, on weekdays, every week, or every so many days?";
            return Err(Question::new(text, found.iter().map(Candidate::option).collect()));
        }
        self.each(target, OPEN, |of| {
            let item = self.item(of)?;
            let first = match when.repeat {
                // A day of the week means its next occurrence.
                Some(Repeat::On(_) | Repeat::OnEach(..)) => when.date.unwrap_or(self.today.date),
                _ => when.date.or(item.scheduled_for).unwrap_or(self.today.date),
            };
            let rules = when.recurrences(first).ok_or_else(|| unsupported(&when, self.today.date))?;
            let [(day, recurrence)] = rules[..] else {
                let text = "One item repeats on one day of the week. On which one should it be?";
                return Err(Question::new(text, vec![of.option()]));
            };
            let mut operation = self.update(of)?;
            operation.scheduled_for = Some(Some(day));
            operation.recurrence = Some(recurrence);
            if when.time.is_some() {
                set_times(&mut operation, when.time, when.end_time.or_else(|| kept_end(item, when.time)));
            }
            Ok(operation)
        })
    }

    pub fn stop_repeating(&self, target: &[Token]) -> Changes {
        self.each(target, OPEN, |of| {
            if of.kind == Kind::Habit {
                let text = format!("A habit repeats by its nature. Should \"{}\" be deleted?", of.title);
                return Err(Question::new(&text, vec![of.option()]));
            }
            let mut operation = Operation::new(of.kind, Action::Update, Some(of.id));
            operation.recurrence = Some(Recurrence::of(Rule::None));
            Ok(operation)
        })
    }

    /// Handles "change X to Y", where Y decides which field changes. Asks what to change if Y is missing.
    pub fn change(&self, target: &[Token], to: &[Token]) -> Changes {
        let to = phrases::before_end(to, "only|instead|now|from now on").unwrap_or(to);
        let [first, ..] = without_marks(to) else { return self.ask_what_to_change(target, WITH_GOALS) };
        // "Change the dentist to last two hours", "change the dentist to two hours".
        let verbs = "last until|last|take|run until|run for|go on until|go on for|end at|finish at";
        let lasting = phrases::after_any(to, verbs).unwrap_or(to);
        let is_end = end_of(lasting).is_some_and(|end| end.is_err() || lasting.len() < to.len());
        if is_end || is_length(lasting) {
            return self.end(target, lasting);
        }
        let when = When::read(to, self.today);
        if when.covers_all(to) && when.has_schedule() {
            return self.move_to(target, to);
        }
        let when = When::read_after("at", to, self.today);
        let covers_all = when.used.iter().all(|used| *used);
        if covers_all && (when.impossible.is_some() || (to.len() > 1 && when.time.is_some())) {
            return self.move_to(target, to);
        }
        let priority = match to {
            [one] => level(&one.lower).filter(|_| one.lower.parse::<u32>().is_err()),
            _ => when.priority.filter(|_| when.covers_all(to)),
        };
        match priority {
            Some(priority) => self.prioritise(target, priority),
            // "Change it to Fridays or so" contains no title.
            None if when.used.first() == Some(&true) && when.has_schedule() => self.ask_what_to_change(target, OPEN),
            // "Change Sara to Sam" replaces a word of the title or all of it; "set it to something better" contains no
            // title.
            None if first.is_one_of("something|anything")
                || target.len() == 1 && to.len() == 1 && !target[0].quoted && !first.quoted =>
            {
                let found = self.resolve(target, WITH_GOALS)?;
                let text = format!("What should \"{}\" be called?", found[0].title);
                Err(Question::new(&text, found.iter().map(Candidate::option).collect()))
            }
            // "Change it to 10.70" is more likely a wrong time than a title.
            None if is_figures(to) => self.ask_what_to_change(target, WITH_GOALS),
            None => self.rename(target, to),
        }
    }

    fn ask_what_to_change(&self, target: &[Token], filter: TargetFilter) -> Changes {
        let found = self.resolve(target, filter)?;
        let titles: Vec<String> = found.iter().map(|of| format!("\"{}\"", of.title)).collect();
        let text = format!(
            "To what should {} be changed? Say it in one sentence, such as \"move {} to Friday\".",
            titles.join(" and "),
            found[0].title
        );
        Err(Question::new(&text, found.iter().map(Candidate::option).collect()))
    }

    /// Returns an update without changes. It must contain the recurrence and its first day, so these are copied.
    pub(in crate::language) fn update(&self, of: &Candidate<'_>) -> Result<Operation, Question> {
        let mut operation = Operation::new(of.kind, Action::Update, Some(of.id));
        if of.kind != Kind::Goal {
            let item = self.item(of)?;
            operation.recurrence = Some(item.recurrence);
            operation.scheduled_for = item.recurrence.repeats().then_some(item.scheduled_for);
        }
        Ok(operation)
    }
}

/// Returns whether no word has a letter or is quoted.
fn is_figures(words: &[Token]) -> bool {
    !words.iter().any(|word| word.quoted || word.text.contains(char::is_alphabetic))
}

/// Returns the new end of an event that is moved within the day, so that its duration stays the same; 23:59 at the
/// latest. `None` if the event has no start or no end.
pub(super) fn kept_end(item: &Item, start: Option<TimeOfDay>) -> Option<TimeOfDay> {
    let (old, end, start) = (item.start_time?, item.end_time?, start?);
    let minutes = (end.hour() * 60 + end.minute()).checked_sub(old.hour() * 60 + old.minute())?;
    Some(start.plus_minutes(minutes))
}
