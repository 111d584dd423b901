//! Collects the output of one attempt and forwards it: text without the model's thinking, or lines that match the
//! schema.

use serde_json::{Map, Value};

use super::{Events, StreamEvent};
use crate::answer::{BadLine, LineReader, ReadLine, TextEvent, TextFilter};
use crate::call_log;
use crate::tasks::{AnswerKind, Task};
use aha_core::ids::CallId;

/// The data collected so far.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) text: String,
    /// Lines of earlier attempts come first.
    pub(super) lines: Vec<Map<String, Value>>,
    /// Number of lines of this attempt that match the schema, those of earlier attempts included if it repeats them.
    pub(super) good_lines: u64,
    pub(super) bad_lines: usize,
    /// The problem of the first bad line.
    pub(super) first_bad: Option<String>,
}

/// Takes the pieces of one answer as they arrive, sends an event for each usable text or line, and keeps them in
/// [`Collected`].
pub(super) struct Collector {
    reader: Reader,
    pub(super) collected: Collected,
    events: Events,
    /// Identifies its lines in the log.
    call: CallId,
    purpose: &'static str,
}

enum Reader {
    Text(TextFilter),
    Lines(LineReader),
}

impl Collector {
    pub(super) fn of(task: Task, call: CallId, earlier: Vec<Map<String, Value>>, events: Events) -> Self {
        let reader = match task.spec().answer {
            AnswerKind::Lines(_) => Reader::Lines(LineReader::of(task)),
            AnswerKind::Object(_) | AnswerKind::FirstObject(_) | AnswerKind::Batch(_) | AnswerKind::Text => {
                Reader::Text(TextFilter::default())
            }
        };
        let collected = Collected { lines: earlier, ..Collected::default() };
        Self { reader, collected, events, call, purpose: task.as_str() }
    }

    pub(super) fn push(&mut self, piece: &str) {
        match &mut self.reader {
            Reader::Text(filter) => {
                for words in filter.push(piece) {
                    self.send(match words {
                        TextEvent::More(text) => StreamEvent::Text(text),
                        TextEvent::Void => StreamEvent::Void,
                    });
                }
            }
            Reader::Lines(reader) => {
                let lines = reader.push(piece);
                self.add(lines);
            }
        }
    }

    /// Returns whether the text so far is an answer in lines that ends with a complete line.
    pub(super) fn is_at_line_end(&self) -> bool {
        matches!(&self.reader, Reader::Lines(reader) if reader.is_at_line_end())
    }

    /// Ends the input; `is_broken`: because the stream broke.
    pub(super) fn finish(&mut self, is_broken: bool) {
        match &mut self.reader {
            Reader::Text(filter) => {
                let rest = filter.finish();
                filter.text().trim().clone_into(&mut self.collected.text);
                if let Some(rest) = rest {
                    self.send(StreamEvent::Text(rest));
                }
            }
            Reader::Lines(reader) => {
                let lines = reader.finish(is_broken);
                self.add(lines);
            }
        }
    }

    fn add(&mut self, lines: Vec<ReadLine>) {
        for line in lines {
            if let ReadLine::Good(line) = &line {
                self.collected.good_lines += 1;
                call_log::chunk(self.call, self.purpose, self.collected.good_lines, line);
            }
            match line {
                ReadLine::Good(line) if self.collected.lines.contains(&line) => {}
                ReadLine::Good(line) => {
                    self.collected.lines.push(line.clone());
                    self.send(StreamEvent::Line(line));
                }
                ReadLine::Bad(BadLine { line, why }) => {
                    self.collected.bad_lines += 1;
                    self.collected.first_bad.get_or_insert_with(|| why.clone());
                    self.send(StreamEvent::BadLine { line, error: why });
                }
            }
        }
    }

    fn send(&self, event: StreamEvent) {
        // The receiver may have been dropped.
        let _ = self.events.send(Ok(event));
    }
}
