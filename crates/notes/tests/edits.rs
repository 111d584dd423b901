//! Random edits, each compared with the same edit of a tree: only what was meant has changed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test is the report")]

mod support;

use aha_notes::{Document, EditError, Format};

use support::{Node, Random, Tree, tree};

const TEXTS: [&str; 6] = [
    "Knowledge in one line.",
    "Knowledge\nin three\nlines",
    "With a fence:\n```sh\n- echo\nid:: x\n```",
    "- a bullet and\n  - another",
    "id:: 0000 tries to be an id",
    "An open fence:\n```py\nx = 1",
];

/// What a text is once nothing in it is markup of its own, written down by hand.
fn expected(text: &str) -> Vec<String> {
    let lines: &[&str] = match text {
        "- a bullet and\n  - another" => &["a bullet and", "another"],
        "id:: 0000 tries to be an id" => &["id: 0000 tries to be an id"],
        "An open fence:\n```py\nx = 1" => &["An open fence:", "```py", "x = 1", "```"],
        other => return other.lines().map(str::to_owned).collect(),
    };
    lines.iter().map(|line| (*line).to_owned()).collect()
}

fn new_node(text: &str, id: &str) -> Node {
    let lines = expected(text);
    Node {
        title: lines[0].clone(),
        properties: vec![("id".to_owned(), id.to_owned())],
        body: lines[1..].to_vec(),
        children: Vec::new(),
    }
}

/// Lines of a body that a replacement keeps, before those of the new text.
fn kept(body: &[String]) -> Vec<String> {
    match body.first().map(String::as_str) {
        Some(":LOGBOOK:") => body[..3].to_vec(),
        Some(line) if line.starts_with("SCHEDULED:") => body[..1].to_vec(),
        _ => Vec::new(),
    }
}

fn edit(random: &mut Random, tree: &mut Tree, document: &mut Document, id: &str) {
    let paths = tree.paths();
    let index = random.below(paths.len());
    let text = random.pick(&TEXTS);
    match random.below(4) {
        0 => {
            document.add_section(text, id, tree.unit).unwrap();
            tree.roots.push(new_node(text, id));
        }
        1 => {
            // The tree's unit is what a page without one is given.
            document.add_under(index, text, id, tree.unit).unwrap();
            tree.at(&paths[index]).children.push(new_node(text, id));
        }
        2 => {
            let node = tree.at(&paths[index]);
            let lines = expected(text);
            document.replace(index, text, id).unwrap();
            node.title.clone_from(&lines[0]);
            node.body = [kept(&node.body), lines[1..].to_vec()].concat();
            if !node.properties.iter().any(|(key, _)| key == "id") {
                node.properties.push(("id".to_owned(), id.to_owned()));
            }
        }
        _ => {
            let node = tree.at(&paths[index]);
            let value = format!("[Page]((({id})))");
            document.set_property(index, "extracted-to", &value).unwrap();
            if node.title.is_empty() {
                // The bullet takes the property, as Logseq writes it.
                node.title = format!("extracted-to:: {value}");
            } else if let Some(known) = node.properties.iter_mut().find(|(key, _)| key == "extracted-to") {
                known.1 = value;
            } else {
                node.properties.push(("extracted-to".to_owned(), value));
            }
        }
    }
}

/// A block whose bullet is a property and that ends in something else than one is read another way by the tree.
fn is_in_the_model(tree: &Tree) -> bool {
    fn ok(node: &Node) -> bool {
        !node.title.starts_with("extracted-to::") && node.children.iter().all(ok)
    }
    tree.roots.iter().all(ok)
}

#[test]
fn two_thousand_random_edits_change_what_they_mean_to_and_nothing_else() {
    let mut edits = 0;
    for seed in 0..700 {
        let mut random = Random::new(seed ^ 0xabcd);
        let mut tree = tree(seed);
        if tree.preamble.first().is_some_and(String::is_empty) {
            tree.preamble.clear();
        }
        tree.trailing = 0;
        // A file of one line does not show how it ends its lines.
        if !tree.render().contains('\n') {
            tree.newline = "\n";
        }
        let mut document = Document::parse(Format::Outline, &tree.render());
        for step in 0..4 {
            if !is_in_the_model(&tree) {
                break;
            }
            let before = document.text();
            edit(&mut random, &mut tree, &mut document, &format!("id-{seed}-{step}"));
            assert_eq!(document.text(), tree.render(), "seed {seed}, step {step}, of {before}");
            assert_eq!(Document::parse(Format::Outline, &document.text()), document);
            edits += 1;
        }
    }
    assert!(edits >= 2000, "{edits}");
}

/// What is left of a text without the lines of the other, in order.
fn added<'a>(before: &str, after: &'a str) -> Option<Vec<&'a str>> {
    let mut rest = before.lines().peekable();
    let added = after.lines().filter(|line| rest.next_if_eq(line).is_none()).collect();
    rest.next().is_none().then_some(added)
}

#[test]
fn random_edits_of_plain_markdown_only_add_lines() {
    let texts = ["Knowledge.", "Two\nlines", "- a bullet"];
    let mut edits = 0;
    for seed in 0..600 {
        let mut random = Random::new(seed);
        let text = tree(seed).render().replace('\r', "");
        let mut document = Document::parse(Format::Markdown, &text);
        for step in 0..4 {
            let (id, new) = (format!("k-{seed}-{step}"), random.pick(&texts));
            let before = document.text();
            let index = random.below(document.blocks().len());
            let result = if random.one_in(4) {
                document.add_section(new, &id, "\t")
            } else {
                document.add_under(index, new, &id, "\t")
            };
            if result.is_err() {
                // Refused rather than guessed: nothing has changed.
                assert_eq!(document.text(), before);
                continue;
            }
            let lines = added(&before, &document.text().clone()).map(|lines| lines.join("|"));
            assert!(lines.as_ref().is_some_and(|lines| lines.contains(&format!("^{id}"))), "{lines:?} of {before}");
            assert!(
                (0..document.blocks().len()).any(|index| document.explicit_id(index).as_deref() == Some(id.as_str()))
            );
            edits += 1;
        }
    }
    assert!(edits >= 1500, "{edits}");
}

#[test]
fn a_block_that_begins_with_a_fence_gets_its_property_first() {
    let mut document = Document::parse(Format::Outline, "- ```py\n  x\n  ```\n- next");
    document.set_property(0, "extracted-to", "x").unwrap();
    assert_eq!(document.text(), "- extracted-to:: x\n  ```py\n  x\n  ```\n- next");
}

#[test]
fn what_was_added_can_be_removed_again() {
    for seed in 0..300 {
        let text = tree(seed).render();
        let mut document = Document::parse(Format::Outline, &text);
        let index = usize::try_from(seed).unwrap() % document.blocks().len();
        document.add_under(index, "New\nknowledge", "n-1", "\t").unwrap();
        let added =
            (0..document.blocks().len()).find(|index| document.explicit_id(*index).as_deref() == Some("n-1")).unwrap();
        document.remove(added).unwrap();
        assert_eq!(document.text(), text, "seed {seed}");
    }
}

#[test]
fn a_paragraph_that_was_added_to_plain_markdown_is_removed_with_its_blank_line() {
    for text in [
        "# Bread\n\n## Notes\n- Rye\n",
        "# Bread\n\nOld\n\n\n## Notes\n",
        "# Bread\n\n> Old\n",
        "# Bread\n\nOld",
        "# Bread\n\n- Rye\n\nOld\n",
        "# Bread\r\n\r\n## Notes\r\n",
    ] {
        for new in ["It dries.", "> It dries.\n> Soon.", "```\nls\n```"] {
            let mut page = Document::parse(Format::Markdown, text);
            for id in ["n-1", "n-2"] {
                page.add_under(0, new, id, "\t").unwrap();
            }
            for id in ["n-1", "n-2"] {
                let is_it = |index: &usize| page.explicit_id(*index).as_deref() == Some(id);
                let index = (0..page.blocks().len()).find(is_it).unwrap();
                page.remove(index).unwrap();
            }
            assert_eq!(page.text(), text);
        }
    }
    // What stands directly above or below keeps its distance.
    let mut page = Document::parse(Format::Markdown, "Old\n\nIt dries. ^n-1\n# Next\n");
    page.remove(1).unwrap();
    assert_eq!(page.text(), "Old\n\n# Next\n");
    let mut page = Document::parse(Format::Markdown, "# Bread\nIt dries. ^n-1\n\nOld\n");
    page.remove(1).unwrap();
    assert_eq!(page.text(), "# Bread\n\nOld\n");
}

#[test]
fn in_plain_markdown_the_line_that_closes_a_region_contains_no_id() {
    for region in ["```rust\nlet x = 1;\n```", "$$\nx = 1\n$$"] {
        let mut page = Document::parse(Format::Markdown, "# Rust\n\nOld\n\nLast paragraph\n");
        page.replace(1, &format!("Use this:\n{region}"), "n-1").unwrap();
        page.add_section(&format!("And this:\n{region}"), "n-2", "\t").unwrap();
        assert_eq!(
            page.text(),
            format!("# Rust\n\nUse this:\n{region}\n^n-1\n\nLast paragraph\n\n## Notes\n\nAnd this:\n{region}\n^n-2\n")
        );
        assert_eq!(page.explicit_id(1).as_deref(), Some("n-1"));
        assert_eq!(page.block_text(1), format!("Use this:\n{region}"));
    }
}

/// Directly below it, Obsidian reads the property as a row of the table or as a part of the quote.
#[test]
fn in_plain_markdown_a_property_of_a_table_or_a_quote_follows_after_an_empty_line() {
    let table = "| flour | water |\n|---|---|\n| rye | more |\n";
    let quote = "> [!tip] Bread\n> It dries.\nSoon\n";
    let item = "- > It dries.\n  > Soon.\n";
    let with_id = format!("{table}\n^abc\n");
    for (text, indent) in [(table, ""), (quote, ""), (item, "  "), (with_id.as_str(), ""), ("> Dry ^abc\n", "")] {
        for rest in ["", "\nNext\n", "\n\nNext\n", "- Next\n", "# Next\n"] {
            let whole = format!("{text}{rest}");
            let mut day = Document::parse(Format::Markdown, &whole);
            let (blocks, id, said) = (day.blocks().len(), day.explicit_id(0), day.block_text(0));
            for value in ["x", "x, y"] {
                day.set_property(0, "extracted-to", value).unwrap();
                let expected = format!("{text}\n{indent}extracted-to:: {value}\n{rest}");
                assert_eq!((day.text(), day.blocks().len()), (expected, blocks));
                assert_eq!((day.explicit_id(0), day.block_text(0)), (id.clone(), said.clone()));
                assert_eq!(Document::parse(Format::Markdown, &day.text()), day);
            }
            day.remove_property(0, "extracted-to").unwrap();
            assert_eq!(day.text(), whole);
        }
    }
    let mut day = Document::parse(Format::Markdown, table.trim_end());
    day.set_property(0, "extracted-to", "x").unwrap();
    assert_eq!(day.text(), format!("{table}\nextracted-to:: x"));
    day.remove_property(0, "extracted-to").unwrap();
    assert_eq!(day.text(), table.trim_end());
}

#[test]
fn tables_and_quotes_are_written_with_their_lines() {
    for text in ["| flour | water |\n|---|---|\n| rye | more |", "> [!tip] Bread\n> It dries.", "Rye\n: a cereal"] {
        let indented = text.replace('\n', "\n  ");
        for (page, expected) in [
            ("Old\n", format!("Old\n\n{text}\n\n^n-1\n")),
            ("- Old\n", format!("- Old\n- {indented}\n\n  ^n-1\n")),
            ("# Old\n\n## Notes\n\n## Next\n", format!("# Old\n\n## Notes\n\n{text}\n\n^n-1\n\n## Next\n")),
        ] {
            let mut document = Document::parse(Format::Markdown, page);
            document.add_section(text, "n-1", "\t").unwrap();
            assert_eq!(document.text(), expected);
            let id = |index: &usize| document.explicit_id(*index).as_deref() == Some("n-1");
            let index = (0..document.blocks().len()).find(id).unwrap();
            assert_eq!(document.block_text(index), text);
            document.add_section("More.", "n-2", "\t").unwrap();
            assert!(document.text().contains("More. ^n-2"), "{}", document.text());
            document.replace(index, "> Other", "n-3").unwrap();
            assert_eq!(
                (document.block_text(index).as_str(), document.explicit_id(index).as_deref()),
                ("> Other", Some("n-1"))
            );
        }
        let mut document = Document::parse(Format::Outline, "- Old");
        document.add_section(text, "n-1", "\t").unwrap();
        assert_eq!(document.text(), format!("- Old\n- id:: n-1\n  {indented}"));
        assert_eq!(document.block_text(1), text);
        let mut document = Document::parse(Format::Markdown, "Old\nextracted-to:: x\n\nNext\n");
        document.replace(0, text, "n-1").unwrap();
        assert_eq!(document.text(), format!("{text}\n\n^n-1\n\nextracted-to:: x\n\nNext\n"));
        // Below an empty line, another property would belong to no block.
        let mut document = Document::parse(Format::Markdown, "Old\ntags:: x\n\nNext\n");
        assert_eq!(document.replace(0, text, "n-1"), Err(EditError::WouldChangeOthers));
    }
}

#[test]
fn a_property_of_prose_stays_directly_below_it() {
    for text in ["a | b is a pipe\nof two\n", "> It dries.\n\nBread\n", "> q\n```\nls\n```\n", "- a\n- > b\n"] {
        let mut day = Document::parse(Format::Markdown, text);
        let index = usize::from(text.starts_with("> It"));
        day.set_property(index, "extracted-to", "x").unwrap();
        let written = day.text();
        assert!(!written.contains("\n\nextracted-to") && written.contains("extracted-to:: x\n"), "{written}");
        day.remove_property(index, "extracted-to").unwrap();
        assert_eq!(day.text(), text);
    }
    // A property that stands alone after an empty line, and an id below prose, are paragraphs of their own.
    for text in ["Bread\n\nextracted-to:: x\n", "Bread\n\n^abc\n", "> Dry\n\ntags:: x\n", "> Dry\n\nSee ^abc\n"] {
        assert_eq!(Document::parse(Format::Markdown, text).blocks().len(), 2, "{text}");
    }
}

#[test]
fn in_plain_markdown_nothing_is_added_to_a_fence_that_is_not_closed() {
    let text = "# Bread\n\n- Rye\n\n## Old\n\nText.\n\n````\n```sh\nls\n```\n\nMore.\n";
    let open = Err(EditError::OpenFence { line: 9 });
    let mut page = Document::parse(Format::Markdown, text);
    let more = page.blocks().len() - 1;
    assert_eq!(page.block_text(more), "More.");
    assert_eq!(page.add_section("Acid.", "n-1", "\t"), open);
    assert_eq!(page.add_under(more, "Acid.", "n-1", "\t"), open);
    assert_eq!(page.replace(more, "Acid.", "n-1"), open);
    assert_eq!(page.set_property(more, "extracted-to", "x"), open);
    assert_eq!(page.text(), text);
    // Above the fence, and once it is closed, it is no obstacle.
    page.add_under(1, "Acid.", "n-1", "\t").unwrap();
    assert_eq!(page.text(), text.replace("- Rye\n", "- Rye\n\t- Acid. ^n-1\n"));
    let closed = format!("{text}````\n");
    let mut page = Document::parse(Format::Markdown, &closed);
    page.add_section("Acid.", "n-1", "\t").unwrap();
    assert_eq!(page.text(), format!("{closed}\n## Notes\n\nAcid. ^n-1\n"));
    let mut page = Document::parse(Format::Outline, "- ```\n  ls");
    page.add_section("Acid.", "n-1", "\t").unwrap();
    assert_eq!(page.text(), "- ```\n  ls\n- Acid.\n  id:: n-1");
}

/// Obsidian finds a block by its id only if that is at the end of the block.
#[test]
fn in_plain_markdown_an_id_stays_at_the_end_of_its_block() {
    for (text, marked) in [
        ("Acid first ^abc\n\nNext\n", "Acid first\nto:: x\n^abc\n\nNext\n"),
        ("- Acid\n  first ^abc  \n- Next\n", "- Acid\n  first\n  to:: x\n  ^abc\n- Next\n"),
        ("Acid\n^abc\n", "Acid\nto:: x\n^abc\n"),
        ("Acid first\n", "Acid first\nto:: x\n"),
    ] {
        let mut page = Document::parse(Format::Markdown, text);
        let id = page.explicit_id(0);
        page.set_property(0, "to", "x").unwrap();
        assert_eq!((page.text().as_str(), page.explicit_id(0)), (marked, id.clone()), "{text}");
        page.replace(0, "Acid last", "n-1").unwrap();
        let written = page.text();
        let end = format!("to:: x\n^{}", id.as_deref().unwrap_or("n-1"));
        assert!(written.replace("  ", "").contains(&end), "{written}");
    }
}
