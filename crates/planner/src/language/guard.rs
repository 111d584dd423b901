//! Sentences that no operation is made of: those that speak to the program instead of planning, and those that would
//! change everything at
//! once.

use super::phrases::has_any;
use super::tokens::Token;

/// Parts of sentences that try to give a model or the program orders.
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

/// Parts that are orders too, unless they stand in what is to be added: somebody may have to read about system prompts.
const ORDERS_UNLESS_ADDED: [&str; 6] =
    ["system prompt", "developer mode", "jailbreak", "drop table", "</", "javascript:"];

/// Parts of markup that no title has.
const MARKUP: [&str; 1] = ["<script"];

/// Beginnings that belong to a transcript or to data, not to a sentence.
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

/// Words that mean all records at once.
const ALL: &str = "everything|all|every|each|any|whole|entire|anything|completely|everyone|everybody|both";

/// Whether the sentence gives orders to the program.
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
        || sends_away(&lower)
}

/// Whether it reads like orders to the program, if it is more than something to be added.
#[must_use]
pub fn is_order_unless_added(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    ORDERS_UNLESS_ADDED.iter().any(|part| lower.contains(part))
}

/// Whether it would carry the owner's records somewhere else.
fn sends_away(lower: &str) -> bool {
    let verb = ["send ", "upload ", "post ", "forward ", "email ", "export "].iter().any(|verb| lower.contains(verb));
    let records = [
        "my todos",
        "my tasks",
        "my data",
        "my calendar",
        "my notes",
        "all todos",
        "my events",
        "the database",
        "my planner",
        "all my",
    ]
    .iter()
    .any(|noun| lower.contains(noun));
    verb && records
}

/// Whether the words of a target mean all records: "all my todos", "everything", "my whole calendar".
#[must_use]
pub fn means_all(target: &[Token]) -> bool {
    has_any(target, ALL) || plural_alone(target)
}

/// "my todos", "the calendar", "my list": the whole of them by its own name.
fn plural_alone(target: &[Token]) -> bool {
    const WHOLES: &str =
        "todos|tasks|events|habits|goals|items|calendar|list|agenda|schedule|reminders|entries|records|lists";
    const BETWEEN: &str = "my|the|our|these|those|and|todo|to-do|open|old";
    let words: Vec<&Token> = target.iter().filter(|token| !token.is_mark()).collect();
    !words.is_empty()
        && words.iter().all(|word| word.is_one_of(WHOLES) || word.is_one_of(BETWEEN))
        && words.iter().any(|word| word.is_one_of(WHOLES))
}
