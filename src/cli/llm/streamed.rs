//! Prints an answer while it is streamed (`llm ask --stream`): its text once, however many attempts it takes, or events
//! as lines of JSON.

use std::io::Write;

use aha_llm::conversation::Progress;
use serde_json::{Value, json};

use super::super::output;

/// Prints an answer piece by piece. After the output was closed the rest is not printed; the answer is paid for all the
/// same.
pub(super) struct StreamedAnswer<W> {
    out: W,
    as_json: bool,
    /// The part of the answer printed so far.
    shown: String,
    /// The text of the current attempt while it only repeats `shown`; `None` once it continues it.
    repeated: Option<String>,
}

impl<W: Write> StreamedAnswer<W> {
    pub(super) const fn new(out: W, as_json: bool) -> Self {
        Self { out, as_json, shown: String::new(), repeated: None }
    }

    pub(super) fn show(&mut self, progress: &Progress) {
        match progress {
            Progress::Ended(_) => {}
            Progress::Text(text) if self.as_json => self.event("text", json!({ "text": text })),
            Progress::Retry { attempt, reason } if self.as_json => {
                self.event("retry", json!({ "attempt": attempt, "reason": reason }));
            }
            Progress::Text(text) => self.text(text),
            Progress::Retry { reason, .. } => {
                if !self.shown.is_empty() {
                    self.repeated = Some(String::new());
                }
                output::note(&format!("aha-radar: {reason}; asking again"));
            }
        }
    }

    /// Ends a complete answer; `whole` builds the last event.
    pub(super) fn answered(&mut self, answer: &str, whole: impl FnOnce() -> Value) {
        if self.as_json {
            return self.event("answer", whole());
        }
        // A later attempt ended before it repeated all of an earlier one.
        if self.repeated.is_some() && answer != self.shown {
            self.begin_again(answer);
        }
        self.end_line();
    }

    /// Ends without an answer.
    pub(super) fn failed(&mut self, why: &str) {
        if self.as_json {
            return self.event("error", json!({ "error": why }));
        }
        self.end_line();
    }

    fn text(&mut self, text: &str) {
        let Some(repeated) = &mut self.repeated else {
            self.shown.push_str(text);
            return self.write(text);
        };
        repeated.push_str(text);
        let so_far = std::mem::take(repeated);
        if let Some(rest) = so_far.strip_prefix(self.shown.as_str()) {
            self.write(rest);
            self.shown = so_far;
            self.repeated = None;
        } else if self.shown.starts_with(&so_far) {
            self.repeated = Some(so_far);
        } else {
            self.begin_again(&so_far);
        }
    }

    /// This attempt differs from what was shown: it is printed from its beginning.
    fn begin_again(&mut self, text: &str) {
        self.end_line();
        output::note("aha-radar: this answer differs from what is shown above, which is void");
        self.write(text);
        text.clone_into(&mut self.shown);
        self.repeated = None;
    }

    fn end_line(&mut self) {
        if !self.shown.is_empty() && !self.shown.ends_with('\n') {
            self.write("\n");
        }
    }

    fn write(&mut self, text: &str) {
        let _ = self.out.write_all(output::one_safe_text(text).as_bytes());
        let _ = self.out.flush();
    }

    fn event(&mut self, name: &str, mut fields: Value) {
        fields["event"] = name.into();
        let _ = writeln!(self.out, "{fields}");
        let _ = self.out.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(attempts: &[&[&str]], answer: &str) -> String {
        let mut streamed = StreamedAnswer::new(Vec::new(), false);
        for (index, pieces) in attempts.iter().enumerate() {
            if index > 0 {
                streamed.show(&Progress::Retry { attempt: 2, reason: "it broke off".to_owned() });
            }
            pieces.iter().for_each(|piece| streamed.show(&Progress::Text((*piece).to_owned())));
        }
        streamed.answered(answer, || Value::Null);
        String::from_utf8(streamed.out).unwrap()
    }

    #[test]
    fn what_an_attempt_repeats_is_shown_once() {
        assert_eq!(shown(&[&["One ", "two"], &["One", " two", " three"]], "One two three"), "One two three\n");
        assert_eq!(shown(&[&["One "], &["One "], &["One ", "two"]], "One two"), "One two\n");
        assert_eq!(shown(&[&[], &["One"]], "One"), "One\n");
    }

    #[test]
    fn what_differs_begins_on_a_line_of_its_own() {
        assert_eq!(shown(&[&["One ", "two"], &["One ", "or two"]], "One or two"), "One two\nOne or two\n");
        assert_eq!(shown(&[&["One ", "two"], &["One"]], "One"), "One two\nOne\n");
    }
}
