//! Recognises time zones after a time of day: "3pm EST", "15:00 GMT+2", "9:00 London time", "15:00 Z".
//!
//! Times are not converted: the rules know the user's days and times, not the user's zone. A time with a zone is asked
//! about, so that it is not stored as one of the user's zone.

use crate::language::text::numbers::{figures, weekday};
use crate::language::text::phrases::{after_any, listed};
use crate::language::text::tokens::Token;
use crate::language::text::words::{WordList, word_list};

/// Abbreviations that are no other words.
const ABBREVIATIONS: &str = "utc|gmt|est|edt|pst|pdt|cst|cdt|mst|mdt|cet|cest|bst|ist|jst|kst|hkt|aest|aedt|acst|acdt|\
    awst|nzst|nzdt|akst|akdt|hst|eet|eest|msk|brt|sast|zulu";

/// Abbreviations that are also other words or names, unless they are written in capitals at the end of a phrase.
const IN_CAPITALS: &str = "ET|PT|CT|MT|WET|WEST|EAT|CAT|ART|MET|WAT|PKT|SGT|NST|AST|Z";

/// Parts of the United States, whose zones they name at the end of a phrase: "3pm Eastern".
const AMERICAN: &str = "eastern|central|mountain|pacific";

/// Places after which "time" names their zone.
static PLACES: WordList = WordList::new(|| word_list(include_str!("../words/zone_places.txt")));

/// Words after which "time" names a zone that is not known.
const OTHERS: &str = "your|his|her|their";

/// Words after which "time" names the user's own zone.
const OWN: &str = "local|my|our";

const AREAS: &str = "africa|america|antarctica|arctic|asia|atlantic|australia|etc|europe|indian|pacific";

/// Returns the number of tokens of a zone that `tokens` begin with. A time of day precedes it.
#[must_use]
pub fn zone(tokens: &[Token]) -> Option<usize> {
    let first = tokens.first().filter(|first| !first.quoted)?;
    if first.is("(") {
        let length = 1 + zone(&tokens[1..])?;
        // At the end of a clause the closing one is left out.
        return tokens.get(length).map_or(Some(length), |token| token.is(")").then_some(length + 1));
    }
    let ends = || ends_phrase(tokens.get(1));
    let abbreviated = first.is_one_of(ABBREVIATIONS) || (listed(IN_CAPITALS, &first.text) && ends());
    let length = match tokens.get(1).filter(|next| !next.quoted) {
        Some(next) if first.is_one_of("utc|gmt") && is_offset(&next.lower) => Some(2),
        Some(next) if first.is("zulu") && next.is("time") => Some(2),
        _ => abbreviated.then_some(1),
    };
    let is_written = is_offset(&first.lower) || is_counted(&first.lower) || is_iana_name(&first.lower);
    let is_american = || first.is_one_of(AMERICAN) && ends();
    length.or_else(|| of_place(tokens)).or_else(|| (is_written || is_american()).then_some(1))
}

/// Parses "London time", "Pacific Standard Time", "their time".
fn of_place(tokens: &[Token]) -> Option<usize> {
    let rest = after_any(tokens, &PLACES).or_else(|| after_any(tokens, OTHERS)).or_else(|| after_any(tokens, OWN))?;
    let rest = after_any(rest, "standard|daylight|summer|winter").unwrap_or(rest);
    let rest = after_any(rest, "time")?;
    Some(tokens.len() - rest.len())
}

/// Returns whether a zone is the user's own: "local time", "(my time)".
#[must_use]
pub fn is_own(zone: &[Token]) -> bool {
    zone.iter().find(|token| !token.is_mark()).is_some_and(|first| first.is_one_of(OWN))
}

/// Matches "GMT+2", "utc-05:00".
fn is_counted(text: &str) -> bool {
    text.strip_prefix("utc").or_else(|| text.strip_prefix("gmt")).is_some_and(is_offset)
}

/// Matches "+2", "-05:00", "+0530".
fn is_offset(text: &str) -> bool {
    let Some(number) = text.strip_prefix(['+', '-', '−']) else { return false };
    let (hours, minutes) = match number.split_once(':') {
        Some(parts) => parts,
        None if number.len() == 4 && number.is_ascii() => number.split_at(2),
        None => (number, "00"),
    };
    let is_hour = figures(hours, 2).is_some_and(|hours| hours <= 14);
    is_hour && minutes.len() == 2 && figures(minutes, 2).is_some_and(|minutes| minutes < 60)
}

/// Matches "Europe/Berlin", "America/Argentina/Salta".
fn is_iana_name(text: &str) -> bool {
    let is_name = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphabetic() || "_-".contains(c));
    text.split_once('/').is_some_and(|(area, places)| listed(AREAS, area) && places.split('/').all(is_name))
}

fn ends_phrase(next: Option<&Token>) -> bool {
    const BEGINNINGS: &str = "on|tomorrow|today|tonight|every|each|with|at|in|for|to|until|next|this|please|and|or";
    next.is_none_or(|next| next.is_mark() || next.is_one_of(BEGINNINGS) || weekday(&next.lower, true).is_some())
}

#[cfg(test)]
mod tests {
    use super::{is_own, zone};
    use crate::language::text::tokens::tokens;

    #[test]
    fn zones_are_recognised_by_their_usual_names() {
        for (text, length) in [
            ("EST", 1),
            ("jst on Friday", 1),
            ("UTC+2 tomorrow", 1),
            ("GMT +02:00", 2),
            ("+0530", 1),
            ("(CET) with Bo", 3),
            ("(CET", 2),
            ("PT", 1),
            ("ET tomorrow", 1),
            ("Z", 1),
            ("London time tomorrow", 2),
            ("new york time", 3),
            ("Pacific Standard Time", 3),
            ("their time", 2),
            ("local time on Friday", 2),
            ("(my time)", 4),
            ("Eastern, with Bo", 1),
            ("America/New_York", 1),
        ] {
            assert_eq!(zone(&tokens(text)), Some(length), "{text}");
        }
    }

    #[test]
    fn the_users_own_zone_is_told_from_others() {
        for (text, is_users) in
            [("local time", true), ("(my time)", true), ("their time", false), ("EST", false), ("(London time)", false)]
        {
            assert_eq!(is_own(&tokens(text)), is_users, "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_a_zone_is_none() {
        for text in [
            "",
            "\"EST\"",
            "eat with Bo",
            "EAT OUT",
            "(CET or not)",
            "PT session",
            "Z shaped shelf",
            "London",
            "Pacific Ocean film",
            "story time",
            "time",
            "+15",
            "and/or",
            "pacific/",
            "- 5",
        ] {
            assert_eq!(zone(&tokens(text)), None, "{text}");
        }
    }
}
