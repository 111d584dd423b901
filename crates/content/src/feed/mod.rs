//! Parses RSS, Atom and JSON feeds, including malformed ones: bytes to raw items, whose HTML is sanitised later, when
//! items are identified.
//!
//! Steps (`parse`): decode (`charset`), lift long texts out of the markup (`lift`), survey the markup (`survey`), repair
//! a broken document (`repair`, `salvage`), rewrite old dialects (`dialect`), feed-rs (`engine`), then what feed-rs
//! omits (`items`, `dates`, `json`).

mod cdf;
mod charset;
mod date_words;
mod dates;
mod dialect;
mod engine;
mod error;
mod items;
mod json;
mod limits;
mod long_texts;
mod numeric_dates;
mod parse;
mod repair;
mod root;
mod salvage;
mod survey;
mod vocabulary;

pub use charset::decode;
pub use dates::{ReadDate, parse_date, read_date};
pub use error::ParseError;
pub use limits::{MAX_ADDRESS_BYTES, MAX_ITEMS};
pub use parse::{ParsedFeed, parse, parse_within};
pub use repair::repair;

pub use survey::attribute;
