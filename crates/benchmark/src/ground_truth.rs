//! Reads the questions and their expected answers. Input: a YAML file. Output: the questions, or all mistakes of the
//! file with their line numbers.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

pub use aha_yaml::Fault as Mistake;
use aha_yaml::{Limits, Node, Value, parse};
use chrono::{DateTime, NaiveDate};
use thiserror::Error;

/// With fewer questions the figures are not meaningful.
pub const MIN_QUESTIONS: usize = 20;
/// A larger file is rejected.
const MAX_BYTES: u64 = 20 << 20;
pub(crate) const LIMITS: Limits =
    Limits { max_depth: 32, max_nodes: 500_000, max_text_bytes: 20 << 20, allows_aliases: false };

/// A file of questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroundTruth {
    pub version: String,
    pub created: String,
    pub description: String,
    pub questions: Vec<Question>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    pub id: String,
    pub category: String,
    pub question: String,
    /// `None` if the documents do not answer the question. The server should then refuse to answer.
    pub expected_answer: Option<String>,
    /// Other correct answers.
    pub variations: Vec<String>,
    /// Whether an answer is correct only with valid citations.
    pub citation_required: bool,
    pub tags: Vec<String>,
    /// Documents and sections that should be cited, if the file lists them.
    pub citations: Vec<(String, String)>,
}

impl Question {
    /// Returns all correct answers.
    #[must_use]
    pub fn accepted(&self) -> Vec<String> {
        self.expected_answer.iter().chain(&self.variations).cloned().collect()
    }
}

/// All mistakes in a file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct GroundTruthError {
    pub mistakes: Vec<Mistake>,
}

impl fmt::Display for GroundTruthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.mistakes.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

/// Why a file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LoadError {
    #[error("{path} cannot be read: {why}")]
    Unreadable { path: String, why: String },
    #[error("{path}:\n{mistakes}")]
    Mistakes { path: String, mistakes: GroundTruthError },
}

impl LoadError {
    pub(crate) fn mistakes(path: &Path, mistakes: GroundTruthError) -> Self {
        Self::Mistakes { path: path.display().to_string(), mistakes }
    }
}

impl GroundTruth {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or with all mistakes in it.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        Self::parse(&read_text(path)?).map_err(|error| LoadError::mistakes(path, error))
    }

    /// # Errors
    /// All mistakes in the text.
    pub fn parse(text: &str) -> Result<Self, GroundTruthError> {
        let mut mistakes = Vec::new();
        let root =
            parse(text, LIMITS, &mut mistakes).map_err(|mistake| GroundTruthError { mistakes: vec![mistake] })?;
        let mut reader = Reader { mistakes, ids: HashMap::new() };
        let read = reader.file(root.as_ref());
        let mut mistakes = reader.mistakes;
        if mistakes.is_empty() {
            return Ok(read);
        }
        mistakes.sort();
        Err(GroundTruthError { mistakes })
    }
}

/// Reads a file's text. Fails if it is larger than [`MAX_BYTES`].
pub(crate) fn read_text(path: &Path) -> Result<String, LoadError> {
    let unreadable = |why: String| LoadError::Unreadable { path: path.display().to_string(), why };
    let no_access = |error: std::io::Error| {
        unreadable(format!("{error}; name a text file that exists and that this user may read"))
    };
    let size = std::fs::metadata(path).map_err(no_access)?.len();
    if size > MAX_BYTES {
        return Err(unreadable(format!("it has more than {} MB; split it", MAX_BYTES / 1024 / 1024)));
    }
    std::fs::read_to_string(path).map_err(no_access)
}

struct Reader {
    mistakes: Vec<Mistake>,
    /// Question ids with their line numbers.
    ids: HashMap<String, usize>,
}

impl Reader {
    fn add_mistake(&mut self, line: usize, what: impl Into<String>) {
        self.mistakes.push(Mistake { line, what: what.into() });
    }

    fn file(&mut self, root: Option<&Node>) -> GroundTruth {
        let mut read = GroundTruth {
            version: String::new(),
            created: String::new(),
            description: String::new(),
            questions: Vec::new(),
        };
        let Some(root) = root.filter(|root| root.map().is_some()) else {
            let line = root.map_or(1, |root| root.line);
            self.add_mistake(line, "it expects a mapping with version, created, description and questions");
            return read;
        };
        read.version = self.text(root, "version", "").unwrap_or_default();
        let optional = |key: &str| root.get(key).and_then(Node::text).map(str::to_owned).unwrap_or_default();
        (read.created, read.description) = (optional("created"), optional("description"));
        let is_date = |text: &str| {
            NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok() || DateTime::parse_from_rfc3339(text).is_ok()
        };
        let is_wrong = |created: &&Node| !created.is_null() && !created.text().is_some_and(is_date);
        if let Some(created) = root.get("created").filter(is_wrong) {
            self.add_mistake(created.line, "created expects a date as YYYY-MM-DD");
        }
        let Some(questions) = root.get("questions") else {
            self.add_mistake(root.line, "questions is missing");
            return read;
        };
        let Some(list) = questions.list() else {
            self.add_mistake(questions.line, "questions expects a list");
            return read;
        };
        if list.len() < MIN_QUESTIONS {
            self.add_mistake(
                questions.line,
                format!("questions expects at least {MIN_QUESTIONS}, and has {}", list.len()),
            );
        }
        read.questions = list.iter().map(|node| self.question(node)).collect();
        read
    }

    fn question(&mut self, node: &Node) -> Question {
        let name = node.get("id").and_then(Node::text).map_or_else(|| "a question".to_owned(), str::to_owned);
        if node.map().is_none() {
            self.add_mistake(node.line, "a question expects a mapping with id, category, question and expected_answer");
        }
        let id = if node.map().is_some() { self.text(node, "id", "").unwrap_or_default() } else { String::new() };
        if let Some(first) = (!id.is_empty()).then(|| self.ids.insert(id.clone(), node.line)).flatten() {
            self.add_mistake(node.line, format!("the id {id} is used on line {first} already"));
        }
        let mut field = |key: &str| if node.map().is_some() { self.text(node, key, &name) } else { None };
        let (category, question) = (field("category").unwrap_or_default(), field("question").unwrap_or_default());
        let citation_required = self.boolean(node, "citation_required", &name);
        let variations = self.texts(node, "variations", &name);
        let expected_answer = self.expected(node, &name, citation_required, &variations);
        Question {
            id,
            category,
            question,
            expected_answer,
            variations,
            citation_required,
            tags: self.texts(node, "tags", &name),
            citations: self.citations(node, &name),
        }
    }

    /// Returns a required text; records a mistake and returns `None` if it is missing, empty or not a text.
    fn text(&mut self, node: &Node, key: &str, of: &str) -> Option<String> {
        let of = if of.is_empty() { String::new() } else { format!("{of}: ") };
        match node.get(key) {
            None => self.add_mistake(node.line, format!("{of}{key} is missing")),
            Some(value) => match value.text().map(str::trim) {
                Some("") => self.add_mistake(value.line, format!("{of}{key} is empty")),
                Some(text) => return Some(text.to_owned()),
                None if value.is_null() => self.add_mistake(value.line, format!("{of}{key} is empty")),
                None => self.add_mistake(value.line, format!("{of}{key} expects a text")),
            },
        }
        None
    }

    /// Returns the expected answer. Null means that the documents do not answer the question; requiring a citation or
    /// listing variations is then a mistake.
    fn expected(&mut self, node: &Node, of: &str, required: bool, variations: &[String]) -> Option<String> {
        let is_null = node.get("expected_answer").is_some_and(Node::is_null);
        node.map()?;
        if is_null && required {
            self.add_mistake(
                node.line,
                format!("{of}: expected_answer is empty (null), but citation_required is true"),
            );
        }
        if is_null && !variations.is_empty() {
            self.add_mistake(node.line, format!("{of}: expected_answer is empty (null), but there are variations"));
        }
        if is_null { None } else { self.text(node, "expected_answer", of) }
    }

    fn boolean(&mut self, node: &Node, key: &str, of: &str) -> bool {
        let Some(value) = node.get(key) else { return true };
        boolean_of(value).unwrap_or_else(|| {
            self.add_mistake(value.line, format!("{of}: {key} expects true or false"));
            true
        })
    }

    fn texts(&mut self, node: &Node, key: &str, of: &str) -> Vec<String> {
        let Some(value) = node.get(key).filter(|value| !value.is_null()) else { return Vec::new() };
        let Some(list) = value.list() else {
            self.add_mistake(value.line, format!("{of}: {key} expects a list of texts"));
            return Vec::new();
        };
        let mut texts = Vec::new();
        for entry in list {
            match entry.text().map(str::trim) {
                Some(text) if !text.is_empty() => texts.push(text.to_owned()),
                _ => self.add_mistake(entry.line, format!("{of}: an entry of {key} expects a text")),
            }
        }
        texts
    }

    fn citations(&mut self, node: &Node, of: &str) -> Vec<(String, String)> {
        let Some(value) = node.get("citations").filter(|value| !value.is_null()) else { return Vec::new() };
        let Some(list) = value.list() else {
            self.add_mistake(value.line, format!("{of}: citations expects a list of document and section"));
            return Vec::new();
        };
        let mut cited = Vec::new();
        for entry in list {
            let part = |key: &str| entry.get(key).and_then(Node::text).map(|text| text.trim().to_owned());
            match (part("document"), part("section")) {
                (Some(document), section) => cited.push((document, section.unwrap_or_default())),
                (None, _) => self.add_mistake(entry.line, format!("{of}: a citation expects a document")),
            }
        }
        cited
    }
}

fn boolean_of(node: &Node) -> Option<bool> {
    let Value::Scalar { text, plain: true } = &node.value else { return None };
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(questions: usize, more: &str) -> String {
        let question = |number: usize| {
            format!(
                "- id: T-{number}\n  category: tides\n  question: When is high water number {number}?\n  \
                 expected_answer: at {number}\n  variations:\n  - '{number}'\n  citation_required: true\n  \
                 tags: [tide]\n  future_field: 1\n"
            )
        };
        let head = "version: '1.0'\ncreated: '2026-01-21'\ndescription: Tides\nquestions:\n";
        let questions: Vec<String> = (1..=questions).map(question).collect();
        format!("{head}{}{more}", questions.concat())
    }

    #[test]
    fn a_good_file_is_read_whole() {
        let unknown = "- id: U\n  category: none\n  question: Who?\n  expected_answer: null\n  variations: []\n  citation_required: false\n";
        let read = GroundTruth::parse(&file(20, unknown)).unwrap();
        assert_eq!((read.questions.len(), read.created.as_str()), (21, "2026-01-21"));
        assert_eq!(read.questions[0].accepted(), ["at 1", "1"]);
        assert!(read.questions[0].citation_required && !read.questions[20].citation_required);
        assert_eq!(read.questions[20].expected_answer, None);
    }

    #[test]
    fn all_mistakes_are_reported_at_once_with_their_lines() {
        let more = "- id: T-3\n  category: tides\n  question: ''\n  expected_answer: x\n  citation_required: maybe\n- just text\n\
                    - id: Q\n  question: [a]\n  expected_answer: null\n  tags: all\n";
        let text = file(3, more);
        let mistakes = GroundTruth::parse(&text).unwrap_err().mistakes;
        let said = |what: &str| mistakes.iter().find(|m| m.what.contains(what)).map(|m| m.line);
        let line = |start: &str| text.lines().position(|l| l.starts_with(start)).map(|at| at + 1);
        assert_eq!(said("at least 20, and has 6"), line("- id: T-1"));
        assert!(said("T-3 is used on line").is_some() && said("question is empty").is_some());
        assert!(said("expects true or false").is_some());
        assert_eq!(said("a question expects a mapping"), line("- just text"));
        assert!(said("Q: category is missing").is_some() && said("Q: question expects a text").is_some());
        assert!(said("expected_answer is empty (null)").is_some() && said("tags expects a list").is_some());
        assert!(mistakes.is_sorted());
    }

    #[test]
    fn a_day_that_does_not_exist_is_a_mistake() {
        for day in ["2026-13-01", "yesterday", "2026-02-30"] {
            let mistakes = GroundTruth::parse(&file(20, "").replace("2026-01-21", day)).unwrap_err().mistakes;
            let said: Vec<(usize, &str)> = mistakes.iter().map(|m| (m.line, m.what.as_str())).collect();
            assert_eq!(said, [(2, "created expects a date as YYYY-MM-DD")], "{day}");
        }
        assert!(GroundTruth::parse(&file(20, "").replace("2026-01-21", "2026-01-21T09:00:00Z")).is_ok());
    }

    #[test]
    fn invalid_ground_truth_is_reported() {
        for text in ["", "- a\n", "version: '1.0'\n", "version: [\n", "a: 1\na: 2\n", "questions: &q []\nx: *q\n"] {
            assert!(GroundTruth::parse(text).is_err(), "{text:?}");
        }
        let missing = GroundTruth::load(Path::new("/nowhere/ground_truth.yaml")).unwrap_err();
        let said = missing.to_string();
        assert!(said.starts_with("/nowhere/ground_truth.yaml cannot be read: ") && !said.contains("line"), "{said}");
    }

    #[test]
    fn a_key_that_is_repeated_and_what_is_not_read_are_reported_with_their_lines() {
        for (more, line, what) in [
            ("  tags: []\n", 185, "the key \"tags\" is given twice"),
            ("note: &a x\nmore: *a\n", 186, "aliases (*name) are not used here; write the value out"),
            ("note: !!str y\n", 185, "it has a tag (!), which means nothing here"),
            ("---\nquestions: []\n", 185, "a second document begins"),
        ] {
            let text = file(20, more);
            let said = GroundTruth::parse(&text).unwrap_err().to_string();
            assert_eq!(said, format!("line {line}: {what}"), "{more:?}");
        }
    }
}
