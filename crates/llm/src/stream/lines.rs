//! Splits bytes into lines that end with LF or CR LF.

use super::{MAX_FRAME_BYTES, TooLong};

/// Collects lines; empty ones are skipped.
#[derive(Debug, Default)]
pub struct Lines {
    partial_line: Vec<u8>,
}

impl Lines {
    /// Returns the lines that these bytes complete. Invalid UTF-8 is replaced, line by line.
    ///
    /// # Errors
    /// For a line that exceeds the maximum length.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<String>, TooLong> {
        let mut lines = Vec::new();
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            self.partial_line.extend_from_slice(&rest[..end]);
            lines.extend(text(&std::mem::take(&mut self.partial_line)));
            rest = &rest[end + 1..];
        }
        self.partial_line.extend_from_slice(rest);
        if self.partial_line.len() > MAX_FRAME_BYTES { Err(TooLong) } else { Ok(lines) }
    }

    /// Returns whether the last line has its line end.
    pub(super) const fn is_between_lines(&self) -> bool {
        self.partial_line.is_empty()
    }

    /// Returns the last line if it has no line end.
    #[must_use]
    pub fn finish(self) -> Option<String> {
        text(&self.partial_line)
    }
}

fn text(line: &[u8]) -> Option<String> {
    let line = String::from_utf8_lossy(line);
    let line = line.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_whole_wherever_they_are_cut() {
        let stream = "{\"a\":\"ä\"}\r\n\n  \n{\"b\":1}\nlast".as_bytes();
        for cut in 0..=stream.len() {
            let mut lines = Lines::default();
            let mut read = lines.push(&stream[..cut]).unwrap();
            read.extend(lines.push(&stream[cut..]).unwrap());
            read.extend(lines.finish());
            assert_eq!(read, ["{\"a\":\"ä\"}", "{\"b\":1}", "last"], "cut at {cut}");
        }
    }

    #[test]
    fn a_line_without_its_end_is_not_between_lines() {
        for (stream, is_between) in [("", true), ("{}\n", true), ("{}\n{", false), ("{}", false)] {
            let mut lines = Lines::default();
            lines.push(stream.as_bytes()).unwrap();
            assert_eq!(lines.is_between_lines(), is_between, "{stream}");
        }
    }

    #[test]
    fn a_line_without_an_end_is_given_up() {
        let mut lines = Lines::default();
        assert_eq!(lines.push(&vec![b'x'; MAX_FRAME_BYTES]), Ok(Vec::new()));
        assert_eq!(lines.push(b"x"), Err(TooLong));
    }
}
