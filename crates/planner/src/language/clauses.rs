//! Cuts a sentence into clauses, each with one command, and takes courtesies off.

use super::Today;
use super::command::Command;
use super::interpret::command;
use super::phrases::{after, after_any, without_marks};
use super::tokens::Token;
use super::vocabulary::DOING;

/// What may stand before a command without meaning anything.
const COURTESIES: &str = "please|pls|can you|could you|would you|will you|can we|could we|i want you to|i would like you to|\
    i'd like you to|i'd like to add|hey|hi|hello|ok|okay|so|now|then|also|and then|and also|and|kindly|just|\
    go ahead and|let's|lets|after that|finally|assistant|quickly|plus|afterwards|additionally|thanks|thank you|\
    well";

/// Words that begin a command.
const COMMANDS: &str = "add|create|schedule|move|reschedule|postpone|push|delay|shift|defer|rename|retitle|delete|remove|cancel|erase|\
    scrap|mark|complete|tick|check off|cross off|remind me|set|change|make|repeat|drop|put|new todo|new task|\
    new event|new habit|new goal|reopen|bring|get rid of|stop repeating|uncheck|snooze|i need to|i have to|\
    don't forget to|finish|book|prioritise";

/// The clause without courtesies and marks at its ends.
#[must_use]
pub fn plain(tokens: &[Token]) -> &[Token] {
    let mut rest = without_marks(tokens);
    loop {
        let shorter = COURTESIES.split('|').filter_map(|phrase| after(rest, phrase)).min_by_key(|rest| rest.len());
        match shorter {
            Some(shorter) => rest = without_marks(shorter),
            None => break,
        }
    }
    while let [before @ .., last] = rest {
        if before.is_empty() || !last.is_one_of("please|pls|thanks") {
            break;
        }
        rest = without_marks(before);
    }
    rest
}

/// Whether the sentence is one clause that asks for something to be added, in as many words.
#[must_use]
pub fn adds(tokens: &[Token], today: Today) -> bool {
    matches!(clauses(tokens)[..], [only] if matches!(command(plain(only), today), Command::Create { certain: true, .. }))
}

/// Whether a command begins here.
#[must_use]
pub fn begins_command(tokens: &[Token]) -> bool {
    after_any(plain(tokens), COMMANDS).is_some_and(|rest| !rest.is_empty())
}

/// The clauses of a sentence: cut at semicolons and full stops, and where "and", "then" or a comma stands before a command.
#[must_use]
pub fn clauses(tokens: &[Token]) -> Vec<&[Token]> {
    let mut found = Vec::new();
    let mut start = 0;
    for at in 0..tokens.len() {
        let token = &tokens[at];
        let rest = &tokens[at + 1..];
        let joins = token.is_one_of("and|then|,|&|plus") && begins_command(rest);
        let ends = token.is_one_of(";|!|?") || (token.is(".") && begins_sentence(rest));
        if (joins || ends) && at >= start {
            found.push(&tokens[start..at]);
            start = at + 1;
        }
    }
    found.push(&tokens[start..]);
    found.into_iter().filter(|clause| !plain(clause).is_empty()).collect()
}

/// "5. May" is no end of a sentence.
fn begins_sentence(rest: &[Token]) -> bool {
    rest.first().is_none_or(|next| {
        super::numbers::month(&next.lower).is_none()
            && next.text.starts_with(|c: char| c.is_uppercase() || next.quoted || !c.is_alphabetic())
    })
}

/// The things to do in one subject: "call the bank and email Jo" is two where each begins with a verb and says more than that.
#[must_use]
pub fn coordinated(tokens: &[Token]) -> Vec<&[Token]> {
    let begins = |tokens: &[Token]| tokens.len() > 1 && tokens[0].is_one_of(DOING);
    if !begins(tokens) {
        return vec![tokens];
    }
    let mut found = Vec::new();
    let mut start = 0;
    for at in 0..tokens.len() {
        let joins = tokens[at].is_one_of("and|,|&");
        let mut next = at + 1;
        while tokens.get(next).is_some_and(|token| token.is("and")) {
            next += 1;
        }
        if joins && at > start + 1 && tokens.get(next..).is_some_and(begins) {
            found.push(&tokens[start..at]);
            start = next;
        }
    }
    found.push(&tokens[start..]);
    found
}
