//! The redirects of a request. Called by the fetcher before and after each hop. Pure.

use url::Url;

use super::{FetchError, shown};

/// The redirects from the original URL to the current one.
pub(super) struct Chain {
    pub(super) url: Url,
    seen: Vec<Url>,
    all_permanent: bool,
    max_redirects: usize,
}

impl Chain {
    pub(super) fn start(url: &str, max_redirects: usize) -> Result<Self, FetchError> {
        let mut parsed = Url::parse(url)
            .map_err(|error| FetchError::BadUrl { url: without_secrets(url), reason: error.to_string() })?;
        parsed.set_fragment(None);
        Ok(Self { url: parsed, seen: Vec::new(), all_permanent: true, max_redirects })
    }

    pub(super) fn follow(&mut self, location: &str, permanent: bool) -> Result<(), FetchError> {
        let bad = |reason: String| FetchError::BadRedirect { url: shown(&self.url), reason };
        let mut next = self.url.join(location).map_err(|error| bad(error.to_string()))?;
        if !matches!(next.scheme(), "http" | "https") {
            return Err(bad(format!("its scheme is {}", next.scheme())));
        }
        if !next.username().is_empty() || next.password().is_some() {
            return Err(bad("it holds a user name or password".to_owned()));
        }
        next.set_fragment(None);
        let previous = std::mem::replace(&mut self.url, next);
        self.seen.push(previous);
        self.all_permanent &= permanent;
        if self.seen.len() > self.max_redirects || self.seen.contains(&self.url) {
            return Err(FetchError::RedirectLoop {
                url: self.seen.first().map(shown).unwrap_or_default(),
                limit: self.max_redirects,
            });
        }
        Ok(())
    }

    /// Names the redirect that leads to a refused address, which is not the one that was given.
    pub(super) fn explained(&self, error: FetchError) -> FetchError {
        match (error, self.seen.last()) {
            (FetchError::RefusedAddress { host, address }, Some(from)) => {
                FetchError::RefusedRedirect { from: shown(from), host, address }
            }
            (error, _) => error,
        }
    }

    pub(super) fn is_at_its_origin(&self) -> bool {
        self.seen.first().is_none_or(|first| first.origin() == self.url.origin())
    }

    /// A redirect from https to http is followed but not stored: from then on anybody on the way could read and change
    /// what is fetched.
    pub(super) fn permanent_url(&self) -> Option<String> {
        let was_encrypted = self.seen.iter().any(|url| url.scheme() == "https");
        let is_weaker = was_encrypted && self.url.scheme() == "http";
        (!self.seen.is_empty() && self.all_permanent && !is_weaker).then(|| self.url.to_string())
    }
}

/// Returns an address that cannot be parsed without parts that may be secret.
fn without_secrets(url: &str) -> String {
    let bare = url.split(['?', '#']).next().unwrap_or_default();
    match bare.rsplit_once('@') {
        Some((_, host)) => format!("…@{host}"),
        None => bare.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::Chain;

    fn moved(from: &str, to: &[&str]) -> Option<String> {
        let mut chain = Chain::start(from, 5).unwrap();
        for location in to {
            chain.follow(location, true).unwrap();
        }
        chain.permanent_url()
    }

    #[test]
    fn a_source_does_not_move_from_https_to_http() {
        assert_eq!(moved("https://a.example/", &["http://a.example/feed"]), None);
        assert_eq!(moved("https://a.example/", &["https://b.example/", "http://b.example/feed"]), None);
        let encrypted = "https://a.example/feed";
        assert_eq!(moved("http://a.example/", &[encrypted]).as_deref(), Some(encrypted));
        assert_eq!(moved("https://a.example/", &["http://a.example/feed", encrypted]).as_deref(), Some(encrypted));
    }
}
