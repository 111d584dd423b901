//! The mock held to its own word, by plain requests.

mod asking;
mod faults;
mod specification;
mod usual;
