//! What words are within a clause: lead-ins, relations and kinds of text, which name no subject, and words that do so only
//! there.

use std::ops::Range;

use super::super::phrases::{is_past, is_possessive, is_relation, kind_of_text};
use super::super::places::Places;
use super::super::translations::Language;
use super::super::words::{NON, SUBJECTS_ALONE, is_content, is_function_word, is_modifier};

/// Whether a word is a digit of a name, as in "Formula 1".
pub(super) fn is_numeral(words: &[&str], at: usize) -> bool {
    let is_digit = matches!(words[at].as_bytes(), [digit] if digit.is_ascii_digit());
    is_digit && at > 0 && is_content(words[at - 1])
}

/// Whether "non", which otherwise only denies, is the modifier of the word after it: "non-fiction".
pub(super) fn is_non(modifiers: &[(String, String)], words: &[&str], at: usize) -> bool {
    let next = words.get(at + 1).copied();
    words[at] == NON && modifiers.iter().any(|(modifier, of)| modifier == NON && Some(of.as_str()) == next)
}

/// Words after which "work" may be a verb although it follows a noun: "how vaccines work", "the hours that nurses
/// work".
const BEFORE_CLAUSES: [&str; 12] =
    ["how", "if", "that", "what", "when", "where", "whether", "which", "who", "whom", "whose", "why"];

/// Whether "work", which elsewhere introduces a subject, is one by the noun before it: "care work".
pub(super) fn is_kind_of_work(words: &[&str], at: usize) -> bool {
    let follows_noun = at > 0 && is_content(words[at - 1]);
    let ends = words.get(at + 1).is_none_or(|next| is_function_word(next));
    words[at] == "work" && follows_noun && ends && !words[..at].iter().any(|word| BEFORE_CLAUSES.contains(word))
}

/// After the name of a relation, what it bears on: "the consequences of AI for work".
const RELATION_PREPOSITIONS: [&str; 17] = [
    "of", "on", "upon", "for", "von", "der", "des", "auf", "für", "de", "du", "d", "sur", "pour", "en", "del", "sobre",
];

/// Returns the index of the word that says how one subject bears on another, and is no subject: "the consequences of
/// AI for work", "AI and its consequences for work".
pub(super) fn relation(words: &[&str], language: Option<Language>) -> Option<usize> {
    let at = words.iter().position(|word| is_relation(word))?;
    let mut lead = words[..at].iter().rev().take_while(|word| !is_content(word));
    let is_of_subject_before = lead.any(|word| is_possessive(word, language));
    let begins = words[..at].iter().all(|word| !is_content(word));
    let bears_on = words.get(at + 1).is_some_and(|next| RELATION_PREPOSITIONS.contains(next));
    let names_subject = |words: &[&str]| words.iter().any(|word| is_content(word));
    let is_of_subject = if begins { bears_on && names_subject(&words[at + 1..]) } else { is_of_subject_before };
    is_of_subject.then_some(at)
}

/// Whether a word that elsewhere introduces a subject is what the relation at `relation_at` bears on: "for work".
pub(super) fn is_related(words: &[&str], relation_at: usize, at: usize) -> bool {
    at > relation_at && SUBJECTS_ALONE.contains(&words[at]) && RELATION_PREPOSITIONS.contains(&words[at - 1])
}

/// Whether a word introduces what texts are about by their length, or only asks ("how old the world is") or tells ("how
/// we came to be").
pub(super) fn leads_in(words: &[&str], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| words[before]);
    let is_degree = || is_modifier(words[at]) && words.get(at + 1).is_some_and(|next| is_function_word(next));
    match before {
        Some("how") if is_degree() => true,
        Some("we" | "they" | "you" | "he" | "she" | "it") if is_past(words[at]) => true,
        _ => is_length(words, at),
    }
}

/// Whether a word says how long texts are.
fn is_length(words: &[&str], at: usize) -> bool {
    let after = &words[at + 1..];
    let is_of_texts = after.first().is_some_and(|next| LEAD_IN_TEXTS.contains(next)) || kind_of_text(after) > 0;
    LEAD_IN_LENGTHS.contains(&words[at]) && is_of_texts
}

/// Between a kind of text and its subject.
const KIND_PREPOSITIONS: [&str; 23] = [
    "about", "on", "of", "with", "by", "from", "where", "that", "which", "who", "über", "mit", "von", "zu", "zum",
    "zur", "avec", "sur", "de", "des", "con", "sobre", "wo",
];

/// Returns where a kind of text is named before its subject, which alone counts: "interviews with writers", "essays
/// where they explain physics".
pub(super) fn kind_before_subject(words: &[&str]) -> Range<usize> {
    let begin = (0..words.len()).find(|at| is_content(words[*at]) && !is_length(words, *at)).unwrap_or(words.len());
    let end = begin + kind_of_text(&words[begin..]);
    let is_joined = words.get(end).is_some_and(|next| KIND_PREPOSITIONS.contains(next));
    let names_subject = |at: usize| is_content(words[at]) && Places::shipped().find(&words[at..]).is_none();
    if is_joined && (end + 1..words.len()).any(names_subject) { begin..end } else { 0..0 }
}

/// "Short reads about …" introduces a subject.
const LEAD_IN_LENGTHS: [&str; 3] = ["short", "long", "quick"];
const LEAD_IN_TEXTS: [&str; 5] = ["read", "reads", "pieces", "articles", "posts"];

/// Returns the index of a word of [`SUBJECTS_ALONE`] if it is the only content word.
pub(super) fn sole_subject(words: &[&str]) -> Option<usize> {
    let may_be_subject = |word: &&str| !is_function_word(word) || SUBJECTS_ALONE.contains(word);
    let mut content_words = words.iter().enumerate().filter(|(_, word)| may_be_subject(word));
    let (at, word) = content_words.next()?;
    (content_words.next().is_none() && SUBJECTS_ALONE.contains(word)).then_some(at)
}
