//! Parses RSS, Atom and JSON feeds, including malformed ones.

mod cdf;
mod charset;
mod date_words;
mod dates;
mod dialect;
mod engine;
mod error;
mod items;
mod json;
mod lift;
mod limits;
mod parse;
mod repair;
mod root;
mod salvage;
mod survey;
mod vocabulary;

pub use charset::decode;
pub use dates::{ReadDate, parse_date, read_date};
pub use error::ParseError;
pub use limits::MAX_ITEMS;
pub use parse::{ParsedFeed, parse, parse_within};
pub use repair::repair;

pub use survey::attribute;
