//! Properties of the streams of every dialect, wherever the network cuts them. To cover a further dialect, add an entry
//! to [`RECORDED`].

use async_trait::async_trait;
use bytes::Bytes;
use futures::StreamExt as _;
use reqwest::header::HeaderMap;
use serde_json::Value;
use std::time::{Duration, SystemTime};

use super::{AnswerFormat, DIALECTS, ModelRequest, Server, Usage, by_name};
use crate::answer::{LineReader, ReadLine};
use crate::error::CallError;
use crate::exchange::{EncodedRequest, ExchangeEvent, ExchangeResult};
use crate::router::Connection;
use crate::stream::Framing;
use crate::streaming_only::StreamingOnly;
use crate::tasks::journal::CLASSIFY;
use crate::transport::{Timeouts, Transport, WireRequest, WireStream};

/// A complete stream.
struct Recorded {
    dialect: &'static str,
    /// Each event as sent, and the text that it adds to the answer.
    events: &'static [(&'static str, &'static str)],
    /// Index of the event that completes the answer.
    end: usize,
}

const RECORDED: &[Recorded] = &[
    Recorded {
        dialect: "openai",
        events: &[
            ("event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"r1\"}}\n\n", ""),
            ("event: d\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"{\\\"a\\\":\"}\n\n", "{\"a\":"),
            (": a comment\r\n\r\n", ""),
            ("data: {\"type\":\"response.output_text.delta\",\r\ndata: \"delta\":\" \\\"ü\"}\r\n\r\n", " \"ü"),
            ("data: {\"type\":\"response.output_text.delta\",\"delta\":\"🦀\\n\\\"}\"}\n\n", "🦀\n\"}"),
            (
                "data: {\"type\":\"response.completed\",\"response\":{\"id\":\"r1\",\"status\":\"completed\",\"output\":[{\
                 \"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"{\\\"a\\\": \\\"ü🦀\\n\\\"}\"}]}],\
                 \"usage\":{\"input_tokens\":7,\"output_tokens\":3}}}\n\n",
                "",
            ),
        ],
        end: 5,
    },
    Recorded {
        dialect: "openai_compatible",
        events: &[
            (
                "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n",
                "",
            ),
            (": ping\n\n", ""),
            ("data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"{\\\"ü\"}}]}\n\n", "{\"ü"),
            ("data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"🦀\\\":1\"}}]}\r\n\r\n", "🦀\":1"),
            (
                "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"}\"},\"finish_reason\":\"stop\"}]}\n\n",
                "}",
            ),
            ("data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3}}\n\n", ""),
            ("data: [DONE]\n\n", ""),
        ],
        end: 4,
    },
    Recorded {
        dialect: "anthropic",
        events: &[
            (
                "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m1\",\"usage\":{\
                 \"input_tokens\":7,\"output_tokens\":1}}}\n\n",
                "",
            ),
            ("event: ping\ndata: {\"type\":\"ping\"}\n\n", ""),
            (
                "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
                "",
            ),
            (
                "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"{\\\"ü\"}}\r\n\r\n",
                "{\"ü",
            ),
            (
                "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"🦀\\\":1}\"}}\n\n",
                "🦀\":1}",
            ),
            ("data: {\"type\":\"content_block_stop\",\"index\":0}\n\n", ""),
            (
                "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":3}}\n\n",
                "",
            ),
            ("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n", ""),
        ],
        end: 7,
    },
    Recorded {
        dialect: "gemini",
        events: &[
            (
                "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"{\\\"ü\"}]}}],\"responseId\":\"g1\"}\r\n\r\n",
                "{\"ü",
            ),
            (
                "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"hm\",\"thought\":true},{\"text\":\"🦀\\\":\"}]}}]}\n\n",
                "🦀\":",
            ),
            (
                "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"1}\"}]},\"finishReason\":\"STOP\"}],\
                 \"usageMetadata\":{\"promptTokenCount\":7,\"candidatesTokenCount\":3}}\n\n",
                "1}",
            ),
        ],
        end: 2,
    },
    Recorded {
        dialect: "ollama",
        events: &[
            ("{\"message\":{\"role\":\"assistant\",\"content\":\"{\\\"ü\"},\"done\":false}\n", "{\"ü"),
            ("{\"message\":{\"content\":\"\",\"thinking\":\"hm\"},\"done\":false}\r\n", ""),
            ("\n", ""),
            ("{\"message\":{\"content\":\"🦀\\\": {\"},\"done\":false}\n", "🦀\": {"),
            (
                "{\"message\":{\"content\":\"}}\"},\"done\":true,\"done_reason\":\"stop\",\
                 \"prompt_eval_count\":7,\"eval_count\":3}\n",
                "}}",
            ),
        ],
        end: 4,
    },
];

impl Recorded {
    fn bytes(&self) -> Vec<u8> {
        self.events.iter().flat_map(|(sent, _)| sent.bytes()).collect()
    }

    /// Returns how many events are complete in the first `bytes` bytes: a line without its end, an event after the CR
    /// of the empty line that follows it.
    fn whole(&self, bytes: usize, framing: Framing) -> usize {
        let mut start = 0;
        let ends = self.events.iter().map(|(sent, _)| {
            let end = match framing {
                Framing::Lines => sent.trim_end().len(),
                Framing::ServerSentEvents => sent.len() - usize::from(sent.ends_with("\r\n")),
            };
            start += sent.len();
            start - sent.len() + end
        });
        ends.take_while(|end| *end <= bytes).count()
    }

    fn text(&self, events: usize) -> String {
        self.events[..events].iter().map(|(_, text)| *text).collect()
    }
}

/// Sends these pieces, and then ends or breaks.
#[derive(Debug)]
struct Replay {
    pieces: Vec<Bytes>,
    broken: bool,
}

#[async_trait]
impl Transport for Replay {
    async fn open(&self, _: &WireRequest, _: Timeouts) -> Result<WireStream, CallError> {
        let end = self.broken.then(|| Err(CallError::Interrupted("on order".to_owned())));
        let chunks: Vec<_> = self.pieces.iter().cloned().map(Ok).chain(end).collect();
        Ok(WireStream { status: 200, headers: HeaderMap::new(), chunks: futures::stream::iter(chunks).boxed() })
    }
}

/// Returns the result of the pieces, and the text emitted before it.
async fn replayed(dialect: &str, pieces: Vec<Bytes>, broken: bool) -> (ExchangeResult, String) {
    let dialect = by_name(dialect).unwrap();
    let server = Server { endpoint: "http://h/".parse().unwrap(), key: None, headers: HeaderMap::new() };
    let wire = Connection {
        dialect,
        server,
        timeouts: Timeouts::of(Duration::from_secs(1)),
        streaming_only: StreamingOnly::default(),
    };
    let request = ModelRequest {
        stream: true,
        ..ModelRequest::question("m", String::new(), "?".to_owned(), AnswerFormat::Json, 100)
    };
    let encoded = EncodedRequest::new(&wire, request).unwrap();
    let replay = Replay { pieces, broken };
    let mut events: Vec<_> = encoded.exchange(&replay, SystemTime::UNIX_EPOCH).collect().await;
    let Some(ExchangeEvent::Ended(exchanged)) = events.pop() else { panic!("it did not end: {events:?}") };
    let heard = events.into_iter().map(|event| match event {
        ExchangeEvent::Text(piece) => piece,
        ExchangeEvent::Ended(_) => panic!("it ended twice"),
    });
    let heard = heard.collect();
    (exchanged, heard)
}

fn byte_by_byte(bytes: &[u8]) -> Vec<Bytes> {
    bytes.iter().map(|byte| Bytes::copy_from_slice(&[*byte])).collect()
}

#[test]
fn every_dialect_has_a_recorded_stream() {
    for (name, dialect) in DIALECTS {
        assert!(RECORDED.iter().any(|recorded| recorded.dialect == *name), "{name} has none");
        assert_eq!(format!("{:?}", by_name(name).unwrap()), format!("{dialect:?}"));
    }
    assert!(by_name("nobody").is_none());
}

#[tokio::test]
async fn a_stream_cut_at_any_byte_keeps_what_was_complete_and_nothing_else() {
    for recorded in RECORDED {
        let (stream, framing) = (recorded.bytes(), by_name(recorded.dialect).unwrap().framing());
        for cut in 0..=stream.len() {
            let sent = &stream[..cut];
            let events = recorded.whole(cut, framing);
            let is_complete = events > recorded.end;
            for pieces in [vec![Bytes::copy_from_slice(sent)], byte_by_byte(sent)] {
                for broken in [false, true] {
                    let (ExchangeResult { reply, streamed, unreadable, .. }, heard) =
                        replayed(recorded.dialect, pieces.clone(), broken).await;
                    let place = format!("{} cut at {cut}, broken: {broken}", recorded.dialect);
                    assert_eq!(streamed, recorded.text(events), "{place}");
                    assert_eq!((heard, unreadable), (streamed.clone(), 0), "{place}");
                    match reply.outcome {
                        Ok(text) => assert_eq!((text, is_complete), (streamed, true), "{place}"),
                        Err(error) => assert_eq!((error.kind(), is_complete), ("interrupted", false), "{place}"),
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn a_whole_stream_is_the_same_however_it_is_cut() {
    for recorded in RECORDED {
        let stream = recorded.bytes();
        let whole = recorded.text(recorded.events.len());
        let in_two =
            (0..=stream.len()).map(|cut| [&stream[..cut], &stream[cut..]].map(Bytes::copy_from_slice).to_vec());
        for pieces in in_two.chain([byte_by_byte(&stream)]) {
            let (ExchangeResult { reply, streamed, unreadable, .. }, _) =
                replayed(recorded.dialect, pieces, false).await;
            assert_eq!((reply.outcome, streamed.as_str(), unreadable), (Ok(whole.clone()), whole.as_str(), 0));
            let usage = reply.usage.map(|usage| (usage.input_tokens, usage.output_tokens));
            assert_eq!(usage, Some((7, 3)), "{}", recorded.dialect);
        }
    }
}

/// The journal's recorded answers in lines, in both wire formats.
const RECORDED_LINES: [(&str, &str); 2] = [
    ("openai_compatible", include_str!("../../../../tests/data/exchanges/journal/chat_completions.json")),
    ("ollama", include_str!("../../../../tests/data/exchanges/journal/ollama_chat.json")),
];

/// Returns the ids of the good lines in the emitted text.
fn good_lines(heard: &str, is_broken: bool) -> Vec<String> {
    let mut reader = LineReader::of(CLASSIFY);
    let mut read = reader.push(heard);
    read.extend(reader.finish(is_broken));
    let id = |line| match line {
        ReadLine::Good(object) => object["block_id"].as_str().map(str::to_owned),
        ReadLine::Bad(_) => None,
    };
    read.into_iter().filter_map(id).collect()
}

#[tokio::test]
async fn recorded_lines_cut_at_every_byte_keep_what_was_complete_and_nothing_else() {
    for (dialect, file) in RECORDED_LINES {
        let recorded: Value = serde_json::from_str(file).unwrap();
        let stream = recorded["exchanges"][0]["body"].as_str().unwrap().as_bytes().to_vec();
        let (_, whole) = replayed(dialect, vec![stream.clone().into()], false).await;
        // The position in the text where each good object ends.
        let ends: Vec<(usize, String)> = ["b3", "b99", "b5", "b6"]
            .iter()
            .map(|id| {
                let start = whole.find(&format!("{{\"block_id\": \"{id}\"")).unwrap();
                (start + whole[start..].find("\"}\n").unwrap() + 2, (*id).to_owned())
            })
            .collect();
        assert_eq!(good_lines(&whole, false), ends.iter().map(|(_, id)| id.clone()).collect::<Vec<_>>());
        for cut in 0..=stream.len() {
            let (exchanged, heard) = replayed(dialect, vec![Bytes::copy_from_slice(&stream[..cut])], true).await;
            assert!(whole.starts_with(&heard), "{dialect} cut at {cut}");
            let complete = ends.iter().filter(|(end, _)| *end <= heard.len()).map(|(_, id)| id.clone());
            let kept = good_lines(&heard, exchanged.reply.outcome.is_err());
            assert_eq!(kept, complete.collect::<Vec<_>>(), "{dialect} cut at {cut}");
        }
    }
}

#[test]
fn a_usage_of_more_than_any_model_reads_or_with_a_part_above_its_whole_cannot_be_true() {
    let usage = |input_tokens, output_tokens| Usage { input_tokens, output_tokens, ..Usage::default() };
    assert!(Usage { cached_input_tokens: Some(10), reasoning_tokens: Some(5), ..usage(10, 5) }.is_plausible());
    assert!(!Usage { cached_input_tokens: Some(11), ..usage(10, 5) }.is_plausible());
    assert!(!Usage { reasoning_tokens: Some(6), ..usage(10, 5) }.is_plausible());
    for (count, expected) in [(0, Some(0)), (2_000_000, Some(2_000_000)), (10_000_001, None), (-1, None)] {
        assert_eq!(super::failure::tokens(&Value::from(count)), expected, "{count}");
    }
}
