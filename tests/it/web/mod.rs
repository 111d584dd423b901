//! The web from outside: over plain HTTP.

mod api;
mod guards;
mod hostile;
mod runs;
mod sign_in;
