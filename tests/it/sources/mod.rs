//! Sources: fetching over a real socket, parsing of good, broken and hostile documents.

mod addresses;
mod connectors;
mod discovering;
mod dialects;
mod feeds;
mod fetching;
mod hostile;
mod looking;
