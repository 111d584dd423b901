//! Clustering of streams: a run a day over 30 days, in memory. Says processor time an item, peak memory and how well
//! stories are found; for the sizes up to 10,000 also by a search without bounds.
//!
//! `cargo bench --bench stories -- 10000 100000 1000000`
//!
//! `--write FILE SIZE` writes such a stream as labelled lines for `aha-radar calibrate` instead.
//! `--time FILE` puts the documents of such a file together, from texts in memory to stories, and says how long that
//! takes. `--add NEW SIZE` puts so many new items of a stream to the others, as a run does, and says how long each part
//! of that takes.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement for the terminal")]

mod once;
mod stream;

use std::fs::DirEntry;
use std::io::{BufWriter, Write as _};
use std::sync::Arc;

use aha_analysis::stories::agreement::Agreement;
use aha_analysis::stories::cluster::{ClusterItem, Clustering, FREQUENCY_DAYS};
use aha_analysis::stories::lookup::Limits;
use aha_analysis::text::features::Features;
use aha_core::ids::{ItemId, SourceId, TopicId};
use aha_core::thresholds::LOCAL_THRESHOLDS;
use aha_core::time::{DAY_MS, Timestamp};
use stream::{DAYS, Report, Stream};

/// Sizes up to this are searched without bounds as well.
const EXACT_UP_TO: usize = 10_000;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(place) = arguments.iter().position(|argument| argument == "--write") {
        return write(&arguments[place + 1], arguments[place + 2].parse().unwrap());
    }
    if let Some(place) = arguments.iter().position(|argument| argument == "--time") {
        return once::time(&arguments[place + 1]);
    }
    if let Some(place) = arguments.iter().position(|argument| argument == "--add") {
        return once::add(arguments[place + 1].parse().unwrap(), arguments[place + 2].parse().unwrap());
    }
    let asked: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if asked.is_empty() { vec![1_000, 10_000] } else { asked };
    println!("{:>9} {:>8} {:>12} {:>9} {:>8} {:>9}", "items", "search", "µs an item", "peak MiB", "B³ F1", "clusters");
    for size in sizes {
        report(size, "bounded", Limits::DEFAULT);
        if size <= EXACT_UP_TO {
            report(size, "exact", Limits::EXACT);
        }
    }
}

/// As the daemon does it: each day's run has the items of the last [`FREQUENCY_DAYS`] days before it.
fn report(size: usize, name: &str, limits: Limits) {
    let mut stream = Stream::new(size);
    let (mut known, mut told, mut spent) = (Vec::<ClusterItem>::new(), Vec::new(), 0.0);
    let mut stories: Vec<usize> = Vec::new();
    for day in 0..DAYS {
        let from = Timestamp::from_millis(i64::try_from(day).unwrap() * DAY_MS);
        let old = known.iter().take_while(|document| from - document.time > FREQUENCY_DAYS * DAY_MS).count();
        told.extend(known.drain(..old).zip(stories.drain(..old)).map(|(document, story)| (story, document.cluster)));
        for report in stream.day(day) {
            stories.push(report.story);
            let number = known.len() + told.len();
            known.push(document(&report, number));
        }
        let begun = processor_seconds();
        let placed = Clustering::of(&known, limits).place(TopicId::of(&["bench"]), LOCAL_THRESHOLDS);
        spent += processor_seconds() - begun;
        for (document, assignment) in known.iter_mut().zip(placed.assignments) {
            document.cluster = assignment;
        }
    }
    told.extend(known.drain(..).zip(stories).map(|(document, story)| (story, document.cluster)));
    let agreement = Agreement::of(&told);
    let an_item = spent * 1e6 / f64::from(u32::try_from(size).unwrap());
    let found = agreement.clusters;
    println!("{size:>9} {name:>8} {an_item:>12.1} {:>9} {:>8.4} {found:>9}", peak_mib(), agreement.bcubed.f1);
}

fn document(report: &Report, number: usize) -> ClusterItem {
    ClusterItem {
        id: ItemId::of(&[&number.to_string()]),
        source: SourceId::of(&[&report.source.to_string()]),
        time: Timestamp::from_millis(report.time_ms),
        cluster: None,
        delivered: false,
        copy: false,
        features: Arc::new(Features::of(Some(&report.title), &report.text)),
        dense: None,
    }
}

fn write(file: &str, size: usize) {
    let mut out = BufWriter::new(std::fs::File::create(file).unwrap());
    let mut stream = Stream::new(size);
    let reports = (0..DAYS).flat_map(|day| stream.day(day)).enumerate();
    for (number, Report { story, time_ms, title, text, .. }) in reports {
        let published_at = Timestamp::from_millis(time_ms).to_string();
        let line = serde_json::json!({
            "id": number.to_string(), "story": story.to_string(), "title": title, "text": text, "published_at": published_at,
        });
        writeln!(out, "{line}").unwrap();
    }
}

/// The time that the program's threads have had a processor: what else runs on the machine does not count.
fn processor_seconds() -> f64 {
    let threads = std::fs::read_dir("/proc/self/task").unwrap();
    let of_thread = |thread: std::io::Result<DirEntry>| {
        let status = std::fs::read_to_string(thread.unwrap().path().join("schedstat")).unwrap();
        status.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1e9
    };
    threads.map(of_thread).sum()
}

/// The most memory that the process had until now; 0 where the system does not tell.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).map_or(0, |kib| kib / 1024)
}
