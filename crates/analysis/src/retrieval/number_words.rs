//! Reads the numbers of a text in one form, so that those of two texts can be compared: "forty-two" is 42, "the third"
//! is 3rd, and "2 million" is 2,000,000. Called by the check of written answers in `src/ask/support.rs`.

use super::vocabulary::{digits, words};

/// From 20 on, in steps of ten.
const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
/// Ordinal numbers from 1 to 19, and from 20 in steps of ten.
const ORDINALS: [&str; 19] = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
];
const ORDINAL_TENS: [&str; 8] =
    ["twentieth", "thirtieth", "fortieth", "fiftieth", "sixtieth", "seventieth", "eightieth", "ninetieth"];
/// Words before "first", "second" and "third" where these are numbers: without one, "first" may be an adverb, "second" a
/// time and "third" a part.
const DETERMINERS: [&str; 10] = ["the", "its", "their", "our", "your", "my", "his", "her", "this", "every"];
/// Words that multiply the number before them, or one.
const FACTORS: [(&str, f64); 5] =
    [("dozen", 12.0), ("hundred", 100.0), ("thousand", 1e3), ("million", 1e6), ("billion", 1e9)];
/// Words for a number that is not stated.
const INDEFINITE: [&str; 5] = ["dozens", "hundreds", "thousands", "millions", "billions"];

/// Returns the numbers of a text in order: in digits without separators of thousands if they can be computed, otherwise
/// as they are written.
#[must_use]
pub fn numbers(text: &str) -> Vec<String> {
    let words = words(text);
    let (mut found, mut at) = (Vec::new(), 0);
    while at < words.len() {
        if let Some((number, length)) = ordinal_at(&words, at).or_else(|| number_at(&words[at..])) {
            found.push(number);
            at += length;
        } else {
            at += 1;
        }
    }
    found
}

/// Returns the ordinal number in letters at a place, as `3rd`, and how many words it has.
fn ordinal_at(words: &[String], at: usize) -> Option<(String, usize)> {
    let place = |list: &[&str], word: &String| list.iter().position(|one| *one == word.as_str()).map(|at| at + 1);
    let word = words.get(at)?;
    let before = at.checked_sub(1).and_then(|before| words.get(before)).map_or("", String::as_str);
    if let Some(tens) = place(&TENS, word) {
        let unit = place(&ORDINALS, words.get(at + 1)?).filter(|unit| *unit < 10)?;
        return Some((as_ordinal(10 * (tens + 1) + unit), 2));
    }
    let number = place(&ORDINALS, word).or_else(|| place(&ORDINAL_TENS, word).map(|tens| 10 * (tens + 1)))?;
    // "A fifth" is a part.
    let is_number = if number > 3 { !matches!(before, "a" | "one") } else { DETERMINERS.contains(&before) };
    is_number.then(|| (as_ordinal(number), 1))
}

fn as_ordinal(number: usize) -> String {
    let ending = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// Returns the number that these words begin with, and how many words it has.
pub(super) fn number_at(words: &[String]) -> Option<(String, usize)> {
    let first = words.first()?;
    if INDEFINITE.contains(&first.as_str()) {
        return Some((first.clone(), 1));
    }
    let implied_one = || factor(first).map(|_| ("1".to_owned(), 0));
    let (mut number, mut length) = below_hundred(words).or_else(implied_one)?;
    while let Some((name, times)) = words.get(length).and_then(|word| factor(word)) {
        number = match number.parse::<f64>() {
            // To six decimals: 4.1 × 1,000,000 is not 4,100,000 in binary.
            Ok(value) => ((value * times * 1e6).round() / 1e6).to_string(),
            Err(_) => format!("{number} {name}"),
        };
        length += 1;
    }
    Some((number, length))
}

fn factor(word: &str) -> Option<(&'static str, f64)> {
    FACTORS.iter().find(|(name, _)| *name == word).copied()
}

/// Returns a number in digits, or one below a hundred in words, and how many words it has.
fn below_hundred(words: &[String]) -> Option<(String, usize)> {
    let first = words.first()?;
    let Some(tens) = TENS.iter().position(|tens| *tens == first.as_str()) else {
        return Some((without_separators(&digits(first)?), 1));
    };
    let tens = 10 * (tens + 2);
    let in_letters = words.get(1).filter(|word| word.chars().all(char::is_alphabetic));
    let unit = in_letters.and_then(|word| digits(word)).and_then(|unit| unit.parse::<usize>().ok());
    Some(match unit.filter(|unit| *unit < 10) {
        Some(unit) => ((tens + unit).to_string(), 2),
        None => (tens.to_string(), 1),
    })
}

/// Returns `94,000` as `94000`, and any other number as it is.
fn without_separators(number: &str) -> String {
    let (whole, decimals) = number.split_at(number.find('.').unwrap_or(number.len()));
    let is_number = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let mut groups = whole.split(',');
    let begins = groups.next().is_some_and(|first| first.len() <= 3 && is_number(first));
    if begins && groups.all(|group| group.len() == 3 && is_number(group)) {
        format!("{}{decimals}", whole.replace(',', ""))
    } else {
        number.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn numbers_in_words_and_in_digits_are_equal() {
        for (text, expected) in [
            ("Forty-two crowns, thirty days, twenty boats.", &["42", "30", "20"][..]),
            ("2 million, 2 billion and 1.3 million", &["2000000", "2000000000", "1300000"]),
            ("94,000 boats; two thousand; 2000; a dozen; two hundred", &["94000", "2000", "2000", "12", "200"]),
            ("On the 27th at 09:30 for 9.20 or 1,5 million", &["27th", "09:30", "9.20", "1,5 million"]),
            ("The third of May, the twenty-third, its fifth; the 3rd", &["3rd", "23rd", "5th", "3rd"]),
            ("A third of it, a fifth, one second; first call a second boat.", &["1"]),
            ("The eleventh, the twelfth, the thirtieth, the thirty-first.", &["11th", "12th", "30th", "31st"]),
            ("Hundreds came in 2026, thousands later.", &["hundreds", "2026", "thousands"]),
            ("None of it.", &[]),
        ] {
            assert_eq!(numbers(text), expected, "{text}");
        }
    }
}
