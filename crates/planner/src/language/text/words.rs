//! Reads the long word lists, which are the files of `words/`: one word or phrase a line, sorted.
//!
//! Input: the text of a file. Output: the list in the form that the lookups of [`super::phrases`] and
//! [`super::tokens::Token::is_one_of`] take.

use std::sync::LazyLock;

/// Words and phrases separated by `|`, joined at their first use.
pub type WordList = LazyLock<String>;

/// Joins the lines of a file.
#[must_use]
pub fn word_list(file: &str) -> String {
    file.lines().collect::<Vec<_>>().join("|")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::word_list;

    #[test]
    fn each_file_is_sorted_and_has_no_duplicates() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/language/words");
        let mut read = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let lines: Vec<&str> = text.lines().collect();
            for pair in lines.windows(2) {
                assert!(pair[0] < pair[1], "{}: \"{}\" is before \"{}\"", path.display(), pair[0], pair[1]);
            }
            let is_plain = |line: &&str| !line.is_empty() && line.trim() == *line && !line.contains('|');
            assert!(lines.iter().all(is_plain), "{}: an entry is empty or is not one entry", path.display());
            read += 1;
        }
        assert!(read > 0, "no file was found");
    }

    #[test]
    fn phrases_of_several_words_stay_whole() {
        assert_eq!(word_list("add\njot :\nset up\n"), "add|jot :|set up");
    }
}
