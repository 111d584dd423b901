//! A database of its own for each test, on the server that `scripts/postgres.sh` starts.

use std::sync::atomic::{AtomicU32, Ordering};

use aha_store::{OpenMode, PostgresStore};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use tokio::sync::Mutex;

const SERVER: &str = "AHA_TEST_POSTGRES_URL";

/// The migrated database that the others are copies of, once it is made. The lock also keeps copies apart: the server
/// refuses to copy a database that somebody is connected to.
static TEMPLATE: Mutex<Option<String>> = Mutex::const_new(None);

static MADE: AtomicU32 = AtomicU32::new(0);

/// The address of the server's own database, to make others from.
pub fn server_url() -> String {
    std::env::var(SERVER).ok().filter(|url| !url.is_empty()).unwrap_or_else(|| {
        panic!("{SERVER} is not set: the store's tests run on Postgres too; run `bash scripts/test.sh`, or one test with `bash scripts/postgres.sh cargo test NAME`")
    })
}

/// The address of another database on the same server.
pub fn url_of(database: &str) -> String {
    let mut url = url::Url::parse(&server_url()).unwrap();
    url.set_path(database);
    url.into()
}

/// What a user of the server does, beside the store.
pub async fn run(url: &str, sql: &str) {
    let mut connection = PgConnection::connect(url).await.unwrap();
    connection.execute(AssertSqlSafe(sql)).await.unwrap();
    connection.close().await.unwrap();
}

fn new_name(kind: &str) -> String {
    format!("aha_{kind}_{}_{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed))
}

/// An empty database, not migrated. Its address.
pub async fn empty_database() -> String {
    let name = new_name("empty");
    run(&server_url(), &format!("CREATE DATABASE {name}")).await;
    url_of(&name)
}

/// A migrated database. Its address.
pub async fn fresh_database() -> String {
    let mut template = TEMPLATE.lock().await;
    if template.is_none() {
        let name = new_name("template");
        run(&server_url(), &format!("CREATE DATABASE {name}")).await;
        PostgresStore::open(&url_of(&name), OpenMode::CreateIfMissing).await.unwrap().close().await;
        *template = Some(name);
    }
    let (name, template) = (new_name("test"), template.as_deref().unwrap());
    run(&server_url(), &format!("CREATE DATABASE {name} TEMPLATE {template}")).await;
    url_of(&name)
}

/// Takes a database away, also from those who are connected to it.
pub async fn remove(url: &str) {
    let name = url::Url::parse(url).unwrap().path().trim_start_matches('/').to_owned();
    run(&server_url(), &format!("DROP DATABASE {name} WITH (FORCE)")).await;
}
