//! Suggests a search for the words of a question that nothing answers. Called by the interfaces that show a refusal.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use aha_analysis::retrieval::Question;
use aha_content::stems::{each_index_word, query_stems};

use crate::app::App;
use crate::services::Result;

/// Maximum number of words.
const MAX_WORDS: usize = 3;

/// Words of several languages that name nothing: pronouns, prepositions, auxiliaries and verbs such as "put" and "get".
static FUNCTION_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("function_words.txt").split_whitespace().collect());

/// Returns a query with which a search finds what has any of the question's rarest content words; `None` if none of
/// them occurs in what was read. Words for the kind of answer are left out.
///
/// # Errors
/// When the store fails.
pub async fn suggested_query(app: &App, question: &str) -> Result<Option<String>> {
    let question = Question::new(question);
    let words = content_words(&question);
    let stems: BTreeSet<String> = words.iter().flat_map(|word| query_stems(word)).collect();
    let stems: Vec<String> = stems.into_iter().collect();
    let entries: HashMap<String, i64> = app.store().term_frequencies(&stems).await?.into_iter().collect();
    let words = rarest(&words, &entries);
    Ok((!words.is_empty()).then(|| words.join(" OR ")))
}

fn content_words(question: &Question) -> Vec<&str> {
    question.search_words().into_iter().filter(|word| !FUNCTION_WORDS.contains(*word)).collect()
}

/// Returns those of the words that are in the fewest entries, but in one, in their order.
fn rarest<'w>(words: &[&'w str], entries: &HashMap<String, i64>) -> Vec<&'w str> {
    let counted = words.iter().enumerate().map(|(place, word)| (entries_with(word, entries), place, *word));
    let mut occurring: Vec<(i64, usize, &str)> = counted.filter(|(count, ..)| *count > 0).collect();
    occurring.sort_unstable();
    occurring.truncate(MAX_WORDS);
    occurring.sort_unstable_by_key(|(_, place, _)| *place);
    occurring.into_iter().map(|(.., word)| word).collect()
}

/// Returns in how many entries a word occurs; of one such as `09:30` all parts have to.
fn entries_with(word: &str, entries: &HashMap<String, i64>) -> i64 {
    let mut least: Option<i64> = None;
    each_index_word(word, |part| {
        let count = query_stems(part).iter().filter_map(|stem| entries.get(stem)).copied().max().unwrap_or_default();
        least = Some(least.map_or(count, |least| least.min(count)));
    });
    least.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suggested(question: &str, counts: &[(&str, i64)]) -> String {
        let stems =
            |(word, count): &(&str, i64)| query_stems(word).into_iter().map(|stem| (stem, *count)).collect::<Vec<_>>();
        let entries: HashMap<String, i64> = counts.iter().flat_map(stems).collect();
        rarest(&content_words(&Question::new(question)), &entries).join(" OR ")
    }

    #[test]
    fn only_the_rarest_content_words_that_occur_are_searched_for() {
        let counts = [("container", 4), ("data", 30), ("directory", 9), ("volume", 2), ("put", 1), ("nfs", 0)];
        let question = "Can I put the container's data directory on an NFS volume?";
        assert_eq!(suggested(question, &counts), "container OR directory OR volume");
        assert_eq!(suggested("Where is the observatory?", &counts), "");
        assert_eq!(suggested("At 09:30?", &[("09", 3)]), "");
        assert_eq!(suggested("At 09:30?", &[("09", 3), ("30", 2)]), "09:30");
    }

    #[test]
    fn words_of_no_content_in_any_language_are_left_out() {
        let everything = |question: &str| {
            let question = Question::new(question);
            content_words(&question).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(everything("Comment va-t-on à Annecy en train ?"), ["annecy", "train"]);
        assert_eq!(everything("May I sail if a boat hasn't come, without going away?"), ["sail", "boat"]);
        assert_eq!(everything("Wohin geht das Öl?"), ["öl"]);
        assert_eq!(everything("Wohin mit dem Öl der Boote?"), ["öl", "boote"]);
        assert_eq!(
            everything("Which orchestra plays in\tVienna on Thursday at 09:30?"),
            ["orchestra", "plays", "vienna", "thursday", "09:30"]
        );
        assert_eq!(everything("what does error E07 mean"), ["e07"], "without words for the kind");
        assert!(everything("What is it?").is_empty());
    }
}
