//! How long parsing a folder of feeds takes on one core, and how long with the plain text of each item, which ingest
//! makes next. `scripts/bench/feeds.sh` runs it beside other parsers; by itself it reads the examples.
//!
//! usage: feeds [FOLDER [ROUNDS]]

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark prints, and a failure ends it")]

use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use aha_content::feed::parse;
use aha_core::item::NewItem;
use aha_radar::sources::identity::body_text;

fn main() {
    // cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/feeds").to_owned();
    let folder = PathBuf::from(arguments.first().unwrap_or(&examples));
    let rounds: usize = arguments.get(1).map_or(5, |rounds| rounds.parse().expect("ROUNDS is a number"));
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder can be read")
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.is_file() && path.extension().is_none_or(|extension| extension != "json"))
        .collect();
    paths.sort();
    let files: Vec<Vec<u8>> = paths.iter().map(|path| std::fs::read(path).expect("the file can be read")).collect();

    let items_of = |bytes: &Vec<u8>| black_box(parse(bytes, None, None)).map_or_else(|_| Vec::new(), |feed| feed.items);
    let (items, seconds) = measured(rounds, || files.iter().map(|bytes| items_of(bytes).len()).sum());
    let text_bytes = |items: Vec<NewItem>| items.iter().map(|item| black_box(body_text(item)).len()).sum::<usize>();
    let (bytes, with_text) = measured(rounds, || files.iter().map(|bytes| text_bytes(items_of(bytes))).sum());
    let found = serde_json::json!({
        "files": files.len(), "items": items, "seconds": seconds, "text_bytes": bytes, "seconds_with_text": with_text
    });
    println!("{found}");
}

/// What `work` counted, and the median of its seconds.
fn measured(rounds: usize, work: impl Fn() -> usize) -> (usize, f64) {
    // It also warms caches.
    let counted = work();
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..rounds {
        let start = Instant::now();
        work();
        times.push(start.elapsed());
    }
    times.sort();
    (counted, times.get(times.len() / 2).map_or(0.0, Duration::as_secs_f64))
}
