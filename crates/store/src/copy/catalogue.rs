//! Descriptions of tables, as read from a database's catalogue.

use super::{CopyError, Result};

/// Created and maintained by the migrations.
pub(super) const MIGRATIONS_TABLE: &str = "_sqlx_migrations";

#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) name: String,
    pub(super) columns: Vec<Column>,
    pub(super) references: Vec<Reference>,
}

#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// The type as the database declares it.
    pub(super) declared: String,
}

/// Value kinds that both databases support.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    Real,
    Text,
    Blob,
}

/// A foreign key's column.
#[derive(Debug, Clone)]
pub(super) struct Reference {
    pub(super) column: String,
    pub(super) table: String,
    /// The column it refers to in that table.
    pub(super) key: String,
}

impl Table {
    /// Returns the index of each column that refers to a row of the same table, with the index of the column it refers
    /// to.
    pub(super) fn references_to_itself(&self) -> impl Iterator<Item = (usize, usize)> {
        let index_of = |name: &str| self.columns.iter().position(|column| column.name == name);
        let own = self.references.iter().filter(|reference| reference.table == self.name);
        own.filter_map(move |reference| index_of(&reference.column).zip(index_of(&reference.key)))
    }

    /// Returns the table of that name in another database, with its columns in this table's order.
    pub(super) fn counterpart(&self, others: &[Self]) -> Result<Self> {
        let differ = |what: String| CopyError::Schemas(what);
        let found = others.iter().find(|other| other.name == self.name);
        let other = found.ok_or_else(|| differ(format!("the target has no table {}", self.name)))?;
        if other.columns.len() != self.columns.len() {
            return Err(differ(format!("table {} has other columns", self.name)));
        }
        let column = |expected: &Column| {
            let found =
                other.columns.iter().find(|column| column.name == expected.name && column.kind == expected.kind);
            found.cloned().ok_or_else(|| differ(format!("column {}.{} is another one", self.name, expected.name)))
        };
        let columns = self.columns.iter().map(column).collect::<Result<_>>()?;
        Ok(Self { columns, ..other.clone() })
    }
}

/// Orders tables so that each comes after those it refers to.
pub(super) fn in_order(mut remaining: Vec<Table>) -> Result<Vec<Table>> {
    remaining.sort_by(|a, b| a.name.cmp(&b.name));
    let mut ordered: Vec<Table> = Vec::new();
    while !remaining.is_empty() {
        let is_ready = |table: &Table| {
            let mut others = table.references.iter().filter(|reference| reference.table != table.name);
            others.all(|reference| ordered.iter().any(|done| done.name == reference.table))
        };
        let Some(next) = remaining.iter().position(is_ready) else {
            let names: Vec<&str> = remaining.iter().map(|table| table.name.as_str()).collect();
            return Err(CopyError::Schemas(format!("{} refer to one another in a circle", names.join(", "))));
        };
        ordered.push(remaining.remove(next));
    }
    Ok(ordered)
}

#[cfg(test)]
mod tests {
    use super::{Reference, Table, in_order};

    fn table(name: &str, others: &[&str]) -> Table {
        let reference =
            |other: &&str| Reference { column: "a".to_owned(), table: (*other).to_owned(), key: "id".to_owned() };
        Table { name: name.to_owned(), columns: Vec::new(), references: others.iter().map(reference).collect() }
    }

    #[test]
    fn a_table_comes_after_those_it_refers_to() {
        let tables = vec![table("a", &["c"]), table("b", &["a", "b"]), table("c", &[])];
        let names: Vec<String> = in_order(tables).unwrap().into_iter().map(|table| table.name).collect();
        assert_eq!(names, ["c", "a", "b"]);
        assert!(in_order(vec![table("a", &["b"]), table("b", &["a"])]).is_err());
    }
}
