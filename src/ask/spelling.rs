//! Reads a word of a question that occurs in no text, and has a typing error, as the word that was meant.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use aha_analysis::retrieval::Question;
use aha_analysis::retrieval::spelling::{Reading, is_known, readings, unknown_words};
use aha_content::search_terms::query_stems;

use crate::app::App;
use crate::services::ServiceError;

/// Maximum number of words that are looked up, which takes some milliseconds each.
const MAX_WORDS: usize = 3;
/// Minimum number of entries with a word that is in no table of words, such as a name.
const MIN_ENTRIES: i64 = 2;

/// A question as it is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ReadQuestion {
    pub(super) text: String,
    /// The words as written, and as read.
    corrections: Vec<(String, String)>,
}

impl ReadQuestion {
    /// Says how words were read; `None` if all are as written.
    pub(super) fn note(&self) -> Option<String> {
        let read: Vec<String> =
            self.corrections.iter().map(|(written, read_as)| format!("read “{written}” as “{read_as}”")).collect();
        (!read.is_empty()).then(|| read.join("; "))
    }
}

/// Corrects the words of a question that occur in no text and are one typing error away from one that does.
pub(super) async fn read(app: &App, text: &str) -> Result<ReadQuestion, ServiceError> {
    let question = Question::new(text);
    let mut read = ReadQuestion { text: text.to_owned(), corrections: Vec::new() };
    let unknown: Vec<(&str, BTreeSet<String>)> =
        unknown_words(&question).into_iter().take(MAX_WORDS).map(|word| (word, query_stems(word))).collect();
    if unknown.is_empty() {
        return Ok(read);
    }
    let stems: BTreeSet<String> = unknown.iter().flat_map(|(_, stems)| stems).cloned().collect();
    let entries = frequencies(app, stems).await?;
    for (word, _) in unknown.iter().filter(|(_, stems)| !stems.iter().any(|stem| entries.contains_key(stem))) {
        let readings = readings(word);
        let stems = readings.iter().flat_map(|reading| query_stems(&reading.word)).collect();
        if let Some(meant) = likeliest(readings, &frequencies(app, stems).await?) {
            read.text = replaced(&read.text, word, &meant);
            read.corrections.push(((*word).to_owned(), meant));
        }
    }
    Ok(read)
}

/// Returns in how many entries each of these stems occurs, without those that do not occur.
async fn frequencies(app: &App, stems: BTreeSet<String>) -> Result<HashMap<String, i64>, ServiceError> {
    let stems: Vec<String> = stems.into_iter().collect();
    Ok(app.store().term_frequencies(&stems).await?.into_iter().collect())
}

/// Returns the likeliest reading that occurs: first those of the table of words, by the kind of error and then by how
/// many entries have them.
fn likeliest(readings: Vec<Reading>, entries: &HashMap<String, i64>) -> Option<String> {
    let counted = readings.into_iter().filter_map(|reading| {
        let count = query_stems(&reading.word).iter().filter_map(|stem| entries.get(stem)).copied().max()?;
        let is_known = is_known(&reading.word);
        (is_known || count >= MIN_ENTRIES).then_some((!is_known, reading.error, Reverse(count), reading.word))
    });
    counted.min().map(|(.., word)| word)
}

/// Replaces a word, given in lower case, wherever it stands.
fn replaced(text: &str, word: &str, meant: &str) -> String {
    let mut read = String::with_capacity(text.len() + meant.len());
    let mut rest = text;
    while let Some(start) = rest.find(char::is_alphanumeric) {
        let end = rest[start..].find(|c: char| !c.is_alphanumeric()).map_or(rest.len(), |length| start + length);
        let found = &rest[start..end];
        read.push_str(&rest[..start]);
        read.push_str(if found.to_lowercase() == word { meant } else { found });
        rest = &rest[end..];
    }
    read + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(words: &[(&str, i64)]) -> HashMap<String, i64> {
        let stems =
            |(word, count): &(&str, i64)| query_stems(word).into_iter().map(|stem| (stem, *count)).collect::<Vec<_>>();
        words.iter().flat_map(stems).collect()
    }

    #[test]
    fn a_missing_letter_is_likelier_than_an_added_or_another_one() {
        let entries = entries(&[("taking", 40), ("tracking", 3), ("trading", 9)]);
        assert_eq!(likeliest(readings("traking"), &entries).as_deref(), Some("tracking"));
        assert_eq!(likeliest(readings("zzyzxq"), &entries), None);
    }

    #[test]
    fn a_name_that_occurs_once_is_not_meant() {
        assert_eq!(likeliest(readings("hallbenach"), &entries(&[("hallbernach", 1)])), None);
        let twice = entries(&[("hallbernach", 2)]);
        assert_eq!(likeliest(readings("hallbenach"), &twice).as_deref(), Some("hallbernach"));
    }

    #[test]
    fn only_the_whole_word_is_replaced() {
        assert_eq!(replaced("Is theft Traking (traking2)?", "traking", "tracking"), "Is theft tracking (traking2)?");
    }
}
