//! The documents that can be cited. Input: YAML or JSON, in one of three forms: `documents:` with a list of names or of
//! entries with `document` and `sections`; that list without the key; or a mapping of names to sections.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use aha_yaml::{Node, Pair, Value, parse};

use crate::ground_truth::{GroundTruthError, LIMITS, LoadError, Mistake, read_text};

/// Names of documents with the names of their sections. A document without sections accepts any section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    documents: BTreeMap<String, BTreeSet<String>>,
}

impl Manifest {
    /// # Errors
    /// When the file cannot be read, or with all mistakes in it.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        Self::parse(&read_text(path)?).map_err(|error| LoadError::mistakes(path, error))
    }

    /// # Errors
    /// All mistakes in the text.
    pub fn parse(text: &str) -> Result<Self, GroundTruthError> {
        let mut mistakes = Vec::new();
        let root =
            parse(text, LIMITS, &mut mistakes).map_err(|mistake| GroundTruthError { mistakes: vec![mistake] })?;
        let mut documents = BTreeMap::new();
        match &root {
            Some(root) => entries(root.get("documents").unwrap_or(root), &mut documents, &mut mistakes),
            None => mistakes.push(Mistake { line: 1, what: "it is empty".to_owned() }),
        }
        if documents.is_empty() && mistakes.is_empty() {
            mistakes.push(Mistake { line: 1, what: "it names no document".to_owned() });
        }
        if mistakes.is_empty() { Ok(Self { documents }) } else { Err(GroundTruthError { mistakes }) }
    }

    /// Returns the number of documents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Returns what is wrong with a citation, `None` if it is valid.
    pub(crate) fn problem(&self, document: &str, section: Option<&str>) -> Option<String> {
        let Some(sections) = self.documents.get(document) else {
            return Some("the manifest has no such document".to_owned());
        };
        let is_known = sections.is_empty() || section.is_none_or(|section| sections.contains(section));
        (!is_known).then(|| "the manifest has no such section in this document".to_owned())
    }
}

fn entries(node: &Node, documents: &mut BTreeMap<String, BTreeSet<String>>, mistakes: &mut Vec<Mistake>) {
    let mut wrong = |line: usize, what: &str| mistakes.push(Mistake { line, what: what.to_owned() });
    match &node.value {
        Value::List(list) => {
            for entry in list {
                let name = ["document", "name", "file", "id"].iter().find_map(|key| entry.get(key)?.text());
                match name.or_else(|| entry.text()) {
                    Some(name) => {
                        documents.entry(name.trim().to_owned()).or_default().extend(sections(entry.get("sections")));
                    }
                    None => wrong(entry.line, "an entry expects the name of a document"),
                }
            }
        }
        Value::Map(pairs) => {
            for Pair { key, node, .. } in pairs {
                let list = node.get("sections").or(Some(node));
                documents.entry(key.trim().to_owned()).or_default().extend(sections(list));
            }
        }
        Value::Scalar { .. } => wrong(node.line, "documents expects a list of names"),
    }
}

fn sections(node: Option<&Node>) -> Vec<String> {
    let list = node.and_then(Node::list).unwrap_or_default();
    let name = |entry: &Node| {
        let name = ["section", "name", "title"].iter().find_map(|key| entry.get(key)?.text());
        name.or_else(|| entry.text()).map(|name| name.trim().to_owned())
    };
    list.iter().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_its_forms_are_read() {
        for text in [
            "documents:\n- a.md\n- document: b.md\n  sections: [One, {name: Two}]\n",
            "- a.md\n- {file: b.md, sections: [One, Two]}\n",
            "a.md:\nb.md: [One, Two]\n",
            r#"{"documents": ["a.md", {"name": "b.md", "sections": ["One", "Two"]}]}"#,
        ] {
            let manifest = Manifest::parse(text).unwrap();
            assert_eq!(manifest.len(), 2, "{text}");
            assert_eq!(manifest.problem("b.md", Some("Two")), None, "{text}");
            assert!(manifest.problem("b.md", Some("Three")).is_some() && manifest.problem("c.md", None).is_some());
        }
        for text in ["", "documents: 3\n", "- [x]\n", "[]"] {
            assert!(Manifest::parse(text).is_err(), "{text:?}");
        }
    }
}
