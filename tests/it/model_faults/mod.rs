//! Servers that fail in every way that is known, each in every dialect, whole and streamed, over real connections: what
//! is made of it, what is done next, what it cost, and that the key stays where it belongs.

mod anthropic;
mod cell;
mod dialects;
mod gemini;
mod recorded;
mod rows;

use aha_llm::settings::Egress;
use aha_llm::transport::Http;
use cell::Cell;
use futures::StreamExt as _;
use rows::{Cost, Expected, Then};

/// Cells at a time.
const AT_ONCE: usize = 16;

/// Cells, and those that a dialect has not, with the reason.
fn cells() -> (Vec<(Cell, Expected)>, Vec<String>) {
    let (mut cells, mut missing) = (Vec::new(), Vec::new());
    for row in rows::all(cell::KEY) {
        for dialect in dialects::ALL {
            for stream in [false, true] {
                let cell = Cell { row: row.clone(), dialect, stream };
                let cannot = dialect.cannot_say().iter().find(|(name, _)| *name == row.name).map(|(_, why)| *why);
                let expected = match (stream, row.streamed, row.no_whole) {
                    (true, Some(expected), _) => expected,
                    (false, _, Some(why)) => Err(why),
                    _ => Ok(row.expected),
                };
                match (cannot, expected) {
                    (Some(why), _) | (None, Err(why)) => missing.push(format!("{}: {why}", cell.name())),
                    (None, Ok(expected)) => cells.push((cell, expected)),
                }
            }
        }
    }
    (cells, missing)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_fault_has_its_meaning_its_consequence_and_its_price_in_every_dialect() {
    let (cells, missing) = cells();
    assert!(cells.len() >= 100 + missing.len(), "{} cells; missing: {missing:#?}", cells.len());
    let count = cells.len();
    let http = &Http::within(Egress::Any);
    let played = futures::stream::iter(cells).map(|(cell, expected)| async move {
        let name = cell.name();
        let (found, problems) = cell.play(http).await;
        let wrong = (found != expected).then(|| format!("{name}: {found:?} instead of {expected:?}"));
        problems.into_iter().map(|problem| format!("{name}: {problem}")).chain(wrong).collect::<Vec<_>>()
    });
    let wrong: Vec<String> = played.buffer_unordered(AT_ONCE).concat().await;
    assert!(wrong.is_empty(), "{} of {count} cells: {wrong:#?}", wrong.len());
}

#[test]
fn what_a_dialect_cannot_say_is_in_the_table() {
    let rows = rows::all(cell::KEY);
    for (name, why) in dialects::ALL.iter().flat_map(|dialect| dialect.cannot_say()) {
        assert!(rows.iter().any(|row| row.name == *name), "there is no row {name:?} ({why})");
    }
    let (cells, _) = cells();
    let is_there = |expected: Expected| cells.iter().any(|(_, found)| *found == expected);
    assert!(is_there(("ok", Then::Use, Cost::Told)) && is_there(("ok", Then::Use, Cost::Unknown)));
}
