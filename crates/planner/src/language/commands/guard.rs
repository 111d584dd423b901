//! Detects sentences that must not become operations: instructions to the program, and changes of everything at once.

use crate::language::text::phrases::{after_any, has_any};
use crate::language::text::tokens::{Token, tokens};

/// Phrases that try to give instructions to a model or the program.
const ORDERS: [&str; 21] = [
    "admin rights",
    "pretend you are",
    "pretend to be",
    "obey ",
    "act as root",
    "previous instructions",
    "prior instructions",
    "above instructions",
    "your instructions",
    "rules above",
    "previous rules",
    "your rules",
    "your prompt",
    "you are now",
    "as an admin",
    "as admin",
    "bulk_",
    "rm -rf",
    "<system",
    "forget everything above",
    "without asking",
];

/// Phrases that are instructions too, unless they are part of a record to add: the user may need a todo about system
/// prompts.
const ORDERS_UNLESS_ADDED: [&str; 6] =
    ["system prompt", "developer mode", "jailbreak", "drop table", "</", "javascript:"];

/// Markup that no title contains.
const MARKUP: [&str; 1] = ["<script"];

/// Beginnings of transcripts or data, which are not sentences.
const BEGINNINGS: [&str; 14] = [
    "\"}",
    "sudo ",
    "system override",
    "system:",
    "assistant:",
    "user:",
    "developer:",
    "{",
    "[{",
    "[\"",
    "<",
    "#!",
    "'; ",
    "\"; ",
];

/// Verbs of sending something to somebody.
const SENDING: &str = "send|upload|post|forward|email|export";

/// The user's records as a whole.
const RECORDS: &str = "my todos|my tasks|my data|my calendar|my notes|my events|my planner|the database";

/// Further names of records, which mean them as a whole only after "all".
const ALL_RECORDS: &str = "todos|the todos|my habits|my goals|my records|my entries|my reminders|my items|my lists";

/// Words that refer to all records at once.
const ALL: &str = "everything|all|every|each|any|whole|entire|anything|completely|everyone|everybody|both";

/// Returns whether the sentence gives instructions to the program.
#[must_use]
pub fn is_order(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let overrides = ["ignore ", "disregard ", "override ", "bypass "].iter().any(|verb| lower.contains(verb))
        && [
            "instruction",
            "rule",
            "prompt",
            "safety",
            "validation",
            "guard",
            "confirm",
            "the above",
            "previous",
            "everything",
            "prior",
        ]
        .iter()
        .any(|noun| lower.contains(noun));
    overrides
        || ORDERS.iter().chain(&MARKUP).any(|part| lower.contains(part))
        || BEGINNINGS.iter().any(|start| lower.trim_start().starts_with(start))
}

/// Returns whether the sentence gives instructions to the program, unless it only adds a record.
#[must_use]
pub fn is_order_unless_added(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    ORDERS_UNLESS_ADDED.iter().any(|part| lower.contains(part)) || sends_away(&tokens(sentence))
}

/// Returns whether the sentence asks to send the user's records elsewhere: "email all of my notes to …". In "email the
/// landlord" something else follows the verb.
fn sends_away(words: &[Token]) -> bool {
    (0..words.len()).any(|at| {
        let Some(sent) = after_any(&words[at..], SENDING) else { return false };
        let sent = after_any(sent, "a copy of").unwrap_or(sent);
        let all = after_any(sent, "all of|all");
        let is_all = all.is_some_and(|all| after_any(all, ALL_RECORDS).is_some());
        is_all || after_any(all.unwrap_or(sent), RECORDS).is_some()
    })
}

/// Returns whether the words of a target refer to all records: "all my todos", "everything", "my whole calendar".
#[must_use]
pub fn means_all(target: &[Token]) -> bool {
    has_any(target, ALL) || plural_alone(target)
}

/// Matches the name of a whole collection: "my todos", "the calendar", "my list".
fn plural_alone(target: &[Token]) -> bool {
    const WHOLES: &str =
        "todos|tasks|events|habits|goals|items|calendar|list|agenda|schedule|reminders|entries|records|lists";
    const BETWEEN: &str = "my|the|our|these|those|and|todo|to-do|open|old";
    let words: Vec<&Token> = target.iter().filter(|token| !token.is_mark()).collect();
    !words.is_empty()
        && words.iter().all(|word| word.is_one_of(WHOLES) || word.is_one_of(BETWEEN))
        && words.iter().any(|word| word.is_one_of(WHOLES))
}
