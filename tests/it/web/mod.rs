//! The web from outside: over plain HTTP.

mod api;
mod forms;
mod guards;
mod hostile;
mod journal;
mod messages;
mod payloads;
mod plan;
mod resources;
mod runs;
mod secrets;
mod sign_in;
