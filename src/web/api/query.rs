//! Checks what the address of a request names before its handler runs: a query parameter that the path does not take is
//! refused, as a misspelt one would be ignored, and so is a path that only looks like a collection of the planner.
//!
//! Input: requests, and the parameters of the OpenAPI document. Called by [`super::super::documented`] as a layer of
//! all routes.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, Uri};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use serde_json::Value;
use url::form_urlencoded;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use super::super::guard::identity::{Identity, SignedInBy};
use super::super::{Failure, WebState};

/// A path of the planner that has any name in the place of its collection.
const ANY_COLLECTION: &str = "/api/{collection}";
const COLLECTIONS: [&str; 4] = ["todos", "events", "habits", "goals"];
/// Minimum similarity of a parameter that is suggested.
const MIN_SIMILARITY: f64 = 0.5;
/// Maximum length of a name from the request in a message.
const MAX_SHOWN_CHARS: usize = 60;

/// Adds the check to routes. Those outside `/api/` take any parameter.
pub(in super::super) fn check_addresses(routes: OpenApiRouter<WebState>) -> OpenApiRouter<WebState> {
    let known = Parameters::of(routes.get_openapi());
    routes.route_layer(from_fn_with_state(Arc::new(known), check))
}

async fn check(State(known): State<Arc<Parameters>>, request: Request, next: Next) -> Result<Response, Failure> {
    if let Some(matched) = request.extensions().get::<MatchedPath>().filter(|_| may_know(&request)) {
        check_collection(matched.as_str(), request.uri().path())?;
        known.check(matched.as_str(), request.method(), request.uri().query().unwrap_or_default())?;
    }
    Ok(next.run(request).await)
}

/// Whoever may not use the API learns that first, and nothing of its parameters.
fn may_know(request: &Request) -> bool {
    request.extensions().get::<Identity>().is_some_and(|identity| identity.by != SignedInBy::FeedToken)
}

/// The failure of a request whose path does not take its method: it is unknown with any method if it is no collection.
pub(in super::super) async fn wrong_method(matched: MatchedPath, uri: Uri) -> Failure {
    check_collection(matched.as_str(), uri.path()).err().unwrap_or_else(Failure::wrong_method)
}

fn check_collection(matched: &str, path: &str) -> Result<(), Failure> {
    let name = path.split('/').nth(2).unwrap_or_default();
    if !matched.starts_with(ANY_COLLECTION) || COLLECTIONS.contains(&name) {
        return Ok(());
    }
    Err(Failure::not_found("there is no such path; `GET /api/openapi.json` lists those there are"))
}

/// The names of the query parameters, by path and method.
#[derive(Debug, Default)]
struct Parameters(BTreeMap<(String, String), Vec<String>>);

impl Parameters {
    fn of(document: &OpenApi) -> Self {
        let document = serde_json::to_value(document).unwrap_or_default();
        let mut names = BTreeMap::new();
        for (path, item) in document["paths"].as_object().into_iter().flatten() {
            for (method, operation) in item.as_object().into_iter().flatten() {
                names.insert((path.clone(), method.clone()), query_parameters(operation));
            }
        }
        Self(names)
    }

    fn check(&self, path: &str, method: &Method, query: &str) -> Result<(), Failure> {
        let method = if *method == Method::HEAD { Method::GET } else { method.clone() };
        let Some(known) = self.0.get(&(path.to_owned(), method.as_str().to_ascii_lowercase())) else { return Ok(()) };
        let mut given = form_urlencoded::parse(query.as_bytes()).map(|(name, _)| name);
        match given.find(|name| !known.iter().any(|known| known == name)) {
            Some(unknown) if path.starts_with("/api/") => Err(no_parameter(&unknown, known)),
            _ => Ok(()),
        }
    }
}

fn query_parameters(operation: &Value) -> Vec<String> {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let in_query = parameters.filter(|parameter| parameter["in"] == "query");
    in_query.filter_map(|parameter| parameter["name"].as_str().map(str::to_owned)).collect()
}

fn no_parameter(name: &str, known: &[String]) -> Failure {
    let name: String = name.chars().take(MAX_SHOWN_CHARS).collect();
    let similarity = |known: &String| strsim::normalized_damerau_levenshtein(&name.to_lowercase(), known);
    let nearest = known.iter().max_by(|one, other| similarity(one).total_cmp(&similarity(other)));
    let question = match nearest.filter(|known| similarity(known) >= MIN_SIMILARITY) {
        Some(known) => format!("; did you mean {known:?}?"),
        None => ".".to_owned(),
    };
    let there = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    let message = format!("this path takes no query parameter {name:?}{question} Those it takes: {there}");
    Failure::invalid(name, message)
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;

    use super::*;

    #[test]
    fn a_parameter_that_a_path_does_not_take_is_refused_with_the_nearest() {
        let (_, document) = super::super::super::documented().split_for_parts();
        let known = Parameters::of(&document);
        let said = |path: &str, method: Method, query: &str| {
            known.check(path, &method, query).err().map(|failure| failure.message().to_owned())
        };
        let search = "/api/v1/search";
        assert_eq!(said(search, Method::GET, "q=ferry&limit=3"), None);
        assert_eq!(said(search, Method::GET, ""), None);
        let misspelt = said(search, Method::GET, "q=ferry&limt=3").unwrap();
        assert!(misspelt.contains("\"limt\"; did you mean \"limit\"?") && misspelt.contains("source"), "{misspelt}");
        let other = said(search, Method::HEAD, "q=ferry&nosuch=1").unwrap();
        assert!(other.contains("\"nosuch\". Those it takes: q, topic"), "{other}");
        let none = said("/api/v1/models", Method::GET, "a=1").unwrap();
        assert!(none.ends_with("Those it takes: none"), "{none}");
        assert_eq!(said("/health", Method::GET, "at=1"), None, "what is not of the API");
        let long = said(search, Method::GET, &"x".repeat(5_000)).unwrap();
        assert!(long.len() < 300, "{long}");
    }

    #[test]
    fn a_path_that_is_no_collection_is_unknown() {
        let of_collection = "/api/{collection}/{id}";
        assert!(check_collection(of_collection, "/api/todos/3").is_ok());
        assert!(check_collection("/api/v1/topics/{name}", "/api/v1/topics/x").is_ok());
        for path in ["/api/v1/nothing", "/api/nothing/x"] {
            let failure = check_collection(of_collection, path).unwrap_err();
            assert_eq!(failure.status(), StatusCode::NOT_FOUND);
            assert!(failure.message().starts_with("there is no such path"), "{}", failure.message());
        }
    }
}
