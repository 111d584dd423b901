//! What a request asks for, as a model's server understands it.

use std::collections::HashMap;
use std::time::Instant;

use serde_json::Value;

use super::envelope;
use super::fault::Fault;

/// A story of a triage prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Story {
    pub id: String,
    pub title: String,
}

/// A request as it arrived and what became of it.
#[derive(Debug, Clone)]
pub struct Call {
    /// From 1, over all paths, in the order of arrival.
    pub number: usize,
    pub path: String,
    /// Names in lower case.
    pub headers: HashMap<String, String>,
    pub body: Value,
    /// How long the body was.
    pub bytes: usize,
    pub arrived: Instant,
    /// How many requests were being answered when it arrived, itself included.
    pub in_flight: usize,
    /// What went wrong on order.
    pub fault: Option<Fault>,
    /// The status and the JSON that were to be sent; NULL when it was none.
    pub status: u16,
    pub answer: Value,
}

impl Call {
    pub fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or_default()
    }

    /// The ids it is answered with: that of the answer and that of the exchange, of which an error has only the second.
    pub fn ids(&self) -> [String; 2] {
        ["resp", "req"].map(|kind| envelope::id(kind, self))
    }

    pub fn is_embedding(&self) -> bool {
        self.path.ends_with("/embeddings")
    }

    /// The name of the wanted schema; `text` where none is wanted, `embeddings` for those.
    pub fn schema_name(&self) -> &str {
        let free = if self.is_embedding() { "embeddings" } else { "text" };
        self.body["text"]["format"]["name"].as_str().unwrap_or(free)
    }

    pub fn schema(&self) -> Option<&Value> {
        self.body["text"]["format"].get("schema")
    }

    pub fn max_output_tokens(&self) -> u64 {
        self.body["max_output_tokens"].as_u64().unwrap_or(u64::MAX)
    }

    /// All that the model reads: instructions, then each message's text.
    pub fn prompt(&self) -> String {
        let mut parts = vec![self.body["instructions"].as_str().unwrap_or_default()];
        collect_text(&self.body["input"], &mut parts);
        parts.join("\n")
    }

    /// The stories between `<stories>` and `</stories>`: the last such place that holds a JSON array.
    pub fn stories(&self) -> Option<Vec<Story>> {
        self.fenced("stories").map(|array| array.iter().filter_map(story).collect())
    }

    /// What stands outside of a fence, for a model that takes the first `</stories>` for its end.
    pub fn outside(&self, name: &str) -> String {
        let (prompt, begin, end) = (self.prompt(), format!("<{name}>"), format!("</{name}>"));
        let mut outside = String::new();
        for (number, part) in prompt.split(&begin).enumerate() {
            outside.push_str(if number == 0 { part } else { part.split_once(&end).map_or("", |(_, rest)| rest) });
        }
        outside
    }

    /// The results of a search between `<results>` and `</results>`, each with its short id.
    pub fn results(&self) -> Vec<Value> {
        self.fenced("results").unwrap_or_default()
    }

    fn fenced(&self, name: &str) -> Option<Vec<Value>> {
        let (prompt, begin, end) = (self.prompt(), format!("<{name}>"), format!("</{name}>"));
        let places = prompt.split(&begin).skip(1).filter_map(|rest| rest.split_once(&end));
        places.filter_map(|(inside, _)| serde_json::from_str::<Vec<Value>>(unfenced(inside)).ok()).last()
    }

    /// Whether a story's title holds the text, or, where there are no stories, the prompt does.
    pub fn tells_of(&self, text: &str) -> bool {
        match self.stories() {
            Some(stories) => stories.iter().any(|story| story.title.contains(text)),
            None => self.prompt().contains(text),
        }
    }
}

fn story(value: &Value) -> Option<Story> {
    Some(Story { id: value["id"].as_str()?.to_owned(), title: value["title"].as_str().unwrap_or_default().to_owned() })
}

fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inside = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inside.map_or(text, |rest| rest.trim_start_matches("json").trim())
}

fn collect_text<'a>(value: &'a Value, parts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => parts.push(text),
        Value::Array(values) => values.iter().for_each(|value| collect_text(value, parts)),
        Value::Object(fields) => {
            for name in ["content", "text"] {
                fields.get(name).into_iter().for_each(|value| collect_text(value, parts));
            }
        }
        _ => {}
    }
}
