//! The ways to honour the contract and to break it, each with the verdict that is due.

use aha_benchmark::citations::CitationStatus::{Invalid, Missing, Present};
use aha_benchmark::report::Status::{Error, Fail, Pass};

use super::server::Behaviour::{Close, CloseOnce, Cut, Drip, Hang, HangOnce, Huge, NoHttp, Say};
use super::server::{Case, case};

pub(super) const GOOD: &str = r#"{"answer":"Seven mooring rings.","citations":[{"document":"Harbour.md","section":"Mooring","relevance_score":0.9}]}"#;

pub(super) const OK: &str = "200 OK";

const BROKEN: Option<&str> = Some("INVALID_ANSWER");

pub(super) const CASES: &[Case] = &[
    case("good", Say(OK, GOOD), Pass, Some(Present), None, 1),
    case(
        "unknown-fields",
        Say(
            OK,
            r#"{"answer":"seven mooring rings","citations":[{"document":"H","section":"M","page":3}],"model":"x","usage":{}}"#,
        ),
        Pass,
        Some(Present),
        None,
        1,
    ),
    case(
        "no-score",
        Say(
            OK,
            r#"{"answer":"There are seven mooring rings, three of them old.","citations":[{"document":"H","section":"M"}]}"#,
        ),
        Pass,
        Some(Present),
        None,
        1,
    ),
    case(
        "wrong",
        Say(OK, r#"{"answer":"Nine bollards.","citations":[{"document":"H","section":"M"}]}"#),
        Fail,
        Some(Present),
        None,
        1,
    ),
    case(
        "empty-citations",
        Say(OK, r#"{"answer":"seven mooring rings","citations":[]}"#),
        Fail,
        Some(Missing),
        None,
        1,
    ),
    case("no-citations", Say(OK, r#"{"answer":"seven mooring rings"}"#), Fail, Some(Missing), None, 1),
    case(
        "null-citations",
        Say(OK, r#"{"answer":"seven mooring rings","citations":null}"#),
        Fail,
        Some(Missing),
        None,
        1,
    ),
    case(
        "citations-text",
        Say(OK, r#"{"answer":"seven mooring rings","citations":"Harbour.md"}"#),
        Fail,
        Some(Invalid),
        None,
        1,
    ),
    case(
        "no-section",
        Say(OK, r#"{"answer":"seven mooring rings","citations":[{"document":"H"}]}"#),
        Fail,
        Some(Invalid),
        None,
        1,
    ),
    case(
        "one-of-two",
        Say(OK, r#"{"answer":"seven mooring rings","citations":[{"document":"H","section":"M"},{"section":"M"}]}"#),
        Fail,
        Some(Invalid),
        None,
        1,
    ),
    case(
        "empty-document",
        Say(OK, r#"{"answer":"seven mooring rings","citations":[{"document":" ","section":"M"}]}"#),
        Fail,
        Some(Invalid),
        None,
        1,
    ),
    case(
        "score-above-1",
        Say(OK, r#"{"answer":"seven mooring rings","citations":[{"document":"H","section":"M","relevance_score":7}]}"#),
        Fail,
        Some(Invalid),
        None,
        1,
    ),
    case(
        "score-text",
        Say(
            OK,
            r#"{"answer":"seven mooring rings","citations":[{"document":"H","section":"M","relevance_score":"1"}]}"#,
        ),
        Fail,
        Some(Invalid),
        None,
        1,
    ),
    case(
        "number-citation",
        Say(OK, r#"{"answer":"seven mooring rings","citations":[7]}"#),
        Fail,
        Some(Invalid),
        None,
        1,
    ),
    case("no-answer", Say(OK, r#"{"citations":[{"document":"H","section":"M"}]}"#), Fail, Some(Invalid), BROKEN, 1),
    case("answer-number", Say(OK, r#"{"answer":7,"citations":[]}"#), Fail, Some(Invalid), BROKEN, 1),
    case("answer-blank", Say(OK, r#"{"answer":" ","citations":[]}"#), Fail, Some(Invalid), BROKEN, 1),
    case("array", Say(OK, "[1,2]"), Fail, Some(Invalid), BROKEN, 1),
    case("no-json", Say(OK, "seven mooring rings"), Fail, Some(Invalid), BROKEN, 1),
    case("half-json", Say(OK, r#"{"answer":"seven"#), Fail, Some(Invalid), BROKEN, 1),
    case("no-body", Say(OK, ""), Fail, Some(Invalid), BROKEN, 1),
    case(
        "not-utf-8",
        Say(OK, "{\"answer\":\"seven mooring rings\",\"citations\":[\u{0}]}"),
        Fail,
        Some(Invalid),
        BROKEN,
        1,
    ),
    case("huge", Huge, Fail, Some(Invalid), BROKEN, 1),
    case(
        "citation-required",
        Say("400 Bad Request", r#"{"error":"CITATION_REQUIRED","message":"no source"}"#),
        Error,
        None,
        Some("CITATION_REQUIRED"),
        1,
    ),
    case(
        "invalid-request",
        Say("400 Bad Request", r#"{"error":"INVALID_REQUEST","message":"no"}"#),
        Error,
        None,
        Some("INVALID_REQUEST"),
        1,
    ),
    case(
        "timeout-code",
        Say("504 Gateway Timeout", r#"{"error":"TIMEOUT","message":"late"}"#),
        Error,
        None,
        Some("TIMEOUT"),
        1,
    ),
    case(
        "new-code",
        Say("429 Too Many Requests", r#"{"error":"SLOW_DOWN","message":"later"}"#),
        Error,
        None,
        Some("INTERNAL_ERROR"),
        1,
    ),
    case("server-error", Say("500 Internal Server Error", "<html>oops</html>"), Error, None, Some("INTERNAL_ERROR"), 1),
    case("not-found", Say("404 Not Found", ""), Error, None, Some("INTERNAL_ERROR"), 1),
    case("redirect", Say("302 Found", ""), Error, None, Some("INTERNAL_ERROR"), 1),
    case("created", Say("201 Created", GOOD), Error, None, Some("INTERNAL_ERROR"), 1),
    case("hang", Hang, Error, None, Some("TIMEOUT"), 2),
    case("drip", Drip, Error, None, Some("TIMEOUT"), 2),
    case("close", Close, Error, None, Some("CONNECTION_ERROR"), 2),
    case("cut", Cut, Error, None, Some("CONNECTION_ERROR"), 2),
    case("no-http", NoHttp, Error, None, Some("CONNECTION_ERROR"), 2),
    case("close-once", CloseOnce, Pass, Some(Present), None, 2),
    case("hang-once", HangOnce, Pass, Some(Present), None, 2),
];
