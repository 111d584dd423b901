//! Ranks entries that have the query's words as they are written before those that have only other forms of them. The
//! index holds stems, and words without a common meaning can have the same one: "ferry" and "Ferris".
//!
//! Input: the wanted terms, and entries in the order of the index. Output: the same entries; of the first
//! [`MAX_RANKED`] those with the very words come first, each part in the order of the index, with what they contain.
//! Called by `search`.

use std::collections::HashSet;

use aha_content::accents::fold;
use aha_content::excerpt::words;
use aha_store::SearchHit;

use super::super::Result;
use super::compute;
use super::query::Term;
use crate::app::App;

/// Number of entries whose texts are read for this: as many as can be shown.
pub(super) const MAX_RANKED: usize = 100;

/// # Errors
/// When the store fails.
pub(super) async fn as_written_first(
    app: &App,
    wanted: &[Vec<Term>],
    mut entries: Vec<i64>,
) -> Result<(Vec<i64>, Vec<SearchHit>)> {
    let count = entries.len().min(MAX_RANKED);
    let hits = app.store().search_hits(&entries[..count], false).await?;
    let wanted = Wanted::of(wanted);
    compute(move || {
        let as_written: HashSet<i64> = hits.iter().filter(|hit| wanted.is_in(hit)).map(|hit| hit.entry).collect();
        entries[..count].sort_by_key(|entry| !as_written.contains(entry));
        (entries, hits)
    })
    .await
}

/// Of each group one has to occur: the words of a term, which have to be adjacent.
struct Wanted(Vec<Vec<Vec<String>>>);

impl Wanted {
    /// Beginnings of words are left out: any word that begins so is as written.
    fn of(groups: &[Vec<Term>]) -> Self {
        let exact = groups.iter().filter(|group| !group.iter().any(|term| term.is_beginning));
        let words_of = |term: &Term| -> Vec<String> {
            let folded = fold(&term.text);
            words(&folded, usize::MAX).into_iter().map(|(_, word)| word.to_owned()).collect()
        };
        Self(exact.map(|group| group.iter().map(words_of).collect()).collect())
    }

    fn is_in(&self, hit: &SearchHit) -> bool {
        let parts = [hit.title.as_deref(), hit.section.as_deref(), Some(hit.text.as_str())];
        let text = fold(&parts.into_iter().flatten().collect::<Vec<_>>().join("\n"));
        self.is_in_text(&text)
    }

    fn is_in_text(&self, folded: &str) -> bool {
        let words = words(folded, usize::MAX);
        let text: Vec<&str> = words.into_iter().map(|(_, word)| word.trim_start_matches('#')).collect();
        let distinct: HashSet<&str> = text.iter().copied().collect();
        let has = |term: &Vec<String>| {
            term.iter().all(|word| distinct.contains(word.as_str()))
                && (term.len() < 2 || text.windows(term.len()).any(|words| words == &term[..]))
        };
        self.0.iter().all(|group| group.iter().any(has))
    }
}

#[cfg(test)]
mod tests {
    use super::super::query::parse;
    use super::*;

    #[test]
    fn a_text_has_words_as_written_whatever_their_capitals_and_accents() {
        let is_in = |query: &str, text: &str| Wanted::of(&parse(query).unwrap().wanted).is_in_text(&fold(text));
        for (query, text) in [
            ("ferry", "The FERRY left."),
            ("ferry", "All about #ferry life"),
            ("ferry quay", "A quay for the ferry-boat"),
            ("ferris OR ferry", "The ferry left"),
            ("\"night ferry\"", "The night ferry left"),
            ("jeri", "A vila de Jerí"),
            ("ferr*", "Ferrets"),
            ("o'neil", "Said O'Neil"),
        ] {
            assert!(is_in(query, text), "{query}: {text}");
        }
        for (query, text) in [
            ("ferry", "Nan Ferris"),
            ("ferris", "The ferry and its ferries"),
            ("ferry quay", "The ferry at the quays"),
            ("\"night ferry\"", "A ferry at night"),
        ] {
            assert!(!is_in(query, text), "{query}: {text}");
        }
    }
}
