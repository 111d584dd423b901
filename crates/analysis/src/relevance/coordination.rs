//! Completes parts that share words with the part that an "and" joins them to.
//!
//! Input: the parts of a sentence. Output: the same, where "AI in schools and workplaces" is "AI in schools" and "AI in
//! workplaces", since schools and workplaces are alike, but "life in prison and gardening" are two subjects.

use super::parts::Part;
use super::places::{PlaceId, Places};
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
    for at in 0..parts.len() {
        let (before, from) = parts.split_at_mut(at + 1);
        if let Some(part) = before.last_mut().filter(|part| has_subject_alone(part)) {
            part.shared_places = shared_places(part, at, from);
        }
    }
}

/// Whether a part names neither a place nor what it is in.
fn has_subject_alone(part: &Part<'_>) -> bool {
    (1..=MAX_JOINED_WORDS).contains(&content_words(&part.tokens))
        && !part.tokens.iter().any(|token| PREPOSITIONS.contains(&token.word.as_str()))
        && !names_place(&part.tokens)
}

/// Returns the places of the parts after `part`, number `at`, that an "and" joins to it: of "migrants and refugees in
/// Europe" both are wanted there. `after`: the parts after it.
fn shared_places(part: &Part<'_>, at: usize, after: &[Part<'_>]) -> Vec<PlaceId> {
    let mut places = Vec::new();
    let joined = (at..).zip(after).take_while(|(before, next)| next.joined_to == Some(*before));
    for (_, next) in joined.filter(|(_, next)| next.denied == part.denied) {
        let cut = next.tokens.iter().rposition(|token| PREPOSITIONS.contains(&token.word.as_str()));
        let Some((subject, object)) = cut.map(|cut| next.tokens.split_at(cut)) else { break };
        if !are_alike(&part.tokens, subject) {
            break;
        }
        let words: Vec<&str> = object.iter().map(|token| token.word.as_str()).collect();
        places.extend((0..words.len()).find_map(|at| Places::shipped().find(&words[at..])).map(|(place, _)| place));
    }
    places
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
    second.is_background |= first.is_background;
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

#[cfg(test)]
mod tests {
    use super::super::clauses::{Clause, Interests};

    #[test]
    fn what_is_joined_before_a_place_is_wanted_there_too() {
        let places = |text: &str| Interests::parse(text).clauses.iter().map(Clause::place_names).collect::<Vec<_>>();
        let (europe, africa) = (|| "europe".to_owned(), || "africa".to_owned());
        let both = [vec![europe(), africa()], vec![europe()], vec![africa()]];
        assert_eq!(places("Migrants and refugees in Europe and Africa"), both);
        assert_eq!(places("photography and food in Japan")[0], [""; 0], "of other meaning");
        assert_eq!(places("chess, elections in Peru")[0], [""; 0]);
    }
}
