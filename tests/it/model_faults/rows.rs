//! The table: what goes wrong, what is made of it, what is done next, and what it cost.

use std::time::Duration;

use aha_llm::retry::Next;
use aha_llm::transport::Timeouts;
use serde_json::{Value, json};

use super::dialects::{Answer, Ending};
use crate::support::responses::wire::End;

/// What the models are asked with; [`AT_LIMIT`] output tokens are all of it.
pub const MOST: u32 = 400;
/// About so many stories each call is.
pub const STORIES: usize = 2;
const USAGE: (i64, i64) = (700, 90);

/// What a server does.
#[derive(Debug, Clone)]
pub enum Deed {
    /// An error's status with a body of the dialect's own, in which the provider's word for it stands.
    Refuse(u16, &'static str, Option<(&'static str, &'static str)>),
    /// A page of HTML.
    Page(u16),
    /// A success without a body.
    Nothing,
    /// Nobody listens.
    Away,
    /// To another host.
    Redirect,
    /// An error in the body or the stream of a success.
    Fail,
    /// A good answer, which travels badly.
    Travel(End),
    Say(Answer),
}

/// What is done next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// Nothing: the answer is used.
    Use,
    /// The same again after so many milliseconds.
    Again(u64),
    Repair,
    AsStream,
    Halves,
    NextModel,
    AbandonModel,
    AbandonProvider,
}

impl From<Next> for Then {
    fn from(next: Next) -> Self {
        match next {
            Next::Again { after, .. } => Self::Again(u64::try_from(after.as_millis()).unwrap()),
            Next::Repair { .. } => Self::Repair,
            Next::AsStream => Self::AsStream,
            Next::Halves => Self::Halves,
            Next::NextModel => Self::NextModel,
            Next::AbandonModel => Self::AbandonModel,
            Next::AbandonProvider => Self::AbandonProvider,
        }
    }
}

/// What stands on the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    /// Nothing.
    Free,
    /// What the provider told.
    Told,
    /// Perhaps all that was reserved.
    Unknown,
}

/// The error's kind, or `ok`; what is done next; what it cost.
pub type Expected = (&'static str, Then, Cost);

#[derive(Debug, Clone)]
pub struct Row {
    pub name: &'static str,
    pub deed: Deed,
    pub expected: Expected,
    /// Of a stream, where that is otherwise. The error says why it has none.
    pub streamed: Option<Result<Expected, &'static str>>,
    /// Of an answer in one piece, why it has none.
    pub no_whole: Option<&'static str>,
}

const fn row(name: &'static str, deed: Deed, kind: &'static str, then: Then, cost: Cost) -> Row {
    Row { name, deed, expected: (kind, then, cost), streamed: None, no_whole: None }
}

impl Row {
    fn streams(self, kind: &'static str, then: Then, cost: Cost) -> Self {
        Self { streamed: Some(Ok((kind, then, cost))), ..self }
    }

    /// Time is short only where it is to run out.
    pub const fn timeouts(&self) -> Timeouts {
        let (short, ample) = (Duration::from_millis(400), Duration::from_secs(30));
        let first_byte = if matches!(self.deed, Deed::Travel(End::Silent)) { short } else { ample };
        let idle = if matches!(self.deed, Deed::Travel(End::Stall)) { short } else { ample };
        Timeouts { first_byte, idle, whole: Duration::from_mins(1) }
    }
}

/// One verdict for each story, the first with this reason.
pub fn verdicts(reason: &str) -> Value {
    let verdict = |id: &str, reason: &str| {
        json!({ "id": id, "aha_score": 50, "reason": reason, "is_relevant": true, "is_novel": true, "categories": [],
                "should_deep_summarize": false })
    };
    json!({ "results": [verdict("s1", reason), verdict("s2", "It is new, \"so\" to speak: 🦀.")] })
}

/// All rows; `key` is quoted wherever a server can.
pub fn all(key: &str) -> Vec<Row> {
    [refusals(), travels(key), endings(key), texts(key), usages(key)].concat()
}

fn refusals() -> Vec<Row> {
    use Cost::{Free, Unknown};
    use Then::{AbandonModel, AbandonProvider, Again, Halves, NextModel, Repair};
    let limited =
        |name, header, then| row(name, Deed::Refuse(429, "rate_limit_exceeded", header), "rate_limited", then, Free);
    let refuse = |status, word| Deed::Refuse(status, word, None);
    vec![
        limited("429 with seconds", Some(("retry-after", "7")), Again(7_000)),
        limited("429 with a date", Some(("retry-after", "Sun, 22 Nov 2026 08:00:30 GMT")), Again(30_000)),
        limited("429 with milliseconds", Some(("retry-after-ms", "1500")), Again(1_500)),
        limited("429 with none", None, Again(1_000)),
        limited("429 with nonsense", Some(("retry-after", "soon")), Again(1_000)),
        limited("429 with too much", Some(("retry-after", "3600")), NextModel),
        row("quota used up", refuse(429, "insufficient_quota"), "quota_exhausted", AbandonProvider, Free),
        row("402", refuse(402, "billing_error"), "quota_exhausted", AbandonProvider, Free),
        row("401", refuse(401, "invalid_api_key"), "unauthorized", AbandonProvider, Free),
        row("403", refuse(403, "permission_error"), "forbidden", AbandonProvider, Free),
        row("404", refuse(404, "model_not_found"), "unknown_model", AbandonModel, Free),
        row("400", refuse(400, "invalid_request_error"), "refused_request", Halves, Free),
        row("413", refuse(413, "request_too_large"), "refused_request", Halves, Free),
        row("408", refuse(408, "timeout"), "server_error", Again(1_000), Free),
        row("500", refuse(500, "server_error"), "server_error", Again(1_000), Free),
        row("503", Deed::Refuse(503, "slow_down", Some(("retry-after", "2"))), "overloaded", Again(2_000), Free),
        row("529", refuse(529, "overloaded_error"), "overloaded", Again(1_000), Free),
        row("502 of a proxy", Deed::Page(502), "server_error", Again(1_000), Unknown),
        row("504 of a proxy", Deed::Page(504), "server_error", Again(1_000), Unknown),
        row("200 of a proxy", Deed::Page(200), "not_the_interface", Repair, Unknown),
        row("nobody there", Deed::Away, "connect", Again(1_000), Free),
        row("redirect to another host", Deed::Redirect, "redirected", AbandonProvider, Free),
    ]
}

fn travels(key: &str) -> Vec<Row> {
    use Cost::{Free, Told, Unknown};
    use Then::{Again, Repair, Use};
    let travel = |name, end, kind| row(name, Deed::Travel(end), kind, Again(1_000), Unknown);
    let unsaid = Answer { end: Ending::Unsaid, ..said(&verdicts(key).to_string()) };
    vec![
        travel("first byte late", End::Silent, "timed_out"),
        travel("stall in the middle", End::Stall, "stalled"),
        travel("closed in the middle", End::Cut, "interrupted"),
        travel("reset in the middle", End::Torn, "interrupted"),
        travel("reset at once", End::Reset, "interrupted"),
        row("a byte at a time", Deed::Travel(End::Dripping), "ok", Use, Told),
        row("no body", Deed::Nothing, "not_the_interface", Repair, Unknown).streams(
            "interrupted",
            Again(1_000),
            Unknown,
        ),
        row("error after 200", Deed::Fail, "server_error", Again(1_000), Free),
        Row {
            no_whole: Some("an answer in one piece is whole or cut"),
            ..row("no end", Deed::Say(unsaid), "interrupted", Again(1_000), Unknown)
        },
    ]
}

fn endings(key: &str) -> Vec<Row> {
    use Cost::Told;
    use Then::{Halves, Repair};
    let half = || {
        let text = verdicts(key).to_string();
        let letters = text.chars().count() / 2;
        text.chars().take(letters).collect::<String>()
    };
    let ending = |end, text: &str| Deed::Say(Answer { end, ..said(text) });
    let at_limit = Some((json!(USAGE.0), json!(MOST)));
    let silent = Answer { usage: at_limit.clone(), ..said(&half()) };
    let thought = Answer { usage: at_limit, ..said("") };
    vec![
        row("truncated", ending(Ending::AtLimit, &half()), "truncated", Halves, Told),
        row("truncated without a word", Deed::Say(silent), "truncated", Halves, Told),
        row("without an end below the limit", ending(Ending::Complete, &half()), "invalid_answer", Repair, Told),
        row("all of it thoughts", Deed::Say(thought), "truncated", Halves, Told),
        row("refusal", ending(Ending::Refused, &format!("I won't, {key}.")), "declined", Halves, Told),
        row("filtered", ending(Ending::Filtered, &half()), "filtered", Halves, Told),
        row("empty", ending(Ending::Complete, ""), "invalid_answer", Repair, Told),
        row("white space", ending(Ending::Complete, " \n"), "invalid_answer", Repair, Told),
    ]
}

fn texts(key: &str) -> Vec<Row> {
    use Cost::Told;
    use Then::{Repair, Use};
    let object = verdicts(key);
    let text = |text: String| Deed::Say(said(&text));
    vec![
        row("good", text(object.to_string()), "ok", Use, Told),
        row("fenced", text(format!("```json\n{object:#}\n```\n")), "ok", Use, Told),
        row("thoughts and a preamble", text(format!("<think>{{?}} {key}</think>Here: {object}")), "ok", Use, Told),
        row("two objects", text(format!("{object}\n{}", verdicts("otherwise"))), "invalid_answer", Repair, Told),
        row("prose", text(format!("I'd rather talk about {key}.")), "invalid_answer", Repair, Told),
        row("another object", text(json!({ "answer": key }).to_string()), "invalid_answer", Repair, Told),
    ]
}

fn usages(key: &str) -> Vec<Row> {
    let told = |usage| Deed::Say(Answer { usage, ..said(&verdicts(key).to_string()) });
    let unknown = |name, usage| row(name, told(usage), "ok", Then::Use, Cost::Unknown);
    vec![
        unknown("usage missing", None),
        unknown("usage negative", Some((json!(-5), json!(90)))),
        unknown("usage huge", Some((json!(700), json!(1_000_000_000_000_000_i64)))),
        unknown("usage in words", Some((json!("700"), json!("90")))),
        unknown("usage broken", Some((json!(700.5), json!(90)))),
    ]
}

fn said(text: &str) -> Answer {
    Answer { text: text.to_owned(), end: Ending::Complete, usage: Some((json!(USAGE.0), json!(USAGE.1))) }
}

/// A good answer.
pub fn good(key: &str) -> Answer {
    said(&verdicts(key).to_string())
}
