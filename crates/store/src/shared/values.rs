//! Parameter values of a statement or of a batch of statements, bound one after the other by type.

use sqlx::error::BoxDynError;
use sqlx::query::Query;
use sqlx::{Arguments, Encode, IntoArguments, Type};

use crate::Result;

/// Argument and result of a table's `bind_…` functions. `A` is the database's arguments type.
#[derive(Debug, Default)]
pub(crate) struct Values<A> {
    arguments: A,
    /// The first encoding error, reported when the statement is built.
    error: Option<BoxDynError>,
}

impl<A: Arguments + IntoArguments<A::Database>> Values<A> {
    /// Binds the next parameter.
    pub(crate) fn bind<'v, T: Encode<'v, A::Database> + Type<A::Database>>(mut self, value: T) -> Self {
        if let Err(error) = self.arguments.add(value) {
            self.error.get_or_insert(error);
        }
        self
    }

    pub(crate) fn len(&self) -> usize {
        self.arguments.len()
    }

    pub(crate) fn into_arguments(self) -> sqlx::Result<A> {
        match self.error {
            Some(error) => Err(sqlx::Error::Encode(error)),
            None => Ok(self.arguments),
        }
    }

    /// Builds a statement with these parameters.
    pub(crate) fn query(self, statement: &'static str) -> Result<Query<'static, A::Database, A>> {
        Ok(sqlx::query_with(statement, self.into_arguments()?))
    }
}
