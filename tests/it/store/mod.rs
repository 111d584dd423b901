//! The store's contract, on every database that keeps it: each function takes a `&dyn Store` and knows no SQL.

mod answers;
mod digests;
mod failpoints;
mod fetches;
mod items;
mod leases;
mod runs;
mod sources;
mod sqlite;
mod stories;
mod topics;
mod world;

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
    };
}
pub(crate) use on_every_database;
