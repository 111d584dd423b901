//! One of the two databases of a copy: a connection with an open transaction.

use std::fmt::Write as _;

use async_trait::async_trait;
use futures::stream::BoxStream;

use super::Result;
use super::catalogue::Table;
use super::value::Row;

#[async_trait]
pub(super) trait Side: Send {
    /// Returns an identifier of this database that does not depend on the URL.
    async fn identity(&mut self) -> Result<String>;
    async fn catalogue(&mut self) -> Result<Vec<Table>>;
    /// Returns the topics that have a lease owner: name, owner, end of the lease.
    async fn lease_owners(&mut self) -> Result<Vec<(String, String, i64)>>;
    async fn rows_in(&mut self, table: &Table) -> Result<u64>;
    /// Returns all rows, in unspecified order.
    fn rows<'a>(&'a mut self, table: &'a Table) -> BoxStream<'a, Result<Row>>;
    /// Returns pairs of two columns' values, if the second is not NULL.
    fn references<'a>(&'a mut self, table: &'a Table, key: usize, column: usize) -> BoxStream<'a, Result<Row>>;
    async fn insert(&mut self, table: &Table, rows: Vec<Row>) -> Result<()>;
    /// Sets the column in the rows with the given keys. `pairs` are key and value.
    async fn link(&mut self, table: &Table, key: usize, column: usize, pairs: Vec<Row>) -> Result<()>;
    async fn commit(self: Box<Self>) -> Result<()>;
}

/// `"a", "b"`; names in the catalogue contain no quotes.
pub(super) fn quoted(table: &Table) -> String {
    let names: Vec<String> = table.columns.iter().map(|column| format!("\"{}\"", column.name)).collect();
    names.join(", ")
}

/// `($1, $2), ($3, $4)`; `placeholder` renders each parameter from its number and its column.
pub(super) fn placeholders(rows: usize, columns: usize, placeholder: impl Fn(usize, usize) -> String) -> String {
    let mut text = String::new();
    for row in 0..rows {
        let placeholders: Vec<String> =
            (0..columns).map(|column| placeholder(row * columns + column + 1, column)).collect();
        let _ = write!(text, "{}({})", if row == 0 { "" } else { ", " }, placeholders.join(", "));
    }
    text
}

/// The statement of [`Side::link`].
pub(super) fn link(table: &Table, key: usize, column: usize, pairs: usize) -> String {
    let (name, key, column) = (&table.name, &table.columns[key].name, &table.columns[column].name);
    let values = placeholders(pairs, 2, |number, _| format!("${number}"));
    format!(
        "UPDATE \"{name}\" SET \"{column}\" = v.column2 FROM (VALUES {values}) AS v WHERE \"{name}\".\"{key}\" = v.column1"
    )
}
