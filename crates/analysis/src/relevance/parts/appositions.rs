//! What says which of its senses a name has: "Anthropic, the company, and its models", "Georgia (the country, not the
//! state)".

use std::slice;

use super::super::phrases::is_kind_of_thing;
use super::super::tokens::Token;
use super::super::words::is_content;
use super::{Part, has_content};

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

/// Makes what says which sense of a name is meant ("Rust (the language, not the game)"), and which of its kinds is not
/// ("electric cars, but not Chinese ones"), count only in texts that have what it is said of.
pub(super) fn limit_to_names(text: &str, parts: &mut [Part<'_>]) {
    let is_capital = |token: &&Token| text.get(token.start..).is_some_and(|rest| rest.starts_with(char::is_uppercase));
    for at in 1..parts.len() {
        let (before, from) = parts.split_at_mut(at);
        let Some(part) = from.first_mut() else { continue };
        let is_kind = matches!(&part.tokens[..], [article, kind] if is_kind_of_thing(&article.word, &kind.word));
        let is_one = part.denied && part.tokens.len() > 1 && part.tokens.last().is_some_and(|last| last.word == "ones");
        let is_name = |token: &&Token| is_content(&token.word) && is_capital(token);
        let is_named =
            |of: &Part<'_>| if is_kind { of.tokens.iter().any(is_name) } else { has_content(slice::from_ref(of)) };
        if is_kind || is_one {
            let may_be = |of: &Part<'_>| !of.denied && of.only_with.is_none();
            let named = before.iter().rposition(|of| may_be(of) && is_named(of));
            // What is wanted beside others is no sense of theirs: "schools and the city".
            let last = before.iter().rposition(|of| may_be(of) && has_content(slice::from_ref(of)));
            part.only_with = named.filter(|_| part.denied || part.joined_to.is_none() && named == last);
        }
    }
}
