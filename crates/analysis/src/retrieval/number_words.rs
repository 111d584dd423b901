//! Reads the numbers of a text in one form, so that those of two texts can be compared: "forty-two" is 42, and
//! "2 million" is 2,000,000. Called by the check of written answers in `src/ask/support.rs`.

use super::vocabulary::{digits, words};

/// From 20 on, in steps of ten.
const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
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
        if let Some((number, length)) = number_at(&words[at..]) {
            found.push(number);
            at += length;
        } else {
            at += 1;
        }
    }
    found
}

/// Returns the number that these words begin with, and how many words it has.
fn number_at(words: &[String]) -> Option<(String, usize)> {
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
            ("Hundreds came in 2026, thousands later.", &["hundreds", "2026", "thousands"]),
            ("None of it.", &[]),
        ] {
            assert_eq!(numbers(text), expected, "{text}");
        }
    }
}
