//! Messages of services name commands of the command line as the next step. A client of the API gets the requests
//! that do the same.
//!
//! Input: a message for people. Output: the same with requests. Called by `super::super::error_forms` for each error in
//! JSON, and by [`super::search`].

/// A command, and the request that does the same. What has no request is done on the server and stays as it is.
const REQUESTS: [(&str, &str); 18] = [
    ("topic list", "GET /api/v1/topics"),
    ("topic add", "POST /api/v1/topics"),
    ("topic set", "PATCH /api/v1/topics/{name}"),
    ("source list", "GET /api/v1/sources"),
    ("source add", "POST /api/v1/sources"),
    ("source test", "POST /api/v1/sources/test"),
    ("opml import", "POST /api/v1/sources/opml"),
    ("digest list", "GET /api/v1/digests"),
    ("digest", "GET /api/v1/digests/{id}"),
    ("item", "GET /api/v1/stories/{id}"),
    ("search", "GET /api/v1/search"),
    ("run", "POST /api/v1/runs"),
    ("runs", "GET /api/v1/runs"),
    ("calls", "GET /api/v1/calls"),
    ("spend", "GET /api/v1/spend"),
    ("llm models", "GET /api/v1/models"),
    ("feedback list", "GET /api/v1/feedback"),
    ("todo list", "GET /api/{collection}"),
];

/// Parts of messages that are about options of the command line, and what is said of the API instead.
const OPTIONS: [(&str, &str); 2] = [
    (", and a first --import makes the topic \"default\"", ""),
    (" or bring a list with --import FILE.opml", " or a list with `POST /api/v1/sources/opml`"),
];

/// Replaces each `` `aha-radar …` `` for which there is a request.
pub(in super::super) fn with_requests(message: &str) -> String {
    let message = OPTIONS.iter().fold(message.to_owned(), |text, (said, instead)| text.replace(said, instead));
    let part = |(number, part): (usize, &str)| {
        // Every second part is between two marks.
        let request = if number % 2 == 1 { request_of(part) } else { None };
        request.unwrap_or(part).to_owned()
    };
    message.split('`').enumerate().map(part).collect::<Vec<_>>().join("`")
}

fn request_of(command: &str) -> Option<&'static str> {
    let command = command.strip_prefix("aha-radar ")?;
    let is_meant = |name: &str| command.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    REQUESTS.iter().find(|(name, _)| is_meant(name)).map(|(_, request)| *request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_in_messages_become_requests() {
        for (message, expected) in [
            (
                "there is no topic \"x\"; `aha-radar topic list` shows those there are, and a first --import makes the \
                 topic \"default\"",
                "there is no topic \"x\"; `GET /api/v1/topics` shows those there are",
            ),
            ("add sources with `aha-radar source add URL --topic x`", "add sources with `POST /api/v1/sources`"),
            (
                "`aha-radar digest list --topic x` and `aha-radar digest` show them",
                "`GET /api/v1/digests` and `GET /api/v1/digests/{id}` show them",
            ),
            ("see `aha-radar runs`", "see `GET /api/v1/runs`"),
            ("index it with `aha-radar reindex`", "index it with `aha-radar reindex`"),
            ("aha-radar topic list ` unclosed", "aha-radar topic list ` unclosed"),
        ] {
            assert_eq!(with_requests(message), expected);
        }
    }

    #[test]
    fn each_request_is_in_the_document() {
        let (_, document) = super::super::super::documented().split_for_parts();
        let document = serde_json::to_value(&document).unwrap();
        for (command, request) in REQUESTS {
            let (method, path) = request.split_once(' ').unwrap();
            let operation = &document["paths"][path][method.to_lowercase().as_str()];
            assert!(operation.is_object(), "{command}: {request}");
        }
    }
}
