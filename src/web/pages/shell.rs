//! What all pages have around their content: names, links, and who reads.

use aha_core::account::Role;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::super::assets::VERSION;
use super::super::guard::csrf;
use super::super::guard::identity::{FormSecret, Identity, SignedInBy};
use super::super::{Failure, WebState};

/// A link of the navigation: path and name.
type PageLink = (&'static str, &'static str);

/// What is read every day.
const READING: [PageLink; 6] = [
    ("/", "Today"),
    ("/archive", "Archive"),
    ("/saved", "Saved"),
    ("/search", "Search"),
    ("/ask", "Ask"),
    ("/plan", "Plan"),
];

/// What is set up and watched, with the role that it takes.
const MANAGING: [(PageLink, Role); 7] = [
    (("/sources", "Sources"), Role::Reader),
    (("/topics", "Topics"), Role::Reader),
    (("/feed-reader", "Feeds"), Role::Reader),
    (("/runs", "Runs"), Role::Reader),
    (("/spend", "Spend"), Role::Reader),
    (("/models", "Models"), Role::Editor),
    (("/settings", "Settings"), Role::Admin),
];

/// The frame of a page.
#[derive(Debug, Clone)]
pub struct Shell {
    /// Before the path of each link.
    pub base: String,
    /// Of the style sheet and the script.
    pub version: &'static str,
    /// What each form carries in its field `csrf`.
    pub csrf: String,
    pub identity: Option<Identity>,
    /// The path that was asked for, by which the present page is marked among the links.
    pub path: String,
    /// Whether a graph of notes was named.
    pub has_journal: bool,
}

impl Shell {
    /// Without a request, for error pages.
    pub(in super::super) fn bare(state: &WebState) -> Self {
        Self {
            base: state.prefix().to_owned(),
            version: &VERSION,
            csrf: String::new(),
            identity: None,
            path: String::new(),
            has_journal: state.app().config().journal.graph.is_some(),
        }
    }

    /// Whether a link of the navigation is where the reader is.
    pub fn is_at(&self, link: &str) -> bool {
        self.path == link || (link != "/" && self.path.starts_with(&format!("{link}/")))
    }

    /// Links of the navigation, each with whether the page is there.
    pub fn reading(&self) -> Vec<(PageLink, bool)> {
        let journal = self.has_journal.then_some(("/journal", "Journal"));
        READING.into_iter().chain(journal).map(|link| (link, self.is_at(link.0))).collect()
    }

    /// Those in its menu, as far as the reader may follow them.
    pub fn managing(&self) -> Vec<PageLink> {
        let role = self.identity.as_ref().map_or(Role::Reader, |identity| identity.role);
        MANAGING.into_iter().filter(|(_, least)| role >= *least).map(|(link, _)| link).collect()
    }

    /// Whether the page is one of the menu.
    pub fn is_managing(&self) -> bool {
        MANAGING.iter().any(|((path, _), _)| self.is_at(path))
    }

    /// Whether the reader may change topics and sources, and start what costs.
    pub fn may_edit(&self) -> bool {
        self.identity.as_ref().is_some_and(|identity| identity.role >= Role::Editor)
    }

    /// The name of the user who signed in with a password.
    pub fn signed_in_as(&self) -> Option<&str> {
        let identity = self.identity.as_ref().filter(|identity| identity.by == SignedInBy::Session)?;
        Some(&identity.name)
    }
}

impl FromRequestParts<WebState> for Shell {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Failure> {
        let secret = parts.extensions.get::<FormSecret>();
        Ok(Self {
            csrf: secret.map(|FormSecret(secret)| csrf::token(secret)).unwrap_or_default(),
            identity: parts.extensions.get::<Identity>().cloned(),
            path: parts.uri.path().to_owned(),
            ..Self::bare(state)
        })
    }
}
