//! Gathers what comes of one attempt, and sends it on: words without the model's thoughts, or lines that fit the schema.

use serde_json::{Map, Value};

use super::{Events, StreamEvent};
use crate::answer::{BadLine, LineReader, ReadLine, Words, WordsFilter};
use crate::call_log;
use crate::tasks::{AnswerKind, Task};
use aha_core::ids::CallId;

/// What has come.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) text: String,
    /// Those of earlier attempts first.
    pub(super) lines: Vec<Map<String, Value>>,
    pub(super) bad_lines: usize,
    /// What is wrong with the first bad one.
    pub(super) first_bad: Option<String>,
}

/// See the module.
pub(super) struct Collector {
    reader: Reader,
    pub(super) collected: Collected,
    events: Events,
    /// By which its lines are known in the log.
    call: CallId,
    purpose: &'static str,
    /// Lines of this attempt, as they are counted in the log.
    pub(super) chunks: u64,
}

enum Reader {
    Words(WordsFilter),
    Lines(LineReader),
}

impl Collector {
    pub(super) fn of(task: Task, call: CallId, earlier: Vec<Map<String, Value>>, events: Events) -> Self {
        let reader = match task.spec().answer {
            AnswerKind::Lines(_) => Reader::Lines(LineReader::of(task)),
            AnswerKind::Object(_) | AnswerKind::Batch(_) | AnswerKind::Text => Reader::Words(WordsFilter::default()),
        };
        let collected = Collected { lines: earlier, ..Collected::default() };
        Self { reader, collected, events, call, purpose: task.as_str(), chunks: 0 }
    }

    pub(super) fn push(&mut self, piece: &str) {
        match &mut self.reader {
            Reader::Words(filter) => {
                for words in filter.push(piece) {
                    self.send(match words {
                        Words::More(text) => StreamEvent::Text(text),
                        Words::Void => StreamEvent::Void,
                    });
                }
            }
            Reader::Lines(reader) => {
                let lines = reader.push(piece);
                self.add(lines);
            }
        }
    }

    /// Nothing more comes; `is_broken`: because the stream broke.
    pub(super) fn finish(&mut self, is_broken: bool) {
        match &mut self.reader {
            Reader::Words(filter) => {
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
                self.chunks += 1;
                call_log::chunk(self.call, self.purpose, self.chunks, line);
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
        // Nobody may be reading any more.
        let _ = self.events.send(Ok(event));
    }
}
