//! A SQLite file as one side of a copy.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use futures::StreamExt as _;
use futures::stream::BoxStream;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Sqlite, SqliteConnection};

use super::catalogue::{Column, Kind, MIGRATIONS_TABLE, Reference, Table};
use super::side::{Side, link, placeholders, quoted};
use super::value::{Row, arguments, kinds, read};
use super::{CopyError, Result};
use crate::schema::OpenMode;
use crate::sqlite::leases;
use crate::sqlite::open;

pub(super) struct SqliteSide {
    connection: SqliteConnection,
    file: PathBuf,
}

impl SqliteSide {
    pub(super) async fn source(url: &str) -> Result<Self> {
        let mut side = Self::connect(open::prepare(url, OpenMode::MustExist).await?).await?;
        sqlx::query("BEGIN").execute(&mut side.connection).await?;
        // The snapshot is taken by the first read, not by BEGIN.
        sqlx::query("SELECT count(*) FROM topics").fetch_one(&mut side.connection).await?;
        Ok(side)
    }

    pub(super) async fn target(url: &str) -> Result<Self> {
        let mut side = Self::connect(open::prepare(url, OpenMode::CreateIfMissing).await?).await?;
        sqlx::query("BEGIN IMMEDIATE").execute(&mut side.connection).await?;
        Ok(side)
    }

    async fn connect(options: SqliteConnectOptions) -> Result<Self> {
        let file = options.get_filename().to_path_buf();
        Ok(Self { connection: options.connect().await?, file })
    }

    /// [`Side::identity`] without opening or creating the file; `None` if the file does not exist.
    pub(super) fn identity_of(url: &str) -> Option<String> {
        let options: SqliteConnectOptions = url.parse().ok()?;
        identity(options.get_filename())
    }

    async fn columns(&mut self, table: &str) -> Result<Vec<Column>> {
        let found: Vec<(String, String)> = sqlx::query_as("SELECT name, type FROM pragma_table_info($1) ORDER BY cid")
            .bind(table)
            .fetch_all(&mut self.connection)
            .await?;
        let column = |(name, declared): (String, String)| {
            let kind = match declared.as_str() {
                "INTEGER" | "INT" => Kind::Integer,
                "REAL" => Kind::Real,
                "TEXT" => Kind::Text,
                "BLOB" => Kind::Blob,
                _ => return Err(CopyError::Schemas(format!("{table}.{name} is of the type {declared}"))),
            };
            Ok(Column { name, kind, declared })
        };
        found.into_iter().map(column).collect()
    }

    async fn references_of(&mut self, table: &str) -> Result<Vec<Reference>> {
        let found: Vec<(String, String, String)> =
            sqlx::query_as("SELECT \"from\", \"table\", \"to\" FROM pragma_foreign_key_list($1)")
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

fn identity(file: &Path) -> Option<String> {
    Some(format!("file {}", file.canonicalize().ok()?.display()))
}

#[async_trait]
impl Side for SqliteSide {
    async fn identity(&mut self) -> Result<String> {
        Ok(identity(&self.file).unwrap_or_default())
    }

    async fn catalogue(&mut self) -> Result<Vec<Table>> {
        let names: Vec<String> = sqlx::query_scalar(
            "SELECT name FROM sqlite_schema
             WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' AND name NOT LIKE 'search!_%' ESCAPE '!'
               AND name <> $1 ORDER BY name",
        )
        .bind(MIGRATIONS_TABLE)
        .fetch_all(&mut self.connection)
        .await?;
        let mut tables = Vec::new();
        for name in names {
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
        self.stream(format!("SELECT {} FROM \"{}\"", quoted(table), table.name), kinds(table))
    }

    fn references<'a>(&'a mut self, table: &'a Table, key: usize, column: usize) -> BoxStream<'a, Result<Row>> {
        let (key, column) = (&table.columns[key], &table.columns[column]);
        let sql = format!(
            "SELECT \"{}\", \"{}\" FROM \"{}\" WHERE \"{}\" IS NOT NULL",
            key.name, column.name, table.name, column.name
        );
        self.stream(sql, vec![key.kind, column.kind])
    }

    async fn insert(&mut self, table: &Table, rows: Vec<Row>) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let values = placeholders(rows.len(), table.columns.len(), |number, _| format!("${number}"));
        let sql = format!("INSERT INTO \"{}\" ({}) VALUES {values}", table.name, quoted(table));
        let arguments = arguments::<Sqlite>(rows, &kinds(table))?;
        sqlx::query_with(AssertSqlSafe(sql), arguments).execute(&mut self.connection).await?;
        Ok(())
    }

    async fn link(&mut self, table: &Table, key: usize, column: usize, pairs: Vec<Row>) -> Result<()> {
        if pairs.is_empty() {
            return Ok(());
        }
        let sql = link(table, key, column, pairs.len());
        let arguments = arguments::<Sqlite>(pairs, &[table.columns[key].kind, table.columns[column].kind])?;
        sqlx::query_with(AssertSqlSafe(sql), arguments).execute(&mut self.connection).await?;
        Ok(())
    }

    async fn commit(mut self: Box<Self>) -> Result<()> {
        sqlx::query("COMMIT").execute(&mut self.connection).await?;
        // Updates the statistics by which SQLite chooses among indexes.
        sqlx::query("PRAGMA optimize = 0x10002").execute(&mut self.connection).await?;
        Ok(self.connection.close().await?)
    }
}
