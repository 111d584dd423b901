//! Every file reads back byte for byte, and its blocks are those that it was made of.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test is the report")]

mod support;

use aha_notes::{Document, Format};
use proptest::prelude::*;

use support::tree;

const FORMATS: [Format; 2] = [Format::Outline, Format::Markdown];

fn assert_whole(text: &str) {
    for format in FORMATS {
        let document = Document::parse(format, text);
        assert_eq!(document.text(), text, "{format:?}");
        let mut line = document.blocks().first().map_or(0, |block| block.lines.start);
        for (index, block) in document.blocks().iter().enumerate() {
            assert_eq!(block.lines.start, line, "block {index} of {text:?}");
            assert!(block.lines.end > block.lines.start && block.end >= block.lines.end);
            assert!(block.parent.is_none_or(|parent| parent < index && document.blocks()[parent].end >= block.end));
            line = block.lines.end;
        }
        assert_eq!(document.ids("page").len(), document.blocks().len());
    }
}

#[test]
fn a_thousand_generated_files_read_back_and_have_the_blocks_they_were_made_of() {
    for seed in 0..1000 {
        let tree = tree(seed);
        let text = tree.render();
        assert_whole(&text);
        let document = Document::parse(Format::Outline, &text);
        let paths = tree.paths();
        assert_eq!(document.blocks().len(), paths.len(), "seed {seed}: {text}");
        for (block, path) in document.blocks().iter().zip(&paths) {
            assert_eq!(block.depth, path.len() - 1, "seed {seed}: {text}");
        }
    }
}

#[test]
fn the_written_corpus_reads_back_with_the_blocks_it_says() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = String::from_utf8(std::fs::read(&path).unwrap()).unwrap();
        assert_whole(&text);
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        // `what_is_in_it.BLOCKS.md`, plain Markdown with an `m` in front of the number.
        let count = name.rsplit('.').next().unwrap();
        let (format, count) = match count.strip_prefix('m') {
            Some(count) => (Format::Markdown, count),
            None => (Format::Outline, count),
        };
        let document = Document::parse(format, &text);
        assert_eq!(document.blocks().len(), count.parse::<usize>().unwrap(), "{name}");
        seen += 1;
    }
    assert!(seen >= 30, "{seen}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_text_reads_back(text in any::<String>()) {
        assert_whole(&text);
    }

    #[test]
    fn any_mixture_of_marks_reads_back(parts in prop::collection::vec(prop::sample::select(vec![
        "- ", "-", "\t", "  ", " ", "\n", "\r\n", "\r", "```", "~~~", "#+BEGIN_QUERY", "#+END_QUERY", "$$", "id:: a", "a:: b", "---",
        ":LOGBOOK:", ":END:", "# ", "## h", "* ", "1. ", "text", "\u{feff}", "é", "\u{2028}", "::", "^a-1",
    ]), 0..60)) {
        assert_whole(&parts.concat());
    }

    #[test]
    fn bytes_that_are_no_text_are_refused_and_others_read_back(bytes in any::<Vec<u8>>()) {
        if let Ok(text) = std::str::from_utf8(&bytes) {
            prop_assert_eq!(Document::parse(Format::Outline, text).text().into_bytes(), bytes);
        }
    }
}

#[test]
fn a_hostile_file_is_read_in_time() {
    let openers: Vec<String> =
        (3..1500).map(|n| format!("- {}\n  :LOGBOOK:\n  #+BEGIN_A{n}\n", "`".repeat(n % 200 + 3))).collect();
    let deep: Vec<String> = (0..1000).map(|n| format!("{}- x\n", " ".repeat(n))).collect();
    let started = std::time::Instant::now();
    assert_whole(&openers.concat());
    assert_whole(&deep.concat());
    assert!(started.elapsed().as_secs() < 30, "{:?}", started.elapsed());
}
