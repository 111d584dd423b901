//! Removes polite phrases that do not change a command.
//!
//! Input: a clause. Output: the clause without polite phrases at its beginning and end. Called by [`super::clauses`].

use super::phrases::{after_any, before_end, without_marks};
use super::tokens::Token;

/// Phrases before a command that have no meaning for it.
const BEFORE: &str = "please|pls|can you|could you|would you|will you|can we|could we|i want you to|\
    i would like you to|\
    i'd like you to|i'd love you to|i need you to|i'd like to add|hey|hi|hello|ok|okay|so|now|then|also|and then|\
    and also|and|kindly|just|\
    go ahead and|let's|lets|after that|finally|assistant|quickly|plus|afterwards|additionally|thanks|thank you|well|\
    do me a favour and|do me a favor and|do me a favour|do me a favor|be so kind and|be so kind as to|be a dear and|\
    feel free to|\
    is it possible to|would it be possible to|do you think you could|is there any chance you could|\
    any chance you could|\
    any chance you can|any chance of|would you mind|do you mind|mind|when you get a sec|when you get a second|\
    when you get a minute|when you get a moment|when you have a sec|\
    when you have a minute|when you have a second|if you get a chance|if you have a moment|if you have a minute|\
    if you have time|if you get a minute|\
    whenever you can|at your convenience|if it's not too much trouble|if it isn't too much trouble|i'd appreciate you|\
    i need your help to|help me|\
    help me to|can you help me|could you help me|can you please|could you please|can you also|could you also|\
    i was hoping you could|\
    i'm hoping you can|i'd like for you to|i'd appreciate if you could|appreciate it if you could|\
    would you be able to|are you able to|\
    would you kindly|if you could|\
    if you can|if possible|if you don't mind|when you get a chance|when you have a moment|when you have time|\
    when you can|\
    i was wondering if you could|i was wondering whether you could|i wonder if you could|wondering if you could|\
    you should|you can|you could|you may|i'd appreciate it if you could|i would appreciate it if you could|\
    i'd be grateful if you could|i would be grateful if you could|oh|oops|um|uh|er|hmm|ah|btw|by the way|fyi|\
    one more thing|\
    another thing|one last thing|last thing|first|firstly|second|secondly|next|lastly|good morning|good afternoon|\
    good evening|\
    morning|evening|yes|yeah|sure|sorry|right|alright|all right|actually|great|perfect|in that case|as well as that|\
    while you're at it|\
    quick one|quick thing|dear assistant|hi there|hello there|hey there|maybe|but|i think you should|it's best to|\
    you know what|guess what|i was thinking|i was just thinking|i've been thinking|thinking about it|\
    come to think of it|\
    it occurred to me|it just occurred to me|i just remembered|i've just remembered|i just realised|\
    i've just realised|anyway|\
    to be honest|honestly|basically|listen|look|the thing is|before i forget|while i remember|while i think of it|\
    heads up|\
    ugh|argh|wow|ouch|damn|meh|boo|yawn|sigh|blimey|crikey|gosh|oh no|oh dear|oh god|omg|whoops|yikes|quick note|\
    good news|bad news|quick question|random thought|like|you know|i think|in other news|on second thoughts|\
    change of plan|slight change of plan|small change|new plan|update|news|ok so|right then|yo|dear planner";

/// Words that are courtesies only before a comma or colon. Otherwise they begin a title or a time.
const BEFORE_A_MARK: &str = "first|firstly|second|secondly|next|lastly|morning|evening|right|great|perfect|maybe|\
    sure|sorry|actually|\
    if you can|if possible|but|one more thing|another thing|last thing|quick one|quick thing|i was thinking|\
    i was just thinking|i've been thinking|thinking about it|come to think of it|it occurred to me|\
    it just occurred to me|\
    i just remembered|i've just remembered|i just realised|i've just realised|anyway|to be honest|honestly|basically|\
    listen|\
    look|the thing is|before i forget|while i remember|while i think of it|heads up|quick note|good news|bad news|\
    quick question|random thought|like|you know|i think|in other news|on second thoughts|change of plan|\
    slight change of plan|\
    small change|new plan|update|news|right then|yo";

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
    let phrases = BEFORE.split('|').filter_map(|phrase| {
        let rest = after_any(tokens, phrase)?;
        let unsure = BEFORE_A_MARK.split('|').any(|other| other == phrase);
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
    const VERBS: &str = "add|move|delete|cancel|put|push|postpone|rename|remind|change|schedule|create|mark|remove|\
        set|bring|book|shift|\
        reschedule|make|swap|tick|drop|delay|archive|complete|update|get|take|shove|bump|note|jot|pencil";
    let stem = word.strip_suffix("ing")?;
    let fits = |verb: &&str| {
        let doubled = || verb.chars().last().is_some_and(|last| stem.strip_suffix(last) == Some(*verb));
        *verb == stem || verb.strip_suffix('e') == Some(stem) || doubled()
    };
    VERBS.split('|').find(fits).map(str::to_owned)
}
