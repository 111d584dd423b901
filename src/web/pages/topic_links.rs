//! The topic of a page, and links to the others.

use crate::app::App;
use crate::services::{ServiceError, topics};

/// The name of the topic that exists from the start.
pub(super) const DEFAULT: &str = "default";

/// The names of all topics, and the selected one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TopicLinks {
    pub(super) names: Vec<String>,
    pub(super) current: String,
    /// Whether the address named the topic.
    is_named: bool,
}

impl TopicLinks {
    /// Selects the named topic; else the default one, or the first.
    ///
    /// # Errors
    /// When there is no topic of that name. The default one may be named before it exists.
    pub(super) async fn read(app: &App, wanted: Option<&str>) -> Result<Self, ServiceError> {
        let names: Vec<String> = topics::list(app).await?.into_iter().map(|topic| topic.name).collect();
        let wanted = wanted.map(str::trim).filter(|name| !name.is_empty());
        if let Some(name) = wanted.filter(|name| *name != DEFAULT && names.iter().all(|known| known != name)) {
            topics::find(app, name).await?;
        }
        let usual = || if names.iter().any(|name| name == DEFAULT) { None } else { names.first().cloned() };
        let current = wanted.map(str::to_owned).or_else(usual).unwrap_or_else(|| DEFAULT.to_owned());
        Ok(Self { names, is_named: wanted.is_some(), current })
    }

    /// Returns whether there are other topics.
    pub(super) fn has_others(&self) -> bool {
        self.names.iter().any(|name| *name != self.current)
    }

    /// Returns `?topic=NAME` for links on the page; empty if the address named no topic.
    pub(super) fn query(&self) -> String {
        if self.is_named { format!("?topic={}", encoded(&self.current)) } else { String::new() }
    }
}

/// Returns `?topic=NAME` for another topic.
pub(super) fn query_of(name: &str) -> String {
    format!("?topic={}", encoded(name))
}

/// Percent-encodes a text for an address.
pub(in super::super) fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>().replace('+', "%20")
}
