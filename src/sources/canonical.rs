//! One spelling for each page. Links as published go in, a URL that compares comes out; it is never fetched or shown. Called
//! where identity is settled.

use url::Url;

/// Parameters that say where a reader came from, not what he reads.
const TRACKING: [&str; 44] = [
    "fbclid",
    "gclid",
    "gclsrc",
    "dclid",
    "gbraid",
    "wbraid",
    "msclkid",
    "yclid",
    "twclid",
    "ttclid",
    "li_fat_id",
    "igshid",
    "igsh",
    "mc_cid",
    "mc_eid",
    "_hsenc",
    "_hsmi",
    "__hstc",
    "__hssc",
    "__hsfp",
    "hsctatracking",
    "mkt_tok",
    "ref_src",
    "ref_url",
    "spm",
    "scm",
    "cmpid",
    "cmp",
    "ncid",
    "ocid",
    "sr_share",
    "s_cid",
    "smid",
    "smtyp",
    "taid",
    "vero_id",
    "vero_conv",
    "wickedid",
    "oly_anon_id",
    "oly_enc_id",
    "rb_clickid",
    "soc_src",
    "soc_trk",
    "amp",
];

/// Families of such parameters.
const TRACKING_PREFIXES: [&str; 5] = ["utm_", "pk_", "mtm_", "matomo_", "at_custom"];

/// Hosts and paths that show the same page in another dress.
const HOST_PREFIXES: [&str; 3] = ["www.", "m.", "amp."];

/// The canonical form of an http(s) URL, as https; `None` for anything else and for URLs with a user name or password.
#[must_use]
pub fn canonical_url(text: &str) -> Option<String> {
    let url = Url::parse(text.trim()).ok()?;
    let is_web = matches!(url.scheme(), "http" | "https");
    if !is_web || !url.username().is_empty() || url.password().is_some() {
        return None;
    }
    let host = url.host_str()?;
    let port = url.port().filter(|p| !matches!(p, 80 | 443)).map(|p| format!(":{p}")).unwrap_or_default();
    let path = bare_path(url.path());
    let query = bare_query(url.query().unwrap_or_default());
    let query = if query.is_empty() { query } else { format!("?{query}") };
    let fragment = url.fragment().filter(|f| f.starts_with('!')).map(|f| format!("#{f}")).unwrap_or_default();
    Some(format!("https://{}{port}{path}{query}{fragment}", bare_host(host)))
}

/// Whether a canonical URL can stand for one item: a bare home page cannot.
#[must_use]
pub fn is_page(canonical: &str) -> bool {
    let rest = canonical.trim_start_matches("https://");
    rest.split_once('/').is_some_and(|(_, path)| !path.is_empty())
}

fn bare_host(host: &str) -> &str {
    let mut host = host.trim_end_matches('.');
    while let Some(rest) = HOST_PREFIXES.iter().find_map(|p| host.strip_prefix(p)).filter(|r| r.contains('.')) {
        host = rest;
    }
    host
}

fn bare_path(path: &str) -> &str {
    let mut path = path.trim_end_matches('/');
    while let Some(rest) = path.strip_suffix("/amp") {
        path = rest.trim_end_matches('/');
    }
    if path.is_empty() { "/" } else { path }
}

fn bare_query(query: &str) -> String {
    let mut kept: Vec<&str> = query.split('&').filter(|p| !p.is_empty() && !is_tracking(p)).collect();
    kept.sort_unstable();
    kept.join("&")
}

fn is_tracking(parameter: &str) -> bool {
    let name = parameter.split('=').next().unwrap_or_default().to_ascii_lowercase();
    TRACKING.contains(&name.as_str()) || TRACKING_PREFIXES.iter().any(|p| name.starts_with(p))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{canonical_url, is_page};

    #[test]
    fn spellings_of_one_page_are_one() {
        for text in [
            "http://www.Example.com:80/a/b/?utm_source=x&b=2&a=1#part",
            "https://m.example.com/a/b?a=1&b=2&fbclid=zz",
            "https://amp.example.com./a/b/amp/?b=2&a=1&amp=1",
            " https://example.com:443/a/./b//?a=1&&b=2 ",
        ] {
            assert_eq!(canonical_url(text).as_deref(), Some("https://example.com/a/b?a=1&b=2"), "{text}");
        }
    }

    #[test]
    fn what_differs_stays_different() {
        assert_eq!(canonical_url("https://m.io/").as_deref(), Some("https://m.io/"));
        assert_eq!(canonical_url("https://x.org:8443/a#!/route").as_deref(), Some("https://x.org:8443/a#!/route"));
        assert_eq!(canonical_url("https://x.org/amplifier").as_deref(), Some("https://x.org/amplifier"));
        for refused in ["ftp://x.org/a", "https://me:pw@x.org/", "/a", "mailto:a@b.c", ""] {
            assert_eq!(canonical_url(refused), None, "{refused}");
        }
    }

    #[test]
    fn home_pages_identify_nothing() {
        assert!(!is_page("https://x.org/") && is_page("https://x.org/?p=1") && is_page("https://x.org/a"));
    }

    proptest! {
        #[test]
        fn idempotent(host in "(www\\.|m\\.|amp\\.){0,3}[a-z]{1,5}\\.(com|org\\.?)", path in "(/|/amp|/[a-z%0-9.]{0,4}){0,5}",
                      query in "[a-zA-Z_=&%0-9]{0,20}", fragment in "!?[a-z]{0,3}", port in proptest::option::of(1_u16..9000)) {
            let port = port.map(|p| format!(":{p}")).unwrap_or_default();
            if let Some(once) = canonical_url(&format!("http://{host}{port}{path}?{query}#{fragment}")) {
                prop_assert_eq!(canonical_url(&once), Some(once.clone()));
            }
        }

        #[test]
        fn never_panics(text in ".{0,80}") {
            let _ = canonical_url(&text);
        }
    }
}
