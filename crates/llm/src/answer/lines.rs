//! An answer of one JSON object a line (NDJSON), as it comes: each line is read and checked by itself, so that a bad one spoils no
//! other, and what was complete stays when the stream breaks.
//!
//! Fences, prose and thoughts around the objects say nothing and are passed over. A line that is meant as an object and cannot be
//! read, or does not fit the schema, is counted as bad.

use serde_json::{Map, Value};

use super::extract;
use super::words::{Words, WordsFilter};
use crate::error::CallError;
use crate::schema;
use crate::tasks::Task;

/// An object written over several lines is gathered up to this many bytes.
const MOST_PENDING_BYTES: usize = 64 << 10;

/// What comes of a line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ReadLine {
    Good(Map<String, Value>),
    Bad(BadLine),
}

/// A line that is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BadLine {
    pub(crate) line: String,
    pub(crate) why: String,
}

/// Gathers pieces of text, and gives the lines that they complete.
#[derive(Debug)]
pub(crate) struct LineReader {
    task: Task,
    words: WordsFilter,
    /// A line without its end.
    begun: String,
    /// An object that is not closed yet.
    pending: String,
}

impl LineReader {
    pub(crate) fn of(task: Task) -> Self {
        Self { task, words: WordsFilter::default(), begun: String::new(), pending: String::new() }
    }

    pub(crate) fn push(&mut self, piece: &str) -> Vec<ReadLine> {
        let mut read = Vec::new();
        for words in self.words.push(piece) {
            match words {
                Words::More(text) => self.begun.push_str(&text),
                Words::Void => {
                    self.begun.clear();
                    self.pending.clear();
                }
            }
            while let Some(end) = self.begun.find('\n') {
                let line: String = self.begun.drain(..=end).collect();
                self.line(line.trim(), &mut read);
            }
        }
        read
    }

    /// The last line, which nothing ends. Where the stream broke (`is_broken`), one that cannot be read was cut off, and is not bad.
    pub(crate) fn finish(&mut self, is_broken: bool) -> Vec<ReadLine> {
        let mut read = Vec::new();
        self.begun.extend(self.words.finish());
        let last = std::mem::take(&mut self.begun);
        self.line(last.trim(), &mut read);
        let pending = std::mem::take(&mut self.pending);
        if !pending.is_empty() {
            read.push(unfinished(&pending));
        }
        if is_broken {
            read.retain(|line| matches!(line, ReadLine::Good(_)));
        }
        read
    }

    fn line(&mut self, line: &str, read: &mut Vec<ReadLine>) {
        if !self.pending.is_empty() {
            if !is_object(line) {
                self.pending.push('\n');
                self.pending.push_str(line);
                if self.pending.len() > MOST_PENDING_BYTES {
                    read.push(unfinished(&std::mem::take(&mut self.pending)));
                } else if extract::is_balanced(&self.pending) {
                    let whole = std::mem::take(&mut self.pending);
                    self.objects(&whole, read);
                }
                return;
            }
            // The object before it never ended.
            read.push(unfinished(&std::mem::take(&mut self.pending)));
        }
        if line.starts_with('{') && !extract::is_balanced(line) {
            line.clone_into(&mut self.pending);
        } else if line.contains('{') {
            self.objects(line, read);
        }
    }

    /// The objects of a line: one, or several where the model forgot the end of a line between them.
    fn objects(&self, line: &str, read: &mut Vec<ReadLine>) {
        match extract::extract_all(line) {
            Ok(objects) => read.extend(objects.into_iter().map(|object| self.checked(object))),
            Err(not_one) => read.push(bad(line, not_one.into_error(None).to_string())),
        }
    }

    fn checked(&self, object: Map<String, Value>) -> ReadLine {
        let object = Value::Object(object);
        match (schema::check_answer(self.task, &object), object) {
            (Ok(()), Value::Object(object)) => ReadLine::Good(object),
            (Ok(()), other) => bad(&other.to_string(), "it is no object".to_owned()),
            (Err(error), object) => bad(&object.to_string(), error.to_string()),
        }
    }
}

/// The lines of a whole text, and how many are bad.
///
/// # Errors
/// [`CallError::Invalid`] when all of them are.
pub(super) fn whole(task: Task, text: &str) -> Result<(Vec<Map<String, Value>>, usize), CallError> {
    let mut reader = LineReader::of(task);
    let mut read = reader.push(text);
    read.extend(reader.finish(false));
    let (mut lines, mut bad) = (Vec::new(), Vec::new());
    for line in read {
        match line {
            ReadLine::Good(line) => lines.push(line),
            ReadLine::Bad(BadLine { why, .. }) => bad.push(why),
        }
    }
    match bad.first() {
        Some(why) if lines.is_empty() => Err(CallError::Invalid(why.clone())),
        _ => Ok((lines, bad.len())),
    }
}

fn is_object(line: &str) -> bool {
    line.starts_with('{') && extract::extract(line).is_ok()
}

fn unfinished(line: &str) -> ReadLine {
    bad(line, "the line's JSON object does not end: a closing brace is missing".to_owned())
}

fn bad(line: &str, why: String) -> ReadLine {
    ReadLine::Bad(BadLine { line: line.to_owned(), why })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::super::tasks::samples::LINES;
    use super::*;

    /// The `id`s of the good lines, and how many are bad.
    fn read(pieces: &[&str], is_broken: bool) -> (Vec<String>, usize) {
        let mut reader = LineReader::of(LINES);
        let mut lines: Vec<ReadLine> = pieces.iter().flat_map(|piece| reader.push(piece)).collect();
        lines.extend(reader.finish(is_broken));
        let bad = lines.iter().filter(|line| matches!(line, ReadLine::Bad(_))).count();
        let good = lines.iter().filter_map(|line| match line {
            ReadLine::Good(object) => object["id"].as_str().map(str::to_owned),
            ReadLine::Bad(_) => None,
        });
        (good.collect(), bad)
    }

    fn line(id: &str) -> String {
        json!({ "id": id, "confidence": 0.5 }).to_string()
    }

    #[test]
    fn each_line_stands_by_itself() {
        let (a, b, c) = (line("a"), line("b"), line("c"));
        let own = json!({ "id": "x", "confidence": 7 }).to_string();
        for (text, good, bad) in [
            (format!("{a}\n{b}\n{c}"), &["a", "b", "c"][..], 0),
            (format!("{a}\r\n\r\n{b}\r\n"), &["a", "b"], 0),
            (format!("{a}\n{{\"id\": \"broken\n{b}\n{own}\nnot json {{\"id\": }}\n{c}\n"), &["a", "b", "c"], 3),
            (format!("Here you are:\n```json\n{a}\n{b}\n```\nThat is all."), &["a", "b"], 0),
            (format!("<think>{a}\n{{</think>\n{b}\n"), &["b"], 0),
            (format!("<response>\n{a}\n</response>"), &["a"], 0),
            (format!("[\n{a},\n{b}\n]"), &["a", "b"], 0),
            (format!("[{a},\n{b}]"), &["a", "b"], 0),
            (format!("{a}{b}\n{c}"), &["a", "b", "c"], 0),
            (format!("data: {a}\ndata: {b}\n"), &["a", "b"], 0),
            (format!("{{\n  \"id\": \"a\",\n  \"confidence\": 1\n}}\n{b}\n"), &["a", "b"], 0),
            ("Nothing fits.".to_owned(), &[], 0),
            (String::new(), &[], 0),
        ] {
            assert_eq!(read(&[&text], false), (good.iter().map(|id| (*id).to_owned()).collect(), bad), "{text}");
            let single: Vec<String> = text.chars().map(String::from).collect();
            let pieces: Vec<&str> = single.iter().map(String::as_str).collect();
            assert_eq!(read(&pieces, false).0, good, "{text} in pieces");
        }
    }

    #[test]
    fn what_a_broken_stream_has_completed_is_kept_and_what_it_cut_off_is_not_bad() {
        let (a, b) = (line("a"), line("b"));
        let text = format!("{a}\n{b}");
        for cut in 0..=text.len() {
            let good: Vec<&str> = [(a.len(), "a"), (text.len(), "b")]
                .iter()
                .filter_map(|(end, id)| (*end <= cut).then_some(*id))
                .collect();
            let (ids, bad) = read(&[&text[..cut]], true);
            assert_eq!((ids.iter().map(String::as_str).collect::<Vec<_>>(), bad), (good, 0), "cut at {cut}");
        }
        assert_eq!(read(&[&text[..text.len() - 1]], false), (vec!["a".to_owned()], 1));
    }
}
