//! The objects in a model's answer, checked against the contract.

use serde::Deserialize;
use serde_json::Value;

use crate::plan::PlanAction;

/// Classification of a block as lasting knowledge.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct KnowledgeClassificationChunk {
    pub block_id: String,
    pub confidence: f64,
    pub reason: String,
}

/// A block's knowledge, reworded without references to its day.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ContentRewordingChunk {
    pub block_id: String,
    pub reworded_content: String,
}

/// A proposed target for a block's knowledge.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct IntegrationDecisionChunk {
    pub knowledge_block_id: String,
    pub target_page: String,
    pub action: PlanAction,
    #[serde(default)]
    pub target_block_id: Option<String>,
    #[serde(default)]
    pub target_block_title: Option<String>,
    pub confidence: f64,
    pub reasoning: String,
}

/// One object of a phase's answer.
pub trait Chunk: Sized {
    /// Parses an object. `None` if a field is missing, has the wrong type or is out of range.
    fn of(object: &Value) -> Option<Self>;
}

fn in_range(confidence: f64) -> bool {
    (0.0..=1.0).contains(&confidence)
}

impl Chunk for KnowledgeClassificationChunk {
    fn of(object: &Value) -> Option<Self> {
        Self::deserialize(object).ok().filter(|chunk| in_range(chunk.confidence))
    }
}

impl Chunk for ContentRewordingChunk {
    fn of(object: &Value) -> Option<Self> {
        Self::deserialize(object).ok().filter(|chunk| !chunk.reworded_content.trim().is_empty())
    }
}

impl Chunk for IntegrationDecisionChunk {
    fn of(object: &Value) -> Option<Self> {
        let chunk = Self::deserialize(object).ok()?;
        let needs_target = matches!(chunk.action, PlanAction::AddUnder | PlanAction::Replace);
        let is_whole = in_range(chunk.confidence) && !chunk.target_page.trim().is_empty();
        (is_whole && (!needs_target || chunk.target_block_id.is_some())).then_some(chunk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk<T: Chunk>(json: &str) -> Option<T> {
        T::of(&serde_json::from_str(json).unwrap())
    }

    #[test]
    fn violations_of_the_contract_are_rejected() {
        assert!(
            chunk::<KnowledgeClassificationChunk>(r#"{"block_id":"b","confidence":0.85,"reason":"r","more":1}"#)
                .is_some()
        );
        for wrong in [
            r#"{"block_id":"b","confidence":1.5,"reason":"r"}"#,
            r#"{"block_id":"b","confidence":"high","reason":"r"}"#,
            r#"{"confidence":1,"reason":"r"}"#,
        ] {
            assert!(chunk::<KnowledgeClassificationChunk>(wrong).is_none(), "{wrong}");
        }
        assert!(chunk::<ContentRewordingChunk>(r#"{"block_id":"b","reworded_content":" "}"#).is_none());
        let decision = |action: &str, target: &str| {
            chunk::<IntegrationDecisionChunk>(&format!(
                r#"{{"knowledge_block_id":"b","target_page":"P","action":"{action}","target_block_id":{target},"target_block_title":null,"confidence":0.5,"reasoning":"r"}}"#
            ))
        };
        assert!(decision("add_section", "null").is_some() && decision("add_under", "\"t\"").is_some());
        assert!(decision("add_under", "null").is_none() && decision("move", "null").is_none());
    }
}
