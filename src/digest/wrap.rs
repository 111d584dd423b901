//! Wraps and truncates lines for a terminal, by the columns that characters take.
//!
//! Input: cleaned text and a width in columns. Output: lines. Called by `terminal`, and for answers by the command `ask`.

use unicode_width::UnicodeWidthStr as _;

/// Returns the columns that a text without control characters takes, after Unicode Standard Annex 11: 0 for combining
/// marks, 2 for East Asian wide characters and most emoji. A character that a variation selector turns into an emoji
/// takes 2 as well, and so does a sequence that is drawn as one emoji.
pub(super) fn columns(text: &str) -> usize {
    text.width()
}

/// Breaks `text` at spaces into lines of at most `width` columns; a word too long for a line is split.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
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
            line.push(c);
            if columns(&line) > width {
                line.pop();
                lines.push(std::mem::replace(&mut line, c.to_string()));
            }
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
    let mut kept = "";
    for (at, c) in text.char_indices() {
        let longer = &text[..at + c.len_utf8()];
        // The ellipsis takes a column.
        if columns(longer) >= width {
            break;
        }
        kept = longer;
    }
    format!("{}…", kept.trim_end())
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
    fn emoji_and_marks_take_the_columns_that_a_terminal_gives_them() {
        assert_eq!(columns("✅⚡⭐🟢"), 8);
        assert_eq!(columns("✨❌🪐"), 6);
        assert_eq!((columns("🌡"), columns("e\u{301}"), columns("日本")), (1, 1, 4));
        assert_eq!((columns("🌡\u{fe0f}"), columns("👩\u{200d}🔬"), columns("❤\u{fe0f}")), (2, 2, 2));
        assert_eq!(cut(&"🌡\u{fe0f}".repeat(3), 5), format!("{}…", "🌡\u{fe0f}".repeat(2)));
        assert_eq!(wrap("✅✅✅", 4), ["✅✅", "✅"]);
        assert_eq!(cut("⚡⚡⚡", 5), "⚡⚡…");
    }

    #[test]
    fn what_is_cut_says_so() {
        assert_eq!(cut("short", 5), "short");
        assert_eq!(cut("too long", 5), "too…");
        assert_eq!(cut("日本語", 5), "日本…");
    }
}
