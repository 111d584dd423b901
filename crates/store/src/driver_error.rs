//! Converts the drivers' errors to [`StoreError`], by the database that they came from.

use super::{StoreError, postgres, sqlite};

/// The conversions are in `sqlite/error.rs` and `postgres/error.rs`.
impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        if is_of_postgres(&error) { postgres::error::of(error) } else { sqlite::error::of(error) }
    }
}

/// Whether the error comes from the Postgres server or a connection: SQLite has no connection that could break.
fn is_of_postgres(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Database(error) => error.try_downcast_ref::<sqlx::postgres::PgDatabaseError>().is_some(),
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_) => true,
        _ => false,
    }
}
