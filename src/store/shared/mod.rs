//! What both databases have in common: the statements that read the same in both, the rows they give, and what is made of
//! them; a table group a file, named as the files beside it in `sqlite/` and `postgres/`.

pub(crate) mod answers;
pub(crate) mod charges;
pub(crate) mod column;
pub(crate) mod digests;
pub(crate) mod feedback;
pub(crate) mod fetches;
pub(crate) mod items;
pub(crate) mod leases;
pub(crate) mod ledger;
pub(crate) mod retention;
pub(crate) mod runs;
pub(crate) mod sources;
pub(crate) mod stories;
pub(crate) mod topics;

use super::{Result, StoreError};
use crate::failpoint;

/// Passes a failpoint at a commit of that operation.
pub(crate) fn hit(operation: &str, place: &str) {
    if cfg!(debug_assertions) {
        failpoint::hit(&format!("{operation}.{place}"));
    }
}

/// Turns an update that found no row into an error.
pub(crate) fn found(rows: u64, what: &'static str, id: impl std::fmt::Display) -> Result<()> {
    if rows == 0 { Err(StoreError::NotFound { what, id: id.to_string() }) } else { Ok(()) }
}
