//! Finds in a clause what says when, how often and how important, and leaves the words that say what.
//!
//! Comes in: a clause. Goes out: a [`When`], with which words it used. [`days`] reads its days, [`hours`] its times of
//! day and [`rules`] how
//! often; here they take turns. Called by all that make operations.

mod days;
mod hours;
mod rules;
mod stretches;

use chrono::{NaiveDate, Weekday};

use super::Today;
use super::day_arithmetic::upcoming;
use super::phrases::after_any;
use super::priorities::priority_phrase;
use super::repeats::{Repeat, repeat};
use super::spans::Span;
use super::tokens::Token;
use crate::record::Priority;
use crate::recurrence::{Recurrence, Rule};
use crate::time_of_day::TimeOfDay;

/// What a clause says besides its subject.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each says something else of the words")]
pub struct When {
    pub date: Option<NaiveDate>,
    pub time: Option<TimeOfDay>,
    pub end_time: Option<TimeOfDay>,
    /// In minutes, and where it stands.
    duration: Option<(u16, std::ops::Range<usize>)>,
    pub repeat: Option<Repeat>,
    pub until: Option<NaiveDate>,
    pub priority: Option<Priority>,
    /// The rule was read from a name, so that one said apart counts more.
    named_repeat: bool,
    /// The date is to be taken away.
    pub no_date: bool,
    /// A time was meant, but not said: "later", "sometime".
    pub vague: bool,
    /// Two days or times are said with "or" between, or two days without.
    pub several: bool,
    /// It takes the whole day.
    pub all_day: bool,
    /// The time is that of a part of the day, which one that is said apart replaces.
    by_part: bool,
    /// A rule is said somewhere, so that "until" is its end.
    repeats: bool,
    /// A rule by days is said, so that "next week" is for how long.
    each_day: bool,
    /// So many times from the first.
    times_in_all: Option<u32>,
    /// Where it is said for how long, if that alone says when it ends.
    length_words: Option<std::ops::Range<usize>>,
    /// For so long from the first.
    until_after: Option<Span>,
    /// For each token whether it was one of these words.
    pub used: Vec<bool>,
}

/// Words that put off without saying to when.
const VAGUE: &str = "late next week|later this week|later next week|later this month|late this week|one day next week|\
    later|sometime|soon|someday|eventually|maybe|perhaps|whenever|some time|at some point|one day|\
    some day|some evening|some morning|some afternoon|some weekend|one evening|one weekend|one of these evenings|\
    some other day|\
    in a bit|in a while|in a few days|in a few weeks|one of these days|another day|another time|some other time|\
    any day|any time|\
    a bit|when i have time|when i get a chance|when there's time|in due course|at a later date|one of those days|\
    in the future";

/// Words that say no more than a day or a time already does.
const NO_MORE: &str = "until late|till late|onwards please|at the latest|inclusive|included|onwards|onward|sharp|\
    or so|instead";

impl When {
    /// Reads a clause. Days are the owner's.
    #[must_use]
    pub fn read(tokens: &[Token], today: Today) -> Self {
        let repeats = (0..tokens.len()).any(|at| !tokens[at].quoted && repeat(&tokens[at..]).is_some());
        let each_day = repeats && tokens.iter().any(|token| token.is_one_of("every|each|daily|everyday"));
        let mut when = Self { used: vec![false; tokens.len()], repeats, each_day, ..Self::default() };
        let mut at = 0;
        while at < tokens.len() {
            let length = if tokens[at].quoted { 0 } else { when.read_at(tokens, at, today) };
            (at..at + length).for_each(|used| when.used[used] = true);
            at += length.max(1);
        }
        when.settle(today);
        when
    }

    /// As if none of the words said when.
    #[must_use]
    pub fn nothing_said(tokens: &[Token]) -> Self {
        Self { used: vec![false; tokens.len()], ..Self::default() }
    }

    /// Reads what stands behind that word, which is not there: "11" as "at 11".
    #[must_use]
    pub fn read_after(word: &str, tokens: &[Token], today: Today) -> Self {
        let plain = Self::read(tokens, today);
        if plain.is_said() {
            return plain;
        }
        Self::read(&[&[Token::made(word)], tokens].concat(), today)
    }

    /// "Stretch for ten minutes at nine": how long is a part of what is to be done.
    #[must_use]
    pub fn without_length(&self) -> Option<Self> {
        let words = self.length_words.clone()?;
        let mut when = Self { end_time: None, length_words: None, ..self.clone() };
        words.for_each(|at| when.used[at] = false);
        Some(when)
    }

    /// Whether it says when or how often.
    #[must_use]
    pub fn is_said(&self) -> bool {
        self.date.is_some() || self.time.is_some() || self.repeat.is_some() || self.no_date || self.all_day
    }

    /// Whether nothing but these words stands there.
    #[must_use]
    pub fn is_all(&self, tokens: &[Token]) -> bool {
        let said = self.is_said() || self.priority.is_some();
        said && tokens.iter().zip(&self.used).all(|(token, used)| *used || token.is_mark() || token.is("please"))
    }

    /// The rules to keep, each with its first day: one, or one for each day of the week. `None` for what cannot be
    /// kept.
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
        if let Some(length) = self.read_priority(rest).or_else(|| self.read_level(tokens, at)) {
            return length;
        }
        if let Some(length) = self.read_repeat(tokens, at) {
            return length;
        }
        let said_apart = self
            .read_days_on_end(rest)
            .or_else(|| self.read_in_hours(rest, today))
            .or_else(|| self.read_stretch(rest, today))
            .or_else(|| self.read_number_of_times(rest, at))
            .or_else(|| self.read_end(rest, today))
            .or_else(|| self.read_end_time(rest))
            .or_else(|| self.read_no_more(rest, at))
            .or_else(|| self.read_first_time(rest, at))
            .or_else(|| self.read_leading_time(rest, at))
            .or_else(|| self.read_duration(tokens, at))
            .or_else(|| self.read_times_by_day(tokens, at, today));
        if let Some(length) = said_apart {
            return length;
        }
        if let Some(length) = self.read_day(rest, at, tokens, today) {
            return length + self.read_part_of_day(rest, length);
        }
        self.read_times(rest, today).unwrap_or_else(|| self.read_other(rest))
    }

    /// "at the latest", "(inclusive)" right behind what is read.
    fn read_no_more(&mut self, rest: &[Token], at: usize) -> Option<usize> {
        if let Some(after) = after_any(rest, "all day|all-day|all day long|the whole day|whole day") {
            self.all_day = true;
            return Some(rest.len() - after.len());
        }
        let after = after_any(rest, NO_MORE).filter(|_| at > 0 && self.is_said())?;
        (self.used[at - 1] || rest[0].is("at")).then_some(rest.len() - after.len())
    }

    /// "From 3 to 10 August": asked about.
    fn read_days_on_end(&mut self, rest: &[Token]) -> Option<usize> {
        let lead = usize::from(rest[0].is_one_of("from|on|between") && rest.len() > 1);
        let length = super::dates::day_range(&rest[lead..])?;
        self.several = true;
        Some(lead + length)
    }

    fn read_priority(&mut self, rest: &[Token]) -> Option<usize> {
        let (length, priority) = priority_phrase(rest)?;
        self.priority = Some(priority);
        Some(length)
    }

    /// "(low)", ", high": a level between marks.
    fn read_level(&mut self, tokens: &[Token], at: usize) -> Option<usize> {
        let behind_mark = at > 1 && tokens[at - 1].is_one_of(",|(|-|–|[|:");
        let ends = tokens.get(at + 1).is_none_or(Token::is_mark);
        let is_level = tokens[at].is_one_of("high|low|medium") && behind_mark && ends;
        self.priority = self.priority.or(is_level.then(|| super::priorities::level(&tokens[at].lower)).flatten());
        is_level.then_some(1)
    }

    fn read_other(&mut self, rest: &[Token]) -> usize {
        if let Some(length) = impossible(rest) {
            self.vague = true;
            return length;
        }
        if self.repeats && rest[0].is_one_of("except|unless|excluding|excepting|skipping|barring") {
            self.vague = true;
            return 1;
        }
        let starts = |phrase: &str| {
            phrase.split(' ').enumerate().all(|(at, word)| rest.get(at).is_some_and(|token| token.is(word)))
        };
        if starts("no date") || starts("no due date") {
            self.no_date = true;
            return if starts("no date") { 2 } else { 3 };
        }
        match after_any(rest, VAGUE) {
            Some(after) => {
                self.vague = true;
                rest.len() - after.len()
            }
            None => 0,
        }
    }

    fn settle(&mut self, today: Today) {
        match (self.duration.take(), self.time) {
            (Some((minutes, words)), Some(time)) => {
                self.length_words = self.end_time.is_none().then_some(words);
                self.end_time = self.end_time.or(Some(time.plus_minutes(minutes)));
            }
            // Without a time it says what is to be done: "read for 20 minutes".
            (Some((_, words)), None) => words.for_each(|at| self.used[at] = false),
            (None, _) => {}
        }
        if let Some(span) = self.until_after {
            self.until = self.until.or_else(|| span.after(self.date.unwrap_or(today.date))?.pred_opt());
        }
        // "every Monday" begins on the next Monday; said with a later day, from there.
        let day_of_week = match &self.repeat {
            Some(Repeat::On(days)) if days.len() == 1 => Some(days[0]),
            Some(Repeat::OnEach(day, _)) => Some(*day),
            _ => None,
        };
        if let (Some(day), None) = (day_of_week, self.date) {
            self.date = Some(on_or_after(today.date, day));
        }
        self.settle_times(today.date);
    }
}

/// How many words say a day or time that cannot be known: "4/5", "30 February", "the 32nd", "25:00".
fn impossible(rest: &[Token]) -> Option<usize> {
    let lead = usize::from(rest[0].is_one_of("on|at|by|from|until|to|for|due") && rest.len() > 1);
    let said = &rest[lead..];
    let first = said.first().filter(|first| !first.quoted)?;
    let is_time = |text: &str| {
        text.split_once(':').is_some_and(|(hour, minute)| {
            let figures = |text: &str| super::numbers::figures(text, 2).filter(|_| text.len() == 2);
            matches!((figures(hour), figures(minute)), (Some(hour), Some(minute)) if hour > 23 || minute > 59)
        })
    };
    if super::periods::is_ambiguous(&first.lower) || is_time(&first.lower) || is_impossible_date(&first.lower) {
        return Some(lead + 1);
    }
    let the = usize::from(first.is("the"));
    super::dates::impossible(&said[the..], the == 1).map(|(length, ())| lead + the + length)
}

/// "2026-02-30".
fn is_impossible_date(text: &str) -> bool {
    let parts: Vec<_> = text.split('-').map(|part| super::numbers::figures(part, 4)).collect();
    matches!(parts[..], [Some(year), Some(_), Some(_)] if year > 999)
}

/// That day of the week, today at the earliest.
#[must_use]
pub fn on_or_after(first: NaiveDate, day: Weekday) -> NaiveDate {
    first.pred_opt().map_or(first, |before| upcoming(before, day))
}
