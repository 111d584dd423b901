//! How long it takes to hold the texts of a run against a reader's interests: 1,000 made-up stories of two texts each.
//!
//! usage: `cargo bench --bench ranking`. Prints milliseconds of five runs; the bound is 50 ms for 1,000 stories
//! (`docs/RANKING.md`).

#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::time::Instant;

use aha_analysis::relevance::{Corpus, Interests, NoFrequencies, Query, TextParts};

const STORIES: usize = 1_000;
const TEXTS: usize = 2;
/// Words of a text: about what feeds carry.
const WORDS: usize = 250;
const INTERESTS: &str = "African politics, elections and economies; embedded databases such as SQLite; tidal energy in Scotland, \
                         ferries and small harbours. No sport, no release notes";

/// Words by turns from a fixed list and from numbers, so that a text has common and rare words.
fn text(number: usize) -> String {
    const COMMON: [&str; 24] = [
        "the",
        "government",
        "of",
        "a",
        "ferry",
        "said",
        "that",
        "election",
        "in",
        "Kenya",
        "was",
        "held",
        "and",
        "database",
        "engines",
        "for",
        "tidal",
        "power",
        "were",
        "installed",
        "near",
        "Glasgow",
        "last",
        "week",
    ];
    let mut state = number as u64 * 2_654_435_761 + 1;
    let words = (0..WORDS).map(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let pick = (state >> 33) as usize;
        if pick.is_multiple_of(3) { format!("word{}", pick % 20_000) } else { COMMON[pick % COMMON.len()].to_owned() }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn main() {
    let texts: Vec<(String, String)> = (0..STORIES * TEXTS)
        .map(|number| (text(number).split(' ').take(9).collect::<Vec<_>>().join(" "), text(number + STORIES * TEXTS)))
        .collect();
    let interests = Interests::parse(INTERESTS);
    for _ in 0..5 {
        let begun = Instant::now();
        let parts = texts.iter().map(|(title, body)| TextParts { title, body, categories: &[], is_english: true });
        let corpus = Corpus::of(&parts.collect::<Vec<_>>());
        let read = begun.elapsed();
        let query = Query::new(&interests, &corpus, &NoFrequencies);
        let asked = begun.elapsed();
        let sum: f64 = query.degrees().iter().map(|degree| degree.total(0.0)).sum();
        println!(
            "{STORIES} stories, {} texts: {:.1} ms (reading {:.1}, the query {:.1}; degrees add up to {sum:.3})",
            texts.len(),
            begun.elapsed().as_secs_f64() * 1e3,
            read.as_secs_f64() * 1e3,
            asked.saturating_sub(read).as_secs_f64() * 1e3,
        );
    }
}
