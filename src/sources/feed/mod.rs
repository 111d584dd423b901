//! RSS, Atom and JSON feeds, however well they are written.

mod charset;
mod connector;
mod dates;
mod dialect;
mod extras;
mod items;
mod json;
mod parse;
mod repair;
mod salvage;
mod vocabulary;

pub use connector::FeedConnector;
pub use dates::parse_date;
pub use parse::{MAX_ITEMS, ParsedFeed, parse};

pub(super) use charset::decode;
pub(super) use connector::parse_aside;
pub(super) use extras::attribute;
