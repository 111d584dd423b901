//! Wraps and truncates lines for a terminal, by the columns that characters take.
//!
//! Input: cleaned text and a width in columns. Output: lines. Called by `terminal`.

/// Returns the columns that `text` takes.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(char_columns).sum()
}

/// Breaks `text` at spaces into lines of at most `width` columns; a word too long for a line is split.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(2);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let gap = usize::from(!line.is_empty());
        if columns(&line) + gap + columns(word) > width && !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        for c in word.chars() {
            if columns(&line) + char_columns(c) > width {
                lines.push(std::mem::take(&mut line));
            }
            line.push(c);
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// Joins `parts` by dots into lines of at most `width` columns, broken between parts where possible.
pub(super) fn wrap_parts(parts: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if columns(line) + 3 + columns(part) <= width => {
                line.push_str(" · ");
                line.push_str(part);
            }
            _ => lines.extend(wrap(part, width)),
        }
    }
    lines
}

/// Returns `text` in at most `width` columns, with an ellipsis if it was truncated.
pub(super) fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += char_columns(c);
        if used > width {
            break;
        }
        kept.push(c);
    }
    format!("{}…", kept.trim_end())
}

/// Returns the columns of a character: combining marks take none, East Asian wide characters and most emoji two (after
/// Unicode Standard Annex 11).
fn char_columns(c: char) -> usize {
    match u32::from(c) {
        0x0300..=0x036f
        | 0x0483..=0x0489
        | 0x0591..=0x05bd
        | 0x064b..=0x065f
        | 0x1ab0..=0x1aff
        | 0x1dc0..=0x1dff
        | 0x200b..=0x200f
        | 0x20d0..=0x20ff
        | 0xfe00..=0xfe0f
        | 0xfe20..=0xfe2f => 0,
        0x1100..=0x115f
        | 0x2e80..=0x303e
        | 0x3041..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1_f300..=0x1_f64f
        | 0x1_f680..=0x1_f6ff
        | 0x1_f900..=0x1_f9ff
        | 0x2_0000..=0x3_fffd => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_to_the_width() {
        assert_eq!(wrap("the quick brown fox", 9), ["the quick", "brown fox"]);
        assert_eq!(wrap("日本語日本語", 5), ["日本", "語日", "本語"]);
        assert_eq!(wrap("a unbelievable b", 5), ["a", "unbel", "ievab", "le b"]);
        assert!(wrap("  ", 5).is_empty());
        let parts = ["one two", "three", "four five six"].map(String::from);
        assert_eq!(wrap_parts(&parts, 16), ["one two · three", "four five six"]);
    }

    #[test]
    fn what_is_cut_says_so() {
        assert_eq!(cut("short", 5), "short");
        assert_eq!(cut("too long", 5), "too…");
        assert_eq!(cut("日本語", 5), "日本…");
    }
}
