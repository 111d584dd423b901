//! Parses a YAML document into a tree with line numbers. Input: text. Output: nodes or faults; values are not typed
//! yet.
//!
//! The text may be untrusted: its size, depth and number of nodes are bounded, and what aliases repeat counts.

use std::collections::{HashMap, HashSet};
use std::str::FromStr as _;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span};
use serde_json::Number;

use super::problem::shown;

/// Maximum size of a catalogue, which is usually some kilobytes.
pub(super) const MAX_BYTES: u64 = 1 << 20;
const MAX_DEPTH: usize = 32;
const MAX_NODES: usize = 50_000;
/// Of all keys and values together.
const MAX_TEXT_BYTES: usize = 8 << 20;

/// A value and the line on which it begins, from 1.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) line: usize,
    pub(super) value: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// `plain`: without quotes, so that it may be a number or a boolean.
    Scalar {
        text: String,
        plain: bool,
    },
    List(Vec<Node>),
    Map(Vec<Pair>),
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pair {
    pub(super) key: String,
    pub(super) line: usize,
    pub(super) node: Node,
}

/// A fault in the structure of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) line: usize,
    pub(super) what: String,
}

impl Node {
    pub(super) fn map(&self) -> Option<&[Pair]> {
        match &self.value {
            Value::Map(pairs) => Some(pairs),
            Value::Scalar { .. } | Value::List(_) => None,
        }
    }

    /// Whether it is null: empty, `~` or `null`.
    pub(super) fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar { text, plain: true } if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// Merges this value over `below`: maps are merged key by key, any other value replaces the lower one.
    pub(super) fn over(self, below: &Self) -> Self {
        match (self.value, &below.value) {
            (Value::Map(above), Value::Map(lower)) => Self { line: self.line, value: Value::Map(merged(above, lower)) },
            (value, _) => Self { line: self.line, value },
        }
    }

    fn count(&self) -> usize {
        1 + match &self.value {
            Value::Scalar { .. } => 0,
            Value::List(nodes) => nodes.iter().map(Self::count).sum::<usize>(),
            Value::Map(pairs) => pairs.iter().map(|pair| pair.node.count()).sum(),
        }
    }

    fn text_bytes(&self) -> usize {
        match &self.value {
            Value::Scalar { text, .. } => text.len(),
            Value::List(nodes) => nodes.iter().map(Self::text_bytes).sum(),
            Value::Map(pairs) => pairs.iter().map(|pair| pair.key.len() + pair.node.text_bytes()).sum(),
        }
    }
}

fn merged(above: Vec<Pair>, below: &[Pair]) -> Vec<Pair> {
    let mut lower: Vec<Pair> =
        below.iter().filter(|pair| above.iter().all(|upper| upper.key != pair.key)).cloned().collect();
    for pair in above {
        let node = match below.iter().find(|lower| lower.key == pair.key) {
            Some(lower) => pair.node.over(&lower.node),
            None => pair.node,
        };
        lower.push(Pair { node, ..pair });
    }
    lower
}

/// Parses the document; `None` for an empty one. Repeated keys are added to `faults`, and the rest is still read.
///
/// # Errors
/// The fault that prevents the document from being read.
pub(super) fn parse(text: &str, faults: &mut Vec<Fault>) -> Result<Option<Node>, Fault> {
    let mut builder = Builder::new(faults);
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| unreadable(&error))?;
        builder.handle(event, span).map_err(|what| Fault { line: span.start.line(), what })?;
    }
    Ok(builder.root)
}

/// Converts a YAML document to JSON, for files other than the catalogue.
///
/// # Errors
/// What is wrong with it, and on which line.
pub fn yaml_to_json(text: &str) -> Result<serde_json::Value, String> {
    let mut faults = Vec::new();
    let describe = |fault: &Fault| format!("line {}: {}", fault.line, fault.what);
    let root = parse(text, &mut faults).map_err(|fault| describe(&fault))?;
    match faults.first() {
        Some(fault) => Err(describe(fault)),
        None => Ok(root.as_ref().map_or(serde_json::Value::Null, json)),
    }
}

/// Returns a value as written, with its variables unresolved.
pub(super) fn json(node: &Node) -> serde_json::Value {
    match &node.value {
        Value::Scalar { text, plain } => typed(text.clone(), *plain),
        Value::List(nodes) => nodes.iter().map(json).collect(),
        Value::Map(pairs) => {
            let fields = pairs.iter().map(|pair| (pair.key.clone(), json(&pair.node)));
            serde_json::Value::Object(fields.collect())
        }
    }
}

/// Converts a parser error, whose message quotes nothing of the text.
fn unreadable(error: &ScanError) -> Fault {
    Fault { line: error.marker().line(), what: format!("it is no YAML: {}", error.info()) }
}

/// A collection whose end has not been read.
struct Open {
    anchor: usize,
    node: Node,
    /// In a map: the key whose value comes next.
    key: Option<(String, usize)>,
    keys: HashSet<String>,
}

struct Builder<'a> {
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    nodes: usize,
    text_bytes: usize,
    root: Option<Node>,
    faults: &'a mut Vec<Fault>,
}

impl<'a> Builder<'a> {
    fn new(faults: &'a mut Vec<Fault>) -> Self {
        Self { open: Vec::new(), anchors: HashMap::new(), nodes: 0, text_bytes: 0, root: None, faults }
    }

    fn handle(&mut self, event: Event<'_>, span: Span) -> Result<(), String> {
        let line = span.start.line();
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                if tag.is_some() {
                    return Err("it has a tag (!), which means nothing here".to_owned());
                }
                self.text_bytes += text.len();
                let value = Value::Scalar { text: text.into_owned(), plain: style == ScalarStyle::Plain };
                self.add_node(anchor, Node { line, value })
            }
            Event::SequenceStart(anchor, None) => {
                self.open_collection(anchor, Node { line, value: Value::List(Vec::new()) })
            }
            Event::MappingStart(anchor, None) => {
                self.open_collection(anchor, Node { line, value: Value::Map(Vec::new()) })
            }
            Event::SequenceStart(_, Some(_)) | Event::MappingStart(_, Some(_)) => {
                Err("it has a tag (!), which means nothing here".to_owned())
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(done) => self.add_node(done.anchor, done.node),
                None => Ok(()),
            },
            Event::Alias(anchor) => self.add_alias(anchor, line),
            Event::DocumentStart(_) if self.root.is_some() => Err("a second document begins".to_owned()),
            Event::DocumentStart(_) | Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {
                Ok(())
            }
        }
    }

    fn open_collection(&mut self, anchor: usize, node: Node) -> Result<(), String> {
        if self.open.len() >= MAX_DEPTH {
            return Err(format!("it is nested more than {MAX_DEPTH} deep"));
        }
        if self.open.last().is_some_and(|open| matches!(open.node.value, Value::Map(_)) && open.key.is_none()) {
            return Err("a key is no text".to_owned());
        }
        self.open.push(Open { anchor, node, key: None, keys: HashSet::new() });
        Ok(())
    }

    /// Adds a copy of an earlier node, unless the document becomes too large by it.
    fn add_alias(&mut self, anchor: usize, line: usize) -> Result<(), String> {
        let node = self.anchors.get(&anchor).ok_or("it is an alias of what it stands in")?;
        self.nodes += node.count() - 1;
        self.text_bytes += node.text_bytes();
        check_size(self.nodes, self.text_bytes)?;
        let value = node.value.clone();
        self.add_node(0, Node { line, value })
    }

    /// Adds a complete node to the innermost open collection.
    fn add_node(&mut self, anchor: usize, node: Node) -> Result<(), String> {
        self.nodes += 1;
        check_size(self.nodes, self.text_bytes)?;
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        match &mut open.node.value {
            Value::List(nodes) => nodes.push(node),
            Value::Map(pairs) => match (open.key.take(), node.value) {
                (Some((key, line)), value) => pairs.push(Pair { key, line, node: Node { line: node.line, value } }),
                (None, Value::Scalar { text, .. }) => {
                    if !open.keys.insert(text.clone()) {
                        let what = format!("the key {} stands here twice", shown(&text));
                        self.faults.push(Fault { line: node.line, what });
                    }
                    open.key = Some((text, node.line));
                }
                (None, Value::List(_) | Value::Map(_)) => return Err("a key is no text".to_owned()),
            },
            Value::Scalar { .. } => {}
        }
        Ok(())
    }
}

fn check_size(nodes: usize, text_bytes: usize) -> Result<(), String> {
    let what = if nodes > MAX_NODES {
        format!("{MAX_NODES} values")
    } else if text_bytes > MAX_TEXT_BYTES {
        format!("{} MiB of text", MAX_TEXT_BYTES >> 20)
    } else {
        return Ok(());
    };
    Err(format!("it holds more than {what}, aliases counted as often as they stand there"))
}

/// Types a value: one without quotes follows YAML's core schema; decimals keep their digits.
pub(super) fn typed(text: String, plain: bool) -> serde_json::Value {
    if !plain {
        return text.into();
    }
    match text.as_str() {
        "" | "~" | "null" | "Null" | "NULL" => serde_json::Value::Null,
        "true" | "True" | "TRUE" => true.into(),
        "false" | "False" | "FALSE" => false.into(),
        _ => Number::from_str(text.strip_prefix('+').unwrap_or(&text)).map_or_else(|_| text.into(), Into::into),
    }
}

#[cfg(test)]
mod tests {
    use std::ops::RangeInclusive;

    use proptest::prelude::*;

    use super::*;

    fn has_lines_within(node: &Node, lines: &RangeInclusive<usize>) -> bool {
        lines.contains(&node.line)
            && match &node.value {
                Value::Scalar { .. } => true,
                Value::List(nodes) => nodes.iter().all(|node| has_lines_within(node, lines)),
                Value::Map(pairs) => {
                    pairs.iter().all(|pair| lines.contains(&pair.line) && has_lines_within(&pair.node, lines))
                }
            }
    }

    fn read(text: &str) -> Result<Option<Node>, Fault> {
        parse(text, &mut Vec::new())
    }

    fn text_at(node: &Node, path: &[&str]) -> (String, usize) {
        let found =
            path.iter().fold(node, |node, key| &node.map().unwrap().iter().find(|pair| pair.key == *key).unwrap().node);
        let Value::Scalar { text, .. } = &found.value else { panic!("{found:?}") };
        (text.clone(), found.line)
    }

    #[test]
    fn values_know_their_lines() {
        let node = read("# a comment\na: 1\nb:\n  c: 'two'\n  d: [x,\n    y]\n").unwrap().unwrap();
        assert_eq!(text_at(&node, &["a"]), ("1".to_owned(), 2));
        assert_eq!(text_at(&node, &["b", "c"]), ("two".to_owned(), 4));
        assert_eq!(read("").unwrap(), None);
        assert_eq!(read("# nothing\n").unwrap(), None);
    }

    #[test]
    fn a_value_is_merged_over_another_field_by_field() {
        let node = |text| read(text).unwrap().unwrap();
        let merged = node("a: {x: 9}\nb: 2").over(&node("a: {x: 1, y: 2}\nb: {z: 1}\nc: 3"));
        for (path, text) in [(&["a", "x"][..], "9"), (&["a", "y"], "2"), (&["b"], "2"), (&["c"], "3")] {
            assert_eq!(text_at(&merged, path).0, text, "{path:?}");
        }
    }

    #[test]
    fn what_is_repeated_by_aliases_counts_as_often_as_it_stands_there() {
        let once = read("a: &a [x, y]\nb: *a\n").unwrap().unwrap();
        assert_eq!(once.map().unwrap()[1].node.value, once.map().unwrap()[0].node.value);
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let before = vec![format!("*a{}", level - 1); 10].join(", ");
            bomb.extend([format!("a{level}: &a{level} [{before}]\n")]);
        }
        let fault = read(&bomb).unwrap_err();
        assert!(fault.what.contains("more than 50000 values"), "{fault:?}");
        assert!(read("a: &a [*a]").unwrap_err().what.contains("alias"));
    }

    #[test]
    fn a_long_text_counts_as_often_as_aliases_repeat_it() {
        let long = "x".repeat(1 << 20);
        let repeated = |times: usize| read(&format!("a: &a {long}\nb: [{}]\n", vec!["*a"; times].join(", ")));
        assert!(repeated(6).is_ok());
        let fault = repeated(8).unwrap_err();
        assert!(fault.what.contains("more than 8 MiB of text") && fault.line == 2, "{fault:?}");
        let mut faults = Vec::new();
        parse(&format!("\"{0}\": 1\n\"{0}\": 2\n", "k".repeat(900)), &mut faults).unwrap();
        assert!(faults.len() == 1 && faults[0].what.len() < 100, "{faults:?}");
    }

    #[test]
    fn what_is_no_sane_document_is_refused_with_its_line() {
        for (text, line, what) in [
            ("a: 1\nb: [1, 2", 2, "no YAML"),
            ("a: 1\n---\nb: 2\n", 2, "second document"),
            ("a: !!binary xyz\n", 1, "tag"),
            ("[a, b]: 1\n", 1, "no text"),
            ("a: *nobody\n", 1, "no YAML"),
        ] {
            let fault = read(text).unwrap_err();
            assert!(fault.what.contains(what) && fault.line >= line, "{text:?}: {fault:?}");
        }
        assert!(read(&"[".repeat(100_000)).is_err());
        assert!(read(&"a: {".repeat(10_000)).is_err());
        let mut faults = Vec::new();
        parse("a: 1\na: 2\n", &mut faults).unwrap();
        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0].line, 2);
    }

    proptest! {
        #[test]
        fn any_text_is_a_tree_or_a_fault_with_a_line_of_the_text(
            text in "[-a-c:\\[\\]{}&*!|>'\"# \n\t,?%@0-9~]{0,120}",
        ) {
            // A fault at the end of the text may be on the line after its last line feed.
            let lines = 1..=text.matches('\n').count() + 2;
            let mut faults = Vec::new();
            match parse(&text, &mut faults) {
                Ok(root) => prop_assert!(root.iter().all(|node| has_lines_within(node, &lines)), "{:?}", root),
                Err(fault) => faults.push(fault),
            }
            let are_named = faults.iter().all(|fault| lines.contains(&fault.line) && !fault.what.is_empty());
            prop_assert!(are_named, "{:?}", faults);
        }
    }
}
