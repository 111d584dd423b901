//! The web from outside: over plain HTTP.

mod api;
mod guards;
mod hostile;
mod sign_in;
