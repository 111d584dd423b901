//! What only SQLite has: the file, its locks, its rights and its schema.

use std::io::BufRead as _;
use std::path::{Path, PathBuf};

use aha_store::{OpenMode, RetryAdvice, SqliteStore, Store, StoreError, TopicStore};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{Connection, Executor};

use super::world::{FreshSqlite, World, at, item};

/// SQLite's own size of a page.
const PAGE_BYTES: usize = 4096;

fn path(database: &FreshSqlite) -> PathBuf {
    database.folder.path().join("aha-radar.db")
}

async fn raw(database: &FreshSqlite) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(path(database)).create_if_missing(true);
    SqliteConnection::connect_with(&options).await.unwrap()
}

async fn alter(database: &FreshSqlite, sql: &'static str) {
    raw(database).await.execute(sql).await.unwrap();
}

async fn reopen(database: &FreshSqlite) -> Result<SqliteStore, StoreError> {
    SqliteStore::open(&database.url, OpenMode::MustExist).await
}

/// A folder with a file of that content where the database should be.
async fn opening_a_file_of(content: &[u8]) -> StoreError {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.txt");
    std::fs::write(&file, content).unwrap();
    let error =
        SqliteStore::open(&format!("sqlite://{}", file.display()), OpenMode::CreateIfMissing).await.unwrap_err();
    assert_eq!(std::fs::read(&file).unwrap(), content, "a stranger's file is left alone");
    error
}

#[tokio::test]
async fn rows_survive_a_reopening_and_nothing_is_written_by_it() {
    let database = FreshSqlite::new().await;
    let world = World::new(&*database.store).await;
    world.with_items(&*database.store, &[item("a", 1)]).await;
    let mut watching = raw(&database).await;
    let before = data_version(&mut watching).await;
    let again = aha_store::open(&database.url, OpenMode::CreateIfMissing).await.unwrap();
    assert_eq!(again.unassigned_items(world.topic.id, at(24)).await.unwrap().len(), 1);
    again.ensure_topic("default", at(30)).await.unwrap();
    assert_eq!(data_version(&mut watching).await, before);
    again.ensure_topic("another", at(30)).await.unwrap();
    assert_ne!(data_version(&mut watching).await, before, "a write would have been noticed");
}

/// Changes with every commit of another connection.
async fn data_version(connection: &mut SqliteConnection) -> i64 {
    sqlx::query_scalar("PRAGMA data_version").fetch_one(connection).await.unwrap()
}

#[tokio::test]
async fn the_log_is_folded_into_the_file_while_it_is_written() {
    let database = FreshSqlite::new().await;
    let mut log = path(&database).into_os_string();
    log.push("-wal");
    let mut longest = 0;
    for number in 0..3000 {
        database.store.ensure_topic(&format!("topic {number}"), at(30)).await.unwrap();
        longest = longest.max(std::fs::metadata(&log).unwrap().len());
    }
    // Without it they would make three times that.
    assert!(longest < 24 << 20, "{longest} bytes");
}

#[tokio::test]
async fn the_file_is_set_up_for_one_writer_and_many_readers() {
    let database = FreshSqlite::new().await;
    let mut connection = raw(&database).await;
    let mode: String = sqlx::query_scalar("PRAGMA journal_mode").fetch_one(&mut connection).await.unwrap();
    assert_eq!(mode, "wal");
    let version: String = sqlx::query_scalar("SELECT sqlite_version()").fetch_one(&mut connection).await.unwrap();
    let parts: Vec<u32> = version.split('.').map(|part| part.parse().unwrap()).collect();
    assert!(parts >= vec![3, 51, 3], "{version}");
}

#[tokio::test]
async fn a_missing_file_is_missing_or_made() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("new.db").display());
    assert!(matches!(SqliteStore::open(&url, OpenMode::MustExist).await, Err(StoreError::Missing { .. })));
    assert_eq!(SqliteStore::schema_version(&url).await.unwrap().applied, 0);
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none());
    SqliteStore::open(&url, OpenMode::CreateIfMissing).await.unwrap();
    SqliteStore::open(&url, OpenMode::MustExist).await.unwrap();
}

#[tokio::test]
async fn an_empty_file_is_missing_or_filled() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("empty.db");
    std::fs::write(&file, "").unwrap();
    let url = format!("sqlite://{}", file.display());
    assert!(matches!(SqliteStore::open(&url, OpenMode::MustExist).await, Err(StoreError::Missing { .. })));
    assert_eq!(SqliteStore::schema_version(&url).await.unwrap().applied, 0);
    assert_eq!(std::fs::metadata(&file).unwrap().len(), 0);
    SqliteStore::open(&url, OpenMode::CreateIfMissing).await.unwrap();
    SqliteStore::open(&url, OpenMode::MustExist).await.unwrap();
}

#[tokio::test]
async fn a_file_that_is_removed_or_replaced_is_neither_read_nor_written() {
    let database = FreshSqlite::new().await;
    let topic = database.store.ensure_topic("default", at(0)).await.unwrap();
    let (file, aside) = (path(&database), database.folder.path().join("aside.db"));
    let refuses = async || {
        let read = database.store.topics().await.unwrap_err();
        let written = database.store.set_next_run(topic.id, Some(at(1))).await.unwrap_err();
        let settled = database.store.settle_calls(&[]).await.unwrap_err();
        for error in [read, written, settled] {
            let is_meant = matches!(&error, StoreError::CannotOpen { reason, .. } if reason.contains("removed"));
            assert!(is_meant, "{error}");
        }
    };
    std::fs::rename(&file, &aside).unwrap();
    refuses().await;
    assert!(!file.exists(), "no empty file takes its place");
    std::fs::write(&file, "another file").unwrap();
    refuses().await;
    std::fs::rename(&aside, &file).unwrap();
    database.store.set_next_run(topic.id, Some(at(1))).await.unwrap();
}

#[tokio::test]
async fn a_damaged_file_is_to_be_restored() {
    let FreshSqlite { store, url, folder } = FreshSqlite::new().await;
    drop(store);
    settle(folder.path()).await;
    let file = folder.path().join("aha-radar.db");
    let mut content = std::fs::read(&file).unwrap();
    // All but the header, which tells what kind of file it is.
    content[100..].fill(0xff);
    std::fs::write(&file, content).unwrap();
    let error = SqliteStore::open(&url, OpenMode::MustExist).await.unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
    assert!(error.to_string().contains("restore the latest backup"), "{error}");
}

#[tokio::test]
async fn a_damaged_page_is_to_be_restored_whatever_reads_it() {
    let database = FreshSqlite::new().await;
    database.store.ensure_topic("default", at(0)).await.unwrap();
    let root = sqlx::query_scalar("SELECT rootpage FROM sqlite_schema WHERE name = 'topics'");
    let root: i64 = root.fetch_one(&mut raw(&database).await).await.unwrap();
    let (file, end) = (path(&database), usize::try_from(root).unwrap() * PAGE_BYTES);
    let FreshSqlite { store, url, folder } = database;
    drop(store);
    settle(folder.path()).await;
    let mut content = std::fs::read(&file).unwrap();
    content[end - PAGE_BYTES..end].fill(0xff);
    std::fs::write(&file, content).unwrap();
    let store = SqliteStore::open(&url, OpenMode::MustExist).await.unwrap();
    let error = store.topics().await.unwrap_err();
    assert!(error.to_string().contains("restore the latest backup"), "{error}");
    assert_eq!(error.retry_advice(), RetryAdvice::NeedsPerson);
}

/// A link that leads nowhere takes the place of the index that connections share, whoever this user is.
#[tokio::test]
async fn who_may_write_the_folder_does_not_open_the_file_for_reading_only() {
    let FreshSqlite { store, url, folder } = FreshSqlite::new().await;
    drop(store);
    settle(folder.path()).await;
    let index = folder.path().join("aha-radar.db-shm");
    std::os::unix::fs::symlink("nowhere", &index).unwrap();
    let error = SqliteStore::open(&url, OpenMode::MustExist).await.unwrap_err();
    assert!(matches!(error, StoreError::CannotOpen { .. }), "{error}");
    std::fs::remove_file(&index).unwrap();
    let store = SqliteStore::open(&url, OpenMode::MustExist).await.unwrap();
    store.ensure_topic("default", at(0)).await.unwrap();
}

#[tokio::test]
async fn what_cannot_be_opened_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let opening = async |path: &Path| {
        let url = format!("sqlite://{}", path.display());
        SqliteStore::open(&url, OpenMode::CreateIfMissing).await.unwrap_err()
    };
    let error = opening(&folder.path().join("no/such/folder/a.db")).await;
    assert!(matches!(&error, StoreError::CannotOpen { reason, .. } if reason.contains("does not exist")), "{error}");
    let error = opening(folder.path()).await;
    assert!(matches!(&error, StoreError::CannotOpen { reason, .. } if reason.contains("folder")), "{error}");
    for url in ["sqlite::memory:", "sqlite://", "aha-radar.db"] {
        let error = aha_store::open(url, OpenMode::CreateIfMissing).await.unwrap_err();
        assert!(matches!(error, StoreError::InvalidUrl { .. }), "{url}: {error}");
    }
}

#[tokio::test]
async fn another_kind_of_database_is_refused_without_its_password() {
    let url = "mysql://me:secret@db.example/aha";
    let error = aha_store::open(url, OpenMode::MustExist).await.unwrap_err();
    assert!(matches!(&error, StoreError::UnsupportedDatabase { scheme } if scheme == "mysql"));
    assert!(!format!("{error} {error:?}").contains("secret"));
}

#[tokio::test]
async fn a_strangers_file_is_not_touched() {
    let error = opening_a_file_of(b"just some notes, and quite a few of them").await;
    assert!(matches!(error, StoreError::NotADatabase { .. }), "{error}");

    let stranger = FreshSqlite::new().await;
    std::fs::remove_file(path(&stranger)).unwrap();
    alter(&stranger, "CREATE TABLE bookmarks (url TEXT)").await;
    let error = reopen(&stranger).await.unwrap_err();
    assert!(matches!(&error, StoreError::NotADatabase { reason, .. } if reason.contains("another program")), "{error}");
}

#[tokio::test]
async fn a_newer_or_a_changed_schema_is_refused() {
    let database = FreshSqlite::new().await;
    let version = SqliteStore::schema_version(&database.url).await.unwrap();
    assert_eq!((version.applied, &version.pending, version.changed), (version.known, &vec![], None));
    alter(
        &database,
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (9000, 'from the future', TRUE, x'00', 0)",
    )
    .await;
    let newer = reopen(&database).await.unwrap_err();
    assert!(matches!(newer, StoreError::NewerSchema { found: 9000, known } if known == version.known), "{newer}");
    assert_eq!(SqliteStore::schema_version(&database.url).await.unwrap().applied, 9000);
    alter(&database, "DELETE FROM _sqlx_migrations WHERE version = 9000").await;
    alter(&database, "UPDATE _sqlx_migrations SET checksum = x'00' WHERE version = 1").await;
    let changed = reopen(&database).await.unwrap_err();
    assert!(matches!(changed, StoreError::ChangedSchema { version: 1 }), "{changed}");
}

#[tokio::test]
async fn processes_that_start_together_make_one_database() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("new.db").display());
    let opening = || SqliteStore::open(&url, OpenMode::CreateIfMissing);
    let (a, b, c, d) = tokio::join!(opening(), opening(), opening(), opening());
    for store in [a, b, c, d] {
        store.unwrap().ensure_topic("default", at(0)).await.unwrap();
    }
}

#[tokio::test]
async fn a_lock_that_stays_is_named_when_opening() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("locked.db");
    let options = SqliteConnectOptions::new().filename(&file).create_if_missing(true);
    let mut other = SqliteConnection::connect_with(&options).await.unwrap();
    other.execute("BEGIN EXCLUSIVE").await.unwrap();
    let url = format!("sqlite://{}", file.display());
    let error = SqliteStore::open(&url, OpenMode::CreateIfMissing).await.unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
}

#[tokio::test]
async fn a_lock_that_stays_is_named_when_writing_and_does_not_hinder_reading() {
    let database = FreshSqlite::new().await;
    let mut other = raw(&database).await;
    other.execute("BEGIN IMMEDIATE").await.unwrap();
    assert_eq!(database.store.topic("default").await.unwrap(), None);
    let error = database.store.ensure_topic("default", at(0)).await.unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    assert_eq!(database.store.last_write_failure().unwrap().reason, error.to_string());
    other.execute("ROLLBACK").await.unwrap();
    database.store.ensure_topic("default", at(0)).await.unwrap();
    assert_eq!(database.store.last_write_failure(), None);
}

/// Holds for every user, root too, who may write any file.
#[tokio::test]
async fn a_database_opened_for_reading_reads_and_refuses_writing() {
    let database = FreshSqlite::new().await;
    World::new(&*database.store).await;
    let reading = SqliteStore::open(&format!("{}?mode=ro", database.url), OpenMode::MustExist).await.unwrap();
    reads_and_refuses_writing(&reading).await;
}

#[tokio::test]
async fn a_file_without_the_right_to_write_is_still_read() {
    for folder_too in [false, true] {
        let database = FreshSqlite::new().await;
        World::new(&*database.store).await;
        reopen(&database).await.unwrap().close().await;
        let FreshSqlite { store, url, folder } = database;
        let closing = store.topics().await.unwrap();
        assert_eq!(closing.len(), 1);
        drop(store);
        settle(folder.path()).await;
        protect(folder.path(), folder_too, true);
        if may_write_anything(folder.path()) {
            // Rights do not hold for root: another user reads it, in a process of its own.
            read_as_nobody(folder.path(), &url);
        } else {
            reads_and_refuses_writing(&SqliteStore::open(&url, OpenMode::MustExist).await.unwrap()).await;
        }
        protect(folder.path(), folder_too, false);
    }
}

const PROTECTED: &str = "AHA_TEST_PROTECTED_DATABASE";
const NOBODY: u32 = 65_534;

#[tokio::test]
#[ignore = "the test above starts it, as another user"]
async fn reads_what_it_may_not_write() {
    let url = std::env::var(PROTECTED).expect("the test above starts this one");
    reads_and_refuses_writing(&SqliteStore::open(&url, OpenMode::MustExist).await.unwrap()).await;
}

/// Runs the test above as a user for whom rights hold.
#[track_caller]
fn read_as_nobody(folder: &Path, url: &str) {
    use std::os::unix::fs::chown;
    for path in [folder, &folder.join("aha-radar.db")] {
        chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    let read = as_nobody("reads_what_it_may_not_write", url).output().unwrap();
    let said = String::from_utf8_lossy(&read.stdout);
    assert!(read.status.success() && said.contains("1 passed"), "{read:?}");
}

/// An ignored test of this file, in a process of that user.
fn as_nobody(test: &str, url: &str) -> std::process::Command {
    use std::os::unix::process::CommandExt as _;
    // This program itself: folders above it may be closed to others.
    let mut other = std::process::Command::new("/proc/self/exe");
    other.args(["--ignored", "--exact", "--nocapture", &format!("store::sqlite::{test}")]).env(PROTECTED, url);
    other.uid(NOBODY).gid(NOBODY).current_dir("/");
    other
}

/// What a user who may write the database writes is seen by one who may not, and who opened it before.
#[tokio::test]
async fn what_others_write_is_read_without_the_right_to_write() {
    let FreshSqlite { store, url, folder } = FreshSqlite::new().await;
    drop(store);
    settle(folder.path()).await;
    protect(folder.path(), true, true);
    if may_write_anything(folder.path()) {
        protect(folder.path(), true, false);
        let mut other =
            as_nobody("reads_what_others_write", &url).stdout(std::process::Stdio::piped()).spawn().unwrap();
        let mut said = std::io::BufReader::new(other.stdout.take().unwrap()).lines().map(Result::unwrap);
        assert!(said.by_ref().any(|line| line.contains(OPENED)));
        let writing = SqliteStore::open(&url, OpenMode::MustExist).await.unwrap();
        writing.ensure_topic("default", at(0)).await.unwrap();
        let rest: Vec<String> = said.collect();
        assert!(other.wait().unwrap().success(), "{rest:?}");
    } else {
        let reading = SqliteStore::open(&url, OpenMode::MustExist).await.unwrap();
        assert!(reading.topics().await.unwrap().is_empty());
        protect(folder.path(), true, false);
        let writing = SqliteStore::open(&url, OpenMode::MustExist).await.unwrap();
        writing.ensure_topic("default", at(0)).await.unwrap();
        assert_eq!(reading.topics().await.unwrap().len(), 1);
    }
}

const OPENED: &str = "THE DATABASE IS OPEN";

#[tokio::test]
#[ignore = "the test above starts it, as another user"]
async fn reads_what_others_write() {
    let url = std::env::var(PROTECTED).expect("the test above starts this one");
    let store = SqliteStore::open(&url, OpenMode::MustExist).await.unwrap();
    assert!(store.topics().await.unwrap().is_empty());
    println!("{OPENED}");
    for _ in 0..500 {
        if !store.topics().await.unwrap().is_empty() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("the topic that another user added is not seen");
}

async fn reads_and_refuses_writing(store: &dyn Store) {
    let topic = store.ensure_topic("default", at(0)).await.unwrap();
    assert_eq!(store.sources(topic.id).await.unwrap().len(), 2);
    let error = store.set_next_run(topic.id, Some(at(1))).await.unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly), "{error}");
}

/// Waits until the last connection has folded its log into the file.
async fn settle(folder: &Path) {
    for _ in 0..100 {
        if !folder.join("aha-radar.db-wal").exists() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

fn protect(folder: &Path, folder_too: bool, on: bool) {
    use std::os::unix::fs::PermissionsExt;
    let set = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    if folder_too {
        set(folder, if on { 0o555 } else { 0o755 });
    }
    set(&folder.join("aha-radar.db"), if on { 0o444 } else { 0o644 });
}

/// Whether this user (root) is above file rights.
fn may_write_anything(folder: &Path) -> bool {
    std::fs::OpenOptions::new().append(true).open(folder.join("aha-radar.db")).is_ok()
}
