//! RSS, Atom and JSON feeds, however well they are written.

mod cdf;
mod charset;
mod connector;
mod date_words;
mod dates;
mod dialect;
mod engine;
mod items;
mod json;
mod lift;
mod limits;
mod parse;
mod repair;
mod salvage;
mod survey;
mod vocabulary;

pub use connector::FeedConnector;
pub use dates::{ReadDate, parse_date, read_date};
pub use parse::{MAX_ITEMS, ParsedFeed, parse, parse_within};
pub use repair::repair;

pub(super) use charset::decode;
pub(super) use connector::parse_aside;
pub(super) use survey::attribute;
