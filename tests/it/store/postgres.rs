//! What only Postgres has: a server to reach, and its refusals.

use aha_store::TopicStore;
use aha_store::{AnswerFeedback, OpenMode, PostgresStore, StoreError};
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::world::{FreshPostgres, World, at, item};
use crate::support::postgres;

async fn opening(url: &str) -> StoreError {
    aha_store::open(url, OpenMode::CreateIfMissing).await.unwrap_err()
}

async fn reopen(url: &str) -> Result<PostgresStore, StoreError> {
    PostgresStore::open(url, OpenMode::MustExist).await
}

/// The address with another user, and a password that must not be shown.
fn as_user(url: &str, user: &str) -> String {
    let mut url = url::Url::parse(url).unwrap();
    url.set_username(user).unwrap();
    url.set_password(Some("hidden-word")).unwrap();
    url.into()
}

#[tokio::test]
async fn an_empty_database_is_missing_or_migrated() {
    let url = postgres::empty_database().await;
    let missing = reopen(&url).await.unwrap_err();
    assert!(matches!(missing, StoreError::Missing { .. }), "{missing}");
    assert_eq!(PostgresStore::schema_version(&url).await.unwrap().applied, 0);
    let other_scheme = url.replacen("postgres:", "postgresql:", 1);
    let (a, b, c) = tokio::join!(
        PostgresStore::open(&url, OpenMode::CreateIfMissing),
        PostgresStore::open(&url, OpenMode::CreateIfMissing),
        aha_store::open(&other_scheme, OpenMode::CreateIfMissing)
    );
    a.unwrap().ensure_topic("default", at(0)).await.unwrap();
    assert_eq!(b.unwrap().topics().await.unwrap().len(), 1);
    assert_eq!(c.unwrap().topics().await.unwrap().len(), 1);
    reopen(&url).await.unwrap();
    postgres::remove(&url).await;
}

#[tokio::test]
async fn a_newer_a_changed_or_a_strangers_schema_is_refused() {
    let database = FreshPostgres::new().await;
    let version = PostgresStore::schema_version(&database.url).await.unwrap();
    assert_eq!((version.applied, &version.pending, version.changed), (version.known, &vec![], None));
    let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
                 VALUES (9000, 'from the future', TRUE, '', 0)";
    postgres::run(&database.url, newer).await;
    let error = reopen(&database.url).await.unwrap_err();
    assert!(matches!(error, StoreError::NewerSchema { found: 9000, .. }), "{error}");
    let changed = "DELETE FROM _sqlx_migrations WHERE version = 9000; UPDATE _sqlx_migrations SET checksum = ''";
    postgres::run(&database.url, changed).await;
    let error = reopen(&database.url).await.unwrap_err();
    assert!(matches!(error, StoreError::ChangedSchema { version: 1 }), "{error}");
    database.remove().await;

    let stranger = postgres::empty_database().await;
    postgres::run(&stranger, "CREATE TABLE bookmarks (url TEXT)").await;
    let error = opening(&stranger).await;
    assert!(matches!(&error, StoreError::NotADatabase { reason, .. } if reason.contains("another program")), "{error}");
    postgres::remove(&stranger).await;
}

#[tokio::test]
async fn feedback_on_answers_stays_when_long_questions_become_possible() {
    let database = FreshPostgres::new().await;
    let feedback = AnswerFeedback {
        user: "owner".to_owned(),
        question: "Who rows?".to_owned(),
        answer: Some("Ann does.".to_owned()),
        is_right: true,
        given_at: at(1),
    };
    database.store.put_answer_feedback(&feedback).await.unwrap();
    let earlier = "DROP INDEX answer_feedback_unique; ALTER TABLE answer_feedback ADD PRIMARY KEY (user_id, question);
                   DELETE FROM _sqlx_migrations WHERE version >= 31";
    postgres::run(&database.url, earlier).await;
    let migrated = aha_store::open(&database.url, OpenMode::CreateIfMissing).await.unwrap();
    let changed = AnswerFeedback { is_right: false, ..feedback };
    migrated.put_answer_feedback(&changed).await.unwrap();
    assert_eq!(migrated.answer_feedback().await.unwrap(), [changed]);
    drop(migrated);
    database.remove().await;
}

#[tokio::test]
async fn a_server_that_is_away_is_named_with_host_and_port() {
    let error = opening("postgres://me:hidden-word@127.0.0.1:1/aha").await;
    assert!(matches!(&error, StoreError::ServerAway { server, .. } if server.starts_with("127.0.0.1:1,")), "{error}");
    assert!(!format!("{error} {error:?}").contains("hidden-word"));
    let error = opening("postgres://me:hidden-word@127.0.0.1:no/aha").await;
    assert!(matches!(error, StoreError::InvalidUrl { .. }), "{error}");
    assert!(!format!("{error} {error:?}").contains("hidden-word"));
}

#[tokio::test]
async fn a_server_that_refuses_says_why() {
    let url = postgres::empty_database().await;
    let server = postgres::server_url();
    let make = "DO $$ BEGIN CREATE ROLE with_password LOGIN PASSWORD 'another'; EXCEPTION WHEN duplicate_object THEN NULL; END $$";
    postgres::run(&server, make).await;
    for refused in [as_user(&url, "with_password"), as_user(&url, "nobody_at_all"), postgres::url_of("aha_no_such")] {
        let error = opening(&refused).await;
        assert!(matches!(error, StoreError::ServerRefuses { .. }), "{error}");
        assert!(!format!("{error} {error:?}").contains("hidden-word"), "{error}");
    }
    postgres::remove(&url).await;
}

#[tokio::test]
async fn a_missing_schema_and_missing_tls_are_named_with_what_to_do() {
    let url = postgres::empty_database().await;
    let with = |option: &str| {
        let mut url = url::Url::parse(&url).unwrap();
        url.set_query(Some(option));
        String::from(url)
    };
    let error = opening(&with("options=-csearch_path%3Dmissing")).await;
    assert!(matches!(error, StoreError::ServerUnfit { .. }), "{error}");
    assert!(error.to_string().contains("create the schema"), "{error}");
    let error = opening(&with("sslmode=verify-full")).await;
    assert!(matches!(&error, StoreError::InvalidUrl { reason } if reason.contains("sslmode")), "{error}");
    postgres::remove(&url).await;
}

#[tokio::test]
async fn another_encoding_is_refused() {
    let url = postgres::url_of(&format!("aha_latin_{}", std::process::id()));
    let name = url.rsplit('/').next().unwrap();
    let make = format!("CREATE DATABASE {name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
    postgres::run(&postgres::server_url(), &make).await;
    let error = opening(&url).await;
    assert!(matches!(&error, StoreError::ServerUnfit { reason, .. } if reason.contains("LATIN1")), "{error}");
    postgres::remove(&url).await;
}

#[tokio::test]
async fn a_server_out_of_connections_is_said_to_be() {
    let database = FreshPostgres::new().await;
    let role = format!("aha_crowded_{}", std::process::id());
    let make = format!("CREATE ROLE {role} LOGIN CONNECTION LIMIT 0; GRANT ALL ON SCHEMA public TO {role}");
    postgres::run(&database.url, &make).await;
    let error = opening(&as_user(&database.url, &role)).await;
    assert!(matches!(&error, StoreError::ServerFull { .. }), "{error}");
    postgres::run(&database.url, &format!("DROP OWNED BY {role}; DROP ROLE {role}")).await;
    database.remove().await;
}

#[tokio::test]
async fn a_standby_is_read_and_refuses_writing() {
    let database = FreshPostgres::new().await;
    let topic = database.store.ensure_topic("default", at(0)).await.unwrap();
    let reading = format!("{}?options=-cdefault_transaction_read_only%3Don", database.url);
    let reading = reopen(&reading).await.unwrap();
    assert_eq!(reading.topics().await.unwrap(), [topic]);
    let error = reading.ensure_topic("another", at(0)).await.unwrap_err();
    assert!(matches!(error, StoreError::ServerReadOnly), "{error}");
    database.remove().await;
}

#[tokio::test]
async fn connections_that_were_cut_are_made_anew() {
    let database = FreshPostgres::new().await;
    let world = World::new(&*database.store).await;
    let name = database.url.rsplit('/').next().unwrap();
    let cut = format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}' AND application_name = 'aha-radar'"
    );
    postgres::run(&postgres::server_url(), &cut).await;
    world.with_items(&*database.store, &[item("a", 1)]).await;
    assert_eq!(database.store.unassigned_items(world.topic.id, at(24)).await.unwrap().len(), 1);
    database.remove().await;
}

#[tokio::test]
async fn sessions_carry_a_name() {
    let database = FreshPostgres::new().await;
    let name = database.url.rsplit('/').next().unwrap();
    database.store.topics().await.unwrap();
    let mut other = PgConnection::connect(&database.url).await.unwrap();
    let sql =
        format!("SELECT count(*) FROM pg_stat_activity WHERE datname = '{name}' AND application_name = 'aha-radar'");
    let ours: i64 = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(&mut other).await.unwrap();
    assert!(ours >= 1, "the connection that migrated may not be closed yet");
    other.close().await.unwrap();
    database.remove().await;
}

/// Something between us and the server, such as a network; gone when it is dropped.
async fn network(to: &str) -> (String, JoinSet<()>) {
    let mut url = url::Url::parse(to).unwrap();
    let server = (url.host_str().unwrap().to_owned(), url.port().unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    url.set_port(Some(listener.local_addr().unwrap().port())).unwrap();
    let mut network = JoinSet::new();
    network.spawn(async move {
        let mut connections = JoinSet::new();
        loop {
            let (mut here, _) = listener.accept().await.unwrap();
            let mut there = TcpStream::connect(&server).await.unwrap();
            connections.spawn(async move {
                let _ = tokio::io::copy_bidirectional(&mut here, &mut there).await;
            });
        }
    });
    (url.into(), network)
}

#[tokio::test]
async fn a_server_that_goes_away_is_named() {
    let database = FreshPostgres::new().await;
    let (url, between) = network(&database.url).await;
    let store = reopen(&url).await.unwrap();
    store.ensure_topic("default", at(0)).await.unwrap();
    drop(between);
    let error = store.topics().await.unwrap_err();
    let address = url::Url::parse(&url).unwrap();
    let place = format!("127.0.0.1:{}, ", address.port().unwrap());
    assert!(matches!(&error, StoreError::ServerAway { server, .. } if server.starts_with(&place)), "{error}");
    database.remove().await;
}
