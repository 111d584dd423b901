//! Line-by-line input with lines of any length.

use std::fs::File;
use std::io::{BufRead, BufReader, Read as _};
use std::path::Path;

use anyhow::{Context as _, Result};

/// Bytes read of a line; the rest is skipped.
const LINE_BYTES: u64 = 64 * 1024;

/// Opens a file, or standard input for `-`.
pub(super) fn open(path: &Path) -> Result<Box<dyn BufRead>> {
    if path == Path::new("-") {
        return Ok(Box::new(BufReader::new(std::io::stdin())));
    }
    let file = File::open(path).with_context(|| format!("{} cannot be opened", path.display()))?;
    Ok(Box::new(BufReader::new(file)))
}

/// Reads the next line without its end, cut to [`LINE_BYTES`]; invalid UTF-8 is replaced.
pub(super) fn next(lines: &mut dyn BufRead) -> std::io::Result<Option<String>> {
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
        let lines: Vec<String> = std::iter::from_fn(|| next(&mut reader).unwrap()).collect();
        let lengths: Vec<usize> = lines.iter().map(String::len).collect();
        assert_eq!(lengths, [3, 0, 65_536, 4]);
    }
}
