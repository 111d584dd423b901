//! Requests as our gateway would make them.

use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};

use crate::support::responses::{KEY, MODEL, OpenAi};

/// The schema of an answer to a triage of several stories.
pub fn triage_schema() -> Value {
    let result = json!({
        "id": { "type": "string" },
        "aha_score": { "type": "integer", "minimum": 0, "maximum": 100 },
        "reason": { "type": "string" },
        "is_relevant": { "type": "boolean" },
        "is_novel": { "type": "boolean" },
        "categories": { "type": "array", "items": { "type": "string" } },
        "should_deep_summarize": { "type": "boolean" },
    });
    object(&json!({ "results": { "type": "array", "items": object(&result) } }))
}

/// The schema of an object that has all these properties.
pub fn object(properties: &Value) -> Value {
    let required: Vec<&String> = properties.as_object().unwrap().keys().collect();
    json!({ "type": "object", "additionalProperties": false, "required": required, "properties": properties })
}

/// A triage of stories with these titles, named s1, s2 and so on.
pub fn triage(titles: &[&str]) -> Value {
    let story = |(place, title)| json!({ "id": format!("s{}", place + 1), "title": title, "members": [] });
    let stories: Vec<Value> = titles.iter().enumerate().map(story).collect();
    let stories = serde_json::to_string(&stories).unwrap().replace('<', "\\u003c").replace('>', "\\u003e");
    let system = "Judge the stories between <stories> and </stories>.";
    wanting("triage_v1", &triage_schema(), system, &format!("<stories>\n{stories}\n</stories>\nThat was all."))
}

/// An answer of this schema.
pub fn wanting(name: &str, schema: &Value, system: &str, user: &str) -> Value {
    json!({
        "model": MODEL,
        "instructions": system,
        "input": [{ "role": "user", "content": user }],
        "text": { "format": { "type": "json_schema", "name": name, "strict": true, "schema": schema } },
        "store": false,
        "max_output_tokens": 1000,
    })
}

/// What came back.
#[derive(Debug)]
pub struct Answered {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub body: String,
}

impl Answered {
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The text of the last item's first part.
    #[track_caller]
    pub fn text(&self) -> String {
        let response = self.json();
        let item = response["output"].as_array().unwrap().last().unwrap().clone();
        item["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// The object that the text is.
    #[track_caller]
    pub fn object(&self) -> Value {
        serde_json::from_str(&self.text()).unwrap()
    }
}

pub async fn ask(api: &OpenAi, body: &Value) -> reqwest::Result<Answered> {
    post(api, "/v1/responses", KEY, body).await
}

pub async fn embed(api: &OpenAi, model: &str, texts: &[&str]) -> reqwest::Result<Answered> {
    post(api, "/v1/embeddings", KEY, &json!({ "model": model, "input": texts })).await
}

pub async fn post(api: &OpenAi, path: &str, key: &str, body: &Value) -> reqwest::Result<Answered> {
    post_within(api, path, key, body, Duration::from_mins(2)).await
}

/// As [`post`], with a time limit for the whole exchange.
pub async fn post_within(
    api: &OpenAi,
    path: &str,
    key: &str,
    body: &Value,
    limit: Duration,
) -> reqwest::Result<Answered> {
    let client = aha_net::client::builder().timeout(limit).build().unwrap();
    let request = client.post(format!("{}{path}", api.base())).bearer_auth(key);
    let response = request.header(CONTENT_TYPE, "application/json").body(body.to_string()).send().await?;
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    Ok(Answered { status, headers, body: response.text().await? })
}
