//! Reading a pasted text: all of it, or a word on why it cannot be taken.

use std::fs::File;
use std::io::{IsTerminal as _, Read as _};
use std::path::Path;

use anyhow::{Context as _, Result};

use super::super::output;
use super::wrong;

/// What the task takes (seed 004).
pub(super) const MAX_CHARS: usize = 60_000;
/// UTF-8 has at most four bytes a character; the rest is white space around the text.
const MAX_BYTES: u64 = 4 * 60_000 + 64_000;

/// The text without white space around it.
pub(super) fn read(file: Option<&Path>) -> Result<String> {
    let mut bytes = Vec::new();
    if let Some(file) = file.filter(|file| *file != Path::new("-")) {
        let unreadable = || format!("{} cannot be read", file.display());
        let opened = File::open(file).with_context(unreadable)?;
        opened.take(MAX_BYTES + 1).read_to_end(&mut bytes).with_context(unreadable)?;
    } else {
        if std::io::stdin().is_terminal() {
            output::note("paste the text, then press Enter and Ctrl-D");
        }
        std::io::stdin().lock().take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    }
    accept(bytes)
}

fn accept(bytes: Vec<u8>) -> Result<String> {
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > MAX_BYTES {
        return Err(wrong("the text is longer than 60,000 characters; give the part that matters"));
    }
    let text =
        String::from_utf8(bytes).map_err(|_| wrong("the text is not UTF-8; save it as UTF-8 and give it again"))?;
    let text = text.trim_start_matches('\u{feff}').trim();
    match text.chars().count() {
        0 => Err(wrong("there is no text: give it with --file PATH, or on standard input")),
        n if n > MAX_CHARS => {
            Err(wrong(&format!("the text has {n} characters, more than 60,000; give the part that matters")))
        }
        _ => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_at_most_60000_characters_whatever_their_bytes() {
        assert_eq!(accept("\u{feff} a\n".into()).unwrap(), "a");
        assert!(accept("語".repeat(MAX_CHARS).into()).is_ok());
        for (text, said) in [("語".repeat(MAX_CHARS + 1), "60001 characters"), (" \n".to_owned(), "no text")] {
            assert!(accept(text.into()).unwrap_err().to_string().contains(said));
        }
        assert!(accept(vec![b'a'; 400_000]).unwrap_err().to_string().contains("60,000"));
        assert!(accept(vec![0xff, 0xfe]).unwrap_err().to_string().contains("UTF-8"));
    }
}
