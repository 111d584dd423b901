//! The document of the API: OpenAPI 3.1, made of the routes themselves.

use axum::http::header;
use axum::response::{IntoResponse, Response};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{Components, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, SecurityRequirement};

/// What stands above the paths.
pub(super) fn head() -> OpenApi {
    let info = InfoBuilder::new()
        .title("Aha Radar")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "Digests, stories, sources, topics, runs and spending. Errors are `{\"ok\":false,\"error\":{\"code\",\"message\"}}`.",
        ))
        .license(Some(LicenseBuilder::new().name("MIT OR Apache-2.0").build()))
        .build();
    let bearer = SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build());
    let session = SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new("aha_session")));
    let mut components = Components::new();
    components.add_security_scheme("token", bearer);
    components.add_security_scheme("session", session);
    let none: [&str; 0] = [];
    OpenApiBuilder::new()
        .info(info)
        .components(Some(components))
        .security(Some([
            SecurityRequirement::new("token", none),
            SecurityRequirement::new("session", none),
            SecurityRequirement::default(),
        ]))
        .build()
}

/// As it is sent.
#[derive(Debug, Clone)]
pub(super) struct Document {
    json: std::sync::Arc<str>,
}

impl Document {
    pub(super) fn of(document: &OpenApi) -> Self {
        let json = serde_json::to_string(document).unwrap_or_else(|error| {
            tracing::error!(%error, "the document of the API cannot be written");
            "{}".to_owned()
        });
        Self { json: json.into() }
    }
}

impl IntoResponse for Document {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, "application/json")], self.json.to_string()).into_response()
    }
}
