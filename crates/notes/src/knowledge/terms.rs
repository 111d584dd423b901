//! Texts as terms to compare: words and numbers, in lower case, English endings removed, what says nothing left out.

use rust_stemmers::{Algorithm, Stemmer};
use unicode_segmentation::UnicodeSegmentation as _;

const FUNCTION_WORDS: &str = " a about after again all also am an and any are as at be because been before but by can could did do does \
for from had has have he her here him his how i if in into is it its just may me more most must my need no not of off on one only or other our out \
over own she should since so some such take than that the their them then there these they this those to too two under until up use very was we were \
what when where which while who why will with without would you your ";

/// The terms of a text, in their order.
pub(crate) fn terms(text: &str) -> Vec<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    let spaced: String = text.chars().map(|c| if "./_-".contains(c) { ' ' } else { c }).collect();
    let words = spaced.unicode_words().map(str::to_lowercase).collect::<Vec<_>>();
    let kept = words.into_iter().filter(|word| !FUNCTION_WORDS.contains(&format!(" {word} ")));
    kept.map(|word| stemmer.stem(word.trim_end_matches("'s").trim_end_matches("’s")).into_owned()).collect()
}
