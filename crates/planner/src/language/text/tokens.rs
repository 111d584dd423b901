//! Splits a sentence into words. Text in quotation marks stays whole.

/// A word, a punctuation mark, or a quoted text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The text as written, without quotation marks.
    pub text: String,
    pub lower: String,
    pub start: usize,
    pub end: usize,
    pub quoted: bool,
}

impl Token {
    #[must_use]
    pub fn is(&self, word: &str) -> bool {
        !self.quoted && self.lower == word
    }

    /// Returns whether it is one of these words, which are separated by `|`.
    #[must_use]
    pub fn is_one_of(&self, words: &str) -> bool {
        // Most words are in no list, which is checked without splitting it.
        !self.quoted && words.contains(&*self.lower) && words.split('|').any(|word| word == self.lower)
    }

    /// Creates a word for the rules that does not occur in the sentence.
    #[must_use]
    pub fn made(word: &str) -> Self {
        Self { text: word.to_owned(), lower: word.to_owned(), start: 0, end: 0, quoted: false }
    }

    /// Returns whether it does not occur in the sentence, at least not here.
    #[must_use]
    pub fn is_made(&self) -> bool {
        self.end == 0
    }

    /// Returns whether it is a punctuation mark.
    #[must_use]
    pub fn is_mark(&self) -> bool {
        !self.quoted && self.text.chars().all(|c| MARKS.contains(&c) || c == '-' || c == '–' || c == '—')
    }
}

const MARKS: [char; 11] = ['|', ',', ';', '.', '!', '?', '(', ')', ':', '[', ']'];

/// Opening quotation marks, each with its closing one.
const QUOTES: [(char, char); 5] = [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('`', '`')];

/// Splits a sentence into tokens.
#[must_use]
pub fn tokens(sentence: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = 0;
    while let Some(first) = sentence[rest..].chars().next() {
        if first.is_whitespace() {
            rest += first.len_utf8();
        } else if let Some((inner, length)) =
            quotation(&sentence[rest..], first, rest == 0 || tokens_apart(&tokens, rest))
        {
            tokens.push(token(inner, rest, rest + length, true));
            rest += length;
        } else {
            let length = sentence[rest..].find(char::is_whitespace).unwrap_or(sentence.len() - rest);
            push_words(&mut tokens, &sentence[rest..rest + length], rest);
            rest += length;
        }
    }
    tokens
}

/// Returns whether white space or a punctuation mark precedes this position. An apostrophe there opens a quotation.
fn tokens_apart(tokens: &[Token], at: usize) -> bool {
    tokens.last().is_none_or(|last| last.end < at || last.is_mark())
}

fn quotation(text: &str, first: char, opens: bool) -> Option<(&str, usize)> {
    let inner_start = first.len_utf8();
    let closing = match QUOTES.iter().find(|(open, _)| *open == first) {
        Some((_, close)) => *close,
        None if opens && matches!(first, '\'' | '‘') => {
            if first == '‘' {
                '’'
            } else {
                '\''
            }
        }
        None => return None,
    };
    // An apostrophe within a word closes no quotation.
    let closes = |(at, c): &(usize, char)| {
        let after = text[inner_start + at + c.len_utf8()..].chars().next();
        *c == closing && after.is_none_or(|after| !after.is_alphanumeric())
    };
    let (at, close) = text[inner_start..].char_indices().find(closes)?;
    (at > 0).then(|| (&text[inner_start..inner_start + at], inner_start + at + close.len_utf8()))
}

fn token(text: &str, start: usize, end: usize, quoted: bool) -> Token {
    let mut lower = text.to_lowercase().replace(['\u{2019}', '\u{2018}'], "'");
    if let Some(meant) = super::spelling::mended(&lower).filter(|_| !quoted) {
        meant.clone_into(&mut lower);
    }
    Token { text: text.to_owned(), lower, start, end, quoted }
}

/// Splits punctuation marks off the ends of a run without white space.
fn push_words(tokens: &mut Vec<Token>, run: &str, start: usize) {
    let mut body = run.trim_matches(MARKS);
    if is_day_and_month(body) && run[run.find(body).unwrap_or(0) + body.len()..].starts_with('.') {
        // "26.3." is one word.
        let start = run.find(body).unwrap_or(0);
        body = &run[start..=start + body.len()];
    }
    let before = run.find(body).unwrap_or(0);
    for (at, mark) in run[..before].char_indices() {
        tokens.push(token(&run[at..at + mark.len_utf8()], start + at, start + at + mark.len_utf8(), false));
    }
    // "!!" and "!high" are priorities.
    if !body.is_empty() {
        let bang = run[..before].ends_with('!') && body.chars().all(char::is_alphanumeric);
        if bang {
            tokens.pop();
            let text = &run[before - 1..before + body.len()];
            tokens.push(token(text, start + before - 1, start + before + body.len(), false));
        } else {
            tokens.push(token(body, start + before, start + before + body.len(), false));
        }
    }
    let after = before + body.len();
    for (at, mark) in run[after..].char_indices() {
        let at = after + at;
        tokens.push(token(&run[at..at + mark.len_utf8()], start + at, start + at + mark.len_utf8(), false));
    }
}

/// Matches "26.3", which is a day with a full stop after it.
fn is_day_and_month(text: &str) -> bool {
    let figure = |text: &str, max| super::numbers::figures(text, 2).is_some_and(|number| (1..=max).contains(&number));
    text.split_once('.').is_some_and(|(day, month)| figure(day, 31) && figure(month, 12))
}

/// Returns the text of these tokens as it is written in the sentence, without the omitted ones.
#[must_use]
pub fn text_of(sentence: &str, tokens: &[Token], left_out: impl Fn(usize) -> bool) -> String {
    let mut text = String::new();
    let mut last_end: Option<usize> = None;
    for (_, token) in tokens.iter().enumerate().filter(|(at, _)| !left_out(*at)) {
        if last_end.is_some_and(|end| end == 0 || end != token.start) {
            text.push(' ');
        }
        text.push_str(if token.is_made() { &token.text } else { &sentence[token.start..token.end] });
        last_end = Some(token.end);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::tokens;

    #[test]
    fn marks_and_quotations_are_separate_tokens() {
        let texts = |sentence| tokens(sentence).into_iter().map(|token| token.text).collect::<Vec<_>>();
        assert_eq!(texts("Add \"Buy milk, now\", please!"), ["Add", "Buy milk, now", ",", "please", "!"]);
        assert_eq!(texts("don't say 'it's fine' at 15:45."), ["don't", "say", "it's fine", "at", "15:45", "."]);
        assert_eq!(texts("fix !high"), ["fix", "!high"]);
    }
}
