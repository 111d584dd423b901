//! Tables as a database describes them.

use super::{CopyError, Result};

/// Belongs to the migrations, which make it.
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
    /// The type in the database's own words.
    pub(super) declared: String,
}

/// What both databases can keep.
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
    /// The column it names there.
    pub(super) key: String,
}

impl Table {
    /// Places of a column that refers to a row of the same table, and of the column it refers by.
    pub(super) fn references_to_itself(&self) -> impl Iterator<Item = (usize, usize)> {
        let place = |name: &str| self.columns.iter().position(|column| column.name == name);
        let own = self.references.iter().filter(|reference| reference.table == self.name);
        own.filter_map(move |reference| place(&reference.column).zip(place(&reference.key)))
    }

    /// The table of that name in another database, its columns in this one's order.
    pub(super) fn counterpart(&self, others: &[Self]) -> Result<Self> {
        let differ = |what: String| CopyError::Schemas(what);
        let found = others.iter().find(|other| other.name == self.name);
        let other = found.ok_or_else(|| differ(format!("the target has no table {}", self.name)))?;
        if other.columns.len() != self.columns.len() {
            return Err(differ(format!("table {} has other columns", self.name)));
        }
        let column = |wanted: &Column| {
            let found = other.columns.iter().find(|column| column.name == wanted.name && column.kind == wanted.kind);
            found.cloned().ok_or_else(|| differ(format!("column {}.{} is another one", self.name, wanted.name)))
        };
        let columns = self.columns.iter().map(column).collect::<Result<_>>()?;
        Ok(Self { columns, ..other.clone() })
    }
}

/// Each table after those it refers to.
pub(super) fn in_order(mut left: Vec<Table>) -> Result<Vec<Table>> {
    left.sort_by(|a, b| a.name.cmp(&b.name));
    let mut ordered: Vec<Table> = Vec::new();
    while !left.is_empty() {
        let is_ready = |table: &Table| {
            let mut others = table.references.iter().filter(|reference| reference.table != table.name);
            others.all(|reference| ordered.iter().any(|done| done.name == reference.table))
        };
        let Some(next) = left.iter().position(is_ready) else {
            let names: Vec<&str> = left.iter().map(|table| table.name.as_str()).collect();
            return Err(CopyError::Schemas(format!("{} refer to one another in a circle", names.join(", "))));
        };
        ordered.push(left.remove(next));
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
