//! Groups failures of sources that differ only in the source, so that each is reported once with a count.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// Replaces a name of the source in a reason that several failures share, unless it is the same in all of them.
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
    /// Without the names on which the sources differ.
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

/// Groups failures by kind and reason, in the order of the first of each group. A reason keeps the names on which all
/// sources of its group agree, such as a common host.
#[must_use]
pub fn group_failures<'a>(failures: impl Iterator<Item = Failure<'a>>) -> Vec<FailureGroup<'a>> {
    let mut found: Vec<(FailureGroup<'a>, [Option<String>; 3])> = Vec::new();
    let mut indices: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for Failure { url, kind, reason } in failures {
        let forms = forms(reason, url);
        let index = *indices.entry((kind, forms[2].clone())).or_insert(found.len());
        match found.get_mut(index) {
            Some((alike, shared)) => {
                alike.urls.push(url);
                for (shared, form) in shared.iter_mut().zip(forms) {
                    *shared = shared.take().filter(|shared| *shared == form);
                }
            }
            None => found.push((FailureGroup { kind, reason: reason.into(), urls: vec![url] }, forms.map(Some))),
        }
    }
    let named = |(alike, shared): (FailureGroup<'a>, [Option<String>; 3])| match shared.into_iter().flatten().next() {
        Some(reason) if alike.urls.len() > 1 => FailureGroup { reason: reason.into(), ..alike },
        _ => alike,
    };
    found.into_iter().map(named).collect()
}

/// Returns a reason as it is, without the address and path of its source, and also without its host.
fn forms(reason: &str, address: &str) -> [String; 3] {
    let path = address.strip_prefix("file://").unwrap_or(address);
    let host = url::Url::parse(address).ok().and_then(|url| url.host_str().map(str::to_owned));
    let without_address = reason.replace(address, ANY).replace(path, ANY);
    let general = match host.filter(|host| !host.is_empty()) {
        Some(host) => without_address.replace(&host, ANY),
        None => without_address.clone(),
    };
    [reason.to_owned(), without_address, general]
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

    #[test]
    fn a_group_names_the_host_on_which_its_sources_agree() {
        let refused = |host: &str| format!("{host} is at 127.0.0.1 and was not asked; set AHA_FETCH_ALLOW={host}");
        let reason = |sources: &[(&str, String)]| {
            let failures = sources.iter().map(|(url, reason)| Failure { url, kind: "refused_address", reason });
            let found = group_failures(failures);
            assert_eq!((found.len(), found[0].urls.len()), (1, sources.len()));
            found[0].reason.clone().into_owned()
        };
        let (a, b, c) = ("http://127.0.0.1:81/a", "http://127.0.0.1:81/b", "http://feeds.example/c");
        assert_eq!(reason(&[(a, refused("127.0.0.1")), (b, refused("127.0.0.1"))]), refused("127.0.0.1"));
        let not_found = |url: &str| format!("{url} answered 404; 127.0.0.1 may know more");
        assert_eq!(reason(&[(a, not_found(a)), (b, not_found(b))]), "… answered 404; 127.0.0.1 may know more");
        let (d, differing) = ("http://other.example/d", "… is at 127.0.0.1 and was not asked; set AHA_FETCH_ALLOW=…");
        assert_eq!(reason(&[(c, refused("feeds.example")), (d, refused("other.example"))]), differing);
    }
}
