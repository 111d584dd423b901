//! The values of a statement's parameters, bound one after the other by their types, for one statement or for a batch of them.

use sqlx::error::BoxDynError;
use sqlx::query::Query;
use sqlx::{Arguments, Encode, IntoArguments, Type};

use crate::Result;

/// What a table's `bind_…` functions take and give. `A` is the database's kind of arguments.
#[derive(Debug, Default)]
pub(crate) struct Values<A> {
    arguments: A,
    /// The first error in encoding a value, reported when the statement is made.
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

    /// A statement with these parameters.
    pub(crate) fn query(self, statement: &'static str) -> Result<Query<'static, A::Database, A>> {
        Ok(sqlx::query_with(statement, self.into_arguments()?))
    }
}
