//! Connects to the server and checks its identity, its version and its schema.

use std::str::FromStr;
use std::time::Duration;

use aha_core::database_url::DatabaseUrl;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, Connection, PgConnection};

use super::error::{self, LOCK_SECONDS, STATEMENT_SECONDS};
use crate::schema::{self, Applied, OpenMode, POSTGRES_MIGRATIONS, SchemaVersion};
use crate::{Result, StoreError};

/// The oldest server version that is still maintained and was tested, in the format of `server_version_num`.
const SERVER_NEEDED: i32 = 150_000;

/// How long a transaction may be idle: a frozen process must not keep its locks as long as its lease.
const STANDSTILL_SECONDS: u64 = 30;

/// Time limit of one connection attempt, and the pauses between the attempts.
pub(super) const CONNECT_SECONDS: u64 = 10;
const PAUSES_MS: [u64; 2] = [300, 1500];

const APPLICATION: &str = "aha-radar";

/// Prepared statements per connection: enough for all statements of the pages and the API.
const STATEMENTS: usize = 400;

/// Connection options, and a name that may be displayed.
#[derive(Debug, Clone)]
pub struct Server {
    pub(super) options: PgConnectOptions,
    /// Host, port and database, without user and password.
    pub(super) name: String,
}

impl Server {
    pub fn of(url: &str) -> Result<Self> {
        let unknown = DatabaseUrl::new(url).unknown_options();
        if !unknown.is_empty() {
            let reason = format!(
                "{} of the Postgres URL is not known and would have no effect; correct it (sslmode, sslrootcert, …), or \
                 leave it out",
                unknown.join(", ")
            );
            return Err(StoreError::InvalidUrl { reason });
        }
        let options = PgConnectOptions::from_str(url).map_err(|error| StoreError::InvalidUrl {
            reason: format!("{error}; write postgres://USER:PASSWORD@HOST:PORT/DATABASE"),
        })?;
        let place =
            options.get_socket().map_or_else(|| options.get_host().to_owned(), |path| path.display().to_string());
        let database = options.get_database().unwrap_or_else(|| options.get_username());
        let name = format!("{place}:{}, database {database}", options.get_port());
        let options = options
            .application_name(APPLICATION)
            .statement_cache_capacity(STATEMENTS)
            .options([
                ("statement_timeout", format!("{STATEMENT_SECONDS}s")),
                ("lock_timeout", format!("{LOCK_SECONDS}s")),
                ("idle_in_transaction_session_timeout", format!("{STANDSTILL_SECONDS}s")),
                // JIT compilation takes longer than running any of our statements.
                ("jit", "off".to_owned()),
                // Most pages are in memory or on a solid-state disk, so a page costs about the same wherever it is. With
                // the default of 4, made for hard disks, a search reads the whole table instead of the index of terms.
                ("random_page_cost", "1.1".to_owned()),
            ])
            .disable_statement_logging();
        Ok(Self { options, name })
    }

    /// Connects. Retries if the server is unreachable or full, because it may be starting.
    pub async fn connect(&self) -> Result<PgConnection> {
        for pause in PAUSES_MS {
            match self.try_connect().await {
                Err(StoreError::ServerAway { reason, .. }) => {
                    tracing::warn!(server = %self.name, reason, "the Postgres server cannot be reached; trying again");
                }
                Err(StoreError::ServerFull { .. }) => {
                    tracing::warn!(server = %self.name, "the Postgres server has no connection left; trying again");
                }
                outcome => return outcome,
            }
            tokio::time::sleep(Duration::from_millis(pause)).await;
        }
        self.try_connect().await
    }

    pub(super) async fn try_connect(&self) -> Result<PgConnection> {
        let connecting = tokio::time::timeout(Duration::from_secs(CONNECT_SECONDS), self.options.connect());
        match connecting.await {
            Ok(outcome) => outcome.map_err(|error| error::of_connecting(error, &self.name)),
            Err(_) => Err(StoreError::ServerAway {
                server: self.name.clone(),
                reason: format!("no answer in {CONNECT_SECONDS} s"),
            }),
        }
    }

    fn unfit(&self, reason: String) -> StoreError {
        StoreError::ServerUnfit { server: self.name.clone(), reason }
    }
}

/// Checks the server and migrates the database if needed.
pub async fn prepare(server: &Server, mode: OpenMode) -> Result<()> {
    let mut connection = server.connect().await?;
    let outcome = check_and_migrate(server, &mut connection, mode).await;
    close(connection).await;
    outcome
}

pub(super) async fn schema_version(server: &Server) -> Result<SchemaVersion> {
    let mut connection = server.connect().await?;
    let applied = applied_migrations(server, &mut connection).await;
    close(connection).await;
    Ok(schema::version(&applied?, &POSTGRES_MIGRATIONS))
}

async fn close(connection: PgConnection) {
    // Operations have already reported anything that could be lost; closing has nothing to add.
    let _ = connection.close().await;
}

async fn check_and_migrate(server: &Server, connection: &mut PgConnection, mode: OpenMode) -> Result<()> {
    check_server(server, connection).await?;
    let applied = applied_migrations(server, connection).await?;
    if applied.is_empty() && mode == OpenMode::MustExist {
        return Err(StoreError::Missing { path: server.name.clone() });
    }
    if !schema::is_pending(&applied, &POSTGRES_MIGRATIONS)? {
        return Ok(());
    }
    // sqlx takes an advisory lock and checks again under it, so that two processes that start together migrate once.
    POSTGRES_MIGRATIONS.run(&mut *connection).await.map_err(|error| {
        match schema::migration_error(error, &POSTGRES_MIGRATIONS) {
            StoreError::Database(error) => error::of_connecting(error, &server.name),
            other => other,
        }
    })?;
    schema::log_migrated(&applied, &POSTGRES_MIGRATIONS);
    Ok(())
}

async fn check_server(server: &Server, connection: &mut PgConnection) -> Result<()> {
    let (number, version, encoding): (i32, String, String) = sqlx::query_as(
        "SELECT current_setting('server_version_num')::int4, current_setting('server_version'),
                current_setting('server_encoding')",
    )
    .fetch_one(connection)
    .await?;
    check_version(number).map_err(|needed| {
        server.unfit(format!("it is version {version}, and {needed} or newer is needed: update the server"))
    })?;
    if encoding == "UTF8" {
        Ok(())
    } else {
        Err(server.unfit(format!("its database is encoded in {encoding}: make one with ENCODING 'UTF8'")))
    }
}

/// The error is the version needed.
fn check_version(number: i32) -> std::result::Result<(), i32> {
    if number < SERVER_NEEDED { Err(SERVER_NEEDED / 10_000) } else { Ok(()) }
}

/// Returns the applied migrations; empty for a database without tables.
async fn applied_migrations(server: &Server, connection: &mut PgConnection) -> Result<Applied> {
    let (schema, tables, ours): (Option<String>, i64, i64) = sqlx::query_as(
        "SELECT current_schema()::text, count(*), coalesce(sum(CASE WHEN tablename = '_sqlx_migrations' THEN 1 ELSE 0 END), 0)::int8
         FROM pg_catalog.pg_tables WHERE schemaname = current_schema()",
    )
    .fetch_one(&mut *connection)
    .await?;
    if schema.is_none() {
        let next = "create the schema that it names first, or name one that exists";
        return Err(server.unfit(format!("no schema of its search_path exists; {next}")));
    }
    if ours == 0 && tables > 0 {
        return Err(StoreError::NotADatabase {
            path: server.name.clone(),
            reason: "it holds the tables of another program; name a database of its own".to_owned(),
        });
    }
    if ours == 0 {
        return Ok(Vec::new());
    }
    Ok(sqlx::query_as(schema::APPLIED).fetch_all(connection).await?)
}

#[cfg(test)]
mod tests {
    use super::{Server, check_version};

    #[test]
    fn a_server_is_named_without_its_password() {
        let server = Server::of("postgres://me:secret@db.example:6543/aha").unwrap();
        assert_eq!(server.name, "db.example:6543, database aha");
        let socket = Server::of("postgres://me:secret@localhost/aha?host=/run/postgresql").unwrap();
        assert_eq!(socket.name, "/run/postgresql:5432, database aha");
        let bad = Server::of("postgres://me:secret@db.example:port/aha").unwrap_err();
        assert!(!format!("{bad} {bad:?}").contains("secret"), "{bad}");
    }

    #[test]
    fn sessions_have_limits_in_addition_to_the_urls_options() {
        let server = Server::of("postgres://db.example/aha?options=-csearch_path%3Daha").unwrap();
        let options = server.options.get_options().unwrap();
        for wanted in [
            "search_path=aha",
            "statement_timeout=60s",
            "lock_timeout=10s",
            "jit=off",
            "session_timeout=30s",
            "random_page_cost=1.1",
        ] {
            assert!(options.contains(wanted), "{options}");
        }
    }

    #[test]
    fn old_servers_are_refused() {
        assert_eq!(check_version(140_020), Err(15));
        assert_eq!(check_version(150_000), Ok(()));
        assert_eq!(check_version(180_001), Ok(()));
    }
}
