//! What a sentence's vector costs: `cargo bench -p aha-sentence -- FOLDER`. Without a folder the tiny model of the
//! tests, which only shows that it runs.

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use aha_sentence::SentenceModel;

const SENTENCE: &str =
    "Anyone who lives, works or studies in the district receives a card free of charge, which is valid for";

fn main() {
    let folder = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let tiny = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/tiny"));
    let started = Instant::now();
    let model = match SentenceModel::load(&folder.map_or_else(tiny, PathBuf::from)) {
        Ok(model) => model,
        Err(error) => return report(&error.to_string()),
    };
    report(&format!("loaded in {} ms", started.elapsed().as_millis()));
    for (name, count, repeated) in [("one sentence", 1, 1), ("256 sentences", 256, 1), ("64 passages of five", 64, 5)] {
        let texts: Vec<String> = (0..count).map(|n| format!("{SENTENCE} {n} days. ").repeat(repeated)).collect();
        black_box(model.encode(&texts[..1]));
        let started = Instant::now();
        black_box(model.encode(&texts));
        let each = started.elapsed().as_secs_f64() * 1000.0 / f64::from(count);
        report(&format!("{name}: {each:.2} ms each"));
    }
}

#[expect(clippy::print_stdout, reason = "it is what a bench is for")]
fn report(line: &str) {
    println!("{line}");
}
