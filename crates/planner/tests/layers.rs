//! The folders of `src/language` are in the order of the data: each imports only from those before it, and calls only
//! methods of `Reader` that are defined in itself or before it.

#![expect(clippy::unwrap_used, reason = "a failed one is the report")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The folders in their order. The files beside them come last.
const ORDER: [&str; 6] = ["text", "values", "commands", "clauses", "operations", "checks"];

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// Each file's place in the order with its name and its code, without comments and unit tests.
fn files() -> Vec<(usize, String, String)> {
    let language = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/language");
    let read = |file: &PathBuf| {
        let name = file.strip_prefix(&language).unwrap().to_str().unwrap().to_owned();
        let folder = name.split('/').next().unwrap_or_default();
        let place = ORDER.iter().position(|known| *known == folder).unwrap_or(ORDER.len());
        let text = std::fs::read_to_string(file).unwrap();
        let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
        let code = code.join("\n");
        (place, name, code.split("#[cfg(test)]\nmod tests").next().unwrap_or_default().to_owned())
    };
    rust_files(&language).iter().map(read).collect()
}

fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// The bodies of the `impl` blocks of `Reader`. Their last line is a brace at its beginning.
fn reader_blocks(code: &str) -> Vec<&str> {
    let blocks = code.split("\nimpl").skip(1).filter_map(|block| block.split_once("{\n"));
    let of_reader = blocks.filter(|(head, _)| !head.contains('\n') && head.contains(" Reader<"));
    of_reader.map(|(_, body)| body.split("\n}").next().unwrap_or_default()).collect()
}

/// The methods that are called on a reader.
fn calls(block: &str) -> BTreeSet<String> {
    let joined: String = block.split_whitespace().collect();
    let on = |receiver: &str| -> Vec<String> {
        let found = joined.split(receiver).skip(1).map(|rest| (identifier(rest), rest));
        found.filter(|(name, rest)| rest[name.len()..].starts_with('(')).map(|(name, _)| name.to_owned()).collect()
    };
    ["self.", "reader.", "Self::"].into_iter().flat_map(on).collect()
}

#[test]
fn folders_call_only_methods_of_themselves_and_of_those_before_them() {
    let files = files();
    let mut defined: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for (place, file, code) in &files {
        for block in reader_blocks(code) {
            let methods = block.split("fn ").skip(1).map(identifier).filter(|name| !name.is_empty());
            defined.extend(methods.map(|name| (name, (*place, file.as_str()))));
        }
    }
    for (method, place) in [("resolve", 2), ("cleaned", 3), ("create", 4), ("in_order", 6), ("carry_out", 6)] {
        assert_eq!(defined.get(method).map(|(place, _)| *place), Some(place), "{method}");
    }
    for (place, file, code) in &files {
        for method in reader_blocks(code).into_iter().flat_map(calls) {
            let Some((of, where_defined)) = defined.get(method.as_str()) else { continue };
            assert!(of <= place, "{file} calls `{method}` of {where_defined}, which comes after it");
        }
    }
}

#[test]
fn folders_import_only_from_themselves_and_those_before_them() {
    for (place, file, code) in files() {
        let joined: String = code.split_whitespace().collect();
        // What "super" leads to from a folder's own files is in the folder.
        let paths = joined.split("language::").chain(joined.split("super::super::").skip(1)).skip(1);
        for path in paths {
            let group = path.strip_prefix('{').and_then(|rest| rest.split_once("};")).map_or(path, |(group, _)| group);
            let names = group.split(',').map(identifier).take(if group == path { 1 } else { usize::MAX });
            for name in names {
                let of = ORDER.iter().position(|known| *known == name).unwrap_or_default();
                assert!(of <= place, "{file} imports from {name}, which comes after it");
            }
        }
    }
}

#[test]
fn a_call_is_found_across_lines_and_on_another_reader() {
    let code =
        "struct Reader;\nimpl<'a> Reader<'a> {\n    fn one(&self) {\n        self\n            .two();\n    }\n}";
    let blocks = reader_blocks(code);
    assert_eq!(blocks.len(), 1);
    assert_eq!(calls(blocks[0]), BTreeSet::from(["two".to_owned()]));
    assert_eq!(calls("reader.three(x); self.state.four(); self.field"), BTreeSet::from(["three".to_owned()]));
}
