//! Converts errors of the Postgres server and of connections to it into [`StoreError`].

use std::io;

use sqlx::postgres::PgDatabaseError;

use crate::StoreError;

/// How long a statement, or a lock within it, may wait before the server aborts it.
pub(super) const STATEMENT_SECONDS: u64 = 60;
pub(super) const LOCK_SECONDS: u64 = 10;

/// SQLSTATE codes (postgresql.org/docs/current/errcodes-appendix.html).
mod code {
    pub(super) const CONNECTION: &str = "08";
    pub(super) const READ_ONLY: &str = "25006";
    pub(super) const IDLE_IN_TRANSACTION: &str = "25P03";
    pub(super) const NO_AUTHORIZATION: &str = "28";
    pub(super) const NO_DATABASE: &str = "3D000";
    pub(super) const NO_SCHEMA: &str = "3F000";
    pub(super) const NOT_ACCEPTING: &str = "55000";
    pub(super) const SERIALIZATION: &str = "40001";
    pub(super) const DEADLOCK: &str = "40P01";
    pub(super) const NO_PRIVILEGE: &str = "42501";
    pub(super) const TOO_MANY_CONNECTIONS: &str = "53300";
    pub(super) const DISK_FULL: &str = "53100";
    pub(super) const LOCK_TIMEOUT: &str = "55P03";
    pub(super) const STATEMENT_TIMEOUT: &str = "57014";
    pub(super) const STARTING_OR_ENDING: &str = "57P03";
    /// `admin_shutdown` and `crash_shutdown`: the server closed this connection.
    pub(super) const CUT: [&str; 2] = ["57P01", "57P02"];
}

/// Converts an error of an established connection.
pub fn of(error: sqlx::Error) -> StoreError {
    let Some(pg_error) = pg_error(&error) else {
        return match error {
            sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_) => {
                StoreError::ConnectionLost { reason: error.to_string() }
            }
            other => StoreError::Database(other),
        };
    };
    let reason = pg_error.message().to_owned();
    match pg_error.code() {
        code::SERIALIZATION | code::DEADLOCK => StoreError::Conflict { reason },
        code::LOCK_TIMEOUT => StoreError::Locked { waited_seconds: LOCK_SECONDS },
        code::STATEMENT_TIMEOUT => StoreError::TooSlow { waited_seconds: STATEMENT_SECONDS },
        code::DISK_FULL => StoreError::DiskFull,
        code::READ_ONLY => StoreError::ServerReadOnly,
        code::NO_PRIVILEGE => StoreError::NoRight { reason },
        code::IDLE_IN_TRANSACTION => StoreError::ConnectionLost { reason },
        other if code::CUT.contains(&other) || other.starts_with(code::CONNECTION) => {
            StoreError::ConnectionLost { reason }
        }
        _ => StoreError::Database(error),
    }
}

/// Converts an error of connecting to the server. `server` is its name without the password.
pub(super) fn of_connecting(error: sqlx::Error, server: &str) -> StoreError {
    let server = server.to_owned();
    let Some(pg_error) = pg_error(&error) else {
        return match error {
            sqlx::Error::Configuration(_) => StoreError::ServerUnfit { server, reason: error.to_string() },
            sqlx::Error::Tls(error) => StoreError::InvalidUrl { reason: tls_reason(&server, &error.to_string()) },
            // A certificate that does not pass.
            sqlx::Error::Io(error) if error.kind() == io::ErrorKind::InvalidData => {
                StoreError::InvalidUrl { reason: tls_reason(&server, &error.to_string()) }
            }
            sqlx::Error::Io(error) => StoreError::ServerAway { server, reason: error.to_string() },
            other => StoreError::ServerAway { server, reason: other.to_string() },
        };
    };
    let reason = pg_error.message().to_owned();
    match pg_error.code() {
        code::TOO_MANY_CONNECTIONS => StoreError::ServerFull { server, reason },
        code::STARTING_OR_ENDING => StoreError::ServerAway { server, reason },
        code::NO_DATABASE => {
            let reason = format!("{reason} (an administrator makes one with `createdb`)");
            StoreError::ServerRefuses { server, reason }
        }
        code::NO_SCHEMA => {
            let reason = format!("{reason}; create the schema that search_path names first, or name one that exists");
            StoreError::ServerUnfit { server, reason }
        }
        code::NOT_ACCEPTING => StoreError::ServerRefuses { server, reason },
        other if other.starts_with(code::NO_AUTHORIZATION) => StoreError::ServerRefuses { server, reason },
        other if code::CUT.contains(&other) || other.starts_with(code::CONNECTION) => {
            StoreError::ServerAway { server, reason }
        }
        _ => of(error),
    }
}

fn tls_reason(server: &str, error: &str) -> String {
    format!(
        "there is no TLS with the Postgres server at {server} as sslmode and sslrootcert in it demand ({error}); change \
         them, or the server's certificate"
    )
}

fn pg_error(error: &sqlx::Error) -> Option<&PgDatabaseError> {
    error.as_database_error().and_then(|error| error.try_downcast_ref())
}
