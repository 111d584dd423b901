//! Decides whether to ask although a clause was read: it may be talk, a wish, or about a record that was not found.
//!
//! What belongs here is called by [`super::reader`] with a clause and its operations, and returns a question or
//! nothing.

mod one_or_all;
mod uncertain;
pub(super) mod unclear_change;
mod wishes;
