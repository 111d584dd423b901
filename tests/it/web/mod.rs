//! The web from outside: over plain HTTP.

mod api;
mod guards;
mod hostile;
mod resources;
mod runs;
mod sign_in;
