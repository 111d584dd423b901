//! Extracts the date, time, recurrence and priority from a clause. The other words are the title.
//!
//! Input: a clause. Output: a [`When`], which lists the words it used. [`days`] parses days, [`hours`] times of day,
//! [`rules`] repetitions, [`extents`] their extent and [`impossible`] what does not exist; this module calls them in
//! turn. Called by all modules that build operations.

mod days;
mod extents;
mod hours;
mod impossible;
mod rules;

use chrono::{NaiveDate, Weekday};

use super::day_arithmetic::upcoming;
use super::durations::duration;
use super::exceptions::exception;
use super::priorities::priority_phrase;
use super::repeats::{Repeat, repeat_at};
use super::spans::Span;
use crate::language::Today;
use crate::language::text::phrases::after_any;
use crate::language::text::tokens::Token;
use crate::language::text::words::{WordList, word_list};
use crate::record::Priority;
use crate::recurrence::{Recurrence, Rule};
use crate::time_of_day::TimeOfDay;
pub use impossible::Impossible;

/// What a clause contains besides its title.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each says something else of the words")]
pub struct When {
    pub date: Option<NaiveDate>,
    pub time: Option<TimeOfDay>,
    pub end_time: Option<TimeOfDay>,
    /// In minutes, with its position in the tokens.
    duration: Option<(u16, std::ops::Range<usize>)>,
    pub repeat: Option<Repeat>,
    pub until: Option<NaiveDate>,
    pub priority: Option<Priority>,
    /// The rule is part of a name, so that a separate one takes precedence.
    named_repeat: bool,
    /// The date is to be removed.
    pub no_date: bool,
    /// A time is meant but not given: "later", "sometime".
    pub vague: bool,
    /// Why the day or time that is written cannot be used: it does not exist, or it can be two. `vague` is set too.
    pub impossible: Option<Impossible>,
    /// There are two days or times with "or" between them, or two different ones.
    pub is_ambiguous: bool,
    /// The clause names several days, which a day that the user selects answers.
    pub names_days: bool,
    /// Two different times, in the order in which they are written.
    pub two_times: Option<(TimeOfDay, TimeOfDay)>,
    /// The event takes the whole day.
    pub all_day: bool,
    /// The time comes from a part of the day, and an explicit time replaces it.
    from_part_of_day: bool,
    /// The words of the time determine its half of the day.
    half_is_written: bool,
    /// The part of the day is the night.
    is_at_night: bool,
    /// The clause contains a rule, so that "until" is its end.
    repeats: bool,
    /// The clause contains a rule by days, so that "next week" is its extent.
    each_day: bool,
    /// The clause contains a duration, so that "from 10" is its start.
    lasts: bool,
    /// Number of occurrences.
    occurrence_count: Option<u32>,
    /// Position of the duration, if the end time was computed from it.
    duration_words: Option<std::ops::Range<usize>>,
    /// Extent of the repetition, from its first day.
    extent: Option<Span>,
    /// Whether each token was used.
    pub used: Vec<bool>,
}

/// Phrases that postpone without a date.
static VAGUE: WordList = WordList::new(|| word_list(include_str!("../../words/vague.txt")));

/// Phrases that add nothing to a day or time.
const FILLERS: &str = "until late|till late|onwards please|at the latest|inclusive|included|onwards|onward|sharp|\
    or so|instead";

impl When {
    /// Parses a clause. Days are in the user's time zone.
    #[must_use]
    pub fn read(tokens: &[Token], today: Today) -> Self {
        let repeats = (0..tokens.len()).any(|at| !tokens[at].quoted && repeat_at(tokens, at).is_some());
        let each_day = repeats && tokens.iter().any(|token| token.is_one_of("every|each|daily|everyday"));
        let lasts = (0..tokens.len()).any(|at| !tokens[at].quoted && duration(&tokens[at..]).is_some());
        let mut when = Self { used: vec![false; tokens.len()], repeats, each_day, lasts, ..Self::default() };
        let mut at = 0;
        while at < tokens.len() {
            let in_title = when.end_without_start(&tokens[at..]);
            if in_title > 0 {
                at += in_title;
                continue;
            }
            let length = if tokens[at].quoted { 0 } else { when.read_at(tokens, at, today) };
            (at..at + length).for_each(|used| when.used[used] = true);
            at += length.max(1);
        }
        when.settle_midnight(tokens);
        when.settle(today);
        when
    }

    /// Returns a result in which no word was used.
    #[must_use]
    pub fn without_schedule(tokens: &[Token]) -> Self {
        Self { used: vec![false; tokens.len()], ..Self::default() }
    }

    /// Parses the tokens. If they contain nothing, parses them as if preceded by `word`: "11" as "at 11".
    #[must_use]
    pub fn read_after(word: &str, tokens: &[Token], today: Today) -> Self {
        let plain = Self::read(tokens, today);
        if plain.has_schedule() {
            return plain;
        }
        Self::read(&[&[Token::made(word)], tokens].concat(), today)
    }

    /// Returns the result with the duration left in the title: "Stretch for ten minutes at nine". `None` if no end was
    /// computed from one.
    #[must_use]
    pub fn without_duration(&self) -> Option<Self> {
        let words = self.duration_words.clone()?;
        let mut when = Self { end_time: None, duration_words: None, ..self.clone() };
        words.for_each(|at| when.used[at] = false);
        Some(when)
    }

    /// Returns whether a single day has a time for something that takes as long as an appointment: "paint the wall on
    /// Saturday at 10 for two hours".
    #[must_use]
    pub fn is_appointment(&self) -> bool {
        const MIN_MINUTES: u16 = 30;
        let lasts = |(start, end): (TimeOfDay, TimeOfDay)| start.plus_minutes(MIN_MINUTES) <= end;
        self.repeat.is_none() && self.date.is_some() && self.time.zip(self.end_time).is_some_and(lasts)
    }

    /// Returns the result with the day that the user gave as the answer to the question on which day it is. `None` if
    /// another question is open.
    #[must_use]
    pub fn answered(&self, tokens: &[Token], day: NaiveDate, today: Today) -> Option<Self> {
        let names_days = self.names_days && self.two_times.is_none();
        let has_passed = self.date.is_none_or(|date| date < today.date) || self.has_passed(today);
        let asks_day = self.vague || names_days || has_passed;
        let asks_other = (self.is_ambiguous && !names_days)
            || self.repeat.is_some()
            || self.impossible.as_ref().is_some_and(|found| found.is_time);
        if !asks_day || asks_other {
            return None;
        }
        let mut when = Self {
            date: Some(day),
            vague: false,
            no_date: false,
            impossible: None,
            is_ambiguous: false,
            names_days: false,
            ..self.clone()
        };
        // The word in "Friday or Saturday" is part of what was asked about.
        let joins = |at: &usize| {
            tokens[*at].is_one_of("or|and|to|until|till|through|/|-|–|—|&") && self.used[at - 1] && self.used[at + 1]
        };
        (1..tokens.len().saturating_sub(1)).filter(joins).for_each(|at| when.used[at] = true);
        Some(when)
    }

    /// Returns whether the clause contains a date, a time or a repetition.
    #[must_use]
    pub fn has_schedule(&self) -> bool {
        self.date.is_some() || self.time.is_some() || self.repeat.is_some() || self.no_date || self.all_day
    }

    /// Returns whether the tokens contain nothing else.
    #[must_use]
    pub fn covers_all(&self, tokens: &[Token]) -> bool {
        let has_any = self.has_schedule() || self.priority.is_some();
        has_any && tokens.iter().zip(&self.used).all(|(token, used)| *used || token.is_mark() || token.is("please"))
    }

    /// Returns the rules with their first days: one, or one for each day of the week. `None` if the repetition is not
    /// supported.
    #[must_use]
    pub fn recurrences(&self, first: NaiveDate) -> Option<Vec<(NaiveDate, Recurrence)>> {
        let of = |rule| Recurrence { rule, until: self.until };
        match &self.repeat {
            None => Some(Vec::new()),
            Some(Repeat::Unsupported(_)) => None,
            Some(Repeat::Rule(rule)) => Some(vec![(first, of(*rule))]),
            Some(Repeat::OnEach(day, weeks)) => {
                Some(vec![(on_or_after(first, *day), of(Rule::EveryNDays(weeks.checked_mul(7)?)))])
            }
            Some(Repeat::On(days)) => {
                let from_day = |day: &Weekday| (on_or_after(first, *day), of(Rule::Weekly));
                Some(days.iter().map(from_day).collect())
            }
        }
    }

    fn read_at(&mut self, tokens: &[Token], at: usize, today: Today) -> usize {
        let rest = &tokens[at..];
        if let Some(length) = exception(rest).filter(|_| self.repeats) {
            self.vague = true;
            return length;
        }
        if let Some(length) = self.read_zone(tokens, at) {
            return length;
        }
        if let Some(length) = self.read_priority(rest).or_else(|| self.read_level(tokens, at)) {
            return length;
        }
        if let Some(length) = self.read_repeat(tokens, at) {
            return length;
        }
        let separate = self
            .read_days_on_end(rest)
            .or_else(|| self.read_in_hours(rest, today))
            .or_else(|| self.read_extent(rest, today))
            .or_else(|| self.read_number_of_times(rest, at))
            .or_else(|| self.read_end(rest, today))
            .or_else(|| self.read_end_time(rest))
            .or_else(|| self.read_filler(rest, at))
            .or_else(|| self.read_first_time(rest, at))
            .or_else(|| self.read_leading_time(rest, at))
            .or_else(|| self.read_duration(tokens, at))
            .or_else(|| self.read_start(tokens, at))
            .or_else(|| self.read_times_by_day(tokens, at, today));
        if let Some(length) = separate {
            return length;
        }
        if let Some(length) = self.read_day(rest, at, tokens, today) {
            return length + self.read_part_of_day(rest, length);
        }
        self.read_times(rest, today).unwrap_or_else(|| self.read_other(rest, today))
    }

    /// Parses "at the latest", "(inclusive)" directly after a parsed phrase.
    fn read_filler(&mut self, rest: &[Token], at: usize) -> Option<usize> {
        if let Some(after) = after_any(rest, "all day|all-day|all day long|the whole day|whole day") {
            self.all_day = true;
            return Some(rest.len() - after.len());
        }
        let after = after_any(rest, FILLERS).filter(|_| at > 0 && self.has_schedule())?;
        (self.used[at - 1] || rest[0].is("at")).then_some(rest.len() - after.len())
    }

    /// Parses "From 3 to 10 August": marks the days as ambiguous.
    fn read_days_on_end(&mut self, rest: &[Token]) -> Option<usize> {
        let lead = usize::from(rest[0].is_one_of("from|on|between") && rest.len() > 1);
        let length = super::dates::day_range(&rest[lead..])?;
        self.note_several_days(true);
        Some(lead + length)
    }

    fn note_several_days(&mut self, are_several: bool) {
        self.is_ambiguous |= are_several;
        self.names_days |= are_several;
    }

    fn read_priority(&mut self, rest: &[Token]) -> Option<usize> {
        let (length, priority) = priority_phrase(rest)?;
        self.priority = Some(priority);
        Some(length)
    }

    /// Parses "(low)", ", high": a priority between punctuation marks.
    fn read_level(&mut self, tokens: &[Token], at: usize) -> Option<usize> {
        let after_mark = at > 1 && tokens[at - 1].is_one_of(",|(|-|–|[|:");
        let ends = tokens.get(at + 1).is_none_or(Token::is_mark);
        let is_level = tokens[at].is_one_of("high|low|medium") && after_mark && ends;
        self.priority = self.priority.or(is_level.then(|| super::priorities::level(&tokens[at].lower)).flatten());
        is_level.then_some(1)
    }

    fn read_other(&mut self, rest: &[Token], today: Today) -> usize {
        if let Some((length, found)) = impossible::impossible(rest, today.date) {
            self.vague = true;
            self.impossible = self.impossible.take().or(Some(found));
            return length;
        }
        if let Some(length) = rules::unknown_end(rest).filter(|_| self.repeats && self.until.is_none()) {
            self.note_unknown_end(&rest[..length]);
            return length;
        }
        let starts = |phrase: &str| {
            phrase.split(' ').enumerate().all(|(at, word)| rest.get(at).is_some_and(|token| token.is(word)))
        };
        if starts("no date") || starts("no due date") {
            self.no_date = true;
            return if starts("no date") { 2 } else { 3 };
        }
        match after_any(rest, &VAGUE) {
            Some(after) => {
                self.vague = true;
                rest.len() - after.len()
            }
            None => 0,
        }
    }

    /// Asks for the last day instead of words that name none, since the repetition would never end without it.
    fn note_unknown_end(&mut self, words: &[Token]) {
        let said: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        let why = format!(
            "The day of \"{}\" is not known, and without its last day a repetition never ends. Say that day, such as \
             \"until 3 May\", or put the words in quotation marks if they belong to the title.",
            said.join(" ")
        );
        self.vague = true;
        self.impossible = self.impossible.take().or(Some(Impossible { why, is_time: false }));
    }

    fn settle(&mut self, today: Today) {
        self.settle_night(today);
        self.settle_part_of_day(today);
        match (self.duration.take(), self.time) {
            (Some((minutes, words)), Some(time)) => {
                self.duration_words = self.end_time.is_none().then_some(words);
                self.end_time = self.end_time.or(Some(time.plus_minutes(minutes)));
            }
            // Without a time the duration is part of the title: "read for 20 minutes".
            (Some((_, words)), None) => words.for_each(|at| self.used[at] = false),
            (None, _) => {}
        }
        if let Some(span) = self.extent {
            self.until = self.until.or_else(|| span.after(self.date.unwrap_or(today.date))?.pred_opt());
        }
        // "every Monday" begins on the next Monday, or on the first one from a given date.
        let day_of_week = match &self.repeat {
            Some(Repeat::On(days)) if days.len() == 1 => Some(days[0]),
            Some(Repeat::OnEach(day, _)) => Some(*day),
            _ => None,
        };
        if let (Some(day), None) = (day_of_week, self.date) {
            self.date = Some(on_or_after(today.date, day));
        }
        self.resolve_occurrence_count(today.date, day_of_week);
    }
}

/// Returns the first such day of the week from `first` on.
#[must_use]
pub fn on_or_after(first: NaiveDate, day: Weekday) -> NaiveDate {
    first.pred_opt().map_or(first, |before| upcoming(before, day))
}
