//! Codes in a question: identifiers of letters and digits such as E12, version numbers, and quoted strings. A sentence
//! answers only if it has them, in itself, its heading or the title of its document: E07 is another error than E12.

use std::sync::LazyLock;

use regex::Regex;

use super::CandidatePassage;
use super::kinds::pattern;
use super::vocabulary::{is_year, words};
use crate::text::tokens::snowball_stem;

/// A code in more passages than this is known throughout a document, as the name of its subject is.
const MAX_PASSAGES: usize = 4;
/// Maximum number of words of a quoted string.
const MAX_QUOTED: usize = 6;

// After a word, a straight mark closes a quotation or is one of inches.
pattern!(QUOTED, r#"(?:(?:^|[\s(])"|[“„«])([^"“”„«»]{2,80})["”“»]"#);
pattern!(VERSION, r"(?i)\b(?:v|version |release )?(\d+(?:\.\d+){2,}|\d+\.\d+)");

/// A code of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Code {
    /// In lower case.
    pub(super) words: Vec<String>,
    /// Whether it is a quoted string, whose words may stand in another form or nowhere.
    is_quoted: bool,
}

impl Code {
    /// Returns whether a text contains it, also in two parts: "E 12".
    fn is_in(&self, text: &[String]) -> bool {
        let is_same =
            |one: &String, other: &String| one == other || self.is_quoted && snowball_stem(one) == snowball_stem(other);
        let in_parts = |pair: &[String]| self.words.len() == 1 && pair.concat() == self.words[0];
        let is_whole = |part: &[String]| part.iter().zip(&self.words).all(|(one, other)| is_same(one, other));
        text.windows(self.words.len()).any(is_whole) || text.windows(2).any(in_parts)
    }
}

/// Returns the codes of a question.
pub(super) fn codes(question: &str) -> Vec<Code> {
    let mut found: Vec<Code> = Vec::new();
    let mut add = |words: Vec<String>, is_quoted: bool| {
        if !words.is_empty() && found.iter().all(|code| code.words != words) {
            found.push(Code { words, is_quoted });
        }
    };
    for word in words(question).into_iter().filter(|word| is_identifier(word)) {
        add(vec![word], false);
    }
    for version in VERSION.iter().flat_map(|pattern: &Regex| pattern.captures_iter(question)) {
        let is_named = version.get(0).map(|all| all.as_str()) != version.get(1).map(|number| number.as_str());
        let number = version.get(1).map_or("", |number| number.as_str());
        if is_named || number.matches('.').count() > 1 && !is_date(number) {
            add(words(number), false);
        }
    }
    for quoted in QUOTED.iter().flat_map(|pattern: &Regex| pattern.captures_iter(question)) {
        let quoted = words(&quoted[1]);
        // An ordinary word in quotation marks is only emphasised.
        let is_string = quoted.len() > 1 || quoted.iter().any(|word| word.contains(|c: char| c.is_ascii_digit()));
        if is_string && quoted.len() <= MAX_QUOTED {
            add(quoted, true);
        }
    }
    found
}

/// Returns whether three numbers are a day, a month and a year, in this order or the reverse.
fn is_date(numbers: &str) -> bool {
    let parts: Vec<&str> = numbers.split('.').collect();
    let is_at_most = |part: &str, max: u32| part.parse().is_ok_and(|number: u32| (1..=max).contains(&number));
    let is_date = |day: &str, month: &str, year: &str| is_at_most(day, 31) && is_at_most(month, 12) && is_year(year);
    matches!(parts[..], [one, month, other] if is_date(one, month, other) || is_date(other, month, one))
}

/// Returns whether a word begins with a letter and has a digit. "3rd" and "10km" are numbers.
fn is_identifier(word: &str) -> bool {
    word.starts_with(char::is_alphabetic) && word.contains(|c: char| c.is_ascii_digit())
}

/// Where the codes of a question stand.
#[derive(Debug)]
pub(super) struct CodePlaces<'q> {
    /// The codes that a sentence must have.
    required: Vec<&'q Code>,
}

impl<'q> CodePlaces<'q> {
    /// Finds the codes in passages; `None` if an identifier or version stands in none of them.
    pub(super) fn of(codes: &'q [Code], candidates: &[CandidatePassage<'_>]) -> Option<Self> {
        if codes.is_empty() {
            return Some(Self { required: Vec::new() });
        }
        let texts: Vec<Vec<String>> = candidates.iter().map(all_words).collect();
        let mut required = Vec::new();
        for code in codes {
            match texts.iter().filter(|words| code.is_in(words)).count() {
                0 if code.is_quoted => {}
                0 => return None,
                having if having <= MAX_PASSAGES => required.push(code),
                _ => {}
            }
        }
        Some(Self { required })
    }

    /// Returns whether a sentence may answer the question.
    pub(super) fn allow(&self, sentence: &str, candidate: &CandidatePassage<'_>) -> bool {
        let context = || [sentence, candidate.section, candidate.title.unwrap_or_default(), candidate.document];
        self.required.iter().all(|code| context().iter().any(|text| code.is_in(&words(text))))
    }
}

fn all_words(candidate: &CandidatePassage<'_>) -> Vec<String> {
    let context = [candidate.document, candidate.title.unwrap_or_default(), candidate.section];
    context
        .into_iter()
        .chain(candidate.blocks.iter().flat_map(|block| block.sentences.iter().copied()))
        .flat_map(words)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::Block;
    use super::*;

    #[test]
    fn identifiers_versions_and_quoted_strings_are_codes() {
        let joined = |text| codes(text).into_iter().map(|code| code.words.join(" ")).collect::<Vec<_>>();
        assert_eq!(joined("What does error E12 mean on the L2?"), ["e12", "l2"]);
        assert_eq!(joined("What is new in version 2.4 and 3.1.2?"), ["2.4", "3.1.2"]);
        assert_eq!(joined("Who said \"no more boats\"?"), ["no more boats"]);
        assert_eq!(joined("What does „Kein Boot“ mean, and «pas de bateau»?"), ["kein boot", "pas de bateau"]);
        for text in [
            "Is it open on the 3rd at 9:30 for 2.50 euros?",
            "Who repairs the \"boat\" in winter?",
            "Does the 5\" pipe fit the old 6\" hose?",
            "What happened on 12.03.2026 and 2026.03.12?",
        ] {
            assert!(joined(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_sentence_must_have_the_code() {
        let text = "E07 is heat. E 12 is a plug.";
        let block = Block { text, sentences: vec!["E07 is heat.", "E 12 is a plug."] };
        let candidate = CandidatePassage {
            document: "bike.md",
            title: None,
            section: "Errors",
            blocks: vec![block],
            dated: 0,
            is_date_stated: true,
            is_replaced: false,
            is_item: false,
        };
        let asked = codes("What does E12 mean?");
        let places = CodePlaces::of(&asked, std::slice::from_ref(&candidate)).unwrap();
        assert!(places.allow("E 12 is a plug.", &candidate) && !places.allow("E07 is heat.", &candidate));
        assert!(CodePlaces::of(&codes("What does E20 mean?"), &[candidate]).is_none());
    }
}
