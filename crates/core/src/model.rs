//! Models by name, and the provider interfaces through which they are called.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Provider and model of the answers made without a network: rules and counts on this machine.
pub const LOCAL_PROVIDER: &str = "local";
pub const LOCAL_MODEL: &str = "briefing-1";

/// A provider and one of its models, written `provider/model`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelRef {
    pub provider: String,
    pub model: String,
}

impl ModelRef {
    /// The local model, which needs no network.
    #[must_use]
    pub fn local() -> Self {
        Self { provider: LOCAL_PROVIDER.to_owned(), model: LOCAL_MODEL.to_owned() }
    }

    /// The same model under the name with which its provider answers; under its own where that is `None`.
    #[must_use]
    pub fn named(&self, answered: Option<String>) -> Self {
        let model = answered.unwrap_or_else(|| self.model.clone());
        Self { provider: self.provider.clone(), model }
    }
}

impl fmt::Display for ModelRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.model)
    }
}

impl FromStr for ModelRef {
    type Err = NotAModel;

    /// Parses `provider/model`; the model may itself contain slashes.
    fn from_str(text: &str) -> Result<Self, NotAModel> {
        match text.split_once('/') {
            Some((provider, model)) if !provider.is_empty() && !model.is_empty() => {
                Ok(Self { provider: provider.to_owned(), model: model.to_owned() })
            }
            _ => Err(NotAModel(text.to_owned())),
        }
    }
}

/// A text that names no model.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?} names no model: write provider/model, for example openai/gpt-5-mini")]
pub struct NotAModel(String);

/// The kind of provider, which determines the interface that is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Provider {
    /// The Responses API.
    OpenAi,
    /// Chat completions, as many servers implement them.
    OpenAiCompatible,
    Anthropic,
    Gemini,
    Ollama,
}

impl Provider {
    pub const ALL: [Self; 5] = [Self::OpenAi, Self::OpenAiCompatible, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// The name in catalogues and the ledger, and of the dialect.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::OpenAiCompatible => "openai_compatible",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }
}

impl FromStr for Provider {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|provider| provider.as_str() == text).ok_or(())
    }
}
