//! A form with a file.

use axum::body::Bytes;
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::StatusCode;

use super::form::{SentForm, check};
use super::guard::identity::{FormSecret, Identity};
use super::{Failure, WebState};

/// An uploaded file with the form's other fields, after its token was verified.
#[derive(Debug)]
pub(super) struct SentFile {
    pub(super) name: String,
    pub(super) bytes: Bytes,
    pub(super) form: SentForm,
}

impl FromRequest<WebState> for SentFile {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &WebState) -> Result<Self, Failure> {
        let secret = request.extensions().get::<FormSecret>().cloned();
        let identity = request.extensions().get::<Identity>().cloned();
        let bad = |status: StatusCode, message: String| Failure::new(status, "bad_request", message);
        let mut parts = Multipart::from_request(request, state)
            .await
            .map_err(|rejection| bad(StatusCode::UNSUPPORTED_MEDIA_TYPE, rejection.body_text()))?;
        let (mut fields, mut file) = (Vec::new(), None);
        while let Some(part) = parts.next_field().await.map_err(|error| bad(error.status(), error.body_text()))? {
            let field = part.name().unwrap_or_default().to_owned();
            let name = part.file_name().map(str::to_owned);
            let bytes = part.bytes().await.map_err(|error| bad(error.status(), error.body_text()))?;
            match name {
                Some(name) => file = Some((name, bytes)),
                None => fields.push((field, String::from_utf8_lossy(&bytes).into_owned())),
            }
        }
        let form = SentForm::of(fields);
        check(secret.as_ref(), identity.as_ref(), form.text("csrf"))?;
        let (name, bytes) = file.ok_or_else(|| Failure::invalid("file", "choose a file"))?;
        Ok(Self { name, bytes, form })
    }
}
