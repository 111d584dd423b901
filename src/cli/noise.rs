//! `aha-radar noise`: how likely headlines are noise, a line in, a line out. It needs no database.

use std::fs::File;
use std::io::{BufRead, BufReader, Read as _};
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::json;

use crate::noise;

use super::arguments::NoiseArguments;
use super::exit::Exit;
use super::output;

/// Bytes of a line that are read as its headline; the rest of it is passed over.
const LINE_BYTES: u64 = 64 * 1024;

pub(super) fn run(arguments: &NoiseArguments) -> Result<Exit> {
    let mut lines = open(&arguments.input)?;
    while let Some(headline) =
        next_line(&mut lines).with_context(|| format!("{} cannot be read", arguments.input.display()))?
    {
        let likely = noise::score(&headline);
        if arguments.json {
            output::print(&json!({ "headline": headline, "noise": likely }).to_string())?;
        } else {
            output::print(&format!("{likely:.3}  {}", output::one_safe_text(&headline)))?;
        }
    }
    Ok(Exit::Ok)
}

fn open(path: &Path) -> Result<Box<dyn BufRead>> {
    if path == Path::new("-") {
        return Ok(Box::new(BufReader::new(std::io::stdin())));
    }
    let file = File::open(path).with_context(|| format!("{} cannot be opened", path.display()))?;
    Ok(Box::new(BufReader::new(file)))
}

/// The next line without its end; what is no UTF-8 is shown as such.
fn next_line(lines: &mut dyn BufRead) -> std::io::Result<Option<String>> {
    let mut line = Vec::new();
    let mut read = lines.take(LINE_BYTES).read_until(b'\n', &mut line)?;
    if read == 0 {
        return Ok(None);
    }
    let ended = line.ends_with(b"\n");
    let mut rest = Vec::new();
    while !ended && read > 0 && !rest.ends_with(b"\n") {
        rest.clear();
        read = lines.take(LINE_BYTES).read_until(b'\n', &mut rest)?;
    }
    let text = String::from_utf8_lossy(&line);
    Ok(Some(text.trim_end_matches(['\n', '\r']).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_headline_and_a_long_one_is_cut() {
        let text = format!("one\r\n\n{}\nlast", "x".repeat(200_000));
        let mut reader = BufReader::new(text.as_bytes());
        let lines: Vec<String> = std::iter::from_fn(|| next_line(&mut reader).unwrap()).collect();
        let lengths: Vec<usize> = lines.iter().map(String::len).collect();
        assert_eq!(lengths, [3, 0, 65_536, 4]);
    }
}
