//! Extracts JSON objects, one per line, from a streamed text. Complete objects are returned at once. A malformed object
//! does not affect the others.
//!
//! Text and fences around the objects and line breaks inside them are tolerated. The contract's objects are flat, so a
//! line that begins with `{` always begins a new object.

use serde_json::{Map, Value};

/// Maximum size of an object. A longer one is discarded.
const MAX_OBJECT_BYTES: usize = 64 * 1024;

/// Incremental extractor of JSON objects.
#[derive(Debug, Default)]
pub struct Collector {
    pending: String,
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    at_line_start: bool,
    /// Number of objects that could not be parsed.
    pub malformed: usize,
}

impl Collector {
    /// Adds a piece of the text and returns the objects that it completes.
    pub fn push(&mut self, piece: &str) -> Vec<Map<String, Value>> {
        piece.chars().filter_map(|c| self.take(c)).collect()
    }

    /// Ends the text. An object that is still open counts as malformed.
    pub fn finish(&mut self) -> Vec<Map<String, Value>> {
        if self.depth > 0 {
            self.drop_pending();
        }
        Vec::new()
    }

    fn drop_pending(&mut self) {
        self.malformed += 1;
        self.pending.clear();
        (self.depth, self.in_string, self.is_escaped) = (0, false, false);
    }

    fn take(&mut self, c: char) -> Option<Map<String, Value>> {
        let starts_line = self.at_line_start;
        self.at_line_start = c == '\n' || (starts_line && c.is_whitespace());
        let is_broken = (c == '\n' && self.in_string) || (c == '{' && starts_line && self.depth > 0);
        if (is_broken && self.depth > 0) || self.pending.len() > MAX_OBJECT_BYTES {
            self.drop_pending();
        }
        if self.depth == 0 && c != '{' {
            return None;
        }
        self.pending.push(c);
        match c {
            _ if self.is_escaped => self.is_escaped = false,
            '\\' if self.in_string => self.is_escaped = true,
            '"' => self.in_string = !self.in_string,
            '{' | '[' if !self.in_string => self.depth += 1,
            '}' | ']' if !self.in_string => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        if self.depth > 0 {
            return None;
        }
        let object = serde_json::from_str(&self.pending).ok();
        self.pending.clear();
        self.malformed += usize::from(object.is_none());
        object
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = "Sure! Here they are:\n```json\n{\"block_id\": \"b1\", \"reason\": \"a } in a \\\"string\\\" {\"}\n{\"block_id\": \"b2\", \"reason\": \"cut\n{\"block_id\": \"b3\",\n  \"reason\": \"over lines\"\n}\n{\"block_id\": }\n\n{\"block_id\": \"b4 \u{1f980}\"} {\"block_id\": \"b5\"}\n```\nDone.";

    fn ids(pieces: &[&str]) -> Vec<String> {
        let mut collector = Collector::default();
        let mut found: Vec<_> = pieces.iter().flat_map(|piece| collector.push(piece)).collect();
        found.extend(collector.finish());
        found.iter().map(|object| object["block_id"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn a_malformed_object_does_not_affect_others() {
        assert_eq!(ids(&[STREAM]), ["b1", "b3", "b4 \u{1f980}", "b5"]);
    }

    #[test]
    fn a_truncated_stream_yields_exactly_the_complete_objects() {
        let whole = ids(&[STREAM]);
        for cut in (0..=STREAM.len()).filter(|cut| STREAM.is_char_boundary(*cut)) {
            let kept = ids(&[&STREAM[..cut]]);
            let complete = ["b1", "b3", "b4", "b5"].iter().filter(|id| {
                let start = STREAM.find(&format!("{{\"block_id\": \"{id}")).unwrap();
                let end = if **id == "b1" {
                    STREAM.find("{\"}\n").unwrap() + 3
                } else {
                    start + STREAM[start..].find('}').unwrap() + 1
                };
                end <= cut
            });
            assert_eq!(kept, whole[..complete.count()], "cut at {cut}");
            // The result must not depend on how the text is split.
            assert_eq!(ids(&[&STREAM[..cut], &STREAM[cut..]]), whole);
        }
    }

    #[test]
    fn array_brackets_around_objects_are_ignored() {
        assert_eq!(ids(&["[{\"block_id\": \"b1\"},\n{\"block_id\": \"b2\"}]"]), ["b1", "b2"]);
    }
}
