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
    while let Some(shorter) = without_first(rest).or_else(|| without_last(rest)) {
        rest = shorter;
    }
    rest
}

/// Returns what follows the courtesy that the text begins with; the longest counts.
fn without_first(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '¡');
    let candidates = COURTESIES.iter().filter_map(|courtesy| after_words(text, courtesy));
    candidates.filter_map(question_after).min_by_key(|rest| rest.len())
}

/// Returns the text after these words, if it begins with them in any case.
fn after_words<'t>(text: &'t str, words: &str) -> Option<&'t str> {
    let mut rest = text;
    for word in words.split(' ') {
        rest = rest.trim_start();
        let end = rest.find(|c: char| !c.is_alphanumeric() && !is_apostrophe(c)).unwrap_or(rest.len());
        let (found, after) = rest.split_at(end);
        if found.to_lowercase().replace('’', "'") != word {
            return None;
        }
        rest = after;
    }
    Some(rest)
}

/// Returns the question after a courtesy. What follows without the end of a sentence may belong to it, as in "Hello
/// Kitty" or "Thank you, Mr. President", unless it begins as a question does or, after a comma, in lower case.
fn question_after(rest: &str) -> Option<&str> {
    let after = rest.trim_start().trim_start_matches(|c: char| is_sentence_end(c) || matches!(c, ',' | '-'));
    let marks = &rest[..rest.len() - after.len()];
    let question = after.trim_start();
    if question.len() == after.len() && !marks.ends_with(char::is_whitespace) || !has_words(question) {
        return None;
    }
    let continues = marks.contains(',') && question.starts_with(char::is_lowercase);
    (marks.contains(is_sentence_end) || continues || begins_as_question(question)).then_some(question)
}

fn begins_as_question(text: &str) -> bool {
    let text = text.trim_start_matches('¿');
    let end = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len());
    let word = text[..end].to_lowercase();
    QUESTION_WORDS.iter().any(|words| words.contains(&word.as_str()))
}

/// Returns what precedes the courtesy that the text ends with. Only punctuation separates it: "the word for thanks" is
/// part of a question, and so is what a comma precedes and a question mark follows.
fn without_last(text: &str) -> Option<&str> {
    let is_separator = |c: char| is_sentence_end(c) || matches!(c, '?' | ',' | '-');
    let (at, mark, tail) = text.match_indices(is_separator).find_map(|(at, mark)| {
        // Not within a word, as in "wi-hi" or "main.hello".
        let tail = text[at + mark.len()..].strip_prefix(char::is_whitespace)?;
        let tail = tail.trim_start_matches(|c: char| c.is_whitespace() || c == '¡');
        let is_whole = |courtesy: &str| after_words(tail, courtesy).is_some_and(|rest| !has_words(rest));
        COURTESIES.iter().any(|courtesy| is_whole(courtesy)).then_some((at, mark, tail))
    })?;
    let belongs = matches!(mark, "," | "-") && tail.contains('?');
    let before = if matches!(mark, "," | "-" | "–" | "—") { &text[..at] } else { &text[..at + mark.len()] };
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
    use super::removed;

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
