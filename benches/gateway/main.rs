//! What the gateway adds to a call: beside a bare request to the same server in the same run.
//!
//! `cargo bench --bench gateway`. Each way makes the same number of calls, 16 at a time, to a server in this process: to one that
//! answers after 50 ms, which tells what a call costs, and to one that answers at once, which tells how many calls a second there
//! can be. Then 640 calls of 200 ms, 32 at a time, beside the time that these would take with nothing in between.
//!
//! The ledger is on SQLite, and on an empty Postgres database too where `AHA_TEST_POSTGRES_URL` names one:
//! `scripts/postgres.sh cargo bench --bench gateway`.
//!
//! Beside a proxy that stands in front of the same server: `scripts/overhead.sh`, see `proxy`.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark prints, and a failure ends it")]

mod calls;
mod proxy;
mod server;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use calls::{app, app_on, at, bare, of_settings, with_ledger, without_ledger};
use server::serve;

const CALLS: usize = 2_000;
const AT_ONCE: usize = 16;
const USUAL: Duration = Duration::from_millis(50);

const SLOW_CALLS: usize = 640;
const SLOW_AT_ONCE: usize = 32;
const SLOW: Duration = Duration::from_millis(200);

#[tokio::main]
async fn main() -> ExitCode {
    if let Some(proxy) = proxy::Proxy::of_environment() {
        return proxy.compare(USUAL).await;
    }
    for delay in [USUAL, Duration::ZERO] {
        compare(delay).await;
    }
    slow_calls().await;
    ExitCode::SUCCESS
}

async fn compare(delay: Duration) {
    let base = serve("127.0.0.1:0", delay).await;
    let folder = tempfile::tempdir().unwrap();
    let app = app(&of_settings(&base), folder.path()).await;
    let plain = bare(&app, None, CALLS, AT_ONCE).await;
    let mut ways = vec![
        ("without the ledger", without_ledger(&app, CALLS, AT_ONCE).await),
        ("with the ledger (SQLite)", with_ledger(&app, 0, CALLS, AT_ONCE).await),
    ];
    if let Ok(postgres) = std::env::var("AHA_TEST_POSTGRES_URL") {
        let app = app_on(&of_settings(&base), &postgres).await;
        ways.push(("with the ledger (Postgres)", with_ledger(&app, 0, CALLS, AT_ONCE).await));
    }
    println!("{CALLS} calls, {AT_ONCE} at once, each about one story, answered after {} ms", delay.as_millis());
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
    let app = app(&of_settings(&serve("127.0.0.1:0", SLOW).await), folder.path()).await;
    let begun = Instant::now();
    with_ledger(&app, 0, SLOW_CALLS, SLOW_AT_ONCE).await;
    let (took, least) = (begun.elapsed(), SLOW * u32::try_from(SLOW_CALLS.div_ceil(SLOW_AT_ONCE)).unwrap());
    println!(
        "{SLOW_CALLS} calls of {} ms, {SLOW_AT_ONCE} at once: {:.2} s, {:.3} times the least possible",
        SLOW.as_millis(),
        took.as_secs_f64(),
        took.as_secs_f64() / least.as_secs_f64()
    );
}
