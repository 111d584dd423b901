//! Splits text into lines that keep their line endings. Joining the lines restores the text byte for byte.

/// A line ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ending {
    /// The last line of a file without a final newline.
    None,
    Lf,
    CrLf,
}

impl Ending {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
        }
    }
}

/// One line. A carriage return without a line feed is part of its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub text: String,
    pub ending: Ending,
}

impl Line {
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

#[must_use]
pub fn split(text: &str) -> Vec<Line> {
    text.split_inclusive('\n').map(line).collect()
}

fn line(text: &str) -> Line {
    let (text, ending) = match (text.strip_suffix("\r\n"), text.strip_suffix('\n')) {
        (Some(text), _) => (text, Ending::CrLf),
        (None, Some(text)) => (text, Ending::Lf),
        (None, None) => (text, Ending::None),
    };
    Line { text: text.to_owned(), ending }
}

#[must_use]
pub fn join(lines: &[Line]) -> String {
    lines.iter().flat_map(|line| [line.text.as_str(), line.ending.as_str()]).collect()
}

/// Returns the ending for new lines: the one that most lines have, and a line feed if there is a tie.
#[must_use]
pub fn dominant_ending(lines: &[Line]) -> Ending {
    let crlf = lines.iter().filter(|line| line.ending == Ending::CrLf).count();
    let lf = lines.iter().filter(|line| line.ending == Ending::Lf).count();
    if crlf > lf { Ending::CrLf } else { Ending::Lf }
}

/// Returns the white space at the beginning of a line.
#[must_use]
pub fn indent_of(text: &str) -> &str {
    let end = text.find(|c| c != ' ' && c != '\t').unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}
