//! Copies a database: every row of one into another, empty one of either kind, compared before it is committed.
//!
//! Input: two URLs. Output: row counts and hashes by table. Called by `aha-radar copy`. Tables, columns and their order
//! are read from the catalogue, so tables of later migrations are copied without changes here. The source is read in
//! one snapshot. The target is written in one transaction, so a copy that is killed leaves it empty.

mod catalogue;
mod error;
mod postgres;
mod side;
mod sqlite;
mod value;

use serde::Serialize;

use self::catalogue::{Table, in_order};
pub use self::error::CopyError;
use aha_core::time::Timestamp;

use self::postgres::PostgresSide;
use self::side::Side;
use self::sqlite::SqliteSide;
use self::value::{Hash, Row, Value, size_of};
use super::shared::hit;
use super::{Kind, latest_lease_end};

pub type Result<T> = std::result::Result<T, CopyError>;

/// Maximum number of rows, and of their bytes, that one statement writes.
const BATCH_ROWS: usize = 500;
const BATCH_BYTES: usize = 4 << 20;

/// Columns that name the process running a topic. They are cleared in the copy, where no process runs it.
const LEASE_COLUMNS: [&str; 2] = ["lease_holder", "lease_expires_at"];

/// Source, target and callbacks of a copy.
pub struct CopyRequest<'a> {
    pub from: &'a str,
    pub to: &'a str,
    pub wall: Timestamp,
    /// Whether the owner of a lease is a process of this machine that has ended.
    pub is_dead: fn(&str) -> bool,
    /// Called with the progress: table, rows so far, total rows.
    pub progress: &'a (dyn Fn(&str, u64, u64) + Send + Sync),
}

impl std::fmt::Debug for CopyRequest<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CopyRequest").field("wall", &self.wall).finish_non_exhaustive()
    }
}

/// A copied table; the rows read from the source equal those written to the target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CopiedTable {
    pub table: String,
    pub rows: u64,
    /// Order-independent hash of all rows, in hex; computed from the rows read from the source and from those read
    /// back from the target.
    pub hash: String,
}

/// Copies all rows and compares them.
///
/// # Errors
/// [`CopyError`]; the target is then left without rows.
pub async fn copy(request: &CopyRequest<'_>) -> Result<Vec<CopiedTable>> {
    let mut source = open_source(request.from).await?;
    refuse_during_run(&mut *source, request).await?;
    let source_identity = source.identity().await?;
    let mut target = open_target(request.to, &source_identity).await.map_err(CopyError::of_target)?;
    let tables = in_order(source.catalogue().await?)?;
    let target_tables = target.catalogue().await.map_err(CopyError::of_target)?;
    let pairs =
        tables.iter().map(|table| Ok((table, table.counterpart(&target_tables)?))).collect::<Result<Vec<_>>>()?;
    refuse_unless_empty(&mut *target, &target_tables).await.map_err(CopyError::of_target)?;
    let mut read = Vec::new();
    for (table, counterpart) in &pairs {
        read.push(copy_table(&mut *source, &mut *target, table, counterpart, request).await?);
    }
    drop(source);
    let mut copied = Vec::new();
    for ((table, counterpart), (rows, hash)) in pairs.iter().zip(read) {
        (request.progress)(&format!("{} compared", table.name), rows, rows);
        let written = count(&mut *target, counterpart).await.map_err(CopyError::of_target)?;
        if written != (rows, hash) {
            return Err(CopyError::Different { table: table.name.clone(), read: rows, written: written.0 });
        }
        copied.push(CopiedTable { table: table.name.clone(), rows, hash: hash.to_string() });
    }
    hit("copy", "before_commit");
    target.commit().await.map_err(CopyError::of_target)?;
    hit("copy", "after_commit");
    Ok(copied)
}

/// Refuses to copy during a run, because an unfinished run would be incomplete in the copy.
async fn refuse_during_run(source: &mut dyn Side, request: &CopyRequest<'_>) -> Result<()> {
    for (topic, owner, expires_at) in source.lease_owners().await? {
        let expires_at = Timestamp::from_millis(expires_at);
        let is_held = expires_at > request.wall && expires_at <= latest_lease_end(request.wall);
        if is_held && !(request.is_dead)(&owner) {
            return Err(CopyError::TopicRunning { topic, owner, expires_at });
        }
    }
    Ok(())
}

async fn refuse_unless_empty(target: &mut dyn Side, tables: &[Table]) -> Result<()> {
    let mut found = Vec::new();
    for table in tables {
        let rows = target.rows_in(table).await?;
        if rows > 0 {
            found.push(format!("{} {rows}", table.name));
        }
    }
    if found.is_empty() { Ok(()) } else { Err(CopyError::NotEmpty { found: found.join(", ") }) }
}

/// Copies a table and returns the number of rows read and their hash. References of a table to itself are first written
/// as NULL, because the referenced row may come later.
async fn copy_table(
    source: &mut dyn Side,
    target: &mut dyn Side,
    table: &Table,
    counterpart: &Table,
    request: &CopyRequest<'_>,
) -> Result<(u64, Hash)> {
    let all = source.rows_in(table).await?;
    let own: Vec<usize> = table.references_to_itself().map(|(column, _)| column).collect();
    let (mut rows, mut hash, mut batch) = (0, Hash::default(), Batch::of(table));
    let mut reading = source.rows(table);
    while let Some(row) = futures::StreamExt::next(&mut reading).await {
        let mut row = without_lease(table, row?);
        hash.add(&row);
        for column in &own {
            row[*column] = Value::Null;
        }
        rows += 1;
        if batch.push(row) {
            target.insert(counterpart, batch.take()).await.map_err(CopyError::of_target)?;
            (request.progress)(&table.name, rows, all);
        }
    }
    drop(reading);
    target.insert(counterpart, batch.take()).await.map_err(CopyError::of_target)?;
    for (column, key) in table.references_to_itself() {
        link(source, target, table, counterpart, column, key).await?;
    }
    (request.progress)(&table.name, rows, all);
    Ok((rows, hash))
}

/// Fills in a reference of a table to itself, once all its rows are written.
async fn link(
    source: &mut dyn Side,
    target: &mut dyn Side,
    table: &Table,
    counterpart: &Table,
    column: usize,
    key: usize,
) -> Result<()> {
    let mut batch = Batch::of(table);
    let mut reading = source.references(table, key, column);
    while let Some(pair) = futures::StreamExt::next(&mut reading).await {
        if batch.push(pair?) {
            target.link(counterpart, key, column, batch.take()).await.map_err(CopyError::of_target)?;
        }
    }
    target.link(counterpart, key, column, batch.take()).await.map_err(CopyError::of_target)
}

async fn count(side: &mut dyn Side, table: &Table) -> Result<(u64, Hash)> {
    let (mut rows, mut hash) = (0, Hash::default());
    let mut reading = side.rows(table);
    while let Some(row) = futures::StreamExt::next(&mut reading).await {
        hash.add(&row?);
        rows += 1;
    }
    Ok((rows, hash))
}

fn without_lease(table: &Table, mut row: Row) -> Row {
    if table.name == "topics" {
        for (value, column) in row.iter_mut().zip(&table.columns) {
            if LEASE_COLUMNS.contains(&column.name.as_str()) {
                *value = Value::Null;
            }
        }
    }
    row
}

/// Rows waiting to be written in one statement.
struct Batch {
    rows: Vec<Row>,
    bytes: usize,
    max_rows: usize,
}

impl Batch {
    /// Maximum number of parameters in a statement on both databases; SQLite has the lower limit.
    const PARAMETERS: usize = 30_000;

    fn of(table: &Table) -> Self {
        Self { rows: Vec::new(), bytes: 0, max_rows: BATCH_ROWS.min(Self::PARAMETERS / table.columns.len().max(1)) }
    }

    /// Adds a row. Returns true if the batch is full.
    fn push(&mut self, row: Row) -> bool {
        self.bytes += size_of(&row);
        self.rows.push(row);
        self.rows.len() >= self.max_rows || self.bytes >= BATCH_BYTES
    }

    fn take(&mut self) -> Vec<Row> {
        self.bytes = 0;
        std::mem::take(&mut self.rows)
    }
}

/// Opens the source in a snapshot that does not change while it is read.
async fn open_source(url: &str) -> Result<Box<dyn Side>> {
    Ok(match Kind::of(url)? {
        Kind::Sqlite => Box::new(SqliteSide::source(url).await?),
        Kind::Postgres => Box::new(PostgresSide::source(url).await?),
    })
}

/// Migrates the target and opens it in a transaction that excludes other writers.
async fn open_target(url: &str, source: &str) -> Result<Box<dyn Side>> {
    let mut target: Box<dyn Side> = match Kind::of(url)? {
        Kind::Sqlite if SqliteSide::identity_of(url).is_some_and(|target| target == source) => {
            return Err(CopyError::SameDatabase);
        }
        Kind::Sqlite => Box::new(SqliteSide::target(url).await?),
        Kind::Postgres => Box::new(PostgresSide::target(url, source).await?),
    };
    if target.identity().await? == source { Err(CopyError::SameDatabase) } else { Ok(target) }
}
