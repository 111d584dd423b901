//! Parses priorities: "high priority", "p1", "urgent".

use crate::language::text::phrases;
use crate::language::text::tokens::Token;
use crate::record::Priority;

/// Phrases for a low priority.
const LOW: &str = "not urgent|not important|no rush|no hurry|not that urgent|not that important|not so important";

/// Phrases for a high priority.
const HIGH: &str = "this is important|it's important|this is urgent|it's urgent|that's important|that's urgent|\
    that one's important|which is important|which is urgent|very important|very urgent";

/// Parses "high priority", "priority: low", "p1", "!!"; "urgent" only at an end or before a punctuation mark.
#[must_use]
pub fn priority_phrase(rest: &[Token]) -> Option<(usize, Priority)> {
    let word = |at: usize| rest.get(at).filter(|token| !token.quoted).map_or("", |token| token.lower.as_str());
    let its = usize::from(word(0) == "it's" || word(0) == "is");
    let strong = matches!(word(its), "really" | "very" | "super" | "extremely" | "quite" | "so" | "pretty");
    if strong && matches!(word(its + 1), "important" | "urgent" | "pressing") && ends_here(rest, its + 2) {
        return Some((its + 2, Priority::High));
    }
    let lead = usize::from(matches!(word(0), "with" | "at" | "as" | "on" | "a" | "it's" | "is"));
    let article = usize::from(lead == 1 && matches!(word(1), "a" | "the"));
    let at = lead + article;
    if matches!(word(at + 1), "priority" | "prio" | "importance" | "urgency")
        && let Some(priority) = level(word(at))
    {
        return Some((at + 2, priority));
    }
    if let Some(priority) = word(at).strip_suffix("-priority").and_then(level) {
        return Some((at + 1, priority));
    }
    if matches!(word(at), "priority" | "prio") {
        let mark = usize::from(matches!(word(at + 1), ":" | "is" | "to" | "="));
        if let Some(priority) = level(word(at + 1 + mark)) {
            return Some((at + 2 + mark, priority));
        }
    }
    let low_phrase = phrases::after_any(rest, LOW);
    if let Some(following) = low_phrase.filter(|following| following.first().is_none_or(Token::is_mark)) {
        return Some((rest.len() - following.len(), Priority::Low));
    }
    let high_phrase = phrases::after_any(rest, HIGH);
    if let Some(following) = high_phrase.filter(|following| following.first().is_none_or(Token::is_mark)) {
        return Some((rest.len() - following.len(), Priority::High));
    }
    let short = match word(0) {
        "p1" | "!!!" | "!1" | "!!1" | "!high" | "prio1" | "asap" => Some(Priority::High),
        "p2" | "!2" | "!!2" | "!medium" => Some(Priority::Medium),
        "p3" | "p4" | "!3" | "!!3" | "!low" | "!4" | "!!4" => Some(Priority::Low),
        "urgent" | "urgently" | "important" if ends_here(rest, 1) => Some(Priority::High),
        _ => None,
    };
    short.map(|priority| (1, priority))
}

fn ends_here(rest: &[Token], at: usize) -> bool {
    rest.get(at).is_none_or(Token::is_mark)
}

/// Returns the priority that a word names.
#[must_use]
pub fn level(word: &str) -> Option<Priority> {
    match word {
        "high" | "highest" | "top" | "urgent" | "maximum" | "1" | "one" | "higher" => Some(Priority::High),
        "medium" | "normal" | "middle" | "standard" | "2" | "two" | "mid" => Some(Priority::Medium),
        "low" | "lowest" | "minor" | "3" | "three" | "lower" => Some(Priority::Low),
        _ => None,
    }
}
