//! Splits the bytes of a stream into events, wherever the network cuts them.
//!
//! Input: chunks of bytes. Output: complete frames, which the dialects interpret.

mod from_future;
mod lines;
mod server_sent_events;

pub(crate) use from_future::stream_from;
pub use lines::Lines;
pub use server_sent_events::ServerSentEvents;

/// Maximum bytes of one frame, so that a server that sends no line end cannot exhaust memory.
const MAX_FRAME_BYTES: usize = 8 << 20;

/// One event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frame {
    /// The event's name; empty where it has none.
    pub event: String,
    pub data: String,
}

/// How a stream is split into frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// `text/event-stream`, as in the HTML standard.
    ServerSentEvents,
    /// One JSON value per line.
    Lines,
}

impl Framing {
    #[must_use]
    pub fn decoder(self) -> Decoder {
        match self {
            Self::ServerSentEvents => Decoder::ServerSentEvents(ServerSentEvents::default()),
            Self::Lines => Decoder::Lines(Lines::default()),
        }
    }
}

/// Collects bytes until they form frames.
#[derive(Debug)]
pub enum Decoder {
    ServerSentEvents(ServerSentEvents),
    Lines(Lines),
}

impl Decoder {
    /// Returns the frames that these bytes complete.
    ///
    /// # Errors
    /// For a frame that exceeds the maximum length.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Frame>, TooLong> {
        match self {
            Self::ServerSentEvents(decoder) => decoder.push(bytes),
            Self::Lines(decoder) => Ok(decoder.push(bytes)?.into_iter().map(of_line).collect()),
        }
    }

    /// Returns whether the bytes so far end with a complete frame.
    #[must_use]
    pub const fn is_between_frames(&self) -> bool {
        match self {
            Self::ServerSentEvents(decoder) => decoder.is_between_events(),
            Self::Lines(decoder) => decoder.is_between_lines(),
        }
    }

    /// Returns the frame that the end of the stream completes: a last line without a line end. An event without the
    /// empty line after it is dropped, as the standard requires.
    #[must_use]
    pub fn finish(self) -> Option<Frame> {
        match self {
            Self::ServerSentEvents(_) => None,
            Self::Lines(decoder) => decoder.finish().map(of_line),
        }
    }
}

fn of_line(data: String) -> Frame {
    Frame { event: String::new(), data }
}

/// A frame has more than [`MAX_FRAME_BYTES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLong;
