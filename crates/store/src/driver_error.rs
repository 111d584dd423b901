//! The drivers' errors as the store's: whose an error is decides who reads it.

use super::{StoreError, postgres, sqlite};

/// What a driver says, in our words. The drivers' own errors are read in `sqlite/error.rs` and `postgres/error.rs`.
impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        if is_of_postgres(&error) { postgres::error::of(error) } else { sqlite::error::of(error) }
    }
}

/// Whether the error is the Postgres server's, or of a connection: SQLite has none that could break.
fn is_of_postgres(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Database(error) => error.try_downcast_ref::<sqlx::postgres::PgDatabaseError>().is_some(),
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_) => true,
        _ => false,
    }
}
