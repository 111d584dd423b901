//! Completes parts that share words with the part that an "and" joins them to.
//!
//! Input: the parts of a sentence. Output: the same, where "AI in schools and workplaces" is "AI in schools" and "AI in
//! workplaces", since schools and workplaces are alike, but "life in prison and gardening" are two subjects.

use super::parts::Part;
use super::places::Places;
use super::tokens::Token;
use super::word_vectors::WordVectors;
use super::words::is_content;

/// Prepositions of place: what stands before them is said of everything that they join. Others begin a closer
/// description of one thing only: "history of science and chess".
const PREPOSITIONS: [&str; 5] = ["in", "im", "at", "dans", "en"];

/// A part with more content words is a subject of its own.
const MAX_JOINED_WORDS: usize = 2;

/// Minimum cosine of two words of things that are alike, between "schools, workplaces" (0.37) and "sports, politics"
/// (0.27), which may be either; "prison, gardening" have -0.08.
const MIN_SIMILARITY: f64 = 0.35;

/// Completes each part that is joined to the one before.
pub(super) fn complete(parts: &mut [Part<'_>]) {
    for at in 0..parts.len() {
        let (before, from) = parts.split_at_mut(at);
        let Some(part) = from.first_mut() else { continue };
        let joined_to = part.joined_to.and_then(|to| before.get(to));
        if let Some(first) = joined_to.filter(|first| first.denied == part.denied) {
            share_subject(first, part);
        }
    }
}

/// "AI in schools and workplaces", "elections in Peru and Chile"; not "food in Japan and photography".
fn share_subject<'t>(first: &Part<'t>, second: &mut Part<'t>) {
    let Some(preposition) = first.tokens.iter().rposition(|token| PREPOSITIONS.contains(&token.word.as_str())) else {
        return;
    };
    let (subject, object) = first.tokens.split_at(preposition + 1);
    let is_of_its_own = second.tokens.iter().any(|token| PREPOSITIONS.contains(&token.word.as_str()));
    let length = content_words(&second.tokens);
    if is_of_its_own
        || !(1..=MAX_JOINED_WORDS).contains(&length)
        || content_words(subject) == 0
        || content_words(object) > MAX_JOINED_WORDS
        || !are_alike(object, &second.tokens)
    {
        return;
    }
    second.seam = Some(subject.len());
    second.tokens.splice(0..0, subject.iter().copied());
}

fn content_words(tokens: &[&Token]) -> usize {
    tokens.iter().filter(|token| is_content(&token.word)).count()
}

/// Whether both name places, or words of like meaning; words of other languages than English have none here.
fn are_alike(one: &[&Token], other: &[&Token]) -> bool {
    match (names_place(one), names_place(other)) {
        (true, true) => true,
        (false, false) => {
            let vectors = WordVectors::shipped();
            let ranks = |tokens: &[&Token]| -> Vec<usize> {
                let content = tokens.iter().filter(|token| is_content(&token.word));
                content.filter_map(|token| vectors.rank(&token.word)).collect()
            };
            let others = ranks(other);
            let is_near = |rank| others.iter().any(|other| vectors.similarity(rank, *other) >= MIN_SIMILARITY);
            ranks(one).into_iter().any(is_near)
        }
        _ => false,
    }
}

fn names_place(tokens: &[&Token]) -> bool {
    let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
    (0..words.len()).any(|at| Places::shipped().find(&words[at..]).is_some())
}
