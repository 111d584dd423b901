//! Canonical URLs for comparison. Input: links as published; output: a URL that identifies a page and is never fetched
//! or shown. Called where item identity is determined.

use url::Url;

/// Query parameters that track where a visitor came from and do not select content.
const TRACKING: [&str; 74] = [
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
    "amp_js_v",
    "amp_gsa",
    "usqp",
    "outputtype",
    "_ga",
    "_gl",
    "gad_source",
    "gad_campaignid",
    "srsltid",
    "epik",
    "ef_id",
    "s_kwcid",
    "_openstat",
    "fb_action_ids",
    "fb_action_types",
    "fb_ref",
    "fb_source",
    "guccounter",
    "guce_referrer",
    "guce_referrer_sig",
    "trk",
    "trkcampaign",
    "wt_mc",
    "wt.mc_id",
    "xtor",
    "ml_subscriber",
    "ml_subscriber_hash",
    "at_medium",
    "at_campaign",
    "phpsessid",
];

/// Query parameters that track only if their value is one of [`CHANNELS`].
const SOMETIMES_TRACKING: [&str; 8] = ["ref", "source", "src", "from", "via", "rss", "feed", "partner"];
const CHANNELS: [&str; 12] =
    ["rss", "rss2", "atom", "feed", "feeds", "1", "twitter", "facebook", "newsletter", "email", "mastodon", "social"];

/// Prefixes of tracking parameters.
const TRACKING_PREFIXES: [&str; 5] = ["utm_", "pk_", "mtm_", "matomo_", "at_custom"];

/// Host prefixes of alternative versions of a page.
const HOST_PREFIXES: [&str; 5] = ["www.", "m.", "mobile.", "touch.", "amp."];
/// Maximum nesting of AMP cache URLs.
const MAX_WRAPPERS: usize = 4;

/// Returns the canonical form of an http(s) URL, with the scheme https. `None` for other schemes and for URLs with a
/// user name or password.
#[must_use]
pub fn canonical_url(text: &str) -> Option<String> {
    let mut found = normalised_url(text)?;
    // The result may again be the URL of a cached copy.
    for _ in 0..MAX_WRAPPERS {
        let again = normalised_url(&found)?;
        if again == found {
            return Some(found);
        }
        found = again;
    }
    None
}

fn normalised_url(text: &str) -> Option<String> {
    let url = Url::parse(text.trim()).ok()?;
    let url = unwrapped(&url).unwrap_or(url);
    let is_web = matches!(url.scheme(), "http" | "https");
    if !is_web || !url.username().is_empty() || url.password().is_some() {
        return None;
    }
    let host = url.host_str()?;
    let port = url.port().filter(|p| !matches!(p, 80 | 443)).map(|p| format!(":{p}")).unwrap_or_default();
    let path = normalised_path(&normalised_escapes(url.path()));
    let query = normalised_query(&normalised_escapes(url.query().unwrap_or_default()));
    let query = if query.is_empty() { query } else { format!("?{query}") };
    let fragment = url.fragment().filter(|f| f.starts_with('!')).map(|f| format!("#{f}")).unwrap_or_default();
    Some(format!("https://{}{port}{path}{query}{fragment}", normalised_host(host)))
}

/// Returns whether a canonical URL can identify one item: a bare home page cannot.
#[must_use]
pub fn is_page(canonical: &str) -> bool {
    let rest = canonical.trim_start_matches("https://");
    rest.split_once('/').is_some_and(|(_, path)| !path.is_empty())
}

/// Returns the original page of an AMP cache URL; `None` if it is not one.
fn unwrapped(url: &Url) -> Option<Url> {
    let host = url.host_str()?;
    let is_search = normalised_host(host).starts_with("google.");
    let inner = match url.path() {
        path if host.ends_with(".cdn.ampproject.org") => ["/c/", "/v/"].iter().find_map(|p| path.strip_prefix(p))?,
        path if is_search => path.strip_prefix("/amp/")?,
        _ => return None,
    };
    let inner = inner.strip_prefix("s/").unwrap_or(inner);
    let inner = Url::parse(&format!("https://{inner}?{}", url.query().unwrap_or_default())).ok()?;
    inner.host_str()?.contains('.').then_some(inner)
}

/// Decodes escaped letters, digits and `-._~`, and writes other escapes in upper case (RFC 3986, 6.2.2).
fn normalised_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let digits = rest.get(1..3).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let Some(code) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) else {
            out.push('%');
            rest = &rest[1..];
            continue;
        };
        // Decoded after an incomplete escape, the character would complete it.
        let completes = out.as_bytes().iter().rev().take(2).any(|byte| *byte == b'%');
        let is_plain = code.is_ascii_alphanumeric() || matches!(code, b'-' | b'.' | b'_' | b'~');
        if is_plain && !completes {
            out.push(char::from(code));
        } else {
            out.push_str(&rest[..3].to_ascii_uppercase());
        }
        rest = &rest[3..];
    }
    out.push_str(rest);
    out
}

fn normalised_host(host: &str) -> String {
    let mut host = host.trim_end_matches('.');
    while let Some(rest) = HOST_PREFIXES.iter().find_map(|p| host.strip_prefix(p)).filter(|r| r.contains('.')) {
        host = rest;
    }
    // "en.m.wikipedia.org"
    let mut labels: Vec<&str> = host.split('.').collect();
    while labels.len() > 3 && matches!(labels[1], "m" | "mobile" | "amp") {
        labels.remove(1);
    }
    labels.join(".")
}

fn normalised_path(path: &str) -> String {
    let mut path = without_session(path);
    loop {
        path.truncate(path.trim_end_matches('/').len());
        if let Some(page) = path.strip_suffix(".amp.html") {
            path = format!("{page}.html");
        } else if let Some(page) = path.strip_suffix("/amp").or_else(|| path.strip_suffix(".amp")) {
            path.truncate(page.len());
        } else {
            break;
        }
    }
    if path.is_empty() { "/".to_owned() } else { path }
}

/// Removes the session id that servers write into paths (`;jsessionid=…`).
fn without_session(path: &str) -> String {
    let Some(at) = path.to_ascii_lowercase().find(";jsessionid=") else { return path.to_owned() };
    let end = path[at..].find('/').map_or(path.len(), |end| at + end);
    format!("{}{}", &path[..at], &path[end..])
}

fn normalised_query(query: &str) -> String {
    let mut kept: Vec<&str> = query.split('&').filter(|p| !p.is_empty() && !is_tracking(p)).collect();
    kept.sort_unstable();
    kept.join("&")
}

fn is_tracking(parameter: &str) -> bool {
    let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
    let (name, value) = (name.to_ascii_lowercase(), value.to_ascii_lowercase());
    let from_channel = SOMETIMES_TRACKING.contains(&name.as_str()) && CHANNELS.contains(&value.as_str());
    from_channel || TRACKING.contains(&name.as_str()) || TRACKING_PREFIXES.iter().any(|p| name.starts_with(p))
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
            "https://mobile.example.com/%61/b;jsessionid=0A?b=2&ref=rss&a=1&_ga=7",
            "https://www.google.com/amp/s/www.example.com/a/b.amp?a=1&b=2",
            "https://www-example-com.cdn.ampproject.org/v/s/www.example.com/a/b/amp/?a=1&b=2&usqp=x&amp_js_v=0.1",
        ] {
            assert_eq!(canonical_url(text).as_deref(), Some("https://example.com/a/b?a=1&b=2"), "{text}");
        }
    }

    #[test]
    fn what_differs_stays_different() {
        assert_eq!(canonical_url("https://m.io/").as_deref(), Some("https://m.io/"));
        assert_eq!(canonical_url("https://x.org:8443/a#!/route").as_deref(), Some("https://x.org:8443/a#!/route"));
        assert_eq!(canonical_url("https://x.org/amplifier").as_deref(), Some("https://x.org/amplifier"));
        assert_eq!(
            canonical_url("https://en.m.wikipedia.org/wiki/A%c3%a9%2f").as_deref(),
            Some("https://en.wikipedia.org/wiki/A%C3%A9%2F")
        );
        assert_eq!(
            canonical_url("https://m.x.co.uk/a.amp.html?ref=7").as_deref(),
            Some("https://x.co.uk/a.html?ref=7")
        );
        assert_eq!(canonical_url("https://google.com/amp/about").as_deref(), Some("https://google.com/amp/about"));
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
        fn idempotent(host in "(www\\.|m\\.|amp\\.|mobile\\.){0,3}([a-z]{1,5}|google|x\\.cdn\\.ampproject)\\.(com|m\\.org|org\\.?)",
                      path in "(/|/amp|/s|/c|\\.amp|\\.amp\\.html|;jsessionid=|%|%6|%61|%2e|/m\\.x\\.org|/[a-z%0-9.]{0,4}){0,7}",
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
