//! What can go wrong on order, and whether the provider charges for it all the same.

use std::time::Duration;

use serde_json::Value;

use super::recorded;

/// What the usage of an answer says instead of the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reported {
    Missing,
    Null,
    Negative,
    /// 10^15 tokens each way.
    Huge,
    /// Texts in place of numbers.
    Words,
    /// 50 million tokens each way: numbers that some request may have, but not this one.
    TooMany,
    /// More tokens from a cache than went in.
    CachedBeyondInput,
}

/// One thing that goes wrong. The names say what the client sees; the groups say who pays.
#[derive(Debug, Clone)]
pub enum Fault {
    // Refused with a status of HTTP: not billed.
    /// With the error object that belongs to the status; 502 with a proxy's HTML.
    Status(u16),
    ModelNotFound,
    /// 429 with this `Retry-After` (seconds or an HTTP date), or none.
    RateLimited(Option<String>),
    InsufficientQuota,
    /// 307 to another host; see [`super::OpenAi::strays`].
    Redirect,

    // The server's own failure, said with 200: not billed.
    /// `status: failed` with an error object and no usage.
    Failed,

    // The same, after the model has worked: billed.
    /// `status: failed` with an error object and usage.
    FailedAfterWork,

    // The request was read and the model has worked; how the answer travels: billed.
    /// 204 and no body.
    NoContent,
    Late(Duration),
    StallBeforeFirstByte,
    StallInBody,
    Reset,
    CutInBody,
    /// The right answer, then white space up to 20 MB.
    Enormous,
    /// 200 with a page of HTML.
    NotJson,

    // How the answer ends: billed.
    /// `status: incomplete` for `max_output_tokens`, half an object.
    Incomplete,
    /// `status: completed`, as many output tokens as allowed, half an object: what llama.cpp says.
    CutAtCap,
    Refusal,
    /// `status: incomplete` for `content_filter`, half an object.
    ContentFilter,
    /// A message whose text is empty.
    EmptyText,
    /// `output: []`.
    NoOutput,

    // What the text is: billed.
    /// The object in a fence of Markdown.
    Fenced,
    /// The object after `<think>` (with braces) and a preamble.
    Preamble,
    /// The object and another one of the same form.
    TwoObjects,
    /// This text in place of the object.
    Text(&'static str),
    /// `aha_score` of the first result.
    Score(Value),
    /// The first result is left out.
    MissingId,
    /// A result for a story nobody asked about.
    UnknownId,
    /// A second result for the first story, with another score.
    DuplicateId,
    /// The fields that only we write, in the object and in each result.
    Forged,
    /// Anything else: the answer's object is passed through this.
    Edit(fn(&mut Value)),
    Usage(Reported),

    /// What a real server once answered (a file of `tests/it/recorded`, without `.json`), whatever was asked. Billed at
    /// its own usage, unless it was refused.
    Recorded(&'static str),

    // Embeddings: billed.
    /// The first vector lacks a number.
    WrongDimension,
    /// `NaN` in the first vector, which is no JSON, but is sent.
    NotANumber,
    /// `null` in the first vector.
    NullNumber,
    /// All numbers of the first vector are 0.
    ZeroVector,
    /// The first text gets no vector.
    MissingIndex,
    /// All is well, but the vectors come in the reverse order; `index` says so.
    Reversed,
}

/// By what is printed: the address in a [`Fault::Edit`] is all that can be compared of it.
impl PartialEq for Fault {
    fn eq(&self, other: &Self) -> bool {
        format!("{self:?}") == format!("{other:?}")
    }
}

impl Fault {
    /// Whether the provider charges. HTTP errors and its own failures: no. All that a model has worked on: yes, also
    /// when the client could not get hold of it.
    pub fn is_billed(&self) -> bool {
        if let Self::Recorded(name) = self {
            return recorded::read(name).0 == 200;
        }
        !matches!(
            self,
            Self::Status(_)
                | Self::ModelNotFound
                | Self::RateLimited(_)
                | Self::InsufficientQuota
                | Self::Redirect
                | Self::Failed
        )
    }

    /// Whether the answer is still one that the specification describes.
    pub fn is_conform(&self) -> bool {
        self.is_billed()
            && !matches!(
                self,
                Self::NoContent
                    | Self::NotJson
                    | Self::NotANumber
                    | Self::NullNumber
                    | Self::Recorded(_)
                    | Self::Usage(Reported::Null | Reported::Words)
            )
    }
}
