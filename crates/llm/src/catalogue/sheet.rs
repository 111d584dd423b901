//! Reading one value after the other from the tree, keeping what is wrong with each.

use std::str::FromStr as _;

use aha_core::model::{ModelRef, Provider};
use serde_json::Map;

use super::environment::{Environment, Unresolved};
use super::problem::{CatalogueProblem, shown};
use super::tree::{Node, Pair, Value, typed};

/// Words more alike than this are taken for one another's misspelling.
const ALIKE: f64 = 0.8;

/// What a value wants, and an example of it.
pub(super) type Wants<'a> = (&'a str, &'a str);

/// The file that is being read.
pub(super) struct Sheet<'a> {
    pub(super) file: String,
    pub(super) environment: &'a Environment,
    pub(super) problems: Vec<CatalogueProblem>,
}

impl<'a> Sheet<'a> {
    pub(super) const fn new(file: String, environment: &'a Environment) -> Self {
        Self { file, environment, problems: Vec::new() }
    }

    /// Notes a problem, unless it is known of that line: a default is read again with each entry.
    pub(super) fn problem(&mut self, line: usize, path: &str, what: impl Into<String>, example: impl Into<String>) {
        let what = what.into();
        if self.problems.iter().any(|known| known.line == Some(line) && known.what == what) {
            return;
        }
        let (file, path) = (self.file.clone(), path.to_owned());
        self.problems.push(CatalogueProblem { file, line: Some(line), path, what, example: example.into() });
    }

    /// A text with its variables resolved.
    pub(super) fn text(&mut self, node: &Node, path: &str, (wants, example): Wants<'_>) -> Option<String> {
        let Value::Scalar { text, .. } = &node.value else {
            self.problem(node.line, path, format!("it wants {wants}"), example);
            return None;
        };
        match self.environment.resolve(text) {
            Ok(resolved) => Some(resolved),
            Err(Unresolved::Unset(name)) => {
                self.problem(node.line, path, format!("the variable {name} is not set: it wants {wants}"), "");
                None
            }
            Err(Unresolved::Malformed) => {
                let what = "a variable is written ${NAME}, with letters, digits and underscores; $${ stands for ${";
                self.problem(node.line, path, what, "${LLM_HOST}");
                None
            }
        }
    }

    /// A single value, made something of.
    pub(super) fn value<T>(
        &mut self,
        node: &Node,
        path: &str,
        wants: Wants<'_>,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.text(node, path, wants)?;
        let read = parse(text.trim());
        if let (None, Value::Scalar { text, .. }) = (&read, &node.value) {
            self.problem(node.line, path, format!("{} cannot be used: it wants {}", shown(text), wants.0), wants.1);
        }
        read
    }

    /// The same, without a word of what it is: it may be secret.
    pub(super) fn secret_value<T>(
        &mut self,
        node: &Node,
        path: &str,
        wants: Wants<'_>,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.text(node, path, wants)?;
        let read = parse(text.trim());
        if read.is_none() {
            self.problem(node.line, path, format!("it cannot be used: it wants {}", wants.0), wants.1);
        }
        read
    }

    pub(super) fn map<'n>(&mut self, node: &'n Node, path: &str, (wants, example): Wants<'_>) -> &'n [Pair] {
        if node.is_null() {
            return &[];
        }
        node.map().unwrap_or_else(|| {
            self.problem(node.line, path, format!("it wants {wants}"), example);
            &[]
        })
    }

    pub(super) fn list<'n>(&mut self, node: &'n Node, path: &str, (wants, example): Wants<'_>) -> &'n [Node] {
        match &node.value {
            Value::List(nodes) => nodes,
            _ if node.is_null() => &[],
            Value::Scalar { .. } | Value::Map(_) => {
                self.problem(node.line, path, format!("it wants {wants}"), example);
                &[]
            }
        }
    }

    /// `provider/model`, of one of our providers.
    pub(super) fn model(&mut self, text: &str, line: usize, path: &str) -> Option<(Provider, ModelRef)> {
        let example = "openai/gpt-5-mini";
        let providers = Provider::ALL.map(Provider::as_str);
        let Some((provider, model)) = text.split_once('/').filter(|(_, model)| !model.trim().is_empty()) else {
            let what = format!("{} is no name of a model: it wants PROVIDER/MODEL", shown(text));
            self.problem(line, path, what, example);
            return None;
        };
        let Ok(known) = Provider::from_str(provider) else {
            let what = format!(
                "the provider {} is not known: it wants one of {}{}",
                shown(provider),
                providers.join(", "),
                perhaps(provider, &providers)
            );
            self.problem(line, path, what, example);
            return None;
        };
        Some((known, ModelRef { provider: provider.to_owned(), model: model.to_owned() }))
    }

    /// A key that means nothing here.
    pub(super) fn unknown(&mut self, pair: &Pair, path: &str, known: &[&str]) {
        let what = format!("the key is not known{}", perhaps(&pair.key, known));
        let example = if what.ends_with('?') { String::new() } else { format!("one of {}", known.join(", ")) };
        self.problem(pair.line, path, what, example);
    }

    /// Any value as JSON, with variables resolved in its texts.
    pub(super) fn json(&mut self, node: &Node, path: &str) -> serde_json::Value {
        match &node.value {
            Value::Scalar { plain, .. } => {
                let wants = ("text, in which variables are set", "${NAME}");
                self.text(node, path, wants).map_or(serde_json::Value::Null, |text| typed(text, *plain))
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

/// The path of a key below another.
pub(super) fn below(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// A question about the word that was meant, if any is like it.
fn perhaps(word: &str, known: &[&str]) -> String {
    let likeness = |other: &str| strsim::jaro_winkler(&word.to_lowercase().replace('-', "_"), other);
    let best = known.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    match best {
        Some(best) if likeness(best) >= ALIKE => format!("; did you mean {best}?"),
        Some(_) | None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_without_quotes_are_what_they_look_like() {
        for (text, plain, value) in [
            ("1", true, json!(1)),
            ("-1.50", true, json!(-1.5)),
            ("1e3", true, json!(1000.0)),
            ("+7", true, json!(7)),
            ("true", true, json!(true)),
            ("~", true, json!(null)),
            ("1", false, json!("1")),
            ("yes", true, json!("yes")),
            ("1.2.3", true, json!("1.2.3")),
            (".inf", true, json!(".inf")),
        ] {
            assert_eq!(typed(text.to_owned(), plain), value, "{text}");
        }
    }

    #[test]
    fn a_misspelt_key_is_guessed() {
        let known = ["timeout_seconds", "temperature", "max_tokens"];
        assert_eq!(perhaps("timout_seconds", &known), "; did you mean timeout_seconds?");
        assert_eq!(perhaps("max-tokens", &known), "; did you mean max_tokens?");
        assert_eq!(perhaps("colour", &known), "");
    }
}
