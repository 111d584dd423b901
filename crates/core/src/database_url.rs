//! The URL of the database. It may contain a password, so it is displayed without it.

use std::fmt;

use url::Url;

/// `sqlite://PATH` or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. It is not validated: it may have another scheme or
/// be no URL at all.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseUrl(String);

/// Replaces a password.
const HIDDEN: &str = "***";

/// The options that a Postgres URL may have after `?`, other than `options[NAME]` and the password, as sqlx-postgres 0.9
/// parses them (`options/parse.rs`). It ignores all others.
const POSTGRES_OPTIONS: [&str; 17] = [
    "sslmode",
    "ssl-mode",
    "sslrootcert",
    "ssl-root-cert",
    "ssl-ca",
    "sslcert",
    "ssl-cert",
    "sslkey",
    "ssl-key",
    "statement-cache-capacity",
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "application_name",
    "options",
];
const PASSWORD: &str = "password";

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

    /// Returns the options of a Postgres URL that the driver does not know, and would ignore: with a misspelt `sslmode`
    /// the server would not be verified.
    #[must_use]
    pub fn unknown_options(&self) -> Vec<String> {
        let url = Url::parse(&self.0).ok().filter(|url| matches!(url.scheme(), "postgres" | "postgresql"));
        let names = url.iter().flat_map(|url| url.query_pairs().map(|(name, _)| name.into_owned()));
        names.filter(|name| name != PASSWORD && !is_known(name)).collect()
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
        // An unknown option may be a misspelt password.
        if url.query_pairs().any(|(name, _)| !is_known(&name)) {
            let pairs: Vec<_> = url.query_pairs().into_owned().collect();
            let hidden = pairs.iter().map(|(name, value)| (name, if is_known(name) { value } else { HIDDEN }));
            url.query_pairs_mut().clear().extend_pairs(hidden);
        }
        url.into()
    }
}

fn is_known(option: &str) -> bool {
    POSTGRES_OPTIONS.contains(&option) || option.starts_with("options[")
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
    fn options_that_the_driver_ignores_are_named_and_their_values_hidden() {
        let misspelt =
            "postgres://db/aha?sslmod=verify-full&passwd=secret&sslmode=require&options[a]=b&password=secret";
        assert_eq!(DatabaseUrl::new(misspelt).unknown_options(), ["sslmod", "passwd"]);
        assert!(shown(misspelt).contains("passwd=***") && shown(misspelt).contains("sslmode=require"));
        for url in ["postgres://db/aha?sslmode=require&password=x", "sqlite://a.db?mod=ro", "nothing"] {
            assert_eq!(DatabaseUrl::new(url).unknown_options(), Vec::<String>::new(), "{url}");
        }
    }

    #[test]
    fn the_rest_is_shown_as_it_was_written() {
        for url in ["sqlite://aha-radar.db", "sqlite:///var/lib/Aha/a b.db?mode=ro", "postgres://me@Db.example/aha"] {
            assert_eq!(shown(url), url);
        }
    }
}
