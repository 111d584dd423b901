//! The limits of a catalogue's text, and how the tree of an entry is merged over that of the defaults.

use aha_yaml::{Limits, Node, Pair, Value, parse};

/// Maximum size of a catalogue, which is usually some kilobytes.
pub(super) const MAX_BYTES: u64 = 1 << 20;
pub(super) const LIMITS: Limits =
    Limits { max_depth: 32, max_nodes: 50_000, max_text_bytes: 8 << 20, allows_aliases: true };

/// Merges a value over `below`: maps are merged key by key, any other value replaces the lower one.
pub(super) fn over(above: Node, below: &Node) -> Node {
    let value = match (above.value, &below.value) {
        (Value::Map(above), Value::Map(lower)) => Value::Map(merged(above, lower)),
        (value, _) => value,
    };
    Node { line: above.line, value }
}

fn merged(above: Vec<Pair>, below: &[Pair]) -> Vec<Pair> {
    let mut lower: Vec<Pair> =
        below.iter().filter(|pair| above.iter().all(|upper| upper.key != pair.key)).cloned().collect();
    for pair in above {
        let node = match below.iter().find(|lower| lower.key == pair.key) {
            Some(lower) => over(pair.node, &lower.node),
            None => pair.node,
        };
        lower.push(Pair { node, ..pair });
    }
    lower
}

/// Converts a YAML document to JSON, for files other than the catalogue.
///
/// # Errors
/// What is wrong with it, and on which line.
pub fn yaml_to_json(text: &str) -> Result<serde_json::Value, String> {
    let mut faults = Vec::new();
    let root = parse(text, LIMITS, &mut faults).map_err(|fault| fault.to_string())?;
    match faults.first() {
        Some(fault) => Err(fault.to_string()),
        None => Ok(root.as_ref().map_or(serde_json::Value::Null, Node::to_json)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_merged_over_another_field_by_field() {
        let node = |text| parse(text, LIMITS, &mut Vec::new()).unwrap().unwrap();
        let merged = over(node("a: {x: 9}\nb: 2"), &node("a: {x: 1, y: 2}\nb: {z: 1}\nc: 3"));
        for (path, text) in [(&["a", "x"][..], "9"), (&["a", "y"], "2"), (&["b"], "2"), (&["c"], "3")] {
            let found = path.iter().try_fold(&merged, |node, key| node.get(key)).and_then(Node::text);
            assert_eq!(found, Some(text), "{path:?}");
        }
    }

    #[test]
    fn a_document_is_json_or_said_to_be_wrong_with_its_line() {
        assert_eq!(yaml_to_json("a: &a [1, '1']\nb: *a\n").unwrap(), serde_json::json!({"a": [1, "1"], "b": [1, "1"]}));
        assert_eq!(yaml_to_json("").unwrap(), serde_json::Value::Null);
        assert_eq!(yaml_to_json("a: 1\na: 2\n").unwrap_err(), "line 2: the key \"a\" is given twice");
        assert!(yaml_to_json("a: 1\nb: !!str 2\n").unwrap_err().starts_with("line 2: it has a tag"));
    }
}
