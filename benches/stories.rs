//! Clustering of streams: a run a day over 30 days, in memory. Says time an item, peak memory and how well stories are found; for the
//! sizes up to 10,000 also by a search without bounds. The stream forms hardly a story yet, so of these figures time and memory mean
//! something and B³ does not.
//!
//! `cargo bench --bench stories -- 10000 100000 1000000`

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement for the terminal")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use aha_radar::domain::ids::{ItemId, SourceId, TopicId};
use aha_radar::domain::time::{DAY_MS, Timestamp};
use aha_radar::stories::agreement::Agreement;
use aha_radar::stories::cluster::{Clustering, Document, OPEN_DAYS};
use aha_radar::stories::comparison::LOCAL_THRESHOLDS;
use aha_radar::stories::features::Features;
use aha_radar::stories::lookup::Limits;
use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};

const DAYS: usize = 30;
const SOURCES: usize = 200;
const VOCABULARY: f64 = 60_000.0;
/// Sizes up to this are searched without bounds as well.
const EXACT_UP_TO: usize = 10_000;

fn main() {
    let asked: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if asked.is_empty() { vec![1_000, 10_000] } else { asked };
    println!("{:>9} {:>8} {:>12} {:>9} {:>8} {:>9}", "items", "search", "µs an item", "peak MiB", "B³ F1", "clusters");
    for size in sizes {
        report(size, "bounded", Limits::USUAL);
        if size <= EXACT_UP_TO {
            report(size, "exact", Limits::EXACT);
        }
    }
}

fn report(size: usize, name: &str, limits: Limits) {
    let mut stream = Stream::new(size);
    let (mut known, mut told, mut spent) = (Vec::<Document>::new(), Vec::new(), Duration::ZERO);
    let mut stories: Vec<usize> = Vec::new();
    for day in 0..DAYS {
        let from = Timestamp::from_millis(i64::try_from(day).unwrap() * DAY_MS);
        let old = known.iter().take_while(|document| from - document.time > OPEN_DAYS * DAY_MS).count();
        told.extend(known.drain(..old).zip(stories.drain(..old)).map(|(document, story)| (story, document.cluster)));
        let (documents, labels) = stream.day(day);
        known.extend(documents);
        stories.extend(labels);
        let begun = Instant::now();
        let placed = Clustering::of(&known, limits).place(TopicId::of(&["bench"]), LOCAL_THRESHOLDS);
        spent += begun.elapsed();
        for (document, home) in known.iter_mut().zip(placed.homes) {
            document.cluster = home;
        }
    }
    told.extend(known.drain(..).zip(stories).map(|(document, story)| (story, document.cluster)));
    let agreement = Agreement::of(&told);
    let an_item = spent.as_secs_f64() * 1e6 / f64::from(u32::try_from(size).unwrap());
    let found = agreement.clusters;
    println!("{size:>9} {name:>8} {an_item:>12.1} {:>9} {:>8.4} {found:>9}", peak_mib(), agreement.bcubed.f1);
}

/// Items of stories that begin on any day; most have one item, a few very many.
struct Stream {
    random: SmallRng,
    by_day: Vec<Vec<usize>>,
    matters: Vec<Vec<String>>,
    made: usize,
}

impl Stream {
    fn new(size: usize) -> Self {
        let mut random = SmallRng::seed_from_u64(7);
        let (mut by_day, mut matters) = (vec![Vec::new(); DAYS], Vec::new());
        let mut left = size;
        while left > 0 {
            let items = story_size(&mut random).min(left);
            left -= items;
            let first = random.random_range(0..DAYS);
            for _ in 0..items {
                by_day[(first + random.random_range(0..3)).min(DAYS - 1)].push(matters.len());
            }
            matters.push((0..10).map(|place| word(&mut random, place < 3)).collect());
        }
        Self { random, by_day, matters, made: 0 }
    }

    fn day(&mut self, day: usize) -> (Vec<Document>, Vec<usize>) {
        let labels = std::mem::take(&mut self.by_day[day]);
        let length = DAY_MS / i64::try_from(labels.len().max(1)).unwrap();
        let documents = labels.iter().enumerate().map(|(place, story)| {
            let at = i64::try_from(day).unwrap() * DAY_MS + i64::try_from(place).unwrap() * length;
            self.document(*story, Timestamp::from_millis(at))
        });
        (documents.collect(), labels)
    }

    fn document(&mut self, story: usize, time: Timestamp) -> Document {
        let mut text = String::new();
        for term in &self.matters[story] {
            if self.random.random_range(0..10) < 7 {
                text.push_str(term);
                text.push(' ');
            }
        }
        for _ in 0..12 {
            text.push_str(&word(&mut self.random, false));
            text.push(' ');
        }
        self.made += 1;
        Document {
            id: ItemId::of(&[&self.made.to_string()]),
            source: SourceId::of(&[&self.random.random_range(0..SOURCES).to_string()]),
            time,
            cluster: None,
            delivered: false,
            copy: false,
            features: Arc::new(Features::of(None, &text)),
            dense: None,
        }
    }
}

/// Pareto: two of three stories have one item, one in a hundred has twenty or more.
fn story_size(random: &mut SmallRng) -> usize {
    let size = (1.0 - random.random::<f64>()).powf(-1.0 / 1.5);
    (1..500).take_while(|size_so_far| f64::from(*size_so_far) <= size).count()
}

/// The words of a language by Zipf's law (rank ∝ a power of the vocabulary's size); names begin with a capital.
fn word(random: &mut SmallRng, name: bool) -> String {
    let rank = VOCABULARY.powf(random.random::<f64>());
    if name { format!("Nam{}", random.random_range(0..200_000)) } else { format!("wor{rank:.0}x") }
}

/// The most memory that the process had until now; 0 where the system does not tell.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).map_or(0, |kib| kib / 1024)
}
