//! Writes the durations and units of a text in one form, so that the words of a question and of a passage are the same.
//! Called when both are divided into words. Pure.

/// Abbreviations of units and the words for them. Each may have a number before it, as in "50 g".
const UNITS: [(&str, &str); 15] = [
    ("g", "grams"),
    ("h", "hours"),
    ("l", "litres"),
    ("m", "metres"),
    ("cm", "centimetres"),
    ("hr", "hours"),
    ("hrs", "hours"),
    ("kg", "kilograms"),
    ("km", "kilometres"),
    ("mg", "milligrams"),
    ("min", "minutes"),
    ("mins", "minutes"),
    ("ml", "millilitres"),
    ("mm", "millimetres"),
    ("secs", "seconds"),
];

/// Those that mean nothing else, wherever they stand.
const UNAMBIGUOUS: [&str; 6] = ["cm", "kg", "km", "mg", "ml", "mm"];

/// Replaces the abbreviations of units after a number or "many", and unambiguous ones anywhere, by their words: "50 g"
/// by "50 grams". A single letter is one only if a space separates it from the number: "5g" is a network, "10m" a sum.
pub(super) fn with_whole_units(words: Vec<String>) -> Vec<String> {
    let whole = |abbreviation: &str| UNITS.iter().find(|(short, _)| *short == abbreviation).map(|(_, whole)| *whole);
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','));
    let mut found: Vec<String> = Vec::with_capacity(words.len());
    for word in words {
        let digits = word.bytes().take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',')).count();
        let (number, unit) = word.split_at(digits);
        let is_after_number = || found.last().is_some_and(|last| last == "many" || is_number(last));
        match whole(unit) {
            Some(whole) if digits == 0 && (UNAMBIGUOUS.contains(&unit) || is_after_number()) => {
                found.push(whole.to_owned());
            }
            Some(whole) if digits > 0 && unit.len() > 1 => found.extend([number.to_owned(), whole.to_owned()]),
            _ => found.push(word),
        }
    }
    found
}

/// Replaces durations in words by their value, dozens by their number, and the abbreviations of units by their words:
/// "half an hour" by "30 minutes". Input and output: the words of a text in order, in lower case.
pub(super) fn in_digits(words: Vec<String>) -> Vec<String> {
    const IN_MINUTES: [(&[&str], &str); 8] = [
        (&["three", "quarters", "of", "an", "hour"], "45"),
        (&["quarter", "of", "an", "hour"], "15"),
        (&["an", "hour", "and", "a", "half"], "90"),
        (&["one", "and", "a", "half", "hours"], "90"),
        (&["half", "an", "hour"], "30"),
        (&["half", "hour"], "30"),
        (&["half", "hours"], "30"),
        (&["quarter", "hour"], "15"),
    ];
    const VALUES: [(&str, [&str; 2]); 3] =
        [("fortnight", ["two", "weeks"]), ("fortnightly", ["two", "weeks"]), ("dozen", ["12", ""])];
    let words = with_whole_units(words);
    let is_value = |word: &String| word == "hour" || word == "hours" || VALUES.iter().any(|(name, _)| name == word);
    if !words.iter().any(is_value) {
        return words;
    }
    let begins = |at: usize, name: &[&str]| name.iter().zip(&words[at..]).filter(|(one, other)| one == other).count();
    let (mut found, mut at) = (Vec::with_capacity(words.len()), 0);
    while at < words.len() {
        let value = VALUES.iter().find(|(name, _)| *name == words[at]).map(|(_, value)| (&value[..], 1));
        let minutes = IN_MINUTES.iter().find(|(name, _)| begins(at, name) == name.len());
        if let Some((name, minutes)) = minutes {
            found.extend([(*minutes).to_owned(), "minutes".to_owned()]);
            at += name.len();
        } else if let Some((value, length)) = value {
            found.extend(value.iter().filter(|word| !word.is_empty()).map(|word| (*word).to_owned()));
            at += length;
        } else {
            found.push(words[at].clone());
            at += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::in_digits;

    #[test]
    fn units_of_numbers_are_words() {
        for (text, value) in [
            ("add 50 g of salt", "add 50 grams of salt"),
            ("how far in km", "how far in kilometres"),
            ("how many min", "how many minutes"),
            ("min and max", "min and max"),
            ("500ml and 1.5 l", "500 millilitres and 1.5 litres"),
            ("5g is no m of 10m", "5g is no m of 10m"),
            ("2 h and 30min", "2 hours and 30 minutes"),
        ] {
            assert_eq!(in_digits(text.split(' ').map(str::to_owned).collect()).join(" "), value);
        }
    }

    #[test]
    fn durations_in_words_are_values() {
        for (text, value) in [
            ("a half hour lesson", "a 30 minutes lesson"),
            ("lessons of half an hour", "lessons of 30 minutes"),
            ("in a quarter of an hour", "in a 15 minutes"),
            ("once a fortnight", "once a two weeks"),
            ("a dozen boats per hour", "a 12 boats per hour"),
        ] {
            assert_eq!(in_digits(text.split(' ').map(str::to_owned).collect()).join(" "), value);
        }
    }
}
