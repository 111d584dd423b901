//! Parses the days in a clause, with the words before and after that belong to them: "by Friday", "on Monday morning",
//! "from the 3rd".

use chrono::Datelike as _;

use super::When;
use crate::language::Today;
use crate::language::text::numbers::weekday;
use crate::language::text::phrases;
use crate::language::text::tokens::Token;
use crate::language::text::words::{WordList, word_list};
use crate::language::values::dates;
use crate::language::values::times::{self, PHRASE_STARTS};

/// Words before a day.
static DAY_LEADS: WordList = WordList::new(|| word_list(include_str!("../../words/day_leads.txt")));

impl When {
    /// Parses "on Friday", "tomorrow", "by the end of the month".
    pub(super) fn read_day(&mut self, rest: &[Token], at: usize, all: &[Token], today: Today) -> Option<usize> {
        // "At 7.12" is a time.
        let is_time = |text: &str| text.contains('.') && text.chars().all(|c| c.is_ascii_digit() || c == '.');
        if rest[0].is("at") && rest.get(1).is_some_and(|next| is_time(&next.lower)) {
            return None;
        }
        // In "The slides for Monday's meeting" the day is part of a name.
        let named_by = |at: usize| rest.get(at).is_some_and(|token| token.lower.ends_with("'s"));
        let continues = |at: usize| rest.get(at + 1).is_some_and(|next| !next.is_mark());
        if at > 0
            && (0..2).any(|at| named_by(at) && continues(at))
            && (named_by(0) || rest[0].is_one_of("for|from|at|about|on|of|before"))
        {
            return None;
        }
        if at > 0 && names_thing(&all[at - 1], rest, today) {
            return None;
        }
        if let Some(length) = self.read_part_of(rest, today) {
            return Some(length);
        }
        // In "Plumber coming Thursday" the word "coming" is part of the title.
        if rest[0].is("coming") && at > 0 && !self.used[at - 1] && !all[at - 1].is_mark() {
            return None;
        }
        let mut skipped = 0;
        for _ in 0..3 {
            skipped += lead(&rest[skipped..]);
        }
        if rest.get(skipped).is_some_and(|token| token.is("of")) && skipped > 0 {
            skipped += 1;
        }
        let after_preposition = skipped > 0
            || (at > 0 && all[at - 1].is_one_of("next|this|coming"))
            || (at > 0 && is_short_day(rest, &all[at - 1]));
        let (length, mut day) = dates::day(rest.get(skipped..)?, today.date, after_preposition)?;
        if skipped > 0 && rest[skipped - 1].is("before") && !rest[0].is_one_of("any|sometime") {
            day = day.pred_opt()?;
        }
        self.note_tonight(&rest[skipped..]);
        // "Every two weeks on Friday starting 20 March": the day of the week, and the first such date.
        let is_first = |known: chrono::NaiveDate| self.repeat.is_some() && known.weekday() == day.weekday();
        let named_twice = self.date.is_some_and(|known| known != day && !is_first(known)) && self.until.is_none();
        self.note_several_days(named_twice || is_or(rest, skipped + length, today));
        self.date = Some(day);
        Some(skipped + length)
    }

    /// Parses "on the morning of the 18th".
    fn read_part_of(&mut self, rest: &[Token], today: Today) -> Option<usize> {
        let lead = phrases::after_any(rest, "on the|in the|for the|during the|the")?;
        let part = times::bare_part_of_day(lead.first())?;
        let following = phrases::after_any(&lead[1..], "of|on")?;
        let (length, day) = dates::day(following, today.date, true)?;
        self.note_several_days(self.date.is_some_and(|known| known != day));
        self.date = Some(day);
        self.take_part(part);
        Some(rest.len() - following.len() + length)
    }

    /// Returns whether a day directly precedes, with at most a comma between.
    pub(super) fn is_after_day(&self, tokens: &[Token], at: usize) -> bool {
        let before = if at > 0 && tokens[at - 1].is(",") { at - 1 } else { at };
        (self.date.is_some() || self.repeat.is_some())
            && before > 0
            && self.used[before - 1]
            && (self.time.is_none() || self.from_part_of_day)
    }

    /// Sets the time for "tonight" and "this evening".
    fn note_tonight(&mut self, rest: &[Token]) {
        if let Some((0, (time, _))) = times::times(rest) {
            self.take_part(time);
        }
    }

    /// Parses "morning" after a day. Returns the number of tokens used.
    pub(super) fn read_part_of_day(&mut self, rest: &[Token], at: usize) -> usize {
        match times::bare_part_of_day(rest.get(at)) {
            Some(time) => {
                self.take_part(time);
                1
            }
            None => 0,
        }
    }
}

/// Returns the length of the phrase before a day that the tokens begin with.
fn lead(tokens: &[Token]) -> usize {
    phrases::after_any(tokens, &DAY_LEADS).map_or(0, |rest| tokens.len() - rest.len())
}

/// Returns whether a day begins at `at`.
pub(super) fn begins_day(tokens: &[Token], at: usize, today: Today) -> bool {
    let rest = tokens.get(at..).unwrap_or_default();
    let rest = &rest[usize::from(rest.first().is_some_and(|token| token.is_one_of("on|,")))..];
    at > 0 && dates::day(rest, today.date, true).is_some()
}

/// Matches "the Friday newsletter on Thursday": a day of the week that is a part of a name, before the day itself.
fn names_thing(before: &Token, rest: &[Token], today: Today) -> bool {
    let is_definite = before.is_one_of("the|a|my|our|your|his|her|their");
    let [day, noun, following @ ..] = rest else { return false };
    let is_noun = !noun.quoted
        && noun.text.chars().all(char::is_alphabetic)
        && !noun.is_one_of("morning|afternoon|evening|night|noon|week|fortnight|next|after|before|coming")
        && !noun.is_one_of(&PHRASE_STARTS)
        && times::times(&rest[1..]).is_none()
        && dates::day(&rest[1..], today.date, true).is_none();
    let is_day = |at: usize| {
        let is_led = following[at].is_one_of("on|by") && dates::day(&following[at + 1..], today.date, true).is_some();
        is_led || following[at].is_one_of("today|tomorrow")
    };
    let is_weekday = !day.quoted && weekday(&day.lower, true).is_some();
    is_definite && is_weekday && is_noun && (0..following.len()).any(is_day)
}

/// Matches "… dry cleaning sat": a day's short name at the end of a clause or before a time, without an article before
/// it.
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

/// Returns whether another day or time follows after "or".
pub(super) fn is_or(rest: &[Token], at: usize, today: Today) -> bool {
    let joined = rest.get(at).is_some_and(|token| token.is_one_of("or|/"));
    let after = rest.get(at + 1..).unwrap_or_default();
    joined && (dates::day(after, today.date, true).is_some() || times::times(after).is_some())
}
