//! Brings numbers and days that are written in several ways into one form: "twenty third" becomes "twenty-third", and
//! "mon/wed/fri" three days.
//!
//! Input: the words of a sentence. Output: its words. Called by [`crate::language::read`].

use super::numbers::weekday;
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
            match days_by_slash(&tokens[at]) {
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
    let piece = |text: &str, start: usize| Token {
        text: text.to_owned(),
        lower: text.to_lowercase(),
        start,
        end: start + text.len(),
        quoted: false,
    };
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
    }
}
