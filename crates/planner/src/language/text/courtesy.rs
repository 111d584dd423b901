//! Removes polite phrases that do not change a command.
//!
//! Input: a clause. Output: the clause without polite phrases at its beginning and end. Called by
//! [`crate::language::clauses::split`].

use super::phrases::{after_any, before_end, without_marks};
use super::tokens::Token;
use super::words::{WordList, word_list};

/// Phrases before a command that have no meaning for it.
static COURTESIES_BEFORE: WordList = WordList::new(|| word_list(include_str!("../words/courtesies_before.txt")));

/// Words that are courtesies only before a comma or colon. Otherwise they begin a title or a time.
static COURTESIES_BEFORE_A_MARK: WordList =
    WordList::new(|| word_list(include_str!("../words/courtesies_before_a_mark.txt")));

/// Those of them that give the order of actions.
const ORDER: &str = "first|firstly|secondly|second|next|lastly";

/// Phrases after a command that have no meaning for it.
const AFTER: &str = "please|pls|thanks|thank you|thanks a lot|many thanks|thx|cheers|ta|yay|phew|hooray|hurray|\
    woohoo|woo|lol|haha|\
    as well|too|if you can|if possible|if you don't mind|when you get a chance|when you have a moment|when you can|\
    would you|\
    will you|could you|can you|thank you very much|thanks in advance|thank you so much|many thanks in advance";

/// Words that may be part of the content, unless they follow a punctuation mark.
const AFTER_A_MARK: &str = "finally|at last|right|ok|okay|great|good|for me|hurrah|nice|perfect|won't you|\
    and that's it|that's all|\
    that's it|so there|for once|mate|dear|sorry|my friend";

/// Parses "It would be great if you could" and its variants.
fn wish(tokens: &[Token]) -> Option<&[Token]> {
    let rest = after_any(
        tokens,
        "it'd be|it would be|that'd be|that would be|would be|i'd be|i would be|we'd be|it will be|i'd really be|\
            it'd really be",
    )?;
    let rest = after_any(rest, "really|so|very|ever so|most|super|incredibly|extremely|forever").unwrap_or(rest);
    let (adjective, rest) = rest.split_first()?;
    let good = adjective.is_one_of(
        "great|nice|good|lovely|helpful|wonderful|super|fantastic|brilliant|best|awesome|kind|cool|ideal|\
            grateful|thankful|happy|glad|delighted|obliged|better|amazing|perfect|handy|useful",
    );
    after_any(rest, "if you could|if you would|if you can|if we could|if you'd|if you were to|for you to|to")
        .filter(|_| good)
}

fn shorter(tokens: &[Token]) -> Option<&[Token]> {
    let phrases = COURTESIES_BEFORE.split('|').filter_map(|phrase| {
        let rest = after_any(tokens, phrase)?;
        let unsure = COURTESIES_BEFORE_A_MARK.split('|').any(|other| other == phrase);
        let orders = super::phrases::listed(ORDER, phrase) && super::vocabulary::begins_with_task_verb(rest);
        (!unsure || orders || rest.first().is_none_or(Token::is_mark)).then_some(rest)
    });
    phrases.chain(wish(tokens)).min_by_key(|rest| rest.len())
}

/// Returns the clause without courtesies and punctuation at its ends.
#[must_use]
pub fn plain(tokens: &[Token]) -> &[Token] {
    let mut rest = without_marks(tokens);
    while let Some(shorter) = shorter(rest) {
        rest = without_marks(shorter);
    }
    while let Some(before) = before_end(rest, AFTER).or_else(|| before_mark(rest)).filter(|before| !before.is_empty()) {
        rest = without_marks(before);
    }
    rest
}

/// Returns the words before a final courtesy that a punctuation mark separates.
fn before_mark(tokens: &[Token]) -> Option<&[Token]> {
    before_end(tokens, AFTER_A_MARK).filter(|before| before.last().is_some_and(Token::is_mark))
}

/// Adverbs that do not change the meaning of a command.
const ADVERBS: &str = "really|also|still|kindly|quickly|probably|definitely|absolutely|actually|just|simply|urgently|\
    desperately|possibly|finally|already|now";

/// Words after which such an adverb is removed.
const ADVERB_CONTEXTS: &str =
    "i|we|you|i've|i'd|we've|we'd|must|should|need|could|can|would|will|i'm|we're|please|and|i'll|we'll|have";

/// Removes adverbs where they do not change the meaning: "I really must".
#[must_use]
pub fn without_adverbs(tokens: &[Token]) -> Vec<Token> {
    let mut kept: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        let base = kept.last().filter(|last| last.is_one_of("mind|of|about")).and_then(|_| base_of(&token.lower));
        if let (Some(base), false) = (base, token.quoted) {
            let chance = matches!(&kept[..], [.., first, last] if
                first.is("chance") || (last.is("about") && first.is_one_of("how|what")))
                || kept.last().is_some_and(|last| last.is("mind"));
            if chance {
                kept.push(Token { lower: base, ..token.clone() });
                continue;
            }
        }
        let is_redundant = token.is_one_of(ADVERBS) && kept.last().is_some_and(|last| last.is_one_of(ADVERB_CONTEXTS));
        if !is_redundant {
            kept.push(token.clone());
        }
    }
    kept
}

/// Returns "move" for "moving", if it is a command verb: "would you mind moving …".
fn base_of(word: &str) -> Option<String> {
    const REQUESTED_VERBS: &str = "add|move|delete|cancel|put|push|postpone|rename|remind|change|schedule|create|mark|\
        remove|set|bring|book|shift|\
        reschedule|make|swap|tick|drop|delay|archive|complete|update|get|take|shove|bump|note|jot|pencil";
    let stem = word.strip_suffix("ing")?;
    let fits = |verb: &&str| {
        let doubled = || verb.chars().last().is_some_and(|last| stem.strip_suffix(last) == Some(*verb));
        *verb == stem || verb.strip_suffix('e') == Some(stem) || doubled()
    };
    REQUESTED_VERBS.split('|').find(fits).map(str::to_owned)
}
