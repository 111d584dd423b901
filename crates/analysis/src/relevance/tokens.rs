//! Splits interests into words and the punctuation between them.

use std::ops::Range;

use super::places::Places;
use super::words::{fold, next_word};

/// A word of the interests, or punctuation between words.
#[derive(Debug, Clone)]
pub(super) struct Token {
    /// In the form used for comparison; empty for punctuation.
    pub(super) word: String,
    pub(super) mark: Mark,
    pub(super) start: usize,
    pub(super) end: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    None,
    /// A comma or other pause within a sentence.
    Pause,
    SentenceEnd,
}

/// Splits a text into words and marks. Names that share a word are expanded.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    with_shared_names(words_and_marks(text))
}

fn words_and_marks(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let hyphens = LeadingHyphens::of(text);
    // In a text of capitals "IT" may be "it", unless the text has nothing else.
    let has_capitals_alone = !text.contains(char::is_lowercase) && text.trim().contains(char::is_whitespace);
    while let Some(found) = next_word(&text[at..]) {
        push_mark(&mut tokens, text, at..at + found.start);
        hyphens.push(&mut tokens, text, at..at + found.start);
        // "80% science"
        if found.text.bytes().all(|byte| byte.is_ascii_digit()) && text[at + found.end..].starts_with('%') {
            at += found.end + 1;
            continue;
        }
        let mut word = String::new();
        fold(found.text, found.is_initials, &mut word);
        // Whether "Go" is a name is found out later, and "go" may be one as well.
        if has_capitals_alone || word == "Go" {
            word.make_ascii_lowercase();
        }
        // Initials at the end of a sentence include its full stop.
        tokens.push(Token { word, mark: Mark::None, start: at + found.start, end: at + found.end });
        at += found.end;
    }
    push_mark(&mut tokens, text, at..text.len());
    tokens
}

/// The word that stands for a hyphen before a word, which excludes it as in a search: "science -politics".
const MINUS: &str = "-";

/// How a text uses hyphens before words.
#[derive(Debug, Clone, Copy)]
struct LeadingHyphens {
    /// Whether they begin the lines of a list, and exclude nothing.
    are_bullets: bool,
    /// Whether what they exclude goes on to the next pause, as the text has some, and not over one word.
    until_pause: bool,
}

impl LeadingHyphens {
    fn of(text: &str) -> Self {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let count = lines.clone().count();
        Self {
            are_bullets: count > 1 && lines.all(|line| line.starts_with(['-', '−'])),
            until_pause: text.contains([',', ';', '\n', '/', '|', '•', '、', '，']),
        }
    }

    /// Pushes the word of a hyphen at the end of `range` that follows a space or a mark and stands before a letter, and
    /// the marks around what it excludes.
    fn push(self, tokens: &mut Vec<Token>, text: &str, range: Range<usize>) {
        let pause = |at: usize| Token { word: String::new(), mark: Mark::Pause, start: at, end: at };
        let is_in_word = |token: &Token| token.mark == Mark::None;
        if !self.until_pause && matches!(&tokens[..], [.., minus, _] if minus.word == MINUS) {
            tokens.push(pause(range.start));
        }
        let Some(before) = text[range.clone()].strip_suffix(['-', '−']) else { return };
        let follows_space = if before.is_empty() { range.start == 0 } else { !before.ends_with(['-', '−', '.']) };
        let is_before_letter = text[range.end..].starts_with(char::is_alphabetic);
        if self.are_bullets || !follows_space || !is_before_letter {
            return;
        }
        if tokens.last().is_some_and(is_in_word) {
            tokens.push(pause(range.start));
        }
        let start = range.start + before.len();
        tokens.push(Token { word: MINUS.to_owned(), mark: Mark::None, start, end: range.end });
    }
}

/// Expands "South and Central America" to "South America and Central America".
fn with_shared_names(mut tokens: Vec<Token>) -> Vec<Token> {
    let mut at = 0;
    while at + 3 < tokens.len() {
        let words: Vec<&str> =
            tokens[at..].iter().take(2 + MAX_SHARED_WORDS).map(|token| token.word.as_str()).collect();
        let is_list = ["and", "or", "und", "oder", "et", "ou", "y", "o"].contains(&words[1]);
        let named = if is_list { Places::shipped().find(&words[2..]) } else { None };
        if let Some((_, length)) = named.filter(|(_, length)| *length > 1) {
            let shared = Places::shipped().find(&[words[0], words[1 + length]]);
            if shared.is_some_and(|(_, length)| length == 2) {
                let missing = tokens[at + 1 + length].clone();
                tokens.insert(at + 1, missing);
            }
        }
        at += 1;
    }
    tokens
}

/// Maximum words of a place name whose last word may be shared.
const MAX_SHARED_WORDS: usize = 3;

/// Pushes the punctuation of `text` at `range`, which is between two words.
fn push_mark(tokens: &mut Vec<Token>, text: &str, range: Range<usize>) {
    let between = &text[range.clone()];
    let is_abbreviated = || between.starts_with(". ") && ends_with_abbreviation(tokens, &text[range.end..]);
    let ends = between.contains(['!', '?', ';', '\n'])
        || (has_full_stop(between) && !is_abbreviated())
        || [" - ", " – ", " — "].iter().any(|dash| between.contains(dash));
    let pauses = between.contains([',', ':', '/', '&', '(', ')', '、', '，', '•', '|']);
    let mark = match (ends, pauses) {
        (true, _) => Mark::SentenceEnd,
        (false, true) => Mark::Pause,
        (false, false) => return,
    };
    tokens.push(Token { word: String::new(), mark, start: range.start, end: range.end });
}

/// Returns whether the punctuation after a word ends its sentence with a full stop or an ellipsis, inside or outside of
/// a closing bracket or quotation mark.
fn has_full_stop(between: &str) -> bool {
    let closing = |c: char| matches!(c, ')' | ']' | '"' | '\'' | '”' | '“' | '’' | '‘' | '»' | '«');
    let is_stop = |c: char| matches!(c, '.' | '…');
    let marks = between.split(char::is_whitespace).next().unwrap_or("");
    marks.len() < between.len() && marks.contains(is_stop) && marks.chars().all(|c| closing(c) || is_stop(c))
}

/// Whether the full stop after the last word belongs to it, given what follows.
fn ends_with_abbreviation(tokens: &[Token], after: &str) -> bool {
    let Some(Token { word, start, .. }) = tokens.last() else { return false };
    match word.as_str() {
        "etc" => !after.starts_with(char::is_uppercase),
        // Of "i.e.", not of "vitamin E."
        "e" => matches!(tokens, [.., first, _] if first.word == "i" && first.end + 1 == *start),
        // Of "z. B."
        "z" => after.starts_with(['B', 'b']),
        word => ABBREVIATIONS.contains(&word),
    }
}

/// Abbreviations whose full stop does not end a sentence, or their last letters.
const ABBREVIATIONS: [&str; 13] =
    ["eg", "ie", "vs", "g", "ex", "ej", "zb", "b", "esp", "incl", "inkl", "insb", "insbes"];

/// Whether a hyphen alone joins a word to the next.
pub(super) fn is_hyphenated(text: &str, word: &Token, next: &Token) -> bool {
    text.get(word.end..next.start) == Some("-")
}
