//! What all pages have around their content: names, links, and who reads.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::super::assets::VERSION;
use super::super::guard::csrf;
use super::super::guard::identity::{FormSecret, Identity, SignedInBy};
use super::super::{Failure, WebState};

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
        }
    }

    /// Whether a link of the navigation is where the reader is.
    pub fn is_at(&self, link: &str) -> bool {
        self.path == link || (link != "/" && self.path.starts_with(&format!("{link}/")))
    }

    /// The name of whoever signed in with a password.
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
