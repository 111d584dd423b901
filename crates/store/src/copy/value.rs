//! Values exchanged between the two databases, and the hash of many rows.

use std::fmt;

use sha2::{Digest as _, Sha256};
use sqlx::{Arguments, ColumnIndex, Database, Decode, Encode, Type};

use super::catalogue::{Kind, Table};
use crate::{Result, StoreError};

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

pub(super) type Row = Vec<Value>;

/// Approximate size in memory, in bytes.
pub(super) fn size_of(row: &Row) -> usize {
    let size = |value: &Value| match value {
        Value::Text(text) => text.len(),
        Value::Blob(bytes) => bytes.len(),
        Value::Null | Value::Integer(_) | Value::Real(_) => 8,
    };
    row.iter().map(size).sum()
}

/// Reads a row whose columns are in the table's order.
pub(super) fn read<R>(row: &R, kinds: impl Iterator<Item = Kind>) -> Result<Row>
where
    R: sqlx::Row,
    usize: ColumnIndex<R>,
    for<'r> i64: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> f64: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> String: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> Vec<u8>: Decode<'r, R::Database> + Type<R::Database>,
{
    let value = |(index, kind)| {
        Ok(match kind {
            Kind::Integer => row.try_get::<Option<i64>, _>(index)?.map_or(Value::Null, Value::Integer),
            Kind::Real => row.try_get::<Option<f64>, _>(index)?.map_or(Value::Null, Value::Real),
            Kind::Text => row.try_get::<Option<String>, _>(index)?.map_or(Value::Null, Value::Text),
            Kind::Blob => row.try_get::<Option<Vec<u8>>, _>(index)?.map_or(Value::Null, Value::Blob),
        })
    };
    kinds.enumerate().map(value).collect()
}

/// Flattens rows into the parameters of a statement, row by row.
pub(super) fn arguments<DB>(rows: Vec<Row>, kinds: &[Kind]) -> Result<DB::Arguments>
where
    DB: Database,
    for<'q> Option<i64>: Encode<'q, DB> + Type<DB>,
    for<'q> Option<f64>: Encode<'q, DB> + Type<DB>,
    for<'q> Option<String>: Encode<'q, DB> + Type<DB>,
    for<'q> Option<Vec<u8>>: Encode<'q, DB> + Type<DB>,
{
    let mut arguments = DB::Arguments::default();
    for (value, kind) in rows.into_iter().flat_map(|row| row.into_iter().zip(kinds)) {
        match (value, kind) {
            (Value::Integer(number), _) => arguments.add(Some(number)),
            (Value::Real(number), _) => arguments.add(Some(number)),
            (Value::Text(text), _) => arguments.add(Some(text)),
            (Value::Blob(bytes), _) => arguments.add(Some(bytes)),
            (Value::Null, Kind::Integer) => arguments.add(None::<i64>),
            (Value::Null, Kind::Real) => arguments.add(None::<f64>),
            (Value::Null, Kind::Text) => arguments.add(None::<String>),
            (Value::Null, Kind::Blob) => arguments.add(None::<Vec<u8>>),
        }
        .map_err(|error| StoreError::Database(sqlx::Error::Encode(error)))?;
    }
    Ok(arguments)
}

pub(super) fn kinds(table: &Table) -> Vec<Kind> {
    table.columns.iter().map(|column| column.kind).collect()
}

/// Order-independent hash of any number of rows: the sum of their SHA-256, in four parts that each wrap on overflow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Hash([u64; 4]);

impl Hash {
    pub(super) fn add(&mut self, row: &Row) {
        let mut hasher = Sha256::new();
        for value in row {
            let (kind, bytes): (u8, &[u8]) = match value {
                Value::Null => (0, &[]),
                Value::Integer(number) => (1, &number.to_be_bytes()),
                // SQLite stores -0.0 as 0.0.
                Value::Real(number) => (2, &(number + 0.0).to_bits().to_be_bytes()),
                Value::Text(text) => (3, text.as_bytes()),
                Value::Blob(bytes) => (4, bytes),
            };
            hasher.update([kind]);
            hasher.update((bytes.len() as u64).to_be_bytes());
            hasher.update(bytes);
        }
        for (part, bytes) in self.0.iter_mut().zip(hasher.finalize().chunks_exact(8)) {
            *part = part.wrapping_add(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)));
        }
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|part| write!(f, "{part:016x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::{Hash, Value};

    fn hash(rows: &[Vec<Value>]) -> String {
        let mut hash = Hash::default();
        for row in rows {
            hash.add(row);
        }
        hash.to_string()
    }

    #[test]
    fn the_hash_ignores_only_the_order() {
        let text = |text: &str| Value::Text(text.to_owned());
        let (a, b) = (vec![text("a"), Value::Null], vec![Value::Integer(1), text("")]);
        assert_eq!(hash(&[a.clone(), b.clone()]), hash(&[b.clone(), a.clone()]));
        let others = [
            vec![a.clone(), a.clone()],
            vec![a.clone()],
            vec![a.clone(), vec![Value::Integer(1), Value::Null]],
            vec![a.clone(), vec![Value::Real(1.0), text("")]],
            vec![vec![text(""), text("a")], b.clone()],
        ];
        let whole = hash(&[a, b]);
        assert!(others.iter().all(|other| hash(other) != whole));
        assert_eq!(hash(&[vec![Value::Real(-0.0)]]), hash(&[vec![Value::Real(0.0)]]), "SQLite knows one zero");
    }
}
