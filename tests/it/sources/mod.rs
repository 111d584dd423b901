//! Sources: fetching over a real socket, parsing of good, broken and hostile documents.

mod connectors;
mod feeds;
mod fetching;
mod hostile;
mod looking;
