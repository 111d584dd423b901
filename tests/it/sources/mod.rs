//! Sources: fetching over a real socket, parsing of good, broken and hostile documents.

mod addresses;
mod connectors;
mod dialects;
mod discovering;
mod feed_connector;
mod feeds;
mod fetching;
mod hostile;
