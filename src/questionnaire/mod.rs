//! Questionnaires: put the same questions to several models, and compare their answers.
//!
//! Input: a file of sections with rating and choice questions. Output: one line per answer in each of two parallel
//! files, and a comparison. Each section is one conversation with each model. Answers are stored in the database, so
//! that the files can be written again at any time and an interrupted questionnaire can be resumed.

mod files;
mod report;
mod run;

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use thiserror::Error;

pub use files::{Line, Metadata, Response, write};
pub use report::{ModelSummary, Report};
pub use run::{Respondent, Unit, units};

/// Maximum number of questions in a file.
const MAX_QUESTIONS: usize = 10_000;
/// Maximum number of steps of a rating scale.
const MAX_STEPS: i64 = 1_000;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Questionnaire {
    #[serde(default)]
    pub title: String,
    /// Sent to every model first.
    #[serde(default)]
    pub system_prompt: String,
    pub sections: Vec<Section>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Section {
    pub id: String,
    #[serde(default)]
    pub title: String,
    /// Sent before the section's first question.
    #[serde(default)]
    pub instructions: String,
    pub questions: Vec<Question>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "RawQuestion")]
pub struct Question {
    pub id: String,
    pub text: String,
    pub kind: Kind,
}

/// A question as written in the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawQuestion {
    id: String,
    text: String,
    r#type: RawKind,
    min: Option<i64>,
    max: Option<i64>,
    options: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RawKind {
    Rating,
    Choice,
}

impl TryFrom<RawQuestion> for Question {
    type Error = String;

    fn try_from(raw: RawQuestion) -> Result<Self, String> {
        let kind = match (raw.r#type, raw.min, raw.max, raw.options) {
            (RawKind::Rating, Some(min), Some(max), None) => Kind::Rating { min, max },
            (RawKind::Choice, None, None, Some(options)) => Kind::Choice { options },
            (RawKind::Rating, ..) => {
                return Err(format!("question {:?}: a rating has min and max, no options", raw.id));
            }
            (RawKind::Choice, ..) => {
                return Err(format!("question {:?}: a choice has options, no min and max", raw.id));
            }
        };
        Ok(Self { id: raw.id, text: raw.text, kind })
    }
}

/// The possible answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A whole number within a scale, bounds included.
    Rating { min: i64, max: i64 },
    /// One of several options.
    Choice { options: Vec<String> },
}

#[derive(Debug, Error)]
pub enum QuestionnaireError {
    #[error("the questionnaire cannot be read: {0}")]
    Unreadable(String),
    #[error("the questionnaire cannot be used: {}", .0.join("; "))]
    Wrong(Vec<String>),
}

impl Questionnaire {
    /// Checks a parsed file and builds the questionnaire.
    ///
    /// # Errors
    /// Lists all errors together.
    pub fn from_value(value: Value) -> Result<Self, QuestionnaireError> {
        let read: Self =
            serde_json::from_value(value).map_err(|error| QuestionnaireError::Unreadable(error.to_string()))?;
        let problems = read.problems();
        if problems.is_empty() { Ok(read) } else { Err(QuestionnaireError::Wrong(problems)) }
    }

    /// Returns the number of questions.
    #[must_use]
    pub fn questions(&self) -> usize {
        self.sections.iter().map(|section| section.questions.len()).sum()
    }

    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if self.questions() == 0 {
            problems.push("it has no questions".to_owned());
        }
        if self.questions() > MAX_QUESTIONS {
            problems.push(format!("it has more than {MAX_QUESTIONS} questions"));
        }
        let mut sections = BTreeSet::new();
        for section in &self.sections {
            if !sections.insert(&section.id) {
                problems.push(format!("there are two sections {:?}", section.id));
            }
            let mut questions = BTreeSet::new();
            for question in &section.questions {
                if !questions.insert(&question.id) {
                    problems.push(format!("section {:?} has two questions {:?}", section.id, question.id));
                }
                let of = |why: &str| format!("question {:?} of section {:?} {why}", question.id, section.id);
                problems.extend(question.problem().map(of));
            }
        }
        problems
    }
}

impl Question {
    fn problem(&self) -> Option<&'static str> {
        if self.text.trim().is_empty() {
            return Some("asks nothing: its text is empty");
        }
        match &self.kind {
            Kind::Rating { min, max } if min >= max => Some("has a scale whose min is not below its max"),
            Kind::Rating { min, max } if max.saturating_sub(*min) > MAX_STEPS => Some("has more than 1,000 steps"),
            Kind::Choice { options } if options.len() < 2 => Some("leaves no choice: it expects two options at least"),
            Kind::Choice { options } if options.iter().collect::<BTreeSet<_>>().len() < options.len() => {
                Some("has the same option twice")
            }
            _ => None,
        }
    }

    /// Returns the question as text, with the possible answers.
    #[must_use]
    pub fn prompt(&self) -> String {
        let how = match &self.kind {
            Kind::Rating { min, max } => format!("Answer with a whole number from {min} to {max}."),
            Kind::Choice { options } => {
                let options: Vec<String> = options.iter().map(|option| format!("- {option}")).collect();
                format!("Answer with exactly one of these, word for word:\n{}", options.join("\n"))
            }
        };
        format!("{}\n\n{how}\nGive your reason in one sentence.", self.text.trim())
    }

    /// Extracts the answer from an object: a number for a rating, the option for a choice.
    ///
    /// # Errors
    /// Describes the expected answer.
    pub fn read(&self, object: &Map<String, Value>) -> Result<Value, String> {
        let text = match object.get("answer") {
            Some(Value::String(text)) => text.trim().to_owned(),
            // 3.0 is a whole number too.
            Some(Value::Number(number)) => number.to_string().trim_end_matches(".0").to_owned(),
            _ => String::new(),
        };
        match &self.kind {
            Kind::Rating { min, max } => match text.parse::<i64>() {
                Ok(number) if (*min..=*max).contains(&number) => Ok(number.into()),
                _ => Err(format!("\"answer\" has to be a whole number from {min} to {max}, and is {text:?}")),
            },
            Kind::Choice { options } => match options.iter().find(|option| option.trim() == text) {
                Some(option) => Ok(option.as_str().into()),
                None => Err(format!("\"answer\" has to be one of {options:?}, and is {text:?}")),
            },
        }
    }
}

/// Returns the schema of every answer, as providers are asked to enforce it. The answer itself is a string, which all of
/// them can enforce.
#[must_use]
pub fn answer_schema() -> Value {
    schema_of_answer(&json!("string"))
}

/// Returns the schema that answers are checked against. It allows a number as well, which the question asks for:
/// servers that do not enforce the schema return one.
#[must_use]
pub fn accepted_schema() -> Value {
    schema_of_answer(&json!(["string", "integer"]))
}

fn schema_of_answer(answer: &Value) -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["answer", "reason"],
        "properties": { "answer": { "type": answer }, "reason": { "type": "string" } }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(questions: &Value) -> Result<Questionnaire, QuestionnaireError> {
        Questionnaire::from_value(json!({"title": "t", "sections": [{"id": "s", "questions": questions}]}))
    }

    #[test]
    fn all_that_is_wrong_is_named_at_once() {
        let wrong = parsed(&json!([
            {"id": "a", "text": "Why?", "type": "rating", "min": 5, "max": 5},
            {"id": "a", "text": " ", "type": "choice", "options": ["x", "y"]},
            {"id": "b", "text": "Which?", "type": "choice", "options": ["x", "x"]},
        ]));
        let told = wrong.unwrap_err().to_string();
        for part in ["min is not below", "two questions \"a\"", "asks nothing", "same option twice"] {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert!(parsed(&json!([])).unwrap_err().to_string().contains("no questions"));
        assert!(parsed(&json!([{"id": "a", "text": "?", "type": "essay"}])).unwrap_err().to_string().contains("essay"));
    }

    #[test]
    fn an_answer_is_on_the_scale_or_one_of_the_options() {
        let rating = Question { id: "r".into(), text: "How?".into(), kind: Kind::Rating { min: 1, max: 5 } };
        let choice = Question {
            id: "c".into(),
            text: "Which?".into(),
            kind: Kind::Choice { options: vec!["x".into(), "y".into()] },
        };
        let said = |answer: &str| json!({"answer": answer, "reason": "r"}).as_object().unwrap().clone();
        assert_eq!(rating.read(&said(" 4 ")), Ok(json!(4)));
        for wrong in ["6", "0", "four", "3.5", ""] {
            assert!(rating.read(&said(wrong)).unwrap_err().contains("from 1 to 5"), "{wrong}");
        }
        let number = |answer: Value| json!({"answer": answer, "reason": "r"}).as_object().unwrap().clone();
        for right in [json!(4), json!(4.0)] {
            assert_eq!(rating.read(&number(right)), Ok(json!(4)));
        }
        for wrong in [json!(6), json!(3.5), json!(null), json!([4])] {
            assert!(rating.read(&number(wrong)).unwrap_err().contains("from 1 to 5"));
        }
        assert_eq!(choice.read(&said("y")), Ok(json!("y")));
        assert!(choice.read(&said("Y")).unwrap_err().contains("one of"));
    }
}
