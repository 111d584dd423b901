//! Splits a sentence into clauses, and puts each into the order of a command: the verb, the target, the rest.
//!
//! What belongs here rewrites words into words that [`super::commands`] recognises: lists, left-out verbs, topics named
//! first, wishes of others, passive forms.

pub(super) mod gapping;
mod implied;
pub(super) mod lists;
pub(super) mod needs;
mod other_people;
pub(super) mod split;
pub(super) mod topic;
mod word_order;
