//! Reads single values from the tree and records the problems of each.

use std::str::FromStr as _;

use aha_core::model::{ModelRef, Provider};
use aha_yaml::{Node, Pair, Value, shown, typed};
use serde_json::Map;

use super::environment::{Environment, Unresolved};
use super::problem::{CatalogueProblem, clipped};

/// Minimum similarity at which a word counts as a misspelling of another.
const MIN_SIMILARITY: f64 = 0.8;

/// What is expected of a value, and an example.
pub(super) type Expected<'a> = (&'a str, &'a str);

/// Reads the values of a file and collects its problems.
pub(super) struct CatalogueReader<'a> {
    pub(super) file: String,
    pub(super) environment: &'a Environment,
    pub(super) problems: Vec<CatalogueProblem>,
}

impl<'a> CatalogueReader<'a> {
    pub(super) const fn new(file: String, environment: &'a Environment) -> Self {
        Self { file, environment, problems: Vec::new() }
    }

    /// Records a problem, unless it is already recorded for that line: a default is read again with each entry.
    pub(super) fn problem(&mut self, line: usize, path: &str, what: impl Into<String>, example: impl Into<String>) {
        let what = what.into();
        if self.problems.iter().any(|known| known.line == Some(line) && known.what == what) {
            return;
        }
        let (file, path) = (self.file.clone(), clipped(path));
        self.problems.push(CatalogueProblem { file, line: Some(line), path, what, example: example.into() });
    }

    /// Returns a text with its variables resolved.
    pub(super) fn text(&mut self, node: &Node, path: &str, (expected, example): Expected<'_>) -> Option<String> {
        let Value::Scalar { text, .. } = &node.value else {
            self.problem(node.line, path, format!("it expects {expected}"), example);
            return None;
        };
        match self.environment.resolve(text) {
            Ok(resolved) => Some(resolved),
            Err(Unresolved::Unset(name)) => {
                let what = format!("the variable {} is not set: it expects {expected}", clipped(&name));
                self.problem(node.line, path, what, "");
                None
            }
            Err(Unresolved::Malformed) => {
                let what = "a variable is written ${NAME}, with letters, digits and underscores; $${ stands for ${";
                self.problem(node.line, path, what, "${LLM_HOST}");
                None
            }
        }
    }

    /// Parses a single value.
    pub(super) fn value<T>(
        &mut self,
        node: &Node,
        path: &str,
        expected: Expected<'_>,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.text(node, path, expected)?;
        let read = parse(text.trim());
        if let (None, Value::Scalar { text, .. }) = (&read, &node.value) {
            self.problem(
                node.line,
                path,
                format!("{} cannot be used: it expects {}", shown(text), expected.0),
                expected.1,
            );
        }
        read
    }

    /// Parses a single value without quoting it in problems, because it may be secret.
    pub(super) fn secret_value<T>(
        &mut self,
        node: &Node,
        path: &str,
        expected: Expected<'_>,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.text(node, path, expected)?;
        let read = parse(text.trim());
        if read.is_none() {
            self.problem(node.line, path, format!("it cannot be used: it expects {}", expected.0), expected.1);
        }
        read
    }

    pub(super) fn map<'n>(&mut self, node: &'n Node, path: &str, (expected, example): Expected<'_>) -> &'n [Pair] {
        if node.is_null() {
            return &[];
        }
        node.map().unwrap_or_else(|| {
            self.problem(node.line, path, format!("it expects {expected}"), example);
            &[]
        })
    }

    pub(super) fn list<'n>(&mut self, node: &'n Node, path: &str, (expected, example): Expected<'_>) -> &'n [Node] {
        match &node.value {
            Value::List(nodes) => nodes,
            _ if node.is_null() => &[],
            Value::Scalar { .. } | Value::Map(_) => {
                self.problem(node.line, path, format!("it expects {expected}"), example);
                &[]
            }
        }
    }

    /// Parses `provider/model` with a known provider.
    pub(super) fn model(&mut self, text: &str, line: usize, path: &str) -> Option<(Provider, ModelRef)> {
        let example = "openai/gpt-5-mini";
        let providers = Provider::ALL.map(Provider::as_str);
        let Some((provider, model)) = text.split_once('/').filter(|(_, model)| !model.trim().is_empty()) else {
            let what = format!("{} is no name of a model: it expects PROVIDER/MODEL", shown(text));
            self.problem(line, path, what, example);
            return None;
        };
        let Ok(known) = Provider::from_str(provider) else {
            let what = format!(
                "the provider {} is not known: it expects one of {}{}",
                shown(provider),
                providers.join(", "),
                suggestion(provider, &providers)
            );
            self.problem(line, path, what, example);
            return None;
        };
        Some((known, ModelRef { provider: provider.to_owned(), model: model.to_owned() }))
    }

    /// Records an unknown key.
    pub(super) fn unknown(&mut self, pair: &Pair, path: &str, known: &[&str]) {
        let what = format!("the key is not known{}", suggestion(&pair.key, known));
        let example = if what.ends_with('?') { String::new() } else { format!("one of {}", known.join(", ")) };
        self.problem(pair.line, path, what, example);
    }

    /// Returns any value as JSON, with variables resolved in its texts.
    pub(super) fn json(&mut self, node: &Node, path: &str) -> serde_json::Value {
        match &node.value {
            Value::Scalar { plain, .. } => {
                let expected = ("text, in which variables are set", "${NAME}");
                self.text(node, path, expected).map_or(serde_json::Value::Null, |text| typed(text, *plain))
            }
            Value::List(nodes) => {
                let numbered = nodes.iter().enumerate();
                numbered.map(|(index, node)| self.json(node, &below(path, &index.to_string()))).collect()
            }
            Value::Map(pairs) => self.object(pairs, path).into(),
        }
    }

    pub(super) fn object(&mut self, pairs: &[Pair], path: &str) -> Map<String, serde_json::Value> {
        pairs.iter().map(|pair| (pair.key.clone(), self.json(&pair.node, &below(path, &pair.key)))).collect()
    }
}

/// Returns the path of a key below another.
pub(super) fn below(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// Returns a "did you mean" question for the most similar known word; empty if none is similar.
fn suggestion(word: &str, known: &[&str]) -> String {
    let similarity = |other: &str| strsim::jaro_winkler(&word.to_lowercase().replace('-', "_"), other);
    let best = known.iter().max_by(|a, b| similarity(a).total_cmp(&similarity(b)));
    match best {
        Some(best) if similarity(best) >= MIN_SIMILARITY => format!("; did you mean {best}?"),
        Some(_) | None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_key_is_guessed() {
        let known = ["timeout_seconds", "temperature", "max_tokens"];
        assert_eq!(suggestion("timout_seconds", &known), "; did you mean timeout_seconds?");
        assert_eq!(suggestion("max-tokens", &known), "; did you mean max_tokens?");
        assert_eq!(suggestion("colour", &known), "");
    }
}
