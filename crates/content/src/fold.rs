//! Collapses white space and drops invisible characters. Input: any text; output: text that is safe for a terminal and
//! comparable. Called by [`super::html`].

use super::escapes::without_escapes;

/// Returns whether a character is invisible and can only hide or reorder visible text.
#[must_use]
pub const fn is_invisible(ch: char) -> bool {
    matches!(ch,
        '\u{00}'..='\u{08}' | '\u{0E}'..='\u{1F}' | '\u{7F}'..='\u{84}' | '\u{86}'..='\u{9F}'
        | '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}'
        | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}'
        | '\u{FFFE}' | '\u{FFFF}' | '\u{E0000}'..='\u{E007F}')
}

/// Joiners shape Persian and Indic words and combine emoji; next to ASCII they only hide something.
const fn is_joiner(ch: char) -> bool {
    matches!(ch, '\u{200C}' | '\u{200D}')
}

/// Bytes compared at once.
const BLOCK_BYTES: usize = 32;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Space,
    Line,
}

/// A text builder that collapses runs of white space to one space and runs of breaks to one line feed.
pub(super) struct Folded {
    out: String,
    gap: Gap,
    last_is_ascii: bool,
}

impl Folded {
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self { out: String::with_capacity(bytes), gap: Gap::None, last_is_ascii: true }
    }

    pub(super) fn space(&mut self) {
        self.gap = self.gap.max(Gap::Space);
    }

    pub(super) fn line(&mut self) {
        self.gap = Gap::Line;
    }

    /// Appends text without terminal sequences and invisible characters. A sequence split over two calls is not
    /// recognised.
    pub(super) fn push(&mut self, text: &str) {
        let text = without_escapes(text);
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let run = plain_bytes(&bytes[at..]);
            if run > 0 {
                self.flush_gap();
                self.out.push_str(&text[at..at + run]);
                self.last_is_ascii = true;
                at += run;
                continue;
            }
            let Some(ch) = text[at..].chars().next() else { break };
            self.push_char(ch);
            at += ch.len_utf8();
        }
    }

    fn push_char(&mut self, ch: char) {
        if ch.is_whitespace() {
            self.space();
        } else if is_invisible(ch) || (is_joiner(ch) && (self.last_is_ascii || self.gap != Gap::None)) {
            // Dropped.
        } else {
            self.flush_gap();
            self.out.push(ch);
            self.last_is_ascii = ch.is_ascii();
        }
    }

    fn flush_gap(&mut self) {
        if self.gap != Gap::None {
            if !self.out.is_empty() {
                self.out.push(if self.gap == Gap::Line { '\n' } else { ' ' });
                self.last_is_ascii = true;
            }
            self.gap = Gap::None;
        }
    }

    pub(super) fn finish(self) -> String {
        self.out
    }
}

/// Returns the number of leading bytes that need no change: visible ASCII with single spaces in between.
fn plain_bytes(bytes: &[u8]) -> usize {
    let mut after_space = true;
    let mut blocks = 0;
    // Whole blocks allow vectorised comparison.
    for block in bytes.chunks_exact(BLOCK_BYTES) {
        let is_visible = block.iter().fold(true, |visible, byte| visible & matches!(byte, b' '..=b'~'));
        let pairs = block.iter().zip(&block[1..]);
        let has_gap = pairs.fold(false, |gap, pair| gap | matches!(pair, (b' ', b' ')));
        if !is_visible || has_gap || (after_space && block[0] == b' ') {
            break;
        }
        after_space = block[BLOCK_BYTES - 1] == b' ';
        blocks += BLOCK_BYTES;
    }
    for (at, byte) in bytes.iter().enumerate().skip(blocks) {
        let is_space = *byte == b' ';
        if !byte.is_ascii_graphic() && (!is_space || after_space) {
            // The preceding space may be the first of several, or trailing.
            return if after_space { at.saturating_sub(1) } else { at };
        }
        after_space = is_space;
    }
    if after_space { bytes.len().saturating_sub(1) } else { bytes.len() }
}

/// Returns the text as one line: white space collapsed to single spaces, invisible characters dropped.
#[must_use]
pub fn fold_line(text: &str) -> String {
    let mut folded = Folded::with_capacity(text.len());
    folded.push(text);
    folded.finish()
}

/// Like [`fold_line`], but keeps line breaks and drops empty lines.
#[must_use]
pub fn fold_lines(text: &str) -> String {
    let mut folded = Folded::with_capacity(text.len());
    for line in text.lines() {
        folded.push(line);
        folded.line();
    }
    folded.finish()
}

/// Returns the first characters of a text.
pub(super) fn first_chars(text: &str, max_chars: usize) -> &str {
    text.char_indices().nth(max_chars).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::{fold_line, fold_lines};

    #[test]
    fn hidden_characters_go_and_white_space_folds() {
        assert_eq!(fold_line(" a\u{200b}b \u{a0}\n c\u{202e}d\u{1b}[31me "), "ab cde");
        assert_eq!(fold_line("one two  three \tfour. é five "), "one two three four. é five");
        assert_eq!(fold_lines("a \r\n\r\n  b"), "a\nb");
        // XML does not allow them.
        assert_eq!(fold_line("Ne\u{fffe}w\u{ffff}s"), "News");
    }

    #[test]
    fn joiners_stay_where_scripts_need_them() {
        assert_eq!(fold_line("می\u{200c}خواهم 👩\u{200d}💻 a\u{200d}b"), "می\u{200c}خواهم 👩\u{200d}💻 ab");
    }
}
