//! Kills a process around a commit: what was not committed is gone, what was is there, and the next process goes on.

use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use aha_store::{OpenMode, Store};

use super::on_the_rows_of_every_database;
use super::world::{World, at, item};

const DATABASE: &str = "AHA_TEST_KILLED_DATABASE";

/// The process that is killed.
#[tokio::test]
#[ignore = "the tests below start it, in a process of its own"]
async fn killed_process() {
    let url = std::env::var(DATABASE).expect("the tests below start this one");
    let store = aha_store::open(&url, OpenMode::MustExist).await.unwrap();
    let world = World::new(&*store).await;
    for (number, key) in (0..).zip(["a", "b"]) {
        store.commit_fetch(&world.lease, &world.look(number, world.first, &[item(key, 1)])).await.unwrap();
    }
}

/// Items that are there after a process was killed at that point.
async fn items_after_kill_at(failpoint: &str, store: &dyn Store, url: &str) -> usize {
    const SIGKILL: i32 = 9;
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--ignored", "--exact", "store::failpoints::killed_process"]).env(DATABASE, url);
    let output = child.env("AHA_FAILPOINT", failpoint).output().unwrap();
    assert_eq!(output.status.signal(), Some(SIGKILL), "{output:?}");
    let topic = store.ensure_topic("default", at(0)).await.unwrap();
    store.unassigned_items(topic.id, at(24)).await.unwrap().len()
}

async fn a_kill_before_the_commit_leaves_nothing_of_it(store: &dyn Store, url: &str) {
    assert_eq!(items_after_kill_at("commit_fetch.before_commit", store, url).await, 0);
}

async fn a_kill_before_the_second_commit_leaves_the_first(store: &dyn Store, url: &str) {
    assert_eq!(items_after_kill_at("commit_fetch.before_commit:2", store, url).await, 1);
}

async fn a_kill_after_the_commit_leaves_all_of_it(store: &dyn Store, url: &str) {
    assert_eq!(items_after_kill_at("commit_fetch.after_commit", store, url).await, 1);
}

on_the_rows_of_every_database!(
    a_kill_before_the_commit_leaves_nothing_of_it,
    a_kill_before_the_second_commit_leaves_the_first,
    a_kill_after_the_commit_leaves_all_of_it,
);
