//! The mock held to its own word, by plain requests.

mod faults;
mod requests;
mod specification;
mod without_faults;
