//! Removes greetings and thanks around a question: they are no part of it, and no source contains their words.
//!
//! Input: a question on one line. Output: the same without them. Called by [`super::ask`], before anything else reads
//! the question.

/// In English, German, French and Spanish; in lower case, without punctuation.
const COURTESIES: &[&str] = &[
    "hello",
    "hello all",
    "hello everybody",
    "hello everyone",
    "hello team",
    "hello there",
    "hey",
    "hey there",
    "hi",
    "hi all",
    "hi everybody",
    "hi everyone",
    "hi team",
    "hi there",
    "good afternoon",
    "good day",
    "good evening",
    "good morning",
    "greetings",
    "many thanks",
    "thank you",
    "thank you for your help",
    "thank you in advance",
    "thank you so much",
    "thank you very much",
    "thanks",
    "thanks a lot",
    "thanks for the help",
    "thanks for your help",
    "thanks in advance",
    "thx",
    "best regards",
    "kind regards",
    "grüezi",
    "grüß gott",
    "guten abend",
    "guten morgen",
    "guten tag",
    "hallo",
    "hallo alle",
    "hallo zusammen",
    "hi zusammen",
    "moin",
    "servus",
    "besten dank",
    "danke",
    "danke für deine hilfe",
    "danke für die hilfe",
    "danke für ihre hilfe",
    "danke im voraus",
    "danke schön",
    "danke sehr",
    "dankeschön",
    "herzlichen dank",
    "vielen dank",
    "vielen dank für ihre hilfe",
    "vielen dank im voraus",
    "mit freundlichen grüßen",
    "viele grüße",
    "bonjour",
    "bonjour à tous",
    "bonsoir",
    "coucou",
    "salut",
    "merci",
    "merci beaucoup",
    "merci bien",
    "merci d'avance",
    "merci de votre aide",
    "merci pour votre aide",
    "cordialement",
    "buenas",
    "buenas noches",
    "buenas tardes",
    "buenos días",
    "hola",
    "hola a todos",
    "gracias",
    "gracias de antemano",
    "gracias por su ayuda",
    "gracias por tu ayuda",
    "mil gracias",
    "muchas gracias",
    "saludos",
];
/// The most characters of a courtesy.
const MAX_COURTESY_CHARS: usize = 26;
/// The most courtesies that are removed before the question, and after it.
const MAX_AT_ONE_END: usize = 3;

const QUOTATION_MARKS: [char; 12] = ['"', '\'', '“', '”', '„', '‟', '‘', '’', '‚', '«', '»', '`'];

/// First words of questions. A greeting before one of them needs no punctuation.
const QUESTION_WORDS: [&[&str]; 4] = [ENGLISH, GERMAN, FRENCH, SPANISH];
const ENGLISH: &[&str] = &[
    "are", "can", "could", "did", "do", "does", "has", "have", "how", "is", "may", "must", "should", "was", "were",
    "what", "when", "where", "which", "who", "whose", "why", "will", "would",
];
const GERMAN: &[&str] = &[
    "darf", "gibt", "hat", "haben", "ist", "kann", "können", "muss", "müssen", "sind", "wann", "warum", "welche",
    "welchem", "welchen", "welcher", "welches", "wem", "wen", "wer", "weshalb", "wessen", "wie", "wieso", "wo",
    "wofür", "woher", "wohin", "womit",
];
const FRENCH: &[&str] = &[
    "combien", "comment", "est", "où", "peut", "peux", "pourquoi", "puis", "quand", "que", "quel", "quelle", "quelles",
    "quels", "qui", "quoi",
];
const SPANISH: &[&str] = &[
    "como", "cuándo", "cuál", "cuáles", "cuánta", "cuántas", "cuánto", "cuántos", "cómo", "dónde", "hay", "por",
    "puede", "puedo", "qué", "quién", "quiénes",
];

/// Returns the question without greetings and thanks before and after it; unchanged if it consists of nothing else.
pub(super) fn removed(question: &str) -> &str {
    let mut rest = question;
    for remaining in (0..MAX_AT_ONE_END).rev() {
        rest = without_first(rest, remaining).unwrap_or(rest);
    }
    for _ in 0..MAX_AT_ONE_END {
        rest = without_last(rest).unwrap_or(rest);
    }
    rest
}

/// Returns what follows the courtesy that the text begins with; the longest counts. Up to `further` others may follow
/// it.
fn without_first(text: &str, further: usize) -> Option<&str> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '¡');
    let first_chars = text.char_indices().take(MAX_COURTESY_CHARS + 1);
    let ends = first_chars.filter(|(_, c)| !c.is_alphanumeric() && !is_apostrophe(*c)).map(|(end, _)| end);
    let courtesies = ends.map(|end| text.split_at(end)).filter(|(courtesy, _)| is_courtesy(courtesy));
    courtesies.filter_map(|(courtesy, rest)| question_after(courtesy, rest, further)).last()
}

/// Returns whether the text is a courtesy, in any case.
fn is_courtesy(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    COURTESIES.contains(&words.join(" ").to_lowercase().replace('’', "'").as_str())
}

/// Returns the question after a courtesy. What follows without the end of a sentence may belong to it, as in "Hello
/// Kitty" or "Thank you, Mr. President", unless it begins as a question does or, as the courtesy itself, in lower case.
/// Before a colon the courtesy may begin a title ("Hey, that's no way to say goodbye: who wrote it?").
fn question_after<'t>(courtesy: &str, rest: &'t str, further: usize) -> Option<&'t str> {
    let after = rest.trim_start().trim_start_matches(|c: char| is_sentence_end(c) || matches!(c, ',' | '-'));
    let marks = &rest[..rest.len() - after.len()];
    let question = after.trim_start();
    if question.len() == after.len() && !marks.ends_with(char::is_whitespace) || !has_words(question) {
        return None;
    }
    if marks.contains(is_sentence_end) || begins_as_question(question) && !marks.contains(',') {
        return Some(question);
    }
    let in_lower_case = || courtesy.starts_with(char::is_lowercase) && question.starts_with(char::is_lowercase);
    let other_follows = || further > 0 && without_first(question, further - 1).is_some();
    let is_separate = marks.contains(',')
        && !question.contains(':')
        && (begins_as_question(question) || in_lower_case() || other_follows());
    is_separate.then_some(question)
}

fn begins_as_question(text: &str) -> bool {
    let text = text.trim_start_matches('¿');
    let end = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len());
    let word = text[..end].to_lowercase();
    QUESTION_WORDS.iter().any(|words| words.contains(&word.as_str()))
}

/// Returns what precedes the courtesy that the text ends with. Only punctuation separates it: "the word for thanks" is
/// part of a question, and so is what a comma precedes and a question mark follows, what quotation marks surround, and
/// what a colon introduces ("How do you say in German: Please. Thank you.").
fn without_last(text: &str) -> Option<&str> {
    let (words, marks) = text.split_at(text.trim_end_matches(|c: char| !c.is_alphanumeric()).len());
    let is_separator = |c: char| is_sentence_end(c) || matches!(c, '?' | ',' | '-');
    let (at, mark) = words.rmatch_indices(is_separator).next()?;
    // Not within a word, as in "wi-hi" or "main.hello".
    let courtesy = words[at + mark.len()..].strip_prefix(char::is_whitespace)?;
    let courtesy = courtesy.trim_start_matches(|c: char| c.is_whitespace() || c == '¡');
    if courtesy.chars().nth(MAX_COURTESY_CHARS).is_some() || !is_courtesy(courtesy) {
        return None;
    }
    let is_clause = matches!(mark, "," | "-");
    let before = if is_clause || matches!(mark, "–" | "—") { &text[..at] } else { &text[..at + mark.len()] };
    let is_introduced = before.rsplit('?').next().is_some_and(|sentence| sentence.contains(": "));
    let belongs = is_clause && marks.contains('?') || marks.contains(QUOTATION_MARKS) || is_introduced;
    let before = before.trim_end();
    (!belongs && has_words(before)).then_some(before)
}

const fn is_sentence_end(c: char) -> bool {
    matches!(c, '.' | '!' | '…' | ';' | '–' | '—')
}

const fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}

fn has_words(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::{COURTESIES, MAX_COURTESY_CHARS, removed};

    #[test]
    fn at_most_three_courtesies_are_removed_at_each_end() {
        let most = COURTESIES.iter().map(|courtesy| courtesy.chars().count()).max();
        assert_eq!(most, Some(MAX_COURTESY_CHARS));
        assert_eq!(removed(&format!("a{}", ", hi".repeat(499))), format!("a{}", ", hi".repeat(496)));
        assert_eq!(removed(&format!("{}a", "Hi! ".repeat(499))), format!("{}a", "Hi! ".repeat(496)));
    }

    #[test]
    fn greetings_and_thanks_are_removed_in_four_languages() {
        let question = "How do I request vacation time?";
        for text in [
            "Hello! How do I request vacation time?",
            "hello, How do I request vacation time?",
            "Hi there - How do I request vacation time?",
            "Hi How do I request vacation time?",
            "Good morning. Thanks for your help! How do I request vacation time?",
            "How do I request vacation time? Thanks!",
            "How do I request vacation time? Thank you very much.",
            "Hello everyone! How do I request vacation time? Many thanks, best regards",
        ] {
            assert_eq!(removed(text), question, "{text}");
        }
        for (text, question) in [
            ("Guten Tag, wie beantrage ich Urlaub? Vielen Dank im Voraus!", "wie beantrage ich Urlaub?"),
            ("Hallo zusammen! Wie beantrage ich Urlaub?", "Wie beantrage ich Urlaub?"),
            ("Bonjour ! Comment demander des vacances ?", "Comment demander des vacances ?"),
            ("Comment demander des vacances ? Merci d’avance", "Comment demander des vacances ?"),
            ("¡Hola! ¿Cómo solicito vacaciones? ¡Muchas gracias!", "¿Cómo solicito vacaciones?"),
            ("Hola ¿cómo solicito vacaciones?", "¿cómo solicito vacaciones?"),
            ("hi, vacation time", "vacation time"),
            ("vacation time, thanks", "vacation time"),
            ("Hi, good morning, what's new?", "what's new?"),
            ("I have a question: how do I request vacation? Thanks!", "I have a question: how do I request vacation?"),
        ] {
            assert_eq!(removed(text), question, "{text}");
        }
    }

    #[test]
    fn words_of_the_question_stay() {
        for text in [
            "How do I request vacation time?",
            "Hello!",
            "Thanks",
            "Hello Kitty: when was it released?",
            "Hello, Dolly: who wrote it?",
            "Hey Jude, who wrote it?",
            "Hey, that's no way to say goodbye: who wrote it?",
            "Salut, les copains: who presented it?",
            "How do you say in German: Please. Thank you.",
            "How do you translate \"Please. Thank you.\"",
            "Hi-Fi systems with streaming?",
            "Hello.js routes?",
            "Thank you, Mr. President",
            "Which word means thanks?",
            "What does main.hello do in wi-hi",
            "How do you say, thank you?",
            "What was the first hello world program?",
            "",
        ] {
            assert_eq!(removed(text), text);
        }
    }
}
