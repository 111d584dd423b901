//! Groups failures of sources that differ only in the source, so that each is reported once with a count.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// Replaces the source in a reason that several failures share.
const ANY: &str = "…";
/// Maximum number of sources that are named.
const NAMED: usize = 3;

/// Why a source failed.
#[derive(Debug, Clone, Copy)]
pub struct Failure<'a> {
    pub url: &'a str,
    /// A short name (`dns`).
    pub kind: &'a str,
    pub reason: &'a str,
}

/// Sources that failed for the same reason.
#[derive(Debug, PartialEq, Eq)]
pub struct FailureGroup<'a> {
    pub kind: &'a str,
    /// Without the source's names if there are several.
    pub reason: Cow<'a, str>,
    pub urls: Vec<&'a str>,
}

impl FailureGroup<'_> {
    /// The first URLs, and the number of the remaining ones.
    #[must_use]
    pub fn names(&self) -> String {
        let named = self.urls.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
        match self.urls.len().saturating_sub(NAMED) {
            0 => named,
            more => format!("{named} and {more} more"),
        }
    }
}

/// Groups failures by kind and reason, in the order of the first of each group.
#[must_use]
pub fn group_failures<'a>(failures: impl Iterator<Item = Failure<'a>>) -> Vec<FailureGroup<'a>> {
    let mut found: Vec<(FailureGroup<'a>, String)> = Vec::new();
    let mut indices: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for Failure { url, kind, reason } in failures {
        let general = without_names(reason, url);
        let index = *indices.entry((kind, general.clone())).or_insert(found.len());
        match found.get_mut(index) {
            Some((alike, _)) => alike.urls.push(url),
            None => found.push((FailureGroup { kind, reason: reason.into(), urls: vec![url] }, general)),
        }
    }
    let shared = |(alike, general): (FailureGroup<'a>, String)| match alike.urls.len() {
        1 => alike,
        _ => FailureGroup { reason: general.into(), ..alike },
    };
    found.into_iter().map(shared).collect()
}

/// Removes the address, path and host of its source from a reason.
fn without_names(reason: &str, address: &str) -> String {
    let path = address.strip_prefix("file://").unwrap_or(address);
    let host = url::Url::parse(address).ok().and_then(|url| url.host_str().map(str::to_owned));
    let mut general = reason.replace(address, ANY).replace(path, ANY);
    if let Some(host) = host.filter(|host| !host.is_empty()) {
        general = general.replace(&host, ANY);
    }
    general
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_that_differ_only_in_the_source_are_grouped() {
        let failures = [
            ("https://a.example/feed", "dns", "the name a.example could not be resolved"),
            ("https://b.example/feed", "http", "https://b.example/feed answered 404"),
            ("https://c.example/feed", "dns", "the name c.example could not be resolved"),
            ("https://d.example/feed", "dns", "the name d.example could not be resolved"),
            ("https://e.example/feed", "dns", "the name e.example could not be resolved"),
            ("file:///x/f.xml", "file", "/x/f.xml cannot be read"),
            ("file:///x/g.xml", "file", "/x/g.xml cannot be read"),
        ];
        let found = group_failures(failures.iter().map(|&(url, kind, reason)| Failure { url, kind, reason }));
        let groups: Vec<_> = found.iter().map(|alike| (&*alike.reason, alike.urls.len(), alike.names())).collect();
        let four = "https://a.example/feed, https://c.example/feed, https://d.example/feed and 1 more".to_owned();
        assert_eq!(groups[0], ("the name … could not be resolved", 4, four));
        assert_eq!(groups[1], ("https://b.example/feed answered 404", 1, "https://b.example/feed".to_owned()));
        assert_eq!(groups[2], ("… cannot be read", 2, "file:///x/f.xml, file:///x/g.xml".to_owned()));
        assert_eq!(groups.len(), 3);
    }
}
