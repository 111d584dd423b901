//! Parses the times of day in a clause. Preceding words can make a number a time: "at 6" after a day, "until 3" after a
//! start.

use super::When;
use super::days::{begins_day, is_or};
use super::impossible::Impossible;
use crate::language::Today;
use crate::language::text::numbers;
use crate::language::text::phrases::{self, after_any};
use crate::language::text::tokens::Token;
use crate::language::values::clock;
use crate::language::values::durations::{before_event, duration, minutes};
use crate::language::values::times::{self, NIGHT_TO};
use crate::language::values::zones::{is_own, zone};
use crate::time_of_day::TimeOfDay;

impl When {
    /// Parses the time zone of a time: "3pm EST", "15:00 on Friday (London time)". The time cannot be used then, unless
    /// the zone is the user's own ("local time").
    pub(super) fn read_zone(&mut self, tokens: &[Token], at: usize) -> Option<usize> {
        let comma = usize::from(at > 1 && tokens[at - 1].is(","));
        let follows_time = self.time.is_some() && at > comma && self.used[at - comma - 1];
        let length = follows_time.then(|| zone(&tokens[at..])).flatten()?;
        if is_own(&tokens[at..at + length]) {
            return Some(length);
        }
        let words: Vec<&str> =
            tokens[at..at + length].iter().filter(|token| !token.is_mark()).map(|token| &*token.text).collect();
        let why = format!(
            "\"{}\" is a time zone, and times are not converted. Say the time in your own zone, or put the word in \
             quotation marks if it belongs to the title.",
            words.join(" ")
        );
        self.vague = true;
        self.impossible = self.impossible.take().or(Some(Impossible { why, is_time: true }));
        Some(length)
    }

    /// Parses "in two hours": sets a day and a time.
    pub(super) fn read_in_hours(&mut self, rest: &[Token], today: Today) -> Option<usize> {
        let (length, ahead) = in_hours(rest)?;
        let (date, time) = today.in_minutes(i64::from(ahead))?;
        (self.date, self.time) = (Some(date), Some(time));
        Some(length)
    }

    /// Parses "for two hours", "17:15 (45 min)": a duration directly after the time.
    pub(super) fn read_duration(&mut self, tokens: &[Token], at: usize) -> Option<usize> {
        let rest = &tokens[at..];
        let follows_time = self.time.is_some() && at > 1 && tokens[at - 1].is_one_of(",|(") && self.used[at - 2];
        let (length, found) =
            duration(rest).or_else(|| minutes(rest).filter(|_| follows_time)).or_else(|| before_event(rest))?;
        self.duration = Some((found, at..at + length));
        Some(length)
    }

    /// Parses "from 10" with a duration in the clause ("work from 10 for two hours") or directly after the day.
    pub(super) fn read_start(&mut self, tokens: &[Token], at: usize) -> Option<usize> {
        let rest = &tokens[at..];
        let follows = self.lasts || self.is_after_day(tokens, at);
        let number = rest.get(1..).filter(|_| rest[0].is("from") && follows && self.time.is_none())?;
        let with_at = [&[Token::made("at")], number].concat();
        let (length, (start, end)) = times::times(&with_at)?;
        // "From five to six" is a range, and "from 10 November" a day.
        let is_range = rest[2..length].iter().any(|word| word.is("to")) && !rest[1].is_one_of("quarter|a");
        let continues = rest.get(length).is_some_and(|next| {
            next.is_one_of("to|until|till|til|and|-|–|—|through") || numbers::month(&next.lower).is_some()
        });
        if end.is_some() || is_range || continues {
            return None;
        }
        self.take_times(start, None, &rest[..length]);
        Some(length)
    }

    /// Parses numbers that are times because of an adjacent day: "Friday 9-12", "8.30 on Monday".
    pub(super) fn read_times_by_day(&mut self, tokens: &[Token], at: usize, today: Today) -> Option<usize> {
        let rest = &tokens[at..];
        let after_day = self.is_after_day(tokens, at);
        if let Some(time) = self.last_hour(rest).filter(|_| after_day) {
            self.take_times(time, None, &rest[..1]);
            return Some(1);
        }
        let (length, (start, end)) = times::times_after(rest, true)
            .filter(|(length, _)| after_day || begins_day(rest, *length, today))
            .filter(|(length, _)| *length > 0 && !counts(tokens, at))?;
        self.take_times(start, end, &rest[..length]);
        self.is_ambiguous |= is_or(rest, length, today);
        Some(length)
    }

    /// Parses "Thursday 11" at the end as a time, unless the number is the day of the month.
    fn last_hour(&self, rest: &[Token]) -> Option<TimeOfDay> {
        let [number] = rest else { return None };
        let hour = numbers::figures(&number.lower, 2).filter(|hour| (1..=12).contains(hour))?;
        let is_day = self.date.is_none_or(|date| chrono::Datelike::day(&date) == hour);
        let with_at = [Token::made("at"), number.clone()];
        times::times(&with_at).filter(|_| !is_day).map(|(_, (time, _))| time)
    }

    /// Parses times that need no context: "at 3pm", "in the evening".
    pub(super) fn read_times(&mut self, rest: &[Token], today: Today) -> Option<usize> {
        let (length, (start, end)) = times::times(rest).filter(|(length, _)| *length > 0)?;
        // "At 7 and 19 every day".
        let another = rest.get(length..).is_some_and(|following| {
            following.len() > 1
                && following[0].is_one_of("and|&")
                && numbers::figures(&following[1].lower, 2).is_some_and(|hour| hour < 25)
                && following
                    .get(2)
                    .is_none_or(|next| next.is_mark() || next.is_one_of("every|daily|on|each|tomorrow|today"))
        });
        self.is_ambiguous |= another;
        let night = rest.get(1).is_some_and(|next| next.is("night"));
        let from_part_of_day = rest[0].is_one_of("in|during|over") || (rest[0].is("at") && night);
        if from_part_of_day && (night || rest.get(1).is_some_and(|next| next.is("the"))) {
            self.take_part(start);
        } else {
            self.take_times(start, end, &rest[..length]);
        }
        self.is_ambiguous |= is_or(rest, length, today);
        Some(length)
    }

    /// Parses "12.30 lunch with Kofi": a number with minutes at the beginning is a time.
    pub(super) fn read_first_time(&mut self, rest: &[Token], at: usize) -> Option<usize> {
        let minutes =
            at == 0 && rest.len() > 1 && rest[0].text.split_once('.').is_some_and(|(_, minutes)| minutes.len() == 2);
        let continues =
            minutes && rest[1].text.starts_with(char::is_alphabetic) && numbers::month(&rest[1].lower).is_none();
        let (length, (start, end)) =
            times::times_after(&rest[..1], true).filter(|(length, _)| continues && *length == 1)?;
        self.take_times(start, end, &rest[..1]);
        Some(length)
    }

    /// Parses "Tomorrow at 6 gym": after nothing but a day, "at" and a number are a time, whatever follows.
    pub(super) fn read_leading_time(&mut self, rest: &[Token], at: usize) -> Option<usize> {
        let leads = at > 0 && self.used[..at].iter().all(|used| *used) && rest.len() > 2 && rest[0].is("at");
        if !leads || times::times(rest).is_some_and(|(length, _)| length > 2) {
            return None;
        }
        let (length, (time, _)) = times::times(&rest[..2]).filter(|(length, _)| *length == 2)?;
        self.take_times(time, None, &rest[..2]);
        Some(length)
    }

    /// Parses "until 3", "ends at half past four", if the start is known.
    pub(super) fn read_end_time(&mut self, rest: &[Token]) -> Option<usize> {
        let leads = "until|till|til|to|ends at|ends|ending at|ending|finishing at|finishes at|finishing|finish at|end";
        let after = after_any(rest, leads)?;
        let start = self.time.filter(|_| self.end_time.is_none())?;
        let after = after_any(after, "about|around|roughly|approximately").unwrap_or(after);
        let (length, end) = clock::written_end(after)?;
        let continues = after
            .get(length)
            .is_some_and(|next| !next.is_mark() && !next.is_one_of("on|at|in|every|with|and|tomorrow|today"))
            && zone(&after[length..]).is_none();
        let later = clock::ParsedTime { half: Some(clock::Half::Pm), ..end };
        let end = end.time().filter(|end| *end > start).or_else(|| later.time().filter(|end| *end > start))?;
        self.end_time = Some(end).filter(|_| !continues);
        self.end_time.map(|_| rest.len() - after.len() + length)
    }

    /// Returns whether the words determine the half of the day.
    fn names_half_of_day(&self, words: &[Token]) -> bool {
        let start = self.used.len().saturating_sub(words.len());
        self.from_part_of_day || self.used[start..].iter().zip(words).any(|(used, word)| *used && writes_half(word))
    }

    /// Moves the time to the half of the day in which it was: "Parents' evening starts at 6:30 now", previously at
    /// seven in the evening.
    pub fn resolve_half_by(&mut self, old: TimeOfDay, words: &[Token]) {
        let evening = old.hour() >= 17 && self.time.is_some_and(|time| (6..10).contains(&time.hour()));
        if evening && !self.names_half_of_day(words) {
            self.time = self.time.and_then(|time| TimeOfDay::new(time.hour() + 12, time.minute()));
            self.end_time = self.end_time.and_then(|end| in_half_of(old, end));
        }
    }

    /// Determines the half of the day by the meal, if the hour alone is ambiguous: "Dinner at 8" and "a table for four
    /// at 8" are in the evening, "breakfast at 7" in the morning.
    pub fn resolve_half_by_meal(&mut self, words: &[Token]) {
        let Some(time) = self.time.filter(|_| !self.names_half_of_day(words)) else { return };
        let has = |nouns: &str| phrases::has_any(words, nouns);
        let is_table = || {
            let seats = phrases::around(words, "table for").and_then(|(_, rest)| numbers::count(&rest.first()?.lower));
            seats.is_some() || phrases::around(words, "book a table|reserve a table").is_some()
        };
        let is_meal_before = || has("breakfast|brunch|lunch|coffee");
        if (is_table() && !is_meal_before()
            || has("dinner|supper|drinks|theatre|cinema|concert|gig|party|comedy|opera|ballet|quiz|\
            disco"))
            && (6..10).contains(&time.hour())
        {
            self.time = TimeOfDay::new(time.hour() + 12, time.minute());
            self.end_time = self.end_time.and_then(|end| in_half_of(TimeOfDay::new(19, 0)?, end));
        } else if has("breakfast|wake|alarm|sunrise") && (17..20).contains(&time.hour()) && self.end_time.is_none() {
            self.time = TimeOfDay::new(time.hour() - 12, time.minute());
        }
    }

    /// Sets a time parsed from `words`. A known part of the day determines its half, unless the words do.
    pub(super) fn take_times(&mut self, start: TimeOfDay, end: Option<TimeOfDay>, words: &[Token]) {
        let part = self.time.filter(|_| self.from_part_of_day);
        let known = self.time.filter(|time| *time != start && part.is_none());
        self.is_ambiguous |= known.is_some();
        self.two_times = self.two_times.or(known.map(|known| (known, start)));
        self.half_is_written = words.iter().any(writes_half);
        let part = part.filter(|_| !self.half_is_written);
        let in_half = |time| part.map_or(Some(time), |part| in_half_of(part, time));
        (self.time, self.end_time) = (in_half(start), end.and_then(in_half));
        self.from_part_of_day = false;
    }

    /// Sets the part of the day. Without a time it stands for an hour.
    pub(super) fn take_part(&mut self, part: TimeOfDay) {
        self.is_at_night |= part.hour() >= NIGHT_FROM;
        match self.time {
            None => (self.time, self.from_part_of_day) = (Some(part), true),
            Some(_) if self.half_is_written => {}
            Some(time) => {
                self.time = in_half_of(part, time);
                self.end_time = self.end_time.and_then(|end| in_half_of(part, end));
            }
        }
    }

    /// Returns the number of words of "until noon" in "sleep until noon tomorrow": without a start they are no time,
    /// and stay in the title. After a rule "until" is its end.
    pub(super) fn end_without_start(&self, rest: &[Token]) -> usize {
        let until = after_any(rest, "until|till|til").filter(|_| self.time.is_none());
        let Some((length, _)) = until.and_then(clock::written).filter(|(_, time)| time.certain) else { return 0 };
        1 + length
    }

    /// Takes the midnight of a deadline as the end of its day: "by midnight on Friday", "closes on Friday at midnight".
    pub(super) fn settle_midnight(&mut self, tokens: &[Token]) {
        const DEADLINES: &str = "due|deadline|closes|close|closing|expires|expire|ends|latest|submit|hand";
        const LEADS: &str = "by|before|until|till|til";
        const MAX_LEAD_WORDS: usize = 4;
        let Some(at) = tokens.iter().position(|word| word.is("midnight")).filter(|at| self.used[*at]) else { return };
        let before = &tokens[at.saturating_sub(MAX_LEAD_WORDS)..at];
        let is_deadline = phrases::has_any(before, LEADS) || phrases::has_any(tokens, DEADLINES);
        if is_deadline && self.end_time.is_none() && self.time == TimeOfDay::new(0, 0) {
            self.time = TimeOfDay::new(23, 59);
        }
    }

    /// Drops the hour that stands for a part of today if that hour has passed and the part has not: "tonight" said at a
    /// quarter to midnight.
    pub(super) fn settle_part_of_day(&mut self, today: Today) {
        const NOON: u16 = 12;
        const EVENING: u16 = 18;
        let Some(time) = self.time.filter(|_| self.from_part_of_day && self.repeat.is_none()) else { return };
        let ends = match time.hour() {
            hour if hour < NOON => NOON,
            hour if hour < EVENING => EVENING,
            _ => 24,
        };
        if self.date == Some(today.date) && time < today.time && today.time.hour() < ends {
            self.time = None;
        }
    }

    /// Returns whether the time is one of today that has passed.
    #[must_use]
    pub fn has_passed(&self, today: Today) -> bool {
        self.repeat.is_none() && self.date == Some(today.date) && self.time.is_some_and(|time| time < today.time)
    }

    /// Moves a time after midnight to the day on which that night ends: "1am tonight", "tonight at midnight".
    pub(super) fn settle_night(&mut self, today: Today) {
        let after_midnight = self.time.is_some_and(|time| time.hour() < NIGHT_TO);
        // Said after midnight, "tonight at 2" is in the night that has begun.
        let has_begun = self.date == Some(today.date)
            && today.time.hour() < NIGHT_TO
            && self.time.is_some_and(|time| time > today.time);
        if self.is_at_night && after_midnight && !has_begun && self.repeat.is_none() {
            self.date = self.date.and_then(|date| date.succ_opt());
        }
    }
}

/// A part of the day from this hour on is the night, which lasts until [`NIGHT_TO`].
const NIGHT_FROM: u16 = 20;

/// Returns whether a word determines the half of the day: "1am", "p.m.", "00:30", "14:00", "noon".
fn writes_half(word: &Token) -> bool {
    let text = word.lower.as_str();
    let is_figure = text.starts_with(|c: char| c.is_ascii_digit());
    matches!(text, "am" | "pm" | "a.m" | "p.m" | "noon" | "midday" | "midnight")
        || (is_figure && ["am", "pm", "a.m", "p.m"].iter().any(|half| text.ends_with(half)))
        || (text.starts_with('0') && text.len() > 1)
        || text.get(..2).and_then(|hour| numbers::figures(hour, 2)).is_some_and(|hour| (13..=24).contains(&hour))
}

/// Returns the time in the half of the day of `part`: "8" and "evening" are 20:00, "7" and "morning" 07:00, "2" and
/// "night" 02:00.
fn in_half_of(part: TimeOfDay, time: TimeOfDay) -> Option<TimeOfDay> {
    let (morning, before_noon) = (part.hour() < 12, time.hour() < 12);
    let at_night = part.hour() >= NIGHT_FROM;
    match (morning, before_noon) {
        // "Tonight at 12", "Saturday night at 2".
        (false, false) if at_night && time.hour() < 12 + NIGHT_TO => TimeOfDay::new(time.hour() - 12, time.minute()),
        (false, true) if at_night && time.hour() < NIGHT_TO => Some(time),
        (true, false) if time.hour() > 12 => TimeOfDay::new(time.hour() - 12, time.minute()),
        (false, true) if time.hour() > 0 => TimeOfDay::new(time.hour() + 12, time.minute()),
        _ => Some(time),
    }
}

/// Parses "in two hours", "in half an hour", "an hour from now". The value is in minutes.
fn in_hours(rest: &[Token]) -> Option<(usize, u32)> {
    let has_lead = rest.first()?.is_one_of("in|within");
    let (length, ahead) = of_hours(rest.get(usize::from(has_lead)..)?)?;
    let following = rest.get(length + usize::from(has_lead)..)?;
    let ending = if has_lead { "from now|time" } else { "from now" };
    let from_now = after_any(following, ending).map(|after| following.len() - after.len());
    (has_lead || from_now.is_some()).then(|| (usize::from(has_lead) + length + from_now.unwrap_or(0), ahead))
}

fn of_hours(words: &[Token]) -> Option<(usize, u32)> {
    if let Some((length, found)) = minutes(words) {
        return Some((length, u32::from(found)));
    }
    // More hours than a day has.
    let [number, unit, ..] = words else { return None };
    let number = numbers::count(&number.lower).filter(|_| !number.quoted)?;
    unit.is_one_of("hour|hours|hrs|h").then_some((2, number.checked_mul(60)?))
}

/// Returns whether the noun before shows that the numbers are a count: "pages 9-12".
fn counts(tokens: &[Token], at: usize) -> bool {
    let nouns = "chapter|chapters|page|pages|question|questions|exercise|exercises|part|parts|item|items|step|steps|\
        number|\
        numbers|section|sections|level|levels|age|aged|ages|lesson|lessons|unit|units|room|gate|version|episode|\
        episodes|seats|rows";
    at > 0 && tokens[at - 1].is_one_of(nouns)
}
