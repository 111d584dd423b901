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

use super::WebState;

/// Returns the client's address. A reverse proxy on this machine gives it in the last entry of `X-Forwarded-For`.
pub(super) fn address(state: &WebState, request: &Request) -> IpAddr {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |ConnectInfo(address)| address.ip().to_canonical());
    if !peer.is_loopback() || state.app().config().web.public_url.is_none() {
        return peer;
    }
    let forwarded = request.headers().get_all("x-forwarded-for").iter().next_back();
    let last = forwarded.and_then(|value| value.to_str().ok()).and_then(|value| value.rsplit(',').next());
    last.and_then(|entry| entry.trim().parse().ok()).map_or(peer, |address: IpAddr| address.to_canonical())
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
