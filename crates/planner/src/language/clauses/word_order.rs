//! Moves durations and repetitions to the end of a clause, where the rules expect them.
//!
//! Input: a clause. Output: its words in another order. Called by [`super::topic`].

use crate::language::text::numbers;
use crate::language::text::phrases::after_any;
use crate::language::text::tokens::Token;
use crate::language::text::vocabulary;
use crate::language::values::durations;

/// Moves the duration to the end: "Block two hours on Friday at 10 for X".
pub fn with_duration_last(clause: &[Token]) -> Option<Vec<Token>> {
    let rest = after_any(
        clause,
        "block out|block off|block|keep|hold|reserve|set aside|schedule in|schedule|book out|book|find|make",
    )?;
    let verb = &clause[..1];
    let (length, _) = durations::minutes(rest)?;
    let (span, following) = rest.split_at(length);
    let following = after_any(following, "free").unwrap_or(following);
    let leads = following.first().is_some_and(|next| {
        next.is_one_of("on|at|from|for|tomorrow|today|this|next") || numbers::weekday(&next.lower, true).is_some()
    });
    if !leads {
        return None;
    }
    // In "For X on Friday at 10" the purpose comes after the duration.
    let purpose = following.iter().position(|word| word.is("for"))?;
    let (before, named) = following.split_at(purpose);
    let at = (1..named.len())
        .find(|at| named[*at].is_one_of("on|at|from|tomorrow|today|this|next"))
        .filter(|_| before.is_empty());
    let (named, when) = named.split_at(at.unwrap_or(named.len()));
    let lead = if verb[0].is_one_of("block|keep|hold|reserve") { verb.to_vec() } else { vec![Token::made("block")] };
    Some([&lead, before, when, named, &[Token::made("for")], span].concat())
}

/// Moves the repetition to the end: "a weekday habit called X".
pub fn with_repetition_last(clause: &[Token]) -> Vec<Token> {
    let mut words = clause.to_vec();
    let at = (0..words.len().min(12)).find(|at| {
        let noun = words
            .get(at + 1)
            .is_some_and(|next| !next.quoted && (next.is("thing") || vocabulary::kind_noun(&next.lower).is_some()));
        noun && words[*at].is_one_of("daily|weekly|weekday|fortnightly|biweekly|nightly|everyday|weekdays")
    });
    if let Some(at) = at {
        let adjective = words.remove(at);
        let rule = if adjective.is("weekday") { "weekdays" } else { adjective.lower.as_str() };
        words.push(Token::made(rule));
    }
    words
}
