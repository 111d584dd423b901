//! The layers before every handler: host, rate, identity, time, size; and the headers of every response.

pub(super) mod csrf;
pub(super) mod etag;
pub(super) mod headers;
pub(super) mod hosts;
pub(super) mod idempotency;
pub mod identity;
pub(super) mod limits;
pub(super) mod rates;
pub(super) mod throttle;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use axum::extract::{ConnectInfo, Request};
use axum::http::HeaderMap;

use super::WebState;

/// Returns the client's address. Behind a reverse proxy that is trusted, `X-Forwarded-For` contains it.
pub(super) fn address(state: &WebState, request: &Request) -> IpAddr {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |ConnectInfo(address)| address.ip().to_canonical());
    let settings = &state.app().config().web;
    if settings.public_url.is_none() {
        return peer;
    }
    let lines = request.headers().get_all("x-forwarded-for").iter().rev();
    let entries = lines.flat_map(|line| line.to_str().unwrap_or_default().rsplit(','));
    client(peer, entries, |address| settings.is_trusted_proxy(address))
}

/// Returns the address nearest to this server that is no trusted proxy's. A proxy appends its own client's address,
/// so an entry counts only if a trusted proxy wrote it; others can be made up. `entries`: the last one first.
fn client<'a>(peer: IpAddr, mut entries: impl Iterator<Item = &'a str>, is_trusted: impl Fn(IpAddr) -> bool) -> IpAddr {
    let mut address = peer;
    while is_trusted(address) {
        let Some(before) = entries.next().and_then(|entry| entry.trim().parse::<IpAddr>().ok()) else { break };
        address = before.to_canonical();
    }
    address
}

/// Whether a page of this server, a person or a program asks for an address, and not a page of another site or a browser
/// that fetches it in advance. What costs money is done for the former alone, as any site can make a browser fetch an
/// address.
pub(super) fn is_asked_here(headers: &HeaderMap) -> bool {
    let value = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    matches!(value("sec-fetch-site"), None | Some("none" | "same-origin"))
        && [value("sec-purpose"), value("purpose")].iter().flatten().all(|purpose| !purpose.contains("prefetch"))
}

/// Returns what a limit counts by: an IPv4 address, or the first 64 bits of an IPv6 address, as one host usually has all
/// addresses that begin with them.
pub(super) const fn network_of(address: IpAddr) -> IpAddr {
    const FIRST_64_BITS: u128 = u128::MAX << 64;
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & FIRST_64_BITS)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_site_s_page_and_a_prefetch_do_not_ask_for_anything() {
        let asked = |name: &'static str, value: &'static str| {
            is_asked_here(&HeaderMap::from_iter([(name.parse().unwrap(), value.parse().unwrap())]))
        };
        assert!(is_asked_here(&HeaderMap::new()));
        assert!(asked("sec-fetch-site", "none") && asked("sec-fetch-site", "same-origin"));
        assert!(!asked("sec-fetch-site", "cross-site") && !asked("sec-fetch-site", "same-site"));
        assert!(!asked("sec-purpose", "prefetch;prerender") && !asked("purpose", "prefetch"));
    }

    #[test]
    fn the_client_is_the_last_address_that_is_no_trusted_proxy_s() {
        let trusted: [IpAddr; 2] = [[172, 18, 0, 2].into(), [10, 0, 0, 3].into()];
        let found = |peer: [u8; 4], forwarded: &str| {
            client(peer.into(), forwarded.rsplit(','), |address| trusted.contains(&address)).to_string()
        };
        let proxy = [172, 18, 0, 2];
        assert_eq!(found(proxy, "203.0.113.7"), "203.0.113.7");
        assert_eq!(found(proxy, "127.0.0.1, 203.0.113.7, 10.0.0.3"), "203.0.113.7", "the first entry is made up");
        assert_eq!(found(proxy, "::ffff:203.0.113.7"), "203.0.113.7");
        assert_eq!(found([203, 0, 113, 9], "127.0.0.1"), "203.0.113.9", "no proxy said so");
        for nothing in ["", "unknown", "203.0.113.7, "] {
            assert_eq!(found(proxy, nothing), "172.18.0.2", "{nothing:?}");
        }
        assert_eq!(found(proxy, "10.0.0.3"), "10.0.0.3");
    }
}
