//! Reads a graph's own settings about its files: `logseq/config.edn`, and Obsidian's `daily-notes.json`.
//!
//! Only scalars at the top level of the EDN map are read. Everything else is skipped, including comments and discarded
//! forms.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::Chars;

use serde::Deserialize;

/// Returns the scalars of the top-level map. Keys have no leading colon; strings and keywords are as written.
#[must_use]
pub fn scalars(edn: &str) -> BTreeMap<String, String> {
    let mut reader = Reader { chars: edn.chars().peekable() };
    let mut found = BTreeMap::new();
    let mut key: Option<String> = None;
    let mut depth = 0_usize;
    while let Some(token) = reader.token() {
        match token {
            Token::Open => {
                // The value of this key is a collection, which is ignored.
                if depth == 1 {
                    key = None;
                }
                depth += 1;
            }
            Token::Close => depth = depth.saturating_sub(1),
            Token::Discard => reader.skip_form(),
            Token::Scalar(text) if depth == 1 => match key.take() {
                Some(key) => {
                    found.insert(key, text);
                }
                None => key = text.strip_prefix(':').map(str::to_owned),
            },
            Token::Scalar(_) => {}
        }
    }
    found
}

enum Token {
    Open,
    Close,
    /// `#_`: the next form is discarded.
    Discard,
    Scalar(String),
}

struct Reader<'a> {
    chars: Peekable<Chars<'a>>,
}

impl Reader<'_> {
    fn token(&mut self) -> Option<Token> {
        loop {
            match self.chars.next()? {
                c if c.is_whitespace() || c == ',' => {}
                ';' => while self.chars.next_if(|c| *c != '\n').is_some() {},
                '{' | '[' | '(' => return Some(Token::Open),
                '}' | ']' | ')' => return Some(Token::Close),
                '"' => return Some(Token::Scalar(self.string())),
                '#' if self.chars.next_if_eq(&'_').is_some() => return Some(Token::Discard),
                // The tag of a set or a regular expression is skipped; the form after it is read as usual.
                '#' => {}
                first => return Some(Token::Scalar(self.word(first))),
            }
        }
    }

    fn string(&mut self) -> String {
        let mut text = String::new();
        while let Some(c) = self.chars.next() {
            match c {
                '"' => break,
                '\\' => text.extend(self.chars.next()),
                c => text.push(c),
            }
        }
        text
    }

    fn word(&mut self, first: char) -> String {
        let mut text = String::from(first);
        while let Some(c) = self.chars.next_if(|c| !c.is_whitespace() && !",;\"{}[]()".contains(*c)) {
            text.push(c);
        }
        text
    }

    fn skip_form(&mut self) {
        let mut depth = 0_usize;
        while let Some(token) = self.token() {
            match token {
                Token::Open => depth += 1,
                Token::Close => depth = depth.saturating_sub(1),
                Token::Discard | Token::Scalar(_) => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
}

/// Obsidian's settings for daily notes.
#[derive(Debug, Default, Deserialize)]
pub struct DailyNotes {
    #[serde(default)]
    pub format: String,
    #[serde(default)]
    pub folder: String,
}

#[cfg(test)]
mod tests {
    use super::scalars;

    #[test]
    fn scalars_of_the_top_map_are_read_and_the_rest_is_skipped() {
        let edn = r#"{:meta/version 1 ; a comment with :key "value"
 :preferred-format "Markdown", :file/name-format :triple-lowbar
 #_{:journals-directory "discarded"} #_ :pages-directory #_ "discarded"
 :hidden ["/a" :b] :default-queries {:journals [{:title "x" :query [:find ?h]}]}
 :journal/page-title-format "EEE, \"do\" MMM yyyy"
 :journals-directory "days"}"#;
        let found = scalars(edn);
        assert_eq!(found.get("file/name-format").map(String::as_str), Some(":triple-lowbar"));
        assert_eq!(found.get("journals-directory").map(String::as_str), Some("days"));
        assert_eq!(found.get("journal/page-title-format").map(String::as_str), Some("EEE, \"do\" MMM yyyy"));
        assert!(!found.contains_key("pages-directory") && !found.contains_key("title"), "{found:?}");
    }
}
