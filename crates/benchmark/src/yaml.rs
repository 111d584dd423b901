//! Parses YAML into a tree with line numbers, so that all mistakes in a file can be reported at once. Depth and number
//! of nodes are limited; aliases are rejected. Called by the readers of ground truth and manifest.

use saphyr_parser::{Event, Parser, ScalarStyle};

const MAX_DEPTH: usize = 32;
const MAX_NODES: usize = 500_000;

/// A value and its line number, from 1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) line: usize,
    pub(crate) value: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Scalar { text: String, is_plain: bool },
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

/// A mistake and its line number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mistake {
    pub line: usize,
    pub what: String,
}

impl Node {
    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar { text, is_plain: true } if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// Returns the text of a scalar that is not null. `None` for a list, a mapping and null.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } if !self.is_null() => Some(text),
            _ => None,
        }
    }

    pub(crate) fn boolean(&self) -> Option<bool> {
        match &self.value {
            Value::Scalar { text, is_plain: true } => match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" => Some(true),
                "false" | "no" | "off" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    pub(crate) fn list(&self) -> Option<&[Self]> {
        match &self.value {
            Value::List(nodes) => Some(nodes),
            _ => None,
        }
    }

    pub(crate) fn map(&self) -> Option<&[(String, Self)]> {
        match &self.value {
            Value::Map(pairs) => Some(pairs),
            _ => None,
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        self.map()?.iter().find(|(name, _)| name == key).map(|(_, node)| node)
    }
}

/// Returns the document's tree, `None` for an empty document. Repeated keys are mistakes.
pub(crate) fn parse(text: &str, mistakes: &mut Vec<Mistake>) -> Result<Option<Node>, Mistake> {
    let mut builder = Builder { open: Vec::new(), root: None, nodes: 0, mistakes };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| Mistake {
            line: error.marker().line(),
            what: format!("it is no YAML: {}", error.info()),
        })?;
        builder.take(event, span.start.line())?;
    }
    Ok(builder.root)
}

enum Open {
    List(usize, Vec<Node>),
    /// A mapping with its line, its entries so far, and the key whose value comes next.
    Map(usize, Vec<(String, Node)>, Option<String>),
}

struct Builder<'m> {
    open: Vec<Open>,
    root: Option<Node>,
    nodes: usize,
    mistakes: &'m mut Vec<Mistake>,
}

impl Builder<'_> {
    fn take(&mut self, event: Event<'_>, line: usize) -> Result<(), Mistake> {
        let refused = |what: &str| Err(Mistake { line, what: what.to_owned() });
        self.nodes += 1;
        if self.nodes > MAX_NODES || self.open.len() > MAX_DEPTH {
            return refused("it is too large or too deeply nested");
        }
        match event {
            Event::Scalar(text, style, _, _) => {
                let is_plain = style == ScalarStyle::Plain;
                self.add(Node { line, value: Value::Scalar { text: text.into_owned(), is_plain } });
            }
            Event::SequenceStart(..) => self.open.push(Open::List(line, Vec::new())),
            Event::MappingStart(..) => self.open.push(Open::Map(line, Vec::new(), None)),
            Event::SequenceEnd | Event::MappingEnd => {
                let node = match self.open.pop() {
                    Some(Open::List(line, nodes)) => Node { line, value: Value::List(nodes) },
                    Some(Open::Map(line, pairs, _)) => Node { line, value: Value::Map(pairs) },
                    None => return refused("a list or mapping ends that did not begin"),
                };
                self.add(node);
            }
            Event::Alias(_) => return refused("aliases (*name) are not used here; write the value out"),
            _ => {}
        }
        Ok(())
    }

    fn add(&mut self, node: Node) {
        match self.open.last_mut() {
            None => self.root = self.root.take().or(Some(node)),
            Some(Open::List(_, nodes)) => nodes.push(node),
            Some(Open::Map(_, pairs, next)) => match next.take() {
                None => {
                    let key = node.text().unwrap_or_default().to_owned();
                    if pairs.iter().any(|(known, _)| *known == key) {
                        self.mistakes.push(Mistake { line: node.line, what: format!("{key} is given twice") });
                    }
                    *next = Some(key);
                }
                Some(key) => pairs.push((key, node)),
            },
        }
    }
}
