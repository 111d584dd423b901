//! Server-sent events, as specified in section 9.2.6 of the HTML standard; ids and reconnection times are not used
//! here.

use super::{Frame, MAX_FRAME_BYTES, TooLong};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Collects events. Lines end with LF, CR LF or CR.
#[derive(Debug, Default)]
pub struct ServerSentEvents {
    line: Vec<u8>,
    /// The last byte was a CR, so a following LF does not end another line.
    after_return: bool,
    /// Whether a line has been read: a byte order mark before the first is dropped.
    has_read_line: bool,
    frame: Frame,
    has_data: bool,
}

impl ServerSentEvents {
    /// Returns the events that these bytes complete.
    ///
    /// # Errors
    /// For an event that exceeds the maximum length.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Frame>, TooLong> {
        let mut frames = Vec::new();
        for byte in bytes {
            match byte {
                b'\n' if self.after_return => self.after_return = false,
                b'\n' | b'\r' => {
                    self.after_return = *byte == b'\r';
                    frames.extend(self.end_line());
                }
                _ => {
                    self.after_return = false;
                    self.line.push(*byte);
                }
            }
        }
        if self.line.len() + self.frame.data.len() > MAX_FRAME_BYTES { Err(TooLong) } else { Ok(frames) }
    }

    /// Returns whether the last event has the empty line after it.
    pub(super) const fn is_between_events(&self) -> bool {
        self.line.is_empty() && !self.has_data
    }

    /// Ends a line. Returns the event if the line is empty.
    fn end_line(&mut self) -> Option<Frame> {
        let line = std::mem::take(&mut self.line);
        let unmarked = line.strip_prefix(BYTE_ORDER_MARK).filter(|_| !self.has_read_line);
        let line = String::from_utf8_lossy(unmarked.unwrap_or(&line));
        self.has_read_line = true;
        if line.is_empty() {
            let frame = std::mem::take(&mut self.frame);
            return std::mem::take(&mut self.has_data).then_some(frame);
        }
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => self.add(value),
            // Not in the standard: until late 2025 llama.cpp reported its errors this way.
            "error" if !value.is_empty() => {
                "error".clone_into(&mut self.frame.event);
                self.add(value);
            }
            "event" => value.clone_into(&mut self.frame.event),
            // A comment has an empty field name.
            _ => {}
        }
        None
    }

    fn add(&mut self, value: &str) {
        if self.has_data {
            self.frame.data.push('\n');
        }
        self.frame.data.push_str(value);
        self.has_data = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = "\u{feff}: hello\r\nevent: delta\r\ndata: {\"a\":\r\ndata:\"ü\"}\r\n\r\n\
        data: one\rdata\r\rid: 7\nretry: 10\n\nevent: silent\n\ndata:  two\n\ndata: never ended";

    fn frame(event: &str, data: &str) -> Frame {
        Frame { event: event.to_owned(), data: data.to_owned() }
    }

    #[test]
    fn events_are_whole_wherever_they_are_cut() {
        let stream = STREAM.as_bytes();
        let expected = [frame("delta", "{\"a\":\n\"ü\"}"), frame("", "one\n"), frame("", " two")];
        for first in 0..=stream.len() {
            for second in [first, (first + 3).min(stream.len())] {
                let mut events = ServerSentEvents::default();
                let mut read = Vec::new();
                for part in [&stream[..first], &stream[first..second], &stream[second..]] {
                    read.extend(events.push(part).unwrap());
                }
                assert_eq!(read, expected, "cut at {first} and {second}");
            }
        }
    }

    #[test]
    fn an_event_without_its_empty_line_is_not_between_events() {
        for (stream, is_between) in [("", true), ("data: 1\n\n", true), ("data: 1\n", false), ("data: 1", false)] {
            let mut events = ServerSentEvents::default();
            events.push(stream.as_bytes()).unwrap();
            assert_eq!(events.is_between_events(), is_between, "{stream}");
        }
    }

    #[test]
    fn byte_by_byte_is_the_same() {
        let mut events = ServerSentEvents::default();
        let read: Vec<Frame> = STREAM.bytes().flat_map(|byte| events.push(&[byte]).unwrap()).collect();
        assert_eq!(read.len(), 3);
    }

    #[test]
    fn an_error_in_a_field_of_its_own_is_an_event() {
        let mut events = ServerSentEvents::default();
        let read = events.push(b"error: {\"code\":500}\n\nerror\n\ndata: [DONE]\n\n").unwrap();
        assert_eq!(read, [frame("error", "{\"code\":500}"), frame("", "[DONE]")]);
    }

    #[test]
    fn an_event_without_an_end_is_given_up() {
        let mut events = ServerSentEvents::default();
        let line = format!("data: {}\n", "x".repeat(1 << 20));
        let outcomes: Vec<_> = (0..9).map(|_| events.push(line.as_bytes())).collect();
        assert_eq!(outcomes.last(), Some(&Err(TooLong)));
    }
}
