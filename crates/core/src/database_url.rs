//! The URL of the database. It may contain a password, so it is displayed without it.

use std::fmt;

use url::Url;

/// `sqlite://PATH` or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. It is not validated: it may have another scheme or
/// be no URL at all.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseUrl(String);

/// Replaces a password.
const HIDDEN: &str = "***";

impl DatabaseUrl {
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self(url.into())
    }

    /// The whole URL including the password; only for the store.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The URL in a form that may be displayed and logged.
    fn shown(&self) -> String {
        if self.0.starts_with("sqlite:") {
            return self.0.clone();
        }
        let Ok(mut url) = Url::parse(&self.0) else {
            return self
                .0
                .split_once(':')
                .map_or_else(|| HIDDEN.to_owned(), |(scheme, _)| format!("{scheme}:{HIDDEN}"));
        };
        if url.password().is_some() && url.set_password(Some(HIDDEN)).is_err() {
            return format!("{}:{HIDDEN}", url.scheme());
        }
        if url.query_pairs().any(|(name, _)| name == "password") {
            let pairs: Vec<_> = url.query_pairs().into_owned().collect();
            let hidden = pairs.iter().map(|(name, value)| (name, if name == "password" { HIDDEN } else { value }));
            url.query_pairs_mut().clear().extend_pairs(hidden);
        }
        url.into()
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.shown())
    }
}

#[cfg(test)]
mod tests {
    use super::DatabaseUrl;

    fn shown(url: &str) -> String {
        let url = DatabaseUrl::new(url);
        assert!(!format!("{url:?}").contains("secret"), "{url:?}");
        url.to_string()
    }

    #[test]
    fn a_password_is_not_shown() {
        assert_eq!(shown("postgres://me:secret@db.example:5433/aha"), "postgres://me:***@db.example:5433/aha");
        assert_eq!(shown("postgresql://db/aha?user=me&password=secret"), "postgresql://db/aha?user=me&password=***");
        assert_eq!(shown("postgres://me:secret@db:port/aha"), "postgres:***");
        assert_eq!(shown("secret"), "***");
    }

    #[test]
    fn the_rest_is_shown_as_it_was_written() {
        for url in ["sqlite://aha-radar.db", "sqlite:///var/lib/Aha/a b.db?mode=ro", "postgres://me@Db.example/aha"] {
            assert_eq!(shown(url), url);
        }
    }
}
