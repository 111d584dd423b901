//! A submitted form: its fields, after its token was verified.

use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;

use super::extract::{FORM, body, is_form};
use super::guard::csrf;
use super::guard::identity::{FormSecret, Identity, SignedInBy, Unsaved};
use super::{Failure, WebState};

/// The fields of a form whose token was verified.
#[derive(Debug, Clone, Default)]
pub struct SentForm {
    fields: Vec<(String, String)>,
}

impl SentForm {
    pub(super) fn of(fields: Vec<(String, String)>) -> Self {
        Self { fields }
    }

    /// Returns all fields except the token and those named, as submitted, for a page that submits them again.
    pub fn without(&self, names: &[&str]) -> Vec<(String, String)> {
        let is_kept = |(name, _): &&(String, String)| name != "csrf" && !names.contains(&name.as_str());
        self.fields.iter().filter(is_kept).cloned().collect()
    }

    /// Returns the first value of a field, trimmed; empty if absent.
    pub fn text(&self, name: &str) -> &str {
        self.fields.iter().find(|(field, _)| field == name).map_or("", |(_, value)| value.trim())
    }

    /// Returns the value as typed, for passwords.
    pub fn exact(&self, name: &str) -> &str {
        self.fields.iter().find(|(field, _)| field == name).map_or("", |(_, value)| value)
    }

    /// Returns all values of a field.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.fields.iter().filter(move |(field, _)| field == name).map(|(_, value)| value.trim())
    }

    /// Returns whether the form has the field, even if it is empty.
    pub fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|(field, _)| field == name)
    }

    /// Returns whether a checkbox is ticked or a button was pressed.
    pub fn is_set(&self, name: &str) -> bool {
        !self.text(name).is_empty()
    }

    /// Returns the path to redirect to afterwards, if it is on this server, else `otherwise`.
    pub fn next_or(&self, otherwise: &str) -> String {
        let next = self.text("next");
        if is_own_path(next) { next.to_owned() } else { otherwise.to_owned() }
    }
}

/// Returns whether this is only a path, which no browser takes for another site.
fn is_own_path(path: &str) -> bool {
    let plain = |c: char| !c.is_control() && c != '\\';
    path.starts_with('/') && !path.starts_with("//") && path.chars().all(plain)
}

/// Verifies that the token belongs to the browser that sent it. A program with an API token needs none, as no browser
/// can be misled.
pub(super) fn check(secret: Option<&FormSecret>, identity: Option<&Identity>, token: &str) -> Result<(), Failure> {
    if identity.is_some_and(|identity| identity.by == SignedInBy::Token) {
        return Ok(());
    }
    if secret.is_some_and(|FormSecret(secret)| csrf::token(secret) == token) {
        return Ok(());
    }
    let message = "this page was loaded before you signed in or out, or its form came from elsewhere; load the page \
                   again and send it once more";
    Err(Failure::new(StatusCode::FORBIDDEN, "wrong_form", message))
}

impl FromRequest<WebState> for SentForm {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &WebState) -> Result<Self, Failure> {
        if !is_form(&request) {
            let message = format!("a form is sent as {FORM}");
            return Err(Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message));
        }
        let secret = request.extensions().get::<FormSecret>().cloned();
        let identity = request.extensions().get::<Identity>().cloned();
        let bytes = body(request, state).await?;
        let form = Self::of(url::form_urlencoded::parse(&bytes).into_owned().collect());
        check(secret.as_ref(), identity.as_ref(), form.text("csrf"))
            .map_err(|failure| failure.with_fields(Unsaved::of(form.fields.clone()).0))?;
        Ok(form)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_form_only_a_path_of_ours_is_gone_to() {
        let next = |value: &str| SentForm::of(vec![("next".to_owned(), value.to_owned())]).next_or("/");
        assert_eq!(next("/topics?saved=1"), "/topics?saved=1");
        for elsewhere in
            ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)", "", "/\n/x"]
        {
            assert_eq!(next(elsewhere), "/", "{elsewhere:?}");
        }
    }
}
