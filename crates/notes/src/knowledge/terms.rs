//! Splits text into comparable terms: words and numbers in lower case, with English endings and stop words removed.

use std::collections::HashSet;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_segmentation::UnicodeSegmentation as _;

static STOP_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| LISTED_STOP_WORDS.split_whitespace().collect());

const LISTED_STOP_WORDS: &str = "a about across after again against all along also although am among an and any are around as at away back be became because become becomes \
been before being below between beyond both but by can cannot case come comes could did do does done down during each either else enough \
even ever every few for from get gets getting give given go goes going gone got had has have he her here him his how i if in instead into is \
it its just keep keeps kept kind let lets like long lot made make makes making many may me mean means might more most much must my near need \
neither never next no none not now of off often on once one only or other otherwise our out over own per put quite rather really same see \
seen several shall she should since so some soon sort still such sure take taken takes than that the their them then there these they thing \
things this those though through thus to together too toward towards try two under until up upon us use used useful using usually very via \
want was way we well went were what when where whether which while who whose why will with within without would yet you your";

/// Returns the terms of a text, in order.
#[must_use]
pub fn terms(text: &str) -> Vec<String> {
    words(text).into_iter().map(|(term, _)| term).collect()
}

/// Returns the terms of a text, each with its word in lower case.
pub(crate) fn words(text: &str) -> Vec<(String, String)> {
    let stemmer = Stemmer::create(Algorithm::English);
    let spaced: String = text.chars().map(|c| if "./_-".contains(c) { ' ' } else { c }).collect();
    let lower = spaced.unicode_words().map(str::to_lowercase);
    let kept = lower.filter(|word| !STOP_WORDS.contains(word.as_str()));
    let with_term = |word: String| {
        let term = stemmer.stem(word.trim_end_matches("'s").trim_end_matches("’s")).into_owned();
        (term, word)
    };
    kept.map(with_term).collect()
}
