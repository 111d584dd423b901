//! A connection that breaks at a commit on Postgres: before the server has it, and after, when only its confirmation
//! is lost. SQLite's commit is a function call.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use aha_store::{OpenMode, Reservation, SharedStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::ledger::{DAY, call, limit};
use super::world::{FreshPostgres, World};

const COMMIT: &[u8] = b"COMMIT\0";

/// What happens to the next commit.
const PASSES: u8 = 0;
const IS_LOST: u8 = 1;
const CONFIRMATION_IS_LOST: u8 = 2;

/// Forwards connections to a database, and breaks one at its commit when asked to.
struct BreakingConnection {
    url: String,
    next_commit: Arc<AtomicU8>,
}

impl BreakingConnection {
    async fn to(url: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (user, server) = url.split_once('@').unwrap();
        let (server, database) = server.split_once('/').unwrap();
        let url = format!("{user}@{}/{database}", listener.local_addr().unwrap());
        let next_commit = Arc::new(AtomicU8::new(PASSES));
        let (server, fate) = (server.to_owned(), Arc::clone(&next_commit));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&server).await.unwrap();
                tokio::spawn(forward(client, server, Arc::clone(&fate)));
            }
        });
        Self { url, next_commit }
    }

    fn at_next_commit(&self, fate: u8) {
        self.next_commit.store(fate, Ordering::SeqCst);
    }
}

async fn forward(mut client: TcpStream, mut server: TcpStream, next_commit: Arc<AtomicU8>) {
    let (mut sent, mut received) = ([0; 8_192], [0; 8_192]);
    loop {
        tokio::select! {
            length = client.read(&mut sent) => {
                let Some(bytes) = length.ok().and_then(|length| sent.get(..length)).filter(|bytes| !bytes.is_empty())
                else { return };
                let is_commit = bytes.windows(COMMIT.len()).any(|window| window == COMMIT);
                let fate = if is_commit { next_commit.swap(PASSES, Ordering::SeqCst) } else { PASSES };
                if fate == IS_LOST || server.write_all(bytes).await.is_err() {
                    return;
                }
                if fate == CONFIRMATION_IS_LOST {
                    let confirmed = server.read(&mut received).await.unwrap();
                    assert!(confirmed > 0, "the server has committed");
                    return;
                }
            }
            length = server.read(&mut received) => {
                let Some(bytes) = length.ok().and_then(|length| received.get(..length)).filter(|bytes| !bytes.is_empty())
                else { return };
                if client.write_all(bytes).await.is_err() {
                    return;
                }
            }
        }
    }
}

/// Reserves two calls over a connection that breaks at the commit; returns what was counted as reserved.
async fn reserved_despite(fate: u8) -> i64 {
    let database = FreshPostgres::new().await;
    let world = World::new(&*database.store).await;
    let connection = BreakingConnection::to(&database.url).await;
    let store: SharedStore = aha_store::open(&connection.url, OpenMode::MustExist).await.unwrap();
    let calls = ["one", "two"].map(|name| call(&world, name, 10, &[limit(DAY, Some(20))]));
    connection.at_next_commit(fate);
    let reservation = store.reserve_together(Some(&world.lease), &calls).await.unwrap();
    assert_eq!(reservation, Reservation::Reserved);
    assert_eq!(connection.next_commit.load(Ordering::SeqCst), PASSES, "a connection was broken");
    let counters = store.counters(&[DAY.to_owned()]).await.unwrap();
    assert_eq!(counters[0].calls, 2);
    let reserved = counters[0].reserved_microcredits;
    drop(store);
    database.remove().await;
    reserved
}

#[tokio::test]
async fn a_reservation_whose_commit_is_lost_is_made_again() {
    assert_eq!(reserved_despite(IS_LOST).await, 20);
}

#[tokio::test]
async fn a_reservation_whose_confirmation_is_lost_is_counted_once() {
    assert_eq!(reserved_despite(CONFIRMATION_IS_LOST).await, 20);
}
