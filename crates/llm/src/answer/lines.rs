//! Reads an answer of one JSON object a line (NDJSON) as it streams in. Each line is parsed and checked separately, so
//! a bad line does not affect the others, and complete lines survive a broken stream.
//!
//! Fences, prose and thinking text around the objects are skipped. A line that is meant as an object but cannot be
//! parsed, or does not match the schema, counts as bad.

use serde_json::{Map, Value};

use super::extract;
use super::text_filter::{TextEvent, TextFilter};
use crate::error::CallError;
use crate::schema;
use crate::tasks::Task;

/// Maximum size, in bytes, of an object written over several lines.
const MAX_PENDING_BYTES: usize = 64 << 10;
/// The same in lines. After each line the object is read from its start, so this bounds the work of reading it.
const MAX_PENDING_LINES: usize = 1_000;

/// The result of reading a line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ReadLine {
    Good(Map<String, Value>),
    Bad(BadLine),
}

/// A rejected line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BadLine {
    pub(crate) line: String,
    pub(crate) why: String,
}

/// Collects pieces of text and returns the lines that they complete.
#[derive(Debug)]
pub(crate) struct LineReader {
    task: Task,
    filter: TextFilter,
    /// A line without its end.
    partial_line: String,
    /// An object that is not closed yet, and its number of lines.
    pending: String,
    pending_lines: usize,
}

impl LineReader {
    pub(crate) fn of(task: Task) -> Self {
        let (partial_line, pending) = (String::new(), String::new());
        Self { task, filter: TextFilter::default(), partial_line, pending, pending_lines: 0 }
    }

    pub(crate) fn push(&mut self, piece: &str) -> Vec<ReadLine> {
        let mut read = Vec::new();
        for event in self.filter.push(piece) {
            match event {
                TextEvent::More(text) => {
                    let mut pieces = text.split('\n');
                    self.partial_line.push_str(pieces.next().unwrap_or_default());
                    for piece in pieces {
                        let line = std::mem::replace(&mut self.partial_line, piece.to_owned());
                        self.read_line(line.trim(), &mut read);
                    }
                }
                TextEvent::Void => {
                    self.partial_line.clear();
                    self.pending.clear();
                }
            }
        }
        read
    }

    /// Returns whether the text so far ends with a complete line, so that nothing was cut off if the answer ends here. A
    /// last line without a line end is complete if it is an object, or the end of a fence or a list.
    pub(crate) fn is_at_line_end(&self) -> bool {
        let last = self.partial_line.trim();
        let is_cut = |last: &str| last.contains(|c: char| c == '{' || c == '"' || c.is_alphanumeric());
        self.filter.may_end() && self.pending.is_empty() && (is_object(last) || !is_cut(last))
    }

    /// Reads the last line, which has no line end. Where the stream broke (`is_broken`), an unreadable last line was
    /// cut off and does not count as bad.
    pub(crate) fn finish(&mut self, is_broken: bool) -> Vec<ReadLine> {
        let mut read = Vec::new();
        self.partial_line.extend(self.filter.finish());
        let last = std::mem::take(&mut self.partial_line);
        self.read_line(last.trim(), &mut read);
        let pending = std::mem::take(&mut self.pending);
        if !pending.is_empty() {
            read.push(unfinished(&pending));
        }
        if is_broken {
            read.retain(|line| matches!(line, ReadLine::Good(_)));
        }
        read
    }

    fn read_line(&mut self, line: &str, read: &mut Vec<ReadLine>) {
        if !self.pending.is_empty() {
            if !is_object(line) && (!line.starts_with('{') || may_contain_object(&self.pending)) {
                self.pending.push('\n');
                self.pending.push_str(line);
                self.pending_lines += 1;
                if self.pending.len() > MAX_PENDING_BYTES || self.pending_lines > MAX_PENDING_LINES {
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
            self.pending_lines = 1;
        } else if line.contains('{') {
            self.objects(line, read);
        }
    }

    /// Reads the objects of a line: one, or several where the model omitted the line break between them.
    fn objects(&self, line: &str, read: &mut Vec<ReadLine>) {
        match extract::extract_all(line) {
            Ok(objects) => read.extend(objects.into_iter().map(|object| self.checked(object))),
            Err(error) => read.push(bad(line, error.into_error(None).to_string())),
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

/// Reads the lines of a complete text. Returns the good lines and the number of bad ones.
///
/// # Errors
/// [`CallError::Invalid`] when all lines are bad.
pub(super) fn read_all(task: Task, text: &str) -> Result<(Vec<Map<String, Value>>, usize), CallError> {
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

/// Whether an object may follow within one that is not closed yet: as the value of a field, or in a list. Otherwise a
/// line that begins with a brace is the next object, and the one before it never ends.
fn may_contain_object(pending: &str) -> bool {
    let (mut open, mut last) = (Vec::new(), ' ');
    let (mut is_quoted, mut is_escaped) = (false, false);
    for c in pending.chars() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            '{' | '[' if !is_quoted => open.push(c),
            '}' | ']' if !is_quoted => {
                open.pop();
            }
            _ => {}
        }
        if !c.is_whitespace() {
            last = c;
        }
    }
    let follows = if open.last() == Some(&'[') { matches!(last, '[' | ',') } else { last == ':' };
    follows && !is_quoted
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

    /// Returns the `id`s of the good lines and the number of bad lines.
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
            (format!("{{\"id\": \"broken\n{{\"id\": \"too\n{a}\n"), &["a"], 2),
            (format!("{{\"id\": \"x\", \"confidence\": 1\n{{\"id\": \"y\", \"confidence\": 1\n{a}\n"), &["a"], 2),
            (format!("{{\n\"id\": \"x\",\n\"more\":\n{{\n\"x\": [\n{{\n}}\n]\n}}\n}}\n{a}\n"), &["a"], 1),
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
    fn a_text_ends_with_a_complete_line_or_not() {
        let a = line("a");
        for (text, is_at_end) in [
            (String::new(), true),
            (a.clone(), true),
            (format!("{a}\n"), true),
            (format!("```json\n{a}\n```"), true),
            (format!("{a}\nno object\n"), true),
            (format!("{a}\n{{"), false),
            (format!("{a}\n{}", &a[..a.len() - 1]), false),
            (format!("{a}\n{{\n\"id\": \"b\",\n"), false),
            (format!("{a}\nAnd the next"), false),
            (format!("<think>{a}\n"), false),
            (format!("<response>{a}\n"), false),
        ] {
            let mut reader = LineReader::of(LINES);
            reader.push(&text);
            assert_eq!(reader.is_at_line_end(), is_at_end, "{text}");
        }
    }

    #[test]
    fn an_object_of_too_many_lines_is_bad_and_what_follows_is_read() {
        let spread =
            |lines: usize| format!("{{{}\"id\": \"a\", \"confidence\": 1}}\n{}\n", "\n".repeat(lines), line("b"));
        assert_eq!(read(&[&spread(MAX_PENDING_LINES - 1)], false), (vec!["a".to_owned(), "b".to_owned()], 0));
        assert_eq!(read(&[&spread(MAX_PENDING_LINES)], false), (vec!["b".to_owned()], 1));
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
