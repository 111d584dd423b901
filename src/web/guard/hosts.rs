//! Which host names the server answers to, and which pages may request a change.
//!
//! A page of another site can make a browser send requests here, and another name can be made to resolve to this
//! address (DNS rebinding). So a request has to name one of the server's own addresses, and one that changes something
//! must not come from another site's page.

use std::net::IpAddr;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use url::{Host, Url};

use super::super::{Failure, WebState};

pub(in super::super) async fn check(State(state): State<WebState>, request: Request, next: Next) -> Response {
    let settings = state.app().config();
    let names = Names { listen: settings.listen.ip(), public: settings.web.public_url.as_ref() };
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    let host = host.or_else(|| request.uri().authority().map(axum::http::uri::Authority::as_str));
    let Some(host) = host.filter(|host| names.are_ours(host)) else {
        let message = "this server does not answer to that name; set AHA_PUBLIC_URL to the address that browsers use";
        return Failure::new(StatusCode::MISDIRECTED_REQUEST, "wrong_host", message).into_response();
    };
    if !request.method().is_safe() && !names.may_change(host, request.headers()) {
        let message = "a page of another site asked for this change; open this server's own page for it";
        return Failure::new(StatusCode::FORBIDDEN, "cross_site", message).into_response();
    }
    next.run(request).await
}

struct Names<'a> {
    listen: IpAddr,
    public: Option<&'a Url>,
}

impl Names<'_> {
    /// Rebinding needs a name under the attacker's control, which loopback, the address itself and the public name are
    /// not.
    fn are_ours(&self, host: &str) -> bool {
        let Some(url) = http(host) else { return false };
        if self.public.is_some_and(|public| public.host() == url.host()) {
            return true;
        }
        match url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(ip)) => self.is_address(ip.into()),
            Some(Host::Ipv6(ip)) => self.is_address(ip.into()),
            None => false,
        }
    }

    /// A server that listens on all addresses answers to each.
    fn is_address(&self, ip: IpAddr) -> bool {
        ip.is_loopback() || ip == self.listen || self.listen.is_unspecified()
    }

    /// Browsers send the origin of a change. Programs send none, and need a token, or that of a form.
    fn may_change(&self, host: &str, headers: &HeaderMap) -> bool {
        let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("unreadable"));
        if text("sec-fetch-site").is_some_and(|site| !matches!(site, "same-origin" | "none")) {
            return false;
        }
        let Some(origin) = text("origin") else { return true };
        let Ok(origin) = Url::parse(origin) else { return false };
        let is_public = self.public.is_some_and(|public| public.origin() == origin.origin());
        is_public || http(host).is_some_and(|own| own.origin() == origin.origin())
    }
}

fn http(host: &str) -> Option<Url> {
    let url = Url::parse(&format!("http://{host}/")).ok()?;
    (url.path() == "/" && url.query().is_none() && url.username().is_empty()).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(public: Option<&Url>) -> Names<'_> {
        Names { listen: [127, 0, 0, 1].into(), public }
    }

    #[test]
    fn names_of_others_are_refused() {
        let public = Url::parse("https://radar.example/reading").unwrap();
        for host in ["127.0.0.1:8080", "localhost:9", "[::1]:8080", "radar.example", "radar.example:443"] {
            assert!(names(Some(&public)).are_ours(host), "{host}");
        }
        for host in ["evil.example", "127.0.0.1.evil.example", "10.0.0.7", "localhost.evil.example", "a@localhost", ""]
        {
            assert!(!names(Some(&public)).are_ours(host), "{host}");
        }
        assert!(!names(None).are_ours("radar.example"));
        assert!(Names { listen: [0, 0, 0, 0].into(), public: None }.are_ours("10.0.0.7:8080"));
    }

    #[test]
    fn a_change_comes_from_a_page_of_ours_or_from_no_page() {
        let public = Url::parse("https://radar.example/reading").unwrap();
        let may = |pairs: &[(&'static str, &'static str)]| {
            let headers = pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
            names(Some(&public)).may_change("127.0.0.1:8080", &headers)
        };
        assert!(may(&[]));
        assert!(may(&[("origin", "http://127.0.0.1:8080"), ("sec-fetch-site", "same-origin")]));
        assert!(may(&[("origin", "https://radar.example")]));
        for origin in
            ["null", "http://127.0.0.1:8081", "http://localhost:8080", "https://evil.example", "http://radar.example"]
        {
            assert!(!may(&[("origin", origin)]), "{origin}");
        }
        for site in ["cross-site", "same-site"] {
            assert!(!may(&[("sec-fetch-site", site)]), "{site}");
        }
    }
}
