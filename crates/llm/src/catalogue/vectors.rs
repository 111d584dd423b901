//! The task `embed`: derives the embedding endpoint from a model's endpoint, and checks that each model can make
//! vectors.

use std::collections::{BTreeMap, BTreeSet};

use aha_core::model::{ModelRef, Provider};
use aha_net::endpoint::sibling;
use url::Url;

use super::entry::CatalogueEntry;
use super::links::{EMBED, TaskModels};
use super::raw::At;
use super::reader::{CatalogueReader, below};

impl CatalogueEntry {
    /// Returns the endpoint for embeddings; `None` where the provider offers none or it cannot be derived from the
    /// address.
    #[must_use]
    pub fn vectors_endpoint(&self) -> Option<Url> {
        match self.provider {
            Provider::OpenAi | Provider::OpenAiCompatible => {
                sibling(&self.endpoint, &["/responses", "/chat/completions", "/embeddings"], "/embeddings")
            }
            Provider::Ollama => sibling(&self.endpoint, &["/chat", "/generate", "/embed"], "/embed"),
            Provider::Gemini => Some(self.endpoint.clone()),
            Provider::Anthropic => None,
        }
    }
}

/// Checks that every model named for embeddings has an endpoint for them.
pub(super) fn check(
    reader: &mut CatalogueReader<'_>,
    embed: &At<TaskModels>,
    entries: &BTreeMap<ModelRef, CatalogueEntry>,
) {
    let path = below("tasks", EMBED);
    for name in embed.value.all().collect::<BTreeSet<_>>() {
        let Some(entry) = entries.get(name).filter(|entry| entry.vectors_endpoint().is_none()) else { continue };
        if entry.provider == Provider::Anthropic {
            let what = format!("{name} cannot serve it: anthropic's interface makes no vectors");
            reader.problem(embed.line, &path, what, "embed: openai/text-embedding-3-small");
        } else {
            let what = format!("{name} cannot serve it: its endpoint does not tell where vectors are made");
            let example = if entry.provider == Provider::Ollama { "api/embed" } else { "v1/embeddings" };
            reader.problem(embed.line, &path, what, format!("endpoint: http://127.0.0.1:8080/{example}"));
        }
    }
}
