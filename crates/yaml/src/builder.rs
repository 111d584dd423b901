//! Makes the tree from the parser's events, within the limits.

use std::collections::{HashMap, HashSet};

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span};

use super::node::{Node, Pair, Value, shown};
use super::{Fault, Limits};

/// Parses the document; `None` for an empty one. Repeated keys are added to `faults`, and the rest is still read.
///
/// # Errors
/// The fault that prevents the document from being read.
pub fn parse(text: &str, limits: Limits, faults: &mut Vec<Fault>) -> Result<Option<Node>, Fault> {
    let mut builder = Builder::new(limits, faults);
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| unreadable(&error))?;
        builder.handle(event, span).map_err(|what| Fault { line: span.start.line(), what })?;
    }
    Ok(builder.root)
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
    limits: Limits,
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    nodes: usize,
    text_bytes: usize,
    root: Option<Node>,
    faults: &'a mut Vec<Fault>,
}

impl<'a> Builder<'a> {
    fn new(limits: Limits, faults: &'a mut Vec<Fault>) -> Self {
        Self { limits, open: Vec::new(), anchors: HashMap::new(), nodes: 0, text_bytes: 0, root: None, faults }
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
        let max_depth = self.limits.max_depth;
        if self.open.len() >= max_depth {
            return Err(format!("it is nested more than {max_depth} deep"));
        }
        if self.open.last().is_some_and(|open| matches!(open.node.value, Value::Map(_)) && open.key.is_none()) {
            return Err("a key is no text".to_owned());
        }
        self.open.push(Open { anchor, node, key: None, keys: HashSet::new() });
        Ok(())
    }

    /// Adds a copy of an earlier node, unless the document becomes too large by it.
    fn add_alias(&mut self, anchor: usize, line: usize) -> Result<(), String> {
        if !self.limits.allows_aliases {
            return Err("aliases (*name) are not used here; write the value out".to_owned());
        }
        let node = self.anchors.get(&anchor).ok_or("it is an alias of what it stands in")?;
        self.nodes += node.count() - 1;
        self.text_bytes += node.text_bytes();
        self.check_size()?;
        let value = node.value.clone();
        self.add_node(0, Node { line, value })
    }

    /// Adds a complete node to the innermost open collection.
    fn add_node(&mut self, anchor: usize, node: Node) -> Result<(), String> {
        self.nodes += 1;
        self.check_size()?;
        if anchor > 0 && self.limits.allows_aliases {
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
                        let what = format!("the key {} is given twice", shown(&text));
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

    fn check_size(&self) -> Result<(), String> {
        let Limits { max_nodes, max_text_bytes, .. } = self.limits;
        let what = if self.nodes > max_nodes {
            format!("{max_nodes} values")
        } else if self.text_bytes > max_text_bytes {
            format!("{} MiB of text", max_text_bytes >> 20)
        } else {
            return Ok(());
        };
        Err(format!("it holds more than {what}, aliases counted as often as they stand there"))
    }
}

#[cfg(test)]
mod tests {
    use std::ops::RangeInclusive;

    use proptest::prelude::*;

    use super::*;

    const LIMITS: Limits = Limits { max_depth: 32, max_nodes: 50_000, max_text_bytes: 8 << 20, allows_aliases: true };

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
        parse(text, LIMITS, &mut Vec::new())
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
        parse(&format!("\"{0}\": 1\n\"{0}\": 2\n", "k".repeat(900)), LIMITS, &mut faults).unwrap();
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
        parse("a: 1\na: 2\n", LIMITS, &mut faults).unwrap();
        assert_eq!(faults, [Fault { line: 2, what: "the key \"a\" is given twice".to_owned() }]);
    }

    #[test]
    fn an_alias_is_refused_where_none_is_allowed() {
        let limits = Limits { allows_aliases: false, ..LIMITS };
        let fault = parse("a: &a [x, y]\nb: *a\n", limits, &mut Vec::new()).unwrap_err();
        assert!(fault.line == 2 && fault.what.contains("write the value out"), "{fault:?}");
        assert!(parse("a: &a [x, y]\nb: 1\n", limits, &mut Vec::new()).unwrap().is_some());
    }

    #[test]
    fn the_callers_limits_hold() {
        let within = |limits| parse("a: [[one, two]]\n", limits, &mut Vec::new());
        assert!(within(Limits { max_depth: 3, max_nodes: 6, ..LIMITS }).is_ok());
        for (limits, what) in [
            (Limits { max_depth: 2, ..LIMITS }, "more than 2 deep"),
            (Limits { max_nodes: 5, ..LIMITS }, "more than 5 values"),
            (Limits { max_text_bytes: 6, ..LIMITS }, "more than 0 MiB of text"),
        ] {
            let fault = within(limits).unwrap_err();
            assert!(fault.what.contains(what), "{fault:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_tree_or_a_fault_with_a_line_of_the_text(
            text in "[-a-c:\\[\\]{}&*!|>'\"# \n\t,?%@0-9~]{0,120}",
        ) {
            // A fault at the end of the text may be on the line after its last line feed.
            let lines = 1..=text.matches('\n').count() + 2;
            let mut faults = Vec::new();
            match parse(&text, LIMITS, &mut faults) {
                Ok(root) => prop_assert!(root.iter().all(|node| has_lines_within(node, &lines)), "{:?}", root),
                Err(fault) => faults.push(fault),
            }
            let are_named = faults.iter().all(|fault| lines.contains(&fault.line) && !fault.what.is_empty());
            prop_assert!(are_named, "{:?}", faults);
        }
    }
}
