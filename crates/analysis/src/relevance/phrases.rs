//! Phrases in interests that express negation or are not subjects, in English, German, French and Spanish: those of
//! `phrases.txt`, by kind.

use std::sync::LazyLock;

use super::translations::Language;
use super::words::{is_modifier, light_stem};

/// The kind of a phrase in interests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phrase {
    Denial,
    /// Denies what follows it or, at the end of its clause, what precedes it.
    EitherDenial,
    ShortDenial,
    Exception,
    FalseDenial,
    TrailingDenial,
    TrailingWish,
    /// Says that what precedes is wanted less than others.
    TrailingMinor,
    /// Like [`Phrase::Minor`] after something that is wanted, otherwise like [`Phrase::Denial`]: "less about".
    Lesser,
    Wish,
    Background,
    Turn,
    Separator,
    Reason,
    Aside,
    LeadIn,
    Consequence,
    Minor,
    Than,
    Condition,
    /// Leaves the choice to the program: "you choose".
    Choice,
}

/// A heading of the file, and the phrases under it.
type Section = (&'static str, Vec<Vec<&'static str>>);

static SECTIONS: LazyLock<Vec<Section>> = LazyLock::new(|| {
    let mut sections: Vec<Section> = Vec::new();
    for line in include_str!("phrases.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(heading) = line.strip_prefix('[') {
            sections.push((heading.trim_end_matches(']'), Vec::new()));
        } else if let Some((_, phrases)) = sections.last_mut() {
            phrases.push(line.split(' ').collect());
        }
    }
    sections
});

/// Returns the phrases under a heading.
fn section(heading: &str) -> &'static [Vec<&'static str>] {
    SECTIONS.iter().find(|(known, _)| *known == heading).map_or(&[], |(_, phrases)| phrases)
}

fn is_in(heading: &str, word: &str) -> bool {
    section(heading).iter().any(|phrase| phrase[..] == [word])
}

const HEADINGS: [(&str, Phrase); 21] = [
    ("denial", Phrase::Denial),
    ("either denial", Phrase::EitherDenial),
    ("exception", Phrase::Exception),
    ("short denial", Phrase::ShortDenial),
    ("false denial", Phrase::FalseDenial),
    ("trailing denial", Phrase::TrailingDenial),
    ("trailing wish", Phrase::TrailingWish),
    ("trailing minor", Phrase::TrailingMinor),
    ("lesser", Phrase::Lesser),
    ("wish", Phrase::Wish),
    ("turn", Phrase::Turn),
    ("separator", Phrase::Separator),
    ("reason", Phrase::Reason),
    ("lead-in", Phrase::LeadIn),
    ("consequence", Phrase::Consequence),
    ("background", Phrase::Background),
    ("aside", Phrase::Aside),
    ("minor", Phrase::Minor),
    ("than", Phrase::Than),
    ("condition", Phrase::Condition),
    ("choice", Phrase::Choice),
];

type PhraseEntry = (&'static [&'static str], Phrase);

/// Longest first, so that "not only" is found before "not".
static PHRASES: LazyLock<Vec<PhraseEntry>> = LazyLock::new(|| {
    let entries = |(heading, phrase): (&str, Phrase)| section(heading).iter().map(move |words| (&words[..], phrase));
    let mut all: Vec<PhraseEntry> = HEADINGS.into_iter().flat_map(entries).collect();
    all.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
    all
});

/// Words of one language that are subjects, names or other words elsewhere: "sin taxes", "Mais", "Y Combinator".
const OF_ONE_LANGUAGE: [(&str, Language); 8] = [
    ("sin", Language::Spanish),
    ("y", Language::Spanish),
    ("o", Language::Spanish),
    ("e", Language::Spanish),
    ("mais", Language::French),
    ("marre", Language::French),
    ("solo", Language::Spanish),
    ("evita", Language::Spanish),
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
    ["no", "nein", "non", "nope", "none", "never"].contains(&word)
}

/// Whether a word, at the end of what it refers to, wishes for it: "science yes".
pub(super) fn is_yes(word: &str) -> bool {
    ["yes", "ja", "gern", "gerne", "oui", "sí"].contains(&word)
}

/// Whether "so" or "donc" leads from one clause to the next. `next`: the word after it.
pub(super) fn is_consequence(word: &str, next: Option<&str>) -> bool {
    word == "donc"
        || word == "so"
            && !next.is_some_and(|next| ["on", "far", "much", "many", "that", "long", "called"].contains(&next))
}

/// Whether a phrase that introduces a subject wishes for it ("give me …"), by its first word.
pub(super) fn is_wish(first: &str) -> bool {
    ["want", "like", "love", "m", "am", "give", "show", "tell", "everything"].contains(&first)
}

/// Whether a verb begins a wish after a denial and a pause or "and". `denying`: the first word of the denial.
pub(super) fn is_wish_verb(verb: &str, denying: &str) -> bool {
    is_in("wish verb", verb) || is_in("wish verb or noun", verb) && is_in("denying verb", denying)
}

/// Whether a separator joins equals, not an example ("such as") to what it is one of.
pub(super) fn is_conjunction(word: &str) -> bool {
    is_or(word) || ["and", "und", "et", "y", "e", "sowie"].contains(&word)
}

/// Whether a separator continues a negation: "I do not want to hear or read about".
pub(super) fn is_or(word: &str) -> bool {
    ["or", "oder", "ou", "o"].contains(&word)
}

/// Whether a word, directly after what it refers to, says that it is wanted less (`Some(true)`) or more: "golf less".
pub(super) fn is_less(word: &str) -> Option<bool> {
    match word {
        "less" | "weniger" | "moins" | "menos" => Some(true),
        "more" | "mehr" | "más" => Some(false),
        _ => None,
    }
}

/// Whether a word may begin a comparison: "more science than sport".
pub(super) fn is_comparative(word: &str) -> bool {
    ["more", "better", "rather", "mehr", "lieber", "eher", "plus", "davantage", "plutôt", "más"].contains(&word)
        || is_preference(word)
}

/// Whether a word compares by what it prefers: "prefer science to sport".
pub(super) fn is_preference(word: &str) -> bool {
    ["prefer", "preferring", "prefiero", "préfère"].contains(&word)
}

/// Whether a word stands between what is preferred and the rest: "prefer science to sport", "prefiero ciencia a deporte".
pub(super) fn is_after_preferred(word: &str) -> bool {
    ["to", "over", "a", "à"].contains(&word)
}

/// Whether an adjective, of what the reader finds so, denies it: "I find golf boring".
pub(super) fn is_tedious(word: &str) -> bool {
    ["boring", "dull", "tedious", "tiresome", "uninteresting", "langweilig", "öde", "ennuyeux", "aburrido"]
        .contains(&word)
}

/// Whether a verb says what the reader thinks of something: "I find golf boring".
pub(super) fn is_judgement(verb: &str) -> bool {
    ["find", "consider", "finde", "trouve", "encuentro", "parece"].contains(&verb)
}

/// Whether a verb begins what its "out" ends: "leave golf out".
pub(super) fn is_leaving_out(verb: &str) -> bool {
    ["leave", "keep", "lass", "lasst"].contains(&verb)
}

/// Whether a word makes a subject of what the reader tells of themselves.
pub(super) fn is_enthusiasm(word: &str) -> bool {
    is_in("enthusiasm", word)
}

/// Whether a word stands for a place that was named before: "understand the country".
pub(super) fn is_anaphora(word: &str) -> bool {
    is_in("anaphora", word)
}

/// Whether a word, in English, names a subject that every country has of its own: "elections and the economy in
/// Africa".
pub(super) fn is_public_affair(word: &str) -> bool {
    let stem = light_stem(word);
    section("public affairs").iter().any(|phrase| phrase.first().is_some_and(|known| light_stem(known) == stem))
}

/// Returns the number of words at the start of `words` that name a kind of text ("interviews", "research papers"); 0 if
/// they name none.
pub(super) fn kind_of_text(words: &[&str]) -> usize {
    longest("kind of text", words)
}

/// Whether words after a pause describe the kind of texts before it, by what these have or do: "the long ones", "the
/// ones where they talk about their lives".
pub(super) fn describes_kind(words: &[&str]) -> bool {
    let Some(ones) = words.iter().position(|word| *word == "ones") else { return false };
    let (described, after) = (&words[..ones], &words[ones + 1..]);
    let is_description = described
        .split_first()
        .is_some_and(|(first, rest)| ["the", "those"].contains(first) && rest.iter().all(|word| is_modifier(word)));
    let is_relative = after.first().is_some_and(|word| ["where", "when", "that", "which", "who"].contains(word));
    is_description && (after.is_empty() || is_relative && after.iter().any(|word| is_possessive(word, None)))
}

/// Whether an article and a noun only say what kind of thing a name stands for: "Anthropic, the company".
pub(super) fn is_kind_of_thing(article: &str, noun: &str) -> bool {
    is_article(article) && is_in("kind of thing", noun)
}

/// Whether a word is an article in the nominative or the plural.
pub(super) fn is_article(word: &str) -> bool {
    const ARTICLES: [&str; 18] = [
        "the", "a", "an", "der", "die", "das", "ein", "eine", "le", "la", "l", "les", "un", "une", "el", "los", "las",
        "una",
    ];
    ARTICLES.contains(&word)
}

/// Whether a verb, in another language than English, adds nothing to its object.
pub(super) fn is_light_verb(word: &str) -> bool {
    is_in("light verb", word)
}

/// Whether a word may begin a further clause of a reason.
pub(super) fn is_reason_pronoun(word: &str) -> bool {
    is_in("reason pronoun", word)
}

/// Whether a sentence begins with what its reader is: "I'm a nurse, so anything about wards".
pub(super) fn begins_with_role(words: &[&str]) -> bool {
    let rest = ["i", "we"].iter().find_map(|who| words.strip_prefix(&[*who]));
    let rest = rest.and_then(|rest| ["m", "am", "re", "are"].iter().find_map(|verb| rest.strip_prefix(&[*verb])));
    rest.is_some_and(|rest| rest.first().is_some_and(|first| is_article(first)))
}

/// Whether a word stands for others than who speaks: "so you can imagine".
pub(super) fn is_other_person(word: &str) -> bool {
    ["you", "he", "she", "they"].contains(&word)
}

/// Whether a word is an irregular verb in the past.
pub(super) fn is_past(word: &str) -> bool {
    is_in("past", word)
}

/// Whether a word says how one subject bears on another: "its consequences for work".
pub(super) fn is_relation(word: &str) -> bool {
    is_in("relation", word)
}

/// Whether a word stands for the subject before, of which something is wanted: "AI and its consequences".
pub(super) fn is_possessive(word: &str, language: Option<Language>) -> bool {
    let words: &[&str] = match language {
        None => &["its", "their", "his", "her"],
        Some(Language::German) => &[
            "ihr", "ihre", "ihrem", "ihren", "ihrer", "ihres", "sein", "seine", "seinem", "seinen", "seiner", "seines",
        ],
        Some(Language::French) => &["son", "sa", "ses", "leur", "leurs"],
        Some(Language::Spanish) => &["su", "sus"],
    };
    words.contains(&word)
}

/// Whether a word after a pause begins a remark.
pub(super) fn begins_remark(word: &str) -> bool {
    is_in("remark", word)
}

/// Returns the number of words at the start of `words` that begin to tell what the reader did ("so I just moved");
/// `None` if they do not. What they liked or wanted is a wish.
pub(super) fn past(words: &[&str]) -> Option<usize> {
    let so = usize::from(words.first() == Some(&"so"));
    let who = words.get(so).filter(|who| ["i", "we"].contains(who)).map(|_| so + 1)?;
    let have = who + usize::from(words.get(who).is_some_and(|word| ["ve", "have"].contains(word)));
    let adverb = have + usize::from(words.get(have).is_some_and(|word| is_in("adverb of telling", word)));
    let verb = words.get(adverb)?;
    let is_regular = verb.len() > 4 && verb.ends_with("ed") && !verb.ends_with("eed");
    let is_past = is_regular && !is_in("past wish", verb) || is_in("past", verb);
    (is_past && find(&words[so..], None).is_none_or(|(_, length)| so + length <= adverb)).then_some(adverb + 1)
}

/// Returns the number of words of the compound subject name at the start of `words`; 0 if there is none.
pub(super) fn compound(words: &[&str]) -> usize {
    longest("compound", words)
}

/// Returns the number of words of the longest phrase under a heading at the start of `words`; 0 if there is none.
fn longest(heading: &str, words: &[&str]) -> usize {
    section(heading).iter().filter(|phrase| words.starts_with(phrase)).map(Vec::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::clauses::{Clause, Interests};
    use super::*;

    #[test]
    fn every_phrase_has_one_kind() {
        let known: Vec<&str> = HEADINGS.iter().map(|(heading, _)| *heading).collect();
        let others = [
            "compound",
            "enthusiasm",
            "remark",
            "past",
            "past wish",
            "adverb of telling",
            "anaphora",
            "relation",
            "public affairs",
            "kind of text",
            "kind of thing",
            "light verb",
            "reason pronoun",
            "wish verb",
            "wish verb or noun",
            "denying verb",
        ];
        assert!(SECTIONS.iter().all(|(heading, _)| known.contains(heading) || others.contains(heading)));
        assert!(known.iter().chain(&others).all(|heading| !section(heading).is_empty()));
        let mut phrases: Vec<&[&str]> = PHRASES.iter().map(|(words, _)| *words).collect();
        let count = phrases.len();
        phrases.sort_unstable();
        phrases.dedup();
        assert_eq!(phrases.len(), count);
    }

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
        assert_eq!(find(&["sin", "deporte"], Some(Language::Spanish)), Some((Phrase::ShortDenial, 1)));
        assert_eq!((compound(&["interest", "rates", "rise"]), compound(&["interest", "in"])), (2, 0));
    }

    #[test]
    fn what_the_reader_tells_of_their_life_is_background() {
        let text = "hi! so I just moved to Spain with my kids and I'm trying to understand the place, you know, housing, \
                    what people argue about, and oh I love food so tell me about that too";
        let parsed =
            |text: &str| Interests::parse(text).clauses.into_iter().map(|clause| clause.written).collect::<Vec<_>>();
        assert_eq!(parsed(text), ["Spain", "housing", "food"]);
        let places: Vec<Vec<String>> = Interests::parse(text).clauses.iter().map(Clause::place_names).collect();
        assert_eq!(places, [["spain"]; 3]);
        assert_eq!(parsed("I quit my job in tech and now mostly draw comics; museums"), ["draw comics", "museums"]);
        assert_eq!(parsed("I've recently retired, we bought a boat. Sailing"), ["Sailing"]);
        assert_eq!(parsed("I need bread recipes"), ["bread recipes"]);
        assert_eq!(parsed("I work for an NGO in East and Central Africa. Measles"), ["Measles"]);
        assert_eq!(parsed("the country, music"), ["country", "music"], "no place is named before");
    }
}
