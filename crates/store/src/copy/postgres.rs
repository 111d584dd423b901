//! A Postgres database as one side of a copy.

use async_trait::async_trait;
use futures::StreamExt as _;
use futures::stream::BoxStream;

use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Postgres};

use super::catalogue::{Column, Kind, MIGRATIONS_TABLE, Reference, Table};
use super::side::{Side, link, placeholders, quoted};
use super::value::{Row, arguments, kinds, read};
use super::{CopyError, Result};
use crate::postgres::leases;
use crate::postgres::open::{self, Server};
use crate::schema::OpenMode;

pub(super) struct PostgresSide {
    connection: PgConnection,
}

impl PostgresSide {
    pub(super) async fn source(url: &str) -> Result<Self> {
        let server = Server::of(url)?;
        open::prepare(&server, OpenMode::MustExist).await?;
        let mut side = Self::connect(&server).await?;
        sqlx::query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").execute(&mut side.connection).await?;
        Ok(side)
    }

    pub(super) async fn target(url: &str, source: &str) -> Result<Self> {
        let server = Server::of(url)?;
        let mut side = Self::connect(&server).await?;
        if side.identity().await? == source {
            return Err(CopyError::SameDatabase);
        }
        open::prepare(&server, OpenMode::CreateIfMissing).await?;
        sqlx::query("BEGIN").execute(&mut side.connection).await?;
        let names: Vec<String> = side.table_names().await?.iter().map(|name| format!("\"{name}\"")).collect();
        let lock = format!("LOCK TABLE {} IN EXCLUSIVE MODE", names.join(", "));
        sqlx::query(AssertSqlSafe(lock)).execute(&mut side.connection).await?;
        Ok(side)
    }

    /// Connects without timeouts: a large table takes longer than other statements may, and one side is idle while the
    /// other works.
    async fn connect(server: &Server) -> Result<Self> {
        let mut connection = server.connect().await?;
        sqlx::query(
            "SELECT set_config('statement_timeout', '0', false),
                    set_config('idle_in_transaction_session_timeout', '0', false)",
        )
        .execute(&mut connection)
        .await?;
        Ok(Self { connection })
    }

    async fn table_names(&mut self) -> Result<Vec<String>> {
        let names = "SELECT tablename::text FROM pg_catalog.pg_tables
                     WHERE schemaname = current_schema() AND tablename NOT LIKE 'search!_%' ESCAPE '!'
                       AND tablename <> $1 ORDER BY 1";
        Ok(sqlx::query_scalar(names).bind(MIGRATIONS_TABLE).fetch_all(&mut self.connection).await?)
    }

    async fn columns(&mut self, table: &str) -> Result<Vec<Column>> {
        let found: Vec<(String, String)> = sqlx::query_as(
            "SELECT a.attname::text, format_type(a.atttypid, a.atttypmod) FROM pg_catalog.pg_attribute a
             WHERE a.attrelid = quote_ident($1)::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum",
        )
        .bind(table)
        .fetch_all(&mut self.connection)
        .await?;
        let column = |(name, declared): (String, String)| Column { name, kind: kind_of(&declared), declared };
        Ok(found.into_iter().map(column).collect())
    }

    async fn references_of(&mut self, table: &str) -> Result<Vec<Reference>> {
        let found: Vec<(String, String, String)> = sqlx::query_as(
            "SELECT a.attname::text, t.relname::text, k.attname::text
             FROM pg_catalog.pg_constraint c
             JOIN pg_catalog.pg_class t ON t.oid = c.confrelid
             CROSS JOIN LATERAL unnest(c.conkey, c.confkey) AS pair (here, there)
             JOIN pg_catalog.pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = pair.here
             JOIN pg_catalog.pg_attribute k ON k.attrelid = c.confrelid AND k.attnum = pair.there
             WHERE c.contype = 'f' AND c.conrelid = quote_ident($1)::regclass",
        )
        .bind(table)
        .fetch_all(&mut self.connection)
        .await?;
        Ok(found.into_iter().map(|(column, table, key)| Reference { column, table, key }).collect())
    }

    fn stream(&mut self, sql: String, kinds: Vec<Kind>) -> BoxStream<'_, Result<Row>> {
        let rows = sqlx::query(AssertSqlSafe(sql)).fetch(&mut self.connection);
        rows.map(move |row| Ok(read(&row?, kinds.iter().copied())?)).boxed()
    }
}

/// All other types are copied as text.
fn kind_of(declared: &str) -> Kind {
    match declared {
        "bigint" | "integer" | "smallint" | "boolean" => Kind::Integer,
        "double precision" | "real" => Kind::Real,
        "bytea" => Kind::Blob,
        _ => Kind::Text,
    }
}

/// SQL that reads a column as a value of its kind.
fn read_expression(column: &Column) -> String {
    let name = format!("\"{}\"", column.name);
    match (column.kind, column.declared.as_str()) {
        (Kind::Integer, "boolean") => format!("{name}::int4::int8"),
        (Kind::Integer, _) => format!("{name}::int8"),
        (Kind::Real, _) => format!("{name}::float8"),
        (Kind::Text, _) => format!("{name}::text"),
        (Kind::Blob, _) => name,
    }
}

/// SQL that converts a parameter of a column's kind to the column's type.
fn write_expression(number: usize, column: &Column) -> String {
    match column.declared.as_str() {
        "boolean" => format!("${number} <> 0"),
        declared => format!("${number}::{declared}"),
    }
}

#[async_trait]
impl Side for PostgresSide {
    async fn identity(&mut self) -> Result<String> {
        let identity = "SELECT concat_ws(' ', 'server', pg_postmaster_start_time(), oid, current_schema())
                        FROM pg_catalog.pg_database WHERE datname = current_database()";
        Ok(sqlx::query_scalar(identity).fetch_one(&mut self.connection).await?)
    }

    async fn catalogue(&mut self) -> Result<Vec<Table>> {
        let mut tables = Vec::new();
        for name in self.table_names().await? {
            let (columns, references) = (self.columns(&name).await?, self.references_of(&name).await?);
            tables.push(Table { name, columns, references });
        }
        Ok(tables)
    }

    async fn lease_owners(&mut self) -> Result<Vec<(String, String, i64)>> {
        Ok(sqlx::query_as(leases::LEASE_OWNERS).fetch_all(&mut self.connection).await?)
    }

    async fn rows_in(&mut self, table: &Table) -> Result<u64> {
        let sql = format!("SELECT count(*) FROM \"{}\"", table.name);
        let rows: i64 = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(&mut self.connection).await?;
        Ok(rows.unsigned_abs())
    }

    fn rows<'a>(&'a mut self, table: &'a Table) -> BoxStream<'a, Result<Row>> {
        let columns: Vec<String> = table.columns.iter().map(read_expression).collect();
        self.stream(format!("SELECT {} FROM \"{}\"", columns.join(", "), table.name), kinds(table))
    }

    fn references<'a>(&'a mut self, table: &'a Table, key: usize, column: usize) -> BoxStream<'a, Result<Row>> {
        let (key, column) = (&table.columns[key], &table.columns[column]);
        let sql = format!(
            "SELECT {}, {} FROM \"{}\" WHERE \"{}\" IS NOT NULL",
            read_expression(key),
            read_expression(column),
            table.name,
            column.name
        );
        self.stream(sql, vec![key.kind, column.kind])
    }

    async fn insert(&mut self, table: &Table, rows: Vec<Row>) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let values = placeholders(rows.len(), table.columns.len(), |number, column| {
            write_expression(number, &table.columns[column])
        });
        let sql = format!("INSERT INTO \"{}\" ({}) VALUES {values}", table.name, quoted(table));
        let arguments = arguments::<Postgres>(rows, &kinds(table))?;
        sqlx::query_with(AssertSqlSafe(sql), arguments).execute(&mut self.connection).await?;
        Ok(())
    }

    async fn link(&mut self, table: &Table, key: usize, column: usize, pairs: Vec<Row>) -> Result<()> {
        if pairs.is_empty() {
            return Ok(());
        }
        let sql = link(table, key, column, pairs.len());
        let arguments = arguments::<Postgres>(pairs, &[table.columns[key].kind, table.columns[column].kind])?;
        sqlx::query_with(AssertSqlSafe(sql), arguments).execute(&mut self.connection).await?;
        Ok(())
    }

    async fn commit(mut self: Box<Self>) -> Result<()> {
        sqlx::query("COMMIT").execute(&mut self.connection).await?;
        // Updates the planner's statistics of the tables, which the server itself would do only after a while.
        for name in self.table_names().await? {
            sqlx::query(AssertSqlSafe(format!("ANALYZE \"{name}\""))).execute(&mut self.connection).await?;
        }
        Ok(self.connection.close().await?)
    }
}
