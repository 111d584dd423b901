//! Compares the models' answers.

use std::fmt::Write as _;

use aha_content::escapes::without_escapes;
use aha_core::money::credits_or_unknown;
use serde::Serialize;
use serde_json::Value;

use super::files::Line;
use super::{Kind, Questionnaire};

/// The results of one model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelSummary {
    pub model: String,
    pub answered: usize,
    pub unanswered: usize,
    /// Attempts after the first, of all answers.
    pub retries: u32,
    /// Mean of the ratings, each scaled to 0 for the minimum of its scale and 1 for the maximum. `None` without
    /// ratings.
    pub mean_rating: Option<f64>,
    /// Share of the questions answered by all models on which it gave the most frequent answer, and not alone. `None`
    /// without such questions, and for a single model.
    pub agreement: Option<f64>,
    /// `None` if the model has no price.
    pub cost_microcredits: Option<i64>,
}

/// The comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    pub title: String,
    pub questions: usize,
    pub models: Vec<ModelSummary>,
    #[serde(skip)]
    rows: Vec<Row>,
}

#[derive(Debug, Clone, PartialEq)]
struct Row {
    section: String,
    question: String,
    text: String,
    /// One answer per model.
    answers: Vec<Option<Value>>,
}

impl Report {
    /// `lines` are those of the models, in their order, each with all questions.
    #[must_use]
    pub fn of(questionnaire: &Questionnaire, models: &[String], lines: &[Line]) -> Self {
        let asked = questionnaire
            .sections
            .iter()
            .flat_map(|section| section.questions.iter().map(move |question| (section.id.as_str(), question)));
        let mut rows = Vec::new();
        let mut scales = Vec::new();
        for (section, question) in asked {
            let answer = |model: &String| {
                let is_it = |line: &&Line| {
                    let response = &line.response;
                    response.model == *model && response.section == section && response.question == question.id
                };
                lines.iter().find(is_it).and_then(|line| line.response.answer.clone())
            };
            scales.push(match question.kind {
                Kind::Rating { min, max } => Some((min, max)),
                Kind::Choice { .. } => None,
            });
            rows.push(Row {
                section: section.to_owned(),
                question: question.id.clone(),
                text: question.text.trim().to_owned(),
                answers: models.iter().map(answer).collect(),
            });
        }
        let summaries = models.iter().enumerate().map(|(index, model)| {
            let own: Vec<&Line> = lines.iter().filter(|line| line.response.model == *model).collect();
            let answered = own.iter().filter(|line| line.response.answer.is_some()).count();
            ModelSummary {
                model: model.clone(),
                answered,
                unanswered: rows.len() - answered.min(rows.len()),
                retries: own.iter().map(|line| line.metadata.attempts.saturating_sub(1)).sum(),
                mean_rating: mean(rows.iter().zip(&scales).filter_map(|(row, scale)| rated(row, index, *scale))),
                agreement: mean(rows.iter().filter_map(|row| agrees(row, index))),
                cost_microcredits: own.iter().map(|line| line.metadata.cost_microcredits).sum(),
            }
        });
        let models = summaries.collect();
        Self { title: questionnaire.title.clone(), questions: rows.len(), models, rows }
    }

    /// Formats the report as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut page = format!("# {}\n\n", cell(if self.title.is_empty() { "Questionnaire" } else { &self.title }));
        page.push_str(
            "| model | answered | retries | mean rating (0–1) | agreement | credits |\n|---|--:|--:|--:|--:|--:|\n",
        );
        for model in &self.models {
            let share = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"));
            let _ = writeln!(
                page,
                "| {} | {} of {} | {} | {} | {} | {} |",
                cell(&model.model),
                model.answered,
                self.questions,
                model.retries,
                share(model.mean_rating),
                share(model.agreement),
                credits_or_unknown(model.cost_microcredits),
            );
        }
        let mut section = None;
        for row in &self.rows {
            if section != Some(&row.section) {
                section = Some(&row.section);
                let _ = write!(page, "\n## {}\n\n| question |", cell(&row.section));
                for model in &self.models {
                    let _ = write!(page, " {} |", cell(&model.model));
                }
                page.push_str("\n|---|");
                page.push_str(&"---|".repeat(self.models.len()));
                page.push('\n');
            }
            let _ = write!(page, "| {}: {} |", cell(&row.question), cell(&row.text));
            for answer in &row.answers {
                let text = match answer {
                    Some(Value::String(text)) => cell(text),
                    Some(other) => other.to_string(),
                    None => "–".to_owned(),
                };
                let _ = write!(page, " {text} |");
            }
            page.push('\n');
        }
        page
    }
}

/// Escapes text for a table cell.
fn cell(text: &str) -> String {
    let flat: String = without_escapes(text).chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    flat.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;")
}

#[expect(clippy::cast_precision_loss, reason = "steps of a short scale")]
fn rated(row: &Row, model: usize, scale: Option<(i64, i64)>) -> Option<f64> {
    let (min, max) = scale?;
    let number = row.answers.get(model)?.as_ref()?.as_i64()?;
    Some((number - min) as f64 / (max - min) as f64)
}

/// Returns 1 if a model gave the most frequent answer and another model gave it, too, else 0; `None` unless there are
/// several models and all have answered.
fn agrees(row: &Row, model: usize) -> Option<f64> {
    let answers: Vec<&Value> = row.answers.iter().map(Option::as_ref).collect::<Option<_>>()?;
    if answers.len() < 2 {
        return None;
    }
    let times = |answer: &Value| answers.iter().filter(|other| **other == answer).count();
    let most = answers.iter().map(|answer| times(answer)).max()?;
    let own = times(answers.get(model)?);
    Some(if own > 1 && own == most { 1.0 } else { 0.0 })
}

#[expect(clippy::cast_precision_loss, reason = "a count of questions")]
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn models_agree_only_if_two_of_them_give_the_same_answer() {
        let agreement = |answers: &[Option<i64>]| {
            let row = Row {
                section: String::new(),
                question: String::new(),
                text: String::new(),
                answers: answers.iter().map(|answer| answer.map(|answer| json!(answer))).collect(),
            };
            (0..answers.len()).map(|model| agrees(&row, model)).collect::<Vec<_>>()
        };
        let (yes, no) = (Some(1.0), Some(0.0));
        assert_eq!(agreement(&[Some(1), Some(2)]), [no, no]);
        assert_eq!(agreement(&[Some(1), Some(2), Some(3)]), [no, no, no]);
        assert_eq!(agreement(&[Some(1), Some(2), Some(1)]), [yes, no, yes]);
        assert_eq!(agreement(&[Some(4), Some(4)]), [yes, yes]);
        assert_eq!(agreement(&[Some(1), None]), [None, None]);
        assert_eq!(agreement(&[Some(1)]), [None]);
    }
}
