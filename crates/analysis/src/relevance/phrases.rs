//! How people say what they do not want, and what else in interests is no subject of theirs, in English, German, French and Spanish; in lower
//! case, apostrophes as spaces.

use std::sync::LazyLock;

/// What follows is not wanted, to the end of the sentence or a word of [`is_turn`].
const DENIALS: &[&str] = &[
    "no",
    "not",
    "never",
    "nothing",
    "none",
    "neither",
    "nor",
    "without",
    "except",
    "excluding",
    "minus",
    "avoid",
    "skip",
    "ignore",
    "hate",
    "dislike",
    "bored",
    "spare me",
    "tired of",
    "sick of",
    "fed up",
    "enough of",
    "had enough",
    "anything but",
    "everything but",
    "don t",
    "dont",
    "doesn t",
    "isn t",
    "aren t",
    "can t",
    "cannot",
    "won t",
    "less",
    "fewer",
    "stop",
    "exclude",
    "mute",
    "hide",
    "leave out",
    "no more",
    "could do without",
    "can do without",
    "keep me away from",
    "kein",
    "keine",
    "keinen",
    "keiner",
    "keines",
    "keinem",
    "keinerlei",
    "nicht",
    "nichts",
    "ohne",
    "außer",
    "nie",
    "niemals",
    "weder",
    "weniger",
    "verschont mich",
    "genug von",
    "hasse",
    "pas",
    "rien",
    "sans",
    "sauf",
    "hormis",
    "jamais",
    "ni",
    "excepté",
    "aucun",
    "aucune",
    "marre",
    "moins de",
    "déteste",
    "ne",
    "nada",
    "sin",
    "excepto",
    "salvo",
    "nunca",
    "tampoco",
    "menos",
    "odio",
    "harto",
    "harta",
];

/// What follows is not wanted, to the next pause.
const SHORT_DENIALS: &[&str] = &[
    "rather than",
    "instead of",
    "other than",
    "as opposed to",
    "statt",
    "anstatt",
    "plutôt que",
    "au lieu de",
    "en vez de",
];

/// Begin as a denial and are none.
const NO_DENIALS: &[&str] = &[
    "not only",
    "not just",
    "not merely",
    "no matter",
    "why not",
    "not least",
    "can t get enough",
    "cannot get enough",
    "nothing but",
    "no less than",
    "nicht nur",
    "no solo",
    "no sólo",
    "pas seulement",
    "non seulement",
];

/// What stands before is not wanted, from the last pause on.
const DENIALS_BEHIND: &[&str] = &[
    "bores me",
    "bore me",
    "leaves me cold",
    "leave me cold",
    "doesn t interest me",
    "don t interest me",
    "is not for me",
    "are not for me",
    "not my thing",
    "can stay out",
    "interessiert mich nicht",
    "interessieren mich nicht",
    "mag ich nicht",
    "brauche ich nicht",
    "will ich nicht",
    "ne m intéresse pas",
    "ne m intéressent pas",
    "no me interesa",
    "no me interesan",
    "no thanks",
    "no thank you",
    "nein danke",
    "non merci",
];

/// End a denial.
const TURNS: &[&str] = &[
    "but",
    "however",
    "though",
    "although",
    "instead",
    "rather",
    "i also",
    "i like",
    "i love",
    "i enjoy",
    "i follow",
    "aber",
    "sondern",
    "jedoch",
    "mais",
    "cependant",
    "plutôt",
    "pero",
    "sino",
];

/// Stand between things that are wanted each by itself.
const SEPARATORS: &[&str] = &[
    "and",
    "or",
    "und",
    "oder",
    "et",
    "ou",
    "y",
    "o",
    "e",
    "especially",
    "particularly",
    "including",
    "mostly",
    "mainly",
    "plus",
    "besonders",
    "sowie",
    "surtout",
    "notamment",
    "especialmente",
];

/// What follows is why something is wanted, to the end of the sentence.
const REASONS: &[&str] = &["because", "since i", "since my", "weil", "parce que", "porque"];

/// Say nothing of a subject.
const ASIDES: &[&str] = &[
    "keep an eye on",
    "an eye on",
    "keep up with",
    "keep up to date with",
    "up to date",
    "catch up on",
    "all the time",
    "from time to time",
    "in my spare time",
    "at the moment",
    "these days",
    "for its own sake",
    "for their own sake",
];

/// Names of subjects with words that elsewhere only lead up to one.
const COMPOUNDS: &[&str] = &[
    "interest rate",
    "interest rates",
    "ancient world",
    "world war",
    "world wars",
    "world cup",
    "world bank",
    "world heritage",
    "world music",
    "world record",
    "world records",
    "cost of living",
    "living costs",
    "living wage",
    "living standards",
    "remote work",
    "future of work",
    "social work",
    "dark matter",
    "fake news",
    "news industry",
    "news media",
    "short story",
    "short stories",
    "post office",
    "software development",
    "game development",
    "development aid",
];

/// What stands at a place of interests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phrase {
    Denial,
    ShortDenial,
    NoDenial,
    DenialBehind,
    Turn,
    Separator,
    Reason,
    Aside,
}

type Listed = (Vec<&'static str>, Phrase);

/// The longest first, so that "not only" is found before "not".
static PHRASES: LazyLock<Vec<Listed>> = LazyLock::new(|| {
    let listed =
        |phrases: &'static [&'static str], phrase| phrases.iter().map(move |text| (text.split(' ').collect(), phrase));
    let mut all: Vec<Listed> = listed(NO_DENIALS, Phrase::NoDenial)
        .chain(listed(DENIALS_BEHIND, Phrase::DenialBehind))
        .chain(listed(DENIALS, Phrase::Denial))
        .chain(listed(SHORT_DENIALS, Phrase::ShortDenial))
        .chain(listed(TURNS, Phrase::Turn))
        .chain(listed(SEPARATORS, Phrase::Separator))
        .chain(listed(REASONS, Phrase::Reason))
        .chain(listed(ASIDES, Phrase::Aside))
        .chain([(vec!["such", "as"], Phrase::Separator)])
        .collect();
    all.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
    all
});

/// The phrase with which the words begin, and of how many words it is.
pub(super) fn find(words: &[&str]) -> Option<(Phrase, usize)> {
    let found = PHRASES.iter().find(|(phrase, _)| words.starts_with(phrase));
    found.map(|(words, phrase)| (*phrase, words.len()))
}

static COMPOUND_WORDS: LazyLock<Vec<Vec<&str>>> =
    LazyLock::new(|| COMPOUNDS.iter().map(|compound| compound.split(' ').collect()).collect());

/// Of how many words the name of a subject is with which the words begin; 0 where there is none.
pub(super) fn compound(words: &[&str]) -> usize {
    COMPOUND_WORDS.iter().filter(|compound| words.starts_with(compound)).map(Vec::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_phrase_is_found() {
        assert_eq!(find(&["not", "only", "rust"]), Some((Phrase::NoDenial, 2)));
        assert_eq!(find(&["not", "rust"]), Some((Phrase::Denial, 1)));
        assert_eq!(find(&["don", "t", "care"]), Some((Phrase::Denial, 2)));
        assert_eq!(find(&["no", "me", "interesa"]), Some((Phrase::DenialBehind, 3)));
        assert_eq!(find(&["rather", "than", "x"]), Some((Phrase::ShortDenial, 2)));
        assert_eq!(find(&["rust"]), None);
        assert_eq!((compound(&["interest", "rates", "rise"]), compound(&["interest", "in"])), (2, 0));
    }
}
