//! Single passes: a whole file at once, and a few new items beside many stored ones. By the clock, on all processors.

use std::sync::Arc;
use std::time::Instant;

use aha_analysis::stories::agreement::Agreement;
use aha_analysis::stories::cluster::{ClusterItem, Placed, place};
use aha_analysis::stories::copies::copies;
use aha_analysis::text::features::Features;
use aha_core::ids::{ItemId, SourceId, TopicId};
use aha_core::thresholds::LOCAL_THRESHOLDS;
use aha_core::time::Timestamp;
use rayon::prelude::*;
use serde::Deserialize;

use super::document;
use super::stream::{DAYS, Stream};

#[derive(Deserialize)]
struct Line {
    id: String,
    story: String,
    title: Option<String>,
    text: String,
    published_at: Option<String>,
}

/// Prints documents, seconds and B³ F1.
pub fn time(file: &str) {
    let read = std::fs::read_to_string(file).unwrap();
    let lines: Vec<Line> = read.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let begun = Instant::now();
    let mut labelled: Vec<(ClusterItem, &str)> = lines.par_iter().map(labelled).collect();
    labelled.sort_by_key(|(document, _)| (document.time, document.id));
    let (documents, stories): (Vec<ClusterItem>, Vec<&str>) = labelled.into_iter().unzip();
    let assignments = placed(&documents).assignments;
    let seconds = begun.elapsed().as_secs_f64();
    let told: Vec<_> = stories.into_iter().zip(assignments).collect();
    println!("{} {seconds:.3} {:.4}", told.len(), Agreement::of(&told).bcubed.f1);
}

/// As `aha-radar calibrate` takes a line: each of a source of its own.
fn labelled(line: &Line) -> (ClusterItem, &str) {
    let time = line.published_at.as_ref().map(|time| Timestamp::parse_rfc3339(time).unwrap());
    let document = ClusterItem {
        id: ItemId::of(&["labelled", "1", &line.id]),
        source: SourceId::of(&["labelled", &line.id]),
        time: time.unwrap_or_default(),
        cluster: None,
        delivered: false,
        copy: false,
        features: Arc::new(Features::of(line.title.as_deref(), &line.text)),
        dense: None,
    };
    (document, &line.story)
}

fn placed(documents: &[ClusterItem]) -> Placed {
    place(TopicId::of(&["bench"]), documents, LOCAL_THRESHOLDS)
}

/// Prints how long it takes to read stored counts, to look for copies and to place what is new.
pub fn add(new: usize, size: usize) {
    let mut stream = Stream::new(size);
    let reports = (0..DAYS).flat_map(|day| stream.day(day)).enumerate();
    let mut documents: Vec<ClusterItem> = reports.map(|(number, report)| document(&report, number)).collect();
    documents.sort_by_key(|document| (document.time, document.id));
    let stored = documents.len().saturating_sub(new);
    let assignments = placed(&documents[..stored]).assignments;
    for (document, assignment) in documents.iter_mut().zip(assignments) {
        document.cluster = assignment;
    }
    let rows: Vec<Vec<u8>> = documents.iter().map(|document| document.features.to_bytes()).collect();
    let bytes: usize = rows.iter().map(Vec::len).sum();
    let read = || rows.par_iter().map(|row| Features::from_bytes(row).unwrap()).collect::<Vec<_>>().len();
    println!("{new} new beside {stored}, {bytes} bytes of counts; the best of five, in ms");
    println!("counts {:.1}", best_ms(read));
    println!("copies {:.1}", best_ms(|| copies(&documents).len()));
    println!("stories {:.1}", best_ms(|| placed(&documents).placements.len()));
}

fn best_ms(pass: impl Fn() -> usize) -> f64 {
    let one = || {
        let begun = Instant::now();
        std::hint::black_box(pass());
        begun.elapsed().as_secs_f64() * 1e3
    };
    (0..5).map(|_| one()).fold(f64::INFINITY, f64::min)
}
