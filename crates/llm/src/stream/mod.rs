//! From the bytes of a stream to its events, wherever the network cuts them.
//!
//! Comes in: chunks of bytes. Goes out: frames, each whole. What they say is the dialects' business.

mod lines;
mod sent;
mod server_sent_events;

pub use lines::Lines;
pub(crate) use sent::sent_by;
pub use server_sent_events::ServerSentEvents;

/// Bytes that one frame may have: a server that sends no line's end is not gathered for ever.
const MAX_FRAME_BYTES: usize = 8 << 20;

/// One event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frame {
    /// The event's name, empty where it has none.
    pub event: String,
    pub data: String,
}

/// How a stream is cut into frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// `text/event-stream`, as the HTML standard has it.
    ServerSentEvents,
    /// A JSON value a line.
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

/// Gathers bytes until they make frames.
#[derive(Debug)]
pub enum Decoder {
    ServerSentEvents(ServerSentEvents),
    Lines(Lines),
}

impl Decoder {
    /// The frames that these bytes complete.
    ///
    /// # Errors
    /// For a frame that does not end.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Frame>, TooLong> {
        match self {
            Self::ServerSentEvents(decoder) => decoder.push(bytes),
            Self::Lines(decoder) => Ok(decoder.push(bytes)?.into_iter().map(of_line).collect()),
        }
    }

    /// What the end of the stream completes: a last line without an end, where it is whole; an event without the empty line after
    /// it is dropped, as the standard says.
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
