//! The store's contract, on every database that keeps it: each function takes a `&dyn Store` and knows no SQL.

mod accounts;
mod answers;
mod contention;
mod digests;
mod failpoints;
mod feedback;
mod fetches;
mod grouped_ledger_writes;
mod items;
mod late_settlements;
mod leases;
mod ledger;
mod lists;
mod lost_confirmation;
mod planner;
mod postgres;
mod retention;
mod rows;
mod runs;
mod search;
mod sources;
mod spending;
mod sqlite;
mod statements;
mod stories;
mod topics;
mod world;
mod writers;

/// Runs each of a file's functions on a fresh database of every kind.
macro_rules! on_every_database {
    ($($name:ident),+ $(,)?) => {
        mod on_sqlite {
            $(
                #[tokio::test]
                async fn $name() {
                    let database = crate::store::world::FreshSqlite::new().await;
                    super::$name(&*database.store).await;
                }
            )+
        }
        mod on_postgres {
            $(
                #[tokio::test]
                async fn $name() {
                    let database = crate::store::world::FreshPostgres::new().await;
                    super::$name(&*database.store).await;
                    database.remove().await;
                }
            )+
        }
    };
}
pub(crate) use on_every_database;

/// The same for functions that also take the database's URL, to look at its rows behind the store's back.
macro_rules! on_the_rows_of_every_database {
    ($($name:ident),+ $(,)?) => {
        mod on_sqlite {
            $(
                #[tokio::test]
                async fn $name() {
                    let database = crate::store::world::FreshSqlite::new().await;
                    super::$name(&*database.store, &database.url).await;
                }
            )+
        }
        mod on_postgres {
            $(
                #[tokio::test]
                async fn $name() {
                    let database = crate::store::world::FreshPostgres::new().await;
                    super::$name(&*database.store, &database.url).await;
                    database.remove().await;
                }
            )+
        }
    };
}
pub(crate) use on_the_rows_of_every_database;
