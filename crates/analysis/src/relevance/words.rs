//! Tokenises interests and texts into lower-case words without possessives, with initials joined. Also a light stemmer,
//! and lists of words without content.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Calls `each` with every word of a text in lower case, in order: letters and digits, with `+` and `#` at the end
/// (`c++`, `c#`). Single letters are skipped. `U.S.` and upper-case `US` become the word `usa`, but `us` does not; `ICE`
/// and the like keep their capitals ([`is_acronym`]), and so do `Go`, `C` and `R`, which may be programming languages.
pub(super) fn each_query_word(text: &str, mut each: impl FnMut(&str)) {
    let mut lower = String::new();
    let mut rest = text;
    while let Some(word) = next_word(rest) {
        rest = &rest[word.end..];
        lower.clear();
        fold(word.text, word.is_initials, &mut lower);
        if is_multi_letter(&lower) {
            each(&lower);
        }
    }
}

/// Returns whether a folded word is not a single letter, or is the name of a language.
fn is_multi_letter(folded: &str) -> bool {
    folded.len() > 1 || folded.starts_with(|c: char| c.is_ascii_digit()) || keeps_capital(folded.as_bytes())
}

/// A word in lower case as a lookup key. A word of at most 16 bytes is packed into a number, first byte lowest. No word
/// contains a zero byte, so the packing is unique.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key<'a> {
    Short(u128),
    Long(&'a str),
}

impl<'a> Key<'a> {
    pub(super) fn of(word: &'a str) -> Self {
        let mut bytes = [0; 16];
        match bytes.get_mut(..word.len()) {
            Some(begin) => {
                begin.copy_from_slice(word.as_bytes());
                Self::Short(u128::from_le_bytes(bytes))
            }
            None => Self::Long(word),
        }
    }

    /// Returns the word.
    pub(super) fn text(self) -> Box<str> {
        match self {
            Self::Short(packed) => {
                let bytes = packed.to_le_bytes();
                let length = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
                String::from_utf8_lossy(&bytes[..length]).into()
            }
            Self::Long(word) => word.into(),
        }
    }
}

/// Calls `each` with the words of [`each_query_word`] as keys until it returns false. Reads a plain ASCII word in one pass
/// over its bytes.
pub(super) fn each_key(text: &str, mut each: impl FnMut(Key<'_>) -> bool) {
    let bytes = text.as_bytes();
    let mut lower = String::new();
    let mut at = 0;
    loop {
        while bytes.get(at).is_some_and(|byte| byte.is_ascii() && LOWER[usize::from(*byte)] == 0) {
            at += 1;
        }
        if at >= bytes.len() {
            return;
        }
        let continues = if let Some((packed, length)) = plain_word(&bytes[at..]) {
            at += length;
            let is_word = length > 1 || packed <= u128::from(b'9');
            !is_word || each(Key::Short(packed))
        } else {
            let Some(word) = next_word(&text[at..]) else { return };
            at += word.end;
            lower.clear();
            fold(word.text, word.is_initials, &mut lower);
            !is_multi_letter(&lower) || each(Key::of(&lower))
        };
        if !continues {
            return;
        }
    }
}

/// ASCII letters in lower case, digits unchanged, 0 for all other bytes.
const LOWER: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        if byte.is_ascii_alphanumeric() {
            table[byte as usize] = byte.to_ascii_lowercase();
        }
        byte += 1;
    }
    table
};

/// Returns the word at the start of a text and its length, if it consists of at most 15 ASCII letters and digits and
/// nothing that may belong to it follows.
fn plain_word(bytes: &[u8]) -> Option<(u128, usize)> {
    let mut halves = [0_u64; 2];
    let mut length = 0;
    for (half, part) in halves.iter_mut().zip(bytes.chunks(8)) {
        let begin = length;
        for byte in part {
            let lower = LOWER[usize::from(*byte)];
            if lower == 0 {
                break;
            }
            *half |= u64::from(lower) << (8 * (length - begin));
            length += 1;
        }
        if length - begin < 8 {
            break;
        }
    }
    let may_continue = match bytes.get(length) {
        None => false,
        Some(next) => !next.is_ascii() || matches!(next, b'+' | b'#' | b'\'') || *next == b'.' && length == 1,
    };
    let word = &bytes[..length];
    let is_special = || matches!(word, b"US") || is_acronym(word) || keeps_capital(word);
    let is_plain = (1..16).contains(&length) && !may_continue && !is_special();
    is_plain.then(|| (u128::from(halves[1]) << 64 | u128::from(halves[0]), length))
}

/// A word and its position in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found<'a> {
    pub(super) text: &'a str,
    /// In bytes.
    pub(super) start: usize,
    /// The offset after the word and a possessive ending.
    pub(super) end: usize,
    /// `U.S.`: letters separated by full stops.
    pub(super) is_initials: bool,
}

/// Returns the first word of a text; `None` if it has none.
pub(super) fn next_word(text: &str) -> Option<Found<'_>> {
    let start = run(text, false);
    let from = &text[start..];
    if from.is_empty() {
        return None;
    }
    let letters = run(from, true);
    if let Some(length) = initials(from, letters) {
        return Some(Found { text: &from[..length], start, end: start + length, is_initials: true });
    }
    let signs = from[letters..].find(|c| c != '+' && c != '#').unwrap_or(from.len() - letters);
    let length = letters + signs.min(2);
    let end = length + possessive(&from[length..]);
    Some(Found { text: &from[..length], start, end: start + end, is_initials: false })
}

/// Returns the number of bytes before the first alphanumeric character or, with `of_word`, before the first other one.
/// Most texts are ASCII, which needs no decoding.
fn run(text: &str, of_word: bool) -> usize {
    let is_on = |byte: &u8| byte.is_ascii() && byte.is_ascii_alphanumeric() == of_word;
    let ascii = text.bytes().take_while(is_on).count();
    if text.as_bytes().get(ascii).is_none_or(u8::is_ascii) {
        return ascii;
    }
    let rest = &text[ascii..];
    ascii + rest.find(|c: char| c.is_alphanumeric() != of_word).unwrap_or(rest.len())
}

/// Returns the length of initials such as `U.S.` or `U.S` at the start of a text.
fn initials(from: &str, letters: usize) -> Option<usize> {
    let bytes = from.as_bytes();
    if letters != 1 || !bytes[0].is_ascii_uppercase() {
        return None;
    }
    let mut at = 0;
    while bytes.get(at).is_some_and(u8::is_ascii_uppercase) && bytes.get(at + 1) == Some(&b'.') {
        at += 2;
    }
    let is_last = |at: usize| !from[at..].starts_with(|c: char| c.is_alphanumeric());
    if at >= 2 && bytes.get(at).is_some_and(u8::is_ascii_uppercase) && is_last(at + 1) {
        at += 1;
    }
    (at >= 3 && is_last(at)).then_some(at)
}

/// Returns the length of `'s` if it ends a word.
fn possessive(rest: &str) -> usize {
    let after = ["'s", "’s"].iter().find_map(|ending| rest.strip_prefix(ending));
    match after {
        Some(after) if !after.starts_with(char::is_alphanumeric) => rest.len() - after.len(),
        _ => 0,
    }
}

/// Whether a word in capitals is an acronym that is another word in lower case; it keeps its capitals. "ICE" is the
/// agency, "ice" is frozen; ".NET" is a platform, "example.net" a domain.
const fn is_acronym(word: &[u8]) -> bool {
    matches!(word, b"ICE" | b"IT" | b"MIT" | b"NET" | b"WHO")
}

/// Whether a word of a text keeps its capital letter, since it is the name of a programming language only with it.
const fn keeps_capital(word: &[u8]) -> bool {
    matches!(word, b"C" | b"Go" | b"R")
}

/// Appends a word in the form used for comparison, without stemming.
pub(super) fn fold(word: &str, is_initials: bool, into: &mut String) {
    if is_initials {
        into.extend(word.chars().filter(|c| *c != '.').map(|c| c.to_ascii_lowercase()));
        if into == "us" {
            into.push('a');
        }
    } else if word == "US" {
        into.push_str("usa");
    } else if is_acronym(word.as_bytes()) || keeps_capital(word.as_bytes()) {
        into.push_str(word);
    } else if word.is_ascii() {
        into.push_str(word);
        into.make_ascii_lowercase();
    } else {
        into.extend(word.chars().flat_map(char::to_lowercase));
    }
}

/// Returns where a text has a word or phrase that a query found in it (`usa`, `self-hosted`), as the text writes it.
#[must_use]
pub fn as_written<'t>(phrase: &str, text: &'t str) -> Option<&'t str> {
    let words: Vec<&str> = phrase.split([' ', '-']).collect();
    let mut rest = text;
    while let Some(word) = next_word(rest) {
        let from = &rest[word.start..];
        if let Some(end) = end_of_phrase(&words, from) {
            return from.get(..end);
        }
        rest = &rest[word.end..];
    }
    None
}

/// Returns the length of a phrase at the start of a text; `None` if the text begins with other words.
fn end_of_phrase(words: &[&str], text: &str) -> Option<usize> {
    let (mut end, mut next, mut folded) = (0, 0, String::new());
    for expected in words {
        let word = next_word(&text[next..])?;
        folded.clear();
        fold(word.text, word.is_initials, &mut folded);
        if folded != **expected {
            return None;
        }
        end = next + word.start + word.text.len();
        next += word.end;
    }
    Some(end)
}

/// Returns the stem of a lower-case word: removes plural, `-ing`, `-ed` and a final `e`, and converts British spelling
/// to American. It is deliberately light, to avoid false matches: `physics` is not `physical`, nor `police` `policies`,
/// `university` `universe`, `organisation` `organ`.
#[must_use]
pub fn light_stem(word: &str) -> String {
    if !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let mut stem = american(word);
    without_plural(&mut stem);
    if stem.len() > 3 && stem.ends_with("ie") {
        stem.truncate(stem.len() - 2);
        stem.push('y');
    }
    without_verb_ending(&mut stem);
    if stem.len() > 4 && stem.ends_with('e') {
        stem.pop();
    }
    stem
}

fn american(word: &str) -> String {
    let mut word = if word.len() > 7 { word.replace("isation", "ization") } else { word.to_owned() };
    if word.len() < 6 {
        return word;
    }
    let endings =
        [("our", "or"), ("tre", "ter"), ("defence", "defense"), ("offence", "offense"), ("pretence", "pretense")];
    for (british, american) in endings {
        if word.ends_with(british) {
            word.truncate(word.len() - british.len());
            word.push_str(american);
            break;
        }
    }
    word
}

fn without_plural(word: &mut String) {
    if word.len() <= 3 || !word.ends_with('s') {
        return;
    }
    let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    let off = if ends(&["ies"]) && word.len() > 4 {
        3
    } else if ends(&["sses", "shes", "ches", "xes", "zzes"]) {
        2
    } else {
        usize::from(!ends(&["ics", "ss", "us", "is"]))
    };
    word.truncate(word.len() - off);
    if off == 3 {
        word.push('y');
    }
}

fn without_verb_ending(word: &mut String) {
    let Some(base) = ["ing", "ed"].iter().find_map(|ending| word.strip_suffix(ending)) else { return };
    let is_whole = word.ends_with("eed")
        || word.ends_with("thing")
        || word.ends_with("king") && word.len() <= 5
        || ["spring", "string"].contains(&word.as_str());
    if base.len() < 3 || is_whole || !base.contains(['a', 'e', 'i', 'o', 'u', 'y']) {
        return;
    }
    let bytes = base.as_bytes();
    let [.., before, last] = bytes else { return };
    let is_doubled = base.len() >= 4 && before == last && !b"lsz".contains(last);
    word.truncate(base.len() - usize::from(is_doubled));
}

/// Returns whether a lower-case word is a function word of English, German, French or Spanish.
#[must_use]
pub fn is_function_word(word: &str) -> bool {
    FUNCTION_WORDS.contains(word)
}

/// Returns the function words of English, German, French and Spanish, in no order.
pub(super) fn function_words() -> impl Iterator<Item = &'static str> {
    FUNCTION_WORDS.iter().copied()
}

/// Returns whether a lower-case word of English, German, French or Spanish names no subject by itself: "decide",
/// "actually", "small".
pub(super) fn is_unspecific(word: &str) -> bool {
    UNSPECIFIC_WORDS.contains(word)
}

/// Returns whether a lower-case word of interests only introduces a subject ("I like to read news about …").
pub(super) fn is_lead_in(word: &str) -> bool {
    LEAD_IN.contains(word)
}

/// Returns whether a lower-case word before a hyphen says nothing without the word after it ("self-hosting").
pub(super) fn is_modifier(word: &str) -> bool {
    MODIFIERS.contains(&word)
}

/// Returns whether a lower-case word of interests may name a subject.
pub(super) fn is_content(word: &str) -> bool {
    word.chars().nth(1).is_some() && !is_function_word(word) && !is_lead_in(word)
}

/// Words that introduce a subject ("I work with …", "I go to …"), but are the subject if they are alone ("sleep, work
/// and money", "chess and Go") or after "the consequences for".
pub(super) const SUBJECTS_ALONE: [&str; 4] = ["go", "reading", "work", "writing"];

/// The modifier that says that what follows is not meant: "non-fiction".
pub(super) const NON: &str = "non";

const MODIFIERS: [&str; 58] = [
    "all", "anti", "best", "big", "co", "cross", "deep", "double", "down", "early", "end", "ex", "far", "fast",
    "first", "free", "full", "half", "hands", "hard", "high", "in", "inter", "large", "late", "left", "long", "low",
    "mid", "multi", "near", "new", "no", "non", "off", "old", "on", "one", "open", "out", "over", "post", "pre", "re",
    "real", "right", "second", "self", "semi", "short", "slow", "small", "soft", "third", "two", "up", "well", "zero",
];

/// Returns the words of a list, separated by white space.
pub(super) fn set(words: &'static str) -> HashSet<&'static str> {
    words.split_whitespace().collect()
}

static FUNCTION_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| set(include_str!("function_words.txt")));
static UNSPECIFIC_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| set(include_str!("unspecific_words.txt")));
static LEAD_IN: LazyLock<HashSet<&str>> = LazyLock::new(|| set(include_str!("lead_in_words.txt")));

#[cfg(test)]
mod tests;
