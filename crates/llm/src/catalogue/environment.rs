//! Environment variables that a catalogue references as `${NAME}`.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use aha_net::secret;
use secrecy::SecretString;

/// The process's variables. An empty one counts as unset.
pub struct Environment {
    variables: BTreeMap<String, String>,
    /// Names that were looked up.
    referred: RefCell<BTreeSet<String>>,
}

/// Omits the values, some of which are keys.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment").field("referred", &self.referred).finish_non_exhaustive()
    }
}

/// Why variables in a text cannot be resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unresolved {
    Unset(String),
    /// `${` that is not followed by a name and `}`.
    Malformed,
}

impl Environment {
    #[must_use]
    pub fn of(pairs: &[(String, String)]) -> Self {
        let variables = pairs.iter().filter(|(_, value)| !value.trim().is_empty()).cloned().collect();
        Self { variables, referred: RefCell::default() }
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.referred.borrow_mut().insert(name.to_owned());
        self.variables.get(name).map(|value| value.trim())
    }

    /// Returns the names looked up so far.
    pub fn referred(&self) -> BTreeSet<String> {
        self.referred.borrow().clone()
    }

    /// Resolves the variables in a text; `$${` is an escaped `${`.
    pub(super) fn resolve(&self, text: &str) -> Result<String, Unresolved> {
        let mut resolved = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("${") {
            if let Some(before) = rest[..at].strip_suffix('$') {
                resolved.push_str(before);
                resolved.push_str("${");
                rest = &rest[at + 2..];
                continue;
            }
            resolved.push_str(&rest[..at]);
            let (name, after) = rest[at + 2..].split_once('}').ok_or(Unresolved::Malformed)?;
            if !is_name(name) {
                return Err(Unresolved::Malformed);
            }
            resolved.push_str(self.get(name).ok_or_else(|| Unresolved::Unset(name.to_owned()))?);
            rest = after;
        }
        resolved.push_str(rest);
        Ok(resolved)
    }

    /// Reads the key from a variable, or from the file named by the variable of that name with `_FILE` appended. `Err`:
    /// the name of the variable that cannot be used.
    pub(super) fn key(&self, name: &str) -> Result<Option<SecretString>, String> {
        if let Some(key) = self.get(name) {
            return Ok(Some(key.to_owned().into()));
        }
        let file = format!("{name}_FILE");
        let Some(path) = self.get(&file) else { return Ok(None) };
        secret::in_file(path).map(Some).ok_or(file)
    }
}

/// Returns the name if the text is a single variable and nothing else.
pub(super) fn only_variable(text: &str) -> Option<&str> {
    text.trim().strip_prefix("${")?.strip_suffix('}').filter(|name| is_name(name))
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    fn environment() -> Environment {
        let pairs = [("HOST", "gpu"), ("PORT", "8080"), ("EMPTY", " ")];
        Environment::of(&pairs.map(|(name, value)| (name.to_owned(), value.to_owned())))
    }

    #[test]
    fn variables_are_resolved_wherever_they_stand() {
        for (text, resolved) in [
            ("http://${HOST}:${PORT}/v1", Ok("http://gpu:8080/v1".to_owned())),
            ("plain $HOST { }", Ok("plain $HOST { }".to_owned())),
            ("$${HOST}", Ok("${HOST}".to_owned())),
            ("${NOBODY}", Err(Unresolved::Unset("NOBODY".to_owned()))),
            ("${EMPTY}", Err(Unresolved::Unset("EMPTY".to_owned()))),
            ("${HOST", Err(Unresolved::Malformed)),
            ("${HOST:-x}", Err(Unresolved::Malformed)),
            ("${}", Err(Unresolved::Malformed)),
        ] {
            assert_eq!(environment().resolve(text), resolved, "{text}");
        }
        assert_eq!(only_variable(" ${KEY} "), Some("KEY"));
        assert_eq!([only_variable("sk-1"), only_variable("${A}${B}"), only_variable("x${A}")], [None; 3]);
    }

    #[test]
    fn a_key_may_be_in_a_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "sk-filed\n").unwrap();
        let pairs = [("KEY_FILE", file.path().to_str().unwrap()), ("LOST_FILE", "/nowhere")];
        let environment = Environment::of(&pairs.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(environment.key("KEY").unwrap().unwrap().expose_secret(), "sk-filed");
        assert_eq!(environment.key("LOST").unwrap_err(), "LOST_FILE");
        assert!(environment.key("OTHER").unwrap().is_none());
    }
}
