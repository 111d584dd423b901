//! The frame of all pages: names, links, and the signed-in user.

use aha_core::account::Role;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::super::assets::VERSION;
use super::super::guard::csrf;
use super::super::guard::identity::{FormSecret, Identity, SignedInBy};
use super::super::{Failure, WebState};

/// A link of the navigation: path and name.
type PageLink = (&'static str, &'static str);

/// The pages for daily reading.
const READING: [PageLink; 6] = [
    ("/", "Today"),
    ("/archive", "Archive"),
    ("/saved", "Saved"),
    ("/search", "Search"),
    ("/ask", "Ask"),
    ("/plan", "Plan"),
];

/// The pages for configuration and monitoring, with the required role.
const MANAGING: [(PageLink, Role); 7] = [
    (("/sources", "Sources"), Role::Reader),
    (("/topics", "Topics"), Role::Reader),
    (("/feed-reader", "Subscribe"), Role::Reader),
    (("/runs", "Runs"), Role::Reader),
    (("/spend", "Spend"), Role::Reader),
    (("/models", "Models"), Role::Editor),
    (("/settings", "Settings"), Role::Admin),
];

/// The frame of a page.
#[derive(Debug, Clone)]
pub struct Shell {
    /// Prefix of each link's path.
    pub base: String,
    /// Version of the style sheet and the script.
    pub version: &'static str,
    /// Value of the field `csrf` in each form.
    pub csrf: String,
    pub identity: Option<Identity>,
    /// The path of the request, by which the link of the current page is marked.
    pub path: String,
    /// Whether a graph of notes is configured.
    pub has_journal: bool,
}

impl Shell {
    /// Builds the frame without a request, for error pages.
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

    /// Returns whether no user is signed in and the page is the one to do so: all others would lead back to it.
    pub fn is_signing_in(&self) -> bool {
        self.identity.is_none() && self.is_at("/sign-in")
    }

    /// Returns whether a navigation link leads to the current page.
    pub fn is_at(&self, link: &str) -> bool {
        self.path == link || (link != "/" && self.path.starts_with(&format!("{link}/")))
    }

    /// Returns the navigation links that the user's role allows, each with whether it is the current page.
    pub fn reading(&self) -> Vec<(PageLink, bool)> {
        let journal = (self.has_journal && self.may_edit()).then_some(("/journal", "Journal"));
        READING.into_iter().chain(journal).map(|link| (link, self.is_at(link.0))).collect()
    }

    /// Returns the menu's links that the user's role allows.
    pub fn managing(&self) -> Vec<PageLink> {
        let role = self.identity.as_ref().map_or(Role::Reader, |identity| identity.role);
        MANAGING.into_iter().filter(|(_, least)| role >= *least).map(|(link, _)| link).collect()
    }

    /// Returns whether the current page is in the menu.
    pub fn is_managing(&self) -> bool {
        MANAGING.iter().any(|((path, _), _)| self.is_at(path))
    }

    /// Returns whether the user may change topics and sources, and start paid work.
    pub fn may_edit(&self) -> bool {
        self.identity.as_ref().is_some_and(|identity| identity.role >= Role::Editor)
    }

    /// Returns whether the user may remove topics.
    pub fn is_admin(&self) -> bool {
        self.identity.as_ref().is_some_and(|identity| identity.role >= Role::Admin)
    }

    /// Returns the name of a user who signed in with a password.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_may_open_the_journal_is_shown_its_link() {
        let has_journal = |role: Role| {
            let shell = Shell {
                base: String::new(),
                version: "",
                csrf: String::new(),
                identity: Some(Identity { name: "zoe".to_owned(), role, by: SignedInBy::Session }),
                path: "/".to_owned(),
                has_journal: true,
            };
            shell.reading().iter().any(|((path, _), _)| *path == "/journal")
        };
        assert!(has_journal(Role::Editor) && !has_journal(Role::Reader));
    }
}
