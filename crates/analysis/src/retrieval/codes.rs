//! Codes in a question: identifiers of letters and digits such as E12, version numbers, and quoted strings. A sentence
//! answers only if it has them, in itself, its heading or the title of its document: E07 is another error than E12.

use std::sync::LazyLock;

use regex::Regex;

use super::CandidatePassage;
use super::kinds::pattern;
use super::vocabulary::words;

/// A code in more passages than this is known throughout a document, as the name of its subject is.
const MAX_PASSAGES: usize = 4;
/// Maximum number of words of a quoted string.
const MAX_QUOTED: usize = 6;

pattern!(QUOTED, r#"["“„«]([^"“”„«»]{2,80})["”“»]"#);
pattern!(VERSION, r"(?i)\b(?:v|version |release )?(\d+(?:\.\d+){2,}|\d+\.\d+)");

/// Returns the codes of a question, each as its words in lower case.
pub(super) fn codes(question: &str) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = Vec::new();
    let mut add = |code: Vec<String>| {
        if !code.is_empty() && !found.contains(&code) {
            found.push(code);
        }
    };
    words(question).into_iter().filter(|word| is_identifier(word)).for_each(|word| add(vec![word]));
    for version in VERSION.iter().flat_map(|pattern: &Regex| pattern.captures_iter(question)) {
        let is_named = version.get(0).map(|all| all.as_str()) != version.get(1).map(|number| number.as_str());
        let number = version.get(1).map_or("", |number| number.as_str());
        if is_named || number.matches('.').count() > 1 {
            add(words(number));
        }
    }
    for quoted in QUOTED.iter().flat_map(|pattern: &Regex| pattern.captures_iter(question)) {
        let quoted = words(&quoted[1]);
        if quoted.len() <= MAX_QUOTED {
            add(quoted);
        }
    }
    found
}

/// Returns whether a word begins with a letter and has a digit. "3rd" and "10km" are numbers.
fn is_identifier(word: &str) -> bool {
    word.starts_with(char::is_alphabetic) && word.contains(|c: char| c.is_ascii_digit())
}

/// Where the codes of a question stand.
#[derive(Debug)]
pub(super) struct CodePlaces<'q> {
    /// The codes that a sentence must have.
    required: Vec<&'q [String]>,
}

impl<'q> CodePlaces<'q> {
    /// Finds the codes in passages; `None` if one stands in none of them.
    pub(super) fn of(codes: &'q [Vec<String>], candidates: &[CandidatePassage<'_>]) -> Option<Self> {
        if codes.is_empty() {
            return Some(Self { required: Vec::new() });
        }
        let texts: Vec<Vec<String>> = candidates.iter().map(all_words).collect();
        let mut required = Vec::new();
        for code in codes {
            match texts.iter().filter(|words| has(words, code)).count() {
                0 => return None,
                having if having <= MAX_PASSAGES => required.push(code.as_slice()),
                _ => {}
            }
        }
        Some(Self { required })
    }

    /// Returns whether a sentence may answer the question.
    pub(super) fn allow(&self, sentence: &str, candidate: &CandidatePassage<'_>) -> bool {
        let context = || [sentence, candidate.section, candidate.title.unwrap_or_default(), candidate.document];
        self.required.iter().all(|code| context().iter().any(|text| has(&words(text), code)))
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

/// Returns whether words contain a code, also in two parts: "E 12".
fn has(words: &[String], code: &[String]) -> bool {
    let in_parts = |pair: &[String]| code.len() == 1 && pair.concat() == code[0];
    words.windows(code.len()).any(|part| part == code) || words.windows(2).any(in_parts)
}

#[cfg(test)]
mod tests {
    use super::super::Block;
    use super::*;

    #[test]
    fn identifiers_versions_and_quoted_strings_are_codes() {
        let joined = |text| codes(text).into_iter().map(|code| code.join(" ")).collect::<Vec<_>>();
        assert_eq!(joined("What does error E12 mean on the L2?"), ["e12", "l2"]);
        assert_eq!(joined("What is new in version 2.4 and 3.1.2?"), ["2.4", "3.1.2"]);
        assert_eq!(joined("Who said \"no more boats\"?"), ["no more boats"]);
        assert!(joined("Is it open on the 3rd at 9:30 for 2.50 euros?").is_empty());
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
