//! Reads the durations of a text in one form, so that those of two texts can be compared: "half an hour" is as long as
//! "30 minutes". Called by the check of written answers in `src/ask/support.rs`.

use super::number_words::number_at;
use super::vocabulary::words;

/// A duration in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedDuration {
    /// The same for durations of the same length. Days and months are not comparable.
    pub length: String,
    /// Its numbers, as [`numbers`](super::numbers) returns them, and words for fractions.
    pub numbers: Vec<String>,
    /// All its words, in lower case.
    pub words: Vec<String>,
}

/// Units of time: the singular, the length, and whether that is in months rather than minutes.
const UNITS: [(&str, f64, bool); 8] = [
    ("second", 1.0 / 60.0, false),
    ("minute", 1.0, false),
    ("hour", 60.0, false),
    ("day", 1_440.0, false),
    ("week", 10_080.0, false),
    ("fortnight", 20_160.0, false),
    ("month", 1.0, true),
    ("year", 12.0, true),
];
/// The units of which "half a …" is an exact length. Half a day may be four hours of work.
const DIVISIBLE: [&str; 3] = ["minute", "hour", "year"];

/// Returns the durations of a text in order. "A week" is none: it is more often part of a rate ("nine euros a week").
#[must_use]
pub fn durations(text: &str) -> Vec<StatedDuration> {
    let words = words(text);
    let (mut found, mut at) = (Vec::new(), 0);
    while at < words.len() {
        if let Some((duration, length)) = duration_at(&words[at..]) {
            found.push(StatedDuration { words: words[at..at + length].to_vec(), ..duration });
            at += length;
        } else {
            at += 1;
        }
    }
    found
}

/// Returns the duration that these words begin with, and how many words it has.
fn duration_at(words: &[String]) -> Option<(StatedDuration, usize)> {
    part_of_unit(words).or_else(|| unit_and_half(words)).or_else(|| number_of_units(words))
}

/// "Half an hour", "a quarter of an hour", "three quarters of an hour".
fn part_of_unit(words: &[String]) -> Option<(StatedDuration, usize)> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let (part, numbers, length) = match (word(0), word(1), word(2)) {
        ("half", "a" | "an", _) => (0.5, &["half"][..], 2),
        ("quarter", "of", "a" | "an") => (0.25, &["quarter"][..], 3),
        ("three", "quarters", "of") if matches!(word(3), "a" | "an") => (0.75, &["3", "quarters"][..], 4),
        _ => return None,
    };
    let unit = DIVISIBLE.contains(&word(length)).then(|| word(length))?;
    Some((stated(part, unit, numbers)?, length + 1))
}

/// "An hour and a half", "two hours and a half".
fn unit_and_half(words: &[String]) -> Option<(StatedDuration, usize)> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let (number, length) = match word(0) {
        "a" | "an" => (None, 1),
        _ => number_at(words).map(|(number, length)| (Some(number), length))?,
    };
    let is_half = word(length + 1) == "and" && word(length + 2) == "a" && word(length + 3) == "half";
    let whole: f64 = number.as_deref().map_or(Some(1.0), |number| number.parse().ok())?;
    let numbers: Vec<&str> = number.as_deref().into_iter().chain(["half"]).collect();
    let duration = stated(whole + 0.5, word(length), &numbers).filter(|_| is_half)?;
    Some((duration, length + 4))
}

/// "30 minutes", "two weeks", "nine and a half hours".
fn number_of_units(words: &[String]) -> Option<(StatedDuration, usize)> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let (number, length) = number_at(words)?;
    let whole: f64 = number.parse().ok()?;
    if word(length) == "and" && word(length + 1) == "a" && word(length + 2) == "half" {
        return Some((stated(whole + 0.5, word(length + 3), &[number.as_str(), "half"])?, length + 4));
    }
    Some((stated(whole, word(length), &[number.as_str()])?, length + 1))
}

fn stated(count: f64, unit: &str, numbers: &[&str]) -> Option<StatedDuration> {
    let unit = match unit {
        "h" | "hr" | "hrs" => "hour",
        "min" | "mins" => "minute",
        "sec" | "secs" => "second",
        whole => whole,
    };
    let is_unit = |name: &str| unit == name || unit.strip_suffix('s') == Some(name);
    let (_, length, is_months) = UNITS.into_iter().find(|(name, ..)| is_unit(name))?;
    let base = if is_months { "months" } else { "minutes" };
    Some(StatedDuration {
        length: format!("{:.3} {base}", count * length),
        numbers: numbers.iter().map(|number| (*number).to_owned()).collect(),
        words: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::durations;

    fn lengths(text: &str) -> Vec<String> {
        durations(text).into_iter().map(|duration| duration.length).collect()
    }

    #[test]
    fn durations_of_one_length_are_equal() {
        for group in [
            &["half an hour", "30 minutes", "thirty minutes", "a 30-minute break", "30 min"][..],
            &["an hour and a half", "one and a half hours", "1.5 hours", "90 minutes"],
            &["a quarter of an hour", "15 minutes", "fifteen minutes"],
            &["three quarters of an hour", "45 minutes"],
            &["two weeks", "14 days", "one fortnight"],
            &["half a year", "six months", "0.5 years"],
            &["one day", "24 hours", "24 h"],
        ] {
            let first = lengths(group[0]);
            assert_eq!(first.len(), 1, "{}", group[0]);
            for text in group {
                assert_eq!(lengths(text), first, "{text}");
            }
        }
        assert_ne!(lengths("one month"), lengths("30 days"));
    }

    #[test]
    fn rates_and_vague_parts_are_no_durations() {
        for text in ["nine euros a week", "half a day", "an hour", "half of the hours", "27th day", "dozens of hours"] {
            assert!(durations(text).is_empty(), "{text}");
        }
        assert_eq!(durations("one and a half hours")[0].numbers, ["1", "half"]);
    }
}
