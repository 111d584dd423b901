//! The web from outside: over plain HTTP.

mod api;
mod guards;
mod hostile;
mod payloads;
mod resources;
mod runs;
mod secrets;
mod sign_in;
