//! Shared code of the table groups in `tables/`, for both databases: columns, bound values, charges, failpoints.

pub mod charges;
pub mod column;
pub(crate) mod values;

use aha_core::failpoint;

use super::{Result, StoreError};

/// A statement that needs different SQL on the two databases. Each database's `statement` selects its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PerDatabase {
    pub(crate) sqlite: &'static str,
    pub(crate) postgres: &'static str,
}

/// Passes the failpoint at a commit of that operation.
pub fn hit(operation: &str, place: &str) {
    if cfg!(debug_assertions) {
        failpoint::hit(&format!("{operation}.{place}"));
    }
}

/// Turns an update that found no row into an error.
pub fn require_row(rows: u64, what: &'static str, id: impl std::fmt::Display) -> Result<()> {
    if rows == 0 { Err(StoreError::NotFound { what, id: id.to_string() }) } else { Ok(()) }
}
