//! Text that came from outside, made fit to be read, compared and counted.

pub mod boilerplate;
pub mod fold;
pub mod html;
