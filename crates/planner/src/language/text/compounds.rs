//! Brings numbers and days that are written in several ways into one form: "twenty third" becomes "twenty-third",
//! "mon/wed/fri" three days, "2026-03-30T10:00" a day and a time, and "15:00Z" a time and its zone.
//!
//! Input: the words of a sentence. Output: its words. Called by [`crate::language::read`].

use super::numbers::{figures, weekday};
use super::tokens::Token;

const TENS: &str = "twenty|thirty|forty|fifty";
const UNITS: &str = "one|two|three|four|five|six|seven|eight|nine";
const UNIT_ORDINALS: &str = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth";

/// Nouns that a number counts. Before other words "twenty five" may be the minutes of a time.
const MEASURES: &str = "minutes|minute|mins|min|hours|days|weeks|months";

/// Returns the words with numbers of two words joined, and days with a slash between them separated.
#[must_use]
pub fn normalised(tokens: &[Token]) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        if is_two_word_number(&tokens[at..]) {
            found.push(joined(&tokens[at], &tokens[at + 1]));
            at += 2;
        } else {
            let parts = days_by_slash(&tokens[at]).or_else(|| day_and_time(&tokens[at]));
            match parts.or_else(|| time_and_zone(&tokens[at])) {
                Some(days) => found.extend(days),
                None => found.push(tokens[at].clone()),
            }
            at += 1;
        }
    }
    found
}

/// Matches "twenty third", "forty five minutes".
fn is_two_word_number(tokens: &[Token]) -> bool {
    let [tens, unit, rest @ ..] = tokens else { return false };
    let is_day = tens.is_one_of("twenty|thirty") && unit.is_one_of(UNIT_ORDINALS);
    let is_count = || unit.is_one_of(UNITS) && rest.first().is_some_and(|next| next.is_one_of(MEASURES));
    is_day || (tens.is_one_of(TENS) && is_count())
}

fn joined(tens: &Token, unit: &Token) -> Token {
    Token {
        text: format!("{} {}", tens.text, unit.text),
        lower: format!("{}-{}", tens.lower, unit.lower),
        start: tens.start,
        end: unit.end,
        quoted: false,
    }
}

/// Splits "mon/wed/fri" into its days, with the slashes between them.
fn days_by_slash(token: &Token) -> Option<Vec<Token>> {
    let parts: Vec<&str> = token.text.split('/').collect();
    let is_day = |part: &&str| weekday(&part.to_lowercase(), true).is_some();
    if token.quoted || parts.len() < 2 || !parts.iter().all(is_day) {
        return None;
    }
    let mut found = Vec::new();
    let mut start = token.start;
    for part in parts {
        if !found.is_empty() {
            found.push(piece("/", start));
            start += 1;
        }
        found.push(piece(part, start));
        start += part.len();
    }
    Some(found)
}

/// Splits "2026-03-30T10:00" into the day and the time. Of "2026-03-30T10:00:00Z" the zone is a word, too, and the
/// seconds are dropped.
fn day_and_time(token: &Token) -> Option<Vec<Token>> {
    let (day, rest) = token.text.split_once(['T', 't']).filter(|_| !token.quoted)?;
    let is_day = day.len() == "2026-03-30".len() && day.split('-').all(|part| figures(part, 4).is_some());
    let (time, zone) = split_zone(rest).filter(|_| is_day && day.contains('-'))?;
    let zone = (!zone.is_empty()).then(|| piece(zone, token.end - zone.len()));
    let words = [piece(day, token.start), piece(time, token.start + day.len() + 1)];
    Some(words.into_iter().chain(zone).collect())
}

/// Splits "15:00Z", "15:00+02:00" into the time and the zone. "15:00-16:00" is a range.
fn time_and_zone(token: &Token) -> Option<Vec<Token>> {
    let (time, zone) = split_zone(&token.text).filter(|_| !token.quoted)?;
    let is_zone = !zone.is_empty() && !zone.starts_with('-');
    is_zone.then(|| vec![piece(time, token.start), piece(zone, token.end - zone.len())])
}

/// Splits "10:00:00+02:00" into the hour with the minutes and the zone, which may be empty.
fn split_zone(text: &str) -> Option<(&str, &str)> {
    let (time, zone) = text.split_at(text.find(['Z', 'z', '+', '-']).unwrap_or(text.len()));
    let offset = zone.strip_prefix(['+', '-']);
    let is_offset = |offset: &str| offset.split(':').all(|part| figures(part, 4).is_some());
    if !zone.is_empty() && !zone.eq_ignore_ascii_case("z") && !offset.is_some_and(is_offset) {
        return None;
    }
    let mut parts = time.split(':');
    let hour = parts.next().filter(|hour| figures(hour, 2).is_some())?;
    parts.next().filter(|minute| minute.len() == 2 && figures(minute, 2).is_some())?;
    let is_second = |text: &str| text.split('.').all(|part| figures(part, 9).is_some());
    let is_time = parts.next().is_none_or(is_second) && parts.next().is_none();
    is_time.then(|| (&time[..hour.len() + ":00".len()], zone))
}

fn piece(text: &str, start: usize) -> Token {
    Token { text: text.to_owned(), lower: text.to_lowercase(), start, end: start + text.len(), quoted: false }
}

#[cfg(test)]
mod tests {
    use super::normalised;
    use crate::language::text::tokens::tokens;

    #[test]
    fn numbers_of_two_words_are_one_and_days_with_slashes_several() {
        let words =
            |text: &str| normalised(&tokens(text)).into_iter().map(|token| token.lower).collect::<Vec<_>>().join(" ");
        assert_eq!(words("the twenty third of May"), "the twenty-third of may");
        assert_eq!(words("in forty five minutes"), "in forty-five minutes");
        assert_eq!(words("at seven twenty five"), "at seven twenty five");
        assert_eq!(words("every Mon/wed"), "every mon / wed");
        assert_eq!(words("read and/or write"), "read and/or write");
        assert_eq!(words("on 2026-03-30T10:00"), "on 2026-03-30 10:00");
        assert_eq!(words("on 2026-03-30T10:00:00.000Z"), "on 2026-03-30 10:00 z");
        assert_eq!(words("on 2026-03-30T10:00-05:00"), "on 2026-03-30 10:00 -05:00");
        assert_eq!(words("at 15:00Z or 15:00+02:00"), "at 15:00 z or 15:00 +02:00");
        assert_eq!(words("15:00-16:00 or 15:00Zoo or 15:0Z"), "15:00-16:00 or 15:00zoo or 15:0z");
        assert_eq!(words("buy a 2026-model-T10:0"), "buy a 2026-model-t10:0");
    }
}
