//! The tree: values that are not typed yet, each with its line. Made by `builder`.

/// Maximum characters of a value that are shown, so that a misplaced key is not printed in full.
const MAX_SHOWN_CHARS: usize = 24;

/// A value and the line on which it begins, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    pub line: usize,
    pub value: Value,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// `plain`: without quotes, so that it may be a number, a boolean or null.
    Scalar {
        text: String,
        plain: bool,
    },
    List(Vec<Node>),
    Map(Vec<Pair>),
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    pub key: String,
    pub line: usize,
    pub node: Node,
}

impl Node {
    /// Whether it is null: empty, `~` or `null`, without quotes.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar { text, plain: true } if is_null_word(text))
    }

    /// Returns the text of a scalar; `None` for a list, a mapping and null.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } if !self.is_null() => Some(text),
            Value::Scalar { .. } | Value::List(_) | Value::Map(_) => None,
        }
    }

    #[must_use]
    pub fn list(&self) -> Option<&[Self]> {
        match &self.value {
            Value::List(nodes) => Some(nodes),
            Value::Scalar { .. } | Value::Map(_) => None,
        }
    }

    #[must_use]
    pub fn map(&self) -> Option<&[Pair]> {
        match &self.value {
            Value::Map(pairs) => Some(pairs),
            Value::Scalar { .. } | Value::List(_) => None,
        }
    }

    /// Returns the value of a mapping's key; the first one if the key is repeated.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.map()?.iter().find(|pair| pair.key == key).map(|pair| &pair.node)
    }

    pub(crate) fn count(&self) -> usize {
        1 + match &self.value {
            Value::Scalar { .. } => 0,
            Value::List(nodes) => nodes.iter().map(Self::count).sum::<usize>(),
            Value::Map(pairs) => pairs.iter().map(|pair| pair.node.count()).sum(),
        }
    }

    pub(crate) fn text_bytes(&self) -> usize {
        match &self.value {
            Value::Scalar { text, .. } => text.len(),
            Value::List(nodes) => nodes.iter().map(Self::text_bytes).sum(),
            Value::Map(pairs) => pairs.iter().map(|pair| pair.key.len() + pair.node.text_bytes()).sum(),
        }
    }
}

/// Whether a text without quotes is null.
pub(crate) fn is_null_word(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

/// Returns a key or a value as written in the file, in quotes, truncated to 24 characters.
#[must_use]
pub fn shown(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("\"{}…\"", text[..end].escape_debug()),
        None => format!("{text:?}"),
    }
}
