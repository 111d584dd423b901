//! Reads labelled documents, one JSON object per line, checks and sorts them.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read as _};
use std::ops::RangeFrom;
use std::path::Path;
use std::sync::Arc;

use aha_analysis::static_model::Weights;
use aha_analysis::stories::cluster::ClusterItem;
use aha_analysis::text::dense::DenseVector;
use aha_analysis::text::features::Features;
use aha_analysis::text::space::Space as _;
use aha_core::ids::{ItemId, SourceId};
use aha_core::time::Timestamp;
use anyhow::{Context as _, Result};
use rayon::prelude::*;
use serde::Deserialize;

use super::exit::UsageError;
use super::output::one_safe_text;

/// A longer line is rejected.
const MAX_LINE_BYTES: u64 = 16 * 1024 * 1024;

/// The number of a line, and its content.
type NumberedLine = (usize, Vec<u8>);

/// Bytes read before they are parsed, on all processors.
const PART_BYTES: usize = 2 * 1024 * 1024;

#[derive(Deserialize)]
struct Line {
    id: String,
    story: String,
    title: Option<String>,
    text: String,
    published_at: Option<String>,
}

/// The documents by time, each with its own id and label. The seed decides the order of documents with the same time.
#[derive(Default)]
pub(super) struct Labelled {
    pub(super) documents: Vec<ClusterItem>,
    pub(super) ids: Vec<String>,
    pub(super) stories: Vec<String>,
}

/// # Errors
/// [`UsageError`] with the line number if a line cannot be used.
pub(super) fn read(path: &Path, seed: u64, weights: Option<&Weights>) -> Result<Labelled> {
    let file = std::fs::File::open(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let mut reader = BufReader::new(file);
    let mut lines: Vec<(ClusterItem, String, String)> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut numbers = 1_usize..;
    while let Some(part) =
        read_part(&mut reader, &mut numbers).with_context(|| format!("{} cannot be read", path.display()))?
    {
        let read: Vec<_> = part.par_iter().map(|(_, bytes)| parse_line(bytes, seed, weights)).collect();
        for ((number, _), read) in part.iter().zip(read) {
            let wrong = |why: String| UsageError(one_safe_text(&format!("{}, line {number}: {why}", path.display())));
            let (document, id, story) = read.map_err(wrong)?;
            if let Some(first) = known.insert(id.clone(), *number) {
                return Err(wrong(format!("the id {id:?} is that of line {first} as well")).into());
            }
            lines.push((document, id, story));
        }
    }
    if lines.is_empty() {
        return Err(UsageError(format!("{} holds no document", path.display())).into());
    }
    lines.sort_by_key(|(document, ..)| (document.time, document.id));
    let mut labelled = Labelled::default();
    for (document, id, story) in lines {
        labelled.documents.push(document);
        labelled.ids.push(id);
        labelled.stories.push(story);
    }
    Ok(labelled)
}

/// Reads the next non-empty lines with their numbers; `None` after the last.
fn read_part(reader: &mut impl BufRead, numbers: &mut RangeFrom<usize>) -> std::io::Result<Option<Vec<NumberedLine>>> {
    let (mut part, mut size) = (Vec::new(), 0);
    for number in numbers {
        let mut bytes = Vec::new();
        let read = reader.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes)?;
        size += read;
        if !bytes.trim_ascii().is_empty() {
            part.push((number, bytes));
        }
        if read == 0 || size >= PART_BYTES {
            break;
        }
    }
    Ok((size > 0).then_some(part))
}

/// Parses one line into a document, its id and its label.
fn parse_line(bytes: &[u8], seed: u64, weights: Option<&Weights>) -> Result<(ClusterItem, String, String), String> {
    let line = parse(bytes)?;
    Ok((document(&line, seed, weights)?, line.id, line.story))
}

fn parse(bytes: &[u8]) -> Result<Line, String> {
    if bytes.len() as u64 >= MAX_LINE_BYTES {
        return Err(format!("it is longer than {MAX_LINE_BYTES} bytes"));
    }
    let line: Line = serde_json::from_slice(bytes).map_err(|error| {
        format!(
            "{error}; a line is an object with \"id\", \"story\", \"title\", \"text\" and, if known, \"published_at\""
        )
    })?;
    if line.id.is_empty() || line.story.is_empty() {
        return Err("\"id\" and \"story\" must not be empty".to_owned());
    }
    Ok(line)
}

/// Builds a document. Each counts as one from its own source; those without a time all have the same time.
fn document(line: &Line, seed: u64, weights: Option<&Weights>) -> Result<ClusterItem, String> {
    let time = match &line.published_at {
        None => Timestamp::default(),
        Some(text) => Timestamp::parse_rfc3339(text)
            .map_err(|error| format!("\"published_at\" is no time like 2026-11-22T07:00:00Z: {error}"))?,
    };
    let vector = weights.and_then(|weights| weights.vector(line.title.as_deref(), &line.text));
    Ok(ClusterItem {
        id: ItemId::of(&["labelled", &seed.to_string(), &line.id]),
        source: SourceId::of(&["labelled", &line.id]),
        time,
        cluster: None,
        delivered: false,
        copy: false,
        features: Arc::new(Features::of(line.title.as_deref(), &line.text)),
        dense: vector.and_then(|(bytes, _)| DenseVector::from_bytes(&bytes)).map(Arc::new),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_lines(lines: &str, seed: u64) -> Result<Labelled> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("labelled.jsonl");
        std::fs::write(&file, lines).unwrap();
        read(&file, seed, None)
    }

    fn refusal(lines: &str) -> String {
        read_lines(lines, 1).err().map(|error| error.to_string()).unwrap_or_default()
    }

    const ONE: &str = r#"{"id":"a","story":"s","title":"T","text":"x"}"#;

    #[test]
    fn a_refusal_names_the_line() {
        assert!(refusal(&format!("{ONE}\nnonsense")).contains("line 2: expected"));
        assert!(refusal(&format!("{ONE}\n\n{ONE}")).contains("line 3: the id \"a\" is that of line 1 as well"));
        assert!(refusal(r#"{"id":"a","text":"x"}"#).contains("missing field `story`"));
        assert!(refusal(r#"{"id":"a","story":"s","text":"x","published_at":"May"}"#).contains("no time like"));
        assert!(refusal(r#"{"id":"","story":"s","text":"x"}"#).contains("must not be empty"));
        assert!(refusal(" \n").contains("holds no document"));
    }

    #[test]
    fn the_seed_orders_what_has_no_time_and_time_comes_first() {
        let lines: Vec<String> = (0..20).map(|n| format!(r#"{{"id":"{n}","story":"s","text":"x"}}"#)).collect();
        let lines = lines.join("\n");
        let order = |seed| read_lines(&lines, seed).unwrap().ids;
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
        let timed = lines.replacen(r#""text""#, r#""published_at":"2026-01-01T00:00:00Z","text""#, 1);
        assert_eq!(read_lines(&timed, 1).unwrap().ids.last().map(String::as_str), Some("0"));
    }
}
