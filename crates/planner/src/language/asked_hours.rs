//! Reads the times of day in a question about days: "am I free tomorrow between 2 and 4", "what is on this evening".
//!
//! Input: the words of a question. Output: the hours that they ask about. Called by [`super::questions`].

use super::text::tokens::Token;
use super::values::times;
use crate::record::Item;
use crate::time_of_day::TimeOfDay;

/// A part of each day that a question asks about; a moment, if both are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AskedHours {
    pub from: TimeOfDay,
    pub to: TimeOfDay,
}

impl AskedHours {
    /// Returns whether an item may take place in these hours. One without a time may.
    #[must_use]
    pub fn include(self, item: &Item) -> bool {
        let Some(start) = item.time() else { return true };
        match item.end_time {
            Some(end) if self.from < self.to => start < self.to && end > self.from,
            Some(end) => start <= self.from && end > self.from,
            None if self.from < self.to => self.from <= start && start < self.to,
            None => start == self.from,
        }
    }
}

/// Returns the hours that the words of a question contain.
pub(super) fn asked_hours(words: &[Token]) -> Option<AskedHours> {
    let named = words.iter().enumerate().find_map(|(at, word)| {
        let is_night = word.is("night") && at > 0 && words[at - 1].is("at");
        part_of_day(if is_night { "evening" } else { &word.lower }).filter(|_| !word.quoted)
    });
    let written = || {
        let read = |at: usize| {
            let (_, found) = times::times(&words[at..]).filter(|(length, _)| *length > 0)?;
            Some((at, found))
        };
        let (at, (from, end)) = (0..words.len()).find_map(read)?;
        let is_preceded_by = |list: &str| words[at].is_one_of(list) || at > 0 && words[at - 1].is_one_of(list);
        Some(match end {
            Some(to) => AskedHours { from, to },
            None if is_preceded_by("before|until|till|til") => AskedHours { from: TimeOfDay::new(0, 0)?, to: from },
            None if is_preceded_by("after|since|from") => AskedHours { from, to: TimeOfDay::new(23, 59)? },
            None => AskedHours { from, to: from },
        })
    };
    let is_in_part = |hours: &AskedHours| named.is_none_or(|part| part.from <= hours.from && hours.to <= part.to);
    // "In the morning" has an hour of its own only for what is planned then.
    let has_figures = words.iter().any(|word| word.lower.starts_with(|c: char| c.is_ascii_digit()));
    match named {
        Some(part) => Some(written().filter(|hours| has_figures && is_in_part(hours)).unwrap_or(part)),
        None => written(),
    }
}

/// Returns the hours of "morning", "afternoon" and "evening".
fn part_of_day(word: &str) -> Option<AskedHours> {
    let (from, to) = match word {
        "morning" => ((0, 0), (12, 0)),
        "afternoon" => ((12, 0), (18, 0)),
        "evening" | "tonight" => ((18, 0), (23, 59)),
        _ => return None,
    };
    Some(AskedHours { from: TimeOfDay::new(from.0, from.1)?, to: TimeOfDay::new(to.0, to.1)? })
}
