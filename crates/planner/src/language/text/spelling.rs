//! Corrects typing errors in the words that the rules depend on: names of days and months, commands, nouns for records.
//!
//! Input: a word in lower case. Output: the correct word, if there is one. Titles stay as they were typed; only the
//! form that the rules compare is corrected. Called by [`super::tokens`].

use super::words::{WordList, word_list};

/// Common variants, as "written=meant".
static COMMON: WordList = WordList::new(|| word_list(include_str!("../words/common_variants.txt")));

/// Words that errors are corrected to. They are long enough that few other words are similar.
static KNOWN: WordList = WordList::new(|| word_list(include_str!("../words/known_words.txt")));

/// Words that are similar to a known one and mean something else.
const OTHERS: &str = "finishes|reminded|completes|fridays|canal|cancels|renames|changes|reminds|charge|chance|creates|\
    creature|moaning|\
    meting|\
    remaid|tomorrows|\
    depose|delate|removed|removes|frida|sundae|prorate";

/// Returns the corrected word, `None` if the word needs no correction.
#[must_use]
pub fn mended(word: &str) -> Option<&'static str> {
    let common = COMMON.split('|').filter_map(|pair| pair.split_once('=')).find(|(written, _)| *written == word);
    if let Some((_, meant)) = common {
        return Some(meant).filter(|meant| !meant.contains(' '));
    }
    let unsure = word.len() < 5 || !word.is_ascii() || OTHERS.split('|').any(|other| other == word);
    if unsure || KNOWN.split('|').any(|known| known == word) {
        return None;
    }
    KNOWN.split('|').find(|known| is_slip_of(word.as_bytes(), known.as_bytes()))
}

/// Returns whether the words differ by two exchanged neighbours, a missing inner letter or a doubled letter; for a long
/// word also by one replaced letter.
fn is_slip_of(word: &[u8], known: &[u8]) -> bool {
    let same = word.iter().zip(known).take_while(|(a, b)| a == b).count();
    let (rest, meant) = (&word[same..], &known[same..]);
    let inside = same > 0;
    if word.len() == known.len() {
        return match (rest, meant) {
            ([a, b, rest @ ..], [c, d, meant @ ..]) if a == d && b == c => rest == meant,
            ([_, rest @ ..], [_, meant @ ..]) => inside && known.len() >= 8 && rest == meant,
            _ => false,
        };
    }
    if word.len() + 1 == known.len() {
        return inside && meant.len() > 1 && known.len() >= 6 && rest == &meant[1..];
    }
    word.len() == known.len() + 1 && inside && !meant.is_empty() && rest[0] == word[same - 1] && &rest[1..] == meant
}

#[cfg(test)]
mod tests {
    use super::mended;

    #[test]
    fn typing_errors_are_corrected_and_other_words_are_not() {
        for (written, meant) in [
            ("teusday", "tuesday"),
            ("chnage", "change"),
            ("thrusday", "thursday"),
            ("wednsday", "wednesday"),
            ("saterday", "saturday"),
            ("delte", "delete"),
            ("meetting", "meeting"),
            ("tomorow", "tomorrow"),
            ("remnid", "remind"),
            ("postpne", "postpone"),
        ] {
            assert_eq!(mended(written), Some(meant), "{written}");
        }
        for word in
            ["sundae", "march", "frida", "removed", "charge", "monday", "reminders", "changed", "mondays", "meet"]
        {
            assert_eq!(mended(word), None, "{word}");
        }
    }
}
