//! YAML as a tree in which each value knows its line, so that all mistakes in a file can be reported at once.
//!
//! Input: text, which may be untrusted, and [`Limits`] on what it may contain. Output: the root as a [`Node`], or the
//! [`Fault`] that prevents the text from being read. Values are texts until their reader asks for a type: [`typed`] and
//! [`Node::to_json`] follow YAML's core schema. It reads no files.
//!
//! ```
//! use aha_yaml::{Limits, parse};
//!
//! let limits = Limits { max_depth: 8, max_nodes: 1_000, max_text_bytes: 1 << 16, allows_aliases: false };
//! let mut faults = Vec::new();
//! let root = parse("harbour:\n  name: Ailsk\n  depth: 4\n  name: Ailsk\n", limits, &mut faults).unwrap().unwrap();
//! let depth = root.get("harbour").and_then(|harbour| harbour.get("depth")).unwrap();
//! assert_eq!((depth.line, depth.text(), depth.to_json()), (3, Some("4"), 4.into()));
//! assert_eq!(faults[0].to_string(), "line 4: the key \"name\" is given twice");
//! ```

mod builder;
mod json;
mod node;

use std::fmt;

pub use builder::parse;
pub use json::typed;
pub use node::{Node, Pair, Value, shown};

/// What a document may contain.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Maximum depth of lists and mappings in each other.
    pub max_depth: usize,
    /// Maximum number of keys and values. What aliases repeat counts each time.
    pub max_nodes: usize,
    /// Maximum length of all keys and values together. What aliases repeat counts each time.
    pub max_text_bytes: usize,
    /// Whether an alias (`*name`) may repeat a value.
    pub allows_aliases: bool,
}

/// What is wrong with a document, and on which line, from 1.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    pub line: usize,
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}
