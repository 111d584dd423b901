//! Macros that read rows into structs whose fields are named like the columns.
//!
//! They replace sqlx's derive, which would compile the drivers a second time for proc macros and so lengthen clean
//! builds.

/// Reads a struct of `tables/` from rows of this database.
macro_rules! from_row {
    ($name:ident { $($column:ident),+ $(,)? }) => {
        from_row!(super::Row, $name { $($column),+ });
    };
    ($row:ty, $name:ident { $($column:ident),+ $(; $($converted:ident: $convert:path),+)? }) => {
        impl sqlx::FromRow<'_, $row> for $name {
            fn from_row(row: &$row) -> sqlx::Result<Self> {
                use sqlx::Row as _;
                Ok(Self {
                    $($column: row.try_get(stringify!($column))?),+
                    $(, $($converted: $convert(row.try_get(stringify!($converted))?)),+)?
                })
            }
        }
    };
}

/// Reads a struct shared by both databases' tables. Columns after a semicolon are converted by a function each.
macro_rules! from_rows {
    ($name:ident { $($column:ident),+ $(; $($converted:ident: $convert:path),+)? $(,)? }) => {
        from_row!(sqlx::sqlite::SqliteRow, $name { $($column),+ $(; $($converted: $convert),+)? });
        from_row!(sqlx::postgres::PgRow, $name { $($column),+ $(; $($converted: $convert),+)? });
    };
}
