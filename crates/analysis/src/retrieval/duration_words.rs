//! Writes the durations of a text in one form, so that the words of a question and of a passage are the same. Called
//! when both are divided into words. Pure.

/// Replaces durations in words by their value, and dozens by their number: "half an hour" by "30 minutes". Input and
/// output: the words of a text in order, in lower case.
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
