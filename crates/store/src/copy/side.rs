//! One of the two databases of a copy: a connection with an open transaction.

use std::fmt::Write as _;

use async_trait::async_trait;
use futures::stream::BoxStream;

use super::Result;
use super::catalogue::Table;
use super::value::Row;

#[async_trait]
pub(super) trait Side: Send {
    /// Which database this is, however it was named.
    async fn identity(&mut self) -> Result<String>;
    async fn catalogue(&mut self) -> Result<Vec<Table>>;
    /// Topics that have a lease owner: name, owner, when the lease ends.
    async fn lease_owners(&mut self) -> Result<Vec<(String, String, i64)>>;
    async fn rows_in(&mut self, table: &Table) -> Result<u64>;
    /// All rows, in no order.
    fn rows<'a>(&'a mut self, table: &'a Table) -> BoxStream<'a, Result<Row>>;
    /// Pairs of two columns, where the second holds something.
    fn references<'a>(&'a mut self, table: &'a Table, key: usize, column: usize) -> BoxStream<'a, Result<Row>>;
    async fn insert(&mut self, table: &Table, rows: Vec<Row>) -> Result<()>;
    /// Sets the column of the rows with that key, by pairs of key and value.
    async fn link(&mut self, table: &Table, key: usize, column: usize, pairs: Vec<Row>) -> Result<()>;
    async fn commit(self: Box<Self>) -> Result<()>;
}

/// `"a", "b"`; in the catalogue's names is nothing that would end the quotes.
pub(super) fn quoted(table: &Table) -> String {
    let names: Vec<String> = table.columns.iter().map(|column| format!("\"{}\"", column.name)).collect();
    names.join(", ")
}

/// `($1, $2), ($3, $4)`, each parameter written as `place` says, by its number and its column.
pub(super) fn places(rows: usize, columns: usize, place: impl Fn(usize, usize) -> String) -> String {
    let mut text = String::new();
    for row in 0..rows {
        let places: Vec<String> = (0..columns).map(|column| place(row * columns + column + 1, column)).collect();
        let _ = write!(text, "{}({})", if row == 0 { "" } else { ", " }, places.join(", "));
    }
    text
}

/// The statement of [`Side::link`].
pub(super) fn link(table: &Table, key: usize, column: usize, pairs: usize) -> String {
    let (name, key, column) = (&table.name, &table.columns[key].name, &table.columns[column].name);
    let values = places(pairs, 2, |number, _| format!("${number}"));
    format!(
        "UPDATE \"{name}\" SET \"{column}\" = v.column2 FROM (VALUES {values}) AS v WHERE \"{name}\".\"{key}\" = v.column1"
    )
}
