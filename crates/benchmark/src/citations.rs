//! Checks the citations of an answer against the contract: `document` and `section` in every citation, and a score
//! between 0 and 1 if it has one.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::client::without_controls;
use crate::manifest::Manifest;

/// State of an answer's citations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum CitationStatus {
    /// At least one citation, and all of them are valid.
    Present,
    /// None.
    Missing,
    /// At least one citation is malformed or cites an unknown document or section, even if others are valid.
    Invalid,
}

/// A citation of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Citation {
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub document: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub section: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub relevance_score: Option<f64>,
    /// Everything that is wrong with it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub problems: Vec<String>,
}

/// Further citations are dropped and reported as one invalid citation.
const MAX_CITATIONS: usize = 200;
/// Maximum length of a name stored in the report.
const MAX_NAME_CHARS: usize = 300;

/// The checked citations of one answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CheckedCitations {
    pub(crate) status: CitationStatus,
    pub(crate) citations: Vec<Citation>,
}

pub(crate) fn check(citations: Option<&Value>, manifest: Option<&Manifest>) -> CheckedCitations {
    let list = match citations {
        None | Some(Value::Null) => return CheckedCitations { status: CitationStatus::Missing, citations: Vec::new() },
        Some(Value::Array(list)) if list.is_empty() => {
            return CheckedCitations { status: CitationStatus::Missing, citations: Vec::new() };
        }
        Some(Value::Array(list)) => list,
        Some(_) => {
            return CheckedCitations {
                status: CitationStatus::Invalid,
                citations: vec![broken("citations is no list")],
            };
        }
    };
    let mut citations: Vec<Citation> = list.iter().take(MAX_CITATIONS).map(|one| citation(one, manifest)).collect();
    if list.len() > MAX_CITATIONS {
        citations.push(broken("there are too many citations"));
    }
    let is_whole = citations.iter().all(|citation| citation.problems.is_empty());
    CheckedCitations { status: if is_whole { CitationStatus::Present } else { CitationStatus::Invalid }, citations }
}

fn broken(problem: &str) -> Citation {
    Citation { document: None, section: None, relevance_score: None, problems: vec![problem.to_owned()] }
}

fn citation(value: &Value, manifest: Option<&Manifest>) -> Citation {
    let Value::Object(fields) = value else { return broken("it is no object") };
    let mut problems = Vec::new();
    let mut name = |key: &str| match fields.get(key) {
        Some(Value::String(text)) if !text.trim().is_empty() => {
            Some(without_controls(text.trim()).chars().take(MAX_NAME_CHARS).collect::<String>())
        }
        Some(Value::String(_)) => {
            problems.push(format!("{key} is empty"));
            None
        }
        None | Some(Value::Null) => {
            problems.push(format!("{key} is missing"));
            None
        }
        Some(_) => {
            problems.push(format!("{key} is no text"));
            None
        }
    };
    let (document, section) = (name("document"), name("section"));
    let relevance_score = match fields.get("relevance_score") {
        None | Some(Value::Null) => None,
        Some(score) => {
            let score = score.as_f64().filter(|score| (0.0..=1.0).contains(score));
            if score.is_none() {
                problems.push("relevance_score is no number from 0 to 1".to_owned());
            }
            score
        }
    };
    if let (Some(manifest), Some(document)) = (manifest, &document)
        && let Some(problem) = manifest.problem(document, section.as_deref())
    {
        problems.push(problem);
    }
    Citation { document, section, relevance_score, problems }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn status(citations: &Value) -> CitationStatus {
        check(Some(citations), None).status
    }

    #[test]
    fn every_citation_must_be_valid() {
        let good = json!({"document": "Harbour.md", "section": "Fees", "relevance_score": 0.5, "unknown": [1]});
        assert_eq!(status(&json!([good])), CitationStatus::Present);
        assert_eq!(status(&json!([{"document": "a", "section": "b"}])), CitationStatus::Present);
        assert_eq!(check(None, None).status, CitationStatus::Missing);
        assert_eq!(status(&json!([])), CitationStatus::Missing);
        assert_eq!(status(&Value::Null), CitationStatus::Missing);
        for broken in [
            json!({"document": "a"}),
            json!({"section": "b"}),
            json!({"document": "", "section": "b"}),
            json!({"document": "a", "section": " "}),
            json!({"document": 1, "section": "b"}),
            json!({"document": "a", "section": null}),
            json!({"document": "a", "section": "b", "relevance_score": 1.5}),
            json!({"document": "a", "section": "b", "relevance_score": "high"}),
            json!("a"),
            json!(null),
        ] {
            assert_eq!(status(&json!([good, broken])), CitationStatus::Invalid, "{broken}");
        }
        assert_eq!(status(&json!({"document": "a", "section": "b"})), CitationStatus::Invalid);
    }

    #[test]
    fn only_entries_of_the_manifest_can_be_cited() {
        let manifest = Manifest::parse("documents:\n- document: Harbour.md\n  sections: [Fees]\n- Tides.md\n").unwrap();
        let of = |document: &str, section: &str| {
            check(Some(&json!([{"document": document, "section": section}])), Some(&manifest)).status
        };
        assert_eq!(of("Harbour.md", "Fees"), CitationStatus::Present);
        assert_eq!(of("Tides.md", "anything"), CitationStatus::Present);
        assert_eq!(of("Harbour.md", "Ghosts"), CitationStatus::Invalid);
        assert_eq!(of("Invented.md", "Fees"), CitationStatus::Invalid);
    }
}
