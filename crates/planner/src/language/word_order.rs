//! Parts of a clause put where the rules look for them: how long and how often behind the rest.
//!
//! Comes in: a clause. Goes out: its words in another order. Called by [`super::topic`].

use super::phrases::after_any;
use super::tokens::Token;

/// "Block two hours on Friday at 10 for X": how long behind the rest, where the rules look for it.
pub fn length_behind(clause: &[Token]) -> Option<Vec<Token>> {
    let rest = after_any(
        clause,
        "block out|block off|block|keep|hold|reserve|set aside|schedule in|schedule|book out|book|find|make",
    )?;
    let verb = &clause[..1];
    let (length, _) = super::durations::minutes(rest)?;
    let (span, behind) = rest.split_at(length);
    let behind = after_any(behind, "free").unwrap_or(behind);
    let leads = behind.first().is_some_and(|next| {
        next.is_one_of("on|at|from|for|tomorrow|today|this|next")
            || super::numbers::weekday(&next.lower, true).is_some()
    });
    if !leads {
        return None;
    }
    // "For X on Friday at 10": what it is for stands behind.
    let purpose = behind.iter().position(|word| word.is("for"))?;
    let (before, named) = behind.split_at(purpose);
    let at = (1..named.len())
        .find(|at| named[*at].is_one_of("on|at|from|tomorrow|today|this|next"))
        .filter(|_| before.is_empty());
    let (named, when) = named.split_at(at.unwrap_or(named.len()));
    let lead = if verb[0].is_one_of("block|keep|hold|reserve") { verb.to_vec() } else { vec![Token::made("block")] };
    Some([&lead, before, when, named, &[Token::made("for")], span].concat())
}

/// "a weekday habit called X": how often behind, where the rules look for it.
pub fn repeat_behind(clause: &[Token]) -> Vec<Token> {
    let mut words = clause.to_vec();
    let at = (0..words.len().min(12)).find(|at| {
        let noun = words.get(at + 1).is_some_and(|next| {
            !next.quoted && (next.is("thing") || super::vocabulary::kind_noun(&next.lower).is_some())
        });
        noun && words[*at].is_one_of("daily|weekly|weekday|fortnightly|biweekly|nightly|everyday|weekdays")
    });
    if let Some(at) = at {
        let adjective = words.remove(at);
        let rule = if adjective.is("weekday") { "weekdays" } else { adjective.lower.as_str() };
        words.push(Token::made(rule));
    }
    words
}
