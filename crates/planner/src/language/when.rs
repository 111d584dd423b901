//! Finds in a clause what says when, how often and how important, and leaves the words that say what.

use chrono::{Days, NaiveDate, Weekday};

use super::Today;
use super::dates::{self, Span, span, upcoming};
use super::numbers::month;
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
    /// For each token whether it was one of these words.
    pub used: Vec<bool>,
}

/// Words that stand before a day.
const LEADS: &str = "on|by|for|due|deadline|before|from|starting|beginning|until|till|this|to";

/// Words that put off without saying to when.
const VAGUE: &str =
    "later|sometime|soon|someday|eventually|maybe|perhaps|whenever|some time|at some point|one day|some day";

impl When {
    /// Reads a clause. Days are the owner's.
    #[must_use]
    pub fn read(tokens: &[Token], today: Today) -> Self {
        let mut when = Self { used: vec![false; tokens.len()], ..Self::default() };
        let mut at = 0;
        while at < tokens.len() {
            let length = if tokens[at].quoted { 0 } else { when.read_at(tokens, at, today) };
            (at..at + length).for_each(|used| when.used[used] = true);
            at += length.max(1);
        }
        when.settle(today);
        when
    }

    /// Whether it says when or how often.
    #[must_use]
    pub fn is_said(&self) -> bool {
        self.date.is_some() || self.time.is_some() || self.repeat.is_some() || self.no_date
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
        if let Some((length, found)) = repeat(rest) {
            let part = self.read_part_of_day(rest, length);
            // "the weekly review": how often, and a part of the name.
            let names = length == 1 && at + 1 < tokens.len() && rest[0].lower.ends_with("ly") && is_name(&rest[1]);
            if names {
                let known = matches!(found, Repeat::Rule(_)) && self.repeat.is_none();
                self.repeat = self.repeat.take().or(known.then_some(found));
                self.named_repeat |= known;
                return 0;
            }
            let joined = self.repeat.take().map(|known| joined(&known, &found));
            self.several |= matches!(joined, Some(None)) && !self.named_repeat;
            self.repeat = joined.flatten().or(Some(found));
            return length + part;
        }
        if let Some((length, time)) = in_hours(rest) {
            let minutes = i64::from(today.time.hour()) * 60 + i64::from(today.time.minute()) + i64::from(time);
            self.date = today.date.checked_add_signed(chrono::Duration::days(minutes.div_euclid(24 * 60)));
            let of_day = u16::try_from(minutes.rem_euclid(24 * 60)).unwrap_or(0);
            self.time = TimeOfDay::new(of_day / 60, of_day % 60);
            return length;
        }
        if let Some(length) = self.read_end(rest, today) {
            return length;
        }
        if let Some(length) = self.read_leading_time(rest, at) {
            return length;
        }
        if let Some((length, minutes)) = times::duration(rest) {
            self.duration = Some((minutes, at..at + length));
            return length;
        }
        if let Some((length, days)) = self.read_day(rest, at, tokens, today) {
            return length + self.read_part_of_day(&tokens[at..], length) * usize::from(days);
        }
        if let Some((length, (start, end))) = times::times(rest).filter(|(length, _)| *length > 0) {
            self.several |= self.time.is_some_and(|time| time != start) || is_or(rest, length, today);
            self.time = Some(start);
            self.end_time = end;
            return length;
        }
        self.read_other(rest)
    }

    /// "on Friday", "tomorrow", "by the end of the month". Whether a part of the day may follow.
    fn read_day(&mut self, rest: &[Token], at: usize, all: &[Token], today: Today) -> Option<(usize, bool)> {
        let mut skipped = 0;
        while skipped < 2 && rest.get(skipped).is_some_and(|token| token.is_one_of(LEADS)) && !rest[skipped].is("this")
        {
            skipped += 1;
        }
        if rest.get(skipped).is_some_and(|token| token.is("of")) && skipped > 0 {
            skipped += 1;
        }
        let led = skipped > 0
            || (at > 0 && all[at - 1].is_one_of("next|this|coming"))
            || (at > 0 && is_short_day(rest, &all[at - 1]));
        let (length, mut day) = dates::day(rest.get(skipped..)?, today.date, led)?;
        if skipped > 0 && rest[skipped - 1].is("before") {
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
        let noon = 12 * 60;
        let minutes = time.hour() * 60 + time.minute();
        let is_morning = self.time.is_some_and(|part| part.hour() < 12);
        // "Every morning at 7" is no evening.
        self.time =
            if is_morning && minutes >= noon { TimeOfDay::new(time.hour() - 12, time.minute()) } else { Some(time) };
        Some(length)
    }

    /// "tonight" and "this evening" say the time too.
    fn note_tonight(&mut self, rest: &[Token]) {
        if let Some((0, (time, _))) = times::times(rest) {
            self.time = self.time.or(Some(time));
        }
    }

    /// "morning" after a day.
    fn read_part_of_day(&mut self, rest: &[Token], at: usize) -> usize {
        match times::bare_part_of_day(rest.get(at)) {
            Some(time) => {
                self.time = self.time.or(Some(time));
                1
            }
            None => 0,
        }
    }

    /// The end of a repetition: "until June", "through Friday", "for three weeks".
    fn read_end(&mut self, rest: &[Token], today: Today) -> Option<usize> {
        self.repeat.as_ref()?;
        let first = rest.first()?;
        if first.is("for")
            && let Some((length, span)) = span(&rest[1..])
        {
            let start = self.date.unwrap_or(today.date);
            self.until = span.after(start)?.pred_opt();
            return Some(length + 1);
        }
        if !first.is_one_of("until|till|til|through|thru|ending|'til|to") {
            return None;
        }
        let more = 1 + usize::from(rest.get(1).is_some_and(|token| token.is_one_of("on|and")));
        let (length, mut day) = dates::day(rest.get(more..)?, today.date, true)?;
        let month_alone = length == 1 && rest.get(more).is_some_and(|token| month(&token.lower).is_some());
        if month_alone {
            // Until June is up to where June begins; through June is June too.
            let through = first.is_one_of("through|thru");
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
        if dates::is_ambiguous(&rest[0].lower) {
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
        next.is_mark() || next.is_one_of("at|@|in|noon") || next.text.starts_with(|c: char| c.is_ascii_digit())
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

/// "high priority", "priority: low", "p1", "!!", "urgent" at an end or before a mark.
#[must_use]
pub fn priority_phrase(rest: &[Token]) -> Option<(usize, Priority)> {
    let word = |at: usize| rest.get(at).filter(|token| !token.quoted).map_or("", |token| token.lower.as_str());
    let lead = usize::from(matches!(word(0), "with" | "at" | "as" | "on" | "a" | "it's" | "is"));
    let article = usize::from(lead == 1 && matches!(word(1), "a" | "the"));
    let at = lead + article;
    if matches!(word(at + 1), "priority" | "prio" | "importance" | "urgency")
        && let Some(priority) = level(word(at))
    {
        return Some((at + 2, priority));
    }
    if matches!(word(at), "priority" | "prio") {
        let mark = usize::from(matches!(word(at + 1), ":" | "is" | "to" | "="));
        if let Some(priority) = level(word(at + 1 + mark)) {
            return Some((at + 2 + mark, priority));
        }
    }
    let short = match word(0) {
        "p1" | "!!!" | "!1" | "!!1" | "!high" | "prio1" | "asap" => Some(Priority::High),
        "p2" | "!2" | "!!2" | "!medium" => Some(Priority::Medium),
        "p3" | "p4" | "!3" | "!!3" | "!low" | "!4" | "!!4" => Some(Priority::Low),
        "urgent" | "urgently" | "important" if ends_here(rest, 1) => Some(Priority::High),
        _ => None,
    };
    short.map(|priority| (1, priority))
}

fn ends_here(rest: &[Token], at: usize) -> bool {
    rest.get(at).is_none_or(Token::is_mark)
}

/// The priority that a word names.
#[must_use]
pub fn level(word: &str) -> Option<Priority> {
    match word {
        "high" | "highest" | "top" | "urgent" | "maximum" | "1" | "one" | "higher" => Some(Priority::High),
        "medium" | "normal" | "middle" | "standard" | "2" | "two" | "mid" => Some(Priority::Medium),
        "low" | "lowest" | "minor" | "3" | "three" | "lower" => Some(Priority::Low),
        _ => None,
    }
}
