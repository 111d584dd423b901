//! What the gateway adds to a call: beside a bare request to the same server in the same run.
//!
//! `cargo bench --bench gateway`. Each way makes the same number of calls, 16 at a time and one at a time, to a server
//! in this process: to one that always answers after 50 ms, so that calls begun together come back together, to one
//! that takes from 40 to 60 ms, as real ones do, and to one that answers at once, which tells how many calls a second
//! there can be. The server's own time is taken off. Then 640 calls of 200 ms, 32 at a time, beside the time that these
//! would take with nothing in between.
//!
//! The ledger is on SQLite, and on an empty Postgres database too where `AHA_TEST_POSTGRES_URL` names one:
//! `scripts/postgres.sh cargo bench --bench gateway`.
//!
//! Beside a proxy that stands in front of the same server: `scripts/bench/overhead.sh`, see `proxy`.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark prints, and a failure ends it")]

mod calls;
mod proxy;
mod server;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use calls::{Load, app, app_on, at, bare, of_settings, with_ledger, without_ledger};
use server::{Pace, serve};

/// Calls, and how many of them at once.
const LOADS: [(usize, usize); 2] = [(2_000, 16), (200, 1)];
const USUAL: Duration = Duration::from_millis(50);
const SPREAD: f64 = 0.2;

const SLOW_CALLS: usize = 640;
const SLOW_AT_ONCE: usize = 32;
const SLOW: Duration = Duration::from_millis(200);

#[tokio::main]
async fn main() -> ExitCode {
    if let Some(proxy) = proxy::Proxy::of_environment() {
        return proxy.compare(USUAL).await;
    }
    let paces = [Pace::always(USUAL), Pace { usual: USUAL, spread: SPREAD }, Pace::always(Duration::ZERO)];
    for (count, at_once) in LOADS {
        for pace in paces {
            compare(Load { first: 0, count, at_once, pace }).await;
        }
    }
    slow_calls().await;
    ExitCode::SUCCESS
}

async fn compare(load: Load) {
    let base = serve("127.0.0.1:0", load.pace).await;
    let folder = tempfile::tempdir().unwrap();
    let app = app(&of_settings(&base), folder.path()).await;
    let plain = bare(&app, None, load).await;
    let mut ways = vec![
        ("without the ledger", without_ledger(&app, load).await),
        ("with the ledger (SQLite)", with_ledger(&app, load).await),
    ];
    if let Ok(postgres) = std::env::var("AHA_TEST_POSTGRES_URL") {
        let app = app_on(&of_settings(&base), &postgres).await;
        ways.push(("with the ledger (Postgres)", with_ledger(&app, load).await));
    }
    let Load { count, at_once, pace, .. } = load;
    let (ms, percent) = (pace.usual.as_millis(), pace.spread * 100.0);
    println!(
        "{count} calls, {at_once} at once, each about one story, answered after {ms} ms, more or less by {percent} %"
    );
    println!("{:33} {:>9} {:>9}", "", "p50 ms", "p99 ms");
    println!("{:33} {:9.3} {:9.3}", "a bare request", at(&plain, 50), at(&plain, 99));
    for (name, times) in &ways {
        println!("{name:33} {:9.3} {:9.3}", at(times, 50), at(times, 99));
    }
    for (name, times) in &ways {
        let added = [50, 99].map(|percent| at(times, percent) - at(&plain, percent));
        println!("{:33} {:9.3} {:9.3}", format!("added {name}"), added[0], added[1]);
    }
}

async fn slow_calls() {
    let folder = tempfile::tempdir().unwrap();
    let app = app(&of_settings(&serve("127.0.0.1:0", Pace::always(SLOW)).await), folder.path()).await;
    let begun = Instant::now();
    with_ledger(&app, Load { first: 0, count: SLOW_CALLS, at_once: SLOW_AT_ONCE, pace: Pace::always(SLOW) }).await;
    let (took, least) = (begun.elapsed(), SLOW * u32::try_from(SLOW_CALLS.div_ceil(SLOW_AT_ONCE)).unwrap());
    println!(
        "{SLOW_CALLS} calls of {} ms, {SLOW_AT_ONCE} at once: {:.2} s, {:.3} times the least possible",
        SLOW.as_millis(),
        took.as_secs_f64(),
        took.as_secs_f64() / least.as_secs_f64()
    );
}
