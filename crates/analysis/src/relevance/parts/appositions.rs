//! Leaves out what only says what a name is: "Anthropic, the company, and its models".

use super::super::phrases::is_kind_of_thing;
use super::super::tokens::Token;
use super::super::words::is_content;
use super::Part;

/// Empties the parts that only say what the name before them is: "Anthropic, the company, and its models".
pub(super) fn leave_out_appositions(text: &str, parts: &mut [Part<'_>]) {
    let is_capital = |token: &Token| text.get(token.start..).is_some_and(|rest| rest.starts_with(char::is_uppercase));
    for at in 1..parts.len() {
        let [.., name, part] = &mut parts[..=at] else { continue };
        let (Some(last), [article, kind]) = (name.tokens.last(), &part.tokens[..]) else { continue };
        let mut named = name.tokens.iter().filter(|token| is_content(&token.word)).peekable();
        let is_name = named.peek().is_some() && named.all(|token| is_capital(token));
        let follows = text.get(last.end..article.start).is_some_and(|between| between.trim() == ",");
        if is_name && follows && name.denied == part.denied && is_kind_of_thing(&article.word, &kind.word) {
            part.tokens.clear();
        }
    }
}
