//! A process that is killed, stopped, doubled or cut off from its database: the next one ends up where an undisturbed
//! one would have. Each test runs on both databases.
//!
//! `scripts/kill.sh` runs the tests that go by rounds with many more of them, and adds up what they report.

pub mod comparison;
mod faults;
mod harness;
mod losses;
mod paid;
mod points;
mod processes;
mod random_kills;

/// Runs each of a file's functions on either kind of database.
macro_rules! on_both_databases {
    ($($name:ident),+ $(,)?) => {
        mod on_sqlite {
            $(
                #[test]
                fn $name() {
                    super::$name($crate::support::radar::Engine::Sqlite);
                }
            )+
        }
        mod on_postgres {
            $(
                #[test]
                fn $name() {
                    super::$name($crate::support::radar::Engine::Postgres);
                }
            )+
        }
    };
}
pub(crate) use on_both_databases;
