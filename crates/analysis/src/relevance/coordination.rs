//! Completes parts that share words with the part that an "and" joins them to, or refer to it.
//!
//! Input: the parts of a sentence. Output: the same, where "AI in schools and workplaces" is "AI in schools" and "AI in
//! workplaces", since schools and workplaces are alike, but "life in prison and gardening" are two subjects; and "its
//! consequences" are those of what stands before.

use super::parts::Part;
use super::phrases::{is_possessive, is_public_affair, is_relation};
use super::places::{PlaceId, Places};
use super::tokens::Token;
use super::translations::Language;
use super::word_vectors::WordVectors;
use super::wordings::english;
use super::words::{SUBJECTS_ALONE, is_content};

/// Prepositions of place: what stands before them is said of everything that they join. Others begin a closer
/// description of one thing only: "history of science and chess".
const PREPOSITIONS: [&str; 5] = ["in", "im", "at", "dans", "en"];

/// Prepositions of company: what stands before them is said of everything that they join, too.
const COMPANY: [&str; 4] = ["with", "mit", "avec", "con"];

/// How many parts of a list after a part may share their place with it, so that a long text is read in linear time.
const MAX_LISTED: usize = 8;

/// A part with more content words is a subject of its own.
const MAX_JOINED_WORDS: usize = 2;

/// Minimum cosine of two words of things that are alike, between "schools, workplaces" (0.37) and "sports, politics"
/// (0.27), which may be either; "prison, gardening" have -0.08.
const MIN_SIMILARITY: f64 = 0.35;

/// Completes each part that is joined to the one before, or refers to it.
pub(super) fn complete(parts: &mut [Part<'_>], language: Option<Language>) {
    let refer_back: Vec<bool> = parts.iter().map(|part| refers_back(&part.tokens, language)).collect();
    for at in (0..parts.len()).filter(|at| refer_back[*at]) {
        let Some(of) = (0..at).rev().find(|of| !refer_back[*of] && has_content(&parts[*of])) else { continue };
        let is_next = !parts[of + 1..at].iter().any(has_content);
        let (before, from) = parts.split_at_mut(at);
        if let Some((first, part)) = before.get(of).zip(from.first_mut()) {
            name_subject(first, part, is_next);
        }
    }
    for at in 0..parts.len() {
        let (before, from) = parts.split_at_mut(at);
        let Some(part) = from.first_mut() else { continue };
        let joined_to = part.joined_to.and_then(|to| before.get(to));
        if let Some(first) = joined_to.filter(|first| first.denied == part.denied) {
            share_subject(first, part, language);
        }
    }
    for at in 0..parts.len() {
        let (before, from) = parts.split_at_mut(at + 1);
        if let Some(part) = before.last_mut().filter(|part| has_subject_alone(part)) {
            part.shared_places = shared_places(part, from, language);
        }
    }
}

fn has_content(part: &Part<'_>) -> bool {
    content_words(&part.tokens) > 0
}

/// Whether a part begins with a word that stands for the subject before: "its consequences for work".
fn refers_back(tokens: &[&Token], language: Option<Language>) -> bool {
    let is_pronoun = |token: &&&Token| is_possessive(&token.word, language);
    tokens.iter().find(|token| is_pronoun(token) || is_content(&token.word)).is_some_and(|token| is_pronoun(&token))
}

/// Puts the subject that a part refers to before its own words: "AI and its consequences for work". A place alone is
/// its scope anyway, and "its consequences" alone are the subject itself. `is_next`: whether no other part is between.
fn name_subject<'t>(first: &Part<'t>, part: &mut Part<'t>, is_next: bool) {
    if first.denied != part.denied || first.is_background || subject_words(&first.tokens).is_empty() {
        return;
    }
    let has = |is_of_kind: &dyn Fn(&str) -> bool| part.tokens.iter().any(|token| is_of_kind(&token.word));
    let bears_on_subject = has(&is_relation) && has(&|word| SUBJECTS_ALONE.contains(&word));
    if !bears_on_subject && !has(&|word| is_content(word) && !is_relation(word)) {
        part.tokens.clear();
    } else {
        part.seam = Some(first.tokens.len()).filter(|_| !is_next);
        part.tokens.splice(0..0, first.tokens.iter().copied());
    }
}

/// Whether a part names neither a place nor what it is in.
fn has_subject_alone(part: &Part<'_>) -> bool {
    (1..=MAX_JOINED_WORDS).contains(&content_words(&part.tokens))
        && !part.tokens.iter().any(|token| is_in_place(token))
        && !names_place(&part.tokens)
}

/// Returns the places of the parts after `part` that an "and" joins to it: of "migrants and refugees in Europe" both
/// are wanted there. In a list with commas they hold for what every country has of its own: "jobs, prices and elections
/// in Africa". `after`: the parts after it.
fn shared_places(part: &Part<'_>, after: &[Part<'_>], language: Option<Language>) -> Vec<PlaceId> {
    let mut places = Vec::new();
    let own = Meaning::of(&words_of(&part.tokens, language));
    let mut has_comma = false;
    let is_of_list = |next: &&Part<'_>| next.denied == part.denied && next.explains == part.explains;
    for next in after.iter().take_while(is_of_list).take(MAX_LISTED) {
        let Some(cut) = next.tokens.iter().rposition(|token| is_in_place(token)) else {
            let continues = places.is_empty() && (next.tokens.is_empty() || has_subject_alone(next));
            if !continues {
                break;
            }
            has_comma |= next.joined_to.is_none();
            continue;
        };
        let (subject, object) = next.tokens.split_at(cut);
        let meaning = Meaning::of(&words_of(subject, language));
        let shares = if has_comma { own.is_public && meaning.is_public } else { own.may_share_place_of(&meaning) };
        if next.joined_to.is_none() || names_place(subject) || !shares {
            break;
        }
        let words: Vec<&str> = object.iter().map(|token| token.word.as_str()).collect();
        places.extend((0..words.len()).find_map(|at| Places::shipped().find(&words[at..])).map(|(place, _)| place));
    }
    places
}

fn is_in_place(token: &Token) -> bool {
    PREPOSITIONS.contains(&token.word.as_str())
}

/// "AI in schools and workplaces", "elections in Peru and Chile"; not "food in Japan and photography".
fn share_subject<'t>(first: &Part<'t>, second: &mut Part<'t>, language: Option<Language>) {
    let joins = |token: &&Token| is_in_place(token) || COMPANY.contains(&token.word.as_str());
    let Some(preposition) = first.tokens.iter().rposition(joins) else { return };
    let (subject, object) = first.tokens.split_at(preposition + 1);
    let is_of_its_own = second.tokens.iter().any(joins);
    let length = content_words(&second.tokens);
    if is_of_its_own
        || !(1..=MAX_JOINED_WORDS).contains(&length)
        || content_words(subject) == 0
        || content_words(object) > MAX_JOINED_WORDS
        || !are_alike(object, &second.tokens, language)
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

/// Whether both name places, or words of like meaning.
fn are_alike(one: &[&Token], other: &[&Token], language: Option<Language>) -> bool {
    match (names_place(one), names_place(other)) {
        (true, true) => true,
        (false, false) => Meaning::of(&words_of(one, language)).is_like(&Meaning::of(&words_of(other, language))),
        _ => false,
    }
}

/// Returns the words of a part that are no places, in English if it is in another supported language.
fn words_of(tokens: &[&Token], language: Option<Language>) -> Vec<String> {
    let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
    let translated = language.and_then(|language| english(&words, language).into_iter().next());
    translated.map_or_else(|| subject_words(tokens), |wording| wording.words)
}

/// Returns the content words that are no places.
fn subject_words(tokens: &[&Token]) -> Vec<String> {
    let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let place = Places::shipped().find(&words[at..]).map(|(_, length)| length);
        if place.is_none() && is_content(words[at]) {
            found.push(words[at].to_owned());
        }
        at += place.unwrap_or(1);
    }
    found
}

/// By what subjects are compared.
#[derive(Debug)]
pub(super) struct Meaning {
    /// The ranks of its words in the table of vectors.
    ranks: Vec<usize>,
    /// Whether it names what every country has of its own.
    is_public: bool,
}

impl Meaning {
    /// `words`: in English.
    pub(super) fn of(words: &[String]) -> Self {
        Self {
            ranks: words.iter().filter_map(|word| WordVectors::shipped().rank(word)).collect(),
            is_public: words.iter().any(|word| is_public_affair(word)),
        }
    }

    /// Whether it names what every country has of its own.
    pub(super) const fn is_public(&self) -> bool {
        self.is_public
    }

    /// Whether a word of one is of like meaning with a word of the other.
    fn is_like(&self, other: &Self) -> bool {
        let is_near = |one: &usize, other: &usize| WordVectors::shipped().similarity(*one, *other) >= MIN_SIMILARITY;
        self.ranks.iter().any(|rank| other.ranks.iter().any(|of_other| is_near(rank, of_other)))
    }

    /// Whether both may be wanted in one place: they are alike, or each is what every country has of its own
    /// ("elections and the economy in Africa").
    pub(super) fn may_share_place_of(&self, other: &Self) -> bool {
        self.is_public && other.is_public || self.is_like(other)
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
        for text in [
            "Elections and the economy in Africa",
            "Wahlen und Wirtschaft in Afrika",
            "Steuern, Wahlen und Wirtschaft in Afrika",
        ] {
            assert!(places(text).ends_with(&[vec![africa()], vec![africa()]]), "{text}");
        }
        assert_eq!(places("Flüchtlinge und Migranten in Europa"), [vec![europe()], vec![europe()]]);
        assert_eq!(places("gardening and elections in France")[0], [""; 0]);
        for text in [
            "jobs, prices and elections in African countries",
            "taxes, housing, and wages in Africa",
            "schools, courts and the media in Africa",
        ] {
            assert_eq!(places(text), vec![vec![africa()]; 3], "{text}");
        }
        assert_eq!(places("immigration and social media rules in Europe and Africa"), both);
        assert_eq!(places("chess, jobs and elections in Africa"), [vec![], vec![africa()], vec![africa()]]);
        assert_eq!(places("taxes, elections in Africa")[0], [""; 0], "no \"and\" joins them");
        assert_eq!(places("prices, chess in Africa and tides")[0], [""; 0]);
    }

    #[test]
    fn what_refers_to_the_subject_before_it_names_it() {
        let clauses = |text: &str| {
            let clauses = Interests::parse(text).clauses.into_iter();
            clauses.map(|clause| (clause.written.clone(), clause.all_words())).collect::<Vec<_>>()
        };
        let text = "artificial intelligence and its consequences for work, cooking";
        let found = clauses(text);
        assert_eq!(found[1], (text.trim_end_matches(", cooking").to_owned(), vec!["ai".to_owned(), "work".to_owned()]));
        assert_eq!((found.len(), found[2].0.as_str()), (3, "cooking"));
        let text = "Künstliche Intelligenz und ihre Folgen für die Arbeit";
        let found = clauses(text);
        assert_eq!(found[1].0, text);
        assert!(["ai", "work"].iter().all(|word| found[1].1.iter().any(|own| own == word)), "{found:?}");
        assert!(!["ihre", "folgen"].iter().any(|word| found[1].1.iter().any(|own| own == word)), "{found:?}");
        let written = |text: &str| clauses(text).into_iter().map(|(written, _)| written).collect::<Vec<_>>();
        assert_eq!(
            written("l'intelligence artificielle et ses conséquences sur l'emploi")[1],
            "intelligence artificielle et ses conséquences sur l'emploi"
        );
        assert_eq!(
            written("AI and its impact on music, and its history"),
            ["AI", "AI and its impact on music", "AI its history"]
        );
        assert_eq!(written("climate change and its effects, chess"), ["climate change", "chess"]);
        assert_eq!(written("climate change and its latest effects"), ["climate change"]);
        assert_eq!(written("wolves, their return to Germany"), ["wolves", "wolves, their return to Germany"]);
        assert_eq!(written("Israel and its neighbours"), ["Israel", "neighbours"], "a place alone is the scope");
        assert_eq!(written("no football, but chess and its history")[2], "chess and its history");
    }

    #[test]
    fn a_word_that_relates_two_subjects_is_none() {
        let words = |text: &str| Interests::parse(text).clauses.remove(0).words;
        assert_eq!(words("the consequences of AI for work"), ["ai", "work"]);
        assert_eq!(words("the impact of storms on harbours"), ["storms", "harbours"]);
        assert_eq!(words("die Folgen der Dürre für Bauern"), ["dürre", "bauern"]);
        assert_eq!(words("side effects of vaccines"), ["side", "effects", "vaccines"]);
        assert_eq!(words("special effects"), ["special", "effects"]);
    }
}
