//! Phrases in interests that express negation or are not subjects, in English, German, French and Spanish. In lower
//! case, with apostrophes as spaces.

use std::sync::LazyLock;

use super::translations::Language;

/// Negates what follows, to the end of the sentence or a phrase in [`TURNS`].
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
    "allergic to",
    "couldn t care less",
    "could care less",
    "don t care for",
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

/// Negates what follows, to the next pause.
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

/// Begin like a negation, but are none.
const FALSE_DENIALS: &[&str] = &[
    "not only",
    "not just",
    "not merely",
    "no matter",
    "why not",
    "not least",
    "hate to miss",
    "hate missing",
    "don t want to miss",
    "don t mind",
    "nothing against",
    "no problem with",
    "can t get enough",
    "cannot get enough",
    "can t wait",
    "cannot wait",
    "can t live without",
    "can t do without",
    "cannot do without",
    "never miss",
    "never tired of",
    "never get tired of",
    "not tired of",
    "nothing but",
    "no less than",
    "nicht nur",
    "nichts gegen",
    "no solo",
    "no sólo",
    "pas seulement",
    "non seulement",
];

/// Negates what precedes, back to the last pause.
const TRAILING_DENIALS: &[&str] = &[
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

/// Begin a wish, which ends a negation of what stands before the last pause or "and": "less sport, more science".
const WISHES: &[&str] = &["more", "mehr", "plus de", "plus d", "davantage de", "más"];

/// End a negation.
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

/// Separate subjects.
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

/// Begin a reason, which extends to the end of the sentence.
const REASONS: &[&str] = &["because", "since i", "since my", "weil", "parce que", "porque"];

/// Introduce a subject; what precedes them in their clause is none ("in my breaks I want to read about …").
const LEAD_INS: &[&str] = &[
    "want to read about",
    "like to read about",
    "love to read about",
    "want to know about",
    "want to know what",
    "want to hear about",
    "want to see",
    "read for",
    "read about",
    "m looking for",
    "am looking for",
    "m interested in",
    "am interested in",
    "give me",
    "show me",
    "tell me about",
    "something about",
    "anything about",
    "everything about",
];

/// Begin what the reader wants because of what precedes: the sentence so far tells who they are.
const CONSEQUENCES: &[&str] = &["so i", "so we", "which is why", "that is why", "that s why", "deshalb", "por eso"];

/// Begin what the reader tells of themselves beside their occupation, which extends to the next pause or "and".
const BACKGROUND: &[&str] = &[
    "i live in",
    "i m living in",
    "i m based in",
    "i am based in",
    "i m from",
    "i am from",
    "we live in",
    "i work for",
    "i used to work",
    "i used to be",
    "i have a",
    "my husband",
    "my wife",
    "my partner",
    "ich wohne in",
    "ich lebe in",
    "ich komme aus",
    "ich arbeite bei",
    "j habite",
    "je vis",
    "je travaille",
    "vivo en",
];

/// Make a subject of what the reader tells of themselves: "I have a passion for trains".
const ENTHUSIASM: &[&str] = &[
    "fan",
    "fans",
    "lover",
    "sucker",
    "interest",
    "interested",
    "passion",
    "passionate",
    "thing",
    "spot",
    "weakness",
    "follower",
    "enthusiast",
    "addict",
    "nerd",
    "geek",
    "buff",
    "obsessed",
    "obsession",
    "keen",
    "curious",
    "hobby",
    "liebhaber",
    "amateur",
    "aficionado",
    "passionné",
    "passionnée",
    "apasionado",
    "apasionada",
];

/// After a pause, begin a remark on what precedes, which extends to the next pause.
const REMARKS: &[&str] = &["which", "whose", "who"];

/// Phrases that do not name a subject.
const ASIDES: &[&str] = &[
    "ich bin",
    "ich arbeite als",
    "trabajo de",
    "trabajo como",
    "in depth",
    "in brief",
    "i care",
    "care about",
    "cares about",
    "care deeply about",
    "care a lot about",
    "big on",
    "big fan of",
    "huge fan of",
    "passion for",
    "soft spot for",
    "weakness for",
    "a thing for",
    "crazy about",
    "passionate about",
    "obsessed with",
    "curious about",
    "m into",
    "am into",
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
    "now and then",
    "once in a while",
    "for its own sake",
    "for their own sake",
];

/// Names of subjects that include words which otherwise only introduce a subject, or deny one.
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
    "hate speech",
    "hate crime",
    "hate crimes",
    "doctors without borders",
    "reporters without borders",
    "not for profit",
];

/// The kind of a phrase in interests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phrase {
    Denial,
    ShortDenial,
    FalseDenial,
    TrailingDenial,
    TrailingWish,
    Wish,
    Background,
    Turn,
    Separator,
    Reason,
    Aside,
    LeadIn,
    Consequence,
}

type PhraseEntry = (Vec<&'static str>, Phrase);

/// Longest first, so that "not only" is found before "not".
static PHRASES: LazyLock<Vec<PhraseEntry>> = LazyLock::new(|| {
    let entries =
        |phrases: &'static [&'static str], phrase| phrases.iter().map(move |text| (text.split(' ').collect(), phrase));
    let mut all: Vec<PhraseEntry> = entries(FALSE_DENIALS, Phrase::FalseDenial)
        .chain(entries(TRAILING_DENIALS, Phrase::TrailingDenial))
        .chain(entries(DENIALS, Phrase::Denial))
        .chain(entries(SHORT_DENIALS, Phrase::ShortDenial))
        .chain(entries(WISHES, Phrase::Wish))
        .chain(entries(BACKGROUND, Phrase::Background))
        .chain(entries(TURNS, Phrase::Turn))
        .chain(entries(SEPARATORS, Phrase::Separator))
        .chain(entries(REASONS, Phrase::Reason))
        .chain(entries(ASIDES, Phrase::Aside))
        .chain(entries(LEAD_INS, Phrase::LeadIn))
        .chain(entries(CONSEQUENCES, Phrase::Consequence))
        .chain([(vec!["such", "as"], Phrase::Separator)])
        .collect();
    all.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
    all
});

/// Words of one language that are subjects, names or other words elsewhere: "sin taxes", "Mais", "Y Combinator".
const OF_ONE_LANGUAGE: [(&str, Language); 6] = [
    ("sin", Language::Spanish),
    ("y", Language::Spanish),
    ("o", Language::Spanish),
    ("e", Language::Spanish),
    ("mais", Language::French),
    ("marre", Language::French),
];

/// Returns the phrase at the start of `words`, and its number of words.
pub(super) fn find(words: &[&str], language: Option<Language>) -> Option<(Phrase, usize)> {
    let is_foreign = |word: &str| OF_ONE_LANGUAGE.iter().any(|(own, of)| *own == word && Some(*of) != language);
    let found = PHRASES
        .iter()
        .find(|(phrase, _)| words.starts_with(phrase) && !matches!(phrase[..], [word] if is_foreign(word)));
    found.map(|(words, phrase)| (*phrase, words.len()))
}

/// Whether a word, at the end of what it refers to, denies it: "sport: no".
pub(super) fn is_no(word: &str) -> bool {
    ["no", "nein", "non", "nope"].contains(&word)
}

/// Whether a word, at the end of what it refers to, wishes for it: "science yes".
pub(super) fn is_yes(word: &str) -> bool {
    ["yes", "ja", "gern", "gerne", "oui", "sí"].contains(&word)
}

/// Whether "so" leads from one clause to the next. `next`: the word after it.
pub(super) fn is_consequence(word: &str, next: Option<&str>) -> bool {
    word == "so" && !next.is_some_and(|next| ["on", "far", "much", "many", "that", "long", "called"].contains(&next))
}

/// Whether a separator continues a negation: "I do not want to hear or read about".
pub(super) fn is_or(word: &str) -> bool {
    ["or", "oder", "ou", "o"].contains(&word)
}

/// Whether a word makes a subject of what the reader tells of themselves.
pub(super) fn is_enthusiasm(word: &str) -> bool {
    ENTHUSIASM.contains(&word)
}

/// Whether a word after a pause begins a remark.
pub(super) fn begins_remark(word: &str) -> bool {
    REMARKS.contains(&word)
}

static COMPOUND_WORDS: LazyLock<Vec<Vec<&str>>> =
    LazyLock::new(|| COMPOUNDS.iter().map(|compound| compound.split(' ').collect()).collect());

/// Returns the number of words of the compound subject name at the start of `words`; 0 if there is none.
pub(super) fn compound(words: &[&str]) -> usize {
    COMPOUND_WORDS.iter().filter(|compound| words.starts_with(compound)).map(Vec::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_phrase_is_found() {
        let english = |words: &[&str]| find(words, None);
        assert_eq!(english(&["not", "only", "rust"]), Some((Phrase::FalseDenial, 2)));
        assert_eq!(english(&["not", "rust"]), Some((Phrase::Denial, 1)));
        assert_eq!(english(&["don", "t", "care"]), Some((Phrase::Denial, 2)));
        assert_eq!(english(&["no", "me", "interesa"]), Some((Phrase::TrailingDenial, 3)));
        assert_eq!(english(&["rather", "than", "x"]), Some((Phrase::ShortDenial, 2)));
        assert_eq!(english(&["rust"]), None);
        assert_eq!(english(&["sin", "taxes"]), None);
        assert_eq!(find(&["sin", "deporte"], Some(Language::Spanish)), Some((Phrase::Denial, 1)));
        assert_eq!((compound(&["interest", "rates", "rise"]), compound(&["interest", "in"])), (2, 0));
    }
}
