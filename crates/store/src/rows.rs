//! Rows into structs whose fields are named as the columns are.
//!
//! As sqlx's derive does it, in the form of two macros: the derive brings the drivers a second time, built for the compiler's own process,
//! which a build from nothing waits for.

/// Reads a struct of `tables/` from this database's rows.
macro_rules! from_row {
    ($name:ident { $($column:ident),+ $(,)? }) => {
        from_row!(super::Row, $name { $($column),+ });
    };
    ($row:ty, $name:ident { $($column:ident),+ }) => {
        impl sqlx::FromRow<'_, $row> for $name {
            fn from_row(row: &$row) -> sqlx::Result<Self> {
                use sqlx::Row as _;
                Ok(Self { $($column: row.try_get(stringify!($column))?),+ })
            }
        }
    };
}

/// Reads a struct that both databases' tables share.
macro_rules! from_rows {
    ($name:ident { $($column:ident),+ $(,)? }) => {
        from_row!(sqlx::sqlite::SqliteRow, $name { $($column),+ });
        from_row!(sqlx::postgres::PgRow, $name { $($column),+ });
    };
}
