//! Finds in a clause what says when, how often and how important, and leaves the words that say what.

use chrono::{Days, NaiveDate, Weekday};

use super::Today;
use super::dates::{self, Span, span};
use super::day_arithmetic::upcoming;
use super::numbers::month;
use super::priorities::priority_phrase;
use super::repeats::{Repeat, repeat};
use super::times;
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
    /// For each token whether it was one of these words.
    pub used: Vec<bool>,
}

/// Words that stand before a day.
const LEADS: &str = "on|by|for|due|deadline|before|from|starting|beginning|until|till|this|to|over|at|starts|begins|\
    since|commencing|\
    no later than|not later than|latest by|at the latest by|at the latest on|up to|any time before|sometime before|\
    ahead of|in time for|as of|effective|with effect from|\
    start|latest|within|date|during|as from";

/// Words that put off without saying to when.
const VAGUE: &str = "later|sometime|soon|someday|eventually|maybe|perhaps|whenever|some time|at some point|one day|\
    some day|\
    in a bit|in a while|in a few days|in a few weeks|one of these days|another day|another time|some other time|\
    any day|any time|\
    a bit|when i have time|when i get a chance|when there's time|in due course|at a later date|one of those days|\
    in the future";

/// Words that say no more than a day or a time already does.
const NO_MORE: &str = "at the latest|inclusive|included|onwards|onward|sharp|or so|instead";

impl When {
    /// Reads a clause. Days are the owner's.
    #[must_use]
    pub fn read(tokens: &[Token], today: Today) -> Self {
        let repeats = (0..tokens.len()).any(|at| !tokens[at].quoted && repeat(&tokens[at..]).is_some());
        let mut when = Self { used: vec![false; tokens.len()], repeats, ..Self::default() };
        let mut at = 0;
        while at < tokens.len() {
            let length = if tokens[at].quoted { 0 } else { when.read_at(tokens, at, today) };
            (at..at + length).for_each(|used| when.used[used] = true);
            at += length.max(1);
        }
        when.settle(today);
        when
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

    /// The rules to keep, each with its first day: one, or one for each day of the week. `None` for what cannot be kept.
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
        if let Some(length) = self.read_priority(rest) {
            return length;
        }
        if let Some(length) = self.read_repeat(tokens, at) {
            return length;
        }
        if let Some((length, time)) = in_hours(rest) {
            let minutes = i64::from(today.time.hour()) * 60 + i64::from(today.time.minute()) + i64::from(time);
            self.date = today.date.checked_add_signed(chrono::Duration::days(minutes.div_euclid(24 * 60)));
            let of_day = u16::try_from(minutes.rem_euclid(24 * 60)).unwrap_or(0);
            self.time = TimeOfDay::new(of_day / 60, of_day % 60);
            return length;
        }
        if let Some(length) = self.read_end(rest, today).or_else(|| self.read_end_time(rest)) {
            return length;
        }
        if let Some(length) = self.read_no_more(rest, at) {
            return length;
        }
        if let Some(length) = self.read_leading_time(rest, at) {
            return length;
        }
        // "17:15 (45 min)": a length right behind the time.
        let behind = self.time.is_some() && at > 1 && tokens[at - 1].is_one_of(",|(") && self.used[at - 2];
        let length = super::durations::duration(rest).or_else(|| super::durations::minutes(rest).filter(|_| behind));
        if let Some((length, minutes)) = length {
            self.duration = Some((minutes, at..at + length));
            return length;
        }
        let after_day = self.is_after_day(tokens, at);
        let with_times = |(length, _): &(usize, times::Times)| after_day || begins_day(rest, *length, today);
        if let Some((length, (start, end))) =
            times::times_after(rest, true).filter(with_times).filter(|found| found.0 > 0 && !counts(tokens, at))
        {
            self.take_times(start, end);
            self.several |= is_or(rest, length, today);
            return length;
        }
        if let Some((length, days)) = self.read_day(rest, at, tokens, today) {
            return length + self.read_part_of_day(&tokens[at..], length) * usize::from(days);
        }
        if let Some((length, (start, end))) = times::times(rest).filter(|(length, _)| *length > 0) {
            let by_part = rest[0].is_one_of("in|during|over")
                || (rest[0].is("at") && rest.get(1).is_some_and(|next| next.is("night")));
            if by_part && rest.get(1).is_some_and(|next| next.is("the") || next.is("night")) {
                self.take_part(start);
            } else {
                self.take_times(start, end);
            }
            self.several |= is_or(rest, length, today);
            return length;
        }
        self.read_other(rest)
    }

    /// How often; a word of it that is a part of a name, such as "the weekly review", is no words of its own.
    fn read_repeat(&mut self, tokens: &[Token], at: usize) -> Option<usize> {
        let rest = &tokens[at..];
        let (length, found) = repeat(rest)?;
        let part = self.read_part_of_day(rest, length);
        // "the weekly review": how often, and a part of the name.
        let names = length == 1 && at + 1 < tokens.len() && rest[0].lower.ends_with("ly") && is_name(&rest[1]);
        if names {
            let known = matches!(found, Repeat::Rule(_)) && self.repeat.is_none();
            self.repeat = self.repeat.take().or(known.then_some(found));
            self.named_repeat |= known;
            return Some(0);
        }
        let joined = self.repeat.take().map(|known| joined(&known, &found));
        self.several |= matches!(joined, Some(None)) && !self.named_repeat;
        self.repeat = joined.flatten().or(Some(found));
        Some(length + part)
    }

    /// "on Friday", "tomorrow", "by the end of the month". Whether a part of the day may follow.
    fn read_day(&mut self, rest: &[Token], at: usize, all: &[Token], today: Today) -> Option<(usize, bool)> {
        let mut skipped = 0;
        for _ in 0..3 {
            skipped += lead(&rest[skipped..]);
        }
        if rest.get(skipped).is_some_and(|token| token.is("of")) && skipped > 0 {
            skipped += 1;
        }
        let led = skipped > 0
            || (at > 0 && all[at - 1].is_one_of("next|this|coming"))
            || (at > 0 && is_short_day(rest, &all[at - 1]));
        let (length, mut day) = dates::day(rest.get(skipped..)?, today.date, led)?;
        if skipped > 0 && rest[skipped - 1].is("before") && !rest[0].is_one_of("any|sometime") {
            day = day - Days::new(1);
        }
        self.note_tonight(&rest[skipped..]);
        let named_twice = self.date.is_some_and(|known| known != day) && self.until.is_none();
        self.several |= named_twice || is_or(rest, skipped + length, today);
        self.date = Some(day);
        Some((skipped + length, true))
    }

    /// "Tomorrow at 6 gym": where nothing but a day stands before, "at" and a number are a time whatever follows.
    fn read_leading_time(&mut self, rest: &[Token], at: usize) -> Option<usize> {
        let leads = at > 0 && self.used[..at].iter().all(|used| *used) && rest.len() > 2 && rest[0].is("at");
        if !leads || times::times(rest).is_some_and(|(length, _)| length > 2) {
            return None;
        }
        let (length, (time, _)) = times::times(&rest[..2]).filter(|(length, _)| *length == 2)?;
        self.take_times(time, None);
        Some(length)
    }

    /// "until 3", "ends at half past four", where it is said when it begins.
    fn read_end_time(&mut self, rest: &[Token]) -> Option<usize> {
        let leads = "until|till|til|to|ends at|ends|ending at|ending|finishing at|finishes at|finishing|finish at|end";
        let after = super::phrases::after_any(rest, leads)?;
        let start = self.time.filter(|_| self.end_time.is_none())?;
        let (length, end) = super::clock::written(after)?;
        let goes_on = after
            .get(length)
            .is_some_and(|next| !next.is_mark() && !next.is_one_of("on|at|in|every|with|and|tomorrow|today"));
        let later = super::clock::Written { half: Some(super::clock::Half::Pm), ..end };
        let end = end.time().filter(|end| *end > start).or_else(|| later.time().filter(|end| *end > start))?;
        self.end_time = Some(end).filter(|_| !goes_on);
        self.end_time.map(|_| rest.len() - after.len() + length)
    }

    /// "at the latest", "(inclusive)" right behind what is read.
    fn read_no_more(&mut self, rest: &[Token], at: usize) -> Option<usize> {
        if let Some(after) = super::phrases::after_any(rest, "all day|all-day|all day long|the whole day|whole day") {
            self.all_day = true;
            return Some(rest.len() - after.len());
        }
        let after = super::phrases::after_any(rest, NO_MORE).filter(|_| at > 0 && self.is_said())?;
        (self.used[at - 1] || rest[0].is("at")).then_some(rest.len() - after.len())
    }

    /// Whether a day stands right before, with at most a comma between.
    fn is_after_day(&self, tokens: &[Token], at: usize) -> bool {
        let before = if at > 0 && tokens[at - 1].is(",") { at - 1 } else { at };
        (self.date.is_some() || self.repeat.is_some()) && before > 0 && self.used[before - 1] && self.time.is_none()
    }

    /// "tonight" and "this evening" say the time too.
    fn note_tonight(&mut self, rest: &[Token]) {
        if let Some((0, (time, _))) = times::times(rest) {
            self.take_part(time);
        }
    }

    /// A time that was said. Where the part of the day is known, it says which half is meant.
    fn take_times(&mut self, start: TimeOfDay, end: Option<TimeOfDay>) {
        let part = self.time.filter(|_| self.by_part);
        self.several |= self.time.is_some_and(|time| time != start) && part.is_none();
        let in_half = |time| part.map_or(Some(time), |part| in_half_of(part, time));
        (self.time, self.end_time) = (in_half(start), end.and_then(in_half));
        self.by_part = false;
    }

    /// The part of the day: alone it stands for an hour.
    fn take_part(&mut self, part: TimeOfDay) {
        if let Some(time) = self.time {
            self.time = in_half_of(part, time);
            self.end_time = self.end_time.and_then(|end| in_half_of(part, end));
        } else {
            (self.time, self.by_part) = (Some(part), true);
        }
    }

    /// "morning" after a day.
    fn read_part_of_day(&mut self, rest: &[Token], at: usize) -> usize {
        match times::bare_part_of_day(rest.get(at)) {
            Some(time) => {
                self.take_part(time);
                1
            }
            None => 0,
        }
    }

    /// The end of a repetition: "until June", "through Friday", "for three weeks".
    fn read_end(&mut self, rest: &[Token], today: Today) -> Option<usize> {
        let first = rest.first().filter(|_| self.repeats)?;
        let next =
            if rest.get(1).is_some_and(|token| token.is("the")) && rest.get(2).is_some_and(|token| token.is("next")) {
                3
            } else {
                1
            };
        if first.is("for")
            && let Some((length, span)) = span(rest.get(next..)?)
        {
            let length = length + next - 1;
            let start = self.date.unwrap_or(today.date);
            self.until = span.after(start)?.pred_opt();
            return Some(length + 1);
        }
        let after = super::phrases::after_any(
            rest,
            "up to and including|until and including|up until|until the|until|till|til|through|ending on|ending|'til|\
                to|\
                up to|ends on|ends|last time",
        )?;
        let the = usize::from(rest.len() - after.len() == 2 && rest[1].is("the"));
        let more = rest.len() - after.len() - the;
        let more = more + usize::from(rest.get(more).is_some_and(|token| token.is_one_of("on|and")));
        let (length, mut day) = dates::day(rest.get(more..)?, today.date, true)?;
        let month_alone = length == 1 && rest.get(more).is_some_and(|token| month(&token.lower).is_some());
        if month_alone {
            // Until June is up to where June begins; through June is June too.
            let through = first.is("through") || rest.iter().take(more).any(|token| token.is("including"));
            day = if through { Span::Months(1).after(day)?.pred_opt()? } else { day.pred_opt()? };
        }
        self.until = Some(day);
        Some(more + length)
    }

    fn read_priority(&mut self, rest: &[Token]) -> Option<usize> {
        let (length, priority) = priority_phrase(rest)?;
        self.priority = Some(priority);
        Some(length)
    }

    fn read_other(&mut self, rest: &[Token]) -> usize {
        if super::periods::is_ambiguous(&rest[0].lower) {
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
        match VAGUE.split('|').find(|phrase| starts(phrase)) {
            Some(phrase) => {
                self.vague = true;
                phrase.split(' ').count()
            }
            None => 0,
        }
    }

    fn settle(&mut self, today: Today) {
        match (self.duration.take(), self.time) {
            (Some((minutes, _)), Some(time)) => self.end_time = self.end_time.or(Some(time.plus_minutes(minutes))),
            // Without a time it says what is to be done: "read for 20 minutes".
            (Some((_, words)), None) => words.for_each(|at| self.used[at] = false),
            (None, _) => {}
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
    }
}

/// The word or phrase before a day that the tokens begin with.
fn lead(tokens: &[Token]) -> usize {
    let phrases = LEADS.split('|').filter(|phrase| *phrase != "this");
    phrases
        .filter_map(|phrase| super::phrases::after(tokens, phrase))
        .map(|rest| tokens.len() - rest.len())
        .max()
        .unwrap_or(0)
}

/// Whether a day begins there, with nothing between.
fn begins_day(tokens: &[Token], at: usize, today: Today) -> bool {
    let rest = tokens.get(at..).unwrap_or_default();
    let rest = &rest[usize::from(rest.first().is_some_and(|token| token.is_one_of("on|,")))..];
    at > 0 && dates::day(rest, today.date, true).is_some()
}

/// "pages 9-12": a noun before says what the figures count.
fn counts(tokens: &[Token], at: usize) -> bool {
    let nouns = "chapter|chapters|page|pages|question|questions|exercise|exercises|part|parts|item|items|step|steps|\
        number|\
        numbers|section|sections|level|levels|age|aged|ages|lesson|lessons|unit|units|room|gate|version|episode|\
        episodes|seats|rows";
    at > 0 && tokens[at - 1].is_one_of(nouns)
}

/// "once a week on Sundays", "every two weeks on Monday": one rule in two parts. `None` for two rules.
fn joined(known: &Repeat, found: &Repeat) -> Option<Repeat> {
    match (known, found) {
        (Repeat::Rule(Rule::Weekly), Repeat::On(days)) | (Repeat::On(days), Repeat::Rule(Rule::Weekly)) => {
            Some(Repeat::On(days.clone()))
        }
        (Repeat::Rule(Rule::EveryNDays(days)), Repeat::On(on))
        | (Repeat::On(on), Repeat::Rule(Rule::EveryNDays(days)))
            if days % 7 == 0 && on.len() == 1 =>
        {
            Some(Repeat::OnEach(on[0], days / 7))
        }
        _ => None,
    }
}

/// The time in the half of the day in which that part is: "8" and "evening" are 20:00, "7" and "morning" 07:00.
fn in_half_of(part: TimeOfDay, time: TimeOfDay) -> Option<TimeOfDay> {
    let (morning, before_noon) = (part.hour() < 12, time.hour() < 12);
    match (morning, before_noon) {
        (true, false) if time.hour() > 12 => TimeOfDay::new(time.hour() - 12, time.minute()),
        (false, true) if time.hour() > 0 => TimeOfDay::new(time.hour() + 12, time.minute()),
        _ => Some(time),
    }
}

/// "in two hours", in minutes.
fn in_hours(rest: &[Token]) -> Option<(usize, u32)> {
    let [lead, number, unit, ..] = rest else { return None };
    let number = super::numbers::count(&number.lower).filter(|_| lead.is("in") && !number.quoted)?;
    let of = if unit.is_one_of("hour|hours|hrs|h") { 60 } else { u32::from(unit.is_one_of("minute|minutes|min|mins")) };
    (of > 0).then_some((3, number * of))
}

/// "… dry cleaning sat": a day's short name where a clause ends or a time follows, and no article stands before.
fn is_short_day(rest: &[Token], before: &Token) -> bool {
    let is_short = rest[0].is_one_of("mon|tue|tues|wed|weds|thu|thur|thurs|fri|sat|sun");
    let ends = rest.get(1).is_none_or(|next| {
        next.is_mark()
            || next.is_one_of(
                "at|@|in|noon|morning|afternoon|evening|night|from|between|around|by|for|every|before|after|and|then",
            )
            || next.text.starts_with(|c: char| c.is_ascii_digit())
    });
    is_short && ends && !before.is_one_of("the|a|an|my|in|this|of|with")
}

/// A word that goes on with a name, not with when.
fn is_name(token: &Token) -> bool {
    !(token.is_mark()
        || token.quoted
        || token.is_one_of("at|on|from|starting|until|till|for|in|through|and|or|beginning|to|with|please|by|as|of"))
}

/// Whether another day or time follows after "or".
fn is_or(rest: &[Token], at: usize, today: Today) -> bool {
    let joined = rest.get(at).is_some_and(|token| token.is_one_of("or|/"));
    let after = rest.get(at + 1..).unwrap_or_default();
    joined && (dates::day(after, today.date, true).is_some() || times::times(after).is_some())
}

/// That day of the week, today at the earliest.
#[must_use]
pub fn on_or_after(first: NaiveDate, day: Weekday) -> NaiveDate {
    first.pred_opt().map_or(first, |before| upcoming(before, day))
}
