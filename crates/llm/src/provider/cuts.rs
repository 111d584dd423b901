//! Test support: a recorded stream, cut at every position where a network may cut it.

use super::{Dialect, ModelRequest, Reply};
use crate::error::CallError;

/// Returns a reader's reply to some bytes, and the text received.
pub(super) fn read(dialect: &dyn Dialect, request: &ModelRequest, chunks: &[&[u8]]) -> (Reply, String) {
    let mut reader = dialect.reader(request);
    let mut decoder = dialect.framing().decoder();
    let mut text = String::new();
    for frame in chunks.iter().flat_map(|chunk| decoder.push(chunk).unwrap()) {
        if !reader.is_over() {
            text.push_str(&reader.event(&frame).unwrap_or_default().unwrap_or_default());
        }
    }
    let reply = reader.close(&text, None);
    (reply, text)
}

/// Checks a stream cut at every byte: the text of exactly the complete events is returned, and the result is an answer
/// once the event with the index `last` is complete, and interrupted before. `events`: each with its text.
pub(super) fn check(dialect: &dyn Dialect, request: &ModelRequest, events: &[(&str, &str)], last: usize) -> Reply {
    let stream: String = events.iter().map(|(event, _)| *event).collect();
    let bytes = stream.as_bytes();
    for cut in 0..=bytes.len() {
        let (mut complete, mut end, mut expected) = (0, 0, String::new());
        for (event, text) in events {
            end += event.len();
            // The CR alone ends the last line.
            if end - usize::from(event.ends_with("\r\n")) <= cut {
                complete += 1;
                expected.push_str(text);
            }
        }
        let (reply, text) = read(dialect, request, &[&bytes[..cut]]);
        assert_eq!(text, expected, "cut at {cut}");
        if complete > last {
            assert_eq!(reply.outcome, Ok(expected), "cut at {cut}");
        } else {
            assert!(matches!(reply.outcome, Err(CallError::Interrupted(_))), "cut at {cut}: {reply:?}");
            assert_eq!(reply.usage, None, "cut at {cut}: what is not settled is not known");
        }
    }
    let whole = read(dialect, request, &[bytes]);
    assert_eq!(read(dialect, request, &bytes.chunks(1).collect::<Vec<_>>()), whole);
    whole.0
}
