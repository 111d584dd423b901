//! URLs of servers: whether they are usable, how endpoints are derived from them, and whether they are in the user's
//! network.

use std::net::IpAddr;

use url::{Host, Url};

use crate::address::is_own_network;

/// Top-level names that are never on the public internet: mDNS, RFC 6761, RFC 8375, ICANN's private-use domain.
const PRIVATE_NAMES: [&str; 4] = ["local", "localhost", "internal", "home.arpa"];

#[must_use]
pub fn http_url(text: &str) -> Option<Url> {
    Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.host().is_some())
}

/// Methods that an address given as a base may already end with, beside others of the same server.
const METHODS: [&str; 5] = ["responses", "embeddings", "chat", "generate", "embed"];

/// Returns `BASE/version/name`. If the base already ends with the version, it is not appended again; if it ends with a
/// method of that version, such as `v1/embeddings`, `name` takes its place.
#[must_use]
pub fn append_path(base: &Url, version: &str, name: &str) -> Url {
    let mut url = base.clone();
    let path = base.path().trim_end_matches('/');
    let method = METHODS.iter().find_map(|method| path.strip_suffix(&format!("/{version}/{method}")));
    let path = method.or_else(|| path.strip_suffix(&format!("/{version}"))).unwrap_or(path);
    url.set_path(&format!("{path}/{version}/{name}"));
    url
}

/// Returns `endpoint` with its path suffix, one of `known`, replaced by `method`. `None` if the path ends with none of
/// them.
#[must_use]
pub fn sibling(endpoint: &Url, known: &[&str], method: &str) -> Option<Url> {
    let path = endpoint.path().trim_end_matches('/');
    let parent = known.iter().find_map(|known| path.strip_suffix(known))?;
    let mut url = endpoint.clone();
    url.set_path(&format!("{parent}{method}"));
    Some(url)
}

/// Returns a URL for display, without user, password, query and fragment, which may contain keys.
#[must_use]
pub fn without_secrets(url: &Url) -> String {
    let port = url.port().map_or_else(String::new, |port| format!(":{port}"));
    format!("{}://{}{port}{}", url.scheme(), url.host_str().unwrap_or_default(), url.path())
}

/// Returns whether the server is on this machine or in a private network: by its address, or by its name, which is not
/// resolved.
#[must_use]
pub fn is_local_network(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            let is_below = |top: &&str| name == **top || name.ends_with(&format!(".{top}"));
            !name.contains('.') || PRIVATE_NAMES.iter().any(is_below)
        }
        Some(Host::Ipv4(address)) => is_own_network(IpAddr::V4(address)),
        Some(Host::Ipv6(address)) => is_own_network(IpAddr::V6(address)),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_secrets() {
        let url = Url::parse("https://me:secret@llm.example:8443/v1/responses?key=secret#secret").unwrap();
        assert_eq!(without_secrets(&url), "https://llm.example:8443/v1/responses");
    }

    #[test]
    fn a_base_is_not_extended_by_what_it_already_ends_with() {
        for (base, endpoint) in [
            ("http://h", "http://h/v1/responses"),
            ("http://h/x/v1/", "http://h/x/v1/responses"),
            ("http://h/x/v1/responses", "http://h/x/v1/responses"),
            ("http://h/v1/embeddings/", "http://h/v1/responses"),
            ("http://h/responses", "http://h/responses/v1/responses"),
        ] {
            assert_eq!(append_path(&Url::parse(base).unwrap(), "v1", "responses").as_str(), endpoint, "{base}");
        }
        let ollama = Url::parse("http://h:11434/api/generate").unwrap();
        assert_eq!(append_path(&ollama, "api", "chat").as_str(), "http://h:11434/api/chat");
    }

    #[test]
    fn own_servers_are_known_by_address_or_name() {
        for (url, own) in [
            ("http://127.0.0.1:1", true),
            ("http://[::1]:1", true),
            ("http://10.1.2.3", true),
            ("http://[fd00::1]", true),
            ("http://[::ffff:192.168.0.1]", true),
            ("http://localhost", true),
            ("http://box:8080", true),
            ("http://Box.Local.", true),
            ("http://host.docker.internal:11434", true),
            ("http://gpu.home.arpa", true),
            ("http://local.example", false),
            ("http://notlocal.example.com", false),
            ("http://api.internal.example", false),
            ("https://api.openai.com", false),
            ("http://8.8.8.8", false),
            ("http://203.0.113.4", false),
            ("http://169.254.169.254", false),
            ("http://[::ffff:8.8.8.8]", false),
        ] {
            assert_eq!(is_local_network(&Url::parse(url).unwrap()), own, "{url}");
        }
    }
}
